use super::*;
use crate::entity::{VarId, VertexId};
use crate::ir::{Control, Expr, LoopTest, Op, Place, Selector, Stmt, VertexKind};
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
            flatten(&program, &Effects::of(&program), &routine),
            flatten_dense(&program, &Effects::of(&program), &routine),
        ] {
            let (cfg, structured) = shape(flat.body.unwrap(), true).unwrap();
            let problem = Structure::of(&cfg).err();
            assert!(structured, "{text}: {}", problem.unwrap_or_default());
        }
    }
}

/// The loop's test after recovery of `i := FIRST; while i OP last { i := i + STEP }`.
fn recovered(first: &str, op: &str, step: i64) -> String {
    recovered_loop(first, &format!("i {op} last"), &format!("i + {step}"))
}

/// The loop's test after recovery of `i := FIRST; while CONDITION { i := NEXT }`.
fn recovered_loop(first: &str, condition: &str, next: &str) -> String {
    recovered_body(
        first,
        condition,
        &format!("x := x*x\n          i := {next}"),
    )
}

/// The same for a body of several statements.
fn recovered_body(first: &str, condition: &str, body: &str) -> String {
    let program = format!(
        "subroutine moved(inout integer k)
  k := k*2
end
general main subroutine f(in integer n, in integer last, inout real x)
  local integer i
    1 ENTRY -> 2
    2 BASICBLOCK -> 3
          i := {first}
    3 BRANCH {condition} -> 4 [1], 5 [0]
    4 BASICBLOCK -> 3
          {body}
    5 EXIT
end
"
    );
    let parsed = crate::text::parse(&program);
    let program = parsed
        .program
        .unwrap_or_else(|| panic!("{}", parsed.problems));
    let routine = recover(&program, &Effects::of(&program), &program.routines[1]);
    let cfg = routine.body.as_ref().unwrap();
    let test = cfg.vertices().find_map(|(_, v)| match &v.kind {
        VertexKind::Loop { test, .. } => Some(&**test),
        _ => None,
    });
    match test.expect("there is a loop") {
        LoopTest::Counted { last, .. } => crate::text::expr(&routine, last),
        _ => "not counted".to_owned(),
    }
}

/// A loop that counts its passes down has an index if the last block of its body alone moves that.
#[test]
fn indices_that_move_with_counted_passes() {
    for (ways, middle, behind, is_counted) in [
        ("5 [1], 6 [0]", "x := x*x", "x := x + 1.0", true),
        ("6 [1], 5 [0]", "x := x*x", "x := x + 1.0", true),
        ("5 [1], 6 [0]", "i := i + 1", "x := x + 1.0", false),
        ("6 [1], 5 [0]", "i := i + 1", "x := x + 1.0", false),
        ("5 [1], 6 [0]", "x := x*x", "i := i + 1", false),
        ("5 [1], 6 [0]", "call moved(i)", "x := x + 1.0", false),
        ("5 [1], 6 [0]", "x := x*x", "call moved(i)", false),
    ] {
        let source = format!(
            "subroutine moved(inout integer k)
  k := k*2
end
general main subroutine f(in integer n, inout real x)
  local integer i, left
    1 ENTRY -> 2
    2 BASICBLOCK -> 3
          left := trips(1, n, 2)
          i := 1
    3 BRANCH left > 0 -> 4 [1], 7 [0]
    4 BRANCH x < 2.0 -> {ways}
    5 BASICBLOCK -> 6
          {middle}
    6 BASICBLOCK -> 3
          {behind}
          i := i + 2
          left := left - 1
    7 EXIT
end
"
        );
        let program = crate::text::parse(&source).program.expect("a program");
        let routine = recover(&program, &Effects::of(&program), &program.routines[1]);
        let i = (routine.variables.iter().position(|v| v.name == "i")).map(VarId::new);
        let mut tests = routine.body.as_ref().unwrap().vertices();
        let over_i = tests.any(|(_, v)| {
            matches!(v.kind.test(), Some(LoopTest::Counted { index, .. }) if Some(*index) == i)
        });
        assert_eq!(over_i, is_counted, "{ways}, {middle}, {behind}");
    }
}

/// The loop makes no pass where the first value is beyond the last already: the smallest integer minus 1 is not computed.
#[test]
fn last_values_of_strict_comparisons() {
    for (first, op, step, last) in [
        ("n", "<=", 2, "last"),
        ("n", ">=", -2, "last"),
        ("1", "<", 2, "max(last, 1) - 1"),
        ("1", ">", -2, "min(last, 1) + 1"),
        // Neither is known to be within the range.
        ("n", "<", 1, "not counted"),
        ("n", ">", -1, "not counted"),
        ("n + 1", "<", 1, "max(last, n + 1) - 1"),
        ("n - 1", ">", -1, "min(last, n - 1) + 1"),
        ("n - 1", "<", 1, "not counted"),
        ("n + 1", ">", -1, "not counted"),
        ("-9223372036854775808", "<", 1, "not counted"),
        ("9223372036854775807", ">", -1, "not counted"),
        (
            "-9223372036854775807",
            "<",
            1,
            "max(last, -9223372036854775807) - 1",
        ),
        // The comparison is the wrong one for the direction.
        ("1", "<", -1, "not counted"),
        ("1", ">=", 1, "not counted"),
    ] {
        assert_eq!(
            recovered(first, op, step),
            last,
            "{first} {op} last by {step}"
        );
    }
}

