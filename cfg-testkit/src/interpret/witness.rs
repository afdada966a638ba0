//! A witness for values: each primal value that a reverse sweep reads is compared, bit for bit, with the value that the
//! same variable had in the forward sweep.
//!
//! The forward sweep is logged: visits of vertices, statements with the values that they read, and each overwritten
//! cell with its old value. The reverse sweep undoes the log in step, so that the cells are at hand as they were:
//!
//! ```text
//! NAME_rev is entered          back to the end of the last activation of NAME_fwd that has not been reversed
//! the adjoint of vertex v      back to the end of the last visit of v in this activation, which no visit of another
//!                              vertex with an adjoint may follow
//! code of statement s there    back to the end of the last execution of s in this visit, or, if the forward sweep
//!                              leaves s out, to the begin of the next statement there
//! a variable x is read         x was read by s: the value read; else, or if s is x := exp(..) or x := x + c and the
//!                              reverse statement copies x or steps it back: the value of x behind s
//! a bound, a selector          the value behind the loop, behind the branch
//! ```
//!
//! The forward sweep itself is compared with a plain run of the original: each statement assigns the same values, in
//! order. Statements that are split, so that they assign in parts, are left out.
//!
//! The reverse sweep of a part with a checkpoint runs forward sweeps again, from states that were kept: each has a log
//! of its own, and assigns the values of the plain run.
//!
//! Variables are paired by their numbers, which sweeps keep, elements by their subscripts, statements by the origins
//! that transformations give them. The log is undone over a visit only when the reverse sweep goes on behind it:
//! code that is inserted between two visits reads what was there between them.

mod assigned;
mod hooks;
mod log;
mod report;
mod sweep;

use self::{
    assigned::Assigned,
    log::{Event, Log, Operands, Read},
    sweep::{Sweeps, is_step},
};
use super::value::{Data, Derivative, Value};
use super::view::View;
use cfg_core::entity::{RoutineId, VarId, VertexId};
use cfg_core::ir::{Expr, OriginRole, Program, Stmt, StmtKind, Vertex, VertexType};
pub use hooks::interpret_with_witness;
pub use report::{Report, Stale};

/// The statement or test that is executed now, as far as its reads are of interest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reads {
    /// The reads are of no interest.
    Ignored,
    /// The reads are those of a forward sweep's statement in this activation.
    Logged(usize),
    /// The reads are those of the innermost reverse sweep.
    Compared,
}

/// An activation of a reverse sweep, and the activation of the forward sweep that it reverses.
#[derive(Debug)]
struct Twin<D> {
    /// The position in [`Sweeps`].
    sweep: usize,
    /// The activation of the forward sweep, as it is in the log; `None` if there is none.
    activation: Option<usize>,
    /// The variables of the forward sweep.
    views: Vec<View>,
    /// The position in the log of the visit whose adjoint is executed.
    visit: Option<usize>,
    /// The statement whose adjoint is executed.
    statement: Option<Statement<D>>,
    /// The variable whose value behind the statement of the original is read, if the reverse statement takes that.
    taken_behind: Option<VarId>,
    /// The place in the reverse sweep, for reports.
    at: (i64, Option<usize>),
}

/// An execution of a statement of the original in the forward sweep.
#[derive(Debug)]
struct Statement<D> {
    number: usize,
    operands: Operands<D>,
}

/// The variable of the original (below `originals`) whose value behind its statement a reverse statement takes: to keep
/// it in a temporary, as the result of `x := exp(x)`, or to step it back.
fn taken_behind(statement: &Stmt, originals: usize) -> Option<VarId> {
    let (target, value) = statement.kind.assignment()?;
    match value {
        Expr::Place(copied) if target.var.index() >= originals => Some(copied.var),
        _ => is_step(target, value).then_some(target.var),
    }
}

