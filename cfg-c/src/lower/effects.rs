//! The globals that each function may read and write, itself and by the functions that it names.

use super::facts::Facts;
use crate::{
    ast::{DeclId, DeclKind, ExprId, ExprKind, Unit},
    calls, points,
};
use fixedbitset::FixedBitSet;
use petgraph::{
    algo::kosaraju_scc,
    graph::{DiGraph, NodeIndex},
};
use std::collections::{BTreeMap, HashMap, HashSet};

/// Globals, by their numbers in [`Effects`].
#[derive(Clone, Debug, Default)]
pub(super) struct Effect {
    pub(super) read: FixedBitSet,
    pub(super) written: FixedBitSet,
}

impl Effect {
    pub(super) fn extend(&mut self, other: &Self) {
        for (own, more) in [
            (&mut self.read, &other.read),
            (&mut self.written, &other.written),
        ] {
            own.grow(more.len());
            own.union_with(more);
        }
    }
}

/// What functions do to the globals, and the variables of functions that are kept, that some function writes.
#[derive(Debug, Default)]
pub(super) struct Effects {
    numbers: HashMap<DeclId, usize>,
    globals: Vec<DeclId>,
    /// Of a function alone first, in the end with what it names.
    functions: HashMap<usize, Effect>,
    /// Of all functions.
    all: Effect,
}

impl Effects {
    pub(super) fn of(unit: &Unit, functions: &[usize], facts: &Facts) -> Self {
        let mut effects = Self::default();
        let written: BTreeMap<usize, Vec<DeclId>> = functions
            .iter()
            .map(|&f| (f, globals_written(unit, f, facts)))
            .collect();
        for d in written.values().flatten() {
            if !effects.numbers.contains_key(d) {
                effects.numbers.insert(*d, effects.globals.len());
                effects.globals.push(*d);
            }
        }
        if effects.globals.is_empty() {
            return effects;
        }
        for (f, written) in &written {
            let mut own = Effect::default();
            own.written.grow(effects.globals.len());
            own.read.grow(effects.globals.len());
            own.written
                .extend(written.iter().map(|d| effects.numbers[d]));
            for k in unit.functions[*f].part.clone() {
                if let ExprKind::Name(d) = &unit.expr(ExprId(k)).kind
                    && let Some(number) = effects.numbers.get(d)
                {
                    own.read.insert(*number);
                }
            }
            effects.all.extend(&own);
            effects.functions.insert(*f, own);
        }
        effects.close(unit, functions);
        effects
    }

    /// Adds to each function what those do that it names: callees come first, and functions that name each other do the same.
    fn close(&mut self, unit: &Unit, functions: &[usize]) {
        let mut graph: DiGraph<usize, ()> = DiGraph::new();
        let nodes: HashMap<usize, NodeIndex> =
            functions.iter().map(|&f| (f, graph.add_node(f))).collect();
        for f in functions {
            for g in calls::named(unit, *f) {
                if let Some(to) = nodes.get(&g) {
                    graph.add_edge(nodes[f], *to, ());
                }
            }
        }
        for component in kosaraju_scc(&graph) {
            let mut all = Effect::default();
            for &node in &component {
                all.extend(&self.functions[&graph[node]]);
                for to in graph.neighbors(node) {
                    all.extend(&self.functions[&graph[to]]);
                }
            }
            for node in component {
                self.functions.insert(graph[node], all.clone());
            }
        }
    }

    /// What the function of a name may do; nothing of a variable.
    pub(super) fn of_name(&self, unit: &Unit, d: DeclId) -> Option<&Effect> {
        self.functions.get(&unit.decl(d).definition?)
    }

    /// What a function may do that is not known.
    pub(super) fn of_any(&self) -> &Effect {
        &self.all
    }

    /// The number of a global that some function writes.
    pub(super) fn number(&self, d: DeclId) -> Option<usize> {
        self.numbers.get(&d).copied()
    }

    /// The global with a number.
    pub(super) fn global(&self, number: usize) -> DeclId {
        self.globals[number]
    }
}

/// The globals that the statements of a function assign, also through its own pointers, and those that it hands to functions that
/// write them.
fn globals_written(unit: &Unit, f: usize, facts: &Facts) -> Vec<DeclId> {
    let mut open: Vec<DeclId> = Vec::new();
    for k in unit.functions[f].part.clone() {
        let e = ExprId(k);
        match &unit.expr(e).kind {
            ExprKind::Assign(_, target, _) | ExprKind::Step { of: target, .. } => {
                open.extend(unit.roots(*target));
            }
            ExprKind::Call(_, arguments) if points::library_call(unit, e).is_some() => {
                // Those that write do so behind their first argument.
                let first = arguments.first().filter(|a| unit.is_pointer(**a));
                open.extend(first.into_iter().flat_map(|a| unit.roots(*a)));
            }
            ExprKind::Call(..) => {
                let written = facts.written_arguments(unit, e);
                open.extend(written.flat_map(|a| unit.roots(a)));
            }
            _ => {}
        }
    }
    let (mut seen, mut found) = (HashSet::new(), Vec::new());
    while let Some(d) = open.pop() {
        if !seen.insert(d) {
            continue;
        }
        match unit.decl(d).kind {
            // Output is left out.
            DeclKind::Global if unit.decl(d).is_stream() => {}
            DeclKind::Global | DeclKind::Static => found.push(d),
            DeclKind::Local => {
                for source in points::sources(unit, d) {
                    if unit.is_pointer(source) {
                        open.extend(unit.roots(source));
                    }
                }
            }
            DeclKind::Parameter | DeclKind::Function | DeclKind::Constant(_) => {}
        }
    }
    found.sort_unstable();
    found
}
