//! Face heuristics choose, as defined, the first of all faces by the chain of rules.

use std::collections::BTreeMap;

use bb_preaccum::eliminate::{Dual, Step};
use bb_preaccum::heuristic::{Ended, Heuristic, Limits, Rule};
use bb_preaccum::lcg::Lcg;

use crate::random::{Shape, graph, shape};

/// Source, middle and target of a face.
fn around(graph: &Dual<'_>, (first, second): (u32, u32)) -> (i64, i64, i64) {
    let at = |v| graph.vertex(v).expect("alive");
    let (first, second) = (at(first), at(second));
    assert_eq!(first.target(), second.source());
    (
        first.source().into(),
        first.target().into(),
        second.target().into(),
    )
}

/// All faces are compared at each step.
fn by_definition(rules: &[Rule], lcg: &Lcg) -> Vec<Step> {
    let mut graph = Dual::new(lcg);
    let mut steps = Vec::new();
    let mut previous = None;
    loop {
        let mut degrees: BTreeMap<i64, i64> = BTreeMap::new();
        for face in graph.faces() {
            *degrees.entry(around(&graph, face).1).or_default() += 1;
        }
        let key = |&face: &(u32, u32)| {
            let (source, middle, target) = around(&graph, face);
            let of_rule = |rule: &Rule| match rule {
                Rule::LowestMarkowitz => vec![degrees[&middle]],
                Rule::SiblingDegree => vec![-i64::from(previous == Some((source, target)))],
                Rule::Forward => vec![middle, source, target],
                _ => vec![-middle, -source, -target],
            };
            let keys: Vec<Vec<i64>> = rules.iter().map(of_rule).collect();
            (keys, face)
        };
        let Some(face) = graph.faces().min_by_key(key) else {
            return steps;
        };
        let (source, _, target) = around(&graph, face);
        previous = Some((source, target));
        let step = Step::Face(face.0, face.1);
        graph.apply(step).expect("legal");
        steps.push(step);
    }
}

#[test]
fn face_heuristics_choose_by_their_rules() {
    let keys = [
        "face-FM",
        "face-RM",
        "face-LM-FM",
        "face-LM-RM",
        "face-HS-FM",
        "face-HS-RM",
        "face-HS-LM-FM",
        "face-HS-LM-RM",
        "face-LM-HS-FM",
        "face-LM-HS-RM",
    ];
    let mut kinds = std::collections::BTreeSet::new();
    for seed in 0..200 {
        // The last ones are dense, so that many dual vertices are parallel.
        let shape = match seed {
            150.. => Shape {
                inputs: 5 + seed as usize % 3,
                middle: 6,
                outputs: 4,
                degree: 12,
                ..shape(seed)
            },
            _ => shape(seed),
        };
        let lcg = graph(seed, shape);
        let mut different = std::collections::BTreeSet::new();
        for key in keys {
            let heuristic = Heuristic::from_key(key).expect("a key");
            let run = heuristic.run(&lcg, &Limits::default());
            assert_eq!(run.ended, Ended::Complete);
            let expected = by_definition(heuristic.rules(), &lcg);
            assert_eq!(run.steps, expected, "{key} {}", lcg.to_json());
            different.insert(expected);
        }
        kinds.insert(different.len());
    }
    assert!(kinds.last().is_some_and(|&most| most >= 8), "{kinds:?}");
}
