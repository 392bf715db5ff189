"""Real Claude Code with an Anthropic seat that is down and a chat-completions seat behind it."""
import json

from chat_upstream import call_chunks, calls_then_says, chunk, results, says
from claude_code import DEAD, Run, mark
from gateway import Gateway, chat
from upstream import Upstream, stream

BASH = ("call_1", "Bash", mark("ran"))


def speak(word):
    """Leaves a mark, and has a result of its own."""
    return {"command": f"echo {word} >> $MARK && echo said-{word}", "description": f"Leave the mark {word}"}


def a_tool_turn_finishes(binary, claude):
    """A turn that uses a tool finishes on a chat seat, for each dialect of the client; the tool runs once."""
    for model in ("claude-sonnet-4-5", "claude-opus-5-5", "my-own-alias"):
        b = Upstream(calls_then_says("chat-b-1", [BASH], "All done here."))
        with Gateway(binary, [DEAD, chat(b.url)]) as gw:
            run = Run(claude, gw.url, model=model)
            marks = run.marks()
            run.ok("All done here.")
            assert marks == ["ran"], (model, marks)
            assert [r["path"] for r in b.received] == ["/v1/chat/completions"] * 2, [r["path"] for r in b.received]
            pairs = [(r["seat"], r["class"]) for r in gw.attempts(4)]
            assert pairs == [("a", "network"), ("b", "ok")] * 2, pairs
            for r in b.received:
                assert r["low"]["authorization"] == "Bearer sk-test-b-000", "the seat's own key"
                assert "x-api-key" not in r["low"] and not any(n.startswith("anthropic-") for n in r["low"]), r["headers"]
                body = json.loads(r["body"])
                assert body["model"] == "model-b" and "Bash" in [t["function"]["name"] for t in body["tools"]], body["model"]
            assert list(results(body)) == ["call_1"], (model, results(body))


def parallel_calls_run_once_each(binary, claude):
    """Two calls whose pieces come in turns: each runs once with its own arguments and gets its own result."""
    calls = [("call_1", "Bash", speak("one")), ("call_2", "Bash", speak("two"))]
    b = Upstream(calls_then_says("chat-b-1", calls, "Both ran."))
    with Gateway(binary, [DEAD, chat(b.url)]) as gw:
        run = Run(claude, gw.url)
        marks = run.marks()
        run.ok("Both ran.")
        assert sorted(marks) == ["one", "two"], marks
        assert len(b.received) == 2, len(b.received)
        got = results(json.loads(b.received[1]["body"]))
        assert sorted(got) == ["call_1", "call_2"], got
        assert "said-one" in got["call_1"] and "said-two" in got["call_2"], got


def dies_inside_a_tool_call(binary, claude):
    """The chat seat dies inside a call, or before it said that its calls are whole: no tool runs, the turn recovers."""
    one = call_chunks("chat-b-1", BASH)
    two = call_chunks("chat-b-1", BASH, ("call_2", "Bash", mark("also")))
    for name, pieces in (("half", one[:1]), ("not closed", one), ("half of two", two[:3])):
        for end in ("clean", "fin", "reset"):
            b = Upstream(stream([chunk("chat-b-1", {"role": "assistant", "content": None})] + pieces, end),
                         says("chat-b-1", "Recovered."))
            with Gateway(binary, [DEAD, chat(b.url)]) as gw:
                run = Run(claude, gw.url)
                marks = run.marks()
                run.ok("Recovered.")
                assert marks == [], f"{name}, {end}: a call that broke off ran: {marks}"
                first = next(r for r in gw.attempts(4) if r["seat"] == "b")
                assert (first["outcome"], first["class"]) == ("partial", "truncated_stream"), (name, end, first)


CASES = [a_tool_turn_finishes, parallel_calls_run_once_each, dies_inside_a_tool_call]
