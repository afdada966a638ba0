//! Walks over the parts of a routine: vertices, decisions, statements, expressions, and places with their roles.
//!
//! [`Visit`] reads, [`VisitMut`] changes; one macro writes both, so that they visit the same parts. A method visits
//! the parts below; a method that overrides it does so by calling the function `walk_...` of its name. Parts come in
//! the order of evaluation: right sides before subscripts of targets before targets.
//!
//! ```
//! use cfg_core::builder::{ProgramBuilder, RoutineBuilder, expr::*};
//! use cfg_core::ir::{Place, ScalarType::{Integer, Real}};
//! use cfg_core::ir::visit::{PlaceRole, Visit, walk_place};
//!
//! /// The names of places, with their roles.
//! struct Names(Vec<(usize, PlaceRole)>);
//!
//! impl<'ir> Visit<'ir> for Names {
//!     fn visit_place(&mut self, place: &'ir Place, role: PlaceRole) {
//!         walk_place(self, place);
//!         self.0.push((place.var.index(), role));
//!     }
//! }
//!
//! let mut f = RoutineBuilder::new("f");
//! let (x, k) = (f.inout("x", Real.array([3])), f.input("k", Integer));
//! f.assign(x.at(k), sin(x.at(1)));
//! let mut program = ProgramBuilder::new();
//! let f = program.add(f);
//! let program = program.finish()?;
//! let mut names = Names(Vec::new());
//! names.visit_routine(program.routine(f));
//! let (x, k) = (0, 1);
//! let expected = [(x, PlaceRole::Read), (k, PlaceRole::Address), (x, PlaceRole::Define { whole: false })];
//! assert_eq!(names.0, expected);
//! # Ok::<(), cfg_core::diagnostic::Diagnostics>(())
//! ```

use super::{
    Cfg, Expr, LoopTest, OpClass, Place, Routine, Selector, Stmt, StmtKind, Subscript, Vertex,
    VertexKind,
};
use crate::entity::{RoutineId, VarId, VertexId};

mod names;

pub use names::{each_name, each_place, each_written, each_written_if};

/// The role in which a statement or a decision names a place or a variable. For a place through a pointer
/// ([`Place::is_through_pointer`]), the role is that of its target; the variable itself is an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PlaceRole {
    /// The place is named for its value, which is read.
    Read,
    /// The place is named for its shape or its presence, not for its value: the first operand of an inquiry.
    Shape,
    /// The place stands in a subscript: its value is read to find another place.
    Address,
    /// The address of the place is taken: it is not read here, and may be read and written through the pointer from
    /// now on.
    AddressTaken,
    /// The place is overwritten. `whole` is true if it has no subscripts, so that no part of the old value is left.
    Define {
        /// True if all of the variable is overwritten.
        whole: bool,
    },
    /// The place is read and then overwritten: the pointer that a `resize` changes; `whole` as in
    /// [`PlaceRole::Define`].
    Renew {
        /// True if all of the variable is overwritten.
        whole: bool,
    },
    /// The variable may be overwritten with an unknown value, by an opaque statement.
    Clobber,
    /// The place is bound by reference to a formal of a routine; the formal's intent tells whether it is read and
    /// written there.
    Bind {
        /// The routine that is called.
        callee: RoutineId,
        /// Position of the formal among the parameters.
        formal: usize,
    },
    /// The value of the place is pushed.
    Push,
    /// The place is overwritten by the popped value; `whole` as in [`PlaceRole::Define`].
    Pop {
        /// True if all of the variable is overwritten.
        whole: bool,
    },
    /// The variable is the tape that is pushed to or popped from.
    Tape,
}

impl PlaceRole {
    /// True if the earlier value of the place may be used. A formal counts as read by its routine.
    pub fn reads(self) -> bool {
        match self {
            Self::Read
            | Self::Address
            | Self::Renew { .. }
            | Self::Bind { .. }
            | Self::Push
            | Self::Tape => true,
            Self::Shape
            | Self::AddressTaken
            | Self::Define { .. }
            | Self::Clobber
            | Self::Pop { .. } => false,
        }
    }

    /// True if the place may have another value afterwards. A formal counts as written by its routine.
    pub fn writes(self) -> bool {
        match self {
            Self::Define { .. }
            | Self::Renew { .. }
            | Self::Clobber
            | Self::Bind { .. }
            | Self::Pop { .. }
            | Self::Tape => true,
            Self::Read | Self::Shape | Self::Address | Self::AddressTaken | Self::Push => false,
        }
    }
}

fn vertices(cfg: &Cfg) -> impl Iterator<Item = &Vertex> {
    cfg.vertices().map(|(_, vertex)| vertex)
}

fn vertices_mut(cfg: &mut Cfg) -> impl Iterator<Item = &mut Vertex> {
    cfg.vertices_mut()
}

