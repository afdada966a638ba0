//! Points, seeds and results: objects from names to numbers and nested arrays.
//!
//! ```
//! use cfg_format::json::values::{self, ValueTree};
//!
//! let point = values::read(br#"{"n": 3, "x": "inf", "a": [1, 2.5]}"#).unwrap();
//! assert_eq!(point[0], ("n".to_owned(), ValueTree::Int(3)));
//! assert_eq!(point[1].1, ValueTree::Real(f64::INFINITY));
//! assert_eq!(values::to_text(&point[2].1), "[1,2.5]");
//! ```

use super::{
    OUT_OF_RANGE, codes,
    context::{Context, Seg},
    decode::{Seed, Wire},
    locate_problems, prepare, syntax,
    token::{Token, quote},
};
use cfg_core::diagnostic::Diagnostics;
use serde::de::{DeserializeSeed, IgnoredAny, MapAccess, SeqAccess};
use std::fmt::Write;

/// A number, a logical, an array with the first subscript outermost, or the size of one.
#[derive(Clone, Debug, PartialEq)]
pub enum ValueTree {
    /// A number without `.` and exponent; a user that needs a real converts it.
    Int(i64),
    /// A whole number from 2^63 to 2^64 - 1.
    Wide(u64),
    /// Any other number; or the strings "NaN", "inf", "-inf".
    Real(f64),
    /// The value `true` or `false`.
    Logical(bool),
    /// An array.
    Array(Vec<ValueTree>),
    /// `{"size": 5}`, `{"size": [2, 3]}`: the extents of an array that has no values.
    Size(Vec<usize>),
    /// `null` in place of a member's value: the member is left out. In an array it is a null pointer.
    Null,
    /// A record: the values of its fields. One that has a field `size` alone is a [`ValueTree::Size`], one with a name
    /// as `same_as` a [`ValueTree::SameAs`].
    Object(NamedValues),
    /// `{"same_as": "p", "offset": 2}`: a pointer to the target of another pointer, or to the element `offset`
    /// elements behind it; 0 without an offset.
    SameAs(String, i64),
}

/// Values by name, in the order of the file; no name twice.
pub type NamedValues = Vec<(String, ValueTree)>;

/// Reads one object.
///
/// # Errors
/// All problems, with JSON pointer, line and column.
pub fn read(bytes: &[u8]) -> Result<NamedValues, Diagnostics> {
    document::<Object>(bytes)
}

/// Reads one object or an array of objects; the flag is true for an array.
///
/// # Errors
/// All problems, with JSON pointer, line and column.
pub fn read_list(bytes: &[u8]) -> Result<(Vec<NamedValues>, bool), Diagnostics> {
    document::<ObjectOrList>(bytes)
}

fn document<T: Wire>(bytes: &[u8]) -> Result<T::Out, Diagnostics> {
    let (text, _) = prepare(bytes).map_err(|problem| *problem)?;
    let mut cx = Context::default();
    let mut tokens = serde_json::Deserializer::from_str(text);
    tokens.disable_recursion_limit();
    let document = Seed::<T>::new(&mut cx)
        .deserialize(&mut tokens)
        .and_then(|document| tokens.end().map(|()| document));
    let document = document.unwrap_or_else(|e| {
        for mut problem in syntax(text, &e) {
            // The help of this problem names operators, which only programs have.
            if problem.code == codes::BARE_NAN.code {
                "write the string \"NaN\", \"inf\" or \"-inf\"".clone_into(&mut problem.help);
            } else if problem.help == OUT_OF_RANGE {
                problem.help = OUT_OF_RANGE.replace("[\"inf\"]", "the string \"inf\"");
            }
            cx.problems.0.push(problem);
        }
        None
    });
    let mut problems = cx.problems;
    match document {
        Some(document) if problems.is_empty() => Ok(document),
        _ => {
            locate_problems(&mut problems, text.as_bytes(), None);
            Err(problems)
        }
    }
}

struct Object;

impl Wire for Object {
    type Out = NamedValues;
    const WHAT: &'static str = "an object from names to values";

