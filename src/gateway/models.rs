//! `GET /v1/models`: every exact name that routes, in the asking client's shape.

use http::Response;

use crate::gateway::body::ReplyBody;
use crate::gateway::live::Live;
use crate::gateway::reply::{self, Heading, Refused};
use crate::wire::reply::{ModelEntry, model_body, models_body};

/// Answers the list, or one entry of it.
pub(crate) fn answer(live: &Live, heading: &Heading, id: Option<&str>) -> Response<ReplyBody> {
    let entries = entries(live);
    let Some(id) = id else {
        return heading.plain(reply::json(200, models_body(heading.dialect, &entries)));
    };
    match entries.iter().find(|e| e.id == id) {
        Some(entry) => heading.plain(reply::json(200, model_body(heading.dialect, entry))),
        None => {
            heading.refuse(&Refused::new(404, "no model of this name routes").coded("model_not_found"), "")
        }
    }
}

/// Names that a route lists exactly, then the ids of seats that some route takes. Globs are not names.
fn entries(live: &Live) -> Vec<ModelEntry> {
    let mut out: Vec<ModelEntry> = Vec::new();
    let mut add = |entry: ModelEntry| {
        if !out.iter().any(|e| e.id == entry.id) {
            out.push(entry);
        }
    };
    for route in &live.routes {
        let primary = route.seats.first().map(|s| &s.seat);
        for name in route.route.models.iter().filter_map(|m| m.exact()) {
            add(ModelEntry {
                id: name.to_owned(),
                owned_by: route.name.to_string(),
                max_input_tokens: primary.and_then(|s| s.max_prompt_tokens),
                max_tokens: primary.and_then(|s| s.max_output_tokens),
            });
        }
    }
    for seat in live.routes.iter().flat_map(|r| &r.seats) {
        if live.route_for(&seat.seat.model).is_some() {
            add(ModelEntry {
                id: seat.seat.model.clone(),
                owned_by: seat.provider.to_string(),
                max_input_tokens: seat.seat.max_prompt_tokens,
                max_tokens: seat.seat.max_output_tokens,
            });
        }
    }
    out
}
