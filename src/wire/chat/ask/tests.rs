//! What a chat seat is sent: the rows of the mapping, and whole requests as snapshots.

use serde_json::{Value, json};

use super::encode_request;
use crate::prompt::{Gap, MaxTokensField, SeatTraits};
use crate::wire::anthropic::decode_request;
use crate::wire::tests::all_payloads;

fn generous() -> SeatTraits {
    SeatTraits {
        prefill: true,
        pdf: true,
        top_k: true,
        max_output_tokens: Some(8000),
        ..SeatTraits::default()
    }
}

/// The body for a request, and what is left out.
fn sent(request: &Value, traits: &SeatTraits) -> (Value, Vec<String>) {
    let body = request.to_string();
    let prompt = decode_request(body.as_bytes()).unwrap();
    let encoded = encode_request(&prompt, "seat-model", traits).unwrap();
    (serde_json::from_slice(&encoded.body).unwrap(), encoded.dropped)
}

fn refused(request: &Value, traits: &SeatTraits) -> (Gap, String) {
    let body = request.to_string();
    let prompt = decode_request(body.as_bytes()).unwrap();
    let gap = encode_request(&prompt, "seat-model", traits).unwrap_err();
    (gap.gap, gap.reason)
}

/// A request with `more` at its top level.
fn ask(more: Value) -> Value {
    let mut request = json!({"model": "m", "max_tokens": 64, "messages": [{"role": "user", "content": "x"}]});
    request.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    request
}

fn tool(name: &str) -> Value {
    json!({"name": name, "input_schema": {"type": "object"}})
}

#[test]
fn what_a_seat_is_sent_for_the_requests_of_clients() {
    let mut report = String::new();
    for (name, bytes) in all_payloads("anthropic", "request-", ".json") {
        report.push_str(&format!("## {name}\n"));
        let prompt = match decode_request(&bytes) {
            Ok(prompt) => prompt,
            Err(bad) => {
                report.push_str(&format!("400: {bad}\n"));
                continue;
            }
        };
        for (seat, traits) in [("plain", SeatTraits::default()), ("generous", generous())] {
            match encode_request(&prompt, "seat-model", &traits) {
                Ok(encoded) => {
                    let pretty =
                        std::str::from_utf8(&encoded.body).unwrap().replace("},{\"role\"", "},\n{\"role\"");
                    assert!(serde_json::from_slice::<Value>(&encoded.body).is_ok(), "{name}: {pretty}");
                    report.push_str(&format!("{seat}, without {:?}\n{pretty}\n", encoded.dropped));
                }
                Err(gap) => report.push_str(&format!("{seat}: skipped as {:?}: {gap}\n", gap.gap)),
            }
        }
    }
    insta::assert_snapshot!(report);
}

#[test]
fn a_choice_of_tools_keeps_its_meaning() {
    let rows = [
        (json!({"type": "auto"}), json!("auto")),
        (json!({"type": "any"}), json!("required")),
        (json!({"type": "none"}), json!("none")),
        (json!({"type": "tool", "name": "f"}), json!({"type": "function", "function": {"name": "f"}})),
    ];
    for (choice, want) in rows {
        let (body, _) =
            sent(&ask(json!({"tools": [tool("f")], "tool_choice": choice})), &SeatTraits::default());
        assert_eq!(body["tool_choice"], want);
        assert_eq!(body["tools"][0]["function"]["parameters"], json!({"type": "object"}));
        let (body, _) = sent(&ask(json!({"tool_choice": choice})), &SeatTraits::default());
        assert_eq!(body.get("tool_choice"), None, "a choice without tools is not sent");
    }
    let only_one =
        ask(json!({"tools": [tool("f")], "tool_choice": {"type": "any", "disable_parallel_tool_use": true}}));
    let (body, dropped) = sent(&only_one, &SeatTraits::default());
    assert_eq!((&body["parallel_tool_calls"], dropped.len()), (&json!(false), 0));
    let (body, dropped) =
        sent(&only_one, &SeatTraits { parallel_tool_calls: false, ..SeatTraits::default() });
    assert_eq!(
        (body.get("parallel_tool_calls"), dropped),
        (None, vec!["disable_parallel_tool_use".to_owned()])
    );
    let future = ask(json!({"tools": [tool("f")], "tool_choice": {"type": "zz_some"}}));
    assert_eq!(refused(&future, &SeatTraits::default()).0, Gap::NativeTools);
}

#[test]
fn only_a_type_makes_a_tool_native() {
    for spared in
        [tool("Bash"), json!({"type": "custom", "name": "bash", "input_schema": {"type": "object"}})]
    {
        sent(&ask(json!({"tools": [spared]})), &SeatTraits::default());
    }
    for native in [
        json!({"type": "bash_20250124", "name": "bash"}),
        json!({"type": "text_editor_20991231", "name": "e"}),
        json!({"type": "computer_toolset_20260801"}),
        json!({"type": "tool_search_tool_bm25", "name": "tool_search_tool_bm25"}),
        json!({"type": "mcp_toolset", "mcp_server_name": "m"}),
    ] {
        assert_eq!(refused(&ask(json!({"tools": [native]})), &generous()).0, Gap::NativeTools);
    }
}

