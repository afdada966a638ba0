//! Steps: integer scalars that a loop changes by amounts which the reverse sweep knows, as `at := at + 1`. The reverse
//! sweep steps them back, `at := at - 1`, and nothing is recorded in the loop. For this it needs the value behind the
//! last step: once for all passes that value is computed (`values`) or, as every value that is needed, recorded where
//! it is overwritten or dies.
//!
//! A step is undone only if no run records more for it, up to one value for each variable and assignment outside of
//! loops in a run in which no step is executed. The amount reads nothing that the routine writes, but indices of loops
//! around and integers that were assigned such values. Let M be the outermost loop around the step in which all writes
//! of the variable are such steps. If the value behind M is computed, undoing costs nothing. Otherwise the value is
//! recorded where it is lost, which must not be in a loop: a loop that does not execute M records it, too. A routine
//! that is called often must execute a step in each pass of a loop. A variable that callers see must keep its value in
//! the callers, so without a computed value its steps are undone only if nothing calls the routine.

mod again;
pub(crate) mod increment;
mod sums;
mod values;

use cfg_core::{
    dataflow::Position,
    entity::{VarId, VertexId},
    graph::{
        dominance::Dominators,
        loops::{LoopForest, LoopId},
    },
    ir::{Expr, Role, Routine},
    memory::access::{Access, Accesses, decision_accesses},
};
use fixedbitset::FixedBitSet;
use std::collections::{BTreeMap, HashMap, HashSet};

use crate::{
    memory::loops::live_loops,
    options::Prefer,
    plan::{
        draft::Draft,
        shape::Shape,
        steps::{
            increment::Increment,
            values::{Graph, Walk},
        },
        undone::Steps,
    },
    prepare::context::Context,
};

/// Most variables whose steps are followed in one routine.
const MOST_VARIABLES: usize = 64;

/// Finds the steps of a routine whose adjoints are written.
pub(crate) fn find_steps(context: &Context, draft: &Draft<'_>) -> Steps {
    let routine = context.program.routine(draft.id);
    let steps = increments(draft, routine);
    // Callers would have to keep a variable that they see for a value that is computed again.
    let is_called = context.called.contains(draft.id.index());
    let computes_again = context.prefer == Prefer::Memory && !is_called;
    if context.indices || steps.is_empty() && !computes_again {
        return Steps::default();
    }
    let (program, effects) = (&context.program, &context.summary.effects);
    let mut search = Search {
        draft,
        routine,
        accesses: Accesses::resolve(program, effects, routine),
        forest: live_loops(draft.cfg).1,
        steps,
        unwritten: FixedBitSet::with_capacity(routine.variables.len()),
        indices: FixedBitSet::with_capacity(routine.variables.len()),
    };
    search.find_unwritten();
    search.keep_nested_indices_apart();
    let mut found = Steps::default();
    let mut terms = BTreeMap::new();
    if let Shape::Structured(structure) = draft.shape {
        let followed = search.followed(&structure.order);
        let walk = Walk::execute(Graph {
            cfg: draft.cfg,
            structure,
            variables: &routine.variables,
            plans: &draft.loops,
            accesses: &search.accesses,
            unwritten: &search.unwritten,
            indices: &search.indices,
            followed: &followed,
            needed: &draft.with_adjoints,
        });
        (found.computed, terms) = (walk.computed, walk.terms);
    }
    search.keep_known(&mut terms);
    if computes_again {
        found.inverses = search.values_again();
    }
    for (at, step) in search.undone(is_called, &found) {
        let terms = terms.get(&at).map_or(&[][..], |terms| terms);
        found
            .inverses
            .insert(at, step.inverse(&routine.variables, terms));
    }
    found
}

/// The assignments of a routine that may be steps.
fn increments<'a>(draft: &Draft<'a>, routine: &Routine) -> BTreeMap<Position, Increment<'a>> {
    let mut steps = BTreeMap::new();
    let mut targets = HashSet::new();
    for (v, vertex) in draft.cfg.vertices() {
        for (s, statement) in vertex.statements().iter().enumerate() {
            let Some((target, value)) = statement.kind.assignment() else {
                continue;
            };
            let step = Increment::of_assignment(&routine.variables, target, value);
            let Some(step) = step.filter(|_| !draft.locations.is_shared(target.var)) else {
                continue;
            };
            if targets.len() < MOST_VARIABLES || targets.contains(&target.var) {
                targets.insert(target.var);
                let at = Position {
                    vertex: v,
                    statement: s,
                };
                steps.insert(at, step);
            }
        }
    }
    steps
}

