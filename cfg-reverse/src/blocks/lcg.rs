//! Translation of a segment of a basic block to its linearized computational graph (Naumann et al. 2004,
//! section 3, Eqn. (4)): a vertex per value that the segment reads from outside and per operation, an
//! edge per operand that has a derivative, labelled with the local partial.
//!
//! A variable that is overwritten gets a vertex per version. Independents are the places whose active values the
//! segment reads before it writes them. Dependents are the last versions of the places that it writes, where the
//! variable is live at the segment's end.

use bb_preaccum::lcg::{Kind, Lcg, NewEdge};
use cfg_core::{
    dataflow::Position,
    elemental::{Math, Partial, Scalar, apply},
    entity::{LocationId, VarId, VertexId},
    flat::{Constant, FlatExpr},
    ir::{
        Expr, Op, Place, ScalarType, Stmt, StmtKind,
        visit::{PlaceRole, Visit, VisitMut, walk_place, walk_place_mut},
    },
};
use std::{
    collections::{HashMap, HashSet},
    ops::Range,
    sync::Arc,
};

use crate::{
    blocks::places::Places,
    code::{
        expressions::{real, round_to_type, to_real},
        typing::{self, ExprType},
    },
    partials::{
        Unsupported,
        linearize::{NodeKind, Nodes},
        scope::{ForwardScope, Scope, forward_temporary},
    },
};

/// The label of an edge: a local partial derivative.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Label {
    /// Known before the program runs.
    Constant(f64),
    /// Computed in the forward sweep.
    Variable {
        /// The expression of the partial.
        partial: Expr,
        /// True of the partial of an arm, which is 0 where the arm is not taken: that 0 cancels even an infinite
        /// derivative.
        masks: bool,
    },
}

/// A place that the segment writes, with the vertex that receives its adjoint.
#[derive(Clone, Debug)]
pub(crate) struct Output {
    pub(crate) place: Place,
    /// The vertex of the last value; none if that value has no derivative.
    pub(crate) vertex: Option<u32>,
}

/// A segment, linearized.
#[derive(Clone)]
pub(crate) struct Segment {
    /// The type of all its values.
    pub(crate) ty: ScalarType,
    /// The code of each statement: inner values, partials, and the statement over these. `None`: the statement stays
    /// as it is.
    pub(crate) code: Vec<Option<Vec<Stmt>>>,
    /// Vertex and place.
    pub(crate) independents: Vec<(u32, Place)>,
    /// Live places, in the order of the last writes.
    pub(crate) outputs: Vec<Output>,
    /// The label of each edge of the graph, by tag. A label that is not constant is a variable of the forward sweep.
    pub(crate) labels: Vec<Label>,
    /// The partials by tag, as expressions over the places that the statement reads.
    pub(crate) partials: Vec<Expr>,
    /// The place whose value each vertex is; none for an inner value of an expression.
    pub(crate) names: Vec<Option<Place>>,
    /// The linearized graph; vertex v has the id v + 1. None if no dependent depends on anything.
    pub(crate) lcg: Option<Arc<Lcg>>,
    /// The temporaries of the forward sweep in code, labels and partials, with the bases of their names and their types.
    locals: Vec<(VarId, &'static str, ExprType)>,
}

impl Segment {
    /// The segment with temporaries of this forward sweep, which has the same variables before its temporaries as the one
    /// that it was linearized for.
    pub(crate) fn in_sweep(&self, scope: &mut Scope, forward: &mut ForwardScope) -> Self {
        forward.temporaries.reset();
        let mut own = HashMap::new();
        for &(local, base, ty) in &self.locals {
            let ForwardScope {
                routine,
                temporaries,
            } = forward;
            own.insert(local, temporaries.take(routine, &mut scope.namer, base, ty));
        }
        let mut segment = self.clone();
        let mut rename = Replaced(&own);
        for statement in segment.code.iter_mut().flatten().flatten() {
            rename.visit_statement(statement);
        }
        for label in &mut segment.labels {
            if let Label::Variable { partial, .. } = label {
                rename.visit_expr(partial, PlaceRole::Read);
            }
        }
        for partial in &mut segment.partials {
            rename.visit_expr(partial, PlaceRole::Read);
        }
        segment
    }
}

/// Variables that take the place of others.
struct Replaced<'a>(&'a HashMap<VarId, VarId>);

