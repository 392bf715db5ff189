//! The parts of a user's message, and the text of a tool's result.

use crate::prompt::{Document, DocumentSource, Image, ImageSource, Part, Text, ToolResult};

/// How a part of text begins.
const TEXT: &str = r#"{"type":"text","text":"#;

/// The content of a user's message, as JSON.
#[derive(Debug, Default)]
pub(super) struct Content {
    /// Each part as JSON.
    parts: String,
    count: usize,
    /// Whether the last part is text.
    ends_in_text: bool,
}

impl Content {
    pub(super) fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Adds a part; what chat cannot say was refused before.
    pub(super) fn push(&mut self, part: &Part<'_>) {
        match part {
            Part::Text(text) => self.text(text),
            Part::Image(image) => self.image(image),
            Part::Document(document) => self.document(document),
            Part::ToolReference(name) => self.text(&loaded(name)),
            Part::ToolCall(_)
            | Part::ToolResult(_)
            | Part::Thinking { .. }
            | Part::RedactedThinking(_)
            | Part::Native { .. } => {}
        }
    }

    /// Writes it: one text as a string, since that is what the oldest servers take.
    pub(super) fn write(&self, out: &mut String) {
        let only = self.parts.strip_prefix(TEXT).and_then(|rest| rest.strip_suffix('}'));
        if let (1, true, Some(text)) = (self.count, self.ends_in_text, only) {
            out.push_str(text);
            return;
        }
        out.push('[');
        out.push_str(&self.parts);
        out.push(']');
    }

    fn text(&mut self, text: &Text<'_>) {
        if text.is_empty() {
            return;
        }
        self.begin(TEXT);
        self.parts.push_str(text.as_json());
        self.parts.push('}');
        self.ends_in_text = true;
    }

    fn image(&mut self, image: &Image<'_>) {
        let (prefix, url) = match &image.source {
            ImageSource::Base64 { media_type, data } => {
                (format!("data:{};base64,", media_type.escaped()), data)
            }
            ImageSource::Url(url) => (String::new(), url),
            ImageSource::File(_) => return,
        };
        self.begin(r#"{"type":"image_url","image_url":"#);
        self.parts.push_str("{\"url\":\"");
        self.parts.push_str(&prefix);
        self.parts.push_str(url.escaped());
        self.parts.push('"');
        if let Some(detail) = &image.detail {
            self.parts.push_str(",\"detail\":");
            self.parts.push_str(detail.as_json());
        }
        self.parts.push_str("}}");
    }

    fn document(&mut self, document: &Document<'_>) {
        match &document.source {
            DocumentSource::Pdf(data) => {
                self.begin(r#"{"type":"file","file":"#);
                self.parts.push_str("{\"filename\":");
                self.parts.push_str(document.title.as_ref().map_or("\"document.pdf\"", Text::as_json));
                self.parts.push_str(",\"file_data\":\"data:application/pdf;base64,");
                self.parts.push_str(data.escaped());
                self.parts.push_str("\"}}");
            }
            DocumentSource::Text(_) | DocumentSource::Parts(_) => {
                self.text(&document_text(document));
                if let DocumentSource::Parts(parts) = &document.source {
                    for part in parts.iter().filter(|part| !matches!(part, Part::Text(_))) {
                        self.push(part);
                    }
                }
            }
            DocumentSource::Url(_) | DocumentSource::File(_) => {}
        }
    }

    fn begin(&mut self, start: &str) {
        if self.count > 0 {
            self.parts.push(',');
        }
        self.count = self.count.saturating_add(1);
        self.ends_in_text = false;
        self.parts.push_str(start);
    }

    fn append(&mut self, other: &Self) {
        if other.count > 0 {
            self.begin(&other.parts);
            self.count = self.count.saturating_add(other.count).saturating_sub(1);
        }
    }
}

fn loaded(name: &Text<'_>) -> Text<'static> {
    Text::join([&Text::plain("loaded: "), name], "")
}

/// A document of texts, title and context first.
fn document_text(document: &Document<'_>) -> Text<'static> {
    let mut lines: Vec<Text<'_>> = Vec::new();
    lines.extend([&document.title, &document.context].into_iter().flatten().map(Text::by_ref));
    match &document.source {
        DocumentSource::Text(text) => lines.push(text.by_ref()),
        DocumentSource::Parts(parts) => lines.extend(parts.iter().filter_map(|part| match part {
            Part::Text(text) => Some(text.by_ref()),
            _ => None,
        })),
        DocumentSource::Pdf(_) | DocumentSource::Url(_) | DocumentSource::File(_) => {}
    }
    Text::join(&lines, "\n")
}

/// Writes the text of a result as JSON. Pictures and files go to `after`, with a label that says whose they
/// are: a message of a tool carries text alone, and one with a picture only must not look empty.
pub(super) fn write_result(out: &mut String, result: &ToolResult<'_>, after: &mut Content) {
    let mut lines: Vec<Text<'_>> = Vec::new();
    let mut shown = Content::default();
    gather(&result.parts, &mut lines, &mut shown);
    if !shown.is_empty() {
        lines.push(Text::plain("(see the attachment of this call in the next user message)"));
        after.text(&Text::join(
            [&Text::plain("Attachment of tool call "), &result.call, &Text::plain(":")],
            "",
        ));
        after.append(&shown);
    }
    if lines.iter().all(Text::is_empty) {
        lines = vec![Text::plain("(no output)")];
    }
    out.push('"');
    if result.is_error {
        out.push_str("Error: ");
    }
    out.push_str(Text::join(&lines, "\n").escaped());
    out.push('"');
}

fn gather<'p>(parts: &'p [Part<'_>], lines: &mut Vec<Text<'p>>, shown: &mut Content) {
    for part in parts {
        match part {
            Part::Text(text) => lines.push(text.by_ref()),
            Part::ToolReference(name) => lines.push(loaded(name)),
            Part::Image(image) => shown.image(image),
            Part::Document(document) => match &document.source {
                DocumentSource::Pdf(_) => shown.document(document),
                DocumentSource::Parts(parts) => {
                    lines.push(document_text(document));
                    for part in parts.iter().filter(|part| !matches!(part, Part::Text(_))) {
                        shown.push(part);
                    }
                }
                _ => lines.push(document_text(document)),
            },
            _ => {}
        }
    }
}
