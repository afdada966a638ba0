//! Whole programs: what is given, globals, helper routines, the main routine.

use super::build::{Builder, INDEX_MAX, Parameter, UNUSED, record_of_generator};
use super::given::given;
use super::{Arithmetic, Options, chance};
use crate::rng::Rng;
use crate::tree::Region;
use cfg_core::entity::{GlobalId, RecordId, RoutineId};
use cfg_core::ir::{
    Dim, Expr, Extent, Global, IntType, Order, Overlay, Program, Role, ScalarType, Variable,
};

/// A whole program, its bodies, and the parameters of its last routine, which is the main one.
pub(super) fn program(
    rng: &mut Rng,
    options: &Options,
) -> (Program, Vec<Option<Region>>, Vec<Parameter>) {
    let narrow = rng.percent(options.real32);
    let record = chance(rng, options.records);
    // Before others, it is the only record type.
    let record = record.then(|| ScalarType::Record(RecordId::new(0)));
    let (mut globals, mut scattered) = (Vec::new(), false);
    if rng.percent(options.globals) {
        let mut own = Rng::new(rng.clone().bits() ^ 0x6f76_6572);
        scattered = own.percent(options.scattered);
        globals = globals_of(rng, options, narrow, scattered);
        if let Some(record) = record {
            add_records(rng, record, &mut globals);
        }
        if own.percent(options.integer_overlays) {
            integers_in_one_storage(&mut own, &mut globals);
        }
    }
    let (mut program, mut signatures) = given(rng, options);
    program.globals = globals;
    program
        .records
        .extend(record.map(|_| record_of_generator()));
    // The bodies of what is given have no trees.
    let mut trees = vec![None; program.routines.len()];
    let helpers = match rng.below(100) {
        0..25 => 0,
        _ => 1 + rng.below(options.helpers),
    };
    let helpers = match scattered {
        true => options.helpers,
        false => helpers,
    };
    for k in 0..helpers {
        let recursive = rng.percent(options.recursion);
        let function = match recursive {
            true => options.odd_functions > 0 && rng.percent(options.odd_functions / 2),
            false => rng.percent(40),
        };
        let limit = options.steps / 40;
        let id = RoutineId::new(program.routines.len());
        let mut b = Builder::new(rng, options, &signatures, &program.globals, limit);
        b.scattered = scattered;
        b.record = record;
        b.choose_control();
        let name = if recursive {
            format!("again{k}")
        } else if function {
            format!("value{k}")
        } else {
            format!("part{k}")
        };
        b.routine.name = name;
        let (signature, tree) = b.helper(id, recursive, function, narrow);
        let routine = b.routine;
        program.routines.push(routine);
        trees.push(Some(tree));
        signatures.push(signature);
    }
    let mut b = Builder::new(rng, options, &signatures, &program.globals, options.steps);
    b.scattered = scattered;
    b.record = record;
    b.choose_control();
    b.routine.name = "main".to_owned();
    let (tree, parameters) = b.main(narrow);
    let routine = b.routine;
    program.routines.push(routine);
    trees.push(Some(tree));
    (program, trees, parameters)
}

