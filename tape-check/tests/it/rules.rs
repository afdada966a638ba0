//! Small pairs of sweeps in the text form: right ones pass, and each change of a line has its problem.

use cfg_core::validate::{ValidProgram, validate};
use cfg_format::text;
use cfg_testkit::flat;
use tape_check::{Report, check, check_program, pairs};

/// The program of a text, which keeps all rules.
pub(crate) fn valid(text: &str) -> ValidProgram {
    let parsed = text::parse(text);
    let problems = parsed.problems;
    let program = parsed.program.unwrap_or_else(|| panic!("{problems}{text}"));
    validate(program).unwrap_or_else(|d| panic!("{d}{text}"))
}

/// The report of a program.
pub(crate) fn report(text: &str) -> Report {
    let program = valid(text);
    let report = check_program(&flat(&program));
    assert_eq!(check(&flat(&program), &pairs(&program)), report.problems);
    report
}

/// A code and words of the message; none where all is proven.
pub(crate) type Found = Option<(&'static str, &'static str)>;

/// The first problem of a program is this one.
pub(crate) fn assert_found(text: &str, expected: Found) {
    let problems = report(text).problems;
    let first = problems.iter().next();
    match (first, expected) {
        (None, None) => {}
        (Some(d), Some((code, words))) if d.code == code && d.message.contains(words) => {}
        _ => panic!("{expected:?} expected, found {problems}\n{text}"),
    }
}

/// Two sweeps of these lines.
fn pair(forward: &str, reverse: &str) -> String {
    let parameters =
        "in integer n, in integer m, in logical l, inout integer p, inout real x, inout tape t";
    format!(
        "subroutine f_fwd({parameters}) {{forward of f}}\n{forward}\nend\n
         subroutine f_rev({parameters}) {{reverse of f}}\n{reverse}\nend\n"
    )
}

const PLACE: Found = Some(("T705", "it was not pushed from this place"));
const SHAPE: Found = Some(("T705", "the variable has another shape where it was pushed"));
const EXPRESSION: Found = Some((
    "T705",
    "the value of an expression is popped into a variable of both sweeps",
));

#[test]
fn arrays_are_popped_into_arrays_of_the_same_shape() {
    for (pushed, popped, found) in [
        ("a[n]", "a[n]", None),
        ("a[n] column", "a[n]", None),
        ("a[n, 2]", "a[n, 2]", None),
        ("a[n, 2] column", "a[n, 2] column", None),
        ("a[n from 0, 2]", "a[n from 0, 2]", None),
        ("a[:]", "a[:]", None),
        ("a[n, 2]", "a[n, 2] column", SHAPE),
        ("a[n, 2] column", "a[n, 2]", SHAPE),
        ("a[n, 2, 2]", "a[n, 2, 2] column", SHAPE),
        ("a[n]", "a[n, 2]", SHAPE),
        ("a[n, 2]", "a[n]", SHAPE),
        ("a[n]", "a[m]", SHAPE),
        ("a[n, 2]", "a[n, 3]", SHAPE),
        ("a[n, 2]", "a[m, 2]", SHAPE),
        ("a[n from 0]", "a[n]", SHAPE),
        ("a[n from m]", "a[n from n]", SHAPE),
        ("a[n, 2 from 3]", "a[n, 2 from 4]", SHAPE),
        ("a[:]", "a[n]", SHAPE),
        ("a[n]", "a[:]", SHAPE),
    ] {
        let text = pair(
            &format!("local real {pushed}\na := x\npush[real] a"),
            &format!("local real {popped}\na := pop[real]\nx := sum(a)"),
        );
        assert_found(&text, found);
    }
}

