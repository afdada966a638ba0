//! XAIF, the exchange format of OpenAD.

use crate::files::Files;
use crate::front_end::{FrontEnd, LoadError, Placement, ReadProgram, Request};
use cfg_core::diagnostic::CodeInfo;
use cfg_core::entity::RoutineId;
use cfg_core::ir::Program;
use cfg_front::xaif;
use std::io;

/// The front end for XAIF.
#[derive(Debug)]
pub(crate) struct Xaif;

impl FrontEnd for Xaif {
    fn name(&self) -> &'static str {
        "xaif"
    }

    fn title(&self) -> &'static str {
        "XAIF"
    }

    fn about(&self) -> &'static str {
        "XAIF, the exchange format of OpenAD"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["xaif"]
    }

    fn codes(&self) -> &'static [CodeInfo] {
        xaif::CODES
    }

    fn load(&self, input: &mut dyn io::Read) -> Result<Vec<u8>, LoadError> {
        Ok(xaif::load(input)?)
    }

    fn read(&self, request: &Request<'_>, _: &mut dyn Files) -> ReadProgram {
        let wanted = xaif::Options {
            routine: request.wanted.routine.clone(),
            independents: request.wanted.independents.clone(),
            dependents: request.wanted.dependents.clone(),
        };
        let (program, problems) = xaif::read_xaif(request.text().bytes, &wanted);
        ReadProgram::new(program, problems)
    }

    fn find_routine(&self, program: &Program, name: &str) -> Option<RoutineId> {
        xaif::find_routine(program, name)
    }

    fn declares_variables(&self) -> bool {
        true
    }

    fn zero_dependents(&self) -> bool {
        true
    }

    fn placement(&self) -> Placement {
        Placement::Reader
    }
}
