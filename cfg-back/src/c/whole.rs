//! Assignments to all members of a structure, one behind the other, as one of the structure: from another one, which
//! may become 0 then, as adjoints do, or of 0.

use super::{
    Emitted,
    operators::{Code, Prefix},
    passed::Passed,
    records::{OfRoutine, Record},
    variable::Kind,
    writer::Writer,
};
use cfg_core::{
    entity::VarId,
    flat::{Constant, FlatExpr, FlatStmt, FlatSubscript},
    ir::{Expr, Place, Range, ScalarType, Stmt, Subscript},
};

/// A structure: the record, and the subscripts of an array.
#[derive(Clone, PartialEq)]
struct Whole<'s> {
    record: usize,
    at: &'s [Subscript],
}

/// The change of a member.
enum Member<'s> {
    /// A copy of the same member of another structure.
    Copied(Whole<'s>, Whole<'s>, usize),
    Cleared(Whole<'s>, usize),
}

/// Assignments to members that are one assignment to the structure.
struct Run<'s> {
    to: Whole<'s>,
    from: Option<Whole<'s>>,
    /// True if the structure that is copied becomes 0.
    clears: bool,
    /// The number of statements.
    count: usize,
}

/// The statements with which a list begins.
pub(super) enum Begins {
    /// So many are written as an assignment to a structure.
    WithStructure(usize),
    /// So many are none.
    Otherwise(usize),
}

/// The leaves of a record that are done, and the number of those that are needed and are not.
struct Leaves<'r> {
    record: &'r Record,
    done: Vec<bool>,
    any: bool,
    missing: usize,
}

impl<'r> Leaves<'r> {
    fn new(record: &'r Record) -> Self {
        Self {
            record,
            done: vec![false; record.parts.len()],
            any: false,
            missing: record.needed.iter().filter(|needed| **needed).count(),
        }
    }

    /// Adds a leaf; false if it was done before.
    fn add(&mut self, leaf: usize) -> bool {
        self.any = true;
        let is_new = !std::mem::replace(&mut self.done[leaf], true);
        self.missing -= usize::from(is_new && self.record.needed[leaf]);
        is_new
    }
}