impl VisitMut for Replaced<'_> {
    fn visit_place(&mut self, place: &mut Place, role: PlaceRole) {
        self.visit_variable(&mut place.var, role);
        walk_place_mut(self, place);
    }

    fn visit_variable(&mut self, v: &mut VarId, _: PlaceRole) {
        if let Some(&own) = self.0.get(v) {
            *v = own;
        }
    }
}

/// The variables that statements and expressions name.
#[derive(Default)]
struct Named(HashSet<VarId>);

impl<'ir> Visit<'ir> for Named {
    fn visit_place(&mut self, place: &'ir Place, _: PlaceRole) {
        self.0.insert(place.var);
        walk_place(self, place);
    }

    fn visit_variable(&mut self, v: &'ir VarId, _: PlaceRole) {
        self.0.insert(*v);
    }
}

/// The state of a place inside the segment.
#[derive(Clone, Copy)]
struct Version {
    /// The vertex of the place's value; none if the value has no derivative.
    vertex: Option<u32>,
    /// Position among the places written.
    written: Option<usize>,
}

struct Edge {
    source: u32,
    target: u32,
    label: Label,
    statement: usize,
}

#[derive(Default)]
struct Builder {
    vertices: u32,
    names: Vec<Option<Place>>,
    edges: Vec<Edge>,
    versions: Places<Version>,
    independents: Vec<(u32, Place)>,
    /// The places written, each with the last statement that wrote it.
    written: Vec<(Place, usize)>,
}

/// Linearizes a segment of a vertex. `live` is true of the variables that may still be read after the segment.
pub(crate) fn linearize(
    scope: &mut Scope,
    forward: &mut ForwardScope,
    vertex: VertexId,
    statements: &[Stmt],
    range: Range<usize>,
    live: impl Fn(VarId) -> bool,
) -> Result<Segment, Unsupported> {
    forward.temporaries.reset();
    let mut b = Builder::default();
    let mut drafts = Vec::with_capacity(range.len());
    let mut ty = ScalarType::Real;
    let mut last_write: HashMap<LocationId, usize> = HashMap::new();
    for (s, statement) in statements[range.clone()].iter().enumerate() {
        let StmtKind::Assign { target, value } = &statement.kind else {
            return Err(Unsupported(
                "only assignments are linearized together".into(),
            ));
        };
        last_write.insert(scope.locations.of_variable(target.var), s);
        scope.here = Position {
            vertex,
            statement: range.start + s,
        };
        if scope.is_target(target.var) {
            ty = scope.routine.variables[target.var.index()].ty;
            drafts.push(Some(b.statement(scope, forward, s, target, value)?));
        } else {
            // Only places of the segment's type have versions: a passive write to another place ends none.
            if scope.wanted.contains(target.var.index())
                && scope.routine.variables[target.var.index()].ty == ty
            {
                b.write(target, None, s);
            }
            drafts.push(None);
        }
    }
    let outputs = b.outputs(live);
    // The code, with labels in variables.
    let mut labels = Vec::with_capacity(b.edges.len());
    let mut partials = Vec::with_capacity(b.edges.len());
    let mut edges = b.edges.iter().peekable();
    let mut code = Vec::with_capacity(drafts.len());
    let mut new_edges = Vec::with_capacity(b.edges.len());
    for (s, draft) in drafts.into_iter().enumerate() {
        let mut taken = Vec::new();
        let mut any = false;
        while let Some(edge) = edges.next_if(|edge| edge.statement == s) {
            any = true;
            partials.push(expression(&edge.label, ty));
            let label = match &edge.label {
                Label::Constant(c) => Label::Constant(*c),
                Label::Variable { partial, masks } => {
                    let variable = match variable_that_stays(scope, forward, partial, ty) {
                        Some(v)
                            if (last_write.get(&scope.locations.of_variable(v)))
                                .is_none_or(|&last| last < s) =>
                        {
                            v
                        }
                        _ => {
                            let c = forward_temporary(scope, forward, "c", ty);
                            let value = converted(forward, partial, ty);
                            taken.push(Stmt::assign(Place::whole(c), value));
                            c
                        }
                    };
                    Label::Variable {
                        partial: Expr::var(variable),
                        masks: *masks,
                    }
                }
            };
            new_edges.push(graph_edge(edge, &label, labels.len()));
            labels.push(label);
        }
        code.push(draft.filter(|_| any).map(|draft| {
            let mut all = draft.before;
            all.append(&mut taken);
            all.push(draft.assignment);
            all
        }));
    }
    let id = |v: u32| i64::from(v) + 1;
    let inputs: Vec<i64> = b.independents.iter().map(|(v, _)| id(*v)).collect();
    let dependents: Vec<i64> = outputs.iter().filter_map(|o| o.vertex.map(id)).collect();
    let lcg = if dependents.is_empty() {
        None
    } else {
        let graph = Lcg::new("", &inputs, &dependents, new_edges)
            .map_err(|e| Unsupported(format!("the block's graph is not valid: {e}")))?;
        Some(Arc::new(graph))
    };
    let mut named = Named::default();
    (code.iter().flatten().flatten()).for_each(|statement| named.visit_statement(statement));
    partials
        .iter()
        .for_each(|partial| named.visit_expr(partial, PlaceRole::Read));
    let all = forward.temporaries.all();
    let mut locals: Vec<_> = all.filter(|(v, ..)| named.0.contains(v)).collect();
    locals.sort_by_key(|(v, ..)| *v);
    Ok(Segment {
        locals,
        ty,
        code,
        independents: b.independents,
        outputs,
        labels,
        partials,
        names: b.names,
        lcg,
    })
}

