//! What is known of pointers and variables before functions are translated.

use super::null;
use crate::{
    ast::{DeclId, DeclKind, ExprId, ExprKind, Unary, Unit},
    points,
    types::Type,
};
use std::collections::{HashMap, HashSet};

/// Facts about the variables of the functions that are translated.
#[derive(Debug, Default)]
pub(super) struct Facts {
    /// Pointers and arrays of which an element may be written.
    written: HashSet<DeclId>,
    /// Parameters that may be null.
    null: HashSet<DeclId>,
    /// Pointers to pointers of which one is assigned.
    exchanged: HashSet<DeclId>,
    /// Pointers that are only dereferenced.
    single: HashSet<DeclId>,
    /// Functions that some call gives two pointers into one array.
    shared: HashSet<usize>,
}

/// A call of a function of the files: who calls, who is called, and the variables that its pointers come from.
struct Handed {
    caller: usize,
    callee: usize,
    roots: Vec<Vec<DeclId>>,
}

/// The functions that some call gives two pointers into one array, as `f(a, a + n)` does: `restrict` says that they do not meet
/// there, not that the arrays are two.
fn shared(unit: &Unit, calls: &[Handed], locals: &HashMap<DeclId, Vec<DeclId>>) -> HashSet<usize> {
    // The variables of which a pointer is a part, by way of local ones.
    let bases = |roots: &Vec<DeclId>| {
        let (mut seen, mut open) = (HashSet::new(), roots.clone());
        while let Some(d) = open.pop() {
            if seen.insert(d) {
                open.extend(locals.get(&d).into_iter().flatten());
            }
        }
        seen
    };
    let mut found = HashSet::new();
    let mut open: Vec<usize> = Vec::new();
    let mut by_caller: HashMap<usize, Vec<&Handed>> = HashMap::new();
    for call in calls {
        by_caller.entry(call.caller).or_default().push(call);
        let mut seen = HashSet::new();
        if !(call.roots.iter().flat_map(bases)).all(|d| seen.insert(d)) {
            open.push(call.callee);
        }
    }
    while let Some(f) = open.pop() {
        if !found.insert(f) {
            continue;
        }
        // Two of its parameters may lie in one array, so that what it passes on may, too.
        let own: HashSet<DeclId> = unit.functions[f].parameters.iter().copied().collect();
        for call in by_caller.get(&f).into_iter().flatten() {
            let passed = |roots: &&Vec<DeclId>| bases(roots).iter().any(|d| own.contains(d));
            if call.roots.iter().filter(passed).count() > 1 {
                open.push(call.callee);
            }
        }
    }
    found
}

