//! Properties on random graphs: every sequence gives the same Jacobian, counters equal recounts, the
//! search beats every heuristic, exact search equals brute force.

use std::collections::{BTreeSet, HashMap};

use bb_preaccum::bound;
use bb_preaccum::certificate::{
    self, Values, evaluate_entries, jacobian, jacobian_by_paths, random_labels,
};
use bb_preaccum::cost::CostModel;
use bb_preaccum::eliminate::{Dual, Entry, Primal, Step, StepError};
use bb_preaccum::heuristic::{Ended, Heuristic, Limits, Technique};
use bb_preaccum::lcg::{Kind, Lcg, NewEdge, Role};
use bb_preaccum::search::{Options, Proof, recount, replay, search};

use crate::random::{Rng, Shape, graph, shape};

fn is_jacobian(lcg: &Lcg, steps: &[Step], expected: &Values, labels: &[u64]) {
    let ours = replay(lcg, steps).expect("legal");
    assert!(ours.complete);
    let values = evaluate_entries(&ours.jaes, ours.entries.iter().copied(), labels);
    assert_eq!(&values, expected, "{}", lcg.to_json());
    let theirs = certificate::replay(lcg, steps, labels).expect("legal");
    assert!(theirs.complete);
    assert_eq!(&theirs.values, expected, "{}", lcg.to_json());
    for model in CostModel::ALL {
        assert_eq!(
            ours.counts.multiplications(model),
            theirs.multiplications(model)
        );
        assert_eq!(
            ours.counts.fused(model),
            theirs.fused(model),
            "{model:?} {}",
            lcg.to_json()
        );
    }
    assert_eq!(ours.counts.additions, theirs.additions);
    // Half of a sequence leaves a remainder graph.
    for steps in [steps, &steps[..steps.len() / 2]] {
        let (kept, counted) = (replay(lcg, steps), recount(lcg, steps).expect("legal"));
        let kept = kept.expect("legal");
        assert_eq!(counted.counts, kept.counts);
        assert_eq!(counted.edges_left, kept.entries.len());
        assert_eq!(counted.complete, kept.complete);
    }
}

#[test]
fn every_sequence_gives_the_jacobian() {
    for seed in 0..120 {
        let lcg = graph(seed, shape(seed));
        let labels = random_labels(&lcg, seed);
        let expected = jacobian(&lcg, &labels);
        assert_eq!(
            jacobian_by_paths(&lcg, &labels, 1 << 20),
            Some(expected.clone())
        );
        for heuristic in Heuristic::portfolio() {
            let run = heuristic.run(&lcg, &Limits::default());
            assert_eq!(run.ended, Ended::Complete, "{heuristic} {}", lcg.to_json());
            is_jacobian(&lcg, &run.steps, &expected, &labels);
        }
        // Any legal steps in any order.
        let mut rng = Rng::new(seed);
        for _ in 0..10 {
            is_jacobian(&lcg, &random_edges(&lcg, &mut rng), &expected, &labels);
            is_jacobian(&lcg, &random_faces(&lcg, &mut rng), &expected, &labels);
        }
    }
}

/// Random vertex and edge eliminations until nothing is left.
fn random_edges(lcg: &Lcg, rng: &mut Rng) -> Vec<Step> {
    let mut graph = Primal::new(lcg);
    let mut steps = Vec::new();
    loop {
        let legal = edge_steps(&graph, true);
        if legal.is_empty() {
            return steps;
        }
        let step = legal[rng.below(legal.len())];
        graph.apply(step).expect("legal");
        steps.push(step);
    }
}

pub(crate) fn edge_steps(graph: &Primal<'_>, with_vertices: bool) -> Vec<Step> {
    let mut legal = Vec::new();
    for v in 0..graph.lcg().vertex_count() as u32 {
        if !graph.is_eliminable(v) {
            continue;
        }
        if with_vertices {
            legal.push(Step::Vertex(v));
        }
        if graph.lcg().role(v) == Role::Intermediate {
            legal.extend(graph.preds(v).map(|i| Step::Front(i, v)));
        }
        legal.extend(graph.succs(v).map(|k| Step::Back(v, k)));
    }
    legal
}

