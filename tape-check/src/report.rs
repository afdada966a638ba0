//! The report of a check.

use cfg_core::{
    diagnostic::{
        CodeInfo, Diagnostic, Diagnostics,
        site::{Element, Site},
    },
    entity::RoutineId,
    ir::{Program, TapeClass},
    text::{Name, Printer},
};

use crate::code::{At, Code, NodeId};

/// The numbers of matched parts, counted in the text of the program (not in a run).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Pairs of routines.
    pub pairs: usize,
    /// Routines with local tapes that begin and end empty.
    pub neutral: usize,
    /// Matched pushes of control bits: markers and logicals.
    pub control: usize,
    /// Matched pushes of counts.
    pub counts: usize,
    /// Matched pushes of integers.
    pub integer: usize,
    /// Matched pushes of 64-bit reals.
    pub real: usize,
    /// Matched pushes of 32-bit reals.
    pub real32: usize,
    /// Matched pushes of values that lie in a file.
    pub disk: usize,
    /// Matched loops whose count is on the tape.
    pub loops_counted: usize,
    /// Matched loops whose count is recomputed.
    pub loops_recomputed: usize,
    /// The number of matched branches.
    pub branches: usize,
    /// The number of matched calls.
    pub calls: usize,
}

impl Summary {
    /// Matched pushes of all classes.
    pub fn pushes(&self) -> usize {
        self.control + self.counts + self.integer + self.real + self.real32 + self.disk
    }

    pub(crate) fn add(&mut self, other: &Self) {
        self.pairs += other.pairs;
        self.neutral += other.neutral;
        self.control += other.control;
        self.counts += other.counts;
        self.integer += other.integer;
        self.real += other.real;
        self.real32 += other.real32;
        self.disk += other.disk;
        self.loops_counted += other.loops_counted;
        self.loops_recomputed += other.loops_recomputed;
        self.branches += other.branches;
        self.calls += other.calls;
    }

    pub(crate) fn count(&mut self, class: TapeClass) {
        use cfg_core::ir::ControlWidth::{Bits, Count};
        match class {
            TapeClass::Control(Bits(_)) => self.control += 1,
            TapeClass::Control(Count) => self.counts += 1,
            TapeClass::Integer => self.integer += 1,
            TapeClass::Real => self.real += 1,
            TapeClass::Real32 => self.real32 += 1,
            TapeClass::Disk => self.disk += 1,
        }
    }
}

/// Summary and problems of a check.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// The numbers of parts that were matched, with or without problems.
    pub summary: Summary,
    /// The parts for which no proof was found, as errors.
    pub problems: Diagnostics,
}

/// A problem of a routine as a whole.
pub(crate) fn of_routine(
    program: &Program,
    id: RoutineId,
    info: &CodeInfo,
    message: impl Into<String>,
    help: &str,
) -> Diagnostic {
    Diagnostic::error(info, message, help)
        .at_site_in(program, Site::whole(id, Element::Routine))
        .at_element(format!("routine {}", Name(&program.routine(id).name)))
}

/// A problem at a vertex or statement.
pub(crate) fn at(
    program: &Program,
    code: &Code<'_>,
    at: At,
    info: &CodeInfo,
    message: impl Into<String>,
    help: &str,
) -> Diagnostic {
    let place = match at.statement {
        Some(s) => Element::Statement(at.vertex, s),
        None => Element::Vertex(at.vertex),
    };
    Diagnostic::error(info, message, help)
        .at_site_in(program, Site::whole(code.id, place))
        .at_element(element(program, code, at))
}

/// The words for an element: "routine f_rev, vertex 14, statement 1 `branchId := pop[control 1]`"
fn element(program: &Program, code: &Code<'_>, at: At) -> String {
    let name = Name(&code.routine.name);
    let Some(cfg) = &code.routine.body else {
        return format!("routine {name}");
    };
    let vertex = cfg.vertex(at.vertex);
    match at
        .statement
        .and_then(|s| Some((s, vertex.statements().get(s)?)))
    {
        None => format!(
            "routine {name}, {} {}",
            vertex.vertex_type().name(),
            vertex.id
        ),
        Some((s, statement)) => {
            let shown = Printer::new(program, code.routine)
                .display_stmt(statement)
                .to_string();
            format!(
                "routine {name}, vertex {}, statement {} `{shown}`",
                vertex.id,
                s + 1
            )
        }
    }
}

/// The name of a node, for messages.
pub(crate) fn name(program: &Program, code: &Code<'_>, node: NodeId) -> String {
    element(program, code, code.nodes[node].at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_those_of_all_numbers() {
        let one = Summary {
            pairs: 1,
            neutral: 2,
            control: 3,
            counts: 4,
            integer: 5,
            real: 6,
            real32: 7,
            disk: 12,
            loops_counted: 8,
            loops_recomputed: 9,
            branches: 10,
            calls: 11,
        };
        let mut sum = one;
        sum.add(&one);
        sum.add(&Summary::default());
        let twice = Summary {
            pairs: 2,
            neutral: 4,
            control: 6,
            counts: 8,
            integer: 10,
            real: 12,
            real32: 14,
            disk: 24,
            loops_counted: 16,
            loops_recomputed: 18,
            branches: 20,
            calls: 22,
        };
        assert_eq!((sum, sum.pushes()), (twice, 74));
    }
}
