//! The proof that a reverse loop runs as often as the loop that it mirrors.
//!
//! The trip count of the reverse loop is `N` if it runs over `1 .. N`, or over `B + (N-1)*S` down to `B`
//! in steps of `-S`, for any `B` and any `S` but 0. `N` is either a popped counter, or `trips(first,
//! last, step)` of the loop itself. With a step of 1 or -1 the loop may also run from `last` to `first`.

use cfg_core::{
    entity::VarId,
    ir::{Expr, LoopTest, Op},
};

use crate::{
    code::{Code, Kind, NodeId, Written, is_increment},
    same::are_identical,
    sides::{At2, PairCheck},
};

/// The reason why a reverse loop that counts passes has an index of its own.
pub(crate) const PASSES: &str =
    "its index counts passes, and is a variable of the forward sweep that has other values there";

/// The source from which the reverse sweep knows a trip count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Count {
    /// The trip count comes from the tape: push and pop.
    Taped(NodeId, NodeId),
    /// The trip count comes from the bounds of the loop, evaluated again.
    Recomputed,
}

/// A reverse loop's range.
pub(crate) struct Range<'p> {
    /// `N`, or `None` where the range is that of the loop with `first` and `last` exchanged.
    pub(crate) count: Option<&'p Expr>,
    /// `B` and `S` where the index runs over the loop's own values.
    pub(crate) own: Option<(&'p Expr, Step<'p>)>,
}

/// The step of the loop, negated as in the reverse loop.
#[derive(Clone, Copy)]
pub(crate) enum Step<'p> {
    Constant(i64),
    Of(&'p Expr),
}

