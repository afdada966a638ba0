//! Structured programs as trees, with jumps out of loops and routines where control is general, and the graph of such a tree.
//!
//! Generators and hand-written tests think in nested regions; [`graph`] numbers the vertices from 1 in
//! the order of the text, as the paper's example does.

use cfg_core::entity::VertexId;
use cfg_core::ir::{
    Cfg, Control, Edge, Expr, LoopForm, LoopTest, Selector, Stmt, Vertex, VertexKind,
};

/// A region: a sequence of blocks, loops and branches.
pub type Region = Vec<Node>;

/// A part of a region.
#[derive(Clone, Debug, PartialEq)]
pub enum Node {
    /// A basic block, possibly empty.
    Block(Vec<Stmt>),
    /// A loop.
    Loop {
        /// The test that decides on a pass.
        test: LoopTest,
        /// The repeated region.
        body: Region,
    },
    /// A branch.
    Branch {
        /// The selector, whose value is the label of the arm.
        selector: Selector,
        /// Label and contents of each arm.
        arms: Vec<(i64, Region)>,
    },
    /// A jump under a condition.
    Jump {
        /// Control jumps if it holds.
        condition: Expr,
        /// Where to.
        to: Target,
    },
    /// A loop that is written as a jump back, which no loop vertex tells.
    Again {
        /// What is repeated.
        body: Region,
        /// Control jumps back if it holds; always if there is none, and then nothing may come after the loop.
        condition: Option<Expr>,
    },
}

/// Where a jump leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// Behind a loop around it, counted from the inside from 0.
    Behind(usize),
    /// To the end of the body of a loop around it.
    Next(usize),
    /// To the end of the routine.
    Exit,
}

/// The graph of a routine whose body is this region. Recurses on the nesting of the region. Where control is general, branches have no
/// ENDBRANCH.
pub fn graph(region: &[Node], control: Control) -> Cfg {
    let mut flat = Flat {
        general: control == Control::General,
        ..Flat::default()
    };
    let entry = flat.vertex(VertexKind::Entry);
    let mut last = flat.region(region, vec![(entry, None)]);
    last.append(&mut flat.returns);
    let exit = flat.vertex(VertexKind::Exit);
    flat.join(last, exit);
    Cfg::new(flat.vertices, flat.edges).expect("edges are between vertices that were made")
}

/// The statements of a region in the order of the text, by a depth-first walk.
pub fn blocks_mut<'a>(region: &'a mut [Node], visit: &mut impl FnMut(&'a mut Vec<Stmt>)) {
    for node in region {
        match node {
            Node::Block(statements) => visit(statements),
            Node::Loop { body, .. } | Node::Again { body, .. } => blocks_mut(body, visit),
            Node::Jump { .. } => {}
            Node::Branch { arms, .. } => {
                for (_, arm) in arms {
                    blocks_mut(arm, visit);
                }
            }
        }
    }
}

/// A vertex and the label of the edge that is to leave it.
type Open = (VertexId, Option<i64>);

#[derive(Default)]
struct Flat {
    vertices: Vec<Vertex>,
    edges: Vec<Edge>,
    general: bool,
    /// The loops around the place: where the next pass begins, and jumps out.
    around: Vec<(VertexId, Vec<Open>)>,
    returns: Vec<Open>,
}

impl Flat {
    fn vertex(&mut self, kind: VertexKind) -> VertexId {
        self.vertices
            .push(Vertex::new(self.vertices.len() as i64 + 1, kind));
        VertexId::new(self.vertices.len() - 1)
    }

    fn edge(&mut self, (from, label): Open, to: VertexId) {
        self.edges.push(Edge::new(from, to, label));
    }

    fn join(&mut self, open: Vec<Open>, to: VertexId) {
        for from in open {
            self.edge(from, to);
        }
    }

    /// A vertex behind these.
    fn next(&mut self, open: Vec<Open>, kind: VertexKind) -> VertexId {
        let vertex = self.vertex(kind);
        self.join(open, vertex);
        vertex
    }

    /// A branch behind these, with arms 1 and 0.
    fn decide(&mut self, open: Vec<Open>, condition: &Expr) -> VertexId {
        let selector = Selector::Condition(condition.clone());
        self.next(open, VertexKind::Branch(Box::new(selector)))
    }

