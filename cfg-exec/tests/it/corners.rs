//! Corners that programs rarely come to: integers without a value, empty reductions, copies of sections that overlap, frames of nested calls.

use cfg_core::{elemental::Scalar, entity::GlobalId, ir::Order};
use cfg_exec::{Argument, CompileOptions, Compiled, RunOptions, Session, Value};
use cfg_testkit::flat;

use crate::common::{fault, parsed};

/// Runs `f`, the first routine; returns its arguments after the run or the code of the error, and the number of
/// steps.
fn run(source: &str, arguments: &[Argument], trace: bool) -> (Result<Vec<Argument>, String>, u64) {
    let program = parsed(source);
    let options = CompileOptions {
        trace,
        ..CompileOptions::default()
    };
    let compiled = Compiled::new(&flat(&program), &options).unwrap_or_else(|d| panic!("{d}"));
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

/// A decision by the operation is an error with the first argument, where an operand has no value, and none with the
/// second.
fn needs_a_value(source: &str, operation: &str, [without, with]: [Argument; 2]) {
    let found = [without, with].map(|first| code(source, &[first, Argument::from(0.0)]));
    assert_eq!(found, ["X202", "runs"], "{operation}");
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
        needs_a_value(&source, operation, [2i64, 9].map(Argument::from));
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

/// Tracing takes no steps.
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

/// Increments of elements, alone and in loops over arrays, for all types of elements.
#[test]
fn increments_of_every_type() {
    for (ty, one) in [
        ("real", "1.0"),
        ("real32", "1.0f"),
        ("integer", "1"),
        ("int8", "int8(1)"),
        ("int32", "int32(1)"),
        ("uint8", "uint8(1)"),
        ("uint64", "uint64(1)"),
    ] {
        for (statement, ones) in [
            ("a[2] := a[2] + b[2]", 7),
            ("a[2] := b[2] + a[2]", 7),
            ("a[2] := a[2] - b[2]", 3),
            ("a := a + b", 7),
            ("a := b + a", 7),
            ("a := a - b", 3),
            ("a[1:3] := a[1:3] + b[1:3]", 7),
            ("a[1:3] := a[1:3] - b[1:3]", 3),
            ("a[2:2] := b[1:1] + a[2:2]", 7),
            ("a := a + b[2]", 7),
            ("a := a - b[2]", 3),
            ("m[2, 1] := m[2, 1] + b[2]\n  a[2] := m[2, 1]", 7),
            ("m[2, 1] := m[2, 1] - b[2]\n  a[2] := m[2, 1]", 3),
            ("m[1:2, 1] := m[1:2, 1] + b[1:2]\n  a[2] := m[2, 1]", 7),
            ("m := m - b[2]\n  a[2] := m[2, 1]", 3),
            ("s := s + b[2]\n  a[2] := s", 7),
            ("s := b[2] + s\n  a[2] := s", 7),
            ("s := s - b[2]\n  a[2] := s", 3),
        ] {
            let sum = |ones: usize| [one].repeat(ones).join(" + ");
            let source = format!(
                "main subroutine f(out real y)
  local {ty} a[3]
  local {ty} b[3]
  local {ty} m[2, 2]
  local {ty} s
  a := {five}
  b := {two}
  m := a[1]
  s := a[1]
  {statement}
  y := if(a[2] == {expected}, 1.0, 0.0)
end
",
                five = sum(5),
                two = sum(2),
                expected = sum(ones),
            );
            let y = last(&source, &[Argument::from(0.0)]);
            assert_eq!(y, Some(Scalar::Real(1.0)), "{source}");
        }
    }
}

/// Loops that are counted in registers, and deeper ones, whose first values, steps and numbers of passes all differ.
#[test]
fn loops_in_loops_have_their_own_steps() {
    for depth in 1..=18 {
        let mut body = String::new();
        for k in 1..=depth {
            let (first, last, step) = match k % 3 {
                0 => (3 * k, 3 * k - 4, -4),
                1 => (k, k + 5, 5),
                _ => (2 * k, 2 * k, 7),
            };
            body += &format!("for i{k} = {first}, {last}, {step}\n");
        }
        body += "n := n + 1\n";
        for k in 1..=depth {
            body += &format!("y := y + real({k}*i{k})\n");
        }
        body += &"end\n".repeat(depth);
        let indices: String = (1..=depth)
            .map(|k| format!("local integer i{k}\n"))
            .collect();
        let source = format!(
            "main subroutine f(out integer n, out real y)\n{indices}n := 0\ny := 0.0\n{body}end\n"
        );
        // Two passes of two loops in three, one of the others.
        let passes: i64 = (1..=depth)
            .map(|k| if k % 3 == 2 { 1 } else { 2 })
            .product();
        let each: i64 = (1..=depth as i64)
            .map(|k| match k % 3 {
                0 => k * (3 * k + 3 * k - 4) * passes / 2,
                1 => k * (k + k + 5) * passes / 2,
                _ => k * 2 * k * passes,
            })
            .sum();
        let arguments = [Argument::from(0i64), Argument::from(0.0)];
        let found = run(&source, &arguments, false).0.expect("it runs");
        let values: Vec<_> = (found.iter())
            .map(|a| a.value().and_then(|v| v.get(0)))
            .collect();
        let expected = [Scalar::Integer(passes), Scalar::Real(each as f64)];
        assert_eq!(values, expected.map(Some), "{depth}");
    }
}

/// A real operand without a value leaves every result without one, on either side.
#[test]
fn reals_without_a_value_decide_nothing() {
    for operation in [
        "u + x",
        "x + u",
        "u - x",
        "x - u",
        "u*x",
        "x*u",
        "u/x",
        "x/u",
        "u + 1.0",
        "1.0 - u",
        "2.0*u",
        "u/2.0",
        "-u",
        "abs(u)",
        "sqrt(u)",
        "u**x",
        "x**u",
        "u**2",
        "u**k",
        "x**j",
        "atan2(u, x)",
        "atan2(x, u)",
        "hypot(u, x)",
        "hypot(x, u)",
        "max(u, x)",
        "max(x, u)",
        "min(u, x)",
        "sign(u, x)",
        "sign(x, u)",
        "mod(u, x)",
        "mod(x, u)",
        "polygamma(k, u)",
        "polygamma(j, x)",
        "real(j)",
        "if(x > 0.0, u, x)",
        "sin(u)",
        "exp(u)",
        "u*u",
    ] {
        let source = format!(
            "main subroutine f(in real x, out real y)
  local real u
  local integer k
  local integer j
  k := 2
  if x > 5.0
    u := 1.0
    j := 1
  end
  y := 1.0
  if {operation} > 3.0
    y := 2.0
  end
end
"
        );
        needs_a_value(&source, operation, [2.0, 9.0].map(Argument::from));
    }
}

/// Reductions of arrays of all types of numbers, of either sign.
#[test]
fn reductions_of_every_type() {
    for ty in ["integer", "int8", "int32", "real", "real32"] {
        for (numbers, results) in [
            ([3, -2, 4], [5.0, -24.0, 4.0, -2.0]),
            ([-3, -2, -4], [-9.0, -24.0, -2.0, -4.0]),
            ([3, 2, 4], [9.0, 24.0, 4.0, 2.0]),
        ] {
            let names = ["sum", "product", "maxval", "minval"];
            for (reduction, expected) in names.into_iter().zip(results) {
                let elements = (1..).zip(numbers).map(|(k, n)| match ty {
                    "integer" => format!("  v[{k}] := {n}\n"),
                    "real" => format!("  v[{k}] := {n}.0\n"),
                    "real32" => format!("  v[{k}] := {n}.0f\n"),
                    _ => format!("  v[{k}] := {ty}({n})\n"),
                });
                let elements: String = elements.collect();
                let value = match ty {
                    "real" => format!("{reduction}(v)"),
                    _ => format!("real({reduction}(v))"),
                };
                let source = format!(
                    "main subroutine f(inout real y)
  local {ty} v[3]
{elements}  y := {value}
end
"
                );
                let found = last(&source, &[Argument::from(0.0)]);
                assert_eq!(
                    found,
                    Some(Scalar::Real(expected)),
                    "{ty} {reduction} {numbers:?}"
                );
            }
        }
    }
}

/// Arrays of any rank are gone through along all axes, in either order.
#[test]
fn arrays_of_rank_three_and_four() {
    for (shape, order, element) in [
        ("2, 3, 4", "", "a[2, 1, 3]"),
        ("2, 3, 4", " column", "a[2, 1, 3]"),
        ("2, 2, 3, 2", "", "a[2, 1, 3, 2]"),
        ("2, 2, 3, 2", " column", "a[2, 1, 3, 2]"),
    ] {
        let all = vec![":"; shape.split(',').count()].join(", ");
        let source = format!(
            "main subroutine f(inout real y)
  local real a[{shape}]{order}, b[{shape}]{order}
  a := 1.0
  {element} := 7.0
  b := 2.0*a
  b := b + a
  a[{all}] := b - 1.0
  a := a + 0.5
  y := {element}*1000.0 + sum(a)
end
"
        );
        // Every element is 2.5, but for one, which is 20.5.
        let cells: f64 = shape
            .split(", ")
            .map(|n| n.parse::<f64>().expect("a number"))
            .product();
        let expected = 20500.0 + 2.5 * (cells - 1.0) + 20.5;
        assert_eq!(
            last(&source, &[Argument::from(0.0)]),
            Some(Scalar::Real(expected)),
            "{shape}{order}"
        );
    }
}

/// All globals together have a number of cells that can be addressed.
#[test]
fn globals_have_a_most_of_cells() {
    let half = 1i64 << 30;
    for (second, fits) in [(half, true), (half + 1, false)] {
        let source = format!(
            "global real a[{half}]
global real b[{second}]
main subroutine f(inout real y)
  uses a
  uses b
  y := y
end
"
        );
        let program = parsed(&source);
        let found = Compiled::new(&flat(&program), &CompileOptions::default());
        assert_eq!(found.is_ok(), fits, "{second}");
    }
}

/// A counted loop takes its index from where it lies: the body may have assigned it, in a graph of jumps or under another name.
#[test]
fn an_index_that_the_body_assigns_is_incremented() {
    // With so many loops around the last ones have their states in the frame.
    for depth in [0, 20] {
        let indices: Vec<String> = (0..depth).map(|k| format!("i{k}")).collect();
        let (declared, heads): (String, String) = (
            indices.iter().map(|i| format!(", {i}")).collect(),
            indices
                .iter()
                .map(|i| format!("  for {i} = 1, 1\n"))
                .collect(),
        );
        let ends = "  end\n".repeat(depth);
        for (what, call) in [("in a register", ""), ("in the frame", "  call same(j)\n")] {
            let source = format!(
                "general main subroutine f(inout real y)
  local integer j{declared}
{heads}  for j = 1, 4
    y := y*2.0
    j := j + 1
  end
{ends}{call}  y := y*1000.0 + j
end
subroutine same(inout integer b)
  b := b
end
"
            );
            // Four passes, and twice four steps from 1.
            let found = last(&source, &[Argument::from(1.0)]);
            assert_eq!(found, Some(Scalar::Real(16009.0)), "{what}, {depth}");
        }
        let aliased = format!(
            "main subroutine f(inout real y)
  local integer i
  i := 1
  call p(i, i, y)
  y := y*1000.0 + i
end
aliased subroutine p(inout integer m, inout integer k, inout real y)
  local integer unused{declared}
{heads}  for m = 1, 4
    y := y + m
    k := k + 1
  end
{ends}end
"
        );
        // The index is 1, 3, 5 and 7 in the passes.
        let found = last(&aliased, &[Argument::from(0.0)]);
        assert_eq!(found, Some(Scalar::Real(16009.0)), "{depth}");
        let global = format!(
            "global integer g
main subroutine f(inout real y)
  uses g
  g := 1
  call p(g, y)
  y := y*1000.0 + g
end
aliased subroutine p(inout integer m, inout real y)
  local integer unused{declared}
{heads}  for m = 1, 4
    y := y + m
    call q()
  end
{ends}end
subroutine q()
  uses g
  g := g + 1
end
"
        );
        let found = last(&global, &[Argument::from(0.0)]);
        assert_eq!(found, Some(Scalar::Real(16009.0)), "{depth}");
    }
}

/// The problem for which a program cannot be compiled, if there is one.
fn refusal(source: &str) -> Option<String> {
    let program = parsed(source);
    let compiled = Compiled::new(&flat(&program), &CompileOptions::default());
    compiled.err().map(|d| d.to_string())
}

/// Globals of 2^31 cells together are compiled, and no larger ones.
#[test]
fn globals_have_so_many_cells() {
    for (globals, fits) in [
        ("global real a[2147483648]\n", true),
        ("global real a[2147483649]\n", false),
        ("global real a[2147483647]\nglobal integer b\n", true),
        ("global real a[2147483647]\nglobal integer b[2]\n", false),
    ] {
        let found = refusal(&format!(
            "{globals}\nmain subroutine f(out real y)\n  y := 1.0\nend\n"
        ));
        assert_eq!(found.is_none(), fits, "{globals}{found:?}");
        if let Some(problem) = found {
            assert!(problem.contains("more than 16 GiB"), "{problem}");
        }
    }
}

/// Shapes of parameters ask about parameters behind them in chains of a length, and no longer ones.
#[test]
fn chains_of_shapes_have_a_bound() {
    for (length, fits) in [(64, true), (65, false)] {
        let parameters: String = (1..length)
            .map(|k| format!("in real a{k}[size(a{})], ", k + 1))
            .collect();
        let found = refusal(&format!(
            "main subroutine f({parameters}in real a{length}[3], out real y)\n  y := sum(a1)\nend\n"
        ));
        assert_eq!(found.is_none(), fits, "{length}: {found:?}");
        if let Some(problem) = found {
            assert!(problem.contains("a chain of more than 64"), "{problem}");
        }
    }
}

/// Shapes that are computed without a run ask about others in chains of a length, and a number of times.
#[test]
fn shapes_that_are_asked_for_have_bounds() {
    let first_shape = |parameters: &str| {
        let program = parsed(&format!("main subroutine f({parameters})\nend\n"));
        let compiled = Compiled::new(&flat(&program), &CompileOptions::default());
        let session = Session::new(&compiled.unwrap_or_else(|d| panic!("{d}")));
        let main = program.main.expect("one is marked");
        let all = &program.routine(main).parameters;
        let absent = vec![Argument::Absent; all.len()];
        session.shape_of_parameter(main, all[0], &absent).ok()
    };
    for (length, shape) in [(16, Some(vec![3])), (17, None)] {
        let chain: String = (0..length)
            .map(|k| format!("inout real a{k}[size(a{})], ", k + 1))
            .collect();
        let found = first_shape(&format!("{chain}inout real a{length}[3]"));
        assert_eq!(found, shape, "{length}");
    }
    let sizes = |array: &str, times: usize| vec![format!("size({array})"); times].join(" + ");
    // The sizes are 40 of `a1`, each with 49 of `a2`, each with 50 of `a3`.
    for (one_more, shape) in [("", Some(vec![98_000])), (" + size(a3)", None)] {
        let found = first_shape(&format!(
            "inout real a0[{}{one_more}], inout real a1[{}], inout real a2[{}], inout real a3[1]",
            sizes("a1", 40),
            sizes("a2", 49),
            sizes("a3", 50)
        ));
        assert_eq!(found, shape, "{one_more}");
    }
}

/// An opaque statement is not executed, but what it writes must be there.
#[test]
fn opaque_statements_write_what_is_there() {
    let source = |accesses: &str| {
        format!(
            "main subroutine f(inout real x, optional inout real z, optional inout real w[2])
  opaque \"log\" {accesses}
  x := x + 1.0
end
"
        )
    };
    for (accesses, expected) in [
        ("writes z", Some("X213")),
        ("writes w", Some("X213")),
        ("reads z, w", None),
        ("reads x", None),
    ] {
        let arguments = [Argument::from(1.0), Argument::Absent, Argument::Absent];
        let found = run(&source(accesses), &arguments, false).0;
        assert_eq!(found.err().as_deref(), expected, "{accesses}");
    }
    let given = [
        Argument::from(1.0),
        Argument::from(2.0),
        Value::real_array(&[2], Order::Row, &[1.0, 2.0])
            .unwrap()
            .into(),
    ];
    assert!(run(&source("writes z, w"), &given, false).0.is_ok());
}

/// The real that is the last argument of a program, after two integers; or the code of the error.
fn outcome(source: &str, integers: [i64; 2]) -> Result<f64, String> {
    let [i, k] = integers.map(Argument::from);
    let found = run(source, &[i, k, Argument::from(0.0)], false).0?;
    let y = found.last().and_then(|y| y.value()?.get_f64(0));
    Ok(y.expect("it has a value"))
}

/// Sections end where their arrays do; one without elements may lie anywhere.
#[test]
fn sections_and_the_bounds_of_their_arrays() {
    for (section, integers, expected) in [
        ("a[i:k]", [1, 4], Ok(4.0)),
        ("a[i:k]", [0, 4], Err("X201")),
        ("a[i:k]", [1, 5], Err("X201")),
        ("a[i:k]", [4, 4], Ok(1.0)),
        ("a[i:k]", [5, 5], Err("X201")),
        ("a[i:k]", [5, 4], Ok(0.0)),
        ("a[i:k]", [9, 8], Ok(0.0)),
        ("a[i:k]", [2, 1], Ok(0.0)),
        ("a[i:k]", [0, 0], Err("X201")),
        ("a[i:]", [1, 0], Ok(4.0)),
        ("a[i:]", [4, 0], Ok(1.0)),
        ("a[i:]", [5, 0], Ok(0.0)),
        ("a[i:]", [6, 0], Ok(0.0)),
        ("a[i:]", [0, 0], Err("X201")),
        ("a[:k]", [0, 0], Ok(0.0)),
        ("a[:k]", [0, -3], Ok(0.0)),
        ("a[:k]", [0, 4], Ok(4.0)),
        ("a[:k]", [0, 5], Err("X201")),
        ("a[1:i:k]", [4, 3], Ok(2.0)),
        ("a[1:i:k]", [5, 3], Ok(2.0)),
        ("a[1:i:k]", [6, 3], Ok(2.0)),
        ("a[1:i:k]", [7, 3], Err("X201")),
        ("a[1:i:k]", [4, 4], Ok(1.0)),
        ("a[1:i:k]", [0, -1], Err("X201")),
        ("a[1:i:k]", [-1, -1], Err("X201")),
        ("a[1:i:k]", [4, 0], Err("X206")),
        ("a[i::-1]", [4, 0], Ok(1.0)),
        ("a[i::-1]", [3, 0], Ok(0.0)),
        ("a[i::-1]", [0, 0], Ok(0.0)),
        ("a[i::-1]", [5, 0], Err("X201")),
        ("m[i, :]", [0, 0], Ok(4.0)),
        ("m[i, :]", [2, 0], Ok(4.0)),
        ("m[i, :]", [3, 0], Err("X201")),
        ("m[i, :]", [-1, 0], Err("X201")),
        ("m[i:k, 2]", [0, 2], Ok(6.0)),
        ("m[i:k, 2]", [1, 3], Err("X201")),
        ("m[i:k, 2]", [0, 1], Ok(4.0)),
        ("m[:, i]", [2, 0], Ok(6.0)),
        ("m[:, i]", [3, 0], Err("X201")),
        ("m[:, i]", [0, 0], Err("X201")),
    ] {
        let source = format!(
            "main subroutine f(in integer i, in integer k, out real y)
  local real a[4], m[3 from 0, 2]
  a := 1.0
  m := 2.0
  y := sum({section})
end
"
        );
        let expected = expected.map_err(str::to_owned);
        assert_eq!(
            outcome(&source, integers),
            expected,
            "{section} {integers:?}"
        );
    }
}

/// An array that begins at an element has the elements behind it, as far as they follow each other; a section has its own.
#[test]
fn elements_that_arrays_begin_at() {
    for (argument, integers, expected) in [
        ("a[i]", [1, 5], Ok(670.0)),
        ("a[i]", [2, 5], Err("X212")),
        ("a[i]", [2, 4], Ok(669.0)),
        ("a[i]", [5, 1], Ok(666.0)),
        ("a[i]", [5, 2], Err("X212")),
        ("a[i]", [6, 0], Err("X201")),
        ("m[2, i]", [1, 3], Ok(695.0)),
        ("m[2, i]", [1, 4], Err("X212")),
        ("m[2, i]", [3, 1], Ok(675.0)),
        ("m[2, i]", [3, 2], Err("X212")),
        ("c[2, i]", [1, 5], Ok(1165.0)),
        ("c[2, i]", [1, 6], Err("X212")),
        ("c[2, i]", [3, 1], Ok(765.0)),
        ("c[2, i]", [3, 2], Err("X212")),
        ("a[i:]", [2, 4], Ok(669.0)),
        ("a[i:]", [2, 5], Err("X212")),
        ("a[1:5:i]", [2, 3], Ok(668.0)),
        ("a[1:5:i]", [2, 4], Err("X212")),
        ("a[1:5:i]", [4, 2], Ok(667.0)),
        ("a[1:5:i]", [4, 3], Err("X212")),
    ] {
        let source = format!(
            "subroutine g(inout real v[n], in integer n)
  v := v + 1.0
end
main subroutine f(in integer i, in integer n, out real y)
  local real a[5], m[2, 3], c[2, 3] column
  a := 1.0
  m := 1.0
  c := 1.0
  call g({argument}, n)
  y := sum(a) + 10.0*sum(m) + 100.0*sum(c)
end
"
        );
        let expected = expected.map_err(str::to_owned);
        assert_eq!(
            outcome(&source, integers),
            expected,
            "{argument} {integers:?}"
        );
    }
}

/// The first of the greatest elements has the partial 1; a product has those of its other factors.
#[test]
fn partials_of_reductions() {
    for (elements, expected) in [
        ([1, 3, 2, 3], [10.0, 1.0, 6978.0]),
        ([3, 3, 1, 1], [1.0, 100.0, 9933.0]),
        ([1, 1, 3, 3], [100.0, 1.0, 3399.0]),
        ([-1, -2, -2, -1], [1.0, 10.0, -4224.0]),
        ([2, 3, 4, 5], [1000.0, 1.0, 27460.0]),
        ([0, 3, 4, 5], [1000.0, 1.0, 60.0]),
        ([2, 0, 0, 5], [1000.0, 10.0, 0.0]),
    ] {
        let names = ["maxval_partial", "minval_partial", "product_partial"];
        for (name, expected) in names.into_iter().zip(expected) {
            let lines = (1..)
                .zip(elements)
                .map(|(k, x)| format!("  v[{k}] := {x}.0\n"));
            let lines: String = lines.collect();
            let source = format!(
                "main subroutine f(in integer i, in integer k, out real y)
  local real v[4], w[4]
{lines}  w := {name}(v)
  y := w[1] + 10.0*w[2] + 100.0*w[3] + 1000.0*w[4]
end
"
            );
            assert_eq!(
                outcome(&source, [0, 0]),
                Ok(expected),
                "{name} {elements:?}"
            );
        }
    }
}

/// Small constants in subscripts are parts of instructions, others are not: all name the same elements.
#[test]
fn constants_in_subscripts() {
    for constant in [0, 1, 126, 127, 128, 129] {
        for (index, at) in [
            (format!("k + {constant}"), 300 + constant),
            (format!("{constant} + k"), 300 + constant),
            (format!("k - {constant}"), 300 - constant),
            (format!("k - (-{constant})"), 300 + constant),
            (format!("{constant} - k + 600"), constant + 300),
        ] {
            let source = format!(
                "main subroutine f(in integer i, in integer k, out real y)
  local real a[600], m[2, 600], c[600, 2], q[1, 600, 1]
  local integer j
  for j = 1, 600
    a[j] := real(j)
    m[2, j] := real(j)
    c[j, 2] := real(j)
    q[1, j, 1] := real(j)
  end
  a[{index}] := a[{index}] + 0.5
  m[2, {index}] := m[2, {index}]*2.0
  c[{index}, i + 1] := c[{index}, i + 1] - 0.25
  q[1, {index}, i] := q[1, {index}, i] + 0.5
  y := (a[{index}] + m[2, {index}] + c[{index}, 2] + q[1, {index}, 1])*1000000.0 + sum(a) + sum(m[2, :]) + sum(c[:, 2]) + sum(q)
end
"
            );
            let at = f64::from(at);
            let expected = (5.0 * at + 0.75) * 1e6 + 4.0 * 180_300.0 + at + 0.75;
            assert_eq!(outcome(&source, [1, 300]), Ok(expected), "{index}");
        }
    }
}

/// A value chooses the arm whose case has it, in whatever order the cases stand.
#[test]
fn cases_in_any_order() {
    let source = "main subroutine f(in integer n, in integer k, out real y)
  y := 0.0
  select n
  case 7
    y := 7.0
  case 3
    y := 3.0
  case -4..-2, 100..
    y := 4.0
  case ..-10
    y := 10.0
  end
end
";
    for (arm, values) in [
        (Ok(7.0), &[7][..]),
        (Ok(3.0), &[3]),
        (Ok(4.0), &[-4, -3, -2, 100, 101, i64::MAX]),
        (Ok(10.0), &[-10, -11, i64::MIN + 1]),
        (Err("X207"), &[-9, -5, -1, 2, 4, 5, 6, 8, 99]),
    ] {
        for &n in values {
            let expected = arm.map_err(str::to_owned);
            assert_eq!(outcome(source, [n, 0]), expected, "{n}");
        }
    }
}

/// A whole number becomes a 32-bit real before it meets one.
#[test]
fn constants_beside_reals_of_32_bits_are_rounded_first() {
    let source = "main subroutine f(in real x, out real y)
  local real32 s
  s := real32(x)
  y := real(16777217*s)
end
";
    let found = last(source, &[Argument::from(3.0), Argument::from(0.0)]);
    assert_eq!(found, Some(Scalar::Real(50_331_648.0)));
}

/// The largest and the smallest element of what has a NaN is NaN, wherever that stands.
#[test]
fn reductions_of_what_is_no_number() {
    for operator in ["maxval", "minval"] {
        for width in ["", "32"] {
            let source = format!(
                "main subroutine f(in real v[3], out real y)
  local real{width} w[3], m
  w := real{width}(v)
  m := {operator}(w)
  y := real(m)
end
"
            );
            for at in 0..3 {
                let mut v = [2.0, 1.0, 3.0];
                v[at] = f64::NAN;
                let v = Value::real_array(&[3], Order::Row, &v).unwrap();
                let Some(Scalar::Real(y)) = last(&source, &[v.into(), Argument::from(0.0)]) else {
                    panic!("{source}");
                };
                assert!(y.is_nan(), "{operator}{width} {at}: {y}");
            }
        }
    }
}

/// The initial values of each global are known before a run, wherever it lies, and are what a run begins with.
#[test]
fn globals_have_their_initial_values_before_a_run() {
    let source = "global real a[3] = 1.0, 2.0, 3.0
global real s = 4.0
global real b[4] = 5.0, 6.0, 7.0, 8.0
global real part[2] overlays b at 1
global real same[3] = 9.0
main subroutine f(inout real y)
  uses a, s, b, part, same
  y := a[3] + 10.0*s + 100.0*part[2] + 1000.0*b[4] + 10000.0*same[3]
  b := 0.0
end
";
    let program = parsed(source);
    let compiled = Compiled::new(&flat(&program), &CompileOptions::default());
    let mut session = Session::new(&compiled.unwrap_or_else(|d| panic!("{d}")));
    let shown = |session: &Session| -> Vec<Vec<f64>> {
        (0..5)
            .map(|g| session.global(GlobalId::new(g)).to_f64s().expect("reals"))
            .collect()
    };
    let initial = vec![
        vec![1.0, 2.0, 3.0],
        vec![4.0],
        vec![5.0, 6.0, 7.0, 8.0],
        vec![6.0, 7.0],
        vec![9.0; 3],
    ];
    assert_eq!(shown(&session), initial);
    let mut arguments = [Argument::from(0.0)];
    let main = program.main.expect("one is marked");
    let run = session.run(main, &mut arguments, &RunOptions::default());
    run.unwrap_or_else(|d| panic!("{d}"));
    let y = arguments[0].value().and_then(|y| y.get_f64(0));
    assert_eq!(y, Some(98743.0));
    assert_eq!(shown(&session)[2..4], [vec![0.0; 4], vec![0.0; 2]]);
    session.reset_globals();
    assert_eq!(shown(&session), initial);
}

/// The result of an operation on an uninitialised integer is uninitialised, also if the other operand is 0 or 1.
#[test]
fn integers_of_every_type_without_a_value_decide_nothing() {
    for ty in ["integer", "int8", "uint8", "uint64"] {
        let [zero, one] = ["0", "1"].map(|n| match ty {
            "integer" => n.to_owned(),
            _ => format!("{ty}({n})"),
        });
        for operation in [
            "u*z",
            "z*u",
            "u*o",
            "o*u",
            "u + o",
            "o + u",
            "u - o",
            "o - u",
            "-%u",
            "u +% o",
            "o*%u",
            "max(o, u)",
            "min(u, o)",
            "bitand(o, u)",
            "bitnot(u)",
            "u/o",
            "o/u",
            "mod(o, u)",
            "u**o",
            "o**u",
            "abs(u)",
            "o << u",
            "u >> o",
        ] {
            let source = format!(
                "main subroutine f(in integer n, out real y)
  local {ty} u, k, o, z
  o := {one}
  z := {zero}
  if n > 5
    u := o
  end
  k := {operation}
  y := 1.0
  if k > o
    y := 2.0
  end
end
"
            );
            let what = format!("{operation} of {ty}");
            needs_a_value(&source, &what, [2i64, 9].map(Argument::from));
        }
    }
}

/// Conversions, comparisons and operations on uninitialised operands of other types are uninitialised, so they cannot
/// decide a branch.
#[test]
fn conversions_of_what_has_no_value_decide_nothing() {
    for condition in [
        "int(u) > 3",
        "int(s) > 3",
        "logical(u)",
        "logical(s)",
        "logical(k)",
        "logical(b)",
        "logical(w)",
        "real(k) > 0.0",
        "real32(k) > 0.0f",
        "real(w) > 0.0",
        "real32(w) > 0.0f",
        "int(l) > 0",
        "real(l) > 0.0",
        "real32(l) > 0.0f",
        "int8(k) > int8(0)",
        "int(b) > 0",
        "int(w) > 0",
        "int8(l) > int8(0)",
        "saturate_uint8(k) > uint8(0)",
        "wrap_int16(w) > int16(0)",
        "real(b) > 0.0",
        "trips(k, 1, 2) > 0",
        "trips(1, k, 2) > 0",
        "trips(1, 2, k) > 0",
        "fma(u, 1.0, 1.0) > 0.0",
        "fma(1.0, u, 1.0) > 0.0",
        "fma(1.0, 1.0, u) > 0.0",
        "fma(s, 1.0f, 1.0f) > 0.0f",
        "real32(u) > 0.0f",
        "real(s) > 0.0",
        "sqrt(s) > 0.0f",
        "s**2 > 0.0f",
        "s**k > 0.0f",
        "1.0*!u > 0.0",
        "not l",
        "l == true",
        "true and l",
        "any(q)",
        "all(q)",
    ] {
        let source = format!(
            "main subroutine f(in integer n, out real y)
  local real u
  local real32 s
  local integer k
  local int8 b
  local uint64 w
  local logical l, q[2]
  q[1] := true
  if n > 5
    u := 1.0
    s := 1.0f
    k := 1
    b := int8(1)
    w := uint64(1)
    l := true
    q := true
  end
  y := 1.0
  if {condition}
    y := 2.0
  end
end
"
        );
        needs_a_value(&source, condition, [2i64, 9].map(Argument::from));
    }
}

/// The message says what was decided by a value that is not there.
#[test]
fn messages_say_what_has_no_value() {
    for (statement, what) in [
        ("for i = u, 3\n  end", "the range of a counted loop"),
        ("for i = 1, u\n  end", "the range of a counted loop"),
        ("for i = 1, 3, u\n  end", "the range of a counted loop"),
        ("for i = u, 3, 2\n  end", "the range of a counted loop"),
        ("for i = 1, u, 2\n  end", "the range of a counted loop"),
        ("y := v[u]", "a subscript"),
        ("y := m[1, u]", "a subscript"),
        ("y := q[1, 1, u]", "a subscript"),
        ("m[u, :] := 0.0", "a subscript"),
        ("m[:, u] := 0.0", "a subscript"),
        ("v[u:3] := 0.0", "a bound of a section"),
        ("v[1:u] := 0.0", "a bound of a section"),
        ("v[1:3:u] := 0.0", "a bound of a section"),
        ("y := sum(v[1:u])", "a bound of a section"),
        ("push[control count] u on t", "a count on the control stack"),
        (
            "select u\n  case 1\n  y := 1.0\n  case default\n  y := 2.0\n  end",
            "a selector",
        ),
        ("if l\n  y := 1.0\n  end", "a condition"),
        ("call g(u, 1)", "an extent"),
        ("call g(1, u)", "an extent"),
    ] {
        let source = format!(
            "subroutine g(in integer lower, in integer n)
  local real a[n from lower]
end
main subroutine f(in integer n, out real y)
  local integer u, i
  local real v[3], m[2, 2], q[2, 2, 2]
  local logical l
  local tape t
  if n > 5
    u := 1
    l := true
  end
  v := 1.0
  m := 1.0
  q := 1.0
  y := 0.0
  {statement}
end
"
        );
        let program = parsed(&source);
        let (code, message, _) = fault(&program, &mut [2.into(), 0.0.into()]);
        assert_eq!(code, "X202", "{statement}");
        let expected = format!("{what} depends on an uninitialised value");
        assert_eq!(message, expected, "{statement}");
        assert_eq!(
            self::code(&source, &[9.into(), 0.0.into()]),
            "runs",
            "{statement}"
        );
    }
}

/// Integers of every width, 32-bit reals and logicals are converted to each other, compared and computed with as their types say.
#[test]
fn numbers_of_every_type_are_converted_and_computed() {
    const U: u64 = 12_345_678_901_234_567_890;
    let fails = |code: &str, message: &str| Err((code.to_owned(), message.to_owned()));
    let no_fit = |what: &str| fails("X203", &format!("{what} does not fit"));
    for (expression, expected) in [
        ("int(s)", Ok(2.0)),
        ("int(-s)", Ok(-2.0)),
        ("int(x)", Ok(2.0)),
        ("int(l)", Ok(1.0)),
        ("int(not l)", Ok(0.0)),
        ("int(b)", Ok(3.0)),
        ("int(w)", Ok(3.0)),
        ("if(logical(x), 1, 2)", Ok(1.0)),
        ("if(logical(x - x), 1, 2)", Ok(2.0)),
        ("if(logical(n), 1, 2)", Ok(1.0)),
        ("if(logical(n - n), 1, 2)", Ok(2.0)),
        ("if(logical(s), 1, 2)", Ok(1.0)),
        ("if(logical(s - s), 1, 2)", Ok(2.0)),
        ("if(logical(b), 1, 2)", Ok(1.0)),
        ("if(logical(b - b), 1, 2)", Ok(2.0)),
        ("if(logical(u), 1, 2)", Ok(1.0)),
        ("if(logical(u - u), 1, 2)", Ok(2.0)),
        ("u", Ok(U as f64)),
        ("real32(u)", Ok(f64::from(U as f32))),
        ("real32(w)", Ok(3.0)),
        ("real32(b)", Ok(3.0)),
        ("real32(l)", Ok(1.0)),
        ("int8(l)", Ok(1.0)),
        ("int8(x)", Ok(2.0)),
        ("int8(s)", Ok(2.0)),
        ("uint8(x)", Ok(2.0)),
        ("wrap_int8(u)", Ok(-46.0)),
        ("saturate_int8(u)", Ok(127.0)),
        ("saturate_uint64(-n)", Ok(0.0)),
        ("wrap_uint64(-n)", Ok((u64::MAX - 2) as f64)),
        ("if(u > w, 1, 2)", Ok(1.0)),
        ("if(u >= w, 1, 2)", Ok(1.0)),
        ("if(u < w, 1, 2)", Ok(2.0)),
        ("if(u <= w, 1, 2)", Ok(2.0)),
        ("if(u == w, 1, 2)", Ok(2.0)),
        ("if(u != w, 1, 2)", Ok(1.0)),
        ("int(u > w)", Ok(1.0)),
        ("int(u >= w)", Ok(1.0)),
        ("int(u < w)", Ok(0.0)),
        ("int(u <= w)", Ok(0.0)),
        ("b**b", Ok(27.0)),
        ("b*b", Ok(9.0)),
        ("b/int8(2)", Ok(1.0)),
        ("mod(b, int8(2))", Ok(1.0)),
        ("b - int8(5)", Ok(-2.0)),
        ("max(b, int8(5))", Ok(5.0)),
        ("min(b, int8(5))", Ok(3.0)),
        ("max(u, w)", Ok(U as f64)),
        ("min(u, w)", Ok(3.0)),
        ("u/w", Ok((U / 3) as f64)),
        ("u - w", Ok((U - 3) as f64)),
        ("u +% u", Ok(U.wrapping_add(U) as f64)),
        ("b << int8(3)", Ok(24.0)),
        ("bitand(b, int8(6))", Ok(2.0)),
        ("bitor(b, int8(6))", Ok(7.0)),
        ("bitxor(b, int8(6))", Ok(5.0)),
        ("bitnot(b)", Ok(-4.0)),
        ("-b", Ok(-3.0)),
        ("abs(-b)", Ok(3.0)),
        ("b +% int8(127)", Ok(-126.0)),
        ("b -% int8(-128)", Ok(-125.0)),
        ("b*%int8(100)", Ok(44.0)),
        ("u >> uint64(1)", Ok((U >> 1) as f64)),
        ("fma(s, s, s)", Ok(10.3125)),
        ("fma(x, x, x)", Ok(10.3125)),
        ("trips(1, 10, n)", Ok(4.0)),
        ("int(u)", no_fit("12345678901234567890 as integer")),
        ("int8(u)", no_fit("12345678901234567890 as int8")),
        ("int8(n*100)", no_fit("300 as int8")),
        ("uint64(-n)", no_fit("-3 as uint64")),
        ("b + int8(125)", no_fit("3 + 125 as int8")),
        ("b*int8(50)", no_fit("3 * 50 as int8")),
        ("-int8(-128)", no_fit("neg -128 as int8")),
        ("b/(b - b)", fails("X204", "an integer is divided by 0")),
        ("int8(x*100.0)", fails("X205", "275.0 has no int8 value")),
        ("uint8(-x)", fails("X205", "-2.75 has no uint8 value")),
        (
            "int(x/(x - x))",
            fails("X205", "inf has no 64-bit integer value"),
        ),
    ] {
        let source = format!(
            "main subroutine f(in real x, in integer n, out real y)
  local real32 s
  local int8 b
  local uint64 u, w
  local logical l
  s := real32(x)
  b := int8(n)
  u := uint64({U})
  w := uint64(n)
  l := x > 0.0
  y := real({expression})
end
"
        );
        let program = parsed(&source);
        let mut arguments = [2.75.into(), 3.into(), 0.0.into()];
        let found = crate::common::run(&program, &mut arguments)
            .map(|_| crate::common::real(&arguments[2]))
            .map_err(|problem| (problem.code.to_owned(), problem.message.clone()));
        assert_eq!(found, expected, "{expression}");
    }
}

/// The number by which what has no value is marked is no result of an operation that wraps.
#[test]
fn the_mark_is_no_result() {
    let source = "main subroutine f(in integer n, out integer k)
  k := n +% 1
end
";
    let mark = -6_674_804_268_309_651_741i64;
    for (n, expected) in [(mark - 2, "runs"), (mark - 1, "X222"), (mark + 1, "runs")] {
        assert_eq!(code(source, &[n.into(), 0.into()]), expected, "{n}");
    }
}

/// Reductions of arrays of every type in which one element has no value have none.
#[test]
fn reductions_with_an_element_without_a_value_decide_nothing() {
    for (ty, one) in [
        ("integer", "1"),
        ("int8", "int8(1)"),
        ("uint64", "uint64(1)"),
        ("real", "1.0"),
        ("real32", "1.0f"),
        ("logical", "true"),
    ] {
        let reductions: &[&str] = match ty {
            "logical" => &["any", "all"],
            _ => &["sum", "product", "maxval", "minval"],
        };
        for reduction in reductions {
            for at in 1..=3 {
                let test = match ty {
                    "logical" => format!("{reduction}(v)"),
                    _ => format!("{reduction}(v) > v[{}]", at % 3 + 1),
                };
                let source = format!(
                    "subroutine lose(in integer n, out {ty} x)
  if n > 5
    x := {one}
  end
end
main subroutine f(in integer n, out real y)
  local {ty} v[3]
  v := {one}
  call lose(n, v[{at}])
  y := 1.0
  if {test}
    y := 2.0
  end
end
"
                );
                let what = format!("{reduction} of {ty} at {at}");
                needs_a_value(&source, &what, [2i64, 9].map(Argument::from));
            }
        }
    }
}

/// The partials of a reduction of which one element has no value have none.
#[test]
fn partials_with_an_element_without_a_value_decide_nothing() {
    for name in ["maxval_partial", "minval_partial"] {
        for lost in 1..=3 {
            for at in 1..=3 {
                let source = format!(
                    "subroutine lose(in integer n, out real x)
  if n > 5
    x := 1.0
  end
end
main subroutine f(in integer n, out real y)
  local real v[3], w[3]
  v := 1.0
  v[2] := 2.0
  call lose(n, v[{lost}])
  w := {name}(v)
  y := if(w[{at}] > 0.5, 1.0, 2.0)
end
"
                );
                let what = format!("{name} {lost} {at}");
                needs_a_value(&source, &what, [2i64, 9].map(Argument::from));
            }
        }
    }
}

/// Reductions of no elements have the values that the types give them.
#[test]
fn reductions_of_nothing_in_every_type() {
    for (ty, reduction, expected) in [
        ("int8", "maxval", -128.0),
        ("int8", "minval", 127.0),
        ("int8", "product", 1.0),
        ("int8", "sum", 0.0),
        ("uint8", "maxval", 0.0),
        ("uint8", "minval", 255.0),
        ("uint64", "maxval", 0.0),
        ("uint64", "minval", u64::MAX as f64),
        ("real32", "product", 1.0),
        ("real32", "maxval", f64::NEG_INFINITY),
        ("real32", "minval", f64::INFINITY),
        ("logical", "any", 0.0),
        ("logical", "all", 1.0),
    ] {
        let one = match ty {
            "real32" => "1.0f".to_owned(),
            "logical" => "true".to_owned(),
            _ => format!("{ty}(1)"),
        };
        let source = format!(
            "main subroutine f(in integer n, out real y)
  local {ty} a[3]
  a := {one}
  y := real({reduction}(a[1:n]))
end
"
        );
        let found = last(&source, &[0.into(), 0.0.into()]);
        assert_eq!(found, Some(Scalar::Real(expected)), "{ty} {reduction}");
    }
}

/// Every step of a reduction of 32-bit reals is rounded; those of 64-bit reals are not.
#[test]
fn reductions_are_rounded_to_their_type() {
    let rest = 2f64.powi(-22);
    for (ty, elements, reduction, expected) in [
        (
            "real32",
            ["16777216.0f", "1.0f", "1.0f"],
            "sum(v)",
            16_777_216.0,
        ),
        (
            "real32",
            ["16777216.0f", "1.0f", "1.0f"],
            "sum(v + 0.0f)",
            16_777_216.0,
        ),
        (
            "real32",
            ["1.0000001f", "1.0000001f", "1.0f"],
            "product(v)",
            1.0 + rest,
        ),
        (
            "real32",
            ["1.0000001f", "1.0000001f", "1.0f"],
            "product(1.0f*v)",
            1.0 + rest,
        ),
        ("real", ["16777216.0", "1.0", "1.0"], "sum(v)", 16_777_218.0),
        (
            "real",
            ["16777216.0", "1.0", "1.0"],
            "sum(v + 0.0)",
            16_777_218.0,
        ),
        ("real", ["0.1", "0.3", "0.2"], "maxval(v)", 0.3),
        ("real", ["0.1", "0.3", "0.2"], "minval(v)", 0.1),
    ] {
        let lines = (1..)
            .zip(elements)
            .map(|(k, x)| format!("  v[{k}] := {x}\n"));
        let lines: String = lines.collect();
        let source = format!(
            "main subroutine f(out real y)\n  local {ty} v[3]\n{lines}  y := real({reduction})\nend\n"
        );
        let found = last(&source, &[0.0.into()]);
        assert_eq!(found, Some(Scalar::Real(expected)), "{ty} {reduction}");
    }
}

/// Sums go through an array as it is stored, and of equal elements the first is the greatest and the least.
#[test]
fn reductions_go_in_storage_order() {
    let source = "main subroutine f(out real y)
  local real r[2, 2], c[2, 2] column
  r[1, 1] := 1.0e16
  r[1, 2] := 1.0
  r[2, 1] := -1.0e16
  r[2, 2] := 1.0
  c := r
  y := sum(r) + 10.0*sum(c) + 100.0*sum(r*1.0) + 1000.0*sum(c*1.0)
end
";
    assert_eq!(last(source, &[0.0.into()]), Some(Scalar::Real(2121.0)));
    for (first, second, expected) in [("z", "-z", f64::INFINITY), ("-z", "z", f64::NEG_INFINITY)] {
        for reduction in ["maxval", "minval"] {
            let source = format!(
                "main subroutine f(out real y)
  local real v[2], z
  z := 0.0
  v[1] := {first}
  v[2] := {second}
  y := 1.0/{reduction}(v)
end
"
            );
            let found = last(&source, &[0.0.into()]);
            assert_eq!(found, Some(Scalar::Real(expected)), "{reduction} {first}");
        }
    }
}

/// A reduction may read the variable that it is assigned to.
#[test]
fn reductions_read_what_they_are_assigned_to() {
    for (statement, expected) in [
        ("x := sum(v*x)", 27.0),
        ("x := maxval(v*x)", 15.0),
        ("x := product(v + x)", 200.0),
        ("x := sum(v*x) - x", 24.0),
        ("x := x - sum(v*x)", -24.0),
    ] {
        let source = format!(
            "main subroutine f(inout real x)
  local real v[3]
  v := 2.0
  v[2] := 5.0
  {statement}
end
"
        );
        let found = last(&source, &[3.0.into()]);
        assert_eq!(found, Some(Scalar::Real(expected)), "{statement}");
    }
}

/// A strong product is added to elements and scalars wherever they are: a derivative of 0 forgets the partial, and what is
/// subtracted is subtracted.
#[test]
fn strong_products_are_added_to_places() {
    for (statement, expected) in [
        ("a[i] := a[i] + z*!w", 11111.0),
        ("a[i] := a[i] - z*!w", 11111.0),
        ("a[i] := a[i] + o*!o", 11120.0),
        ("a[i] := a[i] - o*!o", 11102.0),
        ("a[i] := o*!o + a[i]", 11120.0),
        ("a[i] := o*!o - a[i]", 11118.0),
        ("a[i] := a[i] + o*!n", 11120.0),
        ("m[i, 2] := m[i, 2] + z*!w", 11111.0),
        ("m[i, 2] := m[i, 2] + o*!o", 11201.0),
        ("m[i, 2] := m[i, 2] - o*!o", 11021.0),
        ("m[i + 1, 2] := m[i + 1, 2] + o*!o", 12011.0),
        ("m[i, i + 1] := m[i, i + 1] + o*!o", 11201.0),
        ("m[i, i + 1] := m[i, i + 1] + z*!w", 11111.0),
        ("q[1, i, 2] := q[1, i, 2] + z*!w", 11111.0),
        ("q[1, i, 2] := o*!o + q[1, i, 2]", 20111.0),
        ("s := s + z*!w", 11111.0),
        ("s := s - o*!o", -78889.0),
        ("s := o*!o - s", 81111.0),
    ] {
        let source = format!(
            "subroutine keep(inout real s)
end
main subroutine f(in integer i, in integer n, out real y)
  local real a[2], m[2, 2], q[2, 2, 2], s, z, w, o
  z := 0.0
  w := inf
  o := 3.0
  a := 1.0
  m := 1.0
  q := 1.0
  s := 1.0
  call keep(s)
  {statement}
  y := a[1] + 10.0*m[1, 2] + 100.0*m[2, 2] + 1000.0*q[1, 1, 2] + 10000.0*s
end
"
        );
        assert_eq!(outcome(&source, [1, 3]), Ok(expected), "{statement}");
    }
}

/// Arrays are asked about their sizes and bounds, whatever they are; one that is not there has none, but for the extent of a
/// dimension of one that has no shape yet, which is 0.
#[test]
fn arrays_are_asked_about_their_shapes() {
    for (inquiry, k, expected) in [
        ("lbound(o, 1)", 2, Ok(3.0)),
        ("ubound(o, 1)", 2, Ok(4.0)),
        ("size(o)", 2, Ok(2.0)),
        ("size(o, 1)", 2, Ok(2.0)),
        ("lbound(a, 1)", 2, Ok(1.0)),
        ("lbound(a, 2)", 2, Ok(-2.0)),
        ("ubound(a, 2)", 2, Ok(1.0)),
        ("size(a, 2)", 2, Ok(4.0)),
        ("size(a)", 2, Ok(12.0)),
        ("lbound(p, 3)", 2, Ok(7.0)),
        ("ubound(p, 3)", 2, Ok(12.0)),
        ("size(p, 3)", 2, Ok(6.0)),
        ("size(p, 2)", 2, Ok(5.0)),
        ("size(p)", 2, Ok(120.0)),
        ("size(p[1, :, 7])", 2, Ok(5.0)),
        ("ubound(p[1, :, 7], 1)", 2, Ok(5.0)),
        ("lbound(x, 2)", 2, Ok(-1.0)),
        ("ubound(x, 2)", 2, Ok(2.0)),
        ("ubound(x, 4)", 2, Ok(6.0)),
        ("size(x, 4)", 2, Ok(6.0)),
        ("size(x)", 2, Ok(240.0)),
        ("size(x[3, :, 8:10, 1])", 2, Ok(12.0)),
        ("size(x[3, :, 8:10, 1], 2)", 2, Ok(3.0)),
        ("lbound(x[3, :, 8:10, 1], 1)", 2, Ok(1.0)),
        ("ubound(x[3, :, 8:10, 1], 1)", 2, Ok(4.0)),
        ("size(x[:, 0, 7, 6:1:-2], 2)", 2, Ok(3.0)),
        ("size(e)", 2, Ok(0.0)),
        ("lbound(e, 1)", 2, Ok(1.0)),
        ("ubound(e, 1)", 2, Ok(0.0)),
        ("if(present(p), 1, 0)", 2, Ok(1.0)),
        ("if(present(r), 1, 0)", 2, Ok(0.0)),
        ("size(r)", 2, Err("X213")),
        ("size(r, 1)", 2, Err("X213")),
        ("lbound(r, 1)", 2, Err("X213")),
        ("ubound(r, 1)", 2, Err("X213")),
        ("lbound(w, 1)", 2, Ok(3.0)),
        ("ubound(w, 1)", 2, Ok(5.0)),
        ("ubound(w, 2)", 2, Ok(4.0)),
        ("size(w, 1)", 2, Ok(3.0)),
        ("size(w)", 2, Ok(12.0)),
        ("size(w, 1)", 1, Ok(0.0)),
        ("size(w)", 1, Err("X215")),
        ("lbound(w, 1)", 1, Err("X215")),
        ("ubound(w, 2)", 1, Err("X215")),
    ] {
        let source = format!(
            "subroutine g(in real o[2 from 3], in real a[:, : from -2], optional in real p[4, 5, 6 from 7], optional in real r[3], in integer k, out integer n)
  local real w[: from 3, :], x[2 from 3, 4 from -1, 5 from 7, 6], e[k - 3]
  if k > 1
    w := a
  end
  n := {inquiry}
end
main subroutine f(in integer i, in integer k, out real y)
  local real o[2], a[3, 4], p[4, 5, 6]
  local integer n
  o := 1.0
  a := 1.0
  p := 1.0
  call g(o, a, p, absent, k, n)
  y := real(n)
end
"
        );
        let expected = expected.map_err(str::to_owned);
        assert_eq!(outcome(&source, [0, k]), expected, "{inquiry} {k}");
    }
}

/// A local array without extents has the lower bounds that it declares in every shape that it takes; without a shape it is not
/// filled, and a scalar that is chosen for it makes it one element.
#[test]
fn arrays_without_a_shape_keep_their_lower_bounds() {
    for (statements, expected) in [
        ("w := a[1:3]\n  y := w[3] + 10.0*w[5]", Ok(31.0)),
        (
            "w := a[1:3]\n  w := a[2:5]\n  y := w[3] + 10.0*w[6]",
            Ok(52.0),
        ),
        ("w := a\n  w := a[4:5]\n  y := w[3] + 10.0*w[4]", Ok(54.0)),
        ("w := a[4:5]\n  y := w[5]", Err("X201")),
        ("w := a[4:5]\n  y := w[2]", Err("X201")),
        ("v := a[4:5]\n  y := v[1] + 10.0*v[2]", Ok(54.0)),
        ("v := a[4:5]\n  y := v[3]", Err("X201")),
        ("v := a[4:5]\n  y := v[0]", Err("X201")),
        ("w := 1.0\n  y := 1.0", Err("X215")),
        ("v := 1.0\n  y := 1.0", Err("X215")),
        ("m := 1.0\n  y := 1.0", Err("X215")),
        (
            "v := if(i > 5, a[1:k], 7.0)\n  y := real(10*size(v, 1)) + v[1]",
            Ok(17.0),
        ),
        (
            "v := if(i < 5, a[1:k], 7.0)\n  y := real(10*size(v, 1)) + v[1]",
            Ok(21.0),
        ),
    ] {
        let source = format!(
            "main subroutine f(in integer i, in integer k, out real y)
  local real w[: from 3], v[:], m[:, :], a[5]
  local integer j
  for j = 1, 5
    a[j] := real(j)
  end
  {statements}
end
"
        );
        let expected = expected.map_err(str::to_owned);
        assert_eq!(outcome(&source, [0, 2]), expected, "{statements}");
    }
}

/// A dimension ends within 64 bits; one of a negative number of elements has none.
#[test]
fn dimensions_end_within_64_bits() {
    let source = "subroutine g(in integer lower, in integer n, out real y)
  local real a[n from lower]
  y := real(ubound(a, 1) - lower)
end
main subroutine f(in integer lower, in integer n, out real y)
  call g(lower, n, y)
end
";
    for (lower, n, expected) in [
        (i64::MAX - 2, 2, Ok(1.0)),
        (i64::MAX - 2, 3, Err("X203")),
        (1, -7, Ok(-1.0)),
        (i64::MIN + 1, 2, Ok(1.0)),
    ] {
        let expected = expected.map_err(str::to_owned);
        assert_eq!(outcome(source, [lower, n]), expected, "{lower} {n}");
    }
}

/// Globals of every type begin with their initial values.
#[test]
fn globals_of_every_type_have_initial_values() {
    for (global, value, expected) in [
        ("int8 g = int8(-3)", "real(g)", -3.0),
        ("uint64 g[2] = uint64(7), uint64(9)", "real(g[2])", 9.0),
        (
            "logical g[3] = true, false, true",
            "if(g[2], 1.0, 2.0)",
            2.0,
        ),
        (
            "logical g[3] = true, false, true",
            "if(g[3], 1.0, 2.0)",
            1.0,
        ),
        ("real32 g = 0.1f", "real(g)", f64::from(0.1f32)),
        ("real g = 0.1", "g", 0.1),
        ("integer g[2 from 5] = 4, -9", "real(g[6])", -9.0),
        ("integer g[2 from 5] = 4, -9", "real(g[5])", 4.0),
        ("real g[0] = 1.0", "real(size(g))", 0.0),
        ("real g[2, 2] column = 1.0, 2.0, 3.0, 4.0", "sum(g)", 10.0),
    ] {
        let source = format!(
            "global {global}
main subroutine f(in integer i, in integer k, out real y)
  uses g
  y := {value}
end
"
        );
        assert_eq!(outcome(&source, [0, 0]), Ok(expected), "{global} {value}");
    }
}

/// A new array has the extents that it is given, each computed on its own.
#[test]
fn new_arrays_have_the_extents_that_are_computed() {
    for (rank, extents, expected) in [
        (1, "2*n", 6.0),
        (2, "2*n, n*n - 1", 806.0),
        (3, "n, 2*n - 1, n*n - n", 60_503.0),
        (4, "n - 1, 2*n, n*n - 1, n*2 + n*n", 15_080_602.0),
        (2, "n, n - 5", 3.0),
    ] {
        let dims = vec![":"; rank].join(", ");
        let sizes = (0..rank).map(|k| format!("{}.0*size(w, {})", 100i64.pow(k as u32), k + 1));
        let sizes = sizes.collect::<Vec<_>>().join(" + ");
        let source = format!(
            "main subroutine f(in integer n, in integer k, out real y)
  local real w[{dims}]
  w := fill(0.0, {extents})
  y := {sizes} + sum(w)
end
"
        );
        assert_eq!(outcome(&source, [3, 0]), Ok(expected), "{extents}");
    }
}
