//! The adjoints of basic blocks: statement by statement, or from their preaccumulated Jacobians.

pub(crate) mod calls;
pub(crate) mod choose;
pub(crate) mod drafts;
pub(crate) mod elimination;
pub(crate) mod jacobian;
pub(crate) mod lcg;
pub(crate) mod places;
pub(crate) mod preaccumulated;
pub(crate) mod price;
pub(crate) mod segments;
pub(crate) mod statement;
pub(crate) mod survey;
