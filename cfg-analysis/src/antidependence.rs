//! Anti-dependences between elements of arrays: may a read come before a write of the same cell?
//!
//! Let R be a read and W a write of elements of one array, in a structured graph, and L(1) ... L(c) the loops around
//! the two, from the outside. A run of R comes before a run of W in one of c + 1 ways: for some k the two are in the
//! same passes of L(1) ... L(k-1), and R is in an earlier pass of L(k); or they are in the same passes of all, and R
//! stands before W in the order of the graph. For each way the two are of the same cell only if there are integers
//! with
//!
//! ```text
//! first ≤ i ≤ last                  for the index i of each counted loop around R, and around W: step > 0
//! last ≤ i ≤ first                  step < 0
//! i(R) = i(W)                       for L(1) ... L(k-1)
//! i(R) + step ≤ i(W)                for L(k), step > 0
//! i(R) + step ≥ i(W)                for L(k), step < 0
//! s(R) = s(W)                       for each dimension of the array, with subscripts s
//! ```
//!
//! Bounds and subscripts are linear in indices and in names that nothing writes in between; others give no
//! inequality. Inequalities of the form x - y ≤ c, where y may be 0, after division by the greatest common divisor of
//! the coefficients, have no solution if and only if the graph with an edge of length c from y to x for each of them
//! has a cycle of negative length (T. Cormen, C. Leiserson, R. Rivest, C. Stein, *Introduction to Algorithms*, section
//! 24.4); R. Allen and K. Kennedy, *Optimizing Compilers for Modern Architectures* (2001), chapter 3, has the terms.
//! Other inequalities are left out. So the answer "never" is certain, and "may" is not.
//!
//! Integers do not wrap: a sum that does not fit is an error of the run.

use cfg_core::{
    dataflow::Position,
    entity::{VarId, VertexId},
    flat::{Constant, FlatExpr},
    ir::{Cfg, Expr, LoopTest, Op, Place, ScalarType, Subscript, Variable, VertexKind},
    structure::Structure,
};
use std::ops::RangeInclusive;

/// Most loops around an access that are looked at.
const MOST_LOOPS: usize = 8;

/// Most indices and names in one system.
const MOST_NAMES: usize = 24;

/// A read or a write of cells in a graph.
#[derive(Clone, Debug, PartialEq)]
pub struct Access {
    /// The statement.
    pub at: Position,
    /// True of a read that comes before what its statement writes.
    pub is_before: bool,
    /// The element; another place stands for any cell.
    pub place: Place,
}

/// A structured graph whose accesses are compared.
pub struct Nest<'a> {
    /// The variables of the routine.
    pub variables: &'a [Variable],
    /// The graph.
    pub cfg: &'a Cfg,
    /// The nesting of the graph.
    pub structure: &'a Structure,
    /// True if an integer scalar may be written at some position of the structure's order in a range; a counted loop
    /// writes its index at its header.
    pub is_written_in: &'a dyn Fn(VarId, &RangeInclusive<u32>) -> bool,
}

