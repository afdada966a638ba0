//! Documents that say the same in another way are the same program.

use crate::{corpus, fixtures, oracle};
use cfg_core::ir::{Cfg, Program};
use cfg_front::xaif::{Options, read_xaif};

/// A piece of a document: a tag with its attributes and children, and the comment before it if that says
/// something.
#[derive(Clone, Debug)]
struct Element {
    comment: Option<String>,
    name: String,
    attributes: Vec<(String, String)>,
    children: Vec<Element>,
}

/// The outermost element; the documents have neither text nor `>` in attributes.
fn parse(text: &str) -> Element {
    let mut open: Vec<Element> = Vec::new();
    let mut last = None;
    let mut comment = None;
    for tag in text.split('<').skip(1) {
        let tag = &tag[..tag.find('>').unwrap()];
        if tag.starts_with("!-- COMMON name") {
            comment = Some(format!("<{tag}>"));
            continue;
        }
        if tag.starts_with(['?', '!']) {
            continue;
        }
        if tag.starts_with('/') {
            let done = open.pop().unwrap();
            match open.last_mut() {
                Some(parent) => parent.children.push(done),
                None => last = Some(done),
            }
            continue;
        }
        let (tag, empty) = tag.strip_suffix('/').map_or((tag, false), |t| (t, true));
        let (name, rest) = tag.split_once(char::is_whitespace).unwrap_or((tag, ""));
        let mut parts = rest.split('"');
        let mut attributes = Vec::new();
        while let (Some(key), Some(value)) = (parts.next(), parts.next()) {
            let key = key.trim().trim_end_matches('=').trim_end();
            attributes.push((key.to_owned(), value.to_owned()));
        }
        let element = Element {
            comment: comment.take(),
            name: name.to_owned(),
            attributes,
            children: Vec::new(),
        };
        match open.last_mut() {
            Some(parent) if empty => parent.children.push(element),
            _ => open.push(element),
        }
    }
    last.unwrap()
}

impl Element {
    fn each(&mut self, f: &mut impl FnMut(&mut Element)) {
        for child in &mut self.children {
            child.each(f);
        }
        f(self);
    }

    fn write(&self, between: &str, out: &mut String) {
        out.push_str(self.comment.as_deref().unwrap_or_default());
        out.push_str(&format!("<{}", self.name));
        for (key, value) in &self.attributes {
            out.push_str(&format!(" {key}=\"{value}\""));
        }
        if self.children.is_empty() {
            out.push_str("/>");
            return;
        }
        out.push('>');
        out.push_str(between);
        for child in &self.children {
            child.write(between, out);
            out.push_str(between);
        }
        out.push_str(&format!("</{}>", self.name));
    }

    fn text(&self, between: &str) -> String {
        let mut out = String::new();
        self.write(between, &mut out);
        out
    }
}

fn documents() -> Vec<(String, String)> {
    let mut list = fixtures::documents();
    list.extend(corpus::documents().unwrap_or_default());
    list.into_iter()
        .map(|(name, bytes)| (name, String::from_utf8(bytes).unwrap()))
        .collect()
}

/// The program without the ids of its edges, or the codes of the problems.
fn outcome(text: &str) -> Result<Program, Vec<&'static str>> {
    let (program, problems) = read_xaif(text.as_bytes(), &Options::default());
    let Some(mut program) = program else {
        return Err(problems.iter().map(|d| d.code).collect());
    };
    for routine in &mut program.routines {
        let Some(cfg) = routine.body.take() else {
            continue;
        };
        let (vertices, mut edges) = cfg.into_parts();
        for edge in &mut edges {
            edge.id = None;
        }
        routine.body = Cfg::new(vertices, edges);
    }
    Ok(program)
}

fn same(change: impl Fn(&str) -> String) {
    let mut read = 0;
    for (name, text) in documents() {
        let (before, after) = (outcome(&text), outcome(&change(&text)));
        read += usize::from(before.is_ok());
        assert!(before == after, "{name}: {before:?}\n{after:?}");
    }
    assert!(read > 20);
}

#[test]
fn another_prefix() {
    same(|text| {
        text.replace("xaif:", "x:")
            .replace("xmlns:xaif=", "xmlns:x=")
    });
}

#[test]
fn the_default_namespace() {
    same(|text| {
        text.replace("xmlns:xaif=", "xmlns=")
            .replace("<xaif:", "<")
            .replace("</xaif:", "</")
    });
}

#[test]
fn comments_and_spaces_everywhere() {
    same(|text| parse(text).text("\n\t<!-- between --><?tool?><![CDATA[ \n]]>\r\n  "));
}

#[test]
fn attributes_and_properties_of_other_tools() {
    same(|text| {
        let mut root = parse(text);
        root.each(&mut |e| {
            e.attributes
                .insert(0, ("tool_line".to_owned(), "&lt;7&gt;".to_owned()));
            e.attributes.push(("xaif:colour".to_owned(), String::new()));
            let property = parse(
                "<xaif:PropertyList><xaif:Property name=\"a\" value=\"b\"/></xaif:PropertyList>",
            );
            e.children.insert(0, property.clone());
            e.children.push(property);
        });
        root.text("\n")
    });
}

/// Ids of edges that nothing refers to, and what repeats what is known.
#[test]
fn without_what_says_nothing() {
    const NEEDED: [&str; 2] = ["ControlFlowGraph", "Symbol"];
    same(|text| {
        let mut root = parse(text);
        root.each(&mut |e| {
            let needed = NEEDED.iter().any(|n| e.name.ends_with(n));
            e.attributes.retain(|(key, _)| match key.as_str() {
                "edge_id" | "rType" | "rShape" | "formalArgCount" | "has_condition_value" => false,
                "type" => needed || e.name.ends_with("Constant"),
                _ => true,
            });
        });
        root.text("\n")
    });
}

/// Values and Jacobian, as far as there are `x` and `y` of constant shape; else the codes.
fn result(text: &str) -> String {
    let (program, problems) = read_xaif(text.as_bytes(), &Options::default());
    match program {
        Some(program) => format!("{:?}", oracle::jacobian(&program, "x", "y")),
        None => {
            let codes: std::collections::BTreeSet<&str> = problems.iter().map(|d| d.code).collect();
            format!("{codes:?}")
        }
    }
}

fn same_result(change: impl Fn(Element) -> Element) {
    let mut derived = 0;
    for (name, text) in documents() {
        let (before, after) = (result(&text), result(&change(parse(&text)).text("\n")));
        derived += usize::from(before.starts_with("Ok"));
        assert_eq!(before, after, "{name}");
    }
    assert!(derived > 20, "{derived}");
}

#[test]
fn ids_that_are_names() {
    same_result(|mut root| {
        root.each(&mut |e| {
            for (key, value) in &mut e.attributes {
                let id = matches!(
                    key.as_str(),
                    "vertex_id"
                        | "edge_id"
                        | "source"
                        | "target"
                        | "scope_id"
                        | "controlflowgraph_scope_id"
                        | "statement_id"
                        | "idRef"
                        | "key"
                        | "alias"
                        | "du_ud"
                );
                if id {
                    *value = format!("n.{value}");
                }
            }
        });
        root
    });
}

/// Only statements, subscripts and bounds have an order.
#[test]
fn elements_in_another_order() {
    same_result(|mut root| {
        root.each(&mut |e| {
            let ordered = ["BasicBlock", "ArrayElementReference", "Symbol"];
            if !ordered.iter().any(|o| e.name == format!("xaif:{o}")) {
                e.children.reverse();
            }
        });
        root
    });
}
