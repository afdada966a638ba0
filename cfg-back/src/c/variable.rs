//! The variables of a routine in C: how each is named, where its cells are, and how it is declared.

pub(super) use super::operators::c_type::c_type;
use super::{
    amount::Amount,
    names::Names,
    operators::{Code, Name, literal_integer, literal_logical, literal_real, literal_real32},
    passed::Passed,
};
use cfg_core::{
    entity::VarId,
    flat::FlatType,
    ir::{Dim, Expr, Extent, Order, Routine, ScalarType},
};
use std::{collections::BTreeMap, rc::Rc};

/// The C type of a scalar in a file. With checks an integer of any type is an `int64_t`, so that one number more can
/// say that there is no value.
pub(super) fn cell_type(ty: ScalarType, checks: bool) -> &'static str {
    match FlatType::view(ty) {
        FlatType::Sized(_) if checks => c_type(ScalarType::Integer),
        FlatType::Real
        | FlatType::Real32
        | FlatType::Integer
        | FlatType::Sized(_)
        | FlatType::Logical
        | FlatType::Tape => c_type(ty),
    }
}

/// The zero of a scalar type.
pub(super) fn zero(ty: ScalarType) -> Code {
    match FlatType::view(ty) {
        FlatType::Real => literal_real(0.0),
        FlatType::Real32 => literal_real32(0.0),
        FlatType::Integer | FlatType::Sized(_) => literal_integer(0),
        FlatType::Logical => literal_logical(false),
        FlatType::Tape => null(),
    }
}

/// The pointer that leads nowhere.
pub(super) fn null() -> Code {
    Code::name("NULL", ScalarType::Tape)
}

/// True of a parameter all of whose extents are declared: its elements are any of its argument's.
pub(super) fn given_shape(variable: &cfg_core::ir::Variable) -> bool {
    let deferred = |dim: &Dim| dim.extent == Extent::Deferred;
    variable.intent().is_some() && variable.rank() > 0 && !variable.shape.iter().any(deferred)
}

/// The place of the cells of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cells {
    /// Somebody else's: a parameter's, or a global's.
    Given,
    /// A local array of this many elements.
    Fixed(i64),
    /// Memory for work arrays, of a size that is known on entry.
    Work,
    /// The same, of the result of a function, which leaves it there for its caller.
    Returned,
    /// Memory that assignments give it.
    Allocatable,
}

/// One dimension of an array.
#[derive(Clone, Debug)]
pub(super) struct Axis {
    /// The first subscript.
    pub(super) lower: Bound,
    /// The number of elements; a negative one counts as 0.
    pub(super) extent: Bound,
    /// The number of elements to the next one along the dimension, of a parameter whose elements may have gaps.
    pub(super) stride: Option<Bound>,
}

/// A bound of an array, which does not change once the routine is entered.
#[derive(Clone, Debug)]
pub(super) enum Bound {
    /// A constant.
    Constant(i64),
    /// A by-value parameter that nothing writes.
    Parameter(VarId),
    /// The variable that has the value, by its position in [`Variables::bounds`].
    Kept(usize),
}

/// A variable that keeps a bound.
#[derive(Clone, Debug)]
pub(super) struct KeptBound {
    /// The name.
    pub(super) name: Name,
    /// The value that it gets on entry; none if it is a parameter, or what assignments set.
    pub(super) value: Option<Expr>,
    /// True if the code names it.
    pub(super) used: bool,
}

/// The kind of a variable.
#[derive(Clone, Debug)]
pub(super) enum Kind {
    /// A scalar that this text names, an lvalue that binds like a name.
    Value(Name),
    /// A scalar that a pointer of this name points to.
    Pointer(Name),
    /// An array.
    Array(Array),
    /// A tape that a pointer of this name points to.
    Tape(Name),
}

impl Kind {
    /// The first dimension of an array.
    pub(super) fn first_axis(&self) -> Option<Axis> {
        match self {
            Self::Array(array) => array.axes.first().cloned(),
            Self::Value(_) | Self::Pointer(_) | Self::Tape(_) => None,
        }
    }

    /// The name of the variable or of the pointer to it.
    pub(super) fn name(&self) -> &Name {
        match self {
            Self::Value(name) | Self::Pointer(name) | Self::Tape(name) => name,
            Self::Array(array) => &array.pointer,
        }
    }
}

