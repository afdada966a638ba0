//! Changes of anything in the document of a program: whatever a program has is a node of its document, so ids, labels, ends,
//! intents, flags, annotations, types, shapes, vertices, statements and lists are all drawn, also those that the format is
//! given in future.

use cfg_format::json;
use cfg_testkit::case::Case;
use serde_json::Value;
use std::collections::BTreeMap;

/// Bytes of one change, and most changes of one program.
const CHANGE: usize = 4;
const MOST_CHANGES: usize = 8;

/// The document of a program with the changes that the bytes say, as text.
pub(crate) fn changed(case: &Case, changes: &[u8]) -> String {
    let mut text = Vec::new();
    json::write(&case.program, &mut text).expect("a program that was generated can be written");
    let mut document: Value = serde_json::from_slice(&text).expect("what is written is JSON");
    for bytes in changes.chunks_exact(CHANGE).take(MOST_CHANGES) {
        change(&mut document, bytes);
    }
    document.to_string()
}

/// The JSON pointers of all nodes, by the member in which they stand: elements of arrays by that of the array.
fn nodes(document: &Value) -> BTreeMap<String, Vec<String>> {
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut work = vec![(String::new(), String::new(), document)];
    while let Some((pointer, member, node)) = work.pop() {
        match node {
            Value::Object(members) => {
                for (key, value) in members {
                    let escaped = key.replace('~', "~0").replace('/', "~1");
                    work.push((format!("{pointer}/{escaped}"), key.clone(), value));
                }
            }
            Value::Array(elements) => {
                for (i, value) in elements.iter().enumerate() {
                    work.push((format!("{pointer}/{i}"), member.clone(), value));
                }
            }
            _ => {}
        }
        if !pointer.is_empty() {
            found.entry(member).or_default().push(pointer);
        }
    }
    found
}

/// Words of the format, put where others stand.
const WORDS: [&str; 24] = [
    "in",
    "out",
    "inout",
    "real",
    "real32",
    "integer",
    "logical",
    "tape",
    "row",
    "column",
    "structured",
    "general",
    "ENTRY",
    "EXIT",
    "BASICBLOCK",
    "LOOP",
    "FORLOOP",
    "ENDLOOP",
    "BRANCH",
    "ENDBRANCH",
    "+",
    "size",
    "sin",
    "?",
];

fn change(document: &mut Value, bytes: &[u8]) {
    let [which, place, how, what] = [0, 1, 2, 3].map(|i| usize::from(bytes[i]));
    let all = nodes(document);
    // A member first: those that are rare are changed as often as statements.
    let Some((_, list)) = all.iter().nth(which % all.len().max(1)) else {
        return;
    };
    let pointer = &list[place % list.len()];
    let other = &list[what % list.len()];
    let copy = document.pointer(other).cloned().unwrap_or(Value::Null);
    let Some((above, name)) = pointer.rsplit_once('/') else {
        return;
    };
    match how % 6 {
        0 => {
            let mine = document.pointer(pointer).cloned().unwrap_or(Value::Null);
            set(document, pointer, copy);
            // Exchanged, unless one contains the other.
            if how >= 128
                && !pointer.starts_with(other.as_str())
                && !other.starts_with(pointer.as_str())
            {
                set(document, other, mine);
            }
        }
        1 => match document.pointer_mut(above) {
            Some(Value::Object(members)) => {
                drop(members.remove(&name.replace("~1", "/").replace("~0", "~")));
            }
            Some(Value::Array(elements)) => {
                if let Ok(i) = name.parse::<usize>() {
                    elements.remove(i);
                }
            }
            _ => {}
        },
        2 => match document.pointer_mut(above) {
            Some(Value::Array(elements)) => elements.insert(what % (elements.len() + 1), copy),
            _ => set(document, pointer, copy),
        },
        3 => {
            // A member of another object of the kind, which this one may lack.
            let members = copy.as_object().filter(|m| !m.is_empty());
            let member = members.and_then(|m| m.iter().nth(how / 6 % m.len()));
            if let (Some((key, value)), Some(Value::Object(mine))) =
                (member, document.pointer_mut(pointer))
            {
                mine.insert(key.clone(), value.clone());
            }
        }
        _ => {
            if let Some(node) = document.pointer_mut(pointer) {
                vary(node, what);
            }
        }
    }
}

fn set(document: &mut Value, pointer: &str, value: Value) {
    if let Some(node) = document.pointer_mut(pointer) {
        *node = value;
    }
}

fn vary(node: &mut Value, what: usize) {
    let numbers = [-1, 0, 1, 2, 3, -2, i64::MAX, i64::MIN, 1 << 53];
    *node = match node {
        Value::Null => Value::Bool(true),
        Value::Bool(b) => Value::Bool(!*b),
        Value::Number(n) => match n.as_i64() {
            Some(n) if what < 128 => Value::from(n.wrapping_add(numbers[what % 6])),
            Some(_) => Value::from(numbers[what % numbers.len()]),
            None => Value::from(what as f64 - 100.5),
        },
        Value::String(_) => Value::from(WORDS[what % WORDS.len()]),
        Value::Array(elements) => {
            let mut elements = std::mem::take(elements);
            elements.reverse();
            Value::Array(elements)
        }
        Value::Object(_) => Value::from(what),
    };
}