#[test]
fn values_are_popped_into_the_place_that_they_were_pushed_from() {
    for (pushed, popped, found) in [
        ("x", "x", None),
        ("a[n]", "a[n]", None),
        ("a[int(1.5)]", "a[int(1.5)]", None),
        ("a[int(1.5f)]", "a[int(1.5f)]", None),
        ("a[if(true, n, m)]", "a[if(true, n, m)]", None),
        ("a[n + m + 1]", "a[n + m + 1]", None),
        ("a[1:n]", "a[1:n]", None),
        ("a[:n]", "a[:n]", None),
        ("a[1:n:2]", "a[1:n:2]", None),
        ("c[n, m]", "c[n, m]", None),
        ("x", "y", PLACE),
        ("a[n]", "b[n]", PLACE),
        ("a[n]", "a[m]", PLACE),
        ("a[1]", "a[2]", PLACE),
        ("a[int(1.5)]", "a[int(2.5)]", PLACE),
        ("a[int(1.5f)]", "a[int(2.5f)]", PLACE),
        ("a[if(true, n, m)]", "a[if(false, n, m)]", PLACE),
        ("a[n + m]", "a[n - m]", PLACE),
        ("a[n + m]", "a[n + m + 1]", PLACE),
        ("a[n + 1]", "a[n + 2]", PLACE),
        ("a[n + 1]", "a[m + 1]", PLACE),
        ("a[1:n]", "a[2:n]", PLACE),
        ("a[1:n]", "a[1:m]", PLACE),
        ("a[1:n]", "a[:n]", PLACE),
        ("a[:n]", "a[:]", PLACE),
        ("a[1:n:2]", "a[1:n:3]", PLACE),
        ("a[1:n:2]", "a[1:n]", PLACE),
        ("a[n]", "a[n:n]", PLACE),
        ("a[:]", "a", PLACE),
        ("c[n, m]", "c[n, n]", PLACE),
        ("c[n, m]", "c[m, m]", PLACE),
    ] {
        let locals = "local real a[9], b[9], c[9, 9], y\n";
        let text = pair(
            &format!("{locals}push[real] {pushed}"),
            &format!("{locals}{popped} := pop[real]"),
        );
        assert_found(&text, found);
    }
    // A variable of the same name and of another type is another one.
    let text = pair(
        "local integer k\nk := 1\npush[integer] k",
        "local int32 k\nk := pop[integer]",
    );
    let problems = report(&text).problems;
    assert!(problems.has_errors(), "{text}");
}

/// A loop in which nothing happens, whose count no reverse loop reads.
fn idle(locals: &str, counter: &str, class: &str, reverse: &str) -> String {
    let forward = format!(
        "local integer i{locals}\n{counter} := 0\nfor i = 1, n\n{counter} := {counter} + 1\nend\npush[{class}] {counter}"
    );
    pair(&forward, reverse)
}

#[test]
fn counts_that_nobody_needs_go_to_a_variable_of_the_reverse_sweep() {
    let count = "control count";
    let pop = "local integer k\nk := pop[control count]";
    for (text, found) in [
        (idle(", c", "c", count, pop), None),
        // Into an element, a parameter, a variable of the forward sweep.
        (
            idle(
                ", c",
                "c",
                count,
                "local integer k[2]\nk[1] := pop[control count]",
            ),
            PLACE,
        ),
        (idle(", c", "c", count, "p := pop[control count]"), PLACE),
        (idle(", c, k", "c", count, pop), PLACE),
        // From a variable of the reverse sweep.
        (
            idle(
                ", c",
                "c",
                count,
                "local integer c, k\nk := pop[control count]",
            ),
            PLACE,
        ),
        // From an element, an array of one element, and a parameter.
        (idle(", c[2]", "c[1]", count, pop), PLACE),
        (idle("", "p", count, pop), PLACE),
        // Not as a count.
        (
            idle(", c", "c", "integer", "local integer k\nk := pop[integer]"),
            PLACE,
        ),
        (
            idle(
                ", c",
                "c",
                "control 8",
                "local integer k\nk := pop[control 8]",
            ),
            PLACE,
        ),
    ] {
        assert_found(&text, found);
    }
}

