//! The adjoint program, run, against derivatives by operator overloading; the visited path against its
//! reverse; the tape at the end.

use crate::{
    measure::{Derivatives, Kinks, dot_product},
    run::{filled, near, value},
    tangent,
};
use cfg_core::{
    entity::{RoutineId, VarId, VertexId},
    ir::{Cfg, Expr, Intent, NameRole, OriginRole, Program, StmtKind, VertexKind, VertexType},
    text, validate,
};
use cfg_exec::{Argument, CompileOptions, Compiled, RunOptions, RunReport, Session, Tape, Value};
use cfg_reverse::{Blocks, Options, Order, Overlap, Reversal, Unstructured, reverse};
use cfg_testkit::flat;
use cfg_testkit::{
    case::Case, general, generate::Options as Generate, interpret::Limits, property,
};
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::atomic::{AtomicU64, Ordering},
};

/// The primal arguments: parameters, then the result.
fn primal(
    case: &Case,
    session: &Session,
    routine: RoutineId,
    program: &Program,
) -> Result<Vec<Argument>, String> {
    let original = case.routine();
    let r = program.routine(routine);
    let mut arguments: Vec<Argument> = Vec::new();
    for p in original.parameter_ids() {
        arguments.push(match case.value(p) {
            Some(datum) => value(case, p, datum).into(),
            None => Argument::Absent,
        });
    }
    let count = original.parameters.len() + usize::from(original.result.is_some());
    arguments.resize(count, Argument::Absent);
    arguments.resize(r.parameters.len(), Argument::Absent);
    for (p, v) in r.parameter_ids().enumerate().take(count) {
        if arguments[p] == Argument::Absent && r.variable(v).intent().is_some_and(Intent::writes) {
            let made = session
                .uninitialised_argument(routine, v, &arguments)
                .map_err(|d| d.to_string())?;
            arguments[p] = made;
        }
    }
    arguments.truncate(count);
    Ok(arguments)
}

struct Run {
    reversal: Reversal,
    program: Program,
    /// Primal arguments after the forward sweep.
    results: Vec<Argument>,
    /// Adjoints of the real parameters (and result) after the reverse sweep.
    adjoints: Vec<Value>,
    forward: RunReport,
    reverse: RunReport,
}

fn run(case: &Case, options: &Options) -> Result<Run, String> {
    let valid = validate::validate(case.program.clone()).map_err(|d| d.to_string())?;
    let reversal = reverse(&flat(&valid), case.main, options).map_err(|d| d.to_string())?;
    let program = validate::validate(reversal.program.clone())
        .map_err(|d| format!("the adjoint program is not valid: {d}"))?;
    let stacks = tape_check::check_program(&flat(&program)).problems;
    if !stacks.is_empty() {
        return Err(format!("the stack checker objects: {stacks}"));
    }
    let compiled = Compiled::new(
        &flat(&program),
        &CompileOptions {
            trace: true,
            ..CompileOptions::default()
        },
    )
    .map_err(|d| d.to_string())?;
    let mut session = Session::new(&compiled);
    let limits = RunOptions::default();
    let original = case.routine();

    let mut arguments = primal(case, &session, reversal.forward, &program)?;
    let count = arguments.len();
    arguments.push(Tape::default().into());
    let forward = session
        .run(reversal.forward, &mut arguments, &limits)
        .map_err(|d| format!("the forward sweep fails: {d}"))?;
    let tape = arguments.pop().unwrap_or_default();
    let results = arguments.clone();

    let interface = original.parameter_ids().chain(original.result);
    for (v, argument) in interface.zip(&results) {
        if let Argument::Value(x) = argument
            && original.variable(v).ty.is_real()
        {
            let seed = case.seed.iter().find(|(w, _)| *w == v);
            let b = filled(x, |i| seed.map_or(0.0, |(_, s)| s[i]));
            arguments.push(b.into());
        }
    }
    arguments.push(tape);
    let reverse = session
        .run(reversal.reverse, &mut arguments, &limits)
        .map_err(|d| format!("the reverse sweep fails: {d}"))?;
    let tape = arguments.pop().unwrap_or_default();
    if !tape.tape().is_some_and(|t| t.size().is_empty()) {
        return Err(format!("the tape is not empty at the end: {tape:?}"));
    }
    let adjoints = arguments
        .drain(count..)
        .filter_map(|a| a.value().cloned())
        .collect();
    Ok(Run {
        program: program.into_program(),
        reversal,
        results,
        adjoints,
        forward,
        reverse,
    })
}

