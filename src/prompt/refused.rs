//! What a client asked that nobody can be asked.

/// A request that cannot be read, or that asks for what is not offered: the client's own 400.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct BadRequest {
    /// The field, as the client names it.
    pub param: Option<String>,
    /// OpenAI's `code`, such as `unsupported_parameter`.
    pub code: Option<&'static str>,
    /// What is wrong and, where there is one, the way out; no text of the prompt.
    pub message: String,
}

impl BadRequest {
    /// A field of the wrong form: `param`, and what it is to be.
    #[must_use]
    pub fn malformed(param: impl Into<String>, what: &str) -> Self {
        let param = param.into();
        Self { message: format!("{param}: {what}"), param: Some(param), code: None }
    }

    /// A field that is understood and not offered.
    #[must_use]
    pub fn unsupported(param: &str, what: &str) -> Self {
        Self {
            param: Some(param.to_owned()),
            code: Some("unsupported_parameter"),
            message: format!("unsupported parameter `{param}`: {what}"),
        }
    }
}
