//! The back ends.

use crate::back_end::{
    BackEnd, Derivative, Help, Subject, Subjects, TextWriter, WriteOptions, Writer,
};
use cfg_back::{c, dot};
use cfg_core::diagnostic::{CodeInfo, Diagnostics};
use cfg_core::entity::{GlobalId, RoutineId};
use cfg_core::flat::{Flat, Provenance, refuse_pointers};
use cfg_core::ir::Program;
use cfg_core::validate::validate;
use cfg_reverse::{Count, Directions, InDirections};
use cfg_transform::{flat, flatten};
use std::borrow::Cow;
use std::io;

fn help(order: u8, about: &'static str) -> Option<Help> {
    Some(Help { order, about })
}

/// The program format in JSON.
#[derive(Debug)]
pub(crate) struct Json;

impl BackEnd for Json {
    fn name(&self) -> &'static str {
        "json"
    }

    fn help(&self, _: Subjects) -> Option<Help> {
        help(0, "The program format cfgrev/1")
    }

    fn extension(&self, _: &WriteOptions) -> &'static str {
        "json"
    }

    fn writer<'p>(
        &self,
        subject: Subject<'p>,
        options: &WriteOptions,
    ) -> Result<Writer<'p>, Diagnostics> {
        let program = with_directions(subject, options)?;
        Ok(Box::new(move |out| cfg_format::json::write(&program, out)))
    }
}

/// The text form.
#[derive(Debug)]
pub(crate) struct Text;

impl BackEnd for Text {
    fn name(&self) -> &'static str {
        "text"
    }

    fn help(&self, _: Subjects) -> Option<Help> {
        help(2, "The readable text form")
    }

    fn extension(&self, _: &WriteOptions) -> &'static str {
        "txt"
    }

    fn writer<'p>(
        &self,
        subject: Subject<'p>,
        options: &WriteOptions,
    ) -> Result<Writer<'p>, Diagnostics> {
        let program = with_directions(subject, options)?;
        Ok(Box::new(move |out| {
            TextWriter::run(out, |out| cfg_core::text::program(out, &program))
        }))
    }
}

/// Pictures in the language of Graphviz.
#[derive(Debug)]
pub(crate) struct Dot;

impl BackEnd for Dot {
    fn name(&self) -> &'static str {
        "dot"
    }

    fn help(&self, of: Subjects) -> Option<Help> {
        match of {
            Subjects::Programs => help(2, "A picture for Graphviz, as `cfgrev dot` prints it"),
            Subjects::Reversals => help(1, "Pictures for Graphviz"),
            Subjects::Tangents => None,
        }
    }

    fn extension(&self, _: &WriteOptions) -> &'static str {
        "dot"
    }

    fn is_picture(&self) -> bool {
        true
    }

    fn writer<'p>(
        &self,
        subject: Subject<'p>,
        options: &WriteOptions,
    ) -> Result<Writer<'p>, Diagnostics> {
        let picture = options.picture;
        Ok(Box::new(move |out| match subject.drawn {
            Some(routine) => TextWriter::run(out, |out| {
                dot::write_cfg(out, &subject.program, routine, &picture)
            }),
            None => Ok(()),
        }))
    }
}

/// XAIF, the exchange format of OpenAD.
#[derive(Debug)]
pub(crate) struct Xaif;

impl BackEnd for Xaif {
    fn name(&self) -> &'static str {
        "xaif"
    }

    fn help(&self, _: Subjects) -> Option<Help> {
        help(3, "XAIF, the exchange format of OpenAD")
    }

    fn extension(&self, _: &WriteOptions) -> &'static str {
        "xaif"
    }

    fn writer<'p>(
        &self,
        subject: Subject<'p>,
        options: &WriteOptions,
    ) -> Result<Writer<'p>, Diagnostics> {
        let program = with_directions(subject, options)?;
        Ok(Box::new(move |out| {
            if !program.has_record_variables() {
                return cfg_front::xaif::write_xaif(&program, out);
            }
            // XAIF has no records: they are split into a variable for each field.
            let valid = validate(program.into_owned());
            let split = valid.and_then(|valid| cfg_transform::records::split(&valid));
            let split = split.map_err(io::Error::other)?;
            cfg_front::xaif::write_xaif(split.program(), out)
        }))
    }
}

/// C99.
#[derive(Debug)]
pub(crate) struct C;

