//! Exact methods: the optimum over vertex elimination orders ([`vertex`]) and over edge elimination
//! sequences ([`edge`]).

pub(crate) mod edge;
pub(crate) mod vertex;
