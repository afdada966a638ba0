//! The names of what has to do with globals: structures, variables, and those that other files define.

use super::{
    codes, faults,
    file::File,
    global_classes::Classes,
    globals,
    names::{self, Names},
    operators::Pieces,
    sweep::Sweep,
};
use cfg_core::{
    diagnostic::{
        Diagnostic, Diagnostics,
        site::{Element, Site},
    },
    entity::{GlobalId, RoutineId},
    ir::{Global, NameRole, Program, ScalarType},
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
                external: false,
                begin,
                checks,
                swept: None,
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
        made.variables.derivatives = Classes::of(program, original, sweep, names);
        let is_pool = |global: &Global| {
            let origin = global.variable.origin.as_ref();
            origin.is_some_and(|o| matches!(o.role, NameRole::Cells | NameRole::ScratchCells))
        };
        if program.globals.iter().any(is_pool) {
            let name = format!("{}_swept", program.routine(original).name);
            made.variables.swept = Some(names.fresh(&name, None));
        }
        made
    }

    /// The tags of all structures of globals.
    pub(super) fn tags(&self) -> impl Iterator<Item = &str> {
        let classes = self.variables.derivatives.all.iter();
        let tags = classes.flat_map(|class| [&*class.tag, &*class.several_tag]);
        std::iter::once(&*self.tag).chain(tags)
    }

    /// Makes the program's own globals variables of other files.
    pub(super) fn make_external(
        &mut self,
        program: &Program,
        names: &mut Names,
        checks: bool,
    ) -> Result<(), Diagnostics> {
        self.variables.external = true;
        let mut found = Diagnostics::default();
        for (g, global) in (0..).map(GlobalId::new).zip(&program.globals) {
            if self.variables.derivatives.class(g).is_some() || global.overlay.is_some() {
                continue;
            }
            let name = &global.variable.name;
            let of_checks = matches!(
                global.variable.ty,
                ScalarType::Logical | ScalarType::Sized(_)
            );
            let tri_state = checks && of_checks;
            if names::identifier(name) != *name || names.has(name) || tri_state {
                let code = &codes::EXTERN;
                let site = Site {
                    routine: None,
                    element: Element::Global(g),
                    part: None,
                    index: None,
                    path: Box::default(),
                };
                let message = format!("`{name}` cannot be a variable of another file");
                let problem = Diagnostic::error(code, message, code.explanation);
                found.push(problem.at_site_in(program, site));
            }
            names.reserve(name);
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