/// The log of the forward sweeps, and its comparison with the reverse sweeps.
#[derive(Debug)]
pub(super) struct Witness<D> {
    sweeps: Sweeps,
    log: Log<D>,
    reads: Reads,
    /// The number of activations of forward sweeps.
    activations: usize,
    /// The active reverse sweeps, innermost last.
    twins: Vec<Twin<D>>,
    assigned: Assigned<D>,
    /// The logs and the reverse sweeps around those that run parts again.
    suspended: Vec<(Log<D>, Vec<Twin<D>>)>,
    /// The number of forward sweeps that are active.
    open: usize,
    /// The values assigned since the outermost forward sweep began that runs again.
    again: Assigned<D>,
    /// The values that forward sweeps assigned when they ran again, with the number of logs around them.
    reruns: Vec<(usize, Assigned<D>)>,
    report: Report,
}

impl<D: Derivative> Witness<D> {
    /// A witness for these originals, each with its forward and its reverse sweep.
    pub(super) fn new(program: &Program, sweeps: &[(RoutineId, RoutineId, RoutineId)]) -> Self {
        Self {
            sweeps: Sweeps::new(program, sweeps),
            log: Log::default(),
            reads: Reads::Ignored,
            activations: 0,
            twins: Vec::new(),
            assigned: Assigned::default(),
            suspended: Vec::new(),
            open: 0,
            again: Assigned::default(),
            reruns: Vec::new(),
            report: Report::default(),
        }
    }

    /// The findings, of which the values that the plain program assigned are a part.
    fn into_report(mut self, plain: &Assigned<D>) -> Report {
        self.assigned.compare(plain, &self.sweeps, &mut self.report);
        plain.compare_again(&self.reruns, &self.sweeps, &mut self.report);
        self.report
    }

    /// A value is about to be assigned by the statement at a position of a block.
    pub(super) fn note_assignment(
        &mut self,
        routine: RoutineId,
        (vertex, position): (VertexId, usize),
        statement: &Stmt,
        value: &Data<D>,
    ) {
        let Some((target, _)) = statement.kind.assignment() else {
            return;
        };
        let key = match (self.sweeps.forward(routine), self.sweeps.original(routine)) {
            (Some(k), _) => {
                let sweep = self.sweeps.get(k);
                let is_original = target.var.index() < sweep.assignable;
                let number = statement.origin.number().filter(|_| is_original);
                number.map(|number| (sweep.original, number))
            }
            (None, Some(k)) => {
                let first = self.sweeps.get(k).numbers.get(&vertex);
                first.map(|first| (routine, first + position))
            }
            (None, None) => None,
        };
        if let Some(key) = key {
            let runs_again = !self.suspended.is_empty() || self.keeps_states();
            let assigned = match runs_again {
                true => &mut self.again,
                false => &mut self.assigned,
            };
            assigned.note(key, value);
        }
    }

    /// True in a reverse sweep that runs parts again.
    fn keeps_states(&self) -> bool {
        let twin = self.twins.last();
        twin.is_some_and(|twin| self.sweeps.get(twin.sweep).keeps_states)
    }

    /// True while a forward sweep may run, whose writes are to be logged.
    fn is_logging(&self) -> bool {
        self.twins.is_empty()
    }

    /// A cell is about to be overwritten.
    pub(super) fn note_write(&mut self, cell: usize, old: &Value<D>) {
        if self.is_logging() {
            self.log.push(Event::Write(cell, old.clone()));
        }
    }

    /// Cells from `base` on are about to be made.
    pub(super) fn note_allocation(&mut self, base: usize) {
        if self.is_logging() {
            self.log.push(Event::Allocation(base));
        }
    }

    /// Notes the last cells, which are about to be released.
    pub(super) fn note_release(&mut self, cells: &[Value<D>]) {
        if self.is_logging() {
            self.log.push(Event::Release(cells.to_vec()));
        }
    }

    /// A variable is about to get other cells.
    pub(super) fn note_view(&mut self, activation: usize, v: VarId, old: &View) {
        if self.is_logging() && activation > 0 {
            self.log.push(Event::View(activation, v, old.clone()));
        }
    }

