//! Array-valued expressions and assignments. `cfg_transform::scalarize` gives each a *form*, a list of steps, which
//! are translated here. An elementwise step becomes a loop of scalar code over cursors, one per array operand.

use cfg_core::{
    entity::VarId,
    flat::FlatSubscript,
    ir::{Expr, Op, Order, Place, ScalarType},
};
use cfg_transform::lower::{increment, place_rank};
use cfg_transform::scalarize::{
    self, Action, Array, ArrayId, Element, Form, Loop, Malformed, Part, Scalarizer, Step,
};

use super::{
    Compiling,
    emit::{Emitter, Lane, Operand, Value},
};
use crate::code::{Arr, Ext, Instr, Reg, SubReg, View};

/// The action on each element of a loop nest.
#[derive(Clone, Copy)]
enum Goal {
    /// Stored into the target.
    Store,
    /// Added to the element of the target, or subtracted.
    Increment { negative: bool },
    /// Added to a register.
    Sum(Reg),
}

impl Emitter<'_> {
    /// The form of an expression or assignment in this routine.
    fn form<T>(&self, lower: impl FnOnce(&Scalarizer<'_>) -> Result<T, Malformed>) -> Compiling<T> {
        let scalarizer = Scalarizer::new(self.routine, &self.locations);
        lower(&scalarizer).map_err(|malformed| self.too_large(&malformed.message))
    }

    /// Emits code with the names of a form in scope.
    fn within<T>(
        &mut self,
        form: &Form,
        emit: impl FnOnce(&mut Self, &[View]) -> Compiling<T>,
    ) -> Compiling<T> {
        let mut views = Vec::with_capacity(form.arrays.len());
        for array in &form.arrays {
            views.push(self.view_of(array)?);
        }
        let names = form.names.clone();
        let outer_names = self.scope.split_off(form.first.min(self.scope.len()));
        self.scope.extend(names);
        let outer = std::mem::replace(&mut self.lanes, vec![None; form.names.len()]);
        let made = emit(self, &views);
        self.scope.truncate(form.first);
        self.scope.extend(outer_names);
        self.lanes = outer;
        made
    }

    /// The descriptor of an array of a form. Arrays that are not variables get their shapes by steps.
    fn view_of(&mut self, array: &Array) -> Compiling<View> {
        let arr = match array.variable {
            Some(v) => self.array_of(v)?,
            None => self.temporary_array(array.rank)?,
        };
        Ok(View {
            arr,
            rank: array.rank as u8,
            order: array.order,
            ty: array.ty,
        })
    }

    /// The value for a name of the present form; `None` for a variable of the routine.
    pub(super) fn lane(&self, v: VarId) -> Option<Option<Lane>> {
        let name = v.index().checked_sub(self.routine.variables.len())?;
        Some(self.lanes.get(name).copied().flatten())
    }

    fn set_lane(&mut self, name: VarId, lane: Lane) {
        let name = name.index().checked_sub(self.routine.variables.len());
        if let Some(slot) = name.and_then(|name| self.lanes.get_mut(name)) {
            *slot = Some(lane);
        }
    }

    /// The whole of an array variable.
    pub(super) fn whole_array(&self, v: VarId) -> Compiling<View> {
        let variable = self.variable(v);
        Ok(View {
            arr: self.array_of(v)?,
            rank: variable.rank() as u8,
            order: variable.order,
            ty: variable.ty,
        })
    }

    /// The descriptor of a whole array or a section.
    pub(super) fn view(&mut self, place: &Place) -> Compiling<View> {
        let of = self.whole_array(place.var)?;
        if place.subscripts.is_empty() {
            return Ok(of);
        }
        let rank = place_rank(&self.routine.variables, place);
        let arr = self.temporary_array(rank)?;
        self.section(arr, place)?;
        let rank = rank as u8;
        Ok(View { arr, rank, ..of })
    }

    /// Makes a descriptor that of a section.
    fn section(&mut self, d: Arr, place: &Place) -> Compiling<()> {
        let arr = self.array_of(place.var)?;
        let mark = self.mark();
        let mut subscripts = Vec::with_capacity(place.subscripts.len());
        for subscript in &place.subscripts {
            subscripts.push(match FlatSubscript::view(subscript) {
                FlatSubscript::Index(e) => SubReg::Index(self.expr_register(e)?.0),
                FlatSubscript::Range(range) => {
                    let mut bound = |e: &Option<Expr>| -> Compiling<Option<Reg>> {
                        match e {
                            Some(e) => Ok(Some(self.expr_register(e)?.0)),
                            None => Ok(None),
                        }
                    };
                    SubReg::Range {
                        lower: bound(&range.lower)?,
                        upper: bound(&range.upper)?,
                        stride: bound(&range.stride)?,
                    }
                }
            });
        }
        self.release(mark);
        self.emit_ext(Ext::Section {
            d,
            arr,
            subscripts: subscripts.into(),
        });
        Ok(())
    }

    /// A descriptor of the value of an array expression; anything but a place is computed into a
    /// temporary array.
    pub(super) fn array(&mut self, e: &Expr) -> Compiling<View> {
        if let Expr::Place(place) = e {
            return self.view(place);
        }
        let (form, array) = self.form(|s| s.array(e))?;
        self.within(&form, |emitter, views| {
            emitter.steps(&form.steps, views)?;
            Ok(views[array.index()])
        })
    }

    /// A reduction to a scalar.
    pub(super) fn reduction(
        &mut self,
        op: Op,
        operands: &[Expr],
        dest: Option<Reg>,
    ) -> Compiling<Operand> {
        let (form, name) = self.form(|s| s.reduction(op, operands))?;
        self.within(&form, |emitter, views| {
            let mark = emitter.mark();
            if let [before @ .., Step::Reduce { op, of, .. }] = &*form.steps {
                emitter.steps(before, views)?;
                emitter.release(mark);
                let d = emitter.dest_or_temporary(dest)?;
                let of = views[of.index()];
                emitter.reduce(*op, d, of);
                return Ok(Operand::register(d, of.ty));
            }
            let ty = emitter.scope[name.index()].ty;
            // A running sum writes its register on every pass, and the expression may read the destination of the
            // statement.
            let d = emitter.dest_or_temporary(dest.filter(|_| !is_running_sum(op, ty)))?;
            let mark = emitter.mark();
            let result = Operand::register(d, ty);
            emitter.set_lane(name, Lane::Scalar(result));
            emitter.steps(&form.steps, views)?;
            emitter.release(mark);
            Ok(result)
        })
    }

    fn reduce(&mut self, op: Op, d: Reg, of: View) {
        self.emit_ext(Ext::Reduce { op, d, of });
    }

    /// An assignment to an array.
    pub(super) fn assign_array(&mut self, target: &Place, value: &Expr) -> Compiling<()> {
        let form = self.form(|s| s.assignment(target, value))?;
        self.within(&form, |emitter, views| emitter.steps(&form.steps, views))
    }

    /// True of a whole local array of deferred extents: assignment gives it a shape.
    pub(super) fn is_allocatable(&self, place: &Place) -> bool {
        scalarize::is_allocatable(self.routine, place)
    }

    /// True of an array that is certainly present and has a shape.
    pub(super) fn is_always_there(&self, place: &Place) -> bool {
        let optional = self.intent(place.var).is_some_and(|i| i.1);
        !optional && !self.is_allocatable(&Place::whole(place.var))
    }

    // --- steps -------------------------------------------------------------------------------

    fn steps(&mut self, steps: &[Step], views: &[View]) -> Compiling<()> {
        steps.iter().try_for_each(|step| self.step(step, views))
    }

    fn step(&mut self, step: &Step, views: &[View]) -> Compiling<()> {
        let view = |array: &ArrayId| views[array.index()];
        match step {
            Step::Let { name, value } => {
                let (r, ty) = self.expr_register(value)?;
                self.set_lane(*name, Lane::Scalar(Operand::register(r, ty)));
            }
            Step::Section { array, place } => self.section(view(array).arr, place)?,
            Step::Transpose { array, of } => {
                let (d, arr) = (view(array).arr, view(of).arr);
                self.emit_ext(Ext::Transpose { d, arr });
            }
            Step::Alias { array, of } => {
                let (d, of) = (view(array).arr, view(of));
                self.emit_ext(Ext::Alias { d, of });
            }
            Step::Same { array, of } => {
                let (d, of) = (view(array).arr, view(of));
                self.emit_ext(Ext::Same { d, of });
            }
            Step::Untaken { array } => self.emit_ext(Ext::Untaken { of: view(array) }),
            Step::ShapeOf {
                array,
                candidates,
                otherwise,
            } => self.emit_ext(Ext::ShapeOf {
                to: view(array),
                candidates: candidates.iter().map(|a| view(a).arr).collect(),
                otherwise: otherwise.map(|a| view(&a).arr),
            }),
            Step::Conform { a, b } => {
                let (a, b) = (view(a), view(b).arr);
                self.emit_ext(Ext::Conform { a, b });
            }
            Step::Temporary { array, like } => self.temporary_like(view(array), view(like)),
            Step::Shaped { array, extents } => self.shaped(view(array), extents)?,
            Step::Reallocate { array, like } => {
                let (to, like) = (view(array), view(like).arr);
                self.emit_ext(Ext::Reallocate { to, like });
            }
            Step::Fill { array, value } => {
                let to = view(array);
                let mark = self.mark();
                let x = self.expr(value, None)?;
                let x = self.convert(x, to.ty, None)?;
                let s = self.register_of(x.value)?;
                self.emit_ext(Ext::Fill { to, s });
                self.release(mark);
            }
            Step::Copy { to, from } => {
                let (to, from) = (view(to), view(from).arr);
                self.emit_ext(Ext::Copy { to, from });
            }
            Step::Reduce { op, name, of } => {
                let d = self.temporary()?;
                self.reduce(*op, d, view(of));
                self.set_lane(*name, Lane::Scalar(Operand::register(d, view(of).ty)));
            }
            Step::Partials { op, array, of } => {
                let (to, of) = (view(array), view(of));
                self.emit_ext(Ext::Partials { op: *op, to, of });
            }
            Step::Choose {
                condition,
                sense,
                lenient,
                taken,
                untaken,
            } => {
                let skip = self.new_label();
                if *lenient {
                    let (a, _) = self.expr_register(condition)?;
                    let (value, t) = (u8::from(*sense), skip);
                    self.emit(Instr::JumpIfNot { a, value, t });
                } else {
                    self.branch(condition, !sense, skip)?;
                }
                self.steps(taken, views)?;
                if untaken.is_empty() {
                    self.bind(skip);
                } else {
                    let end = self.new_label();
                    self.emit_jump(end);
                    self.bind(skip);
                    for array in untaken {
                        self.emit_ext(Ext::Untaken { of: view(array) });
                    }
                    self.bind(end);
                }
            }
            Step::Decide {
                undecided,
                parts,
                decided,
            } => {
                let (skip, end) = (self.new_label(), self.new_label());
                for Part { test, steps } in parts {
                    if let Some(e) = test {
                        let mark = self.mark();
                        let (a, _) = self.expr_register(e)?;
                        self.release(mark);
                        let (value, t) = (u8::from(*undecided), skip);
                        self.emit(Instr::JumpIfNot { a, value, t });
                    }
                    self.steps(steps, views)?;
                }
                self.emit_jump(end);
                self.bind(skip);
                self.steps(decided, views)?;
                self.bind(end);
            }
            Step::Try {
                attempt,
                well,
                failed,
            } => {
                let (fails, end) = (self.new_label(), self.new_label());
                let mark = self.mark();
                self.emit_ext(Ext::Try { t: fails });
                self.steps(attempt, views)?;
                self.emit_ext(Ext::EndTry);
                self.steps(well, views)?;
                self.emit_jump(end);
                self.bind(fails);
                self.steps(failed, views)?;
                self.bind(end);
                self.release(mark);
            }
            Step::Loop(nest) => self.nest(nest, views)?,
        }
        Ok(())
    }

    fn temporary_like(&mut self, to: View, like: View) {
        self.will_release();
        self.emit_ext(Ext::Temporary { to, like: like.arr });
    }

    /// A new array; its extents are evaluated here.
    fn shaped(&mut self, to: View, extents: &[Expr]) -> Compiling<()> {
        self.will_release();
        let mark = self.mark();
        let dims = self.bounds(extents.iter().map(|extent| (None, Some(extent))))?;
        self.emit_ext(Ext::TemporaryOf { to, dims });
        self.release(mark);
        Ok(())
    }

    // --- loops over elements -----------------------------------------------------------------

    fn nest(&mut self, nest: &Loop, views: &[View]) -> Compiling<()> {
        let over = views[nest.over.index()];
        match &nest.action {
            Action::Store(value) => {
                if let Some((skipped, rest, negative)) = self.increments(nest, over.ty, value) {
                    let elements = nest.elements.iter().filter(|e| e.name != skipped);
                    let elements: Vec<Element> = elements.copied().collect();
                    let goal = Goal::Increment { negative };
                    return self.over_elements(over, rest, &elements, views, goal);
                }
                self.over_elements(over, value, &nest.elements, views, Goal::Store)
            }
            Action::Fold { op, name, value } => {
                let ty = self.scope[name.index()].ty;
                let d = match self.lane(*name) {
                    Some(Some(Lane::Scalar(Operand {
                        value: Value::Register(d),
                        ..
                    }))) => d,
                    _ => self.temporary()?,
                };
                self.set_lane(*name, Lane::Scalar(Operand::register(d, ty)));
                if is_running_sum(*op, ty) {
                    self.set_constant(d, 0);
                    return self.over_elements(over, value, &nest.elements, views, Goal::Sum(d));
                }
                // No instruction adds one element to this reduction, so the elements go to a temporary array first.
                let arr = self.temporary_array(over.rank.into())?;
                let all = View { arr, ty, ..over };
                self.temporary_like(all, over);
                self.over_elements(all, value, &nest.elements, views, Goal::Store)?;
                self.reduce(*op, d, all);
                Ok(())
            }
        }
    }

    /// For `element = element + e`, which is done in place: the name of the element, `e`, and whether it is
    /// subtracted.
    fn increments<'e>(
        &self,
        nest: &Loop,
        ty: ScalarType,
        value: &'e Expr,
    ) -> Option<(VarId, &'e Expr, bool)> {
        if ty != ScalarType::Real || self.options.events {
            return None;
        }
        let own = |e: &&Element| e.array == nest.over && e.once;
        nest.elements
            .iter()
            .filter(own)
            .find_map(|&Element { name, .. }| {
                let is_target = |e: &Expr| matches!(e, Expr::Place(place) if place.var == name);
                let (rest, negative) = increment(value, is_target)?;
                Some((name, rest, negative))
            })
    }

    /// The loop over all elements of an array of the shape of `to`.
    fn over_elements(
        &mut self,
        to: View,
        value: &Expr,
        elements: &[Element],
        views: &[View],
        goal: Goal,
    ) -> Compiling<()> {
        let within = self.mark();
        let writes = !matches!(goal, Goal::Sum(_));
        let end = self.new_label();
        // From the slowest dimension of the target to the fastest.
        let mut axes: Vec<u8> = (0..to.rank).collect();
        if to.order == Order::Column {
            axes.reverse();
        }
        let Some(&fastest) = axes.last() else {
            return Err(self.too_large("a scalar is used as an array"));
        };
        // The cursors, each with whether its load instruction moves it along the fastest dimension.
        let mut cursors: Vec<(Reg, Arr, bool)> = Vec::new();
        let target = self.temporary()?;
        if writes {
            self.emit(Instr::Base {
                d: target,
                arr: to.arr,
            });
            cursors.push((target, to.arr, true));
        }
        for element in elements {
            let View { arr, ty, .. } = views[element.array.index()];
            let p = self.temporary()?;
            self.emit(Instr::Base { d: p, arr });
            let lane = match element.once {
                true => Lane::Moving(p, ty, fastest, arr),
                false => Lane::Cursor(p, ty),
            };
            self.set_lane(element.name, lane);
            cursors.push((p, arr, element.once));
        }
        let zero = self.constant(0)?;
        let mut counters = Vec::new();
        for &axis in &axes {
            let d = self.temporary()?;
            self.emit(Instr::Extent {
                d,
                axis,
                arr: to.arr,
            });
            self.emit(Instr::JumpEqI {
                a: d,
                b: zero,
                t: end,
            });
            counters.push(d);
        }
        let mut starts = Vec::new();
        for (k, &axis) in axes.iter().enumerate() {
            if k > 0 {
                // Inner loops start again on every pass.
                self.emit(Instr::Extent {
                    d: counters[k],
                    axis,
                    arr: to.arr,
                });
            }
            let start = self.new_label();
            self.bind(start);
            starts.push(start);
        }
        let mark = self.mark();
        let x = self.expr(value, None)?;
        let x = self.convert(x, to.ty, None)?;
        let s = self.register_of(x.value)?;
        self.each_element(goal, s, (target, fastest, to.arr))?;
        self.release(mark);
        for (k, &axis) in axes.iter().enumerate().rev() {
            for &(p, arr, moves) in &cursors {
                if !(moves && axis == fastest) {
                    self.emit(Instr::Advance { p, axis, arr });
                }
            }
            self.emit(Instr::CountDown {
                c: counters[k],
                t: starts[k],
            });
            if k > 0 {
                for &(p, arr, _) in &cursors {
                    self.emit(Instr::Rewind { p, axis, arr });
                }
            }
        }
        self.bind(end);
        self.release(within);
        Ok(())
    }

    /// Emits the action on the element `s`; the target's cursor moves along a dimension of an array.
    fn each_element(
        &mut self,
        goal: Goal,
        s: Reg,
        (p, axis, arr): (Reg, u8, Arr),
    ) -> Compiling<()> {
        match goal {
            Goal::Store => self.emit(Instr::StoreNext { p, s, axis, arr }),
            Goal::Sum(d) => self.emit(Instr::AddF { d, a: d, b: s }),
            Goal::Increment { negative: false } => self.emit(Instr::IncNext { p, s, axis, arr }),
            Goal::Increment { negative: true } => {
                let d = self.temporary()?;
                self.emit(Instr::NegF { d, a: s });
                self.emit(Instr::IncNext { p, s: d, axis, arr });
            }
        }
        Ok(())
    }

    /// Makes a variable uninitialised.
    pub(super) fn forget(&mut self, v: VarId) -> Compiling<()> {
        let variable = self.variable(v);
        if variable.ty == ScalarType::Tape {
            return Ok(());
        }
        if variable.rank() == 0 {
            return self.store_scalar(v, Operand::poison(variable.ty).value);
        }
        let of = self.whole_array(v)?;
        self.emit_ext(Ext::Forget { of });
        Ok(())
    }
}

/// True of a reduction to which an instruction adds one element after the other.
fn is_running_sum(op: Op, ty: ScalarType) -> bool {
    op == Op::Sum && ty == ScalarType::Real
}
