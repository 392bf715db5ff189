//! Judges a whole answer: that it is one, and what of it goes to the client. Pure.

use bytes::Bytes;

use crate::upstream::attempt::{Sides, Want};
use crate::wire::anthropic::Usage;
use crate::wire::anthropic::answer::{self, Answer};
use crate::wire::anthropic::reframe;
use crate::wire::failure::{self, FailureBody};
use crate::wire::{AnswerOptions, Wire, translate};

/// What goes to the client, whether as events, and what the answer says of itself; or why it is none, and the
/// error that it holds instead.
pub(super) type Judged = Result<(Bytes, bool, Answer), NoAnswer>;

/// Why a 200 is no answer, and the error that it holds instead.
pub(super) type NoAnswer = Box<(String, Option<FailureBody>)>;

/// Judges the whole body of a 200.
pub(super) fn judge(raw: Bytes, want: Want, sides: Sides, retell: Option<&AnswerOptions>) -> Judged {
    if want == Want::Count {
        return match serde_json::from_slice::<Count>(&raw) {
            Ok(_) => Ok((raw, false, Answer::default())),
            Err(_) => {
                let said = Some(failure::read(&raw));
                Err(Box::new(("the answer counts no input_tokens".to_owned(), said)))
            }
        };
    }
    if want == Want::Data {
        return judge_data(raw);
    }
    let no = |no: failure::NotAnAnswer| Box::new((no.message, Some(*no.body)));
    match (retell, sides.seat) {
        (None, Wire::Anthropic) => {
            let answer = answer::read(&raw).map_err(no)?;
            match want {
                Want::Stream => Ok((reframe::reframe(&raw).map_err(no)?, true, answer)),
                Want::Message | Want::Count | Want::Data => Ok((raw, false, answer)),
            }
        }
        (retell, seat) => {
            let plain = AnswerOptions::default();
            let as_events = want == Want::Stream;
            let options = retell.unwrap_or(&plain);
            let told =
                translate::translate_answer(seat, sides.client, &raw, as_events, options).map_err(no)?;
            let answer = Answer {
                served_model: told.served_model,
                usage: told.usage,
                stop_reason: Some(told.stop_reason.to_owned()),
                refused: told.refused,
            };
            // On the client's own wire a whole answer passes as it came.
            let body = if retell.is_none() && !as_events { raw } else { told.body };
            Ok((body, as_events, answer))
        }
    }
}

/// A list of embeddings or pictures: it passes as it came, if there is anything in it.
fn judge_data(raw: Bytes) -> Judged {
    let list =
        serde_json::from_slice::<Data<'_>>(&raw).ok().filter(|d| d.error.is_none() && !d.data.is_empty());
    let Some(list) = list else {
        let said = Some(failure::read(&raw));
        return Err(Box::new(("the answer holds no data".to_owned(), said)));
    };
    let usage = list.usage.unwrap_or_default();
    let answer = Answer {
        served_model: list.model.map(std::borrow::Cow::into_owned),
        usage: Usage {
            input: usage.prompt_tokens.or(usage.input_tokens),
            output: usage.output_tokens,
            ..Usage::default()
        },
        ..Answer::default()
    };
    Ok((raw, false, answer))
}

/// The answer of the embeddings and images endpoints, as far as it is looked at.
#[derive(serde::Deserialize)]
struct Data<'a> {
    data: Vec<serde::de::IgnoredAny>,
    #[serde(default, borrow)]
    model: Option<std::borrow::Cow<'a, str>>,
    #[serde(default)]
    usage: Option<DataUsage>,
    #[serde(default)]
    error: Option<serde::de::IgnoredAny>,
}

#[derive(Default, serde::Deserialize)]
struct DataUsage {
    prompt_tokens: Option<u64>,
    input_tokens: Option<u64>,
    output_tokens: Option<u64>,
}

/// What is said where the judge itself failed.
pub(super) fn broken_judge() -> NoAnswer {
    Box::new(("the answer could not be judged".to_owned(), None))
}

/// The answer of `count_tokens`.
#[derive(serde::Deserialize)]
struct Count {
    #[serde(rename = "input_tokens")]
    _input_tokens: u64,
}
