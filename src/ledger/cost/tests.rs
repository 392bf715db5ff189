use super::*;

const PRICE: Price = Price { input: 3.0, output: 15.0, cache_read: 0.3, cache_write: 3.75 };

#[test]
fn each_class_counts_once_at_its_own_price() {
    let tokens = Tokens { input: 1000, output: 200, cache_read: 50_000, cache_write: 400 };
    assert_eq!(cost(&PRICE, &tokens), 0.003 + 0.003 + 0.015 + 0.0015);
    for (tokens, want) in [
        (Tokens { input: 1_000_000, ..Tokens::default() }, 3.0),
        (Tokens { output: 1_000_000, ..Tokens::default() }, 15.0),
        (Tokens { cache_read: 1_000_000, ..Tokens::default() }, 0.3),
        (Tokens { cache_write: 1_000_000, ..Tokens::default() }, 3.75),
    ] {
        assert_eq!(cost(&PRICE, &tokens), want);
    }
}

#[test]
fn there_is_no_noise_of_binary_fractions() {
    let usd = cost(&PRICE, &Tokens { input: 1234, ..Tokens::default() });
    assert_eq!(usd.to_string(), "0.003702");
    assert_eq!(cost(&PRICE, &Tokens::default()), 0.0);
    assert!(cost(&PRICE, &Tokens { input: u64::MAX, ..Tokens::default() }).is_finite());
}
