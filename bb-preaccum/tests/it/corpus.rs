//! Published counts, on the graphs of the corpus folder.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::path::PathBuf;

use bb_preaccum::bound;
use bb_preaccum::certificate::{self, jacobian, random_labels};
use bb_preaccum::cost::CostModel;
use bb_preaccum::eliminate::{Primal, Step};
use bb_preaccum::heuristic::{Ended, Heuristic, Limits, Technique};
use bb_preaccum::lcg::{Lcg, Role};
use bb_preaccum::report;
use bb_preaccum::search::{Options, search};

use crate::random::Rng;

/// The folder with the graphs, if it is there.
pub(crate) fn folder() -> Option<PathBuf> {
    cfg_testkit::needs::corpus("lcg")
}

pub(crate) fn graph(name: &str) -> Option<Lcg> {
    let file = folder()?.join(format!("{name}.json"));
    let text = std::fs::read(&file).expect("corpus graph");
    Some(Lcg::from_json(&text).expect("valid graph"))
}

pub(crate) fn count(lcg: &Lcg, key: &str, model: CostModel) -> u64 {
    let run = Heuristic::from_key(key)
        .expect("key")
        .run(lcg, &Limits::default());
    assert_eq!(run.ended, Ended::Complete, "{key}");
    run.counts.multiplications(model)
}

/// `V_LM_RM` of the table as our key, `None` for columns that are no heuristic of ours.
fn key_of_column(column: &str) -> Option<String> {
    if column.contains("OPT") || column.contains("MOPLR") {
        return None;
    }
    let (technique, rules) = column.split_once('_')?;
    let technique = match technique {
        "V" => "vertex",
        "E" => "edge",
        "F" => "face",
        _ => return None,
    };
    Some(format!("{technique}-{}", rules.replace('_', "-")))
}

/// How the table's library orders its edges under `emMOMR` when vertices tie is not known: on these
/// graphs our count differs (all other 828 counts agree). Chains with a single scored rule (`emLM`,
/// `emLMMD`) agree everywhere, and so do `vertex-MOMR` and `edge-MOMR`.
const OTHER_TIE_BREAK: [(&str, u64); 3] = [
    ("openad_RoehFlux_MemOps__ad_roehf5__24__bb8_0", 1501),
    ("openad_RoehFlux__ad_roehf5__24__bb119_0", 411),
    ("openad_simple3__head__24__bb8_0", 12),
];

