//! Loops whose iterations share nothing but sums: the gradient reverses each iteration before it begins the next one,
//! at the turn, where the forward sweep ends, or in the place of the reverse loop.
//!
//! With F = P; L; S and its reverse S'; L'; P', where the loop L runs iterations f1 ... fn and L' runs rn ... r1, the
//! gradient P; (f1 ... fn); S; S'; (rn ... r1); P' becomes
//!
//! ```text
//! P; S'; (f1 r1 ... fn rn); S; P'    if S' needs nothing that L or S computes
//! P; (f1 r1 ... fn rn); S; S'; P'    if L' needs nothing that S' computes
//! P; L; S; S'; (f1 r1 ... fn rn); P' if f can run again, without its sums
//! ```
//!
//! The tape then holds one iteration at a time. Nothing of an iteration is needed behind it, which the plan of the
//! sweeps takes into account ([`cfg_analysis::tbr::ReverseSweep::is_reversed_before`]). [`independent`] has the
//! conditions, [`facts`] the accesses that they speak of, [`splice`] puts the graphs together. The iterations keep the
//! order of the program; increments of adjoints come in that order, too, so that last bits may differ from a reverse
//! sweep that runs from the last iteration to the first one.
//!
//! Where there are no such loops and results are dropped, the gradient has both sweeps in one, without the assignments
//! whose values no derivative needs.
//!
//! Source: checkpoints of each iteration of a loop with independent iterations, the directive II-LOOP in L. Hascoët, V.
//! Pascual, *The Tapenade AD tool*, INRIA RR-7957. Value and adjoint in one body, without a tape, are our own.

mod facts;
mod independent;
mod join;
mod locals;
mod ranges;
mod splice;

use cfg_core::{
    diagnostic::Diagnostics,
    entity::{EdgeId, RoutineId, VarId, VertexId},
    ir::{
        Cfg, Expr, Intent, Place, Program, Role, Routine, Stmt, VertexKind,
        visit::{PlaceRole, Visit, walk_statement},
    },
    memory::{access::Accesses, effects::Effects, locations::Locations},
    structure::Structure,
};
use fixedbitset::FixedBitSet;
use std::collections::HashMap;

use crate::{
    code::{built, expressions::is_library_function, names::Namer, routines::is_deferred},
    gradient::{
        active::declare_active,
        changes::popped_elements,
        keep_aside,
        turn::{
            facts::{Graph, uses_tape},
            independent::{Loops, Parts, Ways, ways_through},
            join::{Joined, join},
            locals::keep_in_locals,
            ranges::Ranges,
            splice::{Place as At, splice},
        },
    },
    memory::increments::{Increments, added_operands},
    options::{Prefer, Results},
    plan::{
        draft::{Draft, insert_around},
        left_out::find_left_out,
        provisions::Provisions,
        shape::Shape,
    },
    prepare::context::Context,
    sweeps::{Sweeps, reverse::simplified},
};

/// Most loops of a routine that are tried.
const MOST_TRIED: usize = 4;

/// Most vertices of a routine, times its variables.
const MOST_STATES: usize = 1 << 24;

/// The outcome of an attempt to write a gradient with some loops.
enum Attempt {
    Written(Routine),
    /// The loops with these headers have a place, others have none.
    Only(Vec<VertexId>),
    Impossible,
}

/// The loops of an attempt that have a place, in the order of the forward sweep, and the facts that their bodies are
/// written from.
struct Placed {
    loops: Vec<(Parts, At)>,
    /// The locations that are summed in each loop that runs again.
    sums: Vec<Option<FixedBitSet>>,
    locations: Locations,
    /// The locations that the reverse sweep writes outside of the loops.
    written: FixedBitSet,
}

