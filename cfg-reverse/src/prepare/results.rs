//! Function results that are arrays. The result is an `out` parameter of the derivative routines, so the variable
//! that takes the result of a call must have its shape before the call: it is declared with the extents of the
//! result, if they are constant, and otherwise gets them by an assignment.

use cfg_core::{
    diagnostic::{CodeInfo, Diagnostic, Diagnostics},
    entity::VarId,
    flat::{Constant, FlatExpr},
    ir::{
        Dim, Expr, Extent, NameOrigin, NameRole, Op, Order, Place, Role, Routine, ScalarType, Stmt,
        Variable,
    },
    memory::named::Named,
};
use std::collections::{HashMap, hash_map::Entry};

use crate::{
    code::{expressions::zero, names::Namer},
    codes,
};

/// The values over which the extents of a result are evaluated in a caller: parameters and globals of the function.
struct Binding<'a> {
    called: &'a Routine,
    arguments: &'a [Option<Expr>],
    /// Globals by their names in the caller.
    globals: &'a Named,
}

impl Binding<'_> {
    /// An extent of the function, rewritten for the caller. `None` if it consists of more than constants, scalars and
    /// extents of parameters.
    fn bind(&self, e: &Expr) -> Option<Expr> {
        Some(match FlatExpr::view(e) {
            FlatExpr::Constant(_) => e.clone(),
            FlatExpr::Place(place) if place.subscripts.is_empty() => self.variable(place.var)?,
            FlatExpr::Place(_) => return None,
            FlatExpr::Op(Op::Size, operands) => self.size(operands)?,
            FlatExpr::Op(Op::LBound | Op::UBound | Op::Present, _) => return None,
            FlatExpr::Op(op, operands) => {
                let operands = operands.iter().map(|e| self.bind(e));
                Expr::Op(op, operands.collect::<Option<_>>()?)
            }
        })
    }

    fn variable(&self, v: VarId) -> Option<Expr> {
        let variable = self.called.variable(v);
        if variable.rank() > 0 {
            return None;
        }
        match variable.role {
            Role::Global(g) => self.globals.variable(g).map(Expr::var),
            Role::Parameter { .. } => self.actual(v),
            Role::Local => None,
        }
    }

    fn actual(&self, v: VarId) -> Option<Expr> {
        self.arguments
            .get(self.called.parameter_position(v)?)?
            .clone()
    }

    /// The extent of a parameter: its own or, if that is deferred, that of the actual argument.
    fn size(&self, operands: &[Expr]) -> Option<Expr> {
        let Some(Expr::Place(Place { var, subscripts })) = operands.first() else {
            return None;
        };
        let shape = &self.called.variable(*var).shape;
        if !subscripts.is_empty() {
            return None;
        }
        let extent = |k: usize| match &shape.get(k)?.extent {
            Extent::Fixed(e) => self.bind(e).map(not_negative),
            Extent::Deferred => {
                let all = self.actual(*var)?;
                Some(Expr::op(Op::Size, [all, Expr::Int(k as i64 + 1)]))
            }
        };
        match operands.get(1) {
            Some(Expr::Int(k)) => extent(usize::try_from(k - 1).ok()?),
            Some(_) => None,
            None => {
                let all: Option<Vec<Expr>> = (0..shape.len()).map(extent).collect();
                let mut all = all?;
                match all.len() {
                    1 => all.pop(),
                    _ => Some(Expr::op(Op::Mul, all)),
                }
            }
        }
    }
}

fn not_negative(extent: Expr) -> Expr {
    if let Expr::Int(n) = extent {
        Expr::Int(n.max(0))
    } else {
        Expr::op(Op::Max, [extent, Expr::Int(0)])
    }
}

