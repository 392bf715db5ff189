//! Requests and whole answers from one wire to another, through the hub.

use bytes::Bytes;

use super::failure::{FailureBody, NotAnAnswer};
use super::transcode::{Encoder, reason_of};
use super::{AnswerOptions, Dialect, Wire, anthropic, chat};
use crate::prompt::{
    BadRequest, Completion, Encoded, Finish, Inexpressible, Prompt, SeatTraits, Text, Usage,
};

#[cfg(test)]
mod tests;

/// A whole answer in the client's shape.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Translated {
    /// The body.
    pub body: Bytes,
    /// Whether it is an event stream.
    pub as_events: bool,
    /// The model that served, as upstream names it; at most 256 bytes.
    pub served_model: Option<String>,
    /// What upstream counted.
    pub usage: Usage,
    /// Why it ended, in Anthropic's words.
    pub stop_reason: &'static str,
    /// Whether the model refused, or a filter did.
    pub refused: bool,
    /// Types of blocks that the client's wire has no words for and that were left out.
    pub dropped: Vec<String>,
}

/// Reads a client's request.
///
/// # Errors
/// When it is none, or asks for what no seat of another wire can give; `None` for a dialect that is not built.
pub fn decode_request(client: Dialect, body: &[u8]) -> Option<Result<Prompt<'_>, BadRequest>> {
    match client {
        Dialect::Anthropic => Some(anthropic::decode_request(body)),
        Dialect::OpenAi => Some(chat::decode_request(body)),
        Dialect::Responses => None,
    }
}

/// Says whether a seat can be asked this.
///
/// # Errors
/// With what it cannot be asked.
pub fn check_request(seat: Wire, prompt: &Prompt<'_>, traits: &SeatTraits) -> Result<(), Inexpressible> {
    match seat {
        Wire::Anthropic => anthropic::check(prompt, traits),
        Wire::OpenAi => chat::check(prompt, traits),
        _ => Err(not_built(seat)),
    }
}

/// Writes a prompt for a seat.
///
/// # Errors
/// When the seat cannot be asked this: it is to be passed over.
pub fn encode_request(
    seat: Wire,
    prompt: &Prompt<'_>,
    model: &str,
    traits: &SeatTraits,
) -> Result<Encoded, Inexpressible> {
    match seat {
        Wire::Anthropic => anthropic::encode_request(prompt, model, traits),
        Wire::OpenAi => chat::encode_request(prompt, model, traits),
        _ => Err(not_built(seat)),
    }
}

fn not_built(seat: Wire) -> Inexpressible {
    Inexpressible::wire(format!("nothing is translated to {} seats yet", seat.name()))
}

/// Puts the body of a seat's 200 into the client's shape; as a stream where one was asked for. Where both speak
/// one wire this is for re-framing alone: an answer that is to pass whole is better passed as it came.
///
/// # Errors
/// When it is no whole answer, or ended in a way that the client's wire has no words for.
pub fn translate_answer(
    seat: Wire,
    client: Dialect,
    body: &[u8],
    as_events: bool,
    options: &AnswerOptions,
) -> Result<Translated, NotAnAnswer> {
    let answer = match seat {
        Wire::Anthropic => anthropic::decode_answer(body, options.show_thinking)?,
        Wire::OpenAi => chat::decode_answer(body, options.show_thinking)?,
        _ => return Err(told(&not_built(seat).reason)),
    };
    let body = if as_events { events(client, &answer, options)? } else { whole(client, &answer, options)? };
    Ok(Translated {
        body,
        as_events,
        served_model: answer.model.as_ref().map(|model| super::failure::cut(&model.decode(), 256).to_owned()),
        usage: answer.usage,
        stop_reason: reason_of(&answer.finish),
        refused: matches!(answer.finish, Finish::Refusal(_)),
        dropped: answer.dropped,
    })
}

fn whole(client: Dialect, answer: &Completion<'_>, options: &AnswerOptions) -> Result<Bytes, NotAnAnswer> {
    match client {
        Dialect::Anthropic => Ok(anthropic::encode_answer(answer, options)),
        Dialect::OpenAi => {
            chat::encode_answer(answer, options).map_err(|unsayable| told(&unsayable.to_string()))
        }
        Dialect::Responses => Err(told("nothing is told to Responses clients yet")),
    }
}

fn events(client: Dialect, answer: &Completion<'_>, options: &AnswerOptions) -> Result<Bytes, NotAnAnswer> {
    let mut encoder =
        Encoder::new(client, options).ok_or_else(|| told("nothing is told to Responses clients yet"))?;
    if let (Finish::Other(reason), false) = (&answer.finish, encoder.knows_any_finish()) {
        return Err(told(&format!(
            "upstream stopped with {}, which this API cannot say",
            Text::decode(reason)
        )));
    }
    let mut out = Vec::new();
    let mut outcome = Ok(());
    answer.tell(|event| {
        if outcome.is_ok() {
            outcome = encoder.take(event, &mut out);
        }
    });
    outcome.map_err(|what| told(&what))?;
    Ok(Bytes::from(out))
}

fn told(message: &str) -> NotAnAnswer {
    let message = super::failure::cut(message, 256).to_owned();
    let body = FailureBody { message: message.clone(), is_json: true, ..FailureBody::default() };
    NotAnAnswer { kind: None, status_hint: None, message, body: Box::new(body) }
}
