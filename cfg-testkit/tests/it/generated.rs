//! Random programs keep the rules, survive a round trip, and have the derivatives they should.

use cfg_core::entity::{VarId, VertexId};
use cfg_core::graph::loops::LoopForest;
use cfg_core::ir::{Expr, Intent, LoopTest, Program, StmtKind};
use cfg_core::validate;
use cfg_format::json;
use cfg_testkit::case::Case;
use cfg_testkit::general;
use cfg_testkit::generate::{Options, generate};
use cfg_testkit::interpret::Limits;
use cfg_testkit::property::check;

fn text(program: &Program) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    json::write(program, &mut bytes).map_err(|e| e.to_string())?;
    Ok(bytes)
}

fn valid_and_stable(case: &Case) -> Result<(), String> {
    let (_, problems) = validate::find_problems(&case.program);
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

fn dot(a: &[(VarId, Vec<f64>)], b: &[(VarId, Vec<f64>)]) -> f64 {
    let values = |list: &[(VarId, Vec<f64>)]| -> Vec<f64> {
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

/// Programs have functions that call themselves, whose parameters may overlap or that write them, calls that hand one variable to two
/// `out` parameters, and loops whose bodies assign their index.
#[test]
fn unusual_functions_calls_and_indices_are_drawn() {
    let [
        mut recursive,
        mut aliased,
        mut writing,
        mut twice,
        mut assigned,
    ] = [0; 5];
    for seed in 0..600 {
        let program = generate(&Options::WIDE, seed).expect("it runs").program;
        for (r, routine) in program.routines.iter().enumerate() {
            let calls = routine.statements().filter_map(|s| match &s.kind {
                StmtKind::Call {
                    callee, arguments, ..
                } => Some((callee.index(), arguments)),
                _ => None,
            });
            for (callee, arguments) in calls {
                let called = &program.routines[callee];
                recursive += usize::from(callee == r && called.result.is_some());
                let outs = (called.parameter_ids().zip(arguments))
                    .filter(|(p, _)| called.variable(*p).intent() == Some(Intent::Out))
                    .filter_map(|(_, e)| match e {
                        Some(Expr::Place(place)) => Some(place.var),
                        _ => None,
                    });
                let outs: Vec<VarId> = outs.collect();
                let again = (1..outs.len()).any(|k| outs[..k].contains(&outs[k]));
                twice += usize::from(called.aliased && again);
            }
            if routine.result.is_some() && routine.body.is_some() {
                aliased += usize::from(routine.aliased);
                let mut intents = routine
                    .parameter_ids()
                    .map(|p| routine.variable(p).intent());
                writing += usize::from(intents.any(|i| i.is_some_and(Intent::writes)));
            }
        }
        let case = general::generate(seed);
        let body = case.routine().body.as_ref().expect("it has a body");
        let forest = LoopForest::new(body, 0);
        for l in forest.loops() {
            let header = VertexId::new(forest.get(l).header);
            if let Some(LoopTest::Counted { index, .. }) = body.vertex(header).kind.test() {
                let mut inside = forest.members(l).iter().map(|&v| VertexId::new(v));
                assigned += usize::from(inside.any(|v| {
                    let mut statements = body.vertex(v).statements().iter();
                    statements.any(|s| s.kind.assignment().is_some_and(|(to, _)| to.var == *index))
                }));
            }
        }
    }
    let drawn = [recursive, aliased, writing, twice, assigned];
    assert!(drawn.iter().all(|n| *n >= 5), "{drawn:?}");
}
