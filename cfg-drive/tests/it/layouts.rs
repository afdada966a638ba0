//! Pointers to parts of records, moved to cells that have other types, and to such that have the same.

use crate::pointers::{gradient, refusals, run};
use cfg_core::diagnostic::Severity;
use serde_json::json;

/// A program with records that have each other as parts, and what its main routine does.
fn program(body: &str) -> String {
    format!(
        "record P
  real a
  integer n
  real b
end

record Q
  integer k
  record P p
  integer l[2]
  real z
end

record Mixed
  real a[2]
  integer i
  real b
  integer j
  real c
  integer k
  real d
  integer l
  real e[3]
end

record Way
  ^real x
  ^integer i
end

subroutine at(in ^real p, in integer k, out real y)
  y := p^[k]
end

subroutine first(in ^record P p, in integer k, out real y)
  y := p^[k].a
end

main subroutine f(in real x[4], out real y)
  local record P one
  local record P three[3]
  local record Q whole
  local record Q two[2]
  local record Mixed mixed
  local record Way way
  local ^record P pp
  local ^record Q qq
  local ^real p
  local ^integer ip
  local ^^real way_to
  local integer i
  independent x
  dependent y
  y := 0.0
  i := 0
  one.a := x[1]
  one.n := 7
  one.b := x[2]
  three[1] := one
  three[2] := one
  three[2].a := x[3]
  three[3] := one
  whole.k := 1
  whole.p := one
  whole.l := 2
  whole.z := x[4]
  two[1] := whole
  two[2] := whole
  mixed.a := x[1]
  mixed.i := 1
  mixed.b := x[2]
  mixed.j := 1
  mixed.c := x[3]
  mixed.k := 1
  mixed.d := x[4]
  mixed.l := 1
  mixed.e := x[1]
  way.x := addr(one.a)
  way.i := addr(one.n)
  {body}
end
"
    )
}

/// A message, and the routine that notes name.
const OTHER: &str = "cells of its object that have another type";
const OUTSIDE: &str = "outside of its object";
const NULL: &str = "null";

#[test]
fn a_pointer_to_cells_of_another_type_ends_the_run() {
    let cases = [
        ("p := addr(one.a)\n y := p^[1]", OTHER),
        ("p := addr(one.a)\n y := p^[3]", OUTSIDE),
        ("p := addr(one.b)\n p := shift(p, -1)\n p^ := 1.0", OTHER),
        ("ip := addr(one.n)\n i := ip^[1]\n y := real(i)", OTHER),
        ("p := addr(three[1].a)\n y := p^[4]", OTHER),
        ("p := addr(three[1].a)\n y := sum(three.a)*p^[7]", OTHER),
        // Records with several fields of one type in a row, fields that are arrays, and longer records.
        (
            "ip := addr(two[1].l[1])\n i := ip^[2]\n y := real(i)",
            OTHER,
        ),
        (
            "ip := addr(two[1].l[1])\n i := ip^[-1]\n y := real(i)",
            OTHER,
        ),
        ("p := addr(mixed.a[1])\n y := p^[2]", OTHER),
        ("p := addr(mixed.a[1])\n y := p^[4]", OTHER),
        ("p := addr(mixed.e[1])\n y := p^[-1]", OTHER),
        ("p := addr(mixed.e[1])\n y := p^[3]", OUTSIDE),
        // Records in records: the cells are those of no P, or not all of the object.
        ("pp := addr(whole.p)\n y := pp^[1].a", OTHER),
        ("pp := addr(two[1].p)\n y := pp^[1].b", OTHER),
        ("pp := addr(two[1].p)\n pp^[1] := one", OTHER),
        ("pp := addr(two[1].p)\n one := pp^[1]\n y := one.a", OTHER),
        ("pp := addr(whole.p)\n one := pp^[5]\n y := one.b", OUTSIDE),
        ("pp := null(record P)\n one := pp^\n y := one.a", NULL),
        ("pp := null(record P)\n pp^ := one", NULL),
        ("allocate qq, 2\n qq^[2] := whole", OUTSIDE),
        // Objects of several layouts.
        (
            "allocate p, 3 zeroed\n call at(p, 1, y)\n call at(addr(one.a), 1, y)",
            OTHER,
        ),
        (
            "call at(addr(one.a), 2, y)\n call at(addr(whole.z), -6, y)",
            OTHER,
        ),
        (
            "call first(addr(three[1]), 2, y)\n call first(addr(whole.p), 1, y)",
            OTHER,
        ),
        (
            "allocate pp, 3 zeroed\n call first(pp, 2, y)\n call first(pp, 3, y)\n call first(addr(whole.p), 0, y)",
            OUTSIDE,
        ),
        (
            "allocate p, 3 zeroed\n call at(p, 1, y)\n allocate pp, 2 zeroed\n call at(addr(pp^.a), 4, y)",
            OTHER,
        ),
        // Pointers to different types are different cells.
        ("way_to := addr(way.x)\n y := way_to^[1]^", OTHER),
    ];
    for (body, message) in cases {
        let text = program(body);
        for problems in refusals(&text) {
            let [problem, notes @ ..] = &*problems.0 else {
                panic!("{text}")
            };
            assert_eq!(problem.code, "X224", "{body}: {problems}");
            assert!(problem.message.contains(message), "{body}: {problems}");
            assert_eq!(
                notes.len(),
                usize::from(message != NULL),
                "{body}: {problems}"
            );
            for note in notes {
                assert_eq!((note.severity, note.code), (Severity::Note, "X224"));
                assert!(note.message.contains("made here"), "{body}: {problems}");
            }
        }
    }
}

