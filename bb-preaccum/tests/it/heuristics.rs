//! Vertex and edge heuristics against their rules, each read literally: all steps that are possible are
//! scored by doing them on a copy of the graph.

use std::collections::BTreeSet;

use bb_preaccum::eliminate::{Primal, Step};
use bb_preaccum::heuristic::{Ended, Heuristic, Limits, Rule, Technique};
use bb_preaccum::lcg::{Lcg, NewEdge, Role};

use crate::properties::edge_steps;
use crate::random::{Shape, graph, shape};

type Set = BTreeSet<u32>;

/// The sets that a step joins.
fn ends(graph: &Primal<'_>, step: Step) -> (Set, Set) {
    match step {
        Step::Front(i, j) => (Set::from([i]), graph.succs(j).collect()),
        Step::Back(j, k) => (graph.preds(j).collect(), Set::from([k])),
        Step::Vertex(j) | Step::Face(j, _) => (graph.preds(j).collect(), graph.succs(j).collect()),
    }
}

fn middle(step: Step) -> u32 {
    match step {
        Step::Vertex(j) | Step::Front(_, j) | Step::Back(j, _) | Step::Face(j, _) => j,
    }
}

/// The ends (inputs or outputs) that `v` is connected to.
fn reached(graph: &Primal<'_>, v: u32, forward: bool) -> i64 {
    let (mut open, mut seen) = (vec![v], Set::from([v]));
    while let Some(at) = open.pop() {
        let near: Vec<u32> = if forward {
            graph.succs(at).collect()
        } else {
            graph.preds(at).collect()
        };
        open.extend(near.into_iter().filter(|&near| seen.insert(near)));
    }
    let wanted = if forward {
        Role::Dependent
    } else {
        Role::Independent
    };
    let role = |v: &&u32| graph.lcg().role(**v) == wanted;
    seen.iter().filter(role).count() as i64
}

fn sum_of_degrees(graph: &Primal<'_>, without: u32) -> i64 {
    let others = (0..graph.lcg().vertex_count() as u32).filter(|&v| v != without);
    let degree = |v| graph.in_degree(v) * graph.out_degree(v);
    others.map(degree).sum::<usize>() as i64
}

/// The score by a rule; less is better.
fn score(rule: Rule, start: &Primal<'_>, graph: &Primal<'_>, step: Step) -> i64 {
    let j = middle(step);
    let mut after = graph.clone();
    after.apply(step).expect("possible");
    let products = (after.jaes().as_slice().len() - graph.jaes().as_slice().len()) as i64;
    let mut damage = sum_of_degrees(&after, j) - sum_of_degrees(graph, j);
    if let (Step::Back(..), Role::Dependent, 1) = (step, graph.lcg().role(j), graph.out_degree(j)) {
        // The dependent stays, but edge eliminations are compared as if it did not.
        damage -= graph
            .preds(j)
            .map(|i| graph.in_degree(i) as i64)
            .sum::<i64>();
    }
    match rule {
        Rule::LowestMarkowitz => products,
        Rule::LowestRelativeMarkowitz => {
            let (from, to) = (reached(start, j, false), reached(start, j, true));
            products
                - match step {
                    Step::Front(..) => to,
                    Step::Back(..) => from,
                    Step::Vertex(_) | Step::Face(..) => from * to,
                }
        }
        Rule::LowestFillIn => (after.fill_in() - graph.fill_in()) as i64,
        Rule::MinimalDamage => products + damage,
        Rule::MaximalReduction => damage - products,
        Rule::Forward | Rule::Reverse | Rule::SiblingDegree => unreachable!("no score"),
    }
}

/// The place in forward or reverse order.
fn order(step: Step, reverse: bool) -> (i64, u8, i64) {
    let sign = if reverse { -1 } else { 1 };
    let (j, side, end) = match step {
        Step::Front(i, j) => (j, 0, i),
        Step::Back(j, k) => (j, 1, k),
        Step::Vertex(j) | Step::Face(j, _) => (j, 0, 0),
    };
    (sign * i64::from(j), side, sign * i64::from(end))
}

fn keep_least<K: Ord>(steps: &mut Vec<Step>, key: impl Fn(Step) -> K) {
    let keys: Vec<K> = steps.iter().map(|&step| key(step)).collect();
    let least = keys.iter().min();
    let mut left = keys.iter().map(|key| Some(key) == least);
    steps.retain(|_| left.next() == Some(true));
}

