//! Counts circles of imports: `cargo run -p cfg-testkit --bin circles` in the workspace's folder.
//!
//! The modules of a crate are its files. A module and its children are one entry of the folder that the module
//! stands in; an entry imports another where a file of the first names an item that a file of the second
//! defines, in a `use` or in a path, through re-exports. Tests inside of files do not count. Entries of one
//! folder that import each other in a circle are printed with one import for each pair; any circle is exit
//! code 1.
//!
//! Methods are not followed: a method may be defined in another file than its type, and only a compiler can resolve
//! the call.
#![expect(clippy::print_stdout, reason = "a command prints")]

#[cfg(test)]
mod tests;

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Module paths are lists of names below the crate's root.
type Name = Vec<String>;

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let mut folders: Vec<PathBuf> = std::env::args().skip(1).map(PathBuf::from).collect();
    if folders.is_empty() {
        for entry in fs::read_dir(".")? {
            let path = entry?.path();
            if path.join("Cargo.toml").is_file() && path.join("src").is_dir() {
                folders.push(path);
            }
        }
        folders.sort();
    }
    let mut count = 0;
    for folder in folders {
        let modules = read(&folder.join("src"))?;
        for circle in circles(&imports(&modules)) {
            count += 1;
            println!("{}: {}", folder.display(), circle.join("\n    "));
        }
    }
    println!("{count} circles");
    Ok(ExitCode::from(u8::from(count > 0)))
}

/// The contents of one file: names that it brings into scope, items that it defines, and all paths in it.
#[derive(Default)]
struct Module {
    /// Names in scope with the paths that they stand for.
    uses: BTreeMap<String, Name>,
    globs: Vec<Name>,
    items: BTreeSet<String>,
    paths: BTreeSet<Name>,
}

const ITEMS: [&str; 8] = [
    "struct", "enum", "fn", "trait", "type", "const", "static", "union",
];

fn read(src: &Path) -> Result<BTreeMap<Name, Module>, Box<dyn Error>> {
    let mut modules = BTreeMap::new();
    let mut folders = vec![(src.to_path_buf(), Name::new())];
    while let Some((folder, above)) = folders.pop() {
        for entry in fs::read_dir(&folder)? {
            let path = entry?.path();
            let stem = path.file_stem().and_then(|s| s.to_str()).unwrap_or("");
            let mut name = above.clone();
            if path.is_dir() {
                if stem == "tests" || stem == "bin" {
                    continue;
                }
                name.push(stem.to_owned());
                folders.push((path, name));
            } else if path.extension().is_some_and(|e| e == "rs") {
                match stem {
                    "lib" | "main" if above.is_empty() => {}
                    "mod" => {}
                    "tests" | "testing" => continue,
                    _ => name.push(stem.to_owned()),
                }
                let text = fs::read_to_string(&path)?;
                let stream: TokenStream = text
                    .parse()
                    .map_err(|e| format!("{}: {e}", path.display()))?;
                let mut module = Module::default();
                scan(&stream, &name, &mut module);
                modules.insert(name, module);
            }
        }
    }
    Ok(modules)
}

