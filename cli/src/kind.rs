//! Tells what a JSON text is by the first member that only one kind has.

use serde::de::{Deserializer as _, Error, IgnoredAny, MapAccess, Visitor};
use std::fmt;

/// The kind of document that a JSON text begins like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A program.
    Program,
    /// A bare linearized computational graph.
    Graph,
    /// The output of `preaccumulate`.
    Elimination,
}

impl Kind {
    /// The kind of a text; none if it has no member that tells.
    pub(crate) fn detect(json: &[u8]) -> Option<Self> {
        let mut kind = None;
        // Both readers ignore a byte order mark.
        let json = json.strip_prefix(b"\xef\xbb\xbf").unwrap_or(json);
        let mut tokens = serde_json::Deserializer::from_slice(json);
        // The visitor ends with an error on purpose once the kind is known; errors of the text are reported by the
        // reader.
        let _ = tokens.deserialize_any(Members(&mut kind));
        kind
    }
}

struct Members<'a>(&'a mut Option<Kind>);

impl<'de> Visitor<'de> for Members<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            *self.0 = match &*key {
                "format" | "routines" => Some(Kind::Program),
                "inputs" | "outputs" | "edges" => Some(Kind::Graph),
                "blocks" | "heuristics" | "sequence" => Some(Kind::Elimination),
                _ => {
                    map.next_value::<IgnoredAny>()?;
                    continue;
                }
            };
            return Err(A::Error::custom("it is clear"));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_telling_member_decides() {
        for (kind, texts) in [
            (
                Some(Kind::Graph),
                &[
                    r#"{"name": {"format": 1}, "edges": [], "format": "x"}"#,
                    r#"{"inputs""#,
                ][..],
            ),
            (None, &["{}", "[]", "", "{\"name\": 1e999"]),
            (
                Some(Kind::Elimination),
                &[
                    r#"{"name": "g", "cost": 3, "sequence": [["v", 3]"#,
                    r#"{"blocks": ["#,
                ],
            ),
            (
                Some(Kind::Program),
                &[
                    r#"{"note": [1, {"edges": []}], "format""#,
                    r#"{"routines": ["#,
                    "\u{feff}{\"routines\": [",
                ],
            ),
        ] {
            for text in texts {
                assert_eq!(Kind::detect(text.as_bytes()), kind, "{text}");
            }
        }
    }
}
