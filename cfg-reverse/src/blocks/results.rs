//! Results in place of operands: the adjoint of `y := exp(x)` reads y behind the statement or x in front of it, and
//! computes less from y. The forward sweep may also record the value of a function, as in `y := a*tanh(x)`, in place of
//! what would be recorded of x.
//!
//! Each such assignment has several adjoints. First all read operands, as in [`cfg_analysis::tbr`]; then all read or
//! record results. No run may record more than at first: not more bits on any path ([`Comparison`]), no array of
//! unknown extents, marker or index that was not recorded, no value of a caller that the reverse sweep did not change.
//! Functions of a library are an exception if time is preferred ([`Prefer`]): they take as long as many words of tape,
//! so that a word is paid for each whose evaluation it spares.
//!
//! Assignments because of which a run may record more, and those that record functions and spare nothing, are written
//! in their next simpler way, round after round.

use cfg_core::{
    entity::{EdgeId, RoutineId, VarId, VertexId},
    ir::{Place, Role, Routine, StmtKind},
};
use fixedbitset::FixedBitSet;
use std::collections::HashSet;

use crate::{
    options::Prefer,
    plan::{
        at_exit::{dying, needed_at_exit, solve_needed},
        branches::deciding,
        draft::Draft,
        provisions::Provisions,
        recorded::{Comparison, Recorded, bits, calls, pushed, recorded},
    },
    prepare::context::Context,
};

/// The number of times that assignments are written in a simpler way before all read operands.
const ROUNDS: usize = 8;