/// Collects the uses and paths of a stream of tokens, without what is compiled for tests only.
fn scan(stream: &TokenStream, here: &Name, module: &mut Module) {
    let tokens: Vec<TokenTree> = stream.clone().into_iter().collect();
    let mut i = 0;
    while i < tokens.len() {
        match &tokens[i] {
            TokenTree::Punct(p) if p.as_char() == '#' && is_test(tokens.get(i + 1)) => {
                // The item that the attribute is on ends with a semicolon or its braces.
                i += 2;
                while let Some(token) = tokens.get(i) {
                    i += 1;
                    match token {
                        TokenTree::Punct(p) if p.as_char() == ';' => break,
                        TokenTree::Group(g) if g.delimiter() == Delimiter::Brace => break,
                        _ => {}
                    }
                }
                continue;
            }
            // Not the `use<..>` of a bound.
            TokenTree::Ident(word) if *word == "use" && !is_punct(tokens.get(i + 1), '<') => {
                let end = (i..tokens.len())
                    .find(|&k| is_punct(tokens.get(k), ';'))
                    .unwrap_or(tokens.len());
                imported(&tokens[i + 1..end], &Name::new(), here, module);
                i = end;
            }
            TokenTree::Ident(word) if ITEMS.iter().any(|item| word == item) => {
                // A `const fn` is named after the `fn`.
                if let Some(TokenTree::Ident(name)) = tokens.get(i + 1)
                    && !ITEMS.iter().any(|item| name == item)
                {
                    module.items.insert(name.to_string());
                    i += 1;
                }
            }
            TokenTree::Ident(first) if path_follows(&tokens, i) => {
                let mut path = vec![first.to_string()];
                while path_follows(&tokens, i)
                    && let Some(TokenTree::Ident(next)) = tokens.get(i + 3)
                {
                    path.push(next.to_string());
                    i += 3;
                }
                module.paths.insert(path);
            }
            TokenTree::Group(group) => scan(&group.stream(), here, module),
            _ => {}
        }
        i += 1;
    }
}

/// Whether two colons follow the token at `i`.
fn path_follows(tokens: &[TokenTree], i: usize) -> bool {
    is_punct(tokens.get(i + 1), ':') && is_punct(tokens.get(i + 2), ':')
}

fn is_punct(token: Option<&TokenTree>, punct: char) -> bool {
    matches!(token, Some(TokenTree::Punct(p)) if p.as_char() == punct)
}

fn is_test(token: Option<&TokenTree>) -> bool {
    matches!(token, Some(TokenTree::Group(g)) if g.stream().to_string().replace(' ', "") == "cfg(test)")
}

/// One tree of a `use`: `prefix` holds the names before it.
fn imported(tokens: &[TokenTree], prefix: &Name, here: &Name, module: &mut Module) {
    let mut path = prefix.clone();
    let mut alias = None;
    let mut i = 0;
    while let Some(token) = tokens.get(i) {
        match token {
            TokenTree::Ident(word) if *word == "as" => {
                alias = tokens.get(i + 1).map(ToString::to_string);
                break;
            }
            TokenTree::Ident(word) => path.push(word.to_string()),
            TokenTree::Punct(p) if p.as_char() == '*' => {
                module.globs.push(absolute(&path, here));
                return;
            }
            TokenTree::Group(group) => {
                let inner: Vec<TokenTree> = group.stream().into_iter().collect();
                let comma = |t: &TokenTree| matches!(t, TokenTree::Punct(p) if p.as_char() == ',');
                for tree in inner.split(comma).filter(|tree| !tree.is_empty()) {
                    imported(tree, &path, here, module);
                }
                return;
            }
            _ => {}
        }
        i += 1;
    }
    if path.last().is_some_and(|last| last == "self") && path.len() > 1 {
        path.pop();
    }
    let name = alias.or_else(|| path.last().cloned()).unwrap_or_default();
    let path = absolute(&path, here);
    module.paths.insert(path.clone());
    module.uses.insert(name, path);
}

/// A path from the crate's root, which is written `crate`; what begins with none of `crate`, `self` and `super`
/// stays as it is.
fn absolute(path: &Name, here: &Name) -> Name {
    let mut base = here.clone();
    let mut rest = path.as_slice();
    match path.first().map(String::as_str) {
        Some("self") => rest = &rest[1..],
        Some("super") => {
            while rest.first().is_some_and(|name| name == "super") {
                base.pop();
                rest = &rest[1..];
            }
        }
        _ => return path.clone(),
    }
    let mut all = vec!["crate".to_owned()];
    all.extend(base);
    all.extend_from_slice(rest);
    all
}

