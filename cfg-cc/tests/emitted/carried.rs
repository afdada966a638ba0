//! Elements that a pass of a loop hands on to the next, held in scalars.

use crate::{
    by_hand::case,
    interface::files_with,
    random::{check, seeds},
    support::{Job, jobs},
    unrolled::{around, emitted},
};
use cfg_back::c;
use cfg_reverse::Options;
use cfg_testkit::rng::Rng;

/// The lines of C without indentation and types of declarations.
pub(crate) fn undeclared(text: &str) -> Vec<String> {
    let bare = |line: &str| line.trim().replace("double ", "").replace("int64_t ", "");
    text.lines().map(bare).collect()
}

/// The lines of the loop over i and around it.
fn lines(body: &str, options: c::Options) -> String {
    let text = emitted(&around(body, ""), options);
    let from = text.find("i = ").unwrap_or_default();
    undeclared(&text[from..])
        .into_iter()
        .take_while(|line| !line.starts_with("t = b[0]"))
        .collect::<Vec<_>>()
        .join("\n")
}

#[test]
fn elements_that_are_handed_on() {
    let made = lines(
        "for i = n, 2, -1\n b[i] := s*b[i]\n b[i - 1] := b[i - 1] + b[i]\n end",
        c::Options::default(),
    );
    let expected = "\
i = n;
if (i >= 2) {
b_at_2 = b[i - 1];
for (; i >= 2; --i) {
b_at = b[i - 2];
b_at_2 = s * b_at_2;
b_at += b_at_2;
b[i - 1] = b_at_2;
b_at_2 = b_at;
}
b[i - 1] = b_at_2;
}";
    assert!(made.contains(expected), "{made}");
    // Of the element in front nothing is read but what the pass before has assigned or was there; it is stored once.
    let made = lines(
        "for i = 2, n\n b[i] := c[i] - s*b[i - 1]\n end",
        c::Options::default(),
    );
    let expected = "\
i = 2;
if (i <= n) {
b_at_2 = b[i - 2];
for (; i <= n; ++i) {
b_at = c[i - 1] - s * b_at_2;
b[i - 1] = b_at;
b_at_2 = b_at;
}
}";
    assert!(made.contains(expected), "{made}");
}

#[test]
fn loops_that_push_and_pop() {
    let program = "main subroutine f(in integer n, inout real b[n])
  local integer i
  independent b
  dependent b
  for i = 2, n
    b[i] := b[i]*b[i - 1]
  end
end
";
    let [made, _] = files_with(program, c::Options::default());
    let made = undeclared(&made);
    let expected = "\
if (cfgrev_room_real(&top, tape, cfgrev_trips(2, n, 1)))
return 1;
i = 2;
if (i <= n) {
b_at_2 = b[i - 2];
for (; i <= n; ++i) {
b_at = b[i - 1];
cfgrev_push_real(&top, b_at);
b_at = b_at * b_at_2;
b[i - 1] = b_at;
b_at_2 = b_at;
}
}";
    assert!(made.join("\n").contains(expected), "{}", made.join("\n"));
    let expected = "\
for (; i >= 2; --i) {
b_b_at = b_b[i - 2];
b[i - 1] = cfgrev_pop_real(&top);
b_b_at += b_b_at_2 * b[i - 1];
b_b_at_2 = b_b_at_2 * b[i - 2];
b_b[i - 1] = b_b_at_2;
b_b_at_2 = b_b_at;
}";
    assert!(made.join("\n").contains(expected), "{}", made.join("\n"));
}

