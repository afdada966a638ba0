//! SEED and directions: JSON objects with a derivative for each of some variables.

use crate::codes;
use crate::json;
use crate::objects::{Levels, Sizes};
use crate::point::{fit, words_of_tree, zeros_like};
use crate::records::{Content, Given, Reading, is_field_of};
use crate::slot::{Slot, nearest};
use cfg_core::diagnostic::{Diagnostics, similar::Similarity};
use cfg_core::ir::{Program, Routine};
use cfg_exec::{Lease, Value};
use cfg_format::json::values::{self, ValueTree};
use std::collections::{HashMap, HashSet};

/// Reads one or several SEEDs or directions: derivatives of some of the `slots`, each of which comes with a value of
/// its shape. Slots that are not named are zero; `declared` has all names that could be meant. True if the text is an
/// array of objects.
pub(crate) fn parse_seeds(
    text: &[u8],
    what: &str,
    program: &Program,
    routine: &Routine,
    (slots, declared): (&[(Slot, Value)], &[Slot]),
    sizes: &Sizes,
    within: impl Fn(u64) -> Result<Lease, Diagnostics>,
) -> Result<(Vec<Vec<Value>>, bool, Lease), Diagnostics> {
    let mut held = within(text.len().div_ceil(8) as u64)?;
    let _tree = within(words_of_tree(text))?;
    let (objects, list) = values::read_list(text)?;
    // Slots that are not named are zeros, so the length of the text does not bound the size.
    let one: u64 = slots.iter().map(|(_, v)| v.len() as u64).sum();
    held.join(within(one.saturating_mul(objects.len() as u64))?);
    let mut problems = Diagnostics::default();
    let mut seeds = Vec::with_capacity(objects.len());
    let levels = Levels::find(routine);
    let reading = Reading {
        program,
        routine,
        levels: &levels,
        sizes: Some(sizes),
        room: &within,
    };
    for (i, members) in objects.into_iter().enumerate() {
        let base = if list { format!("/{i}") } else { String::new() };
        let members = reading.fields(members, &base, &mut problems);
        match seed(
            what,
            (program, routine),
            &levels,
            (slots, declared),
            &members,
        ) {
            Ok(seed) => seeds.push(seed),
            Err(found) => problems.0.extend(found.0),
        }
    }
    if problems.is_empty() {
        Ok((seeds, list, held))
    } else {
        Err(problems)
    }
}

fn seed(
    what: &str,
    (program, routine): (&Program, &Routine),
    levels: &Levels<'_>,
    (slots, declared): (&[(Slot, Value)], &[Slot]),
    members: &[Given],
) -> Result<Vec<Value>, Diagnostics> {
    let mut seed: Vec<Value> = slots.iter().map(|(_, v)| zeros_like(v)).collect();
    let mut problems = Diagnostics::default();
    let mut similarity = Similarity::default();
    let by_name = Slot::by_name(program, routine);
    let positions = slots.iter().enumerate().map(|(k, (slot, _))| (*slot, k));
    let positions: HashMap<Slot, usize> = positions.rev().collect();
    let declared: HashSet<Slot> = declared.iter().copied().collect();
    for given in members {
        let (name, place) = (&given.name, given.pointer.clone());
        let slot = by_name.get(name.as_str()).copied();
        let position = slot.and_then(|s| positions.get(&s).copied());
        let found = position.and_then(|p| Some((p, slots[p].0.variable(program, routine)?)));
        // An empty value stands for zeros: in all fields of a record, or of an empty list of records.
        let fields = || {
            let fields = by_name.iter().filter(|(key, _)| is_field_of(name, key));
            fields
                .filter_map(|(_, slot)| positions.get(slot))
                .map(|&p| &slots[p].1)
        };
        let is_zero = match &given.content {
            Content::Tree(ValueTree::Null) => found.is_some() || fields().next().is_some(),
            Content::Tree(ValueTree::Array(items)) if items.is_empty() && found.is_none() => {
                fields().next().is_some() && fields().all(|value| value.is_empty())
            }
            Content::Tree(_) | Content::Value(_) => false,
        };
        if is_zero {
            continue;
        }
        let Some((position, variable)) = found else {
            let keys = slots
                .iter()
                .map(|(s, _)| levels.shown(s.key(program, routine)));
            let keys: Vec<String> = keys.collect();
            let absent = slot.is_some_and(|s| declared.contains(&s));
            let name = &levels.shown(name);
            let (message, help) = if absent {
                (
                    format!("{what} names {name}, which POINT leaves out"),
                    "give it a value in POINT, or leave it out here too".to_owned(),
                )
            } else {
                (
                    format!("{what} names {name}, which it cannot"),
                    nearest(&mut similarity, name, keys.iter().map(String::as_str)),
                )
            };
            let found = codes::problem(&codes::UNKNOWN, message, help, place);
            problems.0.extend(found.0);
            continue;
        };
        let shape = slots[position].1.shape();
        let (ty, rank, order) = (variable.ty, variable.rank(), variable.order);
        let value = match &given.content {
            Content::Value(value) => Ok(value.clone()),
            Content::Tree(tree) => json::read(tree, ty, rank, order, name, &place),
        };
        let value = value.and_then(|value| fit(variable, &value, shape, &place));
        match value {
            Ok(value) => seed[position] = value,
            Err(found) => problems.0.extend(found.0),
        }
    }
    if problems.is_empty() {
        Ok(seed)
    } else {
        Err(problems)
    }
}
