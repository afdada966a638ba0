//! The conditions of the checker one by one: programs that differ in a single condition, most with a right one and
//! others with a problem.

use tape_check::Summary;

use crate::rules::{Found, assert_found, report};

/// Two sweeps of any lines.
const LINES: &str = "subroutine f_fwd(in integer n, in integer m, in logical l, inout integer p, inout real x, inout tape t, inout tape u) {forward of f}
local tape o
local integer i
local real32 y
$1
end
subroutine f_rev(in integer n, in integer m, in logical l, inout integer p, inout real x, inout tape t, inout tape u) {reverse of f}
local tape o
local integer i
local real32 y
$2
end
";

/// The sweeps of a counted loop made of jumps, with lines before it, in it and behind it.
const JUMPS: &str = "general subroutine f_fwd(in integer n, in integer m, inout integer p, inout real x, inout tape t, inout tape u) {forward of f}
  local integer c
    1 ENTRY -> 2
    2 BASICBLOCK -> 3
          $1
    3 BASICBLOCK -> 4
          $2
    4 BRANCH x < 100.0 -> 3 [1], 5 [0]
    5 BASICBLOCK -> 6
          $3
    6 EXIT
end
general subroutine f_rev(in integer n, in integer m, inout integer p, inout real x, inout tape t, inout tape u) {reverse of f}
  local integer k, b, e
    1 ENTRY -> 2
    2 BASICBLOCK -> 3
          $4
    3 FORLOOP k = 1, b -> 4 [1], 6
    4 BASICBLOCK -> 5
          x := pop[real] from t
    5 ENDLOOP -> 3
    6 BASICBLOCK -> 7
          $5
    7 EXIT
end
";

/// Each program, made of a text in which `$1`, `$2`, ... are replaced, has its first problem, or none.
fn assert_cases<const N: usize>(text: &str, cases: &[([&str; N], Found)]) {
    for (parts, found) in cases {
        assert_found(&filled(text, parts), *found);
    }
}

fn filled(text: &str, parts: &[&str]) -> String {
    let mut made = text.to_owned();
    for (k, part) in parts.iter().enumerate() {
        made = made.replace(&format!("${}", k + 1), part);
    }
    made
}

/// Counts are pushed after the loop, and popped in the region of the reverse loop.
#[test]
fn counts_are_pushed_right_after_the_loop() {
    assert_cases(
        "subroutine f_fwd(in integer n, in integer m, in logical l, inout integer p, inout real x, inout tape t, inout tape u) {forward of f}
local integer c, h, i
local integer d[2]
$1
while x < 100.0
push[real] x on t
x := x*x
$2
end
$3
end
subroutine f_rev(in integer n, in integer m, in logical l, inout integer p, inout real x, inout tape t, inout tape u) {reverse of f}
local integer b, k
local integer w[2]
$4
x := pop[real] from t
end
end
",
        &[
            (["c := 0", "c := c + 1", "push[control count] c on t", "b := pop[control count] from t\nfor k = 1, b"], None),
            (["c := 0\npush[control count] c on t", "c := c + 1", "", "b := pop[control count] from t\nfor k = 1, b"], Some(("T708", "`c` is not pushed right after the loop"))),
            (["c := 0", "c := c + 1", "if l\npush[control count] c on t\nend", "if l\nb := pop[control count] from t\nend\nfor k = 1, b"], Some(("T708", "the bound `b` is not popped right before the loop"))),
            (["c := 0", "c := c + 1", "push[control count] c on t", "w[1] := pop[control count] from t\nfor k = 1, w[1]"], Some(("T708", "the bound of the reverse loop is neither popped nor a number of trips"))),
            (["c := 0", "c := c + 1", "push[control count] c on t", "w[1] := pop[control count] from t\nb := w[1]\nfor k = 1, b"], Some(("T708", "the bound `b` is not popped right before the loop"))),
            (["c := 0", "c := c + 1", "push[control count] c on t", "b := pop[control count] from t\nfor k = 1, b, 2"], Some(("T708", "neither over 1 .. count"))),
            (["c := 0", "c := c + 1", "push[control count] c on t", "b := pop[control count] from t\nfor k = 2, b"], Some(("T708", ""))),
            (["c := 0", "c := c + 1", "push[control count] c on t\npush[control count] c on u", "k := pop[control count] from t\nb := pop[control count] from u\nfor k = 1, b"], None),
        ],
    );
}

/// An index is written where the loop begins and where a pass ends.
#[test]
fn the_index_of_a_loop_is_no_counter_of_it() {
    assert_cases(
        "subroutine f_fwd(in integer n, in integer m, in logical l, inout integer p, inout real x, inout tape t, inout tape u) {forward of f}
local integer h
h := 0
for h = 1, n
push[real] x on t
x := x*x
$1
end
push[control count] h on t
end
subroutine f_rev(in integer n, in integer m, in logical l, inout integer p, inout real x, inout tape t, inout tape u) {reverse of f}
local integer b, k
b := pop[control count] from t
for k = 1, b
x := pop[real] from t
end
end
",
        &[
            ([""], Some(("T708", "`h` is changed more than once in the loop"))),
        ],
    );
}

/// The first value is recorded before the index has it.
#[test]
fn the_first_value_of_an_index_may_read_the_index() {
    assert_cases(
        "subroutine f_fwd(in integer n, in integer m, in logical l, inout integer p, inout real x, inout tape t, inout tape u) {forward of f}
local integer i, h, c
i := m
$1
c := 0
for i = i + 1, n
push[real] x on t
x := x*x
c := c + 1
end
push[integer] h on t
push[control count] c on t
end
subroutine f_rev(in integer n, in integer m, in logical l, inout integer p, inout real x, inout tape t, inout tape u) {reverse of f}
local integer i, h, b
b := pop[control count] from t
h := pop[integer] from t
for i = h + (b - 1)*1, h, -1
x := pop[real] from t
end
end
",
        &[
            (["h := i + 1"], None),
            (["h := i + 1\ni := n"], Some(("T708", "does not end where the loop starts"))),
            (["h := i"], Some(("T708", "does not end where the loop starts"))),
        ],
    );
}

/// The start of a reverse loop is the first value and all steps but one, written as that sum.
#[test]
fn the_last_value_is_the_first_and_so_many_steps() {
    assert_cases(
        "subroutine f_fwd(in integer n, in integer m, in logical l, inout integer p, inout real x, inout tape t, inout tape u) {forward of f}
local integer i
for i = m, n, 3
push[real] x on t
x := x*x
end
end
subroutine f_rev(in integer n, in integer m, in logical l, inout integer p, inout real x, inout tape t, inout tape u) {reverse of f}
local integer i
for i = $1, m, -3
x := pop[real] from t
end
end
",
        &[
            (["m + (trips(m, n, 3) - 1)*3"], None),
            (["m - (trips(m, n, 3) - 1)*3"], Some(("T708", "neither over 1 .. count"))),
            (["m + (trips(m, n, 3) + 1)*3"], Some(("T708", "neither over 1 .. count"))),
            (["m + (trips(m, n, 3) - 1)/3"], Some(("T708", "neither over 1 .. count"))),
            (["m + 3*(trips(m, n, 3) - 1)"], Some(("T708", "neither over 1 .. count"))),
            (["(trips(m, n, 3) - 1)*3 + m"], Some(("T708", "neither over 1 .. count"))),
        ],
    );
}

/// A bound is popped from a push of the forward sweep, not from one of the reverse sweep itself.
#[test]
fn bounds_are_recorded_on_the_tape_of_the_other_sweep() {
    assert_cases(
        "subroutine f_fwd(in integer n, in integer m, in logical l, inout integer p, inout real x, inout tape t, inout tape u) {forward of f}
local integer i, h
local tape o
h := m + 1
for i = m + 1, n
push[real] x on t
x := x*x
end
push[integer] h on $1
$2
end
subroutine f_rev(in integer n, in integer m, in logical l, inout integer p, inout real x, inout tape t, inout tape u) {reverse of f}
local integer i, h, k
local tape o
$3
h := pop[integer] from $1
for i = n, h, -1
x := pop[real] from t
end
end
",
        &[
            (["t", "", ""], None),
            (["o", "h := pop[integer] from o", "h := m + 1\npush[integer] h on o"], Some(("T708", "does not end where the loop starts"))),
        ],
    );
}

/// A count is popped from a push of the forward sweep, not from one of the reverse sweep itself.
#[test]
fn counts_are_those_of_the_forward_sweep() {
    assert_cases(
        "subroutine f_fwd(in integer n, in integer m, in logical l, inout integer p, inout real x, inout tape t, inout tape u) {forward of f}
local integer c
local tape o
c := 0
while x < 100.0
push[real] x on t
x := x*x
c := c + 1
end
$1
end
subroutine f_rev(in integer n, in integer m, in logical l, inout integer p, inout real x, inout tape t, inout tape u) {reverse of f}
local integer b, k
local tape o
$2
for k = 1, b
x := pop[real] from t
end
end
",
        &[
            (["push[control count] c on t", "b := pop[control count] from t"], None),
            (["push[integer] c on t", "b := pop[integer] from t"], None),
            (["", "k := 0\npush[control count] k on o\nb := pop[control count] from o"], Some(("T708", "`b` is not popped from a push at the loop's exit"))),
        ],
    );
}

/// A routine that pushes and pops for itself may pop a count into another variable than it pushed it from.
#[test]
fn one_routine_counts_for_itself() {
    assert_cases(
        "subroutine f(inout real x)
local tape t
local integer c, b, k
local real y
c := 0
while x < 100.0
push[real] x
x := x*x
c := c + 1
end
push[control count] c
$1 := pop[control count]
for k = 1, $2
$3 := pop[real]
end
end",
        &[
            (["b", "b", "x"], None),
            (["c", "c", "x"], None),
            (
                ["b", "b", "y"],
                Some(("T705", "it was not pushed from this place")),
            ),
            (
                ["b", "c", "x"],
                Some(("T708", "the bound `c` is not popped right before the loop")),
            ),
        ],
    );
}

