//! Sweeps of steps that are reversed at once: joint reversal.
//!
//! The reverse sweep of a part that runs again calls the forward sweep of the step, and then its reverse sweep. Nothing
//! reads results of the step in between, nor behind: the next state takes their place. So steps have a second pair of
//! sweeps for this place, in which assignments whose values no derivative needs are left out
//! ([`crate::plan::left_out`]): they record less, and often the forward sweep does nothing but record. A step that is
//! no more than a call has the second pair of what it calls.
//!
//! Source: joint reversal in A. Griewank, A. Walther, *Evaluating Derivatives*, 2nd edition, chapter 12. The slice is
//! that of the adjoint-live analysis in L. Hascoët, U. Naumann, V. Pascual, *"To be recorded" analysis in reverse-mode
//! automatic differentiation*, FGCS 21 (2005).

use cfg_core::{
    diagnostic::Diagnostics,
    entity::RoutineId,
    ir::{Cfg, Program, Routine, StmtKind, Vertex, VertexKind},
};
use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::{
    code::{names::Namer, rows::Rows},
    control::merge,
    gradient::turn::may_be_joined,
    plan::{
        adjoints::StatementAdjoint, draft::Draft, left_out::find_left_out, provisions::Provisions,
    },
    prepare::context::Context,
    sweeps::Sweeps,
};

/// The steps, and the sweeps that they have for this place.
pub(crate) struct Joint {
    /// The steps, and what those call that are no more than a call: each with the routine that it calls, behind that.
    steps: Vec<(RoutineId, Option<RoutineId>)>,
    known: BTreeSet<RoutineId>,
    /// The sweeps of some of them, without assignments that no derivative needs.
    sliced: BTreeMap<RoutineId, [Routine; 2]>,
}

impl Joint {
    /// The steps of all parts that run again.
    pub(crate) fn of_reruns(context: &Context) -> Self {
        let (mut steps, mut known) = (Vec::new(), BTreeSet::new());
        for kept in context.reruns.iter().flatten() {
            let first = steps.len();
            let mut next = Some(kept.rerun.callee);
            while let Some(r) = next.filter(|r| known.insert(*r)) {
                let called = lone_call(context.program.routine(r)).map(RoutineId::index);
                let called =
                    called.filter(|&c| context.sweeps[c].is_some() && context.reruns[c].is_none());
                next = called.map(RoutineId::new);
                steps.push((r, next));
            }
            steps[first..].reverse();
        }
        Self {
            steps,
            known,
            sliced: BTreeMap::new(),
        }
    }

    /// True of a step whose sweeps may be written so.
    pub(crate) fn is_wanted(&self, context: &Context, draft: &Draft<'_>) -> bool {
        self.known.contains(&draft.id)
            && context.reruns[draft.id.index()].is_none()
            && may_be_joined(context, draft)
    }

    /// Writes the sweeps of a step, unless all assignments are needed.
    ///
    /// # Errors
    /// R312: a graph breaks a rule.
    pub(crate) fn slice(
        &mut self,
        context: &Context,
        draft: &mut Draft<'_>,
        adjoints: Rows<StatementAdjoint>,
        is_merged: bool,
    ) -> Result<(), Diagnostics> {
        draft.adjoints = adjoints;
        draft.left_out = find_left_out(context, draft);
        if draft.left_out.is_empty() {
            return Ok(());
        }
        let elements = Provisions::element_reads(context, draft);
        let adjoints = std::mem::replace(&mut draft.adjoints, Rows::with_capacity(0));
        let provisions = Provisions::solve_with(context, draft, elements, &[]);
        let sweeps = Sweeps {
            context,
            draft,
            provisions: &provisions,
            in_one: false,
        };
        let made = [
            sweeps.forward(String::new())?,
            sweeps.reverse(String::new(), adjoints)?,
        ];
        let made = match is_merged {
            true => made.map(merge::merge),
            false => made,
        };
        self.sliced.insert(draft.id, made);
        Ok(())
    }

    /// Adds these sweeps to the program, with calls of them where a step is reversed at once. Returns them with their
    /// originals.
    pub(crate) fn write(
        mut self,
        context: &Context,
        namer: &mut Namer,
        out: &mut Program,
    ) -> Vec<(RoutineId, RoutineId, RoutineId)> {
        let mut added = Vec::new();
        let mut instead = HashMap::new();
        for (r, called) in self.steps {
            let Some((forward, reverse)) = context.sweeps[r.index()] else {
                continue;
            };
            let called = called.and_then(|c| context.sweeps[c.index()]);
            let is_copied = called.is_some_and(|(inner, _)| instead.contains_key(&inner));
            let copy = |sweep| {
                let mut copy = out.routine(sweep).clone();
                let statements = copy.body.iter_mut().flat_map(Cfg::vertices_mut);
                statements.for_each(|vertex| redirect(vertex, &instead));
                copy
            };
            let copies = || is_copied.then(|| [forward, reverse].map(copy));
            let Some(routines) = self.sliced.remove(&r).or_else(copies) else {
                continue;
            };
            let name = &context.program.routine(r).name;
            let ids = [0, 1].map(|k| RoutineId::new(out.routines.len() + k));
            for (mut routine, of) in routines.into_iter().zip(["fwd", "rev"]) {
                routine.name = namer.fresh_name(format!("{name}_joint_{of}"));
                out.routines.push(routine);
            }
            instead.extend([(forward, ids[0]), (reverse, ids[1])]);
            added.push((r, ids[0], ids[1]));
        }
        for (w, kept) in context.reruns.iter().enumerate() {
            let step = kept.as_ref().map(|kept| kept.rerun.callee.index());
            let step = step.and_then(|step| context.sweeps[step]);
            let (Some((_, reverse)), Some((first, _))) = (context.sweeps[w], step) else {
                continue;
            };
            // The last step, which the forward sweep has recorded, is reversed in a block without its forward sweep.
            let vertices = out.routines[reverse.index()].body.iter_mut();
            let turns = vertices.flat_map(Cfg::vertices_mut).filter(|vertex| {
                let mut statements = vertex.statements().iter();
                statements.any(|s| s.kind.callee() == Some(first))
            });
            turns.for_each(|vertex| redirect(vertex, &instead));
        }
        added
    }
}

/// The routine that another one calls, if it does nothing else.
fn lone_call(routine: &Routine) -> Option<RoutineId> {
    let cfg = routine.body.as_ref()?;
    let is_plain = |kind: &VertexKind| match kind {
        VertexKind::Entry | VertexKind::Exit | VertexKind::Block(_) => true,
        VertexKind::Loop { .. }
        | VertexKind::EndLoop
        | VertexKind::Branch(_)
        | VertexKind::EndBranch => false,
    };
    let mut statements = routine.statements();
    let only = statements.next().filter(|_| statements.next().is_none())?;
    let is_plain = cfg.vertices().all(|(_, vertex)| is_plain(&vertex.kind));
    only.kind.callee().filter(|_| is_plain)
}

/// Calls other routines instead.
fn redirect(vertex: &mut Vertex, instead: &HashMap<RoutineId, RoutineId>) {
    for statement in vertex.kind.statements_mut().into_iter().flatten() {
        let called = statement
            .kind
            .callee()
            .and_then(|callee| instead.get(&callee));
        if let (StmtKind::Call { callee, .. }, Some(other)) = (&mut statement.kind, called) {
            *callee = *other;
        }
    }
}
