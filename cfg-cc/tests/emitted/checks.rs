//! Programs with checks. Where the executor ends a run, C returns status 4 with the executor's code and place; else C
//! has the executor's bits, and the same cells are uninitialised.

use crate::support::flat;
use crate::{
    breaking,
    families::options,
    random::seeds,
    support::{Job, compile, fill, flags, jobs, routines, value},
    trial::{Trial, check},
};
use cfg_back::c;
use cfg_cc::storage_owners;
use cfg_core::{entity::RoutineId, validate::validate};
use cfg_exec::{Argument, Session};
use cfg_testkit::{case::Case, general, generate, kernels, needs, rng::Rng};

/// A program of a text, at the point of its first line; what the executor makes of it.
pub(crate) fn by_hand(name: &str, text: &str) -> Trial {
    let case = crate::by_hand::case(name, text);
    let program = validate(case.program.clone()).unwrap();
    let routine = program.routine(case.main);
    let mut arguments = vec![Argument::Absent; routine.parameter_ids().len()];
    for (v, datum) in &case.point {
        if let Some(k) = routine.parameter_ids().position(|p| p == *v) {
            arguments[k] = value(datum, routine.variable(*v).order).into();
        }
    }
    let compiled = compile(&program);
    let session = Session::new(&compiled);
    fill(&session, &program, case.main, &mut arguments);
    let globals = storage_owners(&program)
        .into_iter()
        .map(|g| session.global(g))
        .collect();
    let made = Trial::run(name.to_owned(), program, case.main, arguments, globals);
    made.unwrap_or_else(|| panic!("{name} does not run"))
}