#[test]
fn loops_that_hand_elements_on() {
    let held = [
        "for i = n, 1, -1\n a[j, i] := a[j, i] + s*a[j, i + 1]\n end",
        "for i = 1, n\n a[i + 1, j] := a[i + 1, j] + a[i, j]*a[i, j + 1]\n end",
        "for i = 1, n\n b[n - i + 1] := s*b[n - i + 2]\n end",
        "for i = 1, n\n b[j*3 + i] := s*b[j*3 + i - 1]\n end",
        "for i = 1, n\n t := s*b[i]\n b[i + 1] := exp(t)\n end",
        "for i = 1, n\n part[i + 1] := part[i]*b[i]\n end",
        "for i = 1, 3\n b[i + 1] := b[i]*s\n end",
        "for i = 1, n\n b[(p[j] + i) + 1] := b[p[j] + i]*s\n end",
    ];
    for body in held {
        let made = lines(body, c::Options::default());
        assert!(made.contains("_at_2"), "{body}\n{made}");
        let checks = c::Options {
            checks: true,
            ..c::Options::default()
        };
        assert!(!lines(body, checks).contains("_at_2"), "{body}");
    }
    let plain = [
        // Nothing is handed on, or too far.
        "for i = 1, n\n b[i] := s*b[i + 1]\n end",
        "for i = 1, n\n b[i + 2] := s*b[i]\n end",
        "for i = 1, n\n b[i + 4] := b[i] + b[i + 1] + b[i + 2] + b[i + 3]\n end",
        "for i = 1, n\n b[j] := b[j] + s*b[j + 1]\n end",
        // Other places may be cells of the row.
        "for i = 1, n\n b[i + 1] := s*b[i] + b[j]\n end",
        "for i = 1, n\n b[i + 1] := s*b[i] + b[p[i]]\n end",
        "for i = 1, n\n b[i + 1] := s*b[i]\n b[n - i] := c[j]\n end",
        "for i = 1, n\n a[j, i + 1] := s*a[j, i] + a[i, j]\n end",
        "for i = 1, n\n a[j, i + 1] := s*a[j, i] + a[i, i]\n end",
        "for i = 1, n\n a[i, i + 1] := s*a[i, i]\n end",
        "for i = 1, n\n a[i + 1, i] := s*a[i, i]\n end",
        "for i = 1, n\n a[j, i + 1] := s*a[j, i] + a[p[j], i + 2]\n end",
        "for i = 1, n\n part[i + 1] := part[i]*all[i]\n end",
        "for i = 1, n\n part[i + 1] := part[i]\n all[i] := c[j]\n end",
        // Subscripts change.
        "for i = 1, n\n j := j + 1\n b[(i + j) + 1] := s*b[i + j]\n end",
        "for i = 1, n\n b[i*j + 1] := s*b[i*j]\n end",
        "for i = 1, n\n p[j] := i\n b[(p[j] + i) + 1] := s*b[p[j] + i]\n end",
        // Not each pass does all of it.
        "for i = 1, n\n b[i + 1] := if(i > 1, b[i], 0.0)*s\n end",
        "for i = 1, n\n if c[j] > s\n b[i + 1] := b[i]*s\n end\n end",
        // Other steps, and bounds with the index.
        "for i = 1, n, 2\n b[i + 1] := b[i]*s\n end",
        "for i = i, n\n b[i + 1] := b[i]*s\n end",
    ];
    for body in plain {
        let made = lines(body, c::Options::default());
        assert!(!made.contains("_at"), "{body}\n{made}");
    }
}

#[test]
fn parameters_that_may_overlap() {
    let text = |aliased: &str| {
        format!(
            "{aliased}subroutine f(in integer n, inout real a[n], in real b[n])
  local integer i
  for i = 2, n
    a[i] := a[i - 1] + 2.0*b[i]
  end
end
"
        )
    };
    let made = |aliased| emitted(&text(aliased), c::Options::default());
    assert!(made("").contains("a_at_2"), "{}", made(""));
    assert!(!made("aliased ").contains("a_at"));
}

