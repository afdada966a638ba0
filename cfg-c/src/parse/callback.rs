//! Functions passed by the caller for which an option or pragma names a function of the files: `external(net.act
//! is(tanh_of))`.

use super::{Entry, Parser};
use crate::{
    ast::{DeclId, DeclKind, ExprId, ExprKind, Init, StructId, Unary, Unit},
    calls::{callable, holds_type, is_function_pointer},
    codes,
    lex::Token,
    points::{is_null, strip_conversions},
    preprocess::External,
    reach::InFile,
    source::Pos,
    structures::members_on_the_way,
    telling::Telling,
    texts::erase_expr,
    types::{Qualified, Type},
};
use std::{
    cell::OnceCell,
    collections::{BTreeSet, HashSet},
    rc::Rc,
};

/// Pointers to functions that a caller sets: variables, and members of any object.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Given {
    pub(super) variables: HashSet<DeclId>,
    pub(super) members: HashSet<(StructId, Rc<str>)>,
}

impl Given {
    fn has(&self, s: StructId, name: &Rc<str>) -> bool {
        self.members.contains(&(s, Rc::clone(name)))
    }

    /// True of an expression that is one of these pointers.
    fn is(&self, unit: &Unit, e: ExprId) -> bool {
        match unit.expr(e).kind {
            ExprKind::Name(d) => self.variables.contains(&d),
            _ => (unit.member_of(e)).is_some_and(|(s, name)| self.has(s, name)),
        }
    }
}

/// The parameters of functions to differentiate, and the variables of other files.
fn given_variables(unit: &Unit, heads: &[InFile]) -> impl Iterator<Item = DeclId> {
    let heads = heads.iter();
    let heads = heads.filter_map(|(file, name)| unit.function_named(*file, name));
    let own = heads.flat_map(|f| unit.functions[f].parameters.iter().copied());
    let all = (0..unit.decls.len()).map(|k| DeclId(k as u32));
    let elsewhere = all.filter(|d| {
        let decl = unit.decl(*d);
        decl.external && decl.kind == DeclKind::Global
    });
    own.chain(elsewhere)
}