    fn object<'de, A: MapAccess<'de>>(
        mut map: A,
        cx: &mut Context,
    ) -> Result<Option<NamedValues>, A::Error> {
        let mut list = NamedValues::new();
        let mut seen = std::collections::HashSet::new();
        while let Some(name) = map.next_key::<String>()? {
            if !seen.insert(name.clone()) {
                cx.duplicate_member(&name);
                map.next_value::<IgnoredAny>()?;
                continue;
            }
            cx.path.push(Seg::Name(name.as_str().into()));
            let value = map.next_value_seed(Seed::<Value>::new(cx))?;
            cx.path.pop();
            list.extend(value.map(|value| (name, value)));
        }
        Ok(Some(list))
    }
}

struct ObjectOrList;

impl Wire for ObjectOrList {
    type Out = (Vec<NamedValues>, bool);
    const WHAT: &'static str = "an object from names to values, or a list of them";

    fn array<'de, A: SeqAccess<'de>>(
        seq: A,
        cx: &mut Context,
    ) -> Result<Option<Self::Out>, A::Error> {
        Ok(Vec::<Object>::array(seq, cx)?.map(|list| (list, true)))
    }

    fn object<'de, A: MapAccess<'de>>(
        map: A,
        cx: &mut Context,
    ) -> Result<Option<Self::Out>, A::Error> {
        Ok(Object::object(map, cx)?.map(|one| (vec![one], false)))
    }
}

struct Value;

impl Wire for Value {
    type Out = ValueTree;
    const WHAT: &'static str = "a value";
    const WIDE: bool = true;

    fn scalar(token: Token<'_>, cx: &mut Context) -> Option<ValueTree> {
        match token {
            Token::Logical(b) => Some(ValueTree::Logical(b)),
            Token::Int(i) => Some(ValueTree::Int(i)),
            Token::WideInt(u) => Some(ValueTree::Wide(u)),
            Token::Real(r) => Some(ValueTree::Real(r)),
            Token::Text("NaN") => Some(ValueTree::Real(f64::NAN)),
            Token::Text("inf") => Some(ValueTree::Real(f64::INFINITY)),
            Token::Text("-inf") => Some(ValueTree::Real(f64::NEG_INFINITY)),
            Token::Text(name) if is_same_as(&cx.path) => {
                Some(ValueTree::SameAs(name.to_owned(), 0))
            }
            Token::Text(text) => {
                let message = format!("the string {} is not a value", quote(text));
                let help = "write a number, or \"NaN\", \"inf\" or \"-inf\"";
                cx.report(&codes::VALUE, message, help);
                None
            }
            Token::Null => Some(ValueTree::Null),
            Token::Array | Token::Object => {
                let message = format!("{} is not a value", token.describe());
                cx.report(
                    &codes::VALUE,
                    message,
                    "write a number or an array of numbers",
                );
                None
            }
        }
    }

    fn array<'de, A: SeqAccess<'de>>(
        seq: A,
        cx: &mut Context,
    ) -> Result<Option<ValueTree>, A::Error> {
        Ok(Vec::<Self>::array(seq, cx)?.map(ValueTree::Array))
    }

    fn object<'de, A: MapAccess<'de>>(
        map: A,
        cx: &mut Context,
    ) -> Result<Option<ValueTree>, A::Error> {
        let before = cx.problems.0.len();
        let members = Object::object(map, cx)?;
        // Members that could not be read are missing, and were reported.
        let complete = cx.problems.0.len() == before;
        let Some(members) = members.filter(|_| complete) else {
            return Ok(None);
        };
        if let Some(found) = same_as(&members) {
            return Ok(Some(found));
        }
        if let Some((_, ValueTree::SameAs(..))) = members.iter().find(|(n, _)| n == SAME_AS) {
            let message =
                "a value that is the same as another has at most an offset, a whole number";
            let help = "write {\"same_as\": \"p\"}, or {\"same_as\": \"p\", \"offset\": 2}";
            cx.report(&codes::VALUE, message, help);
            return Ok(None);
        }
        let [(name, tree)] = &members[..] else {
            if members.is_empty() {
                let message = "an object without members is not a value".to_owned();
                let help =
                    "write a number, an array of numbers, {\"size\": 5}, or the fields of a record";
                cx.report(&codes::VALUE, message, help);
                return Ok(None);
            }
            return Ok(Some(ValueTree::Object(members)));
        };
        if name != "size" {
            return Ok(Some(ValueTree::Object(members)));
        }
        let size = extents(tree);
        if size.is_none() {
            let message = "a size is not negative, and a whole number for each dimension";
            let help = "write {\"size\": 5}, or {\"size\": [2, 3]} for two dimensions";
            cx.at_segment(Seg::Key("size"), |cx| {
                cx.report(&codes::VALUE, message, help);
            });
        }
        Ok(size.map(ValueTree::Size))
    }
}

