//! How an answer is to be made.

use super::{Json, Text};

/// Numbers of the sampler, as they are written.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Sampling<'a> {
    /// `temperature`.
    pub temperature: Option<Json<'a>>,
    /// `top_p`.
    pub top_p: Option<Json<'a>>,
    /// `top_k`.
    pub top_k: Option<Json<'a>>,
}

/// Whether and how much the model is to think.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Reasoning {
    /// What was said of thinking.
    pub thinking: Option<Thinking>,
    /// What was said of effort.
    pub effort: Option<Effort>,
    /// Whether the client wants to see what is thought.
    pub show: bool,
}

/// What was said of thinking.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Thinking {
    /// As much as the model sees fit.
    Adaptive,
    /// At most so many tokens.
    Budget(u64),
    /// None.
    Disabled,
}

/// How much effort an answer is worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Effort {
    /// `none`
    None,
    /// `minimal`
    Minimal,
    /// `low`
    Low,
    /// `medium`
    Medium,
    /// `high`
    High,
    /// `xhigh`
    XHigh,
    /// `max`
    Max,
}

impl Effort {
    /// All of them, least first.
    pub const ALL: [Self; 7] =
        [Self::None, Self::Minimal, Self::Low, Self::Medium, Self::High, Self::XHigh, Self::Max];

    /// The word that both vendors have for it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Minimal => "minimal",
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
            Self::XHigh => "xhigh",
            Self::Max => "max",
        }
    }

    /// Reads the word.
    #[must_use]
    pub fn of(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|effort| effort.name() == name)
    }
}

/// The form that an answer is to have.
#[derive(Debug, Clone, PartialEq)]
pub enum OutputFormat<'a> {
    /// JSON that follows a schema.
    Schema {
        /// What the schema is called.
        name: Option<Text<'a>>,
        /// The schema.
        schema: Json<'a>,
        /// Whether it is to be followed to the letter.
        strict: Option<bool>,
    },
    /// Any JSON object.
    Object,
}
