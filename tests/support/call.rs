//! One request, as its bytes go out, and the reply, as its bytes came in.

use std::net::SocketAddr;
use std::time::Duration;

use serde_json::Value;

use super::fold::{Folded, fold};
use super::live::Live;

/// A request in the making. Header names and order are sent as given.
#[derive(Clone)]
pub(crate) struct Call {
    pub(crate) method: String,
    pub(crate) path: String,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Call {
    /// `POST` of a body as it stands.
    pub(crate) fn bytes(path: &str, body: impl Into<Vec<u8>>) -> Self {
        Self { method: "POST".into(), path: path.into(), headers: Vec::new(), body: body.into() }
            .with("content-type", "application/json")
    }

    /// `POST` of JSON.
    pub(crate) fn post(path: &str, body: &Value) -> Self {
        Self::bytes(path, body.to_string())
    }

    /// `POST /v1/messages` as an Anthropic client sends it, with a key of its own.
    pub(crate) fn messages(body: &Value) -> Self {
        Self::post("/v1/messages", body)
            .with("anthropic-version", "2023-06-01")
            .with("x-api-key", "sk-caller-own-key")
    }

    /// `GET`.
    pub(crate) fn get(path: &str) -> Self {
        Self { method: "GET".into(), path: path.into(), headers: Vec::new(), body: Vec::new() }
    }

    /// Another method.
    pub(crate) fn method(mut self, method: &str) -> Self {
        self.method = method.into();
        self
    }

    /// Adds a header; one of the same name is replaced.
    pub(crate) fn with(mut self, name: &str, value: &str) -> Self {
        self.headers.retain(|(n, _)| !n.eq_ignore_ascii_case(name));
        self.headers.push((name.into(), value.into()));
        self
    }

    /// Leaves a header out.
    pub(crate) fn without(mut self, name: &str) -> Self {
        self.headers.retain(|(n, _)| !n.eq_ignore_ascii_case(name));
        self
    }

    /// The head as it is sent; `host` and `content-length` are added where they are not given.
    pub(crate) fn head(&self, addr: SocketAddr) -> String {
        let has = |name: &str| self.headers.iter().any(|(n, _)| n.eq_ignore_ascii_case(name));
        let mut head = format!("{} {} HTTP/1.1\r\n", self.method, self.path);
        if !has("host") {
            head.push_str(&format!("host: {addr}\r\n"));
        }
        if !has("content-length") && !has("transfer-encoding") && !matches!(&*self.method, "GET" | "HEAD") {
            head.push_str(&format!("content-length: {}\r\n", self.body.len()));
        }
        for (name, value) in &self.headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        head.push_str("\r\n");
        head
    }

    /// Sends it whole; the reply is still to be read.
    pub(crate) fn open(&self, addr: SocketAddr) -> Live {
        let mut live = Live::connect(addr);
        live.send(self.head(addr).as_bytes());
        live.send(&self.body);
        live.is_head = self.method == "HEAD";
        live
    }

    /// Sends it and reads the whole reply.
    pub(crate) fn send(&self, addr: SocketAddr) -> Reply {
        self.open(addr).reply()
    }
}

/// A reply.
#[derive(Debug, Clone)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
    /// The connection ended before the reply did.
    pub(crate) is_cut: bool,
    /// From the connection's opening to the reply's end.
    pub(crate) elapsed: Duration,
}

impl Reply {
    /// The value of a header.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(n, _)| n.eq_ignore_ascii_case(name)).map(|(_, v)| v.as_str())
    }

    /// The route chain's header.
    pub(crate) fn chain(&self) -> &str {
        self.header("x-sanctum-route-chain").unwrap_or("(no route chain)")
    }

    /// The body as text.
    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.body).expect("a UTF-8 body")
    }

    /// The body as JSON.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|e| panic!("{e} in body {:?}", self.text()))
    }

    /// Fails with the body unless the status is this one.
    pub(crate) fn expect(self, status: u16) -> Self {
        assert_eq!(self.status, status, "{} {}", self.chain(), self.text());
        self
    }

    /// The body as a stream.
    pub(crate) fn folded(&self) -> Folded {
        fold(&self.body)
    }

    /// `error.message` of an error body.
    pub(crate) fn message(&self) -> String {
        self.json()["error"]["message"].as_str().unwrap_or_else(|| panic!("{}", self.text())).into()
    }

    /// Fails unless this is an Anthropic error of that kind, with no content in it.
    pub(crate) fn expect_error(self, status: u16, kind: &str) -> Self {
        let reply = self.expect(status);
        let body = reply.json();
        assert_eq!(body["type"], "error", "{body}");
        assert_eq!(body["error"]["type"], kind, "{body}");
        assert!(body["error"]["message"].is_string(), "{body}");
        assert!(body.get("content").is_none() && body.get("choices").is_none(), "{body}");
        reply
    }
}
