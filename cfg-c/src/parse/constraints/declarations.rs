//! Constraints of C on declarations (C11 6.7): storage classes, types of variables, repeated declarations, and
//! initial values.

use crate::{
    ast::{Decl, DeclId, DeclKind, ExprId, ExprKind, Init, StructId, initial_exprs},
    braces, codes, constant,
    parse::{
        Entry, Parser,
        declaration::Storage,
        linkage::{Compatible, are_compatible},
    },
    source::Pos,
    types::{Arith, Qualified, Type},
};
use std::rc::Rc;

impl Parser<'_> {
    /// Reports a name that is declared in one block both as a type and as something else.
    pub(in crate::parse) fn check_typedef(&mut self, name: &str, ty: &Qualified, at: Pos) {
        let [_, .., scope] = &self.scopes[..] else {
            return;
        };
        let is_same = match scope.names.get(name) {
            Some(Entry::Typedef(old)) => are_compatible(&self.unit, old, ty, Compatible::InFile),
            Some(Entry::Decl(_)) => false,
            None => true,
        };
        if !is_same {
            self.declared_twice(name, at);
        }
    }

    pub(in crate::parse) fn declared_twice(&mut self, name: &str, at: Pos) {
        let message = format!("{name} is declared twice");
        self.sink
            .error(&codes::TWICE, at, message, "rename one of the two");
    }

    /// Reports a storage class that the kind of the declaration, or an earlier declaration in the scope, forbids.
    pub(in crate::parse) fn check_storage(&mut self, decl: &Decl, storage: Option<Storage>) {
        let in_block = self.scopes.len() > 1;
        let is_function = decl.kind == DeclKind::Function;
        let belongs = match storage {
            Some(Storage::Static) => !(is_function && in_block),
            Some(Storage::Register) => !is_function && in_block,
            Some(Storage::Auto) => is_function || in_block,
            Some(Storage::Typedef | Storage::Extern) | None => true,
        };
        if !belongs {
            self.syntax_error(decl.at, "this storage class does not belong here");
        }
        let Some(Entry::Decl(old)) = self.scopes.last().and_then(|s| s.names.get(&decl.name))
        else {
            return;
        };
        let old = self.unit.decl(*old);
        if old.library.is_some() || self.is_header(old.at) || old.kind != decl.kind {
            return;
        }
        let differs = match storage {
            Some(Storage::Static) => !old.internal,
            None => old.internal && decl.kind == DeclKind::Global,
            Some(_) => false,
        };
        if differs {
            let message = format!("{} is static in one of its declarations only", decl.name);
            let help = "write static in the first one, too, or in none";
            self.sink.error(&codes::TWICE, decl.at, message, help);
        }
    }

    /// Reports an extent that is no number of elements.
    pub(in crate::parse) fn check_extent(&mut self, e: ExprId) {
        let help = "give the number of the elements";
        self.check_integer(e, "an extent is no integer", help);
        if constant::integer(&self.unit, e).is_some_and(|(n, _)| n < 0) {
            let at = self.unit.expr(e).at;
            self.sink
                .error(&codes::VALUE, at, "an extent is negative", help);
        }
    }

    /// Reports a variable whose type has no size.
    pub(in crate::parse) fn check_variable(&mut self, d: DeclId) {
        let decl = self.unit.decl(d);
        let is_made = match decl.kind {
            DeclKind::Local | DeclKind::Static => true,
            DeclKind::Global => !decl.external && decl.ty.ty == Type::Void,
            DeclKind::Parameter | DeclKind::Function | DeclKind::Constant(_) => false,
        };
        let is_void = decl.ty.ty == Type::Void;
        if is_made && decl.init.is_none() && (is_void || self.is_incomplete(&decl.ty)) {
            let (at, message) = (decl.at, format!("the size of {} is not known", decl.name));
            let help = "declare it with a type that is complete";
            self.sink.error(&codes::OPERAND, at, message, help);
        }
        self.check_kept(d);
    }

    /// Reports a variable that is kept between calls although its extent or initial value differs from call to call.
    fn check_kept(&mut self, d: DeclId) {
        let unit = &self.unit;
        let decl = unit.decl(d);
        if !matches!(decl.kind, DeclKind::Static | DeclKind::Global) {
            return;
        }
        let find = |e: ExprId, is: &dyn Fn(DeclKind) -> bool| {
            let mut found = None;
            unit.walk(e, &mut |e| {
                if let ExprKind::Name(d) = unit.expr(e).kind
                    && is(unit.decl(d).kind)
                {
                    found = Some(unit.expr(e).at);
                }
            });
            found
        };
        let is_variable = |kind| !matches!(kind, DeclKind::Function | DeclKind::Constant(_));
        let is_own = |kind| matches!(kind, DeclKind::Local | DeclKind::Parameter);
        let values = initial_exprs(decl.init.as_ref());
        let value = values.into_iter().find_map(|e| find(e, &is_own));
        let (mut extent, mut ty) = (None, &decl.ty);
        while let Type::Array(of, e) = &ty.ty {
            extent = extent.or(e.and_then(|e| find(e, &is_variable)));
            ty = of;
        }
        let (at, name) = (decl.at, Rc::clone(&decl.name));
        if let Some(at) = value {
            let help = "write a number, or the address of a variable that is kept";
            self.sink.error(
                &codes::INITIAL,
                at,
                "the initial value is no constant",
                help,
            );
        }
        if extent.is_some() {
            let message = format!("an extent of {name} is no positive constant");
            self.sink
                .error(&codes::VALUE, at, message, "write a number");
        }
    }

    /// Reports a member of a type that members cannot have, and a member behind an array without an extent.
    pub(in crate::parse) fn check_member(
        &mut self,
        id: StructId,
        name: &str,
        ty: &Qualified,
        at: Pos,
    ) {
        let structure = self.unit.structure(id);
        let is_open = |ty: &Qualified| matches!(ty.ty, Type::Array(_, None));
        let follows = structure.members.last().is_some_and(|m| is_open(&m.ty));
        let is_first = structure.members.is_empty() && is_open(ty);
        if matches!(ty.ty, Type::Void | Type::Function(_))
            || !structure.union && follows
            || is_first
        {
            let message = format!("{name} has no size that a member has");
            let help = "an array without an extent is the last member, behind others";
            self.sink.error(&codes::OPERAND, at, message, help);
        }
    }

    /// Reports a bit-field whose type admits no field of this width.
    pub(in crate::parse) fn check_width(&mut self, ty: &Qualified, bits: ExprId, at: Pos) {
        let most = match &ty.ty {
            Type::Arith(Arith::Int(of)) => of.bits(),
            Type::Refused(_) => return,
            _ => 0,
        };
        let width = constant::integer(&self.unit, bits);
        if most == 0 || width.is_some_and(|(n, _)| !(1..=i128::from(most)).contains(&n)) {
            let help = "give an integer type that is as wide";
            self.sink
                .error(&codes::OPERAND, at, "no bit-field has this width", help);
        }
    }

    /// Reports initial values that do not convert to the types of their parts.
    pub(in crate::parse) fn check_initial(&mut self, ty: &Qualified, init: &Init) {
        match init {
            Init::Wrong(problem) if problem.certain => self.sink.tell(problem),
            Init::Wrong(_) => {}
            Init::Expr(_) | Init::Parts(_) => {
                for (steps, e) in init.given_values() {
                    if let Some(part) = braces::type_at(&self.unit, ty, steps) {
                        let part = part.clone();
                        self.check_given(&part, e);
                    }
                }
            }
        }
    }
}
