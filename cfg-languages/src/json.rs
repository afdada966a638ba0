//! The program format in JSON.

use crate::files::Files;
use crate::front_end::{FrontEnd, LoadError, Placement, Places, ReadProgram, Request};
use cfg_core::diagnostic::{CodeInfo, Diagnostic};
use std::io;

/// The front end for the program format in JSON.
#[derive(Debug)]
pub(crate) struct Json;

/// How a main routine is marked in our own formats.
pub(crate) const MAIN_HINT: &str = "; or mark it in the file, as `main subroutine ...` in the text form, with \"main\": NAME in JSON";

impl FrontEnd for Json {
    fn name(&self) -> &'static str {
        "json"
    }

    fn title(&self) -> &'static str {
        "JSON"
    }

    fn about(&self) -> &'static str {
        "The program format cfgrev/1"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["json"]
    }

    fn codes(&self) -> &'static [CodeInfo] {
        cfg_format::json::CODES
    }

    fn load(&self, input: &mut dyn io::Read) -> Result<Vec<u8>, LoadError> {
        Ok(cfg_format::json::load(input)?)
    }

    fn read(&self, request: &Request<'_>, _: &mut dyn Files) -> ReadProgram {
        let bytes = request.text().bytes;
        let left = request.max_memory.saturating_sub(bytes.len());
        cfg_format::json::parse_within(bytes, left).into()
    }

    fn main_hint(&self) -> &'static str {
        MAIN_HINT
    }

    fn placement(&self) -> Placement {
        Placement::Pointers
    }

    fn places(&self, bytes: &[u8], max_memory: usize) -> Option<Box<dyn Places>> {
        let left = max_memory.saturating_sub(bytes.len());
        Some(Box::new(Pointers { left }))
    }
}

/// Places in a JSON text, by pointers.
#[derive(Debug)]
struct Pointers {
    /// The bytes of memory for the program, which is read once more to find places.
    left: usize,
}

impl Places for Pointers {
    fn locate(&self, bytes: &[u8], mut problems: Vec<&mut Diagnostic>) {
        // Problems of a program that was read have sites; their pointers depend on how statements are written.
        let program = match problems.iter().any(|d| d.at.pointer.is_none()) {
            true => cfg_format::json::parse_within(bytes, self.left).program,
            false => None,
        };
        for d in &mut problems {
            if let (Some(program), Some(site), None) = (&program, &d.at.site, &d.at.pointer) {
                d.at.pointer = cfg_format::json::pointer(program, site);
            }
        }
        problems.retain(|d| d.at.pointer.is_some());
        let pointers = problems.iter().filter_map(|d| d.at.pointer.clone());
        let pointers: Vec<String> = pointers.collect();
        let pointers: Vec<&str> = pointers.iter().map(String::as_str).collect();
        let places = cfg_format::json::locate_all(bytes, &pointers);
        for (d, (line, column)) in problems.into_iter().zip(places) {
            d.at.line = Some(line);
            d.at.column = Some(column);
        }
    }
}
