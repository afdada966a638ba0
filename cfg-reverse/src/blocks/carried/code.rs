//! The code of carried regions.
//!
//! Let x be the inputs and y the outputs of a region. Each assignment inside is preceded by its partials, which are its
//! adjoint for the seed 1, and by its tangents by each input that its target may depend on: sums of products of
//! partials and tangents, with the unit vectors of the inputs as tangents at the start. Behind the region the forward
//! sweep pushes the entries of dy/dx that may not be zero; the reverse sweep pops them, and increments the adjoint of x
//! by the transposed product with that of y, which is then 0. A sum keeps its adjoint. (Griewank & Walther, *Evaluating
//! Derivatives*, 2nd ed., section 10.2, preaccumulation, by the forward mode along the path that a run takes.)
//!
//! At finite operands an entry is infinite or NaN only if adjoints by statements can be, rounding and overflow aside.
//! Adjoints are sums over the paths from y to x; the product along a path ends at the first partial that is 0, because
//! partials that may be infinite stand in products that are strong in the adjoint. Here the same products are formed
//! from the other end, so an infinite partial comes before the one that is 0: products are strong in both factors
//! ([`product`]), unless all partials of the region are finite. Inside a statement partials are accumulated from its
//! target to its operands, by the code of its adjoint.
//!
//! Elements and the unit tangents of values that the region does not assign have stand-ins while partials are written:
//! variables that the places and the constant 1 replace in the end. So have the target of a statement and its adjoint.

use cfg_analysis::exceptions::Exceptions;
use cfg_core::{
    entity::{VarId, VertexId},
    flat::{Constant, FlatExpr},
    ir::{Expr, NameOrigin, NameRole, Op, Place, Role, ScalarType, Stmt, StmtKind, Variable},
};
use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use crate::{
    code::{
        expressions::{is_atomic, real, sum, zero},
        routines::tape_class,
        temporaries::Temporaries,
        typing::{ExprType, expr_type},
    },
    partials::{
        Unsupported,
        assignment::{self, Given},
        linearize::{Nodes, Workspace},
        scope::Scope,
    },
    plan::{
        adjoints::primal_reads,
        carried::{Ends, Input, Region},
        draft::Draft,
    },
};

/// The statements of the forward sweep in place of each statement, by vertex.
pub(crate) type Rows = HashMap<VertexId, Vec<Vec<Stmt>>>;

/// The variables of a region in the forward sweep.
struct Names {
    /// The tangent of each place by each input; none where it is 0, or 1 throughout.
    tangents: Vec<Vec<Option<VarId>>>,
    /// The variable that stands for each place while partials are written.
    stand_in: Vec<VarId>,
    /// The variables that stand for the target of a statement, and for its adjoint, which is 1.
    target: Option<(VarId, VarId)>,
}

/// The partials of one assignment.
struct Partials {
    /// The statements that compute them, without stand-ins.
    code: Vec<Stmt>,
    /// The assigned value where partials share functions with it, without stand-ins.
    value: Option<Expr>,
    /// The operands with derivatives by the numbers of their places, with the partial and true if it may be infinite.
    of: Vec<(usize, Expr, bool)>,
}

/// The stand-ins of a routine: variables in a row, behind those that stay.
struct StandIns {
    first: usize,
    /// The expression that each stands for.
    meaning: Vec<Expr>,
}

impl StandIns {
    /// The number of a stand-in.
    fn number(&self, v: VarId) -> Option<usize> {
        let number = v.index().checked_sub(self.first);
        number.filter(|&k| k < self.meaning.len())
    }

    /// The code without stand-ins, with the variables behind them in their places.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "places and operators alone are replaced"
    )]
    fn replace(&self, variables: &[Variable], e: &Expr) -> Expr {
        let without_units = e.map(&mut |node| match node {
            Expr::Place(place) => match self.number(place.var).map(|k| &self.meaning[k]) {
                Some(one @ (Expr::Real(_) | Expr::Real32(_))) => one.clone(),
                _ => Expr::Place(place),
            },
            Expr::Op(op, operands) => without_units(variables, op, operands),
            other => other,
        });
        without_units.map(&mut |node| match node {
            Expr::Place(mut place) => match self.number(place.var) {
                Some(k) => self.meaning[k].clone(),
                None => {
                    place.var = self.moved(place.var);
                    Expr::Place(place)
                }
            },
            other => other,
        })
    }

    fn moved(&self, v: VarId) -> VarId {
        match v.index() < self.first {
            true => v,
            false => VarId::new(v.index() - self.meaning.len()),
        }
    }
}

