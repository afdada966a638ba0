use super::*;
use crate::ir::{LoopTest, VertexKind};
use crate::memory::effects::Effects;
use crate::testing::{Rng, nested, random_nesting};

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
    let program = format!(
        "general subroutine f(in integer n, in integer last, inout real x)
  local integer i
    1 ENTRY -> 2
    2 BASICBLOCK -> 3
          i := {first}
    3 BRANCH {condition} -> 4 [1], 5 [0]
    4 BASICBLOCK -> 3
          x := x*x
          i := {next}
    5 EXIT
end
"
    );
    let parsed = crate::text::parse(&program);
    let program = parsed
        .program
        .unwrap_or_else(|| panic!("{}", parsed.problems));
    let routine = recover(&program, &Effects::of(&program), &program.routines[0]);
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
