use super::*;

/// The circles of a crate with these files, each as its entries.
fn found(files: &[(&str, &str)]) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let modules = read(folder.path()).unwrap();
    let circles = circles(&imports(&modules));
    circles.into_iter().map(|lines| lines[0].clone()).collect()
}

/// `a` imports `b` in one of many ways. With an import of `a` in `b` that is a circle; without it is none.
#[test]
fn ways_to_import() {
    let lib = "mod a; mod b; pub use b::{One as Renamed, two};";
    let ways = [
        "use crate::b;",
        "use crate::b::One;",
        "use crate::{b::{One, two as three}};",
        "use super::b::*;",
        "use crate::Renamed;",
        "use super::two;",
        "use crate::*; fn f() { crate::two(); }",
        "fn f() { crate::b::two(); }",
        "fn f() { super::b::One::new(); }",
        "use crate::b as other; fn f() { other::two(); }",
        "fn f() { vec![1, crate::b::two()]; }",
        "impl X { fn f(&self) -> impl Iterator + use<> { x } fn g() { crate::two(); } }",
        "mod inner { fn f() { crate::b::two(); } }",
        "#[cfg(unix)] use crate::b::One;",
        "#[cfg(test)] use crate::c; use crate::b::One;",
        "pub(super) use crate::b::One;",
        "use crate::b::inside::Deep;",
    ];
    for way in ways {
        for (back, circles) in [("", 0), ("use crate::a::f;", 1)] {
            let b = format!("{back} pub mod inside; pub struct One; pub const fn two() {{}}");
            let inside = ("b/inside.rs", "pub struct Deep;");
            let files = [("lib.rs", lib), ("a.rs", way), ("b.rs", &b), inside];
            let expected = vec![" {a, b}"; circles];
            assert_eq!(found(&files), expected, "{way} {back}");
        }
    }
}

/// Imports in tests, and paths that only look like imports of the other file, make no circle.
#[test]
fn no_imports() {
    let b = ("b.rs", "use crate::a::f; pub fn two() {}");
    for a in [
        "#[cfg(test)] mod tests { use crate::b::two; }",
        "#[cfg(test)] use crate::b::two;",
        "#[cfg(test)] #[allow(unused)] fn f() { crate::b::two() }",
        "// use crate::b::two;",
        "const TEXT: &str = \"use crate::b::two;\";",
        "fn b() { std::mem::two(); }",
        "use other::b::two;",
    ] {
        assert_eq!(
            found(&[("lib.rs", "mod a; mod b;"), ("a.rs", a), b]),
            [""; 0],
            "{a}"
        );
    }
    let tests = ("a/tests.rs", "use crate::b::two;");
    let a = ("a.rs", "#[cfg(test)] mod tests;");
    assert_eq!(found(&[("lib.rs", "mod a; mod b;"), a, b, tests]), [""; 0]);
}

/// A folder's files with that of the folder itself are one entry outside; among themselves they have circles of
/// their own.
#[test]
fn circles_of_folders() {
    let files = [
        ("lib.rs", "mod a; mod b; mod c;"),
        ("a.rs", "mod x; mod y; pub use x::One;"),
        ("a/x.rs", "use super::y::Two; pub struct One;"),
        ("a/y.rs", "use super::One; pub struct Two;"),
        ("b.rs", "use crate::a::One; pub struct Three;"),
        ("c.rs", "use crate::b::Three; pub struct Four;"),
    ];
    assert_eq!(found(&files), ["a {x, y}"]);
    let mut longer = files;
    longer[2].1 = "use crate::c::Four; pub struct One;";
    assert_eq!(found(&longer), [" {a, b, c}"]);
}
