//! Pointers in the interpreter: targets, objects alive at the end, and each fault with its places.

use cfg_core::ir::Control;
use cfg_core::validate::{ValidProgram, validate};
use cfg_format::text::parse;
use cfg_testkit::interpret::{
    Argument, Fault, FaultKind, Limits, Outcome, PointerFault, Value, interpret,
};
use cfg_testkit::pointers;
use std::collections::BTreeMap;

fn read(text: &str) -> ValidProgram {
    let parsed = parse(text);
    assert!(parsed.problems.is_empty(), "{}\n{text}", parsed.problems);
    validate(parsed.program.unwrap()).unwrap_or_else(|problems| panic!("{problems}\n{text}"))
}

const NODE: &str = "record Node
  real v
  integer n
  ^record Node next
end
";

/// Runs `f(in real x[4], out real y)` with derivatives in the direction of all elements of x.
fn run(declarations: &str, body: &str) -> Result<Outcome<f64>, Fault> {
    let text =
        format!("{NODE}main subroutine f(in real x[4], out real y)\n{declarations}{body}end\n");
    let program = read(&text);
    let x = Argument {
        extents: vec![4],
        elements: (1..=4).map(|k| Value::Real(f64::from(k), 1.0)).collect(),
    };
    let main = program.main.unwrap();
    interpret(
        &program,
        main,
        &[Some(x), None],
        &BTreeMap::new(),
        Limits::default(),
    )
}

fn y(declarations: &str, body: &str) -> (f64, f64) {
    let outcome = run(declarations, body).unwrap_or_else(|fault| panic!("{fault:?}\n{body}"));
    match outcome.parameters[1].elements[0] {
        Value::Real(y, d) => (y, d),
        ref other => panic!("{other:?}"),
    }
}

fn fault(declarations: &str, body: &str) -> PointerFault {
    match run(declarations, body).map_err(|fault| fault.kind) {
        Err(FaultKind::Pointer(fault)) => fault,
        other => panic!("{other:?}\n{body}"),
    }
}

#[test]
fn pointers_lead_to_what_was_stored() {
    for (declarations, body, expected) in [
        // A walk over an array, forwards and back.
        (
            "  local ^real p\n  local integer i\n",
            "  p := addr(x)\n  y := 0.0\n  for i = 1, 4\n    y := y + p^*p^\n    p := shift(p, 1)\n  end\n  y := y + p^[-1]\n",
            (34.0, 21.0),
        ),
        (
            "  local ^real p\n",
            "  p := addr(x[2])\n  y := p^ + p^[1]*p^[-1] + p^[2]\n",
            (2.0 + 3.0 + 4.0, 1.0 + 1.0 + 3.0 + 1.0),
        ),
        // Through a pointer to a pointer, and a swap.
        (
            "  local real a, b\n  local ^real p, q, t\n  local ^^real r\n",
            "  a := x[1]\n  b := x[2]*x[2]\n  p := addr(a)\n  q := addr(b)\n  t := p\n  p := q\n  q := t\n  r := addr(p)\n  r^^ := r^^*3.0\n  y := b + q^\n",
            (13.0, 13.0),
        ),
        // A list, linked and freed.
        (
            "  local ^record Node first, p\n  local integer i\n",
            "  first := null(record Node)\n  for i = 1, 4\n    allocate p, 1\n    p^.v := x[i]*x[i]\n    p^.n := i\n    p^.next := first\n    first := p\n  end\n  y := 0.0\n  while first != null(record Node)\n    p := first\n    y := y + p^.v*real(p^.n)\n    first := p^.next\n    free p\n  end\n",
            (1.0 + 8.0 + 27.0 + 64.0, 2.0 + 8.0 + 18.0 + 32.0),
        ),
        // Rows of a matrix; a cell of a record in an array is interior.
        (
            "  local ^^real rows\n  local record Node nodes[3]\n  local ^real v\n  local integer i\n",
            "  allocate rows, 2 zeroed\n  for i = 0, 1\n    allocate rows^[i], 2\n    rows^[i]^[0] := x[2*i + 1]\n    rows^[i]^[1] := x[2*i + 2]\n  end\n  nodes[2].v := rows^[1]^[0]\n  v := addr(nodes[2].v)\n  y := v^ + rows^[0]^[1]\n  free rows^[0]\n  free rows^[1]\n  free rows\n",
            (5.0, 2.0),
        ),
        // A resized object keeps its first elements.
        (
            "  local ^real p\n",
            "  allocate p, 2\n  p^ := x[1]\n  p^[1] := x[2]\n  resize p, 3\n  p^[2] := p^[0]*p^[1]\n  y := p^[2]\n  free p\n",
            (2.0, 3.0),
        ),
        // Distances, order, equality, choice.
        (
            "  local ^real p, q\n",
            "  p := addr(x[1])\n  q := if(p < addr(x[2]), shift(p, 2), p)\n  y := q^*real(distance(q, p)) + if(q == addr(x[3]) and q >= p, x[4], x[1])\n",
            (10.0, 3.0),
        ),
        // Records as a whole, through pointers.
        (
            "  local ^record Node p, q\n  local record Node a\n",
            "  allocate p, 2 zeroed\n  p^.v := x[3]\n  p^[1] := p^\n  a := p^[1]\n  q := addr(a)\n  y := q^.v + real(q^.n)\n  free p\n",
            (3.0, 1.0),
        ),
    ] {
        assert_eq!(y(declarations, body), expected, "{body}");
    }
}

