//! Programs with pointers: lowered to pools, run and differentiated.

use crate::flat;
use crate::records::read;
use cfg_core::{
    diagnostic::{Diagnostics, Severity},
    entity::RoutineId,
    validate::ValidProgram,
};
use cfg_drive::{Adjoint, Members, Options, Primal, Tangent, Tolerances, check};
use cfg_testkit::fixtures::folder;
use cfg_transform::pools;
use serde_json::{Value as Json, json};
use std::fs;

/// The program without pointers, and the routine by which it is entered.
fn lowered(text: &str, cells: usize) -> Result<(ValidProgram, RoutineId), Diagnostics> {
    let program = read(text);
    let main = program.main.unwrap_or(RoutineId::new(0));
    let name = program.routine(main).name.clone();
    let program = pools::lower(&program, &[main], cells)?;
    let main = program.find_routine(&name).expect("it keeps its name");
    assert!(!program.has_pointers());
    Ok((program, main))
}

pub(crate) fn run(text: &str, point: &str) -> Result<Json, Diagnostics> {
    let (program, main) = lowered(text, 1000)?;
    let mut primal = Primal::new(&flat(&program), main, &Options::default())?;
    let point = primal.read_point(point.as_bytes())?;
    let run = primal.run(&point)?;
    Ok(serde_json::to_value(Members::new(&run.value, &program, main)).expect("values"))
}

fn tangent(text: &str, point: &str, direction: &str) -> Result<(), Diagnostics> {
    let (program, main) = lowered(text, 1000)?;
    let mut tangent = Tangent::new(&flat(&program), main, &Options::default())?;
    let point = tangent.read_point(point.as_bytes())?;
    let direction = tangent.read_direction(direction.as_bytes(), &point)?;
    tangent.tangent(&point, &direction).map(drop)
}

pub(crate) fn gradient(text: &str, point: &str) -> Result<Json, Diagnostics> {
    let (program, main) = lowered(text, 1000)?;
    let mut adjoint = Adjoint::new(&flat(&program), main, &Options::default())?;
    let point = adjoint.read_point(point.as_bytes())?;
    let seed = adjoint.default_seed(&point)?;
    let found = adjoint.gradient(&point, &seed)?;
    Ok(serde_json::to_value(Members::new(&found.gradient, &program, main)).expect("values"))
}

/// Twelve routines of the kind that C programs have: adjoint, tangent and differences agree, and the tape is empty at
/// the end.
#[test]
fn the_fixtures_have_right_gradients() {
    let folder = folder().join("memory");
    let entries = fs::read_dir(&folder).expect("the folder is there");
    let mut files: Vec<_> = entries.map(|e| e.expect("a file").path()).collect();
    files.retain(|path| path.extension().is_some_and(|e| e == "cfgrev"));
    files.sort();
    assert!(files.len() >= 12, "{files:?}");
    for path in files {
        let text = fs::read_to_string(&path).expect("it is text");
        let point = fs::read(path.with_extension("point.json")).expect("it has a point");
        let (program, main) = lowered(&text, 1000).unwrap_or_else(|e| panic!("{e}"));
        let read = |primal: &Primal| primal.read_point(&point);
        let tolerances = Tolerances::default();
        let checked = check(&flat(&program), main, &Options::default(), read, tolerances);
        let checked = checked.unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        assert_eq!(checked.agrees(), Some(true), "{}", path.display());
    }
}

/// A routine whose local has ended when its caller uses the pointer.
const LOCAL_POINTER: &str = "subroutine local_pointer(out ^real p)
  local real gone
  gone := 1.0
  p := addr(gone)
end
";

/// The problems of a run, a tangent and a gradient of a failing program with `x[4]`.
pub(crate) fn refusals(text: &str) -> [Diagnostics; 3] {
    let point = r#"{"x": [1, 2, 3, 4]}"#;
    // Derivatives are declared before their originals.
    [
        run(text, point).expect_err(text),
        tangent(text, point, point).expect_err(text),
        gradient(text, point).expect_err(text),
    ]
}

