//! Calls: actual arguments for routines.

use super::build::{Builder, INDEX_MAX};
use super::signature::{Formal, Returns, Shape, Signature};
use cfg_core::ir::{Expr, Intent, Op, Place, Role, ScalarType, Stmt, StmtKind};

/// The variables to which the arguments chosen so far refer.
#[derive(Default)]
struct Bound {
    /// Variables passed by reference, and how the callee uses them.
    vars: Vec<(usize, Intent)>,
    /// Variables that are wholly initialised by the call.
    defines: Vec<usize>,
}

impl Builder<'_> {
    /// A call of one of the routines made before.
    pub(super) fn call_statement(&mut self) -> Option<Stmt> {
        let signature = self.rng.pick(self.signatures)?.clone();
        if !self.affordable(signature.cost + 1) {
            return None;
        }
        self.call(&signature, None)
    }

    /// A call of the routine itself, one level less deep.
    pub(super) fn self_call(&mut self, depth: usize) -> Option<Stmt> {
        let own = self.own.clone()?;
        self.call(&own, Some(depth))
    }

    fn call(&mut self, signature: &Signature, depth: Option<usize>) -> Option<Stmt> {
        // The index of a loop around it may be a global.
        let mut locked = (self.vars.iter().zip(&self.locked)).filter(|(_, locked)| **locked);
        if locked.any(|(v, _)| v.global.is_some_and(|g| signature.writes.contains(&g))) {
            return None;
        }
        let mut bound = Bound::default();
        let mut arguments = Vec::new();
        for (k, formal) in signature.formals.iter().enumerate() {
            let argument = match depth {
                Some(d) if d == k => Expr::op(Op::Sub, [self.vars[d].value(), Expr::Int(1)]),
                _ if formal.optional && self.rng.percent(40) => {
                    let own = self.handed_on(signature, formal, &mut bound);
                    arguments.push(own);
                    continue;
                }
                _ => self.argument(signature, formal, &mut bound)?,
            };
            arguments.push(Some(argument));
        }
        let result = match signature.result {
            Returns::Nothing => None,
            Returns::Scalar(ScalarType::Real) => Some(self.result_place(signature)?),
            Returns::Scalar(ty) => Some(self.other_result(ty)?),
            Returns::Four => Some(self.array_result(signature)?),
        };
        self.reads.extend(&signature.reads);
        self.writes.extend(&signature.writes);
        for &(v, intent) in &bound.vars {
            self.note_read(v);
            if intent.writes() {
                self.note_write(v);
            }
        }
        for &v in &bound.defines {
            self.state.init[v] = true;
        }
        self.spend(signature.cost);
        Some(Stmt::new(StmtKind::Call {
            callee: signature.id,
            arguments: arguments.into(),
            result,
        }))
    }

    /// An optional parameter of the routine itself, absent or not; or nothing.
    fn handed_on(
        &mut self,
        signature: &Signature,
        formal: &Formal,
        bound: &mut Bound,
    ) -> Option<Expr> {
        if self.rng.percent(40) {
            return None;
        }
        let own: Vec<usize> = (0..self.formals.len())
            .filter(|&v| {
                let mine = &self.formals[v];
                mine.optional
                    && mine.ty == formal.ty
                    && mine.shape == formal.shape
                    && (mine.intent == formal.intent
                        || (mine.intent == Intent::InOut && formal.intent == Intent::In))
                    && !self.clashes(v, formal.intent, signature, bound)
            })
            .collect();
        let v = *self.rng.pick(&own)?;
        bound.vars.push((v, formal.intent));
        Some(self.vars[v].value())
    }

    /// A place for the result of a function that is no real.
    fn other_result(&mut self, ty: ScalarType) -> Option<Place> {
        let mut candidates = self.writable(ty, false);
        candidates.retain(|&v| {
            let (low, high) = self.vars[v].range;
            ty != ScalarType::Integer || (low <= 1 && high >= INDEX_MAX)
        });
        let v = *self.rng.pick(&candidates)?;
        self.note_write(v);
        self.state.init[v] = true;
        Some(self.vars[v].whole())
    }

    /// Four elements for a function's result. Their subscripts do not depend on variables that the call changes.
    fn array_result(&mut self, signature: &Signature) -> Option<Place> {
        let mut candidates = self.writable(ScalarType::Real, true);
        candidates.retain(|&v| {
            self.state.init[v] && (signature.writes.is_empty() || self.vars[v].dims.len() == 1)
        });
        let v = *self.rng.pick(&candidates)?;
        self.note_write(v);
        self.four(v, false)
    }

    /// A place for a function's result. Its subscripts do not depend on variables that the call changes.
    fn result_place(&mut self, signature: &Signature) -> Option<Place> {
        if self.rng.percent(60) {
            let candidates = self.writable(ScalarType::Real, false);
            let v = *self.rng.pick(&candidates)?;
            self.note_write(v);
            self.state.init[v] = true;
            return Some(self.vars[v].whole());
        }
        let mut candidates = self.writable(ScalarType::Real, true);
        candidates.retain(|&v| self.state.init[v]);
        let v = *self.rng.pick(&candidates)?;
        self.note_write(v);
        let one_dimension = self.vars[v].dims.len() == 1;
        if (signature.writes.is_empty() || one_dimension) && self.rng.percent(25) {
            // The scalar goes to all elements of a section or of the array.
            return if self.rng.percent(50) {
                Some(self.vars[v].whole())
            } else {
                self.four(v, false)
            };
        }
        if signature.writes.is_empty() {
            return Some(self.element(v));
        }
        let dims = self.vars[v].dims.clone();
        let indices: Vec<Expr> = (dims.iter())
            .map(|&(lower, extent)| Expr::Int(self.rng.between(lower, lower + extent - 1)))
            .collect();
        Some(self.vars[v].element(indices))
    }

    /// True if the variable must not be passed by reference: a written cell would have two names.
    fn clashes(&self, v: usize, intent: Intent, signature: &Signature, bound: &Bound) -> bool {
        let var = &self.vars[v];
        let may = |other: Intent| {
            // An `out` parameter has no value at entry, so it may only overlap another one.
            let values = match self.options.odd_functions {
                0 => intent != Intent::Out && other != Intent::Out,
                _ => (intent == Intent::Out) == (other == Intent::Out),
            };
            signature.aliased && self.may_overlap(v) && values
        };
        let twice = bound.vars.iter().any(|&(w, other)| {
            let same = self.vars[w].id == var.id
                || (var.global.is_some() && self.vars[w].global == var.global)
                || (self.one_name(v) && self.one_name(w));
            same && (intent.writes() || other.writes()) && !may(other)
        });
        let shared = |g: &usize| {
            signature.writes.contains(g) || (intent.writes() && signature.reads.contains(g))
        };
        let own = signature.aliased && self.may_overlap(v) && intent != Intent::Out;
        let global = match var.global {
            Some(g) => shared(&g) && !own,
            // A parameter of an aliased routine may be any of the globals.
            None => self.one_name(v) && !own && (0..self.globals.len()).any(|g| shared(&g)),
        };
        twice || global
    }

    /// True of variables that may be the same cells as others of which this is true.
    pub(super) fn one_name(&self, v: usize) -> bool {
        let var = &self.vars[v];
        let outlives = matches!(
            self.routine.variable(var.id).role,
            Role::Parameter { .. } | Role::Global(_)
        );
        self.routine.aliased && self.may_overlap(v) && outlives
    }

    /// True of variables that may share storage with other arguments of a routine where arguments may overlap: integers have the same
    /// range then.
    fn may_overlap(&self, v: usize) -> bool {
        let var = &self.vars[v];
        let index = var.ty == ScalarType::Integer && var.range == (1, INDEX_MAX);
        let record = var.ty.record().is_some() || !var.is_plain();
        var.ty.is_real() || record || (index && self.options.odd_functions > 0)
    }

    /// True now and then, for unusual helpers and calls. With a chance of 0 no random number is drawn.
    pub(super) fn is_odd(&mut self) -> bool {
        let chance = self.options.odd_functions;
        chance > 0 && self.rng.percent(chance)
    }

    /// Keeps, now and then, only candidates that are arguments already, if arguments may overlap.
    fn again(&mut self, signature: &Signature, bound: &Bound, candidates: &mut Vec<usize>) {
        let is_bound = |v: &usize| bound.vars.iter().any(|(w, _)| w == v);
        if signature.aliased && candidates.iter().any(is_bound) && self.is_odd() {
            candidates.retain(is_bound);
        }
    }

    fn argument(
        &mut self,
        signature: &Signature,
        formal: &Formal,
        bound: &mut Bound,
    ) -> Option<Expr> {
        match &formal.shape {
            Shape::Scalar => self.scalar_argument(signature, formal, bound),
            Shape::Explicit(extents) => {
                self.array_argument(signature, formal, extents.iter().product(), true, bound)
            }
            Shape::Assumed(n) => self.array_argument(signature, formal, *n, false, bound),
        }
    }

    fn scalar_argument(
        &mut self,
        signature: &Signature,
        formal: &Formal,
        bound: &mut Bound,
    ) -> Option<Expr> {
        let written = formal.intent.writes();
        if !written && formal.ty.record().is_none() && self.rng.percent(50) {
            let e = self.by_value(formal)?;
            // A place is passed by reference after all.
            let named = match &e {
                Expr::Place(place) => self.vars.iter().position(|v| v.id == place.var),
                _ => None,
            };
            match named {
                Some(v) if !self.clashes(v, Intent::In, signature, bound) => {
                    bound.vars.push((v, Intent::In));
                    return Some(e);
                }
                Some(_) => {}
                None => return Some(e),
            }
        }
        let (low, high) = formal.range;
        let fits = |b: &Self, v: usize| {
            let range = b.state.range[v];
            b.vars[v].ty != ScalarType::Integer
                || if written {
                    b.vars[v].range == (low, high)
                } else {
                    low <= range.0 && range.1 <= high
                }
        };
        let mut scalars = if written {
            self.writable(formal.ty, false)
        } else {
            self.readable(formal.ty, false)
        };
        scalars.retain(|&v| {
            fits(self, v)
                && (formal.intent == Intent::Out || self.state.init[v])
                && !self.clashes(v, formal.intent, signature, bound)
        });
        let mut arrays = if written {
            self.writable(formal.ty, true)
        } else {
            self.readable(formal.ty, true)
        };
        arrays.retain(|&v| {
            self.state.init[v] && fits(self, v) && !self.clashes(v, formal.intent, signature, bound)
        });
        self.again(signature, bound, &mut scalars);
        self.again(signature, bound, &mut arrays);
        let element = !arrays.is_empty() && (scalars.is_empty() || self.rng.percent(45));
        if element {
            let v = *self.rng.pick(&arrays)?;
            bound.vars.push((v, formal.intent));
            return Some(Expr::Place(self.element(v)));
        }
        match self.rng.pick(&scalars) {
            Some(&v) => {
                bound.vars.push((v, formal.intent));
                if written {
                    bound.defines.push(v);
                }
                Some(self.vars[v].value())
            }
            None if written => None,
            None => Some(match formal.ty {
                ScalarType::Real => Expr::Real(1.0),
                ScalarType::Integer => Expr::Int(low),
                ScalarType::Logical => Expr::Logical(true),
                ScalarType::Sized(ty) => Expr::sized(ty, ty.max())?,
                ScalarType::Real32
                | ScalarType::Tape
                | ScalarType::Record(_)
                | ScalarType::Pointer(_) => {
                    return None;
                }
            }),
        }
    }

    fn by_value(&mut self, formal: &Formal) -> Option<Expr> {
        Some(match formal.ty {
            ScalarType::Real => self.real(2),
            ScalarType::Integer => self.integer_in(formal.range.0, formal.range.1, 1),
            ScalarType::Logical => self.condition(1),
            ScalarType::Sized(ty) => self.sized(ty, 2),
            ScalarType::Real32
            | ScalarType::Tape
            | ScalarType::Record(_)
            | ScalarType::Pointer(_) => {
                return None;
            }
        })
    }

    /// An array of `n` cells; `sequence`: consecutive ones, else a descriptor of rank 1.
    fn array_argument(
        &mut self,
        signature: &Signature,
        formal: &Formal,
        n: i64,
        sequence: bool,
        bound: &mut Bound,
    ) -> Option<Expr> {
        let written = formal.intent.writes();
        let mut arrays = if written {
            self.writable(formal.ty, true)
        } else {
            self.readable(formal.ty, true)
        };
        arrays.retain(|&v| {
            let var = &self.vars[v];
            let whole = formal.intent == Intent::Out && var.len() == n && var.dims.len() == 1;
            let allocatable = self.is_allocatable(v);
            (self.state.init[v] || (whole && !allocatable))
                && (!sequence || (var.dense && var.len() >= n))
                && !self.clashes(v, formal.intent, signature, bound)
        });
        self.again(signature, bound, &mut arrays);
        let v = *self.rng.pick(&arrays)?;
        bound.vars.push((v, formal.intent));
        let var = self.vars[v].clone();
        if !self.state.init[v] {
            bound.defines.push(v);
            return Some(var.value());
        }
        if !sequence {
            return self.four(v, false).map(Expr::Place);
        }
        // Sequence association: the whole array, a section, or an element with enough cells after it.
        match self.rng.below(3) {
            0 => Some(var.value()),
            // An element of an array of records is no sequence.
            _ if var.ty.record().is_some() => Some(var.value()),
            1 if n == 4 => match self.four(v, true) {
                Some(place) => Some(Expr::Place(place)),
                None => Some(var.value()),
            },
            _ => {
                let from = self.rng.between(0, var.len() - n);
                let mut rest = from;
                let mut indices = vec![Expr::Int(0); var.dims.len()];
                let mut order: Vec<usize> = (0..var.dims.len()).collect();
                if !var.column {
                    order.reverse();
                }
                for d in order {
                    let (lower, extent) = var.dims[d];
                    indices[d] = Expr::Int(lower + rest % extent);
                    rest /= extent;
                }
                Some(Expr::Place(var.element(indices)))
            }
        }
    }
}
