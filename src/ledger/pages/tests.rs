use proptest::prelude::*;

use super::*;

proptest! {
    #[test]
    fn no_piece_and_no_short_line_crosses_a_page(
        sizes in proptest::collection::vec(1_usize..6000, 0..60),
        offset in 0_u64..20_000,
    ) {
        let lines: Vec<Vec<u8>> = sizes.iter().map(|size| vec![b'x'; *size]).collect();
        let mut out = Vec::new();
        let pieces = lay_out(lines.iter().map(Vec::as_slice), offset, &mut out);

        // All lines, in order, with nothing but blanks behind them.
        let written: Vec<&[u8]> = out.split(|b| *b == b'\n').collect();
        prop_assert_eq!(written.len(), lines.len() + 1);
        for (got, want) in written.iter().zip(&lines) {
            prop_assert_eq!(got.trim_ascii_end(), want.as_slice());
        }

        // Pieces are whole lines; one that crosses a page is a single line, the first or longer than a page.
        let (mut start, mut lines_before) = (0_usize, 0_usize);
        for (place, piece) in pieces.iter().enumerate() {
            let bytes = &out[start..piece.end];
            prop_assert_eq!(bytes.last(), Some(&b'\n'));
            let count = bytes.iter().filter(|b| **b == b'\n').count();
            prop_assert_eq!(count, piece.lines - lines_before);
            let from = offset + start as u64;
            let last = offset + piece.end as u64 - 1;
            if from / PAGE != last / PAGE {
                prop_assert_eq!(count, 1);
                let line = bytes.trim_ascii_end().len() as u64;
                prop_assert!(place == 0 || line + 1 > PAGE, "{line} at {from}");
            }
            (start, lines_before) = (piece.end, piece.lines);
        }
        prop_assert_eq!(start, out.len());
        prop_assert_eq!(lines_before, lines.len());
    }
}

#[test]
fn usual_records_waste_little() {
    let lines = vec![vec![b'x'; 640]; 10_000];
    let mut out = Vec::new();
    lay_out(lines.iter().map(Vec::as_slice), 0, &mut out);
    assert!(out.len() < 10_000 * 641 * 108 / 100, "{}", out.len());
}
