//! Random programs, fixtures, their gradients and tangents have the executor's bits.
//!
//! Each family has `CFGREV_CASES` programs, 41 if that is not set and 8 of those with pointers: 500 in all. They go to the compiler in batches of 50; a tenth is
//! compiled with the sanitizers of addresses and of undefined behaviour. Most files are compiled by clang where it is there,
//! which takes a fifth of gcc's time.

use crate::support::flat;
use crate::{
    families::{self, options},
    support::{Job, flags, jobs, routines, run_all},
};
use cfg_cc::Compiler;
use cfg_core::{
    entity::RoutineId,
    ir::{Expr, Op, Program, Role, ScalarType, StmtKind, Subscript},
};
use cfg_reverse::{Blocks, Options, Strong, Unstructured};
use cfg_testkit::{general, generate, jumps, kernels, needs, strict};
use std::{collections::BTreeSet, ops::Range};

/// The greatest number of programs in one file.
const BATCH: usize = 50;

/// Compiles and runs jobs, and fails with what is wrong. Of five files without sanitizers the first goes to `cc`.
pub(crate) fn check(jobs: &[Job]) {
    let Some(command) = needs::tool("cc") else {
        return;
    };
    let quick = needs::first_of(&["clang"]).unwrap_or_else(|| command.clone());
    let mut wrong = Vec::new();
    let (tenth, rest) = jobs.split_at(jobs.len().div_ceil(10));
    for (part, sanitized) in [(tenth, true), (rest, false)] {
        for (k, some) in part.chunks(BATCH).enumerate() {
            let compiler = Compiler {
                command: match !sanitized && k % 5 == 0 {
                    true => command.clone(),
                    false => quick.clone(),
                },
                flags: flags(sanitized),
                counting: sanitized,
                ..Compiler::default()
            };
            wrong.extend(run_all(some, &compiler));
        }
    }
    let (bad, all) = (wrong.len(), jobs.len());
    assert!(wrong.is_empty(), "{bad} of {all}:\n{}", wrong.join("\n"));
}

/// The seeds of `CFGREV_CASES` programs from `CFGREV_FIRST` on.
fn seeds_of(cases: u64) -> Range<u64> {
    let number = |name: &str| std::env::var(name).ok().and_then(|n| n.parse().ok());
    let first: u64 = number("CFGREV_FIRST").unwrap_or(0);
    first..first + number("CFGREV_CASES").unwrap_or(cases)
}

/// The seeds of tests that have families of their own.
pub(crate) fn seeds() -> Range<u64> {
    seeds_of(12)
}

/// The seeds of a family here. Programs with pointers are long.
fn many(name: &str) -> Range<u64> {
    match name {
        "pointers" => seeds_of(8),
        _ => seeds_of(41),
    }
}

/// The options of a program: each family draws its own.
fn drawn(family: usize, seed: u64) -> Options {
    options(seed + 7 * family as u64)
}