/// Lets assignments of the routines read results. `reachable`: the routines, callees first where there is no
/// recursion, the main one last.
pub(crate) fn read_results(
    context: &Context,
    reachable: &[RoutineId],
    drafts: &mut [Option<Draft<'_>>],
) {
    let count = |draft: &Draft<'_>| draft.alternatives.len();
    if drafts.iter().flatten().all(|draft| count(draft) == 0) {
        return;
    }
    let (then, recorded_then) = amounts(context, reachable, drafts, &[]);
    let recorders: Vec<bool> = recorded_then
        .iter()
        .map(|r| r.as_ref().is_some_and(Recorded::is_any))
        .collect();
    for draft in drafts.iter_mut().flatten() {
        for k in 0..count(draft) {
            draft.rewrite(k, draft.alternatives[k].ways.len() - 1);
        }
    }
    for round in 0..=ROUNDS {
        solve_needed(context, reachable, drafts);
        let (now, recorded_now) = amounts(context, reachable, drafts, &recorders);
        let calls: Vec<_> = (drafts.iter())
            .map(|draft| {
                draft
                    .as_ref()
                    .map_or(Vec::new(), |draft| calls(context, draft))
            })
            .collect();
        let comparison = Comparison::new(reachable, drafts, &calls, &recorded_now, &recorded_then);
        let mut simpler = useless(context, drafts, &recorders, &now, &then);
        if simpler.is_empty() {
            simpler = blamed(context, drafts, &recorders, &comparison, &now, &then);
        }
        if simpler.is_empty() {
            return;
        }
        if round == ROUNDS {
            simpler = used(drafts, |_, _| true);
        }
        for (r, k) in simpler {
            if let Some(draft) = &mut drafts[r] {
                let way = if round == ROUNDS {
                    0
                } else {
                    draft.alternatives[k].way - 1
                };
                draft.rewrite(k, way);
            }
        }
    }
    solve_needed(context, reachable, drafts);
}

/// The assignments that are not written from operands, as far as they are `wanted`.
fn used(
    drafts: &[Option<Draft<'_>>],
    wanted: impl Fn(&Draft<'_>, usize) -> bool,
) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    for (r, draft) in drafts.iter().enumerate() {
        let Some(draft) = draft else { continue };
        let all = (0..draft.alternatives.len()).filter(|&k| draft.alternatives[k].way > 0);
        found.extend(all.filter(|&k| wanted(draft, k)).map(|k| (r, k)));
    }
    found
}

/// A place that is recorded: the vertex, the statement in front of which it is and its number among the places that the
/// statement overwrites; at the end of the routine, behind all vertices, the variable and the location.
struct Save {
    key: (usize, usize, usize),
    place: Place,
}

/// The values that one routine records.
struct Amount {
    /// In ascending order.
    saves: Vec<Save>,
    /// Globals that only callees name, each with the vertex and the statement before which it is recorded.
    of_callees: HashSet<(usize, usize, usize)>,
    /// Branches without a marker, by vertex.
    unmarked: FixedBitSet,
    /// Edges on which the index of a loop is recorded.
    indices: FixedBitSet,
    /// The variables of callers that the reverse sweep changes, and the value of the main routine, if it is read.
    changed: FixedBitSet,
}

/// The bits of functions that an assignment may record although they spare no tape. A routine that would record nothing
/// else does not begin to for functions outside of loops: room on the tape takes longer than a function.
/// `recorders`: the routines that record something if all assignments read operands.
fn paid(context: &Context, draft: &Draft<'_>, k: usize, recorders: &[bool]) -> u64 {
    let at = draft.alternatives[k].at;
    let code = &draft.code.row(at.vertex)[at.statement];
    let is_recorder = recorders.get(draft.id.index()).is_some_and(|is| *is);
    let pays =
        context.prefer == Prefer::Time && (is_recorder || draft.shape.loop_depth(at.vertex) > 0);
    if pays { code.paid } else { 0 }
}

/// True if an assignment records functions, more than are [`paid`].
fn records_unpaid(context: &Context, draft: &Draft<'_>, k: usize, recorders: &[bool]) -> bool {
    let at = draft.alternatives[k].at;
    let forward = draft.code.row(at.vertex)[at.statement].forward.as_deref();
    forward.is_some_and(|forward| pushed(forward) > paid(context, draft, k, recorders))
}

/// The values that each routine records, and the bits that they take but for those that are [`paid`].
fn amounts(
    context: &Context,
    reachable: &[RoutineId],
    drafts: &[Option<Draft<'_>>],
    recorders: &[bool],
) -> (Vec<Option<Amount>>, Vec<Option<Recorded>>) {
    let main = reachable.last();
    let of = |draft: &Option<Draft<'_>>| {
        let draft = draft.as_ref()?;
        let provisions = Provisions::solve(context, draft);
        let amount = Amount::find(context, draft, &provisions, main == Some(&draft.id));
        let mut recorded = recorded(context, draft, &provisions, 0);
        for (k, alternative) in draft.alternatives.iter().enumerate() {
            recorded.vertices[alternative.at.vertex.index()] -= paid(context, draft, k, recorders);
        }
        Some((amount, recorded))
    };
    drafts.iter().map(of).map(Option::unzip).unzip()
}

impl Amount {
    fn find(
        context: &Context,
        draft: &Draft<'_>,
        provisions: &Provisions<'_>,
        is_main: bool,
    ) -> Self {
        let routine = context.program.routine(draft.id);
        let mut found = Self {
            saves: Vec::new(),
            of_callees: HashSet::new(),
            unmarked: FixedBitSet::with_capacity(draft.cfg.vertex_count()),
            indices: FixedBitSet::with_capacity(draft.cfg.edge_count()),
            changed: FixedBitSet::with_capacity(routine.variables.len()),
        };
        for (v, _) in draft.cfg.vertices() {
            let mut numbers = provisions.saves(v).iter();
            provisions.each_save(v, |s, place| {
                let number = numbers.next().map_or(0, |&(_, k)| k as usize);
                let key = (v.index(), s, number);
                let place = place.clone();
                found.saves.push(Save { key, place });
            });
            let globals = &provisions.callee_globals;
            for &(s, k) in globals.saves(v) {
                (found.of_callees).insert((v.index(), s, globals.saved[k].index()));
            }
            let unmarked = provisions.evaluated_again(v).is_some();
            found.unmarked.set(v.index(), unmarked);
        }
        for (v, places, _) in dying(context, draft, provisions) {
            for place in places {
                let mut first = usize::MAX;
                (draft.locations).each_location(&place, &mut |l| first = first.min(l.index()));
                let key = (usize::MAX, v.index(), first);
                found.saves.push(Save { key, place });
            }
        }
        let edges = draft.cfg.edges().map(|(e, _)| e);
        let indices = edges.filter(|&e| provisions.is_index_needed(e));
        found.indices.extend(indices.map(EdgeId::index));
        let changed = provisions.restored.ones();
        found
            .changed
            .extend(changed.filter(|&v| is_seen(routine, VarId::new(v))));
        // A caller in C lacks the value of the routine, so the forward sweep records it.
        if let Some(result) = routine.result.filter(|_| is_main) {
            let needed = needed_at_exit(routine, provisions, draft.exit());
            let needed = needed.variables.ones().filter(|&v| v == result.index());
            found.changed.extend(needed);
        }
        found
    }
}

/// The saves of one amount, in order, that the other one does not have.
fn difference<'a>(of: &'a Amount, other: &'a Amount) -> impl Iterator<Item = &'a Save> {
    let mut rest = other.saves.iter().map(|save| save.key).peekable();
    of.saves.iter().filter(move |save| {
        while rest.next_if(|key| *key < save.key).is_some() {}
        rest.peek() != Some(&save.key)
    })
}

/// The assignments that record functions, more than are [`paid`], although their routine records nothing less that they
/// no longer read. A word that callers are spared does not count: a routine that starts to record costs each call more
/// than a function.
fn useless(
    context: &Context,
    drafts: &[Option<Draft<'_>>],
    recorders: &[bool],
    now: &[Option<Amount>],
    then: &[Option<Amount>],
) -> Vec<(usize, usize)> {
    let spared: Vec<FixedBitSet> = (drafts.iter().zip(now.iter().zip(then)))
        .map(|(draft, amounts)| {
            let mut all = FixedBitSet::new();
            if let (Some(draft), (Some(now), Some(then))) = (draft, amounts) {
                all.grow(draft.locations.len());
                for Save { place, .. } in difference(then, now) {
                    (draft.locations).each_location(place, &mut |l| all.insert(l.index()));
                }
            }
            all
        })
        .collect();
    used(drafts, |draft, k| {
        let alternative = &draft.alternatives[k];
        let at = alternative.at;
        let code = &draft.code.row(at.vertex)[at.statement];
        if !records_unpaid(context, draft, k, recorders) {
            return false;
        }
        let r = draft.id.index();
        let read = alternative.ways[0].0.reads_before.as_slice();
        let own =
            |l: &u32| !code.reads_before.as_slice().contains(l) && spared[r].contains(*l as usize);
        !read.iter().any(own)
    })
}

/// True if callers see the variable.
fn is_seen(routine: &Routine, v: VarId) -> bool {
    !matches!(routine.variable(v).role, Role::Local) || routine.result == Some(v)
}

/// The assignments not written from operands because of which some run may record more.
fn blamed(
    context: &Context,
    drafts: &[Option<Draft<'_>>],
    recorders: &[bool],
    comparison: &Comparison,
    now: &[Option<Amount>],
    then: &[Option<Amount>],
) -> Vec<(usize, usize)> {
    let mut found = vec![FixedBitSet::new(); drafts.len()];
    // Routines whose results callers must keep, and whether the cause is unknown.
    let (mut seen, mut unknown) = (FixedBitSet::with_capacity(drafts.len()), false);
    for (r, draft) in drafts.iter().enumerate() {
        let (Some(draft), Some(now), Some(then)) = (draft, &now[r], &then[r]) else {
            continue;
        };
        let Some(more) = More::find(draft, comparison, now, then) else {
            continue;
        };
        let of_callees = now.of_callees.difference(&then.of_callees).next().is_some();
        let own = used(std::slice::from_ref(&drafts[r]), |draft, k| {
            more.is_due_to(draft, k, records_unpaid(context, draft, k, recorders))
        });
        unknown |= of_callees;
        if own.is_empty() {
            unknown |= !more.each_callee(draft, |callee| seen.insert(callee.index()));
        }
        found[r].extend(own.into_iter().map(|(_, k)| k));
    }
    let is_blamed = |draft: &Draft<'_>, k: usize| {
        let (r, at) = (draft.id.index(), draft.alternatives[k].at);
        let target = draft.cfg.vertex(at.vertex).statements()[at.statement]
            .kind
            .assignment();
        let routine = context.program.routine(draft.id);
        let is_seen = target.is_some_and(|(target, _)| is_seen(routine, target.var));
        found[r].contains(k) || is_seen && (unknown || seen.contains(r))
    };
    let blamed = used(drafts, is_blamed);
    let more = unknown || !seen.is_clear() || !comparison.is_never_more();
    match blamed.is_empty() && more {
        true => used(drafts, |_, _| true),
        false => blamed,
    }
}

/// The values that a routine records although it did not.
struct More {
    /// Locations whose values are recorded.
    recorded: FixedBitSet,
    /// Locations that branches read whose markers are recorded.
    selectors: FixedBitSet,
    /// Vertices that record more, if that is due to them.
    vertices: FixedBitSet,
    /// Indices of loops are recorded.
    indices: bool,
}

impl More {
    /// None if the routine records nothing that it did not record.
    fn find(
        draft: &Draft<'_>,
        comparison: &Comparison,
        now: &Amount,
        then: &Amount,
    ) -> Option<Self> {
        let mut more = Self {
            recorded: FixedBitSet::with_capacity(draft.locations.len()),
            selectors: FixedBitSet::with_capacity(draft.locations.len()),
            vertices: FixedBitSet::with_capacity(draft.cfg.vertex_count()),
            indices: !now.indices.is_subset(&then.indices),
        };
        let vertices = draft.cfg.vertices().map(|(v, _)| v);
        let vertices = vertices.filter(|&v| comparison.is_due_to(draft.id, v));
        more.vertices.extend(vertices.map(VertexId::index));
        let mut any = more.indices
            || !more.vertices.is_clear()
            || now.of_callees.difference(&then.of_callees).next().is_some();
        let add = |place: &Place, to: &mut FixedBitSet| {
            (draft.locations).each_location(place, &mut |l| to.insert(l.index()));
        };
        for Save { key, place } in difference(now, then) {
            // Extents that are not known are 0 in the comparison.
            let is_long = bits(draft, place, 0) == 0;
            let is_more = || match key.0 {
                usize::MAX => comparison.is_blamed(draft.id),
                v => comparison.is_due_to(draft.id, VertexId::new(v)),
            };
            if is_long || is_more() {
                any = true;
                add(place, &mut more.recorded);
            }
        }
        for v in now.changed.difference(&then.changed) {
            any = true;
            add(&Place::whole(VarId::new(v)), &mut more.recorded);
        }
        for v in then.unmarked.difference(&now.unmarked) {
            any = true;
            if let Some(selector) = draft.cfg.vertex(VertexId::new(v)).kind.selector() {
                deciding(selector).walk_places(&mut |place| add(place, &mut more.selectors));
            }
        }
        any.then_some(more)
    }

    /// True if an assignment that reads its result, or records functions, may be the cause.
    fn is_due_to(&self, draft: &Draft<'_>, k: usize, records: bool) -> bool {
        let alternative = &draft.alternatives[k];
        let at = alternative.at;
        let code = &draft.code.row(at.vertex)[at.statement];
        let other = &alternative.ways[0].0;
        self.indices
            || records && self.vertices.contains(at.vertex.index())
            || [(&self.recorded, code), (&self.selectors, other)]
                .into_iter()
                .any(|(set, code)| {
                    let before = code.reads_before.as_slice().iter();
                    before
                        .chain(code.reads_after.as_slice())
                        .any(|&l| set.contains(l as usize))
                })
    }

    /// Calls `visit` with the routines whose reverse sweeps read what is recorded; false if there are none.
    fn each_callee(&self, draft: &Draft<'_>, mut visit: impl FnMut(RoutineId)) -> bool {
        let mut any = false;
        for (v, vertex) in draft.cfg.vertices() {
            for (statement, code) in vertex.statements().iter().zip(draft.code.row(v)) {
                if let StmtKind::Call { callee, .. } = statement.kind
                    && (code.reads_after.as_slice().iter())
                        .any(|&l| self.recorded.contains(l as usize))
                {
                    any = true;
                    visit(callee);
                }
            }
        }
        any
    }
}
