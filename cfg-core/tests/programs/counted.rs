//! Loops that are tested first, and whether they are counted loops: with which bounds.

use cfg_core::{
    ir::{Expr, Place, Program, Stmt, VertexKind},
    memory::effects::Effects,
    recover::{self, Checked, flatten_as},
    validate::find_problems,
};
use cfg_format::text;

fn read(source: &str) -> Program {
    let parsed = text::parse(source);
    let program = parsed.program;
    let program = program.unwrap_or_else(|| panic!("{}\n{source}", parsed.problems));
    let found = find_problems(&program).1;
    assert!(!found.has_errors(), "{found}\n{source}");
    program
}

/// The program as blocks and jumps.
fn flat(program: &Program) -> Program {
    let mut flat = program.clone();
    for routine in &mut flat.routines {
        *routine = recover::flatten(program, &Effects::summarise(program), routine);
    }
    flat
}

/// The heads of the loops that are found in blocks and jumps.
fn heads(program: &Program) -> Vec<String> {
    let text = recover::recover_program(program).to_string();
    let lines = text.lines().map(|line| {
        let line = line.trim();
        // Vertices whose numbers do not follow say theirs.
        let behind = line.strip_prefix('@').and_then(|rest| rest.split_once(' '));
        behind.map_or(line, |(_, rest)| rest)
    });
    let heads = lines.filter(|line| line.starts_with("for ") || line.starts_with("while "));
    heads.map(str::to_owned).collect()
}

/// The head of `while {test}` in a routine with a body that moves `i` by a step.
fn head(first: &str, test: &str, step: &str) -> String {
    let source = format!(
        "main subroutine f(in real x[9], in integer n, in integer m, out real y)
  local integer i
  y := 0.0
  i := {first}
  while {test}
    y := y + x[1]
    i := i + {step}
  end
end
"
    );
    let heads = heads(&flat(&read(&source)));
    let [head] = &*heads else {
        panic!("{heads:?}\n{source}")
    };
    head.clone()
}

#[test]
fn bounds_are_those_of_the_comparison_where_none_is_beyond_the_range() {
    for (first, test, step, expected) in [
        ("1", "i <= n", "1", "for i = 1, n"),
        ("1", "i < n", "1", "for i = 1, max(n, 1) - 1"),
        ("m", "i < n", "1", "while i < n"),
        // A sum that has a value is not the smallest integer.
        ("m", "i < n + 1", "1", "for i = m, n + 1 - 1"),
        ("m", "i < n + 0", "1", "while i < n + 0"),
        ("m", "i < 1 + n", "1", "for i = m, 1 + n - 1"),
        ("m", "i < n - 1", "1", "while i < n - 1"),
        ("m", "i < n - 0", "1", "while i < n - 0"),
        ("m", "i < n - (-1)", "1", "for i = m, n - (-1) - 1"),
        ("m", "i < 7", "1", "for i = m, 6"),
        ("m", "i < size(x)", "1", "for i = m, size(x) - 1"),
        ("m", "i > n", "-1", "while i > n"),
        ("m", "i > n - 1", "-1", "for i = m, n - 1 + 1, -1"),
        ("m", "i > n + 0", "-1", "while i > n + 0"),
        ("m", "i > n - 0", "-1", "while i > n - 0"),
        ("m", "i > n + (-1)", "-1", "for i = m, (n + (-1)) + 1, -1"),
        ("m", "i > size(x)", "-1", "while i > size(x)"),
        ("m + 1", "i < n", "1", "for i = m + 1, max(n, m + 1) - 1"),
        ("m + 0", "i < n", "1", "while i < n"),
        (
            "m - 1",
            "i > n",
            "-1",
            "for i = m - 1, min(n, m - 1) + 1, -1",
        ),
        ("1", "i >= n", "1", "while i >= n"),
        ("1", "n > i", "1", "for i = 1, max(n, 1) - 1"),
        ("1", "i < n", "2", "for i = 1, max(n, 1) - 1, 2"),
        ("1", "i < n", "m", "while i < n"),
        ("1", "i < n", "0", "while i < n"),
        ("1", "i != n", "1", "while i != n"),
    ] {
        assert_eq!(head(first, test, step), expected, "{first} {test} {step}");
    }
}

