//! The JSON reader reports problems with their places, and never panics.

use bb_preaccum::lcg::petgraph::{from_petgraph, to_petgraph};
use bb_preaccum::lcg::{Kind, Lcg, LcgError, Role};

use crate::random::{Rng, graph, shape};

fn problems(json: &str) -> Vec<(&'static str, String)> {
    let error = Lcg::from_json(json.as_bytes()).expect_err(json);
    assert!(!error.problems.is_empty() && !error.to_string().is_empty());
    error
        .problems
        .into_iter()
        .map(|problem| (problem.code, problem.pointer))
        .collect()
}

#[track_caller]
fn only(json: &str, code: &str, pointer: &str) {
    assert_eq!(problems(json), [(code, pointer.to_owned())], "{json}");
}

#[test]
fn each_mistake_is_named_with_its_place() {
    let edge =
        |edges: &str| format!(r#"{{"name":"g","inputs":[0],"outputs":[2],"edges":[{edges}]}}"#);
    let good = r#"[0,1,"unit"],[1,2,"variable"]"#;
    assert!(Lcg::from_json(edge(good).as_bytes()).is_ok());
    let more = |extra: &str| edge(&format!("{good},{extra}"));
    only(&more(r#"[2,1,"unit"]"#), "L118", "/edges/2");
    only(&more(r#"[1,1,"unit"]"#), "L115", "/edges/2");
    only(&more(r#"[0,1,"constant"]"#), "L117", "/edges/2");
    only(&more(r#"[1,0,"unit"]"#), "L116", "/edges/2");
    only(&more(r#"[0,2,"units"]"#), "L108", "/edges/2/2");
    only(&more(r#"[0,2,1.5]"#), "L108", "/edges/2/2");
    only(&more(r#"[0,2.5,"unit"]"#), "L106", "/edges/2/1");
    only(&more(r#"[0,"NaN","unit"]"#), "L106", "/edges/2/1");
    only(
        &more(r#"[0,99999999999999999999,"unit"]"#),
        "L106",
        "/edges/2/1",
    );
    only(&more(r#"[0,2]"#), "L107", "/edges/2");
    only(&more(r#"[0,2,"unit",2]"#), "L109", "/edges/2/3");
    only(&more(r#"[0,2,"constant",1]"#), "L107", "/edges/2");
    only(&more("7"), "L107", "/edges/2");
    only(&more("{}"), "L107", "/edges/2");
    only(&edge(r#"[1,2,"unit"]"#), "L119", "/outputs/0");
    only(
        r#"{"inputs":[0],"outputs":[0],"edges":[]}"#,
        "L113",
        "/outputs/0",
    );
    only(
        r#"{"inputs":[0],"outputs":[],"edges":[]}"#,
        "L114",
        "/outputs",
    );
    only(
        r#"{"inputs":[0],"outputs":[1,1],"edges":[[0,1,"unit"]]}"#,
        "L112",
        "/outputs/1",
    );
    only(
        r#"{"inputs":[0,0],"outputs":[1],"edges":[[0,1,"unit"]]}"#,
        "L111",
        "/inputs/1",
    );
    only(r#"{"inputs":[0],"outputs":[1]}"#, "L105", "");
    only(
        r#"{"inputs":[0],"outputs":[1],"edges":[[0,1,"unit"]],"edgse":[]}"#,
        "L103",
        "/edgse",
    );
    only(
        r#"{"inputs":[0],"inputs":[],"outputs":[1],"edges":[[0,1,"unit"]]}"#,
        "L104",
        "/inputs",
    );
    only(
        r#"{"inputs":3,"outputs":[1],"edges":[[0,1,"unit"]]}"#,
        "L102",
        "/inputs",
    );
    only("[]", "L102", "");
    only("null", "L102", "");
    only("{", "L101", "");
    only("", "L101", "");
}

#[test]
fn numbers_that_are_not_finite_are_refused() {
    for label in ["NaN", "Infinity", "-Infinity", "1e999", "-1e999"] {
        let json = format!(r#"{{"inputs":[0],"outputs":[1],"edges":[[0,{label},"unit"]]}}"#);
        assert_eq!(problems(&json)[0].0, "L101", "{label}");
        let json = format!(r#"{{"inputs":[0],"outputs":[1],"edges":[[0,1,{label}]]}}"#);
        assert_eq!(problems(&json)[0].0, "L101", "{label}");
    }
}

#[test]
fn all_problems_at_once_and_a_hint() {
    let json = r#"{"inputs":[0,0],"outputs":[0,3],"edges":[[1,1,"unit"],[0,3,"unit"],[0,3,"unit"]],"Edges":1}"#;
    let error = Lcg::from_json(json.as_bytes()).expect_err("wrong");
    assert_eq!(error.problems[0].help, "did you mean `edges`?");
    let json = json.replace(",\"Edges\":1", "");
    let codes: Vec<&str> = problems(&json).into_iter().map(|(code, _)| code).collect();
    assert_eq!(codes, ["L111", "L113", "L115", "L117"]);
    let many = format!(
        r#"{{"inputs":[0],"outputs":[1],"edges":[{}]}}"#,
        vec![r#"[0,1,"x"]"#; 1000].join(",")
    );
    let error = Lcg::from_json(many.as_bytes()).expect_err("wrong");
    assert_eq!(
        (error.problems.len(), error.omitted),
        (LcgError::LIMIT, 900)
    );
}

/// Messages show the beginning of a long text and of a long cycle.
#[test]
fn messages_on_both_sides_of_their_limits() {
    let message = |edges: &str| {
        let json = format!(r#"{{"inputs":[0],"outputs":[99],"edges":[{edges}]}}"#);
        let error = Lcg::from_json(json.as_bytes()).expect_err(edges);
        error.problems[0].message.clone()
    };
    for (length, end) in [(40, ""), (41, "...")] {
        let text = "x".repeat(length);
        let shown = format!("\"{}{end}\"", "x".repeat(40));
        let message = message(&format!(r#"[0,"{text}","unit"]"#));
        assert!(message.contains(&shown), "{message}");
    }
    for (length, end) in [(8, " -> 8"), (9, " -> 8 -> ...")] {
        let edge = |v: i64| format!(r#"[{v},{},"unit"]"#, v % length + 1);
        let cycle: Vec<String> = (1..=length).map(edge).collect();
        let cycle = cycle.join(",");
        let message = message(&format!(r#"[0,1,"unit"],{cycle},[1,99,"unit"]"#));
        let start = format!("a cycle of length {length}: 1 -> 2");
        assert!(
            message.starts_with(&start) && message.ends_with(end),
            "{message}"
        );
    }
}

#[test]
fn ids_need_not_be_topological_nor_dense() {
    let json = r#"{"name":"x","inputs":[900],"outputs":[-5],"edges":[[7,-5,"unit",-1],[900,7,"variable"]],"note":"n"}"#;
    let lcg = Lcg::from_json(json.as_bytes()).expect("valid");
    let ids: Vec<i64> = (0..3).map(|v| lcg.id(v)).collect();
    assert_eq!(ids, [900, 7, -5]);
    assert_eq!(
        (lcg.role(1), lcg.edges()[0].kind),
        (Role::Intermediate, Kind::Unit)
    );
    assert!(lcg.edges()[0].negative);
    let spread = r#"{"inputs":[-9223372036854775808],"outputs":[9223372036854775807],"edges":[[-9223372036854775808,9223372036854775807,"unit"]]}"#;
    assert!(Lcg::from_json(spread.as_bytes()).is_ok());
}

#[test]
fn a_byte_order_mark_is_ignored() {
    let text = r#"{"inputs":[1],"outputs":[2],"edges":[[1,2,"unit"]]}"#;
    let marked = format!("\u{feff}{text}");
    assert_eq!(
        Lcg::from_json(marked.as_bytes())
            .expect("a graph")
            .to_json(),
        Lcg::from_json(text.as_bytes()).expect("a graph").to_json()
    );
    // One only, and columns count from behind it.
    only(&format!("\u{feff}{marked}"), "L101", "");
    let columns = ["{\"inputs\":?}", "\u{feff}{\"inputs\":?}"].map(|json| {
        let error = Lcg::from_json(json.as_bytes()).expect_err(json);
        error
            .problems
            .into_iter()
            .next()
            .and_then(|problem| problem.column)
    });
    assert_eq!(columns, [Some(11), Some(11)]);
}

#[test]
fn round_trips() {
    for seed in 0..60 {
        let lcg = graph(seed, shape(seed));
        let text = lcg.to_json();
        assert_eq!(
            Lcg::from_json(text.as_bytes()).expect("valid").to_json(),
            text
        );
        let pet = to_petgraph(&lcg);
        assert!(petgraph::algo::toposort(&pet, None).is_ok());
        let back = from_petgraph(lcg.name(), &pet).expect("valid");
        assert_eq!(back.edges().len(), lcg.edges().len());
    }
}

#[test]
fn broken_text_never_panics() {
    let good = graph(3, shape(3)).to_json().into_bytes();
    let mut rng = Rng::new(1);
    for _ in 0..4000 {
        let mut text = good.clone();
        for _ in 0..1 + rng.below(4) {
            let at = rng.below(text.len());
            match rng.below(4) {
                0 => text.truncate(at),
                1 => text[at] = rng.below(256) as u8,
                2 => text.insert(at, b"[]{},:\"0-9eE.nutf"[rng.below(17)]),
                _ => {
                    let end = at + rng.below(text.len() - at);
                    text.drain(at..end);
                }
            }
            if text.is_empty() {
                break;
            }
        }
        // Either is fine; a panic is not.
        let _ = Lcg::from_json(&text).map(|lcg| lcg.to_json());
    }
    let deep = "[".repeat(100_000);
    assert!(Lcg::from_json(deep.as_bytes()).is_err());
}

#[test]
fn ten_million_edges_are_read() {
    // A band: vertex v reads v-1, ..., v-10.
    let n: i64 = 1_000_010;
    let mut text = String::with_capacity(300_000_000);
    text.push_str(r#"{"inputs":[0],"outputs":["#);
    text.push_str(&n.to_string());
    text.push_str(r#"],"edges":["#);
    let mut count = 0usize;
    for v in 1..=n {
        for source in (v - 10).max(0)..v {
            if count > 0 {
                text.push(',');
            }
            text.push('[');
            text.push_str(&source.to_string());
            text.push(',');
            text.push_str(&v.to_string());
            text.push_str(",\"variable\"]");
            count += 1;
        }
    }
    text.push_str("]}");
    assert!(count > 10_000_000);
    let lcg = Lcg::from_json(text.as_bytes()).expect("valid");
    drop(text);
    assert_eq!(
        (lcg.edges().len(), lcg.vertex_count() as i64),
        (count, n + 1)
    );
    assert_eq!(lcg.in_edges(500_000).len(), 10);
}
