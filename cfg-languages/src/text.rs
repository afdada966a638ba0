//! The text form.

use crate::files::Files;
use crate::front_end::{FrontEnd, Placement, Places, ReadProgram, Request};
use crate::json::MAIN_HINT;
use cfg_core::diagnostic::{CodeInfo, Diagnostic};

/// The front end for the text form.
#[derive(Debug)]
pub(crate) struct TextForm;

impl FrontEnd for TextForm {
    fn name(&self) -> &'static str {
        "text"
    }

    fn title(&self) -> &'static str {
        "the text form"
    }

    fn about(&self) -> &'static str {
        "The text form (`cfgrev explain text`)"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["cfgrev"]
    }

    fn codes(&self) -> &'static [CodeInfo] {
        cfg_format::text::codes::CODES
    }

    fn read(&self, request: &Request<'_>, _: &mut dyn Files) -> ReadProgram {
        let read = cfg_format::text::read(request.text().bytes);
        ReadProgram {
            places: Some(Box::new(Sites(read.places))),
            ..ReadProgram::new(read.program, read.problems)
        }
    }

    fn main_hint(&self) -> &'static str {
        MAIN_HINT
    }

    fn placement(&self) -> Placement {
        Placement::Sites
    }

    fn places(&self, bytes: &[u8], _: usize) -> Option<Box<dyn Places>> {
        Some(Box::new(Sites(cfg_format::text::read(bytes).places)))
    }
}

/// Places in a text, by sites.
#[derive(Debug)]
struct Sites(cfg_format::text::Places);

impl Places for Sites {
    fn locate(&self, _: &[u8], problems: Vec<&mut Diagnostic>) {
        for d in problems {
            let found = d.at.site.as_ref().and_then(|site| self.0.of_site(site));
            (d.at.line, d.at.column) = found.unzip();
        }
    }
}
