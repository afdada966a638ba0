//! Conversion of serde_json's tokens to wire types: reading that reports and goes on instead of failing.
//!
//! serde's derived `Deserialize` stops at the first value that does not fit. A [`Wire`] type instead
//! reports it to the [`Context`], skips it, and returns `None`, so that one run shows all problems.
//! An `Err` is left only for text that is not JSON at all.

use super::{
    context::{Context, Cure, Seg},
    token::{Token, quote},
};
use cfg_core::diagnostic::similar::did_you_mean_text;
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::{fmt, marker::PhantomData};

/// A type that is read from a program file.
pub(super) trait Wire: Sized {
    /// The type of the value that is read.
    type Out;
    /// True if it takes integers from 2^63 to 2^64 - 1; elsewhere they are reported.
    const WIDE: bool = false;
    /// The kind of value with an article, for messages: `an integer`.
    const WHAT: &'static str;

    /// The value read from a scalar.
    fn scalar(token: Token<'_>, cx: &mut Context) -> Option<Self::Out> {
        cx.wrong_type(Self::WHAT, &token);
        None
    }

    /// The value read from an array.
    fn array<'de, A: SeqAccess<'de>>(
        seq: A,
        cx: &mut Context,
    ) -> Result<Option<Self::Out>, A::Error> {
        cx.wrong_type(Self::WHAT, &Token::Array);
        skip_array(seq)?;
        Ok(None)
    }

    /// The value read from an object.
    fn object<'de, A: MapAccess<'de>>(
        map: A,
        cx: &mut Context,
    ) -> Result<Option<Self::Out>, A::Error> {
        cx.wrong_type(Self::WHAT, &Token::Object);
        skip_object(map)?;
        Ok(None)
    }

    /// The value that takes the place of an array element that could not be read, so that the others keep their
    /// positions.
    fn placeholder() -> Option<Self::Out> {
        None
    }

    /// Notes that an element of a list could not be read.
    fn lost(_: &mut Context) {}
}

/// The reason for which reading stops if the program would take more memory than allowed.
pub(super) const OUT_OF_MEMORY: &str = "the program takes more memory than allowed";

/// The reason for which reading stops if there are too many problems.
pub(super) const TOO_MANY: &str = "too many problems";

/// Skips the rest of an array; the number of elements skipped.
pub(super) fn skip_array<'de, A: SeqAccess<'de>>(mut seq: A) -> Result<usize, A::Error> {
    let mut count = 0;
    while seq.next_element::<IgnoredAny>()?.is_some() {
        count += 1;
    }
    Ok(count)
}

/// Skips the rest of an object.
pub(super) fn skip_object<'de, A: MapAccess<'de>>(mut map: A) -> Result<(), A::Error> {
    while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
    Ok(())
}

/// The element of an array at this position: `None` at the end, `Some(None)` if it could not be read.
pub(super) fn next_element<'de, T: Wire, A: SeqAccess<'de>>(
    seq: &mut A,
    index: usize,
    cx: &mut Context,
) -> Result<Option<Option<T::Out>>, A::Error> {
    cx.path.push(Seg::Index(index));
    let result = seq.next_element_seed(Seed::<T>::new(cx));
    cx.path.pop();
    // Twice the size: lists have room to grow while they are read.
    match cx.allowance.checked_sub(2 * size_of::<T::Out>()) {
        Some(left) => cx.allowance = left,
        None => return Err(A::Error::custom(OUT_OF_MEMORY)),
    }
    if cx.is_full() {
        return Err(A::Error::custom(TOO_MANY));
    }
    result
}

/// Message and help for an integer that no integer type of the place has.
pub(super) const BEYOND: (&str, &str) = (
    "integer beyond 64 bits",
    "write a real, with `.` or an exponent, or a smaller integer; of `uint64` [\"const\", \"uint64\", n] has them up to 2^64 - 1",
);

/// Reads a [`Wire`] type.
pub(super) struct Seed<'c, T> {
    cx: &'c mut Context,
    of: PhantomData<T>,
}

impl<'c, T> Seed<'c, T> {
    pub(super) fn new(cx: &'c mut Context) -> Self {
        Self {
            cx,
            of: PhantomData,
        }
    }
}

