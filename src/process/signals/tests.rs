use std::process::Command;

use super::*;

#[tokio::test]
async fn each_signal_is_told_once() {
    let mut signals = Signals::listen().unwrap();
    let me = std::process::id().to_string();
    for (name, signal) in [("HUP", Signal::Hangup), ("TERM", Signal::Terminate), ("INT", Signal::Interrupt)] {
        assert!(Command::new("kill").args(["-s", name, &me]).status().unwrap().success());
        assert_eq!(signals.next().await, signal);
    }
}
