//! Validation of calls: arguments against the parameters of the called routine.

use super::{
    checker::{At, Checker},
    expressions::Shaped,
    overlap,
    targets::{assignable, writable_place},
};
use crate::diagnostic::site::{Element, Part};
use crate::{
    codes,
    entity::RoutineId,
    ir::{Expr, Extent, Intent, Place, Role, Routine, ScalarType, Variable},
    text::Name,
    typing::Type,
};

pub(super) fn check(
    c: &mut Checker<'_>,
    base: Element,
    callee: RoutineId,
    arguments: &[Option<Expr>],
    result: Option<&Place>,
) {
    let routine = c.program.routine(callee);
    check_result(c, base, routine, result);
    let list = At::new(base, Part::Arguments);
    if arguments.len() != routine.parameters.len() {
        c.error(
            list,
            &codes::ARGUMENT_COUNT,
            format!(
                "{} has {} parameters, but {} arguments are given",
                Name(&routine.name),
                routine.parameters.len(),
                arguments.len()
            ),
            "give one argument per parameter, in order; null for an optional one that is left out",
        );
    }
    let mut bound = Vec::with_capacity(arguments.len());
    for (i, argument) in arguments.iter().enumerate() {
        let Some(parameter) = routine.parameter(i) else {
            continue;
        };
        let site = list.index(i);
        match argument {
            Some(e) => {
                if check_argument(c, site, routine, parameter, e)
                    && let Expr::Place(place) = e
                {
                    bound.push((i, place, parameter));
                }
            }
            None => {
                let optional = matches!(parameter.role, Role::Parameter { optional: true, .. });
                if !optional {
                    c.error(
                        site,
                        &codes::ARGUMENT_COUNT,
                        format!(
                            "parameter {} of {} is not optional",
                            Name(&parameter.name),
                            Name(&routine.name)
                        ),
                        "give the argument",
                    );
                }
            }
        }
    }
    if !routine.aliased {
        overlap::check(c, list, &bound);
    }
}

fn check_result(c: &mut Checker<'_>, base: Element, callee: &Routine, result: Option<&Place>) {
    let Some(place) = result else { return };
    let site = At::new(base, Part::Target);
    writable_place(c, site, place);
    let left = c.check_place(site, place);
    let Some(variable) = callee.result.and_then(|v| callee.variables.get(v.index())) else {
        c.error(
            site,
            &codes::CALL_RESULT,
            format!("{} has no result", Name(&callee.name)),
            "call it without a place for the result",
        );
        return;
    };
    let right = Shaped {
        ty: Type {
            ty: variable.ty,
            rank: variable.rank(),
        },
        dims: vec![None; variable.rank()],
    };
    if let Some(left) = left {
        if left.ty.ty == right.ty.ty && (left.ty.rank == right.ty.rank || right.ty.rank == 0) {
            assignable(c, site, place, &left, None, &right);
        } else {
            c.error(
                site,
                &codes::CALL_RESULT,
                format!(
                    "the result of {} is {}, {} is {}",
                    Name(&callee.name),
                    right.ty,
                    c.name(place.var),
                    left.ty
                ),
                "take the result into a variable of its type and rank",
            );
        }
    }
}

/// Checks one argument; true if it fits.
fn check_argument(
    c: &mut Checker<'_>,
    site: At,
    callee: &Routine,
    parameter: &Variable,
    argument: &Expr,
) -> bool {
    let name = format!(
        "parameter {} of {}",
        Name(&parameter.name),
        Name(&callee.name)
    );
    let intent = parameter.intent().unwrap_or(Intent::In);
    let place = match argument {
        Expr::Place(place) => Some(place),
        Expr::Int(_)
        | Expr::Real(_)
        | Expr::Real32(_)
        | Expr::Logical(_)
        | Expr::Op(..)
        | Expr::Null(_)
        | Expr::Addr(_) => None,
    };
    // Only arguments may name tapes, so places do not go through `expr`, which refuses tapes.
    let found = match place {
        Some(place) => c.check_place(site, place),
        None => c.check_expr(site, argument),
    };
    let Some(found) = found else { return false };
    if intent.writes() || parameter.ty == ScalarType::Tape {
        match place {
            Some(place) if intent.writes() => writable_place(c, site, place),
            Some(_) => {}
            None => {
                c.error(
                    site,
                    &codes::ARGUMENT_PLACE,
                    format!(
                        "{name} is {}, but the argument is an expression",
                        intent.name()
                    ),
                    "assign the expression to a variable and pass that",
                );
                return false;
            }
        }
    }
    if found.ty.ty != parameter.ty {
        c.error(
            site,
            &codes::ARGUMENT_TYPE,
            format!(
                "{name} is {}, the argument is {}",
                c.program.type_name(parameter.ty),
                found.ty
            ),
            "pass a variable of the parameter's type, or (to an in parameter) convert the value",
        );
        return false;
    }
    check_shape(c, site, &name, parameter, place, &found)
}

fn check_shape(
    c: &mut Checker<'_>,
    site: At,
    name: &str,
    parameter: &Variable,
    place: Option<&Place>,
    found: &Shaped,
) -> bool {
    let deferred = parameter
        .shape
        .iter()
        .any(|dim| matches!(dim.extent, Extent::Deferred));
    let rank = found.ty.rank;
    let problem = if parameter.rank() == 0 {
        (rank != 0).then(|| {
            (
                format!("{name} is a scalar, the argument is {}", found.ty),
                "pass an element",
            )
        })
    } else if deferred {
        (rank != parameter.rank()).then(|| {
            (
                format!(
                    "{name} takes an array of rank {}, the argument is {}",
                    parameter.rank(),
                    found.ty
                ),
                "pass an array or section of that rank; only a parameter of explicit shape takes other ranks",
            )
        })
    } else {
        // An element stands for the cells from there on (sequence association), but a record only for itself.
        let element = place.is_some_and(Place::is_element) && found.ty.ty.record().is_none();
        let available = match place {
            Some(place) if place.subscripts.is_empty() => c.variable(place.var).constant_size(),
            _ => None,
        };
        if rank == 0 && !element {
            Some((
                format!("{name} is an array, the argument is {}", found.ty),
                "pass an array, a section, or the element of an array that it begins at",
            ))
        } else {
            match (parameter.constant_size(), available) {
                (Some(wanted), Some(have)) if wanted > have => Some((
                    format!("{name} has {wanted} elements, the argument only {have}"),
                    "pass a larger array",
                )),
                _ => None,
            }
        }
    };
    if let Some((message, help)) = problem {
        c.error(site, &codes::ARGUMENT_SHAPE, message, help);
        return false;
    }
    true
}
