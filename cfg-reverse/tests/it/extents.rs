//! Variables in extents: shapes do not change with values, so an extent that reads a variable which the routine
//! changes is refused (R305).

use crate::bounds::{refusals, valid};
use cfg_core::{
    builder::{ProgramBuilder, RoutineBuilder},
    diagnostic::site::Element,
    entity::VarId,
    ir::{
        Dim, Expr, Op,
        ScalarType::{Integer, Real},
    },
};
use cfg_reverse::{Options, reverse};
use cfg_testkit::flat;

/// The code with which a routine is refused that has a local array of this extent and changes `n`, `y` and
/// what it gets from `w`.
fn refused(extent: impl FnOnce([VarId; 5]) -> Expr) -> Option<String> {
    let mut p = ProgramBuilder::new();
    let fixed = p.global("fixed", Real.array([3]));
    let mut f = RoutineBuilder::new("f");
    let n = f.inout("n", Integer);
    let x = f.input("x", Real.array([Dim::deferred()]));
    let y = f.inout("y", Real.array([Dim::deferred()]));
    let w = f.local("w", Real.array([Dim::deferred()]));
    let fixed = f.global(p.program(), fixed);
    f.independents([x]).dependents([y]);
    let t = f.local(
        "t",
        Real.array([Dim::with_extent(extent([n, x, y, w, fixed]))]),
    );
    f.assign(w, x);
    f.assign(t, 0.0);
    f.assign(t.at(1), Expr::from(x.at(1)) * x.at(1));
    f.assign(y.at(1), Expr::from(t.at(1)) * x.at(1));
    f.assign(fixed.at(1), t.at(1));
    f.assign(n, n + 1);
    let f = p.add(f);
    let program = p.finish().unwrap();
    let problems = reverse(&flat(&program), f, &Options::default()).err()?;
    Some(problems.iter().next().unwrap().code.to_string())
}

fn size(v: VarId) -> Expr {
    Expr::op(Op::Size, [v.into(), Expr::Int(1)])
}

#[test]
fn shapes_may_be_asked_for_and_changed_values_not() {
    assert_eq!(refused(|_| Expr::Int(4)), None);
    // Arrays that are read, written, and global.
    assert_eq!(refused(|[_, x, ..]| size(x)), None);
    assert_eq!(refused(|[_, _, y, ..]| size(y)), None);
    assert_eq!(refused(|[.., fixed]| size(fixed)), None);
    assert_eq!(refused(|[_, x, y, ..]| size(x) + size(y) * 2), None);
    assert_eq!(refused(|[n, ..]| n.into()), Some("R305".to_owned()));
    assert_eq!(
        refused(|[n, _, y, ..]| size(y) + n),
        Some("R305".to_owned())
    );
}

/// An `in` parameter of an `aliased` routine changes by its other name if a call passes one variable to both
/// parameters.
#[test]
fn what_is_in_changes_where_arguments_overlap() {
    for (uses, statement, call, is_changed) in [
        ("", "s := 3", "call g(y, k, k)", true),
        ("", "s := 3", "call g(y, k, j)", false),
        ("", "s := 3", "call g(y, k + 0, k)", false),
        ("", "s := 3", "call g(y, part, under[1])", true),
        ("", "s := 3", "call g(y, i, under[1])", false),
        ("", "y := y*2.0", "call g(y, k, j)", false),
        ("", "y := y*2.0", "call g(y, k, k)", false),
        (
            "",
            "for s = 1, 2\n    y := y*2.0\n  end",
            "call g(y, k, k)",
            true,
        ),
        ("", "s := 3", "call g(y, under[1], under[2])", false),
        ("", "s := 3", "call g(y, pair[1], pair[2])", false),
        ("", "s := 3", "call g(y, pair[k], pair[k + 1])", false),
        ("", "s := 3", "call g(y, pair[k], pair[2])", true),
        ("  uses i\n", "i := 3", "call g(y, i, j)", true),
        ("  uses i\n", "i := 3", "call g(y, k, j)", false),
        (
            "  uses under\n",
            "under[1] := 3",
            "call g(y, part, j)",
            true,
        ),
        ("", "call sets()", "call g(y, i, j)", true),
        ("", "call sets()", "call g(y, part, j)", false),
        ("", "call sets()", "call h(y, i, j)", true),
        ("", "call sets()", "call h(y, k, j)", false),
        ("", "s := 3", "call h(y, k, k)", true),
        ("", "s := 3", "call h(y, k, j)", false),
        ("", "y := y*2.0", "call h(y, k, j)", false),
    ] {
        let source = format!(
            "global integer i = 2
global integer under[2] = 2
global integer part overlays under at 0
subroutine sets()
  uses i
  i := 3
end
aliased subroutine g(inout real y, in integer n, inout integer s)
{uses}  local real w[n]
  w := y*0.5
  {statement}
  y := sum(w)
end
aliased subroutine h(inout real y, in integer n, inout integer s)
  call g(y, n, s)
end
main subroutine f(inout real y)
  independent y
  dependent y
  uses i, under, part
  local integer k, j, pair[2]
  k := 2
  j := 2
  pair := 2
  {call}
end
"
        );
        let expected = [is_changed.then_some("R305"), None];
        assert_eq!(refusals(&source), expected, "{statement}, {call}");
    }
}

