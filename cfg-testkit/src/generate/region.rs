//! Loops and branches.

use super::build::{Builder, State, Use};
use super::chance;
use super::signature::Formal;
use crate::tree::{Node, Region, Target};
use cfg_core::ir::{
    Arm, CaseRange, Control, Expr, Intent, LoopTest, Op, Place, ScalarType, Selector, Stmt,
};

/// Most executions of a place that nested loops alone may cause in one call.
const MOST_TIMES: u64 = 64;

impl Builder<'_> {
    /// The body of the main routine: a region with some constructs planted in most programs.
    pub(super) fn planned(&mut self, size: usize) -> Region {
        let mut parts = Vec::new();
        let third = size / 3;
        if self.rng.percent(45) {
            parts.push(0);
        }
        if self.rng.percent(20) {
            parts.push(1);
        }
        if self.rng.percent(20) {
            parts.push(2);
        }
        if self.rng.percent(50) {
            parts.push(3);
        }
        parts.push(4);
        self.rng.shuffle(&mut parts);
        let mut region = Region::new();
        for part in parts {
            match part {
                0 => region.extend(self.tower(third)),
                1 => region.extend(self.zero_trip(2)),
                2 => region.push(self.cases(0, size / 4)),
                3 => {
                    let calls: Vec<Stmt> = self.call_statement().into_iter().collect();
                    self.spend(calls.len() as u64);
                    region.push(Node::Block(calls));
                }
                _ => region.extend(self.region(0, size - third)),
            }
        }
        region
    }

    /// Loops and branches inside each other, often with nothing between them.
    fn tower(&mut self, size: usize) -> Region {
        let levels = 3 + self.rng.below(self.options.nesting.saturating_sub(2));
        self.level(0, levels, size)
    }

    fn level(&mut self, nest: usize, levels: usize, size: usize) -> Region {
        if nest == levels {
            return vec![Node::Block(self.statements(size.clamp(1, 6)))];
        }
        let mut region = Region::new();
        if self.rng.percent(40) {
            region.push(Node::Block(self.statements(2)));
        }
        let inner = |b: &mut Self| b.level(nest + 1, levels, size / 2);
        let node = match self.rng.below(10) {
            0..5 => self.counted(nest, &mut |b| inner(b)),
            5..7 => self.conditional_loop(nest, &mut |b| inner(b)),
            _ => None,
        };
        match node {
            Some(nodes) => region.extend(nodes),
            None => {
                let selector = Selector::Condition(self.condition(1));
                self.spend(2);
                let before = self.state.clone();
                let yes = inner(self);
                let after_yes = std::mem::replace(&mut self.state, before);
                let no = if self.rng.percent(50) {
                    Region::new()
                } else {
                    self.region(nest + 1, size / 4)
                };
                self.meet(&after_yes);
                let arms = vec![(1, yes), (0, no)];
                region.push(Node::Branch { selector, arms });
            }
        }
        if self.rng.percent(40) {
            region.push(Node::Block(self.statements(2)));
        }
        region
    }

    /// A region of about `size` statements.
    pub(super) fn region(&mut self, nest: usize, size: usize) -> Region {
        let mut region = Region::new();
        let mut left = size;
        while left > 0 {
            let deep = nest >= self.options.nesting || !self.affordable(4);
            let control = if deep { 0 } else { 1 };
            let inner = 1 + self.rng.below(left.max(2) * 2 / 3);
            let special = self.rng.percent(self.options.specials);
            if control == 1 && special {
                region.extend(self.special(nest));
                left = left.saturating_sub(2);
                continue;
            }
            let choice = self.rng.weighted(&[
                10,
                5 * control,
                4 * control,
                5 * control,
                2 * control,
                control,
                if self.general { 4 } else { 0 },
            ]);
            match choice {
                0 => {
                    let n = 1 + self.rng.below(5).min(left - 1);
                    region.push(Node::Block(self.statements(n)));
                    left -= n;
                }
                1 | 2 => {
                    let empty = self.rng.percent(6);
                    let mut body = |b: &mut Self| {
                        if empty {
                            Region::new()
                        } else {
                            b.region(nest + 1, inner)
                        }
                    };
                    let nodes = if choice == 1 || empty {
                        self.counted(nest, &mut body)
                    } else {
                        self.conditional_loop(nest, &mut body)
                    };
                    region.extend(nodes.into_iter().flatten());
                    left = left.saturating_sub(inner + 1);
                }
                3 => {
                    region.push(self.two_way(nest, inner));
                    left = left.saturating_sub(inner);
                }
                4 => {
                    region.push(self.cases(nest, inner));
                    left = left.saturating_sub(inner);
                }
                5 => {
                    region.extend(self.zero_trip(nest));
                    left = left.saturating_sub(1);
                }
                _ => {
                    region.push(self.jump());
                    left = left.saturating_sub(1);
                }
            }
        }
        if self.rng.percent(3) {
            region.push(Node::Block(vec![]));
        }
        region
    }

    /// Draws whether the routine may jump.
    pub(super) fn choose_control(&mut self) {
        self.general = chance(self.rng, self.options.jumps);
        if self.general {
            self.routine.control = Control::General;
        }
    }

    /// A jump under a condition; nothing if there is nowhere to go.
    fn jump(&mut self) -> Node {
        self.spend(1);
        let outputs = (0..self.vars.len()).filter(|&v| {
            let returned = self.routine.result == Some(self.vars[v].id);
            let out = |f: &Formal| f.intent != Intent::In && !f.optional;
            returned || self.formals.get(v).is_some_and(out)
        });
        let mut targets = Vec::new();
        if outputs.into_iter().all(|v| self.state.init[v]) {
            targets.push(Target::Exit);
        }
        for (level, &again) in self.around.iter().rev().enumerate() {
            targets.extend([Target::Behind(level); 2]);
            if again {
                targets.extend([Target::Next(level); 2]);
            }
        }
        let Some(&to) = self.rng.pick(&targets) else {
            return Node::Block(vec![]);
        };
        self.jumps += 1;
        let condition = self.condition(1);
        Node::Jump { condition, to }
    }

    /// The body of a loop, whether or not a jump to the next pass leads to what ends it.
    fn inside(&mut self, again: bool, body: &mut dyn FnMut(&mut Self) -> Region) -> Region {
        self.around.push(again);
        let body = body(self);
        self.around.pop();
        body
    }

    /// A construct that jumps would break.
    pub(super) fn without_jumps<T>(&mut self, make: impl FnOnce(&mut Self) -> T) -> T {
        let general = std::mem::take(&mut self.general);
        let made = make(self);
        self.general = general;
        made
    }

    /// Where two paths meet, only what both have initialised is.
    pub(super) fn meet(&mut self, other: &State) {
        for (a, &b) in self.state.init.iter_mut().zip(&other.init) {
            *a &= b;
        }
    }

    fn two_way(&mut self, nest: usize, size: usize) -> Node {
        let selector = Selector::Condition(self.condition(2));
        self.spend(2);
        let before = self.state.clone();
        let (yes, no) = match self.rng.below(20) {
            0 => (Region::new(), Region::new()),
            1..4 => (Region::new(), self.region(nest + 1, size)),
            4..8 => (self.region(nest + 1, size), Region::new()),
            _ => {
                let yes = self.region(nest + 1, size / 2 + 1);
                let after = std::mem::replace(&mut self.state, before.clone());
                let no = self.region(nest + 1, size / 2 + 1);
                self.meet(&after);
                (yes, no)
            }
        };
        self.meet(&before);
        let mut arms = vec![(1, yes), (0, no)];
        if self.rng.percent(30) {
            arms.swap(0, 1);
        }
        Node::Branch { selector, arms }
    }

    /// A multi-way branch.
    fn cases(&mut self, nest: usize, size: usize) -> Node {
        self.spend(2);
        let n = 2 + self.rng.below(4);
        let mut labels: Vec<i64> = Vec::new();
        while labels.len() < n {
            let label = self.rng.between(-4, 12);
            if !labels.contains(&label) {
                labels.push(label);
            }
        }
        let complete = self.rng.percent(30);
        let (value, mut next) = if complete {
            let v = self.integer_in(0, n as i64 - 1, 2);
            (self.narrowed(v, 0, n as i64 - 1), 0)
        } else {
            (self.integer(2).e, self.rng.between(-3, 1))
        };
        let default = self.rng.below(n);
        let before = self.state.clone();
        let mut after: Option<State> = None;
        let (mut arms, mut chosen_by) = (Vec::new(), Vec::new());
        for (k, &label) in labels.iter().enumerate() {
            let mut cases = Vec::new();
            if complete {
                let only = Some(k as i64);
                cases.push(CaseRange {
                    lower: only,
                    upper: only,
                });
            } else if k != default || self.rng.percent(50) {
                for _ in 0..1 + self.rng.below(2) {
                    let upper = next + *self.rng.pick(&[0, 0, 0, 2]).unwrap_or(&0);
                    cases.push(CaseRange {
                        lower: Some(next),
                        upper: Some(upper),
                    });
                    next = upper + 1 + i64::from(self.rng.percent(20));
                }
            }
            chosen_by.push(Arm {
                label,
                cases: cases.into(),
                default: !complete && k == default,
            });
            self.state = before.clone();
            let arm = if self.rng.percent(20) {
                Region::new()
            } else {
                self.region(nest + 1, size / n + 1)
            };
            if let Some(after) = &after {
                self.meet(after);
            }
            after = Some(self.state.clone());
            arms.push((label, arm));
        }
        if !complete && self.rng.percent(25) {
            // Everything below the first case belongs to the arm after the default.
            let k = (default + 1) % n;
            if let Some(first) = chosen_by[k].cases.first_mut()
                && k == 0
            {
                first.lower = None;
            }
        }
        let arms_of = chosen_by.into();
        Node::Branch {
            selector: Selector::Cases {
                value,
                arms: arms_of,
            },
            arms,
        }
    }

    /// A loop without a pass, whose bounds do not always show it.
    fn zero_trip(&mut self, nest: usize) -> Region {
        let nest = nest.min(self.options.nesting);
        let Some(index) = self.free_loop_variable(Use::LoopIndex) else {
            return Region::new();
        };
        self.spend(1);
        let (first, last, step) = match self.rng.below(4) {
            0 => (Expr::Int(1), Expr::Int(0), Expr::Int(1)),
            1 => (Expr::Int(2), Expr::Int(3), Expr::Int(-1)),
            2 => {
                let e = self.integer_in(1, 4, 1);
                let last = Expr::op(Op::Sub, [e.clone(), Expr::Int(1)]);
                (e, last, Expr::Int(2))
            }
            _ => {
                let e = self.integer_in(-3, 0, 1);
                (Expr::Int(1), e, Expr::Int(1))
            }
        };
        let test = LoopTest::Counted {
            index: self.vars[index].id,
            first,
            last,
            step,
        };
        let mut before = self.state.clone();
        self.state.init[index] = true;
        self.state.range[index] = (1, 4);
        self.locked[index] = true;
        let body = if self.rng.percent(30) {
            Region::new()
        } else {
            self.inside(true, &mut |b| b.region(nest + 1, 2))
        };
        self.locked[index] = false;
        before.init[index] = true;
        self.state = before;
        vec![Node::Loop { test, body }]
    }

    /// A variable for a loop that does not run yet.
    pub(super) fn free_loop_variable(&mut self, usage: Use) -> Option<usize> {
        let free: Vec<usize> = (0..self.vars.len())
            .filter(|&v| {
                self.vars[v].usage == usage
                    && !self.locked[v]
                    && self.vars[v].ty == ScalarType::Integer
            })
            .collect();
        // The first ones, so that they are used again and hold old values.
        free.get(self.rng.below(free.len().min(2))).copied()
    }

    fn counted(
        &mut self,
        _nest: usize,
        body: &mut dyn FnMut(&mut Self) -> Region,
    ) -> Option<Region> {
        if self.rng.percent(10)
            && let Some(region) = self.over_a_global(body)
        {
            return Some(region);
        }
        let index = self.free_loop_variable(Use::LoopIndex)?;
        let room = (MOST_TIMES / self.times.max(1))
            .min(self.limit.saturating_sub(self.cost) / (4 * self.times.max(1)));
        if room == 0 {
            return None;
        }
        let up = self.rng.percent(65);
        // The wider end is in 1 ..= 4 mostly, so that the index is good as a subscript.
        let (a, b) = (self.loop_bound(true), self.loop_bound(false));
        let ((first, first_low, first_high), (last, last_low, last_high)) =
            if up { (a, b) } else { (b, a) };
        let size = match self.rng.below(10) {
            0..6 => 1,
            6..8 => 2,
            _ => 3,
        };
        let (step, least, most) = match self.rng.below(6) {
            0 => self.variable_step(up),
            _ => {
                let s = if up { size } else { -size };
                (Expr::Int(s), size, size)
            }
        };
        let span = if up {
            last_high - first_low
        } else {
            first_high - last_low
        };
        let trips = if span < 0 { 0 } else { span / least + 1 };
        if trips as u64 > room {
            return None;
        }
        self.spend(1 + 2 * trips as u64);
        let test = LoopTest::Counted {
            index: self.vars[index].id,
            first,
            last,
            step,
        };
        let mut before = self.state.clone();
        self.state.init[index] = true;
        self.state.range[index] = if up {
            (first_low, last_high.max(first_low))
        } else {
            (last_low.min(first_high), first_high)
        };
        // Afterwards the index is at most one step beyond the bounds.
        debug_assert!(first_low - most >= self.vars[index].range.0);
        self.locked[index] = true;
        let times = self.times;
        self.times *= (trips as u64).max(1);
        let body = self.inside(true, body);
        self.times = times;
        self.locked[index] = false;
        before.init[index] = true;
        self.state = before;
        Some(vec![Node::Loop { test, body }])
    }

    /// A counted loop whose index is a global, which callers may use as a subscript: after the loop, too, it is in the
    /// range of these.
    fn over_a_global(&mut self, body: &mut dyn FnMut(&mut Self) -> Region) -> Option<Region> {
        // A routine that calls itself would write the index in its own loop.
        if self.own.is_some() {
            return None;
        }
        let mut globals = self.writable(ScalarType::Integer, false);
        globals.retain(|&v| self.vars[v].global.is_some() && self.vars[v].is_plain());
        let index = *self.rng.pick(&globals)?;
        let (low, high) = (self.rng.between(2, 3), self.rng.between(2, 3));
        let trips = (high - low + 1).max(0) as u64;
        let room = self.limit.saturating_sub(self.cost) / (4 * self.times.max(1));
        if trips > room || self.times * trips > MOST_TIMES {
            return None;
        }
        self.spend(1 + 2 * trips);
        let (first, last, step) = match self.rng.percent(65) {
            true => (low, high, 1),
            false => (high, low, -1),
        };
        let test = LoopTest::Counted {
            index: self.vars[index].id,
            first: Expr::Int(first),
            last: Expr::Int(last),
            step: Expr::Int(step),
        };
        self.note_write(index);
        self.state.init[index] = true;
        self.state.range[index] = self.vars[index].range;
        let before = self.state.clone();
        self.locked[index] = true;
        let times = self.times;
        self.times *= trips.max(1);
        let body = self.inside(true, body);
        self.times = times;
        self.locked[index] = false;
        self.state = before;
        Some(vec![Node::Loop { test, body }])
    }

    /// A bound of a counted loop and its range: the low end or the high end.
    fn loop_bound(&mut self, low_end: bool) -> (Expr, i64, i64) {
        match self.rng.below(10) {
            0..4 => {
                let k = if low_end {
                    self.rng.between(1, 2)
                } else {
                    self.rng.between(2, 4)
                };
                (Expr::Int(k), k, k)
            }
            4 => {
                let k = self.rng.between(-2, 4);
                (Expr::Int(k), k, k)
            }
            5..9 => {
                // An index variable, which the body may change.
                let vars: Vec<usize> = self
                    .readable(ScalarType::Integer, false)
                    .into_iter()
                    .filter(|&v| {
                        let (low, high) = self.state.range[v];
                        low >= -2 && high <= 6
                    })
                    .collect();
                let Some(&v) = self.rng.pick(&vars) else {
                    return (Expr::Int(3), 3, 3);
                };
                self.note_read(v);
                let (low, high) = self.state.range[v];
                (self.vars[v].value(), low, high)
            }
            _ => (self.integer_in(1, 4, 1), 1, 4),
        }
    }

    /// A step that is a variable: its magnitude is between the two numbers.
    fn variable_step(&mut self, up: bool) -> (Expr, i64, i64) {
        let vars: Vec<usize> = self
            .readable(ScalarType::Integer, false)
            .into_iter()
            .filter(|&v| {
                let (low, high) = self.state.range[v];
                low >= 1 && high <= 6
            })
            .collect();
        let Some(&v) = self.rng.pick(&vars) else {
            return (Expr::Int(if up { 1 } else { -1 }), 1, 1);
        };
        self.note_read(v);
        let (low, high) = self.state.range[v];
        let e = self.vars[v].value();
        (if up { e } else { Expr::op(Op::Neg, [e]) }, low, high)
    }

    /// A pre-test or post-test loop that a counter ends at the latest.
    fn conditional_loop(
        &mut self,
        _nest: usize,
        body: &mut dyn FnMut(&mut Self) -> Region,
    ) -> Option<Region> {
        let counter = self.free_loop_variable(Use::Counter)?;
        let id = self.vars[counter].id;
        let room = (MOST_TIMES / self.times.max(1))
            .min(self.limit.saturating_sub(self.cost) / (6 * self.times.max(1)));
        let most = 4.min(room as i64);
        if most < 1 {
            return None;
        }
        let post = self.rng.percent(35);
        let trips = self.rng.between(i64::from(post), most);
        let down = self.rng.percent(25);
        let start = self.rng.between(0, 2);
        let (first, end, op, step) = if down {
            (start + trips, start, Op::Gt, -1)
        } else {
            (start, start + trips, Op::Lt, 1)
        };
        let place = Place::whole(id);
        let next = || {
            let stepped = Expr::op(
                if down { Op::Sub } else { Op::Add },
                [id.into(), Expr::Int(1)],
            );
            Stmt::assign(Place::whole(id), stepped)
        };
        let _ = step;
        let set = Stmt::assign(place, Expr::Int(first));
        self.spend(3 + 4 * trips as u64);
        let mut before = self.state.clone();
        before.init[counter] = true;
        self.state.init[counter] = true;
        self.state.range[counter] = (first.min(end), first.max(end));
        self.locked[counter] = true;
        let bound = Expr::op(op, [id.into(), Expr::Int(end)]);
        // The condition is evaluated on arrival, so its variables must be initialised before the loop and at the end
        // of the body: those that are initialised here are.
        let condition = match self.rng.below(4) {
            0 => {
                let more = self.condition(1);
                Expr::op(Op::And, [bound, more])
            }
            _ => bound,
        };
        // As vertices 3 and 9 of the paper's example: the condition in a variable of its own.
        let flag = (0..self.vars.len()).find(|&v| {
            self.vars[v].usage == Use::Counter
                && self.vars[v].ty == ScalarType::Logical
                && !self.locked[v]
        });
        let flag = flag.filter(|_| self.rng.percent(25));
        let times = self.times;
        self.times *= trips.max(1) as u64;
        if let Some(f) = flag {
            self.locked[f] = true;
        }
        let mut inner = Region::new();
        let step_first = self.rng.percent(30);
        if step_first {
            inner.push(Node::Block(vec![next()]));
        }
        let jumps = self.jumps;
        let bare = self.general && post && self.rng.percent(40);
        let again = step_first && flag.is_none() && !bare;
        inner.extend(self.inside(again, body));
        if !step_first {
            match inner.last_mut() {
                Some(Node::Block(statements)) if self.rng.percent(60) => statements.push(next()),
                _ => inner.push(Node::Block(vec![next()])),
            }
        }
        self.times = times;
        self.locked[counter] = false;
        let mut head = vec![set];
        let test = match flag {
            None => condition,
            Some(f) => {
                self.locked[f] = false;
                let again = Stmt::assign(self.vars[f].whole(), condition);
                inner.push(Node::Block(vec![again.clone()]));
                head.push(again);
                before.init[f] = true;
                self.vars[f].value()
            }
        };
        // The first pass of a post-test loop is certain, so what it initialises is.
        if post && jumps == self.jumps {
            self.state.range = before.range;
            if let Some(f) = flag {
                self.state.init[f] = true;
            }
        } else {
            self.state = before;
        }
        let node = match (post, bare) {
            (true, true) => Node::Again {
                body: inner,
                condition: Some(test),
            },
            (true, false) => Node::Loop {
                test: LoopTest::Post(test),
                body: inner,
            },
            (false, _) => Node::Loop {
                test: LoopTest::Pre(test),
                body: inner,
            },
        };
        Some(vec![Node::Block(head), node])
    }

    /// The body of a routine that calls itself.
    pub(super) fn recursive_body(&mut self, size: usize) -> Region {
        let Some(depth) = self
            .vars
            .iter()
            .position(|v| v.range == (0, 3) && v.usage == Use::Fixed)
        else {
            return Region::new();
        };
        let id = self.vars[depth].id;
        let mut region = self.region(1, size / 3);
        let selector = Selector::Condition(Expr::op(Op::Gt, [id.into(), Expr::Int(0)]));
        let before = self.state.clone();
        self.state.range[depth] = (1, 3);
        let mut deeper = self.region(1, size / 4);
        for _ in 0..1 + usize::from(self.rng.percent(30)) {
            if let Some(call) = self.self_call(depth) {
                self.self_calls += 1;
                self.spend(1);
                deeper.push(Node::Block(vec![call]));
                deeper.extend(self.region(1, size / 4));
            }
        }
        let after = std::mem::replace(&mut self.state, before);
        let shallow = if self.rng.percent(30) {
            Region::new()
        } else {
            self.region(1, size / 4)
        };
        self.meet(&after);
        let arms = vec![(1, deeper), (0, shallow)];
        region.push(Node::Branch { selector, arms });
        region.extend(self.region(1, size / 4));
        region
    }
}
