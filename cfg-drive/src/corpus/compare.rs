//! The comparison of one program with its reference: Jacobians, stacks and order of visits, and the verdict.

use super::measure::{absolute_size, distance, error, relative, worse};
use super::point::point;
use super::{Entry, Expected, Status, TOLERANCE, TOLERANCE_REAL32, extents, unsupported};
use crate::{
    Adjoint, Jacobian, Mode, Options, Primal, declare::declare, extract::extract,
    jacobian::jacobian, single_precision::has_real32, slot::Slot,
};
use cfg_core::{
    diagnostic::Diagnostics,
    entity::RoutineId,
    flat::{Flat, refuse_pointers},
    ir::{Expr, Extent, Program},
    validate::validate,
};
use cfg_transform::{flat, flatten};

/// Compares the Jacobians of a program with each other and with the reference.
pub(super) fn compare(
    name: &str,
    mut program: Program,
    expected: Option<&Expected>,
    options: &Options,
) -> Result<Entry, Diagnostics> {
    let mut entry = unsupported(name, expected, String::new());
    let Some(main) = program.main else {
        "no top routine".clone_into(&mut entry.why);
        return Ok(entry);
    };
    // Routines that the top routine does not need are dropped: they may be unsupported.
    program = extract(&program, main);
    let main = program.main.unwrap_or(main);
    if let Some(e) = expected {
        extents::assume(&mut program, main, e.n, e.m);
    }
    let rows = choose(&mut program, main)?;
    let chosen = matches!(rows, Rows::Named);
    let valid = validate(program)?;
    // A POINT of a corpus has no objects.
    refuse_pointers(&valid)?;
    let program = flatten(valid, &[main], &flat::Options::default())?.program;
    let tolerance = if has_real32(&program) {
        TOLERANCE_REAL32
    } else {
        TOLERANCE
    };
    let reference = expected
        .filter(|e| !e.own_driver)
        .and_then(|e| e.jacobian.as_ref().map(|j| (e.n, e.m, j)));
    if let Rows::Constant(rows) = rows {
        // The output is not real: its derivative is 0.
        let found = reference.and_then(|(_, m, j)| (m == rows).then(|| error(&[], 0, j)));
        entry.error = found;
        entry.status = match found {
            Some(e) if e <= TOLERANCE => Status::Agrees,
            Some(_) => Status::Differs,
            None => Status::NoReference,
        };
        if entry.status != Status::Agrees {
            "the output is not real: its derivative is 0".clone_into(&mut entry.why);
        }
        return Ok(entry);
    }
    let by = |mode| {
        jacobian(
            &program,
            main,
            options,
            |p| point(p, &program, main),
            Some(mode),
        )
    };
    let adjoint = by(Mode::Adjoint)?;
    let tangent = by(Mode::Tangent)?;
    inspect(&mut entry, &program, main, options)?;
    let width: usize = adjoint.columns.iter().map(|c| c.1).sum();
    let height: usize = adjoint.rows.iter().map(|r| r.1).sum();
    // A driver may pass a longer array than the formal: nothing depends on the surplus.
    let fits = reference
        .filter(|&(n, m, _)| n == width && m == height || chosen && n >= width && m >= height);
    if let Some((_, _, j)) = fits {
        let by_adjoint = error(&adjoint.entries, width, j);
        let by_tangent = error(&tangent.entries, width, j);
        entry.adjoint = Some(by_adjoint);
        entry.tangent = Some(by_tangent);
        entry.error = Some(worse(by_adjoint, by_tangent));
    } else if adjoint
        .entries
        .iter()
        .chain(&tangent.entries)
        .all(|x| x.is_finite())
    {
        let (gap, size) = distance(&adjoint.entries, &tangent.entries);
        let mut between = relative(gap, size);
        if between > tolerance {
            // Terms may have cancelled: rounding is small relative to their absolute values.
            between = relative(gap, absolute_size(&program, main, options)?.max(size));
        }
        entry.adjoint = Some(between);
        entry.error = Some(between);
    }
    (entry.status, entry.why) = verdict(&entry, expected, fits.is_some(), &adjoint, tolerance);
    Ok(entry)
}

