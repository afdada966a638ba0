//! Flat programs: no pointers, no records, no heap.
//!
//! Reversal, tangent, preaccumulation, executor, the back end for C and the tape checker take [`Flat`] programs, and
//! match only the variants that these can have: [`FlatStmt`], [`FlatExpr`], [`FlatSubscript`] and [`FlatType`] are
//! views of statements, expressions, subscripts and types without the variants of pointers and records.
//! `cfg_transform::flatten` makes a flat program of any valid one; [`Flat::check`] takes one that is flat as it is.
//! The [`Provenance`] of a flat program leads back to the programs that it was made from.
//!
//! ```
//! use cfg_core::builder::{ProgramBuilder, RoutineBuilder, expr::*};
//! use cfg_core::flat::{Flat, FlatStmt};
//! use cfg_core::ir::ScalarType::Real;
//!
//! let mut f = RoutineBuilder::new("f");
//! let (x, y) = (f.input("x", Real), f.output("y", Real));
//! f.assign(y, sin(x));
//! let mut program = ProgramBuilder::new();
//! let f = program.add(f);
//! let flat = Flat::check(program.finish()?)?;
//!
//! let statement = flat.routine(f).statements().next().expect("f has a statement");
//! assert!(matches!(FlatStmt::view(&statement.kind), FlatStmt::Assign { .. }));
//! # Ok::<(), cfg_core::diagnostic::Diagnostics>(())
//! ```

mod provenance;
mod view;

pub use provenance::{
    Parts, Provenance, RecordParts, RoutineParts, place_in_grouped, place_in_original,
};
pub use view::{Constant, FlatClass, FlatExpr, FlatStmt, FlatSubscript, FlatType};

use crate::{
    codes,
    diagnostic::{
        CodeInfo, Diagnostic, Diagnostics,
        site::{Element, Site},
    },
    entity::{GlobalId, RoutineId, VarId},
    ir::{Program, Variable},
    text,
    validate::ValidProgram,
};
use std::sync::Arc;

/// A valid program without pointers, records and heap, and its [`Provenance`]. A clone shares the program.
#[derive(Clone, Debug)]
pub struct Flat {
    program: Arc<ValidProgram>,
    provenance: Provenance,
}

impl Flat {
    /// The program as a flat one that was made from no other.
    ///
    /// # Errors
    /// V164: the program has pointers; V161: it has records. The first variable of such a type is named.
    pub fn check(program: ValidProgram) -> Result<Self, Diagnostics> {
        Self::made(program, Provenance::default())
    }

    /// The program as a flat one with this provenance.
    ///
    /// # Errors
    /// The errors are those of [`Flat::check`].
    pub fn made(program: ValidProgram, provenance: Provenance) -> Result<Self, Diagnostics> {
        refuse_pointers(&program)?;
        if program.has_record_variables() {
            let site = find_variable(&program, |v| v.ty.record().is_some());
            let help =
                "split them first: `cfg_transform::flatten`, or `cfgrev convert --records split`";
            return Err(refused(&program, &codes::RECORDS, "records", help, site));
        }
        Ok(Self {
            program: Arc::new(program),
            provenance,
        })
    }

    /// The programs that this one was made from.
    pub fn provenance(&self) -> &Provenance {
        &self.provenance
    }

    /// The program before its records were split; the program itself if it never had any. Routines and vertices have
    /// the same numbers in both.
    pub fn grouped(&self) -> &ValidProgram {
        match &self.provenance.records {
            Some((grouped, _)) => grouped,
            None => &self.program,
        }
    }

    /// The program with its records, and the variables that they became; `None` if it never had records.
    pub fn records(&self) -> Option<(&ValidProgram, &Parts)> {
        let (grouped, parts) = self.provenance.records.as_ref()?;
        Some((grouped, parts))
    }

    /// The program as if its source had no records: printed forms have a variable for each field.
    #[must_use]
    pub fn forget_records(mut self) -> Self {
        self.provenance.records = None;
        self
    }

    /// Moves problems of the program to the places of [`Flat::grouped`].
    #[must_use]
    pub fn place_in_grouped(&self, problems: Diagnostics) -> Diagnostics {
        if self.provenance.records.is_none() {
            return problems;
        }
        let placed = problems.0.into_iter();
        Diagnostics(placed.map(|p| place_in_grouped(&self.program, p)).collect())
    }

    /// Moves problems of [`Flat::grouped`] to the places of the program before its pointers were lowered, if it had
    /// some.
    #[must_use]
    pub fn place_in_original(&self, problems: Diagnostics) -> Diagnostics {
        let Some(original) = &self.provenance.pointers else {
            return problems;
        };
        let placed = problems.0.into_iter();
        let place = |p| place_in_original(original, self.grouped(), p);
        Diagnostics(placed.map(place).collect())
    }

    /// [`Flat::grouped`], by value.
    pub fn into_grouped(self) -> ValidProgram {
        let grouped = match self.provenance.records {
            Some((grouped, _)) => grouped,
            None => self.program,
        };
        Arc::unwrap_or_clone(grouped)
    }
}

impl std::ops::Deref for Flat {
    type Target = ValidProgram;
    fn deref(&self) -> &ValidProgram {
        &self.program
    }
}

/// Refuses pointers, for passes that come after `pools` has lowered them.
///
/// # Errors
/// V164: the first variable that is a pointer or has one in a field; the program, if it has no such variable but makes
/// pointers in expressions.
pub fn refuse_pointers(program: &ValidProgram) -> Result<(), Diagnostics> {
    if !program.has_pointers() {
        return Ok(());
    }
    let site = find_variable(program, |v| program.leads_elsewhere(v.ty));
    let help = "lower them first: `cfg_transform::flatten`, or `cfgrev convert --pointers lower`";
    Err(refused(program, &codes::POINTERS, "pointers", help, site))
}

/// The first global, else the first variable of a routine, for which the predicate holds.
fn find_variable(program: &Program, wanted: impl Fn(&Variable) -> bool) -> Option<Site> {
    let globals = program.globals.iter();
    if let Some(g) = globals.map(|g| &g.variable).position(&wanted) {
        return Some(Site::local(Element::Global(GlobalId::new(g))));
    }
    (program.routines.iter().enumerate()).find_map(|(r, routine)| {
        let v = routine.variables.iter().position(&wanted)?;
        let variable = Element::Variable(VarId::new(v));
        Some(Site::whole(RoutineId::new(r), variable))
    })
}

/// The problem that a program has pointers or records, at the first variable that is one.
fn refused(
    program: &Program,
    code: &'static CodeInfo,
    has: &str,
    help: &str,
    site: Option<Site>,
) -> Diagnostics {
    let message = format!("the program has {has}");
    let problem = Diagnostic::error(code, message, help);
    let Some(site) = site else {
        return problem.into();
    };
    let element = text::site_text(program, &site);
    problem.at_site_in(program, site).at_element(element).into()
}
