//! Annotations, and the origin of generated elements inside them.

use super::{
    codes,
    context::{Context, Seg},
    decode::{Seed, Wire},
    token::Token,
};
use cfg_core::ir::{Annotations, NameOrigin, Origin, OriginRole};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{MapAccess, SeqAccess};
use serde_json::{Map, Value};
use std::borrow::Cow;

/// Annotations: an object with anything inside.
pub(super) struct FreeForm;

impl Wire for FreeForm {
    type Out = Map<String, Value>;
    const WHAT: &'static str = "an object";

    fn object<'de, A: MapAccess<'de>>(
        map: A,
        cx: &mut Context,
    ) -> Result<Option<Self::Out>, A::Error> {
        match Anything::object(map, cx)? {
            Some(Value::Object(map)) => Ok(Some(map)),
            _ => Ok(None),
        }
    }
}

impl JsonSchema for FreeForm {
    fn schema_name() -> Cow<'static, str> {
        "Annotations".into()
    }
    fn inline_schema() -> bool {
        true
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "object" })
    }
}

/// Any JSON value, read by hand so that members given twice are found.
struct Anything;

impl Wire for Anything {
    type Out = Value;
    const WHAT: &'static str = "a value";

    fn scalar(token: Token<'_>, _: &mut Context) -> Option<Value> {
        Some(match token {
            Token::Null | Token::WideInt(_) | Token::Array | Token::Object => Value::Null,
            Token::Logical(b) => Value::Bool(b),
            Token::Int(i) => Value::from(i),
            Token::Real(r) => Value::from(r),
            Token::Text(t) => Value::from(t),
        })
    }

    fn array<'de, A: SeqAccess<'de>>(seq: A, cx: &mut Context) -> Result<Option<Value>, A::Error> {
        Ok(Vec::<Self>::array(seq, cx)?.map(Value::Array))
    }

    fn object<'de, A: MapAccess<'de>>(
        mut map: A,
        cx: &mut Context,
    ) -> Result<Option<Value>, A::Error> {
        let mut object = Map::new();
        while let Some(name) = map.next_key::<String>()? {
            if object.contains_key(&name) {
                cx.duplicate_member(&name);
                map.next_value::<serde::de::IgnoredAny>()?;
                continue;
            }
            cx.path.push(Seg::Name(name.as_str().into()));
            let value = map.next_value_seed(Seed::<Self>::new(cx))?;
            cx.path.pop();
            object.insert(name, value.unwrap_or_default());
        }
        Ok(Some(Value::Object(object)))
    }
}

/// Annotations of these members; `None` if there are none.
pub(super) fn boxed(annotations: Map<String, Value>) -> Annotations {
    (!annotations.is_empty()).then(|| Box::new(annotations))
}

/// The member of annotations that generated elements have.
pub(super) const ORIGIN: &str = "cfgrev";

fn reserved(wanted: &str, cx: &mut Context) {
    cx.at_segment(Seg::Key("annotations"), |cx| {
        cx.report_at(
            Seg::Key(ORIGIN),
            &codes::RESERVED,
            "the annotation `cfgrev` is not an origin",
            format!("use another key, or write {wanted}"),
        );
    });
}

/// Takes the origin of a routine or variable out of its annotations: name and role.
pub(super) fn named_origin(
    annotations: &mut Map<String, Value>,
    cx: &mut Context,
) -> Option<Box<NameOrigin>> {
    let value = annotations.remove(ORIGIN)?;
    let links = value.get("links").map(|links| {
        let names = links.as_array()?.iter();
        let names = names.map(|name| name.as_str().map(str::to_owned));
        names.collect::<Option<Vec<String>>>()
    });
    match (value.get("of"), value.get("role"), value.as_object()) {
        (Some(Value::String(of)), Some(Value::String(role)), Some(map))
            if map.len() == 2 + usize::from(links.is_some()) && links != Some(None) =>
        {
            Some(Box::new(NameOrigin {
                links: links.flatten().unwrap_or_default(),
                ..NameOrigin::new(role.as_str().into(), of)
            }))
        }
        _ => {
            reserved("{\"role\": .., \"of\": name}", cx);
            None
        }
    }
}

/// Takes the origin of a vertex out of its annotations.
pub(super) fn vertex_origin(
    annotations: &mut Map<String, Value>,
    cx: &mut Context,
) -> Option<Origin> {
    if annotations.is_empty() {
        return None;
    }
    let value = annotations.remove(ORIGIN)?;
    let role = value.get("role").and_then(Value::as_str);
    let role = OriginRole::ALL.iter().find(|r| Some(r.name()) == role);
    let vertex = value.get("vertex").and_then(Value::as_i64);
    match (role, vertex, value.as_object()) {
        (Some(&role), Some(vertex), Some(map)) if map.len() == 2 => Some(Origin { role, vertex }),
        _ => {
            reserved("{\"role\": .., \"vertex\": id}", cx);
            None
        }
    }
}