/// The outcome of a run of the original, and the values of its parameters afterwards.
fn run_original(
    case: &Case,
    options: &CompileOptions,
) -> Result<(RunReport, Vec<Argument>), String> {
    let valid = validate::validate(case.program.clone()).map_err(|d| d.to_string())?;
    let compiled = Compiled::new(&flat(&valid), options).map_err(|d| d.to_string())?;
    let mut session = Session::new(&compiled);
    let mut arguments = primal(case, &session, case.main, &case.program)?;
    arguments.truncate(case.routine().parameters.len());
    let report = session
        .run(case.main, &mut arguments, &RunOptions::default())
        .map_err(|d| format!("the original fails: {d}"))?;
    Ok((report, arguments))
}

/// The forward sweep has the results of the original, bit for bit.
fn same_results(case: &Case, run: &Run) -> Result<(), String> {
    let (report, mut arguments) = run_original(case, &CompileOptions::default())?;
    arguments.extend(report.result.map(Argument::Value));
    if arguments != run.results {
        return Err("the forward sweep's results differ from the original's".into());
    }
    Ok(())
}

/// Original vertices other than LOOP and ENDLOOP, and how often each of these was visited: by original
/// routine, then by activation.
type Path = (Vec<i64>, BTreeMap<i64, u64>);

fn paths(
    program: &Program,
    report: &RunReport,
    original_of: &BTreeMap<RoutineId, RoutineId>,
) -> BTreeMap<RoutineId, Vec<Path>> {
    let mut by_activation: BTreeMap<u64, (RoutineId, Path)> = BTreeMap::new();
    for visited in &report.trace {
        let Some(&original) = original_of.get(&visited.routine) else {
            continue;
        };
        let Some(cfg) = &program.routine(visited.routine).body else {
            continue;
        };
        let vertex = cfg.vertex(visited.vertex);
        if !vertex.origin.is_some_and(|o| o.role.is_image()) {
            continue;
        }
        let entry = by_activation
            .entry(visited.activation)
            .or_insert_with(|| (original, Path::default()));
        match vertex.vertex_type() {
            VertexType::Loop | VertexType::ForLoop | VertexType::EndLoop => {
                *entry.1.1.entry(visited.origin).or_default() += 1;
            }
            _ => entry.1.0.push(visited.origin),
        }
    }
    let mut paths: BTreeMap<RoutineId, Vec<Path>> = BTreeMap::new();
    for (_, (routine, path)) in by_activation {
        paths.entry(routine).or_default().push(path);
    }
    paths
}

/// The vertices of the original that have images in a routine.
fn images(program: &Program, routine: RoutineId) -> BTreeSet<i64> {
    let vertices = program.routine(routine).body.iter().flat_map(Cfg::vertices);
    let origins = vertices.filter_map(|(_, v)| v.origin.filter(|o| o.role.is_image()));
    origins.map(|o| o.vertex).collect()
}

