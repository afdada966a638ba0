//! Arrays of pointers to rows that lie in one block, set up by `a[0] = malloc(...)` and `a[i] = a[i - 1] + m`, or by
//! `a[i] = block + i * m`.
//!
//! Such an array is removed: `a[i]` becomes the block moved by `(i - first) * m`, where `first` is the row that the
//! block begins with. Two conditions must hold: every assignment of an element has one of these forms, and the array
//! is otherwise only subscripted, tested and freed. A row that has not been assigned gets a place by this, but
//! reading it is undefined in C.

use crate::{
    ast::{Binary, Decl, DeclId, DeclKind, ExprId, ExprKind, Init, StmtKind, Unary, Unit},
    constant,
    points::{allocates, is_null, library_call, strip_conversions},
    texts::erase_expr,
    types::{Arith, Int, Qualified, Type},
};
use std::{
    collections::{BTreeMap, BTreeSet},
    rc::Rc,
};

/// Most parts of an expression that is checked for keeping its value.
const MAX_PARTS: usize = 100;

/// The replacement for an array of pointers.
struct Rows {
    /// The variable that points to the first row.
    block: DeclId,
    /// The subscript of the first row.
    first: Option<ExprId>,
    /// The number of elements from one row to the next.
    distance: ExprId,
}

/// All uses of an array of pointers and of its other names.
#[derive(Default)]
struct Uses {
    /// Assignments and steps of the array itself, in order.
    whole: Vec<ExprId>,
    /// Assignments of elements, in order, each with the subscript of its target; `None` for `*a`.
    elements: Vec<(ExprId, Option<ExprId>)>,
    /// Elements that are read.
    read: Vec<ExprId>,
    /// Tests for null, each with the value that it always has.
    tests: Vec<(ExprId, i128)>,
    /// Calls of free.
    freed: Vec<ExprId>,
}

/// Takes out arrays of pointers to rows in one block from all functions.
pub(crate) fn take_out(unit: &mut Unit) {
    for f in 0..unit.functions.len() {
        let names = names(unit, f);
        let roots: BTreeSet<DeclId> = names.values().copied().collect();
        for root in roots {
            let same: BTreeSet<DeclId> = (names.iter())
                .filter(|(_, of)| **of == root)
                .map(|(d, _)| *d)
                .collect();
            if let Some(uses) = uses(unit, f, &same)
                && let Some(made) = rows(unit, f, root, &uses)
            {
                replace(unit, &same, uses, &made);
            }
        }
    }
}

/// True of a pointer to pointers to numbers or structures, and of an array of these.
pub(crate) fn is_table(ty: &Qualified) -> bool {
    let inner = ty.target().and_then(|row| match &row.ty {
        Type::Pointer(of) => Some(&of.ty),
        _ => None,
    });
    matches!(inner, Some(Type::Arith(_) | Type::Struct(_)))
}

/// True of a variable that may be an array of pointers to rows in one block: some element is assigned a pointer other
/// than new memory, or a function returns the variable.
pub(crate) fn may_be(unit: &Unit, d: DeclId) -> bool {
    let decl = unit.decl(d);
    if decl.kind != DeclKind::Local || !is_table(&decl.ty) {
        return false;
    }
    let init = match decl.init {
        Some(Init::Expr(e)) => Some(e),
        _ => None,
    };
    let whole = decl
        .assigned
        .iter()
        .filter_map(|e| match unit.expr(*e).kind {
            ExprKind::Assign(None, _, value) => Some(value),
            _ => None,
        });
    let called = |e: ExprId| match unit.expr(strip_conversions(unit, e)).kind {
        ExprKind::Call(f, _) => {
            matches!(unit.expr(f).kind, ExprKind::Name(g) if unit.decl(g).definition.is_some())
        }
        _ => false,
    };
    if init.into_iter().chain(whole).any(called) {
        return true;
    }
    let Some(function) = decl.function.and_then(|f| unit.functions.get(f)) else {
        return false;
    };
    let same: BTreeSet<DeclId> = [d].into();
    function
        .part
        .clone()
        .any(|k| match unit.exprs[k as usize].kind {
            ExprKind::Assign(None, target, value) => {
                element(unit, target, &same).is_some()
                    && !allocates(unit, strip_conversions(unit, value))
            }
            _ => false,
        })
}

