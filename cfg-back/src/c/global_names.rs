//! The names of what has to do with globals: structures, variables, and those that other files define.

use super::{
    codes, faults,
    file::File,
    global_classes::Classes,
    globals::{self, External},
    names::{self, Names},
    operators::{Pieces, c_type::c_type},
    structs::Structs,
    sweep::Sweep,
};
use cfg_core::{
    diagnostic::{
        Diagnostic, Diagnostics,
        site::{Element, Site},
    },
    entity::{GlobalId, RoutineId},
    ir::{CGlobal, Global, NameRole, Program, ScalarType, Variable},
};
use std::{
    collections::{BTreeMap, HashSet},
    fmt::Write as _,
};

/// The names of what has to do with globals.
pub(super) struct GlobalNames {
    pub(super) tag: String,
    pub(super) variables: globals::Variables,
}

impl GlobalNames {
    /// The names in a file of a program's routines.
    pub(super) fn new(names: &mut Names, main: &str, checks: bool) -> Self {
        let tag = names.fresh(&format!("{main}_globals"), None);
        let own = names.fresh(&format!("{main}_globals_data"), None);
        let begin = checks.then(|| names.fresh(&format!("{main}_globals_begin"), None));
        Self {
            tag,
            variables: globals::Variables {
                own,
                derivatives: Classes::default(),
                external: BTreeMap::new(),
                begin,
                checks,
                swept: None,
                used: String::new(),
            },
        }
    }

    /// The names in a file of derivatives, where those of globals have structures of their own.
    pub(super) fn of_derivative(
        program: &Program,
        (original, sweep): (RoutineId, Sweep),
        names: &mut Names,
        checks: bool,
    ) -> Self {
        let mut made = Self::new(names, &program.routine(original).name, checks);
        made.variables.derivatives = Classes::build(program, original, sweep, names);
        let is_pool = |global: &Global| {
            let origin = global.variable.origin.as_ref();
            origin.is_some_and(|o| matches!(o.role, NameRole::Cells | NameRole::ScratchCells))
        };
        if program.globals.iter().any(is_pool) {
            let name = format!("{}_swept", program.routine(original).name);
            made.variables.swept = Some(names.fresh(&name, None));
        }
        let suffix = match sweep {
            Sweep::Tangent => "t",
            Sweep::Gradient | Sweep::Forward | Sweep::Reverse => "b",
        };
        let name = format!("{}_used_{suffix}", program.routine(original).name);
        made.variables.used = names.fresh(&name, None);
        made
    }

    /// The tags of all structures of globals.
    pub(super) fn tags(&self) -> impl Iterator<Item = &str> {
        let classes = self.variables.derivatives.all.iter();
        let tags = classes.flat_map(|class| [&*class.tag, &*class.several_tag]);
        std::iter::once(&*self.tag).chain(tags)
    }

    /// Makes those of the program's own globals variables of other files of which its source says that they are, or all of them.
    pub(super) fn make_external(
        &mut self,
        program: &Program,
        structs: Option<&Structs<'_>>,
        names: &mut Names,
        (all, checks): (bool, bool),
    ) -> Result<(), Diagnostics> {
        let mut found = Diagnostics::default();
        let mut declared = HashSet::new();
        let overlays = program.globals.iter().filter_map(|global| global.overlay);
        let shared: HashSet<GlobalId> = overlays.map(|overlay| overlay.base).collect();
        for (g, global) in (0..).map(GlobalId::new).zip(&program.globals) {
            let variable = &global.variable;
            let known = CGlobal::from_annotations(&variable.annotations)
                .filter(|_| variable.origin.is_none());
            let is_own = self.variables.derivatives.class(g).is_none() && global.overlay.is_none();
            if !is_own || !all && known.is_none() {
                continue;
            }
            let (home, leaf) = structs.and_then(|s| s.global_home(g)).unwrap_or((g, None));
            let whole = match (structs, leaf) {
                (Some(structs), Some(_)) => &structs.program.global(home).variable,
                _ => variable,
            };
            let name = known.as_ref().map_or(&*whole.name, |known| &*known.name);
            let is_first = declared.insert(home);
            let made = external(
                (variable, shared.contains(&g)),
                whole,
                name,
                (structs, leaf),
                known.as_ref(),
            );
            let of_checks = matches!(variable.ty, ScalarType::Logical | ScalarType::Sized(_));
            let taken = is_first && names.has(name) || names::identifier(name) != name;
            let made = match (taken, checks && of_checks) {
                (true, _) => Err(
                    "C has no such variable, or the file has the name for something else"
                        .to_owned(),
                ),
                (false, true) => Err("with checks its values have a type of their own".to_owned()),
                (false, false) => made,
            };
            names.reserve(name);
            let why = match made {
                Ok(mut made) => {
                    made.declaration = match is_first {
                        true => format!("extern {};\n", made.declaration),
                        false => String::new(),
                    };
                    self.variables.external.insert(g, made);
                    continue;
                }
                Err(why) => why,
            };
            if is_first {
                let code = &codes::EXTERN;
                let site = Site {
                    routine: None,
                    element: Element::Global(g),
                    part: None,
                    index: None,
                    path: Box::default(),
                };
                let message = format!("`{name}` cannot be a variable of another file: {why}");
                let problem = Diagnostic::error(code, message, code.explanation);
                found.push(problem.at_site_in(program, site));
            }
        }
        found.is_empty().then_some(()).ok_or(found)
    }