/// The adjoint visits the original vertices, but for those without an image, in exactly the reverse order; a loop that
/// is entered once with n iterations visits LOOP n+1 times and ENDLOOP n times forward, and the other way round in the
/// adjoint.
fn mirrored(run: &Run) -> Result<(), String> {
    let forward_of = run.reversal.sweeps.iter().map(|s| (s.1, s.0)).collect();
    let reverse_of = run.reversal.sweeps.iter().map(|s| (s.2, s.0)).collect();
    let mut forward = paths(&run.program, &run.forward, &forward_of);
    let mut reverse = paths(&run.program, &run.reverse, &reverse_of);
    let sweeps = run.reversal.sweeps.iter();
    let images: BTreeMap<RoutineId, BTreeSet<i64>> =
        sweeps.map(|s| (s.0, images(&run.program, s.2))).collect();
    for (routine, path) in forward
        .iter_mut()
        .flat_map(|(r, all)| all.iter_mut().map(move |p| (r, p)))
    {
        path.0.retain(|id| images[routine].contains(id));
        path.0.reverse();
    }
    for (routine, list) in &mut forward {
        let cfg = run
            .program
            .routine(*routine)
            .body
            .as_ref()
            .expect("has a body");
        for path in list.iter_mut() {
            // Entries of each loop: visits of LOOP less visits of its ENDLOOP.
            let mut swapped = BTreeMap::new();
            for (v, vertex) in cfg.vertices() {
                if vertex.vertex_type() != VertexType::EndLoop {
                    continue;
                }
                let Some(header) = cfg.successors(v).next() else {
                    continue;
                };
                let header = cfg.vertex(header).id;
                let visits = |id| path.1.get(&id).copied().unwrap_or(0);
                let (h, e) = (visits(header), visits(vertex.id));
                for (id, n) in [(header, e), (vertex.id, h)] {
                    if n > 0 && images[routine].contains(&id) {
                        swapped.insert(id, n);
                    }
                }
            }
            path.1 = swapped;
        }
        list.sort();
        let theirs = reverse.entry(*routine).or_default();
        theirs.sort();
        if list != theirs {
            return Err(format!(
                "routine {}: the adjoint's path is not the reverse\nforward, reversed: {list:?}\nadjoint: {theirs:?}",
                run.program.routine(*routine).name
            ));
        }
    }
    Ok(())
}

/// Generated programs define their dependents; programs that were shrunk from these may not.
fn is_undefined(run: &Run) -> bool {
    let undefined = |a: &Argument| a.value().is_some_and(|v| v.first_uninitialised().is_some());
    run.results.iter().any(undefined)
}

/// The adjoints of the independents.
fn gradient(case: &Case, run: &Run) -> Result<Vec<(VarId, Vec<f64>)>, String> {
    let original = case.routine();
    let of = |v: VarId| {
        let before = original.parameter_ids().take_while(|&p| p != v);
        let position = before
            .filter(|&p| original.variable(p).ty.is_real())
            .count();
        let adjoint = run.adjoints[position].to_f64s();
        Ok((v, adjoint.ok_or("an adjoint is uninitialised")?))
    };
    original.independents.iter().map(|&v| of(v)).collect()
}

fn gradient_agrees(
    case: &Case,
    run: &Run,
    gradient: &Derivatives,
    tolerance: f64,
) -> Result<(), String> {
    let original = case.routine();
    let oracle = case
        .gradient(Limits::default())
        .map_err(|f| format!("the oracle fails: {f:?}"))?;
    for (v, expected) in oracle {
        let ours = gradient.iter().find(|(w, _)| *w == v);
        let (_, ours) = ours.ok_or("an independent has no adjoint")?;
        for (i, (a, b)) in ours.iter().zip(&expected).enumerate() {
            if !near(*a, *b, tolerance) {
                let name = &original.variable(v).name;
                let mut shown = String::new();
                for r in [run.reversal.forward, run.reversal.reverse] {
                    text::routine(&mut shown, &run.program, run.program.routine(r)).ok();
                }
                return Err(format!(
                    "gradient of {name}[{i}]: {a} instead of {b}\n{shown}"
                ));
            }
        }
    }
    Ok(())
}

/// Derivatives by variable.
type Gradient = Vec<(VarId, Vec<f64>)>;

/// Tolerances of a mode: against operator overloading, and of the dot product.
pub(crate) struct Tolerance {
    oracle: f64,
    dot_product: f64,
}

pub(crate) const NONE: Tolerance = Tolerance {
    oracle: 0.0,
    dot_product: 0.0,
};

const SMOOTH: Tolerance = Tolerance {
    oracle: 1e-8,
    dot_product: 1e-12,
};