/// The arrays of pointers to rows of a function, each with the variable that it is another name of.
fn names(unit: &Unit, f: usize) -> BTreeMap<DeclId, DeclId> {
    let mut names = BTreeMap::new();
    for d in &unit.functions[f].locals {
        let decl = unit.decl(*d);
        if decl.kind != DeclKind::Local || decl.address || !is_table(&decl.ty) {
            continue;
        }
        names.insert(*d, *d);
    }
    // A variable is visited before its other names.
    let all: Vec<DeclId> = names.keys().copied().collect();
    for d in all {
        let mut of = d;
        let mut seen = BTreeSet::new();
        while seen.insert(of)
            && let Some(next) = only_source(unit, of)
            && names.contains_key(&next)
        {
            of = next;
        }
        names.insert(d, of);
    }
    names
}

/// The one variable that is assigned to this one, besides null.
fn only_source(unit: &Unit, d: DeclId) -> Option<DeclId> {
    let decl = unit.decl(d);
    let mut only = None;
    let init = match decl.init {
        Some(Init::Expr(e)) => Some(e),
        Some(Init::Parts(_) | Init::Wrong(_)) => return None,
        None => None,
    };
    let mut values: Vec<ExprId> = init.into_iter().collect();
    for e in &decl.assigned {
        match unit.expr(*e).kind {
            ExprKind::Assign(None, _, value) => values.push(value),
            _ => return None,
        }
    }
    for value in values {
        match unit.expr(strip_conversions(unit, value)).kind {
            _ if is_null(unit, value) => {}
            ExprKind::Name(of) if only.is_none_or(|known| known == of) => only = Some(of),
            _ => return None,
        }
    }
    only
}

/// The expressions of statements that are never executed, since they depend on an array of pointers, or an element of
/// it, being null.
fn never(unit: &Unit, f: usize, tests: &[(ExprId, i128)]) -> BTreeSet<ExprId> {
    let null: BTreeSet<ExprId> = (tests.iter())
        .filter(|(_, value)| *value == 0)
        .map(|(e, _)| *e)
        .collect();
    let function = &unit.functions[f];
    let mut open = vec![(function.body, false)];
    for k in function.part.clone() {
        if let ExprKind::Inlined(inlined) = &unit.exprs[k as usize].kind {
            open.push((inlined.body, false));
        }
    }
    let mut found = BTreeSet::new();
    while let Some((s, dead)) = open.pop() {
        match &unit.stmt(s).kind {
            StmtKind::If(arms, other) => {
                for (c, s) in arms {
                    open.push((*s, dead || null.contains(c) && !unit.is_entered(&[*s])));
                }
                open.extend(other.map(|s| (s, dead)));
            }
            StmtKind::Expr(e) if dead => {
                found.insert(*e);
            }
            _ => open.extend(unit.statements_inside(s).into_iter().map(|s| (s, dead))),
        }
    }
    found
}

/// The subscript, if an expression is an element of the array (`Some(None)` for `*a`).
fn element(unit: &Unit, e: ExprId, same: &BTreeSet<DeclId>) -> Option<Option<ExprId>> {
    let (of, subscript) = match unit.expr(e).kind {
        ExprKind::Index(a, i) => (a, Some(i)),
        ExprKind::Unary(Unary::Deref, a) => (a, None),
        _ => return None,
    };
    is_named(unit, of, same).then_some(subscript)
}

fn is_named(unit: &Unit, e: ExprId, same: &BTreeSet<DeclId>) -> bool {
    matches!(unit.expr(e).kind, ExprKind::Name(d) if same.contains(&d))
}

