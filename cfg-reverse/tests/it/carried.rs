//! Regions of loops and branches whose Jacobians the forward sweep carries: against derivatives by operator
//! overloading, on random programs of the kinds that qualify or nearly do, and what the sweeps of small programs
//! record.

use crate::{
    adjoint::agrees_smoothly,
    bounds::{shown, valid},
};
use cfg_reverse::{Blocks, Options, explain::explain, reverse};
use cfg_testkit::{
    case::{Case, Datum, Elements},
    flat::flat,
    rng::Rng,
};
use std::fmt::Write as _;

/// The options under which regions are carried.
fn options(blocks: Blocks) -> Options {
    Options {
        blocks,
        work: 20_000,
        ..Options::default()
    }
}

/// A sweep of a program whose regions are carried where that pays.
fn sweep(source: &str, name: &str) -> String {
    sweep_with(Blocks::Auto, source, name)
}

fn sweep_with(blocks: Blocks, source: &str, name: &str) -> String {
    let program = valid(source);
    let main = program.find_routine("f").expect("it is there");
    let made = reverse(&flat(&program), main, &options(blocks));
    shown(
        &made.unwrap_or_else(|d| panic!("{d}{source}")).program,
        name,
    )
}

/// A real expression of `names` that is smooth and bounded where these are.
pub(crate) fn expression(rng: &mut Rng, names: &[&str]) -> String {
    let mut of = || names[rng.below(names.len())].to_owned();
    let (a, b, c) = (of(), of(), of());
    match rng.below(7) {
        0 => format!("0.5*sin({a})*{b} + 0.25*{c}"),
        1 => format!("{a}/(1.5 + {b}*{b})"),
        2 => format!("cos({a} - {b})"),
        3 => format!("0.25*{a} - 0.5*{b}"),
        4 => format!("exp(-{a}*{a})*{b}"),
        5 => format!("{a}*{b}*0.125 + 0.3"),
        _ => format!("sqrt(1.0 + {a}*{a}) - 1.0"),
    }
}

/// The names that the statements of a region use.
struct Names {
    reals: Vec<&'static str>,
    targets: Vec<&'static str>,
    /// True if there may be statements with which a region does not qualify.
    is_wild: bool,
}

/// Statements of a region, `depth` levels of loops and branches at most.
fn statements(rng: &mut Rng, out: &mut String, names: &Names, depth: usize, level: usize) {
    let (reals, targets) = (&names.reals, &names.targets);
    for _ in 0..1 + rng.below(3) {
        let pad = "  ".repeat(level);
        match rng.below(if depth == 0 { 4 } else { 8 }) {
            0 | 1 => {
                let target = targets[rng.below(targets.len())];
                let _ = writeln!(out, "{pad}{target} := {}", expression(rng, reals));
            }
            2 => {
                let _ = writeln!(out, "{pad}total := total + {}", expression(rng, reals));
            }
            // Side effects on integers, and arrays that do not qualify.
            3 => match if names.is_wild { rng.below(4) } else { 0 } {
                0 => {
                    let _ = writeln!(out, "{pad}c := c + 1");
                }
                1 => {
                    let _ = writeln!(out, "{pad}w[1 + modulo(c, 3)] := p*q");
                }
                2 => {
                    let _ = writeln!(out, "{pad}p := p + 0.1*x[1 + modulo(c, n)]");
                }
                _ => {
                    let _ = writeln!(out, "{pad}y[i] := y[i] + {}", expression(rng, reals));
                }
            },
            4 | 5 => {
                let test = ["p > 0.1", "x[i] > 0.0", "modulo(c, 2) == 0", "q < r"][rng.below(4)];
                let _ = writeln!(out, "{pad}if {test}");
                statements(rng, out, names, depth - 1, level + 1);
                if rng.below(2) == 0 {
                    let _ = writeln!(out, "{pad}else");
                    statements(rng, out, names, depth - 1, level + 1);
                }
                let _ = writeln!(out, "{pad}end");
            }
            6 => {
                // The trip count depends on the data.
                let _ = writeln!(
                    out,
                    "{pad}k{depth} := 0\n{pad}while k{depth} < 1 + modulo(c, 3)"
                );
                let _ = writeln!(out, "{pad}  k{depth} := k{depth} + 1");
                statements(rng, out, names, depth - 1, level + 1);
                let _ = writeln!(out, "{pad}end");
            }
            _ => {
                let _ = writeln!(
                    out,
                    "{pad}for j{depth} = 1, modulo(c + {}, 4)",
                    rng.below(4)
                );
                statements(rng, out, names, depth - 1, level + 1);
                let _ = writeln!(out, "{pad}end");
            }
        }
    }
}

/// A loop over data with a region in each pass.
fn random_program(rng: &mut Rng) -> String {
    let mut body = String::new();
    let mut reals = vec!["p", "q", "x[i]", "b"];
    rng.shuffle(&mut reals);
    reals.truncate(2);
    let mut targets = vec!["p", "q", "r", "y[i]"];
    targets.retain(|name| reals.contains(name));
    if targets.is_empty() {
        targets.push("p");
    }
    let is_wild = rng.below(3) == 0;
    if is_wild {
        (reals, targets) = (
            vec!["p", "q", "r", "x[i]", "b"],
            vec!["p", "q", "r", "y[i]"],
        );
    }
    let names = Names {
        reals,
        targets,
        is_wild,
    };
    statements(rng, &mut body, &names, 2, 2);
    let before = [
        "",
        "    p := x[i]*b\n",
        "    p := b/(2.0 + x[i]*x[i])\n    q := p\n",
    ][rng.below(3)];
    let behind = [
        "",
        "    total := total + p\n",
        "    y[i] := p*q\n    r := r*p\n",
    ][rng.below(3)];
    format!(
        "main subroutine f(in integer n, in real x[n], inout real b, inout real y[n], out real total)
  local real p
  local real q
  local real r
  local real w[3]
  local integer c
  local integer i
  local integer j1
  local integer j2
  local integer k1
  local integer k2
  independent x, b, y
  dependent total, y, b
  total := 0.0
  c := 0
  p := 0.5
  q := b
  r := 0.25
  w := 0.5
  for i = 1, n
{before}{body}{behind}  end
  b := b*r + w[2]
end
"
    )
}

