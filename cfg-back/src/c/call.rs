//! Calls: arguments by value, by reference, and in copies where a section has gaps.

use super::{
    Emitted,
    array::View,
    checks::Reach,
    file::takes_order,
    operators::{Code, Prefix, convert},
    returned::{self, Returned},
    variable::{given_shape, null},
    writer::Writer,
};
use cfg_core::{
    entity::{RoutineId, VarId},
    ir::{Expr, Extent, Intent, Place, Role, Routine, ScalarType, Variable},
    memory::overlaps::TooMany,
};
use cfg_transform::lower::{
    Argument, BoundCall, Call, SharedCells, Target, is_passed_by_value, place_rank,
};

/// A copy of elements with gaps, or in another order, which goes back behind the call.
struct Back {
    copy: View,
    place: View,
    /// The same elements as they were, of a copy that may have more of them than the parameter, where others may write
    /// these: what has not changed stays what it is.
    before: Option<View>,
}

/// The arguments of a call, as far as they are written.
#[derive(Default)]
struct Arguments {
    texts: Vec<Code>,
    /// The copies that go back to their places behind the call.
    back: Vec<Back>,
    /// The cells of each argument whose address is passed, if it is a place.
    reaches: Vec<Option<Reach>>,
}

impl Arguments {
    /// Notes the cells of the argument that is written.
    fn reach(&mut self, cells: Reach) {
        if let Some(last) = self.reaches.last_mut() {
            *last = Some(cells);
        }
    }
}

