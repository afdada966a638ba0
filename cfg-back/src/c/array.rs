//! Array statements: the steps of their forms (`cfg_transform::scalarize`) as loops.

mod loops;
mod memory;
mod shapes;
mod view;

pub(super) use view::{View, size};

use super::{
    Emitted,
    lines::Statement,
    lines::silenced,
    operators::{self, Code, Infix, Name, Prefix},
    variable::null,
    writer::Writer,
};
use cfg_core::{
    entity::VarId,
    ir::{Expr, Op, Place, ScalarType},
};
use cfg_transform::scalarize::{ArrayId, Form, Malformed, Scalarizer, Step};
use std::collections::{BTreeSet, HashSet};

/// The arrays of a form that is written.
struct Arrays<'f> {
    form: &'f Form,
    views: Vec<Option<View>>,
    /// Arrays that steps may leave out: they are variables, with a null pointer for what is not taken.
    variable: BTreeSet<ArrayId>,
    /// True if an array gets another shape, so that what is made before must not depend on the one it had.
    reallocates: bool,
}

/// The arrays that are made, or not, under a condition.
fn conditional(form: &Form) -> BTreeSet<ArrayId> {
    let mut found = BTreeSet::new();
    each_step(&form.steps, &mut |step, inside| match step {
        Step::Section { array, .. }
        | Step::Transpose { array, .. }
        | Step::Alias { array, .. }
        | Step::Temporary { array, .. }
        | Step::Shaped { array, .. } => found.extend(inside.then_some(*array)),
        Step::Untaken { array } | Step::Same { array, .. } | Step::ShapeOf { array, .. } => {
            found.insert(*array);
        }
        Step::Choose { untaken, .. } => found.extend(untaken),
        Step::Let { .. }
        | Step::Conform { .. }
        | Step::Reallocate { .. }
        | Step::Fill { .. }
        | Step::Copy { .. }
        | Step::Reduce { .. }
        | Step::Partials { .. }
        | Step::Decide { .. }
        | Step::Try { .. }
        | Step::Loop(_) => {}
    });
    found
}

