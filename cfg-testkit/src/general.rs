//! Random programs with general control flow.
//!
//! A seed gives a [`Case`] whose routine is a graph of blocks and jumps: nested loops with exits,
//! returns, continues and jumps into them, or any graph; LOOP and ENDLOOP vertices, used well and badly;
//! parallel edges, edges from a vertex to itself, vertices from which EXIT cannot be reached. Every block takes one
//! unit of fuel from a variable; without fuel, each decision goes towards EXIT. Cases whose run does not end even so
//! are drawn again.
//!
//! Reals are small integers, so that tangent and adjoint agree without a tolerance.

use crate::{
    case::{Case, Datum, Elements},
    interpret::Limits,
    rng::Rng,
};
use cfg_core::{
    builder::{RoutineBuilder, expr::*},
    entity::{RoutineId, VarId, VertexId},
    ir::{
        Arm, CaseRange, Cfg, Control, Edge, Expr, LoopForm, LoopTest, Op, Program, ScalarType,
        Selector, Stmt, Vertex, VertexKind,
    },
};
use std::collections::VecDeque;

/// Number of reals of each kind.
const N: usize = 3;

/// The style of a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Style {
    /// Nested loops with exits: reducible.
    Exits,
    /// The same, and jumps from anywhere to anywhere.
    Jumps,
    /// Any graph.
    Any,
}

/// An edge that has no target yet.
type Open = (usize, Option<i64>);

struct Maker {
    rng: Rng,
    style: Style,
    kinds: Vec<VertexKind>,
    edges: Vec<(usize, usize, Option<i64>)>,
    /// By vertex: arms of a BRANCH that can be taken.
    arms: Vec<i64>,
    blocks: usize,
    most: usize,
    /// Where jumps may lead.
    targets: Vec<usize>,
    exit: usize,
    v: Variables,
}

#[derive(Clone, Copy)]
struct Variables {
    a: VarId,
    fuel: VarId,
    h: VarId,
    k: VarId,
    s: [VarId; N],
    r: [VarId; N],
    w: VarId,
    index: [VarId; 2],
}

/// A loop around the current point: where `continue` leads, edges that leave it, whether to an ENDLOOP.
struct Around {
    again: usize,
    leave: Vec<Open>,
}

/// The case of a seed.
///
/// # Panics
/// If no run ends in hundred attempts.
pub fn generate(seed: u64) -> Case {
    let mut rng = Rng::new(seed ^ 0x6765_6e65_7261_6c00);
    for _ in 0..100 {
        let case = attempt(&mut rng);
        let limits = Limits {
            fuel: 20_000,
            ..Limits::default()
        };
        if case.run(limits).is_ok() {
            return case;
        }
    }
    panic!("seed {seed}: no run ends");
}

fn attempt(rng: &mut Rng) -> Case {
    let mut f = RoutineBuilder::new("f");
    let a = f.input("a", ScalarType::Real.array([N as i64]));
    let n = f.input("n", ScalarType::Integer);
    let y = f.output("y", ScalarType::Real);
    let mut local = |name: String| f.local(name, ScalarType::Real);
    let s = [0, 1, 2].map(|i| local(format!("s{i}")));
    let r = [0, 1, 2].map(|i| local(format!("r{i}")));
    let v = Variables {
        a,
        fuel: f.local("fuel", ScalarType::Integer),
        h: f.local("h", ScalarType::Integer),
        k: f.local("k", ScalarType::Integer),
        s,
        r,
        w: f.local("w", ScalarType::Real.array([N as i64])),
        index: [
            f.local("i", ScalarType::Integer),
            f.local("j", ScalarType::Integer),
        ],
    };
    f.independents([a]).dependents([y]);
    let style = [Style::Exits, Style::Jumps, Style::Any][rng.weighted(&[45, 30, 25])];
    let mut maker = Maker {
        most: 3 + rng.below(14),
        rng: rng.clone(),
        style,
        kinds: Vec::new(),
        edges: Vec::new(),
        arms: Vec::new(),
        blocks: 0,
        targets: Vec::new(),
        exit: 0,
        v,
    };
    maker.graph(n, y);
    *rng = maker.rng.clone();
    f.body(maker.finish(), Control::General);
    let routine = f.finish().expect("the builder is used right");
    let mut real = |choices: &[f64]| -> Vec<f64> {
        (0..N).map(|_| *rng.pick(choices).unwrap_or(&1.0)).collect()
    };
    let x = real(&[-1.0, 0.0, 1.0, 1.0, -1.0]);
    let direction = real(&[-2.0, -1.0, 1.0, 2.0]);
    let fuel = rng.between(0, 40);
    Case {
        program: Program {
            routines: vec![routine],
            main: Some(RoutineId::new(0)),
            ..Program::default()
        },
        main: RoutineId::new(0),
        point: vec![
            (
                a,
                Datum {
                    extents: vec![N],
                    elements: Elements::Real(x),
                },
            ),
            (
                n,
                Datum {
                    extents: Vec::new(),
                    elements: Elements::Integer(vec![fuel]),
                },
            ),
        ],
        direction: vec![(a, direction)],
        seed: vec![(y, vec![1.0])],
    }
}

