//! The words that declarations begin with, for the parser and for the scan of `reach`.

/// Words that a type is made of.
pub(crate) const TYPES: &[&str] = &[
    "void",
    "char",
    "short",
    "int",
    "long",
    "float",
    "double",
    "signed",
    "unsigned",
    "__signed",
    "__signed__",
    "_Bool",
    "_Complex",
    "_Imaginary",
    "__complex__",
    "__complex",
];

/// Other words that declarations begin with, but for those before tags.
pub(crate) const SPECIFIERS: &[&str] = &[
    "typedef",
    "extern",
    "static",
    "auto",
    "register",
    "inline",
    "__inline",
    "__inline__",
    "_Noreturn",
    "const",
    "volatile",
    "restrict",
    "__restrict",
    "__restrict__",
    "__const",
    "__const__",
    "__volatile",
    "__volatile__",
    "__attribute",
    "__attribute__",
    "_Thread_local",
    "__thread",
    "_Alignas",
    "__typeof",
    "__typeof__",
    "typeof",
    "_Atomic",
];

/// Words that stand before tags.
pub(crate) const TAGGED: &[&str] = &["struct", "union", "enum"];

/// True of words that begin or end statements.
pub(crate) fn is_keyword(word: &str) -> bool {
    matches!(
        word,
        "break"
            | "case"
            | "continue"
            | "default"
            | "do"
            | "else"
            | "for"
            | "goto"
            | "if"
            | "return"
            | "switch"
            | "while"
    )
}