/// A product without a factor that is the constant 1, or with a sign for -1, and a sum without a first term that is the
/// constant 0. An integer stays, because the operation converts it.
fn without_units(variables: &[Variable], op: Op, operands: Box<[Expr]>) -> Expr {
    let is_real = |e: &Expr| expr_type(variables, e).ty.is_real();
    let is_one = |e: &Expr| matches!(e, Expr::Real(1.0) | Expr::Real32(1.0));
    let is_zero = |e: &Expr| matches!(e, Expr::Real(0.0) | Expr::Real32(0.0));
    let is_minus_one = |e: &Expr| matches!(e, Expr::Real(-1.0) | Expr::Real32(-1.0));
    match (op, &*operands) {
        (Op::Mul | Op::StrongMul, [one, other]) if is_one(one) && is_real(other) => other.clone(),
        (Op::Mul, [other, one]) if is_one(one) && is_real(other) => other.clone(),
        (Op::Mul | Op::StrongMul, [minus, other]) if is_minus_one(minus) && is_real(other) => {
            negated(other)
        }
        (Op::Add, [zero, other]) if is_zero(zero) && is_real(other) => other.clone(),
        (Op::Sub, [zero, other]) if is_zero(zero) && is_real(other) => negated(other),
        (Op::Neg, [other]) if is_real(other) => negated(other),
        _ => Expr::Op(op, operands),
    }
}

/// The negated real expression, without an operator where that can be.
fn negated(e: &Expr) -> Expr {
    match FlatExpr::view(e) {
        FlatExpr::Constant(Constant::Real(c)) => Expr::Real(-c),
        FlatExpr::Constant(Constant::Real32(c)) => Expr::Real32(-c),
        FlatExpr::Op(Op::Neg, [inner]) => inner.clone(),
        FlatExpr::Constant(Constant::Int(_) | Constant::Logical(_))
        | FlatExpr::Place(_)
        | FlatExpr::Op(..) => Expr::op(Op::Neg, [e.clone()]),
    }
}

/// Writes the code of all regions of a routine, and makes them regions of the draft.
///
/// # Errors
/// An expression has no tangent. The draft has no regions then.
pub(crate) fn write(draft: &mut Draft<'_>) -> Result<Rows, Unsupported> {
    let regions = draft.regions;
    let mut rows = Rows::new();
    if regions.is_empty() {
        return Ok(rows);
    }
    let before = (draft.forward.clone(), draft.scope.routine.clone());
    let mut names: Vec<Names> = regions
        .iter()
        .map(|region| declare(draft, region))
        .collect();
    let mut scope = Scope::new(
        draft.forward.routine.clone(),
        std::mem::take(&mut draft.scope.namer),
        draft.locations.clone(),
        Arc::new(Exceptions::default()),
        draft.scope.strong,
    );
    let mut stand_ins = StandIns {
        first: scope.routine.variables.len(),
        meaning: Vec::new(),
    };
    for (region, names) in regions.iter().zip(&mut names) {
        stand_for(region, names, &mut stand_ins, &mut scope);
    }
    let count = scope.routine.variables.len();
    scope.derivative.resize(count, None);
    scope.active.grow(count);
    scope.wanted.grow(count);
    let written = regions.iter().zip(&names).try_for_each(|(region, names)| {
        inside(draft, region, names, &stand_ins, &mut scope, &mut rows)
    });
    draft.scope.namer = scope.namer;
    if let Err(e) = written {
        (draft.forward, draft.scope.routine) = before;
        return Err(e);
    }
    let first = stand_ins.first;
    scope
        .routine
        .variables
        .drain(first..first + stand_ins.meaning.len());
    draft.forward.routine = scope.routine;
    for (region, names) in regions.iter().zip(&names) {
        let ends = ends(draft, region, names);
        draft.carried.add(region, ends);
        for &v in &region.vertices {
            draft.loops[v.index()] = None;
            draft.lasting.set(v.index(), false);
            draft.free.set(v.index(), false);
        }
    }
    Ok(rows)
}

