//! A program together with everything that a test needs to run and to differentiate it.

use crate::interpret::{
    Argument, Derivative, Fault, Limits, Outcome, Report, Value, interpret, interpret_with_witness,
};
use cfg_core::entity::{GlobalId, RoutineId, VarId};
use cfg_core::ir::{
    Dim, Expr, Extent, IntType, Order, ParameterRole, Program, Role, Routine, ScalarType,
    Signature, Variable,
};
use serde_json::Value as Json;
use std::collections::BTreeMap;

/// The value of one variable: extents (none for a scalar) and elements in the variable's storage order.
#[derive(Clone, Debug, PartialEq)]
pub struct Datum {
    /// Number of elements along each dimension.
    pub extents: Vec<usize>,
    /// The elements.
    pub elements: Elements,
}

/// Elements of one type.
#[derive(Clone, Debug, PartialEq)]
pub enum Elements {
    /// 64-bit reals.
    Real(Vec<f64>),
    /// 32-bit reals.
    Real32(Vec<f32>),
    /// Integers.
    Integer(Vec<i64>),
    /// Integers of another width, as cells.
    Sized(IntType, Vec<i64>),
    /// Logicals.
    Logical(Vec<bool>),
}

/// An element of a variable of the main routine that outlives a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cell {
    /// Of a parameter or the result.
    Variable(VarId, usize),
    /// Of a global that owns its storage.
    Global(GlobalId, usize),
}

/// A program, its main routine, a point, and what to differentiate in which direction.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// The program.
    pub program: Program,
    /// The routine to run and to differentiate.
    pub main: RoutineId,
    /// Values of its `in` and `inout` parameters, but for optional ones that are absent, and of globals
    /// that do not start with their initial values.
    pub point: Vec<(VarId, Datum)>,
    /// A tangent direction: for each independent the elements in storage order.
    pub direction: Vec<(VarId, Vec<f64>)>,
    /// Adjoint seeds: for each dependent the elements in storage order.
    pub seed: Vec<(VarId, Vec<f64>)>,
}

impl Datum {
    /// Number of elements.
    pub fn len(&self) -> usize {
        match &self.elements {
            Elements::Real(x) => x.len(),
            Elements::Real32(x) => x.len(),
            Elements::Integer(x) | Elements::Sized(_, x) => x.len(),
            Elements::Logical(x) => x.len(),
        }
    }

    /// True if there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The value as in a POINT file: nested arrays with the first subscript outermost.
    pub fn to_json(&self, order: Order) -> Json {
        let scalar = |i: usize| match &self.elements {
            Elements::Real(x) => json_real(x[i]),
            Elements::Real32(x) => json_real(f64::from(x[i])),
            Elements::Integer(x) => Json::from(x[i]),
            Elements::Sized(IntType::Uint64, x) => Json::from(x[i] as u64),
            Elements::Sized(_, x) => Json::from(x[i]),
            Elements::Logical(x) => Json::from(x[i]),
        };
        nested(&self.extents, order, &scalar)
    }

    /// An element as a constant.
    fn constant(&self, i: usize) -> Expr {
        match &self.elements {
            Elements::Real(x) => Expr::Real(x[i]),
            Elements::Real32(x) => Expr::Real32(x[i]),
            Elements::Integer(x) => Expr::Int(x[i]),
            Elements::Sized(ty, x) => {
                Expr::sized(*ty, ty.value(x[i])).expect("the type has its values")
            }
            Elements::Logical(x) => Expr::Logical(x[i]),
        }
    }

    /// The value as an argument of the interpreter; real elements get the derivatives that `attach` returns.
    pub fn argument<D: Derivative>(&self, mut attach: impl FnMut(usize) -> D) -> Argument<D> {
        let elements = match &self.elements {
            Elements::Real(x) => (x.iter().enumerate())
                .map(|(i, &v)| Value::Real(v, attach(i)))
                .collect(),
            Elements::Real32(x) => (x.iter().enumerate())
                .map(|(i, &v)| Value::Real32(v, attach(i)))
                .collect(),
            Elements::Integer(x) => x.iter().map(|&v| Value::Integer(v)).collect(),
            Elements::Sized(ty, x) => {
                let value = |&v| Value::Sized(*ty, ty.value(v));
                x.iter().map(value).collect()
            }
            Elements::Logical(x) => x.iter().map(|&v| Value::Logical(v)).collect(),
        };
        Argument {
            extents: self.extents.clone(),
            elements,
        }
    }
}

