use std::net::TcpListener;
use std::thread;

use super::*;

/// Answers each connection with the next of `answers`, then closes it.
fn server(answers: Vec<String>) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        for answer in answers {
            let (mut stream, _) = listener.accept().unwrap();
            let mut request = [0; 1024];
            let read = stream.read(&mut request).unwrap();
            assert!(read > 0);
            stream.write_all(answer.as_bytes()).unwrap();
        }
    });
    port
}

fn answer(status: &str, body: &str) -> String {
    format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\n\r\n{body}", body.len())
}

const MODELS: &str = r#"{"object":"list","data":[{"id":"nomic-embed-text"},{"id":"qwen3:8b"}]}"#;

#[test]
fn a_server_that_lists_models_is_found_and_asked_what_it_speaks() {
    for (said, speaks) in
        [("400 Bad Request", true), ("422 No", true), ("404 Not Found", false), ("200 OK", false)]
    {
        let port = server(vec![answer("200 OK", MODELS), answer(said, "{}")]);
        let found = local("ollama", port).unwrap();
        assert_eq!(found, Local { name: "ollama", port, model: "qwen3:8b".into(), speaks_messages: speaks });
    }
}

#[test]
fn what_is_no_model_server_is_not_found() {
    for said in [
        answer("404 Not Found", MODELS),
        answer("200 OK", "<html></html>"),
        answer("200 OK", r#"{"data":[]}"#),
        answer("200 OK", r#"{"data":[{"id":"a b"},{"id":7}]}"#),
        "garbage".into(),
        String::new(),
        "x".repeat(MOST_BYTES + 10),
    ] {
        assert_eq!(local("ollama", server(vec![said])), None);
    }
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    assert_eq!(local("ollama", free), None);
}

/// A server that says nothing costs its patience, once.
#[test]
fn a_silent_server_is_not_waited_for() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let before = Instant::now();
    assert_eq!(local("ollama", listener.local_addr().unwrap().port()), None);
    assert!(before.elapsed() < Duration::from_secs(5));
}

#[test]
fn names_of_keys_and_programs_are_found_by_name_alone() {
    let folder = tempfile::tempdir().unwrap();
    for (name, mode) in [("claude", 0o755), ("codex", 0o644)] {
        let path = folder.path().join(name);
        std::fs::File::create(&path).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
    }
    let env = |name: &str| match name {
        "PATH" => Some(folder.path().as_os_str().to_owned()),
        "OPENAI_API_KEY" => Some("fake".into()),
        "ANTHROPIC_API_KEY" => Some("".into()),
        _ => None,
    };
    let found = discover(env);
    assert_eq!(found.variables, ["OPENAI_API_KEY"]);
    assert_eq!(found.programs, ["claude"]);
    assert!(!format!("{found:?}").contains("fake"));
}