fn set(v: VarId, e: impl Into<Expr>) -> Stmt {
    Stmt::assign(v.into(), e.into())
}

impl Maker {
    fn vertex(&mut self, kind: VertexKind) -> usize {
        self.kinds.push(kind);
        self.arms.push(0);
        self.kinds.len() - 1
    }

    fn join(&mut self, ends: &[Open], to: usize) {
        let edges = ends.iter().map(|&(from, label)| (from, to, label));
        self.edges.extend(edges);
    }

    fn graph(&mut self, n: VarId, y: VarId) {
        let v = self.v;
        let entry = self.vertex(VertexKind::Entry);
        let mut first = vec![set(v.fuel, n), set(v.h, 7), set(v.k, 1)];
        first.extend(v.index.map(|i| set(i, 1)));
        first.extend(v.s.map(|s| set(s, 1.0)));
        first.extend(v.r.map(|r| set(r, v.a.at(1))));
        first.push(set(v.w, 0.0));
        let first = self.vertex(VertexKind::Block(first));
        self.edges.push((entry, first, None));
        // The last block, with EXIT behind it; returns lead to either.
        let last = v.r[0] + v.r[1] * 2.0 + v.w.at(1) + v.w.at(2) * v.s[0] + v.w.at(3);
        let last = self.vertex(VertexKind::Block(vec![set(y, last)]));
        self.exit = last;
        let exit = self.vertex(VertexKind::Exit);
        self.edges.push((last, exit, None));
        if self.style == Style::Any {
            self.any(first);
            return;
        }
        let mut around = Vec::new();
        let mut ends = vec![(first, None)];
        while self.blocks < self.most {
            ends = self.sequence(ends, 3, &mut around);
            if ends.is_empty() {
                let target = self.block();
                ends = vec![(target, None)];
            }
        }
        self.join(&ends, last);
    }

    /// A block; now and then some statements.
    fn block(&mut self) -> usize {
        self.blocks += 1;
        let v = self.v;
        let c = self.rng.between(1, 40);
        let mut statements = vec![set(v.fuel, v.fuel - 1), set(v.h, modulus(v.h * 5 + c, 64))];
        for _ in 0..self.rng.below(4) {
            statements.push(self.statement());
        }
        let block = self.vertex(VertexKind::Block(statements));
        self.targets.push(block);
        block
    }

    /// Values stay small integers: `s` are -1, 0 or 1 at the point, `r` and `w` grow by one.
    fn statement(&mut self) -> Stmt {
        let v = self.v;
        let [i, j] = [0; 2].map(|_| self.rng.below(N));
        let (a, s, t) = (v.a.at(i as i64 + 1), v.s[i], v.s[j]);
        let (r, q) = (v.r[i], v.r[j]);
        match self.rng.below(10) {
            0 => set(s, t * a),
            1 => set(s, s * t),
            2 => set(r, q + t),
            3 => set(r, q * t),
            4 => set(r, r - a),
            5 => Stmt::assign(v.w.at(v.k), q * t),
            6 => set(r, v.w.at(v.k) + a),
            7 => set(v.k, modulus(v.k + i as i64, 3) + 1),
            // The assignment changes the index only: the trip count of a counted loop is fixed on entry.
            8 => set(v.index[i % 2], modulus(v.index[j % 2] + i as i64, 5)),
            _ => set(r, v.w.at(modulus(v.index[i % 2], 3) + 1) - t),
        }
    }

