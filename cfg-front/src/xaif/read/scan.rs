//! One pass over the graphs before anything is lowered: the symbols that each routine uses and writes, and its
//! callees. Every reference is resolved here, so that a wrong one is reported once.

pub(crate) mod common;
pub(crate) mod hidden;
mod markers;
mod passed;
pub(crate) mod references;
pub(crate) mod storage;

use crate::xaif::{
    codes,
    read::{
        model::{Model, Sink, SymbolId, int_attribute},
        scan::{markers::harmless, references::beyond_one},
        xml::{At, Document, El, NodeId},
    },
};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// The home of a symbol, seen from one routine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Home {
    /// The symbol is in the routine's own scope.
    Own,
    /// The symbol is in the scope of a routine around it (Fortran's host association).
    Host,
    /// The symbol is in a scope that belongs to no routine: module variables and COMMON.
    Global,
}

/// A call of a routine.
#[derive(Debug)]
pub(crate) struct Call {
    pub(crate) callee: usize,
    /// Place among the formals, the variable passed if it is one, the `Argument` element.
    pub(crate) arguments: Vec<(usize, Option<SymbolId>, NodeId)>,
}

/// The symbols that one routine uses, and its calls.
#[derive(Debug, Default)]
pub(crate) struct RoutineScan {
    /// Symbols in the order of first use, formals excluded.
    pub(crate) used: Vec<SymbolId>,
    /// Symbols that an assignment or a loop writes.
    pub(crate) written: BTreeSet<SymbolId>,
    pub(crate) calls: Vec<Call>,
    /// Variables of enclosing routines that this routine uses, or an inner routine that it calls.
    pub(crate) host: BTreeSet<SymbolId>,
    /// Formals whose presence is asked for or that a call leaves out.
    pub(crate) optional: BTreeSet<SymbolId>,
    /// Symbols of the `ModLocal` list, if the routine has markers that may hide a store. (Without them
    /// the list says nothing that the statements do not say better: it counts possible aliases.)
    pub(crate) side_effects: BTreeSet<SymbolId>,
    /// References to arrays whose bounds the document does not show, formals excluded.
    pub(crate) unbounded: BTreeMap<SymbolId, Vec<NodeId>>,
    /// Alias keys of the references to each symbol.
    pub(crate) alias: BTreeMap<SymbolId, BTreeSet<i64>>,
}

/// The whole document.
#[derive(Debug, Default)]
pub(crate) struct Scan {
    pub(crate) routines: Vec<RoutineScan>,
    /// The symbol of each `SymbolReference`.
    pub(crate) symbol: HashMap<NodeId, SymbolId>,
    /// The routine of each `SubroutineCall` and `FunctionCall`.
    pub(crate) callee: HashMap<NodeId, usize>,
    /// Symbols that some reference may read, as an argument or otherwise.
    pub(crate) read: HashSet<SymbolId>,
    /// Formals declared with one element that are used with other indices.
    pub(crate) beyond: BTreeSet<SymbolId>,
    /// Formals that the routine or a callee may write, by routine and position.
    pub(crate) writes_formal: Vec<Vec<bool>>,
    /// Symbols (globals, and variables of hosts) that the routine or a callee may write.
    pub(crate) writes_outside: Vec<BTreeSet<SymbolId>>,
}

