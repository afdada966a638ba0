//! Gives values to extents that declarations leave open.

use crate::{
    codes::{self, general},
    mode::Primal,
    options::Options,
    point::Point,
    slot::Slot,
};
use cfg_core::{
    diagnostic::Diagnostics,
    entity::{RoutineId, VarId},
    flat::Flat,
    ir::{
        Cfg, Dim, Expr, Extent, Intent, NameOrigin, NameRole, Op, OpClass, Program, Role, Routine,
        ScalarType, StmtKind, Variable,
    },
    typing::type_of,
};
use cfg_format::text;
use cfg_transform::flat::change_grouped;

/// Gives array parameters of a routine extents that their declarations leave open; each text is `NAME=EXPR`, with the
/// expression, or several in brackets, in the text form. Callers no longer pass these extents.
///
/// # Errors
/// A name is unknown or no parameter, an extent is not open, or an expression is no integer, or reads a variable that
/// has no value at entry or may be assigned. All problems are reported, and the program is left as it was.
pub fn give_sizes(
    program: &mut Program,
    routine: RoutineId,
    sizes: &[String],
) -> Result<(), Diagnostics> {
    let mut problems = Diagnostics::default();
    let target = program.routine(routine);
    let mut given: Vec<(usize, Vec<Dim>)> = Vec::new();
    for size in sizes {
        match one(target, size) {
            Ok((v, _)) if given.iter().any(|(w, _)| *w == v) => {
                let message = format!("`{}` is given twice", target.variables[v].name);
                problems
                    .0
                    .extend(general(&codes::SIZE, message, "give all extents at once").0);
            }
            Ok(size) => given.push(size),
            Err(found) => problems.0.extend(found.0),
        }
    }
    if !problems.is_empty() {
        return Err(problems);
    }
    let target = &mut program.routines[routine.index()];
    for (v, shape) in given {
        if let (
            Some(result),
            [
                Dim {
                    extent: Extent::Fixed(size),
                    ..
                },
            ],
        ) = (target.result, &*shape)
            && result.index() == v
        {
            expect_size(target, result, size);
        }
        target.variables[v].shape = shape;
    }
    Ok(())
}

/// Lets the entry routine of a program with pointers compare the size of the memory that it returns with the stated
/// one.
fn expect_size(routine: &mut Routine, result: VarId, size: &Expr) {
    let name = routine.variable(result).name.clone();
    let origin = NameOrigin::new(NameRole::Temporary, &*name);
    let is_size = |v: &Variable| v.origin.as_deref() == Some(&origin);
    let Some(v) = routine.variables.iter().position(is_size) else {
        return;
    };
    let size = match type_of(&routine.variables, size).map(|ty| ty.ty) {
        Ok(ScalarType::Sized(_)) => Expr::op(Op::TO_INT, [size.clone()]),
        _ => size.clone(),
    };
    let vertices = routine.body.iter_mut().flat_map(Cfg::vertices_mut);
    for statement in vertices.filter_map(|v| v.kind.statements_mut()).flatten() {
        if let StmtKind::Assign { target, value } = &mut statement.kind
            && target.var.index() == v
        {
            value.clone_from(&size);
        }
    }
}

/// Gives the result of a function the extents that it has at a point, unless they are constants.
///
/// # Errors
/// The point has problems, or the run fails; places are those of the program before its pointers were lowered.
pub fn size_result(
    program: Flat,
    routine: RoutineId,
    options: &Options,
    read_point: impl FnOnce(&Primal) -> Result<Point, Diagnostics>,
) -> Result<Flat, Diagnostics> {
    let place = |problems| program.place_in_original(problems);
    let Some(mut sizes) = ResultSizes::find(&program, routine, options).map_err(place)? else {
        return Ok(program);
    };
    let point = read_point(sizes.primal())?;
    let extents = sizes.at(&point).map_err(place)?;
    sizes.give(program, &extents)
}

