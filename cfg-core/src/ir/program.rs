//! Programs, routines and variables.

use super::{
    Annotations, At, Cfg, Control, Dim, Expr, Extent, NameOrigin, NameRole, Order, Record,
    ScalarType, Stmt,
};
use crate::entity::{GlobalId, RoutineId, VarId};
use std::ops::Range;

/// A program: routines that call each other, and global variables.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Program {
    /// The routines; [`RoutineId`] is the position.
    pub routines: Vec<Routine>,
    /// The global variables; [`GlobalId`] is the position.
    pub globals: Vec<Global>,
    /// The record types; [`RecordId`](crate::entity::RecordId) is the position.
    pub records: Vec<Record>,
    /// The routine that the file marks as the one to differentiate.
    pub main: Option<RoutineId>,
    /// The names of the sources that the program was made from; spans give their positions.
    pub sources: Vec<String>,
    /// Free-form data of the front end.
    pub annotations: Annotations,
}

/// A global (module, COMMON, static) variable: it lives as long as the program runs.
#[derive(Clone, Debug, PartialEq)]
pub struct Global {
    /// Name, type and shape. Its role is [`Role::Global`] with its own id.
    pub variable: Variable,
    /// Initial values in storage order (one value: all elements); `None` is uninitialised.
    pub initial: Option<Box<[Expr]>>,
    /// The place in the storage of another global, for a global that shares it.
    pub overlay: Option<Overlay>,
}

/// Shared storage (COMMON blocks under several names, EQUIVALENCE).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overlay {
    /// The global that owns the storage; it has the same element type, and no overlay of its own.
    pub base: GlobalId,
    /// Offset of the first element, in elements.
    pub offset: i64,
}

/// A routine: variables, and a control-flow graph unless it is external.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Routine {
    /// The name of the routine; unique in the program.
    pub name: String,
    /// All variables that the routine names, in any order; [`VarId`] is the position.
    pub variables: Vec<Variable>,
    /// The parameters in the order of the signature: each variable whose role is [`Role::Parameter`], once.
    pub parameters: Vec<VarId>,
    /// The result variable of a function.
    pub result: Option<VarId>,
    /// Variables to differentiate with respect to.
    pub independents: Vec<VarId>,
    /// Variables to differentiate.
    pub dependents: Vec<VarId>,
    /// The form that the graph promises to have.
    pub control: Control,
    /// The control-flow graph; `None` for an external routine.
    pub body: Option<Cfg>,
    /// The facts that are given about a routine without a body.
    pub external: Option<Box<External>>,
    /// Derivative routines that the user gives.
    pub derivatives: Option<Box<Derivatives>>,
    /// Parameters may overlap although one of them is written.
    pub aliased: bool,
    /// The routine from which a transformation made this one, and the role of this one towards it.
    pub origin: Option<Box<NameOrigin>>,
    /// The piece of a source that the routine stands for.
    pub at: At,
    /// Free-form data of the front end.
    pub annotations: Annotations,
}

/// A routine without a body, given by expressions over its parameters.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct External {
    /// The result, an expression over the parameters; `None` if only the library's callback knows it.
    pub value: Option<Expr>,
    /// Partial derivatives of the result; parameters that are not listed have 0. `None`: the partials follow from
    /// `value`.
    pub partials: Option<Vec<Partial>>,
}

/// The partial derivative of an external function's result with respect to one parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct Partial {
    /// The parameter that the result is differentiated by.
    pub parameter: VarId,
    /// The partial, an expression over the parameters.
    pub value: Expr,
}

/// Routines of the program that the user gives as a routine's derivatives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Derivatives {
    /// `f_t(p, ṗ)`: the parameters, the result, then the tangent of each real one of these in order.
    pub tangent: Option<RoutineId>,
    /// `f_b(p, p̄)`: the same with adjoints, which are inout; called in the reverse sweep with `in` and `inout`
    /// parameters as they were at entry of the call. Values that it leaves in p are discarded.
    pub adjoint: Option<RoutineId>,
}

