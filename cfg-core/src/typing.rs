//! Types and ranks of expressions: operands and result of each operator.
//!
//! - Integer operands of a mixed operation are converted to the real type of the others; 64-bit and
//!   32-bit reals never mix.
//! - Elemental operators work element by element: operands are scalars or arrays of one rank, scalars
//!   are broadcast, the result has the rank of the arrays.
//! - No other conversion happens without an operator.

mod pointer;

pub(crate) use pointer::address;
use pointer::{pointers, same_pointers, through};

use crate::{
    entity::VarId,
    ir::{
        Conversion, Expr, Op, OpClass, Operands, Part, Place, Record, ScalarType, Subscript,
        Variable,
    },
};
use std::fmt;

/// The type of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Type {
    /// Type of the scalar or of the elements.
    pub ty: ScalarType,
    /// Number of dimensions; 0 for a scalar.
    pub rank: usize,
}

impl Type {
    /// A scalar of this type.
    pub fn scalar(ty: ScalarType) -> Self {
        Self { ty, rank: 0 }
    }
}

/// The type with its article: `an integer scalar`.
impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let article = if self.ty.name().starts_with('i') {
            "an"
        } else {
            "a"
        };
        match self.rank {
            0 => write!(f, "{article} {} scalar", self.ty.name()),
            n => write!(f, "{article} {} array of rank {n}", self.ty.name()),
        }
    }
}

/// The rule of typing that an expression breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Rule {
    /// Number of operands.
    Count,
    /// Types of operands.
    Operands,
    /// Ranks of operands do not conform.
    Conform,
    /// Number or type of subscripts.
    Subscripts,
    /// Operands of inquiries.
    Inquiry,
    /// A variable that does not exist.
    Variable,
    /// A field of a place that has no such field.
    Field,
    /// A step through a place that is no pointer, operands that are no pointers, or the address of a place that has
    /// none.
    Pointer,
}

/// The reason for which an expression has no type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// The rule that is broken.
    pub rule: Rule,
    /// The problem, as a sentence.
    pub message: String,
    /// A suggestion for a cure.
    pub help: &'static str,
}

impl Mismatch {
    fn new(rule: Rule, message: String, help: &'static str) -> Self {
        Self {
            rule,
            message,
            help,
        }
    }
}

/// True for the types that operators take: all but tapes, records and pointers.
fn is_value(ty: ScalarType) -> bool {
    !ty.is_tape() && ty.record().is_none() && ty.pointer().is_none()
}

/// The type to which operands are converted in a mixed operation.
fn promote(op: Op, operands: &[Type]) -> Result<ScalarType, Mismatch> {
    let mut result = ScalarType::Integer;
    let is_number = |t: &Type| is_value(t.ty) && t.ty != ScalarType::Logical;
    if let Some(&other) = operands.iter().find(|t| !is_number(t)) {
        return Err(wrong(op, other, "numbers"));
    }
    if let Some(sized) = operands
        .iter()
        .find(|t| matches!(t.ty, ScalarType::Sized(_)))
    {
        return match operands.iter().find(|t| t.ty != sized.ty) {
            None => Ok(sized.ty),
            Some(other) => Err(Mismatch::new(
                Rule::Operands,
                format!(
                    "`{}` mixes {} and {}",
                    op.name(),
                    sized.ty.name(),
                    other.ty.name()
                ),
                "integers of different types, and reals with others than `integer`, are not mixed: convert one of them, \
                 [\"to\", \"int32\", e], [\"int\", e] or [\"real\", e]; a constant is [\"const\", \"int32\", 1]",
            )),
        };
    }
    for operand in operands {
        match (result, operand.ty) {
            (_, ScalarType::Integer) => {}
            (ScalarType::Integer, real) => result = real,
            (a, b) if a == b => {}
            _ => {
                return Err(Mismatch::new(
                    Rule::Operands,
                    format!("`{}` mixes real and real32", op.name()),
                    "convert one of them with [\"real\", e] or [\"real32\", e]",
                ));
            }
        }
    }
    Ok(result)
}

/// The help where a record stands for a value.
pub(crate) const NAME_FIELD: &str = "name a field of the record, [\".\", place, name], in text q.a";

/// The help where a pointer stands for a value.
pub(crate) const NAME_POINTED: &str = "name what the pointer points to, [\"deref\", p], in text p^";

fn wrong(op: Op, operand: Type, wanted: &str) -> Mismatch {
    let help = if operand.ty.record().is_some() {
        NAME_FIELD
    } else if operand.ty.pointer().is_some() {
        NAME_POINTED
    } else {
        "convert the operand with \"real\", \"real32\", \"int\" or \"logical\"; write a real constant as 1.0"
    };
    Mismatch::new(
        Rule::Operands,
        format!(
            "`{}` takes {wanted}, but an operand is {operand}",
            op.name()
        ),
        help,
    )
}

