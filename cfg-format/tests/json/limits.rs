//! Limits of the JSON reader, on both sides.

use cfg_core::ir::{Expr, MAX_ID};
use cfg_format::json;

/// The codes of the problems with an assignment of an expression.
fn problems(expression: &str) -> Vec<&'static str> {
    let text = format!(
        "{{\"format\": \"cfgrev/1\", \"routines\": [{{\"name\": \"f\", \"locals\": [{{\"name\": \"y\", \"type\": \"real\"}}], \
         \"vertices\": [{{\"id\": 1, \"type\": \"BASICBLOCK\", \"statements\": [[\"=\", \"y\", {expression}]]}}], \
         \"edges\": []}}]}}"
    );
    match json::read(text.as_bytes()) {
        Ok(_) => Vec::new(),
        Err(problems) => problems.iter().map(|d| d.code).collect(),
    }
}

/// A number with so many operations around it.
fn nested(operation: &str, times: usize, leaf: &str) -> String {
    let open = format!("[\"{operation}\", ").repeat(times);
    format!("{open}{leaf}{}", "]".repeat(times))
}

fn expected(levels: usize) -> &'static [&'static str] {
    if levels > Expr::MAX_DEPTH {
        &["J024"]
    } else {
        &[]
    }
}

#[test]
fn levels_of_expressions() {
    for levels in [Expr::MAX_DEPTH - 1, Expr::MAX_DEPTH, Expr::MAX_DEPTH + 1] {
        let text = nested("sin", levels - 1, "\"y\"");
        assert_eq!(problems(&text), expected(levels), "{levels} levels");
    }
}

/// `real32` of a literal is a constant, of anything else an operation.
#[test]
fn levels_of_conversions() {
    for levels in [Expr::MAX_DEPTH - 1, Expr::MAX_DEPTH, Expr::MAX_DEPTH + 1] {
        let conversion = nested("real32", 1, "\"y\"");
        let text = nested("sin", levels - 2, &conversion);
        assert_eq!(problems(&text), expected(levels), "{levels} levels");
        let constant = nested("real32", 1, "1.5");
        let text = nested("sin", levels - 1, &constant);
        assert_eq!(problems(&text), expected(levels), "{levels} levels");
    }
}

/// Ids are read up to the bound, which JSON readers read exactly.
#[test]
fn ids_of_vertices() {
    for (id, is_read) in [
        (MAX_ID, true),
        (-MAX_ID, true),
        (MAX_ID + 1, false),
        (-MAX_ID - 1, false),
    ] {
        let text = format!(
            "{{\"format\": \"cfgrev/1\", \"routines\": [{{\"name\": \"f\", \"vertices\": [{{\"id\": {id}, \
             \"type\": \"BASICBLOCK\", \"statements\": []}}], \"edges\": []}}]}}"
        );
        assert_eq!(json::read(text.as_bytes()).is_ok(), is_read, "{id}");
    }
}
