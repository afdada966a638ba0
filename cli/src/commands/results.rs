//! Results as JSON: one object, one line per member. The types that are written also give the schemas.

use cfg_core::{entity::RoutineId, ir::Program};
use cfg_drive::{Members, Named, Nested, Sizes, Trace};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Serialize, Serializer};
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

/// Values by name, as an object of nested arrays, and of objects for records.
pub(crate) struct Values<'v>(pub(crate) Members<'v>);

impl<'v> Values<'v> {
    /// Values of variables of a routine at a point with these sizes.
    pub(crate) fn new(
        values: &'v Named,
        (program, routine): (&'v Program, RoutineId),
        sizes: &'v Sizes,
    ) -> Self {
        Self(Members::new(values, program, routine).with_sizes(sizes))
    }
}

impl Serialize for Values<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
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
    pub(crate) fn from_trace(trace: &'t Trace) -> Self {
        Self {
            forward: &trace.forward,
            reverse: &trace.reverse,
        }
    }
}
