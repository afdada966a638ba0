//! Variables, shapes, results, independents and dependents, external routines.

use super::{
    checker::{At, Checker},
    expressions::Shaped,
    pointers,
    program::check_names,
    records,
};
use crate::diagnostic::site::{Element, Part};
use crate::{
    codes,
    entity::VarId,
    ir::{Extent, Intent, Place, Role, ScalarType, Variable},
    text::Name,
    typing::Type,
};
use std::collections::HashSet;

/// Names of variables.
pub(super) fn names(c: &mut Checker<'_>) {
    let variables = &c.routine.variables;
    for (i, problem) in check_names(variables.iter().map(|v| v.name.as_str()), "variable") {
        c.report(
            At::new(Element::Variable(VarId::new(i)), Part::Name),
            problem,
        );
    }
}

/// Derivative routines that the user gives.
fn derivatives(c: &mut Checker<'_>) {
    let Some(given) = c.routine.derivatives.as_deref().copied() else {
        return;
    };
    let lists = [
        (Part::Tangent, given.tangent, true),
        (Part::Adjoint, given.adjoint, false),
    ];
    for (part, id, tangent) in lists {
        let Some(id) = id else { continue };
        let routine = c.program.routine(id);
        let formals = c.routine.parameter_ids().chain(c.routine.result);
        let formals: Vec<&Variable> = formals.map(|v| c.variable(v)).collect();
        let derived = formals
            .iter()
            .filter(|v| v.ty.is_real() || (tangent && v.ty == ScalarType::Tape));
        let wanted: Vec<&Variable> = formals.iter().chain(derived).copied().collect();
        // The other routine may be invalid: its list may name a variable that does not exist.
        let have = routine
            .parameters
            .iter()
            .map(|v| routine.variables.get(v.index()));
        let Some(have) = have.collect::<Option<Vec<&Variable>>>() else {
            continue;
        };
        let name = Name(&routine.name);
        let differs = wanted.iter().zip(&have).enumerate().find(|(i, (w, h))| {
            let intent = if tangent {
                // A function's result is a local.
                let written = w.intent().is_none_or(Intent::writes);
                !written || h.intent().is_some_and(Intent::writes)
            } else {
                *i < formals.len() || h.intent() == Some(Intent::InOut)
            };
            w.ty != h.ty || w.rank() != h.rank() || !intent
        });
        let problem = if wanted.len() != have.len() {
            format!(
                "{name} has {} parameters, it must have {}",
                have.len(),
                wanted.len()
            )
        } else if let Some((i, (w, h))) = differs {
            format!(
                "parameter {} of {name}, which stands for {}{}, has another type, rank or intent",
                Name(&h.name),
                if i < formals.len() {
                    ""
                } else {
                    "the derivative of "
                },
                Name(&w.name)
            )
        } else {
            continue;
        };
        c.error(
            At::new(Element::Routine, part),
            &codes::DERIVATIVE,
            problem,
            "declare the original's parameters, its result, then the derivatives of the real ones in the same order",
        );
    }
}

/// Checks all declarations but names; references have been checked before.
pub(super) fn check(c: &mut Checker<'_>) {
    roles(c);
    parameters(c);
    body(c);
    extents(c);
    cyclic_extents(c);
    result(c);
    roots(c);
    external(c);
    derivatives(c);
    records::declarations(c);
    pointers::declarations(c);
}

fn at(v: VarId, part: Part) -> At {
    At::new(Element::Variable(v), part)
}

fn roles(c: &mut Checker<'_>) {
    let mut globals = HashSet::new();
    for (i, variable) in c.routine.variables.iter().enumerate() {
        let v = VarId::new(i);
        let name = Name(&variable.name);
        if let Role::Global(g) = variable.role {
            if !globals.insert(g) {
                c.error(
                    At::whole(Element::Variable(v)),
                    &codes::ROLE,
                    format!("{name} stands for a global that another variable stands for already"),
                    "use one variable per global in a routine",
                );
            }
            let global = &c.program.global(g).variable;
            let same = global.ty == variable.ty
                && global.shape == variable.shape
                && global.order == variable.order;
            if !same {
                c.error(
                    At::whole(Element::Variable(v)),
                    &codes::ROLE,
                    format!(
                        "{name} differs from the global {} in type, shape or storage order",
                        Name(&global.name)
                    ),
                    "copy the global's declaration",
                );
            }
        }
        let is_tape = variable.ty == ScalarType::Tape;
        if is_tape && (variable.rank() > 0 || matches!(variable.role, Role::Global(_))) {
            c.error(
                at(v, Part::Type),
                &codes::TAPE_VARIABLE,
                format!("the tape {name} is an array or a global"),
                "declare the tape as a scalar parameter or local",
            );
        }
    }
}

