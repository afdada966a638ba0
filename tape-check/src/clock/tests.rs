//! Forward sweeps with clocks, and edits that leave them without: one for each condition of [`Clocks`] and
//! [`Forward`].

use cfg_core::validate::validate;
use cfg_format::text;

use super::*;
use crate::{
    GlobalWrites, Pair, Roles,
    code::{Known, TapeNames, flat},
    images,
};

/// The answer to a question about the forward sweep of a program with one pair.
fn with_sweep<T>(text: &str, ask: impl FnOnce(&Forward<'_>, &Code<'_>, &[VertexId]) -> T) -> T {
    let parsed = text::parse(text);
    let problems = parsed.problems;
    let program = parsed.program.unwrap_or_else(|| panic!("{problems}{text}"));
    let program = validate(program).unwrap_or_else(|d| panic!("{d}{text}"));
    let (roles, _) = Roles::new(&program, &[] as &[Pair]);
    let known = Known {
        program: program.program(),
        roles: &roles,
        globals: &GlobalWrites::summarise(&program),
        by_name: &images::by_name(&program),
    };
    let id = program.find_routine("f_fwd").unwrap();
    let cfg = program.routine(id).body.as_ref().unwrap();
    let (code, steps) = flat(
        known,
        id,
        cfg,
        &mut TapeNames::default(),
        &vec![None; cfg.vertex_count()],
    );
    let forward = Forward::new(cfg, steps, &code);
    let loops = cfg
        .vertices()
        .filter(|(_, v)| matches!(v.kind, VertexKind::Loop { .. }));
    let loops: Vec<VertexId> = loops.map(|(v, _)| v).collect();
    ask(&forward, &code, &loops)
}

/// A counted loop with a way out in its middle, and a counter of its passes.
const SWEEP: &str =
    "general subroutine f_fwd(in integer n, inout integer p, inout real y, inout tape t) {forward of f}
  local integer i, c, h
    1 ENTRY -> 2
    2 BASICBLOCK -> 3
          h := n + p
          c := 0
    3 LOOP i = n + p, 9 -> 4 [1], 8
    4 BASICBLOCK -> 5
          y := y*y
    5 BRANCH y > 100.0 -> 9 [1], 6 [0]
    6 BASICBLOCK -> 7
          c := c + 1
    7 ENDLOOP -> 3
    8 BASICBLOCK -> 10
    9 BASICBLOCK -> 10
          push[control count] c
   10 EXIT
end
";

/// Replacements of pieces of the sweep's text, each of which occurs once.
type Edits<'a> = Vec<(&'a str, &'a str)>;

/// The sweep with edits.
fn edited(edits: &[(&str, &str)]) -> String {
    let mut made = SWEEP.to_owned();
    for (from, to) in edits {
        assert_eq!(made.matches(from).count(), 1, "`{from}` in {made}");
        made = made.replace(from, to);
    }
    made
}

fn variable(code: &Code<'_>, name: &str) -> VarId {
    code.routine.find_variable(name).unwrap()
}

/// The first value of a counted LOOP's index.
fn first<'p>(forward: &Forward<'p>, header: VertexId) -> &'p Expr {
    match &forward.cfg.vertex(header).kind {
        VertexKind::Loop { test, .. } => match &**test {
            LoopTest::Counted { first, .. } => first,
            _ => panic!("the LOOP is not counted"),
        },
        _ => panic!("there is no LOOP"),
    }
}

/// The source of the value of a counter.
#[derive(Debug, PartialEq)]
enum Told {
    Passes,
    Itself,
    Nothing,
}