/// Gives the tangents of the tangent program.
pub(crate) fn agrees(
    case: &Case,
    options: &Options,
    tolerance: &Tolerance,
) -> Result<Gradient, String> {
    let run = run(case, options)?;
    same_results(case, &run)?;
    mirrored(&run)?;
    if is_undefined(&run) {
        return Err("undefined: a dependent has no value".to_owned());
    }
    let gradient = gradient(case, &run)?;
    gradient_agrees(case, &run, &gradient, tolerance.oracle)?;
    let tangents = tangent::of_dependents(case)?;
    dot_product(case, &tangents, &gradient, tolerance.dot_product)?;
    Ok(tangents)
}

/// The forward sweep has the results of the original, the adjoint those of operator overloading to a tolerance, and the
/// tape is empty at the end. Vertices may be visited more than once.
pub(crate) fn agrees_in_any_order(
    case: &Case,
    options: &Options,
    tolerance: f64,
) -> Result<(), String> {
    let run = run(case, options)?;
    same_results(case, &run)?;
    if is_undefined(&run) {
        return Err("undefined: a dependent has no value".to_owned());
    }
    let gradient = gradient(case, &run)?;
    gradient_agrees(case, &run, &gradient, tolerance)
}

/// Adjoint, tangent and oracle agree to rounding.
pub(crate) fn agrees_smoothly(case: &Case, options: &Options) -> Result<(), String> {
    agrees(case, options, &SMOOTH).map(|_| ())
}

/// The same for general control flow, where loops are not structured ones: the vertices other than LOOP
/// and ENDLOOP are visited in reverse.
pub(crate) fn agrees_general(case: &Case, options: &Options) -> Result<Recorded, String> {
    let run = run(case, options)?;
    same_results(case, &run)?;
    mirrored_blocks(&run)?;
    let gradient = gradient(case, &run)?;
    gradient_agrees(case, &run, &gradient, 0.0)?;
    let tangents = tangent::of_dependents(case)?;
    dot_product(case, &tangents, &gradient, 0.0)?;
    let tape = &run.forward.tape;
    let routine = run.program.routine(run.reversal.forward);
    let cfg = routine.body.as_ref().ok_or("no body")?;
    let is_bound = |v: VarId| {
        let origin = routine.variable(v).origin.as_ref();
        origin.is_some_and(|o| o.role == NameRole::LoopBound)
    };
    let bounds = cfg.vertices().map(|(_, vertex)| {
        let pushed = vertex.statements().iter().filter(|s| match &s.kind {
            StmtKind::Push {
                value: Expr::Place(p),
                ..
            } => is_bound(p.var),
            _ => false,
        });
        pushed.count() as u64
    });
    let bounds: Vec<u64> = bounds.collect();
    Ok(Recorded {
        control: tape.control_bits,
        integers: tape.integers,
        bounds: (run.forward.trace.iter())
            .map(|v| bounds[v.vertex.index()])
            .sum(),
    })
}

/// The number of integers that a forward sweep records.
pub(crate) fn integers(case: &Case, options: &Options) -> Result<u64, String> {
    Ok(run(case, options)?.forward.tape.integers)
}

/// The record of a forward sweep, in numbers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Recorded {
    /// Bits on control stacks.
    pub(crate) control: u64,
    /// Integers: values, and bounds of loops.
    pub(crate) integers: u64,
    /// The bounds of loops among the integers.
    pub(crate) bounds: u64,
}

impl Recorded {
    /// Bits that are saved for control.
    pub(crate) fn bits(&self) -> u64 {
        self.control + 64 * self.bounds
    }
}

/// The vertices that a run of the original visits.
pub(crate) fn visited(case: &Case) -> Result<Vec<VertexId>, String> {
    let trace = CompileOptions {
        trace: true,
        ..CompileOptions::default()
    };
    let (report, _) = run_original(case, &trace)?;
    Ok(report.trace.iter().map(|v| v.vertex).collect())
}

