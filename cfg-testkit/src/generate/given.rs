//! Routines whose derivatives are given: one statement, with its adjoint and tangent by hand.

use super::build::INDEX_MAX;
use super::signature::{Formal, Returns, Shape, Signature};
use crate::rng::Rng;
use crate::tree::{Node, Region};
use cfg_core::entity::{RoutineId, VarId};
use cfg_core::ir::{
    Derivatives, Dim, Expr, Extent, Intent, Op, Place, Role, Routine, ScalarType, Stmt, Variable,
};
use std::collections::BTreeSet;

/// The part of a parameter in `o = 2 o + p q + a p`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    P,
    Q,
    A,
    K,
    O,
}

/// The form of the statement.
#[derive(Clone, Copy)]
struct Form {
    /// The result is an array of four.
    wide: bool,
    /// The old value counts.
    old: bool,
    /// It is a function.
    function: bool,
    /// The array has deferred extents.
    assumed: bool,
}

/// The original, its adjoint and its tangent, to be added at `first`, with their bodies.
pub(super) fn given(
    rng: &mut Rng,
    first: usize,
    number: usize,
) -> (Vec<Routine>, Vec<Region>, Signature) {
    let function = rng.percent(25);
    let form = Form {
        wide: !function && rng.percent(40),
        old: !function && rng.percent(70),
        function,
        assumed: rng.percent(40),
    };
    let mut parts = vec![Part::P];
    for part in [Part::Q, Part::A, Part::K] {
        if rng.percent(60) {
            parts.push(part);
        }
    }
    if !function {
        parts.push(Part::O);
    }
    rng.shuffle(&mut parts);
    let aliased = !function && form.old && rng.percent(60);
    let id = |k: usize| RoutineId::new(first + k);
    let (adjoint, tangent) = (rng.percent(90), rng.percent(70));
    let mut routines = Vec::new();
    let mut regions = Vec::new();
    for kind in 0..3 {
        let (mut routine, region) = routine(rng, &parts, form, kind);
        routine.name = format!("{}{number}", ["hand", "hand_adjoint", "hand_tangent"][kind]);
        routine.aliased = aliased;
        routines.push(routine);
        regions.push(region);
    }
    routines[0].derivatives = Some(Box::new(Derivatives {
        adjoint: (adjoint || !tangent).then(|| id(1)),
        tangent: tangent.then(|| id(2)),
    }));
    let formals = parts.iter().map(|&part| Formal {
        ty: match part {
            Part::K => ScalarType::Integer,
            _ => ScalarType::Real,
        },
        intent: match part {
            Part::O if form.old => Intent::InOut,
            Part::O => Intent::Out,
            _ => Intent::In,
        },
        shape: match part {
            Part::A if form.assumed => Shape::Assumed(4),
            Part::A => Shape::Explicit(vec![4]),
            Part::O if form.wide => Shape::Explicit(vec![4]),
            _ => Shape::Scalar,
        },
        range: match part {
            Part::K => (1, INDEX_MAX),
            _ => (0, 0),
        },
        optional: false,
    });
    let signature = Signature {
        id: id(0),
        formals: formals.collect(),
        result: match function {
            true => Returns::Scalar(ScalarType::Real),
            false => Returns::Nothing,
        },
        cost: 8,
        reads: BTreeSet::new(),
        writes: BTreeSet::new(),
        aliased,
    };
    (routines, regions, signature)
}

