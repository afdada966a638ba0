//! Conditions of the checker one by one: programs that differ in one of them alone, of which one is right and the others have a
//! problem.

use crate::rules::{Found, assert_found};

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

/// The bound of a loop is changed by calls that write it: as an argument, as a result or as a global, themselves or by what they call.
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
        "subroutine f_fwd(in integer n, in integer m, in logical l, inout integer p, inout real x, inout tape t, inout tape u) {forward of f}
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
",
        &[
            (["push[real] x on t", "x := pop[real] from t"], None),
            (["push[real] x on t\npush[real] x on u", "x := pop[real] from t\nx := pop[real] from u"], None),
            (["push[real] x on o\nx := pop[real] from o", ""], None),
            (["", "push[real] x on o\nx := pop[real] from o"], None),
            (["push[real] x on o", "x := pop[real] from o"], Some(("T706", "this stays on the tape when the routine returns"))),
            (["", "x := pop[real] from o"], Some(("T707", "nothing was pushed that this could pop"))),
            (["push[real] x on t\nx := pop[real] from t", ""], None),
            (["x := pop[real] from t", "push[real] x on t"], Some(("T707", "nothing was pushed that this could pop"))),
            (["", "push[real] x on t"], Some(("T706", "this stays on the tape when the routine returns"))),
            (["push[real] x on t", ""], Some(("T706", "the mirrored part of the reverse sweep does not pop this"))),
            (["", "x := pop[real] from t"], Some(("T707", "the mirrored part of the forward sweep (routine f_fwd) has nothing on the stack here"))),
        ],
    );
}

/// What lies on a stack is told with the stack and its tape.
#[test]
fn stacks_are_told_by_name() {
    assert_cases(
        "subroutine f_fwd(in integer n, in integer m, in logical l, inout integer p, inout real x, inout tape t, inout tape u) {forward of f}
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
",
        &[
            (["if l\npush[real] x on t\npush[real] x on u\nend", "if l\nx := pop[real] from t\nend"], Some(("T703", "on the real stack of `u` lies what was pushed by routine f_fwd, BRANCH 2, which this does not mirror"))),
            (["if l\npush[integer] p on t\npush[integer] p on u\nend", "if l\np := pop[integer] from t\nend"], Some(("T703", "on the integer stack of `u` lies what was pushed by routine f_fwd, BRANCH 2, which this does not mirror"))),
            (["if l\npush[control 8] p on t\npush[control 8] p on u\nend", "if l\np := pop[control 8] from t\nend"], Some(("T703", "on the control stack of `u` lies what was pushed by routine f_fwd, BRANCH 2, which this does not mirror"))),
            (["y := 2.0f\nif l\npush[real32] y on t\npush[real32] y on u\nend", "if l\ny := pop[real32] from t\nend"], Some(("T703", "on the real32 stack of `u` lies what was pushed by routine f_fwd, BRANCH 3, which this does not mirror"))),
            (["push[real] x on t", "if l\nx := pop[real] from t\nend"], Some(("T703", "what lies on the tape here is routine f_fwd, vertex 2, statement 1 `push[real] x on t`"))),
            (["if l\npush[real] x on t\nend", "if l\nx := pop[real] from t\nx := pop[real] from u\nend"], Some(("T703", ""))),
            (["if l\npush[real] x on t\npush[real] x on u\nend", "if l\nx := pop[real] from t\nx := pop[real] from u\nend"], None),
            (["if l\npush[real] x on t\npush[real] x on u\nend", "if l\nx := pop[real] from t\nend"], Some(("T703", ""))),
            (["push[real] x on t\npush[integer] p on t", "x := pop[real] from t\np := pop[integer] from t"], None),
        ],
    );
}

/// Where nothing lies on the stack the loop or the branch is told in which that is.
#[test]
fn the_mirrored_part_is_told_by_its_loop_or_branch() {
    assert_cases(
        "subroutine f_fwd(in integer n, in integer m, in logical l, inout integer p, inout real x, inout tape t, inout tape u) {forward of f}
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
",
        &[
            (["for i = 1, 2\npush[real] x on t\nend\nfor i = 1, 3\npush[real] x on t\nend", "for i = 3, 1, -1\nx := pop[real] from t\nend\nfor i = 2, 1, -1\nx := pop[real] from t\nend"], None),
            (["for i = 1, 2\npush[real] x on t\nend\nfor i = 1, 3\npush[real] x on t\nend", "for i = 3, 1, -1\nx := pop[real] from t\nx := pop[real] from t\nend\nfor i = 2, 1, -1\nx := pop[real] from t\nend"], Some(("T707", "(routine f_fwd, LOOP 5) has nothing on the stack here"))),
            (["if l\npush[real] x on t\nend\nif n > 0\npush[real] x on t\nend", "if n > 0\nx := pop[real] from t\nend\nif l\nx := pop[real] from t\nend"], None),
            (["if l\npush[real] x on t\nend\nif n > 0\npush[real] x on t\nend", "if n > 0\nx := pop[real] from t\nx := pop[real] from t\nend\nif l\nx := pop[real] from t\nend"], Some(("T707", "(routine f_fwd, BRANCH 5) has nothing on the stack here"))),
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
