//! Checked places: variables that may not be there, elements that may not be.

use super::functions::{CELL, IF_THERE, INDEX, INDEX_IF, element, give, given, store};
use crate::c::faults::{ABSENT, BOUNDS, HEAP, POINTER, UNALLOCATED, UNSET, needs_lines};
use crate::c::operators::checked::FaultCode;
use crate::c::{
    Emitted,
    amount::Amount,
    operators::{self, Code, Infix, Name, Prefix, checked::type_suffix, literal_logical},
    pooled::Pooled,
    variable::{Array, Bound, Cells, Kind, null},
    writer::Writer,
};
use cfg_core::{
    entity::VarId,
    ir::{Expr, Op, Place, Role, ScalarType, Subscript},
};
use cfg_transform::lower::increment;

impl Writer<'_> {
    // --- variables -----------------------------------------------------------------------------

    /// The code of what is missing where an array or argument is not there; none of those that always are.
    pub(in crate::c) fn missing_code(&self, v: VarId) -> Option<FaultCode> {
        if let Some(variable) = self.variables.all.get(v.index())
            && let Kind::Array(array) = &variable.kind
            && array.cells == Cells::Allocatable
        {
            return Some(UNALLOCATED);
        }
        match self.routine.variables.get(v.index())?.role {
            Role::Parameter { optional: true, .. } => Some(ABSENT),
            Role::Parameter { .. } | Role::Local | Role::Global(_) => None,
        }
    }

    /// What an inquiry says of an array that must be there; with `lenient`, one without a shape has extents 0.
    pub(in crate::c) fn if_there(&mut self, place: &Place, lenient: bool, code: Code) -> Code {
        // A section has been looked at.
        let whole = self.is_checked() && place.subscripts.is_empty();
        let Some(missing) = self.missing_code(place.var).filter(|_| whole) else {
            return code;
        };
        let Kind::Array(array) = &self.variables.all[place.var.index()].kind else {
            return code;
        };
        let there = Code::from(array.pointer.clone()).is(Infix::Ne, null());
        self.note_read(place.var);
        if lenient && missing == UNALLOCATED {
            return code;
        }
        self.pieces
            .define("cfgrev_if_there", || IF_THERE.to_owned());
        let arguments = [there, i64::from(missing).into(), code];
        self.noting_call(
            "cfgrev_if_there",
            &[missing],
            arguments,
            ScalarType::Integer,
        )
    }

    /// Notes if an array is not there.
    pub(in crate::c) fn must_exist(&mut self, v: VarId) {
        let Some(code) = self.missing_code(v).filter(|_| self.is_checked()) else {
            return;
        };
        let Some(Kind::Array(array)) = self.variables.all.get(v.index()).map(|v| &v.kind) else {
            return;
        };
        let there = Code::from(array.pointer.clone()).is(Infix::Ne, null());
        self.note_read(v);
        self.check_condition(there, code);
    }

    /// Notes if a condition does not hold.
    pub(in crate::c) fn check_condition(&mut self, condition: Code, code: FaultCode) {
        let number = i64::from(code).into();
        let found = self.noting_call("cfgrev_found", &[code], [number], ScalarType::Integer);
        self.guard(condition.parenthesised().prefix(Prefix::Not), found);
    }

    /// The value of a scalar place.
    pub(in crate::c) fn checked_load(&mut self, place: &Place) -> Emitted<Code> {
        let ty = self.variables.all[place.var.index()].ty;
        if place.subscripts.is_empty() {
            let code = self.scalar_place(place.var)?;
            let Kind::Pointer(pointer) = &self.variables.all[place.var.index()].kind else {
                return Ok(code);
            };
            if self.missing_code(place.var).is_none() {
                return Ok(code);
            }
            let pointer = pointer.clone();
            let name = format!("cfgrev_given_{}", type_suffix(ty));
            self.pieces.define(&name, || given(&name, ty));
            return Ok(self.noting_call(&name, &[ABSENT], [Code::name(pointer, ty)], ty));
        }
        let array = self.array_kind(place.var)?;
        let (offset, sure) = self.checked_offset(place, &array)?;
        let pointer = Code::name(array.pointer, ty);
        if sure {
            return Ok(pointer.at(offset.to_code()));
        }
        let name = format!("cfgrev_element_{}", type_suffix(ty));
        self.pieces.define(&name, || element(&name, ty));
        let mut arguments = self.pieces.noted();
        arguments.extend([pointer, offset.to_code()]);
        Ok(Code::call(&name, arguments, ty))
    }

    /// The offset of an element, and whether it is sure that there is one.
    fn checked_offset(&mut self, place: &Place, array: &Array) -> Emitted<(Amount, bool)> {
        let strides = self.variables.strides(array);
        let missing = self.missing_code(place.var);
        let mut sure = missing.is_none();
        let mut offset = Amount::from(array.offset);
        let all_first = place.subscripts.len() <= 2;
        let mut indices = Vec::with_capacity(place.subscripts.len());
        for k in 0..place.subscripts.len() {
            if k == 0 || !all_first {
                let ahead = if all_first { place.subscripts.len() } else { 1 };
                for subscript in place.subscripts.iter().skip(k).take(ahead) {
                    let Subscript::Index(e) = subscript else {
                        return Err(self.malformed("a section stands for a scalar"));
                    };
                    if needs_lines(e) {
                        // What is written before the statement comes behind these.
                        indices = indices.into_iter().map(|i| self.hoist(i)).collect();
                        let before = self.hoist(offset.to_code());
                        offset = before.into();
                        self.stop_on_fault();
                    }
                    indices.push(self.emit_scalar(e)?);
                }
            }
            let missing = missing
                .filter(|_| k == 0)
                .map(|code| (code, array.pointer.clone()));
            let axis = &array.axes[k];
            let (at, in_range) =
                self.checked_position(&indices[k], (&axis.lower, &axis.extent), place.var, missing);
            sure &= in_range;
            offset = offset.plus(&at.times(&strides[k]));
        }
        Ok((offset, sure))
    }

    /// What an array is to pointers, if it is cells of a pool or a table of one.
    pub(in crate::c) fn pool_of(&self, v: VarId) -> Option<Pooled> {
        match self.routine.variables.get(v.index())?.role {
            Role::Global(g) => self.file.pooled[g.index()],
            Role::Parameter { .. } | Role::Local => None,
        }
    }

    /// The number of elements along a dimension of an array before an index, and whether the index is surely one of the dimension.
    pub(in crate::c) fn checked_position(
        &mut self,
        index: &Code,
        (lower, extent): (&Bound, &Bound),
        v: VarId,
        missing: Option<(FaultCode, Name)>,
    ) -> (Amount, bool) {
        let (lower, extent) = (
            self.variables.amount_of(lower),
            self.variables.amount_of(extent),
        );
        if let (Some(i), Some(l), Some(n), None) = (
            index.integer(),
            lower.constant(),
            extent.constant(),
            &missing,
        ) && let Some(at) = i.checked_sub(l)
            && (0..n).contains(&at)
        {
            return (at.into(), true);
        }
        self.pieces.define("cfgrev_index", || INDEX.to_owned());
        let mut arguments = vec![index.clone(), lower.to_code(), extent.to_code()];
        let (name, codes) = match (missing, self.pool_of(v)) {
            (None, Some(pooled)) => {
                self.pieces.define("cfgrev_index_cell", || CELL.to_owned());
                arguments.insert(0, literal_logical(pooled == Pooled::Table));
                let codes = match pooled {
                    Pooled::Cells => vec![BOUNDS, UNSET, POINTER],
                    Pooled::Table => vec![BOUNDS, UNSET, POINTER, HEAP],
                };
                ("cfgrev_index_cell", codes)
            }
            (None, None) => ("cfgrev_index", vec![BOUNDS, UNSET]),
            (Some((code, pointer)), _) => {
                self.pieces
                    .define("cfgrev_index_if", || INDEX_IF.to_owned());
                let there = Code::from(pointer).is(Infix::Ne, null());
                arguments.splice(0..0, [there, i64::from(code).into()]);
                ("cfgrev_index_if", vec![BOUNDS, UNSET, code])
            }
        };
        let code = self.noting_call(name, &codes, arguments, ScalarType::Integer);
        (code.into(), false)
    }

    /// An assignment to a scalar place, with its checks behind it.
    pub(in crate::c) fn checked_assign(&mut self, target: &Place, value: &Expr) -> Emitted<()> {
        let ty = self.variables.all[target.var.index()].ty;
        let is_target = |e: &Expr| matches!(e, Expr::Place(place) if place == target);
        // What is added to an element comes first.
        if ty == ScalarType::Real
            && !target.subscripts.is_empty()
            && let Some((rest, negative)) = increment(value, is_target)
        {
            self.note_read(target.var);
            let code = self.emit_scalar(rest)?;
            let code = operators::convert(code, ty, self.pieces);
            let op = if negative { Op::Sub } else { Op::Add };
            return self.emit_store(target, code, Some(op));
        }
        let code = self.emit_scalar(value)?;
        let code = operators::convert(code, ty, self.pieces);
        self.emit_store(target, code, None)
    }

    /// A scalar place gets a value, which may note something; `op` says that the value is added to it or subtracted.
    pub(in crate::c) fn emit_store(
        &mut self,
        target: &Place,
        mut code: Code,
        op: Option<Op>,
    ) -> Emitted<()> {
        let ty = self.variables.all[target.var.index()].ty;
        if target.subscripts.is_empty() {
            let place = self.scalar_place(target.var)?;
            if self.missing_code(target.var) == Some(ABSENT)
                && let Kind::Pointer(pointer) = &self.variables.all[target.var.index()].kind
            {
                let arguments = [Code::name(pointer.clone(), ty), code];
                let name = format!("cfgrev_give_{}", type_suffix(ty));
                self.pieces.define(&name, || give(&name, ty));
                let call = self.noting_call(&name, &[ABSENT], arguments, ty);
                self.add(call);
            } else if place.nodes() != code.nodes() {
                self.set(&place, code);
            }
            self.stop_on_fault();
            return Ok(());
        }
        if target.subscript_exprs().any(needs_lines) {
            code = self.hoist(code);
            self.stop_on_fault();
        }
        let array = self.array_kind(target.var)?;
        let (offset, sure) = self.checked_offset(target, &array)?;
        let (pointer, offset) = (Code::name(array.pointer, ty), offset.to_code());
        if let (true, None) = (sure, op) {
            self.set(&pointer.at(offset), code);
            self.stop_on_fault();
            return Ok(());
        }
        let operator = op.map(|op| if op == Op::Sub { "sub" } else { "add" });
        let name = match operator {
            None => format!("cfgrev_store_{}", type_suffix(ty)),
            Some(operator) => format!("cfgrev_{operator}_to_{}", type_suffix(ty)),
        };
        if let Some(op) = op {
            // Its function is needed.
            self.emit_operator(op, ["x", "y"].map(|name| Code::name(name, ty)).into())?;
        }
        self.pieces.define(&name, || store(&name, ty, operator));
        let check = Code::from(self.checks.variable.clone()).prefix(Prefix::Address);
        self.add(Code::call(&name, [check, pointer, offset, code], ty));
        self.stop_on_fault();
        Ok(())
    }

    /// An element with its offset in a variable, which is one of the array when the function has not left.
    pub(in crate::c) fn kept_element(&mut self, place: &Place) -> Emitted<Code> {
        let array = self.array_kind(place.var)?;
        let (offset, sure) = self.checked_offset(place, &array)?;
        let mut offset = offset.to_code();
        if !sure {
            offset = self.keep("at", offset);
        }
        let ty = self.variables.all[place.var.index()].ty;
        Ok(Code::name(array.pointer, ty).at(offset))
    }

    /// A value in a variable, if it notes something or names what may be set before it is used.
    pub(in crate::c) fn hoist(&mut self, code: Code) -> Code {
        if !self.is_checked() || !code.names().any(|name| *name == self.checks.variable) {
            return code;
        }
        self.keep("value", code)
    }
}
