//! Markers of branches with two arms. Arms end with pushes of 1 and of 0; in C the condition itself is pushed in front
//! of the branch, so that an arm which only assigns scalars needs no jump: compilers choose the values instead, and no
//! jump that depends on data is guessed wrong.

use super::{Emitted, operators::Code, statement, writer::Writer};
use cfg_core::{
    entity::{EdgeId, VarId, VertexId},
    flat::FlatStmt,
    ir::{Cfg, ScalarType, Stmt, TapeClass, VertexKind},
};

/// The marker that an arm pushes with its last statement.
struct Marker {
    block: VertexId,
    tape: VarId,
    class: TapeClass,
    value: i64,
}

impl Writer<'_> {
    /// Pushes the condition in front of a branch whose arms push 1 if it holds and 0 otherwise; the condition, in a
    /// variable, and the arms' own pushes are left out.
    pub(super) fn push_condition(
        &mut self,
        cfg: &Cfg,
        end: VertexId,
        [other, taken]: [EdgeId; 2],
        condition: Code,
    ) -> Emitted<Code> {
        if self.is_checked() {
            return Ok(condition);
        }
        let (Some(one), Some(zero)) = (marker(cfg, end, taken), marker(cfg, end, other)) else {
            return Ok(condition);
        };
        let is_pair = (one.tape, one.class) == (zero.tape, zero.class);
        if !is_pair || (one.value, zero.value) != (1, 0) {
            return Ok(condition);
        }
        let kept = match &self.taken {
            Some(kept) => kept.clone(),
            None => {
                let kept = self.declare_helper("taken", ScalarType::Logical);
                self.taken.insert(kept).clone()
            }
        };
        self.set(&kept, condition);
        let (tape, top) = self.tape_and_top(one.tape)?;
        if !self.roomy {
            self.make_room((tape, top.clone()), "control", 1.into());
        }
        let push = statement::push(top, one.class, kept.clone(), self);
        self.add(push);
        self.pushed.extend([one.block, zero.block]);
        Ok(kept)
    }

    /// The statements of a block that are not written yet.
    pub(super) fn unwritten<'s>(&self, block: VertexId, statements: &'s [Stmt]) -> &'s [Stmt] {
        match (self.pushed.contains(&block), statements) {
            (true, [rest @ .., _]) => rest,
            _ => statements,
        }
    }

    /// True of an arm without statements that are to be written.
    pub(super) fn is_empty_arm(&self, cfg: &Cfg, end: VertexId, arm: EdgeId) -> bool {
        let at = cfg.edge(arm).to;
        let statements = cfg.vertex(at).statements();
        let ends = || cfg.out_edges(at).iter().all(|&e| cfg.edge(e).to == end);
        at == end || (self.pushed.contains(&at) && statements.len() == 1 && ends())
    }
}

/// The marker of an arm of blocks that only assign and push, if it is all that the arm pushes to the stack of bits.
fn marker(cfg: &Cfg, end: VertexId, arm: EdgeId) -> Option<Marker> {
    let mut found = None;
    let mut at = cfg.edge(arm).to;
    while at != end {
        let VertexKind::Block(statements) = &cfg.vertex(at).kind else {
            return None;
        };
        for statement in statements {
            // The marker is the last statement.
            if found.is_some() {
                return None;
            }
            match FlatStmt::view(&statement.kind) {
                FlatStmt::Assign { .. } => {}
                FlatStmt::Push {
                    tape,
                    class: class @ TapeClass::Control(_),
                    value,
                } => {
                    let value = value.constant()?;
                    found = Some(Marker {
                        block: at,
                        tape,
                        class,
                        value,
                    });
                }
                FlatStmt::Push { .. } => {}
                FlatStmt::Pop { .. }
                | FlatStmt::Call { .. }
                | FlatStmt::Opaque { .. }
                | FlatStmt::Stop { .. } => return None,
            }
        }
        at = cfg.edge(*cfg.out_edges(at).first()?).to;
    }
    found
}