/// The steps and the writes of a routine.
struct Search<'a, 'p> {
    draft: &'a Draft<'p>,
    routine: &'a Routine,
    accesses: Accesses<'a>,
    forest: LoopForest,
    steps: BTreeMap<Position, Increment<'p>>,
    /// Parameters and globals that nothing writes.
    unwritten: FixedBitSet,
    /// Variables that only LOOPs write, none of which is in another with the same index.
    indices: FixedBitSet,
}

impl<'a> Search<'a, '_> {
    /// Calls `written` with the variables that are written in each vertex: true of indices of LOOPs.
    fn each_write(&self, mut written: impl FnMut(Position, VarId, bool)) {
        for (v, vertex) in self.draft.cfg.vertices() {
            let mut report = |statement, is_index, access| match access {
                Access::Read(_) => {}
                Access::Write(x) | Access::MayWrite(x) => {
                    let at = Position {
                        vertex: v,
                        statement,
                    };
                    written(at, x, is_index);
                }
            };
            for (s, statement) in vertex.statements().iter().enumerate() {
                self.accesses
                    .each_access(statement, &mut |access| report(s, false, access));
            }
            decision_accesses(vertex, &mut |access| report(0, true, access));
        }
    }

    fn find_unwritten(&mut self) {
        let n = self.routine.variables.len();
        let [mut assigned, mut indices] = [n, n].map(FixedBitSet::with_capacity);
        let locations = &self.draft.locations;
        let location = |v: VarId| locations.of_variable(v).index();
        let mut written = FixedBitSet::with_capacity(n);
        self.each_write(|_, x, is_index| {
            written.grow_and_insert(location(x));
            let set = if is_index {
                &mut indices
            } else {
                &mut assigned
            };
            set.insert(x.index());
        });
        let is_given = |v: VarId| match self.routine.variable(v).role {
            Role::Parameter { optional, .. } => !optional,
            Role::Global(_) => true,
            Role::Local => false,
        };
        let mut unwritten = FixedBitSet::with_capacity(n);
        for v in (0..n).map(VarId::new) {
            unwritten.set(v.index(), is_given(v) && !written.contains(location(v)));
            let is_alone = indices.contains(v.index()) && !assigned.contains(v.index());
            indices.set(v.index(), is_alone && !locations.is_shared(v));
        }
        (self.unwritten, self.indices) = (unwritten, indices);
    }

    /// Takes the indices of LOOPs out that are also the index of a loop around.
    fn keep_nested_indices_apart(&mut self) {
        let forest = &self.forest;
        let mut inside: Vec<Vec<LoopId>> = vec![Vec::new(); forest.len()];
        let mut open: Vec<(LoopId, bool)> = Vec::new();
        for l in forest.loops() {
            match forest.get(l).parent {
                Some(parent) => inside[parent.index()].push(l),
                None => open.push((l, false)),
            }
        }
        let mut active: HashSet<VarId> = HashSet::new();
        while let Some((l, is_done)) = open.pop() {
            let header = VertexId::new(forest.get(l).header);
            let Some(index) = self.draft.cfg.vertex(header).kind.index() else {
                open.extend(inside[l.index()].iter().map(|&l| (l, false)));
                continue;
            };
            if is_done {
                active.remove(&index);
                continue;
            }
            if !active.insert(index) {
                self.indices.remove(index.index());
            }
            open.push((l, true));
            open.extend(inside[l.index()].iter().map(|&l| (l, false)));
        }
    }

    /// The positions in the order of a structured graph at which variables that have steps, and integers that amounts
    /// may be computed from, are written.
    fn followed(&self, order: &[VertexId]) -> BTreeMap<VarId, Vec<u32>> {
        let stepped = self.steps.values().map(|step| step.target);
        let mut followed: BTreeMap<VarId, Vec<u32>> = stepped.map(|x| (x, Vec::new())).collect();
        let mut others = HashSet::new();
        self.each_write(|_, x, is_index| {
            let variable = self.routine.variable(x);
            let is_scalar = variable.ty.is_integer() && variable.rank() == 0;
            if is_index {
                others.insert(x);
            } else if followed.len() < MOST_VARIABLES
                && is_scalar
                && !self.draft.locations.is_shared(x)
            {
                followed.entry(x).or_default();
            }
        });
        followed.retain(|x, _| !others.contains(x));
        let mut position = vec![0; self.draft.cfg.vertex_count()];
        for (p, &v) in order.iter().enumerate() {
            position[v.index()] = p as u32;
        }
        self.each_write(|at, x, _| {
            if let Some(list) = followed.get_mut(&x) {
                list.push(position[at.vertex.index()]);
            }
        });
        followed.values_mut().for_each(|list| list.sort_unstable());
        followed
    }

    /// Keeps the steps whose amounts are known, by `terms` or since they read only what nothing writes and indices of
    /// loops around; adds the terms of the latter.
    fn keep_known(&mut self, terms: &mut BTreeMap<Position, Vec<Expr>>) {
        let (forest, cfg) = (&self.forest, self.draft.cfg);
        let (unwritten, indices) = (&self.unwritten, &self.indices);
        let is_index = |at: Position, v: VarId| {
            indices.contains(v.index())
                && forest.around(at.vertex.index()).any(|l| {
                    let header = VertexId::new(forest.get(l).header);
                    cfg.vertex(header).kind.index() == Some(v)
                })
        };
        self.steps.retain(|&at, step| {
            if terms.contains_key(&at) {
                return true;
            }
            let mut known = true;
            for (_, term) in &step.terms {
                term.walk_places(&mut |p| {
                    known = known && (unwritten.contains(p.var.index()) || is_index(at, p.var));
                });
            }
            if known {
                terms.insert(
                    at,
                    step.terms.iter().map(|&(_, term)| term.clone()).collect(),
                );
            }
            known
        });
    }

    /// The loops that write the variables of steps otherwise than by steps, and the variables that some loop so writes.
    fn kills(&self) -> (HashSet<(LoopId, VarId)>, HashSet<VarId>) {
        let targets: HashSet<VarId> = self.steps.values().map(|step| step.target).collect();
        let (mut kills, mut killed) = (HashSet::new(), HashSet::new());
        self.each_write(|at, x, is_index| {
            if targets.contains(&x) && (is_index || !self.steps.contains_key(&at)) {
                let mut around = self.forest.around(at.vertex.index()).peekable();
                if around.peek().is_some() {
                    killed.insert(x);
                }
                while around.next().is_some_and(|l| kills.insert((l, x))) {}
            }
        });
        (kills, killed)
    }

    /// The steps that the reverse sweep undoes.
    fn undone(&self, is_called: bool, found: &Steps) -> Vec<(Position, &Increment<'a>)> {
        let (kills, killed) = self.kills();
        let entry = self.draft.cfg.entry().map_or(0, VertexId::index);
        let dominators = Dominators::new(self.draft.cfg, entry);
        let is_computed = |l: LoopId, x: VarId| {
            let header = VertexId::new(self.forest.get(l).header);
            found
                .computed_behind(header)
                .iter()
                .any(|computed| computed.variable == x)
        };
        // Of each variable and outermost loop that only steps it: whether undoing the steps pays.
        let mut pays: HashMap<(LoopId, VarId), bool> = HashMap::new();
        let mut outermost = Vec::new();
        for (&at, step) in &self.steps {
            let x = step.target;
            let around = self.forest.around(at.vertex.index());
            let Some(outer) = around.take_while(|&l| !kills.contains(&(l, x))).last() else {
                continue;
            };
            let is_local = matches!(self.routine.variable(x).role, Role::Local)
                && self.routine.result != Some(x);
            let is_once = !killed.contains(&x) && (is_local || !is_called);
            *pays.entry((outer, x)).or_default() |= is_computed(outer, x)
                || is_once && (!is_called || self.is_in_each_pass(&dominators, at));
            outermost.push((at, step, outer));
        }
        let is_undone = |(_, step, outer): &(_, &Increment<'_>, LoopId)| {
            pays.get(&(*outer, step.target)) == Some(&true)
        };
        let undone = outermost.into_iter().filter(is_undone);
        undone.map(|(at, step, _)| (at, step)).collect()
    }

    /// True if each pass of the innermost loop around a statement executes it.
    fn is_in_each_pass(&self, dominators: &Dominators, at: Position) -> bool {
        let v = at.vertex.index();
        let Some(l) = self.forest.innermost(v) else {
            return false;
        };
        let header = VertexId::new(self.forest.get(l).header);
        let mut backs = self.draft.cfg.predecessors(header).map(VertexId::index);
        backs.all(|u| !self.forest.contains(l, u) || dominators.dominates(v, u))
    }
}
