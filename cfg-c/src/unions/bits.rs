//! Unions of integers, such as `union { uint8_t byte; struct { uint8_t a : 1, b : 3; } bits; }`: the integer that
//! fills the union is kept, and other members become bits of it, in the order of little-endian machines.

use super::views::sized;
use crate::{
    ast::{Binary, ExprId, ExprKind, Member, StmtKind, StructId, Unary, Unit},
    constant,
    types::{Arith, Int, Qualified, Type},
};
use std::{
    collections::{BTreeMap, BTreeSet, HashSet},
    rc::Rc,
};

/// Most levels of nested types.
const MAX_DEPTH: usize = 300;

const WORD: Arith = Arith::Int(Int::ULong);

/// Bits of the integer that a union keeps.
#[derive(Clone, Debug)]
struct View {
    union: StructId,
    /// The expression that is the union, or a pointer to it.
    of: ExprId,
    arrow: bool,
    /// The number of bits below, for constant subscripts; `subscripts` has the others, each with the bits of one
    /// step.
    below: i128,
    subscripts: Vec<(ExprId, i128)>,
}

/// The integer member that fills a union, if all used members are integers.
pub(super) fn kept(unit: &Unit, s: StructId, used: &[&Member]) -> Option<Member> {
    if unit.has_layouts {
        return None;
    }
    let ty = Qualified::unqualified(Type::Struct(s));
    let size = constant::size(unit, &ty, MAX_DEPTH)?;
    let fills = |m: &&Member| {
        let own = m.ty.arith().filter(|_| m.ty.width.is_none());
        own.is_some_and(|ty| matches!(ty, Arith::Int(int) if int != Int::Bool) && ty.size() == size)
    };
    let mut all = unit.structure(s).declared_members().iter();
    let own = used.iter().copied().find(fills).or_else(|| all.find(fills));
    let integers = used.iter().all(|m| are_integers(unit, &m.ty, MAX_DEPTH));
    own.filter(|_| integers && size <= WORD.size()).cloned()
}

/// True of a type of integers only. Recursion is as deep as types nest.
fn are_integers(unit: &Unit, ty: &Qualified, depth: usize) -> bool {
    let Some(depth) = depth.checked_sub(1) else {
        return false;
    };
    match &ty.ty {
        Type::Arith(ty) => !ty.is_real(),
        Type::Array(of, extent) => extent.is_some() && are_integers(unit, of, depth),
        Type::Struct(s) => {
            let structure = unit.structure(*s);
            let mut all = structure.declared_members().iter();
            !structure.packed && all.all(|m| are_integers(unit, &m.ty, depth))
        }
        Type::Void | Type::Pointer(_) | Type::Function(_) | Type::Refused(_) => false,
    }
}

/// The number of bits below a member of a structure.
fn first_bit(unit: &Unit, s: StructId, name: &str) -> Option<i128> {
    match unit.structure(s).union {
        true => Some(0),
        false => constant::first_bit(unit, s, name),
    }
}

fn view(
    unit: &Unit,
    e: ExprId,
    kept: &BTreeMap<StructId, Member>,
    views: &BTreeMap<ExprId, View>,
) -> Option<View> {
    match &unit.expr(e).kind {
        ExprKind::Member(of, name, false) if views.contains_key(of) => {
            let mut view = views[of].clone();
            view.below += first_bit(unit, unit.structure_of(*of)?, name)?;
            Some(view)
        }
        ExprKind::Member(of, name, arrow) => {
            let (union, _) = unit.member_of(e)?;
            kept.get(&union).filter(|kept| kept.name != *name)?;
            Some(View {
                union,
                of: *of,
                arrow: *arrow,
                below: 0,
                subscripts: Vec::new(),
            })
        }
        ExprKind::Index(a, i) => {
            let mut view = views.get(a)?.clone();
            let bits = 8 * constant::size(unit, unit.expr(e).ty.as_ref()?, MAX_DEPTH)?;
            match constant::integer(unit, *i) {
                Some((k, _)) => view.below += k.checked_mul(bits)?,
                None => view.subscripts.push((*i, bits)),
            }
            Some(view)
        }
        _ => None,
    }
}