#[test]
fn what_a_seat_lacks_passes_it_over() {
    let image =
        json!({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "eA=="}});
    let said = |block: Value| json!({"messages": [{"role": "user", "content": [block]}]});
    let text_only = SeatTraits { images: false, ..SeatTraits::default() };
    let nothing = SeatTraits::default();
    let inside = json!({"type": "tool_result", "tool_use_id": "t", "content": [image]});
    let unfit = SeatTraits { json_schema: false, ..SeatTraits::default() };
    let schema = json!({"output_config": {"format": {"type": "json_schema", "schema": {}}}});
    let rows: [(Value, &SeatTraits, Gap); 10] = [
        (said(image.clone()), &text_only, Gap::Capability),
        (said(inside), &text_only, Gap::Capability),
        (json!({"max_tokens": 0}), &nothing, Gap::Inexpressible),
        (json!({"stop_sequences": ["a", "b", "c", "d", "e"]}), &nothing, Gap::Inexpressible),
        (json!({"tools": [tool("a name")]}), &nothing, Gap::Inexpressible),
        (json!({"tools": [tool(&"n".repeat(65))]}), &nothing, Gap::Inexpressible),
        (schema, &unfit, Gap::Capability),
        (json!({"container": "c_1"}), &nothing, Gap::NativeTools),
        (said(json!({"type": "container_upload", "file_id": "f"})), &nothing, Gap::NativeTools),
        (
            said(json!({"type": "document", "source": {"type": "url", "url": "https://a.example"}})),
            &nothing,
            Gap::Inexpressible,
        ),
    ];
    for (more, traits, want) in rows {
        let (gap, reason) = refused(&ask(more.clone()), traits);
        assert_eq!(gap, want, "{more}: {reason}");
    }
}

#[test]
fn limits_and_samplers_are_those_of_the_seat() {
    let asked = ask(json!({"max_tokens": 128000, "temperature": 0.30, "top_k": 4, "stream": true}));
    let (body, dropped) =
        sent(&asked, &SeatTraits { max_output_tokens: Some(8000), ..SeatTraits::default() });
    assert_eq!(body["max_tokens"], 8000);
    assert_eq!(body["stream_options"]["include_usage"], true);
    assert_eq!(dropped, ["top_k"]);
    let traits = SeatTraits {
        max_tokens_field: MaxTokensField::MaxCompletionTokens,
        sampling: false,
        stream_options: false,
        drop_params: vec!["user".to_owned(), "messages".to_owned()],
        ..SeatTraits::default()
    };
    let mut asked = asked;
    asked["metadata"] = json!({"user_id": "u"});
    let (body, dropped) = sent(&asked, &traits);
    assert_eq!(body["max_completion_tokens"], 128_000);
    for gone in ["max_tokens", "temperature", "top_k", "stream_options", "user"] {
        assert_eq!(body.get(gone), None, "{gone}");
    }
    assert_eq!(dropped, ["temperature", "top_k", "metadata.user_id"]);
    assert!(body["messages"].is_array(), "what the answer rests on cannot be dropped");
}

#[test]
fn numbers_and_the_order_of_keys_survive() {
    let body = br#"{"model":"m","max_tokens":5,"temperature":0.70,"messages":[{"role":"assistant","content":[
        {"type":"tool_use","id":"t","name":"f","input":{"z": 1.50, "a" : [1e3 ,2]}}]},
        {"role":"user","content":[{"type":"tool_result","tool_use_id":"t"}]}],
        "tools":[{"name":"f","input_schema":{"type":"object", "maximum":1.0}}]}"#;
    let prompt = decode_request(body).unwrap();
    let sent = encode_request(&prompt, "s", &SeatTraits::default()).unwrap();
    let text = std::str::from_utf8(&sent.body).unwrap();
    assert!(text.contains(r#""arguments":"{\"z\":1.50,\"a\":[1e3,2]}""#), "{text}");
    assert!(text.contains(r#""parameters":{"type":"object", "maximum":1.0}"#), "{text}");
    assert!(text.contains(r#""temperature":0.70"#), "{text}");
}

#[test]
fn effort_is_said_in_one_word() {
    let rows = [
        (json!({"thinking": {"type": "enabled", "budget_tokens": 4000}}), Some("low")),
        (json!({"thinking": {"type": "enabled", "budget_tokens": 16000}}), Some("medium")),
        (json!({"thinking": {"type": "enabled", "budget_tokens": 31999}}), Some("high")),
        (json!({"thinking": {"type": "adaptive"}}), None),
        (json!({"thinking": {"type": "disabled"}}), None),
        (json!({"thinking": {"type": "adaptive"}, "output_config": {"effort": "xhigh"}}), Some("xhigh")),
    ];
    for (more, want) in rows {
        let (body, _) = sent(&ask(more.clone()), &SeatTraits::default());
        assert_eq!(body.get("reasoning_effort").and_then(Value::as_str), want, "{more}");
    }
}

#[test]
fn an_id_that_is_too_long_is_shortened_in_call_and_result_alike() {
    let long = "call_".repeat(14);
    let messages = json!([
        {"role": "assistant", "content": [{"type": "tool_use", "id": long, "name": "f", "input": {}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": long, "content": "x"}]},
    ]);
    let (body, _) = sent(&ask(json!({"messages": messages})), &SeatTraits::default());
    let id = body["messages"][0]["tool_calls"][0]["id"].as_str().unwrap();
    assert!(id.len() <= 40);
    assert_eq!(body["messages"][1]["tool_call_id"], id);
}