fn random_faces(lcg: &Lcg, rng: &mut Rng) -> Vec<Step> {
    let mut graph = Dual::new(lcg);
    let mut steps = Vec::new();
    loop {
        let faces: Vec<(u32, u32)> = graph.faces().collect();
        assert_eq!(faces.len(), graph.face_count());
        // From the other end the faces are the same.
        let seconds: BTreeSet<u32> = faces.iter().map(|face| face.1).collect();
        let mut back: Vec<(u32, u32)> = Vec::new();
        for &j in &seconds {
            let second = graph.vertex(j).expect("living");
            back.extend(second.preds().map(|i| (i, j)));
        }
        back.sort_unstable();
        assert_eq!(back, faces, "{}", lcg.to_json());
        if faces.is_empty() {
            return steps;
        }
        let (i, j) = faces[rng.below(faces.len())];
        graph.apply(Step::Face(i, j)).expect("legal");
        steps.push(Step::Face(i, j));
    }
}

#[test]
fn illegal_steps_are_refused_and_change_nothing() {
    for seed in 0..40 {
        let lcg = graph(seed, shape(seed));
        let graph = Primal::new(&lcg);
        let legal = edge_steps(&graph, true);
        let n = lcg.vertex_count() as u32 + 1;
        for a in 0..n {
            let single = Step::Vertex(a);
            let pairs = (0..n).flat_map(|b| [Step::Front(a, b), Step::Back(a, b)]);
            for step in std::iter::once(single).chain(pairs) {
                let mut copy = graph.clone();
                let edges = copy.edge_count();
                // Edges at dead vertices are gone from the start; all others are listed as legal.
                let done = copy.apply(step).is_ok();
                assert_eq!(done, legal.contains(&step), "{step:?} {}", lcg.to_json());
                if !done {
                    assert_eq!(copy.edge_count(), edges);
                    assert!(copy.jaes().as_slice().is_empty());
                }
                let check = certificate::replay(&lcg, &[step], &random_labels(&lcg, 0));
                assert_eq!(check.is_ok(), done, "{step:?} {}", lcg.to_json());
            }
        }
    }
}

/// Faces that do not exist, or no longer exist, are refused, and so are sequences that mix faces with other steps.
#[test]
fn faces_that_are_not_there_are_refused() {
    let mut mixed = 0;
    for seed in 0..20 {
        let shape = Shape {
            middle: 1 + (seed as usize) % 4,
            ..shape(seed)
        };
        let lcg = graph(seed, shape);
        let labels = random_labels(&lcg, seed);
        let whole = Dual::new(&lcg);
        let faces: Vec<(u32, u32)> = whole.faces().collect();
        let n = lcg.edges().len() as u32 + 1;
        for (i, j) in (0..n).flat_map(|i| (0..n).map(move |j| (i, j))) {
            let mut copy = whole.clone();
            let place = || format!("({i}, {j}) {}", lcg.to_json());
            let expected = if faces.contains(&(i, j)) {
                Ok(())
            } else {
                Err(StepError::Face(i, j))
            };
            let face = Step::Face(i, j);
            assert_eq!(copy.apply(face), expected, "{}", place());
            let check = certificate::replay(&lcg, &[face], &labels);
            assert_eq!(check.map(|_| ()), expected, "{}", place());
            if expected.is_err() {
                assert_eq!(copy.face_count(), faces.len(), "{}", place());
                assert!(copy.jaes().as_slice().is_empty());
                assert!(copy.faces().eq(faces.iter().copied()), "{}", place());
            } else {
                let gone = Err(StepError::Face(i, j));
                assert_eq!(copy.apply(face), gone, "{}", place());
                let check = certificate::replay(&lcg, &[face, face], &labels);
                assert_eq!(check.map(|_| ()), gone, "{}", place());
            }
        }
        let mut primal = Primal::new(&lcg);
        let (Some(&(i, j)), Some(&step)) = (faces.first(), edge_steps(&primal, true).first())
        else {
            continue;
        };
        let face = Step::Face(i, j);
        assert_eq!(primal.apply(face), Err(StepError::Mixed));
        assert_eq!(whole.clone().apply(step), Err(StepError::Mixed));
        for steps in [[face, step], [step, face]] {
            let refused = Some(StepError::Mixed);
            assert_eq!(replay(&lcg, &steps).err(), refused, "{}", lcg.to_json());
            assert_eq!(recount(&lcg, &steps).err(), refused, "{}", lcg.to_json());
            let check = certificate::replay(&lcg, &steps, &labels);
            assert_eq!(check.err(), refused, "{}", lcg.to_json());
        }
        mixed += 1;
    }
    assert!(mixed > 10, "{mixed}");
}