#[test]
fn a_pointer_to_cells_of_its_type_may_lead_to_other_fields() {
    // The values of x are 1, 2, 3, 4.
    let cases = [
        ("p := addr(one.a)\n y := p^[2]", 2.0, [0.0, 1.0, 0.0, 0.0]),
        (
            "p := addr(three[1].a)\n y := p^[3]*p^[2]",
            6.0,
            [0.0, 3.0, 2.0, 0.0],
        ),
        (
            "p := addr(three[1].b)\n y := p^[-2]*p^[1]*p^",
            6.0,
            [6.0, 3.0, 2.0, 0.0],
        ),
        (
            "p := addr(mixed.a[1])\n y := p^[1]*p^[3]*p^[5]*p^[7]*p^[11]",
            24.0,
            [48.0, 12.0, 8.0, 6.0],
        ),
        (
            "ip := addr(two[1].l[1])\n y := x[1]*real(ip^[1] + ip^[-2] + ip^[7] + ip^[3])",
            12.0,
            [12.0, 0.0, 0.0, 0.0],
        ),
        (
            "pp := addr(three[1])\n y := pp^[1].a*pp^[2].b",
            6.0,
            [0.0, 3.0, 2.0, 0.0],
        ),
        (
            "pp := addr(two[1].p)\n one := pp^\n y := one.a*pp^.b",
            2.0,
            [2.0, 1.0, 0.0, 0.0],
        ),
        (
            "qq := addr(two[1])\n qq^[1].p.a := x[3]\n pp := addr(qq^[1].p)\n y := pp^.a",
            3.0,
            [0.0, 0.0, 1.0, 0.0],
        ),
        (
            "allocate p, 3 zeroed\n p^[1] := x[4]\n call at(p, 1, y)\n y := y*p^[1]",
            16.0,
            [0.0, 0.0, 0.0, 8.0],
        ),
        (
            "allocate p, 3 zeroed\n p^[1] := x[4]\n call at(p, 1, y)\n one.a := y\n call at(addr(one.b), -2, y)",
            4.0,
            [0.0, 0.0, 0.0, 1.0],
        ),
        (
            "call at(addr(one.a), 2, y)\n one.a := y\n call at(addr(whole.z), -3, y)\n y := y + one.a",
            4.0,
            [0.0, 2.0, 0.0, 0.0],
        ),
        (
            "call first(addr(three[1]), 1, y)\n one.a := y\n call first(addr(whole.p), 0, y)\n y := y*one.a",
            3.0,
            [3.0, 0.0, 1.0, 0.0],
        ),
        (
            "way_to := addr(way.x)\n y := way_to^[0]^*way.x^",
            1.0,
            [2.0, 0.0, 0.0, 0.0],
        ),
        // The element behind an array is no use as long as nothing is read there.
        (
            "p := shift(addr(one.a), 1)\n p := shift(p, 1)\n y := p^",
            2.0,
            [0.0, 1.0, 0.0, 0.0],
        ),
    ];
    let point = r#"{"x": [1, 2, 3, 4]}"#;
    for (body, value, derivative) in cases {
        let text = program(body);
        let found = run(&text, point).unwrap_or_else(|e| panic!("{body}: {e}"));
        assert_eq!(found, json!({"y": value}), "{body}");
        let found = gradient(&text, point).unwrap_or_else(|e| panic!("{body}: {e}"));
        assert_eq!(found, json!({"x": derivative}), "{body}");
    }
}

