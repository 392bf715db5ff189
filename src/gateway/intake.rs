//! Reads what a client sends: counted before it is kept, scanned while it arrives, never made contiguous.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, header};
use http_body::Body;
use http_body_util::BodyExt;
use tokio::time::{Instant, timeout};

use crate::gateway::frames::Frames;
use crate::gateway::reply::Refused;
use crate::gateway::silence::{BODY_SILENCE, Pace};
use crate::wire::Endpoint;
use crate::wire::envelope::{Facts, Scanner};

/// What is still read of a body that is refused, so that the client gets to read why.
const DISCARD_BYTES: u64 = 16 * 1024 * 1024;
const DISCARD_TIME: Duration = Duration::from_secs(2);

/// A body as received.
pub(crate) struct Intake {
    pub(crate) frames: Arc<[Bytes]>,
    pub(crate) facts: Facts,
}

/// Reads a body of at most `cap` bytes.
pub(crate) async fn read<B>(
    body: B,
    headers: &HeaderMap,
    endpoint: Endpoint,
    cap: u64,
) -> Result<Intake, Refused>
where
    B: Body<Data = Bytes> + Unpin,
{
    if headers.get(header::CONTENT_ENCODING).is_some_and(|v| v != "identity") {
        let text = "a compressed request body is not accepted; send it as it is, without content-encoding";
        return refuse(body, headers, Refused::new(415, text)).await;
    }
    if says_too_large(headers, cap) {
        return refuse(body, headers, too_large(cap)).await;
    }
    let mut body = body;
    let mut scanner = Scanner::new(endpoint);
    let mut frames = Frames::default();
    let mut pace = Pace::default();
    let mut size = 0u64;
    loop {
        let asked = Instant::now();
        let frame = match timeout(BODY_SILENCE, body.frame()).await {
            Ok(None) => break,
            Ok(Some(Ok(frame))) => frame,
            Ok(Some(Err(_))) => return Err(broke_off()),
            Err(_) => return Err(silent()),
        };
        let Ok(data) = frame.into_data() else { continue };
        size = size.saturating_add(u64::try_from(data.len()).unwrap_or(u64::MAX));
        if size > cap {
            drop(frames);
            return refuse(body, headers, too_large(cap)).await;
        }
        if !pace.keeps_up(asked.elapsed(), data.len()) {
            return Err(too_slow());
        }
        if let Err(malformed) = scanner.feed(&data) {
            drop(frames);
            let refused = Refused { param: malformed.param, ..Refused::new(400, malformed.message) };
            return refuse(body, headers, refused).await;
        }
        frames.push(data);
    }
    match scanner.finish() {
        Ok(facts) => Ok(Intake { frames: frames.finish(), facts }),
        Err(malformed) => Err(Refused { param: malformed.param, ..Refused::new(400, malformed.message) }),
    }
}

/// Whether a head says that its body is larger than `cap`.
pub(crate) fn says_too_large(headers: &HeaderMap, cap: u64) -> bool {
    let length = headers.get(header::CONTENT_LENGTH).and_then(|v| v.to_str().ok()?.parse::<u64>().ok());
    length.is_some_and(|n| n > cap)
}

/// The refusal of a body larger than `cap`.
pub(crate) fn too_large(cap: u64) -> Refused {
    Refused::new(413, format!("the request body is larger than server.max_body_bytes ({cap} bytes)"))
}

/// The refusal of a body that ended before its end.
pub(crate) fn broke_off() -> Refused {
    Refused::new(400, "the request body broke off")
}

/// The refusal of a body that did not go on.
pub(crate) fn silent() -> Refused {
    Refused::new(408, format!("the request body did not go on for {} seconds", BODY_SILENCE.as_secs()))
}

/// The refusal of a body that goes on, but hardly.
pub(crate) fn too_slow() -> Refused {
    Refused::new(
        408,
        "the request body comes too slowly: less than 1024 bytes a second over a minute and more",
    )
}

/// Reads on a little without keeping anything: a client that is still writing sees a reset otherwise, and
/// not the reason. One that waits for `100 Continue` has sent nothing and is answered at once.
pub(crate) async fn refuse<B: Body + Unpin, T>(
    mut body: B,
    headers: &HeaderMap,
    refused: Refused,
) -> Result<T, Refused> {
    if !headers.contains_key(header::EXPECT) {
        let rest = async {
            let mut seen = 0u64;
            while let Some(Ok(frame)) = body.frame().await {
                let size = frame.data_ref().map_or(0, bytes::Buf::remaining);
                seen = seen.saturating_add(u64::try_from(size).unwrap_or(u64::MAX));
                if seen > DISCARD_BYTES {
                    break;
                }
            }
        };
        timeout(DISCARD_TIME, rest).await.ok();
    }
    Err(refused)
}

#[cfg(test)]
mod tests;
