//! The storage of global variables, at the bottom of memory.

use cfg_core::{
    diagnostic::Diagnostic,
    elemental::{Math, Scalar},
    entity::GlobalId,
    ir::{Extent, Program, ScalarType},
};

use super::emit::Compiling;
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
    pub(crate) initial: Vec<u64>,
}

/// Largest storage of globals: their addresses take 32 bits in the code.
const MOST_CELLS: u64 = 1 << 31;

impl Globals {
    pub(super) fn new(program: &Program, math: Math) -> Compiling<Self> {
        let constants = Constants(math);
        let count = program.globals.len();
        let mut globals = Self {
            addresses: vec![0; count],
            descriptor_at: vec![0; count],
            axes: vec![Vec::new(); count],
            ..Self::default()
        };
        // What lies over another global may be declared before it.
        let (bases, overlays): (Vec<usize>, Vec<usize>) =
            (0..count).partition(|&g| program.globals[g].overlay.is_none());
        for g in bases.into_iter().chain(overlays) {
            let global = &program.globals[g];
            let variable = &global.variable;
            let refused = |why: &str| {
                let at = format!("global {}", variable.name);
                Box::new(
                    Diagnostic::error(
                        &UNSUPPORTED,
                        why,
                        "give it constant extents, or make it a parameter",
                    )
                    .at_element(at),
                )
            };
            let mut axes = Vec::new();
            for dim in &variable.shape {
                let Extent::Fixed(extent) = &dim.extent else {
                    return Err(refused("a global array of deferred extents cannot be run"));
                };
                let (Some(lower), Some(extent)) =
                    (integer(&dim.lower, &constants), integer(extent, &constants))
                else {
                    return Err(refused("the extents of a global array are not constant"));
                };
                axes.push(Axis {
                    lower,
                    extent: extent.max(0),
                    stride: 0,
                });
            }
            let size = descriptor::lay_out(&mut axes, variable.order)
                .filter(|&n| n + globals.initial.len() as u64 <= MOST_CELLS)
                .ok_or_else(|| refused("the global variables take more than 16 GiB"))?;
            let address = match global.overlay {
                Some(overlay) => {
                    let base = overlay.base.index();
                    let room = descriptor::count(&globals.axes[base]).unwrap_or(0);
                    let offset = u64::try_from(overlay.offset).unwrap_or(u64::MAX);
                    if offset.checked_add(size).is_none_or(|end| end > room) {
                        return Err(refused("a global leaves the storage that it shares"));
                    }
                    globals.addresses[base] + offset
                }
                None => {
                    let address = globals.initial.len() as u64;
                    let end = globals.initial.len() + size as usize;
                    globals.initial.resize(end, cell::poison(variable.ty));
                    address
                }
            };
            if let Some(initial) = &global.initial {
                let cells: Option<Vec<u64>> = initial
                    .iter()
                    .map(|e| scalar_cell(evaluate(e, &constants)?, variable.ty))
                    .collect();
                let cells = cells.ok_or_else(|| refused("an initial value is not constant"))?;
                let at = address as usize;
                for k in 0..size as usize {
                    globals.initial[at + k] = cells[k.min(cells.len() - 1)];
                }
            }
            globals.addresses[g] = address;
            globals.descriptor_at[g] = globals.descriptors.len() as u32;
            let mut parts = vec![Descriptor::default(); descriptor::positions(axes.len())];
            parts[0].base = address;
            for (k, axis) in axes.iter().enumerate() {
                *descriptor::axis_mut(&mut parts, k) = *axis;
            }
            globals.descriptors.extend(parts);
            globals.axes[g] = axes;
        }
        Ok(globals)
    }

    /// Address of the first cell.
    pub(crate) fn address(&self, g: GlobalId) -> u32 {
        self.addresses[g.index()] as u32
    }
}

/// The cell of a scalar as a value of this type.
fn scalar_cell(x: Scalar, ty: ScalarType) -> Option<u64> {
    Some(match (ty, x) {
        (ScalarType::Integer, Scalar::Integer(n)) => n as u64,
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