    /// A condition that is false when the fuel is used up.
    fn condition(&mut self) -> Expr {
        let m = self.rng.between(2, 5);
        and(gt(self.v.fuel, 0), ne(modulus(self.v.h, m), 0))
    }

    /// A BRANCH with so many arms; its selector comes at the end.
    fn branch(&mut self, arms: usize) -> usize {
        let branch = self.vertex(VertexKind::Branch(Box::new(Selector::Condition(
            Expr::Logical(true),
        ))));
        self.arms[branch] = arms as i64;
        branch
    }

    fn sequence(
        &mut self,
        mut ends: Vec<Open>,
        depth: usize,
        around: &mut Vec<Around>,
    ) -> Vec<Open> {
        for _ in 0..1 + self.rng.below(3) {
            if ends.is_empty() {
                break;
            }
            ends = match self.rng.below(if depth == 0 { 4 } else { 10 }) {
                0..=2 => {
                    let block = self.block();
                    self.join(&ends, block);
                    vec![(block, None)]
                }
                3 => self.leave(ends, around),
                4..=6 => self.decide(ends, depth, around),
                _ => self.cycle(ends, depth, around),
            };
        }
        ends
    }

    /// A jump out of loops, to a header, to the end, anywhere, or nowhere, under a condition.
    fn leave(&mut self, ends: Vec<Open>, around: &mut [Around]) -> Vec<Open> {
        let block = self.block();
        self.join(&ends, block);
        let branch = self.branch(2);
        self.edges.push((block, branch, None));
        let jump = (branch, Some(1));
        match self.rng.below(8) {
            0..=2 if !around.is_empty() => {
                let which = self.rng.below(around.len());
                around[which].leave.push(jump);
            }
            3 | 4 if !around.is_empty() => {
                let which = self.rng.below(around.len());
                self.edges.push((branch, around[which].again, Some(1)));
            }
            5 if self.style == Style::Jumps => {
                let targets = self.targets.clone();
                let to = self.rng.pick(&targets).copied().unwrap_or(self.exit);
                self.edges.push((branch, to, Some(1)));
            }
            6 => {
                // A cycle from which nothing leads to EXIT, on an arm that is never taken.
                self.arms[branch] = 1;
                let [p, q] = [0; 2].map(|_| self.vertex(VertexKind::Block(Vec::new())));
                self.edges
                    .extend([(branch, p, Some(1)), (p, q, None), (q, p, None)]);
            }
            _ => self.edges.push((branch, self.exit, Some(1))),
        }
        vec![(branch, Some(0))]
    }

    fn decide(&mut self, ends: Vec<Open>, depth: usize, around: &mut Vec<Around>) -> Vec<Open> {
        let block = self.block();
        self.join(&ends, block);
        let arms = 2 + self.rng.below(3) / 2 * 2;
        let branch = self.branch(arms);
        self.edges.push((block, branch, None));
        let mut out = Vec::new();
        for arm in 0..arms {
            let mut ends = vec![(branch, Some(arm as i64))];
            if self.rng.percent(60) {
                // Without `out`, the next arm falls through from this one.
                if self.rng.percent(20) {
                    ends.append(&mut out);
                }
                ends = self.sequence(ends, depth - 1, around);
            }
            out.extend(ends);
        }
        if self.rng.percent(30) && out.len() > 1 {
            let end = self.vertex(VertexKind::EndBranch);
            self.join(&out, end);
            out = vec![(end, None)];
        }
        out
    }

    fn cycle(&mut self, ends: Vec<Open>, depth: usize, around: &mut Vec<Around>) -> Vec<Open> {
        if self.rng.percent(60) {
            return self.typed(ends, depth, around);
        }
        let header = self.block();
        self.join(&ends, header);
        around.push(Around {
            again: header,
            leave: Vec::new(),
        });
        let mut ends = vec![(header, None)];
        if self.rng.percent(50) {
            let branch = self.branch(2);
            self.edges.push((header, branch, None));
            ends = vec![(branch, Some(1))];
            if let Some(this) = around.last_mut() {
                this.leave.push((branch, Some(0)));
            }
        }
        let ends = self.sequence(ends, depth - 1, around);
        let Some(mut this) = around.pop() else {
            return ends;
        };
        if ends.is_empty() {
            return this.leave;
        }
        let branch = self.branch(2);
        self.join(&ends, branch);
        self.edges.push((branch, header, Some(1)));
        this.leave.push((branch, Some(0)));
        this.leave
    }

