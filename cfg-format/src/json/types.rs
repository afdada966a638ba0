//! Types: built-in ones, records, and pointers to both.

use super::{
    codes,
    context::{Context, Seg},
    decode::{Wire, wire_object},
    schema_parts::{any_of, described, one_member},
    token::Token,
    words::OneOf,
};
use cfg_core::{
    entity::RecordId,
    ir::{PointerType, ScalarType},
};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::MapAccess;
use std::borrow::Cow;

/// A built-in type, a record, or a pointer.
pub(super) struct TypeName;

impl Wire for TypeName {
    type Out = ScalarType;
    const WHAT: &'static str = "a type";

    fn scalar(token: Token<'_>, cx: &mut Context) -> Option<ScalarType> {
        OneOf::<ScalarType>::scalar(token, cx)
    }

    fn object<'de, A: MapAccess<'de>>(
        map: A,
        cx: &mut Context,
    ) -> Result<Option<ScalarType>, A::Error> {
        NamedType::object(map, cx)
    }
}

impl JsonSchema for TypeName {
    fn schema_name() -> Cow<'static, str> {
        "Type".into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let built_in = generator.subschema_for::<OneOf<ScalarType>>().to_value();
        let record = generator.subschema_for::<NamedType>().to_value();
        described(
            any_of(vec![built_in, record]),
            "A built-in type, a record of the program, or a pointer.",
        )
    }
}

wire_object! {
    /// A record of the program or a pointer, as a type; one of the two members.
    NamedType, "a record or a pointer", named_type => ScalarType, schema one_member;
    /// The name of the record.
    "record" record: String;
    /// The type of what the pointer points to: a scalar, a record or a pointer.
    "pointer" pointer: TypeName;
}

fn named_type(wire: NamedType, cx: &mut Context) -> Option<ScalarType> {
    match (wire.has("record"), wire.has("pointer")) {
        (true, false) => {
            let name = wire.record?;
            Some(ScalarType::Record(RecordId::new(cx.records.intern(&name))))
        }
        (false, true) => {
            let pointee = wire.pointer?;
            let pointer = cx.at_segment(Seg::Key("pointer"), |cx| pointer_to(pointee, cx));
            pointer.map(ScalarType::Pointer)
        }
        (false, false) => {
            cx.missing_member("record", NamedType::WHAT);
            None
        }
        (true, true) => {
            cx.report(
                &codes::WRONG_TYPE,
                "a type is a record and a pointer",
                "write {\"record\": name}, or {\"pointer\": {\"record\": name}} for a pointer to it",
            );
            None
        }
    }
}

/// The pointer to a type, or a report.
pub(super) fn pointer_to(pointee: ScalarType, cx: &mut Context) -> Option<PointerType> {
    let pointer = PointerType::to(pointee);
    if pointer.is_none() {
        let (message, help) = match pointee.is_tape() {
            true => (
                "a pointer points to a tape".to_owned(),
                "hand the tape on as a parameter",
            ),
            false => (
                format!("more than {} pointers in a row", PointerType::MAX_DEPTH),
                "put some of them into the fields of records",
            ),
        };
        cx.report(&codes::WRONG_TYPE, message, help);
    }
    pointer
}