impl BackEnd for C {
    fn name(&self) -> &'static str {
        "c"
    }

    fn help(&self, of: Subjects) -> Option<Help> {
        match of {
            Subjects::Programs => help(4, "C99: each routine a function"),
            Subjects::Reversals | Subjects::Tangents => {
                help(4, "C99: functions to compile into a program")
            }
        }
    }

    fn extension(&self, options: &WriteOptions) -> &'static str {
        match options.c.header {
            true => "h",
            false => "c",
        }
    }

    fn codes(&self) -> &'static [CodeInfo] {
        c::codes::CODES
    }

    fn is_code(&self) -> bool {
        true
    }

    fn writer<'p>(
        &self,
        subject: Subject<'p>,
        options: &WriteOptions,
    ) -> Result<Writer<'p>, Diagnostics> {
        let program = subject.program.into_owned();
        let text = match subject.derivative {
            None => {
                let valid = validate(program)?;
                refuse_pointers(&valid)?;
                let flat = flatten(valid, &[], &flat::Options::default())?.program;
                c::program_with(&flat, options.c)?
            }
            Some(Derivative::Reversal(of)) => {
                let (mut sweeps, globals) = of_derivative(&Derivative::Reversal(of));
                let apart = of.apart.map(|of| [of.forward, of.reverse, of.gradient]);
                sweeps.extend(apart.iter().flat_map(|of| &of[1..]));
                let made = of.sweeps.iter().flat_map(|&(_, f, r)| [f, r]);
                let made = made.chain([of.gradient]);
                let heads = [of.forward, of.reverse, of.gradient];
                let program = as_code(
                    program,
                    made,
                    (&heads, apart.as_ref().map(|a| &a[..])),
                    options,
                );
                let (program, several) = flat_with(program, &sweeps, &globals, options)?;
                let (several, of_apart) = several.split_at(several.len().min(2));
                let apart = apart.as_ref().map(|routines| c::Apart {
                    routines,
                    several: of_apart.try_into().ok(),
                });
                let several: Option<&[_; 2]> = several.try_into().ok();
                let routines = c::Adjoint {
                    original: of.original,
                    forward: of.forward,
                    reverse: of.reverse,
                    gradient: of.gradient,
                };
                c::adjoint_in_versions(&program, routines, several, apart, options.c)?
            }
            Some(Derivative::Tangent(of)) => {
                let (mut routines, globals) = of_derivative(&Derivative::Tangent(of));
                routines.extend(of.apart);
                let made = of.pairs.iter().map(|&(_, t)| t);
                let apart = of.apart.as_ref().map(std::slice::from_ref);
                let program = as_code(program, made, (&[of.tangent], apart), options);
                let (program, several) = flat_with(program, &routines, &globals, options)?;
                let (several, of_apart) = several.split_at(several.len().min(1));
                let apart = of.apart.as_ref().map(|routine| c::Apart {
                    routines: std::slice::from_ref(routine),
                    several: of_apart.try_into().ok(),
                });
                let routines = (of.original, of.tangent);
                c::tangent_in_versions(&program, routines, several.first(), apart, options.c)?
            }
        };
        Ok(Box::new(move |out| out.write_all(text.as_bytes())))
    }
}

/// The program without unused parameters of the `made` routines; with checks these are checked, too. The `heads` are
/// called from other files, and so are those of the other version.
fn as_code(
    program: Program,
    made: impl Iterator<Item = RoutineId>,
    (heads, apart): (&[RoutineId], Option<&[RoutineId]>),
    options: &WriteOptions,
) -> Program {
    let Some(first) = made.min().filter(|_| !options.c.checks) else {
        return program;
    };
    let apart = apart.unwrap_or_default();
    let all = [heads, apart].concat();
    let versions: Vec<_> = heads.iter().copied().zip(apart.iter().copied()).collect();
    cfg_reverse::without_unused_parameters(program, first, &all, &versions)
}

/// The routines of a derivative that there may be in several directions, and the derivatives of globals.
fn of_derivative(derivative: &Derivative<'_>) -> (Vec<RoutineId>, Vec<GlobalId>) {
    let (routines, pairs) = match derivative {
        Derivative::Reversal(of) => (vec![of.reverse, of.gradient], &of.adjoint_globals),
        Derivative::Tangent(of) => (vec![of.tangent], &of.tangent_globals),
    };
    (routines, pairs.iter().map(|(_, g)| *g).collect())
}

/// The program, of a derivative with the routines in several directions that the options ask for. These have a variable
/// for each field of a record, so the program has, too.
fn with_directions<'p>(
    subject: Subject<'p>,
    options: &WriteOptions,
) -> Result<Cow<'p, Program>, Diagnostics> {
    let (Some(count), Some(derivative)) = (options.directions, &subject.derivative) else {
        return Ok(subject.program);
    };
    let (routines, globals) = of_derivative(derivative);
    let program = subject.program.into_owned();
    let (program, ..) = in_directions(program, &routines, &globals, count)?;
    Ok(Cow::Owned(validate(program)?.into_program()))
}

/// The program without records, and with the routines in several directions; where it came from.
fn in_directions(
    program: Program,
    routines: &[RoutineId],
    globals: &[GlobalId],
    count: Directions,
) -> Result<(Program, Vec<InDirections>, Provenance), Diagnostics> {
    let flat = flatten(validate(program)?, &[], &flat::Options::default())?.program;
    let parts = flat.records().map(|(_, parts)| &parts.globals);
    let parts = |&g: &GlobalId| match parts.and_then(|parts| parts.get(g.index())) {
        Some(parts) => parts.clone(),
        None => vec![g],
    };
    let globals: Vec<GlobalId> = globals.iter().flat_map(parts).collect();
    let provenance = flat.provenance().clone();
    let (program, made) =
        cfg_reverse::directions(flat.program().clone(), routines, &globals, count)?;
    Ok((program, made, provenance))
}

/// The flat program; with `directions`, the functions of these derivatives for several directions are added.
fn flat_with(
    program: Program,
    routines: &[RoutineId],
    globals: &[GlobalId],
    options: &WriteOptions,
) -> Result<(Flat, Vec<c::Several>), Diagnostics> {
    // Code is not differentiated again.
    let skipped = |program| match options.c.checks {
        true => program,
        false => cfg_reverse::skip_idle_loops(program),
    };
    let Some(count) = options.directions else {
        let program = validate(skipped(program))?;
        let flat = flatten(program, &[], &flat::Options::default())?.program;
        return Ok((flat, Vec::new()));
    };
    let (program, made, provenance) = in_directions(program, routines, globals, count)?;
    let of = |made: InDirections| c::Several {
        routine: made.routine,
        count: match made.count {
            Count::Parameter(p) => c::Count::Parameter(p),
            Count::Fixed(n) => c::Count::Fixed(n.get()),
        },
        globals: made.globals,
    };
    let flat = Flat::made(validate(skipped(program))?, provenance)?;
    Ok((flat, made.into_iter().map(of).collect()))
}
