//! Anti-dependences against all runs of small loop nests.
#![allow(clippy::print_stdout, reason = "tests print what they measure")]

use cfg_analysis::antidependence::{Access, Nest};
use cfg_core::{
    dataflow::Position,
    entity::VarId,
    ir::{Expr, Place, Program, StmtKind},
    structure::Structure,
};
use cfg_testkit::{property, rng::Rng};
use std::{collections::BTreeMap, fmt::Write as _, ops::RangeInclusive};

/// An integer expression: a constant and variables with factors.
#[derive(Clone)]
struct Sum {
    constant: i64,
    terms: Vec<(i64, &'static str)>,
}

impl Sum {
    fn value(&self, values: &BTreeMap<&str, i64>) -> i64 {
        let term = |(k, v): &(i64, &str)| k * values.get(v).copied().unwrap_or(0);
        self.constant + self.terms.iter().map(term).sum::<i64>()
    }

    fn text(&self) -> String {
        let mut text = self.constant.to_string();
        for (k, v) in &self.terms {
            let _ = match k {
                1 => write!(text, " + {v}"),
                -1 => write!(text, " - {v}"),
                _ => write!(text, " + {k}*{v}"),
            };
        }
        text
    }
}

/// A tree of loops. Every assignment of an element reads one.
enum Node {
    For(&'static str, [Sum; 2], Sum, Vec<Node>),
    While(&'static str, Vec<Node>),
    If(Vec<Node>, Vec<Node>),
    Assign(usize, [Vec<Sum>; 2]),
    Set(&'static str, Sum),
}

struct Source<'r> {
    rng: &'r mut Rng,
    around: Vec<&'static str>,
    assignments: usize,
    loops: usize,
    whiles: usize,
    rank: usize,
}

impl Source<'_> {
    fn sum(&mut self) -> Sum {
        let around = self.around.clone();
        let variable = match self.rng.below(8) {
            0 => self.rng.pick(&["k", "n", "m", "i"]).copied(),
            1 => None,
            _ => self.rng.pick(&around).copied(),
        };
        let k = [1, 1, 1, 1, -1, 2][self.rng.below(6)];
        let mut terms: Vec<(i64, &'static str)> = variable.map(|v| (k, v)).into_iter().collect();
        if self.rng.below(8) == 0 {
            terms.push((1, "m"));
        }
        let constant = [0, 0, 0, 1, -1, 2][self.rng.below(6)];
        Sum { constant, terms }
    }

    fn bound(&mut self) -> Sum {
        let around = self.around.clone();
        let constant = [0, 0, 1, -1][self.rng.below(4)];
        let variable = match self.rng.below(3) {
            0 => self.rng.pick(&["n", "m", "k"]).copied(),
            1 => None,
            _ => self.rng.pick(&around).copied(),
        };
        Sum {
            constant: constant + i64::from(variable.is_none()),
            terms: variable.map(|v| (1, v)).into_iter().collect(),
        }
    }

    fn region(&mut self, depth: usize) -> Vec<Node> {
        (0..1 + self.rng.below(3))
            .map(|_| self.node(depth))
            .collect()
    }

    fn node(&mut self, depth: usize) -> Node {
        match self.rng.below(10) {
            0..=4 if depth < 3 && self.loops < 5 => {
                let i = ["i", "j", "l"][depth];
                self.loops += 1;
                let n = Sum {
                    constant: 0,
                    terms: vec![(1, "n")],
                };
                let (mut bounds, step) =
                    ([self.bound(), n], [1, 1, 2, -1, -1, -2][self.rng.below(6)]);
                if step < 0 {
                    bounds.reverse();
                }
                if self.rng.below(3) == 0 {
                    bounds = [self.bound(), self.bound()];
                }
                let mut step = Sum {
                    constant: step,
                    terms: Vec::new(),
                };
                if self.rng.below(8) == 0 {
                    // A sign that is not known.
                    step.terms.push((1, "m"));
                }
                self.around.push(i);
                let body = self.region(depth + 1);
                self.around.pop();
                Node::For(i, bounds, step, body)
            }
            5 if depth < 3 && self.whiles < 2 => {
                let w = ["w1", "w2"][self.whiles];
                self.whiles += 1;
                Node::While(w, self.region(3))
            }
            6 if depth < 4 => Node::If(self.region(4), self.region(4)),
            7 => {
                let v = ["k", "m"][self.rng.below(2)];
                let w = self.around.last().copied().unwrap_or("n");
                let constant = self.rng.between(-1, 1);
                let terms = vec![(1, w)];
                Node::Set(v, Sum { constant, terms })
            }
            _ => {
                self.assignments += 1;
                let rank = self.rank;
                let places = [(); 2].map(|()| (0..rank).map(|_| self.sum()).collect());
                Node::Assign(self.assignments - 1, places)
            }
        }
    }
}

fn write(nodes: &[Node], indent: usize, text: &mut String) {
    let pad = "  ".repeat(indent);
    for node in nodes {
        let _ = match node {
            Node::For(i, [first, last], step, body) => {
                let [first, last, step] = [first, last, step].map(Sum::text);
                let _ = writeln!(text, "{pad}for {i} = {first}, {last}, {step}");
                write(body, indent + 1, text);
                writeln!(text, "{pad}end")
            }
            Node::While(w, body) => {
                let _ = writeln!(text, "{pad}{w} := 0\n{pad}while {w} < 2");
                write(body, indent + 1, text);
                writeln!(text, "{pad}  {w} := {w} + 1\n{pad}end")
            }
            Node::If(yes, no) => {
                let _ = writeln!(text, "{pad}if t > 0.0");
                write(yes, indent + 1, text);
                let _ = writeln!(text, "{pad}else");
                write(no, indent + 1, text);
                writeln!(text, "{pad}end")
            }
            Node::Assign(_, places) => {
                let [target, source] = places.each_ref().map(|subscripts| {
                    let all: Vec<String> = subscripts.iter().map(Sum::text).collect();
                    all.join(", ")
                });
                writeln!(text, "{pad}a[{target}] := a[{source}]*t")
            }
            Node::Set(v, value) => writeln!(text, "{pad}{v} := {}", value.text()),
        };
    }
}

/// The accesses of a run, in order: the assignment, and the subscripts of target and operand.
type Log = Vec<(usize, [Vec<i64>; 2])>;

/// Runs a tree; each test is decided by chance. None: a step is 0.
fn run(
    nodes: &[Node],
    values: &mut BTreeMap<&'static str, i64>,
    rng: &mut Rng,
    log: &mut Log,
) -> Option<()> {
    for node in nodes {
        match node {
            Node::For(i, [first, last], step, body) => {
                let [first, last, step] = [first, last, step].map(|e| e.value(values));
                let passes = (last - first + step).checked_div(step)?.max(0);
                values.insert(i, first);
                for _ in 0..passes {
                    run(body, values, rng, log)?;
                    values.entry(i).and_modify(|i| *i += step);
                }
            }
            Node::While(w, body) => {
                for pass in 0..2 {
                    values.insert(w, pass);
                    run(body, values, rng, log)?;
                }
                values.insert(w, 2);
            }
            Node::If(yes, no) => match rng.below(2) {
                0 => run(yes, values, rng, log)?,
                _ => run(no, values, rng, log)?,
            },
            Node::Assign(k, places) => {
                let cells = places.each_ref();
                let cells = cells.map(|place| place.iter().map(|s| s.value(values)).collect());
                log.push((*k, cells));
            }
            Node::Set(v, value) => {
                values.insert(v, value.value(values));
            }
        }
    }
    Some(())
}

/// The assignments of elements of a program, in the order of its text: position, target, operand.
fn assignments(program: &Program) -> Vec<(Position, Place, Place)> {
    let routine = &program.routines[0];
    let cfg = routine.body.as_ref().expect("it has a body");
    let mut found = Vec::new();
    for (vertex, of) in cfg.vertices() {
        for (statement, kind) in of.statements().iter().map(|s| &s.kind).enumerate() {
            if let StmtKind::Assign { target, value } = kind
                && let Expr::Op(_, operands) = value
                && let Some(Expr::Place(operand)) = operands.first()
                && target.is_element()
            {
                let at = Position { vertex, statement };
                found.push((at, target.clone(), operand.clone()));
            }
        }
    }
    found
}

fn structure(program: &Program) -> Structure {
    let cfg = program.routines[0].body.as_ref().expect("it has a body");
    Structure::compute(cfg).expect("loops nest")
}

fn nest<'a>(
    program: &'a Program,
    structure: &'a Structure,
    is_written_in: &'a dyn Fn(VarId, &RangeInclusive<u32>) -> bool,
) -> Nest<'a> {
    let routine = &program.routines[0];
    Nest {
        variables: &routine.variables,
        cfg: routine.body.as_ref().expect("it has a body"),
        structure,
        is_written_in,
    }
}

fn is_written_in(
    program: &Program,
    structure: &Structure,
    v: VarId,
    range: &RangeInclusive<u32>,
) -> bool {
    let cfg = program.routines[0].body.as_ref().expect("it has a body");
    structure.order.iter().enumerate().any(|(position, &at)| {
        let vertex = cfg.vertex(at);
        let mut assigned = (vertex.statements().iter()).filter_map(|s| s.kind.assignment());
        range.contains(&(position as u32))
            && (vertex.kind.index() == Some(v) || assigned.any(|(target, _)| target.var == v))
    })
}

/// The read of the first assignment of an element, in front of what it writes, and the write of the last one.
fn first_and_last(text: &str) -> (Program, Access, Access) {
    let text = format!(
        "main subroutine f(in integer n, inout integer m, inout real t, inout real a[9], inout real b[9, 9])
  local integer i\n  local integer j\n  local integer k\n{text}end\n"
    );
    let parsed = cfg_format::text::parse(&text);
    let program = (parsed.program).unwrap_or_else(|| panic!("{text}\n{}", parsed.problems));
    let all = assignments(&program);
    let access = |at, place: &Place, is_before| Access {
        at,
        is_before,
        place: place.clone(),
    };
    let (first, last) = (&all[0], &all[all.len() - 1]);
    let (read, write) = (
        access(first.0, &first.2, true),
        access(last.0, &last.1, false),
    );
    (program, read, write)
}

/// Nests that random ones seldom are.
#[test]
fn single_nests() {
    let may_precede = |text: &str| {
        let (program, read, write) = first_and_last(text);
        let structure = structure(&program);
        let is_written_in =
            |v: VarId, range: &RangeInclusive<u32>| is_written_in(&program, &structure, v, range);
        nest(&program, &structure, &is_written_in).may_precede(&read, &write)
    };
    // The bound is evaluated before its variable is assigned.
    let bound = "k := 5\nfor i = 1, k\n@for j = 1, 3\nb[i, i] := b[k + 1, i]*t\nend\nend\n";
    assert!(may_precede(&bound.replace('@', "k := 1\n")));
    assert!(!may_precede(&bound.replace('@', "")));
    // Constants beyond 64 bits.
    for (large, expected) in [
        ("9223372036854775807", true),
        ("-9223372036854775807", false),
    ] {
        let huge = format!("for i = 1, n\na[i] := a[i + {large} + {large}]*t\nend\n");
        assert_eq!(may_precede(&huge), expected, "{large}");
    }
    // Eight loops, and nine.
    for (depth, expected) in [(8, false), (9, true)] {
        let names: Vec<String> = (0..depth).map(|d| format!("i{d}")).collect();
        let head: String = names
            .iter()
            .map(|i| format!("  local integer {i}\n"))
            .collect();
        let loops: String = names.iter().map(|i| format!("for {i} = 1, 2\n")).collect();
        let text = format!("{head}{loops}a[1] := a[2]*t\n{}", "end\n".repeat(depth));
        assert_eq!(may_precede(&text), expected, "{depth}");
    }
}

/// Nothing is known of indices and names that may be written by other names.
#[test]
fn written_by_other_names() {
    let (program, read, write) = first_and_last("for i = 1, n\na[i] := a[i + 1]*t\nend\n");
    let structure = structure(&program);
    for written in [false, true] {
        let (read, write) = (&read, &write);
        let is_written_in = |_: VarId, _: &RangeInclusive<u32>| written;
        let nest = nest(&program, &structure, &is_written_in);
        assert!(nest.may_precede(read, write));
        let (read, write) = (
            Access {
                place: write.place.clone(),
                ..read.clone()
            },
            Access {
                place: read.place.clone(),
                ..write.clone()
            },
        );
        assert_eq!(nest.may_precede(&read, &write), written);
    }
}

#[test]
fn reads_before_writes_of_the_same_cell() {
    // Pairs that no run of which meets and that are told so, that are not told so, and pairs that meet.
    let mut counts = [0_u64; 3];
    for seed in 0..property::cases(1000) {
        let mut rng = Rng::new(seed);
        let mut source = Source {
            rank: 1 + rng.below(2),
            rng: &mut rng,
            around: Vec::new(),
            assignments: 0,
            loops: 0,
            whiles: 0,
        };
        let rank = source.rank;
        let mut tree = source.region(0);
        while source.assignments == 0 || source.loops == 0 {
            tree.push(source.node(0));
        }
        let count = source.assignments;
        let mut body = String::new();
        write(&tree, 1, &mut body);
        let shape = ["[9]", "[9, 9]"][rank - 1];
        let text = format!(
            "main subroutine f(in integer n, inout integer m, inout real t, inout real a{shape})
  local integer i\n  local integer j\n  local integer l\n  local integer k\n  local integer w1\n  local integer w2
  i := 1\n  k := 1\n{body}end\n"
        );
        let parsed = cfg_format::text::parse(&text);
        let program = (parsed.program).unwrap_or_else(|| panic!("{text}\n{}", parsed.problems));
        let all = assignments(&program);
        assert_eq!(all.len(), count, "{text}");

        let structure = structure(&program);
        let is_written_in =
            |v: VarId, range: &RangeInclusive<u32>| is_written_in(&program, &structure, v, range);
        let nest = nest(&program, &structure, &is_written_in);
        // By pair of a read and a write: the read is before its own statement's write, or behind it.
        let mut meets = vec![[false; 2]; count * count];
        // By pair: a read of any cell of the array comes before the write.
        let mut precedes = vec![[false; 2]; count * count];
        for (n, m) in [(0, 1), (1, 2), (2, 0), (3, 1), (3, 3), (4, 2), (4, 5)] {
            for _ in 0..3 {
                let mut values = BTreeMap::from([("n", n), ("m", m), ("i", 1), ("k", 1)]);
                let mut log = Log::new();
                let _ = run(&tree, &mut values, &mut rng, &mut log);
                // By cell: the assignments that have read it.
                let mut read: BTreeMap<&[i64], Vec<bool>> = BTreeMap::new();
                let mut seen = vec![false; count];
                for (k, [target, operand]) in &log {
                    for r in (0..count).filter(|&r| seen[r]) {
                        precedes[r * count + k] = [true; 2];
                    }
                    precedes[k * count + k][0] = true;
                    seen[*k] = true;
                    let mut mark = |before: usize| {
                        for (r, _) in read
                            .get(&**target)
                            .into_iter()
                            .flatten()
                            .enumerate()
                            .filter(|r| *r.1)
                        {
                            meets[r * count + k][before] = true;
                        }
                    };
                    mark(1);
                    mark(0);
                    read.entry(operand).or_insert_with(|| vec![false; count])[*k] = true;
                    if operand == target {
                        meets[k * count + k][0] = true;
                    }
                }
            }
        }
        for (r, (at, _, operand)) in all.iter().enumerate() {
            for (w, (position, target, _)) in all.iter().enumerate() {
                for (behind, is_before) in [(0, true), (1, false)] {
                    let read = Access {
                        at: *at,
                        is_before,
                        place: operand.clone(),
                    };
                    let write = Access {
                        at: *position,
                        is_before: false,
                        place: target.clone(),
                    };
                    let whole = Access {
                        place: Place::whole(operand.var),
                        ..read.clone()
                    };
                    let any = nest.may_precede(&whole, &write);
                    assert!(
                        any || !precedes[r * count + w][behind],
                        "seed {seed}: {whole:?} {write:?}\n{text}"
                    );
                    let may = nest.may_precede(&read, &write);
                    let does = meets[r * count + w][behind];
                    assert!(may || !does, "seed {seed}: {read:?} {write:?}\n{text}");
                    counts[if does { 2 } else { usize::from(may) }] += 1;
                }
            }
        }
    }
    let [never, may, does] = counts;
    println!("apart and known, apart and not known, not apart: {counts:?}");
    assert!(never > may / 2 && does > never / 20, "{never} {may} {does}");
}
