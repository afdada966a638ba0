//! Words of the format that stand for choices.

use crate::{
    ir::{Control, Intent, Order, ScalarType, VertexType},
    json::{
        codes,
        context::Context,
        schema,
        statement::{RoutineName, VariableName},
        token::{Token, Wire, quote},
    },
};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use std::borrow::Cow;

/// How a loop is tested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::json) enum Test {
    Pre,
    Post,
    Counted,
}

/// Words of the format that stand for values of `Self`.
pub(in crate::json) trait Words: Copy + PartialEq + 'static {
    /// With an article.
    const WHAT: &'static str;
    /// All values.
    const ALL: &'static [Self];
    /// The word.
    fn name(self) -> &'static str;
}

macro_rules! words {
    ($($ty:ty, $what:literal, $all:expr, $name:expr;)*) => {
        $(impl Words for $ty {
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
    ScalarType, "a type", &ScalarType::ALL, ScalarType::name;
    Order, "a storage order", &[Order::Row, Order::Column], Order::name;
    Intent, "an intent", &[Intent::In, Intent::Out, Intent::InOut], Intent::name;
    VertexType, "a type of vertex", &VertexType::ALL, VertexType::name;
    Test, "a loop test", &[Test::Pre, Test::Post, Test::Counted], |test| match test {
        Test::Pre => "pre",
        Test::Post => "post",
        Test::Counted => "counted",
    };
    Control, "a kind of control flow", &[Control::Structured, Control::General], control_name;
}

/// The name in files.
pub(in crate::json) fn control_name(control: Control) -> &'static str {
    match control {
        Control::Structured => "structured",
        Control::General => "general",
    }
}

/// One of a few words.
pub(in crate::json) struct OneOf<T>(std::marker::PhantomData<T>);

impl<T: Words> Wire for OneOf<T> {
    type Out = T;
    const WHAT: &'static str = T::WHAT;

    fn scalar(token: Token<'_>, cx: &mut Context) -> Option<T> {
        let Token::Text(word) = token else {
            cx.wrong_type(Self::WHAT, &token);
            return None;
        };
        let found = T::ALL.iter().copied().find(|t| t.name() == word);
        if found.is_none() {
            let all: Vec<String> = T::ALL.iter().map(|t| quote(t.name())).collect();
            let otherwise = format!("write {}", all.join(", "));
            let help = cx.suggest(word, T::ALL.iter().map(|t| t.name()), &otherwise);
            let message = format!("{} is not {}", quote(word), T::WHAT);
            cx.report(&codes::UNKNOWN_WORD, message, help);
        }
        found
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
        schema::words(T::ALL.iter().map(|t| t.name()))
    }
}

macro_rules! string_schema {
    ($($ty:ty)*) => {
        $(impl JsonSchema for $ty {
            fn schema_name() -> Cow<'static, str> {
                stringify!($ty).into()
            }
            fn inline_schema() -> bool {
                true
            }
            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!({ "type": "string" })
            }
        })*
    };
}
string_schema!(RoutineName VariableName);
