//! Names of several files: functions and variables shared by all, and those of one file, whose names other files may
//! use again.

use super::{Entry, Parser, Scope};
use crate::{
    ast::{Decl, DeclId, Unit},
    codes, constant,
    reach::Name,
    source::Pos,
    types::{Parameter, Qualified, Signature, Type},
};
use std::{
    collections::{BTreeSet, HashMap, HashSet},
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

    /// Begins a scope with all names that the files share, for the functions of the library in C.
    pub(super) fn begin_library(&mut self) {
        self.begin_file(&[]);
        let linked = self.linked.iter();
        let names = linked.map(|(name, d)| (Rc::clone(name), Entry::Decl(*d)));
        self.scopes[0].names.extend(names);
        // The library's functions use types of headers, such as `div_t`.
        for file in &self.files {
            let types = file.names.iter();
            let types = types.filter(|(_, entry)| matches!(entry, Entry::Typedef(_)));
            for (name, entry) in types {
                let names = &mut self.scopes[0].names;
                names
                    .entry(Rc::clone(name))
                    .or_insert_with(|| entry.clone());
            }
            // Each name is entered once, so the order of the hash map does not matter.
            let tags = &mut self.scopes[0].tags;
            file.tags.iter().for_each(|(name, tag)| {
                tags.entry(Rc::clone(name)).or_insert_with(|| tag.clone());
            });
        }
    }

    /// Enters the scope of a file, or of the first one that declares a name; returns its number for
    /// [`Self::leave_file`].
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
        let place = self.describe_place(before);
        let message = format!("{name} is defined twice, first in {place}");
        let help = "remove one of the two, or make one static";
        self.sink.error(&codes::TWICE, at, message, help);
    }

    /// A position in words.
    pub(super) fn describe_place(&self, at: Pos) -> String {
        let file = self.sink.files.get(at.file as usize);
        format!("line {} of {}", at.line, file.map_or("", String::as_str))
    }

    /// Reports a declaration that gives a name another type than an earlier one. The file's own declarations of
    /// functions of the library are checked where they are called.
    pub(super) fn compare_declarations(&mut self, old: DeclId, new: &Decl) {
        let decl = self.unit.decl(old);
        // A compiler never sees the declarations of two files together: between files less is compared.
        let known = self.scopes[0].names.get(&new.name);
        let in_file = matches!(known, Some(Entry::Decl(d)) if *d == old);
        let rule = match in_file {
            true => Compatible::InFile,
            false => Compatible::InProgram,
        };
        if self.is_header(decl.at)
            || self.is_header(new.at)
            || are_compatible(&self.unit, &decl.ty, &new.ty, rule)
        {
            return;
        }
        let place = self.describe_place(decl.at);
        let message = format!("{} is declared with another type in {place}", new.name);
        let help = "declare it once, in a header that both include";
        self.sink.error(&codes::TWICE, new.at, message, help);
    }
}

/// The strictness of a comparison of two types.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Compatible {
    /// Within a file: qualifiers count, and so do promotions of arguments for parameters that are not declared.
    InFile,
    InProgram,
}

/// True of compatible types, which two declarations of one object may have (C99 6.2.7).
pub(super) fn are_compatible(unit: &Unit, a: &Qualified, b: &Qualified, rule: Compatible) -> bool {
    let in_file = rule == Compatible::InFile;
    let qualifiers = |of: &Qualified| (of.constant, of.volatile, of.restrict);
    // Qualifiers of parameters and results do not count: these are values.
    let value = |of: &Qualified| Qualified {
        constant: false,
        volatile: false,
        restrict: false,
        ..of.clone()
    };
    let mut open = vec![(a.clone(), b.clone())];
    let mut compared = HashSet::new();
    while let Some((a, b)) = open.pop() {
        if in_file && qualifiers(&a) != qualifiers(&b) {
            return false;
        }
        match (&a.ty, &b.ty) {
            (Type::Pointer(a), Type::Pointer(b)) => open.push(((**a).clone(), (**b).clone())),
            (Type::Array(a, n), Type::Array(b, m)) => {
                let extent = |e: &Option<_>| e.and_then(|e| constant::integer(unit, e));
                if extent(n)
                    .zip(extent(m))
                    .is_some_and(|((n, _), (m, _))| n != m)
                {
                    return false;
                }
                open.push(((**a).clone(), (**b).clone()));
            }
            (Type::Function(a), Type::Function(b)) => {
                if !compared.insert((Rc::as_ptr(a), Rc::as_ptr(b))) {
                    continue;
                }
                // Arguments for parameters that are not declared are promoted.
                let takes_promoted = |of: &Signature| {
                    // A definition in the old style takes arguments as they are passed, promoted.
                    let is_old = |p: &Parameter| p.decl.is_some_and(|d| unit.promoted.contains(&d));
                    let mut parameters = of.parameters.iter();
                    !of.variadic && parameters.all(|p| !p.ty.is_promoted() || is_old(p))
                };
                let (ours, theirs) = (&a.parameters, &b.parameters);
                let agree = match (a.open, b.open) {
                    (false, false) => a.variadic == b.variadic && ours.len() == theirs.len(),
                    (true, true) => true,
                    (true, false) => !in_file || takes_promoted(b),
                    (false, true) => !in_file || takes_promoted(a),
                };
                if !agree {
                    return false;
                }
                open.push((value(&a.result), value(&b.result)));
                if !a.open && !b.open {
                    let parameters = ours.iter().zip(theirs);
                    open.extend(parameters.map(|(a, b)| (value(&a.ty), value(&b.ty))));
                }
            }
            (a, b) if a == b => {}
            _ => return false,
        }
    }
    true
}

/// Renames functions whose name another file uses for a function of its own. Those in `heads` keep their names.
pub(crate) fn name_apart(unit: &mut Unit, heads: &[usize]) {
    if unit.files.len() < 3 {
        // With one file there is nothing to tell apart.
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
