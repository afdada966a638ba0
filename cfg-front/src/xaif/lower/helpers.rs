//! Routines that lowering adds to the program for intrinsics that need loops.

use crate::xaif::{
    codes,
    lower::{Lower, typed::Typed},
    notation::names::fresh_name,
    read::xml::NodeId,
};
use cfg_core::{
    builder::RoutineBuilder,
    edit::{Editor, Tail},
    entity::{RoutineId, VarId},
    ir::{
        Dim, Expr, Extent, Intent, LoopTest, Op, Order, Place, Role, Routine, ScalarType, Stmt,
        Subscript, Variable, VertexKind,
    },
};
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// The added routines; their ids follow those of the document's routines.
pub(crate) struct Helpers {
    first: usize,
    pub(crate) routines: Vec<Routine>,
    /// Routines of the document whose arguments overlap in some call.
    pub(crate) aliased: BTreeSet<usize>,
    /// The routines by the names that they would like to have.
    known: BTreeMap<String, RoutineId>,
    names: HashSet<String>,
}

impl Helpers {
    pub(crate) fn new(names: HashSet<String>, first: usize) -> Self {
        Self {
            first,
            routines: Vec::new(),
            aliased: BTreeSet::new(),
            known: BTreeMap::new(),
            names,
        }
    }

    /// The routine of this name, built if it is not there yet; `None` if it cannot be built.
    pub(crate) fn get(
        &mut self,
        key: &str,
        build: impl FnOnce(&mut RoutineBuilder),
    ) -> Option<RoutineId> {
        if let Some(&id) = self.known.get(key) {
            return Some(id);
        }
        let name = fresh_name(&mut self.names, key, key);
        let mut builder = RoutineBuilder::new(name);
        build(&mut builder);
        Some(self.add(key, builder.finish().ok()?))
    }

    fn add(&mut self, key: &str, routine: Routine) -> RoutineId {
        let id = RoutineId::new(self.first + self.routines.len());
        self.routines.push(routine);
        self.known.insert(key.to_owned(), id);
        id
    }

    /// The routine `c = matmul(a, b)` for operands of these ranks.
    fn matmul(&mut self, ty: ScalarType, a: usize, b: usize) -> RoutineId {
        let key = format!("oad_matmul_{}_{a}{b}", ty.name());
        if let Some(&id) = self.known.get(&key) {
            return id;
        }
        let name = fresh_name(&mut self.names, &key, &key);
        self.add(&key, matmul(name, ty, a, b))
    }
}

/// A section of which some subscripts are vectors: the place has full ranges there.
pub(crate) struct Section {
    pub(crate) place: Place,
    /// Dimension (from 0) and index vector.
    pub(crate) vectors: Vec<(usize, Typed)>,
}

fn whole_range() -> Subscript {
    Subscript::Range(Box::default())
}

fn matmul(name: String, ty: ScalarType, rank_a: usize, rank_b: usize) -> Routine {
    let mut routine = Routine {
        name,
        ..Routine::default()
    };
    let deferred = Dim {
        lower: Expr::Int(1),
        extent: Extent::Deferred,
    };
    let mut parameter = |name: &str, rank: usize, intent| {
        let role = Role::Parameter {
            intent,
            optional: false,
        };
        let mut variable = Variable::new(name, ty, vec![deferred.clone(); rank], role);
        variable.order = Order::Column;
        routine.add_variable(variable)
    };
    let a = parameter("a", rank_a, Intent::In);
    let b = parameter("b", rank_b, Intent::In);
    let c = parameter("c", rank_a + rank_b - 2, Intent::InOut);
    // c(i, j) = sum(a(i, :) * b(:, j)); a vector on the left has no i, one on the right no j.
    let mut loops = Vec::new();
    let mut index = |name: &str, of: VarId, dim: i64| {
        let role = Role::Local;
        let var = routine.add_variable(Variable::new(name, ScalarType::Integer, vec![], role));
        loops.push((var, Expr::op(Op::Size, [Expr::var(of), Expr::Int(dim)])));
        Subscript::Index(Expr::var(var))
    };
    let row = (rank_a == 2).then(|| index("i", a, 1));
    let column = (rank_b == 2).then(|| index("j", b, 2));
    let place = |var, subscripts: Vec<Subscript>| {
        Expr::Place(Place {
            var,
            subscripts: subscripts.into(),
        })
    };
    let left = match &row {
        Some(i) => place(a, vec![i.clone(), whole_range()]),
        None => place(a, vec![]),
    };
    let right = match &column {
        Some(j) => place(b, vec![whole_range(), j.clone()]),
        None => place(b, vec![]),
    };
    let target = Place {
        var: c,
        subscripts: row.into_iter().chain(column).collect(),
    };
    let sum = Expr::op(Op::Sum, [Expr::op(Op::Mul, [left, right])]);
    let mut graph = Editor::default();
    let mut tail = Tail(graph.add(VertexKind::Entry), None);
    let tests = loops.into_iter().map(|(v, last)| LoopTest::up_to(v, last));
    let headers: Vec<usize> = tests.map(|t| graph.begin_loop(&mut tail, t)).collect();
    graph.append_block(&mut tail, vec![Stmt::assign(target, sum)]);
    for header in headers.into_iter().rev() {
        graph.end_loop(&mut tail, header);
    }
    graph.append(&mut tail, VertexKind::Exit);
    routine.body = Some(graph.finish());
    routine
}

impl Lower<'_, '_> {
    /// Lowers `matmul(a, b)`: a call before the statement, into a temporary.
    pub(crate) fn lower_matmul(&mut self, v: NodeId, operands: Vec<Typed>) -> Option<Typed> {
        let ranks: Vec<usize> = operands.iter().map(|o| o.rank).collect();
        let (&[rank_a, rank_b], true) = (
            ranks.as_slice(),
            matches!(ranks.as_slice(), [1, 2] | [2, 1] | [2, 2]),
        ) else {
            self.report(
                v,
                &codes::SHAPE,
                "matmul of operands that are not two matrices, or a matrix and a vector",
                "give it two matrices, or a matrix and a vector",
            );
            return None;
        };
        let (operands, ty) = match Typed::unify(operands) {
            Ok(unified) => unified,
            Err(message) => {
                self.report(v, &codes::TYPE, message, "give matmul numeric operands");
                return None;
            }
        };
        let mut places = Vec::with_capacity(2);
        for operand in operands {
            let operand = self.convert_value(v, operand, ty)?;
            places.push(self.as_place(v, operand)?);
        }
        let mut extents = Vec::new();
        if rank_a == 2 {
            extents.extend(self.extents_now(&places[0]).into_iter().next());
        }
        if rank_b == 2 {
            extents.extend(self.extents_now(&places[1]).into_iter().nth(1));
        }
        let callee = self.helpers.matmul(ty, rank_a, rank_b);
        let arguments = places.into_iter().map(Expr::Place).collect();
        self.by_helper(v, Some(callee), arguments, ty, extents)
    }
}
