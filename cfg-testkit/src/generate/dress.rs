//! Parts of a program that do not change its meaning: names, ids, annotations, spans, the order of vertices and edges
//! in the file.

use crate::rng::Rng;
use crate::tree::{self, Region};
use cfg_core::entity::VertexId;
use cfg_core::ir::{
    Annotations, At, Cfg, Edge, LoopForm, LoopTest, Program, Role, Span, Variable, Vertex,
    VertexKind,
};
use std::{collections::BTreeSet, sync::Arc};

/// Names that look like generated ones, like words of the format, or like nothing at all.
const NAMES: [&str; 44] = [
    "x_b", "x_t", "x_b_b", "x_b_t", "x_t_", "x_", "s_b", "y_b", "y_t", "gs_b", "ga_t", "tape",
    "count", "marker", "index", "return", "value", "null", "true", "1", "-1", "1.5", "nan", "inf",
    "[]", ":", "+", "call", "=", "push", "global", "a b", "a.b", "a/b", "~0~1", "\"", "\\", "é",
    "变量", "🦀", "gs", "ga", "go", "gi",
];

/// Names of routines.
const ROUTINES: [&str; 14] = [
    "f",
    "f_fwd",
    "f_rev",
    "f_grad",
    "f_t",
    "f_b",
    "main",
    "main_fwd",
    "main_rev",
    "main_grad",
    "main_t",
    "main_fwd_",
    "call",
    "a \"b\" 变",
];

/// Renames, and annotates everything outside of graphs.
pub(super) fn dress(program: &mut Program, trees: &mut [Option<Region>], rng: &mut Rng) {
    let share = *rng.pick(&[0, 20, 80]).unwrap_or(&20);
    let names = *rng.pick(&[0, 30, 90]).unwrap_or(&30);
    let mut taken = BTreeSet::new();
    for global in &mut program.globals {
        rename(&mut global.variable.name, &NAMES, names, &mut taken, rng);
        global.variable.annotations = annotations(share, rng);
    }
    let mut taken: BTreeSet<String> = BTreeSet::new();
    program.annotations = annotations(share, rng);
    let globals: Vec<Variable> = (program.globals.iter())
        .map(|g| g.variable.clone())
        .collect();
    for routine in &mut program.routines {
        rename(&mut routine.name, &ROUTINES, names, &mut taken, rng);
        routine.annotations = annotations(share, rng);
        let mut own: BTreeSet<String> = BTreeSet::new();
        for variable in &mut routine.variables {
            if let Role::Global(g) = variable.role {
                variable.clone_from(&globals[g.index()]);
                own.insert(variable.name.clone());
            }
        }
        for variable in &mut routine.variables {
            if !matches!(variable.role, Role::Global(_)) {
                rename(&mut variable.name, &NAMES, names, &mut own, rng);
                variable.annotations = annotations(share, rng);
            }
        }
    }
    for tree in trees.iter_mut().flatten() {
        tree::blocks_mut(tree, &mut |statements| {
            for statement in statements {
                statement.annotations = annotations(share / 2, rng);
            }
        });
    }
    // A copy of the random stream: programs are the same with and without spans.
    dress_spans(program, trees, &mut rng.clone());
}

/// Names of sources.
const SOURCES: [&str; 4] = ["f.f90", "dir/a b.c", "\"é\n\\", ""];

/// Names sources, and gives spans to everything outside of graphs.
fn dress_spans(program: &mut Program, trees: &mut [Option<Region>], rng: &mut Rng) {
    let share = *rng.pick(&[0, 20, 80]).unwrap_or(&20);
    if share == 0 {
        return;
    }
    program.sources = SOURCES.map(str::to_owned)[rng.below(3)..].to_vec();
    let sources = program.sources.len();
    for global in &mut program.globals {
        global.variable.at = span(share, sources, rng);
    }
    for routine in &mut program.routines {
        routine.at = span(share, sources, rng);
        for variable in &mut routine.variables {
            variable.at = match variable.role {
                Role::Global(g) => program.globals[g.index()].variable.at.clone(),
                Role::Parameter { .. } | Role::Local => span(share, sources, rng),
            };
        }
    }
    for tree in trees.iter_mut().flatten() {
        tree::blocks_mut(tree, &mut |statements| {
            for statement in statements {
                statement.at = span(share, sources, rng);
            }
        });
    }
}

/// A span in one of the sources; none if there is no source.
fn span(percent: usize, sources: usize, rng: &mut Rng) -> At {
    if sources == 0 || !rng.percent(percent) {
        return None;
    }
    let mut number = |below| 1 + rng.below(below) as u32;
    let [line, column] = match number(20) {
        1 => [u32::MAX, u32::MAX],
        _ => [number(1000), number(200)],
    };
    let (end_line, end_column) = match number(3) {
        1 => (line, column),
        2 => (line, column.saturating_add(number(30))),
        _ => (line.saturating_add(number(3)), column.max(number(200))),
    };
    let source = number(sources) - 1;
    Span::new(source, [line, column, end_line, end_column]).map(Arc::new)
}