impl Placed {
    /// True for a statement that adds to a sum of the `j`-th loop, which runs again.
    fn is_sum(&self, j: usize, statement: &Stmt) -> bool {
        let locations = &self.locations;
        let target = added_operands(statement, |a, b| locations.may_share(a, b));
        target.is_some_and(|(target, _)| {
            let l = locations.of_variable(target.var).index();
            self.sums[j].as_ref().is_some_and(|sums| sums.contains(l))
        })
    }
}

/// The gradient of the main routine, still without a name, if it has loops whose iterations are independent.
///
/// `program` has the sweeps of all routines.
pub(crate) fn at_turn(
    context: &Context,
    draft: &mut Draft<'_>,
    loops: &[(VertexId, EdgeId)],
    program: &Program,
    results: Results,
) -> Result<Option<Routine>, Diagnostics> {
    let Some((forward, reverse)) = context.sweeps[draft.id.index()] else {
        return Ok(None);
    };
    let effects = Effects::summarise(program);
    let attempts = Attempts {
        context,
        program,
        results,
        increments: increments_of(program, &effects, [forward, reverse]),
        effects: &effects,
        recording: recording_loops(draft, program.routine(forward)),
        costly: costly_loops(draft),
    };
    let ways: Vec<usize> = draft.alternatives.iter().map(|of| of.way).collect();
    let mut chosen = loops.to_vec();
    while !chosen.is_empty() {
        record_functions(draft, &chosen, &ways);
        match attempts.write_with(draft, &chosen)? {
            Attempt::Written(routine) => return Ok(Some(routine)),
            Attempt::Only(headers) => chosen.retain(|of| headers.contains(&of.0)),
            Attempt::Impossible => break,
        }
    }
    record_functions(draft, &[], &ways);
    match results {
        Results::Keep => Ok(None),
        Results::Drop => attempts.write_sliced(draft),
    }
}

/// The increments of the routines that the sweeps call, and of the sweeps.
fn increments_of(program: &Program, effects: &Effects, sweeps: [RoutineId; 2]) -> Increments {
    let called = sweeps.into_iter();
    let mut among: Vec<_> = called.flat_map(|r| effects.calls.reachable(r)).collect();
    among.sort_unstable();
    among.dedup();
    Increments::find(program, &among)
}

/// The facts that all attempts share.
struct Attempts<'a> {
    context: &'a Context,
    program: &'a Program,
    effects: &'a Effects,
    increments: Increments,
    results: Results,
    /// The loops that record something.
    recording: FixedBitSet,
    /// The loops that take long to run again.
    costly: FixedBitSet,
}