/// Programs that end in each code, at the beginning of each.
const ERRORS: &[(&str, &str)] = &[
    (
        "X224",
        "// n = 3\nmain subroutine f(in integer n, inout real y)\n  local ^real p, q\n  allocate p, n zeroed\n  p := null(real)\n  y := p^\n  y := y + 1.0\nend\n",
    ),
    (
        "X224",
        "// n = 3\nmain subroutine f(in integer n, inout real y)\n  local ^real p, q\n  allocate p, n zeroed\n  y := p^[n]\n  y := y + 1.0\nend\n",
    ),
    (
        "X224",
        "// n = 3\nmain subroutine f(in integer n, inout real y)\n  local ^real p, q\n  allocate p, n zeroed\n  p := shift(p, -1)\n  p^ := y\n  y := y + 1.0\nend\n",
    ),
    (
        "X224",
        "// n = 3\nmain subroutine f(in integer n, inout real y)\n  local ^real p, q\n  allocate p, n zeroed\n  free p\n  y := p^[1]\n  y := y + 1.0\nend\n",
    ),
    (
        "X224",
        "// n = 3\nmain subroutine f(in integer n, inout real y)\n  local ^real p, q\n  allocate p, n zeroed\n  allocate q, n zeroed\n  y := real(distance(p, q))\n  y := y + 1.0\nend\n",
    ),
    (
        "X224",
        "// n = 3\nmain subroutine f(in integer n, inout real y)\n  local ^real p, q\n  allocate p, n zeroed\n  p := shift(p, 1)\n  free p\n  y := y + 1.0\nend\n",
    ),
    (
        "X224",
        "// n = 3\nmain subroutine f(in integer n, inout real y)\n  local ^real p, q\n  allocate p, n zeroed\n  free p\n  free p\n  y := y + 1.0\nend\n",
    ),
    (
        "X225",
        "// n = 3\nmain subroutine f(in integer n, inout real y)\n  local ^real p, q\n  allocate p, n zeroed\n  allocate q, 101\n  y := y + 1.0\nend\n",
    ),
    (
        "X225",
        "// n = 3\nmain subroutine f(in integer n, inout real y)\n  local ^real p, q\n  allocate p, n zeroed\n  allocate q, n - 4\n  y := y + 1.0\nend\n",
    ),
    (
        "X212",
        "// n = 3\nmain subroutine f(in integer n, inout real y[4, 6])\n  call g(n, 2, y[1:4:2, 2:4], y)\nend\naliased subroutine g(in integer n, in integer m, inout real a[n, m], inout real b[n])\n  a[1, 1] := b[1]\nend\n",
    ),
    (
        "X212",
        "// n = 3\nmain subroutine f(in integer n, inout real y[4, 6])\n  call g(n, y[1:4:2, 2:4], y)\nend\naliased subroutine g(in integer n, inout real a[3, 2], inout real b[n])\n  b[1] := 2.0\nend\n",
    ),
    (
        "X212",
        "// n = 7\nmain subroutine f(in integer n, inout real y[4, 6])\n  call g(n, y[1:4:2, 2:4], y)\nend\naliased subroutine g(in integer n, inout real a[n], inout real b[n])\n  b[1] := a[2]\nend\n",
    ),
    (
        "X201",
        "// n = 4\nmain subroutine f(in integer n, in real x[n], out real y)\n  y := x[n + 1]\nend\n",
    ),
    (
        "X201",
        "// n = 4\nmain subroutine f(in integer n, inout real x[n])\n  x[2 - n] := 1.0\nend\n",
    ),
    (
        "X201",
        "// n = 4\nmain subroutine f(in integer n, inout real x[n, 3])\n  x[2, n] := x[2, n] + 1.0\nend\n",
    ),
    (
        "X201",
        "// n = 4\nmain subroutine f(in integer n, inout real x[2, n, 3])\n  x[2, n, 0] := 1.0\nend\n",
    ),
    (
        "X201",
        "// n = 4\nmain subroutine f(in integer n, inout real x[n])\n  x[2:n + 1] := 1.0\nend\n",
    ),
    (
        "X201",
        "// n = 4\nmain subroutine f(in integer n, inout real x[n])\n  x[n:0:-1] := 1.0\nend\n",
    ),
    (
        "X202",
        "// n = 4\nmain subroutine f(in integer n, in real x[n], out real y)\n  local integer i\n  if n > 9\n    i := 1\n  end\n  y := x[i]\nend\n",
    ),
    (
        "X202",
        "// n = 4\nmain subroutine f(in integer n, out real y)\n  local real x\n  y := 0.0\n  if n > 9\n    x := 1.0\n  end\n  if x*2.0 > y\n    y := 1.0\n  end\nend\n",
    ),
    (
        "X202",
        "// n = 4\nmain subroutine f(in integer n, out real y)\n  local logical b\n  y := 0.0\n  if n > 9\n    b := true\n  end\n  if b and n > 3\n    y := 1.0\n  end\nend\n",
    ),
    (
        "X202",
        "// n = 4\nmain subroutine f(in integer n, out real y)\n  local integer i, m\n  y := 0.0\n  if n > 9\n    m := 1\n  end\n  for i = 1, m\n    y := 1.0\n  end\nend\n",
    ),
    (
        "X202",
        "// n = 4\nmain subroutine f(in integer n, out real y)\n  local integer m\n  y := 0.0\n  if n > 9\n    m := 1\n  end\n  select m + 1\n  case 1\n    y := 1.0\n  case default\n  end\nend\n",
    ),
    (
        "X202",
        "// n = 4\nmain subroutine f(in integer n, out real y)\n  local real w[3]\n  y := 0.0\n  w[1] := 1.0\n  w[2] := 2.0\n  while sum(w) > y\n    y := 9.0\n  end\nend\n",
    ),
    (
        "X202",
        "// n = 4\nmain subroutine f(in integer n, out real y, out integer m)\n  if n > 9\n    m := 1\n  end\n  y := if(m > 2, 1.0, 2.0)\nend\n",
    ),
    (
        "X202",
        "// n = 4\nsubroutine g(in integer n, optional out real u, out real y)\n  y := 0.0\n  if n > 9\n    u := 1.0\n  end\n  if u > y\n    y := 1.0\n  end\n  u := y\nend\nmain subroutine f(in integer n, out real y)\n  local real v\n  v := 3.0\n  call g(n, v, y)\nend\n",
    ),
    (
        "X203",
        "// n = 4\nmain subroutine f(in integer n, out integer m)\n  m := n + 9223372036854775807\nend\n",
    ),
    (
        "X203",
        "// n = -4\nmain subroutine f(in integer n, out integer m)\n  m := n - 9223372036854775807\nend\n",
    ),
    (
        "X203",
        "// n = -4\nmain subroutine f(in integer n, out integer m)\n  m := 9223372036854775807 - n\nend\n",
    ),
    (
        "X203",
        "// n = 4\nmain subroutine f(in integer n, out integer m)\n  m := n*4611686018427387904\nend\n",
    ),
    (
        "X203",
        "// n = 40\nmain subroutine f(in integer n, out integer m)\n  m := n**n\nend\n",
    ),
    (
        "X203",
        "// n = 40\nmain subroutine f(in integer n, out int8 m)\n  m := int8(n) + int8(100)\nend\n",
    ),
    (
        "X203",
        "// n = -1\nmain subroutine f(in integer n, out real y)\n  local uint64 m\n  m := uint64(n)\n  y := real(m)\nend\n",
    ),
    (
        "X203",
        "// n = 4\nmain subroutine f(in integer n, out uint8 m)\n  local uint8 w[n]\n  w := uint8(100)\n  m := sum(w)\nend\n",
    ),
    (
        "X203",
        "// n = 4\nmain subroutine f(in integer n, out uint8 m)\n  local tape t\n  push[integer] n*100\n  m := pop[integer]\nend\n",
    ),
    (
        "X204",
        "// n = 0\nmain subroutine f(in integer n, out uint16 m)\n  m := uint16(7)/uint16(n)\nend\n",
    ),
    (
        "X205",
        "// n = 4\nmain subroutine f(in integer n, out uint8 m)\n  m := uint8(real(n)*100.0)\nend\n",
    ),
    (
        "X202",
        "// n = 4\nmain subroutine f(in integer n, out real y)\n  local int8 m\n  y := 0.0\n  if n > 9\n    m := int8(1)\n  end\n  if m*int8(2) > int8(1)\n    y := 1.0\n  end\nend\n",
    ),
    (
        "X203",
        "// n = -9223372036854775808\nmain subroutine f(in integer n, out integer m)\n  m := abs(n)\nend\n",
    ),
    (
        "X203",
        "// n = -9223372036854775808\nmain subroutine f(in integer n, out integer m)\n  m := n/(-1)\nend\n",
    ),
    (
        "X203",
        "// n = 5000000000\nmain subroutine f(in integer n, out integer m)\n  local integer w[4]\n  w := n\n  m := product(w)\nend\n",
    ),
    (
        "X203",
        "// n = -9223372036854775808\nmain subroutine f(in integer n, out integer m)\n  local integer i\n  m := 0\n  for i = n, 9223372036854775807\n    m := 1\n  end\nend\n",
    ),
    (
        "X203",
        "// n = 9223372036854775806\nmain subroutine f(in integer n, out integer m)\n  local integer i\n  m := 0\n  for i = n, 9223372036854775807\n    m := m + 1\n  end\nend\n",
    ),
    (
        "X204",
        "// n = 4\nmain subroutine f(in integer n, out integer m)\n  m := n/(n - 4)\nend\n",
    ),
    (
        "X204",
        "// n = 4\nmain subroutine f(in integer n, out integer m)\n  m := modulo(n, n - 4)\nend\n",
    ),
    (
        "X204",
        "// n = 4\nmain subroutine f(in integer n, out integer m)\n  m := (n - 4)**(-1)\nend\n",
    ),
    (
        "X205",
        "// n = 4\nmain subroutine f(in integer n, in real x, out integer m)\n  m := int(x*1e300)\nend\n",
    ),
    (
        "X206",
        "// n = 4\nmain subroutine f(in integer n, out integer m)\n  local integer i\n  m := 0\n  for i = 1, 3, n - 4\n    m := 1\n  end\nend\n",
    ),
    (
        "X206",
        "// n = 4\nmain subroutine f(in integer n, inout real x[n])\n  x[1:3:n - 4] := 1.0\nend\n",
    ),
    (
        "X207",
        "// n = 4\nmain subroutine f(in integer n, out integer m)\n  m := 0\n  select n\n  case 1\n    m := 1\n  case 2\n    m := 2\n  end\nend\n",
    ),
    (
        "X207",
        "// n = 4\nmain subroutine f(in integer n, out integer m)\n  m := 0\n  select n\n  case 1..3\n    m := 1\n  case 7..9\n    m := 2\n  end\nend\n",
    ),
    (
        "X212",
        "// n = 4\nmain subroutine f(in integer n, inout real x[n])\n  local real w[3]\n  w := 1.0\n  x := w + x\nend\n",
    ),
    (
        "X212",
        "// n = 4\nmain subroutine f(in integer n, inout real x[n])\n  x[1:2] := x[2:n]\nend\n",
    ),
    (
        "X212",
        "// n = 4\nsubroutine g(in integer n, inout real x[n])\n  x := 1.0\nend\nmain subroutine f(in integer n, inout real x[n])\n  call g(n + 1, x)\nend\n",
    ),
    (
        "X212",
        "// n = 4\nsubroutine g(in integer n, inout real x[n])\n  x := 1.0\nend\nmain subroutine f(in integer n, inout real x[n])\n  call g(n, x[2])\nend\n",
    ),
    (
        "X213",
        "// n = 4\nsubroutine g(in integer n, optional in real x, out real y)\n  y := x\nend\nmain subroutine f(in integer n, out real y)\n  call g(n, absent, y)\nend\n",
    ),
    (
        "X213",
        "// n = 4\nsubroutine g(in integer n, optional inout real x[n], out real y)\n  y := 1.0\n  x[1] := y\nend\nmain subroutine f(in integer n, out real y)\n  call g(n, absent, y)\nend\n",
    ),
    (
        "X215",
        "// n = 4\nmain subroutine f(in integer n, out real y)\n  local real w[:]\n  if n > 9\n    w := fill(1.0, n)\n  end\n  y := w[1]\nend\n",
    ),
    (
        "X215",
        "// n = 4\nmain subroutine f(in integer n, out real y)\n  local real w[:]\n  if n > 9\n    w := fill(1.0, n)\n  end\n  y := sum(w)\nend\n",
    ),
    (
        "X216",
        "// n = 4\nmain subroutine f(in integer n, out real y)\n  local tape t\n  push[real] 1.0\n  y := pop[real]\n  y := pop[real]\nend\n",
    ),
    (
        "X216",
        "// n = 4\nmain subroutine f(in integer n, inout real x[n])\n  local tape t\n  push[real] x[1:2]\n  x := pop[real]\nend\n",
    ),
    (
        "X216",
        "// n = 4\nmain subroutine f(in integer n, out integer m)\n  local tape t\n  push[control 3] n\n  m := pop[control 3]\n  m := pop[control 1]\nend\n",
    ),
    (
        "X216",
        "// n = 4\nmain subroutine f(in integer n, out integer m)\n  local tape t\n  push[control count] n\n  m := pop[control count]\n  m := pop[control count]\nend\n",
    ),
    (
        "X217",
        "// n = 4\nmain subroutine f(in integer n, out integer m)\n  local tape t\n  m := n\n  push[control 2] n\nend\n",
    ),
    (
        "X217",
        "// n = 4\nmain subroutine f(in integer n, out integer m)\n  local tape t\n  m := n\n  push[control count] n - 9\nend\n",
    ),
    (
        "X202",
        "// n = 4\nmain subroutine f(in integer n, out integer m)\n  local tape t\n  if n > 9\n    m := n\n  end\n  push[control count] m\nend\n",
    ),
];