/// Nested arrays of the elements, first subscript outermost, from positions in storage order.
pub fn nested(extents: &[usize], order: Order, scalar: &impl Fn(usize) -> Json) -> Json {
    fn level(
        extents: &[usize],
        strides: &[usize],
        base: usize,
        scalar: &impl Fn(usize) -> Json,
    ) -> Json {
        match extents {
            [] => scalar(base),
            [n, inner @ ..] => (0..*n)
                .map(|k| level(inner, &strides[1..], base + k * strides[0], scalar))
                .collect(),
        }
    }
    let mut strides = vec![1; extents.len()];
    match order {
        Order::Column => {
            for d in 1..extents.len() {
                strides[d] = strides[d - 1] * extents[d - 1];
            }
        }
        Order::Row => {
            for d in (1..extents.len()).rev() {
                strides[d - 1] = strides[d] * extents[d];
            }
        }
    }
    level(extents, &strides, 0, scalar)
}

fn json_real(x: f64) -> Json {
    serde_json::Number::from_f64(x).map_or_else(|| Json::from(x.to_string()), Json::Number)
}

impl Case {
    /// The main routine.
    pub fn routine(&self) -> &Routine {
        self.program.routine(self.main)
    }

    /// The point as a POINT object.
    pub fn point_json(&self) -> Json {
        let named = self.point.iter().map(|(v, datum)| {
            let variable = self.routine().variable(*v);
            (variable.name.clone(), datum.to_json(variable.order))
        });
        Json::Object(named.collect())
    }

    /// The point as the text of a POINT file: one line per parameter.
    pub fn point_text(&self) -> String {
        let lines: Vec<String> = (self.point.iter())
            .map(|(v, datum)| {
                let variable = self.routine().variable(*v);
                format!(
                    " {}: {}",
                    Json::from(variable.name.as_str()),
                    datum.to_json(variable.order)
                )
            })
            .collect();
        format!("{{\n{}\n}}\n", lines.join(",\n"))
    }

    /// The point as `fixtures/c/driver.c` reads it: parameters in order, then the result of a function.
    pub fn driver_text(&self) -> String {
        let routine = self.routine();
        let mut text = String::new();
        let join = |items: Vec<String>| items.join(" ");
        for p in routine.parameter_ids() {
            let line = match self.value(p).map(|d| &d.elements) {
                Some(Elements::Real(x)) => {
                    let values = x.iter().map(|v| format!("{v:?}")).collect();
                    format!("r {} {}", x.len(), join(values))
                }
                Some(Elements::Integer(x)) => {
                    let values = x.iter().map(i64::to_string).collect();
                    format!("i {} {}", x.len(), join(values))
                }
                // The C kernels have neither other types nor `out` arrays.
                Some(Elements::Real32(_) | Elements::Sized(..) | Elements::Logical(_)) | None => {
                    "o 1".to_owned()
                }
            };
            text.push_str(&line);
            text.push('\n');
        }
        if routine.result.is_some() {
            text.push_str("o 1\n");
        }
        text
    }

    /// The value of a parameter at the point.
    pub fn value(&self, v: VarId) -> Option<&Datum> {
        self.point.iter().find(|(w, _)| *w == v).map(|(_, d)| d)
    }

