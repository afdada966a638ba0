//! Reading, validating, reversing and writing at scale, and the same as C: times in units of serde_json reading the same
//! text into nothing, peak memory, and growth from a hundredth of the size on. Times are processor times of the
//! thread, where the system tells them.
//!
//! ```text
//! cargo run --release -p cfg-drive --example scale -- 1000000
//! ```

use cfg_back::c;
use cfg_core::{entity::RoutineId, flat::Flat};
use cfg_format::json;
use std::fmt::Write as _;
use std::time::Instant;

/// A routine of `n` vertices: loops and branches in a row, nested three deep.
fn text(n: usize) -> String {
    let mut vertices = String::new();
    let mut edges = String::new();
    let mut id = 0;
    let mut vertex = |rest: &str| {
        id += 1;
        let comma = if id > 1 { ",\n" } else { "" };
        let _ = write!(vertices, "{comma}    {{\"id\": {id}, \"type\": {rest}}}");
        id
    };
    let mut first = true;
    let mut edge = |from: i64, to: i64, label: &str| {
        let comma = if first { "" } else { ",\n" };
        first = false;
        let _ = write!(
            edges,
            "{comma}    {{\"from\": {from}, \"to\": {to}{label}}}"
        );
    };
    let mut last = vertex("\"ENTRY\"");
    let mut last_label = "";
    for _ in 0..n.saturating_sub(2) / 10 {
        let header = vertex(
            "\"LOOP\", \"test\": \"counted\", \"index\": \"i\", \"first\": 1, \"last\": \"n\"",
        );
        edge(last, header, last_label);
        let inner = vertex(
            "\"LOOP\", \"test\": \"counted\", \"index\": \"j\", \"first\": 1, \"last\": \"i\"",
        );
        edge(header, inner, ", \"label\": 1");
        let branch = vertex("\"BRANCH\", \"condition\": [\"<\", \"i\", \"j\"]");
        edge(inner, branch, ", \"label\": 1");
        let yes = vertex(
            "\"BASICBLOCK\", \"statements\": [[\"=\", [\"[]\", \"y\", \"i\"], [\"*\", [\"[]\", \"x\", \"j\"], [\"sin\", \"s\"]]]]",
        );
        edge(branch, yes, ", \"label\": 1");
        let no = vertex(
            "\"BASICBLOCK\", \"statements\": [[\"=\", \"s\", [\"+\", \"s\", [\"*\", 0.5, [\"[]\", \"x\", \"j\"]]]]]",
        );
        edge(branch, no, ", \"label\": 0");
        let join = vertex("\"ENDBRANCH\"");
        edge(yes, join, "");
        edge(no, join, "");
        let end_inner = vertex("\"ENDLOOP\"");
        edge(join, end_inner, "");
        edge(end_inner, inner, "");
        let block = vertex(
            "\"BASICBLOCK\", \"statements\": [[\"=\", \"s\", [\"*\", \"s\", [\"[]\", \"y\", \"i\"]]]]",
        );
        edge(inner, block, "");
        let end = vertex("\"ENDLOOP\"");
        edge(block, end, "");
        edge(end, header, "");
        let after = vertex("\"BASICBLOCK\", \"statements\": [[\"=\", \"s\", [\"-\", \"s\", 1.5]]]");
        edge(header, after, "");
        last = after;
        last_label = "";
    }
    let exit = vertex("\"EXIT\"");
    edge(last, exit, "");
    format!(
        "{{\"format\": \"cfgrev/1\",\n \"routines\": [\n  {{\"name\": \"f\",\n   \"parameters\": [\n    \
         {{\"name\": \"n\", \"type\": \"integer\", \"intent\": \"in\"}},\n    \
         {{\"name\": \"x\", \"type\": \"real\", \"shape\": [\"n\"], \"intent\": \"in\"}},\n    \
         {{\"name\": \"y\", \"type\": \"real\", \"shape\": [\"n\"], \"intent\": \"inout\"}},\n    \
         {{\"name\": \"s\", \"type\": \"real\", \"intent\": \"inout\"}}],\n   \"locals\": [\n    \
         {{\"name\": \"i\", \"type\": \"integer\"}},\n    {{\"name\": \"j\", \"type\": \"integer\"}}],\n   \
         \"independents\": [\"x\"],\n   \"dependents\": [\"s\"],\n   \"vertices\": [\n{vertices}],\n   \
         \"edges\": [\n{edges}]}}]}}\n"
    )
}

/// Peak resident memory in bytes, where the system tells it.
fn peak() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    let kilobytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes * 1024)
}

/// Time that this thread has had on a processor; where the system does not say, time that has passed.
fn clock(start: Instant) -> f64 {
    let spent = || {
        let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
        let nanoseconds: f64 = text.split(' ').next()?.parse().ok()?;
        Some(nanoseconds * 1e-9)
    };
    spent().unwrap_or_else(|| start.elapsed().as_secs_f64())
}

