//! Pairs of sweeps that break one condition only: each looks right but pops other values, or not as often. Beside them
//! stand right pairs that differ in that condition alone.

use cfg_core::entity::RoutineId;
use cfg_testkit::flat;
use tape_check::{Pair, check};

use crate::rules::{Found, assert_found, valid};

/// The reverse sweep pops a bound from a push that has nothing to do with the loop.
#[test]
fn a_recorded_bound_is_popped_from_the_push_of_what_was_assigned() {
    let program = |before: &str, after: &str, inside: &str| {
        format!(
            "subroutine f_fwd(in integer n, in integer m, inout real x, inout tape t) {{forward of f}}
               local integer i, h
               h := 5
               {before}
               for i = m + 1, n
                 push[real] x
                 x := x*x
                 {inside}
               end
               {after}
             end
             subroutine f_rev(in integer n, in integer m, inout real x, inout tape t) {{reverse of f}}
               local integer i, h
               h := pop[integer]
               for i = n, h, -1
                 x := pop[real]
               end
             end"
        )
    };
    let other = Some((
        "T708",
        "the reverse loop does not end where the loop starts",
    ));
    for (before, after, inside, found) in [
        ("h := m + 1", "push[integer] h", "", None),
        ("h := m + 1\n push[integer] h", "", "", None),
        ("push[integer] h\n h := m + 1", "", "", other),
        ("h := m + 1", "h := 5\n push[integer] h", "", other),
        ("h := m + 1\n h := 4", "push[integer] h", "", other),
        ("h := m + 1", "push[integer] m", "", other),
        ("h := m + 1", "push[integer] h + 0", "", other),
        ("h := m + 1", "push[integer] h", "h := h + 1", other),
    ] {
        assert_found(&program(before, after, inside), found);
    }
}

/// The values of an array do not fit into a scalar, computed or not.
#[test]
fn computed_arrays_are_not_popped_into_scalars() {
    let program = |value: &str, class: &str| {
        format!(
            "subroutine f_fwd(in integer n, in real a[n], in integer j[2], inout tape t) {{forward of f}}
               push[{class}] {value}
             end
             subroutine f_rev(in integer n, in real a[n], in integer j[2], inout tape t) {{reverse of f}}
               local {class} w
               w := pop[{class}]
             end"
        )
    };
    let array = Some((
        "T705",
        "an array of computed values is popped into a scalar",
    ));
    for (value, class, found) in [
        ("a[1]*2.0", "real", None),
        ("sum(a)", "real", None),
        ("a*2.0", "real", array),
        ("a[1:2] + a[2:3]", "real", array),
        ("j[1] + 1", "integer", None),
        ("j + 1", "integer", array),
    ] {
        assert_found(&program(value, class), found);
    }
}

/// A FORLOOP that has ended has no passes left for a jump into its body.
#[test]
fn reverse_loops_are_not_entered_after_they_have_ended() {
    let program =
        "general subroutine f_fwd(inout integer p, inout real x, inout tape t) {forward of f}
  local integer c
    1 ENTRY -> 2
    2 BASICBLOCK -> 3
          push[control 1] 0
    3 BASICBLOCK -> 4
          c := 0
    4 BASICBLOCK -> 5
          push[real] x
          x := x*x
    5 BRANCH x > 100.0 -> 7 [1], 6 [0]
    6 BASICBLOCK -> 4
          c := c + 1
    7 BRANCH p > 0 -> 8 [1], 9 [0]
    8 BASICBLOCK -> 3
          p := p - 1
          x := 3.0
          push[control 1] 1
    9 BASICBLOCK -> 10
          push[control count] c
   10 EXIT
end
general subroutine f_rev(inout integer p, inout real x, inout tape t) {reverse of f}
  local integer k, b, m
    1 ENTRY -> 2
    2 BASICBLOCK -> 3
          b := pop[control count]
    3 FORLOOP k = 0, b -> 4 [1], 6
    4 BASICBLOCK -> 5
          x := pop[real]
    5 ENDLOOP -> 3
    6 BASICBLOCK -> 7
          m := pop[control 1]
    7 BRANCH m == 1 -> 4 [1], 8 [0]
    8 EXIT
end";
    assert_found(program, Some(("T708", "a jump leads into its body")));
}

