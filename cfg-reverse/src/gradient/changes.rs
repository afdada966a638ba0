//! The variables that the reverse sweeps change.

use cfg_analysis::reach::Reach;
use cfg_core::{
    entity::{VarId, VertexId},
    ir::{Expr, Intent, Place, Role, StmtKind},
};
use fixedbitset::FixedBitSet;
use std::collections::BTreeMap;

use crate::{
    code::expressions::as_place,
    plan::{draft::Draft, provisions::Provisions, shape::Shape},
    prepare::context::Context,
};

/// The elements of parameters of the main routine that its reverse sweep pops, where it changes nothing else of them.
pub(crate) type Elements = BTreeMap<VarId, Vec<Place>>;

/// Most elements of a parameter that are told apart.
const MOST_ELEMENTS: usize = 8;

/// Finds the elements that the reverse sweep pops in each run, under subscripts that nothing changes. A run of the
/// forward sweep has accessed them, so that they exist.
pub(crate) fn popped_elements(
    context: &Context,
    draft: &Draft<'_>,
    provisions: &Provisions<'_>,
) -> Elements {
    let routine = context.program.routine(draft.id);
    let Shape::Structured(structure) = draft.shape else {
        return Elements::new();
    };
    let is_given = |p: &Place| {
        let role = routine.variable(p.var).role;
        let (intent, optional) = (Intent::In, false);
        let is_changed = context.changed[draft.id.index()].contains_key(&p.var);
        p.subscripts.is_empty() && role == Role::Parameter { intent, optional } && !is_changed
    };
    let mut found: BTreeMap<VarId, Option<Vec<Place>>> = BTreeMap::new();
    let mut popped = |v: VertexId, place: &Place| {
        let mut is_fixed = place.is_element() && structure.parent[v.index()].is_none();
        for e in place.subscript_exprs() {
            e.walk_places(&mut |p| is_fixed = is_fixed && is_given(p));
        }
        let entry = found.entry(place.var).or_insert_with(|| Some(Vec::new()));
        match entry {
            Some(list) if is_fixed && list.contains(place) => {}
            Some(list) if is_fixed && list.len() < MOST_ELEMENTS => list.push(place.clone()),
            Some(_) | None => *entry = None,
        }
    };
    for (v, _) in draft.cfg.vertices() {
        provisions.each_save(v, |_, place| popped(v, place));
    }
    for (k, region) in draft.carried.regions.iter().enumerate() {
        let before = provisions.before_region(k).iter();
        before.for_each(|place| popped(region.first, place));
    }
    // A callee may change other elements of an argument.
    context.summary.each_call(draft.id, routine, |statement| {
        if let StmtKind::Call {
            arguments, result, ..
        } = &statement.kind
        {
            let places = arguments.iter().flatten().filter_map(as_place);
            for place in places.chain(result) {
                found.insert(place.var, None);
            }
        }
    });
    let found = found.into_iter();
    found
        .filter_map(|(v, elements)| Some((v, elements?)))
        .collect()
}

/// Collects the variables that a reverse sweep changes: those that it pops, and those that its callees change.
pub(crate) fn note_changes(
    context: &Context,
    draft: &Draft<'_>,
    provisions: &Provisions<'_>,
    sources: &mut FixedBitSet,
    changed: &mut Reach,
) {
    let routine = context.program.routine(draft.id);
    let node = |v: VarId| context.nodes().node(draft.id, routine, v);
    sources.extend(provisions.restored.ones().map(|v| node(VarId::new(v))));
    let saved = provisions.callee_globals.saved.iter();
    sources.extend(saved.map(|&g| context.nodes().global(g)));
    if context.reruns[draft.id.index()].is_some() {
        // The parts that run again overwrite all that they write.
        let written = routine.parameter_ids();
        let written = written.filter(|v| routine.variable(*v).intent().is_some_and(Intent::writes));
        sources.extend(written.map(node));
        let globals = context.summary.written(draft.id).to_vec();
        sources.extend(globals.iter().map(|&g| context.nodes().global(g)));
    }
    context.summary.each_call(draft.id, routine, |statement| {
        if let StmtKind::Call {
            callee, arguments, ..
        } = &statement.kind
            && context.sweeps[callee.index()].is_some()
        {
            let called = context.program.routine(*callee);
            for (p, actual) in called.parameter_ids().zip(arguments.iter()) {
                if let Some(Expr::Place(place)) = actual {
                    changed.edge(context.nodes().node(*callee, called, p), node(place.var));
                }
            }
        }
    });
}
