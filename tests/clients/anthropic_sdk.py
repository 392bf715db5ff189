"""The real Python `anthropic` SDK through the gateway: create, stream, tools, images, and failures that must raise."""
import json

import anthropic

from gateway import Gateway
from upstream import Upstream, block, delta, error, finish, message, says, start, stop, stream, text_events, tool_events

DEAD = "http://127.0.0.1:9"
TOOL = {"name": "look_up", "description": "Looks up.", "input_schema": {"type": "object", "properties": {"q": {"type": "string"}}}}
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


def client(url):
    return anthropic.Anthropic(base_url=url, api_key="sk-ant-fake-000", max_retries=0)


def ask(c, **more):
    return c.messages.create(model="claude-sonnet-4-5", max_tokens=50, **{"messages": [{"role": "user", "content": "hi"}], **more})


def create(binary, _claude):
    """A plain call, answered by the second seat; the model is the one that answered."""
    b = Upstream(message("model-b-1", "Plain answer."))
    with Gateway(binary, [DEAD, b.url]) as gw:
        raw = client(gw.url).messages.with_raw_response.create(
            model="claude-sonnet-4-5", max_tokens=50, messages=[{"role": "user", "content": "hi"}])
        got = raw.parse()
        assert (got.content[0].text, got.model, got.stop_reason) == ("Plain answer.", "model-b-1", "end_turn"), got
        assert (got.usage.input_tokens, got.usage.output_tokens) == (40, 9), got.usage
        assert raw.headers["x-sanctum-route-chain"] == "a;outcome=network, b;outcome=served", raw.headers
        assert b.received[0]["low"]["anthropic-version"] == "2026-10-21", "the client's own version"


def streaming(binary, _claude):
    """A stream, through the helper and by events."""
    b = Upstream(stream(text_events("model-b-1", "One ", "two.")))
    with Gateway(binary, [DEAD, b.url]) as gw:
        with client(gw.url).messages.stream(model="claude-x", max_tokens=50, messages=[{"role": "user", "content": "hi"}]) as s:
            assert "".join(s.text_stream) == "One two."
            assert s.get_final_message().model == "model-b-1"
        kinds = [e.type for e in ask(client(gw.url), stream=True)]
        assert kinds[0] == "message_start" and kinds[-1] == "message_stop", kinds


def tools(binary, _claude):
    """A tool call in a stream, then its result in the next turn."""
    def answer(body):
        if len(body["messages"]) == 1:
            return stream(tool_events("model-a-1", "look_up", {"q": "née 😀"}) + [finish("tool_use")])
        return message("model-a-1", "Found.")
    a = Upstream(answer)
    with Gateway(binary, [a.url]) as gw:
        c = client(gw.url)
        turns = [{"role": "user", "content": "look"}]
        with c.messages.stream(model="claude-x", max_tokens=50, messages=turns, tools=[TOOL]) as s:
            first = s.get_final_message()
        call = first.content[0]
        assert (first.stop_reason, call.name, call.input) == ("tool_use", "look_up", {"q": "née 😀"}), first
        turns += [{"role": "assistant", "content": first.content},
                  {"role": "user", "content": [{"type": "tool_result", "tool_use_id": call.id, "content": "42"}]}]
        assert ask(c, messages=turns, tools=[TOOL]).content[0].text == "Found."
        assert json.loads(a.received[1]["body"])["messages"][2]["content"][0]["tool_use_id"] == call.id


def images(binary, _claude):
    """A picture arrives as it was sent."""
    a = Upstream(says("model-a-1", "A pixel."))
    part = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PIXEL}}
    with Gateway(binary, [a.url]) as gw:
        got = ask(client(gw.url), messages=[{"role": "user", "content": [part, {"type": "text", "text": "What?"}]}])
        assert got.content[0].text == "A pixel."
        assert json.loads(a.received[0]["body"])["messages"][0]["content"][0] == part


def a_failure_inside_a_stream_raises(binary, _claude):
    """A stream that breaks after content raises; it is never a short answer."""
    half = [start("model-a-1"), block(0, {"type": "text", "text": ""}), delta(0, "text_delta", text="Half")]
    for end in ("clean", "fin", "reset"):
        a = Upstream(stream(half, end))
        with Gateway(binary, [a.url]) as gw:
            seen = []
            try:
                for e in ask(client(gw.url), stream=True):
                    seen.append(e.type)
            except anthropic.APIStatusError:
                pass
            else:
                raise AssertionError(f"{end}: no error after {seen}")
            assert "content_block_delta" in seen, (end, seen)


def errors_are_typed(binary, _claude):
    """A spent chain and a bad request are the SDK's own exceptions, and a spent chain is not asked again."""
    a = Upstream(error(529, "overloaded_error", "busy"))
    with Gateway(binary, [a.url]) as gw:
        c = anthropic.Anthropic(base_url=gw.url, api_key="sk-ant-fake-000", max_retries=2)
        try:
            ask(c)
            raise AssertionError("no error")
        except anthropic.APIStatusError as e:
            assert e.status_code == 502 and "529" in str(e), e
        assert len(a.received) == 1, f"{len(a.received)} requests"
    a = Upstream(error(400, "invalid_request_error", "messages.0: odd"))
    with Gateway(binary, [a.url]) as gw:
        try:
            ask(client(gw.url))
            raise AssertionError("no error")
        except anthropic.BadRequestError as e:
            assert "messages.0: odd" in str(e), e


def counting_and_models(binary, _claude):
    """Tokens are counted upstream; models are listed here."""
    a = Upstream(says("model-a-1", "x"))
    with Gateway(binary, [a.url], models=["claude-listed", "claude-*"]) as gw:
        c = client(gw.url)
        counted = c.messages.count_tokens(model="claude-listed", messages=[{"role": "user", "content": "hi"}])
        assert counted.input_tokens == 40, counted
        assert "claude-listed" in [m.id for m in c.models.list()]


CASES = [create, streaming, tools, images, a_failure_inside_a_stream_raises, errors_are_typed, counting_and_models]
