use std::io::{Read, Write};
use std::net::TcpListener;

use super::*;

#[test]
fn a_sanctum_is_told_from_others() {
    let at = |text: &str| read(text.as_bytes());
    assert_eq!(at(r#"{"name":"sanctum","draining":false,"drain_secs":5}"#), Incumbent::Healthy);
    let five = Incumbent::Draining(Duration::from_secs(5));
    assert_eq!(at(r#"{"name":"sanctum","draining":true,"drain_secs":5,"more":1}"#), five);
    for other in ["", "{}", r#"{"name":"nginx","draining":false,"drain_secs":5}"#, r#"{"name":"sanctum"}"#] {
        assert_eq!(at(other), Incumbent::Other, "{other}");
    }
}

#[test]
fn no_drain_time_is_longer_than_a_configuration_can_set() {
    let text = format!(r#"{{"name":"sanctum","draining":true,"drain_secs":{}}}"#, u64::MAX);
    assert_eq!(read(text.as_bytes()), Incumbent::Draining(LONGEST_DRAIN));
}

#[tokio::test]
async fn an_answer_without_end_is_not_read_to_its_end() {
    outbound::init();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let flood = std::thread::spawn(move || {
        let (mut socket, _) = listener.accept().unwrap();
        assert!(socket.read(&mut [0; 1024]).unwrap() > 0);
        let health = br#"{"name":"sanctum","draining":false,"drain_secs":5}"#;
        socket.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 1000000000\r\n\r\n").unwrap();
        socket.write_all(health).unwrap();
        let mut sent = 0_usize;
        while sent < 1_000_000_000 && socket.write_all(&[b' '; 65_536]).is_ok() {
            sent += 65_536;
        }
        sent
    });
    assert_eq!(ask(&address).await, Incumbent::Other);
    let sent = tokio::task::spawn_blocking(|| flood.join().unwrap()).await.unwrap();
    assert!(sent < 100_000_000, "{sent} bytes were taken");
}
