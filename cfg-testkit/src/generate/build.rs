//! The variables of the routine that is being made, with the facts (ranges, initialisation) that keep it free of
//! errors.

use super::signature::{Formal, Shape, Signature};
use super::{Arithmetic, Options};
use crate::rng::Rng;
use cfg_core::entity::VarId;
use cfg_core::ir::{
    Dim, Expr, Extent, Field, Global, IntType, Intent, Op, Order, Place, Record, Role, Routine,
    ScalarType, Stmt, Subscript, Variable,
};
use std::collections::BTreeSet;

/// Index variables hold 1 to this; every array has at least as many elements along each dimension.
pub(super) const INDEX_MAX: i64 = 4;

/// A global whose elements are not finite.
pub(super) const UNUSED: &str = "limits";
/// The range of other integer variables.
const INTEGER_RANGE: (i64, i64) = (-40, 40);
/// The range of a loop index outside its loop.
const LOOP_RANGE: (i64, i64) = (-40, 40);

/// The record type of programs with records: a real `x`, an integer `k` and an array of reals `v`.
pub(super) fn record_of_generator() -> Record {
    let field = |name: &str, ty, shape| Field {
        name: name.to_owned(),
        ty,
        shape,
    };
    Record {
        name: "Pair".to_owned(),
        fields: vec![
            field("x", ScalarType::Real, vec![]),
            field("k", ScalarType::Integer, vec![]),
            field(
                "v",
                ScalarType::Real,
                vec![Dim::with_extent(Expr::Int(INDEX_MAX))],
            ),
        ],
    }
}

/// What the point needs to know of a parameter of the main routine.
#[derive(Clone, Debug)]
pub(super) struct Parameter {
    pub(super) extents: Vec<usize>,
    pub(super) range: (i64, i64),
}

/// The statements that may assign a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Use {
    /// Any statement.
    Free,
    /// None: `in` parameters, sizes.
    Fixed,
    /// Counted loops.
    LoopIndex,
    /// Only the loop that it counts or controls.
    Counter,
}

/// A variable and the facts that hold in the whole routine.
#[derive(Clone, Debug)]
pub(super) struct Var {
    pub(super) id: VarId,
    pub(super) ty: ScalarType,
    /// Lower bound and extent of each dimension.
    pub(super) dims: Vec<(i64, i64)>,
    pub(super) column: bool,
    pub(super) usage: Use,
    /// An integer variable never holds anything else.
    pub(super) range: (i64, i64),
    /// Its cells are consecutive.
    pub(super) dense: bool,
    /// The global that owns its storage.
    pub(super) global: Option<usize>,
    /// Of a field, what stands before the subscripts of an element.
    pub(super) before: Vec<Subscript>,
    /// Of a field, what stands behind them.
    pub(super) behind: Vec<Subscript>,
}

impl Var {
    pub(super) fn is_scalar(&self) -> bool {
        self.dims.is_empty()
    }

    pub(super) fn len(&self) -> i64 {
        self.dims.iter().map(|d| d.1).product()
    }

    /// True if it is a variable, not a field.
    pub(super) fn is_plain(&self) -> bool {
        self.before.is_empty() && self.behind.is_empty()
    }

    /// The place of some of its elements.
    pub(super) fn at(&self, subscripts: impl IntoIterator<Item = Subscript>) -> Place {
        let (before, behind) = (self.before.iter().cloned(), self.behind.iter().cloned());
        Place {
            var: self.id,
            subscripts: before.chain(subscripts).chain(behind).collect(),
        }
    }

    /// The place of an element.
    pub(super) fn element(&self, indices: impl IntoIterator<Item = Expr>) -> Place {
        self.at(indices.into_iter().map(Subscript::Index))
    }

    /// The scalar, or the whole array.
    pub(super) fn whole(&self) -> Place {
        self.at([])
    }

    /// The value of the scalar, or of the whole array.
    pub(super) fn value(&self) -> Expr {
        Expr::Place(self.whole())
    }
}

/// The facts that hold at the current place of the program.
#[derive(Clone, Debug, Default)]
pub(super) struct State {
    /// By variable: certainly (wholly) initialised.
    pub(super) init: Vec<bool>,
    /// By variable: the range here, within [`Var::range`].
    pub(super) range: Vec<(i64, i64)>,
}