    /// The elements of a parameter, global or result, as cells: two names of one storage have the same.
    pub fn cells(&self, v: VarId) -> Vec<Cell> {
        let routine = self.routine();
        let variable = routine.variable(v);
        match variable.role {
            Role::Global(g) => {
                let global = self.program.global(g);
                let (base, offset) = match global.overlay {
                    Some(o) => (o.base, usize::try_from(o.offset).unwrap_or(0)),
                    None => (g, 0),
                };
                (0..constant_len(&global.variable))
                    .map(|k| Cell::Global(base, offset + k))
                    .collect()
            }
            Role::Parameter { .. } | Role::Local => {
                let given = self.value(v).map(Datum::len);
                let weights = [&self.seed, &self.direction].map(|list| {
                    let found = list.iter().find(|(w, _)| *w == v);
                    found.map(|(_, weights)| weights.len())
                });
                let n = given.or(weights[0]).or(weights[1]).unwrap_or(0);
                (0..n).map(|k| Cell::Variable(v, k)).collect()
            }
        }
    }

    /// Number of elements of a variable along each dimension.
    pub fn extents(&self, v: VarId) -> Vec<usize> {
        let variable = self.routine().variable(v);
        if let Some(datum) = self.value(v) {
            return datum.extents.clone();
        }
        let constant = |d: &Dim| matches!(d.extent, Extent::Fixed(Expr::Int(_)));
        if variable.shape.iter().all(constant) {
            return constant_extents(variable);
        }
        // An `out` parameter with variable extents: with rank 1 the number of cells is the extent.
        let n = self.cells(v).len();
        match variable.rank() {
            0 => vec![],
            _ => vec![n],
        }
    }

    /// The elements of all globals that own storage, at the start of a run, from the point. Records are left out: the
    /// interpreter has their initial values itself.
    fn globals(&self) -> BTreeMap<GlobalId, Vec<Option<Expr>>> {
        let mut all = BTreeMap::new();
        for (k, global) in self.program.globals.iter().enumerate() {
            if global.overlay.is_none() && global.variable.ty.record().is_none() {
                let n = constant_len(&global.variable);
                let first = |i: usize| {
                    let initial = global.initial.as_ref()?;
                    initial.get(i).or(initial.first()).cloned()
                };
                all.insert(GlobalId::new(k), (0..n).map(first).collect());
            }
        }
        let overlays = self.program.globals.iter().filter_map(|g| {
            let (overlay, initial) = (g.overlay?, g.initial.as_ref()?);
            Some((overlay, constant_len(&g.variable), initial))
        });
        for (o, n, initial) in overlays {
            let cells = all.entry(o.base).or_insert_with(Vec::new);
            for k in 0..n {
                let value = initial.get(k).or(initial.first());
                if let Some(cell) = cells.get_mut(usize::try_from(o.offset).unwrap_or(0) + k) {
                    *cell = value.cloned();
                }
            }
        }
        for (v, datum) in &self.point {
            if !matches!(self.routine().variable(*v).role, Role::Global(_)) {
                continue;
            }
            for (k, cell) in self.cells(*v).into_iter().enumerate() {
                let Cell::Global(g, i) = cell else { continue };
                if let Some(slot) = all.get_mut(&g).and_then(|cells| cells.get_mut(i)) {
                    *slot = Some(datum.constant(k));
                }
            }
        }
        all
    }

    /// Runs the program naively.
    ///
    /// # Errors
    /// The first fault.
    pub fn run(&self, limits: Limits) -> Result<Outcome<()>, Fault> {
        self.run_with(limits, |_| ())
    }

    /// Runs with derivatives: `attach` gives that of each cell of the parameters and globals.
    ///
    /// # Errors
    /// The first fault.
    pub fn run_with<D: Derivative>(
        &self,
        limits: Limits,
        mut attach: impl FnMut(Cell) -> D,
    ) -> Result<Outcome<D>, Fault> {
        let arguments: Vec<_> = self
            .routine()
            .parameter_ids()
            .map(|p| {
                let datum = self.value(p)?;
                Some(datum.argument(|i| attach(Cell::Variable(p, i))))
            })
            .collect();
        let globals = self.global_arguments(&mut attach);
        interpret(&self.program, self.main, &arguments, &globals, limits)
    }