/// Adds the uses of an array of pointers in an expression to `found`, and the names and elements that they explain to
/// `known`. `None` if a use is not one of the supported ones.
fn note(
    unit: &Unit,
    e: ExprId,
    same: &BTreeSet<DeclId>,
    found: &mut Uses,
    known: &mut BTreeSet<ExprId>,
) -> Option<()> {
    match &unit.expr(e).kind {
        ExprKind::Assign(op, target, value) if is_named(unit, *target, same) => {
            if op.is_none() && is_named(unit, strip_conversions(unit, *value), same) {
                // The value may be another name of the array.
                unit.walk(*value, &mut |e| {
                    known.insert(e);
                });
            }
            known.insert(*target);
            found.whole.push(e);
        }
        ExprKind::Step { of, .. } if is_named(unit, *of, same) => {
            known.insert(*of);
            found.whole.push(e);
        }
        ExprKind::Assign(_, target, _) => {
            if let Some(i) = element(unit, *target, same) {
                known.insert(*target);
                found.elements.push((e, i));
            }
        }
        ExprKind::Unary(Unary::Not, a)
            if is_named(unit, *a, same) || element(unit, *a, same).is_some() =>
        {
            known.insert(*a);
            found.tests.push((e, 0));
        }
        ExprKind::Binary(op @ (Binary::Eq | Binary::Ne), a, b) => {
            for (a, b) in [(*a, *b), (*b, *a)] {
                let own = is_named(unit, a, same) || element(unit, a, same).is_some();
                if own && is_null(unit, b) {
                    known.insert(a);
                    found.tests.push((e, i128::from(*op == Binary::Ne)));
                }
            }
        }
        ExprKind::Call(_, arguments) if library_call(unit, e) == Some("free") => {
            let [a] = arguments[..] else { return None };
            if unit.root_variables(a).iter().any(|d| same.contains(d))
                && unit.is_pointer(a)
                && !unit.expr(a).effects
            {
                unit.walk(a, &mut |e| {
                    known.insert(e);
                });
                found.freed.push(e);
            }
        }
        // A function stands in place of its call.
        ExprKind::Inlined(inlined) => {
            let names = inlined
                .arguments
                .iter()
                .map(|a| strip_conversions(unit, *a));
            known.extend(names.filter(|a| is_named(unit, *a, same)));
        }
        _ => {}
    }
    Some(())
}

/// The uses of an array of pointers; `None` if one of them is not supported.
fn uses(unit: &Unit, f: usize, same: &BTreeSet<DeclId>) -> Option<Uses> {
    let mut found = Uses::default();
    // The names and elements that the uses explain. Any other occurrence is a use that is not supported.
    let mut known: BTreeSet<ExprId> = BTreeSet::new();
    let part = unit.functions[f].part.clone();
    for e in part.clone().map(ExprId) {
        note(unit, e, same, &mut found, &mut known)?;
    }
    for e in part.map(ExprId) {
        if element(unit, e, same).is_some() && !known.contains(&e) {
            found.read.push(e);
        }
    }
    let elements = found
        .elements
        .iter()
        .map(|(e, _)| match unit.expr(*e).kind {
            ExprKind::Assign(_, target, _) => target,
            _ => *e,
        });
    let places: BTreeSet<ExprId> = found.read.iter().copied().chain(elements).collect();
    let places: Vec<ExprId> = known.iter().copied().chain(places).collect();
    for place in places {
        if let ExprKind::Index(a, _) | ExprKind::Unary(Unary::Deref, a) = unit.expr(place).kind {
            known.insert(a);
        }
    }
    // Initial values are other names.
    for d in same {
        if let Some(Init::Expr(e)) = unit.decl(*d).init {
            if is_null(unit, e) {
                return None;
            }
            if only_source(unit, *d).is_none() {
                continue;
            }
            unit.walk(e, &mut |e| {
                known.insert(e);
            });
        }
    }
    // Uses in statements that are never executed do not count.
    let dead = never(unit, f, &found.tests);
    let null = |e: &ExprId| match unit.expr(*e).kind {
        ExprKind::Assign(None, _, value) => is_null(unit, value),
        _ => false,
    };
    if found.whole.iter().any(|e| null(e) && !dead.contains(e)) {
        return None;
    }
    let mut all = unit.functions[f].part.clone().map(ExprId);
    let stray = all.any(|e| is_named(unit, e, same) && !known.contains(&e));
    (!stray).then_some(found)
}

