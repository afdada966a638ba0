//! Routines lose the mark `aliased` where no call passes them cells that may overlap: nothing that runs fails (X214),
//! and values and gradients stay the same.

use cfg_core::{
    flat::Flat,
    ir::Program,
    validate::{ValidProgram, validate},
};
use cfg_drive::{Adjoint, Options, Primal};
use cfg_format::text;
use cfg_reverse::Overlap;
use cfg_testkit::{
    case::Case,
    flat, general,
    generate::{self, generate},
};
use cfg_transform::told_apart;

fn read(source: &str) -> ValidProgram {
    let parsed = text::parse(source);
    let program = parsed.program;
    let program = program.unwrap_or_else(|| panic!("{}{source}", parsed.problems));
    validate(program).unwrap_or_else(|d| panic!("{d}{source}"))
}

/// The names of the routines that are `aliased`.
fn aliased(program: &Program) -> String {
    let marked = program.routines.iter().filter(|r| r.aliased);
    let names: Vec<&str> = marked.map(|r| &*r.name).collect();
    names.join(" ")
}

const GLOBALS: &str = "
global real g = 1.0
global real v[9] = 1.0
global real part[3] overlays v at 2
global real far[3] overlays v at 6
";

/// Routines that heads call, each behind those that it calls itself.
const CALLED: [(&str, &str); 7] = [
    (
        "one",
        "aliased subroutine one(in real x[:], inout real y[:])\n  y[1] := x[1]*y[1]\nend\n",
    ),
    (
        "pass",
        "aliased subroutine pass(in real x[:], inout real y[:])\n  call one(x, y)\nend\n",
    ),
    (
        "down",
        "aliased subroutine down(in integer n, inout real x[:], inout real y[:])
  if n > 0
    call down(n - 1, y, x)
    call one(x, y)
  end
end
",
    ),
    (
        "names",
        "aliased subroutine names(inout real x[:])\n  uses part\n  x[1] := x[1]*part[1]\nend\n",
    ),
    (
        "cell",
        "aliased subroutine cell(in real x, inout real y)\n  y := x*y\nend\n",
    ),
    (
        "valued",
        "aliased function valued(in real x, inout real y) result real r\n  y := x*y\n  r := y\nend\n",
    ),
    (
        "strict",
        "subroutine strict(inout real x[:], inout real y[:])\n  call one(x, y)\nend\n",
    ),
];

/// A head with this mark and body, and the routines that it calls.
fn head(mark: &str, body: &str) -> ValidProgram {
    let passes_on = ["pass", "down", "strict"]
        .iter()
        .any(|name| body.contains(name));
    let called = (CALLED.iter())
        .filter(|(name, _)| body.contains(name) || *name == "one" && passes_on)
        .map(|(_, text)| *text);
    let called: String = called.collect();
    read(&format!(
        "{GLOBALS}{called}main {mark}subroutine f(in integer n, in real p[n], inout real q[n], inout real s)
  uses g, v, part, far
  local real a[4], b[4], t, u
  independent p
  dependent q
  a := 1.0
  b := 2.0
  t := s
  u := 1.0
  {body}
end
"
    ))
}

#[test]
fn calls_decide_what_stays_aliased() {
    for (body, without, promised) in [
        // Parameters of the head, locals, globals, and what may overlap with nothing.
        ("call one(p, q)", "one f", ""),
        ("call one(a, b)", "f", ""),
        ("call one(a, q)", "f", ""),
        ("call one(p, b)", "f", ""),
        ("call one(a[2:], q[n:])", "f", ""),
        ("call cell(t, u)", "f", ""),
        ("call cell(t*u, t)", "f", ""),
        ("call cell(g, s)", "cell f", ""),
        ("call cell(g, t)", "f", ""),
        ("t := call valued(u, t)", "f", ""),
        // Parts of one variable.
        ("call one(a[1:2], a[3:])", "one f", "one"),
        ("call cell(a[1], a[2])", "f", ""),
        ("call cell(a[n], a[n + 1])", "f", ""),
        ("call cell(a[1], a[n])", "cell f", "cell"),
        // One call that overlaps is enough, also from a routine that stays.
        ("call one(a, b)\n  call one(b, b[n:])", "one f", "one"),
        ("call pass(a, b)", "f", ""),
        ("call pass(p, q)", "one pass f", ""),
        ("call pass(a, a[n:])", "one pass f", "one pass"),
        ("call down(n, a, b)", "f", ""),
        ("call down(n, a, a)", "one down f", "one down"),
        ("call strict(a, b)", "f", ""),
        // Globals that are passed and named.
        ("call names(a)", "f", ""),
        ("call names(q)", "names f", ""),
        ("call names(v)", "names f", "names"),
        ("call names(part)", "names f", "names"),
        ("call names(far)", "names f", "names"),
        // Overlays of one storage are not told apart.
        ("call one(part, far)", "one f", "one"),
        ("call one(v, far)", "one f", "one"),
    ] {
        let program = flat(&head("aliased ", body));
        let main = program.main.expect("there is one");
        let [kept, none] = [false, true].map(|promised| told_apart(&program, main, promised));
        assert_eq!(aliased(&kept), without, "{body}");
        assert_eq!(aliased(&none), promised, "{body}");
        let again = told_apart(&kept, main, false);
        assert_eq!(again.program().to_string(), kept.program().to_string());
    }
}