/// Calls change the bound of a loop: as an argument, as a result or as a global, in the callee itself or in its
/// callees.
#[test]
fn calls_write_what_they_may_write() {
    assert_cases(
        "global integer g = 3
global integer b = 3
subroutine ins(in integer k)
local integer j
j := k
end
subroutine outs(out integer k)
k := 1
end
subroutine both(inout integer k)
k := k + 1
end
function one() result integer k
k := 1
end
subroutine g_writes()
uses g
g := 1
end
subroutine b_writes()
uses b
b := 1
end
subroutine b_calls()
call b_writes()
end
subroutine b_reads()
uses b
call ins(b)
end
subroutine b_outs()
uses b
call outs(b)
end
subroutine b_both()
uses b
call both(b)
end
subroutine f_fwd(in integer n, inout real x, inout tape t) {forward of f}
uses b
local integer i, h, q
h := n
q := n
for i = $1, n
push[real] x
x := x*x
$2
end
end
subroutine f_rev(in integer n, inout real x, inout tape t) {reverse of f}
uses b
local integer i, h, q
h := n
q := n
for i = n, $1, -1
x := pop[real]
end
end
",
        &[
            (["h", "call ins(h)"], None),
            (
                ["h", "call outs(h)"],
                Some(("T708", "`h`, on which the range depends, may change")),
            ),
            (
                ["h", "call both(h)"],
                Some(("T708", "`h`, on which the range depends, may change")),
            ),
            (["h", "call outs(q)"], None),
            (
                ["h", "h := call one()"],
                Some(("T708", "`h`, on which the range depends, may change")),
            ),
            (["h", "q := call one()"], None),
            (["b", "call g_writes()"], None),
            (
                ["b", "call b_writes()"],
                Some(("T708", "`b`, on which the range depends, may change")),
            ),
            (
                ["b", "call b_calls()"],
                Some(("T708", "`b`, on which the range depends, may change")),
            ),
            (["b", "call b_reads()"], None),
            (
                ["b", "call b_outs()"],
                Some(("T708", "`b`, on which the range depends, may change")),
            ),
            (
                ["b", "call b_both()"],
                Some(("T708", "`b`, on which the range depends, may change")),
            ),
        ],
    );
}

/// The cells of a global end where those of the largest in front of it end.
#[test]
fn a_global_lies_behind_a_smaller_one_in_a_larger_one() {
    assert_cases(
        "global integer a[6]
global integer b overlays a at 4
global integer s[1] overlays a at 1
global integer w[$1] overlays a at 0
subroutine f_fwd(inout real x, inout tape t) {forward of f}
uses b
uses s
uses w
local integer i
for i = 1, b
push[real] x
x := x*x
$2
end
end
subroutine f_rev(inout real x, inout tape t) {reverse of f}
uses b
local integer i
for i = b, 1, -1
x := pop[real]
end
end",
        &[
            (
                ["5", "w[1] := 2"],
                Some(("T708", "`b`, on which the range depends, may change")),
            ),
            (["4", "w[1] := 2"], None),
            (["4", "s[1] := 2"], None),
        ],
    );
}

/// A call writes the cells in front of a global, or up to it.
#[test]
fn calls_write_cells_in_front() {
    assert_cases(
        "global integer a[6]
global integer b[2] overlays a at 2
global integer c[$1] overlays a at 0
subroutine h()
uses c
c[1] := 1
end
subroutine f_fwd(inout real x, inout tape t) {forward of f}
uses b
local integer i
for i = 1, b[1]
push[real] x
x := x*x
call h()
end
end
subroutine f_rev(inout real x, inout tape t) {reverse of f}
uses b
local integer i
for i = b[1], 1, -1
x := pop[real]
end
end",
        &[
            (["2"], None),
            (
                ["3"],
                Some(("T708", "`b`, on which the range depends, may change")),
            ),
            (["1"], None),
        ],
    );
}

/// A forward sweep leaves values and a reverse sweep takes them, on the tapes that both are given.
#[test]
fn sweeps_leave_and_take_on_tapes_from_outside_only() {
    assert_cases(
        LINES,
        &[
            (["push[real] x on t", "x := pop[real] from t"], None),
            (
                [
                    "push[real] x on t\npush[real] x on u",
                    "x := pop[real] from t\nx := pop[real] from u",
                ],
                None,
            ),
            (["push[real] x on o\nx := pop[real] from o", ""], None),
            (["", "push[real] x on o\nx := pop[real] from o"], None),
            (
                ["push[real] x on o", "x := pop[real] from o"],
                Some(("T706", "this stays on the tape when the routine returns")),
            ),
            (
                ["", "x := pop[real] from o"],
                Some(("T707", "nothing was pushed that this could pop")),
            ),
            (["push[real] x on t\nx := pop[real] from t", ""], None),
            (
                ["x := pop[real] from t", "push[real] x on t"],
                Some(("T707", "nothing was pushed that this could pop")),
            ),
            (
                ["", "push[real] x on t"],
                Some(("T706", "this stays on the tape when the routine returns")),
            ),
            (
                ["push[real] x on t", ""],
                Some((
                    "T706",
                    "the mirrored part of the reverse sweep does not pop this",
                )),
            ),
            (
                ["", "x := pop[real] from t"],
                Some((
                    "T707",
                    "the mirrored part of the forward sweep (routine f_fwd) has nothing on the stack here",
                )),
            ),
        ],
    );
}

/// Messages about an item name its stack and its tape.
#[test]
fn stacks_are_told_by_name() {
    assert_cases(
        LINES,
        &[
            (
                [
                    "if l\npush[real] x on t\npush[real] x on u\nend",
                    "if l\nx := pop[real] from t\nend",
                ],
                Some((
                    "T703",
                    "on the real stack of `u` lies what was pushed by routine f_fwd, BRANCH 2, which this does not mirror",
                )),
            ),
            (
                [
                    "if l\npush[integer] p on t\npush[integer] p on u\nend",
                    "if l\np := pop[integer] from t\nend",
                ],
                Some((
                    "T703",
                    "on the integer stack of `u` lies what was pushed by routine f_fwd, BRANCH 2, which this does not mirror",
                )),
            ),
            (
                [
                    "if l\npush[control 8] p on t\npush[control 8] p on u\nend",
                    "if l\np := pop[control 8] from t\nend",
                ],
                Some((
                    "T703",
                    "on the control stack of `u` lies what was pushed by routine f_fwd, BRANCH 2, which this does not mirror",
                )),
            ),
            (
                [
                    "y := 2.0f\nif l\npush[real32] y on t\npush[real32] y on u\nend",
                    "if l\ny := pop[real32] from t\nend",
                ],
                Some((
                    "T703",
                    "on the real32 stack of `u` lies what was pushed by routine f_fwd, BRANCH 3, which this does not mirror",
                )),
            ),
            (
                ["push[real] x on t", "if l\nx := pop[real] from t\nend"],
                Some((
                    "T703",
                    "what lies on the tape here is routine f_fwd, vertex 2, statement 1 `push[real] x on t`",
                )),
            ),
            (
                [
                    "if l\npush[real] x on t\nend",
                    "if l\nx := pop[real] from t\nx := pop[real] from u\nend",
                ],
                Some(("T703", "")),
            ),
            (
                [
                    "if l\npush[real] x on t\npush[real] x on u\nend",
                    "if l\nx := pop[real] from t\nx := pop[real] from u\nend",
                ],
                None,
            ),
            (
                [
                    "if l\npush[real] x on t\npush[real] x on u\nend",
                    "if l\nx := pop[real] from t\nend",
                ],
                Some(("T703", "")),
            ),
            (
                [
                    "push[real] x on t\npush[integer] p on t",
                    "x := pop[real] from t\np := pop[integer] from t",
                ],
                None,
            ),
        ],
    );
}

/// Where nothing lies on the stack the loop or the branch is told in which that is.
#[test]
fn the_mirrored_part_is_told_by_its_loop_or_branch() {
    assert_cases(
        LINES,
        &[
            (
                [
                    "for i = 1, 2\npush[real] x on t\nend\nfor i = 1, 3\npush[real] x on t\nend",
                    "for i = 3, 1, -1\nx := pop[real] from t\nend\nfor i = 2, 1, -1\nx := pop[real] from t\nend",
                ],
                None,
            ),
            (
                [
                    "for i = 1, 2\npush[real] x on t\nend\nfor i = 1, 3\npush[real] x on t\nend",
                    "for i = 3, 1, -1\nx := pop[real] from t\nx := pop[real] from t\nend\nfor i = 2, 1, -1\nx := pop[real] from t\nend",
                ],
                Some((
                    "T707",
                    "(routine f_fwd, LOOP 5) has nothing on the stack here",
                )),
            ),
            (
                [
                    "if l\npush[real] x on t\nend\nif n > 0\npush[real] x on t\nend",
                    "if n > 0\nx := pop[real] from t\nend\nif l\nx := pop[real] from t\nend",
                ],
                None,
            ),
            (
                [
                    "if l\npush[real] x on t\nend\nif n > 0\npush[real] x on t\nend",
                    "if n > 0\nx := pop[real] from t\nx := pop[real] from t\nend\nif l\nx := pop[real] from t\nend",
                ],
                Some((
                    "T707",
                    "(routine f_fwd, BRANCH 5) has nothing on the stack here",
                )),
            ),
        ],
    );
}

/// A loop body or an arm leaves values or takes them.
#[test]
fn pushes_and_pops_of_a_body_or_an_arm_go_one_way() {
    assert_cases(
        "subroutine f(in integer n, in logical l, inout real x)
local tape t
local integer i, k
$1
end",
        &[
            (
                ["push[real] x\nif l\nx := pop[real]\npush[real] x\nend\nx := pop[real]"],
                Some((
                    "T712",
                    "a loop body or a branch leaves this on the tape, and takes something from outside as well",
                )),
            ),
            (
                ["push[real] x\nfor i = 1, n\nx := pop[real]\npush[real] x\nend\nx := pop[real]"],
                Some(("T712", "statement 1 `x := pop[real]`)")),
            ),
            (
                ["push[real] x\nif l\npush[real] x\nx := pop[real]\nend\nx := pop[real]"],
                None,
            ),
            (
                ["push[real] x\nif l\nx := pop[real]\nelse\npush[real] x\nend\nx := pop[real]"],
                Some(("T712", "")),
            ),
            (
                ["push[real] x"],
                Some(("T706", "this stays on the tape when the routine returns")),
            ),
            (
                ["x := pop[real]"],
                Some(("T707", "nothing was pushed that this could pop")),
            ),
            (
                ["if l\npush[real] x\npush[integer] n\nend\nif l\nx := pop[real]\nend"],
                Some((
                    "T703",
                    "what lies on the tape here is not the mirror image of this (routine f, BRANCH 2)",
                )),
            ),
            (
                [
                    "push[real] x\nif l\npush[real] x\nend\nx := pop[real]\nif l\nx := pop[real]\nend",
                ],
                Some((
                    "T703",
                    "what lies on the tape here is routine f, vertex 2, statement 1 `push[real] x`",
                )),
            ),
            (
                [
                    "push[real] x\nif l\npush[real] x\nend\nif l\nx := pop[real]\nend\nx := pop[real]",
                ],
                None,
            ),
        ],
    );
}

