use std::task::Waker;

use tokio::sync::mpsc::UnboundedSender;
use tokio::time::{advance, timeout};

use super::*;

fn patience(is_h2: bool) -> (Arc<Patience>, Arc<AtomicUsize>) {
    let active = Arc::new(AtomicUsize::new(0));
    (Patience::new(is_h2, Arc::clone(&active)), active)
}

async fn lasts(p: &Patience, secs: u64) -> bool {
    timeout(Duration::from_secs(secs), p.over()).await.is_err()
}

async fn secs_left(p: &Patience) -> u64 {
    let began = Instant::now();
    p.over().await;
    began.elapsed().as_secs()
}

fn poll(answer: &mut Answering) -> Poll<Option<Result<Frame<Bytes>, Broken>>> {
    Pin::new(answer).poll_frame(&mut Context::from_waker(Waker::noop()))
}

/// Gives what the test sends it.
fn fed() -> (UnboundedSender<Bytes>, ReplyBody) {
    let (sender, mut receiver) = tokio::sync::mpsc::unbounded_channel::<Bytes>();
    let frames = futures_util::stream::poll_fn(move |cx| {
        receiver.poll_recv(cx).map(|b| b.map(Ok::<_, std::io::Error>))
    });
    let passing = crate::gateway::passing::Passing::new(reqwest::Body::wrap_stream(frames), None);
    (sender, ReplyBody::Pass(Box::new(passing)))
}

fn whole(len: usize) -> ReplyBody {
    ReplyBody::whole(vec![b'x'; len])
}

