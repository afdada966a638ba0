//! Elements that are overwritten in place in loops: gradients against the interpreter with derivatives, and under the
//! witness.

use crate::{adjoint, witness::witnessed};
use cfg_core::{entity::VarId, validate};
use cfg_reverse::{Blocks, Options};
use cfg_testkit::{
    case::{Case, Datum, Elements},
    flat, property,
    rng::Rng,
};
use std::fmt::Write as _;

/// A program in the text form under construction.
struct Source<'r> {
    rng: &'r mut Rng,
    text: String,
    /// Indices of loops around.
    around: Vec<&'static str>,
    loops: usize,
    whiles: usize,
}

impl Source<'_> {
    fn pick(&mut self, all: &[&str]) -> String {
        self.rng
            .pick(all)
            .map_or_else(String::new, |s| (*s).to_owned())
    }

    /// A subscript between -10 and 11.
    fn subscript(&mut self) -> String {
        let around = self.around.clone();
        match self.rng.below(12) {
            0 => self.pick(&["1", "2", "3"]),
            1 => self.pick(&["k", "p", "n", "m", "n + 1", "k - 1", "p + 1", "i", "j"]),
            2 if !around.is_empty() => {
                let i = self.pick(&around);
                let with =
                    self.pick(&["n + 1 - @", "2*@ - 4", "2*@ - 3", "2 - @", "@ + m", "@ - p"]);
                with.replace('@', &i)
            }
            3 | 4 if !around.is_empty() => {
                let i = self.pick(&around);
                let shift = self.pick(&["+ 1", "- 1", "+ 2", "- 2"]);
                format!("{i} {shift}")
            }
            _ if !around.is_empty() => self.pick(&around),
            _ => self.pick(&["1", "k", "n"]),
        }
    }

    fn element(&mut self) -> String {
        let (s, t) = (self.subscript(), self.subscript());
        match self.rng.below(2) {
            0 => format!("x[{s}]"),
            _ => format!("a[{s}, {t}]"),
        }
    }

    fn statement(&mut self) -> String {
        let [e, f, g] = [(); 3].map(|()| self.element());
        match self.rng.below(16) {
            0..=3 => format!("{e} := 0.5*{e} - 0.4*{f}*{g}"),
            4 => format!("{e} := 0.4*{f}*{f} + 0.1*s"),
            5 => format!("{e} := tanh({e})"),
            6 => format!("{e} := s"),
            7 | 8 => format!("s := 0.3*s*{e} + {f}"),
            9 | 10 => format!("y := 0.5*y + {e}*{f}"),
            11 => format!("s := {e}/(1.5 + {f}*{f})"),
            12 | 13 => {
                let v = self.pick(&["k", "p"]);
                let w = self.around.last().copied().unwrap_or("m");
                format!("{v} := {w}")
            }
            14 => self.pick(&[
                "call read(x, y)",
                "call change(x)",
                "y := 0.5*y + 0.1*sum(x*x)",
                "x := 0.5*x",
                "x[i:i + 1] := 0.5*x[i:i + 1]",
            ]),
            _ => self.pick(&["m := 2", "m := 1 + mod(m + 1, 4)", "k := n"]),
        }
    }

    fn region(&mut self, depth: usize) {
        for _ in 0..1 + self.rng.below(3) {
            let indent = "  ".repeat(depth + 1);
            match self.rng.below(9) {
                0..=3 if depth < 3 && self.loops < 6 => {
                    let i = ["i", "j", "l"][depth];
                    let outer = [
                        "1, n",
                        "1, n",
                        "n, 1, -1",
                        "2, n",
                        "1, m",
                        "1, n, 2",
                        "n, 1, -2",
                        "n - 1, 1, -1",
                        "k, n",
                    ];
                    let inner = [
                        "@ + 1, n",
                        "1, @",
                        "1, @ - 1",
                        "@, n",
                        "n, @ + 1, -1",
                        "@ - 1, 1, -1",
                        "@ + 2, n",
                        "@ - 1, n",
                        "@, m",
                        "1, n",
                        "@ + 1, k",
                        "@, @ + 1",
                        "@ + 1, n, 2",
                    ];
                    let around = self.around.clone();
                    let bounds = match around.is_empty() {
                        true => self.pick(&outer),
                        false => {
                            let outer = self.pick(&around);
                            self.pick(&inner).replace('@', &outer)
                        }
                    };
                    self.loops += 1;
                    let _ = writeln!(self.text, "{indent}for {i} = {bounds}");
                    self.around.push(i);
                    self.region(depth + 1);
                    self.around.pop();
                    let _ = writeln!(self.text, "{indent}end");
                }
                4 if depth < 3 && self.whiles < 2 => {
                    let w = ["w1", "w2"][self.whiles];
                    self.whiles += 1;
                    let _ = writeln!(self.text, "{indent}{w} := 0\n{indent}while {w} < 2");
                    self.region(3);
                    let _ = writeln!(self.text, "{indent}  {w} := {w} + 1\n{indent}end");
                }
                5 => {
                    let condition = match self.rng.below(3) {
                        0 => format!("{} > 0.2", self.element()),
                        1 => format!("{} > {}", self.element(), self.element()),
                        _ => "k < m".to_owned(),
                    };
                    let [first, second] = [(); 2].map(|()| self.statement());
                    let _ = writeln!(self.text, "{indent}if {condition}\n{indent}  {first}");
                    if self.rng.percent(50) {
                        let _ = writeln!(self.text, "{indent}else\n{indent}  {second}");
                    }
                    let _ = writeln!(self.text, "{indent}end");
                }
                _ => {
                    let statement = self.statement();
                    let _ = writeln!(self.text, "{indent}{statement}");
                }
            }
        }
    }
}

