//! Calls: formals bound to actuals by reference, storage of locals, results.

use super::storage::View;
use super::value::Data;
use super::{Actual, Derivative, FaultKind, Frame, Machine, Step, Value};
use cfg_core::entity::{RoutineId, VarId};
use cfg_core::ir::{Expr, Extent, External, Intent, Order, Role, Routine, ScalarType, Variable};
use std::collections::BTreeMap;

impl<D: Derivative> Machine<'_, D> {
    /// Starts a call: binds the parameters, then makes the locals. At return, cells from `mark` on are
    /// released.
    pub(super) fn enter(
        &mut self,
        id: RoutineId,
        actuals: Vec<Actual>,
        result_to: Option<(View, bool)>,
        mark: usize,
    ) -> Step<()> {
        if self.frames.len() >= self.limits.depth {
            return Err(FaultKind::Depth);
        }
        let routine = self.program.routine(id);
        let mut views = vec![View::default(); routine.variables.len()];
        for (k, variable) in routine.variables.iter().enumerate() {
            if let Role::Global(g) = variable.role {
                views[k] = self.globals[g.index()].clone();
            }
        }
        // Scalars first: shapes are expressions over them.
        for (p, actual) in routine.parameter_ids().zip(&actuals) {
            if let Actual::View(view) = actual
                && routine.variable(p).shape.is_empty()
            {
                // The last dimension of a record, its cells, stays.
                let kept = view.dims.len() - usize::from(view.record.is_some());
                views[p.index()] = View {
                    dims: view.dims[kept..].to_vec(),
                    ..view.clone()
                };
                self.forget_out(routine.variable(p), &views[p.index()]);
            }
        }
        for (p, actual) in routine.parameter_ids().zip(&actuals) {
            let variable = routine.variable(p);
            let shape = &variable.shape;
            let column = variable.order == Order::Column;
            let deferred = shape.iter().any(|d| d.extent == Extent::Deferred);
            views[p.index()] = match actual {
                Actual::Absent => View::default(),
                Actual::View(_) if shape.is_empty() => continue,
                Actual::View(view) if deferred => {
                    if view.dims.len() != shape.len() + usize::from(view.record.is_some()) {
                        return Err(FaultKind::Shape);
                    }
                    let mut view = view.clone();
                    for (span, dim) in view.dims.iter_mut().zip(shape) {
                        span.lower = self.scope(&views).integer(&dim.lower, false)?;
                    }
                    view
                }
                Actual::View(view) => self.formal(variable, view, &views)?,
                Actual::Own => {
                    let bounds = self.bounds_of(variable, &views)?;
                    let mut view = View::dense(0, &bounds, column).with_type(variable.ty);
                    view.base =
                        (self.cells).allocate(view.len(), self.limits.cells, variable.ty)?;
                    if variable.ty == ScalarType::Tape {
                        self.new_tape(view.base);
                    }
                    view
                }
            };
            if matches!(actual, Actual::View(_)) {
                self.forget_out(variable, &views[p.index()]);
            }
        }
        for (k, variable) in routine.variables.iter().enumerate() {
            if variable.role != Role::Local {
                continue;
            }
            if variable.shape.iter().any(|d| d.extent == Extent::Deferred) {
                let lowers = variable.shape.iter().map(|dim| {
                    let lower = self.scope(&views).integer(&dim.lower, false)?;
                    Ok((lower, 0))
                });
                let bounds = lowers.collect::<Step<Vec<_>>>()?;
                views[k] = View::dense(0, &bounds, variable.order == Order::Column);
                views[k].allocated = false;
                continue;
            }
            let bounds = self.bounds_of(variable, &views)?;
            let column = variable.order == Order::Column;
            let mut view = View::dense(0, &bounds, column).with_type(variable.ty);
            view.base = (self.cells).allocate(view.len(), self.limits.cells, variable.ty)?;
            if variable.ty == ScalarType::Tape {
                self.new_tape(view.base);
            }
            views[k] = view;
        }
        let at = routine
            .body
            .as_ref()
            .and_then(|body| body.entry())
            .ok_or(FaultKind::Graph)?;
        let activation = self.cells.begin_call(id);
        self.frames.push(Frame {
            activation,
            routine: id,
            views,
            at,
            statement: 0,
            counted: BTreeMap::new(),
            from: None,
            mark,
            result_to,
        });
        self.seen.depth = self.seen.depth.max(self.frames.len());
        Ok(())
    }

    /// Makes the cells of an argument undefined if the parameter is `out`.
    fn forget_out(&mut self, formal: &Variable, view: &View) {
        if formal.intent() == Some(Intent::Out) && formal.ty != ScalarType::Tape {
            for cell in view.cells() {
                *self.cells.raw(cell) = Value::Undefined;
            }
        }
    }

    /// The storage that an actual argument names, or a temporary with its value.
    pub(super) fn actual(
        &mut self,
        frame: &Frame,
        callee: &Routine,
        formal: VarId,
        e: &Expr,
    ) -> Step<Actual> {
        let shape = &callee.variable(formal).shape;
        let explicit = !shape.is_empty() && !shape.iter().any(|d| d.extent == Extent::Deferred);
        let Expr::Place(place) = e else {
            let data = self.scope(&frame.views).eval(e)?;
            let bounds: Vec<(i64, i64)> = match &data {
                Data::Scalar(_) => Vec::new(),
                Data::Array { extents, .. } => extents.iter().map(|&n| (1, n as i64)).collect(),
            };
            let column = matches!(data, Data::Array { column: true, .. });
            let mut view = View::dense(0, &bounds, column);
            let ty = callee.variable(formal).ty;
            view.base = self.cells.allocate(view.len(), self.limits.cells, ty)?;
            for (k, value) in data.in_storage_order().into_iter().enumerate() {
                *self.cells.raw(view.base + k) = value;
            }
            return Ok(Actual::View(view));
        };
        let mut view = self.scope(&frame.views).view(place)?;
        let whole = &frame.views[place.var.index()];
        if !whole.allocated {
            return Ok(Actual::Absent);
        }
        if explicit {
            let mut cells = view.storage_cells();
            let all = whole.storage_cells();
            // An element stands for the cells from there to the end of its array, if that is dense.
            if place.is_element() && all.windows(2).all(|w| w[1] == w[0] + 1) {
                cells = (cells[0]..=all.last().copied().unwrap_or(cells[0])).collect();
            }
            view = View {
                list: Some(cells.as_slice().into()),
                ..View::dense(0, &[(1, cells.len() as i64)], false)
            };
        }
        Ok(Actual::View(view))
    }

    /// An array of explicit shape on the cells of an argument, which the caller has listed up to the end of its storage.
    fn formal(&mut self, variable: &Variable, argument: &View, views: &[View]) -> Step<View> {
        let bounds = self.bounds_of(variable, views)?;
        let column = variable.order == Order::Column;
        let formal = View {
            list: argument.list.clone(),
            ..View::dense(argument.base, &bounds, column).with_type(variable.ty)
        };
        if formal.len() > argument.len() {
            return Err(FaultKind::Shape);
        }
        Ok(formal)
    }

    /// An external function given by expressions: value and partials over its parameters.
    pub(super) fn external(
        &mut self,
        callee: &Routine,
        external: &External,
        actuals: &[Actual],
        result_to: Option<(View, bool)>,
    ) -> Step<()> {
        if let Some(witness) = &mut self.cells.witness {
            witness.end();
        }
        let mut views = vec![View::default(); callee.variables.len()];
        // Scalars first: shapes are expressions over them.
        let mut bound: Vec<(VarId, &Actual)> = callee.parameter_ids().zip(actuals).collect();
        bound.sort_by_key(|(p, _)| callee.variable(*p).rank());
        for (p, actual) in bound {
            let Actual::View(view) = actual else { continue };
            let variable = callee.variable(p);
            let explicit = (variable.shape.iter()).all(|d| d.extent != Extent::Deferred);
            views[p.index()] = match explicit && variable.rank() > 0 {
                true => self.formal(variable, view, &views)?,
                false => view.clone(),
            };
        }
        let value = external.value.as_ref().ok_or(FaultKind::Graph)?;
        let mut scope = self.scope(&views);
        let plain = |data: Data<D>| match data {
            Data::Scalar(Value::Real(x, _)) => Ok(x),
            Data::Scalar(_) | Data::Array { .. } => Err(FaultKind::Type),
        };
        let data = scope.eval(value)?;
        let value = match &external.partials {
            Some(given) => {
                let x = plain(data)?;
                let mut partials = Vec::new();
                for partial in given {
                    // A partial with respect to an array is an array, or one scalar for all elements.
                    let cells = views[partial.parameter.index()].cells();
                    let values = match scope.eval(&partial.value)? {
                        Data::Scalar(value) => vec![value; cells.len()],
                        Data::Array { elements, .. } => elements,
                    };
                    if values.len() != cells.len() {
                        return Err(FaultKind::Shape);
                    }
                    for (cell, value) in cells.into_iter().zip(values) {
                        let p = plain(Data::Scalar(value))?;
                        if let Value::Real(_, d) = scope.cells.raw(cell) {
                            partials.push((p, d.clone()));
                        }
                    }
                }
                let terms: Vec<(f64, &D)> = partials.iter().map(|(p, d)| (*p, d)).collect();
                Value::Real(x, D::combine(&terms).with_value(x))
            }
            // Without partials the derivatives computed with the value count.
            None => match data {
                Data::Scalar(value) => value,
                Data::Array { .. } => return Err(FaultKind::Type),
            },
        };
        if let Some((view, element)) = result_to {
            for cell in view.storage_cells() {
                self.put(cell, value.clone(), element);
            }
        }
        Ok(())
    }

    pub(super) fn leave(&mut self, routine: &Routine, frame: &Frame) -> Step<()> {
        let result = match (routine.result, &frame.result_to) {
            (Some(v), Some(to)) => {
                let mut from = frame.views[v.index()].storage_cells();
                let to_cells = to.0.storage_cells();
                if routine.variable(v).shape.is_empty() && !from.is_empty() {
                    // A scalar goes to all elements.
                    let times = to_cells.len() / from.len();
                    from = from.repeat(times);
                }
                if from.len() != to_cells.len() {
                    return Err(FaultKind::Shape);
                }
                let values: Vec<_> = from.iter().map(|&c| self.cells.raw(c).clone()).collect();
                Some((to_cells, values, to.1))
            }
            _ => None,
        };
        if let Some(witness) = &mut self.cells.witness {
            witness.leave(frame.routine, frame.activation, &frame.views);
        }
        self.cells.release(frame.mark);
        if let Some((cells, values, element)) = result {
            for (cell, value) in cells.into_iter().zip(values) {
                self.put(cell, value, element);
            }
        }
        Ok(())
    }
}