/// Refuses a function whose callers do not know the shape of its result before the call.
pub(crate) fn known(called: &Routine) -> Result<(), (&'static CodeInfo, String)> {
    let Some(result) = called.result else {
        return Ok(());
    };
    // The extents are bound to the parameters and globals themselves: any other argument would do.
    let arguments: Vec<Option<Expr>> = called.parameter_ids().map(|p| Some(Expr::var(p))).collect();
    let globals = Named::collect(called);
    let binding = Binding {
        called,
        arguments: &arguments,
        globals: &globals,
    };
    match binding.extents(result) {
        Some(_) => Ok(()),
        None => Err((
            &codes::RESULT,
            format!(
                "the shape of what `{}` returns is not known before the call",
                called.name
            ),
        )),
    }
}

/// Refuses to differentiate a routine whose result gets its shape inside of it.
pub(crate) fn of_main(main: &Routine) -> Result<(), Diagnostics> {
    let result = main.result.map(|r| main.variable(r));
    let deferred = |d: &Dim| matches!(d.extent, Extent::Deferred);
    if result.is_none_or(|r| !r.shape.iter().any(deferred)) {
        return Ok(());
    }
    let message = format!("the result of `{}` has deferred extents", main.name);
    let code = &codes::RESULT;
    let help = "declare the extents of the result, give them with `--size return=EXPRESSION`, or return the array in an `out` parameter";
    Err(Diagnostic::error(code, message, help)
        .at_element(format!("routine {}", main.name))
        .into())
}

impl Binding<'_> {
    fn extents(&self, result: VarId) -> Option<Vec<Expr>> {
        let shape = self.called.variable(result).shape.iter();
        let extents = shape.map(|dim| match &dim.extent {
            Extent::Fixed(e) => self.bind(e),
            Extent::Deferred => None,
        });
        extents.collect()
    }
}

/// Variables for results, reused from statement to statement.
#[derive(Default)]
pub(crate) struct Variables(HashMap<Kind, VarId>);

/// Type, storage order, and the extents (`Ok`) if they are constants, or else their number (`Err`).
type Kind = (ScalarType, Order, Result<Vec<i64>, usize>);

impl Variables {
    /// A variable for the array that a function returns and, unless its extents are constants, the statement before
    /// the call that gives it its shape. `None` if the shape is not known, see [`known`].
    pub(crate) fn take(
        &mut self,
        called: &Routine,
        arguments: &[Option<Expr>],
        globals: &Named,
        routine: &mut Routine,
        namer: &mut Namer,
    ) -> Option<(VarId, Option<Stmt>)> {
        let result = called.result?;
        let binding = Binding {
            called,
            arguments,
            globals,
        };
        let extents = binding.extents(result)?;
        let (ty, order) = (called.variable(result).ty, called.variable(result).order);
        let fixed = extents.iter().map(|e| match FlatExpr::view(e) {
            FlatExpr::Constant(Constant::Int(n)) => Ok(n),
            FlatExpr::Constant(Constant::Real(_) | Constant::Real32(_) | Constant::Logical(_))
            | FlatExpr::Place(_)
            | FlatExpr::Op(..) => Err(extents.len()),
        });
        let fixed: Result<Vec<i64>, usize> = fixed.collect();
        let constant = fixed.is_ok();
        let shape: Vec<Dim> = match constant {
            true => extents.iter().cloned().map(Dim::with_extent).collect(),
            false => vec![Dim::deferred(); extents.len()],
        };
        let v = match self.0.entry((ty, order, fixed)) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(new) => {
                let name = namer.numbered("r");
                let mut variable = Variable::new(name, ty, shape, Role::Local);
                variable.order = order;
                variable.origin = Some(Box::new(NameOrigin::new(NameRole::Temporary, "")));
                *new.insert(routine.add_variable(variable))
            }
        };
        let blank = std::iter::once(zero(ty)).chain(extents);
        let shaped = (!constant).then(|| Stmt::assign(Place::whole(v), Expr::op(Op::Fill, blank)));
        Some((v, shaped))
    }
}
