use super::*;
use crate::builder::RoutineBuilder;
use crate::entity::{VarId, VertexId};
use crate::ir::{Control, Expr, LoopTest, Op, Place, ScalarType, Selector, Stmt, VertexKind};
use crate::memory::effects::Effects;
use crate::testing::{Rng, graph, nested, random_nesting};

#[test]
fn nested_graphs_come_back() {
    let mut rng = Rng::new(21);
    for _ in 0..500 {
        let size = 1 + rng.below(40);
        let text = random_nesting(&mut rng, size);
        let cfg = nested(&text);
        let routine = Routine {
            body: Some(cfg),
            ..Routine::default()
        };
        let program = Program::default();
        for flat in [
            flatten(&program, &Effects::summarise(&program), &routine),
            flatten_dense(&program, &Effects::summarise(&program), &routine),
        ] {
            let (cfg, structured) = shape(flat.body.unwrap(), true).unwrap();
            let problem = Structure::compute(&cfg).err();
            assert!(structured, "{text}: {}", problem.unwrap_or_default());
        }
    }
}

/// The events of a run of a graph, the same for all forms of its loops: a branch or a loop asks, a block says its
/// number.
fn shown(cfg: &Cfg, seed: u64) -> Vec<String> {
    let mut events = Vec::new();
    let mut at = cfg.entry().unwrap();
    // The headers of the loops around the current vertex, inner ones last.
    let mut inside: Vec<VertexId> = Vec::new();
    let answer = |events: &mut Vec<String>, test: &Expr| {
        let mut rng = Rng::new(seed.wrapping_mul(977).wrapping_add(events.len() as u64));
        let holds = rng.below(2) == 1;
        events.push(format!("{test:?} {holds}"));
        holds
    };
    let labelled = |v: VertexId, label: Option<i64>| {
        let e = (cfg.out_edges(v).iter()).find(|e| cfg.edge(**e).label == label);
        cfg.edge(*e.unwrap()).to
    };
    while events.len() < 100 {
        at = match &cfg.vertex(at).kind {
            VertexKind::Exit => break,
            VertexKind::Block(statements) => {
                events.extend(statements.iter().map(|s| format!("{:?}", s.kind)));
                cfg.successors(at).next().unwrap()
            }
            VertexKind::Branch(selector) => {
                let Selector::Condition(test) = &**selector else {
                    panic!("only conditions are drawn")
                };
                labelled(at, Some(i64::from(answer(&mut events, test))))
            }
            VertexKind::Loop { test, .. } => {
                let entered = inside.last() == Some(&at);
                let goes_on = match &**test {
                    LoopTest::Post(_) if !entered => true,
                    LoopTest::Pre(test) | LoopTest::Post(test) => answer(&mut events, test),
                    LoopTest::Counted { .. } => panic!("none is drawn"),
                };
                match (goes_on, entered) {
                    (true, false) => inside.push(at),
                    (false, true) => drop(inside.pop()),
                    _ => {}
                }
                labelled(at, goes_on.then_some(1))
            }
            VertexKind::Entry | VertexKind::EndBranch | VertexKind::EndLoop => {
                cfg.successors(at).next().unwrap()
            }
        };
    }
    // A block may have several statements.
    events.truncate(100);
    events
}

/// A nesting with different contents in all blocks and tests, and with loops tested first and last.
fn told_apart(rng: &mut Rng, mut cfg: Cfg) -> Cfg {
    for v in 0..cfg.vertex_count() {
        let number = Expr::Int(v as i64);
        let test = Expr::Op(Op::Eq, Box::new([Expr::var(VarId::new(0)), number.clone()]));
        match &mut cfg.vertex_mut(VertexId::new(v)).kind {
            VertexKind::Block(statements) => {
                statements.push(Stmt::assign(Place::whole(VarId::new(0)), number));
            }
            VertexKind::Branch(selector) => **selector = Selector::Condition(test),
            VertexKind::Loop { test: kept, .. } => {
                **kept = match rng.below(2) {
                    0 => LoopTest::Pre(test),
                    _ => LoopTest::Post(test),
                };
            }
            _ => {}
        }
    }
    cfg
}

