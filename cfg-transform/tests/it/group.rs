//! Records put together again in derivative programs.

use cfg_core::{
    diagnostic::Diagnostics,
    entity::RoutineId,
    flat::Flat,
    ir::{ParameterRole, Program, Signature},
    validate::{ValidProgram, validate},
};
use cfg_reverse::{Options, Reversal, Tangent};
use cfg_transform::flatten;

pub(crate) fn read(text: &str) -> ValidProgram {
    let parsed = cfg_format::text::parse(text);
    let problems = parsed.problems.to_string();
    let program = parsed.program.unwrap_or_else(|| panic!("{problems}"));
    validate(program).unwrap_or_else(|e| panic!("{e}"))
}

fn flat(program: &ValidProgram) -> Flat {
    let made = flatten(program.clone(), &[], &Default::default());
    made.unwrap_or_else(|problems| panic!("{problems}")).program
}

/// The reversal of a program, with records.
fn reverse(
    program: &ValidProgram,
    main: RoutineId,
    options: &Options,
) -> Result<Reversal, Diagnostics> {
    let flat = flat(program);
    cfg_reverse::reverse(&flat, main, options)?.regrouped(&flat)
}

/// The tangent of a program, with records.
fn tangent(program: &ValidProgram, main: RoutineId) -> Result<Tangent, Diagnostics> {
    let flat = flat(program);
    cfg_reverse::tangent(&flat, main)?.regrouped(&flat)
}

fn text_of(program: &Program, name: &str) -> String {
    let routine = program.find_routine(name).expect("it is there");
    let mut out = String::new();
    cfg_core::text::routine(&mut out, program, program.routine(routine)).expect("a string");
    out
}

const POINT: &str = "record Point\n  real x\n  integer n\n  real v[2]\nend\n\n";

#[test]
fn the_adjoint_of_a_record_is_a_record() {
    let program = read(&format!(
        "{POINT}main subroutine f(in record Point a[3], in integer i, out real y)
  independent a
  dependent y
  y := a[i].x*a[i].v[a[i].n]
end
"
    ));
    let made =
        reverse(&program, program.main.expect("one"), &Options::default()).expect("reversed");
    assert_eq!(
        text_of(&made.program, "f_rev"),
        "subroutine f_rev(in record Point a[3], in integer i, inout real y, inout record Point a_b[3] {adjoint of a}, inout real y_b {adjoint of y}, inout tape tape) {reverse of f}
  @-3 entry {adjoint of 3}
  @-2 {adjoint of 2}
  a_b[i].x := a_b[i].x + y_b*a[i].v[a[i].n]
  a_b[i].v[a[i].n] := a_b[i].v[a[i].n] + y_b*a[i].x
  y_b := 0.0
  exit {adjoint of 1}
end
"
    );
    let original = program.routine(made.original);
    let a = original.find_variable("a").expect("it has one");
    assert_eq!(made.signature.position(ParameterRole::Adjoint(a)), Some(3));
}