#[test]
fn a_counter_is_told_by_the_passes_of_its_loop() {
    // A second way into the loop's header, through vertex 12.
    let second_way = |before: &'static str, there: &'static str| {
        vec![("1 ENTRY -> 2", before), ("   10 EXIT", there)]
    };
    let branch = "1 ENTRY -> 11\n   11 BRANCH p > 0 -> 2 [1], 12 [0]";
    let cases: Vec<(&str, Edits<'_>, Told)> = vec![
        ("a counter as it should be", vec![], Told::Passes),
        (
            "a start on each of two ways in",
            second_way(branch, "   12 BASICBLOCK -> 3\n c := 0\n   10 EXIT"),
            Told::Passes,
        ),
        (
            "a way in without a start",
            second_way(
                "1 ENTRY -> 13\n   13 BASICBLOCK -> 11\n c := 0\n   11 BRANCH p > 0 -> 2 [1], 12 [0]",
                "   12 BASICBLOCK -> 3\n   10 EXIT",
            ),
            Told::Itself,
        ),
        (
            "a way into the middle of the loop",
            vec![
                ("c := 0", "c := 0\n   11 BRANCH p > 0 -> 3 [1], 4 [0]"),
                ("2 BASICBLOCK -> 3", "2 BASICBLOCK -> 11"),
            ],
            Told::Itself,
        ),
        (
            "a way into the middle of the loop beside the start",
            vec![
                (
                    "1 ENTRY -> 2",
                    "1 ENTRY -> 11\n   11 BRANCH p > 0 -> 2 [1], 12 [0]",
                ),
                ("   10 EXIT", "   12 BASICBLOCK -> 4\n   10 EXIT"),
            ],
            Told::Itself,
        ),
        (
            "a way back from elsewhere than the loop's end",
            vec![
                (
                    "6 BASICBLOCK -> 7",
                    "6 BRANCH p > 0 -> 11 [1], 12 [0]\n   11 BASICBLOCK -> 7",
                ),
                (
                    "   10 EXIT",
                    "   12 BASICBLOCK -> 3\n c := c + 1\n   10 EXIT",
                ),
            ],
            Told::Itself,
        ),
        (
            "a start on a way back from elsewhere",
            vec![
                (
                    "6 BASICBLOCK -> 7",
                    "6 BRANCH p > 0 -> 11 [1], 12 [0]\n   11 BASICBLOCK -> 7",
                ),
                ("   10 EXIT", "   12 BASICBLOCK -> 3\n c := 0\n   10 EXIT"),
            ],
            Told::Itself,
        ),
        (
            "a pass for a start",
            vec![("c := 0", "c := 0\n c := c + 1")],
            Told::Itself,
        ),
        (
            "a start for a pass",
            vec![("c := c + 1", "c := 0")],
            Told::Itself,
        ),
        (
            "no pass",
            vec![("          c := c + 1\n", "")],
            Told::Itself,
        ),
        (
            "two starts and no pass",
            vec![
                ("c := 0", "c := 0\n c := 0"),
                ("          c := c + 1\n", ""),
            ],
            Told::Itself,
        ),
        (
            "two passes",
            vec![("c := c + 1", "c := c + 1\n c := c + 1")],
            Told::Itself,
        ),
        (
            "a pass elsewhere",
            vec![("y := y*y", "c := c + 1")],
            Told::Itself,
        ),
        (
            "a start elsewhere",
            vec![("8 BASICBLOCK -> 10", "8 BASICBLOCK -> 10\n c := 0")],
            Told::Itself,
        ),
        (
            "a push between the pass and the header",
            vec![("c := c + 1", "c := c + 1\n push[control count] c")],
            Told::Itself,
        ),
        (
            "a push before the pass",
            vec![("c := c + 1", "push[control count] c\n c := c + 1")],
            Told::Passes,
        ),
        ("another value", vec![("y := y*y", "c := 2")], Told::Nothing),
        (
            "an increment by two",
            vec![("c := c + 1", "c := c + 2")],
            Told::Nothing,
        ),
        (
            "a value that a call gives",
            vec![("y := y*y", "call g(c)")],
            Told::Nothing,
        ),
        (
            "a value of a routine that others see",
            vec![
                ("c := 0", "p := 0"),
                ("c := c + 1", "p := p + 1"),
                ("push[control count] c", "push[control count] p"),
                ("h := n + p", "c := n"),
            ],
            Told::Nothing,
        ),
        (
            "pushed as a value",
            vec![("push[control count]", "push[integer]")],
            Told::Nothing,
        ),
        (
            "a test without a count",
            vec![
                ("LOOP i = n + p, 9", "LOOP while y < 9.0"),
                ("h := n + p", "i := n"),
            ],
            Told::Itself,
        ),
    ];
    let g = "subroutine g(out integer k)\n k := 3\nend\n";
    for (what, edits, expected) in cases {
        let text = format!("{g}{}", edited(&edits));
        let found = with_sweep(&text, |forward, code, loops| {
            let clocks = Clocks::find(forward, code, loops);
            let counter = if what.contains("others see") {
                "p"
            } else {
                "c"
            };
            match clocks.value(variable(code, counter)) {
                None => Told::Nothing,
                key if key == clocks.passes(loops[0]) => Told::Passes,
                Some(_) => Told::Itself,
            }
        });
        assert_eq!(found, expected, "{what}:\n{text}");
    }
}