/// The parameters: each variable with that role is in their list, once, and no other.
fn parameters(c: &mut Checker<'_>) {
    let routine = c.routine;
    let mut listed = vec![false; routine.variables.len()];
    for (i, &v) in routine.parameters.iter().enumerate() {
        let name = c.name(v);
        let (problem, help) = if std::mem::replace(&mut listed[v.index()], true) {
            (
                format!("the parameter {name} is listed twice"),
                "list it once",
            )
        } else {
            match c.variable(v).role {
                Role::Parameter { .. } => continue,
                Role::Local | Role::Global(_) => (
                    format!("{name} is listed as a parameter, but its role says otherwise"),
                    "give it the role of a parameter, or take it out of the list",
                ),
            }
        };
        let site = At::new(Element::Routine, Part::Parameters).index(i);
        c.error(site, &codes::PARAMETERS, problem, help);
    }
    for (i, variable) in routine.variables.iter().enumerate() {
        if is_parameter(variable) && !listed[i] {
            c.error(
                At::whole(Element::Variable(VarId::new(i))),
                &codes::PARAMETERS,
                format!(
                    "{} has the role of a parameter, but is not listed as one",
                    Name(&variable.name)
                ),
                "add it to the list `parameters`, at its place in the signature",
            );
        }
    }
}

fn body(c: &mut Checker<'_>) {
    let routine = c.routine;
    let problem = match (&routine.body, &routine.external) {
        (Some(_), Some(_)) => "the routine has a graph and is external",
        (None, None) if routine.derivatives.is_none() => "the routine has no graph",
        (Some(_), None) | (None, _) => return,
    };
    c.error(
        At::whole(Element::Routine),
        &codes::BODY,
        problem,
        "give it vertices and edges, or \"external\", not both",
    );
}

/// Extents and lower bounds: their types, and the variables that they may name.
fn extents(c: &mut Checker<'_>) {
    for i in 0..c.routine.variables.len() {
        let v = VarId::new(i);
        let variable = c.variable(v);
        if matches!(variable.role, Role::Global(_)) {
            continue;
        }
        for (k, dim) in variable.shape.iter().enumerate() {
            let site = at(v, Part::Shape).index(k);
            let extent = match &dim.extent {
                Extent::Fixed(e) => Some(e),
                Extent::Deferred => None,
            };
            for e in [Some(&dim.lower), extent].into_iter().flatten() {
                if let Some(found) = c.check_index(site, e)
                    && (found.ty.rank > 0 || !found.ty.ty.is_integer())
                {
                    c.error(
                        site,
                        &codes::EXTENT,
                        format!("an extent or bound of {} is {}", c.name(v), found.ty),
                        "write an integer scalar expression",
                    );
                }
                let mut bad = None;
                e.walk_places(&mut |place| {
                    let used = c.variable(place.var);
                    let undefined = match used.role {
                        Role::Local => true,
                        // The shape of an out parameter is known at entry, its value is not.
                        Role::Parameter { intent, .. } => intent == Intent::Out && used.rank() == 0,
                        Role::Global(_) => false,
                    };
                    if undefined {
                        bad = bad.or(Some(place.var));
                    }
                });
                if let Some(bad) = bad {
                    c.error(
                        site,
                        &codes::EXTENT,
                        format!(
                            "an extent or bound of {} uses {}, which has no value at entry",
                            c.name(v),
                            c.name(bad)
                        ),
                        "use constants, globals and in or inout parameters",
                    );
                }
            }
        }
    }
}

