//! `cfgrev jacobian`: dependents by independents.

use super::results::{Object, Values};
use super::{Prepared, evaluation, in_text};
use crate::Outcome;
use crate::args::{Jacobian, Mode};
use crate::input::Session;
use crate::output::to_stdout;
use cfg_drive::{Real, Tangent, compressed_jacobian, jacobian};
use serde::ser::{Serialize, SerializeMap as _, SerializeSeq as _, Serializer};

pub(crate) fn run(args: &Jacobian, session: &Session) -> anyhow::Result<Outcome> {
    let Prepared {
        program,
        routine,
        options,
    } = evaluation(&args.what, &[], session)?;
    let text = session.read_value("POINT", &args.what.at.point, false)?;
    let jacobian = {
        let _progress = session.progress("differentiating");
        let read = |tangent: &Tangent| tangent.point(&text.bytes).map_err(in_text(&text));
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
    to_stdout(|out| {
        let mut object = Object::new(out);
        object.member("routine", &program.routine(routine).name)?;
        object.member("value", &Values(&jacobian.value))?;
        object.member("jacobian", &Blocks(&jacobian))?;
        if args.compress {
            let size = |list: &[(String, usize)]| list.iter().map(|x| x.1).sum::<usize>();
            let (mode, uncompressed) = match jacobian.mode {
                cfg_drive::Mode::Adjoint => ("adjoint", size(&jacobian.rows)),
                cfg_drive::Mode::Tangent => ("tangent", size(&jacobian.columns)),
            };
            let compression = serde_json::json!({
                "mode": mode,
                "sweeps": jacobian.sweeps,
                "probes": jacobian.probes,
                "uncompressed": uncompressed,
            });
            object.member("compression", &compression)?;
        }
        object.end()?;
        writeln!(out)
    })?;
    Ok(Outcome::Done)
}

/// For each dependent an object with a matrix for each independent.
struct Blocks<'j>(&'j cfg_drive::Jacobian);

impl Serialize for Blocks<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.rows.len()))?;
        let mut row = 0;
        for (name, height) in &self.0.rows {
            let band = Band {
                jacobian: self.0,
                rows: row..row + height,
            };
            map.serialize_entry(name, &band)?;
            row += height;
        }
        map.end()
    }
}

/// The rows of one dependent.
struct Band<'j> {
    jacobian: &'j cfg_drive::Jacobian,
    rows: std::ops::Range<usize>,
}

impl Serialize for Band<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.jacobian.columns.len()))?;
        let mut column = 0;
        for (name, width) in &self.jacobian.columns {
            let block = Block {
                jacobian: self.jacobian,
                rows: self.rows.clone(),
                columns: column..column + width,
            };
            map.serialize_entry(name, &block)?;
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
