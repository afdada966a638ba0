//! Facts about pointers and variables, collected from all functions before any is translated.

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
    /// Pointers to pointers, one of which is assigned.
    exchanged: HashSet<DeclId>,
    /// Pointers that are only dereferenced.
    single: HashSet<DeclId>,
    /// Functions to which some call passes two pointers into one array.
    shared: HashSet<usize>,
}

/// A call of a function of the files: caller, callee, and for each pointer argument the variables that it comes from.
struct Handed {
    caller: usize,
    callee: usize,
    roots: Vec<Vec<DeclId>>,
}

/// The functions to which some call passes two pointers into one array, such as `f(a, a + n)`: `restrict` promises
/// that accesses do not overlap, not that there are two arrays.
fn shared(unit: &Unit, calls: &[Handed], locals: &HashMap<DeclId, Vec<DeclId>>) -> HashSet<usize> {
    // The variables that a pointer comes from, followed through local variables.
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
        // If two parameters of the caller may lie in one array, so may the arguments made from them.
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
    pub(super) fn collect(unit: &Unit, functions: &[usize]) -> Self {
        let mut facts = Self::default();
        // Maps a pointer to those that it is assigned from: a write through the first is one through the second.
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
                        facts.exchanged.extend(unit.root_variables(*a));
                    }
                    ExprKind::Assign(None, target, value)
                        if unit.is_pointer(*target)
                            && points::allocates(unit, points::strip_conversions(unit, *value)) => {
                    }
                    ExprKind::Assign(_, target, _) | ExprKind::Step { of: target, .. }
                        if unit.is_pointer(*target)
                            && !matches!(unit.expr(*target).kind, ExprKind::Name(_)) =>
                    {
                        facts.exchanged.extend(unit.root_variables(*target));
                    }
                    ExprKind::Assign(_, target, _) | ExprKind::Step { of: target, .. }
                        if !matches!(unit.expr(*target).kind, ExprKind::Name(_)) =>
                    {
                        open.extend(unit.root_variables(*target));
                    }
                    ExprKind::Call(_, arguments)
                        if points::library_call(unit, e).is_some_and(points::takes_bytes) =>
                    {
                        open.extend(
                            arguments
                                .first()
                                .into_iter()
                                .flat_map(|a| unit.root_variables(*a)),
                        );
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
                            let roots = unit.root_variables(*argument);
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
            // A function that is defined elsewhere may write through every parameter that is not `const`.
            if own.given.as_ref().is_some_and(|given| given.elsewhere) {
                open.extend(own.parameters.iter().filter(|d| {
                    let ty = &unit.decl(**d).ty;
                    ty.target().is_some() && !ty.bottom().constant
                }));
            }
            for d in own.locals.iter().chain(&own.parameters) {
                if let Type::Pointer(_) = unit.decl(*d).ty.ty {
                    for source in points::assigned_values(unit, *d) {
                        let roots = unit.root_variables(source);
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
        // A pointer that is passed on is one to a single number only if the parameter is. A pointer that is never
        // dereferenced may point to many.
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

    /// True of a function to which some call passes two pointers into one array.
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

    /// True of a pointer to pointers if one of these may be assigned anything but new memory.
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

/// True of a variable that keeps its initial value.
pub(super) fn is_fixed(unit: &Unit, d: DeclId) -> bool {
    let decl = unit.decl(d);
    let local = matches!(decl.kind, DeclKind::Local | DeclKind::Parameter);
    let constant = decl.ty.constant && decl.kind == DeclKind::Global && !decl.external;
    (local || constant) && decl.assigned.is_empty() && !decl.address
}
