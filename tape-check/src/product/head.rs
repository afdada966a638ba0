//! The head of a reverse loop: the number of its passes, and the decision on the next pass.

use cfg_core::{
    entity::{EdgeId, VarId, VertexId},
    ir::{Expr, LoopTest, Op, VertexKind},
};

use crate::{
    clock::Event,
    code::{Code, Key, NodeId},
    codes,
    count::{self, PASSES, Range, read_range},
    sides::At2,
};

use super::{Item, Product, Recorded, Reported, State, Value, Wait};

/// The edge by which the reverse loop goes on, and whether the decision took an item.
#[derive(Clone, Copy)]
pub(super) struct Next {
    pub(super) edge: EdgeId,
    pub(super) took: bool,
}

/// The number of passes at the entry from outside.
enum Entered {
    /// The number of passes is the value of the clock plus a constant; the count has this push and pop.
    Clock(Key, i64, [NodeId; 2]),
    /// The loop runs over the range of the LOOP with this clock.
    Range(Key),
}

const HELP: &str = "count the iterations and push the count at the loop's exit";

impl<'p> Product<'p, '_, '_> {
    /// The edge that a FORLOOP takes; `None` if that is not known yet.
    pub(super) fn head(
        &mut self,
        state: &mut State<'p>,
        v: VertexId,
        test: &'p LoopTest,
    ) -> Result<Option<Next>, Reported> {
        if state.at.wait == Wait::Steps {
            match self.enter(state, v, test) {
                Ok(Entered::Range(_)) => {
                    self.heads.entry(v).or_insert(false);
                    state.at.wait = Wait::Left;
                }
                Ok(Entered::Clock(_, more, [push, pop])) => {
                    self.heads.insert(v, true);
                    let [push, pop] = [(0, push), (1, pop)].map(|(side, node)| At2 { side, node });
                    self.check.counts.insert((push, pop));
                    state.at.wait = Wait::Entered;
                    if more == 1 {
                        // The first reverse pass undoes the pass that was not completed.
                        return Ok(self.way(v, true, false));
                    }
                }
                Err(why) => {
                    let message = format!("it is not proven how often this runs: {why}");
                    return Err(self.at(1, v, &codes::COUNT, message, HELP));
                }
            }
        }
        let Some(&key) = self.clock_of.get(&v) else {
            let message = "it is not proven that this is entered from outside".to_owned();
            return Err(self.at(1, v, &codes::COUNT, message, HELP));
        };
        loop {
            let event = match state.first(key) {
                None => return Ok(None),
                Some((_, Item::Event(event))) => event,
                Some((_, Item::Node(_))) => return Ok(None),
            };
            match (state.at.wait, event) {
                (Wait::Left | Wait::Entered, Event::Left) => {
                    state.drop_first(key);
                    state.at.wait = Wait::Pass;
                }
                (Wait::Entered | Wait::Pass, Event::Start | Event::Pass) => {
                    state.take_event(key);
                    return Ok(self.way(v, event == Event::Pass, true));
                }
                (Wait::Steps | Wait::Pass, _) | (Wait::Left, _) => {
                    let message =
                        "this runs on where the loop that it mirrors was left, or ends where it was \
                         not entered"
                            .to_owned();
                    return Err(self.at(1, v, &codes::COUNT, message, HELP));
                }
            }
        }
    }

    fn way(&self, v: VertexId, body: bool, took: bool) -> Option<Next> {
        let mut edges = self.cfg.out_edges(v).iter();
        let edge = *edges.find(|&&e| (self.cfg.edge(e).label == Some(1)) == body)?;
        Some(Next { edge, took })
    }

    /// Control enters the FORLOOP from outside.
    fn enter(
        &mut self,
        state: &State<'p>,
        v: VertexId,
        test: &'p LoopTest,
    ) -> Result<Entered, String> {
        let LoopTest::Counted {
            index,
            first,
            last,
            step,
        } = test
        else {
            return Err("it is not a counted loop".to_owned());
        };
        let mut why =
            "it runs neither over 1 .. count nor over the range of the loop backwards".to_owned();
        let mut entered = None;
        if let (Expr::Int(0), Expr::Int(1)) = (first, step) {
            let range = Range {
                count: Some(last),
                own: None,
            };
            // A loop from 0 has one pass more than its count.
            match self.ranged(state, (v, 3), (*index, first), &range, 1) {
                Ok(found) => entered = Some(found),
                Err(e) => why = e,
            }
        }
        for (k, range) in read_range(first, last, step).iter().enumerate() {
            if let (None, Some(range)) = (&entered, range) {
                match self.ranged(state, (v, k), (*index, first), range, 0) {
                    Ok(found) => entered = Some(found),
                    Err(e) => why = e,
                }
            }
        }
        let entered = entered.ok_or(why)?;
        let (Entered::Clock(key, ..) | Entered::Range(key)) = entered;
        if *self.clock_of.entry(v).or_insert(key) != key {
            return Err("it is entered with the counts of different loops".to_owned());
        }
        if *self.head_of.entry(key).or_insert(v) != v {
            return Err("two reverse loops run by the same count".to_owned());
        }
        let mut ends = self.cfg.predecessors(v);
        let passed = |u: VertexId| {
            !matches!(self.cfg.vertex(u).kind, VertexKind::EndLoop)
                || self.dominators.dominates(v.index(), u.index())
        };
        if !ends.all(passed) || self.entered_when_ended.contains(v.index()) {
            return Err("a jump leads into its body".to_owned());
        }
        if let Some(u) = self.decided_first.get(&v)
            && state.known(*u).is_none()
        {
            self.unset.insert(v);
        }
        Ok(entered)
    }