impl<'de, T: Wire> DeserializeSeed<'de> for Seed<'_, T> {
    type Value = Option<T::Out>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de, T: Wire> Visitor<'de> for Seed<'_, T> {
    type Value = Option<T::Out>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(T::WHAT)
    }
    fn visit_bool<E: Error>(self, value: bool) -> Result<Self::Value, E> {
        Ok(T::scalar(Token::Logical(value), self.cx))
    }
    fn visit_i64<E: Error>(self, value: i64) -> Result<Self::Value, E> {
        Ok(T::scalar(Token::Int(value), self.cx))
    }
    fn visit_u64<E: Error>(self, value: u64) -> Result<Self::Value, E> {
        let token = i64::try_from(value).map_or(Token::WideInt(value), Token::Int);
        if matches!(token, Token::WideInt(_)) && !T::WIDE {
            self.cx.report(&super::codes::NUMBER, BEYOND.0, BEYOND.1);
            return Ok(None);
        }
        Ok(T::scalar(token, self.cx))
    }
    fn visit_f64<E: Error>(self, value: f64) -> Result<Self::Value, E> {
        Ok(T::scalar(Token::Real(value), self.cx))
    }
    fn visit_str<E: Error>(self, value: &str) -> Result<Self::Value, E> {
        Ok(T::scalar(Token::Text(value), self.cx))
    }
    fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
        Ok(T::scalar(Token::Null, self.cx))
    }
    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<Self::Value, A::Error> {
        T::array(seq, self.cx)
    }
    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
        T::object(map, self.cx)
    }
}

/// Reads the name of a member: the position among the known names, or, after a report, the position of a near one.
pub(super) struct MemberName<'c> {
    pub(super) cx: &'c mut Context,
    pub(super) known: &'static [&'static str],
    pub(super) of: &'static str,
}

impl<'de> DeserializeSeed<'de> for MemberName<'_> {
    type Value = Result<usize, Option<usize>>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for MemberName<'_> {
    type Value = Result<usize, Option<usize>>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of a member")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<Self::Value, E> {
        let position = |name: &str| self.known.iter().position(|&k| k == name);
        Ok(position(name).ok_or_else(|| {
            let near = self.cx.unknown_member(name, self.of, self.known);
            near.and_then(position)
        }))
    }
}

