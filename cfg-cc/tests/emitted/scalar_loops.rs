//! Functions whose loops push and pop scalars alone: compilers are told to make no vectors of these.

use crate::interface::files_with;
use cfg_back::c;

/// The functions of a program with these lines that are marked, by role.
fn marked(lines: &str, loops: usize) -> Vec<String> {
    let program = format!(
        "main subroutine f(in integer n, in real a[2], in real w[n], inout real x, inout real y)
  local integer i
  local integer k
  independent a, w, x, y
  dependent x, y
  x := x*x
  y := y*y
{lines}
  x := x*x
  y := y*y
end

subroutine g(inout real x)
  x := x*x
end
"
    );
    let [made, _] = files_with(&program, c::Options::default());
    assert!(made.matches("for (").count() >= loops, "{made}");
    let heads = made.split("/* ").filter(|part| {
        let mut lines = part.lines();
        lines.next().is_some_and(|role| role.ends_with(" of f */"))
            && lines.any(|line| line.starts_with("CFGREV_SCALAR "))
    });
    heads
        .map(|part| part.split(" of").next().unwrap().to_owned())
        .collect()
}

#[test]
fn functions_that_are_marked() {
    let both = ["reverse", "forward"].map(str::to_owned);
    for (lines, is_marked) in [
        ("for i = 1, n\n x := x*y*a[1]\n y := y*x*a[2]\n end", true),
        (
            "for i = 1, n\n for k = 1, 2\n x := x*y\n y := y*x\n end\n end",
            true,
        ),
        // One value is alone on the tape.
        ("for i = 1, n\n x := x*x*a[1]\n y := y + a[2]\n end", false),
        // Integers have a stack of their own.
        (
            "k := 1\n for i = 1, n\n x := x*x*k\n k := mod(k*k, n) + 1\n end",
            false,
        ),
        // Elements that change from pass to pass.
        ("for i = 1, n\n x := x*y*w[i]\n y := y*x\n end", false),
        (
            "for i = 1, n\n x := x*y*a[1]\n y := y*x*sum(a)\n end",
            false,
        ),
        (
            "for i = 1, n\n x := x*y\n y := y*x\n call g(x)\n end",
            false,
        ),
        // Pushes in front of a loop and behind it.
        ("for i = 1, n\n y := y + a[1]\n end", false),
        ("if x > y\n x := x*y\n y := y*x\n end", false),
    ] {
        let expected: &[String] = if is_marked { &both } else { &[] };
        assert_eq!(marked(lines, usize::from(is_marked)), expected, "{lines}");
    }
}

/// The other options that a function is compiled with stay: older compilers forget them, others know none of this.
#[test]
fn the_mark_is_for_compilers_that_need_it() {
    let program = "main subroutine f(in integer n, inout real x, inout real y)
  local integer i
  independent x, y
  dependent x, y
  for i = 1, n
    x := x*y
    y := y*x
  end
end
";
    let [made, _] = files_with(program, c::Options::default());
    let expected = "\
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 12
#define CFGREV_SCALAR __attribute__((optimize(\"no-tree-slp-vectorize\")))
#else
#define CFGREV_SCALAR
#endif
";
    assert!(made.contains(expected), "{made}");
}

/// With checks, speed is of no concern.
#[test]
fn no_marks_with_checks() {
    let program = "main subroutine f(in integer n, inout real x, inout real y)
  local integer i
  independent x, y
  dependent x, y
  for i = 1, n
    call g(x, y)
  end
end

subroutine g(inout real x, inout real y)
  local integer i
  for i = 1, 2
    x := x*y
    y := y*x
  end
end
";
    for checks in [false, true] {
        let options = c::Options {
            checks,
            ..c::Options::default()
        };
        let [made, _] = files_with(program, options);
        let both = "\nCFGREV_SCALAR static CFGREV_HERE ";
        assert_eq!(made.contains(both), !checks, "{made}");
        for mark in ["CFGREV_SCALAR", "CFGREV_HERE"] {
            assert_eq!(made.contains(mark), !checks, "{made}");
        }
    }
}