/// For every module the modules that it names.
fn imports(modules: &BTreeMap<Name, Module>) -> BTreeSet<(Name, Name)> {
    let mut found = BTreeSet::new();
    for (here, module) in modules {
        let globs = module.globs.iter();
        for path in module.paths.iter().chain(globs) {
            if let Some(target) = resolve(modules, here, path, 0) {
                found.insert((here.clone(), target));
            }
        }
    }
    found
}

/// The module that defines what a path names: modules first, then re-exports. Chains of re-exports longer
/// than 20 do not occur.
fn resolve(modules: &BTreeMap<Name, Module>, here: &Name, path: &Name, depth: u32) -> Option<Name> {
    if depth > 20 {
        return None;
    }
    let path = absolute(path, here);
    let (mut at, rest) = if path.first().is_some_and(|name| name == "crate") {
        (Name::new(), &path[1..])
    } else {
        (here.clone(), &path[..])
    };
    let local = path.first().is_none_or(|name| name != "crate");
    for (k, name) in rest.iter().enumerate() {
        let mut child = at.clone();
        child.push(name.clone());
        if modules.contains_key(&child) {
            at = child;
            continue;
        }
        let module = modules.get(&at)?;
        if let Some(target) = module.uses.get(name) {
            if local && k == 0 && target.len() == 1 {
                return None;
            }
            let mut longer = target.clone();
            longer.extend_from_slice(&rest[k + 1..]);
            return resolve(modules, &at, &longer, depth + 1);
        }
        if local && k == 0 {
            return None;
        }
        for glob in &module.globs {
            let mut longer = glob.clone();
            longer.push(name.clone());
            if let Some(found) = resolve(modules, &at, &longer, depth + 1)
                && modules
                    .get(&found)
                    .is_some_and(|module| module.items.contains(name))
            {
                return Some(found);
            }
        }
        return Some(at);
    }
    Some(at)
}

/// By two entries of a folder: modules of the first and the second of which one imports the other.
type Pairs<'m> = BTreeMap<(String, String), (&'m Name, &'m Name)>;

/// The circles among the entries of each folder, each as lines: its entries, then one import per pair.
fn circles(imports: &BTreeSet<(Name, Name)>) -> Vec<Vec<String>> {
    let mut folders: BTreeMap<Name, Pairs<'_>> = BTreeMap::new();
    for (from, to) in imports {
        let common = from.iter().zip(to).take_while(|(a, b)| a == b).count();
        if let (Some(a), Some(b)) = (from.get(common), to.get(common)) {
            folders
                .entry(from[..common].to_vec())
                .or_default()
                .entry((a.clone(), b.clone()))
                .or_insert((from, to));
        }
    }
    let mut found = Vec::new();
    for (folder, pairs) in folders {
        let names: BTreeSet<&String> = pairs.keys().flat_map(|(a, b)| [a, b]).collect();
        let reach = |start: &String| -> BTreeSet<&String> {
            let mut seen = BTreeSet::new();
            let mut open = vec![start];
            while let Some(at) = open.pop() {
                for (a, b) in pairs.keys() {
                    if a == at && seen.insert(b) {
                        open.push(b);
                    }
                }
            }
            seen
        };
        let reached: BTreeMap<&String, BTreeSet<&String>> =
            names.iter().map(|&name| (name, reach(name))).collect();
        let mut done: BTreeSet<&String> = BTreeSet::new();
        for &name in &names {
            if done.contains(name) || !reached[name].contains(name) {
                continue;
            }
            let circle: Vec<&String> = names
                .iter()
                .copied()
                .filter(|&other| reached[name].contains(other) && reached[other].contains(name))
                .collect();
            done.extend(&circle);
            let list: Vec<&str> = circle.iter().map(|s| s.as_str()).collect();
            let mut lines = vec![format!("{} {{{}}}", folder.join("/"), list.join(", "))];
            for ((a, b), (from, to)) in &pairs {
                if circle.contains(&a) && circle.contains(&b) {
                    lines.push(format!("{} -> {}", from.join("/"), to.join("/")));
                }
            }
            found.push(lines);
        }
    }
    found
}
