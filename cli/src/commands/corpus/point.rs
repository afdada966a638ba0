//! The point of a corpus: x(i) = i/2, y = 0.

use super::Reference;
use cfg_core::entity::{RoutineId, VarId};
use cfg_core::ir::{Expr, Extent, Program, Routine, Variable};
use cfg_core::validate::{ValidProgram, validate};
use cfg_drive::{Nested, declare};
use cfg_exec::Value;

/// A point, and the program with the independents and dependents that it is for.
pub(super) struct Chosen {
    /// Set if other variables than the declared ones are differentiated.
    pub(super) program: Option<ValidProgram>,
    /// The POINT as JSON, or why there is none.
    pub(super) text: Result<String, String>,
}

/// The declared independents and dependents if they are as many as the reference says, otherwise x and
/// y.
pub(super) fn choose(
    program: &ValidProgram,
    main: RoutineId,
    reference: Option<&Reference>,
) -> Chosen {
    let routine = program.routine(main);
    let (n, m) = reference.map_or((None, None), |r| (Some(r.n), Some(r.m)));
    let fits = |list: &[VarId], count: Option<usize>| {
        count.is_none_or(|count| total(routine, list) == Some(count))
    };
    if fits(&routine.independents, n) && fits(&routine.dependents, m) {
        return Chosen {
            program: None,
            text: text(routine, n, m),
        };
    }
    let mut other: Program = program.program().clone();
    let name = |s: &str| vec![s.to_owned()];
    let declared = declare(&mut other, main, Some(&name("x")), Some(&name("y")));
    match declared.and_then(|()| validate(other)) {
        Ok(other) => Chosen {
            text: text(other.routine(main), n, m),
            program: Some(other),
        },
        Err(_) => Chosen {
            program: None,
            text: text(routine, n, m),
        },
    }
}

/// True if the result is a y that has no derivatives.
pub(super) fn is_passive(routine: &Routine) -> bool {
    let y = routine.find_variable("y").map(|v| routine.variable(v));
    routine.dependents.is_empty() && y.is_some_and(|y| !y.ty.is_real())
}

/// Number of elements of some variables, if all extents are constant.
fn total(routine: &Routine, list: &[VarId]) -> Option<usize> {
    let counts = list.iter().map(|v| {
        let shape = shape(routine.variable(*v))?;
        shape.iter().try_fold(1usize, |n, &e| n.checked_mul(e))
    });
    counts.sum()
}

fn shape(variable: &Variable) -> Option<Vec<usize>> {
    let extents = variable.shape.iter().map(|d| match &d.extent {
        Extent::Fixed(Expr::Int(n)) => usize::try_from(*n).ok(),
        Extent::Fixed(_) | Extent::Deferred => None,
    });
    extents.collect()
}

fn text(routine: &Routine, n: Option<usize>, m: Option<usize>) -> Result<String, String> {
    let mut members = Vec::new();
    let mut next = 0u32;
    let parameters = |list: &[VarId]| -> Vec<VarId> {
        let own = list.iter().copied();
        own.filter(|v| v.index() < routine.parameters).collect()
    };
    for v in parameters(&routine.independents) {
        let variable = routine.variable(v);
        let shape = open_shape(variable, n)?;
        let count: usize = shape.iter().product();
        let elements: Vec<f64> = (0..count)
            .map(|_| {
                next += 1;
                f64::from(next) / 2.0
            })
            .collect();
        members.push(member(variable, &shape, &elements)?);
    }
    for v in parameters(&routine.dependents) {
        let variable = routine.variable(v);
        // Where the shape is declared, the value is 0 anyway.
        if !routine.independents.contains(&v) && shape(variable).is_none() {
            let shape = open_shape(variable, m)?;
            let count = shape.iter().product();
            members.push(member(variable, &shape, &vec![0.0; count])?);
        }
    }
    Ok(format!("{{{}}}", members.join(", ")))
}

/// The declared shape; a vector of assumed shape has as many elements as the reference says.
fn open_shape(variable: &Variable, count: Option<usize>) -> Result<Vec<usize>, String> {
    match (shape(variable), count) {
        (Some(shape), _) => Ok(shape),
        (None, Some(count)) if variable.rank() == 1 => Ok(vec![count]),
        (None, _) => Err(format!("the shape of {} is not known", variable.name)),
    }
}

fn member(variable: &Variable, shape: &[usize], elements: &[f64]) -> Result<String, String> {
    let value = Value::real_array(shape, variable.order, elements)
        .ok_or_else(|| format!("{} is too large", variable.name))?;
    let name = serde_json::to_string(&variable.name).map_err(|e| e.to_string())?;
    let value = serde_json::to_string(&Nested(&value)).map_err(|e| e.to_string())?;
    Ok(format!("{name}: {value}"))
}
