//! Warnings for results that a routine should compute and no statement assigns.

use super::{
    checker::{At, Checker},
    definition::{Event, header_events, statement_events},
};
use crate::diagnostic::site::Element;
use crate::{
    codes,
    entity::VarId,
    ir::{Intent, Role, ScalarType, StmtKind, VertexKind},
};

/// Warns of results, `out` parameters and dependents that no statement assigns. Generated routines are skipped: their
/// originals have the warning.
pub(super) fn check(c: &mut Checker<'_>) {
    let routine = c.routine;
    let Some(cfg) = &routine.body else { return };
    if routine.origin.is_some() || routine.aliased {
        return;
    }
    let mut wanted = vec![false; routine.variables.len()];
    for v in routine.dependents.iter().chain(&routine.result) {
        if let Some(wanted) = wanted.get_mut(v.index()) {
            *wanted = true;
        }
    }
    for (v, variable) in routine.variables.iter().enumerate() {
        wanted[v] |= variable.intent() == Some(Intent::Out);
        // The objects behind a dependent pointer may be assigned through other pointers and by calls.
        let pointer = matches!(variable.ty, ScalarType::Pointer(_));
        wanted[v] &=
            variable.ty != ScalarType::Tape && !(pointer && routine.result != Some(VarId::new(v)));
    }
    let mut calls = false;
    for (_, vertex) in cfg.vertices() {
        let mut event = |event| {
            if let Event::Define(v) = event
                && let Some(wanted) = wanted.get_mut(v.index())
            {
                *wanted = false;
            }
        };
        for statement in vertex.statements() {
            calls |= matches!(statement.kind, StmtKind::Call { .. });
            statement_events(c.program, statement, &mut event);
        }
        if let VertexKind::Loop { test, .. } = &vertex.kind {
            header_events(test, &mut |x, _| event(x));
        }
    }
    for (v, variable) in routine.variables.iter().enumerate() {
        // A routine that is called may assign the global, under any name.
        let global = matches!(variable.role, Role::Global(_));
        if !wanted[v] || (global && calls) {
            continue;
        }
        let v = VarId::new(v);
        let name = c.name(v);
        let (message, help) = if routine.result == Some(v) {
            (
                format!("nothing assigns {name}, the result of the function"),
                format!("assign {name} on every path to EXIT"),
            )
        } else if variable.intent() == Some(Intent::Out) {
            (
                format!("nothing assigns the out parameter {name}"),
                format!("assign {name}, or declare it in"),
            )
        } else {
            (
                format!("nothing assigns the dependent {name}"),
                format!("assign {name}, or take it from the dependents"),
            )
        };
        c.warning(
            At::whole(Element::Variable(v)),
            &codes::UNASSIGNED,
            message,
            help,
        );
    }
}
