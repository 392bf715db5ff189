"""Real Claude Code through the gateway, against scripted upstreams. Each case says what a user would notice."""
import json, os, shutil, subprocess, tempfile
from pathlib import Path

from gateway import Gateway
from upstream import Tap, Upstream, block, delta, error, event, finish, says, start, stop, stream, text_events, tool_events

DEAD = "http://127.0.0.1:9"


class Run:
    """One `claude -p` in an empty home and folder; it reaches nothing but loopback."""

    def __init__(self, claude, base_url, prompt="Do it.", model="claude-sonnet-4-5", args=(), retries=2):
        self.work = Path(tempfile.mkdtemp(prefix="sanctum-claude-"))
        (self.work / "home").mkdir()
        (self.work / "project").mkdir()
        self.mark = self.work / "mark"
        env = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(self.work / "home"), "LANG": "C.UTF-8", "TERM": "dumb",
               "ANTHROPIC_BASE_URL": base_url, "ANTHROPIC_API_KEY": "sk-ant-fake-000", "MARK": str(self.mark),
               "HTTPS_PROXY": DEAD, "HTTP_PROXY": DEAD, "NO_PROXY": "127.0.0.1,localhost", "DISABLE_AUTOUPDATER": "1",
               "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "CLAUDE_CODE_MAX_RETRIES": str(retries)}
        command = [claude, "-p", "--output-format", "json", "--model", model, "--allowedTools", "Bash", *args]
        self.proc = subprocess.Popen(command, env=env, cwd=self.work / "project", text=True, stdin=subprocess.PIPE,
                                     stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        try:
            self.out, self.err = self.proc.communicate(prompt, timeout=120)
        except subprocess.TimeoutExpired:
            self.proc.kill()
            self.out, self.err = self.proc.communicate()
            raise AssertionError(f"claude took over 120 s: {self.out[-500:]} {self.err[-500:]}")
        lines = [json.loads(l) for l in self.out.splitlines() if l.startswith("{")]
        self.result = next((l for l in reversed(lines) if l.get("type") == "result"), {})

    def marks(self):
        return self.mark.read_text().splitlines() if self.mark.exists() else []

    def ok(self, text):
        assert self.proc.returncode == 0 and self.result.get("is_error") is False, f"{self.out[-800:]} {self.err[-400:]}"
        assert self.result.get("stop_reason") != "error", self.result
        assert text in self.result.get("result", ""), self.result.get("result")
        shutil.rmtree(self.work, ignore_errors=True)


def mark(word):
    return {"command": f"echo {word} >> $MARK", "description": "Leave a mark"}


def tool_turn(model):
    """First a Bash call that leaves a mark, then the last word."""
    def answer(body):
        done = any(b.get("type") == "tool_result" for m in body["messages"] if isinstance(m["content"], list) for b in m["content"])
        if done:
            return stream(text_events(model, "All ", "done here."))
        return stream(tool_events(model, "Bash", mark("ran")) + [finish("tool_use")])
    return answer


def first_seat_dead(binary, claude):
    """The first seat is down: a turn that uses a tool finishes on the second, and the client notices nothing."""
    b = Upstream(tool_turn("model-b-1"))
    with Gateway(binary, [DEAD, b.url]) as gw:
        run = Run(claude, gw.url)
        marks = run.marks()
        run.ok("All done here.")
        assert marks == ["ran"], marks
        assert len(b.received) == 2, len(b.received)
        pairs = [(r["seat"], r["class"]) for r in gw.attempts(4)]
        assert pairs == [("a", "network"), ("b", "ok")] * 2, pairs


def first_seat_overloaded(binary, claude):
    """The first seat answers 529: the same, and without the client's own retries."""
    a, b = Upstream(error(529, "overloaded_error", "Overloaded")), Upstream(tool_turn("model-b-1"))
    with Gateway(binary, [a.url, b.url]) as gw:
        run = Run(claude, gw.url, model="claude-opus-5-5", retries=0)
        marks = run.marks()
        run.ok("All done here.")
        assert marks == ["ran"], marks
        assert (len(a.received), len(b.received)) == (2, 2), (len(a.received), len(b.received))


def dies_after_a_tool_call_began(binary, claude):
    """The upstream dies inside a tool call: the tool does not run, and the client asks again."""
    for end in ("fin", "reset"):
        cut = stream(tool_events("model-a-1", "Bash", mark("never"), whole=False), end)
        a = Upstream(cut, says("model-a-1", "Recovered."))
        with Gateway(binary, [a.url]) as gw:
            run = Run(claude, gw.url)
            marks = run.marks()
            run.ok("Recovered.")
            assert marks == [], f"{end}: the half tool call ran: {marks}"
            first = gw.attempts(2)[0]
            assert (first["outcome"], first["class"]) == ("partial", "truncated_stream"), first


def dies_after_a_tool_call_ended(binary, claude):
    """The upstream dies after a whole tool call: it ran once, and the turn goes on with its result."""
    cut = stream(tool_events("model-a-1", "Bash", mark("once")), "fin")
    a = Upstream(cut, says("model-a-1", "Went on."))
    with Gateway(binary, [a.url]) as gw:
        run = Run(claude, gw.url)
        marks = run.marks()
        run.ok("Went on.")
        assert marks == ["once"], marks
        results = [b for m in json.loads(a.received[1]["body"])["messages"] if isinstance(m["content"], list)
                   for b in m["content"] if b.get("type") == "tool_result"]
        assert len(results) == 1 and results[0]["tool_use_id"] == "toolu_c1", results


def beta_shedding(binary, claude):
    """The upstream refuses a beta: its words reach the client, which leaves that beta out and asks again."""
    beta = "context-management-2025-06-27"
    refusal = error(400, "invalid_request_error", f"Unexpected value(s) `{beta}` for the `anthropic-beta` header.")
    a, b = Upstream(refusal, says("model-a-1", "Shed.")), Upstream(says("model-b-1", "wrong seat"))
    with Gateway(binary, [a.url, b.url]) as gw:
        Run(claude, gw.url).ok("Shed.")
        sent = [r["low"].get("anthropic-beta", "") for r in a.received]
        assert len(sent) == 2 and beta in sent[0] and beta not in sent[1], sent
        assert "context_management" in json.loads(a.received[0]["body"]), "the field came with its beta"
        assert "context_management" not in json.loads(a.received[1]["body"]), "the field went with its beta"
        assert not b.received, "a client error goes no further"
        assert [r["class"] for r in gw.attempts(2)] == ["client_error", "ok"]


def body_arrives_as_sent(binary, claude):
    """What arrives upstream is what the client sent, byte for byte, but for the model; headers too, but for the key."""
    for model in ("claude-sonnet-4-5", "claude-opus-5-5", "my-own-alias"):
        a = Upstream(tool_turn("model-a-1"))
        with Gateway(binary, [a.url]) as gw:
            tap = Tap(gw.port)
            Run(claude, tap.url, model=model).ok("All done here.")
            sent = [r for r in tap.received if r["path"].startswith("/v1/messages?")]
            assert len(sent) == len(a.received) == 2, (len(sent), len(a.received))
            for left, came in zip(sent, a.received):
                assert left["body"].count(f'"model":"{model}"'.encode()) >= 1, "the model as it is written"
                want = left["body"].replace(f'"model":"{model}"'.encode(), b'"model":"model-a"', 1)
                assert came["body"] == want, f"{model}: the body changed on the way"
                assert came["path"] == left["path"], (came["path"], left["path"])
                for name in ("anthropic-beta", "anthropic-version", "content-type", "anthropic-dangerous-direct-browser-access"):
                    assert came["low"].get(name) == left["low"].get(name), (name, came["low"].get(name), left["low"].get(name))
                assert came["low"]["x-api-key"] == "sk-test-a-000" and "authorization" not in came["low"], "the seat's own key"


def error_after_text_is_seen(binary, claude):
    """A stream that breaks after some text is never taken for a whole answer."""
    half = [start("model-a-1"), block(0, {"type": "text", "text": ""}), delta(0, "text_delta", text="Half of")]
    a = Upstream(stream(half, "fin"), says("model-a-1", "Whole answer."))
    with Gateway(binary, [a.url]) as gw:
        Run(claude, gw.url).ok("Whole answer.")
        assert len(a.received) >= 2, len(a.received)


CASES = [first_seat_dead, first_seat_overloaded, dies_after_a_tool_call_began, dies_after_a_tool_call_ended,
         beta_shedding, body_arrives_as_sent, error_after_text_is_seen]
