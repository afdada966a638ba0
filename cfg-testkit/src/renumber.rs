//! Other ids for the vertices and edges of a program, and vertices in another order.

use crate::rng::Rng;
use cfg_core::entity::VertexId;
use cfg_core::ir::{Cfg, MAX_ID, Program};
use std::collections::BTreeSet;

/// Gives vertices and edges random ids: small ones, ones at the ends of the range, and for some edges none, so
/// that a new edge or a new position collides with a given id where a transformation does not take care.
pub fn renumber(program: &mut Program, rng: &mut Rng) {
    for routine in &mut program.routines {
        let Some(cfg) = routine.body.take() else {
            continue;
        };
        let (mut vertices, mut edges) = cfg.into_parts();
        let mut taken = BTreeSet::from([0]);
        let mut number = vec![0; vertices.len()];
        for (v, id) in number.iter_mut().enumerate() {
            *id = fresh(rng, 2 * v as i64 + 4, &mut taken);
        }
        for (vertex, id) in vertices.iter_mut().zip(number) {
            vertex.id = id;
        }
        let percent = [0, 10, 50, 100][rng.below(4)];
        let named: Vec<bool> = edges.iter().map(|_| rng.percent(percent)).collect();
        let positions = (0..edges.len() as i64).filter(|&e| !named[e as usize]);
        let mut taken: BTreeSet<i64> = positions.collect();
        let n = edges.len() as i64;
        for (edge, named) in edges.iter_mut().zip(named) {
            edge.id = named.then(|| fresh(rng, 2 * n + 4, &mut taken));
        }
        routine.body = Cfg::new(vertices, edges);
    }
}

/// Lists the vertices of each graph in a random order.
pub fn shuffle(program: &mut Program, rng: &mut Rng) {
    for routine in &mut program.routines {
        let Some(cfg) = routine.body.take() else {
            continue;
        };
        let (vertices, mut edges) = cfg.into_parts();
        let mut new: Vec<usize> = (0..vertices.len()).collect();
        rng.shuffle(&mut new);
        for edge in &mut edges {
            for end in [&mut edge.from, &mut edge.to] {
                *end = VertexId::new(new[end.index()]);
            }
        }
        let mut placed: Vec<_> = new.into_iter().zip(vertices).collect();
        placed.sort_by_key(|(k, _)| *k);
        let vertices = placed.into_iter().map(|(_, vertex)| vertex).collect();
        routine.body = Cfg::new(vertices, edges);
    }
}

/// An id that is not taken, mostly within ± `small`.
fn fresh(rng: &mut Rng, small: i64, taken: &mut BTreeSet<i64>) -> i64 {
    loop {
        let id = match rng.below(8) {
            0 => MAX_ID - rng.between(0, 3),
            1 => rng.between(0, 3) - MAX_ID,
            2 => rng.between(-small, small),
            _ => rng.between(0, small),
        };
        if taken.insert(id) {
            return id;
        }
    }
}
