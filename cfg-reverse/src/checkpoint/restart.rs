//! Progress of a loop that is kept in a file, so that a run that was killed goes on from there.
//!
//! The sweeps of a loop tell how far they are, and ask whether its progress is to be kept. Then they push all that they
//! have, the state, the numbers of the loop, adjoints and globals, on a tape of their own, the journal, and hand both
//! tapes over. A run that begins again gets to the loop as the first one did, because it computes the same; there it
//! gets the tapes back, pops what was pushed, and goes on. A loop that had ended is passed at once.
//!
//! Here the four routines that hand over do nothing. A back end that can keep files writes its own in their places
//! ([`NameRole::RestartLoad`] and the others).

use cfg_core::{
    edit::Editor,
    entity::{RoutineId, VarId},
    ir::{Expr, Intent, NameOrigin, NameRole, Place, Role, Routine, ScalarType, Stmt, Variable},
};

use super::writer::{Writer, set};
use crate::code::{names::Namer, routines::tape_class};

/// The roles of the routines that hand over, in the order of their numbers.
pub(crate) const ROLES: [(&str, NameRole); 5] = [
    ("restart_begin", NameRole::RestartBegin),
    ("restart_load", NameRole::RestartLoad),
    ("restart_due", NameRole::RestartDue),
    ("restart_end", NameRole::RestartEnd),
    ("restart_save", NameRole::RestartSave),
];

/// Adds the routines that hand progress over. Each has the tape and the journal; all but the last one answer with a
/// logical:
///
/// - whether the loop keeps its progress;
/// - whether there is progress of a run that began the loop with the same values, which lie on the journal. The progress
///   lies there then, and the tape is as it was; else the journal is empty;
/// - whether progress is to be kept now. The routine is told how far the loop is: the steps that have run, those that
///   are reversed, and all, 0 where their number is not known yet;
/// - whether progress is to be kept where the loop has ended;
/// - the last one keeps it, and leaves the journal empty.
pub(crate) fn write_routines(namer: &mut Namer, out: &mut Vec<Routine>) {
    for (name, role) in ROLES {
        let mut routine = Routine {
            name: namer.fresh_name(name.to_owned()),
            origin: Some(Box::new(NameOrigin::new(role.clone(), ""))),
            ..Routine::default()
        };
        let mut add = |name: &str, ty, intent| {
            let optional = false;
            let role = Role::Parameter { intent, optional };
            routine.add_variable(Variable::new(name, ty, Vec::new(), role))
        };
        let tape = add("tape", ScalarType::Tape, Intent::InOut);
        let journal = add("journal", ScalarType::Tape, Intent::InOut);
        let answer = (role != NameRole::RestartSave)
            .then(|| add("answer", ScalarType::Logical, Intent::Out));
        let numbers = ["run", "reversed", "steps"];
        let numbers = numbers.map(|name| {
            let is_told = role == NameRole::RestartDue;
            is_told.then(|| add(name, ScalarType::Integer, Intent::In))
        });
        let others = answer.into_iter().chain(numbers.into_iter().flatten());
        routine.parameters = [tape, journal].into_iter().chain(others).collect();
        let no = answer.map(|v| Stmt::assign(Place::whole(v), Expr::Logical(false)));
        routine.body = Some(Editor::line([no.into_iter().collect()]));
        out.push(routine);
    }
}

/// The journal of a loop in one of its sweeps.
pub(super) struct Journal {
    /// The first of the routines that hand progress over.
    routines: RoutineId,
    tape: VarId,
    answer: VarId,
    /// By these, and by what is kept, another run is told.
    inputs: Vec<VarId>,
    kept: Vec<VarId>,
}

impl Journal {
    /// The journal of a sweep, which keeps these numbers of the loop beside all else that the sweep changes.
    pub(super) fn declare(w: &mut Writer<'_, '_, '_>, numbers: &[VarId]) -> Option<Self> {
        let routines = w.restarts()?;
        let changed = w.all_that_changes()?;
        let inputs = w.inputs()?;
        let tape = w.local_of("journal", ScalarType::Tape);
        let answer = w.local_of("answer", ScalarType::Logical);
        let mut kept = numbers.to_vec();
        kept.extend(changed);
        Some(Self {
            routines,
            tape,
            answer,
            inputs,
            kept,
        })
    }

    fn call(&self, w: &Writer<'_, '_, '_>, role: &NameRole, numbers: Vec<Expr>) -> Stmt {
        let number = ROLES.iter().position(|(_, other)| other == role);
        let routine = RoutineId::new(self.routines.index() + number.unwrap_or(0));
        let answer = Some(self.answer).filter(|_| *role != NameRole::RestartSave);
        let variables = [self.tape].into_iter().chain(answer).map(Expr::var);
        w.call_with_tape(routine, variables.chain(numbers))
    }

    fn pushes(&self, w: &Writer<'_, '_, '_>, variables: &[VarId]) -> Vec<Stmt> {
        let variables = variables.iter();
        let push = |&v: &VarId| w.push_on(self.tape, tape_class(w.type_of(v)), v);
        variables.map(push).collect()
    }

    /// Takes the progress that a former run has kept.
    pub(super) fn load(&self, w: &mut Writer<'_, '_, '_>) {
        let mut given = self.pushes(w, &self.inputs);
        given.extend(self.pushes(w, &self.kept));
        given.push(self.call(w, &NameRole::RestartLoad, vec![]));
        let kept = self.kept.iter().rev();
        let pops = kept.map(|&v| w.pop_from(self.tape, tape_class(w.type_of(v)), v));
        let pops = pops.collect();
        w.block(vec![self.call(w, &NameRole::RestartBegin, vec![])]);
        w.when(Expr::var(self.answer), |w| {
            w.block(given);
            w.when(Expr::var(self.answer), |w| w.block(pops));
        });
    }

    /// Writes a loop that is tested at its end, behind [`Journal::load`]: a run that goes on enters it if the test says
    /// so.
    pub(super) fn unless_ended<'a, 'b, 'p>(
        &self,
        w: &mut Writer<'a, 'b, 'p>,
        goes_on: Expr,
        inside: impl FnOnce(&mut Writer<'a, 'b, 'p>),
    ) {
        let enters = w.local_of("enters", ScalarType::Logical);
        w.block(vec![set(enters, Expr::Logical(true))]);
        w.when(Expr::var(self.answer), |w| {
            w.block(vec![set(enters, goes_on)]);
        });
        w.when(Expr::var(enters), inside);
    }

    /// Tells how far the loop is, and keeps the progress if that is due.
    pub(super) fn save(&self, w: &mut Writer<'_, '_, '_>, [run, reversed, steps]: [Expr; 3]) {
        let numbers = vec![run, reversed, steps];
        let is_due = self.call(w, &NameRole::RestartDue, numbers);
        self.save_if(w, is_due);
    }

    /// Keeps the progress of a loop that has ended.
    pub(super) fn save_at_end(&self, w: &mut Writer<'_, '_, '_>) {
        let has_ended = self.call(w, &NameRole::RestartEnd, vec![]);
        self.save_if(w, has_ended);
    }

    fn save_if(&self, w: &mut Writer<'_, '_, '_>, asked: Stmt) {
        let mut all = self.pushes(w, &self.kept);
        all.push(self.call(w, &NameRole::RestartSave, vec![]));
        w.block(vec![asked]);
        w.when(Expr::var(self.answer), |w| w.block(all));
    }
}
