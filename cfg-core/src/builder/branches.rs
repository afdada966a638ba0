//! Branches of a routine that is being written.

use super::routine::{Open, RoutineBuilder};
use crate::ir::{Arm, CaseRange, Expr, Selector, VertexKind};

/// # Branches
impl RoutineBuilder {
    /// Begins a two-way branch; statements up to [`Self::begin_else`] or [`Self::end_if`] run if the condition is
    /// true.
    pub fn begin_if(&mut self, condition: impl Into<Expr>) {
        let condition = self.split_deep(condition.into());
        self.open_branch(condition);
    }

    /// Begins a multi-way branch on an integer; [`Self::begin_arm`] begins each of its arms.
    pub fn begin_cases(&mut self, value: impl Into<Expr>) {
        let value = self.split_deep(value.into());
        let header = self.enter(VertexKind::branch_on(Expr::Logical(true)));
        self.open.push(Open::Cases {
            header,
            value,
            arms: Vec::new(),
            ends: Vec::new(),
        });
    }

    /// Begins an arm of a multi-way branch, and ends the one before.
    pub fn begin_arm(
        &mut self,
        label: i64,
        cases: impl IntoIterator<Item = CaseRange>,
        default: bool,
    ) {
        match self.open.pop() {
            Some(Open::Cases {
                header,
                value,
                mut arms,
                mut ends,
            }) => {
                if arms.is_empty() && self.vertices.len() > header + 1 {
                    self.report_misuse(
                        format!(
                            "there are statements before the first arm of vertex {}",
                            header + 1
                        ),
                        "call begin_arm before what the arm does",
                    );
                }
                ends.append(&mut self.pending);
                self.leave(header, Some(label));
                arms.push(Arm {
                    label,
                    cases: cases.into_iter().collect(),
                    default,
                });
                self.open.push(Open::Cases {
                    header,
                    value,
                    arms,
                    ends,
                });
            }
            other => self.wrong_end("begin_arm", other),
        }
    }

    /// Ends a multi-way branch.
    pub fn end_cases(&mut self) {
        match self.open.pop() {
            Some(Open::Cases {
                header,
                value,
                arms,
                mut ends,
            }) => {
                if arms.len() < 2 {
                    self.report_misuse(
                        format!(
                            "the branch at vertex {} has {} arms",
                            header + 1,
                            arms.len()
                        ),
                        "a branch has two arms or more; an arm may be empty",
                    );
                }
                let mut labels: Vec<i64> = arms.iter().map(|a| a.label).collect();
                labels.sort_unstable();
                if let Some(twice) = labels.windows(2).find(|w| w[0] == w[1]) {
                    self.report_misuse(
                        format!(
                            "two arms of the branch at vertex {} have label {}",
                            header + 1,
                            twice[0]
                        ),
                        "give each arm a label of its own, and all its cases at once",
                    );
                }
                self.vertices[header].kind = VertexKind::Branch(Box::new(Selector::Cases {
                    value,
                    arms: arms.into_boxed_slice(),
                }));
                ends.append(&mut self.pending);
                self.join(ends);
            }
            other => self.wrong_end("end_cases", other),
        }
    }

    /// Executes `yes` if the condition is true.
    pub fn if_then(&mut self, condition: impl Into<Expr>, yes: impl FnOnce(&mut Self)) {
        self.begin_if(condition);
        self.build_inside(yes);
        self.end_if();
    }

    /// Executes `yes` if the condition is true, otherwise `no`.
    pub fn if_else(
        &mut self,
        condition: impl Into<Expr>,
        yes: impl FnOnce(&mut Self),
        no: impl FnOnce(&mut Self),
    ) {
        self.begin_if(condition);
        self.build_inside(yes);
        self.begin_else();
        self.build_inside(no);
        self.end_if();
    }

    /// Chooses an arm by an integer.
    pub fn cases(&mut self, value: impl Into<Expr>, arms: impl FnOnce(&mut ArmBuilder<'_>)) {
        self.begin_cases(value);
        self.build_inside(|f| {
            arms(&mut ArmBuilder {
                builder: f,
                next: 1,
            });
        });
        self.end_cases();
    }
}

/// The arms of a multi-way branch; labels are 1, 2, ... in order.
#[derive(Debug)]
pub struct ArmBuilder<'b> {
    builder: &'b mut RoutineBuilder,
    next: i64,
}

impl ArmBuilder<'_> {
    /// An arm chosen by these values or ranges.
    pub fn arm<C: Into<CaseRange>>(
        &mut self,
        cases: impl IntoIterator<Item = C>,
        body: impl FnOnce(&mut RoutineBuilder),
    ) {
        self.add(cases.into_iter().map(Into::into).collect(), false, body);
    }

    /// The arm taken if no other matches.
    pub fn default(&mut self, body: impl FnOnce(&mut RoutineBuilder)) {
        self.add(Vec::new(), true, body);
    }

    fn add(
        &mut self,
        cases: Vec<CaseRange>,
        default: bool,
        body: impl FnOnce(&mut RoutineBuilder),
    ) {
        self.builder.begin_arm(self.next, cases, default);
        self.next += 1;
        self.builder.build_inside(body);
    }
}

impl From<i64> for CaseRange {
    fn from(value: i64) -> Self {
        Self {
            lower: Some(value),
            upper: Some(value),
        }
    }
}

impl From<std::ops::RangeInclusive<i64>> for CaseRange {
    fn from(range: std::ops::RangeInclusive<i64>) -> Self {
        Self {
            lower: Some(*range.start()),
            upper: Some(*range.end()),
        }
    }
}
