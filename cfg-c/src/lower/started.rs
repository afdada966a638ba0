//! Initial values of globals and static variables that are no numbers: pointers to other variables, and structures.
//!
//! The function to differentiate assigns them at the beginning of its first call; a flag, kept between calls, says
//! that this has been done.

use super::{Lower, routine::Body};
use crate::{
    ast::{Binary, DeclId, DeclKind, ExprId, ExprKind, Unary, Unit},
    calls, constant, points,
    types::Type,
};
use cfg_core::{
    builder::VarType,
    ir::{Expr, Op, ScalarType},
};
use std::collections::{BTreeSet, HashSet};

/// The variables that are used other than by reading or writing a number in them, in functions or in initial values
/// of named variables.
pub(super) fn pointed(
    unit: &Unit,
    functions: &[usize],
    named: &BTreeSet<DeclId>,
) -> HashSet<DeclId> {
    let parts = (functions.iter()).flat_map(|f| unit.functions[*f].part.clone());
    let mut all: Vec<ExprId> = parts.map(ExprId).collect();
    all.extend((named.iter()).flat_map(|d| calls::initial_expressions(unit, *d)));
    let (mut numbers, mut addresses) = (HashSet::new(), HashSet::new());
    for &e in &all {
        let node = unit.expr(e);
        if let ExprKind::Unary(Unary::Address, of) = node.kind {
            addresses.extend(base(unit, of));
        } else if node.ty.as_ref().and_then(|ty| ty.arith()).is_some() {
            numbers.extend(base(unit, e));
        }
    }
    let mut found = HashSet::new();
    for e in all {
        if let ExprKind::Name(d) = unit.expr(e).kind
            && (!numbers.contains(&e) || addresses.contains(&e))
        {
            found.insert(d);
        }
    }
    found
}

/// The name at the beginning of a place; `None` if a pointer leads to it.
fn base(unit: &Unit, e: ExprId) -> Option<ExprId> {
    let mut place = e;
    loop {
        place = match &unit.expr(place).kind {
            ExprKind::Name(_) => return Some(place),
            ExprKind::Member(of, _, false) => *of,
            ExprKind::Index(a, _) if matches!(unit.expr(*a).ty.as_ref()?.ty, Type::Array(..)) => *a,
            _ => return None,
        };
    }
}

/// True of an address that is known before the program runs: that of a global or static variable or of a part of one,
/// null, or a text.
pub(super) fn is_address(unit: &Unit, e: ExprId) -> bool {
    let mut open = e;
    // True while the expression stands for the place itself; false if it stands for where the pointer in the place
    // leads.
    let mut pointed = true;
    loop {
        let node = unit.expr(open);
        let is_array = unit.is_array(open);
        pointed &= !is_array;
        let constant = |e: ExprId| constant::number(unit, e).is_some();
        open = match &node.kind {
            _ if pointed && points::is_null(unit, open) => return true,
            ExprKind::Str(_) => return true,
            ExprKind::Name(d) => {
                let kind = &unit.decl(*d).kind;
                return !pointed && matches!(kind, DeclKind::Global | DeclKind::Static);
            }
            ExprKind::Cast(_, a) if pointed => *a,
            ExprKind::Binary(Binary::Add | Binary::Sub, a, b) if pointed && constant(*b) => *a,
            ExprKind::Binary(Binary::Add, a, b) if pointed && constant(*a) => *b,
            ExprKind::Unary(Unary::Address, of) if pointed => {
                pointed = false;
                *of
            }
            ExprKind::Unary(Unary::Deref, a) if !pointed => {
                pointed = true;
                *a
            }
            ExprKind::Index(a, k) if !pointed && constant(*k) => {
                pointed = true;
                *a
            }
            ExprKind::Member(a, _, arrow) if !pointed => {
                pointed = *arrow;
                *a
            }
            _ => return false,
        };
    }
}

/// Declares the flag, if some variable needs it.
pub(super) fn flag(l: &mut Lower<'_>) {
    if l.started.is_empty() {
        return;
    }
    let mut name = "started".to_owned();
    while !l.global_names.insert(name.clone()) {
        name.push('_');
    }
    let flag = l.program.global(name, VarType::from(ScalarType::Logical));
    l.program.initialize(flag, [Expr::Logical(false)]);
    l.flag = Some(flag);
}

impl Body<'_, '_> {
    /// Gives the variables their initial values.
    pub(super) fn initialise_variables(&mut self) {
        let Some(flag) = self
            .l
            .flag
            .filter(|_| self.l.heads.contains(&self.function))
        else {
            return;
        };
        let flag = self.f.global(self.l.program.program(), flag);
        self.set_span();
        self.f.begin_if(Expr::op(Op::Not, [Expr::var(flag)]));
        self.assign(flag, Expr::Logical(true));
        for d in self.l.started.clone() {
            let at = self.l.unit.decl(d).at;
            self.span = at.span_to(at);
            // A problem has been reported; the other variables are checked all the same.
            let done = self.initialise_variable(d);
            self.report_untold(&done, at);
        }
        self.set_span();
        self.f.end_if();
        self.span = None;
    }
}