/// Defines a wire object: the struct, its reading, and its JSON Schema, all from one list of members.
///
/// `required` members are reported when they are missing; every field is an `Option` nevertheless, since a member may
/// be present but unreadable. `convert` makes the IR's element from the one that was read.
macro_rules! wire_object {
    (
        $(#[doc = $doc:literal])*
        $name:ident, $what:literal, $convert:expr => $out:ty $(, schema $schema:expr)? $(, placeholder $placeholder:expr)?
            $(, lost $lost:expr)? $(, array $cure:expr)? ;
        $($(#[doc = $field_doc:literal])* $key:literal $field:ident: $ty:ty $(, $required:ident)?;)*
    ) => {
        $(#[doc = $doc])*
        #[derive(Debug)]
        pub(in crate::json) struct $name {
            $($(#[doc = $field_doc])* pub(in crate::json) $field: Option<<$ty as $crate::json::decode::Wire>::Out>,)*
            /// The members that stand in the file, readable or not; a bit for each.
            given: u32,
            /// The members to which an unknown name was near, a bit for each.
            meant: u32,
        }

        #[allow(dead_code, reason = "only some conversions ask")]
        impl $name {
            /// True if the member stands in the file, readable or not, or under a name that is near to its own.
            pub(in crate::json) fn has(&self, member: &str) -> bool {
                self.is_in(self.given | self.meant, member)
            }

            /// True if the member stands in the file, readable or not.
            pub(in crate::json) fn is_given(&self, member: &str) -> bool {
                self.is_in(self.given, member)
            }

            fn is_in(&self, set: u32, member: &str) -> bool {
                const KNOWN: &[&str] = &[$($key),*];
                KNOWN.iter().position(|&k| k == member).is_some_and(|k| set >> k & 1 == 1)
            }
        }

        impl $crate::json::decode::Wire for $name {
            type Out = $out;
            const WHAT: &'static str = $what;

            fn object<'de, A: serde::de::MapAccess<'de>>(
                mut map: A,
                cx: &mut $crate::json::context::Context,
            ) -> Result<Option<$out>, A::Error> {
                const KNOWN: &[&str] = &[$($key),*];
                let mut wire = Self { $($field: None,)* given: 0, meant: 0 };
                while let Some(found) = map.next_key_seed($crate::json::decode::MemberName {
                    cx, known: KNOWN, of: $what,
                })? {
                    if cx.is_full() {
                        return Err(serde::de::Error::custom($crate::json::decode::TOO_MANY));
                    }
                    let position = match found {
                        Ok(position) => position,
                        Err(near) => {
                            wire.meant |= near.map_or(0, |near: usize| 1 << near);
                            map.next_value::<serde::de::IgnoredAny>()?;
                            continue;
                        }
                    };
                    if wire.given >> position & 1 == 1 {
                        cx.duplicate_member(KNOWN[position]);
                        map.next_value::<serde::de::IgnoredAny>()?;
                        continue;
                    }
                    wire.given |= 1 << position;
                    cx.path.push($crate::json::context::Seg::Key(KNOWN[position]));
                    match KNOWN[position] {
                        $($key => {
                            wire.$field = map.next_value_seed($crate::json::decode::Seed::<$ty>::new(cx))?;
                        })*
                        _ => {}
                    }
                    cx.path.pop();
                }
                let required: &[(&str, bool)] = &[$(($key, false $(|| stringify!($required) == "required")?)),*];
                for (position, &(key, required)) in required.iter().enumerate() {
                    if required && (wire.given | wire.meant) >> position & 1 == 0 {
                        cx.missing_member(key, $what);
                    }
                }
                let convert: fn(Self, &mut $crate::json::context::Context) -> Option<$out> = $convert;
                Ok(convert(wire, cx))
            }

            $(fn placeholder() -> Option<$out> { Some($placeholder) })?

            $(fn lost(cx: &mut $crate::json::context::Context) {
                let lost: fn(&mut $crate::json::context::Context) = $lost;
                lost(cx);
            })?

            $(fn array<'de, A: serde::de::SeqAccess<'de>>(
                seq: A,
                cx: &mut $crate::json::context::Context,
            ) -> Result<Option<$out>, A::Error> {
                cx.wrong_type(Self::WHAT, &$crate::json::token::Token::Array);
                cx.cure($cure, 0);
                $crate::json::decode::skip_array(seq)?;
                Ok(None)
            })?
        }

        impl schemars::JsonSchema for $name {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
                let members = vec![$($crate::json::schema_parts::Member {
                    name: $key,
                    doc: concat!($($field_doc),*),
                    required: false $(|| stringify!($required) == "required")?,
                    schema: generator.subschema_for::<$ty>(),
                }),*];
                #[allow(unused_mut, reason = "only some objects have rules beyond their members")]
                let mut schema = $crate::json::schema_parts::object(concat!($($doc),*), members);
                $(($schema)(&mut schema);)?
                schema
            }
        }
    };
}
pub(super) use wire_object;

/// Names that other formats have for members, where spelling does not suggest ours; the first that the object has.
const ELSEWHERE: [(&str, &[&str]); 30] = [
    ("args", &["parameters"]),
    ("arguments", &["parameters"]),
    ("params", &["parameters"]),
    ("inputs", &["parameters"]),
    ("variables", &["locals"]),
    ("vars", &["locals"]),
    ("returns", &["result"]),
    ("nodes", &["vertices"]),
    ("blocks", &["vertices"]),
    ("functions", &["routines"]),
    ("version", &["format"]),
    ("kind", &["type"]),
    ("number", &["id"]),
    ("body", &["statements", "vertices"]),
    ("code", &["statements"]),
    ("stmts", &["statements"]),
    ("instructions", &["statements"]),
    ("cond", &["condition"]),
    ("while", &["condition"]),
    ("until", &["condition"]),
    ("var", &["index"]),
    ("variable", &["index"]),
    ("start", &["first", "from"]),
    ("begin", &["first", "from"]),
    ("end", &["last", "to"]),
    ("stop", &["last", "to"]),
    ("stride", &["step"]),
    ("source", &["from"]),
    ("target", &["to"]),
    ("dimensions", &["shape"]),
];

impl Context {
    /// Reports a member that its object does not have; returns the known name near to it.
    pub(super) fn unknown_member(
        &mut self,
        name: &str,
        of: &str,
        known: &[&'static str],
    ) -> Option<&'static str> {
        let elsewhere = |name: &str| {
            let ours = ELSEWHERE.iter().find(|(other, _)| *other == name)?.1;
            known.iter().copied().find(|k| ours.contains(k))
        };
        let lower = name.to_ascii_lowercase();
        let near = match self.nearest(name, known.iter().copied()) {
            Some(near) => known.iter().copied().find(|k| *k == near),
            None => elsewhere(&lower),
        };
        let help = match near {
            Some(near) => did_you_mean_text(near),
            None => format!(
                "the members of {of} are {}; data of your own goes into `annotations`",
                known.join(", ")
            ),
        };
        self.report_at(
            Seg::Name(name.into()),
            &super::codes::UNKNOWN_MEMBER,
            format!("{of} has no member {}", quote(name)),
            help,
        );
        near
    }

    /// Reports a member that is given twice.
    pub(super) fn duplicate_member(&mut self, name: &str) {
        self.report_at(
            Seg::Name(name.into()),
            &super::codes::DUPLICATE_MEMBER,
            format!("member {} is given twice in one object", quote(name)),
            "remove one of the two",
        );
    }

    /// Reports a required member that is missing.
    pub(super) fn missing_member(&mut self, name: &str, of: &str) {
        let help = match (name, of) {
            ("format", _) => format!("add \"format\": \"{}\"", super::FORMAT),
            ("intent", _) => "add \"intent\": \"in\", or \"out\" or \"inout\"".to_owned(),
            ("type", "a vertex") => {
                "add the member `type`: ENTRY, BASICBLOCK, LOOP, ENDLOOP, BRANCH, ENDBRANCH or EXIT"
                    .to_owned()
            }
            ("type", _) => "add \"type\": \"real\", or \"integer\" or \"logical\"".to_owned(),
            _ => format!("add the member `{name}`"),
        };
        self.report(
            &super::codes::MISSING_MEMBER,
            format!("{of} without `{name}`"),
            help,
        );
    }
}

impl Wire for i64 {
    type Out = i64;
    const WHAT: &'static str = "an integer";

    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "other tokens are wrong here or handed on"
    )]
    fn scalar(token: Token<'_>, cx: &mut Context) -> Option<i64> {
        match token {
            Token::Int(i) => Some(i),
            Token::WideInt(_) => None,
            _ => {
                cx.wrong_type(Self::WHAT, &token);
                meant_integer(token)
            }
        }
    }
}

/// The integer that was meant, so that later checks can use it.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "other tokens are wrong here or handed on"
)]
fn meant_integer(token: Token<'_>) -> Option<i64> {
    match token {
        Token::Logical(b) => Some(i64::from(b)),
        Token::Text(text) => match text {
            "true" | "T" => Some(1),
            "false" | "F" => Some(0),
            _ => text.trim().parse().ok(),
        },
        Token::Real(r) if r.fract() == 0.0 && r.abs() <= 2f64.powi(53) => Some(r as i64),
        _ => None,
    }
}

impl Wire for bool {
    type Out = bool;
    const WHAT: &'static str = "true or false";

    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "other tokens are wrong here or handed on"
    )]
    fn scalar(token: Token<'_>, cx: &mut Context) -> Option<bool> {
        match token {
            Token::Logical(b) => Some(b),
            _ => {
                cx.wrong_type(Self::WHAT, &token);
                meant_integer(token).map(|i| i != 0)
            }
        }
    }
}