/// A program of loops that hand elements on, or nearly do.
fn random_text(rng: &mut Rng) -> String {
    let n = rng.between(-1, 6);
    let real = ["real", "real", "real32"][rng.below(3)];
    let mut text = format!(
        "// n = {n}
global {real} all[60 from -9]
global {real} part[30 from -9] overlays all at 20
main subroutine f(in integer n, inout {real} a[9 from -2, 28 from -11], inout {real} b[28 from -11], inout {real} c[28 from -11], inout {real} s)
  uses part
  uses all
  local integer i
  local integer j
  local integer k
  local integer p[2]
  independent a, b, c, s
  dependent a, b, c, s
  all := 0.5
  p[1] := 1
  p[2] := 0
  for j = 1, 2
"
    );
    for _ in 0..5 {
        let low = rng.between(-1, 2);
        let high = ["n", "n + 1", "n - j", "4", "k"][rng.below(5)];
        text += "  k := 3\n";
        text += &match rng.below(3) {
            0 => format!("  for i = {high}, {low}, -1\n"),
            _ => format!("  for i = {low}, {high}\n"),
        };
        let array = rng.below(6);
        let row = ["j", "j", "j + 1", "3"][rng.below(4)];
        let base = ["i", "i", "i", "j + i", "2 - i", "p[j] + i"][rng.below(6)];
        let (odd, conditional) = (rng.percent(30), rng.percent(10));
        let place = |rng: &mut Rng| {
            let at = match rng.below(12) {
                0 if odd => "j".to_owned(),
                1 if odd => "p[j]".to_owned(),
                2 if odd => "i".to_owned(),
                3 => format!("{base} + 2"),
                4..7 => format!("{base} + 1"),
                7..10 => base.to_owned(),
                _ => format!("{base} - 1"),
            };
            match array {
                _ if rng.percent(10) => format!("c[{at}]"),
                0 | 1 => format!("b[{at}]"),
                2 => format!("part[{at}]"),
                3 if odd => format!("all[{at}]"),
                3 => format!("part[{at}]"),
                _ if rng.percent(15) => format!("a[{row} + 1, {at}]"),
                _ if odd && rng.percent(20) => format!("a[i, {at}]"),
                _ => format!("a[{row}, {at}]"),
            }
        };
        for _ in 0..rng.between(1, 4) {
            let target = place(rng);
            let (one, two) = (place(rng), place(rng));
            text += &match rng.below(9) {
                8 => format!("    k := k - 1\n    {target} := 0.5*{one}\n"),
                0 => format!("    s := 0.5*s + 0.25*{one}\n"),
                1 => format!("    {target} := 0.5*{one} - 0.25*{two}*s\n"),
                2 if conditional => format!("    {target} := if({one} > s, 0.5*{one}, {two})\n"),
                3 if odd => format!("    p[j] := p[j]\n    {target} := 0.5*{one}\n"),
                4 => format!("    {target} := 0.5*{target}*{one}\n"),
                5 => format!("    {target} := {target} + 0.25*{one}\n"),
                _ => format!("    {target} := 0.5*{one} + 0.25*sin({two})\n"),
            };
        }
        text += "  end\n";
        if rng.percent(10) {
            text += "  s := s + 0.125*real(i)\n";
        }
    }
    text += "  end\n  b[1] := b[1] + part[2] + all[7] + part[5]\nend\n";
    if real == "real32" {
        for constant in ["0.5", "0.25", "0.125"] {
            text = text.replace(constant, &format!("real32({constant})"));
        }
        text = text.replace("real(i)", "real32(i)");
    }
    text
}

#[test]
fn random_loops_have_the_bits_of_the_executor() {
    let mut all: Vec<Job> = Vec::new();
    let (mut loops, mut held) = (0, 0);
    for seed in seeds() {
        let text = random_text(&mut Rng::new(seed + 177));
        loops += 5;
        let body = emitted(&text, c::Options::default());
        held += body.matches("for (; i ").count();
        let case = case("carried", &text);
        all.extend(jobs(
            &format!("carried {seed}"),
            &case,
            &Options::default(),
            seed,
        ));
    }
    assert!(held * 6 > loops && held < loops, "{held} of {loops}");
    check(&all);
}
