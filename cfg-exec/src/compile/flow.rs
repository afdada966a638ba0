//! Code of a graph: that of each vertex, in an order in which most successors follow directly.

use cfg_core::{
    entity::{EdgeId, VarId, VertexId},
    graph::{DiGraph, reverse_postorder},
    ir::{Arm, Cfg, Expr, LoopTest, OpClass, ScalarType, Selector, VertexKind, VertexType},
    memory::restored::restored_pushes,
};

use std::collections::HashMap;

use super::Compiling;
use super::emit::{Emitter, Home, LoopState, Value};
use crate::code::{Instr, Reg, Switch, Target};

/// The graph to be laid out. Each LOOP has two nodes, one for its entry and one for the jump back to it.
struct Layout<'g> {
    cfg: &'g Cfg,
}

impl Layout<'_> {
    fn node(&self, edge: EdgeId) -> usize {
        let edge = self.cfg.edge(edge);
        let back = matches!(self.cfg.vertex(edge.from).kind, VertexKind::EndLoop)
            && matches!(self.cfg.vertex(edge.to).kind, VertexKind::Loop { .. });
        2 * edge.to.index() + usize::from(back)
    }
}

impl DiGraph for Layout<'_> {
    fn len(&self) -> usize {
        2 * self.cfg.vertex_count()
    }

    /// The successors of a node. In reverse postorder the successor visited last comes first, so exits are visited
    /// before bodies, and later arms before the first.
    fn successors(&self, node: usize) -> impl Iterator<Item = usize> {
        let v = VertexId::new(node / 2);
        let mut targets: Vec<usize> = self
            .cfg
            .out_edges(v)
            .iter()
            .map(|&e| self.node(e))
            .collect();
        targets.reverse();
        if let Some(body) = labelled(self.cfg, v, 1)
            && matches!(self.cfg.vertex(v).kind, VertexKind::Loop { .. })
        {
            let body = self.node(body);
            targets.retain(|&t| t != body);
            targets.push(body);
        }
        targets.into_iter()
    }

    fn predecessors(&self, _: usize) -> impl Iterator<Item = usize> {
        std::iter::empty()
    }
}

/// The out-edge with this label.
fn labelled(cfg: &Cfg, v: VertexId, label: i64) -> Option<EdgeId> {
    cfg.out_edges(v)
        .iter()
        .copied()
        .find(|&e| cfg.edge(e).label == Some(label))
}

/// True if the expression makes temporary arrays, or might.
fn reduces(e: &Expr) -> bool {
    let mut found = false;
    e.walk(&mut |e| {
        found |= matches!(e, Expr::Op(op, _)
            if matches!(op.class(), OpClass::Reduction | OpClass::Transformational));
    });
    found
}

