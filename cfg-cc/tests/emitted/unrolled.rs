//! Loops that are written upwards, two passes at a time, where their passes share nothing.

use crate::{
    by_hand::case,
    random::{check, seeds},
    support::{Job, flat, jobs},
};
use cfg_back::c;
use cfg_core::validate::validate;
use cfg_format::text;
use cfg_reverse::Options;
use cfg_testkit::rng::Rng;

/// The main routine of a program as C.
pub(crate) fn emitted(text: &str, options: c::Options) -> String {
    let parsed = text::parse(text);
    let program = parsed
        .program
        .unwrap_or_else(|| panic!("{:?}\n{text}", parsed.problems));
    let made = c::program_with(&flat(&validate(program).unwrap()), options).unwrap();
    let start = made.find("f_body(").or(made.find(" f(")).unwrap();
    made[start..].split("\n}\n").next().unwrap().to_owned()
}

/// A program with a loop over i, and variables that overlap or not.
pub(crate) fn around(body: &str, behind: &str) -> String {
    format!(
        "global real all[90]
global real part[20] overlays all at 10
main subroutine f(in integer n, inout real a[n, 20], inout real b[20], inout real c[20], inout integer p[20], in real s)
  uses part
  uses all
  local integer i
  local integer j
  local real t
  j := 1
  {body}
  {behind}
  t := b[1]
end
"
    )
}

#[test]
fn loops_whose_passes_share_nothing() {
    let unrolled = [
        "for i = n, 2, -1\n b[i] := b[i] + s*c[i]\n end",
        "for i = 1, n\n b[i + 1] := s*c[i] - c[i + 2]*b[i + 1]\n end",
        "for i = n, 1, -1\n a[j, i] := a[j, i] - s*a[j + 1, i]\n c[i] := 0.0\n end",
        "for i = 1, n\n a[i, p[j]] := a[i, p[j]] + b[i]\n end",
        "for i = 1, n\n b[j*3 + i] := b[j*3 + i] + c[p[i]]\n end",
        "for i = 1, n\n part[i] := part[i] + s*b[i]\n end",
        "for i = 1, n\n a[i, i] := a[i, i] + s\n end",
        "for i = 1, n\n a[j, i] := a[j, i] + a[i, i]\n end",
        "for i = 1, n\n b[n - i + 1] := s*c[i]\n end",
    ];
    for body in unrolled {
        let text = emitted(&around(body, ""), c::Options::default());
        assert!(text.contains("i += 2"), "{body}\n{text}");
        let options = c::Options {
            checks: true,
            ..c::Options::default()
        };
        let text = emitted(&around(body, ""), options);
        assert!(!text.contains("i += 2"), "{body}\n{text}");
    }
    let plain = [
        // Passes read what others assign, or assign the same element.
        "for i = 2, n\n b[i] := b[i] + s*b[i - 1]\n end",
        "for i = 1, n\n b[i] := b[i] + s\n b[i + 1] := b[i + 1] + s\n end",
        "for i = 1, n\n b[i] := s*c[i]\n b[i + 1] := 0.25\n end",
        "for i = 1, n\n b[i + 1] := s*c[i]\n b[n - i + 1] := s\n end",
        "for i = 1, n\n b[j] := b[j] + s*c[i]\n end",
        "for i = 1, n\n b[i*j] := b[i*j] + s*c[i]\n end",
        "for i = 1, n\n b[i*2 - i] := b[i*2 - i] + s\n end",
        "for i = 1, n\n b[p[i]] := b[p[i]] + s*c[i]\n end",
        "for i = 1, n\n b[n - i + 1] := b[i] + s\n end",
        "for i = 1, n\n a[j, i] := a[j, i] + a[i, j]\n end",
        "for i = 1, n\n part[i] := part[i] + s*all[i]\n end",
        "for i = 1, n\n part[i] := part[i] + s*all[j]\n end",
        "for i = 1, n\n t := s*c[i]\n b[i] := b[i] + t\n end",
        // Bounds that are assigned before they are known, other steps, loops and branches inside.
        "for i = 1, n, 2\n b[i] := b[i] + s*c[i]\n end",
        "for i = 1, n\n if i > 2\n b[i] := b[i] + s*c[i]\n end\n end",
        "for i = i, n\n b[i] := b[i] + s*c[i]\n end",
        // Compilers know better, or have better.
        "for i = 1, 3\n b[i] := b[i] + s*c[i]\n end",
        "for i = 1, n\n b[i] := c[i]\n end",
        "for i = 1, n\n b[i] := b[i] + exp(c[i])\n end",
    ];
    for body in plain {
        let text = emitted(&around(body, ""), c::Options::default());
        let is_unrolled = text.contains("if (i <= ") && !text.contains("for (; i ");
        assert!(!is_unrolled, "{body}\n{text}");
    }
    // The index is read behind the loop.
    let text = around(unrolled[0], "b[2] := b[2]*real(i)");
    assert!(!emitted(&text, c::Options::default()).contains("i += 2"));
}

