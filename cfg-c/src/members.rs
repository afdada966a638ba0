//! Leaves out members of structures that the program does not use. Their types need not be supported then: callbacks,
//! `void *`, `FILE *`, structures that are not known. Their places are kept: sizes, and the layout in emitted C, are
//! those of the declaration.
//!
//! If a structure is copied as a whole, all members of supported types stay.

use crate::{
    ast::{DeclKind, ExprId, ExprKind, Init, Member, StmtKind, StructId, Structure, Unary, Unit},
    calls::reachable,
    codes, complex,
    math::How,
    points::{how_called, is_null, library_call, strip_conversions},
    source::Sink,
    structures::{Used, members_on_the_way, unsupported},
    texts::erase_expr,
    types::{Arith, Qualified, Type},
    unions, unused,
};
use cfg_core::ir::Subscript;
use std::{
    collections::{BTreeMap, BTreeSet, HashSet},
    rc::Rc,
};

/// Expressions whose values, or places, are not needed.
#[derive(Default)]
struct Unasked {
    /// The expressions of functions that are not reached.
    unreached: Vec<std::ops::Range<u32>>,
    sized: HashSet<ExprId>,
    printed: HashSet<ExprId>,
    /// Members that are assigned.
    assigned: HashSet<ExprId>,
}

impl Unasked {
    fn find(unit: &Unit, roots: &[usize]) -> Self {
        let reached: BTreeSet<usize> = reachable(unit, roots).into_iter().collect();
        let mut found = Self::default();
        for (f, function) in unit.functions.iter().enumerate() {
            if !reached.contains(&f) {
                found.unreached.push(function.part.clone());
            }
        }
        found.unreached.sort_by_key(|part| part.start);
        for e in expressions(unit) {
            if let ExprKind::SizeofExpr(a) = unit.expr(e).kind {
                unit.walk(a, &mut |e| {
                    found.sized.insert(e);
                });
            }
            for a in printed(unit, e) {
                unit.walk(a, &mut |e| {
                    found.printed.insert(e);
                });
            }
        }
        found
    }

    fn is_unreached(&self, e: ExprId) -> bool {
        let behind = self.unreached.partition_point(|part| part.start <= e.0);
        behind > 0 && self.unreached[behind - 1].contains(&e.0)
    }

    fn has(&self, e: ExprId) -> bool {
        self.sized.contains(&e)
            || self.printed.contains(&e)
            || self.assigned.contains(&e)
            || self.is_unreached(e)
    }
}

fn expressions(unit: &Unit) -> impl Iterator<Item = ExprId> + use<> {
    (0..unit.exprs.len() as u32).map(ExprId)
}

/// The arguments without effects that a call prints, and that are therefore not evaluated.
fn printed(unit: &Unit, e: ExprId) -> Vec<ExprId> {
    let ExprKind::Call(_, arguments) = &unit.expr(e).kind else {
        return Vec::new();
    };
    let prints = how_called(unit, e) == Some(How::Passive);
    let arguments = arguments.iter().filter(|a| !unit.expr(**a).effects);
    arguments.copied().filter(|_| prints).collect()
}

/// Leaves out assignments to members that are never read and have types without a value in POINT: typically callbacks
/// and data that a function sets up in a structure. Warns of the first assignment to each member.
pub(crate) fn leave_out_assignments(unit: &mut Unit, roots: &[usize], sink: &mut Sink) {
    let mut unasked = Unasked::find(unit, roots);
    let stmts = unit.stmts.iter();
    let assignments: Vec<(ExprId, Vec<ExprId>)> = stmts
        .filter_map(|stmt| match stmt.kind {
            StmtKind::Expr(e) => Some((e, assigned_unread(unit, e)?)),
            _ => None,
        })
        .collect();
    let targets = assignments.iter().flat_map(|(_, targets)| targets);
    unasked.assigned = targets.copied().collect();
    let used = used(unit, &unasked);
    let overlaid = with_inner(unit, overlaid(unit, &unasked));
    let (copied, _) = copied(unit, roots, &unasked);
    let mut told = Used::default();
    for (e, targets) in assignments {
        let members = targets.iter().filter_map(|target| {
            let (s, name) = unit.member_of(*target)?;
            // A copy of the variable may outlive it.
            let is_kept = copied.contains(&s) || !is_local(unit, *target);
            Some((s, Rc::clone(name), is_kept))
        });
        let members: Vec<(StructId, Rc<str>, bool)> = members.collect();
        let stays = |s: StructId, name| used.has(s, name) || overlaid.contains(&s);
        if members.iter().any(|(s, name, _)| stays(*s, name)) {
            continue;
        }
        let kept = (members.iter()).filter(|(_, _, kept)| *kept && !unasked.is_unreached(e));
        for (s, name, _) in kept {
            unit.structures[s.index()].assigned = true;
            if !told.has(*s, name) {
                let of = unit.structure(*s).name.as_deref().unwrap_or("a structure");
                let message = format!("{of}.{name} is assigned and not read, and left out");
                let help = "let the caller assign it";
                sink.warning(&codes::IGNORED, unit.expr(e).at, message, help);
                told.add(*s, name);
            }
        }
        erase_expr(unit, e);
    }
}