/// Records that are globals are objects like others.
#[test]
fn globals_have_layouts() {
    let program = |body: &str| {
        format!(
            "record L
  real a
  integer k
end

record M
  integer k
  real a
  real b
end

record None
  real x[0]
  real y[0]
end

global record L one
global record M two[2]
global real parts[4]
global real part[2] overlays parts at 1
main subroutine f(in real x[4], out real y)
  uses one, two, parts, part
  local ^record M q
  local ^record None nothing
  local ^real p
  local integer n
  independent x
  dependent y
  y := 0.0
  n := 0
  one.a := x[1]
  one.k := 3
  two[1].k := 1
  two[1].a := x[2]
  two[1].b := x[3]
  two[2] := two[1]
  parts := x[4]
  {body}
end
"
        )
    };
    let point = r#"{"x": [1, 2, 3, 4]}"#;
    for (body, value) in [
        // Alone, beside the heap, and beside other globals.
        ("p := addr(one.a)\n y := p^", 1.0),
        (
            "allocate q, 1 zeroed\n p := addr(q^.a)\n p := addr(one.a)\n y := p^",
            1.0,
        ),
        (
            "p := addr(one.a)\n p := addr(two[1].a)\n y := p^[1]*p^[3]",
            6.0,
        ),
        (
            "p := addr(two[2].b)\n p := addr(part[1])\n y := p^[1]*p^",
            16.0,
        ),
        ("p := addr(one.a)\n p := addr(parts[4])\n y := p^[-3]", 4.0),
        // A record without cells does not hinder the others.
        (
            "allocate nothing, 2\n p := addr(nothing^.x)\n p := addr(one.a)\n y := p^",
            1.0,
        ),
        (
            "allocate nothing, 2\n p := addr(nothing^.x)\n if p == null(real)\n y := p^\n end\n y := 2.0",
            2.0,
        ),
    ] {
        let text = program(body);
        let found = run(&text, point).unwrap_or_else(|e| panic!("{body}: {e}"));
        assert_eq!(found, json!({"y": value}), "{body}");
        gradient(&text, point).unwrap_or_else(|e| panic!("{body}: {e}"));
    }
    for (body, message) in [
        ("p := addr(one.a)\n y := p^[1]", OTHER),
        (
            "allocate q, 1 zeroed\n p := addr(q^.a)\n p := addr(one.a)\n y := p^[1]",
            OTHER,
        ),
        ("p := addr(one.a)\n p := addr(two[1].a)\n y := p^[2]", OTHER),
        (
            "p := addr(one.a)\n p := addr(two[1].a)\n y := p^[5]",
            OUTSIDE,
        ),
        (
            "p := addr(one.a)\n p := addr(part[1])\n y := p^[5]",
            OUTSIDE,
        ),
        (
            "allocate nothing, 2\n p := addr(nothing^.x)\n y := p^",
            OUTSIDE,
        ),
    ] {
        for problems in refusals(&program(body)) {
            let problem = &problems.0[0];
            assert_eq!(problem.code, "X224", "{body}: {problems}");
            assert!(problem.message.contains(message), "{body}: {problems}");
        }
    }
}
