//! Arguments and globals of a session as the values that declared bounds are computed from.

use cfg_core::{
    elemental::{Math, Scalar},
    entity::VarId,
    ir::{Extent, Order, Role},
};

use super::Session;
use crate::{
    compile::Signature,
    evaluate::{Environment, integer},
    value::{Argument, Value},
};

/// Host values as the variables of a routine.
pub(super) struct Known<'s> {
    pub(super) signature: &'s Signature,
    pub(super) arguments: &'s [Argument],
    pub(super) session: &'s Session,
    /// The levels, and the number of bounds in all, that are left. Bounds may ask about other bounds, in cycles and
    /// repeatedly: the evaluation ends when either is used up.
    pub(super) left: std::cell::Cell<(u32, u32)>,
}

impl Known<'_> {
    fn argument(&self, v: VarId) -> Option<&Argument> {
        let position = *self.signature.positions.get(v.index())?;
        self.arguments.get(position?)
    }
}

impl Environment for Known<'_> {
    fn value(&self, v: VarId, subscripts: &[i64]) -> Option<Scalar> {
        let variable = self.signature.variables.get(v.index())?;
        let from_zero = |bounds: Vec<(i64, i64)>| -> Option<Vec<usize>> {
            subscripts
                .iter()
                .zip(bounds)
                .map(|(i, (lower, _))| usize::try_from(i.checked_sub(lower)?).ok())
                .collect()
        };
        match variable.role {
            Role::Parameter { .. } => {
                let value = self.argument(v)?.value()?;
                let at = if subscripts.is_empty() {
                    0
                } else {
                    value.position(&from_zero(self.bounds(v)?)?)?
                };
                value.get(at)
            }
            Role::Global(g) => {
                let session = self.session;
                let axes = &session.compiled.inner.globals.axes[g.index()];
                let mut at = session.global_range(g).start;
                if !subscripts.is_empty() {
                    let of = from_zero(self.bounds(v)?)?;
                    for (k, axis) in of.iter().zip(axes) {
                        if *k as i64 >= axis.extent {
                            return None;
                        }
                        at += k * axis.stride as usize;
                    }
                }
                let cell = session.global_cells(at..at + 1);
                Value::from_cells(variable.ty, Vec::new(), Order::Row, cell).get(0)
            }
            Role::Local => None,
        }
    }

    fn bounds(&self, v: VarId) -> Option<Vec<(i64, i64)>> {
        let variable = self.signature.variables.get(v.index())?;
        if let Role::Global(g) = variable.role {
            let axes = &self.session.compiled.inner.globals.axes[g.index()];
            return Some(axes.iter().map(|a| (a.lower, a.extent)).collect());
        }
        let (levels, bounds) = self.left.get();
        self.left
            .set((levels.checked_sub(1)?, bounds.checked_sub(1)?));
        let value = self.argument(v).and_then(Argument::value);
        let bounds = variable
            .shape
            .iter()
            .enumerate()
            .map(|(k, dim)| {
                let lower = integer(&dim.lower, self)?;
                let extent = match (value, &dim.extent) {
                    (Some(value), _) => i64::try_from(*value.shape().get(k)?).ok()?,
                    (None, Extent::Fixed(e)) => integer(e, self)?.max(0),
                    (None, Extent::Deferred) => return None,
                };
                Some((lower, extent))
            })
            .collect();
        self.left.set((levels, self.left.get().1));
        bounds
    }

    fn present(&self, v: VarId) -> bool {
        !matches!(self.argument(v), None | Some(Argument::Absent))
    }

    fn math(&self) -> Math {
        self.session.compiled.inner.math
    }
}