impl Emitter<'_> {
    pub(super) fn graph(&mut self, cfg: &Cfg, depths: &[u32]) -> Compiling<()> {
        let layout = Layout { cfg };
        let Some(entry) = cfg.entry() else {
            return Err(self.too_large("the graph has no entry"));
        };
        let order = reverse_postorder(&layout, 2 * entry.index());
        let mut labels = vec![Target::MAX; layout.len()];
        for &node in &order {
            labels[node] = self.label_of(VertexId::new(node / 2));
        }
        for (k, &node) in order.iter().enumerate() {
            let next = order.get(k + 1).map(|&n| labels[n]);
            let v = VertexId::new(node / 2);
            self.bind(labels[node]);
            self.at(Some(v), None);
            self.depth = depths[v.index()];
            if self.options.trace {
                self.emit(Instr::Visit {
                    v: v.index() as u32,
                });
            }
            let target = |e: EdgeId| labels[layout.node(e)];
            self.begin_statement();
            match &cfg.vertex(v).kind {
                VertexKind::Exit => self.epilogue()?,
                VertexKind::Block(statements) => {
                    let restored = restored_pushes(self.routine, statements);
                    for (k, statement) in statements.iter().enumerate() {
                        self.at(Some(v), Some(k as u32));
                        self.statement(statement, restored.contains(k))?;
                    }
                    self.at(Some(v), None);
                    self.only(cfg, v, &target, next)?;
                }
                VertexKind::Loop { test, .. } => {
                    let body = labelled(cfg, v, 1);
                    let exit = cfg.out_edges(v).iter().copied().find(|&e| Some(e) != body);
                    let (Some(body), Some(exit)) = (body, exit) else {
                        return Err(self.too_large("a loop lacks an edge"));
                    };
                    let (body, exit) = (target(body), target(exit));
                    let key = self.loop_key(v.index(), depths);
                    self.depth += u32::from(node % 2 == 1);
                    self.loop_vertex(test, key, node % 2 == 1, body, exit, next)?;
                }
                VertexKind::Branch(selector) => match &**selector {
                    Selector::Condition(e) => {
                        let (Some(yes), Some(no)) = (labelled(cfg, v, 1), labelled(cfg, v, 0))
                        else {
                            return Err(self.too_large("a branch lacks an edge"));
                        };
                        self.decide(e, target(yes), target(no), next)?;
                    }
                    Selector::Cases { value, arms } => {
                        let edges = cfg.out_edges(v).iter();
                        let edges: HashMap<Option<i64>, EdgeId> =
                            edges.map(|&e| (cfg.edge(e).label, e)).collect();
                        let arm = |arm: &Arm| edges.get(&Some(arm.label)).copied().map(target);
                        self.switch(value, arms, &arm)?;
                    }
                },
                VertexKind::Entry | VertexKind::EndLoop | VertexKind::EndBranch => {
                    self.only(cfg, v, &target, next)?;
                }
            }
        }
        Ok(())
    }

    /// Emits the jump to the only successor.
    fn only(
        &mut self,
        cfg: &Cfg,
        v: VertexId,
        target: &dyn Fn(EdgeId) -> Target,
        next: Option<Target>,
    ) -> Compiling<()> {
        let Some(&edge) = cfg.out_edges(v).first() else {
            let name = match cfg.vertex(v).vertex_type() {
                VertexType::Entry => "the entry",
                VertexType::Exit
                | VertexType::BasicBlock
                | VertexType::Loop
                | VertexType::ForLoop
                | VertexType::EndLoop
                | VertexType::Branch
                | VertexType::EndBranch => "a vertex",
            };
            return Err(self.too_large(&format!("{name} has no successor")));
        };
        self.go(target(edge), next);
        Ok(())
    }

    /// Emits a jump to a target, unless it follows anyway.
    fn go(&mut self, t: Target, next: Option<Target>) {
        if Some(t) != next {
            self.emit_jump(t);
        }
    }

    /// Emits a conditional jump to one of two targets.
    fn decide(&mut self, e: &Expr, yes: Target, no: Target, next: Option<Target>) -> Compiling<()> {
        let (sense, far, near) = if Some(yes) == next {
            (false, no, yes)
        } else {
            (true, yes, no)
        };
        if reduces(e) {
            // Temporary arrays are given back before control splits.
            let (a, _) = self.expr_register(e)?;
            self.end_statement();
            self.emit(if sense {
                Instr::JumpTrue { a, t: far }
            } else {
                Instr::JumpFalse { a, t: far }
            });
        } else {
            self.branch(e, sense, far)?;
        }
        self.go(near, next);
        Ok(())
    }

    fn loop_vertex(
        &mut self,
        test: &LoopTest,
        key: u32,
        back: bool,
        body: Target,
        exit: Target,
        next: Option<Target>,
    ) -> Compiling<()> {
        match test {
            LoopTest::Post(_) if !back => {
                self.go(body, next);
                Ok(())
            }
            LoopTest::Pre(e) | LoopTest::Post(e) => self.decide(e, body, exit, next),
            LoopTest::Counted {
                index,
                first,
                last,
                step,
            } => {
                let Some(&state) = self.loop_states.get(&key) else {
                    return Err(self.too_large("a loop has no state"));
                };
                match back {
                    false => self.enter_loop(state, *index, [first, last, step], body, exit, next),
                    true => self.next_pass(state, *index, step, body, exit, next),
                }
            }
        }
    }

    /// Registers for the state of a loop; temporaries, if the state is in the frame.
    fn loop_registers(&mut self, state: LoopState) -> Compiling<Reg> {
        match state {
            LoopState::Registers(q) => Ok(q),
            LoopState::Frame(_) => self.temporaries_in_row(3),
        }
    }

    fn enter_loop(
        &mut self,
        state: LoopState,
        index: VarId,
        [first, last, step]: [&Expr; 3],
        body: Target,
        exit: Target,
        next: Option<Target>,
    ) -> Compiling<()> {
        // First, last and step may read the index, so they are evaluated before it is assigned.
        let one = *step == Expr::Int(1);
        let q = self.loop_registers(state)?;
        let (first, _) = self.expr_register(first)?;
        self.expr_into(last, q, ScalarType::Integer)?;
        if !one {
            self.expr_into(step, q + 1, ScalarType::Integer)?;
        }
        self.end_statement();
        let t = exit;
        let index = if let Home::Register(r) = self.home(index) {
            r
        } else {
            self.store_scalar(index, Value::Register(first))?;
            q + 2
        };
        self.emit(if one {
            Instr::LoopInit1 { q, index, first, t }
        } else {
            Instr::LoopInit { q, index, first, t }
        });
        if let LoopState::Frame(at) = state {
            self.emit(Instr::StoreFrame { s: q, at });
            if !one {
                let (s, at) = (q + 1, at + 1);
                self.emit(Instr::StoreFrame { s, at });
            }
        }
        self.go(body, next);
        Ok(())
    }

    fn next_pass(
        &mut self,
        state: LoopState,
        index: VarId,
        step: &Expr,
        body: Target,
        exit: Target,
        next: Option<Target>,
    ) -> Compiling<()> {
        let one = *step == Expr::Int(1);
        let q = self.loop_registers(state)?;
        let pass = |index: Reg, t: Target| {
            if one {
                Instr::LoopNext1 { q, index, t }
            } else {
                Instr::LoopNext { q, index, t }
            }
        };
        if let (LoopState::Registers(_), Home::Register(r)) = (state, self.home(index)) {
            self.emit(pass(r, body));
            self.go(exit, next);
            return Ok(());
        }
        if let LoopState::Frame(at) = state {
            self.emit(Instr::LoadFrame { d: q, at });
            if !one {
                let (d, at) = (q + 1, at + 1);
                self.emit(Instr::LoadFrame { d, at });
            }
        }
        let again = self.new_label();
        let i = q + 2;
        // In a graph of jumps, or under another name, the body may have assigned the index: it is loaded again.
        let now = self.load_scalar(index, Some(i))?;
        self.move_to(i, now.value);
        self.emit(pass(i, again));
        self.store_scalar(index, Value::Register(i))?;
        self.emit_jump(exit);
        self.bind(again);
        self.store_scalar(index, Value::Register(i))?;
        if let LoopState::Frame(at) = state {
            self.emit(Instr::StoreFrame { s: q, at });
        }
        self.emit_jump(body);
        Ok(())
    }

    fn switch(
        &mut self,
        value: &Expr,
        arms: &[Arm],
        target: &dyn Fn(&Arm) -> Option<Target>,
    ) -> Compiling<()> {
        let (a, _) = self.expr_register(value)?;
        self.end_statement();
        let mut switch = Switch {
            cases: Vec::new(),
            default: None,
        };
        for arm in arms {
            let Some(t) = target(arm) else {
                return Err(self.too_large("an arm has no edge"));
            };
            if arm.default {
                switch.default = Some(t);
            }
            for case in &arm.cases {
                let (lower, upper) = (
                    case.lower.unwrap_or(i64::MIN),
                    case.upper.unwrap_or(i64::MAX),
                );
                if lower <= upper {
                    switch.cases.push((lower, upper, t));
                }
            }
        }
        switch.cases.sort_by_key(|case| case.0);
        let table = self.code.switches.len() as u32;
        self.code.switches.push(switch);
        self.emit(Instr::Switch { a, table });
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cfg_core::ir::Op;

    #[test]
    fn conditions_with_reductions_are_found() {
        let a = Expr::var(VarId::new(0));
        let sum = Expr::op(Op::Sum, [a]);
        assert!(reduces(&Expr::op(Op::Lt, [sum.clone(), Expr::Real(1.0)])));
        assert!(reduces(&Expr::op(Op::Lt, [sum.clone(), sum])));
        assert!(!reduces(&Expr::var(VarId::new(0))));
    }
}
