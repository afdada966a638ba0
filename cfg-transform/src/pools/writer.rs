//! A routine that is being lowered: its new variables, and the statements of the current vertex.

use super::{
    arithmetic::is_simple,
    plan::{CELL, Kind, OBJECT, Plan, Pool},
};
use crate::names::fresh_name;
use cfg_core::{
    entity::{GlobalId, RoutineId, VarId},
    ir::{Expr, Place, Range, Role, Routine, ScalarType, Stmt, Subscript, Variable},
};
use std::collections::{HashMap, HashSet};

/// The reason why a part cannot be lowered, and its cure.
pub(super) struct Refused {
    pub(super) message: String,
    pub(super) help: &'static str,
}

impl Refused {
    pub(super) fn new(message: impl Into<String>, help: &'static str) -> Self {
        Self {
            message: message.into(),
            help,
        }
    }
}

/// The refusal of a program that breaks a rule of validation.
pub(super) fn internal_error(message: &str) -> Refused {
    Refused::new(
        format!("internal error: {message}"),
        "report this with the program",
    )
}

/// Decides whether indices may be computed in statements before the current one. Not in an expression that may be left
/// out, as behind `and`, and not in the test of a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    Ahead,
    InPlace,
}

/// A local array or a parameter that lives in a pool: the lower bound and the number of elements of each dimension.
pub(super) type Shape = Vec<(Expr, Expr)>;

pub(super) struct Writer<'a, 'p> {
    pub(super) plan: &'a Plan<'p>,
    pub(super) id: RoutineId,
    /// The routine as it was.
    pub(super) routine: &'p Routine,
    pub(super) out: Routine,
    pub(super) shapes: HashMap<VarId, Shape>,
    pub(super) block: Vec<Stmt>,
    /// The last places of the current statement whose indices were computed before it.
    pub(super) found: Vec<(Place, Place)>,
    names: HashSet<String>,
    globals: HashMap<GlobalId, VarId>,
}

impl<'a, 'p> Writer<'a, 'p> {
    pub(super) fn new(plan: &'a Plan<'p>, id: RoutineId, out: Routine) -> Self {
        let names = out.variables.iter().map(|v| v.name.clone()).collect();
        let globals = out.variables.iter().enumerate();
        let globals = globals.filter_map(|(v, variable)| match variable.role {
            Role::Global(g) => Some((g, VarId::new(v))),
            Role::Local | Role::Parameter { .. } => None,
        });
        Self {
            plan,
            id,
            routine: plan.program.routine(id),
            globals: globals.collect(),
            out,
            shapes: HashMap::new(),
            block: Vec::new(),
            found: Vec::new(),
            names,
        }
    }

    /// The variable by which the routine names a global.
    pub(super) fn name_global(&mut self, g: GlobalId) -> VarId {
        if let Some(&v) = self.globals.get(&g) {
            return v;
        }
        let global = &self.plan.globals[g.index()].variable;
        let name = fresh_name(global.name.clone(), &mut self.names);
        let variable = Variable {
            name,
            ..global.clone()
        };
        let v = self.out.add_variable(variable);
        self.globals.insert(g, v);
        v
    }

    /// A new local scalar.
    pub(super) fn declare_local(&mut self, name: &str, ty: ScalarType) -> VarId {
        let name = fresh_name(name.to_owned(), &mut self.names);
        let variable = Variable::new(name, ty, Vec::new(), Role::Local);
        self.out.add_variable(variable)
    }

    pub(super) fn assign(&mut self, target: Place, value: Expr) {
        self.block.push(Stmt::assign(target, value));
    }

    /// The value, in a variable of its own if that is allowed and the expression is not simple.
    pub(super) fn hoist(&mut self, e: Expr, name: &str, mode: Mode) -> Expr {
        if mode == Mode::InPlace || is_simple(&e) {
            return e;
        }
        let v = self.declare_local(name, ScalarType::Integer);
        self.assign(Place::whole(v), e);
        Expr::var(v)
    }

    /// The array of the cells of a type in a pool.
    pub(super) fn array_of_cells(&mut self, pool: usize, ty: ScalarType) -> Result<VarId, Refused> {
        let array = self.plan.pools[pool].arrays.get(&Kind::from_type(ty));
        let array = array.ok_or_else(|| internal_error("a pool without cells of the type"))?;
        Ok(self.name_global(*array))
    }

    /// Sets cells of a kind to zero, false or null.
    pub(super) fn clear_cells(&mut self, cells: Place, kind: Kind) {
        match kind {
            Kind::Number(ty) => self.assign(cells, Expr::zero(ty)),
            Kind::Pointer => {
                for name in [OBJECT, CELL] {
                    self.assign(field(&cells, name), Expr::Int(0));
                }
            }
        }
    }

    /// An entry of the table of objects.
    pub(super) fn table_entry(&mut self, g: GlobalId, object: Expr) -> Place {
        Place::element(self.name_global(g), [object])
    }

    /// Enters the layout of a new object into the table, if the pool has one.
    pub(super) fn record_layout(&mut self, pool: &Pool, ty: ScalarType, object: Expr) {
        if let Some(layouts) = &pool.layouts {
            let start = layouts.starts.get(&ty).copied();
            let entry = self.table_entry(layouts.of, object);
            self.assign(entry, Expr::Int(start.unwrap_or(layouts.other)));
        }
    }

    /// Assigns values to numbers of pools.
    pub(super) fn assign_all(&mut self, values: &[(GlobalId, Expr)]) {
        for (g, value) in values {
            let number = self.counter(*g);
            self.assign(number, value.clone());
        }
    }

    /// A number of a pool.
    pub(super) fn counter(&mut self, g: GlobalId) -> Place {
        Place::whole(self.name_global(g))
    }

    /// The object and the first cell of a variable that lives in a pool.
    pub(super) fn home_of(&self, v: VarId) -> (Expr, Expr) {
        if let Role::Global(g) = self.routine.variable(v).role
            && let Some(&(object, cell)) = self.plan.fixed.get(&g)
        {
            return (Expr::Int(object), Expr::Int(cell));
        }
        let place = Place::whole(v);
        (field(&place, OBJECT).into(), field(&place, CELL).into())
    }
}

/// A section of an array of one dimension.
pub(super) fn section(array: VarId, first: Expr, last: Expr) -> Place {
    let range = Range {
        lower: Some(first),
        upper: Some(last),
        stride: None,
    };
    Place {
        var: array,
        subscripts: [Subscript::Range(Box::new(range))].into(),
    }
}

/// The field of a place.
pub(super) fn field(place: &Place, name: &str) -> Place {
    let mut subscripts = place.subscripts.to_vec();
    subscripts.push(Subscript::Field(name.into()));
    Place {
        var: place.var,
        subscripts: subscripts.into(),
    }
}
