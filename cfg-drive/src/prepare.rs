//! The way of a program from the reader to the derivatives: independents and dependents, a POINT's pointers, the flat
//! program, sizes.

use crate::{
    declare::declare,
    given::given,
    options::Options,
    same_as::{Joined, same_as},
    sizes::{give_sizes, size_result},
};
use cfg_core::{
    diagnostic::Diagnostics,
    entity::RoutineId,
    flat::Flat,
    validate::{ValidProgram, validate},
};
use cfg_transform::{flat, flatten, pools};

/// The text of a POINT.
#[derive(Clone, Copy, Debug)]
pub struct PointText<'t> {
    /// The name of the text in messages.
    pub name: &'t str,
    /// The JSON object.
    pub bytes: &'t [u8],
}

/// The wishes of a caller that decide which program is made.
#[derive(Clone, Copy, Debug)]
pub struct Wishes<'w> {
    /// The names of the independents; without them the program's own ([`declare()`](crate::declare())).
    pub independents: Option<&'w [String]>,
    /// The names of the dependents.
    pub dependents: Option<&'w [String]>,
    /// Extents, `NAME=EXPR`, that declarations leave open ([`give_sizes`]).
    pub sizes: &'w [String],
    /// Number of cells of a pool for the objects that pointers lead to ([`cfg_transform::pools`]).
    pub cells: usize,
    /// The POINT at which the program is run, which decides which global pointers are parameters, and which pointers
    /// lead where others do.
    pub point: Option<PointText<'w>>,
    /// True if the result of a function is to be declared with the extents that it has at the POINT
    /// ([`size_result`]), as derivatives need it.
    pub size_result: bool,
}

impl Default for Wishes<'_> {
    fn default() -> Self {
        Self {
            independents: None,
            dependents: None,
            sizes: &[],
            cells: pools::CELLS,
            point: None,
            size_result: false,
        }
    }
}

/// A flat program, ready to be differentiated or run.
#[derive(Clone, Debug)]
pub struct Prepared {
    /// The program.
    pub program: Flat,
    /// The entry routine: the wanted one, or its counterpart without pointers.
    pub routine: RoutineId,
    /// The parameters that the POINT gives by `same_as`: [`Options::same_as`].
    pub same_as: Vec<String>,
}

/// The flat program in which a routine of a valid program is differentiated or run as the caller wishes.
///
/// ```
/// use cfg_core::validate::validate;
/// use cfg_format::text;
/// use cfg_drive::{Adjoint, Options, PointText, Wishes, prepare};
///
/// let parsed = text::parse("
/// subroutine f(in ^real p, in integer n, out real y)
///   independent p
///   dependent y
///   local integer i
///   y := 0.0
///   for i = 1, n
///     y := y + p^[i - 1]*p^[i - 1]
///   end
/// end
/// ");
/// let program = validate(parsed.program.ok_or(parsed.problems)?)?;
/// let f = program.find_routine("f").expect("it is there");
/// let bytes = br#"{"p": [1, 2, 3], "n": 3}"#;
/// let point = PointText { name: "here", bytes };
/// let wishes = Wishes { point: Some(point), size_result: true, ..Wishes::default() };
/// let ready = prepare(program, f, &wishes, &Options::default())?;
///
/// let mut adjoint = Adjoint::new(&ready.program, ready.routine, &Options::default())?;
/// let point = adjoint.read_point(bytes)?;
/// let gradient = adjoint.gradient(&point, &adjoint.default_seed(&point)?)?.gradient;
/// assert_eq!(gradient[0].1.to_f64s(), Some(vec![2.0, 4.0, 6.0]));
/// # Ok::<(), cfg_core::diagnostic::Diagnostics>(())
/// ```
///
/// # Errors
/// A name is unknown; the POINT has problems; a pointer has no counterpart in a flat program (M504); the run that
/// finds the extents of a result fails.
pub fn prepare(
    program: ValidProgram,
    routine: RoutineId,
    wishes: &Wishes<'_>,
    options: &Options,
) -> Result<Prepared, Diagnostics> {
    let program = declared(program, routine, wishes)?;
    let (program, routine, joined) = match &wishes.point {
        None => (program, routine, Joined::default()),
        Some(point) => {
            let read = || {
                let (program, routine) = given(program, routine, point.bytes, options)?;
                let joined = same_as(&program, routine, point.bytes, options)?;
                Ok((program, routine, joined))
            };
            read().map_err(|problems| in_text(point.name, problems))?
        }
    };
    let how = flat::Options {
        cells: wishes.cells,
        same_as: &joined.pointers,
    };
    let made = flatten(program, &[routine], &how)?;
    // `flatten` returns as many heads as it gets, here one.
    let routine = made.heads[0];
    let program = sized(made.program, routine, wishes, (&joined.names, options))?;
    Ok(Prepared {
        program,
        routine,
        same_as: joined.names,
    })
}

/// The program with the independents and dependents that are wished for.
fn declared(
    program: ValidProgram,
    routine: RoutineId,
    wishes: &Wishes<'_>,
) -> Result<ValidProgram, Diagnostics> {
    if wishes.independents.is_none() && wishes.dependents.is_none() {
        return Ok(program);
    }
    let mut program = program.into_program();
    declare(
        &mut program,
        routine,
        wishes.independents,
        wishes.dependents,
    )?;
    validate(program)
}

/// The program with the extents that are given, and those that the result has at the point.
fn sized(
    program: Flat,
    routine: RoutineId,
    wishes: &Wishes<'_>,
    (same_as, options): (&[String], &Options),
) -> Result<Flat, Diagnostics> {
    let program = match &wishes.point {
        Some(point) if wishes.size_result => {
            let options = Options {
                same_as: same_as.to_vec(),
                ..options.clone()
            };
            size_result(program, routine, &options, |primal| {
                let read = primal.read_point(point.bytes);
                read.map_err(|problems| in_text(point.name, problems))
            })?
        }
        Some(_) | None => program,
    };
    match wishes.sizes {
        [] => Ok(program),
        sizes => flat::change_grouped(program, |program| give_sizes(program, routine, sizes)),
    }
}

/// Problems of a POINT, a SEED or a direction, with the name of the text in their places.
pub fn in_text(name: &str, mut problems: Diagnostics) -> Diagnostics {
    for problem in &mut problems.0 {
        if problem.at.pointer.is_some() || problem.at.line.is_some() {
            problem.at.file = Some(name.to_owned());
        }
    }
    problems
}