macro_rules! visitor {
    (
        $(#[$about:meta])*
        $Visit:ident $(<$ir:lifetime>)?, [$($r:tt)+], [$($b:tt)+], $iter:ident, $as:ident, $exprs:ident, $vertices:ident,
        $routine:ident, $vertex:ident, $decision:ident, $test:ident, $statement:ident, $expr:ident, $place:ident
    ) => {
        $(#[$about])*
        pub trait $Visit$(<$ir>)? {
            /// A routine: extents of its variables, the facts about an external one, its graph.
            fn visit_routine(&mut self, routine: $($r)+ Routine) {
                $routine(self, routine);
            }

            /// A vertex.
            fn visit_vertex(&mut self, id: VertexId, vertex: $($r)+ Vertex) {
                let _ = id;
                $vertex(self, vertex);
            }

            /// The test of a LOOP or the selector of a BRANCH; other vertices have nothing below it.
            fn visit_decision(&mut self, kind: $($r)+ VertexKind) {
                $decision(self, kind);
            }

            /// The test by which a LOOP enters its body.
            fn visit_test(&mut self, test: $($r)+ LoopTest) {
                $test(self, test);
            }

            /// A statement.
            fn visit_statement(&mut self, statement: $($r)+ Stmt) {
                $statement(self, statement);
            }

            /// An expression. `role` is the role of the place if the expression is just a place.
            fn visit_expr(&mut self, e: $($r)+ Expr, role: PlaceRole) {
                $expr(self, e, role);
            }

            /// A place.
            fn visit_place(&mut self, place: $($r)+ Place, role: PlaceRole) {
                let _ = role;
                $place(self, place);
            }

            /// A variable that is named outside of places: the index of a counted loop, a tape, the variables of an
            /// opaque statement, the parameter of a given partial.
            fn visit_variable(&mut self, v: $($r)+ VarId, role: PlaceRole) {
                let _ = (v, role);
            }
        }

        /// The parts of a routine.
        pub fn $routine<$($ir,)? V: $Visit$(<$ir>)? + ?Sized>(visit: &mut V, routine: $($r)+ Routine) {
            for variable in routine.variables.$iter() {
                for dim in variable.shape.$iter() {
                    visit.visit_expr($($b)+ dim.lower, PlaceRole::Address);
                    match $($b)+ dim.extent {
                        super::Extent::Fixed(e) => visit.visit_expr(e, PlaceRole::Address),
                        super::Extent::Deferred => {}
                    }
                }
            }
            if let Some(external) = $($b)+ routine.external {
                if let Some(value) = $($b)+ external.value {
                    visit.visit_expr(value, PlaceRole::Read);
                }
                for partial in external.partials.$iter().flatten() {
                    visit.visit_variable($($b)+ partial.parameter, PlaceRole::Read);
                    visit.visit_expr($($b)+ partial.value, PlaceRole::Read);
                }
            }
            if let Some(cfg) = $($b)+ routine.body {
                for (v, vertex) in $vertices(cfg).enumerate() {
                    visit.visit_vertex(VertexId::new(v), vertex);
                }
            }
        }

        /// The statements of a vertex, or its decision.
        pub fn $vertex<$($ir,)? V: $Visit$(<$ir>)? + ?Sized>(visit: &mut V, vertex: $($r)+ Vertex) {
            match $($b)+ vertex.kind {
                VertexKind::Block(statements) => {
                    for statement in statements.$iter() {
                        visit.visit_statement(statement);
                    }
                }
                kind @ (VertexKind::Loop { .. } | VertexKind::Branch(_)) => visit.visit_decision(kind),
                VertexKind::Entry
                | VertexKind::Exit
                | VertexKind::EndLoop
                | VertexKind::EndBranch => {}
            }
        }

        /// The test of a LOOP, or the selector of a BRANCH.
        pub fn $decision<$($ir,)? V: $Visit$(<$ir>)? + ?Sized>(visit: &mut V, kind: $($r)+ VertexKind) {
            match kind {
                VertexKind::Loop { form: _, test } => visit.visit_test(test),
                VertexKind::Branch(selector) => match selector.$as() {
                    Selector::Condition(e) | Selector::Cases { value: e, arms: _ } => {
                        visit.visit_expr(e, PlaceRole::Read);
                    }
                },
                VertexKind::Entry
                | VertexKind::Exit
                | VertexKind::Block(_)
                | VertexKind::EndLoop
                | VertexKind::EndBranch => {}
            }
        }

        /// The expressions that a LOOP tests, then the index of a counted one.
        pub fn $test<$($ir,)? V: $Visit$(<$ir>)? + ?Sized>(visit: &mut V, test: $($r)+ LoopTest) {
            match test {
                LoopTest::Pre(e) | LoopTest::Post(e) => visit.visit_expr(e, PlaceRole::Read),
                LoopTest::Counted {
                    index,
                    first,
                    last,
                    step,
                } => {
                    for e in [first, last, step] {
                        visit.visit_expr(e, PlaceRole::Read);
                    }
                    visit.visit_variable(index, PlaceRole::Define { whole: true });
                }
            }
        }

        /// The parts of a statement, in the order of evaluation.
        pub fn $statement<$($ir,)? V: $Visit$(<$ir>)? + ?Sized>(visit: &mut V, statement: $($r)+ Stmt) {
            match $($b)+ statement.kind {
                StmtKind::Assign { target, value } => {
                    visit.visit_expr(value, PlaceRole::Read);
                    let whole = target.subscripts.is_empty();
                    visit.visit_place(target, PlaceRole::Define { whole });
                }
                StmtKind::Call {
                    callee,
                    arguments,
                    result,
                } => {
                    for (formal, argument) in arguments.$iter().enumerate() {
                        if let Some(e) = argument {
                            let callee = *callee;
                            visit.visit_expr(e, PlaceRole::Bind { callee, formal });
                        }
                    }
                    if let Some(result) = result {
                        let whole = result.subscripts.is_empty();
                        visit.visit_place(result, PlaceRole::Define { whole });
                    }
                }
                StmtKind::Push {
                    tape,
                    class: _,
                    value,
                } => {
                    visit.visit_expr(value, PlaceRole::Push);
                    visit.visit_variable(tape, PlaceRole::Tape);
                }
                StmtKind::Pop {
                    tape,
                    class: _,
                    target,
                } => {
                    visit.visit_variable(tape, PlaceRole::Tape);
                    let whole = target.subscripts.is_empty();
                    visit.visit_place(target, PlaceRole::Pop { whole });
                }
                StmtKind::Opaque {
                    text: _,
                    reads,
                    writes,
                } => {
                    for v in reads.$iter() {
                        visit.visit_variable(v, PlaceRole::Read);
                    }
                    for v in writes.$iter() {
                        visit.visit_variable(v, PlaceRole::Clobber);
                    }
                }
                StmtKind::Stop { text: _ } => {}
                StmtKind::Allocate {
                    pointer,
                    count,
                    zeroed: _,
                } => {
                    visit.visit_expr(count, PlaceRole::Read);
                    let whole = pointer.subscripts.is_empty();
                    visit.visit_place(pointer, PlaceRole::Define { whole });
                }
                StmtKind::Free { pointer } => visit.visit_place(pointer, PlaceRole::Read),
                StmtKind::Resize { pointer, count } => {
                    visit.visit_expr(count, PlaceRole::Read);
                    let whole = pointer.subscripts.is_empty();
                    visit.visit_place(pointer, PlaceRole::Renew { whole });
                }
            }
        }

        /// The operands of an expression, or its place. Operands are read, but for the first one of an inquiry; in a
        /// subscript they stay addresses.
        pub fn $expr<$($ir,)? V: $Visit$(<$ir>)? + ?Sized>(visit: &mut V, e: $($r)+ Expr, role: PlaceRole) {
            match e {
                Expr::Int(_)
                | Expr::Real(_)
                | Expr::Real32(_)
                | Expr::Logical(_)
                | Expr::Null(_) => {}
                Expr::Place(place) => visit.visit_place(place, role),
                Expr::Addr(place) => visit.visit_place(place, PlaceRole::AddressTaken),
                Expr::Op(op, operands) => {
                    let below = match role {
                        PlaceRole::Address => PlaceRole::Address,
                        PlaceRole::Read
                        | PlaceRole::Shape
                        | PlaceRole::AddressTaken
                        | PlaceRole::Define { .. }
                        | PlaceRole::Renew { .. }
                        | PlaceRole::Clobber
                        | PlaceRole::Bind { .. }
                        | PlaceRole::Push
                        | PlaceRole::Pop { .. }
                        | PlaceRole::Tape => PlaceRole::Read,
                    };
                    let asks = op.class() == OpClass::Inquiry;
                    for (i, e) in operands.$iter().enumerate() {
                        let role = if asks && i == 0 { PlaceRole::Shape } else { below };
                        visit.visit_expr(e, role);
                    }
                }
            }
        }

        /// The subscripts of a place.
        pub fn $place<$($ir,)? V: $Visit$(<$ir>)? + ?Sized>(visit: &mut V, place: $($r)+ Place) {
            for e in place.subscripts.$iter().flat_map(Subscript::$exprs) {
                visit.visit_expr(e, PlaceRole::Address);
            }
        }
    };
}

visitor! {
    /// A visitor that reads the parts of a routine.
    Visit<'ir>, [&'ir], [&], iter, as_ref, exprs, vertices,
    walk_routine, walk_vertex, walk_decision, walk_test, walk_statement, walk_expr, walk_place
}

visitor! {
    /// A visitor that changes the parts of a routine. The graph and the list of variables stay as they are.
    VisitMut, [&mut], [&mut], iter_mut, as_mut, exprs_mut, vertices_mut,
    walk_routine_mut, walk_vertex_mut, walk_decision_mut, walk_test_mut, walk_statement_mut, walk_expr_mut, walk_place_mut
}
