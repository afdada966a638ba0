//! The roles of names, in the order in which a visitor meets them.

use cfg_core::{
    entity::{RoutineId, VarId},
    ir::{
        Place, Program,
        visit::{PlaceRole, Visit, walk_place},
    },
};
use cfg_format::text;

/// Names with their roles, in the order in which they are met; subscripts before their place.
struct Names<'p> {
    program: &'p Program,
    names: Vec<&'p str>,
    found: Vec<String>,
}

impl Names<'_> {
    fn add(&mut self, v: VarId, role: PlaceRole) {
        let role = match role {
            PlaceRole::Bind { callee, formal } => {
                format!("{}.{formal}", self.program.routine(callee).name)
            }
            PlaceRole::Define { whole: true } => "all".to_owned(),
            PlaceRole::Define { whole: false } => "part".to_owned(),
            PlaceRole::Pop { whole: true } => "pop".to_owned(),
            PlaceRole::Pop { whole: false } => "pop part".to_owned(),
            role => format!("{role:?}").to_lowercase(),
        };
        self.found.push(format!("{} {role}", self.names[v.index()]));
    }
}

impl<'ir> Visit<'ir> for Names<'_> {
    fn visit_place(&mut self, place: &'ir Place, role: PlaceRole) {
        walk_place(self, place);
        self.add(place.var, role);
    }

    fn visit_variable(&mut self, v: &'ir VarId, role: PlaceRole) {
        self.add(*v, role);
    }
}

fn names(lines: &str) -> Vec<String> {
    let text = format!(
        "subroutine f(in integer k, in integer n, inout real x[3], inout real y, inout tape t)
           {lines}
         end
         function h(in real u, inout real w[2]) result real r
           r := u
         end"
    );
    let parsed = text::parse(&text);
    let program = parsed
        .program
        .unwrap_or_else(|| panic!("{}", parsed.problems));
    let routine = &program.routines[0];
    let mut names = Names {
        program: &program,
        names: routine.variables.iter().map(|v| v.name.as_str()).collect(),
        found: Vec::new(),
    };
    names.visit_routine(routine);
    names.found
}

#[test]
fn places_have_their_roles_in_the_order_of_evaluation() {
    for (lines, expected) in [
        (
            "x[k] := sin(x[size(x, n)])*y",
            "x shape, n address, x read, y read, k address, x part",
        ),
        ("y := x[1 + k]", "k address, x read, y all"),
        ("x[k:n] := y", "y read, k address, n address, x part"),
        (
            "y := call h(y + 1.0, x[k:n])",
            "y read, k address, n address, x h.1, y all",
        ),
        ("y := call h(y, x)", "y h.0, x h.1, y all"),
        ("push[real] x[k]", "k address, x push, t tape"),
        ("push[real] x[k] + y", "k address, x read, y read, t tape"),
        ("y := pop[real]", "t tape, y pop"),
        ("x[n] := pop[real]", "t tape, n address, x pop part"),
        (
            "opaque \"note\" reads k, n writes y",
            "k read, n read, y clobber",
        ),
        ("stop \"note\"", ""),
        ("for k = n, 1\nend", "n read, k all"),
        ("while x[k] > y\nend", "k address, x read, y read"),
        ("do\nend while y < 1.0", "y read"),
        ("if y < 1.0\nend", "y read"),
        ("select k + n\ncase default\nend", "k read, n read"),
    ] {
        assert_eq!(names(lines).join(", "), expected, "{lines}");
    }
}

#[test]
fn roles_read_and_write() {
    let bind = PlaceRole::Bind {
        callee: RoutineId::new(0),
        formal: 0,
    };
    for (role, reads, writes) in [
        (PlaceRole::Read, true, false),
        (PlaceRole::Shape, false, false),
        (PlaceRole::Address, true, false),
        (PlaceRole::Define { whole: true }, false, true),
        (PlaceRole::Clobber, false, true),
        (bind, true, true),
        (PlaceRole::Push, true, false),
        (PlaceRole::Pop { whole: false }, false, true),
        (PlaceRole::Tape, true, true),
    ] {
        assert_eq!((role.reads(), role.writes()), (reads, writes), "{role:?}");
    }
}

/// Extents, and the value and partials of an external routine, are walked, too.
#[test]
fn declarations_are_walked() {
    let text = "external function f(in integer n, in real x[n from n - 1]) result real r
           value sum(x)
           partial x: 2.0*x[n]
         end";
    let parsed = text::parse(text);
    let program = parsed
        .program
        .unwrap_or_else(|| panic!("{}", parsed.problems));
    let routine = &program.routines[0];
    let mut names = Names {
        program: &program,
        names: routine.variables.iter().map(|v| v.name.as_str()).collect(),
        found: Vec::new(),
    };
    names.visit_routine(routine);
    let expected = "n address, n address, x read, x read, n address, x read";
    assert_eq!(names.found.join(", "), expected);
}