fn every(
    op: Op,
    operands: &[Type],
    wanted: &str,
    ok: impl Fn(ScalarType) -> bool,
) -> Result<(), Mismatch> {
    match operands.iter().find(|t| !ok(t.ty)) {
        None => Ok(()),
        Some(&operand) => Err(wrong(op, operand, wanted)),
    }
}

/// The real type to which the operands are converted; at least one of them must be real.
fn promote_real(op: Op, operands: &[Type]) -> Result<ScalarType, Mismatch> {
    let ty = promote(op, operands)?;
    if ty.is_real() {
        return Ok(ty);
    }
    Err(Mismatch::new(
        Rule::Operands,
        format!("`{}` takes reals, but all operands are integers", op.name()),
        "convert an operand with [\"real\", e]; write a real constant as 1.0",
    ))
}

/// The common rank of operands of an elemental operator.
fn common_rank(op: Op, operands: &[Type]) -> Result<usize, Mismatch> {
    let mut rank = 0;
    for operand in operands.iter().filter(|t| t.rank > 0) {
        if rank > 0 && operand.rank != rank {
            return Err(Mismatch::new(
                Rule::Conform,
                format!(
                    "operands of `{}` are arrays of rank {rank} and {}",
                    op.name(),
                    operand.rank
                ),
                "arrays in one elementwise operation have the same shape; scalars are broadcast",
            ));
        }
        rank = operand.rank;
    }
    Ok(rank)
}

/// The type of an operator applied to operands of these types. For inquiries, only the number of operands is checked
/// ([`type_of`] checks their names).
///
/// # Errors
/// The rule that the operands break.
pub fn apply(op: Op, operands: &[Type]) -> Result<Type, Mismatch> {
    let (least, most) = op.arity();
    if operands.len() < least || operands.len() > most {
        let number = match most {
            usize::MAX => format!("{least} or more operands"),
            1 => "1 operand".to_owned(),
            _ if least == most => format!("{least} operands"),
            _ => format!("{least} to {most} operands"),
        };
        return Err(Mismatch::new(
            Rule::Count,
            format!("`{}` takes {number}, not {}", op.name(), operands.len()),
            "give it the right number of operands",
        ));
    }
    match op.class() {
        OpClass::Elemental => Ok(Type {
            ty: elemental(op, operands)?,
            rank: common_rank(op, operands)?,
        }),
        OpClass::Reduction => {
            let operand = operands[0];
            let logical = matches!(op, Op::Any | Op::All);
            let fits = match operand.ty {
                ScalarType::Logical => logical,
                ScalarType::Real
                | ScalarType::Real32
                | ScalarType::Integer
                | ScalarType::Sized(_) => !logical,
                ScalarType::Tape | ScalarType::Record(_) | ScalarType::Pointer(_) => false,
            };
            if !fits || operand.rank == 0 {
                let wanted = if logical {
                    "an array of logicals"
                } else {
                    "an array of numbers"
                };
                return Err(wrong(op, operand, wanted));
            }
            Ok(Type::scalar(operand.ty))
        }
        OpClass::Pointer => pointers(op, operands),
        OpClass::Transformational => {
            let operand = operands[0];
            if op == Op::Fill {
                if operand.rank > 0 || !is_value(operand.ty) {
                    return Err(wrong(op, operand, "a scalar to fill with"));
                }
                let extent = |t: &&Type| t.rank > 0 || !t.ty.is_integer();
                if let Some(&bad) = operands[1..].iter().find(extent) {
                    return Err(wrong(op, bad, "extents that are integers"));
                }
                return Ok(Type {
                    ty: operand.ty,
                    rank: operands.len() - 1,
                });
            }
            let fits = if op == Op::Transpose {
                operand.rank == 2 && is_value(operand.ty)
            } else {
                operand.rank > 0 && operand.ty.is_real()
            };
            if !fits {
                let wanted = if op == Op::Transpose {
                    "an array of rank 2"
                } else {
                    "an array of reals"
                };
                return Err(wrong(op, operand, wanted));
            }
            Ok(operand)
        }
        OpClass::Inquiry => Ok(Type::scalar(if op == Op::Present {
            ScalarType::Logical
        } else {
            ScalarType::Integer
        })),
    }
}

