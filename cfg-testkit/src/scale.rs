//! Programs of any size, for measurements of scale. Nothing here recurses.

use crate::rng::Rng;
use cfg_core::entity::{VarId, VertexId};
use cfg_core::ir::{
    Cfg, Edge, Expr, Intent, LoopForm, LoopTest, Op, Place, Program, Role, Routine, ScalarType,
    Selector, Stmt, Variable, Vertex, VertexKind,
};

/// The variables of the program: `f(in real x, out real y)` with locals.
struct Names {
    x: VarId,
    y: VarId,
    v: VarId,
    n: VarId,
    i: Vec<VarId>,
}

/// A loop or branch that has not ended.
enum Open {
    Loop { header: VertexId },
    Branch { header: VertexId, ends: Vec<Edge> },
}

struct Writer {
    routine: Routine,
    names: Names,
    vertices: Vec<Vertex>,
    edges: Vec<Edge>,
    /// Source and label of the next edge.
    from: Option<(VertexId, Option<i64>)>,
    open: Vec<Open>,
    /// Counted loops that are open.
    loops: usize,
}

/// Loops can be this deep before index variables would be shared by loops inside each other; deeper
/// ones are pre-test loops.
const INDICES: usize = 8;

impl Writer {
    fn new() -> Self {
        let mut routine = Routine {
            name: "f".to_owned(),
            ..Routine::default()
        };
        let parameter = |intent| Role::Parameter {
            intent,
            optional: false,
        };
        let mut add =
            |name: &str, ty, role| routine.add_variable(Variable::new(name, ty, vec![], role));
        let names = Names {
            x: add("x", ScalarType::Real, parameter(Intent::In)),
            y: add("y", ScalarType::Real, parameter(Intent::Out)),
            v: add("v", ScalarType::Real, Role::Local),
            n: add("n", ScalarType::Integer, Role::Local),
            i: (0..INDICES)
                .map(|k| add(&format!("i{k}"), ScalarType::Integer, Role::Local))
                .collect(),
        };
        routine.independents = vec![names.x];
        routine.dependents = vec![names.y];
        let mut writer = Self {
            routine,
            names,
            vertices: Vec::new(),
            edges: Vec::new(),
            from: None,
            open: Vec::new(),
            loops: 0,
        };
        let entry = writer.vertex(VertexKind::Entry);
        writer.from = Some((entry, None));
        let names = &writer.names;
        let start = vec![
            Stmt::assign(Place::whole(names.v), names.x.into()),
            Stmt::assign(Place::whole(names.y), names.x.into()),
            Stmt::assign(Place::whole(names.n), Expr::Int(0)),
        ];
        writer.block(start);
        writer
    }

    fn vertex(&mut self, kind: VertexKind) -> VertexId {
        let id = self.vertices.len() as i64 + 1;
        self.vertices.push(Vertex::new(id, kind));
        VertexId::new(self.vertices.len() - 1)
    }

    fn reach(&mut self, v: VertexId) {
        if let Some((from, label)) = self.from.take() {
            self.edges.push(Edge::new(from, v, label));
        }
    }

    fn block(&mut self, statements: Vec<Stmt>) {
        let v = self.vertex(VertexKind::Block(statements));
        self.reach(v);
        self.from = Some((v, None));
    }

    /// A block with one statement of the k-th kind.
    fn step(&mut self, k: usize) {
        let Names { x, y, v, n, .. } = self.names;
        let statement = match k % 4 {
            0 => Stmt::assign(Place::whole(v), Expr::op(Op::Mul, [v.into(), x.into()])),
            1 => Stmt::assign(Place::whole(y), Expr::op(Op::Add, [y.into(), v.into()])),
            2 => Stmt::assign(Place::whole(v), Expr::op(Op::Sin, [y.into()])),
            _ => Stmt::assign(Place::whole(n), Expr::op(Op::Sub, [Expr::Int(1), n.into()])),
        };
        self.block(vec![statement]);
    }

