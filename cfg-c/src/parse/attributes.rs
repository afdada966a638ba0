//! Words in declarations that are no part of a type: attributes, alignments, names for the linker.

use super::{Parse, Parser};
use crate::{codes, lex::Kind, source::Problem};

/// The meaning of attributes, as far as it matters here.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Attributes {
    /// True if the function does not return.
    pub(super) noreturn: bool,
    /// The attribute that makes a type an unsupported one.
    pub(super) refused: Option<&'static str>,
    /// True if the layout of members is not that of C.
    pub(super) layout: bool,
}

impl Attributes {
    /// Adds the meaning of other attributes.
    pub(super) fn extend(&mut self, other: Self) {
        self.noreturn |= other.noreturn;
        self.refused = self.refused.or(other.refused);
        self.layout |= other.layout;
    }
}

/// True of the words that [`Parser::parse_attributes`] passes, together with the parentheses behind them.
pub(super) fn is_attribute(word: &str) -> bool {
    matches!(
        word,
        "__attribute__" | "__attribute" | "asm" | "__asm" | "__asm__" | "_Alignas"
    )
}

impl Parser<'_> {
    /// Passes attributes.
    pub(super) fn parse_attributes(&mut self) -> Parse<Attributes> {
        let mut found = Attributes::default();
        loop {
            let token = self.peek();
            let from = self.at;
            if token.kind == Kind::Ident && is_attribute(&token.text) && self.peek_nth(1).is("(") {
                let is_list = !token.text.contains("asm");
                self.next();
                self.skip_between("(", ")")?;
                if is_list {
                    self.note_attributes(from, &mut found);
                }
            } else if self.is_bracketed() {
                self.skip_between("[", "]")?;
                self.note_attributes(from, &mut found);
            } else {
                return Ok(found);
            }
        }
    }

    /// True if an attribute behind the present parenthesis belongs to a pointer, as in `(__attribute__((x))
    /// *f)(int)`.
    pub(super) fn attribute_of_pointer(&self) -> bool {
        let mut depth = 0usize;
        let mut behind = self.tokens[self.at..].iter().skip(2).skip_while(move |t| {
            depth += usize::from(t.is("("));
            depth = depth.saturating_sub(usize::from(t.is(")")));
            depth > 0
        });
        behind.nth(1).is_some_and(|t| t.is("*"))
    }

    /// True if an attribute of C23 begins, as in `[[noreturn]]`.
    pub(super) fn is_bracketed(&self) -> bool {
        self.peek().is("[") && self.peek_nth(1).is("[")
    }

    /// Notes the meaning of the attributes from a token on, which have been passed.
    fn note_attributes(&mut self, from: usize, found: &mut Attributes) {
        for token in &self.tokens[from..self.at] {
            let name = token.text.trim_matches('_');
            match name {
                "noreturn" | "Noreturn" => found.noreturn = true,
                "vector_size" | "ext_vector_type" => found.refused = Some("a vector"),
                "mode" => found.refused = Some("a type of a mode"),
                "packed"
                | "scalar_storage_order"
                | "gcc_struct"
                | "ms_struct"
                | "aligned"
                | "Alignas" => found.layout = true,
                "cleanup" => self.unit.refused.push(Problem {
                    certain: false,
                    info: &codes::CLEANUP,
                    at: token.at,
                    message: "a function is called where the variable goes out of scope".to_owned(),
                    help: "call it in the text",
                }),
                _ => {}
            }
        }
    }
}
