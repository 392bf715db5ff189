use super::*;
use crate::gateway::fixture::{Act, piped};
use http::HeaderValue;
use tokio::time::sleep;

const BODY: &str = r#"{"model":"claude-x","max_tokens":5,"messages":[{"role":"user","content":"hello"}]}"#;

#[tokio::test(start_paused = true)]
async fn a_body_in_single_bytes_keeps_its_spans() {
    let (client, body) = piped();
    for at in 0..BODY.len() {
        client.send(Act::Say(BODY.get(at..=at).unwrap())).unwrap();
    }
    drop(client);
    let intake = read(body, &HeaderMap::new(), Endpoint::Messages, 1000).await.unwrap();
    let whole = intake.frames.concat();
    assert_eq!(whole, BODY.as_bytes());
    let span = intake.facts.model_span;
    let (start, end) = (usize::try_from(span.start).unwrap(), usize::try_from(span.end).unwrap());
    assert_eq!(whole.get(start..end), Some(b"\"claude-x\"".as_slice()));
    assert!(intake.frames.len() <= 2, "{} frames", intake.frames.len());
}

#[tokio::test(start_paused = true)]
async fn a_trickle_is_a_408() {
    let (client, body) = piped();
    let trickle = async {
        for at in 0..BODY.len() {
            client.send(Act::Say(BODY.get(at..=at).unwrap())).ok();
            sleep(Duration::from_secs(29)).await;
        }
        std::future::pending::<()>().await;
    };
    let headers = HeaderMap::new();
    let read = read(body, &headers, Endpoint::Messages, 1000);
    let refused =
        tokio::select! { read = read => read.map(|_| ()).unwrap_err(), () = trickle => panic!("no end") };
    assert_eq!(refused.status, 408, "{}", refused.message);
}

#[test]
fn a_length_is_judged_before_the_body() {
    let with =
        |text: &'static str| HeaderMap::from_iter([(header::CONTENT_LENGTH, HeaderValue::from_static(text))]);
    assert!(says_too_large(&with("11"), 10));
    assert!(!says_too_large(&with("10"), 10));
    assert!(!says_too_large(&HeaderMap::new(), 10));
}
