//! Words of the format that stand for choices.

use crate::json::{
    codes,
    context::Context,
    decode::Wire,
    schema_parts,
    token::{Token, quote},
};
use cfg_core::{
    diagnostic::similar::did_you_mean_text,
    ir::{Control, IntType, Intent, Order, ScalarType, VertexType},
};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use std::borrow::Cow;

/// The test of a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Test {
    Pre,
    Post,
    Counted,
}

/// Words of the format that stand for values of `Self`.
pub(super) trait Words: Copy + PartialEq + 'static {
    /// The name of a value of the type, with an article.
    const WHAT: &'static str;
    /// All values.
    const ALL: &'static [Self];
    /// The word that stands in a file.
    fn name(self) -> &'static str;
    /// The names of the values in other languages, where spelling does not suggest ours.
    const ELSEWHERE: &'static [(&'static str, Self)] = &[];
    /// The value of another spelling that files may have.
    fn alias(_: &str) -> Option<Self> {
        None
    }
    /// Advice for a word that is none of these choices.
    fn advice(_: &str) -> Option<&'static str> {
        None
    }
}

macro_rules! words {
    ($($ty:ty, $what:literal, $all:expr, $name:expr $(, elsewhere $elsewhere:expr)? $(, advice $advice:expr)? $(, alias $alias:expr)?;)*) => {
        $(impl Words for $ty {
            $(const ELSEWHERE: &'static [(&'static str, Self)] = &$elsewhere;)?
            $(fn advice(word: &str) -> Option<&'static str> {
                let advice: fn(&str) -> Option<&'static str> = $advice;
                advice(word)
            })?
            $(fn alias(word: &str) -> Option<Self> {
                let alias: fn(&str) -> Option<Self> = $alias;
                alias(word)
            })?
            const WHAT: &'static str = $what;
            const ALL: &'static [Self] = $all;
            fn name(self) -> &'static str {
                let name: fn($ty) -> &'static str = $name;
                name(self)
            }
        })*
    };
}

words! {
    ScalarType, "a type", &ScalarType::ALL, ScalarType::name, elsewhere [
        ("double", ScalarType::Real),
        ("double precision", ScalarType::Real),
        ("float64", ScalarType::Real),
        ("real64", ScalarType::Real),
        ("number", ScalarType::Real),
        ("f64", ScalarType::Real),
        ("float", ScalarType::Real32),
        ("float32", ScalarType::Real32),
        ("f32", ScalarType::Real32),
        ("int", ScalarType::Integer),
        ("i64", ScalarType::Integer),
        ("i8", ScalarType::Sized(IntType::Int8)),
        ("i16", ScalarType::Sized(IntType::Int16)),
        ("i32", ScalarType::Sized(IntType::Int32)),
        ("u8", ScalarType::Sized(IntType::Uint8)),
        ("u16", ScalarType::Sized(IntType::Uint16)),
        ("u32", ScalarType::Sized(IntType::Uint32)),
        ("u64", ScalarType::Sized(IntType::Uint64)),
        ("bool", ScalarType::Logical),
        ("boolean", ScalarType::Logical),
    ], alias ScalarType::from_name;
    Order, "a storage order", &[Order::Row, Order::Column], Order::name, elsewhere [
        ("C", Order::Row),
        ("row-major", Order::Row),
        ("F", Order::Column),
        ("fortran", Order::Column),
        ("column-major", Order::Column),
    ];
    Intent, "an intent", &[Intent::In, Intent::Out, Intent::InOut], Intent::name, elsewhere [
        ("input", Intent::In),
        ("output", Intent::Out),
        ("in/out", Intent::InOut),
        ("in out", Intent::InOut),
    ];
    VertexType, "a type of vertex", &VertexType::ALL, VertexType::name, advice control_word;
    Test, "a loop test", &[Test::Pre, Test::Post, Test::Counted], |test| match test {
        Test::Pre => "pre",
        Test::Post => "post",
        Test::Counted => "counted",
    }, elsewhere [
        ("while", Test::Pre),
        ("until", Test::Post),
        ("do", Test::Post),
        ("do-while", Test::Post),
        ("for", Test::Counted),
    ];
    Control, "a kind of control flow", &[Control::Structured, Control::General], control_name, elsewhere [
        ("unstructured", Control::General),
        ("any", Control::General),
        ("goto", Control::General),
    ];
}