/// The least cost over all orders, trying each.
fn brute_vertex(graph: &Primal<'_>, model: CostModel) -> u64 {
    let open: Vec<u32> = (0..graph.lcg().vertex_count() as u32)
        .filter(|&v| graph.is_eliminable(v))
        .collect();
    let best = open.iter().map(|&v| {
        let mut next = graph.clone();
        next.apply(Step::Vertex(v)).expect("legal");
        brute_vertex(&next, model)
    });
    best.min()
        .unwrap_or_else(|| graph.counts().multiplications(model))
}

/// The least cost of all edge eliminations; graphs are remembered with their remaining cost.
fn brute_edge(
    graph: &Primal<'_>,
    model: CostModel,
    known: &mut HashMap<Vec<(u32, u32, u8)>, u64>,
) -> u64 {
    let key: Vec<_> = graph
        .entries()
        .map(|entry| (entry.source, entry.target, entry.kind as u8))
        .collect();
    if let Some(&rest) = known.get(&key) {
        return rest;
    }
    let paid = graph.counts().multiplications(model);
    let best = edge_steps(graph, false).into_iter().map(|step| {
        let mut next = graph.clone();
        next.apply(step).expect("legal");
        next.counts().multiplications(model) - paid + brute_edge(&next, model, known)
    });
    let rest = best.min().unwrap_or(0);
    known.insert(key, rest);
    rest
}

/// The remaining dual graph, without the numbers that it got on the way: its dual vertices in the order of their ends.
type DualKey = Vec<(u32, u32, u8, Vec<usize>, Vec<usize>)>;

fn dual_key(graph: &Dual<'_>, most: u32) -> DualKey {
    let mut living: Vec<u32> = (0..most).filter(|&at| graph.vertex(at).is_some()).collect();
    let vertex = |at: u32| graph.vertex(at).expect("living");
    living.sort_by_key(|&at| (vertex(at).source(), vertex(at).target(), at));
    let place: HashMap<u32, usize> = living.iter().copied().zip(0..).collect();
    let near = |mut near: Vec<usize>| {
        near.sort_unstable();
        near
    };
    let entries: Vec<_> = graph.entries().collect();
    assert_eq!(entries.len(), living.len());
    let row = |(&at, entry): (&u32, &Entry)| {
        let dual = vertex(at);
        assert_eq!((dual.source(), dual.target()), (entry.source, entry.target));
        let preds = near(dual.preds().map(|p| place[&p]).collect());
        let succs = near(dual.succs().map(|s| place[&s]).collect());
        (entry.source, entry.target, entry.kind as u8, preds, succs)
    };
    living.iter().zip(&entries).map(row).collect()
}

