//! Sweeps that are compiled into their callers.

use crate::interface::files_with;
use cfg_back::c;

/// The generated functions that are marked, as `forward of g`, of a program with these lines in a routine `f` that
/// calls others.
fn marked(lines: &str, others: &str) -> Vec<String> {
    let program = format!(
        "main subroutine f(in integer n, inout real x)
  local integer i
  independent x
  dependent x
{lines}
end

{others}
"
    );
    let [made, _] = files_with(&program, c::Options::default());
    let parts = made.split("/* ").filter(|part| {
        let head = part.lines().nth(1);
        head.is_some_and(|line| line.starts_with("static CFGREV_HERE "))
    });
    let name = |part: &str| part.split(" */").next().unwrap().to_owned();
    parts.map(name).collect()
}

/// A routine that calls another one, and that one with so many statements.
fn nested(statements: usize) -> String {
    format!(
        "subroutine g(inout real x)\n call h(x)\n x := x*x\nend\n\nsubroutine h(inout real x)\n{}end\n",
        " x := sin(x)\n".repeat(statements)
    )
}

const LOOP: &str = "for i = 1, n\n call g(x)\n end";

#[test]
fn small_sweeps_that_loops_call() {
    let all = [
        "reverse of h",
        "reverse of g",
        "forward of h",
        "forward of g",
    ];
    let mut found = marked(LOOP, &nested(2));
    found.sort();
    let mut expected = all.map(str::to_owned);
    expected.sort();
    assert_eq!(found, expected);
}

#[test]
fn no_other_functions() {
    let none: Vec<String> = Vec::new();
    // Called once.
    assert_eq!(marked("call g(x)", &nested(2)), none);
    // Large, or with large ones inside.
    assert_eq!(marked(LOOP, &nested(400)), none);
    let calling_itself =
        "subroutine g(inout real x)\n if x > 1.0\n x := x*x*0.5\n call g(x)\n end\nend\n";
    assert_eq!(marked(LOOP, calling_itself), none);
    let each_other = "subroutine g(inout real x)\n if x > 1.0\n call h(x)\n end\nend\n
subroutine h(inout real x)\n x := x*x*0.5\n call g(x)\nend\n";
    assert_eq!(marked(LOOP, each_other), none);
    let many = "for i = 1, n\n call g(x)\n call g(x)\n call g(x)\n call g(x)\n end";
    assert_eq!(marked(many, &nested(2)), none);
}

/// A routine around others that call each other is as large as they may become.
#[test]
fn functions_around_recursion_are_no_smaller() {
    let around = "subroutine g(inout real x)\n call h(x)\n x := x*x\nend\n
subroutine h(inout real x)\n if x > 1.0\n x := x*x*0.5\n call k(x)\n end\nend\n
subroutine k(inout real x)\n call h(x)\nend\n";
    assert_eq!(marked(LOOP, around), Vec::<String>::new());
}

/// The stack has room for many levels of a function that calls itself, not for locals of its callees, too.
#[test]
fn functions_that_recursion_calls_stay_outside() {
    let around = "subroutine g(in integer n, inout real x)\n local integer i\n for i = 1, n\n call h(x)\n end
 if x > 1.0\n x := x*0.5\n call g(n, x)\n end\nend\n
subroutine h(inout real x)\n x := x*x*0.5\nend\n";
    assert_eq!(marked("call g(n, x)", around), Vec::<String>::new());
}

/// Originals and functions for other files keep their form.
#[test]
fn functions_for_others_are_not_marked() {
    let [made, _] = files_with(
        "main subroutine f(in integer n, inout real x)
  local integer i
  independent x
  dependent x
  for i = 1, n
    call g(x)
  end
end

subroutine g(inout real x)
  x := x*x
end
",
        c::Options::default(),
    );
    for line in made.lines().filter(|line| line.contains("CFGREV_HERE ")) {
        let is_sweep = line.contains("g_fwd") || line.contains("g_rev");
        assert!(
            line.starts_with("#define") || line.starts_with("static ") && is_sweep,
            "{line}"
        );
    }
    assert!(made.contains("static CFGREV_HERE "), "{made}");
    let expected = "\
#if defined(__GNUC__) && defined(__OPTIMIZE__)
#define CFGREV_HERE inline __attribute__((always_inline))
#else
#define CFGREV_HERE
#endif
";
    assert!(made.contains(expected), "{made}");
}
