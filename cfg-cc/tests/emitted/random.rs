//! Random programs, fixtures, their gradients and tangents have the executor's bits.
//!
//! Each family takes its seeds from `CFGREV_CASES` programs, 15 if that is not set, and goes to the compiler in batches of
//! 50; a tenth is compiled with the sanitizers of addresses and of undefined behaviour.

use crate::{
    families::{self, options},
    support::{Job, flags, jobs, run_all},
};
use cfg_cc::Compiler;
use cfg_testkit::{case::Case, general, generate, jumps, kernels, needs};

/// The greatest number of programs in one file.
const BATCH: usize = 50;

/// Compiles and runs jobs, and fails with what is wrong.
pub(crate) fn check(jobs: &[Job]) {
    let Some(command) = needs::tool("cc") else {
        return;
    };
    let mut wrong = Vec::new();
    let (tenth, rest) = jobs.split_at(jobs.len().div_ceil(10));
    for (part, sanitized) in [(tenth, true), (rest, false)] {
        let compiler = Compiler {
            command: command.clone(),
            flags: flags(sanitized),
            counting: sanitized,
            ..Compiler::default()
        };
        for some in part.chunks(BATCH) {
            wrong.extend(run_all(some, &compiler));
        }
    }
    let (bad, all) = (wrong.len(), jobs.len());
    assert!(wrong.is_empty(), "{bad} of {all}:\n{}", wrong.join("\n"));
}

pub(crate) fn seeds() -> std::ops::Range<u64> {
    let number = |name: &str| std::env::var(name).ok().and_then(|n| n.parse().ok());
    let first: u64 = number("CFGREV_FIRST").unwrap_or(0);
    first..first + number("CFGREV_CASES").unwrap_or(15)
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
fn family(name: &str, case: impl Fn(u64) -> Case) {
    let mut all = Vec::new();
    for seed in seeds() {
        all.extend(jobs(
            &format!("{name} {seed}"),
            &case(seed),
            &options(seed),
            seed,
        ));
    }
    let least = 3 * seeds().count() * 3 / 4;
    assert!(all.len() >= least, "{} jobs of at least {least}", all.len());
    check(&all);
}

fn structured(name: &str, options: &generate::Options) {
    family(name, |seed| generate::generate(options, seed).unwrap());
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

#[test]
fn exact_programs() {
    structured("exact", &generate::Options::EXACT);
}

#[test]
fn smooth_programs() {
    structured("smooth", &generate::Options::SMOOTH);
}

#[test]
fn wide_programs() {
    structured("wide", &generate::Options::WIDE);
}

#[test]
fn wide_smooth_programs() {
    structured("wide smooth", &generate::Options::WIDE_SMOOTH);
}

#[test]
fn small_programs() {
    structured("small", &generate::Options::SMALL);
}

#[test]
fn general_programs() {
    family("general", general::generate);
}

/// The families that have no test of their own, a third as many programs of each.
#[test]
fn other_families() {
    let own = ["exact", "smooth", "wide", "wide smooth", "small", "general"];
    let mut all = Vec::new();
    for (name, case) in families::ALL.iter().filter(|(name, _)| !own.contains(name)) {
        for seed in seeds().step_by(3) {
            let title = format!("{name} {seed}");
            all.extend(jobs(&title, &case(seed), &options(seed), seed));
        }
    }
    assert!(!all.is_empty());
    check(&all);
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
        for step in Layout::of(cfg).steps {
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
            let Ok(reversal) = cfg_reverse::reverse(&program, case.main, &options(seed)) else {
                continue;
            };
            let routines = c::Adjoint {
                original: reversal.original,
                forward: reversal.forward,
                reverse: reversal.reverse,
                gradient: reversal.gradient,
            };
            let Ok(reversed) = validate(reversal.program) else {
                continue;
            };
            for checks in [false, true] {
                let options = c::Options {
                    replace: true,
                    checks,
                    ..c::Options::default()
                };
                let Ok(text) = c::adjoint_with(&reversed, routines, options) else {
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
            let flags = [
                "-std=c99",
                "-Wall",
                "-Wextra",
                "-pedantic",
                "-Werror",
                "-fsyntax-only",
            ];
            let ran = std::process::Command::new(&cc)
                .current_dir(folder.path())
                .args(flags)
                .arg("f.c")
                .output()
                .unwrap();
            let said = String::from_utf8_lossy(&ran.stderr);
            assert!(ran.status.success(), "{title}, {compiler}: {said}");
        }
    }
}
