"""The real Python `openai` SDK through the gateway, over an Anthropic seat and over a chat seat."""
import base64, json, struct

import openai

import chat_upstream as spoken
import upstream as told
from anthropic_sdk import DEAD, PIXEL
from gateway import Gateway, chat
from upstream import Upstream, error, stream

TOOL = {"type": "function", "function": {"name": "look_up", "description": "Looks up.", "parameters": {
    "type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"]}}}
HI = [{"role": "system", "content": "Be short."}, {"role": "user", "content": "hi"}]


def client(gw, retries=0):
    return openai.OpenAI(base_url=f"{gw.url}/v1", api_key="sk-fake-000", max_retries=retries)


def ask(c, **more):
    return c.chat.completions.create(**{"model": "gpt-x", "messages": HI, **more})


def over_both(binary, on_messages, on_chat):
    """A gateway over an Anthropic seat, then one over a chat seat; each behind a seat that is down."""
    for wire, answers in (("anthropic", on_messages), ("openai", on_chat)):
        up = Upstream(*answers)
        with Gateway(binary, [DEAD, up.url if wire == "anthropic" else chat(up.url)]) as gw:
            yield wire, up, gw


def sent(up, n=-1):
    return json.loads(up.received[n]["body"])


def create(binary, _claude):
    """A plain call: text, model, reason and counts are those of the seat that answered."""
    for wire, up, gw in over_both(binary, [told.says("served-1", "Plain answer.")], [spoken.says("served-1", "Plain answer.")]):
        raw = client(gw).chat.completions.with_raw_response.create(model="gpt-x", messages=HI)
        got = raw.parse()
        choice, = got.choices
        assert (choice.message.content, choice.finish_reason, got.model) == ("Plain answer.", "stop", "served-1"), (wire, got)
        assert (got.object, got.usage.prompt_tokens, got.usage.completion_tokens, got.usage.total_tokens) \
            == ("chat.completion", 40, 9, 49), (wire, got)
        assert raw.headers["x-sanctum-route-chain"] == "a;outcome=network, b;outcome=served", (wire, raw.headers)
        low = up.received[0]["low"]
        assert "sk-fake-000" not in str(up.received[0]["headers"]), f"{wire}: the client's key went upstream"
        if wire == "anthropic":
            assert (low["x-api-key"], up.received[0]["path"]) == ("sk-test-b-000", "/v1/messages"), up.received[0]
            assert low["anthropic-version"], low
            assert spoken.flat(sent(up)["system"]) == "Be short.", sent(up)
        else:
            assert (low["authorization"], up.received[0]["path"]) == ("Bearer sk-test-b-000", "/v1/chat/completions")
            assert sent(up)["messages"] == HI, sent(up)


def streaming(binary, _claude):
    """A stream by chunks, with counts when they are asked for, and through the helper."""
    on_messages = [lambda _: stream(told.text_events("served-1", "One ", "two."))]
    on_chat = [lambda _: stream(spoken.text_chunks("served-1", "One ", "two.") + spoken.finish("served-1", "stop"))]
    for wire, _, gw in over_both(binary, on_messages, on_chat):
        chunks = list(ask(client(gw), stream=True, stream_options={"include_usage": True}))
        choices = [c.choices[0] for c in chunks if c.choices]
        assert "".join(c.delta.content or "" for c in choices) == "One two.", (wire, chunks)
        assert [c.finish_reason for c in choices if c.finish_reason] == ["stop"], (wire, chunks)
        assert {c.model for c in chunks} == {"served-1"} and len({c.id for c in chunks}) == 1, (wire, chunks)
        counts = [c.usage for c in chunks if c.usage]
        assert [(u.prompt_tokens, u.completion_tokens) for u in counts] == [(40, 9)], (wire, counts)
        with client(gw).chat.completions.stream(model="gpt-x", messages=HI) as s:
            assert s.until_done().get_final_completion().choices[0].message.content == "One two.", wire