/// Each arm ends with a constant of its own, which is popped right before the branch.
#[test]
fn each_arm_has_its_marker() {
    assert_cases(
        "subroutine f_fwd(in integer n, in integer m, in logical l, inout integer p, inout real x, inout tape t, inout tape u) {forward of f}
local integer w
if n > 0
push[real] x on t
$1
else
$2
end
$3
end
subroutine f_rev(in integer n, in integer m, in logical l, inout integer p, inout real x, inout tape t, inout tape u) {reverse of f}
local integer k, q
local integer e[2]
$4
$5
x := pop[real] from t
end
end
",
        &[
            (["push[control 1] 1 on t", "push[control 1] 0 on t", "", "k := pop[control 1] from t", "if k == 1"], None),
            (["push[control 1] true on t", "push[control 1] false on t", "", "k := pop[control 1] from t", "if k == 1"], None),
            (["push[control 1] 0 on t", "push[control 1] 1 on t", "", "k := pop[control 1] from t", "if k == 0"], None),
            (["push[control 1] 1 on t", "", "", "k := pop[control 1] from t", "if k == 1"], Some(("T709", "the arm 0 does not end with the push of a marker"))),
            (["", "push[control 1] 0 on t", "", "k := pop[control 1] from t", "if k == 1"], Some(("T709", "the arm 1 does not end with the push of a marker"))),
            (["push[control 1] p on t", "push[control 1] 0 on t", "", "k := pop[control 1] from t", "if k == 1"], Some(("T709", "the last control value that the arm pushes is no constant"))),
            (["push[control 1] 0 on t", "push[control 1] 0 on t", "", "k := pop[control 1] from t", "if k == 1"], Some(("T709", "with 0, which the arm 1 pushes, routine f_rev, BRANCH 3 takes its arm 0"))),
            (["push[control 8] 1 on t", "push[control 8] 2 on t", "", "k := pop[control 8] from t", "if k <= 1"], None),
            (["push[control 2] 1 on t", "push[control 1] 0 on t", "", "k := pop[control 1] from t", "if k == 1"], Some(("T704", "the class is not that of the push (routine f_fwd"))),
            (["push[control 1] 1 on t", "push[control 2] 0 on t", "", "k := pop[control 1] from t", "if k == 1"], Some(("T704", "the class is not that of the push (routine f_fwd"))),
            (["push[control 1] 1 on u", "push[control 1] 0 on u", "", "k := pop[control 1] from u", "if k == 1"], None),
            (["push[integer] 1 on t", "push[integer] 0 on t", "", "k := pop[integer] from t", "if k == 1"], Some(("T703", ""))),
            (["push[control 1] 1 on t", "push[control 1] 0 on t", "", "p := pop[control 1] from t", "if p == 1"], Some(("T703", ""))),
            (["push[control 1] 1 on t", "push[control 1] 0 on t", "", "e[1] := pop[control 1] from t", "if e[1] == 1"], Some(("T703", ""))),
            (["push[control 1] 1 on t", "push[control 1] 0 on t", "", "k := pop[control 1] from t\nk := 1", "if k == 1"], Some(("T703", ""))),
            (["push[control 1] 1 on t", "push[control 1] 0 on t", "push[control 1] 1 on t", "q := pop[control 1] from t\nk := pop[control 1] from t", "if k == 1"], None),
            (["push[control 1] 1 on t", "push[control 1] 0 on t", "push[control 1] 1 on t", "k := pop[control 1] from t\nq := pop[control 1] from t", "if k == 1"], Some(("T703", ""))),
        ],
    );
}

/// Each case of a selection has a marker of its own, which takes the mirrored case.
#[test]
fn selections_have_a_marker_for_each_case() {
    assert_cases(
        "subroutine f_fwd(in integer n, in integer m, in logical l, inout integer p, inout real x, inout tape t, inout tape u) {forward of f}
select n
case 1
push[real] x on t
$1
case 2
$2
case default
$3
end
end
subroutine f_rev(in integer n, in integer m, in logical l, inout integer p, inout real x, inout tape t, inout tape u) {reverse of f}
local integer k
k := pop[control 8] from t
select k
$4
x := pop[real] from t
$5
end
end
",
        &[
            (["push[control 8] 1 on t", "push[control 8] 2 on t", "push[control 8] 3 on t", "case 1", "case 2\ncase default"], None),
            (["push[control 8] 1 on t", "push[control 8] 2 on t", "push[control 8] 3 on t", "case 1", "case default"], Some(("T709", "the arms are not those of routine f_fwd, BRANCH 2"))),
            (["push[control 8] 1 on t", "push[control 8] 1 on t", "push[control 8] 3 on t", "case 1", "case 2\ncase default"], Some(("T709", "takes its arm"))),
            (["push[control 8] 1 on t", "push[control 8] 2 on t", "push[control 8] 2 on t", "case 1", "case 2\ncase default"], Some(("T709", "takes its arm"))),
        ],
    );
}

/// A loop made of jumps runs as often as a counter says, and everything that was pushed around it is popped.
#[test]
fn jumps_count_passes() {
    assert_cases(
        JUMPS,
        &[
            (
                [
                    "c := 0",
                    "push[real] x on t\nx := x*x\nc := c + 1",
                    "push[control count] c on t",
                    "b := pop[control count] from t",
                    "",
                ],
                None,
            ),
            (
                [
                    "c := 0",
                    "c := c + 1\npush[real] x on t\nx := x*x\n",
                    "push[control count] c on t",
                    "b := pop[control count] from t",
                    "",
                ],
                None,
            ),
            (
                [
                    "push[real] x on t\nc := 0",
                    "push[real] x on t\nx := x*x\nc := c + 1",
                    "push[control count] c on t",
                    "b := pop[control count] from t",
                    "x := pop[real] from t",
                ],
                None,
            ),
            (
                [
                    "push[real] x on t\nc := 0",
                    "push[real] x on t\nx := x*x\nc := c + 1",
                    "push[control count] c on t",
                    "b := pop[control count] from t",
                    "",
                ],
                Some((
                    "T706",
                    "the mirrored part of the reverse sweep does not pop this",
                )),
            ),
            (
                [
                    "c := 0",
                    "push[real] x on t\nx := x*x\nc := c + 1",
                    "push[control count] c on t",
                    "b := pop[control count] from t",
                    "x := pop[real] from t",
                ],
                Some((
                    "T707",
                    "the mirrored part of the forward sweep has nothing on the stack here",
                )),
            ),
            (
                [
                    "",
                    "push[real] x on t\nx := x*x\nc := c + 1",
                    "push[control count] c on t",
                    "b := pop[control count] from t",
                    "",
                ],
                Some((
                    "T708",
                    "here is not where the forward sweep is after as many passes",
                )),
            ),
            (
                [
                    "c := 0\nc := c + 1",
                    "push[real] x on t\nx := x*x\nc := c + 1",
                    "push[control count] c on t",
                    "b := pop[control count] from t",
                    "",
                ],
                Some(("T708", "")),
            ),
            (
                [
                    "c := 0",
                    "push[real] x on t\nx := x*x\nc := c + 1",
                    "push[integer] p on t\npush[control count] c on t",
                    "b := pop[control count] from t\np := pop[integer] from t",
                    "",
                ],
                None,
            ),
            (
                [
                    "c := 0",
                    "push[real] x on t\nx := x*x\nc := c + 1",
                    "push[integer] p on t\npush[control count] c on t",
                    "b := pop[control count] from t",
                    "",
                ],
                Some((
                    "T706",
                    "the mirrored part of the reverse sweep does not pop this",
                )),
            ),
            (
                [
                    "c := 0",
                    "push[real] x on t\nx := x*x\nc := c + 1",
                    "push[control count] c on t",
                    "b := pop[control count] from t\np := pop[integer] from t",
                    "",
                ],
                Some((
                    "T706",
                    "the mirrored part of the reverse sweep does not pop this",
                )),
            ),
            (
                [
                    "c := 0",
                    "push[real] x on t\nx := x*x\nc := c + 1",
                    "push[control count] c on t",
                    "b := pop[control count] from t\nb := b + 1",
                    "",
                ],
                Some((
                    "T708",
                    "here is not where the forward sweep is after as many passes",
                )),
            ),
            (
                [
                    "c := 0",
                    "push[real] x on t\nx := x*x\nc := c + 1",
                    "push[control count] c on t",
                    "p := pop[control count] from t\nb := 3",
                    "",
                ],
                Some((
                    "T708",
                    "its bound is neither a popped counter nor a number of trips",
                )),
            ),
        ],
    );
}

/// A count that is popped needs a loop that runs as often.
#[test]
fn passes_that_no_reverse_loop_undoes() {
    assert_cases(
        "general subroutine f_fwd(in integer n, in integer m, inout integer p, inout real x, inout tape t, inout tape u) {forward of f}
  local integer c
    1 ENTRY -> 2
    2 BASICBLOCK -> 3
          c := 0
    3 BASICBLOCK -> 4
          c := c + 1
          x := x*x
    4 BRANCH x < 100.0 -> 3 [1], 5 [0]
    5 BASICBLOCK -> 6
          push[$1] c on t
    6 EXIT
end
general subroutine f_rev(in integer n, in integer m, inout integer p, inout real x, inout tape t, inout tape u) {reverse of f}
  local integer b
    1 ENTRY -> 2
    2 BASICBLOCK -> 3
          b := pop[$1] from t
    3 EXIT
end
",
        &[
            (["control count"], Some(("T708", "the reverse sweep ends before all passes are done"))),
            (["integer"], Some(("T705", "it was not pushed from this place"))),
        ],
    );
}

/// A branch behind a loop decides on a variable that is set there.
#[test]
fn what_was_set_before_a_loop_is_not_known_behind_it() {
    assert_cases(
        "general subroutine f_fwd(in integer n, in integer m, inout integer p, inout real x, inout tape t, inout tape u) {forward of f}
  local integer c
    1 ENTRY -> 2
    2 BASICBLOCK -> 3
          c := 0
    3 BASICBLOCK -> 4
          push[real] x on t
          x := x*x
          c := c + 1
    4 BRANCH x < 100.0 -> 3 [1], 5 [0]
    5 BASICBLOCK -> 6
          push[control count] c on t
    6 EXIT
end
general subroutine f_rev(in integer n, in integer m, inout integer p, inout real x, inout tape t, inout tape u) {reverse of f}
  local integer k, b, e
    1 ENTRY -> 2
    2 BASICBLOCK -> 3
          b := pop[control count] from t
          e := 1
    3 FORLOOP k = 1, b -> 4 [1], 6
    4 BASICBLOCK -> 5
          x := pop[real] from t
    5 ENDLOOP -> 3
    6 BASICBLOCK -> 7
          $1
    7 BRANCH e == 1 -> 8 [1], 9 [0]
    8 BASICBLOCK -> 10
    9 BASICBLOCK -> 10
   10 EXIT
end
",
        &[
            (["e := 1"], None),
            ([""], Some(("T709", "which value `e` has here is not known"))),
            (["e := 2 - 1"], Some(("T709", "which value `e` has here is not known"))),
        ],
    );
}