impl Attempts<'_> {
    /// Tries to write the gradient so that these loops have both bodies.
    fn write_with(
        &self,
        draft: &Draft<'_>,
        chosen: &[(VertexId, EdgeId)],
    ) -> Result<Attempt, Diagnostics> {
        let turns: Vec<EdgeId> = chosen.iter().map(|of| of.1).collect();
        let elements = Provisions::element_reads(self.context, draft);
        let provisions = Provisions::solve_with(self.context, draft, elements, &turns);
        let Some(joined) = self.joined_sweeps(draft, &provisions)? else {
            return Ok(Attempt::Impossible);
        };
        let structures = [
            built::structure(&joined.forward)?,
            built::structure(&joined.reverse)?,
        ];
        let Some(placed) = self.find_places(draft, &provisions, &joined, &structures, chosen)
        else {
            return Ok(Attempt::Impossible);
        };
        if placed.loops.len() < chosen.len() {
            let headers = placed.loops.iter().map(|(parts, _)| parts.header);
            return Ok(Attempt::Only(headers.collect()));
        }
        let written = self.write(draft, &provisions, joined, &structures, &placed)?;
        Ok(written.map_or(Attempt::Impossible, Attempt::Written))
    }

    /// The forward and the reverse sweep as parts of one routine; none if they do not fit, or are too large to be looked at.
    fn joined_sweeps<'a>(
        &'a self,
        draft: &'a Draft<'a>,
        provisions: &'a Provisions<'a>,
    ) -> Result<Option<Joined>, Diagnostics> {
        let sweeps = Sweeps {
            context: self.context,
            draft,
            provisions,
            in_one: true,
        };
        let forward = sweeps.forward(String::new())?;
        let reverse = sweeps.reverse_with_zeros(String::new(), draft.adjoints.clone())?;
        let original = self.context.program.routine(draft.id);
        // A set of locations is kept for each vertex.
        Ok(join(draft, original, forward, reverse).filter(|joined| {
            let vertices = joined.forward.vertex_count() + joined.reverse.vertex_count();
            joined.routine.variables.len().saturating_mul(vertices) <= MOST_STATES
        }))
    }

    /// Finds the places of the chosen loops; none if nothing is known about calls that they make.
    fn find_places(
        &self,
        draft: &Draft<'_>,
        provisions: &Provisions<'_>,
        joined: &Joined,
        structures: &[Structure; 2],
        chosen: &[(VertexId, EdgeId)],
    ) -> Option<Placed> {
        let (program, routine) = (self.program, &joined.routine);
        let accesses = Accesses::resolve(program, self.effects, routine);
        let locations = Locations::divide(program, routine);
        let cfgs = [&joined.forward, &joined.reverse];
        let graphs = [0, 1].map(|k| Graph {
            cfg: cfgs[k],
            structure: &structures[k],
            accesses: &accesses,
            locations: &locations,
            routine,
            increments: &self.increments,
            ranges: Ranges::find(
                program,
                routine,
                &locations,
                cfgs,
                (cfgs[k], &structures[k]),
            ),
            program,
            effects: self.effects,
        });
        if !graphs.iter().all(Graph::names_all_globals) {
            return None;
        }
        let parts = chosen
            .iter()
            .map(|&(header, _)| Parts::divide(draft, header, &graphs));
        let loops = Loops::find(&graphs, parts.flatten().collect());
        let ways: Vec<Option<Ways>> = (0..loops.parts.len())
            .map(|k| self.paying_ways(draft, provisions, &loops, k))
            .collect();
        let rank = |k: usize| chosen.iter().position(|of| of.0 == loops.parts[k].header);
        let places = places(&ways, rank);
        let written = loops.written_outside();
        let (mut placed, mut sums) = (Vec::new(), Vec::new());
        for ((parts, place), ways) in loops.parts.into_iter().zip(places).zip(ways) {
            if let Some(place) = place {
                placed.push((parts, place));
                sums.push(ways.and_then(|ways| ways.again));
            }
        }
        Some(Placed {
            loops: placed,
            sums,
            locations,
            written,
        })
    }

    /// The ways through a loop, without a second run that does not pay.
    fn paying_ways(
        &self,
        draft: &Draft<'_>,
        provisions: &Provisions<'_>,
        loops: &Loops<'_, '_>,
        k: usize,
    ) -> Option<Ways> {
        let mut ways = ways_through(draft, provisions, loops, k)?;
        // A second run costs more than it spares where nothing is recorded, and time where functions are evaluated.
        let header = loops.parts[k].header.index();
        let pays = match self.context.prefer {
            Prefer::Time => self.recording.contains(header) && !self.costly.contains(header),
            Prefer::Memory => self.recording.contains(header),
        };
        ways.again.take_if(|_| !pays);
        Some(ways)
    }

    /// Writes the gradient; none if a result that the reverse sweep changes may be absent.
    fn write(
        &self,
        draft: &Draft<'_>,
        provisions: &Provisions<'_>,
        mut joined: Joined,
        structures: &[Structure; 2],
        placed: &Placed,
    ) -> Result<Option<Routine>, Diagnostics> {
        let context = self.context;
        let is_changed = |v: VarId| {
            let l = placed.locations.of_variable(v);
            placed.written.contains(l.index())
        };
        let keep = changed_results(context, draft, provisions, &joined.routine, is_changed);
        let Some(mut keep) = keep else {
            return Ok(None);
        };
        let dropped: Vec<VarId> = match self.results {
            Results::Keep => Vec::new(),
            Results::Drop => keep.drain(..).map(|place| place.var).collect(),
        };
        let mut kept = Vec::new();
        let restored = keep_aside(&mut joined.routine, keep, &mut kept);
        let aside = [kept, restored].map(|guarded| guarded.into_iter().map(|(_, s)| s).collect());
        let loops: Vec<(&Parts, At)> = (placed.loops.iter())
            .map(|(parts, place)| (parts, *place))
            .collect();
        let graphs = [joined.forward, joined.reverse];
        let is_sum = |j: usize, statement: &Stmt| placed.is_sum(j, statement);
        let body = splice(draft, graphs, structures, &loops, aside, is_sum)?;
        let mut routine = self.finish(draft, body, joined.routine, &mut joined.namer)?;
        routine.dependents.retain(|v| !dropped.contains(v));
        Ok(Some(routine))
    }

    /// Writes both sweeps in one routine, without the assignments whose values no derivative needs; none if there are
    /// no such assignments.
    fn write_sliced(&self, draft: &mut Draft<'_>) -> Result<Option<Routine>, Diagnostics> {
        draft.left_out = find_left_out(self.context, draft);
        if draft.left_out.is_empty() {
            return Ok(None);
        }
        let draft = &*draft;
        let elements = Provisions::element_reads(self.context, draft);
        let provisions = Provisions::solve_with(self.context, draft, elements, &[]);
        let Some(mut joined) = self.joined_sweeps(draft, &provisions)? else {
            return Ok(None);
        };
        let structures = [
            built::structure(&joined.forward)?,
            built::structure(&joined.reverse)?,
        ];
        let graphs = [joined.forward, joined.reverse];
        let aside = [Vec::new(), Vec::new()];
        let body = splice(draft, graphs, &structures, &[], aside, |_, _| false)?;
        let mut routine = self.finish(draft, body, joined.routine, &mut joined.namer)?;
        let is_lost = |v: &VarId| {
            let intent = routine.variables[v.index()].intent();
            v.index() < draft.originals && intent == Some(Intent::InOut)
        };
        let lost: Vec<VarId> = routine.dependents.iter().copied().filter(is_lost).collect();
        routine.dependents.retain(|v| !lost.contains(v));
        Ok(Some(routine))
    }

    /// The gradient with this graph.
    fn finish(
        &self,
        draft: &Draft<'_>,
        body: Cfg,
        mut routine: Routine,
        namer: &mut Namer,
    ) -> Result<Routine, Diagnostics> {
        let structure = built::structure(&body)?;
        routine.body = Some(body);
        let routine = keep_in_locals(routine, draft.tape, self.program, &structure, namer);
        let mut routine = simplified(routine, draft.originals);
        let original = self.context.program.routine(draft.id);
        let primal = original.parameters.len() + usize::from(original.result.is_some());
        declare_active(self.context, original, self.program, &mut routine, primal);
        Ok(routine)
    }
}

