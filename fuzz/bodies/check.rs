//! `check` of a random program, changed anywhere, at the point of the original: it says why it cannot be checked, or adjoint
//! and tangent agree and no tape keeps anything. Programs that are not changed agree with divided differences, too.

use super::{
    document_changes::changed, flattened::flattened, program_changes::program, refused::refused,
};
use cfg_core::ir::ScalarType;
use cfg_drive::{Options, Primal, Tolerances, check};
use cfg_format::json;

/// One input.
pub(crate) fn run(data: &[u8]) {
    let Some((case, changes)) = program(data) else {
        return;
    };
    let valid = match json::read_valid(changed(&case, changes).as_bytes()) {
        Ok(valid) => valid,
        Err(problems) => return refused(&problems),
    };
    let Some(main) = valid.main else { return };
    let (valid, main) = match flattened(valid, main) {
        Ok(made) => made,
        Err(problems) => return refused(&problems),
    };
    let point = case.point_json().to_string();
    let mut options = Options::default();
    options.run.fuel = 300_000;
    options.run.max_tape = 1 << 24;
    options.run.max_memory = 1 << 26;
    options.run.max_depth = 200;
    options.reversal.work = 20_000;
    let read = |primal: &Primal| primal.read_point(point.as_bytes());
    let checked = match check(&valid, main, &options, read, Tolerances::default()) {
        Ok(checked) => checked,
        Err(problems) => return refused(&problems),
    };
    let has_tapes =
        (valid.routines.iter()).any(|r| r.variables.iter().any(|v| v.ty == ScalarType::Tape));
    assert!(
        checked.dot_product.agrees != Some(false),
        "{:?}\n{}",
        checked.dot_product,
        **valid
    );
    assert!(
        has_tapes || checked.stack.agrees,
        "{:?}\n{}",
        checked.stack,
        **valid
    );
    if changes.is_empty() {
        let differences = &checked.differences;
        assert!(differences.agrees != Some(false), "{differences:?}");
    }
}
