//! Texts that are only printed: variables, members, parameters and results of type pointer to characters, such as the
//! names in a table of structures, the `const char *what` of an error handler, or the result of a function that names
//! a status.
//!
//! Printing is left out, so the value of such a pointer does not matter: the pointer becomes a number, and all texts
//! assigned to it become 0. A pointer that is compared, read in another way, or handed on to anything else stays a
//! pointer. The analysis starts with all candidates, and removes those with another use and those that are assigned
//! from or to a removed one.

pub(crate) mod kept;
mod tested;

use crate::{
    ast::initial_exprs,
    ast::{DeclId, DeclKind, ExprId, ExprKind, StructId, Unit},
    braces,
    math::How,
    points::how_called,
    types::{Arith, Int, Qualified, Type},
};
use cfg_core::ir::Subscript;
use std::{
    collections::{BTreeMap, BTreeSet, HashSet},
    rc::Rc,
};

/// A variable or parameter by its number, a member, or the result of a function.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Text {
    Variable(u32),
    Member(u32, Rc<str>),
    Result(usize),
}

/// The candidates for texts that are only printed.
#[derive(Default)]
struct Candidates {
    all: BTreeSet<Text>,
    /// For each candidate, those that are assigned to it: if it must stay a pointer, so must they.
    given: BTreeMap<Text, Vec<Text>>,
    against: Vec<Text>,
    /// The expressions assigned to each text, without calls.
    values: Vec<(Text, ExprId)>,
    /// The results of functions assigned to each text.
    results: BTreeMap<Text, Vec<Text>>,
    /// The texts that are compared with null; `nulls`: the null pointers assigned to texts.
    tested: BTreeSet<Text>,
    nulls: Vec<(Text, ExprId)>,
}

/// Turns texts that are only printed into numbers, except for parameters of the functions `roots`.
pub(crate) fn leave_out(unit: &mut Unit, roots: &[usize]) {
    let mut candidates = Candidates::find(unit, roots);
    if candidates.all.is_empty() {
        return;
    }
    candidates.look_at_uses(unit);
    candidates.follow_tests(unit);
    while let Some(text) = candidates.against.pop() {
        if candidates.all.remove(&text) {
            let others = candidates.given.remove(&text);
            candidates.against.extend(others.into_iter().flatten());
        }
    }
    let Candidates {
        all,
        values,
        tested,
        nulls,
        ..
    } = candidates;
    if all.is_empty() {
        return;
    }
    let leads = |e: ExprId| {
        let place = match unit.expr(e).kind {
            ExprKind::Assign(_, target, _) => target,
            _ => e,
        };
        text_of(unit, place).is_some_and(|text| all.contains(&text))
    };
    let exprs = (0..unit.exprs.len()).map(|e| ExprId(e as u32));
    let changed: Vec<ExprId> = exprs.filter(|e| leads(*e)).collect();
    for e in changed {
        let node = &mut unit.exprs[e.index()];
        node.ty = node.ty.as_ref().map(numbered);
    }
    for (text, value) in values {
        match all.contains(&text) {
            true if tested.contains(&text) => tested::number(unit, value),
            true => erase_expr(unit, value),
            false => {}
        }
    }
    for (text, null) in nulls {
        if all.contains(&text) {
            erase_expr(unit, null);
        }
    }
    for text in &all {
        match text {
            Text::Variable(d) => {
                let decl = &mut unit.decls[*d as usize];
                decl.ty = numbered(&decl.ty);
            }
            Text::Member(s, name) => {
                for member in &mut unit.structures[*s as usize].members {
                    if member.name == *name {
                        member.ty = numbered(&member.ty);
                    }
                }
            }
            Text::Result(_) => {}
        }
    }
    number_signatures(unit, &all);
}

/// Updates the types of functions whose parameters or results have become numbers.
fn number_signatures(unit: &mut Unit, all: &BTreeSet<Text>) {
    for decl in &mut unit.decls {
        let (Some(f), Type::Function(signature)) = (decl.definition, &mut decl.ty.ty) else {
            continue;
        };
        let own = &unit.functions[f].parameters;
        let is_text = |d: &DeclId| all.contains(&Text::Variable(d.0));
        if all.contains(&Text::Result(f)) {
            let result = &mut Rc::make_mut(signature).result;
            *result = numbered(result);
        }
        if own.iter().any(is_text) {
            let parameters = &mut Rc::make_mut(signature).parameters;
            for (p, _) in parameters.iter_mut().zip(own).filter(|(_, d)| is_text(d)) {
                p.ty = numbered(&p.ty);
            }
        }
    }
}

