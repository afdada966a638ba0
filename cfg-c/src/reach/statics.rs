//! Static variables that would exist twice. Emitted C replaces one function of the original file and contains all
//! that this function reaches; the original keeps its other functions and all that they reach. A static variable in
//! both parts is two variables then.
//!
//! The search works on tokens, since functions that stay are not parsed. A variable counts as written unless its
//! tokens show otherwise: it is constant, or a number or an array of numbers that is only read.

use super::{Files, InFile, Item, Place};
use crate::{
    lex::{Kind, Token},
    preprocess::Preprocessed,
    words,
};
use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    rc::Rc,
};

const ASSIGNMENTS: &[&str] = &[
    "=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "++", "--",
];

/// Most tokens of the subscripts and parentheses of a use; a longer one counts as a write.
const LONGEST: usize = 1000;

/// The declaration of a variable.
#[derive(Clone, Copy)]
enum Declared {
    /// Any other declaration, or one that is not understood here.
    Otherwise,
    Constant,
    /// A number, or an array of numbers with this number of subscripts.
    Numbers(usize),
}

/// A static variable of a file.
struct Static<'a> {
    name: &'a Rc<str>,
    declared: Declared,
    /// True if the file of derivatives has a function that uses the variable.
    is_ours: bool,
    /// The first function or variable that uses the variable and stays in the original.
    other: Option<&'a Rc<str>>,
    is_written: bool,
}

/// The reason why a function cannot be replaced: a static variable that it reaches is written, and used by functions
/// that stay. `None` if there is no such variable.
pub(super) fn unshared(
    files: &Files<'_>,
    read: &[&Preprocessed],
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
            && let Some(variable) = written_local(tokens(place))
        {
            return Some(format!(
                "`{variable}` is static in `{function}`, which other functions of the program call, too"
            ));
        }
        if names.function.is_none() && names.is_static && !names.is_typedef {
            let all = declared(tokens(place)).into_iter();
            let declared: HashMap<&Rc<str>, Declared> =
                all.map(|(_, name, how)| (name, how)).collect();
            let variable = |name| Static {
                name,
                declared: declared.get(name).copied().unwrap_or(Declared::Otherwise),
                is_ours: false,
                other: None,
                is_written: false,
            };
            let found = names.variables.iter();
            statics.extend(found.map(|name| ((place.0, name), variable(name))));
        }
    }
    for place in reached.union(&stays) {
        let names = &files.item(*place).names;
        let Some(user) = names.function.as_ref().or(names.variables.first()) else {
            continue;
        };
        let used = names.used.iter().filter(|(_, tag)| !tag);
        let used: BTreeSet<&Rc<str>> = used
            .map(|(name, _)| name)
            .filter(|name| statics.contains_key(&(place.0, *name)))
            .collect();
        for name in &used {
            if let Some(variable) = statics.get_mut(&(place.0, *name)) {
                variable.is_ours |= reached.contains(place);
                variable.other = variable
                    .other
                    .or(Some(user).filter(|_| stays.contains(place)));
            }
        }
        let tokens = tokens(*place);
        let named = |t: &&Token| t.kind == Kind::Ident && used.contains(&t.text);
        for (k, token) in tokens.iter().enumerate().filter(|(_, t)| named(t)) {
            if let Some(variable) = statics.get_mut(&(place.0, &token.text)) {
                variable.is_written |= is_written(tokens, k, variable.declared);
            }
        }
    }
    let mut shared = statics.values().filter(|v| v.is_ours && v.is_written);
    let (variable, user) = shared.find_map(|v| Some((v.name, v.other?)))?;
    Some(format!(
        "`{variable}` is static, and `{user}`, which stays in the original, uses it, too"
    ))
}

/// The declarations that stay in the original: all that other files may use, and all that these reach.
fn staying(files: &Files<'_>, head: Place) -> BTreeSet<Place> {
    let mut stays = BTreeSet::from([head]);
    let mut public = Vec::new();
    for (f, file) in files.files.iter().enumerate() {
        for (k, item) in file.items.iter().enumerate() {
            let names = &item.names;
            let mut declared = names.function.iter().chain(&names.variables);
            if !item.is_system && declared.any(|name| !file.is_private(name)) {
                public.push((f, k));
            }
        }
    }
    files.reach(public, &mut stays);
    stays.remove(&head);
    stays
}

/// The first static variable in a function that may be written.
fn written_local(tokens: &[Token]) -> Option<&Rc<str>> {
    let body = tokens.iter().position(|t| t.is("{"))?;
    let mut statics: HashMap<&Rc<str>, Declared> = HashMap::new();
    let mut places = HashSet::new();
    for (k, token) in tokens.iter().enumerate().skip(body) {
        if token.is("static") {
            for (place, name, variable) in declared(&tokens[k..]) {
                places.insert(k + place);
                statics.insert(name, variable);
            }
        } else if token.kind == Kind::Ident
            && let Some(variable) = statics.get(&token.text)
            && !places.contains(&k)
            && is_written(tokens, k, *variable)
        {
            return Some(&token.text);
        }
    }
    None
}

