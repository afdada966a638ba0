//! Loops of which two passes share one inner loop.

use crate::{
    by_hand::case,
    carried::undeclared,
    random::{check, seeds},
    support::{Job, jobs},
    unrolled::emitted,
};
use cfg_back::c;
use cfg_reverse::Options;
use cfg_testkit::rng::Rng;

/// A program with a nest of loops over i and j.
fn around(kind: &str, body: &str, behind: &str) -> String {
    format!(
        "global real all[90]
global real part[20] overlays all at 10
main {kind}subroutine f(in integer n, in integer k, inout real a[20, 20], inout real b[20], inout real c[20], inout integer p[20], in real s)
  uses part
  uses all
  local integer i
  local integer j
  local real t
  local real u
  t := 0.0
  u := 0.0
  {body}
  {behind}
  b[1] := b[1] + t + u
end
"
    )
}

fn made(kind: &str, body: &str, behind: &str) -> String {
    emitted(&around(kind, body, behind), c::Options::default())
}

#[test]
fn two_passes_as_one() {
    let text = made(
        "",
        "for i = n, k + 1, -1
    t := a[i, k]
    for j = k + 1, n
      u := a[i, j]*s
      t := t + u*b[j]
      a[k, j] := a[k, j] + u
    end
    a[i, k] := t
  end",
        "",
    );
    let lines = undeclared(&text);
    let expected = "\
for (i = n; i > k + 1; i -= 2) {
t = a[i*20 + k - 21];
t_next = a[i*20 + k - 41];
u_next = u;
for (j = k + 1; j <= n; ++j) {
u = a[i*20 + j - 21] * s;
u_next = a[i*20 + j - 41] * s;
t += u * b[j - 1];
t_next += u_next * b[j - 1];
a[k*20 + j - 21] += u;
a[k*20 + j - 21] += u_next;
}
a[i*20 + k - 21] = t;
a[i*20 + k - 41] = t_next;
t = t_next;
u = u_next;
}
if (i >= k + 1) {
t = a[i*20 + k - 21];
for (j = k + 1; j <= n; ++j) {
u = a[i*20 + j - 21] * s;
t += u * b[j - 1];
a[k*20 + j - 21] += u;
}
a[i*20 + k - 21] = t;
}";
    assert!(lines.join("\n").contains(expected), "{text}");
}

/// An element that both passes read and increment is incremented by the first one before the second one reads it.
#[test]
fn statements_of_both_passes_in_turn_or_not() {
    let text = made(
        "",
        "for i = n, k + 1, -1
    t := a[i, k]
    for j = k + 1, n
      u := a[i, j]*s
      t := t + u*a[k, j]
      a[k, j] := a[k, j] + u
    end
    a[i, k] := t
  end",
        "",
    );
    let lines = undeclared(&text);
    let expected = "\
a[k*20 + j - 21] += u;
u_next = a[i*20 + j - 41] * s;
t_next += u_next * a[k*20 + j - 21];
a[k*20 + j - 21] += u_next;
}";
    assert!(lines.join("\n").contains(expected), "{text}");
}