/// The least cost of all face eliminations; `most` is above the numbers of dual vertices.
fn brute_face(
    graph: &Dual<'_>,
    most: u32,
    model: CostModel,
    known: &mut HashMap<DualKey, u64>,
) -> u64 {
    let key = dual_key(graph, most);
    if let Some(&rest) = known.get(&key) {
        return rest;
    }
    let paid = graph.counts().multiplications(model);
    let faces: Vec<(u32, u32)> = graph.faces().collect();
    let best = faces.into_iter().map(|(i, j)| {
        let mut next = graph.clone();
        next.apply(Step::Face(i, j)).expect("legal");
        next.counts().multiplications(model) - paid + brute_face(&next, most + 1, model, known)
    });
    let rest = best.min().unwrap_or(0);
    known.insert(key, rest);
    rest
}

/// The optimum over face sequences is found and proven, and known as a bound of the narrower classes.
#[test]
fn exact_face_search_equals_brute_force() {
    let (mut above_paths, mut read_again) = (0, 0);
    for seed in 0..90 {
        let shape = Shape {
            middle: 1 + (seed as usize) % 3,
            inputs: 1 + (seed as usize / 3) % 2,
            outputs: 2,
            degree: 2 + (seed as usize / 2) % 2,
            ..shape(seed)
        };
        let lcg = graph(seed, shape);
        let dual = Dual::new(&lcg);
        if dual.face_count() > 10 {
            continue;
        }
        for model in CostModel::ALL {
            let brute = brute_face(&dual, lcg.edges().len() as u32, model, &mut HashMap::new());
            let run = |exact, technique| {
                search(
                    &lcg,
                    &Options {
                        model,
                        technique,
                        exact,
                        ..Options::default()
                    },
                )
            };
            for (exact, technique) in [(false, None), (true, Some(Technique::Face))] {
                let outcome = run(exact, technique);
                let place = || format!("{model:?} {}", lcg.to_json());
                assert_eq!(outcome.cost, brute, "{}", place());
                assert_eq!(outcome.bound, brute, "{}", place());
                assert_eq!(outcome.optimal, Some(Technique::Face), "{}", place());
                let done = replay(&lcg, &outcome.steps).expect("legal");
                assert!(done.complete);
                assert_eq!(done.counts.multiplications(model), brute);
                let paths = bound::bound(&lcg, model, u64::MAX);
                assert!(paths <= brute, "{}", place());
                let proof = if paths == brute {
                    Proof::Paths
                } else {
                    Proof::Exhausted(Technique::Face)
                };
                assert_eq!(outcome.proof, proof, "{}", place());
                for class in &outcome.classes {
                    assert!(class.bound >= brute, "{}", place());
                }
                above_paths += usize::from(paths < brute);
            }
            let again = |&y: &u32| !lcg.out_edges(y).is_empty();
            read_again += usize::from(lcg.outputs().iter().any(again));
        }
    }
    assert!(above_paths > 20, "{above_paths}");
    assert!(read_again > 20, "{read_again}");
}

#[test]
fn exact_vertex_search_equals_brute_force() {
    let mut separated = 0;
    for seed in 0..150 {
        let lcg = graph(
            seed,
            Shape {
                middle: 1 + (seed as usize) % 6,
                ..shape(seed)
            },
        );
        for model in CostModel::ALL {
            let technique = Some(Technique::Vertex);
            let outcome = search(
                &lcg,
                &Options {
                    model,
                    technique,
                    exact: true,
                    ..Options::default()
                },
            );
            let brute = brute_vertex(&Primal::new(&lcg), model);
            assert_eq!(outcome.cost, brute, "{model:?} {}", lcg.to_json());
            assert_eq!(outcome.bound, brute, "{model:?} {}", lcg.to_json());
            assert!(outcome.optimal.is_some());
            let paths = bound::bound(&lcg, model, u64::MAX);
            assert!(paths <= brute, "{model:?} {}", lcg.to_json());
            separated += usize::from(paths < brute);
        }
    }
    assert!(
        separated > 20,
        "the bound alone must not decide everything: {separated}"
    );
}