impl Writer<'_> {
    /// A call; the result is assigned after it.
    pub(super) fn emit_call(
        &mut self,
        callee: RoutineId,
        arguments: &[Option<Expr>],
        result: Option<&Place>,
    ) -> Emitted<()> {
        let theirs = self.file.program.routine(callee);
        let strided = theirs.aliased && self.has_gaps((callee, theirs), arguments)?;
        let Some(made) = self.file.called(callee, strided) else {
            return Err(self.malformed("a routine is called that is not there"));
        };
        let call = BoundCall::bind(&Call {
            program: self.file.program,
            effects: &self.file.effects,
            caller: (self.routine, &self.locations),
            callee,
            arguments,
            result,
        });
        let shared = match call.shared {
            Err(TooMany) if self.is_checked() => return Err(self.too_many_pairs()),
            Err(TooMany) => SharedCells::default(),
            Ok(shared) => shared,
        };
        // Variables that the called routine may change must not move the place of its result.
        let (mut target, mut filled) = (None, None);
        if !self.is_checked() {
            match (call.result, result) {
                (Some(Target::Array(place)), _) => filled = Some(self.kept_view(place, true)?),
                (_, Some(place)) => target = Some(self.result_target(place, true)?),
                (_, None) => {}
            }
        }
        let (from, declared) = (self.lines.here(), self.declared);
        let mut written = Arguments::default();
        for (k, p) in theirs.parameter_ids().enumerate() {
            written.reaches.push(None);
            if let Some((formal, leaf)) = self.file.records.home(callee, p) {
                if leaf == 0 {
                    let arguments = &arguments[k..k + formal.parts.len()];
                    let texts = self.structure_argument(callee, formal, arguments)?;
                    written.texts.extend(texts);
                }
                continue;
            }
            self.emit_argument(
                theirs,
                (p, strided),
                (call.arguments[k], call.others_write[k]),
                &mut written,
            )?;
        }
        if self.is_checked() {
            // The place of a result is found behind the arguments.
            match call.result {
                Some(Target::Array(place)) => filled = Some(self.kept_view(place, true)?),
                Some(Target::Scalar(v)) => target = Some(self.scalar_place(v)?),
                Some(Target::Element(place)) => target = Some(self.kept_element(place)?),
                None => {}
            }
            self.stop_on_fault();
        }
        let compared = self.compare_cells(theirs, &shared, arguments, &written.reaches)?;
        let returned = returned::scalar_result(theirs);
        let mut received = None;
        if let Some(how) = Returned::classify(theirs) {
            let texts = &mut written.texts;
            received = Some((
                how,
                self.receive_array(theirs, how, arguments, result, texts)?,
            ));
        }
        written.texts = made.used_arguments(written.texts);
        let mut value = None;
        if let (Some(ty), true) = (returned, made.can_fail) {
            let r = self.declare_helper("returned", ty);
            written.texts.push(r.clone().prefix(Prefix::Address));
            value = Some(r);
        }
        if made.compared {
            written.texts.extend(compared);
        }
        if made.needs_memory {
            let memory = self.work_parameter();
            written.texts.push(memory);
        }
        let ty = returned.unwrap_or(ScalarType::Tape);
        let made_call = Code::call(&made.name, written.texts, ty);
        let passed = self.passed_tapes(callee, arguments);
        for (tape, top) in &passed {
            self.set(&tape.clone().member("->top"), top.clone());
        }
        if made.can_fail {
            self.has_status = true;
            let status = self.status.clone();
            self.set(&status, made_call);
            self.fail_if(status.clone(), status);
        } else {
            let kept = !written.back.is_empty() || self.declared > declared;
            match returned {
                Some(_) if !kept && target.is_some() && passed.is_empty() => {
                    value = Some(made_call);
                }
                Some(_) if kept || filled.is_some() || target.is_some() => {
                    value = Some(self.keep("returned", made_call));
                }
                Some(ty) => self.add(made_call.cast("void", ty)),
                None => self.add(made_call),
            }
        }
        for (tape, top) in &passed {
            self.set(top, tape.clone().member("->top"));
        }
        for back in &written.back {
            match &back.before {
                Some(before) => self.copy_changed(&back.place, &back.copy, before)?,
                None => self.emit_copy(&back.place, &back.copy)?,
            }
        }
        if let Some((how, from_view)) = received {
            if let (Some(place), Some(to)) = (result, &filled)
                && to.pointer != from_view.pointer
            {
                self.assign_returned(place, to, &from_view)?;
            }
            match how {
                Returned::Given(_) => self.release_since(from),
                Returned::Made => self.release_to(from),
            }
            self.end_block(from, declared);
            return Ok(());
        }
        self.release_since(from);
        if let (true, Some(place), Some(value), None) = (self.is_checked(), result, &value, &filled)
            && place.subscripts.is_empty()
        {
            self.emit_store(place, value.clone(), None)?;
            self.end_block(from, declared);
            return Ok(());
        }
        match (value, &target, &filled) {
            (Some(value), Some(target), _) => self.emit_assignment(target.clone(), value, true),
            (Some(value), None, Some(view)) => {
                if let Some(place) = result.filter(|place| place.subscripts.is_empty()) {
                    self.must_exist(place.var);
                    self.stop_on_fault();
                }
                self.emit_fill(view, value)?;
            }
            (Some(_), None, None) | (None, ..) => {}
        }
        self.end_block(from, declared);
        Ok(())
    }

    /// The lines written since are made a block, if variables were declared.
    pub(super) fn end_block(&mut self, from: usize, declared: usize) {
        if self.declared > declared {
            self.silence_warnings(from);
            self.lines.wrap(from);
            self.declared = declared;
        }
    }

    /// The tapes that are passed to who uses them, of those of which the routine has a copy.
    fn passed_tapes(&mut self, callee: RoutineId, arguments: &[Option<Expr>]) -> Vec<(Code, Code)> {
        let mut passed = Vec::new();
        let theirs = self.file.program.routine(callee).parameter_ids();
        for (e, p) in arguments.iter().zip(theirs) {
            if let (Some(Expr::Place(place)), true) = (e, self.file.uses_tape(callee, p))
                && self.tops.contains_key(&place.var)
                && let Ok(tape) = self.tape_and_top(place.var)
            {
                passed.push(tape);
            }
        }
        passed
    }

    /// The memory allocated since is given back, if there is any.
    pub(super) fn release_since(&mut self, from: usize) {
        let mut since = self.lines.since(from).iter();
        if since.any(|statement| statement.calls("cfgrev_allocate")) {
            self.release_to(from);
        }
    }

    /// Work arrays since are given back.
    fn release_to(&mut self, from: usize) {
        let [mark, release] = self.mark("->work", "mark");
        self.lines.insert(from, mark);
        self.add(release);
    }

    /// One argument, and whether a part that its parameter does not cover may be written by another name.
    fn emit_argument(
        &mut self,
        theirs: &Routine,
        (p, strided): (VarId, bool),
        (argument, others_write): (Argument<'_>, bool),
        written: &mut Arguments,
    ) -> Emitted<()> {
        let text = match argument {
            Argument::Absent => {
                self.push_absent(theirs, p, strided, &mut written.texts);
                return Ok(());
            }
            Argument::Tape(v) => self.tape_pointer(v)?,
            Argument::Value(e) => {
                let code = self.emit_scalar(e)?;
                self.hoist(code)
            }
            Argument::Cell(place) => {
                let address = self.emit_address(place)?;
                written.reach(Reach::of_cells(address.clone(), 1));
                address
            }
            Argument::Temporary(e) => {
                let code = self.emit_scalar(e)?;
                let ty = self.file.c_type(theirs.variable(p).ty);
                Code::list(ty, [self.hoist(code)]).prefix(Prefix::Address)
            }
            // The cells from there to the end of the array, or one of an array with gaps.
            Argument::Rest(place) => {
                let address = self.emit_address(place)?;
                if strided {
                    written.texts.push(null());
                }
                if self.is_checked() {
                    let count = self.cells_from(place, &address)?;
                    written.reach(Reach::of_cells(address.clone(), count.clone()));
                    written.texts.push(count);
                }
                address
            }
            Argument::Array(e) => {
                self.array_argument(theirs, (p, strided), (e, others_write), written)?
            }
        };
        written.texts.push(text);
        Ok(())
    }

    /// The cells of an array value; with `keep`, what a call may change does not move them.
    fn kept_view(&mut self, place: &Place, keep: bool) -> Emitted<View> {
        self.keeps_bounds = keep;
        let view = self.emit_view(place);
        self.keeps_bounds = false;
        view
    }

    fn array_argument(
        &mut self,
        theirs: &Routine,
        (p, strided): (VarId, bool),
        (e, others_write): (&Expr, bool),
        written: &mut Arguments,
    ) -> Emitted<Code> {
        let formal = theirs.variable(p);
        let writes = formal.intent().is_some_and(Intent::writes);
        let mut view = if let Expr::Place(place) = e {
            // Variables that the called routine may change must not move the place that a copy goes back to.
            let view = self.kept_view(place, writes && !strided)?;
            written.reach(Reach::of_view(&view));
            view
        } else {
            self.array_value(e)?
        };
        let order = match given_shape(formal) {
            true => view.order,
            // The subscripts of the parameter are those of the argument, whatever order that is stored in.
            false => formal.order,
        };
        let transposed = order != view.order && view.axes.len() > 1;
        if (!view.dense || transposed) && !strided {
            let copy = self.work_array("copy", view.ty, order, view.extents())?;
            self.emit_copy(&copy, &view)?;
            if writes {
                let mut before = None;
                if others_write {
                    let kept = self.work_array("before", view.ty, order, copy.extents())?;
                    self.emit_copy(&kept, &copy)?;
                    before = Some(kept);
                }
                written.back.push(Back {
                    copy: copy.clone(),
                    place: view,
                    before,
                });
            }
            view = copy;
        }
        for ((extent, _), dim) in view.axes.iter().zip(&formal.shape) {
            if dim.extent == Extent::Deferred {
                written.texts.push(extent.to_code());
            }
        }
        if strided {
            if given_shape(formal) {
                written.texts.push(Self::lie_of(&view));
            } else {
                let strides = view.axes.iter().map(|(_, stride)| stride.to_code());
                written.texts.extend(strides);
            }
        }
        if self.is_checked() {
            let count = self.cells_of(e, &view);
            written.texts.push(count);
        }
        Ok(view.first())
    }

    /// True if an array is passed whose elements may have gaps between them, or lie in another order than a parameter
    /// says that takes its extents.
    fn has_gaps(
        &mut self,
        (callee, theirs): (RoutineId, &Routine),
        arguments: &[Option<Expr>],
    ) -> Emitted<bool> {
        for (e, p) in arguments.iter().zip(theirs.parameter_ids()) {
            if self.file.records.home(callee, p).is_some() {
                continue;
            }
            let (Some(Expr::Place(place)), true) = (e, theirs.variable(p).rank() > 0) else {
                continue;
            };
            let at = self.lines.here();
            let dense = match place_rank(&self.routine.variables, place) {
                0 => !self.array_kind(place.var)?.is_strided(),
                _ if takes_order(theirs.variable(p), self.routine.variable(place.var)) => false,
                _ => self.emit_view(place)?.dense,
            };
            // Passing the argument writes these lines again.
            self.lines.cut(at);
            if !dense {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The value of an external routine: a function of its expression.
    pub(super) fn external_value(&mut self, e: &Expr, ty: ScalarType) -> Emitted<Code> {
        let code = self.emit_scalar(e)?;
        Ok(convert(code, ty, self.pieces))
    }

    /// The place that a result goes to; with `keep`, its subscripts are evaluated here.
    pub(super) fn result_target(&mut self, place: &Place, keep: bool) -> Emitted<Code> {
        if place.subscripts.is_empty() {
            return self.scalar_place(place.var);
        }
        let mut place = place.clone();
        if keep {
            for subscript in &mut place.subscripts {
                for e in subscript.exprs_mut() {
                    let mut own = true;
                    e.walk_places(&mut |p| own &= p.subscripts.is_empty() && self.is_index(p.var));
                    if own {
                        continue;
                    }
                    let code = self.emit_scalar(e)?;
                    let at = self.keep("at", code);
                    *e = self.name_of_helper(at);
                }
            }
        }
        self.element_or_scalar(&place)
    }

    /// True of the index of a loop around the statement, and of a parameter that is passed by value: no call changes
    /// it.
    pub(super) fn is_index(&self, v: VarId) -> bool {
        self.open_indices.contains(&v) || is_passed_by_value(self.routine, v)
    }

    /// An expression that stands for a helper variable.
    fn name_of_helper(&mut self, helper: Code) -> Expr {
        let v = VarId::new(self.scope.len());
        let ty = ScalarType::Integer;
        self.scope.to_mut().push(Variable::new(
            &*helper.to_string(),
            ty,
            Vec::new(),
            Role::Local,
        ));
        self.lanes.push(Some(helper));
        Expr::var(v)
    }
}

impl Writer<'_> {
    /// The texts of an argument that is not given.
    fn push_absent(&self, theirs: &Routine, p: VarId, strided: bool, texts: &mut Vec<Code>) {
        let formal = theirs.variable(p);
        for dim in &formal.shape {
            if dim.extent == Extent::Deferred {
                texts.push(0.into());
            }
        }
        if strided && given_shape(formal) {
            texts.push(null());
        } else if strided {
            texts.extend(formal.shape.iter().map(|_| Code::from(0)));
        }
        if self.is_checked() && formal.rank() > 0 {
            texts.push((-1).into());
        }
        texts.push(null());
    }
}