#[test]
fn each_code_has_its_place() {
    let mut all = Vec::new();
    for (k, (code, text)) in ERRORS.iter().enumerate() {
        let trial = by_hand(&format!("{code}, program {k}"), text);
        match &trial.expected {
            Err((found, _)) => assert_eq!(found, code, "program {k}: {text}"),
            Ok(_) => panic!("program {k} has no error: {text}"),
        }
        all.push(trial);
    }
    check(&all, all.len());
}

#[test]
fn codes_are_the_executors() {
    for (code, title) in c::FAULTS {
        let code = format!("X{code}");
        let theirs = cfg_exec::CODES.iter().find(|c| c.code == code).unwrap();
        assert_eq!(theirs.title, *title);
    }
}

/// Pairs of erroneous operands; each pair is tried in both orders and in each form.
const WRONGS: &[(&str, &str)] = &[
    ("X201", "x[n + 1]"),
    ("X202", "x[unset]"),
    ("X201", "x[k[n + 1]]"),
    ("X202", "x[k[unset]]"),
    ("X204", "x[n/(n - 4)]"),
    ("X203", "x[n + 9223372036854775807]"),
    ("X205", "x[int(1e300*x[n])]"),
    ("X201", "x[n/n:n + 1]"),
    ("X202", "x[unset:2]"),
    ("X206", "x[1:2:n - 4]"),
    ("X202", "if(x[n - 4 + 1] < none, x[1], x[2])"),
    ("X202", "if(n > 1 and b, x[1], x[2])"),
    ("X201", "if(x[n - 4] < x[2], x[1], x[2])"),
    ("X201", "a[1, 2, n]"),
    ("X202", "a[1, unset, 1]"),
    ("X203", "real(n*9223372036854775807)"),
    ("X204", "real(modulo(n, n - 4))"),
    ("X212", "x + v"),
    ("X215", "later"),
    ("X215", "later[1]"),
];

