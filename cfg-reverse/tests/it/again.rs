//! Integers and conditions that reverse sweeps evaluate again, in routines that are called: against derivatives by
//! operator overloading and under the witness, on random programs whose operands often change in between.

use crate::{
    adjoint::agrees_in_any_order,
    bounds::{shown, valid},
    witness::witnessed,
};
use cfg_reverse::{Options, Order, Prefer, reverse};
use cfg_testkit::{
    case::{Case, Datum, Elements},
    flat::flat,
    property,
    rng::Rng,
};
use std::fmt::Write as _;

/// Writes the callee.
struct Writer<'r> {
    rng: &'r mut Rng,
    out: String,
    /// The local integers that have values, each of which may be assigned again one time in four.
    known: Vec<&'static str>,
    /// The indices of loops around.
    around: Vec<&'static str>,
    is_aliased: bool,
}

impl Writer<'_> {
    fn pick<'s>(&mut self, from: &[&'s str]) -> &'s str {
        from[self.rng.below(from.len())]
    }

    fn line(&mut self, line: &str) {
        let _ = writeln!(self.out, "{line}");
    }

    /// An operand, more often one that nothing changes.
    fn operand(&mut self) -> &'static str {
        let known = self.known.clone();
        let around = self.around.clone();
        match self.rng.below(6) {
            0 if !known.is_empty() => known[self.rng.below(known.len())],
            1 => self.pick(&["q", "v[2]"]),
            2 | 3 if !around.is_empty() => around[self.rng.below(around.len())],
            _ => self.pick(&["n", "k", "m"]),
        }
    }

    fn integer(&mut self) -> String {
        let (a, b) = (self.operand(), self.operand());
        match self.rng.below(8) {
            0 => format!("{a} + {b}"),
            1 => format!("bitand({a}, 3)"),
            2 => format!("bitor({a}, bitand({b}, 5))"),
            3 => format!("modulo({a}, 4) - {b}/2"),
            4 => format!("bitxor({a}, {b} >>> 1)"),
            5 => format!("bitand({a}, 7) <<% bitand({b}, 1)"),
            6 => format!("{a} - 1"),
            _ => format!("modulo({a}*3, 5)"),
        }
    }

    fn condition(&mut self) -> String {
        let (a, b) = (self.integer(), self.operand());
        match self.rng.below(6) {
            0 => format!("bitand(m >>> bitand({b}, 3), 1) != 0"),
            1 => format!("modulo({a}, 3) == 0"),
            2 => format!("x[1 + modulo({a}, n)] > 0.0"),
            3 => format!("{a} < {b}"),
            4 => format!("({a})/2 > {b}"),
            _ => "w > 0.25".to_owned(),
        }
    }

    /// A local integer that has a value, or `m`.
    fn local(&mut self) -> &'static str {
        let known = self.known.clone();
        match known.is_empty() {
            true => "m",
            false => known[self.rng.below(known.len())],
        }
    }

    fn real(&mut self) -> String {
        let (at, t) = (self.integer(), self.local());
        match self.rng.below(6) {
            0 => format!("x[1 + modulo({at}, n)]"),
            1 => format!("y[1 + modulo({at}, n)]"),
            2 => self.pick(&["s", "r", "w"]).to_owned(),
            3 => format!("0.1*bitand({t}, 7)"),
            4 => format!("y[1 + modulo({t}, n)]"),
            _ => format!("x[1 + modulo({t}, n)]"),
        }
    }

    fn assign(&mut self) {
        let value = self.integer();
        let all = ["t1", "t2", "t3", "t4", "t5"];
        let new: Vec<&str> = all
            .into_iter()
            .filter(|t| !self.out.contains(&format!("{t} :=")))
            .collect();
        let t = match new.is_empty() || self.rng.below(4) == 0 {
            true => all[self.rng.below(all.len())],
            false => new[0],
        };
        self.line(&format!("{t} := {value}"));
        if !self.known.contains(&t) {
            self.known.push(t);
        }
    }

    fn statements(&mut self, depth: usize) {
        for _ in 0..2 + self.rng.below(4) {
            let (t, e) = (self.local(), self.real());
            match self.rng.below(if depth == 0 { 9 } else { 13 }) {
                0..=2 => self.assign(),
                3 => self.line(&format!("s := 0.5*s*{e} + 0.1*sin({e})")),
                4 => self.line(&format!(
                    "y[1 + modulo({t}, n)] := sin(y[1 + modulo({t}, n)]*{e})"
                )),
                5 => {
                    let other = self.real();
                    self.line(&format!("r := {other}*{e}"));
                }
                6 => {
                    let line = self.pick(&["q := q + 1", "q := bitxor(q, 3)", "v[2] := m"]);
                    self.line(line);
                }
                7 | 8 => {
                    let q = if self.is_aliased { "q" } else { "q + 2" };
                    let given = ["m", "bitor(m, 1 <<% 2)", q, t, &format!("{t} + 1")];
                    let given = given[self.rng.below(given.len())].to_owned();
                    let w = self.pick(&["w", "r", "0.5*s", "x[1]"]);
                    self.line(&format!(
                        "if k > 0\ncall g(n, k - 1, {given}, {w}, q, v, x, y, s)\nend"
                    ));
                }
                9 | 10 => {
                    let condition = self.condition();
                    self.line(&format!("if {condition}"));
                    self.inner(depth);
                    if self.rng.below(2) == 0 {
                        self.line("else");
                        self.inner(depth);
                    }
                    self.line("end");
                }
                _ => {
                    let index = ["i", "j", "l"][self.around.len()];
                    let last = self.pick(&["2", "3", "bitand(m, 3)"]);
                    self.line(&format!("for {index} = 1, {last}"));
                    self.around.push(index);
                    self.inner(depth);
                    self.around.pop();
                    self.line("end");
                }
            }
        }
    }

    /// Statements that may not be executed.
    fn inner(&mut self, depth: usize) {
        let known = self.known.clone();
        self.statements(depth - 1);
        self.known = known;
    }
}