    /// With LOOP and ENDLOOP; the body may have jumps in and out.
    fn typed(&mut self, ends: Vec<Open>, depth: usize, around: &mut Vec<Around>) -> Vec<Open> {
        let condition = self.condition();
        let most = modulus(self.v.h, 4);
        let last = Expr::op(Op::If, [gt(self.v.fuel, 0), most, Expr::Int(0)]);
        let step = *self.rng.pick(&[1, 1, 2, -1]).unwrap_or(&1);
        let test = match self.rng.below(5) {
            0 => LoopTest::Pre(condition),
            1 => LoopTest::Post(condition),
            _ => LoopTest::Counted {
                index: self.v.index[(depth + usize::from(self.rng.percent(20))) % 2],
                first: Expr::Int(if step < 0 { 3 } else { 1 }),
                last: if step < 0 {
                    Expr::op(Op::Sub, [Expr::Int(4), last])
                } else {
                    last
                },
                step: Expr::Int(step),
            },
        };
        let header = self.vertex(VertexKind::Loop {
            form: LoopForm::Loop,
            test: Box::new(test),
        });
        let end = self.vertex(VertexKind::EndLoop);
        self.join(&ends, header);
        self.edges.push((end, header, None));
        // Jumps to the header begin anew; to the ENDLOOP they continue.
        let again = if self.rng.percent(90) { end } else { header };
        around.push(Around {
            again,
            leave: Vec::new(),
        });
        let first = self.block();
        self.edges.push((header, first, Some(1)));
        let ends = self.sequence(vec![(first, None)], depth - 1, around);
        self.join(&ends, end);
        let leave = around.pop().map(|this| this.leave);
        let mut ends = leave.unwrap_or_default();
        ends.push((header, None));
        ends
    }

    /// Any graph.
    fn any(&mut self, first: usize) {
        let mut places: Vec<usize> = (0..self.most).map(|_| self.block()).collect();
        places.push(self.exit);
        let to = |maker: &mut Self| places[maker.rng.below(places.len())];
        let start = to(self);
        self.edges.push((first, start, None));
        for &block in &places[..self.most] {
            if self.rng.percent(35) {
                let next = to(self);
                self.edges.push((block, next, None));
                continue;
            }
            let arms = 2 + self.rng.below(3) / 2;
            let branch = self.branch(arms);
            self.edges.push((block, branch, None));
            for arm in 0..arms as i64 {
                let next = to(self);
                // Now and then through a BRANCH without a block before it, or an empty vertex.
                let next = match self.rng.below(10) {
                    0 => self.small(next),
                    _ => next,
                };
                self.edges.push((branch, next, Some(arm)));
            }
            if self.rng.percent(10) {
                // An edge from the vertex to itself; it is never taken.
                self.edges.push((branch, branch, Some(arms as i64)));
            }
        }
    }

    fn small(&mut self, next: usize) -> usize {
        match self.rng.below(3) {
            0 => {
                let branch = self.branch(2);
                self.edges
                    .extend([(branch, next, Some(0)), (branch, self.exit, Some(1))]);
                branch
            }
            1 => {
                let end = self.vertex(VertexKind::EndBranch);
                self.edges.push((end, next, None));
                end
            }
            _ => {
                // A LOOP into whose body a jump leads.
                let test = LoopTest::Pre(self.condition());
                let kind = VertexKind::Loop {
                    form: LoopForm::Loop,
                    test: Box::new(test),
                };
                let header = self.vertex(kind);
                let end = self.vertex(VertexKind::EndLoop);
                let body = self.block();
                self.edges.extend([
                    (header, body, Some(1)),
                    (body, end, None),
                    (end, header, None),
                    (header, next, None),
                ]);
                if self.rng.percent(50) {
                    let branch = self.branch(2);
                    self.edges
                        .extend([(branch, header, Some(0)), (branch, body, Some(1))]);
                    return branch;
                }
                header
            }
        }
    }

