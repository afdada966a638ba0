//! Values at the end of a routine that its reverse sweep needs. Locals die there, so their values are recorded;
//! parameters and globals live on, so the callers must keep them.

use cfg_core::{
    dataflow::solve_across_calls,
    entity::{RoutineId, VarId, VertexId},
    ir::{Expr, Intent, Place, Role, Routine, ScalarType, StmtKind, VertexKind},
    memory::{global_set::GlobalSet, named::global_variables},
};
use fixedbitset::FixedBitSet;

use crate::{
    code::routines::{each_extent, is_deferred},
    plan::{adjoints::read_by_subscripts, draft::Draft, provisions::Provisions},
    prepare::{context::Context, reruns::Kept},
};

/// The variables whose values at the routine's end its reverse sweep reads.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Needed {
    /// The variables of the routine.
    pub(crate) variables: FixedBitSet,
    /// The globals, including those that only callees name.
    pub(crate) globals: GlobalSet,
}

/// The parameters, the result and the globals in the set at EXIT, and the variables of extents.
pub(crate) fn needed_at_exit(
    routine: &Routine,
    provisions: &Provisions<'_>,
    exit: VertexId,
) -> Needed {
    let set = &provisions.at(exit);
    let mut needed = Needed {
        variables: FixedBitSet::with_capacity(routine.variables.len()),
        globals: provisions.callee_globals.at_exit.clone(),
    };
    for (v, variable) in routine.variables.iter().enumerate() {
        let v = VarId::new(v);
        let visible = !matches!(variable.role, Role::Local) || routine.result == Some(v);
        if visible && provisions.contains(set, &Place::whole(v)) {
            needed.variables.insert(v.index());
        }
        each_extent(variable, &mut |e| {
            e.walk_places(&mut |p| needed.variables.insert(p.var.index()));
        });
    }
    for (v, g) in global_variables(routine) {
        if needed.variables.contains(v.index()) {
            needed.globals.insert(g);
        }
    }
    needed
}

/// Locals that die at the end although the reverse sweep needs them: the places, and the number of extents that are
/// recorded with them if the shape is not declared.
pub(crate) fn dying(
    context: &Context,
    draft: &Draft<'_>,
    provisions: &Provisions<'_>,
) -> Vec<(VarId, Vec<Place>, usize)> {
    let routine = context.program.routine(draft.id);
    let set = &provisions.at(draft.exit());
    (0..routine.variables.len())
        .map(VarId::new)
        .filter(|&v| {
            matches!(routine.variable(v).role, Role::Local)
                && routine.result != Some(v)
                && routine.variable(v).ty != ScalarType::Tape
        })
        .map(|v| {
            let places = provisions.members(set, v);
            let shape = is_deferred(routine.variable(v));
            (
                v,
                places,
                if shape { routine.variable(v).rank() } else { 0 },
            )
        })
        .filter(|(_, places, extents)| !places.is_empty() || *extents > 0)
        .collect()
}

impl<'p> Draft<'p> {
    /// Sets what the reverse sweeps of callees read after the calls.
    pub(crate) fn read_after_calls(&mut self, context: &Context, needed: &[Needed]) {
        if context.summary.callees(self.id).is_empty() {
            return;
        }
        let locations = &self.locations;
        for (v, vertex) in self.cfg.vertices() {
            let VertexKind::Block(statements) = &vertex.kind else {
                continue;
            };
            for (s, statement) in statements.iter().enumerate() {
                let StmtKind::Call {
                    callee,
                    arguments,
                    result,
                } = &statement.kind
                else {
                    continue;
                };
                // A call without useful results stays a call of the original, which has no reverse sweep.
                let is_called = self.code.row(v).get(s).is_some_and(|c| c.forward.is_some());
                if context.sweeps[callee.index()].is_none() || !is_called {
                    continue;
                }
                let called = context.program.routine(*callee);
                let need = &needed[callee.index()];
                self.needed.insert(*callee, need.globals.clone());
                let reads = &mut self.code.row_mut(v)[s].reads_after;
                *reads = read_by_subscripts(locations, arguments).with(|add| {
                    for (p, actual) in called.parameter_ids().zip(arguments.iter()) {
                        if let (true, Some(Expr::Place(place))) =
                            (need.variables.contains(p.index()), actual.as_ref())
                        {
                            locations.each_location(&Place::whole(place.var), &mut |l| {
                                add(l.index() as u32);
                            });
                        }
                    }
                    if let (Some(r), Some(place)) = (called.result, result)
                        && need.variables.contains(r.index())
                    {
                        locations.each_location(&Place::whole(place.var), &mut |l| {
                            add(l.index() as u32);
                        });
                    }
                    for v in self.globals.variables_in(&need.globals) {
                        locations.each_location(&Place::whole(v), &mut |l| add(l.index() as u32));
                    }
                });
                let again = self.adjoints.row(v).get(s).into_iter();
                let again = again.flat_map(|adjoint| &adjoint.before_pops);
                for (t, value) in again.filter_map(|statement| statement.kind.assignment()) {
                    let t = locations.of_variable(t.var).index() as u32;
                    *reads = reads.behind(t, value, locations);
                }
            }
        }
    }
}