const CALLEES: &str = "
subroutine read(in real x[22 from -10], inout real y)
  y := 0.5*y*x[1] + x[2]*x[3]
end
subroutine scale(in real t, inout real y)
  y := 0.5*y*t
end
subroutine weigh(inout real y)
  uses h
  y := 0.5*y*h[1] + h[2]*h[3]
end
subroutine change(inout real x[22 from -10])
  x[2] := 0.5*x[2]*x[2]
end
";

/// A program whose loops update elements in place.
fn source(rng: &mut Rng) -> String {
    let mut source = Source {
        rng,
        text: String::new(),
        around: Vec::new(),
        loops: 0,
        whiles: 0,
    };
    while source.loops == 0 {
        source.region(0);
    }
    program_of(&source.text)
}

/// The program with a body.
fn program_of(text: &str) -> String {
    format!(
        "global real h[9]
main subroutine f(in integer n, inout integer m, inout real x[22 from -10], inout real a[22 from -10, 22 from -10], out real y)
  uses h
  local integer i\n  local integer j\n  local integer l\n  local integer k\n  local integer p
  local integer w1\n  local integer w2\n  local real s\n  local integer q[9]\n  local integer r[9]\n  local real g[9]\n  independent x, a\n  dependent x, a, y
  i := 1\n  j := 2\n  l := 3\n  k := 2\n  p := 1\n  s := 0.3\n  y := 0.1\n{text}end\n{CALLEES}"
    )
}

fn case(seed: u64) -> Case {
    let mut rng = Rng::new(seed);
    let text = source(&mut rng);
    case_of(&text, &mut rng)
}

fn case_of(text: &str, rng: &mut Rng) -> Case {
    let parsed = cfg_format::text::parse(text);
    let program = (parsed.program).unwrap_or_else(|| panic!("{text}\n{}", parsed.problems));
    let main = program.main.expect("one is marked");
    let mut reals = |n: usize| (0..n).map(|_| rng.coarse()).collect::<Vec<f64>>();
    let [x, dx, sx] = [(); 3].map(|()| reals(22));
    let [a, da, sa] = [(); 3].map(|()| reals(22 * 22));
    let datum = |extents: &[usize], elements| Datum {
        extents: extents.to_vec(),
        elements,
    };
    let [n, m, x_of, a_of, y_of] = [0, 1, 2, 3, 4].map(VarId::new);
    let given = [rng.between(0, 4), rng.between(0, 4)];
    Case {
        program,
        main,
        point: vec![
            (n, datum(&[], Elements::Integer(vec![given[0]]))),
            (m, datum(&[], Elements::Integer(vec![given[1]]))),
            (x_of, datum(&[22], Elements::Real(x))),
            (a_of, datum(&[22, 22], Elements::Real(a))),
        ],
        direction: vec![(x_of, dx), (a_of, da)],
        seed: vec![(x_of, sx), (a_of, sa), (y_of, vec![1.0])],
    }
}

