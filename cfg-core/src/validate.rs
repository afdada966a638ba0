//! Validation: all rules that a program must keep, all problems in one run.
//!
//! Each family of rules has its file below; [`codes`] lists every rule with its explanation. Checks on which later
//! ones rely (the graph can be walked, names refer to entities that exist, expressions are not too deep) are fatal for
//! their routine only: the other routines are still checked.
//!
//! | family | checked | codes |
//! |---|---|---|
//! | graph | Definition 1: entry, exit, degrees, labels, reachability, nesting | V101 to V115 |
//! | references | existence of named entities, depth of expressions | V120, V132 |
//! | names | legal and unique | V121, V122 |
//! | declarations | roles, parameters, shapes, results, independents, globals, externals | V123 to V131, V157 |
//! | expressions | operands, types, ranks, constant shapes and subscripts | V133 to V138 |
//! | statements | assignments, pushes and pops | V139, V140, V151 |
//! | calls | arguments against parameters, overlap | V145 to V150 |
//! | control | conditions, cases, counted loops | V110, V111, V141 to V144 |
//! | definition | use before definition | V152 |
//! | records | fields, their types and extents; uses of records that are not allowed | V158 to V160 |
//! | spans | their sources exist, they end behind their beginnings | V156 |

mod calls;
mod checker;
mod control;
mod declarations;
mod definition;
mod expressions;
mod graph;
mod loop_index;
mod overlap;
mod pointers;
mod program;
mod records;
mod references;
mod results;
mod spans;
mod statements;
mod targets;
mod widen;

use crate::{
    codes,
    diagnostic::{
        Diagnostic, Diagnostics, MAX_PROBLEMS,
        site::{Element, Site},
    },
    entity::{EdgeId, RoutineId},
    ir::Program,
    structure::{Structure, check_in_labels},
    text::Name,
};
use checker::Checker;
use std::collections::BTreeMap;

pub use graph::structure;

/// A program that keeps all rules, with the structure of each graph. Only [`validate`] makes one.
#[derive(Clone, Debug)]
pub struct ValidProgram {
    program: Program,
    structures: Vec<Option<Structure>>,
    /// True if an expression makes a pointer.
    pointers: bool,
}

impl ValidProgram {
    /// A valid program from a program without errors, and the facts that [`check`] found.
    fn new(mut program: Program, found: Found) -> Self {
        if found.narrow {
            widen::widen(&mut program);
        }
        Self {
            program,
            structures: found.structures,
            pointers: found.pointers,
        }
    }

    /// The program, which keeps all rules.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// The structure of a routine's graph; `None` for external routines and general graphs.
    pub fn structure(&self, routine: RoutineId) -> Option<&Structure> {
        self.structures[routine.index()].as_ref()
    }

    /// [`Program::has_pointers`] without another walk over expressions: validation has made it.
    pub fn has_pointers(&self) -> bool {
        let program = &self.program;
        let globals = program.globals.iter().map(|g| &g.variable);
        let own = program.routines.iter().flat_map(|r| &r.variables);
        self.pointers || globals.chain(own).any(|v| program.leads_elsewhere(v.ty))
    }

    /// Gives the program back.
    pub fn into_program(self) -> Program {
        self.program
    }
}

impl std::ops::Deref for ValidProgram {
    type Target = Program;
    fn deref(&self) -> &Program {
        &self.program
    }
}

/// Checks a program.
///
/// # Errors
/// All problems found; warnings alone do not fail and are dropped here (see [`find_problems`]).
pub fn validate(program: Program) -> Result<ValidProgram, Diagnostics> {
    let (examined, problems) = examine(program);
    examined.into_valid().ok_or(problems)
}

/// A program, valid or not, with the facts that validation found; [`examine`] makes one. Readers use it to report
/// problems of their own together with those of validation.
#[derive(Clone, Debug)]
pub struct Examined {
    program: Program,
    found: Found,
    has_errors: bool,
}

/// Checks a program, and keeps it with all its problems, warnings included.
pub fn examine(program: Program) -> (Examined, Diagnostics) {
    let (found, problems) = check(&program);
    let examined = Examined {
        has_errors: problems.has_errors(),
        program,
        found,
    };
    (examined, problems)
}

impl Examined {
    /// The program, which may break rules.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// Checks in-labels that a file gives against the nesting, in routines with a structure.
    pub fn check_in_labels(&self, in_labels: &[(RoutineId, EdgeId, i64)]) -> Diagnostics {
        let mut labels: BTreeMap<RoutineId, Vec<(EdgeId, i64)>> = BTreeMap::new();
        for &(routine, edge, label) in in_labels {
            labels.entry(routine).or_default().push((edge, label));
        }
        let mut problems = Diagnostics::default();
        for (id, labels) in labels {
            let structure = self.found.structures.get(id.index());
            let Some(structure) = structure.and_then(Option::as_ref) else {
                continue;
            };
            if let Some(body) = &self.program.routine(id).body {
                let wrong = check_in_labels(body, structure, labels).0.into_iter();
                let absolute = wrong.map(|d| inside(d, &self.program, id));
                problems.0.extend(absolute);
            }
        }
        problems
    }

