//! Functions that must stand in place of their calls because of pointers that a call cannot pass. A call passes part
//! of an array, from the element that the pointer points to. Three kinds of arguments are no such parts: a pointer
//! before its array, as `a - 1` for subscripts from 1; pointers to rows of one block; and a pointer of which the
//! callee uses elements before it.

use super::Expand;
use crate::{
    ast::{Binary, DeclId, DeclKind, ExprId, ExprKind, Init, Unary, Unit},
    blocks, constant, points,
};
use std::collections::{HashMap, HashSet};

/// Most expressions that are followed for one pointer.
const MAX_PARTS: usize = 1000;

/// How a pointer has been moved.
#[derive(Clone, Copy, Default)]
struct Moves {
    back: bool,
    /// Forward, by a number that may be large.
    forth: bool,
}

/// True of a pointer that may lie before its array: it has been moved back, and forward at most by constants. `known`
/// has the parameters of which that is known.
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
                open.extend(given_to(unit, *d));
            }
            _ if follow(unit, e, &mut open) => {}
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
                    open.extend(unit.returned_exprs(g));
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

/// True if a function passes such a pointer to a function of the file.
pub(super) fn hands_on(unit: &Unit, f: usize) -> bool {
    let none = HashSet::new();
    unit.functions[f].part.clone().any(|k| {
        unit.own_call(ExprId(k)).is_some_and(|(_, arguments)| {
            let on = |a: &ExprId| goes_back(unit, *a, &none) || is_table(unit, *a);
            arguments.iter().any(|a| unit.is_pointer(*a) && on(a))
        })
    })
}

/// The initial value of a variable, and all values that are assigned to it.
fn given_to(unit: &Unit, d: DeclId) -> impl Iterator<Item = ExprId> {
    let decl = unit.decl(d);
    let first = match decl.init {
        Some(Init::Expr(e)) => Some(e),
        _ => None,
    };
    first.into_iter().chain(decl.assigned.iter().copied())
}

/// Adds to `open` the pointers whose value, unmoved, the expression may have; false if the expression is no such
/// choice or copy.
fn follow(unit: &Unit, e: ExprId, open: &mut Vec<ExprId>) -> bool {
    match unit.expr(e).kind {
        ExprKind::Cast(_, a)
        | ExprKind::Binary(Binary::Comma, _, a)
        | ExprKind::Assign(None, _, a) => open.push(a),
        ExprKind::Conditional(_, a, b) => open.extend([a, b]),
        _ => return false,
    }
    true
}

/// A parameter: the function, and its position.
pub(super) type Position = (usize, usize);

/// Parameters through which an element before the one pointed to is used, in the function itself or in one that they
/// are passed on to unmoved.
pub(super) struct Before {
    /// Such an element is surely used: `u[-1]`.
    surely: HashSet<Position>,
    /// Such an element may be used: `u[-k]`, `*(u - 1)`, `u - k`, or a `u` that only walks back, `*--u`.
    perhaps: HashSet<Position>,
}

impl Before {
    pub(super) fn find(unit: &Unit) -> Self {
        let mut position = HashMap::new();
        for (f, function) in unit.functions.iter().enumerate() {
            for (k, d) in function.parameters.iter().enumerate() {
                position.insert(*d, (f, k));
            }
        }
        let own = |e: ExprId| match unit.expr(e).kind {
            ExprKind::Name(d) => position.get(&d).map(|p| (*p, d)),
            _ => None,
        };
        // A pointer that is assigned may have left the first element.
        let stays = |d: DeclId| unit.decl(d).assigned.is_empty();
        let mut surely = Vec::new();
        let mut perhaps: Vec<Position> = (position.iter())
            .filter(|(d, _)| walks_back(unit, **d))
            .map(|(_, p)| *p)
            .collect();
        let mut handed = Vec::new();
        for e in (0..unit.exprs.len()).map(|e| ExprId(e as u32)) {
            let used = used_before(unit, e).and_then(|(p, always)| Some((own(p)?, always)));
            match used {
                Some(((p, d), true)) if stays(d) => surely.push(p),
                Some(((p, _), _)) => perhaps.push(p),
                None => {}
            }
            for (to, a) in given(unit, e) {
                handed.extend(own(a).map(|(from, d)| (to, from, stays(d))));
            }
        }
        let kept = handed.iter().filter(|(_, _, stays)| *stays);
        let surely = closed(surely, kept.map(|(to, from, _)| (*to, *from)));
        perhaps.extend(&surely);
        let all = handed.iter().map(|(to, from, _)| (*to, *from));
        let perhaps = closed(perhaps, all);
        Self { surely, perhaps }
    }

    /// True if the callee surely uses elements before the argument for parameter `p`, or may use them and the
    /// argument may point inside of an array. `inside` decides the latter.
    fn holds(&self, p: Position, inside: impl FnOnce() -> bool) -> bool {
        self.surely.contains(&p) || self.perhaps.contains(&p) && inside()
    }
}

