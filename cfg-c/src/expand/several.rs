//! Members that are pointers to void and are given pointers of several types, where pointers are values, as the data of a structure
//! `{function, data}`: a member for each type. What they are given goes to the one of its type, and the others are null; a function
//! that is handed such a member is given the one of the type that it takes. If that is not the one which was given, the program stops.

use super::{Bound, Expand, frame::Frame, is_zero, typed::Given};
use crate::{
    ast::{Binary, DeclId, DeclKind, ExprId, ExprKind, Init, Member, StmtKind, StructId, Unit},
    callback_data::{Holder, holder},
    calls::holds,
    codes,
    points::{bare, library_call},
    types::{Arith, Qualified, Type},
};
use cfg_core::ir::Subscript;
use std::{
    collections::{BTreeMap, BTreeSet, HashSet},
    rc::Rc,
};

/// More types are not told apart.
const MAX_TYPES: usize = 8;

/// A member, and for each type that it is given the member for it.
pub(super) type Several = BTreeMap<(StructId, Rc<str>), Vec<(Qualified, Rc<str>)>>;

/// What a parameter is, and the argument for it, if there is one; or an expression that stands for the call.
type Passed = Result<(Option<Bound>, Option<ExprId>), ExprId>;

/// The expressions whose values nothing uses.
fn discarded(unit: &Unit) -> HashSet<ExprId> {
    let statements = unit.stmts.iter().filter_map(|s| match s.kind {
        StmtKind::Expr(e) => Some(e),
        _ => None,
    });
    statements.collect()
}

/// The types that a member is given, if there are several, and if it is only assigned and handed on.
fn types(unit: &Unit, given: &Given, member: &Holder) -> Option<Vec<Qualified>> {
    let mut types: Vec<Qualified> = Vec::new();
    for e in given.values.get(member)? {
        let e = bare(unit, *e);
        if is_zero(unit, e) || holder(unit, e).as_ref() == Some(member) {
            continue;
        }
        let to = unit.expr(e).ty.as_ref().and_then(Qualified::target)?;
        let is_byte = to.arith().is_some_and(|ty| ty.size() == 1);
        if to.ty == Type::Void || is_byte {
            return None;
        }
        if !types.iter().any(|known| known.ty == to.ty) {
            types.push(Qualified::plain(to.ty.clone()));
        }
    }
    (2..=MAX_TYPES).contains(&types.len()).then_some(types)
}

/// True if a member is assigned and handed to functions of the file, and nothing else is done with it.
fn is_handed_on(unit: &Unit, member: &Holder, discarded: &HashSet<ExprId>) -> bool {
    let is_it = |e: ExprId| holder(unit, e).as_ref() == Some(member);
    let plain = |e: ExprId| unit.operands(e).iter().all(|of| !unit.expr(*of).effects);
    let mut known = BTreeSet::new();
    for (k, node) in unit.exprs.iter().enumerate() {
        let e = ExprId(k as u32);
        match &node.kind {
            ExprKind::Assign(None, target, value) if is_it(*target) => {
                let from = bare(unit, *value);
                if !discarded.contains(&e) || !plain(*target) || is_it(from) && !plain(from) {
                    return false;
                }
                known.extend([*target, *value, from]);
            }
            ExprKind::Call(_, arguments) if library_call(unit, e).is_none() => {
                known.extend(arguments.iter().copied().filter(|a| plain(*a)));
            }
            _ => {}
        }
    }
    let all = (0..unit.exprs.len()).map(|k| ExprId(k as u32));
    all.filter(|e| is_it(*e)).all(|e| known.contains(&e))
}

/// True of a structure that callers give, in a parameter or a variable.
fn is_given(unit: &Unit, s: StructId, heads: &BTreeSet<DeclId>) -> bool {
    let is_it = |ty: &Type| *ty == Type::Struct(s);
    let mut decls = (0..unit.decls.len()).map(|k| DeclId(k as u32));
    decls.any(|d| {
        let decl = unit.decl(d);
        let outside = heads.contains(&d) || decl.external && decl.kind == DeclKind::Global;
        outside && holds(unit, &decl.ty, is_it)
    })
}

