//! The adjoints of basic blocks: statement by statement, or from their preaccumulated Jacobians.
//!
//! `statement` and `calls` write the adjoints of statements one by one. `survey` finds the `segments` of all blocks and
//! makes a graph of each (`lcg`), `elimination` searches for sequences, `jacobian` and `preaccumulated` write the code
//! of one segment. `carried` has loops and branches whose Jacobians the forward sweep carries. `results` lets adjoints
//! of statements read results in place of operands. `drafts` writes all routines, `choose` the cheapest way to do so by
//! its `price`.

pub(crate) mod calls;
pub(crate) mod carried;
pub(crate) mod choose;
pub(crate) mod drafts;
pub(crate) mod elimination;
pub(crate) mod jacobian;
pub(crate) mod lcg;
pub(crate) mod partners;
pub(crate) mod places;
pub(crate) mod preaccumulated;
pub(crate) mod price;
pub(crate) mod results;
pub(crate) mod segments;
pub(crate) mod statement;
pub(crate) mod survey;