impl Scan {
    pub(crate) fn scan_document(doc: &Document<'_>, model: &Model, sink: &mut Sink) -> Self {
        let mut scan = Self::default();
        for r in 0..model.routines.len() {
            let routine = scan.routine(doc, model, r, sink);
            scan.routines.push(routine);
        }
        if sink.failed() {
            return scan;
        }
        scan.left_out(model);
        scan.hosts(model);
        scan.writes(model);
        scan
    }

    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "other elements of XAIF are treated alike"
    )]
    fn routine(
        &mut self,
        doc: &Document<'_>,
        model: &Model,
        r: usize,
        sink: &mut Sink,
    ) -> RoutineScan {
        let decl = &model.routines[r];
        let mut out = RoutineScan::default();
        let formals: HashSet<SymbolId> = decl.formals.iter().map(|f| f.0).collect();
        formals_are_own(doc, model, r, sink);
        let mut seen = formals.clone();
        let mut hides_stores = false;
        for section in doc.children(decl.node) {
            match doc.name(section) {
                El::ArgumentList | El::ControlFlowEdge => continue,
                El::ModLocal => {
                    for n in doc.subtree(section) {
                        if doc.name(n) == El::SymbolReference {
                            out.side_effects.extend(model.reference(doc, n, sink));
                        }
                    }
                    continue;
                }
                // The other lists repeat the contents of statements and calls.
                El::Mod | El::Read | El::ReadLocal | El::OnEntry => continue,
                _ => {}
            }
            for n in doc.subtree(section) {
                match doc.name(n) {
                    El::SymbolReference => {
                        let Some(symbol) = model.reference(doc, n, sink) else {
                            continue;
                        };
                        self.symbol.insert(n, symbol);
                        self.visible(doc, model, r, symbol, n, sink);
                        if seen.insert(symbol) {
                            out.used.push(symbol);
                        }
                        let Some(parent) = doc.parent(n) else {
                            continue;
                        };
                        if doc.name(parent) == El::AssignmentLHS {
                            out.written.insert(symbol);
                        } else {
                            self.read.insert(symbol);
                        }
                        let declared = &model.symbols[symbol];
                        if declared.rank > 0
                            && declared.bounds.is_empty()
                            && !formals.contains(&symbol)
                        {
                            out.unbounded.entry(symbol).or_default().push(parent);
                        }
                        if let (true, 1, &[(1, Some(1))]) = (
                            formals.contains(&symbol),
                            declared.rank,
                            declared.bounds.as_slice(),
                        ) && beyond_one(doc, parent)
                        {
                            self.beyond.insert(symbol);
                        }
                        if let Some(key) = doc.id(parent, At::Alias) {
                            out.alias.entry(symbol).or_default().insert(key);
                        }
                    }
                    El::SubroutineCall | El::FunctionCall => {
                        out.calls.extend(self.call(doc, model, n, sink));
                    }
                    El::Marker => {
                        let text = doc.attr(n, At::Annotation).unwrap_or_default();
                        hides_stores |= !harmless(&text);
                    }
                    El::Intrinsic if doc.attr(n, At::Name).as_deref() == Some("present") => {
                        out.optional.extend(presence(doc, model, n, &formals, sink));
                    }
                    _ => {}
                }
            }
        }
        if !hides_stores {
            out.side_effects.clear();
        }
        // The variables that are passed: their references have been resolved by now.
        for call in &mut out.calls {
            for (_, symbol, argument) in &mut call.arguments {
                *symbol = doc
                    .children(*argument)
                    .find(|&c| doc.name(c) == El::VariableReference)
                    .into_iter()
                    .flat_map(|v| doc.children(v))
                    .find_map(|s| self.symbol.get(&s).copied());
            }
        }
        out
    }

    /// A call with the arguments that have a formal.
    fn call(
        &mut self,
        doc: &Document<'_>,
        model: &Model,
        n: NodeId,
        sink: &mut Sink,
    ) -> Option<Call> {
        let callee = model.callee(doc, n, sink)?;
        self.callee.insert(n, callee);
        let mut call = Call {
            callee,
            arguments: Vec::new(),
        };
        for argument in doc.children(n) {
            if doc.name(argument) != El::Argument {
                continue;
            }
            let Some(position) = int_attribute(doc, argument, At::Position, sink) else {
                continue;
            };
            // A position that does not exist is reported where the call is lowered.
            if let Some(Some(i)) = model.routines[callee].slot(position) {
                call.arguments.push((i, None, argument));
            }
        }
        Some(call)
    }

    /// The home of a symbol, seen from one routine.
    pub(crate) fn home(model: &Model, r: usize, symbol: SymbolId) -> Home {
        match model.scopes[model.symbols[symbol].scope].owner {
            None => Home::Global,
            Some(owner) if owner == r => Home::Own,
            Some(_) => Home::Host,
        }
    }

    /// A symbol of another routine must be one of a routine around this one.
    fn visible(
        &self,
        doc: &Document<'_>,
        model: &Model,
        r: usize,
        symbol: SymbolId,
        n: NodeId,
        sink: &mut Sink,
    ) {
        if Self::home(model, r, symbol) != Home::Host {
            return;
        }
        let owner = model.scopes[model.symbols[symbol].scope].owner;
        let mut at = Some(r);
        for _ in 0..64 {
            let Some(routine) = at else { break };
            if Some(routine) == owner {
                return;
            }
            at = model.scopes[model.routines[routine].scope]
                .parent
                .and_then(|p| model.scopes[p].owner);
        }
        sink.push(doc.error(
            n,
            &codes::SYMBOL,
            format!("{} belongs to another routine", model.symbols[symbol].id),
            "a routine sees its own scope and those around it",
        ));
    }

    /// Formals that some call leaves out are optional.
    fn left_out(&mut self, model: &Model) {
        let mut found = Vec::new();
        for routine in &self.routines {
            for call in &routine.calls {
                let formals = &model.routines[call.callee].formals;
                let given: HashSet<usize> = call.arguments.iter().map(|a| a.0).collect();
                if given.len() == formals.len() {
                    continue;
                }
                for (i, formal) in formals.iter().enumerate() {
                    if !given.contains(&i) {
                        found.push((call.callee, formal.0));
                    }
                }
            }
        }
        for (r, symbol) in found {
            self.routines[r].optional.insert(symbol);
        }
    }

    /// Callers of each routine, with the number of the call.
    fn callers(&self) -> Vec<Vec<(usize, usize)>> {
        let mut callers = vec![Vec::new(); self.routines.len()];
        for (r, routine) in self.routines.iter().enumerate() {
            for (c, call) in routine.calls.iter().enumerate() {
                callers[call.callee].push((r, c));
            }
        }
        callers
    }

    /// Host association becomes arguments: a routine needs the host variables that it uses, and those that its
    /// callees need unless they are its own.
    fn hosts(&mut self, model: &Model) {
        let callers = self.callers();
        let mut work: Vec<usize> = Vec::new();
        for (r, routine) in self.routines.iter_mut().enumerate() {
            for &symbol in &routine.used {
                if Self::home(model, r, symbol) == Home::Host {
                    routine.host.insert(symbol);
                }
            }
            if !routine.host.is_empty() {
                work.push(r);
            }
        }
        while let Some(r) = work.pop() {
            let host = self.routines[r].host.clone();
            for &(caller, _) in &callers[r] {
                let before = self.routines[caller].host.len();
                let missing = host
                    .iter()
                    .copied()
                    .filter(|&s| Self::home(model, caller, s) == Home::Host);
                self.routines[caller].host.extend(missing);
                if self.routines[caller].host.len() > before {
                    work.push(caller);
                }
            }
        }
        self.owners(model);
    }

    /// Variables that only inner routines use are used by their owner, too, since it passes them on; inner references
    /// to an array of unknown bounds count as the owner's.
    fn owners(&mut self, model: &Model) {
        let formals = |r: usize| model.routines[r].formals.iter().map(|f| f.0);
        for r in 0..self.routines.len() {
            let mut known: HashSet<SymbolId> = formals(r).collect();
            known.extend(&self.routines[r].used);
            let callees: BTreeSet<usize> =
                self.routines[r].calls.iter().map(|c| c.callee).collect();
            let mut missing = Vec::new();
            for callee in callees {
                for &symbol in &self.routines[callee].host {
                    if Self::home(model, r, symbol) == Home::Own && known.insert(symbol) {
                        missing.push(symbol);
                    }
                }
            }
            self.routines[r].used.extend(missing);
        }
        for r in 0..self.routines.len() {
            let inside: Vec<SymbolId> = self.routines[r]
                .unbounded
                .keys()
                .copied()
                .filter(|&s| Self::home(model, r, s) == Home::Host)
                .collect();
            for symbol in inside {
                let Some(owner) = model.scopes[model.symbols[symbol].scope].owner else {
                    continue;
                };
                if formals(owner).any(|f| f == symbol) {
                    continue;
                }
                let references = self.routines[r].unbounded[&symbol].clone();
                let all = &mut self.routines[owner].unbounded;
                all.entry(symbol).or_default().extend(references);
            }
        }
    }

    /// Finds the formals and outer variables that each routine may write.
    fn writes(&mut self, model: &Model) {
        let count = self.routines.len();
        let mut formal = Vec::with_capacity(count);
        let mut outside = vec![BTreeSet::new(); count];
        let positions: Vec<HashMap<SymbolId, usize>> = model
            .routines
            .iter()
            .map(|d| {
                d.formals
                    .iter()
                    .enumerate()
                    .map(|(i, f)| (f.0, i))
                    .collect()
            })
            .collect();
        for (r, routine) in self.routines.iter().enumerate() {
            let mut writes = vec![false; model.routines[r].formals.len()];
            for &symbol in routine.written.iter().chain(&routine.side_effects) {
                match positions[r].get(&symbol) {
                    Some(&i) => writes[i] = true,
                    None if Self::home(model, r, symbol) != Home::Own => {
                        outside[r].insert(symbol);
                    }
                    None => {}
                }
            }
            formal.push(writes);
        }
        let callers = self.callers();
        let mut work: Vec<usize> = (0..count).collect();
        while let Some(r) = work.pop() {
            for &(caller, c) in &callers[r] {
                let mut changed = false;
                let add: Vec<SymbolId> = outside[r]
                    .iter()
                    .copied()
                    .filter(|&s| Self::home(model, caller, s) != Home::Own)
                    .collect();
                for s in add {
                    changed |= outside[caller].insert(s);
                }
                // A host variable of the callee may be a formal of the caller.
                let own: Vec<usize> = outside[r]
                    .iter()
                    .filter_map(|s| positions[caller].get(s).copied())
                    .collect();
                for i in own {
                    changed |= !std::mem::replace(&mut formal[caller][i], true);
                }
                for &(i, symbol, _) in &self.routines[caller].calls[c].arguments {
                    let writes = formal[r].get(i).copied();
                    let (Some(symbol), Some(true)) = (symbol, writes) else {
                        continue;
                    };
                    if let Some(&i) = positions[caller].get(&symbol) {
                        changed |= !std::mem::replace(&mut formal[caller][i], true);
                    } else if Self::home(model, caller, symbol) != Home::Own {
                        changed |= outside[caller].insert(symbol);
                    }
                }
                if changed {
                    work.push(caller);
                }
            }
        }
        self.writes_formal = formal;
        self.writes_outside = outside;
    }
}

