//! Names the variables that a problem with an unassigned value may be about.

use cfg_core::{
    diagnostic::{Diagnostic, site::Site},
    entity::VarId,
    ir::{
        Global, Intent, Place, Program, Role, ScalarType,
        visit::{PlaceRole, Visit, walk_place},
    },
};

/// The executor's code for a decision by a value that was never assigned.
const UNINITIALISED: &str = "X202";

/// Names the locals and `out` parameters that are read at the problem's site and may not have been assigned before;
/// if a subscript has no value, only those read in subscripts.
pub(super) fn name_unassigned(program: &Program, mut problem: Diagnostic) -> Diagnostic {
    if problem.code != UNINITIALISED {
        return problem;
    }
    let in_subscripts = problem.message.starts_with("a subscript");
    let names = problem
        .at
        .site
        .as_deref()
        .map_or_else(Vec::new, |site| unassigned(program, site, in_subscripts));
    if !names.is_empty() {
        problem.message = format!("{}: that of {}", problem.message, names.join(" or of "));
        problem.help = format!("assign {} on every path to this place", names.join(" and "));
    }
    // Fields of records (names with a point) may have got their values from statements.
    let is_open = |g: &&Global| {
        let is_field = g.variable.name.contains('.');
        let is_record = is_field || matches!(g.variable.ty, ScalarType::Record(_));
        g.initial.is_none() && g.overlay.is_none() && !is_record
    };
    let globals = program.globals.iter().filter(is_open);
    let globals: Vec<&str> = globals.map(|g| &*g.variable.name).collect();
    if !globals.is_empty() {
        problem.help = format!(
            "{}; POINT may give the values of {}, which have none",
            problem.help,
            globals.join(", ")
        );
    }
    problem
}

fn unassigned<'p>(program: &'p Program, site: &Site, in_subscripts: bool) -> Vec<&'p str> {
    let routine = site.routine.and_then(|r| program.routines.get(r.index()));
    let Some((routine, cfg)) = routine.and_then(|r| Some((r, r.body.as_ref()?))) else {
        return Vec::new();
    };
    let mut read = Read {
        in_subscripts,
        found: Vec::new(),
    };
    if let Some((v, s)) = site.element.statement() {
        let statement = cfg.vertex(v).statements().get(s);
        statement.into_iter().for_each(|s| read.visit_statement(s));
    } else if let Some(v) = site.element.vertex() {
        read.visit_decision(&cfg.vertex(v).kind);
    }
    let mut names: Vec<&str> = Vec::new();
    for v in read.found {
        let variable = routine.variable(v);
        let has_value = matches!(variable.role, Role::Global(_))
            || matches!(variable.intent(), Some(Intent::In | Intent::InOut));
        if !has_value && !names.contains(&variable.name.as_str()) {
            names.push(&variable.name);
        }
    }
    names
}

/// The variables whose values are read, in the order in which they are.
struct Read {
    in_subscripts: bool,
    found: Vec<VarId>,
}

impl<'ir> Visit<'ir> for Read {
    fn visit_place(&mut self, place: &'ir Place, role: PlaceRole) {
        walk_place(self, place);
        if role == PlaceRole::Address || role == PlaceRole::Read && !self.in_subscripts {
            self.found.push(place.var);
        }
    }
}
