//! The JSON reader: one pass, no intermediate tree, so that 10^7 edges cost little more than their text.

use std::fmt;

use cfg_core::diagnostic::similar::did_you_mean;
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};

use crate::codes;

use super::build::Raw;
use super::{Kind, LcgError, NewEdge, Problem};

const FIELDS: [&str; 6] = ["name", "inputs", "outputs", "edges", "note", "isolated"];

pub(super) fn raw_from_json(json: &[u8]) -> Result<Raw, LcgError> {
    let mut reader = Reader::default();
    // RFC 8259 lets readers ignore a byte order mark.
    let json = json.strip_prefix(b"\xef\xbb\xbf").unwrap_or(json);
    let mut tokens = serde_json::Deserializer::from_slice(json);
    let result = Top(&mut reader)
        .deserialize(&mut tokens)
        .and_then(|()| tokens.end());
    let Reader { raw, mut errors } = reader;
    if let Err(error) = result {
        errors.problems.insert(
            0,
            Problem {
                code: codes::JSON.code,
                pointer: String::new(),
                line: Some(error.line()),
                column: Some(error.column()),
                message: error.to_string(),
                rule: codes::JSON.rule,
                help: "correct the text at this place".into(),
            },
        );
    }
    if errors.is_empty() {
        Ok(raw)
    } else {
        Err(errors)
    }
}

#[derive(Default)]
struct Reader {
    raw: Raw,
    errors: LcgError,
}

/// Any JSON value, as far as this format cares.
enum Item {
    Int(i64),
    Kind(Kind),
    Text(String),
    Other(String),
}

impl Item {
    fn describe(&self) -> String {
        match self {
            Self::Int(value) => value.to_string(),
            Self::Kind(kind) => format!("{:?}", kind.name()),
            Self::Text(text) => format!("{:?}", shorten(text)),
            Self::Other(what) => what.clone(),
        }
    }
}

fn shorten(text: &str) -> String {
    if text.chars().count() <= 40 {
        return text.to_owned();
    }
    text.chars().take(40).chain("...".chars()).collect()
}

struct ItemVisitor;

impl<'de> Visitor<'de> for ItemVisitor {
    type Value = Item;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }
    fn visit_i64<E: Error>(self, value: i64) -> Result<Item, E> {
        Ok(Item::Int(value))
    }
    fn visit_u64<E: Error>(self, value: u64) -> Result<Item, E> {
        Ok(i64::try_from(value).map_or_else(|_| Item::Other(value.to_string()), Item::Int))
    }
    fn visit_f64<E: Error>(self, value: f64) -> Result<Item, E> {
        Ok(Item::Other(format!("the real number {value:e}")))
    }
    fn visit_bool<E: Error>(self, value: bool) -> Result<Item, E> {
        Ok(Item::Other(value.to_string()))
    }
    fn visit_unit<E: Error>(self) -> Result<Item, E> {
        Ok(Item::Other("null".into()))
    }
    fn visit_str<E: Error>(self, text: &str) -> Result<Item, E> {
        Ok(match text {
            "unit" => Item::Kind(Kind::Unit),
            "constant" => Item::Kind(Kind::Constant),
            "variable" => Item::Kind(Kind::Variable),
            _ => Item::Text(text.to_owned()),
        })
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Item, A::Error> {
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Item::Other("an array".into()))
    }
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Item, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Item::Other("an object".into()))
    }
}

impl<'de> DeserializeSeed<'de> for ItemVisitor {
    type Value = Item;
    fn deserialize<D: Deserializer<'de>>(self, tokens: D) -> Result<Item, D::Error> {
        tokens.deserialize_any(self)
    }
}

/// Methods of a visitor that expects one composite: every other value is reported and skipped.
macro_rules! refuse_scalars {
    ($self:ident => $report:expr) => {
        fn visit_i64<E: Error>($self, value: i64) -> Result<(), E> {
            $report(Item::Int(value));
            Ok(())
        }
        fn visit_u64<E: Error>($self, value: u64) -> Result<(), E> {
            $report(Item::Other(value.to_string()));
            Ok(())
        }
        fn visit_f64<E: Error>($self, value: f64) -> Result<(), E> {
            $report(Item::Other(format!("the real number {value:e}")));
            Ok(())
        }
        fn visit_bool<E: Error>($self, value: bool) -> Result<(), E> {
            $report(Item::Other(value.to_string()));
            Ok(())
        }
        fn visit_unit<E: Error>($self) -> Result<(), E> {
            $report(Item::Other("null".into()));
            Ok(())
        }
        fn visit_str<E: Error>($self, text: &str) -> Result<(), E> {
            $report(Item::Text(text.to_owned()));
            Ok(())
        }
    };
}

