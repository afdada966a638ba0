//! Values that only a marker can have set.
//!
//! The front end replaces statements that it takes to be irrelevant by markers without operands. Two parts of the
//! document tell what markers hide: use-definition chains name the statements that reach a use, markers included, and
//! the side effects of a routine name the variables that it modifies. A marker's writes are recorded where they can
//! be known; a value that is read and can come from one is an error.

use crate::xaif::{
    codes,
    read::{
        model::{Model, Sink, SymbolId, SymbolType},
        scan::{
            Home, Scan,
            markers::{Open, harmless, is_pointer_assignment},
            passed,
        },
        xml::{At, Document, El, NodeId},
    },
};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// The variables that each marker element writes.
pub(crate) type Writes = HashMap<NodeId, BTreeSet<SymbolId>>;

/// Variables that stand for parts of structures: the front end writes `oaScalRef0` for `t%a`, without a reference to
/// `t`. The name means one variable in a whole routine only if the structure is a local scalar that is passed to no
/// other routine.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "other elements of XAIF are treated alike"
)]
fn structures(doc: &Document<'_>, model: &Model, scan: &Scan, sink: &mut Sink) {
    let part = |s: &SymbolId| model.is_part(*s);
    let structure = |s: SymbolId| matches!(&model.symbols[s].ty, SymbolType::Unsupported(ty) if ty.ends_with("(M)"));
    let users: Vec<usize> = (0..model.routines.len())
        .filter(|&r| scan.routines[r].used.iter().any(part))
        .collect();
    if users.is_empty() {
        return;
    }
    let of_all = |s: &SymbolId| model.scopes[model.symbols[*s].scope].owner.is_none();
    let shared = (0..model.symbols.len()).find(|s| structure(*s) && of_all(s));
    for &r in &users {
        let decl = &model.routines[r];
        let array = (0..model.symbols.len()).find(|&s| {
            structure(s)
                && model.symbols[s].rank > 0
                && model.scopes[model.symbols[s].scope].owner == Some(r)
        });
        // Formals and actuals.
        let passed = doc.subtree(decl.node).find_map(|n| {
            let reference = match doc.name(n) {
                El::ArgumentSymbolReference => Some(n),
                El::Argument => doc
                    .children(n)
                    .filter(|&v| doc.name(v) == El::VariableReference)
                    .flat_map(|v| doc.children(v))
                    .find(|&s| doc.name(s) == El::SymbolReference),
                _ => None,
            }?;
            let found = model.reference(doc, reference, &mut Sink::default());
            found.filter(|&s| structure(s))
        });
        let shared = shared.filter(|_| users.len() > 1);
        let Some(whole) = passed.or(array).or(shared) else {
            continue;
        };
        let reads = first_reads(doc, model, scan, r);
        let symbol = scan.routines[r].used.iter().find(|s| part(s));
        let Some(&symbol) = symbol else { continue };
        let n = reads.get(&symbol).copied().unwrap_or(decl.node);
        let (id, whole) = (&model.symbols[symbol].id, &model.symbols[whole].id);
        sink.push(doc.error(
            n,
            &codes::TYPE,
            format!(
                "{id} is part of a structure, perhaps of {whole}, which more than this routine or more than one element has; the document does not say which part"
            ),
            "pass the parts of structures as variables of their own",
        ));
    }
}

/// Finds the variables that markers write, and reports reads of variables that only a marker can have set.
pub(crate) fn find(doc: &Document<'_>, model: &Model, scan: &Scan, sink: &mut Sink) -> Writes {
    let mut writes = Writes::new();
    let mut open = Open::default();
    for r in 0..model.routines.len() {
        routine(doc, model, scan, r, &mut writes, &mut open, sink);
    }
    passed::find(doc, model, scan, &mut open, sink);
    structures(doc, model, scan, sink);
    // A global that a marker of some routine writes and nothing else does cannot be read anywhere.
    let outside = open.outside;
    if outside.is_empty() {
        return writes;
    }
    for (r, used) in scan.routines.iter().enumerate() {
        if !used.used.iter().any(|s| outside.contains_key(s)) {
            continue;
        }
        let reads = first_reads(doc, model, scan, r);
        for symbol in &used.used {
            if let (Some(text), Some(&n)) = (outside.get(symbol), reads.get(symbol)) {
                report(doc, model, n, *symbol, text, sink);
            }
        }
    }
    writes
}