/// The reverse sweep comes to as many vertices as it has before it takes something.
#[test]
fn the_reverse_sweep_takes_something_in_a_while() {
    assert_cases(
        "general subroutine f_fwd(in integer n, in integer m, inout integer p, inout real x, inout tape t, inout tape u) {forward of f}
    1 ENTRY -> 2
    2 BASICBLOCK -> 3
          push[real] x on t
    3 EXIT
end
general subroutine f_rev(in integer n, in integer m, inout integer p, inout real x, inout tape t, inout tape u) {reverse of f}
  local integer e
    1 ENTRY -> 2
    2 BASICBLOCK -> 3
          x := pop[real] from t
          e := 0
    3 BRANCH select e: [0] 0; [1] 1; [2] 2; [3] default -> 4 [0], 5 [1], 6 [2], 7 [3]
    4 BASICBLOCK -> $1
          e := 1
    5 BASICBLOCK -> 3
          e := 2
    6 BASICBLOCK -> 3
          e := 3
    7 EXIT$2
end
",
        &[
            (["7", ""], None),
            (["3", ""], Some(("T708", "the reverse sweep may run on from here without taking anything from the tape"))),
        ],
    );
}

/// The pushes of a call lie on each stack of its tape, and on no other tape.
#[test]
fn calls_lie_on_all_stacks_of_their_tapes() {
    assert_cases(
        "general subroutine f_fwd(in integer n, in integer m, inout integer p, inout real x, inout tape t, inout tape u) {forward of f}
    1 ENTRY -> 2
    2 BASICBLOCK -> 3
          $1
    3 EXIT
end
general subroutine f_rev(in integer n, in integer m, inout integer p, inout real x, inout tape t, inout tape u) {reverse of f}
  local integer e, k, b
    1 ENTRY -> 2
    2 BASICBLOCK -> 3
          $2
    3 EXIT
end
subroutine g_fwd(inout real x, inout tape s) {forward of g}
  push[real] x
  x := 2.0*x
end
subroutine g_rev(inout real x, inout tape s) {reverse of g}
  x := pop[real]
end",
        &[
            (["call g_fwd(x, t)\npush[real] x on t", "x := pop[real] from t\ncall g_rev(x, t)"], None),
            (["call g_fwd(x, t)\npush[real] x on t", "call g_rev(x, t)\nx := pop[real] from t"], Some(("T703", ""))),
            (["call g_fwd(x, t)\npush[integer] p on t", "call g_rev(x, t)\np := pop[integer] from t"], Some(("T703", "on the integer stack of `t` lies what was pushed by routine f_fwd, vertex 2, statement 2"))),
            (["call g_fwd(x, t)\npush[integer] p on t", "p := pop[integer] from t\ncall g_rev(x, t)"], None),
            (["call g_fwd(x, u)\npush[real] x on t", "call g_rev(x, u)\nx := pop[real] from t"], None),
            (["call g_fwd(x, t)\npush[real] x on u", "call g_rev(x, t)\nx := pop[real] from u"], None),
            (["call g_fwd(x, t)\npush[real] x on u", "x := pop[real] from u\ncall g_rev(x, t)"], None),
            (["call g_fwd(x, t)", "call g_rev(x, u)"], Some(("T706", ""))),
            (["call g_fwd(x, t)", ""], Some(("T706", ""))),
            (["", "call g_rev(x, t)"], Some(("T707", ""))),
        ],
    );
}

/// A popped count has no meaning after its loop has run.
#[test]
fn a_count_is_used_once() {
    assert_cases(
        "general subroutine f_fwd(in integer n, in integer m, inout integer p, inout real x, inout tape t, inout tape u) {forward of f}
  local integer c
    1 ENTRY -> 2
    2 BASICBLOCK -> 3
          c := 0
          push[real] x on t
          x := x*x
          c := c + 1
          $1
    3 BASICBLOCK -> 4
          c := 0
          push[real] x on t
          x := x*x
          c := c + 1
          push[control count] c on t
    4 EXIT
end
general subroutine f_rev(in integer n, in integer m, inout integer p, inout real x, inout tape t, inout tape u) {reverse of f}
  local integer k, b, e
    1 ENTRY -> 2
    2 BASICBLOCK -> 3
          e := 0
          b := pop[control count] from t
    3 FORLOOP k = 1, b -> 4 [1], 6
    4 BASICBLOCK -> 5
          x := pop[real] from t
    5 ENDLOOP -> 3
    6 BRANCH e == 0 -> 7 [1], 8 [0]
    7 BASICBLOCK -> 3
          e := 1
          $2
    8 EXIT
end
",
        &[
            (["push[control count] c on t", "b := pop[control count] from t"], None),
            (["push[real] x on t\nc := c + 1\npush[control count] c on t", "b := pop[control count] from t"], None),
            (["", ""], Some(("T708", "its bound is neither a popped counter nor a number of trips"))),
            (["push[real] x on t\nc := c + 1", ""], Some(("T708", "its bound is neither a popped counter nor a number of trips"))),
        ],
    );
}

/// A loop of a graph with jumps is undone over its range backwards, or as often as it has trips.
#[test]
fn ranges_backwards_in_jumps() {
    assert_cases(
        "general subroutine f_fwd(in integer n, in integer m, in integer p, inout real x, inout tape t) {forward of f}
  local integer i, h, c
    1 ENTRY -> 2
    2 BASICBLOCK -> 3
          $1
    3 $2 -> 4 [1], 6 {copy of 3}
    4 BASICBLOCK -> 5
          push[real] x
          x := x*x
          $3
    5 ENDLOOP -> 3
    6 BASICBLOCK -> 7
          $4
    7 EXIT
end
general subroutine f_rev(in integer n, in integer m, in integer p, inout real x, inout tape t) {reverse of f}
  local integer i, h, b, k
    1 ENTRY -> 2
    2 BASICBLOCK -> 3
          $5
    3 FORLOOP $6 -> 4 [1], 6
    4 BASICBLOCK -> 5
          x := pop[real]
    5 ENDLOOP -> 3 {adjoint of 3}
    6 EXIT
end
",
        &[
            (["", "LOOP i = 2, n", "", "", "", "i = n, 2, -1"], None),
            (["", "LOOP i = n, 2, -1", "", "", "", "i = 2, n, 1"], None),
            (["", "LOOP i = 2, n", "", "", "", "i = m, 2, -1"], Some(("T708", "it is not proven how often this runs: it does not start where the loop ends"))),
            (["", "LOOP i = 2, n", "", "", "", "i = n, m, -1"], Some(("T708", "it is not proven how often this runs: it does not end where the loop starts"))),
            (["", "LOOP i = 2, n, 2", "", "", "", "i = n, 2, -1"], Some(("T708", "it is not proven how often this runs: its step is not the negated step of the loop"))),
            (["", "LOOP i = 2, n", "", "", "", "k = n, 2, -1"], Some(("T708", "it is not proven how often this runs: it runs over the range with another index"))),
            (["", "LOOP while x < 100.0", "", "", "", "i = n, 2, -1"], Some(("T708", "it is not proven how often this runs: the loop is not a counted loop"))),
            (["", "LOOP i = 2, n", "", "", "b := trips(2, n, 1)", "k = 1, b"], None),
            (["", "LOOP i = 2, n", "", "", "b := trips(2, n, 1)", "i = 1, b"], Some(("T708", "it is not proven how often this runs: its index counts passes"))),
            (["", "LOOP i = 2, n", "", "", "b := trips(2, n, 1)", "k = 0, b"], Some(("T708", "it is not proven how often this runs: it runs over the range with another index"))),
            (["", "LOOP i = 2, n", "", "", "", "k = 0, trips(2, n, 1)"], Some(("T708", "it is not proven how often this runs: it runs over the range with another index"))),
            (["", "LOOP i = 2, n", "", "", "", "k = 1, trips(2, n, 1)"], None),
            (["", "LOOP i = 2, n", "", "", "b := trips(2, n, 1)\nb := b + 1", "k = 1, b"], Some(("T708", "it is not proven how often this runs: its bound is neither a popped counter nor a number of trips"))),
            (["", "LOOP i = 2, n", "", "", "b := n", "k = 1, b"], Some(("T708", "it is not proven how often this runs: its bound is neither a popped counter nor a number of trips"))),
            (["", "LOOP while x < 100.0", "", "", "b := trips(2, n, 1)", "k = 1, b"], Some(("T708", "it is not proven how often this runs: the loop is not a counted loop, its range is not known"))),
            (["", "LOOP i = 2, n, p", "", "", "b := trips(2, n, p)", "i = 2 + (b - 1)*p, 2, -p"], None),
            (["", "LOOP i = 2, n, p", "", "", "b := trips(2, n, p)", "i = 2 + (b - 1)*m, 2, -m"], Some(("T708", "it is not proven how often this runs: its step is not the negated step of the loop"))),
            (["", "LOOP i = 2, n, p", "", "", "b := trips(2, n, p)", "i = 2 + (b - 1)*2, 2, -2"], Some(("T708", "it is not proven how often this runs: its step is not the negated step of the loop"))),
            (["h := n", "LOOP i = 2, h", "", "", "h := n", "i = h, 2, -1"], None),
            (["h := n", "LOOP i = 2, h", "h := 3", "", "h := n", "i = h, 2, -1"], Some(("T708", "it is not proven how often this runs: `h`, on which the range depends, may change while the loop runs"))),
            (["h := m", "LOOP i = h, n", "", "", "h := m", "i = n, h, -1"], None),
            (["h := m", "LOOP i = h, n", "h := 3", "", "h := m", "i = n, h, -1"], Some(("T708", "it is not proven how often this runs: "))),
            (["h := m + 1", "LOOP i = m + 1, n", "", "push[integer] h", "h := pop[integer]", "i = n, h, -1"], None),
            (["h := m + 2", "LOOP i = m + 1, n", "", "push[integer] h", "h := pop[integer]", "i = n, h, -1"], Some(("T708", "it is not proven how often this runs: it does not end where the loop starts"))),
            (["h := m + 1", "LOOP i = m + 1, n", "", "push[integer] m", "h := pop[integer]", "i = n, h, -1"], Some(("T708", "it is not proven how often this runs: its bounds are not popped right before"))),
            (["h := m + 1", "LOOP i = m + 1, n", "", "push[integer] h", "h := pop[integer]\nh := h + 1", "i = n, h, -1"], Some(("T708", "it is not proven how often this runs: its bounds are not popped right before"))),
            (["h := m + 1", "LOOP i = m + 1, n", "", "push[integer] h", "h := m + 1\nb := pop[integer]", "i = n, h, -1"], Some(("T708", "it is not proven how often this runs: its bounds are not popped right before"))),
            (["h := m + 1", "LOOP i = 2, n, m + 1", "", "push[integer] h", "h := pop[integer]\nb := trips(2, n, m + 1)", "i = 2 + (b - 1)*h, 2, -h"], None),
            (["h := m + 2", "LOOP i = 2, n, m + 1", "", "push[integer] h", "h := pop[integer]\nb := trips(2, n, m + 1)", "i = 2 + (b - 1)*h, 2, -h"], Some(("T708", "it is not proven how often this runs: its step is not the negated step of the loop"))),
        ],
    );
}

