//! Bodies of graphs that do not nest: blocks with labels, and jumps between them.

use super::{Emitted, body::test, writer::Writer};
use cfg_core::{
    entity::VertexId,
    graph::reverse_postorder,
    ir::{Cfg, ScalarType, Selector},
};
use std::collections::HashMap;

impl Writer<'_> {
    /// The statements of a graph of blocks and branches, in reverse postorder; a block that is reached from elsewhere
    /// than the one before it has a label.
    pub(super) fn jumps(&mut self, cfg: &Cfg) -> Emitted<()> {
        let Some(entry) = cfg.entry() else {
            return Err(self.malformed("a graph has no ENTRY"));
        };
        let order: Vec<VertexId> = reverse_postorder(cfg, entry.index())
            .into_iter()
            .map(VertexId::new)
            .collect();
        // EXIT is the end of the function, wherever it stands.
        let exit = cfg.exit();
        let mut order: Vec<VertexId> = order.into_iter().filter(|v| Some(*v) != exit).collect();
        order.extend(exit);
        let mut labels: Vec<Option<String>> = vec![None; cfg.vertex_count()];
        for &v in &order {
            let id = cfg.vertex(v).id;
            let sign = if id < 0 { "m" } else { "" };
            labels[v.index()] = Some(self.fresh(&format!("L{sign}{}", id.unsigned_abs())));
        }
        let mut jumped = vec![false; cfg.vertex_count()];
        let mut pieces: Vec<(VertexId, String)> = Vec::with_capacity(order.len());
        for (k, &v) in order.iter().enumerate() {
            self.place = Some((v, None));
            let from = self.lines.here();
            let next = order.get(k + 1).copied();
            self.jump_vertex(cfg, v, next, &labels, &mut jumped)?;
            let text = self.lines.since(from).to_owned();
            self.lines.cut(from);
            pieces.push((v, text));
        }
        for (v, text) in pieces {
            if let (Some(label), true) = (&labels[v.index()], jumped[v.index()]) {
                self.lines.label(label);
            }
            self.lines.raw(&text);
        }
        Ok(())
    }

    fn goto(
        &mut self,
        to: VertexId,
        labels: &[Option<String>],
        jumped: &mut [bool],
    ) -> Emitted<String> {
        jumped[to.index()] = true;
        match &labels[to.index()] {
            Some(label) => Ok(format!("goto {label};")),
            None => Err(self.malformed("a jump goes nowhere")),
        }
    }

    fn jump_vertex(
        &mut self,
        cfg: &Cfg,
        v: VertexId,
        next: Option<VertexId>,
        labels: &[Option<String>],
        jumped: &mut [bool],
    ) -> Emitted<()> {
        let vertex = cfg.vertex(v);
        if cfg.exit() == Some(v) {
            return Ok(());
        }
        if let Some(selector) = vertex.kind.selector() {
            return self.jump_branch(cfg, v, selector, next, labels, jumped);
        }
        if vertex.kind.test().is_some() {
            return Err(self.malformed("a graph of jumps has a LOOP"));
        }
        self.statements(vertex.statements())?;
        let Some(to) = cfg.successors(v).next() else {
            return Err(self.malformed("a path ends before EXIT"));
        };
        if Some(to) != next {
            let goto = self.goto(to, labels, jumped)?;
            self.lines.line(goto);
        }
        Ok(())
    }

    fn jump_branch(
        &mut self,
        cfg: &Cfg,
        v: VertexId,
        selector: &Selector,
        next: Option<VertexId>,
        labels: &[Option<String>],
        jumped: &mut [bool],
    ) -> Emitted<()> {
        let edges = cfg.out_edges(v).iter().map(|&e| cfg.edge(e));
        self.pieces.begin_statement();
        let targets: HashMap<Option<i64>, VertexId> = edges.map(|e| (e.label, e.to)).collect();
        let target = |label: i64| targets.get(&Some(label)).copied();
        match selector {
            Selector::Condition(condition) => {
                let (Some(yes), Some(no)) = (target(1), target(0)) else {
                    return Err(self.malformed("a BRANCH has no arm"));
                };
                let mut code = self.decision(condition, ScalarType::Logical)?;
                let (mut yes, mut no) = (yes, no);
                if Some(yes) == next {
                    (yes, no) = (no, yes);
                    code = self.negated(code)?;
                }
                if yes != no {
                    let goto = self.goto(yes, labels, jumped)?;
                    self.lines.line(format_args!("if ({})", code.text));
                    self.lines.line(format_args!("    {goto}"));
                }
                if Some(no) != next {
                    let goto = self.goto(no, labels, jumped)?;
                    self.lines.line(goto);
                }
                Ok(())
            }
            Selector::Cases { value, arms } => {
                let code = self.decision(value, ScalarType::Integer)?;
                let name = self.helper("selector", ScalarType::Integer);
                self.lines.line(format_args!("{name} = {};", code.text));
                let mut default = None;
                for arm in arms {
                    let Some(to) = target(arm.label) else {
                        return Err(self.malformed("an arm has no edge"));
                    };
                    for range in &arm.cases {
                        let goto = self.goto(to, labels, jumped)?;
                        self.lines.line(format_args!("if ({})", test(&name, range)));
                        self.lines.line(format_args!("    {goto}"));
                    }
                    if arm.default {
                        default = Some(to);
                    }
                }
                match default {
                    Some(to) if Some(to) == next => {}
                    Some(to) => {
                        let goto = self.goto(to, labels, jumped)?;
                        self.lines.line(goto);
                    }
                    None => {
                        self.made.can_fail = true;
                        if self.checked() {
                            self.leave(super::faults::CASE);
                        } else {
                            self.lines.line("return 4;");
                        }
                    }
                }
                Ok(())
            }
        }
    }
}
