//! The programs that a flat one was made from, and the way back to their places.

use crate::{
    diagnostic::{
        Diagnostic,
        site::{Element, Site},
    },
    entity::{GlobalId, RoutineId, VarId},
    ir::{Program, StatementOrigin, Variable},
    text,
    validate::ValidProgram,
};
use std::sync::Arc;

/// The programs that a [`Flat`](super::Flat) one was made from: one with records, and before it one with pointers.
#[derive(Clone, Debug, Default)]
pub struct Provenance {
    /// The program before its records became variables, if it had records, and these variables.
    pub records: Option<(Arc<ValidProgram>, Arc<Parts>)>,
    /// The program before its pointers became numbers of cells, if it had pointers.
    pub pointers: Option<Arc<ValidProgram>>,
}

/// The variables that the records of a program became.
#[derive(Clone, Debug, Default)]
pub struct Parts {
    /// The globals that each global became: itself, or for a record one for each leaf of its type, in order.
    pub globals: Vec<Vec<GlobalId>>,
    /// The parts of each routine.
    pub routines: Vec<RoutineParts>,
}

/// The variables that those of a routine with records became, and the origins of its new statements.
#[derive(Clone, Debug, Default)]
pub struct RoutineParts {
    /// The variables that each variable became.
    pub variables: Vec<Vec<VarId>>,
    /// The records of the routine, and records that transformations added to it.
    pub records: Vec<RecordParts>,
    /// The statement that each statement was made from.
    pub statements: Vec<StatementOrigin>,
}

/// A record of a routine, and the variables that it became.
#[derive(Clone, Debug)]
pub struct RecordParts {
    /// The declaration of the record. Its shape is that of its parts.
    pub variable: Variable,
    /// A variable for each leaf of the record's type, in order.
    pub parts: Vec<VarId>,
}

impl Parts {
    /// The variables that each variable of a routine became: itself, or for a record one for each leaf of its type, in
    /// order.
    pub fn variables(&self, routine: RoutineId) -> &[Vec<VarId>] {
        let found = self.routines.get(routine.index());
        found.map_or(&[], |parts| &parts.variables)
    }
}

/// Moves a problem of a program whose records were split to the place in the program with records. Statements may have
/// other positions there, since one assignment of a record becomes several.
pub fn place_in_grouped(split: &Program, problem: Diagnostic) -> Diagnostic {
    let moved = problem.at.site.as_deref().and_then(|site| {
        let Element::Statement(v, s) = site.element else {
            return None;
        };
        let routine = split.routines.get(site.routine?.index())?;
        // Origins in derived routines name statements of the routine that was differentiated, not of this one.
        if routine.origin.is_some() {
            return None;
        }
        let cfg = routine.body.as_ref()?;
        let statements = (v.index() < cfg.vertex_count()).then(|| cfg.vertex(v).statements())?;
        let first = statements.first()?.origin.number()?;
        let number = statements.get(s)?.origin.number()?.checked_sub(first)?;
        Some((
            number != s,
            Site {
                element: Element::Statement(v, number),
                ..Site::whole(site.routine?, Element::Routine)
            },
        ))
    });
    match moved {
        Some((true, site)) => {
            let words = text::site_text(split, &site);
            let mut problem = problem;
            problem.at.site = None;
            problem.at.pointer = None;
            problem.at_site_in(split, site).at_element(words)
        }
        Some((false, _)) | None => problem,
    }
}

/// Moves a problem of a program whose pointers were lowered to the original.
pub fn place_in_original(
    original: &Program,
    lowered: &Program,
    mut problem: Diagnostic,
) -> Diagnostic {
    let site = problem.at.site.as_deref();
    let Some(site) = site.and_then(|site| original_site(original, lowered, site)) else {
        return problem;
    };
    problem.at.element = None;
    problem.at.pointer = None;
    let words = text::site_text(original, &site);
    problem.at_site_in(original, site).at_element(words)
}

/// The place in `program` of a place in the lowered program: the statement that it was made from, or the routine as a
/// whole for statements that lowering added.
fn original_site(program: &Program, lowered: &Program, site: &Site) -> Option<Site> {
    let r = site.routine?;
    let made = lowered.routines.get(r.index())?;
    let original = match program.routines.get(r.index()) {
        Some(_) => r,
        None => program.find_routine(&made.name)?,
    };
    let theirs = program.routine(original).body.as_ref()?;
    let element = match site.element.statement() {
        Some((v, s)) if original == r => {
            let statement = made.body.as_ref()?.vertex(v).statements().get(s);
            let number = statement.and_then(|statement| statement.origin.number());
            let found = number.and_then(|number| theirs.numbered_statement(number));
            found.map(|(v, s)| Element::Statement(v, s))
        }
        _ => site
            .element
            .vertex()
            .filter(|v| original == r && v.index() < theirs.vertex_count())
            .map(Element::Vertex),
    };
    Some(Site::whole(original, element.unwrap_or(Element::Routine)))
}
