//! Static variables that two files would have each for itself: a file that replaces one function has what that function
//! reaches, and the original keeps the other functions and what they reach.
//!
//! Found in the tokens, since functions that stay are not parsed. Where tokens cannot tell, a variable counts as written.

use super::{Files, InFile, Item, Place};
use crate::{
    lex::{Kind, Token},
    preprocess::Preprocessed,
};
use std::{collections::BTreeSet, rc::Rc};

const ASSIGNMENTS: &[&str] = &[
    "=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "++", "--",
];

/// Why a function cannot be replaced, if a static variable that it reaches is used by functions that stay, and written.
pub(super) fn unshared(
    files: &Files,
    read: &[Preprocessed],
    (file, name): &InFile,
    reached: &BTreeSet<Place>,
) -> Option<String> {
    let is_head = |item: &Item| item.names.function.as_ref() == Some(name);
    let head = files.named(Some(*file), name);
    let head = head.into_iter().find(|place| is_head(files.item(*place)))?;
    let stays = staying(files, head);
    let tokens = |place: Place| &read[place.0].tokens[files.item(place).tokens.clone()];
    for &place in reached {
        let item = files.item(place);
        if let Some(function) = item
            .names
            .function
            .as_ref()
            .filter(|_| stays.contains(&place))
        {
            if let Some(variable) = local_static(tokens(place)) {
                return Some(format!(
                    "`{variable}` is static in `{function}`, which other functions of the program call, too"
                ));
            }
            continue;
        }
        if !item.names.is_static || item.names.is_typedef {
            continue;
        }
        for variable in &item.names.variables {
            let written = Written::declared(variable, tokens(place));
            let of_file = |set: &BTreeSet<Place>| -> Vec<Place> {
                let all = set.range((place.0, 0)..(place.0 + 1, 0)).copied();
                let uses = |p: &Place| uses(files.item(*p), variable);
                all.filter(uses).collect()
            };
            let (ours, theirs) = (of_file(reached), of_file(&stays));
            let writes = |p: &&Place| written.by(tokens(**p));
            let Some(writer) = ours.iter().chain(&theirs).find(writes) else {
                continue;
            };
            let is_other = |p: &&Place| stays.contains(*p) && **p != head;
            let other = [writer].into_iter().chain(&theirs).find(is_other);
            if let Some(function) = other.and_then(|p| files.item(*p).names.function.as_ref()) {
                return Some(format!(
                    "`{variable}` is static, and `{function}`, which stays in the original, uses it, too"
                ));
            }
        }
    }
    None
}

/// What the original has without the function: all that other files may use, and what this reaches.
fn staying(files: &Files, head: Place) -> BTreeSet<Place> {
    let mut stays = BTreeSet::from([head]);
    let mut public = Vec::new();
    for (f, file) in files.files.iter().enumerate() {
        for (k, item) in file.items.iter().enumerate() {
            let names = &item.names;
            let is_public = |name: &Rc<str>| !file.is_private(name);
            let declared = names.function.iter().chain(&names.variables);
            if !item.is_system && declared.into_iter().any(is_public) {
                public.push((f, k));
            }
        }
    }
    files.reach(public, &mut stays);
    stays.remove(&head);
    stays
}

/// True of a function that names a variable of the file.
fn uses(item: &Item, variable: &Rc<str>) -> bool {
    let mut names = item.names.used.iter();
    item.names.function.is_some() && names.any(|(name, tag)| !tag && name == variable)
}

/// The first variable in a function that keeps its value from call to call, and is not constant.
fn local_static(tokens: &[Token]) -> Option<&Rc<str>> {
    let mut rest = tokens.iter().skip_while(|t| !t.is("{"));
    while rest.any(|t| t.is("static")) {
        let ends = |t: &&Token| ![";", "=", "["].iter().any(|end| t.is(end));
        let declared: Vec<&Token> = rest.clone().take_while(ends).collect();
        if !declared.iter().any(|t| t.is("const")) {
            let mut names = declared.into_iter().rev();
            return names.find(|t| t.kind == Kind::Ident).map(|t| &t.text);
        }
    }
    None
}

/// How a variable can be written.
struct Written<'a> {
    variable: &'a Rc<str>,
    /// What it leads to can be written where it is handed on.
    leads_on: bool,
}

impl<'a> Written<'a> {
    fn declared(variable: &'a Rc<str>, tokens: &[Token]) -> Self {
        let named = tokens.iter().position(|t| t.text == *variable);
        let (before, behind) = tokens.split_at(named.unwrap_or(tokens.len()));
        let is_array = behind.get(1).is_some_and(|t| t.is("["));
        let is_constant = before.iter().any(|t| t.is("const"));
        let is_pointer = before.iter().any(|t| t.is("*"));
        Self {
            variable,
            leads_on: !is_constant && (is_array || is_pointer),
        }
    }

    /// True of a function that assigns it or a part of it, or hands on its address.
    fn by(&self, tokens: &[Token]) -> bool {
        let named = |(_, t): &(usize, &Token)| t.text == *self.variable;
        tokens.iter().enumerate().filter(named).any(|(k, _)| {
            let before = |n: usize| k.checked_sub(n).map(|k| &tokens[k]);
            let is_before = |n: usize, text: &str| before(n).is_some_and(|t| t.is(text));
            if is_before(1, ".") || is_before(1, "->") {
                return false;
            }
            if is_before(1, "sizeof") || is_before(2, "sizeof") {
                return false;
            }
            let behind = behind_parts(tokens, k + 1);
            let is_part = behind > k + 1;
            let next = tokens.get(behind);
            let is_next = |texts: &[&str]| next.is_some_and(|t| texts.iter().any(|x| t.is(x)));
            is_next(ASSIGNMENTS)
                || ["++", "--", "&"].iter().any(|t| is_before(1, t))
                || self.leads_on && !is_part && !is_before(1, "*") && !is_next(&["==", "!=", "?"])
        })
    }
}

/// The place behind subscripts and members.
fn behind_parts(tokens: &[Token], mut at: usize) -> usize {
    loop {
        match tokens.get(at) {
            Some(t) if t.is(".") || t.is("->") => at += 2,
            Some(t) if t.is("[") => {
                let mut depth = 0usize;
                while let Some(t) = tokens.get(at) {
                    at += 1;
                    depth += usize::from(t.is("["));
                    depth -= usize::from(t.is("]"));
                    if depth == 0 {
                        break;
                    }
                }
            }
            _ => return at,
        }
    }
}
