//! Use before definition: a computation reads a local or `out` parameter, and no path from ENTRY to it has an
//! assignment to that variable.
//!
//! Assignments to elements, calls and opaque statements count as definitions of the whole variable, so every use that
//! is refused is surely wrong. Pushing a variable and passing it on are allowed; a plain copy gets a warning, since it
//! only hands the missing value on. A use that a definition reaches only by way of a loop's back edge gets a warning
//! at the head of the loop: whether a jump back makes a loop is a matter of form, and validity must not depend on
//! form. Neither must it for loops of which a transformation has copied a part in front: there a later assignment is
//! enough. Statements that control never reaches, because the program stops before, use nothing; definitions there
//! count.
//!
//! Structured graphs need no data-flow equations. Along Algorithm 1's order a definition reaches a use if both are
//! inside one loop, or if the definition comes first and is not in another arm of a branch around the use. The walk
//! remembers only one definition of each variable. If this definition is not visible at the next one, the next one
//! replaces it: every later point that sees the older definition also sees the newer.
//!
//! Complexity: O(statements log nesting depth).
//!
//! On a general graph [`general`] solves `in(b) = ⋃ out(p)`, `out(b) = in(b) ∪ def(b)` over the predecessors p, some
//! variables at a time, so that memory stays in bounds. The first time that control reaches b, it comes from a p that
//! b does not dominate, so only these `out(p)` count.

use super::checker::{At, Checker};
use crate::diagnostic::site::{Element, Part};
use crate::{
    codes,
    dataflow::{Analysis, Direction, Position, Reached, Set, executed_prefix, solve},
    entity::{VarId, VertexId},
    graph::dominance::Dominators,
    ir::{
        Cfg, Expr, Intent, LoopTest, Op, OpClass, OriginRole, Place, Program, Role, Routine,
        ScalarType, Selector, Stmt, StmtKind, Variable, Vertex, VertexKind,
    },
    structure::Structure,
};
use fixedbitset::FixedBitSet;

/// A use or definition. Inside a vertex, events come in the order of execution.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Event {
    Use(VarId),
    /// A use that only copies.
    Copy(VarId),
    Define(VarId),
}

/// A use of a variable that has no value there.
struct Problem {
    variable: VarId,
    at: At,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// No assignment reaches the use.
    Unassigned,
    /// An assignment reaches the use, but only in a later pass of a loop.
    Later,
    /// No assignment reaches the use, and the value is only copied.
    Copied,
}

/// The variables with problems so far: each gets one error and one warning at most.
struct Reported {
    errors: FixedBitSet,
    warnings: FixedBitSet,
}

impl Reported {
    fn new(variables: usize) -> Self {
        let none = FixedBitSet::with_capacity(variables);
        Self {
            errors: none.clone(),
            warnings: none,
        }
    }

    /// True for the first error of variable `i`, and for its first warning if no error came before.
    fn is_first(&mut self, i: usize, kind: Kind) -> bool {
        match kind {
            Kind::Unassigned => !self.errors.put(i),
            Kind::Later | Kind::Copied => !self.errors.contains(i) && !self.warnings.put(i),
        }
    }
}

/// For each variable, true if it is undefined at entry.
fn tracked(routine: &Routine) -> Vec<bool> {
    let variables = routine.variables.iter();
    variables
        .map(|v| match v.role {
            Role::Local => v.ty != ScalarType::Tape,
            Role::Parameter { intent, .. } => {
                intent == Intent::Out && !routine.aliased && v.ty != ScalarType::Tape
            }
            Role::Global(_) => false,
        })
        .collect()
}

