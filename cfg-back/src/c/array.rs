//! Array statements: the steps of their forms (`cfg_transform::scalarize`) as loops.

use super::{
    Emitted,
    amount::Amount,
    expression::at_least_zero,
    operators::{
        self, Code, checked, literal_integer, literal_real, literal_real32,
        precedence::{POSTFIX, SUM},
    },
    routine::{behind_target, identifiers},
    variable::{Bound, Kind, c_type, strides, zero},
    writer::Writer,
};
use cfg_core::{
    entity::VarId,
    ir::{Expr, Op, Order, Place, ScalarType, Subscript},
};
use cfg_transform::scalarize::{Action, ArrayId, Form, Loop, Malformed, Part, Scalarizer, Step};
use std::collections::{BTreeSet, HashSet};

/// The cells of an array: a pointer and an offset, and for each dimension the extent and the stride.
#[derive(Clone, Debug)]
pub(super) struct View {
    pub(super) pointer: String,
    pub(super) offset: Amount,
    pub(super) axes: Vec<(Amount, Amount)>,
    pub(super) order: Order,
    pub(super) ty: ScalarType,
    /// True if the elements are known to follow each other in storage order.
    pub(super) dense: bool,
}

impl View {
    /// The pointer to its first element.
    pub(super) fn first(&self) -> String {
        match self.offset.constant() {
            Some(0) => self.pointer.clone(),
            _ => format!(
                "{} + {}",
                self.pointer,
                self.offset.code().at_least(SUM + 1)
            ),
        }
    }

    /// The element at these positions.
    pub(super) fn element(&self, at: &[Amount]) -> Code {
        let mut offset = self.offset.clone();
        for (at, (_, stride)) in at.iter().zip(&self.axes) {
            offset = offset.plus(&at.times(stride));
        }
        let text = format!("{}[{}]", self.pointer, offset.code().text);
        Code::new(text, POSTFIX, self.ty)
    }

    /// The number of elements.
    pub(super) fn size(&self) -> Amount {
        match &self.axes[..] {
            // Loops and allocation take a negative one for none.
            [(extent, _)] => extent.clone(),
            axes => axes.iter().fold(1.into(), |size: Amount, (extent, _)| {
                size.times(&at_least_zero(extent))
            }),
        }
    }
}

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
    // Steps to look at, and whether they are done under a condition.
    let mut open: Vec<(&[Step], bool)> = vec![(&form.steps, false)];
    while let Some((steps, inside)) = open.pop() {
        for step in steps {
            match step {
                Step::Section { array, .. }
                | Step::Transpose { array, .. }
                | Step::Alias { array, .. }
                | Step::Temporary { array, .. }
                | Step::Shaped { array, .. } => {
                    if inside {
                        found.insert(*array);
                    }
                }
                Step::Untaken { array }
                | Step::Same { array, .. }
                | Step::ShapeOf { array, .. } => {
                    found.insert(*array);
                }
                Step::Choose { taken, untaken, .. } => {
                    found.extend(untaken);
                    open.push((taken, true));
                }
                Step::Decide { parts, decided, .. } => {
                    open.extend(parts.iter().map(|part| (&part.steps[..], true)));
                    open.push((decided, true));
                }
                Step::Try {
                    attempt,
                    well,
                    failed,
                } => {
                    for steps in [attempt, well, failed] {
                        open.push((steps, true));
                    }
                }
                Step::Let { .. }
                | Step::Conform { .. }
                | Step::Reallocate { .. }
                | Step::Fill { .. }
                | Step::Copy { .. }
                | Step::Reduce { .. }
                | Step::Partials { .. }
                | Step::Loop(_) => {}
            }
        }
    }
    found
}

