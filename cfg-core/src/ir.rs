//! The program representation.
//!
//! A [`Program`] has routines and global variables. A [`Routine`] has variables and, unless it is
//! external, a control-flow graph ([`Cfg`]) whose vertices hold [`Stmt`]s over [`Expr`]s.
//!
//! - **Entities are indices.** Variables, vertices, edges and routines live in arenas; analyses keep
//!   what they find in side tables, never inside the IR.
//! - **The edge is the entity** that the reversal works on: it has an identity, an out-label and
//!   annotations of its own, and parallel edges exist.
//! - **A graph is immutable** once built ([`Cfg::new`] computes both adjacency lists); transformations
//!   build new programs.
//! - **A place is a variable and its projections**: subscripts, fields, steps through pointers. In a program without
//!   records and pointers, a place has at most one list of subscripts.
//! - **Storage is a descriptor**: an array variable is a base with an offset, lower bounds, extents and
//!   strides. Formals and sections are views of the same cells, so a formal may have another rank than
//!   its actual, and a shadow (adjoint, tangent) view follows its primal view.
//! - A `Program` may break rules; [`crate::validate`] finds all that are broken. Nothing here panics on
//!   a program that breaks them.

mod astray;
mod c_source;
mod cfg;
mod comments;
mod expr;
mod fields;
mod ids;
mod op;
mod origin;
mod original_roles;
mod program;
mod record;
mod scalar;
mod signature;
mod span;
mod stmt;
mod types;
mod vertex;
pub mod visit;

pub use astray::Astray;
pub use c_source::{CDeclaration, CGlobal, CHead, CLeftOut, CParameter};
pub use cfg::{Cfg, Control, Edge};
pub use comments::{SourceComment, SourceComments};
pub use expr::{Expr, Place, Range, Subscript};
pub use fields::{Leaf, Level, Part};
pub use ids::{FreshIds, MAX_ID, complete_edge_ids, keep_edge_ids};
pub(crate) use op::operator_table;
pub use op::{Conversion, Domain, Op, OpClass, OpInfo, Operands, RealFunctions};
pub use origin::{NameOrigin, NameRole, OtherRole, StatementOrigin};
pub use original_roles::original_roles;
pub use program::{
    Derivatives, External, Global, Intent, Overlay, Partial, Program, Role, Routine, Variable,
};
pub use record::{Field, Record};
pub use scalar::{AnyInt, IntType, PointerType, ScalarType};
pub use signature::{ParameterRole, Signature};
pub use span::{At, Span};
pub use stmt::{ControlWidth, Stmt, StmtKind, TapeClass};
pub use types::{Dim, Extent, Order};
pub use vertex::{
    Arm, CaseRange, Checkpoint, INDEPENDENT, LoopForm, LoopTest, Origin, OriginRole, Selector,
    Vertex, VertexKind, VertexType,
};

/// Free-form data of a front end (pragmas, types of its own), kept by every
/// transformation and written back at the matching element.
pub type Annotations = Option<Box<serde_json::Map<String, serde_json::Value>>>;