/// Forms with two holes, and whether they take arrays.
const FORMS: &[(&str, bool)] = &[
    ("y := A + B", false),
    ("y := min(A, 2.0, B)", false),
    ("y := A*sin(B)**2", false),
    ("y := A - (1.0 + B)", false),
    ("y := if(A > B, 1.0, 2.0)", false),
    ("x[int(A)] := B", true),
    ("x[k[int(A)]] := x[1]/B", true),
    ("y := a[int(A), int(B), 1]", false),
    ("y := a[1, int(A), int(B)]", false),
    ("y := x[int(A) + int(B)]", false),
    ("x[int(A):int(B)] := 1.0", false),
    ("y := sum(x[int(A):int(B):2])", false),
    ("a[int(A), int(B), 1:2] := 2.0", false),
    ("y := sum(A*x) + B", false),
    ("y := B + sum(A*x)", true),
    ("y := sum(x*A) + maxval(x*B)", false),
    ("x := A*x + B", false),
    ("x[1:2] := if(x[1:2] > A, B, x[1:2])", false),
    ("call g(A, B, y)", false),
    ("call g(B, x[1], x[int(A)])", true),
    ("for i = int(A), int(B)\n    y := 1.0\n  end", false),
    ("for i = 1, int(A), int(B)\n    y := 1.0\n  end", false),
    ("while A > B\n    y := y + 1.0\n  end", false),
    ("if A > 0.0 and B > 0.0\n    y := 1.0\n  end", false),
    (
        "select int(A) + int(B)\n  case 1\n    y := 1.0\n  case default\n  end",
        false,
    ),
    ("push[real] A*B", false),
    ("push[control 2] int(A) - int(B)", false),
];