/// The original (0), its adjoint (1) or its tangent (2).
fn routine(rng: &mut Rng, parts: &[Part], form: Form, kind: usize) -> (Routine, Region) {
    let mut routine = Routine::default();
    let shape = |part: Part| match part {
        Part::A if form.assumed => vec![Dim {
            lower: Expr::Int(1),
            extent: Extent::Deferred,
        }],
        Part::A => vec![Dim::of(Expr::Int(4))],
        Part::O if form.wide => vec![Dim::of(Expr::Int(4))],
        _ => vec![],
    };
    let mut add = |name: &str, part: Part, ty, intent| {
        let role = Role::Parameter {
            intent,
            optional: false,
        };
        routine.add_variable(Variable::new(name, ty, shape(part), role))
    };
    let mut primal = Vec::new();
    for &part in parts {
        let (name, ty) = match part {
            Part::P => ("p", ScalarType::Real),
            Part::Q => ("q", ScalarType::Real),
            Part::A => ("a", ScalarType::Real),
            Part::K => ("k", ScalarType::Integer),
            Part::O => ("o", ScalarType::Real),
        };
        let original = match part {
            Part::O if form.old => Intent::InOut,
            Part::O => Intent::Out,
            _ => Intent::In,
        };
        // The given routine may write values of the original here: callers do not use these afterwards.
        let intent = match (kind, part) {
            (1, Part::O) if form.old => *rng
                .pick(&[Intent::In, Intent::InOut])
                .unwrap_or(&Intent::In),
            (1, Part::O) => Intent::InOut,
            (1 | 2, Part::P | Part::Q) if rng.percent(30) => Intent::InOut,
            _ => original,
        };
        primal.push((part, add(name, part, ty, intent), intent));
    }
    let mut result = None;
    if form.function && kind > 0 {
        let f = add("f", Part::O, ScalarType::Real, Intent::Out);
        if kind == 1 {
            // An adjoint routine does not get the result.
            let role = Role::Parameter {
                intent: Intent::InOut,
                optional: false,
            };
            routine.variables[f.index()] = Variable::new("f", ScalarType::Real, vec![], role);
        }
        result = Some(f);
    }
    let mut dots = Vec::new();
    if kind > 0 {
        let suffix = if kind == 1 { "b" } else { "d" };
        let real = primal.iter().filter(|p| p.0 != Part::K);
        for &(part, v, _) in real.clone() {
            let intent = match (kind, part) {
                (1, _) => Intent::InOut,
                (_, Part::O) if form.old => Intent::InOut,
                (_, Part::O) => Intent::Out,
                _ => Intent::In,
            };
            let name = format!("{}{suffix}", routine.variable(v).name);
            let role = Role::Parameter {
                intent,
                optional: false,
            };
            let d = routine.add_variable(Variable::new(name, ScalarType::Real, shape(part), role));
            dots.push((part, d));
        }
        if form.function {
            let intent = if kind == 1 {
                Intent::InOut
            } else {
                Intent::Out
            };
            let role = Role::Parameter {
                intent,
                optional: false,
            };
            let name = format!("f{suffix}");
            let d = routine.add_variable(Variable::new(name, ScalarType::Real, vec![], role));
            dots.push((Part::O, d));
        }
    }
    if form.function && kind == 0 {
        let f = routine.add_variable(Variable::new("f", ScalarType::Real, vec![], Role::Local));
        routine.result = Some(f);
        result = Some(f);
    }
    let of = |part: Part| primal.iter().find(|p| p.0 == part).map(|p| p.1);
    let code = Code {
        form,
        p: of(Part::P),
        q: of(Part::Q),
        a: of(Part::A),
        k: of(Part::K),
        o: of(Part::O).or(result),
        dots,
    };
    let mut statements = match kind {
        0 => code.original(),
        1 => code.adjoint(),
        _ => {
            let mut statements = code.tangent();
            statements.extend(code.original());
            statements
        }
    };
    for &(part, v, intent) in &primal {
        if kind > 0 && matches!(part, Part::P | Part::Q) && intent == Intent::InOut {
            statements.push(Stmt::assign(Place::whole(v), Expr::Real(-7.0)));
        }
    }
    (routine, vec![Node::Block(statements)])
}

/// The statement and its operands.
struct Code {
    form: Form,
    p: Option<VarId>,
    q: Option<VarId>,
    a: Option<VarId>,
    k: Option<VarId>,
    o: Option<VarId>,
    dots: Vec<(Part, VarId)>,
}