impl<'p> PairCheck<'p, '_> {
    /// Checks the trip counts of two loops.
    pub(crate) fn count(&self, f: At2, r: At2) -> Result<Count, String> {
        let (forward, reverse) = (self.code(f.side), self.code(r.side));
        let (Kind::Loop { test, .. }, Kind::Loop { test: back, .. }) =
            (&forward.nodes[f.node].kind, &reverse.nodes[r.node].kind)
        else {
            return Err("these are not two loops".to_owned());
        };
        let LoopTest::Counted {
            index,
            first,
            last,
            step,
        } = back
        else {
            return Err("the reverse loop is not a counted loop".to_owned());
        };
        // A range can have several readings: 1 .. n with step 1 is also n .. 1 backwards.
        let mut why =
            "the reverse loop runs neither over 1 .. count nor over the range of the loop \
                       backwards"
                .to_owned();
        for range in read_range(first, last, step).into_iter().flatten() {
            match self.ranged(f, r, test, *index, first, &range) {
                Ok(count) => return Ok(count),
                Err(e) => why = e,
            }
        }
        Err(why)
    }

    /// [`Self::count`], for one reading of the reverse loop's range.
    fn ranged(
        &self,
        f: At2,
        r: At2,
        test: &LoopTest,
        index: VarId,
        start: &Expr,
        range: &Range<'_>,
    ) -> Result<Count, String> {
        match range.own {
            Some((b, s)) => self.own_values(f, r, test, index, b, s)?,
            None => self.other_index(f, r, test, index)?,
        }
        let Some(count) = range.count else {
            let LoopTest::Counted { last, .. } = test else {
                return Err("the loop is not a counted loop, its range is not known".to_owned());
            };
            if !self.are_same(f.side, last, r.side, start) {
                return Err("the reverse loop does not start where the loop ends".to_owned());
            }
            return self.unchanged_bounds(f, test);
        };
        match count {
            Expr::Op(Op::Trips, operands) => self.trips(f, r, test, operands),
            e => match Code::whole_variable(e) {
                Some(v) => self.taped(f, r, v),
                None => Err(
                    "the bound of the reverse loop is neither popped nor a number of trips"
                        .to_owned(),
                ),
            },
        }
    }

    /// The count is `trips(first, last, step)` of the loop.
    fn trips(&self, f: At2, r: At2, test: &LoopTest, operands: &[Expr]) -> Result<Count, String> {
        let LoopTest::Counted {
            first, last, step, ..
        } = test
        else {
            return Err("the loop is not a counted loop, its trips are not known".to_owned());
        };
        let same = |(a, b): (&Expr, &Expr)| self.are_same(f.side, a, r.side, b);
        if operands.len() != 3 || ![first, last, step].into_iter().zip(operands).all(same) {
            return Err("the reverse loop counts the trips of another range".to_owned());
        }
        self.unchanged_bounds(f, test)
    }

    /// Bounds that are evaluated again must not change while the loop runs.
    fn unchanged_bounds(&self, f: At2, test: &LoopTest) -> Result<Count, String> {
        if let LoopTest::Counted {
            first, last, step, ..
        } = test
        {
            for e in [first, last, step] {
                self.unwritten(f, e)?;
            }
        }
        Ok(Count::Recomputed)
    }

    /// The variables of an expression keep their values while the loop runs.
    fn unwritten(&self, f: At2, e: &Expr) -> Result<(), String> {
        let code = self.code(f.side);
        let node = &code.nodes[f.node];
        code.unwritten(e, |v| code.writes_within(v, node.begin, node.end))
    }

    /// The index of a reverse loop that counts passes must be none of the forward sweep's variables, which have other
    /// values.
    fn other_index(&self, f: At2, r: At2, test: &LoopTest, index: VarId) -> Result<(), String> {
        let is_theirs = match test {
            _ if f.side != r.side => self.forward_variable(f.side, r.side, index).is_some(),
            LoopTest::Counted { index: theirs, .. } => *theirs == index,
            LoopTest::Pre(_) | LoopTest::Post(_) => false,
        };
        match is_theirs {
            true => Err(PASSES.to_owned()),
            false => Ok(()),
        }
    }

    /// Checks a reverse loop whose index runs over the values of the loop's index, backwards.
    fn own_values(
        &self,
        f: At2,
        r: At2,
        test: &LoopTest,
        index: VarId,
        b: &Expr,
        s: Step<'_>,
    ) -> Result<(), String> {
        let LoopTest::Counted {
            index: theirs,
            first,
            step,
            ..
        } = test
        else {
            return Err(
                "the reverse loop runs over a range, the loop is not a counted loop".into(),
            );
        };
        if !self.same_variable(f.side, *theirs, r.side, index) {
            return Err("the reverse loop runs over the range with another index".to_owned());
        }
        // A value is right if it was recorded, or is evaluated again and the loop does not change it.
        let has = |e: &Expr, original: &Expr| match self.are_same(f.side, original, r.side, e) {
            _ if self.recorded(f, r, original, e) => Ok(true),
            true => self.unwritten(f, original).map(|()| true),
            false => Ok(false),
        };
        if !has(b, first)? {
            return Err("the reverse loop does not end where the loop starts".to_owned());
        }
        let step_agrees = match (s, step) {
            (Step::Constant(s), Expr::Int(k)) => s == *k,
            (Step::Of(e), step) => has(e, step)?,
            (Step::Constant(_), _) => false,
        };
        if !step_agrees {
            return Err("the step of the reverse loop is not the negated step of the loop".into());
        }
        Ok(())
    }

    /// True if an expression of the reverse sweep is a variable to which the forward sweep assigned the
    /// loop's expression right before the loop, and which is popped right before the reverse loop.
    fn recorded(&self, f: At2, r: At2, original: &Expr, e: &Expr) -> bool {
        let code = self.code(f.side);
        let node = &code.nodes[f.node];
        let Some(theirs) = Code::whole_variable(e) else {
            return false;
        };
        let Some(v) = self.forward_variable(f.side, r.side, theirs) else {
            return false;
        };
        let Some(write) = code.last_write(v, node.begin) else {
            return false;
        };
        let Written::Assigned(target, value) = write.what else {
            return false;
        };
        let mut changed = code.writes_within(v, node.begin, node.end);
        original.walk_places(&mut |p| {
            changed |= code.writes_within(p.var, write.at, node.begin - 1);
        });
        let back = &self.code(r.side).nodes[r.node];
        let popped = self.code(r.side).popped(theirs, back.region, back.begin);
        let push = popped.and_then(|pop| self.partner(r.side, pop));
        // The push follows the assignment in the same region, without another assignment in between.
        let is_pushed = push.filter(|p| p.side == f.side).is_some_and(|push| {
            let push = &code.nodes[push.node];
            matches!(&push.kind, Kind::Push { value, .. } if Code::whole_variable(value) == Some(v))
                && push.region == write.region
                && push.begin > write.at
                && !code.writes_within(v, write.at + 1, push.begin)
        });
        write.region == node.region
            && is_pushed
            && code.is_local_scalar(v)
            && target.subscripts.is_empty()
            && are_identical(value, original)
            && !changed
    }

    /// Checks a popped count: the push must be that of the loop's counter.
    fn taped(&self, f: At2, r: At2, bound: VarId) -> Result<Count, String> {
        let (forward, reverse) = (self.code(f.side), self.code(r.side));
        let back = &reverse.nodes[r.node];
        let name = &reverse.routine.variable(bound).name;
        let pop = reverse
            .popped(bound, back.region, back.begin)
            .filter(|_| reverse.is_local_scalar(bound))
            .ok_or_else(|| format!("the bound `{name}` is not popped right before the loop"))?;
        let push = self
            .partner(r.side, pop)
            .filter(|p| p.side == f.side)
            .ok_or_else(|| format!("`{name}` is not popped from a push at the loop's exit"))?
            .node;
        let node = &forward.nodes[f.node];
        let pushed = &forward.nodes[push];
        let Kind::Push { value, .. } = &pushed.kind else {
            return Err(format!("`{name}` is not popped from a push"));
        };
        let Some(counter) = Code::whole_variable(value).filter(|&v| forward.is_local_scalar(v))
        else {
            return Err("what is pushed at the loop's exit is no local counter".to_owned());
        };
        let name = &forward.routine.variable(counter).name;
        if pushed.region != node.region || pushed.begin < node.end {
            return Err(format!("`{name}` is not pushed right after the loop"));
        }
        if forward.writes_within(counter, node.end, pushed.begin) {
            return Err(format!("`{name}` is changed between the loop and its push"));
        }
        let starts_at_zero = forward.last_write(counter, node.begin).is_some_and(|w| {
            w.region == node.region
                && matches!(w.what, Written::Assigned(t, e)
                    if t.subscripts.is_empty() && *e == Expr::Int(0))
        });
        if !starts_at_zero {
            return Err(format!("`{name}` is not set to 0 right before the loop"));
        }
        let Kind::Loop { body, .. } = node.kind else {
            return Err("this is no loop".to_owned());
        };
        match forward.writes_in(counter, node.begin, node.end) {
            [] => Err(format!("`{name}` is never incremented in the loop")),
            [w] if w.region == body
                && matches!(w.what, Written::Assigned(t, e)
                    if t.subscripts.is_empty() && is_increment(counter, e)) =>
            {
                Ok(Count::Taped(push, pop))
            }
            [_] => Err(format!(
                "`{name}` is not incremented by 1 in each iteration of the loop"
            )),
            _ => Err(format!("`{name}` is changed more than once in the loop")),
        }
    }
}