/// The variables of the declaration at the beginning of the tokens, with the positions of their names.
fn declared(tokens: &[Token]) -> Vec<(usize, &Rc<str>, Declared)> {
    let mut found = Vec::new();
    let (mut is_constant, mut is_number, mut is_pointer) = (false, true, false);
    let (mut depth, mut subscripts) = (0usize, 0);
    let (mut name, mut inner, mut is_valued) = (None, None, false);
    for (k, token) in tokens.iter().enumerate() {
        let known = |all: &[&str]| all.contains(&&*token.text);
        let is_word = known(words::TYPES) || known(words::SPECIFIERS);
        if depth == 0 && (token.is(",") || token.is(";")) {
            let declared = match (is_constant && !is_pointer, is_number && !is_pointer) {
                _ if name.is_none() => Declared::Otherwise,
                (true, _) => Declared::Constant,
                (false, true) => Declared::Numbers(subscripts),
                (false, false) => Declared::Otherwise,
            };
            found.extend(
                name.or(inner)
                    .map(|k: usize| (k, &tokens[k].text, declared)),
            );
            if token.is(";") {
                break;
            }
            (is_pointer, is_valued, subscripts) = (false, false, 0);
            (name, inner) = (None, None);
        } else if depth == 0 && name.is_none() {
            let next = tokens.get(k + 1);
            let ends = |t: &Token| [",", ";", "=", "["].iter().any(|end| t.is(end));
            match token.kind {
                Kind::Ident if next.is_some_and(ends) && !is_word => name = Some(k),
                Kind::Ident => {
                    is_constant |= token.is("const");
                    is_number &= is_word;
                }
                _ => is_pointer |= token.is("*"),
            }
        } else if name.is_none() && inner.is_none() && token.kind == Kind::Ident && !is_word {
            // The name of a pointer to a function stands in parentheses.
            inner = Some(k);
        }
        is_valued |= token.is("=");
        subscripts += usize::from(depth == 0 && token.is("[") && !is_valued);
        depth += usize::from(["(", "[", "{"].iter().any(|t| token.is(t)));
        depth = depth.saturating_sub(usize::from([")", "]", "}"].iter().any(|t| token.is(t))));
    }
    found
}

/// True if the use of a name may assign the variable, or hand on its address.
fn is_written(tokens: &[Token], k: usize, declared: Declared) -> bool {
    let subscripts = match declared {
        Declared::Constant => return false,
        Declared::Otherwise => return true,
        Declared::Numbers(subscripts) => subscripts,
    };
    let Some(used) = Use::at(tokens, k) else {
        return true;
    };
    if used.is_before("sizeof") || used.is_before(".") || used.is_before("->") {
        return false;
    }
    let is_address = used.is_before("&") && !used.is_between_values();
    let changes = ASSIGNMENTS
        .iter()
        .any(|t| used.next.is_some_and(|next| next.is(t)));
    let stepped = used.is_before("++") || used.is_before("--");
    let is_operand = used.before.last().is_some_and(|t| t.kind == Kind::Str);
    used.subscripts < subscripts || is_address || changes || stepped || is_operand
}

/// A name in an expression, with its subscripts and the parentheses around it.
struct Use<'t> {
    before: &'t [Token],
    subscripts: usize,
    next: Option<&'t Token>,
}

impl<'t> Use<'t> {
    /// The use of the name at token `k`; `None` if it is longer than [`LONGEST`].
    fn at(tokens: &'t [Token], k: usize) -> Option<Self> {
        let (mut start, mut end, mut subscripts, mut depth) = (k, k + 1, 0, 0usize);
        while end < k + LONGEST {
            match tokens.get(end) {
                Some(t) if t.is("[") => {
                    subscripts += usize::from(depth == 0);
                    depth += 1;
                }
                Some(t) if t.is("]") && depth > 0 => depth -= 1,
                Some(_) if depth > 0 => {}
                Some(t) if t.is(")") && start > 0 && tokens[start - 1].is("(") => start -= 1,
                next => {
                    return Some(Self {
                        before: &tokens[..start],
                        subscripts,
                        next,
                    });
                }
            }
            end += 1;
        }
        None
    }

    fn is_before(&self, text: &str) -> bool {
        self.before.last().is_some_and(|t| t.is(text))
    }

    /// True if the operator before the name is binary: a value stands in front of it.
    fn is_between_values(&self) -> bool {
        let left = self.before.len().checked_sub(2).map(|k| &self.before[k]);
        left.is_some_and(|t| match t.kind {
            Kind::Number => true,
            Kind::Ident => !t.is("return"),
            _ => t.is("]"),
        })
    }
}
