//! Checks between routines: what is passed, and what a routine does with it first.

use super::functions::{FOLLOW, bind};
use crate::c::faults::{ABSENT, MEMORY, SHAPE, UNALLOCATED};
use crate::c::{
    Emitted,
    amount::Amount,
    array::View,
    lines::Statement,
    operators::{Code, Infix, Name, Prefix, checked},
    returned::Returned,
    variable::{Array, Bound, Cells, Kind, null},
    writer::Writer,
};
use cfg_core::{
    entity::VarId,
    ir::{Dim, Expr, Extent, Intent, Place, Role, ScalarType},
};
use std::collections::HashSet;

impl Writer<'_> {
    // --- calls ---------------------------------------------------------------------------------

    /// The number of elements that an argument has: those of an array, -1 if it is not given, -2 if it has no shape yet.
    pub(in crate::c) fn cells_of(&mut self, e: &Expr, view: &View) -> Code {
        let size = self.count_of(&view.extents()).to_code();
        let Expr::Place(place) = e else {
            return size;
        };
        if !place.subscripts.is_empty() {
            return size;
        }
        let Some(missing) = self.missing_code(place.var) else {
            return size;
        };
        let absent = if missing == ABSENT { -1 } else { -2 };
        let pointer = self.variables.all[place.var.index()].kind.name().clone();
        Code::from(pointer)
            .is(Infix::Ne, null())
            .choose(size, absent)
    }

    /// The number of elements from one on, to the end of its array; 1 of a scalar, and of an array with gaps.
    pub(in crate::c) fn cells_from(&mut self, place: &Place, address: &Code) -> Emitted<Code> {
        if place.subscripts.is_empty() {
            return Ok(1.into());
        }
        let array = self.array_kind(place.var)?;
        let extents = self.variables.extents(&array.axes);
        let size = self.count_of(&extents);
        let mut before = Amount::from(address.index()).minus(array.offset);
        if before.constant().is_none() {
            before = before.to_code().parenthesised().into();
        }
        let rest = size.minus_code(&before).to_code();
        if !array.is_strided() {
            return Ok(rest);
        }
        self.pieces.define("cfgrev_follow", || FOLLOW.to_owned());
        let lie = Self::lie_in_numbers(&self.emit_view(&Place::whole(place.var))?);
        let follow = Code::call("cfgrev_follow", [lie], ScalarType::Logical);
        Ok(follow.choose(rest, 1))
    }

    // --- entry ---------------------------------------------------------------------------------

    /// Evaluates the bounds of all arrays, and compares parameters with what is passed for them.
    pub(in crate::c) fn check_entry(&mut self, named: &mut HashSet<Name>) -> Emitted<()> {
        self.place = None;
        let all = self.variables.arrays();
        let all = all.map(|(v, _, array)| (v, array.clone()));
        let is_local = |v: VarId| self.routine.variable(v).role == Role::Local;
        let (locals, others): (Vec<_>, Vec<_>) = all.partition(|(v, _)| is_local(*v));
        self.check_bounds(others)?;
        self.compare_on_entry();
        self.check_bounds(locals)?;
        named.extend(self.variables.bounds.iter().map(|b| b.name.clone()));
        Ok(())
    }

    /// Evaluates the bounds of these arrays, and compares those that are parameters with what is passed for them.
    fn check_bounds(&mut self, arrays: Vec<(VarId, Array)>) -> Emitted<()> {
        for (v, array) in arrays {
            self.pieces.begin_statement();
            let role = self.routine.variable(v).role;
            let (local, optional) = match role {
                Role::Global(_) => continue,
                Role::Local => (true, false),
                Role::Parameter { optional, .. } => (false, optional),
            };
            if array.cells == Cells::Allocatable {
                continue;
            }
            for axis in &array.axes {
                for bound in [&axis.lower, &axis.extent] {
                    self.kept_bound(bound, optional.then_some(&array.pointer))?;
                }
                let lower = self.variables.amount_of(&axis.lower);
                let extent = self.variables.amount_of(&axis.extent);
                self.must_be_bounds(&lower, &extent);
            }
            if let (false, Some(count)) = (local, &array.count) {
                self.note_read(v);
                let extents = self.variables.extents(&array.axes);
                let shape = &self.routine.variable(v).shape;
                let is_deferred = |dim: &&Dim| dim.extent == Extent::Deferred;
                let deferred = shape.iter().filter(is_deferred).count();
                let name = match deferred {
                    0 => "cfgrev_bind",
                    _ => "cfgrev_bind_shape",
                };
                let size = self.count_of(&extents).to_code();
                self.pieces.define(name, || bind(deferred > 0));
                let codes = [MEMORY, SHAPE, ABSENT, UNALLOCATED];
                let count = Code::from(count.clone());
                let call =
                    self.noting_call(name, &codes, [count.clone(), size], ScalarType::Integer);
                if optional {
                    self.guard(count.is(Infix::Ne, -1), call);
                } else {
                    self.add(call);
                }
                if array.laid_over.is_some() {
                    self.stop_on_fault();
                    self.lay_over(&array);
                }
            }
            self.stop_on_fault();
        }
        Ok(())
    }

    /// A bound in its variable, as on entry.
    fn kept_bound(&mut self, bound: &Bound, optional: Option<&Name>) -> Emitted<()> {
        let Bound::Kept(k) = bound else {
            return Ok(());
        };
        let kept = &mut self.variables.bounds[*k];
        let (name, value) = (kept.name.clone(), kept.value.clone());
        kept.used = true;
        let Some(e) = value else {
            return Ok(());
        };
        let mut code = self.emit_scalar(&e)?;
        if let Some(pointer) = optional {
            code = Code::from(pointer.clone())
                .is(Infix::Ne, null())
                .choose(code, 0);
        }
        self.set(&Code::from(name).declared("const int64_t"), code);
        self.stop_on_fault();
        Ok(())
    }

    /// Makes the cells of local arrays and of parameters that only come out such that were never set.
    pub(in crate::c) fn forget_at_entry(&mut self) -> Emitted<()> {
        for k in 0..self.variables.all.len() {
            let v = VarId::new(k);
            let ty = self.variables.all[k].ty;
            let (out, optional) = match self.routine.variable(v).role {
                Role::Parameter { intent, optional } => (intent == Intent::Out, optional),
                Role::Local => (false, false),
                Role::Global(_) => continue,
            };
            let mut test = None;
            let forget = match self.variables.all[k].kind.clone() {
                Kind::Pointer(name) if out => {
                    let pointer = Code::name(name, ty);
                    test = optional.then(|| pointer.clone());
                    pointer
                        .prefix(Prefix::Dereference)
                        .set(checked::unset_value(ty))
                }
                Kind::Array(array) if out && array.is_strided() => {
                    if optional {
                        self.add(Statement::If(array.pointer.into()));
                    }
                    self.forget_elements(v)?;
                    if optional {
                        self.lines.close_block();
                    }
                    continue;
                }
                Kind::Array(array) if out => {
                    let extents = self.variables.extents(&array.axes);
                    let size = self.count_of(&extents).to_code();
                    let pointer = Code::name(array.pointer, ty);
                    test = optional.then(|| pointer.clone());
                    self.cells_forgotten(pointer, size)
                }
                Kind::Array(array) if self.variables.all[k].used => {
                    let count = match (array.cells, Returned::classify(self.routine)) {
                        (Cells::Fixed(n), _) => n,
                        (Cells::Given, Some(Returned::Given(n)))
                            if self.routine.result == Some(v) =>
                        {
                            n
                        }
                        (Cells::Given | Cells::Work | Cells::Returned | Cells::Allocatable, _) => {
                            continue;
                        }
                    };
                    self.cells_forgotten(Code::name(array.pointer, ty), count.into())
                }
                Kind::Array(_) | Kind::Value(_) | Kind::Pointer(_) | Kind::Tape(_) => continue,
            };
            if out {
                self.note_read(v);
            }
            self.lines.extend(test.map(Statement::Guard));
            self.add(forget);
        }
        Ok(())
    }
}
