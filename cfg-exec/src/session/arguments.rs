//! Arguments of the host: their shapes, whether they fit the parameters, and their way into memory.

use cfg_core::{
    diagnostic::Diagnostic,
    entity::{RoutineId, VarId},
    ir::{Dim, Extent, Role, ScalarType},
};

use super::{Session, known::Known};
use crate::{
    compile::{Signature, element_name},
    descriptor::{self, Axis},
    evaluate::integer,
    fault::{ARGUMENT, Fault},
    machine::{Incoming, Machine},
    tape::Tape,
    value::{Argument, Value},
};

fn problem(message: String, help: &str, signature: &Signature) -> Box<Diagnostic> {
    Box::new(
        Diagnostic::error(&ARGUMENT, message, help).at_element(element_name(
            &signature.name,
            None,
            None,
        )),
    )
}

impl Session {
    /// The shape that an array parameter has with these arguments, of which unknown ones are absent.
    /// Empty for a scalar.
    ///
    /// # Errors
    /// The declared extents cannot be computed from the arguments.
    pub fn shape_of_parameter(
        &self,
        routine: RoutineId,
        parameter: VarId,
        arguments: &[Argument],
    ) -> Result<Vec<usize>, Box<Diagnostic>> {
        let signature = &self.compiled.inner.signatures[routine.index()];
        let known = Known {
            signature,
            arguments,
            session: self,
            left: (16, 100_000).into(),
        };
        let variable = &signature.variables[parameter.index()];
        variable
            .shape
            .iter()
            .map(|dim| match &dim.extent {
                Extent::Fixed(e) => usize::try_from(integer(e, &known)?.max(0)).ok(),
                Extent::Deferred => None,
            })
            .collect::<Option<_>>()
            .ok_or_else(|| {
                problem(
                    format!(
                        "the shape of '{}' cannot be computed from the other arguments",
                        variable.name
                    ),
                    "give its value",
                    signature,
                )
            })
    }

    /// An uninitialised argument for an `out` parameter whose shape follows from the other arguments.
    ///
    /// # Errors
    /// The shape does not follow from the arguments, or is too large.
    pub fn uninitialised_argument(
        &self,
        routine: RoutineId,
        parameter: VarId,
        arguments: &[Argument],
    ) -> Result<Argument, Box<Diagnostic>> {
        let signature = &self.compiled.inner.signatures[routine.index()];
        let variable = &signature.variables[parameter.index()];
        if variable.ty == ScalarType::Tape {
            return Ok(Argument::Tape(Tape::default()));
        }
        let shape = self.shape_of_parameter(routine, parameter, arguments)?;
        Value::uninitialised(variable.ty, &shape, variable.order)
            .map(Argument::Value)
            .ok_or_else(|| {
                problem(
                    format!("'{}' of shape {shape:?} is too large", variable.name),
                    "use smaller extents",
                    signature,
                )
            })
    }

    /// Checks that arguments fit the parameters.
    pub(super) fn check_arguments(
        &self,
        routine: RoutineId,
        signature: &Signature,
        arguments: &[Argument],
    ) -> Result<(), Box<Diagnostic>> {
        if arguments.len() != signature.parameters.len() {
            return Err(problem(
                format!(
                    "'{}' takes {} arguments, not {}",
                    signature.name,
                    signature.parameters.len(),
                    arguments.len()
                ),
                "give one argument per parameter",
                signature,
            ));
        }
        for (&p, argument) in signature.parameters.iter().zip(arguments) {
            let variable = &signature.variables[p.index()];
            let name = &variable.name;
            let wrong = |what: String| {
                let help = "give a value of the declared type and shape";
                problem(format!("'{name}' {what}"), help, signature)
            };
            match argument {
                Argument::Absent => {
                    if !matches!(variable.role, Role::Parameter { optional: true, .. }) {
                        return Err(wrong("is missing".to_owned()));
                    }
                }
                Argument::Tape(_) => {
                    if variable.ty != ScalarType::Tape {
                        return Err(wrong("is not a tape".to_owned()));
                    }
                }
                Argument::Value(value) => {
                    if value.ty() != variable.ty {
                        return Err(wrong(format!(
                            "is {}, not {}",
                            variable.ty.name(),
                            value.ty().name()
                        )));
                    }
                    if value.shape().len() != variable.rank() {
                        return Err(wrong(format!(
                            "has rank {}, but a value of rank {} is given",
                            variable.rank(),
                            value.shape().len()
                        )));
                    }
                    let deferred = variable
                        .shape
                        .iter()
                        .any(|d| matches!(d.extent, Extent::Deferred));
                    let known = Known {
                        signature,
                        arguments,
                        session: self,
                        left: (16, 100_000).into(),
                    };
                    let mut extents = variable.shape.iter().zip(value.shape());
                    let fits = |(dim, given): (&Dim, &usize)| match &dim.extent {
                        Extent::Fixed(e) => {
                            let declared = integer(e, &known).map(|n| usize::try_from(n.max(0)));
                            declared == Some(Ok(*given))
                        }
                        Extent::Deferred => true,
                    };
                    if variable.rank() > 0 && !deferred && !extents.all(fits) {
                        let shape = self.shape_of_parameter(routine, p, arguments)?;
                        if shape != value.shape() {
                            return Err(wrong(format!(
                                "has shape {shape:?}, but a value of shape {:?} is given",
                                value.shape()
                            )));
                        }
                    }
                }
            }
        }
        Ok(())
    }
}

/// Arguments in memory.
#[derive(Default)]
pub(super) struct Entry {
    pub(super) incoming: Vec<Incoming>,
    /// The axes of all arrays, one array after another.
    pub(super) axes: Vec<Axis>,
    /// The first cells of values.
    pub(super) homes: Vec<Option<usize>>,
}

/// Puts arguments into memory.
pub(super) fn load(
    machine: &mut Machine,
    signature: &Signature,
    arguments: &mut [Argument],
    entry: &mut Entry,
) -> Result<(), Fault> {
    let Entry {
        incoming,
        axes,
        homes,
    } = entry;
    incoming.clear();
    axes.clear();
    homes.clear();
    for (k, argument) in arguments.iter_mut().enumerate() {
        let variable = signature.parameter(k);
        let mut home = None;
        incoming.push(match argument {
            Argument::Absent => Incoming::Absent,
            Argument::Tape(tape) => {
                let adopted = machine.meter.adopt(tape);
                adopted.map_err(|_| machine.too_big())?;
                machine.tapes.push(std::mem::take(tape));
                Incoming::Cell(machine.tapes.len() as u64 - 1)
            }
            Argument::Value(value) => {
                let at = machine.top;
                let top = at as u64 + value.len() as u64;
                machine.reserve(top)?;
                machine.top = top as usize;
                home = Some(at);
                value.put(variable.order, &mut machine.memory[at..top as usize]);
                if variable.rank() > 0 {
                    let first = axes.len();
                    axes.extend(value.shape().iter().map(|&extent| Axis {
                        lower: 1,
                        extent: extent as i64,
                        stride: 0,
                    }));
                    if descriptor::lay_out(&mut axes[first..], variable.order).is_none() {
                        return Err(machine.too_big());
                    }
                    Incoming::Array {
                        base: at as u64,
                        axes: (first, variable.rank()),
                        order: variable.order,
                    }
                } else if signature.by_address[k] {
                    Incoming::Cell(at as u64)
                } else {
                    Incoming::Cell(value.cells[0])
                }
            }
        });
        homes.push(home);
    }
    Ok(())
}
