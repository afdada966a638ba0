//! Characters that XML has no way to write (XML 1.0, section 2.2), not even as references.

use std::borrow::Cow;

/// True of a character that a document may have.
pub(crate) fn is_legal(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r' | ' '..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..)
}

/// True of a text that comes back from a document as it was.
pub(crate) fn is_legal_text(text: &str) -> bool {
    text.chars().all(is_legal)
}

/// JSON text in which characters that a document cannot have are escapes: they stand in strings only.
pub(crate) fn json(text: &str) -> Cow<'_, str> {
    if is_legal_text(text) {
        return text.into();
    }
    let mut escaped = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if is_legal(c) {
            escaped.push(c);
        } else {
            // All of them are below U+10000.
            escaped.push_str(&format!("\\u{:04x}", u32::from(c)));
        }
    }
    escaped.into()
}

/// A text with illegal characters replaced, for names that need not come back: the declarations have the original.
pub(crate) fn replaced(text: &str, replacement: char) -> Cow<'_, str> {
    if is_legal_text(text) {
        return text.into();
    }
    let legal = |c| if is_legal(c) { c } else { replacement };
    text.chars().map(legal).collect::<String>().into()
}