/// True of an integer with one value throughout the function: built from constants and variables that no statement
/// assigns.
fn is_fixed(unit: &Unit, e: ExprId) -> bool {
    let mut open = vec![e];
    let mut count = 0;
    while let Some(e) = open.pop() {
        count += 1;
        if constant::integer(unit, e).is_some() {
            continue;
        }
        match unit.expr(e).kind {
            _ if count > MAX_PARTS => return false,
            ExprKind::Name(d) => {
                let decl = unit.decl(d);
                let local = matches!(decl.kind, DeclKind::Local | DeclKind::Parameter);
                if !local || !decl.assigned.is_empty() || decl.address {
                    return false;
                }
            }
            ExprKind::Binary(Binary::Add | Binary::Sub | Binary::Mul, a, b) => open.extend([a, b]),
            ExprKind::Cast(_, a) => open.push(a),
            _ => return false,
        }
    }
    true
}

/// True of expressions that are the same constants or variables.
fn same_number(unit: &Unit, a: ExprId, b: ExprId) -> bool {
    let value = |e: ExprId| constant::integer(unit, e).map(|(value, _)| value);
    match (&unit.expr(a).kind, &unit.expr(b).kind) {
        (ExprKind::Name(a), ExprKind::Name(b)) => a == b,
        _ => value(a).is_some() && value(a) == value(b),
    }
}

/// The pointer and the factors of `p + i * m` and `&p[i * m]`.
fn moved(unit: &Unit, e: ExprId) -> Option<(ExprId, ExprId)> {
    let e = strip_conversions(unit, e);
    match unit.expr(e).kind {
        ExprKind::Binary(Binary::Add, a, b) if unit.is_pointer(a) => Some((a, b)),
        ExprKind::Binary(Binary::Add, a, b) if unit.is_pointer(b) => Some((b, a)),
        ExprKind::Unary(Unary::Address, of) => match unit.expr(of).kind {
            ExprKind::Index(a, i) if unit.is_pointer(a) => Some((a, i)),
            _ => None,
        },
        _ => None,
    }
}

