//! The vocabulary of the table.

/// One key of a mapping.
#[derive(Debug)]
pub(crate) struct Field {
    pub(crate) name: &'static str,
    pub(crate) shape: Shape,
    /// One line for the reference.
    pub(crate) doc: &'static str,
    pub(crate) required: bool,
    /// What holds where the key is absent, as it would be written.
    pub(crate) default: Option<&'static str>,
    pub(crate) status: Status,
}

/// Whether a key does what it says.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Status {
    /// It does.
    Built,
    /// It parses and does nothing yet, which is told; `plain` values ask for nothing and pass in silence.
    NotYet { plain: &'static [&'static str] },
    /// It would guard something, so it is refused until it guards; `plain` values ask for no guard.
    Guard { plain: &'static [&'static str] },
}

/// What may stand as a value.
#[derive(Debug)]
pub(crate) enum Shape {
    Bool,
    /// A whole number within bounds, both included.
    Whole {
        min: u64,
        max: u64,
        unit: &'static str,
    },
    /// A number, fractions allowed, within bounds, both included.
    Number {
        min: f64,
        max: f64,
        unit: &'static str,
    },
    /// One of these words.
    Word(&'static [&'static str]),
    /// Text that a function judges.
    Text(&'static TextKind),
    /// A list of at least `least` items.
    List {
        item: &'static Shape,
        least: usize,
    },
    /// One item, or a list of at least `least`.
    OneOrList {
        item: &'static Shape,
        least: usize,
    },
    /// A mapping whose keys the user chooses.
    Map {
        key: &'static TextKind,
        value: &'static Shape,
    },
    /// A mapping with these keys and no others.
    Object(&'static [Field]),
    /// Anything at all.
    Opaque,
}

/// A kind of text.
pub(crate) struct TextKind {
    /// What a person calls it, with its article.
    pub(crate) what: &'static str,
    /// Whether it may hold a secret, so that it is never shown.
    pub(crate) secret: bool,
    /// Says what is wrong with a text, never repeating it.
    pub(crate) judge: fn(&str) -> Result<(), String>,
}

impl std::fmt::Debug for TextKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("TextKind").field(&self.what).finish()
    }
}

/// Longest duration that is taken, in seconds: a week.
const WEEK_SECS: f64 = 604_800.0;

impl Shape {
    /// Seconds from `min` to a week; fractions allowed.
    pub(crate) const fn secs(min: f64) -> Self {
        Self::Number { min, max: WEEK_SECS, unit: "seconds" }
    }

    /// Bytes, at least one, at most a tebibyte.
    pub(crate) const fn bytes() -> Self {
        Self::Whole { min: 1, max: 1 << 40, unit: "bytes" }
    }

    /// A plain whole number.
    pub(crate) const fn count(min: u64, max: u64) -> Self {
        Self::Whole { min, max, unit: "" }
    }
}

impl Field {
    /// An optional, built key without a default.
    pub(crate) const fn new(name: &'static str, shape: Shape, doc: &'static str) -> Self {
        Self { name, shape, doc, required: false, default: None, status: Status::Built }
    }

    pub(crate) const fn required(mut self) -> Self {
        self.required = true;
        self
    }

    pub(crate) const fn default(mut self, text: &'static str) -> Self {
        self.default = Some(text);
        self
    }

    pub(crate) const fn not_yet(self) -> Self {
        self.not_yet_but(&[])
    }

    pub(crate) const fn not_yet_but(mut self, plain: &'static [&'static str]) -> Self {
        self.status = Status::NotYet { plain };
        self
    }

    pub(crate) const fn guard(self) -> Self {
        self.guard_but(&[])
    }

    pub(crate) const fn guard_but(mut self, plain: &'static [&'static str]) -> Self {
        self.status = Status::Guard { plain };
        self
    }
}
