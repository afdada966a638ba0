//! Building programs in Rust, for front ends.
//!
//! A [`ProgramBuilder`] collects globals and routines; a [`RoutineBuilder`] writes one routine from top to bottom:
//! variables, statements, loops and branches. Vertices are numbered from 1 in the order in which they come into being,
//! ENTRY first and EXIT last. A graph that is built this way keeps Definition 1; [`ProgramBuilder::finish`] reports
//! constructs that are left open or closed twice.
//!
//! Loops and branches can be written with closures, or with `begin_...` and `end_...` calls, which a
//! front end with a stack of its own can nest without limit. Expressions deeper than
//! [`Expr::MAX_DEPTH`](crate::ir::Expr::MAX_DEPTH) are split into temporaries.
//!
//! ```
//! use cfg_core::builder::{ProgramBuilder, RoutineBuilder, expr::*};
//! use cfg_core::ir::ScalarType::{Integer, Logical, Real};
//!
//! // The example of Naumann et al. 2004, section 2.
//! let mut f = RoutineBuilder::new("f");
//! let x = f.input("x", Real.array([2]));
//! let y = f.output("y", Real.array([3]));
//! let i = f.local("i", Integer);
//! let more = f.local("more", Logical);
//! f.independents([x]).dependents([y]);
//! f.assign(i, 1);
//! f.block(); // the next statement starts a new vertex
//! f.assign(more, lt(i, 3));
//! f.while_loop(more, |f| {
//!     f.if_else(
//!         lt(i, 2),
//!         |f| f.assign(y.at(2), sin(x.at(1))),
//!         |f| f.assign(y.at(1), cos(x.at(2))),
//!     );
//!     f.assign(i, i + 1);
//!     f.assign(more, lt(i, 3));
//! });
//! f.assign(y.at(3), y.at(1) * y.at(2));
//!
//! let mut program = ProgramBuilder::new();
//! let f = program.add(f);
//! let program = program.finish()?;
//! assert_eq!(program.routine(f).body.as_ref().map(|g| g.vertex_count()), Some(12));
//! # Ok::<(), cfg_core::diagnostic::Diagnostics>(())
//! ```
//!
//! Jumps are written where they happen: [`break_loop`](RoutineBuilder::break_loop),
//! [`continue_loop`](RoutineBuilder::continue_loop), [`return_now`](RoutineBuilder::return_now), and
//! [`goto`](RoutineBuilder::goto) a [`Label`]. A routine whose graph is not structured because of them is
//! declared general, and is reversed like any other.
//!
//! ```
//! use cfg_core::builder::{ProgramBuilder, RoutineBuilder, expr::*};
//! use cfg_core::ir::{Control, ScalarType::{Integer, Real}};
//!
//! // y = the product of the elements of x up to the first that is negative; those that are 1 are skipped.
//! let mut f = RoutineBuilder::new("f");
//! let n = f.input("n", Integer);
//! let x = f.input("x", Real.array([n]));
//! let y = f.output("y", Real);
//! let i = f.local("i", Integer);
//! f.independents([x]).dependents([y]);
//! f.assign(y, 1.0);
//! f.for_loop(i, 1, n, |f| {
//!     f.if_then(lt(x.at(i), 0.0), |f| f.break_loop());
//!     f.if_then(eq(x.at(i), 1.0), |f| f.continue_loop());
//!     f.assign(y, y * x.at(i));
//! });
//!
//! let mut program = ProgramBuilder::new();
//! let f = program.add(f);
//! let program = program.finish()?;
//! assert_eq!(program.routine(f).control, Control::General);
//! # Ok::<(), cfg_core::diagnostic::Diagnostics>(())
//! ```

mod branches;
pub mod expr;
mod finish;
mod jumps;
mod loops;
mod routine;
mod split;
mod statements;
#[cfg(test)]
mod tests;

pub use branches::ArmBuilder;
pub use routine::{Label, RoutineBuilder};

use crate::{
    codes,
    diagnostic::{Diagnostic, Diagnostics},
    entity::{GlobalId, RecordId, RoutineId},
    ir::{
        Annotations, Dim, Expr, Field, Global, Order, Overlay, Program, Record, Role, Routine,
        ScalarType, Span, Variable,
    },
    validate::{self, ValidProgram},
};
use std::sync::Arc;

/// Type and shape of a variable to be declared; made from a [`ScalarType`].
#[derive(Clone, Debug, PartialEq)]
pub struct VarType {
    /// Type of the scalar or of the elements.
    pub ty: ScalarType,
    /// The dimensions; empty for a scalar.
    pub shape: Vec<Dim>,
    /// The storage order of the elements.
    pub order: Order,
}