/// A shape that depends on itself through the shapes of other variables. Depth-first search with an
/// explicit stack over "the shape of a names b".
fn cyclic_extents(c: &mut Checker<'_>) {
    let n = c.routine.variables.len();
    let mut uses: Vec<Vec<usize>> = vec![Vec::new(); n];
    for (v, variable) in c.routine.variables.iter().enumerate() {
        for dim in &variable.shape {
            let mut add = |e: &crate::ir::Expr| {
                e.walk_places(&mut |p| {
                    if c.variable(p.var).rank() > 0 {
                        uses[v].push(p.var.index());
                    }
                });
            };
            add(&dim.lower);
            if let Extent::Fixed(e) = &dim.extent {
                add(e);
            }
        }
    }
    // 0 new, 1 on the stack, 2 done.
    let mut state = vec![0u8; n];
    let mut stack: Vec<(usize, usize)> = Vec::new();
    for root in 0..n {
        if state[root] == 0 {
            state[root] = 1;
            stack.push((root, 0));
        }
        while let Some(&mut (v, ref mut next)) = stack.last_mut() {
            let Some(&w) = uses[v].get(*next) else {
                state[v] = 2;
                stack.pop();
                continue;
            };
            *next += 1;
            match state[w] {
                0 => {
                    state[w] = 1;
                    stack.push((w, 0));
                }
                1 => {
                    let (v, w) = (VarId::new(v), VarId::new(w));
                    c.error(
                        at(v, Part::Shape),
                        &codes::EXTENT,
                        format!(
                            "the shape of {} depends on itself through {}",
                            c.name(v),
                            c.name(w)
                        ),
                        "give one of the arrays an extent that names no array",
                    );
                }
                _ => {}
            }
        }
    }
}

fn result(c: &mut Checker<'_>) {
    let Some(v) = c.routine.result else { return };
    let variable = c.variable(v);
    if variable.role != Role::Local || variable.ty == ScalarType::Tape {
        c.error(
            At::whole(Element::Variable(v)),
            &codes::RESULT,
            format!(
                "the result {} is not a local variable with a value",
                c.name(v)
            ),
            "declare a variable of its own for the result",
        );
    }
}

/// Independents and dependents.
fn roots(c: &mut Checker<'_>) {
    let lists = [
        (Part::Independents, &c.routine.independents, true),
        (Part::Dependents, &c.routine.dependents, false),
    ];
    for (part, list, independent) in lists {
        let mut seen = HashSet::new();
        for (i, &v) in list.iter().enumerate() {
            let variable = c.variable(v);
            let name = c.name(v);
            let what = if independent {
                "independent"
            } else {
                "dependent"
            };
            // The objects to which a pointer leads exist at entry and at exit, so a local pointer may be listed.
            let leads_to_reals = c.program.leads_to_reals(variable.ty);
            let is_parameter = matches!(variable.role, Role::Parameter { .. });
            let (problem, help) = if !leads_to_reals && !c.program.has_reals(variable.ty) {
                (
                    format!("the {what} {name} is {}", variable.ty.name()),
                    "only real variables have derivatives: remove it from the list",
                )
            } else if !seen.insert(v) {
                (format!("the {what} {name} is listed twice"), "list it once")
            } else if leads_to_reals && is_parameter {
                continue;
            } else {
                match (variable.role, independent) {
                    (Role::Global(_), _) => continue,
                    (Role::Parameter { intent, .. }, true) if intent != Intent::Out => continue,
                    (Role::Parameter { intent, .. }, false) if intent.writes() => continue,
                    (Role::Local, false) if c.routine.result == Some(v) => continue,
                    (Role::Parameter { .. }, true) => (
                        format!("the independent {name} is an out parameter"),
                        "declare it inout if it brings a value in",
                    ),
                    (Role::Parameter { .. }, false) => (
                        format!("the dependent {name} is an in parameter"),
                        "declare it out or inout if it brings a value out",
                    ),
                    (Role::Local, _) => (
                        format!("the {what} {name} is a local variable"),
                        "independents and dependents are parameters or globals (dependents also the result)",
                    ),
                }
            };
            c.error(
                At::new(Element::Routine, part).index(i),
                &codes::INDEPENDENT,
                problem,
                help,
            );
        }
    }
}