/// Bodies of `f(in integer k, in real x[4], out real y)` with locals `p`, `q` and `r`, and how they end.
#[test]
fn uses_of_pointers_that_lead_nowhere_end_the_run() {
    let cases = [
        ("p := null(real)\n y := p^", "X224", "null"),
        ("p := addr(a[1])\n y := p^[3]", "X224", "outside"),
        ("p := addr(a[3])\n p^[1] := x[1]", "X224", "outside"),
        (
            "p := addr(a[1])\n p := shift(p, -1)\n y := p^",
            "X224",
            "outside",
        ),
        ("allocate p, 2\n p^[2] := 1.0", "X224", "outside"),
        (
            "p := addr(m[1, 1])\n k := 4\n y := m[1, k]",
            "X224",
            "outside",
        ),
        ("allocate p, 2 zeroed\n free p\n y := p^", "X224", "ended"),
        ("allocate p, 2\n free p\n free p", "X224", "freed"),
        ("allocate p, 2\n p := shift(p, 1)\n free p", "X224", "freed"),
        ("p := addr(a[1])\n free p", "X224", "freed"),
        (
            "allocate p, 2\n q := addr(a[1])\n k := distance(p, q)",
            "X224",
            "different",
        ),
        (
            "allocate p, 2\n allocate q, 2\n if p < q\n y := 1.0\n end",
            "X224",
            "different",
        ),
        ("k := -1\n allocate p, k", "X225", "room"),
        ("allocate p, 5000", "X225", "room"),
        (
            "allocate p, 2\n q := p\n resize p, 3\n y := q^",
            "X224",
            "ended",
        ),
        ("call local_pointer(p)\n y := p^", "X224", "ended"),
    ];
    for (body, code, word) in cases {
        let text = format!(
            "{LOCAL_POINTER}
main subroutine f(in real x[4], out real y)
  local real a[3]
  local ^real p
  local ^real q
  local integer k
  local real m[2, 3]
  independent x
  dependent y
  a := 0.5
  y := 0.0
  k := 0
  m := 0.5
  q := addr(a[1])
  {body}
end
"
        );
        for problems in refusals(&text) {
            let problem = &problems.0[0];
            assert_eq!(problem.code, code, "{text}{problems}");
            assert!(problem.message.contains(word), "{text}{problems}");
        }
    }
}

/// The first problem says which mistake it is; notes behind it say in which routine the object was made, and in which
/// it ended.
#[test]
fn faults_of_pointers_name_the_places_of_their_objects() {
    const OUTSIDE: &str = "leads outside of its object, which has";
    const ENDED: &str = "leads to an object that has ended";
    /// The words of a note, and the routine that it names.
    type Note = (&'static str, &'static str);
    let cases: [(&str, &str, &[Note]); 9] = [
        (
            "call fresh(3, p)\n y := p^[3]",
            "has 3 cells",
            &[("made", "fresh")],
        ),
        (
            "call fresh(1, p)\n y := p^[-1]",
            "has 1 cell",
            &[("made", "fresh")],
        ),
        (
            "call fresh(0, p)\n y := p^",
            "has 0 cells",
            &[("made", "fresh")],
        ),
        (
            "call fresh(3, p)\n call drop(p)\n y := p^",
            ENDED,
            &[("made", "fresh"), ("ended", "drop")],
        ),
        // Which of several objects it is, and which of several activations made it.
        (
            "call fresh(2, q)\n allocate p, 2\n call drop(q)\n call fresh(2, q)\n y := p^[2]\n call drop(p)",
            OUTSIDE,
            &[("made", "f")],
        ),
        (
            "call local_pointer(p)\n y := p^[1]",
            ENDED,
            &[("made", "local_pointer"), ("ended", "local_pointer")],
        ),
        (
            "call fresh(3, p)\n call drop(p)\n call drop(p)",
            "freed",
            &[("made", "fresh"), ("ended", "drop")],
        ),
        (
            "call fresh(3, p)\n p := shift(p, 1)\n call drop(p)",
            "freed",
            &[("made", "fresh")],
        ),
        ("p := null(real)\n y := p^", "null", &[]),
    ];
    for (body, message, places) in cases {
        let text = format!(
            "{LOCAL_POINTER}
subroutine fresh(in integer n, out ^real p)
  allocate p, n zeroed
end

subroutine drop(in ^real p)
  local ^real q
  q := p
  free q
end

main subroutine f(in real x[4], out real y)
  local ^real p
  local ^real q
  independent x
  dependent y
  y := 0.0
  {body}
end
"
        );
        for problems in refusals(&text) {
            let [problem, notes @ ..] = &*problems.0 else {
                panic!("{text}")
            };
            assert!(problem.message.contains(message), "{text}{problems}");
            assert_eq!(notes.len(), places.len(), "{text}{problems}");
            for (note, (what, routine)) in notes.iter().zip(places) {
                assert_eq!((note.severity, note.code), (Severity::Note, "X224"));
                let element = note.at.element.as_deref().expect("it has a place");
                // In programs that were made it names the place there, too.
                let named = element.split([',', ' ']).nth(1);
                assert_eq!(named, Some(*routine), "{text}{problems}");
                assert!(note.message.contains(what), "{text}{problems}");
            }
        }
    }
}

