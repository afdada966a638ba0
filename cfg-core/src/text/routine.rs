//! Routines and programs.

use super::precedence::LOOSEST;
use super::{Name, Printer, body, expr, graph, name::write_quoted};
use crate::entity::VarId;
use crate::ir::{Control, Dim, Expr, Extent, NameOrigin, Order, Program, Role, Routine, Variable};
use crate::structure::Structure;
use std::fmt::{self, Write};

pub(super) fn write_program(out: &mut impl Write, program: &Program) -> fmt::Result {
    // Expressions of globals are constants, so any routine serves to print them.
    let nothing = Routine::default();
    let p = Printer::exact(program, &nothing);
    for source in &program.sources {
        out.write_str("source ")?;
        write_quoted(out, source)?;
        out.write_char('\n')?;
    }
    for (i, record) in program.records.iter().enumerate() {
        if i > 0 || !program.sources.is_empty() {
            out.write_char('\n')?;
        }
        writeln!(out, "record {}", Name(&record.name))?;
        for field in &record.fields {
            out.write_str("  ")?;
            expr::write_type(out, &p, field.ty)?;
            write!(out, " {}", Name(&field.name))?;
            write_shape(out, &p, &field.shape)?;
            out.write_char('\n')?;
        }
        out.write_str("end\n")?;
    }
    if !program.records.is_empty() && !program.globals.is_empty() {
        out.write_char('\n')?;
    }
    for global in &program.globals {
        out.write_str("global ")?;
        write_variable(out, &p, &global.variable)?;
        if let Some(initial) = &global.initial {
            out.write_str(" = ")?;
            write_separated(out, initial, |out, e| expr::write(out, &p, e, LOOSEST, 0))?;
        }
        if let Some(overlay) = global.overlay {
            match program.globals.get(overlay.base.index()) {
                Some(base) => write!(out, " overlays {}", Name(&base.variable.name))?,
                None => write!(out, " overlays {}?", overlay.base)?,
            }
            write!(out, " at {}", overlay.offset)?;
        }
        out.write_char('\n')?;
    }
    for (i, routine) in program.routines.iter().enumerate() {
        let first = program.globals.is_empty() && program.records.is_empty();
        if i > 0 || !first || !program.sources.is_empty() {
            out.write_char('\n')?;
        }
        if program.main.is_some_and(|main| main.index() == i) {
            out.write_str("main ")?;
        }
        write(out, program, routine)?;
    }
    Ok(())
}

pub(super) fn write(out: &mut impl Write, program: &Program, routine: &Routine) -> fmt::Result {
    let p = Printer::exact(program, routine);
    let result = own_result(routine);
    write_head(out, &p, result)?;
    for id in routine.non_parameter_ids() {
        if Some(id) == result {
            continue;
        }
        let v = routine.variable(id);
        match v.role {
            Role::Global(id) => {
                out.write_str("  uses ")?;
                match program.globals.get(id.index()) {
                    Some(global) => writeln!(out, "{}", Name(&global.variable.name))?,
                    None => writeln!(out, "{id}?")?,
                }
                continue;
            }
            Role::Local => out.write_str("  local ")?,
            Role::Parameter { .. } => out.write_str("  parameter ")?,
        }
        write_variable(out, &p, v)?;
        out.write_char('\n')?;
    }
    for (word, list) in [
        ("independent", &routine.independents),
        ("dependent", &routine.dependents),
    ] {
        if !list.is_empty() {
            write!(out, "  {word} ")?;
            write_separated(out, list, |out, &v| expr::write_variable(out, &p, v))?;
            out.write_char('\n')?;
        }
    }
    if let Some(derivatives) = routine.derivatives.as_deref() {
        for (word, id) in [
            ("tangent", derivatives.tangent),
            ("adjoint", derivatives.adjoint),
        ] {
            if let Some(r) = id.and_then(|id| program.routines.get(id.index())) {
                writeln!(out, "  {word} {}", Name(&r.name))?;
            }
        }
    }
    if let Some(external) = routine.external.as_deref() {
        if let Some(value) = &external.value {
            writeln!(out, "  value {}", p.display_expr(value))?;
        }
        if external.partials.as_ref().is_some_and(Vec::is_empty) {
            out.write_str("  partials 0\n")?;
        }
        for partial in external.partials.iter().flatten() {
            out.write_str("  partial ")?;
            expr::write_variable(out, &p, partial.parameter)?;
            writeln!(out, ": {}", p.display_expr(&partial.value))?;
        }
    }
    if let Some(cfg) = &routine.body {
        let structure = match routine.control {
            // An invalid program may declare a graph structured that does not nest; it is printed as a graph.
            Control::Structured => Structure::compute(cfg).ok(),
            Control::General => None,
        };
        match structure.filter(|structure| body::is_plain(cfg, structure)) {
            Some(structure) => body::write(out, &p, cfg, &structure)?,
            None => graph::write(out, &p, cfg)?,
        }
    }
    out.write_str("end\n")
}

