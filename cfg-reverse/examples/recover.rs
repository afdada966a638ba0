//! Time of structure recovery and of reversal, and how they grow from 10^4 to 10^5 vertices.
//!
//! `cargo run --release -p cfg-reverse --example recover`
#![allow(clippy::print_stdout, reason = "it prints a table")]

use cfg_core::memory::effects::Effects;
use cfg_core::{
    builder::{RoutineBuilder, expr::*},
    entity::{RoutineId, VertexId},
    graph::loops::LoopForest,
    ir::{
        Arm, CaseRange, Cfg, Control, Edge, Expr, Place, Program, Routine,
        ScalarType::{Integer, Real},
        Selector, Stmt, Vertex, VertexKind,
    },
    recover::{self, classify::classify},
    validate::validate,
};
use cfg_reverse::{Options, reverse};
use cfg_testkit::flat;
use std::time::Instant;

/// Successors of each vertex; vertex 0 is ENTRY, the last one EXIT. Vertices with one successor are blocks.
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
    let x = f.inout("x", Real);
    f.independents([x]).dependents([x]);
    let mut routine = f.finish().ok()?;
    let mut edges = Vec::new();
    let mut vertices = Vec::new();
    for (v, list) in targets.iter().enumerate() {
        let kind = match list.len() {
            0 => VertexKind::Exit,
            1 if v == 0 => VertexKind::Entry,
            1 => VertexKind::Block(vec![
                Stmt::assign(Place::whole(i), i + 1),
                Stmt::assign(Place::whole(x), sin(x)),
            ]),
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

/// Nested loops; each body may also continue the second loop around it.
fn continue_outer(n: usize) -> Targets {
    let n = n / 2;
    let mut t = deep_loops(2 * n);
    for (latch, targets) in t.iter_mut().enumerate().take(2 * n - 1).skip(n + 1) {
        targets.push(latch + 2);
    }
    t
}

/// Time that this thread has had on a processor; where the system does not say, time that has passed.
fn clock(zero: Instant) -> f64 {
    let spent = || {
        let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
        let nanoseconds: f64 = text.split(' ').next()?.parse().ok()?;
        Some(nanoseconds * 1e-9)
    };
    spent().unwrap_or_else(|| zero.elapsed().as_secs_f64())
}

/// A family of graphs: makes one with about the given number of vertices.
type Family = fn(usize) -> Targets;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let zero = Instant::now();
    println!(
        "{:<22} {:>8} {:>9} {:>9} {:>9} {:>9} {:>9}  class",
        "family", "vertices", "forest s", "recover s", "growth", "reverse s", "growth"
    );
    let families: [(&str, Family); 6] = [
        ("nested loops", deep_loops),
        ("one switch", wide_switch),
        ("ladder, two entries", ladder),
        ("nested, many entries", entered_everywhere),
        ("random jumps", random),
        ("continue outer loop", continue_outer),
    ];
    for (name, family) in families {
        let mut before: Option<(f64, f64)> = None;
        for n in [10_000, 100_000] {
            let Some(routine) = routine(&family(n)) else {
                continue;
            };
            let Some(cfg) = &routine.body else { continue };
            let start = clock(zero);
            let loops = LoopForest::new(cfg, 0).len();
            let forest = clock(zero) - start;
            let program = Program::default();
            let start = clock(zero);
            let recovered = recover::recover(&program, &Effects::summarise(&program), &routine);
            let seconds = clock(zero) - start;
            let program = Program {
                routines: vec![routine.clone()],
                ..Program::default()
            };
            let program = validate(program)?;
            // The time of the reversal contains that of the recovery.
            let start = clock(zero);
            let reversal = reverse(&flat(&program), RoutineId::new(0), &Options::default())?;
            let reversed = clock(zero) - start;
            let growth = |of: fn((f64, f64)) -> f64, now: f64| {
                before.map_or(String::new(), |b| format!("{:.1}", now / of(b)))
            };
            println!(
                "{name:<22} {n:>8} {forest:>9.3} {seconds:>9.3} {:>9} {reversed:>9.3} {:>9}  {}, {loops} loops, \
                 recovered {:?}, {} vertices in the adjoint",
                growth(|b| b.0, seconds),
                growth(|b| b.1, reversed),
                classify(cfg).class.name(),
                recovered.control,
                reversal
                    .program
                    .routine(reversal.reverse)
                    .body
                    .as_ref()
                    .map_or(0, Cfg::vertex_count),
            );
            before = Some((seconds, reversed));
        }
    }
    Ok(())
}