fn mirrored_blocks(run: &Run) -> Result<(), String> {
    // Structure recovery makes loops of branches.
    let cfg = (run.program.routine(run.reversal.forward).body.as_ref()).ok_or("no body")?;
    let reversed = images(&run.program, run.reversal.reverse);
    let blocks: BTreeSet<i64> = (cfg.vertices())
        .filter(|(_, v)| !matches!(v.vertex_type(), VertexType::Loop | VertexType::EndLoop))
        .filter_map(|(_, v)| v.origin.filter(|o| o.role.is_image()))
        .map(|o| o.vertex)
        .filter(|id| reversed.contains(id))
        .collect();
    let visits = |report: &RunReport, routine| -> Vec<i64> {
        let program = &run.program;
        let vertices = report.trace.iter().filter(|v| v.routine == routine);
        vertices
            .filter(|v| {
                let cfg = program.routine(v.routine).body.as_ref();
                let origin = cfg.and_then(|cfg| cfg.vertex(v.vertex).origin);
                origin.is_some_and(|o| o.role.is_image()) && blocks.contains(&v.origin)
            })
            .map(|v| v.origin)
            .collect()
    };
    let mut forward = visits(&run.forward, run.reversal.forward);
    forward.reverse();
    let reverse = visits(&run.reverse, run.reversal.reverse);
    if forward != reverse {
        return Err(format!(
            "the adjoint's path is not the reverse\nforward, reversed: {forward:?}\nadjoint: {reverse:?}"
        ));
    }
    Ok(())
}

const DEFAULT: Options = Options {
    counters: false,
    markers: false,
    indices: false,
    values: false,
    operands: false,
    prefer: cfg_reverse::Prefer::Time,
    tape_memory: None,
    restarts: false,
    order: Order::Program,
    control_only: false,
    results: cfg_reverse::Results::Keep,
    overlap: Overlap::Assume,
    merge: false,
    blocks: Blocks::Statement,
    work: 0,
    search: cfg_reverse::Search::DEFAULT,
    unstructured: Unstructured::Structure,
    strong: cfg_reverse::Strong::Needed,
    flow_limit: cfg_core::dataflow::FLOW_LIMIT,
    inside: cfg_reverse::Inside::Pools,
};

/// Blocks from their Jacobians; the search is cheap, so that many programs can be tried.
const PREACCUMULATE: Options = Options {
    blocks: Blocks::Preaccumulate,
    work: 20_000,
    ..DEFAULT
};

/// Each block in the way that is estimated to be cheaper.
const AUTO: Options = Options {
    blocks: Blocks::Auto,
    ..PREACCUMULATE
};

/// Without independents and dependents control flow alone is reversed: values are those of the original, the path is
/// its reverse, and adjoint blocks compute no real number.
fn reverses_control(case: &Case, options: &Options) -> Result<(), String> {
    let mut case = case.clone();
    let main = &mut case.program.routines[case.main.index()];
    main.independents.clear();
    main.dependents.clear();
    let run = run(&case, options)?;
    same_results(&case, &run)?;
    mirrored(&run)?;
    let reverse = run.program.routine(run.reversal.reverse);
    let vertices = reverse.body.iter().flat_map(|cfg| cfg.vertices());
    let adjoints = vertices.filter(|(_, v)| v.origin.is_some_and(|o| o.role.is_image()));
    for (_, vertex) in adjoints {
        let mut statements = vertex.statements().iter();
        // Indices of loops are computed backwards, and arrays get their extents.
        let is_real = |s: &&cfg_core::ir::Stmt| match &s.kind {
            StmtKind::Assign { target, value } => {
                let is_shape = matches!(value, Expr::Op(cfg_core::ir::Op::Fill, _));
                reverse.variable(target.var).ty.is_real() && !is_shape
            }
            _ => false,
        };
        if let Some(s) = statements.find(is_real) {
            return Err(format!("the adjoint of {} has {s:?}", vertex.id));
        }
    }
    match run.adjoints.iter().all(|b| b.to_f64s().is_some()) {
        true => Ok(()),
        false => Err("an adjoint is uninitialised".to_owned()),
    }
}

