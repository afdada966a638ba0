//! Exact methods: the optimum over vertex elimination orders ([`vertex`], and [`subsets`] for small dense
//! graphs) and over edge elimination sequences ([`edge`]).

mod degrees;
pub(crate) mod edge;
pub(crate) mod subsets;
pub(crate) mod vertex;
