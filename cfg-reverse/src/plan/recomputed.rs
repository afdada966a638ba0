//! Scalars that the reverse sweep computes again where it needs them, instead of popping a word in each pass.
//!
//! Let t be a local scalar with one assignment D: t := e in the routine, where e takes a few operations on operands
//! that nothing overwrites ([`Free`]): of reals additions and multiplications. The adjoint of a statement s that reads t
//! may begin with t := e if s sees the value that D assigned in the same passes of all loops around D: D dominates s,
//! and the innermost loop around D is around s, too. (A path to s that avoids D in a later pass would avoid it in the
//! first one.) Then s reads the operands of e in place of t. If all readers of t are such statements, t is no longer to
//! be recorded for any of them. L. Hascoët, V. Pascual, *The Tapenade AD tool*, INRIA RR-7957, section 5.2, calls this
//! recomputation.
//!
//! A compiler may contract the recomputed value of a real. So reals that are compared or passed on, or of which
//! subscripts, bounds and integers are made, are recorded as before. Integers are evaluated exactly. Those that a loop
//! has as a bound are recorded as before, too: they are there.

use cfg_core::{
    dataflow::Position,
    entity::{VarId, VertexId},
    flat::{FlatExpr, FlatStmt},
    graph::dominance::Dominators,
    ir::{Expr, Op, Place, Role, Stmt, VertexKind},
    memory::named::Named,
    structure::Structure,
};
use fixedbitset::FixedBitSet;
use std::collections::BTreeMap;

use crate::{
    code::typing::expr_type,
    plan::{
        branches::{self, Free},
        draft::Draft,
        shape::Shape,
    },
    prepare::context::Context,
};

/// Most operators and operands of an expression that is computed again: about as long as a word is pushed and popped.
const MOST_NODES: usize = 7;

/// An assignment that is computed again, and the statements whose adjoints begin with it.
struct Candidate {
    at: Position,
    /// The header of the innermost loop around it.
    around: Option<VertexId>,
    value: Expr,
    readers: Vec<Position>,
}