/// An array, which lies in storage order without gaps but for parameters with strides.
#[derive(Clone, Debug)]
pub(super) struct Array {
    /// The pointer to its first element, but for the offset.
    pub(super) pointer: Name,
    /// The element behind the pointer that is the first.
    pub(super) offset: i64,
    /// The dimensions.
    pub(super) axes: Vec<Axis>,
    /// The storage order.
    pub(super) order: Order,
    /// The place of its cells.
    pub(super) cells: Cells,
    /// The name of the number of elements for which an allocatable array has memory.
    pub(super) room: Option<Name>,
    /// The name of what says how the elements of the argument lie, of a parameter whose elements may have gaps and
    /// whose extents are its own: its strides follow from it.
    pub(super) laid_over: Option<Name>,
    /// The way to the elements in structures, of a member of a record that is one.
    pub(super) inside: Option<Rc<Inside>>,
    /// The name of the number of elements that the argument of a parameter has, where that is checked: -1 if it is not
    /// given, -2 if it has no shape yet.
    pub(super) count: Option<Name>,
}

/// The way to the elements of an array that is a member of a structure, or of several.
#[derive(Debug)]
pub(super) struct Inside {
    /// The number of dimensions of the array of structures, the first of those of the array.
    pub(super) rank: usize,
    /// True of an array of one structure, which is written as that structure.
    pub(super) is_single: bool,
    /// True of what a parameter points to.
    pub(super) is_behind: bool,
    /// The members on the way, each with the number of its dimensions.
    pub(super) path: Vec<(Name, usize)>,
}

/// A record that is a structure in the function.
#[derive(Debug)]
pub(super) struct Structure {
    pub(super) name: Name,
    /// The type.
    pub(super) ty: String,
    /// The number of structures, of a local array.
    pub(super) count: Option<usize>,
    /// The way in which it is passed; `None` of a local one.
    pub(super) passed: Option<Passed>,
    pub(super) parts: Vec<VarId>,
}

/// A variable.
#[derive(Clone, Debug)]
pub(super) struct Variable {
    /// The kind.
    pub(super) kind: Kind,
    /// The parameter that points to it, of a scalar of the caller that a local variable holds.
    pub(super) behind: Option<Name>,
    /// The type.
    pub(super) ty: ScalarType,
    /// The structure of which it is a leaf, and which leaf.
    pub(super) member: Option<(usize, usize)>,
    /// True if the code names it.
    pub(super) used: bool,
    /// True if the code reads it, or hands it on.
    pub(super) read: bool,
}

/// An element of an array of the caller that a local variable holds.
#[derive(Debug)]
pub(super) struct HeldElement {
    /// The name of the local variable.
    pub(super) name: Name,
    /// The element, once the code names it.
    pub(super) cell: Option<Code>,
    /// True if the routine assigns it, so that it is stored at the end.
    pub(super) assigned: bool,
}

/// The variables of a routine.
#[derive(Debug, Default)]
pub(super) struct Variables {
    /// The elements that local variables hold, by array and subscripts.
    pub(super) elements: BTreeMap<(VarId, Vec<i64>), HeldElement>,
    /// The variables, by [`VarId`].
    pub(super) all: Vec<Variable>,
    /// The bounds that variables keep.
    pub(super) bounds: Vec<KeptBound>,
    /// The records that are structures.
    pub(super) structures: Vec<Structure>,
}

impl Variables {
    /// The variables with their numbers.
    pub(super) fn numbered(&self) -> impl Iterator<Item = (VarId, &Variable)> {
        (0..).map(VarId::new).zip(&self.all)
    }

    /// The variables that are arrays, with their numbers.
    pub(super) fn arrays(&self) -> impl Iterator<Item = (VarId, &Variable, &Array)> {
        self.numbered()
            .filter_map(|(v, variable)| match &variable.kind {
                Kind::Array(array) => Some((v, variable, array)),
                Kind::Value(_) | Kind::Pointer(_) | Kind::Tape(_) => None,
            })
    }

