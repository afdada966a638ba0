//! The JSON Schema of the format, generated from the wire types that read it.

use super::{
    expression::{AS_REAL32, Expression},
    statement::TapeClassName,
    wire,
};
use crate::ir::{Op, TapeClass};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Value, json};
use std::borrow::Cow;

/// The schema's identity; it changes with the version of the format only.
pub const SCHEMA_ID: &str = "https://github.com/cfgrev/cfgrev/schema/cfgrev-1.schema.json";

/// The JSON Schema (draft 2020-12) of program files.
///
/// It describes the shape of a file. What a file means (names that must exist, types of expressions,
/// graphs that must be structured) is checked by [`super::read`] and [`crate::validate`].
pub fn schema() -> Value {
    let mut schema = SchemaGenerator::default().into_root_schema_for::<wire::Program>();
    schema.insert("$id".to_owned(), json!(SCHEMA_ID));
    schema.insert("title".to_owned(), json!("cfgrev/1 program"));
    schema.to_value()
}

/// One member of an object.
pub(super) struct Member {
    pub(super) name: &'static str,
    pub(super) doc: &'static str,
    pub(super) required: bool,
    pub(super) schema: Schema,
}

/// An object with these members and no others.
pub(super) fn object(doc: &str, members: Vec<Member>) -> Schema {
    let mut properties = serde_json::Map::new();
    let mut required = Vec::new();
    for member in members {
        let mut schema = member.schema;
        schema.insert("description".to_owned(), json!(member.doc.trim()));
        if member.required {
            required.push(member.name);
        }
        properties.insert(member.name.to_owned(), schema.to_value());
    }
    json_schema!({
        "description": doc.trim(),
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    })
}

/// One of a few words.
pub(super) fn words(words: impl IntoIterator<Item = &'static str>) -> Schema {
    let words: Vec<&str> = words.into_iter().collect();
    json_schema!({ "type": "string", "enum": words })
}

/// Any of these.
fn any_of(schemas: Vec<Value>) -> Value {
    json!({ "anyOf": schemas })
}

/// An array that starts with these and goes on with `rest` between `min` and `max` times.
fn tuple(prefix: Vec<Value>, rest: Option<Value>, min: usize, max: Option<usize>) -> Value {
    let fixed = prefix.len();
    let mut schema = json!({
        "type": "array",
        "prefixItems": prefix,
        "items": rest.unwrap_or(Value::Bool(false)),
        "minItems": fixed + min,
    });
    if let (Some(max), Some(object)) = (max, schema.as_object_mut()) {
        object.insert("maxItems".to_owned(), json!(fixed + max));
    }
    schema
}

impl JsonSchema for Expression {
    fn schema_name() -> Cow<'static, str> {
        "Expression".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let this = generator.subschema_for::<Self>().to_value();
        let place = generator.subschema_for::<Element>().to_value();
        let mut forms = vec![
            json!({ "type": ["integer", "number", "boolean"], "description": "A constant: integer without `.` and exponent, real with one of them." }),
            json!({ "type": "string", "description": "The value of a variable." }),
            place,
            json!({ "enum": [["inf"], ["-inf"], ["nan"]], "description": "Infinity, minus infinity, not a number." }),
        ];
        // One form per number of operands that operators take.
        let mut arities: Vec<(usize, usize)> = Op::ALL.iter().map(|op| op.arity()).collect();
        arities.sort_unstable();
        arities.dedup();
        for (min, max) in arities {
            let names: Vec<&str> = Op::ALL
                .iter()
                .filter(|op| op.arity() == (min, max))
                .map(|op| op.name())
                .chain(
                    ["-", AS_REAL32]
                        .into_iter()
                        .filter(|_| (min, max) == (1, 1)),
                )
                .collect();
            forms.push(tuple(
                vec![json!({ "enum": names })],
                Some(this.clone()),
                min,
                (max != usize::MAX).then_some(max),
            ));
        }
        json_schema!({
            "description": "An expression of at most 100 levels: constant, variable, element or section of an array, or an operator with its operands.",
            "anyOf": forms,
        })
    }
}

/// `["[]", array, subscript...]`.
struct Element;

impl JsonSchema for Element {
    fn schema_name() -> Cow<'static, str> {
        "Element".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let expression = generator.subschema_for::<Expression>().to_value();
        let bound = any_of(vec![expression.clone(), json!({ "type": "null" })]);
        let range = tuple(vec![json!({ "const": ":" })], Some(bound), 0, Some(3));
        let subscript = any_of(vec![expression, range]);
        let schema = tuple(
            vec![json!({ "const": "[]" }), json!({ "type": "string" })],
            Some(subscript),
            1,
            None,
        );
        described(
            schema,
            "An element or section: the array's name, then one index or range [\":\", lower, upper, stride] per dimension.",
        )
    }
}

fn described(schema: Value, text: &str) -> Schema {
    let mut schema: Schema = schema.try_into().unwrap_or_default();
    schema.insert("description".to_owned(), json!(text));
    schema
}

/// A place that can be assigned.
struct Target;

