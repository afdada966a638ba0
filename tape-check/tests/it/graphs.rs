//! Sweeps with jumps: right ones pass, and each change of a line has its problem.

use crate::rules::{Found, assert_found, report};

const PARAMETERS: &str = "in integer n, in logical l, inout real x, inout tape t";

/// Sweeps of a loop that ends with a jump, and of one more routine that is called in places.
fn sweeps(forward: &str, reverse: &str) -> String {
    format!(
        "general subroutine f_fwd({PARAMETERS}) {{forward of f}}
           local integer k
           local tape own, other
           {forward}
           k := 0
           label again
           push[real] x on t
           x := x*x
           k := k + 1
           if x < 100.0
             goto again
           end
           push[control count] k on t
         end
         general subroutine f_rev({PARAMETERS}) {{reverse of f}}
           local integer m, j
           local tape own, other
           m := pop[control count] from t
           for j = 1, m
             x := pop[real] from t
           end
           {reverse}
         end
         subroutine g_fwd(inout real x, inout tape t) {{forward of g}}
           push[real] x
           x := 2.0*x
         end
         subroutine g_rev(inout real x, inout tape t) {{reverse of g}}
           x := pop[real]
         end"
    )
}

#[test]
fn each_sweep_goes_one_way() {
    let push = Some((
        "T701",
        "the control flow is not structured, and this is no push on the sweep's tape",
    ));
    let pop = Some((
        "T701",
        "the control flow is not structured, and this is no pop from the sweep's tape",
    ));
    for (forward, reverse, found) in [
        ("", "", None),
        ("push[real] x on t", "x := pop[real] from t", None),
        ("push[integer] n + 1 on t", "m := pop[integer] from t", None),
        ("push[control 8] 1 on t", "m := pop[control 8] from t", None),
        ("call g_fwd(x, t)", "call g_rev(x, t)", None),
        ("x := pop[real] from t", "", push),
        ("push[real] x on own", "", push),
        ("push[real] x on other", "", push),
        ("push[control 1] 0 on own", "", push),
        ("x := pop[real] from own", "", push),
        ("call g_rev(x, t)", "", push),
        ("call g_rev(x, own)", "", push),
        ("call g_fwd(x, own)", "", push),
        ("call g_fwd(x, other)", "", push),
        ("", "push[real] x on t", pop),
        ("", "x := pop[real] from own", pop),
        ("", "x := pop[real] from other", pop),
        ("", "m := pop[control 1] from own", pop),
        ("", "push[real] x on own", pop),
        ("", "call g_fwd(x, t)", pop),
        ("", "call g_fwd(x, own)", pop),
        ("", "call g_rev(x, own)", pop),
        ("", "call g_rev(x, other)", pop),
    ] {
        assert_found(&sweeps(forward, reverse), found);
    }
}

/// The sweeps of a loop with a test in the middle, whose adjoints have images in the forward sweep.
const IMAGES: &str =
    "general subroutine f_fwd(in integer n, inout real x, inout tape t) {forward of f}
  local integer c
    1 ENTRY -> 2 {copy of 1}
    2 BASICBLOCK -> 3 {copy of 2}
          c := 0
    3 BASICBLOCK -> 4 {copy of 3}
          push[real] x
          x := x*x
    4 BRANCH x > 100.0 -> 6 [1], 5 [0] {copy of 4}
    5 BASICBLOCK -> 3 {copy of 5}
          c := c + 1
          x := x + 1.0
    6 BASICBLOCK -> 7 {copy of 6}
          push[control count] c
    7 EXIT {copy of 7}
end

general subroutine f_rev(in integer n, inout real x, inout tape t) {reverse of f}
  local integer k, b, e
   -7 ENTRY -> -6 {adjoint of 7}
   -6 BASICBLOCK -> 17 {adjoint of 6}
          b := pop[control count]
          e := 1
   17 FORLOOP k = 0, b -> 18 [1], -2 {counted-loop of 3}
   18 BRANCH select e: [0] 0; [1] 1 -> -5 [0], 19 [1] {exit-branch of 3}
   19 BASICBLOCK -> -4 {exit-set of 3}
          e := 0
   -5 BASICBLOCK -> -4 {adjoint of 5}
          x := x - 1.0
   -4 ENDBRANCH -> -3 {adjoint of 4}
   -3 BASICBLOCK -> 21 {adjoint of 3}
          x := pop[real]
   21 ENDLOOP -> 17 {counted-loop of 3}
   -2 BASICBLOCK -> -1 {adjoint of 2}
   -1 EXIT {adjoint of 1}
