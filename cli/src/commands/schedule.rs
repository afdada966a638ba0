//! `cfgrev schedule`: the steps that a loop with a checkpoint runs, as a picture.

use crate::{Outcome, args::Drawn, output::to_stdout};
use cfg_reverse::{Row, checkpoint_schedule};
use std::{
    io::{self, Write},
    num::NonZeroU32,
};

pub(crate) fn run(steps: u64, states: NonZeroU32, emit: Drawn) -> anyhow::Result<Outcome> {
    let rows: Vec<Row> = checkpoint_schedule(steps, states).collect();
    to_stdout(|out| match emit {
        Drawn::Text => write_text(out, &rows),
        Drawn::Dot => write_dot(out, &rows),
    })?;
    Ok(Outcome::Done)
}

/// A line for each row, in columns for steps, and the number of steps that are not recorded.
fn write_text(out: &mut dyn Write, rows: &[Row]) -> io::Result<()> {
    for row in rows {
        let mut line = " ".repeat(row.start as usize);
        let mut kept = row.kept.iter().copied().peekable();
        for step in row.start..row.reversed {
            line.push(match kept.next_if_eq(&step) {
                Some(_) => 'o',
                None if step > row.start => '-',
                None if row.reversed + 1 == rows.len() as u64 => 'o',
                None => '*',
            });
        }
        writeln!(out, "{line}R")?;
    }
    let run: u64 = rows.iter().map(|row| row.reversed - row.start).sum();
    writeln!(out, "{run} steps run without being recorded")
}

/// A tree: states, what is kept and reversed from them, and the steps that run on the way.
fn write_dot(out: &mut dyn Write, rows: &[Row]) -> io::Result<()> {
    writeln!(
        out,
        "digraph schedule {{\n  rankdir=LR\n  node [shape=box]\n  s0 [label=\"state 0\"]"
    )?;
    // The last node of each state, since states with one number may be kept several times.
    let (mut nodes, mut made) = (vec![(0, 0)], 0_u64);
    for row in rows {
        while nodes.pop_if(|(step, _)| *step > row.start).is_some() {}
        let Some(&(mut at, mut from)) = nodes.last() else {
            continue;
        };
        let edge = |out: &mut dyn Write, from: u64, to: &str, steps: u64| match steps {
            0 => writeln!(out, "  s{from} -> {to}"),
            1 => writeln!(out, "  s{from} -> {to} [label=\"1 step\"]"),
            _ => writeln!(out, "  s{from} -> {to} [label=\"{steps} steps\"]"),
        };
        for &step in &row.kept {
            made += 1;
            writeln!(out, "  s{made} [label=\"state {step}\"]")?;
            edge(out, from, &format!("s{made}"), step - at)?;
            nodes.push((step, made));
            (at, from) = (step, made);
        }
        let reversed = row.reversed;
        writeln!(
            out,
            "  r{reversed} [label=\"step {reversed}\", shape=ellipse]"
        )?;
        edge(out, from, &format!("r{reversed}"), reversed - at)?;
    }
    writeln!(out, "}}")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// States with one number that are kept at different times are different nodes.
    #[test]
    fn the_tree_has_each_state_and_each_step() {
        let rows: Vec<Row> = checkpoint_schedule(5, NonZeroU32::MIN.saturating_add(1)).collect();
        let mut out = Vec::new();
        write_dot(&mut out, &rows).expect("memory takes all");
        let text = String::from_utf8(out).expect("it is ASCII");
        let edges: Vec<&str> = text.lines().filter(|line| line.contains("->")).collect();
        assert_eq!(
            edges,
            [
                "  s0 -> s1 [label=\"3 steps\"]",
                "  s1 -> r4 [label=\"1 step\"]",
                "  s1 -> r3",
                "  s0 -> s2 [label=\"1 step\"]",
                "  s2 -> r2 [label=\"1 step\"]",
                "  s2 -> r1",
                "  s0 -> r0",
            ]
        );
        assert_eq!(text.matches("[label=\"state").count(), 3, "{text}");
    }
}