impl Parser<'_> {
    /// Replaces a parameter of the functions to differentiate, a variable of another file, or a member of a structure
    /// by a function of the files, or by null, wherever it is read.
    pub(super) fn given_function(&mut self, external: &External, is: &Token, heads: &[InFile]) {
        let at = external.name.at;
        let mut function = self.function_named(&is.text);
        if function.is_none() {
            // Static functions of other files may be named, too.
            let statics = self.unit.files.iter().filter_map(|f| f.get(&is.text));
            let statics: Vec<DeclId> = statics.map(|f| self.unit.functions[*f].decl).collect();
            if let [one, other, ..] = statics[..] {
                let [one, other] = [one, other].map(|d| self.describe_place(self.unit.decl(d).at));
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
            for d in given_variables(unit, heads).filter(|d| unit.decl(*d).name == *name) {
                variables.insert(d);
                types.push(&unit.decl(d).ty);
            }
        }
        // A variable may be named in place of its structure, if no other variable leads to one of that type.
        if let Some(member) = external.member.as_ref().filter(|_| types.is_empty())
            && let Some((s, true)) = self.structure_of(name, &member.text, heads)
            && let Some(member) = unit.member(s, &member.text)
        {
            members.insert((s, Rc::clone(&member.name)));
            types.push(&member.ty);
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
            let several = external.member.as_ref().and_then(|member| {
                let (s, _) = self.structure_of(name, &member.text, heads)?;
                let of = unit.structure(s).name.as_ref()?;
                Some(format!(
                    "other variables lead to {of}, too: say it of all, {of}.{}",
                    member.text
                ))
            });
            let help = several.unwrap_or_else(|| "name a parameter of the function to differentiate that is such a pointer, or a member: structure.member".to_owned());
            return self.no_external(at, message, &help);
        }
        let given = Given { variables, members };
        let null = function.is_none();
        if let Some(at) = self.find_change(&given, null) {
            let message = format!(
                "{named} is said to be {}, and is given something here",
                is.text
            );
            return self.no_external(at, message, "leave one of the two out");
        }
        if let Some(at) = self.replace_callback(&given, function) {
            let message = format!("{named} is read by an expression that changes something");
            return self.no_external(at, message, "change it in a statement before");
        }
        self.unit.callback = Some(named.into());
    }

    /// The structure with a member to which a caller's variable leads, and whether no other variable leads to it.
    fn structure_of(
        &self,
        variable: &str,
        member: &str,
        heads: &[InFile],
    ) -> Option<(StructId, bool)> {
        let unit = &self.unit;
        let given: Vec<DeclId> = given_variables(unit, heads).collect();
        let mut named = given.iter().filter(|d| *unit.decl(**d).name == *variable);
        let Type::Struct(s) = unit.decl(*named.next()?).ty.bottom().ty else {
            return None;
        };
        unit.member(s, member)?;
        let leads = |d: &&DeclId| holds_type(unit, &unit.decl(**d).ty, |ty| *ty == Type::Struct(s));
        Some((s, given.iter().filter(leads).count() == 1))
    }

    /// The position of an assignment to the pointers in the files, which contradicts the option. Assignments of null
    /// are allowed if `null`.
    pub(super) fn find_change(&self, given: &Given, null: bool) -> Option<Pos> {
        let unit = &self.unit;
        let is_it = |e: ExprId| given.is(unit, e);
        let is_null = |e: ExprId| null && is_null(unit, e);
        let has_it = |ty: &Qualified| {
            let mut open = vec![ty.element()];
            let mut seen = HashSet::new();
            while let Some(ty) = open.pop() {
                if let Type::Struct(s) = ty.ty
                    && seen.insert(s)
                {
                    if given.members.iter().any(|(of, _)| *of == s) {
                        return true;
                    }
                    open.extend(unit.structure(s).members.iter().map(|m| m.ty.element()));
                }
            }
            false
        };
        let owners: HashSet<usize> = (given.variables.iter())
            .filter_map(|d| unit.decl(*d).function)
            .collect();
        let mut called = HashSet::new();
        for (k, node) in unit.exprs.iter().enumerate() {
            let changes = match node.kind {
                ExprKind::Call(f, _) => {
                    called.insert(f);
                    unit.own_call(ExprId(k as u32))
                        .is_some_and(|(g, arguments)| {
                            let parameters = unit.functions[g].parameters.iter();
                            let mut own = (parameters.zip(arguments.iter()))
                                .filter(|(p, _)| given.variables.contains(p));
                            own.any(|(_, a)| !is_it(strip_conversions(unit, *a)) && !is_null(*a))
                        })
                }
                ExprKind::Assign(_, a, value) => is_it(a) && !is_null(value),
                ExprKind::Step { of: a, .. } | ExprKind::Unary(Unary::Address, a) => is_it(a),
                ExprKind::SizeofExpr(a) => !null && unit.expr(a).ty.as_ref().is_some_and(&has_it),
                // Memory of this size may be allocated, cleared or copied, with the pointers in it.
                ExprKind::SizeofType(ref ty) => !null && has_it(ty),
                _ => false,
            };
            if changes {
                return Some(node.at);
            }
        }
        // A function whose address is taken may be called with any argument.
        for (k, node) in unit.exprs.iter().enumerate() {
            if let ExprKind::Name(d) = node.kind
                && !called.contains(&ExprId(k as u32))
                && (unit.decl(d).definition).is_some_and(|f| owners.contains(&f))
            {
                return Some(node.at);
            }
        }
        let changed = unit.decls.iter().find(|decl| {
            let mut parts = decl.init.iter().flat_map(Init::given_values);
            let is_given = parts.any(|(steps, value)| {
                let way = members_on_the_way(unit, &decl.ty, steps);
                let last = way.last();
                last.is_some_and(|(s, m)| given.has(*s, &m.name)) && !is_null(value)
            });
            // Pointers that an initial value leaves out are null. A variable of a file without an initial value may
            // have been set by functions that are not read.
            let is_cleared = match &decl.init {
                Some(init) => !matches!(init, Init::Expr(_)),
                None => decl.kind == DeclKind::Static,
            };
            is_given || !null && is_cleared && has_it(&decl.ty)
        });
        changed.map(|decl| decl.at)
    }

    /// Replaces reads of the pointers by a function or null. Returns the position of an expression whose effects
    /// would be lost, if there is one.
    pub(super) fn replace_callback(
        &mut self,
        given: &Given,
        function: Option<DeclId>,
    ) -> Option<Pos> {
        let unit = &self.unit;
        let telling = OnceCell::new();
        let is_plain = |e: ExprId| {
            let telling = || telling.get_or_init(|| Telling::collect(unit));
            !unit.expr(e).effects || telling().only_tells(unit, e)
        };
        // Operands of `sizeof`, and targets of assignments of null, stay.
        let mut kept = HashSet::new();
        let mut found = BTreeSet::new();
        for e in (0..unit.exprs.len()).map(|k| ExprId(k as u32)) {
            match unit.expr(e).kind {
                ExprKind::SizeofExpr(a) | ExprKind::Assign(None, a, _) => {
                    kept.insert(a);
                }
                ExprKind::Unary(Unary::Deref, a) if found.contains(&a) => {
                    found.insert(e);
                }
                _ if given.is(unit, e) => {
                    found.insert(e);
                }
                _ => {}
            }
        }
        found.retain(|e| !kept.contains(e));
        if let Some(e) = found.iter().find(|e| !is_plain(**e)) {
            return Some(unit.expr(*e).at);
        }
        if function.is_none() {
            // A null pointer is never called: its arguments are not evaluated.
            for e in (0..self.unit.exprs.len()).map(|k| ExprId(k as u32)) {
                if let ExprKind::Call(f, arguments) = &self.unit.expr(e).kind
                    && found.contains(f)
                {
                    for a in Rc::clone(arguments).iter() {
                        if !self.unit.expr(*a).effects {
                            erase_expr(&mut self.unit, *a);
                        }
                    }
                }
            }
        }
        for e in found {
            let ty = self.unit.expr(e).ty.clone();
            erase_expr(&mut self.unit, e);
            if let Some(g) = function {
                let node = &mut self.unit.exprs[e.index()];
                (node.kind, node.ty) = (ExprKind::Name(g), ty);
            }
        }
        None
    }
}