/// A counted LOOP that has ended has made as many passes as trips, unless a jump leads into its body once more.
#[test]
fn counted_loops_are_not_entered_after_they_have_ended() {
    let program = "general subroutine f_fwd(in integer n, inout integer p, inout real x, inout tape t) {forward of f}
  local integer i
    1 ENTRY -> 2
    2 LOOP i = 1, n -> 3 [1], 7 {copy of 2}
    3 BASICBLOCK -> 5
          push[control 1] 0
    5 BASICBLOCK -> 6
          push[real] x
          x := x*x
    6 ENDLOOP -> 2 {copy of 6}
    7 BRANCH p > 0 -> 8 [1], 9 [0]
    8 BASICBLOCK -> 5
          p := p - 1
          push[control 1] 1
    9 EXIT
end
general subroutine f_rev(in integer n, inout integer p, inout real x, inout tape t) {reverse of f}
  local integer k, m, r
    1 ENTRY -> 2
    2 BASICBLOCK -> 3
          r := trips(1, n, 1)
    3 FORLOOP k = 1, r -> 4 [1], 8
    4 BASICBLOCK -> 6
          x := pop[real]
          m := pop[control 1]
    6 BRANCH m == 1 -> 7 [1], 5 [0]
    7 BASICBLOCK -> 3
          r := trips(1, n, 1)
    5 ENDLOOP -> 3 {adjoint of 2}
    8 EXIT
end";
    let other = "the loop that it mirrors is also entered in another way";
    assert_found(program, Some(("T708", other)));
}

/// The bound of a loop and the selector of a branch change with variables that share their cells.
#[test]
fn what_shares_cells_changes_together() {
    let globals = |declared: &str, changed: &str| {
        format!(
            "global integer a[2]
             {declared}
             subroutine f_fwd(inout real x, inout tape t) {{forward of f}}
               uses a
               uses b
               local integer i
               for i = 1, b
                 push[real] x
                 x := x*x
                 push[integer] a[1]
                 {changed}
               end
             end
             subroutine f_rev(inout real x, inout tape t) {{reverse of f}}
               uses a
               uses b
               local integer i
               for i = b, 1, -1
                 a[1] := pop[integer]
                 x := pop[real]
               end
             end"
        )
    };
    let change = |name: &'static str| Some(("T708", name));
    let b = change("`b`, on which the range depends, may change while the loop runs");
    let n = change("`n`, on which the range depends, may change while the loop runs");
    // Side by side in one storage they share no cell.
    assert_found(&globals("global integer b overlays a at 1", "a[2] := 3"), b);
    let apart = |offset: i64, extent: i64| {
        globals("global integer c[6]", "d[1] := d[1] - 1")
            .replace("global integer a[2]", "global integer a[2]\nglobal integer e[6]")
            .replace(
                "global integer c[6]",
                &format!(
                    "global integer b overlays e at {offset}\nglobal integer d[{extent}] overlays e at 1"
                ),
            )
            .replace("uses b", "uses b\nuses d")
    };
    assert_found(&apart(0, 3), None);
    assert_found(&apart(1, 3), b);
    assert_found(&apart(3, 3), b);
    assert_found(&apart(4, 3), None);
    assert_found(
        &globals("global integer b overlays a at 0", "a[1] := a[1] - 1"),
        b,
    );
    assert_found(&globals("global integer b", "a[1] := a[1] - 1"), None);
    assert_found(&globals("global integer b overlays a at 0", ""), None);
    let parameters = |kind: &str, declared: &str, changed: &str| {
        format!(
            "global integer g = 3
             subroutine h()
               uses g
               g := g - 1
             end
             subroutine r(out real y)
               y := 1.0
             end
             {kind} subroutine f_fwd(in integer n, {declared}, inout real x, inout tape t) {{forward of f}}
               local integer i
               local real y
               for i = 1, n
                 push[real] x
                 x := x*x
                 {changed}
               end
             end
             {kind} subroutine f_rev(in integer n, {declared}, inout real x, inout tape t) {{reverse of f}}
               local integer i
               local real y
               for i = n, 1, -1
                 x := pop[real]
               end
             end"
        )
    };
    for (kind, declared, changed, found) in [
        ("aliased", "inout integer p", "p := p - 1", n),
        ("", "inout integer p", "p := p - 1", None),
        ("aliased", "inout int8 p", "p := p - int8(1)", None),
        ("aliased", "inout real p", "p := 2.0*p", None),
        // The global may be the argument.
        ("aliased", "inout integer p", "call h()", n),
        ("", "inout integer p", "call h()", None),
        ("aliased", "inout integer p", "call r(y)", None),
    ] {
        assert_found(&parameters(kind, declared, changed), found);
    }
    let branch = |kind: &str| {
        format!(
            "{kind} subroutine f_fwd(in integer n, inout integer p, inout real x, inout tape t) {{forward of f}}
               if n > 0
                 push[real] x
                 x := x*x
                 p := 0
               end
             end
             {kind} subroutine f_rev(in integer n, inout integer p, inout real x, inout tape t) {{reverse of f}}
               if n > 0
                 x := pop[real]
               end
             end"
        )
    };
    assert_found(&branch("aliased"), Some(("T709", "an arm may change `n`")));
    assert_found(&branch(""), None);
}

