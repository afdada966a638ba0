use super::*;
use crate::{
    builder::{ProgramBuilder, RoutineBuilder},
    ir::{Overlay, ScalarType::*},
    testing::Rng,
};

/// The storage of a global, its first cell there, and the cell behind its last.
type Cells = (usize, i64, i64);

/// Globals at random places in two storages, of one of two types, and parameters: checked against cells counted one by
/// one.
#[test]
fn variables_share_if_their_cells_do() {
    let mut rng = Rng::new(11);
    let mut shared = [0; 2];
    for round in 0..2_000 {
        let aliased = round % 4 == 0;
        let mut program = ProgramBuilder::new();
        let owners = [("a", Real), ("b", Real32)].map(|(n, ty)| program.global(n, ty.array([8])));
        let mut f = RoutineBuilder::new("f");
        let mut of: Vec<(VarId, ScalarType, Option<Cells>)> = Vec::new();
        for (name, ty) in [("p", Real), ("q", Real), ("r", Real32), ("k", Integer)] {
            of.push((f.input(name, ty), ty, None));
        }
        for g in 0..rng.below(6) {
            let owner = rng.below(2);
            let (offset, size) = (rng.below(8) as i64, 1 + rng.below(3) as i64);
            let size = size.min(8 - offset);
            let ty = [Real, Real32][owner];
            let g = program.global(format!("g{g}"), ty.array([size]));
            let base = owners[owner];
            program.overlay(g, Overlay { base, offset });
            let cells = Some((owner, offset, offset + size));
            of.push((f.global(program.program(), g), ty, cells));
        }
        if rng.below(3) == 0 {
            let a = f.global(program.program(), owners[0]);
            of.push((a, Real, Some((0, 0, 8))));
        }
        if aliased {
            f.aliased();
        }
        let t = f.local("t", Real);
        of.push((t, Real, None));
        let f = program.add(f);
        let program = program.into_program().expect("the builder is used right");
        let routine = program.routine(f);
        let locations = Locations::divide(&program, routine);
        // Variables that share a cell, directly or through others, are one group.
        let mut group: Vec<usize> = (0..of.len()).collect();
        let mut join = |a: usize, b: usize| {
            let (a, b) = (group[a], group[b]);
            group.iter_mut().filter(|g| **g == a).for_each(|g| *g = b);
        };
        for (i, a) in of.iter().enumerate() {
            for (j, b) in of.iter().enumerate().take(i) {
                let outlives = |v: VarId| !matches!(routine.variable(v).role, Role::Local);
                let cells = match (a.2, b.2) {
                    (Some(a), Some(b)) => a.0 == b.0 && a.1 < b.2 && b.1 < a.2,
                    _ => false,
                };
                if cells || aliased && a.1 == b.1 && outlives(a.0) && outlives(b.0) {
                    join(i, j);
                }
            }
        }
        for (i, a) in of.iter().enumerate() {
            let others = (0..of.len()).any(|j| j != i && group[i] == group[j]);
            assert_eq!(locations.is_shared(a.0), others, "{round}");
            assert_eq!(locations.replaces(&Place::whole(a.0)), !others);
            for (j, b) in of.iter().enumerate() {
                let may = locations.may_share(a.0, b.0);
                assert_eq!(may, group[i] == group[j], "{round}: {} {}", a.0, b.0);
                shared[usize::from(may)] += 1;
            }
        }
    }
    assert!(shared.iter().all(|&n| n > 1_000));
}

#[test]
fn elements_that_are_apart() {
    let (a, i, j) = (VarId::new(0), VarId::new(1), VarId::new(2));
    let at = |e: Expr| Place::element(a, [e]);
    let plus = |v: VarId, k: i64| Expr::op(Op::Add, [Expr::var(v), Expr::Int(k)]);
    let minus = |v: VarId, k: i64| Expr::op(Op::Sub, [Expr::var(v), Expr::Int(k)]);
    assert!(are_apart(&at(Expr::Int(1)), &at(Expr::Int(2))));
    assert!(are_apart(&at(Expr::var(i)), &at(plus(i, 1))));
    assert!(are_apart(&at(minus(i, 1)), &at(plus(i, 1))));
    assert!(!are_apart(&at(minus(i, 1)), &at(plus(i, -1))));
    // The difference of two offsets may overflow.
    assert!(!are_apart(&at(minus(i, i64::MIN)), &at(plus(i, i64::MIN))));
    assert!(are_apart(
        &at(minus(i, i64::MIN + 1)),
        &at(plus(i, i64::MIN))
    ));
    assert!(!are_apart(&at(Expr::var(i)), &at(plus(j, 1))));
    assert!(!are_apart(&at(Expr::var(i)), &at(Expr::Int(1))));
    assert!(!are_apart(&at(Expr::Int(1)), &Place::whole(a)));
    let other = Place::element(i, [Expr::Int(2)]);
    assert!(!are_apart(&at(Expr::Int(1)), &other));
}