impl VarType {
    /// The type in column order (Fortran's); row order is the default.
    #[must_use]
    pub fn column(mut self) -> Self {
        self.order = Order::Column;
        self
    }

    fn variable(self, name: impl Into<String>, role: Role) -> Variable {
        Variable {
            order: self.order,
            ..Variable::new(name, self.ty, self.shape, role)
        }
    }
}

impl From<ScalarType> for VarType {
    fn from(ty: ScalarType) -> Self {
        Self {
            ty,
            shape: Vec::new(),
            order: Order::Row,
        }
    }
}

impl ScalarType {
    /// An array of this type, for builders: `Real.array([2])`, `Real.array([Dim::from(n)])`,
    /// `Integer.array([0..=9])`.
    pub fn array<D: Into<Dim>>(self, dims: impl IntoIterator<Item = D>) -> VarType {
        VarType {
            ty: self,
            shape: dims.into_iter().map(Into::into).collect(),
            order: Order::Row,
        }
    }
}

/// Collects the routines and globals of a program. See [the module page](self).
#[derive(Debug, Default)]
pub struct ProgramBuilder {
    program: Program,
    /// True for each routine that is defined, false if it is declared only.
    defined: Vec<bool>,
    problems: Diagnostics,
}

impl ProgramBuilder {
    /// An empty program.
    pub fn new() -> Self {
        Self::default()
    }

    /// Declares a routine that is defined later, so that calls can name it (recursion, forward
    /// references).
    pub fn declare(&mut self, name: impl Into<String>) -> RoutineId {
        self.program.routines.push(Routine {
            name: name.into(),
            ..Routine::default()
        });
        self.defined.push(false);
        RoutineId::new(self.program.routines.len() - 1)
    }

    /// Adds a routine.
    pub fn add(&mut self, routine: RoutineBuilder) -> RoutineId {
        let id = self.declare(String::new());
        self.define(id, routine);
        id
    }

    /// Defines a routine that was declared.
    pub fn define(&mut self, id: RoutineId, routine: RoutineBuilder) {
        let routine = match routine.finish() {
            Ok(routine) => routine,
            Err(problems) => {
                self.problems.0.extend(problems.0);
                Routine::default()
            }
        };
        match self.defined.get_mut(id.index()) {
            Some(defined) if !*defined => {
                *defined = true;
                self.program.routines[id.index()] = routine;
            }
            _ => self.problems.push(Diagnostic::error(
                &codes::BUILDER,
                format!(
                    "routine {} is defined for {id}, which is not declared or has a definition",
                    routine.name
                ),
                "declare each routine once and define it once",
            )),
        }
    }

    /// Adds a record type with these fields, and gives the type.
    ///
    /// ```
    /// use cfg_core::builder::{ProgramBuilder, RoutineBuilder, VarType, expr::*};
    /// use cfg_core::ir::ScalarType::Real;
    ///
    /// let mut program = ProgramBuilder::new();
    /// let fields: [(&str, VarType); 2] = [("x", Real.into()), ("v", Real.array([2]).into())];
    /// let point = program.record("Point", fields);
    /// let mut f = RoutineBuilder::new("f");
    /// let a = f.input("a", point.array([3]));
    /// let y = f.output("y", Real);
    /// f.assign(y, a.at(1).field("x") + a.at(2).field("v").at(1));
    /// program.add(f);
    /// let program = program.finish()?;
    /// assert!(program.to_string().contains("y := a[1].x + a[2].v[1]"));
    /// # Ok::<(), cfg_core::diagnostic::Diagnostics>(())
    /// ```
    pub fn record<N: Into<String>, T: Into<VarType>>(
        &mut self,
        name: impl Into<String>,
        fields: impl IntoIterator<Item = (N, T)>,
    ) -> ScalarType {
        let record = self.declare_record(name);
        self.fields(record, fields);
        record
    }

