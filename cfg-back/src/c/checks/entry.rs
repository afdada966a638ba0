//! Checks between routines: what is passed, and what a routine does with it first.

use super::functions::{FOLLOW, bind};
use crate::c::faults::{ABSENT, MEMORY, SHAPE, UNALLOCATED};
use crate::c::{
    Emitted,
    amount::Amount,
    array::View,
    operators::{
        Code, checked,
        precedence::{OR, SUM},
    },
    returned::Returned,
    variable::{Array, Bound, Cells, Kind},
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
    pub(in crate::c) fn cells_of(&mut self, e: &Expr, view: &View) -> String {
        let size = self.count_of(&view.extents()).code();
        let Expr::Place(place) = e else {
            return size.text;
        };
        if !place.subscripts.is_empty() {
            return size.text;
        }
        let Some(missing) = self.missing(place.var) else {
            return size.text;
        };
        let absent = if missing == ABSENT { "-1" } else { "-2" };
        let pointer = self.variables.all[place.var.index()].kind.name();
        format!("{pointer} != NULL ? {} : {absent}", size.at_least(OR))
    }

    /// The number of elements from one on, to the end of its array; 1 of a scalar, and of an array with gaps.
    pub(in crate::c) fn cells_from(&mut self, place: &Place, address: &str) -> Emitted<String> {
        if place.subscripts.is_empty() {
            return Ok("1".to_owned());
        }
        let array = self.array_kind(place.var)?;
        let extents = self.variables.extents(&array.axes);
        let size = self.count_of(&extents);
        let offset = address
            .rsplit_once('[')
            .and_then(|(_, offset)| offset.strip_suffix(']'))
            .unwrap_or("0");
        let offset = Code::new(offset.to_owned(), SUM, ScalarType::Integer);
        let before = Amount::from(offset).minus(array.offset);
        let rest = size.minus_code(&before).code().text;
        if !array.is_strided() {
            return Ok(rest);
        }
        self.pieces.define("cfgrev_follow", || FOLLOW.to_owned());
        let lie = Self::lie_in_numbers(&self.view(&Place::whole(place.var))?);
        Ok(format!("cfgrev_follow({lie}) ? {rest} : 1"))
    }

    // --- entry ---------------------------------------------------------------------------------

    /// Evaluates the bounds of all arrays, and compares parameters with what is passed for them.
    pub(in crate::c) fn check_entry(&mut self, named: &mut HashSet<String>) -> Emitted<()> {
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
                let lower = self.variables.amount(&axis.lower);
                let extent = self.variables.amount(&axis.extent);
                self.must_be_bounds(&lower, &extent);
            }
            if let (false, Some(count)) = (local, &array.count) {
                self.reads(v);
                let extents = self.variables.extents(&array.axes);
                let shape = &self.routine.variable(v).shape;
                let is_deferred = |dim: &&Dim| dim.extent == Extent::Deferred;
                let deferred = shape.iter().filter(is_deferred).count();
                let name = match deferred {
                    0 => "cfgrev_bind",
                    _ => "cfgrev_bind_shape",
                };
                let size = self.count_of(&extents).code().text;
                self.pieces.define(name, || bind(deferred > 0));
                let codes = [MEMORY, SHAPE, ABSENT, UNALLOCATED];
                let call = self.noting(name, &codes, &[count, &size], ScalarType::Integer);
                if optional {
                    self.lines.line(format_args!("if ({count} != -1)"));
                    self.lines.line(format_args!("    {};", call.text));
                } else {
                    self.lines.line(format_args!("{};", call.text));
                }
                if array.laid_over.is_some() {
                    self.stop();
                    self.lay_over(&array);
                }
            }
            self.stop();
        }
        Ok(())
    }

    /// A bound in its variable, as on entry.
    fn kept_bound(&mut self, bound: &Bound, optional: Option<&String>) -> Emitted<()> {
        let Bound::Kept(k) = bound else {
            return Ok(());
        };
        let kept = &mut self.variables.bounds[*k];
        let (name, value) = (kept.name.clone(), kept.value.clone());
        kept.used = true;
        let Some(e) = value else {
            return Ok(());
        };
        let code = self.scalar(&e)?;
        let text = match optional {
            Some(pointer) => {
                let code = code.at_least(OR);
                format!("{pointer} != NULL ? {code} : 0")
            }
            None => code.text,
        };
        self.lines
            .line(format_args!("const int64_t {name} = {text};"));
        self.stop();
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
            let line = match self.variables.all[k].kind.clone() {
                Kind::Pointer(name) if out => {
                    let line = format!("*{name} = {};", checked::unset(ty));
                    match optional {
                        true => format!("if ({name})\n        {line}"),
                        false => line,
                    }
                }
                Kind::Array(array) if out && array.is_strided() => {
                    if optional {
                        self.lines.open(format_args!("if ({})", array.pointer));
                    }
                    self.forget_elements(v)?;
                    if optional {
                        self.lines.close();
                    }
                    continue;
                }
                Kind::Array(array) if out => {
                    let extents = self.variables.extents(&array.axes);
                    let size = self.count_of(&extents).code().text;
                    let line = self.forget_cells(&array.pointer, &size, ty);
                    if optional {
                        format!("if ({})\n        {line}", array.pointer)
                    } else {
                        line
                    }
                }
                Kind::Array(array) if self.variables.all[k].used => match array.cells {
                    Cells::Fixed(n) => self.forget_cells(&array.pointer, &n.to_string(), ty),
                    Cells::Given => match Returned::of(self.routine) {
                        Some(Returned::Given(n)) if self.routine.result == Some(v) => {
                            self.forget_cells(&array.pointer, &n.to_string(), ty)
                        }
                        Some(_) | None => continue,
                    },
                    Cells::Work | Cells::Returned | Cells::Allocatable => continue,
                },
                Kind::Array(_) | Kind::Value(_) | Kind::Pointer(_) | Kind::Tape(_) => continue,
            };
            if out {
                self.reads(v);
            }
            self.lines.line(line);
        }
        Ok(())
    }
}
