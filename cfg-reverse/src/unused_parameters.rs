//! Generated routines without parameters that nothing uses.
//!
//! A variable is used if a statement, a decision or the shape of another used variable names it, but for arguments of
//! calls: what stands there is used if the parameter of the called routine is. The least such set is found from the
//! names on, along arguments. All other parameters, and local tapes, are taken out of the generated routines, and
//! their arguments out of calls. A sweep that records nothing so has no tape.
//!
//! The rule is that of variables live across calls (A. Aho, M. Lam, R. Sethi, J. Ullman, *Compilers*, 2nd ed., 2006,
//! section 12.1) without regard to the flow in a routine.

use cfg_core::{
    entity::{RoutineId, VarId},
    ir::{
        Expr, Extent, NameRole, Place, Program, Role, Routine, Stmt, StmtKind,
        visit::{PlaceRole, Visit, walk_place, walk_statement},
    },
};

use std::collections::HashMap;

use crate::sweeps::unused::without;

/// The program without unused parameters of the routines from `first` on, which were generated. The `heads` are those
/// that others call: they keep what derivatives that they keep belong to, and so does each pair of `versions`, which
/// take the same.
#[must_use]
pub fn without_unused_parameters(
    mut program: Program,
    first: RoutineId,
    heads: &[RoutineId],
    versions: &[(RoutineId, RoutineId)],
) -> Program {
    let used = Uses::propagate(&program, first, heads, versions);
    let is_kept = |r: usize, v: VarId| used.is_used(r, v);
    let kept: Vec<Vec<bool>> = (program.routines.iter().enumerate())
        .map(|(r, routine)| routine.parameter_ids().map(|p| is_kept(r, p)).collect())
        .collect();
    for (r, routine) in program.routines.iter_mut().enumerate() {
        let vertices = routine.body.iter_mut().flat_map(|cfg| cfg.vertices_mut());
        let statements = vertices.filter_map(|vertex| vertex.kind.statements_mut());
        for statement in statements.flatten() {
            if let StmtKind::Call {
                callee, arguments, ..
            } = &mut statement.kind
                && let Some(kept) = kept.get(callee.index())
                && !kept.iter().all(|kept| *kept)
            {
                let all = std::mem::take(arguments).into_iter().zip(kept);
                *arguments = all.filter(|(_, kept)| **kept).map(|(e, _)| e).collect();
            }
        }
        let is_out = |routine: &Routine, v: VarId| {
            let variable = routine.variable(v);
            let may_go = match variable.role {
                Role::Parameter { .. } => true,
                Role::Local => variable.ty.is_tape(),
                Role::Global(_) => false,
            };
            may_go && !used.is_used(r, v)
        };
        let all = (0..routine.variables.len()).map(VarId::new);
        let out: Vec<bool> = all.map(|v| is_out(routine, v)).collect();
        if out.contains(&true) {
            without(routine, &out);
        }
    }
    program
}

/// The variables of all routines that are used. A variable is a node: the number of its routine's first variable, and
/// its own.
struct Uses {
    first_node: Vec<usize>,
    used: Vec<bool>,
    /// The nodes that are used if a node is.
    next: Vec<Vec<usize>>,
    open: Vec<usize>,
}

impl Uses {
    fn is_used(&self, r: usize, v: VarId) -> bool {
        self.used[self.first_node[r] + v.index()]
    }

    fn node(&self, r: RoutineId, v: VarId) -> usize {
        self.first_node[r.index()] + v.index()
    }

    fn add(&mut self, node: usize) {
        if !std::mem::replace(&mut self.used[node], true) {
            self.open.push(node);
        }
    }

    fn propagate(
        program: &Program,
        first: RoutineId,
        heads: &[RoutineId],
        versions: &[(RoutineId, RoutineId)],
    ) -> Self {
        let mut count = 0;
        let mut first_node = Vec::with_capacity(program.routines.len());
        for routine in &program.routines {
            first_node.push(count);
            count += routine.variables.len();
        }
        let mut uses = Self {
            first_node,
            used: vec![false; count],
            next: vec![Vec::new(); count],
            open: Vec::new(),
        };
        let given = program.routines.iter().flat_map(|r| &r.derivatives);
        let given = given.flat_map(|d| [d.tangent, d.adjoint]).flatten();
        let fixed: Vec<RoutineId> = given.chain(program.main).collect();
        for (r, routine) in (0..).map(RoutineId::new).zip(&program.routines) {
            let is_whole = routine.body.is_some() && routine.restart_role().is_none();
            let is_generated = r >= first && is_whole && !fixed.contains(&r);
            uses.note(program, (r, routine), is_generated);
        }
        for &r in heads {
            uses.note_originals(program, r);
        }
        for &(a, b) in versions {
            uses.note_versions(program, a, b);
        }
        while let Some(node) = uses.open.pop() {
            for next in std::mem::take(&mut uses.next[node]) {
                uses.add(next);
            }
        }
        uses
    }