/// Element type of an elemental operator's result.
fn elemental(op: Op, operands: &[Type]) -> Result<ScalarType, Mismatch> {
    use ScalarType as T;
    let is_number = |t: T| t.is_real() || t.is_integer();
    if let Some(to) = op.converts_to() {
        return match op.conversion() {
            Some((Conversion::Wrap, _)) => every(op, operands, "an integer", T::is_integer),
            Some((Conversion::To | Conversion::Saturate, _)) | None => {
                every(op, operands, "a number or a logical", |t| {
                    is_number(t) || t == T::Logical
                })
            }
        }
        .map(|()| to);
    }
    match op.info().operands {
        Operands::Numbers => promote(op, operands),
        Operands::MixedReals => promote_real(op, operands),
        Operands::Real => {
            every(op, operands, "a real", T::is_real)?;
            Ok(operands[0].ty)
        }
        Operands::Integers => {
            every(op, operands, "integers", T::is_integer)?;
            promote(op, operands)
        }
        Operands::Logicals => {
            every(op, operands, "logicals", |t| t == T::Logical)?;
            Ok(T::Logical)
        }
        Operands::Own => own(op, operands),
    }
}

/// Element type of the result of an elemental operator that takes types of its own, but for conversions.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "the types of all other operators are in their table"
)]
fn own(op: Op, operands: &[Type]) -> Result<ScalarType, Mismatch> {
    use ScalarType as T;
    match op {
        Op::Polygamma => {
            every(op, &operands[..1], "an integer first", |t| t == T::Integer)?;
            every(op, &operands[1..], "a real second", T::is_real)?;
            Ok(operands[1].ty)
        }
        Op::If => {
            every(op, &operands[..1], "a logical first", |t| t == T::Logical)?;
            match same_pointers(op, &operands[1..])? {
                Some(pointer) if operands[0].rank == 0 => Ok(T::Pointer(pointer)),
                Some(_) => Err(wrong(
                    op,
                    operands[0],
                    "one condition where it chooses pointers",
                )),
                None => same_or_promoted(op, &operands[1..]),
            }
        }
        Op::Eq | Op::Ne => {
            if same_pointers(op, operands)?.is_none() {
                same_or_promoted(op, operands)?;
            }
            Ok(T::Logical)
        }
        Op::Lt | Op::Le | Op::Gt | Op::Ge => {
            if same_pointers(op, operands)?.is_none() {
                promote(op, operands)?;
            }
            Ok(T::Logical)
        }
        Op::Trips => {
            every(op, operands, "integers", |t| t == T::Integer)?;
            Ok(T::Integer)
        }
        _ => promote(op, operands),
    }
}

/// The type of two logicals, or of numbers of which integers are converted.
fn same_or_promoted(op: Op, operands: &[Type]) -> Result<ScalarType, Mismatch> {
    if operands.iter().all(|t| t.ty == ScalarType::Logical) {
        return Ok(ScalarType::Logical);
    }
    promote(op, operands)
}

/// The type of an expression of at most [`Expr::MAX_DEPTH`] levels over these variables, in a program without records.
///
/// # Errors
/// The first rule that it breaks.
pub fn type_of(variables: &[Variable], e: &Expr) -> Result<Type, Mismatch> {
    type_in(&[], variables, e)
}

/// The type of an expression of at most [`Expr::MAX_DEPTH`] levels over these variables.
///
/// # Errors
/// The first rule that it breaks.
pub fn type_in(records: &[Record], variables: &[Variable], e: &Expr) -> Result<Type, Mismatch> {
    match e {
        Expr::Int(_) => Ok(Type::scalar(ScalarType::Integer)),
        Expr::Real(_) => Ok(Type::scalar(ScalarType::Real)),
        Expr::Real32(_) => Ok(Type::scalar(ScalarType::Real32)),
        Expr::Logical(_) => Ok(Type::scalar(ScalarType::Logical)),
        Expr::Null(pointer) => Ok(Type::scalar(ScalarType::Pointer(*pointer))),
        Expr::Addr(place) => address(place_type_in(records, variables, place)?),
        Expr::Place(place) => place_type_in(records, variables, place),
        Expr::Op(op, operands) => {
            let mut types = Vec::with_capacity(operands.len());
            for operand in operands {
                types.push(type_in(records, variables, operand)?);
            }
            let ty = apply(*op, &types)?;
            if op.class() == OpClass::Inquiry {
                inquiry(records, variables, *op, operands)?;
            }
            Ok(ty)
        }
    }
}

/// The variable that a place names.
fn variable(variables: &[Variable], v: VarId) -> Result<&Variable, Mismatch> {
    variables.get(v.index()).ok_or_else(|| {
        Mismatch::new(
            Rule::Variable,
            format!("there is no variable {v}"),
            "name a variable of the routine",
        )
    })
}