/// True of a place in a local variable, which ends with its function.
fn is_local(unit: &Unit, mut place: ExprId) -> bool {
    while let ExprKind::Member(of, _, false) | ExprKind::Index(of, _) = unit.expr(place).kind {
        place = of;
    }
    match unit.expr(place).kind {
        ExprKind::Name(d) => {
            let decl = unit.decl(d);
            decl.kind == DeclKind::Local && !matches!(decl.ty.ty, Type::Pointer(_))
        }
        _ => false,
    }
}

/// The members that an expression such as `s.a = s.b = NULL` assigns, if their types have no value in POINT and the
/// expression has no other effect.
fn assigned_unread(unit: &Unit, e: ExprId) -> Option<Vec<ExprId>> {
    let mut targets = Vec::new();
    let mut value = e;
    while let ExprKind::Assign(None, target, of) = unit.expr(strip_conversions(unit, value)).kind {
        let (s, name) = unit.member_of(target)?;
        let overlaps = |s: StructId| unit.structure(s).union;
        let is_plain = !unit.expr(target).effects;
        let is_alone = is_plain && !around(unit, target).into_iter().any(overlaps);
        let ty = &unit.member(s, name)?.ty;
        // Pointers between structures that are read stay: the program may follow them.
        let links = |s: StructId| unit.structure(s).complete && unit.structure(s).refused.is_none();
        let is_link = ty.target().and_then(structure_in).is_some_and(links);
        if !is_alone || is_link || !is_unread(unit, ty) {
            return None;
        }
        targets.push(target);
        value = of;
    }
    (!targets.is_empty() && !unit.expr(value).effects).then_some(targets)
}

/// Leaves out the members that no function reached from `roots` uses; returns the members that are used.
pub(crate) fn leave_out(unit: &mut Unit, roots: &[usize]) -> Used {
    let unasked = Unasked::find(unit, roots);
    let used = used(unit, &unasked);
    let (whole, walked) = copied(unit, roots, &unasked);
    for s in whole {
        unit.structures[s.index()].copied = true;
    }
    for k in 0..unit.structures.len() {
        let s = StructId(k as u32);
        let structure = unit.structure(s);
        if structure.union || complex::words(s).is_some() {
            continue;
        }
        let stays = |member: &&Member| {
            used.has(s, &member.name)
                || walked.has(s, &member.name)
                || structure.copied && !is_unread(unit, &member.ty)
        };
        let mut kept: Vec<Member> = structure.members.iter().filter(stays).cloned().collect();
        if kept.is_empty() {
            // A structure must keep one member: C has no empty structures.
            let read = |m: &&Member| !is_unread(unit, &m.ty);
            kept.extend(structure.members.iter().find(read).cloned());
        }
        if !kept.is_empty() && kept.len() < structure.members.len() {
            unit.structures[k].leave(kept);
        }
    }
    forget_uses(unit, &unasked);
    lead_to_last(unit);
    for structure in 0..unit.structures.len() {
        let problem = refused_member(unit, &unit.structures[structure]);
        if let Some(what) = problem {
            unit.structures[structure]
                .refused
                .get_or_insert(what.into());
        }
    }
    used
}