    /// The globals at the point as arguments of the interpreter.
    fn global_arguments<D: Derivative>(
        &self,
        mut attach: impl FnMut(Cell) -> D,
    ) -> BTreeMap<usize, Argument<D>> {
        let globals = self.globals();
        let globals = globals.iter().map(|(&g, cells)| {
            let value = |(i, e): (usize, &Option<Expr>)| match e {
                Some(Expr::Real(x)) => Value::Real(*x, attach(Cell::Global(g, i))),
                Some(Expr::Real32(x)) => Value::Real32(*x, attach(Cell::Global(g, i))),
                Some(Expr::Int(n)) => Value::Integer(*n),
                Some(Expr::Logical(b)) => Value::Logical(*b),
                Some(Expr::Null(ty)) => Value::Pointer(*ty, None),
                Some(e @ Expr::Op(..)) => match e.sized_constant() {
                    Some((ty, cell)) => Value::Sized(ty, ty.value(cell)),
                    None => Value::Undefined,
                },
                Some(Expr::Addr(_) | Expr::Place(_)) | None => Value::Undefined,
            };
            let elements: Vec<_> = cells.iter().enumerate().map(value).collect();
            let extents = vec![elements.len()];
            (g.index(), Argument { extents, elements })
        });
        globals.collect()
    }

    /// Runs the gradient of the main routine with a witness: each value that its reverse sweeps read is compared with
    /// the value that was there in the forward sweeps, and what these assign with a plain run. `sweeps` has the
    /// originals, each with its forward and its reverse sweep.
    ///
    /// # Errors
    /// The first fault.
    pub fn witness(
        &self,
        program: &Program,
        gradient: RoutineId,
        sweeps: &[(RoutineId, RoutineId, RoutineId)],
        limits: Limits,
    ) -> Result<(Outcome<()>, Report), Fault> {
        let signature = Signature::made_from(program, Some(self.main), gradient);
        let arguments = signature.parameters.iter().map(|role| match role {
            ParameterRole::Primal(v) => Some(self.value(*v)?.argument(|_| ())),
            ParameterRole::Adjoint(v) => self.adjoint(*v),
            ParameterRole::Tangent(_) | ParameterRole::Tape | ParameterRole::Own(_) => None,
        });
        let arguments: Vec<_> = arguments.collect();
        let globals = self.global_arguments(|_| ());
        let plain = self.routine().parameter_ids();
        let plain: Vec<_> = plain
            .map(|p| Some(self.value(p)?.argument(|_| ())))
            .collect();
        let (plain, gradient) = ((self.main, &plain[..]), (gradient, &arguments[..]));
        interpret_with_witness(program, plain, gradient, sweeps, &globals, limits)
    }

    /// The adjoint of a parameter or the result at first: the seed of a dependent, else zero. `None`: the shape of the
    /// parameter is known in a run alone.
    fn adjoint(&self, v: VarId) -> Option<Argument<()>> {
        let extents = self.extents(v);
        if self.routine().variable(v).rank() > 0 && extents.iter().product::<usize>() == 0 {
            return None;
        }
        let seed = self.seed_of(v);
        let narrow = self.routine().variable(v).ty == ScalarType::Real32;
        let elements = (0..extents.iter().product()).map(|i| {
            let x = seed.get(i).copied().unwrap_or(0.0);
            match narrow {
                true => Value::Real32(x as f32, ()),
                false => Value::Real(x, ()),
            }
        });
        Some(Argument {
            elements: elements.collect(),
            extents,
        })
    }

    /// Tangents of the dependents along [`Case::direction`], by operator overloading. Where two
    /// independents are the same storage their directions add up.
    ///
    /// # Errors
    /// The first fault.
    pub fn tangent(&self, limits: Limits) -> Result<Vec<(VarId, Vec<f64>)>, Fault> {
        let mut direction: BTreeMap<Cell, f64> = BTreeMap::new();
        for (v, weights) in &self.direction {
            for (cell, d) in self.cells(*v).into_iter().zip(weights) {
                *direction.entry(cell).or_default() += d;
            }
        }
        let outcome = self.run_with(limits, |cell| {
            direction.get(&cell).copied().unwrap_or_default()
        })?;
        Ok(self.dependents(&outcome, |d| *d))
    }