/// An edge as the graph has it; `tag`: where its label is.
fn graph_edge(edge: &Edge, label: &Label, tag: usize) -> NewEdge {
    let (kind, negative) = match label {
        Label::Constant(c) if c.abs() == 1.0 => (Kind::Unit, *c < 0.0),
        Label::Constant(_) => (Kind::Constant, false),
        Label::Variable { .. } => (Kind::Variable, false),
    };
    let (source, target) = (i64::from(edge.source) + 1, i64::from(edge.target) + 1);
    NewEdge {
        negative,
        tag: u32::try_from(tag).unwrap_or(u32::MAX),
        ..NewEdge::new(source, target, kind)
    }
}

/// The linearization of one statement.
struct Linearized {
    before: Vec<Stmt>,
    assignment: Stmt,
}

impl Builder {
    /// Live places with their last versions, in the order of the last writes. Vertices from which no output is
    /// reached are dropped.
    fn outputs(&mut self, live: impl Fn(VarId) -> bool) -> Vec<Output> {
        let mut outputs: Vec<(usize, Output)> = Vec::new();
        let mut useful = vec![false; self.vertices as usize];
        for (place, last) in &self.written {
            if !live(place.var) {
                continue;
            }
            let version = self.versions.get(place);
            let vertex = version.and_then(|version| version.vertex);
            if let Some(v) = vertex {
                useful[v as usize] = true;
            }
            let place = place.clone();
            outputs.push((*last, Output { place, vertex }));
        }
        outputs.sort_by_key(|(last, _)| *last);
        // Edges come in the order of their targets.
        for edge in self.edges.iter().rev() {
            if useful[edge.target as usize] {
                useful[edge.source as usize] = true;
            }
        }
        self.edges.retain(|edge| useful[edge.target as usize]);
        self.independents.retain(|(v, _)| useful[*v as usize]);
        outputs.into_iter().map(|(_, output)| output).collect()
    }