/// Calls `found` for each use in an expression; shapes and presence are not values.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "operators without a rule of their own here are treated alike"
)]
fn uses(e: &Expr, found: &mut impl FnMut(Event)) {
    match e {
        Expr::Int(_) | Expr::Real(_) | Expr::Real32(_) | Expr::Logical(_) | Expr::Null(_) => {}
        Expr::Place(place) => {
            found(Event::Use(place.var));
            subscript_uses(place, found);
        }
        // From here on the variable may be written through the pointer, so it counts as defined.
        Expr::Addr(place) => {
            subscript_uses(place, found);
            if place.is_through_pointer() {
                found(Event::Use(place.var));
            } else {
                found(Event::Define(place.var));
            }
        }
        Expr::Op(op, operands) => {
            if op.class() != OpClass::Inquiry {
                // Later operands of these operators may never be evaluated, so only the first one is a certain use.
                let certain = match op {
                    Op::If | Op::And | Op::Or => 1,
                    _ => operands.len(),
                };
                for e in operands.iter().take(certain) {
                    uses(e, found);
                }
            }
        }
    }
}

/// The events of an assignment to a place, without those of the value. The pointer of a place through a pointer is
/// used.
fn defined(place: &Place, found: &mut impl FnMut(Event)) {
    subscript_uses(place, found);
    found(match place.is_through_pointer() {
        true => Event::Use(place.var),
        false => Event::Define(place.var),
    });
}

/// The events of an argument that is bound by reference. Whether its value is read or written depends on the formal.
fn bound(place: &Place, found: &mut impl FnMut(Event)) {
    subscript_uses(place, found);
    if place.is_through_pointer() {
        found(Event::Use(place.var));
    }
}

fn subscript_uses(place: &Place, found: &mut impl FnMut(Event)) {
    for e in place.subscript_exprs() {
        uses(e, found);
    }
}

/// Calls `found` for each use in an expression that is assigned: a plain place is only copied.
fn copied(e: &Expr, found: &mut impl FnMut(Event)) {
    match e {
        Expr::Place(place) if !place.is_through_pointer() => {
            subscript_uses(place, found);
            found(Event::Copy(place.var));
        }
        Expr::Int(_)
        | Expr::Real(_)
        | Expr::Real32(_)
        | Expr::Logical(_)
        | Expr::Place(_)
        | Expr::Op(..)
        | Expr::Null(_)
        | Expr::Addr(_) => {
            uses(e, found);
        }
    }
}

/// The events of a statement in order.
pub(super) fn statement_events(program: &Program, statement: &Stmt, found: &mut impl FnMut(Event)) {
    match &statement.kind {
        StmtKind::Assign { target, value } => {
            copied(value, found);
            defined(target, found);
        }
        StmtKind::Call {
            callee,
            arguments,
            result,
        } => {
            let called = program.routines.get(callee.index());
            for argument in arguments.iter().flatten() {
                match argument {
                    Expr::Place(place) => bound(place, found),
                    value @ (Expr::Int(_)
                    | Expr::Real(_)
                    | Expr::Real32(_)
                    | Expr::Logical(_)
                    | Expr::Op(..)
                    | Expr::Null(_)
                    | Expr::Addr(_)) => uses(value, found),
                }
            }
            // All arguments are evaluated before the callee writes any of them.
            for (k, argument) in arguments.iter().enumerate() {
                let parameter = called.and_then(|r| r.parameter(k));
                if let Some(Expr::Place(place)) = argument
                    && !place.is_through_pointer()
                    && (parameter.and_then(Variable::intent)).is_some_and(Intent::writes)
                {
                    found(Event::Define(place.var));
                }
            }
            if let Some(result) = result {
                defined(result, found);
            }
        }
        // A push of a variable, like an argument, hands a missing value on without using it.
        StmtKind::Push { value, .. } => match value {
            Expr::Place(place) => bound(place, found),
            value @ (Expr::Int(_)
            | Expr::Real(_)
            | Expr::Real32(_)
            | Expr::Logical(_)
            | Expr::Op(..)
            | Expr::Null(_)
            | Expr::Addr(_)) => uses(value, found),
        },
        StmtKind::Pop { target, .. } => {
            defined(target, found);
        }
        StmtKind::Opaque { writes, .. } => {
            for &v in writes {
                found(Event::Define(v));
            }
        }
        StmtKind::Stop { text: _ } => {}
        StmtKind::Allocate { pointer, count, .. } => {
            uses(count, found);
            defined(pointer, found);
        }
        StmtKind::Free { pointer } => {
            subscript_uses(pointer, found);
            found(Event::Use(pointer.var));
        }
        StmtKind::Resize { pointer, count } => {
            uses(count, found);
            subscript_uses(pointer, found);
            found(Event::Use(pointer.var));
        }
    }
}

