//! Markers of branches, which are pushed in front of these where the arms push nothing else to the stack of bits.

use crate::{
    by_hand::case,
    interface::files_with,
    random::{check, seeds},
    support::{Job, jobs},
};
use cfg_back::c;
use cfg_reverse::{Blocks, Options};
use cfg_testkit::rng::Rng;

/// The forward sweep of a loop around a branch whose condition cannot be evaluated again.
fn forward(branch: &str, checks: bool) -> String {
    let program = format!(
        "main subroutine f(in integer n, in real x[n], inout real y, inout real z)
  local integer i
  local integer j
  independent x, y, z
  dependent y, z
  for i = 1, n
{branch}
  end
end

subroutine g(in integer n, in real x, inout real y)
  local integer j
  for j = 1, n
    if y > x
      y := y*x
    end
  end
end
"
    );
    let [made, _] = files_with(
        &program,
        c::Options {
            checks,
            ..c::Options::default()
        },
    );
    let forward = made.split("/* forward of f */").nth(1).unwrap();
    forward.split("\n}\n").next().unwrap().to_owned()
}

#[test]
fn conditions_are_pushed_in_front() {
    let pushed = "cfgrev_push_bits(&top, (uint64_t)taken, 1);";
    for branch in [
        "if x[i]*y > 1.0\n y := x[i]\n end",
        "if x[i]*y > 1.0\n y := y*y\n else\n y := x[i]*y\n end",
        "if x[i]*y > 1.0\n else\n y := x[i]*y*y\n end",
        "if x[i]*y > 1.0\n y := y*y\n z := z*y\n if z > y\n z := z*z\n end\n end",
    ] {
        let text = forward(branch, false);
        assert_eq!(text.matches(pushed).count(), 1, "{branch}\n{text}");
        assert!(!forward(branch, true).contains("taken"), "{branch}");
    }
    for branch in [
        "if x[i]*y > 1.0\n for j = 1, n\n y := y*y\n end\n end",
        "if x[i]*y > 1.0\n call g(n, x[i], y)\n end",
        "if x[i]*y > 1.0\n y := y*y\n stop \"enough\"\n end",
    ] {
        let text = forward(branch, false);
        assert!(!text.contains("taken"), "{branch}\n{text}");
    }
}

/// Programs with stacks of their own: markers that are others, or not the last that an arm does.
#[test]
fn arms_that_push_otherwise() {
    let arms = [
        (
            "y := y + x[i]\n push[control 1] 1",
            "y := y*x[i]\n push[control 1] 0",
            true,
        ),
        ("push[control 1] 1", "y := y*x[i]\n push[control 1] 0", true),
        (
            "y := y + x[i]\n push[control 1] 0",
            "push[control 1] 1",
            false,
        ),
        (
            "push[control 1] 1\n push[control 1] 1",
            "push[control 1] 0\n push[control 1] 0",
            false,
        ),
        (
            "push[control 1] m\n m := 1",
            "push[control 1] m\n m := 0",
            false,
        ),
        (
            "push[control 1] 1\n y := y + x[i]",
            "push[control 1] 0",
            false,
        ),
        (
            "m := pop[control 1]\n push[control 1] 1",
            "push[control 1] 0",
            false,
        ),
    ];
    let mut all = Vec::new();
    for (yes, no, in_front) in arms {
        let text = format!(
            "// n = 5
main subroutine f(in integer n, in real x[n], inout real y)
  local tape t
  local integer i
  local integer m
  m := 0
  push[control 1] 1
  push[control 1] 1
  for i = 1, n
    if x[i] > 1.0
{yes}
    else
{no}
    end
  end
  for i = 1, n
    m := pop[control 1]
    y := 2.0*y + real(m)
  end
end
"
        );
        let made = jobs(yes, &case("arms", &text), &Options::default(), 3);
        let emitted = c::program_with(&made[0].program, c::Options::default()).unwrap();
        assert_eq!(emitted.contains("taken"), in_front, "{text}");
        all.extend(made);
    }
    check(&all);
}

#[test]
fn bits_have_room() {
    let text = forward(
        "if x[i]*y > 1.0\n y := x[i]*z\n end\n while y > 8.0\n if z > y\n z := z*y\n end\n y := 0.5*y\n end",
        false,
    );
    let room = "if (cfgrev_room_control(&top, tape, 1))\n                return 1;\n            cfgrev_push_bits(&top, (uint64_t)taken, 1);";
    assert_eq!(text.matches(room).count(), 1, "{text}");
}

/// Branches in branches and loops whose arms record values, change the operands of the condition, or do nothing.
fn random_text(rng: &mut Rng) -> String {
    let mut text = String::from(
        "// n = 4
main subroutine f(in integer n, in real x[n], inout real y, inout real z)
  local integer i
  independent x, y, z
  dependent y, z
  for i = 1, n
",
    );
    let conditions = ["x[i]*y > 1.0", "y < z", "z <= x[i]", "not (y > x[i])"];
    let statements = [
        "y := 0.5*y*x[i]",
        "z := 0.25*z*y + x[i]",
        "y := x[i]",
        "z := 0.5*y",
    ];
    let mut open = 0;
    for _ in 0..rng.between(4, 14) {
        text += &match rng.below(5) {
            0 | 1 if open < 4 => {
                open += 1;
                format!("if {}\n", conditions[rng.below(conditions.len())])
            }
            2 if open > 0 => {
                open -= 1;
                match rng.percent(50) {
                    true => format!("else\n{}\nend\n", statements[rng.below(statements.len())]),
                    false => "end\n".to_owned(),
                }
            }
            _ => format!("{}\n", statements[rng.below(statements.len())]),
        };
    }
    text += &"end\n".repeat(open);
    text += "  end\nend\n";
    text
}

#[test]
fn random_branches_have_the_bits_of_the_executor() {
    let mut all: Vec<Job> = Vec::new();
    for seed in seeds() {
        let text = random_text(&mut Rng::new(seed + 31));
        let options = Options {
            blocks: [Blocks::Statement, Blocks::Preaccumulate][seed as usize % 2],
            ..Options::default()
        };
        all.extend(jobs(
            &format!("branches {seed}"),
            &case("branches", &text),
            &options,
            seed,
        ));
    }
    check(&all);
}