/// The place of each loop; none where its iterations are not independent. Of those that may run at the turn, the one of
/// the lowest rank does.
fn places(ways: &[Option<Ways>], rank: impl Fn(usize) -> Option<usize>) -> Vec<Option<At>> {
    let may_turn = |&k: &usize| ways[k].as_ref().is_some_and(|w| w.before || w.behind);
    let turn = (0..ways.len()).filter(may_turn).min_by_key(|&k| rank(k));
    let at_turn = turn.and_then(|turn| Some((turn, ways[turn].as_ref()?)));
    // Loops behind the one at the turn run again only if their reverse loops stay behind them.
    let is_cut_off = |k: usize| at_turn.is_some_and(|(turn, ways)| !ways.behind && k > turn);
    let again = |k: usize| {
        let may = ways[k].as_ref().is_some_and(|ways| ways.again.is_some());
        (may && !is_cut_off(k)).then_some(At::Again)
    };
    let mut places: Vec<Option<At>> = (0..ways.len()).map(again).collect();
    if let Some((turn, ways)) = at_turn {
        let is_followed = places[turn + 1..].iter().any(Option::is_some);
        places[turn] = Some(match ways.before && !is_followed {
            true => At::Before,
            false => At::Behind,
        });
    }
    places
}

/// The headers of loops and branches in which functions of a library are evaluated, or routines called.
fn costly_loops(draft: &Draft<'_>) -> FixedBitSet {
    let mut found = FixedBitSet::with_capacity(draft.cfg.vertex_count());
    let Shape::Structured(structure) = draft.shape else {
        return found;
    };
    for (v, vertex) in draft.cfg.vertices() {
        let mut costly = Costly(false);
        costly.visit_vertex(v, vertex);
        if costly.0 {
            insert_around(structure, v, &mut found);
        }
    }
    found
}

