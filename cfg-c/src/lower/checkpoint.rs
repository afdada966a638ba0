//! Statements with checkpoints: of a loop its LOOP has the checkpoint, of another statement its block, or a loop of one
//! pass around its vertices.
//!
//! Such a part has one way out, its end. A jump to somewhere else notes where in a variable, and leads to the end;
//! behind it the variable is tested, and the jump goes on. Of a loop, the jump also sets the variable of the condition.

use super::{
    Lowered,
    region::{Exit, Region},
    routine::Body,
};
use crate::ast::{StmtId, StmtKind};
use cfg_core::{
    entity::VarId,
    ir::{Checkpoint, Expr, Op, ScalarType},
};
use std::{
    collections::{BTreeMap, HashSet},
    rc::Rc,
};

/// The jumps out of a statement, and the labels in it.
#[derive(Debug, Default)]
pub(super) struct Exits {
    labels: HashSet<Rc<str>>,
    /// True if the statement is the body of a loop.
    of_loop: bool,
    /// True if a `break` ends the loop.
    breaks: bool,
    /// True if there are other jumps.
    others: bool,
}

impl Exits {
    pub(super) fn are_any(&self) -> bool {
        self.breaks || self.others
    }
}

impl Body<'_, '_> {
    pub(super) fn lower_checkpoint(&mut self, checkpoint: Checkpoint, s: StmtId) -> Lowered<()> {
        let unit = self.l.unit;
        let node = unit.stmt(s);
        self.span = node.from.span_to(node.to);
        self.checkpoints += 1;
        let done = match &node.kind {
            StmtKind::While(c, body) => self.while_loop(Some(*c), *body, None, Some(checkpoint)),
            StmtKind::Do(body, c) if !self.is_once(*c) => self.do_loop(*body, *c, Some(checkpoint)),
            StmtKind::For(of) => self.for_loop(of, Some(checkpoint)),
            _ => self.lower_part(s),
        };
        self.checkpoints -= 1;
        done
    }

    /// Translates a statement that is no loop.
    fn lower_part(&mut self, s: StmtId) -> Lowered<()> {
        let span = self.span;
        let exits = self.exits(s, false);
        self.begin_region(exits, None);
        self.set_span();
        self.f.begin_checkpoint();
        self.lower_statement(s, false);
        self.span = span;
        let region = self.regions.pop();
        self.place_target(region.as_ref().map(|region| region.end));
        self.set_span();
        self.f.end_checkpoint();
        self.leave_region(region)
    }

    pub(super) fn exits_of_loop(&self, body: StmtId) -> Exits {
        self.exits(body, true)
    }

    /// The jumps out of a statement.
    fn exits(&self, s: StmtId, of_loop: bool) -> Exits {
        let unit = self.l.unit;
        let mut found = Exits {
            of_loop,
            ..Exits::default()
        };
        let mut jumps = Vec::new();
        // Statements, and whether a loop or switch, and a loop, is around them.
        let mut open = vec![(s, false, false)];
        while let Some((s, breaks, continues)) = open.pop() {
            let (mut breaks, mut continues) = (breaks, continues);
            match &unit.stmt(s).kind {
                StmtKind::Break => {
                    found.breaks |= !breaks && of_loop;
                    found.others |= !breaks && !of_loop;
                }
                StmtKind::Continue => found.others |= !continues && !of_loop,
                StmtKind::Return(_) | StmtKind::Leave => found.others = true,
                StmtKind::Goto(name) => jumps.push(name),
                StmtKind::Label(name) => {
                    found.labels.insert(Rc::clone(name));
                }
                StmtKind::While(..) | StmtKind::Do(..) | StmtKind::For(_) => {
                    (breaks, continues) = (true, true);
                }
                StmtKind::Switch(..) => breaks = true,
                StmtKind::Empty
                | StmtKind::Expr(_)
                | StmtKind::Decl(_)
                | StmtKind::Block(_)
                | StmtKind::If(..)
                | StmtKind::Case(..)
                | StmtKind::Default
                | StmtKind::Checkpoint(..) => {}
            }
            let inside = unit.statements_inside(s).into_iter();
            open.extend(inside.map(|s| (s, breaks, continues)));
        }
        found.others |= jumps.iter().any(|name| !found.labels.contains(*name));
        found
    }

    /// Begins a part; for a loop, `more` is the variable for its condition.
    pub(super) fn begin_region(&mut self, exits: Exits, more: Option<VarId>) {
        let way = exits.others.then(|| {
            let way = self.f.temporary(ScalarType::Integer);
            self.assign(way, Expr::Int(0));
            way
        });
        let own = usize::from(exits.of_loop);
        let end = self.new_target();
        self.regions.push(Region {
            end,
            labels: exits.labels,
            outside: [
                self.breaks.len() + own,
                self.continues.len(),
                self.leaves.len(),
            ],
            more,
            way,
            exits: BTreeMap::new(),
        });
    }

    /// Writes the jumps that go on behind a part.
    pub(super) fn leave_region(&mut self, region: Option<Region>) -> Lowered<()> {
        let Some(Region {
            way: Some(way),
            exits,
            ..
        }) = region
        else {
            return Ok(());
        };
        for (exit, number) in exits {
            self.set_span();
            self.f
                .begin_if(Expr::op(Op::Eq, [Expr::var(way), Expr::Int(number)]));
            self.jump(exit)?;
            self.set_span();
            self.f.end_if();
        }
        Ok(())
    }

    /// Writes a jump, or its first piece if it leads out of a part with a checkpoint.
    pub(super) fn jump(&mut self, exit: Exit) -> Lowered<()> {
        if matches!(exit, Exit::Leave | Exit::Goto(_)) {
            self.tell_all();
        }
        let [breaks, continues, leaves] =
            [self.breaks.len(), self.continues.len(), self.leaves.len()];
        let left = self.regions.last_mut().filter(|region| match &exit {
            Exit::Break => breaks == region.outside[0],
            Exit::Continue => continues == region.outside[1],
            Exit::Leave => leaves == region.outside[2],
            Exit::Return => true,
            Exit::Goto(name) => !region.labels.contains(name),
        });
        if let Some(region) = left {
            region.end.used = true;
            let (end, more, way) = (region.end.label, region.more, region.way);
            // Behind a loop, a `break` out of it has come to where it leads.
            let goes_on = more.is_none() || exit != Exit::Break;
            let number = region.exits.len() as i64 + 1;
            let number = goes_on.then(|| *region.exits.entry(exit).or_insert(number));
            if let Some(more) = more {
                self.assign(more, Expr::Logical(false));
            }
            if let Some((way, number)) = way.zip(number) {
                self.assign(way, Expr::Int(number));
            }
            self.f.goto(end);
            return Ok(());
        }
        let target = match &exit {
            Exit::Break => self.breaks.last_mut(),
            Exit::Continue => self.continues.last_mut(),
            Exit::Leave => self.leaves.last_mut(),
            Exit::Return => {
                self.f.return_now();
                return Ok(());
            }
            Exit::Goto(name) => {
                if let Some(label) = self.labels.get(name) {
                    self.f.goto(*label);
                }
                return Ok(());
            }
        };
        if let Some(target) = target {
            target.used = true;
            let label = target.label;
            self.f.goto(label);
        }
        Ok(())
    }
}
