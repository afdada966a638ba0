//! serde_json's tokens, and how messages show them.

/// A value that is neither array nor object.
#[derive(Clone, Copy, Debug)]
pub(super) enum Token<'t> {
    /// The value `null`.
    Null,
    /// The value `true` or `false`.
    Logical(bool),
    /// A number without `.` and exponent that fits 64 bits.
    Int(i64),
    /// A number without `.` and exponent that does not fit 64 bits; reported before parsing.
    WideInt(u64),
    /// A number with `.` or exponent.
    Real(f64),
    /// A string.
    Text(&'t str),
    /// An array, which is no scalar.
    Array,
    /// An object, which is no scalar.
    Object,
}

impl Token<'_> {
    /// The token in words, for messages.
    pub(super) fn describe(&self) -> String {
        match self {
            Self::Null => "null".to_owned(),
            Self::Logical(b) => b.to_string(),
            Self::Int(i) => format!("the integer {i}"),
            Self::WideInt(u) => format!("the integer {u}"),
            Self::Real(r) => format!("the real {r:?}"),
            Self::Text(t) => format!("the string {}", quote(t)),
            Self::Array => "an array".to_owned(),
            Self::Object => "an object".to_owned(),
        }
    }
}

/// A name or text for use in a message: JSON quotes and escapes, and not too long.
pub(super) fn quote(text: &str) -> String {
    const LONGEST: usize = 60;
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{:?}...", &text[..end]),
        None => format!("{text:?}"),
    }
}
