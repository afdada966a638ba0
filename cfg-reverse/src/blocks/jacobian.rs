//! Translation of an elimination sequence to code: the Jacobian accumulation expressions (JAEs) and the pushes of
//! the Jacobian's entries in the forward block, the pops and the transposed product in the adjoint block
//! (Naumann et al. 2004, section 3.3, Eqns. (5) and (6)).
//!
//! JAEs come in the order of the elimination, so that a heuristic for data locality has its effect;
//! equal products are computed once. Entries that are known before the program runs are not pushed.
//!
//! A product of two labels is a strong one with the label nearer to the dependents first, which is the
//! order in which the adjoint of the single statements multiplies: an infinite partial on a path that
//! contributes nothing spoils nothing.

use bb_preaccum::{
    eliminate::{Entry, JaeList, Label as LabelId, Origin, Step, StepError, Term},
    lcg::Lcg,
    search::replay,
};
use cfg_core::{
    entity::VarId,
    flat::{Constant, FlatExpr},
    ir::{Expr, Op, Place, Role as VariableRole, ScalarType, Stmt, StmtKind, Variable},
};
use std::collections::{HashMap, HashSet};

use crate::{
    blocks::lcg::{Label, Segment},
    code::{
        expressions::{real, round_to_type, zero},
        routines::tape_class,
    },
    partials::scope::{ForwardScope, Scope, forward_temporary},
};

/// The code of a segment.
#[derive(Clone, Debug, Default)]
pub(crate) struct Code {
    /// The Jacobian accumulation expressions.
    pub(crate) jaes: Vec<Stmt>,
    /// The pushes of entries, after the JAEs.
    pub(crate) pushes: Vec<Stmt>,
    /// The adjoint block.
    pub(crate) reverse: Vec<Stmt>,
    /// Edges left by the elimination: by source and target, with the entry in the forward sweep.
    pub(crate) entries: Vec<(u32, u32, Expr)>,
}

/// The value of a label: a constant, or plus or minus a variable of the forward sweep.
#[derive(Clone, Copy, PartialEq)]
enum Value {
    Constant(f64),
    Variable {
        variable: VarId,
        negative: bool,
        /// A zero cancels even an infinite derivative.
        masks: bool,
    },
}

/// The product of two labels in a JAE: a known value, or an expression to be computed.
enum Product {
    /// A value that is known, for which nothing is computed.
    Known(Value),
    /// An expression, up to the sign, and the two variables if they alone decide it.
    New {
        expr: Expr,
        negative: bool,
        masks: bool,
        key: Option<(VarId, VarId)>,
    },
}

struct Accumulation<'a> {
    scope: &'a mut Scope,
    forward: &'a mut ForwardScope,
    ty: ScalarType,
    code: Vec<Stmt>,
    /// Products that have been computed.
    products: HashMap<(VarId, VarId), VarId>,
}