    /// Removes unreachable vertices, and decides the branches.
    fn finish(mut self) -> Cfg {
        let n = self.kinds.len();
        let mut out = vec![Vec::new(); n];
        let mut into = vec![Vec::new(); n];
        for (e, &(from, to, _)) in self.edges.iter().enumerate() {
            out[from].push(e);
            into[to].push(e);
        }
        let mut seen = vec![false; n];
        let mut work = vec![0];
        while let Some(v) = work.pop() {
            if !std::mem::replace(&mut seen[v], true) {
                work.extend(out[v].iter().map(|&e| self.edges[e].1));
            }
        }
        // Distance to the last block; a LOOP is left by its exit edge.
        let mut distance = vec![usize::MAX; n];
        let mut queue = VecDeque::from([self.exit]);
        distance[self.exit] = 0;
        while let Some(v) = queue.pop_front() {
            for &e in &into[v] {
                let (from, _, label) = self.edges[e];
                let header = matches!(self.kinds[from], VertexKind::Loop { .. });
                let never = self.arms[from] > 0 && label.is_some_and(|l| l >= self.arms[from]);
                if distance[from] == usize::MAX && !never && !(header && label.is_some()) {
                    distance[from] = distance[v] + 1;
                    queue.push_back(from);
                }
            }
        }
        for (v, leaving) in out.iter().enumerate() {
            if matches!(self.kinds[v], VertexKind::Branch(_)) {
                let arms: Vec<(i64, usize)> = (leaving.iter())
                    .map(|&e| (self.edges[e].2.unwrap_or(0), self.edges[e].1))
                    .collect();
                let open = arms.iter().filter(|a| a.0 < self.arms[v]);
                let nearest = open.min_by_key(|a| distance[a.1]).map_or(0, |a| a.0);
                let m = self.arms[v];
                let by = self.rng.between(1, 3);
                let random = modulus(Expr::op(Op::Div, [self.v.h.into(), Expr::Int(by)]), m);
                let value = Expr::op(Op::If, [gt(self.v.fuel, 0), random, Expr::Int(nearest)]);
                self.kinds[v] = VertexKind::Branch(Box::new(if arms.len() == 2 {
                    Selector::Condition(eq(value, 1))
                } else {
                    let arms = arms.iter().map(|&(label, _)| Arm {
                        label,
                        cases: Box::new([CaseRange {
                            lower: Some(label),
                            upper: Some(label),
                        }]),
                        default: false,
                    });
                    Selector::Cases {
                        value,
                        arms: arms.collect(),
                    }
                }));
            }
        }
        let mut new = vec![None; n];
        let mut vertices = Vec::new();
        for (v, kind) in self.kinds.into_iter().enumerate() {
            if seen[v] {
                new[v] = Some(VertexId::new(vertices.len()));
                vertices.push(Vertex::new(vertices.len() as i64 + 1, kind));
            }
        }
        let edges = self
            .edges
            .iter()
            .filter_map(|&(from, to, label)| Some(Edge::new(new[from]?, new[to]?, label)));
        Cfg::new(vertices, edges.collect()).expect("edges are between vertices that were made")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cfg_core::{graph::loops::LoopForest, validate::validate};

    /// The graphs are valid, and all kinds occur.
    #[test]
    fn generated_graphs_are_general() {
        let (mut irreducible, mut reducible, mut deep, mut dead) = (0, 0, 0, 0);
        for seed in 0..500 {
            let case = generate(seed);
            if let Err(problems) = validate(case.program.clone()) {
                panic!("seed {seed}: {problems}");
            }
            let Some(cfg) = &case.routine().body else {
                panic!("no body");
            };
            let forest = LoopForest::new(cfg, 0);
            if forest.loops().any(|l| !forest.get(l).is_reducible()) {
                irreducible += 1;
            } else if !forest.is_empty() {
                reducible += 1;
            }
            deep += usize::from(forest.loops().any(|l| forest.get(l).depth > 2));
            let ends = |l| {
                (forest.members(l).iter())
                    .all(|&v| cfg.vertex(VertexId::new(v)).statements().is_empty())
            };
            dead += usize::from(forest.loops().any(ends));
        }
        assert!(
            irreducible > 30 && reducible > 100 && deep > 20 && dead > 20,
            "{irreducible} {reducible} {deep} {dead}"
        );
    }
}
