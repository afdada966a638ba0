//! Limits of what is written as C: what is just within them, and what is just beyond.

use cfg_back::c;
use cfg_core::validate::validate;
use cfg_format::text;
use cfg_testkit::flat;

/// A program in the text form as C.
fn emitted(source: &str) -> String {
    emitted_with(source, c::Options::default())
}

/// A program in the text form as C, with options.
fn emitted_with(source: &str, options: c::Options) -> String {
    let parsed = text::parse(source);
    let program = (parsed.program).unwrap_or_else(|| panic!("{}\n{source}", parsed.problems));
    let program = validate(program).unwrap_or_else(|d| panic!("{d}\n{source}"));
    c::program_with(&flat(&program), options).unwrap_or_else(|d| panic!("{d}\n{source}"))
}

/// Everything is checked.
fn checked() -> c::Options {
    c::Options {
        checks: true,
        ..c::Options::default()
    }
}

/// Checks that a text has some words.
fn has(text: &str, words: &str, expected: bool) {
    assert_eq!(text.contains(words), expected, "{words}\n{text}");
}

/// Powers with constant exponents up to 64 have functions of their own.
#[test]
fn powers_up_to_an_exponent_are_products() {
    for (exponent, call) in [
        ("64", "cfgrev_pow_64(x)"),
        ("65", "cfgrev_powi(x, 65)"),
        ("(-64)", "cfgrev_pow_m64(x)"),
        ("(-65)", "cfgrev_powi(x, -65)"),
    ] {
        let source =
            format!("main subroutine f(in real x, out real y)\n  y := x**{exponent}\nend\n");
        has(&emitted(&source), &format!("*y = {call};"), true);
    }
}

/// What has up to 16 characters is written twice for its square.
#[test]
fn short_operands_are_written_twice() {
    for (length, square) in [(16, "NAME * NAME"), (17, "cfgrev_pow_2(NAME)")] {
        let name = "x".repeat(length);
        let source =
            format!("main subroutine f(in real {name}, out real y)\n  y := {name}**2\nend\n");
        let line = format!("*y = {};", square.replace("NAME", &name));
        has(&emitted(&source), &line, true);
    }
}

/// Up to 100 loops and branches in one another are blocks, also those of a general graph; deeper ones are jumps.
#[test]
fn blocks_nest_up_to_a_limit() {
    for (depth, jumps) in [(100, false), (101, true)] {
        let (open, close) = ("if x > 1.0\n".repeat(depth), "end\n".repeat(depth));
        for control in ["", "general "] {
            let source =
                format!("main {control}subroutine f(inout real x)\n{open}x := 2.0*x\n{close}end\n");
            has(&emitted(&source), "goto", jumps);
        }
    }
}

/// Up to 8 operands of a minimum are compared one after the other; of more than these halves are, with checks and without.
#[test]
fn operands_of_a_minimum_are_compared_in_order_up_to_a_number() {
    for (count, halves) in [(8, false), (9, true)] {
        let operands: Vec<String> = (1..=count).map(|k| format!("x[{k}]")).collect();
        let source = format!(
            "main subroutine f(in real x[9], out real y)\n  y := min({})\nend\n",
            operands.join(", ")
        );
        for options in [c::Options::default(), checked()] {
            has(&emitted_with(&source, options), "(x[2], x[3])", halves);
        }
    }
}

/// Bounds of sections are written as they are if they have up to two levels; deeper ones are in a variable.
#[test]
fn short_bounds_are_written_as_they_are() {
    for (first, kept) in [("n - 1", false), ("n - 1 - n", true)] {
        let source = format!(
            "main subroutine f(in real x[:], inout real y[:], in integer n)\n  y[{first}:] := x[{first}:]\nend\n"
        );
        has(&emitted(&source), &format!(" at = {first};"), kept);
    }
}

/// Steps of sections that are below 2^16 are written as they are with checks; others are in a variable.
#[test]
fn small_steps_are_written_as_they_are() {
    for (step, kept) in [(65_535, false), (65_536, true)] {
        let source = format!(
            "main subroutine f(in real x[:], inout real y[:], in integer n)\n  y[1:n:{step}] := x[1:n:{step}]\nend\n"
        );
        let text = emitted_with(&source, checked());
        has(&text, &format!("y[k*{step}]"), !kept);
        has(&text, "y[k*by]", kept);
    }
}

