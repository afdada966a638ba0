//! The names of what has to do with globals: structures, variables, and those that other files define.

use super::{
    codes, faults,
    file::File,
    globals,
    names::{self, Names},
};
use cfg_core::{
    diagnostic::{
        Diagnostic, Diagnostics,
        site::{Element, Site},
    },
    entity::GlobalId,
    ir::{Program, ScalarType},
};

/// The names of what has to do with globals.
pub(super) struct GlobalNames {
    pub(super) tag: String,
    pub(super) derivative_tag: String,
    pub(super) several_tag: String,
    pub(super) variables: globals::Variables,
}

impl GlobalNames {
    /// With a suffix, adjoints or tangents have a structure of their own.
    pub(super) fn new(names: &mut Names, main: &str, suffix: &str, checks: bool) -> Self {
        let tag = names.fresh(&format!("{main}_globals"), None);
        let derivative_tag = names.fresh(&format!("{main}_globals{suffix}"), None);
        let own = names.fresh(&format!("{main}_globals_data"), None);
        let derivatives = (!suffix.is_empty())
            .then(|| names.fresh(&format!("{main}_globals{suffix}_data"), None));
        let several_tag = names.fresh(&format!("{main}_globals{suffix}_v"), None);
        Self {
            tag,
            derivative_tag,
            several_tag,
            variables: globals::Variables {
                own,
                derivatives,
                external: false,
                checks,
            },
        }
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
            let derivative = self.variables.derivatives.is_some() && globals::is_derivative(global);
            if derivative || global.overlay.is_some() {
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

    /// The tag of the structure of derivatives, in one direction or in several.
    pub(super) fn tag_of(&self, several: bool) -> &str {
        if several {
            &self.several_tag
        } else {
            &self.derivative_tag
        }
    }

    pub(super) fn header(&self, file: &File<'_>) -> String {
        let text = (file.globals).header(
            (&self.tag, &self.derivative_tag),
            &self.tag,
            self.variables.external,
        );
        if file.checks {
            // What `cfgrev_logical` is; the file alone names it.
            faults::logicals_as(&text, "unsigned char")
        } else {
            text
        }
    }

    pub(super) fn text(&self, file: &File<'_>, access: Option<&str>) -> String {
        let tags = (&*self.tag, &*self.derivative_tag);
        let text = file.globals.text(tags, &self.variables, access);
        if file.checks {
            faults::logicals(&text)
        } else {
            text
        }
    }
}
