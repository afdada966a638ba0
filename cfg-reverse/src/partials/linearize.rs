//! The nodes of one expression, with local partial derivatives. Tangents and adjoints of statements are written from
//! them.
//!
//! Every operator application is a node; operators of many operands are folded into binary nodes. A
//! partial is written over *atoms*: constants, places, and temporaries that hold the value of an inner
//! node. An inner value gets a temporary only if some partial mentions it. Each is computed once, so the code is
//! linear in the size of the expression.

pub(crate) mod guards;
mod logistic;
mod results;

use cfg_core::{
    elemental::{self, Finiteness, Partial, PartialExpr},
    entity::VarId,
    flat::{FlatClass, FlatExpr},
    ir::{Expr, Op, Place, Routine, ScalarType, Stmt, Variable},
};

use crate::{
    code::{
        expressions::is_atomic,
        names::Namer,
        temporaries::Temporaries,
        typing::{self, ExprType},
    },
    partials::{
        Unsupported,
        linearize::{guards::Guard, logistic::Logistic},
    },
};
use cfg_analysis::differentiable::is_differentiable_operand;

/// One node of an expression.
pub(crate) struct Node<'e> {
    pub(crate) ty: ExprType,
    /// The expression that the node stands for. A node of a folded operator has the whole one, whose shape is the
    /// same.
    pub(crate) expr: &'e Expr,
    pub(crate) kind: NodeKind<'e>,
    /// True if the node depends on an active leaf.
    pub(crate) active: bool,
    /// The innermost arm of a conditional expression that contains the node: an index into [`Nodes::guards`].
    guard: Option<usize>,
    /// The variable that holds the node's value, if there is one.
    temporary: Option<VarId>,
    /// True if a partial mentions the value.
    mentioned: bool,
    /// True if the value of an inner node that contains this one is computed for partials.
    evaluated: bool,
    /// True if the temporary has the value already, see [`Nodes::give`].
    given: bool,
    /// True if a node around this one has its partial: it counts as 1.
    is_inside: bool,
}

pub(crate) enum NodeKind<'e> {
    /// A real place with a derivative.
    Leaf(&'e Place),
    /// An operand without a derivative.
    Passive(&'e Expr),
    /// An operator over nodes.
    Op(Op, Operands),
}

/// The operands of a node: positions in a list that all nodes of an expression share.
#[derive(Clone, Copy)]
pub(crate) struct Operands {
    start: usize,
    end: usize,
}

impl Operands {
    pub(crate) fn positions(self) -> std::ops::Range<usize> {
        self.start..self.end
    }
}

/// All nodes of an expression; operands before the operators that use them, the root last.
pub(crate) struct Nodes<'e> {
    pub(crate) nodes: Vec<Node<'e>>,
    guards: Vec<Guard>,
    pub(crate) lists: Lists,
}

/// Memory that serves one expression after the other.
#[derive(Default)]
pub(crate) struct Lists {
    /// Operands of all nodes, and the partials with respect to them; zero for operands that are not active.
    operands: Vec<usize>,
    partials: Vec<Partial>,
    /// Operands of nodes under construction.
    pending: Vec<usize>,
    /// Operands of one node as partials write them, with their types in `types`.
    atoms: Vec<Expr>,
    types: Vec<ScalarType>,
    /// Adjoint of each node, during propagation.
    pub(crate) adjoints: Vec<Option<Expr>>,
    /// The increments of leaves: the place, the first term, and the others.
    pub(crate) increments: Vec<(Place, Expr, Vec<Expr>)>,
}

/// The memory of [`Nodes`], for the next expression.
#[derive(Default)]
pub(crate) struct Workspace {
    nodes: Vec<Node<'static>>,
    lists: Lists,
}

/// An empty list in the memory of another one.
fn emptied<A, B>(mut list: Vec<A>) -> Vec<B> {
    list.clear();
    list.into_iter().map_while(|_| None).collect()
}

