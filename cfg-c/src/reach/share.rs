//! Types that several files declare in the same words, usually in a header: one type, which is parsed once. A
//! structure of which a file knows only the tag is the one of that tag in another file.

use super::{Files, Item, Name, Place};
use crate::{lex::Token, preprocess::Preprocessed};
use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    rc::Rc,
};

/// The declarations of types that are equal, word by word, to one of an earlier file, each with that one. All names
/// in them mean the same there, too.
pub(super) fn shared(
    files: &Files<'_>,
    read: &[&Preprocessed],
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
    let is_type = |place: &Place| {
        let item = files.item(*place);
        let tokens = &read[place.0].tokens[item.tokens.clone()];
        is_type(item, tokens)
    };
    for place in reached.iter().filter(|place| is_type(place)) {
        let known = *first.entry(words(place)).or_insert(*place);
        if known.0 != place.0 {
            shared.insert(*place, known);
        }
    }
    // A declaration that names a different one is different itself.
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

/// The structures of which one file knows only the tag and another one the members, each with the first file that
/// names it.
pub(super) fn opaque(
    files: &Files<'_>,
    shared: &BTreeMap<Place, Place>,
    reached: &BTreeSet<Place>,
) -> Vec<BTreeMap<Name, usize>> {
    let mut named: BTreeMap<&Name, BTreeSet<usize>> = BTreeMap::new();
    let mut completed: BTreeMap<&str, BTreeSet<Place>> = BTreeMap::new();
    for place in reached {
        let names = &files.item(*place).names;
        let tags = names.declared.iter().chain(&names.used);
        for name in tags.filter(|(_, is_tag)| *is_tag) {
            named.entry(name).or_default().insert(place.0);
        }
        for name in &names.completed {
            let first = shared.get(place).unwrap_or(place);
            completed.entry(name).or_default().insert(*first);
        }
    }
    let mut opaque = vec![BTreeMap::new(); files.files.len()];
    for (name, users) in named {
        let is_one = completed.get(&*name.0).is_some_and(|all| all.len() == 1);
        if let Some(first) = users.first().filter(|_| is_one) {
            for file in users.iter().skip(1) {
                opaque[*file].insert(name.clone(), *first);
            }
        }
    }
    opaque
}

/// True of a declaration of types and enumerators only, or of a structure together with variables without initial
/// values.
fn is_type(item: &Item, tokens: &[Token]) -> bool {
    let names = &item.names;
    let has = |sign: &str| tokens.iter().any(|t| t.is(sign));
    !names.declared.is_empty()
        && !names.has_prototypes
        && (names.variables.is_empty() || !names.is_static && has("{") && !has("="))
}

/// True if all names in one declaration mean the same as in the other.
fn names_the_same(
    files: &Files<'_>,
    shared: &BTreeMap<Place, Place>,
    one: Place,
    other: Place,
) -> bool {
    files.item(one).names.used.iter().all(|name| {
        let lists = [one, other].map(|place| {
            let mut list = files.declarations(place.0, name);
            // A structure with members in one of the files only is the same one: only declarations with members are
            // compared.
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
