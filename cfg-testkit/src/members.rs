//! The members, words and operators of the format that a set of programs uses, found by walking the documents along
//! the JSON Schema. An addition to the schema is therefore asked for at once.

use serde_json::Value;
use std::collections::BTreeSet;

/// The names of all features of documents: `Vertex.index`, `Parameter.intent=in`, `Expression op sin`.
pub fn all(schema: &Value) -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    collect("Program", schema, &mut all);
    if let Some(definitions) = schema.get("$defs").and_then(Value::as_object) {
        for (name, definition) in definitions {
            collect(name, definition, &mut all);
        }
    }
    all
}

fn collect(name: &str, schema: &Value, all: &mut BTreeSet<String>) {
    match schema {
        Value::Object(map) => {
            if let Some(Value::Object(properties)) = map.get("properties") {
                for (property, inner) in properties {
                    if *inner == Value::Bool(false) {
                        continue;
                    }
                    all.insert(format!("{name}.{property}"));
                    collect(&format!("{name}.{property}"), inner, all);
                }
            }
            for word in words(map) {
                all.insert(format!("{name}={word}"));
            }
            for (key, inner) in map {
                if key != "properties" && key != "$defs" {
                    collect(name, inner, all);
                }
            }
        }
        Value::Array(list) => list.iter().for_each(|inner| collect(name, inner, all)),
        _ => {}
    }
}

/// The words of `enum` and `const`.
fn words(map: &serde_json::Map<String, Value>) -> Vec<String> {
    let list = map.get("enum").and_then(Value::as_array);
    let constant = map.get("const");
    (list.into_iter().flatten().chain(constant))
        .map(Value::to_string)
        .collect()
}

/// The features of a document.
///
/// # Errors
/// It is not what the schema describes.
pub fn present_in(schema: &Value, document: &Value) -> Result<BTreeSet<String>, String> {
    let mut found = BTreeSet::new();
    match matches(schema, schema, "Program", document, &mut found) {
        true => Ok(found),
        false => Err("the document does not keep the schema".to_owned()),
    }
}

/// True if the value keeps the schema; what it uses is added to `found`. Recurses on the depth of both,
/// which the format limits.
fn matches(
    root: &Value,
    schema: &Value,
    name: &str,
    value: &Value,
    found: &mut BTreeSet<String>,
) -> bool {
    let map = match schema {
        Value::Bool(allowed) => return *allowed,
        Value::Object(map) => map,
        _ => return false,
    };
    if let Some(reference) = map.get("$ref").and_then(Value::as_str) {
        let target = reference.rsplit('/').next().unwrap_or_default();
        return matches(root, &root["$defs"][target], target, value, found);
    }
    if let Some(ty) = map.get("type")
        && !is_of(ty, value)
    {
        return false;
    }
    let words = words(map);
    if !words.is_empty() {
        let word = value.to_string();
        if !words.contains(&word) {
            return false;
        }
        found.insert(format!("{name}={word}"));
    }
    if !(object(root, map, name, value, found) && array(root, map, name, value, found)) {
        return false;
    }
    let all = map.get("allOf").and_then(Value::as_array);
    if !all.is_none_or(|all| all.iter().all(|s| matches(root, s, name, value, found))) {
        return false;
    }
    let any = ["anyOf", "oneOf"]
        .iter()
        .find_map(|k| map.get(*k)?.as_array());
    any.is_none_or(|any| {
        any.iter().any(|option| {
            let mut inner = BTreeSet::new();
            let fits = matches(root, option, name, value, &mut inner);
            if fits {
                found.append(&mut inner);
            }
            fits
        })
    })
}

fn is_of(ty: &Value, value: &Value) -> bool {
    let one = |ty: &str| match ty {
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        "null" => value.is_null(),
        _ => false,
    };
    match ty {
        Value::String(ty) => one(ty),
        Value::Array(list) => list.iter().filter_map(Value::as_str).any(one),
        _ => false,
    }
}

fn object(
    root: &Value,
    map: &serde_json::Map<String, Value>,
    name: &str,
    value: &Value,
    found: &mut BTreeSet<String>,
) -> bool {
    let Some(members) = value.as_object() else {
        return true;
    };
    let required = map.get("required").and_then(Value::as_array);
    let names = required.into_iter().flatten().filter_map(Value::as_str);
    if names.into_iter().any(|name| !members.contains_key(name)) {
        return false;
    }
    let properties = map.get("properties").and_then(Value::as_object);
    for (member, inner) in members {
        match properties.and_then(|p| p.get(member)) {
            Some(schema) => {
                let path = format!("{name}.{member}");
                if !matches(root, schema, &path, inner, found) {
                    return false;
                }
                found.insert(path);
            }
            None => {
                if let Some(rest) = map.get("additionalProperties")
                    && !matches(root, rest, name, inner, found)
                {
                    return false;
                }
            }
        }
    }
    true
}

fn array(
    root: &Value,
    map: &serde_json::Map<String, Value>,
    name: &str,
    value: &Value,
    found: &mut BTreeSet<String>,
) -> bool {
    let Some(items) = value.as_array() else {
        return true;
    };
    let length = |key: &str| map.get(key).and_then(Value::as_u64);
    if length("minItems").is_some_and(|n| (items.len() as u64) < n)
        || length("maxItems").is_some_and(|n| items.len() as u64 > n)
    {
        return false;
    }
    let prefix = map.get("prefixItems").and_then(Value::as_array);
    let prefix = prefix.map_or(&[][..], |list| list);
    items
        .iter()
        .enumerate()
        .all(|(k, item)| match prefix.get(k) {
            Some(schema) => matches(root, schema, name, item, found),
            None => map
                .get("items")
                .is_none_or(|s| matches(root, s, name, item, found)),
        })
}