/// Declares the tangents of a region.
fn declare(draft: &mut Draft<'_>, region: &Region) -> Names {
    let mut tangents = Vec::new();
    for (i, input) in region.inputs.iter().enumerate() {
        let of_place = region.places.iter().enumerate().map(|(k, of)| {
            if !of.is_written || input.varied & (1 << k) == 0 {
                return None;
            }
            let routine = &mut draft.forward.routine;
            let of = routine.variable(of.place.var);
            let (ty, name) = (of.ty, of.name.clone());
            let fresh = draft.scope.namer.fresh_name(format!("{name}_d{}", i + 1));
            let mut variable = Variable::new(fresh, ty, Vec::new(), Role::Local);
            variable.origin = Some(Box::new(NameOrigin::new(NameRole::Temporary, "")));
            Some(routine.add_variable(variable))
        });
        tangents.push(of_place.collect());
    }
    Names {
        tangents,
        stand_in: Vec::new(),
        target: None,
    }
}

/// Declares the variables that stand for the elements of a region, and for the tangent 1 of each place that it does not
/// assign.
fn stand_for(region: &Region, names: &mut Names, all: &mut StandIns, scope: &mut Scope) {
    let mut add = |ty: ScalarType, meaning: Expr| {
        all.meaning.push(meaning);
        let variable = Variable::new(String::new(), ty, Vec::new(), Role::Local);
        scope.routine.add_variable(variable)
    };
    for of in &region.places {
        names.stand_in.push(match of.place.subscripts.is_empty() {
            true => of.place.var,
            false => add(region.ty, Expr::Place(of.place.clone())),
        });
    }
    for (input, tangents) in region.inputs.iter().zip(&mut names.tangents) {
        if !region.places[input.place].is_written {
            tangents[input.place] = Some(add(region.ty, real(1.0, region.ty)));
        }
    }
    let mut one = || add(region.ty, real(1.0, region.ty));
    names.target = Some((one(), one()));
}

/// Writes the statements of a region.
fn inside(
    draft: &Draft<'_>,
    region: &Region,
    names: &Names,
    stand_ins: &StandIns,
    scope: &mut Scope,
    rows: &mut Rows,
) -> Result<(), Unsupported> {
    let mut temporaries = Temporaries::default();
    let mut all = Vec::new();
    for &v in &region.vertices {
        for statement in draft.cfg.vertex(v).statements() {
            let assigned = statement.kind.assignment();
            let number = assigned.and_then(|(target, value)| Some((region.number(target)?, value)));
            let partials = number.map(|(k, value)| {
                temporaries.reset();
                let of = partials(region, names, value, stand_ins, scope, &mut temporaries);
                of.map(|of| (k, of))
            });
            all.push(partials.transpose()?);
        }
    }
    let is_finite = |(_, partials): &(usize, Partials)| partials.of.iter().all(|of| !of.2);
    let is_finite = all.iter().flatten().all(is_finite);
    let mut all = all.into_iter();
    for &v in &region.vertices {
        let mut row = Vec::new();
        for statement in draft.cfg.vertex(v).statements() {
            let mut code = Vec::new();
            let mut statement = statement.clone();
            if let Some((k, partials)) = all.next().flatten() {
                code.extend(partials.code);
                if let (StmtKind::Assign { value, .. }, Some(shared)) =
                    (&mut statement.kind, partials.value)
                {
                    *value = shared;
                }
                for (input, tangents) in region.inputs.iter().zip(&names.tangents) {
                    if let (true, Some(of)) = (input.varied & (1 << k) != 0, tangents[k]) {
                        let terms = partials.of.iter().filter_map(|(j, partial, singular)| {
                            let d = Expr::var(tangents[*j]?);
                            let d = stand_ins.replace(&scope.routine.variables, &d);
                            Some(product(partial, d, *singular, is_finite, region.ty))
                        });
                        let value = sum(terms.collect()).unwrap_or_else(|| zero(region.ty));
                        code.push(Stmt::assign(Place::whole(stand_ins.moved(of)), value));
                    }
                }
            }
            code.push(statement);
            row.push(code);
        }
        rows.insert(v, row);
    }
    Ok(())
}

/// The product of a partial and a tangent. Unless all partials of the region are finite, it is 0 if one of the two is,
/// whatever the other one is: the zero is the first factor of a strong product, which has the right derivative.
fn product(partial: &Expr, d: Expr, singular: bool, is_finite: bool, ty: ScalarType) -> Expr {
    let is = |e: &Expr, c: f64| match FlatExpr::view(e) {
        FlatExpr::Constant(Constant::Real(of)) => of == c,
        FlatExpr::Constant(Constant::Real32(of)) => f64::from(of) == c,
        FlatExpr::Constant(Constant::Int(_) | Constant::Logical(_))
        | FlatExpr::Place(_)
        | FlatExpr::Op(..) => false,
    };
    let strong = |a: &Expr, b: &Expr| Expr::op(Op::StrongMul, [a.clone(), b.clone()]);
    match () {
        () if is(partial, 1.0) => d,
        () if is(partial, -1.0) => Expr::op(Op::Neg, [d]),
        () if is(&d, 1.0) => partial.clone(),
        () if is_finite || matches!(partial, Expr::Real(_) | Expr::Real32(_)) => {
            Expr::op(Op::Mul, [d, partial.clone()])
        }
        () if singular => {
            let cancels = Expr::op(Op::Eq, [partial.clone(), zero(ty)]);
            Expr::op(Op::If, [cancels, strong(partial, &d), strong(&d, partial)])
        }
        () => strong(partial, &d),
    }
}

