//! Names of several files: functions and variables of all of them, and those of one, which other files may have, too.

use super::{Entry, Parser, Scope};
use crate::{
    ast::{Decl, DeclId, Unit},
    codes, constant,
    reach::Name,
    source::Pos,
    types::{Qualified, Type},
};
use std::{
    collections::{BTreeSet, HashMap},
    rc::Rc,
};

impl Parser<'_> {
    /// Begins the outermost scope of a file, with the types that it has in common with files before.
    pub(super) fn begin_file(&mut self, shared: &[(usize, Name)]) {
        let mut scope = Scope::default();
        for (file, (name, is_tag)) in shared {
            let other = &self.files[*file];
            if *is_tag {
                if let Some(ty) = other.tags.get(name) {
                    scope.tags.insert(Rc::clone(name), ty.clone());
                }
            } else if let Some(entry) = other.names.get(name) {
                scope.names.insert(Rc::clone(name), entry.clone());
            }
        }
        self.scopes = vec![scope];
        self.unit.files.push(HashMap::new());
    }

    /// Keeps the scope of a file.
    pub(super) fn end_file(&mut self) {
        self.files.extend(self.scopes.drain(..).next());
    }

    /// Begins a scope with all that the files have in common, for what the library has in C.
    pub(super) fn begin_library(&mut self) {
        self.begin_file(&[]);
        let linked = self.linked.iter();
        let names = linked.map(|(name, d)| (Rc::clone(name), Entry::Decl(*d)));
        self.scopes[0].names.extend(names);
        // Types of headers, such as div_t.
        for file in &self.files {
            let types = file.names.iter();
            let types = types.filter(|(_, entry)| matches!(entry, Entry::Typedef(_)));
            for (name, entry) in types {
                let names = &mut self.scopes[0].names;
                names
                    .entry(Rc::clone(name))
                    .or_insert_with(|| entry.clone());
            }
            // Each name once, so that their order does not matter.
            let tags = &mut self.scopes[0].tags;
            file.tags.iter().for_each(|(name, tag)| {
                tags.entry(Rc::clone(name)).or_insert_with(|| tag.clone());
            });
        }
    }

    /// Goes on in the scope of a file, or of the first one that declares a name; its number is for [`Self::leave_file`].
    pub(super) fn enter_file(&mut self, file: Option<usize>, name: &str) -> usize {
        let declares = |scope: &Scope| scope.names.contains_key(name);
        let file = file.or_else(|| self.files.iter().position(declares));
        let file = file.unwrap_or(0);
        self.scopes = vec![std::mem::take(&mut self.files[file])];
        file
    }

    pub(super) fn leave_file(&mut self, file: usize) {
        if let Some(scope) = self.scopes.drain(..).next() {
            self.files[file] = scope;
        }
    }

    /// The function or variable that another file declares, which this file declares, too.
    pub(super) fn declared_elsewhere(&self, new: &Decl) -> Option<DeclId> {
        self.linked.get(&new.name).copied()
    }

    pub(super) fn defined_twice(&mut self, name: &str, at: Pos, before: Pos) {
        let place = self.place(before);
        let message = format!("{name} is defined twice, first in {place}");
        let help = "remove one of the two, or make one static";
        self.sink.error(&codes::TWICE, at, message, help);
    }

    /// A place in words.
    pub(super) fn place(&self, at: Pos) -> String {
        let file = self.sink.files.get(at.file as usize);
        format!("line {} of {}", at.line, file.map_or("", String::as_str))
    }

    /// Tells of a declaration that gives a name another type than the one before. Hand-written ones of functions of the library are
    /// looked at where they are called.
    pub(super) fn compare(&mut self, old: DeclId, new: &Decl) {
        let decl = self.unit.decl(old);
        if self.is_header(decl.at)
            || self.is_header(new.at)
            || are_compatible(&self.unit, &decl.ty, &new.ty)
        {
            return;
        }
        let place = self.place(decl.at);
        let message = format!("{} is declared with another type in {place}", new.name);
        let help = "declare it once, in a header that both include";
        self.sink.error(&codes::TWICE, new.at, message, help);
    }
}

/// True of types that two declarations may give one thing (C99 6.2.7); qualifiers are not looked at. Declarators nest at most as deep as the
/// parser lets them.
fn are_compatible(unit: &Unit, a: &Qualified, b: &Qualified) -> bool {
    match (&a.ty, &b.ty) {
        (Type::Pointer(a), Type::Pointer(b)) => are_compatible(unit, a, b),
        (Type::Array(a, n), Type::Array(b, m)) => {
            let extent = |e: &Option<_>| e.and_then(|e| constant::integer(unit, e));
            let extents = extent(n).zip(extent(m));
            extents.is_none_or(|((n, _), (m, _))| n == m) && are_compatible(unit, a, b)
        }
        (Type::Function(a), Type::Function(b)) => {
            let (ours, theirs) = (&a.parameters, &b.parameters);
            let same = |(a, b): (&crate::types::Parameter, &crate::types::Parameter)| {
                are_compatible(unit, &a.ty, &b.ty)
            };
            let parameters = || {
                a.variadic == b.variadic
                    && ours.len() == theirs.len()
                    && ours.iter().zip(theirs).all(same)
            };
            are_compatible(unit, &a.result, &b.result) && (a.open || b.open || parameters())
        }
        (a, b) => a == b,
    }
}

/// Gives functions of which another file has one of the same name a name of their own; these keep theirs.
pub(crate) fn name_apart(unit: &mut Unit, heads: &[usize]) {
    if unit.files.len() < 3 {
        // One file, and what was made.
        return;
    }
    let mut taken: BTreeSet<Rc<str>> = (heads.iter())
        .map(|f| Rc::clone(&unit.decl(unit.functions[*f].decl).name))
        .collect();
    let all: BTreeSet<Rc<str>> = unit.decls.iter().map(|d| Rc::clone(&d.name)).collect();
    let others = (0..unit.functions.len()).filter(|f| !heads.contains(f));
    for d in others.map(|f| unit.functions[f].decl).collect::<Vec<_>>() {
        let name = Rc::clone(&unit.decl(d).name);
        if taken.insert(Rc::clone(&name)) {
            continue;
        }
        let numbered = (2..).map(|k| Rc::from(format!("{name}_{k}")));
        let mut free = numbered.filter(|n: &Rc<str>| !taken.contains(n) && !all.contains(n));
        if let Some(free) = free.next() {
            taken.insert(Rc::clone(&free));
            unit.decls[d.index()].name = free;
        }
    }
}