/// A variable may be a count on one path and a value to be restored on another.
#[test]
fn a_count_on_one_way_is_a_value_on_another() {
    let program = |pushed: &str| {
        format!(
            "general subroutine f_fwd(in integer q, inout integer p, inout real x, inout tape t) {{forward of f}}
  local integer c
    1 ENTRY -> 2
    2 BRANCH q > 0 -> 3 [1], 4 [0]
    3 BASICBLOCK -> 10
          push[control count] {pushed}
          p := 0
          push[control 1] 1
    4 BASICBLOCK -> 5
          c := 0
    5 BRANCH x < 100.0 -> 6 [1], 7 [0]
    6 BASICBLOCK -> 5
          push[real] x
          x := x*x
          c := c + 1
    7 BASICBLOCK -> 10
          push[control count] c
          push[control 1] 0
   10 EXIT
end
general subroutine f_rev(in integer q, inout integer p, inout real x, inout tape t) {{reverse of f}}
  local integer k, b, m
    1 ENTRY -> 2
    2 BASICBLOCK -> 3
          m := pop[control 1]
          b := pop[control count]
    3 BRANCH m == 1 -> 7 [1], 4 [0]
    4 FORLOOP k = 1, b -> 5 [1], 7
    5 BASICBLOCK -> 6
          x := pop[real]
    6 ENDLOOP -> 4
    7 EXIT
end"
        )
    };
    assert_found(
        &program("p"),
        Some(("T705", "it was not pushed from this place")),
    );
    assert_found(&program("3"), None);
}

/// The index of a reverse loop has the values that the loop's index had, or nothing else has it.
#[test]
fn the_index_of_a_reverse_loop() {
    let ordered = |names: &str, range: &str, index: &str| {
        format!(
            "subroutine f_fwd(in integer n, inout real a[n], inout real x, inout tape t) {{forward of f}}
               local integer i
               for i = 1, n
                 push[real] a[i]
                 a[i] := 0.0
               end
             end
             subroutine f_rev(in integer n, inout real a[n], inout real x, inout tape t) {{reverse of f}}
               local integer {names}
               for {range}
                 {index}
                 a[i] := pop[real]
               end
             end"
        )
    };
    let passes: Found = Some(("T708", "its index counts passes"));
    for names in ["i, k", "k, i"] {
        let program = |range, index| ordered(names, range, index);
        assert_found(&program("i = n, 1, -1", ""), None);
        assert_found(&program("i = 1, trips(1, n, 1)", ""), passes);
        assert_found(&program("k = 1, trips(1, n, 1)", "i := n + 1 - k"), None);
    }
}

