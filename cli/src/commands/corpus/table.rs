//! The result as a table for people.

use super::{Report, Status};
use std::io::{self, Write};

const HEAD: [&str; 11] = [
    "program", "vertices", "loops", "branches", "calls", "adjoint", "tangent", "stack", "bits",
    "bytes", "status",
];

pub(super) fn write(out: &mut dyn Write, reports: &[Report]) -> io::Result<()> {
    let rows: Vec<[String; 11]> = reports.iter().map(row).collect();
    let mut widths = HEAD.map(str::len);
    for row in &rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count());
        }
    }
    line(out, &HEAD.map(str::to_owned), &widths, "")?;
    for (row, report) in rows.iter().zip(reports) {
        line(out, row, &widths, &report.why)?;
    }
    let count = |status| reports.iter().filter(|r| r.status == status).count();
    writeln!(
        out,
        "\n{} programs: {} agree, {} differ, {} unsupported, {} without reference",
        reports.len(),
        count(Status::Agrees),
        count(Status::Differs),
        count(Status::Unsupported),
        count(Status::NoReference)
    )?;
    let failing: Vec<&Report> = reports.iter().filter(|r| r.openad_fails).collect();
    if !failing.is_empty() {
        writeln!(out, "\nOpenAD's adjoint mode is on record as failing on:")?;
        for report in failing {
            writeln!(out, "  {}: {}", report.name, report.status.name())?;
        }
    }
    Ok(())
}

fn row(report: &Report) -> [String; 11] {
    let error = |e: Option<f64>| e.map_or("-".to_owned(), |e| format!("{e:.1e}"));
    let number = |n: Option<u64>| n.map_or("-".to_owned(), |n| n.to_string());
    let size = report.size;
    [
        report.name.clone(),
        size.vertices.to_string(),
        size.loops.to_string(),
        size.branches.to_string(),
        size.calls.to_string(),
        error(report.adjoint),
        error(report.tangent),
        match report.stack {
            None => "-".to_owned(),
            Some(0) => "ok".to_owned(),
            Some(n) => format!("{n} wrong"),
        },
        number(report.tape.map(|t| t.0)),
        number(report.tape.map(|t| t.1)),
        report.status.name().to_owned(),
    ]
}

/// The name at the left, numbers at the right, the status with its reason last.
fn line(
    out: &mut dyn Write,
    cells: &[String; 11],
    widths: &[usize; 11],
    why: &str,
) -> io::Result<()> {
    let [name, numbers @ .., status] = cells;
    let mut text = format!("{name:0$}", widths[0]);
    for (cell, width) in numbers.iter().zip(&widths[1..]) {
        text.push_str(&format!("  {cell:>width$}"));
    }
    text.push_str(&format!("  {status}"));
    if !why.is_empty() {
        text.push_str(&format!(" ({why})"));
    }
    writeln!(out, "{text}")
}
