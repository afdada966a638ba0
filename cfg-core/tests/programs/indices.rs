//! Loops over an index, found in graphs of jumps: which of them are counted, and with which last value.

use cfg_core::{
    entity::VarId,
    ir::{LoopTest, VertexKind},
    memory::effects::Effects,
    recover::recover,
    text,
};

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

/// The test of [`recovered_loop`] of a loop with several statements in its body.
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
    let parsed = cfg_format::text::parse(&program);
    let program = parsed
        .program
        .unwrap_or_else(|| panic!("{}", parsed.problems));
    let routine = recover(
        &program,
        &Effects::summarise(&program),
        &program.routines[1],
    );
    let cfg = routine.body.as_ref().unwrap();
    let test = cfg.vertices().find_map(|(_, v)| match &v.kind {
        VertexKind::Loop { test, .. } => Some(&**test),
        _ => None,
    });
    match test.expect("there is a loop") {
        LoopTest::Counted { last, .. } => text::expr(&routine, last),
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
        let program = cfg_format::text::parse(&source).program.expect("a program");
        let routine = recover(
            &program,
            &Effects::summarise(&program),
            &program.routines[1],
        );
        let i = (routine.variables.iter().position(|v| v.name == "i")).map(VarId::new);
        let mut tests = routine.body.as_ref().unwrap().vertices();
        let over_i = tests.any(|(_, v)| {
            matches!(v.kind.test(), Some(LoopTest::Counted { index, .. }) if Some(*index) == i)
        });
        assert_eq!(over_i, is_counted, "{ways}, {middle}, {behind}");
    }
}

/// The loop makes no pass where the first value is beyond the last already: the smallest integer minus 1 is not
/// computed.
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
