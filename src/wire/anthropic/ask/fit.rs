//! Whether an Anthropic seat can be asked what a client of another wire asks.

use crate::prompt::{
    DocumentSource, ImageSource, Inexpressible, OutputFormat, Part, Prompt, Role, SeatTraits,
};

/// Says whether a seat can be asked this, without writing anything.
///
/// # Errors
/// With what it cannot be asked.
pub fn check(prompt: &Prompt<'_>, traits: &SeatTraits) -> Result<(), Inexpressible> {
    let temperature = prompt.sampling.temperature.as_ref().and_then(|t| t.as_str().parse::<f64>().ok());
    if traits.sampling && temperature.is_some_and(|temperature| temperature > 1.0) {
        return Err(Inexpressible::field("temperature", "Anthropic takes a temperature from 0 to 1"));
    }
    if prompt.stop.iter().any(|stop| stop.decode().trim().is_empty()) {
        return Err(Inexpressible::field("stop", "Anthropic takes no stop text of white space alone"));
    }
    match &prompt.format {
        Some(OutputFormat::Object) => {
            let reason = "Anthropic has no JSON without a schema; send a json_schema";
            return Err(Inexpressible::field("response_format", reason));
        }
        Some(OutputFormat::Schema { .. }) if !traits.json_schema => {
            return Err(Inexpressible::capability("the seat is declared without json_schema"));
        }
        _ => {}
    }
    let last = prompt.messages.iter().rfind(|message| !message.parts.is_empty());
    if last.is_some_and(|message| message.role == Role::Assistant) && !traits.prefill {
        return Err(Inexpressible::capability(
            "the seat is not declared to continue a trailing assistant message",
        ));
    }
    prompt.messages.iter().try_for_each(|message| parts(&message.parts, traits))
}

fn parts(all: &[Part<'_>], traits: &SeatTraits) -> Result<(), Inexpressible> {
    for part in all {
        match part {
            Part::Image(_) if !traits.images => {
                return Err(Inexpressible::capability("the seat is declared text and there is an image"));
            }
            Part::Image(image) => match &image.source {
                ImageSource::Base64 { .. } | ImageSource::File(_) => {}
                ImageSource::Url(url) => {
                    let url = url.decode();
                    let is_web = url.starts_with("https://") || url.starts_with("http://");
                    if !is_web {
                        return Err(Inexpressible::wire("an image is at an address that is not on the web"));
                    }
                }
            },
            Part::Document(document) => match &document.source {
                DocumentSource::Pdf(_) if !traits.pdf => {
                    return Err(Inexpressible::capability("the seat is not declared to read PDF"));
                }
                DocumentSource::Parts(inside) => parts(inside, traits)?,
                _ => {}
            },
            Part::ToolResult(result) => parts(&result.parts, traits)?,
            _ => {}
        }
    }
    Ok(())
}
