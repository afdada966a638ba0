//! Both sweeps of a random general graph, run.

use cfg_core::{
    elemental::Scalar,
    entity::VarId,
    ir::{Order, ScalarType},
    validate::ValidProgram,
};
use cfg_exec::{Argument, CompileOptions, Compiled, RunOptions, Session, Tape, Value};
use cfg_testkit::case::{Case, Elements};
use cfg_testkit::flat;
use tape_check::Pair;

/// The adjoints at the end of the sweeps `(a, n, y, tape)` and `(a, n, y, a_b, y_b, tape)`; an error if a
/// sweep fails or something stays on the tape.
pub(crate) fn adjoints(program: &ValidProgram, pair: Pair, case: &Case) -> Result<String, String> {
    let real = |values: &[f64], extents: &[usize]| {
        let made = Value::uninitialised(ScalarType::Real, extents, Order::Row);
        let mut made = made.ok_or("too large")?;
        for (i, x) in values.iter().enumerate() {
            made.set(i, Scalar::Real(*x));
        }
        Ok::<Argument, String>(made.into())
    };
    let given = |p| match &case.value(VarId::new(p)).ok_or("no value")?.elements {
        Elements::Real(x) => real(x, &[x.len()]),
        Elements::Integer(n) => {
            let made = Value::uninitialised(ScalarType::Integer, &[], Order::Row);
            let mut made = made.ok_or("too large")?;
            made.set(0, Scalar::Integer(n[0]));
            Ok(made.into())
        }
        _ => Err("another type".to_owned()),
    };
    let compiled =
        Compiled::new(&flat(program), &CompileOptions::default()).map_err(|d| d.to_string())?;
    let mut session = Session::new(&compiled);
    let options = RunOptions::default();
    let mut arguments = vec![
        given(0)?,
        given(1)?,
        real(&[], &[])?,
        Tape::default().into(),
    ];
    let forward = session.run(pair.forward, &mut arguments, &options);
    forward.map_err(|d| d.to_string())?;
    let tape = arguments.pop().ok_or("no tape")?;
    arguments.push(real(&[0.0; 3], &[3])?);
    arguments.push(real(&[1.0], &[])?);
    arguments.push(tape);
    let reverse = session.run(pair.reverse, &mut arguments, &options);
    reverse.map_err(|d| d.to_string())?;
    let tape = arguments.pop().ok_or("no tape")?;
    if !tape.tape().is_some_and(|t| t.size().is_empty()) {
        return Err("the tape is not empty".to_owned());
    }
    Ok(format!("{:?}", &arguments[3..]))
}
