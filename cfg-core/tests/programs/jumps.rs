//! Random graphs of blocks and jumps, recovered as far as they nest.

use cfg_core::builder::{RoutineBuilder, expr::*};
use cfg_core::entity::{RoutineId, VarId, VertexId};
use cfg_core::graph::loops::LoopForest;
use cfg_core::graph::reachable;
use cfg_core::ir::{
    Arm, CaseRange, Cfg, Control, Edge, Expr, Program, ScalarType::Integer, Selector, Stmt, Vertex,
    VertexKind,
};
use cfg_core::memory::effects::Effects;
use cfg_core::{recover, validate};
use cfg_testkit::interpret::{Argument, FaultKind, Limits, Value, interpret};
use cfg_testkit::rng::Rng;
use std::collections::BTreeMap;

fn assign(v: VarId, e: impl Into<Expr>) -> Stmt {
    Stmt::assign(cfg_core::ir::Place::whole(v), e.into())
}

/// A graph of about `n` vertices that all can be reached, with a run that goes where the numbers send it.
fn random(rng: &mut Rng, n: usize) -> Option<Program> {
    let mut f = RoutineBuilder::new("f");
    let s = f.inout("s", Integer);
    let i = f.inout("i", Integer);
    let c = f.inout("c", Integer);
    f.block();
    let mut routine = f.finish().ok()?;
    let mut kinds = vec![VertexKind::Entry, VertexKind::Exit];
    let mut edges: Vec<(usize, usize, Option<i64>)> = vec![(0, 2, None)];
    // Mostly near by, so that something nests.
    let target = |rng: &mut Rng, v: usize| match rng.below(20) {
        0 => 1,
        1..4 => 2 + rng.below(n),
        4..8 => (v + 1).saturating_sub(rng.below(5)).max(2),
        _ => v + 1 + rng.below(3),
    };
    for v in 2..n + 2 {
        let count = match rng.below(10) {
            0..5 => 1,
            9 => 3,
            _ => 2,
        };
        let bound = rng.between(2, 6);
        kinds.push(match count {
            1 => {
                let mut list = vec![assign(c, c + 1)];
                if rng.percent(60) {
                    let e = Expr::op(
                        cfg_core::ir::Op::Modulo,
                        [s * 3 + (v as i64), Expr::Int(101)],
                    );
                    list.push(assign(s, e));
                }
                if rng.percent(40) {
                    list.push(assign(i, i + 1));
                } else if rng.percent(20) {
                    list.push(assign(i, 0));
                }
                if rng.percent(15) {
                    list.clear();
                }
                VertexKind::Block(list)
            }
            2 => VertexKind::Branch(Box::new(Selector::Condition(match rng.below(3) {
                0 => lt(i, bound),
                1 => not(le(i, bound)),
                _ => lt(
                    Expr::op(cfg_core::ir::Op::Modulo, [s + c, Expr::Int(7)]),
                    bound,
                ),
            }))),
            _ => VertexKind::Branch(Box::new(Selector::Cases {
                value: Expr::op(cfg_core::ir::Op::Modulo, [s + c, Expr::Int(3)]),
                arms: (0..3)
                    .map(|label| Arm {
                        label,
                        cases: Box::new([CaseRange {
                            lower: Some(label),
                            upper: Some(label),
                        }]),
                        default: label == 2,
                    })
                    .collect(),
            })),
        });
        for label in 0..count {
            let to = target(rng, v).min(n + 1);
            edges.push((v, to, (count > 1).then_some(label)));
        }
    }
    let plain = edges.iter().map(|e| (e.0, e.1));
    let seen = reachable(&cfg_core::graph::Adjacency::new(n + 2, plain), 0);
    if !seen.contains(1) {
        return None;
    }
    let mut place = vec![0; n + 2];
    let mut vertices = Vec::new();
    for (v, kind) in kinds.into_iter().enumerate() {
        if seen.contains(v) {
            place[v] = vertices.len();
            vertices.push(Vertex::new(v as i64 + 1, kind));
        }
    }
    let edges = edges.into_iter().filter(|e| seen.contains(e.0));
    let edges = edges.map(|(from, to, label)| {
        Edge::new(VertexId::new(place[from]), VertexId::new(place[to]), label)
    });
    routine.body = Cfg::new(vertices, edges.collect());
    routine.control = Control::General;
    Some(Program {
        routines: vec![routine],
        ..Program::default()
    })
}

/// The outcome of a run; `None` if it takes too long. A fault is a result like another.
fn run(program: &Program, fuel: u64) -> Option<String> {
    let given = |x: i64| {
        Some(Argument::<()> {
            extents: Vec::new(),
            elements: vec![Value::Integer(x)],
        })
    };
    let arguments = [given(5), given(0), given(0)];
    let limits = Limits {
        fuel,
        ..Limits::default()
    };
    let main = RoutineId::new(0);
    match interpret(program, main, &arguments, &BTreeMap::new(), limits) {
        Ok(outcome) => Some(format!("{:?}", outcome.parameters)),
        Err(fault) if fault.kind == FaultKind::Fuel => None,
        Err(fault) => Some(format!("{:?}", fault.kind)),
    }
}

#[test]
fn random_graphs_keep_their_meaning() {
    let mut rng = Rng::new(31);
    let (mut ended, mut structured, mut typed, mut irreducible) = (0, 0, 0, 0);
    for case in 0..6000 {
        let size = 2 + rng.below(24);
        let Some(program) = random(&mut rng, size) else {
            continue;
        };
        let (_, problems) = validate::find_problems(&program);
        assert!(!problems.has_errors(), "{problems}");
        let expected = run(&program, 3000);
        let dense = Program {
            routines: vec![recover::flatten_dense(
                &program,
                &Effects::summarise(&program),
                &program.routines[0],
            )],
            ..Program::default()
        };
        let recovered = recover::recover_program(&program);
        let again = recover::recover_program(&recovered);
        let flat = Program {
            routines: vec![recover::flatten(
                &recovered,
                &Effects::summarise(&recovered),
                &recovered.routines[0],
            )],
            ..Program::default()
        };
        for (what, changed) in [
            ("dense", &dense),
            ("recovered", &recovered),
            ("again", &again),
            ("flattened again", &flat),
        ] {
            let (_, problems) = validate::find_problems(changed);
            assert!(!problems.has_errors(), "case {case} {what}: {problems}");
            if expected.is_some() {
                assert_eq!(run(changed, 60_000), expected, "case {case} {what}");
            }
        }
        ended += usize::from(expected.is_some());
        let routine = &recovered.routines[0];
        let body = routine.body.as_ref().unwrap();
        if routine.control == Control::Structured {
            structured += 1;
        } else {
            let ends = |v: &Vertex| matches!(v.kind, VertexKind::EndLoop | VertexKind::EndBranch);
            typed += usize::from(body.vertices().any(|(_, v)| ends(v)));
        }
        let forest = LoopForest::new(body, body.entry().unwrap().index());
        irreducible += usize::from(forest.loops().any(|l| !forest.get(l).is_reducible()));
    }
    println!(
        "{ended} ended, {structured} structured, {typed} typed in part, {irreducible} irreducible"
    );
    assert!(ended > 1000 && structured > 300 && typed > 1000 && irreducible > 400);
}
