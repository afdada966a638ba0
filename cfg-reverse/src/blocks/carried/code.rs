//! The code of carried regions.
//!
//! Let x be the inputs and y the outputs of a region. Each assignment inside is preceded by its tangents by each input
//! that its target may depend on, with the unit vectors of the inputs as tangents at the start. Behind the region the
//! forward sweep pushes the entries of dy/dx that may not be zero; the reverse sweep pops them, and increments the
//! adjoint of x by the transposed product with that of y, which is then 0. A sum keeps its adjoint. (Griewank &
//! Walther, *Evaluating Derivatives*, 2nd ed., section 10.2, preaccumulation, by the forward mode along the path that a
//! run takes.)
//!
//! Elements and the unit tangents of values that the region does not assign have stand-ins while tangents are written:
//! variables that the places and the constant 1 replace in the end.

use cfg_analysis::exceptions::Exceptions;
use cfg_core::{
    entity::{VarId, VertexId},
    flat::FlatStmt,
    ir::{Expr, NameOrigin, NameRole, Op, Place, Role, ScalarType, Stmt, StmtKind, Variable},
};
use std::{collections::HashMap, sync::Arc};

use crate::{
    code::{
        expressions::{real, sum, zero},
        routines::tape_class,
        typing::expr_type,
    },
    partials::{Unsupported, assignment, scope::Scope},
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
    /// The variable that stands for each place while tangents are written.
    stand_in: Vec<VarId>,
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

/// A product without a factor that is the constant 1, or with a sign for -1. An integer factor stays in its product,
/// which converts it.
fn without_units(variables: &[Variable], op: Op, operands: Box<[Expr]>) -> Expr {
    let is_real = |e: &Expr| expr_type(variables, e).ty.is_real();
    let is_one = |e: &Expr| matches!(e, Expr::Real(1.0) | Expr::Real32(1.0));
    let is_minus_one = |e: &Expr| matches!(e, Expr::Real(-1.0) | Expr::Real32(-1.0));
    match (op, &*operands) {
        (Op::Mul | Op::StrongMul, [one, other]) if is_one(one) && is_real(other) => other.clone(),
        (Op::Mul, [other, one]) if is_one(one) && is_real(other) => other.clone(),
        (Op::Mul | Op::StrongMul, [minus, other]) if is_minus_one(minus) && is_real(other) => {
            Expr::op(Op::Neg, [other.clone()])
        }
        (Op::Neg, [Expr::Real(c)]) => Expr::Real(-c),
        (Op::Neg, [Expr::Real32(c)]) => Expr::Real32(-c),
        _ => Expr::Op(op, operands),
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
    for &v in &region.vertices {
        let mut row = Vec::new();
        for statement in draft.cfg.vertex(v).statements() {
            let mut code = Vec::new();
            if let FlatStmt::Assign { target, value } = FlatStmt::view(&statement.kind)
                && let Some(k) = region.number(target)
            {
                let value = with_stand_ins(region, names, value);
                let target = Place::whole(names.stand_in[k]);
                for (input, tangents) in region.inputs.iter().zip(&names.tangents) {
                    if input.varied & (1 << k) == 0 {
                        continue;
                    }
                    set_direction(region, names, tangents, scope, true);
                    let tangent = assignment::tangent(scope, &target, &value);
                    set_direction(region, names, tangents, scope, false);
                    let variables = &scope.routine.variables;
                    let tangent = tangent?.into_iter();
                    code.extend(tangent.map(|s| replaced(s, variables, stand_ins)));
                }
            }
            code.push(statement.clone());
            row.push(code);
        }
        rows.insert(v, row);
    }
    Ok(())
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

/// Makes the places that depend on an input those with derivatives, or takes that back.
fn set_direction(
    region: &Region,
    names: &Names,
    tangents: &[Option<VarId>],
    scope: &mut Scope,
    is_on: bool,
) {
    for (k, tangent) in tangents.iter().enumerate() {
        let v = names.stand_in[k];
        let of = tangent.filter(|_| is_on);
        scope.derivative[v.index()] = of;
        scope.active.set(v.index(), of.is_some());
        scope
            .wanted
            .set(v.index(), of.is_some() && region.places[k].is_written);
    }
}

/// A statement of a tangent, without stand-ins.
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
