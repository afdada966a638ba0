//! JSON, pictures, remainder graphs, budgets, large graphs.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use bb_preaccum::bound;
use bb_preaccum::certificate::{PRIME, evaluate_entries, jacobian, random_labels};
use bb_preaccum::cost::CostModel;
use bb_preaccum::draw::{Accumulation, Node, Pictures};
use bb_preaccum::heuristic::{Bar, Ended, Heuristic, HeuristicError, Limits, Rule, Technique};
use bb_preaccum::lcg::{Kind, Lcg, NewEdge, Role};
use bb_preaccum::scarcity::{remainder, remainder_until};
use bb_preaccum::search::{Cause, Options, replay, search};
use bb_preaccum::{listing, report};

use crate::random::{Rng, Shape, graph, shape};

fn lion() -> Lcg {
    let edge = |&(source, target): &(i64, i64)| NewEdge::new(source, target, Kind::Variable);
    let edges = [
        (1, 3),
        (2, 3),
        (3, 4),
        (3, 8),
        (4, 5),
        (4, 6),
        (4, 7),
        (4, 8),
    ];
    Lcg::new("lion", &[1, 2], &[5, 6, 7, 8], edges.iter().map(edge)).expect("valid")
}

#[test]
fn json_has_the_promised_fields() {
    let lcg = lion();
    let outcome = search(&lcg, &Options::default());
    let text = report::to_json(&lcg, &outcome, None, 7, false);
    let json: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(json["name"], "lion");
    assert_eq!(json["model"], "plain");
    assert_eq!(json["cost"], 11);
    assert_eq!(json["technique"], "edge");
    assert_eq!(json["optimal"], "face");
    assert_eq!(json["heuristics"]["vertex-LM-RM"], 12);
    assert_eq!(json["interrupted"], false);
    assert_eq!(json["milliseconds"], 7);
    assert_eq!(json["bound"], 11);
    let steps = json["sequence"].as_array().expect("array");
    assert_eq!(steps.len(), outcome.steps.len());
    for step in steps {
        let code = step[0].as_str().expect("code");
        let length = step.as_array().expect("array").len();
        assert!(
            matches!((code, length), ("v", 2) | ("f" | "b", 3)),
            "{step}"
        );
    }
    let detailed = report::to_json(&lcg, &outcome, None, 7, true);
    let json: serde_json::Value = serde_json::from_str(&detailed).expect("JSON");
    assert_eq!(json["jaes"].as_array().map(Vec::len), Some(11));
    assert_eq!(json["entries"].as_array().map(Vec::len), Some(8));
    assert!(report::table(&outcome).contains("edge-LM-RM"));
    assert!(json.get("beaten").is_none());
}

#[test]
fn beaten_heuristics_are_listed_with_what_they_had_cost() {
    let lcg = lion();
    let mut outcome = search(&lcg, &Options::default());
    let rows = report::table(&outcome).lines().count();
    outcome.beaten.push(("edge-LMMD-LFI-RM".to_owned(), 13));
    let table = report::table(&outcome);
    assert_eq!(table.lines().count(), rows + 1);
    assert_eq!(
        table.lines().last(),
        Some("edge-LMMD-LFI-RM          13 or more")
    );
    let text = report::to_json(&lcg, &outcome, None, 7, false);
    let json: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(
        json["beaten"],
        serde_json::json!({ "edge-LMMD-LFI-RM": 13 })
    );
}

#[test]
fn pictures_start_with_the_graph_and_end_bipartite() {
    for seed in 0..30 {
        let lcg = graph(seed, shape(seed));
        let outcome = search(
            &lcg,
            &Options {
                work: 100_000,
                ..Options::default()
            },
        );
        let names = listing::ids(&lcg);
        let pictures: Vec<_> = Pictures::new(&lcg, &outcome.steps, &names)
            .collect::<Result<_, _>>()
            .expect("legal");
        assert_eq!(pictures.len(), outcome.steps.len() + 1);
        assert_eq!(pictures[0].title, lcg.name());
        let role: BTreeMap<i64, Role> = (0..lcg.vertex_count() as u32)
            .map(|v| (lcg.id(v), lcg.role(v)))
            .collect();
        let last = &pictures[pictures.len() - 1];
        for edge in &last.edges {
            assert_eq!(role[&edge.source], Role::Independent);
            assert_eq!(role[&edge.target], Role::Dependent);
        }
        assert!(
            last.nodes
                .iter()
                .all(|node| node.role != Role::Intermediate)
        );
    }
}

