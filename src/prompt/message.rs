//! What is said in a prompt.

use super::{Json, Text};

/// Who speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    /// The person, or a program on its behalf; tool results stand in these messages.
    User,
    /// The model.
    Assistant,
    /// The operator, in the middle of a conversation.
    System,
}

/// One turn.
#[derive(Debug, Clone, PartialEq)]
pub struct Message<'a> {
    /// Who speaks.
    pub role: Role,
    /// What is said, in order.
    pub parts: Vec<Part<'a>>,
}

/// One piece of a turn.
#[derive(Debug, Clone, PartialEq)]
pub enum Part<'a> {
    /// Words.
    Text(Text<'a>),
    /// A picture.
    Image(Image<'a>),
    /// A document.
    Document(Document<'a>),
    /// The model calls a tool.
    ToolCall(ToolCall<'a>),
    /// What a tool gave.
    ToolResult(ToolResult<'a>),
    /// The name of a tool that was found and is loaded from here on.
    ToolReference(Text<'a>),
    /// What the model thought. A signature binds it to the model and the conversation that it came from.
    Thinking {
        /// The words; may be empty.
        text: Text<'a>,
        /// The vendor's proof, where there is one.
        signature: Option<Text<'a>>,
    },
    /// Thought that only its vendor can read.
    RedactedThinking(Text<'a>),
    /// What only the wire that it came from can say.
    Native {
        /// Its type on that wire.
        kind: Text<'a>,
        /// All of it.
        raw: Json<'a>,
    },
}

/// A picture.
#[derive(Debug, Clone, PartialEq)]
pub struct Image<'a> {
    /// Where it is.
    pub source: ImageSource<'a>,
    /// OpenAI's `detail`.
    pub detail: Option<Text<'a>>,
}

/// Where a picture is.
#[derive(Debug, Clone, PartialEq)]
pub enum ImageSource<'a> {
    /// Here.
    Base64 {
        /// Its media type.
        media_type: Text<'a>,
        /// Its bytes in base64.
        data: Text<'a>,
    },
    /// At an address.
    Url(Text<'a>),
    /// At the vendor, under an id.
    File(Text<'a>),
}

/// A document.
#[derive(Debug, Clone, PartialEq)]
pub struct Document<'a> {
    /// Its title, or the name of its file.
    pub title: Option<Text<'a>>,
    /// What the sender says about it, not to be cited.
    pub context: Option<Text<'a>>,
    /// Where it is.
    pub source: DocumentSource<'a>,
}

/// Where a document is.
#[derive(Debug, Clone, PartialEq)]
pub enum DocumentSource<'a> {
    /// A PDF, here, in base64.
    Pdf(Text<'a>),
    /// Plain text.
    Text(Text<'a>),
    /// Texts and pictures.
    Parts(Vec<Part<'a>>),
    /// At an address.
    Url(Text<'a>),
    /// At the vendor, under an id.
    File(Text<'a>),
}

/// A call of a tool.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolCall<'a> {
    /// Ties the call to its result.
    pub id: Text<'a>,
    /// The tool.
    pub name: Text<'a>,
    /// An object. For a tool that takes free text: `{"input": "…"}`.
    pub input: Json<'a>,
}

/// What a tool gave.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolResult<'a> {
    /// The id of the call.
    pub call: Text<'a>,
    /// Texts, pictures, documents and references to tools; none when the tool said nothing.
    pub parts: Vec<Part<'a>>,
    /// Whether the tool failed.
    pub is_error: bool,
}
