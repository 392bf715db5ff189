use std::io::{Read, Write};
use std::net::TcpListener;
use std::time::Duration;

use super::*;
use crate::gateway::fixture;

fn pair() -> (Socket, Socket) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let client = Socket::connect(listener.local_addr().unwrap()).unwrap();
    let (server, _) = listener.accept().unwrap();
    server.set_nonblocking(true).unwrap();
    client.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    (client, server)
}

fn core(sender: UnboundedSender<Given>) -> Core {
    Core { sender, open: Arc::new(AtomicUsize::new(0)), tasks: Tasks::new() }
}

#[test]
fn a_thread_that_ended_gets_nothing_and_a_count_does_not_leak() {
    let (dead, gone) = unbounded_channel();
    drop(gone);
    let (alive, mut taken) = unbounded_channel();
    let cores = [core(dead), core(alive)];
    cores[1].open.store(5, Ordering::Relaxed);
    let (mut client, server) = pair();
    give(server, &cores);
    assert!(taken.try_recv().is_ok(), "the living thread has it, busy as it is");
    assert_eq!(cores[1].open.load(Ordering::Relaxed), 5, "and it is counted until it is dropped");
    assert_eq!(client.read(&mut [0]).unwrap(), 0, "which closes it");
    let (_client, server) = pair();
    drop(taken);
    give(server, &cores);
    assert_eq!(cores[0].open.load(Ordering::Relaxed), 0);
    assert_eq!(cores[1].open.load(Ordering::Relaxed), 5);
}

#[tokio::test]
async fn sockets_on_their_way_are_served_before_the_end() {
    let cores = start(&fixture::shared("", "")).unwrap();
    let mut clients: Vec<Socket> = (0..20)
        .map(|_| {
            let (mut client, server) = pair();
            client.write_all(b"GET /api/hello HTTP/1.1\r\nhost: localhost\r\n\r\n").unwrap();
            give(server, &cores);
            client
        })
        .collect();
    finish(cores).await;
    for client in &mut clients {
        let mut answer = String::new();
        client.read_to_string(&mut answer).unwrap();
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer:?}");
    }
}