impl<'e> Nodes<'e> {
    /// Splits an expression into nodes. `active` is true of the variables with derivatives.
    pub(crate) fn split(
        variables: &[Variable],
        expr: &'e Expr,
        active: &impl Fn(VarId) -> bool,
        workspace: Workspace,
    ) -> Self {
        let mut all = Self {
            nodes: emptied(workspace.nodes),
            guards: Vec::new(),
            lists: workspace.lists,
        };
        all.lists.operands.clear();
        all.lists.partials.clear();
        all.lists.pending.clear();
        all.add(variables, expr, active, true, None);
        all
    }

    /// Gives back the memory of these nodes, for the next expression.
    pub(crate) fn into_workspace(self) -> Workspace {
        Workspace {
            nodes: emptied(self.nodes),
            lists: self.lists,
        }
    }

    pub(crate) fn root(&self) -> usize {
        self.nodes.len() - 1
    }

    /// The operands of a node.
    pub(crate) fn operands(&self, of: Operands) -> &[usize] {
        &self.lists.operands[of.start..of.end]
    }

    /// The operands of an active node with their partials. Assumes that [`Nodes::partials`] has run.
    pub(crate) fn with_partials(
        &self,
        of: Operands,
    ) -> impl DoubleEndedIterator<Item = (usize, &Partial)> {
        let partials = &self.lists.partials[of.start..of.end];
        self.operands(of).iter().copied().zip(partials)
    }

    /// The operand at a position, and its partial, which is moved out.
    pub(crate) fn take(&mut self, position: usize) -> (usize, Partial) {
        let partial = std::mem::replace(&mut self.lists.partials[position], Partial::Zero);
        (self.lists.operands[position], partial)
    }

    fn push(
        &mut self,
        ty: ExprType,
        expr: &'e Expr,
        kind: NodeKind<'e>,
        active: bool,
        guard: Option<usize>,
    ) -> usize {
        self.nodes.push(Node {
            ty,
            expr,
            kind,
            active,
            guard,
            temporary: None,
            mentioned: false,
            evaluated: false,
            given: false,
            is_inside: false,
        });
        self.nodes.len() - 1
    }

    fn add(
        &mut self,
        variables: &[Variable],
        expr: &'e Expr,
        active: &impl Fn(VarId) -> bool,
        differentiable: bool,
        guard: Option<usize>,
    ) -> usize {
        match FlatExpr::view(expr) {
            FlatExpr::Place(place)
                if differentiable
                    && variables[place.var.index()].ty.is_real()
                    && active(place.var) =>
            {
                let ty = typing::expr_type(variables, expr);
                self.push(ty, expr, NodeKind::Leaf(place), true, guard)
            }
            FlatExpr::Op(op, operands)
                if differentiable && has_active_leaf(variables, expr, active) =>
            {
                if op == Op::If && operands.len() == 3 {
                    return self.add_conditional(variables, expr, operands, active, guard);
                }
                let inner = match FlatClass::view(op) {
                    FlatClass::Reduction | FlatClass::Transformational => self.guard_for_all(guard),
                    FlatClass::Elemental | FlatClass::Inquiry => guard,
                };
                let fold = operands.len() > 2 && matches!(op, Op::Mul | Op::Min | Op::Max);
                let first = self.lists.pending.len();
                for (k, operand) in operands.iter().enumerate() {
                    let d = is_differentiable_operand(op, k);
                    let child = self.add(variables, operand, active, d, inner);
                    self.lists.pending.push(child);
                    if fold && k > 0 && k + 1 < operands.len() {
                        let folded = self.operator(expr, op, first, guard);
                        self.lists.pending.push(folded);
                    }
                }
                self.operator(expr, op, first, guard)
            }
            FlatExpr::Constant(_) | FlatExpr::Place(_) | FlatExpr::Op(..) => {
                let ty = typing::expr_type(variables, expr);
                self.push(ty, expr, NodeKind::Passive(expr), false, guard)
            }
        }
    }