#[test]
fn control_alone_is_reversed() {
    let options = Options {
        control_only: true,
        ..DEFAULT
    };
    let merged = Options {
        merge: true,
        ..options
    };
    property::check(&Generate::EXACT, 90_000..90_600, |case| {
        reverses_control(case, &options)?;
        reverses_control(case, &merged)
    });
}

#[test]
fn exact_programs() {
    property::check(&Generate::EXACT, 0..5000, |case| {
        agrees(case, &DEFAULT, &NONE).map(drop)
    });
}

#[test]
fn smooth_programs() {
    let kinks = Kinks::default();
    property::check(&Generate::SMOOTH, 5000..10_000, |case| {
        let tangents = agrees(case, &DEFAULT, &SMOOTH)?;
        kinks.differences(case, &tangents)
    });
    kinks.assert_rare();
}

#[test]
fn with_counters_and_merged_blocks() {
    for (counters, seeds) in [(true, 20_000..21_000), (false, 21_000..22_000)] {
        let options = Options {
            counters,
            markers: counters,
            merge: true,
            ..DEFAULT
        };
        property::check(&Generate::EXACT, seeds, |case| {
            agrees(case, &options, &NONE).map(drop)
        });
    }
}

/// Global arrays are recorded by the routines that write them.
#[test]
fn recorded_by_callees() {
    for (k, options) in [DEFAULT, PREACCUMULATE, AUTO].into_iter().enumerate() {
        let options = Options {
            inside: cfg_reverse::Inside::Arrays,
            flow_limit: [DEFAULT.flow_limit, 0, 1000][k],
            overlap: [Overlap::Assume, Overlap::None][k % 2],
            ..options
        };
        let first = 23_000 + 1000 * k as u64;
        property::check(&Generate::EXACT, first..first + 500, |case| {
            agrees(case, &options, &NONE).map(drop)
        });
    }
}

/// Structured programs reversed by trace: the record of block numbers alone gives the path.
#[test]
fn by_trace() {
    let options = Options {
        unstructured: Unstructured::Trace,
        ..DEFAULT
    };
    property::check(&Generate::EXACT, 22_000..22_500, |case| {
        agrees(case, &options, &NONE)?;
        let valid = validate::validate(case.program.clone()).map_err(|d| d.to_string())?;
        let reversal = reverse(&flat(&valid), case.main, &options).map_err(|d| d.to_string())?;
        for &(original, forward, backward) in &reversal.sweeps {
            let roles = |r: RoutineId| -> Vec<OriginRole> {
                let cfg = reversal.program.routine(r).body.as_ref();
                let vertices = cfg.iter().flat_map(|cfg| cfg.vertices());
                vertices.filter_map(|(_, v)| Some(v.origin?.role)).collect()
            };
            let original = valid.routine(original).body.as_ref();
            let mut vertices = original.iter().flat_map(|cfg| cfg.vertices());
            let decides = vertices
                .any(|(_, v)| matches!(v.kind, VertexKind::Branch(_) | VertexKind::Loop { .. }));
            let (ours, theirs) = (roles(forward), roles(backward));
            let otherwise = [OriginRole::CounterPush, OriginRole::MarkerPush];
            if decides
                && !(ours.contains(&OriginRole::TracePush)
                    && theirs.contains(&OriginRole::TracePop))
                || ours.iter().any(|role| otherwise.contains(role))
            {
                return Err(format!("roles: {ours:?} {theirs:?}"));
            }
        }
        Ok(())
    });
}

#[test]
fn preaccumulated_blocks() {
    property::check(&Generate::EXACT, 40_000..41_000, |case| {
        agrees(case, &PREACCUMULATE, &NONE).map(drop)
    });
    property::check(&Generate::SMOOTH, 42_000..42_500, |case| {
        agrees(case, &PREACCUMULATE, &SMOOTH).map(drop)
    });
    let merged = Options {
        merge: true,
        ..PREACCUMULATE
    };
    property::check(&Generate::EXACT, 43_000..43_500, |case| {
        agrees(case, &merged, &NONE).map(drop)
    });
}