/// Legal uses of pointers, with the value.
#[test]
fn pointers_lead_where_they_are_said_to() {
    let cases = [
        // One behind the end may be compared and come back.
        (
            "p := shift(addr(a[1]), 3)\n q := shift(p, -3)\n y := q^ + real(distance(p, q))",
            3.5,
        ),
        (
            "p := null(real)\n free p\n free p\n y := if(p == null(real), 1.0, 2.0)",
            1.0,
        ),
        (
            "p := if(x[1] > 0.0, addr(a[2]), addr(x2))\n p^ := 7.0\n y := a[2] + x2",
            7.25,
        ),
        (
            "p := if(x[1] < 0.0, addr(a[2]), addr(x2))\n p^ := 7.0\n y := a[2] + x2",
            7.5,
        ),
        // Variables are given back: more calls than the pool has cells.
        ("for i = 1, 2000\n call own(y)\n end", 2000.0),
        ("call both(a[1], addr(a[1]))\n y := a[1]", 9.0),
        // An empty section may be anywhere.
        ("p := addr(a[3])\n a[4:3] := 1.0\n y := p^", 0.5),
        (
            "allocate p, 3 zeroed\n p^[1] := x[2]\n resize p, 2\n y := p^[0] + p^[1]",
            2.0,
        ),
        (
            "p := null(real)\n resize p, 2\n p^[1] := 4.0\n y := p^[1]",
            4.0,
        ),
        (
            "p := addr(a[2])\n p^ := p^ + 1.0\n a := 2.0*a\n y := p^",
            3.0,
        ),
        ("p := addr(a[1])\n y := sum(a[1:3:2])", 1.0),
        (
            "p := addr(m[2, 3])\n m := 1.0\n p^ := 5.0\n y := m[2, 3] + m[1, 1] + m[2, 1]",
            7.0,
        ),
        (
            "pp := addr(p)\n p := addr(a[1])\n pp^^ := 9.0\n pp^ := addr(a[2])\n p^ := 1.0\n y := a[1] + 10.0*a[2]",
            19.0,
        ),
        (
            "p := addr(a[1])\n q := p\n y := if(p == q and not p != q and p <= q, 1.0, 0.0)",
            1.0,
        ),
    ];
    for (body, expected) in cases {
        let text = format!(
            "subroutine own(inout real u)
  local real t
  local ^real o
  t := u
  o := addr(t)
  u := o^ + 1.0
end

subroutine both(inout real u, in ^real o)
  u := u + 1.0
  o^ := o^*2.0
  u := u*3.0
end

main subroutine f(in real x[4], out real y)
  local real a[3]
  local real m[2, 3]
  local real x2
  local integer i
  local ^real p
  local ^real q
  local ^^real pp
  a := 0.5
  x2 := 0.25
  y := 0.0
  {body}
end
"
        );
        let found = run(&text, r#"{"x": [1, 2, 3, 4]}"#).unwrap_or_else(|e| panic!("{e}\n{text}"));
        assert_eq!(found, json!({"y": expected}), "{text}");
    }
}

/// Objects are freed in another order than they were allocated, and more are allocated in all than there is room for at
/// a time.
#[test]
fn freed_objects_are_used_again() {
    let queue = |size: &str| {
        format!(
            "for i = 1, 3000\n allocate p, {size}\n p^[0] := real(i)\n free q\n q := r\n r := p\n end
  y := q^[0] + r^[0]"
        )
    };
    let cases = [
        (queue("3"), 1000, Ok(5999.0)),
        (queue("3 + modulo(i, 2)"), 1000, Ok(5999.0)),
        // Objects of both sizes share a list.
        (
            "allocate q, 1\n allocate r, 1022\n free q\n allocate p, 1022\n p^[1] := 1.0\n y := p^[1]".to_owned(),
            2000,
            Err("X225"),
        ),
        (
            "for i = 1, 3000\n allocate p, 1\n free p\n end\n y := 1.0".to_owned(),
            1000,
            Ok(1.0),
        ),
    ];
    for (body, cells, expected) in cases {
        let text = format!(
            "main subroutine f(out real y)
  local integer i
  local ^real p
  local ^real q
  local ^real r
  q := null(real)
  r := q
  p := q
  {body}
end
"
        );
        let (program, main) = lowered(&text, cells).unwrap_or_else(|e| panic!("{e}\n{text}"));
        let mut primal =
            Primal::new(&flat(&program), main, &Options::default()).expect("a program");
        let point = primal.read_point(b"{}").expect("a point");
        let found = primal.run(&point).map(|run| {
            serde_json::to_value(Members::new(&run.value, &program, main)).expect("values")
        });
        match (found, expected) {
            (Ok(found), Ok(y)) => assert_eq!(found, json!({"y": y}), "{text}"),
            (Err(e), Err(code)) => assert!(e.to_string().contains(code), "{e}\n{text}"),
            (found, expected) => panic!("{found:?} in place of {expected:?}\n{text}"),
        }
    }
}

/// Globals to which pointers lead have cells of their own, but for those that share storage.
#[test]
fn pointers_lead_to_globals() {
    for (target, value, derivative) in [
        ("G[1]", 4779.0, 116.0),
        ("H[1]", 4791.0, 106.0),
        ("G[2]", 4791.0, 106.0),
        ("K[3]", 4771.0, 116.0),
    ] {
        let text = format!(
            "global real G[4] = 1.0, 2.0, 3.0, 4.0
global real H[2] overlays G at 1
global real K[3] = 5.0, 6.0, 7.0
main subroutine f(in real x, out real y)
  uses G, H, K
  local ^real p
  independent x
  dependent y
  H := x
  p := addr(K[2])
  p^ := p^*x
  p := addr({target})
  p^ := 9.0
  y := G[1] + 10.0*G[2] + 100.0*G[3] + 1000.0*G[4] + K[2] - K[1]*0.0 - 42.0
end
"
        );
        let point = r#"{"x": 7}"#;
        assert_eq!(
            run(&text, point).expect(&text),
            json!({"y": value}),
            "{target}"
        );
        assert_eq!(
            gradient(&text, point).expect(&text),
            json!({"x": derivative}),
            "{target}"
        );
    }
}

/// All elements of arrays in arrays of records, to which pointers lead, get a scalar, which may be one of them.
#[test]
fn arrays_in_arrays_of_records_get_one_value() {
    for (assigned, value) in [
        ("g^.c.v := x", 111.0),
        ("g^.c.v := g^.p^[1]", 3.0 * 111.0),
        ("g^.c[2:3].v := g^.p^[1]", 1.0 + 3.0 * 110.0),
        ("g^.c[3:1:-2].v := 5.0*x", 5.0 + 30.0 + 500.0),
        ("g^.c[n:n + 1].v := 5.0*x", 1.0 + 50.0 + 500.0),
        ("g^.c[n:n + 1].v[2:1:-1] := 5.0*x", 1.0 + 50.0 + 500.0),
        ("g^.c[1:3:2].v[2:1:-1] := 5.0*x", 5.0 + 30.0 + 500.0),
        ("g^.c[3:1:-1].v[1:2:2] := 5.0*x", 1.0 + 30.0 + 500.0),
        ("g^.c[1:3:2].v[2:1] := 5.0*x", 1.0 + 30.0 + 100.0),
        ("g^.c[1:3:-1].v := 5.0*x", 1.0 + 30.0 + 100.0),
    ] {
        let text = format!(
            "record C
  real v[2]
  integer m
end
record G
  record C c[3]
  ^real p
end
main subroutine f(in integer n, in real x, out real y)
  local ^record G g
  independent x
  dependent y
  allocate g, 1 zeroed
  g^.c.v := x
  g^.p := addr(g^.c[2].v[1])
  g^.p^[1] := 3.0*x
  {assigned}
  y := g^.c[1].v[2] + 10.0*g^.c[2].v[2] + 100.0*g^.c[3].v[1]
end
"
        );
        let point = r#"{"n": 2, "x": 7}"#;
        let found = run(&text, point).unwrap_or_else(|d| panic!("{d}{text}"));
        assert_eq!(found, json!({"y": 7.0 * value}), "{assigned}");
        let found = gradient(&text, point).unwrap_or_else(|d| panic!("{d}{text}"));
        assert_eq!(found, json!({"x": value}), "{assigned}");
    }
}

/// All elements of arrays of pointers in arrays of records, and of matrices of pointers, get one pointer, which may be
/// one of them.
#[test]
fn arrays_of_pointers_in_arrays_of_records_get_one_pointer() {
    for (assigned, value) in [
        ("g^.c.m := 1", 111.0),
        ("g^.c.q := shift(h, 1)", 333.0),
        ("g^.c.q := g^.c[2].q[1]", 333.0),
        ("g^.c.q := shift(g^.c[2].q[1], -1)", 111.0),
        ("g^.c[2:3].q := g^.c[2].q[1]", 331.0),
        ("g^.c[n:n + 1].q := if(x > 0.0, g^.c[2].q[1], h)", 331.0),
        ("g^.c[3:1:-2].q := addr(h^[1])", 313.0),
        ("g^.c.q := null(real)\n g^.c.q := h", 111.0),
        (
            "hh := addr(q[1, 2])\n q := h\n q := shift(hh^, 1)\n g^.c.q := q[2, 3]",
            333.0,
        ),
        (
            "hh := addr(q[1, 2])\n q := h\n hh^ := shift(h, 1)\n q := hh^\n g^.c.q := q[2, 3]",
            333.0,
        ),
    ] {
        let text = format!(
            "record C
  ^real q[2]
  integer m
end
record G
  record C c[3]
end
main subroutine f(in integer n, in real x, out real y)
  local ^record G g
  local ^real h
  local ^^real hh
  local ^real q[2, 3]
  independent x
  dependent y
  allocate g, 1 zeroed
  allocate h, 2
  h^ := x
  h^[1] := 3.0*x
  g^.c.q := h
  g^.c[2].q[1] := shift(h, 1)
  {assigned}
  y := g^.c[1].q[2]^ + 10.0*g^.c[2].q[2]^ + 100.0*g^.c[3].q[1]^
end
"
        );
        let point = r#"{"n": 2, "x": 7}"#;
        let found = run(&text, point).unwrap_or_else(|d| panic!("{d}{text}"));
        assert_eq!(found, json!({"y": 7.0 * value}), "{assigned}");
        let found = gradient(&text, point).unwrap_or_else(|d| panic!("{d}{text}"));
        assert_eq!(found, json!({"x": value}), "{assigned}");
    }
}

/// Extents are found through pointers where the routine is entered, and stay as they are.
#[test]
fn extents_are_found_through_pointers() {
    let text = |declared: &str, taken: &str| {
        format!(
            "record S
  integer n
  ^record S next
end
main subroutine f(in integer k, in real x, out real y)
  local ^record S s
  independent x
  dependent y
  allocate s, 1 zeroed
  allocate s^.next, 1 zeroed
  s^.n := k
  s^.next^.n := k + 1
  y := call g(s, x)
end
function g(in ^record S s, in real x) result real r
  local real w[{declared}]
  local ^real p
  w := x
  {taken}
  s^.n := 1
  s^.next^.n := 1
  w := w*x
  r := sum(w)
end
"
        )
    };
    for taken in ["p := null(real)", "p := addr(w)"] {
        for (declared, extent) in [
            ("s^.n", 3.0),
            ("s^.next^.n + 1", 5.0),
            ("s^.n from -s^.n", 3.0),
            ("if(s^.next == null(record S), 1, 5)", 5.0),
            ("distance(s, s) + 2", 2.0),
            ("max(s^.n - 10, 0)", 0.0),
        ] {
            let text = text(declared, taken);
            let point = r#"{"k": 3, "x": 7}"#;
            let found = run(&text, point).unwrap_or_else(|d| panic!("{d}{text}"));
            assert_eq!(found, json!({"y": 49.0 * extent}), "{text}");
            let found = gradient(&text, point).unwrap_or_else(|d| panic!("{d}{text}"));
            assert_eq!(found, json!({"x": 14.0 * extent}), "{text}");
        }
        let text = text("s^.next^.next^.n", taken);
        let point = r#"{"k": 3, "x": 7}"#;
        for found in [run(&text, point), gradient(&text, point)] {
            let problems = found.expect_err(&text);
            let problem = &problems.0[0];
            assert_eq!(problem.code, "X224", "{text}{problems}");
            assert!(problem.message.contains("null"), "{text}{problems}");
        }
    }
    // Where the program is entered.
    let text = "main subroutine f(in ^integer n, in real x, out real y)
  local real w[n^]
  independent x
  dependent y
  w := x
  y := sum(w)
end
";
    let point = r#"{"n": [3], "x": 7}"#;
    assert_eq!(run(text, point).expect("it is right"), json!({"y": 21.0}));
    let found = gradient(text, point).expect("it is right");
    assert_eq!(found, json!({"x": 3.0}));
}

/// The extents of parameters to which pointers lead ask for the shapes of others, which may be declared behind them.
#[test]
fn extents_ask_for_shapes_in_any_order() {
    for (declared, passed) in [
        (
            "in real a[3], in real b[size(a)], in real c[size(b) - 1]",
            "u, v, u",
        ),
        (
            "in real c[size(b) - 1], in real b[size(a)], in real a[3]",
            "u, v, u",
        ),
        (
            "in real b[size(a)], in real c[size(b) - 1], in real a[3]",
            "v, u, u",
        ),
    ] {
        let text = format!(
            "main subroutine f(in real x[3], out real y)
  local real u[3]
  local real v[3]
  independent x
  dependent y
  u := x
  v := 2.0*x
  y := call g({passed})
end
function g({declared}) result real r
  local ^real p
  p := addr(a[1])
  p := addr(b[1])
  p := addr(c[1])
  r := p^ + sum(b) + 10.0*sum(c)
end
"
        );
        let point = r#"{"x": [1, 2, 3]}"#;
        let found = run(&text, point).unwrap_or_else(|d| panic!("{d}{text}"));
        assert_eq!(found, json!({"y": 1.0 + 12.0 + 30.0}), "{text}");
        let found = gradient(&text, point).unwrap_or_else(|d| panic!("{d}{text}"));
        assert_eq!(found, json!({"x": [13.0, 12.0, 2.0]}), "{text}");
    }
}

/// A value that no element takes is evaluated: where it is outside of its array, the run ends.
#[test]
fn values_that_no_row_takes_are_evaluated() {
    for (records, target) in [
        (0, "g^.c.v"),
        (3, "g^.c[3:2].v"),
        (3, "g^.c.v[2:1]"),
        (3, "g^.c[k:4].v"),
    ] {
        let text = |subscript: &str| {
            format!(
                "record C
  real v[2]
  integer m
end
record G
  record C c[{records}]
  ^real p
end
main subroutine f(in real x[4], out real y)
  local ^record G g
  local integer k
  independent x
  dependent y
  k := 5
  allocate g, 1 zeroed
  {target} := x[{subscript}]
  y := x[1]
end
"
            )
        };
        for problems in refusals(&text("k")) {
            let problem = &problems.0[0];
            assert_eq!(problem.code, "X201", "{target}: {problems}");
            assert!(problem.message.contains("'x'"), "{target}: {problems}");
        }
        let right = text("k - 1");
        let found = run(&right, r#"{"x": [1, 2, 3, 4]}"#);
        let found = found.unwrap_or_else(|problems| panic!("{target}: {problems}"));
        assert_eq!(found, json!({"y": 1.0}), "{target}");
    }
}

/// The routine that is entered takes arrays for pointers; an empty one is null.
#[test]
fn a_program_is_entered_with_arrays() {
    let text = "
main subroutine f(in ^real p, in ^real q, in integer n, inout real m[2, 2], out real y)
  independent p, q, m
  dependent y
  local ^real r
  local integer i
  r := addr(m[1, 2])
  y := r^*r^[1]
  for i = 0, n - 1
    y := y + p^[i]**2
    p^[i] := 2.0*p^[i]
  end
  if q != null(real)
    y := y + q^*p^
  end
end
";
    let point = r#"{"n": 2, "p": [1, 2], "q": [3], "m": [[1, 2], [3, 4]]}"#;
    assert_eq!(
        gradient(text, point).expect("it is right"),
        json!({"p": [8.0, 4.0], "q": [2.0], "m": [[0.0, 3.0], [2.0, 0.0]]})
    );
    let point = r#"{"n": 2, "p": [1, 2], "q": [], "m": [[1, 2], [3, 4]]}"#;
    assert_eq!(
        gradient(text, point).expect("it is right"),
        json!({"p": [2.0, 4.0], "q": [], "m": [[0.0, 3.0], [2.0, 0.0]]})
    );
}

/// Each use that has no counterpart is refused, with what to write instead.
#[test]
fn what_is_not_lowered_is_refused() {
    let cases = [
        ("inout ^real p, out real y", "", "y := p^", "may change"),
        (
            "optional in real a, out real y",
            "local ^real p",
            "p := addr(a)\n y := p^",
            "optional",
        ),
        (
            "in real a[:, :], out real y",
            "local ^real p",
            "p := addr(a[1, 1])\n y := p^",
            "deferred",
        ),
        (
            "in real a[2, 2], out real y",
            "local ^real p",
            "p := addr(a[1, 1])\n y := p^ + sum(a)",
            "more than one dimension",
        ),
        (
            "in integer n, in real a[n], out real y",
            "local ^integer p",
            "p := addr(n)\n y := a[p^]",
            "extents",
        ),
        (
            "in ^integer n, in real a[n^], out real y",
            "",
            "y := a[1]",
            "through pointers",
        ),
        (
            "in ^integer n, in real a[n^], out real y",
            "local ^real p",
            "p := addr(a[1])\n y := p^",
            "through pointers",
        ),
        (
            "in real a[2], out real y",
            "local ^real p\n local real b",
            "p := addr(b)\n b := a[1]\n y := p^\n opaque \"read\" writes b",
            "opaque",
        ),
    ];
    for (head, locals, body, word) in cases {
        let text = format!("main subroutine f({head})\n {locals}\n {body}\nend\n");
        let problems = lowered(&text, 1000).expect_err(&text);
        let problem = &problems.0[0];
        assert_eq!(problem.code, "M504", "{text}{problems}");
        assert!(problem.message.contains(word), "{text}{problems}");
    }
}

/// A parameter whose address is taken has as many rows as its object goes on; an argument that may end before is
/// refused.
#[test]
fn rows_of_parameters_end_with_their_objects() {
    let of = |argument: &str, local: &str, extents: &str| {
        format!(
            "main subroutine f(in integer k, in real x{extents}, out real y)
  local ^real p
  local real w{local}
  independent x
  dependent y
  p := addr(x[2, 2])
  w := 1.0
  w[1, 1] := p^
  call rows({argument}, y)
  y := y + p^
end

subroutine rows(in real a[:, 2], out real y)
  local ^real p
  local integer i
  p := addr(a[1, 2])
  y := 10.0*size(a, 1)
  for i = 1, size(a, 1)
    y := y*a[i, 1] + p^[2*(i - 1)]
  end
end
"
        )
    };
    let point = r#"{"k": 2, "x": [[1, 2], [3, 4], [5, 6]]}"#;
    let rows = |rows: &[[f64; 2]]| {
        let first = 10.0 * rows.len() as f64;
        rows.iter().fold(first, |y, row| y * row[0] + row[1]) + 4.0
    };
    let x = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]];
    let cases = [
        ("x", rows(&x)),
        ("x[2:, :]", rows(&x[1..])),
        ("x[k:, :]", rows(&x[1..])),
        ("w", rows(&[[4.0, 1.0], [1.0, 1.0]])),
        ("w[k:, :]", rows(&[[1.0, 1.0]])),
    ];
    for (argument, value) in cases {
        let text = of(argument, "[2, 2]", "[:, 2]");
        let found = run(&text, point).unwrap_or_else(|e| panic!("{argument}: {e}"));
        assert_eq!(found, json!({"y": value}), "{argument}");
        let found = gradient(&text, point).unwrap_or_else(|e| panic!("{argument}: {e}"));
        assert!(found["x"][1][1].as_f64() > Some(0.0), "{argument}: {found}");
    }
    for (argument, local, extents) in [
        ("x[1:2, :]", "[2, 2]", "[:, 2]"),
        ("x[:k, :]", "[2, 2]", "[:, 2]"),
        ("x[::2, :]", "[2, 2]", "[:, 2]"),
        ("x", "[2, 2]", "[k, 2]"),
        ("w[1:1, :]", "[2, 2]", "[:, 2]"),
        ("w[:, 1:2]", "[2, 3]", "[:, 2]"),
    ] {
        let problems = lowered(&of(argument, local, extents), 1000).expect_err(argument);
        assert_eq!(problems.0[0].code, "M504", "{argument}: {problems}");
    }
}

