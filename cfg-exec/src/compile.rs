//! Compilation of a valid program to register code.

mod array;
mod emit;
mod expr;
mod flow;
mod globals;
mod place;
mod prologue;
mod stmt;
mod storage;

use std::{collections::BTreeMap, fmt, sync::Arc};

use cfg_core::{
    diagnostic::{
        Diagnostic, Diagnostics,
        site::{Element, Site},
    },
    elemental::{self, Binary, Math, Unary},
    entity::{RoutineId, VarId, VertexId},
    flat::Flat,
    ir::{Intent, Op, Place, Program, Routine, ScalarType, StmtKind, Variable},
    random::{fingerprint, mix},
    structure::Structure,
};

use cfg_transform::lower::{Convention, Conventions, Pass};

use crate::{
    code::{Callback, Code, Ext, Instr},
    fault::Fault,
    machine::{Engine, Image, MathTable, Native},
    restart::HandOver,
};
use emit::{Emitter, Value};
pub(crate) use globals::Globals;

/// A value, or the reason why the executor does not run the program.
type Compiling<T> = Result<T, Box<Diagnostic>>;

/// The options by which a program is compiled.
#[derive(Clone, Default)]
pub struct CompileOptions {
    /// The implementation of the elementary functions that is used.
    pub math: Math,
    /// Record the vertices that runs visit. Costs an instruction for each.
    pub trace: bool,
    /// Report kinks and singular points that runs come across. Costs an instruction for each
    /// operation that has one.
    pub events: bool,
    /// Functions of the host that stand for external routines, by name: from real scalar arguments to a real result.
    pub callbacks: BTreeMap<String, Callback>,
    /// The compiler to machine code, which does not change what runs do. Not used while vertices are recorded.
    pub engine: Option<Arc<dyn Engine>>,
}

impl fmt::Debug for CompileOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CompileOptions")
            .field("math", &self.math)
            .field("trace", &self.trace)
            .field("events", &self.events)
            .field("callbacks", &self.callbacks.keys())
            .field("engine", &self.engine.is_some())
            .finish()
    }
}

/// The declarations of a routine that the host needs besides its code.
#[derive(Clone, Debug)]
pub(crate) struct Signature {
    pub(crate) name: String,
    pub(crate) variables: Vec<Variable>,
    pub(crate) parameters: Vec<VarId>,
    /// The position of each variable among the parameters.
    pub(crate) positions: Vec<Option<usize>>,
    pub(crate) result: Option<Variable>,
    /// True for each parameter whose argument is passed as a cell's address.
    pub(crate) by_address: Vec<bool>,
    /// The id of each vertex, and that of the vertex it was made from.
    pub(crate) vertex_ids: Vec<(i64, i64)>,
}

/// A compiled program. Cloning it is cheap; any number of [`Session`](crate::Session)s can run it.
#[derive(Clone)]
pub struct Compiled {
    pub(crate) inner: Arc<Inner>,
}

pub(crate) struct Inner {
    pub(crate) image: Image,
    pub(crate) globals: Globals,
    pub(crate) global_variables: Vec<Variable>,
    pub(crate) signatures: Vec<Signature>,
    pub(crate) trace: bool,
    pub(crate) math: Math,
    pub(crate) native: Option<Box<dyn Native>>,
}

impl fmt::Debug for Compiled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Compiled")
            .field("routines", &self.inner.image.names)
            .finish_non_exhaustive()
    }
}

/// The place of a vertex or statement in the program's own words.
pub(crate) fn element_name(routine: &str, vertex: Option<i64>, statement: Option<u32>) -> String {
    use fmt::Write as _;
    let mut text = format!("routine {routine}");
    if let Some(id) = vertex {
        let _ = write!(text, ", vertex {id}");
    }
    if let Some(k) = statement {
        let _ = write!(text, ", statement {}", u64::from(k) + 1);
    }
    text
}

/// The error of a run that ends at a STOP; `None` if there is no STOP at this place.
pub fn stopped(
    program: &Program,
    routine: RoutineId,
    vertex: VertexId,
    statement: usize,
) -> Option<Diagnostic> {
    let of = program.routines.get(routine.index())?;
    let (_, at) = of.body.as_ref()?.vertices().nth(vertex.index())?;
    let StmtKind::Stop { text } = &at.statements().get(statement)?.kind else {
        return None;
    };
    let element = element_name(&of.name, Some(at.id), u32::try_from(statement).ok());
    let site = Site::whole(routine, Element::Statement(vertex, statement));
    let diagnostic = Fault::Stop(text.clone()).diagnostic(&|_| None);
    Some(diagnostic.at_element(element).at_site(site))
}

fn element(
    program: &Program,
    routine: RoutineId,
    vertex: Option<VertexId>,
    statement: Option<u32>,
) -> String {
    let routine = program.routine(routine);
    let id = vertex.and_then(|v| Some(routine.body.as_ref()?.vertex(v).id));
    element_name(&routine.name, id, statement)
}