/// The branch that begins the body of a reverse loop decides on a value that each pass leaves.
#[test]
fn the_point_of_exit_is_one_value_in_later_passes() {
    assert_cases(
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
  local integer w[2]
   -7 ENTRY -> -6 {adjoint of 7}
   -6 BASICBLOCK -> 17 {adjoint of 6}
          b := pop[control count]
          e := 1
          w[1] := 1
   17 FORLOOP k = 0, b -> 25 [1], -2 {counted-loop of 3}
   25 BASICBLOCK -> 18
          $1
   18 BRANCH $2 -> -5 [0], 19 [1] {exit-branch of 3}
   19 BASICBLOCK -> -4 {exit-set of 3}
          $3
   -5 BASICBLOCK -> -4 {adjoint of 5}
          x := x - 1.0
          $4
   -4 ENDBRANCH -> -3 {adjoint of 4}
   -3 BASICBLOCK -> 21 {adjoint of 3}
          x := pop[real]
   21 ENDLOOP -> 17 {counted-loop of 3}
   -2 BASICBLOCK -> -1 {adjoint of 2}
   -1 EXIT {adjoint of 1}
end
",
        &[
            (["x := x + 0.0", "e == 1", "e := 0", ""], None),
            (
                ["x := x + 0.0", "e*1 == 1", "e := 0", ""],
                Some(("T709", "")),
            ),
            (["x := x + 0.0", "e > 0", "e := 0", ""], None),
            (["x := x + 0.0", "e == 1", "e := 0", "e := 0"], None),
            (
                ["x := x + 0.0", "e == 1", "e := 0", "e := 1"],
                Some((
                    "T709",
                    "which value `e` has here is not known, or there are several",
                )),
            ),
            (
                ["x := x + 0.0", "e == 1", "e := 0", "e := b"],
                Some((
                    "T709",
                    "which value `e` has here is not known, or there are several",
                )),
            ),
            (["e := 0", "e == 1", "e := 0", ""], Some(("T711", ""))),
            (
                ["e := n", "e == 1", "e := 0", ""],
                Some((
                    "T709",
                    "which value `e` has here is not known, or there are several",
                )),
            ),
            (
                ["x := x + 0.0", "w[1] == 1", "e := 0", ""],
                Some(("T709", "")),
            ),
            (
                ["x := x + 0.0", "e == w[1]", "e := 0", ""],
                Some(("T709", "it does not decide on a popped value alone")),
            ),
            (
                ["x := x + 0.0", "e + n == 1", "e := 0", ""],
                Some(("T709", "it does not decide on a popped value alone")),
            ),
            (
                ["x := x + 0.0", "n == 1", "e := 0", ""],
                Some(("T709", "which value `n` has here is not known")),
            ),
        ],
    );
}

/// On each way into the reverse loop it is set by which way the loop was left.
#[test]
fn a_point_of_exit_is_set_where_a_loop_is_entered() {
    assert_cases(
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
          push[control 1] $1
   14 BASICBLOCK -> 15 {counter-push of 2}
          push[control count] c
   15 BASICBLOCK -> 8 {marker-push of 8}
          push[control 1] $2
end
subroutine f_rev(in integer n, in integer m, inout real y, inout tape t) {reverse of f}
  local integer i, b, r, e, h, k
  @-8 entry {adjoint of 8}
  @26
  h := n
  b := pop[control 1]
  if b == $1 {marker-branch of 8}
    @-7 {adjoint of 7}
    y := pop[real]
    @14 {bound-pop of 2}
    r := trips(2, h, 3)
    $3
  else
    @13 {bound-pop of 2}
    r := pop[control count]
    r := r + 1
    $4
  @15 end
  @-10 forloop i = 2 + (r - 1)*3, 2, -3 {adjoint of 10}
    @48 if e == 1 {exit-branch of 2}
      @57 {exit-set of 2}
      $5
    else
    end {adjoint of 4}
    @-3 {adjoint of 3}
    y := pop[real]
  end {adjoint of 2}
  @-9 {adjoint of 9}
  @-1 exit {adjoint of 1}
end
",
        &[
            (["1", "0", "e := 0", "e := 1", "e := 0"], None),
            (["0", "1", "e := 0", "e := 1", "e := 0"], None),
            (["1", "0", "", "e := 1", "e := 0"], Some(("T709", "which value `e` has here is not known, or there are several"))),
            (["0", "1", "", "e := 1", "e := 0"], Some(("T709", "which value `e` has here is not known, or there are several"))),
            (["1", "0", "e := 0", "", "e := 0"], Some(("T709", "which value `e` has here is not known, or there are several"))),
            (["0", "1", "e := 0", "", "e := 0"], Some(("T709", "which value `e` has here is not known, or there are several"))),
            (["1", "0", "e := 0", "e := 1", ""], Some(("T709", "which value `e` has here is not known, or there are several"))),
        ],
    );
}

/// Items that wait on a stack are reported before missing ones.
#[test]
fn what_is_left_and_what_is_wanted() {
    assert_cases(
        "general subroutine f_fwd(in integer n, in integer m, inout integer p, inout real x, inout tape t, inout tape u) {forward of f}
    1 ENTRY -> 2
    2 BASICBLOCK -> 3 $1
          $2
    3 BASICBLOCK -> 4 {copy of 3}
          x := 2.0*x
    4 BASICBLOCK -> 5 {copy of 4}
          x := 2.0*x
    5 EXIT
end
general subroutine f_rev(in integer n, in integer m, inout integer p, inout real x, inout tape t, inout tape u) {reverse of f}
    1 ENTRY -> 2
    2 BASICBLOCK -> 3 {adjoint of 4}
          x := 0.5*x
    3 BASICBLOCK -> 4 {adjoint of 3}
          x := 0.5*x
    4 BASICBLOCK -> 5 $3
          $4
    5 BASICBLOCK -> 6 $5
    6 EXIT
end
",
        &[
            (["{copy of 2}", "push[real] x on t", "{adjoint of 2}", "x := pop[real] from t", ""], None),
            (["", "push[real] x on t", "", "x := pop[real] from t", ""], None),
            (["{copy of 2}", "push[real] x on t", "", "x := pop[real] from t", ""], None),
            (["", "push[real] x on t", "{adjoint of 2}", "x := pop[real] from t", ""], None),
            (["{copy of 2}", "push[real] x on t", "{adjoint of 2}", "", ""], Some(("T706", "does not pop this"))),
            (["{copy of 2}", "push[real] x on t", "", "p := pop[integer] from t", "{adjoint of 2}"], Some(("T706", "does not pop this"))),
            (["{copy of 2}", "", "", "p := pop[integer] from t", "{adjoint of 2}"], Some(("T707", "has nothing on the stack here"))),
            (["{copy of 2}", "", "", "", "{adjoint of 2}"], None),
            (["{copy of 3}", "", "", "", ""], Some(("T711", "does not visit the adjoint of this block"))),
            (["", "", "{adjoint of 3}", "", ""], Some(("T711", "does not visit the block that this is the adjoint of"))),
            (["{copy of 4}", "", "{adjoint of 3}", "", ""], Some(("T711", "the block visited before is routine f_fwd, BASICBLOCK 2"))),
            (["", "", "", "p := pop[integer] from t", "{adjoint of 3}"], Some(("T707", "has nothing on the stack here"))),
        ],
    );
}