/// Replaces an expression and all its operands by 0, so that it names nothing.
pub(crate) fn erase_expr(unit: &mut Unit, e: ExprId) {
    let mut all = Vec::new();
    unit.walk(e, &mut |e| all.push(e));
    for e in all {
        let node = &mut unit.exprs[e.index()];
        node.kind = ExprKind::Int(0, Arith::ADDRESS);
        node.ty = Some(Qualified::unqualified(Type::Arith(Arith::ADDRESS)));
    }
}

/// True of pointers to characters, and arrays of them.
pub(crate) fn is_text(ty: &Qualified) -> bool {
    matches!(&ty.element().ty, Type::Pointer(of) if of.arith() == Some(Arith::Int(Int::Char)))
}

/// The type with numbers in place of texts. Recursion is as deep as declarators nest.
fn numbered(ty: &Qualified) -> Qualified {
    let inner = match &ty.ty {
        Type::Array(of, extent) => Type::Array(Rc::new(numbered(of)), *extent),
        _ => Type::Arith(Arith::ADDRESS),
    };
    Qualified {
        ty: inner,
        ..ty.clone()
    }
}

/// The text of an expression that is a variable or member, or an element of one.
fn text_of(unit: &Unit, e: ExprId) -> Option<Text> {
    let mut place = e;
    if !unit.expr(e).ty.as_ref().is_some_and(is_text) {
        return None;
    }
    loop {
        match &unit.expr(place).kind {
            ExprKind::Index(a, _) => place = *a,
            ExprKind::Name(d) => return Some(Text::Variable(d.0)),
            ExprKind::Call(..) if place == e => {
                return unit.own_call(e).map(|(f, _)| Text::Result(f));
            }
            ExprKind::Member(..) => {
                let (s, name) = unit.member_of(place)?;
                return Some(Text::Member(s.0, Rc::clone(name)));
            }
            _ => return None,
        }
    }
}

/// The structures that types lead to.
fn structures<'u>(unit: &'u Unit, types: impl Iterator<Item = &'u Qualified>) -> HashSet<StructId> {
    let mut seen = HashSet::new();
    let mut open: Vec<&Qualified> = types.collect();
    while let Some(ty) = open.pop() {
        if let Type::Struct(s) = ty.bottom().ty
            && seen.insert(s)
        {
            open.extend(unit.structure(s).members.iter().map(|m| &m.ty));
        }
    }
    seen
}

impl Candidates {
    fn find(unit: &Unit, roots: &[usize]) -> Self {
        let mut found = Self::default();
        let heads = roots.iter().map(|f| &unit.functions[*f]);
        let given = heads.clone().flat_map(|f| &f.parameters);
        let given = given.map(|d| &unit.decl(*d).ty);
        let results = heads.filter_map(|f| match &unit.decl(f.decl).ty.ty {
            Type::Function(signature) => Some(&signature.result),
            _ => None,
        });
        let elsewhere = unit.decls.iter().filter(|d| d.external).map(|d| &d.ty);
        let shared = structures(unit, given.chain(results).chain(elsewhere));
        for (k, decl) in unit.decls.iter().enumerate() {
            let own = match decl.kind {
                DeclKind::Local | DeclKind::Static | DeclKind::Global => !decl.external,
                DeclKind::Parameter | DeclKind::Function | DeclKind::Constant(_) => false,
            };
            if own && is_text(&decl.ty) {
                found.all.insert(Text::Variable(k as u32));
            }
        }
        for (f, function) in unit.functions.iter().enumerate() {
            // The calls of functions of the library for texts are not known yet: their parameters are no candidates.
            let is_called = unit.decl(function.decl).definition == Some(f);
            if roots.contains(&f) || function.given.is_some() || !is_called {
                continue;
            }
            let own = function.parameters.iter();
            let own = own.filter(|d| is_text(&unit.decl(**d).ty));
            found.all.extend(own.map(|d| Text::Variable(d.0)));
            if let Type::Function(signature) = &unit.decl(function.decl).ty.ty
                && is_text(&signature.result)
            {
                found.all.insert(Text::Result(f));
            }
        }
        for (k, structure) in unit.structures.iter().enumerate() {
            let s = StructId(k as u32);
            for member in structure.members.iter().filter(|m| is_text(&m.ty)) {
                if !shared.contains(&s) {
                    found.all.insert(Text::Member(s.0, Rc::clone(&member.name)));
                }
            }
        }
        found
    }

