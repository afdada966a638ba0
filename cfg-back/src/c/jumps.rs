//! Bodies of graphs that do not nest: loops, arms and breaks where the layout of the graph has them, jumps to labels
//! elsewhere.

use super::{
    Emitted,
    body::Switch,
    expression::reduces,
    lines::Statement,
    operators::{Code, Name},
    writer::Writer,
};
use cfg_core::{
    entity::VertexId,
    ir::{Cfg, Selector},
    structure::layout::{Jump, Layout, Step, Test},
};

/// What is open around the text, as far as `break` means it.
enum Open<'c> {
    Loop,
    Switch(Switch<'c>, bool),
}

/// How a jump is written.
enum Written {
    Break,
    Continue,
    Label,
}

/// The jumps in the order of the steps; C's `break` leaves a `switch`, too, and neither it nor `continue` more than one
/// loop.
fn written(cfg: &Cfg, layout: &Layout) -> Vec<Written> {
    // Of each loop that is open, the number of C's own switches inside of it.
    let mut switches = vec![0_usize];
    let mut made = Vec::new();
    for step in &layout.steps {
        match step {
            Step::Loop(_) => switches.push(0),
            Step::EndLoop(_) => {
                switches.pop();
            }
            Step::Switch(v) if is_plain(cfg, *v) => {
                if let Some(n) = switches.last_mut() {
                    *n += 1;
                }
            }
            Step::EndSwitch(v) if is_plain(cfg, *v) => {
                if let Some(n) = switches.last_mut() {
                    *n -= 1;
                }
            }
            Step::Jump(_, jump) => made.push(match (jump, switches.last()) {
                (Jump::Break(1), Some(0)) => Written::Break,
                (Jump::Continue(1), _) => Written::Continue,
                _ => Written::Label,
            }),
            Step::Vertex(_)
            | Step::Decide(_)
            | Step::If(..)
            | Step::Else
            | Step::EndIf
            | Step::Switch(_)
            | Step::Arm
            | Step::EndArm
            | Step::EndSwitch(_) => {}
        }
    }
    made
}

/// True if C's own `switch` says it.
fn is_plain(cfg: &Cfg, v: VertexId) -> bool {
    match cfg.vertex(v).kind.selector() {
        Some(Selector::Cases { arms, .. }) => {
            let mut ranges = arms.iter().flat_map(|arm| &arm.cases);
            ranges.all(|range| super::body::single(range).is_some())
        }
        Some(Selector::Condition(_)) | None => false,
    }
}