#[test]
fn blocks_by_cost() {
    property::check(&Generate::EXACT, 44_000..45_000, |case| {
        agrees(case, &AUTO, &NONE).map(drop)
    });
    property::check(&Generate::SMOOTH, 46_000..46_500, |case| {
        agrees(case, &AUTO, &SMOOTH).map(drop)
    });
}

/// Bits that a run records.
pub(crate) fn bits(case: &Case, options: &Options) -> Result<u64, String> {
    let tape = run(case, options)?.forward.tape;
    Ok(tape.control_bits + 8 * tape.value_bytes)
}

/// Bits that a run records by statement, from Jacobians and by cost. If Jacobians replace values that a selector
/// reads, a branch may need a marker that it does not need by statement. Markers are therefore recorded everywhere.
fn recorded_bits(case: &Case) -> Result<[u64; 3], String> {
    let mut bits = [0; 3];
    for (options, bits) in [DEFAULT, PREACCUMULATE, AUTO].iter().zip(&mut bits) {
        let options = Options {
            markers: true,
            ..*options
        };
        *bits = self::bits(case, &options)?;
    }
    if bits[2] > bits[0] {
        return Err(format!("by statement, by block, by cost: {bits:?} bits"));
    }
    Ok(bits)
}

/// Whatever path a run takes, blocks by cost record no more than statements; over all, less.
#[test]
fn blocks_by_cost_record_no_more() {
    let sums = [const { AtomicU64::new(0) }; 3];
    let count = |case: &Case| {
        for (sum, bits) in sums.iter().zip(recorded_bits(case)?) {
            sum.fetch_add(bits, Ordering::Relaxed);
        }
        Ok(())
    };
    property::check(&Generate::EXACT, 47_000..47_300, count);
    property::check(&Generate::SMOOTH, 47_300..47_600, count);
    for seed in 0..100 {
        if let Err(message) = recorded_bits(&general::generate(seed)) {
            panic!("graph that does not nest, seed {seed}: {message}");
        }
    }
    let sums = sums.map(AtomicU64::into_inner);
    println!("by statement, by block, by cost: {sums:?} bits");
    assert!(sums[2] < sums[0] && sums[2] < sums[1]);
}

/// Whether the states of routines are kept by vertex or are one for all points, from no bits to all that are needed: the
/// adjoint is right, and with one state no less is recorded.
#[test]
fn routines_too_large_for_a_state_for_each_vertex() {
    let sums = [const { AtomicU64::new(0) }; 2];
    let compare = |case: &Case, options: &Options| {
        let mut values = [0; 2];
        for (most, values) in [usize::MAX, 0].into_iter().zip(&mut values) {
            let options = Options {
                flow_limit: most,
                ..*options
            };
            *values = run(case, &options)?.forward.tape.value_bytes;
        }
        if values[0] > values[1] {
            return Err(format!("{values:?} bytes by vertex and by routine"));
        }
        for (sum, bytes) in sums.iter().zip(values) {
            sum.fetch_add(bytes, Ordering::Relaxed);
        }
        Ok(())
    };
    for (options, seeds) in [
        (DEFAULT, 61_000..61_150),
        (PREACCUMULATE, 61_400..61_450),
        (AUTO, 61_550..61_600),
    ] {
        property::check(&Generate::EXACT, seeds, |case| {
            // With a limit in between, some routines of a program are too large and others are not.
            for flow_limit in [0, 100, 1000] {
                let options = Options {
                    flow_limit,
                    ..options
                };
                agrees(case, &options, &NONE)?;
            }
            match options.blocks {
                Blocks::Statement => compare(case, &options),
                Blocks::Carry | Blocks::Preaccumulate | Blocks::Auto => Ok(()),
            }
        });
    }
    for seed in 0..60 {
        let options = Options {
            flow_limit: 0,
            ..DEFAULT
        };
        let case = general::generate(seed);
        if let Err(message) = agrees_general(&case, &options) {
            panic!("graph that does not nest, seed {seed}: {message}");
        }
    }
    let sums = sums.map(AtomicU64::into_inner);
    println!("by vertex, by routine: {sums:?} bytes");
    assert!(sums[0] * 100 < sums[1] * 99);
}