#[test]
fn values_of_expressions_go_to_variables_of_the_reverse_sweep() {
    for (locals, reverse, found) in [
        ("", "local integer k\nk := pop[integer]", None),
        ("", "local integer k[2]\nk[1] := pop[integer]", EXPRESSION),
        ("", "p := pop[integer]", EXPRESSION),
        (
            "local integer k\n",
            "local integer k\nk := pop[integer]",
            EXPRESSION,
        ),
    ] {
        let text = pair(&format!("{locals}push[integer] n + 1"), reverse);
        assert_found(&text, found);
    }
    // Inside of one routine no variable is that of another sweep.
    let text = "subroutine f(in integer n)
        local integer k
        local tape t
        push[integer] n + 1
        k := pop[integer]
      end";
    assert_found(text, EXPRESSION);
}

const COUNT: &str = "T708";

/// A loop of the forward sweep with lines around, and the lines of the reverse sweep before the mirrored body.
fn loops(before: &str, head: &str, inside: &str, after: &str, reverse: &str) -> String {
    let locals = "local integer h, q, i\nlocal real y";
    pair(
        &format!("{locals}, z\n{before}\n{head}\npush[real] x\nx := x*x\n{inside}\nend\n{after}"),
        &format!("{locals}\nlocal integer b, k\n{reverse}\nx := pop[real]\nend"),
    )
}

#[test]
fn reverse_loops_run_over_the_range_of_the_loop_backwards() {
    let other = "the reverse loop runs neither over 1 .. count nor over the range";
    for (head, reverse, found) in [
        ("for i = 1, n", "for i = n, 1, -1", None),
        ("for i = m, n", "for i = n, m, -1", None),
        ("for i = n, 1, -1", "for i = 1, n, 1", None),
        ("for i = 1, n", "for k = 1, trips(1, n, 1)", None),
        ("for i = m, n, 3", "for k = 1, trips(m, n, 3)", None),
        (
            "for i = m, n, 3",
            "for i = m + (trips(m, n, 3) - 1)*3, m, -3",
            None,
        ),
        (
            "for i = m, n, p",
            "for i = m + (trips(m, n, p) - 1)*p, m, -p",
            None,
        ),
        (
            "for i = 1, n",
            "for i = m, 1, -1",
            Some((COUNT, "does not start where the loop ends")),
        ),
        (
            "for i = 1, n",
            "for i = n, 2, -1",
            Some((COUNT, "does not end where the loop starts")),
        ),
        (
            "for i = 1, n",
            "for k = n, 1, -1",
            Some((COUNT, "with another index")),
        ),
        (
            "for i = 1, n",
            "for q = n, 1, -1",
            Some((COUNT, "with another index")),
        ),
        (
            "for i = 1, n, 2",
            "for i = n, 1, -1",
            Some((COUNT, "is not the negated step")),
        ),
        (
            "for i = 1, n, m",
            "for i = n, 1, -1",
            Some((COUNT, "is not the negated step")),
        ),
        ("for i = 1, n, 2", "for i = n, 1, -2", Some((COUNT, other))),
        (
            "while x < 100.0",
            "for i = n, 1, -1",
            Some((COUNT, "the loop is not a counted loop")),
        ),
        (
            "while x < 100.0",
            "for k = 1, trips(1, n, 1)",
            Some((COUNT, "its trips are not known")),
        ),
        (
            "for i = 1, n",
            "while x > 2.0",
            Some((COUNT, "the reverse loop is not a counted loop")),
        ),
        (
            "for i = 1, n",
            "for k = 0, n",
            Some((COUNT, "with another index")),
        ),
        ("for i = 1, n", "for k = 1, n, m", Some((COUNT, other))),
        (
            "for i = 1, n",
            "for k = 1, n + 1",
            Some((COUNT, "neither popped nor a number of trips")),
        ),
        (
            "for i = 1, n",
            "for k = 1, trips(2, n, 1)",
            Some((COUNT, "the trips of another range")),
        ),
        (
            "for i = 1, n",
            "for k = 1, trips(1, m, 1)",
            Some((COUNT, "the trips of another range")),
        ),
        (
            "for i = 1, n",
            "for k = 1, trips(1, n, 2)",
            Some((COUNT, "the trips of another range")),
        ),
        (
            "for i = m, n, 3",
            "for i = m + (trips(m, n, 3) - 2)*3, m, -3",
            Some((COUNT, other)),
        ),
        (
            "for i = m, n, 3",
            "for i = m + (trips(m, n, 3) - 1)*2, m, -3",
            Some((COUNT, other)),
        ),
        (
            "for i = m, n, 3",
            "for i = n + (trips(m, n, 3) - 1)*3, m, -3",
            Some((COUNT, other)),
        ),
        (
            "for i = m, n, p",
            "for i = m + (trips(m, n, p) - 1)*n, m, -p",
            Some((COUNT, other)),
        ),
        (
            "for i = m, n, p",
            "for i = m + (trips(m, n, p) - 1)*n, m, -n",
            Some((COUNT, "is not the negated step")),
        ),
    ] {
        assert_found(&loops("", head, "", "", reverse), found);
    }
}