/// Only of an integer of 64 bits that has its storage alone it is known who writes it.
#[test]
fn indices_are_private() {
    for (globals, head, parameter, declared, index, counted) in [
        ("", "subroutine", "", "local integer i", "i", true),
        ("", "subroutine", "inout integer i, ", "", "i", true),
        ("", "subroutine", "out integer i, ", "", "i", true),
        (
            "",
            "subroutine",
            "optional inout integer i, ",
            "",
            "i",
            false,
        ),
        (
            "",
            "aliased subroutine",
            "inout integer i, ",
            "",
            "i",
            false,
        ),
        ("", "aliased subroutine", "", "local integer i", "i", true),
        ("global integer G", "subroutine", "", "uses G", "G", true),
        (
            "global integer G[3]\nglobal integer H overlays G at 1",
            "subroutine",
            "",
            "uses H",
            "H",
            false,
        ),
        ("", "subroutine", "", "local int32 i", "i", false),
        ("", "subroutine", "", "local integer i[2]", "i[1]", false),
    ] {
        let source = format!(
            "{globals}
main {head} f({parameter}in real x, in integer n, out real y)
  {declared}
  y := 0.0
  {index} := {one}
  while {index} <= {last}
    y := y + x
    {index} := {index} + {one}
  end
end
",
            one = if declared.contains("int32") {
                "int32(1)"
            } else {
                "1"
            },
            last = if declared.contains("int32") {
                "int32(9)"
            } else {
                "n"
            },
        );
        let heads = heads(&flat(&read(&source)));
        let found = heads.iter().filter(|head| head.starts_with("for ")).count();
        assert_eq!(found, usize::from(counted), "{heads:?}\n{source}");
    }
}

/// A loop whose step is a variable counts its passes; it has an index again if nothing else writes that.
#[test]
fn a_loop_that_counts_passes_has_an_index_that_nothing_else_writes() {
    let program = read(
        "main subroutine f(in real x, in integer n, in integer k, out real y)
  local integer i
  local integer j
  y := 0.0
  j := 0
  for i = 1, n, k
    y := y + x
  end
end
",
    );
    let flat = flat(&program);
    assert_eq!(heads(&flat), ["for i = 1, n, k"]);
    let routine = &flat.routines[0];
    let variable = |name: &str| routine.find_variable(name).expect("it is there");
    let [i, j, y] = ["i", "j", "y"].map(variable);
    for (written, is_counted) in [(i, false), (j, true)] {
        let mut changed = flat.clone();
        let cfg = changed.routines[0].body.as_mut().expect("it has one");
        for vertex in cfg.vertices_mut() {
            let VertexKind::Block(statements) = &mut vertex.kind else {
                continue;
            };
            let is_body =
                |s: &Stmt| matches!(s.kind.assignment(), Some((to, Expr::Op(..))) if to.var == y);
            if let Some(at) = statements.iter().position(is_body) {
                statements.insert(at, Stmt::assign(Place::whole(written), Expr::var(written)));
            }
        }
        let heads = heads(&changed);
        let found = heads.iter().any(|head| head == "for i = 1, n, k");
        assert_eq!(found, is_counted, "{heads:?}\n{changed}");
    }
}

