//! Which symbols are one storage: COMMON under several symbols, and EQUIVALENCE.
//!
//! The front end gives each routine that declares a COMMON block symbols of its own for the members, and
//! leaves out the block. Virtual addresses (alias sets) are counted anew in each routine, so they tell
//! what meets within one routine; across routines members are matched by name first, and by address
//! where no name matches. Module variables have one symbol for all routines.

use super::{
    codes,
    model::{Model, Sink, SymbolId},
    names::short_name,
    scan::{Home, RoutineScan, Scan},
    xml::{At, Document},
};
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// For each symbol the one that stands for its storage (itself, if it shares it with none before it).
pub(super) struct Storage {
    leader: Vec<SymbolId>,
}

impl Storage {
    pub(super) fn of(doc: &Document<'_>, model: &Model, scan: &Scan, sink: &mut Sink) -> Self {
        let mut storage = Self {
            leader: (0..model.symbols.len()).collect(),
        };
        let mut users: BTreeMap<SymbolId, BTreeSet<usize>> = BTreeMap::new();
        for (r, routine) in scan.routines.iter().enumerate() {
            for &symbol in &routine.used {
                if Scan::home(model, r, symbol) == Home::Global {
                    users.entry(symbol).or_default().insert(r);
                }
            }
        }
        let common = common(doc, model, users.keys().copied());
        let mut merged = HashSet::new();
        let mut by_name: BTreeMap<String, Vec<SymbolId>> = BTreeMap::new();
        for &s in users.keys().filter(|s| common.contains(s)) {
            let name = short_name(&model.symbols[s].id);
            by_name.entry(name).or_default().push(s);
        }
        for group in by_name.values() {
            storage.merge(model, &users, group, &mut merged);
            let apart = |&&s: &&SymbolId| {
                !alike(model, group[0], s) && users[&group[0]].is_disjoint(&users[&s])
            };
            for &s in group.iter().filter(apart) {
                let message = "it has another type or shape than in another routine";
                refuse(doc, model, s, message, sink);
            }
        }
        let mut by_address: BTreeMap<(i64, i64), Vec<SymbolId>> = BTreeMap::new();
        for &s in users
            .keys()
            .filter(|s| common.contains(s) && !merged.contains(*s))
        {
            if let Some(range) = definite(model, scan, s) {
                by_address.entry(range).or_default().push(s);
            }
        }
        for group in by_address.values() {
            storage.merge(model, &users, group, &mut merged);
        }
        // Members that neither name nor address matches, in two routines at addresses that meet.
        let mut alone: Vec<(usize, (i64, i64), SymbolId)> = Vec::new();
        for &s in users.keys() {
            if let (true, 1, Some(&r)) = (
                common.contains(&s) && !merged.contains(&s),
                users[&s].len(),
                users[&s].first(),
            ) && let Some(range) = range_in(model, &scan.routines[r], s)
            {
                alone.push((r, range, s));
            }
        }
        alone.sort_by_key(|a| (a.1, a.2));
        for pair in alone.windows(2) {
            let (r, (_, to), first) = pair[0];
            let (other, (from, _), s) = pair[1];
            if r != other && from <= to {
                let message = format!(
                    "it may be the storage of {}, which has another name, type or shape",
                    model.symbols[first].id
                );
                refuse(doc, model, s, &message, sink);
            }
        }
        // Within one routine, different variables at one definite address are EQUIVALENCE.
        for (r, routine) in scan.routines.iter().enumerate() {
            let formals: HashSet<SymbolId> =
                model.routines[r].formals.iter().map(|f| f.0).collect();
            let mut at: BTreeMap<(i64, i64), SymbolId> = BTreeMap::new();
            for &s in routine.used.iter().filter(|s| !formals.contains(s)) {
                let Some(range) = definite(model, scan, s) else {
                    continue;
                };
                let first = *at.entry(range).or_insert(s);
                let same_home = model.symbols[first].scope == model.symbols[s].scope;
                if first != s && same_home && alike(model, first, s) {
                    let (a, b) = (storage.leader(first), storage.leader(s));
                    storage.leader[a.max(b)] = a.min(b);
                }
            }
            storage.overlaps(doc, model, routine, &formals, sink);
        }
        storage
    }

    /// The symbol that stands for the storage.
    pub(super) fn leader(&self, symbol: SymbolId) -> SymbolId {
        let mut at = symbol;
        while self.leader[at] != at {
            at = self.leader[at];
        }
        at
    }

    /// Refuses variables of one routine that share only part of their storage, or share it under other
    /// shapes: an EQUIVALENCE of an array with one of its elements, say.
    fn overlaps(
        &self,
        doc: &Document<'_>,
        model: &Model,
        routine: &RoutineScan,
        formals: &HashSet<SymbolId>,
        sink: &mut Sink,
    ) {
        let mut ranges: Vec<((i64, i64), SymbolId)> = routine
            .used
            .iter()
            .filter(|s| !formals.contains(s) && !super::hidden::is_part(model, **s))
            .filter_map(|&s| Some((range_in(model, routine, s)?, s)))
            .collect();
        ranges.sort_unstable();
        let mut last: Option<(i64, SymbolId)> = None;
        for ((from, to), s) in ranges {
            if let Some((end, other)) = last
                && from <= end
                && self.leader(other) != self.leader(s)
                && model.symbols[other].scope == model.symbols[s].scope
            {
                let message = format!("it overlaps with {}", model.symbols[other].id);
                refuse(doc, model, s, &message, sink);
            }
            if last.is_none_or(|(end, _)| to > end) {
                last = Some((to, s));
            }
        }
    }

