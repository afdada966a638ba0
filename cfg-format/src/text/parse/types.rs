//! Types: built-in ones, records, and pointers to both.

use super::{Parse, Parser, codes};
use cfg_core::{
    diagnostic::similar::did_you_mean,
    ir::{PointerType, ScalarType},
};

impl Parser<'_> {
    pub(super) fn scalar_type(&mut self) -> Option<ScalarType> {
        let spelled = self.token_text(self.current_token());
        let ty = ScalarType::from_name(spelled)?;
        self.at += 1;
        Some(ty)
    }

    /// The type of a declaration, `^` before it for each pointer.
    pub(super) fn expected_type(&mut self) -> Parse<ScalarType> {
        let start = self.current_token().start;
        let mut pointers = 0;
        while self.take_symbol("^") {
            pointers += 1;
        }
        let mut ty = self.parse_pointee()?;
        for _ in 0..pointers {
            ty = ScalarType::Pointer(self.pointer_to(ty, start)?);
        }
        Ok(ty)
    }

    /// The pointer to a type that stands at `start`.
    pub(super) fn pointer_to(&mut self, pointee: ScalarType, start: usize) -> Parse<PointerType> {
        if let Some(pointer) = PointerType::to(pointee) {
            return Ok(pointer);
        }
        let (message, help) = match pointee.is_tape() {
            true => (
                "a pointer to a tape".to_owned(),
                "hand the tape on as a parameter",
            ),
            false => (
                format!("more than {} pointers in a row", PointerType::MAX_DEPTH),
                "put some of them into the fields of records",
            ),
        };
        Err(self.report(start, &codes::SYNTAX, message, help))
    }

    /// A type that is no pointer.
    fn parse_pointee(&mut self) -> Parse<ScalarType> {
        if let Some(ty) = self.scalar_type() {
            return Ok(ty);
        }
        if self.is_word("record") {
            self.at += 1;
            return self.record_type();
        }
        let spelled = self.token_text(self.current_token());
        let help = match Self::other_type(spelled) {
            Some(other) => format!("write `{other}`"),
            None => did_you_mean(spelled, ScalarType::ALL.map(ScalarType::name))
                .unwrap_or_else(|| "types are real, real32, integer, logical, tape, and `record` with the name of one".to_owned()),
        };
        Err(self.report_unexpected("a type", &help))
    }

    /// The name of a record after `record`.
    fn record_type(&mut self) -> Parse<ScalarType> {
        let at = self.current_token().start;
        let name = self.parse_name("the name of a record")?;
        if let Some(&id) = self.records.get(&name) {
            return Ok(ScalarType::Record(id));
        }
        let known = || self.records.keys().map(String::as_str).collect();
        let help = (self.suggestions.suggest(&name, known)).unwrap_or_else(|| {
            format!("declare it outside of routines: `record {name}`, a line for each field, `end`")
        });
        let message = format!("unknown record `{name}`");
        Err(self.report(at, &codes::UNKNOWN, message, help))
    }

    /// The type that other languages call by this word.
    pub(super) fn other_type(word: &str) -> Option<&'static str> {
        match word {
            "double" | "float64" | "f64" => Some("real"),
            "float" | "float32" | "f32" => Some("real32"),
            "int" | "int64" | "i64" => Some("integer"),
            "bool" | "boolean" => Some("logical"),
            _ => None,
        }
    }
}