impl Nest<'_> {
    /// True unless no run of the read that comes before a run of the write is of the same cell.
    pub fn may_precede(&self, read: &Access, write: &Access) -> bool {
        let [Some(of_read), Some(of_write)] = [read, write].map(|a| self.loops_around(a.at.vertex))
        else {
            return true;
        };
        let pairs = of_read.iter().zip(&of_write);
        let common = pairs.take_while(|(a, b)| a == b).count();
        let order = |a: &Access| (self.position(a.at.vertex), a.at.statement);
        let stands_before =
            order(read) < order(write) || order(read) == order(write) && read.is_before;
        let are_elements = read.place.is_element() && write.place.is_element();
        if read.place.var != write.place.var || !are_elements {
            return common > 0 || stands_before;
        }
        let both: [(&Access, &[VertexId]); 2] = [(read, &of_read), (write, &of_write)];
        let is_in_later_pass = |level: usize| match self.step(of_read[level]) {
            Some(step) => self.may_be_same(level, step, both),
            None => [1, -1]
                .iter()
                .any(|&step| self.may_be_same(level, step, both)),
        };
        (0..common).any(is_in_later_pass) || stands_before && self.may_be_same(common, 0, both)
    }

    /// The step of a counted loop, if it is constant.
    fn step(&self, header: VertexId) -> Option<i64> {
        match self.cfg.vertex(header).kind.test()? {
            LoopTest::Counted {
                step: Expr::Int(step),
                ..
            } => Some(*step),
            LoopTest::Counted { .. } | LoopTest::Pre(_) | LoopTest::Post(_) => None,
        }
    }

    fn position(&self, v: VertexId) -> u32 {
        self.structure.position[v.index()]
    }

    /// The headers of the loops around a vertex, the outermost first; none if there are many.
    fn loops_around(&self, v: VertexId) -> Option<Vec<VertexId>> {
        if self.structure.loop_depth[v.index()] as usize > MOST_LOOPS {
            return None;
        }
        let outward = |v: &VertexId| self.structure.parent[v.index()];
        let around = std::iter::successors(outward(&v), outward);
        let is_loop = |v: &VertexId| matches!(self.cfg.vertex(*v).kind, VertexKind::Loop { .. });
        let mut loops: Vec<VertexId> = around.filter(is_loop).collect();
        loops.reverse();
        Some(loops)
    }

    /// The positions of the body of a loop.
    fn body(&self, header: VertexId) -> RangeInclusive<u32> {
        let end = self.structure.partner(header).unwrap_or(header);
        self.position(header) + 1..=self.position(end)
    }

    /// True if the inequalities of one way may have a solution: the two accesses are in the same passes of the loops
    /// outside of `level`, and the read is in a pass of the next common loop that is earlier by `step` of its index; 0
    /// where they are in the same passes of all common loops.
    fn may_be_same<'s>(
        &'s self,
        level: usize,
        step: i64,
        [read, write]: [(&'s Access, &'s [VertexId]); 2],
    ) -> bool {
        let shared = if step == 0 { level } else { level + 1 };
        let innermost = shared.checked_sub(1);
        let mut system = System {
            nest: self,
            level,
            between: innermost.map_or(0..=u32::MAX, |l| self.body(read.1[l])),
            loops: [read.1, write.1],
            names: vec![Name::Zero],
            edges: Vec::new(),
            is_contradiction: false,
        };
        for depth in 0..read.1.len() {
            system.index_is_in_range(Side::Read, depth);
        }
        for depth in level..write.1.len() {
            system.index_is_in_range(Side::Write, depth);
        }
        if step != 0 {
            system.read_is_in_earlier_pass(step);
        }
        let subscripts = |access: &'s Access| access.place.subscripts.iter().map(Subscript::index);
        for (a, b) in subscripts(read.0).zip(subscripts(write.0)) {
            let a = a.and_then(|a| system.linear(a, Side::Read, read.1.len()));
            let b = b.and_then(|b| system.linear(b, Side::Write, write.1.len()));
            system.are_equal(a, b);
        }
        system.may_have_solution()
    }
}

/// One of two accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Read,
    Write,
}

/// An integer that is the same wherever a system has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Name {
    Zero,
    /// The index of a loop around both accesses, of which they are in the same pass.
    Common(usize),
    /// The index of a loop around one access.
    Index(Side, usize),
    /// A variable that nothing writes between the two accesses.
    Variable(VarId),
}

/// A sum of integers with coefficients.
#[derive(Clone, Debug, Default)]
struct Linear {
    /// The numbers of names, each once.
    terms: Vec<(usize, i128)>,
    constant: i128,
}

impl Linear {
    /// The sum with `factor` times another one, if the numbers fit.
    fn plus(mut self, factor: i128, other: &Self) -> Option<Self> {
        for (name, k) in &other.terms {
            let k = factor.checked_mul(*k)?;
            match self.terms.iter_mut().find(|term| term.0 == *name) {
                Some(term) => term.1 = term.1.checked_add(k)?,
                None => self.terms.push((*name, k)),
            }
        }
        let constant = factor.checked_mul(other.constant)?;
        self.constant = self.constant.checked_add(constant)?;
        self.terms.retain(|term| term.1 != 0);
        Some(self)
    }

