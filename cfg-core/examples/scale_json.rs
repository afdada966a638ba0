//! Reading, validating and writing at scale: time per million vertices, in units of serde_json reading the same
//! text into nothing, and peak memory.
//!
//! ```text
//! cargo run --release -p cfg-core --example scale_json -- 1000000
//! ```

use cfg_core::json;
use std::fmt::Write as _;
use std::io::Write as _;
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

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let n: usize = std::env::args()
        .nth(1)
        .map_or(Ok(1_000_000), |n| n.parse())?;
    let text = text(n).into_bytes();
    let size = text.len();
    let mut out = std::io::stdout().lock();
    writeln!(out, "{n} vertices, {:.1} MB of JSON", size as f64 / 1e6)?;

    let start = Instant::now();
    serde_json::from_slice::<serde::de::IgnoredAny>(&text)?;
    let unit = start.elapsed().as_secs_f64();
    writeln!(out, "IgnoredAny: {unit:.3} s = 1")?;

    let start = Instant::now();
    let program = json::read(&text)?;
    let read = start.elapsed().as_secs_f64();
    writeln!(out, "read:  {read:.3} s = {:.2}", read / unit)?;
    drop(text);
    if let Some(peak) = peak() {
        writeln!(
            out,
            "peak memory after reading, text included: {:.0} B per vertex",
            peak as f64 / n as f64
        )?;
    }

    let start = Instant::now();
    let checked = json::check(json::Parsed {
        program: Some(program),
        ..json::Parsed::default()
    });
    let validate = start.elapsed().as_secs_f64();
    writeln!(out, "validate: {validate:.3} s = {:.2}", validate / unit)?;
    if let Some(peak) = peak() {
        writeln!(
            out,
            "peak memory after validation: {:.0} B per vertex",
            peak as f64 / n as f64
        )?;
    }
    let program = checked.into_valid()?;

    let start = Instant::now();
    let mut written = 0;
    json::write(&program, Counter(&mut written))?;
    let write = start.elapsed().as_secs_f64();
    writeln!(
        out,
        "write: {write:.3} s = {:.2}, {:.1} MB",
        write / unit,
        written as f64 / 1e6
    )?;
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