/// The gradient is right, and its reverse sweep reads what was there.
fn agrees(case: &Case, options: &Options) -> Result<(), String> {
    let valid = validate::validate(case.program.clone()).map_err(|d| d.to_string())?;
    let report = witnessed(case, &flat(&valid), options)?;
    report.map_or(Ok(()), |report| report.verdict())?;
    adjoint::agrees_smoothly(case, options)
}

/// Each assignment of an element overwrites a cell that only one kind of read needs.
#[test]
fn reads_of_all_kinds_keep_their_cells() {
    let start = "for i = 1, 9\nq[i] := 10 - i\nr[i] := i\ng[i] := 0.1*i\nh[i] := 0.2*i\nend\n";
    let bodies = [
        // A selector that is evaluated again.
        "for i = 1, 4\ns := x[i]*x[i]\nif x[i + 1] > 0.0\ny := y + 0.5*a[i, 1]*s\nend\nx[i + 1] := -x[i + 1]\nend\n",
        "for i = 1, 4\nif r[i] > q[i]\ny := y + x[r[i]]*x[2]\nend\nr[i] := 5\nend\n",
        // The subscript of a pop.
        "for i = 1, 4\ny := y + x[r[i]]*x[2]\nr[q[i]] := i\nq[i] := 1\nend\ny := y + x[r[4]]*x[3]\n",
        "for i = 1, 4\ny := y + x[r[3]]*x[r[i]]\nr[q[i]] := i\nq[i] := 1\nend\n",
        // A call, with its subscript.
        "for i = 1, 4\ncall read(x, y)\nx[i] := 0.5*y\nend\n",
        "y := x[1]\nfor i = 1, 4\ncall scale(g[q[i]], y)\nq[i] := 1\ng[i] := 0.4*y\nend\n",
        // A call that reads a global.
        "y := x[1]\nfor i = 1, 4\ncall weigh(y)\nh[i] := 0.4*y\nend\n",
        // A section, a whole array.
        "for i = 1, 4\ny := y + sum(x[i:i + 2]*x[i:i + 2])\nx[i] := 0.5*y\nend\n",
        "for i = 1, 4\ny := y + sum(g*g)\ng[i] := 0.1*x[i]\nend\n",
        // A bound.
        "for i = 1, 4\nfor j = 1, q[i + 5]\ny := y + 0.1*x[j]*y\nend\nq[i + 5] := 1\nend\n",
        // A region whose Jacobian is carried.
        "for i = 1, 4\ns := 0.5\nfor j = 1, 3\ns := s*x[q[i]] + 0.3*sin(s)\nend\ny := y + s\nq[i] := 1\nend\n",
        // A result, and the operand of the same statement.
        "for i = 1, 4\nx[i] := x[i]/(2.0 + x[i]*x[i])\nend\n",
        "for i = 1, 4\nx[i] := tanh(x[i])\ny := y + x[i]\nend\nfor i = 1, 4\nx[i] := exp(0.1*x[i])*x[i]\nend\n",
    ];
    for body in bodies {
        let case = case_of(&program_of(&format!("{start}{body}")), &mut Rng::new(1));
        for blocks in [Blocks::Statement, Blocks::Preaccumulate, Blocks::Auto] {
            let options = Options {
                blocks,
                work: 200,
                ..Options::default()
            };
            agrees(&case, &options).unwrap_or_else(|e| panic!("{body}\n{blocks:?}: {e}"));
        }
    }
}

#[test]
fn elements_that_loops_update_in_place() {
    for seed in 200_000..200_000 + property::cases(200) {
        let case = case(seed);
        let options = Options {
            blocks: [Blocks::Statement, Blocks::Statement, Blocks::Auto][seed as usize % 3],
            work: 200,
            counters: seed % 5 == 0,
            markers: seed % 7 == 0,
            ..Options::default()
        };
        agrees(&case, &options).unwrap_or_else(|e| {
            let mut shown = String::new();
            cfg_core::text::program(&mut shown, &case.program).expect("strings take everything");
            panic!("seed {seed} {options:?}: {e}\n{shown}")
        });
    }
}
