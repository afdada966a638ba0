//! New ids for vertices and edges that are added to a graph.
//!
//! An edge without an id has its position as its id. Where other edges have ids of their own, adding, removing or
//! moving edges could make two ids equal: [`crate::edit::Editor`] calls [`keep_edge_ids`] first, and
//! [`complete_edge_ids`] at the end.

use super::{Cfg, Edge};

/// Ids of vertices and edges are within ± this.
pub const MAX_ID: i64 = 1 << 53;

/// Hands out unused ids: first those above the largest |id|; beyond [`MAX_ID`], the smallest positive ones of which
/// neither the id nor its negative is taken.
#[derive(Clone, Debug)]
pub struct FreshIds {
    next: i64,
    /// The largest |id| that is taken.
    largest: i64,
    /// Every |id| that is taken, in descending order; empty if all new ids are above the largest.
    taken: Vec<i64>,
}

impl Default for FreshIds {
    fn default() -> Self {
        Self::beside(std::iter::empty())
    }
}

impl FreshIds {
    /// Ids beside the given ones.
    pub fn beside(ids: impl Iterator<Item = i64>) -> Self {
        let mut taken: Vec<i64> = ids.map(i64::saturating_abs).collect();
        let largest = taken.iter().copied().max().unwrap_or(0);
        if largest > MAX_ID / 2 {
            taken.sort_unstable_by(|a, b| b.cmp(a));
            taken.dedup();
        } else {
            // The free half of the range above has more ids than memory holds vertices.
            taken = Vec::new();
        }
        Self {
            next: largest.saturating_add(1),
            largest,
            taken,
        }
    }

    /// Ids beside those of the vertices of a graph, and of its adjoint graph.
    pub fn of_vertices(cfg: &Cfg) -> Self {
        Self::beside(cfg.vertices().map(|(_, v)| v.id))
    }

    /// Takes the next id.
    pub fn next_id(&mut self) -> i64 {
        if self.next > MAX_ID {
            self.next = 1;
        }
        if self.next <= self.largest {
            while let Some(&least) = self.taken.last()
                && least <= self.next
            {
                self.taken.pop();
                self.next += i64::from(least == self.next);
            }
        }
        let id = self.next;
        self.next += 1;
        id
    }
}

/// Writes into every edge the id that its position gives it, if some edge has an id of its own.
pub fn keep_edge_ids(edges: &mut [Edge]) {
    if edges.iter().any(|e| e.id.is_some()) {
        for (position, edge) in edges.iter_mut().enumerate() {
            edge.id.get_or_insert(position as i64);
        }
    }
}

/// Gives new ids to edges that have none, if some edge has one.
pub fn complete_edge_ids(edges: &mut [Edge]) {
    if edges.iter().all(|e| e.id.is_none()) {
        return;
    }
    let mut fresh = FreshIds::beside(edges.iter().filter_map(|e| e.id));
    for edge in edges.iter_mut().filter(|e| e.id.is_none()) {
        edge.id = Some(fresh.next_id());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entity::VertexId;
    use std::collections::HashSet;

    #[test]
    fn fresh_ids_are_new_and_in_range() {
        let cases: &[&[i64]] = &[
            &[],
            &[0],
            &[-7, 3, 7],
            &[MAX_ID],
            &[-MAX_ID, 1, 2, -4, 9],
            &[MAX_ID - 2, 1, 1, 3],
            &[MAX_ID - 1, -MAX_ID, -2],
        ];
        for ids in cases {
            let mut seen: HashSet<i64> = ids.iter().map(|id| id.abs()).collect();
            let mut fresh = FreshIds::beside(ids.iter().copied());
            for _ in 0..20 {
                let id = fresh.next_id();
                assert!((1..=MAX_ID).contains(&id), "{ids:?}: {id}");
                assert!(seen.insert(id), "{ids:?}: {id} twice");
            }
        }
    }

    #[test]
    fn edges_keep_their_ids_when_they_move() {
        let edge = |id| Edge {
            id,
            ..Edge::new(VertexId::new(0), VertexId::new(1), None)
        };
        let mut edges = vec![edge(None), edge(Some(5)), edge(None)];
        keep_edge_ids(&mut edges);
        edges.reverse();
        edges.push(edge(None));
        complete_edge_ids(&mut edges);
        let ids: Vec<_> = edges.iter().filter_map(|e| e.id).collect();
        assert_eq!(ids, [2, 5, 0, 6]);
        let mut plain = vec![edge(None), edge(None)];
        keep_edge_ids(&mut plain);
        complete_edge_ids(&mut plain);
        assert!(plain.iter().all(|e| e.id.is_none()));
    }
}
