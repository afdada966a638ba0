//! Running indices: stepped back, computed behind loops, or recorded, against the interpreter with derivatives.

use crate::adjoint;
use cfg_core::{entity::VarId, ir::IntType};
use cfg_reverse::{Blocks, Options, Prefer, Unstructured, reverse};
use cfg_testkit::{
    case::{Case, Datum, Elements},
    flat,
    rng::Rng,
};
use std::fmt::Write as _;

/// The types of indices, with the conversion of a sum to each.
const TYPES: [&str; 8] = [
    "integer", "int8", "int16", "int32", "uint8", "uint16", "uint32", "uint64",
];

/// A program in the text form under construction.
struct Source<'r> {
    rng: &'r mut Rng,
    text: String,
    /// The indices: `a`, `b`, `c`, a parameter `io` and a global `g`, with their types.
    indices: Vec<(&'static str, &'static str)>,
    /// Indices of loops around.
    around: Vec<&'static str>,
    loops: usize,
    whiles: usize,
    /// True if indices are only stepped.
    calm: bool,
}

impl Source<'_> {
    fn index(&mut self) -> (&'static str, &'static str) {
        self.indices[self.rng.below(self.indices.len())]
    }

    /// An element of `x` under some index.
    fn element(&mut self) -> String {
        let (v, ty) = self.index();
        match (self.rng.below(6), self.around.last()) {
            (0, Some(i)) => format!("x[1 + bitand({i}, 7)]"),
            (1, _) => "x[1 + bitand(q[2], 7)]".to_owned(),
            _ if ty == "integer" => format!("x[1 + bitand({v}, 7)]"),
            _ => format!("x[1 + bitand(wrap_integer({v}), 7)]"),
        }
    }

    /// A small integer.
    fn amount(&mut self) -> String {
        let constant = self.rng.between(-3, 4);
        match self.rng.below(10) {
            0 => "k".to_owned(),
            1 => format!("p[{}]", 1 + self.rng.below(4)),
            2 => "q[1]".to_owned(),
            3 => "io".to_owned(),
            4 => "stride".to_owned(),
            5 => "(2*k - 1)".to_owned(),
            6 => match self.around.last() {
                Some(i) => (*i).to_owned(),
                None => "@".to_owned(),
            },
            _ => format!("{constant}"),
        }
    }

    fn step(&mut self) -> String {
        let (v, ty) = self.index();
        let mut c = self.amount();
        if c == v {
            c = "1".to_owned();
        }
        if ty == "integer" {
            // Checked sums stay small: amounts are, and loops are short.
            return match self.rng.below(5) {
                0 => format!("{v} := {v} - {c}"),
                1 => format!("{v} := {c} + {v}"),
                2 => format!("{v} := {v} +% {c}"),
                3 => format!("{v} := ({v} - 2) + {c}"),
                _ => format!("{v} := {v} + {c}"),
            };
        }
        match self.rng.below(3) {
            0 => format!("{v} := wrap_{ty}(wrap_integer({v}) + {c})"),
            1 => format!("{v} := {v} -% wrap_{ty}({c})"),
            _ => format!("{v} := {v} +% wrap_{ty}({c})"),
        }
    }

    fn statement(&mut self) -> String {
        let (v, ty) = self.index();
        let kinds = if self.calm { 13 } else { 20 };
        match self.rng.below(kinds) {
            0..=6 => self.step(),
            7..=12 => {
                let (a, b) = (self.element(), self.element());
                format!("y := 0.5*y*{a} + {b}*{b}")
            }
            13 => "q[2] := q[2] + 1".to_owned(),
            14 => "q[1] := q[1] - 1".to_owned(),
            15 => {
                let c = self.amount();
                match ty {
                    "integer" => format!("{v} := {c}"),
                    _ => format!("{v} := wrap_{ty}({c})"),
                }
            }
            16 if ty == "integer" && v != "g" => format!("call walk({v}, k, x, y)"),
            17 if ty == "integer" && v != "g" => format!("call move({v})"),
            18 => "stride := stride + 1".to_owned(),
            _ => "call along(x, y)".to_owned(),
        }
    }

    fn region(&mut self, depth: usize) {
        for _ in 0..1 + self.rng.below(4) {
            let indent = "  ".repeat(depth + 1);
            match self.rng.below(8) {
                0..=2 if depth < 3 && self.loops < 6 => {
                    let i = ["i", "j", "l"][depth];
                    let bounds = [
                        "1, @", "0, @ - 1", "@, 1, -1", "1, 3", "k, @", "1, @, 2", "5, 2",
                        "0, p[1]",
                    ];
                    let inner = [
                        "i + 1, @", "1, i", "i, 1, -1", "0, @ - i", "1, 2", "@, i, -1",
                    ];
                    let bounds = match self.around.is_empty() {
                        true => bounds[self.rng.below(bounds.len())],
                        false => inner[self.rng.below(inner.len())],
                    };
                    // Below depth 0, `i` is the index of the loop around.
                    let bounds = match depth {
                        2 => bounds.replace('i', "j"),
                        _ => bounds.to_owned(),
                    };
                    self.loops += 1;
                    let _ = writeln!(self.text, "{indent}for {i} = {bounds}");
                    self.around.push(i);
                    self.region(depth + 1);
                    self.around.pop();
                    let _ = writeln!(self.text, "{indent}end");
                }
                3 if depth < 3 && self.whiles < 2 => {
                    let w = ["w1", "w2"][self.whiles];
                    self.whiles += 1;
                    let _ = writeln!(self.text, "{indent}{w} := 0\n{indent}while {w} < @");
                    let around = std::mem::take(&mut self.around);
                    self.region(3);
                    self.around = around;
                    let _ = writeln!(self.text, "{indent}  {w} := {w} + 1\n{indent}end");
                }
                4 => {
                    let condition = match self.rng.below(3) {
                        0 => format!("{} > 0.2", self.element()),
                        1 => "bitand(io, 1) == 0".to_owned(),
                        _ => format!("{} < k", self.around.last().unwrap_or(&"@")),
                    };
                    let (first, second) = (self.step(), self.statement());
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
subroutine walk(inout integer at, in integer m, in real x[8], inout real y)
  uses g
  local integer s
  local integer t
  t := 2
  for s = 1, m
    y := y*x[1 + bitand(at, 7)] + x[1 + bitand(t, 7)]
    at := at + m
    t := t + 3
    g := g + 1
  end
end
subroutine move(inout integer at)
  at := at + 1
end
subroutine along(in real x[8], inout real y)
  uses g
  y := 0.25*y*x[1 + bitand(g, 7)]
  g := g + 1
end
";

/// A program with running indices of all types.
fn source(rng: &mut Rng) -> String {
    let mut indices = vec![("io", "integer"), ("g", "integer")];
    let mut locals = String::new();
    for v in ["a", "b", "c"] {
        let ty = TYPES[rng.below(TYPES.len())];
        let _ = writeln!(locals, "  local {ty} {v}");
        indices.push((v, ty));
    }
    let calm = rng.percent(50);
    let mut source = Source {
        rng,
        text: String::new(),
        indices,
        around: Vec::new(),
        loops: 0,
        whiles: 0,
        calm,
    };
    let starts = source.indices[2..].to_vec();
    for (v, ty) in starts {
        let c = source.amount();
        let value = match ty {
            "integer" => c,
            _ => format!("wrap_{ty}({c})"),
        };
        let _ = writeln!(source.text, "  {v} := {value}");
    }
    while source.loops == 0 {
        source.region(0);
    }
    format!(
        "global integer g = 3
main subroutine f(in int32 n, in integer k, in integer p[4], inout integer io, in real x[8], inout real y)
  uses g
{locals}  local integer i\n  local integer j\n  local integer l\n  local integer w1\n  local integer w2
  local integer stride\n  local integer q[2]\n  independent x, y\n  dependent y
  q[1] := 1\n  q[2] := 2\n  stride := 2*k
{}end
{CALLEES}",
        source.text.replace('@', "int(n)")
    )
}

fn case(seed: u64) -> Case {
    let mut rng = Rng::new(seed);
    let text = source(&mut rng);
    let parsed = cfg_format::text::parse(&text);
    let program = (parsed.program).unwrap_or_else(|| panic!("{text}\n{}", parsed.problems));
    let main = program.main.expect("one is marked");
    let integers = |list: Vec<i64>| Datum {
        extents: Vec::new(),
        elements: Elements::Integer(list),
    };
    let mut reals = |n: usize| (0..n).map(|_| rng.coarse()).collect::<Vec<f64>>();
    let (x, y, dx, dy) = (reals(8), reals(1), reals(8), reals(1));
    let [n, k, io] = [(-1, 4), (-1, 3), (-2, 5)].map(|(low, high)| rng.between(low, high));
    let p = (0..4).map(|_| rng.between(-2, 3)).collect();
    let [x_of, y_of] = [4, 5].map(VarId::new);
    Case {
        program,
        main,
        point: vec![
            (
                VarId::new(0),
                Datum {
                    extents: Vec::new(),
                    elements: Elements::Sized(IntType::Int32, vec![n]),
                },
            ),
            (VarId::new(1), integers(vec![k])),
            (
                VarId::new(2),
                Datum {
                    extents: vec![4],
                    elements: Elements::Integer(p),
                },
            ),
            (VarId::new(3), integers(vec![io])),
            (
                x_of,
                Datum {
                    extents: vec![8],
                    elements: Elements::Real(x),
                },
            ),
            (
                y_of,
                Datum {
                    extents: Vec::new(),
                    elements: Elements::Real(y),
                },
            ),
        ],
        direction: vec![(x_of, dx), (y_of, dy)],
        seed: vec![(y_of, vec![1.0])],
    }
}

#[test]
fn running_indices_of_all_kinds() {
    let default = Options::default();
    let (mut fewer, mut integers) = (0, [0; 2]);
    let cases = std::env::var("CFGREV_CASES")
        .ok()
        .and_then(|n| n.parse().ok());
    for seed in 0..cases.unwrap_or(400) {
        let case = case(seed);
        let options = [
            default,
            Options {
                flow_limit: 0,
                ..default
            },
            Options {
                counters: true,
                ..default
            },
            Options {
                blocks: Blocks::Auto,
                work: 200,
                ..default
            },
            Options {
                unstructured: Unstructured::Trace,
                ..default
            },
            Options {
                prefer: Prefer::Memory,
                ..default
            },
        ];
        let options = match seed % 2 {
            0 => default,
            _ => options[1 + seed as usize / 2 % 5],
        };
        let shown = || {
            let mut text = String::new();
            cfg_core::text::program(&mut text, &case.program).expect("strings take everything");
            text
        };
        adjoint::agrees_smoothly(&case, &options)
            .unwrap_or_else(|e| panic!("seed {seed} {options:?}: {e}\n{}", shown()));
        if seed % 2 == 0 {
            let always = Options {
                indices: true,
                ..default
            };
            let now = adjoint::integers(&case, &default).expect("it runs");
            let then = adjoint::integers(&case, &always).expect("it runs");
            // One value for each variable that no step changes in this run.
            assert!(now <= then + 12, "seed {seed}: {now} > {then}\n{}", shown());
            integers[0] += now;
            integers[1] += then;
            fewer += u64::from(now < then);
        }
    }
    println!("integers {integers:?}, fewer in {fewer}");
    assert!(integers[0] < integers[1], "{integers:?}");
}

/// A trip count that a value behind a loop takes is there, although the reverse loop runs over its bounds: bounds that
/// are no short expressions of what nothing writes.
#[test]
fn trip_counts_are_there_where_values_behind_loops_take_them() {
    for bound in ["int(t)", "m", "q[1]"] {
        let source = format!(
            "main subroutine f(in real t, inout integer m, in integer n, in real x[99], inout real y)
  local integer at
  local integer i
  local integer q[2]
  independent x, y
  dependent y
  q[1] := n
  at := 1
  for i = 1, {bound}
    y := y*x[at]
    at := at + 1
  end
  m := 0
end
"
        );
        let parsed = cfg_format::text::parse(&source);
        let program = parsed.program.expect("it is a program");
        let valid = cfg_core::validate::validate(program).expect("it is valid");
        let main = valid.main.expect("one is marked");
        let made = reverse(&flat(&valid), main, &Options::default()).expect("it is reversed");
        let found = cfg_core::validate::validate(made.program);
        assert!(found.is_ok(), "{bound}: {}", found.unwrap_err());
    }
}