/// A routine that calls itself, and calls of it, some with arguments that overlap.
fn random_program(rng: &mut Rng) -> String {
    let is_aliased = rng.below(3) == 0;
    let mut writer = Writer {
        rng,
        out: String::new(),
        known: Vec::new(),
        around: Vec::new(),
        is_aliased,
    };
    writer.statements(3);
    let body = writer.out;
    let (aliased, overlap) = match is_aliased {
        true => (
            "aliased ",
            "call g(n, 1, q, w, q, v, x, y, s)\ncall g(n, 1, v[2], w, q, v, x, y, s)\n",
        ),
        false => ("", ""),
    };
    let between = ["", "m := m + 1\n", "x[1] := s\n", "w := 0.5*w*s\n"];
    let between = between[rng.below(between.len())];
    format!(
        "{aliased}subroutine g(in integer n, in integer k, in integer m, in real w, inout integer q, inout integer v[2], in real x[4], inout real y[4], inout real s)
  local real r
  local integer i
  local integer j
  local integer l
  local integer t1
  local integer t2
  local integer t3
  local integer t4
  local integer t5
  r := 0.5
  {body}end

main subroutine f(in integer n, in real u[4], inout integer q, inout integer m, inout real w, inout real y[4], inout real s)
  local real x[4]
  local integer v[2]
  independent u, w, y, s
  dependent y, s, w
  x := u
  v := 2
  call g(n, 2, m, w, q, v, x, y, s)
  {between}{overlap}call g(n, 1, m + 1, w, q, v, x, y, s)
end
"
    )
}

