//! A program together with everything that a test needs to run and to differentiate it.

use crate::interpret::{Argument, Derivative, Fault, Limits, Outcome, Value, interpret};
use cfg_core::entity::{RoutineId, VarId};
use cfg_core::ir::{Order, Program, Routine};
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
    /// Logicals.
    Logical(Vec<bool>),
}

/// A program, its main routine, a point, and what to differentiate in which direction.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// The program.
    pub program: Program,
    /// The routine to run and to differentiate.
    pub main: RoutineId,
    /// Values of its `in` and `inout` parameters.
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
            Elements::Integer(x) => x.len(),
            Elements::Logical(x) => x.len(),
        }
    }

    /// True if there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// As in a POINT file: nested arrays with the first subscript outermost.
    pub fn to_json(&self, order: Order) -> Json {
        let scalar = |i: usize| match &self.elements {
            Elements::Real(x) => json_real(x[i]),
            Elements::Real32(x) => json_real(f64::from(x[i])),
            Elements::Integer(x) => Json::from(x[i]),
            Elements::Logical(x) => Json::from(x[i]),
        };
        nested(&self.extents, order, &scalar)
    }

    /// As an argument of the interpreter; real elements get the derivatives that `attach` returns.
    pub fn argument<D: Derivative>(&self, mut attach: impl FnMut(usize) -> D) -> Argument<D> {
        let elements = match &self.elements {
            Elements::Real(x) => (x.iter().enumerate())
                .map(|(i, &v)| Value::Real(v, attach(i)))
                .collect(),
            Elements::Real32(x) => (x.iter().enumerate())
                .map(|(i, &v)| Value::Real32(v, attach(i)))
                .collect(),
            Elements::Integer(x) => x.iter().map(|&v| Value::Integer(v)).collect(),
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
                // The C kernels have no other types, and no arrays that only come out.
                Some(Elements::Real32(_) | Elements::Logical(_)) | None => "o 1".to_owned(),
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

    /// Runs the program naively.
    ///
    /// # Errors
    /// The first fault.
    pub fn run(&self, limits: Limits) -> Result<Outcome<()>, Fault> {
        self.run_with(limits, |_, _| ())
    }

    /// Runs with derivatives: `attach` gives that of each element of each parameter.
    ///
    /// # Errors
    /// The first fault.
    pub fn run_with<D: Derivative>(
        &self,
        limits: Limits,
        mut attach: impl FnMut(VarId, usize) -> D,
    ) -> Result<Outcome<D>, Fault> {
        let arguments: Vec<_> = self
            .routine()
            .parameter_ids()
            .map(|p| {
                let datum = self.value(p)?;
                Some(datum.argument(|i| attach(p, i)))
            })
            .collect();
        interpret(
            &self.program,
            self.main,
            &arguments,
            &BTreeMap::new(),
            limits,
        )
    }

    /// Tangents of the dependents along [`Case::direction`], by operator overloading.
    ///
    /// # Errors
    /// The first fault.
    pub fn tangent(&self, limits: Limits) -> Result<Vec<(VarId, Vec<f64>)>, Fault> {
        let direction: BTreeMap<VarId, &Vec<f64>> =
            self.direction.iter().map(|(v, d)| (*v, d)).collect();
        let outcome = self.run_with(limits, |p, i| {
            direction
                .get(&p)
                .and_then(|d| d.get(i))
                .copied()
                .unwrap_or(0.0)
        })?;
        Ok(self.dependents(&outcome, |d| *d))
    }

    /// The gradient of `sum(seed * dependent)`, by operator overloading with one direction per element
    /// of the independents.
    ///
    /// # Errors
    /// The first fault.
    pub fn gradient(&self, limits: Limits) -> Result<Vec<(VarId, Vec<f64>)>, Fault> {
        let mut first = BTreeMap::new();
        let mut total = 0;
        for &v in &self.routine().independents {
            first.insert(v, total);
            total += self.value(v).map_or(0, Datum::len);
        }
        let outcome = self.run_with(limits, |p, i| match first.get(&p) {
            None => Vec::new(),
            Some(start) => {
                let mut unit = vec![0.0; total];
                unit[start + i] = 1.0;
                unit
            }
        })?;
        let mut gradient = vec![0.0; total];
        for (v, rows) in self.dependents(&outcome, Vec::clone) {
            let seed = self.seed.iter().find(|(w, _)| *w == v).map(|(_, s)| s);
            for (row, weight) in rows.iter().zip(seed.into_iter().flatten()) {
                for (g, d) in gradient.iter_mut().zip(row) {
                    *g += weight * d;
                }
            }
        }
        Ok((self.routine().independents.iter())
            .map(|v| {
                let n = self.value(*v).map_or(0, Datum::len);
                (*v, gradient[first[v]..first[v] + n].to_vec())
            })
            .collect())
    }

    /// Derivatives of the dependents after a run.
    fn dependents<D: Derivative, T>(
        &self,
        outcome: &Outcome<D>,
        of: impl Fn(&D) -> T,
    ) -> Vec<(VarId, Vec<T>)> {
        let routine = self.routine();
        let find = |v: VarId| {
            if Some(v) == routine.result {
                outcome.result.as_ref()
            } else {
                outcome.parameters.get(v.index())
            }
        };
        let derivative = |value: &Value<D>| match value {
            Value::Real(_, d) | Value::Real32(_, d) => of(d),
            Value::Undefined | Value::Integer(_) | Value::Logical(_) => of(&D::constant()),
        };
        routine
            .dependents
            .iter()
            .map(|&v| {
                let elements = find(v).map_or(&[][..], |a| &a.elements);
                (v, elements.iter().map(derivative).collect())
            })
            .collect()
    }
}
