//! Exact methods: the optimum over vertex elimination orders ([`vertex`], and [`subsets`] for small dense
//! graphs), over edge elimination sequences ([`edge`]), and over face elimination sequences ([`face`]).

pub(crate) mod astar;
mod degrees;
pub(crate) mod edge;
pub(crate) mod face;
pub(crate) mod subsets;
pub(crate) mod vertex;