/// The adjoints of blocks, loops and branches are visited in reverse order, where both sweeps have their images.
#[test]
fn blocks_are_visited_in_reverse_order() {
    assert_cases(
        "subroutine f_fwd(in integer n, in logical l, inout real x, inout tape t) {forward of f}
local integer i
@1 entry {copy of 1}
@2 {copy of 2}
x := 2.0*x
$1
@9 exit {copy of 9}
end
subroutine f_rev(in integer n, in logical l, inout real x, inout tape t) {reverse of f}
local integer i
@-9 entry {adjoint of 9}
$2
@-2 {adjoint of 2}
x := 0.5*x
@-1 exit {adjoint of 1}
end
",
        &[
            (["", ""], None),
            (
                [
                    "@50 {copy of 50}\nx := 2.0*x\n@60 {copy of 60}\nx := 2.0*x",
                    "@-60 {adjoint of 60}\nx := 0.5*x\n@-50 {adjoint of 50}\nx := 0.5*x",
                ],
                None,
            ),
            (
                [
                    "@50 {copy of 50}\nx := 2.0*x\n@60 {copy of 60}\nx := 2.0*x",
                    "@-50 {adjoint of 50}\nx := 0.5*x\n@-60 {adjoint of 60}\nx := 0.5*x",
                ],
                Some((
                    "T711",
                    "the block visited before is routine f_fwd, BASICBLOCK 60",
                )),
            ),
            (["@50 {copy of 50}\nx := 2.0*x", ""], None),
            (["", "@-50 {adjoint of 50}\nx := 0.5*x"], None),
            (
                [
                    "@30 for i = 1, n {copy of 30}\n@50 {copy of 50}\nx := 2.0*x\n@40 end {copy of 40}",
                    "@-40 for i = n, 1, -1 {adjoint of 40}\n@-50 {adjoint of 50}\nx := 0.5*x\n@-30 end {adjoint of 30}",
                ],
                None,
            ),
            (
                [
                    "@30 for i = 1, n {copy of 30}\n\n@40 end {copy of 40}",
                    "@-40 for i = n, 1, -1 {adjoint of 40}\n\n@-30 end {adjoint of 30}",
                ],
                None,
            ),
            (
                ["@30 for i = 1, n {copy of 30}\n\n@40 end {copy of 40}", ""],
                None,
            ),
            (
                [
                    "",
                    "@-40 for i = n, 1, -1 {adjoint of 40}\n\n@-30 end {adjoint of 30}",
                ],
                None,
            ),
            (
                [
                    "@30 for i = 1, n {copy of 30}\n@50 {copy of 50}\nx := 2.0*x\n@40 end {copy of 40}",
                    "@-40 for i = n, 1, -1 {adjoint of 40}\n\n@-30 end {adjoint of 30}\n@-50 {adjoint of 50}\nx := 0.5*x",
                ],
                Some((
                    "T711",
                    "the mirrored part of the forward sweep (routine f_fwd) does not visit the block that this is the adjoint of",
                )),
            ),
            (
                [
                    "@30 for i = 1, n {copy of 30}\n@50 {copy of 50}\nx := 2.0*x\n@40 end {copy of 40}\n@60 {copy of 60}\nx := 2.0*x",
                    "@-60 {adjoint of 60}\nx := 0.5*x\n@-40 for i = n, 1, -1 {adjoint of 40}\n@-50 {adjoint of 50}\nx := 0.5*x\n@-30 end {adjoint of 30}",
                ],
                None,
            ),
            (
                [
                    "@30 for i = 1, n {copy of 30}\n@50 {copy of 50}\nx := 2.0*x\n@40 end {copy of 40}\n@60 {copy of 60}\nx := 2.0*x",
                    "@-40 for i = n, 1, -1 {adjoint of 40}\n@-50 {adjoint of 50}\nx := 0.5*x\n@-30 end {adjoint of 30}\n@-60 {adjoint of 60}\nx := 0.5*x",
                ],
                Some(("T703", "")),
            ),
            (
                [
                    "@30 for i = 1, n {copy of 30}\n@50 {copy of 50}\nx := 2.0*x\n@40 end {copy of 40}\n@60 {copy of 60}\nx := 2.0*x",
                    "@-40 for i = n, 1, -1 {adjoint of 40}\n@-50 {adjoint of 50}\nx := 0.5*x\n@-60 {adjoint of 60}\nx := 0.5*x\n@-30 end {adjoint of 30}",
                ],
                Some((
                    "T711",
                    "the mirrored part of the reverse sweep does not visit the adjoint of this block",
                )),
            ),
            (
                [
                    "@30 for i = 1, n {copy of 30}\n@50 {copy of 50}\nx := 2.0*x\n@60 {copy of 60}\nx := 2.0*x\n@40 end {copy of 40}",
                    "@-40 for i = n, 1, -1 {adjoint of 40}\n@-60 {adjoint of 60}\nx := 0.5*x\n@-50 {adjoint of 50}\nx := 0.5*x\n@-30 end {adjoint of 30}",
                ],
                None,
            ),
            (
                [
                    "@30 for i = 1, n {copy of 30}\n@50 {copy of 50}\nx := 2.0*x\n@60 {copy of 60}\nx := 2.0*x\n@40 end {copy of 40}",
                    "@-40 for i = n, 1, -1 {adjoint of 40}\n@-60 {adjoint of 60}\nx := 0.5*x\n@-30 end {adjoint of 30}\n@-50 {adjoint of 50}\nx := 0.5*x",
                ],
                Some((
                    "T711",
                    "the mirrored part of the forward sweep (routine f_fwd) does not visit the block",
                )),
            ),
            (
                [
                    "@60 {copy of 60}\nx := 2.0*x\n@30 for i = 1, n {copy of 30}\n@50 {copy of 50}\nx := 2.0*x\n@40 end {copy of 40}",
                    "@-40 for i = n, 1, -1 {adjoint of 40}\n@-60 {adjoint of 60}\nx := 0.5*x\n@-50 {adjoint of 50}\nx := 0.5*x\n@-30 end {adjoint of 30}",
                ],
                Some((
                    "T711",
                    "the mirrored part of the reverse sweep does not visit the adjoint of this block",
                )),
            ),
            (
                [
                    "@30 if n > 0 {copy of 30}\n@50 {copy of 50}\nx := 2.0*x\n@40 end {copy of 40}",
                    "@-40 if n > 0 {adjoint of 40}\n@-50 {adjoint of 50}\nx := 0.5*x\n@-30 end {adjoint of 30}",
                ],
                None,
            ),
            (
                [
                    "@30 if n > 0 {copy of 30}\n\n@40 end {copy of 40}",
                    "@-40 if n > 0 {adjoint of 40}\n\n@-30 end {adjoint of 30}",
                ],
                None,
            ),
            (
                ["@30 if n > 0 {copy of 30}\n\n@40 end {copy of 40}", ""],
                None,
            ),
            (
                [
                    "@30 if n > 0 {copy of 30}\n@50 {copy of 50}\nx := 2.0*x\n@40 end {copy of 40}",
                    "@-40 if n > 0 {adjoint of 40}\n\n@-30 end {adjoint of 30}\n@-50 {adjoint of 50}\nx := 0.5*x",
                ],
                Some((
                    "T711",
                    "the mirrored part of the forward sweep (routine f_fwd) does not visit the block",
                )),
            ),
            (
                [
                    "@30 if n > 0 {copy of 30}\n@50 {copy of 50}\nx := 2.0*x\npush[real] x on t\n@40 end {copy of 40}",
                    "@-40 if n > 0 {adjoint of 40}\nx := pop[real] from t\n@-50 {adjoint of 50}\nx := 0.5*x\n@-30 end {adjoint of 30}",
                ],
                None,
            ),
            (
                [
                    "@30 for i = 1, n {copy of 30}\n@50 {copy of 50}\nx := 2.0*x\npush[real] x on t\n@40 end {copy of 40}\npush[real] x on t",
                    "x := pop[real] from t\n@-40 for i = n, 1, -1 {adjoint of 40}\nx := pop[real] from t\n@-50 {adjoint of 50}\nx := 0.5*x\n@-30 end {adjoint of 30}",
                ],
                None,
            ),
            (
                [
                    "@30 for i = 1, n {copy of 30}\n@50 {copy of 50}\nx := 2.0*x\npush[real] x on t\n@40 end {copy of 40}\n@60 {copy of 60}\nx := 2.0*x",
                    "@-40 for i = n, 1, -1 {adjoint of 40}\nx := pop[real] from t\n@-50 {adjoint of 50}\nx := 0.5*x\n@-30 end {adjoint of 30}\n@-60 {adjoint of 60}\nx := 0.5*x",
                ],
                Some((
                    "T711",
                    "at this point of the reverse sweep routine f_fwd, BASICBLOCK 60 comes next",
                )),
            ),
            (
                [
                    "@30 for i = 1, n {copy of 30}\n@50 {copy of 50}\nx := 2.0*x\npush[real] x on t\n@40 end {copy of 40}\n@60 {copy of 60}\nx := 2.0*x\npush[real] x on t",
                    "x := pop[real] from t\n@-40 for i = n, 1, -1 {adjoint of 40}\n@-60 {adjoint of 60}\nx := 0.5*x\nx := pop[real] from t\n@-30 end {adjoint of 30}\n@-50 {adjoint of 50}\nx := 0.5*x",
                ],
                Some((
                    "T711",
                    "at this point of the reverse sweep routine f_fwd, BASICBLOCK 60 comes next",
                )),
            ),
            (
                [
                    "@50 {copy of 50}\nx := 2.0*x\n@30 for i = 1, n {copy of 30}\npush[real] x on t\n@40 end {copy of 40}",
                    "@-40 for i = n, 1, -1 {adjoint of 40}\n@-50 {adjoint of 50}\nx := 0.5*x\nx := pop[real] from t\n@-30 end {adjoint of 30}",
                ],
                Some((
                    "T711",
                    "the mirrored part of the reverse sweep does not visit the adjoint of this block",
                )),
            ),
            (
                [
                    "@30 for i = 1, n {copy of 30}\n@50 {copy of 50}\nx := 2.0*x\n@40 end {copy of 40}",
                    "@-40 for i = 3, 1, -1 {adjoint of 40}\n@-50 {adjoint of 50}\nx := 0.5*x\n@-30 end {adjoint of 30}",
                ],
                Some(("T708", "does not start where the loop ends")),
            ),
            (
                [
                    "@30 for i = 1, n {copy of 30}\n\n@40 end {copy of 40}",
                    "@-40 for i = 3, 1, -1 {adjoint of 40}\n\n@-30 end {adjoint of 30}",
                ],
                Some(("T708", "does not start where the loop ends")),
            ),
            (
                [
                    "@30 if n > 0 {copy of 30}\n\n@40 end {copy of 40}",
                    "@-40 if n > 1 {adjoint of 40}\n\n@-30 end {adjoint of 30}",
                ],
                Some(("T709", "not by the same selector either")),
            ),
        ],
    );
}

/// The vertices of tangents of sweeps have the images of the sweeps' vertices.
#[test]
fn vertices_of_tangents_stand_for_those_that_they_are_copies_of() {
    assert_cases(
        "general subroutine f_fwd(in integer n, inout real x, inout tape t) {forward of f}
  local integer i
    1 ENTRY -> 2 {copy of 11}
    2 LOOP i = 2, n -> 3 [1], 5 {copy of 12}
    3 BASICBLOCK -> 4 {copy of 13}
          push[real] x
    4 ENDLOOP -> 2 {copy of 14}
    5 BASICBLOCK -> 6 {copy of 15}
          x := 2.0*x
    6 EXIT {copy of 16}
end
general subroutine f_rev(in integer n, inout real x, inout tape t) {reverse of f}
  local integer k
    1 ENTRY -> 2 {adjoint of 16}
    2 BASICBLOCK -> 3 {adjoint of 15}
          x := 0.5*x
    3 FORLOOP k = 1, trips(2, n, 1) -> 4 [1], 6 {adjoint of 14}
    4 BASICBLOCK -> 5 {adjoint of 13}
          x := pop[real]
    5 ENDLOOP -> 3 {adjoint of 12}
    6 EXIT {adjoint of 11}
end
general subroutine g_fwd(in integer n, inout real x, inout tape t) {tangent of f_fwd}
  local integer i
   21 ENTRY -> 22
   22 LOOP i = 2, n -> 23 [1], 25 {copy of 2}
   23 BASICBLOCK -> 24 {copy of 3}
          push[real] x
   24 ENDLOOP -> 22
   25 BASICBLOCK -> 26 {copy of 5}
          x := 2.0*x
   26 EXIT
end
general subroutine g_rev(in integer n, inout real x, inout tape t) {tangent of f_rev}
  local integer k
   31 ENTRY -> 32
   32 BASICBLOCK -> 33 {copy of $1}
          x := 0.5*x
   33 FORLOOP k = 1, trips(2, n, 1) -> 34 [1], 36
   34 BASICBLOCK -> 35 {copy of $2}
          x := pop[real]
   35 ENDLOOP -> 33 {$3 of 5}
   36 EXIT
end
",
        &[
            (["2", "4", "copy"], None),
            (["4", "2", "copy"], Some(("T711", ""))),
            (["2", "2", "copy"], Some(("T706", ""))),
            (
                ["2", "4", "adjoint"],
                Some((
                    "T708",
                    "its ENDLOOP is not the adjoint of a LOOP, whose range it could have",
                )),
            ),
        ],
    );
}