/// The type of a place in a program without records; subscripts are integer scalars, one per dimension.
///
/// # Errors
/// The first rule that it or one of its subscripts breaks.
pub fn place_type(variables: &[Variable], place: &Place) -> Result<Type, Mismatch> {
    place_type_in(&[], variables, place)
}

/// The type of a place. A field of an array of records is an array. Subscripts are integer scalars, one for each
/// dimension of the name before them.
///
/// # Errors
/// The first rule that it or one of its subscripts breaks.
pub fn place_type_in(
    records: &[Record],
    variables: &[Variable],
    place: &Place,
) -> Result<Type, Mismatch> {
    let var = variable(variables, place.var)?;
    if place.subscripts.is_empty() {
        return Ok(Type {
            ty: var.ty,
            rank: var.rank(),
        });
    }
    for e in place.subscript_exprs() {
        let ty = type_in(records, variables, e)?;
        if ty.rank > 0 || !ty.ty.is_integer() {
            return Err(Mismatch::new(
                Rule::Subscripts,
                format!("a subscript of {} is {ty}", var.name),
                "a subscript, and the bounds and stride of a section, are integer scalars",
            ));
        }
    }
    let (mut name, mut ty, mut rank, mut open) = (&var.name, var.ty, var.rank(), 0);
    for level in place.levels() {
        match level.part {
            Part::Variable => {}
            Part::Field(field) => {
                let record = ty.record().and_then(|r| records.get(r.index()));
                let Some(found) = record.and_then(|r| r.field(field)) else {
                    return Err(no_field(name, record, field));
                };
                (name, ty, rank) = (&found.name, found.ty, found.shape.len());
            }
            Part::Deref => {
                ty = through(name, Type { ty, rank: open }, level.subscripts)?;
                rank = 0;
                continue;
            }
        }
        let count = level.subscripts.len();
        if count != rank && count != 0 {
            return Err(Mismatch::new(
                Rule::Subscripts,
                format!(
                    "{name} has rank {rank}, but {count} subscript{}",
                    if count == 1 { "" } else { "s" }
                ),
                "write one subscript per dimension, or none for the whole array",
            ));
        }
        open += match count {
            0 => rank,
            _ => (level.subscripts.iter())
                .filter(|s| matches!(s, Subscript::Range(_)))
                .count(),
        };
    }
    Ok(Type { ty, rank: open })
}

fn no_field(name: &str, record: Option<&Record>, field: &str) -> Mismatch {
    let message = match record {
        Some(record) => format!("{name} is a {}, which has no field {field}", record.name),
        None => format!("{name} is no record, so it has no field {field}"),
    };
    Mismatch::new(
        Rule::Field,
        message,
        "name a field of the record; \"types\" of the program declares them",
    )
}

/// The rule that an inquiry asks about a named array and a constant dimension, or about an optional parameter.
pub(crate) fn inquiry(
    records: &[Record],
    variables: &[Variable],
    op: Op,
    operands: &[Expr],
) -> Result<(), Mismatch> {
    let problem = |message, help| Err(Mismatch::new(Rule::Inquiry, message, help));
    let Some(Expr::Place(place)) = operands.first() else {
        return problem(
            format!(
                "`{}` asks about something that is not a variable",
                op.name()
            ),
            "name an array, a section of one, or (`present`) an optional parameter",
        );
    };
    let var = variable(variables, place.var)?;
    if op == Op::Present {
        let optional = matches!(var.role, crate::ir::Role::Parameter { optional: true, .. });
        if !optional || !place.subscripts.is_empty() {
            return problem(
                format!(
                    "`present` asks about {}, which is not an optional parameter",
                    var.name
                ),
                "only the name of an optional parameter can be asked about",
            );
        }
        return Ok(());
    }
    let rank = place_type_in(records, variables, place)?.rank;
    if rank == 0 {
        return problem(
            format!(
                "`{}` asks about {}, which is a scalar there",
                op.name(),
                var.name
            ),
            "name an array or a section of one",
        );
    }
    match operands.get(1) {
        None => Ok(()),
        Some(&Expr::Int(k)) if k >= 1 && k as u64 <= rank as u64 => Ok(()),
        Some(Expr::Int(k)) => problem(
            format!(
                "`{}` asks for dimension {k} of {}, which has rank {rank}",
                op.name(),
                var.name
            ),
            "dimensions are numbered from 1",
        ),
        Some(_) => problem(
            format!(
                "`{}` asks for a dimension that is not a constant",
                op.name()
            ),
            "write the dimension as an integer constant",
        ),
    }
}
