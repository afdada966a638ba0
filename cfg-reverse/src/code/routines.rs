//! Parts of routines: declarations, variables, calls.

use cfg_core::{
    entity::{RoutineId, VarId},
    flat::FlatType,
    ir::{
        Expr, Extent, NameOrigin, NameRole, Role, Routine, ScalarType, StatementOrigin, Stmt,
        StmtKind, TapeClass, Variable,
    },
};

/// A routine's declarations without variables and body.
pub(crate) fn routine_shell(routine: &Routine) -> Routine {
    Routine {
        name: routine.name.clone(),
        parameters: routine.parameters.clone(),
        result: routine.result,
        control: routine.control,
        aliased: routine.aliased,
        at: routine.at.clone(),
        annotations: routine.annotations.clone(),
        ..Routine::default()
    }
}

/// Everything but the graph.
pub(crate) fn without_body(routine: &Routine) -> Routine {
    Routine {
        name: routine.name.clone(),
        variables: routine.variables.clone(),
        parameters: routine.parameters.clone(),
        result: routine.result,
        independents: routine.independents.clone(),
        dependents: routine.dependents.clone(),
        control: routine.control,
        body: None,
        external: routine.external.clone(),
        derivatives: routine.derivatives.clone(),
        aliased: routine.aliased,
        origin: routine.origin.clone(),
        at: routine.at.clone(),
        annotations: routine.annotations.clone(),
    }
}

/// A local of this type with a new name.
pub(crate) fn add_local(
    routine: &mut Routine,
    name: String,
    ty: ScalarType,
    origin: NameRole,
) -> VarId {
    let mut variable = Variable::new(name, ty, Vec::new(), Role::Local);
    variable.origin = Some(Box::new(NameOrigin::new(origin, "")));
    routine.add_variable(variable)
}

/// A call as a statement.
pub(crate) fn call_statement(callee: RoutineId, arguments: Vec<Option<Expr>>) -> Stmt {
    Stmt::new(StmtKind::Call {
        callee,
        arguments: arguments.into(),
        result: None,
    })
}

/// True of a local that takes its shape from assignments.
pub(crate) fn is_deferred(variable: &Variable) -> bool {
    let deferred = |d: &cfg_core::ir::Dim| matches!(d.extent, Extent::Deferred);
    matches!(variable.role, Role::Local) && variable.shape.iter().any(deferred)
}

/// Calls `visit` for the expressions of a variable's shape.
pub(crate) fn each_extent<'v>(variable: &'v Variable, visit: &mut impl FnMut(&'v Expr)) {
    for dim in &variable.shape {
        visit(&dim.lower);
        if let Extent::Fixed(e) = &dim.extent {
            visit(e);
        }
    }
}

/// The tape stack that holds values of a type.
pub(crate) fn tape_class(ty: ScalarType) -> cfg_core::ir::TapeClass {
    use cfg_core::ir::ControlWidth;
    match FlatType::view(ty) {
        FlatType::Real | FlatType::Tape => TapeClass::Real,
        FlatType::Real32 => TapeClass::Real32,
        FlatType::Integer | FlatType::Sized(_) => TapeClass::Integer,
        FlatType::Logical => TapeClass::Control(ControlWidth::Bits(1)),
    }
}

/// True if the values on the stack are reals; a file has values of all types.
pub(crate) fn is_real_class(class: TapeClass, ty: ScalarType) -> bool {
    match class {
        TapeClass::Real | TapeClass::Real32 => true,
        TapeClass::Disk => ty.is_real(),
        TapeClass::Integer | TapeClass::Control(_) => false,
    }
}

/// True if a push of the value is one of reals.
pub(crate) fn is_real_push(routine: &Routine, class: TapeClass, value: &Expr) -> bool {
    let ty = cfg_core::typing::type_of(&routine.variables, value);
    ty.is_ok_and(|ty| is_real_class(class, ty.ty))
}

/// Numbers the statements of a routine, before its graph is changed.
pub(crate) fn number_statements(routine: &mut Routine) {
    let Some(cfg) = &mut routine.body else { return };
    let blocks = cfg.vertices_mut().filter_map(|v| v.kind.statements_mut());
    for (number, statement) in blocks.flatten().enumerate() {
        statement.origin = StatementOrigin::from_number(number);
    }
}