impl Writer<'_> {
    fn form<T>(&self, lower: impl FnOnce(&Scalarizer<'_>) -> Result<T, Malformed>) -> Emitted<T> {
        let scalarizer = Scalarizer::new(self.routine, &self.locations);
        lower(&scalarizer).map_err(|malformed| self.malformed(malformed.message))
    }

    /// An assignment to an array.
    pub(super) fn assign_array(&mut self, target: &Place, value: &Expr) -> Emitted<()> {
        let form = self.form(|s| s.assignment(target, value))?;
        let read = self.variables.all[target.var.index()].read;
        self.in_block(&form, |writer, arrays| writer.steps(&form.steps, arrays))?;
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
    pub(super) fn reduction(&mut self, op: Op, operands: &[Expr]) -> Emitted<Code> {
        let (form, name) = self.form(|s| s.reduction(op, operands))?;
        let k = name.index() - form.first;
        let Some(variable) = form.names.get(k) else {
            return Err(self.malformed("a reduction has no value"));
        };
        let result = self.helper(op.name(), variable.ty);
        let code = Code::new(result, POSTFIX, variable.ty);
        self.in_block(&form, |writer, arrays| {
            writer.lanes[k] = Some(code.clone());
            writer.steps(&form.steps, arrays)
        })?;
        Ok(code)
    }

    /// The cells of the value of an array expression, which are made before the statement where they are no variable's.
    pub(super) fn array_value(&mut self, e: &Expr) -> Emitted<View> {
        if let Expr::Place(place) = e {
            return self.view(place);
        }
        let (form, array) = self.form(|s| s.array(e))?;
        let mut arrays = self.enter(&form)?;
        let outer = std::mem::replace(&mut self.lanes, vec![None; form.names.len()]);
        self.steps(&form.steps, &mut arrays)?;
        self.lanes = outer;
        self.view_of(&mut arrays, array)
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
            self.lines.open_block();
        }
        let mark = works.then(|| self.fresh("mark"));
        if let Some(mark) = &mark {
            let memory = self.work();
            self.lines.line(format_args!(
                "const struct cfgrev_mark {mark} = cfgrev_mark_of(&{memory}->work);"
            ));
        }
        let mut arrays = self.enter(form)?;
        let outer = std::mem::replace(&mut self.lanes, vec![None; form.names.len()]);
        let made = write(self, &mut arrays)?;
        self.lanes = outer;
        if let Some(mark) = mark {
            let memory = self.work();
            self.lines
                .line(format_args!("cfgrev_release(&{memory}->work, {mark});"));
        }
        if block {
            self.silence(from);
            self.lines.close();
            self.declared = declared;
        }
        Ok(made)
    }

    /// The name of the parameter with the memory of work arrays, which the function then has.
    pub(super) fn work(&mut self) -> String {
        self.made.needs_memory = true;
        self.memory.clone()
    }

    /// Keeps compilers from complaining of variables that were declared since and are not read.
    pub(super) fn silence(&mut self, from: usize) {
        let names = std::mem::take(&mut self.unsure);
        if names.is_empty() {
            return;
        }
        let mut text = self.lines.since(from).to_owned();
        if self.checked() {
            text = self.named_in(&text);
        }
        let read: HashSet<&str> = text
            .lines()
            .filter(|line| !line.contains(" = NULL;") && !line.contains(" = 1, "))
            .flat_map(|line| identifiers(behind_target(line)))
            .collect();
        for name in names.iter().filter(|name| !read.contains(name.as_str())) {
            self.lines.line(format_args!("(void){name};"));
        }
    }

    fn enter<'f>(&mut self, form: &'f Form) -> Emitted<Arrays<'f>> {
        let mut arrays = Arrays {
            form,
            views: vec![None; form.arrays.len()],
            variable: conditional(form),
            reallocates: false,
        };
        each_step(&form.steps, &mut |step| {
            arrays.reallocates |= matches!(step, Step::Reallocate { .. });
        });
        for &array in &arrays.variable {
            let it = form.arrays[array.index()];
            self.declared += 1;
            let name = self.fresh("s");
            self.unsure.push(name.clone());
            self.lines
                .line(format_args!("{} *{name} = NULL;", c_type(it.ty)));
            let mut axes = Vec::with_capacity(it.rank);
            for k in 1..=it.rank {
                let [extent, stride] = ["extent", "stride"].map(|what| format!("{name}_{what}{k}"));
                self.names.reserve(&extent);
                self.names.reserve(&stride);
                self.lines
                    .line(format_args!("int64_t {extent} = 1, {stride} = 0;"));
                self.unsure.extend([extent.clone(), stride.clone()]);
                let amount = |name| Amount::from(Code::new(name, POSTFIX, ScalarType::Integer));
                axes.push((amount(extent), amount(stride)));
            }
            arrays.views[array.index()] = Some(View {
                pointer: name,
                offset: 0.into(),
                axes,
                order: it.order,
                ty: it.ty,
                dense: false,
            });
        }
        Ok(arrays)
    }

    /// The cells of an array of a form.
    fn view_of(&mut self, arrays: &mut Arrays<'_>, array: ArrayId) -> Emitted<View> {
        if let Some(view) = &arrays.views[array.index()] {
            return Ok(view.clone());
        }
        match arrays.form.arrays[array.index()].variable {
            Some(v) => self.view(&Place::whole(v)),
            None => Err(self.malformed("a step names an array that none has made")),
        }
    }

    /// An array becomes this view.
    fn set_view(&mut self, arrays: &mut Arrays<'_>, array: ArrayId, view: View) -> Emitted<()> {
        if !arrays.variable.contains(&array) {
            arrays.views[array.index()] = Some(view);
            return Ok(());
        }
        let to = self.view_of(arrays, array)?;
        // Views are read only, or of what may be written.
        self.lines.line(format_args!(
            "{} = ({} *)({});",
            to.pointer,
            c_type(view.ty),
            view.first()
        ));
        for ((extent, stride), (e, s)) in to.axes.iter().zip(&view.axes) {
            for (to, from) in [(extent, e), (stride, s)] {
                self.lines
                    .line(format_args!("{} = {};", to.code().text, from.code().text));
            }
        }
        Ok(())
    }

    /// The cells of a whole array or a section. Bounds that are more than names are evaluated here.
    pub(super) fn view(&mut self, place: &Place) -> Emitted<View> {
        self.reads(place.var);
        if !place.subscripts.is_empty() {
            return self.section_view(place);
        }
        let array = self.array_kind(place.var)?;
        let extents = self.variables.extents(&array.axes);
        let strides = self.variables.strides(&array);
        let dense = !array.is_strided();
        let ty = self.variables.all[place.var.index()].ty;
        Ok(View {
            pointer: array.pointer,
            offset: array.offset.into(),
            axes: extents.into_iter().zip(strides).collect(),
            order: array.order,
            ty,
            dense,
        })
    }

    pub(super) fn section_view(&mut self, place: &Place) -> Emitted<View> {
        if self.checked() {
            return self.checked_section(place);
        }
        self.reads(place.var);
        let array = self.array_kind(place.var)?;
        let extents = self.variables.extents(&array.axes);
        let strides = self.variables.strides(&array);
        let mut offset = Amount::from(array.offset);
        let mut axes = Vec::new();
        let mut ranges = Vec::new();
        for (k, subscript) in place.subscripts.iter().enumerate() {
            let (axis, stride) = (&array.axes[k], &strides[k]);
            let range = match subscript {
                Subscript::Index(e) => {
                    let lower = self.variables.amount(&axis.lower);
                    let at = self.kept(e)?.minus_code(&lower);
                    offset = offset.plus(&at.times(stride));
                    continue;
                }
                Subscript::Range(range) => range,
            };
            let lower = self.variables.amount(&axis.lower);
            let mut bound = |e: &Option<Expr>| e.as_ref().map(|e| self.kept(e)).transpose();
            let (from, to, step) = (
                bound(&range.lower)?,
                bound(&range.upper)?,
                bound(&range.stride)?,
            );
            let whole = from.is_none() && to.is_none();
            let from = from.unwrap_or_else(|| lower.clone());
            let to = to.unwrap_or_else(|| lower.plus(&at_least_zero(&extents[k])).minus(1));
            let (extent, step) = match step {
                None if whole => (extents[k].clone(), 1.into()),
                Some(step) if step.constant() != Some(1) => {
                    let operands = [&from, &to, &step].map(Amount::code);
                    let trips = Amount::from(self.apply(Op::Trips, operands.into())?);
                    (self.kept_amount("extent", trips), step)
                }
                None | Some(_) => (to.minus_code(&from).plus(&1.into()), Amount::from(1)),
            };
            offset = offset.plus(&from.minus_code(&lower).times(stride));
            axes.push((extent, step.times(stride)));
            ranges.push((k, whole && range.stride.is_none(), range.stride.is_none()));
        }
        let dense = !array.is_strided() && is_dense(array.order, place.subscripts.len(), &ranges);
        Ok(View {
            pointer: array.pointer,
            offset,
            axes,
            order: array.order,
            ty: self.variables.all[place.var.index()].ty,
            dense,
        })
    }

    /// The value of an integer that is named several times: a name, a constant, or a variable that is set here.
    pub(super) fn kept(&mut self, e: &Expr) -> Emitted<Amount> {
        let mut own = true;
        e.walk(&mut |e| {
            own &= match e {
                Expr::Place(p) => p.subscripts.is_empty() && self.is_simple(p.var),
                Expr::Int(_) | Expr::Op(Op::Add | Op::Sub, _) => true,
                Expr::Real(_) | Expr::Real32(_) | Expr::Logical(_) | Expr::Op(..) => false,
            };
        });
        let amount = self.integer(e)?;
        if self.checked() {
            // Everything that is computed is checked.
            let index =
                matches!(e, Expr::Place(p) if self.is_index(p.var) || self.lane(p.var).is_some());
            if index || amount.constant().is_some() {
                return Ok(amount);
            }
            let amount = self.kept_amount("at", amount);
            self.stop();
            return Ok(amount);
        }
        let mut stays = !self.keeps_bounds;
        if !stays {
            stays = true;
            e.walk_places(&mut |p| stays &= self.is_index(p.var));
        }
        if own && e.depth() < 3 && stays {
            return Ok(amount);
        }
        Ok(self.kept_amount("at", amount))
    }

    /// The value of an integer in a variable that is set here, if it is no constant.
    fn kept_amount(&mut self, name: &str, amount: Amount) -> Amount {
        if amount.constant().is_some() {
            return amount;
        }
        let name = self.helper(name, ScalarType::Integer);
        self.lines
            .line(format_args!("{name} = {};", amount.code().text));
        Code::new(name, POSTFIX, ScalarType::Integer).into()
    }

    fn is_simple(&self, v: VarId) -> bool {
        match self.lane(v) {
            Some(lane) => {
                lane.is_ok_and(|code| code.precedence == POSTFIX && !code.text.contains('['))
            }
            None => self.is_own(v),
        }
    }

    // --- steps -------------------------------------------------------------------------------

    fn steps(&mut self, steps: &[Step], arrays: &mut Arrays<'_>) -> Emitted<()> {
        steps.iter().try_for_each(|step| self.step(step, arrays))
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

    fn step(&mut self, step: &Step, arrays: &mut Arrays<'_>) -> Emitted<()> {
        match step {
            Step::Let { name, value } => {
                let code = self.scalar(value)?;
                let constant = matches!(
                    value,
                    Expr::Int(_) | Expr::Real(_) | Expr::Real32(_) | Expr::Logical(_)
                );
                if constant {
                    return self.set_lane(*name, code);
                }
                let s = self.helper("s", code.ty);
                self.lines.line(format_args!("{s} = {};", code.text));
                self.stop();
                self.set_lane(*name, Code::new(s, POSTFIX, code.ty))
            }
            Step::Section { array, place } => {
                let view = self.section_view(place)?;
                self.set_view(arrays, *array, view)
            }
            Step::Transpose { array, of } => {
                self.must_be_array(arrays, *of);
                self.stop();
                let mut view = self.view_of(arrays, *of)?;
                view.axes.reverse();
                view.dense = false;
                self.set_view(arrays, *array, view)
            }
            Step::Alias { array, of } | Step::Same { array, of } => {
                if matches!(step, Step::Alias { .. }) {
                    self.must_be_array(arrays, *of);
                    self.stop();
                }
                let view = self.view_of(arrays, *of)?;
                self.set_view(arrays, *array, view)
            }
            Step::Untaken { array } => self.untaken(arrays, *array),
            Step::ShapeOf {
                array,
                candidates,
                otherwise,
            } => self.shape_of(arrays, *array, candidates, *otherwise),
            Step::Conform { a, b } if self.checked() => self.conform(arrays, *a, *b),
            Step::Conform { .. } => Ok(()),
            Step::Temporary { array, like } => {
                self.must_be_array(arrays, *like);
                self.stop();
                let like = self.view_of(arrays, *like)?;
                let extents = like.axes.into_iter().map(|(extent, _)| extent).collect();
                self.temporary(arrays, *array, extents)
            }
            Step::Shaped { array, extents } => {
                let mut all = Vec::with_capacity(extents.len());
                for e in extents {
                    all.push(self.kept(e)?);
                }
                if self.checked() {
                    all.iter().for_each(|n| self.must_be_bounds(&1.into(), n));
                    self.stop();
                }
                self.temporary(arrays, *array, all)
            }
            Step::Reallocate { array, like } => {
                self.must_be_array(arrays, *like);
                self.stop();
                let like = self.view_of(arrays, *like)?;
                self.reallocate(arrays, *array, &like)
            }
            Step::Fill { array, value } => {
                let view = self.view_of(arrays, *array)?;
                let code = self.scalar(value)?;
                let mut code = operators::convert(code, view.ty, self.pieces);
                if self.checked() {
                    code = self.hoisted(code);
                    self.must_be_array(arrays, *array);
                    self.stop();
                }
                self.each_element(&view, false, |writer, at| {
                    let element = view.element(at).text;
                    writer
                        .lines
                        .line(format_args!("{element} = {};", code.text));
                    Ok(())
                })
            }
            Step::Copy { to, from } => {
                if self.checked() {
                    self.conform(arrays, *to, *from)?;
                }
                let (to, from) = (self.view_of(arrays, *to)?, self.view_of(arrays, *from)?);
                self.copy(&to, &from)
            }
            Step::Reduce { op, name, of } => {
                self.must_be_array(arrays, *of);
                self.stop();
                let of = self.view_of(arrays, *of)?;
                self.fold(*op, *name, &of, |_, at| Ok(of.element(at)))
            }
            Step::Partials { op, array, of } => {
                self.must_be_array(arrays, *of);
                self.stop();
                let (to, of) = (self.view_of(arrays, *array)?, self.view_of(arrays, *of)?);
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
                let code = match (self.checked(), lenient) {
                    (true, false) => self.decided(condition)?,
                    (true, true) => self.lenient(condition, *sense)?,
                    (false, _) => self.scalar(condition)?,
                };
                let code = if *sense || self.checked() && *lenient {
                    code
                } else {
                    self.negated(code)?
                };
                self.lines.open(format_args!("if ({})", code.text));
                self.steps(taken, arrays)?;
                if !untaken.is_empty() {
                    self.lines.reopen("} else {");
                    for array in untaken {
                        self.untaken(arrays, *array)?;
                    }
                }
                self.lines.close();
                Ok(())
            }
            Step::Decide {
                undecided,
                parts,
                decided,
            } => self.decide(*undecided, parts, decided, arrays),
            Step::Try {
                attempt,
                well,
                failed,
            } if self.checked() => {
                self.attempt(|writer| writer.steps(attempt, arrays))?;
                let check = self.checks.variable.clone();
                self.lines.open(format_args!("if (!{check}.at)"));
                self.steps(well, arrays)?;
                self.lines.reopen("} else {");
                self.lines.line(format_args!("{check}.at = 0;"));
                self.steps(failed, arrays)?;
                self.lines.close();
                Ok(())
            }
            // Nothing is checked, so nothing goes wrong.
            Step::Try {
                attempt,
                well,
                failed: _,
            } => {
                self.steps(attempt, arrays)?;
                self.steps(well, arrays)
            }
            Step::Loop(nest) => self.nest(nest, arrays),
        }
    }

    /// Notes if an array of a form is a variable that is not there.
    fn must_be_array(&mut self, arrays: &Arrays<'_>, array: ArrayId) {
        if let (true, Some(v)) = (self.checked(), arrays.form.arrays[array.index()].variable) {
            self.must_exist(v);
        }
    }

    /// The pointer of an array of a form that is a parameter which may not be given.
    fn given_only(&self, array: ArrayId, arrays: &Arrays<'_>) -> Option<String> {
        let v = arrays.form.arrays[array.index()].variable?;
        let missing = self.checked() && self.missing(v) == Some(super::faults::ABSENT);
        match &self.variables.all[v.index()].kind {
            Kind::Array(array) if missing => Some(array.pointer.clone()),
            Kind::Array(_) | Kind::Value(_) | Kind::Pointer(_) | Kind::Tape(_) => None,
        }
    }

    /// Two arrays must be there and have the same extents, unless the second is not taken.
    fn conform(&mut self, arrays: &mut Arrays<'_>, a: ArrayId, b: ArrayId) -> Emitted<()> {
        let (to, from) = (self.view_of(arrays, a)?, self.view_of(arrays, b)?);
        let taken = arrays.variable.contains(&b);
        if taken {
            self.lines.open(format_args!("if ({})", from.pointer));
        }
        self.must_be_array(arrays, a);
        self.must_be_array(arrays, b);
        self.must_conform(&to, &from);
        self.stop();
        if taken {
            self.lines.close();
        }
        Ok(())
    }

    fn decide(
        &mut self,
        undecided: bool,
        parts: &[Part],
        decided: &[Step],
        arrays: &mut Arrays<'_>,
    ) -> Emitted<()> {
        let open = self.helper("undecided", ScalarType::Logical);
        self.lines.line(format_args!("{open} = true;"));
        for Part { test, steps } in parts {
            if let Some(e) = test {
                self.lines.open(format_args!("if ({open})"));
                let code = if self.checked() {
                    self.lenient(e, undecided)?
                } else {
                    self.scalar(e)?
                };
                let code = if undecided || self.checked() {
                    code
                } else {
                    self.apply(Op::Not, vec![code])?
                };
                self.lines.line(format_args!("{open} = {};", code.text));
                self.lines.close();
            }
            if !steps.is_empty() {
                self.lines.open(format_args!("if ({open})"));
                self.steps(steps, arrays)?;
                self.lines.close();
            }
        }
        if !decided.is_empty() {
            self.lines.open(format_args!("if (!{open})"));
            self.steps(decided, arrays)?;
            self.lines.close();
        }
        Ok(())
    }

    fn untaken(&mut self, arrays: &mut Arrays<'_>, array: ArrayId) -> Emitted<()> {
        let view = self.view_of(arrays, array)?;
        self.lines.line(format_args!("{} = NULL;", view.pointer));
        for (extent, _) in &view.axes {
            self.lines.line(format_args!("{} = 1;", extent.code().text));
        }
        Ok(())
    }

    /// The shape of the first array that is taken.
    fn shape_of(
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
            certain = !arrays.variable.contains(&candidate);
            if !certain {
                self.lines.open(format_args!("if ({})", view.pointer));
            }
            for ((extent, _), (e, _)) in to.axes.iter().zip(&view.axes) {
                self.lines
                    .line(format_args!("{} = {};", extent.code().text, e.code().text));
            }
            if certain {
                break;
            }
            self.lines.reopen("} else {");
            opened += 1;
        }
        if !certain {
            for (extent, _) in &to.axes {
                self.lines.line(format_args!("{} = 1;", extent.code().text));
            }
        }
        (0..opened).for_each(|_| self.lines.close());
        Ok(())
    }

    /// A new array for values in between.
    fn temporary(
        &mut self,
        arrays: &mut Arrays<'_>,
        array: ArrayId,
        extents: Vec<Amount>,
    ) -> Emitted<()> {
        let it = arrays.form.arrays[array.index()];
        let extents = if arrays.reallocates {
            let kept = extents.into_iter().map(|n| self.kept_amount("extent", n));
            kept.collect()
        } else {
            extents
        };
        let view = self.work_array("w", it.ty, it.order, extents)?;
        self.set_view(arrays, array, view)
    }

    /// An array in the memory for work arrays.
    pub(super) fn work_array(
        &mut self,
        name: &str,
        ty: ScalarType,
        order: Order,
        extents: Vec<Amount>,
    ) -> Emitted<View> {
        let memory = self.work();
        self.declared += 1;
        let name = self.fresh(name);
        let steps = strides(&extents, order);
        let mut view = View {
            pointer: name.clone(),
            offset: 0.into(),
            axes: Vec::new(),
            order,
            ty,
            dense: true,
        };
        let count = self.count_of(&extents);
        view.axes = extents.into_iter().zip(steps).collect();
        let size = if self.checked() { count } else { view.size() };
        let size = size.code().text;
        self.lines.line(format_args!(
            "{} *const {name} = cfgrev_allocate(&{memory}->work, {size}, sizeof *{name});",
            c_type(ty)
        ));
        let leave = self.out_of_memory();
        self.lines.line(format_args!("if (!{name})"));
        self.lines.line(format_args!("    {leave}"));
        Ok(view)
    }

    /// An allocatable array gets a shape, and memory where what it has does not do.
    fn reallocate(&mut self, arrays: &Arrays<'_>, array: ArrayId, like: &View) -> Emitted<()> {
        let Some(v) = arrays.form.arrays[array.index()].variable else {
            return Err(self.malformed("a temporary gets a shape"));
        };
        let it = self.array_kind(v)?;
        let (Some(room), ty) = (&it.room, self.variables.all[v.index()].ty) else {
            return Err(self.malformed("an array that has a shape gets another one"));
        };
        let memory = self.work();
        self.allocates = true;
        let mut extents = Vec::new();
        for (axis, (extent, _)) in it.axes.iter().zip(&like.axes) {
            let Bound::Kept(k) = axis.extent else {
                return Err(self.malformed("an array that has a shape gets another one"));
            };
            let kept = &mut self.variables.bounds[k];
            kept.used = true;
            let name = kept.name.clone();
            // The other array may be this one with its dimensions in another order.
            let extent = if it.axes.len() > 1 && !like.dense {
                &self.kept_amount("extent", extent.clone())
            } else {
                extent
            };
            extents.push((name, at_least_zero(extent).code().text));
        }
        for (name, extent) in &extents {
            if name != extent {
                self.lines.line(format_args!("{name} = {extent};"));
            }
        }
        let names: Vec<&str> = extents.iter().map(|(name, _)| name.as_str()).collect();
        let (size, pointer) = (names.join("*"), &it.pointer);
        self.lines
            .open(format_args!("if (!{pointer} || {room} < {size})"));
        self.lines.line(format_args!(
            "{room} = {size} > 2*{room} ? {size} : 2*{room};"
        ));
        self.lines.line(format_args!(
            "{pointer} = cfgrev_allocate(&{memory}->arrays, {room}, sizeof({}));",
            c_type(ty)
        ));
        let leave = self.out_of_memory();
        self.lines.line(format_args!("if (!{pointer})"));
        self.lines.line(format_args!("    {leave}"));
        self.lines.close();
        Ok(())
    }

    // --- loops over elements -----------------------------------------------------------------

    /// Loops over all elements of the shape of an array, in storage order or from the end.
    pub(super) fn each_element(
        &mut self,
        over: &View,
        backwards: bool,
        body: impl FnOnce(&mut Self, &[Amount]) -> Emitted<()>,
    ) -> Emitted<()> {
        let rank = over.axes.len();
        let mut at = vec![Amount::from(0); rank];
        let mut axes: Vec<usize> = (0..rank).collect();
        if over.order == Order::Column {
            axes.reverse();
        }
        for (depth, &axis) in axes.iter().enumerate() {
            let k = self.loop_name(depth);
            let extent = over.axes[axis].0.code();
            let bound = extent.at_least(SUM);
            if backwards {
                self.lines.open(format_args!(
                    "for (int64_t {k} = {}; {k} >= 0; --{k})",
                    over.axes[axis].0.minus(1).code().text
                ));
            } else {
                self.lines
                    .open(format_args!("for (int64_t {k} = 0; {k} < {bound}; ++{k})"));
            }
            at[axis] = Code::new(k, POSTFIX, ScalarType::Integer).into();
        }
        body(self, &at)?;
        (0..rank).for_each(|_| self.lines.close());
        Ok(())
    }

    /// The elements of an array become those of another one.
    pub(super) fn copy(&mut self, to: &View, from: &View) -> Emitted<()> {
        self.each_element(to, false, |writer, at| {
            let (to, from) = (to.element(at).text, from.element(at).text);
            if to != from {
                writer.lines.line(format_args!("{to} = {from};"));
            }
            Ok(())
        })
    }

    fn nest(&mut self, nest: &Loop, arrays: &mut Arrays<'_>) -> Emitted<()> {
        let over = self.view_of(arrays, nest.over)?;
        let mut elements = Vec::with_capacity(nest.elements.len());
        for element in &nest.elements {
            elements.push((element.name, self.view_of(arrays, element.array)?));
        }
        // Over an argument that is not given nothing is done.
        let given = self.given_only(nest.over, arrays);
        if let Some(pointer) = &given {
            self.lines.open(format_args!("if ({pointer})"));
        }
        let lanes = |writer: &mut Self, at: &[Amount]| -> Emitted<()> {
            for (name, view) in &elements {
                writer.set_lane(*name, view.element(at))?;
            }
            Ok(())
        };
        match &nest.action {
            Action::Store(value) => self.each_element(&over, false, |writer, at| {
                lanes(writer, at)?;
                let code = writer.scalar(value)?;
                let code = operators::convert(code, over.ty, writer.pieces);
                let element = over.element(at).text;
                writer.assign_text(&element, &code);
                writer.stop();
                Ok(())
            }),
            Action::Fold { op, name, value } => {
                let start = given.is_some().then_some(*op);
                self.fold(*op, *name, &over, |writer, at| {
                    lanes(writer, at)?;
                    writer.scalar(value)
                })?;
                if let Some(op) = start {
                    self.lines.reopen("} else {");
                    self.start_of_fold(op, *name)?;
                }
                Ok(())
            }
        }?;
        if given.is_some() {
            self.lines.close();
        }
        Ok(())
    }

    /// A reduction has its value for no elements.
    fn start_of_fold(&mut self, op: Op, name: VarId) -> Emitted<()> {
        if let Some(Ok(result)) = self.lane(name)
            && let Some((_, first)) = operators::reduction(op, result.ty)
        {
            self.lines
                .line(format_args!("{} = {};", result.text, first.text));
        }
        Ok(())
    }

    /// `element = value;`, or `element += ...;` where the code shows it.
    pub(super) fn assign_text(&mut self, element: &str, code: &Code) {
        let rest = code.text.strip_prefix(element);
        let operator = rest.and_then(|rest| rest.strip_prefix(" + "));
        if let Some(operand) = operator
            && code.precedence == SUM
            && !has_sum(operand)
        {
            self.lines.line(format_args!("{element} += {operand};"));
        } else if element != code.text {
            self.lines.line(format_args!("{element} = {};", code.text));
        }
    }

    /// A reduction: the result begins with its value for no elements.
    fn fold(
        &mut self,
        op: Op,
        name: VarId,
        over: &View,
        value: impl FnOnce(&mut Self, &[Amount]) -> Emitted<Code>,
    ) -> Emitted<()> {
        let result = match self.lane(name) {
            Some(Ok(code)) => code,
            _ => {
                let made = self.helper(op.name(), over.ty);
                Code::new(made, POSTFIX, over.ty)
            }
        };
        self.set_lane(name, result.clone())?;
        let Some((step, first)) = operators::reduction(op, result.ty) else {
            return Err(self.malformed("an operator reduces nothing"));
        };
        self.lines
            .line(format_args!("{} = {};", result.text, first.text));
        let summed = matches!(step, Op::Add | Op::Mul) && result.ty == ScalarType::Integer;
        self.each_element(over, false, |writer, at| {
            let x = value(writer, at)?;
            let x = operators::convert(x, result.ty, writer.pieces);
            if writer.checked() {
                let code = writer.folded(step, result.clone(), x, summed)?;
                writer
                    .lines
                    .line(format_args!("{} = {};", result.text, code.text));
                writer.stop();
                return Ok(());
            }
            let line = if step == Op::Add {
                format!("{} += {};", result.text, x.text)
            } else if step == Op::Mul {
                format!("{} *= {};", result.text, x.text)
            } else {
                let code = writer.apply(step, vec![result.clone(), x])?;
                format!("{} = {};", result.text, code.text)
            };
            writer.lines.line(line);
            Ok(())
        })?;
        if summed && self.checked() {
            self.stop_late(&[super::faults::OVERFLOW]);
        }
        Ok(())
    }

    /// For each element the product of all others: of all before it, times that of all behind.
    fn product_partials(&mut self, to: &View, of: &View) -> Emitted<()> {
        let one = one(of.ty);
        let product = self.helper("product", of.ty);
        for backwards in [false, true] {
            self.lines.line(format_args!("{product} = {one};"));
            self.each_element(to, backwards, |writer, at| {
                let sign = if backwards { "*=" } else { "=" };
                if writer.checked() {
                    let (to, of) = (to.element(at), of.element(at));
                    let so_far = Code::new(product.clone(), POSTFIX, of.ty);
                    let mut here = so_far.clone();
                    if backwards {
                        here = writer.apply(Op::Mul, vec![to.clone(), here])?;
                    }
                    let next = writer.apply(Op::Mul, vec![so_far, of])?;
                    writer
                        .lines
                        .line(format_args!("{} = {};", to.text, here.text));
                    writer
                        .lines
                        .line(format_args!("{product} = {};", next.text));
                    return Ok(());
                }
                let (to, of) = (to.element(at).text, of.element(at).text);
                writer.lines.line(format_args!("{to} {sign} {product};"));
                writer.lines.line(format_args!("{product} *= {of};"));
                Ok(())
            })?;
        }
        Ok(())
    }

    /// 1 at the first largest or smallest element, or at the first that is no number, 0 elsewhere.
    fn extreme_partials(&mut self, op: Op, to: &View, of: &View) -> Emitted<()> {
        let [best, at_best, count] = [
            ("best", of.ty),
            ("best_at", ScalarType::Integer),
            ("count", ScalarType::Integer),
        ]
        .map(|(name, ty)| self.helper(name, ty));
        self.lines.line(format_args!("{at_best} = -1;"));
        self.lines.line(format_args!("{count} = 0;"));
        let sign = if op == Op::MaxValPartial { '>' } else { '<' };
        self.each_element(to, false, |writer, at| {
            let x = of.element(at).text;
            let mut number = if of.ty.is_real() {
                format!(" || ({x} != {x} && {best} == {best})")
            } else {
                String::new()
            };
            let unset = checked::is_unset(of.ty, &x);
            if writer.checked() {
                let best = checked::is_unset(of.ty, &best);
                number += &format!(" || ({unset} && !({best}))");
            }
            writer.lines.open(format_args!(
                "if ({at_best} < 0 || {x} {sign} {best}{number})"
            ));
            writer.lines.line(format_args!("{best} = {x};"));
            writer.lines.line(format_args!("{at_best} = {count};"));
            writer.lines.close();
            writer.lines.line(format_args!("++{count};"));
            Ok(())
        })?;
        self.lines.line(format_args!("{count} = 0;"));
        let (one, zero) = (one(of.ty), zero(of.ty));
        self.each_element(to, false, |writer, at| {
            let to = to.element(at).text;
            let unset = if writer.checked() {
                format!(
                    "{} ? {} : ",
                    checked::is_unset(of.ty, &best),
                    checked::unset(of.ty)
                )
            } else {
                String::new()
            };
            writer.lines.line(format_args!(
                "{to} = {unset}{count} == {at_best} ? {one} : {zero};"
            ));
            writer.lines.line(format_args!("++{count};"));
            Ok(())
        })
    }
}