/// The width of a number, and the type that it is declared with.
fn number(unit: &Unit, e: ExprId) -> Option<(i128, Int)> {
    let ty = match &unit.expr(e).kind {
        ExprKind::Member(_, name, _) => {
            let (s, _) = unit.member_of(e)?;
            &unit.member(s, name)?.ty
        }
        _ => unit.expr(e).ty.as_ref()?,
    };
    match (ty.width, ty.arith()?) {
        (Some(width), _) => Some((width.bits.into(), width.of)),
        (None, own @ Arith::Int(int)) => Some((8 * own.size(), int)),
        (None, Arith::Double | Arith::Float) => None,
    }
}

/// The expressions whose values nothing uses.
fn discarded(unit: &Unit) -> HashSet<ExprId> {
    let mut open: Vec<ExprId> = Vec::new();
    for stmt in &unit.stmts {
        match &stmt.kind {
            StmtKind::Expr(e) => open.push(*e),
            StmtKind::For(of) => open.extend(of.step),
            _ => {}
        }
    }
    let mut found = HashSet::new();
    while let Some(e) = open.pop() {
        found.insert(e);
        match &unit.expr(e).kind {
            ExprKind::Binary(Binary::Comma, a, b) => open.extend([*a, *b]),
            ExprKind::Cast(ty, a) if ty.ty == Type::Void => open.push(*a),
            _ => {}
        }
    }
    found
}

/// Rewrites all places in these unions as bits of the integers that are kept; returns the unions in which that is
/// impossible.
pub(super) fn rewrite(unit: &mut Unit, kept: &BTreeMap<StructId, Member>) -> BTreeSet<StructId> {
    let mut failed = BTreeSet::new();
    if kept.is_empty() {
        return failed;
    }
    let mut views: BTreeMap<ExprId, View> = BTreeMap::new();
    for e in (0..unit.exprs.len() as u32).map(ExprId) {
        if let Some(view) = view(unit, e, kept, &views) {
            views.insert(e, view);
        }
    }
    let (mut done, discarded) = (sized(unit), discarded(unit));
    let mut writes = Vec::new();
    for e in (0..unit.exprs.len() as u32).map(ExprId) {
        match unit.expr(e).kind {
            ExprKind::Member(a, _, false) | ExprKind::Index(a, _) if views.contains_key(&e) => {
                done.extend(Some(a).filter(|a| views.contains_key(a)));
            }
            ExprKind::Assign(_, target, _) | ExprKind::Step { of: target, .. } => {
                let Some(view) = views.get(&target) else {
                    continue;
                };
                done.insert(target);
                match discarded.contains(&e) {
                    true => writes.push((e, target)),
                    false => {
                        failed.insert(view.union);
                    }
                }
            }
            ExprKind::Unary(Unary::Address, a) => {
                failed.extend(views.get(&a).map(|view| view.union));
            }
            _ => {}
        }
    }
    for (e, target) in writes {
        if write(unit, (e, target), &views[&target], kept).is_none() {
            failed.insert(views[&target].union);
        }
    }
    for (e, view) in views.iter().filter(|(e, _)| !done.contains(e)) {
        let Some(made) = read(unit, *e, view, kept) else {
            failed.insert(view.union);
            continue;
        };
        let kind = unit.expr(made).kind.clone();
        unit.exprs[e.index()].kind = kind;
        unit.find_effects(*e);
    }
    failed
}

/// The integer that is kept, the bits below a place in it, and the mask of the place.
struct Bits {
    whole: ExprId,
    below: ExprId,
    mask: ExprId,
    width: i128,
    /// The type that the integer is declared with.
    int: Int,
    /// The type as which the place is computed.
    ty: Arith,
}

fn add(unit: &mut Unit, kind: ExprKind, like: ExprId) -> ExprId {
    let (at, from) = (unit.expr(like).at, unit.expr(like).from);
    unit.push(kind, at, from)
}

fn cast(unit: &mut Unit, to: Arith, e: ExprId) -> ExprId {
    let ty = Rc::new(Qualified::unqualified(Type::Arith(to)));
    add(unit, ExprKind::Cast(ty, e), e)
}

fn binary(unit: &mut Unit, op: Binary, a: ExprId, b: ExprId) -> ExprId {
    add(unit, ExprKind::Binary(op, a, b), a)
}