/// Bounds and steps of any depth that is allowed become jumps, and loops again.
#[test]
fn bounds_are_as_deep_as_expressions_may_be() {
    for depth in Expr::MAX_DEPTH - 3..=Expr::MAX_DEPTH {
        // A variable is one level, and each difference another one; a sum is one operator.
        let deep = format!("n{}", " - 0".repeat(depth - 1));
        for (first, last, step) in [
            (&*deep, "n", "1"),
            ("1", &*deep, "1"),
            ("1", "n", &*deep),
            (&deep, &deep, &deep),
            ("1", &deep, "k"),
        ] {
            let program = read(&format!(
                "main subroutine f(in real x, in integer n, in integer k, out real y)
  local integer i
  y := 0.0
  for i = {first}, {last}, {step}
    y := y + x
  end
end
"
            ));
            let flat = flat(&program);
            let found = find_problems(&flat).1;
            assert!(!found.has_errors(), "{depth}: {found}\n{flat}");
            let back = recover::recover_program(&flat);
            let found = find_problems(&back).1;
            assert!(!found.has_errors(), "{depth}: {found}\n{back}");
            let step = if step == "1" {
                ""
            } else {
                &*format!(", {step}")
            };
            let head = format!("for i = {first}, {last}{step}");
            assert_eq!(heads(&flat), [head], "{depth}");
        }
    }
}

/// As jumps, a loop with a constant step tests its index, after a check of its trip count unless constants show that
/// the count fits; other loops count the remaining passes.
#[test]
fn tests_of_counted_loops_as_jumps() {
    for (range, test, is_counted_first) in [
        ("1, 9", "i <= 9", false),
        ("9, 1, -2", "i >= 1", false),
        ("1, n", "i <= n", false),
        ("k, n", "i <= n", true),
        ("n, 1, -1", "i >= 1", false),
        ("n, k, -1", "i >= k", true),
        ("1, n, k", "left > 0", false),
        (
            "-9223372036854775807, 9223372036854775807, 1",
            "i <= 9223372036854775807",
            true,
        ),
    ] {
        let program = read(&format!(
            "main subroutine f(in real x, in integer n, in integer k, out real y)
  local integer i
  y := 0.0
  for i = {range}
    y := y + x
  end
end
"
        ));
        let as_jumps = |checked: Checked| {
            let mut made = program.clone();
            let routine = &program.routines[0];
            made.routines[0] =
                flatten_as(&program, &Effects::summarise(&program), routine, checked);
            made.to_string()
        };
        let (plain, shown) = (as_jumps(Checked::No), as_jumps(Checked::Yes));
        assert!(!plain.contains("passes"), "{plain}");
        let tests: Vec<&str> = (shown.lines())
            .filter_map(|line| line.split_once(" BRANCH ")?.1.split_once(" ->"))
            .map(|(test, _)| test)
            .collect();
        let expected = match test {
            "left > 0" => tests
                .iter()
                .any(|t| t.starts_with("left") && t.ends_with(" > 0")),
            test => tests == [test],
        };
        assert!(expected, "{range}: {tests:?}\n{shown}");
        assert_eq!(
            shown.contains("passes"),
            is_counted_first,
            "{range}\n{shown}"
        );
    }
}

