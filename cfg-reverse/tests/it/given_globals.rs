//! Given derivatives of routines that use globals: they are refused if one of the globals has a derivative, under any
//! name; otherwise derivatives are right.

use crate::{adjoint::agrees_smoothly, bounds::valid};
use cfg_core::{entity::VarId, validate::ValidProgram};
use cfg_reverse::{Options, reverse, tangent};
use cfg_testkit::flat;
use cfg_testkit::{
    case::{Case, Datum, Elements},
    rng::Rng,
};
use std::fmt::Write as _;

/// Globals with their numbers of elements, 0 of a scalar.
struct Globals(Vec<(&'static str, usize)>);

impl Globals {
    /// The text of some cell of a global.
    fn cell(&self, which: usize, rng: &mut Rng) -> String {
        match self.0[which] {
            (name, 0) => name.to_owned(),
            (name, n) => format!("{name}[{}]", 1 + rng.below(n)),
        }
    }
}

/// A program in which `hand` has a given adjoint, or a given tangent, and uses a global. Other routines assign it by this name or by others.
fn program(seed: u64) -> String {
    let mut rng = Rng::new(seed);
    let mut text =
        "global real base[4] = 0.3, 0.5, 0.7, 0.4\nglobal real other[3] = 0.6, 0.8, 0.2\n"
            .to_owned();
    let mut globals = Globals(vec![("base", 4), ("other", 3)]);
    for (name, n) in [("one", 0), ("two", 2), ("three", 3)] {
        let cells = n.max(1);
        let offset = rng.below(5 - cells);
        let shape = match n {
            0 => String::new(),
            n => format!("[{n}]"),
        };
        let _ = writeln!(text, "global real {name}{shape} overlays base at {offset}");
        globals.0.push((name, n));
    }
    text.push_str("global real apart overlays other at 1\n");
    globals.0.push(("apart", 0));

    let which = rng.below(globals.0.len());
    let (g, p) = (globals.0[which].0, globals.cell(which, &mut rng));
    let given = if seed.is_multiple_of(2) {
        "adjoint"
    } else {
        "tangent"
    };
    let _ = writeln!(
        text,
        "subroutine hand(in real a, inout real b)
  uses {g}
  {given} hand_{given}
  b := b*a*{p} + 0.5*a
end"
    );
    let _ = match given {
        "adjoint" => writeln!(
            text,
            "subroutine hand_adjoint(in real a, in real b, inout real a_b, inout real b_b)
  uses {g}
  a_b := a_b + b*{p}*b_b + 0.5*b_b
  b_b := a*{p}*b_b
end"
        ),
        _ => writeln!(
            text,
            "subroutine hand_tangent(in real a, inout real b, in real a_t, inout real b_t)
  uses {g}
  b_t := (b_t*a + a_t*b)*{p} + 0.5*a_t
  b := b*a*{p} + 0.5*a
end"
        ),
    };
    let which = rng.below(globals.0.len());
    let (assigned, put) = (globals.0[which].0, globals.cell(which, &mut rng));
    let value = *rng.pick(&["0.7", "a"]).unwrap_or(&"a");
    let named: Vec<usize> = (0..globals.0.len()).filter(|_| rng.below(2) == 0).collect();
    let names: Vec<&str> = named.iter().map(|&k| globals.0[k].0).collect();
    let uses = match names.is_empty() {
        true => String::new(),
        false => format!("\n  uses {}", names.join(", ")),
    };
    let _ = writeln!(
        text,
        "subroutine put(in real a)
  uses {assigned}
  {put} := a
end
subroutine middle(inout real a, inout real b)
  call hand(a, b)
  a := a*0.5
  call put({value})
  call hand(b, a)
end
main subroutine f(in real x, inout real y)
  independent x, y
  dependent y{uses}
  local real t
  local integer i
  t := x"
    );
    for _ in 0..4 + rng.below(5) {
        let place = match rng.pick(&named) {
            Some(&k) => globals.cell(k, &mut rng),
            None => "t".to_owned(),
        };
        let mut of = |values: &[&'static str]| *rng.pick(values).unwrap_or(&"x");
        let line = match of(&["set", "hand", "middle", "put", "use", "loop", "own"]) {
            "set" => format!("{place} := {}", of(&["x*y", "0.4", "y", "0.9", "0.3"])),
            "hand" => "call hand(x, y)".to_owned(),
            "middle" => "t := 0.5*y\n  call middle(t, y)".to_owned(),
            "put" => format!("call put({})", of(&["0.5", "0.3", "y"])),
            "use" => format!("y := y*{place} + sin(x)"),
            "loop" => "for i = 1, 2\n    call hand(y, t)\n    y := y*0.9 + 0.1*t\n    call put(0.6)\n  end"
                .to_owned(),
            _ => "y := y*x + 0.2".to_owned(),
        };
        let _ = writeln!(text, "  {line}");
    }
    text.push_str("end\n");
    text
}

fn case(program: &ValidProgram) -> Case {
    let scalar = |value| Datum {
        extents: Vec::new(),
        elements: Elements::Real(vec![value]),
    };
    let main = program.main.expect("one is marked");
    let [x, y] = [0, 1].map(VarId::new);
    Case {
        program: program.program().clone(),
        main,
        point: vec![(x, scalar(0.6)), (y, scalar(0.45))],
        direction: vec![(x, vec![1.0]), (y, vec![-0.5])],
        seed: vec![(y, vec![1.0])],
    }
}

#[test]
fn derivatives_are_right_or_refused() {
    let (mut refused, all) = (0, 400);
    for seed in 0..all {
        let text = program(seed);
        let program = valid(&text);
        let case = case(&program);
        let problems = match seed.is_multiple_of(2) {
            true => reverse(&flat(&program), case.main, &Options::default()).err(),
            false => tangent(&flat(&program), case.main).err(),
        };
        if let Some(problems) = problems {
            assert!(
                problems.iter().all(|d| d.code == "R309"),
                "seed {seed}: {problems}\n{text}"
            );
            refused += 1;
        } else if let Err(problem) = agrees_smoothly(&case, &Options::default()) {
            panic!("seed {seed}: {problem}\n{text}");
        }
    }
    assert!(
        (all / 5..all - all / 5).contains(&refused),
        "{refused} are refused"
    );
}
