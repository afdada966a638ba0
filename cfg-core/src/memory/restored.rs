//! Pushes of values that were popped just before and still lie in the same place, above the end of the stack.

use crate::{
    entity::VarId,
    ir::{Expr, Routine, Stmt, StmtKind, TapeClass},
};
use fixedbitset::FixedBitSet;
use std::collections::HashMap;

/// The statements of a block that push what pops in front of them have taken: nothing but pops and pushes stands
/// between, in opposite order, and no pop writes a variable that was popped before. What they push lies behind the end
/// of the stack unchanged. None in routines whose parameters may share storage.
pub fn restored_pushes(routine: &Routine, statements: &[Stmt]) -> FixedBitSet {
    let mut found = FixedBitSet::with_capacity(statements.len());
    if routine.aliased {
        return found;
    }
    // The pops that lie behind the end of each stack, the last one last; and of each variable the last pop.
    let mut popped: HashMap<(VarId, TapeClass), Vec<(usize, VarId)>> = HashMap::new();
    let mut last: HashMap<VarId, usize> = HashMap::new();
    for (s, statement) in statements.iter().enumerate() {
        match &statement.kind {
            StmtKind::Pop {
                tape,
                class,
                target,
            } => {
                last.insert(target.var, s);
                let stack = popped.entry((*tape, *class)).or_default();
                match target.subscripts.is_empty() {
                    true => stack.push((s, target.var)),
                    // Values behind it lie no longer at the end.
                    false => stack.clear(),
                }
            }
            StmtKind::Push { tape, class, value } => {
                let Some(stack) = popped.get_mut(&(*tape, *class)) else {
                    continue;
                };
                let is_same = |&(pop, v): &(usize, VarId)| {
                    let whole = matches!(value, Expr::Place(place) if place.subscripts.is_empty() && place.var == v);
                    whole && last.get(&v) == Some(&pop)
                };
                match stack.pop().is_some_and(|pop| is_same(&pop)) {
                    true => found.insert(s),
                    false => stack.clear(),
                }
            }
            StmtKind::Assign { .. }
            | StmtKind::Call { .. }
            | StmtKind::Opaque { .. }
            | StmtKind::Stop { .. }
            | StmtKind::Allocate { .. }
            | StmtKind::Free { .. }
            | StmtKind::Resize { .. } => popped.clear(),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        builder::RoutineBuilder,
        ir::{ScalarType, TapeClass::*},
    };

    /// A push is told by its variable, a pop by the variable behind `<`, those on the second tape by an upper letter;
    /// `=` assigns, and `[` pops an element of the array `a`.
    fn restored(code: &str, aliased: bool) -> String {
        let mut f = RoutineBuilder::new("f");
        let tapes = ["t", "u"].map(|name| f.inout(name, ScalarType::Tape));
        let v = ["x", "y", "z"].map(|name| f.inout(name, ScalarType::Real));
        let a = f.inout("a", ScalarType::Real.array([2]));
        let find = |c: char| match c.to_ascii_lowercase() {
            'a' => a,
            c => v[(c as u8 - b'x') as usize],
        };
        let mut letters = code.chars();
        while let Some(c) = letters.next() {
            match c {
                '<' => {
                    let c = letters.next().expect("a variable is popped");
                    f.pop(tapes[usize::from(c.is_uppercase())], Disk, find(c));
                }
                '[' => f.pop(tapes[0], Disk, a.at(1)),
                '=' => f.assign(v[2], 1.0),
                c => f.push(tapes[usize::from(c.is_uppercase())], Disk, find(c)),
            }
        }
        let mut routine = f.finish().expect("it is built");
        routine.aliased = aliased;
        let cfg = routine.body.as_ref().expect("it has a body");
        let statements = cfg.vertices().flat_map(|(_, v)| v.statements());
        let statements: Vec<Stmt> = statements.cloned().collect();
        let found = restored_pushes(&routine, &statements);
        found.ones().map(|s| s.to_string()).collect()
    }

    #[test]
    fn pushes_of_what_was_popped_are_found() {
        for (code, expected) in [
            ("<x<y<ayx", ""),
            ("<x<y<aayx", "345"),
            ("<x<yyyx", "2"),
            ("<x<yxy", ""),
            ("<x<yxx", ""),
            ("<x<yy=x", "2"),
            ("<x=x", ""),
            ("<x<xxx", "2"),
            ("<x<Y<XxY", ""),
            ("<x<Y<Zx", "3"),
            ("<x<YxY", "23"),
            ("<x[ax", ""),
            ("<a[a", ""),
            ("x<xx", "2"),
        ] {
            assert_eq!(restored(code, false), expected, "{code}");
        }
        assert_eq!(restored("<x<yyx", true), "");
    }
}
