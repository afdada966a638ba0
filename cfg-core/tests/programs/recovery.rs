//! Graphs of blocks and jumps with the recovered text of each, on both sides of every condition.

use cfg_core::{
    entity::RoutineId,
    ir::{Control, Expr, Program, Routine},
    memory::effects::Effects,
    recover::{self, classify::classify},
    text,
    validate::find_problems,
};
use cfg_testkit::interpret::{Argument, FaultKind, Limits, Value, interpret};
use std::collections::BTreeMap;

/// The class of a graph, the graph, and the text of the recovered one.
type Case = (&'static str, &'static str, &'static str);

/// The declarations in front of every graph.
const DECLARED: &str = "  local integer i, j, left, by";

fn read(source: &str) -> Program {
    let parsed = cfg_format::text::parse(source);
    let program = parsed.program;
    let program = program.unwrap_or_else(|| panic!("{}\n{source}", parsed.problems));
    check(&program);
    program
}

fn check(program: &Program) {
    let found = find_problems(program).1;
    assert!(!found.has_errors(), "{found}\n{program}");
}

/// The program of a graph.
fn around(graph: &str) -> Program {
    let graph = graph.trim_matches('\n');
    read(&format!(
        "general main subroutine f(in integer n, in integer m, inout real x)\n{DECLARED}\n{graph}\nend\n"
    ))
}

/// The text of a routine between its head and its end; the locals in one line, if they are not those declared.
fn shown(program: &Program, routine: &Routine) -> String {
    let mut out = String::new();
    text::routine(&mut out, program, routine).unwrap();
    let mut lines: Vec<&str> = out.lines().skip(1).collect();
    assert_eq!(lines.pop(), Some("end"), "{out}");
    let (locals, body): (Vec<&str>, Vec<&str>) =
        (lines.into_iter()).partition(|line| line.starts_with("  local integer "));
    let names: Vec<&str> = (locals.iter())
        .filter_map(|line| line.strip_prefix("  local integer "))
        .collect();
    let locals = format!("  local integer {}", names.join(", "));
    let own = (locals != DECLARED && !names.is_empty()).then_some(&*locals);
    own.into_iter()
        .chain(body)
        .collect::<Vec<&str>>()
        .join("\n")
}

/// The text without the numbers of vertices, and without lines that only have numbers.
fn without_numbers(text: &str) -> String {
    let mut lines = Vec::new();
    for line in text.lines() {
        let start = line.trim_start();
        let indent = &line[..line.len() - start.len()];
        let rest = match start.strip_prefix('@') {
            Some(marked) => marked.split_once(' ').map_or("", |(_, rest)| rest),
            None => start,
        };
        // An arm that had empty blocks alone is none.
        if rest == "end" && lines.last() == Some(&format!("{indent}else")) {
            lines.pop();
        }
        if !matches!(rest, "" | "exit") {
            lines.push(format!("{indent}{rest}"));
        }
    }
    lines.join("\n")
}

/// The outcome of a run for these values of `n`, `m` and `x`; `None` if it takes too long.
fn run(program: &Program, n: i64, m: i64, x: f64, fuel: u64) -> Option<String> {
    let given = |value: Value<()>| {
        Some(Argument {
            extents: Vec::new(),
            elements: vec![value],
        })
    };
    let arguments = [
        given(Value::Integer(n)),
        given(Value::Integer(m)),
        given(Value::Real(x, ())),
    ];
    let limits = Limits {
        fuel,
        ..Limits::default()
    };
    let main = RoutineId::new(0);
    match interpret(program, main, &arguments, &BTreeMap::new(), limits) {
        Ok(outcome) => Some(format!("{:?}", outcome.parameters)),
        Err(fault) if fault.kind == FaultKind::Fuel => None,
        Err(fault) => Some(format!("{:?}", fault.kind)),
    }
}

/// The program with this routine in place of its only one does the same.
fn does_the_same(program: &Program, routine: Routine, what: &str) {
    let changed = Program {
        routines: vec![routine],
        ..program.clone()
    };
    check(&changed);
    for n in [0, 3, 6] {
        for m in [0, 2] {
            for x in [-5.0, 3.0, 20.0] {
                let expected = run(program, n, m, x, 1000);
                if expected.is_some() {
                    let found = run(&changed, n, m, x, 8000);
                    assert_eq!(found, expected, "{what} {n} {m} {x}\n{program}\n{changed}");
                }
            }
        }
    }
}

/// The expected text of a graph that does not change.
const STAYS: &str = "";

/// Each graph is recovered as its case expects, and computes the same as jumps, without empty blocks and in normal
/// form.
fn each_is(cases: &[Case]) {
    for &(class, graph, expected) in cases {
        let expected = if expected == STAYS { graph } else { expected };
        let expected = expected.trim_matches('\n');
        let program = around(graph);
        let routine = &program.routines[0];
        let body = routine.body.as_ref().unwrap();
        assert_eq!(classify(body).to_string(), class, "{graph}");
        let effects = Effects::summarise(&program);
        let recovered = recover::recover(&program, &effects, routine);
        assert_eq!(shown(&program, &recovered), expected, "{graph}");
        let is_graph = expected.contains(" 1 ENTRY -> ");
        let control = if is_graph {
            Control::General
        } else {
            Control::Structured
        };
        assert_eq!(recovered.control, control, "{graph}");
        let normal = recover::normal_form(&program, &effects, &recovered);
        if control == Control::Structured {
            let text = shown(&program, &normal);
            assert_eq!(text, without_numbers(expected), "{graph}");
            // Nothing lacks to it.
            let nested = recover::nest(recovered.body.as_ref().unwrap()).expect("it nests");
            let nested = Routine {
                body: Some(nested),
                ..recovered.clone()
            };
            assert_eq!(shown(&program, &nested), expected, "{graph}");
        }
        for (what, made) in [
            ("flat", recover::flatten(&program, &effects, &recovered)),
            (
                "dense",
                recover::flatten_dense(&program, &effects, &recovered),
            ),
            (
                "dense itself",
                recover::flatten_dense(&program, &effects, routine),
            ),
            ("normal", normal),
            ("recovered", recovered),
        ] {
            does_the_same(&program, made, what);
        }
    }
}

/// Graphs that nest, or do not nest for one reason, with the recovered text.
const BRANCHES_AND_LOOPS: &[Case] = &[
    (
        "structured",
        "
    1 ENTRY -> 2
    2 BRANCH n > 0 -> 3 [1], 5 [0]
    3 BRANCH m > 0 -> 4 [1], 5 [0]
    4 BASICBLOCK -> 5
          x := x + 1.0
    5 BASICBLOCK -> 6
    6 BASICBLOCK -> 7
          x := x + 2.0
    7 EXIT
",
        "
  if n > 0
    if m > 0
      x := x + 1.0
    @8 end
  @5 end
  x := x + 2.0
",
    ),
    (
        "structured",
        "
    1 ENTRY -> 2
    2 BRANCH n > 0 -> 3 [1], 4 [0]
    3 BASICBLOCK -> 4
          x := x + 1.0
    4 BASICBLOCK -> 5
    5 BRANCH m > 0 -> 7 [1], 6 [0]
    6 BASICBLOCK -> 7
          x := x + 2.0
    7 BASICBLOCK -> 8
          x := x + 3.0
    8 EXIT
",
        "
  if n > 0
    x := x + 1.0
  end
  if m > 0
  else
    x := x + 2.0
  @9 end
  @7
  x := x + 3.0
",
    ),
    (
        "structured",
        "
    1 ENTRY -> 2
    2 BRANCH n > 0 -> 3 [1], 6 [0]
    3 BASICBLOCK -> 4
          x := x + 1.0
    4 BASICBLOCK -> 5
          x := x + 2.0
    5 BASICBLOCK -> 7
          x := x + 3.0
    6 BASICBLOCK -> 7
          x := x + 4.0
    7 EXIT
",
        "
  if n > 0
    x := x + 1.0
    @4
    x := x + 2.0
    @5
    x := x + 3.0
  else
    x := x + 4.0
  @8 end
  @7 exit
",
    ),
    (
        "structured",
        "
    1 ENTRY -> 2
    2 BRANCH select n: [1] 1; [2] 2..3; [3] default -> 3 [1], 4 [2], 6 [3]
    3 BASICBLOCK -> 7
          x := x + 1.0
    4 BRANCH m > 0 -> 5 [1], 7 [0]
    5 BASICBLOCK -> 7
          x := x + 2.0
    6 BRANCH x < 9.0 -> 8 [1], 7 [0]
    8 BASICBLOCK -> 6
          x := x + 3.0
    7 EXIT
",
        "
  select n
  case 1
    x := x + 1.0
  case 2..3
    if m > 0
      x := x + 2.0
    @9 end
  case default
    @6 while x < 9.0
      @8
      x := x + 3.0
    @10 end
  end
  @7 exit
",
    ),
    (
        "structured with exits: the edge 3 -> 4 leaves the loop of BRANCH 2 elsewhere than at its test",
        "
    1 ENTRY -> 2
    2 BRANCH select n: [0] 1; [1] default -> 4 [0], 3 [1]
    3 BRANCH x > 9.0 -> 4 [1], 5 [0]
    5 BASICBLOCK -> 2
          x := x + 4.0
    4 EXIT
",
        STAYS,
    ),
    (
        "structured",
        "
    1 ENTRY -> 2
    2 BRANCH select i: [0] 1; [1] default -> 4 [0], 3 [1]
    3 BASICBLOCK -> 2
          i := i + 1
    4 EXIT
",
        STAYS,
    ),
    (
        "structured",
        "
    1 ENTRY -> 2
    2 BRANCH x < 9.0 -> 3 [1], 4 [0]
    3 BASICBLOCK -> 2
          x := x + 2.0
    4 EXIT
",
        "
  while x < 9.0
    x := x + 2.0
  @5 end
  @4 exit
",
    ),
    (
        "structured",
        "
    1 ENTRY -> 2
    2 BRANCH x >= 9.0 -> 4 [1], 3 [0]
    3 BASICBLOCK -> 2
          x := x + 2.0
    4 EXIT
",
        "
  while not x >= 9.0
    x := x + 2.0
  @5 end
  @4 exit
",
    ),
    (
        "structured",
        "
    1 ENTRY -> 2
    2 BRANCH not x < 9.0 -> 4 [1], 3 [0]
    3 BASICBLOCK -> 2
          x := x + 2.0
    4 EXIT
",
        "
  while x < 9.0
    x := x + 2.0
  @5 end
  @4 exit
",
    ),
    (
        "structured",
        "
    1 ENTRY -> 2
    2 BRANCH not x >= 9.0 -> 3 [1], 4 [0]
    3 BASICBLOCK -> 2
          x := x + 2.0
    4 EXIT
",
        "
  while not x >= 9.0
    x := x + 2.0
  @5 end
  @4 exit
",
    ),
    (
        "structured",
        "
    1 ENTRY -> 2
    2 BRANCH x < 9.0 -> 3 [1], 4 [0]
    3 BASICBLOCK -> 5
          x := x + 2.0
    5 BASICBLOCK -> 2
    4 EXIT
",
        "
  while x < 9.0
    x := x + 2.0
  @5 end
  @4 exit
",
    ),
    (
        "structured",
        "
    1 ENTRY -> 2
    2 BRANCH x < 9.0 -> 3 [1], 4 [0]
    3 BRANCH n > 0 -> 5 [1], 6 [0]
    5 BASICBLOCK -> 2
          x := x + 2.0
    6 BASICBLOCK -> 2
          x := x + 4.0
    4 EXIT
",
        "
  while x < 9.0
    if n > 0
      @5
      x := x + 2.0
    else
      x := x + 4.0
    end
  end
  @4 exit
",
    ),
    (
        "structured",
        "
    1 ENTRY -> 2
    2 BRANCH x < 9.0 -> 2 [1], 4 [0]
    4 BASICBLOCK -> 5
          x := x + 2.0
    5 EXIT
",
        "
  while x < 9.0
  @6 end
  @4
  x := x + 2.0
",
    ),
    (
        "reducible: BRANCH 3 is entered from several places that are not the arms of one branch",
        "
    1 ENTRY -> 2
    2 BRANCH n > 0 -> 3 [1], 9 [0]
    3 BRANCH x < 9.0 -> 4 [1], 5 [0]
    4 BASICBLOCK -> 3
          x := x + 1.0
    5 BASICBLOCK -> 3
          x := x + 2.0
    9 EXIT
",
        STAYS,
    ),
    (
        "reducible: BASICBLOCK 3 is entered from several places that are not the arms of one branch",
        "
    1 ENTRY -> 2
    2 BRANCH n > 0 -> 3 [1], 9 [0]
    3 BASICBLOCK -> 3
          x := x + 1.0
    9 EXIT
",
        STAYS,
    ),
    (
        "reducible: BASICBLOCK 3 is entered from several places that are not the arms of one branch",
        "
    1 ENTRY -> 2
    2 BRANCH n > 0 -> 3 [1], 9 [0]
    3 BASICBLOCK -> 4
          x := x + 1.0
    4 BRANCH x < 9.0 -> 3 [1], 5 [0]
    5 BASICBLOCK -> 3
    9 EXIT
",
        "
    1 ENTRY -> 2
    2 BRANCH n > 0 -> 3 [1], 9 [0]
    3 BASICBLOCK -> 4
          x := x + 1.0
    4 BRANCH x < 9.0 -> 10 [1], 5 [0]
    5 BASICBLOCK -> 10
    9 EXIT
   10 ENDBRANCH -> 3
",
    ),
    (
        "reducible: BASICBLOCK 3 is entered from several places that are not the arms of one branch",
        "
    1 ENTRY -> 2
    2 BRANCH n > 0 -> 3 [1], 9 [0]
    3 BASICBLOCK -> 4
          x := x + 1.0
    4 BRANCH x < 9.0 -> 6 [1], 5 [0]
    6 BASICBLOCK -> 3
          x := x + 2.0
    5 BASICBLOCK -> 3
    9 EXIT
",
        "
    1 ENTRY -> 2
    2 BRANCH n > 0 -> 3 [1], 9 [0]
    3 BASICBLOCK -> 4
          x := x + 1.0
    4 BRANCH x < 9.0 -> 6 [1], 5 [0]
    6 BASICBLOCK -> 10
          x := x + 2.0
    5 BASICBLOCK -> 10
    9 EXIT
   10 ENDBRANCH -> 3
",
    ),
    (
        "structured",
        "
    1 ENTRY -> 2
    2 BASICBLOCK -> 3
          x := x + 1.0
    3 BRANCH x < 9.0 -> 2 [1], 4 [0]
    4 BASICBLOCK -> 5
          x := x + 2.0
    5 EXIT
",
        "
  @6 do
    @2
    x := x + 1.0
  end while x < 9.0
  x := x + 2.0
",
    ),
    (
        "structured",
        "
    1 ENTRY -> 2
    2 BASICBLOCK -> 3
          x := x + 1.0
    3 BRANCH x < 9.0 -> 4 [1], 5 [0]
    4 BASICBLOCK -> 2
    5 BASICBLOCK -> 6
          x := x + 2.0
    6 EXIT
",
        "
  @7 do
    @2
    x := x + 1.0
  end while x < 9.0
  @5
  x := x + 2.0
",
    ),
    (
        "structured",
        "
    1 ENTRY -> 2
    2 BASICBLOCK -> 3
          x := x + 1.0
    3 BRANCH x > 9.0 -> 5 [1], 2 [0]
    5 BASICBLOCK -> 6
          x := x + 2.0
    6 EXIT
",
        "
  @7 do
    @2
    x := x + 1.0
  end while not x > 9.0
  @5
  x := x + 2.0
",
    ),
    (
        "structured",
        "
    1 ENTRY -> 2
    2 BASICBLOCK -> 3
    3 BASICBLOCK -> 4
          x := x + 1.0
    4 BRANCH x < 9.0 -> 2 [1], 5 [0]
    5 EXIT
",
        "
  do
    x := x + 1.0
  end while x < 9.0
",
    ),
    (
        "structured",
        "
    1 ENTRY -> 2
    2 BASICBLOCK -> 3
          x := x + 1.0
    3 BRANCH x < 9.0 -> 4 [1], 5 [0]
    4 BASICBLOCK -> 6
    6 BASICBLOCK -> 2
    5 EXIT
",
        "
  @7 do
    @2
    x := x + 1.0
  end while x < 9.0
  @5 exit
",
    ),
    (
        "structured",
        "
    1 ENTRY -> 2
    2 BASICBLOCK -> 3
    3 BASICBLOCK -> 4
          x := x + 1.0
    4 BRANCH x < 9.0 -> 6 [1], 5 [0]
    6 BASICBLOCK -> 2
    5 EXIT
",
        "
  do
    x := x + 1.0
  end while x < 9.0
",
    ),
    (
        "structured",
        "
    1 ENTRY -> 2
    2 BRANCH n > 0 -> 3 [1], 4 [0]
    3 BASICBLOCK -> 4
          x := x + 1.0
    4 BASICBLOCK -> 5
          x := x + 2.0
    5 BRANCH x < 9.0 -> 2 [1], 6 [0]
    6 EXIT
",
        "
  @8 do
    @2 if n > 0
      x := x + 1.0
    @7 end
    @4
    x := x + 2.0
  end while x < 9.0
",
    ),
    (
        "structured",
        "
    1 ENTRY -> 2
    2 BRANCH n > 0 -> 3 [1], 4 [0]
    3 BASICBLOCK -> 4
          x := x + 1.0
    4 BRANCH x < 9.0 -> 2 [1], 6 [0]
    6 EXIT
",
        "
  @8 do
    @2 if n > 0
      x := x + 1.0
    @7 end
  @4 end while x < 9.0
  @6 exit
",
    ),
    (
        "structured",
        "
    1 ENTRY -> 2
    2 BASICBLOCK -> 3
          x := x + 1.0
    3 BRANCH x < 9.0 -> 2 [1], 4 [0]
    4 BASICBLOCK -> 5
          x := x + 2.0
    5 BRANCH x < 15.0 -> 2 [1], 6 [0]
    6 EXIT
",
        "
  @8 do
    @7 do
      @2
      x := x + 1.0
    end while x < 9.0
    x := x + 2.0
  end while x < 15.0
",
    ),
    (
        "structured",
        "
    1 ENTRY -> 2
    2 BASICBLOCK -> 3
    3 BASICBLOCK -> 4
          x := x + 1.0
    4 BRANCH x < 9.0 -> 2 [1], 5 [0]
    5 BASICBLOCK -> 6
          x := x + 2.0
    6 BRANCH x < 15.0 -> 2 [1], 7 [0]
    7 EXIT
",
        "
  @8 do
    @2 do
      x := x + 1.0
    end while x < 9.0
    x := x + 2.0
  end while x < 15.0
",
    ),
    (
        "structured",
        "
    1 ENTRY -> 2
    2 BRANCH x < 9.0 -> 3 [1], 4 [0]
    3 BASICBLOCK -> 2
          x := x + 2.0
    4 BASICBLOCK -> 5
          x := x + 1.0
    5 BRANCH x < 15.0 -> 2 [1], 6 [0]
    6 EXIT
",
        "
  @8 do
    @2 while x < 9.0
      x := x + 2.0
    @7 end
    @4
    x := x + 1.0
  end while x < 15.0
",
    ),
    (
        "structured with exits: the edge 3 -> 5 leaves the loop of BASICBLOCK 2 elsewhere than at its test",
        "
    1 ENTRY -> 2
    2 BASICBLOCK -> 3
          x := x + 1.0
    3 BRANCH x < 9.0 -> 4 [1], 5 [0]
    4 BASICBLOCK -> 2
          x := x + 2.0
    5 EXIT
",
        "
  x := x + 1.0
  while x < 9.0
    x := x + 2.0
    @6
    x := x + 1.0
  end
  @5 exit
",
    ),
    (
        "structured with exits: the edge 3 -> 5 leaves the loop of BASICBLOCK 2 elsewhere than at its test",
        "
    1 ENTRY -> 2
    2 BASICBLOCK -> 3
          x := x + 1.0
    3 BRANCH x > 9.0 -> 5 [1], 4 [0]
    4 BASICBLOCK -> 2
          x := x + 2.0
    5 EXIT
",
        "
  x := x + 1.0
  while not x > 9.0
    x := x + 2.0
    @6
    x := x + 1.0
  end
  @5 exit
",
    ),
    (
        "structured with exits: the edge 5 -> 7 leaves the loop of BASICBLOCK 2 elsewhere than at its test",
        "
    1 ENTRY -> 2
    2 BASICBLOCK -> 3
          x := x + 1.0
    3 BASICBLOCK -> 4
    4 BASICBLOCK -> 5
          x := x + 3.0
    5 BRANCH x < 9.0 -> 6 [1], 7 [0]
    6 BASICBLOCK -> 2
          x := x + 2.0
    7 EXIT
",
        "
  x := x + 1.0
  @3
  @4
  x := x + 3.0
  while x < 9.0
    x := x + 2.0
    @8
    x := x + 1.0
    @9
    x := x + 3.0
  end
  @7 exit
",
    ),
    (
        "structured with exits: the edge 5 -> 7 leaves the loop of BASICBLOCK 2 elsewhere than at its test",
        "
    1 ENTRY -> 2
    2 BASICBLOCK -> 5
    5 BRANCH x < 9.0 -> 6 [1], 7 [0]
    6 BASICBLOCK -> 2
          x := x + 2.0
    7 EXIT
",
        "
  @2
  @5 while x < 9.0
    x := x + 2.0
  @8 end
  @7 exit
",
    ),
    (
        "structured with exits: the edge 5 -> 7 leaves the loop of BASICBLOCK 2 elsewhere than at its test",
        "
    1 ENTRY -> 2
    2 BASICBLOCK -> 5
          x := x + 1.0
    5 BRANCH x < 9.0 -> 6 [1], 7 [0]
    6 BASICBLOCK -> 8
          x := x + 2.0
    8 BASICBLOCK -> 2
    7 EXIT
",
        "
  x := x + 1.0
  @5 while x < 9.0
    x := x + 2.0
    @8
    @9
    x := x + 1.0
  end
  @7 exit
",
    ),
    (
        "structured with exits: the edge 4 -> 6 leaves the loop of BRANCH 2 elsewhere than at its test",
        "
    1 ENTRY -> 2
    2 BRANCH n > 0 -> 3 [1], 4 [0]
    3 BASICBLOCK -> 4
          x := x + 1.0
    4 BRANCH x < 9.0 -> 5 [1], 6 [0]
    5 BASICBLOCK -> 2
          x := x + 2.0
    6 EXIT
",
        "
    1 ENTRY -> 2
    2 BRANCH n > 0 -> 3 [1], 7 [0]
    3 BASICBLOCK -> 7
          x := x + 1.0
    4 BRANCH x < 9.0 -> 5 [1], 6 [0]
    5 BASICBLOCK -> 2
          x := x + 2.0
    6 EXIT
    7 ENDBRANCH -> 4
",
    ),
    (
        "structured with exits: the edge 8 -> 6 leaves the loop of BRANCH 2 elsewhere than at its test",
        "
    1 ENTRY -> 2
    2 BRANCH n > 0 -> 3 [1], 4 [0]
    3 BASICBLOCK -> 4
          x := x + 1.0
    4 BASICBLOCK -> 8
          x := x + 4.0
    8 BRANCH x < 9.0 -> 5 [1], 6 [0]
    5 BASICBLOCK -> 2
          x := x + 2.0
    6 EXIT
",
        "
    1 ENTRY -> 2
    2 BRANCH n > 0 -> 3 [1], 9 [0]
    3 BASICBLOCK -> 9
          x := x + 1.0
    4 BASICBLOCK -> 8
          x := x + 4.0
    8 BRANCH x < 9.0 -> 5 [1], 6 [0]
    5 BASICBLOCK -> 2
          x := x + 2.0
    6 EXIT
    9 ENDBRANCH -> 4
",
    ),
    (
        "structured with exits: the edge 4 -> 6 leaves the loop of BASICBLOCK 2 elsewhere than at its test",
        "
    1 ENTRY -> 2
    2 BASICBLOCK -> 3
          x := x + 4.0
    3 BRANCH n > 0 -> 7 [1], 4 [0]
    7 BASICBLOCK -> 4
          x := x + 1.0
    4 BRANCH x < 9.0 -> 5 [1], 6 [0]
    5 BASICBLOCK -> 2
          x := x + 2.0
    6 EXIT
",
        "
    1 ENTRY -> 2
    2 BASICBLOCK -> 3
          x := x + 4.0
    3 BRANCH n > 0 -> 7 [1], 8 [0]
    7 BASICBLOCK -> 8
          x := x + 1.0
    4 BRANCH x < 9.0 -> 5 [1], 6 [0]
    5 BASICBLOCK -> 2
          x := x + 2.0
    6 EXIT
    8 ENDBRANCH -> 4
",
    ),
    (
        "structured with exits: the edge 8 -> 6 leaves the loop of BASICBLOCK 2 elsewhere than at its test",
        "
    1 ENTRY -> 2
    2 BASICBLOCK -> 3
          x := x + 1.0
    3 BRANCH x < 9.0 -> 2 [1], 4 [0]
    4 BASICBLOCK -> 8
          x := x + 4.0
    8 BRANCH x < 19.0 -> 5 [1], 6 [0]
    5 BASICBLOCK -> 2
          x := x + 2.0
    6 EXIT
",
        "
    1 ENTRY -> 9
    2 BASICBLOCK -> 3
          x := x + 1.0
    3 ENDLOOP -> 9
    4 BASICBLOCK -> 8
          x := x + 4.0
    8 BRANCH x < 19.0 -> 5 [1], 6 [0]
    5 BASICBLOCK -> 9
          x := x + 2.0
    6 EXIT
    9 LOOP again while x < 9.0 -> 4, 2 [1]
",
    ),
];

/// The graphs with jumps out of loops, into them, or forward.
const JUMPS: &[Case] = &[
    (
        "structured with exits: the edge 3 -> 5 leaves the loop of BRANCH 2 elsewhere than at its test",
        "
    1 ENTRY -> 2
    2 BRANCH x < 9.0 -> 3 [1], 6 [0]
    3 BRANCH n > 0 -> 5 [1], 4 [0]
    4 BASICBLOCK -> 2
          x := x + 1.0
    5 BASICBLOCK -> 6
          x := x + 2.0
    6 BASICBLOCK -> 7
          x := x + 4.0
    7 EXIT
",
        "
    1 ENTRY -> 2
    2 LOOP while x < 9.0 -> 3 [1], 6
    3 BRANCH n > 0 -> 5 [1], 4 [0]
    4 BASICBLOCK -> 8
          x := x + 1.0
    5 BASICBLOCK -> 6
          x := x + 2.0
    6 BASICBLOCK -> 7
          x := x + 4.0
    7 EXIT
    8 ENDLOOP -> 2
",
    ),
    (
        "structured with exits: the edge 3 -> 6 leaves the loop of BRANCH 2 elsewhere than at its test",
        "
    1 ENTRY -> 2
    2 BRANCH not x < 9.0 -> 6 [1], 3 [0]
    3 BRANCH n > 0 -> 6 [1], 4 [0]
    4 BASICBLOCK -> 2
          x := x + 1.0
    6 BASICBLOCK -> 7
          x := x + 4.0
    7 EXIT
",
        "
    1 ENTRY -> 2
    2 LOOP while x < 9.0 -> 6, 3 [1]
    3 BRANCH n > 0 -> 6 [1], 4 [0]
    4 BASICBLOCK -> 8
          x := x + 1.0
    6 BASICBLOCK -> 7
          x := x + 4.0
    7 EXIT
    8 ENDLOOP -> 2
",
    ),
    (
        "structured with exits: the edge 3 -> 6 leaves the loop of BRANCH 2 elsewhere than at its test",
        "
    1 ENTRY -> 2
    2 BRANCH x > 9.0 -> 6 [1], 3 [0]
    3 BRANCH n > 0 -> 6 [1], 4 [0]
    4 BASICBLOCK -> 2
          x := x + 1.0
    6 BASICBLOCK -> 7
          x := x + 4.0
    7 EXIT
",
        "
    1 ENTRY -> 2
    2 LOOP while not x > 9.0 -> 6, 3 [1]
    3 BRANCH n > 0 -> 6 [1], 4 [0]
    4 BASICBLOCK -> 8
          x := x + 1.0
    6 BASICBLOCK -> 7
          x := x + 4.0
    7 EXIT
    8 ENDLOOP -> 2
",
    ),
    (
        "structured with exits: the edge 3 -> 6 leaves the loop of BRANCH 2 elsewhere than at its test",
        "
    1 ENTRY -> 2
    2 BRANCH x < 9.0 -> 3 [1], 6 [0]
    3 BRANCH n > 0 -> 6 [1], 4 [0]
    4 BASICBLOCK -> 5
          x := x + 1.0
    5 BASICBLOCK -> 2
    6 BASICBLOCK -> 7
          x := x + 4.0
    7 EXIT
",
        "
    1 ENTRY -> 2
    2 LOOP while x < 9.0 -> 3 [1], 6
    3 BRANCH n > 0 -> 6 [1], 4 [0]
    4 BASICBLOCK -> 5
          x := x + 1.0
    5 ENDLOOP -> 2
    6 BASICBLOCK -> 7
          x := x + 4.0
    7 EXIT
",
    ),
    (
        "structured with exits: the edge 9 -> 6 leaves the loop of BRANCH 2 elsewhere than at its test",
        "
    1 ENTRY -> 2
    2 BRANCH x < 9.0 -> 3 [1], 6 [0]
    3 BASICBLOCK -> 4
          x := x + 1.0
    4 BRANCH n > 0 -> 2 [1], 5 [0]
    5 BASICBLOCK -> 8
          x := x + 2.0
    8 BRANCH m > 0 -> 2 [1], 9 [0]
    9 BRANCH x > 7.0 -> 6 [1], 10 [0]
    10 BASICBLOCK -> 2
    6 BASICBLOCK -> 7
          x := x + 4.0
    7 EXIT
",
        "
    1 ENTRY -> 2
    2 LOOP while x < 9.0 -> 3 [1], 6
    3 BASICBLOCK -> 4
          x := x + 1.0
    4 BRANCH n > 0 -> 11 [1], 5 [0]
    5 BASICBLOCK -> 8
          x := x + 2.0
    8 BRANCH m > 0 -> 11 [1], 9 [0]
    9 BRANCH x > 7.0 -> 6 [1], 10 [0]
   10 BASICBLOCK -> 11
    6 BASICBLOCK -> 7
          x := x + 4.0
    7 EXIT
   11 ENDLOOP -> 2
",
    ),
    (
        "structured with exits: the edge 8 -> 6 leaves the loop of BRANCH 2 elsewhere than at its test",
        "
    1 ENTRY -> 2
    2 BRANCH x < 9.0 -> 3 [1], 6 [0]
    3 BASICBLOCK -> 4
          x := x + 1.0
    4 BRANCH n > 0 -> 5 [1], 8 [0]
    5 BASICBLOCK -> 2
    8 BRANCH m > 0 -> 6 [1], 10 [0]
    10 BASICBLOCK -> 2
    6 BASICBLOCK -> 7
          x := x + 4.0
    7 EXIT
",
        "
    1 ENTRY -> 2
    2 LOOP while x < 9.0 -> 3 [1], 6
    3 BASICBLOCK -> 4
          x := x + 1.0
    4 BRANCH n > 0 -> 5 [1], 8 [0]
    5 BASICBLOCK -> 11
    8 BRANCH m > 0 -> 6 [1], 10 [0]
   10 BASICBLOCK -> 11
    6 BASICBLOCK -> 7
          x := x + 4.0
    7 EXIT
   11 ENDLOOP -> 2
",
    ),
    (
        "structured with exits: the edge 5 -> 7 leaves the loop of BRANCH 2 elsewhere than at its test",
        "
    1 ENTRY -> 2
    2 BRANCH m > 0 -> 3 [1], 4 [0]
    3 BASICBLOCK -> 5
          x := x + 1.0
    4 BASICBLOCK -> 6
          x := x + 2.0
    5 BRANCH x > 7.0 -> 7 [1], 6 [0]
    6 BRANCH x > 9.0 -> 7 [1], 8 [0]
    8 BASICBLOCK -> 2
          x := x + 4.0
    7 EXIT
",
        STAYS,
    ),
    (
        "structured with exits: the edge 3 -> 6 leaves the loop of BRANCH 2 elsewhere than at its test",
        "
    1 ENTRY -> 2
    2 BRANCH select n: [1] 1; [0] default -> 3 [1], 6 [0]
    3 BRANCH m > 0 -> 6 [1], 4 [0]
    4 BASICBLOCK -> 2
          x := x + 1.0
    6 EXIT
",
        STAYS,
    ),
    (
        "reducible: BRANCH 2 is entered from several places that are not the arms of one branch",
        "
    1 ENTRY -> 2
    2 BRANCH select n: [1] 1; [2] 2; [0] default -> 3 [1], 4 [2], 6 [0]
    3 BASICBLOCK -> 4
          x := x + 2.0
    4 BASICBLOCK -> 2
          x := x + 1.0
    6 EXIT
",
        STAYS,
    ),
    (
        "structured with exits: the edge 2 -> 6 leaves the loop of BRANCH 2 elsewhere than at its test",
        "
    1 ENTRY -> 2
    2 BRANCH select n: [1] 1; [2] 2; [0] default -> 3 [1], 5 [2], 6 [0]
    3 BASICBLOCK -> 2
          x := x + 2.0
    5 BASICBLOCK -> 6
          x := x + 1.0
    6 EXIT
",
        STAYS,
    ),
    (
        "irreducible: the loop of BRANCH 3 is also entered by the edge 2 -> 4",
        "
    1 ENTRY -> 2
    2 BRANCH n > 0 -> 3 [1], 4 [0]
    3 BRANCH x < 9.0 -> 4 [1], 6 [0]
    4 BASICBLOCK -> 5
          x := x + 1.0
    5 BRANCH m > 0 -> 3 [1], 6 [0]
    6 EXIT
",
        STAYS,
    ),
    (
        "irreducible: the loop of BASICBLOCK 3 is also entered by the edge 2 -> 4",
        "
    1 ENTRY -> 2
    2 BRANCH n > 0 -> 3 [1], 4 [0]
    3 BASICBLOCK -> 4
          x := x + 1.0
    4 BRANCH x < 9.0 -> 8 [1], 5 [0]
    8 BASICBLOCK -> 4
          x := x + 2.0
    5 BRANCH x < 19.0 -> 3 [1], 6 [0]
    6 EXIT
",
        "
    1 ENTRY -> 2
    2 BRANCH n > 0 -> 3 [1], 4 [0]
    3 BASICBLOCK -> 4
          x := x + 1.0
    4 LOOP while x < 9.0 -> 8 [1], 5
    8 BASICBLOCK -> 9
          x := x + 2.0
    5 BRANCH x < 19.0 -> 3 [1], 6 [0]
    6 EXIT
    9 ENDLOOP -> 4
",
    ),
    (
        "structured with exits: the edge 4 -> 10 leaves the loop of BRANCH 3 elsewhere than at its test",
        "
    1 ENTRY -> 2
    2 BRANCH x < 9.0 -> 3 [1], 9 [0]
    3 BRANCH x < 7.0 -> 4 [1], 7 [0]
    4 BRANCH n > 0 -> 10 [1], 5 [0]
    5 BASICBLOCK -> 3
          x := x + 1.0
    7 BASICBLOCK -> 2
          x := x + 2.0
    9 BASICBLOCK -> 10
          x := x + 4.0
    10 EXIT
",
        "
    1 ENTRY -> 2
    2 LOOP while x < 9.0 -> 3 [1], 9
    3 LOOP while x < 7.0 -> 4 [1], 7
    4 BRANCH n > 0 -> 10 [1], 5 [0]
    5 BASICBLOCK -> 12
          x := x + 1.0
    7 BASICBLOCK -> 11
          x := x + 2.0
    9 BASICBLOCK -> 10
          x := x + 4.0
   10 EXIT
   11 ENDLOOP -> 2
   12 ENDLOOP -> 3
",
    ),
    (
        "reducible: BASICBLOCK 6 is entered from several places that are not the arms of one branch",
        "
    1 ENTRY -> 2
    2 BRANCH n > 0 -> 3 [1], 6 [0]
    3 BASICBLOCK -> 4
          x := x + 1.0
    4 BRANCH x < 9.0 -> 3 [1], 5 [0]
    5 BRANCH m > 0 -> 7 [1], 6 [0]
    6 BASICBLOCK -> 7
          x := x + 2.0
    7 EXIT
",
        "
    1 ENTRY -> 2
    2 BRANCH n > 0 -> 8 [1], 6 [0]
    3 BASICBLOCK -> 4
          x := x + 1.0
    4 ENDLOOP -> 8
    5 BRANCH m > 0 -> 7 [1], 6 [0]
    6 BASICBLOCK -> 7
          x := x + 2.0
    7 EXIT
    8 LOOP again while x < 9.0 -> 5, 3 [1]
",
    ),
    (
        "reducible: BASICBLOCK 5 is entered from several places that are not the arms of one branch",
        "
    1 ENTRY -> 2
    2 BRANCH n > 0 -> 3 [1], 5 [0]
    3 BRANCH m > 0 -> 6 [1], 4 [0]
    4 BASICBLOCK -> 5
          x := x + 1.0
    5 BASICBLOCK -> 6
          x := x + 2.0
    6 BASICBLOCK -> 7
          x := x + 4.0
    7 EXIT
",
        STAYS,
    ),
    (
        "reducible: BASICBLOCK 5 is entered from several places that are not the arms of one branch",
        "
    1 ENTRY -> 2
    2 BRANCH n > 0 -> 3 [1], 5 [0]
    3 BRANCH m > 0 -> 6 [1], 4 [0]
    4 BRANCH x < 0.0 -> 8 [1], 9 [0]
    8 BASICBLOCK -> 9
          x := x + 1.0
    9 BASICBLOCK -> 5
    5 BASICBLOCK -> 6
          x := x + 2.0
    6 BASICBLOCK -> 7
          x := x + 4.0
    7 EXIT
",
        "
    1 ENTRY -> 2
    2 BRANCH n > 0 -> 3 [1], 5 [0]
    3 BRANCH m > 0 -> 6 [1], 4 [0]
    4 BRANCH x < 0.0 -> 8 [1], 9 [0]
    8 BASICBLOCK -> 9
          x := x + 1.0
    9 ENDBRANCH -> 5
    5 BASICBLOCK -> 6
          x := x + 2.0
    6 BASICBLOCK -> 7
          x := x + 4.0
    7 EXIT
",
    ),
    (
        "structured",
        "
    1 ENTRY -> 2
    2 LOOP while x < 9.0 -> 3 [1], 5
    3 BASICBLOCK -> 4
          x := x + 1.0
    4 ENDLOOP -> 2
    5 EXIT
",
        "
  while x < 9.0
    x := x + 1.0
  end
",
    ),
    (
        "structured",
        "
    1 ENTRY -> 2
    2 LOOP while x < 9.0 -> 3 [1], 6
    3 BRANCH n > 0 -> 4 [1], 5 [0]
    4 BASICBLOCK -> 5
          x := x + 1.0
    5 ENDLOOP -> 2
    6 EXIT
",
        "
  while x < 9.0
    if n > 0
      x := x + 1.0
    end
  @7 end
  @6 exit
",
    ),
    (
        "structured",
        "
    1 ENTRY -> 2
    2 BRANCH n > 0 -> 3 [1], 4 [0]
    3 BASICBLOCK -> 4
          x := x + 1.0
    4 ENDBRANCH -> 5
    5 BRANCH x < 9.0 -> 6 [1], 7 [0]
    6 BASICBLOCK -> 5
          x := x + 2.0
    7 EXIT
",
        "
  if n > 0
    x := x + 1.0
  end
  while x < 9.0
    x := x + 2.0
  @8 end
  @7 exit
",
    ),
    (
        "structured",
        "
    1 ENTRY -> 2
    2 LOOP while x < 9.0 -> 3 [1], 6
    3 BRANCH n > 0 -> 4 [1], 5 [0]
    4 BASICBLOCK -> 7
          x := x + 1.0
    5 ENDLOOP -> 2
    7 ENDLOOP -> 2
    6 EXIT
",
        "
  while x < 9.0
    if n > 0
      x := x + 1.0
      @7
    else
      @5
    @8 end
  end
  @6 exit
",
    ),
    (
        "structured with exits: the edge 4 -> 6 leaves the loop of BRANCH 2 elsewhere than at its test",
        "
    1 ENTRY -> 2
    2 BRANCH x < 9.0 -> 3 [1], 6 [0]
    3 BASICBLOCK -> 4
          x := x + 1.0
    4 BRANCH n > 0 -> 2 [1], 6 [0]
    6 EXIT
",
        "
    1 ENTRY -> 2
    2 LOOP while x < 9.0 -> 3 [1], 6
    3 BASICBLOCK -> 4
          x := x + 1.0
    4 BRANCH n > 0 -> 7 [1], 6 [0]
    6 EXIT
    7 ENDLOOP -> 2
",
    ),
    (
        "structured",
        "
    1 ENTRY -> 2
    2 BASICBLOCK -> 3
          x := x + 1.0
    3 BRANCH n > 0 -> 4 [1], 5 [0]
    4 BASICBLOCK -> 5
          x := x + 2.0
    5 BRANCH x < 9.0 -> 2 [1], 6 [0]
    6 EXIT
",
        "
  @8 do
    @2
    x := x + 1.0
    if n > 0
      x := x + 2.0
    @7 end
  @5 end while x < 9.0
",
    ),
    (
        "structured with exits: the edge 5 -> 6 leaves the loop of BASICBLOCK 2 elsewhere than at its test",
        "
    1 ENTRY -> 2
    2 BASICBLOCK -> 3
          x := x + 1.0
    3 BRANCH n > 0 -> 4 [1], 5 [0]
    4 BRANCH x < 9.0 -> 2 [1], 6 [0]
    5 BRANCH x < 8.0 -> 2 [1], 6 [0]
    6 EXIT
",
        STAYS,
    ),
    (
        "structured with exits: the edge 4 -> 6 leaves the loop of BASICBLOCK 2 elsewhere than at its test",
        "
    1 ENTRY -> 2
    2 BASICBLOCK -> 3
          x := x + 1.0
    3 BRANCH n > 0 -> 4 [1], 5 [0]
    4 BRANCH x < 9.0 -> 2 [1], 6 [0]
    5 BASICBLOCK -> 2
          x := x + 2.0
    6 EXIT
",
        "
  @9 do
    @2
    x := x + 1.0
    while not n > 0
      @5
      x := x + 2.0
      @7
      x := x + 1.0
    end
  @4 end while x < 9.0
  @6 exit
",
    ),
    (
        "structured with exits: the edge 3 -> 6 leaves the loop of BASICBLOCK 2 elsewhere than at its test",
        "
    1 ENTRY -> 2
    2 BASICBLOCK -> 3
          x := x + 1.0
    3 BRANCH n > 0 -> 4 [1], 6 [0]
    4 BASICBLOCK -> 5
          x := x + 2.0
    5 BRANCH x < 9.0 -> 2 [1], 6 [0]
    6 EXIT
",
        STAYS,
    ),
    (
        "structured with exits: the edge 3 -> 6 leaves the loop of BASICBLOCK 2 elsewhere than at its test",
        "
    1 ENTRY -> 2
    2 BASICBLOCK -> 3
          x := x + 1.0
    3 BRANCH n > 0 -> 6 [0], 4 [1]
    4 BASICBLOCK -> 5
          x := x + 2.0
    5 BRANCH x < 9.0 -> 2 [1], 6 [0]
    6 EXIT
",
        STAYS,
    ),
    (
        "structured with exits: the edge 4 -> 8 leaves the loop of BRANCH 3 elsewhere than at its test",
        "
    1 ENTRY -> 2
    2 BASICBLOCK -> 3
          x := x + 1.0
    3 BRANCH x < 9.0 -> 4 [1], 5 [0]
    4 BRANCH n > 0 -> 8 [1], 3 [0]
    5 BASICBLOCK -> 2
          x := x + 2.0
    8 EXIT
",
        "
    1 ENTRY -> 2
    2 BASICBLOCK -> 3
          x := x + 1.0
    3 LOOP while x < 9.0 -> 4 [1], 5
    4 BRANCH n > 0 -> 8 [1], 9 [0]
    5 BASICBLOCK -> 2
          x := x + 2.0
    8 EXIT
    9 ENDLOOP -> 3
",
    ),
    (
        "structured with exits: the edge 6 -> 8 leaves the loop of BASICBLOCK 2 elsewhere than at its test",
        "
    1 ENTRY -> 2
    2 BASICBLOCK -> 3
          x := x + 1.0
    3 BRANCH x < 9.0 -> 4 [1], 5 [0]
    4 BRANCH n > 0 -> 8 [1], 3 [0]
    5 BASICBLOCK -> 6
          x := x + 2.0
    6 BRANCH m > 0 -> 8 [1], 7 [0]
    7 BASICBLOCK -> 2
          x := x + 3.0
    8 EXIT
",
        "
    1 ENTRY -> 2
    2 BASICBLOCK -> 3
          x := x + 1.0
    3 LOOP while x < 9.0 -> 4 [1], 5
    4 BRANCH n > 0 -> 8 [1], 9 [0]
    5 BASICBLOCK -> 6
          x := x + 2.0
    6 BRANCH m > 0 -> 8 [1], 7 [0]
    7 BASICBLOCK -> 2
          x := x + 3.0
    8 EXIT
    9 ENDLOOP -> 3
",
    ),
    (
        "structured with exits: the edge 6 -> 8 leaves the loop of BASICBLOCK 2 elsewhere than at its test",
        "
    1 ENTRY -> 2
    2 BASICBLOCK -> 3
          x := x + 1.0
    3 BRANCH x < 9.0 -> 4 [1], 5 [0]
    4 BRANCH n > 0 -> 9 [1], 3 [0]
    5 BASICBLOCK -> 6
          x := x + 2.0
    6 BRANCH m > 0 -> 8 [1], 7 [0]
    7 BASICBLOCK -> 2
          x := x + 3.0
    8 BASICBLOCK -> 9
          x := x + 4.0
    9 EXIT
",
        "
    1 ENTRY -> 2
    2 BASICBLOCK -> 3
          x := x + 1.0
    3 LOOP while x < 9.0 -> 4 [1], 5
    4 BRANCH n > 0 -> 9 [1], 10 [0]
    5 BASICBLOCK -> 6
          x := x + 2.0
    6 BRANCH m > 0 -> 8 [1], 7 [0]
    7 BASICBLOCK -> 2
          x := x + 3.0
    8 BASICBLOCK -> 9
          x := x + 4.0
    9 EXIT
   10 ENDLOOP -> 3
",
    ),
    (
        "structured with exits: the edge 4 -> 8 leaves the loop of BRANCH 3 elsewhere than at its test",
        "
    1 ENTRY -> 2
    2 BRANCH x < 19.0 -> 3 [1], 8 [0]
    3 BRANCH x < 9.0 -> 4 [1], 5 [0]
    4 BRANCH n > 0 -> 8 [1], 6 [0]
    6 BASICBLOCK -> 3
          x := x + 1.0
    5 BASICBLOCK -> 2
          x := x + 2.0
    8 BASICBLOCK -> 9
          x := x + 4.0
    9 EXIT
",
        "
    1 ENTRY -> 2
    2 LOOP while x < 19.0 -> 3 [1], 8
    3 LOOP while x < 9.0 -> 4 [1], 5
    4 BRANCH n > 0 -> 8 [1], 6 [0]
    6 BASICBLOCK -> 11
          x := x + 1.0
    5 BASICBLOCK -> 10
          x := x + 2.0
    8 BASICBLOCK -> 9
          x := x + 4.0
    9 EXIT
   10 ENDLOOP -> 2
   11 ENDLOOP -> 3
",
    ),
    (
        "reducible: BASICBLOCK 3 is entered from several places that are not the arms of one branch",
        "
    1 ENTRY -> 2
    2 BRANCH n > 0 -> 3 [1], 4 [0]
    3 BASICBLOCK -> 3
          x := x + 1.0
    4 EXIT
",
        STAYS,
    ),
    (
        "structured with exits: the edge 3 -> 5 leaves the loop of BASICBLOCK 2 elsewhere than at its test",
        "
    1 ENTRY -> 2
    2 BASICBLOCK -> 3
          x := x + 1.0
    3 BRANCH select n: [1] 1; [2] 2; [0] default -> 2 [1], 4 [2], 5 [0]
    4 BASICBLOCK -> 5
          x := x + 2.0
    5 EXIT
",
        STAYS,
    ),
    (
        "structured with exits: the edge 3 -> 6 leaves the loop of BRANCH 2 elsewhere than at its test",
        "
    1 ENTRY -> 2
    2 BRANCH x < 9.0 -> 3 [1], 6 [0]
    3 BRANCH select n: [1] 1; [2] 2; [0] default -> 4 [1], 5 [2], 6 [0]
    4 BASICBLOCK -> 2
          x := x + 2.0
    5 BASICBLOCK -> 2
          x := x + 3.0
    6 EXIT
",
        "
    1 ENTRY -> 2
    2 LOOP while x < 9.0 -> 3 [1], 6
    3 BRANCH select n: [1] 1; [2] 2; [0] default -> 4 [1], 5 [2], 6 [0]
    4 BASICBLOCK -> 7
          x := x + 2.0
    5 BASICBLOCK -> 7
          x := x + 3.0
    6 EXIT
    7 ENDLOOP -> 2
",
    ),
    (
        "structured with exits: the edge 4 -> 6 leaves the loop of BRANCH 3 elsewhere than at its test",
        "
    1 ENTRY -> 2
    2 BRANCH n > 0 -> 3 [1], 5 [0]
    3 BRANCH x < 9.0 -> 4 [1], 6 [0]
    4 BRANCH m > 0 -> 6 [1], 7 [0]
    7 BASICBLOCK -> 3
          x := x + 1.0
    5 BASICBLOCK -> 6
          x := x + 2.0
    6 BASICBLOCK -> 8
          x := x + 4.0
    8 EXIT
",
        "
    1 ENTRY -> 2
    2 BRANCH n > 0 -> 3 [1], 5 [0]
    3 LOOP while x < 9.0 -> 4 [1], 6
    4 BRANCH m > 0 -> 6 [1], 7 [0]
    7 BASICBLOCK -> 9
          x := x + 1.0
    5 BASICBLOCK -> 6
          x := x + 2.0
    6 BASICBLOCK -> 8
          x := x + 4.0
    8 EXIT
    9 ENDLOOP -> 3
",
    ),
    (
        "structured with exits: the edge 3 -> 6 leaves the loop of BRANCH 2 elsewhere than at its test",
        "
    1 ENTRY -> 2
    2 BRANCH x < 9.0 -> 3 [1], 5 [0]
    3 BRANCH n > 0 -> 6 [1], 4 [0]
    4 BASICBLOCK -> 2
          x := x + 1.0
    5 BASICBLOCK -> 6
          x := x + 2.0
    6 BASICBLOCK -> 7
          x := x + 4.0
    7 EXIT
",
        "
    1 ENTRY -> 2
    2 LOOP while x < 9.0 -> 3 [1], 5
    3 BRANCH n > 0 -> 6 [1], 4 [0]
    4 BASICBLOCK -> 8
          x := x + 1.0
    5 BASICBLOCK -> 6
          x := x + 2.0
    6 BASICBLOCK -> 7
          x := x + 4.0
    7 EXIT
    8 ENDLOOP -> 2
",
    ),
    (
        "reducible: BASICBLOCK 5 is entered from several places that are not the arms of one branch",
        "
    1 ENTRY -> 2
    2 BRANCH n > 0 -> 3 [1], 5 [0]
    3 BRANCH m > 0 -> 6 [1], 4 [0]
    4 BASICBLOCK -> 5
          x := x + 1.0
    5 BASICBLOCK -> 6
          x := x + 2.0
    6 BRANCH x < 9.0 -> 7 [1], 9 [0]
    7 BRANCH m > 0 -> 9 [1], 8 [0]
    8 BASICBLOCK -> 6
          x := x + 1.0
    9 EXIT
",
        "
    1 ENTRY -> 2
    2 BRANCH n > 0 -> 3 [1], 5 [0]
    3 BRANCH m > 0 -> 6 [1], 4 [0]
    4 BASICBLOCK -> 5
          x := x + 1.0
    5 BASICBLOCK -> 6
          x := x + 2.0
    6 LOOP while x < 9.0 -> 7 [1], 9
    7 BRANCH m > 0 -> 9 [1], 8 [0]
    8 BASICBLOCK -> 10
          x := x + 1.0
    9 EXIT
   10 ENDLOOP -> 6
",
    ),
    (
        "reducible: BASICBLOCK 5 is entered from several places that are not the arms of one branch",
        "
    1 ENTRY -> 2
    2 BRANCH n > 0 -> 3 [1], 5 [0]
    3 BRANCH m > 0 -> 6 [1], 4 [0]
    4 BASICBLOCK -> 5
    5 BASICBLOCK -> 6
    6 BASICBLOCK -> 7
          x := x + 4.0
    7 EXIT
",
        STAYS,
    ),
    (
        "reducible: BRANCH 5 is entered from several places that are not the arms of one branch",
        "
    1 ENTRY -> 2
    2 BRANCH n > 0 -> 3 [1], 5 [0]
    3 BRANCH m > 0 -> 6 [1], 4 [0]
    4 BASICBLOCK -> 5
          x := x + 1.0
    5 BRANCH x > 0.0 -> 6 [1], 8 [0]
    8 BASICBLOCK -> 6
          x := x + 2.0
    6 BASICBLOCK -> 7
          x := x + 4.0
    7 EXIT
",
        "
    1 ENTRY -> 2
    2 BRANCH n > 0 -> 3 [1], 5 [0]
    3 BRANCH m > 0 -> 6 [1], 4 [0]
    4 BASICBLOCK -> 5
          x := x + 1.0
    5 BRANCH x > 0.0 -> 9 [1], 8 [0]
    8 BASICBLOCK -> 9
          x := x + 2.0
    6 BASICBLOCK -> 7
          x := x + 4.0
    7 EXIT
    9 ENDBRANCH -> 6
",
    ),
    (
        "reducible: BASICBLOCK 5 is entered from several places that are not the arms of one branch",
        "
    1 ENTRY -> 10
    10 BRANCH x < 9.0 -> 2 [1], 7 [0]
    2 BRANCH n > 0 -> 3 [1], 5 [0]
    3 BRANCH m > 0 -> 6 [1], 4 [0]
    4 BASICBLOCK -> 5
          x := x + 1.0
    5 BASICBLOCK -> 6
          x := x + 2.0
    6 BASICBLOCK -> 10
          x := x + 4.0
    7 EXIT
",
        "
    1 ENTRY -> 10
   10 LOOP while x < 9.0 -> 2 [1], 7
    2 BRANCH n > 0 -> 3 [1], 5 [0]
    3 BRANCH m > 0 -> 6 [1], 4 [0]
    4 BASICBLOCK -> 5
          x := x + 1.0
    5 BASICBLOCK -> 6
          x := x + 2.0
    6 BASICBLOCK -> 11
          x := x + 4.0
    7 EXIT
   11 ENDLOOP -> 10
",
    ),
    (
        "reducible: BASICBLOCK 6 is entered from several places that are not the arms of one branch",
        "
    1 ENTRY -> 2
    2 BRANCH n > 0 -> 3 [1], 5 [0]
    3 BRANCH m > 0 -> 6 [1], 4 [0]
    4 BASICBLOCK -> 5
          x := x + 1.0
    5 BRANCH x < 9.0 -> 8 [1], 6 [0]
    8 BASICBLOCK -> 5
          x := x + 2.0
    6 BASICBLOCK -> 7
          x := x + 4.0
    7 EXIT
",
        "
    1 ENTRY -> 2
    2 BRANCH n > 0 -> 3 [1], 5 [0]
    3 BRANCH m > 0 -> 6 [1], 4 [0]
    4 BASICBLOCK -> 5
          x := x + 1.0
    5 LOOP while x < 9.0 -> 8 [1], 6
    8 BASICBLOCK -> 9
          x := x + 2.0
    6 BASICBLOCK -> 7
          x := x + 4.0
    7 EXIT
    9 ENDLOOP -> 5
",
    ),
    (
        "structured",
        "
    1 ENTRY -> 2
    2 BRANCH n > 0 -> 6 [1], 3 [0]
    3 BASICBLOCK -> 4
          x := x + 1.0
    4 BRANCH m > 0 -> 6 [1], 5 [0]
    5 BASICBLOCK -> 6
          x := x + 2.0
    6 EXIT
",
        "
  if n > 0
  else
    x := x + 1.0
    if m > 0
    else
      x := x + 2.0
    @7 end
  end
  @6 exit
",
    ),
    (
        "irreducible: the loop of BASICBLOCK 4 is also entered by the edge 3 -> 5",
        "
    1 ENTRY -> 2
    2 BRANCH x < 9.0 -> 3 [1], 9 [0]
    3 BRANCH n > 0 -> 4 [1], 5 [0]
    4 BASICBLOCK -> 5
          x := x + 1.0
    5 BASICBLOCK -> 6
          x := x + 2.0
    6 BRANCH m > 0 -> 4 [1], 2 [0]
    9 EXIT
",
        "
    1 ENTRY -> 2
    2 LOOP while x < 9.0 -> 3 [1], 9
    3 BRANCH n > 0 -> 4 [1], 5 [0]
    4 BASICBLOCK -> 5
          x := x + 1.0
    5 BASICBLOCK -> 6
          x := x + 2.0
    6 BRANCH m > 0 -> 4 [1], 10 [0]
    9 EXIT
   10 ENDLOOP -> 2
",
    ),
];

/// The loops with several exits, of which one may lead into the arm of a branch: which exit is a loop's own.
const EXITS: &[Case] = &[
    (
        "structured with exits: the edge 6 -> 8 leaves the loop of BASICBLOCK 2 elsewhere than at its test",
        "
    1 ENTRY -> 20
    2 BASICBLOCK -> 3
          x := x + 1.0
    3 BRANCH x < 9.0 -> 4 [1], 5 [0]
    4 BRANCH n > 4 -> 10 [1], 3 [0]
    5 BASICBLOCK -> 6
          x := x + 2.0
    6 BRANCH m > 0 -> 8 [1], 7 [0]
    7 BASICBLOCK -> 2
          x := x + 3.0
    20 BRANCH n > 0 -> 2 [1], 11 [0]
    11 BRANCH m > 0 -> 10 [1], 12 [0]
    8 BASICBLOCK -> 9
          x := x + 4.0
    10 BASICBLOCK -> 9
          x := x + 5.0
    12 BASICBLOCK -> 9
          x := x + 6.0
    9 EXIT
",
        "
    1 ENTRY -> 20
    2 BASICBLOCK -> 3
          x := x + 1.0
    3 LOOP while x < 9.0 -> 4 [1], 5
    4 BRANCH n > 4 -> 10 [1], 21 [0]
    5 BASICBLOCK -> 6
          x := x + 2.0
    6 BRANCH m > 0 -> 8 [1], 7 [0]
    7 BASICBLOCK -> 2
          x := x + 3.0
   20 BRANCH n > 0 -> 2 [1], 11 [0]
   11 BRANCH m > 0 -> 10 [1], 12 [0]
    8 BASICBLOCK -> 9
          x := x + 4.0
   10 BASICBLOCK -> 9
          x := x + 5.0
   12 BASICBLOCK -> 9
          x := x + 6.0
    9 EXIT
   21 ENDLOOP -> 3
",
    ),
    (
        "reducible: BASICBLOCK 10 is entered from several places that are not the arms of one branch",
        "
    1 ENTRY -> 20
    2 BASICBLOCK -> 3
          x := x + 1.0
    3 BRANCH x < 9.0 -> 4 [1], 5 [0]
    4 BRANCH n > 4 -> 8 [1], 3 [0]
    5 BASICBLOCK -> 6
          x := x + 2.0
    6 BRANCH m > 0 -> 10 [1], 7 [0]
    7 BASICBLOCK -> 2
          x := x + 3.0
    20 BRANCH n > 0 -> 2 [1], 11 [0]
    11 BRANCH m > 0 -> 10 [1], 12 [0]
    8 BASICBLOCK -> 9
          x := x + 4.0
    10 BASICBLOCK -> 9
          x := x + 5.0
    12 BASICBLOCK -> 9
          x := x + 6.0
    9 EXIT
",
        "
    1 ENTRY -> 20
    2 BASICBLOCK -> 3
          x := x + 1.0
    3 LOOP while x < 9.0 -> 4 [1], 5
    4 BRANCH n > 4 -> 8 [1], 21 [0]
    5 BASICBLOCK -> 6
          x := x + 2.0
    6 BRANCH m > 0 -> 10 [1], 7 [0]
    7 BASICBLOCK -> 2
          x := x + 3.0
   20 BRANCH n > 0 -> 2 [1], 11 [0]
   11 BRANCH m > 0 -> 10 [1], 12 [0]
    8 BASICBLOCK -> 9
          x := x + 4.0
   10 BASICBLOCK -> 9
          x := x + 5.0
   12 BASICBLOCK -> 9
          x := x + 6.0
    9 EXIT
   21 ENDLOOP -> 3
",
    ),
    (
        "structured with exits: the edge 3 -> 10 leaves the loop of BASICBLOCK 2 elsewhere than at its test",
        "
    1 ENTRY -> 20
    2 BASICBLOCK -> 3
          x := x + 1.0
    3 BRANCH m > 0 -> 10 [1], 4 [0]
    4 BASICBLOCK -> 5
          x := x + 2.0
    5 BRANCH x < 9.0 -> 2 [1], 8 [0]
    20 BRANCH n > 0 -> 2 [1], 11 [0]
    11 BRANCH m > 0 -> 10 [1], 12 [0]
    8 BASICBLOCK -> 9
          x := x + 4.0
    10 BASICBLOCK -> 9
          x := x + 5.0
    12 BASICBLOCK -> 9
          x := x + 6.0
    9 EXIT
",
        "
    1 ENTRY -> 20
    2 BASICBLOCK -> 3
          x := x + 1.0
    3 BRANCH m > 0 -> 10 [1], 4 [0]
    4 BASICBLOCK -> 5
          x := x + 2.0
    5 BRANCH x < 9.0 -> 2 [1], 8 [0]
   20 BRANCH n > 0 -> 2 [1], 11 [0]
   11 BRANCH m > 0 -> 10 [1], 12 [0]
    8 BASICBLOCK -> 9
          x := x + 4.0
   10 BASICBLOCK -> 9
          x := x + 5.0
   12 BASICBLOCK -> 9
          x := x + 6.0
    9 EXIT
",
    ),
    (
        "reducible: BASICBLOCK 10 is entered from several places that are not the arms of one branch",
        "
    1 ENTRY -> 20
    2 BASICBLOCK -> 3
          x := x + 1.0
    3 BRANCH m > 0 -> 8 [1], 4 [0]
    4 BASICBLOCK -> 5
          x := x + 2.0
    5 BRANCH x < 9.0 -> 2 [1], 10 [0]
    20 BRANCH n > 0 -> 2 [1], 11 [0]
    11 BRANCH m > 0 -> 10 [1], 12 [0]
    8 BASICBLOCK -> 9
          x := x + 4.0
    10 BASICBLOCK -> 9
          x := x + 5.0
    12 BASICBLOCK -> 9
          x := x + 6.0
    9 EXIT
",
        "
    1 ENTRY -> 20
    2 BASICBLOCK -> 3
          x := x + 1.0
    3 BRANCH m > 0 -> 8 [1], 4 [0]
    4 BASICBLOCK -> 5
          x := x + 2.0
    5 BRANCH x < 9.0 -> 2 [1], 10 [0]
   20 BRANCH n > 0 -> 2 [1], 11 [0]
   11 BRANCH m > 0 -> 10 [1], 12 [0]
    8 BASICBLOCK -> 9
          x := x + 4.0
   10 BASICBLOCK -> 9
          x := x + 5.0
   12 BASICBLOCK -> 9
          x := x + 6.0
    9 EXIT
",
    ),
    (
        "structured with exits: the edge 3 -> 8 leaves the loop of BASICBLOCK 2 elsewhere than at its test",
        "
    1 ENTRY -> 20
    2 BASICBLOCK -> 3
          x := x + 1.0
    3 BRANCH m > 0 -> 8 [1], 4 [0]
    4 BASICBLOCK -> 5
          x := x + 2.0
    5 BRANCH x > 9.0 -> 10 [1], 7 [0]
    7 BASICBLOCK -> 2
          x := x + 3.0
    20 BRANCH n > 0 -> 2 [1], 11 [0]
    11 BRANCH m > 0 -> 10 [1], 12 [0]
    8 BASICBLOCK -> 9
          x := x + 4.0
    10 BASICBLOCK -> 9
          x := x + 5.0
    12 BASICBLOCK -> 9
          x := x + 6.0
    9 EXIT
",
        "
    1 ENTRY -> 20
    2 BASICBLOCK -> 3
          x := x + 1.0
    3 BRANCH m > 0 -> 8 [1], 4 [0]
    4 BASICBLOCK -> 5
          x := x + 2.0
    5 BRANCH x > 9.0 -> 10 [1], 7 [0]
    7 BASICBLOCK -> 2
          x := x + 3.0
   20 BRANCH n > 0 -> 2 [1], 11 [0]
   11 BRANCH m > 0 -> 10 [1], 12 [0]
    8 BASICBLOCK -> 9
          x := x + 4.0
   10 BASICBLOCK -> 9
          x := x + 5.0
   12 BASICBLOCK -> 9
          x := x + 6.0
    9 EXIT
",
    ),
    (
        "reducible: BASICBLOCK 10 is entered from several places that are not the arms of one branch",
        "
    1 ENTRY -> 20
    2 BASICBLOCK -> 3
          x := x + 1.0
    3 BRANCH m > 0 -> 10 [1], 4 [0]
    4 BASICBLOCK -> 5
          x := x + 2.0
    5 BRANCH x > 9.0 -> 8 [1], 7 [0]
    7 BASICBLOCK -> 2
          x := x + 3.0
    20 BRANCH n > 0 -> 2 [1], 11 [0]
    11 BRANCH m > 0 -> 10 [1], 12 [0]
    8 BASICBLOCK -> 9
          x := x + 4.0
    10 BASICBLOCK -> 9
          x := x + 5.0
    12 BASICBLOCK -> 9
          x := x + 6.0
    9 EXIT
",
        "
    1 ENTRY -> 20
    2 BASICBLOCK -> 3
          x := x + 1.0
    3 BRANCH m > 0 -> 10 [1], 4 [0]
    4 BASICBLOCK -> 5
          x := x + 2.0
    5 BRANCH x > 9.0 -> 8 [1], 7 [0]
    7 BASICBLOCK -> 2
          x := x + 3.0
   20 BRANCH n > 0 -> 2 [1], 11 [0]
   11 BRANCH m > 0 -> 10 [1], 12 [0]
    8 BASICBLOCK -> 9
          x := x + 4.0
   10 BASICBLOCK -> 9
          x := x + 5.0
   12 BASICBLOCK -> 9
          x := x + 6.0
    9 EXIT
",
    ),
    (
        "structured with exits: the edge 5 -> 10 leaves the loop of BRANCH 2 elsewhere than at its test",
        "
    1 ENTRY -> 20
    2 BRANCH x > 9.0 -> 8 [1], 4 [0]
    4 BASICBLOCK -> 5
          x := x + 2.0
    5 BRANCH m > 0 -> 10 [1], 2 [0]
    20 BRANCH n > 0 -> 2 [1], 11 [0]
    11 BRANCH m > 0 -> 10 [1], 12 [0]
    8 BASICBLOCK -> 9
          x := x + 4.0
    10 BASICBLOCK -> 9
          x := x + 5.0
    12 BASICBLOCK -> 9
          x := x + 6.0
    9 EXIT
",
        "
    1 ENTRY -> 20
    2 LOOP while not x > 9.0 -> 8, 4 [1]
    4 BASICBLOCK -> 5
          x := x + 2.0
    5 BRANCH m > 0 -> 10 [1], 21 [0]
   20 BRANCH n > 0 -> 2 [1], 11 [0]
   11 BRANCH m > 0 -> 10 [1], 12 [0]
    8 BASICBLOCK -> 9
          x := x + 4.0
   10 BASICBLOCK -> 9
          x := x + 5.0
   12 BASICBLOCK -> 9
          x := x + 6.0
    9 EXIT
   21 ENDLOOP -> 2
",
    ),
    (
        "reducible: BASICBLOCK 10 is entered from several places that are not the arms of one branch",
        "
    1 ENTRY -> 20
    2 BRANCH x > 9.0 -> 10 [1], 4 [0]
    4 BASICBLOCK -> 5
          x := x + 2.0
    5 BRANCH m > 0 -> 8 [1], 2 [0]
    20 BRANCH n > 0 -> 2 [1], 11 [0]
    11 BRANCH m > 0 -> 10 [1], 12 [0]
    8 BASICBLOCK -> 9
          x := x + 4.0
    10 BASICBLOCK -> 9
          x := x + 5.0
    12 BASICBLOCK -> 9
          x := x + 6.0
    9 EXIT
",
        "
    1 ENTRY -> 20
    2 LOOP while not x > 9.0 -> 10, 4 [1]
    4 BASICBLOCK -> 5
          x := x + 2.0
    5 BRANCH m > 0 -> 8 [1], 21 [0]
   20 BRANCH n > 0 -> 2 [1], 11 [0]
   11 BRANCH m > 0 -> 10 [1], 12 [0]
    8 BASICBLOCK -> 9
          x := x + 4.0
   10 BASICBLOCK -> 9
          x := x + 5.0
   12 BASICBLOCK -> 9
          x := x + 6.0
    9 EXIT
   21 ENDLOOP -> 2
",
    ),
    (
        "structured",
        "
    1 ENTRY -> 20
    2 BRANCH x > 9.0 -> 8 [1], 2 [0]
    20 BRANCH n > 0 -> 2 [1], 11 [0]
    11 BRANCH m > 0 -> 10 [1], 12 [0]
    8 BASICBLOCK -> 9
          x := x + 4.0
    10 BASICBLOCK -> 9
          x := x + 5.0
    12 BASICBLOCK -> 9
          x := x + 6.0
    9 EXIT
",
        "
  @20 if n > 0
    @2 while not x > 9.0
    @21 end
    @8
    x := x + 4.0
  else
    @11 if m > 0
      @10
      x := x + 5.0
    else
      @12
      x := x + 6.0
    @22 end
  end
  @9 exit
",
    ),
    (
        "structured with exits: the edge 3 -> 5 leaves the loop of BRANCH 2 elsewhere than at its test",
        "
    1 ENTRY -> 2
    2 BRANCH x < 9.0 -> 3 [1], 5 [0]
    3 BRANCH m > 0 -> 5 [1], 4 [0]
    4 BASICBLOCK -> 2
          x := x + 1.0
    5 BASICBLOCK -> 6
          x := x + 2.0
    6 BRANCH x < 19.0 -> 5 [1], 7 [0]
    7 EXIT
",
        "
    1 ENTRY -> 2
    2 LOOP while x < 9.0 -> 3 [1], 8
    3 BRANCH m > 0 -> 8 [1], 4 [0]
    4 BASICBLOCK -> 9
          x := x + 1.0
    5 BASICBLOCK -> 6
          x := x + 2.0
    6 ENDLOOP -> 8
    7 EXIT
    8 LOOP again while x < 19.0 -> 7, 5 [1]
    9 ENDLOOP -> 2
",
    ),
    (
        "structured with exits: the edge 3 -> 5 leaves the loop of BRANCH 2 elsewhere than at its test",
        "
    1 ENTRY -> 2
    2 BRANCH x < 9.0 -> 3 [1], 5 [0]
    3 BRANCH m > 0 -> 5 [1], 4 [0]
    4 BASICBLOCK -> 2
          x := x + 1.0
    5 BRANCH x < 19.0 -> 6 [1], 7 [0]
    6 BASICBLOCK -> 5
          x := x + 2.0
    7 EXIT
",
        "
    1 ENTRY -> 2
    2 LOOP while x < 9.0 -> 3 [1], 5
    3 BRANCH m > 0 -> 5 [1], 4 [0]
    4 BASICBLOCK -> 9
          x := x + 1.0
    5 LOOP while x < 19.0 -> 6 [1], 7
    6 BASICBLOCK -> 8
          x := x + 2.0
    7 EXIT
    8 ENDLOOP -> 5
    9 ENDLOOP -> 2
",
    ),
    (
        "structured with exits: the edge 4 -> 6 leaves the loop of BASICBLOCK 3 elsewhere than at its test",
        "
    1 ENTRY -> 2
    2 BASICBLOCK -> 3
          x := x + 1.0
    3 BASICBLOCK -> 4
          x := x + 2.0
    4 BRANCH m > 0 -> 6 [1], 5 [0]
    5 BRANCH x < 9.0 -> 3 [1], 6 [0]
    6 BRANCH x < 19.0 -> 2 [1], 7 [0]
    7 EXIT
",
        STAYS,
    ),
    (
        "structured with exits: the edge 4 -> 7 leaves the loop of BASICBLOCK 3 elsewhere than at its test",
        "
    1 ENTRY -> 2
    2 BASICBLOCK -> 3
          x := x + 1.0
    3 BASICBLOCK -> 4
          x := x + 2.0
    4 BRANCH m > 0 -> 7 [1], 5 [0]
    5 BRANCH x < 9.0 -> 3 [1], 6 [0]
    6 BRANCH x < 19.0 -> 2 [1], 7 [0]
    7 EXIT
",
        STAYS,
    ),
    (
        "structured with exits: the edge 4 -> 2 leaves the loop of BRANCH 3 elsewhere than at its test",
        "
    1 ENTRY -> 2
    2 BRANCH x < 19.0 -> 3 [1], 7 [0]
    3 BRANCH x < 9.0 -> 4 [1], 6 [0]
    4 BRANCH m > 0 -> 2 [1], 5 [0]
    5 BASICBLOCK -> 3
          x := x + 1.0
    6 BASICBLOCK -> 2
          x := x + 2.0
    7 EXIT
",
        "
    1 ENTRY -> 2
    2 LOOP while x < 19.0 -> 3 [1], 7
    3 LOOP while x < 9.0 -> 4 [1], 6
    4 BRANCH m > 0 -> 8 [1], 5 [0]
    5 BASICBLOCK -> 9
          x := x + 1.0
    6 BASICBLOCK -> 8
          x := x + 2.0
    7 EXIT
    8 ENDLOOP -> 2
    9 ENDLOOP -> 3
",
    ),
    (
        "structured",
        "
    1 ENTRY -> 2
    2 BASICBLOCK -> 3
          x := x + 1.0
    3 BRANCH select n: [1] 1; [2] 2; [0] default -> 4 [1], 5 [2], 6 [0]
    4 BASICBLOCK -> 7
          x := x + 2.0
    5 BASICBLOCK -> 7
          x := x + 3.0
    6 BASICBLOCK -> 7
    7 BRANCH x < 9.0 -> 2 [1], 8 [0]
    8 EXIT
",
        "
  @10 do
    @2
    x := x + 1.0
    select n
    case 1
      x := x + 2.0
    case 2
      x := x + 3.0
    case default label 0
      @6
    @9 end
  @7 end while x < 9.0
",
    ),
];

/// The graphs with LOOPs and ends already, some of them without the other.
const TYPED: &[Case] = &[
    (
        "structured",
        "
    1 ENTRY -> 2
    2 LOOP again while x < 9.0 -> 3 [1], 6
    3 BRANCH n > 0 -> 4 [1], 5 [0]
    4 BASICBLOCK -> 5
          x := x + 1.0
    5 ENDLOOP -> 2
    6 EXIT
",
        "
  do
    if n > 0
      x := x + 1.0
    @7 end
  @5 end while x < 9.0
",
    ),
    (
        "structured",
        "
    1 ENTRY -> 2
    2 LOOP again while x < 9.0 -> 8 [1], 6
    8 BASICBLOCK -> 3
          x := x + 2.0
    3 BRANCH n > 0 -> 4 [1], 5 [0]
    4 BASICBLOCK -> 5
          x := x + 1.0
    5 ENDLOOP -> 2
    6 EXIT
",
        "
  do
    @8
    x := x + 2.0
    @3 if n > 0
      x := x + 1.0
    @9 end
  @5 end while x < 9.0
",
    ),
    (
        "structured",
        "
    1 ENTRY -> 2
    2 LOOP again while x < 9.0 -> 8 [1], 6
    8 BASICBLOCK -> 3
          x := x + 2.0
    3 BRANCH n > 0 -> 4 [1], 5 [0]
    4 BASICBLOCK -> 7
          x := x + 1.0
    7 ENDLOOP -> 2
    5 ENDLOOP -> 2
    6 EXIT
",
        "
  do
    @8
    x := x + 2.0
    @3 if n > 0
      x := x + 1.0
      @7
    else
      @5
    @10 end
  @9 end while x < 9.0
  @6 exit
",
    ),
    (
        "structured",
        "
    1 ENTRY -> 2
    2 LOOP again while x < 9.0 -> 8 [1], 6
    8 BASICBLOCK -> 3
          x := x + 2.0
    3 BRANCH n > 0 -> 4 [1], 5 [0]
    4 BASICBLOCK -> 7
          x := x + 1.0
    5 BASICBLOCK -> 7
          x := x + 3.0
    6 BASICBLOCK -> 7
          x := x + 4.0
    7 EXIT
",
        "
  @2
  @8
  x := x + 2.0
  @3 if n > 0
    x := x + 1.0
  else
    x := x + 3.0
  @9 end
  @7 exit
",
    ),
    (
        "reducible: BASICBLOCK 6 is entered from several places that are not the arms of one branch",
        "
    1 ENTRY -> 2
    2 LOOP again while x < 9.0 -> 8 [1], 6
    8 BASICBLOCK -> 3
          x := x + 2.0
    3 BRANCH n > 0 -> 4 [1], 6 [0]
    4 BASICBLOCK -> 7
          x := x + 1.0
    6 BASICBLOCK -> 7
          x := x + 4.0
    7 EXIT
",
        "
  @2
  @8
  x := x + 2.0
  @3 if n > 0
    x := x + 1.0
  else
    @6
    x := x + 4.0
  @9 end
  @7 exit
",
    ),
    (
        "structured",
        "
    1 ENTRY -> 2
    2 LOOP while x < 9.0 -> 3 [1], 6
    3 BRANCH n > 0 -> 6 [1], 5 [0]
    5 BASICBLOCK -> 6
          x := x + 2.0
    6 BASICBLOCK -> 7
          x := x + 4.0
    7 EXIT
",
        "
  if x < 9.0
    if n > 0
    else
      @5
      x := x + 2.0
    @8 end
  end
  @6
  x := x + 4.0
",
    ),
    (
        "structured",
        "
    1 ENTRY -> 2
    2 LOOP i = 1, n -> 3 [1], 6
    3 BRANCH n > 4 -> 6 [1], 5 [0]
    5 BASICBLOCK -> 6
          x := x + 2.0
    6 BASICBLOCK -> 7
          x := x + 4.0
    7 EXIT
",
        "
  local integer i, j, left, by, left_2
  @8
  left_2 := trips(1, n, 1)
  i := 1
  @2 if left_2 > 0
    if n > 4
    else
      @5
      x := x + 2.0
    @9 end
  end
  @6
  x := x + 4.0
",
    ),
    (
        "structured with exits: the edge 3 -> 6 leaves the loop of LOOP 2 elsewhere than at its test",
        "
    1 ENTRY -> 2
    2 LOOP i = 1, n -> 3 [1], 6
    3 BRANCH x > 4.0 -> 6 [1], 5 [0]
    5 BASICBLOCK -> 8
          x := x + 2.0
    8 ENDLOOP -> 2
    6 BASICBLOCK -> 7
          x := x + 4.0
    7 EXIT
",
        "
    1 ENTRY -> 9
    2 LOOP i = 1, n -> 3 [1], 6
    3 BRANCH x > 4.0 -> 6 [1], 5 [0]
    5 BASICBLOCK -> 8
          x := x + 2.0
    8 BASICBLOCK -> 10
    6 BASICBLOCK -> 7
          x := x + 4.0
    7 EXIT
    9 BASICBLOCK -> 2
   10 ENDLOOP -> 2
",
    ),
    (
        "structured",
        "
    1 ENTRY -> 8
    8 BASICBLOCK -> 2
          i := m
    2 LOOP i = i, n -> 3 [1], 6
    3 BRANCH x > 4.0 -> 9 [1], 5 [0]
    5 BASICBLOCK -> 9
          x := x + 2.0
    9 ENDLOOP -> 2
    6 BASICBLOCK -> 7
          x := x + 4.0
    7 EXIT
",
        "
  @8
  @2 for i = m, n
    if x > 4.0
    else
      @5
      x := x + 2.0
    @10 end
    @9
  @11 end
  @6
  x := x + 4.0
",
    ),
    (
        "structured",
        "
    1 ENTRY -> 8
    8 BASICBLOCK -> 2
          i := m
    2 LOOP i = i, n, m + 1 -> 3 [1], 6
    3 BRANCH x > 4.0 -> 9 [1], 5 [0]
    5 BASICBLOCK -> 9
          x := x + 2.0
    9 ENDLOOP -> 2
    6 BASICBLOCK -> 7
          x := x + 4.0
    7 EXIT
",
        "
  @8
  i := m
  @10
  @2 for i = i, n, m + 1
    if x > 4.0
    else
      @5
      x := x + 2.0
    @11 end
    @9
  @12 end
  @6
  x := x + 4.0
",
    ),
    (
        "structured with exits: the edge 3 -> 6 leaves the loop of LOOP 2 elsewhere than at its test",
        "
    1 ENTRY -> 8
    8 BASICBLOCK -> 2
          j := n
    2 LOOP i = 1, j, m + 1 -> 3 [1], 6
    3 BRANCH x > 4.0 -> 6 [1], 5 [0]
    5 BASICBLOCK -> 9
          x := x + 2.0
          j := j - 1
    9 ENDLOOP -> 2
    6 BASICBLOCK -> 7
          x := x + 4.0
    7 EXIT
",
        "
    1 ENTRY -> 8
    8 BASICBLOCK -> 10
          j := n
    2 LOOP i = 1, j, m + 1 -> 3 [1], 6
    3 BRANCH x > 4.0 -> 6 [1], 5 [0]
    5 BASICBLOCK -> 9
          x := x + 2.0
          j := j - 1
    9 BASICBLOCK -> 11
    6 BASICBLOCK -> 7
          x := x + 4.0
    7 EXIT
   10 BASICBLOCK -> 2
   11 ENDLOOP -> 2
",
    ),
    (
        "structured",
        "
    1 ENTRY -> 2
    2 LOOP i = 1, n -> 3 [1], 6
    3 BRANCH x > 4.0 -> 8 [1], 5 [0]
    5 BASICBLOCK -> 9
          x := x + 2.0
    8 ENDLOOP -> 2
    9 ENDLOOP -> 2
    6 BASICBLOCK -> 7
          x := x + 4.0
    7 EXIT
",
        "
  @10
  @2 for i = 1, n
    if x > 4.0
      @8
    else
      @5
      x := x + 2.0
      @9
    @12 end
    @11
  @13 end
  @6
  x := x + 4.0
",
    ),
    (
        "reducible: EXIT 7 is entered from several places that are not the arms of one branch",
        "
    1 ENTRY -> 2
    2 BRANCH n > 0 -> 3 [1], 4 [0]
    3 BASICBLOCK -> 5
          x := x + 1.0
    4 BRANCH m > 0 -> 5 [1], 9 [0]
    5 LOOP i = 1, n -> 6 [1], 7
    6 BASICBLOCK -> 8
          x := x + 2.0
    8 ENDLOOP -> 5
    9 BASICBLOCK -> 7
          x := x + 4.0
    7 EXIT
",
        "
    1 ENTRY -> 2
    2 BRANCH n > 0 -> 3 [1], 4 [0]
    3 BASICBLOCK -> 10
          x := x + 1.0
    4 BRANCH m > 0 -> 10 [1], 9 [0]
    5 LOOP i = 1, n -> 6 [1], 7
    6 BASICBLOCK -> 8
          x := x + 2.0
    8 BASICBLOCK -> 11
    9 BASICBLOCK -> 7
          x := x + 4.0
    7 EXIT
   10 BASICBLOCK -> 5
   11 ENDLOOP -> 5
",
    ),
    (
        "reducible: ENDBRANCH 4 is entered from several places that are not the arms of one branch",
        "
    1 ENTRY -> 2
    2 BRANCH n > 0 -> 3 [1], 4 [0]
    3 BRANCH m > 0 -> 5 [1], 4 [0]
    4 ENDBRANCH -> 6
    5 BASICBLOCK -> 6
          x := x + 1.0
    6 EXIT
",
        "
    1 ENTRY -> 2
    2 BRANCH n > 0 -> 3 [1], 4 [0]
    3 BRANCH m > 0 -> 5 [1], 4 [0]
    4 BASICBLOCK -> 6
    5 BASICBLOCK -> 6
          x := x + 1.0
    6 EXIT
",
    ),
];

/// The loops over an index, and such that are none.
const INDICES: &[Case] = &[
    (
        "structured",
        "
    1 ENTRY -> 2
    2 BASICBLOCK -> 3
          x := x + 1.0
          i := 1
    3 BASICBLOCK -> 4
    4 BRANCH i <= n -> 5 [1], 6 [0]
    5 BASICBLOCK -> 4
          x := x + 2.0
          i := i + 1
    6 EXIT
",
        "
  x := x + 1.0
  @3
  for i = 1, n
    x := x + 2.0
  @7 end
  @6 exit
",
    ),
    (
        "structured",
        "
    1 ENTRY -> 2
    2 BASICBLOCK -> 4
          i := 1
          j := 5
    4 BRANCH i <= n -> 5 [1], 6 [0]
    5 BASICBLOCK -> 4
          x := x + 2.0
          i := i + 1
    6 EXIT
",
        "
  i := 1
  j := 5
  @4 for i = i, n
    x := x + 2.0
  @7 end
  @6 exit
",
    ),
    (
        "structured",
        "
    1 ENTRY -> 2
    2 BASICBLOCK -> 3
          i := 1
    3 BRANCH m > 0 -> 4 [1], 7 [0]
    4 BRANCH i <= n -> 5 [1], 7 [0]
    5 BASICBLOCK -> 4
          x := x + 2.0
          i := i + 1
    7 BASICBLOCK -> 8
          x := x + i
    8 EXIT
",
        "
  i := 1
  if m > 0
    for i = i, n
      x := x + 2.0
    @9 end
  end
  @7
  x := x + i
",
    ),
    (
        "structured",
        "
    1 ENTRY -> 2
    2 BASICBLOCK -> 3
          i := 1
    3 BRANCH m > 0 -> 9 [1], 4 [0]
    9 BASICBLOCK -> 4
          x := x + 3.0
    4 BRANCH i <= n -> 5 [1], 7 [0]
    5 BASICBLOCK -> 4
          x := x + 2.0
          i := i + 1
    7 EXIT
",
        "
  i := 1
  if m > 0
    @9
    x := x + 3.0
  @11 end
  @4 for i = i, n
    x := x + 2.0
  @10 end
  @7 exit
",
    ),
    (
        "structured",
        "
    1 ENTRY -> 2
    2 BASICBLOCK -> 3
          i := 1
    3 BASICBLOCK -> 4
          x := x + 2.0
    4 BRANCH i <= n -> 5 [1], 7 [0]
    5 BASICBLOCK -> 4
          x := x + 2.0
          i := i + 1
    7 EXIT
",
        "
  i := 1
  @3
  x := x + 2.0
  for i = i, n
    x := x + 2.0
  @8 end
  @7 exit
",
    ),
    (
        "structured",
        "
    1 ENTRY -> 4
    4 BRANCH n <= m -> 5 [1], 7 [0]
    5 BASICBLOCK -> 4
          x := x + 2.0
          i := i + 1
    7 EXIT
",
        "
  @4 while n <= m
    x := x + 2.0
    i := i + 1
  @8 end
  @7 exit
",
    ),
    (
        "reducible: EXIT 7 is entered from several places that are not the arms of one branch",
        "
    1 ENTRY -> 2
    2 BRANCH n > 0 -> 3 [1], 4 [0]
    3 BASICBLOCK -> 5
          i := 1
    4 BASICBLOCK -> 8
          i := 2
    8 BRANCH m > 0 -> 5 [1], 9 [0]
    5 BRANCH i <= n -> 6 [1], 7 [0]
    6 BASICBLOCK -> 5
          x := x + 2.0
          i := i + 1
    9 BASICBLOCK -> 7
          x := x + 4.0
    7 EXIT
",
        "
    1 ENTRY -> 2
    2 BRANCH n > 0 -> 3 [1], 4 [0]
    3 BASICBLOCK -> 5
          i := 1
    4 BASICBLOCK -> 8
          i := 2
    8 BRANCH m > 0 -> 5 [1], 9 [0]
    5 LOOP i = i, n -> 6 [1], 7
    6 BASICBLOCK -> 10
          x := x + 2.0
    9 BASICBLOCK -> 7
          x := x + 4.0
    7 EXIT
   10 ENDLOOP -> 5
",
    ),
    (
        "reducible: BASICBLOCK 10 is entered from several places that are not the arms of one branch",
        "
    1 ENTRY -> 2
    2 BRANCH n > 0 -> 3 [1], 4 [0]
    3 BASICBLOCK -> 10
          i := 1
    4 BASICBLOCK -> 8
          i := 2
    8 BRANCH m > 0 -> 10 [1], 9 [0]
    10 BASICBLOCK -> 5
    5 BRANCH i <= n -> 6 [1], 7 [0]
    6 BASICBLOCK -> 5
          x := x + 2.0
          i := i + 1
    9 BASICBLOCK -> 7
          x := x + 4.0
    7 EXIT
",
        "
    1 ENTRY -> 2
    2 BRANCH n > 0 -> 3 [1], 4 [0]
    3 BASICBLOCK -> 10
          i := 1
    4 BASICBLOCK -> 8
          i := 2
    8 BRANCH m > 0 -> 10 [1], 9 [0]
   10 BASICBLOCK -> 5
    5 LOOP i = i, n -> 6 [1], 7
    6 BASICBLOCK -> 11
          x := x + 2.0
    9 BASICBLOCK -> 7
          x := x + 4.0
    7 EXIT
   11 ENDLOOP -> 5
",
    ),
    (
        "reducible: BASICBLOCK 10 is entered from several places that are not the arms of one branch",
        "
    1 ENTRY -> 2
    2 BRANCH n > 0 -> 10 [1], 4 [0]
    4 BRANCH m > 0 -> 10 [1], 9 [0]
    10 BASICBLOCK -> 5
          i := 1
    5 BRANCH i <= n -> 6 [1], 7 [0]
    6 BASICBLOCK -> 5
          x := x + 2.0
          i := i + 1
    9 BASICBLOCK -> 7
          x := x + 4.0
    7 EXIT
",
        "
    1 ENTRY -> 2
    2 BRANCH n > 0 -> 10 [1], 4 [0]
    4 BRANCH m > 0 -> 10 [1], 9 [0]
   10 BASICBLOCK -> 5
    5 LOOP i = 1, n -> 6 [1], 7
    6 BASICBLOCK -> 11
          x := x + 2.0
    9 BASICBLOCK -> 7
          x := x + 4.0
    7 EXIT
   11 ENDLOOP -> 5
",
    ),
    (
        "structured with exits: the edge 4 -> 6 leaves the loop of BRANCH 3 elsewhere than at its test",
        "
    1 ENTRY -> 2
    2 BASICBLOCK -> 3
          i := 1
    3 BRANCH i <= n -> 4 [1], 6 [0]
    4 BRANCH x > 9.0 -> 6 [1], 5 [0]
    5 BASICBLOCK -> 3
          x := x + 2.0
          i := i + 1
    6 BASICBLOCK -> 7
          x := x + i
    7 EXIT
",
        "
    1 ENTRY -> 2
    2 BASICBLOCK -> 3
    3 LOOP i = 1, n -> 4 [1], 6
    4 BRANCH x > 9.0 -> 6 [1], 5 [0]
    5 BASICBLOCK -> 8
          x := x + 2.0
    6 BASICBLOCK -> 7
          x := x + i
    7 EXIT
    8 ENDLOOP -> 3
",
    ),
    (
        "structured",
        "
    1 ENTRY -> 2
    2 BASICBLOCK -> 3
          i := 1
    3 BRANCH i <= n -> 4 [1], 6 [0]
    4 BRANCH x > 9.0 -> 8 [1], 5 [0]
    5 BASICBLOCK -> 8
          x := x + 2.0
    8 BASICBLOCK -> 3
          i := i + 1
    6 BASICBLOCK -> 7
          x := x + i
    7 EXIT
",
        "
  @2
  for i = 1, n
    if x > 9.0
    else
      x := x + 2.0
    @9 end
    @8
  @10 end
  @6
  x := x + i
",
    ),
    (
        "structured",
        "
    1 ENTRY -> 2
    2 BASICBLOCK -> 3
          i := 1
    3 BRANCH i <= n -> 4 [1], 6 [0]
    4 BASICBLOCK -> 5
          x := x + 2.0
          i := i + 1
    5 BASICBLOCK -> 7
    7 BASICBLOCK -> 3
    6 EXIT
",
        "
  @2
  for i = 1, n
    x := x + 2.0
    @5
  @7 end
  @6 exit
",
    ),
    (
        "structured",
        "
    1 ENTRY -> 2
    2 BASICBLOCK -> 3
          i := 1
    3 BRANCH i <= n -> 4 [1], 6 [0]
    4 BASICBLOCK -> 5
          x := x + 2.0
          i := i + 1
    5 BRANCH x > 9.0 -> 7 [1], 8 [0]
    7 BASICBLOCK -> 8
          x := x + 3.0
    8 BASICBLOCK -> 3
    6 EXIT
",
        "
  i := 1
  while i <= n
    x := x + 2.0
    i := i + 1
    if x > 9.0
      @7
      x := x + 3.0
    end
  end
  @6 exit
",
    ),
    (
        "structured",
        "
    1 ENTRY -> 2
    2 BASICBLOCK -> 3
          i := 1
    3 BRANCH i <= n -> 5 [1], 6 [0]
    5 BRANCH x > 9.0 -> 7 [1], 8 [0]
    7 BASICBLOCK -> 8
          x := x + 3.0
    8 BASICBLOCK -> 3
          i := i + 1
    6 EXIT
",
        "
  @2
  for i = 1, n
    @5 if x > 9.0
      @7
      x := x + 3.0
    @9 end
    @8
  @10 end
  @6 exit
",
    ),
    (
        "structured",
        "
    1 ENTRY -> 2
    2 BASICBLOCK -> 3
          i := 1
    3 BRANCH i <= n -> 4 [1], 6 [0]
    4 BRANCH x > 9.0 -> 5 [1], 8 [0]
    5 BASICBLOCK -> 8
          i := i + 2
    8 BASICBLOCK -> 3
          x := x + 1.0
          i := i + 1
    6 EXIT
",
        "
  i := 1
  while i <= n
    if x > 9.0
      i := i + 2
    @9 end
    @8
    x := x + 1.0
    i := i + 1
  @10 end
  @6 exit
",
    ),
    (
        "structured",
        "
    1 ENTRY -> 2
    2 BASICBLOCK -> 3
          i := 1
    3 BRANCH i <= n -> 4 [1], 6 [0]
    4 BRANCH x > 9.0 -> 9 [1], 8 [0]
    8 BASICBLOCK -> 3
          x := x + 1.0
          i := i + 1
    9 BASICBLOCK -> 8
          i := i + 2
    6 EXIT
",
        "
  i := 1
  while i <= n
    if x > 9.0
      @9
      i := i + 2
    end
    @8
    x := x + 1.0
    i := i + 1
  @11 end
  @6 exit
",
    ),
    (
        "structured",
        "
    1 ENTRY -> 2
    2 BASICBLOCK -> 3
          j := n
          i := 1
    3 BRANCH i <= j -> 4 [1], 6 [0]
    4 BASICBLOCK -> 3
          j := j - 1
          x := x + 1.0
          i := i + 1
    6 EXIT
",
        "
  j := n
  i := 1
  while i <= j
    j := j - 1
    x := x + 1.0
    i := i + 1
  @7 end
  @6 exit
",
    ),
    (
        "structured",
        "
    1 ENTRY -> 2
    2 BASICBLOCK -> 3
          i := 1
    3 BRANCH i <= i + m - 1 -> 4 [1], 6 [0]
    4 BASICBLOCK -> 3
          x := x + 1.0
          i := i + 1
    6 EXIT
",
        "
  i := 1
  while i <= i + m - 1
    x := x + 1.0
    i := i + 1
  @7 end
  @6 exit
",
    ),
    (
        "structured",
        "
    1 ENTRY -> 2
    2 BASICBLOCK -> 3
          i := 1
    3 BRANCH i <= n -> 4 [1], 6 [0]
    4 BASICBLOCK -> 3
          i := i + 1
          x := x + 1.0
    6 EXIT
",
        "
  i := 1
  while i <= n
    i := i + 1
    x := x + 1.0
  @7 end
  @6 exit
",
    ),
    (
        "structured",
        "
    1 ENTRY -> 2
    2 BASICBLOCK -> 3
          i := 1
    3 BRANCH i <= n -> 4 [1], 5 [0]
    4 BASICBLOCK -> 3
          x := x + 1.0
          i := i + 1
    5 BASICBLOCK -> 6
          i := 1
    6 BRANCH i <= m -> 7 [1], 8 [0]
    7 BASICBLOCK -> 6
          x := x + 2.0
          i := i + 1
    8 EXIT
",
        "
  @2
  for i = 1, n
    x := x + 1.0
  @10 end
  @5
  for i = 1, m
    x := x + 2.0
  @9 end
  @8 exit
",
    ),
    (
        "structured",
        "
    1 ENTRY -> 2
    2 BASICBLOCK -> 3
          i := 1
    3 BRANCH i <= n -> 4 [1], 8 [0]
    4 BASICBLOCK -> 5
          j := i
    5 BRANCH j <= m -> 6 [1], 7 [0]
    6 BASICBLOCK -> 5
          x := x + 1.0
          j := j + 2
    7 BASICBLOCK -> 3
          x := x + 2.0
          i := i + 1
    8 EXIT
",
        "
  @2
  for i = 1, n
    @4
    for j = i, m, 2
      x := x + 1.0
    @9 end
    @7
    x := x + 2.0
  @10 end
  @8 exit
",
    ),
    (
        "structured",
        "
    1 ENTRY -> 2
    2 BASICBLOCK -> 3
          i := 1
    3 BRANCH i <= n -> 4 [1], 8 [0]
    4 BASICBLOCK -> 5
          i := 1
    5 BRANCH i <= m -> 6 [1], 7 [0]
    6 BASICBLOCK -> 5
          x := x + 1.0
          i := i + 2
    7 BASICBLOCK -> 3
          x := x + 2.0
          i := i + 1
    8 EXIT
",
        "
  i := 1
  while i <= n
    @4
    for i = 1, m, 2
      x := x + 1.0
    @9 end
    @7
    x := x + 2.0
    i := i + 1
  @10 end
  @8 exit
",
    ),
    (
        "structured",
        "
    1 ENTRY -> 2
    2 BASICBLOCK -> 3
          i := 1
    3 BRANCH i <= n -> 4 [1], 9 [0]
    4 BASICBLOCK -> 5
          j := m
    5 BRANCH j < i -> 6 [1], 7 [0]
    6 BASICBLOCK -> 5
          x := x + 1.0
          j := j + 1
    7 BASICBLOCK -> 3
          x := x + 2.0
          i := i + 1
    9 BASICBLOCK -> 10
          j := m
    10 BRANCH j < i -> 11 [1], 12 [0]
    11 BASICBLOCK -> 10
          x := x + 3.0
          j := j + 1
    12 EXIT
",
        "
  @2
  for i = 1, n
    @4
    for j = m, i - 1
      x := x + 1.0
    @13 end
    @7
    x := x + 2.0
  @15 end
  @9
  j := m
  while j < i
    x := x + 3.0
    j := j + 1
  @14 end
  @12 exit
",
    ),
    (
        "structured",
        "
    1 ENTRY -> 2
    2 BASICBLOCK -> 3
          i := 1
    3 BRANCH i <= n -> 9 [0], 4 [1]
    4 BASICBLOCK -> 5
          j := m
    5 BRANCH j < i -> 6 [1], 7 [0]
    6 BASICBLOCK -> 5
          x := x + 1.0
          j := j + 1
    7 BASICBLOCK -> 3
          x := x + 2.0
          i := i + 1
    9 BASICBLOCK -> 10
          j := m
    10 BRANCH j < i -> 11 [1], 12 [0]
    11 BASICBLOCK -> 10
          x := x + 3.0
          j := j + 1
    12 EXIT
",
        "
  @2
  for i = 1, n
    @4
    for j = m, i - 1
      x := x + 1.0
    @14 end
    @7
    x := x + 2.0
  @15 end
  @9
  j := m
  while j < i
    x := x + 3.0
    j := j + 1
  @13 end
  @12 exit
",
    ),
    (
        "structured",
        "
    1 ENTRY -> 2
    2 BASICBLOCK -> 10
          i := m
          j := m
    10 BRANCH j < i -> 11 [1], 13 [0]
    11 BASICBLOCK -> 10
          x := x + 3.0
          j := j + 1
    13 BASICBLOCK -> 3
          i := 1
    3 BRANCH i <= n -> 4 [1], 12 [0]
    4 BASICBLOCK -> 5
          j := m
    5 BRANCH j < i -> 6 [1], 7 [0]
    6 BASICBLOCK -> 5
          x := x + 1.0
          j := j + 1
    7 BASICBLOCK -> 3
          x := x + 2.0
          i := i + 1
    12 EXIT
",
        "
  i := m
  j := m
  @10 while j < i
    x := x + 3.0
    j := j + 1
  @16 end
  @13
  @3 for i = 1, n
    @4
    for j = m, i - 1
      x := x + 1.0
    @14 end
    @7
    x := x + 2.0
  @15 end
  @12 exit
",
    ),
    (
        "structured",
        "
    1 ENTRY -> 2
    2 BASICBLOCK -> 3
          i := 9
    3 BRANCH i >= n -> 4 [1], 9 [0]
    4 BASICBLOCK -> 5
          j := m
    5 BRANCH j > i -> 6 [1], 7 [0]
    6 BASICBLOCK -> 5
          x := x + 1.0
          j := j - 1
    7 BASICBLOCK -> 3
          x := x + 2.0
          i := i - 1
    9 EXIT
",
        "
  @2
  for i = 9, n, -1
    @4
    for j = m, i + 1, -1
      x := x + 1.0
    @10 end
    @7
    x := x + 2.0
  @11 end
  @9 exit
",
    ),
    (
        "structured",
        "
    1 ENTRY -> 2
    2 BASICBLOCK -> 3
          i := 9
    3 BRANCH i >= n -> 4 [1], 9 [0]
    4 BASICBLOCK -> 5
          j := m
    5 BRANCH j < i -> 6 [1], 7 [0]
    6 BASICBLOCK -> 5
          x := x + 1.0
          j := j + 1
    7 BASICBLOCK -> 3
          x := x + 2.0
          i := i - 1
    9 EXIT
",
        "
  @2
  for i = 9, n, -1
    j := m
    while j < i
      x := x + 1.0
      j := j + 1
    @10 end
    @7
    x := x + 2.0
  @11 end
  @9 exit
",
    ),
    (
        "structured",
        "
    1 ENTRY -> 2
    2 BASICBLOCK -> 3
          i := 1
    3 BRANCH i <= n -> 4 [1], 9 [0]
    4 BASICBLOCK -> 5
          j := m
    5 BRANCH j > i -> 6 [1], 7 [0]
    6 BASICBLOCK -> 5
          x := x + 1.0
          j := j - 1
    7 BASICBLOCK -> 3
          x := x + 2.0
          i := i + 1
    9 EXIT
",
        "
  @2
  for i = 1, n
    j := m
    while j > i
      x := x + 1.0
      j := j - 1
    @10 end
    @7
    x := x + 2.0
  @11 end
  @9 exit
",
    ),
];

/// Loops that count their remaining passes, and loops that count something else.
const PASSES: &[Case] = &[
    (
        "structured",
        "
    1 ENTRY -> 2
    2 BASICBLOCK -> 3
          left := trips(1, n, 2)
          i := 1
    3 BRANCH left > 0 -> 4 [1], 5 [0]
    4 BASICBLOCK -> 3
          x := x + 1.0
          i := i + 2
          left := left - 1
    5 BASICBLOCK -> 6
          x := x*0.5
    6 EXIT
",
        "
  @2
  for i = 1, n, 2
    x := x + 1.0
  @7 end
  @5
  x := x*0.5
",
    ),
    (
        "structured",
        "
    1 ENTRY -> 2
    2 BASICBLOCK -> 3
          left := trips(1, n, m + 1)
          by := m + 1
          i := 1
    3 BRANCH left > 0 -> 4 [1], 5 [0]
    4 BASICBLOCK -> 3
          x := x + 1.0
          i := i + by
          left := left - 1
    5 BASICBLOCK -> 6
          x := x*0.5
    6 EXIT
",
        "
  local integer i, j
  @2
  for i = 1, n, m + 1
    x := x + 1.0
  @7 end
  @5
  x := x*0.5
",
    ),
    (
        "structured",
        "
    1 ENTRY -> 2
    2 BASICBLOCK -> 3
          i := m
          left := trips(i, n, 2)
    3 BRANCH left > 0 -> 4 [1], 5 [0]
    4 BASICBLOCK -> 3
          x := x + 1.0
          i := i + 2
          left := left - 1
    5 BASICBLOCK -> 6
          x := x*0.5
    6 EXIT
",
        "
  i := m
  for i = i, n, 2
    x := x + 1.0
  @7 end
  @5
  x := x*0.5
",
    ),
    (
        "structured",
        "
    1 ENTRY -> 2
    2 BASICBLOCK -> 3
          i := m
          left := trips(i, n, m + 1)
          by := m + 1
    3 BRANCH left > 0 -> 4 [1], 5 [0]
    4 BASICBLOCK -> 3
          x := x + 1.0
          i := i + by
          left := left - 1
    5 BASICBLOCK -> 6
          x := x*0.5
    6 EXIT
",
        "
  local integer i, j
  i := m
  for i = i, n, m + 1
    x := x + 1.0
  @7 end
  @5
  x := x*0.5
",
    ),
    (
        "structured",
        "
    1 ENTRY -> 2
    2 BASICBLOCK -> 3
          i := 3
          left := trips(1, n, 2)
    3 BRANCH left > 0 -> 4 [1], 5 [0]
    4 BASICBLOCK -> 3
          x := x + 1.0
          i := i + 2
          left := left - 1
    5 BASICBLOCK -> 6
          x := x*0.5
    6 EXIT
",
        "
  i := 3
  for left = trips(1, n, 2), 1, -1
    x := x + 1.0
    i := i + 2
  @7 end
  @5
  x := x*0.5
",
    ),
    (
        "structured",
        "
    1 ENTRY -> 2
    2 BASICBLOCK -> 3
          left := trips(1, n, 2)
          i := 3
    3 BRANCH left > 0 -> 4 [1], 5 [0]
    4 BASICBLOCK -> 3
          x := x + 1.0
          i := i + 2
          left := left - 1
    5 BASICBLOCK -> 6
          x := x*0.5
    6 EXIT
",
        "
  left := trips(1, n, 2)
  i := 3
  for left = left, 1, -1
    x := x + 1.0
    i := i + 2
  @7 end
  @5
  x := x*0.5
",
    ),
    (
        "structured",
        "
    1 ENTRY -> 2
    2 BASICBLOCK -> 3
          left := trips(1, n, 3)
          i := 1
    3 BRANCH left > 0 -> 4 [1], 5 [0]
    4 BASICBLOCK -> 3
          x := x + 1.0
          i := i + 2
          left := left - 1
    5 BASICBLOCK -> 6
          x := x*0.5
    6 EXIT
",
        "
  left := trips(1, n, 3)
  i := 1
  for left = left, 1, -1
    x := x + 1.0
    i := i + 2
  @7 end
  @5
  x := x*0.5
",
    ),
    (
        "structured",
        "
    1 ENTRY -> 2
    2 BASICBLOCK -> 3
          left := trips(1, 1, m + 1)
          i := 1
    3 BRANCH left > 0 -> 4 [1], 5 [0]
    4 BASICBLOCK -> 3
          x := x + 1.0
          i := i + 0
          left := left - 1
    5 BASICBLOCK -> 6
          x := x*0.5
    6 EXIT
",
        "
  left := trips(1, 1, m + 1)
  i := 1
  for left = left, 1, -1
    x := x + 1.0
    i := i + 0
  @7 end
  @5
  x := x*0.5
",
    ),
    (
        "structured",
        "
    1 ENTRY -> 2
    2 BASICBLOCK -> 3
          left := trips(1, n, m + 1)
          by := m + 2
          i := 1
    3 BRANCH left > 0 -> 4 [1], 5 [0]
    4 BASICBLOCK -> 3
          x := x + 1.0
          i := i + by
          left := left - 1
    5 BASICBLOCK -> 6
          x := x*0.5
    6 EXIT
",
        "
  left := trips(1, n, m + 1)
  by := m + 2
  i := 1
  for left = left, 1, -1
    x := x + 1.0
    i := i + by
  @7 end
  @5
  x := x*0.5
",
    ),
    (
        "structured",
        "
    1 ENTRY -> 2
    2 BASICBLOCK -> 3
          left := trips(1, n, 2)
          i := 1
    3 BRANCH left > 0 -> 4 [1], 5 [0]
    4 BASICBLOCK -> 3
          x := x + 1.0
          i := i + 2
          left := left - 1
    5 BASICBLOCK -> 6
          x := x + left
    6 EXIT
",
        "
  left := trips(1, n, 2)
  i := 1
  for left = left, 1, -1
    x := x + 1.0
    i := i + 2
  @7 end
  @5
  x := x + left
",
    ),
    (
        "structured",
        "
    1 ENTRY -> 2
    2 BASICBLOCK -> 3
          left := trips(1, n, 2)
          i := 1
    3 BRANCH left > 0 -> 4 [1], 5 [0]
    4 BASICBLOCK -> 3
          x := x + left
          i := i + 2
          left := left - 1
    5 BASICBLOCK -> 6
          x := x*0.5
    6 EXIT
",
        "
  left := trips(1, n, 2)
  i := 1
  for left = left, 1, -1
    x := x + left
    i := i + 2
  @7 end
  @5
  x := x*0.5
",
    ),
    (
        "structured",
        "
    1 ENTRY -> 2
    2 BASICBLOCK -> 3
          left := trips(1, n, m + 1)
          by := m + 1
          i := 1
    3 BRANCH left > 0 -> 4 [1], 5 [0]
    4 BASICBLOCK -> 3
          x := x + 1.0
          i := i + by
          left := left - 1
    5 BASICBLOCK -> 6
          x := x + by
    6 EXIT
",
        "
  left := trips(1, n, m + 1)
  by := m + 1
  i := 1
  for left = left, 1, -1
    x := x + 1.0
    i := i + by
  @7 end
  @5
  x := x + by
",
    ),
    (
        "structured",
        "
    1 ENTRY -> 2
    2 BASICBLOCK -> 3
          by := 7
          left := trips(1, n, m + 1)
          by := m + 1
          i := 1
    3 BRANCH left > 0 -> 4 [1], 5 [0]
    4 BASICBLOCK -> 3
          x := x + 1.0
          i := i + by
          left := left - 1
    5 BASICBLOCK -> 6
          x := x*0.5
    6 EXIT
",
        "
  by := 7
  left := trips(1, n, m + 1)
  by := m + 1
  i := 1
  for left = left, 1, -1
    x := x + 1.0
    i := i + by
  @7 end
  @5
  x := x*0.5
",
    ),
    (
        "structured",
        "
    1 ENTRY -> 2
    2 BASICBLOCK -> 3
          left := trips(1, n, m)
          i := 1
    3 BRANCH left > 0 -> 4 [1], 5 [0]
    4 BASICBLOCK -> 3
          x := x + 1.0
          i := i + m
          left := left - 1
    5 BASICBLOCK -> 6
          x := x*0.5
    6 EXIT
",
        "
  left := trips(1, n, m)
  i := 1
  for left = left, 1, -1
    x := x + 1.0
    i := i + m
  @7 end
  @5
  x := x*0.5
",
    ),
    (
        "structured",
        "
    1 ENTRY -> 2
    2 BASICBLOCK -> 3
          by := m + 1
          i := 1
          left := trips(1, n, m + 1)
    3 BRANCH left > 0 -> 4 [1], 5 [0]
    4 BASICBLOCK -> 3
          x := x + 1.0
          i := i + by
          left := left - 1
    5 BASICBLOCK -> 6
          x := x*0.5
    6 EXIT
",
        "
  by := m + 1
  i := 1
  for left = trips(1, n, m + 1), 1, -1
    x := x + 1.0
    i := i + by
  @7 end
  @5
  x := x*0.5
",
    ),
    (
        "structured",
        "
    1 ENTRY -> 2
    2 BASICBLOCK -> 3
          by := m + 1
          left := trips(1, n, m + 1)
          i := 1
    3 BRANCH left > 0 -> 4 [1], 5 [0]
    4 BASICBLOCK -> 3
          x := x + 1.0
          i := i + by
          left := left - 1
    5 BASICBLOCK -> 6
          x := x*0.5
    6 EXIT
",
        "
  by := m + 1
  left := trips(1, n, m + 1)
  i := 1
  for left = left, 1, -1
    x := x + 1.0
    i := i + by
  @7 end
  @5
  x := x*0.5
",
    ),
    (
        "structured",
        "
    1 ENTRY -> 2
    2 BASICBLOCK -> 3
          left := max(1, n, 2)
          i := 1
    3 BRANCH left > 0 -> 4 [1], 5 [0]
    4 BASICBLOCK -> 3
          x := x + 1.0
          i := i + 2
          left := left - 1
    5 BASICBLOCK -> 6
          x := x*0.5
    6 EXIT
",
        "
  left := max(1, n, 2)
  i := 1
  for left = left, 1, -1
    x := x + 1.0
    i := i + 2
  @7 end
  @5
  x := x*0.5
",
    ),
    (
        "structured",
        "
    1 ENTRY -> 2
    2 BASICBLOCK -> 3
          left := n
          i := 1
    3 BRANCH left > 0 -> 4 [1], 5 [0]
    4 BASICBLOCK -> 3
          x := x + 1.0
          i := i + 2
          left := left - 1
    5 BASICBLOCK -> 6
          x := x*0.5
    6 EXIT
",
        "
  left := n
  i := 1
  for left = left, 1, -1
    x := x + 1.0
    i := i + 2
  @7 end
  @5
  x := x*0.5
",
    ),
    (
        "structured",
        "
    1 ENTRY -> 2
    2 BASICBLOCK -> 3
          left := trips(1, n, 2)
          x := x + 3.0
          i := 1
    3 BRANCH left > 0 -> 4 [1], 5 [0]
    4 BASICBLOCK -> 3
          x := x + 1.0
          i := i + 2
          left := left - 1
    5 BASICBLOCK -> 6
          x := x*0.5
    6 EXIT
",
        "
  left := trips(1, n, 2)
  x := x + 3.0
  i := 1
  for left = left, 1, -1
    x := x + 1.0
    i := i + 2
  @7 end
  @5
  x := x*0.5
",
    ),
    (
        "structured",
        "
    1 ENTRY -> 2
    2 BASICBLOCK -> 3
          left := trips(1, n, 2)
          i := 1
    3 BRANCH left > 0 -> 4 [1], 5 [0]
    4 BASICBLOCK -> 3
          x := x + 1.0
          i := i + 2
          left := left - 2
    5 BASICBLOCK -> 6
          x := x*0.5
    6 EXIT
",
        "
  left := trips(1, n, 2)
  i := 1
  for left = left, 1, -2
    x := x + 1.0
    i := i + 2
  @7 end
  @5
  x := x*0.5
",
    ),
    (
        "structured",
        "
    1 ENTRY -> 2
    2 BASICBLOCK -> 3
          left := trips(1, n, 2)
          i := 1
    3 BRANCH left >= 1 -> 4 [1], 5 [0]
    4 BASICBLOCK -> 3
          x := x + 1.0
          i := i + 2
          left := left - 1
    5 BASICBLOCK -> 6
          x := x*0.5
    6 EXIT
",
        "
  left := trips(1, n, 2)
  i := 1
  for left = left, 1, -1
    x := x + 1.0
    i := i + 2
  @7 end
  @5
  x := x*0.5
",
    ),
    (
        "structured",
        "
    1 ENTRY -> 2
    2 BASICBLOCK -> 3
          left := trips(1, n, 2)
          i := 1
    3 BRANCH left > 1 -> 4 [1], 5 [0]
    4 BASICBLOCK -> 3
          x := x + 1.0
          i := i + 2
          left := left - 1
    5 BASICBLOCK -> 6
          x := x*0.5
    6 EXIT
",
        "
  left := trips(1, n, 2)
  i := 1
  for left = left, 2, -1
    x := x + 1.0
    i := i + 2
  @7 end
  @5
  x := x*0.5
",
    ),
    (
        "structured",
        "
    1 ENTRY -> 2
    2 BASICBLOCK -> 3
          left := trips(1, n, 2)
          i := 1
    3 BRANCH left > 0 -> 4 [1], 5 [0]
    4 BASICBLOCK -> 3
          j := i
          i := j + 2
          left := left - 1
    5 BASICBLOCK -> 6
          x := x*0.5
    6 EXIT
",
        "
  left := trips(1, n, 2)
  i := 1
  for left = left, 1, -1
    j := i
    i := j + 2
  @7 end
  @5
  x := x*0.5
",
    ),
    (
        "structured",
        "
    1 ENTRY -> 2
    2 BASICBLOCK -> 3
          left := trips(9, n, -2)
          i := 9
    3 BRANCH left > 0 -> 4 [1], 5 [0]
    4 BASICBLOCK -> 3
          x := x + 1.0
          i := i + (-2)
          left := left - 1
    5 BASICBLOCK -> 6
          x := x*0.5
    6 EXIT
",
        "
  @2
  for i = 9, n, -2
    x := x + 1.0
  @7 end
  @5
  x := x*0.5
",
    ),
    (
        "structured",
        "
    1 ENTRY -> 2
    2 BASICBLOCK -> 3
          left := trips(9, n, -2)
          i := 9
    3 BRANCH left > 0 -> 4 [1], 5 [0]
    4 BASICBLOCK -> 3
          x := x + 1.0
          i := i - 2
          left := left - 1
    5 BASICBLOCK -> 6
          x := x*0.5
    6 EXIT
",
        "
  left := trips(9, n, -2)
  i := 9
  for left = left, 1, -1
    x := x + 1.0
    i := i - 2
  @7 end
  @5
  x := x*0.5
",
    ),
    (
        "structured",
        "
    1 ENTRY -> 2
    2 BASICBLOCK -> 3
          left := trips(1, n, 2)
          i := 1
    3 BRANCH left > 0 -> 4 [1], 5 [0]
    4 BASICBLOCK -> 3
          x := x + 1.0
          i := 2 + i
          left := left - 1
    5 BASICBLOCK -> 6
          x := x*0.5
    6 EXIT
",
        "
  left := trips(1, n, 2)
  i := 1
  for left = left, 1, -1
    x := x + 1.0
    i := 2 + i
  @7 end
  @5
  x := x*0.5
",
    ),
    (
        "structured",
        "
    1 ENTRY -> 2
    2 BASICBLOCK -> 3
          j := n + m
          left := trips(1, j, 2)
          i := 1
    3 BRANCH left > 0 -> 4 [1], 5 [0]
    4 BASICBLOCK -> 3
          x := x + 1.0
          i := i + 2
          left := left - 1
    5 BASICBLOCK -> 6
          x := x*0.5
    6 EXIT
",
        "
  @2
  for i = 1, n + m, 2
    x := x + 1.0
  @7 end
  @5
  x := x*0.5
",
    ),
    (
        "structured",
        "
    1 ENTRY -> 2
    2 BASICBLOCK -> 3
          j := n + m
          left := trips(1, j, 2)
          i := 1
    3 BRANCH left > 0 -> 4 [1], 5 [0]
    4 BASICBLOCK -> 3
          x := x + 1.0
          i := i + 2
          left := left - 1
    5 BASICBLOCK -> 6
          x := x + j
    6 EXIT
",
        "
  j := n + m
  for i = 1, j, 2
    x := x + 1.0
  @7 end
  @5
  x := x + j
",
    ),
    (
        "structured",
        "
    1 ENTRY -> 2
    2 BASICBLOCK -> 3
          j := n + m
          by := 4
          left := trips(by, j, 2)
          i := 4
    3 BRANCH left > 0 -> 4 [1], 5 [0]
    4 BASICBLOCK -> 3
          x := x + 1.0
          i := i + 2
          left := left - 1
    5 BASICBLOCK -> 6
          x := x*0.5
    6 EXIT
",
        "
  local integer i
  @2
  for i = 4, n + m, 2
    x := x + 1.0
  @7 end
  @5
  x := x*0.5
",
    ),
    (
        "structured",
        "
    1 ENTRY -> 2
    2 BASICBLOCK -> 3
          x := x + 1.0
          j := n + m
          left := trips(1, j, 2)
          i := 1
    3 BRANCH left > 0 -> 4 [1], 5 [0]
    4 BASICBLOCK -> 3
          x := x + 1.0
          i := i + 2
          left := left - 1
    5 BASICBLOCK -> 6
          x := x*0.5
    6 EXIT
",
        "
  x := x + 1.0
  for i = 1, n + m, 2
    x := x + 1.0
  @7 end
  @5
  x := x*0.5
",
    ),
    (
        "structured",
        "
    1 ENTRY -> 2
    2 BASICBLOCK -> 3
          left := trips(1, n, 2)
          i := 1
    3 BRANCH left > 0 -> 4 [1], 5 [0]
    4 BASICBLOCK -> 3
          i := i + 0
          i := i + 2
          left := left - 1
    5 BASICBLOCK -> 6
          x := x*0.5
    6 EXIT
",
        "
  left := trips(1, n, 2)
  i := 1
  for left = left, 1, -1
    i := i + 0
    i := i + 2
  @7 end
  @5
  x := x*0.5
",
    ),
    (
        "structured",
        "
    1 ENTRY -> 2
    2 BASICBLOCK -> 3
          left := trips(1, n, 2)
          i := 1
    3 BRANCH left > 0 -> 4 [1], 5 [0]
    4 BASICBLOCK -> 3
          x := x + i
          left := left - 1
    5 BASICBLOCK -> 6
          x := x*0.5
    6 EXIT
",
        "
  left := trips(1, n, 2)
  i := 1
  for left = left, 1, -1
    x := x + i
  @7 end
  @5
  x := x*0.5
",
    ),
    (
        "structured",
        "
    1 ENTRY -> 2
    2 BASICBLOCK -> 3
          j := n
          left := trips(1, j, 2)
          i := 1
    3 BRANCH left > 0 -> 4 [1], 5 [0]
    4 BASICBLOCK -> 3
          j := j - 1
          x := x + j
          i := i + 2
          left := left - 1
    5 BASICBLOCK -> 6
          x := x*0.5
    6 EXIT
",
        "
  j := n
  for i = 1, j, 2
    j := j - 1
    x := x + j
  @7 end
  @5
  x := x*0.5
",
    ),
    (
        "structured",
        "
    1 ENTRY -> 2
    2 BASICBLOCK -> 3
          left := trips(1, n, 2)
          i := 1
    3 BRANCH left > 0 -> 4 [1], 5 [0]
    4 BASICBLOCK -> 3
          x := x + 1.0
          i := i + 2
          left := left - 1
    5 BASICBLOCK -> 6
          x := x + i
    6 EXIT
",
        "
  @2
  for i = 1, n, 2
    x := x + 1.0
  @7 end
  @5
  x := x + i
",
    ),
    (
        "structured",
        "
    1 ENTRY -> 2
    2 BASICBLOCK -> 3
          j := n
          left := trips(1, j, 1)
          i := 1
    3 BRANCH left > 0 -> 4 [1], 9 [0]
    4 BASICBLOCK -> 5
          j := 1
          by := m
    5 BRANCH by < i -> 6 [1], 7 [0]
    6 BASICBLOCK -> 5
          x := x + 1.0
          by := by + 1
    7 BASICBLOCK -> 3
          x := x + 2.0
          i := i + 1
          left := left - 1
    9 EXIT
",
        "
  j := n
  for i = 1, j
    j := 1
    for by = m, i - 1
      x := x + 1.0
    @10 end
    @7
    x := x + 2.0
  @11 end
  @9 exit
",
    ),
    (
        "structured",
        "
    1 ENTRY -> 2
    2 BASICBLOCK -> 3
          j := n
          left := trips(9, j, -1)
          i := 9
    3 BRANCH left > 0 -> 4 [1], 9 [0]
    4 BASICBLOCK -> 5
          j := 1
          by := m
    5 BRANCH by < i -> 6 [1], 7 [0]
    6 BASICBLOCK -> 5
          x := x + 1.0
          by := by + 1
    7 BASICBLOCK -> 3
          x := x + 2.0
          i := i + (-1)
          left := left - 1
    9 EXIT
",
        "
  j := n
  for i = 9, j, -1
    j := 1
    by := m
    while by < i
      x := x + 1.0
      by := by + 1
    @10 end
    @7
    x := x + 2.0
  @11 end
  @9 exit
",
    ),
    (
        "structured",
        "
    1 ENTRY -> 2
    2 BASICBLOCK -> 3
          j := n
          left := trips(m, j, 1)
          i := m
    3 BRANCH left > 0 -> 4 [1], 9 [0]
    4 BASICBLOCK -> 5
          j := 1
          by := m
    5 BRANCH by < i -> 6 [1], 7 [0]
    6 BASICBLOCK -> 5
          x := x + 1.0
          by := by + 1
    7 BASICBLOCK -> 3
          x := x + 2.0
          i := i + 1
          left := left - 1
    9 EXIT
",
        "
  j := n
  for i = m, j
    j := 1
    by := m
    while by < i
      x := x + 1.0
      by := by + 1
    @10 end
    @7
    x := x + 2.0
  @11 end
  @9 exit
",
    ),
    (
        "structured",
        "
    1 ENTRY -> 2
    2 BASICBLOCK -> 3
          left := trips(1, n, 2)
          i := 1
    3 BRANCH left > 0 -> 4 [1], 5 [0]
    4 BASICBLOCK -> 3
          x := x + 1.0
          left := left - 1
          i := i + 2
    5 BASICBLOCK -> 6
          x := x*0.5
    6 EXIT
",
        "
  left := trips(1, n, 2)
  i := 1
  while left > 0
    x := x + 1.0
    left := left - 1
    i := i + 2
  @7 end
  @5
  x := x*0.5
",
    ),
];

/// Branches that nest become such, and cycles that are left at one test become loops.
#[test]
fn branches_and_loops() {
    each_is(BRANCHES_AND_LOOPS);
}

/// Jumps stay, and the loops and branches around them and between them are known.
#[test]
fn jumps() {
    each_is(JUMPS);
}

/// An exit at the header of a loop comes before one at a jump back, that before one of the loop itself, and that
/// before those of loops inside.
#[test]
fn exits() {
    each_is(EXITS);
}

/// Graphs that have LOOPs are those of jumps first: ends come where they belong, and loops that never repeat are none.
#[test]
fn typed() {
    each_is(TYPED);
}

/// A loop is over an index if only one step at its end changes the index; the assignment directly before the loop
/// becomes the first value.
#[test]
fn indices() {
    each_is(INDICES);
}

/// A loop that counts its passes is over the variable that moves with them, if the count is exactly that of this
/// variable's passes.
#[test]
fn passes() {
    each_is(PASSES);
}

/// An expression of so many levels, of which it is known that it is not the smallest integer.
fn deep(levels: usize) -> String {
    format!("n{}", " - (-1)".repeat(levels - 1))
}

/// A test is negated where its depth leaves a level for that, in loops that nest and in those with further exits.
#[test]
fn negated_tests_as_deep_as_expressions_may_be() {
    for (not, levels, body, is_found) in [
        ("", Expr::MAX_DEPTH - 1, 0, true),
        ("", Expr::MAX_DEPTH, 0, false),
        ("", Expr::MAX_DEPTH, 1, true),
        ("not ", Expr::MAX_DEPTH, 0, true),
        ("not ", Expr::MAX_DEPTH, 1, true),
    ] {
        // The comparison and the negation are a level each.
        let sum = deep(levels - if not.is_empty() { 1 } else { 2 });
        for leaves in [false, true] {
            let (test, end) = match leaves {
                false => ("BASICBLOCK -> 4", "4 BASICBLOCK -> 2"),
                true => (
                    "BRANCH x > 9.0 -> 5 [1], 4 [0]",
                    "4 BASICBLOCK -> 2\n          x := x + 1.0",
                ),
            };
            let program = around(&format!(
                "    1 ENTRY -> 2
    2 BRANCH {not}{sum} > m -> 3 [{body}], 5 [{exit}]
    3 {test}
    {end}
    5 EXIT",
                exit = 1 - body
            ));
            let recovered = recover::recover_program(&program);
            check(&recovered);
            let text = shown(&recovered, &recovered.routines[0]);
            assert_eq!(text.contains("while"), is_found, "{text}");
            let is_negated = (body == 1) != not.is_empty() && is_found;
            assert_eq!(text.contains("while not"), is_negated, "{text}");
            let control = match is_found && !leaves {
                true => Control::Structured,
                false => Control::General,
            };
            assert_eq!(recovered.routines[0].control, control, "{text}");
        }
    }
}

/// A bound that is not to be passed is one less, which two operators say: they fit into the depth, or the loop is not
/// counted.
#[test]
fn strict_bounds_as_deep_as_expressions_may_be() {
    for (first, bound, most, head) in [
        ("1", "D", Expr::MAX_DEPTH - 2, "for i = 1, D - 1"),
        ("m", "D", Expr::MAX_DEPTH - 2, "for i = m, D - 1"),
        ("D", "n", Expr::MAX_DEPTH - 2, "for i = D, max(n, D) - 1"),
        ("D", "D", Expr::MAX_DEPTH - 2, "for i = D, D - 1"),
    ] {
        for levels in [60, most, most + 1] {
            let deep = deep(levels);
            let first = first.replace('D', &deep);
            let bound = bound.replace('D', &deep);
            let program = around(&format!(
                "    1 ENTRY -> 2
    2 BASICBLOCK -> 3
          i := {first}
    3 BRANCH i < {bound} -> 4 [1], 5 [0]
    4 BASICBLOCK -> 3
          x := x + 1.0
          i := i + 1
    5 EXIT"
            ));
            let recovered = recover::recover_program(&program);
            check(&recovered);
            let text = shown(&recovered, &recovered.routines[0]);
            let head = match levels > most {
                true => format!("while i < {bound}"),
                false => head.replace('D', &deep),
            };
            assert!(text.lines().any(|line| line.trim() == head), "{text}");
        }
    }
}

/// The variables that count the passes of a loop, or hold its step, are locals that nothing else knows; they are
/// dropped behind all others.
#[test]
fn variables_that_count() {
    let by_two = "for i = 1, n, 2";
    let by_more = "for i = 1, n, m + 1";
    let left = "for left = left, 1, -1";
    for (global, kind, behind, declared, step, head, kept) in [
        (
            "",
            "subroutine",
            ")",
            "local integer i, left",
            "2",
            by_two,
            "i",
        ),
        (
            "",
            "subroutine",
            ")",
            "local integer left, i",
            "2",
            by_two,
            "left i",
        ),
        (
            "",
            "subroutine",
            ", inout integer i)",
            "local integer left",
            "2",
            by_two,
            "i",
        ),
        (
            "",
            "subroutine",
            ", inout integer left)",
            "local integer i",
            "2",
            left,
            "left i",
        ),
        (
            "",
            "function",
            ") result left",
            "local integer i, left",
            "2",
            left,
            "i left",
        ),
        (
            "global integer left",
            "subroutine",
            ")",
            "local integer i\n  uses left",
            "2",
            left,
            "i left",
        ),
        (
            "",
            "subroutine",
            ")",
            "local integer i, left, by",
            "by",
            by_more,
            "i",
        ),
        (
            "",
            "subroutine",
            ")",
            "local integer i, by, left",
            "by",
            by_more,
            "i",
        ),
        (
            "",
            "subroutine",
            ")",
            "local integer by, i, left",
            "by",
            by_more,
            "by i",
        ),
        (
            "",
            "subroutine",
            ", inout integer by)",
            "local integer i, left",
            "by",
            left,
            "by i left",
        ),
        (
            "",
            "function",
            ") result by",
            "local integer i, left, by",
            "by",
            left,
            "i left by",
        ),
    ] {
        let (value, set) = match step {
            "by" => ("m + 1", "\n          by := m + 1"),
            step => (step, ""),
        };
        let program = read(&format!(
            "{global}
general main {kind} f(in integer n, in integer m, inout real x{behind}
  {declared}
    1 ENTRY -> 2
    2 BASICBLOCK -> 3
          left := trips(1, n, {value}){set}
          i := 1
    3 BRANCH left > 0 -> 4 [1], 5 [0]
    4 BASICBLOCK -> 3
          x := x + 1.0
          i := i + {step}
          left := left - 1
    5 EXIT
end
"
        ));
        let recovered = recover::recover_program(&program);
        check(&recovered);
        let routine = &recovered.routines[0];
        let text = shown(&recovered, routine);
        assert!(
            text.lines().any(|line| line.trim() == head),
            "{head}\n{text}"
        );
        let names: Vec<&str> = (routine.variables.iter())
            .map(|v| v.name.as_str())
            .filter(|name| !matches!(*name, "n" | "m" | "x"))
            .collect();
        assert_eq!(names.join(" "), kept, "{text}");
    }
}

/// A call that is handed an index, or may write a global that is one, leaves a loop that is not counted.
#[test]
fn calls_that_know_the_index() {
    for (parameter, uses, argument, index, is_counted) in [
        ("in integer k", "", "i", "i", false),
        ("inout integer k", "", "i", "i", false),
        ("in integer k", "", "n", "i", true),
        ("in integer k", "", "i + 0", "i", true),
        ("inout real k", "uses G", "x", "G", true),
        ("inout real k", "uses G\n  G := G + 1", "x", "G", false),
        ("inout real k", "uses G\n  k := k + G", "x", "G", true),
    ] {
        let program = read(&format!(
            "global integer G
subroutine g({parameter})
  {uses}
end
general main subroutine f(in integer n, inout real x)
  local integer i
  uses G
    1 ENTRY -> 2
    2 BASICBLOCK -> 3
          {index} := 1
    3 BRANCH {index} <= n -> 4 [1], 5 [0]
    4 BASICBLOCK -> 3
          call g({argument})
          {index} := {index} + 1
    5 EXIT
end
"
        ));
        let text = recover::recover_program(&program).to_string();
        let head = match is_counted {
            true => format!("for {index} = 1, n"),
            false => format!("while {index} <= n"),
        };
        assert!(
            text.lines().any(|line| line.trim() == head),
            "{head}\n{text}"
        );
    }
}

/// New variables have names that are not taken, numbered from 2.
#[test]
fn names_of_new_variables() {
    for (taken, expected) in [
        ("", "left_3 step_3"),
        (", left_3", "left_3_2 step_3"),
        (", left_3_2", "left_3 step_3"),
        (", left_3, left_3_2", "left_3_3 step_3"),
        (", step_3, left_3_2, left_3", "left_3_3 step_3_2"),
    ] {
        let program = read(&format!(
            "main subroutine f(in real x, in integer n, in integer k, out real y)
  local integer i{taken}
  y := 0.0
  for i = 1, n, k
    y := y + x
  end
end
"
        ));
        let routine = &program.routines[0];
        let flat = recover::flatten(&program, &Effects::summarise(&program), routine);
        let added = &flat.variables[routine.variables.len()..];
        let names: Vec<&str> = added.iter().map(|v| v.name.as_str()).collect();
        assert_eq!(names.join(" "), expected, "{taken}");
    }
}

/// An index that begins with the value that it has is not assigned before its loop, every other one is, once.
#[test]
fn first_values_as_jumps() {
    for (range, assigned) in [
        ("i, n", 0),
        ("1, n", 1),
        ("k, n", 1),
        ("i + 1, n", 1),
        ("i, n, k", 0),
        ("1, n, k", 1),
        ("i + 1, n, k", 1),
    ] {
        let program = read(&format!(
            "main subroutine f(in real x, in integer n, in integer k, out real y)
  local integer i
  y := 0.0
  i := 5
  for i = {range}
    y := y + x
  end
end
"
        ));
        let flat = recover::flatten(
            &program,
            &Effects::summarise(&program),
            &program.routines[0],
        );
        let text = shown(&program, &flat);
        let found = text.lines().filter(|line| line.trim().starts_with("i := "));
        // The one in front of it and the step, too.
        assert_eq!(found.count(), assigned + 2, "{text}");
    }
}

/// Empty blocks are jumped over, but for one of each cycle that has nothing else.
#[test]
fn graphs_without_empty_blocks() {
    for (graph, expected) in [
        (
            "
    1 ENTRY -> 2
    2 BRANCH n > 0 -> 3 [1], 5 [0]
    3 BASICBLOCK -> 4
    4 BASICBLOCK -> 3
    5 EXIT
",
            "
    1 ENTRY -> 2
    2 BRANCH n > 0 -> 3 [1], 5 [0]
    3 BASICBLOCK -> 3
    5 EXIT
",
        ),
        (
            "
    1 ENTRY -> 2
    2 BRANCH n > 0 -> 3 [1], 6 [0]
    3 BASICBLOCK -> 4
    4 BASICBLOCK -> 5
    5 BASICBLOCK -> 4
    6 EXIT
",
            "
    1 ENTRY -> 2
    2 BRANCH n > 0 -> 4 [1], 6 [0]
    4 BASICBLOCK -> 4
    6 EXIT
",
        ),
        // The cycle is known when it is come to.
        (
            "
    1 ENTRY -> 2
    2 BRANCH n > 0 -> 5 [1], 6 [0]
    3 BASICBLOCK -> 4
    4 BASICBLOCK -> 3
    5 BASICBLOCK -> 3
    6 EXIT
",
            "
    1 ENTRY -> 2
    2 BRANCH n > 0 -> 3 [1], 6 [0]
    3 BASICBLOCK -> 3
    6 EXIT
",
        ),
        // The target of an empty block is treated in the same way.
        (
            "
    1 ENTRY -> 2
    2 BRANCH n > 0 -> 4 [1], 5 [0]
    3 BASICBLOCK -> 5
    4 BASICBLOCK -> 3
    5 BASICBLOCK -> 6
          x := x + 1.0
    6 EXIT
",
            "
    1 ENTRY -> 2
    2 BRANCH n > 0 -> 5 [1], 5 [0]
    5 BASICBLOCK -> 6
          x := x + 1.0
    6 EXIT
",
        ),
        (
            "
    1 ENTRY -> 2
    2 BASICBLOCK -> 3
    3 EXIT
",
            "
    1 ENTRY -> 3
    3 EXIT
",
        ),
    ] {
        let program = around(graph);
        let dense = recover::drop_empty_blocks(program.routines[0].clone());
        assert_eq!(
            shown(&program, &dense),
            expected.trim_matches('\n'),
            "{graph}"
        );
        does_the_same(&program, dense, "dense");
    }
}

/// A graph of LOOPs gets the ends that lack, as long as none of its LOOPs becomes another loop, or none.
#[test]
fn ends_that_lack() {
    let body = "
    3 BRANCH n > 0 -> 4 [1], 5 [0]
    4 BASICBLOCK -> 5
          x := x + 1.0
    5 ENDLOOP -> 2
    6 EXIT";
    let two_ends = "
    3 BRANCH n > 0 -> 4 [1], 5 [0]
    4 BASICBLOCK -> 7
          x := x + 1.0
    5 ENDLOOP -> 2
    7 ENDLOOP -> 2
    6 EXIT";
    let branch = "
    if n > 0
      x := x + 1.0
    @7 end
  @5 end";
    for (graph, expected) in [
        (
            format!("2 LOOP while x < 9.0 -> 3 [1], 6{body}"),
            Some(format!("  while x < 9.0{branch}")),
        ),
        (
            format!("2 LOOP again while x < 9.0 -> 3 [1], 6{body}"),
            Some(format!("  do{branch} while x < 9.0")),
        ),
        (
            format!("2 LOOP i = 1, n -> 3 [1], 6{body}"),
            Some(format!("  for i = 1, n{branch}")),
        ),
        (
            format!("2 LOOP while x < 9.0 -> 3 [1], 6{two_ends}"),
            Some(
                "  while x < 9.0
    if n > 0
      x := x + 1.0
      @7
    else
      @5
    @8 end
  end
  @6 exit"
                    .to_owned(),
            ),
        ),
        // The test of a loop tested last has one place.
        (
            format!("2 LOOP again while x < 9.0 -> 3 [1], 6{two_ends}"),
            None,
        ),
        // An end that ends nothing has nothing to do.
        (
            "2 BASICBLOCK -> 3
          x := x + 1.0
    3 ENDBRANCH -> 4
    4 EXIT"
                .to_owned(),
            Some("  x := x + 1.0\n  @3".to_owned()),
        ),
        // The exit of the loop leads back.
        (
            "2 LOOP while x < 9.0 -> 4 [1], 3
    3 ENDLOOP -> 2
    4 EXIT"
                .to_owned(),
            None,
        ),
        // The loop never repeats.
        (
            "2 LOOP while x < 9.0 -> 3 [1], 4
    3 BASICBLOCK -> 4
          x := x + 1.0
    4 EXIT"
                .to_owned(),
            None,
        ),
        // There is no LOOP.
        (
            "2 BRANCH x < 9.0 -> 3 [1], 4 [0]
    3 BASICBLOCK -> 2
          x := x + 1.0
    4 EXIT"
                .to_owned(),
            None,
        ),
        // A jump out of it.
        (
            "2 LOOP while x < 9.0 -> 3 [1], 7
    3 BRANCH n > 0 -> 4 [1], 5 [0]
    4 BASICBLOCK -> 6
          x := x + 1.0
    6 ENDLOOP -> 2
    5 BASICBLOCK -> 8
          x := x + 2.0
    7 BASICBLOCK -> 8
          x := x + 4.0
    8 EXIT"
                .to_owned(),
            None,
        ),
    ] {
        let source = format!(
            "general main subroutine f(in integer n, in integer m, inout real x)\n{DECLARED}\n    1 ENTRY -> 2\n    {graph}\nend\n"
        );
        let program = cfg_format::text::parse(&source).program.expect("a program");
        let routine = &program.routines[0];
        let nested = recover::nest(routine.body.as_ref().unwrap());
        let text = nested.map(|cfg| {
            let nested = Routine {
                body: Some(cfg),
                control: Control::Structured,
                ..routine.clone()
            };
            shown(&program, &nested)
        });
        assert_eq!(text, expected, "{source}");
    }
}

/// Routines that are already structured do not change.
#[test]
fn structured_routines_stay() {
    let program = read(
        "main subroutine f(in integer n, in integer m, inout real x)
  local integer i
  i := 1
  for i = i, n
    x := x + 1.0
  end
  while i < m
    i := i + 1
  end
end
",
    );
    let recovered = recover::recover_program(&program);
    assert_eq!(recovered, program);
}

/// In normal form a loop counts its passes in a variable of its own if something in it may write its index: a
/// parameter that may be the same.
#[test]
fn counters_of_their_own() {
    for (kind, range, expected) in [
        ("", "1, n", None),
        ("", "i, n, m", None),
        (
            "aliased ",
            "1, n",
            Some(
                "  local integer left_2
  left_2 := trips(1, n, 1)
  i := 1
  for left_2 = left_2, 1, -1
    x := x + 1.0
    k := k + 1
    i := i + 1
  end",
            ),
        ),
        (
            "aliased ",
            "i, n",
            Some(
                "  local integer left_2
  for left_2 = trips(i, n, 1), 1, -1
    x := x + 1.0
    k := k + 1
    i := i + 1
  end",
            ),
        ),
        (
            "aliased ",
            "1, n, m",
            Some(
                "  local integer left_2, step_2
  left_2 := trips(1, n, m)
  step_2 := m
  i := 1
  for left_2 = left_2, 1, -1
    x := x + 1.0
    k := k + 1
    i := i + step_2
  end",
            ),
        ),
    ] {
        let program = read(&format!(
            "{kind}main subroutine f(in integer n, in integer m, inout integer i, inout integer k, inout real x)
  for i = {range}
    x := x + 1.0
    k := k + 1
  end
end
"
        ));
        let routine = &program.routines[0];
        let normal = recover::normal_form(&program, &Effects::summarise(&program), routine);
        let expected = match expected {
            Some(expected) => expected.to_owned(),
            None => shown(&program, routine),
        };
        assert_eq!(shown(&program, &normal), expected, "{program}");
    }
}

/// A bound is that of a counted loop if nothing that it reads may be written in the loop; of an array of which it asks
/// the shape, only its shape.
#[test]
fn bounds_that_stay() {
    let step = "x := x + 1.0";
    for (bound, statement, stays) in [
        ("a[1]", step, true),
        ("a[1]", "a[2] := 3", false),
        ("a[2]", "b[2] := 3", true),
        ("b[j]", step, true),
        ("b[j]", "j := 1", false),
        ("b[j]", "a[1] := 1", true),
        ("b[a[1]]", "a[1] := 1", false),
        ("min(n, a[2])", "b[1] := 1", true),
        ("min(n, a[2])", "a[1] := 1", false),
        ("int(x)", "j := 1", true),
        ("int(x)", step, false),
        ("size(v)", step, true),
        ("size(v)", "v[1] := 1.0", true),
        ("size(v) + j", "j := 2", false),
        ("size(v[1:j])", step, true),
        ("size(v[1:j])", "v[1] := 1.0", true),
        ("size(v[1:j])", "j := 1", false),
        // An assignment to the whole array may change its shape; an assignment to an element counts as one, too.
        ("size(w)", step, true),
        ("size(w)", "w := v", false),
        ("size(w)", "w[1] := 2.0", false),
        ("p^", step, false),
        ("distance(addr(a[1]), addr(a[j]))", step, true),
        ("distance(addr(a[1]), addr(a[j]))", "a[j] := 1", true),
        ("distance(addr(a[1]), addr(a[j]))", "j := 1", false),
        ("distance(p, addr(p^[j]))", step, false),
        ("distance(p, null(integer))", step, true),
    ] {
        let program = read(&format!(
            "general main subroutine f(in integer n, inout integer a[2], inout integer b[3], inout real v[n], inout real x)
  local integer i, j
  local real w[:]
  local ^integer p
    1 ENTRY -> 2
    2 BASICBLOCK -> 3
          j := 2
          w := v
          p := addr(a[1])
          i := 1
    3 BRANCH i <= {bound} -> 4 [1], 5 [0]
    4 BASICBLOCK -> 3
          {statement}
          i := i + 1
    5 EXIT
end
"
        ));
        let recovered = recover::recover_program(&program);
        check(&recovered);
        let text = recovered.to_string();
        let head = match stays {
            true => format!("for i = 1, {bound}"),
            false => format!("while i <= {bound}"),
        };
        assert!(
            text.lines().any(|line| line.trim() == head),
            "{statement}\n{text}"
        );
    }
}