/// The accumulation graph, computed from its sources to its sinks, gives the Jacobian; those of the eliminations have
/// the same operations.
#[test]
fn accumulation_graphs_compute_the_jacobian() {
    for seed in 0..40 {
        let lcg = graph(seed, shape(seed));
        let labels = random_labels(&lcg, seed);
        let options = Options {
            work: 100_000,
            technique: Some(Technique::Edge),
            ..Options::default()
        };
        let outcome = search(&lcg, &options);
        let names: Vec<String> = listing::ids(&lcg)
            .iter()
            .map(|id| format!("n{id}"))
            .collect();
        let label = |i: u32, k: u32| format!("c({},{})", names[k as usize], names[i as usize]);
        let given: BTreeMap<String, u64> = lcg
            .edges()
            .iter()
            .zip(&labels)
            .map(|(edge, &value)| (label(edge.source, edge.target), value))
            .collect();
        let all = Accumulation::new(&lcg, &outcome.steps, &names).expect("legal");
        let whole = all.whole();
        let mut values: BTreeMap<i64, u64> = BTreeMap::new();
        let mut found: BTreeMap<String, u64> = BTreeMap::new();
        for node in &whole.nodes {
            let into = whole.edges.iter().filter(|edge| edge.target == node.id);
            // Operations stand behind their operands.
            let mut operands = into.map(|edge| u128::from(values[&edge.source]));
            let value = match (operands.next(), operands.next()) {
                (Some(a), Some(b)) if node.name.ends_with('*') => a * b % u128::from(PRIME),
                (Some(a), Some(b)) => (a + b) % u128::from(PRIME),
                _ => u128::from(given[&node.name]),
            } as u64;
            values.insert(node.id, value);
            let name = node.name.split(" = ").next().expect("a name");
            found.insert(name.to_owned(), value);
        }
        for ((i, k), value) in jacobian(&lcg, &labels) {
            assert_eq!(found.get(&label(i, k)), Some(&value), "{}", lcg.to_json());
        }
        let operations = |nodes: &[Node]| {
            let named = nodes.iter().filter(|node| node.name.contains(['*', '+']));
            named.count()
        };
        let single: usize = all
            .eliminations()
            .map(|picture| operations(&picture.nodes))
            .sum();
        assert_eq!(operations(&whole.nodes), single);
    }
}

/// The search for a remainder graph ends when it is told to, with at least the best prefix of the sequence.
#[test]
fn the_search_for_a_remainder_graph_can_be_stopped() {
    let mut better = 0;
    for seed in 0..60 {
        let lcg = graph(seed, shape(seed));
        let options = Options {
            work: 100_000,
            ..Options::default()
        };
        let outcome = search(&lcg, &options);
        for directions in [1, 5, 30] {
            let within = |most: u32| {
                let mut asked = 0;
                let mut stop = || {
                    asked += 1;
                    asked > most
                };
                let (model, steps) = (CostModel::Plain, &outcome.steps);
                let found = remainder_until(&lcg, model, steps, directions, &mut stop);
                (found, asked)
            };
            let ((first, asked), (all, _)) = (within(0), within(u32::MAX));
            assert_eq!(asked, 1);
            if outcome.technique != Technique::Face {
                assert_eq!(first.steps, outcome.steps[..first.steps.len()]);
            }
            assert!(all.total(directions) <= first.total(directions));
            better += u32::from(all.total(directions) < first.total(directions));
            // In the middle of it, too.
            let (some, asked) = within(5);
            assert!(asked <= 8, "{asked}");
            assert!(some.total(directions) <= first.total(directions));
        }
    }
    assert!(better > 2, "{better}");
}