impl Compiled {
    /// Compiles all routines of a program.
    ///
    /// # Errors
    /// A routine is too large for the executor, or has one of the few forms that it does not run.
    pub fn new(program: &Flat, options: &CompileOptions) -> Result<Self, Diagnostics> {
        let globals = Globals::new(program, options.math).map_err(|d| Diagnostics::from(*d))?;
        let conventions = Conventions::decide(program);
        let mut problems = Diagnostics::default();
        let mut routines = Vec::with_capacity(program.routines.len());
        let mut callbacks = Vec::new();
        let mut callback_arity = Vec::new();
        for (k, routine) in program.routines.iter().enumerate() {
            let id = RoutineId::new(k);
            let callback = routine
                .body
                .is_none()
                .then(|| options.callbacks.get(&routine.name))
                .flatten();
            let index = callback.map(|f| {
                callbacks.push(Arc::clone(f));
                callback_arity.push(routine.parameters.len());
                (callbacks.len() - 1) as u32
            });
            let emitter = Emitter::new(program, &conventions, id, options, &globals);
            match compile_routine(emitter, routine, program.structure(id), index) {
                Ok(code) => routines.push(code),
                Err(problem) => problems.push(*problem),
            }
        }
        if problems.has_errors() {
            return Err(problems);
        }
        let signatures = program
            .routines
            .iter()
            .zip(&conventions.routines)
            .map(|(routine, convention)| Signature::new(routine, convention))
            .collect();
        let names = program.routines.iter().map(|r| r.name.clone()).collect();
        let image =
            Image {
                routines,
                names,
                globals: globals.descriptors.clone(),
                math: MathTable::new(options.math),
                callbacks,
                callback_arity,
                program: match (program.routines.iter()).any(|r| hands_over(r).is_some()) {
                    true => mix(fingerprint(&program.to_string())
                        ^ u64::from(options.math == Math::Portable)),
                    false => 0,
                },
            };
        let engine = options.engine.as_ref().filter(|_| !options.trace);
        let native = engine.map(|engine| engine.start(image.routines.len()));
        let variables = program.globals.iter().map(|g| g.variable.clone());
        Ok(Self {
            inner: Arc::new(Inner {
                image,
                globals,
                global_variables: variables.collect(),
                signatures,
                trace: options.trace,
                math: options.math,
                native,
            }),
        })
    }

    /// The number of instructions, for information.
    pub fn code_size(&self) -> usize {
        let routines = &self.inner.image.routines;
        routines.iter().map(|code| code.instrs.len()).sum()
    }

    /// The code of a routine, one instruction per line, for people who look for lost time.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "all other instructions are printed as they are"
    )]
    pub fn listing(&self, routine: RoutineId) -> String {
        use fmt::Write as _;
        let code = &self.inner.image.routines[routine.index()];
        let mut text = String::new();
        for (pc, instr) in code.instrs.iter().enumerate() {
            let _ = match instr {
                Instr::Ext { k } => writeln!(text, "{pc:5}  {:?}", code.ext[*k as usize]),
                instr => writeln!(text, "{pc:5}  {instr:?}"),
            };
        }
        text
    }
}

impl Signature {
    /// The declaration of the parameter at a position.
    pub(crate) fn parameter(&self, position: usize) -> &Variable {
        &self.variables[self.parameters[position].index()]
    }

    fn new(routine: &Routine, convention: &Convention) -> Self {
        let vertices = routine.body.iter().flat_map(|g| g.vertices());
        Self {
            name: routine.name.clone(),
            variables: routine.variables.clone(),
            parameters: routine.parameters.clone(),
            positions: routine.parameter_positions(),
            result: routine.result.map(|v| routine.variable(v).clone()),
            by_address: convention
                .passes
                .iter()
                .map(|p| matches!(p, Pass::Address | Pass::Copied))
                .collect(),
            vertex_ids: vertices
                .map(|(_, v)| (v.id, v.origin.map_or(v.id, |o| o.vertex)))
                .collect(),
        }
    }
}

fn compile_routine(
    mut emitter: Emitter<'_>,
    routine: &Routine,
    structure: Option<&Structure>,
    callback: Option<u32>,
) -> Compiling<Code> {
    emitter.nested = structure.is_some();
    let depths = storage::depths(&emitter, structure);
    emitter.assign_homes(&depths)?;
    emitter.prologue()?;
    if let Some(event) = hands_over(routine) {
        hand_over_body(&mut emitter, routine, event)?;
        return Ok(emitter.finish());
    }
    match (&routine.body, callback) {
        (Some(cfg), _) => emitter.graph(cfg, &depths)?,
        (None, Some(index)) => callback_body(&mut emitter, routine, index)?,
        (None, None) => external_body(&mut emitter, routine)?,
    }
    Ok(emitter.finish())
}

