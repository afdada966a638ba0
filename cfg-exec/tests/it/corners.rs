//! Corners that programs rarely come to: integers without a value, empty reductions, copies of sections that overlap, frames of nested calls.

use cfg_core::{elemental::Scalar, text, validate::validate};
use cfg_exec::{Argument, CompileOptions, Compiled, RunOptions, Session};

/// Runs `f`, the first routine; what its arguments hold then, or the code of the error, and the number of steps.
fn run(source: &str, arguments: &[Argument], trace: bool) -> (Result<Vec<Argument>, String>, u64) {
    let parsed = text::parse(source);
    let program = (parsed.program).unwrap_or_else(|| panic!("{}\n{source}", parsed.problems));
    let program = validate(program).unwrap_or_else(|d| panic!("{d}\n{source}"));
    let options = CompileOptions {
        trace,
        ..CompileOptions::default()
    };
    let compiled = Compiled::new(&program, &options).unwrap_or_else(|d| panic!("{d}"));
    let mut arguments = arguments.to_vec();
    let main = program.main.expect("one is marked");
    match Session::new(&compiled).run(main, &mut arguments, &RunOptions::default()) {
        Ok(report) => (Ok(arguments), report.steps),
        Err(problem) => (Err(problem.code.to_owned()), 0),
    }
}

fn code(source: &str, arguments: &[Argument]) -> String {
    match run(source, arguments, false).0 {
        Ok(_) => "runs".to_owned(),
        Err(code) => code,
    }
}

/// The last argument afterwards.
fn last(source: &str, arguments: &[Argument]) -> Option<Scalar> {
    let found = run(source, arguments, false).0;
    let found = found.unwrap_or_else(|code| panic!("{code}\n{source}"));
    found.last()?.value()?.get(0)
}

/// An operand without a value leaves the result without one, on either side, and then nothing can be decided by it.
#[test]
fn integers_without_a_value_decide_nothing() {
    for operation in [
        "u + n",
        "n + u",
        "u - n",
        "n - u",
        "u*n",
        "n*u",
        "u + 1",
        "1 - u",
        "-u",
        "max(u, n)",
        "max(n, u)",
        "min(n, u)",
        "abs(u)",
        "u +% n",
        "n -% u",
        "u *% n",
        "bitand(n, u)",
        "bitor(u, n)",
        "u + u",
        "if(n > 0, u, n)",
    ] {
        let source = format!(
            "main subroutine f(in integer n, out real y)
  local integer u
  local integer k
  if n > 5
    u := 1
  end
  k := {operation}
  y := 1.0
  if k > 3
    y := 2.0
  end
end
"
        );
        let with = |n: i64| [Argument::from(n), Argument::from(0.0)];
        assert_eq!(code(&source, &with(2)), "X202", "{operation}");
        assert_eq!(code(&source, &with(9)), "runs", "{operation}");
    }
}

#[test]
fn reductions_of_nothing() {
    for (ty, reduction, expected) in [
        ("integer", "maxval", Scalar::Integer(i64::MIN)),
        ("integer", "minval", Scalar::Integer(i64::MAX)),
        ("integer", "sum", Scalar::Integer(0)),
        ("integer", "product", Scalar::Integer(1)),
        ("real", "maxval", Scalar::Real(f64::NEG_INFINITY)),
        ("real", "minval", Scalar::Real(f64::INFINITY)),
        ("real", "sum", Scalar::Real(0.0)),
        ("real", "product", Scalar::Real(1.0)),
    ] {
        let source = format!(
            "main subroutine f(in integer n, out {ty} y)
  local {ty} a[3]
  a := {}
  y := {reduction}(a[1:n])
end
",
            if ty == "real" { "2.0" } else { "2" }
        );
        let y = if ty == "real" {
            Argument::from(0.0)
        } else {
            Argument::from(0i64)
        };
        let found = last(&source, &[Argument::from(0i64), y]);
        assert_eq!(found, Some(expected), "{ty} {reduction}");
    }
}

/// A real is converted to an integer of any width, and is in range or not; one without a value gives none.
#[test]
fn reals_become_integers_of_any_width() {
    let source = |conversion: &str| {
        format!(
            "main subroutine f(in real x, out integer k)
  local real u
  if x > 1000.0
    u := x
  end
  k := int({conversion})
  if k > 5
    k := k + 0
  end
end
"
        )
    };
    let with = |x: f64| [Argument::from(x), Argument::from(0i64)];
    assert_eq!(
        last(&source("int8(x)"), &with(-3.9)),
        Some(Scalar::Integer(-3))
    );
    assert_eq!(code(&source("int8(x)"), &with(200.0)), "X205");
    assert_eq!(
        last(&source("saturate_int8(x)"), &with(200.0)),
        Some(Scalar::Integer(127))
    );
    assert_eq!(code(&source("int16(u)"), &with(3.0)), "X202");
    assert_eq!(
        last(&source("int16(u)"), &with(2000.5)),
        Some(Scalar::Integer(2000))
    );
}

