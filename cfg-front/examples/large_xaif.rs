//! Reads and writes a large document and prints time and peak memory. The argument is its size in MB, by default 100.
//!
//! `cargo run --release -p cfg-front --example large_xaif`
#![allow(clippy::print_stdout, reason = "an example reports")]

use cfg_front::xaif::{Options, read_xaif, write_xaif};
use std::fmt::Write as _;
use std::time::Instant;

const HEAD: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<xaif:CallGraph xmlns:xaif="http://www.mcs.anl.gov/XAIF" program_name="large" prefix="OpenAD_">
  <xaif:ScopeHierarchy>
    <xaif:Scope vertex_id="1"><xaif:SymbolTable>
      <xaif:Symbol symbol_id="head_1" kind="subroutine" type="void"/>
    </xaif:SymbolTable></xaif:Scope>
    <xaif:Scope vertex_id="2"><xaif:SymbolTable>
      <xaif:Symbol symbol_id="X_1" kind="variable" type="real" feType="F8" shape="scalar" active="1"/>
      <xaif:Symbol symbol_id="Y_2" kind="variable" type="real" feType="F8" shape="scalar" active="1"/>
    </xaif:SymbolTable></xaif:Scope>
    <xaif:ScopeEdge edge_id="1" source="2" target="1"/>
  </xaif:ScopeHierarchy>
  <xaif:ControlFlowGraph vertex_id="1" scope_id="1" symbol_id="head_1" controlflowgraph_scope_id="2">
    <xaif:ArgumentList>
      <xaif:ArgumentSymbolReference position="1" scope_id="2" symbol_id="X_1" intent="in"/>
      <xaif:ArgumentSymbolReference position="2" scope_id="2" symbol_id="Y_2" intent="inout"/>
    </xaif:ArgumentList>
    <xaif:Entry vertex_id="1"/>
"#;

fn document(bytes: usize) -> String {
    let mut out = String::with_capacity(bytes + (bytes >> 3));
    out.push_str(HEAD);
    let mut vertex = 1;
    let mut statement = 0;
    // Blocks of 10 statements, one after the other.
    while out.len() < bytes {
        vertex += 1;
        let _ = writeln!(
            out,
            "    <xaif:BasicBlock vertex_id=\"{vertex}\" scope_id=\"2\">"
        );
        for _ in 0..10 {
            statement += 1;
            let _ = write!(
                out,
                r#"      <xaif:Assignment statement_id="{statement}" lineNumber="{statement}">
        <xaif:AssignmentLHS><xaif:SymbolReference vertex_id="1" scope_id="2" symbol_id="Y_2"/></xaif:AssignmentLHS>
        <xaif:AssignmentRHS>
          <xaif:Intrinsic vertex_id="1" name="mul_scal_scal" type="***"/>
          <xaif:VariableReference vertex_id="2" du_ud="2" alias="3">
            <xaif:SymbolReference vertex_id="1" scope_id="2" symbol_id="X_1"/>
          </xaif:VariableReference>
          <xaif:VariableReference vertex_id="3" du_ud="2" alias="3">
            <xaif:SymbolReference vertex_id="1" scope_id="2" symbol_id="Y_2"/>
          </xaif:VariableReference>
          <xaif:ExpressionEdge edge_id="1" source="2" target="1" position="1"/>
          <xaif:ExpressionEdge edge_id="2" source="3" target="1" position="2"/>
        </xaif:AssignmentRHS>
      </xaif:Assignment>
"#
            );
        }
        out.push_str("    </xaif:BasicBlock>\n");
    }
    vertex += 1;
    let _ = writeln!(out, "    <xaif:Exit vertex_id=\"{vertex}\"/>");
    for edge in 1..vertex {
        let target = edge + 1;
        let _ = writeln!(
            out,
            "    <xaif:ControlFlowEdge edge_id=\"{edge}\" source=\"{edge}\" target=\"{target}\"/>"
        );
    }
    out.push_str("  </xaif:ControlFlowGraph>\n</xaif:CallGraph>\n");
    out
}

/// The peak memory of the process in MB; `None` on systems without `/proc`.
fn peak() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|l| l.starts_with("VmHWM:"))?;
    let kilobytes: f64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes / 1024.0)
}

fn main() -> std::io::Result<()> {
    let wanted = std::env::args().nth(1).and_then(|n| n.parse().ok());
    let text = document(wanted.unwrap_or(100) * 1_000_000);
    let show = |what: &str, start: Instant| {
        let memory = peak().map_or_else(|| "?".to_owned(), |p| format!("{p:.0}"));
        println!(
            "{what:10} {:8.2} s, peak {memory} MB",
            start.elapsed().as_secs_f64()
        );
    };
    println!("document   {:8.1} MB", text.len() as f64 / 1e6);
    let start = Instant::now();
    let (program, problems) = read_xaif(text.as_bytes(), &Options::default());
    show("read", start);
    let Some(program) = program else {
        println!("{problems}");
        return Ok(());
    };
    drop(text);
    let start = Instant::now();
    let mut out = Vec::new();
    write_xaif(&program, &mut out)?;
    show("written", start);
    let start = Instant::now();
    let same = read_xaif(&out, &Options::default()).0.as_ref() == Some(&program);
    show("read back", start);
    println!("the same program: {same}");
    Ok(())
}
