//! What chat clients ask, and what they are told by name that they cannot have.

use serde_json::{Value, json};

use super::decode_request;
use crate::prompt::SeatTraits;
use crate::wire::anthropic;
use crate::wire::tests::all_payloads;

fn ask(more: Value) -> Vec<u8> {
    let mut request = json!({"model": "m", "messages": [{"role": "user", "content": "x"}]});
    request.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    request.to_string().into_bytes()
}

#[test]
fn what_an_anthropic_seat_is_sent_for_the_requests_of_chat_clients() {
    let mut report = String::new();
    for (name, bytes) in all_payloads("chat", "request-", ".json") {
        let prompt = decode_request(&bytes).unwrap();
        let encoded = anthropic::encode_request(&prompt, "claude-x", &SeatTraits::anthropic()).unwrap();
        let body = std::str::from_utf8(&encoded.body).unwrap();
        assert!(serde_json::from_str::<Value>(body).is_ok(), "{name}: {body}");
        report.push_str(&format!("## {name}, without {:?}\n", encoded.dropped));
        report.push_str(&body.replace("},{\"role\"", "},\n{\"role\""));
        report.push('\n');
        // What was sent is a request that means the same.
        let again = anthropic::decode_request(&encoded.body).unwrap();
        let twice = anthropic::encode_request(&again, "claude-x", &SeatTraits::anthropic()).unwrap();
        assert_eq!(twice.body, encoded.body, "{name}");
    }
    insta::assert_snapshot!(report);
}

#[test]
fn what_cannot_be_had_is_refused_by_its_name() {
    let said = |part: Value| json!({"messages": [{"role": "user", "content": [part]}]});
    let grammar =
        json!({"type": "custom", "custom": {"name": "x", "format": {"type": "grammar", "grammar": {}}}});
    let rows = [
        (json!({"n": 2}), "n"),
        (json!({"logprobs": true}), "logprobs"),
        (json!({"top_logprobs": 3}), "top_logprobs"),
        (json!({"modalities": ["text", "audio"]}), "modalities"),
        (json!({"audio": {"voice": "x"}}), "audio"),
        (json!({"logit_bias": {"1": 2}}), "logit_bias"),
        (json!({"prediction": {"type": "content"}}), "prediction"),
        (json!({"web_search_options": {}}), "web_search_options"),
        (json!({"store": true}), "store"),
        (json!({"presence_penalty": 0.5}), "presence_penalty"),
        (json!({"tools": [grammar]}), "tools"),
        (said(json!({"type": "input_audio", "input_audio": {}})), "input_audio"),
        (said(json!({"type": "file", "file": {"file_id": "f"}})), "file_id"),
    ];
    for (more, field) in rows {
        let body = ask(more.clone());
        let bad = decode_request(&body).unwrap_err();
        assert_eq!(bad.code, Some("unsupported_parameter"), "{more}");
        assert!(bad.message.contains(field), "{more}: {}", bad.message);
        assert!(bad.param.is_some(), "{more}");
    }
    for fine in [
        json!({"n": 1}),
        json!({"logprobs": false}),
        json!({"modalities": ["text"]}),
        json!({"logit_bias": null}),
    ] {
        decode_request(&ask(fine)).unwrap();
    }
}

#[test]
fn what_is_malformed_is_told_with_its_place() {
    let call = |arguments: Value| {
        json!({"messages": [{"role": "assistant", "tool_calls": [
            {"id": "c", "type": "function", "function": {"name": "f", "arguments": arguments}}]}]})
    };
    let rows = [
        (json!({"messages": "x"}), "messages"),
        (json!({"messages": [{"role": "who"}]}), "messages.0.role"),
        (json!({"messages": [{"role": "tool", "content": "x"}]}), "messages.0.tool_call_id"),
        (
            json!({"messages": [{"role": "system", "content": [{"type": "image_url", "image_url": {"url": "https://a"}}]}]}),
            "messages.0.content",
        ),
        (call(json!("{\"a\":")), "messages.0.tool_calls.0"),
        (call(json!("[1]")), "messages.0.tool_calls.0"),
        (json!({"tool_choice": "must"}), "tool_choice"),
        (json!({"stop": 5}), "stop"),
        (json!({"max_tokens": -1}), "max_tokens"),
    ];
    for (more, place) in rows {
        let bad = decode_request(&ask(more.clone())).unwrap_err();
        assert_eq!(bad.param.as_deref(), Some(place), "{more}: {}", bad.message);
    }
    assert!(decode_request(b"[]").is_err() && decode_request(b"{").is_err());
}

#[test]
fn what_an_anthropic_seat_has_no_words_for_names_the_clients_field() {
    for (more, field) in [
        (json!({"temperature": 1.5}), "temperature"),
        (json!({"response_format": {"type": "json_object"}}), "response_format"),
        (json!({"stop": [" \n"]}), "stop"),
    ] {
        let body = ask(more);
        let gap = anthropic::encode_request(&decode_request(&body).unwrap(), "m", &SeatTraits::anthropic())
            .unwrap_err();
        assert_eq!(gap.param, Some(field));
    }
}

#[test]
fn a_seat_without_sampling_gets_none_and_the_client_hears_of_it() {
    let body = ask(json!({"temperature": 0.3}));
    let prompt = decode_request(&body).unwrap();
    let traits = SeatTraits { sampling: false, ..SeatTraits::anthropic() };
    let encoded = anthropic::encode_request(&prompt, "m", &traits).unwrap();
    assert_eq!(encoded.dropped, ["temperature"]);
    let sent: Value = serde_json::from_slice(&encoded.body).unwrap();
    assert_eq!((sent.get("temperature"), &sent["max_tokens"]), (None, &json!(8192)));
}