#[test]
fn nests_that_push_and_pop() {
    let made = |before: &str, behind: &str| {
        let body =
            format!("for i = 1, n\n{before}\nfor j = 1, k\nt := t + a[i, j]*u\nend\n{behind}\nend");
        let text = around("", &body, "")
            .replace("in real s)", "in real s, inout tape w)")
            .replace("  t := 0.0", "  local real v\n  t := 0.0");
        emitted(&text, c::Options::default())
    };
    let text = made("push[real] t\nt := 0.0", "c[i] := t");
    let lines = undeclared(&text);
    let expected = "\
if (cfgrev_room_real(&top, w, n))
return 1;
i;
for (i = 1; i < n; i += 2) {
cfgrev_push_real(&top, t);
t = 0.0;
t_next = 0.0;
";
    assert!(lines.join("\n").contains(expected), "{text}");
    // Values are popped in the order in which they were.
    let text = made("t := 0.0", "c[i] := t\nv := pop[real]\nb[i] := v");
    assert!(text.contains("t_next"), "{text}");
    let text = made("t := 0.0", "c[i] := t\nu := pop[real]");
    assert!(text.contains("u_next = cfgrev_pop_real"), "{text}");
    for behind in [
        "v := pop[real]\nb[i] := v\nu := pop[real]",
        "push[real] t\nu := pop[real]",
    ] {
        let text = made("t := 0.0", &format!("c[i] := t\n{behind}"));
        assert!(!text.contains("_next"), "{text}");
    }
}

#[test]
fn nests_that_are_jammed_or_not() {
    let nest = |head: &str, before: &str, inner: &str, sums: &str, behind: &str| {
        format!("for i = {head}\n{before}\nfor j = {inner}\n{sums}\nend\n{behind}\nend")
    };
    let sum = "t := t + a[i, j]*b[j]";
    let jammed = [
        nest("1, n", "t := 0.0", "1, k", sum, "c[i] := t"),
        nest("n, 1, -1", "t := c[i]", "n, k, -1", sum, "c[i] := t*s"),
        nest("1, n", "t := u*s", "1, k", sum, "u := t"),
        nest(
            "k + 1, n",
            "t := 0.0",
            "k + 1, n",
            "t := t + a[i, j]*a[k, j]",
            "a[i, k] := t",
        ),
        nest(
            "1, n",
            "u := exp(c[i])\nb[i] := u\nt := 0.0",
            "1, k",
            "t := t + a[i, j]*s",
            "c[i] := t + u",
        ),
        nest(
            "1, n",
            "t := 0.0",
            "1, k",
            "t := t + a[i, j]*b[j]\nc[j] := c[j] + a[i, j]",
            "",
        ),
    ];
    for (k, body) in jammed.iter().enumerate() {
        let text = made("", body, "");
        // The sum of one pass begins with the sum of the pass before.
        let is_jammed = text.contains("t_next");
        assert_eq!(is_jammed, k != 2, "{body}\n{text}");
        // One array shares no cells with itself.
        let text = made("aliased ", body, "");
        assert_eq!(text.contains("_next"), k == 3, "{body}\n{text}");
        let checks = c::Options {
            checks: true,
            ..c::Options::default()
        };
        assert!(
            !emitted(&around("", body, ""), checks).contains("_next"),
            "{body}"
        );
        // The index is read behind the loop.
        assert!(
            !made("", body, "c[1] := real(i)").contains("_next"),
            "{body}"
        );
    }
    let plain = [
        // A sum over all passes; none; a sum of what the pass before has computed.
        nest("1, n", "", "1, k", sum, ""),
        nest(
            "1, n",
            "t := 0.0",
            "1, k",
            "b[j] := b[j] + c[i]",
            "c[i] := t",
        ),
        nest(
            "1, n",
            "t := 0.0",
            "1, k",
            "t := t + a[i, j]*b[j]\nu := u + a[i, j]",
            "c[i] := t",
        ),
        nest(
            "1, n",
            "t := 0.0",
            "1, k",
            "t := t + a[i, j]*u\nu := a[i, j]",
            "c[i] := t",
        ),
        // Cells that may be the same: of a triangular solution, of rows, of neighbours.
        nest("1, n", "t := 0.0", "1, k", sum, "b[i] := t"),
        nest(
            "1, n",
            "t := 0.0",
            "1, k",
            "t := t + a[i, j]*a[k, j + 1]\na[k, j] := t",
            "",
        ),
        nest(
            "k, n",
            "t := 0.0",
            "k + 1, n",
            "t := t + a[i, j + 1]\na[k, j] := a[k, j] + t",
            "",
        ),
        nest(
            "k + 1, n",
            "t := 0.0",
            "k, n",
            "t := t + a[i, j]*a[k, j]",
            "a[k, k] := t",
        ),
        nest(
            "1, n",
            "t := 0.0",
            "1, k",
            "t := t + a[i, j]*b[j]\nb[j + 1] := t",
            "",
        ),
        nest(
            "1, n",
            "t := 0.0",
            "1, k",
            "t := t + a[i, j]\na[i + 1, j + 1] := s",
            "",
        ),
        nest("1, n", "t := 0.0", "1, k", sum, "a[i + 1, 3] := t"),
        nest("1, n", "t := c[i]", "1, k", sum, "c[i + 1] := t"),
        nest(
            "1, n",
            "t := 0.0",
            "1, k",
            "t := t + a[i, j]*part[j]",
            "all[i] := t",
        ),
        nest(
            "1, n",
            "t := 0.0",
            "1, k",
            "t := t + a[p[i], j]*s",
            "a[i, k] := t",
        ),
        nest(
            "1, n",
            "t := c[i]",
            "1, k",
            "t := t + a[i, j]*s\nc[j] := t",
            "",
        ),
        nest(
            "1, n",
            "t := 0.0\nu := s",
            "1, k",
            "t := t + a[i, j]\nu := c[i]",
            "",
        ),
        nest(
            "1, n",
            "t := 0.0",
            "1, k",
            "t := t + a[i, j]\nu := u + s",
            "u := 0.5*s\nc[i] := u",
        ),
        nest(
            "1, n",
            "",
            "1, k",
            "t := t + a[i, j]*u",
            "u := 0.5*s\nc[i] := u\nt := u\nu := s",
        ),
        // Functions that cannot stand in front of both inner loops.
        nest("1, n", "t := 0.0", "1, k", sum, "c[i] := exp(t)"),
        nest("1, n", "c[i] := exp(s)", "1, k", sum, "t := c[i]"),
        nest("1, n", "t := 0.0", "1, k", sum, "u := exp(s)"),
        // Bounds that name the index, or change; few passes; other steps; other statements.
        nest("1, n", "t := 0.0", "1, i", sum, "c[i] := t"),
        nest("1, n", "t := 0.0", "1, 3", sum, "c[i] := t"),
        nest("1, n, 2", "t := 0.0", "1, k", sum, "c[i] := t"),
        nest("1, n", "t := 0.0", "1, k, 2", sum, "c[i] := t"),
        nest("1, n", "t := 0.0", "1, p[1]", sum, "p[1] := k\nc[i] := t"),
        nest(
            "1, n",
            "t := 0.0",
            "1, k",
            "t := t + exp(a[i, j])",
            "c[i] := t",
        ),
    ];
    for body in plain {
        let text = made("", &body, "");
        assert!(!text.contains("_next"), "{body}\n{text}");
    }
}

/// A program of nests that are nearly all of the kind, or nearly of the kind.
fn random_text(rng: &mut Rng) -> String {
    let n = rng.between(-1, 6);
    let real = ["real", "real", "real32"][rng.below(3)];
    let mut text = format!(
        "// n = {n}
global {real} all[60 from -9]
global {real} part[30 from -9] overlays all at 20
main subroutine f(in integer n, inout {real} a[15 from -4, 15 from -4], inout {real} b[15 from -4], inout {real} c[15 from -4], inout {real} s)
  uses part
  uses all
  local integer i
  local integer j
  local integer k
  local {real} t
  local {real} u
  independent a, b, c, s
  dependent a, b, c, s
  all := 0.5
  t := s
  u := 0.5
  for k = 1, 2
"
    );
    for _ in 0..3 {
        let head = |rng: &mut Rng| {
            let low = ["1", "k", "k + 1", "2"][rng.below(4)];
            let high = ["n", "n + 1", "4", "n - k"][rng.below(4)];
            match rng.below(3) {
                0 => format!("{low}, {high}"),
                _ => format!("{high}, {low}, -1"),
            }
        };
        let (outer, inner) = (head(rng), head(rng));
        let odd = rng.percent(40);
        let place = |rng: &mut Rng, inside: bool| {
            let moving = if inside { "j" } else { "k" };
            match rng.below(if odd { 10 } else { 7 }) {
                0 | 1 => format!("a[i, {moving}]"),
                2 => format!("a[k, {moving}]"),
                3 => format!("b[{moving}]"),
                4 => "c[i]".to_owned(),
                5 => "s".to_owned(),
                6 => "t".to_owned(),
                7 => format!("a[i + 1, {moving}]"),
                8 => format!("part[{moving} + 1]"),
                _ => "b[i - 1]".to_owned(),
            }
        };
        text += &format!("  for i = {outer}\n");
        text += &match rng.below(6) {
            0 => "    u := 0.5*t\n".to_owned(),
            1 => format!("    t := {}\n", place(rng, false)),
            2 => format!("    t := sin({})\n    u := u + t\n", place(rng, false)),
            _ => "    t := 0.0*s\n".to_owned(),
        };
        text += &format!("    for j = {inner}\n");
        for _ in 0..rng.between(1, 3) {
            let (one, two) = (place(rng, true), place(rng, true));
            text += &match rng.below(6) {
                0 => format!("      u := 0.25*{one}\n"),
                1 | 2 => format!("      {one} := {one} - 0.25*t*{two}\n"),
                3 => format!("      u := u + 0.125*{one}\n"),
                _ => format!("      t := t + 0.25*{one}*{two}\n"),
            };
        }
        text += "    end\n";
        for _ in 0..rng.between(0, 2) {
            text += &match rng.below(4) {
                0 => format!("    u := 0.25*{}\n", place(rng, false)),
                1 => format!("    {} := t - 0.25*u\n", place(rng, false)),
                2 => format!("    {0} := 0.5*{0} + 0.25*t\n", place(rng, false)),
                _ => "    c[i] := t\n".to_owned(),
            };
        }
        text += "  end\n";
        if rng.percent(8) {
            text += "  s := s + 0.125*real(i)\n";
        }
    }
    text += "  end\n  b[1] := b[1] + part[2] + all[7] + part[5] + u + t\nend\n";
    if real == "real32" {
        for constant in ["0.25", "0.125", "0.5", "0.0"] {
            text = text.replace(constant, &format!("real32({constant})"));
        }
        text = text.replace("real(i)", "real32(i)");
    }
    text
}

#[test]
fn random_nests_have_the_bits_of_the_executor() {
    let mut all: Vec<Job> = Vec::new();
    let (mut nests, mut jammed) = (0, 0);
    for seed in seeds() {
        let text = random_text(&mut Rng::new(seed + 277));
        nests += 3;
        let case = case("jammed", &text);
        let body = emitted(&text, c::Options::default());
        jammed += body.matches("i > ").count() + body.matches("i += 2").count();
        all.extend(jobs(
            &format!("jammed {seed}"),
            &case,
            &Options::default(),
            seed,
        ));
    }
    assert!(jammed * 9 > nests && jammed < nests, "{jammed} of {nests}");
    check(&all);
}