/// Writes recomputations into the adjoints of all routines; true if there is one.
pub(crate) fn recompute(context: &Context, drafts: &mut [Option<Draft<'_>>]) -> bool {
    let mut any = false;
    for draft in drafts.iter_mut().flatten() {
        let Shape::Structured(structure) = draft.shape else {
            continue;
        };
        let mut candidates = candidates(context, draft, structure);
        if candidates.is_empty() {
            continue;
        }
        let rough = roughly_read(draft);
        let variables = &draft.scope.routine.variables;
        let bounds = read_by_loops(draft);
        candidates.retain(|t, _| match variables[t.index()].ty.is_real() {
            true => !rough.contains(t.index()),
            false => !bounds.contains(t.index()),
        });
        find_readers(draft, structure, &mut candidates);
        any |= candidates.values().any(|found| !found.readers.is_empty());
        for (t, found) in candidates {
            draft.insert_recomputations(t, &found);
        }
    }
    any
}

/// The local scalars with one assignment, whose value is cheap and made of free operands, with that assignment.
fn candidates(
    context: &Context,
    draft: &Draft<'_>,
    structure: &Structure,
) -> BTreeMap<VarId, Candidate> {
    let routine = context.program.routine(draft.id);
    let mut written = vec![0_u8; routine.variables.len()];
    let globals = Named::collect(routine);
    let mut found = BTreeMap::new();
    Free::walk(
        context,
        draft.id,
        draft.cfg,
        structure,
        &draft.loops,
        |v, free| {
            // A loop writes its index in each pass.
            if let Some(index) = draft.cfg.vertex(v).kind.index() {
                written[index.index()] = u8::MAX;
            }
            for (s, statement) in draft.cfg.vertex(v).statements().iter().enumerate() {
                context
                    .summary
                    .each_written(&context.program, &globals, statement, &mut |u| {
                        written[u.index()] = written[u.index()].saturating_add(1);
                    });
                let Some((Place { var, subscripts }, value)) = statement.kind.assignment() else {
                    continue;
                };
                let variable = routine.variable(*var);
                let is_local = variable.role == Role::Local
                    && routine.result != Some(*var)
                    && !draft.locations.is_shared(*var);
                let is_cheap = match variable.ty.is_integer() {
                    true => branches::is_cheap(routine, value),
                    false => variable.ty.is_real() && is_cheap(value),
                };
                if is_local
                    && subscripts.is_empty()
                    && variable.rank() == 0
                    && is_cheap
                    && free.has_all_of(value)
                {
                    let at = Position {
                        vertex: v,
                        statement: s,
                    };
                    let value = value.clone();
                    let readers = Vec::new();
                    found.insert(
                        *var,
                        Candidate {
                            at,
                            around: free.innermost_loop(),
                            value,
                            readers,
                        },
                    );
                }
            }
        },
    );
    found.retain(|t: &VarId, _| written[t.index()] == 1);
    found
}

/// True if an expression has few nodes: sums, differences and products of elements, variables and constants.
fn is_cheap(e: &Expr) -> bool {
    let mut nodes = 0;
    let mut reads = false;
    let mut open = vec![e];
    // The walk ends at the first costly operator, or after [`MOST_NODES`].
    while let Some(e) = open.pop() {
        nodes += 1;
        match FlatExpr::view(e) {
            FlatExpr::Constant(_) => {}
            FlatExpr::Place(place) if place.subscripts.is_empty() || place.is_element() => {
                reads = true;
            }
            FlatExpr::Op(Op::Add | Op::Sub | Op::Mul | Op::Neg, operands) => open.extend(operands),
            FlatExpr::Place(_) | FlatExpr::Op(..) => return false,
        }
        if nodes > MOST_NODES {
            return false;
        }
    }
    // A constant is no value that is overwritten, so it would not be recorded often.
    reads
}

/// The variables that the routine or an adjoint compares, or makes a subscript, a bound or an integer of.
fn roughly_read(draft: &Draft<'_>) -> FixedBitSet {
    let variables = &draft.scope.routine.variables;
    let mut found = FixedBitSet::with_capacity(variables.len());
    let mut open: Vec<(&Expr, bool)> = Vec::new();
    for (v, vertex) in draft.cfg.vertices() {
        open.extend(vertex.kind.exprs().map(|e| (e, true)));
        let adjoints = draft.adjoints.row(v).iter();
        let adjoints = adjoints.flat_map(|a| a.before_pops.iter().chain(&a.code));
        for statement in vertex.statements().iter().chain(adjoints) {
            match FlatStmt::view(&statement.kind) {
                FlatStmt::Assign { target, value } => {
                    open.push((value, false));
                    open.extend(target.subscript_exprs().map(|e| (e, true)));
                }
                FlatStmt::Call {
                    arguments, result, ..
                } => {
                    open.extend(arguments.iter().flatten().map(|e| (e, false)));
                    let result = result.into_iter().flat_map(Place::subscript_exprs);
                    open.extend(result.map(|e| (e, true)));
                }
                FlatStmt::Push { .. }
                | FlatStmt::Pop { .. }
                | FlatStmt::Opaque { .. }
                | FlatStmt::Stop { .. } => {}
            }
        }
        while let Some((e, is_rough)) = open.pop() {
            match FlatExpr::view(e) {
                FlatExpr::Constant(_) => {}
                FlatExpr::Place(place) => {
                    if is_rough {
                        found.insert(place.var.index());
                    }
                    open.extend(place.subscript_exprs().map(|e| (e, true)));
                }
                FlatExpr::Op(_, operands) => {
                    let is_rough = is_rough || !expr_type(variables, e).ty.is_real();
                    open.extend(operands.iter().map(|e| (e, is_rough)));
                }
            }
        }
    }
    found
}

/// The variables that bounds, steps and conditions of loops read.
fn read_by_loops(draft: &Draft<'_>) -> FixedBitSet {
    let mut found = FixedBitSet::with_capacity(draft.scope.routine.variables.len());
    for (_, vertex) in draft.cfg.vertices() {
        if let VertexKind::Loop { .. } = vertex.kind {
            for e in vertex.kind.exprs() {
                e.walk_places(&mut |place| found.insert(place.var.index()));
            }
        }
    }
    found
}

/// Finds the statements whose adjoints read each candidate; candidates that some adjoint must read as recorded go.
fn find_readers(
    draft: &Draft<'_>,
    structure: &Structure,
    candidates: &mut BTreeMap<VarId, Candidate>,
) {
    let by_location: BTreeMap<u32, VarId> = (candidates.keys())
        .map(|&t| (draft.locations.of_variable(t).index() as u32, t))
        .collect();
    let entry = draft.cfg.entry().map_or(0, VertexId::index);
    let dominators = Dominators::new(draft.cfg, entry);
    for (v, vertex) in draft.cfg.vertices() {
        let rows = vertex.statements().iter().zip(draft.code.row(v));
        for (s, (statement, code)) in rows.enumerate() {
            let reader = Position {
                vertex: v,
                statement: s,
            };
            let reads = [code.reads_before.as_slice(), code.reads_after.as_slice()].concat();
            for t in reads.iter().filter_map(|l| by_location.get(l)) {
                let Some(found) = candidates.get_mut(t) else {
                    continue;
                };
                let sees = sees(structure, &dominators, found, reader);
                let is_real = draft.scope.routine.variable(*t).ty.is_real();
                let may_begin = match statement.kind.callee() {
                    // The reverse sweep of the callee.
                    Some(_) => !is_real && code.forward.is_some(),
                    None => statement.kind.assignment().is_some() && code.forward.is_none(),
                };
                if !sees || !may_begin {
                    candidates.remove(t);
                } else if found.readers.last() != Some(&reader) {
                    found.readers.push(reader);
                }
            }
        }
    }
}

/// True if a statement sees the value of an assignment that was made in the same passes of all loops around this.
fn sees(
    structure: &Structure,
    dominators: &Dominators,
    assignment: &Candidate,
    reader: Position,
) -> bool {
    let (from, to) = (assignment.at.vertex, reader.vertex);
    let comes_after = match from == to {
        true => assignment.at.statement < reader.statement,
        false => dominators.dominates(from.index(), to.index()),
    };
    let is_inside = assignment.around.is_none_or(|header| {
        let end = structure.partner(header).unwrap_or(header);
        let [first, last, at] = [header, end, to].map(|v| structure.position[v.index()]);
        first < at && at < last
    });
    comes_after && is_inside
}

impl Draft<'_> {
    /// Lets the adjoints of the readers of t begin with its assignment, and read the operands of that. Of several
    /// assignments that read it in a block the last one does, whose adjoint comes first.
    fn insert_recomputations(&mut self, t: VarId, found: &Candidate) {
        let location = self.locations.of_variable(t).index() as u32;
        for (k, reader) in found.readers.iter().enumerate() {
            let next = found.readers.get(k + 1);
            let is_last = next.is_none_or(|next| next.vertex != reader.vertex);
            let code = &mut self.code.row_mut(reader.vertex)[reader.statement];
            code.reads_before = code.reads_before.without(location);
            if !is_last && code.forward.is_none() {
                code.reads_after = code.reads_after.without(location);
                continue;
            }
            code.reads_after = (code.reads_after).behind(location, &found.value, &self.locations);
            let again = Stmt::assign(Place::whole(t), found.value.clone());
            let adjoint = &mut self.adjoints.row_mut(reader.vertex)[reader.statement];
            adjoint.before_pops.insert(0, again);
        }
    }
}
