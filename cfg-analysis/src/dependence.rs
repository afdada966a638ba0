//! The dependents that can depend on each independent, by variables.

use cfg_core::{
    entity::{RoutineId, VarId},
    ir::{Intent, Program, Routine},
};
use fixedbitset::FixedBitSet;

use crate::{
    differentiable::differentiable_places,
    flow::{End, Flow},
    reach::{Numbering, Reach},
};

/// The independents on which each dependent of a routine may depend differentiably, by position in the declarations.
///
/// The analysis is that of activity, with one bit for each independent: insensitive to flow and to
/// subscripts, so a superset of the dependences of any run.
pub fn dependence(program: &Program, routine: RoutineId) -> Vec<FixedBitSet> {
    let nodes = Numbering::new(program);
    let graph = dependence_graph(program, &nodes);
    let declared = program.routine(routine);
    let mut found =
        vec![FixedBitSet::with_capacity(declared.independents.len()); declared.dependents.len()];
    for (i, &x) in declared.independents.iter().enumerate() {
        let mut start = FixedBitSet::with_capacity(nodes.len());
        start.insert(nodes.node(routine, declared, x));
        let reached = graph.forward(nodes.len(), &start);
        for (set, &y) in found.iter_mut().zip(&declared.dependents) {
            if reached.contains(nodes.node(routine, declared, y)) {
                set.insert(i);
            }
        }
    }
    found
}

/// The graph of dependences: an edge u -> v where v may be computed from u.
pub fn dependence_graph(program: &Program, nodes: &Numbering) -> Reach {
    let mut graph = Reach::default();
    for (i, routine) in program.routines.iter().enumerate() {
        dependences(program, nodes, RoutineId::new(i), routine, &mut graph);
    }
    for (g, global) in program.globals.iter().enumerate() {
        if let Some(overlay) = global.overlay {
            graph.edge(g, overlay.base.index());
            graph.edge(overlay.base.index(), g);
        }
    }
    graph
}

fn dependences(
    program: &Program,
    nodes: &Numbering,
    id: RoutineId,
    routine: &Routine,
    graph: &mut Reach,
) {
    let node = |v: VarId| nodes.node(id, routine, v);
    if routine.aliased {
        let mut last = None;
        for p in routine.parameter_ids() {
            if routine.variable(p).ty.is_real() {
                if let Some(q) = last {
                    graph.edge(node(p), node(q));
                    graph.edge(node(q), node(p));
                }
                last = Some(p);
            }
        }
    }
    // Derivatives that the user gives may differ from those of the body.
    if routine.body.is_none() || routine.derivatives.is_some() {
        external_dependences(routine, &node, graph);
    }
    let Some(cfg) = &routine.body else {
        return;
    };
    for (_, vertex) in cfg.vertices() {
        for statement in vertex.statements() {
            match Flow::through_statement(&program.routines, statement) {
                Flow::None | Flow::End => {}
                Flow::One(from, to) => {
                    let to = match to {
                        End::Place(target) if routine.variable(target.var).ty.is_real() => {
                            target.var
                        }
                        End::Tape(tape) => tape,
                        End::Place(_) | End::Value(_) => continue,
                    };
                    match from {
                        End::Value(value) => differentiable_places(routine, value, &mut |u| {
                            graph.edge(node(u.var), node(to));
                        }),
                        End::Place(place) => graph.edge(node(place.var), node(to)),
                        End::Tape(tape) => graph.edge(node(tape), node(to)),
                    }
                }
                Flow::Call(call) => {
                    let formal = |v: VarId| nodes.node(call.callee, call.called, v);
                    for output in call.outputs() {
                        graph.edge(formal(output.formal), node(output.place.var));
                        // An aliased routine may read through this formal the cells that it writes through another
                        // one.
                        if call.called.aliased {
                            graph.edge(node(output.place.var), formal(output.formal));
                        }
                    }
                    for (p, argument) in call.inputs() {
                        differentiable_places(routine, argument, &mut |u| {
                            graph.edge(node(u.var), formal(p));
                        });
                    }
                    // The formal and the actual are one tape.
                    for (p, tape) in call.tapes() {
                        graph.edge(node(tape), formal(p));
                        graph.edge(formal(p), node(tape));
                    }
                }
            }
        }
    }
}

/// The dependences of a routine without a body, or with given derivatives. The partials give them; without partials,
/// or with given derivatives, each output may depend on each input.
fn external_dependences(routine: &Routine, node: &impl Fn(VarId) -> usize, graph: &mut Reach) {
    let reals = || {
        routine
            .parameter_ids()
            .filter(|&p| routine.variable(p).ty.is_real())
    };
    if let (Some(external), Some(result)) = (&routine.external, routine.result)
        && let Some(partials) = &external.partials
        && routine.derivatives.is_none()
    {
        for partial in partials {
            graph.edge(node(partial.parameter), node(result));
        }
        return;
    }
    for p in reals() {
        if routine.variable(p).intent() == Some(Intent::Out) {
            continue;
        }
        for q in reals() {
            if routine.variable(q).intent().is_some_and(Intent::writes) {
                graph.edge(node(p), node(q));
            }
        }
        if let Some(result) = routine.result {
            graph.edge(node(p), node(result));
        }
    }
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
