//! Strings, as far as they can be known: constants, and formals that get constants.
//!
//! Statements that assign strings are markers in the document, so a variable never has a known value. A
//! formal has, where the calls pass constants. Such a formal is an integer: the place of the constant among all
//! constants of the document in Fortran's order, so that comparisons of strings are comparisons of these.

use super::{
    codes,
    intrinsics::compare,
    lower::Lower,
    model::{Model, Sink, SymbolId, SymbolType},
    scan::{Home, Scan},
    typed::Typed,
    xml::{At, Document, El, NodeId},
};
use cfg_core::ir::{Expr, Op, ScalarType, Stmt, StmtKind};
use std::{
    cmp::Ordering,
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
};

/// Fortran's order: as if the shorter string were filled up with blanks.
fn order(a: &str, b: &str) -> Ordering {
    let filled = |s: &str, n: usize| s.bytes().chain(std::iter::repeat(b' ')).take(n).collect();
    let n = a.len().max(b.len());
    let (a, b): (Vec<u8>, Vec<u8>) = (filled(a, n), filled(b, n));
    a.cmp(&b)
}

/// All string constants of a document, in order, without blanks at the end.
pub(super) fn constants(doc: &Document<'_>) -> Vec<String> {
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

fn is_constant(doc: &Document<'_>, n: NodeId) -> bool {
    doc.name(n) == El::Constant && doc.attr(n, At::Type).as_deref() == Some("string")
}

/// A variable that is passed, if the argument is no more than that.
fn passed(doc: &Document<'_>, argument: NodeId) -> Option<NodeId> {
    let mut children = doc.children(argument);
    let only = children.next()?;
    (children.next().is_none() && doc.name(only) == El::VariableReference).then_some(only)
}

/// The formals that are integers from now on: those of type string of routines that are called, as far as a
/// statement of the routine, or of one that it passes them to, needs them.
pub(super) fn formals(doc: &Document<'_>, model: &mut Model) {
    let is_string = |s: SymbolId| {
        let symbol = &model.symbols[s];
        symbol.rank == 0
            && symbol.variable
            && doc.attr(symbol.node, At::Type).as_deref() == Some("string")
    };
    if !(0..model.symbols.len()).any(is_string) {
        return;
    }
    // What is wrong with a reference is reported when its routine is read.
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

impl Lower<'_, '_> {
    /// True of string constants and of formals of type string that are computed with.
    pub(super) fn is_string(&self, n: NodeId) -> bool {
        let symbol = || {
            let reference = self.doc.child(n, El::SymbolReference)?;
            self.scan.symbol.get(&reference)
        };
        match self.doc.name(n) {
            El::Constant => is_constant(self.doc, n),
            El::VariableReference => symbol().is_some_and(|&s| self.model.symbols[s].string),
            _ => false,
        }
    }

    /// The number of a string constant.
    pub(super) fn string_constant(&self, n: NodeId) -> Option<Typed> {
        if !is_constant(self.doc, n) {
            return None;
        }
        let text = self.doc.attr(n, At::Value)?;
        let text = text.trim_end_matches(' ');
        let found = self
            .model
            .strings
            .binary_search_by(|s| order(s, text).then_with(|| s.as_str().cmp(text)));
        Some(Typed::leaf(
            Expr::Int(i64::try_from(found.ok()?).ok()?),
            ScalarType::Integer,
        ))
    }

    /// An operation on strings.
    pub(super) fn string_operation(
        &mut self,
        v: NodeId,
        nodes: &[NodeId],
        operands: Vec<Typed>,
    ) -> Option<Typed> {
        let doc = self.doc;
        let name = super::model::text(doc, v, At::Name, self.sink)?;
        let stem = super::intrinsics::stem(&name);
        let stem = stem.strip_prefix("string_").unwrap_or(&stem);
        let op = match stem {
            "eq" | "equal" => Some(Op::Eq),
            "ne" | "not_equal" => Some(Op::Ne),
            "lt" | "llt" | "less_than" => Some(Op::Lt),
            "le" | "lle" | "less_or_equal" => Some(Op::Le),
            "gt" | "lgt" | "greater_than" => Some(Op::Gt),
            "ge" | "lge" | "greater_or_equal" => Some(Op::Ge),
            _ => None,
        };
        if let (Some(op), true) = (op, nodes.iter().all(|&n| self.is_string(n))) {
            if let Some(&formal) = nodes.iter().find(|&&n| !is_constant(doc, n)) {
                let diagnostic = doc.error(
                    formal,
                    &codes::ASSUMED,
                    "the length of a string is not in the document; it is taken to be that of the constant that is passed",
                    "declare the formal argument character*(*) if it is shorter",
                );
                self.sink.push(diagnostic.warning());
            }
            return match compare(op, operands) {
                Ok(value) => Some(value),
                Err(failure) => {
                    self.refuse(v, &name, failure);
                    None
                }
            };
        }
        if stem == "present" {
            return self.operation(v, operands);
        }
        if let ("len" | "len_trim" | "ichar" | "iachar", &[constant]) = (stem, nodes)
            && is_constant(doc, constant)
        {
            let text = doc.attr(constant, At::Value).unwrap_or_default();
            let value = match stem {
                "len" => i64::try_from(text.chars().count()).ok(),
                "len_trim" => i64::try_from(text.trim_end_matches(' ').chars().count()).ok(),
                _ => text.chars().next().map(|c| i64::from(u32::from(c))),
            };
            if let Some(value) = value {
                return Some(Typed::leaf(Expr::Int(value), ScalarType::Integer));
            }
        }
        self.report(
            v,
            &codes::INTRINSIC,
            format!("{name} of a string"),
            "strings can be compared, if they are constants or formals that get constants",
        );
        None
    }

    /// An assignment that needs strings, to a variable that nothing reads: it has no effect on what is computed
    /// here, and becomes an opaque statement.
    pub(super) fn without_effect(&self, n: NodeId) -> Option<Stmt> {
        let doc = self.doc;
        let target = doc.child(n, El::AssignmentLHS)?;
        let target = doc.child(target, El::SymbolReference)?;
        let &symbol = self.scan.symbol.get(&target)?;
        let s = &self.model.symbols[symbol];
        let own = Scan::home(self.model, self.r, symbol) == Home::Own;
        let formals = &self.model.routines[self.r].formals;
        if s.active
            || !own
            || self.scan.read.contains(&symbol)
            || formals.iter().any(|f| f.0 == symbol)
        {
            return None;
        }
        let right = doc.child(n, El::AssignmentRHS)?;
        let mut calls = false;
        let mut strings = false;
        for v in doc.subtree(right) {
            calls |= doc.name(v) == El::FunctionCall;
            strings |= is_constant(doc, v)
                || doc.name(v) == El::SymbolReference
                    && self.scan.symbol.get(&v).is_some_and(|&s| {
                        let symbol = self.model.symbols[s].node;
                        doc.attr(symbol, At::Type).as_deref() == Some("string")
                    });
        }
        (strings && !calls).then(|| {
            Stmt::new(StmtKind::Opaque {
                text: "assignment of what is computed from strings".into(),
                reads: Box::default(),
                writes: self.known(symbol).into_iter().collect(),
            })
        })
    }
}
