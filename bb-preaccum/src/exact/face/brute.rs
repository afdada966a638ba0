//! Exact search without a known cost, against all sequences of faces.

use std::collections::HashMap;

use super::{Faces, Left, Limit, Outcome, mix, solve};
use crate::cost::CostModel;
use crate::eliminate::{Dual, Entry, Step};
use crate::lcg::{Kind, Lcg, NewEdge};

/// The remaining dual graph without the numbers that it got on the way: its dual vertices in the order of their ends.
type Key = Vec<(u32, u32, Kind, Vec<usize>, Vec<usize>)>;

fn key(graph: &Dual<'_>) -> Key {
    let living = |at: &u32| graph.vertex(*at).is_some();
    let mut living: Vec<u32> = (0..graph.next()).filter(living).collect();
    let vertex = |at: u32| graph.vertex(at).expect("living");
    living.sort_by_key(|&at| (vertex(at).source(), vertex(at).target(), at));
    let place: HashMap<u32, usize> = living.iter().copied().zip(0..).collect();
    let near = |mut near: Vec<usize>| {
        near.sort_unstable();
        near
    };
    let row = |(&at, entry): (&u32, Entry)| {
        let preds = near(vertex(at).preds().map(|p| place[&p]).collect());
        let succs = near(vertex(at).succs().map(|s| place[&s]).collect());
        (entry.source, entry.target, entry.kind, preds, succs)
    };
    living.iter().zip(graph.entries()).map(row).collect()
}

fn brute(graph: &Dual<'_>, model: CostModel, known: &mut HashMap<Key, u64>) -> u64 {
    let key = key(graph);
    if let Some(&rest) = known.get(&key) {
        return rest;
    }
    let paid = graph.counts().multiplications(model);
    let faces: Vec<(u32, u32)> = graph.faces().collect();
    let best = faces.into_iter().map(|(i, j)| {
        let mut next = graph.clone();
        next.apply(Step::Face(i, j)).expect("legal");
        next.counts().multiplications(model) - paid + brute(&next, model, known)
    });
    let rest = best.min().unwrap_or(0);
    known.insert(key, rest);
    rest
}

/// A random graph of two inputs and up to six more vertices, some of them outputs, also read ones.
fn random(seed: u64) -> Lcg {
    let mut state = seed << 20;
    let mut below = |most: u64| {
        state += 1;
        (mix(state) % most) as i64
    };
    let last = 4 + below(4);
    let mut edges = Vec::new();
    for k in 2..=last {
        for i in 0..k {
            if below(k as u64) < 2 {
                let kind = [Kind::Unit, Kind::Constant, Kind::Variable, Kind::Variable];
                edges.push(NewEdge::new(i, k, kind[below(4) as usize]));
            }
        }
        if edges.iter().all(|edge| edge.target != k) {
            edges.push(NewEdge::new(below(2), k, Kind::Variable));
        }
    }
    let read = |v: i64| edges.iter().any(|edge| edge.source == v);
    let outputs: Vec<i64> = (2..=last).filter(|&v| !read(v) || below(5) == 0).collect();
    let inputs: Vec<i64> = (0..2).collect();
    Lcg::new("random", &inputs, &outputs, edges).expect("a graph")
}

#[test]
fn exact_search_alone_equals_all_sequences() {
    let limit = Limit {
        graphs: usize::MAX,
        bytes: usize::MAX,
    };
    let (mut tried, mut above) = (0, 0);
    for seed in 0..150 {
        let lcg = random(seed);
        let dual = Dual::new(&lcg);
        if !(3..=9).contains(&dual.face_count()) {
            continue;
        }
        for model in CostModel::ALL {
            let least = brute(&dual, model, &mut HashMap::new());
            match solve(&lcg, model, u64::MAX, limit, &mut || false) {
                Some(Outcome::Optimal(cost, steps)) => {
                    assert_eq!(cost, least, "{model:?} {}", lcg.to_json());
                    let mut dual = Dual::new(&lcg);
                    for step in steps {
                        dual.apply(step).expect("legal");
                    }
                    assert!(dual.is_complete());
                    assert_eq!(dual.counts().multiplications(model), cost);
                }
                found => panic!("{found:?} {}", lcg.to_json()),
            }
            tried += 1;
            above += usize::from(least > crate::bound::bound(&lcg, model, u64::MAX));
        }
    }
    assert!(tried > 100 && above > 10, "{tried} {above}");
}

/// The bound holds after any faces are eliminated.
#[test]
fn lower_bounds_are_no_higher_than_what_is_left_costs() {
    let (mut compared, mut met) = (0, 0);
    for seed in 0..150 {
        let lcg = random(seed);
        let faces = Dual::new(&lcg).face_count();
        if !(3..=9).contains(&faces) {
            continue;
        }
        for model in CostModel::ALL {
            let mut known = HashMap::new();
            let mut dual = Dual::new(&lcg);
            let mut left = Left::new(&lcg, model).expect("small").canonical();
            let space = Faces {
                model,
                here: Left::default(),
                next: Left::default(),
            };
            for at in 0.. {
                let (bound, least) = (space.lower(&left), brute(&dual, model, &mut known));
                assert!(u64::from(bound) <= least, "{model:?} {}", lcg.to_json());
                compared += 1;
                met += usize::from(u64::from(bound) == least && least > 0);
                let faces: Vec<(u32, u32)> = dual.faces().collect();
                if faces.is_empty() {
                    break;
                }
                let (i, j) = faces[mix(seed << 8 | at) as usize % faces.len()];
                let place = |name| left.name.iter().position(|&other| other == name);
                let (first, second) = (place(i).expect("there"), place(j).expect("there"));
                let name = dual.next();
                dual.apply(Step::Face(i, j)).expect("legal");
                assert!(left.eliminate((first, second), name).is_ok());
                left = left.canonical();
            }
        }
    }
    assert!(compared > 500 && met > 200, "{compared} {met}");
}