    /// Notes the names in a routine; all of a routine's variables count as used if it is not generated.
    fn note(&mut self, program: &Program, (r, routine): (RoutineId, &Routine), is_generated: bool) {
        for v in (0..routine.variables.len()).map(VarId::new) {
            let variable = routine.variable(v);
            let may_go = matches!(variable.role, Role::Parameter { .. }) || variable.ty.is_tape();
            let node = self.node(r, v);
            for dim in &variable.shape {
                let extent = match &dim.extent {
                    Extent::Fixed(extent) => Some(extent),
                    Extent::Deferred => None,
                };
                for e in extent.into_iter().chain([&dim.lower]) {
                    e.walk_places(&mut |place| {
                        let named = self.node(r, place.var);
                        self.next[node].push(named);
                    });
                }
            }
            if !is_generated || !may_go || routine.result == Some(v) {
                self.add(node);
            }
        }
        let mut names = Names {
            program,
            uses: self,
            r,
            formal: None,
        };
        for (_, vertex) in routine.body.iter().flat_map(|cfg| cfg.vertices()) {
            names.visit_decision(&vertex.kind);
            for statement in vertex.statements() {
                names.visit_statement(statement);
            }
        }
    }

    /// A derivative that is kept keeps the parameter by whose name its origin calls it.
    fn note_originals(&mut self, program: &Program, r: RoutineId) {
        let routine = program.routine(r);
        let by_name: HashMap<&str, VarId> = (routine.parameter_ids())
            .map(|p| (routine.variable(p).name.as_str(), p))
            .collect();
        for p in routine.parameter_ids() {
            let origin = routine.variable(p).origin.as_deref();
            let derivative =
                origin.filter(|o| matches!(o.role, NameRole::Adjoint | NameRole::Tangent));
            if let Some(&of) = derivative.and_then(|o| by_name.get(o.of.as_str())) {
                let (node, of) = (self.node(r, p), self.node(r, of));
                self.next[node].push(of);
            }
        }
    }

    /// Parameters of two routines at one position are kept together; all of them, if these are not equally many.
    fn note_versions(&mut self, program: &Program, a: RoutineId, b: RoutineId) {
        let [one, other] = [a, b].map(|r| {
            let parameters = program.routine(r).parameter_ids();
            parameters.map(|p| self.node(r, p)).collect::<Vec<_>>()
        });
        if one.len() != other.len() {
            one.into_iter().chain(other).for_each(|node| self.add(node));
            return;
        }
        for (a, b) in one.into_iter().zip(other) {
            self.next[a].push(b);
            self.next[b].push(a);
        }
    }
}

/// Notes the variables that a routine names.
struct Names<'a> {
    program: &'a Program,
    uses: &'a mut Uses,
    r: RoutineId,
    /// The parameter whose argument is walked over.
    formal: Option<usize>,
}

impl<'ir> Visit<'ir> for Names<'_> {
    fn visit_statement(&mut self, statement: &'ir Stmt) {
        let StmtKind::Call {
            callee,
            arguments,
            result,
        } = &statement.kind
        else {
            return walk_statement(self, statement);
        };
        let formals = self.program.routine(*callee).parameter_ids();
        let formals: Vec<usize> = formals.map(|p| self.uses.node(*callee, p)).collect();
        for (formal, argument) in formals.into_iter().zip(arguments) {
            self.formal = Some(formal);
            let role = PlaceRole::Read;
            argument
                .iter()
                .for_each(|e: &Expr| self.visit_expr(e, role));
        }
        self.formal = None;
        if let Some(result) = result {
            self.visit_place(result, PlaceRole::Define { whole: false });
        }
    }

    fn visit_place(&mut self, place: &'ir Place, role: PlaceRole) {
        walk_place(self, place);
        self.visit_variable(&place.var, role);
    }

    fn visit_variable(&mut self, v: &'ir VarId, _: PlaceRole) {
        let node = self.uses.node(self.r, *v);
        match self.formal {
            Some(formal) => self.uses.next[formal].push(node),
            None => self.uses.add(node),
        }
    }
}