/// A routine that pushes and pops for itself counts passes by a variable that is not the index of the loop that is
/// undone.
#[test]
fn the_index_of_a_reverse_loop_in_one_routine() {
    let program = |index: &str| {
        format!(
            "subroutine f(in integer n, inout real x)
               local tape t
               local integer i, k
               for i = 1, n
                 push[real] x
                 x := x*x
               end
               for {index} = 1, trips(1, n, 1)
                 x := pop[real]
               end
             end"
        )
    };
    assert_found(&program("k"), None);
    assert_found(&program("i"), Some(("T708", "its index counts passes")));
}

/// The first value of the index is one that the loop does not change.
#[test]
fn the_first_value_of_an_index_does_not_change() {
    let program = |changed: &str| {
        format!(
            "subroutine f_fwd(in integer m, in integer n, inout real a[6], inout tape t) {{forward of f}}
               local integer i, h, c
               h := m
               c := 0
               for i = h, n
                 push[real] a[i]
                 a[i] := 0.0
                 {changed}
                 c := c + 1
               end
               push[integer] h
               push[control count] c
             end
             subroutine f_rev(in integer m, in integer n, inout real a[6], inout tape t) {{reverse of f}}
               local integer i, h, b
               h := pop[integer]
               b := pop[control count]
               for i = h + (b - 1)*1, h, -1
                 a[i] := pop[real]
               end
             end"
        )
    };
    assert_found(&program(""), None);
    let change = "`h`, on which the range depends, may change while the loop runs";
    assert_found(&program("h := h + 1"), Some(("T708", change)));
}

/// Variables of one name are one only if both are the routine's own, parameters, or the same global.
#[test]
fn variables_correspond_by_their_roles_too() {
    let program = |forward: &str, reverse: &str, locals: &str| {
        format!(
            "global real g
             global real h
             subroutine f_fwd({forward}, inout tape t) {{forward of f}}
               push[real] x
               x := x*x
             end
             subroutine f_rev({reverse}, inout tape t) {{reverse of f}}
               {locals}
               x := pop[real]
             end"
        )
    };
    let place = Some(("T705", "it was not pushed from this place"));
    assert_found(&program("inout real x", "inout real x", ""), None);
    assert_found(&program("inout real x", "out real x", ""), None);
    assert_found(
        &program("inout real x", "inout real y", "local real x"),
        place,
    );
    let global = |reverse: &str| {
        format!(
            "global real g = 2.0
             subroutine f_fwd(inout real x, inout tape t) {{forward of f}}
               uses g
               push[real] g
               g := x
             end
             subroutine f_rev(inout real x, inout tape t) {{reverse of f}}
               {reverse}
               g := pop[real]
             end"
        )
    };
    assert_found(&global("uses g"), None);
    assert_found(&global("local real g"), place);
}

/// Globals are arguments of a routine in which these may overlap only if it has parameters of their type.
#[test]
fn globals_that_are_no_arguments_change_apart() {
    let program = |parameter: &str| {
        let sweep = |kind: &str, range: &str, body: &str| {
            format!(
                "aliased subroutine f_{kind}({parameter}, inout real x, inout tape t) {{{body}
                 local integer i
                 for i = {range}"
            )
        };
        format!(
            "global integer n = 3
             global integer m = 3
             {}
                 push[real] x
                 x := x*x
                 m := m + 1
               end
             end
             {}
                 x := pop[real]
               end
             end",
            sweep("fwd", "1, n", "forward of f}\nuses n\nuses m"),
            sweep("rev", "n, 1, -1", "reverse of f}\nuses n\nuses m")
        )
    };
    let n = "`n`, on which the range depends, may change while the loop runs";
    assert_found(&program("in real p"), None);
    assert_found(&program("in integer p"), Some(("T708", n)));
}