#[test]
fn what_is_alive_at_the_end_is_counted() {
    let body = "  allocate p, 2\n  allocate q, 3 zeroed\n  q^[1] := x[2]\n  free p\n  y := q^[1]\n";
    let outcome = run("  local ^real p, q\n", body).unwrap();
    assert_eq!((outcome.made, outcome.alive.len()), (2, 1));
    let zero = Value::Real(0.0, 0.0);
    assert_eq!(
        outcome.alive[0].1,
        [zero.clone(), Value::Real(2.0, 1.0), zero]
    );
    let outcome = run(
        "  local ^real p\n",
        "  allocate p, 2\n  resize p, 5\n  free p\n  y := x[1]\n",
    )
    .unwrap();
    assert_eq!((outcome.made, outcome.alive.len()), (2, 0));
}

#[test]
fn pointers_that_lead_nowhere_are_faults_with_both_places() {
    use PointerFault::{Apart, Count, Freed, Layout, NoObject, Null, Outside};
    let both = "  local ^real p, q\n";
    let made = |fault: PointerFault| match fault {
        Freed((_, _, made), (_, _, freed)) => (made, freed),
        Outside((_, _, made)) | Layout((_, _, made)) | NoObject((_, _, made)) => (made, 99),
        Apart((_, _, a), (_, _, b)) => (a, b),
        Null | Count | PointerFault::Left => (98, 98),
    };
    for (declarations, body, expected, places) in [
        (both, "  p := null(real)\n  y := p^\n", "Null", (98, 98)),
        (
            both,
            "  p := null(real)\n  p := shift(p, 1)\n  y := p^\n",
            "Null",
            (98, 98),
        ),
        (
            both,
            "  p := addr(y)\n  allocate p, 2 zeroed\n  y := p^[2]\n",
            "Outside",
            (1, 99),
        ),
        (
            both,
            "  allocate p, 2 zeroed\n  y := p^[-1]\n",
            "Outside",
            (0, 99),
        ),
        (
            both,
            "  allocate p, 2\n  q := shift(p, 1)\n  free p\n  y := q^\n",
            "Freed",
            (0, 2),
        ),
        (
            both,
            "  allocate p, 2\n  q := p\n  free p\n  free q\n  y := 1.0\n",
            "Freed",
            (0, 2),
        ),
        (
            both,
            "  allocate p, 2\n  q := p\n  resize p, 9\n  y := q^\n",
            "Freed",
            (0, 2),
        ),
        (
            both,
            "  y := 1.0\n  allocate p, 2\n  p := shift(p, 1)\n  free p\n",
            "NoObject",
            (1, 99),
        ),
        (
            both,
            "  p := addr(y)\n  free p\n  y := 1.0\n",
            "NoObject",
            (0, 99),
        ),
        (
            both,
            "  allocate p, 1\n  allocate q, 1\n  y := real(distance(p, q))\n",
            "Apart",
            (0, 1),
        ),
        (
            both,
            "  allocate p, 1\n  y := if(p < addr(y), 1.0, 2.0)\n",
            "Apart",
            (0, 0),
        ),
        (both, "  allocate p, -1\n  y := 1.0\n", "Count", (98, 98)),
        (
            "  local ^record Node p\n  local ^real v\n",
            "  allocate p, 2 zeroed\n  v := addr(p^.v)\n  y := v^[1]\n",
            "Layout",
            (0, 99),
        ),
    ] {
        let found = fault(declarations, body);
        let name = format!("{found:?}");
        assert!(name.starts_with(expected), "{name}, not {expected}\n{body}");
        assert_eq!(made(found), places, "{body}");
    }
    let text = "main subroutine f(out real y)\n  local ^real p\n  p := call g()\n  y := p^\nend\n\
                function g() result ^real r\n  local real a\n  a := 1.0\n  r := addr(a)\nend\n";
    let program = read(text);
    let ran = interpret::<()>(
        &program,
        program.main.unwrap(),
        &[None],
        &BTreeMap::new(),
        Limits::default(),
    );
    let kind = ran.map(|_| ()).map_err(|fault| fault.kind);
    assert_eq!(kind, Err(FaultKind::Pointer(PointerFault::Left)));
    let kind = run(
        both,
        "  if x[1] > 5.0\n    p := addr(y)\n  end\n  y := p^\n",
    )
    .map(|_| ())
    .map_err(|fault| fault.kind);
    assert_eq!(kind, Err(FaultKind::Undefined));
}

