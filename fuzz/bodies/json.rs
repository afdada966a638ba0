//! Any bytes: the reader answers with a program or with diagnostics; what it reads it writes back, and
//! what is valid can be reversed and differentiated without a panic.

use cfg_core::validate;
use cfg_format::json;

/// One input.
pub(crate) fn run(data: &[u8]) {
    let Ok(program) = json::read(data) else {
        return;
    };
    let mut text = Vec::new();
    json::write(&program, &mut text).expect("a program that was read can be written");
    let again = json::read(text.as_slice()).expect("what was written can be read");
    let mut second = Vec::new();
    json::write(&again, &mut second).expect("and written again");
    assert!(text == second, "writing is not stable");
    let Ok(valid) = validate::validate(program) else {
        return;
    };
    if let Some(main) = valid
        .main
        .or((!valid.routines.is_empty()).then(|| cfg_core::entity::RoutineId::new(0)))
    {
        let options = cfg_transform::flat::Options::default();
        let Ok(made) = cfg_transform::flatten(valid, &[main], &options) else {
            return;
        };
        let (flat, main) = (made.program, made.heads[0]);
        let _ = cfg_reverse::tangent(&flat, main);
        let _ = cfg_reverse::reverse(&flat, main, &cfg_reverse::Options::default());
    }
}