/// The making of one routine.
pub(super) struct Builder<'a> {
    pub(super) rng: &'a mut Rng,
    pub(super) options: &'a Options,
    pub(super) signatures: &'a [Signature],
    pub(super) globals: &'a [Global],
    pub(super) routine: Routine,
    pub(super) vars: Vec<Var>,
    pub(super) state: State,
    /// Locks of running loops, by variable.
    pub(super) locked: Vec<bool>,
    /// Bound on how often the current place is executed in one call.
    pub(super) times: u64,
    /// Bound on the steps of one call so far.
    pub(super) cost: u64,
    /// Bound on the steps of one call.
    pub(super) limit: u64,
    pub(super) reads: BTreeSet<usize>,
    pub(super) writes: BTreeSet<usize>,
    /// The routine's own signature, while it may call itself.
    pub(super) own: Option<Signature>,
    pub(super) self_calls: u32,
    pub(super) formals: Vec<Formal>,
    /// The initialised variables before some of them were hidden.
    pub(super) hidden: Vec<bool>,
    /// The routines of the program name few globals.
    pub(super) scattered: bool,
    /// The type of the records that are drawn.
    pub(super) record: Option<ScalarType>,
    /// Jumps may be drawn here.
    pub(super) general: bool,
    /// Of each loop around the place, whether a jump to the next pass keeps it from running for ever.
    pub(super) around: Vec<bool>,
    /// Number of jumps so far.
    pub(super) jumps: usize,
}

impl<'a> Builder<'a> {
    pub(super) fn new(
        rng: &'a mut Rng,
        options: &'a Options,
        signatures: &'a [Signature],
        globals: &'a [Global],
        limit: u64,
    ) -> Self {
        Self {
            rng,
            options,
            signatures,
            globals,
            routine: Routine::default(),
            vars: Vec::new(),
            state: State::default(),
            locked: Vec::new(),
            times: 1,
            cost: 0,
            limit,
            reads: BTreeSet::new(),
            writes: BTreeSet::new(),
            own: None,
            self_calls: 0,
            formals: Vec::new(),
            hidden: Vec::new(),
            scattered: false,
            record: None,
            general: false,
            around: Vec::new(),
            jumps: 0,
        }
    }

    pub(super) fn exact(&self) -> bool {
        self.options.arithmetic == Arithmetic::Exact
    }

    fn add(&mut self, variable: Variable, var: impl FnOnce(VarId) -> Var, init: bool) -> usize {
        let id = self.routine.add_variable(variable);
        self.push(var(id), init)
    }

    fn push(&mut self, var: Var, init: bool) -> usize {
        self.state.init.push(init);
        self.state.range.push(var.range);
        self.locked.push(false);
        self.vars.push(var);
        self.vars.len() - 1
    }

    /// Adds a parameter as the formal says.
    pub(super) fn parameter(&mut self, name: &str, formal: Formal) -> usize {
        let size = self
            .vars
            .iter()
            .position(|v| v.is_scalar() && v.ty == ScalarType::Integer && v.range.0 == v.range.1);
        let size = size.map(|s| (self.vars[s].id, self.vars[s].range.0));
        let mut column = false;
        let (shape, dims, dense) = match &formal.shape {
            Shape::Scalar => (vec![], vec![], true),
            Shape::Explicit(extents) => {
                let lower = match self.rng.percent(self.options.declarations / 2) {
                    true => self.rng.between(-2, 3),
                    false => 1,
                };
                column = extents.len() > 1 && self.rng.percent(self.options.declarations / 2);
                let shape = extents.iter().map(|&n| self.extent(lower, n, size));
                let shape: Vec<Dim> = shape.collect();
                (shape, extents.iter().map(|&n| (lower, n)).collect(), true)
            }
            Shape::Assumed(n) => {
                let lower = self.rng.between(0, 1);
                let dim = Dim {
                    lower: Expr::Int(lower),
                    extent: Extent::Deferred,
                };
                (vec![dim], vec![(lower, *n)], false)
            }
        };
        let (intent, optional) = (formal.intent, formal.optional);
        let role = Role::Parameter { intent, optional };
        let (ty, range) = (formal.ty, formal.range);
        self.formals.push(formal);
        let mut variable = Variable::new(name, ty, shape, role);
        if column {
            variable.order = Order::Column;
        }
        let make = |id| Var {
            id,
            ty,
            dims,
            column,
            usage: if optional || intent == Intent::In {
                Use::Fixed
            } else {
                Use::Free
            },
            range,
            dense,
            global: None,
            before: Vec::new(),
            behind: Vec::new(),
        };
        self.add(variable, make, intent != Intent::Out && !optional)
    }