/// A section with gaps is bound to an array without by a copy: whether it overlaps another argument is told by its cells.
#[test]
fn copies_of_sections_overlap_by_their_cells() {
    let source = |section: &str, element: &str| {
        format!(
            "subroutine g(inout real a[2], inout real b)
  a[1] := a[2]*b
  b := b + a[1]
end

main subroutine f(inout real x[6], in integer k)
  call g(x[{section}], x[{element}])
end
"
        )
    };
    let with = |k: i64| {
        [
            Argument::from(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0][..]),
            Argument::from(k),
        ]
    };
    for (section, element, k, expected) in [
        ("1:3:2", "k", 2, "runs"),
        ("1:3:2", "k", 3, "X214"),
        ("1:3:2", "k", 1, "X214"),
        ("6:3:-3", "k", 5, "runs"),
        ("6:3:-3", "k", 3, "X214"),
        ("k:k + 1", "3", 3, "X214"),
        ("k:k + 1", "3", 4, "runs"),
    ] {
        assert_eq!(
            code(&source(section, element), &with(k)),
            expected,
            "{section} {element} {k}"
        );
    }
}

/// Each activation has cells of its own, which calls leave as they are.
#[test]
fn calls_keep_the_arrays_of_their_callers() {
    let source = "subroutine g(in integer depth, inout real sum)
  local real a[4]
  local integer i
  local integer k[3]
  for i = 1, 4
    a[i] := real(10*depth + i)
  end
  k := depth
  if depth > 0
    call g(depth - 1, sum)
    call g(depth - 1, sum)
  end
  for i = 1, 4
    sum := sum + a[i]*real(k[2])
  end
end

main subroutine f(in integer n, out real y)
  y := 0.0
  call g(n, y)
end
";
    fn expected(depth: i64) -> f64 {
        let below = if depth > 0 {
            2.0 * expected(depth - 1)
        } else {
            0.0
        };
        below + (40 * depth + 10) as f64 * depth as f64
    }
    for n in 0..7 {
        let found = last(source, &[Argument::from(n), Argument::from(0.0)]);
        assert_eq!(found, Some(Scalar::Real(expected(n))), "{n}");
    }
}

/// A parameter may have some extents of its own and take the others from its argument.
#[test]
fn extents_that_are_declared_and_extents_that_are_taken() {
    let source = |shape: &str, actual: &str| {
        format!(
            "subroutine g(in real a[{shape}], in integer n, inout real y)
  y := sum(a) + real(size(a, 1)*10 + size(a, 2))
end

main subroutine f(in integer n, out real y)
  local real m[{actual}]
  m := 0.5
  y := 0.0
  call g(m, n, y)
end
"
        )
    };
    let with = |n: i64| [Argument::from(n), Argument::from(0.0)];
    for (shape, actual, n, expected) in [
        (":, 3", "2, 3", 1, Some(26.0)),
        (":, 3", "2, 4", 1, None),
        ("2, :", "2, 3", 1, Some(26.0)),
        ("2, :", "3, 3", 1, None),
        (":, n", "4, 2", 2, Some(46.0)),
        (":, n", "4, 2", 3, None),
        ("n, :", "3, 1", 3, Some(32.5)),
        ("n, :", "3, 1", 2, None),
    ] {
        let source = source(shape, actual);
        match expected {
            Some(y) => assert_eq!(
                last(&source, &with(n)),
                Some(Scalar::Real(y)),
                "{shape} {actual}"
            ),
            None => assert_ne!(code(&source, &with(n)), "runs", "{shape} {actual}"),
        }
    }
}

/// To be traced takes no steps.
#[test]
fn steps_are_those_of_the_program() {
    let source = "main subroutine f(in integer n, out real y)
  local integer i
  y := 0.0
  for i = 1, n
    if y < 3.0
      y := y + 1.0
    end
  end
end
";
    let arguments = [Argument::from(9i64), Argument::from(0.0)];
    let [plain, traced] = [false, true].map(|trace| run(source, &arguments, trace));
    assert!(plain.0.is_ok() && plain.1 > 9);
    assert_eq!(plain.1, traced.1);
}
