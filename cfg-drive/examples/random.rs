//! Random programs of all that the format allows, each checked in one setting or in all, for hours if
//! wanted: `cargo run --release -p cfg-drive --example random -- FIRST END [all]` takes the seeds FIRST to END - 1,
//! prints counts every few minutes, and at the end the constructs of the programs and the outcomes; it leaves failing
//! programs in the folder that CFGREV_KEEP names; CFGREV_SHRINK limits the attempts to make one smaller.
#![expect(clippy::print_stdout, reason = "an example prints")]

#[path = "../tests/it/random/mod.rs"]
mod random;

use cfg_format::json;
use cfg_testkit::case::Case;
use cfg_testkit::census::{Census, Distribution};
use cfg_testkit::generate::{Options, dressed, generate_with_trees};
use cfg_testkit::members;
use cfg_testkit::{general, shrink};
use random::{Depth, Found, Setting, agrees, all, drawn};
use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::time::{Duration, Instant};

fn main() {
    let mut arguments = std::env::args().skip(1);
    let mut number = || arguments.next().and_then(|s| s.parse::<u64>().ok());
    let (first, end) = (number().unwrap_or(0), number().unwrap_or(100));
    let every = arguments.next().as_deref() == Some("all");
    let keep = std::env::var_os("CFGREV_KEEP").map(PathBuf::from);
    let mut run = Run {
        schema: json::schema(),
        ..Run::default()
    };
    let mut told = Instant::now();
    for seed in first..end {
        run.seed(seed, every, keep.as_deref());
        if told.elapsed() >= Duration::from_secs(180) {
            told = Instant::now();
            println!("seeds {first} to {seed}: {}", run.counts());
        }
    }
    run.print(first, end);
    if !run.failures.is_empty() {
        std::process::exit(1);
    }
}

#[derive(Default)]
struct Run {
    schema: serde_json::Value,
    distribution: Distribution,
    members: BTreeSet<String>,
    checked: u64,
    refused: BTreeMap<String, u64>,
    failures: Vec<(u64, String)>,
}

impl Run {
    /// Of ten programs six compute with whole numbers, three with smooth functions, one of these with jumps and records, and one is a
    /// graph of blocks and jumps.
    fn seed(&mut self, seed: u64, every: bool, keep: Option<&std::path::Path>) {
        let (exact, options) = match seed % 10 {
            0..6 => (true, Some(Options::WIDE)),
            6 => (false, Some(Options::MIXED)),
            7 | 8 => (false, Some(Options::WIDE_SMOOTH)),
            _ => (true, None),
        };
        let generated = options.map(|options| generate_with_trees(&options, seed));
        let case = match &generated {
            None => dressed(&general::generate(seed), seed),
            Some(Ok(generated)) => generated.case.clone(),
            Some(Err(fault)) => {
                self.failures.push((seed, format!("generator: {fault:?}")));
                return;
            }
        };
        if let Ok(census) = Census::take(&case) {
            self.distribution.add(census);
        }
        self.note(&case);
        let settings = if every { all() } else { vec![drawn(seed)] };
        for (k, setting) in settings.into_iter().enumerate() {
            self.checked += 1;
            let depth = if every {
                Depth::turns(seed, k)
            } else {
                Depth::drawn(seed)
            };
            match judge(&case, exact, &setting, depth) {
                Ok(Found::Agrees) => {}
                Ok(Found::Refused(code)) => *self.refused.entry(code).or_default() += 1,
                Err(message) => {
                    let shown: String = message.chars().take(300).collect();
                    println!("seed {seed}, {setting:?}: {shown}");
                    let mut small = case.clone();
                    if let Some(Ok(generated)) = &generated {
                        let kind = kind(&message);
                        let tries = std::env::var("CFGREV_SHRINK").ok();
                        let tries = tries.and_then(|s| s.parse().ok()).unwrap_or(600);
                        let shrunk = shrink::shrink(generated, tries, |case| {
                            judge(case, exact, &setting, depth)
                                .is_err_and(|m| self::kind(&m) == kind)
                        });
                        small = shrunk.case;
                    }
                    if let Some(keep) = keep {
                        let again = judge(&small, exact, &setting, depth).err();
                        let text = format!("{setting:?}\n{message}\n{}", again.unwrap_or_default());
                        write(keep, seed, &small, &text);
                    }
                    self.failures.push((seed, message));
                    break;
                }
            }
        }
    }

    fn note(&mut self, case: &Case) {
        let mut bytes = Vec::new();
        if json::write(&case.program, &mut bytes).is_ok()
            && let Ok(document) = serde_json::from_slice(&bytes)
            && let Ok(found) = members::present_in(&self.schema, &document)
        {
            self.members.extend(found);
        }
    }

    fn counts(&self) -> String {
        let failed = self.failures.len();
        format!(
            "{} checks, refused {:?}, failed {failed}",
            self.checked, self.refused
        )
    }

    fn print(&self, first: u64, end: u64) {
        println!(
            "seeds {first} to {}: {}",
            end.saturating_sub(1),
            self.distribution
        );
        let all = members::all(&self.schema);
        let drawn = all.intersection(&self.members).count();
        println!(
            "members, words and operators of the format: {drawn} of {}",
            all.len()
        );
        let missing: Vec<&String> = all.difference(&self.members).collect();
        println!("not drawn: {missing:?}");
        println!("{}", self.counts());
        let mut kinds: BTreeMap<String, Vec<u64>> = BTreeMap::new();
        for (seed, message) in &self.failures {
            kinds.entry(kind(message)).or_default().push(*seed);
        }
        for (kind, seeds) in kinds {
            println!(
                "  {kind}: {} {:?}",
                seeds.len(),
                &seeds[..seeds.len().min(8)]
            );
        }
    }
}

/// The first words of a message, without names and numbers.
fn kind(message: &str) -> String {
    let words = message.split_whitespace().take(7);
    let plain = |w: &str| {
        !w.contains(['"', '['])
            && !w.contains(|c: char| c.is_ascii_digit() && !w.starts_with("error["))
    };
    words
        .filter(|w| plain(w) || w.starts_with("error["))
        .collect::<Vec<_>>()
        .join(" ")
}

fn judge(case: &Case, exact: bool, setting: &Setting, depth: Depth) -> Result<Found, String> {
    let result = catch_unwind(AssertUnwindSafe(|| agrees(case, exact, setting, depth)));
    result.unwrap_or_else(|payload| {
        let text = payload.downcast_ref::<String>().cloned();
        let text = text.or_else(|| payload.downcast_ref::<&str>().map(|s| (*s).to_owned()));
        Err(format!("panic: {}", text.unwrap_or_default()))
    })
}

/// Writes the program, its point, and the failure.
fn write(folder: &std::path::Path, seed: u64, case: &Case, message: &str) {
    let mut bytes = Vec::new();
    let text = format!(
        "{message}\ndirection {:?}\nseed {:?}\n",
        case.direction, case.seed
    );
    let written = json::write(&case.program, &mut bytes).is_ok()
        && std::fs::write(folder.join(format!("{seed}.json")), bytes).is_ok()
        && std::fs::write(folder.join(format!("{seed}.point.json")), case.point_text()).is_ok()
        && std::fs::write(folder.join(format!("{seed}.txt")), text).is_ok();
    if !written {
        println!("seed {seed}: the program could not be kept");
    }
}