/// The name in files.
pub(super) fn control_name(control: Control) -> &'static str {
    match control {
        Control::Structured => "structured",
        Control::General => "general",
    }
}

/// Advice on words of other languages that a graph expresses by its edges.
pub(super) fn control_word(word: &str) -> Option<&'static str> {
    Some(match &*word.to_ascii_lowercase() {
        "while" => {
            "a loop tested first is {\"type\": \"LOOP\", \"test\": \"pre\", \"condition\": ...}; its body ends at an ENDLOOP"
        }
        "until" | "repeat" | "dowhile" => {
            "a loop tested last is {\"type\": \"LOOP\", \"test\": \"post\", \"condition\": ...}; its body ends at an ENDLOOP"
        }
        "for" | "do" | "foreach" => {
            "a counted loop is {\"type\": \"LOOP\", \"test\": \"counted\", \"index\": ..., \"first\": ..., \"last\": ...}; its body ends at an ENDLOOP"
        }
        "endwhile" | "endfor" | "enddo" | "wend" | "loopend" => {
            "the end of a loop's body is an ENDLOOP"
        }
        "if" | "else" | "elseif" | "elif" | "then" => {
            "a decision is {\"type\": \"BRANCH\", \"condition\": ...}; its arms meet at an ENDBRANCH"
        }
        "switch" | "case" | "select" => {
            "a decision is {\"type\": \"BRANCH\", \"selector\": ..., \"arms\": ...}; its arms meet at an ENDBRANCH"
        }
        "endif" | "fi" | "endselect" | "endswitch" | "merge" | "join" | "phi" => {
            "the vertex at which the arms of a branch meet is an ENDBRANCH"
        }
        "block" | "basic" | "statement" | "statements" | "assign" | "node" => {
            "a vertex with statements is a BASICBLOCK"
        }
        "start" | "begin" => "the first vertex is the ENTRY",
        "end" | "stop" | "return" | "finish" => {
            "the last vertex is the EXIT; an early return is an edge to it, in a routine with \"control\": \"general\""
        }
        "break" | "continue" | "cycle" | "goto" | "jump" => {
            "a jump is an edge, in a routine with \"control\": \"general\""
        }
        "call" => "a call is a statement of a BASICBLOCK: [\"call\", \"f\", [\"x\"]]",
        _ => return None,
    })
}

/// One of a few words.
pub(super) struct OneOf<T>(std::marker::PhantomData<T>);

impl<T: Words> Wire for OneOf<T> {
    type Out = T;
    const WHAT: &'static str = T::WHAT;

    fn scalar(token: Token<'_>, cx: &mut Context) -> Option<T> {
        let Token::Text(word) = token else {
            cx.wrong_type(Self::WHAT, &token);
            return None;
        };
        let all = || T::ALL.iter().copied();
        let found = all().find(|t| t.name() == word).or_else(|| T::alias(word));
        if found.is_some() {
            return found;
        }
        // The intended word is used for further checks.
        let lower = word.to_lowercase();
        let elsewhere = T::ELSEWHERE.iter().find(|e| e.0.to_lowercase() == lower);
        let near = match elsewhere {
            Some(&(_, meant)) => Some(meant),
            None => {
                let near = cx.nearest(word, T::ALL.iter().map(|t| t.name()));
                T::ALL.iter().copied().find(|t| Some(t.name()) == near)
            }
        };
        let help = match (near, T::advice(word)) {
            (Some(near), _) => did_you_mean_text(near.name()),
            (None, Some(advice)) => advice.to_owned(),
            (None, None) => {
                let all: Vec<String> = T::ALL.iter().map(|t| quote(t.name())).collect();
                format!("write {}", all.join(", "))
            }
        };
        let message = format!("{} is not {}", quote(word), T::WHAT);
        cx.report(&codes::UNKNOWN_WORD, message, help);
        near
    }
}

impl<T: Words> JsonSchema for OneOf<T> {
    fn schema_name() -> Cow<'static, str> {
        T::WHAT.into()
    }
    fn inline_schema() -> bool {
        true
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        schema_parts::words(T::ALL.iter().map(|t| t.name()))
    }
}
