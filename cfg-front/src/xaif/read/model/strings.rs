//! Strings, as far as they can be known: constants, and formals that get constants.
//!
//! Statements that assign strings are markers in the document, so a variable never has a known value. A
//! formal has, where the calls pass constants. Such a formal is an integer: the place of the constant among all
//! constants of the document in Fortran's order, so that comparisons of strings are comparisons of these.

use super::{Model, Sink, SymbolId, SymbolType};
use crate::xaif::read::xml::{At, Document, El, NodeId};
use cfg_core::ir::ScalarType;
use std::{
    cmp::Ordering,
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
};

/// The order of strings in Fortran: as if the shorter string were filled up with blanks.
fn order(a: &str, b: &str) -> Ordering {
    let filled = |s: &str, n: usize| s.bytes().chain(std::iter::repeat(b' ')).take(n).collect();
    let n = a.len().max(b.len());
    let (a, b): (Vec<u8>, Vec<u8>) = (filled(a, n), filled(b, n));
    a.cmp(&b)
}

/// All string constants of a document, in order, without blanks at the end.
fn constants(doc: &Document<'_>) -> Vec<String> {
    let mut list: Vec<String> = doc
        .subtree(doc.root())
        .filter(|&n| is_constant(doc, n))
        .filter_map(|n| doc.attr(n, At::Value))
        .map(|text| text.trim_end_matches(' ').to_owned())
        .collect();
    list.sort_unstable_by(|a, b| order(a, b).then_with(|| a.cmp(b)));
    list.dedup();
    list
}

/// True of string constants.
pub(crate) fn is_constant(doc: &Document<'_>, n: NodeId) -> bool {
    doc.name(n) == El::Constant && doc.attr(n, At::Type).as_deref() == Some("string")
}

/// The variable that an argument passes; `None` if the argument is any other expression.
fn passed(doc: &Document<'_>, argument: NodeId) -> Option<NodeId> {
    let mut children = doc.children(argument);
    let only = children.next()?;
    (children.next().is_none() && doc.name(only) == El::VariableReference).then_some(only)
}

/// The formals that are integers from now on: those of type string of routines that are called, as far as a
/// statement of the routine, or of one that it passes them to, needs them.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "other elements of XAIF are treated alike"
)]
pub(crate) fn formals(doc: &Document<'_>, model: &mut Model) {
    let is_string = |s: SymbolId| {
        let symbol = &model.symbols[s];
        symbol.rank == 0
            && symbol.variable
            && doc.attr(symbol.node, At::Type).as_deref() == Some("string")
    };
    if !(0..model.symbols.len()).any(is_string) {
        return;
    }
    // Problems of a reference are reported when its routine is read.
    let mut silent = Sink::default();
    let mut formal: HashMap<(i64, String, i64), SymbolId> = HashMap::new();
    let mut called: HashSet<(i64, String)> = HashSet::new();
    // From formals to the variables that are passed to them.
    let mut passes: Vec<((i64, String, i64), SymbolId)> = Vec::new();
    let mut work: Vec<SymbolId> = Vec::new();
    for n in doc.subtree(doc.root()) {
        let key = |n: NodeId| {
            Some((
                doc.id(n, At::ScopeId)?,
                doc.attr(n, At::SymbolId)?.into_owned(),
            ))
        };
        let position = |n: NodeId| doc.attr(n, At::Position)?.trim().parse::<i64>().ok();
        match doc.name(n) {
            El::ArgumentSymbolReference => {
                let routine = doc
                    .parent(n)
                    .and_then(|list| doc.parent(list))
                    .and_then(key);
                let symbol = model.reference(doc, n, &mut silent);
                if let (Some((scope, id)), Some(at), Some(symbol)) = (routine, position(n), symbol)
                    && is_string(symbol)
                {
                    formal.insert((scope, id, at), symbol);
                }
            }
            El::SubroutineCall | El::FunctionCall => called.extend(key(n)),
            El::VariableReference => {
                let symbol = doc
                    .child(n, El::SymbolReference)
                    .and_then(|s| model.reference(doc, s, &mut silent));
                let Some(symbol) = symbol.filter(|&s| is_string(s)) else {
                    continue;
                };
                let argument = doc
                    .parent(n)
                    .filter(|&p| doc.name(p) == El::Argument && passed(doc, p) == Some(n));
                let call =
                    argument.and_then(|a| Some((doc.parent(a).and_then(key)?, position(a)?)));
                match call {
                    Some(((scope, id), at)) => passes.push(((scope, id, at), symbol)),
                    None => work.push(symbol),
                }
            }
            _ => {}
        }
    }
    let mut to: BTreeMap<SymbolId, Vec<SymbolId>> = BTreeMap::new();
    for (key, actual) in passes {
        if let Some(&formal) = formal.get(&key) {
            to.entry(formal).or_default().push(actual);
        }
    }
    let mut needed: BTreeSet<SymbolId> = BTreeSet::new();
    while let Some(s) = work.pop() {
        if needed.insert(s) {
            work.extend(to.get(&s).into_iter().flatten());
        }
    }
    let chosen: BTreeSet<SymbolId> = formal
        .iter()
        .filter(|((scope, id, _), s)| needed.contains(*s) && called.contains(&(*scope, id.clone())))
        .map(|(_, &s)| s)
        .collect();
    for s in chosen {
        model.symbols[s].string = true;
        model.symbols[s].ty = SymbolType::Scalar(ScalarType::Integer);
    }
    model.strings = constants(doc);
}

impl Model {
    /// The number of the value of a string constant.
    pub(crate) fn string_number(&self, text: &str) -> Option<i64> {
        let text = text.trim_end_matches(' ');
        let found = self
            .strings
            .binary_search_by(|s| order(s, text).then_with(|| s.as_str().cmp(text)));
        i64::try_from(found.ok()?).ok()
    }
}