/// Transposed products through a graph given by labelled edges.
fn adjoint(lcg: &Lcg, edges: &BTreeMap<(u32, u32), u64>, seed: &BTreeMap<u32, u64>) -> Vec<u64> {
    let mut value = vec![0u64; lcg.vertex_count()];
    for (&y, &weight) in seed {
        value[y as usize] = weight;
    }
    for v in (0..lcg.vertex_count() as u32).rev() {
        for (&(_, k), &label) in edges.range((v, 0)..=(v, u32::MAX)) {
            let term = u128::from(label) * u128::from(value[k as usize]) % u128::from(PRIME);
            value[v as usize] = (value[v as usize] + term as u64) % PRIME;
        }
    }
    lcg.inputs().iter().map(|&x| value[x as usize]).collect()
}

#[test]
fn products_through_the_remainder_graph_are_right_and_not_dearer() {
    let mut gained = 0;
    for seed in 0..60 {
        let lcg = graph(seed, shape(seed));
        let labels = random_labels(&lcg, seed);
        let mut rng = Rng::new(seed);
        // A dependent that is read keeps the weight of its own.
        let weights: BTreeMap<u32, u64> = lcg
            .outputs()
            .iter()
            .map(|&y| (y, 1 + rng.below(1 << 20) as u64))
            .collect();
        let expected = adjoint(&lcg, &jacobian(&lcg, &labels), &weights);
        let outcome = search(
            &lcg,
            &Options {
                work: 100_000,
                ..Options::default()
            },
        );
        for directions in [1, 3, 1000] {
            let found = remainder(&lcg, CostModel::Plain, &outcome.steps, directions);
            let done = replay(&lcg, &found.steps).expect("legal");
            let edges = evaluate_entries(&done.jaes, done.entries.iter().copied(), &labels);
            assert_eq!(
                adjoint(&lcg, &edges, &weights),
                expected,
                "{}",
                lcg.to_json()
            );
            assert_eq!(done.counts.multiplications(CostModel::Plain), found.cost);
            let nontrivial = done
                .entries
                .iter()
                .filter(|entry| entry.kind != Kind::Unit)
                .count();
            assert_eq!(nontrivial as u64, found.nontrivial);
            assert!(found.total(directions) <= directions * found.graph);
            gained += usize::from(found.nontrivial < found.jacobian.min(found.graph));
        }
    }
    assert!(gained > 2, "stopping early should gain sometimes: {gained}");
    // Three inputs and three outputs through one bottleneck: 9 entries, 7 edges, 6 after one step.
    let edges = [(1, 4), (2, 4), (3, 4), (4, 5), (5, 6), (5, 7), (5, 8)];
    let edges = edges
        .iter()
        .map(|&(i, k)| NewEdge::new(i, k, Kind::Variable));
    let lcg = Lcg::new("bottleneck", &[1, 2, 3], &[6, 7, 8], edges).expect("valid");
    let outcome = search(&lcg, &Options::default());
    let found = remainder(&lcg, CostModel::Plain, &outcome.steps, 100);
    let counts = (found.graph, found.jacobian, found.nontrivial, found.cost);
    assert_eq!(counts, (7, 9, 6, 3));
    // A product by the full Jacobian costs 9 after the eliminations, by the graph as it is one for each edge.
    let scarce = report::scarce(&lcg, &outcome, &mut || false).expect("a complete sequence");
    let text = report::scarcity(&outcome, &scarce);
    let full = outcome.cost + 9;
    let shown = format!("one product with a vector: {full} multiplications by the full Jacobian");
    assert!(text.starts_with(&shown), "{text}");
    assert!(text.contains(", 7 by the scarce representation"), "{text}");
    let object = report::to_json(&lcg, &outcome, Some(&scarce), 0, false);
    let shown = format!(
        r#""scarce":{{"cost":0,"edges":7,"nontrivial":7,"total":7,"full":{full},"sequence":[]}}"#
    );
    assert!(object.contains(&shown), "{object}");
    // For a single product even that step does not pay.
    assert_eq!(
        remainder(&lcg, CostModel::Plain, &outcome.steps, 1).steps,
        []
    );
}

