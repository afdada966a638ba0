//! Random graphs of blocks and jumps, reversed and run.

use crate::adjoint::{agrees_general, visited};
use cfg_core::{
    entity::VertexId,
    graph::loops::{LoopForest, LoopId},
    ir::{Cfg, Edge, Expr, FreshIds, Op, Selector, Vertex, VertexKind},
};
use cfg_reverse::{Blocks, Options, Unstructured};
use cfg_testkit::{case::Case, general::generate, jumps::shapes, rng::Rng};

fn all(seeds: std::ops::Range<u64>, options: &Options) {
    let threads = std::thread::available_parallelism().map_or(1, usize::from) as u64;
    std::thread::scope(|scope| {
        for t in 0..threads {
            let seeds = seeds.clone();
            scope.spawn(move || {
                for seed in seeds.filter(|s| s % threads == t) {
                    let case = generate(seed);
                    if let Err(message) = agrees_general(&case, options) {
                        panic!("seed {seed}: {message}");
                    }
                }
            });
        }
    });
}

#[test]
fn by_structure() {
    all(0..1500, &Options::default());
}

#[test]
fn with_counters_and_merged_blocks() {
    let options = Options {
        counters: true,
        merge: true,
        ..Options::default()
    };
    all(7000..7500, &options);
}

#[test]
fn by_trace() {
    all(8500..9000, &TRACE);
}

const TRACE: Options = Options {
    values: false,
    operands: false,
    prefer: cfg_reverse::Prefer::Time,
    tape_memory: None,
    restarts: false,
    order: cfg_reverse::Order::Program,
    control_only: false,
    results: cfg_reverse::Results::Keep,
    overlap: cfg_reverse::Overlap::Assume,
    search: cfg_reverse::Search::DEFAULT,
    unstructured: Unstructured::Trace,
    strong: cfg_reverse::Strong::Needed,
    counters: false,
    markers: false,
    indices: false,
    merge: false,
    blocks: Blocks::Statement,
    work: 0,
    flow_limit: cfg_core::dataflow::FLOW_LIMIT,
    inside: cfg_reverse::Inside::Arrays,
};

fn forest(case: &Case) -> LoopForest {
    let cfg = case.routine().body.as_ref().unwrap();
    LoopForest::new(cfg, cfg.entry().unwrap().index())
}

/// Entries from outside into loops, irreducible ones included.
fn entries(forest: &LoopForest, visited: &[VertexId]) -> Vec<LoopId> {
    let steps = visited.windows(2).flat_map(|pair| {
        let [from, to] = [pair[0].index(), pair[1].index()];
        let entered = move |l: &LoopId| !forest.contains(*l, from);
        forest.around(to).take_while(entered)
    });
    steps.collect()
}

/// Never more than the number of each block that is executed, and two bits for each execution of a loop; and
/// first and step of each execution of a counted loop whose body changes them.
#[test]
fn recorded_bits_are_bounded() {
    for seed in 10_000..10_700 {
        let case = generate(seed);
        let ours = agrees_general(&case, &Options::default()).unwrap();
        let theirs = agrees_general(&case, &TRACE).unwrap();
        let executions = entries(&forest(&case), &visited(&case).unwrap()).len() as u64;
        assert!(
            ours.control <= theirs.control + 2 * executions && ours.bounds <= 2 * executions,
            "seed {seed}: {ours:?}, enumerated {theirs:?}, {executions} executions of loops"
        );
    }
}

/// The case with a jump from the end of some block in a loop to the last block, under a condition; the
/// loop, and the branch.
fn with_return(case: &Case, rng: &mut Rng) -> Option<(Case, LoopId, VertexId)> {
    let mut case = case.clone();
    let forest = forest(&case);
    let routine = &mut case.program.routines[case.main.index()];
    let cfg = routine.body.take()?;
    let last = cfg.predecessors(cfg.exit()?).next()?;
    let blocks: Vec<VertexId> = (cfg.vertices())
        .filter(|(v, vertex)| {
            matches!(vertex.kind, VertexKind::Block(_)) && forest.innermost(v.index()).is_some()
        })
        .map(|(v, _)| v)
        .collect();
    let block = *rng.pick(&blocks)?;
    let h = routine.find_variable("h")?;
    let (left, right) = (rng.between(1, 8), rng.between(0, 2));
    let value = Expr::op(Op::Mod, [Expr::var(h), Expr::Int(left)]);
    let condition = Expr::op(Op::Eq, [value, Expr::Int(right)]);
    let branch = VertexId::new(cfg.vertex_count());
    let id = FreshIds::of_vertices(&cfg).next_id();
    let out = cfg.out_edges(block)[0];
    let (mut vertices, mut edges) = cfg.into_parts();
    let selector = Selector::Condition(condition);
    vertices.push(Vertex::new(id, VertexKind::Branch(Box::new(selector))));
    let on = std::mem::replace(&mut edges[out.index()].to, branch);
    edges.push(Edge::new(branch, on, Some(0)));
    edges.push(Edge::new(branch, last, Some(1)));
    routine.body = Cfg::new(vertices, edges);
    Some((case, forest.innermost(block.index())?, branch))
}

