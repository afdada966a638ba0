//! Families of random programs, and the options with which each is reversed.

use bb_preaccum::{
    cost::CostModel,
    heuristic::{Heuristic, Technique},
};
use cfg_core::{
    entity::{RoutineId, VarId},
    ir::{Control, Intent, Program, ScalarType},
    validate::validate,
};
use cfg_format::text;
use cfg_reverse::{Blocks, Inside, Options, Overlap, Search, Strong, Unstructured};
use cfg_testkit::{
    c_functions,
    case::{Case, Datum, Elements},
    general,
    generate::{self, generate},
    jumps, pointers, reorder,
    rng::Rng,
};
use cfg_transform::{pools, records};

/// A name, and the program of a seed.
pub(crate) type Family = (&'static str, fn(u64) -> Case);

/// All families.
pub(crate) const ALL: &[Family] = &[
    ("exact", |seed| structured(&generate::Options::EXACT, seed)),
    ("smooth", |seed| {
        structured(&generate::Options::SMOOTH, seed)
    }),
    ("wide", |seed| structured(&generate::Options::WIDE, seed)),
    ("wide smooth", |seed| {
        structured(&generate::Options::WIDE_SMOOTH, seed)
    }),
    ("small", |seed| structured(&generate::Options::SMALL, seed)),
    ("dense", |seed| structured(&DENSE, seed)),
    ("general", general::generate),
    ("dressed general", |seed| {
        generate::dressed(&general::generate(seed), seed)
    }),
    ("loose", loose),
    ("shuffled", shuffled),
    ("jumps", jumping),
    ("c", from_c),
    ("pointers", with_pointers),
    ("mixed", split),
];

/// Much of what is rare in the others: routines that call themselves, share cells, take optional arguments, globals that are
/// differentiated, 32-bit reals, all in small programs.
const DENSE: generate::Options = generate::Options {
    statements: (3, 14),
    nesting: 3,
    steps: 800,
    real32: 40,
    globals: 80,
    recursion: 60,
    externals: 40,
    optionals: 60,
    aliased: 60,
    main_optionals: 80,
    global_lists: 80,
    specials: 25,
    tapes: 1,
    ..generate::Options::WIDE
};

fn structured(options: &generate::Options, seed: u64) -> Case {
    generate(options, seed).unwrap_or_else(|e| panic!("seed {seed}: {e:?}"))
}

/// Structured programs that declare nothing of their structure, so that it is recovered, or traced.
fn loose(seed: u64) -> Case {
    let mut case = structured(&generate::Options::WIDE, seed);
    let mut rng = Rng::new(seed);
    for r in 0..case.program.routines.len() {
        let before = case.program.clone();
        let routine = &mut case.program.routines[r];
        if routine.body.is_some() && rng.percent(70) {
            routine.control = Control::General;
            // Not every LOOP may stand in any graph.
            if validate(case.program.clone()).is_err() {
                case.program = before;
            }
        }
    }
    case
}

/// Programs whose variables stand in another order, parameters among them.
fn shuffled(seed: u64) -> Case {
    let case = structured(&generate::Options::WIDE_SMOOTH, seed);
    let mut rng = Rng::new(seed);
    match seed % 2 {
        0 => reorder::shuffled(&case, &mut rng),
        _ => reorder::spread(&case, &mut rng),
    }
}

/// Shapes of jumps, with other names, ids and orders.
fn jumping(seed: u64) -> Case {
    let mut shapes = jumps::shapes();
    let which = seed as usize % shapes.len();
    generate::dressed(&shapes.swap_remove(which).case, seed)
}

/// Random functions of C, as the front end reads them.
fn from_c(seed: u64) -> Case {
    // The front end does not take every use of pointers, and has some as values, which are lowered before anything is written.
    let mut seeds = (0..100).map(|k| seed + 1_000_000 * k);
    let read = seeds.find_map(|seed| {
        let f = c_functions::function_without_structures(seed);
        let options = cfg_c::Options {
            routine: Some(f.name.clone()),
            ..cfg_c::Options::default()
        };
        let read = cfg_c::read_c(
            &[cfg_c::SourceFile::new("f.c", f.text.as_bytes())],
            &options,
            &mut cfg_c::NoFiles,
        );
        let program = read.program.filter(|program| !program.has_pointers());
        program.map(|program| (f, program))
    });
    let (f, mut program) = read.expect("one of a hundred is read");
    let main = program.find_routine(&f.name).unwrap();
    program.main = Some(main);
    let routine = &program.routines[main.index()];
    let one = |extents: Vec<usize>, elements| Datum { extents, elements };
    let integers = |ty: ScalarType, values: Vec<i64>| match ty {
        ScalarType::Sized(ty) => Elements::Sized(ty, values),
        _ => Elements::Integer(values),
    };
    let point = routine.parameter_ids().map(|p| {
        let variable = routine.variable(p);
        let datum = match &*variable.name {
            "n" => one(
                vec![],
                integers(variable.ty, vec![c_functions::LENGTH as i64]),
            ),
            "h" => one(vec![], integers(variable.ty, vec![f.h.into()])),
            "k" => {
                let k = f.k.iter().map(|&k| k as i64).collect();
                one(vec![c_functions::LENGTH], integers(variable.ty, k))
            }
            "a" => one(vec![], Elements::Real(vec![f.a])),
            "x" => one(vec![c_functions::LENGTH], Elements::Real(f.x.to_vec())),
            _ => one(vec![c_functions::LENGTH], Elements::Real(f.y.to_vec())),
        };
        (p, datum)
    });
    let point = point.collect();
    at(program, main, point)
}

/// A program at a point, with ones as direction and seed.
fn at(program: Program, main: RoutineId, point: Vec<(VarId, Datum)>) -> Case {
    let length = |v: &VarId| {
        let datum = point.iter().find(|(p, _)| p == v);
        datum.map_or(1, |(_, datum)| datum.len())
    };
    let ones = |all: &[VarId]| all.iter().map(|v| (*v, vec![1.0; length(v)])).collect();
    let routine = program.routine(main);
    Case {
        direction: ones(&routine.independents),
        seed: ones(&routine.dependents),
        point,
        main,
        program,
    }
}

/// Random programs with pointers, as they are lowered: small ones, since each use of a pointer is several statements then.
fn with_pointers(seed: u64) -> Case {
    let read = text::parse(&pointers::sized(seed, 4)).program;
    let program = validate(read.expect("it is text")).expect("it is valid");
    let main = program.main.expect("one is marked");
    let name = &program.routine(main).name;
    let program = pools::lower(&program, &[main], 1000).expect("it has a counterpart");
    let main = program.find_routine(name).expect("it keeps its name");
    let program = records::split(&program).expect("it has a counterpart");
    let program = program.into_program();
    let routine = program.routine(main);
    let mut rng = Rng::new(seed ^ 0x5eed);
    let mut reals = |extents: Vec<usize>| Datum {
        elements: Elements::Real(
            (0..extents.iter().product())
                .map(|_| rng.coarse())
                .collect(),
        ),
        extents,
    };
    let given = |p: &VarId| routine.variable(*p).intent() != Some(Intent::Out);
    let point = routine.parameter_ids().filter(given).map(|p| {
        let datum = match &*routine.variable(p).name {
            "x" => reals(vec![6]),
            "c" => reals(vec![4]),
            _ => reals(vec![]),
        };
        (p, datum)
    });
    let point = point.collect();
    at(program, main, point)
}

/// Random programs whose routines call each other, with their records split: the parameters of the main routine are none, and keep
/// their numbers.
fn split(seed: u64) -> Case {
    let case = structured(&generate::Options::MIXED, seed);
    let program = validate(case.program.clone()).expect("it is valid");
    let program = records::split(&program).expect("it has a counterpart");
    Case {
        program: program.into_program(),
        ..case
    }
}

/// The options of the reversal: each value of each with each of the others.
pub(crate) fn options(seed: u64) -> Options {
    let mut rng = Rng::new(seed ^ 0x6f70_7469_6f6e_7321);
    let mut options = Options {
        operands: false,
        tape_memory: None,
        restarts: false,
        values: false,
        prefer: [cfg_reverse::Prefer::Time, cfg_reverse::Prefer::Memory][seed as usize / 5 % 2],
        order: [cfg_reverse::Order::Program, cfg_reverse::Order::Reverse][seed as usize / 3 % 2],
        control_only: false,
        results: cfg_reverse::Results::Keep,
        overlap: [Overlap::Assume, Overlap::None][seed as usize / 2 % 2],
        blocks: [
            Blocks::Statement,
            Blocks::Auto,
            Blocks::Preaccumulate,
            Blocks::Carry,
        ][seed as usize % 4],
        counters: rng.percent(50),
        markers: rng.percent(30),
        indices: seed.is_multiple_of(7),
        merge: rng.percent(50),
        unstructured: match rng.percent(50) {
            true => Unstructured::Trace,
            false => Unstructured::default(),
        },
        work: [0, 50, 2_000][rng.below(3)],
        search: Search::default(),
        strong: [Strong::Needed, Strong::Always][rng.below(2)],
        // With a limit of 0 every routine counts as too large for a state per vertex.
        flow_limit: match seed % 5 {
            0 => 0,
            _ => cfg_core::dataflow::FLOW_LIMIT,
        },
        inside: [Inside::Pools, Inside::Arrays][seed as usize / 3 % 2],
    };
    if rng.percent(50) {
        options.search.model = CostModel::ALL[rng.below(3)];
        options.search.technique = [
            None,
            Some(Technique::Vertex),
            Some(Technique::Edge),
            Some(Technique::Face),
        ][rng.below(4)];
        options.search.seed = rng.below(1000) as u64;
        if rng.percent(30) {
            let all = Heuristic::portfolio();
            let one = &all[rng.below(all.len())];
            options.search.technique = Some(one.technique());
            options.search.heuristic = Some(*one);
        }
    }
    options
}