/// The events of a loop header before its body is entered.
pub(super) fn header_events(test: &LoopTest, found: &mut impl FnMut(Event, Part)) {
    match test {
        LoopTest::Pre(e) => uses(e, &mut |x| found(x, Part::Condition)),
        LoopTest::Post(_) => {}
        LoopTest::Counted {
            index,
            first,
            last,
            step,
        } => {
            copied(first, &mut |x| found(x, Part::First));
            uses(last, &mut |x| found(x, Part::Last));
            uses(step, &mut |x| found(x, Part::Step));
            found(Event::Define(*index), Part::Index);
        }
    }
}

/// A loop or branch around the current point.
struct Region {
    /// Number of the first event inside; for a branch, of the current arm's first event.
    start: u32,
    arm: u32,
    is_loop: bool,
    end: u32,
}

impl Region {
    /// A loop with `start` definitions before it, and `end` definitions before its end.
    fn of_loop(start: u32, end: u32) -> Self {
        Self {
            start,
            arm: start,
            is_loop: true,
            end,
        }
    }
}

pub(super) fn check(c: &mut Checker<'_>, structure: &Structure) {
    let Some(cfg) = &c.routine.body else { return };
    let tracked = tracked(c.routine);
    if !tracked.contains(&true) {
        return;
    }
    let program = c.program;
    let pass = Pass {
        program,
        cfg,
        structure,
        tracked: &tracked,
        reached: Reached::from_entry(cfg),
    };
    // The first walk numbers all definitions, and notes the number at the end of each loop.
    let mut definitions: Vec<Vec<u32>> = vec![Vec::new(); tracked.len()];
    let mut loop_end = vec![0u32; cfg.vertex_count()];
    let mut number = 0;
    pass.run(&mut |step| match step {
        Step::Event(Event::Define(v), _) => {
            number += 1;
            definitions[v.index()].push(number);
        }
        Step::CloseLoop(header) => loop_end[header.index()] = number,
        Step::Event(..)
        | Step::Header(..)
        | Step::OpenLoop(_)
        | Step::OpenBranch
        | Step::Arm
        | Step::CloseBranch => {}
    });
    // The second walk checks the uses.
    let mut number = 0u32;
    let mut latest: Vec<u32> = vec![0; tracked.len()];
    let mut open: Vec<Region> = Vec::new();
    let mut reported = Reported::new(tracked.len());
    let mut problems = Vec::new();
    pass.run(&mut |step| match step {
        Step::Event(Event::Define(v), _) => {
            number += 1;
            let latest = &mut latest[v.index()];
            if *latest == 0 || !visible(*latest, &open) {
                *latest = number;
            }
        }
        use_ @ (Step::Event(Event::Use(variable) | Event::Copy(variable), at)
        | Step::Header(variable, at, _)) => {
            let i = variable.index();
            if (latest[i] != 0 && visible(latest[i], &open))
                || comes_around(&definitions[i], open.iter().find(|r| r.is_loop))
            {
                return;
            }
            let own_loop = |header: VertexId| Region::of_loop(number, loop_end[header.index()]);
            let kind = if let Step::Header(_, _, header) = use_
                && comes_around(&definitions[i], Some(&own_loop(header)))
            {
                Kind::Later
            } else if let Step::Event(Event::Copy(_), _) = use_ {
                Kind::Copied
            } else if is_copied(c.routine, cfg, variable, at)
                && definitions[i].last().is_some_and(|&d| d > number)
            {
                Kind::Later
            } else {
                Kind::Unassigned
            };
            if reported.is_first(i, kind) {
                problems.push(Problem { variable, at, kind });
            }
        }
        Step::OpenLoop(header) => open.push(Region::of_loop(number, loop_end[header.index()])),
        Step::OpenBranch => open.push(Region {
            start: number,
            arm: number,
            is_loop: false,
            end: 0,
        }),
        Step::Arm => {
            if let Some(region) = open.last_mut() {
                region.arm = number;
            }
        }
        Step::CloseLoop(_) | Step::CloseBranch => {
            open.pop();
        }
    });
    report(c, problems);
}

