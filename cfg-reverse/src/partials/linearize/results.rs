//! Results that partials use again. The partial of `exp(x)` is its result, that of `a/b` by `b` is the quotient over
//! `b`; where the value of the operator is computed for other partials anyway, as in `1/(1 + exp(-x))`, or several
//! times for its own, it is computed once, in a temporary.

use cfg_core::{
    elemental,
    entity::VarId,
    ir::{Expr, Op, ScalarType},
};
use fixedbitset::FixedBitSet;

use crate::{
    code::expressions::{is_atomic, is_library_function},
    partials::{
        Unsupported,
        linearize::{NodeKind, Nodes, Operands, logistic::Logistic, partial_of},
    },
};

impl Nodes<'_> {
    /// The nodes whose values adjoints may read in place of evaluating them, if they are scalars and always evaluated:
    /// functions whose partials are made of their results alone, and functions that partials around them read.
    /// Assumes that the partials are computed.
    pub(crate) fn functions(&self) -> Vec<usize> {
        let mut inside = FixedBitSet::with_capacity(self.nodes.len());
        let logistic: Vec<bool> = (0..self.nodes.len())
            .map(|n| {
                let logistic = self.logistic(n);
                let inner = logistic.iter().flat_map(Logistic::inner);
                inside.extend(inner.copied());
                logistic.is_some()
            })
            .collect();
        let is_function = |n: &usize| {
            let node = &self.nodes[*n];
            let gives = match node.kind {
                NodeKind::Op(op, _) => node.active && (gives_its_derivative(op) || logistic[*n]),
                NodeKind::Leaf(_) | NodeKind::Passive(_) => false,
            };
            let is_read =
                || node.temporary.is_some() && node.mentioned && is_library_function(node.expr);
            (gives || is_read())
                && node.ty.rank == 0
                && node.ty.ty.is_real()
                && !inside.contains(*n)
                && !self.is_guarded(*n)
        };
        (0..self.nodes.len()).filter(is_function).collect()
    }

    /// Lets partials read the value of a node from a variable.
    pub(crate) fn give(&mut self, n: usize, variable: VarId) {
        let node = &mut self.nodes[n];
        node.temporary = Some(variable);
        (node.mentioned, node.given) = (true, true);
    }

    /// True if the value of a node serves its own partials, and would be computed more than once without a temporary.
    /// Assumes that the partials around the node are computed.
    pub(super) fn shares_result(
        &self,
        n: usize,
        op: Op,
        children: Operands,
    ) -> Result<bool, Unsupported> {
        if !elemental::reads_result(op) {
            return Ok(false);
        }
        let operands = self.operands(children);
        // Stand-ins: the number of an operand as a variable, and behind these the result.
        let atoms: Vec<Expr> = (operands.iter().enumerate())
            .map(|(k, &c)| match self.nodes[c].kind {
                NodeKind::Passive(e) if is_atomic(e) && !matches!(e, Expr::Place(_)) => e.clone(),
                NodeKind::Passive(_) | NodeKind::Leaf(_) | NodeKind::Op(..) => {
                    Expr::var(VarId::new(k))
                }
            })
            .collect();
        let types: Vec<ScalarType> = operands.iter().map(|&c| self.nodes[c].ty.ty).collect();
        let result = VarId::new(atoms.len());
        let itself = Expr::op(op, atoms.iter().cloned());
        // How often the result is read, and how often it is evaluated without: by its own partials, and by others.
        let (mut reads, mut own) = (0, 0);
        for (k, _) in (operands.iter().enumerate()).filter(|(_, c)| self.nodes[**c].active) {
            let partial = |r: Option<&Expr>| partial_of(op, &atoms, &types, k, r);
            let ty = self.nodes[n].ty.ty;
            (partial(Some(&Expr::var(result)))?.to_expr(ty))
                .walk_places(&mut |place| reads += usize::from(place.var == result));
            (partial(None)?.to_expr(ty)).walk(&mut |e| own += usize::from(*e == itself));
        }
        let others = usize::from(self.nodes[n].evaluated);
        let spares = match (op, own) {
            // The square of a reciprocal takes one division less.
            (Op::Div, _) => own + others > 1 || reads > 1,
            // Without the result the partial computes another function.
            (_, 0) => others > 0,
            _ => own + others > 1,
        };
        Ok(reads > 0 && spares)
    }
}

/// True of a function of one operand whose partial is made of its result alone.
fn gives_its_derivative(op: Op) -> bool {
    if !elemental::reads_result(op) {
        return false;
    }
    let [x, result] = [0, 1].map(|k| Expr::var(VarId::new(k)));
    let real = [ScalarType::Real];
    let partial = elemental::partial(op, std::slice::from_ref(&x), &real, 0, Some(&result));
    partial.is_ok_and(|partial| {
        let mut is_alone = true;
        (partial.to_expr(ScalarType::Real))
            .walk_places(&mut |place| is_alone &= place.var != VarId::new(0));
        is_alone
    })
}