    /// The number of passes for one reading of the range.
    fn ranged(
        &mut self,
        state: &State<'p>,
        (v, way): (VertexId, usize),
        (index, start): (VarId, &Expr),
        range: &Range<'p>,
        more: i64,
    ) -> Result<Entered, String> {
        if range.own.is_none() && self.check.forward_variable(0, 1, index).is_some() {
            return Err(PASSES.to_owned());
        }
        if let Some((b, s)) = range.own {
            if !self.own.contains_key(&(v, way)) {
                let found = self.own_values(v, index, b, s);
                self.own.insert((v, way), found);
            }
            match self.own.get(&(v, way)) {
                Some(Ok(recorded)) => {
                    let popped = |(theirs, ours): &Recorded| matches!(state.known(*theirs), Some(Value::Of(v)) if v == *ours);
                    if !recorded.iter().all(popped) {
                        return Err("its bounds are not popped right before".to_owned());
                    }
                }
                Some(Err(e)) => return Err(e.clone()),
                None => {}
            }
        }
        let Some(count) = range.count else {
            let (header, [_, last, _]) = self.range_of(v)?;
            if !self.check.are_same(0, last, 1, start) {
                return Err("it does not start where the loop ends".to_owned());
            }
            return self.same_range(header);
        };
        let value = match count {
            Expr::Op(Op::Trips, operands) => Value::Trips(operands),
            e => {
                let bound = Code::whole_variable(e).and_then(|v| state.known(v));
                bound.unwrap_or(Value::Unknown)
            }
        };
        match value {
            Value::Clock(key, plus, nodes, _) => match plus.checked_add(more) {
                Some(more @ 0..=1) => Ok(Entered::Clock(key, more, nodes)),
                _ => Err("it runs more than once more than was counted".to_owned()),
            },
            Value::Trips(operands) if more == 0 => {
                let (header, bounds) = self.range_of(v)?;
                let same = |(a, b): (&Expr, &Expr)| self.check.are_same(0, a, 1, b);
                if operands.len() != 3 || !bounds.into_iter().zip(operands).all(same) {
                    return Err("it counts the trips of another range".to_owned());
                }
                self.same_range(header)
            }
            Value::Trips(_) | Value::Constant(_) | Value::Of(_) | Value::Unknown => {
                Err("its bound is neither a popped counter nor a number of trips".to_owned())
            }
        }
    }

    /// First, last and step of the LOOP that a FORLOOP mirrors.
    fn range_of(&self, v: VertexId) -> Result<(VertexId, [&'p Expr; 3]), String> {
        let header = self.mirrored[v.index()]
            .ok_or("its ENDLOOP is not the adjoint of a LOOP, whose range it could have")?;
        match &self.forward.cfg.vertex(header).kind {
            VertexKind::Loop { test, .. } => match &**test {
                LoopTest::Counted {
                    first, last, step, ..
                } => Ok((header, [first, last, step])),
                LoopTest::Pre(_) | LoopTest::Post(_) => {
                    Err("the loop is not a counted loop, its range is not known".to_owned())
                }
            },
            _ => Err("what it mirrors is no LOOP".to_owned()),
        }
    }

    /// Checks that the bounds of a LOOP, which are evaluated again, do not change while it runs.
    fn same_range(&mut self, header: VertexId) -> Result<Entered, String> {
        let key = (self.clocks.passes(header))
            .ok_or("the loop that it mirrors is also entered in another way")?;
        if !self.unchanged.contains_key(&header) {
            let mut found = Ok(());
            if let VertexKind::Loop { test, .. } = &self.forward.cfg.vertex(header).kind
                && let LoopTest::Counted {
                    first, last, step, ..
                } = &**test
            {
                let code = self.check.code(0);
                found = [first, last, step]
                    .into_iter()
                    .try_for_each(|e| self.forward.unchanged(code, header, e));
            }
            self.unchanged.insert(header, found);
        }
        match self.unchanged.get(&header) {
            Some(Err(e)) => Err(e.clone()),
            _ => Ok(Entered::Range(key)),
        }
    }

    /// Checks an index that runs over the values of the LOOP's index. Returns the variables that must have recorded
    /// values.
    fn own_values(
        &self,
        v: VertexId,
        index: VarId,
        b: &Expr,
        s: count::Step<'_>,
    ) -> Result<Vec<Recorded>, String> {
        let (header, [first, _, step]) = self.range_of(v)?;
        let VertexKind::Loop { test, .. } = &self.forward.cfg.vertex(header).kind else {
            return Err("what it mirrors is no LOOP".to_owned());
        };
        let LoopTest::Counted { index: theirs, .. } = &**test else {
            return Err("the loop is not a counted loop".to_owned());
        };
        if !self.check.same_variable(0, *theirs, 1, index) {
            return Err("it runs over the range with another index".to_owned());
        }
        let code = self.check.code(0);
        let mut recorded = Vec::new();
        let mut has = |e: &Expr, original: &Expr| {
            if self.check.are_same(0, original, 1, e)
                && self.forward.unchanged(code, header, original).is_ok()
            {
                return true;
            }
            let Some(theirs) = Code::whole_variable(e) else {
                return false;
            };
            let Some(ours) = self.check.forward_variable(0, 1, theirs) else {
                return false;
            };
            recorded.push((theirs, ours));
            self.forward.recorded(code, header, ours, original)
        };
        if !has(b, first) {
            return Err("it does not end where the loop starts".to_owned());
        }
        let step_agrees = match (s, step) {
            (count::Step::Constant(s), Expr::Int(k)) => s == *k,
            (count::Step::Of(e), step) => has(e, step),
            (count::Step::Constant(_), _) => false,
        };
        match step_agrees {
            true => Ok(recorded),
            false => Err("its step is not the negated step of the loop".to_owned()),
        }
    }
}
