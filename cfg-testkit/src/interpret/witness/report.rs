//! The findings of a witness.

use super::sweep::Sweep;
use cfg_core::entity::RoutineId;
use std::fmt;

/// Findings that are kept in full; the rest is counted.
const KEPT: usize = 20;

/// A value that a reverse sweep read, and that is not the one that was there in the forward sweep.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stale {
    /// The original routine.
    pub original: RoutineId,
    /// The name of the reverse sweep.
    pub routine: String,
    /// The id of the vertex in the reverse sweep.
    pub vertex: i64,
    /// The position of the statement in [`cfg_core::ir::Routine::statements`] of the original; `None` for tests,
    /// bounds and inserted code.
    pub statement: Option<usize>,
    /// The name of the variable that is read.
    pub variable: String,
    /// The distance of the element from the first one, along each dimension.
    pub element: Vec<i64>,
    /// The value that is read.
    pub found: String,
    /// The value that was there.
    pub then: String,
}

impl fmt::Display for Stale {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, vertex {}", self.routine, self.vertex)?;
        if let Some(number) = self.statement {
            write!(f, ", from statement {number} of the original")?;
        }
        write!(f, ": reads {}", self.variable)?;
        if !self.element.is_empty() {
            write!(f, "{:?} from its first element", self.element)?;
        }
        write!(f, " = {}, which was {}", self.found, self.then)
    }
}

/// The findings of a witness.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Reads of primal cells in reverse sweeps that were compared.
    pub compared: u64,
    /// Reads that were not, since their reverse sweep went astray.
    pub not_compared: u64,
    /// Reads of other values than those that were there.
    pub wrong: u64,
    /// The first of these.
    pub stale: Vec<Stale>,
    /// Values assigned in forward sweeps that were compared with those of the plain run.
    pub assigned: u64,
    /// Values assigned in forward sweeps that ran again from kept states, compared with those of the plain run.
    pub assigned_again: u64,
    /// Values of the first forward sweeps that were not compared, since their statement is split.
    pub not_assigned: u64,
    /// Where reverse sweeps do not visit what the forward sweeps visited, and where these do not compute what the
    /// original does, the first few.
    pub astray: Vec<String>,
}

impl Report {
    pub(super) fn stale(&mut self, stale: Stale) {
        self.wrong += 1;
        if self.stale.len() < KEPT {
            self.stale.push(stale);
        }
    }

    pub(super) fn lose(&mut self, sweep: &Sweep, message: &str) {
        self.differ(format!("{}: {message}", sweep.name));
    }

    pub(super) fn differ(&mut self, message: String) {
        if self.astray.len() < KEPT {
            self.astray.push(message);
        }
    }

    /// An error unless all values that were read are those that were there, in order.
    ///
    /// # Errors
    /// The findings.
    pub fn verdict(&self) -> Result<(), String> {
        if self.wrong == 0 && self.astray.is_empty() {
            return Ok(());
        }
        let stale = self.stale.iter().map(Stale::to_string);
        let all: Vec<String> = self.astray.iter().cloned().chain(stale).collect();
        Err(format!(
            "stale: {} of {} values\n{}",
            self.wrong,
            self.compared,
            all.join("\n")
        ))
    }
}