/// The globals of a program; of one that is scattered most lie over each other.
fn globals_of(rng: &mut Rng, options: &Options, narrow: bool, scattered: bool) -> Vec<Global> {
    let overlays = match scattered && options.overlays > 0 {
        true => 100,
        false => options.overlays,
    };
    let value = |rng: &mut Rng| match options.arithmetic {
        Arithmetic::Exact => Expr::Real(rng.between(-2, 2) as f64),
        Arithmetic::Smooth => Expr::Real((rng.real(-1.0, 1.0) * 64.0).round() / 64.0),
    };
    let mut globals: Vec<Global> = Vec::new();
    let mut add = |name: &str, ty, shape, initial, overlay| {
        let id = GlobalId::new(globals.len());
        globals.push(Global {
            variable: Variable::new(name, ty, shape, Role::Global(id)),
            initial,
            overlay,
        });
        id
    };
    let first = Box::new([value(rng)]);
    add("gs", ScalarType::Real, vec![], Some(first), None);
    let odd = options.declarations;
    let vector = |rng: &mut Rng, n| {
        let lower = match rng.percent(odd / 2) {
            true => rng.between(-2, 2),
            false => 1,
        };
        vec![Dim {
            lower: Expr::Int(lower),
            extent: Extent::Fixed(Expr::Int(n)),
        }]
    };
    if rng.percent(if scattered { 100 } else { 60 }) {
        // Sixteen elements, a matrix, or six in a row.
        let shape = match rng.percent(odd / 3) {
            true => [vector(rng, 4), vector(rng, 4)].concat(),
            false => vector(rng, 6),
        };
        let count = if shape.len() == 2 { 16 } else { 6 };
        let single = rng.percent(odd / 3);
        let first = 0..if single { 1 } else { count };
        let values = first.map(|_| value(rng)).collect();
        // The initial value is given under the owner's name or under the overlay's.
        let initial = (!rng.percent(odd / 6)).then_some(values);
        let base = add("ga", ScalarType::Real, shape, initial, None);
        if rng.percent(odd / 3) {
            globals[base.index()].variable.order = Order::Column;
        }
        let mut add = |name: &str, shape, overlay| {
            let id = GlobalId::new(globals.len());
            globals.push(Global {
                variable: Variable::new(name, ScalarType::Real, shape, Role::Global(id)),
                initial: None,
                overlay,
            });
        };
        if rng.percent(overlays) {
            let offset = rng.between(0, 2);
            let overlay = Some(Overlay { base, offset });
            let shape = vector(rng, 4);
            add("go", shape, overlay);
        }
        if rng.percent(overlays * odd / 200) {
            let offset = rng.between(0, count - 1);
            add("gv", vec![], Some(Overlay { base, offset }));
        }
        if rng.percent(overlays * odd / 400) {
            // Subscripts up to four are good everywhere.
            let (shape, offset) = match count {
                16 => (vec![Dim::with_extent(Expr::Int(8))], rng.between(0, 8)),
                _ => (vec![Dim::with_extent(Expr::Int(5))], rng.between(0, 1)),
            };
            add("gw", shape, Some(Overlay { base, offset }));
        }
    }
    let mut add = |name: &str, ty, shape, initial, overlay| {
        let id = GlobalId::new(globals.len());
        globals.push(Global {
            variable: Variable::new(name, ty, shape, Role::Global(id)),
            initial,
            overlay,
        });
    };
    if rng.percent(odd / 5) {
        let first = Expr::Logical(rng.percent(50));
        let initial = Some(Box::from([first]));
        add("gl", ScalarType::Logical, vec![], initial, None);
    }
    if rng.percent(odd / 8) {
        let shape = vector(rng, 4);
        add("gu", ScalarType::Real, shape, None, None);
    }
    if options.operators && rng.percent(odd / 3) {
        let ty = *rng.pick(&IntType::ALL).unwrap_or(&IntType::Int8);
        let shape = vector(rng, 4);
        let ends = [ty.min(), ty.max(), 0, ty.max() / 2];
        let initial = ends.iter().filter_map(|&n| Expr::sized(ty, n)).collect();
        add("gz", ScalarType::Sized(ty), shape, Some(initial), None);
    }
    if narrow && rng.percent(odd / 2) {
        let shape = vector(rng, 4);
        let values = (0..4).map(|_| Expr::Real32(rng.between(-2, 2) as f32));
        let initial = Some(values.collect());
        add("gr", ScalarType::Real32, shape, initial, None);
    }
    if rng.percent(odd / 10) {
        // No routine uses these values: they test reading and writing.
        let values = [f64::INFINITY, f64::NEG_INFINITY, f64::NAN].map(Expr::Real);
        let shape = vector(rng, 3);
        add(
            UNUSED,
            ScalarType::Real,
            shape,
            Some(Box::new(values)),
            None,
        );
    }
    if rng.percent(60) {
        let first = Expr::Int(rng.between(1, INDEX_MAX));
        add(
            "gi",
            ScalarType::Integer,
            vec![],
            Some(Box::new([first])),
            None,
        );
    }
    globals
}

/// Adds a record, an array of records, or both.
fn add_records(rng: &mut Rng, record: ScalarType, globals: &mut Vec<Global>) {
    for (name, percent, shape) in [
        ("rp", 60, vec![]),
        ("rq", 40, vec![Dim::with_extent(Expr::Int(INDEX_MAX))]),
    ] {
        if rng.percent(percent) {
            let id = GlobalId::new(globals.len());
            let first = [
                Expr::Real(rng.between(-2, 2) as f64),
                Expr::Int(rng.between(1, INDEX_MAX)),
                Expr::Real(rng.between(-2, 2) as f64),
            ];
            globals.push(Global {
                variable: Variable::new(name, record, shape, Role::Global(id)),
                initial: Some(Box::new(first)),
                overlay: None,
            });
        }
    }
}

/// Adds integers and logicals that share storage, with other names for all of it and for parts.
fn integers_in_one_storage(rng: &mut Rng, globals: &mut Vec<Global>) {
    // Their arrays have four elements, as all of these types.
    let vector = |rng: &mut Rng| {
        vec![Dim {
            lower: Expr::Int(*rng.pick(&[1, 1, 0, -2]).unwrap_or(&1)),
            extent: Extent::Fixed(Expr::Int(4)),
        }]
    };
    let mut add = |name: &str, ty, shape, initial, overlay| {
        let id = GlobalId::new(globals.len());
        globals.push(Global {
            variable: Variable::new(name, ty, shape, Role::Global(id)),
            initial,
            overlay,
        });
        id
    };
    let first = (0..4).map(|_| Expr::Int(rng.between(1, INDEX_MAX)));
    let first = Some(first.collect());
    let base = add("gj", ScalarType::Integer, vector(rng), first, None);
    for name in ["gj0", "gj1"] {
        let offset = rng.between(0, 3);
        let overlay = Some(Overlay { base, offset });
        add(name, ScalarType::Integer, vec![], None, overlay);
    }
    if rng.percent(50) {
        let overlay = Some(Overlay { base, offset: 0 });
        add("gjj", ScalarType::Integer, vector(rng), None, overlay);
    }
    if rng.percent(50) {
        let first = (0..4).map(|_| Expr::Logical(rng.percent(50)));
        let first = Some(first.collect());
        let base = add("gb", ScalarType::Logical, vector(rng), first, None);
        let offset = rng.between(0, 3);
        let overlay = Some(Overlay { base, offset });
        add("gb0", ScalarType::Logical, vec![], None, overlay);
    }
}
