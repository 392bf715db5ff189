use super::*;
use proptest::prelude::*;

#[test]
fn a_small_frame_does_not_hold_the_read_buffer_a_large_one_is_not_copied() {
    for (size, copied) in [(10, true), (10_000, false)] {
        let buffer = Bytes::from(vec![b'x'; size]);
        let mut frames = Frames::default();
        frames.push(buffer.clone());
        let kept = frames.finish();
        assert_eq!(kept.concat(), buffer);
        assert_eq!(buffer.is_unique(), copied);
    }
}

fn kept(sizes: &[usize]) -> (Vec<u8>, Arc<[Bytes]>) {
    let mut next = 0u8;
    let mut all = Vec::new();
    let mut frames = Frames::default();
    for size in sizes {
        let frame: Vec<u8> = (0..*size)
            .map(|_| {
                next = next.wrapping_add(7);
                next
            })
            .collect();
        all.extend_from_slice(&frame);
        frames.push(frame.into());
    }
    (all, frames.finish())
}

proptest! {
    #[test]
    fn the_bytes_are_the_same_and_the_handles_few(
        sizes in prop::collection::vec(prop_oneof![0usize..8, 4090usize..4100, 0usize..70_000], 0..20),
    ) {
        let (all, frames) = kept(&sizes);
        prop_assert_eq!(frames.concat(), all.clone());
        prop_assert!(frames.iter().all(|f| !f.is_empty()));
        // Each large frame may have one gathered frame before it; else frames are of the gathered size.
        let most = all.len() / SMALL * 2 + 3;
        prop_assert!(frames.len() <= most, "{} frames of {} bytes", frames.len(), all.len());
    }
}

#[test]
fn a_body_in_single_bytes_takes_little_more_than_its_size() {
    let (all, frames) = kept(&vec![1; 1_000_000]);
    assert_eq!(frames.concat(), all);
    assert!(frames.len() <= 18, "{}", frames.len());
}
