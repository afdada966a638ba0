//! Functions that the caller gives and that an option or pragma says to be one of the files: `external(net.act
//! is(tanh_of))`.

use super::{Entry, Parser};
use crate::{
    ast::{DeclId, DeclKind, ExprId, ExprKind, Init, StructId, Unary},
    calls::{callable, is_function_pointer},
    codes,
    lex::Token,
    preprocess::External,
    reach::InFile,
    structures::members_on_the_way,
    telling::Telling,
    texts::forget,
    types::{Qualified, Type},
};
use std::{
    cell::OnceCell,
    collections::{BTreeSet, HashSet},
    rc::Rc,
};

impl Parser<'_> {
    /// A parameter of the functions to differentiate, a variable of another file, or the member of a structure, is this
    /// function of the files, or null, wherever it is read.
    pub(super) fn given_function(&mut self, external: &External, is: &Token, heads: &[InFile]) {
        let at = external.name.at;
        let mut function = self.function_named(&is.text);
        if function.is_none() {
            // Static functions of other files.
            let statics = self.unit.files.iter().filter_map(|f| f.get(&is.text));
            let statics: Vec<DeclId> = statics.map(|f| self.unit.functions[*f].decl).collect();
            if let [one, other, ..] = statics[..] {
                let [one, other] = [one, other].map(|d| self.place(self.unit.decl(d).at));
                let message = format!("static functions {} are in {one} and in {other}", is.text);
                let help = "name one that is defined once: write a function that calls the one that is meant";
                self.sink.error(&codes::UNKNOWN, is.at, message, help);
                return;
            }
            function = statics.first().copied();
        }
        if function.is_none() && !is.is("NULL") {
            let message = format!("no function {} is declared", is.text);
            let help = "name one that the files define, or NULL";
            self.sink.error(&codes::UNKNOWN, is.at, message, help);
            return;
        }
        let (unit, name) = (&self.unit, &external.name.text);
        let mut types: Vec<&Qualified> = Vec::new();
        let (mut variables, mut members) = (HashSet::new(), HashSet::new());
        if let Some(member) = &external.member {
            let typedef = match self.scopes.first().and_then(|s| s.names.get(name)) {
                Some(Entry::Typedef(ty)) => Some(ty.ty.clone()),
                Some(Entry::Decl(_)) | None => None,
            };
            for (k, structure) in unit.structures.iter().enumerate() {
                let s = StructId(k as u32);
                let is_named = structure.name.as_ref() == Some(name);
                if let Some(member) = unit.member(s, &member.text)
                    && (is_named || typedef == Some(Type::Struct(s)))
                {
                    members.insert((s, Rc::clone(&member.name)));
                    types.push(&member.ty);
                }
            }
        } else {
            let heads = heads.iter();
            let heads = heads.filter_map(|(file, name)| unit.function_named(*file, name));
            let own = heads.flat_map(|f| unit.functions[f].parameters.iter().copied());
            let all = (0..unit.decls.len()).map(|k| DeclId(k as u32));
            let elsewhere = all.filter(|d| {
                let decl = unit.decl(*d);
                decl.external && decl.kind == DeclKind::Global
            });
            for d in own.chain(elsewhere).filter(|d| unit.decl(*d).name == *name) {
                variables.insert(d);
                types.push(&unit.decl(d).ty);
            }
        }
        let named = match &external.member {
            Some(member) => format!("{name}.{}", member.text),
            None => name.to_string(),
        };
        let fits = |ty: &&Qualified| match &ty.ty {
            Type::Pointer(to) => {
                let fits = function.is_none_or(|g| callable(&to.ty, &unit.decl(g).ty.ty));
                is_function_pointer(ty) && fits
            }
            _ => false,
        };
        if types.is_empty() || !types.iter().all(fits) {
            let message = format!("{named} is no pointer to functions as {}", is.text);
            let help = "name a parameter of the function to differentiate that is such a pointer, or a member: structure.member";
            return self.no_external(at, message, help);
        }
        let is_member = |s: StructId, name: &Rc<str>| members.contains(&(s, Rc::clone(name)));
        let is_it = |e: ExprId| match unit.expr(e).kind {
            ExprKind::Name(d) => variables.contains(&d),
            _ => (unit.member_of(e)).is_some_and(|(s, name)| is_member(s, name)),
        };
        let has_it = |ty: &Qualified| {
            let mut open = vec![ty.element()];
            while let Some(ty) = open.pop() {
                if let Type::Struct(s) = ty.ty {
                    if members.iter().any(|(of, _)| *of == s) {
                        return true;
                    }
                    open.extend(unit.structure(s).members.iter().map(|m| m.ty.element()));
                }
            }
            false
        };
        // Sizes are those of pointers, and effects would be lost.
        let telling = OnceCell::new();
        let is_plain = |e: ExprId| {
            let telling = || telling.get_or_init(|| Telling::of(unit));
            !unit.expr(e).effects || telling().only_tells(unit, e)
        };
        let mut kept = HashSet::new();
        let (mut changed, mut found) = (None, BTreeSet::new());
        for e in (0..unit.exprs.len()).map(|k| ExprId(k as u32)) {
            let node = unit.expr(e);
            match node.kind {
                ExprKind::Assign(_, a, _)
                | ExprKind::Step { of: a, .. }
                | ExprKind::Unary(Unary::Address, a)
                    if is_it(a) =>
                {
                    changed.get_or_insert(node.at);
                }
                ExprKind::SizeofExpr(a) => {
                    kept.insert(a);
                    if unit.expr(a).ty.as_ref().is_some_and(&has_it) {
                        changed.get_or_insert(node.at);
                    }
                }
                // Memory of this size is allocated, cleared or copied.
                ExprKind::SizeofType(ref ty) if has_it(ty) => {
                    changed.get_or_insert(node.at);
                }
                ExprKind::Unary(Unary::Deref, a) if found.contains(&a) => {
                    found.insert(e);
                }
                _ if is_it(e) => {
                    found.insert(e);
                }
                _ => {}
            }
        }
        for decl in &unit.decls {
            for (steps, _) in decl.init.iter().flat_map(Init::given) {
                let way = members_on_the_way(unit, &decl.ty, steps);
                if way.last().is_some_and(|(s, m)| is_member(*s, &m.name)) {
                    changed.get_or_insert(decl.at);
                }
            }
            // Pointers that an initial value does not name are null. Variables of files without one have what functions
            // gave them that are not called here.
            let is_cleared = match &decl.init {
                Some(init) => !matches!(init, Init::Expr(_)),
                None => decl.kind == DeclKind::Static,
            };
            if is_cleared && has_it(&decl.ty) {
                changed.get_or_insert(decl.at);
            }
        }
        if let Some(at) = changed {
            let message = format!(
                "{named} is said to be {}, and is given something here",
                is.text
            );
            return self.no_external(at, message, "leave one of the two out");
        }
        found.retain(|e| !kept.contains(e));
        if let Some(e) = found.iter().find(|e| !is_plain(**e)) {
            let at = unit.expr(*e).at;
            let message = format!("{named} is read by an expression that changes something");
            return self.no_external(at, message, "change it in a statement before");
        }
        self.unit.callback = Some(named.into());
        if function.is_none() {
            // A null pointer is never called: its arguments are not evaluated.
            for e in (0..self.unit.exprs.len()).map(|k| ExprId(k as u32)) {
                if let ExprKind::Call(f, arguments) = &self.unit.expr(e).kind
                    && found.contains(f)
                {
                    for a in Rc::clone(arguments).iter() {
                        if !self.unit.expr(*a).effects {
                            forget(&mut self.unit, *a);
                        }
                    }
                }
            }
        }
        for e in found {
            let ty = self.unit.expr(e).ty.clone();
            forget(&mut self.unit, e);
            if let Some(g) = function {
                let node = &mut self.unit.exprs[e.index()];
                (node.kind, node.ty) = (ExprKind::Name(g), ty);
            }
        }
    }
}