/// A tape that comes from outside is one of both sweeps of a pair.
#[test]
fn tapes_come_from_outside_in_pairs() {
    assert_cases(
        "$1 subroutine f_fwd($2) {forward of f}
  push[real] x on t
  $5
end
subroutine f_rev($3) {reverse of f}
  x := pop[real] from t
  $6
end
$4
",
        &[
            (
                [
                    "",
                    "inout real x, inout tape t",
                    "inout real x, inout tape t",
                    "",
                    "",
                    "",
                ],
                None,
            ),
            (
                [
                    "",
                    "inout real x, inout tape t, inout tape s",
                    "inout tape s, inout real x, inout tape t",
                    "",
                    "push[real] x on s",
                    "x := pop[real] from s",
                ],
                None,
            ),
            (
                [
                    "",
                    "inout real x, inout tape t",
                    "inout real x, inout tape t, inout tape s",
                    "",
                    "",
                    "",
                ],
                Some((
                    "T702",
                    "its tape parameters are [\"s\", \"t\"], those of the forward sweep f_fwd are [\"t\"]",
                )),
            ),
            (
                [
                    "",
                    "inout real x, inout tape t",
                    "inout real x, inout tape t",
                    "subroutine g(inout real x, inout tape t)\nx := 2.0*x\nend",
                    "",
                    "",
                ],
                Some((
                    "T702",
                    "the tape `t` comes from outside, but the routine is no sweep of a pair",
                )),
            ),
            (
                [
                    "",
                    "inout real x, inout tape t",
                    "inout real x, inout tape t",
                    "subroutine g(inout real x)\nlocal tape t\nx := 2.0*x\nend",
                    "",
                    "",
                ],
                None,
            ),
            (
                [
                    "",
                    "inout real x, inout tape t",
                    "inout real x, inout tape t",
                    "subroutine g(inout real x)\nlocal tape t\npush[real] x\nx := pop[real]\nend",
                    "",
                    "",
                ],
                None,
            ),
            (
                [
                    "",
                    "inout real x, inout tape t",
                    "inout real x, inout tape t",
                    "general subroutine g(inout real x)\nlocal tape t\npush[real] x\nx := pop[real]\nend",
                    "",
                    "",
                ],
                None,
            ),
            (
                [
                    "",
                    "inout real x, inout tape t",
                    "inout real x, inout tape t",
                    "general subroutine g(inout real x)\nlocal tape t\nlabel a\npush[real] x\nx := pop[real]\nif x < 3.0\ngoto a\nend\nend",
                    "",
                    "",
                ],
                Some((
                    "T701",
                    "the routine pushes and pops for itself, and its control flow is not structured",
                )),
            ),
            (
                [
                    "general",
                    "inout real x, inout tape t",
                    "inout real x, inout tape t",
                    "",
                    "",
                    "",
                ],
                None,
            ),
        ],
    );
}

/// The arguments of mirrored calls are compared by the names of the parameters, where both have them.
#[test]
fn calls_of_sweeps_whose_parameters_stand_in_another_order() {
    assert_cases(
        "subroutine f_fwd(in integer n, in integer m, inout real x, inout tape t, inout tape u) {forward of f}
$1
end
subroutine f_rev(in integer n, in integer m, inout real x, inout tape t, inout tape u) {reverse of f}
$2
end
subroutine g_fwd(in integer j, in integer only, inout real x, inout tape s) {forward of g}
  push[real] x
  x := 2.0*x
end
subroutine g_rev(inout tape s, in integer more, inout real x, in integer j) {reverse of g}
  x := pop[real]
end
",
        &[
            (["call g_fwd(n, 1, x, t)", "call g_rev(t, 2, x, n)"], None),
            (["call g_fwd(n, 1, x, t)", "call g_rev(t, 2, x, m)"], Some(("T710", "the argument `j` is not that of the mirrored call, routine f_fwd, vertex 2, statement 1"))),
            (["call g_fwd(n, 1, x, t)\npush[real] x on u", "call g_rev(t, 2, x, n)\nx := pop[real] from u"], None),
            (["call g_fwd(n, 1, x, u)\npush[real] x on t", "call g_rev(u, 2, x, n)\nx := pop[real] from t"], None),
            (["call g_fwd(n, 1, x, t)\npush[real] x on t", "call g_rev(t, 2, x, n)\nx := pop[real] from t"], Some(("T703", ""))),
            (["call g_fwd(n, 1, x, t)\ncall g_fwd(m, 1, x, u)", "call g_rev(t, 2, x, n)\ncall g_rev(u, 2, x, m)"], None),
            (["call g_fwd(n, 1, x, t)\ncall g_fwd(m, 1, x, t)", "call g_rev(t, 2, x, n)\ncall g_rev(t, 2, x, m)"], Some(("T710", "the argument `j`"))),
            (["call g_fwd(n, 1, x, t)\ncall g_fwd(m, 1, x, t)", "call g_rev(t, 2, x, m)\ncall g_rev(t, 2, x, n)"], None),
        ],
    );
}

/// A reverse loop is entered at its head.
#[test]
fn reverse_loops_are_entered_at_their_heads() {
    assert_cases(
        "general subroutine f_fwd(in integer n, in integer m, inout integer p, inout real x, inout tape t, inout tape u) {forward of f}
  local integer c, d
    1 ENTRY -> 2
    2 BASICBLOCK -> 3
          c := 0
    3 BASICBLOCK -> 4
          push[real] x on t
          x := x*x
          c := c + 1
    4 BRANCH x < 100.0 -> 3 [1], 5 [0]
    5 BASICBLOCK -> 7
          push[control count] c on t
    7 BRANCH p > 0 -> 8 [1], 9 [0]
    8 BASICBLOCK -> 6
          push[control 1] 1 on t
    9 BASICBLOCK -> 6
          push[control 1] 0 on t
    6 EXIT
end
general subroutine f_rev(in integer n, in integer m, inout integer p, inout real x, inout tape t, inout tape u) {reverse of f}
  local integer k, b, e
    1 ENTRY -> 2
    2 BASICBLOCK -> 7
          e := pop[control 1] from t
    7 BRANCH e == 1 -> 8 [1], 9 [0]
    8 BASICBLOCK -> $1
          b := pop[control count] from t
          k := 0
    9 BASICBLOCK -> $2
          b := pop[control count] from t
          k := 0
    3 FORLOOP k = 1, b -> 4 [1], 6
    4 BASICBLOCK -> 5
          x := pop[real] from t
    5 ENDLOOP -> 3
    6 EXIT
end
",
        &[
            (["3", "3"], None),
            (["4", "3"], Some(("T708", "a jump leads into its body"))),
            (["3", "4"], Some(("T708", "it is not proven that this is entered from outside"))),
        ],
    );
}

/// A count is that of one reverse loop, from its pop to the loop.
#[test]
fn each_reverse_loop_has_a_count_of_its_own() {
    assert_cases(
        "general subroutine f_fwd(in integer n, in integer m, inout integer p, inout real x, inout tape t, inout tape u) {forward of f}
  local integer c, d
    1 ENTRY -> 2
    2 BASICBLOCK -> 3
          c := 0
    3 BASICBLOCK -> 4
          push[real] x on t
          x := x*x
          c := c + 1
    4 BRANCH x < 100.0 -> 3 [1], 5 [0]
    5 BASICBLOCK -> 6
          $2
          $1 := 0
    6 BASICBLOCK -> 7
          push[real] x on t
          x := x*x
          $1 := $1 + 1
    7 BRANCH x < 900.0 -> 6 [1], 8 [0]
    8 BASICBLOCK -> 9
          push[control count] $1 on t
    9 EXIT
end
general subroutine f_rev(in integer n, in integer m, inout integer p, inout real x, inout tape t, inout tape u) {reverse of f}
  local integer k, b, e
    1 ENTRY -> 2
    2 BASICBLOCK -> 3
          b := pop[control count] from t
    3 FORLOOP k = 1, b -> 4 [1], 6
    4 BASICBLOCK -> 5
          x := pop[real] from t
    5 ENDLOOP -> 3
    6 BASICBLOCK -> 7
          $3
    7 FORLOOP k = 1, $4 -> 8 [1], 10
    8 BASICBLOCK -> 9
          x := pop[real] from t
    9 ENDLOOP -> 7
   10 EXIT
end
",
        &[
            (["d", "push[control count] c on t", "e := pop[control count] from t", "e"], None),
            (["d", "push[control count] c on t", "b := pop[control count] from t", "b"], None),
            (["c", "push[control count] c on t", "e := pop[control count] from t", "e"], Some(("T708", "two reverse loops run by the same count"))),
            (["d", "push[control count] c on t", "e := pop[control count] from t", "b"], Some(("T708", "its bound is neither a popped counter nor a number of trips"))),
            (["d", "", "", "b"], Some(("T708", "its bound is neither a popped counter nor a number of trips"))),
        ],
    );
}

/// A reverse loop is entered with the counts of one counter.
#[test]
fn a_reverse_loop_has_the_counts_of_one_counter() {
    assert_cases(
        "general subroutine f_fwd(in integer n, in integer m, inout integer p, inout real x, inout tape t, inout tape u) {forward of f}
  local integer c, d
    1 ENTRY -> 2
    2 BASICBLOCK -> 3
          c := 0
          push[real] x on t
          x := x*x
          c := c + 1
          $1
    3 BASICBLOCK -> 4
          $3 := 0
          push[real] x on t
          x := x*x
          $3 := $3 + 1
          push[control count] $3 on t
    4 EXIT
end
general subroutine f_rev(in integer n, in integer m, inout integer p, inout real x, inout tape t, inout tape u) {reverse of f}
  local integer k, b, e
    1 ENTRY -> 2
    2 BASICBLOCK -> 3
          e := 0
          b := pop[control count] from t
    3 FORLOOP k = 1, b -> 4 [1], 6
    4 BASICBLOCK -> 5
          x := pop[real] from t
    5 ENDLOOP -> 3
    6 BRANCH e == 0 -> 7 [1], 8 [0]
    7 BASICBLOCK -> 3
          e := 1
          $2
    8 EXIT
end
",
        &[
            (["push[control count] c on t", "b := pop[control count] from t", "c"], None),
            (["push[control count] c on t", "b := pop[control count] from t", "d"], Some(("T708", "it is entered with the counts of different loops"))),
        ],
    );
}

/// A pushed count does not include later passes.
#[test]
fn a_count_is_pushed_where_nothing_was_counted_since() {
    assert_cases(
        JUMPS,
        &[
            (
                [
                    "c := 0",
                    "push[real] x on t\nx := x*x\nc := c + 1",
                    "push[control count] c on t",
                    "b := pop[control count] from t",
                    "",
                ],
                None,
            ),
            (
                [
                    "c := 0",
                    "push[real] x on t\nx := x*x\nc := c + 1",
                    "push[control count] c on t\nc := c + 1",
                    "b := pop[control count] from t",
                    "",
                ],
                Some((
                    "T708",
                    "its bound is neither a popped counter nor a number of trips",
                )),
            ),
            (
                [
                    "c := 0",
                    "push[real] x on t\nx := x*x\nc := c + 1",
                    "push[control count] c on t\nc := 0",
                    "b := pop[control count] from t",
                    "",
                ],
                Some((
                    "T708",
                    "its bound is neither a popped counter nor a number of trips",
                )),
            ),
            (
                [
                    "c := 0",
                    "push[real] x on t\nx := x*x\nc := c + 1",
                    "push[control count] c on t\nc := n",
                    "b := pop[control count] from t",
                    "",
                ],
                Some((
                    "T708",
                    "its bound is neither a popped counter nor a number of trips",
                )),
            ),
            (
                [
                    "c := n\nc := 0",
                    "push[real] x on t\nx := x*x\nc := c + 1",
                    "push[control count] c on t",
                    "b := pop[control count] from t",
                    "",
                ],
                Some((
                    "T708",
                    "its bound is neither a popped counter nor a number of trips",
                )),
            ),
            (
                [
                    "c := 0\nc := 0",
                    "push[real] x on t\nx := x*x\nc := c + 1",
                    "push[control count] c on t",
                    "b := pop[control count] from t",
                    "",
                ],
                Some(("T708", "the reverse sweep ends before all passes are done")),
            ),
            (
                [
                    "c := 0",
                    "push[real] x on t\nx := x*x\nc := c + 1",
                    "c := c + 1\npush[control count] c on t",
                    "b := pop[control count] from t",
                    "",
                ],
                Some(("T708", "here is not where")),
            ),
            (
                [
                    "c := 0",
                    "push[real] x on t\nx := x*x\nc := c + 1",
                    "c := 0\npush[control count] c on t",
                    "b := pop[control count] from t",
                    "",
                ],
                Some(("T706", "does not pop this")),
            ),
        ],
    );
}