struct Top<'a>(&'a mut Reader);

impl<'de> DeserializeSeed<'de> for Top<'_> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, tokens: D) -> Result<(), D::Error> {
        tokens.deserialize_any(self)
    }
}

impl Top<'_> {
    fn wrong(&mut self, what: &Item) {
        self.0.errors.push(
            &codes::SHAPE,
            String::new,
            || format!("{} in place of a graph", what.describe()),
            "wrap the graph in an object",
        );
    }
}

impl<'de> Visitor<'de> for Top<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a graph object")
    }

    refuse_scalars!(self => |item| { let mut this = self; this.wrong(&item) });

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut seq: A) -> Result<(), A::Error> {
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        self.wrong(&Item::Other("an array".into()));
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let reader = self.0;
        let mut seen = [false; FIELDS.len()];
        while let Some(key) = map.next_key::<String>()? {
            let Some(at) = FIELDS.iter().position(|&field| field == key) else {
                let near = did_you_mean(&key, FIELDS.iter().copied());
                let otherwise = || format!("the fields of a graph are {}", FIELDS.join(", "));
                reader.errors.push(
                    &codes::UNKNOWN,
                    || format!("/{}", shorten(&key).replace('~', "~0").replace('/', "~1")),
                    || format!("unknown field {:?}", shorten(&key)),
                    &near.unwrap_or_else(otherwise),
                );
                map.next_value::<IgnoredAny>()?;
                continue;
            };
            if seen[at] {
                reader.errors.push(
                    &codes::TWICE,
                    || format!("/{key}"),
                    || format!("field {key:?} is given twice"),
                    "delete one of them",
                );
                map.next_value::<IgnoredAny>()?;
                continue;
            }
            seen[at] = true;
            match FIELDS[at] {
                "inputs" => map.next_value_seed(Ids {
                    reader,
                    field: "inputs",
                })?,
                "outputs" => map.next_value_seed(Ids {
                    reader,
                    field: "outputs",
                })?,
                "edges" => map.next_value_seed(Edges(reader))?,
                "name" => match map.next_value_seed(ItemVisitor)? {
                    Item::Text(text) => reader.raw.name = text,
                    Item::Kind(kind) => kind.name().clone_into(&mut reader.raw.name),
                    item @ (Item::Int(_) | Item::Other(_)) => reader.errors.push(
                        &codes::SHAPE,
                        || "/name".into(),
                        || format!("{} in place of a name", item.describe()),
                        "put it in quotes",
                    ),
                },
                _ => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        for field in ["inputs", "outputs", "edges"] {
            if !FIELDS
                .iter()
                .zip(seen)
                .any(|(&known, seen)| seen && known == field)
            {
                reader.errors.push(
                    &codes::MISSING,
                    String::new,
                    || format!("field {field:?} is missing"),
                    "add it (an empty list is allowed for inputs and edges)",
                );
            }
        }
        Ok(())
    }
}

struct Ids<'a> {
    reader: &'a mut Reader,
    field: &'static str,
}

impl<'de> DeserializeSeed<'de> for Ids<'_> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, tokens: D) -> Result<(), D::Error> {
        tokens.deserialize_any(self)
    }
}

impl Ids<'_> {
    fn wrong(&mut self, what: &Item) {
        let field = self.field;
        self.reader.errors.push(
            &codes::SHAPE,
            || format!("/{field}"),
            || format!("{} in place of a list of ids", what.describe()),
            "use an array of integers",
        );
    }
}

