//! Eliminations that no optimal sequence need postpone.

use crate::cost::CostModel;
use crate::eliminate::{Primal, Step};
use crate::lcg::{Kind, Role};

/// Eliminates intermediates with one predecessor and one successor where that is safe: such a vertex costs at least as
/// much at any later time, and without it no degree is higher. If units are free, the new edge must not turn an
/// existing unit into a sum; if constants are folded, it must not make a constant edge variable.
pub(crate) fn reduce(graph: &mut Primal<'_>, model: CostModel) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut open: Vec<u32> = graph.lcg().intermediates().collect();
    open.reverse();
    while let Some(v) = open.pop() {
        if !is_safe(graph, v, model) {
            continue;
        }
        if graph.apply(Step::Vertex(v)).is_ok() {
            steps.push(Step::Vertex(v));
            open.extend_from_slice(graph.touched());
        }
    }
    steps
}

fn is_safe(graph: &Primal<'_>, v: u32, model: CostModel) -> bool {
    if graph.lcg().role(v) != Role::Intermediate
        || graph.in_degree(v) != 1
        || graph.out_degree(v) != 1
    {
        return false;
    }
    let (Some(i), Some(k)) = (graph.preds(v).next(), graph.succs(v).next()) else {
        return false;
    };
    let kind = |a: u32, b: u32| {
        graph
            .label(a, b)
            .map_or(Kind::Variable, |label| graph.kind(label))
    };
    let (first, second) = (kind(i, v), kind(v, k));
    match model {
        CostModel::Plain => true,
        CostModel::UnitFree => !graph.has_edge(i, k),
        CostModel::ConstantAware => {
            !graph.has_edge(i, k)
                && (first == second || first == Kind::Unit || second == Kind::Unit)
        }
    }
}
