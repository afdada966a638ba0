//! A random program, changed anywhere: the reader answers with a program or with problems; what it reads has the same bytes
//! when it is written and read again, in JSON and as text; what is valid has derivative programs that are valid and whose
//! tape the checker proves, or a reason why not; and runs, within limits, end.

use super::{
    document_changes::changed, flattened::flattened, program_changes::program, refused::refused,
};
use cfg_core::flat::Flat;
use cfg_core::{
    ir::{Program, ScalarType},
    validate,
};
use cfg_format::{json, text};
use cfg_reverse::{Blocks, Options, Overlap, Unstructured};
use cfg_testkit::flat;

/// One input.
pub(crate) fn run(data: &[u8]) {
    let Some((case, rest)) = program(data) else {
        return;
    };
    let (options, changes) = rest.split_at(rest.len().min(1));
    let document = changed(&case, changes);
    let program = match json::read(document.as_bytes()) {
        Ok(program) => program,
        Err(problems) => return refused(&problems),
    };
    let mut written = Vec::new();
    json::write(&program, &mut written).expect("a program that was read can be written");
    let again = json::read(&written).expect("what was written can be read");
    let mut second = Vec::new();
    json::write(&again, &mut second).expect("and written again");
    assert!(written == second, "writing is not stable");
    let valid = match validate::validate(program) {
        Ok(valid) => valid,
        Err(problems) => return refused(&problems),
    };
    let printed = valid.to_string();
    let parsed = text::parse(&printed);
    assert!(parsed.program.is_some(), "{}\n{printed}", parsed.problems);
    let Some(main) = valid.main else { return };
    if valid.has_pointers() {
        let refusal = Flat::check(valid.clone());
        refused(&refusal.expect_err("pointers are lowered before"));
    }
    let (valid, main) = match flattened(valid, main) {
        Ok(made) => made,
        Err(problems) => return refused(&problems),
    };
    match cfg_reverse::tangent(&valid, main) {
        Ok(made) => derived(&valid, made.program, false),
        Err(problems) => refused(&problems),
    }
    let bits = options.first().copied().unwrap_or(0);
    let options = Options {
        counters: bits & 1 != 0,
        markers: bits & 64 != 0,
        merge: bits & 2 != 0,
        unstructured: if bits & 4 == 0 {
            Unstructured::Structure
        } else {
            Unstructured::Trace
        },
        blocks: [
            Blocks::Statement,
            Blocks::Auto,
            Blocks::Preaccumulate,
            Blocks::Statement,
        ][usize::from(bits >> 3 & 3)],
        flow_limit: if bits & 32 == 0 {
            cfg_core::dataflow::FLOW_LIMIT
        } else {
            0
        },
        overlap: if bits & 128 == 0 {
            Overlap::Assume
        } else {
            Overlap::None
        },
        work: 20_000,
        ..Options::default()
    };
    match cfg_reverse::reverse(&valid, main, &options) {
        Ok(made) => derived(&valid, made.program, true),
        Err(problems) => refused(&problems),
    }
}

fn derived(original: &Program, program: Program, reversed: bool) {
    let has_tapes =
        (original.routines.iter()).any(|r| r.variables.iter().any(|v| v.ty == ScalarType::Tape));
    match validate::validate(program) {
        Ok(program) => {
            let found = tape_check::check_program(&flat(&program)).problems;
            assert!(!reversed || has_tapes || !found.has_errors(), "{found}");
        }
        Err(problems) => {
            panic!("the derivative program is not valid: {problems}")
        }
    }
}
