//! Limits of what is written as C: what is just within them, and what is just beyond.

use cfg_back::c;
use cfg_core::{text, validate::validate};

/// A program in the text form as C.
fn emitted(source: &str) -> String {
    let parsed = text::parse(source);
    let program = (parsed.program).unwrap_or_else(|| panic!("{}\n{source}", parsed.problems));
    let program = validate(program).unwrap_or_else(|d| panic!("{d}\n{source}"));
    c::program(&program).unwrap_or_else(|d| panic!("{d}\n{source}"))
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

/// Up to 100 loops and branches in one another are blocks; deeper ones are jumps.
#[test]
fn blocks_nest_up_to_a_limit() {
    for (depth, jumps) in [(100, false), (101, true)] {
        let (open, close) = ("if x > 1.0\n".repeat(depth), "end\n".repeat(depth));
        let source = format!("main subroutine f(inout real x)\n{open}x := 2.0*x\n{close}end\n");
        has(&emitted(&source), "goto", jumps);
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