/// A variable as one routine sees it.
#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    /// The name of the variable; unique in the routine.
    pub name: String,
    /// Type of the scalar or of the elements.
    pub ty: ScalarType,
    /// The dimensions; empty for a scalar.
    pub shape: Vec<Dim>,
    /// The storage order of the elements.
    pub order: Order,
    /// The part that the variable plays in the routine.
    pub role: Role,
    /// The variable from which a transformation made this one, and the role of this one towards it.
    pub origin: Option<Box<NameOrigin>>,
    /// The piece of a source that declares the variable.
    pub at: At,
    /// Free-form data of the front end.
    pub annotations: Annotations,
}

/// The part that a variable plays in its routine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// A parameter, bound by reference.
    Parameter {
        /// The use that the routine makes of the parameter.
        intent: Intent,
        /// True if the caller may leave the parameter out.
        optional: bool,
    },
    /// A local; uninitialised on entry, dead on return.
    Local,
    /// A global variable of the program.
    Global(GlobalId),
}

/// The use that a routine makes of a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Intent {
    /// The parameter is read only.
    In,
    /// Undefined at entry.
    Out,
    /// Read and written.
    InOut,
}

impl Intent {
    /// The name in files: `in`, `out`, `inout`.
    pub fn name(self) -> &'static str {
        match self {
            Self::In => "in",
            Self::Out => "out",
            Self::InOut => "inout",
        }
    }

    /// True of `out` and `inout`.
    pub fn writes(self) -> bool {
        matches!(self, Self::Out | Self::InOut)
    }
}

impl Variable {
    /// Longest name that programs may contain, of anything that has one, in bytes.
    pub const MAX_NAME: usize = 1000;

    /// Number of elements, 1 for a scalar; `None` if an extent is not constant or the product overflows.
    pub fn constant_size(&self) -> Option<i64> {
        let mut count = 1i64;
        for dim in &self.shape {
            match &dim.extent {
                Extent::Fixed(e) => count = count.checked_mul(e.constant()?.max(0))?,
                Extent::Deferred => return None,
            }
        }
        Some(count)
    }

    /// A variable without origin, span and annotations, in row order.
    pub fn new(name: impl Into<String>, ty: ScalarType, shape: Vec<Dim>, role: Role) -> Self {
        Self {
            name: name.into(),
            ty,
            shape,
            order: Order::Row,
            role,
            origin: None,
            at: None,
            annotations: None,
        }
    }

    /// Number of dimensions; 0 for a scalar.
    pub fn rank(&self) -> usize {
        self.shape.len()
    }

    /// The intent of a parameter.
    pub fn intent(&self) -> Option<Intent> {
        match self.role {
            Role::Parameter { intent, .. } => Some(intent),
            Role::Local | Role::Global(_) => None,
        }
    }
}

impl Routine {
    /// The role of a routine that hands over the progress of a loop. Its body does nothing: back ends that can keep
    /// files put their own in the place. Its parameters are two tapes, and logicals and integers. Files may give such a
    /// role to any other routine, where it means nothing.
    pub fn restart_role(&self) -> Option<&NameRole> {
        let roles = [
            NameRole::RestartBegin,
            NameRole::RestartLoad,
            NameRole::RestartDue,
            NameRole::RestartEnd,
            NameRole::RestartSave,
        ];
        let role = &self.origin.as_ref()?.role;
        let mut parameters = self.parameter_ids().map(|v| self.variable(v));
        let tapes = parameters.by_ref().take(2).filter(|v| v.ty.is_tape());
        let is_number = |v: &Variable| {
            v.rank() == 0 && matches!(v.ty, ScalarType::Logical | ScalarType::Integer)
        };
        let fits = tapes.count() == 2 && parameters.len() <= 4 && parameters.all(is_number);
        (fits && roles.contains(role)).then_some(role)
    }