/// Up to two subscripts are computed before any is checked; of more than these each is checked before the next.
#[test]
fn subscripts_are_computed_before_checks_up_to_a_number() {
    for (rank, each) in [(2, false), (3, true)] {
        let (extents, subscripts) = (vec!["3"; rank].join(", "), vec!["sum(n)"; rank].join(", "));
        let source = format!(
            "main subroutine f(in real x[{extents}], out real y, in integer n[:])\n  y := x[{subscripts}]\nend\n"
        );
        let text = emitted_with(&source, checked());
        has(&text, " value = cfgrev_index(", each);
    }
}

/// Places in sources are named up to the greatest line that C has.
#[test]
fn lines_of_sources_are_named_up_to_a_limit() {
    let options = c::Options {
        lines: true,
        ..c::Options::default()
    };
    for (line, named) in [(2_147_483_647_u32, true), (2_147_483_648, false)] {
        let source = format!(
            "source \"a.c\"\n\nmain subroutine f(in real x, out real y)\n  local real z\n  z := 2.0*x @[0:1:1-1:5]\n  y := sin(z)*z @[0:{line}:1-{line}:5]\nend\n"
        );
        let text = emitted_with(&source, options);
        has(&text, "#line 1 \"a.c\"", true);
        has(&text, &format!("#line {line} \"a.c\""), named);
    }
}

/// Variables hold up to 16 elements of an array that a loop assigns.
#[test]
fn elements_are_held_up_to_a_number() {
    for (count, held) in [(16, true), (17, false)] {
        let body: String = (1..=count)
            .map(|k| format!("    x[{k}] := x[{k}]*1.5\n"))
            .collect();
        let source = format!(
            "main subroutine f(inout real x[40], in integer n)\n  local integer i\n  for i = 1, n\n{body}  end\nend\n"
        );
        has(&emitted(&source), "double x_1 = x[0];", held);
    }
}

/// Local arrays of up to 4096 bytes lie on the stack.
#[test]
fn small_arrays_lie_on_the_stack() {
    for (size, small) in [(4096, true), (4097, false)] {
        let source = format!(
            "main subroutine f(in real x, out real y)\n  local logical a[{size}]\n  a[1] := true\n  y := x\n  if a[1]\n    y := 2.0\n  end\nend\n"
        );
        let text = emitted(&source);
        has(&text, &format!("bool a[{size}] = {{false}};"), small);
        has(&text, "bool *const a = cfgrev_allocate(", !small);
    }
}

/// Arrays lie on the stack as long as those before them have no more than four times the size of the largest.
#[test]
fn arrays_on_the_stack_have_so_many_bytes() {
    for (first, small) in [("", true), ("  local logical a[1]\n", false)] {
        let source = format!(
            "main subroutine f(in real x, out real y)\n{first}  local real b[512]\n  local real c[512]\n  local real d[512]\n  local real e[512]\n  local logical g[1]\n  b[1] := x\n  c[1] := x\n  d[1] := x\n  e[1] := x\n  g[1] := x > 1.0\n  y := b[1] + c[1] + d[1] + e[1]\n  if g[1]\n    y := 2.0\n  end\nend\n"
        );
        let text = emitted(&source);
        has(&text, "double e[512] = {0.0};", true);
        has(&text, "bool g[1] = {false};", small);
        has(&text, "bool *const g = cfgrev_allocate(", !small);
    }
}

/// Results of up to 1024 bytes lie on the stack of the caller.
#[test]
fn small_results_lie_on_the_stack() {
    for (size, small) in [(128, true), (129, false)] {
        let source = format!(
            "function g(in real x) result real r[{size}]\n  r := x\nend\nmain subroutine f(in real x, out real y)\n  local real b[200]\n  b[1:{size}] := call g(x)\n  y := b[1]\nend\n"
        );
        let text = emitted(&source);
        has(&text, &format!("double returned[{size}] = {{0.0}};"), small);
        has(&text, "double *const returned = cfgrev_allocate(", !small);
    }
}

/// A routine without a body of which only the derivatives are given is one that another file has.
#[test]
fn routines_that_only_have_given_derivatives_are_of_another_file() {
    let text = emitted(
        "external subroutine e(in real u, inout real w)
  adjoint e_b
end
subroutine e_b(in real u, in real w, inout real u_b, inout real w_b)
  u_b := u_b + w*w_b
  w_b := w_b*u
end
main subroutine f(inout real x[2])
  call e(x[1], x[2])
end
",
    );
    has(&text, "extern void e(double, double *);", true);
}
