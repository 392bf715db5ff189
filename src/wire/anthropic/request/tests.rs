//! Messages requests into the hub.

use serde_json::{Value, json};

use super::decode_request;
use crate::prompt::{Gap, Part, Role, SeatTraits, Thinking};
use crate::wire::tests::{all_anthropic, anthropic};
use crate::wire::{anthropic as wire, chat};

fn ask(more: Value) -> Vec<u8> {
    let mut request = json!({"model": "m", "max_tokens": 5, "messages": [{"role": "user", "content": "x"}]});
    request.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    request.to_string().into_bytes()
}

#[test]
fn what_is_malformed_is_told_with_its_place() {
    let said = |block: Value| json!({"messages": [{"role": "user", "content": [block]}]});
    let rows = [
        (json!({"messages": [{"role": "who", "content": "x"}]}), Some("messages.0.role")),
        (json!({"messages": [{"role": "user"}]}), Some("messages.0.content")),
        (json!({"messages": [{"role": "user", "content": 5}]}), Some("messages.0.content")),
        (json!({"messages": "x"}), None),
        (json!({"max_tokens": "5"}), Some("max_tokens")),
        (json!({"stream": "yes"}), Some("stream")),
        (json!({"system": [{"type": "image"}]}), Some("system")),
        (json!({"tools": [{"name": "f"}]}), Some("tools.0.input_schema")),
        (json!({"tools": [{"input_schema": {}}]}), Some("tools.0.name")),
        (json!({"tool_choice": {"type": "tool"}}), Some("tool_choice.name")),
        (said(json!({"type": "text"})), Some("messages.0.content.0.text")),
        (said(json!({"text": "x"})), Some("messages.0.content.0.type")),
        (
            said(json!({"type": "tool_use", "id": "a", "name": "f", "input": "{}"})),
            Some("messages.0.content.0.input"),
        ),
        (
            said(json!({"type": "tool_result", "tool_use_id": "a", "content": [{"type": "text"}]})),
            Some("messages.0.content.0.content.0.text"),
        ),
    ];
    for (more, place) in rows {
        let bad = decode_request(&ask(more.clone())).unwrap_err();
        assert_eq!(bad.param.as_deref(), place, "{more}: {}", bad.message);
    }
}

#[test]
fn no_word_of_a_body_is_in_a_complaint() {
    for body in [
        &b"{\"messages\":[\"secret\"]}"[..],
        b"\"secret\"",
        b"{\"model\":\"secret\"",
        b"{\"system\":{\"secret\":1},\"messages\":[]}",
    ] {
        let bad = decode_request(body).unwrap_err();
        assert!(!bad.message.contains("secret"), "{}", bad.message);
    }
}

#[test]
fn the_billing_line_goes_and_what_follows_it_stays() {
    let line = "x-anthropic-billing-header: cc_version=1; cc_entrypoint=cli;";
    for (system, want) in [
        (json!(line), vec![]),
        (json!(format!("{line}\n\nBe brief.")), vec!["Be brief."]),
        (json!([{"type": "text", "text": line}, {"type": "text", "text": "a"}]), vec!["a"]),
        (json!([{"type": "text", "text": "a"}, {"type": "text", "text": line}]), vec!["a", line]),
    ] {
        let body = ask(json!({"system": system}));
        let prompt = decode_request(&body).unwrap();
        let got: Vec<String> = prompt.system.iter().map(|text| text.decode().into_owned()).collect();
        assert_eq!(got, want);
    }
}

#[test]
fn thought_is_shown_only_where_it_was_asked_for() {
    for (thinking, want, show) in [
        (json!(null), None, false),
        (json!({"type": "enabled", "budget_tokens": 2048}), Some(Thinking::Budget(2048)), true),
        (json!({"type": "adaptive"}), Some(Thinking::Adaptive), true),
        (json!({"type": "adaptive", "display": "omitted"}), Some(Thinking::Adaptive), false),
        (json!({"type": "disabled"}), Some(Thinking::Disabled), false),
    ] {
        let body = ask(json!({"thinking": thinking}));
        let prompt = decode_request(&body).unwrap();
        assert_eq!((prompt.reasoning.thinking, prompt.reasoning.show), (want, show));
    }
}

#[test]
fn fields_that_have_no_place_are_named_once_and_fit_a_header() {
    let body = ask(
        json!({"service_tier": "auto", "zz\r\n: x": 1, "context_management": null, "cache_control": {}, "system": [{"type": "text", "text": "a", "cache_control": {}}]}),
    );
    let mut extras = decode_request(&body).unwrap().extras;
    extras.sort();
    assert_eq!(extras, ["cache_control", "service_tier", "zz____x"]);
}

#[test]
fn every_request_means_the_same_once_written_and_read_again() {
    for (name, bytes) in all_anthropic("request-", ".json") {
        let first = decode_request(&bytes).unwrap();
        let traits = SeatTraits { system_messages: true, ..SeatTraits::anthropic() };
        let Ok(encoded) = wire::encode_request(&first, &first.model.decode(), &traits) else {
            panic!("{name} cannot be said on its own wire");
        };
        let second = decode_request(&encoded.body).unwrap();
        let twice = wire::encode_request(&second, &second.model.decode(), &traits).unwrap();
        assert_eq!(twice.body, encoded.body, "{name}");
        assert_eq!(first.tools, second.tools, "{name}");
        assert_eq!(first.system, second.system, "{name}");
        assert!(first.messages.len() >= second.messages.len(), "{name}");
    }
}

#[test]
fn thinking_stays_as_it_is_and_a_chat_seat_never_sees_it() {
    let bytes = anthropic("request-thinking-parallel-tools.json");
    let prompt = decode_request(&bytes).unwrap();
    let assistant = prompt.messages.iter().find(|message| message.role == Role::Assistant).unwrap();
    let Part::Thinking { text, signature } = &assistant.parts[0] else { panic!("thinking first") };
    assert_eq!((text.as_json(), signature.as_ref().unwrap().as_json()), ("\"a  b\"", "\"c2ln\""));
    let sent = chat::encode_request(&prompt, "m", &SeatTraits::default()).unwrap();
    let body = std::str::from_utf8(&sent.body).unwrap();
    assert!(!body.contains("a  b") && !body.contains("c2ln"));
    assert!(sent.dropped.contains(&"thinking".to_owned()));
}

#[test]
fn what_only_the_vendor_has_is_kept_and_passes_other_seats_over() {
    for more in [
        json!({"container": "c"}),
        json!({"mcp_servers": [{"type": "url"}]}),
        json!({"tool_choice": {"type": "zz"}}),
        json!({"output_config": {"format": {"type": "zz"}}}),
        json!({"messages": [{"role": "user", "content": [{"type": "zz_new", "a": 1}]}]}),
    ] {
        let body = ask(more.clone());
        let gap = chat::check(&decode_request(&body).unwrap(), &SeatTraits::default()).unwrap_err();
        assert_eq!(gap.gap, Gap::NativeTools, "{more}");
    }
    let body = ask(json!({"container": null, "mcp_servers": []}));
    chat::check(&decode_request(&body).unwrap(), &SeatTraits::default()).unwrap();
}
