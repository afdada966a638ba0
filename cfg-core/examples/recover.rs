//! Time of structure recovery, and how it grows from 10^4 to 10^5 vertices.
//!
//! `cargo run --release -p cfg-core --example recover`
#![allow(clippy::print_stdout, reason = "it prints a table")]

use cfg_core::{
    builder::{RoutineBuilder, expr::*},
    classify::classify,
    entity::VertexId,
    ir::{
        Arm, CaseRange, Cfg, Control, Edge, Expr, Place, Program, Routine, ScalarType::Integer,
        Selector, Stmt, Vertex, VertexKind,
    },
    loops::LoopForest,
    recover,
};
use std::time::Instant;

/// Successors of each vertex; 0 is ENTRY, the last is EXIT. Vertices with one are blocks.
type Targets = Vec<Vec<usize>>;

fn deep_loops(n: usize) -> Targets {
    // Headers 1 ..= n, latches n + 1 ..= 2n, innermost first.
    let n = n / 2;
    let mut t = vec![vec![1]];
    // The exit of a header leads to the latch of the loop around it.
    for h in 1..=n {
        let body = if h == n { n + 1 } else { h + 1 };
        let after = if h == 1 { 2 * n + 1 } else { 2 * n + 2 - h };
        t.push(vec![after, body]);
    }
    for latch in 1..=n {
        t.push(vec![n + 1 - latch]);
    }
    t.push(Vec::new());
    t
}

fn wide_switch(n: usize) -> Targets {
    let mut t = vec![vec![1], (2..n).collect()];
    t.extend((2..n).map(|_| vec![n]));
    t.push(Vec::new());
    t
}

fn ladder(n: usize) -> Targets {
    // Down and back up, entered at both ends.
    let mut t = vec![vec![1], vec![2, n - 1]];
    t.push(vec![3]);
    t.extend((3..n - 1).map(|v| vec![v + 1, v - 1]));
    t.push(vec![n - 2, n]);
    t.push(Vec::new());
    t
}

fn entered_everywhere(n: usize) -> Targets {
    // Nested loops with one latch, each entered from outside too.
    let mut t = vec![vec![1], (2..n - 1).collect()];
    t.extend((2..n - 1).map(|v| vec![v + 1]));
    t.push((2..=n).filter(|v| *v != n - 1).collect());
    t.push(Vec::new());
    t
}

fn random(n: usize) -> Targets {
    let mut state = 1u64;
    let mut below = |n: usize| {
        state = state
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (state >> 33) as usize % n
    };
    let mut t = vec![vec![1]];
    for v in 1..n {
        let mut list = vec![v + 1];
        match below(8) {
            0 => list.push((v + 1).saturating_sub(below(20)).max(1)),
            1 => list.push(1 + below(n)),
            2 | 3 => list.push((v + 2 + below(4)).min(n)),
            _ => {}
        }
        t.push(list);
    }
    t.push(Vec::new());
    t
}

fn routine(targets: &Targets) -> Option<Routine> {
    let mut f = RoutineBuilder::new("f");
    let i = f.inout("i", Integer);
    let mut routine = f.finish().ok()?;
    let mut edges = Vec::new();
    let mut vertices = Vec::new();
    for (v, list) in targets.iter().enumerate() {
        let kind = match list.len() {
            0 => VertexKind::Exit,
            1 if v == 0 => VertexKind::Entry,
            1 => VertexKind::Block(vec![Stmt::assign(Place::whole(i), i + 1)]),
            2 => VertexKind::Branch(Box::new(Selector::Condition(lt(i, 5)))),
            k => VertexKind::Branch(Box::new(Selector::Cases {
                value: Expr::var(i),
                arms: (0..k as i64)
                    .map(|label| Arm {
                        label,
                        cases: Box::new([CaseRange {
                            lower: Some(label),
                            upper: Some(label),
                        }]),
                        default: label == 0,
                    })
                    .collect(),
            })),
        };
        vertices.push(Vertex::new(v as i64 + 1, kind));
        for (label, &to) in list.iter().enumerate() {
            let label = (list.len() > 1).then_some(label as i64);
            edges.push(Edge::new(VertexId::new(v), VertexId::new(to), label));
        }
    }
    routine.body = Cfg::new(vertices, edges);
    routine.control = Control::General;
    Some(routine)
}

/// A graph with about so many vertices.
type Family = fn(usize) -> Targets;

fn main() {
    println!(
        "{:<22} {:>8} {:>9} {:>9} {:>9}  class",
        "family", "vertices", "forest s", "recover s", "growth"
    );
    let families: [(&str, Family); 5] = [
        ("nested loops", deep_loops),
        ("one switch", wide_switch),
        ("ladder, two entries", ladder),
        ("nested, many entries", entered_everywhere),
        ("random jumps", random),
    ];
    for (name, family) in families {
        let mut before = None;
        for n in [10_000, 100_000] {
            let Some(routine) = routine(&family(n)) else {
                continue;
            };
            let Some(cfg) = &routine.body else { continue };
            let start = Instant::now();
            let loops = LoopForest::new(cfg, 0).len();
            let forest = start.elapsed().as_secs_f64();
            let program = Program::default();
            let start = Instant::now();
            let recovered = recover::recover(&program, &routine);
            let seconds = start.elapsed().as_secs_f64();
            let growth = before
                .replace(seconds)
                .map_or(String::new(), |b: f64| format!("{:.1}", seconds / b));
            println!(
                "{name:<22} {n:>8} {forest:>9.3} {seconds:>9.3} {growth:>9}  {}, {loops} loops, recovered {:?}",
                classify(cfg).class.name(),
                recovered.control,
            );
        }
    }
}