    /// The Jacobian, by operator overloading: a row for each element of the dependents, a column for each
    /// of the independents.
    ///
    /// # Errors
    /// The first fault.
    pub fn jacobian(&self, limits: Limits) -> Result<Vec<Vec<f64>>, Fault> {
        let mut position: BTreeMap<Cell, usize> = BTreeMap::new();
        let independents = &self.routine().independents;
        let columns: Vec<Cell> = independents.iter().flat_map(|&v| self.cells(v)).collect();
        for &cell in &columns {
            let next = position.len();
            position.entry(cell).or_insert(next);
        }
        let outcome = self.run_with(limits, |cell| match position.get(&cell) {
            None => Vec::new(),
            Some(&k) => {
                let mut unit = vec![0.0; position.len()];
                unit[k] = 1.0;
                unit
            }
        })?;
        let rows = self.dependents(&outcome, Vec::clone);
        let spread = |row: Vec<f64>| -> Vec<f64> {
            let of = |cell| row.get(position[cell]).copied().unwrap_or(0.0);
            columns.iter().map(of).collect()
        };
        Ok(rows.into_iter().flat_map(|(_, r)| r).map(spread).collect())
    }

    /// The gradient of `sum(seed * dependent)`, by operator overloading with one direction per element
    /// of the independents.
    ///
    /// # Errors
    /// The first fault.
    pub fn gradient(&self, limits: Limits) -> Result<Vec<(VarId, Vec<f64>)>, Fault> {
        let rows = self.jacobian(limits)?;
        let independents = &self.routine().independents;
        let total = independents.iter().map(|&v| self.cells(v).len()).sum();
        let mut gradient = vec![0.0; total];
        let weights = (self.routine().dependents.iter()).flat_map(|&v| self.seed_of(v));
        for (row, weight) in rows.iter().zip(weights) {
            for (g, d) in gradient.iter_mut().zip(row) {
                *g += weight * d;
            }
        }
        let mut gradient = gradient.into_iter();
        Ok((independents.iter())
            .map(|&v| {
                let n = self.cells(v).len();
                (v, gradient.by_ref().take(n).collect())
            })
            .collect())
    }

    /// The seed of a dependent, element by element.
    fn seed_of(&self, v: VarId) -> Vec<f64> {
        let found = self.seed.iter().find(|(w, _)| *w == v);
        found.map_or(Vec::new(), |(_, seed)| seed.clone())
    }

    /// The value of a parameter, global or the result after a run.
    pub fn after<'o, D>(&self, outcome: &'o Outcome<D>, v: VarId) -> Option<&'o Argument<D>> {
        let routine = self.routine();
        if Some(v) == routine.result {
            return outcome.result.as_ref();
        }
        match routine.variable(v).role {
            Role::Global(g) => outcome.globals.get(g.index()),
            Role::Parameter { .. } => outcome.parameters.get(routine.parameter_position(v)?),
            Role::Local => None,
        }
    }

    /// Derivatives of the dependents after a run.
    fn dependents<D: Derivative, T>(
        &self,
        outcome: &Outcome<D>,
        of: impl Fn(&D) -> T,
    ) -> Vec<(VarId, Vec<T>)> {
        let derivative = |value: &Value<D>| match value {
            Value::Real(_, d) | Value::Real32(_, d) => of(d),
            Value::Undefined
            | Value::Integer(_)
            | Value::Sized(..)
            | Value::Logical(_)
            | Value::Pointer(..) => of(&D::constant()),
        };
        (self.routine().dependents.iter())
            .map(|&v| {
                let elements = self.after(outcome, v).map_or(&[][..], |a| &a.elements);
                (v, elements.iter().map(derivative).collect())
            })
            .collect()
    }
}

/// Number of elements of a global: its extents are constants.
pub(crate) fn constant_len(variable: &Variable) -> usize {
    constant_extents(variable).iter().product()
}

fn constant_extents(variable: &Variable) -> Vec<usize> {
    let extent = |d: &Dim| match d.extent {
        Extent::Fixed(Expr::Int(n)) => usize::try_from(n).unwrap_or(0),
        _ => 0,
    };
    variable.shape.iter().map(extent).collect()
}