#[test]
fn exact_edge_search_equals_brute_force() {
    for seed in 0..80 {
        // Up to three intermediates between three of each, or four between two.
        let (middle, ends) = match seed % 4 {
            3 => (4, 2),
            less => (1 + less as usize, 3),
        };
        let shape = Shape {
            middle,
            inputs: ends,
            outputs: ends,
            degree: 2 + (seed as usize / 4) % 2,
            ..shape(seed)
        };
        let lcg = graph(seed, shape);
        for model in CostModel::ALL {
            let technique = Some(Technique::Edge);
            let outcome = search(
                &lcg,
                &Options {
                    model,
                    technique,
                    exact: true,
                    ..Options::default()
                },
            );
            let brute = brute_edge(&Primal::new(&lcg), model, &mut HashMap::new());
            assert_eq!(outcome.cost, brute, "{model:?} {}", lcg.to_json());
            assert_eq!(outcome.bound, brute, "{model:?} {}", lcg.to_json());
            assert!(bound::bound(&lcg, model, u64::MAX) <= brute);
        }
    }
}

#[test]
fn search_is_never_worse_than_a_heuristic_and_checks_out() {
    for seed in 0..40 {
        let lcg = graph(
            seed,
            Shape {
                middle: 8 + (seed as usize) % 20,
                ..shape(seed)
            },
        );
        let labels = random_labels(&lcg, seed);
        let expected = jacobian(&lcg, &labels);
        for model in CostModel::ALL {
            let options = Options {
                model,
                seed,
                work: 4_000_000,
                ..Options::default()
            };
            let outcome = search(&lcg, &options);
            for heuristic in Heuristic::portfolio() {
                let run = heuristic.run(&lcg, &Limits::default());
                let cost = run.counts.multiplications(model);
                assert!(
                    outcome.cost <= cost,
                    "{heuristic} {model:?} {}",
                    lcg.to_json()
                );
            }
            assert!(outcome.complete && outcome.bound <= outcome.cost);
            assert_eq!(outcome.optimal.is_none(), outcome.proof == Proof::None);
            is_jacobian(&lcg, &outcome.steps, &expected, &labels);
            let recount = certificate::replay(&lcg, &outcome.steps, &labels).expect("legal");
            assert_eq!(recount.multiplications(model), outcome.cost);
            let again = search(&lcg, &options);
            assert_eq!((again.cost, again.steps), (outcome.cost, outcome.steps));
        }
    }
}

#[test]
fn the_paths_of_the_bound_are_disjoint_paths() {
    for seed in 0..60 {
        let lcg = graph(seed, shape(seed));
        let mut total = 0;
        for proof in bound::paths(&lcg, CostModel::Plain) {
            let pairs = proof.prefixes.len() * proof.suffixes.len();
            assert_eq!(proof.products, pairs as u64);
            total += proof.products;
            for (family, end) in [
                (&proof.prefixes, Role::Independent),
                (&proof.suffixes, Role::Dependent),
            ] {
                let mut seen: Vec<u32> = Vec::new();
                for path in family {
                    for edge in path.windows(2) {
                        let linked = lcg
                            .out_edges(edge[0])
                            .iter()
                            .any(|&at| lcg.edges()[at as usize].target == edge[1]);
                        assert!(linked, "{path:?}");
                    }
                    let terminal = if end == Role::Independent {
                        path[0]
                    } else {
                        path[path.len() - 1]
                    };
                    assert_eq!(lcg.role(terminal), end);
                    seen.extend(path.iter().filter(|&&v| v != proof.vertex).copied());
                }
                let count = seen.len();
                seen.sort_unstable();
                seen.dedup();
                assert_eq!(
                    seen.len(),
                    count,
                    "paths through {} share a vertex",
                    proof.vertex
                );
            }
        }
        assert_eq!(total, bound::bound(&lcg, CostModel::Plain, u64::MAX));
    }
}