fn bits(
    unit: &mut Unit,
    e: ExprId,
    view: &View,
    kept: &BTreeMap<StructId, Member>,
) -> Option<Bits> {
    let own = kept.get(&view.union)?.clone();
    let (width, int) = number(unit, e)?;
    let ty = unit.expr(e).ty.as_ref()?.arith()?;
    let inside = view.below >= 0 && view.below.checked_add(width)? <= 8 * own.ty.arith()?.size();
    let changes = |e: ExprId| unit.expr(e).effects;
    if !inside || changes(view.of) || view.subscripts.iter().any(|(i, _)| changes(*i)) {
        return None;
    }
    let long = Arith::Int(Int::Long);
    let whole = add(unit, ExprKind::Member(view.of, own.name, view.arrow), e);
    let whole = cast(unit, WORD, whole);
    let mut below = add(unit, ExprKind::Int(view.below, long), e);
    for (index, stride) in &view.subscripts {
        let index = cast(unit, long, *index);
        let stride = add(unit, ExprKind::Int(*stride, long), e);
        let more = binary(unit, Binary::Mul, index, stride);
        below = binary(unit, Binary::Add, below, more);
    }
    let mask = add(unit, ExprKind::Int((1i128 << width) - 1, WORD), e);
    Some(Bits {
        whole,
        below,
        mask,
        width,
        int,
        ty,
    })
}

/// Replaces a read of the place by an expression over the integer.
fn read(
    unit: &mut Unit,
    e: ExprId,
    view: &View,
    kept: &BTreeMap<StructId, Member>,
) -> Option<ExprId> {
    let bits = bits(unit, e, view, kept)?;
    let shifted = binary(unit, Binary::Shr, bits.whole, bits.below);
    let mut value = binary(unit, Binary::BitAnd, shifted, bits.mask);
    if bits.int.contains(-1) && bits.width < 64 {
        // A signed value is extended by its sign bit.
        let long = Arith::Int(Int::Long);
        let sign = add(unit, ExprKind::Int(1i128 << (bits.width - 1), long), e);
        value = cast(unit, long, value);
        value = binary(unit, Binary::BitXor, value, sign);
        value = binary(unit, Binary::Sub, value, sign);
    }
    Some(cast(unit, bits.ty, value))
}

/// Replaces an assignment to the place by one to the integer.
fn write(
    unit: &mut Unit,
    (e, target): (ExprId, ExprId),
    view: &View,
    kept: &BTreeMap<StructId, Member>,
) -> Option<()> {
    // The new integer reads the old one before the value is evaluated, and the value may change it.
    let value = match unit.expr(e).kind {
        ExprKind::Assign(_, _, value) if unit.expr(value).effects => return None,
        ExprKind::Assign(None, _, value) => value,
        ExprKind::Assign(Some(op), _, value) => {
            let old = read(unit, target, view, kept)?;
            binary(unit, op, old, value)
        }
        ExprKind::Step { up, .. } => {
            let old = read(unit, target, view, kept)?;
            let one = add(unit, ExprKind::Int(1, Arith::INT), e);
            let op = if up { Binary::Add } else { Binary::Sub };
            binary(unit, op, old, one)
        }
        _ => return None,
    };
    unit.expr(value).ty.as_ref()?.arith()?;
    let bits = bits(unit, target, view, kept)?;
    let own = kept.get(&view.union)?.clone();
    let value = cast(unit, Arith::Int(bits.int), value);
    let value = cast(unit, WORD, value);
    let value = binary(unit, Binary::BitAnd, value, bits.mask);
    let value = binary(unit, Binary::Shl, value, bits.below);
    let hole = binary(unit, Binary::Shl, bits.mask, bits.below);
    let others = add(unit, ExprKind::Unary(Unary::BitNot, hole), e);
    let others = binary(unit, Binary::BitAnd, bits.whole, others);
    let new = binary(unit, Binary::BitOr, others, value);
    let new = cast(unit, own.ty.arith()?, new);
    let node = &mut unit.exprs[target.index()];
    node.kind = ExprKind::Member(view.of, Rc::clone(&own.name), view.arrow);
    node.ty = Some(own.ty.clone());
    let node = &mut unit.exprs[e.index()];
    node.kind = ExprKind::Assign(None, target, new);
    node.ty = Some(own.ty);
    unit.find_effects(target);
    unit.find_effects(e);
    Some(())
}
