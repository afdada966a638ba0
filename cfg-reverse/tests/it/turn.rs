//! Gradients that reverse each iteration of a loop before the next one begins: against derivatives by operator
//! overloading, on random programs whose loops are independent or nearly are, and what the tape holds.

use crate::{
    bounds::{shown, valid},
    carried::expression,
    run,
};
use cfg_exec::{Argument, CompileOptions, Compiled, RunOptions, Session, Value};
use cfg_reverse::{Options, Prefer, reverse};
use cfg_testkit::{
    case::{Case, Datum, Elements},
    flat::flat,
    interpret::Limits,
    property,
    rng::Rng,
};
use std::fmt::Write as _;

/// The gradient of a program, in the text form.
fn gradient(source: &str) -> String {
    let program = valid(source);
    let main = program.find_routine("f").expect("it is there");
    let made = reverse(&flat(&program), main, &Options::default());
    let made = made.unwrap_or_else(|d| panic!("{d}{source}"));
    shown(&made.program, "f_grad")
}

fn is_fused(gradient: &str) -> bool {
    !gradient.contains("call f_fwd")
}

/// Writes programs.
struct Writer<'r> {
    rng: &'r mut Rng,
    out: String,
    /// Names that expressions of the loop may read.
    reals: Vec<&'static str>,
}

impl Writer<'_> {
    fn pick<'s>(&mut self, from: &[&'s str]) -> &'s str {
        from[self.rng.below(from.len())]
    }

    fn line(&mut self, line: &str) {
        let _ = writeln!(self.out, "{line}");
    }

    fn value(&mut self) -> String {
        expression(self.rng, &self.reals)
    }

    /// A statement of the loop's body that leaves the iterations independent, or one time in `odd` may not.
    fn statement(&mut self, odd: usize, depth: usize) {
        let value = self.value();
        let kind = self.rng.below(if depth == 0 { 10 } else { 14 });
        if odd > 0 && self.rng.below(odd) == 0 {
            let line = [
                format!("s := s*0.5 + {value}"),
                "p := p + 0.25*x[i]".to_owned(),
                format!("w[1 + modulo(i, 3)] := {value}"),
                format!("c[1 + modulo(i, 3)] := c[1 + modulo(i, 3)]*0.5 + {value}"),
                format!("y[1 + modulo(i, n)] := {value}"),
                format!("z[i] := z[i]*0.5 + {value}"),
                "at := 1 + modulo(at, 3)".to_owned(),
                "total := total*0.75".to_owned(),
                format!("b := b*0.5 + {value}"),
                "p := y[1]*0.5".to_owned(),
                format!("q := w[2]*0.5 + {value}"),
                "p := s*0.125".to_owned(),
                format!("y[i] := y[i]*0.5 + {value}"),
                "at := 1 + modulo(at + i, 3)".to_owned(),
                "p := c[at]*0.5".to_owned(),
            ];
            let line = line[self.rng.below(line.len())].clone();
            return self.line(&line);
        }
        match kind {
            0 if self.reals.len() > 3 => {
                let target = self.reals[3];
                self.line(&format!("{target} := {target}*sin({target}) + {value}"));
            }
            0 | 1 => {
                let target = self.pick(&["p", "q", "r"]);
                self.line(&format!("{target} := {value}"));
                if !self.reals.contains(&target) {
                    self.reals.push(target);
                }
            }
            2 => self.line(&format!("total := total + {value}")),
            3 => self.line(&format!("s := s - {value}")),
            4 => self.line(&format!(
                "c[1 + modulo(i, 3)] := c[1 + modulo(i, 3)] + {value}"
            )),
            5 => self.line(&format!("y[i] := {value}")),
            // A private array: filled, then read in several ways.
            6 => {
                let (first, last) = (
                    ["1", "1", "1", "2"][self.rng.below(4)],
                    ["3", "3", "3", "2"][self.rng.below(4)],
                );
                self.line(&format!("for j = {first}, {last}"));
                self.line(&format!("  w[j] := {value} + 0.1*j"));
                if self.rng.below(2) == 0 {
                    self.line("  for k = 1, j - 1\n    w[j] := w[j] + 0.25*w[k]*w[k]\n  end");
                }
                self.line("end");
                if self.rng.below(2) == 0 {
                    self.line("for j = 3, 1, -1\n  total := total + w[j]*w[j]\nend");
                } else {
                    self.line("p := w[1]*w[2]");
                    self.reals.push("p");
                }
            }
            7 => {
                let k = self.rng.below(3);
                self.line(&format!("call g(x[i], {k}, v)"));
                self.line("total := total + v[1]*v[2]");
            }
            8 => {
                let shift = self.rng.below(3);
                self.line(&format!("at := 1 + modulo(i + {shift}, 3)"));
                self.line(&format!("total := total + c[at]*({value})"));
                self.line("at := 1 + modulo(at*at + i, 3)\ntotal := total + c[at]*c[at]*x[i]");
            }
            9 => self.line(&format!(
                "for j = 1, 3\n  w[j] := {value}\n  total := total + w[j]*x[i]\nend"
            )),
            10 | 11 => {
                let test = self.pick(&["x[i] > 0.0", "modulo(i, 2) == 0", "total > 0.5"]);
                self.line(&format!("if {test}"));
                let known = self.reals.clone();
                self.statement(odd, depth - 1);
                self.reals.clone_from(&known);
                if self.rng.below(2) == 0 {
                    self.line("else");
                    self.statement(odd, depth - 1);
                    self.reals = known;
                }
                self.line("end");
            }
            12 => {
                self.line(&format!(
                    "m{depth} := 0\nr := x[i]\nwhile m{depth} < 1 + modulo(i, 3)"
                ));
                self.line(&format!("  m{depth} := m{depth} + 1\n  r := r*r*0.5 + 0.3"));
                self.reals.push("r");
                self.statement(odd, depth - 1);
                self.line("end");
            }
            _ => {
                let last = self.pick(&["3", "modulo(i, 3)", "n"]);
                self.line(&format!("for l{depth} = 1, {last}"));
                let known = self.reals.clone();
                self.statement(odd, depth - 1);
                self.reals = known;
                self.line("end");
            }
        }
    }
}

