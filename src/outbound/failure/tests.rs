use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpSocket, TcpStream};

use super::*;
use crate::outbound::client;

const QUERY: &str = "?key=sk-test-in-url";

async fn failure_of(url: String) -> Failure {
    let client = client(Duration::from_secs(3)).unwrap();
    let error = client.post(format!("{url}{QUERY}")).body("{}").send().await.unwrap_err();
    let failure = describe(&error);
    assert!(!failure.text.contains("sk-test"), "{failure:?}");
    assert!(!failure.text.contains("http://"), "{failure:?}");
    failure
}

/// A server on loopback that treats its first connection so.
async fn server<F: Future<Output = ()> + Send + 'static>(
    treat: impl FnOnce(TcpStream) -> F + Send + 'static,
) -> std::net::SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    crate::process::Tasks::new().spawn(async move {
        let (stream, _) = listener.accept().await.unwrap();
        treat(stream).await;
    });
    address
}

#[tokio::test]
async fn refused() {
    // Bound and not listening: refused, and nobody else gets the port.
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let address = socket.local_addr().unwrap();
    let failure = failure_of(format!("http://{address}/")).await;
    assert_eq!(failure.kind, FailureKind::Connect, "{failure:?}");
    assert!(failure.text.contains("refused"), "{failure:?}");
}

#[tokio::test]
async fn reset_after_the_request() {
    let address = server(|mut stream| async move {
        stream.read_exact(&mut [0; 10]).await.unwrap();
        stream.set_zero_linger().unwrap();
    })
    .await;
    let failure = failure_of(format!("http://{address}/")).await;
    assert_eq!(failure.kind, FailureKind::Reset, "{failure:?}");
}

#[tokio::test]
async fn closed_before_an_answer() {
    let address = server(|mut stream| async move {
        let mut request = [0; 4096];
        while stream.read(&mut request).await.is_ok_and(|n| n == request.len()) {}
    })
    .await;
    let failure = failure_of(format!("http://{address}/")).await;
    assert_eq!(failure.kind, FailureKind::Eof, "{failure:?}");
}

#[tokio::test]
async fn tls_to_a_plain_port() {
    let address = server(|mut stream| async move {
        stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").await.unwrap();
        stream.read_to_end(&mut Vec::new()).await.ok();
    })
    .await;
    let failure = failure_of(format!("https://{address}/")).await;
    assert_eq!(failure.kind, FailureKind::Tls, "{failure:?}");
}

#[tokio::test]
async fn tls_to_a_port_that_closes() {
    let address = server(|mut stream| async move {
        stream.read_exact(&mut [0; 10]).await.unwrap();
        let mut rest = [0; 4096];
        while stream.read(&mut rest).await.is_ok_and(|n| n == rest.len()) {}
    })
    .await;
    let failure = failure_of(format!("https://{address}/")).await;
    assert_eq!(failure.kind, FailureKind::Tls, "{failure:?}");
}

#[tokio::test]
async fn a_name_without_address() {
    let failure = failure_of("http://nope.invalid/".to_owned()).await;
    assert_eq!(failure.kind, FailureKind::Dns, "{failure:?}");
}

#[tokio::test]
async fn an_answer_that_is_no_http() {
    let address = server(|mut stream| async move {
        stream.write_all(b"SSH-2.0-OpenSSH_9.2\r\n").await.unwrap();
        stream.read_to_end(&mut Vec::new()).await.ok();
    })
    .await;
    let failure = failure_of(format!("http://{address}/")).await;
    assert_eq!(failure.kind, FailureKind::Other, "{failure:?}");
}

#[tokio::test]
async fn a_body_that_breaks_off() {
    let address = server(|mut stream| async move {
        stream.read_exact(&mut [0; 10]).await.unwrap();
        stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc").await.unwrap();
    })
    .await;
    let client = client(Duration::from_secs(3)).unwrap();
    let answer = client.get(format!("http://{address}/{QUERY}")).send().await.unwrap();
    let failure = describe(&answer.bytes().await.unwrap_err());
    assert!(matches!(failure.kind, FailureKind::Eof | FailureKind::Reset), "{failure:?}");
    assert!(!failure.text.contains("sk-test"), "{failure:?}");
}

#[tokio::test]
async fn no_connection_in_time() {
    // A listener whose queue is full does not answer: nobody accepts, and two wait already.
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let address = socket.local_addr().unwrap();
    let _listener = socket.listen(1).unwrap();
    let mut waiting = Vec::new();
    for _ in 0..4 {
        waiting.push(tokio::time::timeout(Duration::from_millis(100), TcpStream::connect(address)).await);
    }
    let client = client(Duration::from_millis(200)).unwrap();
    let error = client.get(format!("http://{address}/{QUERY}")).send().await.unwrap_err();
    assert_eq!(describe(&error).kind, FailureKind::ConnectTimeout, "{error:?}");
}