#[test]
fn parameters_that_may_overlap() {
    let text = |aliased: &str| {
        format!(
            "{aliased}subroutine f(in integer n, inout real a[n], in real b[n])
  local integer i
  for i = n, 1, -1
    a[i] := a[i] + 2.0*b[i]
  end
end
"
        )
    };
    let made = |aliased| emitted(&text(aliased), c::Options::default());
    assert!(made("").contains("i += 2"), "{}", made(""));
    assert!(!made("aliased ").contains("i += 2"));
}

/// A program of loops that are nearly all of the kind, or nearly of the kind; and how often the index is read behind.
fn random_text(rng: &mut Rng) -> String {
    let n = rng.between(-1, 6);
    let mut text = format!(
        "// n = {n}
global real all[60 from -9]
global real part[30 from -9] overlays all at 20
main subroutine f(in integer n, inout real a[9 from -2, 24 from -9], inout real b[24 from -9], inout real c[24 from -9], inout real s)
  uses part
  uses all
  local integer i
  local integer j
  local integer k
  independent a, b, c, s
  dependent a, b, c, s
  all := 0.5
  i := 1
  k := 2
  for j = 1, 2
"
    );
    for _ in 0..6 {
        let index = ["i", "k"][rng.below(2)];
        let low = rng.between(-1, 2);
        let high = ["n", "n + 1", "n - j", "5"][rng.below(4)];
        let head = match rng.below(3) {
            0 => format!("{low}, {high}"),
            1 => format!("{high}, {low}, -1"),
            _ => format!("{high}, {low} + j, -1"),
        };
        text += &format!("  for {index} = {head}\n");
        let subscript = |rng: &mut Rng| {
            let all = [
                "@", "@", "@", "@ + 1", "@ - 1", "1 + @", "j + @", "2 - @", "3",
            ];
            all[rng.below(all.len())].replace('@', index)
        };
        let place = |rng: &mut Rng| match rng.below(7) {
            0 | 1 => format!("b[{}]", subscript(rng)),
            2 | 3 => format!("c[{}]", subscript(rng)),
            4 => format!("part[{}]", subscript(rng)),
            5 => format!("all[{}]", subscript(rng)),
            _ => {
                let row = ["j", "j + 1", "3", index][rng.below(4)];
                format!("a[{row}, {}]", subscript(rng))
            }
        };
        let scale = ["0.5", "s", "-s", "0.25"];
        for _ in 0..rng.between(1, 3) {
            let target = place(rng);
            let target = match rng.below(12) {
                0 => "s".to_owned(),
                _ => target,
            };
            let (old, other) = (target.clone(), place(rng));
            let by = scale[rng.below(scale.len())];
            text += &match rng.below(6) {
                0 | 1 => format!("    {target} := {by}*{other}\n"),
                2 => format!(
                    "    {target} := {old} - {by}*{other} + 0.125*{}\n",
                    place(rng)
                ),
                _ => format!("    {target} := {old} + {by}*{other}\n"),
            };
        }
        text += "  end\n";
        if rng.percent(8) {
            text += &format!("  s := s + 0.125*real({index})\n");
        }
    }
    text += "  end\n  b[1] := b[1] + part[2] + all[7] + part[5]\nend\n";
    text
}

#[test]
fn random_loops_have_the_bits_of_the_executor() {
    let mut all: Vec<Job> = Vec::new();
    let (mut loops, mut unrolled) = (0, 0);
    for seed in seeds() {
        let text = random_text(&mut Rng::new(seed + 77));
        loops += 6;
        let body = emitted(&text, c::Options::default());
        unrolled += body.matches("i += 2").count() + body.matches("k += 2").count();
        all.extend(jobs(
            &format!("loops {seed}"),
            &case("loops", &text),
            &Options::default(),
            seed,
        ));
    }
    assert!(
        loops < unrolled * 20 && unrolled * 2 < loops,
        "{unrolled} of {loops}"
    );
    check(&all);
}
