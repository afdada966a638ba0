//! Regions that the reverse sweep does not run through, because the forward sweep carries their local Jacobians.
//!
//! A carried region acts like one statement: on the edge into it the values are recorded that it may overwrite and the
//! reverse sweep needs, on the edge out of it the entries of its Jacobian. In between nothing is recorded, and the
//! reverse sweep has no image of its vertices.

use cfg_core::{
    entity::{EdgeId, VertexId},
    ir::{Place, ScalarType, Stmt},
};
use fixedbitset::FixedBitSet;
use std::collections::HashMap;

use crate::plan::adjoints::Reads;

/// A region of a structured graph, with the scalars whose derivatives go in and come out.
#[derive(Clone, Debug)]
pub(crate) struct Region {
    /// The vertices, in the order of the graph.
    pub(crate) vertices: Vec<VertexId>,
    /// The only edge into the region.
    pub(crate) entry: EdgeId,
    /// The only edge out of it.
    pub(crate) exit: EdgeId,
    /// The places that the region may overwrite.
    pub(crate) written: Vec<Place>,
    /// The type of all places with derivatives.
    pub(crate) ty: ScalarType,
    /// The real places that have derivatives inside.
    pub(crate) places: Vec<Scalar>,
    /// The places by whose derivatives the region is differentiated.
    pub(crate) inputs: Vec<Input>,
    /// The places, by their numbers, whose derivatives are wanted behind the region.
    pub(crate) outputs: Vec<usize>,
}

/// A scalar, or an element whose subscripts the region does not change.
#[derive(Clone, Debug)]
pub(crate) struct Scalar {
    pub(crate) place: Place,
    /// True if the region assigns the place.
    pub(crate) is_written: bool,
    /// True if the value before the region may be read in it, or may be the value behind it.
    pub(crate) is_exposed: bool,
    /// True if the region only adds to the place: the partial by the value before the region is 1, and that value
    /// contributes to nothing else.
    pub(crate) is_sum: bool,
}

/// A place by whose derivatives a region is differentiated.
#[derive(Clone, Debug)]
pub(crate) struct Input {
    /// The number of the place.
    pub(crate) place: usize,
    /// The places, by their numbers, that may depend on it.
    pub(crate) varied: u64,
}

impl Region {
    /// The number of a place with a derivative.
    pub(crate) fn number(&self, place: &Place) -> Option<usize> {
        self.places.iter().position(|of| of.place == *place)
    }

    /// The number of entries of the Jacobian that may not be zero.
    pub(crate) fn entries(&self) -> usize {
        let outputs = |input: &Input| {
            let varied = |o: &&usize| input.varied & (1 << **o) != 0;
            self.outputs.iter().filter(varied).count()
        };
        self.inputs.iter().map(outputs).sum()
    }
}

/// The code at the ends of a region.
#[derive(Clone, Debug)]
pub(crate) struct Ends {
    /// The places that the region may overwrite.
    pub(crate) written: Vec<Place>,
    /// Statements of the forward sweep on the edge into the region.
    pub(crate) start: Vec<Stmt>,
    /// Statements of the forward sweep on the edge out of the region: the pushes of the entries.
    pub(crate) pushes: Vec<Stmt>,
    /// The adjoint of the region.
    pub(crate) adjoint: Vec<Stmt>,
    /// The locations that the adjoint reads.
    pub(crate) reads: Reads,
    /// The edge into the region.
    pub(crate) entry: EdgeId,
    /// The first vertex of the region.
    pub(crate) first: VertexId,
}

/// The regions of one routine whose Jacobians are carried.
#[derive(Clone, Debug, Default)]
pub(crate) struct Carried {
    pub(crate) regions: Vec<Ends>,
    inside: FixedBitSet,
    entered: HashMap<EdgeId, usize>,
    left: HashMap<EdgeId, usize>,
}

impl Carried {
    pub(crate) fn add(&mut self, region: &Region, ends: Ends) {
        let last = region.vertices.iter().map(|v| v.index() + 1).max();
        self.inside.grow(last.unwrap_or(0));
        self.inside
            .extend(region.vertices.iter().map(|v| v.index()));
        self.entered.insert(region.entry, self.regions.len());
        self.left.insert(region.exit, self.regions.len());
        self.regions.push(ends);
    }

    /// True for a vertex of a region.
    pub(crate) fn has(&self, v: VertexId) -> bool {
        self.inside.contains(v.index())
    }

    /// The number of the region that an edge enters.
    pub(crate) fn entered_by(&self, e: EdgeId) -> Option<usize> {
        self.entered.get(&e).copied()
    }

    /// The number of the region that an edge leaves.
    pub(crate) fn left_by(&self, e: EdgeId) -> Option<usize> {
        self.left.get(&e).copied()
    }
}