end
";

/// Edits of a text: each old line, which occurs once in the text, and its new line.
fn edited(text: &str, edits: &[(&str, &str)]) -> String {
    let mut made = text.to_owned();
    for (from, to) in edits {
        assert_eq!(made.matches(from).count(), 1, "`{from}` in {made}");
        made = made.replace(from, to);
    }
    made
}

#[test]
fn a_loop_that_is_left_in_the_middle_runs_once_more() {
    let cases: [(&[(&str, &str)], Found); 22] = [
        (&[], None),
        // The bound says it, in place of the first value.
        (
            &[
                ("e := 1", "b := b + 1\n e := 1"),
                ("FORLOOP k = 0, b", "FORLOOP k = 1, b"),
            ],
            None,
        ),
        (
            &[("FORLOOP k = 0, b", "FORLOOP k = 1, b")],
            Some(("T711", "does not visit the adjoint of this block")),
        ),
        (
            &[("e := 1", "b := b + 1\n e := 1")],
            Some(("T708", "it is not proven how often this runs")),
        ),
        (
            &[
                ("e := 1", "b := b + 2\n e := 1"),
                ("FORLOOP k = 0, b", "FORLOOP k = 1, b"),
            ],
            Some(("T708", "it runs more than once more than was counted")),
        ),
        (
            &[("FORLOOP k = 0, b", "FORLOOP k = 0, n")],
            Some(("T708", "it is not proven how often this runs")),
        ),
        (
            &[("FORLOOP k = 0, b", "FORLOOP k = 0, trips(1, n, 1)")],
            Some(("T708", "it is not proven how often this runs")),
        ),
        (
            &[("FORLOOP k = 0, b", "FORLOOP k = 1, trips(1, n, 1)")],
            Some(("T708", "")),
        ),
        (
            &[("FORLOOP k = 0, b", "FORLOOP k = 0, b, 2")],
            Some(("T708", "")),
        ),
        // The counter does something else.
        (&[("c := 0", "c := 1")], Some(("T708", ""))),
        (&[("c := c + 1", "c := c + 2")], Some(("T708", ""))),
        (&[("c := c + 1", "c := n")], Some(("T708", ""))),
        (
            &[("c := c + 1", "c := c + 1\n c := c + 1")],
            Some(("T708", "")),
        ),
        (
            &[("push[control count] c", "push[control count] n")],
            Some(("T708", "")),
        ),
        (
            &[("push[real] x", "push[real] x\n c := 0")],
            Some(("T711", "the block visited before is")),
        ),
        // The way of the first pass.
        (&[("e := 1\n", "e := 0\n")], Some(("T711", ""))),
        (&[("          e := 1\n", "")], Some(("T709", ""))),
        (
            &[("e := 0\n", "e := 1\n")],
            Some(("T711", "the block visited before is")),
        ),
        (
            &[("[0] 0; [1] 1", "[0] 0; [1] 2")],
            Some(("T709", "with 1, it takes no arm")),
        ),
        (
            &[("select e: ", "select e + n: ")],
            Some(("T709", "it does not decide on a popped value alone")),
        ),
        // An item that no pop takes, and a pop without an item.
        (
            &[("          x := pop[real]\n", "")],
            Some(("T706", "does not pop this")),
        ),
        (
            &[("          push[real] x\n", "")],
            Some((
                "T708",
                "not where the forward sweep is after as many passes",
            )),
        ),
    ];
    for (edits, found) in cases {
        assert_found(&edited(IMAGES, edits), found);
    }
}

#[test]
fn what_is_proven_is_counted() {
    let summary = report(IMAGES).summary;
    let found = [
        summary.pairs,
        summary.neutral,
        summary.control,
        summary.counts,
        summary.integer,
        summary.real,
        summary.real32,
        summary.loops_counted,
        summary.loops_recomputed,
        summary.branches,
        summary.calls,
    ];
    assert_eq!(found, [1, 0, 0, 1, 0, 1, 0, 1, 0, 1, 0]);
    assert_eq!(summary.pushes(), 2);
    let forward = "push[integer] n + 1 on t\npush[control 1] 1 on t\npush[real32] 2.0f on t\ncall g_fwd(x, t)";
    let reverse = "call g_rev(x, t)\ny := pop[real32] from t\nm := pop[control 1] from t\nm := pop[integer] from t";
    let text = sweeps(forward, &format!("{reverse}\n"));
    let text = edited(
        &text,
        &[("local integer m, j", "local integer m, j\nlocal real32 y")],
    );
    let summary = report(&text).summary;
    assert_eq!(
        [
            summary.control,
            summary.counts,
            summary.integer,
            summary.real,
            summary.real32,
            summary.calls,
            summary.pushes(),
        ],
        // The other pair's push is one of them.
        [1, 1, 1, 2, 1, 1, 6]
    );
}