fn by_definition(heuristic: &Heuristic, lcg: &Lcg) -> Vec<Step> {
    let start = Primal::new(lcg);
    let mut graph = start.clone();
    let by_vertex = heuristic.to_string().contains("-em");
    let mut previous = (Set::new(), Set::new());
    let mut done = Vec::new();
    loop {
        let mut steps = if heuristic.technique() == Technique::Vertex {
            let all = 0..lcg.vertex_count() as u32;
            let possible = all.filter(|&v| graph.is_eliminable(v));
            possible.map(Step::Vertex).collect()
        } else {
            edge_steps(&graph, false)
        };
        if steps.is_empty() {
            return done;
        }
        for &rule in heuristic.rules() {
            match rule {
                Rule::Forward => keep_least(&mut steps, |step| order(step, false)),
                Rule::Reverse => keep_least(&mut steps, |step| order(step, true)),
                Rule::SiblingDegree => keep_least(&mut steps, |step| {
                    let (ins, outs) = ends(&graph, step);
                    let (ins, outs) = (
                        ins.intersection(&previous.0),
                        outs.intersection(&previous.1),
                    );
                    -((ins.count() * outs.count()) as i64)
                }),
                _ => keep_least(&mut steps, |step| {
                    let step = if by_vertex {
                        Step::Vertex(middle(step))
                    } else {
                        step
                    };
                    score(rule, &start, &graph, step)
                }),
            }
        }
        assert_eq!(steps.len(), 1, "the choice is unique");
        previous = ends(&graph, steps[0]);
        graph.apply(steps[0]).expect("possible");
        done.push(steps[0]);
    }
}

/// A graph behind or before edges from inputs to outputs: there it is too large for a matrix, here
/// its rows take two words.
fn beside(lcg: &Lcg, pairs: i64, first: i64) -> Lcg {
    let edges = lcg.edges().iter();
    let edges = edges.map(|edge| NewEdge::new(lcg.id(edge.source), lcg.id(edge.target), edge.kind));
    let more = (0..pairs).map(|at| (first + at, first + pairs + at));
    let kind = lcg.edges()[0].kind;
    let new = more.clone().map(|(i, k)| NewEdge::new(i, k, kind));
    let ids = |list: &[u32]| -> Vec<i64> { list.iter().map(|&v| lcg.id(v)).collect() };
    let (mut inputs, mut outputs) = (ids(lcg.inputs()), ids(lcg.outputs()));
    inputs.extend(more.clone().map(|(i, _)| i));
    outputs.extend(more.map(|(_, k)| k));
    Lcg::new("beside", &inputs, &outputs, edges.chain(new)).expect("a graph")
}

#[test]
fn heuristics_choose_by_their_rules() {
    const OTHERS: [&str; 11] = [
        "vertex-LFI-HS-RM",
        "vertex-LM-HS-FM",
        "edge-LFI-LMMD-FM",
        "edge-LM-LFI-HS-RM",
        "edge-LFI-HS-RM",
        "edge-HS-LFI-MOMR-FM",
        "edge-HS-FM",
        "edge-MOMR-HS-LFI-FM",
        "edge-LMMD-LFI-LM-LR-MOMR-HS-RM",
        "edge-emLFI-HS-RM",
        "edge-emLR-RM",
    ];
    let others = OTHERS.map(|key| Heuristic::from_key(key).expect("a chain"));
    let list: Vec<Heuristic> = Heuristic::portfolio().into_iter().chain(others).collect();
    let list = list
        .iter()
        .filter(|heuristic| heuristic.technique() != Technique::Face);
    let mut steps = 0;
    for seed in 0..100 {
        // The last graphs are dense, so that the changes of one step reach far.
        let shape = match seed {
            40.. => Shape {
                inputs: [4, 2, 9][seed as usize % 3],
                middle: 12,
                outputs: [4, 9, 2][seed as usize % 3],
                degree: 12,
                ..shape(seed)
            },
            _ => shape(seed),
        };
        let lcg = graph(seed, shape);
        let others = [beside(&lcg, 600, 10_000), beside(&lcg, 28, -1_000)];
        for heuristic in list.clone() {
            let expected = by_definition(heuristic, &lcg);
            let run = heuristic.run(&lcg, &Limits::default());
            assert_eq!(run.ended, Ended::Complete);
            assert_eq!(run.steps, expected, "{heuristic} {}", lcg.to_json());
            steps += expected.len();
            let ids = |lcg: &Lcg, steps: &[Step]| -> Vec<(i64, i64, bool)> {
                let id = |&step: &Step| match step {
                    Step::Vertex(j) => (lcg.id(j), lcg.id(j), false),
                    Step::Front(i, j) => (lcg.id(i), lcg.id(j), true),
                    Step::Back(j, k) | Step::Face(j, k) => (lcg.id(j), lcg.id(k), false),
                };
                steps.iter().map(id).collect()
            };
            for other in &others {
                let run = heuristic.run(other, &Limits::default());
                let (found, expected) = (ids(other, &run.steps), ids(&lcg, &expected));
                assert_eq!(found, expected, "{heuristic} {}", lcg.to_json());
            }
        }
    }
    assert!(steps > 30_000, "{steps}");
}