impl Facts {
    pub(super) fn of(unit: &Unit, functions: &[usize]) -> Self {
        let mut facts = Self::default();
        // What is written through the first is written in the second.
        let mut flows = null::Flows::new();
        let mut mentions: HashMap<DeclId, (usize, usize)> = HashMap::new();
        // The pointers that are passed as they are.
        let mut passes: null::Flows = null::Flows::new();
        // The pointers that are dereferenced.
        let mut followed: Vec<DeclId> = Vec::new();
        let mut open: Vec<DeclId> = Vec::new();
        let mut calls: Vec<Handed> = Vec::new();
        let mut locals: HashMap<DeclId, Vec<DeclId>> = HashMap::new();
        for &f in functions {
            for k in unit.functions[f].part.clone() {
                let e = ExprId(k);
                match &unit.expr(e).kind {
                    ExprKind::Name(d) => mentions.entry(*d).or_default().0 += 1,
                    ExprKind::Unary(Unary::Deref, a) | ExprKind::Member(a, _, true) => {
                        if let ExprKind::Name(d) = unit.expr(*a).kind {
                            mentions.entry(d).or_default().1 += 1;
                            followed.push(d);
                        }
                    }
                    // The address of a row's pointer may be used to assign it.
                    ExprKind::Unary(Unary::Address, a)
                        if unit.is_pointer(*a)
                            && !matches!(unit.expr(*a).kind, ExprKind::Name(_)) =>
                    {
                        facts.exchanged.extend(unit.roots(*a));
                    }
                    ExprKind::Assign(None, target, value)
                        if unit.is_pointer(*target)
                            && points::allocates(unit, points::bare(unit, *value)) => {}
                    ExprKind::Assign(_, target, _) | ExprKind::Step { of: target, .. }
                        if unit.is_pointer(*target)
                            && !matches!(unit.expr(*target).kind, ExprKind::Name(_)) =>
                    {
                        facts.exchanged.extend(unit.roots(*target));
                    }
                    ExprKind::Assign(_, target, _) | ExprKind::Step { of: target, .. }
                        if !matches!(unit.expr(*target).kind, ExprKind::Name(_)) =>
                    {
                        open.extend(unit.roots(*target));
                    }
                    ExprKind::Call(_, arguments)
                        if points::library_call(unit, e).is_some_and(points::takes_bytes) =>
                    {
                        open.extend(arguments.first().into_iter().flat_map(|a| unit.roots(*a)));
                    }
                    ExprKind::Call(..) => {
                        let Some((g, arguments)) = unit.own_call(e) else {
                            continue;
                        };
                        let mut handed = Vec::new();
                        for (p, argument) in
                            unit.functions[g].parameters.iter().zip(arguments.iter())
                        {
                            if !matches!(unit.decl(*p).ty.ty, Type::Pointer(_)) {
                                continue;
                            }
                            let roots = unit.roots(*argument);
                            if let ExprKind::Name(d) = unit.expr(*argument).kind {
                                passes.entry(*p).or_default().push(d);
                                mentions.entry(d).or_default().1 += 1;
                            }
                            handed.push(roots.clone());
                            flows.entry(*p).or_default().extend(roots);
                        }
                        calls.push(Handed {
                            caller: f,
                            callee: g,
                            roots: handed,
                        });
                    }
                    _ => {}
                }
            }
            let own = &unit.functions[f];
            // What is defined elsewhere may write what is not constant.
            if own.given.as_ref().is_some_and(|given| given.elsewhere) {
                open.extend(own.parameters.iter().filter(|d| {
                    let ty = &unit.decl(**d).ty;
                    ty.target().is_some() && !ty.bottom().constant
                }));
            }
            for d in own.locals.iter().chain(&own.parameters) {
                if let Type::Pointer(_) = unit.decl(*d).ty.ty {
                    for source in points::sources(unit, *d) {
                        let roots = unit.roots(source);
                        locals.entry(*d).or_default().extend(&roots);
                        flows.entry(*d).or_default().extend(roots);
                    }
                }
            }
        }
        facts.null = null::parameters(unit, functions, &flows);
        facts.shared = shared(unit, &calls, &locals);
        while let Some(d) = open.pop() {
            if facts.written.insert(d) {
                open.extend(flows.get(&d).into_iter().flatten());
            }
        }
        // A pointer that is passed on points to one number if what it is passed to does; one that nothing dereferences to any.
        let simple = |d: &DeclId| mentions.get(d).is_some_and(|(all, simple)| all == simple);
        let mut open: Vec<DeclId> = passes.keys().filter(|d| !simple(d)).copied().collect();
        let mut several: HashSet<DeclId> = HashSet::new();
        while let Some(d) = open.pop() {
            for from in passes.get(&d).into_iter().flatten() {
                if several.insert(*from) {
                    open.push(*from);
                }
            }
        }
        let followed = null::closure(followed, &passes);
        let single = mentions
            .keys()
            .filter(|d| simple(d) && !several.contains(d) && followed.contains(d));
        facts.single = single.copied().collect();
        facts
    }

    /// True of a function, by its number, that some call gives two pointers into one array.
    pub(super) fn is_shared(&self, function: usize) -> bool {
        self.shared.contains(&function)
    }

    /// True if an element of a pointer or array may be written.
    pub(super) fn is_written(&self, d: DeclId) -> bool {
        self.written.contains(&d)
    }

    /// The pointers that a call passes to a function of the files that may write behind them.
    pub(super) fn written_arguments<'u>(
        &'u self,
        unit: &'u Unit,
        call: ExprId,
    ) -> impl Iterator<Item = ExprId> + 'u {
        let own = unit.own_call(call).into_iter();
        let pairs = own.flat_map(|(g, arguments)| {
            let parameters = unit.functions[g].parameters.iter();
            parameters.zip(arguments.iter())
        });
        let written = pairs.filter(|(p, a)| unit.is_pointer(**a) && self.is_written(**p));
        written.map(|(_, a)| *a)
    }

    /// True if a pointer that a pointer points to may be assigned something else than memory of its own.
    pub(super) fn is_exchanged(&self, d: DeclId) -> bool {
        self.exchanged.contains(&d)
    }

    /// True of a parameter that may be null.
    pub(super) fn may_be_null(&self, d: DeclId) -> bool {
        self.null.contains(&d)
    }

    /// True if a pointer is used as a pointer to one value.
    pub(super) fn is_single(&self, d: DeclId) -> bool {
        self.single.contains(&d)
    }
}

/// True if a variable keeps the value that it is declared with.
pub(super) fn is_fixed(unit: &Unit, d: DeclId) -> bool {
    let decl = unit.decl(d);
    let local = matches!(decl.kind, DeclKind::Local | DeclKind::Parameter);
    let constant = decl.ty.constant && decl.kind == DeclKind::Global && !decl.external;
    (local || constant) && decl.assigned.is_empty() && !decl.address
}
