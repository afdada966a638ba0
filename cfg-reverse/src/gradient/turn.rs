//! The loop at the turn: where the forward sweep ends with a loop whose iterations share nothing but sums, the gradient
//! reverses each iteration before it begins the next one.
//!
//! With F = P; L; S and its reverse S'; L'; P', where the loop L runs iterations f1 ... fn and L' runs rn ... r1, the
//! gradient P; (f1 ... fn); S; S'; (rn ... r1); P' becomes
//!
//! ```text
//! P; S'; (f1 r1 ... fn rn); S; P'    if S' needs nothing that L or S computes
//! P; (f1 r1 ... fn rn); S; S'; P'    if L' needs nothing that S' computes
//! ```
//!
//! The tape then holds one iteration at a time. Nothing of an iteration is needed behind it, which the plan of the
//! sweeps takes into account ([`cfg_analysis::tbr::ReverseSweep::is_reversed_before`]). [`independent`] has the
//! conditions, [`facts`] the accesses that they speak of, [`splice`] puts the graphs together. The iterations keep the
//! order of the program; increments of adjoints come in that order, too, so that last bits may differ from a reverse
//! sweep that runs from the last iteration to the first one.
//!
//! Source: the report on Tapenade calls such loops parallel and reverses them in one body (L. Hascoët, V. Pascual, *The
//! Tapenade AD tool*, INRIA RR-7957, "II-LOOP").

mod facts;
mod independent;
mod ranges;
mod splice;

use cfg_core::{
    diagnostic::Diagnostics,
    entity::{EdgeId, VarId, VertexId},
    ir::{
        Cfg, ControlWidth, Intent, NameOrigin, NameRole, OriginRole, Place, Program, Role, Routine,
        Stmt, StmtKind, TapeClass, VertexKind,
        visit::VisitMut as _,
    },
    memory::{access::Accesses, effects::Effects, locations::Locations},
};
use std::collections::HashMap;

use crate::{
    code::{
        built, expressions::as_place, names::Namer, renumbered::Renumbered, routines::is_deferred,
    },
    gradient::{
        changes::popped_elements,
        keep_aside,
        turn::{facts::Graph, independent::Parts, ranges::Ranges},
    },
    memory::increments::Increments,
    plan::{draft::Draft, provisions::Provisions, shape::Shape},
    prepare::context::Context,
    sweeps::{Sweeps, reverse::simplified},
};

/// Most loops of a routine that are tried.
const MOST_TRIED: usize = 4;

/// Most vertices of a routine, times its variables.
const MOST_STATES: usize = 1 << 24;

/// The sweeps of a routine as parts of one routine: variables of both, a graph of each.
struct Joined {
    routine: Routine,
    forward: Cfg,
    reverse: Cfg,
}

/// The gradient of the main routine with a loop at the turn, if it has one; without independents and dependents.
///
/// `program` has the sweeps of all routines.
pub(crate) fn at_turn(
    context: &Context,
    draft: &mut Draft<'_>,
    loops: &[(VertexId, EdgeId)],
    program: &Program,
) -> Result<Option<Routine>, Diagnostics> {
    let original = context.program.routine(draft.id);
    let effects = Effects::summarise(program);
    let called = context.sweeps[draft.id.index()].map(|(f, b)| [f, b]).into_iter().flatten();
    let mut among: Vec<_> = called.flat_map(|r| effects.calls.reachable(r)).collect();
    among.sort_unstable();
    among.dedup();
    let increments = Increments::find(program, &among);
    for &(header, back) in loops {
        record_functions(draft, header);
        let draft = &*draft;
        let provisions = Provisions::solve_with_turn(context, draft, Some(back));
        let sweeps = Sweeps {
            context,
            draft,
            provisions: &provisions,
            in_one: true,
        };
        let forward = sweeps.forward(String::new())?;
        let reverse = sweeps.reverse_with_zeros(String::new(), draft.adjoints.clone())?;
        let Some(mut joined) = join(draft, original, forward, reverse) else {
            return Ok(None);
        };
        let structures = [
            built::structure(&joined.forward)?,
            built::structure(&joined.reverse)?,
        ];
        let accesses = Accesses::resolve(program, &effects, &joined.routine);
        let locations = Locations::divide(program, &joined.routine);
        let cfgs = [&joined.forward, &joined.reverse];
        let graphs = [0, 1].map(|k| Graph {
            cfg: cfgs[k],
            structure: &structures[k],
            accesses: &accesses,
            locations: &locations,
            routine: &joined.routine,
            increments: &increments,
            ranges: Ranges::find(program, &joined.routine, &locations, cfgs, (cfgs[k], &structures[k])),
            program,
            effects: &effects,
        });
        if !graphs.iter().all(Graph::names_all_globals) {
            return Ok(None);
        }
        let Some(parts) = Parts::divide(draft, header, &graphs) else {
            continue;
        };
        let order = independent::order(draft, &provisions, header, &graphs, &parts);
        let Some((order, written)) = order else {
            continue;
        };
        let is_changed = |v: VarId| written.contains(locations.of_variable(v).index());
        let Some(keep) = changed_results(context, draft, &provisions, &joined.routine, is_changed) else {
            continue;
        };
        let mut kept = Vec::new();
        let restored = keep_aside(&mut joined.routine, keep, &mut kept);
        let aside = [kept, restored].map(|guarded| guarded.into_iter().map(|(_, s)| s).collect());
        let graphs = [joined.forward, joined.reverse];
        joined.routine.body = Some(splice::splice(graphs, &structures, &parts, order, aside)?);
        return Ok(Some(simplified(joined.routine, draft.originals)));
    }
    Ok(None)
}