/// The body of an external routine: its value expression, or an error when it runs.
fn external_body(emitter: &mut Emitter<'_>, routine: &Routine) -> Compiling<()> {
    emitter.begin_statement();
    let value = routine.external.as_ref().and_then(|e| e.value.as_ref());
    let Some(value) = value else {
        let id = emitter.id;
        emitter.emit_ext(Ext::NoValue { routine: id });
        emitter.emit(Instr::Return);
        return Ok(());
    };
    if let Some(result) = routine.result
        && routine.variable(result).rank() > 0
    {
        emitter.assign_array(&Place::whole(result), value)?;
        emitter.end_statement();
        return emitter.epilogue();
    }
    let ty = routine
        .result
        .map_or(ScalarType::Real, |v| routine.variable(v).ty);
    let x = emitter.expr(value, None)?;
    let x = emitter.convert(x, ty, None)?;
    let d = emitter.register_of(x.value)?;
    emitter.code.result = Some(d);
    emitter.store_copied()?;
    emitter.end_statement();
    emitter.emit(Instr::Return);
    Ok(())
}

/// The body of an external routine that a function of the host computes.
fn callback_body(emitter: &mut Emitter<'_>, routine: &Routine, index: u32) -> Compiling<()> {
    emitter.begin_statement();
    for v in routine.parameter_ids().chain(routine.result) {
        let variable = routine.variable(v);
        if variable.rank() > 0 || !variable.ty.is_real() {
            return Err(emitter.located(Diagnostic::error(
                &crate::fault::UNSUPPORTED,
                format!("'{}' is not a real scalar", variable.name),
                "callbacks take and return real scalars only; give the routine a value expression",
            )));
        }
    }
    let row = emitter.temporaries_in_row(routine.parameters.len().max(1))?;
    for (v, d) in routine.parameter_ids().zip(row..) {
        let x = emitter.load_scalar(v, Some(d))?;
        emitter.move_to(d, x.value);
    }
    emitter.emit_ext(Ext::Callback { index, d: row });
    if let Some(result) = routine.result {
        emitter.rounded(row, routine.variable(result).ty);
    }
    emitter.code.result = Some(row);
    emitter.store_copied()?;
    emitter.emit(Instr::Return);
    Ok(())
}

/// The event that a routine stands for.
fn hands_over(routine: &Routine) -> Option<HandOver> {
    HandOver::by_role(routine.restart_role()?)
}

/// The body of a routine that hands over the progress of a loop to the host.
fn hand_over_body(emitter: &mut Emitter<'_>, routine: &Routine, event: HandOver) -> Compiling<()> {
    emitter.begin_statement();
    let row = emitter.temporaries_in_row(5)?;
    let is_given = |v: &VarId| routine.variable(*v).intent() != Some(Intent::Out);
    for (v, d) in routine.parameter_ids().filter(is_given).zip(row..) {
        let x = emitter.load_scalar(v, Some(d))?;
        emitter.move_to(d, x.value);
    }
    emitter.emit_ext(Ext::HandOver { event, row });
    for v in routine.parameter_ids().filter(|v| !is_given(v)) {
        emitter.store_scalar(v, Value::Register(row))?;
    }
    emitter.end_statement();
    emitter.epilogue()
}

impl MathTable {
    /// The position of the function of 32-bit reals behind that of reals.
    const SINGLE: usize = 128;

    /// The position of a function of reals of a type.
    pub(crate) fn position(op: Op, ty: ScalarType) -> u8 {
        // The order of the list is that of the operators.
        let position = Op::ALL.partition_point(|&other| other < op);
        let single = if ty == ScalarType::Real32 {
            Self::SINGLE
        } else {
            0
        };
        (position + single) as u8
    }

    fn new(math: Math) -> Self {
        fn nan1(_: f64) -> f64 {
            f64::NAN
        }
        fn nan2(_: f64, _: f64) -> f64 {
            f64::NAN
        }
        let mut unary: Box<[Unary; 256]> = Box::new([nan1; 256]);
        let mut binary: Box<[Binary; 256]> = Box::new([nan2; 256]);
        for (k, &op) in Op::ALL.iter().enumerate().take(Self::SINGLE) {
            let single = k + Self::SINGLE;
            unary[k] = elemental::unary(op, math).unwrap_or(nan1);
            unary[single] = elemental::unary32(op, math).unwrap_or(nan1);
            binary[k] = elemental::binary(op, math).unwrap_or(nan2);
            binary[single] = elemental::binary32(op, math).unwrap_or(nan2);
        }
        Self {
            unary,
            binary,
            fma: elemental::ternary(Op::Fma, math).unwrap_or(f64::mul_add),
            fma32: elemental::fma32(math),
            powi: elemental::powi(math),
            polygamma: elemental::polygamma(math),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operator_has_a_row_of_its_own() {
        assert!(Op::ALL.len() <= MathTable::SINGLE);
        for (k, &op) in Op::ALL.iter().enumerate() {
            let position = |ty| usize::from(MathTable::position(op, ty));
            assert_eq!(position(ScalarType::Real), k);
            assert_eq!(position(ScalarType::Real32), k + MathTable::SINGLE);
        }
    }
}

#[cfg(test)]
mod listing;