    /// Makes one storage of symbols of different routines.
    fn merge(
        &mut self,
        model: &Model,
        users: &BTreeMap<SymbolId, BTreeSet<usize>>,
        group: &[SymbolId],
        merged: &mut HashSet<SymbolId>,
    ) {
        let Some((&first, others)) = group.split_first() else {
            return;
        };
        let mut seen: BTreeSet<usize> = users[&first].clone();
        for &s in others {
            // Two symbols in one routine are two variables.
            if !alike(model, first, s) || users[&s].iter().any(|u| seen.contains(u)) {
                continue;
            }
            seen.extend(&users[&s]);
            self.leader[s] = self.leader(first);
            merged.insert(first);
            merged.insert(s);
        }
    }
}

fn refuse(doc: &Document<'_>, model: &Model, s: SymbolId, why: &str, sink: &mut Sink) {
    let symbol = &model.symbols[s];
    sink.push(doc.error(
        symbol.node,
        &codes::STORAGE,
        format!(
            "{} shares storage in a way that is not supported: {why}",
            symbol.id
        ),
        "declare the COMMON block alike in every routine, and write EQUIVALENCE as assignments",
    ));
}

/// The one range of addresses of all references in a routine, certain or not.
fn range_in(model: &Model, routine: &RoutineScan, symbol: SymbolId) -> Option<(i64, i64)> {
    let mut found = None;
    for key in routine.alias.get(&symbol).into_iter().flatten() {
        match model.aliases.get(key)?.as_slice() {
            [] => {}
            &[(from, to, _)] if found.is_none_or(|f| f == (from, to)) => found = Some((from, to)),
            _ => return None,
        }
    }
    found
}

fn alike(model: &Model, a: SymbolId, b: SymbolId) -> bool {
    let (a, b) = (&model.symbols[a], &model.symbols[b]);
    a.ty == b.ty && a.rank == b.rank && a.bounds == b.bounds
}

/// The one address range of all references to a symbol, if it is certain.
fn definite(model: &Model, scan: &Scan, symbol: SymbolId) -> Option<(i64, i64)> {
    let mut found = None;
    for routine in &scan.routines {
        for key in routine.alias.get(&symbol).into_iter().flatten() {
            let ranges = model.aliases.get(key)?;
            // Keys 0 and 1 are empty: no information.
            match ranges.as_slice() {
                [] => {}
                &[(from, to, false)] if found.is_none_or(|f| f == (from, to)) => {
                    found = Some((from, to));
                }
                _ => return None,
            }
        }
    }
    found
}

/// The members of COMMON blocks among global symbols. The number in `{Sym_Id#N}` counts all symbols of
/// the front end, and a block, which the document leaves out, comes just before its members: going down
/// from a member through other variables one arrives at a missing number, from a module variable at
/// the module. Without numbers every global may be of a COMMON block.
fn common(
    doc: &Document<'_>,
    model: &Model,
    globals: impl Iterator<Item = SymbolId>,
) -> HashSet<SymbolId> {
    let number = |s: SymbolId| -> Option<i64> {
        let text = doc.attr(model.symbols[s].node, At::Annotation)?;
        let rest = text.split("Sym_Id#").nth(1)?;
        rest.split('}').next()?.parse().ok()
    };
    let globals: Vec<SymbolId> = globals.collect();
    let scopes: HashSet<usize> = globals.iter().map(|&s| model.symbols[s].scope).collect();
    let mut variable: BTreeMap<(usize, i64), bool> = BTreeMap::new();
    for (s, symbol) in model.symbols.iter().enumerate() {
        if scopes.contains(&symbol.scope)
            && let Some(n) = number(s)
        {
            variable.insert((symbol.scope, n), symbol.variable);
        }
    }
    // One pass in order of the numbers: is the run of variables that a number ends headed by a gap?
    let mut headed: BTreeMap<(usize, i64), bool> = BTreeMap::new();
    for (&(scope, n), &is_variable) in &variable {
        let before = (scope, n.saturating_sub(1));
        let by_gap = match variable.get(&before) {
            None => true,
            Some(true) => headed.get(&before).copied().unwrap_or(true),
            Some(false) => false,
        };
        headed.insert((scope, n), is_variable && by_gap);
    }
    globals
        .into_iter()
        .filter(|&s| match number(s) {
            Some(n) => headed
                .get(&(model.symbols[s].scope, n))
                .copied()
                .unwrap_or(true),
            None => true,
        })
        .collect()
}
