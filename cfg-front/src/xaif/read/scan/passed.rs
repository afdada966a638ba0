//! Variables that no statement sets, but perhaps an opaque one, and that are passed to routines: an error if
//! the routine needs the value, for a decision or for something active. Copies of uninitialised values from one
//! passive variable to another do no harm.

use crate::xaif::{
    codes,
    read::{
        model::{Model, Sink, SymbolId},
        scan::{Home, Scan, markers::Open},
        xml::{Document, El, NodeId},
    },
};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// The variable that an argument passes; `None` if the argument is any other expression.
fn variable(doc: &Document<'_>, scan: &Scan, argument: NodeId) -> Option<SymbolId> {
    let mut children = doc.children(argument);
    let only = children.next()?;
    if children.next().is_some() || doc.name(only) != El::VariableReference {
        return None;
    }
    let reference = doc.child(only, El::SymbolReference)?;
    scan.symbol.get(&reference).copied()
}

/// Closes the effects of routines on variables under calls: a routine has, for its own variables, the effects of
/// every routine to which it passes them or with which it shares them.
fn through_calls<V: Clone>(
    doc: &Document<'_>,
    model: &Model,
    scan: &Scan,
    of: &mut [BTreeMap<SymbolId, V>],
) {
    let mut callers: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); of.len()];
    for (r, routine) in scan.routines.iter().enumerate() {
        for call in &routine.calls {
            callers[call.callee].insert(r);
        }
    }
    let mut work: Vec<usize> = (0..of.len()).collect();
    while let Some(r) = work.pop() {
        let mut found: Vec<(SymbolId, V)> = Vec::new();
        for call in &scan.routines[r].calls {
            let callee = &of[call.callee];
            for &(i, _, argument) in &call.arguments {
                let formal = model.routines[call.callee].formals.get(i).map(|f| f.0);
                if let Some(value) = formal.and_then(|f| callee.get(&f))
                    && let Some(symbol) = variable(doc, scan, argument)
                {
                    found.push((symbol, value.clone()));
                }
            }
            for (&symbol, value) in callee {
                if Scan::home(model, call.callee, symbol) != Home::Own {
                    found.push((symbol, value.clone()));
                }
            }
        }
        let before = of[r].len();
        for (symbol, value) in found {
            of[r].entry(symbol).or_insert(value);
        }
        if of[r].len() > before {
            work.extend(&callers[r]);
        }
    }
}

/// The places that the values of variables go to in one routine.
#[derive(Default)]
struct Flow {
    /// Conditions, bounds of loops, subscripts.
    decisive: HashSet<SymbolId>,
    into: BTreeMap<SymbolId, BTreeSet<SymbolId>>,
    /// Calls (by number) and formals that variables are passed to.
    passed: BTreeMap<SymbolId, BTreeSet<(usize, usize)>>,
    /// The first place of each variable.
    first: HashMap<SymbolId, NodeId>,
}

impl Flow {
    fn trace(doc: &Document<'_>, model: &Model, scan: &Scan, r: usize) -> Self {
        let mut flow = Self::default();
        let mut slots: HashMap<NodeId, (usize, usize)> = HashMap::new();
        for (c, call) in scan.routines[r].calls.iter().enumerate() {
            for &(i, _, argument) in &call.arguments {
                slots.insert(argument, (c, i));
            }
        }
        for n in doc.subtree(model.routines[r].node) {
            if doc.name(n) == El::VariableReference
                && let Some(symbol) = doc.children(n).find_map(|s| scan.symbol.get(&s).copied())
            {
                flow.first.entry(symbol).or_insert(n);
                flow.reference(doc, scan, &slots, symbol, n);
            }
        }
        flow
    }