impl Accumulation<'_> {
    fn assign(&mut self, value: Expr) -> VarId {
        let c = forward_temporary(self.scope, self.forward, "c", self.ty);
        self.code.push(Stmt::assign(Place::whole(c), value));
        c
    }

    /// `outer` times `inner`; `outer` is nearer to the dependents.
    fn product(&self, outer: Value, inner: Value) -> Product {
        use Value::{Constant, Variable};
        match (outer, inner) {
            (Constant(a), Constant(b)) => Product::Known(Constant(round_to_type(a * b, self.ty))),
            (Constant(0.0), _) | (_, Constant(0.0)) => Product::Known(Constant(0.0)),
            (Constant(k), v) | (v, Constant(k)) if k.abs() == 1.0 => {
                Product::Known(if k < 0.0 { v.negated() } else { v })
            }
            (Constant(k), v) | (v, Constant(k)) => {
                let (negative, factor) = v.split(self.ty);
                Product::New {
                    expr: Expr::op(Op::Mul, [real(k, self.ty), factor]),
                    negative,
                    masks: v.masks(),
                    key: None,
                }
            }
            (Variable { variable: a, .. }, Variable { variable: b, .. }) => {
                let negative = outer.is_negative() != inner.is_negative();
                let masks = outer.masks() || inner.masks();
                match self.products.get(&(a, b)) {
                    Some(&variable) => Product::Known(Variable {
                        variable,
                        negative,
                        masks,
                    }),
                    None => Product::New {
                        expr: times(Expr::var(a), b, inner.masks(), self.ty),
                        negative,
                        masks,
                        key: Some((a, b)),
                    },
                }
            }
        }
    }

    /// The product as the label of a new edge.
    fn fill_in(&mut self, product: Product) -> Value {
        match product {
            Product::Known(value) => value,
            Product::New {
                expr,
                negative,
                masks,
                key,
            } => {
                let variable = self.assign(expr);
                if let Some(key) = key {
                    self.products.insert(key, variable);
                }
                Value::Variable {
                    variable,
                    negative,
                    masks,
                }
            }
        }
    }

    /// The product added to the label of an edge.
    fn absorb(&mut self, old: Value, product: Product) -> Value {
        let (minus_new, new, new_masks) = match product {
            Product::Known(Value::Constant(0.0)) => return old,
            Product::Known(new) => {
                if let (Value::Constant(a), Value::Constant(b)) = (old, new) {
                    return Value::Constant(round_to_type(a + b, self.ty));
                }
                let (negative, expr) = new.split(self.ty);
                (negative, expr, new.masks())
            }
            Product::New {
                expr,
                negative,
                masks,
                ..
            } => (negative, expr, masks),
        };
        let (minus_old, old_expr) = old.split(self.ty);
        let (negative, sum) = match (minus_old, minus_new) {
            (false, false) => (false, Expr::op(Op::Add, [old_expr, new])),
            (true, true) => (true, Expr::op(Op::Add, [old_expr, new])),
            (false, true) => (false, Expr::op(Op::Sub, [old_expr, new])),
            (true, false) => (false, Expr::op(Op::Sub, [new, old_expr])),
        };
        Value::Variable {
            variable: self.assign(sum),
            negative,
            masks: old.masks() || new_masks,
        }
    }
}

impl Value {
    fn is_negative(self) -> bool {
        match self {
            Self::Constant(c) => c < 0.0,
            Self::Variable { negative, .. } => negative,
        }
    }

    fn masks(self) -> bool {
        matches!(self, Self::Variable { masks: true, .. })
    }

    fn negated(self) -> Self {
        match self {
            Self::Constant(c) => Self::Constant(-c),
            Self::Variable {
                variable,
                negative,
                masks,
            } => Self::Variable {
                variable,
                negative: !negative,
                masks,
            },
        }
    }

    /// The value as a sign (true: negative) and an expression without one.
    fn split(self, ty: ScalarType) -> (bool, Expr) {
        match self {
            Self::Constant(c) => (c < 0.0, real(c.abs(), ty)),
            Self::Variable {
                variable, negative, ..
            } => (negative, Expr::var(variable)),
        }
    }
}

/// A derivative times the value of a variable. Where a label that masks is 0, it is the first factor of the strong
/// product, and cancels an infinite derivative. A constant 0 in place of the product would have the same value, but
/// not the same derivative.
fn times(derivative: Expr, variable: VarId, masks: bool, ty: ScalarType) -> Expr {
    let label = || Expr::var(variable);
    let product = Expr::op(Op::StrongMul, [derivative.clone(), label()]);
    if masks {
        let cancels = Expr::op(Op::Eq, [label(), zero(ty)]);
        let reversed = Expr::op(Op::StrongMul, [label(), derivative]);
        Expr::op(Op::If, [cancels, reversed, product])
    } else {
        product
    }
}

