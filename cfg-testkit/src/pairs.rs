//! The pairs of vertex types that an edge of a structured graph can connect.

use cfg_core::ir::{Cfg, Program, VertexType};
use std::collections::BTreeSet;
use std::fmt;

/// The source of an edge. A loop's two out-edges are different sources.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Source {
    /// ENTRY.
    Entry,
    /// BASICBLOCK.
    Block,
    /// A LOOP, by its exit edge.
    LoopExit,
    /// ENDBRANCH.
    EndBranch,
    /// A LOOP, into its body.
    LoopBody,
    /// BRANCH.
    Branch,
    /// ENDLOOP.
    EndLoop,
}

/// A pair of adjacent vertex types.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Pair {
    /// Source of the edge.
    pub from: Source,
    /// Type of its target. FORLOOP counts as LOOP.
    pub to: VertexType,
}

impl fmt::Display for Pair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let from = match self.from {
            Source::Entry => "ENTRY",
            Source::Block => "BASICBLOCK",
            Source::LoopExit => "LOOP (exit)",
            Source::EndBranch => "ENDBRANCH",
            Source::LoopBody => "LOOP (body)",
            Source::Branch => "BRANCH",
            Source::EndLoop => "ENDLOOP",
        };
        write!(f, "{from} -> {}", self.to.name())
    }
}

/// All 31 legal pairs.
pub fn legal() -> Vec<Pair> {
    use VertexType::{BasicBlock, Branch, EndBranch, EndLoop, Exit, Loop};
    let targets: [(&[Source], &[VertexType]); 5] = [
        (&[Source::Entry], &[BasicBlock, Loop, Branch, Exit]),
        (
            &[Source::Block, Source::LoopExit, Source::EndBranch],
            &[BasicBlock, Loop, EndLoop, Branch, EndBranch, Exit],
        ),
        (&[Source::LoopBody], &[BasicBlock, Loop, EndLoop, Branch]),
        (&[Source::Branch], &[BasicBlock, Loop, Branch, EndBranch]),
        (&[Source::EndLoop], &[Loop]),
    ];
    targets
        .iter()
        .flat_map(|(from, to)| from.iter().map(move |&from| (from, to)))
        .flat_map(|(from, to)| to.iter().map(move |&to| Pair { from, to }))
        .collect()
}

/// The pairs that occur in a graph.
pub fn of_graph(cfg: &Cfg) -> BTreeSet<Pair> {
    cfg.edges()
        .filter_map(|(_, e)| {
            let from = match (cfg.vertex(e.from).vertex_type(), e.label) {
                (VertexType::Entry, _) => Source::Entry,
                (VertexType::BasicBlock, _) => Source::Block,
                (VertexType::Loop | VertexType::ForLoop, None) => Source::LoopExit,
                (VertexType::Loop | VertexType::ForLoop, Some(_)) => Source::LoopBody,
                (VertexType::EndLoop, _) => Source::EndLoop,
                (VertexType::Branch, _) => Source::Branch,
                (VertexType::EndBranch, _) => Source::EndBranch,
                (VertexType::Exit, _) => return None,
            };
            let to = match cfg.vertex(e.to).vertex_type() {
                VertexType::ForLoop => VertexType::Loop,
                other => other,
            };
            Some(Pair { from, to })
        })
        .collect()
}

/// The pairs that occur in a program.
pub fn of_program(program: &Program) -> BTreeSet<Pair> {
    let graphs = program.routines.iter().filter_map(|r| r.body.as_ref());
    graphs.flat_map(of_graph).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::{Options, generate};

    #[test]
    fn there_are_31() {
        let all = legal();
        assert_eq!(all.len(), 31);
        assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), 31);
    }

    /// Generated programs have legal pairs only, and soon all of them but ENTRY -> EXIT.
    #[test]
    fn generated_programs_have_all_legal_pairs_and_no_other() {
        let legal: BTreeSet<Pair> = legal().into_iter().collect();
        let mut seen = BTreeSet::new();
        for seed in 0..300 {
            let Ok(case) = generate(&Options::SMALL, seed) else {
                panic!("seed {seed}");
            };
            seen.extend(of_program(&case.program));
        }
        let missing: Vec<String> = legal.difference(&seen).map(Pair::to_string).collect();
        let illegal: Vec<String> = seen.difference(&legal).map(Pair::to_string).collect();
        assert!(illegal.is_empty(), "{illegal:?}");
        assert!(
            missing.iter().all(|p| p.starts_with("ENTRY")),
            "{missing:?}"
        );
    }
}