/// The member that names the pointer with the same target.
const SAME_AS: &str = "same_as";

/// True at a place where a string is the name of a pointer: in that member of an object that is the value of a name.
fn is_same_as(path: &[Seg]) -> bool {
    match path {
        [.., Seg::Name(_), Seg::Name(last)] => &**last == SAME_AS,
        _ => false,
    }
}

/// The pointer that an object with these members describes, if it has the member [`SAME_AS`].
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "all other values are treated alike"
)]
fn same_as(members: &[(String, ValueTree)]) -> Option<ValueTree> {
    let name = |(member, tree): &(String, ValueTree)| match tree {
        ValueTree::SameAs(name, _) if member == SAME_AS => Some(name.clone()),
        _ => None,
    };
    let offset = |(member, tree): &(String, ValueTree)| match tree {
        ValueTree::Int(offset) if member == "offset" => Some(*offset),
        _ => None,
    };
    let (name, offset) = match members {
        [one] => (name(one)?, 0),
        [a, b] => (
            name(a).or_else(|| name(b))?,
            offset(a).or_else(|| offset(b))?,
        ),
        _ => return None,
    };
    Some(ValueTree::SameAs(name, offset))
}

/// The extents that a size gives.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "all other values are treated alike"
)]
fn extents(tree: &ValueTree) -> Option<Vec<usize>> {
    let extent = |tree: &ValueTree| match tree {
        ValueTree::Int(n) => usize::try_from(*n).ok(),
        _ => None,
    };
    match tree {
        ValueTree::Array(list) => list.iter().map(extent).collect(),
        one => Some(vec![extent(one)?]),
    }
}

/// The text of a real that reads back as the same bits: with `.` or an exponent, or one of the strings
/// "NaN", "inf", "-inf" in quotes.
pub fn real_text(r: f64) -> String {
    if r.is_nan() {
        "\"NaN\"".to_owned()
    } else if r == f64::INFINITY {
        "\"inf\"".to_owned()
    } else if r == f64::NEG_INFINITY {
        "\"-inf\"".to_owned()
    } else {
        format!("{r:?}")
    }
}

/// The JSON text of a value.
pub fn to_text(value: &ValueTree) -> String {
    let mut text = String::new();
    // Values that were read nest at most 256 deep, but those that a caller builds may nest deeper.
    let mut stack = vec![Open::List(std::slice::from_ref(value).iter())];
    let mut first = true;
    while let Some(open) = stack.last_mut() {
        let next = match open {
            Open::List(values) => values.next().map(|value| (None, value)),
            Open::Members(members) => members.next().map(|(name, value)| (Some(name), value)),
        };
        let Some((name, value)) = next else {
            let end = match stack.pop() {
                Some(Open::Members(_)) => '}',
                Some(Open::List(_)) | None => ']',
            };
            if !stack.is_empty() {
                text.push(end);
            }
            first = false;
            continue;
        };
        if !first {
            text.push(',');
        }
        first = false;
        if let Some(name) = name {
            // Writing to memory does not fail.
            let _ = write!(text, "{}:", serde_json::Value::from(name.as_str()));
        }
        match value {
            ValueTree::Int(i) => {
                let _ = write!(text, "{i}");
            }
            ValueTree::Wide(u) => {
                let _ = write!(text, "{u}");
            }
            ValueTree::Real(r) => text.push_str(&real_text(*r)),
            ValueTree::Logical(b) => text.push_str(if *b { "true" } else { "false" }),
            ValueTree::Array(list) => {
                text.push('[');
                stack.push(Open::List(list.iter()));
                first = true;
            }
            ValueTree::Object(members) => {
                text.push('{');
                stack.push(Open::Members(members.iter()));
                first = true;
            }
            ValueTree::Null => text.push_str("null"),
            ValueTree::SameAs(name, offset) => {
                let name = serde_json::Value::from(name.as_str());
                let _ = write!(text, "{{\"same_as\":{name},\"offset\":{offset}}}");
            }
            ValueTree::Size(extents) => {
                let list: Vec<String> = extents.iter().map(ToString::to_string).collect();
                let _ = write!(text, "{{\"size\":[{}]}}", list.join(","));
            }
        }
    }
    text
}

