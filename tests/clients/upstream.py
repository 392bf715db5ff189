"""A scripted upstream for the real clients, and a tap that records what a client sent. Standard library only."""
import json, socket, struct, threading


def event(data):
    return f"event: {data['type']}\ndata: {json.dumps(data)}\n\n"


def start(model):
    usage = {"input_tokens": 40, "output_tokens": 1}
    return event({"type": "message_start", "message": {"id": "msg_c", "type": "message", "role": "assistant", "model": model,
                  "content": [], "stop_reason": None, "stop_sequence": None, "usage": usage}})


def block(index, content):
    return event({"type": "content_block_start", "index": index, "content_block": content})


def delta(index, kind, **field):
    return event({"type": "content_block_delta", "index": index, "delta": {"type": kind, **field}})


def stop(index):
    return event({"type": "content_block_stop", "index": index})


def finish(reason):
    return event({"type": "message_delta", "delta": {"stop_reason": reason, "stop_sequence": None},
                  "usage": {"output_tokens": 9}}) + event({"type": "message_stop"})


def text_events(model, *pieces):
    return [start(model), block(0, {"type": "text", "text": ""}), *(delta(0, "text_delta", text=p) for p in pieces),
            stop(0), finish("end_turn")]


def tool_events(model, name, tool_input, whole=True):
    half = json.dumps(tool_input)
    cut = len(half) // 2
    events = [start(model), block(0, {"type": "tool_use", "id": "toolu_c1", "name": name, "input": {}}),
              delta(0, "input_json_delta", partial_json=half[:cut])]
    if whole:
        events += [delta(0, "input_json_delta", partial_json=half[cut:]), stop(0)]
    return events


def stream(events, end="clean"):
    return {"events": events, "end": end}


def message(model, content, reason="end_turn"):
    if isinstance(content, str):
        content = [{"type": "text", "text": content}]
    return {"json": {"id": "msg_c", "type": "message", "role": "assistant", "model": model, "content": content,
                     "stop_reason": reason, "stop_sequence": None, "usage": {"input_tokens": 40, "output_tokens": 9}}}


def says(model, text):
    """As a stream to who asked for one, whole to who did not."""
    return lambda body: stream(text_events(model, text)) if body.get("stream") else message(model, text)


def error(status, kind, text):
    return {"status": status, "json": {"type": "error", "error": {"type": kind, "message": text}}}


class Upstream:
    """Plays answers to POSTs in order, the last one again and again. An answer is a dict, or makes one from the body."""

    def __init__(self, *answers):
        self.answers, self.received, self.lock = answers, [], threading.Lock()
        self.sock = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.url = "http://127.0.0.1:%d" % self.sock.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                conn, _ = self.sock.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(conn,), daemon=True).start()

    def serve(self, conn):
        conn.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        rd = conn.makefile("rb")
        try:
            while (got := read_request(rd)) and self.answer(conn, got):
                pass
        except (OSError, ValueError):
            pass
        finally:
            conn.close()

    def answer(self, conn, got):
        if got["method"] != "POST" or "count_tokens" in got["path"]:
            body = b'{"input_tokens": 40, "data": []}' if got["method"] != "HEAD" else b""
            conn.sendall(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n%s" % (len(body), body))
            return True
        with self.lock:
            answer = self.answers[min(len(self.received), len(self.answers) - 1)]
            self.received.append(got)
        if callable(answer):
            answer = answer(json.loads(got["body"]))
        if "json" in answer:
            body = json.dumps(answer["json"]).encode()
            conn.sendall(b"HTTP/1.1 %d X\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n%s"
                         % (answer.get("status", 200), len(body), body))
            return True
        conn.sendall(b"HTTP/1.1 200 X\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n")
        for e in answer["events"]:
            data = e.encode()
            conn.sendall(b"%x\r\n%s\r\n" % (len(data), data))
        if answer["end"] == "reset":
            threading.Event().wait(0.2)     # what was written is read before the reset overtakes it
            conn.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        if answer["end"] != "clean":
            return False
        conn.sendall(b"0\r\n\r\n")
        return True


def read_request(rd):
    line = rd.readline()
    if not line.strip():
        return None
    method, path, _ = line.decode("latin-1").split(" ", 2)
    headers = []
    while (h := rd.readline().decode("latin-1").rstrip("\r\n")):
        name, value = h.split(":", 1)
        headers.append((name, value.strip()))
    low = {n.lower(): v for n, v in headers}
    if low.get("transfer-encoding", "").lower() == "chunked":
        body = b""
        while (n := int(rd.readline(), 16)):
            body += rd.read(n)
            rd.readline()
        rd.readline()
    else:
        body = rd.read(int(low.get("content-length", 0)))
    return {"method": method, "path": path, "headers": headers, "low": low, "body": body}


class Tap:
    """A TCP relay in front of `port` that records the requests that pass through it."""

    def __init__(self, port):
        self.port, self.received = port, []
        self.sock = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.url = "http://127.0.0.1:%d" % self.sock.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                conn, _ = self.sock.accept()
            except OSError:
                return
            threading.Thread(target=self.relay, args=(conn,), daemon=True).start()

    def relay(self, conn):
        there = socket.create_connection(("127.0.0.1", self.port))
        a, b = socket.socketpair()
        threading.Thread(target=self.record, args=(b,), daemon=True).start()
        threading.Thread(target=pump, args=(there, (conn,)), daemon=True).start()
        pump(conn, (there, a))

    def record(self, sock):
        rd = sock.makefile("rb")
        while (got := read_request(rd)):
            self.received.append(got)


def pump(source, targets):
    try:
        while (data := source.recv(65536)):
            for t in targets:
                t.sendall(data)
    except OSError:
        pass
    for t in targets:
        try:
            t.shutdown(socket.SHUT_WR)
        except OSError:
            pass
