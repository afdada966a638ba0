//! Loops with several exits, and loops made of jumps.
//!
//! A jump out of a loop becomes a jump to its ENDLOOP with a code that ends the loop; after the loop the
//! code says where to go on (C. Böhm, G. Jacopini, CACM 9(5), 1966: any flow with loops, branches and
//! variables). A cycle of jumps that is entered at one vertex becomes a loop with its test at the end.
//! Innermost loops come first, so that a jump out of several leaves one after the other.

use super::{
    control,
    graph::{Graph, Kind},
    loops,
    lower::Lower,
};
use cfg_core::{
    dominance::Dominators,
    entity::VarId,
    graph::{Adjacency, DiGraph},
    ir::{Arm, CaseRange, Expr, LoopTest, Op, Place, ScalarType, Selector, Stmt},
};
use std::collections::BTreeMap;

/// Most work, in vertices times loops.
const MOST_WORK: usize = 50_000_000;

/// A cycle that is entered at one vertex.
struct Cycle {
    header: usize,
    /// Edges from inside to the header.
    latches: Vec<usize>,
    inside: Vec<bool>,
    size: usize,
}

/// Gives every loop one exit. `None` if a cycle has several entries, or none of this helps.
pub(super) fn single(lower: &mut Lower<'_, '_>, graph: &mut Graph) -> Option<()> {
    let mut work = 0usize;
    loop {
        let cycles = cycles(graph)?;
        work += (cycles.len() + 1).saturating_mul(graph.vertices.len());
        if work > MOST_WORK {
            return None;
        }
        let Some(cycle) = cycles.into_iter().find(|c| !proper(graph, c)) else {
            return Some(());
        };
        if matches!(graph.vertices[cycle.header].kind, Kind::Loop(_)) {
            end_by_code(lower, graph, &cycle)?;
        } else {
            make_loop(lower, graph, &cycle)?;
        }
    }
}

/// The cycles of a reducible graph, smallest first.
fn cycles(graph: &Graph) -> Option<Vec<Cycle>> {
    let n = graph.vertices.len();
    let entry = graph
        .vertices
        .iter()
        .position(|v| matches!(v.kind, Kind::Entry))?;
    let view = Adjacency::new(n, graph.edges.iter().map(|e| (e.from, e.to)));
    let dominators = Dominators::new(&view, entry);
    if !dominators.irreducible_edges(&view).is_empty() {
        return None;
    }
    let mut latches: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (e, edge) in graph.edges.iter().enumerate() {
        if dominators.dominates(edge.to, edge.from) {
            latches.entry(edge.to).or_default().push(e);
        }
    }
    if latches.len().saturating_mul(n) > MOST_WORK {
        return None;
    }
    let mut found = Vec::with_capacity(latches.len());
    for (header, latches) in latches {
        // Backward from the latches to the header.
        let mut inside = vec![false; n];
        inside[header] = true;
        let mut size = 1;
        let mut work: Vec<usize> = latches.iter().map(|&e| graph.edges[e].from).collect();
        while let Some(v) = work.pop() {
            if !std::mem::replace(&mut inside[v], true) {
                size += 1;
                work.extend(view.predecessors(v));
            }
        }
        found.push(Cycle {
            header,
            latches,
            inside,
            size,
        });
    }
    found.sort_by_key(|c| (c.size, c.header));
    Some(found)
}

/// Edges that leave a cycle, but for the exit edge of its LOOP.
fn exits(graph: &Graph, cycle: &Cycle) -> Vec<usize> {
    let is_loop = matches!(graph.vertices[cycle.header].kind, Kind::Loop(_));
    (0..graph.edges.len())
        .filter(|&e| {
            let edge = &graph.edges[e];
            let own = is_loop && edge.from == cycle.header && edge.label.is_none();
            cycle.inside[edge.from] && !cycle.inside[edge.to] && !own
        })
        .collect()
}

fn proper(graph: &Graph, cycle: &Cycle) -> bool {
    matches!(graph.vertices[cycle.header].kind, Kind::Loop(_)) && exits(graph, cycle).is_empty()
}

/// The code of each target, from 1.
fn codes(graph: &Graph, exits: &[usize], first: Option<usize>) -> Vec<usize> {
    let mut targets: Vec<usize> = first.into_iter().collect();
    for &e in exits {
        let to = graph.edges[e].to;
        if !targets.contains(&to) {
            targets.push(to);
        }
    }
    targets
}

fn set(var: VarId, value: i64) -> Stmt {
    Stmt::assign(Place::whole(var), Expr::Int(value))
}

/// Leads an edge to the ENDLOOP, past a block that sets a variable.
fn redirect(graph: &mut Graph, e: usize, end: usize, statements: Vec<Stmt>) {
    let node = graph.edges[e].node;
    let statements = statements.into_iter().map(|s| (node, s)).collect();
    let block = graph.add_vertex(node, Kind::Block(statements));
    graph.edges[e].to = block;
    graph.add_edge(block, end, node);
}