    /// The greatest common divisor of the coefficients; 0 if there are none.
    fn divisor(&self) -> i128 {
        let terms = self.terms.iter();
        terms.fold(0, |divisor, &(_, mut b)| {
            let mut a: i128 = divisor;
            while b != 0 {
                (a, b) = (b, a.checked_rem(b).unwrap_or(0));
            }
            a.saturating_abs()
        })
    }
}

/// The inequalities of one way.
struct System<'a> {
    nest: &'a Nest<'a>,
    /// The number of loops of which both accesses are in the same pass.
    level: usize,
    /// The positions at which statements may be executed between the two accesses.
    between: RangeInclusive<u32>,
    loops: [&'a [VertexId]; 2],
    names: Vec<Name>,
    /// The inequalities x - y ≤ c, as (y, x, c).
    edges: Vec<(usize, usize, i128)>,
    /// True if some inequality has no solution by itself.
    is_contradiction: bool,
}

impl<'a> System<'a> {
    /// The integer with a name; none if there are many.
    fn name(&mut self, name: Name) -> Option<Linear> {
        let known = self.names.iter().position(|n| *n == name);
        let number = known.unwrap_or(self.names.len());
        if number == MOST_NAMES {
            return None;
        }
        if known.is_none() {
            self.names.push(name);
        }
        Some(Linear {
            terms: vec![(number, 1)],
            constant: 0,
        })
    }