/// An early return in one loop adds, per execution of that loop, at most the bits of one of its exits; once,
/// those of the merge to which it leads; and where it is taken, the codes of the completed iterations of
/// the loops that it leaves.
#[test]
fn an_early_return_adds_little() {
    let (mut taken, mut not_taken, mut more) = (0, 0, Vec::new());
    let mut rng = Rng::new(5);
    for seed in 12_000..12_800 {
        let case = generate(seed);
        let Some((changed, l, branch)) = with_return(&case, &mut rng) else {
            continue;
        };
        let Ok(before) = agrees_general(&case, &Options::default()) else {
            panic!("seed {seed}");
        };
        let after = match agrees_general(&changed, &Options::default()) {
            Ok(recorded) => recorded,
            Err(message) => panic!("seed {seed} with a return: {message}"),
        };
        let old = forest(&case);
        let mut path = visited(&changed).unwrap();
        // The last block and EXIT come after the return.
        let cut = path.len() > 3 && path[path.len() - 3] == branch;
        path.retain(|&v| v != branch);
        let executions = entries(&old, &path).iter().filter(|m| **m == l).count() as u64;
        let cfg = case.routine().body.as_ref().unwrap();
        // A loop without exits has the return as its only way to EXIT, which is then a merge.
        let left = old.members(l).iter().flat_map(|&v| {
            let next = cfg.successors(VertexId::new(v));
            next.filter(|w| !old.contains(l, w.index()))
        });
        let exits = 1 + left.count().max(1) as u64;
        let bits = |ways: u64| u64::from(ways.next_power_of_two().ilog2());
        let exit = cfg.exit().unwrap();
        let last = cfg.predecessors(exit).next().unwrap();
        let ways = 1 + cfg.in_edges(last).len() as u64;
        let mut most = executions * bits(exits) + bits(ways);
        if cut {
            taken += 1;
            let block = path[path.len() - 3];
            for around in old.around(block.index()) {
                let header = old.get(around).header;
                let passes = path.iter().filter(|v| v.index() == header).count() as u64;
                most += 2 * u64::from((passes + 1).ilog2()) + 1;
            }
        } else {
            not_taken += 1;
        }
        if after.bits() > before.bits() + most {
            more.push((seed, before.bits() + most, after.bits()));
        }
    }
    // Where the return leaves a nest of branches that meet in one place, one marker tells all their ways
    // apart, on short ones too, in place of a bit for each branch.
    assert!(more.len() <= 5, "{more:?}");
    assert!(taken > 30 && not_taken > 150, "{taken} {not_taken}");
}

/// Blocks from their Jacobians, and each in the way that is estimated to be cheaper.
#[test]
fn with_preaccumulated_blocks() {
    for (blocks, seeds) in [
        (Blocks::Preaccumulate, 14_000..14_400),
        (Blocks::Auto, 14_400..14_600),
    ] {
        let options = Options {
            blocks,
            work: 20_000,
            ..Options::default()
        };
        all(seeds, &options);
    }
    let options = Options {
        blocks: Blocks::Preaccumulate,
        work: 20_000,
        merge: true,
        ..TRACE
    };
    all(14_600..14_700, &options);
}

/// The bits recorded for control, compared with recording the number of each block that is executed.
#[test]
fn real_shapes_record_a_quarter_of_the_enumeration() {
    let mut logarithms = 0.0;
    let all = shapes();
    assert!(all.len() >= 40);
    let mut table = String::new();
    for shape in &all {
        let bits = |options: &Options| match agrees_general(&shape.case, options) {
            Ok(recorded) => recorded.control + 64 * recorded.integers,
            Err(message) => panic!("{}: {message}", shape.name),
        };
        let (ours, theirs) = (bits(&Options::default()), bits(&TRACE));
        table.push_str(&format!("| {} | {ours} | {theirs} |\n", shape.name));
        assert!(
            ours <= theirs,
            "{}: {ours} bits, {theirs} by enumeration",
            shape.name
        );
        logarithms += (ours.max(1) as f64 / theirs as f64).ln();
    }
    let mean = (logarithms / all.len() as f64).exp();
    println!("{table}geometric mean {mean:.3}");
    assert!(mean <= 0.25, "geometric mean {mean:.3}\n{table}");
}