/// The readings of the range of a reverse loop, the likeliest last.
pub(crate) fn read_range<'p>(
    first: &'p Expr,
    last: &'p Expr,
    step: &'p Expr,
) -> [Option<Range<'p>>; 3] {
    let mut ways = [None, None, None];
    let back = match step {
        Expr::Int(k) => k.checked_neg().map(Step::Constant),
        Expr::Op(Op::Neg, operands) => operands.first().map(Step::Of),
        _ => None,
    };
    if let Some(back) = back {
        let own = Some((last, back));
        if let Step::Constant(1 | -1) = back {
            ways[0] = Some(Range { count: None, own });
        }
        if let Some((b, n, s)) = from_last(first)
            && are_identical(b, last)
            && (match back {
                Step::Constant(k) => *s == Expr::Int(k) && k != 0,
                Step::Of(e) => are_identical(s, e),
            })
        {
            ways[1] = Some(Range {
                count: Some(n),
                own,
            });
        }
    }
    if let (Expr::Int(1), Expr::Int(1)) = (first, step) {
        ways[2] = Some(Range {
            count: Some(last),
            own: None,
        });
    }
    ways
}

/// `b + (n - 1)*s`.
fn from_last(e: &Expr) -> Option<(&Expr, &Expr, &Expr)> {
    let [b, way] = operands(e, Op::Add)? else {
        return None;
    };
    let [n_less_one, s] = operands(way, Op::Mul)? else {
        return None;
    };
    match operands(n_less_one, Op::Sub)? {
        [n, Expr::Int(1)] => Some((b, n, s)),
        _ => None,
    }
}

fn operands(e: &Expr, op: Op) -> Option<&[Expr]> {
    match e {
        Expr::Op(o, operands) if *o == op => Some(operands),
        _ => None,
    }
}
