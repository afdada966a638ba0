//! The driver for face heuristics.

use std::collections::BTreeMap;

use super::{Ended, Heuristic, Limits, Rule, Run};
use crate::eliminate::{Dual, Step};
use crate::lcg::Lcg;

/// Vertex numbers are below 2^30.
const TOP: u32 = 1 << 30;

pub(super) fn run(heuristic: &Heuristic, lcg: &Lcg, limits: &Limits<'_>) -> Run {
    let mut graph = Dual::new(lcg);
    let mut steps = Vec::new();
    let mut work = graph.face_count() as u64;
    let start = lcg.edges().len();
    let mut previous: Option<(u32, u32)> = None;
    let ended = loop {
        let made = graph.jaes().as_slice().len().saturating_sub(start);
        if let Some(ended) = limits.check(made, work) {
            break ended;
        }
        let Some((first, second)) = choose(heuristic, &graph, previous) else {
            break Ended::Complete;
        };
        work += graph.face_count() as u64;
        previous = ends(&graph, first, second);
        if graph.apply(Step::Face(first, second)).is_err() {
            break Ended::Stopped;
        }
        steps.push(Step::Face(first, second));
    };
    let edges_left = graph.entries().count();
    Run {
        steps,
        counts: *graph.counts(),
        ended,
        edges_left,
        work,
    }
}

fn ends(graph: &Dual<'_>, first: u32, second: u32) -> Option<(u32, u32)> {
    Some((
        graph.vertex(first)?.source(),
        graph.vertex(second)?.target(),
    ))
}

fn choose(
    heuristic: &Heuristic,
    graph: &Dual<'_>,
    previous: Option<(u32, u32)>,
) -> Option<(u32, u32)> {
    let mut through: BTreeMap<u32, i64> = BTreeMap::new();
    if heuristic.rules.contains(&Rule::LowestMarkowitz) {
        for (first, _) in graph.faces() {
            if let Some(vertex) = graph.vertex(first) {
                *through.entry(vertex.target()).or_default() += 1;
            }
        }
    }
    let key = |&(first, second): &(u32, u32)| {
        let middle = graph.vertex(first).map_or(0, |vertex| vertex.target());
        let (source, target) = ends(graph, first, second).unwrap_or_default();
        let mut key = [[0i64; 3]; 4];
        for (slot, rule) in key.iter_mut().zip(&heuristic.rules) {
            *slot = match rule {
                Rule::LowestMarkowitz => [through.get(&middle).copied().unwrap_or(0), 0, 0],
                Rule::SiblingDegree => [-i64::from(previous == Some((source, target))), 0, 0],
                Rule::Forward => [middle.into(), source.into(), target.into()],
                _ => [TOP - middle, TOP - source, TOP - target].map(i64::from),
            };
        }
        key
    };
    graph.faces().min_by_key(|face| (key(face), *face))
}
