//! The text form of programs, which people write, and read in pictures, diagnostics, golden files and reviews.
//!
//! `Program`'s `Display` prints it, and `cfg_format::text::parse` reads it back; only annotations are lost. The
//! language is described in `docs/text.md`. Expressions are infix with no more parentheses than precedence asks for,
//! subscripts are in brackets, assignments use `:=`:
//!
//! ```text
//! y[3] := y[1]*y[2]
//! x_b[1] := x_b[1] + cos(x[1])*t
//! push[control 1] 1
//! branchId := pop[control 1]
//! ```
//!
//! | binds | operators |
//! |---|---|
//! | tightest | `**` (to the right) |
//! | | unary `-` |
//! | | `*`, `*!` (strong product: 0 if the left factor is 0), `/` |
//! | | `+`, `-` |
//! | | `==`, `!=`, `<`, `<=`, `>`, `>=` |
//! | | `not` |
//! | | `and` |
//! | loosest | `or` |
//!
//! All other operators are written as functions. A name that is not an identifier, or is one of the words that the
//! form uses itself, is put in double quotes with control characters escaped, so a name never breaks a line.
//!
//! ```
//! use cfg_core::ir::{Expr, Op, Place, Role, Routine, ScalarType, Variable};
//! use cfg_core::text;
//!
//! let mut f = Routine::default();
//! let x = f.add_variable(Variable::new("x", ScalarType::Real, vec![], Role::Local));
//! let sum = Expr::op(Op::Add, [Expr::var(x), Expr::Real(1.0)]);
//! let e = Expr::op(Op::Mul, [Expr::op(Op::Sin, [Expr::var(x)]), sum]);
//! assert_eq!(text::expr(&f, &e), "sin(x)*(x + 1.0)");
//! ```

mod body;
mod expr;
mod graph;
mod name;
pub mod precedence;
mod routine;
mod site;
mod stmt;

use crate::ir::{Expr, Place, Program, Routine, ScalarType, Stmt, Vertex};
use std::fmt::{self, Write};

pub use graph::Cases;
pub use name::{Name, Visible, is_invisible};
pub use site::site_text;

/// Prints the parts of one routine.
#[derive(Clone, Copy, Debug)]
pub struct Printer<'p> {
    routine: &'p Routine,
    /// The program, for the names of callees; without it they are printed as entities (`r3`).
    program: Option<&'p Program>,
    /// True if the routine has several tapes, so that pushes and pops name theirs; `None` is looked up at each push or
    /// pop.
    several_tapes: Option<bool>,
    /// True for text that is read back: a sum that is an operand of a sum stands in parentheses.
    exact: bool,
}

impl<'p> Printer<'p> {
    /// A printer for the statements and expressions of `routine`, a routine of `program`. Looks once at every
    /// variable; keep it when many statements are to be printed.
    pub fn new(program: &'p Program, routine: &'p Routine) -> Self {
        Self {
            routine,
            program: Some(program),
            several_tapes: Some(has_several_tapes(routine)),
            exact: false,
        }
    }

    /// [`Printer::new`], for text that is read back.
    fn exact(program: &'p Program, routine: &'p Routine) -> Self {
        Self {
            exact: true,
            ..Self::new(program, routine)
        }
    }

    /// A printer for one element. Variables are looked at only for pushes and pops, so that a caller who prints every
    /// statement of a long routine in this way does not take quadratic time.
    fn once(program: Option<&'p Program>, routine: &'p Routine) -> Self {
        Self {
            routine,
            program,
            several_tapes: None,
            exact: false,
        }
    }

    fn names_tapes(&self) -> bool {
        let several = self.several_tapes;
        several.unwrap_or_else(|| has_several_tapes(self.routine))
    }

    /// The expression, as a value to print.
    pub fn display_expr<'a>(&'a self, e: &'a Expr) -> impl fmt::Display + 'a {
        written(move |f| expr::write(f, self, e, precedence::LOOSEST, 0))
    }

    /// The place, as a value to print.
    pub fn display_place<'a>(&'a self, p: &'a Place) -> impl fmt::Display + 'a {
        written(move |f| expr::write_place(f, self, p, 0))
    }

    /// The statement, on one line, as a value to print.
    pub fn display_stmt<'a>(&'a self, s: &'a Stmt) -> impl fmt::Display + 'a {
        written(move |f| stmt::write(f, self, s))
    }

    /// The decision of a loop or branch in words (`while more`, `i = 1, n`, `i < 2`, `select k: ...`); nothing for
    /// other vertices.
    pub fn display_decision<'a>(&'a self, vertex: &'a Vertex) -> impl fmt::Display + 'a {
        written(move |f| graph::write_decision(f, self, vertex))
    }
}

/// The text that a function writes.
fn written<F: Fn(&mut fmt::Formatter<'_>) -> fmt::Result>(write: F) -> impl fmt::Display {
    Written(write)
}

struct Written<F>(F);

impl<F: Fn(&mut fmt::Formatter<'_>) -> fmt::Result> fmt::Display for Written<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (self.0)(f)
    }
}

fn has_several_tapes(routine: &Routine) -> bool {
    let variables = routine.variables.iter();
    let tapes = variables.filter(|v| v.ty == ScalarType::Tape);
    tapes.take(2).count() > 1
}

/// An expression of `routine`.
pub fn expr(routine: &Routine, e: &Expr) -> String {
    Printer::once(None, routine).display_expr(e).to_string()
}

/// A place of `routine`.
pub fn place_text(routine: &Routine, p: &Place) -> String {
    Printer::once(None, routine).display_place(p).to_string()
}

/// A statement of `routine`, which belongs to `program`; one line. Looks at every variable for a push or
/// pop: for many of them keep a [`Printer`].
pub fn stmt_text(routine: &Routine, program: &Program, s: &Stmt) -> String {
    Printer::once(Some(program), routine)
        .display_stmt(s)
        .to_string()
}

/// Writes a routine of `program`: head, variables, and one line per vertex with its successors,
/// statements below it.
///
/// # Errors
/// The errors are those of `out`.
pub fn routine(out: &mut impl Write, program: &Program, routine: &Routine) -> fmt::Result {
    routine::write(out, program, routine)
}

/// Writes a program: globals, then routines.
///
/// # Errors
/// The errors are those of `out`.
pub fn program(out: &mut impl Write, program: &Program) -> fmt::Result {
    routine::write_program(out, program)
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        program(f, self)
    }
}

#[cfg(test)]
mod tests;