/// The extents of a function's result that are no constants: a run at a point tells them.
#[derive(Debug)]
pub(crate) struct ResultSizes {
    primal: Primal,
    routine: RoutineId,
    result: VarId,
    key: String,
}

impl ResultSizes {
    /// `None` if a routine has no result, or one of constant extents. Runs have an account of memory of their own.
    ///
    /// # Errors
    /// The program has something that the executor cannot run.
    pub(crate) fn find(
        program: &Flat,
        routine: RoutineId,
        options: &Options,
    ) -> Result<Option<Self>, Diagnostics> {
        let target = program.grouped().routine(routine);
        let is_constant = |v: &VarId| {
            let mut shape = target.variable(*v).shape.iter();
            shape.all(|dim| dim.constant_extent().is_some())
        };
        let Some(result) = target.result.filter(|v| !is_constant(v)) else {
            return Ok(None);
        };
        let options = Options {
            trace: false,
            events: false,
            engine: None,
            ..options.for_thread()
        };
        Ok(Some(Self {
            primal: Primal::new(program, routine, &options)?,
            routine,
            result,
            key: Slot::Result(result).key(program, target).to_owned(),
        }))
    }

    /// A copy for another thread.
    ///
    /// # Errors
    /// The errors are those of [`Primal::for_thread`].
    pub(crate) fn for_thread(&self) -> Result<Self, Diagnostics> {
        Ok(Self {
            primal: self.primal.for_thread()?,
            routine: self.routine,
            result: self.result,
            key: self.key.clone(),
        })
    }

    /// The routine whose runs tell the extents.
    pub(crate) fn primal(&self) -> &Primal {
        &self.primal
    }

    /// The extents at a point.
    ///
    /// # Errors
    /// The run fails.
    pub(crate) fn at(&mut self, point: &Point) -> Result<Vec<usize>, Diagnostics> {
        let run = self.primal.run(point)?;
        let value = run.value.iter().find(|(name, _)| *name == self.key);
        Ok(value.map_or_else(Vec::new, |(_, value)| value.shape().to_vec()))
    }

    /// The program with these extents declared.
    ///
    /// # Errors
    /// The program is not valid with them.
    pub(crate) fn give(&self, program: Flat, extents: &[usize]) -> Result<Flat, Diagnostics> {
        change_grouped(program, |program| {
            let routine = &mut program.routines[self.routine.index()];
            let shape = &mut routine.variables[self.result.index()].shape;
            for (dim, extent) in shape.iter_mut().zip(extents) {
                dim.extent = Extent::Fixed(Expr::Int(i64::try_from(*extent).unwrap_or(i64::MAX)));
            }
            Ok(())
        })
    }
}

