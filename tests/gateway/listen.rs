//! The door: several addresses, two protocols, and callers who hesitate on purpose.

use std::time::Duration;

use serde_json::json;

use crate::support::bodies::{ask, ask_stream, says, streams, text_stream};
use crate::support::{Call, Gateway, Live, Setup, Upstream, chain};

#[test]
fn several_addresses_are_served() {
    let a = Upstream::always(says("a-1", "ok"));
    let mut config = chain(&[("a", &a)]);
    config["server"] = json!({"listen": ["127.0.0.1:0", "127.0.0.2:0"]});
    let gw = Setup::new(&config).listen(None).start_on(2);
    assert_eq!(gw.addrs().len(), 2);
    for addr in gw.addrs() {
        Call::messages(&ask("x")).send(*addr).expect(200);
    }
}

#[test]
fn the_flag_goes_before_the_environment_before_the_file() {
    let a = Upstream::always(says("a-1", "ok"));
    let mut config = chain(&[("a", &a)]);
    config["server"] = json!({"listen": "127.0.0.3:0"});
    let ip = |gw: &Gateway| gw.addr().ip().to_string();
    assert_eq!(ip(&Setup::new(&config).listen(None).start()), "127.0.0.3");
    let env = |s: Setup| s.env("SANCTUM_LISTEN", "127.0.0.2:0");
    assert_eq!(ip(&env(Setup::new(&config).listen(None)).start()), "127.0.0.2");
    assert_eq!(ip(&env(Setup::new(&config)).start()), "127.0.0.1");
}

#[test]
fn http2_without_tls_is_spoken() {
    let a = Upstream::new([says("a-1", "ok"), streams("a-1", &["one", "two"])]);
    let gw = Gateway::start(&chain(&[("a", &a)]));
    #[expect(clippy::disallowed_methods, reason = "the engine's own maker of clients does not speak h2c")]
    let client = reqwest::Client::builder().http2_prior_knowledge().no_proxy().build().unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let url = format!("http://{}/v1/messages", gw.addr());
        let post =
            |body: String| client.post(&url).header("content-type", "application/json").body(body).send();
        let reply = post(ask("x").to_string()).await.unwrap();
        assert_eq!((reply.version(), reply.status().as_u16()), (reqwest::Version::HTTP_2, 200));
        assert_eq!(reply.headers()["x-sanctum-route-chain"], "a;outcome=served");
        let reply = post(ask_stream("x").to_string()).await.unwrap();
        let body = reply.bytes().await.unwrap();
        assert_eq!(body, text_stream("a-1", &["one", "two"]).concat());
        let reply = post("{".into()).await.unwrap();
        assert_eq!(reply.status().as_u16(), 400);
    });
    assert_eq!(a.received()[0].header("host"), a.url().strip_prefix("http://"));
}

#[test]
fn a_caller_that_never_ends_its_head_is_let_go() {
    let a = Upstream::always(says("a-1", "ok"));
    let gw = Gateway::start(&chain(&[("a", &a)]));
    let mut slow = Live::connect(gw.addr());
    slow.send(b"POST /v1/messages HTTP/1.1\r\nhost: localhost\r\nx-a: ");
    let mut silent = Live::connect(gw.addr());
    let mut dripping = Live::connect(gw.addr());
    dripping.send(b"GET /health HTTP/1.1\r\nhost: localhost\r\nx-drip: ");
    let drip = std::thread::spawn(move || {
        let start = tokio::time::Instant::now();
        while start.elapsed() < Duration::from_secs(30) {
            if !dripping.try_send(b"y") {
                break;
            }
            dripping.read_for(Duration::from_millis(500));
        }
        start.elapsed()
    });
    let took = slow.wait_closed();
    assert!((8.0..16.0).contains(&took.as_secs_f64()), "{took:?}");
    let took = silent.wait_closed();
    assert!(took < Duration::from_secs(30), "a connection that never spoke: {took:?}");
    let took = drip.join().unwrap();
    assert!(took < Duration::from_secs(16), "a byte now and then does not help: {took:?}");
    gw.ask(&ask("x")).expect(200);
}

#[test]
fn a_caller_that_never_ends_its_body_is_let_go() {
    let a = Upstream::always(says("a-1", "ok"));
    let gw = Gateway::start(&chain(&[("a", &a)]));
    let call = Call::messages(&ask("x")).with("content-length", "100000");
    let mut live = call.open(gw.addr());
    let took = live.wait_closed();
    assert!(took < Duration::from_secs(60), "{took:?}");
    assert_eq!(a.count(), 0);
}

#[test]
fn what_is_not_http_is_let_go() {
    let a = Upstream::always(says("a-1", "ok"));
    let gw = Gateway::start(&chain(&[("a", &a)]));
    for garbage in [
        &b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03 not tls\r\n\r\n"[..],
        b"\r\n\r\n\r\n",
        b"GET\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
    ] {
        let mut live = Live::connect(gw.addr());
        live.send(garbage);
        live.wait_closed();
    }
    let mut live = Live::connect(gw.addr());
    live.send(b"GET /health HTTP/1.1\r\nhost: localhost\r\n");
    let flood = format!("x-{}: y\r\n", "z".repeat(1000));
    let sent = (0..20_000).take_while(|_| live.try_send(flood.as_bytes())).count();
    assert!(sent < 20_000, "20 MB of head went in");
    gw.ask(&ask("x")).expect(200);
}