    /// A call has begun, with all cells as they are then. Returns the number of the activation, 0 if the routine is no
    /// forward sweep.
    pub(super) fn enter(&mut self, routine: RoutineId, cells: &[Value<D>]) -> usize {
        if self.sweeps.forward(routine).is_some() && self.keeps_states() {
            let log = std::mem::take(&mut self.log);
            self.suspended.push((log, std::mem::take(&mut self.twins)));
        }
        if self.is_logging() && self.sweeps.forward(routine).is_some() {
            if self.open == 0 {
                self.again = Assigned::default();
            }
            self.open += 1;
            self.activations += 1;
            self.log.push(Event::Enter(self.activations));
            return self.activations;
        }
        let Some(sweep) = self.sweeps.reverse(routine) else {
            return 0;
        };
        if self.is_logging() {
            self.log.start_undoing(cells);
        }
        let forward = self.sweeps.get(sweep).forward;
        let within = self.twins.last().and_then(|twin| twin.visit);
        let (activation, views) = match self.log.last_left(forward, within) {
            Some(at) => {
                self.undo_to(at + 1);
                match self.log.pop() {
                    Some(Event::Leave(activation, _, views)) => (Some(activation), views),
                    _ => (None, Vec::new()),
                }
            }
            None => {
                self.report.lose(
                    self.sweeps.get(sweep),
                    "no activation of the forward sweep is left",
                );
                (None, Vec::new())
            }
        };
        self.twins.push(Twin {
            sweep,
            activation,
            views,
            visit: None,
            statement: None,
            taken_behind: None,
            at: (0, None),
        });
        0
    }

    /// A call returns; its cells are still there.
    pub(super) fn leave(&mut self, routine: RoutineId, activation: usize, views: &[View]) {
        if activation > 0 {
            let event = Event::Leave(activation, routine, views.to_vec());
            self.log.push(event);
            self.open -= 1;
            if self.open == 0 && !self.suspended.is_empty() {
                let again = std::mem::take(&mut self.again);
                self.reruns.push((self.suspended.len(), again));
            }
            return;
        }
        let keeps_states = |k: usize| self.sweeps.get(k).keeps_states;
        if self.twins.is_empty() && self.sweeps.reverse(routine).is_some_and(keeps_states) {
            // The part was run again as often as it had to.
            if let Some((log, twins)) = self.suspended.pop() {
                (self.log, self.twins) = (log, twins);
            }
        }
        if self.sweeps.reverse(routine).is_some()
            && let Some(twin) = self.twins.last()
        {
            if let Some(activation) = twin.activation
                && let Some(at) = self.log.entry(activation)
            {
                self.undo_to(at);
            }
            self.twins.pop();
            if self.twins.is_empty() {
                self.log = Log::default();
            }
        }
    }

    /// A vertex is visited; `entered`: a loop, not from its end.
    pub(super) fn visit(
        &mut self,
        routine: RoutineId,
        activation: usize,
        vertex: &Vertex,
        entered: bool,
    ) {
        if activation > 0 {
            let image = vertex.origin.filter(|o| o.role.is_image());
            let of = image.map_or(0, |o| o.vertex);
            self.log.push(Event::Visit(activation, of));
        } else if self.sweeps.reverse(routine).is_some() {
            self.visit_adjoint(vertex, entered);
        }
    }

    fn visit_adjoint(&mut self, vertex: &Vertex, entered: bool) {
        let Some(twin) = self.twins.last_mut() else {
            return;
        };
        twin.statement = None;
        twin.at = (vertex.id, None);
        let Some(activation) = twin.activation else {
            return;
        };
        if let Some(visit) = twin.visit {
            self.undo_to(visit);
        }
        self.set_visit(None);
        let Some(twin) = self.twins.last() else {
            return;
        };
        let sweep = self.sweeps.get(twin.sweep);
        let Some(origin) = vertex.origin else {
            return;
        };
        if origin.role.is_image() && sweep.mirrored.contains(&origin.vertex) {
            match self.log.last_visit(activation, origin.vertex) {
                Some((at, end)) => {
                    self.undo_to(end);
                    self.set_visit(Some(at));
                }
                None => {
                    self.report.lose(
                        sweep,
                        &format!("vertex {} is visited once too often", vertex.id),
                    );
                    if let Some(twin) = self.twins.last_mut() {
                        twin.activation = None;
                    }
                }
            }
            return;
        }
        // The bounds of a reverse loop are read once, before it, with the values that were there when the loop had
        // ended; each pass is complete at its end.
        let is_end = vertex.vertex_type() == VertexType::EndLoop;
        let is_start = vertex.vertex_type() == VertexType::ForLoop && entered;
        let reads_bounds = origin.role == OriginRole::BoundPop;
        if let Some(&header) = sweep.loops.get(&origin.vertex)
            && (is_end || is_start || reads_bounds)
            && let Some((at, end)) = self.log.last_visit(activation, header)
            && !self.log.visits_between(activation, end, &sweep.mirrored)
        {
            self.undo_to(end);
            if !reads_bounds {
                self.set_visit(Some(at));
            }
        }
    }