    fn begin_loop(&mut self, counted: bool) {
        let test = if counted && self.loops < INDICES {
            LoopTest::Counted {
                index: self.names.i[self.loops],
                first: Expr::Int(1),
                last: self.names.n.into(),
                step: Expr::Int(1),
            }
        } else {
            LoopTest::Pre(Expr::op(Op::Gt, [self.names.n.into(), Expr::Int(1)]))
        };
        self.loops += 1;
        let header = self.vertex(VertexKind::Loop {
            form: LoopForm::Loop,
            test: Box::new(test),
        });
        self.reach(header);
        self.from = Some((header, Some(1)));
        self.open.push(Open::Loop { header });
    }

    fn begin_branch(&mut self) {
        let less = Expr::op(Op::Lt, [self.names.v.into(), self.names.y.into()]);
        let header = self.vertex(VertexKind::Branch(Box::new(Selector::Condition(less))));
        self.reach(header);
        self.from = Some((header, Some(1)));
        let ends = Vec::new();
        self.open.push(Open::Branch { header, ends });
    }

    /// Ends the innermost open construct; for a branch this ends first one arm, then the other.
    fn end(&mut self) {
        match self.open.pop() {
            None => {}
            Some(Open::Loop { header }) => {
                self.loops -= 1;
                let end = self.vertex(VertexKind::EndLoop);
                self.reach(end);
                self.edges.push(Edge::new(end, header, None));
                self.from = Some((header, None));
            }
            Some(Open::Branch { header, mut ends }) => {
                // The target is set when the end exists.
                if let Some((from, label)) = self.from.take() {
                    ends.push(Edge::new(from, from, label));
                }
                if ends.len() == 1 {
                    self.from = Some((header, Some(0)));
                    self.open.push(Open::Branch { header, ends });
                    return;
                }
                let end = self.vertex(VertexKind::EndBranch);
                for mut edge in ends {
                    edge.to = end;
                    self.edges.push(edge);
                }
                self.from = Some((end, None));
            }
        }
    }

    fn finish(mut self) -> Program {
        while !self.open.is_empty() {
            self.end();
        }
        let exit = self.vertex(VertexKind::Exit);
        self.reach(exit);
        // Every edge was made between vertices that exist.
        self.routine.body = Cfg::new(self.vertices, self.edges);
        Program {
            routines: vec![self.routine],
            ..Program::default()
        }
    }
}

/// A program of about `vertices` vertices (at least, and few more): blocks of one statement, loops and
/// branches nested at random up to 40 deep.
pub fn mixed(vertices: usize, seed: u64) -> Program {
    let mut rng = Rng::new(seed);
    let mut w = Writer::new();
    while w.vertices.len() + w.open.len() + 1 < vertices {
        match rng.below(10) {
            0..5 => w.step(rng.below(4)),
            5 if w.open.len() < 40 => w.begin_loop(rng.percent(60)),
            6 if w.open.len() < 40 => w.begin_branch(),
            _ => w.end(),
        }
    }
    w.finish()
}

/// Loops inside each other, this deep, with a block in the middle. The first has no pass.
pub fn nested_loops(depth: usize) -> Program {
    let mut w = Writer::new();
    for _ in 0..depth {
        w.begin_loop(true);
    }
    w.step(0);
    w.finish()
}

/// Branches inside each other, this deep, each in the first arm of the one before.
pub fn nested_branches(depth: usize) -> Program {
    let mut w = Writer::new();
    for _ in 0..depth {
        w.begin_branch();
    }
    w.step(0);
    w.finish()
}

/// Blocks one after the other.
pub fn chain(blocks: usize) -> Program {
    let mut w = Writer::new();
    for k in 0..blocks {
        w.step(k);
    }
    w.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use cfg_core::validate::find_problems;

    fn size(program: &Program) -> usize {
        (program.routines[0].body.as_ref()).map_or(0, Cfg::vertex_count)
    }

    #[test]
    fn programs_are_valid_and_of_the_size_asked_for() {
        for program in [
            mixed(20_000, 1),
            nested_loops(5_000),
            nested_branches(5_000),
            chain(500),
        ] {
            let found = find_problems(&program).1;
            assert!(found.is_empty(), "{found}");
        }
        let n = size(&mixed(20_000, 2));
        assert!((20_000..20_100).contains(&n), "{n}");
        assert_eq!(size(&nested_loops(5_000)), 10_004);
    }
}