impl Expand<'_> {
    /// Gives a member for each type to those that are given several.
    pub(super) fn split_void(
        &mut self,
        given: &Given,
        members: &[Holder],
        heads: &BTreeSet<DeclId>,
    ) {
        let discarded = discarded(self.unit);
        for member in members {
            let Holder::Member(s, name) = member else {
                continue;
            };
            let Some(types) = types(self.unit, given, member) else {
                continue;
            };
            if is_handed_on(self.unit, member, &discarded) && !is_given(self.unit, *s, heads) {
                self.split_member(member, (*s, name), types);
            }
        }
    }

    fn split_member(
        &mut self,
        member: &Holder,
        (s, name): (StructId, &Rc<str>),
        types: Vec<Qualified>,
    ) {
        let mut parts: Vec<(Qualified, Rc<str>)> = Vec::new();
        for ty in types {
            let mut own = Rc::clone(name);
            let mut number = parts.len();
            let is_new = |own: &Rc<str>, unit: &Unit| {
                unit.member(s, own).is_none() && parts.iter().all(|(_, name)| name != own)
            };
            while !parts.is_empty() && !is_new(&own, self.unit) {
                number += 1;
                own = Rc::from(format!("{name}_{number}"));
            }
            parts.push((ty, own));
        }
        // Members have their old types where they are looked for.
        for d in 0..self.unit.decls.len() {
            let decl = &self.unit.decls[d];
            let Some(Init::Parts(given)) = &decl.init else {
                continue;
            };
            let mut given = given.clone();
            for (steps, value) in &mut given {
                if super::typed::member_at(self.unit, &decl.ty, steps).as_ref() == Some(member)
                    && let Some(part) = self.part_for(*value, &parts)
                    && let Some(last) = steps.last_mut()
                {
                    *last = Subscript::Field(part.as_ref().into());
                }
            }
            self.unit.decls[d].init = Some(Init::Parts(given));
        }
        let members = &mut self.unit.structures[s.index()].members;
        for (ty, own) in &parts {
            let pointer = Qualified::plain(Type::Pointer(Rc::new(ty.clone())));
            let at = members.iter().find(|m| m.name == *name).map(|m| m.at);
            match members.iter_mut().find(|m| m.name == *own) {
                Some(first) => first.ty.ty = pointer.ty,
                None => members.push(Member {
                    name: Rc::clone(own),
                    ty: pointer,
                    at: at.unwrap_or_default(),
                }),
            }
        }
        for e in (0..self.unit.exprs.len()).map(|k| ExprId(k as u32)) {
            if let ExprKind::Assign(None, target, value) = self.unit.expr(e).kind
                && holder(self.unit, target).as_ref() == Some(member)
            {
                self.assign_parts(e, (target, value), &parts);
            }
        }
        self.several.insert((s, Rc::clone(name)), parts);
    }

    /// The member for what an expression leads to; none of null.
    fn part_for(&self, value: ExprId, parts: &[(Qualified, Rc<str>)]) -> Option<Rc<str>> {
        let value = bare(self.unit, value);
        let to = self.unit.expr(value).ty.as_ref()?.target()?;
        let part = parts.iter().find(|(ty, _)| ty.ty == to.ty);
        part.map(|(_, name)| Rc::clone(name))
    }

    /// Makes an assignment one of each member.
    fn assign_parts(
        &mut self,
        e: ExprId,
        (target, value): (ExprId, ExprId),
        parts: &[(Qualified, Rc<str>)],
    ) {
        let ExprKind::Member(of, _, arrow) = self.unit.expr(target).kind else {
            return;
        };
        let value = bare(self.unit, value);
        let own = self
            .part_for(value, parts)
            .filter(|_| !is_zero(self.unit, value));
        let copied = match self.unit.expr(value).kind {
            ExprKind::Member(from, _, arrow) if own.is_none() && !is_zero(self.unit, value) => {
                Some((from, arrow))
            }
            _ => None,
        };
        let mut all = Vec::new();
        for (ty, name) in parts {
            let new = match copied {
                _ if own.as_ref() == Some(name) => value,
                Some((from, arrow)) => self.add(ExprKind::Member(from, Rc::clone(name), arrow), e),
                None => {
                    let pointer = Qualified::plain(Type::Pointer(Rc::new(ty.clone())));
                    let zero = self.add(ExprKind::Int(0, Arith::INT), e);
                    self.add(ExprKind::Cast(Rc::new(pointer), zero), e)
                }
            };
            let place = self.add(ExprKind::Member(of, Rc::clone(name), arrow), e);
            all.push((
                own.as_ref() != Some(name),
                ExprKind::Assign(None, place, new),
            ));
        }
        // The value is that which is given, and it is found before anything is assigned.
        all.sort_by_key(|(is_other, _)| *is_other);
        let mut assigns = all.into_iter().map(|(_, assign)| assign);
        let Some(mut made) = assigns.next() else {
            return;
        };
        for assign in assigns {
            let (first, next) = (self.add(made, e), self.add(assign, e));
            made = ExprKind::Binary(Binary::Comma, first, next);
        }
        let node = &mut self.unit.exprs[e.index()];
        node.kind = made;
        node.ty = None;
        self.unit.find_effects(e);
    }

    /// What a parameter is that is handed such a member, and the one of its type, behind the test that no other one was given; none
    /// where the argument is something else. An error is an expression that stands for the call.
    pub(super) fn handed(&mut self, p: DeclId, a: ExprId, frame: &Frame) -> Option<Passed> {
        let a = bare(self.unit, a);
        let ExprKind::Member(of, _, arrow) = self.unit.expr(a).kind else {
            return None;
        };
        let (s, name) = self.unit.member_of(a)?;
        let parts = self.several.get(&(s, Rc::clone(name)))?.clone();
        let ty = self.unit.decl(p).ty.clone();
        let void = ty.target().filter(|to| to.ty == Type::Void);
        let taken = match void {
            Some(_) => self.taken_for.get(&p),
            None => ty.target(),
        };
        if taken.is_none() && !self.is_used(p) {
            return Some(Ok((Some(Bound::Null), None)));
        }
        let taken = taken.and_then(|taken| parts.iter().find(|(ty, _)| ty.ty == taken.ty));
        let Some((to, part)) = taken else {
            let p = &self.unit.decl(p).name;
            let message = format!(
                "{name} is given pointers of several types, and {p} is converted to none of them, or to several"
            );
            let help = "convert it to the type that it has, in the function itself";
            let at = self.unit.expr(a).at;
            self.sink.error(&codes::POINTER, at, message, help);
            return Some(Err(self.add(ExprKind::Bad, a)));
        };
        let of = frame.get(of);
        let mut others = None;
        for (_, other) in parts.iter().filter(|(_, name)| name != part) {
            let other = self.add(ExprKind::Member(of, Rc::clone(other), arrow), a);
            let null = self.null(a);
            let test = self.add(ExprKind::Binary(Binary::Eq, other, null), a);
            others = Some(match others {
                None => test,
                Some(before) => self.add(ExprKind::Binary(Binary::And, before, test), a),
            });
        }
        let mut before = Vec::new();
        if let Some(test) = others {
            // Another one is a run-time error: a division by 0.
            let one = self.add(ExprKind::Int(1, Arith::ADDRESS), a);
            let quotient = self.add(ExprKind::Binary(Binary::Div, one, test), a);
            let nothing = self.add(ExprKind::Int(0, Arith::ADDRESS), a);
            let test = self.add(ExprKind::Binary(Binary::Ne, quotient, nothing), a);
            let empty = self.made(StmtKind::Empty, a);
            before.push(self.made(StmtKind::If(vec![(test, empty)], None), a));
        }
        let value = self.add(ExprKind::Member(of, Rc::clone(part), arrow), a);
        let value = self.behind(&before, Some(value), a);
        let bound = void.map(|void| {
            Bound::Points(Qualified {
                constant: void.constant,
                ..to.clone()
            })
        });
        Some(Ok((bound, Some(value))))
    }

    /// True of a parameter that is named elsewhere than in `(void)p`.
    fn is_used(&self, p: DeclId) -> bool {
        let Some(f) = self.unit.decl(p).function else {
            return true;
        };
        let part = self.read[f].part.clone().map(ExprId);
        let is_it = |e: ExprId| matches!(self.unit.expr(e).kind, ExprKind::Name(d) if d == p);
        let passed_over = part.clone().filter(|e| match &self.unit.expr(*e).kind {
            ExprKind::Cast(ty, a) => ty.ty == Type::Void && is_it(*a),
            _ => false,
        });
        part.filter(|e| is_it(*e)).count() > passed_over.count()
    }
}
