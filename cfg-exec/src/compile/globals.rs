//! The storage of global variables, at the bottom of memory.

use cfg_core::{
    diagnostic::Diagnostic,
    elemental::{Math, Scalar},
    entity::GlobalId,
    ir::{Extent, Program, ScalarType, Variable},
};

use super::Compiling;
use crate::{
    cell,
    descriptor::{self, Axis, Descriptor},
    evaluate::{Constants, evaluate, integer},
    fault::UNSUPPORTED,
};

/// Addresses, shapes and initial values.
#[derive(Clone, Debug, Default)]
pub(crate) struct Globals {
    addresses: Vec<u64>,
    pub(crate) axes: Vec<Vec<Axis>>,
    pub(crate) descriptors: Vec<Descriptor>,
    pub(crate) descriptor_at: Vec<u32>,
    /// Number of cells.
    pub(crate) cells: u64,
    /// The initial values, later ones over earlier ones.
    initial: Vec<Initial>,
}

/// Initial values of some cells: one for each, or one for all.
#[derive(Clone, Debug)]
struct Initial {
    at: u64,
    count: u64,
    values: Vec<u64>,
}

/// Largest storage of globals: their addresses take 32 bits in the code.
const MOST_CELLS: u64 = 1 << 31;

impl Globals {
    pub(super) fn new(program: &Program, math: Math) -> Compiling<Self> {
        let constants = Constants(math);
        let mut globals = Self::default();
        let mut sizes = Vec::with_capacity(program.globals.len());
        for global in &program.globals {
            let mut axes = axes(&global.variable, &constants)?;
            let size = descriptor::lay_out(&mut axes, global.variable.order)
                .filter(|&n| n <= MOST_CELLS)
                .ok_or_else(|| too_many(&global.variable))?;
            sizes.push(size);
            globals.axes.push(axes);
        }
        globals.assign_addresses(program, &sizes)?;
        for (k, global) in program.globals.iter().enumerate() {
            let variable = &global.variable;
            let Some(initial) = global.initial.as_ref().filter(|_| sizes[k] > 0) else {
                continue;
            };
            let values: Option<Vec<u64>> = initial
                .iter()
                .map(|e| scalar_cell(evaluate(e, &constants)?, variable.ty))
                .collect();
            let values = values
                .filter(|values| !values.is_empty())
                .ok_or_else(|| refused(variable, "an initial value is not constant"))?;
            globals.initial.push(Initial {
                at: globals.addresses[k],
                count: sizes[k],
                values,
            });
        }
        for (axes, &address) in globals.axes.iter().zip(&globals.addresses) {
            globals.descriptor_at.push(globals.descriptors.len() as u32);
            let mut parts = vec![Descriptor::default(); descriptor::position_count(axes.len())];
            parts[0].base = address;
            for (k, axis) in axes.iter().enumerate() {
                *descriptor::axis_mut(&mut parts, k) = *axis;
            }
            globals.descriptors.extend(parts);
        }
        Ok(globals)
    }

    /// Computes the addresses. A global may share storage with one that is declared later.
    fn assign_addresses(&mut self, program: &Program, sizes: &[u64]) -> Compiling<()> {
        self.addresses = vec![0; sizes.len()];
        for (k, global) in program.globals.iter().enumerate() {
            if global.overlay.is_some() {
                continue;
            }
            if sizes[k] > MOST_CELLS - self.cells {
                return Err(too_many(&global.variable));
            }
            self.addresses[k] = self.cells;
            self.initial.push(Initial {
                at: self.cells,
                count: sizes[k],
                values: vec![cell::poison(global.variable.ty)],
            });
            self.cells += sizes[k];
        }
        for (k, global) in program.globals.iter().enumerate() {
            let Some(overlay) = global.overlay else {
                continue;
            };
            let base = overlay.base.index();
            let offset = u64::try_from(overlay.offset).unwrap_or(u64::MAX);
            if offset
                .checked_add(sizes[k])
                .is_none_or(|end| end > sizes[base])
            {
                let why = "a global leaves the storage that it shares";
                return Err(refused(&global.variable, why));
            }
            self.addresses[k] = self.addresses[base] + offset;
        }
        Ok(())
    }

    /// Sets cells to their initial values; `from` is the address of the first of them.
    pub(crate) fn initialise(&self, from: u64, cells: &mut [u64]) {
        let end = from + cells.len() as u64;
        for part in &self.initial {
            let first = part.at.max(from);
            let last = (part.at + part.count).min(end);
            if first >= last {
                continue;
            }
            let to = &mut cells[(first - from) as usize..(last - from) as usize];
            match &*part.values {
                [value] => to.fill(*value),
                values => {
                    let given = &values[((first - part.at) as usize).min(values.len() - 1)..];
                    for (k, cell) in to.iter_mut().enumerate() {
                        *cell = given[k.min(given.len() - 1)];
                    }
                }
            }
        }
    }

    /// Address of the first cell.
    pub(crate) fn address(&self, g: GlobalId) -> u32 {
        self.addresses[g.index()] as u32
    }
}

fn refused(variable: &Variable, why: &str) -> Box<Diagnostic> {
    let at = format!("global {}", variable.name);
    let help = "give it constant extents, or make it a parameter";
    Box::new(Diagnostic::error(&UNSUPPORTED, why, help).at_element(at))
}

fn too_many(variable: &Variable) -> Box<Diagnostic> {
    refused(variable, "the global variables take more than 16 GiB")
}

/// The dimensions of a global, without strides.
fn axes(variable: &Variable, constants: &Constants) -> Compiling<Vec<Axis>> {
    let mut axes = Vec::with_capacity(variable.rank());
    for dim in &variable.shape {
        let Extent::Fixed(extent) = &dim.extent else {
            let why = "a global array of deferred extents cannot be run";
            return Err(refused(variable, why));
        };
        let (Some(lower), Some(extent)) =
            (integer(&dim.lower, constants), integer(extent, constants))
        else {
            let why = "the extents of a global array are not constant";
            return Err(refused(variable, why));
        };
        axes.push(Axis {
            lower,
            extent: extent.max(0),
            stride: 0,
        });
    }
    Ok(axes)
}

/// The cell of a scalar as a value of this type.
fn scalar_cell(x: Scalar, ty: ScalarType) -> Option<u64> {
    Some(match (ty, x) {
        (ScalarType::Integer, Scalar::Integer(n)) => n as u64,
        // A valid program has the initial values of its types.
        (ScalarType::Sized(_), Scalar::Sized(_, cell)) => cell as u64,
        (ScalarType::Logical, Scalar::Logical(b)) => u64::from(b),
        (ScalarType::Real, x @ (Scalar::Real(_) | Scalar::Real32(_) | Scalar::Integer(_))) => {
            cell::real(x.to_f64())
        }
        (ScalarType::Real32, x @ (Scalar::Real(_) | Scalar::Real32(_) | Scalar::Integer(_))) => {
            cell::round32(cell::real(x.to_f64()))
        }
        _ => return None,
    })
}
