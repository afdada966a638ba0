//! Routines and programs.

use super::{Name, Printer, body, expr, name::write_quoted};
use crate::ir::{
    Arm, CaseRange, Cfg, Control, Dim, Expr, Extent, LoopTest, Order, Program, Role, Routine,
    Selector, Variable, Vertex, VertexKind,
};
use crate::{entity::EdgeId, structure::Structure};
use std::fmt::{self, Write};

pub(super) fn write_program(out: &mut impl Write, program: &Program) -> fmt::Result {
    // Expressions of globals are constants, so any routine serves to print them.
    let nothing = Routine::default();
    let p = Printer::exact(program, &nothing);
    for global in &program.globals {
        out.write_str("global ")?;
        write_variable(out, &p, &global.variable)?;
        if let Some(initial) = &global.initial {
            out.write_str(" = ")?;
            write_separated(out, initial, |out, e| {
                expr::write(out, &p, e, expr::LOOSEST, 0)
            })?;
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
        if i > 0 || !program.globals.is_empty() {
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
    for (i, v) in routine
        .variables
        .iter()
        .enumerate()
        .skip(routine.parameters)
    {
        if Some(i) == result {
            continue;
        }
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
            writeln!(out, "  value {}", p.expr(value))?;
        }
        if external.partials.as_ref().is_some_and(Vec::is_empty) {
            out.write_str("  partials 0\n")?;
        }
        for partial in external.partials.iter().flatten() {
            out.write_str("  partial ")?;
            expr::write_variable(out, &p, partial.parameter)?;
            writeln!(out, ": {}", p.expr(&partial.value))?;
        }
    }
    if let Some(cfg) = &routine.body {
        let structure = match routine.control {
            Control::Structured => Structure::of(cfg).ok(),
            Control::General => None,
        };
        match structure.filter(|structure| body::is_plain(cfg, structure)) {
            Some(structure) => body::write(out, &p, cfg, &structure)?,
            None => write_graph(out, &p, cfg)?,
        }
    }
    out.write_str("end\n")
}

/// The result, if it is the last variable and a local: its type stands in the head then.
fn own_result(routine: &Routine) -> Option<usize> {
    let result = routine.result?.index();
    let variable = routine.variables.get(result)?;
    let last = result + 1 == routine.variables.len() && result >= routine.parameters;
    (last && variable.role == Role::Local).then_some(result)
}

fn write_head(out: &mut impl Write, p: &Printer<'_>, own_result: Option<usize>) -> fmt::Result {
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
    for (i, v) in routine
        .variables
        .iter()
        .take(routine.parameters)
        .enumerate()
    {
        if i > 0 {
            out.write_str(", ")?;
        }
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
    if let Some(variable) = own_result.and_then(|v| routine.variables.get(v)) {
        out.write_str(" result ")?;
        write_variable(out, p, variable)?;
    } else if let Some(result) = routine.result {
        out.write_str(" result ")?;
        expr::write_variable(out, p, result)?;
    }
    write_origin(out, routine.origin.as_deref())?;
    out.write_char('\n')
}

/// `real x[2, n from 0] column {adjoint of y}`.
fn write_variable(out: &mut impl Write, p: &Printer<'_>, v: &Variable) -> fmt::Result {
    write!(out, "{} {}", v.ty.name(), Name(&v.name))?;
    if !v.shape.is_empty() {
        out.write_char('[')?;
        write_separated(out, &v.shape, |out, dim| write_dim(out, p, dim))?;
        out.write_char(']')?;
        if v.order == Order::Column {
            out.write_str(" column")?;
        }
    }
    write_origin(out, v.origin.as_deref())
}

/// `n` for 1 to n, `n from 0` for n elements from 0, `:` where the extent comes from elsewhere.
fn write_dim(out: &mut impl Write, p: &Printer<'_>, dim: &Dim) -> fmt::Result {
    match &dim.extent {
        Extent::Fixed(e) => expr::write(out, p, e, expr::LOOSEST, 0)?,
        Extent::Deferred => out.write_char(':')?,
    }
    if dim.lower == Expr::Int(1) {
        return Ok(());
    }
    out.write_str(" from ")?;
    expr::write(out, p, &dim.lower, expr::LOOSEST, 0)
}

fn write_origin(out: &mut impl Write, origin: Option<&(String, String)>) -> fmt::Result {
    let Some((name, role)) = origin else {
        return Ok(());
    };
    out.write_str(" {")?;
    let plain = |word: &str| !word.is_empty() && word.bytes().all(|b| b.is_ascii_lowercase());
    let mut words = role.split(' ');
    if words.all(|word| word != "of" && word.split('-').all(plain)) {
        out.write_str(role)?;
    } else {
        write_quoted(out, role)?;
    }
    if !name.is_empty() {
        write!(out, " of {}", Name(name))?;
    }
    out.write_char('}')
}

/// Whether edges are written with their ids. An edge without one has the id of its position, which reading may
/// change: if one edge has an id, all are written with theirs.
#[derive(Clone, Copy)]
pub(super) struct EdgeIds(bool);

impl EdgeIds {
    pub(super) fn of(cfg: &Cfg) -> Self {
        Self(cfg.edges().any(|(_, edge)| edge.id.is_some()))
    }

    pub(super) fn id(self, cfg: &Cfg, e: EdgeId) -> Option<i64> {
        self.0.then(|| cfg.edge(e).id.unwrap_or(e.index() as i64))
    }
}

fn write_graph(out: &mut impl Write, p: &Printer<'_>, cfg: &Cfg) -> fmt::Result {
    let ids = EdgeIds::of(cfg);
    for (v, vertex) in cfg.vertices() {
        write!(out, "{:>5} {}", vertex.id, vertex.vertex_type().name())?;
        if matches!(vertex.kind, VertexKind::Loop { .. } | VertexKind::Branch(_)) {
            write!(out, " {}", p.decision(vertex))?;
        }
        for (i, &e) in cfg.out_edges(v).iter().enumerate() {
            let edge = cfg.edge(e);
            out.write_str(if i == 0 { " -> " } else { ", " })?;
            write!(out, "{}", cfg.vertex(edge.to).id)?;
            if let Some(label) = edge.label {
                write!(out, " [{label}]")?;
            }
            if let Some(id) = ids.id(cfg, e) {
                write!(out, " #{id}")?;
            }
        }
        if let Some(origin) = vertex.origin {
            write!(out, " {{{} of {}}}", origin.role.name(), origin.vertex)?;
        }
        out.write_char('\n')?;
        for s in vertex.statements() {
            writeln!(out, "          {}", p.stmt(s))?;
        }
    }
    Ok(())
}

pub(super) fn write_decision(
    out: &mut impl Write,
    p: &Printer<'_>,
    vertex: &Vertex,
) -> fmt::Result {
    match &vertex.kind {
        VertexKind::Loop { test, .. } => match &**test {
            LoopTest::Pre(condition) => write!(out, "while {}", p.expr(condition)),
            LoopTest::Post(condition) => write!(out, "again while {}", p.expr(condition)),
            LoopTest::Counted {
                index,
                first,
                last,
                step,
            } => {
                expr::write_variable(out, p, *index)?;
                write!(out, " = {}, {}", p.expr(first), p.expr(last))?;
                if *step != Expr::Int(1) {
                    write!(out, ", {}", p.expr(step))?;
                }
                Ok(())
            }
        },
        VertexKind::Branch(selector) => match &**selector {
            Selector::Condition(condition) => write!(out, "{}", p.expr(condition)),
            Selector::Cases { value, arms } => {
                write!(out, "select {}:", p.expr(value))?;
                for (i, arm) in arms.iter().enumerate() {
                    write!(out, "{} [{}]", if i == 0 { "" } else { ";" }, arm.label)?;
                    if arm.default || !arm.cases.is_empty() {
                        write!(out, " {}", Cases(arm))?;
                    }
                }
                Ok(())
            }
        },
        VertexKind::Entry
        | VertexKind::Exit
        | VertexKind::Block(_)
        | VertexKind::EndLoop
        | VertexKind::EndBranch => Ok(()),
    }
}

/// What leads to an arm of a multi-way branch: values, ranges, `default`.
pub struct Cases<'a>(pub &'a Arm);

impl fmt::Display for Cases<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (k, case) in self.0.cases.iter().enumerate() {
            if k > 0 {
                f.write_str(", ")?;
            }
            write_case(f, case)?;
        }
        match (self.0.default, self.0.cases.is_empty()) {
            (true, true) => f.write_str("default"),
            (true, false) => f.write_str(", default"),
            (false, _) => Ok(()),
        }
    }
}

fn write_case(out: &mut impl Write, case: &CaseRange) -> fmt::Result {
    match (case.lower, case.upper) {
        (Some(a), Some(b)) if a == b => write!(out, "{a}"),
        (Some(a), Some(b)) => write!(out, "{a}..{b}"),
        (Some(a), None) => write!(out, "{a}.."),
        (None, Some(b)) => write!(out, "..{b}"),
        (None, None) => out.write_str(".."),
    }
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