/// Of two errors in one statement the first in the order of evaluation is reported, which is that of docs/format.md:
/// from the left, the value before the subscripts of the target.
#[test]
fn the_first_of_two_errors_is_told() {
    let mut all = Vec::new();
    let is_array = |text: &str| matches!(text, "x + v" | "later") || text.contains(':');
    for (k, (form, swapped)) in FORMS.iter().enumerate() {
        for (m, (a_code, a)) in WRONGS.iter().enumerate() {
            for (n, (b_code, b)) in WRONGS.iter().enumerate() {
                if (k + m + 2 * n) % every() != 0 || a_code == b_code {
                    continue;
                }
                let whole = |e: &str| match is_array(e) {
                    true => format!("sum({e})"),
                    false => e.to_owned(),
                };
                let statement = form.replace('A', &whole(a)).replace('B', &whole(b));
                let text = format!("{HEAD}  {statement}\nend\n");
                let trial = by_hand(&statement, &text);
                let code = if *swapped { b_code } else { a_code };
                match &trial.expected {
                    Err((found, _)) => assert_eq!(found, code, "{statement}"),
                    Ok(_) => panic!("no error: {statement}"),
                }
                all.push(trial);
            }
        }
    }
    assert!(all.len() > 100, "{}", all.len());
    check(&all, all.len() / 8);
}

/// The beginning of these programs.
const HEAD: &str = "\
// n = 4
subroutine g(in real p, in real q, out real r)
  r := p + q
end
main subroutine f(in integer n, inout real x[n], in real v[3], in integer k[n], inout real a[2, 2, 2], out real y)
  local integer i, unset
  local real none, later[:]
  local logical b
  local tape t
  y := 0.0
  if n > 9
    unset := 1
    none := 1.0
    b := true
    later := v
  end
";

/// One of so many of the programs with two errors is tried, `CFGREV_EVERY`.
fn every() -> usize {
    let number = std::env::var("CFGREV_EVERY").ok();
    number.and_then(|n| n.parse().ok()).unwrap_or(61)
}

/// A third of the seeds that programs without checks take: files with checks are several times as long.
fn fewer() -> std::ops::Range<u64> {
    let seeds = seeds();
    seeds.start..seeds.start + (seeds.end - seeds.start).div_ceil(3)
}

