//! `docs/front-end.md` quotes the example, and what it prints.

#[allow(dead_code, reason = "an example has a main function")]
#[path = "../examples/toy_language.rs"]
mod toy_language;

/// The blocks of a page that are marked with a language.
fn blocks<'p>(page: &'p str, language: &str) -> Vec<&'p str> {
    let fence = format!("```{language}\n");
    let starts = page.split(&*fence).skip(1);
    starts
        .filter_map(|rest| Some(rest.split_once("```")?.0))
        .collect()
}

#[test]
fn the_page_is_the_example() {
    let page = include_str!("../../docs/front-end.md");
    let example = include_str!("../examples/toy_language.rs");
    let code = blocks(page, "rust");
    assert_eq!(code.len(), 5);
    for block in code {
        assert!(example.contains(block), "{block}");
    }
    assert_eq!(blocks(page, "toy"), [toy_language::SOURCE]);
    let shown = toy_language::show(toy_language::SOURCE).expect("it is right");
    assert_eq!(blocks(page, "text"), [shown]);
}