#[test]
fn rules_must_leave_one_choice() {
    use Rule::{Forward, LowestFillIn, LowestMarkowitz, Reverse, SiblingDegree};
    let new =
        |rules: &[Rule]| Heuristic::new(Technique::Edge, rules).map(|found| found.to_string());
    assert_eq!(
        new(&[SiblingDegree, LowestMarkowitz, Reverse]),
        Ok("edge-HS-LM-RM".into())
    );
    assert_eq!(new(&[LowestMarkowitz]), Err(HeuristicError::NotUnique));
    assert_eq!(
        new(&[Forward, LowestMarkowitz]),
        Err(HeuristicError::NotUnique)
    );
    assert_eq!(new(&[Forward, Reverse]), Err(HeuristicError::NotUnique));
    let twice = new(&[LowestMarkowitz, LowestMarkowitz, Reverse]);
    assert_eq!(twice, Err(HeuristicError::Repeated("LM")));
    assert!(Heuristic::new(Technique::Face, &[LowestFillIn, Reverse]).is_err());
    for key in [
        "",
        "vertex",
        "vertex-",
        "vertex-emLM-RM",
        "edge-LM-XX",
        "node-FM",
    ] {
        assert!(Heuristic::from_key(key).is_err(), "{key}");
    }
    // Messages show the beginning of a long key.
    for length in [60, 61] {
        let shown = HeuristicError::Key("x".repeat(60));
        assert_eq!(Heuristic::from_key(&"x".repeat(length)), Err(shown));
    }
    for heuristic in Heuristic::portfolio() {
        assert_eq!(Heuristic::from_key(&heuristic.to_string()), Ok(heuristic));
    }
}

#[test]
fn an_interrupt_and_a_clock_end_the_search_with_something_usable() {
    let lcg = graph(
        5,
        Shape {
            inputs: 8,
            middle: 150,
            outputs: 8,
            degree: 3,
            read_dependents: false,
        },
    );
    let flag = AtomicBool::new(true);
    let outcome = search(
        &lcg,
        &Options {
            interrupt: Some(&flag),
            ..Options::default()
        },
    );
    assert!(outcome.interrupted);
    assert!(replay(&lcg, &outcome.steps).is_ok());
    let clock = Clock::ending_at(50);
    let late = || clock.is_late();
    let outcome = search(
        &lcg,
        &Options {
            timer: Some(&late),
            exact: true,
            ..Options::default()
        },
    );
    assert!(outcome.complete && !outcome.interrupted);
    clock.was_obeyed();
}

/// A clock that ticks when it is read, so that a search with it is reproducible.
struct Clock {
    looks: AtomicU64,
    end: u64,
}

impl Clock {
    fn ending_at(end: u64) -> Self {
        Self {
            looks: AtomicU64::new(0),
            end,
        }
    }

    fn is_late(&self) -> bool {
        self.looks.fetch_add(1, Ordering::Relaxed) >= self.end
    }

    /// A search reads the clock only a few more times after the end, once for each part that was still to do.
    #[track_caller]
    fn was_obeyed(&self) {
        let after = self.looks.load(Ordering::Relaxed).checked_sub(self.end);
        assert!(
            after.is_some_and(|after| (1..=200).contains(&after)),
            "{after:?} looks after the end"
        );
    }
}

/// One vertex, this many independents and dependents around it.
fn star(ends: i64) -> Lcg {
    fan(ends, ends)
}

/// One vertex between independents and dependents.
fn fan(ins: i64, outs: i64) -> Lcg {
    let (inputs, outputs): (Vec<i64>, Vec<i64>) =
        ((1..=ins).collect(), (ins + 1..=ins + outs).collect());
    let into = inputs.iter().map(|&i| NewEdge::new(i, 0, Kind::Variable));
    let out = outputs.iter().map(|&k| NewEdge::new(0, k, Kind::Variable));
    Lcg::new("star", &inputs, &outputs, into.chain(out)).expect("valid")
}