/// Lets the assignments in a loop record functions rather than compute them again: their values stay on the tape for one
/// iteration.
fn record_functions(draft: &mut Draft<'_>, header: VertexId) {
    let Shape::Structured(structure) = draft.shape else {
        return;
    };
    for k in 0..draft.alternatives.len() {
        let outward = |v: &VertexId| structure.parent[v.index()];
        let mut around = std::iter::successors(Some(draft.alternatives[k].at.vertex), outward);
        if around.any(|v| v == header) {
            draft.rewrite(k, draft.alternatives[k].ways.len() - 1);
        }
    }
}

/// The results of the original that the reverse sweep changes; none if one of them may be absent.
fn changed_results(
    context: &Context,
    draft: &Draft<'_>,
    provisions: &Provisions<'_>,
    routine: &Routine,
    is_changed: impl Fn(VarId) -> bool,
) -> Option<Vec<Place>> {
    let elements = popped_elements(context, draft, provisions);
    let mut keep = Vec::new();
    for v in (0..draft.originals).map(VarId::new) {
        let variable = routine.variable(v);
        // Scratch pools are dead behind the gradient: no value there has to be restored.
        let origin = variable.origin.as_deref();
        let is_gone = origin.is_some_and(|origin| origin.role.is_scratch_pool());
        if variable.role == Role::Local || is_gone || !is_changed(v) {
            continue;
        }
        if let Role::Parameter { optional: true, .. } = variable.role {
            return None;
        }
        match elements.get(&v) {
            Some(elements) => keep.extend(elements.iter().cloned()),
            None => keep.push(Place::whole(v)),
        }
    }
    Some(keep)
}

/// The loops outside of all others whose bodies the reverse sweep visits, the deepest nests first, of equal ones the
/// last; each with its back edge.
pub(crate) fn candidates(context: &Context, draft: &Draft<'_>) -> Vec<(VertexId, EdgeId)> {
    let Shape::Structured(structure) = draft.shape else {
        return Vec::new();
    };
    let cfg = draft.cfg;
    let original = context.program.routine(draft.id);
    let states = original.variables.len().saturating_mul(cfg.vertex_count());
    if context.trace
        || context.overlapping.contains(draft.id.index())
        || original.aliased
        || original.variables.iter().any(is_deferred)
        || states > MOST_STATES
    {
        return Vec::new();
    }
    let mut depth = 0;
    let mut found = Vec::new();
    for &v in structure.order.iter().rev() {
        depth = depth.max(structure.loop_depth[v.index()]);
        if structure.parent[v.index()].is_some() {
            continue;
        }
        if let VertexKind::Loop { .. } = cfg.vertex(v).kind
            && draft.with_adjoints.contains(v.index())
            && !draft.carried.has(v)
        {
            let mut edges = cfg.in_edges(v).iter().copied();
            let back = edges.find(|&e| structure.kind(e).loop_back);
            found.extend(back.map(|back| (depth, v, back)));
        }
        depth = 0;
    }
    found.sort_by_key(|&(depth, ..)| std::cmp::Reverse(depth));
    found.truncate(MOST_TRIED);
    found.into_iter().map(|(_, v, back)| (v, back)).collect()
}