impl JsonSchema for Target {
    fn schema_name() -> Cow<'static, str> {
        "Target".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let element = generator.subschema_for::<Element>().to_value();
        described(
            any_of(vec![json!({ "type": "string" }), element]),
            "What is assigned: a variable, an element or a section.",
        )
    }
}

impl JsonSchema for TapeClassName {
    fn schema_name() -> Cow<'static, str> {
        "TapeClass".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let words = [TapeClass::Integer, TapeClass::Real, TapeClass::Real32].map(TapeClass::name);
        let width = any_of(vec![
            json!({ "type": "integer", "minimum": 1, "maximum": 63 }),
            json!({ "const": "count" }),
        ]);
        described(
            any_of(vec![
                json!({ "enum": words }),
                tuple(vec![json!({ "const": "control" }), width], None, 0, None),
            ]),
            "A stack of the tape and how values are encoded on it.",
        )
    }
}

impl JsonSchema for super::statement::Statement {
    fn schema_name() -> Cow<'static, str> {
        "Statement".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let expression = generator.subschema_for::<Expression>().to_value();
        let target = generator.subschema_for::<Target>().to_value();
        let class = generator.subschema_for::<TapeClassName>().to_value();
        let effects = generator.subschema_for::<wire::Effects>().to_value();
        let annotated = generator
            .subschema_for::<wire::AnnotatedStatement>()
            .to_value();
        let name = json!({ "type": "string" });
        let argument = any_of(vec![expression.clone(), json!({ "type": "null" })]);
        let arguments = json!({ "type": "array", "items": argument });
        let call = tuple(
            vec![json!({ "const": "call" }), name.clone(), arguments],
            None,
            0,
            None,
        );
        let value = any_of(vec![expression.clone(), call.clone()]);
        let push = vec![json!({ "const": "push" }), class.clone(), expression];
        let pop = vec![json!({ "const": "pop" }), class, target.clone()];
        described(
            any_of(vec![
                tuple(vec![json!({ "const": "=" }), target, value], None, 0, None),
                call,
                tuple(push, Some(name.clone()), 0, Some(1)),
                tuple(pop, Some(name.clone()), 0, Some(1)),
                tuple(
                    vec![json!({ "const": "opaque" }), name, effects],
                    None,
                    0,
                    None,
                ),
                annotated,
            ]),
            "A statement: an assignment, a call, a push, a pop, an opaque statement, or one of these with annotations.",
        )
    }
}

impl JsonSchema for wire::DimensionOrExtent {
    fn schema_name() -> Cow<'static, str> {
        "Dimension".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let expression = generator.subschema_for::<Expression>().to_value();
        let bounds = generator.subschema_for::<wire::Bounds>().to_value();
        described(
            any_of(vec![expression, json!({ "type": "null" }), bounds]),
            "One dimension: the extent (lower bound 1), or null if it is not known here, or both bounds.",
        )
    }
}

/// The members that each type of vertex has; an `if` per type.
pub(super) fn vertex_rules(schema: &mut Schema) {
    let header = json!([
        { "properties": { "test": { "enum": ["pre", "post"] } }, "required": ["test", "condition"],
          "allOf": [forbid(&["index", "first", "last", "step", "selector", "arms", "statements"])] },
        { "properties": { "test": { "const": "counted" } }, "required": ["test", "index", "first", "last"],
          "allOf": [forbid(&["condition", "selector", "arms", "statements"])] },
    ]);
    let counted = json!([header[1]]);
    let loop_members = ["test", "index", "first", "last", "step"];
    let branch = json!([
        { "required": ["condition"], "allOf": [forbid(&["selector", "arms", "statements"]), forbid(&loop_members)] },
        { "required": ["selector", "arms"], "allOf": [forbid(&["condition", "statements"]), forbid(&loop_members)] },
    ]);
    let block = forbid(&[
        "test",
        "condition",
        "index",
        "first",
        "last",
        "step",
        "selector",
        "arms",
    ]);
    let bare = json!({ "allOf": [block.clone(), forbid(&["statements"])] });
    let rules = [
        (json!(["ENTRY", "EXIT", "ENDLOOP", "ENDBRANCH"]), bare),
        (json!(["BASICBLOCK"]), block),
        (json!(["LOOP"]), json!({ "anyOf": header })),
        (json!(["FORLOOP"]), json!({ "anyOf": counted })),
        (json!(["BRANCH"]), json!({ "anyOf": branch })),
    ];
    let rules: Vec<Value> = rules
        .into_iter()
        .map(|(types, then)| {
            json!({ "if": { "properties": { "type": { "enum": types } } }, "then": then })
        })
        .collect();
    schema.insert("allOf".to_owned(), Value::Array(rules));
}

fn forbid(members: &[&str]) -> Value {
    let members: serde_json::Map<String, Value> = members
        .iter()
        .map(|m| ((*m).to_owned(), Value::Bool(false)))
        .collect();
    json!({ "properties": members })
}

/// A local is declared, or names a global.
pub(super) fn local_rules(schema: &mut Schema) {
    schema.insert(
        "anyOf".to_owned(),
        json!([
            { "required": ["name", "type"], "allOf": [forbid(&["global"])] },
            { "required": ["global"], "allOf": [forbid(&["name", "type", "shape", "order", "annotations"])] },
        ]),
    );
}