fn report(c: &mut Checker<'_>, problems: Vec<Problem>) {
    for Problem { variable, at, kind } in problems {
        let name = c.name(variable);
        let help = if c.routine.variable(variable).role == Role::Local {
            format!("assign {name} before, on every path that needs it")
        } else {
            format!("assign {name} before, or declare it inout if it brings a value in")
        };
        match kind {
            Kind::Unassigned => {
                let message = format!("{name} is used here, but nothing before assigns it");
                c.error(at, &codes::UNDEFINED, message, help);
            }
            Kind::Later => {
                let message =
                    format!("{name} is used here the first time before anything assigns it");
                c.warning(at, &codes::UNDEFINED, message, help);
            }
            Kind::Copied => {
                let message = format!("{name} is copied here, but nothing before assigns it");
                c.warning(at, &codes::UNDEFINED, message, help);
            }
        }
    }
}

/// True for a use of an original variable in a vertex that a transformation has copied. A part of a loop, or the first
/// value of its index, may have been copied in front of the loop, so that a definition that reached the use by the
/// back edge now comes later.
fn is_copied(routine: &Routine, cfg: &Cfg, variable: VarId, at: At) -> bool {
    let vertex = at.element.vertex().map(|v| cfg.vertex(v));
    routine.variable(variable).origin.is_none()
        && vertex
            .and_then(|v| v.origin)
            .is_some_and(|o| matches!(o.role, OriginRole::Copy | OriginRole::CounterInit))
}

/// True if one of these definitions, in ascending order, is inside the loop, and so reaches every point of the loop in
/// its next pass. Callers ask the outermost loop only, since it contains the definitions of all inner ones.
fn comes_around(definitions: &[u32], outermost: Option<&Region>) -> bool {
    outermost.is_some_and(|outer| {
        let after = definitions.partition_point(|&d| d <= outer.start);
        definitions.get(after).is_some_and(|&d| d <= outer.end)
    })
}

/// True if the definition with this number reaches the current point on a path forward.
fn visible(definition: u32, open: &[Region]) -> bool {
    // The innermost open region that also contains the definition.
    let inside = open.partition_point(|r| r.start < definition);
    match inside.checked_sub(1).and_then(|k| open.get(k)) {
        Some(region) => region.is_loop || region.arm < definition,
        None => true,
    }
}

#[derive(Clone, Copy)]
enum Step {
    Event(Event, At),
    /// A use by the test of this LOOP, before each pass.
    Header(VarId, At, VertexId),
    OpenLoop(VertexId),
    CloseLoop(VertexId),
    OpenBranch,
    Arm,
    CloseBranch,
}

/// One walk along the topological order.
struct Pass<'a> {
    program: &'a Program,
    cfg: &'a Cfg,
    structure: &'a Structure,
    tracked: &'a [bool],
    /// The vertices that control reaches; `None` if no statement stops the program.
    reached: Option<Reached>,
}