/// True as soon as a function of a library, or a call, has been visited.
struct Costly(bool);

impl<'ir> Visit<'ir> for Costly {
    fn visit_statement(&mut self, statement: &'ir Stmt) {
        self.0 |= statement.kind.callee().is_some();
        walk_statement(self, statement);
    }

    fn visit_expr(&mut self, e: &'ir Expr, _: PlaceRole) {
        e.walk(&mut |e| self.0 |= is_library_function(e));
    }
}

/// The loops, outside of all others, in which a forward sweep uses the tape.
fn recording_loops(draft: &Draft<'_>, forward: &Routine) -> FixedBitSet {
    let mut found = FixedBitSet::with_capacity(draft.cfg.vertex_count());
    let Shape::Structured(structure) = draft.shape else {
        return found;
    };
    let by_id: HashMap<i64, VertexId> = draft
        .cfg
        .vertices()
        .map(|(v, vertex)| (vertex.id, v))
        .collect();
    for (_, vertex) in forward.body.iter().flat_map(Cfg::vertices) {
        let mut statements = vertex.statements().iter();
        let original = vertex
            .origin
            .and_then(|origin| by_id.get(&origin.vertex).copied());
        if let Some(v) = original.filter(|_| statements.any(|s| uses_tape(forward, s))) {
            insert_around(structure, v, &mut found);
        }
    }
    found
}

/// Lets the assignments in loops record functions rather than compute them again: their values stay on the tape for one
/// iteration. All others are written in these ways.
fn record_functions(draft: &mut Draft<'_>, loops: &[(VertexId, EdgeId)], ways: &[usize]) {
    let Shape::Structured(structure) = draft.shape else {
        return;
    };
    for (k, &way) in ways.iter().enumerate() {
        let outward = |v: &VertexId| structure.parent[v.index()];
        let around = std::iter::successors(Some(draft.alternatives[k].at.vertex), outward);
        let outermost = around.last();
        let is_inside = loops.iter().any(|&(header, _)| Some(header) == outermost);
        let last = draft.alternatives[k].ways.len() - 1;
        draft.rewrite(k, if is_inside { last } else { way });
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

/// True if both sweeps of a routine may become one routine.
pub(crate) fn may_be_joined(context: &Context, draft: &Draft<'_>) -> bool {
    let original = context.program.routine(draft.id);
    let states = (original.variables.len()).saturating_mul(draft.cfg.vertex_count());
    matches!(draft.shape, Shape::Structured(_))
        && !context.trace
        && !context.overlapping.contains(draft.id.index())
        && !original.aliased
        && !original.variables.iter().any(is_deferred)
        && states <= MOST_STATES
}

/// The loops outside of all others whose bodies the reverse sweep visits, the deepest nests first, of equal ones the
/// last; each with its back edge.
pub(crate) fn candidates(context: &Context, draft: &Draft<'_>) -> Vec<(VertexId, EdgeId)> {
    let Shape::Structured(structure) = draft.shape else {
        return Vec::new();
    };
    if !may_be_joined(context, draft) {
        return Vec::new();
    }
    let cfg = draft.cfg;
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
