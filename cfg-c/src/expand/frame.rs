//! The state of a function that is being copied.

use super::{Bound, untyped::Untyped};
use crate::{
    ast::{DeclId, ExprId, Function, Part, StmtId, StructId},
    source::Pos,
};
use std::{
    collections::{HashMap, HashSet},
    rc::Rc,
};

/// The members of a structure, those of inner structures included: the path to each, and its variable.
pub(super) type Parts = Vec<(Vec<Rc<str>>, DeclId)>;

/// A structure, or one inside of it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Loc {
    pub(super) root: DeclId,
    pub(super) path: Vec<Rc<str>>,
    pub(super) s: StructId,
}

/// A structure or a pointer to one, and the statements that must come before its use.
#[derive(Clone, Debug)]
pub(super) struct Value {
    pub(super) before: Vec<StmtId>,
    pub(super) loc: Loc,
}

/// A function that is being copied.
#[derive(Default)]
pub(super) struct Frame {
    /// The variables of the copy.
    pub(super) decls: HashMap<DeclId, DeclId>,
    /// The parameters that are not copied as they are.
    pub(super) bound: HashMap<DeclId, Bound>,
    /// The types that the function's pointers to void lead to.
    pub(super) untyped: Untyped,
    /// The copy of each expression.
    pub(super) exprs: HashMap<ExprId, ExprId>,
    /// The first expression of the function; `starts` has, for each of its expressions, the first expression of its
    /// copy.
    pub(super) first: u32,
    pub(super) starts: Vec<u32>,
    /// Variables that the copy has in addition.
    pub(super) added: Vec<DeclId>,
    /// The number of the copy.
    pub(super) target: usize,
    /// The values of expressions that are structures with pointers, or pointers to them.
    pub(super) values: HashMap<ExprId, Value>,
    /// True if the function stands in place of a call.
    pub(super) inline: bool,
    /// The form of the result of a function that stands in place of a call.
    pub(super) returns: Returns,
    /// The names of labels in a function that stands in place of a call.
    pub(super) labels: HashMap<Rc<str>, Rc<str>>,
    /// The labels and loops of functions that stand in place of calls.
    pub(super) inner_labels: Vec<(Rc<str>, Pos)>,
    pub(super) inner_loops: Vec<Part>,
    /// The loops of the function; `again`: all of it may be repeated.
    pub(super) loops: Vec<Part>,
    pub(super) again: bool,
    /// The value of the last statement, a return: an expression, or a structure with pointers.
    pub(super) last: Option<Result<ExprId, Loc>>,
    /// The declarations of structures that have initial values.
    pub(super) declared: HashMap<DeclId, Vec<StmtId>>,
    /// Structures that are declared in expressions.
    pub(super) literals: HashSet<DeclId>,
    /// Parameters that may point to a place before an array.
    pub(super) back: HashSet<DeclId>,
    /// Parameters that are another name for a variable of the caller.
    pub(super) passed: HashSet<DeclId>,
}

/// The form of the result of a function that stands in place of a call.
#[derive(Clone, Debug, Default)]
pub(super) enum Returns {
    /// The function returns nothing, or is called.
    #[default]
    Nothing,
    /// The value of the last statement, a return.
    Last,
    /// A variable that each return assigns.
    Number(DeclId),
    /// A structure that each return assigns.
    Structure(Loc),
    /// A pointer to structures.
    Pointer(DeclId),
}

impl Frame {
    /// The copy of an expression that has been copied.
    pub(super) fn copy_of(&self, e: ExprId) -> ExprId {
        self.exprs.get(&e).copied().unwrap_or(e)
    }

    /// The frame of a function in place of a call.
    pub(super) fn inside(outer: &Self, source: &Function, call: ExprId) -> Self {
        Self {
            first: source.part.start,
            target: outer.target,
            inline: true,
            loops: source.loops.clone(),
            again: outer.repeated(call),
            ..Self::default()
        }
    }

    /// Moves the variables, labels and loops that were added to the frame of the function around it.
    pub(super) fn finish(&mut self, outer: &mut Self, source: &Function, end: u32) {
        let loops = source.loops.iter().map(|l| self.part(l, end));
        let loops: Vec<Part> = loops.collect();
        outer.inner_loops.extend(loops);
        outer.inner_loops.append(&mut self.inner_loops);
        outer.inner_labels.append(&mut self.inner_labels);
        outer.added.append(&mut self.added);
    }

    /// True of an expression that may be evaluated more than once.
    pub(super) fn repeated(&self, e: ExprId) -> bool {
        self.again || self.loops.iter().any(|l| l.contains(&e.0))
    }

    pub(super) fn part(&self, part: &Part, end: u32) -> Part {
        let place = |k: u32| {
            let k = k.checked_sub(self.first).map(|k| k as usize);
            k.and_then(|k| self.starts.get(k)).copied().unwrap_or(end)
        };
        place(part.start)..place(part.end)
    }
}