#[tokio::test(start_paused = true)]
async fn a_head_has_its_time_an_idle_connection_does_not_run_out_of_it() {
    let (p, _) = patience(false);
    assert_eq!(secs_left(&p).await, HEAD.as_secs());

    let (p, _) = patience(false);
    let serving = p.serve();
    p.read(); // its body
    assert!(lasts(&p, 60).await, "a request that is being served is not a head");
    drop(serving);
    assert!(lasts(&p, 60).await, "idle is allowed");
    p.read();
    p.read();
    assert_eq!(secs_left(&p).await, HEAD.as_secs(), "the next head has its own time");
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_is_not_asked_for_is_given_up_and_one_that_is_waited_for_is_not() {
    for is_h2 in [false, true] {
        let (p, _) = patience(is_h2);
        let serving = p.serve();
        assert!(lasts(&p, 3600).await, "it may take long to be made");
        let (feed, body) = fed();
        let mut answer = Answering::new(body, serving);
        assert!(poll(&mut answer).is_pending());
        assert!(lasts(&p, 3600).await, "the peer waits");
        feed.send(Bytes::from_static(b"one")).unwrap();
        assert!(poll(&mut answer).is_ready());
        assert!(lasts(&p, 200).await);
        feed.send(Bytes::from_static(b"two")).unwrap();
        assert!(poll(&mut answer).is_ready(), "it took one");
        assert_eq!(secs_left(&p).await, UNREAD.as_secs(), "and no other");
    }
}

#[tokio::test(start_paused = true)]
async fn a_stream_without_a_window_is_given_up_though_others_go_on() {
    let (p, _) = patience(true);
    // Its body is never asked for.
    let _stuck = Answering::new(whole(5), p.serve());
    let (feed, body) = fed();
    let mut other = Answering::new(body, p.serve());
    for _ in 0..29 {
        feed.send(Bytes::from_static(b"x")).unwrap();
        assert!(poll(&mut other).is_ready());
        assert!(lasts(&p, 10).await);
    }
    assert_eq!(secs_left(&p).await, 10);
}

#[tokio::test(start_paused = true)]
async fn the_end_of_an_answer_that_the_socket_does_not_take_is_given_up() {
    let (p, _) = patience(false);
    let mut answer = Answering::new(whole(5), p.serve());
    assert!(poll(&mut answer).is_ready());
    p.blocked();
    advance(Duration::from_secs(100)).await;
    drop(answer);
    assert_eq!(secs_left(&p).await, UNREAD.as_secs());
    p.flushed();
    assert!(lasts(&p, 3600).await);
}

#[tokio::test(start_paused = true)]
async fn a_stream_that_is_slow_but_read_is_not_given_up_for_its_socket() {
    let (p, _) = patience(false);
    let (feed, body) = fed();
    let mut answer = Answering::new(body, p.serve());
    for _ in 0..10 {
        p.blocked();
        feed.send(Bytes::from_static(b"x")).unwrap();
        assert!(poll(&mut answer).is_ready());
        assert!(lasts(&p, 250).await);
    }
}

#[tokio::test(start_paused = true)]
async fn the_last_bytes_of_an_h2_answer_count_until_they_are_written() {
    let (p, active) = patience(true);
    let mut answer = Answering::new(whole(100_000), p.serve());
    assert_eq!(active.load(Ordering::Relaxed), 1);
    let Poll::Ready(Some(Ok(_first))) = poll(&mut answer) else { panic!("a piece") };
    let Poll::Ready(Some(Ok(last))) = poll(&mut answer) else { panic!("the rest") };
    assert!(answer.is_end_stream());
    drop(answer);
    let bytes = last.into_data().unwrap();
    assert_eq!(bytes.len(), 100_000 - 65_536);
    assert_eq!(active.load(Ordering::Relaxed), 1);
    assert_eq!(secs_left(&p).await, UNREAD.as_secs());
    drop(bytes);
    assert_eq!(active.load(Ordering::Relaxed), 0);
    assert!(lasts(&p, 3600).await);
}

#[test]
fn a_request_is_counted_from_its_head_to_the_end_of_its_answer() {
    let (p, active) = patience(false);
    let count = || active.load(Ordering::Relaxed);
    let serving = p.serve();
    assert_eq!(count(), 1, "while its body is read");
    let answer = Answering::new(whole(5), serving);
    assert_eq!(count(), 1, "while its answer is");
    drop(answer);
    assert_eq!(count(), 0);
    drop(p.serve());
    assert_eq!(count(), 0, "a client that left");
}

#[test]
fn more_answers_than_streams_are_served_without_a_clock() {
    let (p, active) = patience(true);
    let many: Vec<Serving> = (0..300).map(|_| p.serve()).collect();
    assert_eq!(active.load(Ordering::Relaxed), 300);
    drop(many);
    assert!(p.answers.iter().all(|a| a.load(Ordering::Relaxed) == FREE));
}

/// One request over HTTP/2 from a peer that gives every stream this window, and nothing after it; how long the
/// connection lasts and how many requests are still being served then.
async fn over_h2(window: u32, body: usize) -> (u64, usize) {
    use hyper_util::rt::{TokioExecutor, TokioIo};
    use tokio::io::AsyncWriteExt as _;

    let (p, active) = patience(true);
    let (mut client, server) = tokio::io::duplex(1 << 20);
    let mut sent = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x06\x04\x00\x00\x00\x00\x00\x00\x04".to_vec();
    sent.extend_from_slice(&window.to_be_bytes());
    // HEADERS that end the stream: GET, http, `/`, authority `h`.
    sent.extend_from_slice(b"\x00\x00\x06\x01\x05\x00\x00\x00\x01\x82\x86\x84\x41\x01h");
    client.write_all(&sent).await.unwrap();
    let clocks = Arc::clone(&p);
    let service = hyper::service::service_fn(move |_| {
        let serving = clocks.serve();
        async move { Ok::<_, std::convert::Infallible>(http::Response::new(Answering::new(whole(body), serving))) }
    });
    let io = Watched { io: TokioIo::new(server), patience: Arc::clone(&p) };
    let server = hyper::server::conn::http2::Builder::new(TokioExecutor::new());
    let mut conn = Box::pin(server.serve_connection(io, service));
    let began = Instant::now();
    tokio::select! {
        ended = conn.as_mut() => panic!("{ended:?}"),
        () = p.over() => {}
        () = sleep(UNREAD * 2) => {}
    }
    (began.elapsed().as_secs(), active.load(Ordering::Relaxed))
}

#[tokio::test(start_paused = true)]
async fn a_window_that_stays_shut_ends_the_connection_whatever_is_left() {
    let (given_up, kept) = (UNREAD.as_secs(), (UNREAD * 2).as_secs());
    assert_eq!(over_h2(0, 5).await, (given_up, 1), "nothing of it was taken");
    assert_eq!(over_h2(3, 5).await, (given_up, 1), "its end was not");
    assert_eq!(over_h2(20_000, 30_000).await, (given_up, 1));
    assert_eq!(over_h2(65_535, 1 << 20).await, (given_up, 1), "the rest was not");
    assert_eq!(over_h2(65_535, 5).await, (kept, 0), "it was taken");
    assert_eq!(over_h2(65_535, 30_000).await, (kept, 0));
}
