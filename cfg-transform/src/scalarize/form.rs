//! The form to which array statements are lowered.

use cfg_core::{
    entity::VarId,
    ir::{Expr, Op, Order, Place, ScalarType, Variable},
};

/// An array of a [`Form`], by its position in [`Form::arrays`]: a variable, a section, a view, or a temporary.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ArrayId(u32);

impl ArrayId {
    pub(super) fn new(index: usize) -> Self {
        Self(index as u32)
    }

    /// The position in [`Form::arrays`].
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The rank, the storage order and the type of the elements of an array of a [`Form`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Array {
    /// The variable, if the array is a whole variable. All other arrays are made by a step.
    pub variable: Option<VarId>,
    /// The number of dimensions, at least 1.
    pub rank: usize,
    /// The order in which loops go through the elements.
    pub order: Order,
    /// The type of the elements.
    pub ty: ScalarType,
}

/// An array statement, or an array-valued operand, as steps over scalar code.
///
/// Expressions of a form name the routine's variables and, behind those, the scalars of the form: `names[k]` is the
/// variable `first + k`. A step that defines one comes before all that name it.
#[derive(Clone, Debug, PartialEq)]
pub struct Form {
    /// The number of variables of the routine; the form's own names follow.
    pub first: usize,
    /// The scalars that steps define: operands that are evaluated once, results of reductions, elements.
    pub names: Vec<Variable>,
    /// The arrays that steps work on.
    pub arrays: Vec<Array>,
    /// The steps, in the order in which they are done.
    pub steps: Vec<Step>,
}

/// One step of a [`Form`]. An error ends the run at the step that it is found in.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// A scalar is evaluated, once.
    Let {
        /// The name that has the value from now on.
        name: VarId,
        /// The value, an expression over variables of the routine.
        value: Expr,
    },
    /// An array becomes the section of a place; subscripts are evaluated from left to right and checked.
    Section {
        /// The array that is made.
        array: ArrayId,
        /// The section, with at least one range.
        place: Place,
    },
    /// An array becomes the transposed view of a matrix, which must be taken.
    Transpose {
        /// The array that is made.
        array: ArrayId,
        /// The matrix that is transposed.
        of: ArrayId,
    },
    /// An array becomes a view of the cells of another one, which must be taken.
    Alias {
        /// The array that is made.
        array: ArrayId,
        /// The array that must be taken.
        of: ArrayId,
    },
    /// An array becomes a view of another one, which may be untaken.
    Same {
        /// The array that is made.
        array: ArrayId,
        /// The array that is viewed.
        of: ArrayId,
    },
    /// An array is marked as part of an operand that is not evaluated: it conforms with everything.
    Untaken {
        /// The array that is not taken.
        array: ArrayId,
    },
    /// An array without elements of its own gets a shape.
    ShapeOf {
        /// The array that has the shape.
        array: ArrayId,
        /// The first of these that is taken gives the shape.
        candidates: Box<[ArrayId]>,
        /// The array that has the shape if none is taken and this one has one; else extents are 1.
        otherwise: Option<ArrayId>,
    },
    /// Two arrays must have the same extents; an array that is not taken conforms.
    Conform {
        /// The array that has the wanted extents.
        a: ArrayId,
        /// The array that may be untaken.
        b: ArrayId,
    },
    /// A new array gets the extents of another one, and lower bounds 1.
    Temporary {
        /// The array that is made.
        array: ArrayId,
        /// The array that has the extents.
        like: ArrayId,
    },
    /// A new array gets extents, which are evaluated from left to right, and lower bounds 1.
    Shaped {
        /// The array that is made.
        array: ArrayId,
        /// The extents, one per dimension.
        extents: Box<[Expr]>,
    },
    /// A local with deferred extents gets the extents of another array, and cells of its own.
    Reallocate {
        /// The local that gets cells.
        array: ArrayId,
        /// The array that has the extents.
        like: ArrayId,
    },
    /// All elements of an array become a value, which is evaluated once.
    Fill {
        /// The array that is written.
        array: ArrayId,
        /// The value of all elements.
        value: Expr,
    },
    /// The elements of an array become those of another one of the same extents. The two share no cells, or are the
    /// same cells in the same order.
    Copy {
        /// The array that is written.
        to: ArrayId,
        /// The array that is read.
        from: ArrayId,
    },
    /// A scalar becomes the reduction of an array, in storage order.
    Reduce {
        /// The operator of the reduction.
        op: Op,
        /// The name that has the result.
        name: VarId,
        /// The array that is reduced.
        of: ArrayId,
    },
    /// An array becomes the partials of a reduction of another array of the same extents, in storage order.
    Partials {
        /// The operator, one of the partials of a reduction.
        op: Op,
        /// The array that is written.
        array: ArrayId,
        /// The array that is read.
        of: ArrayId,
    },
    /// Steps are done if a condition holds; if not, arrays that they would have made are not taken.
    Choose {
        /// The condition, a scalar.
        condition: Expr,
        /// The steps are done if the condition is this.
        sense: bool,
        /// True if a condition without value is no error but makes the steps be left out.
        lenient: bool,
        /// The steps that depend on the condition.
        taken: Vec<Step>,
        /// The arrays that are not taken if the steps are left out.
        untaken: Vec<ArrayId>,
    },
    /// Parts are prepared one after the other until a scalar decides.
    Decide {
        /// The value with which the scalars do not decide.
        undecided: bool,
        /// The parts, in order.
        parts: Vec<Part>,
        /// The steps that are done instead of a part whose scalar is not `undecided`, and of all parts behind it.
        decided: Vec<Step>,
    },
    /// Steps are tried; a failure in them is no error.
    Try {
        /// The steps that are tried.
        attempt: Vec<Step>,
        /// The steps that are done if the attempt succeeds.
        well: Vec<Step>,
        /// The steps that are done if the attempt fails.
        failed: Vec<Step>,
    },
    /// A loop nest over elements.
    Loop(Loop),
}

impl Step {
    /// The blocks of steps inside that may be left out.
    pub fn blocks(&self) -> Vec<&[Step]> {
        match self {
            Self::Choose { taken, .. } => vec![taken],
            Self::Decide { parts, decided, .. } => {
                let parts = parts.iter().map(|part| &*part.steps);
                parts.chain([&**decided]).collect()
            }
            Self::Try {
                attempt,
                well,
                failed,
            } => vec![attempt, well, failed],
            Self::Let { .. }
            | Self::Section { .. }
            | Self::Transpose { .. }
            | Self::Alias { .. }
            | Self::Same { .. }
            | Self::Untaken { .. }
            | Self::ShapeOf { .. }
            | Self::Conform { .. }
            | Self::Temporary { .. }
            | Self::Shaped { .. }
            | Self::Reallocate { .. }
            | Self::Fill { .. }
            | Self::Copy { .. }
            | Self::Reduce { .. }
            | Self::Partials { .. }
            | Self::Loop(_) => Vec::new(),
        }
    }
}

/// A part of a [`Step::Decide`].
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// The scalar that is tested first, if there is one.
    pub test: Option<Expr>,
    /// The steps of the part.
    pub steps: Vec<Step>,
}

/// A loop nest over all elements of the shape of one array, in the storage order of that array: the scalar body of an
/// array statement.
#[derive(Clone, Debug, PartialEq)]
pub struct Loop {
    /// The array whose extents and storage order the nest has.
    pub over: ArrayId,
    /// The arrays whose elements the body reads.
    pub elements: Vec<Element>,
    /// The body of the loops.
    pub action: Action,
}

/// An array operand of a [`Loop`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Element {
    /// The name of the element at the position of the loops.
    pub name: VarId,
    /// The array of the element. An array that is not taken has no elements, and the body does not read them.
    pub array: ArrayId,
    /// True if the body reads the element exactly once; otherwise it may read it less or more often.
    pub once: bool,
}

/// The body of a [`Loop`].
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// The value is stored into the element of the array that the loops go over.
    Store(Expr),
    /// The value is added to a reduction, which begins with its first element, or with the value for an empty array.
    Fold {
        /// The operator of the reduction.
        op: Op,
        /// The name that has the result after the loops.
        name: VarId,
        /// The value that is added to the reduction.
        value: Expr,
    },
}
