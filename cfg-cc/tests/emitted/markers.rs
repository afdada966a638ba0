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
    let statements = ["y := 0.5*y*x[i]", "z := 0.25*z*y + x[i]", "y := x[i]", "z := 0.5*y"];
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
        all.extend(jobs(&format!("branches {seed}"), &case("branches", &text), &options, seed));
    }
    check(&all);
}
