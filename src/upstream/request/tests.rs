use super::*;

#[test]
fn what_travels_on_does_not_hold_the_read_buffer() {
    let buffer = Bytes::from(b"application/json, and the rest of the buffer".to_vec());
    let mut headers = HeaderMap::new();
    headers.insert("content-type", HeaderValue::from_maybe_shared(buffer.slice(..16)).unwrap());
    let travelling = travelling(&headers);
    drop(headers);
    assert_eq!(travelling["content-type"], "application/json");
    assert!(buffer.is_unique());
}
