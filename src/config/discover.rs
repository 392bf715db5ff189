//! Looks at the machine for `config init`: names of variables, programs on `PATH`, local servers. Blocking.

use std::ffi::{OsStr, OsString};
use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

use serde_json::Value;
use tokio::time::Instant;

use super::init::{Found, Local};
use super::vendors::{LOCAL_PORTS, PRIMARY_VARIABLE, PROGRAMS, VENDORS};

#[cfg(test)]
mod tests;

/// How long a local server has to answer one question.
const PATIENCE: Duration = Duration::from_millis(200);

/// Most bytes of an answer that are read.
const MOST_BYTES: usize = 256 * 1024;

/// What this machine has to offer. `env` answers with the value of a variable; only whether a key is there is
/// looked at, never kept.
#[must_use]
pub fn discover(env: impl Fn(&str) -> Option<OsString>) -> Found {
    let set = |name: &&'static str| env(name).is_some_and(|value| !value.is_empty());
    let known = std::iter::once(PRIMARY_VARIABLE).chain(VENDORS.iter().map(|vendor| vendor.variable));
    let path = env("PATH").unwrap_or_default();
    Found {
        variables: known.filter(set).collect(),
        programs: PROGRAMS.iter().map(|(name, ..)| *name).filter(|name| on_path(&path, name)).collect(),
        locals: LOCAL_PORTS.iter().filter_map(|(name, port)| local(name, *port)).collect(),
    }
}

fn on_path(path: &OsStr, name: &str) -> bool {
    std::env::split_paths(path).any(|folder| {
        let file = std::fs::metadata(folder.join(name));
        file.is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
    })
}

/// The server on a port of loopback, where one lists its models there.
fn local(name: &'static str, port: u16) -> Option<Local> {
    let (status, body) = ask(port, "GET", "/v1/models", "")?;
    if status != 200 {
        return None;
    }
    let model = first_model(&body)?;
    // An empty request is refused by whoever knows the endpoint, and not found by whoever does not.
    let speaks_messages =
        ask(port, "POST", "/v1/messages", "{}").is_some_and(|(status, _)| matches!(status, 400 | 422));
    Some(Local { name, port, model, speaks_messages })
}

/// The first model of a list that writes text.
fn first_model(body: &str) -> Option<String> {
    let list: Value = serde_json::from_str(body).ok()?;
    let ids = list.get("data")?.as_array()?.iter().filter_map(|model| model.get("id")?.as_str());
    let fits = |id: &&str| (1..=256).contains(&id.len()) && id.bytes().all(|b| b.is_ascii_graphic());
    ids.filter(fits).find(|id| !id.contains("embed")).map(str::to_owned)
}

/// Status and body of one exchange on loopback; `None` where nobody answered in time.
fn ask(port: u16, method: &str, path: &str, body: &str) -> Option<(u16, String)> {
    let until = Instant::now().checked_add(PATIENCE)?;
    let left = || until.checked_duration_since(Instant::now()).filter(|left| !left.is_zero());
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    let mut stream = TcpStream::connect_timeout(&address, PATIENCE).ok()?;
    stream.set_write_timeout(Some(left()?)).ok()?;
    // HTTP/1.0, so that the answer is neither chunked nor kept open.
    let request = format!(
        "{method} {path} HTTP/1.0\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(request.as_bytes()).ok()?;
    let mut answer = Vec::new();
    let mut chunk = [0; 8192];
    loop {
        stream.set_read_timeout(Some(left()?)).ok()?;
        match stream.read(&mut chunk) {
            Ok(0) => break,
            Ok(read) => answer.extend_from_slice(chunk.get(..read)?),
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(_) => return None,
        }
        if answer.len() > MOST_BYTES {
            return None;
        }
        if is_whole(&answer) {
            break;
        }
    }
    let answer = String::from_utf8(answer).ok()?;
    let (head, body) = answer.split_once("\r\n\r\n")?;
    let status = head.strip_prefix("HTTP/1.")?.split_ascii_whitespace().nth(1)?.parse().ok()?;
    Some((status, body.to_owned()))
}

/// Whether an answer that says its length has it all; some servers leave the connection open anyway.
fn is_whole(answer: &[u8]) -> bool {
    let length = || {
        let at = memchr::memmem::find(answer, b"\r\n\r\n")?;
        let head = std::str::from_utf8(answer.get(..at)?).ok()?;
        let line = head.lines().find_map(|line| {
            let (name, value) = line.split_once(':')?;
            name.eq_ignore_ascii_case("content-length").then_some(value)
        })?;
        at.checked_add(4)?.checked_add(line.trim().parse::<usize>().ok()?)
    };
    length().is_some_and(|length| answer.len() >= length)
}
