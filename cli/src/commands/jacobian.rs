//! `cfgrev jacobian`: dependents by independents.

use super::results::{Values, write_object};
use super::{Prepared, evaluation, in_text};
use crate::Outcome;
use crate::args::{Jacobian, Mode};
use crate::input::Session;
use crate::output::to_stdout;
use cfg_drive::{
    Point, Primal, Real, Shown, are_finite, compressed_jacobian, jacobian, not_finite,
};
use schemars::JsonSchema;
use serde::Serialize;
use serde::ser::{SerializeMap as _, SerializeSeq as _, Serializer};
use std::collections::BTreeMap;

/// What `cfgrev jacobian` prints.
#[derive(JsonSchema, Serialize)]
pub(crate) struct Output<'r> {
    /// The routine.
    routine: &'r str,
    /// The dependents.
    value: Values<'r>,
    /// For each dependent and each independent a matrix: rows the dependent's elements, columns the
    /// independent's, in storage order.
    #[schemars(with = "BTreeMap<String, BTreeMap<String, Vec<Vec<Real>>>>")]
    jacobian: Blocks<'r>,
    /// The cost of a compressed Jacobian, with `--compress`.
    #[serde(skip_serializing_if = "Option::is_none")]
    compression: Option<Compression>,
}

/// What a compressed Jacobian took.
#[derive(JsonSchema, Serialize)]
struct Compression {
    /// Rows by adjoint or columns by tangent.
    mode: Way,
    /// Tangent runs that found the sparsity pattern.
    probes: usize,
    /// Reverse sweeps or tangent runs.
    sweeps: usize,
    /// The number of sweeps without compression.
    uncompressed: usize,
}

/// How a Jacobian was computed.
#[derive(JsonSchema, Serialize)]
#[serde(rename_all = "lowercase")]
enum Way {
    /// One reverse sweep per row.
    Adjoint,
    /// One tangent run per column.
    Tangent,
}

pub(crate) fn run(args: &Jacobian, session: &Session) -> anyhow::Result<Outcome> {
    let Prepared {
        program,
        routine,
        options,
        text,
        ..
    } = evaluation(&args.what, &[], (false, false), session)?;
    let mut at = Point::default();
    let jacobian = {
        let _progress = session.progress("differentiating");
        let read = |primal: &Primal| {
            let point = primal.read_point(&text.bytes).map_err(in_text(&text))?;
            at.clone_from(&point);
            Ok(point)
        };
        let mode = args.mode.map(|mode| match mode {
            Mode::Adjoint => cfg_drive::Mode::Adjoint,
            Mode::Tangent => cfg_drive::Mode::Tangent,
        });
        if args.compress {
            compressed_jacobian(&program, routine, &options, read, mode)?
        } else {
            jacobian(&program, routine, &options, read, mode)?
        }
    };
    if are_finite(&jacobian.value) && !jacobian.entries.iter().all(|x| x.is_finite()) {
        let found = not_finite((&program, routine), &options, &at, None);
        session.report(&found.into());
    }
    let size = |list: &[(String, usize)]| list.iter().map(|x| x.1).sum::<usize>();
    let compression = args.compress.then(|| {
        let (mode, uncompressed) = match jacobian.mode {
            cfg_drive::Mode::Adjoint => (Way::Adjoint, size(&jacobian.rows)),
            cfg_drive::Mode::Tangent => (Way::Tangent, size(&jacobian.columns)),
        };
        Compression {
            mode,
            probes: jacobian.probes,
            sweeps: jacobian.sweeps,
            uncompressed,
        }
    });
    let output = Output {
        routine: &program.routine(routine).name,
        value: Values::new(&jacobian.value, (program.grouped(), routine), at.sizes()),
        jacobian: Blocks {
            jacobian: &jacobian,
            names: Shown::for_routine(program.grouped(), routine),
        },
        compression,
    };
    to_stdout(|out| {
        write_object(out, &output)?;
        writeln!(out)
    })?;
    Ok(Outcome::Done)
}

/// The blocks of a Jacobian: for each dependent an object with a matrix for each independent.
struct Blocks<'j> {
    jacobian: &'j cfg_drive::Jacobian,
    names: Shown<'j>,
}

impl Serialize for Blocks<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.jacobian.rows.len()))?;
        let mut row = 0;
        for (name, height) in &self.jacobian.rows {
            let band = Band {
                of: self,
                rows: row..row + height,
            };
            map.serialize_entry(&self.names.name(name), &band)?;
            row += height;
        }
        map.end()
    }
}

/// The rows of one dependent.
struct Band<'j> {
    of: &'j Blocks<'j>,
    rows: std::ops::Range<usize>,
}

impl Serialize for Band<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let jacobian = self.of.jacobian;
        let mut map = serializer.serialize_map(Some(jacobian.columns.len()))?;
        let mut column = 0;
        for (name, width) in &jacobian.columns {
            let block = Block {
                jacobian,
                rows: self.rows.clone(),
                columns: column..column + width,
            };
            map.serialize_entry(&self.of.names.name(name), &block)?;
            column += width;
        }
        map.end()
    }
}

/// The derivatives of one dependent with respect to one independent.
struct Block<'j> {
    jacobian: &'j cfg_drive::Jacobian,
    rows: std::ops::Range<usize>,
    columns: std::ops::Range<usize>,
}

impl Serialize for Block<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut rows = serializer.serialize_seq(Some(self.rows.len()))?;
        for row in self.rows.clone() {
            let entries = self.columns.clone();
            let entries = entries.map(|column| self.jacobian.entry(row, column).map(Real));
            rows.serialize_element(&entries.collect::<Vec<_>>())?;
        }
        rows.end()
    }
}