/// The problem stands at the call and says by which other name the parameter changes.
#[test]
fn calls_that_hand_over_two_names() {
    for (uses, call, other) in [
        ("", "call g(y, k, k)", Some("`s`")),
        ("", "call g(y, k, j)", None),
        ("  uses i\n", "call g(y, i, j)", Some("the global `i`")),
        ("  uses i\n", "call g(y, part, j)", Some("the global `i`")),
        ("  uses i\n", "call g(y, k, j)", None),
    ] {
        let source = format!(
            "global integer i = 2
global integer part overlays i at 0
aliased subroutine g(inout real y, in integer n, inout integer s)
{uses}  local real w[n]
  w := y*0.5
  s := 3
  {global}y := sum(w)
end
main subroutine f(inout real y)
  independent y
  dependent y
  uses i, part
  local integer k, j
  k := 2
  j := 2
  {call}
end
",
            global = if uses.is_empty() { "" } else { "i := 3\n  " },
        );
        let program = valid(&source);
        let main = program.main.expect("one is marked");
        let problems = reverse(&flat(&program), main, &Options::default()).err();
        let told = problems.as_ref().and_then(|d| d.iter().next());
        assert_eq!(told.map(|d| d.code), other.map(|_| "R305"), "{call}");
        let (Some(problem), Some(other)) = (told, other) else {
            continue;
        };
        let expected = format!("by another name, {other}: in this call");
        assert!(problem.message.contains(&expected), "{problem}");
        let element = problem.at.element.as_deref().unwrap_or_default();
        assert!(element.starts_with("routine f, vertex "), "{problem}");
        assert!(
            element.ends_with(&format!("statement `{call}`")),
            "{problem}"
        );
        let site = problem.at.site.as_ref().map(|site| site.element);
        assert!(matches!(site, Some(Element::Statement(_, 2))), "{problem}");
    }
}

/// Variables in extents may be changed by loops, calls, opaque statements, and by another name.
#[test]
fn whatever_changes_what_extents_read() {
    for (extent, statement, is_changed) in [
        ("n", "m := m + 1", false),
        ("m", "m := m + 1", true),
        ("m", "k[1] := 1", false),
        ("k[1]", "k[2] := 1", true),
        ("k[n]", "y := y*2.0", false),
        ("k[m]", "m := m + 1", true),
        ("size(x)", "m := m + 1", false),
        ("size(x[1:n])", "m := m + 1", false),
        ("size(x[1:m])", "m := m + 1", true),
        ("3 from n", "m := m + 1", false),
        ("3 from m", "m := m + 1", true),
        ("g", "y := y*2.0", false),
        ("g", "call sets(m)", true),
        ("m", "call sets(m)", true),
        ("n", "call sets(m)", false),
        ("under[1]", "g := 3", false),
        ("under[1]", "over := 3", true),
        ("over", "under[2] := 3", true),
        ("m", "for m = 1, 2\n    y := y*x[1]\n  end", true),
        ("m", "for i = 1, 2\n    y := y*x[1]\n  end", false),
        ("m", "opaque \"o\" writes m", true),
        ("m", "opaque \"o\" writes y", false),
    ] {
        let source = format!(
            "global integer g = 2
global integer under[2] = 2
global integer over overlays under at 0
subroutine sets(inout integer m)
  uses g
  g := 3
  m := m + 1
end
main subroutine f(in integer n, inout integer m, inout integer k[2], in real x[3], inout real y)
  independent x
  dependent y
  uses g, under, over
  local integer i
  local real t[{extent}]
  t := x[1]
  {statement}
  y := y*t[3]
end
"
        );
        let expected = [is_changed.then_some("R305"), None];
        assert_eq!(refusals(&source), expected, "{extent}: {statement}");
    }
}
