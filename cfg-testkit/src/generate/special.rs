//! Constructs with fixed shapes that free generation would hardly meet: deferred arrays that change their
//! shape, loops and branches at the ends of the range of integers, values that opaque statements forget.

use super::build::{Builder, State, Use};
use crate::tree::{Node, Region};
use cfg_core::ir::{
    Arm, CaseRange, Expr, Extent, LoopTest, Op, Place, Range, ScalarType, Selector, Stmt, StmtKind,
    Subscript,
};

/// First, last, step and number of passes of counted loops that come near the ends, or reach far.
const FAR: [(i64, i64, i64, u64); 14] = [
    (i64::MAX - 3, i64::MAX - 1, 1, 3),
    (i64::MIN + 3, i64::MIN + 1, -1, 3),
    (i64::MAX - 6, i64::MAX - 1, 3, 2),
    (i64::MIN, i64::MIN + 2, 2, 2),
    (i64::MIN, 0, i64::MAX, 2),
    (i64::MAX, 0, -i64::MAX, 2),
    (i64::MAX, 0, i64::MIN, 1),
    (i64::MAX, i64::MAX, i64::MIN, 1),
    (i64::MIN, i64::MAX - 2, i64::MAX, 2),
    (0, (3 << 61) - 1, 1 << 61, 3),
    (i64::MAX, i64::MAX, -1, 1),
    (i64::MIN, i64::MIN, 1, 1),
    (i64::MAX, i64::MIN, 1, 0),
    (i64::MIN, i64::MAX, -1, 0),
];