/// Seconds of reading, validating, reversing and writing a program of `n` vertices, and peak memory.
fn measure(n: usize, out: &mut impl std::io::Write) -> Result<f64, Box<dyn std::error::Error>> {
    let mut text = text(n).into_bytes();
    writeln!(
        out,
        "{n} vertices, {:.1} MB of JSON",
        text.len() as f64 / 1e6
    )?;
    let zero = Instant::now();
    let now = || clock(zero);
    // The mean of some repetitions: the clock is coarse.
    let repetitions = 1 + 1_000_000 / n;
    let start = now();
    for _ in 0..repetitions {
        serde_json::from_slice::<serde::de::IgnoredAny>(&text)?;
    }
    let unit = (now() - start) / repetitions as f64;
    writeln!(out, "  serde_json into IgnoredAny  {unit:8.3} s =  1")?;
    let stages = ["read and validate", "reverse", "write the three graphs"];
    let mut seconds = [0.0; 3];
    let mut peaks = [0.0; 3];
    let mut written = 0;
    // Stages that take a few ticks of the clock only are repeated as well; memory is that of the first time.
    let repetitions = 1.max(100_000 / n);
    for repetition in 0..repetitions {
        let mut stage = 0;
        let mut end = |start: f64| {
            seconds[stage] += (now() - start) / repetitions as f64;
            if repetition == 0 {
                peaks[stage] = peak().map_or(0.0, |p| p as f64 / n as f64);
            }
            stage += 1;
        };
        let again = (repetition + 1 < repetitions).then(|| text.clone());
        let start = now();
        let program = json::read_valid(&text)?;
        drop(text);
        end(start);
        let start = now();
        let reversal = cfg_reverse::reverse(
            &Flat::check(program)?,
            RoutineId::new(0),
            &cfg_reverse::Options::default(),
        )?;
        end(start);
        let start = now();
        written = 0;
        json::write(&reversal.program, Counter(&mut written))?;
        end(start);
        text = again.unwrap_or_default();
    }
    for ((stage, seconds), peak) in stages.iter().zip(seconds).zip(peaks) {
        writeln!(
            out,
            "  {stage:26}  {seconds:8.3} s = {:5.2}   peak so far {peak:5.0} B per vertex",
            seconds / unit
        )?;
    }
    writeln!(out, "  {:.1} MB written", written as f64 / 1e6)?;
    Ok(seconds.iter().sum())
}

/// Seconds of reading and validating a program of `n` vertices, of writing it as C, and the two of its adjoint program,
/// the forward sweep, the reverse sweep and the gradient: the least of some repetitions.
fn emission(
    n: usize,
    out: &mut impl std::io::Write,
) -> Result<[f64; 4], Box<dyn std::error::Error>> {
    let text = text(n).into_bytes();
    let zero = Instant::now();
    let mut seconds = [f64::INFINITY; 4];
    let mut bytes = [text.len(), 0, 0, 0];
    let mut vertices = 0;
    for _ in 0..3.max(300_000 / n) {
        let mut times = [0.0; 5];
        times[0] = clock(zero);
        let program = json::read_valid(&text)?;
        times[1] = clock(zero);
        let program = Flat::check(program)?;
        bytes[1] = c::program(&program)?.len();
        times[2] = clock(zero);
        let options = cfg_reverse::Options::default();
        let reversal = cfg_reverse::reverse(&program, RoutineId::new(0), &options)?;
        drop(program);
        let routines = c::Adjoint {
            original: RoutineId::new(0),
            forward: reversal.forward,
            reverse: reversal.reverse,
            gradient: reversal.gradient,
        };
        let mut written = Vec::new();
        json::write(&reversal.program, &mut written)?;
        drop(reversal.program);
        bytes[2] = written.len();
        let start = clock(zero);
        let reversed = json::read_valid(&written)?;
        times[3] = clock(zero) - start;
        drop(written);
        let graphs = [routines.forward, routines.reverse, routines.gradient].map(|r| {
            let body = reversed.routine(r).body.as_ref();
            body.map_or(0, |cfg| cfg.vertex_count())
        });
        vertices = graphs.iter().sum();
        let start = clock(zero);
        bytes[3] = c::adjoint(&Flat::check(reversed)?, routines)?.len();
        times[4] = clock(zero) - start;
        let found = [times[1] - times[0], times[2] - times[1], times[3], times[4]];
        for (least, found) in seconds.iter_mut().zip(found) {
            *least = least.min(found);
        }
    }
    writeln!(out, "  the adjoint has {vertices} vertices")?;
    let stages = [
        ("read and validate", 0),
        ("C of the program", 0),
        ("read the adjoint", 2),
        ("C of the adjoint", 2),
    ];
    for (((stage, reading), seconds_of), bytes) in stages.iter().zip(seconds).zip(bytes) {
        writeln!(
            out,
            "  {stage:26}  {seconds_of:8.3} s = {:5.2} of reading the same, {:.1} MB",
            seconds_of / seconds[*reading],
            bytes as f64 / 1e6
        )?;
    }
    Ok(seconds)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let largest: usize = std::env::args()
        .nth(1)
        .map_or(Ok(1_000_000), |n| n.parse())?;
    let mut out = std::io::stdout().lock();
    let mut points = Vec::new();
    let mut emitted = Vec::new();
    let mut n = largest / 100;
    while n <= largest {
        points.push((n as f64, measure(n, &mut out)?));
        let [_, program, _, adjoint] = emission(n, &mut out)?;
        emitted.push((n as f64, program + adjoint));
        n *= 10;
    }
    slopes("", &points, &mut out)?;
    slopes("C: ", &emitted, &mut out)?;
    Ok(())
}

/// The growth between any two points.
fn slopes(
    title: &str,
    points: &[(f64, f64)],
    out: &mut impl std::io::Write,
) -> std::io::Result<()> {
    for (first, &(from, start)) in points.iter().enumerate() {
        for &(to, end) in &points[first + 1..] {
            let slope = (end / start).ln() / (to / from).ln();
            writeln!(
                out,
                "{title}slope of log time over log n from {from} to {to}: {slope:.2}"
            )?;
        }
    }
    Ok(())
}

/// Counts bytes.
struct Counter<'c>(&'c mut usize);

impl std::io::Write for Counter<'_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        *self.0 += bytes.len();
        Ok(bytes.len())
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