impl Pass<'_> {
    fn run(&self, step: &mut impl FnMut(Step)) {
        for &v in &self.structure.order {
            // The first vertex of an arm begins it; an empty arm needs no beginning.
            let is_branch = |u| matches!(self.cfg.vertex(u).kind, VertexKind::Branch(_));
            let is_end = matches!(self.cfg.vertex(v).kind, VertexKind::EndBranch);
            if !is_end && self.cfg.predecessors(v).any(is_branch) {
                step(Step::Arm);
            }
            self.vertex(v, step);
        }
    }

    fn vertex(&self, v: VertexId, step: &mut impl FnMut(Step)) {
        let at = |part| At::new(Element::Vertex(v), part);
        let reached = self.reached.as_ref().is_none_or(|r| r.enters(v));
        match &self.cfg.vertex(v).kind {
            VertexKind::Block(statements) => {
                let executed = executed_prefix(statements).len();
                for (s, statement) in statements.iter().enumerate() {
                    let site = At::whole(Element::Statement(v, s));
                    let reached = reached && s < executed;
                    let event = &mut |x| self.event(x, site, reached, step);
                    statement_events(self.program, statement, event);
                }
            }
            VertexKind::Loop { test, .. } => {
                header_events(test, &mut |x, part| match (x, part) {
                    (Event::Use(used), Part::Condition) if self.tracks(used) && reached => {
                        step(Step::Header(used, at(part), v));
                    }
                    (Event::Use(_) | Event::Copy(_) | Event::Define(_), _) => {
                        self.event(x, at(part), reached, step);
                    }
                });
                step(Step::OpenLoop(v));
            }
            VertexKind::EndLoop => {
                if let Some(header) = self.structure.partner(v) {
                    if let VertexKind::Loop { test, .. } = &self.cfg.vertex(header).kind
                        && let LoopTest::Post(e) = &**test
                    {
                        let site = At::new(Element::Vertex(header), Part::Condition);
                        uses(e, &mut |x| self.event(x, site, reached, step));
                    }
                    step(Step::CloseLoop(header));
                }
            }
            VertexKind::Branch(selector) => {
                match &**selector {
                    Selector::Condition(e) => {
                        uses(e, &mut |x| {
                            self.event(x, at(Part::Condition), reached, step);
                        });
                    }
                    Selector::Cases { value, .. } => {
                        uses(value, &mut |x| {
                            self.event(x, at(Part::Selector), reached, step);
                        });
                    }
                }
                step(Step::OpenBranch);
            }
            VertexKind::EndBranch => step(Step::CloseBranch),
            VertexKind::Entry | VertexKind::Exit => {}
        }
    }

    /// Reports an event. In unreachable statements only definitions count.
    fn event(&self, event: Event, site: At, reached: bool, step: &mut impl FnMut(Step)) {
        let (Event::Use(v) | Event::Copy(v) | Event::Define(v)) = event;
        if self.tracks(v) && (reached || matches!(event, Event::Define(_))) {
            step(Step::Event(event, site));
        }
    }

    fn tracks(&self, v: VarId) -> bool {
        self.tracked.get(v.index()).copied().unwrap_or(false)
    }
}

/// The analysis of possibly assigned variables, with a bit for each of some variables.
struct Possible<'a> {
    program: &'a Program,
    /// The bit of each variable, or none.
    bit: &'a [Option<usize>],
    bits: usize,
}

impl Possible<'_> {
    fn event(&self, event: Event, state: &mut Set) {
        if let Event::Define(v) = event
            && let Some(bit) = self.bit[v.index()]
        {
            state.insert(bit);
        }
    }
}

impl Analysis for Possible<'_> {
    const NAME: &'static str = "possibly-assigned";
    const DIRECTION: Direction = Direction::Forward;
    type Domain = Set;

    fn bottom(&self, _: &Cfg) -> Set {
        Set::new(self.bits)
    }

    fn boundary(&self, cfg: &Cfg) -> Set {
        self.bottom(cfg)
    }

    fn statement(&self, _: Position, statement: &Stmt, state: &mut Set) {
        statement_events(self.program, statement, &mut |x| self.event(x, state));
    }

    fn decision(&self, _: VertexId, vertex: &Vertex, state: &mut Set) {
        if let VertexKind::Loop { test, .. } = &vertex.kind {
            header_events(test, &mut |x, _| self.event(x, state));
        }
    }
}

/// Bits of all states together: 32 MiB.
const MEMORY: usize = 1 << 28;

/// The check of definitions for a general graph.
pub(super) fn general(c: &mut Checker<'_>) {
    general_within(c, MEMORY, MOST_DEFINITIONS);
}