    /// The program, if validation found no errors.
    pub fn into_valid(self) -> Option<ValidProgram> {
        (!self.has_errors).then(|| ValidProgram::new(self.program, self.found))
    }
}

/// Facts that validation finds beside problems.
#[derive(Clone, Debug, Default)]
struct Found {
    /// The structure of each graph that has one.
    structures: Vec<Option<Structure>>,
    /// True if a subscript, a bound of a section, an extent or a selector has another integer type than `integer`.
    narrow: bool,
    /// True if an expression makes a pointer.
    pointers: bool,
}

/// All problems of a program, warnings included, and the structure of each graph that has one.
pub fn find_problems(program: &Program) -> (Vec<Option<Structure>>, Diagnostics) {
    let (found, problems) = check(program);
    (found.structures, problems)
}

/// [`find_problems`], and the facts found on the way.
fn check(program: &Program) -> (Found, Diagnostics) {
    let mut found = Diagnostics::default();
    let mut facts = Found::default();
    program::check(program, &mut found);
    records::check(program, &mut found);
    spans::check(program, &mut found);
    let ids = || (0..program.routines.len()).map(RoutineId::new);
    let checked: Vec<(Option<Structure>, bool)> = ids()
        .map(|r| routine(program, r, &mut found, &mut facts))
        .collect();
    // The writes of calls can be computed only if all names and depths are right.
    let writes = match checked.iter().all(|(_, sound)| *sound) {
        true => loop_index::GlobalWrites::summarise(program),
        false => loop_index::GlobalWrites::default(),
    };
    for (r, (structure, sound)) in ids().zip(&checked) {
        if let (Some(structure), true) = (structure, sound) {
            let mut c = Checker::new(program, r, &mut found);
            loop_index::check(&mut c, structure, &writes);
        }
    }
    if facts.pointers && checked.iter().all(|(_, sound)| *sound) {
        let taken = pointers::taken_globals(program);
        for r in ids() {
            pointers::loop_indices(&mut Checker::new(program, r, &mut found), &taken);
        }
    }
    facts.structures = checked.into_iter().map(|(s, _)| s).collect();
    if found.0.len() >= MAX_PROBLEMS {
        let message = format!("there may be more than these {MAX_PROBLEMS} problems");
        let help = "mend the first ones and try again";
        found
            .0
            .push(Diagnostic::error(&codes::TOO_MANY, message, help).warning());
    }
    (facts, found)
}

/// Checks the rules of one routine, except those of loop indices. Returns its structure, and whether all names and
/// depths are right.
fn routine(
    program: &Program,
    id: RoutineId,
    found: &mut Diagnostics,
    facts: &mut Found,
) -> (Option<Structure>, bool) {
    let routine = program.routine(id);
    let mut walkable = true;
    let structure = match &routine.body {
        None => None,
        Some(cfg) => match graph::check(cfg, routine.control) {
            Ok(structure) => structure,
            Err(problems) => {
                walkable = false;
                let absolute = |p| inside(p, program, id);
                problems
                    .0
                    .into_iter()
                    .map(absolute)
                    .for_each(|p| found.push(p));
                None
            }
        },
    };
    let mut c = Checker::new(program, id, found);
    declarations::names(&mut c);
    let sound = references::check(&mut c).is_ok();
    if sound {
        declarations::check(&mut c);
        control::check(&mut c);
        statements::check(&mut c);
        results::check(&mut c);
        if let Some(structure) = &structure {
            definition::check(&mut c, structure);
        } else if walkable {
            definition::general(&mut c);
        }
    }
    facts.narrow |= c.narrow;
    facts.pointers |= c.pointers;
    (structure, sound)
}

/// Makes a place relative to a routine absolute.
fn inside(mut problem: Diagnostic, program: &Program, routine: RoutineId) -> Diagnostic {
    let site = match problem.at.site.take() {
        Some(site) => Site {
            routine: Some(routine),
            ..*site
        },
        None => Site::whole(routine, Element::Routine),
    };
    let name = Name(&program.routine(routine).name);
    problem.at.element = Some(match problem.at.element {
        Some(element) => format!("routine {name}, {element}"),
        None => format!("routine {name}"),
    });
    problem.at_site_in(program, site)
}