/// Writes the code of a segment for an elimination sequence.
///
/// # Errors
/// The first step of the sequence that the graph does not admit.
pub(crate) fn code(
    scope: &mut Scope,
    forward: &mut ForwardScope,
    tape: VarId,
    segment: &Segment,
    steps: &[Step],
    twins: &mut HashMap<VarId, VarId>,
) -> Result<Code, StepError> {
    let mut accumulation = Accumulation {
        scope,
        forward,
        ty: segment.ty,
        code: Vec::new(),
        products: HashMap::new(),
    };
    let mut entries = Vec::new();
    if let Some(lcg) = &segment.lcg {
        let done = replay(lcg, steps)?;
        let values = accumulation.values(segment, lcg, &done.jaes);
        let vertex = |v: u32| u32::try_from(lcg.id(v) - 1).unwrap_or(u32::MAX);
        let value = |label: LabelId| match done.jaes.origin(label) {
            Origin::Edge(e) => edge_value(segment, lcg, e as usize),
            Origin::Jae(j) => values[j as usize],
        };
        for entry in &done.entries {
            let Entry {
                source,
                target,
                label,
                ..
            } = *entry;
            let value = value(label);
            if value != Value::Constant(0.0) {
                entries.push((vertex(source), vertex(target), value));
            }
        }
    }
    // A variable is pushed at most once, and only temporaries are: a primal variable may be read-only
    // where it is popped.
    let first_own = tape.index() + 1;
    let mut copies: HashMap<VarId, VarId> = HashMap::new();
    for (_, _, value) in &mut entries {
        if let Value::Variable { variable, .. } = value
            && variable.index() < first_own
        {
            let copy = match copies.get(variable) {
                Some(&copy) => copy,
                None => {
                    let copy = accumulation.assign(Expr::var(*variable));
                    copies.insert(*variable, copy);
                    copy
                }
            };
            *variable = copy;
        }
    }
    let jaes = accumulation.code;
    let shown = entries
        .iter()
        .map(|&(source, target, value)| {
            let (negative, expr) = value.split(segment.ty);
            let expr = if negative { negate(expr) } else { expr };
            (source, target, expr)
        })
        .collect();
    let (pushes, reverse) = adjoint(scope, forward, tape, segment, entries, twins);
    Ok(Code {
        jaes,
        pushes,
        reverse,
        entries: shown,
    })
}

fn negate(e: Expr) -> Expr {
    match FlatExpr::view(&e) {
        FlatExpr::Constant(Constant::Real(c)) => Expr::Real(-c),
        FlatExpr::Constant(Constant::Real32(c)) => Expr::Real32(-c),
        FlatExpr::Constant(Constant::Int(_) | Constant::Logical(_))
        | FlatExpr::Place(_)
        | FlatExpr::Op(..) => Expr::op(Op::Neg, [e]),
    }
}

fn edge_value(segment: &Segment, lcg: &Lcg, edge: usize) -> Value {
    let tag = lcg.edges().get(edge).map_or(0, |e| e.tag as usize);
    match segment.labels.get(tag) {
        Some(Label::Variable {
            partial: Expr::Place(place),
            masks,
        }) => Value::Variable {
            variable: place.var,
            negative: false,
            masks: *masks,
        },
        Some(Label::Constant(c)) => Value::Constant(*c),
        Some(Label::Variable { .. }) | None => Value::Constant(0.0),
    }
}

impl Accumulation<'_> {
    /// Writes all JAEs; returns their values in order.
    fn values(&mut self, segment: &Segment, lcg: &Lcg, jaes: &JaeList) -> Vec<Value> {
        let mut values: Vec<Value> = Vec::with_capacity(jaes.as_slice().len());
        for jae in jaes.as_slice() {
            let value = |label: LabelId| match jaes.origin(label) {
                Origin::Edge(e) => edge_value(segment, lcg, e as usize),
                Origin::Jae(j) => values[j as usize],
            };
            let term = match jae.term {
                Term::Product(inner, outer) => self.product(value(outer), value(inner)),
                Term::Plain(label) => Product::Known(value(label)),
            };
            let old = jae.absorbed.map(value);
            let new = match old {
                Some(old) if old != Value::Constant(0.0) => self.absorb(old, term),
                _ => self.fill_in(term),
            };
            values.push(new);
        }
        values
    }
}