/// A generated program with its run in one direction.
fn generated(seed: u64) -> (ValidProgram, Result<Outcome<f64>, Fault>) {
    let source = pointers::text(seed);
    let program = read(&source);
    let reals = |n: usize, direction: f64| Argument {
        extents: vec![n],
        elements: (0..n)
            .map(|k| Value::Real(0.5 + k as f64 / 8.0, direction))
            .collect(),
    };
    let t = Argument {
        extents: vec![],
        elements: vec![Value::Real(0.75, -0.5)],
    };
    let arguments = [Some(reals(6, 1.0)), Some(reals(4, 0.0)), Some(t), None];
    let main = program.main.unwrap();
    let ran = interpret(
        &program,
        main,
        &arguments,
        &BTreeMap::new(),
        Limits::default(),
    );
    (program, ran)
}

#[test]
fn generated_programs_run_without_a_fault() {
    let (mut made, mut alive, mut active, mut general) = (0, 0, 0, 0);
    for seed in 0..400 {
        let (program, ran) = generated(seed);
        let outcome =
            ran.unwrap_or_else(|fault| panic!("seed {seed}: {fault:?}\n{}", pointers::text(seed)));
        made += outcome.made;
        alive += outcome.alive.len();
        active +=
            usize::from(matches!(outcome.parameters[3].elements[0], Value::Real(_, d) if d != 0.0));
        let main = program.routine(program.main.unwrap());
        general += usize::from(main.control == Control::General);
    }
    println!("{made} objects made, {alive} alive at the end, {active} active, {general} general");
    assert!(made > 2000 && alive > 400 && active > 350 && general > 20);
}

/// Generated programs are printed, written and read back in both forms.
#[test]
fn generated_programs_survive_both_forms() {
    for seed in 0..100 {
        let parsed = parse(&pointers::text(seed)).program.unwrap();
        let printed = parsed.to_string();
        assert_eq!(parse(&printed).program.as_ref(), Some(&parsed), "{printed}");
        let mut bytes = Vec::new();
        cfg_format::json::write(&parsed, &mut bytes).unwrap();
        let again = cfg_format::json::read(&bytes).unwrap_or_else(|e| panic!("seed {seed}: {e}"));
        assert_eq!(again, parsed, "seed {seed}");
    }
}
