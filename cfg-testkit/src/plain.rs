//! Programs without the parts that the text form leaves out, and in one order: this must come back when a program is
//! printed and read.

use cfg_core::entity::VertexId;
use cfg_core::ir::{Cfg, Program, Stmt, VertexKind, keep_edge_ids};
use cfg_format::text;

/// The program without annotations, vertices and edges in the order of their ids and ends.
pub fn plain(program: &Program) -> Program {
    let mut program = program.clone();
    program.annotations = None;
    for global in &mut program.globals {
        global.variable.annotations = None;
    }
    for routine in &mut program.routines {
        routine.annotations = None;
        for v in &mut routine.variables {
            v.annotations = None;
        }
        routine.body = routine.body.take().map(graph);
    }
    program
}

fn graph(cfg: Cfg) -> Cfg {
    let (mut vertices, mut edges) = cfg.into_parts();
    // An edge without an id gets its position as id, if any edge has an id.
    keep_edge_ids(&mut edges);
    for vertex in &mut vertices {
        vertex.annotations = None;
        if let VertexKind::Block(statements) = &mut vertex.kind {
            for Stmt { annotations, .. } in statements {
                *annotations = None;
            }
        }
    }
    let mut order: Vec<usize> = (0..vertices.len()).collect();
    order.sort_by_key(|&v| vertices[v].id);
    let mut place = vec![0; vertices.len()];
    for (k, &v) in order.iter().enumerate() {
        place[v] = k;
    }
    let mut sorted: Vec<_> = vertices.into_iter().enumerate().collect();
    sorted.sort_by_key(|(v, _)| place[*v]);
    for edge in &mut edges {
        edge.annotations = None;
        edge.from = VertexId::new(place[edge.from.index()]);
        edge.to = VertexId::new(place[edge.to.index()]);
    }
    edges.sort_by_key(|e| (e.from, e.label, e.to, e.id));
    let vertices = sorted.into_iter().map(|(_, vertex)| vertex).collect();
    Cfg::new(vertices, edges).expect("the ends of edges have been renumbered")
}

/// Prints a program as text, reads that, and compares.
///
/// # Errors
/// The difference: the first line that is printed otherwise, if there is one.
pub fn comes_back(program: &Program) -> Result<(), String> {
    let printed = program.to_string();
    let parsed = text::parse(&printed);
    let Some(back) = parsed.program else {
        return Err(format!("problems {}\n{printed}", parsed.problems));
    };
    let again = back.to_string();
    for (k, (a, b)) in printed.lines().zip(again.lines()).enumerate() {
        if a != b {
            return Err(format!(
                "line {}:\n{a}\n{b}\n{printed}\ncomes back as\n{again}",
                k + 1
            ));
        }
    }
    let (back, wanted) = (plain(&back), plain(program));
    if back != wanted {
        let lines = [&wanted, &back].map(|p| format!("{p:#?}"));
        let pairs = lines[0].lines().zip(lines[1].lines()).enumerate();
        let first = pairs.into_iter().find(|(_, (a, b))| a != b);
        return Err(format!("differs at {first:?}\n{printed}"));
    }
    Ok(())
}