/// One step can make more edges, and take longer, than all limits leave room for.
#[test]
fn limits_hold_within_a_step_on_a_vertex_of_high_degree() {
    let lcg = star(700);
    let whole = Heuristic::from_key("vertex-LM-RM").expect("a key");
    let limits = Limits {
        fill_in: Some(400_000),
        ..Limits::default()
    };
    let run = whole.run(&lcg, &limits);
    assert_eq!((run.ended, run.steps.len()), (Ended::FillIn, 0));
    let paid = run.counts.multiplications(CostModel::Plain);
    assert_eq!((paid, run.edges_left), (0, 1400));
    let asked = std::cell::Cell::new(0);
    let late = || {
        asked.set(asked.get() + 1);
        asked.get() > 5
    };
    let limits = Limits {
        timer: Some(&late),
        ..Limits::default()
    };
    let run = whole.run(&lcg, &limits);
    assert_eq!((run.ended, run.steps.len()), (Ended::Stopped, 0));
    let paid = run.counts.multiplications(CostModel::Plain);
    assert_eq!((paid, run.edges_left), (0, 1400));
    assert_eq!(asked.get(), 6, "it ends when it is told to");
    // Faces are edges that an elimination of faces would build beforehand.
    let faces = Heuristic::from_key("face-RM").expect("a key");
    let limits = Limits {
        work: Some(400_000),
        ..Limits::default()
    };
    assert_eq!(faces.run(&lcg, &limits).ended, Ended::Stopped);
    let lcg = star(300);
    for (most, ended, steps) in [
        (300 * 300, Ended::Complete, 1),
        (300 * 300 - 1, Ended::FillIn, 0),
    ] {
        let limits = Limits {
            fill_in: Some(most),
            ..Limits::default()
        };
        let run = whole.run(&lcg, &limits);
        assert_eq!((run.ended, run.steps.len()), (ended, steps), "{most}");
    }
    // A step of 2^16 products is not looked at before it is done.
    let limits = Limits {
        fill_in: Some(10),
        ..Limits::default()
    };
    for (outs, ended) in [(256, Ended::Complete), (257, Ended::FillIn)] {
        assert_eq!(whole.run(&fan(256, outs), &limits).ended, ended, "{outs}");
    }
}

/// A run ends at the first step that finds it beyond a limit: of work, of new edges, of cost.
#[test]
fn runs_on_both_sides_of_their_limits() {
    let edges = (0..5).map(|v| NewEdge::new(v, v + 1, Kind::Variable));
    let chain = Lcg::new("chain", &[0], &[5], edges).expect("valid");
    let heuristic = Heuristic::from_key("vertex-FM").expect("a key");
    let none = Limits::default();
    let work = |most| Limits {
        work: Some(most),
        ..none
    };
    // The work before the first step.
    let first = heuristic.run(&chain, &work(0)).work;
    assert!(first > 0);
    let late = || true;
    let least = |least| Limits {
        timer: Some(&late),
        least,
        ..none
    };
    let fill_in = |most| Limits {
        fill_in: Some(most),
        ..none
    };
    let bar = |cost, after| Limits {
        bar: Some(Bar {
            model: CostModel::Plain,
            cost,
            after,
        }),
        ..none
    };
    for (limits, ended, steps) in [
        (none, Ended::Complete, 4),
        (work(first), Ended::Stopped, 1),
        (work(first - 1), Ended::Stopped, 0),
        (least(first), Ended::Stopped, 1),
        (least(first - 1), Ended::Stopped, 0),
        (fill_in(1), Ended::FillIn, 2),
        (fill_in(0), Ended::FillIn, 1),
        (bar(0, first), Ended::Beaten, 1),
        (bar(0, first - 1), Ended::Beaten, 0),
        (bar(2, 0), Ended::Beaten, 2),
        (bar(1, 0), Ended::Beaten, 1),
    ] {
        let run = heuristic.run(&chain, &limits);
        assert_eq!((run.ended, run.steps.len()), (ended, steps));
    }
}

/// The search of a large graph: no step that makes a million edges.
#[test]
fn a_search_stops_before_a_vertex_of_very_high_degree() {
    let options = Options {
        large: 2000,
        technique: Some(Technique::Vertex),
        ..Options::default()
    };
    let outcome = search(&star(1100), &options);
    assert!(!outcome.complete && outcome.steps.is_empty());
}