/// Elements are told apart in an array that only elements with constant subscripts name, not in one that a variable
/// subscript or an argument names.
#[test]
fn elements_are_told_apart_where_nothing_else_names_the_array() {
    let mut program = ProgramBuilder::new();
    let mut g = RoutineBuilder::new("g");
    let v = g.inout("v", Real.array([1]));
    g.assign(v.at(1), Expr::Real(1.0));
    let g = program.add(g);
    let mut f = RoutineBuilder::new("f");
    let k = f.input("k", Integer);
    let [apart, named, bound] = ["a", "b", "c"].map(|n| f.inout(n, Real.array([3])));
    f.assign(apart.at(1), Expr::Real(1.0));
    f.assign(apart.at(3), Expr::Place(apart.at(1)));
    f.assign(named.at(1), Expr::Place(named.at(k)));
    f.call(g, [Expr::Place(bound.at(2))]);
    let f = program.add(f);
    let program = program.into_program().expect("the builder is used right");
    let routine = program.routine(f);
    let cfg = routine.body.as_ref().expect("it has a body");
    let all = Locations::divide(&program, routine).with_elements(&program, routine, cfg);
    let of = |place: &Place| {
        let mut found = Vec::new();
        all.each_location(place, &mut |l| found.push(l));
        found
    };
    assert_eq!(all.len(), routine.variables.len() + 2);
    assert!(!all.is_empty() && Locations::default().is_empty());
    let [one, two, three] = [1, 2, 3].map(|i| of(&Place::element(apart, [Expr::Int(i)])));
    assert!(one.len() == 1 && two.is_empty() && three.len() == 1 && one != three);
    assert_eq!(of(&Place::whole(apart)), [one[0], three[0]]);
    assert!(all.replaces(&Place::element(apart, [Expr::Int(1)])));
    let parts = all.member_places(apart, |l| l == three[0]);
    assert_eq!(parts, [Place::element(apart, [Expr::Int(3)])]);
    for v in [named, bound] {
        let element = Place::element(v, [Expr::Int(1)]);
        assert_eq!(of(&element), [all.of_variable(v)]);
        assert!(!all.replaces(&element) && all.replaces(&Place::whole(v)));
        assert_eq!(all.member_places(v, |_| true), [Place::whole(v)]);
        assert!(all.member_places(v, |_| false).is_empty());
    }
}

/// An array with an element beyond the limit is one location; the elements of one before it are told apart.
#[test]
fn elements_are_told_apart_up_to_the_limit() {
    let mut program = ProgramBuilder::new();
    let mut f = RoutineBuilder::new("f");
    let [a, b] = ["a", "b"].map(|n| f.inout(n, Real.array([3])));
    for (array, i) in [(a, 1), (a, 2), (b, 1), (b, 2)] {
        f.assign(array.at(i), Expr::Real(1.0));
    }
    let f = program.add(f);
    let program = program.into_program().expect("the builder is used right");
    let routine = program.routine(f);
    let cfg = routine.body.as_ref().expect("it has a body");
    let split = |most| {
        let all = Locations::divide(&program, routine);
        let all = all.with_elements_within(&program, routine, cfg, most);
        [a, b].map(|v| all.member_places(v, |_| true).len())
    };
    // `parts` of an array as a whole is the array.
    assert_eq!([1, 2, 3, 4].map(split), [[1, 1], [2, 1], [2, 1], [2, 2]]);
}

/// Only arrays named by elements with constant subscripts are taken apart; scalars keep their locations.
#[test]
fn arrays_of_which_elements_are_named() {
    let mut f = RoutineBuilder::new("f");
    let x = f.inout("x", Real);
    let [a, b, c] = ["a", "b", "c"].map(|name| f.local(name, Real.array([3])));
    f.assign(a.at(1), x);
    f.assign(a.at(3), x);
    f.assign(b.at(1), x);
    f.assign(b, 0.0);
    f.assign(c.at(2), a.at(1));
    f.assign(x, a.at(3));
    let mut program = ProgramBuilder::new();
    let f = program.add(f);
    let program = program.finish().expect("the builder is used right");
    let routine = program.routine(f);
    let cfg = routine.body.as_ref().expect("it has a body");
    let whole = Locations::divide(&program, routine);
    for most in 0..6 {
        let found = whole.named_by_elements(&program, routine, cfg, most);
        // The array that is used as a whole later has one further named element.
        let expected = match most {
            0 | 1 => vec![],
            2 | 3 => vec![(a, vec![vec![1], vec![3]])],
            _ => vec![(a, vec![vec![1], vec![3]]), (c, vec![vec![2]])],
        };
        let elements: usize = expected.iter().map(|(_, named)| named.len()).sum();
        assert_eq!(found, expected, "{most}");
        let parts = (whole.clone()).with_elements_within(&program, routine, cfg, most);
        assert_eq!(parts.len(), whole.len() + elements);
        assert_eq!(parts.of_variable(x), whole.of_variable(x));
    }
}
