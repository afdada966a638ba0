//! What extents read: shapes do not change with values, values that the routine changes are refused (R305).

use cfg_core::{
    builder::{ProgramBuilder, RoutineBuilder},
    entity::VarId,
    ir::{
        Dim, Expr, Op,
        ScalarType::{Integer, Real},
    },
};
use cfg_reverse::{Options, reverse};

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
    let t = f.local("t", Real.array([Dim::of(extent([n, x, y, w, fixed]))]));
    f.assign(w, x);
    f.assign(t, 0.0);
    f.assign(t.at(1), Expr::from(x.at(1)) * x.at(1));
    f.assign(y.at(1), Expr::from(t.at(1)) * x.at(1));
    f.assign(fixed.at(1), t.at(1));
    f.assign(n, n + 1);
    let f = p.add(f);
    let program = p.finish().unwrap();
    let problems = reverse(&program, f, &Options::default()).err()?;
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