    /// Adds a record type whose fields [`fields`](Self::fields) adds later, for records that point to each other.
    ///
    /// ```
    /// use cfg_core::builder::{ProgramBuilder, RoutineBuilder, expr::*};
    /// use cfg_core::ir::{PointerType, ScalarType::{Pointer, Real}};
    ///
    /// let mut program = ProgramBuilder::new();
    /// let node = program.declare_record("Node");
    /// let link = PointerType::to(node).expect("a record");
    /// program.fields(node, [("value", Real), ("next", Pointer(link))]);
    /// let mut f = RoutineBuilder::new("f");
    /// let p = f.inout("p", Pointer(link));
    /// let y = f.output("y", Real);
    /// f.assign(y, 0.0);
    /// f.while_loop(ne(p, null(link)), |f| {
    ///     f.assign(y, y + p.deref().field("value"));
    ///     f.assign(p, p.deref().field("next"));
    /// });
    /// program.add(f);
    /// let program = program.finish()?;
    /// assert!(program.to_string().contains("p := p^.next"));
    /// # Ok::<(), cfg_core::diagnostic::Diagnostics>(())
    /// ```
    pub fn declare_record(&mut self, name: impl Into<String>) -> ScalarType {
        let id = RecordId::new(self.program.records.len());
        self.program.records.push(Record {
            name: name.into(),
            fields: Vec::new(),
        });
        ScalarType::Record(id)
    }

    /// Adds fields behind the last one of a record of this program. Of a type that is no such record, nothing changes.
    pub fn fields<N: Into<String>, T: Into<VarType>>(
        &mut self,
        record: ScalarType,
        fields: impl IntoIterator<Item = (N, T)>,
    ) {
        let records = &mut self.program.records;
        let Some(record) = record.record().and_then(|r| records.get_mut(r.index())) else {
            return;
        };
        let field = |(name, ty): (N, T)| {
            let Variable {
                name, ty, shape, ..
            } = ty.into().variable(name, Role::Local);
            Field { name, ty, shape }
        };
        record.fields.extend(fields.into_iter().map(field));
    }

    /// Adds a global variable; uninitialised at the start unless [`Self::initialize`] is called.
    pub fn global(&mut self, name: impl Into<String>, ty: impl Into<VarType>) -> GlobalId {
        let id = GlobalId::new(self.program.globals.len());
        self.program.globals.push(Global {
            variable: ty.into().variable(name, Role::Global(id)),
            initial: None,
            overlay: None,
        });
        id
    }

    /// Initial values of a global in storage order; one value stands for all elements.
    pub fn initialize<E: Into<Expr>>(
        &mut self,
        global: GlobalId,
        values: impl IntoIterator<Item = E>,
    ) {
        if let Some(global) = self.program.globals.get_mut(global.index()) {
            global.initial = Some(values.into_iter().map(Into::into).collect());
        }
    }

    /// Lets a global share the storage of another (EQUIVALENCE, COMMON under several names).
    pub fn overlay(&mut self, global: GlobalId, overlay: Overlay) {
        if let Some(global) = self.program.globals.get_mut(global.index()) {
            global.overlay = Some(overlay);
        }
    }

    /// Names a source that the program is made from; returns the number by which spans name it.
    pub fn source(&mut self, name: impl Into<String>) -> u32 {
        let number = self.program.sources.len();
        self.program.sources.push(name.into());
        u32::try_from(number).unwrap_or(u32::MAX)
    }

    /// The piece of a source that the declaration of a global stands for.
    pub fn global_span(&mut self, global: GlobalId, span: Span) {
        if let Some(global) = self.program.globals.get_mut(global.index()) {
            global.variable.at = Some(Arc::new(span));
        }
    }

    /// Free-form data of the front end for a global.
    pub fn global_annotations(&mut self, global: GlobalId, annotations: Annotations) {
        if let Some(global) = self.program.globals.get_mut(global.index()) {
            global.variable.annotations = annotations;
        }
    }

    /// Marks the routine to differentiate.
    pub fn main(&mut self, routine: RoutineId) {
        self.program.main = Some(routine);
    }

    /// The program so far: globals, and the routines that are defined.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// The program, validated.
    ///
    /// # Errors
    /// The errors are those of [`Self::into_program`]; if there are none, all problems that validation finds.
    pub fn finish(self) -> Result<ValidProgram, Diagnostics> {
        validate::validate(self.into_program()?)
    }

    /// The program, not validated.
    ///
    /// # Errors
    /// All constructs that were left open and all routines that were not defined.
    pub fn into_program(mut self) -> Result<Program, Diagnostics> {
        for (routine, defined) in self.program.routines.iter().zip(&self.defined) {
            if !defined {
                self.problems.push(Diagnostic::error(
                    &codes::BUILDER,
                    format!("routine {} is declared but not defined", routine.name),
                    "define it, or declare it external",
                ));
            }
        }
        if self.problems.is_empty() {
            Ok(self.program)
        } else {
            Err(self.problems)
        }
    }
}