/// The partials of an assignment of this value. `temporaries`: those that hold partials.
fn partials(
    region: &Region,
    names: &Names,
    value: &Expr,
    stand_ins: &StandIns,
    scope: &mut Scope,
    temporaries: &mut Temporaries,
) -> Result<Partials, Unsupported> {
    let mut found = Partials {
        code: Vec::new(),
        value: None,
        of: Vec::new(),
    };
    let Some((target, seed)) = names.target else {
        return Ok(found);
    };
    let value = with_stand_ins(region, names, value);
    let mut operands = Vec::new();
    value.walk_places(&mut |place| {
        let number = names.stand_in.iter().position(|&v| v == place.var);
        let varied = |&k: &usize| names.tangents.iter().any(|of| of[k].is_some());
        operands.extend(number.filter(varied));
    });
    operands.sort_unstable();
    operands.dedup();
    let ty = ExprType {
        ty: region.ty,
        rank: 0,
    };
    let mut held = HashMap::new();
    for &k in &operands {
        let p = temporaries.take(&mut scope.routine, &mut scope.namer, "p", ty);
        held.insert(p, k);
        scope.derivative[names.stand_in[k].index()] = Some(p);
        scope.active.insert(names.stand_in[k].index());
    }
    scope.derivative[target.index()] = Some(seed);
    scope.wanted.insert(target.index());
    let target = Place::whole(target);
    // Functions are evaluated once for the value and the partials.
    let functions = assignment::functions(scope, &target, &value);
    let mut given = Vec::new();
    if !functions.is_empty() {
        let variables = scope.routine.variables.clone();
        let active = |v: VarId| scope.active.contains(v.index());
        let mut nodes = Nodes::split(&variables, &value, &active, Workspace::default());
        for n in functions {
            let (ty, of) = (nodes.nodes[n].ty, nodes.rebuild(n));
            let c = temporaries.take(&mut scope.routine, &mut scope.namer, "c", ty);
            let function = Stmt::assign(Place::whole(c), of);
            found
                .code
                .push(replaced(function, &scope.routine.variables, stand_ins));
            nodes.give(n, c);
            given.push((n, c));
        }
        let value = nodes.value(nodes.root());
        found.value = Some(stand_ins.replace(&scope.routine.variables, &value));
    }
    let code = assignment::adjoint(scope, &target, &value, Given::Functions(&given));
    for &k in &operands {
        scope.derivative[names.stand_in[k].index()] = None;
        scope.active.set(names.stand_in[k].index(), false);
    }
    // A temporary may be infinite if a strong product goes into it.
    let mut singular = HashSet::new();
    for mut statement in code? {
        let StmtKind::Assign { target, value } = &mut statement.kind else {
            continue;
        };
        let of = target.var;
        let mut may_be_infinite = false;
        value.walk(&mut |e| may_be_infinite |= matches!(e, Expr::Op(Op::StrongMul, _)));
        value.walk_places(&mut |place| may_be_infinite |= singular.contains(&place.var));
        if may_be_infinite {
            singular.insert(of);
        }
        if of == seed {
            continue;
        }
        if held.contains_key(&of) {
            // The only increment of the partial.
            *value = replace_places(value, of, &zero(region.ty));
        }
        let statement = replaced(statement, &scope.routine.variables, stand_ins);
        match (held.get(&of), statement.kind.assignment()) {
            (Some(&k), Some((_, value))) if is_atomic(value) => {
                found.of.push((k, value.clone(), may_be_infinite));
            }
            (Some(&k), Some((target, _))) => {
                found
                    .of
                    .push((k, Expr::Place(target.clone()), may_be_infinite));
                found.code.push(statement);
            }
            (_, _) => found.code.push(statement),
        }
    }
    Ok(found)
}

/// The expression with another one in place of a scalar.
#[expect(clippy::wildcard_enum_match_arm, reason = "places alone are replaced")]
fn replace_places(value: &Expr, of: VarId, by: &Expr) -> Expr {
    value.map(&mut |node| match node {
        Expr::Place(place) if place.var == of => by.clone(),
        other => other,
    })
}

