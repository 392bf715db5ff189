//! The grammar of numbers, a byte at a time.

/// How far a number has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Number {
    Minus,
    Zero,
    Whole,
    Point,
    Fraction,
    Exponent,
    ExponentSign,
    Power,
}

impl Number {
    /// A number that begins with `byte`.
    pub(super) fn begin(byte: u8) -> Option<Self> {
        match byte {
            b'-' => Some(Self::Minus),
            b'0' => Some(Self::Zero),
            b'1'..=b'9' => Some(Self::Whole),
            _ => None,
        }
    }

    /// What it is with one more byte; `None` when the byte does not belong to it.
    pub(super) fn next(self, byte: u8) -> Option<Self> {
        match (self, byte) {
            (Self::Minus, b'0') => Some(Self::Zero),
            (Self::Minus, b'1'..=b'9') | (Self::Whole, b'0'..=b'9') => Some(Self::Whole),
            (Self::Zero | Self::Whole, b'.') => Some(Self::Point),
            (Self::Point | Self::Fraction, b'0'..=b'9') => Some(Self::Fraction),
            (Self::Zero | Self::Whole | Self::Fraction, b'e' | b'E') => Some(Self::Exponent),
            (Self::Exponent, b'+' | b'-') => Some(Self::ExponentSign),
            (Self::Exponent | Self::ExponentSign | Self::Power, b'0'..=b'9') => Some(Self::Power),
            _ => None,
        }
    }

    /// Whether it may end here.
    pub(super) fn may_end(self) -> bool {
        matches!(self, Self::Zero | Self::Whole | Self::Fraction | Self::Power)
    }
}

/// The whole number that a JSON number stands for.
pub(super) fn whole(number: &str) -> Option<u64> {
    if let Ok(whole) = number.parse() {
        return Some(whole);
    }
    let float: f64 = number.parse().ok()?;
    // Floats hold every whole number up to 2^53.
    let is_exact = float.fract() == 0.0 && (0.0..=9_007_199_254_740_992.0).contains(&float);
    is_exact.then_some(float as u64)
}