/// An index that wraps is one of a counted loop only where the test says that it does not wrap.
#[test]
fn indices_that_wrap() {
    for (first, condition, next, last) in [
        ("1", "i < last", "i +% 1", "max(last, 1) - 1"),
        ("1", "last > i", "1 +% i", "max(last, 1) - 1"),
        ("1", "i > last", "i -% 1", "min(last, 1) + 1"),
        ("1", "not (i >= last)", "i +% 1", "max(last, 1) - 1"),
        ("n", "i <= last - 1", "i +% 1", "last - 1"),
        ("n", "i >= last + 1", "i -% 1", "last + 1"),
        ("n", "i <= 100", "i +% 7", "100"),
        ("n", "i < 100", "i +% 7", "99"),
        ("n", "i > 0", "i -% 7", "1"),
        (
            "n",
            "i <= 9223372036854775800",
            "i +% 7",
            "9223372036854775800",
        ),
        (
            "n",
            "i < 9223372036854775801",
            "i +% 7",
            "9223372036854775800",
        ),
        // The last index may be the largest integer, or near it: the next one may be small again.
        ("1", "i <= last", "i +% 1", "not counted"),
        ("1", "i >= last", "i -% 1", "not counted"),
        ("1", "i <= last + 1", "i +% 1", "not counted"),
        ("1", "i < last", "i +% 2", "not counted"),
        ("1", "i <= last - 1", "i +% 2", "not counted"),
        ("n", "i <= 9223372036854775801", "i +% 7", "not counted"),
        ("n", "i < 9223372036854775802", "i +% 7", "not counted"),
        ("n", "i >= -9223372036854775808", "i -% 1", "not counted"),
        // `for (unsigned i = n - 1; i < n; i--)`: it ends since the index wraps.
        ("last - 1", "i < last", "i -% 1", "not counted"),
        ("last - 1", "i <= last", "i -% 1", "not counted"),
        ("0", "i >= 0", "i +% 1", "not counted"),
        // Other operations that wrap are no steps.
        ("1", "i < last", "i *% 2", "not counted"),
        ("1", "i < last", "-% i", "not counted"),
    ] {
        assert_eq!(
            recovered_loop(first, condition, next),
            last,
            "{first}, {condition}, {next}"
        );
    }
}

/// An index that is written elsewhere in the body, too, is none of a counted loop: by an assignment, or in a call.
#[test]
fn indices_that_something_else_writes() {
    for (statement, last) in [
        ("x := x*x", "last"),
        ("i := 2*i", "not counted"),
        ("call moved(i)", "not counted"),
    ] {
        let body = format!("{statement}\n          i := i + 1");
        assert_eq!(recovered_body("1", "i <= last", &body), last, "{statement}");
    }
}

/// A branch or a loop asks, a block says its number: what a run of a graph shows, whatever form its loops have.
fn shown(cfg: &Cfg, seed: u64) -> Vec<String> {
    let mut events = Vec::new();
    let mut at = cfg.entry().unwrap();
    // The headers of the loops in whose bodies the run is, inner ones last.
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

/// A nesting whose blocks and tests are all different, with loops tested first and loops tested last.
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
    let parsed = crate::text::parse("subroutine f()\n  local integer i\nend\n");
    let mut routine = parsed.program.unwrap().routines.remove(0);
    routine.body = Some(cfg);
    routine.control = control;
    routine
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

/// What is made of a graph, as jumps, without empty blocks, found again, in normal form, runs as it does.
#[test]
fn graphs_in_other_forms_do_the_same() {
    let mut rng = Rng::new(5);
    let mut posts = 0;
    for _ in 0..400 {
        let size = 1 + rng.below(20);
        let text = random_nesting(&mut rng, size);
        // Two arms only: a branch is a condition.
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
        let ends = super::nested(&without_ends(&cfg)).expect("it nests");
        assert!(Structure::of(&ends).is_ok(), "{text}");
        // What has all its ends stays as it is.
        let whole = super::nested(&cfg).expect("it nests");
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
        let effects = Effects::of(&program);
        let flat = flatten(&program, &effects, &routine);
        // No loop is counted, so that none has anything before it.
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

/// A loop with its test in the middle, behind straight code, is one tested first, with that code before it and at the end of its body.
#[test]
fn a_test_in_the_middle_of_a_loop() {
    let cfg = graph(
        "EbcbX",
        &[(1, 2, -1), (2, 3, -1), (3, 4, 1), (4, 2, -1), (3, 5, 0)],
    );
    let routine = around(told_apart(&mut Rng::new(1), cfg), Control::General);
    let program = Program::default();
    let found = recover(&program, &Effects::of(&program), &routine);
    assert_eq!(found.control, Control::Structured);
    for seed in 0..20 {
        let [before, after] = [&routine, &found].map(|r| shown(r.body.as_ref().unwrap(), seed));
        assert_eq!(after, before);
    }
}
