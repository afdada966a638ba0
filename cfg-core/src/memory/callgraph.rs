//! The call graph of a program.

use crate::{
    entity::RoutineId,
    ir::{Program, Routine},
};
use fixedbitset::FixedBitSet;
use petgraph::{
    algo::kosaraju_scc,
    graph::{DiGraph, NodeIndex},
};

/// The calls between the routines of a program, and the components of routines that call each other.
#[derive(Clone, Debug, Default)]
pub struct CallGraph {
    callees: Vec<Vec<RoutineId>>,
    /// Strongly connected components, callees before callers.
    components: Vec<Vec<RoutineId>>,
}

impl CallGraph {
    /// The calls of a program, which need not be valid: calls of routines that do not exist are left out.
    pub fn build(program: &Program) -> Self {
        Self::build_with(program, |_| None)
    }

    /// The calls of a program, with a further one from each routine for which `more` names a callee.
    pub fn build_with(program: &Program, more: impl Fn(&Routine) -> Option<RoutineId>) -> Self {
        let n = program.routines.len();
        let mut called_by = vec![usize::MAX; n];
        let mut callees = vec![Vec::new(); n];
        for (r, routine) in program.routines.iter().enumerate() {
            let calls = routine.statements().filter_map(|s| s.kind.callee());
            for callee in calls.chain(more(routine)) {
                if let Some(last) = called_by.get_mut(callee.index())
                    && std::mem::replace(last, r) != r
                {
                    callees[r].push(callee);
                }
            }
        }
        Self::of_callees(callees)
    }

    fn of_callees(callees: Vec<Vec<RoutineId>>) -> Self {
        let components = components(&callees);
        Self {
            callees,
            components,
        }
    }

    /// The routines that a routine calls, each once, in the order of their first calls.
    pub fn callees(&self, r: RoutineId) -> &[RoutineId] {
        &self.callees[r.index()]
    }

    /// The callers, among the routines in `among`, of every routine of the program, in the order of `among`.
    pub fn callers(&self, among: &[RoutineId]) -> Vec<Vec<RoutineId>> {
        let mut callers = vec![Vec::new(); self.callees.len()];
        for &r in among {
            for callee in self.callees(r) {
                callers[callee.index()].push(r);
            }
        }
        callers
    }

    /// The routine and everything it calls, callees before callers where there is no recursion.
    pub fn reachable(&self, main: RoutineId) -> Vec<RoutineId> {
        let mut seen = FixedBitSet::with_capacity(self.callees.len());
        seen.insert(main.index());
        let mut order = Vec::new();
        let mut stack = vec![(main, 0)];
        while let Some((r, next)) = stack.last_mut() {
            match self.callees(*r).get(*next) {
                Some(&callee) => {
                    *next += 1;
                    if !seen.put(callee.index()) {
                        stack.push((callee, 0));
                    }
                }
                None => {
                    order.push(*r);
                    stack.pop();
                }
            }
        }
        order
    }

    /// Components of routines that call each other, each routine in one; callees come before callers.
    pub fn components(&self) -> &[Vec<RoutineId>] {
        &self.components
    }

    /// Adds to the fact of each routine the facts of all routines that it calls, directly or not, recursion included.
    /// `add` adds its second argument to its first; a routine beyond the end of `facts` has none.
    pub fn propagate<T: Clone + Default>(&self, facts: &mut [T], add: impl Fn(&mut T, &T)) {
        for component in &self.components {
            let mut all = T::default();
            for &r in component {
                add(&mut all, &facts[r.index()]);
                for callee in self.callees(r) {
                    add(&mut all, &facts[callee.index()]);
                }
            }
            for r in component {
                facts[r.index()] = all.clone();
            }
        }
    }
}