#[test]
fn bounds_that_are_evaluated_again_do_not_change() {
    let change = Some((
        COUNT,
        "on which the range depends, may change while the loop runs",
    ));
    let last = "h := n\nfor i = h, 1, -1";
    for (before, head, inside, reverse, found) in [
        ("h := n", "for i = 1, h", "", last, None),
        ("h := n", "for i = 1, h", "h := h + 1", last, change),
        (
            "h := n",
            "for i = h, n",
            "h := 1",
            "h := n\nfor i = n, h, -1",
            change,
        ),
        (
            "h := n",
            "for i = 1, n, h",
            "h := 2",
            "h := n\nfor k = 1, trips(1, n, h)",
            change,
        ),
        (
            "i := n",
            "for i = 1, i",
            "",
            "i := n\nfor k = 1, trips(1, i, 1)",
            change,
        ),
        (
            "h := n",
            "for i = 1, h",
            "if x > 2.0\nh := 2\nend",
            last,
            change,
        ),
        (
            "h := n",
            "for i = 1, h",
            "for h = 1, 2\nz := x\nend",
            last,
            change,
        ),
        (
            "h := n",
            "for i = 1, h",
            "opaque \"it\" reads x writes h",
            last,
            change,
        ),
    ] {
        assert_found(&loops(before, head, inside, "", reverse), found);
    }
}

#[test]
fn bounds_may_be_recorded() {
    let end = Some((COUNT, "does not end where the loop starts"));
    let pop = "h := pop[integer]\nfor i = n, h, -1";
    let push = "push[integer] h";
    for (before, head, inside, after, reverse, found) in [
        ("h := m + 1", "for i = m + 1, n", "", push, pop, None),
        (
            "q := m\nh := q\nz := 1.0",
            "for i = q, n",
            "",
            push,
            pop,
            None,
        ),
        // Another value, and one of an element.
        ("h := m + 2", "for i = m + 1, n", "", push, pop, end),
        // An operand of the bound changes in between, at once and later.
        ("q := m\nh := q\nq := 1", "for i = q, n", "", push, pop, end),
        (
            "q := m\nh := q\nq := 1\nz := 1.0",
            "for i = q, n",
            "",
            push,
            pop,
            end,
        ),
        ("h := m\nh := h + 1", "for i = h + 1, n", "", push, pop, end),
        // The record is changed in the loop.
        ("h := m + 1", "for i = m + 1, n", "h := 2", push, pop, end),
        // In an arm only.
        (
            "h := 1\nif l\nh := m + 1\nend",
            "for i = m + 1, n",
            "",
            push,
            pop,
            end,
        ),
        // Not the last that is assigned.
        ("h := m + 1\nh := 3", "for i = m + 1, n", "", push, pop, end),
        (
            "h := m + 1\nopaque \"it\" reads x writes h",
            "for i = m + 1, n",
            "",
            push,
            pop,
            end,
        ),
        // A parameter: others may change it.
        (
            "p := m + 1",
            "for i = m + 1, n",
            "",
            "push[integer] p",
            "p := pop[integer]\nfor i = n, p, -1",
            end,
        ),
        // Not popped right before the loop.
        (
            "h := m + 1",
            "for i = m + 1, n",
            "",
            push,
            "h := pop[integer]\nh := h + 1\nfor i = n, h, -1",
            end,
        ),
        // A variable of the reverse sweep alone.
        (
            "h := m + 1",
            "for i = m + 1, n",
            "",
            "push[integer] h + 0",
            "k := pop[integer]\nfor i = n, k, -1",
            end,
        ),
        // The step.
        (
            "h := m + 1",
            "for i = 1, n, m + 1",
            "",
            push,
            "h := pop[integer]\nfor i = 1 + (trips(1, n, m + 1) - 1)*h, 1, -h",
            None,
        ),
        (
            "h := m + 2",
            "for i = 1, n, m + 1",
            "",
            push,
            "h := pop[integer]\nfor i = 1 + (trips(1, n, m + 1) - 1)*h, 1, -h",
            Some((COUNT, "is not the negated step")),
        ),
    ] {
        assert_found(&loops(before, head, inside, after, reverse), found);
    }
}