    /// Follows a reference up to its statement.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "other elements of XAIF are treated alike"
    )]
    fn reference(
        &mut self,
        doc: &Document<'_>,
        scan: &Scan,
        slots: &HashMap<NodeId, (usize, usize)>,
        symbol: SymbolId,
        n: NodeId,
    ) {
        // Subscripts that are nested deeper than they may be decide as well.
        const MOST: usize = 512;
        let mut at = n;
        for _ in 0..MOST {
            let Some(parent) = doc.parent(at) else { return };
            at = parent;
            match doc.name(at) {
                El::Condition | El::IndexTriplet | El::Initialization | El::Update => break,
                El::Argument => {
                    if let Some(&slot) = slots.get(&at) {
                        self.passed.entry(symbol).or_default().insert(slot);
                    }
                }
                El::Assignment => {
                    let target = doc
                        .child(at, El::AssignmentLHS)
                        .and_then(|left| doc.child(left, El::SymbolReference))
                        .and_then(|s| scan.symbol.get(&s).copied());
                    if let Some(target) = target {
                        self.into.entry(symbol).or_default().insert(target);
                    }
                    return;
                }
                El::SubroutineCall | El::BasicBlock | El::ControlFlowGraph => return,
                _ => {}
            }
        }
        self.decisive.insert(symbol);
    }
}

/// The effect that the value of one variable has in one routine.
struct Effect {
    routine: usize,
    symbol: SymbolId,
    decides: bool,
    /// Variables that outlive the call and get it.
    into: BTreeSet<SymbolId>,
    /// Effects that depend on this one.
    users: BTreeSet<usize>,
}

/// Effects that have been asked for, with the data for computing more.
#[derive(Default)]
struct Effects {
    list: Vec<Effect>,
    known: HashMap<(usize, SymbolId), usize>,
    flows: HashMap<usize, Flow>,
    work: Vec<usize>,
}

impl Effects {
    fn ask(&mut self, routine: usize, symbol: SymbolId) -> usize {
        let next = self.list.len();
        let found = *self.known.entry((routine, symbol)).or_insert(next);
        if found == next {
            self.list.push(Effect {
                routine,
                symbol,
                decides: false,
                into: BTreeSet::new(),
                users: BTreeSet::new(),
            });
            self.work.push(next);
        }
        found
    }

    fn settle(&mut self, doc: &Document<'_>, model: &Model, scan: &Scan) {
        while let Some(e) = self.work.pop() {
            let (decides, into) = self.closure(doc, model, scan, e);
            let effect = &mut self.list[e];
            if decides != effect.decides || into != effect.into {
                effect.decides = decides;
                effect.into = into;
                let users = effect.users.iter().copied();
                self.work.extend(users);
            }
        }
    }

    fn closure(
        &mut self,
        doc: &Document<'_>,
        model: &Model,
        scan: &Scan,
        e: usize,
    ) -> (bool, BTreeSet<SymbolId>) {
        let (r, start) = (self.list[e].routine, self.list[e].symbol);
        let flow = match self.flows.remove(&r) {
            Some(flow) => flow,
            None => Flow::trace(doc, model, scan, r),
        };
        let mut reached: BTreeSet<SymbolId> = BTreeSet::new();
        let mut stack = vec![start];
        let mut decides = false;
        while let Some(symbol) = stack.pop() {
            if !reached.insert(symbol) {
                continue;
            }
            decides |= flow.decisive.contains(&symbol);
            stack.extend(flow.into.get(&symbol).into_iter().flatten());
            let mut inside: Vec<(usize, SymbolId)> = Vec::new();
            for &(c, i) in flow.passed.get(&symbol).into_iter().flatten() {
                let callee = scan.routines[r].calls[c].callee;
                inside.extend(model.routines[callee].formals.get(i).map(|f| (c, f.0)));
            }
            for (c, call) in scan.routines[r].calls.iter().enumerate() {
                if scan.routines[call.callee].host.contains(&symbol) {
                    inside.push((c, symbol));
                }
            }
            for (c, formal) in inside {
                let call = &scan.routines[r].calls[c];
                let asked = self.ask(call.callee, formal);
                let effect = &mut self.list[asked];
                effect.users.insert(e);
                decides |= effect.decides;
                for &target in &effect.into {
                    let formals = &model.routines[call.callee].formals;
                    match formals.iter().position(|f| f.0 == target) {
                        None => stack.push(target),
                        Some(position) => stack.extend(
                            call.arguments
                                .iter()
                                .filter(|a| a.0 == position)
                                .filter_map(|a| variable(doc, scan, a.2)),
                        ),
                    }
                }
            }
        }
        self.flows.insert(r, flow);
        let formals: HashSet<SymbolId> = model.routines[r].formals.iter().map(|f| f.0).collect();
        reached.remove(&start);
        reached.retain(|&s| Scan::home(model, r, s) != Home::Own || formals.contains(&s));
        (decides, reached)
    }
}