/// Writes the pushes and the adjoint block. First the adjoints of all live places that the segment writes are copied
/// and zeroed, last write first: two elements that turn out to be one cell then count once. After that the vertices
/// are visited from the last to the first.
fn adjoint(
    scope: &mut Scope,
    forward: &ForwardScope,
    tape: VarId,
    segment: &Segment,
    mut entries: Vec<(u32, u32, Value)>,
    twins: &mut HashMap<VarId, VarId>,
) -> (Vec<Stmt>, Vec<Stmt>) {
    let ty = segment.ty;
    let class = tape_class(ty);
    scope.temporaries.reset();
    // Last targets first; a target's adjoint is complete when it is used.
    entries.sort_by_key(|&(source, target, _)| (std::cmp::Reverse(target), source));
    let used: HashSet<u32> = entries.iter().map(|e| e.1).collect();
    let (mut reverse, mut d) = seeds(scope, segment, &used);
    let independents: HashMap<u32, &Place> =
        segment.independents.iter().map(|(v, p)| (*v, p)).collect();
    let mut popped: HashMap<VarId, VarId> = HashMap::new();
    let mut pushed = Vec::new();
    for (source, target, value) in entries {
        let Some(&seed) = d.get(&target) else {
            continue;
        };
        let seed = Expr::var(seed);
        let (negative, term) = match value {
            Value::Constant(c) if c.abs() == 1.0 => (c < 0.0, seed),
            Value::Constant(c) if c.is_finite() => {
                let factor = real(c.abs(), ty);
                (c < 0.0, Expr::op(Op::Mul, [seed, factor]))
            }
            Value::Constant(c) => (false, Expr::op(Op::StrongMul, [seed, real(c, ty)])),
            Value::Variable {
                variable,
                negative,
                masks,
            } => {
                let twin = *popped.entry(variable).or_insert_with(|| {
                    let own = twins.entry(variable);
                    let twin = *own.or_insert_with(|| twin_of(scope, forward, variable, ty));
                    pushed.push(variable);
                    reverse.push(Stmt::new(StmtKind::Pop {
                        tape,
                        class,
                        target: Place::whole(twin),
                    }));
                    twin
                });
                (negative, times(seed, twin, masks, ty))
            }
        };
        let op = if negative { Op::Sub } else { Op::Add };
        match independents.get(&source) {
            Some(place) => {
                if let Some(b) = scope.derivative_place(place) {
                    let sum = Expr::op(op, [Expr::Place(b.clone()), term]);
                    reverse.push(Stmt::assign(b, sum));
                }
            }
            None => match d.get(&source) {
                Some(&t) => {
                    let sum = Expr::op(op, [Expr::var(t), term]);
                    reverse.push(Stmt::assign(Place::whole(t), sum));
                }
                None => {
                    let t = scope.scalar_temporary(ty);
                    d.insert(source, t);
                    let value = if negative { negate(term) } else { term };
                    reverse.push(Stmt::assign(Place::whole(t), value));
                }
            },
        }
    }
    let pushes = pushed
        .into_iter()
        .rev()
        .map(|c| {
            Stmt::new(StmtKind::Push {
                tape,
                class,
                value: Expr::var(c),
            })
        })
        .collect();
    (pushes, reverse)
}

/// Copies and zeroes the adjoints of all live places that the segment writes, last write first. Returns the copies of
/// the vertices that are `used`, the targets of entries: their adjoints, unless they are independents.
fn seeds(
    scope: &mut Scope,
    segment: &Segment,
    used: &HashSet<u32>,
) -> (Vec<Stmt>, HashMap<u32, VarId>) {
    let ty = segment.ty;
    let mut reverse = Vec::new();
    let mut d = HashMap::new();
    for output in segment.outputs.iter().rev() {
        let Some(b) = scope.derivative_place(&output.place) else {
            continue;
        };
        if let Some(v) = output.vertex.filter(|v| used.contains(v)) {
            let t = scope.scalar_temporary(ty);
            reverse.push(Stmt::assign(Place::whole(t), Expr::Place(b.clone())));
            d.insert(v, t);
        }
        reverse.push(Stmt::assign(b, zero(ty)));
    }
    (reverse, d)
}

/// The variable of the reverse sweep, of the same name, that takes the popped value of a forward variable.
pub(super) fn twin_of(
    scope: &mut Scope,
    forward: &ForwardScope,
    variable: VarId,
    ty: ScalarType,
) -> VarId {
    let theirs = forward.routine.variable(variable);
    let mut own = Variable::new(theirs.name.clone(), ty, Vec::new(), VariableRole::Local);
    own.origin.clone_from(&theirs.origin);
    scope.routine.add_variable(own)
}