#[test]
fn clocks_have_numbers_of_their_own() {
    let numbers = with_sweep(SWEEP, |forward, code, loops| {
        let clocks = Clocks::find(forward, code, &[]);
        assert_eq!(clocks.passes(loops[0]), None);
        let own = clocks.value(variable(code, "c")).unwrap();
        let clocks = Clocks::find(forward, code, loops);
        let passes = clocks.passes(loops[0]).unwrap();
        [Clocks::number(own), Clocks::number(passes), clocks.limit()]
    });
    // Five variables of the routine's head and locals come before `c`, and all seven before the vertices, of which the
    // LOOP is the third.
    assert_eq!(numbers, [5, 7 + 2, 7 + 10]);
}

#[test]
fn a_value_is_recorded_right_before_the_loop_and_nowhere_else() {
    let branch = "1 ENTRY -> 11\n   11 BRANCH p > 0 -> 2 [1], 12 [0]";
    let cases: Vec<(&str, Edits<'_>, bool)> = vec![
        ("as it should be", vec![], true),
        (
            "on each of two ways in",
            vec![
                ("1 ENTRY -> 2", branch),
                (
                    "   10 EXIT",
                    "   12 BASICBLOCK -> 3\n h := n + p\n c := 0\n   10 EXIT",
                ),
            ],
            true,
        ),
        (
            "on one of two ways in",
            vec![
                ("1 ENTRY -> 2", branch),
                ("   10 EXIT", "   12 BASICBLOCK -> 3\n c := 0\n   10 EXIT"),
            ],
            false,
        ),
        (
            "before the ways part",
            vec![
                (
                    "1 ENTRY -> 2",
                    "1 ENTRY -> 13\n   13 BASICBLOCK -> 11\n h := n + p\n   11 BRANCH p > 0 -> 2 [1], 12 [0]",
                ),
                ("          h := n + p\n", ""),
                ("   10 EXIT", "   12 BASICBLOCK -> 3\n c := 0\n   10 EXIT"),
            ],
            false,
        ),
        (
            "another expression",
            vec![("h := n + p", "h := n - p")],
            false,
        ),
        ("twice", vec![("h := n + p", "h := n\n h := n + p")], false),
        (
            "changed in the loop",
            vec![("y := y*y", "h := n + p")],
            false,
        ),
        (
            "of what is changed before the loop",
            vec![("c := 0", "p := 3\n c := 0")],
            false,
        ),
        (
            "of what was changed before it",
            vec![("h := n + p", "p := 3\n h := n + p")],
            true,
        ),
        (
            "over something else",
            vec![("c := 0", "y := 3.0\n c := 0")],
            true,
        ),
    ];
    for (what, edits, expected) in cases {
        let text = edited(&edits);
        let found = with_sweep(&text, |forward, code, loops| {
            forward.recorded(
                code,
                loops[0],
                variable(code, "h"),
                first(forward, loops[0]),
            )
        });
        assert_eq!(found, expected, "{what}:\n{text}");
    }
    // A parameter is no local: callers see it.
    let text = edited(&[("h := n + p", "p := n"), ("LOOP i = n + p", "LOOP i = n")]);
    let found = with_sweep(&text, |forward, code, loops| {
        forward.recorded(
            code,
            loops[0],
            variable(code, "p"),
            first(forward, loops[0]),
        )
    });
    assert!(!found);
}

#[test]
fn a_range_is_unchanged_if_the_loop_writes_none_of_it() {
    let cases: Vec<(&str, Edits<'_>, bool)> = vec![
        ("nothing", vec![], true),
        ("another variable", vec![("y := y*y", "h := h - 1")], true),
        (
            "a part of the range",
            vec![("y := y*y", "p := p - 1")],
            false,
        ),
        (
            "a part of the range at the end",
            vec![("c := c + 1", "c := c + 1\n p := 1")],
            false,
        ),
        ("before the loop", vec![("c := 0", "c := 0\n p := 1")], true),
        (
            "after the loop",
            vec![("8 BASICBLOCK -> 10", "8 BASICBLOCK -> 10\n p := 1")],
            true,
        ),
        (
            "where the loop is left",
            vec![("push[control count] c", "push[control count] c\n p := 1")],
            true,
        ),
    ];
    for (what, edits, expected) in cases {
        let text = edited(&edits);
        let found = with_sweep(&text, |forward, code, loops| {
            forward.unchanged(code, loops[0], first(forward, loops[0]))
        });
        assert_eq!(found.is_ok(), expected, "{what}: {found:?}\n{text}");
    }
}