/// A routine with one variable and a graph.
fn around(cfg: Cfg, control: Control) -> Routine {
    let mut f = RoutineBuilder::new("f");
    f.local("i", ScalarType::Integer);
    f.body(cfg, control);
    f.finish().expect("the builder is used right")
}

/// The graph with blocks in place of the ends of its branches.
fn without_ends(cfg: &Cfg) -> Cfg {
    let mut cfg = cfg.clone();
    for v in (0..cfg.vertex_count()).map(VertexId::new) {
        if let VertexKind::EndBranch = cfg.vertex(v).kind {
            cfg.vertex_mut(v).kind = VertexKind::Block(Vec::new());
        }
    }
    cfg
}

/// A graph keeps its events as jumps, without empty blocks, recovered, and in normal form.
#[test]
fn graphs_in_other_forms_do_the_same() {
    let mut rng = Rng::new(5);
    let mut posts = 0;
    for _ in 0..400 {
        let size = 1 + rng.below(20);
        let text = random_nesting(&mut rng, size);
        // Only branches with two arms, since each is a condition.
        if text.matches('|').count() != text.matches('[').count() {
            continue;
        }
        let cfg = nested(&text);
        if cfg
            .vertices()
            .any(|(v, x)| x.kind.selector().is_some() && cfg.out_edges(v).len() != 2)
        {
            continue;
        }
        let cfg = told_apart(&mut rng, cfg);
        posts += (cfg.vertices())
            .filter(|(_, v)| matches!(&v.kind, VertexKind::Loop { test, .. } if matches!(**test, LoopTest::Post(_))))
            .count();
        let ends = super::nest(&without_ends(&cfg)).expect("it nests");
        assert!(Structure::compute(&ends).is_ok(), "{text}");
        // A graph that has all ends stays as it is.
        let whole = super::nest(&cfg).expect("it nests");
        assert_eq!(format!("{whole:?}"), format!("{cfg:?}"), "{text}");
        let kinds = |cfg: &Cfg| {
            let kinds = cfg.vertices().map(|(_, v)| format!("{:?}", v.kind));
            let mut kinds: Vec<String> = kinds.filter(|k| k != "Block([])").collect();
            kinds.sort_unstable();
            kinds
        };
        assert_eq!(kinds(&ends), kinds(&cfg), "{text}");
        let ends = around(ends, Control::Structured);
        let routine = around(cfg, Control::Structured);
        let program = Program::default();
        let effects = Effects::summarise(&program);
        let flat = flatten(&program, &effects, &routine);
        // No loop is counted, so no loop gets statements before it.
        let vertices = |r: &Routine| r.body.as_ref().unwrap().vertex_count();
        assert_eq!(vertices(&flat), vertices(&routine), "{text}");
        let dense = flatten_dense(&program, &effects, &routine);
        let found = recover(&program, &effects, &dense);
        let normal = normal_form(&program, &effects, &routine);
        for seed in 0..5 {
            let expected = shown(routine.body.as_ref().unwrap(), seed);
            for (what, form) in [
                ("flat", &flat),
                ("dense", &dense),
                ("found", &found),
                ("normal", &normal),
                ("ends", &ends),
            ] {
                assert_eq!(
                    shown(form.body.as_ref().unwrap(), seed),
                    expected,
                    "{text}: {what}"
                );
            }
        }
    }
    assert!(posts > 100, "{posts}");
}

/// A loop tested in the middle, behind straight code, becomes a loop tested first: the code stands before it and at
/// the end of its body.
#[test]
fn a_test_in_the_middle_of_a_loop() {
    let cfg = graph(
        "EbcbX",
        &[(1, 2, -1), (2, 3, -1), (3, 4, 1), (4, 2, -1), (3, 5, 0)],
    );
    let routine = around(told_apart(&mut Rng::new(1), cfg), Control::General);
    let program = Program::default();
    let found = recover(&program, &Effects::summarise(&program), &routine);
    assert_eq!(found.control, Control::Structured);
    for seed in 0..20 {
        let [before, after] = [&routine, &found].map(|r| shown(r.body.as_ref().unwrap(), seed));
        assert_eq!(after, before);
    }
}