    /// The test of the loop at a depth around an access, if it is counted.
    fn counted(&self, side: Side, depth: usize) -> Option<(VarId, [&'a Expr; 3])> {
        let header = *self.loops[side as usize].get(depth)?;
        match self.nest.cfg.vertex(header).kind.test()? {
            LoopTest::Counted {
                index,
                first,
                last,
                step,
            } => Some((*index, [first, last, step])),
            LoopTest::Pre(_) | LoopTest::Post(_) => None,
        }
    }

    /// The index of the loop at a depth, unless its body may write it.
    fn index(&mut self, side: Side, depth: usize) -> Option<Linear> {
        let (index, _) = self.counted(side, depth)?;
        let body = self.nest.body(self.loops[side as usize][depth]);
        if (self.nest.is_written_in)(index, &body) {
            return None;
        }
        self.name(match depth < self.level {
            true => Name::Common(depth),
            false => Name::Index(side, depth),
        })
    }

    /// The value of a variable inside the outermost `depth` loops around an access.
    fn variable(&mut self, v: VarId, side: Side, depth: usize) -> Option<Linear> {
        let variable = &self.nest.variables[v.index()];
        if variable.ty != ScalarType::Integer || variable.rank() > 0 {
            return None;
        }
        let mut outward = (0..depth).rev();
        let is_index = |l: &usize| self.counted(side, *l).is_some_and(|(index, _)| index == v);
        if let Some(l) = outward.find(is_index) {
            return self.index(side, l);
        }
        // A bound of a loop of which both accesses are in the same pass was evaluated before the pass.
        let header = self.loops[side as usize].get(depth);
        let bounded = header.filter(|_| depth < self.level);
        let is_written = (self.nest.is_written_in)(v, &self.between)
            || bounded.is_some_and(|&h| (self.nest.is_written_in)(v, &self.nest.body(h)));
        (!is_written).then(|| self.name(Name::Variable(v)))?
    }

    /// An expression that is evaluated inside the outermost `depth` loops around an access, if it is linear.
    fn linear(&mut self, e: &Expr, side: Side, depth: usize) -> Option<Linear> {
        let constant = |n: i64| Linear {
            terms: Vec::new(),
            constant: i128::from(n),
        };
        match FlatExpr::view(e) {
            FlatExpr::Constant(Constant::Int(n)) => Some(constant(n)),
            FlatExpr::Place(place) if place.subscripts.is_empty() => {
                self.variable(place.var, side, depth)
            }
            FlatExpr::Op(Op::Add, operands) => operands.iter().try_fold(constant(0), |sum, e| {
                let term = self.linear(e, side, depth)?;
                sum.plus(1, &term)
            }),
            FlatExpr::Op(Op::Sub, [a, b]) => {
                let a = self.linear(a, side, depth)?;
                let b = self.linear(b, side, depth)?;
                a.plus(-1, &b)
            }
            FlatExpr::Op(Op::Neg, [e]) => {
                let e = self.linear(e, side, depth)?;
                constant(0).plus(-1, &e)
            }
            FlatExpr::Op(Op::Mul, [Expr::Int(k), e] | [e, Expr::Int(k)]) => {
                let e = self.linear(e, side, depth)?;
                constant(0).plus(i128::from(*k), &e)
            }
            FlatExpr::Constant(Constant::Real(_) | Constant::Real32(_) | Constant::Logical(_))
            | FlatExpr::Place(_)
            | FlatExpr::Op(..) => None,
        }
    }

    fn index_is_in_range(&mut self, side: Side, depth: usize) {
        let index = self.index(side, depth);
        let Some((_, [first, last, Expr::Int(step)])) = self.counted(side, depth) else {
            return;
        };
        let (least, most) = if *step > 0 {
            (first, last)
        } else {
            (last, first)
        };
        let least = self.linear(least, side, depth);
        self.is_at_least(index.clone(), least);
        let most = self.linear(most, side, depth);
        self.is_at_least(most, index);
    }

    fn read_is_in_earlier_pass(&mut self, step: i64) {
        let level = self.level;
        let [read, write] = [Side::Read, Side::Write].map(|side| self.index(side, level));
        let constant = i128::from(step);
        let next = read.and_then(|read| {
            let terms = Vec::new();
            read.plus(1, &Linear { terms, constant })
        });
        match step > 0 {
            true => self.is_at_least(write, next),
            false => self.is_at_least(next, write),
        }
    }

    fn are_equal(&mut self, a: Option<Linear>, b: Option<Linear>) {
        let (Some(a), Some(b)) = (a, b) else { return };
        let Some(difference) = a.clone().plus(-1, &b) else {
            return;
        };
        let divisor = difference.divisor().max(1);
        // Without coefficients, the constant has to be 0.
        let is_multiple = difference.constant % divisor == 0;
        self.is_contradiction |= !is_multiple;
        self.is_at_least(Some(a.clone()), Some(b.clone()));
        self.is_at_least(Some(b), Some(a));
    }

    /// Adds a ≥ b, if it is an inequality of two integers.
    fn is_at_least(&mut self, a: Option<Linear>, b: Option<Linear>) {
        let Some(difference) = a.zip(b).and_then(|(a, b)| a.plus(-1, &b)) else {
            return;
        };
        let divisor = difference.divisor().max(1);
        let constant = difference.constant.div_euclid(divisor);
        let terms = difference
            .terms
            .iter()
            .map(|(name, k)| (*name, k / divisor));
        match *terms.collect::<Vec<_>>() {
            [] => self.is_contradiction |= constant < 0,
            [(x, -1)] => self.edges.push((0, x, constant)),
            [(y, 1)] => self.edges.push((y, 0, constant)),
            [(y, 1), (x, -1)] | [(x, -1), (y, 1)] => self.edges.push((y, x, constant)),
            _ => {}
        }
    }

    /// False if a cycle is negative: R. Bellman's and L. Ford's shortest paths from everywhere.
    fn may_have_solution(&self) -> bool {
        if self.is_contradiction {
            return false;
        }
        let mut distance = vec![0_i128; self.names.len()];
        for _ in 0..=self.names.len() {
            let mut is_stable = true;
            for &(from, to, length) in &self.edges {
                let through = distance[from].saturating_add(length);
                if through < distance[to] {
                    distance[to] = through;
                    is_stable = false;
                }
            }
            if is_stable {
                return true;
            }
        }
        false
    }
}