/// A program of each family in turn.
fn generated(seed: u64) -> Case {
    use generate::Options;
    let families = [
        Options::WIDE,
        Options::EXACT,
        Options::WIDE_SMOOTH,
        Options::SMALL,
        Options::SMOOTH,
    ];
    generate::generate(&families[seed as usize % families.len()], seed).unwrap()
}

fn good(name: &str, case: impl Fn(u64) -> Case) {
    let mut all = Vec::new();
    for seed in fewer() {
        let made = jobs(&format!("{name} {seed}"), &case(seed), &options(seed), seed);
        all.extend(made.into_iter().filter_map(Trial::of_job));
    }
    check(&all, all.len() / 8);
}

#[test]
fn kernels_have_the_executors_bits() {
    let mut all = Vec::new();
    for (seed, kernel) in (0..).zip(kernels::all()) {
        let case = kernel.case(kernel.size);
        let made = jobs(kernel.name, &case, &options(seed), seed);
        all.extend(made.into_iter().filter_map(Trial::of_job));
    }
    check(&all, 0);
}

#[test]
fn generated_programs_have_the_executors_bits() {
    good("generated", generated);
}

#[test]
fn general_programs_have_the_executors_bits() {
    good("general", general::generate);
}

/// The programs that were written to be hard, each with its gradient and tangent.
fn hard() -> Vec<Job> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/emitted/programs");
    let files = std::fs::read_dir(folder).unwrap();
    let mut files: Vec<_> = files.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let mut all = Vec::new();
    for (seed, file) in (0..).zip(files) {
        let name = file.file_stem().unwrap().to_str().unwrap();
        let case = crate::by_hand::case(name, &std::fs::read_to_string(&file).unwrap());
        all.extend(jobs(name, &case, &options(seed), seed));
    }
    all
}

#[test]
fn hard_programs_have_the_executors_bits() {
    let all: Vec<Trial> = hard().into_iter().filter_map(Trial::of_job).collect();
    check(&all, all.len() / 8);
}

#[test]
fn broken_hard_programs_end_as_the_executor_says() {
    breaking("hard", hard());
}

/// Random programs that are broken, with their gradients and tangents: half of those that are kept end in an error.
fn bad(name: &str, case: impl Fn(u64) -> Case) {
    let jobs = |seed| jobs(&format!("{name} {seed}"), &case(seed), &options(seed), seed);
    breaking(name, fewer().flat_map(jobs).collect());
}

/// The number of times that each program is broken.
fn times() -> u64 {
    let number = std::env::var("CFGREV_TIMES").ok();
    number.and_then(|n| n.parse().ok()).unwrap_or(4)
}

fn breaking(name: &str, jobs: Vec<Job>) {
    let mut all = Vec::new();
    let mut fine = 0;
    let mut rng = Rng::new(seeds().start + name.len() as u64);
    for (seed, job) in (0..).zip(jobs) {
        let trials = breaking::trials(&job, &options(seed), times(), &mut rng);
        all.extend(trials.into_iter().filter(|trial| {
            fine += usize::from(trial.expected.is_ok());
            trial.expected.is_err() || fine % 9 == 0
        }));
    }
    let errors = all.iter().filter(|t| t.expected.is_err()).count();
    assert!(errors > 0, "no errors");
    check(&all, all.len() / 8);
}

#[test]
fn broken_programs_end_as_the_executor_says() {
    bad("generated", generated);
}

#[test]
fn broken_general_programs_end_as_the_executor_says() {
    bad("general", general::generate);
}

const MASKED: &str = "
function masked(in integer n, in real x[n], in logical mask[n], out logical seen) result r
  local real r
  local integer i
  independent x
  dependent r
  r := 0.0
  seen := false
  for i = 1, n
    if mask[i]
      r := r + x[i]*x[i]
      seen := true
    end
  end
  r := r/x[n - 2]
end
";

/// Uses functions with checks as docs/c-out.md says.
const CALLER: &str = r#"
#include "masked.c"
#include "masked_adjoint.c"
#include "masked_tangent.c"
#include <stdio.h>
#include <string.h>

static int failures;

static void check(bool holds, const char *what)
{
    if (!holds) {
        printf("%s\n", what);
        ++failures;
    }
}