impl Wire for String {
    type Out = String;
    const WHAT: &'static str = "a string";

    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "other tokens are wrong here or handed on"
    )]
    fn scalar(token: Token<'_>, cx: &mut Context) -> Option<String> {
        match token {
            Token::Text(t) => Some(t.to_owned()),
            _ => {
                cx.wrong_type(Self::WHAT, &token);
                None
            }
        }
    }
}

impl<T: Wire> Wire for Vec<T> {
    type Out = Vec<T::Out>;
    const WHAT: &'static str = "an array";

    fn array<'de, A: SeqAccess<'de>>(
        mut seq: A,
        cx: &mut Context,
    ) -> Result<Option<Self::Out>, A::Error> {
        // Most lists are short and live long, so they get no spare room.
        let mut list = Vec::with_capacity(1);
        let mut index = 0;
        while let Some(value) = next_element::<T, A>(&mut seq, index, cx)? {
            if value.is_none() {
                T::lost(cx);
            }
            list.extend(value.or_else(T::placeholder));
            index += 1;
        }
        list.shrink_to_fit();
        Ok(Some(list))
    }

    /// Reads a single element in place of a list: its meaning is clear, so that the rest can be checked.
    fn scalar(token: Token<'_>, cx: &mut Context) -> Option<Self::Out> {
        cx.wrong_type("a list", &token);
        if !matches!(token, Token::Null) {
            cx.cure(Cure::List, 0);
        }
        let known = (cx.problems.0.len(), cx.cures.len());
        let element = T::scalar(token, cx);
        cx.problems.0.truncate(known.0);
        cx.cures.truncate(known.1);
        if element.is_none() {
            T::lost(cx);
        }
        element.map(|element| vec![element])
    }
}
