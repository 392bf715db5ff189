use std::io::Write;

use tokio::net::TcpListener;

use super::*;

#[tokio::test]
async fn a_panic_is_a_500_of_that_request_alone_in_its_own_shape() {
    let asked = (Dialect::OpenAi, Arc::from("req_mine"));
    let answer = guarded(asked, async { panic!("a bug") }).await;
    assert_eq!(answer.status(), 500);
    assert_eq!(answer.headers()["x-sanctum-request-id"], "req_mine");
    let body = http_body_util::BodyExt::collect(answer.into_body()).await.unwrap().to_bytes();
    let body: serde_json::Value = serde_json::from_slice(&body).unwrap();
    assert!(body["type"].is_null() && body["error"]["message"].is_string(), "OpenAI's shape: {body}");
}

#[test]
fn a_connections_task_is_small() {
    fn size<F>(_: fn(TcpStream, Arc<Worker>, CancellationToken) -> F) -> usize {
        size_of::<F>()
    }
    // Every open stream has one.
    assert!(size(serve) <= 2048, "{} bytes", size(serve));
}

#[tokio::test]
async fn what_came_before_the_end_is_looked_at() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let stop = CancellationToken::new();
    stop.cancel();
    // Often enough for whatever is chosen by chance.
    for _ in 0..50 {
        let mut client = std::net::TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        client.write_all(b"GET /").unwrap();
        let (stream, _) = listener.accept().await.unwrap();
        assert_eq!(protocol(&stream, &stop).await, Some(false));
    }
    let _silent = std::net::TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    let (stream, _) = listener.accept().await.unwrap();
    let began = Instant::now();
    assert_eq!(protocol(&stream, &stop).await, None);
    assert!(began.elapsed() < FIRST_BYTES / 2, "{:?}", began.elapsed());
}