    /// A dimension of a parameter: its extent a constant, or made of a size.
    fn extent(&mut self, lower: i64, n: i64, size: Option<(VarId, i64)>) -> Dim {
        let odd = self.rng.percent(self.options.declarations / 2);
        let extent = match size {
            Some((v, value)) if value == n && !odd => v.into(),
            Some((v, value)) if odd => match self.rng.below(2) {
                0 => Expr::op(Op::Add, [v.into(), Expr::Int(n - value)]),
                _ => {
                    let double = Expr::op(Op::Mul, [Expr::Int(2), v.into()]);
                    Expr::op(Op::Sub, [double, Expr::Int(2 * value - n)])
                }
            },
            _ => Expr::Int(n),
        };
        let lower = match size {
            Some((v, value)) if odd => Expr::op(Op::Sub, [v.into(), Expr::Int(value - lower)]),
            _ => Expr::Int(lower),
        };
        Dim {
            lower,
            extent: Extent::Fixed(extent),
        }
    }

    /// Adds a local.
    pub(super) fn local(
        &mut self,
        name: &str,
        ty: ScalarType,
        dims: Vec<(i64, i64)>,
        usage: Use,
    ) -> usize {
        let column = dims.len() > 1 && self.rng.percent(30);
        let size = self
            .vars
            .iter()
            .find(|v| v.is_scalar() && v.usage == Use::Fixed && v.range.0 == v.range.1);
        let size = size.map(|v| (v.id, v.range.0));
        let shape = dims.iter().map(|&(lower, n)| {
            let extent = match size {
                Some((v, value)) if value == n => v.into(),
                Some((v, value)) if value == n - 1 => Expr::op(Op::Add, [v.into(), Expr::Int(1)]),
                _ => Expr::Int(n),
            };
            Dim {
                lower: Expr::Int(lower),
                extent: Extent::Fixed(extent),
            }
        });
        let mut variable = Variable::new(name, ty, shape.collect(), Role::Local);
        if column {
            variable.order = Order::Column;
        }
        let range = match (ty, usage) {
            (ScalarType::Integer, Use::LoopIndex) => LOOP_RANGE,
            (ScalarType::Integer, Use::Counter) => (-8, 8),
            (ScalarType::Integer, _) if name.starts_with('i') => (1, INDEX_MAX),
            _ => INTEGER_RANGE,
        };
        let make = |id| Var {
            id,
            ty,
            dims,
            column,
            usage,
            range,
            dense: true,
            global: None,
            before: Vec::new(),
            behind: Vec::new(),
        };
        self.add(variable, make, false)
    }