/// The optimum over vertex orders is proven without being asked for on every graph of up to 25
/// intermediates, dense ones and ones with many reads included.
/// Vertices without in-edges that are no independents stay out of all products, and of the bound however little it may
/// compute.
#[test]
fn what_no_independent_reaches_does_not_count() {
    let mut rng = Rng::new(77);
    let mut unreached = 0;
    for seed in 0..150 {
        let lcg = graph(seed, shape(seed));
        let n = lcg.vertex_count() as i64;
        let kept = |v: &u32| lcg.id(*v);
        let inputs: Vec<i64> = lcg.inputs().iter().map(kept).collect();
        let outputs: Vec<i64> = lcg.outputs().iter().map(kept).collect();
        let mut edges: Vec<NewEdge> = Vec::new();
        for e in lcg.edges() {
            edges.push(NewEdge {
                source: lcg.id(e.source),
                target: lcg.id(e.target),
                kind: e.kind,
                negative: e.negative,
                tag: e.tag,
            });
        }
        // A chain that begins nowhere, read by some vertices that are there.
        for k in 0..3 {
            let others =
                (0..lcg.vertex_count() as u32).filter(|v| lcg.role(*v) != Role::Independent);
            let readers = others.filter(|_| rng.below(3) == 0).map(|v| lcg.id(v));
            let next = (k < 2).then_some(n + 101 + k);
            for target in readers.chain(next).collect::<Vec<_>>() {
                edges.push(NewEdge {
                    source: n + 100 + k,
                    target,
                    kind: Kind::Variable,
                    negative: false,
                    tag: edges.len() as u32,
                });
            }
        }
        let larger = Lcg::new("larger", &inputs, &outputs, edges).expect("valid by construction");
        unreached += larger.vertex_count() - lcg.vertex_count();
        for model in CostModel::ALL {
            let whole = bound::bound(&larger, model, u64::MAX);
            assert_eq!(
                whole,
                bound::bound(&lcg, model, u64::MAX),
                "{model:?} {}",
                larger.to_json()
            );
            let cheap = bound::bound(&larger, model, 0);
            assert!(cheap <= whole, "{model:?} {}", larger.to_json());
        }
        let labels = random_labels(&larger, seed);
        let expected = jacobian(&larger, &labels);
        let mut rng = Rng::new(seed);
        for steps in [
            random_edges(&larger, &mut rng),
            random_faces(&larger, &mut rng),
        ] {
            is_jacobian(&larger, &steps, &expected, &labels);
        }
    }
    assert!(unreached > 300, "{unreached}");
}

#[test]
fn twenty_five_intermediates_are_always_proven() {
    let dense = [(12, 12), (13, 30)];
    for (seed, degree) in (0..6).zip(2..8).chain(dense) {
        let lcg = graph(
            seed,
            Shape {
                inputs: 3 + (seed as usize) % 7,
                middle: 25,
                outputs: 2 + (seed as usize) % 9,
                degree,
                read_dependents: seed % 2 == 0,
            },
        );
        for model in CostModel::ALL {
            let technique = Some(Technique::Vertex);
            let outcome = search(
                &lcg,
                &Options {
                    model,
                    technique,
                    ..Options::default()
                },
            );
            assert_eq!(outcome.cost, outcome.bound, "{model:?} {}", lcg.to_json());
            assert!(outcome.optimal.is_some());
        }
    }
}