/// The variable that a text is about, and its new shape.
fn one(routine: &Routine, text: &str) -> Result<(usize, Vec<Dim>), Diagnostics> {
    let wrong = |message: String, help: &str| general(&codes::SIZE, message, help);
    let Some((name, extents)) = text.split_once('=') else {
        let message = format!("`{text}` gives no extent");
        return Err(wrong(message, "write NAME=EXPR, such as x=n"));
    };
    let name = name.trim();
    let variables = || routine.parameter_ids().map(|v| routine.variable(v));
    let found = routine
        .parameter_ids()
        .find(|v| routine.variable(*v).name == name)
        .or(routine.result.filter(|_| name == "return"));
    let Some(v) = found else {
        let open = variables().filter(|v| v.shape.iter().any(is_open));
        let open: Vec<&str> = open.map(|v| &*v.name).take(20).collect();
        let help = match &open[..] {
            [] => "the routine has no parameter whose extents are open".to_owned(),
            open => format!("parameters with open extents are: {}", open.join(", ")),
        };
        return Err(wrong(
            format!("`{name}` is no parameter of the routine"),
            &help,
        ));
    };
    let declared = &routine.variable(v).shape;
    let shape = text::extents(extents, routine)?;
    if shape.len() != declared.len() {
        let message = format!(
            "`{name}` has {} dimensions, not {}",
            declared.len(),
            shape.len()
        );
        return Err(wrong(
            message,
            "give all extents, in brackets; `:` for one that is declared",
        ));
    }
    let mut made = Vec::with_capacity(shape.len());
    for (k, (dim, declared)) in shape.into_iter().zip(declared).enumerate() {
        if dim.lower != Expr::Int(1) {
            let message = format!("extent {} of `{name}` comes with a first index", k + 1);
            return Err(wrong(message, "the first index is that of the declaration"));
        }
        let extent = match (dim.extent, &declared.extent) {
            (Extent::Deferred, declared) => declared.clone(),
            (Extent::Fixed(_), Extent::Fixed(_)) => {
                let message = format!("extent {} of `{name}` is declared", k + 1);
                return Err(wrong(
                    message,
                    "only extents that are open (`:`) can be given",
                ));
            }
            (Extent::Fixed(e), Extent::Deferred) => {
                steady(routine, &e, name)?;
                Extent::Fixed(e.map(&mut |e| widened(routine, e)))
            }
        };
        made.push(Dim {
            lower: declared.lower.clone(),
            extent,
        });
    }
    if made == *declared {
        let message = format!("nothing is given for `{name}`");
        return Err(wrong(
            message,
            "give an expression for an extent that is open",
        ));
    }
    Ok((v.index(), made))
}

fn is_open(dim: &Dim) -> bool {
    dim.extent == Extent::Deferred
}

/// An operator over integers of several types, with those of fixed width converted to `integer`: a constant is an
/// `integer`, so that 3*n would mix types where n is an `int` of C.
fn widened(routine: &Routine, e: Expr) -> Expr {
    let Expr::Op(op, operands) = e else {
        return e;
    };
    let of = |e: &Expr| type_of(&routine.variables, e).map(|ty| ty.ty);
    let mixed = op.class() == OpClass::Elemental
        && operands.iter().any(|e| of(e) == Ok(ScalarType::Integer));
    Expr::op(
        op,
        operands.into_vec().into_iter().map(|e| match of(&e) {
            Ok(ScalarType::Sized(_)) if mixed => Expr::op(Op::TO_INT, [e]),
            _ => e,
        }),
    )
}

/// Callers must be able to compute an extent from what they pass, and so must derivatives after the routine has run.
fn steady(routine: &Routine, e: &Expr, name: &str) -> Result<(), Diagnostics> {
    let mut bad = None;
    let mut open = vec![e];
    while let Some(e) = open.pop() {
        match e {
            Expr::Op(op, operands) if op.class() == OpClass::Inquiry => {
                // Only the shape of the array is read.
                let whole = matches!(operands.first(), Some(Expr::Place(p)) if p.subscripts.is_empty()
                    && matches!(routine.variable(p.var).role, Role::Parameter { optional: false, .. }));
                open.extend(operands.iter().skip(usize::from(whole)));
            }
            Expr::Op(_, operands) => open.extend(operands),
            Expr::Place(place) => {
                let variable = routine.variable(place.var);
                let steady = matches!(
                    variable.role,
                    Role::Parameter {
                        intent: Intent::In,
                        optional: false
                    }
                );
                if !steady {
                    bad.get_or_insert(&variable.name);
                }
                open.extend(place.subscript_exprs());
            }
            Expr::Int(_)
            | Expr::Real(_)
            | Expr::Real32(_)
            | Expr::Logical(_)
            | Expr::Null(_)
            | Expr::Addr(_) => {}
        }
    }
    let Some(bad) = bad else {
        return Ok(());
    };
    let message = format!("an extent of `{name}` reads `{bad}`, which is no in parameter");
    Err(general(
        &codes::SIZE,
        message,
        "use constants, in parameters that are not optional, and sizes of other parameters",
    ))
}