    /// Adds the locals of a routine; `much` for the main one.
    pub(super) fn locals(&mut self, much: bool, narrow: bool) {
        let few = |b: &mut Self, low: usize, high: usize| low + b.rng.below(high - low + 1);
        let n = few(self, 2, if much { 5 } else { 3 });
        for k in 0..n {
            self.local(&format!("t{k}"), ScalarType::Real, vec![], Use::Free);
        }
        let arrays = if much {
            few(self, 1, 3)
        } else {
            few(self, 0, 1)
        };
        for k in 0..arrays {
            let lower = *self.rng.pick(&[1, 1, 1, 0, -2, 2]).unwrap_or(&1);
            let extent = *self.rng.pick(&[4, 4, 5, 6, 8]).unwrap_or(&4);
            self.local(
                &format!("w{k}"),
                ScalarType::Real,
                vec![(lower, extent)],
                Use::Free,
            );
        }
        if much && self.rng.percent(35) {
            let rows = self.rng.between(4, 5);
            let lower = self.rng.between(0, 1);
            self.local(
                "m",
                ScalarType::Real,
                vec![(lower, rows), (1, 4)],
                Use::Free,
            );
        }
        let allocatables = self.options.allocatables / if much { 1 } else { 2 };
        if self.rng.percent(allocatables) {
            let k = self.local("h", ScalarType::Real, vec![(1, 4)], Use::Free);
            self.routine.variables[self.vars[k].id.index()].shape = vec![Dim {
                lower: Expr::Int(1),
                extent: Extent::Deferred,
            }];
        }
        if self.options.operators && self.rng.percent(40) {
            for k in 0..2 {
                let ty = self.rng.pick(&IntType::ALL).copied();
                let ty = ScalarType::Sized(ty.unwrap_or(IntType::Int8));
                self.local(&format!("s{k}"), ty, vec![], Use::Free);
                if self.rng.percent(50) {
                    self.local(&format!("sv{k}"), ty, vec![(1, 4)], Use::Free);
                }
            }
        }
        if narrow {
            self.local("r0", ScalarType::Real32, vec![], Use::Free);
            self.local("r1", ScalarType::Real32, vec![(1, 4)], Use::Free);
        }
        for k in 0..few(self, 1, 3) {
            self.local(&format!("i{k}"), ScalarType::Integer, vec![], Use::Free);
        }
        if self.rng.percent(30) {
            self.local("ip", ScalarType::Integer, vec![(1, 4)], Use::Free);
        }
        for k in 0..few(self, 0, 2) {
            self.local(&format!("k{k}"), ScalarType::Integer, vec![], Use::Free);
        }
        for k in 0..few(self, 0, 2) {
            self.local(&format!("b{k}"), ScalarType::Logical, vec![], Use::Free);
        }
        let depth = self.options.nesting;
        for k in 0..depth {
            self.local(
                &format!("l{k}"),
                ScalarType::Integer,
                vec![],
                Use::LoopIndex,
            );
        }
        for k in 0..depth {
            self.local(&format!("c{k}"), ScalarType::Integer, vec![], Use::Counter);
        }
        for k in 0..2 {
            self.local(
                &format!("more{k}"),
                ScalarType::Logical,
                vec![],
                Use::Counter,
            );
        }
        if let Some(record) = self.record
            && self.rng.percent(70)
        {
            self.local("ca", record, vec![], Use::Free);
            self.local("cb", record, vec![(1, 4)], Use::Free);
        }
        self.use_globals();
        for v in 0..self.vars.len() {
            self.fields(v);
        }
    }

    /// Adds the fields of a record, each a variable that may be used like others. Of the arrays in an array of records one element is
    /// used.
    fn fields(&mut self, v: usize) {
        let record = self.vars[v].clone();
        if record.ty.record().is_none() {
            return;
        }
        for Field { name, ty, shape } in record_of_generator().fields {
            let field = Subscript::Field(name.into());
            let mut part = Var {
                ty,
                range: (1, INDEX_MAX),
                dense: false,
                ..record.clone()
            };
            match (record.is_scalar(), shape.is_empty()) {
                (true, _) => {
                    part.dims = shape.iter().map(|_| (1, INDEX_MAX)).collect();
                    part.before = vec![field];
                }
                (false, true) => part.behind = vec![field],
                (false, false) => {
                    let k = Expr::Int(self.rng.between(1, INDEX_MAX));
                    part.behind = vec![field, Subscript::Index(k)];
                }
            }
            self.push(part, self.state.init[v]);
        }
    }

    /// A variable and the fields that it has.
    pub(super) fn with_fields(&self, v: usize) -> Vec<usize> {
        let id = self.vars[v].id;
        (0..self.vars.len())
            .filter(|&w| self.vars[w].id == id)
            .collect()
    }

    fn use_globals(&mut self) {
        let left_out = if self.scattered { 75 } else { 30 };
        for g in 0..self.globals.len() {
            if self.rng.percent(left_out) || self.globals[g].variable.name == UNUSED {
                continue;
            }
            let variable = self.globals[g].variable.clone();
            let dims: Vec<(i64, i64)> = (variable.shape.iter())
                .filter_map(|d| match (&d.lower, &d.extent) {
                    (&Expr::Int(lower), &Extent::Fixed(Expr::Int(n))) => Some((lower, n)),
                    _ => None,
                })
                .collect();
            let column = variable.order == Order::Column;
            let owner = &self.globals[self.globals[g].overlay.map_or(g, |o| o.base.index())];
            let init = owner.initial.is_some() || self.globals[g].initial.is_some();
            let storage = self.globals[g].overlay.map_or(g, |o| o.base.index());
            let ty = variable.ty;
            let make = |id| Var {
                id,
                ty,
                dims,
                column,
                usage: Use::Free,
                range: (1, INDEX_MAX),
                dense: true,
                global: Some(storage),
                before: Vec::new(),
                behind: Vec::new(),
            };
            self.add(variable, make, init);
        }
    }