impl Writer<'_> {
    /// The statements of a graph of blocks and branches.
    pub(super) fn emit_jumps(&mut self, cfg: &Cfg) -> Emitted<()> {
        if cfg.entry().is_none() {
            return Err(self.malformed("a graph has no ENTRY"));
        }
        let layout = Layout::build(cfg);
        let written = written(cfg, &layout);
        let labels = self.jump_labels(cfg, &layout, &written);
        let mut written = written.iter();
        let mut open: Vec<Open<'_>> = Vec::new();
        let mut steps = layout.steps.iter().copied().peekable();
        while let Some(step) = steps.next() {
            match step {
                Step::Vertex(v) => {
                    self.set_place(Some((v, None)));
                    if let Some(label) = &labels[v.index()] {
                        self.add(Statement::Label(label.clone()));
                    }
                    if cfg.vertex(v).kind.test().is_some() {
                        return Err(self.malformed("a graph of jumps has a LOOP"));
                    }
                    self.emit_statements(cfg.vertex(v).statements())?;
                }
                Step::Loop(test) => {
                    self.begin_any_loop(cfg, test)?;
                    open.push(Open::Loop);
                }
                Step::EndLoop(test) => {
                    open.pop();
                    self.end_any_loop(cfg, test)?;
                }
                Step::Decide(v) => {
                    self.branch_condition(cfg, v, true)?;
                }
                Step::If(v, holds) => {
                    let code = self.branch_condition(cfg, v, holds)?;
                    let Some(Step::Jump(to, _)) = steps.peek().copied() else {
                        self.add(Statement::If(code));
                        continue;
                    };
                    let jump = jump_to(written.next(), &labels[to.index()]);
                    let jump = jump.ok_or_else(|| self.malformed("a jump goes nowhere"))?;
                    steps.next();
                    if steps.next_if_eq(&Step::EndIf).is_some() {
                        self.guard(code, jump);
                    } else {
                        self.add(Statement::If(code));
                        self.add(jump);
                    }
                }
                Step::Else => self.add(Statement::Else),
                Step::EndIf => self.lines.close_block(),
                Step::Jump(to, _) => {
                    let jump = jump_to(written.next(), &labels[to.index()]);
                    let jump = jump.ok_or_else(|| self.malformed("a jump goes nowhere"))?;
                    self.add(jump);
                    // The end of an arm is not reached.
                    if steps.peek() == Some(&Step::EndArm)
                        && let Some(Open::Switch(switch, _)) = open.last()
                    {
                        steps.next();
                        if switch.compared.is_none() {
                            self.lines.close_block();
                        }
                    }
                }
                Step::Switch(v) => {
                    let Some(Selector::Cases { value, arms }) = cfg.vertex(v).kind.selector()
                    else {
                        return Err(self.malformed("a branch has no arms"));
                    };
                    self.set_place(Some((v, None)));
                    self.pieces.begin_statement();
                    open.push(Open::Switch(self.begin_switch(cfg, v, value, arms)?, true));
                }
                Step::Arm => {
                    let Some(Open::Switch(switch, first)) = open.last_mut() else {
                        return Err(self.malformed("an arm has no branch"));
                    };
                    let first = std::mem::take(first);
                    self.next_arm(switch, first)?;
                }
                Step::EndArm => {
                    if let Some(Open::Switch(switch, _)) = open.last()
                        && switch.compared.is_none()
                    {
                        self.add(Statement::Break);
                        self.lines.close_block();
                    }
                }
                Step::EndSwitch(v) => {
                    self.set_place(Some((v, None)));
                    if let Some(Open::Switch(switch, _)) = open.pop() {
                        self.end_switch(&switch);
                    }
                }
            }
        }
        Ok(())
    }

    /// The labels of the vertices that jumps lead to.
    fn jump_labels(
        &mut self,
        cfg: &Cfg,
        layout: &Layout,
        written: &[Written],
    ) -> Vec<Option<Name>> {
        let mut jumped = vec![false; cfg.vertex_count()];
        let mut written = written.iter();
        for step in &layout.steps {
            if let Step::Jump(to, _) = step {
                jumped[to.index()] |= matches!(written.next(), Some(Written::Label));
            }
        }
        let mut labels = vec![None; cfg.vertex_count()];
        for step in &layout.steps {
            if let Step::Vertex(v) = step
                && jumped[v.index()]
            {
                let id = cfg.vertex(*v).id;
                let sign = if id < 0 { "m" } else { "" };
                labels[v.index()] = Some(
                    self.fresh_name(&format!("L{sign}{}", id.unsigned_abs()))
                        .into(),
                );
            }
        }
        labels
    }

    /// The condition of a branch, or its opposite.
    fn branch_condition(&mut self, cfg: &Cfg, v: VertexId, holds: bool) -> Emitted<Code> {
        self.set_place(Some((v, None)));
        self.pieces.begin_statement();
        let Some(Selector::Condition(condition)) = cfg.vertex(v).kind.selector() else {
            return Err(self.malformed("a branch has no condition"));
        };
        let code = self.emit_decision(condition)?;
        if holds { Ok(code) } else { self.negate(code) }
    }

    fn begin_any_loop(&mut self, cfg: &Cfg, test: Test) -> Emitted<()> {
        let Test::Before(v, holds) = test else {
            self.add(match test {
                Test::Behind(..) => Statement::Do,
                Test::Endless | Test::Before(..) => Statement::Forever,
            });
            return Ok(());
        };
        let simple = match cfg.vertex(v).kind.selector() {
            Some(Selector::Condition(condition)) => !self.is_checked() && !reduces(condition),
            _ => false,
        };
        if simple {
            let code = self.branch_condition(cfg, v, holds)?;
            self.add(Statement::While(code));
        } else {
            self.add(Statement::Forever);
            let code = self.branch_condition(cfg, v, !holds)?;
            self.guard(code, Statement::Break);
        }
        Ok(())
    }

    fn end_any_loop(&mut self, cfg: &Cfg, test: Test) -> Emitted<()> {
        if let Test::Behind(v, holds) = test {
            let code = self.branch_condition(cfg, v, holds)?;
            self.add(Statement::EndDo(code));
        } else {
            self.lines.close_block();
        }
        Ok(())
    }
}

fn jump_to(written: Option<&Written>, label: &Option<Name>) -> Option<Statement> {
    match (written?, label) {
        (Written::Break, _) => Some(Statement::Break),
        (Written::Continue, _) => Some(Statement::Continue),
        (Written::Label, Some(label)) => Some(Statement::Goto(label.clone())),
        (Written::Label, None) => None,
    }
}
