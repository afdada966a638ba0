//! Texts that matter to the results: those that are still named after all printing has been left out, such as the
//! names in a table that `strcmp` searches. Each becomes a constant global array, one for all equal texts. Functions
//! of the library that read and write texts are those written in C.

use crate::{
    ast::{Decl, DeclId, DeclKind, ExprId, ExprKind, Init, Unit, new_decl},
    calls::{initial_expressions, names, reachable},
    library,
    math::How,
    points::how_called,
    types::{Arith, Int, Qualified, Type},
};
use cfg_core::ir::{Expr, Subscript};
use std::{
    collections::{BTreeMap, BTreeSet},
    rc::Rc,
};

/// Makes arrays of the texts that the functions `roots` reach.
pub(crate) fn keep(unit: &mut Unit, roots: &[usize]) {
    library::define_texts(unit);
    let mut arrays: BTreeMap<Rc<[u8]>, DeclId> = BTreeMap::new();
    for e in named(unit, roots) {
        let ExprKind::Str(Some(text)) = &unit.expr(e).kind else {
            continue;
        };
        let text = Rc::clone(text);
        let d = match arrays.get(&text) {
            Some(d) => *d,
            None => declare(unit, &text, e),
        };
        arrays.insert(text, d);
        let node = &mut unit.exprs[e.index()];
        node.kind = ExprKind::Name(d);
        node.ty = Some(unit.decls[d.index()].ty.clone());
    }
}

/// The texts that are evaluated, without those that are only printed, or only tested for null.
fn named(unit: &Unit, roots: &[usize]) -> BTreeSet<ExprId> {
    let reached = reachable(unit, roots);
    let mut statements: Vec<_> = reached.iter().map(|f| unit.functions[*f].body).collect();
    let mut open = Vec::new();
    for d in names(unit, &reached) {
        open.extend(initial_expressions(unit, d));
    }
    let mut found = BTreeSet::new();
    loop {
        if let Some(s) = statements.pop() {
            statements.extend(unit.statements_inside(s));
            open.extend(unit.evaluated(s));
        }
        while let Some(e) = open.pop() {
            let mut operands = unit.operands(e);
            match &unit.expr(e).kind {
                ExprKind::Str(_) => {
                    found.insert(e);
                }
                ExprKind::Inlined(inlined) => {
                    statements.push(inlined.body);
                    operands.extend(inlined.value);
                }
                ExprKind::Call(..) => match how_called(unit, e) {
                    Some(How::Assert) => operands.truncate(2),
                    Some(how) if prints(how) => operands.retain(|a| unit.expr(*a).effects),
                    Some(_) | None => {}
                },
                _ => {}
            }
            let asked: Vec<ExprId> = unit.asked_operands(e).collect();
            let is_text = |e: ExprId| matches!(unit.expr(e).kind, ExprKind::Str(_));
            open.extend((operands.into_iter()).filter(|e| !(is_text(*e) && asked.contains(e))));
        }
        if statements.is_empty() {
            return found;
        }
    }
}

/// True of functions of the library that compute nothing with their arguments.
fn prints(how: How) -> bool {
    how.is_without_use() || matches!(how, How::AssertionFailed | How::Text)
}

/// Declares the array of a text, with the 0 at its end.
fn declare(unit: &mut Unit, text: &[u8], e: ExprId) -> DeclId {
    let (at, from) = (unit.expr(e).at, unit.expr(e).from);
    let mut number = |value: usize| {
        let kind = ExprKind::Int(value as i128, Arith::INT);
        unit.push(kind, at, from)
    };
    let extent = number(text.len() + 1);
    let parts = (0..).zip(text).map(|(k, byte)| {
        let steps = vec![Subscript::Index(Expr::Int(k))];
        (steps, number(usize::from(*byte)))
    });
    let init = Init::Parts(parts.collect());
    let char = Qualified {
        constant: true,
        ..Qualified::unqualified(Type::Arith(Arith::Int(Int::Char)))
    };
    let ty = Qualified::unqualified(Type::Array(Rc::new(char), Some(extent)));
    unit.decls.push(Decl {
        init: Some(init),
        internal: true,
        ..new_decl(&Rc::from("text"), DeclKind::Global, ty, at)
    });
    DeclId(unit.decls.len() as u32 - 1)
}