fn report(
    doc: &Document<'_>,
    model: &Model,
    n: NodeId,
    symbol: SymbolId,
    marker: &str,
    sink: &mut Sink,
) {
    let id = &model.symbols[symbol].id;
    sink.push(doc.error(
        n,
        &codes::HIDDEN,
        format!("{id} is read, but only the opaque statement {marker} can have set it"),
        format!("write the document again with the statement that sets {id} kept"),
    ));
}

/// The first place where a routine reads each variable (passing it on is no reading).
fn first_reads(
    doc: &Document<'_>,
    model: &Model,
    scan: &Scan,
    r: usize,
) -> HashMap<SymbolId, NodeId> {
    let mut found = HashMap::new();
    for n in doc.subtree(model.routines[r].node) {
        if doc.name(n) == El::VariableReference
            && doc.parent(n).is_some_and(|p| doc.name(p) != El::Argument)
            && let Some(symbol) = doc.children(n).find_map(|s| scan.symbol.get(&s).copied())
        {
            found.entry(symbol).or_insert(n);
        }
    }
    found
}

fn routine(
    doc: &Document<'_>,
    model: &Model,
    scan: &Scan,
    r: usize,
    writes: &mut Writes,
    known: &mut Open,
    sink: &mut Sink,
) {
    let node = model.routines[r].node;
    let used = &scan.routines[r];
    // Statement numbers are counted anew in each routine.
    let mut markers: BTreeMap<i64, NodeId> = BTreeMap::new();
    let mut open: BTreeMap<i64, String> = BTreeMap::new();
    for n in doc.subtree(node) {
        if doc.name(n) != El::Marker {
            continue;
        }
        let text = doc.attr(n, At::Annotation).unwrap_or_default();
        if is_pointer_assignment(&text) {
            sink.push(doc.error(
                n,
                &codes::HIDDEN,
                format!("the opaque statement {text} makes a pointer and a target one storage, without saying which"),
                "write the program without pointers",
            ));
            continue;
        }
        let Some(id) = doc.id(n, At::StatementId) else {
            continue;
        };
        markers.insert(id, n);
        if !harmless(&text) {
            open.insert(id, text.into_owned());
        }
    }
    if markers.is_empty() {
        return;
    }
    let mut reported = |s: SymbolId| known.reported.insert((r, s));
    for n in doc.subtree(node) {
        if doc.name(n) != El::VariableReference {
            continue;
        }
        let Some(key) = doc.id(n, At::DuUd) else {
            continue;
        };
        let Some(chain) = model.chains.get(&key) else {
            continue;
        };
        let symbol = doc.children(n).find_map(|s| scan.symbol.get(&s).copied());
        let Some(symbol) = symbol else { continue };
        for id in chain {
            let Some(&marker) = markers.get(id) else {
                continue;
            };
            writes.entry(marker).or_default().insert(symbol);
            open.remove(id);
            if reported(symbol) {
                let text = doc.attr(marker, At::Annotation).unwrap_or_default();
                report(doc, model, n, symbol, &text, sink);
            }
        }
    }
    let Some(text) = open.values().next() else {
        return;
    };
    known.texts.insert(r, text.clone());
    let passed: HashSet<SymbolId> = used
        .calls
        .iter()
        .flat_map(|c| c.arguments.iter().filter_map(|a| a.1))
        .collect();
    let set = |s: SymbolId| used.written.contains(&s) || passed.contains(&s);
    let reads = first_reads(doc, model, scan, r);
    // Modified, but by no statement that the document shows.
    for &symbol in used.side_effects.iter().filter(|&&s| !set(s)) {
        for id in open.keys() {
            if let Some(&marker) = markers.get(id) {
                writes.entry(marker).or_default().insert(symbol);
            }
        }
        if Scan::home(model, r, symbol) != Home::Own {
            known.outside.entry(symbol).or_insert_with(|| text.clone());
        } else if let Some(&n) = reads.get(&symbol)
            && reported(symbol)
        {
            report(doc, model, n, symbol, text, sink);
        }
    }
    // Read, but set by no statement that the document shows.
    for &symbol in &used.used {
        if Scan::home(model, r, symbol) == Home::Own
            && !set(symbol)
            && let Some(&n) = reads.get(&symbol)
            && reported(symbol)
        {
            report(doc, model, n, symbol, text, sink);
        }
    }
}
