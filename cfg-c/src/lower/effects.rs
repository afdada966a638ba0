//! The globals that each function may read and write, itself or through functions that it names.

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

/// The effects of functions on the globals and static variables that some function writes.
#[derive(Debug, Default)]
pub(super) struct Effects {
    numbers: HashMap<DeclId, usize>,
    globals: Vec<DeclId>,
    /// The effect of each function: at first its own, in the end with those of the functions that it names.
    functions: HashMap<usize, Effect>,
    /// The union of the effects of all functions.
    all: Effect,
}

impl Effects {
    pub(super) fn summarise(unit: &Unit, functions: &[usize], facts: &Facts) -> Self {
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

    /// Adds to each function the effects of those that it names, callees first. Functions that name each other (a
    /// strongly connected component) have one effect.
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

    /// The effect of the function with a name; `None` for a variable.
    pub(super) fn of_name(&self, unit: &Unit, d: DeclId) -> Option<&Effect> {
        self.functions.get(&unit.decl(d).definition?)
    }

    /// The effect of an unknown function.
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

/// The globals that a function assigns, directly or through its pointers, and those that it passes to functions that
/// write them.
fn globals_written(unit: &Unit, f: usize, facts: &Facts) -> Vec<DeclId> {
    let mut open: Vec<DeclId> = Vec::new();
    for k in unit.functions[f].part.clone() {
        let e = ExprId(k);
        match &unit.expr(e).kind {
            ExprKind::Assign(_, target, _) | ExprKind::Step { of: target, .. } => {
                open.extend(unit.root_variables(*target));
            }
            ExprKind::Call(_, arguments) if points::library_call(unit, e).is_some() => {
                // Functions of the library that write do so through their first argument.
                let first = arguments.first().filter(|a| unit.is_pointer(**a));
                open.extend(first.into_iter().flat_map(|a| unit.root_variables(*a)));
            }
            ExprKind::Call(..) => {
                let written = facts.written_arguments(unit, e);
                open.extend(written.flat_map(|a| unit.root_variables(a)));
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
            // Output has no effect here.
            DeclKind::Global if unit.decl(d).is_stream() => {}
            DeclKind::Global | DeclKind::Static => found.push(d),
            DeclKind::Local => {
                for source in points::assigned_values(unit, d) {
                    if unit.is_pointer(source) {
                        open.extend(unit.root_variables(source));
                    }
                }
            }
            DeclKind::Parameter | DeclKind::Function | DeclKind::Constant(_) => {}
        }
    }
    found.sort_unstable();
    found
}
