//! Structured programs as trees, and the graph of such a tree.
//!
//! Generators and hand-written tests think in nested regions; [`graph`] numbers the vertices from 1 in
//! the order of the text, as the paper's example does.

use cfg_core::entity::VertexId;
use cfg_core::ir::{Cfg, Edge, LoopForm, LoopTest, Selector, Stmt, Vertex, VertexKind};

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
}

/// The graph of a routine whose body is this region. Recurses on the nesting of the region.
pub fn graph(region: &[Node]) -> Cfg {
    let mut flat = Flat::default();
    let entry = flat.vertex(VertexKind::Entry);
    let last = flat.region(region, (entry, None));
    let exit = flat.vertex(VertexKind::Exit);
    flat.edge(last, exit);
    Cfg::new(flat.vertices, flat.edges).expect("edges are between vertices that were made")
}

/// The statements of a region in the order of the text, by a depth-first walk.
pub fn blocks_mut<'a>(region: &'a mut [Node], visit: &mut impl FnMut(&'a mut Vec<Stmt>)) {
    for node in region {
        match node {
            Node::Block(statements) => visit(statements),
            Node::Loop { body, .. } => blocks_mut(body, visit),
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

    fn region(&mut self, region: &[Node], mut open: Open) -> Open {
        for node in region {
            open = match node {
                Node::Block(statements) => {
                    let block = self.vertex(VertexKind::Block(statements.clone()));
                    self.edge(open, block);
                    (block, None)
                }
                Node::Loop { test, body } => {
                    let header = self.vertex(VertexKind::Loop {
                        form: LoopForm::Loop,
                        test: Box::new(test.clone()),
                    });
                    self.edge(open, header);
                    let last = self.region(body, (header, Some(1)));
                    let end = self.vertex(VertexKind::EndLoop);
                    self.edge(last, end);
                    self.edge((end, None), header);
                    (header, None)
                }
                Node::Branch { selector, arms } => {
                    let branch = self.vertex(VertexKind::Branch(Box::new(selector.clone())));
                    self.edge(open, branch);
                    let ends: Vec<Open> = arms
                        .iter()
                        .map(|(label, arm)| self.region(arm, (branch, Some(*label))))
                        .collect();
                    let end = self.vertex(VertexKind::EndBranch);
                    for last in ends {
                        self.edge(last, end);
                    }
                    (end, None)
                }
            };
        }
        open
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cfg_core::ir::Expr;

    #[test]
    fn nested_loops_run_into_the_outer_end() {
        let again = || LoopTest::Pre(Expr::Logical(false));
        let inner = Node::Loop {
            test: again(),
            body: vec![],
        };
        let cfg = graph(&[Node::Loop {
            test: again(),
            body: vec![inner],
        }]);
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
}