int main(void)
{
    const double x[4] = {1, 2, 3, 4}, x_t[4] = {1, 0, 0, 0};
    const bool mask[4] = {true, false, true, true};
    double x_b[4] = {0}, r = 0, r_t = 0;
    bool seen = false;
    struct cfgrev_tape tape = {0};
    int k;

    check(masked(4, x, mask, &seen, &r, &tape) == 0 && r == 13 && seen, "the function is wrong");
    check(masked(4, x, mask, &seen, &r, NULL) == 0 && r == 13, "a null tape is not taken");
    check(strcmp(cfgrev_tape_message(&tape), "") == 0, "there is a message");
    for (k = 0; k < 3; ++k) {
        check(masked(2, x, mask, &seen, &r, &tape) == 4, "a subscript is not checked");
        check(strcmp(cfgrev_tape_message(&tape), "X201 routine masked, vertex 8, statement 1: index out of bounds") == 0,
              cfgrev_tape_message(&tape));
        check(masked_grad(2, x, x_b, mask, &seen, &r, 1.0, &tape) == 4, "a gradient is not checked");
        check(strncmp(cfgrev_tape_message(&tape), "X201 routine masked, vertex 8, statement 1 (in routine ", 55) == 0,
              cfgrev_tape_message(&tape));
        check(masked_t(2, x, x_t, mask, &seen, &r, &r_t, &tape) == 4, "a tangent is not checked");
        check(cfgrev_tape_bytes(&tape) == 0, "a check leaves something on the tape");
    }
    memset(x_b, 0, sizeof x_b);
    check(masked_grad(4, x, x_b, mask, &seen, &r, 1.0, &tape) == 0, cfgrev_tape_message(&tape));
    check(x_b[0] == 1 && x_b[1] == -6.5 && x_b[2] == 3 && x_b[3] == 4, "the gradient is wrong");
    check(masked_t(4, x, x_t, mask, &seen, &r, &r_t, &tape) == 0 && r_t == 1, "the tangent is wrong");
    /* A reverse sweep without its forward sweep. */
    check(masked_rev(4, x, x_b, mask, &seen, 1.0, &tape) == 4, "an empty tape is not noticed");
    check(strncmp(cfgrev_tape_message(&tape), "X216 ", 5) == 0, cfgrev_tape_message(&tape));
    cfgrev_tape_free(&tape);
    return failures > 0;
}
"#;

#[test]
fn callers_in_c_get_the_message() {
    let Some(cc) = needs::tool("cc") else { return };
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    let program = validate(cfg_format::text::parse(MASKED).program.unwrap()).unwrap();
    let options = c::Options {
        checks: true,
        ..c::Options::default()
    };
    let routine = RoutineId::new(0);
    write(
        "masked.c",
        &c::program_with(&flat(&program), options).unwrap(),
    );
    let made =
        cfg_reverse::reverse(&flat(&program), routine, &cfg_reverse::Options::default()).unwrap();
    let routines = routines(&made);
    let reversed = validate(made.program).unwrap();
    let adjoint = c::adjoint_with(&flat(&reversed), routines, options).unwrap();
    write("masked_adjoint.c", &adjoint);
    let made = cfg_reverse::tangent(&flat(&program), routine).unwrap();
    let derived = validate(made.program).unwrap();
    let tangent = c::tangent_with(&flat(&derived), made.original, made.tangent, options).unwrap();
    write("masked_tangent.c", &tangent);
    write("main.c", CALLER);
    for sanitized in [true, false] {
        let mut command = std::process::Command::new(&cc);
        command.current_dir(folder.path()).args(flags(sanitized));
        let ran = command
            .args(["-o", "main", "main.c", "-lm"])
            .output()
            .unwrap();
        assert!(
            ran.status.success(),
            "{}",
            String::from_utf8_lossy(&ran.stderr)
        );
        let ran = std::process::Command::new(folder.path().join("main"))
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&ran.stdout) + String::from_utf8_lossy(&ran.stderr);
        assert!(ran.status.success() && said.is_empty(), "{said}");
    }
    let text = std::fs::read_to_string(folder.path().join("masked.c")).unwrap();
    let behind = text.find("CFGREV_CHECKS_IS_DEFINED").map(|at| &text[at..]);
    let (_, functions) = behind
        .unwrap()
        .split_once("struct cfgrev_tape *memory)\n")
        .unwrap();
    cfg_testkit::golden::golden("tests/golden/masked.checks.c", functions);
}