fn one(ty: ScalarType) -> String {
    match ty {
        ScalarType::Integer => literal_integer(1),
        ScalarType::Real32 => literal_real32(1.0),
        ScalarType::Real | ScalarType::Logical | ScalarType::Tape => literal_real(1.0),
    }
    .text
}

/// True if a text has a sum outside of parentheses, so that it cannot be added as a whole.
pub(super) fn has_sum(text: &str) -> bool {
    let mut depth = 0_i32;
    let mut last = ' ';
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            '+' | '-' if depth == 0 && last == ' ' && text[at + 1..].starts_with(' ') => {
                return true;
            }
            _ => {}
        }
        last = c;
    }
    false
}

/// True if a section's elements follow each other: all dimensions that vary faster than the slowest range are whole, and
/// all ranges have stride 1.
pub(super) fn is_dense(order: Order, rank: usize, ranges: &[(usize, bool, bool)]) -> bool {
    if ranges.iter().any(|(_, _, unit)| !unit) {
        return false;
    }
    // Ranges must be the fastest dimensions, and all but the slowest of them whole.
    let fastest = |k: usize| match order {
        Order::Row => rank - 1 - k,
        Order::Column => k,
    };
    let mut places: Vec<(usize, bool)> = ranges
        .iter()
        .map(|(k, whole, _)| (fastest(*k), *whole))
        .collect();
    places.sort_unstable();
    let count = places.len();
    places
        .iter()
        .enumerate()
        .all(|(at, (k, whole))| at == *k && (*whole || at + 1 == count))
}

