//! Assignments whose target shares cells with operands, as the executor runs their forms.

use cfg_core::{elemental::Scalar, entity::RoutineId, validate::validate};
use cfg_drive::{Options, Primal};
use cfg_format::text;
use cfg_testkit::flat;

/// The value of x after a statement; x starts as 2, 4, 6, 8, the matrix a as 1 to 8 in two rows, p is true except for
/// the last element, n is 3.
fn after(statement: &str) -> Result<Vec<f64>, String> {
    let source = format!(
        "subroutine f(in integer n, in logical p[4], inout real x[4], inout real a[2, 4])\n  {statement}\nend\n"
    );
    let parsed = text::parse(&source);
    let program = parsed.program.ok_or(parsed.problems.to_string())?;
    let program = validate(program).map_err(|d| d.to_string())?;
    let shown = |d: cfg_core::diagnostic::Diagnostics| d.to_string();
    let mut primal =
        Primal::new(&flat(&program), RoutineId::new(0), &Options::default()).map_err(shown)?;
    let point = r#"{"n": 3, "p": [true, true, true, false], "x": [2, 4, 6, 8], "a": [[1, 2, 3, 4], [5, 6, 7, 8]]}"#;
    let point = primal.read_point(point.as_bytes()).map_err(shown)?;
    let run = primal.run(&point).map_err(shown)?;
    let x = run.value.iter().find(|(name, _)| name == "x");
    let x = x.map(|(_, x)| x).ok_or("no x")?;
    let element = |k| match x.get(k) {
        Some(Scalar::Real(x)) => Ok(x),
        other => Err(format!("{other:?}")),
    };
    (0..x.len()).map(element).collect()
}

#[test]
fn the_right_side_has_the_old_values() {
    let cases: [(&str, [f64; 4]); 12] = [
        // Computed before the first element is written.
        ("x := x/x[1]", [1.0, 2.0, 3.0, 4.0]),
        ("x := x/sum(x)*20.0", [2.0, 4.0, 6.0, 8.0]),
        ("x := fill(x[2], 4)", [4.0; 4]),
        ("x := fill(x[2], 4) + x", [6.0, 8.0, 10.0, 12.0]),
        ("x := product_partial(x)*x", [384.0; 4]),
        ("x := maxval_partial(x)", [0.0, 0.0, 0.0, 1.0]),
        // Read for some elements only, while elements are written.
        ("x := if(p, x/x[1], x)", [1.0, 2.0, 3.0, 8.0]),
        ("x := if(p, x/x[4], x/x[1])", [0.25, 0.5, 0.75, 4.0]),
        // In another arrangement.
        ("x[2:4] := x[1:3]", [2.0, 2.0, 4.0, 6.0]),
        ("x[4:1:-1] := x + x[4:1:-1]", [10.0; 4]),
        // Rows that are apart, and that are not.
        ("a[1, :] := a[2, :] - a[1, :]\n  x := a[1, :]", [4.0; 4]),
        (
            "a[:, 2:4] := a[:, 1:3]\n  x := a[2, :]",
            [5.0, 5.0, 6.0, 7.0],
        ),
    ];
    for (statement, expected) in cases {
        assert_eq!(after(statement), Ok(expected.to_vec()), "{statement}");
    }
}

#[test]
fn what_does_not_conform_is_an_error_before_anything_is_written() {
    for statement in [
        "x[1:n] := x",
        "x := x[1:n] + x",
        "x := x + x[1:n]",
        "x := if(p[1], x[1:n], x)",
        "x := if(p, x, a[1, 1:n])",
    ] {
        let problem = after(statement).expect_err(statement);
        assert!(problem.contains("error[X212]"), "{problem}");
    }
    // The arm that is not chosen need not conform.
    assert_eq!(
        after("x := if(p[4], x[1:n], x)"),
        Ok(vec![2.0, 4.0, 6.0, 8.0])
    );
}

#[test]
fn a_condition_without_value_does_not_matter_where_it_decides_nothing() {
    let nested = "x := if(p[1] and not p, if(c, x/2.0, 0.0*x), x + 1.0)";
    let declared = format!("local logical c\n  if not p[1]\n    c := true\n  end\n  {nested}");
    // The first three elements take the other arm, the last one asks.
    assert!(
        after(&declared).is_err_and(|e| e.contains("X2")),
        "{declared}"
    );
    let nowhere = declared.replace("p[1] and not p", "p and not p");
    assert_eq!(after(&nowhere), Ok(vec![3.0, 5.0, 7.0, 9.0]));
}