    fn set_visit(&mut self, visit: Option<usize>) {
        if let Some(twin) = self.twins.last_mut() {
            twin.visit = visit;
        }
    }

    /// A statement of a block is executed, or the test of a vertex (`None`).
    pub(super) fn begin(
        &mut self,
        routine: RoutineId,
        activation: usize,
        block: Option<(&[Stmt], usize)>,
    ) {
        self.reads = Reads::Ignored;
        let statement = block.and_then(|(statements, k)| statements.get(k));
        if activation > 0 {
            if let Some(statement) = statement {
                let number = statement.origin.number();
                self.log.push(Event::Statement(activation, number));
                // A value that is recorded is no operand.
                if !matches!(statement.kind, StmtKind::Push { .. }) {
                    self.reads = Reads::Logged(activation);
                }
            }
        } else if self.sweeps.reverse(routine).is_some()
            && !self.twins.is_empty()
            && !self.keeps_states()
        {
            // A sweep that keeps states reads those before the part, which the log does not tell apart.
            self.reads = Reads::Compared;
            if let Some((statements, k)) = block {
                self.begin_adjoint(statements, k);
            }
        }
    }

    /// True of the sweeps, whose operands are seen when they read them.
    pub(super) fn is_sweep(&self, routine: RoutineId) -> bool {
        self.sweeps.forward(routine).is_some() || self.sweeps.reverse(routine).is_some()
    }

    /// True while a reverse sweep's statement is executed.
    pub(super) fn is_comparing(&self) -> bool {
        self.reads == Reads::Compared
    }

    /// The statement, the test or the call is over.
    pub(super) fn end(&mut self) {
        self.reads = Reads::Ignored;
    }

    /// Finds the execution of the statement that a reverse statement was made from.
    fn begin_adjoint(&mut self, block: &[Stmt], k: usize) {
        let number = block[k].origin.number();
        let Some(twin) = self.twins.last_mut() else {
            return;
        };
        twin.at.1 = number;
        let originals = self.sweeps.get(twin.sweep).originals;
        twin.taken_behind = taken_behind(&block[k], originals);
        let open = twin.statement.as_ref();
        if k > 0 && open.is_some_and(|open| Some(open.number) == number) {
            return;
        }
        twin.statement = None;
        let (Some(activation), Some(visit)) = (twin.activation, twin.visit) else {
            return;
        };
        let Some(number) = number else {
            // Code that was merged into the end of the block stands behind the adjoints of all its statements.
            if block[..k].iter().any(|s| s.origin.number().is_some()) {
                self.undo_to(visit + 1);
            }
            return;
        };
        let Some((end, operands)) = self.log.last_statement(activation, visit, number) else {
            // The forward sweep leaves the statement out: the place in front of those that follow it is its own.
            if let Some(end) = self.log.first_behind(activation, visit, number) {
                self.undo_to(end);
            }
            return;
        };
        self.undo_to(end);
        if let Some(twin) = self.twins.last_mut() {
            twin.statement = Some(Statement { number, operands });
        }
    }

    /// A cell of a variable has been read. `whole` has all cells of the variable.
    pub(super) fn observe(&mut self, v: VarId, whole: &View, cell: usize, value: &Value<D>) {
        match self.reads {
            Reads::Ignored => {}
            Reads::Logged(activation) => {
                let name = whole.element(cell).map(|element| (v, element));
                let event = Event::Read(activation, Read { name, cell }, value.clone());
                self.log.push(event);
            }
            Reads::Compared => self.compare(v, whole, cell, value),
        }
    }