    fn vertex(&mut self) -> u32 {
        self.vertices += 1;
        self.names.push(None);
        self.vertices - 1
    }

    fn name(&mut self, vertex: u32, place: &Place) {
        if let Some(name) = self.names.get_mut(vertex as usize) {
            *name = Some(place.clone());
        }
    }

    /// The vertex of a value that is read: a new independent if the segment has not written the place before.
    fn read(&mut self, place: &Place) -> Option<u32> {
        if let Some(version) = self.versions.get(place) {
            return version.vertex;
        }
        let vertex = self.vertex();
        self.name(vertex, place);
        self.independents.push((vertex, place.clone()));
        let version = Version {
            vertex: Some(vertex),
            written: None,
        };
        self.versions.insert(place, version);
        Some(vertex)
    }

    fn write(&mut self, place: &Place, vertex: Option<u32>, statement: usize) {
        if let Some(vertex) = vertex {
            self.name(vertex, place);
        }
        let written = self.versions.get(place).and_then(|version| version.written);
        let at = written.unwrap_or(self.written.len());
        match self.written.get_mut(at) {
            Some(known) => known.1 = statement,
            None => self.written.push((place.clone(), statement)),
        }
        let version = Version {
            vertex,
            written: Some(at),
        };
        self.versions.insert(place, version);
    }

    fn statement(
        &mut self,
        scope: &mut Scope,
        forward: &mut ForwardScope,
        s: usize,
        target: &Place,
        value: &Expr,
    ) -> Result<Linearized, Unsupported> {
        let ty = scope.routine.variables[target.var.index()].ty;
        let mut nodes = {
            let workspace = std::mem::take(&mut scope.workspace);
            Nodes::split(
                &forward.routine.variables,
                value,
                &|v| scope.contributes(v),
                workspace,
            )
        };
        let before = nodes.partials(
            &mut forward.routine,
            &mut scope.namer,
            &mut forward.temporaries,
            None,
        )?;
        let mut vertices: Vec<Option<u32>> = vec![None; nodes.nodes.len()];
        for n in 0..nodes.nodes.len() {
            let node = &nodes.nodes[n];
            if !node.active {
                continue;
            }
            match &node.kind {
                NodeKind::Leaf(place) => vertices[n] = self.read(place),
                NodeKind::Passive(_) => {}
                NodeKind::Op(_, children) => {
                    let mut operands: Vec<(u32, Label)> = Vec::new();
                    for (c, partial) in nodes.with_partials(*children) {
                        if let (Some(v), Some(label)) = (vertices[c], label(partial, ty)) {
                            operands.push((v, label));
                        }
                    }
                    // Elimination assumes simple graphs: parallel edges become one, with the sum of their labels.
                    operands.sort_by_key(|(v, _)| *v);
                    let mut merged: Vec<(u32, Label)> = Vec::with_capacity(operands.len());
                    for (v, label) in operands {
                        match merged.last_mut() {
                            Some((last, sum)) if *last == v => {
                                let first = std::mem::replace(sum, Label::Constant(0.0));
                                *sum = add(first, label, ty);
                            }
                            _ => merged.push((v, label)),
                        }
                    }
                    merged.retain(|(_, label)| *label != Label::Constant(0.0));
                    if merged.is_empty() {
                        continue;
                    }
                    let vertex = self.vertex();
                    vertices[n] = Some(vertex);
                    for (source, label) in merged {
                        let label = match label {
                            Label::Variable { partial, masks } => Label::Variable {
                                partial: nodes.guarded(n, partial, 0),
                                masks,
                            },
                            Label::Constant(c) => Label::Constant(c),
                        };
                        self.edges.push(Edge {
                            source,
                            target: vertex,
                            label,
                            statement: s,
                        });
                    }
                }
            }
        }
        let root = nodes.root();
        let mut vertex = vertices[root];
        if let (NodeKind::Leaf(_), Some(source)) = (&nodes.nodes[root].kind, vertex) {
            // A copy is a value of its own.
            let target = self.vertex();
            self.edges.push(Edge {
                source,
                target,
                label: Label::Constant(1.0),
                statement: s,
            });
            vertex = Some(target);
        }
        self.write(target, vertex, s);
        Ok(Linearized {
            before,
            assignment: Stmt::assign(target.clone(), nodes.rebuild(root)),
        })
    }
}