fn components(callees: &[Vec<RoutineId>]) -> Vec<Vec<RoutineId>> {
    let edges = callees.iter().map(Vec::len).sum();
    let mut graph: DiGraph<(), ()> = DiGraph::with_capacity(callees.len(), edges);
    for _ in callees {
        graph.add_node(());
    }
    for (r, called) in callees.iter().enumerate() {
        for callee in called {
            graph.add_edge(NodeIndex::new(r), NodeIndex::new(callee.index()), ());
        }
    }
    let found = kosaraju_scc(&graph).into_iter();
    found
        .map(|list| list.iter().map(|r| RoutineId::new(r.index())).collect())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        builder::{ProgramBuilder, RoutineBuilder},
        entity::GlobalId,
        ir::Expr,
        memory::global_set::GlobalSet,
        testing::Rng,
    };
    use std::collections::BTreeSet;

    fn call_graph(calls: &[Vec<usize>]) -> CallGraph {
        let ids = |list: &Vec<usize>| list.iter().map(|&r| RoutineId::new(r)).collect();
        CallGraph::of_callees(calls.iter().map(ids).collect())
    }

    fn with(all: &mut GlobalSet, more: &GlobalSet) {
        all.extend(more);
    }

    /// Facts on random graphs are those that a search from each routine finds.
    #[test]
    fn propagation_finds_what_is_reached() {
        let mut rng = Rng::new(5);
        for _ in 0..500 {
            let n = 1 + rng.below(12);
            let mut calls = vec![Vec::new(); n];
            for _ in 0..rng.below(2 * n) {
                calls[rng.below(n)].push(rng.below(n));
            }
            let own: Vec<BTreeSet<usize>> = (0..n)
                .map(|_| (0..rng.below(5)).map(|_| rng.below(300)).collect())
                .collect();
            let set = |s: &BTreeSet<usize>| s.iter().map(|&g| GlobalId::new(g)).collect();
            let mut sets: Vec<GlobalSet> = own.iter().map(set).collect();
            let graph = call_graph(&calls);
            graph.propagate(&mut sets, with);
            for (r, found) in sets.iter().enumerate() {
                let mut reached = vec![false; n];
                let mut all: BTreeSet<usize> = BTreeSet::new();
                let mut work = vec![r];
                while let Some(u) = work.pop() {
                    if !std::mem::replace(&mut reached[u], true) {
                        all.extend(&own[u]);
                        work.extend(&calls[u]);
                    }
                }
                assert_eq!(*found, set(&all));
                let mut reachable = graph.reachable(RoutineId::new(r));
                assert_eq!(reachable.last(), Some(&RoutineId::new(r)));
                reachable.sort_unstable();
                let reached: Vec<usize> = (0..n).filter(|&r| reached[r]).collect();
                assert!(reachable.iter().map(|r| r.index()).eq(reached));
            }
        }
    }

    /// `callers` lists only the routines in `among`, and each callee stands before its first caller.
    #[test]
    fn callers_and_the_order_of_what_is_reached() {
        let ids = |list: &[usize]| -> Vec<RoutineId> {
            list.iter().map(|&r| RoutineId::new(r)).collect()
        };
        // 0 calls 1 and 2, both call 3; nothing calls 4, which calls 1.
        let graph = call_graph(&[vec![1, 2], vec![3], vec![3], vec![], vec![1]]);
        let callers = graph.callers(&ids(&[0, 1, 2, 3, 4]));
        assert_eq!(
            callers,
            [ids(&[]), ids(&[0, 4]), ids(&[0]), ids(&[1, 2]), ids(&[])]
        );
        let callers = graph.callers(&ids(&[2, 0]));
        assert_eq!(
            callers,
            [ids(&[]), ids(&[0]), ids(&[0]), ids(&[2]), ids(&[])]
        );
        assert_eq!(graph.reachable(RoutineId::new(0)), ids(&[3, 1, 2, 0]));
        assert_eq!(graph.reachable(RoutineId::new(2)), ids(&[3, 2]));
        assert_eq!(graph.callees(RoutineId::new(0)), ids(&[1, 2]));
        let order: Vec<RoutineId> = graph.components().iter().flatten().copied().collect();
        let place = |r: usize| order.iter().position(|&o| o == RoutineId::new(r));
        for (caller, callee) in [(0, 1), (0, 2), (1, 3), (2, 3), (4, 1)] {
            assert!(place(callee) < place(caller), "{order:?}");
        }
        // A routine that is called twice is one callee, even with another call in between.
        let mut program = ProgramBuilder::new();
        let [f, g, h] = ["f", "g", "h"].map(|name| program.declare(name));
        for (r, name, callees) in [(f, "f", &[g, h, g][..]), (g, "g", &[]), (h, "h", &[g])] {
            let mut routine = RoutineBuilder::new(name);
            for &callee in callees {
                routine.call::<Expr>(callee, []);
            }
            program.define(r, routine);
        }
        let program = program.into_program().expect("the builder is used right");
        let graph = CallGraph::build(&program);
        assert_eq!(graph.callees(RoutineId::new(0)), ids(&[1, 2]));
        assert_eq!(graph.callees(RoutineId::new(2)), ids(&[1]));
        let graph = CallGraph::build_with(&program, |r| (r.name == "g").then(|| RoutineId::new(2)));
        assert_eq!(graph.callees(RoutineId::new(1)), ids(&[2]));
        assert_eq!(graph.callees(RoutineId::new(2)), ids(&[1]));
    }

    /// A chain and a circle with more routines than the stack has room for.
    #[test]
    fn propagation_along_long_chains() {
        let n = 200_000;
        for last in [vec![], vec![0]] {
            let mut calls: Vec<Vec<usize>> = (1..n).map(|r| vec![r]).collect();
            calls.push(last);
            let mut sets = vec![GlobalSet::default(); n];
            sets[n - 1].insert(GlobalId::new(7));
            call_graph(&calls).propagate(&mut sets, with);
            assert!(sets.iter().all(|s| s.to_vec() == [GlobalId::new(7)]));
        }
    }
}