/// Blocks of 100 000 statements, each reading two earlier values at most `window` back.
fn block(window: usize) -> Lcg {
    block_of(100_000, window, true)
}

/// Dependents are all values that no statement reads, or the last 32.
fn block_of(n: i64, window: usize, all: bool) -> Lcg {
    let mut rng = Rng::new(window as u64);
    let mut read = vec![false; n as usize + 64];
    let mut edges = Vec::new();
    for v in 32..n {
        let mut last = None;
        for _ in 0..2 {
            let back = 1 + rng.below(window.min(v as usize)) as i64;
            if last != Some(back) {
                edges.push(NewEdge::new(v - back, v, Kind::Variable));
                read[(v - back) as usize] = true;
            }
            last = Some(back);
        }
    }
    let inputs: Vec<i64> = (0..32).collect();
    let outputs: Vec<i64> = (32..n)
        .filter(|&v| if all { !read[v as usize] } else { v >= n - 32 })
        .collect();
    Lcg::new("block", &inputs, &outputs, edges).expect("valid")
}

#[test]
fn blocks_of_a_hundred_thousand_statements() {
    let limits = |lcg: &Lcg| Limits {
        fill_in: Some(4 * lcg.edges().len()),
        ..Limits::default()
    };
    let chain = block(1);
    let lowest = Heuristic::from_key("vertex-LM-RM").expect("key");
    let run = lowest.run(&chain, &limits(&chain));
    assert_eq!(run.ended, Ended::Complete);
    assert_eq!(run.counts.multiplications(CostModel::Plain), 99_967);
    let outcome = search(&chain, &Options::default());
    assert_eq!((outcome.cost, outcome.optimal.is_some()), (99_967, true));
    // Arbitrary distance: elimination gives up at a remainder graph of bounded size.
    let wide = block(100_000);
    let run = lowest.run(&wide, &limits(&wide));
    assert_eq!(run.ended, Ended::FillIn);
    let edges = wide.edges().len();
    assert!(
        run.edges_left <= 5 * edges + 1000,
        "{} of {edges}",
        run.edges_left
    );
    let done = replay(&wide, &run.steps).expect("legal");
    assert_eq!(done.entries.len(), run.edges_left);
    // The clock is respected.
    let clock = Clock::ending_at(3);
    let late = || clock.is_late();
    let outcome = search(
        &wide,
        &Options {
            timer: Some(&late),
            ..Options::default()
        },
    );
    assert!(!outcome.complete);
    clock.was_obeyed();
}

/// An incomplete sequence has its cause; a graph that is not large always gets a complete one.
#[test]
fn why_a_sequence_is_incomplete() {
    let flag = AtomicBool::new(true);
    let fill_in = Options {
        work: 0,
        ..Options::default()
    };
    let time = Options {
        timer: Some(&|| true),
        ..Options::default()
    };
    let interrupt = Options {
        interrupt: Some(&flag),
        ..Options::default()
    };
    let small = block_of(500, 1000, true);
    let large = block_of(6_000, 10_000, true);
    assert!(large.edges().len() > fill_in.large);
    for (options, cause) in [
        (fill_in, Cause::FillIn),
        (time, Cause::Time),
        (interrupt, Cause::Interrupt),
    ] {
        let outcome = search(&small, &options);
        assert!(
            outcome.complete && outcome.cost >= outcome.bound,
            "{cause:?}"
        );
        assert_eq!(outcome.stopped, None);
        assert!(!report::to_json(&small, &outcome, None, 0, false).contains("stopped"));
        let outcome = search(&large, &options);
        assert_eq!((outcome.complete, outcome.stopped), (false, Some(cause)));
        let done = replay(&large, &outcome.steps).expect("legal");
        assert!(!done.complete);
        assert_eq!(done.counts.multiplications(CostModel::Plain), outcome.cost);
        let json = report::to_json(&large, &outcome, None, 0, false);
        let said = format!("\"complete\":false,\"stopped\":\"{}\"", cause.name());
        assert!(json.contains(&said), "{}", &json[..json.len().min(300)]);
        let proof = report::proof(&large, &outcome, 10);
        assert_eq!(proof, "no complete sequence was found\n");
    }
}