/// Reports variables of which `open` says nothing yet.
pub(crate) fn find(
    doc: &Document<'_>,
    model: &Model,
    scan: &Scan,
    open: &mut Open,
    sink: &mut Sink,
) {
    if open.texts.is_empty() {
        return;
    }
    // Variables set by statements; then those set only by markers of a routine or of its callees.
    let mut sets: Vec<BTreeMap<SymbolId, ()>> = scan
        .routines
        .iter()
        .map(|r| r.written.iter().map(|&s| (s, ())).collect())
        .collect();
    through_calls(doc, model, scan, &mut sets);
    let mut marked: Vec<BTreeMap<SymbolId, String>> = vec![BTreeMap::new(); sets.len()];
    for (r, text) in &open.texts {
        let only = scan.routines[*r]
            .side_effects
            .iter()
            .filter(|s| !sets[*r].contains_key(s));
        marked[*r] = only.map(|&s| (s, text.clone())).collect();
    }
    through_calls(doc, model, scan, &mut marked);
    let mut effects = Effects::default();
    let mut candidates = Vec::new();
    for (r, routine) in scan.routines.iter().enumerate() {
        let shared = routine
            .calls
            .iter()
            .flat_map(|c| &scan.routines[c.callee].host);
        let passed: BTreeSet<SymbolId> = routine
            .calls
            .iter()
            .flat_map(|c| c.arguments.iter())
            .filter_map(|a| variable(doc, scan, a.2))
            .chain(shared.copied())
            .collect();
        for &symbol in &routine.used {
            if Scan::home(model, r, symbol) != Home::Own
                || sets[r].contains_key(&symbol)
                || !passed.contains(&symbol)
                || open.reported.contains(&(r, symbol))
            {
                continue;
            }
            let text = marked[r].get(&symbol).or_else(|| open.texts.get(&r));
            if let Some(text) = text {
                candidates.push((r, symbol, text.clone(), effects.ask(r, symbol)));
            }
        }
    }
    effects.settle(doc, model, scan);
    for (r, symbol, text, e) in candidates {
        let effect = &effects.list[e];
        let matters = effect.decides || effect.into.iter().any(|&s| model.symbols[s].active);
        let flow = effects.flows.get(&r);
        let place = flow.and_then(|f| f.first.get(&symbol)).copied();
        if matters && open.reported.insert((r, symbol)) {
            let n = place.unwrap_or(model.symbols[symbol].node);
            let id = &model.symbols[symbol].id;
            sink.push(doc.error(
                n,
                &codes::HIDDEN,
                format!("{id} is read through a call, but only the opaque statement {text} can have set it"),
                format!("write the document again with the statement that sets {id} kept"),
            ));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Up to 512 elements around a reference are looked at; if none of them tells where the value goes, the value
    /// counts as deciding.
    #[test]
    fn elements_around_a_reference_are_so_many() {
        let decides = |levels: usize| {
            let (open, close) = ("<Scope>".repeat(levels), "</Scope>".repeat(levels));
            let text = format!("<BasicBlock>{open}<VariableReference/>{close}</BasicBlock>");
            let doc = Document::parse(&text).expect("it is well-formed");
            let reference = doc.subtree(doc.root()).last().expect("it has elements");
            let mut flow = Flow::default();
            flow.reference(&doc, &Scan::default(), &HashMap::new(), 0, reference);
            !flow.decisive.is_empty()
        };
        assert_eq!([511, 512].map(decides), [false, true]);
    }
}
