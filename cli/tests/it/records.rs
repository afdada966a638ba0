//! Programs with records on the command line.

use crate::run_tool::{cfgrev, cfgrev_with};

const PROGRAM: &str = r"record Point
  real x
  real v[2]
  integer n
end

record Pair
  record Point a
  record Point b[2]
end

function middle(in record Pair c, in real t) result record Point r
  r := c.a
  r.x := (c.a.x + c.b[2].x)*t
  r.v[:] := c.b[c.a.n].v
end

main subroutine f(inout record Point ps[2], in record Pair c, in real t, out real y)
  local record Point m
  independent ps, c
  dependent y
  m := call middle(c, t)
  y := m.x*m.v[1] + sum(ps.x) + sum(ps[1:2].v[2])*real(size(ps))
  ps[2] := m
end
";

const POINT: &str = r#"{"ps": [{"x": 1, "v": [2, 3], "n": 1}, {"x": 4, "v": [5, 6], "n": 2}],
  "c": {"a": {"x": 1, "v": [0, 0], "n": 2}, "b": [{"x": 0, "v": [0, 0], "n": 0}, {"x": 3, "v": [7, 8], "n": 9}]}, "t": 0.5}"#;

fn with(args: &[&str]) -> crate::run_tool::Ran {
    let all = [args, &["-", "--lang", "text"]].concat();
    cfgrev_with(&all, PROGRAM.as_bytes())
}

#[test]
fn text_and_json_say_the_same() {
    let json = with(&["convert", "--to", "json"]);
    assert_eq!(json.code, Some(0), "{}", json.err);
    assert!(json.out.contains(
        r#"["=", ["[]", [".", "r", "v"], [":"]], [".", ["[]", [".", "c", "b"], [".", [".", "c", "a"], "n"]], "v"]]"#
    ));
    let text = cfgrev_with(&["convert", "-", "--to", "text"], json.out.as_bytes());
    assert_eq!(text.out, PROGRAM);
}

#[test]
fn points_and_results_are_objects() {
    let run = with(&["run", "--at", POINT]);
    assert_eq!(
        run.out,
        "{\"routine\":\"f\",\n \"value\":{\"ps\":[{\"x\":1.0,\"v\":[2.0,3.0],\"n\":1},{\"x\":2.0,\"v\":[7.0,8.0],\"n\":2}],\"y\":37.0}}\n",
        "{}",
        run.err
    );
    let gradient = with(&["gradient", "--at", POINT]);
    assert!(
        gradient.out.contains(
            r#""gradient":{"ps":[{"x":1.0,"v":[0.0,2.0]},{"x":1.0,"v":[0.0,2.0]}],"c":{"a":{"x":3.5,"v":[0.0,0.0]},"b":[{"x":0.0,"v":[0.0,0.0]},{"x":3.5,"v":[2.0,0.0]}]}}"#
        ),
        "{}{}",
        gradient.out,
        gradient.err
    );
    let tangent = with(&[
        "tangent",
        "--at",
        POINT,
        "--direction",
        r#"{"c": {"b": [{"x": 0}, {"x": 2}]}}"#,
    ]);
    assert!(
        tangent.out.contains(r#""tangent":{"y":7.0}"#),
        "{}",
        tangent.out
    );
    let check = with(&["check", "--at", POINT]);
    assert_eq!(check.code, Some(0), "{}{}", check.out, check.err);
    let jacobian = with(&["jacobian", "--at", POINT]);
    assert_eq!(jacobian.code, Some(0), "{}", jacobian.err);
}

#[test]
fn derivative_programs_have_records() {
    for (command, wanted) in [
        (&["reverse", "--emit", "text"][..], "c_b {adjoint of c}"),
        (&["tangent", "--emit", "text"], "c_t {tangent of c}"),
    ] {
        let ran = with(command);
        assert_eq!(ran.code, Some(0), "{command:?}: {}", ran.err);
        assert!(ran.out.contains(wanted), "{}", ran.out);
    }
    let adjoint = with(&["reverse"]);
    let second = cfgrev_with(
        &["tangent", "-", "--routine", "f_grad", "--emit", "text"],
        adjoint.out.as_bytes(),
    );
    assert_eq!(second.code, Some(0), "{}", second.err);
    assert!(
        second.out.contains("c_b_t {tangent of c_b}"),
        "{}",
        second.out
    );
    for command in [&["reverse", "--explain"][..], &["preaccumulate"]] {
        let ran = with(command);
        assert_eq!(ran.code, Some(0), "{command:?}: {}", ran.err);
    }
}

#[test]
fn structures_of_callers_hold_records() {
    for (command, wanted) in [
        (
            &["convert", "--to", "c"][..],
            "int f(struct Point *ps, const struct Pair *c, double t, double *y)\n",
        ),
        (
            &["reverse", "--emit", "c", "--header"],
            "int f_grad(struct Point *ps, struct Point *ps_b, const struct Pair *c, struct Pair *c_b, double t, double *t_b, double *y, double *y_b, struct cfgrev_tape *tape);\n",
        ),
        (
            &["convert", "--to", "c", "--header"],
            "struct Point middle(const struct Pair *c, double t);\n",
        ),
        (
            &["reverse", "--emit", "c", "--replace"],
            "\nint f(struct Point *ps, const struct Pair *c, double t, double *y)\n",
        ),
        (&["tangent", "--emit", "c"], "const struct Pair *c_t"),
    ] {
        let ran = with(command);
        assert_eq!(ran.code, Some(0), "{command:?}: {}", ran.err);
        let out = ran.out.replace("\n        ", " ");
        assert!(out.contains(wanted), "{command:?}: {}", ran.out);
    }
    let xaif = with(&["convert", "--to", "xaif"]);
    assert_eq!(xaif.code, Some(0), "{}", xaif.err);
}

#[test]
fn what_has_no_records_wants_them_split() {
    for (command, code) in [
        (&["convert", "--to", "c", "--checks"][..], "B809"),
        (&["reverse", "--emit", "c", "--checks"], "B809"),
    ] {
        let ran = with(command);
        assert_eq!(ran.code, Some(1), "{command:?}");
        assert!(
            ran.err.contains(code) && ran.err.contains("--records split"),
            "{command:?}: {}",
            ran.err
        );
    }
    let split = with(&["convert", "--records", "split", "--to", "json"]);
    assert!(split.out.contains(r#""name": "c.b.v""#), "{}", split.err);
    for command in [&["reverse"][..], &["tangent"], &["convert", "--to", "c"]] {
        let ran = cfgrev_with(&[command, &["-"]].concat(), split.out.as_bytes());
        assert_eq!(ran.code, Some(0), "{command:?}: {}", ran.err);
    }
    assert_eq!(cfgrev(&["explain", "V161"]).code, Some(0));
}
