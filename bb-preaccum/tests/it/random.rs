//! Random graphs: with dependents that are read again, unit and constant edges, dead ends.

use bb_preaccum::lcg::{Kind, Lcg, NewEdge};
use cfg_core::random::SplitMix64;

/// Pseudo-random numbers.
pub(crate) struct Rng(SplitMix64);

impl Rng {
    pub(crate) fn new(seed: u64) -> Self {
        Self(SplitMix64::new(seed))
    }

    pub(crate) fn below(&mut self, bound: usize) -> usize {
        (self.0.bits() % bound as u64) as usize
    }
}

/// Sizes of a random graph.
#[derive(Clone, Copy)]
pub(crate) struct Shape {
    pub(crate) inputs: usize,
    pub(crate) middle: usize,
    pub(crate) outputs: usize,
    /// In-edges per vertex, at most.
    pub(crate) degree: usize,
    /// Whether dependents may be read again.
    pub(crate) read_dependents: bool,
}

pub(crate) fn graph(seed: u64, shape: Shape) -> Lcg {
    let mut rng = Rng::new(seed);
    let total = shape.inputs + shape.middle + shape.outputs;
    let is_output = |v: usize, places: &[usize]| {
        if shape.read_dependents {
            places.contains(&v)
        } else {
            v >= shape.inputs + shape.middle
        }
    };
    // Dependents anywhere behind the inputs, if they may be read.
    let mut places = Vec::new();
    while shape.read_dependents && places.len() < shape.outputs {
        let place = shape.inputs + rng.below(shape.middle + shape.outputs);
        if !places.contains(&place) {
            places.push(place);
        }
    }
    let mut edges = Vec::new();
    for v in shape.inputs..total {
        let sources = if shape.read_dependents {
            v
        } else {
            v.min(shape.inputs + shape.middle)
        };
        let mut seen = Vec::new();
        for _ in 0..1 + rng.below(shape.degree) {
            let source = rng.below(sources);
            if seen.contains(&source) {
                continue;
            }
            seen.push(source);
            let kind = match rng.below(4) {
                0 => Kind::Unit,
                1 => Kind::Constant,
                _ => Kind::Variable,
            };
            let negative = kind == Kind::Unit && rng.below(2) == 0;
            edges.push(NewEdge {
                source: source as i64,
                target: v as i64,
                kind,
                negative,
                tag: edges.len() as u32,
            });
        }
    }
    let inputs: Vec<i64> = (0..shape.inputs as i64).collect();
    let outputs: Vec<i64> = (0..total)
        .filter(|&v| is_output(v, &places))
        .map(|v| v as i64)
        .collect();
    Lcg::new(&format!("random {seed}"), &inputs, &outputs, edges).expect("valid by construction")
}

/// Shapes from tiny to medium.
pub(crate) fn shape(seed: u64) -> Shape {
    let mut rng = Rng::new(seed ^ 0x5555);
    Shape {
        inputs: 1 + rng.below(4),
        middle: 1 + rng.below(14),
        outputs: 1 + rng.below(4),
        degree: 1 + rng.below(4),
        read_dependents: rng.below(2) == 0,
    }
}
