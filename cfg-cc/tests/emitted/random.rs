//! Random programs, fixtures, their gradients and tangents have the executor's bits.

use crate::support::{Job, jobs, run_all};
use cfg_cc::Compiler;
use cfg_reverse::{Blocks, Options};
use cfg_testkit::{general, generate, kernels, needs};

/// Strict flags, under which a warning counts as an error.
fn strict(more: &[&str]) -> Compiler {
    let Some(command) = needs::tool("cc") else { panic!("no compiler") };
    let flags = ["-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror", "-O0", "-fno-builtin", "-ffp-contract=off"];
    Compiler {
        command,
        flags: flags.iter().chain(more).map(|f| (*f).to_owned()).collect(),
        ..Compiler::default()
    }
}

fn check(jobs: &[Job], size: usize, more: &[&str]) {
    if needs::tool("cc").is_none() {
        return;
    }
    let compiler = strict(more);
    let wrong: Vec<String> = jobs.chunks(size).flat_map(|some| run_all(some, &compiler)).collect();
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), jobs.len(), wrong.join("\n"));
}

#[test]
fn fixtures() {
    let all: Vec<Job> = kernels::all()
        .iter()
        .flat_map(|kernel| jobs(kernel.name, &kernel.case(kernel.size), &Options::default(), 1))
        .collect();
    check(&all, 20, &[]);
}

fn seeds() -> u64 {
    std::env::var("CFGREV_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(100)
}

#[test]
fn exact_programs() {
    let mut all = Vec::new();
    for seed in 0..seeds() {
        let case = generate::generate(&generate::Options::EXACT, seed).unwrap();
        let options = Options {
            blocks: [Blocks::Statement, Blocks::Auto, Blocks::Preaccumulate][seed as usize % 3],
            ..Options::default()
        };
        all.extend(jobs(&format!("exact {seed}"), &case, &options, seed));
    }
    check(&all, 50, &[]);
}

#[test]
fn general_programs() {
    let mut all = Vec::new();
    for seed in 0..seeds() {
        let case = general::generate(seed);
        all.extend(jobs(&format!("general {seed}"), &case, &Options::default(), seed));
    }
    check(&all, 50, &[]);
}
