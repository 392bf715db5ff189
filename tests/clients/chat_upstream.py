"""Answers of a chat-completions upstream, for the server in upstream.py. Standard library only."""
import json

from upstream import stream


USAGE = {"prompt_tokens": 40, "completion_tokens": 9, "total_tokens": 49}


def chunk(model, delta, finish=None, index=0):
    return "data: %s\n\n" % json.dumps({"id": "c-1", "object": "chat.completion.chunk", "created": 1, "model": model,
                                        "choices": [{"index": index, "delta": delta, "finish_reason": finish}]})


def call(model, index, arguments, call_id=None, name=None):
    """A piece of a call's arguments; its first piece carries the id and the name."""
    piece = {"index": index, "function": {"arguments": arguments}}
    if call_id:
        piece.update(id=call_id, type="function", function={"name": name, "arguments": arguments})
    return chunk(model, {"tool_calls": [piece]})


def finish(model, reason):
    """The last chunk, the counts, and the end of the stream."""
    counts = {"id": "c-1", "object": "chat.completion.chunk", "created": 1, "model": model, "choices": [], "usage": USAGE}
    return [chunk(model, {}, reason), f"data: {json.dumps(counts)}\n\n", "data: [DONE]\n\n"]


def text_chunks(model, *pieces):
    return [chunk(model, {"role": "assistant", "content": ""}), *(chunk(model, {"content": p}) for p in pieces)]


def call_chunks(model, *calls):
    """Parallel calls, (id, name, arguments) each, whose arguments come half by half and in turns; no last chunk."""
    texts = [json.dumps(arguments) for _, _, arguments in calls]
    first = [call(model, i, t[: len(t) // 2], c[0], c[1]) for i, (c, t) in enumerate(zip(calls, texts))]
    return first + [call(model, i, t[len(t) // 2:]) for i, t in enumerate(texts)]


def completion(model, *texts, calls=()):
    """A whole answer: a choice for each text, or one that calls (id, name, arguments)."""
    made = [{"id": i, "type": "function", "function": {"name": n, "arguments": json.dumps(a)}} for i, n, a in calls]
    messages = [{"role": "assistant", "content": t} for t in texts] or [{"role": "assistant", "content": None, "tool_calls": made}]
    reason = "tool_calls" if calls else "stop"
    choices = [{"index": i, "message": m, "finish_reason": reason, "logprobs": None} for i, m in enumerate(messages)]
    return {"json": {"id": "c-1", "object": "chat.completion", "created": 1, "model": model, "choices": choices, "usage": USAGE}}


def says(model, text):
    """As a stream to who asked for one, whole to who did not."""
    def answer(body):
        return stream(text_chunks(model, text) + finish(model, "stop")) if body.get("stream") else completion(model, text)
    return answer


def calls_then_says(model, calls, text):
    """Calls tools; once their results have come, says the last word."""
    def answer(body):
        if any(m["role"] == "tool" for m in body["messages"]):
            return says(model, text)(body)
        if body.get("stream"):
            return stream(call_chunks(model, *calls) + finish(model, "tool_calls"))
        return completion(model, calls=calls)
    return answer


def results(body):
    """Each tool result of a request by the id of its call."""
    return {m["tool_call_id"]: flat(m["content"]) for m in body["messages"] if m["role"] == "tool"}


def flat(content):
    return content if isinstance(content, str) else "".join(p.get("text", "") for p in content)