    pub(super) fn header(&self, file: &File<'_>) -> String {
        let text = (file.globals).header(&self.tag, &self.tag, &self.variables);
        if file.checks {
            // What `cfgrev_logical` is; the file alone names it.
            faults::logicals_as(&text, "unsigned char")
        } else {
            text
        }
    }

    pub(super) fn text(
        &self,
        file: &File<'_>,
        access: Option<&str>,
        pieces: &mut Pieces,
    ) -> String {
        let text = (file.globals).text(&self.tag, &self.variables, access, pieces);
        if file.checks {
            faults::logicals(&text)
        } else {
            text
        }
    }
}

/// What a global is as this leaf of a variable of another file, and the declaration of that; or why it cannot be one.
fn external(
    (variable, is_shared): (&Variable, bool),
    whole: &Variable,
    name: &str,
    (structs, leaf): (Option<&Structs<'_>>, Option<usize>),
    known: Option<&CGlobal>,
) -> Result<External, String> {
    let text = known.map(|known| known.declared.as_deref().map_err(ToOwned::to_owned));
    let text = text.transpose()?;
    let constant = match text.is_some_and(|text| text.starts_with("const ")) {
        true => "const ",
        false => "",
    };
    let record = whole.ty.record();
    if text.is_some_and(|text| text.contains('$')) && record.is_none() {
        return Err("it is a structure, and structures are split".to_owned());
    }
    let (Some(record), Some(structs), Some(leaf)) = (record, structs, leaf) else {
        let ty = c_type(variable.ty);
        // A number whose address is taken has an array over it here.
        let is_array = text.map_or(variable.rank() > 0, |text| text.ends_with('#'));
        let size = variable.constant_size().unwrap_or(1).max(1);
        return Ok(match is_array {
            true => External {
                name: name.to_owned(),
                place: name.to_owned(),
                declaration: format!("{constant}{ty} {name}[{size}]"),
            },
            false => External {
                name: name.to_owned(),
                place: match variable.rank() > 0 || is_shared {
                    true => format!("(&{name})"),
                    false => name.to_owned(),
                },
                declaration: format!("{constant}{ty} {name}"),
            },
        });
    };
    let leaves = structs.leaves(record);
    let path = leaves.get(leaf).map_or(&[][..], |leaf| &leaf.path);
    let around = path.split_last().map_or(&[][..], |(_, around)| around);
    if text.map_or(whole.rank() > 0, |text| text.ends_with('#'))
        || around.iter().any(|(_, extents)| !extents.is_empty())
    {
        return Err("it is an array of structures, or has one in it".to_owned());
    }
    let mut place = name.to_owned();
    for (member, _) in path {
        let _ = write!(place, ".{member}");
    }
    if path.last().is_some_and(|(_, extents)| extents.len() > 1) {
        place = format!("(({} *){place})", c_type(variable.ty));
    } else if variable.rank() > 0 && path.last().is_some_and(|(_, extents)| extents.is_empty()) {
        place = format!("(&{place})");
    }
    Ok(External {
        name: name.to_owned(),
        place,
        declaration: format!("{constant}{} {name}", structs.type_of(record)),
    })
}