/// Keeps the name or takes another, which nothing else has.
fn rename(
    name: &mut String,
    pool: &[&str],
    percent: usize,
    taken: &mut BTreeSet<String>,
    rng: &mut Rng,
) {
    if rng.percent(percent) {
        *name = match rng.below(10) {
            0 => format!("{name}_b"),
            1 => format!("{name}_t"),
            2 => {
                // As long as names may be, or so that generated names reach it.
                let fill = 1000 - name.len() - rng.below(12);
                format!("{name}{}", "x".repeat(fill))
            }
            _ => (*rng.pick(pool).unwrap_or(&"x")).to_owned(),
        };
    }
    let mut number = 0;
    let wanted = name.clone();
    while !taken.insert(name.clone()) {
        number += 1;
        let suffix = match number {
            1 => "_".to_owned(),
            n => n.to_string(),
        };
        let kept: String = wanted.chars().take(1000 - 40).collect();
        *name = format!("{kept}{suffix}");
    }
}

fn annotations(percent: usize, rng: &mut Rng) -> Annotations {
    if !rng.percent(percent) {
        return None;
    }
    let mut map = serde_json::Map::new();
    let value = match rng.below(5) {
        0 => serde_json::json!({"line": rng.below(1000), "file": "a.f90"}),
        1 => serde_json::json!([null, true, -1, 0.5, "x"]),
        2 => serde_json::json!(i64::MIN),
        3 => serde_json::json!({"cfgrev": {"role": "copy"}}),
        _ => serde_json::json!("é\n\"\\"),
    };
    map.insert(
        (*rng.pick(&["at", "", "cfgrev ", "é"]).unwrap_or(&"at")).to_owned(),
        value,
    );
    Some(Box::new(map))
}

/// How far ids go.
const FAR: i64 = 1 << 53;

/// The same graph with other ids, in another order, with annotations and, if the program has sources, with spans.
pub(super) fn graph(cfg: Cfg, sources: usize, rng: &mut Rng) -> Cfg {
    let share = *rng.pick(&[0, 20, 80]).unwrap_or(&20);
    let (mut vertices, mut edges) = cfg.into_parts();
    match rng.below(5) {
        0 => number(&mut vertices, rng, |k, rng| {
            k as i64 * 7 - 60 + rng.between(0, 6)
        }),
        1 => number(&mut vertices, rng, |_, rng| rng.between(-FAR, FAR)),
        // The largest ids, so that no id is free above them.
        2 => number(&mut vertices, rng, |k, _| FAR - k as i64),
        _ => {}
    }
    for vertex in &mut vertices {
        vertex.annotations = annotations(share, rng);
        if let VertexKind::Loop { form, test } = &mut vertex.kind
            && matches!(**test, LoopTest::Counted { .. })
            && rng.percent(share / 4)
        {
            *form = LoopForm::ForLoop;
        }
    }
    if rng.percent(60) {
        let mut order: Vec<usize> = (0..vertices.len()).collect();
        rng.shuffle(&mut order);
        let mut to = vec![0; order.len()];
        for (new, &old) in order.iter().enumerate() {
            to[old] = new;
        }
        let mut shuffled: Vec<Option<Vertex>> = vertices.into_iter().map(Some).collect();
        vertices = order
            .iter()
            .filter_map(|&old| shuffled[old].take())
            .collect();
        for edge in &mut edges {
            edge.from = VertexId::new(to[edge.from.index()]);
            edge.to = VertexId::new(to[edge.to.index()]);
        }
        rng.shuffle(&mut edges);
    }
    edge_ids(&mut edges, rng);
    for edge in &mut edges {
        edge.annotations = annotations(share, rng);
    }
    let mut own = rng.clone();
    let share = *own.pick(&[0, 20, 80]).unwrap_or(&20);
    for vertex in &mut vertices {
        vertex.at = span(share, sources, &mut own);
    }
    // The same edges between the same vertices.
    Cfg::new(vertices, edges).expect("there are as many vertices as before")
}

fn number(vertices: &mut [Vertex], rng: &mut Rng, of: impl Fn(usize, &mut Rng) -> i64) {
    let mut taken = BTreeSet::from([0]);
    for (k, vertex) in vertices.iter_mut().enumerate() {
        let mut id = of(k, rng);
        while !taken.insert(id) {
            id = rng.between(-FAR, FAR);
        }
        vertex.id = id;
    }
}

/// Ids that are unique together with those that are positions: near the number of edges, so that edges
/// which are added would take them, or anywhere.
fn edge_ids(edges: &mut [Edge], rng: &mut Rng) {
    let share = *rng.pick(&[0, 0, 30, 100]).unwrap_or(&0);
    let count = edges.len() as i64;
    let chosen: Vec<bool> = edges.iter().map(|_| rng.percent(share)).collect();
    let mut taken: BTreeSet<i64> = (0..count).filter(|&k| !chosen[k as usize]).collect();
    let near = rng.percent(60);
    for (edge, chosen) in edges.iter_mut().zip(chosen) {
        if !chosen {
            continue;
        }
        loop {
            let id = match near {
                true => rng.between(0, 2 * count + 4),
                false => rng.between(-FAR, FAR),
            };
            if taken.insert(id) {
                edge.id = Some(id);
                break;
            }
        }
    }
}