/// The paths that prove the cost of a chain are longer than the square of its length together.
#[test]
fn the_proof_of_a_long_chain_is_short() {
    let chain = block_of(5_000, 1, true);
    let outcome = search(&chain, &Options::default());
    let all: usize = bound::paths(&chain, outcome.model)
        .iter()
        .flat_map(|proof| proof.prefixes.iter().chain(&proof.suffixes))
        .map(Vec::len)
        .sum();
    assert!(all > 20_000_000, "{all}");
    let proof = report::proof(&chain, &outcome, 1000);
    assert!(proof.len() < 2_000_000, "{} bytes", proof.len());
    let of = |text: &str| -> u64 {
        let terms = text.split(" + ").map(|term| term.parse::<u64>());
        terms.sum::<Result<u64, _>>().expect("numbers")
    };
    let (said, terms) = proof
        .lines()
        .find_map(|line| {
            line.strip_prefix("disjoint paths need ")?
                .split_once(" products: ")
        })
        .expect("the sum");
    assert_eq!((of(said), of(terms)), (outcome.cost, outcome.cost));
    assert_eq!(
        terms.split(" + ").count(),
        1 + proof.matches(" at vertex ").count()
    );
    // Fewer lines, fewer vertices.
    let proof = report::proof(&chain, &outcome, 2);
    let rest = format!("  ... {} at other vertices\n", outcome.cost - 2);
    assert!(proof.ends_with(&rest), "{proof}");
}

/// Two of the last 32 values, 32 results: the lowest Markowitz degree comes to its end, with work in
/// proportion to the size. (Forward and reverse order fill in as much as 32 passes would.)
#[test]
fn a_block_that_reads_the_last_thirty_two_values() {
    let large = block_of(100_000, 32, false);
    let outcome = search(
        &large,
        &Options {
            work: 0,
            ..Options::default()
        },
    );
    assert!(outcome.complete);
    let keys: Vec<&str> = outcome.heuristics.iter().map(|(k, _)| k.as_str()).collect();
    assert_eq!(keys, ["vertex-LM-RM"]);
    assert_eq!(outcome.cost, outcome.heuristics[0].1);
    // Each step costs the same, however long the block is.
    let small = block_of(10_000, 32, false);
    let heuristic = Heuristic::from_key("vertex-LM-RM").expect("key");
    let work = |lcg: &Lcg| heuristic.run(lcg, &Limits::default()).work as f64;
    let (few, many) = (work(&small), work(&large));
    assert!((5.0 * few..12.0 * few).contains(&many), "{few} and {many}");
}

/// Graphs too large for local search, one that is large, and small ones of the largest size
/// for it: with the default budget every heuristic of the portfolio is run, and none that comes to its
/// end is better.
#[test]
fn nothing_is_worse_than_a_heuristic_on_large_graphs_either() {
    let random = |seed, middle| {
        let read_dependents = seed == 2;
        let shape = Shape {
            inputs: 4,
            middle,
            outputs: 4,
            degree: 2,
            read_dependents,
        };
        graph(seed, shape)
    };
    // An option sets the size of a large graph.
    let most = 1_800;
    let large = block_of(1_400, 3, true);
    assert!(large.edges().len() > most);
    for lcg in [random(1, 1100), random(2, 1400), random(3, 900), large] {
        for model in CostModel::ALL {
            let outcome = search(
                &lcg,
                &Options {
                    model,
                    large: most,
                    ..Options::default()
                },
            );
            assert!(outcome.complete);
            let edges = lcg.edges().len();
            let limits = Limits {
                fill_in: (edges > most).then_some(4 * edges),
                ..Limits::default()
            };
            for heuristic in Heuristic::portfolio() {
                let run = heuristic.run(&lcg, &limits);
                let cost = run.counts.multiplications(model);
                if run.ended == Ended::Complete {
                    assert!(outcome.cost <= cost, "{heuristic} {model:?} {edges}");
                }
            }
        }
    }
}