/// Flexible array members become pointers to the elements there: the extent is not part of the type. A copied
/// structure is refused, since a copy lacks these elements.
fn lead_to_last(unit: &mut Unit) {
    let mut found: BTreeMap<StructId, (Rc<str>, Qualified)> = BTreeMap::new();
    let mut initialised = BTreeSet::new();
    for decl in &unit.decls {
        for (steps, _) in decl.init.iter().flat_map(Init::given_values) {
            let way = members_on_the_way(unit, &decl.ty, steps);
            initialised.extend(way.into_iter().map(|(s, m)| (s, Rc::clone(&m.name))));
        }
    }
    for k in 0..unit.structures.len() {
        let structure = unit.structure(StructId(k as u32));
        if let Some(last) = structure.members.last()
            && let Type::Array(of, None) = &last.ty.ty
            && !structure.union
            && !structure.copied
            && structure.members.len() > 1
            && !initialised.contains(&(StructId(k as u32), Rc::clone(&last.name)))
        {
            let ty = Qualified {
                ty: Type::Pointer(Rc::clone(of)),
                ..last.ty.clone()
            };
            let pointer = Member {
                ty: ty.clone(),
                ..last.clone()
            };
            found.insert(StructId(k as u32), (Rc::clone(&last.name), ty));
            let mut members = structure.members.clone();
            members.pop();
            members.push(pointer);
            unit.structures[k].leave(members);
        }
    }
    for e in expressions(unit).filter(|_| !found.is_empty()) {
        let ty = unit.member_of(e).and_then(|(s, name)| {
            let (last, ty) = found.get(&s)?;
            (last == name).then(|| ty.clone())
        });
        if let Some(ty) = ty {
            unit.exprs[e.index()].ty = Some(ty);
        }
    }
}

/// True of a type without a value in POINT, which is refused even if it is only copied.
fn is_unread(unit: &Unit, ty: &Qualified) -> bool {
    unused::holds_unread(unit, ty, |s| unions::number(unit, s).is_none())
}

/// Finds the members that are named, and the members of unions that initial values set.
fn used(unit: &Unit, unasked: &Unasked) -> Used {
    let mut used = Used::default();
    for e in expressions(unit).filter(|e| !unasked.has(*e)) {
        if let Some((s, name)) = unit.member_of(e) {
            used.add(s, name);
        }
    }
    for decl in &unit.decls {
        for (steps, e) in decl.init.iter().flat_map(Init::given_values) {
            for (s, member) in members_on_the_way(unit, &decl.ty, steps) {
                let effects = unit.expr(e).effects;
                if effects || unit.structure(s).union && !is_null(unit, e) {
                    used.add(s, &member.name);
                }
            }
        }
    }
    used
}

/// The structure that a type is, or an array of them.
fn structure_in(ty: &Qualified) -> Option<StructId> {
    match ty.element().ty {
        Type::Struct(s) => Some(s),
        _ => None,
    }
}

/// True if a pointer to a place may be moved on to a neighbouring member: from a number to numbers, or from a
/// structure to one of its type.
fn may_go_on(unit: &Unit, place: ExprId) -> bool {
    let own = unit.expr(place).ty.as_ref().and_then(structure_in);
    let (Some(own), Some((s, _))) = (own, unit.member_of(place)) else {
        return true;
    };
    let members = unit.structure(s).members.iter();
    let alike = members.filter(|m| structure_in(&m.ty) == Some(own));
    alike.count() > 1
}

/// The structures that a place lies in as a member, innermost first.
fn around(unit: &Unit, place: ExprId) -> Vec<StructId> {
    let mut found = Vec::new();
    let mut e = place;
    loop {
        e = match unit.expr(e).kind {
            ExprKind::Member(of, _, arrow) => {
                found.extend(unit.member_of(e).map(|(s, _)| s));
                if arrow {
                    return found;
                }
                of
            }
            ExprKind::Index(a, _) if unit.is_array(a) => a,
            _ => return found,
        };
    }
}

/// The type of the number in a place, or of its elements.
fn number_in(unit: &Unit, place: ExprId) -> Option<Arith> {
    unit.expr(place).ty.as_ref()?.element().arith()
}

