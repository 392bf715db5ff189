use std::time::Duration;

use super::*;
use crate::gateway::fixture::{self, Act};
use crate::gateway::worker::Shared;
use crate::telemetry::metrics::Metrics;

const START: &str = "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"model\":\"m-1\",\"usage\":{\"input_tokens\":3,\"output_tokens\":1}}}\n\n\
    event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n";
const DELTA: &str = "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"x\"}}\n\n";
const HALF: &str = "event: content_block_delta\ndata: {\"type\":\"content_bl";
const END: &str = "event: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":0}\n\n\
    event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"},\"usage\":{\"output_tokens\":9}}\n\n\
    event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n";

/// A relay that has begun, and the pipe that feeds it.
fn begun(shared: &Arc<Shared>) -> (tokio::sync::mpsc::UnboundedSender<Act>, Relay) {
    let (pipe, body) = fixture::pipe();
    let mut flow = Flow::new(crate::wire::Wire::Anthropic, crate::wire::Dialect::Anthropic, None);
    flow.push(Bytes::from_static(START.as_bytes())).unwrap();
    let mut book = fixture::book(shared);
    let seat = book.commit(Class::Ok, Some(200));
    let place = shared.live.load().routes[0].seats[seat].standing.enter(None).unwrap();
    let stream = Stream { status: 200, headers: HeaderMap::new(), flow, body };
    (pipe, Relay::new(stream, seat, book, place, Tasks::new()).0)
}

async fn next(relay: &mut Relay) -> Option<String> {
    let bytes = std::future::poll_fn(|cx| relay.poll_bytes(cx)).await?;
    Some(String::from_utf8(bytes.to_vec()).unwrap())
}

async fn rest(relay: &mut Relay) -> String {
    let mut all = String::new();
    while let Some(text) = next(relay).await {
        all.push_str(&text);
    }
    all
}

fn counted(metrics: &Arc<Metrics>, class: &str) -> bool {
    metrics
        .encode()
        .lines()
        .any(|l| l.starts_with("sanctum_attempts_total") && l.contains(class) && l.ends_with(" 1"))
}

#[tokio::test(start_paused = true)]
async fn a_slow_stream_is_kept_alive_with_pings_and_ends_as_it_is() {
    let shared = fixture::shared("", "");
    let (pipe, mut relay) = begun(&shared);
    assert_eq!(next(&mut relay).await.unwrap(), START);
    let began = Instant::now();
    let ping = std::str::from_utf8(anthropic::watch::PING).unwrap();
    for nth in 1..=3 {
        assert_eq!(next(&mut relay).await.unwrap(), ping);
        assert_eq!(began.elapsed(), PING_EVERY * nth);
    }
    pipe.send(Act::Say(DELTA)).unwrap();
    assert_eq!(next(&mut relay).await.unwrap(), DELTA);
    pipe.send(Act::Say(END)).unwrap();
    assert_eq!(rest(&mut relay).await, END);
    assert!(counted(&shared.metrics, "class=\"ok\""));
}

#[tokio::test(start_paused = true)]
async fn silence_beyond_the_seats_limit_ends_loudly_and_pings_of_ours_do_not_count() {
    let shared = fixture::shared(", idle_timeout_secs: 40", "");
    let (_pipe, mut relay) = begun(&shared);
    let began = Instant::now();
    let all = rest(&mut relay).await;
    assert_eq!(began.elapsed(), Duration::from_secs(40));
    assert_eq!(all.matches("event: ping").count(), 2);
    let error = all.find("event: error").unwrap();
    assert!(all.find("content_block_stop").unwrap() < error && error < all.find("message_delta").unwrap());
    assert!(counted(&shared.metrics, "idle_timeout"));
}

#[tokio::test(start_paused = true)]
async fn what_upstream_says_resets_its_silence() {
    let shared = fixture::shared(", idle_timeout_secs: 10", "");
    let (pipe, mut relay) = begun(&shared);
    next(&mut relay).await;
    for _ in 0..20 {
        tokio::time::sleep(Duration::from_secs(9)).await;
        pipe.send(Act::Say(": still here\n\n")).unwrap();
        assert_eq!(next(&mut relay).await.unwrap(), ": still here\n\n");
    }
}

#[tokio::test(start_paused = true)]
async fn half_an_event_never_leaves_and_nothing_is_glued_to_it() {
    for breaks in [true, false] {
        let shared = fixture::shared("", "");
        let (pipe, mut relay) = begun(&shared);
        for text in [DELTA, HALF] {
            pipe.send(Act::Say(text)).unwrap();
        }
        if breaks {
            pipe.send(Act::Break).unwrap();
        }
        drop(pipe);
        let all = rest(&mut relay).await;
        let tail = all.strip_prefix(START).unwrap().strip_prefix(DELTA).unwrap();
        assert!(tail.starts_with("event: content_block_stop"), "{tail}");
        assert!(!tail.contains("end_turn") && !tail.contains("content_bl\n"), "{tail}");
        assert!(counted(&shared.metrics, "truncated_stream"));
    }
}

#[tokio::test(start_paused = true)]
async fn a_stop_reason_without_its_end_is_not_a_clean_end() {
    let shared = fixture::shared("", "");
    let (pipe, mut relay) = begun(&shared);
    pipe.send(Act::Say(END.split("event: message_stop").next().unwrap())).unwrap();
    drop(pipe);
    let all = rest(&mut relay).await;
    assert!(!all.contains("end_turn"), "{all}");
    assert!(all.find("event: error").unwrap() < all.find("\"stop_reason\":\"error\"").unwrap());
}

#[tokio::test(start_paused = true)]
async fn a_stream_may_have_a_time_of_its_own() {
    let shared = fixture::shared(", idle_timeout_secs: 0", ", stream_total_secs: 100");
    let (pipe, mut relay) = begun(&shared);
    let talk = tokio::time::timeout(Duration::from_secs(200), async {
        let mut all = String::new();
        loop {
            pipe.send(Act::Say(DELTA)).ok();
            tokio::time::sleep(Duration::from_secs(7)).await;
            match next(&mut relay).await {
                Some(text) => all.push_str(&text),
                None => return all,
            }
            if all.contains("event: error") {
                return all;
            }
        }
    });
    assert!(talk.await.unwrap().contains("longer than its route allows"));
    assert!(counted(&shared.metrics, "deadline"));
}

#[tokio::test(start_paused = true)]
async fn a_client_that_leaves_is_a_cancelled_attempt_and_no_fault_of_the_seats() {
    let shared = fixture::shared("", ", cooldown: {allowed_fails: 1}");
    let (_pipe, mut relay) = begun(&shared);
    next(&mut relay).await;
    drop(relay);
    assert!(counted(&shared.metrics, "cancelled"));
    let live = shared.live.load();
    assert_eq!(live.routes[0].seats[0].condition(shared.now_ms()).cooling_until, None);
}

#[tokio::test(start_paused = true)]
async fn a_broken_stream_counts_against_its_seat() {
    let shared = fixture::shared("", ", cooldown: {allowed_fails: 1}");
    let (pipe, mut relay) = begun(&shared);
    pipe.send(Act::Break).unwrap();
    rest(&mut relay).await;
    let live = shared.live.load();
    assert!(live.routes[0].seats[0].condition(shared.now_ms()).cooling_until.is_some());
}