    fn compare(&mut self, v: VarId, whole: &View, cell: usize, found: &Value<D>) {
        let Some(twin) = self.twins.last() else {
            return;
        };
        let sweep = self.sweeps.get(twin.sweep);
        if v.index() >= sweep.originals {
            return;
        }
        if twin.activation.is_none() {
            self.report.not_compared += 1;
            return;
        }
        self.report.compared += 1;
        let element = whole.element(cell);
        let then = element
            .as_ref()
            .and_then(|e| twin.views.get(v.index())?.at(e));
        let behind = then.and_then(|cell| self.log.cell(cell));
        let statement = twin.statement.as_ref();
        let read = statement.and_then(|s| s.operands.get(v, element.as_deref(), then));
        let result = statement.and_then(|s| sweep.results.get(&s.number));
        // A value that reads its target is that behind the statement only where the reverse statement says so.
        let reused = result.is_some_and(|&(target, reads_itself)| {
            target == v && (!reads_itself || twin.taken_behind == Some(v))
        });
        let agrees = match read {
            Some(values) => {
                values.iter().any(|then| same_bits(then, found))
                    || reused && behind.is_some_and(|then| same_bits(then, found))
            }
            None => behind.is_some_and(|then| same_bits(then, found)),
        };
        if !agrees {
            let then = read.and_then(|values| values.first()).or(behind);
            let (vertex, statement) = twin.at;
            self.report.stale(Stale {
                original: sweep.original,
                routine: sweep.name.clone(),
                vertex,
                statement,
                variable: sweep.variables[v.index()].clone(),
                element: element.unwrap_or_default(),
                found: shown(found),
                then: then.map_or_else(|| "no such element".to_owned(), shown),
            });
        }
    }

    /// Undoes the log up to an event, which is undone, too, and reports visits that have no adjoint although their
    /// vertices have one.
    fn undo_to(&mut self, position: usize) {
        while self.log.len() > position {
            let Some(event) = self.log.pop() else { return };
            match event {
                Event::Visit(activation, of) => {
                    let Some(twin) = self.twins.last() else {
                        continue;
                    };
                    let sweep = self.sweeps.get(twin.sweep);
                    if twin.activation == Some(activation)
                        && twin.visit != Some(self.log.len())
                        && sweep.mirrored.contains(&of)
                    {
                        self.report
                            .lose(sweep, &format!("a visit of vertex {of} has no adjoint"));
                    }
                }
                Event::View(activation, v, old) => {
                    let mut twins = self.twins.iter_mut();
                    if let Some(twin) = twins.find(|twin| twin.activation == Some(activation)) {
                        twin.views[v.index()] = old;
                    }
                }
                Event::Enter(_)
                | Event::Leave(..)
                | Event::Statement(..)
                | Event::Read(..)
                | Event::Write(..)
                | Event::Allocation(_)
                | Event::Release(_) => {}
            }
        }
    }
}

/// True of values with the same bits, and of two that are not a number.
fn same_bits<D>(a: &Value<D>, b: &Value<D>) -> bool {
    match (a, b) {
        (Value::Undefined, Value::Undefined) => true,
        (Value::Real(a, _), Value::Real(b, _)) => {
            a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan()
        }
        (Value::Real32(a, _), Value::Real32(b, _)) => {
            a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan()
        }
        (Value::Integer(a), Value::Integer(b)) => a == b,
        (Value::Sized(s, a), Value::Sized(t, b)) => s == t && a == b,
        (Value::Logical(a), Value::Logical(b)) => a == b,
        (Value::Pointer(s, a), Value::Pointer(t, b)) => s == t && a == b,
        (
            Value::Undefined
            | Value::Real(..)
            | Value::Real32(..)
            | Value::Integer(_)
            | Value::Sized(..)
            | Value::Logical(_)
            | Value::Pointer(..),
            _,
        ) => false,
    }
}

fn shown<D: std::fmt::Debug>(value: &Value<D>) -> String {
    match value {
        Value::Undefined => "undefined".to_owned(),
        Value::Real(x, _) => format!("{x:?}"),
        Value::Real32(x, _) => format!("{x:?}"),
        Value::Integer(i) => i.to_string(),
        Value::Sized(_, i) => i.to_string(),
        Value::Logical(b) => b.to_string(),
        Value::Pointer(..) => format!("{value:?}"),
    }
}