    /// The variable of a given id.
    pub fn variable(&self, v: VarId) -> &Variable {
        &self.variables[v.index()]
    }

    /// The ids of the parameters, in the order of the signature.
    pub fn parameter_ids(
        &self,
    ) -> impl ExactSizeIterator<Item = VarId> + DoubleEndedIterator + Clone + use<'_> {
        self.parameters.iter().copied()
    }

    /// The declaration of the parameter at a position of the signature; `None` behind the last one, or if the list
    /// names a variable that does not exist, which validation refuses.
    pub fn parameter(&self, position: usize) -> Option<&Variable> {
        let v = self.parameters.get(position)?;
        self.variables.get(v.index())
    }

    /// The position of a parameter in the signature. O(parameters): for many of them use
    /// [`Routine::parameter_positions`].
    pub fn parameter_position(&self, v: VarId) -> Option<usize> {
        self.parameters.iter().position(|&p| p == v)
    }

    /// The position in the signature of each variable; `None` for variables that are no parameters.
    pub fn parameter_positions(&self) -> Vec<Option<usize>> {
        let mut positions = vec![None; self.variables.len()];
        for (k, v) in self.parameters.iter().enumerate() {
            if let Some(position) = positions.get_mut(v.index()) {
                position.get_or_insert(k);
            }
        }
        positions
    }

    /// The variables that are no parameters: locals and globals, in the order of declaration.
    pub fn non_parameter_ids(&self) -> Vec<VarId> {
        let positions = self.parameter_positions().into_iter().enumerate();
        let others = positions.filter(|(_, position)| position.is_none());
        others.map(|(v, _)| VarId::new(v)).collect()
    }

    /// All variables in the order in which files declare them: the parameters, then the others.
    pub fn declaration_order(&self) -> impl Iterator<Item = VarId> {
        self.parameter_ids().chain(self.non_parameter_ids())
    }

    /// The statements of the body, vertex after vertex; none for a routine without a body.
    pub fn statements(&self) -> impl Iterator<Item = &Stmt> {
        let vertices = self.body.iter().flat_map(Cfg::vertices);
        vertices.flat_map(|(_, vertex)| vertex.statements())
    }

    /// The variable with this name.
    pub fn find_variable(&self, name: &str) -> Option<VarId> {
        self.variables
            .iter()
            .position(|v| v.name == name)
            .map(VarId::new)
    }

    /// Adds a variable and returns its id. A parameter becomes the last one of the signature.
    pub fn add_variable(&mut self, variable: Variable) -> VarId {
        let v = VarId::new(self.variables.len());
        if matches!(variable.role, Role::Parameter { .. }) {
            self.parameters.push(v);
        }
        self.variables.push(variable);
        v
    }
}

impl Program {
    /// The global that owns the storage of a global, and the cell at which the global begins there, from 0.
    pub fn storage(&self, g: GlobalId) -> (GlobalId, i64) {
        match self.globals.get(g.index()).and_then(|g| g.overlay) {
            Some(overlay) => (overlay.base, overlay.offset),
            None => (g, 0),
        }
    }

    /// The cells of a global: the global that owns the storage, and the range of elements there in storage order.
    /// `None` if an extent is not constant, which validation refuses.
    pub fn cells(&self, g: GlobalId) -> Option<(GlobalId, Range<i64>)> {
        let (owner, offset) = self.storage(g);
        let size = self.globals.get(g.index())?.variable.constant_size()?;
        Some((owner, offset..offset.checked_add(size)?))
    }

    /// The routine of a given id.
    pub fn routine(&self, r: RoutineId) -> &Routine {
        &self.routines[r.index()]
    }

    /// The routine with this name.
    pub fn find_routine(&self, name: &str) -> Option<RoutineId> {
        self.routines
            .iter()
            .position(|r| r.name == name)
            .map(RoutineId::new)
    }

    /// The global of a given id.
    pub fn global(&self, g: GlobalId) -> &Global {
        &self.globals[g.index()]
    }
}