/// Adds the members that a pointer to a number in a structure may be moved on to: the neighbouring numbers of its
/// type and, if the structure is itself a member, its neighbours. All members of structures among them may be
/// reached. The first member of another type on each side stays, too: a pointer that goes farther then meets a cell
/// of another type, which is an error. In an array of structures the next structure follows the last member.
fn go_on(unit: &Unit, place: ExprId, walked: &mut Used, whole: &mut Vec<StructId>) {
    let own = number_in(unit, place);
    let mut e = place;
    loop {
        e = match unit.expr(e).kind {
            ExprKind::Member(of, _, arrow) => {
                let Some((s, name)) = unit.member_of(e) else {
                    return;
                };
                let members = &unit.structure(s).members;
                let at = members.iter().position(|m| m.name == *name);
                let Some(at) = at.filter(|_| !unit.structure(s).union) else {
                    whole.extend(around(unit, e));
                    return;
                };
                let alike = |m: &&Member| {
                    own.is_some()
                        && (m.ty.element().arith() == own || structure_in(&m.ty).is_some())
                };
                let (before, behind) = (&members[..at], &members[at + 1..]);
                let mut ends = false;
                // In an array of structures the next structure begins where this one ends, so each direction
                // continues at the other end.
                let ways: [[Vec<&Member>; 2]; 2] = [
                    [before.iter().rev().collect(), behind.iter().rev().collect()],
                    [behind.iter().collect(), before.iter().collect()],
                ];
                for way in ways {
                    let mut found: Vec<&Member> = Vec::new();
                    for part in way {
                        let run = part.iter().copied().take_while(alike).count();
                        found.extend(&part[..run]);
                        if run < part.len() {
                            let next = part[run..].iter();
                            found.extend(next.copied().find(|m| !is_unread(unit, &m.ty)));
                            break;
                        }
                        ends = true;
                    }
                    for m in found {
                        walked.add(s, &m.name);
                        whole.extend(structure_in(&m.ty));
                    }
                }
                if arrow || !ends {
                    return;
                }
                of
            }
            ExprKind::Index(a, _) if unit.is_array(a) => a,
            _ => return,
        }
    }
}

/// The structures, with those inside of them, of which unnamed members are read or written: the structure is copied,
/// its members overlap others, or pointers are moved from one structure to the next. Also, for other structures, the
/// members that pointers to numbers are moved on to.
fn copied(unit: &Unit, roots: &[usize], unasked: &Unasked) -> (BTreeSet<StructId>, Used) {
    let mut open: Vec<StructId> = Vec::new();
    let mut walked = Used::default();
    let (mut places, mut subscripted) = (HashSet::new(), HashSet::new());
    // Pointers that are converted to other types.
    let mut converted: HashSet<ExprId> = HashSet::new();
    for e in expressions(unit) {
        match unit.expr(e).kind {
            ExprKind::Member(a, _, false) | ExprKind::Unary(Unary::Address, a) => {
                places.insert(a);
            }
            ExprKind::Index(a, _) => {
                subscripted.insert(a);
            }
            _ => {}
        }
        if let ExprKind::Cast(ty, a) = &unit.expr(e).kind
            && ty.target().is_some()
        {
            unit.walk(*a, &mut |e| {
                converted.insert(e);
            });
        }
    }
    open.extend(overlaid(unit, unasked));
    // True of a pointer that may reach every member of the structures around its place.
    let is_open = |pointer: ExprId, place: ExprId| {
        converted.contains(&pointer) || number_in(unit, place).is_none() && may_go_on(unit, place)
    };
    for e in expressions(unit).filter(|e| !unasked.has(*e)) {
        if !places.contains(&e) {
            open.extend(unit.structure_of(e));
            // An array that decays to a pointer: the pointer may go on to the members behind it.
            if unit.is_array(e) && !subscripted.contains(&e) {
                match is_open(e, e) {
                    true => open.extend(around(unit, e)),
                    false => go_on(unit, e, &mut walked, &mut open),
                }
            }
        }
        match &unit.expr(e).kind {
            ExprKind::Unary(Unary::Address, place) if may_go_on(unit, *place) => {
                match is_open(e, *place) {
                    true => open.extend(around(unit, *place)),
                    false => go_on(unit, *place, &mut walked, &mut open),
                }
            }
            // The call may read and write the object byte by byte.
            ExprKind::Call(_, arguments)
                if library_call(unit, e).is_some_and(|name| name != "free") =>
            {
                open.extend(arguments.iter().filter_map(|a| pointed_to(unit, *a)));
            }
            _ => {}
        }
    }
    for function in roots.iter().map(|f| &unit.functions[*f]) {
        if let Type::Function(signature) = &unit.decl(function.decl).ty.ty {
            open.extend(structure_in(&signature.result));
        }
        let own = function.parameters.iter();
        open.extend(own.filter_map(|d| structure_in(&unit.decl(*d).ty)));
    }
    (with_inner(unit, open), walked)
}