    fn region(&mut self, region: &[Node], mut open: Vec<Open>) -> Vec<Open> {
        for node in region {
            if open.is_empty() {
                break;
            }
            open = match node {
                Node::Block(statements) => {
                    let block = self.next(open, VertexKind::Block(statements.clone()));
                    vec![(block, None)]
                }
                Node::Loop { test, body } => {
                    let header = VertexKind::Loop {
                        form: LoopForm::Loop,
                        test: Box::new(test.clone()),
                    };
                    let header = self.next(open, header);
                    // Jumps to the next pass wait for the ENDLOOP.
                    let continues = self.edges.len();
                    self.around.push((header, Vec::new()));
                    let last = self.region(body, vec![(header, Some(1))]);
                    let end = self.vertex(VertexKind::EndLoop);
                    for edge in &mut self.edges[continues..] {
                        if edge.to == header {
                            edge.to = end;
                        }
                    }
                    self.join(last, end);
                    self.edge((end, None), header);
                    let leave = self.around.pop().map(|around| around.1);
                    let mut open = vec![(header, None)];
                    open.extend(leave.into_iter().flatten());
                    open
                }
                // Without a body there is nothing to jump back to.
                Node::Again {
                    body,
                    condition: None,
                } if body.is_empty() => open,
                Node::Again { body, condition } => {
                    // The next vertex, the first one of the body.
                    let head = VertexId::new(self.vertices.len());
                    self.around.push((head, Vec::new()));
                    let mut last = self.region(body, open);
                    match condition {
                        Some(condition) => {
                            let branch = self.decide(last, condition);
                            self.edge((branch, Some(1)), head);
                            last = vec![(branch, Some(0))];
                        }
                        None => self.join(std::mem::take(&mut last), head),
                    }
                    let leave = self.around.pop().map(|around| around.1);
                    last.extend(leave.into_iter().flatten());
                    last
                }
                Node::Jump { condition, to } => {
                    let branch = self.decide(open, condition);
                    let jump = (branch, Some(1));
                    let inside = |level: usize| self.around.len().checked_sub(level + 1);
                    match *to {
                        Target::Behind(level) => match inside(level) {
                            Some(k) => self.around[k].1.push(jump),
                            None => self.returns.push(jump),
                        },
                        Target::Next(level) => match inside(level) {
                            Some(k) => self.edge(jump, self.around[k].0),
                            None => self.returns.push(jump),
                        },
                        Target::Exit => self.returns.push(jump),
                    }
                    vec![(branch, Some(0))]
                }
                Node::Branch { selector, arms } => {
                    let branch = self.next(open, VertexKind::Branch(Box::new(selector.clone())));
                    let ends: Vec<Open> = arms
                        .iter()
                        .flat_map(|(label, arm)| self.region(arm, vec![(branch, Some(*label))]))
                        .collect();
                    match self.general {
                        true => ends,
                        false => vec![(self.next(ends, VertexKind::EndBranch), None)],
                    }
                }
            };
        }
        open
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nested_loops_run_into_the_outer_end() {
        let again = || LoopTest::Pre(Expr::Logical(false));
        let inner = Node::Loop {
            test: again(),
            body: vec![],
        };
        let cfg = graph(
            &[Node::Loop {
                test: again(),
                body: vec![inner],
            }],
            Control::Structured,
        );
        let edges: Vec<_> = cfg
            .edges()
            .map(|(_, e)| (e.from.index() + 1, e.to.index() + 1, e.label))
            .collect();
        // 1 ENTRY, 2 outer LOOP, 3 inner LOOP, 4 inner ENDLOOP, 5 outer ENDLOOP, 6 EXIT.
        let expected = [
            (1, 2, None),
            (2, 3, Some(1)),
            (3, 4, Some(1)),
            (4, 3, None),
            (3, 5, None),
            (5, 2, None),
            (2, 6, None),
        ];
        assert_eq!(edges, expected);
    }

    #[test]
    fn jumps_lead_behind_loops_to_their_ends_and_to_the_exit() {
        let condition = Expr::Logical(false);
        let jump = |to| Node::Jump {
            condition: condition.clone(),
            to,
        };
        let inner = Node::Loop {
            test: LoopTest::Pre(condition.clone()),
            body: vec![
                jump(Target::Next(0)),
                jump(Target::Behind(1)),
                jump(Target::Exit),
            ],
        };
        let outer = Node::Again {
            body: vec![inner],
            condition: Some(condition.clone()),
        };
        let cfg = graph(&[outer, Node::Block(vec![])], Control::General);
        let edges: Vec<_> = cfg
            .edges()
            .map(|(_, e)| (e.from.index() + 1, e.to.index() + 1, e.label))
            .collect();
        // 1 ENTRY, 2 LOOP, 3 to 5 jumps, 6 ENDLOOP, 7 back, 8 block, 9 EXIT.
        let expected = [
            (1, 2, None),
            (2, 3, Some(1)),
            (3, 6, Some(1)),
            (3, 4, Some(0)),
            (4, 5, Some(0)),
            (5, 6, Some(0)),
            (6, 2, None),
            (2, 7, None),
            (7, 2, Some(1)),
            (7, 8, Some(0)),
            (4, 8, Some(1)),
            (8, 9, None),
            (5, 9, Some(1)),
        ];
        assert_eq!(edges, expected);
    }
}
