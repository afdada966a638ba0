//! Arrays that functions return, in the function that leaves them and in its callers: see [`super::returned`].

use super::{
    Emitted,
    amount::Amount,
    array::View,
    expression::at_least_zero,
    operators::{Code, precedence::POSTFIX},
    prologue::zero_cells,
    returned::{Returned, array, constants},
    variable::{Array, Cells, Kind, zero},
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

    /// Elements of the result that nothing is assigned to may be copied; of these types not every bit pattern is a value.
    pub(super) fn begin_result(&mut self) {
        let Some(Returned::Given(n)) = Returned::of(self.routine) else {
            return;
        };
        if let (false, Some((array, ty))) = (self.checked(), self.result_of_its_own()) {
            zero_cells(self, &array.pointer, &n.to_string(), ty);
        }
    }

    /// The lines that leave the result that the function makes, behind the body.
    pub(super) fn leave_result(&mut self) -> Vec<String> {
        if Returned::of(self.routine) != Some(Returned::Made) {
            return Vec::new();
        }
        let Some((array, ty)) = self.result_of_its_own() else {
            return Vec::new();
        };
        let (to, to_extents) = self.made_result.clone();
        let mut lines = Vec::new();
        let pointer = array.pointer;
        let mut extents = self.variables.extents(&array.axes);
        if array.cells == Cells::Returned {
            extents = extents.iter().map(at_least_zero).collect();
            lines.push(format!("*{to} = {pointer};"));
        } else {
            let memory = self.work();
            // An array that an assignment gives its shape has no negative extents.
            let size: Vec<String> = extents.iter().map(|n| n.code().text).collect();
            let size = size.join("*");
            let (k, ty) = (self.loop_name(0), self.file.c_type(ty));
            lines.extend([
                format!("*{to} = cfgrev_allocate(&{memory}->work, {size}, sizeof({ty}));"),
                format!("if (!*{to})"),
                "    return 1;".to_owned(),
                format!("for (int64_t {k} = 0; {k} < {size}; ++{k})"),
                format!("    (*{to})[{k}] = {pointer}[{k}];"),
            ]);
        }
        for (k, extent) in extents.iter().enumerate() {
            lines.push(format!("{to_extents}[{k}] = {};", extent.code().text));
        }
        lines
    }

    // --- its caller ----------------------------------------------------------------------------

    /// The array that a call returns, and the arguments that say so. It is the target itself, if that is a local array which the
    /// call does not know.
    pub(super) fn receive(
        &mut self,
        theirs: &Routine,
        returned: Returned,
        arguments: &[Option<Expr>],
        target: Option<&Place>,
        texts: &mut Vec<String>,
    ) -> Emitted<View> {
        let Some(result) = array(theirs) else {
            return Err(self.malformed("a scalar is returned as an array"));
        };
        let (ty, order, rank) = (result.ty, result.order, result.rank());
        if returned == Returned::Made {
            let name = self.fresh("returned");
            let extents = self.fresh(&format!("{name}_extents"));
            let pointer = format!("{} *{name} = NULL;", self.file.c_type(ty));
            self.helpers.push((name.clone(), pointer));
            let numbers = format!("int64_t {extents}[{rank}] = {{0}};");
            self.helpers.push((extents.clone(), numbers));
            texts.extend([format!("&{name}"), extents.clone()]);
            let extent = |k| {
                let text = format!("{extents}[{k}]");
                Amount::from(Code::new(text, POSTFIX, ScalarType::Integer))
            };
            return Ok(View::dense(
                name,
                (0..rank).map(extent).collect(),
                order,
                ty,
            ));
        }
        if let Some(place) = target.filter(|place| self.is_the_result(place, result, arguments)) {
            let view = self.view(place)?;
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
    fn kept_result(&mut self, ty: ScalarType, size: i64) -> String {
        let known = self.kept_results.iter();
        if let Some((.., name)) = known.clone().find(|(t, n, _)| (*t, *n) == (ty, size)) {
            return name.clone();
        }
        let name = self.fresh("returned");
        let (ty_name, first) = (self.file.c_type(ty), zero(ty));
        let declaration = format!("{ty_name} {name}[{}] = {{{first}}};", size.max(1));
        self.helpers.push((name.clone(), declaration));
        self.kept_results.push((ty, size, name.clone()));
        name
    }

    /// What a call has returned goes to its place.
    pub(super) fn assign_returned(&mut self, place: &Place, to: &View, from: &View) -> Emitted<()> {
        if is_allocatable(self.routine, place) {
            self.reallocate_variable(place.var, from)?;
            let to = self.view(place)?;
            return self.copy(&to, from);
        }
        if place.subscripts.is_empty() {
            self.must_exist(place.var);
        }
        self.must_conform(to, from);
        self.stop();
        self.copy(to, from)
    }
}
