"""The real binary in a home of its own, for the real clients. Standard library only."""
import http.client, json, os, re, shutil, subprocess, tempfile, time
from pathlib import Path

FAKE_KEYS = {"KEY_A": "sk-test-a-000", "KEY_B": "sk-test-b-000"}


def chat(url, **seat):
    """A seat that speaks chat completions, with these fields of its own."""
    return {"wire": "openai", "base_url": f"{url}/v1", "seat": seat}


def messages(url):
    """A seat that speaks Anthropic messages."""
    return {"wire": "anthropic", "base_url": url, "seat": {}}


class Gateway:
    """Serves one route over these seats, in order, a bare URL being an Anthropic one; one attempt a seat."""

    def __init__(self, binary, seats, **route):
        self.home = Path(tempfile.mkdtemp(prefix="sanctum-client-"))
        seats = dict(zip("ab", [messages(s) if isinstance(s, str) else s for s in seats]))
        config = {
            "providers": {n: {"wire": s["wire"], "base_url": s["base_url"], "key": f"env:KEY_{n.upper()}"} for n, s in seats.items()},
            "seats": {n: {"provider": n, "model": f"model-{n}", "max_prompt_tokens": 1_000_000, "ttfb_timeout_secs": 10, **s["seat"]}
                      for n, s in seats.items()},
            "routes": [{"name": "main", "models": ["*"], "chain": list(seats), "deadline_secs": 60,
                        "retry": {"max_attempts_per_seat": 1, "backoff_ms": 10}, "cooldown": {"allowed_fails": 0}, **route}],
        }
        (self.home / "config.yaml").write_text(json.dumps(config))
        env = {"PATH": os.environ["PATH"], "HOME": str(self.home), "SANCTUM_HOME": str(self.home), "NO_COLOR": "1", **FAKE_KEYS}
        self.log = open(self.home / "serve.log", "wb")
        self.proc = subprocess.Popen([binary, "serve", "--listen", "127.0.0.1:0"], env=env, cwd=self.home,
                                     stdout=subprocess.DEVNULL, stderr=self.log)
        self.port = self.wait_port()
        self.url = f"http://127.0.0.1:{self.port}"

    def wait_port(self):
        end = time.monotonic() + 20
        while time.monotonic() < end and self.proc.poll() is None:
            m = re.search(r"listening.*?addr=\"?127\.0\.0\.1:(\d+)", self.text())
            if m:
                return int(m[1])
            time.sleep(0.02)
        raise AssertionError("serve did not start:\n" + self.text())

    def text(self):
        return (self.home / "serve.log").read_text(errors="replace")

    def attempts(self, n):
        end, path = time.monotonic() + 2, self.home / "attempts" / "attempts.jsonl"
        while True:
            lines = [json.loads(l) for l in path.read_text().splitlines()] if path.exists() else []
            if len(lines) >= n or time.monotonic() > end:
                return lines
            time.sleep(0.05)

    def healthy(self):
        c = http.client.HTTPConnection("127.0.0.1", self.port, timeout=5)
        c.request("GET", "/health")
        return c.getresponse().status == 200

    def __enter__(self):
        return self

    def __exit__(self, *failure):
        self.proc.terminate()
        try:
            self.proc.wait(15)
        except subprocess.TimeoutExpired:
            self.proc.kill()
            self.proc.wait()
        self.log.close()
        shutil.rmtree(self.home, ignore_errors=True)