impl Writer<'_> {
    fn lower_form<T>(
        &self,
        lower: impl FnOnce(&Scalarizer<'_>) -> Result<T, Malformed>,
    ) -> Emitted<T> {
        let scalarizer = Scalarizer::new(self.routine, &self.locations);
        lower(&scalarizer).map_err(|malformed| self.malformed(malformed.message))
    }

    /// An assignment to an array.
    pub(super) fn assign_array(&mut self, target: &Place, value: &Expr) -> Emitted<()> {
        let form = self.lower_form(|s| s.assignment(target, value))?;
        let read = self.variables.all[target.var.index()].read;
        self.in_block(&form, |writer, arrays| {
            writer.emit_steps(&form.steps, arrays)
        })?;
        self.only_written(target, Some(value), read);
        Ok(())
    }

    /// The variable of a target counts as read after the statement only if it did before, or the statement names it
    /// elsewhere.
    pub(super) fn only_written(&mut self, target: &Place, value: Option<&Expr>, before: bool) {
        let mut named = before;
        let exprs = target.subscript_exprs().chain(value);
        exprs.for_each(|e| e.walk_places(&mut |p| named |= p.var == target.var));
        self.variables.all[target.var.index()].read = named;
    }

    /// The value of a reduction, computed by loops before the statement.
    pub(super) fn emit_reduction(&mut self, op: Op, operands: &[Expr]) -> Emitted<Code> {
        let (form, name) = self.lower_form(|s| s.reduction(op, operands))?;
        let k = name.index() - form.first;
        let Some(variable) = form.names.get(k) else {
            return Err(self.malformed("a reduction has no value"));
        };
        let result = self.declare_helper(op.name(), variable.ty);
        self.in_block(&form, |writer, arrays| {
            writer.lanes[k] = Some(result.clone());
            writer.emit_steps(&form.steps, arrays)
        })?;
        Ok(result)
    }

    /// The cells of the value of an array expression, which are made before the statement where they are no variable's.
    pub(super) fn array_value(&mut self, e: &Expr) -> Emitted<View> {
        if let Expr::Place(place) = e {
            return self.emit_view(place);
        }
        let (form, array) = self.lower_form(|s| s.array(e))?;
        self.within_form(&form, |writer, arrays| {
            writer.emit_steps(&form.steps, arrays)?;
            writer.view_of(arrays, array)
        })
    }

    /// Writes code with the names of a form, which are forgotten afterwards.
    fn within_form<T>(
        &mut self,
        form: &Form,
        write: impl FnOnce(&mut Self, &mut Arrays<'_>) -> Emitted<T>,
    ) -> Emitted<T> {
        let mut arrays = self.enter_form(form)?;
        let outer = std::mem::replace(&mut self.lanes, vec![None; form.names.len()]);
        let scope = self.scope.to_mut();
        let outer_names = scope.split_off(form.first);
        scope.extend(form.names.iter().cloned());
        let made = write(self, &mut arrays);
        self.lanes = outer;
        let scope = self.scope.to_mut();
        scope.truncate(form.first);
        scope.extend(outer_names);
        made
    }

    fn in_block<T>(
        &mut self,
        form: &Form,
        write: impl FnOnce(&mut Self, &mut Arrays<'_>) -> Emitted<T>,
    ) -> Emitted<T> {
        let works = needs_work(&form.steps);
        let block = works || !conditional(form).is_empty();
        let (from, declared) = (self.lines.here(), self.declared);
        if block {
            self.add(Statement::Block);
        }
        let mark = works.then(|| self.mark("->work", "mark"));
        let release = mark.map(|[mark, release]| {
            self.add(mark);
            release
        });
        let made = self.within_form(form, write)?;
        release.into_iter().for_each(|release| self.add(release));
        if block {
            self.silence_warnings(from);
            self.lines.close_block();
            self.declared = declared;
        }
        Ok(made)
    }

    /// The parameter with the memory of work arrays, which the function then has.
    pub(super) fn work_parameter(&mut self) -> Code {
        self.made.needs_memory = true;
        Code::name(self.memory.clone(), ScalarType::Tape)
    }

    /// Keeps compilers from complaining of variables that were declared since and are not read.
    pub(super) fn silence_warnings(&mut self, from: usize) {
        let names = std::mem::take(&mut self.unsure);
        if names.is_empty() {
            return;
        }
        let since = self.lines.since(from).iter();
        let read: HashSet<&Name> = since.flat_map(Statement::reads).collect();
        let silent = names
            .iter()
            .filter(|name| !read.contains(name))
            .map(silenced);
        let silent: Vec<Code> = silent.collect();
        silent.into_iter().for_each(|line| self.add(line));
    }

    fn enter_form<'f>(&mut self, form: &'f Form) -> Emitted<Arrays<'f>> {
        let mut arrays = Arrays {
            form,
            views: vec![None; form.arrays.len()],
            variable: conditional(form),
            reallocates: false,
        };
        each_step(&form.steps, &mut |step, _| {
            arrays.reallocates |= matches!(step, Step::Reallocate { .. });
        });
        for &array in &arrays.variable {
            let it = form.arrays[array.index()];
            self.declared += 1;
            let name: Name = self.fresh_name("s").into();
            self.unsure.push(name.clone());
            let declared = Code::name(name.clone(), it.ty);
            let declared = declared.declared(&format!("{} *", self.file.c_type(it.ty)));
            self.set(&declared, null());
            let mut axes = Vec::with_capacity(it.rank);
            for k in 1..=it.rank {
                let [extent, stride] = ["extent", "stride"].map(|what| {
                    let name = format!("{name}_{what}{k}");
                    self.names.reserve(&name);
                    let name: Name = name.into();
                    self.unsure.push(name.clone());
                    Code::from(name)
                });
                let declared = extent.clone().declared("int64_t").set(1);
                self.add(declared.with(Infix::Comma, stride.clone().set(0)));
                axes.push((extent.into(), stride.into()));
            }
            arrays.views[array.index()] = Some(View {
                pointer: Code::name(name, it.ty),
                inside: None,
                offset: 0.into(),
                axes,
                order: it.order,
                ty: it.ty,
                dense: false,
            });
        }
        Ok(arrays)
    }

    // --- steps -------------------------------------------------------------------------------

    fn emit_steps(&mut self, steps: &[Step], arrays: &mut Arrays<'_>) -> Emitted<()> {
        steps
            .iter()
            .try_for_each(|step| self.emit_step(step, arrays))
    }

    fn set_lane(&mut self, name: VarId, code: Code) -> Emitted<()> {
        let k = name.index().checked_sub(self.routine.variables.len());
        match k.and_then(|k| self.lanes.get_mut(k)) {
            Some(lane) => {
                *lane = Some(code);
                Ok(())
            }
            None => Err(self.malformed("a step makes what is no name of its form")),
        }
    }

    fn emit_step(&mut self, step: &Step, arrays: &mut Arrays<'_>) -> Emitted<()> {
        match step {
            Step::Let { name, value } => {
                let code = self.emit_scalar(value)?;
                if !matches!(value, Expr::Place(_) | Expr::Op(..)) {
                    return self.set_lane(*name, code);
                }
                let kept = self.keep("s", code);
                self.stop_on_fault();
                self.set_lane(*name, kept)
            }
            Step::Section { array, place } => {
                let view = self.section_view(place)?;
                self.set_view(arrays, *array, view)
            }
            Step::Transpose { array, of } => {
                let mut view = self.existing_array(arrays, *of)?;
                view.axes.reverse();
                view.dense = false;
                self.set_view(arrays, *array, view)
            }
            Step::Alias { array, of } => {
                let view = self.existing_array(arrays, *of)?;
                self.set_view(arrays, *array, view)
            }
            Step::Same { array, of } => {
                let view = self.view_of(arrays, *of)?;
                self.set_view(arrays, *array, view)
            }
            Step::Untaken { array } => self.untaken(arrays, *array),
            Step::ShapeOf {
                array,
                candidates,
                otherwise,
            } => self.shape_of(arrays, *array, candidates, *otherwise),
            Step::Conform { a, b } => self.check_conformance(arrays, *a, *b),
            Step::Temporary { array, like } => {
                let like = self.existing_array(arrays, *like)?;
                self.declare_temporary(arrays, *array, like.extents())
            }
            Step::Shaped { array, extents } => {
                let mut all = Vec::with_capacity(extents.len());
                for e in extents {
                    all.push(self.keep_amount(e)?);
                }
                all.iter().for_each(|n| self.must_be_bounds(&1.into(), n));
                self.stop_on_fault();
                self.declare_temporary(arrays, *array, all)
            }
            Step::Reallocate { array, like } => {
                let like = self.existing_array(arrays, *like)?;
                self.reallocate_array(arrays, *array, &like)
            }
            Step::Fill { array, value } => {
                let view = self.view_of(arrays, *array)?;
                let code = self.emit_scalar(value)?;
                let code = operators::convert(code, view.ty, self.pieces);
                let code = self.hoist(code);
                self.must_be_array(arrays, *array);
                self.stop_on_fault();
                self.emit_fill(&view, code)
            }
            Step::Copy { to, from } => {
                self.check_conformance(arrays, *to, *from)?;
                let (to, from) = (self.view_of(arrays, *to)?, self.view_of(arrays, *from)?);
                self.emit_copy(&to, &from)
            }
            Step::Reduce { op, name, of } => {
                let of = self.existing_array(arrays, *of)?;
                self.emit_fold(*op, *name, &of, |_, at| Ok(of.element(at)))
            }
            Step::Partials { op, array, of } => {
                let of = self.existing_array(arrays, *of)?;
                let to = self.view_of(arrays, *array)?;
                if *op == Op::ProductPartial {
                    self.product_partials(&to, &of)
                } else {
                    self.extreme_partials(*op, &to, &of)
                }
            }
            Step::Choose {
                condition,
                sense,
                lenient,
                taken,
                untaken,
            } => {
                let code = match (*lenient, *sense) {
                    (true, sense) => self.emit_lenient(condition, sense)?,
                    (false, true) => self.emit_decision(condition)?,
                    (false, false) => {
                        let code = self.emit_decision(condition)?;
                        self.negate(code)?
                    }
                };
                self.add(Statement::If(code));
                self.emit_steps(taken, arrays)?;
                if !untaken.is_empty() {
                    self.add(Statement::Else);
                    for array in untaken {
                        self.untaken(arrays, *array)?;
                    }
                }
                self.lines.close_block();
                Ok(())
            }
            Step::Decide {
                undecided,
                parts,
                decided,
            } => self.emit_decide(*undecided, parts, decided, arrays),
            Step::Try {
                attempt,
                well,
                failed,
            } => {
                if !self.is_checked() {
                    // Nothing is checked, so nothing goes wrong.
                    self.emit_steps(attempt, arrays)?;
                    return self.emit_steps(well, arrays);
                }
                self.without_stops(|writer| writer.emit_steps(attempt, arrays))?;
                let found = Code::from(self.checks.variable.clone()).member(".at");
                self.add(Statement::If(found.clone().prefix(Prefix::Not)));
                self.emit_steps(well, arrays)?;
                self.add(Statement::Else);
                self.set(&found, 0);
                self.emit_steps(failed, arrays)?;
                self.lines.close_block();
                Ok(())
            }
            Step::Loop(nest) => self.emit_nest(nest, arrays),
        }
    }

    // --- loops over elements -----------------------------------------------------------------
}

fn needs_work(steps: &[Step]) -> bool {
    let mut found = false;
    each_step(steps, &mut |step, _| {
        found |= matches!(step, Step::Temporary { .. } | Step::Shaped { .. });
    });
    found
}

/// Calls `visit` for every step, with whether it may not be done.
fn each_step<'s>(steps: &'s [Step], visit: &mut impl FnMut(&'s Step, bool)) {
    let mut open = vec![(steps, false)];
    while let Some((steps, inside)) = open.pop() {
        for step in steps {
            visit(step, inside);
            open.extend(step.blocks().into_iter().map(|steps| (steps, true)));
        }
    }
}
