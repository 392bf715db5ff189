use super::*;
use crate::gateway::fixture::{Act, Piped, pipe, piped};
use http_body_util::BodyExt;
use tokio::sync::mpsc::UnboundedSender;
use tokio::time::sleep;

fn upload(cap: u64) -> (UnboundedSender<Act>, Sending<Piped>, Sent<Piped>) {
    let (client, body) = piped();
    let (sending, sent) = sending(body, cap);
    (client, sending, sent)
}

const MINUTE: Duration = Duration::from_secs(60);

#[tokio::test(start_paused = true)]
async fn whoever_failed_is_remembered() {
    let (client, mut body, sent) = upload(4);
    client.send(Act::Say("four")).unwrap();
    client.send(Act::Say("!")).unwrap();
    assert!(body.frame().await.unwrap().is_ok());
    assert_eq!(sent.fault(), None);
    assert_eq!(body.frame().await.unwrap().unwrap_err(), Fault::TooLarge);
    assert_eq!((sent.fault(), sent.rest().is_some()), (Some(Fault::TooLarge), true));

    let (client, mut body, sent) = upload(4);
    client.send(Act::Break).unwrap();
    assert!(body.frame().await.unwrap().is_err());
    assert_eq!((sent.fault(), sent.rest().is_some()), (Some(Fault::Broke), false));

    let (_client, mut body, sent) = upload(4);
    let asked = Instant::now();
    assert!(body.frame().await.unwrap().is_err());
    assert_eq!((sent.fault(), asked.elapsed().as_secs()), (Some(Fault::Silent), 30));
}

#[tokio::test(start_paused = true)]
async fn a_trickle_does_not_last_for_ever() {
    let (client, mut body, sent) = upload(1000);
    let began = Instant::now();
    let trickle = async {
        while client.send(Act::Say("x")).is_ok() {
            sleep(Duration::from_secs(29)).await;
        }
    };
    let upload = async { while let Some(Ok(_)) = body.frame().await {} };
    tokio::select! { () = upload => (), () = trickle => panic!("the pipe is open") }
    assert_eq!(sent.fault(), Some(Fault::Slow));
    assert!(began.elapsed() < MINUTE * 2);
}

#[tokio::test(start_paused = true)]
async fn the_seats_clock_runs_in_the_seats_turn_alone() {
    let (client, mut body, sent) = upload(1000);
    let limit = Duration::from_secs(10);
    let slow = async move {
        for _ in 0..2 {
            sleep(Duration::from_secs(25)).await;
            client.send(Act::Say("x")).unwrap();
        }
    };
    let upload = async { while let Some(Ok(_)) = body.frame().await {} };
    // The client takes 50 s, and nothing of that is the seat's.
    let both = async { tokio::join!(slow, upload) };
    tokio::select! { _ = both => (), () = sent.seat_is_late(limit) => panic!("late") }
    assert_eq!(sent.fault(), None);
    let ended = Instant::now();
    sent.seat_is_late(limit).await;
    assert_eq!(ended.elapsed().as_secs(), 10);
}

#[tokio::test(start_paused = true)]
async fn a_seat_that_takes_no_more_is_late_too() {
    let (client, mut body, sent) = upload(1000);
    client.send(Act::Say("x")).unwrap();
    assert!(body.frame().await.unwrap().is_ok());
    let began = Instant::now();
    sent.seat_is_late(Duration::from_secs(10)).await;
    assert_eq!(began.elapsed().as_secs(), 10);
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_falls_silent_breaks_off_and_a_slow_reader_is_no_silence() {
    let (seat, body) = pipe();
    let mut answer = Passing::new(body, Some(Duration::from_secs(40)));
    seat.send(Act::Say("x")).unwrap();
    let mut next = async || std::future::poll_fn(|cx| answer.poll(cx)).await;
    assert!(next().await.unwrap().is_ok());
    sleep(MINUTE).await;
    let asked = Instant::now();
    assert!(next().await.unwrap().is_err());
    assert_eq!(asked.elapsed().as_secs(), 40);
}