/// The parameters `open`, and those that are passed on to them. A pair of `handed` is the parameter of the callee,
/// and the caller's parameter that is its argument.
fn closed(
    mut open: Vec<Position>,
    handed: impl Iterator<Item = (Position, Position)>,
) -> HashSet<Position> {
    let mut from: HashMap<Position, Vec<Position>> = HashMap::new();
    for (to, p) in handed {
        from.entry(to).or_default().push(p);
    }
    let mut found = HashSet::new();
    while let Some(p) = open.pop() {
        if found.insert(p) {
            open.extend(from.get(&p).into_iter().flatten());
        }
    }
    found
}

/// If an expression uses an element before the one that a pointer points to, the pointer, and whether the use is
/// sure.
fn used_before(unit: &Unit, e: ExprId) -> Option<(ExprId, bool)> {
    let number = |k: ExprId| constant::integer(unit, k).map(|(value, _)| value);
    match unit.expr(e).kind {
        ExprKind::Index(p, k) => match number(k) {
            Some(k) => (k < 0).then_some((p, true)),
            None => is_minus(unit, k).then_some((p, false)),
        },
        ExprKind::Unary(Unary::Deref, a) => match unit.expr(a).kind {
            ExprKind::Binary(Binary::Sub, p, k) if number(k).is_some_and(|k| k > 0) => {
                Some((p, false))
            }
            _ => None,
        },
        ExprKind::Binary(Binary::Sub, p, k) if unit.is_pointer(p) && !unit.is_pointer(k) => {
            number(k).is_none().then_some((p, false))
        }
        ExprKind::Binary(Binary::Add, p, k) if unit.is_pointer(p) && number(k).is_none() => {
            is_minus(unit, k).then_some((p, false))
        }
        _ => None,
    }
}

/// True of an expression with a minus in front.
fn is_minus(unit: &Unit, mut e: ExprId) -> bool {
    loop {
        e = match &unit.expr(e).kind {
            ExprKind::Unary(Unary::Minus, _) => return true,
            ExprKind::Cast(_, a)
            | ExprKind::Binary(Binary::Add | Binary::Sub | Binary::Mul, a, _) => *a,
            _ => return false,
        };
    }
}

/// True of a pointer that is moved, and never forward.
fn walks_back(unit: &Unit, d: DeclId) -> bool {
    let decl = unit.decl(d);
    let back = |e: &ExprId| {
        matches!(
            unit.expr(*e).kind,
            ExprKind::Step { up: false, .. } | ExprKind::Assign(Some(Binary::Sub), ..)
        )
    };
    decl.ty.target().is_some() && !decl.assigned.is_empty() && decl.assigned.iter().all(back)
}

/// True of a pointer that may point to another element than the first one of an array. `parameters`: whether
/// parameters count as such.
fn is_inside(unit: &Unit, e: ExprId, parameters: bool) -> bool {
    let mut variables = HashSet::new();
    let mut open = vec![e];
    let mut count = 0;
    while let Some(e) = open.pop() {
        count += 1;
        if count > MAX_PARTS {
            return true;
        }
        if unit.is_array(e) {
            continue;
        }
        match &unit.expr(e).kind {
            ExprKind::Int(..) => {}
            ExprKind::Name(d) => {
                let decl = unit.decl(*d);
                if decl.kind == DeclKind::Parameter && parameters || decl.address {
                    return true;
                }
                if variables.insert(*d) {
                    open.extend(given_to(unit, *d));
                }
            }
            _ if follow(unit, e, &mut open) => {}
            ExprKind::Unary(Unary::Address, a) => match unit.expr(*a).kind {
                ExprKind::Index(p, k) if constant::integer(unit, k).is_some_and(|k| k.0 == 0) => {
                    open.push(p);
                }
                ExprKind::Name(_) => {}
                _ => return true,
            },
            ExprKind::Call(..) if points::allocates(unit, e) => {}
            _ => return true,
        }
    }
    false
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
    /// True if a function calls one that uses elements before the ones to which its arguments point.
    pub(super) fn hands_before(&self, f: usize) -> bool {
        let unit = &*self.unit;
        let inside = |a: ExprId| is_inside(unit, a, false);
        let mut part = unit.functions[f].part.clone();
        part.any(|k| given(unit, ExprId(k)).any(|(p, a)| self.before.holds(p, || inside(a))))
    }

    /// True if the callee uses an element before the one that the argument `a` for parameter `p` points to. Inside of
    /// a function that stands in place of its call, parameters may point inside of arrays, as the arguments of that
    /// call do.
    pub(super) fn is_before(&self, p: Position, a: ExprId) -> bool {
        let inside = || is_inside(self.unit, a, self.stack.len() > 1);
        self.before.holds(p, inside)
    }

    /// True if a function may stand in place of a call that does not need it to.
    pub(super) fn may_inline(&self, g: usize) -> bool {
        self.read[g].given.is_none() && !self.stack.contains(&g) && self.fits(g)
    }
}