/// The label that a partial makes; none if it is zero.
fn label(partial: &Partial, ty: ScalarType) -> Option<Label> {
    Some(match partial {
        Partial::Zero => return None,
        // All values of a segment have one type.
        Partial::One | Partial::Convert { .. } => Label::Constant(1.0),
        Partial::MinusOne => Label::Constant(-1.0),
        Partial::Select { .. } => Label::Variable {
            partial: partial.to_expr(ty),
            masks: true,
        },
        Partial::Expr(p) => match constant(&p.expr, ty).filter(|c| c.is_finite()) {
            Some(c) => Label::Constant(c),
            None => Label::Variable {
                partial: p.expr.clone(),
                masks: p.masks,
            },
        },
    })
}

fn add(a: Label, b: Label, ty: ScalarType) -> Label {
    if let (Label::Constant(a), Label::Constant(b)) = (&a, &b) {
        let sum = round_to_type(a + b, ty);
        if sum.is_finite() {
            return Label::Constant(sum);
        }
    }
    let masks = |label: &Label| matches!(label, Label::Variable { masks: true, .. });
    Label::Variable {
        masks: masks(&a) || masks(&b),
        partial: Expr::op(Op::Add, [expression(&a, ty), expression(&b, ty)]),
    }
}

/// A label as an expression.
pub(crate) fn expression(label: &Label, ty: ScalarType) -> Expr {
    match label {
        Label::Constant(c) => real(*c, ty),
        Label::Variable { partial, .. } => partial.clone(),
    }
}

/// The value of an expression of constants; none if an operation may round differently on another machine.
fn constant(e: &Expr, ty: ScalarType) -> Option<f64> {
    fn value(e: &Expr) -> Option<Scalar> {
        match FlatExpr::view(e) {
            FlatExpr::Constant(Constant::Int(i)) => Some(Scalar::Integer(i)),
            FlatExpr::Constant(Constant::Real(x)) => Some(Scalar::Real(x)),
            FlatExpr::Constant(Constant::Real32(x)) => Some(Scalar::Real32(x)),
            FlatExpr::Constant(Constant::Logical(_)) | FlatExpr::Place(_) => None,
            FlatExpr::Op(op, operands) => {
                let exact = matches!(
                    op,
                    Op::Add | Op::Sub | Op::Mul | Op::Div | Op::Neg | Op::Sqrt
                );
                if !exact {
                    return None;
                }
                let operands: Option<Vec<Scalar>> = operands.iter().map(value).collect();
                apply(op, &operands?, Math::Portable).ok()
            }
        }
    }
    value(e).map(|v| round_to_type(v.to_f64(), ty))
}

/// The variable that the partial is, if it is a scalar of type `ty` whose cell has no other name: then it needs no
/// copy.
fn variable_that_stays(
    scope: &Scope,
    forward: &ForwardScope,
    partial: &Expr,
    ty: ScalarType,
) -> Option<VarId> {
    let Expr::Place(place) = partial else {
        return None;
    };
    let variable = forward.routine.variables.get(place.var.index())?;
    let stays = place.subscripts.is_empty()
        && variable.rank() == 0
        && variable.ty == ty
        && !scope.locations.is_shared(place.var);
    stays.then_some(place.var)
}

/// A partial with the type of the label: integers become real.
fn converted(forward: &ForwardScope, partial: &Expr, ty: ScalarType) -> Expr {
    if typing::expr_type(&forward.routine.variables, partial).ty == ScalarType::Integer {
        return to_real(partial.clone(), ty);
    }
    partial.clone()
}