/// Tests and steps are known in each form in which they can be written, and others are not taken for them.
#[test]
fn forms_of_tests_and_steps() {
    let head = |first: &str, test: &str, next: &str| {
        let program = read(&format!(
            "main subroutine f(in real x, in integer n, in integer m, out real y)
  local integer i, j
  y := 0.0
  j := m
  i := {first}
  while {test}
    y := y + x
    i := {next}
  end
end
"
        ));
        let found = heads(&flat(&program));
        let [head] = &*found else {
            panic!("{found:?}\n{program}")
        };
        head.strip_prefix("for ").map(str::to_owned)
    };
    let up = Some("i = 1, n");
    let below = Some("i = 1, max(n, 1) - 1");
    let down = Some("i = 9, n, -1");
    let above = Some("i = 9, min(n, 9) + 1, -1");
    for (first, test, next, expected) in [
        ("1", "i <= n", "i + 1", up),
        ("1", "n >= i", "i + 1", up),
        ("1", "not i > n", "i + 1", up),
        ("1", "not n < i", "i + 1", up),
        ("1", "i < n", "i + 1", below),
        ("1", "n > i", "i + 1", below),
        ("1", "not i >= n", "i + 1", below),
        ("1", "not n <= i", "i + 1", below),
        ("9", "i >= n", "i - 1", down),
        ("9", "n <= i", "i - 1", down),
        ("9", "not i < n", "i - 1", down),
        ("9", "not n > i", "i - 1", down),
        ("9", "i > n", "i - 1", above),
        ("9", "n < i", "i - 1", above),
        ("9", "not i <= n", "i - 1", above),
        ("9", "not n >= i", "i - 1", above),
        ("1", "i <= n", "1 + i", up),
        ("1", "i <= n", "i - (-1)", up),
        ("1", "i <= n", "i + (-1)", None),
        ("9", "i >= n", "i + (-1)", down),
        ("9", "i >= n", "i + 1", None),
        ("1", "i <= n", "i + 3", Some("i = 1, n, 3")),
        // Not of the index, not by a constant, not an integer, not an order.
        ("1", "i <= n", "j + 1", None),
        ("1", "i <= n", "1 + j", None),
        ("1", "i <= n", "j - (-1)", None),
        ("1", "i <= n", "j + (-(-1))", None),
        ("1", "i <= n", "i + m", None),
        ("1", "i <= n", "i*2", None),
        ("1", "i <= n", "i + 0", None),
        ("1", "j <= n", "i + 1", None),
        ("1", "n <= j", "i + 1", None),
        ("1", "i != n", "i + 1", None),
        ("1", "not i == n", "i + 1", None),
        ("1", "i <= x", "i + 1", None),
        ("1", "not i > x", "i + 1", None),
        ("1", "not x < i", "i + 1", None),
    ] {
        let found = head(first, test, next);
        assert_eq!(found.as_deref(), expected, "{first}; {test}; {next}");
    }
}

/// If only jumps into its body enter a loop, the block that would set its counter is dropped: no edge leads there.
#[test]
fn loops_that_are_entered_by_jumps_alone() {
    for (entry, sets_index) in [("3", true), ("4", false)] {
        let program = read(&format!(
            "general main subroutine f(in integer n, inout integer i, inout real x)
    1 ENTRY -> 2
    2 BRANCH x > 0.0 -> {entry} [1], 4 [0]
    3 LOOP i = 1, n -> 4 [1], 8
    4 BASICBLOCK -> 5
          x := x*x
    5 BRANCH x > 2.0 -> 6 [1], 7 [0]
    6 ENDLOOP -> 3
    7 BASICBLOCK -> 8
          x := x + 1.0
    8 EXIT
end
"
        ));
        let made = flat(&program);
        let found = find_problems(&made).1;
        assert!(!found.has_errors(), "{found}\n{made}");
        let shown = made.to_string();
        assert_eq!(shown.contains(":= 1\n"), sets_index, "{shown}");
        for kept in ["x := x*x", "x := x + 1.0", "x > 2.0", "x > 0.0"] {
            assert!(shown.contains(kept), "{kept}\n{shown}");
        }
    }
}

/// Where a loop runs its index is not the integer at the edge, so that it can be a bound there, and only there.
#[test]
fn indices_of_loops_around_are_bounds() {
    for (first, inside, after) in [
        ("1", "for j = m, i - 1", "while j < i"),
        ("m", "while j < i", "while j < i"),
    ] {
        let program = read(&format!(
            "main subroutine f(in real x, in integer n, in integer m, out real y)
  local integer i, j
  y := 0.0
  i := {first}
  while i <= n
    j := m
    while j < i
      y := y + x
      j := j + 1
    end
    i := i + 1
  end
  j := m
  while j < i
    y := y*x
    j := j + 1
  end
end
"
        ));
        let outer = format!("for i = {first}, n");
        assert_eq!(heads(&flat(&program)), [outer.as_str(), inside, after]);
    }
}