/// Finds block, first row and distance, and makes a variable for the block if there is none.
fn rows(unit: &mut Unit, f: usize, root: DeclId, uses: &Uses) -> Option<Rows> {
    let same: BTreeSet<DeclId> = [root].into();
    let array = matches!(unit.decl(root).ty.ty, Type::Array(..));
    let start = uses.elements.first()?.0;
    // Exactly one call must allocate the pointers, and the array may move only before they are assigned.
    let mut allocated = 0;
    for e in &uses.whole {
        match unit.expr(*e).kind {
            ExprKind::Assign(None, target, value) if is_named(unit, target, &same) => {
                allocated += usize::from(allocates(unit, strip_conversions(unit, value)));
                if !allocates(unit, strip_conversions(unit, value)) {
                    return None;
                }
            }
            ExprKind::Assign(Some(_), ..) | ExprKind::Step { .. } if e.0 > start.0 => return None,
            _ => {}
        }
    }
    if let Some(Init::Expr(e)) = unit.decl(root).init {
        if !allocates(unit, strip_conversions(unit, e)) {
            return None;
        }
        allocated += 1;
    }
    if allocated != usize::from(!array) || (array && unit.decl(root).init.is_some()) {
        return None;
    }
    let (&(last, subscript), moves) = uses.elements.split_last()?;
    let ExprKind::Assign(None, _, value) = unit.expr(last).kind else {
        return None;
    };
    let i = subscript?;
    let (from, by) = moved(unit, value)?;
    let in_table = |unit: &Unit, e: ExprId| {
        unit.root_variables(e)
            .iter()
            .any(|d| is_table(&unit.decl(*d).ty))
    };
    // a[i] = block + i * m for all rows.
    if moves.is_empty() {
        let distance = factor(unit, by, i)?;
        let ExprKind::Name(block) = unit.expr(strip_conversions(unit, from)).kind else {
            return None;
        };
        let decl = unit.decl(block);
        let given = decl.assigned.len() + usize::from(decl.init.is_some());
        let keeps = match decl.kind {
            DeclKind::Parameter => given == 0,
            DeclKind::Local => given <= 1 && unit.is_pointer(from),
            _ => false,
        };
        let keeps = keeps && !decl.address && is_fixed(unit, distance);
        return keeps.then(|| Rows {
            block,
            first: None,
            distance: copy(unit, distance),
        });
    }
    // The first assignment gives the first row its memory, which may be moved at once; the others move on from row to
    // row.
    let (&(e, first), moves) = moves.split_first()?;
    let ExprKind::Assign(None, _, value) = unit.expr(e).kind else {
        return None;
    };
    let alike = |unit: &Unit, i: Option<ExprId>| match (i, first) {
        (Some(a), Some(b)) => same_number(unit, a, b),
        (None, None) => true,
        (Some(a), None) | (None, Some(a)) => is_zero(unit, a),
    };
    let repeated = unit.functions[f].loops.iter().any(|l| l.contains(&e.0));
    let fixed = first.is_none_or(|i| is_fixed(unit, i));
    let moving = |unit: &Unit, e: ExprId| {
        let kind = &unit.expr(e).kind;
        matches!(kind, ExprKind::Assign(Some(Binary::Add | Binary::Sub), ..))
    };
    let only = moves
        .iter()
        .all(|(e, i)| moving(unit, *e) && alike(unit, *i));
    if repeated || !fixed || !only || in_table(unit, value) {
        return None;
    }
    let before = element(
        unit,
        strip_conversions(unit, from),
        &all_names(unit, root, f),
    )?;
    let one = |unit: &Unit, e: ExprId| constant::integer(unit, e).is_some_and(|(n, _)| n == 1);
    let distance = match before.map(|e| unit.expr(e).kind.clone()) {
        Some(ExprKind::Binary(Binary::Sub, j, k)) if same_number(unit, i, j) && one(unit, k) => by,
        _ if alike(unit, before) && first.is_none_or(|i| is_zero(unit, i)) => factor(unit, by, i)?,
        _ => return None,
    };
    is_fixed(unit, distance).then(|| Rows {
        block: new_block(unit, f, root),
        first: first.map(|e| copy(unit, e)),
        distance: copy(unit, distance),
    })
}

/// A copy of an integer expression for which [`is_fixed`] holds, so that it has at most [`MAX_PARTS`] parts.
fn copy(unit: &mut Unit, e: ExprId) -> ExprId {
    let node = unit.expr(e);
    let (at, from) = (node.at, node.from);
    let kind = match node.kind.clone() {
        ExprKind::Binary(op, a, b) => ExprKind::Binary(op, copy(unit, a), copy(unit, b)),
        ExprKind::Cast(ty, a) => ExprKind::Cast(ty, copy(unit, a)),
        other => other,
    };
    unit.push(kind, at, from)
}

fn is_zero(unit: &Unit, e: ExprId) -> bool {
    constant::integer(unit, e).is_some_and(|(value, _)| value == 0)
}