impl Builder<'_> {
    /// One of these constructs.
    pub(super) fn special(&mut self, nest: usize) -> Region {
        match self.rng.below(4) {
            0 => self.without_jumps(|b| b.reshaped(nest)),
            1 => self.without_jumps(|b| b.far_loop(nest)),
            2 => self.far_cases(nest),
            _ => self.forgotten(),
        }
    }

    /// A counted loop with numbers from the ends of the range; its index is used through a remainder.
    fn far_loop(&mut self, nest: usize) -> Region {
        let Some(index) = self.free_loop_variable(Use::LoopIndex) else {
            return Region::new();
        };
        if self.times > 16 || !self.affordable(20) {
            return Region::new();
        }
        let id = self.vars[index].id;
        let (first, last, step, passes) = *self.rng.pick(&FAR).unwrap_or(&FAR[0]);
        let [mut first, mut last, mut step] = [first, last, step].map(Expr::Int);
        let mut passes = passes;
        let near: Vec<usize> = self
            .readable(ScalarType::Integer, false)
            .into_iter()
            .filter(|&v| self.state.range[v].0 >= 1 && self.state.range[v].1 <= 4)
            .collect();
        if let Some(&v) = self.rng.pick(&near)
            && self.rng.percent(35)
        {
            // As many passes as a variable says, up to an end.
            self.note_read(v);
            let count = || self.vars[v].value();
            passes = self.state.range[v].1 as u64;
            if self.rng.percent(50) {
                first = Expr::op(Op::Sub, [Expr::Int(i64::MAX), count()]);
                (last, step) = (Expr::Int(i64::MAX - 1), Expr::Int(1));
            } else {
                first = Expr::op(Op::Add, [Expr::Int(i64::MIN), count()]);
                (last, step) = (Expr::Int(i64::MIN + 1), Expr::Int(-1));
            }
        }
        self.spend(3 + 4 * passes);
        let test = LoopTest::Counted {
            index: id,
            first,
            last,
            step,
        };
        let before = self.state.clone();
        self.state.init[index] = false;
        self.locked[index] = true;
        let times = self.times;
        self.times *= passes.max(1);
        let mut body = Region::new();
        let mut statements = Vec::new();
        let rest = Expr::op(Op::Modulo, [id.into(), Expr::Int(4)]);
        let integers = self.writable(ScalarType::Integer, false);
        let fitting = integers.into_iter().filter(|&v| {
            let (low, high) = self.vars[v].range;
            low <= 1 && high >= 4
        });
        let fitting: Vec<usize> = fitting.collect();
        let value = Expr::op(Op::Add, [rest, Expr::Int(1)]);
        match self.rng.pick(&fitting) {
            Some(&v) if self.rng.percent(50) => {
                self.note_write(v);
                statements.push(Stmt::assign(self.vars[v].whole(), value));
                self.state.init[v] = true;
            }
            _ => {
                let reals = self.writable(ScalarType::Real, false);
                if let Some(&v) = self.rng.pick(&reals)
                    && self.state.init[v]
                {
                    self.note_write(v);
                    let factor = Expr::op(Op::ToReal, [value]);
                    let scaled = Expr::op(Op::Mul, [self.vars[v].value(), factor]);
                    statements.push(Stmt::assign(self.vars[v].whole(), scaled));
                }
            }
        }
        body.push(Node::Block(statements));
        if self.rng.percent(50) {
            body.extend(self.region(nest + 1, 2));
        }
        self.times = times;
        self.locked[index] = false;
        self.state = before;
        self.state.init[index] = true;
        self.state.range[index] = self.vars[index].range;
        let again = Stmt::assign(Place::whole(id), Expr::Int(self.rng.between(1, 4)));
        vec![Node::Loop { test, body }, Node::Block(vec![again])]
    }

    /// A multi-way branch with open and huge ranges, labels from anywhere, and an arm that nothing chooses.
    fn far_cases(&mut self, nest: usize) -> Region {
        const HUGE: i64 = 1 << 60;
        self.spend(3);
        let selector = match self.rng.below(4) {
            0 => Expr::Int(*self.rng.pick(&[i64::MIN, i64::MAX, 0, -1]).unwrap_or(&0)),
            1 => self.integer(1).e,
            _ => {
                let k = self.integer_in(-3, 3, 1);
                Expr::op(Op::Mul, [k, Expr::Int(HUGE - 1)])
            }
        };
        let range = |lower, upper| CaseRange { lower, upper };
        let mut ranges = vec![
            vec![range(None, Some(-HUGE))],
            vec![range(Some(1 - HUGE), Some(-1))],
            vec![range(Some(0), Some(0)), range(Some(HUGE), Some(HUGE))],
            vec![range(Some(1), Some(HUGE - 1))],
            vec![range(Some(HUGE + 1), None)],
            vec![],
        ];
        let all = [i64::MIN, i64::MAX, -1, 0, 1, 1 << 53, -7, 100];
        let mut labels = all.to_vec();
        self.rng.shuffle(&mut labels);
        self.rng.shuffle(&mut ranges);
        // Values without a label go to the default.
        let count = 2 + self.rng.below(5);
        let none = ranges.iter().take(count).position(Vec::is_empty);
        let default = none.unwrap_or(self.rng.below(count));
        let before = self.state.clone();
        let mut after: Option<State> = None;
        let (mut chosen_by, mut arms) = (Vec::new(), Vec::new());
        for (k, (label, cases)) in labels.into_iter().zip(ranges).take(count).enumerate() {
            chosen_by.push(Arm {
                label,
                cases: cases.into(),
                default: k == default,
            });
            self.state = before.clone();
            let arm = match self.rng.percent(30) {
                true => Region::new(),
                false => self.region(nest + 1, 2),
            };
            if let Some(after) = &after {
                self.meet(after);
            }
            after = Some(self.state.clone());
            arms.push((label, arm));
        }
        let selector = Selector::Cases {
            value: selector,
            arms: chosen_by.into(),
        };
        vec![Node::Branch { selector, arms }]
    }

    /// An opaque statement that writes a variable, which is assigned again before it is read.
    fn forgotten(&mut self) -> Region {
        let array = self.rng.percent(40);
        let mut candidates = self.writable(ScalarType::Real, array);
        candidates.retain(|&v| self.vars[v].is_plain());
        let Some(&v) = self.rng.pick(&candidates) else {
            return Region::new();
        };
        if self.is_allocatable(v) {
            return Region::new();
        }
        self.spend(2);
        let mut reads = self.readable(ScalarType::Real, true);
        reads.extend(self.readable(ScalarType::Integer, false));
        reads.retain(|&v| self.vars[v].is_plain());
        self.rng.shuffle(&mut reads);
        reads.truncate(2);
        for &w in &reads {
            self.note_read(w);
        }
        self.note_write(v);
        let read = Stmt::new(StmtKind::Opaque {
            text: "read".into(),
            reads: reads.into_iter().map(|v| self.vars[v].id).collect(),
            writes: [self.vars[v].id].into(),
        });
        self.state.init[v] = false;
        self.forget_overlays(v);
        let value = self.real(1);
        let set = Stmt::assign(self.vars[v].whole(), value);
        self.restore_overlays(v);
        self.state.init[v] = true;
        vec![Node::Block(vec![read, set])]
    }

    /// Views of the same storage are not read in between.
    fn forget_overlays(&mut self, v: usize) {
        self.hidden.clone_from(&self.state.init);
        for w in 0..self.vars.len() {
            if self.vars[w].global.is_some() && self.vars[w].global == self.vars[v].global {
                self.state.init[w] = false;
            }
            if self.one_name(v) && self.one_name(w) {
                self.state.init[w] = false;
            }
        }
    }

    fn restore_overlays(&mut self, v: usize) {
        let hidden = std::mem::take(&mut self.hidden);
        for (init, before) in self.state.init.iter_mut().zip(hidden) {
            *init |= before;
        }
        self.state.init[v] = true;
    }

    /// A deferred array goes through several shapes, made from itself and from others, and ends with four
    /// elements.
    fn reshaped(&mut self, nest: usize) -> Region {
        let deferred: Vec<usize> = (self.writable(ScalarType::Real, true).into_iter())
            .filter(|&v| self.is_allocatable(v) && self.vars[v].dims.len() == 1)
            .collect();
        let Some(&h) = self.rng.pick(&deferred) else {
            return Region::new();
        };
        if !self.affordable(40) {
            return Region::new();
        }
        let place = self.vars[h].whole();
        self.spend(8);
        // Marked as uninitialised, so that no other statement uses the array while its shape is unusual.
        self.state.init[h] = false;
        self.locked[h] = true;
        let mut region = Region::new();
        let mut known = Some(self.rng.between(1, 3));
        let extent = Expr::Int(known.unwrap_or(1));
        let value = self.real(1);
        let fill = Expr::op(Op::Fill, [value, extent]);
        region.push(Node::Block(vec![Stmt::assign(place.clone(), fill)]));
        for _ in 0..1 + self.rng.below(3) {
            match self.rng.below(6) {
                0 => {
                    let depth = usize::from(self.rng.percent(50));
                    let statements = self.reshape(h, &mut known, depth);
                    let before = self.state.clone();
                    let selector = Selector::Condition(self.condition(1));
                    let other = match self.rng.percent(50) {
                        true => self.statements(1),
                        false => vec![],
                    };
                    self.state = before;
                    let arms = vec![
                        (1, vec![Node::Block(statements)]),
                        (0, vec![Node::Block(other)]),
                    ];
                    known = None;
                    region.push(Node::Branch { selector, arms });
                }
                1 => region.extend(self.reshaping_loop(h, &mut known)),
                2 => region.extend(self.region(nest + 1, 1)),
                _ => {
                    let statements = self.reshape(h, &mut known, 1);
                    region.push(Node::Block(statements));
                }
            }
        }
        self.locked[h] = false;
        let mut last = self.use_of(h);
        let source = self.four_of(ScalarType::Real).map(Expr::Place);
        let restored = match source {
            Some(four) if self.rng.percent(60) => Expr::op(Op::Mul, [four, sum(&place)]),
            Some(four) => four,
            None => Expr::op(Op::Fill, [sum(&place), Expr::Int(4)]),
        };
        last.push(Stmt::assign(place, restored));
        self.state.init[h] = true;
        region.push(Node::Block(last));
        region
    }

    /// A loop that gives the array another shape in each pass.
    fn reshaping_loop(&mut self, h: usize, known: &mut Option<i64>) -> Region {
        let index = self.free_loop_variable(Use::LoopIndex);
        let Some(index) = index.filter(|_| self.times <= 16) else {
            return Region::new();
        };
        let id = self.vars[index].id;
        let place = self.vars[h].whole();
        self.spend(16);
        let fill = Expr::op(Op::Fill, [sum(&place), id.into()]);
        let times = self.times;
        self.times *= 3;
        let before = self.state.clone();
        let mut statements = vec![Stmt::assign(place, fill)];
        statements.extend(self.use_of(h));
        self.state = before;
        self.times = times;
        *known = None;
        self.state.init[index] = true;
        self.state.range[index] = self.vars[index].range;
        let test = LoopTest::Counted {
            index: id,
            first: Expr::Int(1),
            last: Expr::Int(3),
            step: Expr::Int(*self.rng.pick(&[1, 2]).unwrap_or(&1)),
        };
        let body = vec![Node::Block(statements)];
        vec![Node::Loop { test, body }]
    }

    /// A new shape, from the array itself or others; `known` is its extent where that is known.
    fn reshape(&mut self, h: usize, known: &mut Option<i64>, uses: usize) -> Vec<Stmt> {
        let id = self.vars[h].id;
        let place = Place::whole(id);
        let four = self.four_of(ScalarType::Real).map(Expr::Place);
        let mut statements = Vec::new();
        let value = match (self.rng.below(7), four, *known) {
            (0, _, _) => {
                let n = self.rng.between(0, 5);
                *known = Some(n);
                Expr::op(Op::Fill, [sum(&place), Expr::Int(n)])
            }
            (1 | 2, Some(four), _) => {
                *known = Some(4);
                Expr::op(Op::Mul, [four, sum(&place)])
            }
            (3, Some(four), before) => {
                *known = Some(4);
                let own = match before {
                    Some(n) if n > 0 && self.options.kinks && self.rng.percent(40) => {
                        Expr::op(Op::MaxVal, [id.into()])
                    }
                    _ => sum(&place),
                };
                Expr::op(Op::Add, [four, own])
            }
            (4, _, Some(n)) if n > 1 => {
                let m = self.rng.between(1, n - 1);
                *known = Some(m);
                let range = Range {
                    upper: Some(Expr::Int(m)),
                    ..Range::default()
                };
                let part = Place {
                    var: id,
                    subscripts: Box::new([Subscript::Range(Box::new(range))]),
                };
                Expr::op(Op::Mul, [Expr::Place(part), sum(&place)])
            }
            (5, _, _) => {
                let size = Expr::op(Op::ToReal, [Expr::op(Op::Size, [id.into()])]);
                Expr::op(Op::Mul, [id.into(), size])
            }
            _ => {
                let w = self.real(1);
                Expr::op(Op::Add, [id.into(), w])
            }
        };
        statements.push(Stmt::assign(place, value));
        for _ in 0..uses {
            statements.extend(self.use_of(h));
        }
        statements
    }

    /// A scalar that depends on the sum of the array.
    fn use_of(&mut self, h: usize) -> Vec<Stmt> {
        let mut targets = self.writable(ScalarType::Real, false);
        targets.retain(|&v| self.state.init[v]);
        let Some(&v) = self.rng.pick(&targets) else {
            return vec![];
        };
        self.note_write(v);
        let place = self.vars[h].whole();
        let value = Expr::op(Op::Add, [self.vars[v].value(), sum(&place)]);
        vec![Stmt::assign(self.vars[v].whole(), value)]
    }

    /// True of a local that takes its shape from assignments.
    pub(super) fn is_allocatable(&self, v: usize) -> bool {
        let var = &self.vars[v];
        var.usage == Use::Free
            && var.global.is_none()
            && self.routine.variable(var.id).role == cfg_core::ir::Role::Local
            && (self.routine.variable(var.id).shape.iter()).any(|d| d.extent == Extent::Deferred)
    }
}

fn sum(place: &Place) -> Expr {
    Expr::op(Op::Sum, [Expr::Place(place.clone())])
}
