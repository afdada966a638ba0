//! Results as JSON: one object, one line per member.

use cfg_drive::{Named, Nested, Trace};
use serde::ser::{Serialize, SerializeMap as _, Serializer};
use std::io::{self, Write};

/// Writes the members of an object, each on a line of its own.
pub(crate) struct Object<'w> {
    out: &'w mut dyn Write,
    first: bool,
}

impl<'w> Object<'w> {
    pub(crate) fn new(out: &'w mut dyn Write) -> Self {
        Self { out, first: true }
    }

    pub(crate) fn member(&mut self, name: &str, value: &impl Serialize) -> io::Result<()> {
        self.out
            .write_all(if self.first { b"{" } else { b",\n " })?;
        self.first = false;
        serde_json::to_writer(&mut *self.out, name)?;
        self.out.write_all(b":")?;
        serde_json::to_writer(&mut *self.out, value)?;
        Ok(())
    }

    pub(crate) fn end(self) -> io::Result<()> {
        self.out.write_all(if self.first { b"{}" } else { b"}" })
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

/// Visited vertices.
pub(crate) struct Visits<'t>(pub(crate) &'t Trace);

impl Serialize for Visits<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(2))?;
        map.serialize_entry("forward", &self.0.forward)?;
        map.serialize_entry("reverse", &self.0.reverse)?;
        map.end()
    }
}
