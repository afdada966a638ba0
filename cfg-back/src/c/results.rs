//! Arrays that functions return, in the function that leaves them and in its callers: see [`super::returned`].

use super::{
    Emitted,
    amount::Amount,
    array::View,
    expression::at_least_zero,
    lines::Statement,
    operators::{Code, Infix, Name, Prefix},
    prologue::zero_cells,
    returned::{Returned, array_result, constants},
    scoped::Local,
    variable::{Array, Cells, Kind, null, zero},
    writer::{LARGEST_ON_STACK, Writer, bytes},
};
use cfg_core::ir::{Expr, Place, Role, Routine, ScalarType, Variable};
use cfg_transform::scalarize::is_allocatable;

impl Writer<'_> {
    // --- the function --------------------------------------------------------------------------

    /// The result, and the type of its elements.
    fn result_of_its_own(&self) -> Option<(Array, ScalarType)> {
        let variable = &self.variables.all[self.routine.result?.index()];
        match &variable.kind {
            Kind::Array(array) => Some((array.clone(), variable.ty)),
            Kind::Value(_) | Kind::Pointer(_) | Kind::Tape(_) => None,
        }
    }

    /// Elements of the result that nothing is assigned to may be copied; of these types not every bit pattern is a
    /// value.
    pub(super) fn begin_result(&mut self) {
        let Some(Returned::Given(n)) = Returned::classify(self.routine) else {
            return;
        };
        if let (false, Some((array, ty))) = (self.is_checked(), self.result_of_its_own()) {
            zero_cells(self, &Code::name(array.pointer, ty), n.into());
        }
    }

    /// The statements that leave the result that the function makes, behind the body.
    pub(super) fn leave_result(&mut self) -> Vec<Statement> {
        if Returned::classify(self.routine) != Some(Returned::Made) {
            return Vec::new();
        }
        let Some((array, ty)) = self.result_of_its_own() else {
            return Vec::new();
        };
        let (to, to_extents) = self.made_result.clone();
        let to = Code::name(to, ty).prefix(Prefix::Dereference);
        let to_extents = Code::name(to_extents, ScalarType::Integer);
        let outer = std::mem::take(&mut self.lines);
        let pointer = Code::name(array.pointer, ty);
        let mut extents = self.variables.extents(&array.axes);
        if array.cells == Cells::Returned {
            extents = extents.iter().map(at_least_zero).collect();
            self.set(&to, pointer);
        } else {
            // An array that an assignment gives its shape has no negative extents.
            let size = extents
                .iter()
                .map(Amount::to_code)
                .reduce(|x, y| x.with(Infix::Times, y));
            let size = size.unwrap_or(1.into());
            let k = self.loop_name(0);
            let cell = self.cell_size(ty);
            let found = self.allocated("->work", size.clone(), cell);
            self.set(&to, found);
            self.out_of_memory_if(to.clone().prefix(Prefix::Not));
            self.count_up(&k, size, true);
            self.set(&to.parenthesised().at(k.clone()), pointer.at(k));
        }
        for (k, extent) in extents.iter().enumerate() {
            self.set(&to_extents.clone().at(k as i64), extent.to_code());
        }
        std::mem::replace(&mut self.lines, outer).into_statements()
    }

    // --- its caller ----------------------------------------------------------------------------

    /// The array that a call returns, and the arguments that say so. It is the target itself, if that is a local array
    /// which the call does not know.
    pub(super) fn receive_array(
        &mut self,
        theirs: &Routine,
        returned: Returned,
        arguments: &[Option<Expr>],
        target: Option<&Place>,
        texts: &mut Vec<Code>,
    ) -> Emitted<View> {
        let Some(result) = array_result(theirs) else {
            return Err(self.malformed("a scalar is returned as an array"));
        };
        let (ty, order, rank) = (result.ty, result.order, result.rank());
        if returned == Returned::Made {
            let name = self.fresh_name("returned");
            let extents = self.fresh_name(&format!("{name}_extents"));
            let pointer = Code::name(&*name, ty);
            let of = format!("{} *", self.file.c_type(ty));
            self.helpers.push(Local {
                name: name.as_str().into(),
                members: Vec::new(),
                declared: pointer.clone().declared(&of),
                first: null(),
            });
            let numbers = Code::name(&*extents, ScalarType::Integer);
            self.helpers.push(Local {
                name: extents.into(),
                members: Vec::new(),
                declared: numbers.clone().at(rank as i64).declared("int64_t"),
                first: Code::list("", [0.into()]),
            });
            texts.extend([pointer.prefix(Prefix::Address), numbers.clone()]);
            let extent = |k: usize| Amount::from(numbers.clone().at(k as i64));
            return Ok(View::dense(
                name,
                (0..rank).map(extent).collect(),
                order,
                ty,
            ));
        }
        if let Some(place) = target.filter(|place| self.is_the_result(place, result, arguments)) {
            let view = self.emit_view(place)?;
            texts.push(view.first());
            return Ok(view);
        }
        let extents = constants(result).unwrap_or_default();
        let size: i64 = extents.iter().product();
        let extents: Vec<Amount> = extents.into_iter().map(Amount::from).collect();
        let on_stack = !self.recursive
            && size.saturating_mul(bytes(ty, self.file.checks)) <= LARGEST_ON_STACK / 4;
        let view = match on_stack {
            true => View::dense(self.kept_result(ty, size), extents, order, ty),
            false => self.work_array("returned", ty, order, extents)?,
        };
        texts.push(view.first());
        Ok(view)
    }

    /// True of a local array that has the shape of a result and is passed nowhere.
    fn is_the_result(&self, place: &Place, result: &Variable, arguments: &[Option<Expr>]) -> bool {
        let variable = self.routine.variable(place.var);
        let mut passed = false;
        for e in arguments.iter().flatten() {
            e.walk_places(&mut |p| passed |= p.var == place.var);
        }
        !passed
            && place.subscripts.is_empty()
            && variable.role == Role::Local
            && (variable.order == result.order || variable.rank() == 1)
            && constants(variable).is_some_and(|own| Some(own) == constants(result))
    }

    /// An array of the function for results of this type and size.
    fn kept_result(&mut self, ty: ScalarType, size: i64) -> Name {
        let known = self.kept_results.iter();
        if let Some((.., name)) = known.clone().find(|(t, n, _)| (*t, *n) == (ty, size)) {
            return name.clone();
        }
        let name: Name = self.fresh_name("returned").into();
        let cells = Code::name(name.clone(), ty).at(size.max(1));
        self.helpers.push(Local {
            name: name.clone(),
            members: Vec::new(),
            declared: cells.declared(self.file.c_type(ty)),
            first: Code::list("", [zero(ty)]),
        });
        self.kept_results.push((ty, size, name.clone()));
        name
    }

    /// What a call has returned goes to its place.
    pub(super) fn assign_returned(&mut self, place: &Place, to: &View, from: &View) -> Emitted<()> {
        if is_allocatable(self.routine, place) {
            self.reallocate_variable(place.var, from)?;
            let to = self.emit_view(place)?;
            return self.emit_copy(&to, from);
        }
        if place.subscripts.is_empty() {
            self.must_exist(place.var);
        }
        self.must_conform(to, from);
        self.stop_on_fault();
        self.emit_copy(to, from)
    }
}