/// Sections are passed to a parameter of which the address is taken where one element follows the other; those with
/// gaps are refused, as is a value without a place.
#[test]
fn sections_behind_the_address_of_a_parameter() {
    let text = |rank: &str, count: usize, argument: &str| {
        format!(
            "subroutine g(in integer n, inout real a{rank})
  local ^real p
  p := addr(a{})
  p^ := p^*2.0
end
main subroutine f(in integer k, inout real v[6], inout real m[3, 2], inout real y)
  call g({count}, {argument})
  y := sum(v) + 100.0*(sum(m[1, :]) + sum(m[2, :]) + sum(m[3, :]))
end
",
            if rank.contains(',') { "[1, 1]" } else { "[1]" }
        )
    };
    let point = r#"{"k": 2, "v": [1, 2, 3, 4, 5, 6], "m": [[1, 2], [3, 4], [5, 6]], "y": 0}"#;
    // The first element of what is passed is counted twice.
    for (rank, count, argument, first) in [
        ("[n]", 6, "v", 1.0),
        ("[n]", 4, "v[2:5]", 2.0),
        ("[n]", 5, "v[k:]", 2.0),
        ("[n]", 2, "m[3, :]", 500.0),
        ("[n, 2]", 3, "m", 100.0),
        ("[n, 2]", 2, "m[k:, :]", 300.0),
    ] {
        let found =
            run(&text(rank, count, argument), point).unwrap_or_else(|e| panic!("{argument}: {e}"));
        assert_eq!(found["y"], 21.0 + 2100.0 + first, "{argument}");
    }
    for (rank, count, argument) in [
        ("[n]", 3, "v[1:5:2]"),
        ("[n]", 5, "v[5:1:-1]"),
        ("[n]", 3, "m[:, 1]"),
        ("[n, 1]", 3, "m[:, 1:1]"),
        ("[n, 2]", 2, "m[1:3:2, :]"),
    ] {
        let problems = lowered(&text(rank, count, argument), 1000).expect_err(argument);
        assert!(
            problems.0[0].message.contains("with gaps"),
            "{argument}: {problems}"
        );
    }
}

/// A gradient, in which old values are pushed first, names the statement that a run names.
#[test]
fn faults_in_gradients_are_at_the_statements_of_runs() {
    let text = "main subroutine f(in real x[3], out real y)
  local ^real p
  local ^real q
  local integer i
  independent x
  dependent y
  allocate p, 2
  y := 0.0
  for i = 1, 3
    q := p
    p := shift(p, 1)
    q^ := x[i]
  end
end
";
    let point = r#"{"x": [1, 2, 3]}"#;
    let place = |problems: &Diagnostics| problems.0[0].at.site.clone();
    let [run, gradient] = [run(text, point), gradient(text, point)].map(Result::unwrap_err);
    assert!(place(&run).is_some());
    assert_eq!(place(&gradient), place(&run), "{run}{gradient}");
}