    /// Statements that give most locals a first value.
    pub(super) fn first_values(&mut self) -> Vec<Stmt> {
        let mut statements = Vec::new();
        for v in 0..self.vars.len() {
            let var = &self.vars[v];
            let needed = !var.is_scalar() || var.ty != ScalarType::Real || self.rng.percent(70);
            if self.state.init[v] || var.usage != Use::Free || !needed {
                continue;
            }
            let var = self.vars[v].clone();
            let value = match var.ty {
                ScalarType::Real => {
                    if self.is_allocatable(v) {
                        match self.four_of(ScalarType::Real) {
                            Some(place) => Expr::Place(place),
                            None => continue,
                        }
                    } else {
                        self.real(1)
                    }
                }
                ScalarType::Real32 => self.narrow(0),
                ScalarType::Integer => self.integer_in(var.range.0, var.range.1, 1),
                ScalarType::Sized(ty) => self.sized(ty, 1),
                ScalarType::Logical => self.condition(1),
                ScalarType::Record(_) => {
                    statements.extend(self.first_fields(v));
                    continue;
                }
                ScalarType::Tape | ScalarType::Pointer(_) => continue,
            };
            self.spend(1);
            self.note_write(v);
            statements.push(Stmt::assign(var.whole(), value));
            self.state.init[v] = true;
        }
        statements
    }

    /// Statements that give all fields of a record a value.
    fn first_fields(&mut self, v: usize) -> Vec<Stmt> {
        let mut statements = Vec::new();
        for Field { name, ty, .. } in record_of_generator().fields {
            let value = match ty {
                ScalarType::Integer => self.integer_in(1, INDEX_MAX, 1),
                _ => self.real(1),
            };
            let place = Place {
                var: self.vars[v].id,
                subscripts: Box::new([Subscript::Field(name.into())]),
            };
            statements.push(Stmt::assign(place, value));
        }
        self.spend(3);
        self.note_write(v);
        for w in self.with_fields(v) {
            self.state.init[w] = true;
        }
        statements
    }

    /// Counts statements or vertices.
    pub(super) fn spend(&mut self, n: u64) {
        self.cost += n * self.times;
    }

    pub(super) fn affordable(&self, n: u64) -> bool {
        self.cost + n * self.times <= self.limit
    }

    pub(super) fn note_read(&mut self, v: usize) {
        self.reads.extend(self.vars[v].global);
    }

    pub(super) fn note_write(&mut self, v: usize) {
        self.writes.extend(self.vars[v].global);
    }

    /// Variables of a type that may be read here.
    pub(super) fn readable(&self, ty: ScalarType, arrays: bool) -> Vec<usize> {
        (0..self.vars.len())
            .filter(|&v| {
                self.vars[v].ty == ty && self.vars[v].is_scalar() != arrays && self.state.init[v]
            })
            .collect()
    }

    /// Variables of a type that a statement may assign here.
    pub(super) fn writable(&self, ty: ScalarType, arrays: bool) -> Vec<usize> {
        (0..self.vars.len())
            .filter(|&v| {
                let var = &self.vars[v];
                var.ty == ty
                    && var.is_scalar() != arrays
                    && var.usage == Use::Free
                    && !self.is_locked(v)
            })
            .collect()
    }

    /// True if a running loop needs the variable as it is, by whatever name.
    fn is_locked(&self, v: usize) -> bool {
        let storage = self.vars[v].global;
        let shares = |w: usize| storage.is_some() && self.vars[w].global == storage;
        let overlaps = |w: usize| shares(w) || (self.one_name(v) && self.one_name(w));
        self.locked[v] || (0..self.vars.len()).any(|w| self.locked[w] && overlaps(w))
    }
}