def tools(binary, _claude):
    """A tool call, whole and in a stream, and its result in the next turn."""
    wanted, said = {"q": "née 😀"}, "Found."

    def on_messages(body):
        if len(body["messages"]) > 1:
            return told.says("served-1", said)(body)
        if body.get("stream"):
            return stream(told.tool_events("served-1", "look_up", wanted) + [told.finish("tool_use")])
        return told.message("served-1", [{"type": "tool_use", "id": "toolu_c1", "name": "look_up", "input": wanted}], "tool_use")

    for wire, up, gw in over_both(binary, [on_messages], [spoken.calls_then_says("served-1", [("call_1", "look_up", wanted)], said)]):
        c = client(gw)
        for whole in (True, False):
            turns = [{"role": "user", "content": "look"}]
            if whole:
                choice = ask(c, messages=turns, tools=[TOOL], tool_choice="auto").choices[0]
            else:
                with c.chat.completions.stream(model="gpt-x", messages=turns, tools=[TOOL]) as s:
                    choice = s.until_done().get_final_completion().choices[0]
            call, = choice.message.tool_calls
            assert (choice.finish_reason, call.type, call.function.name) == ("tool_calls", "function", "look_up"), (wire, choice)
            assert json.loads(call.function.arguments) == wanted, (wire, call)
            turns += [{"role": "assistant", "tool_calls": [{"id": call.id, "type": "function", "function": {
                          "name": call.function.name, "arguments": call.function.arguments}}]},
                      {"role": "tool", "tool_call_id": call.id, "content": "42"}]
            assert ask(c, messages=turns, tools=[TOOL]).choices[0].message.content == said, wire
            body = sent(up)
            if wire == "anthropic":
                used, result = body["messages"][1]["content"][-1], body["messages"][2]["content"][0]
                assert (used["type"], used["id"], used["input"]) == ("tool_use", call.id, wanted), used
                assert (result["type"], result["tool_use_id"], spoken.flat(result["content"])) == ("tool_result", call.id, "42"), result
                assert body["tools"][0]["input_schema"] == TOOL["function"]["parameters"], body["tools"]
            else:
                assert body["messages"] == turns and body["tools"] == [TOOL], body


def parallel_tools(binary, _claude):
    """Two calls at once in a stream, whose pieces come in turns on a chat seat, are told apart."""
    one, two = {"q": "one"}, {"q": "two"}
    events = [told.start("served-1")]
    for index, (call_id, wanted) in enumerate((("call_1", one), ("call_2", two))):
        events += [told.block(index, {"type": "tool_use", "id": call_id, "name": "look_up", "input": {}}),
                   told.delta(index, "input_json_delta", partial_json=json.dumps(wanted)), told.stop(index)]
    on_messages = stream(events + [told.finish("tool_use")])
    on_chat = stream(spoken.call_chunks("served-1", ("call_1", "look_up", one), ("call_2", "look_up", two))
                     + spoken.finish("served-1", "tool_calls"))
    for wire, _, gw in over_both(binary, [on_messages], [on_chat]):
        with client(gw).chat.completions.stream(model="gpt-x", messages=HI, tools=[TOOL]) as s:
            calls = s.until_done().get_final_completion().choices[0].message.tool_calls
        got = [(c.id, c.function.name, json.loads(c.function.arguments)) for c in calls]
        assert got == [("call_1", "look_up", one), ("call_2", "look_up", two)], (wire, got)


def images(binary, _claude):
    """A picture in a data URL arrives whole, as each wire has it."""
    part = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PIXEL}"}}
    turns = [{"role": "user", "content": [part, {"type": "text", "text": "What?"}]}]
    for wire, up, gw in over_both(binary, [told.says("served-1", "A pixel.")], [spoken.says("served-1", "A pixel.")]):
        assert ask(client(gw), messages=turns).choices[0].message.content == "A pixel.", wire
        arrived = sent(up)["messages"][0]["content"]
        if wire == "anthropic":
            source = {"type": "base64", "media_type": "image/png", "data": PIXEL}
            assert (arrived[0]["type"], arrived[0]["source"], arrived[1]["text"]) == ("image", source, "What?"), arrived
        else:
            assert arrived == turns[0]["content"], arrived