/// Values that a callee's reverse sweep reads must survive in its callers: repeats until no set grows.
pub(crate) fn solve_needed<'p>(
    context: &Context,
    reachable: &[RoutineId],
    drafts: &mut [Option<Draft<'p>>],
) {
    let mut needed = vec![Needed::default(); drafts.len()];
    let mut at_entry = vec![GlobalSet::default(); drafts.len()];
    let inside = &context.recorded_inside;
    let callers = context.summary.effects.calls.callers(reachable);
    solve_across_calls(reachable, |r, wake| {
        let Some(draft) = &mut drafts[r.index()] else {
            return;
        };
        draft.read_after_calls(context, &needed);
        draft.at_entry.clone_from(&at_entry[r.index()]);
        let rerun = context.reruns[r.index()].as_ref();
        // The state that is kept has all that an earlier part of the reverse sweep needs.
        let records =
            !inside.is_empty() && !context.summary.callees(r).is_empty() && rerun.is_none();
        if callers[r.index()].is_empty() && !records {
            return;
        }
        let draft = &*draft;
        let provisions = Provisions::solve(context, draft);
        if records {
            provisions.each_recording_call(draft, &mut |callee, globals| {
                let mut written = GlobalSet::default();
                globals.each_common(context.summary.written(callee), |g| written.insert(g));
                if at_entry[callee.index()].extend(&written) {
                    wake.wake(callee);
                }
            });
        }
        let routine = context.program.routine(r);
        let now = needed_at_exit(routine, &provisions, draft.exit());
        let mut now = match rerun {
            Some(kept) => needed_of_step(context, r, kept, now),
            None => now,
        };
        // Fewer loops in the reverse sweep need less: the sets must grow all the same, or a cycle of calls has no end.
        now.variables.union_with(&needed[r.index()].variables);
        now.globals.extend(&needed[r.index()].globals);
        if now != needed[r.index()] {
            needed[r.index()] = now;
            callers[r.index()]
                .iter()
                .for_each(|&caller| wake.wake(caller));
        }
    });
}

/// The values at the end of the routine that its reverse sweep reads: all that the step reads and does not write,
/// and if the last step is recorded, the values that the step's reverse sweep reads, `of_last`.
fn needed_of_step(context: &Context, r: RoutineId, kept: &Kept, of_last: Needed) -> Needed {
    let routine = context.program.routine(r);
    let mut needed = of_last;
    if !kept.records_last {
        needed.globals = GlobalSet::default();
        let parameters = routine.parameter_ids();
        let written = parameters.filter(|v| routine.variable(*v).intent() != Some(Intent::In));
        written.for_each(|v| needed.variables.set(v.index(), false));
    }
    let parameters = routine.parameter_ids();
    let read = parameters.filter(|v| routine.variable(*v).intent() == Some(Intent::In));
    needed.variables.grow(routine.variables.len());
    needed.variables.extend(read.map(VarId::index));
    needed.globals.extend(
        &context
            .summary
            .touched(kept.rerun.callee)
            .minus(&kept.globals),
    );
    needed
}