/// A case of a program at a point with `n` elements.
fn case(source: &str, rng: &mut Rng) -> Case {
    let program = valid(source);
    let main = program.find_routine("f").expect("it is there");
    let routine = program.routine(main);
    let variable = |name: &str| routine.find_variable(name).expect("it is declared");
    let n = 1 + rng.below(4);
    let mut reals = |n: usize| -> Vec<f64> { (0..n).map(|_| rng.real(-1.5, 1.5)).collect() };
    let datum = |extents: Vec<usize>, elements| Datum { extents, elements };
    let point = vec![
        (
            variable("n"),
            datum(vec![], Elements::Integer(vec![n as i64])),
        ),
        (variable("x"), datum(vec![n], Elements::Real(reals(n)))),
        (variable("b"), datum(vec![], Elements::Real(reals(1)))),
        (variable("y"), datum(vec![n], Elements::Real(reals(n)))),
    ];
    let direction = ["x", "b", "y"].map(|v| (variable(v), reals(if v == "b" { 1 } else { n })));
    let seed = ["total", "y", "b"].map(|v| (variable(v), reals(if v == "y" { n } else { 1 })));
    Case {
        direction: direction.to_vec(),
        seed: seed.to_vec(),
        main,
        point,
        program: program.program().clone(),
    }
}

/// Adjoint, tangent and operator overloading agree, whatever stands in the regions.
#[test]
fn random_regions() {
    let cases = std::env::var("CFGREV_CASES")
        .ok()
        .and_then(|n| n.parse().ok());
    let cases = cases.unwrap_or(200u64);
    let mut carried = [0; 2];
    for seed in 0..cases {
        let mut rng = Rng::new(700_000 + seed);
        let source = random_program(&mut rng);
        let case = case(&source, &mut rng);
        for blocks in [
            Blocks::Statement,
            Blocks::Preaccumulate,
            Blocks::Auto,
            Blocks::Carry,
        ] {
            let found = agrees_smoothly(&case, &options(blocks));
            assert!(
                found.is_ok(),
                "seed {seed}, {blocks:?}: {found:?}\n{source}"
            );
        }
        for (blocks, count) in [Blocks::Auto, Blocks::Preaccumulate]
            .into_iter()
            .zip(&mut carried)
        {
            let plan = explain(&flat(&valid(&source)), case.main, &options(blocks));
            let plan = plan.unwrap_or_else(|d| panic!("{d}{source}"));
            *count += plan.routines.iter().map(|r| r.regions.len()).sum::<usize>();
        }
    }
    assert!(
        carried[1] as u64 * 5 > cases,
        "{carried:?} regions in {cases} programs"
    );
}

/// A Newton iteration records the two partial derivatives of its root, and the reverse sweep has no loop for it.
#[test]
fn a_newton_iteration_records_its_jacobian() {
    let source = "main function f(in integer n, in real a[n], in real b) result total
  local real total
  local integer i
  local real x
  local real r
  independent a, b
  dependent total
  total := 0.0
  for i = 1, n
    x := b/(a[i] + 1.0)
    r := x*x*x + a[i]*x - b
    while abs(r) > 1e-12
      x := x - r/(3.0*x*x + a[i])
      r := x*x*x + a[i]*x - b
    end
    total := total + x
  end
end
";
    let (forward, reverse) = (sweep(source, "f_fwd"), sweep(source, "f_rev"));
    assert_eq!(forward.matches("push[").count(), 2, "{forward}");
    assert_eq!(reverse.matches("pop[").count(), 2, "{reverse}");
    assert_eq!(reverse.matches("forloop").count(), 1, "{reverse}");
}

/// A region is not carried where the active values that it reads are not known in advance, where a call or an opaque
/// statement stands inside, where storage is shared, or where more would be recorded.
#[test]
fn regions_that_do_not_qualify() {
    let program = |declared: &str, body: &str| {
        format!(
            "subroutine p(inout real x)
  x := x*x
end
main subroutine f(in integer n, in real x[n], inout real y)
{declared}  local real u
  local integer i
  local integer k
  independent x, y
  dependent y
  for i = 1, n
    u := x[i]
    k := 0
    while k < 3
      k := k + 1
{body}
    end
    y := y + u
  end
end
"
        )
    };
    for (declared, body, expected) in [
        ("", "      u := sin(u)*u", true),
        ("", "      u := sin(u)*x[k]", false),
        // Without a pass of the loop x[n] need not exist.
        ("", "      u := sin(u)*x[n]", false),
        ("", "      u := sin(u)*u\n      call p(u)", false),
        (
            "",
            "      opaque \"print\" reads u writes k\n      u := u*u",
            false,
        ),
        // A linear iteration records nothing by statements.
        ("", "      u := 0.5*u", false),
        (
            "  local real w[3]\n",
            "      w[k] := u\n      u := w[k]*u",
            false,
        ),
    ] {
        let source = program(declared, body);
        for (blocks, expected) in [
            (Blocks::Auto, expected),
            (Blocks::Carry, expected),
            (Blocks::Statement, false),
        ] {
            let forward = sweep_with(blocks, &source, "f_fwd");
            let found = forward.contains("u_d1");
            assert_eq!(found, expected, "{blocks:?}, {body}\n{forward}");
        }
    }
}