def a_failure_inside_a_stream_raises(binary, _claude):
    """A stream that breaks after content raises; it is never a short answer."""
    half = [told.start("served-1"), told.block(0, {"type": "text", "text": ""}), told.delta(0, "text_delta", text="Half")]
    for end in ("clean", "fin", "reset"):
        for wire, _, gw in over_both(binary, [stream(half, end)], [stream(spoken.text_chunks("served-1", "Half"), end)]):
            seen = []
            try:
                for c in ask(client(gw), stream=True):
                    seen += [choice.delta.content or "" for choice in c.choices]
                    assert not any(choice.finish_reason for choice in c.choices), (wire, end, c)
            except openai.APIError as e:
                assert str(e), (wire, end)
            else:
                raise AssertionError(f"{wire}, {end}: no error after {seen}")
            assert "".join(seen) == "Half", (wire, end, seen)


def errors_are_typed(binary, _claude):
    """A spent chain and a bad request are the SDK's own exceptions, and a spent chain is not asked again."""
    busy = {"status": 503, "json": {"error": {"message": "busy", "type": "server_error", "param": None, "code": None}}}
    for wire, up, gw in over_both(binary, [error(529, "overloaded_error", "busy")], [busy]):
        try:
            ask(client(gw, retries=2))
            raise AssertionError(f"{wire}: no error")
        except openai.APIStatusError as e:
            assert e.status_code == 502 and isinstance(e.body, dict) and e.body["message"], (wire, e, e.body)
        assert len(up.received) == 1, (wire, len(up.received))
    odd = {"status": 400, "json": {"error": {"message": "messages.0: odd", "type": "invalid_request_error", "param": None, "code": None}}}
    for wire, _, gw in over_both(binary, [error(400, "invalid_request_error", "messages.0: odd")], [odd]):
        try:
            ask(client(gw))
            raise AssertionError(f"{wire}: no error")
        except openai.BadRequestError as e:
            assert "messages.0: odd" in str(e), (wire, e)


def two_answers(binary, _claude):
    """Two answers at once: refused by name where only Anthropic seats are, given where a chat seat is left."""
    a = Upstream(told.says("served-1", "x"))
    with Gateway(binary, [a.url]) as gw:
        for more in ({}, {"stream": True}):
            try:
                ask(client(gw), n=2, **more)
                raise AssertionError("no error")
            except openai.BadRequestError as e:
                assert e.param == "n" and e.type == "invalid_request_error" and "`n`" in e.body["message"], (e, e.body)
        assert not a.received, "it was asked all the same"
    b = Upstream(spoken.completion("served-2", "One.", "Two."))
    with Gateway(binary, [a.url, chat(b.url)]) as gw:
        got = ask(client(gw), n=2)
        assert [c.message.content for c in got.choices] == ["One.", "Two."], got
        assert sent(b)["n"] == 2 and not a.received


def embeddings(binary, _claude):
    """Vectors come from the seat that declares them, in the SDK's own packed form and as numbers."""
    vector = [0.5, -2.25, 1.0]

    def answer(body):
        packed = base64.b64encode(struct.pack("<3f", *vector)).decode()
        form = packed if body.get("encoding_format") == "base64" else vector
        return {"json": {"object": "list", "model": "embed-1", "data": [{"object": "embedding", "index": i, "embedding": form}
                         for i, _ in enumerate(body["input"])], "usage": {"prompt_tokens": 4, "total_tokens": 4}}}
    a, b = Upstream(spoken.says("served-1", "x")), Upstream(answer)
    with Gateway(binary, [chat(a.url), chat(b.url, capability="embedding")]) as gw:
        for more in ({}, {"encoding_format": "float"}):
            got = client(gw).embeddings.create(model="text-embedding-x", input=["one", "two"], **more)
            assert [d.embedding for d in got.data] == [vector, vector], (more, got)
            assert (got.model, got.usage.prompt_tokens) == ("embed-1", 4), got
        assert [r["path"] for r in b.received] == ["/v1/embeddings"] * 2 and sent(b)["model"] == "model-b", b.received
        assert not a.received, "a text seat was asked for vectors"


def models(binary, _claude):
    """Models are listed in the shape that this SDK reads."""
    a = Upstream(told.says("served-1", "x"))
    with Gateway(binary, [a.url], models=["gpt-listed", "gpt-*"]) as gw:
        assert "gpt-listed" in [m.id for m in client(gw).models.list()]


CASES = [create, streaming, tools, parallel_tools, images, a_failure_inside_a_stream_raises, errors_are_typed, two_answers,
         embeddings, models]
