//! Fixed places for the vertices of a graph, so that pictures of it in several states agree.
//!
//! Vertices stand in rows: sources in the first, others below all that they depend on. Within a row they are ordered by
//! the mean place of their neighbours, downwards and upwards in turn (Sugiyama, Tagawa and Toda, Methods for visual
//! understanding of hierarchical system structures, 1981).

use super::frame::Frame;
use std::collections::BTreeMap;

/// Sweeps over all rows that order them.
const SWEEPS: usize = 8;
/// The height of a row, in inches.
const ROW: f64 = 0.9;

/// Places of vertices, in inches to the right and upwards.
#[derive(Clone, Debug)]
pub(super) struct Places {
    of: BTreeMap<i64, (f64, f64)>,
    /// The width of all.
    pub(super) width: f64,
    /// The height of all.
    pub(super) height: f64,
}

impl Places {
    /// Places for the vertices of a graph, which come in topological order.
    pub(super) fn assign(graph: &Frame) -> Self {
        let n = graph.vertices.len();
        let index: BTreeMap<i64, usize> = graph.vertices.iter().map(|v| v.id).zip(0..).collect();
        let mut below = vec![Vec::new(); n];
        let mut above = vec![Vec::new(); n];
        for edge in &graph.edges {
            if let (Some(&from), Some(&to)) = (index.get(&edge.source), index.get(&edge.target)) {
                below[from].push(to);
                above[to].push(from);
            }
        }
        let mut row = vec![0; n];
        for v in 0..n {
            for &next in &below[v] {
                row[next] = row[next].max(row[v] + 1);
            }
        }
        let mut rows: Vec<Vec<usize>> = vec![Vec::new(); row.iter().max().map_or(0, |r| r + 1)];
        for v in 0..n {
            rows[row[v]].push(v);
        }
        // Measured in places from the middle of the row.
        let mut x = vec![0.0; n];
        rows.iter().for_each(|row| spread(row, &mut x));
        for sweep in 0..SWEEPS {
            let neighbours = [&above, &below][sweep % 2];
            let mut order = |row: &mut Vec<usize>| {
                let wish = |v: usize, x: &[f64]| match &neighbours[v][..] {
                    [] => x[v],
                    all => all.iter().map(|&u| x[u]).sum::<f64>() / all.len() as f64,
                };
                row.sort_by(|&a, &b| wish(a, &x).total_cmp(&wish(b, &x)));
                spread(row, &mut x);
            };
            match sweep % 2 {
                0 => rows.iter_mut().for_each(&mut order),
                _ => rows.iter_mut().rev().for_each(&mut order),
            }
        }
        let characters = graph.vertices.iter().map(|v| v.label.chars().count()).max();
        let column = (0.08 * characters.unwrap_or(0) as f64 + 0.6).clamp(1.2, 4.0);
        let widest = rows.iter().map(Vec::len).max().unwrap_or(0);
        let width = column * widest as f64;
        let place = |v: usize| (width / 2.0 + column * x[v], -ROW * row[v] as f64);
        Self {
            of: index.iter().map(|(&id, &v)| (id, place(v))).collect(),
            width,
            height: ROW * rows.len() as f64,
        }
    }

    /// The place of a vertex.
    pub(super) fn get(&self, id: i64) -> Option<(f64, f64)> {
        self.of.get(&id).copied()
    }
}

/// Puts the vertices of a row beside one another, around the middle.
fn spread(row: &[usize], x: &mut [f64]) {
    let middle = (row.len() as f64 - 1.0) / 2.0;
    for (at, &v) in row.iter().enumerate() {
        x[v] = at as f64 - middle;
    }
}
