//! Bodies of structured routines: loops and branches.

use super::{
    Emitted,
    amount::Amount,
    expression::reduces,
    lines::Statement,
    operators::{Code, Infix, Piece, Prefix, literal_logical, precedence::POSTFIX},
    statement::pushes,
    unrolled,
    writer::Writer,
};
use cfg_core::{
    entity::{EdgeId, VarId, VertexId},
    flat::FlatExpr,
    ir::{
        Arm, CaseRange, Cfg, Expr, LoopTest, NameRole, Op, Program, ScalarType, Selector,
        VertexKind, visit,
    },
    structure::Structure,
};
use cfg_transform::lower::is_passed_by_value;
use std::{
    collections::{BTreeMap, HashMap},
    ops::Range,
};

/// What is pushed at most, by tape and stack.
pub(super) type Pushed = Option<BTreeMap<(VarId, &'static str), i64>>;

/// A construct that is being written.
struct Open<'c> {
    end: VertexId,
    form: Form<'c>,
    /// The edge that is followed behind the construct.
    follow: Option<EdgeId>,
}

/// The form in which a construct is closed.
enum Form<'c> {
    /// A loop that is tested first, or that counts.
    Loop {
        counted: bool,
        /// Room for all that its passes push was made before it.
        roomy: bool,
    },
    /// A loop that is tested last.
    DoWhile(&'c Expr),
    /// Arms that are still to be written, the next one last.
    If(Vec<EdgeId>),
    /// The arms of a multi-way branch.
    Switch(Switch<'c>),
}

/// A multi-way branch.
pub(super) struct Switch<'c> {
    arms: &'c [Arm],
    /// The arms that are still to be written, with their edges, the next one last.
    rest: Vec<(&'c Arm, EdgeId)>,
    /// The name of the selector's value if it is compared; C's own `switch` is used where there are no ranges.
    pub(super) compared: Option<Code>,
}

/// True of operators over integers that compilers for C take out of loops.
fn is_cheap(op: Op) -> bool {
    let is_conversion = op.converts_to().is_some_and(ScalarType::is_integer);
    is_conversion || matches!(op, Op::Add | Op::Sub | Op::Mul | Op::Neg)
}

impl Writer<'_> {
    /// The statements from ENTRY to EXIT of a structured graph.
    pub(super) fn emit_structured(&mut self, cfg: &Cfg, structure: &Structure) -> Emitted<()> {
        self.writes = writes(self.file.program, cfg, structure);
        self.counters = unrolled::counters(self.routine, cfg, structure);
        let mut open: Vec<Open<'_>> = Vec::new();
        let Some(mut at) = cfg.entry() else {
            return Err(self.malformed("a graph has no ENTRY"));
        };
        loop {
            self.set_place(Some((at, None)));
            let mut follow = cfg.out_edges(at).first().copied();
            if let Some(construct) = open.pop_if(|open| open.end == at) {
                follow = self.emit_end(cfg, construct, &mut open)?;
            } else {
                match &cfg.vertex(at).kind {
                    VertexKind::Loop { test, .. } => {
                        let mut behind = self.emit_unrolled(cfg, structure, at, test)?;
                        if behind.is_none() {
                            behind = self.emit_carried(cfg, structure, at, test)?;
                        }
                        if behind.is_none() {
                            behind = self.emit_jammed(cfg, structure, at, test)?;
                        }
                        if let Some(behind) = behind {
                            at = cfg.edge(behind).to;
                            continue;
                        }
                        let construct = self.begin_loop(cfg, structure, at, test)?;
                        let body = |e: &&EdgeId| structure.kind(**e).loop_body;
                        follow = cfg.out_edges(at).iter().find(body).copied();
                        open.push(construct);
                    }
                    VertexKind::Branch(selector) => {
                        let Some(end) = structure.partner(at) else {
                            return Err(self.malformed("a BRANCH has no ENDBRANCH"));
                        };
                        let (construct, first) = self.begin_branch(cfg, at, end, selector)?;
                        follow = first;
                        open.push(construct);
                    }
                    VertexKind::Exit => return Ok(()),
                    VertexKind::Block(statements) => {
                        self.emit_statements(self.unwritten(at, statements))?;
                    }
                    VertexKind::Entry | VertexKind::EndLoop | VertexKind::EndBranch => {}
                }
            }
            let Some(e) = follow else {
                return Err(self.malformed("a path ends before EXIT"));
            };
            at = cfg.edge(e).to;
        }
    }

    fn begin_loop<'c>(
        &mut self,
        cfg: &'c Cfg,
        structure: &Structure,
        v: VertexId,
        test: &'c LoopTest,
    ) -> Emitted<Open<'c>> {
        let Some(end) = structure.partner(v) else {
            return Err(self.malformed("a LOOP has no ENDLOOP"));
        };
        let exit = |e: &&EdgeId| structure.kind(**e).loop_exit;
        let follow = cfg.out_edges(v).iter().find(exit).copied();
        self.pieces.begin_statement();
        self.open_place();
        let form = match test {
            LoopTest::Pre(condition) => {
                if self.is_checked() || reduces(condition) {
                    self.add(Statement::Forever);
                    let code = self.emit_decision(condition)?;
                    let code = self.negate(code)?;
                    self.guard(code, Statement::Break);
                } else {
                    let condition = self.emit_scalar(condition)?;
                    self.add(Statement::While(condition));
                }
                Form::Loop {
                    counted: false,
                    roomy: false,
                }
            }
            LoopTest::Post(condition) => {
                self.add(Statement::Do);
                Form::DoWhile(condition)
            }
            LoopTest::Counted {
                index,
                first,
                last,
                step,
            } => {
                let at = |v: VertexId| structure.position[v.index()] as usize;
                let range = at(v) + 1..at(end);
                let pushed = self.pushed_per_pass(cfg, structure, &range);
                let roomy = self.begin_counted((*index, first, last, step), range, &pushed)?;
                self.roomy |= roomy;
                self.open_indices.push(*index);
                Form::Loop {
                    counted: true,
                    roomy,
                }
            }
        };
        Ok(Open { end, form, follow })
    }

    /// The head of a counted loop. First, last and step are evaluated once, before the index is set.
    fn begin_counted(
        &mut self,
        (index, first, last, step): (VarId, &Expr, &Expr, &Expr),
        body: Range<usize>,
        pushed: &Pushed,
    ) -> Emitted<bool> {
        if self.is_checked() {
            self.begin_checked_trips(index, [first, last, step])?;
            return Ok(false);
        }
        self.note_read(index);
        let i = self.scalar_place(index)?.at_least(POSTFIX);
        let own = self.is_own(index);
        let constant = step.constant().filter(|n| *n != 0);
        let Some(by) = constant.filter(|_| own) else {
            self.begin_trips(i, first, last, step)?;
            return Ok(false);
        };
        let first = self.emit_scalar(first)?;
        let mut last_code = self.emit_scalar(last)?;
        if !self.is_invariant(last, index, &body) {
            last_code = self.keep("last", last_code);
        }
        let next = match by {
            1 => i.clone().prefix(Prefix::Increment),
            -1 => i.clone().prefix(Prefix::Decrement),
            _ if by < 0 && by != i64::MIN => i.clone().with(Infix::SubFrom, -by),
            _ => i.clone().with(Infix::AddTo, by),
        };
        let roomy = self.room_for_passes(pushed, &first, &last_code, by)?;
        // Compilers warn of an index that is assigned itself.
        let begin = (first != i).then(|| i.clone().set(first));
        let test = self.within(i, (last, last_code), by > 0)?;
        let origin = self.routine.variable(index).origin.as_deref();
        if origin.is_some_and(|origin| origin.role == NameRole::Direction) {
            self.pieces.require(Piece::Independent);
            self.lines.push_line(Piece::Independent.name());
        }
        self.add(Statement::For(begin, [test, next].into(), false));
        Ok(roomy)
    }

    /// The test that an index is not beyond its last value: `i < n` rather than `i <= n - 1`. The code is that of the
    /// expression, or a variable that keeps its value.
    pub(super) fn within(
        &mut self,
        i: Code,
        (last, code): (&Expr, Code),
        rises: bool,
    ) -> Emitted<Code> {
        let (operator, or_equal, next) = match rises {
            true => (Infix::Lt, Infix::Le, Op::Sub),
            false => (Infix::Gt, Infix::Ge, Op::Add),
        };
        let is_short = i.ty != ScalarType::Integer;
        if is_short || code != self.emit_scalar(last)? {
            return Ok(i.is(or_equal, code));
        }
        Ok(match FlatExpr::view(last) {
            FlatExpr::Op(op, [end, Expr::Int(1)]) if op == next => {
                i.is(operator, self.emit_wide(end, true)?)
            }
            FlatExpr::Op(..) | FlatExpr::Constant(_) | FlatExpr::Place(_) => {
                i.is(or_equal, self.emit_wide(last, true)?)
            }
        })
    }

    /// Makes room for all that the passes of a loop push; false if they push nothing, or more than is known.
    pub(super) fn room_for_passes(
        &mut self,
        pushed: &Pushed,
        first: &Code,
        last: &Code,
        by: i64,
    ) -> Emitted<bool> {
        let Some(pushed) = pushed.as_ref().filter(|pushed| !pushed.is_empty()) else {
            return Ok(false);
        };
        let (first, last) = (Amount::from(first.clone()), Amount::from(last.clone()));
        // Differences of bounds may overflow, of loops that are passed over too.
        let trips = if by == 1 && first.constant() == Some(1) {
            last
        } else {
            let operands = vec![first.to_code(), last.to_code(), by.into()];
            self.emit_operator(Op::Trips, operands)?.into()
        };
        for ((tape, name), cells) in pushed {
            let (tape, top) = self.tape_and_top(*tape)?;
            let cells = match *name {
                // Bits share words, and one word is begun.
                "control" => {
                    let bits = trips.times(&(*cells).into()).to_code();
                    Amount::from(bits.with(Infix::Over, 64)).plus(&2.into())
                }
                _ => trips.times(&(*cells).into()),
            };
            self.make_room((tape, top), name, cells.to_code());
        }
        Ok(true)
    }

    /// What one pass through a body pushes at most, by tape and stack: cells, of control bits; `None` if that is not
    /// known because there are loops that push, calls or arrays in it. Of loops in it one level is looked into, so that
    /// all loops together are read twice.
    pub(super) fn pushed_per_pass(
        &self,
        cfg: &Cfg,
        structure: &Structure,
        range: &Range<usize>,
    ) -> Pushed {
        if self.roomy || self.is_checked() {
            return None;
        }
        let mut most: HashMap<VertexId, BTreeMap<(VarId, &'static str), i64>> = HashMap::new();
        let mut all: BTreeMap<(VarId, &'static str), i64> = BTreeMap::new();
        let order = structure.order.get(range.clone())?;
        let depth = |v: &VertexId| structure.loop_depth[v.index()];
        // The header of a loop belongs to what is around it.
        let own = order.first().map_or(0, depth);
        for &v in order {
            let vertex = cfg.vertex(v);
            if depth(&v) > own + 1 {
                return None;
            }
            // The most that is pushed on a way from the loop's header to this vertex.
            let mut here: BTreeMap<(VarId, &'static str), i64> = BTreeMap::new();
            for from in cfg.predecessors(v) {
                for (key, n) in most.get(&from).into_iter().flatten() {
                    let so_far = here.entry(*key).or_default();
                    *so_far = (*so_far).max(*n);
                }
            }
            for statement in vertex.statements() {
                if self.separates_rooms(statement) {
                    return None;
                }
                if let Some((tape, name, cells)) = pushes(statement) {
                    if depth(&v) > own {
                        return None;
                    }
                    let so_far = here.entry((tape, name)).or_default();
                    *so_far = so_far.saturating_add(cells);
                }
            }
            for (key, n) in &here {
                let so_far = all.entry(*key).or_default();
                *so_far = (*so_far).max(*n);
            }
            most.insert(v, here);
        }
        Some(all)
    }

    /// The head of a counted loop whose index may be changed under another name, or whose step is not constant: passes
    /// are counted.
    fn begin_trips(&mut self, i: Code, first: &Expr, last: &Expr, step: &Expr) -> Emitted<()> {
        let first = self.emit_scalar(first)?;
        let last = self.emit_scalar(last)?;
        let step_code = self.emit_scalar(step)?;
        let [from, by, trips] =
            ["first", "step", "trips"].map(|name| self.declare_helper(name, ScalarType::Integer));
        self.set(&from, first);
        let (last, by) = match step.constant().filter(|n| *n != 0) {
            Some(n) => (last, n.into()),
            None => {
                let end = self.keep("last", last);
                self.set(&by, step_code);
                self.fail_if(by.clone().is(Infix::Eq, 0), 4);
                (end, by)
            }
        };
        let count = self.emit_operator(Op::Trips, vec![from.clone(), last, by.clone()])?;
        let begin = trips
            .clone()
            .set(count)
            .with(Infix::Comma, i.clone().set(from));
        let next = trips.clone().prefix(Prefix::Decrement);
        let next = next.with(Infix::Comma, i.with(Infix::AddTo, by));
        self.add(Statement::For(
            Some(begin),
            [trips.is(Infix::Gt, 0), next].into(),
            false,
        ));
        Ok(())
    }

    /// True if nothing in a loop over `index` can change the value of an expression: constants, parameters that are
    /// passed by value, indices of loops around, and scalars of its own that the body does not write.
    pub(super) fn is_invariant(&self, e: &Expr, index: VarId, body: &Range<usize>) -> bool {
        let mut stays = true;
        e.walk(&mut |e| match FlatExpr::view(e) {
            FlatExpr::Place(place) => {
                let v = place.var;
                let fixed = is_passed_by_value(self.routine, v)
                    || (self.is_own(v)
                        && (self.open_indices.contains(&v) || !self.is_written_within(v, body)));
                stays &= place.subscripts.is_empty() && fixed && v != index;
            }
            FlatExpr::Op(op, _) => stays &= is_cheap(op),
            FlatExpr::Constant(_) => {}
        });
        stays
    }

    fn begin_branch<'c>(
        &mut self,
        cfg: &'c Cfg,
        v: VertexId,
        end: VertexId,
        selector: &'c Selector,
    ) -> Emitted<(Open<'c>, Option<EdgeId>)> {
        self.pieces.begin_statement();
        self.open_place();
        let follow = cfg.out_edges(end).first().copied();
        let mut edges: Vec<EdgeId> = cfg.out_edges(v).to_vec();
        match selector {
            Selector::Condition(condition) => {
                // The true arm first, but for one that is empty.
                edges.sort_by_key(|&e| cfg.edge(e).label == Some(1));
                let mut code = self.emit_decision(condition)?;
                if let [other, taken] = edges[..] {
                    code = self.push_condition(cfg, end, [other, taken], code)?;
                }
                let empty = |writer: &Self, e: &EdgeId| writer.is_empty_arm(cfg, end, *e);
                if let [other, taken] = &mut edges[..]
                    && empty(self, taken)
                    && !empty(self, other)
                {
                    std::mem::swap(other, taken);
                    code = self.negate(code)?;
                }
                self.add(Statement::If(code));
                let first = edges.pop();
                edges.retain(|e| !empty(self, e));
                let form = Form::If(edges);
                Ok((Open { end, form, follow }, first))
            }
            Selector::Cases { value, arms } => {
                let mut switch = self.begin_switch(cfg, v, value, arms)?;
                let first = self.next_arm(&mut switch, true)?;
                let form = Form::Switch(switch);
                Ok((Open { end, form, follow }, first))
            }
        }
    }

    /// The head of a multi-way branch.
    pub(super) fn begin_switch<'c>(
        &mut self,
        cfg: &Cfg,
        v: VertexId,
        value: &Expr,
        arms: &'c [Arm],
    ) -> Emitted<Switch<'c>> {
        let mut code = self.emit_scalar(value)?;
        if self.is_checked() {
            code = self.set_integer("selector", code);
        }
        let ranges = arms.iter().flat_map(|arm| &arm.cases);
        let compared = ranges.clone().any(|range| single(range).is_none());
        let edges = cfg.out_edges(v).iter();
        let labelled: HashMap<Option<i64>, EdgeId> =
            edges.map(|&e| (cfg.edge(e).label, e)).collect();
        let mut rest: Vec<(&Arm, EdgeId)> = Vec::with_capacity(arms.len());
        for arm in arms {
            let Some(&edge) = labelled.get(&Some(arm.label)) else {
                return Err(self.malformed("an arm has no edge"));
            };
            rest.push((arm, edge));
        }
        // The default stands last.
        rest.sort_by_key(|(arm, _)| arm.default);
        rest.reverse();
        let mut switch = Switch {
            arms,
            rest,
            compared: None,
        };
        if compared {
            switch.compared = Some(self.keep("selector", code.typed(ScalarType::Integer)));
        } else {
            // A constant would be an int.
            let literal = code.whole().is_some();
            let code = if literal {
                code.cast("int64_t", ScalarType::Integer)
            } else {
                code
            };
            self.add(Statement::Switch(code));
        }
        Ok(switch)
    }

    /// The line that begins the next arm; `None` if there is none left.
    pub(super) fn next_arm(
        &mut self,
        switch: &mut Switch<'_>,
        first: bool,
    ) -> Emitted<Option<EdgeId>> {
        let Some((arm, edge)) = switch.rest.pop() else {
            return Ok(None);
        };
        match &switch.compared {
            None => {
                for range in &arm.cases {
                    if let Some(n) = single(range) {
                        self.add(Statement::Case(n));
                    }
                }
                if arm.default {
                    self.add(Statement::Default);
                }
                // An arm that no value chooses.
                if arm.cases.is_empty() && !arm.default {
                    self.add(Statement::If(0.into()));
                } else {
                    self.add(Statement::Block);
                }
            }
            Some(name) => {
                let tests = arm.cases.iter().map(|range| test(name, range));
                let tests = tests.reduce(|x, y| x.is(Infix::Or, y));
                let test = tests.filter(|_| !arm.default);
                let test = test.unwrap_or_else(|| literal_logical(arm.default));
                self.add(match (first, arm.default) {
                    (true, _) => Statement::If(test),
                    (false, true) => Statement::Else,
                    (false, false) => Statement::ElseIf(test),
                });
            }
        }
        Ok(Some(edge))
    }

    /// Ends a body or arm: writes the next arm, or the end of the construct. Returns the edge to follow.
    fn emit_end<'c>(
        &mut self,
        cfg: &'c Cfg,
        mut construct: Open<'c>,
        open: &mut Vec<Open<'c>>,
    ) -> Emitted<Option<EdgeId>> {
        self.pieces.begin_statement();
        self.back_to_open();
        match &mut construct.form {
            Form::Loop { counted, roomy } => {
                if *counted {
                    self.open_indices.pop();
                }
                if *roomy {
                    self.roomy = false;
                }
                self.next_pass()?;
                self.lines.close_block();
            }
            Form::DoWhile(condition) => {
                let code = self.emit_decision(condition)?;
                self.add(Statement::EndDo(code));
            }
            Form::If(rest) => {
                if let Some(e) = rest.pop() {
                    debug_assert!(cfg.edge(e).to != construct.end);
                    self.add(Statement::Else);
                    open.push(construct);
                    return Ok(Some(e));
                }
                self.lines.close_block();
            }
            Form::Switch(switch) => {
                let plain = switch.compared.is_none();
                if plain {
                    self.add(Statement::Break);
                    self.lines.close_block();
                }
                if let Some(e) = self.next_arm(switch, false)? {
                    open.push(construct);
                    return Ok(Some(e));
                }
                self.end_switch(switch);
            }
        }
        self.close_place();
        Ok(construct.follow)
    }

    /// Ends a multi-way branch: a value that no arm is for is an error.
    pub(super) fn end_switch(&mut self, switch: &Switch<'_>) {
        let plain = switch.compared.is_none();
        if !switch.arms.iter().any(|arm| arm.default) {
            self.made.can_fail = true;
            let checked = self.is_checked();
            self.add(match (plain, checked) {
                (true, true) => Statement::Default,
                (true, false) => Statement::Otherwise,
                (false, _) => Statement::Else,
            });
            if checked {
                self.leave_function(super::faults::CASE);
            } else {
                self.add(Statement::Return(4.into()));
            }
        }
        self.lines.close_block();
    }

    /// True if a scalar may be written between these positions of the order.
    fn is_written_within(&self, v: VarId, range: &Range<usize>) -> bool {
        let Some(places) = self.writes.get(&v) else {
            return false;
        };
        let first = places.partition_point(|at| *at < range.start);
        places.get(first).is_some_and(|at| range.contains(at))
    }
}