/// The status that follows from the figures of an entry, and the reason.
fn verdict(
    entry: &Entry,
    expected: Option<&Expected>,
    compared: bool,
    jacobian: &Jacobian,
    tolerance: f64,
) -> (Status, String) {
    let differs = |why: &str| (Status::Differs, why.to_owned());
    match entry.error {
        Some(e) if e <= tolerance => {}
        None => {
            let why = "the derivatives are not finite at the general point";
            return (Status::NoReference, why.to_owned());
        }
        Some(e) => {
            let other = if compared {
                "the reference"
            } else {
                "each other"
            };
            let why = format!("{}: {e:.1e} against {other}", lengths(jacobian));
            return (Status::Differs, why);
        }
    }
    if entry.stacks == Some(false) {
        return differs("the stack checker objects");
    }
    if entry.order == Some(false) {
        return differs("the reverse sweep does not visit in reverse order");
    }
    if compared {
        return (Status::Agrees, String::new());
    }
    let reason = match expected {
        None => "not in expected.jsonl".to_owned(),
        Some(e) if e.own_driver => "driven by code of its own".to_owned(),
        Some(e) if e.jacobian.is_none() => "no reliable reference".to_owned(),
        Some(e) => format!(
            "{}, but the reference has {} rows and {} columns",
            lengths(jacobian),
            e.m,
            e.n
        ),
    };
    let why = format!("{reason}; adjoint and tangent agree");
    (Status::NoReference, why)
}

fn lengths(jacobian: &Jacobian) -> String {
    let list = |of: &[(String, usize)]| {
        let names: Vec<String> = of.iter().map(|(n, k)| format!("{n} ({k})")).collect();
        names.join(", ")
    };
    format!("d[{}]/d[{}]", list(&jacobian.rows), list(&jacobian.columns))
}

/// The variables that are the rows of the Jacobian.
enum Rows {
    /// `y`, with respect to `x`.
    Named,
    /// The dependents that the front end found.
    Found,
    /// Elements that are not real, this many.
    Constant(usize),
}

/// Chooses `x` and `y` where they exist.
fn choose(program: &mut Program, main: RoutineId) -> Result<Rows, Diagnostics> {
    let find = |name: &str| {
        let routine = program.routine(main);
        let slot = Slot::find(program, routine, name)?;
        let variable = slot.variable(program, routine)?;
        let mut size = 1usize;
        for dim in &variable.shape {
            match dim.extent {
                Extent::Fixed(Expr::Int(n)) => {
                    size = size.checked_mul(usize::try_from(n).ok()?)?;
                }
                Extent::Fixed(_) | Extent::Deferred => return None,
            }
        }
        Some((variable.ty, size))
    };
    if let (Some((x, _)), Some((y, size))) = (find("x"), find("y"))
        && x.is_real()
    {
        let name = |n: &str| [n.to_owned()];
        if !y.is_real() {
            return Ok(Rows::Constant(size));
        }
        declare(program, main, Some(&name("x")), Some(&name("y")))?;
        return Ok(Rows::Named);
    }
    Ok(Rows::Found)
}

/// Stacks and order of visits, with separate and with merged blocks.
fn inspect(
    entry: &mut Entry,
    program: &Flat,
    main: RoutineId,
    options: &Options,
) -> Result<(), Diagnostics> {
    let (mut stacks, mut order) = (true, true);
    for merge in [false, true] {
        let mut options = options.clone();
        options.reversal.merge = merge;
        options.trace = true;
        let mut adjoint = Adjoint::new(program, main, &options)?;
        let found = tape_check::check_program(adjoint.program()).problems;
        stacks &= !found.has_errors();
        let primal = Primal::new(program, main, &options)?;
        let point = point(&primal, program, main)?;
        let seed = adjoint.dependents_at(&point)?;
        let run = adjoint.gradient(&point, &seed)?;
        stacks &= run.tapes_are_empty;
        order &= run.mirrored == Some(true);
        if !merge {
            entry.tape = run.tape;
        }
    }
    entry.stacks = Some(stacks);
    entry.order = Some(order);
    Ok(())
}
