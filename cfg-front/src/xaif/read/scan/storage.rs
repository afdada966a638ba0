//! The symbols that are one storage: COMMON under several symbols, module variables, and EQUIVALENCE.
//!
//! The front end gives each routine that declares a COMMON block symbols of its own for the members, and
//! names the block in a comment: `common` lays out such blocks. Virtual addresses (alias sets) are counted
//! anew in each routine, so they tell what meets within one routine; across routines members of blocks
//! without a name are matched by their own names first, and by address where no name matches. A module
//! variable has a symbol that follows that of the module, and perhaps others where the module is used.

use crate::xaif::{
    codes,
    notation::names::short_name,
    read::{
        model::{Model, Sink, SymbolId},
        scan::{
            Home, RoutineScan, Scan,
            common::{self, Blocks, Cluster},
        },
        xml::Document,
    },
};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// The symbol that stands for the storage of each one (itself, if it shares it with none before it).
pub(crate) struct Storage {
    leader: Vec<SymbolId>,
    /// Leaders that share cells in another way.
    pub(crate) clusters: Vec<Cluster>,
}

/// The routines that use each global symbol.
type Users = BTreeMap<SymbolId, BTreeSet<usize>>;

impl Storage {
    pub(crate) fn group(doc: &Document<'_>, model: &Model, scan: &Scan, sink: &mut Sink) -> Self {
        let mut storage = Self {
            leader: (0..model.symbols.len()).collect(),
            clusters: Vec::new(),
        };
        let mut users = Users::new();
        for (r, routine) in scan.routines.iter().enumerate() {
            for &symbol in &routine.used {
                if Scan::home(model, r, symbol) == Home::Global {
                    users.entry(symbol).or_default().insert(r);
                }
            }
        }
        let blocks = Blocks::collect(doc, model);
        if doc.names_common_blocks() {
            storage.blocks(doc, model, scan, &blocks, &users, sink);
        } else {
            storage.without_names(doc, model, scan, &users, sink);
        }
        storage.modules(doc, model, scan, &blocks, &users, sink);
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
                if first != s && same_home && model.are_alike(first, s) {
                    let (a, b) = (storage.leader(first), storage.leader(s));
                    storage.leader[a.max(b)] = a.min(b);
                }
            }
            storage.overlaps(doc, model, routine, &formals, sink);
        }
        storage
    }

    /// Members of COMMON blocks where no comment names the blocks.
    fn without_names(
        &mut self,
        doc: &Document<'_>,
        model: &Model,
        scan: &Scan,
        users: &Users,
        sink: &mut Sink,
    ) {
        let common = members(doc, model, users.keys().copied());
        let mut merged = HashSet::new();
        let mut by_name: BTreeMap<String, Vec<SymbolId>> = BTreeMap::new();
        for &s in users.keys().filter(|s| common.contains(s)) {
            let name = short_name(&model.symbols[s].id);
            by_name.entry(name).or_default().push(s);
        }
        for group in by_name.values() {
            self.merge(model, users, group, &mut merged);
            let apart = |&&s: &&SymbolId| {
                !model.are_alike(group[0], s) && users[&group[0]].is_disjoint(&users[&s])
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
            self.merge(model, users, group, &mut merged);
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
    }

    /// Members of blocks that comments name.
    fn blocks(
        &mut self,
        doc: &Document<'_>,
        model: &Model,
        scan: &Scan,
        blocks: &Blocks,
        users: &Users,
        sink: &mut Sink,
    ) {
        for (name, declarations) in &blocks.declarations {
            let used = |s: SymbolId| users.contains_key(&s);
            let list: Vec<&Vec<SymbolId>> = declarations
                .iter()
                .filter(|d| d.iter().any(|&s| used(s)))
                .collect();
            if list.len() < 2 {
                continue;
            }
            if common::same(model, &list) {
                for position in 0..list[0].len() {
                    let group: Vec<SymbolId> = list.iter().map(|d| d[position]).collect();
                    self.join(&group);
                }
                continue;
            }
            match common::layout(doc, model, scan, name, &list, used) {
                Some(Ok(layout)) => {
                    for group in &layout.same {
                        self.join(group);
                    }
                    for mut cluster in layout.clusters {
                        for member in &mut cluster.members {
                            member.0 = self.leader(member.0);
                        }
                        self.clusters.push(cluster);
                    }
                }
                Some(Err(conflict)) => refuse(doc, model, conflict.symbol, &conflict.why, sink),
                None => self.by_name(doc, model, users, &list, sink),
            }
        }
    }

    /// Members of a block that cannot be laid out, by their names.
    fn by_name(
        &mut self,
        doc: &Document<'_>,
        model: &Model,
        users: &Users,
        declarations: &[&Vec<SymbolId>],
        sink: &mut Sink,
    ) {
        let mut names: BTreeMap<String, Vec<SymbolId>> = BTreeMap::new();
        for &s in declarations.iter().copied().flatten() {
            if users.contains_key(&s) {
                let name = short_name(&model.symbols[s].id);
                names.entry(name).or_default().push(s);
            }
        }
        let mut declared: HashMap<SymbolId, usize> = HashMap::new();
        for (k, declaration) in declarations.iter().enumerate() {
            declared.extend(declaration.iter().map(|&s| (s, k)));
        }
        // A member whose name no other routine has may be the same as any such member of another routine.
        let mut alone: Option<SymbolId> = None;
        for group in names.values() {
            let first = group[0];
            if group.len() == 1 {
                match alone {
                    Some(other) if declared.get(&other) != declared.get(&first) => {
                        let message = format!(
                            "it may be the storage of {}, as the block has another length in that routine, or types whose lengths are not known",
                            model.symbols[other].id
                        );
                        refuse(doc, model, first, &message, sink);
                    }
                    _ => alone = Some(first),
                }
                continue;
            }
            match group.iter().find(|&&s| !model.are_alike(first, s)) {
                Some(&s) => {
                    let message = "it has another type or shape than in another routine";
                    refuse(doc, model, s, message, sink);
                }
                None => self.join(group),
            }
        }
    }

    /// Module variables under several symbols: that of the module, and others where the module is used.
    fn modules(
        &mut self,
        doc: &Document<'_>,
        model: &Model,
        scan: &Scan,
        blocks: &Blocks,
        users: &Users,
        sink: &mut Sink,
    ) {
        let heads = heads(doc, model);
        let mut names: BTreeMap<String, Vec<SymbolId>> = BTreeMap::new();
        for &s in users.keys().filter(|s| !blocks.contains(**s)) {
            let known = model.number(doc, s).is_some()
                || model.modules.contains_key(&model.symbols[s].scope);
            if known && model.symbols[s].variable {
                let name = short_name(&model.symbols[s].id);
                names.entry(name).or_default().push(s);
            }
        }
        for group in names.values().filter(|g| g.len() > 1) {
            // By module; `None` for symbols that do not follow that of one.
            let mut of: BTreeMap<Option<&str>, Vec<SymbolId>> = BTreeMap::new();
            for &s in group {
                let module = model
                    .modules
                    .get(&model.symbols[s].scope)
                    .map(String::as_str);
                let module = module.or_else(|| heads.get(&s).copied().flatten());
                of.entry(module).or_default().push(s);
            }
            let others = of.remove(&None).unwrap_or_default();
            for same in of.values() {
                self.one_variable(doc, model, scan, users, same, sink);
            }
            let owners: Vec<SymbolId> = of.values().map(|list| list[0]).collect();
            match owners.as_slice() {
                [] if doc.names_common_blocks() => {
                    self.one_variable(doc, model, scan, users, &others, sink);
                }
                [] => {}
                &[owner] => {
                    let all: Vec<SymbolId> = [owner].into_iter().chain(others).collect();
                    self.one_variable(doc, model, scan, users, &all, sink);
                }
                [first, second, ..] => {
                    for &s in &others {
                        let message = format!(
                            "it may be {} or {}, which are of different modules",
                            model.symbols[*first].id, model.symbols[*second].id
                        );
                        refuse(doc, model, s, &message, sink);
                    }
                }
            }
        }
    }

    /// Joins symbols of one name, unless a routine uses two of them at different addresses.
    fn one_variable(
        &mut self,
        doc: &Document<'_>,
        model: &Model,
        scan: &Scan,
        users: &Users,
        group: &[SymbolId],
        sink: &mut Sink,
    ) {
        let Some((&first, others)) = group.split_first() else {
            return;
        };
        // The symbol of the group that each routine has used so far.
        let mut seen: BTreeMap<usize, SymbolId> =
            users[&first].iter().map(|&r| (r, first)).collect();
        for &s in others {
            let apart = users[&s].iter().any(|r| {
                let range = |s| range_in(model, &scan.routines[*r], s);
                seen.get(r).is_some_and(|&other| range(other) != range(s))
            });
            if apart {
                continue;
            }
            if !model.are_alike(first, s) {
                let message = format!(
                    "it may be the variable {}, which has another type or shape",
                    model.symbols[first].id
                );
                refuse(doc, model, s, &message, sink);
                continue;
            }
            seen.extend(users[&s].iter().map(|&r| (r, s)));
            self.join(&[first, s]);
        }
    }

    /// Makes one storage of symbols.
    fn join(&mut self, group: &[SymbolId]) {
        for &s in group {
            let (a, b) = (self.leader(group[0]), self.leader(s));
            self.leader[a.max(b)] = a.min(b);
        }
    }

    /// The symbol that stands for the storage.
    pub(crate) fn leader(&self, symbol: SymbolId) -> SymbolId {
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
            .filter(|s| !formals.contains(s) && !model.is_part(**s))
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
            if !model.are_alike(first, s) || users[&s].iter().any(|u| seen.contains(u)) {
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

/// The module whose symbol stands before each variable, going down through other variables; `None` if
/// something else does.
fn heads<'m>(doc: &Document<'_>, model: &'m Model) -> BTreeMap<SymbolId, Option<&'m str>> {
    let mut numbered: BTreeMap<(usize, i64), SymbolId> = BTreeMap::new();
    for (s, symbol) in model.symbols.iter().enumerate() {
        if let Some(n) = model.number(doc, s) {
            numbered.insert((symbol.scope, n), s);
        }
    }
    let mut found: BTreeMap<SymbolId, Option<&str>> = BTreeMap::new();
    for (&(scope, n), &s) in &numbered {
        if !model.symbols[s].variable {
            continue;
        }
        let before = numbered.get(&(scope, n.saturating_sub(1)));
        let head = before.and_then(|&b| {
            if model.symbols[b].variable {
                return found.get(&b).copied().flatten();
            }
            let id = model.symbols[b].id.as_str();
            let is_module = model.module_symbols.contains(&(scope, id.to_owned()));
            is_module.then_some(id)
        });
        found.insert(s, head);
    }
    found
}

/// The members of COMMON blocks among global symbols. The number in `{Sym_Id#N}` counts all symbols of
/// the front end, and a block, which the document leaves out, comes just before its members: going down
/// from a member through other variables one arrives at a missing number, from a module variable at
/// the module. Without numbers every global may be of a COMMON block.
fn members(
    doc: &Document<'_>,
    model: &Model,
    globals: impl Iterator<Item = SymbolId>,
) -> HashSet<SymbolId> {
    let number = |s: SymbolId| model.number(doc, s);
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