fn needs_work(steps: &[Step]) -> bool {
    let mut found = false;
    each_step(steps, &mut |step| {
        found |= matches!(step, Step::Temporary { .. } | Step::Shaped { .. });
    });
    found
}

/// Calls `visit` for every step, nested ones too.
fn each_step<'s>(steps: &'s [Step], visit: &mut impl FnMut(&'s Step)) {
    let mut open: Vec<&[Step]> = vec![steps];
    while let Some(steps) = open.pop() {
        for step in steps {
            visit(step);
            match step {
                Step::Choose { taken, .. } => open.push(taken),
                Step::Decide { parts, decided, .. } => {
                    open.extend(parts.iter().map(|part| &part.steps[..]));
                    open.push(decided);
                }
                Step::Try {
                    attempt,
                    well,
                    failed,
                } => open.extend([&attempt[..], well, failed]),
                Step::Let { .. }
                | Step::Section { .. }
                | Step::Transpose { .. }
                | Step::Alias { .. }
                | Step::Same { .. }
                | Step::Untaken { .. }
                | Step::ShapeOf { .. }
                | Step::Conform { .. }
                | Step::Temporary { .. }
                | Step::Shaped { .. }
                | Step::Reallocate { .. }
                | Step::Fill { .. }
                | Step::Copy { .. }
                | Step::Reduce { .. }
                | Step::Partials { .. }
                | Step::Loop(_) => {}
            }
        }
    }
}