    /// Notes the value assigned to a text. Texts in the value are used wherever that one is.
    fn give(&mut self, unit: &Unit, text: &Text, value: ExprId, allowed: &mut HashSet<ExprId>) {
        // A text that is no candidate stays a pointer, and so do the texts assigned to it.
        if !self.all.contains(text) {
            return;
        }
        // The call stays, so text and result must agree: both become numbers, or neither does.
        if let Some((f, _)) = unit.own_call(value)
            && self.all.contains(&Text::Result(f))
        {
            allowed.insert(value);
            let result = Text::Result(f);
            let results = self.results.entry(text.clone()).or_default();
            results.push(result.clone());
            let both = [(text.clone(), result.clone()), (result, text.clone())];
            for (one, other) in both {
                self.given.entry(one).or_default().push(other);
            }
            return;
        }
        if unit.expr(value).effects {
            self.against.push(text.clone());
        }
        self.values.push((text.clone(), value));
        unit.walk(value, &mut |e| {
            allowed.insert(e);
            if let Some(other) = text_of(unit, e) {
                self.given.entry(text.clone()).or_default().push(other);
            }
        });
    }

    /// Notes the arguments and results of functions, and those functions that are named other than in calls.
    fn look_at_functions(&mut self, unit: &Unit, allowed: &mut HashSet<ExprId>) {
        let mut callees: HashSet<ExprId> = HashSet::new();
        for e in (0..unit.exprs.len()).map(|e| ExprId(e as u32)) {
            let Some((f, arguments)) = unit.own_call(e) else {
                continue;
            };
            if let ExprKind::Call(callee, _) = unit.expr(e).kind {
                callees.insert(callee);
            }
            let parameters = &unit.functions[f].parameters;
            for (p, a) in parameters.iter().zip(arguments.iter()) {
                if is_text(&unit.decl(*p).ty) {
                    self.give(unit, &Text::Variable(p.0), *a, allowed);
                }
            }
        }
        for (e, node) in unit.exprs.iter().enumerate() {
            if let ExprKind::Name(d) = node.kind
                && let Some(f) = unit.decl(d).definition
                && !callees.contains(&ExprId(e as u32))
            {
                let own = unit.functions[f].parameters.iter();
                self.against.extend(own.map(|d| Text::Variable(d.0)));
                self.against.push(Text::Result(f));
            }
        }
        for f in 0..unit.functions.len() {
            let result = Text::Result(f);
            if self.all.contains(&result) {
                for value in unit.returned_exprs(f) {
                    self.give(unit, &result, value, allowed);
                }
            }
        }
    }

    /// Notes all uses of candidates.
    fn look_at_uses(&mut self, unit: &Unit) {
        let mut allowed: HashSet<ExprId> = HashSet::new();
        self.look_at_functions(unit, &mut allowed);
        for e in (0..unit.exprs.len()).map(|e| ExprId(e as u32)) {
            match &unit.expr(e).kind {
                ExprKind::Call(_, arguments) => {
                    let is_without_use = how_called(unit, e).is_some_and(How::is_without_use);
                    for a in arguments.iter().filter(|_| is_without_use) {
                        // An argument with effects is still evaluated; a call may return the text.
                        if unit.own_call(*a).is_some() {
                            allowed.insert(*a);
                        }
                        if !unit.expr(*a).effects {
                            unit.walk(*a, &mut |e| {
                                allowed.insert(e);
                            });
                        }
                    }
                }
                ExprKind::Assign(None, target, value) => {
                    if let Some(text) = text_of(unit, *target)
                        && !unit.expr(*target).effects
                    {
                        self.give(unit, &text, *value, &mut allowed);
                        // The target may be an element, and may name other texts on the way.
                        let mut place = *target;
                        allowed.insert(place);
                        while let ExprKind::Index(a, _) = unit.expr(place).kind {
                            place = a;
                            allowed.insert(place);
                        }
                    }
                }
                _ => {}
            }
        }
        self.look_at_tests(unit, &mut allowed);
        for (k, decl) in unit.decls.iter().enumerate() {
            let Some(init) = &decl.init else { continue };
            if is_text(&decl.ty) {
                let text = Text::Variable(k as u32);
                for value in initial_exprs(Some(init)) {
                    self.give(unit, &text, value, &mut allowed);
                }
                continue;
            }
            for (steps, value) in init.given_values() {
                if let Some(text) = member_at(unit, &decl.ty, steps) {
                    self.give(unit, &text, value, &mut allowed);
                }
            }
        }
        for e in (0..unit.exprs.len()).map(|e| ExprId(e as u32)) {
            // Operands of `sizeof` keep their types.
            if let ExprKind::SizeofExpr(a) = unit.expr(e).kind {
                unit.walk(a, &mut |e| {
                    allowed.insert(e);
                });
            }
        }
        for e in (0..unit.exprs.len()).map(|e| ExprId(e as u32)) {
            if !allowed.contains(&e)
                && let Some(text) = text_of(unit, e)
            {
                self.against.push(text);
            }
        }
    }
}

/// The member for texts that these steps into a type lead to.
fn member_at(unit: &Unit, ty: &Qualified, steps: &[Subscript]) -> Option<Text> {
    let ((s, name), ty) = braces::member_at(unit, ty, steps)?;
    is_text(ty).then(|| Text::Member(s.0, Rc::clone(name)))
}