/// A bound that is popped leaves the variables of the forward sweep as they are.
#[test]
fn a_count_is_popped_into_a_variable_of_the_reverse_sweep() {
    let program = |bound: &str, counter: &str| {
        format!(
            "subroutine f_fwd(in integer q, inout real a[9], inout real x, inout tape t) {{forward of f}}
               local integer m, {counter}
               m := q
               push[real] a[m]
               a[m] := 0.0
               {counter} := 0
               while x < 100.0
                 push[real] x
                 x := x*x
                 {counter} := {counter} + 1
               end
               push[control count] {counter}
             end
             subroutine f_rev(in integer q, inout real a[9], inout real x, inout tape t) {{reverse of f}}
               local integer m, k, {bound}
               m := q
               {bound} := pop[control count]
               for k = 1, {bound}
                 x := pop[real]
               end
               a[m] := pop[real]
             end"
        )
    };
    assert_found(&program("b", "c"), None);
    // The counter itself is restored.
    assert_found(&program("c", "c"), None);
    let other = program("m", "c")
        .replace("m, k, m", "m, k")
        .replace("m := q\n               m := pop", "m := pop");
    assert_found(&other, Some(("T705", "it was not pushed from this place")));
}

/// As [`the_index_of_a_reverse_loop`], where the sweeps have jumps.
#[test]
fn the_index_of_a_reverse_loop_in_jumps() {
    let program = |index: &str| {
        format!(
            "general subroutine f_fwd(inout real a[9], inout real x, inout tape t) {{forward of f}}
  local integer c, j
    1 ENTRY -> 2
    2 BASICBLOCK -> 3
          c := 0
          j := 2
    3 BASICBLOCK -> 4
          push[real] a[j]
          a[j] := x
          x := x*x
          c := c + 1
    4 BRANCH x < 100.0 -> 3 [1], 5 [0]
    5 BASICBLOCK -> 6
          push[control count] c
    6 EXIT
end
general subroutine f_rev(inout real a[9], inout real x, inout tape t) {{reverse of f}}
  local integer j, k, b
    1 ENTRY -> 2
    2 BASICBLOCK -> 3
          b := pop[control count]
          j := 2
    3 FORLOOP {index} = 1, b -> 4 [1], 6
    4 BASICBLOCK -> 5
          a[j] := pop[real]
    5 ENDLOOP -> 3
    6 EXIT
end"
        )
    };
    assert_found(&program("k"), None);
    assert_found(&program("j"), Some(("T708", "its index counts passes")));
}

/// The pushes of a routine without a body are unknown.
#[test]
fn sweeps_have_bodies() {
    let source = "function inside(in real a) result real r
          r := 2.0*a
        end
        external function outside(in real a) result real r
          value 2.0*a
        end";
    let program = valid(source);
    let [inside, outside] = [0, 1].map(RoutineId::new);
    for (forward, reverse, code) in [
        (inside, inside, "T702"),
        (inside, outside, "T701"),
        (outside, inside, "T701"),
        (inside, RoutineId::new(7), "T701"),
    ] {
        let pair = Pair {
            forward,
            reverse,
            original: None,
            runs_again: false,
        };
        let found = check(&flat(&program), &[pair]);
        assert_eq!(found.iter().next().map(|d| d.code), Some(code), "{found}");
    }
}

