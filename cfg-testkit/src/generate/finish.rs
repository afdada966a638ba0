//! Leaves out unused variables and orders the rest as files do: parameters, locals, globals.

use crate::tree::{Node, Region};
use cfg_core::entity::VarId;
use cfg_core::ir::{
    Dim, Expr, Extent, LoopTest, Place, Role, Routine, Selector, Stmt, StmtKind,
    visit::{PlaceRole, VisitMut, walk_place_mut, walk_statement_mut},
};

/// Renumbers the variables of a routine whose body is `tree`. Globals are numbered by their first use.
pub(super) fn renumber(routine: &mut Routine, tree: Option<&mut Region>) {
    let Some(tree) = tree else {
        return;
    };
    let mut used: Vec<VarId> = Vec::new();
    let mut seen = vec![false; routine.variables.len()];
    let mut note = |v: VarId| {
        if !std::mem::replace(&mut seen[v.index()], true) {
            used.push(v);
        }
    };
    Names(|v: &mut VarId| note(*v)).region(tree);
    let lists = routine.independents.iter().chain(&routine.dependents);
    for &v in lists.chain(&routine.result) {
        note(v);
    }
    // Shapes name parameters only, which are all kept.
    let mut order: Vec<VarId> = routine.parameter_ids().collect();
    let role = |v: VarId| routine.variable(v).role;
    let mut locals: Vec<VarId> = used
        .iter()
        .copied()
        .filter(|&v| role(v) == Role::Local)
        .collect();
    locals.sort_unstable();
    // A result after all locals is declared on its own, another among them.
    if let Some(result) = routine.result
        && routine.parameters.len().is_multiple_of(2)
    {
        locals.retain(|&v| v != result);
        locals.push(result);
    }
    order.extend(locals);
    order.extend(used.iter().filter(|&&v| matches!(role(v), Role::Global(_))));
    let mut new = vec![VarId::new(0); routine.variables.len()];
    for (k, v) in order.iter().enumerate() {
        new[v.index()] = VarId::new(k);
    }
    let rename = |v: &mut VarId| *v = new[v.index()];
    Names(rename).region(tree);
    routine.variables = order
        .iter()
        .map(|v| routine.variables[v.index()].clone())
        .collect();
    for variable in &mut routine.variables {
        for Dim { lower, extent } in &mut variable.shape {
            Names(rename).read(lower);
            if let Extent::Fixed(e) = extent {
                Names(rename).read(e);
            }
        }
    }
    let (lists, more) = (
        [&mut routine.parameters, &mut routine.independents],
        &mut routine.dependents,
    );
    for v in lists
        .into_iter()
        .flatten()
        .chain(more)
        .chain(&mut routine.result)
    {
        rename(v);
    }
}

/// Calls something with each variable, in the order in which files name them.
struct Names<F>(F);

impl<F: FnMut(&mut VarId)> VisitMut for Names<F> {
    fn visit_variable(&mut self, v: &mut VarId, _: PlaceRole) {
        (self.0)(v);
    }

    fn visit_place(&mut self, place: &mut Place, _: PlaceRole) {
        (self.0)(&mut place.var);
        walk_place_mut(self, place);
    }

    fn visit_test(&mut self, test: &mut LoopTest) {
        match test {
            LoopTest::Pre(e) | LoopTest::Post(e) => self.read(e),
            LoopTest::Counted {
                index,
                first,
                last,
                step,
            } => {
                (self.0)(index);
                for e in [first, last, step] {
                    self.read(e);
                }
            }
        }
    }

    fn visit_statement(&mut self, statement: &mut Stmt) {
        match &mut statement.kind {
            StmtKind::Assign { target, value } => {
                self.visit_place(target, PlaceRole::Read);
                self.read(value);
            }
            StmtKind::Push { tape, value, .. } => {
                (self.0)(tape);
                self.read(value);
            }
            StmtKind::Call { .. }
            | StmtKind::Pop { .. }
            | StmtKind::Opaque { .. }
            | StmtKind::Stop { .. }
            | StmtKind::Allocate { .. }
            | StmtKind::Free { .. }
            | StmtKind::Resize { .. } => walk_statement_mut(self, statement),
        }
    }
}

impl<F: FnMut(&mut VarId)> Names<F> {
    fn read(&mut self, e: &mut Expr) {
        self.visit_expr(e, PlaceRole::Read);
    }

    fn region(&mut self, region: &mut Region) {
        for node in region {
            match node {
                Node::Block(statements) => {
                    statements.iter_mut().for_each(|s| self.visit_statement(s));
                }
                Node::Loop { test, body } => {
                    self.visit_test(test);
                    self.region(body);
                }
                Node::Branch { selector, arms } => {
                    match selector {
                        Selector::Condition(e) | Selector::Cases { value: e, .. } => self.read(e),
                    }
                    arms.iter_mut().for_each(|(_, arm)| self.region(arm));
                }
                Node::Jump { condition, .. } => self.read(condition),
                Node::Again { body, condition } => {
                    self.region(body);
                    condition.iter_mut().for_each(|e| self.read(e));
                }
            }
        }
    }
}