/// All names of an array of pointers.
fn all_names(unit: &Unit, root: DeclId, f: usize) -> BTreeSet<DeclId> {
    let names = names(unit, f).into_iter();
    names
        .filter(|(_, of)| *of == root)
        .map(|(d, _)| d)
        .collect()
}

/// The other factor of a product one of whose factors is the variable `i`; `None` for other expressions.
fn factor(unit: &Unit, product: ExprId, i: ExprId) -> Option<ExprId> {
    let plain = |mut e: ExprId| {
        while let ExprKind::Cast(_, a) = unit.expr(e).kind {
            e = a;
        }
        e
    };
    match unit.expr(plain(product)).kind {
        ExprKind::Binary(Binary::Mul, a, b) if same_number(unit, plain(a), i) => Some(b),
        ExprKind::Binary(Binary::Mul, a, b) if same_number(unit, plain(b), i) => Some(a),
        _ => None,
    }
}

/// A variable that points to the first row.
fn new_block(unit: &mut Unit, f: usize, root: DeclId) -> DeclId {
    let decl = unit.decl(root);
    let mut ty = decl.ty.target().cloned().unwrap_or_else(|| decl.ty.clone());
    ty.constant = false;
    let block = Decl {
        name: Rc::from(format!("{}_block", decl.name)),
        ty,
        init: None,
        assigned: Vec::new(),
        ..decl.clone()
    };
    let d = DeclId(unit.decls.len() as u32);
    unit.decls.push(block);
    unit.functions[f].locals.push(d);
    d
}

/// Replaces all uses of the array of pointers by the rows of the block.
fn replace(unit: &mut Unit, same: &BTreeSet<DeclId>, uses: Uses, rows: &Rows) {
    let Uses {
        whole,
        elements,
        read,
        tests,
        freed,
    } = uses;
    let given = elements.len().saturating_sub(1);
    // The first row becomes the block.
    for (e, _) in &elements[..given] {
        if let ExprKind::Assign(_, target, _) = unit.expr(*e).kind {
            unit.exprs[target.index()].kind = ExprKind::Name(rows.block);
            unit.decls[rows.block.index()].assigned.push(*e);
        }
    }
    for (e, value) in tests {
        erase_expr(unit, e);
        let node = &mut unit.exprs[e.index()];
        node.kind = ExprKind::Int(value, Arith::INT);
        node.ty = Some(Qualified::unqualified(Type::Arith(Arith::INT)));
    }
    // The pointers are no longer stored: their assignments are removed, with the reads in them.
    let gone = whole.into_iter().chain(freed);
    for e in gone.chain(elements[given..].iter().map(|(e, _)| *e)) {
        erase_expr(unit, e);
    }
    for e in read {
        let Some(i) = element(unit, e, same) else {
            continue;
        };
        let (at, from) = (unit.expr(e).at, unit.expr(e).from);
        let block = unit.push(ExprKind::Name(rows.block), at, from);
        let long = Arith::Int(Int::Long);
        let i = match i {
            Some(i) => i,
            None => unit.push(ExprKind::Int(0, long), at, from),
        };
        let behind = match rows.first {
            Some(first) => {
                let ty = Rc::new(Qualified::unqualified(Type::Arith(long)));
                let i = unit.push(ExprKind::Cast(ty, i), at, from);
                unit.push(ExprKind::Binary(Binary::Sub, i, first), at, from)
            }
            None => i,
        };
        let ty = Rc::new(Qualified::unqualified(Type::Arith(long)));
        let behind = unit.push(ExprKind::Cast(ty, behind), at, from);
        let by = ExprKind::Binary(Binary::Mul, behind, rows.distance);
        let by = unit.push(by, at, from);
        unit.exprs[e.index()].kind = ExprKind::Binary(Binary::Add, block, by);
    }
    for d in same {
        let decl = &mut unit.decls[d.index()];
        decl.ty = Qualified::unqualified(Type::Arith(Arith::Int(Int::Long)));
        decl.init = None;
        decl.assigned.clear();
    }
}
