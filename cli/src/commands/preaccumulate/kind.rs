//! Tells a bare graph from a program by the first member that only one of them has.

use serde::de::{Deserializer as _, Error, IgnoredAny, MapAccess, Visitor};
use std::fmt;

/// True unless the text is an object that begins like a program: what is neither is reported as a graph.
pub(super) fn is_graph(json: &[u8]) -> bool {
    let mut program = false;
    // Both readers ignore a byte order mark.
    let json = json.strip_prefix(b"\xef\xbb\xbf").unwrap_or(json);
    let mut tokens = serde_json::Deserializer::from_slice(json);
    // Ends with an error as soon as it is clear; errors of the text are found by those who read it all.
    let _ = tokens.deserialize_any(Members(&mut program));
    !program
}

struct Members<'a>(&'a mut bool);

impl<'de> Visitor<'de> for Members<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            match &*key {
                "format" | "routines" => {
                    *self.0 = true;
                    return Err(A::Error::custom("a program"));
                }
                "inputs" | "outputs" | "edges" => return Err(A::Error::custom("a graph")),
                _ => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_telling_member_decides() {
        for graph in [
            r#"{"name": {"format": 1}, "edges": [], "format": "x"}"#,
            r#"{"inputs""#,
            "{}",
            "[]",
            "",
            "{\"name\": 1e999",
        ] {
            assert!(is_graph(graph.as_bytes()), "{graph}");
        }
        for program in [
            r#"{"note": [1, {"edges": []}], "format""#,
            r#"{"routines": ["#,
            "\u{feff}{\"routines\": [",
        ] {
            assert!(!is_graph(program.as_bytes()), "{program}");
        }
    }
}