/// The value with stand-ins for the elements of the region.
#[expect(clippy::wildcard_enum_match_arm, reason = "places alone are replaced")]
fn with_stand_ins(region: &Region, names: &Names, value: &Expr) -> Expr {
    value.map(&mut |node| match node {
        Expr::Place(place) if !place.subscripts.is_empty() => match region.number(&place) {
            Some(k) => Expr::var(names.stand_in[k]),
            None => Expr::Place(place),
        },
        other => other,
    })
}

/// A statement without stand-ins.
fn replaced(mut statement: Stmt, variables: &[Variable], stand_ins: &StandIns) -> Stmt {
    if let StmtKind::Assign { target, value } = &mut statement.kind {
        target.var = stand_ins.moved(target.var);
        *value = stand_ins.replace(variables, value);
    }
    statement
}

/// Writes the code at the ends of a region.
fn ends(draft: &mut Draft<'_>, region: &Region, names: &Names) -> Ends {
    let ty = region.ty;
    let class = tape_class(ty);
    let mut start = Vec::new();
    for (input, tangents) in region.inputs.iter().zip(&names.tangents) {
        for (k, of) in region.places.iter().enumerate() {
            if let Some(t) = tangents[k].filter(|_| of.is_written && of.is_exposed) {
                let unit = if k == input.place { 1.0 } else { 0.0 };
                start.push(Stmt::assign(Place::whole(t), real(unit, ty)));
            }
        }
    }
    let mut entries: Vec<(usize, usize, VarId)> = Vec::new();
    for &o in &region.outputs {
        for (i, tangents) in names.tangents.iter().enumerate() {
            if let Some(t) = tangents[o] {
                entries.push((o, i, t));
            }
        }
    }
    let tape = draft.tape;
    let push = |&(_, _, t): &(usize, usize, VarId)| {
        Stmt::new(StmtKind::Push {
            tape,
            class,
            value: Expr::var(t),
        })
    };
    let pushes = entries.iter().map(push).collect();
    let mut adjoint = Vec::new();
    // The reverse sweep has variables of the same names.
    let mut popped: Vec<(usize, usize, VarId)> = Vec::new();
    for &(o, i, t) in entries.iter().rev() {
        let theirs = draft.forward.routine.variable(t);
        let mut own = Variable::new(theirs.name.clone(), ty, Vec::new(), Role::Local);
        own.origin.clone_from(&theirs.origin);
        let own = draft.scope.routine.add_variable(own);
        adjoint.push(Stmt::new(StmtKind::Pop {
            tape,
            class,
            target: Place::whole(own),
        }));
        popped.push((o, i, own));
    }
    draft.scope.temporaries.reset();
    let mut seeds: HashMap<usize, VarId> = HashMap::new();
    for &o in region.outputs.iter().rev() {
        let Some(b) = draft.scope.derivative_place(&region.places[o].place) else {
            continue;
        };
        if popped.iter().any(|entry| entry.0 == o) {
            let d = draft.scope.scalar_temporary(ty);
            adjoint.push(Stmt::assign(Place::whole(d), Expr::Place(b.clone())));
            seeds.insert(o, d);
        }
        let is_set = |input: &Input| input.place == o;
        if !region.places[o].is_sum && !region.inputs.iter().any(is_set) {
            adjoint.push(Stmt::assign(b, zero(ty)));
        }
    }
    for (i, input) in region.inputs.iter().enumerate() {
        let Some(b) = draft
            .scope
            .derivative_place(&region.places[input.place].place)
        else {
            continue;
        };
        let own = popped.iter().rev().filter(|entry| entry.1 == i);
        let products = own.filter_map(|(o, _, entry)| {
            let seed = Expr::var(*seeds.get(o)?);
            Some(Expr::op(Op::StrongMul, [seed, Expr::var(*entry)]))
        });
        // The old adjoint of an output has gone into its seed.
        let old = (!region.outputs.contains(&input.place)).then(|| Expr::Place(b.clone()));
        let terms = old.into_iter().chain(products);
        if let Some(value) = sum(terms.collect()) {
            adjoint.push(Stmt::assign(b, value));
        }
    }
    Ends {
        written: region.written.clone(),
        start,
        pushes,
        reads: primal_reads(&adjoint, draft.originals, &draft.locations),
        adjoint,
        entry: region.entry,
        first: region.vertices[0],
    }
}