/// [`general`] with other limits: all states together take at most `memory` bits (or the bits of 64 variables), and at
/// most `most` definitions of a variable are compared with each of its uses.
pub(super) fn general_within(c: &mut Checker<'_>, memory: usize, most: usize) {
    let Some(cfg) = &c.routine.body else { return };
    let mut tracked = tracked(c.routine);
    let mut problems = Vec::new();
    let dominators = Dominators::new(cfg, cfg.entry().map_or(0, |v| v.index()));
    let settled = settled(c.program, cfg, &dominators, tracked.len(), most);
    settled.ones().for_each(|v| tracked[v] = false);
    let variables: Vec<usize> = (0..tracked.len()).filter(|&v| tracked[v]).collect();
    for some in variables.chunks(at_once(memory, cfg.vertex_count())) {
        let mut bit = vec![None; tracked.len()];
        for (i, &v) in some.iter().enumerate() {
            bit[v] = Some(i);
        }
        let analysis = Possible {
            program: c.program,
            bit: &bit,
            bits: some.len(),
        };
        general_uses(cfg, &dominators, &analysis, &mut problems);
    }
    report(c, problems);
}

/// The number of variables that are analysed at a time: as many as `memory` bits allow, and at least 64.
fn at_once(memory: usize, vertices: usize) -> usize {
    (memory / vertices.max(1)).max(64)
}

/// Most definitions of a variable that are compared with each of its uses.
const MOST_DEFINITIONS: usize = 8;

/// Variables each of whose uses is dominated by one of their first `most` definitions. Such variables need no states;
/// with states for all variables, a graph with many locals would have a quadratic number of bits.
fn settled(
    program: &Program,
    cfg: &Cfg,
    dominators: &Dominators,
    variables: usize,
    most: usize,
) -> FixedBitSet {
    let mut definitions: Vec<Vec<(VertexId, usize)>> = vec![Vec::new(); variables];
    each_event(program, cfg, &mut |v, k, event| {
        if let Event::Define(x) = event
            && let Some(list) = definitions.get_mut(x.index())
            && list.len() < most
        {
            list.push((v, k));
        }
    });
    let mut settled = FixedBitSet::with_capacity(variables);
    settled.insert_range(..);
    each_event(program, cfg, &mut |v, k, event| {
        if let Event::Use(x) | Event::Copy(x) = event
            && let Some(list) = definitions.get(x.index())
        {
            let before = |&(d, at): &(VertexId, usize)| match d == v {
                true => at < k,
                false => dominators.dominates(d.index(), v.index()),
            };
            if !list.iter().any(before) {
                settled.set(x.index(), false);
            }
        }
    });
    for (v, vertex) in cfg.vertices() {
        // If only jumps into the body enter the loop, the first increment uses an index without a value.
        if let Some(index) = vertex.kind.index().filter(|_| is_entered_by_jumps(cfg, v))
            && index.index() < variables
        {
            settled.set(index.index(), false);
        }
    }
    settled
}

/// Calls `found` with the events of each vertex and their numbers, in order. The test after a loop's body counts as a
/// use at the LOOP.
fn each_event(program: &Program, cfg: &Cfg, found: &mut impl FnMut(VertexId, usize, Event)) {
    for (v, vertex) in cfg.vertices() {
        let mut k = 0;
        let mut next = |event| {
            found(v, k, event);
            k += 1;
        };
        for statement in vertex.statements() {
            statement_events(program, statement, &mut next);
        }
        match vertex.kind.test() {
            Some(LoopTest::Post(e)) => uses(e, &mut next),
            Some(test) => header_events(test, &mut |event, _| next(event)),
            None => vertex.kind.exprs().for_each(|e| uses(e, &mut next)),
        }
    }
}

/// True for a LOOP whose predecessors are all ENDLOOPs: only jumps into its body enter the loop.
fn is_entered_by_jumps(cfg: &Cfg, v: VertexId) -> bool {
    let is_end = |p| matches!(cfg.vertex(p).kind, VertexKind::EndLoop);
    cfg.predecessors(v).all(is_end)
}

