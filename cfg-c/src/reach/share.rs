//! Types that several files declare in the same words, usually in a header: they are one type, and parsed once.

use super::{Files, Item, Place};
use crate::{lex::Token, preprocess::Preprocessed};
use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    rc::Rc,
};

/// The declarations of types that are, word by word, those of a file before, with that one. All that they name is the same there, too.
pub(super) fn shared(
    files: &Files,
    read: &[Preprocessed],
    reached: &BTreeSet<Place>,
) -> BTreeMap<Place, Place> {
    let mut shared = BTreeMap::new();
    if files.files.len() < 2 {
        return shared;
    }
    let words = |place: &Place| -> Vec<Rc<str>> {
        let tokens: &[Token] = &read[place.0].tokens[files.item(*place).tokens.clone()];
        tokens.iter().map(|t| Rc::clone(&t.text)).collect()
    };
    let mut first: HashMap<Vec<Rc<str>>, Place> = HashMap::new();
    for place in reached.iter().filter(|place| is_type(files.item(**place))) {
        let known = *first.entry(words(place)).or_insert(*place);
        if known.0 != place.0 {
            shared.insert(*place, known);
        }
    }
    // Those that name what is not the same are not the same.
    let mut users: BTreeMap<Place, Vec<Place>> = BTreeMap::new();
    for (place, other) in &shared {
        for name in &files.item(*place).names.used {
            for file in [place.0, other.0] {
                for used in files.declarations(file, name) {
                    users.entry(used).or_default().push(*place);
                }
            }
        }
    }
    let mut open: Vec<Place> = shared.keys().copied().collect();
    while let Some(place) = open.pop() {
        let Some(&other) = shared.get(&place) else {
            continue;
        };
        if !names_the_same(files, &shared, place, other) {
            shared.remove(&place);
            open.extend(users.get(&place).into_iter().flatten());
        }
    }
    shared
}

/// True of what declares nothing but types and enumerators.
fn is_type(item: &Item) -> bool {
    let names = &item.names;
    !names.declared.is_empty() && !names.has_prototypes && names.variables.is_empty()
}

/// True if what one declaration names is the same as what the other names.
fn names_the_same(
    files: &Files,
    shared: &BTreeMap<Place, Place>,
    one: Place,
    other: Place,
) -> bool {
    files.item(one).names.used.iter().all(|name| {
        let lists = [one, other].map(|place| {
            let mut list = files.declarations(place.0, name);
            // Where members are known in one file only, they may be completed in the other.
            list.retain(|p| !name.1 || files.item(*p).names.completed.contains(&name.0));
            list
        });
        let [ours, theirs] = lists;
        let first = |place: &Place| *shared.get(place).unwrap_or(place);
        let same = |(a, b): (&Place, &Place)| first(a) == first(b);
        let is_open = name.1 && (ours.is_empty() || theirs.is_empty());
        is_open || ours.len() == theirs.len() && ours.iter().zip(&theirs).all(same)
    })
}
