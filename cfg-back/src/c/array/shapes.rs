//! Shapes: which of several operands gives it, and what conforms.

use super::{Arrays, View};
use crate::c::{
    Emitted,
    lines::Statement,
    operators::{Code, Prefix, literal_logical},
    variable::{Kind, null},
    writer::Writer,
};
use cfg_core::ir::ScalarType;
use cfg_transform::scalarize::{ArrayId, Part, Step};

impl Writer<'_> {
    /// Notes if an array of a form is a variable that is not there.
    pub(super) fn must_be_array(&mut self, arrays: &Arrays<'_>, array: ArrayId) {
        if let Some(v) = arrays.form.arrays[array.index()].variable {
            self.must_exist(v);
        }
    }

    /// The cells of an array of a form that must be there.
    pub(super) fn existing_array(
        &mut self,
        arrays: &mut Arrays<'_>,
        array: ArrayId,
    ) -> Emitted<View> {
        self.must_be_array(arrays, array);
        self.stop_on_fault();
        self.view_of(arrays, array)
    }

    /// The pointer of an array of a form that is a parameter which may not be given.
    pub(super) fn given_only(&self, array: ArrayId, arrays: &Arrays<'_>) -> Option<Code> {
        let v = arrays.form.arrays[array.index()].variable?;
        let missing = self.is_checked() && self.missing_code(v) == Some(crate::c::faults::ABSENT);
        match &self.variables.all[v.index()].kind {
            Kind::Array(array) if missing => Some(array.pointer.clone().into()),
            Kind::Array(_) | Kind::Value(_) | Kind::Pointer(_) | Kind::Tape(_) => None,
        }
    }

    /// True of an array of a form that is a variable which may have no shape yet.
    fn may_lack_shape(&self, arrays: &Arrays<'_>, array: ArrayId) -> bool {
        let variable = arrays.form.arrays[array.index()].variable;
        variable.is_some_and(|v| self.missing_code(v) == Some(crate::c::faults::UNALLOCATED))
    }

    /// Two arrays must be there and have the same extents, unless the second is not taken.
    pub(super) fn check_conformance(
        &mut self,
        arrays: &mut Arrays<'_>,
        a: ArrayId,
        b: ArrayId,
    ) -> Emitted<()> {
        if !self.is_checked() {
            return Ok(());
        }
        let (to, from) = (self.view_of(arrays, a)?, self.view_of(arrays, b)?);
        let taken = arrays.variable.contains(&b);
        if taken {
            self.add(Statement::If(from.pointer.clone()));
        }
        self.must_be_array(arrays, a);
        self.must_be_array(arrays, b);
        self.must_conform(&to, &from);
        self.stop_on_fault();
        if taken {
            self.lines.close_block();
        }
        Ok(())
    }

    pub(super) fn emit_decide(
        &mut self,
        undecided: bool,
        parts: &[Part],
        decided: &[Step],
        arrays: &mut Arrays<'_>,
    ) -> Emitted<()> {
        let open = self.declare_helper("undecided", ScalarType::Logical);
        self.set(&open, literal_logical(true));
        for Part { test, steps } in parts {
            if let Some(e) = test {
                self.add(Statement::If(open.clone()));
                let code = self.emit_lenient(e, undecided)?;
                self.set(&open, code);
                self.lines.close_block();
            }
            if !steps.is_empty() {
                self.add(Statement::If(open.clone()));
                self.emit_steps(steps, arrays)?;
                self.lines.close_block();
            }
        }
        if !decided.is_empty() {
            self.add(Statement::If(open.prefix(Prefix::Not)));
            self.emit_steps(decided, arrays)?;
            self.lines.close_block();
        }
        Ok(())
    }

    pub(super) fn untaken(&mut self, arrays: &mut Arrays<'_>, array: ArrayId) -> Emitted<()> {
        let view = self.view_of(arrays, array)?;
        self.set(&view.pointer, null());
        for (extent, _) in &view.axes {
            self.set(&extent.to_code(), 1);
        }
        Ok(())
    }

    /// The shape of the first array that is taken.
    pub(super) fn shape_of(
        &mut self,
        arrays: &mut Arrays<'_>,
        array: ArrayId,
        candidates: &[ArrayId],
        otherwise: Option<ArrayId>,
    ) -> Emitted<()> {
        let to = self.view_of(arrays, array)?;
        let mut opened = 0;
        let mut certain = false;
        for &candidate in candidates.iter().chain(&otherwise) {
            let view = self.view_of(arrays, candidate)?;
            let is_otherwise = Some(candidate) == otherwise && !candidates.contains(&candidate);
            let may_lack = is_otherwise && self.may_lack_shape(arrays, candidate);
            certain = !may_lack && !arrays.variable.contains(&candidate);
            if !certain {
                self.add(Statement::If(view.pointer));
            }
            for ((extent, _), (e, _)) in to.axes.iter().zip(&view.axes) {
                self.set(&extent.to_code(), e.to_code());
            }
            if certain {
                break;
            }
            self.add(Statement::Else);
            opened += 1;
        }
        if !certain {
            for (extent, _) in &to.axes {
                self.set(&extent.to_code(), 1);
            }
        }
        (0..opened).for_each(|_| self.lines.close_block());
        Ok(())
    }
}