/// The positions in the order of a structured graph at which each variable may be written, ascending.
fn writes(program: &Program, cfg: &Cfg, structure: &Structure) -> HashMap<VarId, Vec<usize>> {
    let mut found: HashMap<VarId, Vec<usize>> = HashMap::new();
    for (at, &v) in structure.order.iter().enumerate() {
        let vertex = cfg.vertex(v);
        let mut write = |v: VarId| {
            let places = found.entry(v).or_default();
            if places.last() != Some(&at) {
                places.push(at);
            }
        };
        if let Some(index) = vertex.kind.index() {
            write(index);
        }
        for statement in vertex.statements() {
            visit::each_written(program, statement, &mut write);
        }
    }
    found
}

/// The one value of a case.
pub(super) fn single(range: &CaseRange) -> Option<i64> {
    (range.lower == range.upper)
        .then_some(range.lower)
        .flatten()
}

/// The test whether a value is in the range of a case.
fn test(name: &Code, range: &CaseRange) -> Code {
    let is = |operator, n: i64| name.clone().is(operator, n);
    match (range.lower, range.upper) {
        (Some(a), Some(b)) if a == b => is(Infix::Eq, a),
        (Some(a), Some(b)) => is(Infix::Ge, a).is(Infix::And, is(Infix::Le, b)),
        (Some(a), None) => is(Infix::Ge, a),
        (None, Some(b)) => is(Infix::Le, b),
        (None, None) => literal_logical(true),
    }
}