#[test]
fn every_count_of_the_openad_table() {
    let Some(folder) = folder() else { return };
    let table = std::fs::read_to_string(folder.join("openad_costs.tsv")).expect("table");
    let mut lines = table.lines();
    let columns: Vec<&str> = lines.next().expect("head").split('\t').collect();
    let mut wrong = Vec::new();
    let mut checked = 0;
    for line in lines {
        let cells: Vec<&str> = line.split('\t').collect();
        let lcg = graph(cells[0]).expect("graph");
        for (column, cell) in columns.iter().zip(&cells) {
            let (Some(key), Ok(expected)) = (key_of_column(column), cell.parse::<u64>()) else {
                continue;
            };
            let other = OTHER_TIE_BREAK.iter().find(|(name, _)| *name == cells[0]);
            let expected = match other {
                Some(&(_, ours)) if key == "edge-emMOMR-LM-RM" => ours,
                _ => expected,
            };
            let ours = count(&lcg, &key, CostModel::Plain);
            checked += 1;
            if ours != expected {
                wrong.push(format!("{} {key}: {ours} instead of {expected}", cells[0]));
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {checked} differ:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    assert!(checked > 800, "only {checked} counts found");
}

/// (graph, [forward, reverse, LM with forward, LM with reverse ties])
const PLAIN: [(&str, [u64; 4]); 5] = [
    ("HumanHeartDipole", [240, 172, 194, 148]),
    ("PropaneCombustion", [151, 90, 111, 88]),
    ("RobotArm_6DOF", [397, 301, 288, 221]),
    ("RoeFlux_1d", [620, 364, 407, 344]),
    ("BlackScholes_Jacobian_pruned", [513, 453, 350, 335]),
];

/// (graph, [forward, reverse, LM with reverse ties])
const UNIT_FREE: [(&str, [u64; 3]); 5] = [
    ("HumanHeartDipole", [48, 60, 48]),
    ("PropaneCombustion", [26, 26, 24]),
    ("RobotArm_6DOF", [227, 221, 157]),
    ("RoeFlux_1d", [362, 234, 267]),
    ("BlackScholes_Jacobian_pruned", [337, 332, 273]),
];

#[test]
fn counts_of_the_reinforcement_learning_tasks() {
    if folder().is_none() {
        return;
    }
    for (name, expected) in PLAIN {
        let lcg = graph(name).expect("graph");
        let ours = ["vertex-FM", "vertex-RM", "vertex-LM-FM", "vertex-LM-RM"]
            .map(|key| count(&lcg, key, CostModel::Plain));
        assert_eq!(ours, expected, "{name}, plain");
    }
    for (name, expected) in UNIT_FREE {
        let lcg = graph(name).expect("graph");
        let ours = ["vertex-FM", "vertex-RM", "vertex-LM-RM"]
            .map(|key| count(&lcg, key, CostModel::UnitFree));
        assert_eq!(ours, expected, "{name}, unit-free");
    }
}

/// The best greedy count that is published for BlackScholes: fewest new edges, ties by the Markowitz degree.
#[test]
fn the_best_greedy_count_of_black_scholes() {
    let Some(lcg) = graph("BlackScholes_Jacobian_pruned") else {
        return;
    };
    let fewest = [
        "vertex-LFI-FM",
        "vertex-LFI-RM",
        "vertex-LFI-LM-FM",
        "vertex-LFI-LM-RM",
    ]
    .map(|key| count(&lcg, key, CostModel::Plain));
    assert_eq!(fewest[3], 307);
    let counts = Heuristic::portfolio()
        .into_iter()
        .map(|heuristic| count(&lcg, &heuristic.to_string(), CostModel::Plain));
    assert_eq!(counts.min(), Some(307), "{fewest:?}");
}

/// The counts of "every greedy heuristic" on the separation examples, and the exceptions: no heuristic needs less than
/// the published count, those listed here need more, and all others need exactly that.
#[test]
fn greedy_counts_of_the_small_examples() {
    if folder().is_none() {
        return;
    }
    let lion: &[(&str, u64)] = &[("edge-MOMR-LM-RM", 14)];
    let bat: &[(&str, u64)] = &[
        ("edge-LMMD-FM", 26),
        ("edge-LMMD-RM", 26),
        ("edge-MOMR-LM-RM", 27),
        ("edge-emMOMR-LM-RM", 26),
    ];
    // Forward and reverse order, the relative Markowitz degree, the largest reduction.
    let lighthouse: &[(&str, u64)] = &[
        ("vertex-FM", 20),
        ("vertex-RM", 18),
        ("vertex-LR-RM", 18),
        ("vertex-MOMR-FM", 23),
        ("vertex-MOMR-RM", 18),
        ("vertex-MOMR-LM-FM", 23),
        ("edge-FM", 20),
        ("edge-RM", 18),
        ("edge-LR-FM", 18),
        ("edge-LR-RM", 18),
        ("edge-LMMD-FM", 20),
        ("edge-MOMR-LM-RM", 18),
        ("edge-emMOMR-LM-RM", 17),
        ("face-FM", 20),
        ("face-RM", 18),
    ];
    for (name, published, others) in [
        ("lion", 12..=12, lion),
        ("bat", 24..=24, bat),
        ("lighthouse", 15..=16, lighthouse),
    ] {
        let lcg = graph(name).expect("graph");
        let all: Vec<(String, u64)> = Heuristic::portfolio()
            .into_iter()
            .map(|heuristic| heuristic.to_string())
            .map(|key| (key.clone(), count(&lcg, &key, CostModel::Plain)))
            .collect();
        assert_eq!(
            all.iter().map(|(_, cost)| *cost).min(),
            Some(*published.start())
        );
        let more: Vec<(&str, u64)> = all
            .iter()
            .filter(|(_, cost)| !published.contains(cost))
            .map(|(key, cost)| (key.as_str(), *cost))
            .collect();
        assert_eq!(more, others, "{name}");
    }
    // Five rules with both tie-breaks, on vertices: on the first two graphs all ten need the published count, on the
    // third the six whose rules are the Markowitz degree, the new edges and the damage.
    let ten = |rules: &[&str], name: &str| -> BTreeSet<u64> {
        let lcg = graph(name).expect("graph");
        let keys = rules
            .iter()
            .flat_map(|rule| ["FM", "RM"].map(|last| format!("vertex-{rule}-{last}")));
        keys.map(|key| count(&lcg, &key, CostModel::Plain))
            .collect()
    };
    let rules = ["LM", "LFI", "LMMD", "LR", "MOMR"];
    assert_eq!(ten(&rules, "lion"), BTreeSet::from([12]));
    assert_eq!(ten(&rules, "bat"), BTreeSet::from([24]));
    assert_eq!(ten(&rules[..3], "lighthouse"), BTreeSet::from([15, 16]));
}

/// The 2004 paper's own sequence, HS then LM then reverse order.
#[test]
fn the_papers_example() {
    let Some(lcg) = graph("seed_fig3") else {
        return;
    };
    let run = Heuristic::paper().run(&lcg, &Limits::default());
    let step = |step: &Step| match *step {
        Step::Front(i, j) => ("f", lcg.id(i), lcg.id(j)),
        Step::Back(j, k) => ("b", lcg.id(j), lcg.id(k)),
        Step::Vertex(_) | Step::Face(..) => panic!("edges only"),
    };
    let steps: Vec<_> = run.steps.iter().map(step).collect();
    assert_eq!(steps[..2], [("f", 3, 5), ("b", 4, 7)]);
    assert_eq!(run.counts.multiplications(CostModel::Plain), 12);
}

/// The separation examples, with their proofs in all three classes: an edge sequence beats every vertex
/// sequence, a face sequence beats every edge sequence.
#[test]
fn separations_are_proven() {
    for (name, vertex, edge, face) in [
        ("lion", 12, 11, 11),
        ("bat", 24, 23, 22),
        ("seed_fig3", 10, 10, 10),
        ("lighthouse", 15, 15, 15),
    ] {
        let Some(lcg) = graph(name) else { return };
        let outcome = search(
            &lcg,
            &Options {
                exact: true,
                ..Options::default()
            },
        );
        let classes: Vec<(u64, u64)> = outcome
            .classes
            .iter()
            .map(|class| (class.cost, class.bound))
            .collect();
        let proven = [vertex, edge, face].map(|cost| (cost, cost));
        assert_eq!(classes, proven, "{name}");
        assert_eq!(outcome.cost, face, "{name}");
        assert_eq!(outcome.optimal, Some(Technique::Face), "{name}");
        let labels = random_labels(&lcg, 1);
        let recount = certificate::replay(&lcg, &outcome.steps, &labels).expect("legal");
        assert!(recount.complete);
        assert_eq!(recount.multiplications(CostModel::Plain), face);
        assert_eq!(recount.values, jacobian(&lcg, &labels));
        let proof = report::proof(&lcg, &outcome, usize::MAX);
        assert!(
            proof.contains(&format!("edge: {edge} multiplications")),
            "{proof}"
        );
        assert!(
            proof.contains(&format!("needs less than {vertex} (optimal)")),
            "{proof}"
        );
        for (narrow, wide, class, other) in [
            (vertex, edge, "vertex", "edge"),
            (edge, face, "edge", "face"),
        ] {
            let line = format!(
                "proven: {other} elimination beats {class} elimination here, {wide} multiplications against {narrow} or more"
            );
            assert_eq!(proof.contains(&line), wide < narrow, "{proof}");
        }
        let paths = bound::bound(&lcg, CostModel::Plain, u64::MAX);
        let line = format!("search exhausted: no face sequence needs less than {face}\n");
        assert_eq!(proof.contains(&line), paths < face, "{proof}");
    }
    // Without being asked for a proof, the search finds all of these too, and proves all but one.
    for (name, cost, proven) in [
        ("lion", 11, true),
        ("bat", 22, false),
        ("seed_fig3", 10, true),
        ("lighthouse", 15, true),
    ] {
        let Some(lcg) = graph(name) else { return };
        for seed in 0..5 {
            let outcome = search(
                &lcg,
                &Options {
                    seed,
                    ..Options::default()
                },
            );
            assert_eq!(outcome.cost, cost, "{name}, seed {seed}");
            assert_eq!(outcome.bound == cost, proven, "{name}, seed {seed}");
        }
    }
}

#[test]
fn a_tight_bound_prints_its_paths() {
    let Some(lcg) = graph("seed_fig3") else {
        return;
    };
    let outcome = search(&lcg, &Options::default());
    assert_eq!((outcome.cost, outcome.optimal), (10, Some(Technique::Face)));
    let proof = report::proof(&lcg, &outcome, usize::MAX);
    assert!(
        proof.contains("disjoint paths need 10 products: "),
        "{proof}"
    );
    assert!(proof.contains(" at vertex 5: "), "{proof}");
}

/// Every graph of the corpus: at least as good as the table's best, and the optimum over vertex orders
/// proven for up to 25 intermediates.
#[test]
fn the_corpus_is_searched_and_proven() {
    let Some(folder) = folder() else { return };
    let table = std::fs::read_to_string(folder.join("openad_costs.tsv")).expect("table");
    let mut proven = 0;
    for line in table.lines().skip(1) {
        let cells: Vec<&str> = line.split('\t').collect();
        let best = cells[6..]
            .iter()
            .filter_map(|cell| cell.parse::<u64>().ok())
            .min();
        let lcg = graph(cells[0]).expect("graph");
        let outcome = search(
            &lcg,
            &Options {
                work: 6_000_000,
                ..Options::default()
            },
        );
        assert!(outcome.cost <= best.expect("counts"), "{}", cells[0]);
        if lcg.vertex_count() - lcg.inputs().len() <= 25 {
            let technique = Some(Technique::Vertex);
            let outcome = search(
                &lcg,
                &Options {
                    technique,
                    exact: true,
                    ..Options::default()
                },
            );
            assert_eq!(outcome.cost, outcome.bound, "{}", cells[0]);
            proven += 1;
        }
    }
    assert!(proven > 30);
}

/// With a small part of the default budget (tests are not benchmarks): vertex counts that need luck with
/// the default seed only in BlackScholes are reached.
#[test]
fn best_known_counts_are_reached() {
    const KNOWN: [(&str, u64, u64); 4] = [
        ("HumanHeartDipole", 148, 48),
        ("PropaneCombustion", 88, 24),
        ("RobotArm_6DOF", 221, 151),
        ("RoeFlux_1d", 295, 184),
    ];
    for (name, plain, unit_free) in KNOWN {
        let Some(lcg) = graph(name) else { return };
        for (model, known) in [(CostModel::Plain, plain), (CostModel::UnitFree, unit_free)] {
            let outcome = search(
                &lcg,
                &Options {
                    model,
                    ..Options::default()
                },
            );
            assert!(outcome.cost <= known, "{name} {model:?}: {}", outcome.cost);
            let labels = random_labels(&lcg, 3);
            let recount = certificate::replay(&lcg, &outcome.steps, &labels).expect("legal");
            assert_eq!(recount.multiplications(model), outcome.cost);
            assert_eq!(recount.values, jacobian(&lcg, &labels));
        }
    }
}

/// All edge eliminations whose vertex, eliminated as a whole, lowers the sum of the Markowitz degrees
/// most. Computed by doing it, not by the formulas of the heuristics.
fn most_reducing(graph: &Primal<'_>) -> Vec<Step> {
    let degrees = |graph: &Primal<'_>| -> i64 {
        let all = 0..graph.lcg().vertex_count() as u32;
        let open = all.filter(|&v| graph.is_eliminable(v));
        open.map(|v| (graph.in_degree(v) * graph.out_degree(v)) as i64)
            .sum()
    };
    let now = degrees(graph);
    let all = 0..graph.lcg().vertex_count() as u32;
    let scored: Vec<(i64, u32)> = all
        .filter(|&v| graph.is_eliminable(v))
        .map(|v| {
            let mut next = graph.clone();
            next.apply(Step::Vertex(v)).expect("legal");
            (now - degrees(&next), v)
        })
        .collect();
    let most = scored.iter().map(|pair| pair.0).max();
    let tied = scored.iter().filter(|pair| Some(pair.0) == most);
    tied.flat_map(|&(_, v)| {
        let intermediate = graph.lcg().role(v) == Role::Intermediate;
        let front = graph.preds(v).filter(move |_| intermediate);
        let front = front.map(move |i| Step::Front(i, v));
        front
            .chain(graph.succs(v).map(move |k| Step::Back(v, k)))
            .collect::<Vec<_>>()
    })
    .collect()
}

/// Evidence that the three counts that differ are a matter of ties: among the ways to break them, there are some with
/// the table's count (on the graph small enough to try all), and on the larger ones the table's count lies between the
/// counts of other ties.
#[test]
fn other_ties_give_the_other_counts() {
    fn all(graph: &Primal<'_>, found: &mut BTreeSet<u64>) {
        let steps = most_reducing(graph);
        if steps.is_empty() {
            found.insert(graph.counts().multiplications(CostModel::Plain));
        }
        for step in steps {
            let mut next = graph.clone();
            next.apply(step).expect("legal");
            all(&next, found);
        }
    }
    let Some(lcg) = graph("openad_simple3__head__24__bb8_0") else {
        return;
    };
    let mut found = BTreeSet::new();
    all(&Primal::new(&lcg), &mut found);
    assert!(found.contains(&10) && found.contains(&12), "{found:?}");

    let lcg = graph("openad_RoehFlux__ad_roehf5__24__bb119_0").expect("graph");
    let mut rng = Rng::new(1);
    let mut found = BTreeSet::new();
    for _ in 0..120 {
        let mut state = Primal::new(&lcg);
        loop {
            let steps = most_reducing(&state);
            if steps.is_empty() {
                break;
            }
            state.apply(steps[rng.below(steps.len())]).expect("legal");
        }
        found.insert(state.counts().multiplications(CostModel::Plain));
    }
    let range = (found.first().copied(), found.last().copied());
    assert!(range.0 <= Some(388) && range.1 >= Some(388), "{found:?}");

    // On the largest, our ties end above the table's 1492; the last source first ends below.
    let lcg = graph("openad_RoehFlux_MemOps__ad_roehf5__24__bb8_0").expect("graph");
    let mut state = Primal::new(&lcg);
    let rank = |state: &Primal<'_>, step: Step| {
        let (source, target, middle) = match step {
            Step::Front(source, target) => (source, target, target),
            Step::Back(source, target) => (source, target, source),
            _ => unreachable!("only edges are listed"),
        };
        let markowitz = state.in_degree(middle) * state.out_degree(middle);
        (markowitz, Reverse((source, target)))
    };
    while let Some(step) = most_reducing(&state)
        .into_iter()
        .min_by_key(|&step| rank(&state, step))
    {
        state.apply(step).expect("legal");
    }
    let other = state.counts().multiplications(CostModel::Plain);
    assert!(other < 1492, "{other}");
}