/// The result, if its type can stand in the head: it must be the last non-parameter and a local, and the routine must
/// have no origin and no span, which the parser would give to the result.
fn own_result(routine: &Routine) -> Option<VarId> {
    if routine.origin.is_some() || routine.at.is_some() {
        return None;
    }
    let last = routine.non_parameter_ids().pop()?;
    let own = routine.result == Some(last) && routine.variable(last).role == Role::Local;
    own.then_some(last)
}

fn write_head(out: &mut impl Write, p: &Printer<'_>, own_result: Option<VarId>) -> fmt::Result {
    let routine = p.routine;
    if routine.aliased {
        out.write_str("aliased ")?;
    }
    if routine.control == Control::General {
        out.write_str("general ")?;
    }
    if routine.body.is_none() {
        out.write_str("external ")?;
    }
    let kind = if routine.result.is_some() {
        "function"
    } else {
        "subroutine"
    };
    write!(out, "{kind} {}(", Name(&routine.name))?;
    for (i, id) in routine.parameter_ids().enumerate() {
        if i > 0 {
            out.write_str(", ")?;
        }
        let Some(v) = routine.variables.get(id.index()) else {
            write!(out, "{id}?")?;
            continue;
        };
        if let Role::Parameter { intent, optional } = v.role {
            write!(
                out,
                "{}{} ",
                if optional { "optional " } else { "" },
                intent.name()
            )?;
        }
        write_variable(out, p, v)?;
    }
    out.write_char(')')?;
    if let Some(variable) = own_result.map(|v| routine.variable(v)) {
        out.write_str(" result ")?;
        write_variable(out, p, variable)?;
    } else if let Some(result) = routine.result {
        out.write_str(" result ")?;
        expr::write_variable(out, p, result)?;
    }
    write_origin(out, routine.origin.as_deref())?;
    graph::write_span(out, &routine.at)?;
    out.write_char('\n')
}

fn write_shape(out: &mut impl Write, p: &Printer<'_>, shape: &[Dim]) -> fmt::Result {
    if shape.is_empty() {
        return Ok(());
    }
    out.write_char('[')?;
    write_separated(out, shape, |out, dim| write_dim(out, p, dim))?;
    out.write_char(']')
}

/// `real x[2, n from 0] column {adjoint of y}`.
fn write_variable(out: &mut impl Write, p: &Printer<'_>, v: &Variable) -> fmt::Result {
    expr::write_type(out, p, v.ty)?;
    write!(out, " {}", Name(&v.name))?;
    write_shape(out, p, &v.shape)?;
    // The order of a scalar means nothing, and is kept.
    if v.order == Order::Column {
        out.write_str(" column")?;
    }
    write_origin(out, v.origin.as_deref())?;
    graph::write_span(out, &v.at)
}

/// `n` for 1 to n, `n from 0` for n elements from 0, `:` where the extent comes from elsewhere.
fn write_dim(out: &mut impl Write, p: &Printer<'_>, dim: &Dim) -> fmt::Result {
    match &dim.extent {
        Extent::Fixed(e) => expr::write(out, p, e, LOOSEST, 0)?,
        Extent::Deferred => out.write_char(':')?,
    }
    if dim.lower == Expr::Int(1) {
        return Ok(());
    }
    out.write_str(" from ")?;
    expr::write(out, p, &dim.lower, LOOSEST, 0)
}

fn write_origin(out: &mut impl Write, origin: Option<&NameOrigin>) -> fmt::Result {
    let Some(origin) = origin else {
        return Ok(());
    };
    let (name, role) = (&origin.of, origin.role.name());
    out.write_str(" {")?;
    let plain = |word: &str| !word.is_empty() && word.bytes().all(|b| b.is_ascii_lowercase());
    let mut words = role.split(' ');
    if words.all(|word| !["of", "links"].contains(&word) && word.split('-').all(plain)) {
        out.write_str(role)?;
    } else {
        write_quoted(out, role)?;
    }
    if !name.is_empty() {
        write!(out, " of {}", Name(name))?;
    }
    for (k, link) in origin.links.iter().enumerate() {
        let before = if k == 0 { " links " } else { ", " };
        write!(out, "{before}{}", Name(link))?;
    }
    out.write_char('}')
}

fn write_separated<W: Write, T>(
    out: &mut W,
    items: &[T],
    mut each: impl FnMut(&mut W, &T) -> fmt::Result,
) -> fmt::Result {
    for (i, item) in items.iter().enumerate() {
        if i > 0 {
            out.write_str(", ")?;
        }
        each(out, item)?;
    }
    Ok(())
}