/// A head that is not marked has parameters that are apart.
#[test]
fn parameters_of_a_plain_head_are_apart() {
    for (body, marks) in [
        ("call one(p, q)", ""),
        ("call one(q, q[n:])", "one"),
        ("call names(q)", ""),
    ] {
        let program = flat(&head("", body));
        let main = program.main.expect("there is one");
        assert_eq!(aliased(&told_apart(&program, main, false)), marks, "{body}");
    }
}

/// An `out` parameter has no value at the entry of a routine that is not `aliased`: a program that reads one stays.
#[test]
fn programs_that_would_break_a_rule_stay() {
    let program = read(
        "aliased subroutine g(in real x, out real y)
  y := x + y
end
main subroutine f(in real x, out real y)
  independent x
  dependent y
  y := 1.0
  call g(x, y)
end
",
    );
    let program = flat(&program);
    let main = program.main.expect("there is one");
    assert_eq!(aliased(&told_apart(&program, main, true)), "g");
}

/// Derivatives that are given keep the mark, and so does the routine that they are of.
#[test]
fn given_derivatives_stay() {
    let program = read(
        "aliased subroutine g(in real x, inout real y)
  tangent g_t
  y := x*y
end
aliased subroutine g_t(in real x, inout real y, in real x_t, inout real y_t)
  y_t := x_t*y + x*y_t
  y := x*y
end
main subroutine f(in real x, inout real y)
  independent x
  dependent y
  call g(x, y)
end
",
    );
    let program = flat(&program);
    let main = program.main.expect("there is one");
    assert_eq!(aliased(&told_apart(&program, main, true)), "g g_t");
}

/// The results of a run of the executor, or the code of its problem.
fn left(program: &Flat, case: &Case) -> String {
    let run = || {
        let mut primal = Primal::new(program, case.main, &Options::default())?;
        let point = primal.read_point(case.point_text().as_bytes())?;
        primal.run(&point)
    };
    match run() {
        Ok(run) => format!("{:?}", run.value),
        Err(problems) => problems.0.first().map_or("", |d| d.code).to_owned(),
    }
}

/// The gradient of the sum of all dependents, or the code of its problem.
fn gradient(program: &Flat, case: &Case, overlap: Overlap) -> Result<String, String> {
    let mut options = Options::default();
    options.reversal.overlap = overlap;
    let run = || {
        let mut adjoint = Adjoint::new(program, case.main, &options)?;
        let point = adjoint.read_point(case.point_text().as_bytes())?;
        let seed = adjoint.seed_of_ones(&point)?;
        adjoint.gradient(&point, &seed)
    };
    match run() {
        Ok(found) => Ok(format!("{:?} {:?}", found.value, found.gradient)),
        Err(problems) => Err(problems.0.first().map_or("", |d| d.code).to_owned()),
    }
}

/// Compares a case with itself after marks are lost; the number of marks that were, and of gradients compared.
fn agrees(what: &str, case: &Case) -> (usize, usize) {
    let program = validate(case.program.clone()).unwrap_or_else(|d| panic!("{what}: {d}"));
    let program = flat(&program);
    let (mut lost, mut compared) = (0, 0);
    for promised in [false, true] {
        let made = told_apart(&program, case.main, promised);
        let count = |p: &Program| p.routines.iter().filter(|r| r.aliased).count();
        lost += count(&program) - count(&made);
        assert_eq!(left(&made, case), left(&program, case), "{what}");
    }
    let [assumed, none] =
        [Overlap::Assume, Overlap::None].map(|overlap| gradient(&program, case, overlap));
    if let (Ok(assumed), Ok(none)) = (&assumed, &none) {
        assert_eq!(assumed, none, "{what}");
        compared += 1;
    }
    assert!(assumed.is_err() || none.is_ok(), "{what}: {none:?}");
    (lost, compared)
}

/// Random programs in which most helpers are `aliased`, and calls pass what overlaps and what does not.
#[test]
fn random_programs() {
    let (mut lost, mut compared) = (0, 0);
    for (name, options) in [
        ("exact", generate::Options::EXACT),
        ("wide", generate::Options::WIDE),
    ] {
        let options = generate::Options {
            aliased: 80,
            ..options
        };
        for seed in 30_000..30_120 {
            let Ok(case) = generate(&options, seed) else {
                continue;
            };
            let (a, b) = agrees(&format!("{name} {seed}"), &case);
            lost += a;
            compared += b;
        }
    }
    for seed in 30_000..30_040 {
        let (a, b) = agrees(&format!("general {seed}"), &general::generate(seed));
        lost += a;
        compared += b;
    }
    assert!(lost > 100 && compared > 100, "{lost} {compared}");
}