    fn add_conditional(
        &mut self,
        variables: &[Variable],
        expr: &'e Expr,
        operands: &'e [Expr],
        active: &impl Fn(VarId) -> bool,
        guard: Option<usize>,
    ) -> usize {
        let condition = self.add(variables, &operands[0], active, false, guard);
        let scalar = self.nodes[condition].ty.rank == 0;
        let arm = |all: &mut Self, condition: Expr, operand: &'e Expr| {
            all.guards.push(Guard {
                condition,
                scalar,
                outer: guard,
            });
            let inner = Some(all.guards.len() - 1);
            all.add(variables, operand, active, true, inner)
        };
        let then = arm(self, operands[0].clone(), &operands[1]);
        let otherwise = arm(self, Expr::op(Op::Not, [operands[0].clone()]), &operands[2]);
        let first = self.lists.pending.len();
        self.lists.pending.extend([condition, then, otherwise]);
        self.operator(expr, Op::If, first, guard)
    }

    /// An operator over the pending operands from this one on.
    fn operator(&mut self, expr: &'e Expr, op: Op, first: usize, guard: Option<usize>) -> usize {
        let Lists {
            operands, pending, ..
        } = &mut self.lists;
        let start = operands.len();
        operands.extend(pending.drain(first..));
        let end = operands.len();
        let children = Operands { start, end };
        let nodes = self.operands(children).iter().map(|&c| &self.nodes[c]);
        let ty = typing::op_type(op, nodes.clone().map(|node| node.ty));
        let active =
            (nodes.enumerate()).any(|(k, node)| node.active && is_differentiable_operand(op, k));
        self.push(ty, expr, NodeKind::Op(op, children), active, guard)
    }

    /// Computes the partials of every active node, giving temporaries to the inner values that they
    /// mention, and returns the statements that compute those values. `known`: an expression with the value of the
    /// root, if there is one.
    pub(crate) fn partials(
        &mut self,
        routine: &mut Routine,
        namer: &mut Namer,
        temporaries: &mut Temporaries,
        known: Option<&Expr>,
    ) -> Result<Vec<Stmt>, Unsupported> {
        // From the root down: a node's value is mentioned by its parent's partials, if at all, so it is
        // known here whether the node's own partials can use it.
        let Lists {
            operands, partials, ..
        } = &mut self.lists;
        partials.resize(operands.len(), Partial::Zero);
        let mut atoms = std::mem::take(&mut self.lists.atoms);
        let mut types = std::mem::take(&mut self.lists.types);
        for n in (0..self.nodes.len()).rev() {
            let node = &self.nodes[n];
            let NodeKind::Op(op, children) = node.kind else {
                continue;
            };
            if !node.active {
                continue;
            }
            let result = match known.filter(|_| n == self.root()) {
                Some(known) => Some(known.clone()),
                None => {
                    if !self.nodes[n].mentioned
                        && !self.nodes[n].is_inside
                        && self.shares_result(n, op, children)?
                    {
                        let ty = self.nodes[n].ty;
                        let taken = &mut self.nodes[n].temporary;
                        taken.get_or_insert_with(|| temporaries.take(routine, namer, "t", ty));
                        self.nodes[n].mentioned = true;
                    }
                    let node = &self.nodes[n];
                    node.temporary.filter(|_| node.mentioned).map(Expr::var)
                }
            };
            let has_value = self.nodes[n].given || (known.is_some() && n == self.root());
            let logistic = has_value.then(|| self.logistic(n)).flatten();
            for &k in logistic.iter().flat_map(Logistic::inner) {
                self.nodes[k].is_inside = true;
            }
            atoms.clear();
            types.clear();
            for k in children.start..children.end {
                let c = self.lists.operands[k];
                atoms.push(self.atom(c, !has_constant_partials(op), routine, namer, temporaries));
                types.push(self.nodes[c].ty.ty);
            }
            for k in children.start..children.end {
                if !self.nodes[self.lists.operands[k]].active {
                    continue;
                }
                let operand = k - children.start;
                let partial = match (&logistic, &result) {
                    _ if self.nodes[n].is_inside => Partial::One,
                    (Some(logistic), Some(s)) => logistic.partial(operand, types[operand], s),
                    (None, _) | (_, None) => {
                        partial_of(op, &atoms, &types, operand, result.as_ref())?
                    }
                };
                match &partial {
                    Partial::Expr(p) => self.mention(children, &atoms, &p.expr),
                    Partial::Select { condition, .. } => self.mention(children, &atoms, condition),
                    Partial::Zero | Partial::One | Partial::MinusOne | Partial::Convert { .. } => {}
                }
                self.lists.partials[k] = partial;
            }
            let node = &self.nodes[n];
            let evaluated = !node.given && (node.evaluated || node.mentioned);
            for k in (children.start..children.end).rev() {
                let c = self.lists.operands[k];
                let child = &mut self.nodes[c];
                child.evaluated = evaluated;
                if let (Some(t), false) = (child.temporary, child.mentioned)
                    && temporaries.give_back("t", child.ty, t)
                {
                    child.temporary = None;
                }
            }
        }
        (self.lists.atoms, self.lists.types) = (atoms, types);
        self.name_conditions();
        let mut code = Vec::new();
        for n in 0..self.nodes.len() {
            if let (true, false, Some(t)) = (
                self.nodes[n].mentioned,
                self.nodes[n].given,
                self.nodes[n].temporary,
            ) {
                let value = self.guarded(n, self.rebuild(n), self.nodes[n].ty.rank);
                code.push(Stmt::assign(Place::whole(t), value));
            }
        }
        Ok(code)
    }

    /// Makes guards read the temporary of their scalar condition, if it has one: the temporary is computed before the
    /// arms. It is false wherever a scalar condition around it does not hold, so the guard of the first arm need not
    /// repeat those conditions.
    fn name_conditions(&mut self) {
        for n in 0..self.nodes.len() {
            let NodeKind::Op(Op::If, children) = self.nodes[n].kind else {
                continue;
            };
            let &[condition, then, otherwise] = self.operands(children) else {
                continue;
            };
            let condition = &self.nodes[condition];
            let Some(t) = condition.temporary.filter(|_| condition.mentioned) else {
                continue;
            };
            let says_all = self.guards_of(n).all(|g| self.guards[g].scalar);
            let holds = Expr::var(t);
            let fails = Expr::op(Op::Not, [holds.clone()]);
            for (arm, condition, says_all) in [(then, holds, says_all), (otherwise, fails, false)] {
                let guard = self.nodes[arm].guard;
                let Some(g) = guard.filter(|&g| self.guards[g].scalar) else {
                    continue;
                };
                self.guards[g].condition = condition;
                if says_all {
                    self.guards[g].outer = None;
                }
            }
        }
    }

    /// The expression that stands for a node's value in the partials of its parent, if these may mention it.
    fn atom(
        &mut self,
        n: usize,
        used: bool,
        routine: &mut Routine,
        namer: &mut Namer,
        temporaries: &mut Temporaries,
    ) -> Expr {
        let node = &self.nodes[n];
        match &node.kind {
            NodeKind::Leaf(place) if used => Expr::Place((*place).clone()),
            NodeKind::Passive(expr) if used && is_atomic(expr) => (*expr).clone(),
            NodeKind::Leaf(_) => Expr::Int(0),
            NodeKind::Passive(expr) if is_atomic(expr) => Expr::Int(0),
            NodeKind::Passive(_) | NodeKind::Op(..) => {
                let ty = node.ty;
                let t = match node.temporary {
                    Some(t) => t,
                    None => temporaries.take(routine, namer, "t", ty),
                };
                self.nodes[n].temporary = Some(t);
                Expr::var(t)
            }
        }
    }

    /// Marks the operands whose temporaries the expression reads.
    fn mention(&mut self, children: Operands, atoms: &[Expr], expr: &Expr) {
        let children = &self.lists.operands[children.start..children.end];
        let nodes = &mut self.nodes;
        expr.walk_places(&mut |place| {
            for (&c, atom) in children.iter().zip(atoms) {
                if let (Some(t), Expr::Place(p)) = (nodes[c].temporary, atom)
                    && p.var == t
                    && place.var == t
                {
                    nodes[c].mentioned = true;
                }
            }
        });
    }

    /// The node's value, over the temporaries of inner nodes.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "operators without a rule of their own here are treated alike"
    )]
    pub(crate) fn rebuild(&self, n: usize) -> Expr {
        match &self.nodes[n].kind {
            NodeKind::Leaf(place) => Expr::Place((*place).clone()),
            NodeKind::Passive(expr) => (*expr).clone(),
            NodeKind::Op(op, children) => {
                // A folded product, minimum or maximum is unfolded again. A loop does it, since a chain may be longer
                // than the stack.
                let mut operands: Vec<Expr> = Vec::new();
                let mut children = self.operands(*children);
                if matches!(op, Op::Mul | Op::Min | Op::Max) && children.len() == 2 {
                    let mut reversed = vec![self.value(children[1])];
                    loop {
                        let left = children[0];
                        match &self.nodes[left].kind {
                            NodeKind::Op(inner, grand)
                                if inner == op
                                    && self.operands(*grand).len() == 2
                                    && !(self.nodes[left].mentioned) =>
                            {
                                children = self.operands(*grand);
                                reversed.push(self.value(children[1]));
                            }
                            _ => {
                                reversed.push(self.value(left));
                                break;
                            }
                        }
                    }
                    operands.extend(reversed.into_iter().rev());
                } else {
                    operands.extend(children.iter().map(|&c| self.value(c)));
                }
                Expr::Op(*op, operands.into())
            }
        }
    }

    /// The node's value, or the temporary that has it.
    pub(crate) fn value(&self, n: usize) -> Expr {
        match self.nodes[n].temporary {
            Some(t) if self.nodes[n].mentioned => Expr::var(t),
            _ => self.rebuild(n),
        }
    }
}