impl Writer<'_> {
    /// Writes the first statements as an assignment to a structure, if they are one.
    pub(super) fn assign_structure(&mut self, statements: &[Stmt]) -> Emitted<Begins> {
        let file = self.file;
        let Some(of) = file.records.of(self.id).filter(|of| !of.all.is_empty()) else {
            return Ok(Begins::Otherwise(statements.len()));
        };
        let run = match self.run(of, statements) {
            Ok(run) => run,
            Err(count) => return Ok(Begins::Otherwise(count.max(1))),
        };
        let to = self.whole(of, &run.to)?;
        match &run.from {
            Some(from) => {
                let record = from.record;
                of.all[record].parts.iter().for_each(|v| self.note_read(*v));
                let from = self.whole(of, from)?;
                self.set(&to, from.clone());
                if run.clears {
                    let zero = self.zero_structure(record);
                    self.set(&from, zero);
                }
            }
            None => {
                let zero = self.zero_structure(run.to.record);
                self.set(&to, zero);
            }
        }
        Ok(Begins::WithStructure(run.count))
    }

    /// The structure of 0 that a record of the routine is.
    fn zero_structure(&self, record: usize) -> Code {
        let ty = &self.variables.structures[record].ty;
        Code::name(format!("({ty}){{0}}"), ScalarType::Tape)
    }

    /// The structure as an lvalue.
    fn whole(&mut self, of: &OfRoutine, whole: &Whole<'_>) -> Emitted<Code> {
        let record = &of.all[whole.record];
        record
            .parts
            .iter()
            .for_each(|v| self.variables.all[v.index()].used = true);
        let first = record
            .parts
            .first()
            .map(|v| &self.variables.all[v.index()].kind);
        let axes = match first {
            Some(Kind::Array(array)) => array.axes.clone(),
            Some(Kind::Value(_) | Kind::Pointer(_) | Kind::Tape(_)) | None => Vec::new(),
        };
        let name = self.variables.structures[whole.record].name.clone();
        let is_behind = matches!(record.passed, Some(Passed::Constant | Passed::Pointer));
        let (code, sign) = self.structure_at(
            (&name, ScalarType::Tape),
            (record.rank, record.is_single, is_behind),
            std::iter::empty(),
            (whole.at, &axes),
        )?;
        Ok(match sign {
            "->" => code.prefix(Prefix::Dereference),
            _ => code,
        })
    }

    /// The longest run with which the statements begin; else the number of those that do not make a run.
    fn run<'s>(&self, of: &OfRoutine, statements: &'s [Stmt]) -> Result<Run<'s>, usize> {
        let mut steps = statements
            .iter()
            .map_while(|s| self.member_step(of, s))
            .peekable();
        let (to, from) = match steps.peek() {
            Some(Member::Copied(to, from, _)) if to.record != from.record => {
                (to.clone(), Some(from.clone()))
            }
            Some(Member::Cleared(to, _)) => (to.clone(), None),
            Some(Member::Copied(..)) | None => return Err(1),
        };
        let mut given = Leaves::new(&of.all[to.record]);
        let mut cleared = Leaves::new(&of.all[from.as_ref().unwrap_or(&to).record]);
        let (mut count, mut found) = (0, None);
        for step in steps {
            let is_next = match (step, &from) {
                (Member::Copied(t, f, leaf), Some(from)) => {
                    t == to && f == *from && !cleared.done[leaf] && given.add(leaf)
                }
                (Member::Cleared(t, leaf), Some(from)) => {
                    t == *from && given.done[leaf] && cleared.add(leaf)
                }
                (Member::Cleared(t, leaf), None) => t == to && given.add(leaf),
                (Member::Copied(..), None) => false,
            };
            if !is_next {
                break;
            }
            count += 1;
            let is_whole = given.missing == 0 && (!cleared.any || cleared.missing == 0);
            if is_whole && count > 1 {
                found = Some((count, cleared.any));
            }
        }
        let (count, clears) = found.ok_or(count)?;
        Ok(Run {
            to,
            from,
            clears,
            count,
        })
    }

    /// The effect of a statement on a member of a structure.
    fn member_step<'s>(&self, of: &OfRoutine, statement: &'s Stmt) -> Option<Member<'s>> {
        let FlatStmt::Assign { target, value } = FlatStmt::view(&statement.kind) else {
            return None;
        };
        let (to, leaf) = self.whole_of(of, target)?;
        if let Expr::Place(place) = value {
            let (from, other) = self.whole_of(of, place)?;
            let same = leaf == other && of.all[to.record].ty == of.all[from.record].ty;
            return same.then_some(Member::Copied(to, from, leaf));
        }
        let is_zero = match FlatExpr::view(value) {
            FlatExpr::Constant(Constant::Real(x)) => x.to_bits() == 0,
            FlatExpr::Constant(Constant::Real32(x)) => x.to_bits() == 0,
            FlatExpr::Constant(Constant::Int(_) | Constant::Logical(_))
            | FlatExpr::Place(_)
            | FlatExpr::Op(..) => false,
        };
        is_zero.then_some(Member::Cleared(to, leaf))
    }

    /// The structure of which a place is a member, which is a leaf of the record.
    fn whole_of<'s>(&self, of: &OfRoutine, place: &'s Place) -> Option<(Whole<'s>, usize)> {
        let (k, leaf) = of.home(place.var)?;
        let record = &of.all[k];
        let whole = |s: &Subscript| matches!(s, Subscript::Range(r) if **r == Range::default());
        let (at, rest) = place.subscripts.split_at_checked(record.rank)?;
        let stays = |s: &Subscript| match FlatSubscript::view(s) {
            FlatSubscript::Index(Expr::Place(p)) => {
                p.subscripts.is_empty() && of.home(p.var).is_none()
            }
            FlatSubscript::Index(e) => e.constant().is_some(),
            FlatSubscript::Range(_) => false,
        };
        let is_held = record.parts.iter().any(|v| self.is_held(*v));
        (at.iter().all(stays) && rest.iter().all(whole) && !is_held)
            .then_some((Whole { record: k, at }, leaf))
    }

    /// True of a variable that a local one holds, or some of its elements.
    fn is_held(&self, v: VarId) -> bool {
        let mut elements = self.variables.elements.range((v, Vec::new())..);
        let is_of = |((w, _), _): ((VarId, &Vec<i64>), _)| w == v;
        let some = elements.next().map(|((w, at), held)| ((*w, at), held));
        some.is_some_and(is_of) || self.variables.all[v.index()].behind.is_some()
    }
}
