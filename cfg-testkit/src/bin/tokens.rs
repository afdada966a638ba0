//! Counts tokens of Rust: `cargo run -p cfg-testkit --bin tokens [FOLDER]...` in the workspace's folder.
//!
//! A line for each folder, by default the sources of each crate, with the tokens of its files. Comments, and what is
//! compiled for tests only, do not count: layout and documentation are free, so the number says how much code there is.
#![expect(clippy::print_stdout, reason = "a command prints")]

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

fn main() -> Result<(), Box<dyn Error>> {
    let mut folders: Vec<PathBuf> = std::env::args().skip(1).map(PathBuf::from).collect();
    if folders.is_empty() {
        for entry in fs::read_dir(".")? {
            let folder = entry?.path().join("src");
            if folder.is_dir() {
                folders.push(folder.strip_prefix(".")?.to_path_buf());
            }
        }
        folders.sort();
    }
    let mut total = 0;
    for folder in folders {
        let count = count_path(&folder)?;
        println!("{count:8} {}", folder.display());
        total += count;
    }
    println!("{total:8} in all");
    Ok(())
}

/// The tokens of a file, or of all files below a folder.
fn count_path(path: &Path) -> Result<usize, Box<dyn Error>> {
    let mut count = 0;
    let mut open = vec![path.to_path_buf()];
    while let Some(path) = open.pop() {
        let stem = path.file_stem().and_then(|s| s.to_str()).unwrap_or("");
        if path.is_dir() {
            if stem != "tests" {
                let entries: Result<Vec<_>, _> = fs::read_dir(path)?.collect();
                open.extend(entries?.into_iter().map(|entry| entry.path()));
            }
        } else if path.extension().is_some_and(|e| e == "rs") && stem != "tests" {
            let text = fs::read_to_string(&path)?;
            let stream: TokenStream = text
                .parse()
                .map_err(|e| format!("{}: {e}", path.display()))?;
            count += count_tokens(stream);
        }
    }
    Ok(count)
}

/// The tokens of a stream; a pair of brackets counts as one.
fn count_tokens(stream: TokenStream) -> usize {
    let mut count = 0;
    let mut open = vec![stream];
    while let Some(stream) = open.pop() {
        let mut tokens = stream.into_iter().peekable();
        while let Some(token) = tokens.next() {
            let hash = matches!(&token, TokenTree::Punct(p) if p.as_char() == '#');
            let inner = tokens
                .next_if(|next| matches!(next, TokenTree::Punct(p) if hash && p.as_char() == '!'));
            let attribute = match tokens.peek() {
                Some(TokenTree::Group(group)) if hash => group.stream().to_string(),
                _ => String::new(),
            };
            if attribute.starts_with("doc ") {
                tokens.next();
                continue;
            }
            if attribute.replace(' ', "") == "cfg(test)" {
                // The item that the attribute is on ends with a semicolon or its braces.
                tokens.find(|token| match token {
                    TokenTree::Punct(p) => p.as_char() == ';',
                    TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
                    TokenTree::Ident(_) | TokenTree::Literal(_) => false,
                });
                continue;
            }
            count += 1 + usize::from(inner.is_some());
            if let TokenTree::Group(group) = token {
                open.push(group.stream());
            }
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use super::count_tokens;

    #[test]
    fn comments_and_tests_do_not_count() {
        for (text, count) in [
            ("fn f(a: u8) {}", 7),
            ("// No token.\n/// None.\nfn f(a: u8) {}", 7),
            ("//! None.\n#[cfg(test)]\nmod tests { fn f() {} }", 0),
            ("#[cfg(test)]\nmod tests;\nfn f(a: u8) {}", 7),
            ("#[test]\nfn f(a: u8) {}", 10),
        ] {
            let stream = text.parse().expect("it is Rust");
            assert_eq!(count_tokens(stream), count, "{text}");
        }
    }
}