#[test]
fn names_that_are_taken_are_not_used() {
    // The adjoint of `p` is not `p_b`, that of a local that is called like a global does not hide the global's.
    let program = read(&format!(
        "{POINT}global record Point kept = 1.0, 2, 3.0

subroutine g(inout real s)
  uses kept
  s := s*kept.x
  kept.x := s
end

main subroutine f(in record Point p, in real p_b, in record Point tape, out real y)
  local record Point kept
  independent p, tape
  dependent y
  kept := p
  kept.x := kept.x*p_b
  y := kept.x*tape.x
  call g(y)
end
"
    ));
    let main = program.main.expect("one");
    let made = reverse(&program, main, &Options::default()).expect("reversed");
    let all = validate(made.program).expect("valid");
    let signature = Signature::from_origins(&all, made.gradient);
    let f = program.routine(main);
    let routine = all.routine(made.gradient);
    for name in ["p", "tape", "p_b"] {
        let v = f.find_variable(name).expect("declared");
        assert!(
            signature.position(ParameterRole::Primal(v)).is_some(),
            "{name}"
        );
        let position = signature
            .position(ParameterRole::Adjoint(v))
            .expect("it has an adjoint");
        let adjoint = routine.variable(routine.parameters[position]);
        assert_eq!(adjoint.ty, f.variable(v).ty, "{name}");
    }
    let kept = all
        .globals
        .iter()
        .map(|g| (g.variable.name.as_str(), g.variable.ty));
    let record = program
        .global(cfg_core::entity::GlobalId::new(0))
        .variable
        .ty;
    assert_eq!(
        kept.collect::<Vec<_>>(),
        [("kept", record), ("kept_b", record)]
    );
    // Derivatives of derivatives, both ways.
    for (second, wanted) in [
        (
            tangent(&all, made.gradient).expect("a tangent").program,
            "f_grad_t",
        ),
        (
            {
                let first = tangent(&program, main).expect("a tangent");
                let first_program = validate(first.program).expect("valid");
                reverse(&first_program, first.tangent, &Options::default())
                    .expect("reversed")
                    .program
            },
            "f_t_grad",
        ),
    ] {
        let second = validate(second).expect("valid");
        assert!(second.find_routine(wanted).is_some());
        assert!(second.globals.iter().all(|g| g.variable.ty == record));
    }
}

#[test]
fn results_and_subscripts_that_calls_change_come_back() {
    let program = read(&format!(
        "{POINT}function g(in record Point p, inout integer k) result record Point r
  r := p
  r.x := p.x*p.v[1]
  k := 3 - k
end

main subroutine f(inout record Point a[2], inout integer k, out real y)
  independent a
  dependent a, y
  a[k] := call g(a[3 - k], k)
  y := sum(a.x)
end
"
    ));
    let made =
        reverse(&program, program.main.expect("one"), &Options::default()).expect("reversed");
    let forward = text_of(&made.program, "f_fwd");
    assert!(
        forward.contains("call g_fwd(a[a1], k, r, tape)"),
        "{forward}"
    );
    let g = text_of(&made.program, "g_fwd");
    assert!(g.contains("out record Point r"), "{g}");
}

#[test]
fn arrays_whose_extents_are_deferred_stay_split() {
    let text = |call: &str| {
        format!(
            "record P\n  real x\n  real w\nend\n\nsubroutine g(inout record P z[:])\n  z.x := z.x*z.w\nend\n
main subroutine f(in record P a[3], out real y)
  local record P b[:]
  independent a
  dependent y
  b := a
  {call}
  y := sum(b.x)
end
"
        )
    };
    let alone = read(&text("b.x := b.x*b.w"));
    let made = tangent(&alone, alone.main.expect("one")).expect("a tangent");
    assert!(text_of(&made.program, "f_t").contains("\"b.x_t\" := a_t.x"));
    validate(made.program).expect("valid");
    let passed = read(&text("call g(b)"));
    let problems = tangent(&passed, passed.main.expect("one")).expect_err("refused");
    assert!(problems.to_string().contains("M503"), "{problems}");
}

#[test]
fn initial_values_of_records_are_those_of_their_fields() {
    for (given, wanted) in [
        ("1.0, 2, 3.0", &["1.0", "2", "3.0"]),
        (
            "1.0, 2, 3.0, 4.0, 5.0, 6, 7.0, 8.0",
            &["1.0, 5.0", "2, 6", "3.0, 4.0, 7.0, 8.0"],
        ),
    ] {
        let program = read(&format!(
            "{POINT}global record Point kept[2] = {given}\n\nsubroutine f(out real y)\n  uses kept\n  y := kept[2].x\nend\n"
        ));
        let split = cfg_transform::records::split(&program)
            .expect("split")
            .to_string();
        for (name, values) in ["kept.x", "kept.n", "kept.v"].iter().zip(wanted) {
            let line = split.lines().find(|l| l.contains(name)).expect("a global");
            assert!(line.ends_with(&format!("] = {values}")), "{line}");
        }
    }
}