fn external(c: &mut Checker<'_>) {
    let Some(external) = &c.routine.external else {
        return;
    };
    let at = |part| At::new(Element::Routine, part);
    let Some(result) = c.routine.result else {
        if external.value.is_some() || external.partials.is_some() {
            c.error(
                at(Part::External),
                &codes::EXTERNAL,
                "a routine without result has a value or partials",
                "declare the function's result, or remove value and partials",
            );
        }
        return;
    };
    let Some(result) = c.check_place(at(Part::External), &Place::whole(result)) else {
        return;
    };
    let mut seen = HashSet::new();
    if let Some(value) = &external.value {
        only_parameters(c, at(Part::ExternalValue), value);
        let found = c.check_expr(at(Part::ExternalValue), value);
        mismatch(c, at(Part::ExternalValue), "value", found, &result);
    }
    for partial in external.partials.iter().flatten() {
        let site = at(Part::Partials);
        let parameter = c.variable(partial.parameter);
        let name = c.name(partial.parameter);
        let is_parameter = is_parameter(parameter);
        if !is_parameter || !parameter.ty.is_real() || !seen.insert(partial.parameter) {
            c.error(
                site,
                &codes::EXTERNAL,
                format!("{name} is not a real parameter, or has two partials"),
                "give one partial per real parameter",
            );
            continue;
        }
        only_parameters(c, site, &partial.value);
        let found = c.check_expr(site, &partial.value);
        let Some(parameter) = c.check_place(site, &Place::whole(partial.parameter)) else {
            continue;
        };
        let help = "give `derivatives`, routines for the adjoint and the tangent: partials of arrays are those of each element by its like";
        if result.ty.rank > 0 && ![0, result.ty.rank].contains(&parameter.ty.rank) {
            let (rank, of) = (parameter.ty.rank, result.ty.rank);
            let message = format!("{name} of rank {rank} has no partial of a result of rank {of}");
            c.error(site, &codes::EXTERNAL, message, help);
            continue;
        }
        if let Some((extent, of)) = parameter.differs(&result) {
            let message = format!(
                "{name} has extent {extent} where the result has {of}: there is no partial of elements that have no like"
            );
            c.error(site, &codes::EXTERNAL, message, help);
            continue;
        }
        let of = if result.ty.rank == 0 {
            &parameter
        } else {
            &result
        };
        let wanted = Shaped {
            ty: Type {
                ty: result.ty.ty,
                rank: of.ty.rank,
            },
            dims: of.dims.clone(),
        };
        mismatch(
            c,
            site,
            &format!("partial with respect to {name}"),
            found,
            &wanted,
        );
    }
}

fn mismatch(c: &mut Checker<'_>, site: At, what: &str, found: Option<Shaped>, wanted: &Shaped) {
    let Some(found) = found else { return };
    let (has, must) = (found.ty, wanted.ty);
    if has.ty != must.ty || (has.rank != must.rank && has.rank != 0) {
        c.error(
            site,
            &codes::EXTERNAL,
            format!("the {what} is {has}, it must be {must}"),
            "write an expression of that type, converting with [\"real\", e], in text real(e), where needed",
        );
    } else if let Some((has, must)) = found.differs(wanted) {
        c.error(
            site,
            &codes::SHAPE,
            format!("the {what} has extent {has} where the extent must be {must}"),
            "use sections of the same shape",
        );
    }
}

fn is_parameter(variable: &Variable) -> bool {
    matches!(variable.role, Role::Parameter { .. })
}

fn only_parameters(c: &mut Checker<'_>, site: At, e: &crate::ir::Expr) {
    let mut other = None;
    e.walk_places(&mut |p| {
        if !is_parameter(c.variable(p.var)) {
            other = other.or(Some(p.var));
        }
    });
    if let Some(other) = other {
        c.error(
            site,
            &codes::EXTERNAL,
            format!(
                "the expression uses {}, which is not a parameter",
                c.name(other)
            ),
            "use the parameters of the external function only",
        );
    }
}