/// A marker is popped into a variable that the forward sweep does not have.
#[test]
fn markers_of_jumps_are_popped_into_variables_of_the_reverse_sweep() {
    assert_cases(
        "general subroutine f_fwd(in integer q, inout real a[9], inout real x, inout tape t) {forward of f}
  local integer $1
    1 ENTRY -> 2
    2 BASICBLOCK -> 3
          $1 := q
          push[real] a[$1]
          a[$1] := 0.0
    3 BRANCH x > 0.0 -> 4 [1], 5 [0]
    4 BASICBLOCK -> 6
          push[real] x
          x := x*x
          push[control 1] 1
    5 BASICBLOCK -> 6
          push[control 1] 0
    6 EXIT
end
general subroutine f_rev(in integer q, inout real a[9], inout real x, inout tape t) {reverse of f}
  local integer m, e
    1 ENTRY -> 2
    2 BASICBLOCK -> 3
          m := q
          e := pop[control 1]
    3 BRANCH e == 1 -> 4 [1], 5 [0]
    4 BASICBLOCK -> 5
          x := pop[real]
    5 BASICBLOCK -> 6
          a[m] := pop[real]
    6 EXIT
end
",
        &[
            (["m"], None),
            (["e"], Some(("T705", ""))),
        ],
    );
}

/// Values on different tapes or of different classes are popped in any order, those of one stack in reverse order.
#[test]
fn stacks_of_different_tapes_are_apart() {
    assert_cases(
        "subroutine f_fwd(in integer n, in integer m, in logical l, inout integer p, inout real x, inout tape t, inout tape u) {forward of f}
local integer h
local tape o
$1
end
subroutine f_rev(in integer n, in integer m, in logical l, inout integer p, inout real x, inout tape t, inout tape u) {reverse of f}
local integer h, k
local tape o
$2
end
",
        &[
            (["push[real] x on t\npush[integer] p on t", "x := pop[real] from t\np := pop[integer] from t"], None),
            (["push[real] x on t\npush[real] x on u", "x := pop[real] from t\nx := pop[real] from u"], None),
            (["push[integer] p on t\npush[control 8] p on t", "p := pop[integer] from t\np := pop[control 8] from t"], None),
            (["push[integer] p on t\npush[integer] n + 1 on t", "k := pop[integer] from t\np := pop[integer] from t"], None),
            (["push[integer] p on t\npush[integer] n + 1 on t", "p := pop[integer] from t\nk := pop[integer] from t"], Some(("T705", "the value of an expression is popped into a variable of both sweeps"))),
            (["push[control 8] p on t\npush[control 4] p on t", "p := pop[control 8] from t\np := pop[control 4] from t"], Some(("T704", ""))),
            (["push[control 8] p on t\npush[control 4] p on t", "p := pop[control 4] from t\np := pop[control 8] from t"], None),
            (["push[control 8] p on t\npush[control count] p on t", "p := pop[control count] from t\np := pop[control 8] from t"], None),
            (["push[control 8] p on t\npush[control count] p on t", "p := pop[control 8] from t\np := pop[control count] from t"], Some(("T704", ""))),
        ],
    );
}

/// Two sweeps go together in as many ways as four times their vertices, and in no more.
#[test]
fn sweeps_go_together_in_few_ways() {
    // The forward sweep has 24 places with a push, the reverse sweep 25 with a pop: 600 pairs of places, for 150
    // vertices.
    let program = |more: usize| {
        let (mut forward, mut reverse) = (String::new(), String::new());
        for k in 0..24 {
            let (block, branch, next) = (4 + 2 * k, 5 + 2 * k, 4 + 2 * ((k + 1) % 24));
            forward += &format!(
                "{block} BASICBLOCK -> {branch}
                   push[real] x
                   x := x*x
                   push[control 1] 0
                 {branch} BRANCH x < 100.0 -> {next} [1], 3 [0]\n"
            );
        }
        for k in 0..25 {
            let (block, branch, pop) = (4 + 3 * k, 5 + 3 * k, 6 + 3 * k);
            let next = 4 + 3 * ((k + 1) % 25);
            reverse += &format!(
                "{block} BASICBLOCK -> {branch}
                   m := pop[control 1]
                 {branch} BRANCH m == 1 -> 100 [1], {pop} [0]
                 {pop} BASICBLOCK -> {next}
                   x := pop[real]\n"
            );
        }
        for k in 0..more {
            reverse += &format!("{} BASICBLOCK -> {}\n", 100 + k, 101 + k);
        }
        format!(
            "general subroutine f_fwd(inout real x, inout tape t) {{forward of f}}
                 1 ENTRY -> 2
                 2 BASICBLOCK -> 4
                   push[control 1] 1
                 {forward}
                 3 EXIT
             end
             general subroutine f_rev(inout real x, inout tape t) {{reverse of f}}
                 local integer m
                 1 ENTRY -> 4
                 {reverse}
                 {} EXIT
             end",
            100 + more
        )
    };
    assert_found(&program(22), None);
    let many = "the two sweeps go together in too many ways";
    assert_found(&program(21), Some(("T701", many)));
}

/// Sweeps of these lines, with the routines that they call.
fn sweeps(forward: &str, reverse: &str) -> String {
    let parameters =
        "in integer n, in logical l, inout integer p, inout real x, inout tape t, inout tape u";
    let kind = match forward.contains("BASICBLOCK") {
        true => "general",
        false => "",
    };
    format!(
        "{kind} subroutine f_fwd({parameters}) {{forward of f}}
           local integer i, c
           local real32 y
           {forward}
         end
         {kind} subroutine f_rev({parameters}) {{reverse of f}}
           local integer i, k, b
           local real32 y
           {reverse}
         end
         subroutine g_fwd(inout real x, inout tape s) {{forward of g}}
           x := 2.0*x
         end
         subroutine g_rev(inout real x, inout tape s) {{reverse of g}}
           x := 0.5*x
         end
         subroutine own(inout real x)
           local tape s
           push[real] x
           x := pop[real]
         end"
    )
}

/// The pushes, loops, branches and calls of sweeps without jumps are counted in the text.
#[test]
fn what_is_proven_without_jumps_is_counted() {
    let text = sweeps(
        "if l
           x := 2.0*x
           push[real] x on t
           push[control 1] true on t
         else
           push[control 1] false on t
         end
         c := 0
         while x < 9.0
           push[integer] p on t
           x := x + 1.0
           c := c + 1
         end
         push[control count] c on t
         if n > 0
           y := 2.0f
           push[real32] y on u
         end
         for i = 1, n
           push[real] x on t
         end
         call g_fwd(x, u)
         call g_fwd(x, t)
         call g_fwd(x, u)
         push[disk] x on t
         push[control 2] 1 on t",
        "k := pop[control 2] from t
         x := pop[disk] from t
         call g_rev(x, u)
         call g_rev(x, t)
         call g_rev(x, u)
         for i = n, 1, -1
           x := pop[real] from t
         end
         if n > 0
           y := pop[real32] from u
         end
         b := pop[control count] from t
         for k = 1, b
           p := pop[integer] from t
         end
         b := pop[control 1] from t
         if b == 1
           x := pop[real] from t
         end",
    );
    let report = report(&text);
    assert!(report.problems.is_empty(), "{}", report.problems);
    let expected = Summary {
        pairs: 2,
        // One of a routine with a tape of its own.
        neutral: 1,
        control: 3,
        counts: 1,
        integer: 1,
        real: 3,
        real32: 1,
        disk: 1,
        loops_counted: 1,
        loops_recomputed: 1,
        branches: 2,
        calls: 3,
    };
    assert_eq!((report.summary, report.summary.pushes()), (expected, 10));
}

/// Each problem is told once, in the order of the reverse sweep, with its place.
#[test]
fn problems_are_told_once_with_their_places() {
    let general = |lines: &str| format!("1 ENTRY -> 2\n2 BASICBLOCK -> 3\n{lines}\n3 EXIT");
    let push = "push[control 2] 1 on t\npush[control 2] 1 on t";
    let pop = "k := pop[control 1] from t\nk := pop[control 1] from t";
    let two = [
        "at: routine f_rev, vertex 2, statement 1 `k := pop[control 1] from t`",
        "(routine f_fwd, vertex 2, statement 2 `push[control 2] 1 on t`)",
    ];
    let cases: [(String, &[&str], &[&str]); 5] = [
        (sweeps(push, pop), &["T704", "T704"], &two),
        // The walk along jumps stops at the first.
        (sweeps(&general(push), &general(pop)), &["T704"], &two),
        // The pushes of a call lie on four stacks.
        (
            sweeps("call g_fwd(x, t)", ""),
            &["T706"],
            &["at: routine f_fwd, vertex 2, statement 1 `call g_fwd(x, t)`"],
        ),
        (
            sweeps("x := 2.0*x", "x := 0.5*x").replace("u) {reverse", "s) {reverse"),
            &["T702"],
            &[
                "at: routine f_rev\n",
                "its tape parameters are [\"s\", \"t\"], those of the forward sweep f_fwd are [\"t\", \"u\"]",
            ],
        ),
        (
            sweeps(
                "@50 {copy of 50}
                 x := 2.0*x
                 @30 if l {copy of 30}
                   @80 if n > 0
                     push[real] x on t
                   @90 end
                 @40 end {copy of 40}",
                "@-40 if l {adjoint of 40}
                   @-90 if n > 0
                     x := pop[real] from t
                     @-50 {adjoint of 50}
                     x := 0.5*x
                   @-80 end
                 @-30 end {adjoint of 30}",
            ),
            &["T711", "T711"],
            &[
                "blocks are visited here that the mirrored part of the forward sweep does not visit",
                "the mirrored part of the reverse sweep does not visit the adjoint of this block\n  at: routine f_fwd, BASICBLOCK 50",
            ],
        ),
    ];
    for (text, codes, words) in cases {
        let problems = report(&text).problems;
        let found: Vec<&str> = problems.iter().map(|d| d.code).collect();
        assert_eq!(found, codes, "{problems}{text}");
        let told = problems.to_string();
        for words in words {
            assert!(told.contains(words), "`{words}` in {told}{text}");
        }
    }
}
