//! Full Jacobians, by rows or by columns.

use crate::codes;
use crate::mode::{Adjoint, Named, Options, Tangent};
use crate::point::Point;
use cfg_core::diagnostic::Diagnostics;
use cfg_core::elemental::Scalar;
use cfg_core::entity::RoutineId;
use cfg_core::ir::ScalarType;
use cfg_core::validate::ValidProgram;
use cfg_exec::Value;

/// How a Jacobian is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// One reverse sweep per row.
    Adjoint,
    /// One tangent run per column.
    Tangent,
}

/// The derivatives of all dependents with respect to all independents.
#[derive(Clone, Debug, PartialEq)]
pub struct Jacobian {
    /// The dependents.
    pub value: Named,
    /// Name and number of elements of each dependent: the rows, in storage order.
    pub rows: Vec<(String, usize)>,
    /// Name and number of elements of each independent: the columns, in storage order.
    pub columns: Vec<(String, usize)>,
    /// All rows, one after the other, each with all columns.
    pub entries: Vec<f64>,
    /// How it was computed.
    pub mode: Mode,
}

impl Jacobian {
    /// The entry of an element of a dependent and one of an independent, both counted over all rows and
    /// columns.
    pub fn entry(&self, row: usize, column: usize) -> Option<f64> {
        let width: usize = self.columns.iter().map(|c| c.1).sum();
        if column >= width {
            return None;
        }
        self.entries.get(row.checked_mul(width)? + column).copied()
    }
}

/// Computes a Jacobian at a point; without a mode, in the one that needs fewer runs.
///
/// # Errors
/// What cannot be differentiated; what goes wrong in a run; a matrix that does not fit into the memory
/// that a run may use.
pub fn jacobian(
    program: &ValidProgram,
    routine: RoutineId,
    options: &Options,
    read_point: impl FnOnce(&Tangent) -> Result<Point, Diagnostics>,
    mode: Option<Mode>,
) -> Result<Jacobian, Diagnostics> {
    let mut tangent = Tangent::new(program, routine, options)?;
    let point = read_point(&tangent)?;
    let independents = tangent.independents_at(&point);
    // One run shows values and shapes, also those of results that are not known before.
    let zeros: Vec<Value> = independents
        .iter()
        .map(|(_, v)| crate::point::zeros_like(v))
        .collect();
    let first = tangent.tangent(&point, &zeros)?;
    let rows = sizes(&first.value);
    let columns: Vec<(String, usize)> = independents
        .iter()
        .map(|(slot, v)| (tangent.key(*slot).to_owned(), v.len()))
        .collect();
    let height: usize = rows.iter().map(|r| r.1).sum();
    let width: usize = columns.iter().map(|c| c.1).sum();
    let entries = height
        .checked_mul(width)
        .filter(|n| *n as u64 <= options.run.max_memory / 8)
        .ok_or_else(|| {
            codes::general(
                &codes::TOO_LARGE,
                format!(
                    "a Jacobian of {height} rows and {width} columns takes more than {} bytes",
                    options.run.max_memory
                ),
                "choose fewer independents and dependents, or raise --max-memory",
            )
        })?;
    let mode = mode.unwrap_or(if height < width {
        Mode::Adjoint
    } else {
        Mode::Tangent
    });
    let mut jacobian = Jacobian {
        rows,
        columns,
        entries: vec![0.0; entries],
        mode,
        value: first.value,
    };
    match mode {
        Mode::Tangent => {
            let units = Units::new(zeros);
            units.each(|column, direction| {
                let found = tangent.tangent(&point, direction)?.tangent;
                for (row, x) in elements(&found).enumerate() {
                    jacobian.entries[row * width + column] = x;
                }
                Ok(())
            })?;
        }
        Mode::Adjoint => {
            let mut adjoint = Adjoint::new(program, routine, options)?;
            let units = Units::new(adjoint.dependents_at(&point));
            units.each(|row, seed| {
                let found = adjoint.gradient(&point, seed)?.gradient;
                for (column, x) in elements(&found).enumerate() {
                    jacobian.entries[row * width + column] = x;
                }
                Ok(())
            })?;
        }
    }
    Ok(jacobian)
}

fn sizes(values: &Named) -> Vec<(String, usize)> {
    values.iter().map(|(n, v)| (n.clone(), v.len())).collect()
}

/// All elements of several values, in storage order.
fn elements(values: &Named) -> impl Iterator<Item = f64> + '_ {
    values
        .iter()
        .flat_map(|(_, v)| (0..v.len()).map(|i| v.get_f64(i).unwrap_or(f64::NAN)))
}

/// Unit vectors over several values.
struct Units(Vec<Value>);

impl Units {
    fn new(zeros: Vec<Value>) -> Self {
        Self(zeros)
    }

    /// Calls `each` with every unit vector, one after the other.
    fn each(
        mut self,
        mut each: impl FnMut(usize, &[Value]) -> Result<(), Diagnostics>,
    ) -> Result<(), Diagnostics> {
        let mut position = 0;
        for k in 0..self.0.len() {
            let (zero, one) = match self.0[k].ty() {
                ScalarType::Real32 => (Scalar::Real32(0.0), Scalar::Real32(1.0)),
                _ => (Scalar::Real(0.0), Scalar::Real(1.0)),
            };
            for i in 0..self.0[k].len() {
                self.0[k].set(i, one);
                each(position, &self.0)?;
                self.0[k].set(i, zero);
                position += 1;
            }
        }
        Ok(())
    }
}