impl<'de> Visitor<'de> for Ids<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of ids")
    }

    refuse_scalars!(self => |item| { let mut this = self; this.wrong(&item) });

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<(), A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        self.wrong(&Item::Other("an object".into()));
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        let mut at = 0usize;
        while let Some(item) = seq.next_element_seed(ItemVisitor)? {
            if let Item::Int(id) = item {
                match self.field {
                    "inputs" => self.reader.raw.inputs.push(id),
                    _ => self.reader.raw.outputs.push(id),
                }
            } else {
                let field = self.field;
                bad_id(&mut self.reader.errors, || format!("/{field}/{at}"), &item);
            }
            at += 1;
        }
        Ok(())
    }
}

fn bad_id(errors: &mut LcgError, pointer: impl FnOnce() -> String, item: &Item) {
    errors.push(
        &codes::BAD_ID,
        pointer,
        || format!("{} in place of an id", item.describe()),
        "number the vertices",
    );
}

struct Edges<'a>(&'a mut Reader);

impl<'de> DeserializeSeed<'de> for Edges<'_> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, tokens: D) -> Result<(), D::Error> {
        tokens.deserialize_any(self)
    }
}

impl Edges<'_> {
    fn wrong(&mut self, what: &Item) {
        self.0.errors.push(
            &codes::SHAPE,
            || "/edges".into(),
            || format!("{} in place of the list of edges", what.describe()),
            "use an array of [source, target, kind]",
        );
    }
}

impl<'de> Visitor<'de> for Edges<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of edges")
    }

    refuse_scalars!(self => |item| { let mut this = self; this.wrong(&item) });

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<(), A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        self.wrong(&Item::Other("an object".into()));
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        let mut at = 0usize;
        while seq
            .next_element_seed(EdgeSeed { reader: self.0, at })?
            .is_some()
        {
            at += 1;
        }
        Ok(())
    }
}

struct EdgeSeed<'a> {
    reader: &'a mut Reader,
    at: usize,
}

impl<'de> DeserializeSeed<'de> for EdgeSeed<'_> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, tokens: D) -> Result<(), D::Error> {
        tokens.deserialize_any(self)
    }
}

impl EdgeSeed<'_> {
    fn wrong(&mut self, what: &str) {
        let at = self.at;
        self.reader.errors.push(
            &codes::BAD_EDGE,
            || format!("/edges/{at}"),
            || format!("{what} in place of an edge"),
            "write it so",
        );
    }
}

impl<'de> Visitor<'de> for EdgeSeed<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an edge")
    }

    refuse_scalars!(self => |item: Item| { let mut this = self; this.wrong(&item.describe()) });

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<(), A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        self.wrong("an object");
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut seq: A) -> Result<(), A::Error> {
        let mut ends = [None; 2];
        let mut kind = None;
        let mut sign = 1;
        let mut length = 0usize;
        let at = self.at;
        while let Some(item) = seq.next_element_seed(ItemVisitor)? {
            let errors = &mut self.reader.errors;
            match (length, item) {
                (0 | 1, Item::Int(id)) => ends[length] = Some(id),
                (0 | 1, item) => bad_id(errors, || format!("/edges/{at}/{length}"), &item),
                (2, Item::Kind(value)) => kind = Some(value),
                (2, item) => errors.push(
                    &codes::BAD_KIND,
                    || format!("/edges/{at}/2"),
                    || format!("{} in place of a kind", item.describe()),
                    "\"variable\" is always safe",
                ),
                (3, Item::Int(value @ (1 | -1))) => sign = value,
                (3, item) => errors.push(
                    &codes::BAD_SIGN,
                    || format!("/edges/{at}/3"),
                    || format!("{} in place of a sign", item.describe()),
                    "leave it out",
                ),
                _ => {}
            }
            length += 1;
        }
        if !(3..=4).contains(&length) {
            self.wrong(&format!("an array of {length}"));
        } else if length == 4 && kind.is_some_and(|kind| kind != Kind::Unit) {
            self.wrong("a sign on an edge that is no unit");
        } else if let ([Some(source), Some(target)], Some(kind)) = (ends, kind) {
            // The pointer of later checks is the position in the list, so a bad edge ends them anyway.
            self.reader.raw.edges.push(NewEdge {
                source,
                target,
                kind,
                negative: sign < 0,
                tag: u32::try_from(at).unwrap_or(u32::MAX),
            });
        }
        Ok(())
    }
}
