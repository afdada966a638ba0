//! Results as JSON: one object, one line per member. The types that are written also give the schemas.

use cfg_drive::{Named, Nested, Trace};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{
    Serialize,
    ser::{SerializeMap as _, Serializer},
};
use serde_json::ser::Formatter;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::{self, Write};

/// Writes an object, each of its members on a line of its own.
pub(crate) fn write_object(out: &mut dyn Write, object: &impl Serialize) -> io::Result<()> {
    let lines = Lines { depth: 0 };
    object.serialize(&mut serde_json::Serializer::with_formatter(out, lines))?;
    Ok(())
}

/// Line ends between the members of the outermost object.
struct Lines {
    depth: usize,
}

impl Formatter for Lines {
    fn begin_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.depth += 1;
        writer.write_all(b"{")
    }

    fn end_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.depth -= 1;
        writer.write_all(b"}")
    }

    fn begin_object_key<W: ?Sized + Write>(
        &mut self,
        writer: &mut W,
        first: bool,
    ) -> io::Result<()> {
        match (first, self.depth) {
            (true, _) => Ok(()),
            (false, 1) => writer.write_all(b",\n "),
            (false, _) => writer.write_all(b","),
        }
    }
}

/// Values by name, as an object of nested arrays.
pub(crate) struct Values<'v>(pub(crate) &'v Named);

impl Serialize for Values<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, value) in self.0 {
            map.serialize_entry(name, &Nested(value))?;
        }
        map.end()
    }
}

impl JsonSchema for Values<'_> {
    fn schema_name() -> Cow<'static, str> {
        "Values".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        BTreeMap::<String, Nested<'static>>::json_schema(generator)
    }
}

/// The ids of the vertices of the original that were visited.
#[derive(JsonSchema, Serialize)]
pub(crate) struct Visits<'t> {
    /// The order of visits in the forward sweep.
    forward: &'t [i64],
    /// The order of visits in the reverse sweep.
    reverse: &'t [i64],
}

impl<'t> Visits<'t> {
    /// The visits that a run has traced.
    pub(crate) fn of(trace: &'t Trace) -> Self {
        Self {
            forward: &trace.forward,
            reverse: &trace.reverse,
        }
    }
}