/// Gives both sweeps the variables of one routine, which has the parameters of the gradient.
fn join(
    draft: &Draft<'_>,
    original: &Routine,
    forward: Routine,
    reverse: Routine,
) -> Option<Joined> {
    let mut routine = reverse;
    let mut namer: Namer = draft.scope.namer.clone();
    for variable in &routine.variables {
        namer.reserve(&variable.name);
    }
    let same = draft.tape.index() + 1;
    let popped = popped_for(&forward, &routine, same);
    let mut numbers: Vec<VarId> = (0..same).map(VarId::new).collect();
    for (v, variable) in forward.variables.iter().enumerate().skip(same) {
        let known = match variable.role {
            Role::Global(_) => {
                let mut variables = routine.variables.iter();
                variables.position(|v| v.role == variable.role).map(VarId::new)
            }
            Role::Local | Role::Parameter { .. } => popped.get(&VarId::new(v)).copied(),
        };
        numbers.push(match known {
            Some(v) => v,
            None => {
                let mut variable = variable.clone();
                variable.name = namer.fresh_name(std::mem::take(&mut variable.name));
                routine.add_variable(variable)
            }
        });
    }
    let mut forward = forward;
    Renumbered(numbers).visit_routine(&mut forward);
    for v in original.parameter_ids() {
        routine.variables[v.index()].role = original.variable(v).role;
    }
    if let Some(result) = original.result {
        routine.variables[result.index()].role = Role::Parameter {
            intent: Intent::Out,
            optional: false,
        };
    }
    routine.variables[draft.tape.index()].role = Role::Local;
    routine.parameters.retain(|&v| v != draft.tape);
    routine.origin = Some(Box::new(NameOrigin::new(NameRole::Gradient, &*original.name)));
    let reverse = routine.body.take()?;
    let forward = forward.body.take()?;
    Some(Joined {
        routine,
        forward,
        reverse,
    })
}

/// The temporary of the reverse sweep to which each temporary of the forward sweep is popped: of the same name, or the
/// number of passes through the same loop. `first`: the first temporary.
fn popped_for(forward: &Routine, reverse: &Routine, first: usize) -> HashMap<VarId, VarId> {
    let mut counts = HashMap::new();
    for (loop_id, statement) in counts_of_loops(reverse) {
        if let StmtKind::Pop { target, .. } = &statement.kind {
            counts.insert(loop_id, target.var);
        }
    }
    let mut found = HashMap::new();
    for (loop_id, statement) in counts_of_loops(forward) {
        if let (StmtKind::Push { value, .. }, Some(&popped)) = (&statement.kind, counts.get(&loop_id))
            && let Some(pushed) = as_place(value)
        {
            found.insert(pushed.var, popped);
        }
    }
    let temporaries = reverse.variables.iter().enumerate().skip(first);
    let temporaries = temporaries.filter(|(_, variable)| variable.role == Role::Local);
    let by_name: HashMap<&str, VarId> = temporaries.map(|(v, t)| (&*t.name, VarId::new(v))).collect();
    for statement in forward.statements() {
        if let StmtKind::Push { value, .. } = &statement.kind
            && let Some(pushed) = as_place(value).filter(|place| place.var.index() >= first)
        {
            let variable = forward.variable(pushed.var);
            let same = by_name.get(&*variable.name).copied();
            let same = same.filter(|&v| {
                let other = reverse.variable(v);
                (other.ty, &other.shape) == (variable.ty, &variable.shape)
            });
            if let Some(same) = same {
                found.entry(pushed.var).or_insert(same);
            }
        }
    }
    found
}

/// The statements that push or pop numbers of passes, each with the id of its loop.
fn counts_of_loops(routine: &Routine) -> impl Iterator<Item = (i64, &Stmt)> {
    let vertices = routine.body.iter().flat_map(Cfg::vertices);
    let inserted = vertices.filter_map(|(_, vertex)| {
        let origin = vertex.origin?;
        let is_count = matches!(origin.role, OriginRole::CounterPush | OriginRole::BoundPop);
        is_count.then_some((origin.vertex, vertex))
    });
    inserted.flat_map(|(id, vertex)| {
        let statements = vertex.statements().iter();
        let counts = statements.filter(|statement| {
            let class = match &statement.kind {
                StmtKind::Push { class, .. } | StmtKind::Pop { class, .. } => Some(*class),
                _ => None,
            };
            class == Some(TapeClass::Control(ControlWidth::Count))
        });
        counts.map(move |statement| (id, statement))
    })
}