#[test]
fn counts_are_popped_from_the_push_of_a_counter() {
    let head = "while x < 100.0";
    let (start, add, push) = ("h := 0", "h := h + 1", "push[control count] h");
    let pop = "b := pop[control count]\nfor k = 1, b";
    for (before, inside, after, reverse, found) in [
        (start, add, push, pop, None),
        (start, "h := 1 + h", push, pop, None),
        // The bound is the index of the loop, which reads it before it writes it.
        (
            start,
            add,
            push,
            "b := pop[control count]\nfor b = 1, b",
            None,
        ),
        (start, add, "z := 2.0\npush[control count] h", pop, None),
        (
            "h := 1",
            add,
            push,
            pop,
            Some((COUNT, "is not set to 0 right before")),
        ),
        (
            "h := 0\nh := n",
            add,
            push,
            pop,
            Some((COUNT, "is not set to 0 right before")),
        ),
        (
            "h := 4\nif l\nh := 0\nend",
            add,
            push,
            pop,
            Some((COUNT, "is not set to 0 right before")),
        ),
        (start, "", push, pop, Some((COUNT, "is never incremented"))),
        (
            start,
            "h := h + 2",
            push,
            pop,
            Some((COUNT, "is not incremented by 1")),
        ),
        (
            start,
            "h := 2 + h",
            push,
            pop,
            Some((COUNT, "is not incremented by 1")),
        ),
        (
            start,
            "h := n + 1",
            push,
            pop,
            Some((COUNT, "is not incremented by 1")),
        ),
        (
            start,
            "h := 1 + n",
            push,
            pop,
            Some((COUNT, "is not incremented by 1")),
        ),
        (
            start,
            "h := h - 1",
            push,
            pop,
            Some((COUNT, "is not incremented by 1")),
        ),
        (
            start,
            "h := h + 1 + 1",
            push,
            pop,
            Some((COUNT, "is not incremented by 1")),
        ),
        (
            start,
            "if l\nh := h + 1\nend",
            push,
            pop,
            Some((COUNT, "is not incremented by 1")),
        ),
        (
            start,
            "h := h + 1\nh := h + 1",
            push,
            pop,
            Some((COUNT, "is changed more than once")),
        ),
        (
            start,
            add,
            "h := h + 1\npush[control count] h",
            pop,
            Some((COUNT, "is changed between the loop and its push")),
        ),
        (
            start,
            add,
            "push[control count] n",
            pop,
            Some((COUNT, "is no local counter")),
        ),
        (
            start,
            add,
            push,
            "b := pop[control count]\nb := b + 1\nfor k = 1, b",
            Some((COUNT, "is not popped right before the loop")),
        ),
        (
            start,
            add,
            push,
            "p := pop[control count]\nfor k = 1, p",
            Some((COUNT, "is not popped right before the loop")),
        ),
    ] {
        assert_found(&loops(before, head, inside, after, reverse), found);
    }
}