/// Loops over data, with code in front and behind.
fn random_program(rng: &mut Rng) -> String {
    let odd = [0, 0, 6, 3][rng.below(4)];
    let mut writer = Writer {
        rng,
        out: String::new(),
        reals: vec!["x[i]", "b", "u"],
    };
    let range = ["1, n", "1, n", "n, 1, -1", "1, n, 2", "2, n"];
    let loops = 1 + writer.rng.below(2);
    for _ in 0..loops {
        let range = writer.pick(&range);
        let is_while = writer.rng.below(8) == 0;
        match is_while {
            true => writer.line("i := 0\nwhile i < n\n  i := i + 1"),
            false => writer.line(&format!("for i = {range}")),
        }
        for _ in 0..1 + writer.rng.below(6) {
            writer.statement(odd, 2);
        }
        writer.line("end");
        writer.reals.truncate(3);
        if writer.rng.below(3) == 0 {
            let between = writer.pick(&[
                "total := total*0.5",
                "u := u*0.5 + 0.1",
                "s := s + p",
                "total := total + s",
            ]);
            writer.line(between);
        }
    }
    let body = writer.out;
    let before = [
        "",
        "p := b*b\nu := sin(p) + 0.5\np := p*u\n",
        "at := 2\nu := c[at]*c[at]*u\n",
        "w := 0.5\nfor j = 1, 3\n  w[j] := b*j\nend\nu := w[1]*w[2]\n",
    ];
    let before = before[rng.below(before.len())];
    let behind = [
        "",
        "total := 0.5*total\n",
        "total := total + s\n",
        "total := total*total + s\n",
        "for j = 1, n\n  total := total + y[j]*y[j]\nend\n",
        "p := c[1]\nfor j = 2, 3\n  if c[j] > p\n    p := c[j]\n  end\nend\ntotal := total - p\n",
        "for j = 1, 3\n  b := b + 0.1*w[j]\nend\n",
        "b := 0.5*b\nc[2] := 0.25*c[2]\n",
        "total := total + p*q\n",
        "total := total + q*w[2]\n",
        "total := total + c[at]\n",
        "c[at] := c[at]*c[at]\n",
        "u := sin(p) + q\ntotal := total*u\n",
    ];
    let behind = behind[rng.below(behind.len())];
    format!(
        "subroutine g(in real a, in integer k, out real v[2])
  local real t
  t := a*a
  v[1] := t + 0.5
  t := t*sin(a)
  v[2] := t*k
end

main subroutine f(in integer n, in real x[n], inout real b, inout real c[3], inout real z[n], out real y[n], out real total)
  local real p
  local real q
  local real r
  local real s
  local real u
  local real v[2]
  local real w[3]
  local integer at
  local integer i
  local integer j
  local integer k
  local integer l1
  local integer l2
  local integer m1
  local integer m2
  independent x, b, c, z
  dependent total, y, b, c, z
  total := 0.0
  s := 0.1
  p := 0.5
  q := 0.25
  r := 0.125
  u := 0.75
  v := 0.5
  w := 0.25
  at := 1
  for j = 1, n
    y[j] := 0.5
  end
{before}{body}{behind}end
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
    let size = |name: &str| match name {
        "x" | "y" | "z" => n,
        "c" => 3,
        _ => 1,
    };
    let mut reals =
        |name: &str| -> Vec<f64> { (0..size(name)).map(|_| rng.real(-1.5, 1.5)).collect() };
    let integer = Elements::Integer(vec![n as i64]);
    let mut point = vec![(
        variable("n"),
        Datum {
            extents: vec![],
            elements: integer,
        },
    )];
    for name in ["x", "b", "c", "z"] {
        let extents = if name == "b" {
            vec![]
        } else {
            vec![size(name)]
        };
        let elements = Elements::Real(reals(name));
        point.push((variable(name), Datum { extents, elements }));
    }
    Case {
        direction: ["x", "b", "c", "z"]
            .map(|v| (variable(v), reals(v)))
            .to_vec(),
        seed: ["total", "y", "b", "c", "z"]
            .map(|v| (variable(v), reals(v)))
            .to_vec(),
        main,
        point,
        program: program.program().clone(),
    }
}

/// Runs the gradient of a case, and compares its value with that of the original and its adjoints with derivatives by
/// operator overloading.
fn gradient_agrees(case: &Case, options: &Options) -> Result<(), String> {
    let expected = case
        .gradient(Limits::default())
        .map_err(|f| format!("{f:?}"))?;
    let program = run::valid(case.program.clone())?;
    let plain = run::run(&program, case.main, &run::point(case))?;
    let made = reverse(&program, case.main, options).map_err(|d| d.to_string())?;
    let mut given = run::point(case);
    for name in ["x", "b", "c", "z", "y", "total"] {
        let value = &plain[name];
        let seed = case
            .seed
            .iter()
            .find(|(v, _)| case.routine().variable(*v).name == name);
        let seed = |i: usize| seed.map_or(0.0, |(_, seed)| seed[i]);
        given.insert(format!("{name}_b"), run::filled(value, seed));
    }
    let program = run::valid(made.program)?;
    let found = run::run(&program, made.gradient, &given)?;
    for name in ["b", "c", "z", "y", "total"] {
        if format!("{:?}", found[name]) != format!("{:?}", plain[name]) {
            return Err(format!(
                "{name} is {:?}, not {:?}",
                found[name], plain[name]
            ));
        }
    }
    for (v, expected) in expected {
        let name = format!("{}_b", case.routine().variable(v).name);
        for (i, &expected) in expected.iter().enumerate() {
            let found = found[&name].get_f64(i);
            if !found.is_some_and(|found| run::near(found, expected, 1e-9)) {
                return Err(format!("{name}[{i}] is {found:?}, not {expected}"));
            }
        }
    }
    Ok(())
}

/// The most bytes that the tapes of the gradient of a program hold at a time, for `n` elements.
fn peak(source: &str, n: usize) -> u64 {
    let program = valid(source);
    let main = program.find_routine("f").expect("it is there");
    let options = Options {
        prefer: Prefer::Memory,
        ..Options::default()
    };
    let made = reverse(&flat(&program), main, &options).unwrap();
    let program = run::valid(made.program).unwrap();
    let compiled = Compiled::new(&program, &CompileOptions::default()).unwrap();
    let mut session = Session::new(&compiled);
    let array = |x: f64| Value::from_reals(&vec![x; n]);
    let values = [
        Value::integer(n as i64),
        array(0.75),
        Value::real(0.0),
        array(0.0),
        Value::real(1.0),
    ];
    let mut arguments = values.map(Argument::Value);
    let report = session
        .run(made.gradient, &mut arguments, &RunOptions::default())
        .unwrap();
    report.tape.peak_bytes
}

/// Terms with branches, loops that end by their data and overwritten values: the tape does not grow with their number,
/// whether the adjoint of the sum is known before the loop or not.
#[test]
fn sums_of_independent_terms_need_a_tape_of_one_term() {
    for behind in ["y := y/n", "y := sqrt(y)"] {
        let source = format!(
            "main subroutine f(in integer n, in real x[n], out real y)
  local real t
  local integer i
  independent x
  dependent y
  y := 0.0
  for i = 1, n
    t := 1.0
    while abs(t*t - x[i]) > 1e-9
      t := 0.5*(t + x[i]/t)
    end
    if t > 0.5
      t := sin(t)*t
    end
    y := y + t*t
  end
  {behind}
end
"
        );
        assert_eq!(peak(&source, 3), peak(&source, 300), "{source}");
    }
}

/// The gradient agrees with operator overloading, whatever the loops share.
#[test]
fn random_loops() {
    let mut fused = 0;
    let cases = property::cases(300);
    for seed in 0..cases {
        let mut rng = Rng::new(900_000 + seed);
        let source = random_program(&mut rng);
        let case = case(&source, &mut rng);
        let options = Options {
            prefer: [Prefer::Memory, Prefer::Time][seed as usize % 2],
            ..Options::default()
        };
        let found = gradient_agrees(&case, &options);
        assert!(found.is_ok(), "seed {seed}: {found:?}\n{source}");
        fused += u64::from(is_fused(&gradient(&source)));
    }
    println!("{fused} of {cases} have a loop at the turn");
    assert!(5 * fused > cases && fused < cases, "{fused} of {cases}");
}
