//! Random programs keep the rules, survive a round trip, and have the derivatives they should.

use cfg_core::ir::Program;
use cfg_core::{json, validate};
use cfg_testkit::case::Case;
use cfg_testkit::generate::Options;
use cfg_testkit::interpret::Limits;
use cfg_testkit::property::check;

fn text(program: &Program) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    json::write(program, &mut bytes).map_err(|e| e.to_string())?;
    Ok(bytes)
}

fn valid_and_stable(case: &Case) -> Result<(), String> {
    let (_, problems) = validate::problems(&case.program);
    if problems.has_errors() {
        return Err(problems.to_string());
    }
    let bytes = text(&case.program)?;
    let again = json::read(&bytes).map_err(|e| e.to_string())?;
    // As text, since a constant that is NaN does not equal itself.
    if format!("{again:?}") != format!("{:?}", case.program) {
        return Err("the program changes when it is written and read".to_owned());
    }
    if text(&again)? != bytes {
        return Err("the text changes when it is read and written".to_owned());
    }
    Ok(())
}

#[test]
fn exact_programs_are_valid_and_survive_json() {
    check(&Options::EXACT, 0..1500, valid_and_stable);
}

#[test]
fn smooth_programs_are_valid_and_survive_json() {
    check(&Options::SMOOTH, 0..500, valid_and_stable);
}

#[test]
fn wide_programs_are_valid_and_survive_json() {
    check(&Options::WIDE, 0..400, valid_and_stable);
    check(&Options::WIDE_SMOOTH, 400..600, valid_and_stable);
}

fn dot(
    a: &[(cfg_core::entity::VarId, Vec<f64>)],
    b: &[(cfg_core::entity::VarId, Vec<f64>)],
) -> f64 {
    let values = |list: &[(cfg_core::entity::VarId, Vec<f64>)]| -> Vec<f64> {
        list.iter().flat_map(|(_, v)| v.clone()).collect()
    };
    values(a).iter().zip(values(b)).map(|(x, y)| x * y).sum()
}

/// Nothing is rounded: seed * tangent = gradient * direction without a tolerance.
#[test]
fn exact_programs_have_exact_derivatives() {
    let agree = |case: &Case| {
        let tangent = case
            .tangent(Limits::default())
            .map_err(|e| format!("{e:?}"))?;
        let gradient = case
            .gradient(Limits::default())
            .map_err(|e| format!("{e:?}"))?;
        let (left, right) = (dot(&tangent, &case.seed), dot(&gradient, &case.direction));
        if left == right {
            Ok(())
        } else {
            Err(format!("{left} and {right}"))
        }
    };
    check(&Options::EXACT, 0..1000, agree);
    check(&Options::WIDE, 1000..1500, agree);
}