/// A case of a program at a random point.
fn case(source: &str, rng: &mut Rng) -> Case {
    let program = valid(source);
    let main = program.find_routine("f").expect("it is there");
    let routine = program.routine(main);
    let variable = |name: &str| routine.find_variable(name).expect("it is declared");
    let n = 1 + rng.below(4);
    let size = |name: &str| if matches!(name, "u" | "y") { 4 } else { 1 };
    let mut reals =
        |name: &str| -> Vec<f64> { (0..size(name)).map(|_| rng.real(-1.5, 1.5)).collect() };
    let real = |name: &str, x: Vec<f64>| {
        let extents = if matches!(name, "u" | "y") {
            vec![4]
        } else {
            vec![]
        };
        let elements = Elements::Real(x);
        (variable(name), Datum { extents, elements })
    };
    let mut point: Vec<_> = ["u", "w", "y", "s"].map(|v| real(v, reals(v))).into();
    let direction = ["u", "w", "y", "s"]
        .map(|v| (variable(v), reals(v)))
        .to_vec();
    let seed = ["y", "s", "w"].map(|v| (variable(v), reals(v))).to_vec();
    let mut integer = |name: &str, x: i64| {
        let elements = Elements::Integer(vec![x]);
        point.push((
            variable(name),
            Datum {
                extents: vec![],
                elements,
            },
        ));
    };
    integer("n", n as i64);
    integer("q", rng.below(9) as i64);
    integer("m", rng.below(9) as i64);
    Case {
        direction,
        seed,
        main,
        point,
        program: program.program().clone(),
    }
}

/// Gradients agree with operator overloading, and each value that a reverse sweep reads is the one that was there.
#[test]
fn random_callees() {
    let cases = property::cases(60);
    let mut again = 0;
    for seed in 0..cases {
        let mut rng = Rng::new(970_000 + seed);
        let source = random_program(&mut rng);
        let case = case(&source, &mut rng);
        let options = Options {
            prefer: [Prefer::Memory, Prefer::Time][seed as usize % 2],
            order: Order::Reverse,
            ..Options::default()
        };
        let found = agrees_in_any_order(&case, &options, 1e-9);
        assert!(found.is_ok(), "seed {seed}: {found:?}\n{source}");
        let program = flat(&valid(&source));
        let report = witnessed(&case, &program, &options).expect("the gradient runs");
        let verdict = report.map(|report| report.verdict());
        assert!(
            verdict == Some(Ok(())),
            "seed {seed}: {verdict:?}\n{source}"
        );
        let made = reverse(&program, case.main, &options).expect("it is reversed");
        let reverse = shown(&made.program, "g_rev");
        again += u64::from(reverse.lines().any(|line| {
            line.trim_start().starts_with('t') && line.contains(":= ") && !line.contains("pop")
        }));
    }
    println!("{again} of {cases} evaluate an integer again");
    assert!(4 * again > cases, "{again} of {cases}");
}

/// Where a call hands over a scalar twice, one name changes the value of the other: it is recorded.
#[test]
fn values_of_parameters_that_change_by_other_names_are_recorded() {
    let source = "aliased subroutine g(in integer n, in integer k, in integer m, inout integer q, in real x[4], inout real s)
  local integer i
  local integer t
  local real r
  for i = 1, n
    t := m + 1
    r := x[k]*x[k]
    q := q + 1
    if i > 0
      s := s*x[t]*r
    end
  end
end

main subroutine f(in integer n, in real u[4], inout integer q, inout integer m, inout real w, inout real y[4], inout real s)
  independent u, w, y, s
  dependent y, s, w
  q := 1
  call g(2, m, q, q, u, s)
  q := 1
  call g(2, q, 2, q, u, s)
end
";
    let mut case = case(source, &mut Rng::new(1));
    for (v, datum) in &mut case.point {
        if case.program.routine(case.main).variable(*v).name == "m" {
            datum.elements = Elements::Integer(vec![3]);
        }
    }
    for order in [Order::Reverse, Order::Program] {
        let options = Options {
            order,
            ..Options::default()
        };
        let found = agrees_in_any_order(&case, &options, 1e-9);
        assert!(found.is_ok(), "{found:?}");
    }
}
