//! Functions that are defined in none of the files that are read, but in one that lies beside or around them.

use crate::{
    Files, SourceFile,
    lex::{Interner, Kind, Token, lex},
    preprocess::pragma::group,
    source::Sink,
};
use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

/// Adds to problems that lack a function the file that defines it: the only one beside the first file read, or else
/// around it.
pub(crate) fn name_files(sink: &mut Sink, sources: &[SourceFile<'_>], files: &mut dyn Files) {
    let lacking = std::mem::take(&mut sink.lacking);
    let Some(first) = sources.first().filter(|_| !lacking.is_empty()) else {
        return;
    };
    let mut names: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for (_, name) in &lacking {
        names.entry(name).or_default();
    }
    for (path, bytes) in files.others_in_c(first.name) {
        if sources.iter().any(|source| source.name == path) {
            continue;
        }
        let wanted = names.keys().copied().collect();
        for name in defined(&bytes, &wanted) {
            names.entry(name).or_default().push(path.clone());
        }
    }
    let folder = |path: &str| Path::new(path).parent().map(Path::to_owned);
    for (k, name) in &lacking {
        let all = names.get(&**name).map_or(&[][..], Vec::as_slice);
        let beside = |file: &&String| folder(file) == folder(first.name);
        let beside: Vec<&String> = all.iter().filter(beside).collect();
        let file = match (&beside[..], all) {
            ([file], _) => Some(*file),
            ([], [file]) => Some(file),
            _ => None,
        };
        if let (Some(file), Some(problem)) = (file, sink.found.0.get_mut(*k)) {
            problem.help = format!(
                "{file} defines {name}: add it to the command; {}",
                problem.help
            );
        }
    }
}

/// The functions among these that a file defines.
fn defined<'n>(bytes: &[u8], wanted: &BTreeSet<&'n str>) -> BTreeSet<&'n str> {
    let mut found = BTreeSet::new();
    let named = |name: &str| bytes.windows(name.len()).any(|w| w == name.as_bytes());
    let wanted: BTreeSet<&str> = wanted.iter().copied().filter(|name| named(name)).collect();
    if wanted.is_empty() {
        return found;
    }
    // Problems of a file that is not read are nobody's.
    let tokens = lex(bytes, 0, &mut Interner::default(), &mut Sink::default());
    let mut depth = 0usize;
    for (k, token) in tokens.iter().enumerate() {
        depth += usize::from(token.is("{"));
        depth = depth.saturating_sub(usize::from(token.is("}")));
        let name = wanted
            .get(&*token.text)
            .filter(|_| depth == 0 && token.kind == Kind::Ident);
        if let Some(name) = name
            && group(&tokens[k + 1..]).is_some_and(|(_, behind)| begins_body(behind))
            && !is_static(&tokens[..k])
        {
            found.insert(*name);
        }
    }
    found
}

fn begins_body(tokens: &[Token]) -> bool {
    tokens.first().is_some_and(|t| t.is("{"))
}

/// True if the words before the name of a function have `static` among them.
fn is_static(before: &[Token]) -> bool {
    let words = before.iter().rev();
    let mut words = words.take_while(|t| !t.is("}") && !t.is(";") && !t.is("#"));
    words.any(|t| t.is("static"))
}
