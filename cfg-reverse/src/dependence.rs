//! Which dependents can depend on which independents, by variables.

use crate::activity::{Nodes, dependence_graph};
use cfg_core::{entity::RoutineId, ir::Program};
use fixedbitset::FixedBitSet;

/// For each dependent of a routine, the set of its independents on which it may depend differentiably, by
/// position in the declarations.
///
/// The analysis is that of activity, with one bit for each independent: insensitive to flow and to
/// subscripts, so a superset of the dependences of any run.
pub fn dependence(program: &Program, routine: RoutineId) -> Vec<FixedBitSet> {
    let nodes = Nodes::new(program);
    let graph = dependence_graph(program, &nodes);
    let declared = program.routine(routine);
    let mut found =
        vec![FixedBitSet::with_capacity(declared.independents.len()); declared.dependents.len()];
    for (i, &x) in declared.independents.iter().enumerate() {
        let mut start = FixedBitSet::with_capacity(nodes.len());
        start.insert(nodes.of(routine, declared, x));
        let reached = graph.forward(nodes.len(), &start);
        for (set, &y) in found.iter_mut().zip(&declared.dependents) {
            if reached.contains(nodes.of(routine, declared, y)) {
                set.insert(i);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use cfg_core::builder::{ProgramBuilder, RoutineBuilder, expr::*};
    use cfg_core::ir::ScalarType::Real;

    #[test]
    fn one_bit_for_each_independent() {
        let mut f = RoutineBuilder::new("f");
        let a = f.input("a", Real);
        let b = f.input("b", Real);
        let y = f.output("y", Real);
        let z = f.output("z", Real);
        let t = f.local("t", Real);
        f.independents([a, b]).dependents([y, z]);
        f.assign(t, sin(b));
        f.assign(y, a * t);
        f.assign(z, t);
        let mut program = ProgramBuilder::new();
        let f = program.add(f);
        let program = program.finish().expect("the builder is used right");
        let found: Vec<Vec<usize>> = dependence(&program, f)
            .iter()
            .map(|s| s.ones().collect())
            .collect();
        assert_eq!(found, [vec![0, 1], vec![1]]);
    }
}