/// The variables that may be assigned at some point of a graph.
#[derive(Clone)]
struct Assigned {
    /// Whenever control reaches the point.
    ever: Set,
    /// When control reaches the point for the first time.
    first: Set,
}

/// The undefined uses of the variables of the analysis.
fn general_uses(
    cfg: &Cfg,
    dominators: &Dominators,
    analysis: &Possible<'_>,
    problems: &mut Vec<Problem>,
) {
    let solution = solve(cfg, analysis);
    let arrival = |v: VertexId| {
        let ever = solution.state_at_inflow(v);
        let returns = |p: &VertexId| dominators.dominates(v.index(), p.index());
        if !cfg.predecessors(v).any(|p| returns(&p)) {
            let first = ever.clone();
            return Assigned { ever, first };
        }
        let mut first = analysis.bottom(cfg);
        for p in cfg.predecessors(v).filter(|p| !returns(p)) {
            first.union_with(&solution.after(cfg, analysis, p));
        }
        Assigned { ever, first }
    };
    let mut reported = Reported::new(analysis.bits);
    let mut event = |event: Event, at: At, assigned: &mut Assigned| match event {
        Event::Define(_) => {
            analysis.event(event, &mut assigned.ever);
            analysis.event(event, &mut assigned.first);
        }
        Event::Use(variable) | Event::Copy(variable) => {
            let Some(bit) = analysis.bit[variable.index()] else {
                return;
            };
            let kind = match (assigned.ever.contains(bit), event) {
                (true, _) if assigned.first.contains(bit) => return,
                (true, _) => Kind::Later,
                (false, Event::Copy(_)) => Kind::Copied,
                (false, Event::Use(_) | Event::Define(_)) => Kind::Unassigned,
            };
            if reported.is_first(bit, kind) {
                problems.push(Problem { variable, at, kind });
            }
        }
    };
    let reached = Reached::from_entry(cfg);
    let reached = |v: VertexId| reached.as_ref().is_none_or(|r| r.enters(v));
    for (v, vertex) in cfg.vertices().filter(|(v, _)| reached(*v)) {
        let at = |part| At::new(Element::Vertex(v), part);
        match &vertex.kind {
            VertexKind::Block(statements) => {
                let mut state = arrival(v);
                for (s, statement) in executed_prefix(statements).iter().enumerate() {
                    let site = At::whole(Element::Statement(v, s));
                    statement_events(analysis.program, statement, &mut |x| {
                        event(x, site, &mut state);
                    });
                }
            }
            VertexKind::Loop { test, .. } => {
                let mut state = arrival(v);
                if let LoopTest::Counted { index, .. } = &**test
                    && is_entered_by_jumps(cfg, v)
                {
                    // The first increment uses an index without a value.
                    let none = analysis.bottom(cfg);
                    let mut none = Assigned {
                        ever: none.clone(),
                        first: none,
                    };
                    event(Event::Use(*index), at(Part::Index), &mut none);
                }
                if let LoopTest::Counted { .. } = &**test {
                    // The bounds are evaluated once, before the first pass.
                    state.ever = state.first.clone();
                }
                header_events(test, &mut |x, part| event(x, at(part), &mut state));
                let is_back =
                    |p: VertexId| matches!(cfg.vertex(p).kind, VertexKind::EndLoop) && reached(p);
                if let LoopTest::Post(e) = &**test
                    && cfg.predecessors(v).any(is_back)
                {
                    state.first = state.ever.clone();
                    uses(e, &mut |x| event(x, at(Part::Condition), &mut state));
                }
            }
            VertexKind::Branch(selector) => {
                let mut state = arrival(v);
                let (e, part) = match &**selector {
                    Selector::Condition(e) => (e, Part::Condition),
                    Selector::Cases { value, .. } => (value, Part::Selector),
                };
                uses(e, &mut |x| event(x, at(part), &mut state));
            }
            VertexKind::Entry | VertexKind::Exit | VertexKind::EndLoop | VertexKind::EndBranch => {}
        }
    }
}

#[cfg(test)]
mod tests;