/// The sweeps of a counted loop with a return in it: the count is pushed where it is left early only.
const COUNTED: &str =
    "general subroutine f_fwd(in integer n, in integer m, inout real y, inout tape t) {forward of f}
  local integer i, c, h
    1 ENTRY -> 9 {copy of 1}
    2 LOOP i = 2, h, 3 -> 3 [1], 7 {copy of 2}
    3 BASICBLOCK -> 4 {copy of 3}
          push[real] y
          y := y*y
    4 BRANCH y > 100.0 -> 14 [1], 11 [0] {copy of 4}
    7 BASICBLOCK -> 13 {copy of 7}
          push[real] y
          y := 2.0*y
    8 EXIT {copy of 8}
    9 BASICBLOCK -> 12 {copy of 9}
          h := n
   10 ENDLOOP -> 2 {copy of 10}
   11 BASICBLOCK -> 10 {counter-increment of 2}
          c := c + 1
   12 BASICBLOCK -> 2 {counter-init of 2}
          c := 0
   13 BASICBLOCK -> 8 {marker-push of 8}
          push[control 1] 1
   14 BASICBLOCK -> 15 {counter-push of 2}
          push[control count] c
   15 BASICBLOCK -> 8 {marker-push of 8}
          push[control 1] 0
end

subroutine f_rev(in integer n, in integer m, inout real y, inout tape t) {reverse of f}
  local integer i, b, r, e, h, k
  @-8 entry {adjoint of 8}
  @26
  h := n
  b := pop[control 1]
  if b == 1 {marker-branch of 8}
    @-7 {adjoint of 7}
    y := pop[real]
    @14 {bound-pop of 2}
    r := trips(2, h, 3)
    e := 0
  else
    @13 {bound-pop of 2}
    r := pop[control count]
    r := r + 1
    e := 1
  @15 end
  @-10 forloop i = 2 + (r - 1)*3, 2, -3 {adjoint of 10}
    @48 if e == 1 {exit-branch of 2}
      @57 {exit-set of 2}
      e := 0
    else
    end {adjoint of 4}
    @-3 {adjoint of 3}
    y := pop[real]
  end {adjoint of 2}
  @-9 {adjoint of 9}
  @-1 exit {adjoint of 1}
end
";

#[test]
fn a_counted_loop_that_is_left_early_has_a_count_there() {
    let other = Some(("T708", "it counts the trips of another range"));
    let often = Some(("T708", "it is not proven how often this runs"));
    let cases: [(&[(&str, &str)], Found); 16] = [
        (&[], None),
        (&[("r := trips(2, h, 3)", "r := trips(1, h, 3)")], other),
        (&[("r := trips(2, h, 3)", "r := trips(2, m, 3)")], other),
        (&[("r := trips(2, h, 3)", "r := trips(2, h, 2)")], other),
        (&[("r := trips(2, h, 3)", "r := trips(2, h, 3) + 1")], often),
        (&[("r := r + 1", "r := r + 2")], often),
        (&[("    r := r + 1\n", "")], Some(("T706", ""))),
        // The index runs over other values.
        (&[("(r - 1)*3, 2, -3", "(r - 1)*2, 2, -2")], often),
        (&[("2 + (r - 1)*3, 2, -3", "1 + (r - 1)*3, 1, -3")], often),
        (&[("forloop i =", "forloop k =")], often),
        // The bound is changed while the loop runs.
        (&[("c := c + 1\n", "c := c + 1\n h := h - 1\n")], often),
        (&[("y := y*y\n", "y := y*y\n h := 2\n")], often),
        // The counter does something else.
        (&[("c := 0\n", "c := 1\n")], Some(("T708", ""))),
        (&[("c := c + 1\n", "c := c + 2\n")], Some(("T708", ""))),
        (
            &[("c := 0\n", "c := 0\n c := 0\n"), ("c := c + 1\n", "")],
            Some(("T708", "")),
        ),
        // Another way is said to have been taken.
        (
            &[("push[control 1] 1\n", "push[control 1] 0\n")],
            Some(("T706", "")),
        ),
    ];
    for (edits, found) in cases {
        assert_found(&edited(COUNTED, edits), found);
    }
}