/// A list or a record that is being written.
enum Open<'v> {
    List(std::slice::Iter<'v, ValueTree>),
    Members(std::slice::Iter<'v, (String, ValueTree)>),
}

#[cfg(test)]
mod tests {
    use super::*;

    fn messages(text: &str) -> Vec<String> {
        let problems = read(text.as_bytes()).unwrap_err();
        problems.iter().map(ToString::to_string).collect()
    }

    /// Checks that a text is refused with this code at this place.
    fn assert_refused(text: &str, code: &str, place: &str) {
        let found = messages(text).join("\n");
        assert!(
            found.contains(code) && found.contains(&format!("({place})")),
            "{text}: {found}"
        );
    }

    #[test]
    fn numbers_keep_their_bits() {
        let text = "{\"a\": [0.1, -0.0, 1e-320, 9007199254740993, \"NaN\", [[\"-inf\"]], 1e22, 5e-324, true]}";
        let point = read(text.as_bytes()).unwrap();
        let written = format!("{{\"a\":{}}}", to_text(&point[0].1));
        assert_eq!(
            written,
            "{\"a\":[0.1,-0.0,1e-320,9007199254740993,\"NaN\",[[\"-inf\"]],1e22,5e-324,true]}"
        );
        let again = read(written.as_bytes()).unwrap();
        assert_eq!(to_text(&again[0].1), to_text(&point[0].1));
        assert_eq!(to_text(&ValueTree::Array(vec![])), "[]");
        let nested = ValueTree::Array(vec![ValueTree::Array(vec![]), ValueTree::Int(1)]);
        assert_eq!(to_text(&nested), "[[],1]");
    }

    #[test]
    fn reals_are_written_so_that_they_read_back() {
        let mut bits: u64 = 0x9e37_79b9_7f4a_7c15;
        for _ in 0..20_000 {
            bits ^= bits << 13;
            bits ^= bits >> 7;
            bits ^= bits << 17;
            let r = f64::from_bits(bits);
            if r.is_nan() {
                continue;
            }
            let point = read(format!("{{\"x\":{}}}", real_text(r)).as_bytes()).unwrap();
            let ValueTree::Real(back) = point[0].1 else {
                panic!("{r:?} read back as {:?}", point[0].1)
            };
            assert_eq!(back.to_bits(), r.to_bits());
        }
    }

    #[test]
    fn all_problems_are_reported() {
        assert_eq!(
            messages("{\"a\": 1,\n \"a\": 2, \"b\": [null], \"c\": [1, \"x\", {}]}"),
            [
                "error[J011]: member \"a\" is given twice in one object\n  at: 2:7 (/a)\n  \
                 rule: An object has each member at most once.\n  help: remove one of the two",
                "error[J041]: the string \"x\" is not a value\n  at: 2:32 (/c/1)\n  rule: A value is a number, true, \
                 false, \"NaN\", \"inf\", \"-inf\", a nested array of these, or the size of an array; of a pointer also null, or the name of another one.\n  \
                 help: write a number, or \"NaN\", \"inf\" or \"-inf\"",
                "error[J041]: an object without members is not a value\n  at: 2:37 (/c/2)\n  rule: A value is a number, true, \
                 false, \"NaN\", \"inf\", \"-inf\", a nested array of these, or the size of an array; of a pointer also null, or the name of another one.\n  \
                 help: write a number, an array of numbers, {\"size\": 5}, or the fields of a record",
            ]
        );
        assert!(messages("{\"x\": NaN}")[0].contains("write the string \"NaN\""));
        assert!(messages("[1]")[0].contains("expected an object from names to values"));
        assert!(messages("{\"x\": 1e999}")[0].contains("number out of range"));
    }

    #[test]
    fn sizes_stand_for_arrays_without_values() {
        let text = "{\"y\":{\"size\":[5]},\"z\":{\"size\":[2,0]},\"a\":[{\"size\":[]}]}";
        let point = read(text.as_bytes()).unwrap();
        assert_eq!(point[0].1, ValueTree::Size(vec![5]));
        for (name, value) in &point {
            assert!(
                text.contains(&format!("\"{name}\":{}", to_text(value))),
                "{text}"
            );
        }
        let one = read(b"{\"y\": {\"size\": 5}}").unwrap();
        assert_eq!(one[0].1, point[0].1);
        for (wrong, code, place) in [
            ("{\"size\": -1}", "J041", "/y/size"),
            ("{\"size\": 1.0}", "J041", "/y/size"),
            ("{\"size\": [1, [2]]}", "J041", "/y/size"),
            ("{\"size\": {\"size\": 1}}", "J041", "/y/size"),
            ("{\"size\": null}", "J041", "/y/size"),
            ("{\"size\": 1, \"size\": 1}", "J011", "/y/size"),
            ("{}", "J041", "/y"),
        ] {
            assert_refused(&format!("{{\"y\": {wrong}}}"), code, place);
        }
    }

    #[test]
    fn pointers_may_be_null_and_the_same_as_others() {
        let text = "{\"p\":[[1],null],\"q\":{\"same_as\":\"p\",\"offset\":2},\"r\":{\"same_as\":1},\"same_as\":2}";
        let point = read(text.as_bytes()).unwrap();
        assert_eq!(point[1].1, ValueTree::SameAs("p".to_owned(), 2));
        for (name, value) in &point {
            assert!(
                text.contains(&format!("\"{name}\":{}", to_text(value))),
                "{text}"
            );
        }
        let other = read(b"{\"q\": {\"offset\": 2, \"same_as\": \"p\"}}").unwrap();
        assert_eq!(other[0].1, point[1].1);
        let short = read(b"{\"q\": {\"same_as\": \"p\"}}").unwrap();
        assert_eq!(short[0].1, ValueTree::SameAs("p".to_owned(), 0));
        for (wrong, place) in [
            ("{\"q\": {\"same_as\": \"p\", \"offset\": 0.5}}", "/q"),
            ("{\"q\": {\"same_as\": \"p\", \"by\": 2}}", "/q"),
            (
                "{\"q\": {\"same_as\": \"p\", \"offset\": 2, \"x\": 1}}",
                "/q",
            ),
            ("{\"same_as\": \"p\"}", "/same_as"),
            ("{\"q\": [{\"same_as\": \"p\"}]}", "/q/0/same_as"),
        ] {
            assert_refused(wrong, "J041", place);
        }
    }

    #[test]
    fn records_are_objects() {
        let text = "{\"p\":{\"x\":1,\"v\":[{\"size\":2.5,\"n\":[]},{\"a\":{}}]}}";
        assert!(messages(text)[0].contains("(/p/v/1/a)"));
        let text = text.replace("{}", "true");
        let point = read(text.as_bytes()).unwrap();
        assert_eq!(format!("{{\"p\":{}}}", to_text(&point[0].1)), text);
    }

    #[test]
    fn seeds_may_be_lists() {
        let (one, is_list) = read_list(b"{\"y\": 1}").unwrap();
        assert_eq!((one.len(), is_list), (1, false));
        let (two, is_list) = read_list(b"[{\"y\": 1}, {\"y\": 2}]").unwrap();
        assert_eq!((two.len(), is_list), (2, true));
    }
}