/// A call changes the cells that it writes, under all of their names.
#[test]
fn calls_change_the_cells_that_they_write() {
    let program = |written: &str, offset: i64, more: &str| {
        format!(
            "global integer a[4]
             global integer b[2] overlays a at {offset}
             global integer c[2] overlays a at 2
             {more}
             subroutine h()
               uses {written}
               {written}[1] := 1
             end
             subroutine f_fwd(inout real x, inout tape t) {{forward of f}}
               uses b
               local integer i
               for i = 1, b[1]
                 push[real] x
                 x := x*x
                 call h()
               end
             end
             subroutine f_rev(inout real x, inout tape t) {{reverse of f}}
               uses b
               local integer i
               for i = b[1], 1, -1
                 x := pop[real]
               end
             end"
        )
    };
    let b = Some((
        "T708",
        "`b`, on which the range depends, may change while the loop runs",
    ));
    assert_found(&program("c", 0, ""), None);
    assert_found(&program("c", 1, ""), b);
    assert_found(&program("c", 2, ""), b);
    assert_found(&program("a", 0, ""), b);
    assert_found(&program("b", 0, ""), b);
    // With many globals in the storage they are not told apart.
    let others = |n: usize| -> String {
        let each = (0..n).map(|k| format!("global integer o{k} overlays a at 3\n"));
        each.collect()
    };
    assert_found(&program("c", 0, &others(61)), None);
    assert_found(&program("c", 0, &others(62)), b);
}

/// A count that is pushed before the last pass is one less than the passes that are undone.
#[test]
fn a_count_that_is_pushed_too_early() {
    let program = |before: &str, after: &str| {
        format!(
            "general subroutine f_fwd(inout real x, inout tape t) {{forward of f}}
  local integer c
    1 ENTRY -> 2
    2 BASICBLOCK -> 3
          c := 0
    3 BASICBLOCK -> 4
          push[real] x
          x := x*x
          c := c + 1
    4 BRANCH x < 100.0 -> 3 [1], 5 [0]
    5 BASICBLOCK -> 6
          {before}
          push[real] x
          x := x*x
          c := c + 1
          {after}
    6 EXIT
end
general subroutine f_rev(inout real x, inout tape t) {{reverse of f}}
  local integer k, b
    1 ENTRY -> 2
    2 BASICBLOCK -> 3
          b := pop[control count]
    3 FORLOOP k = 1, b -> 4 [1], 6
    4 BASICBLOCK -> 5
          x := pop[real]
    5 ENDLOOP -> 3
    6 EXIT
end"
        )
    };
    let push = "push[control count] c";
    assert_found(&program("", push), None);
    assert_found(&program(push, ""), Some(("T708", "")));
}

/// A marker is popped into a variable that the forward sweep has not; in one routine, into one that nothing is
/// assigned to.
#[test]
fn a_marker_has_a_variable_of_its_own() {
    let both: Found = Some(("T709", "popped into a variable of both sweeps"));
    let assigned: Found = Some(("T709", "popped into a variable that is assigned too"));
    let first = "h := n
               for i = 1, h
                 push[real] x
                 x := x*x
               end
               if x > 0.0
                 push[control 1] 1
               else
                 push[control 1] 0
               end";
    let last = |marker: &str| {
        format!(
            "{marker} := pop[control 1]
               if {marker} == 1
               end
               for i = h, 1, -1
                 x := pop[real]
               end"
        )
    };
    for (marker, before, in_pair, in_one) in [
        ("k", "", None, None),
        ("h", "", both, assigned),
        ("k", "k := n", None, assigned),
        ("p", "", both, None),
    ] {
        let last = format!("{before}\n{}", last(marker));
        let two = format!(
            "subroutine f_fwd(in integer n, inout real x, inout tape t) {{forward of f}}
               local integer h, i, p
               {first}
             end
             subroutine f_rev(in integer n, inout real x, inout tape t) {{reverse of f}}
               local integer h, i, k, p
               h := n
               {last}
             end"
        );
        assert_found(&two, in_pair);
        let one = format!(
            "subroutine f(in integer n, inout real x)
               local tape t
               local integer h, i, k, p
               {first}
               {last}
             end"
        );
        assert_found(&one, in_one);
    }
}
