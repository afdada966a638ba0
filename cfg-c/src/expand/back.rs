//! Pointers before the arrays that they lead to, as `a - 1` for subscripts from 1: a function that is given one stands in place of its
//! call, where such a pointer is a variable like others. A call hands on parts of arrays. So does one that is given pointers to rows of one block,
//! and one that uses elements before the one that it is given a pointer to.

use super::Expand;
use crate::{
    ast::{Binary, DeclId, ExprId, ExprKind, Init, Unary, Unit},
    blocks, constant,
};
use std::collections::{HashMap, HashSet};

/// Expressions that are looked at for one pointer.
const MAX_PARTS: usize = 1000;

/// How a pointer has been moved.
#[derive(Clone, Copy, Default)]
struct Moves {
    back: bool,
    /// By a number that may be large.
    forth: bool,
}

/// True of a pointer that may lie before the array that it leads to: it has been moved back, and forth at most by a constant.
/// `known` are parameters that are such.
pub(super) fn goes_back(unit: &Unit, e: ExprId, known: &HashSet<DeclId>) -> bool {
    let mut moves = Moves::default();
    let (mut variables, mut functions) = (HashSet::new(), HashSet::new());
    let mut open = vec![e];
    let mut count = 0;
    let by = |e: ExprId| constant::integer(unit, e).map(|(value, _)| value);
    while let Some(e) = open.pop() {
        count += 1;
        if count > MAX_PARTS || moves.forth {
            return false;
        }
        match &unit.expr(e).kind {
            ExprKind::Name(d) if unit.is_pointer(e) && variables.insert(*d) => {
                moves.back |= known.contains(d);
                let decl = unit.decl(*d);
                if let Some(Init::Expr(e)) = decl.init {
                    open.push(e);
                }
                open.extend(&decl.assigned);
            }
            ExprKind::Cast(_, a)
            | ExprKind::Binary(Binary::Comma, _, a)
            | ExprKind::Assign(None, _, a) => open.push(*a),
            ExprKind::Conditional(_, a, b) => open.extend([*a, *b]),
            ExprKind::Binary(op @ (Binary::Add | Binary::Sub), a, b)
            | ExprKind::Assign(Some(op @ (Binary::Add | Binary::Sub)), a, b) => {
                let (p, k) = if unit.is_pointer(*a) {
                    (*a, *b)
                } else {
                    (*b, *a)
                };
                match (op, by(k)) {
                    (Binary::Sub, None) => moves.back = true,
                    (Binary::Sub, Some(k)) => moves.back |= k > 0,
                    (_, None) => moves.forth = true,
                    (_, Some(k)) => moves.back |= k < 0,
                }
                open.push(p);
            }
            ExprKind::Step { of, up, .. } => {
                moves.back |= !up;
                moves.forth |= up;
                open.push(*of);
            }
            ExprKind::Unary(Unary::Address, a) => {
                if let ExprKind::Index(p, k) = unit.expr(*a).kind {
                    match by(k) {
                        Some(k) => moves.back |= k < 0,
                        None => moves.forth = true,
                    }
                    open.push(p);
                }
            }
            ExprKind::Call(..) => {
                if let Some((g, _)) = unit.own_call(e)
                    && functions.insert(g)
                {
                    open.extend(unit.returned(g));
                }
            }
            _ => {}
        }
    }
    moves.back && !moves.forth
}

/// True of a variable with pointers to rows that are not stored.
pub(super) fn is_table(unit: &Unit, e: ExprId) -> bool {
    matches!(unit.expr(e).kind, ExprKind::Name(d) if blocks::may_be(unit, d))
}

/// True if a function hands such a pointer on to one of the file.
pub(super) fn hands_on(unit: &Unit, f: usize) -> bool {
    let none = HashSet::new();
    unit.functions[f].part.clone().any(|k| {
        unit.own_call(ExprId(k)).is_some_and(|(_, arguments)| {
            let on = |a: &ExprId| goes_back(unit, *a, &none) || is_table(unit, *a);
            arguments.iter().any(|a| unit.is_pointer(*a) && on(a))
        })
    })
}

/// A parameter: the function, and its position.
pub(super) type Position = (usize, usize);

/// Parameters of which an element before the one that they point to is used, `u[-1]`, here or where they are handed on as they are.
pub(super) fn before_start(unit: &Unit) -> HashSet<Position> {
    let mut position = HashMap::new();
    for (f, function) in unit.functions.iter().enumerate() {
        for (k, d) in function.parameters.iter().enumerate() {
            // One that walks may have left the first element.
            if unit.decl(*d).assigned.is_empty() {
                position.insert(*d, (f, k));
            }
        }
    }
    let own = |e: ExprId| match unit.expr(e).kind {
        ExprKind::Name(d) => position.get(&d).copied(),
        _ => None,
    };
    let negative = |e: ExprId| constant::integer(unit, e).is_some_and(|(value, _)| value < 0);
    let mut handed: HashMap<Position, Vec<Position>> = HashMap::new();
    let mut open = Vec::new();
    for e in (0..unit.exprs.len()).map(|e| ExprId(e as u32)) {
        if let ExprKind::Index(p, k) = unit.expr(e).kind
            && negative(k)
        {
            open.extend(own(p));
        }
        for (to, a) in given(unit, e) {
            if let Some(from) = own(a) {
                handed.entry(to).or_default().push(from);
            }
        }
    }
    let mut found = HashSet::new();
    while let Some(p) = open.pop() {
        if found.insert(p) {
            open.extend(handed.get(&p).into_iter().flatten());
        }
    }
    found
}

/// The arguments of a call of a function of the file, with the parameters that they are for.
fn given(unit: &Unit, call: ExprId) -> impl Iterator<Item = (Position, ExprId)> {
    let calls = unit.own_call(call).into_iter();
    calls.flat_map(|(g, arguments)| {
        let arguments = arguments.iter().enumerate();
        arguments.map(move |(k, a)| ((g, k), *a))
    })
}

impl Expand<'_> {
    /// True if a function calls one that uses an element before the one that it is given a pointer to.
    pub(super) fn hands_before(&self, f: usize) -> bool {
        let mut part = self.unit.functions[f].part.clone();
        part.any(|k| given(self.unit, ExprId(k)).any(|(p, _)| self.before.contains(&p)))
    }

    /// True if a function can stand in place of a call that could do without.
    pub(super) fn may_inline(&self, g: usize) -> bool {
        self.read[g].given.is_none() && !self.stack.contains(&g) && self.fits(g)
    }
}
