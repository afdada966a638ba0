//! The derivative programs of fixtures and random programs, byte by byte: a golden file has a hash of each, as JSON,
//! for each combination of options that makes a difference. If CFGREV_OUTPUTS names a folder, the originals are
//! written there, and `tests/outputs --random` compares the outputs of two commits for them.

use cfg_core::{entity::RoutineId, ir::Program, validate};
use cfg_format::json;
use cfg_reverse::{Blocks, Options, Unstructured, reverse, tangent};
use cfg_testkit::flat;
use cfg_testkit::{
    case::Case, general, generate, generate::Options as Generate, golden::golden, jumps, kernels,
    scale,
};
use std::fmt::Write as _;
use std::sync::atomic::{AtomicUsize, Ordering};

/// FNV-1a (Fowler, Noll, Vo), 64 bits.
struct Hash(u64);

impl std::io::Write for Hash {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
        }
        Ok(bytes.len())
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

fn hash(program: &Program) -> String {
    let mut hash = Hash(0xcbf2_9ce4_8422_2325);
    json::write(program, &mut hash).expect("hashing does not fail");
    format!("{:016x}", hash.0)
}

/// Names of columns, and options.
fn columns() -> [(&'static str, Options); 7] {
    let with = |change: fn(&mut Options)| {
        let mut options = Options {
            work: 2000,
            ..Options::default()
        };
        change(&mut options);
        options
    };
    [
        ("default", with(|_| {})),
        ("merge", with(|o| o.merge = true)),
        ("counters", with(|o| o.counters = true)),
        ("markers", with(|o| o.markers = true)),
        ("preaccumulate", with(|o| o.blocks = Blocks::Preaccumulate)),
        ("auto", with(|o| o.blocks = Blocks::Auto)),
        ("trace", with(|o| o.unstructured = Unstructured::Trace)),
    ]
}

/// The hashes of one program of a golden file.
fn line(file: &str, name: &str, program: &Program, main: RoutineId) -> String {
    let valid = validate::validate(program.clone()).expect("the program is valid");
    if let Some(folder) = std::env::var_os("CFGREV_OUTPUTS") {
        let name = format!("{file}-{}.json", name.replace('/', "_"));
        let to = std::fs::File::create(std::path::Path::new(&folder).join(name));
        let to = to.expect("the folder that CFGREV_OUTPUTS names can be written to");
        let mut marked = program.clone();
        marked.main = Some(main);
        json::write(&marked, std::io::BufWriter::new(to)).expect("there is space");
    }
    let mut line = name.to_owned();
    for (_, options) in columns() {
        let made = reverse(&flat(&valid), main, &options).expect("it can be reversed");
        write!(line, " {}", hash(&made.program)).unwrap();
    }
    let made = tangent(&flat(&valid), main).expect("it has a tangent");
    writeln!(line, " {}", hash(&made.program)).unwrap();
    line
}

/// The text of all lines, made on all cores.
fn lines(count: usize, make: impl Fn(usize) -> String + Sync) -> String {
    let next = AtomicUsize::new(0);
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let mut lines: Vec<(usize, String)> = std::thread::scope(|scope| {
        let work = || {
            let mut own = Vec::new();
            loop {
                let k = next.fetch_add(1, Ordering::Relaxed);
                if k >= count {
                    return own;
                }
                own.push((k, make(k)));
            }
        };
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        let done = workers.into_iter().map(|w| w.join().expect("no panic"));
        done.flatten().collect()
    });
    lines.sort_unstable();
    lines.into_iter().map(|(_, line)| line).collect()
}

fn compare(file: &str, count: usize, make: impl Fn(usize) -> String + Sync) {
    let names = columns().map(|(name, _)| name).join(" ");
    let text = format!("program {names} tangent\n{}", lines(count, make));
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/outputs");
    golden(format!("{folder}/{file}.txt"), &text);
}

fn of_case(file: &str, name: &str, case: &Case) -> String {
    line(file, name, &case.program, case.main)
}

#[test]
fn of_fixtures() {
    let kernels = kernels::all();
    compare("fixtures", kernels.len(), |k| {
        of_case(
            "fixtures",
            kernels[k].name,
            &kernels[k].case(kernels[k].size),
        )
    });
}

/// Arithmetic is exact, so that these programs are the same on every machine.
#[test]
fn of_random_structured_programs() {
    compare("structured", 200, |seed| {
        let options = if seed < 50 {
            Generate::EXACT
        } else {
            Generate::SMALL
        };
        let case = generate::generate(&options, seed as u64).expect("runs do not fail");
        of_case("structured", &format!("{seed}"), &case)
    });
}

#[test]
fn of_random_general_programs() {
    compare("general", 200, |seed| {
        of_case(
            "general",
            &format!("{seed}"),
            &general::generate(seed as u64),
        )
    });
}

#[test]
fn of_programs_with_jumps_and_deep_ones() {
    let shapes = jumps::shapes();
    let main = RoutineId::new(0);
    compare("shapes", shapes.len() + 4, |k| {
        match k.checked_sub(shapes.len()) {
            None => of_case("shapes", &shapes[k].name.replace(' ', "_"), &shapes[k].case),
            Some(0) => line("shapes", "mixed", &scale::mixed(1000, 1), main),
            Some(1) => line("shapes", "nested_loops", &scale::nested_loops(30), main),
            Some(2) => line(
                "shapes",
                "nested_branches",
                &scale::nested_branches(30),
                main,
            ),
            Some(_) => line("shapes", "chain", &scale::chain(100), main),
        }
    });
}
