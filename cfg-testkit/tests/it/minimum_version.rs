//! Sources keep to the language of the minimum Rust version where the compiler does not say so itself.

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use std::{fs, path::Path};

/// The number of `if let` guards of match arms, which Rust has since 1.95.
fn guards(source: &str) -> usize {
    let mut found = 0;
    let mut open: Vec<TokenStream> = vec![source.parse().expect("tokens of Rust")];
    while let Some(stream) = open.pop() {
        let tokens: Vec<TokenTree> = stream.into_iter().collect();
        for (k, pair) in tokens.windows(2).enumerate() {
            if is_word(&pair[0], "if") && is_word(&pair[1], "let") && is_guard(&tokens[k + 2..]) {
                found += 1;
            }
        }
        open.extend(tokens.into_iter().filter_map(|token| match token {
            TokenTree::Group(group) => Some(group.stream()),
            TokenTree::Ident(_) | TokenTree::Punct(_) | TokenTree::Literal(_) => None,
        }));
    }
    found
}

fn is_word(token: &TokenTree, word: &str) -> bool {
    matches!(token, TokenTree::Ident(found) if found == word)
}

/// True if an arrow comes behind a pattern and its value, and no block.
fn is_guard(behind_let: &[TokenTree]) -> bool {
    let is_sign =
        |token: &TokenTree, sign| matches!(token, TokenTree::Punct(p) if p.as_char() == sign);
    let Some(value) = behind_let.iter().position(|token| is_sign(token, '=')) else {
        return false;
    };
    for pair in behind_let[value + 1..].windows(2) {
        match &pair[0] {
            TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => return false,
            token if is_sign(token, '=') && is_sign(&pair[1], '>') => return true,
            _ => {}
        }
    }
    false
}

#[test]
fn guards_are_told_from_expressions() {
    let source =
        "fn f() { match x {\n A(..) if let Some(y) = g() => 1,\n B { c } if let S { d } = e => 2,
        C => if let Some(y) = g() { 3 } else { 4 },\n _ if x == y => 5, } }";
    assert_eq!(guards(source), 2);
}

#[test]
fn match_arms_have_no_let_in_their_guards() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut folders = vec![root];
    let mut sources = 0;
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            let name = path
                .file_name()
                .map(|name| name.to_string_lossy().into_owned());
            let name = name.unwrap_or_default();
            if path.is_dir() && name != "target" && !name.starts_with('.') {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = fs::read_to_string(&path).expect("a source");
                assert_eq!(guards(&text), 0, "{}", path.display());
                sources += 1;
            }
        }
    }
    assert!(sources > 500, "{sources}");
}
