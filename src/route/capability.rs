//! What a requested name asks for: a text model that answers an image request makes something up.

use crate::config::{Capability, Config};
use crate::wire::Endpoint;

/// Names that ask for pictures, by what stands in them, lower case.
const IMAGE: [&str; 8] =
    ["image-preview", "dall-e", "imagen", "gpt-image", "stable-diffusion", "flux-", "-image-", "midjourney"];

/// Names that ask for embeddings.
const EMBEDDING: [&str; 3] = ["embedding", "-embed-", "embed-"];

/// The capability that only a seat which declares it may serve this name with; `None` for text, which any may
/// try. The endpoint says it where it has but one use; else a configured seat's own word comes before what the
/// name looks like.
#[must_use]
pub fn required(config: &Config, endpoint: Endpoint, model: &str) -> Option<Capability> {
    match endpoint {
        Endpoint::Embeddings => return Some(Capability::Embedding),
        Endpoint::Images => return Some(Capability::Image),
        _ => {}
    }
    let declared =
        config.seats.iter().find(|s| s.model == model || s.name == model).and_then(|s| s.capability);
    declared.or_else(|| inferred(model)).filter(|c| matches!(c, Capability::Image | Capability::Embedding))
}

fn inferred(model: &str) -> Option<Capability> {
    let name = model.to_ascii_lowercase();
    let has = |marks: &[&str]| marks.iter().any(|mark| name.contains(mark));
    if has(&IMAGE) || name.ends_with("-image") {
        Some(Capability::Image)
    } else if has(&EMBEDDING) || name.ends_with("-embed") {
        Some(Capability::Embedding)
    } else {
        None
    }
}

#[cfg(test)]
mod tests;
