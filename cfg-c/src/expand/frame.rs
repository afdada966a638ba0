//! What is known of a function while it is copied.

use super::{Bound, untyped::Untyped};
use crate::{
    ast::{DeclId, ExprId, Function, Part, StmtId, StructId},
    source::Pos,
};
use std::{
    collections::{HashMap, HashSet},
    rc::Rc,
};

/// The members of a structure and of those in it, by what leads to them, and their variables.
pub(super) type Parts = Vec<(Vec<Rc<str>>, DeclId)>;

/// A structure, or one inside of it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Loc {
    pub(super) root: DeclId,
    pub(super) path: Vec<Rc<str>>,
    pub(super) s: StructId,
}

/// A structure or a pointer to one, and the statements that come before it is there.
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
    /// The parameters that differ.
    pub(super) bound: HashMap<DeclId, Bound>,
    /// What its pointers to void lead to.
    pub(super) untyped: Untyped,
    /// The expressions of the copy.
    pub(super) exprs: HashMap<ExprId, ExprId>,
    /// The first expression of the function, and for each of its expressions where its copy begins.
    pub(super) first: u32,
    pub(super) starts: Vec<u32>,
    /// Variables that the copy has besides.
    pub(super) added: Vec<DeclId>,
    /// The number of the copy.
    pub(super) target: usize,
    /// Structures with pointers, and pointers to them, by the expressions that are such.
    pub(super) values: HashMap<ExprId, Value>,
    /// The function stands in place of a call.
    pub(super) inline: bool,
    /// What a function that stands in place of a call returns.
    pub(super) returns: Returns,
    /// The names of labels in a function that stands in place of a call.
    pub(super) labels: HashMap<Rc<str>, Rc<str>>,
    /// The labels and loops of functions that stand in place of calls.
    pub(super) inner_labels: Vec<(Rc<str>, Pos)>,
    pub(super) inner_loops: Vec<Part>,
    /// The loops of the function, and whether all of it may be repeated.
    pub(super) loops: Vec<Part>,
    pub(super) again: bool,
    /// What the last statement returns: a value, or a structure with pointers.
    pub(super) last: Option<Result<ExprId, Loc>>,
    /// The declarations of structures that have initial values.
    pub(super) declared: HashMap<DeclId, Vec<StmtId>>,
    /// Structures that are declared in expressions.
    pub(super) literals: HashSet<DeclId>,
    /// Parameters that may point to what is before an array.
    pub(super) back: HashSet<DeclId>,
    /// Parameters that are another name for a variable of the caller.
    pub(super) passed: HashSet<DeclId>,
}

/// What a function that stands in place of a call returns.
#[derive(Clone, Debug, Default)]
pub(super) enum Returns {
    /// Nothing, or the function is called.
    #[default]
    Nothing,
    /// The value of its last statement, which is this one.
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
    pub(super) fn get(&self, e: ExprId) -> ExprId {
        self.exprs.get(&e).copied().unwrap_or(e)
    }

    /// That of a function in place of a call.
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

    /// Gives what was added to the function around it.
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
