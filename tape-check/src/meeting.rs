//! The comparison of a forward sweep with its reverse sweep, and of pushes with pops inside one routine.

use cfg_core::{
    ir::{ControlWidth, Expr, Place, Role, Routine, ScalarType, Selector, TapeClass},
    typing,
};

use crate::{
    code::{Key, Kind, NodeId, RegionId, STACKS, VISITS, Written},
    codes,
    count::Count,
    marker::Arms,
    reduce::constant,
    report,
    sides::{At2, PairCheck},
    stacks::{Met, Stacks},
};
use std::collections::{HashMap, HashSet};

impl<'p> PairCheck<'p, '_> {
    /// Checks each routine by itself, then the two of a pair against each other.
    pub(crate) fn run(&mut self) {
        for side in 0..self.sides.len() {
            self.inside(side);
        }
        if !self.problems.is_empty() {
            return;
        }
        if self.sides.len() == 2 {
            self.meet(0, 0, None, 1, 0);
        }
        while let Some((f, r)) = self.work.pop() {
            self.compare(f, r);
        }
        self.compare_values();
    }

    /// Compares, for each push and pop that have met, the place of the pushed value with the place of the pop.
    pub(crate) fn compare_values(&mut self) {
        for (f, r) in std::mem::take(&mut self.values) {
            self.value(f, r);
        }
    }

    /// Reports calls that cannot be followed.
    pub(crate) fn calls_inside(&mut self, side: usize) {
        let program = self.known.program;
        for bad in &self.sides[side].code.bad_calls {
            let help = "pass tapes to the sweeps of a pair only, each tape once";
            let code = &self.sides[side].code;
            let problem = report::at(
                program,
                code,
                bad.at,
                &codes::CALL,
                bad.message.clone(),
                help,
            );
            self.problems.push(problem);
        }
    }

    /// Reports a sweep of a general graph that does not only push, or not only pop, on tapes from outside.
    pub(crate) fn one_way(&mut self, side: usize) {
        let code = self.code(side);
        let parameters = tape_parameters(code.routine);
        let outside = |number: u32| parameters.contains(self.names.name(number));
        let wrong = code.nodes.iter().position(|node| match &node.kind {
            Kind::Push { key, .. } => side != 0 || !outside(key / STACKS),
            Kind::Pop { key, .. } => side != 1 || !outside(key / STACKS),
            Kind::Call { forward, tapes, .. } => {
                *forward != (side == 0) || !tapes.iter().all(|t| outside(t.0))
            }
            Kind::Loop { .. } | Kind::Branch { .. } | Kind::Visit(_) => false,
        });
        if let Some(node) = wrong {
            let message = match side {
                0 => "the control flow is not structured, and this is no push on the sweep's tape",
                _ => "the control flow is not structured, and this is no pop from the sweep's tape",
            };
            let help = "leave the tape to routines of its own, a forward and a reverse sweep";
            self.report(&codes::GRAPH, At2 { side, node }, message.to_owned(), help);
        }
    }

    /// Reports problems found in one routine alone, and nodes that must not be left of it.
    fn inside(&mut self, side: usize) {
        self.calls_inside(side);
        for problem in std::mem::take(&mut self.sides[side].reduced.problems) {
            let node = |node| At2 { side, node };
            let mut message = problem.message;
            if let Some(other) = problem.other {
                message.push_str(&format!(" ({})", self.name(node(other))));
            }
            let help = "push and pop in mirrored order";
            self.report(problem.info, node(problem.node), message, help);
        }
        if !self.problems.is_empty() {
            return;
        }
        let parameters = tape_parameters(self.code(side).routine);
        let parameter =
            |key: Key| key == VISITS || parameters.contains(self.names.name(key / STACKS));
        // A forward sweep leaves, a reverse sweep takes; otherwise the routine is neutral.
        let reduced = &self.sides[side].reduced;
        let outside = |node: &&NodeId| {
            self.sides.len() == 2 && reduced.touched[**node].iter().all(|&k| parameter(k))
        };
        let (mut left, mut empty) = (reduced.pushes[0].clone(), reduced.pops[0].clone());
        if side == 0 {
            left = reduced.pushes[0]
                .iter()
                .filter(|n| !outside(n))
                .copied()
                .collect();
        } else {
            empty = reduced.pops[0]
                .iter()
                .filter(|n| !outside(n))
                .copied()
                .collect();
        }
        for node in left {
            let n = At2 { side, node };
            let message = "this stays on the tape when the routine returns".to_owned();
            self.report(&codes::LEFT, n, message, "pop it, or do not push it");
        }
        for node in empty {
            let n = At2 { side, node };
            let message = "nothing was pushed that this could pop".to_owned();
            self.report(&codes::EMPTY, n, message, "push what is popped here");
        }
        for (push, pop) in std::mem::take(&mut self.sides[side].reduced.matched) {
            self.matched(At2 { side, node: push }, At2 { side, node: pop });
        }
    }

    fn matched(&mut self, f: At2, r: At2) {
        self.sides[r.side].partner[r.node] = Some(f);
        self.work.push((f, r));
    }

    /// Lets the pushes that one region left meet the pops of the mirrored region. `without` is a push that has met its
    /// pop already.
    fn meet(
        &mut self,
        f: usize,
        left: RegionId,
        without: Option<NodeId>,
        r: usize,
        taken: RegionId,
    ) {
        let mut stacks = Stacks::default();
        for &node in &self.sides[f].reduced.pushes[left] {
            if Some(node) != without {
                stacks.push(node, &self.sides[f].reduced.touched[node]);
            }
        }
        let first = self.work.len();
        for node in self.sides[r].reduced.pops[taken].clone() {
            let pop = At2 { side: r, node };
            let touched = &self.sides[r].reduced.touched[node];
            let met = stacks.pop(touched, |n| &self.sides[f].reduced.touched[n]);
            match met {
                Met::Node(node) => self.matched(At2 { side: f, node }, pop),
                Met::Nothing => {
                    let only_visits = touched.iter().all(|&k| k == VISITS);
                    self.nothing(f, left, pop, only_visits);
                    return;
                }
                Met::Other(key, node) => {
                    self.other(pop, key, node.map(|node| At2 { side: f, node }));
                    return;
                }
            }
        }
        // Reports come in the order of the reverse sweep.
        self.work[first..].reverse();
        let left: Vec<(Key, NodeId)> = stacks.left().collect();
        let mut reported = HashSet::new();
        for (key, node) in left {
            let n = At2 { side: f, node };
            if !reported.insert(node) {
                continue;
            }
            if key == VISITS && self.sides[f].reduced.touched[node].len() == 1 {
                let message =
                    "the mirrored part of the reverse sweep does not visit the adjoint of \
                               this block"
                        .to_owned();
                let help = "visit the adjoints of all blocks in reverse order";
                self.report(&codes::PATH, n, message, help);
            } else {
                let message = "the mirrored part of the reverse sweep does not pop this".to_owned();
                self.report(&codes::LEFT, n, message, "pop it there, or do not push it");
            }
        }
    }

    fn nothing(&mut self, f: usize, left: RegionId, pop: At2, only_visits: bool) {
        let program = self.known.program;
        let forward = self.code(f);
        // The mirrored region, by the vertex around it.
        let around = forward
            .nodes
            .iter()
            .position(|n| match &n.kind {
                Kind::Loop { body, .. } => *body == left,
                Kind::Branch { arms, .. } => arms.iter().any(|a| a.1 == left),
                _ => false,
            })
            .map_or_else(
                || format!("routine {}", forward.routine.name),
                |node| report::name(program, forward, node),
            );
        if only_visits {
            let message = format!(
                "the mirrored part of the forward sweep ({around}) does not visit \
                                   the block that this is the adjoint of"
            );
            let help = "visit the adjoints of all blocks in reverse order";
            self.report(&codes::PATH, pop, message, help);
        } else {
            let message = format!(
                "the mirrored part of the forward sweep ({around}) has nothing on the stack here"
            );
            self.report(
                &codes::EMPTY,
                pop,
                message,
                "push there what is popped here",
            );
        }
    }

    pub(crate) fn other(&mut self, pop: At2, key: Key, other: Option<At2>) {
        if key == VISITS {
            let message = match other {
                Some(n) => format!(
                    "at this point of the reverse sweep {} comes next",
                    self.name(n)
                ),
                None => {
                    "blocks are visited here that the mirrored part of the forward sweep does not \
                         visit"
                        .to_owned()
                }
            };
            let help = "visit the adjoints of all blocks in reverse order";
            self.report(&codes::PATH, pop, message, help);
            return;
        }
        let stack = ["control", "integer", "real", "real32", "disk"][(key % STACKS) as usize];
        let tape = self.names.name(key / STACKS);
        let message = match other {
            Some(n) => format!(
                "on the {stack} stack of `{tape}` lies what was pushed by {}, which this does not mirror",
                self.name(n)
            ),
            None => format!(
                "the mirrored part of the forward sweep has nothing on the {stack} stack of `{tape}` here"
            ),
        };
        self.report(
            &codes::ORDER,
            pop,
            message,
            "pop in the opposite order of the pushes",
        );
    }

    /// Compares two nodes that meet.
    pub(crate) fn compare(&mut self, f: At2, r: At2) {
        match (
            &self.sides[f.side].code.nodes[f.node].kind,
            &self.sides[r.side].code.nodes[r.node].kind,
        ) {
            (Kind::Push { class: a, .. }, Kind::Pop { class: b, .. }) => {
                let (a, b) = (*a, *b);
                if a == b {
                    self.summary.count(a);
                    self.values.push((f, r));
                } else {
                    let message = format!("the class is not that of the push ({})", self.name(f));
                    self.report(
                        &codes::CLASS,
                        r,
                        message,
                        "use the same class and width in both",
                    );
                }
            }
            (Kind::Loop { body: a, .. }, Kind::Loop { body: b, .. }) => {
                let (a, b) = (*a, *b);
                match self.count(f, r) {
                    Ok(Count::Taped(push, pop)) => {
                        let (push, pop) = (At2 { node: push, ..f }, At2 { node: pop, ..r });
                        self.counts.insert((push, pop));
                        self.summary.loops_counted += 1;
                    }
                    Ok(Count::Recomputed) => self.summary.loops_recomputed += 1,
                    Err(why) => {
                        let message = format!(
                            "it is not proven that this runs as often as {}: {why}",
                            self.name(f)
                        );
                        let help = "count the iterations and push the count at the loop's exit";
                        self.report(&codes::COUNT, r, message, help);
                    }
                }
                self.meet(f.side, a, None, r.side, b);
            }
            (Kind::Branch { .. }, Kind::Branch { .. }) => self.branch(f, r),
            (Kind::Call { .. }, Kind::Call { .. }) => self.call(f, r),
            (Kind::Visit(a), Kind::Visit(b)) => {
                if a != b {
                    let message = format!("the block visited before is {}", self.name(f));
                    let help = "visit the adjoints of all blocks in reverse order";
                    self.report(&codes::PATH, r, message, help);
                }
            }
            _ => {
                let message = format!("what lies on the tape here is {}", self.name(f));
                let help = "mirror loops by loops, branches by branches, calls by calls";
                self.report(&codes::ORDER, r, message, help);
            }
        }
    }

    /// Checks a branch. Either each arm ends with its marker, and the mirrored branch takes the arm of the same label;
    /// or the mirrored branch evaluates the same selector again, whose variables no arm changes.
    fn branch(&mut self, f: At2, r: At2) {
        let (forward, reverse) = (self.code(f.side), self.code(r.side));
        let (
            Kind::Branch {
                arms,
                selector: decided,
                ..
            },
            Kind::Branch {
                arms: back,
                selector,
                ..
            },
        ) = (&forward.nodes[f.node].kind, &reverse.nodes[r.node].kind)
        else {
            return;
        };
        let takes_arm = Arms::from_selector(selector);
        let help = "end each arm with the push of a constant of its own; pop it right before the \
                    mirrored branch, and decide on it alone";
        let (mut arms, mut back) = (arms.clone(), back.clone());
        arms.sort_unstable();
        back.sort_unstable();
        if !arms.iter().map(|a| a.0).eq(back.iter().map(|a| a.0)) {
            let message = format!("the arms are not those of {}", self.name(f));
            self.report(&codes::MARKER, r, message, help);
            return;
        }
        let Some(pop) = self.sides[r.side].reduced.marker[r.node] else {
            if let Err(why) = self.decides_again(f, decided, r, selector) {
                let message = format!(
                    "this mirrors {}, but does not decide on a value popped right before it, and {why}",
                    self.name(f)
                );
                self.report(&codes::MARKER, r, message, help);
                return;
            }
            self.summary.branches += 1;
            for ((_, left), (_, taken)) in arms.into_iter().zip(back) {
                self.meet(f.side, left, None, r.side, taken);
            }
            return;
        };
        let Kind::Pop { key, class, target } = reverse.nodes[pop].kind else {
            return;
        };
        // The marker must not take the place of a value that bounds or selectors evaluate again. So the variable must
        // be the reverse sweep's own; inside one routine, it must get its values from pops only.
        let is_own = match f.side == r.side {
            true => {
                let mut writes = reverse.writes_of(target.var).iter();
                writes.all(|w| matches!(w.what, Written::Popped(_)))
            }
            false => self.is_fresh(f.side, r.side, target),
        };
        if !is_own {
            let message = match f.side == r.side {
                true => "the marker is popped into a variable that is assigned too",
                false => "the marker is popped into a variable of both sweeps",
            };
            let message = message.to_owned();
            let help = "pop it into a local that nothing else uses";
            let pop = At2 {
                side: r.side,
                node: pop,
            };
            self.report(&codes::MARKER, pop, message, help);
            return;
        }
        self.summary.branches += 1;
        for ((label, left), (_, taken)) in arms.into_iter().zip(back) {
            let side = &self.sides[f.side];
            let last = side.reduced.pushes[left]
                .iter()
                .rev()
                .find(|&&n| side.reduced.touched[n].contains(&key));
            let pushed = last.and_then(|&n| match side.code.nodes[n].kind {
                Kind::Push { class, value, .. } => Some((n, class, value)),
                _ => None,
            });
            let Some((node, theirs, value)) = pushed else {
                let message = format!("the arm {label} does not end with the push of a marker");
                self.report(&codes::MARKER, f, message, help);
                continue;
            };
            let push = At2 { side: f.side, node };
            if theirs != class {
                let message = format!("the class is not that of the push ({})", self.name(push));
                let pop = At2 {
                    side: r.side,
                    node: pop,
                };
                self.report(
                    &codes::CLASS,
                    pop,
                    message,
                    "use the same class and width in both",
                );
            }
            let takes = constant(value).and_then(|c| takes_arm.label(c));
            if takes == Some(label) {
                self.summary.count(class);
            } else {
                let message = match (constant(value), takes) {
                    (None, _) => {
                        "the last control value that the arm pushes is no constant".to_owned()
                    }
                    (Some(c), None) => format!(
                        "with {c}, which the arm {label} pushes, {} takes no arm",
                        self.name(r)
                    ),
                    (Some(c), Some(t)) => format!(
                        "with {c}, which the arm {label} pushes, {} takes its arm {t}",
                        self.name(r)
                    ),
                };
                self.report(&codes::MARKER, push, message, help);
            }
            self.meet(f.side, left, Some(push.node), r.side, taken);
        }
    }

    /// Checks that a mirrored branch has the same selector as the branch, and that no arm changes its variables.
    fn decides_again(
        &self,
        f: At2,
        decided: &Selector,
        r: At2,
        again: &Selector,
    ) -> Result<(), String> {
        let (theirs, own) = match (decided, again) {
            (Selector::Condition(a), Selector::Condition(b)) => (a, b),
            (
                Selector::Cases { value: a, arms },
                Selector::Cases {
                    value: b,
                    arms: back,
                },
            ) if arms == back => (a, b),
            _ => return Err("not by the same selector either".to_owned()),
        };
        if !self.are_same(f.side, theirs, r.side, own) {
            return Err("not by the same selector either".to_owned());
        }
        let code = self.code(f.side);
        let node = &code.nodes[f.node];
        match code.changed(theirs, |v| code.writes_within(v, node.begin, node.end)) {
            None => Ok(()),
            Some(v) => Err(format!(
                "an arm may change `{}`",
                code.routine.variable(v).name
            )),
        }
    }

    /// A call of a forward sweep is mirrored by a call of its reverse sweep with the same arguments.
    fn call(&mut self, f: At2, r: At2) {
        let (forward, reverse) = (self.code(f.side), self.code(r.side));
        let (
            Kind::Call {
                pair,
                arguments,
                tapes,
                ..
            },
            Kind::Call {
                pair: back,
                arguments: given,
                tapes: taken,
                ..
            },
        ) = (&forward.nodes[f.node].kind, &reverse.nodes[r.node].kind)
        else {
            return;
        };
        let help = "call the reverse sweep of the same routine with the same arguments";
        if pair != back {
            let message = format!("the mirrored call is {}", self.name(f));
            self.report(&codes::CALL, r, message, help);
            return;
        }
        let (mut tapes, mut taken) = (tapes.clone(), taken.clone());
        tapes.sort_unstable();
        taken.sort_unstable();
        if tapes != taken {
            let message = format!("other tapes than in the mirrored call, {}", self.name(f));
            self.report(&codes::CALL, r, message, help);
            return;
        }
        let (a, b) = match self.known.roles.pair(*pair) {
            Some(pair) => pair,
            None => return,
        };
        let program = self.known.program;
        let (a, b) = (program.routine(a), program.routine(b));
        // Parameters are matched by name, since the reverse sweep has further ones, the adjoints.
        let places: HashMap<&str, usize> = (b.parameter_ids().enumerate())
            .map(|(k, p)| (b.variable(p).name.as_str(), k))
            .collect();
        let mut different = None;
        for (p, actual) in a.parameter_ids().zip(arguments.iter()) {
            let formal = a.variable(p);
            if formal.ty == ScalarType::Tape {
                continue;
            }
            let Some(&there) = places.get(formal.name.as_str()) else {
                continue;
            };
            let same = match (actual, given.get(there)) {
                (None, Some(None)) => true,
                (Some(a), Some(Some(b))) => self.are_same(f.side, a, r.side, b),
                _ => false,
            };
            if !same {
                different = Some(formal.name.clone());
                break;
            }
        }
        match different {
            None => self.summary.calls += 1,
            Some(name) => {
                let message = format!(
                    "the argument `{name}` is not that of the mirrored call, {}",
                    self.name(f)
                );
                self.report(&codes::CALL, r, message, help);
            }
        }
    }

    /// Checks that a value is popped into the place from which it was pushed.
    fn value(&mut self, f: At2, r: At2) {
        let (forward, reverse) = (self.code(f.side), self.code(r.side));
        let (Kind::Push { class, value, .. }, Kind::Pop { target, .. }) =
            (&forward.nodes[f.node].kind, &reverse.nodes[r.node].kind)
        else {
            return;
        };
        // The value of a count was checked with its loop; only its variable must be the reverse sweep's own.
        if self.counts.contains(&(f, r))
            && (f.side == r.side || self.is_fresh(f.side, r.side, target))
        {
            return;
        }
        let correspondence = self.correspondence(f.side, r.side);
        let why = match value {
            // The count of a loop without pushes, which was therefore compared with no reverse loop. The counter is a
            // variable of the forward sweep alone, so any variable of the reverse sweep alone may take it.
            Expr::Place(place)
                if *class == TapeClass::Control(ControlWidth::Count)
                    && place.subscripts.is_empty()
                    && forward.is_local_scalar(place.var)
                    && correspondence.variable(place.var).is_none()
                    && self.is_fresh(f.side, r.side, target) =>
            {
                None
            }
            Expr::Place(place) => {
                if !correspondence.same_place(place, target) {
                    Some("it was not pushed from this place")
                } else if !correspondence.same_shape(
                    forward.routine,
                    place.var,
                    reverse.routine,
                    target.var,
                ) {
                    Some("the variable has another shape where it was pushed")
                } else {
                    None
                }
            }
            _ if typing::type_of(&forward.routine.variables, value).is_ok_and(|ty| ty.rank > 0) => {
                Some("an array of computed values is popped into a scalar")
            }
            // The value of an expression must go to a variable that the forward sweep does not have.
            _ => (!self.is_fresh(f.side, r.side, target))
                .then_some("the value of an expression is popped into a variable of both sweeps"),
        };
        if let Some(why) = why {
            let message = format!("{why} ({})", self.name(f));
            let help = "pop into the place that was pushed";
            self.report(&codes::PLACE, r, message, help);
        }
    }

    fn is_fresh(&self, f: usize, r: usize, target: &Place) -> bool {
        f != r
            && target.subscripts.is_empty()
            && self.code(r).is_local_scalar(target.var)
            && self.forward_variable(f, r, target.var).is_none()
    }
}

/// Names of the tapes that a routine's callers hand to it.
fn tape_parameters(routine: &Routine) -> HashSet<&str> {
    let parameters = routine.variables.iter();
    let parameters = parameters.filter(|v| v.ty == ScalarType::Tape && v.role != Role::Local);
    parameters.map(|v| v.name.as_str()).collect()
}