/// The partial of an operator with respect to an active operand.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "operators without a rule of their own here are treated alike"
)]
fn partial_of(
    op: Op,
    atoms: &[Expr],
    types: &[ScalarType],
    operand: usize,
    result: Option<&Expr>,
) -> Result<Partial, Unsupported> {
    Ok(match op {
        Op::Add | Op::Sum | Op::Transpose | Op::Fill => Partial::One,
        Op::Product => partial_array(Op::ProductPartial, &atoms[0]),
        Op::MaxVal => partial_array(Op::MaxValPartial, &atoms[0]),
        Op::MinVal => partial_array(Op::MinValPartial, &atoms[0]),
        Op::ProductPartial => {
            // Partials of products in assignments have become loops (`prepare::products`): this one stands elsewhere.
            return Err(Unsupported(
                "`product_partial` cannot be differentiated here: assign it to a variable".into(),
            ));
        }
        _ => elemental::partial(op, atoms, types, operand, result)
            .map_err(|e| Unsupported(format!("`{}` cannot be differentiated: {e}", op.name())))?,
    })
}

/// True of operators whose partials are the same whatever the operands are.
fn has_constant_partials(op: Op) -> bool {
    matches!(
        op,
        Op::Add | Op::Sub | Op::Neg | Op::Sum | Op::Transpose | Op::Fill
    )
}

fn partial_array(op: Op, operand: &Expr) -> Partial {
    Partial::Expr(PartialExpr {
        expr: Expr::op(op, [operand.clone()]),
        finiteness: Finiteness::MayOverflow,
        constant: false,
        masks: false,
    })
}

fn has_active_leaf(variables: &[Variable], expr: &Expr, active: &impl Fn(VarId) -> bool) -> bool {
    match FlatExpr::view(expr) {
        FlatExpr::Constant(_) => false,
        FlatExpr::Place(place) => variables[place.var.index()].ty.is_real() && active(place.var),
        FlatExpr::Op(op, operands) => operands.iter().enumerate().any(|(k, e)| {
            is_differentiable_operand(op, k) && has_active_leaf(variables, e, active)
        }),
    }
}