/// A few programs of each kind do what they should with clang, too, which warns of other things.
#[test]
fn clang_compiles_them() {
    let Some(command) = needs::tool("clang") else {
        return;
    };
    let mut all = Vec::new();
    for seed in seeds().take(3) {
        for of in [
            generate::Options::EXACT,
            generate::Options::WIDE,
            generate::Options::WIDE_SMOOTH,
        ] {
            let case = generate::generate(&of, seed).unwrap();
            all.extend(jobs(&format!("clang {seed}"), &case, &options(seed), seed));
        }
        let case = general::generate(seed);
        all.extend(jobs(
            &format!("clang general {seed}"),
            &case,
            &options(seed),
            seed,
        ));
    }
    all.extend(crate::by_hand::all());
    let compiler = Compiler {
        command,
        flags: flags(false),
        ..Compiler::default()
    };
    let wrong: Vec<String> = all
        .chunks(BATCH)
        .flat_map(|some| run_all(some, &compiler))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Programs, gradients and tangents of a family; of most of its programs there must be all three.
fn family(name: &str) {
    let which = families::ALL.iter().position(|(other, _)| *other == name);
    let which = which.unwrap();
    let mut all = Vec::new();
    for seed in many(name) {
        let case = families::ALL[which].1(seed);
        let options = drawn(which, seed);
        all.extend(jobs(&format!("{name} {seed}"), &case, &options, seed));
    }
    let least = 3 * many(name).count() * 3 / 4;
    assert!(all.len() >= least, "{} jobs of at least {least}", all.len());
    check(&all);
}

#[test]
fn fixtures() {
    let mut all = Vec::new();
    for (seed, kernel) in (0..).zip(kernels::all()) {
        let case = kernel.case(kernel.size);
        all.extend(jobs(kernel.name, &case, &options(seed), seed));
    }
    check(&all);
}

/// A test for each family, so that they run beside each other.
macro_rules! families {
    ($($test:ident: $name:literal,)*) => {
        /// The families that have a test.
        const TESTED: &[&str] = &[$($name),*];
        $(#[test]
        fn $test() {
            family($name);
        })*
    };
}

families! {
    exact_programs: "exact",
    smooth_programs: "smooth",
    wide_programs: "wide",
    wide_smooth_programs: "wide smooth",
    small_programs: "small",
    dense_programs: "dense",
    general_programs: "general",
    dressed_general_programs: "dressed general",
    loose_programs: "loose",
    shuffled_programs: "shuffled",
    dressed_jumps: "jumps",
    functions_of_c: "c",
    programs_with_pointers: "pointers",
    mixed_programs: "mixed",
}

#[test]
fn each_family_has_a_test() {
    let all: Vec<&str> = families::ALL.iter().map(|(name, _)| *name).collect();
    assert_eq!(all, TESTED);
    assert!(41 * all.len() >= 500);
}

/// Together, the programs of the families have every construct of the list, and each value of each option is used.
#[test]
fn what_the_families_draw() {
    let mut found: BTreeSet<String> = BTreeSet::new();
    for (which, (_, case)) in families::ALL.iter().enumerate() {
        for seed in 0..41 {
            features(&case(seed).program, &mut found);
            for value in values(&drawn(which, seed)) {
                found.insert(value);
            }
        }
    }
    for wanted in [
        "calls",
        "recursion",
        "aliasing",
        "array statements",
        "globals",
        "32-bit reals",
        "optional arguments",
        "allocatable arrays",
        "reductions",
        "any control flow",
        "external routines",
        "arrays as results",
        "arrays as results, of the size that a parameter says",
        "arrays as results of what is differentiated",
        "Statement",
        "Auto",
        "Preaccumulate",
        "counters true",
        "counters false",
        "markers true",
        "markers false",
        "merge true",
        "merge false",
        "Trace",
        "Structure",
        "Needed",
        "Always",
        "flow limit 0",
        "no search",
        "search",
        "long search",
        "Plain",
        "UnitFree",
        "ConstantAware",
        "Vertex",
        "Edge",
        "Face",
        "heuristic",
    ] {
        assert!(found.contains(wanted), "no {wanted} among {found:?}");
    }
}

/// The kinds of constructs that a program has.
fn features(program: &Program, found: &mut BTreeSet<String>) {
    let mut add = |there: bool, name: &str| {
        if there {
            found.insert(name.to_owned());
        }
    };
    add(!program.globals.is_empty(), "globals");
    for (r, routine) in program.routines.iter().enumerate() {
        add(routine.aliased, "aliasing");
        add(
            routine.control == cfg_core::ir::Control::General,
            "any control flow",
        );
        add(routine.body.is_none(), "external routines");
        if let Some(result) = routine.result.map(|v| routine.variable(v))
            && result.rank() > 0
        {
            add(true, "arrays as results");
            add(
                result.constant_size().is_none(),
                "arrays as results, of the size that a parameter says",
            );
            add(
                program.main == Some(RoutineId::new(r)),
                "arrays as results of what is differentiated",
            );
        }
        for variable in &routine.variables {
            add(variable.ty == ScalarType::Real32, "32-bit reals");
            let optional = matches!(variable.role, Role::Parameter { optional: true, .. });
            add(optional, "optional arguments");
            let deferred = |dim: &cfg_core::ir::Dim| dim.extent == cfg_core::ir::Extent::Deferred;
            add(
                variable.role == Role::Local && variable.shape.iter().any(deferred),
                "allocatable arrays",
            );
        }
        let vertices = routine.body.iter().flat_map(|cfg| cfg.vertices());
        for statement in vertices.flat_map(|(_, v)| v.statements()) {
            match &statement.kind {
                StmtKind::Call { callee, .. } => {
                    add(true, "calls");
                    add(*callee == RoutineId::new(r), "recursion");
                }
                StmtKind::Assign { target, value } => {
                    let section = |s: &Subscript| !matches!(s, Subscript::Index(_));
                    add(target.subscripts.iter().any(section), "array statements");
                    add(
                        matches!(value, Expr::Op(Op::Sum | Op::Product, _)),
                        "reductions",
                    );
                }
                _ => {}
            }
        }
    }
}

/// The values of the options, by name.
fn values(options: &Options) -> Vec<String> {
    let mut all = vec![
        match options.blocks {
            Blocks::Carry => "Carry",
            Blocks::Statement => "Statement",
            Blocks::Auto => "Auto",
            Blocks::Preaccumulate => "Preaccumulate",
        }
        .to_owned(),
        match options.unstructured {
            Unstructured::Trace => "Trace",
            Unstructured::Structure => "Structure",
        }
        .to_owned(),
        match options.strong {
            Strong::Needed => "Needed",
            Strong::Always => "Always",
        }
        .to_owned(),
        match options.work {
            0 => "no search",
            50 => "search",
            _ => "long search",
        }
        .to_owned(),
        format!("counters {}", options.counters),
        format!("markers {}", options.markers),
        format!("merge {}", options.merge),
        format!("flow limit {}", options.flow_limit),
        format!("{:?}", options.search.model),
    ];
    all.extend(options.search.technique.map(|t| format!("{t:?}")));
    all.extend(options.search.heuristic.map(|_| "heuristic".to_owned()));
    all
}

#[test]
fn shapes_of_jumps() {
    let mut all = Vec::new();
    for shape in jumps::shapes() {
        for seed in [0, 4, 14] {
            all.extend(jobs(shape.name, &shape.case, &options(seed), seed));
        }
    }
    check(&all);
}

/// In the layout of a graph each vertex that is reached stands once, and breaks leave loops that are open.
#[test]
fn layouts_place_each_vertex_once() {
    use cfg_core::structure::layout::{Jump, Layout, Step};
    let (mut loops, mut breaks) = (0, 0);
    let shapes = jumps::shapes().into_iter().map(|shape| shape.case.program);
    let general = (0..200).map(|seed| general::generate(seed).program);
    for routine in shapes.chain(general).flat_map(|program| program.routines) {
        let Some(cfg) = &routine.body else { continue };
        if cfg.vertices().any(|(_, v)| v.kind.test().is_some()) {
            continue;
        }
        let entry = cfg.entry().unwrap();
        let reached = cfg_core::graph::reachable(cfg, entry.index());
        let mut placed = vec![0; cfg.vertex_count()];
        let mut open = 0;
        for step in Layout::build(cfg).steps {
            match step {
                Step::Vertex(v) => placed[v.index()] += 1,
                Step::Loop(_) => (loops, open) = (loops + 1, open + 1),
                Step::EndLoop(_) => open -= 1,
                Step::Jump(_, Jump::Break(levels) | Jump::Continue(levels)) => {
                    breaks += 1;
                    assert!((1..=open).contains(&levels), "{}", routine.name);
                }
                _ => {}
            }
        }
        assert_eq!(open, 0);
        for (v, times) in placed.iter().enumerate() {
            assert_eq!(*times, usize::from(reached.contains(v)), "{}", routine.name);
        }
    }
    assert!(loops > 100 && breaks > 20, "{loops} loops, {breaks} breaks");
}

/// The original's own function in a file of derivatives compiles without a warning, whatever the program.
#[test]
fn files_that_replace() {
    use cfg_back::c;
    use cfg_core::validate::validate;
    let (mut made, mut texts) = (0, Vec::new());
    for (name, case) in families::ALL {
        for seed in seeds().step_by(6) {
            let case = case(seed);
            let program = validate(case.program.clone()).unwrap();
            let Ok(reversal) = cfg_reverse::reverse(&flat(&program), case.main, &options(seed))
            else {
                continue;
            };
            let routines = routines(&reversal);
            let Ok(reversed) = validate(reversal.program) else {
                continue;
            };
            for checks in [false, true] {
                let options = c::Options {
                    replace: true,
                    checks,
                    ..c::Options::default()
                };
                let Ok(text) = c::adjoint_with(&flat(&reversed), routines, options) else {
                    continue;
                };
                made += 1;
                texts.push((format!("{name} {seed}"), text));
            }
        }
    }
    assert!(made > 25, "{made}");
    let folder = tempfile::tempdir().unwrap();
    for (k, compiler) in ["cc", "clang"].into_iter().enumerate() {
        let Some(cc) = needs::tool(compiler) else {
            continue;
        };
        for (title, text) in texts.iter().skip(k).step_by(2) {
            std::fs::write(folder.path().join("f.c"), text).unwrap();
            let what = format!("{title}, {compiler}");
            strict::compile(&what, folder.path(), &cc, &["-fsyntax-only", "f.c"]);
        }
    }
}