fn times(a: Expr, b: Expr) -> Expr {
    Expr::op(Op::Mul, [a, b])
}

fn plus(terms: Vec<Expr>) -> Expr {
    let mut terms = terms.into_iter();
    let first = terms.next().unwrap_or(Expr::Real(0.0));
    terms.fold(first, |a, b| Expr::op(Op::Add, [a, b]))
}

fn assign(target: VarId, value: Expr) -> Stmt {
    Stmt::assign(Place::whole(target), value)
}

impl Code {
    fn dot(&self, part: Part) -> Option<VarId> {
        self.dots.iter().find(|d| d.0 == part).map(|d| d.1)
    }

    /// The term of the array: itself, an element, or its sum.
    fn array(&self, a: VarId) -> Expr {
        match (self.form.wide, self.k) {
            (true, _) => a.into(),
            (false, Some(k)) => Expr::Place(Place::element(a, [Expr::var(k)])),
            (false, None) => Expr::op(Op::Sum, [a.into()]),
        }
    }

    /// o = 2 o + p q + a p, without the terms that the form leaves out.
    fn original(&self) -> Vec<Stmt> {
        let (Some(o), Some(p)) = (self.o, self.p) else {
            return vec![];
        };
        let mut terms = Vec::new();
        if self.form.old {
            terms.push(times(Expr::Real(2.0), o.into()));
        }
        terms.push(match self.q {
            Some(q) => times(p.into(), q.into()),
            None => times(Expr::Real(3.0), p.into()),
        });
        if let Some(a) = self.a {
            terms.push(times(self.array(a), p.into()));
        }
        vec![assign(o, plus(terms))]
    }

    fn tangent(&self) -> Vec<Stmt> {
        let (Some(p), Some(od), Some(pd)) = (self.p, self.dot(Part::O), self.dot(Part::P)) else {
            return vec![];
        };
        let mut terms = Vec::new();
        if self.form.old {
            terms.push(times(Expr::Real(2.0), od.into()));
        }
        match (self.q, self.dot(Part::Q)) {
            (Some(q), Some(qd)) => {
                terms.push(times(pd.into(), q.into()));
                terms.push(times(p.into(), qd.into()));
            }
            _ => terms.push(times(Expr::Real(3.0), pd.into())),
        }
        if let (Some(a), Some(ad)) = (self.a, self.dot(Part::A)) {
            terms.push(times(self.array(ad), p.into()));
            terms.push(times(self.array(a), pd.into()));
        }
        vec![assign(od, plus(terms))]
    }

    fn adjoint(&self) -> Vec<Stmt> {
        let (Some(p), Some(ob), Some(pb)) = (self.p, self.dot(Part::O), self.dot(Part::P)) else {
            return vec![];
        };
        let total = |e: Expr| match self.form.wide {
            true => Expr::op(Op::Sum, [e]),
            false => e,
        };
        let mut own = vec![pb.into()];
        let mut statements = Vec::new();
        match (self.q, self.dot(Part::Q)) {
            (Some(q), Some(qb)) => {
                own.push(times(q.into(), total(ob.into())));
                let add = times(p.into(), total(ob.into()));
                statements.push(assign(qb, plus(vec![qb.into(), add])));
            }
            _ => own.push(times(Expr::Real(3.0), total(ob.into()))),
        }
        if let (Some(a), Some(ab)) = (self.a, self.dot(Part::A)) {
            own.push(total(times(self.array(a), ob.into())));
            let add = times(p.into(), ob.into());
            let target = match (self.form.wide, self.k) {
                (false, Some(k)) => Place::element(ab, [Expr::var(k)]),
                _ => Place::whole(ab),
            };
            let old = Expr::Place(target.clone());
            statements.push(Stmt::assign(target, plus(vec![old, add])));
        }
        statements.push(assign(pb, plus(own)));
        let left = match self.form.old {
            true => times(Expr::Real(2.0), ob.into()),
            false => Expr::Real(0.0),
        };
        statements.push(assign(ob, left));
        statements
    }
}