/// The structures whose members overlap those of others: in unions, or through converted pointers.
fn overlaid(unit: &Unit, unasked: &Unasked) -> Vec<StructId> {
    let unions = unit.structures.iter().filter(|s| s.union);
    let members = unions.flat_map(|s| &s.members);
    let mut found: Vec<StructId> = members.filter_map(|m| structure_in(&m.ty)).collect();
    for e in expressions(unit).filter(|e| !unasked.has(*e)) {
        if let ExprKind::Cast(ty, a) = &unit.expr(e).kind
            && let (Some(to), Some(of)) = (ty.target(), pointed_to(unit, *a))
            && to.element().ty != Type::Void
            && to.element().ty != Type::Struct(of)
        {
            found.push(of);
            found.extend(structure_in(to));
        }
    }
    found
}

/// The structure that a pointer leads to, conversions disregarded.
fn pointed_to(unit: &Unit, e: ExprId) -> Option<StructId> {
    structure_in(
        unit.expr(strip_conversions(unit, e))
            .ty
            .as_ref()?
            .target()?,
    )
}

/// The structures, and those inside of them.
fn with_inner(unit: &Unit, mut open: Vec<StructId>) -> BTreeSet<StructId> {
    let mut found = BTreeSet::new();
    while let Some(s) = open.pop() {
        if found.insert(s) {
            let members = unit.structure(s).members.iter();
            open.extend(members.filter_map(|m| structure_in(&m.ty)));
        }
    }
    found
}

/// Removes the expressions that name members that are left out: their initial values, and expressions that are not
/// needed.
fn forget_uses(unit: &mut Unit, unasked: &Unasked) {
    let is_left_out = |unit: &Unit, s: StructId, name: &str| {
        let structure = unit.structure(s);
        structure.declared.is_some() && structure.members.iter().all(|m| *m.name != *name)
    };
    for e in expressions(unit) {
        for a in printed(unit, e) {
            let mut names_it = false;
            unit.walk(a, &mut |e| {
                let member = unit.member_of(e);
                names_it |= member.is_some_and(|(s, name)| is_left_out(unit, s, name));
            });
            if names_it {
                erase_expr(unit, a);
            }
        }
        if let Some((s, name)) = unit.member_of(e)
            && unasked.is_unreached(e)
            && is_left_out(unit, s, name)
        {
            erase_expr(unit, e);
        }
    }
    for d in 0..unit.decls.len() {
        let decl = &unit.decls[d];
        let Some(Init::Parts(parts)) = &decl.init else {
            continue;
        };
        let leads_out = |steps: &[Subscript]| {
            let way = members_on_the_way(unit, &decl.ty, steps);
            way.iter().any(|(s, m)| is_left_out(unit, *s, &m.name))
        };
        let (out, kept): (Vec<_>, Vec<_>) = parts
            .iter()
            .cloned()
            .partition(|(steps, _)| leads_out(steps));
        if out.is_empty() {
            continue;
        }
        for (_, e) in out {
            erase_expr(unit, e);
        }
        unit.decls[d].init = Some(Init::Parts(kept));
    }
}

/// The problem of a used member, if there is one. Unions, of which one member is used, are checked elsewhere.
fn refused_member(unit: &Unit, structure: &Structure) -> Option<String> {
    let mut members = structure.members.iter().filter(|_| !structure.union);
    members.find_map(|member| {
        let what = unsupported(unit, &member.ty)?;
        Some(format!("the member {}, {what}", member.name))
    })
}
