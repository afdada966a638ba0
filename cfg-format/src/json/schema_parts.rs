//! Building blocks for the schemas of the format's types.

use schemars::{Schema, json_schema};
use serde_json::{Value, json};

/// The schema of one member of an object.
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

/// The schema of a string that is one of a few words.
pub(super) fn words(words: impl IntoIterator<Item = &'static str>) -> Schema {
    let words: Vec<&str> = words.into_iter().collect();
    json_schema!({ "type": "string", "enum": words })
}

/// The schema of a value that fits any of the given ones.
pub(super) fn any_of(schemas: Vec<Value>) -> Value {
    json!({ "anyOf": schemas })
}

/// An array that starts with these and goes on with `rest` between `min` and `max` times.
pub(super) fn tuple(
    prefix: Vec<Value>,
    rest: Option<Value>,
    min: usize,
    max: Option<usize>,
) -> Value {
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

pub(super) fn described(schema: Value, text: &str) -> Schema {
    let mut schema: Schema = schema.try_into().unwrap_or_default();
    schema.insert("description".to_owned(), json!(text));
    schema
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
    let bare = json!({ "allOf": [block.clone(), forbid(&["statements", "checkpoint"])] });
    let rules = [
        (json!(["ENTRY", "EXIT", "ENDLOOP", "ENDBRANCH"]), bare),
        (json!(["BASICBLOCK"]), block),
        (json!(["LOOP"]), json!({ "anyOf": header })),
        (
            json!(["FORLOOP"]),
            json!({ "anyOf": counted, "allOf": [forbid(&["checkpoint"])] }),
        ),
        (
            json!(["BRANCH"]),
            json!({ "anyOf": branch, "allOf": [forbid(&["checkpoint"])] }),
        ),
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
            { "required": ["global"], "allOf": [forbid(&["name", "type", "shape", "order", "at", "annotations"])] },
        ]),
    );
}

/// Exactly one member.
pub(super) fn one_member(schema: &mut Schema) {
    schema.insert("minProperties".to_owned(), json!(1));
    schema.insert("maxProperties".to_owned(), json!(1));
}