/// Puts a branch on an edge that goes on where the code says; the first target is where the edge leads
/// for any code that no other target has.
fn go_on(graph: &mut Graph, e: usize, code: VarId, targets: &[usize]) {
    let (first, others) = match targets.split_first() {
        Some((first, others)) if !others.is_empty() => (*first, others),
        _ => return,
    };
    let node = graph.edges[e].node;
    let selector = if others.len() == 1 {
        let operands = [Expr::var(code), Expr::Int(2)];
        Selector::Condition(Expr::op(Op::Ne, operands))
    } else {
        let mut arms = vec![Arm {
            label: 0,
            cases: Box::default(),
            default: true,
        }];
        for i in 0..others.len() {
            let label = i as i64 + 2;
            arms.push(Arm {
                label,
                cases: Box::new([CaseRange {
                    lower: Some(label),
                    upper: Some(label),
                }]),
                default: false,
            });
        }
        Selector::Cases {
            value: Expr::var(code),
            arms: arms.into(),
        }
    };
    let two_way = others.len() == 1;
    let branch = graph.add_vertex(node, Kind::Branch(selector));
    graph.edges[e].to = branch;
    let on = graph.add_edge(branch, first, node);
    graph.edges[on].label = Some(i64::from(two_way));
    for (i, &to) in others.iter().enumerate() {
        let arm = graph.add_edge(branch, to, node);
        graph.edges[arm].label = Some(if two_way { 0 } else { i as i64 + 2 });
    }
}

/// Jumps out of a LOOP set a code that ends it.
fn end_by_code(lower: &mut Lower<'_, '_>, graph: &mut Graph, cycle: &Cycle) -> Option<()> {
    let header = cycle.header;
    let node = graph.vertices[header].node;
    let &[latch] = cycle.latches.as_slice() else {
        return None;
    };
    let end = graph.edges[latch].from;
    if !matches!(graph.vertices[end].kind, Kind::EndLoop) {
        return None;
    }
    let leaving = exits(graph, cycle);
    let normal = (0..graph.edges.len())
        .find(|&e| graph.edges[e].from == header && graph.edges[e].label.is_none())?;
    let targets = codes(graph, &leaving, Some(graph.edges[normal].to));
    let code = lower.temporary(ScalarType::Integer, 0);
    for e in leaving {
        let to = graph.edges[e].to;
        let number = targets.iter().position(|&t| t == to)? as i64 + 1;
        redirect(graph, e, end, vec![set(code, number)]);
    }
    // Jumps that go on with the next pass meet those that end the loop before the index is updated.
    loops::conditional(lower, graph, &graph.in_edges(), header, Some(code));
    let (_, entries) = control::sides(graph, &graph.in_edges(), header);
    graph.insert(&entries, vec![(node, set(code, 0))]);
    let going = Expr::op(Op::Eq, [Expr::var(code), Expr::Int(0)]);
    let test = match &graph.vertices[header].kind {
        Kind::Loop(LoopTest::Pre(c)) => LoopTest::Pre(Expr::op(Op::And, [going, c.clone()])),
        Kind::Loop(LoopTest::Post(c)) => LoopTest::Post(Expr::op(Op::And, [going, c.clone()])),
        _ => return None,
    };
    graph.vertices[header].kind = Kind::Loop(test);
    go_on(graph, normal, code, &targets);
    Some(())
}

/// A cycle of jumps becomes a loop that runs as long as a jump back sets `again`.
fn make_loop(lower: &mut Lower<'_, '_>, graph: &mut Graph, cycle: &Cycle) -> Option<()> {
    let header = cycle.header;
    let node = graph.vertices[header].node;
    let leaving = exits(graph, cycle);
    let targets = codes(graph, &leaving, None);
    let &first = targets.first()?;
    let again = lower.temporary(ScalarType::Logical, 0);
    let code = lower.temporary(ScalarType::Integer, 0);
    let logical = |value| Stmt::assign(Place::whole(again), Expr::Logical(value));
    let entries: Vec<usize> = (0..graph.edges.len())
        .filter(|&e| graph.edges[e].to == header && !cycle.latches.contains(&e))
        .collect();
    let test = LoopTest::Post(Expr::var(again));
    let head = graph.add_vertex(node, Kind::Loop(test));
    let end = graph.add_vertex(node, Kind::EndLoop);
    let start = graph.add_vertex(node, Kind::Block(vec![(node, logical(false))]));
    for e in entries {
        graph.edges[e].to = head;
    }
    let body = graph.add_edge(head, start, node);
    graph.edges[body].label = Some(1);
    graph.add_edge(start, header, node);
    graph.add_edge(end, head, node);
    for &e in &cycle.latches {
        redirect(graph, e, end, vec![logical(true)]);
    }
    let several = targets.len() > 1;
    for e in leaving {
        let to = graph.edges[e].to;
        let number = targets.iter().position(|&t| t == to)? as i64 + 1;
        let statements = if several {
            vec![set(code, number)]
        } else {
            Vec::new()
        };
        redirect(graph, e, end, statements);
    }
    let out = graph.add_edge(head, first, node);
    go_on(graph, out, code, &targets);
    Some(())
}
