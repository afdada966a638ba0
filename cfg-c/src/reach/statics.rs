//! Static variables that two files would have each for itself: a file that replaces one function has what that function
//! reaches, and the original keeps the other functions and what they reach.
//!
//! Found in the tokens, since functions that stay are not parsed. Where tokens cannot tell, a variable counts as written.

use super::{Files, InFile, Item, Place};
use crate::{
    lex::{Kind, Token},
    preprocess::Preprocessed,
};
use std::{
    collections::{BTreeMap, BTreeSet, HashSet},
    rc::Rc,
};

const ASSIGNMENTS: &[&str] = &[
    "=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "++", "--",
];

/// So many tokens of subscripts and members are looked at.
const LONGEST: usize = 1000;

/// A static variable of a file.
struct Static<'a> {
    name: &'a Rc<str>,
    /// What it leads to can be written where it is handed on.
    leads_on: bool,
    /// A function uses it that the file of derivatives has.
    is_ours: bool,
    /// The first function that uses it and stays in the original.
    other: Option<&'a Rc<str>>,
    is_written: bool,
}

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
    let mut statics: BTreeMap<(usize, &Rc<str>), Static<'_>> = BTreeMap::new();
    for &place in reached {
        let names = &files.item(place).names;
        if let Some(function) = names.function.as_ref().filter(|_| stays.contains(&place))
            && let Some(variable) = local_static(tokens(place))
        {
            return Some(format!(
                "`{variable}` is static in `{function}`, which other functions of the program call, too"
            ));
        }
        if names.function.is_none() && names.is_static && !names.is_typedef {
            let found = names.variables.iter();
            statics.extend(found.map(|name| ((place.0, name), declared(name, tokens(place)))));
        }
    }
    for place in reached.union(&stays) {
        let names = &files.item(*place).names;
        let Some(function) = &names.function else {
            continue;
        };
        let used = names.used.iter().filter(|(_, tag)| !tag);
        let used: HashSet<&Rc<str>> = used
            .map(|(name, _)| name)
            .filter(|name| statics.contains_key(&(place.0, *name)))
            .collect();
        for name in &used {
            if let Some(variable) = statics.get_mut(&(place.0, *name)) {
                variable.is_ours |= reached.contains(place);
                variable.other = variable
                    .other
                    .or(Some(function).filter(|_| stays.contains(place)));
            }
        }
        let tokens = tokens(*place);
        let named = |t: &&Token| t.kind == Kind::Ident && used.contains(&t.text);
        for (k, token) in tokens.iter().enumerate().filter(|(_, t)| named(t)) {
            if let Some(variable) = statics.get_mut(&(place.0, &token.text)) {
                variable.is_written |= is_written(tokens, k, variable.leads_on);
            }
        }
    }
    let mut shared = statics.values().filter(|v| v.is_ours && v.is_written);
    let (variable, function) = shared.find_map(|v| Some((v.name, v.other?)))?;
    Some(format!(
        "`{variable}` is static, and `{function}`, which stays in the original, uses it, too"
    ))
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

/// A variable as it is declared.
fn declared<'a>(name: &'a Rc<str>, tokens: &[Token]) -> Static<'a> {
    let named = tokens.iter().position(|t| t.text == *name);
    let (before, behind) = tokens.split_at(named.unwrap_or(tokens.len()));
    let is_array = behind.get(1).is_some_and(|t| t.is("["));
    let is_constant = before.iter().any(|t| t.is("const"));
    let is_pointer = before.iter().any(|t| t.is("*"));
    Static {
        name,
        leads_on: !is_constant && (is_array || is_pointer),
        is_ours: false,
        other: None,
        is_written: false,
    }
}

/// True where a name is that of a variable which is assigned, or a part of it, or of which the address is handed on.
fn is_written(tokens: &[Token], k: usize, leads_on: bool) -> bool {
    let is_before = |n: usize, text: &str| {
        let before = k.checked_sub(n).map(|k| &tokens[k]);
        before.is_some_and(|t| t.is(text))
    };
    let is_member = is_before(1, ".") || is_before(1, "->");
    if is_member || is_before(1, "sizeof") || is_before(2, "sizeof") {
        return false;
    }
    let Some(behind) = behind_parts(tokens, k + 1) else {
        return true;
    };
    let is_part = behind > k + 1;
    let is_next = |texts: &[&str]| {
        let next = tokens.get(behind);
        next.is_some_and(|t| texts.iter().any(|text| t.is(text)))
    };
    is_next(ASSIGNMENTS)
        || ["++", "--", "&"].iter().any(|t| is_before(1, t))
        || leads_on && !is_part && !is_before(1, "*") && !is_next(&["==", "!=", "?"])
}

/// The place behind subscripts and members; `None` if they are too long to look at for each name in them.
fn behind_parts(tokens: &[Token], start: usize) -> Option<usize> {
    let mut at = start;
    let mut depth = 0usize;
    while at < start + LONGEST {
        match tokens.get(at) {
            Some(t) if t.is("[") => depth += 1,
            Some(t) if t.is("]") && depth > 0 => depth -= 1,
            Some(_) if depth > 0 => {}
            Some(t) if t.is(".") || t.is("->") => at += 1,
            _ => return Some(at),
        }
        at += 1;
    }
    None
}
