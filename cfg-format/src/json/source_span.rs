//! Reading the spans of elements: their places in the sources.

use crate::json::{
    codes,
    context::Context,
    decode::{Wire, next_element, skip_array},
    token::Token,
};
use cfg_core::ir::Span;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::SeqAccess;
use std::borrow::Cow;

/// `[source, line, column, last line, column behind the end]`.
pub(in crate::json) struct SourceSpan;

impl Wire for SourceSpan {
    type Out = Span;
    const WHAT: &'static str = "a span [source, line, column, last line, column behind the end]";

    fn array<'de, A: SeqAccess<'de>>(
        mut seq: A,
        cx: &mut Context,
    ) -> Result<Option<Span>, A::Error> {
        let mut numbers = [0u32; 5];
        let mut complete = true;
        for (k, number) in numbers.iter_mut().enumerate() {
            let read = if k == 0 {
                next_element::<Source, A>(&mut seq, k, cx)?
            } else {
                next_element::<Position, A>(&mut seq, k, cx)?
            };
            match read {
                Some(Some(value)) => *number = value,
                Some(None) => complete = false,
                None => {
                    wrong_length(cx);
                    return Ok(None);
                }
            }
        }
        if skip_array(seq)? > 0 {
            wrong_length(cx);
            return Ok(None);
        }
        let [source, rest @ ..] = numbers;
        Ok(Span::new(source, rest).filter(|_| complete))
    }
}

fn wrong_length(cx: &mut Context) {
    cx.report(
        &codes::WRONG_TYPE,
        "a span has five numbers",
        "write [source, line, column, last line, column behind the end]",
    );
}

/// The position of a source, from 0.
struct Source;

impl Wire for Source {
    type Out = u32;
    const WHAT: &'static str = "the position of a source, from 0";

    fn scalar(token: Token<'_>, cx: &mut Context) -> Option<u32> {
        number(token, 0, cx)
    }
}

/// A line or column, from 1.
struct Position;

impl Wire for Position {
    type Out = u32;
    const WHAT: &'static str = "a line or column, from 1";

    fn scalar(token: Token<'_>, cx: &mut Context) -> Option<u32> {
        number(token, 1, cx)
    }
}

fn number(token: Token<'_>, least: u32, cx: &mut Context) -> Option<u32> {
    let value = i64::scalar(token, cx)?;
    let number = u32::try_from(value).ok().filter(|&n| n >= least);
    if number.is_none() {
        cx.report(
            &codes::WRONG_TYPE,
            format!("{value} in a span"),
            "sources count from 0, lines and columns from 1, each below 2^32",
        );
    }
    number
}

impl JsonSchema for SourceSpan {
    fn schema_name() -> Cow<'static, str> {
        "Span".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let number = |least: u32| serde_json::json!({ "type": "integer", "minimum": least, "maximum": u32::MAX });
        json_schema!({
            "description": "A piece of a source: its position in `sources`, line, column, last line, column behind the end.",
            "type": "array",
            "prefixItems": [number(0), number(1), number(1), number(1), number(1)],
            "items": false,
            "minItems": 5,
        })
    }
}
