use super::*;
use http_body_util::BodyExt;

#[tokio::test]
async fn the_bytes_are_the_same_the_length_is_known_and_the_end_is_told_once() {
    for sizes in [vec![], vec![10], vec![10, 20, 30], vec![200_000, 1, 0, 70_000]] {
        let parts: Vec<Bytes> = sizes.iter().map(|n| Bytes::from(vec![b'x'; *n])).collect();
        let total: usize = sizes.iter().sum();
        let (upload, uploaded) = Upload::new(parts);
        assert_eq!(upload.size_hint().exact(), Some(total as u64));
        let mut biggest = 0;
        let mut got = 0;
        let mut upload = std::pin::pin!(upload);
        while let Some(frame) = upload.frame().await {
            let n = frame.unwrap().into_data().unwrap().len();
            biggest = biggest.max(n);
            got += n;
        }
        assert_eq!(got, total);
        assert!(biggest <= FRAME);
        uploaded.wait().await;
    }
}

#[test]
fn the_kernels_share_of_a_slow_upload_is_not_charged_to_the_first_byte() {
    let took = Duration::from_secs(3);
    assert_eq!(rest(took, 12 * 1024 * 1024), Duration::from_secs(1));
    assert_eq!(rest(took, 1024), Duration::ZERO);
}
