//! Values and Jacobians of what was read, by the testkit's interpreter (operator overloading).

use cfg_core::ir::{Expr, Extent, Program, ScalarType};
use cfg_testkit::interpret::{Argument, Limits, Value, interpret};
use std::collections::BTreeMap;

/// Elements of `y` and the Jacobian dy/dx, x(i) = i/2, y = 0 at the start.
pub(crate) fn jacobian(
    program: &Program,
    x: &str,
    y: &str,
) -> Result<(Vec<f64>, Vec<Vec<f64>>), String> {
    let main = program.main.ok_or("no top routine")?;
    let routine = program.routine(main);
    let extents = |shape: &[cfg_core::ir::Dim]| -> Result<Vec<usize>, String> {
        shape
            .iter()
            .map(|d| match d.extent {
                Extent::Fixed(Expr::Int(n)) => Ok(n as usize),
                _ => Err("extents are not constant".to_owned()),
            })
            .collect()
    };
    let find = |name: &str| {
        routine
            .find_variable(name)
            .filter(|&v| routine.parameter_position(v).is_some())
            .ok_or_else(|| format!("no parameter {name}"))
    };
    let (x, y) = (find(x)?, find(y)?);
    let columns: usize = extents(&routine.variable(x).shape)?.iter().product();
    let mut arguments = Vec::new();
    for p in routine.parameter_ids() {
        let variable = routine.variable(p);
        let extents = extents(&variable.shape)?;
        let count: usize = extents.iter().product();
        let elements = (0..count)
            .map(|i| match variable.ty {
                ScalarType::Integer => Value::Integer(0),
                ScalarType::Logical => Value::Logical(false),
                _ if p == x => {
                    let mut direction = vec![0.0; columns];
                    direction[i] = 1.0;
                    Value::Real((i + 1) as f64 / 2.0, direction)
                }
                _ => Value::Real(0.0, Vec::new()),
            })
            .collect();
        arguments.push(Some(Argument { extents, elements }));
    }
    let outcome = interpret::<Vec<f64>>(
        program,
        main,
        &arguments,
        &BTreeMap::new(),
        Limits::default(),
    )
    .map_err(|f| format!("{f:?}"))?;
    let mut values = Vec::new();
    let mut rows = Vec::new();
    let y = routine.parameter_position(y).ok_or("no parameter")?;
    for element in &outcome.parameters[y].elements {
        let (value, mut row) = match element {
            Value::Real(v, d) => (*v, d.clone()),
            Value::Integer(i) => (*i as f64, Vec::new()),
            other => return Err(format!("{other:?}")),
        };
        row.resize(columns, 0.0);
        values.push(value);
        rows.push(row);
    }
    Ok((values, rows))
}