/// The formals of a routine are different symbols of its own scope.
fn formals_are_own(doc: &Document<'_>, model: &Model, r: usize, sink: &mut Sink) {
    let decl = &model.routines[r];
    let formals: HashSet<SymbolId> = decl.formals.iter().map(|f| f.0).collect();
    for &(symbol, node) in &decl.formals {
        if model.scopes[model.symbols[symbol].scope].owner != Some(r) {
            sink.push(doc.error(
                node,
                &codes::SYMBOL,
                format!(
                    "the formal {} is not of the routine's scope",
                    model.symbols[symbol].id
                ),
                "declare it in the scope that controlflowgraph_scope_id names",
            ));
        }
    }
    if formals.len() != decl.formals.len() {
        sink.push(doc.error(
            decl.node,
            &codes::DUPLICATE,
            "a symbol is a formal argument twice",
            "each formal argument has a symbol of its own",
        ));
    }
}

/// The formals that a `present` may be about.
fn presence(
    doc: &Document<'_>,
    model: &Model,
    n: NodeId,
    formals: &HashSet<SymbolId>,
    sink: &mut Sink,
) -> Vec<SymbolId> {
    let mut found = Vec::new();
    // The operand is the reference next to it; every formal read in the same
    // expression may be the one.
    for sibling in doc.parent(n).into_iter().flat_map(|p| doc.children(p)) {
        if doc.name(sibling) != El::VariableReference {
            continue;
        }
        for s in doc.children(sibling) {
            if doc.name(s) == El::SymbolReference
                && let Some(symbol) = model.reference(doc, s, sink)
                && formals.contains(&symbol)
            {
                found.push(symbol);
            }
        }
    }
    found
}