/// Inputs and outputs in any number add little: `sets` neighbourhoods among `middle` intermediates, each
/// that of `width / sets` inputs and outputs.
fn wide(seed: u64, middle: usize, width: usize, sets: usize) -> Lcg {
    let mut rng = Rng::new(seed);
    let first = width as i64;
    let behind = first + middle as i64;
    let mut edges = Vec::new();
    for v in 1..middle as i64 {
        let mut sources: Vec<i64> = (0..3).map(|_| rng.below(v as usize) as i64).collect();
        sources.sort_unstable();
        sources.dedup();
        edges.extend(sources.iter().map(|u| (first + u, first + v)));
    }
    let half = middle / 2;
    for set in 0..sets {
        // Inputs enter the first half, outputs leave the second one: a few each.
        let mut pick = |from: usize| -> Vec<i64> {
            let near = (from..from + half).filter(|_| rng.below(3) == 0);
            let all: Vec<i64> = near.map(|v| first + v as i64).collect();
            if all.is_empty() {
                vec![first + from as i64]
            } else {
                all
            }
        };
        let (read, made) = (pick(0), pick(middle - half));
        for at in (set..width).step_by(sets).map(|at| at as i64) {
            edges.extend(read.iter().map(|&v| (at, v)));
            edges.extend(made.iter().map(|&v| (v, behind + at)));
        }
    }
    let edges = edges.into_iter().map(|(source, target)| {
        let kind = match rng.below(4) {
            0 => Kind::Unit,
            1 => Kind::Constant,
            _ => Kind::Variable,
        };
        NewEdge::new(source, target, kind)
    });
    let edges: Vec<NewEdge> = edges.collect();
    let inputs: Vec<i64> = (0..first).collect();
    let outputs: Vec<i64> = (behind..behind + width as i64).collect();
    Lcg::new("wide", &inputs, &outputs, edges).expect("valid by construction")
}

#[test]
fn wide_graphs_are_proven_too() {
    // Forty of each, each as it falls; two hundred of each, with ten neighbourhoods among them.
    for (middle, width, sets) in [(12, 40, 40), (15, 200, 10)] {
        let lcg = wide(3, middle, width, sets);
        assert_eq!((lcg.inputs().len(), lcg.outputs().len()), (width, width));
        for model in CostModel::ALL {
            let outcome = search(
                &lcg,
                &Options {
                    model,
                    technique: Some(Technique::Vertex),
                    ..Options::default()
                },
            );
            assert_eq!(outcome.cost, outcome.bound, "{model:?} {}", lcg.to_json());
            assert!(outcome.optimal.is_some());
            // The proof is worth something: disjoint paths alone do not give it.
            let paths = bound::bound(&lcg, model, u64::MAX);
            assert!(paths < outcome.cost, "{model:?}");
        }
    }
}

/// An elimination is complete when nothing but the Jacobian is left: the replay, the graphs and the recount agree after
/// each step of it. A dependent that is read again is left by no step.
#[test]
fn nothing_is_complete_before_its_last_step() {
    let (mut complete, mut open) = (0, 0);
    for seed in 0..40 {
        let lcg = graph(seed, shape(seed));
        let mut rng = Rng::new(seed);
        for steps in [random_edges(&lcg, &mut rng), random_faces(&lcg, &mut rng)] {
            for n in 0..=steps.len() {
                let expected = replay(&lcg, &steps[..n]).expect("legal").complete;
                let found = certificate::replay(&lcg, &steps[..n], &random_labels(&lcg, seed));
                let found = found.expect("legal").complete;
                assert_eq!(found, expected, "{n} of {steps:?} {}", lcg.to_json());
                *(if found { &mut complete } else { &mut open }) += 1;
            }
        }
    }
    assert!(complete >= 80 && open > 80, "{complete} {open}");
    let edge = |source, target| NewEdge::new(source, target, Kind::Variable);
    // All edges leave an independent, or all enter a dependent, and not both.
    for (outputs, edges, expected) in [
        (vec![2, 3], vec![edge(1, 2), edge(2, 3)], false),
        (vec![3], vec![edge(1, 2), edge(2, 3)], false),
        (vec![2, 3], vec![edge(1, 2), edge(1, 3)], true),
    ] {
        let lcg = Lcg::new("chain", &[1], &outputs, edges).expect("a graph");
        let found = certificate::replay(&lcg, &[], &random_labels(&lcg, 1)).expect("legal");
        assert_eq!(found.complete, expected, "{outputs:?}");
    }
}