    /// The name of the number of structures of an array that brings it, of which the parameter is the first leaf.
    pub(super) fn count_of_structures(&self, routine: &Routine, p: VarId) -> Option<Name> {
        let brings = |dim: &Dim| dim.extent == Extent::Deferred;
        let axis = self.all[p.index()].kind.first_axis();
        match axis
            .filter(|_| routine.variable(p).shape.first().is_some_and(brings))?
            .extent
        {
            Bound::Kept(k) => Some(self.bounds[k].name.clone()),
            Bound::Constant(_) | Bound::Parameter(_) => None,
        }
    }

    /// True of a leaf of a structure that a parameter points to.
    pub(super) fn is_behind(&self, v: VarId) -> bool {
        let structure = self.all[v.index()].member.map(|(s, _)| &self.structures[s]);
        let passed = structure.and_then(|structure| structure.passed);
        matches!(passed, Some(Passed::Constant | Passed::Pointer))
    }

    /// The dimensions of a declaration. Bounds that are not constant are kept under names of their own unless `stable`
    /// says that the variable which is one may be named instead.
    pub(super) fn axes(
        &mut self,
        name: &str,
        shape: &[Dim],
        names: (&mut Names, &Names),
        strided: bool,
        stable: &impl Fn(VarId) -> bool,
    ) -> Vec<Axis> {
        let (names, outside) = names;
        let mut bound = |e: Option<&Expr>, what: &str, k: usize| -> Bound {
            if let Some(n) = e.and_then(Expr::constant) {
                return Bound::Constant(n);
            }
            if let Some(Expr::Place(place)) = e
                && place.subscripts.is_empty()
                && stable(place.var)
            {
                return Bound::Parameter(place.var);
            }
            let name = names.fresh(&format!("{name}_{what}{}", k + 1), Some(outside));
            self.bounds.push(KeptBound {
                name: name.into(),
                value: e.cloned(),
                used: false,
            });
            Bound::Kept(self.bounds.len() - 1)
        };
        let mut axes = Vec::with_capacity(shape.len());
        for (k, dim) in shape.iter().enumerate() {
            let lower = bound(Some(&dim.lower), "lower", k);
            let extent = match &dim.extent {
                Extent::Fixed(e) => bound(Some(e), "extent", k),
                Extent::Deferred => bound(None, "extent", k),
            };
            let stride = strided.then(|| bound(None, "stride", k));
            axes.push(Axis {
                lower,
                extent,
                stride,
            });
        }
        axes
    }

    /// A bound as an amount; it counts as used.
    pub(super) fn amount_of(&mut self, bound: &Bound) -> Amount {
        let name = match bound {
            Bound::Constant(n) => return (*n).into(),
            Bound::Parameter(v) => {
                let variable = &mut self.all[v.index()];
                (variable.used, variable.read) = (true, true);
                variable.kind.name().clone()
            }
            Bound::Kept(k) => {
                let kept = &mut self.bounds[*k];
                kept.used = true;
                kept.name.clone()
            }
        };
        Code::from(name).into()
    }

    /// The extents of an array, one per dimension; they count as used.
    pub(super) fn extents(&mut self, axes: &[Axis]) -> Vec<Amount> {
        axes.iter()
            .map(|axis| self.amount_of(&axis.extent))
            .collect()
    }

    /// The strides of an array.
    pub(super) fn strides(&mut self, array: &Array) -> Vec<Amount> {
        let given: Option<Vec<&Bound>> =
            array.axes.iter().map(|axis| axis.stride.as_ref()).collect();
        match given {
            Some(bounds) => bounds
                .into_iter()
                .map(|bound| self.amount_of(bound))
                .collect(),
            None => strides(&self.extents(&array.axes), array.order),
        }
    }
}

impl Array {
    /// True if the elements may have gaps between them.
    pub(super) fn is_strided(&self) -> bool {
        self.axes.iter().any(|axis| axis.stride.is_some())
    }
}

/// The strides of an array without gaps: how many elements further the next one along each dimension is.
pub(super) fn strides(extents: &[Amount], order: Order) -> Vec<Amount> {
    let mut strides = vec![Amount::from(1); extents.len()];
    let mut step = Amount::from(1);
    let mut each = |k: usize| {
        strides[k] = step.clone();
        step = step.times(&extents[k]);
    };
    match order {
        Order::Row => (0..extents.len()).rev().for_each(&mut each),
        Order::Column => (0..extents.len()).for_each(&mut each),
    }
    strides
}
