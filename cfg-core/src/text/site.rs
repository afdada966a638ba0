//! The places of problems in words.

use super::Name;
use crate::{
    diagnostic::site::{Element, Site},
    entity::{VarId, VertexId},
    ir::{Program, Role, Routine},
};

/// The element of a site in words: `routine f, vertex 5, statement 2`.
pub fn site_text(program: &Program, site: &Site) -> String {
    if let Element::Global(g) = site.element {
        return match program.globals.get(g.index()) {
            Some(global) => format!("global {}", Name(&global.variable.name)),
            None => format!("global {g}"),
        };
    }
    if let Element::Record(r, field) = site.element {
        let Some(record) = program.records.get(r.index()) else {
            return format!("record {r}");
        };
        let name = Name(&record.name);
        return match field.and_then(|k| record.fields.get(k)) {
            Some(field) => format!("record {name}, field {}", Name(&field.name)),
            None => format!("record {name}"),
        };
    }
    let routine = site.routine.and_then(|r| program.routines.get(r.index()));
    let Some(routine) = routine else {
        return "program".to_owned();
    };
    let name = Name(&routine.name);
    match site.element {
        Element::Program | Element::Global(_) | Element::Record(..) | Element::Routine => {
            format!("routine {name}")
        }
        Element::Variable(v) => format!("routine {name}, {}", variable(routine, v)),
        Element::Vertex(v) => format!("routine {name}, vertex {}", id(routine, v)),
        Element::Statement(v, s) => {
            format!(
                "routine {name}, vertex {}, statement {}",
                id(routine, v),
                s + 1
            )
        }
        Element::Edge(e) => match &routine.body {
            Some(cfg) if e.index() < cfg.edge_count() => {
                let edge = cfg.edge(e);
                let [from, to] = [edge.from, edge.to].map(|v| id(routine, v));
                format!("routine {name}, edge {from} -> {to}")
            }
            Some(_) | None => format!("routine {name}, edge {e}"),
        },
    }
}

fn variable(routine: &Routine, v: VarId) -> String {
    let Some(variable) = routine.variables.get(v.index()) else {
        return "variable ?".to_owned();
    };
    let what = match variable.role {
        Role::Parameter { .. } => "parameter",
        Role::Global(_) => "global",
        Role::Local => "variable",
    };
    format!("{what} {}", Name(&variable.name))
}

fn id(routine: &Routine, v: VertexId) -> i64 {
    let vertices = routine
        .body
        .as_ref()
        .filter(|cfg| v.index() < cfg.vertex_count());
    vertices.map_or(0, |cfg| cfg.vertex(v).id)
}
