//! Greedy heuristics: a chain of filters, each of which keeps the best of the eliminations that the one
//! before left over, ending in forward or reverse order, which leaves exactly one.
//!
//! Naumann et al. 2004, section 3.2; Albrecht, Gottschling, Naumann, Markowitz-type heuristics for
//! computing Jacobian matrices efficiently, ICCS 2003.

mod dual;
mod queue;
mod reach;
mod score;
mod sibling;

use std::fmt;

use crate::cost::Counts;
use crate::eliminate::Step;
use crate::lcg::Lcg;

pub use queue::{Bar, Limits};

/// The part of a graph that a step eliminates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Technique {
    /// Vertices.
    Vertex,
    /// Edges, front or back.
    Edge,
    /// Faces of the dual graph.
    Face,
}

impl Technique {
    /// The name on the command line and in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Vertex => "vertex",
            Self::Edge => "edge",
            Self::Face => "face",
        }
    }
}

/// A rule of a heuristic: one filter of its chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Rule {
    /// The rule FM: the first in topological order. For edges: by the vertex between (target of a front, source
    /// of a back elimination), then front before back, then by the other end.
    Forward,
    /// The rule RM: as [`Rule::Forward`], with both vertex comparisons reversed.
    Reverse,
    /// The rule LM: lowest Markowitz degree.
    LowestMarkowitz,
    /// The rule LR: lowest Markowitz degree relative to the cost of eliminating the vertex last.
    LowestRelativeMarkowitz,
    /// The rule LFI: fewest new edges.
    LowestFillIn,
    /// The rule LMMD: lowest Markowitz degree plus the damage done to the degrees of the neighbours.
    MinimalDamage,
    /// The rule MOMR: largest decrease of the sum of all Markowitz degrees.
    MaximalReduction,
    /// The rule HS: highest sibling degree with respect to the previous elimination; all, if that is 0.
    SiblingDegree,
}

impl Rule {
    const ALL: [Self; 8] = [
        Self::Forward,
        Self::Reverse,
        Self::LowestMarkowitz,
        Self::LowestRelativeMarkowitz,
        Self::LowestFillIn,
        Self::MinimalDamage,
        Self::MaximalReduction,
        Self::SiblingDegree,
    ];

    /// The abbreviation used in heuristic keys.
    pub fn name(self) -> &'static str {
        match self {
            Self::Forward => "FM",
            Self::Reverse => "RM",
            Self::LowestMarkowitz => "LM",
            Self::LowestRelativeMarkowitz => "LR",
            Self::LowestFillIn => "LFI",
            Self::MinimalDamage => "LMMD",
            Self::MaximalReduction => "MOMR",
            Self::SiblingDegree => "HS",
        }
    }

    fn is_unique(self) -> bool {
        matches!(self, Self::Forward | Self::Reverse)
    }
}

/// A heuristic: a technique and a chain of rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Heuristic {
    technique: Technique,
    /// The rules. No rule occurs twice, so the array has room for all; unused entries are `Forward`.
    chain: [Rule; Rule::ALL.len()],
    length: usize,
    by_vertex: bool,
}

/// The reason for which a chain of rules is no heuristic.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HeuristicError {
    /// The choice would not be unique.
    #[error(
        "the chain must end in FM or RM, so that the choice is unique, and have neither before its end"
    )]
    NotUnique,
    /// A rule occurs twice, so the second one has no effect.
    #[error("rule {0} occurs twice in the chain; delete the second")]
    Repeated(&'static str),
    /// The rule is not defined for the technique.
    #[error("{rule} is not defined for {technique} elimination; use FM, RM, LM or HS")]
    Undefined {
        /// The rule, which the technique does not have.
        rule: &'static str,
        /// The name of the technique.
        technique: &'static str,
    },
    /// The key cannot be read.
    #[error(
        "{0:?} is no heuristic: write technique-RULE-...-FM or -RM, e.g. vertex-LM-RM, edge-emLM-RM, edge-HS-LM-RM, or `paper` for the last; rules are FM, RM, LM, LR, LFI, LMMD, MOMR, HS"
    )]
    Key(String),
}

impl Heuristic {
    /// A heuristic from a chain of rules.
    ///
    /// # Errors
    /// The chain does not leave a unique choice, repeats a rule or uses one that is not defined.
    pub fn new(technique: Technique, rules: &[Rule]) -> Result<Self, HeuristicError> {
        let unique = rules.iter().filter(|rule| rule.is_unique()).count();
        if unique != 1 || !rules.last().is_some_and(|rule| rule.is_unique()) {
            return Err(HeuristicError::NotUnique);
        }
        for (at, rule) in rules.iter().enumerate() {
            if rules[..at].contains(rule) {
                return Err(HeuristicError::Repeated(rule.name()));
            }
            if technique == Technique::Face
                && !rule.is_unique()
                && !matches!(rule, Rule::LowestMarkowitz | Rule::SiblingDegree)
            {
                let (rule, technique) = (rule.name(), technique.name());
                return Err(HeuristicError::Undefined { rule, technique });
            }
        }
        let mut chain = [Rule::Forward; Rule::ALL.len()];
        for (place, rule) in chain.iter_mut().zip(rules) {
            *place = *rule;
        }
        Ok(Self {
            technique,
            chain,
            length: rules.len(),
            by_vertex: false,
        })
    }

    /// Edge elimination that compares edges by the scores of the whole vertex between (`em` in the keys): under LM and
    /// LMMD the edges of one vertex go one after the other.
    ///
    /// # Errors
    /// The errors are those of [`Heuristic::new`].
    pub fn by_vertex(rules: &[Rule]) -> Result<Self, HeuristicError> {
        Ok(Self {
            by_vertex: true,
            ..Self::new(Technique::Edge, rules)?
        })
    }

    /// The chain of the 2004 paper's example: HS, then LM, then reverse order, on edges.
    pub fn paper() -> Self {
        let mut chain = [Rule::Forward; Rule::ALL.len()];
        chain[..3].copy_from_slice(&[Rule::SiblingDegree, Rule::LowestMarkowitz, Rule::Reverse]);
        Self {
            technique: Technique::Edge,
            chain,
            length: 3,
            by_vertex: false,
        }
    }

    /// The heuristics that a search tries and reports, cheap ones first.
    pub fn portfolio() -> Vec<Self> {
        const KEYS: [&str; 40] = [
            "vertex-FM",
            "vertex-RM",
            "vertex-LM-FM",
            "vertex-LM-RM",
            "vertex-LR-FM",
            "vertex-LR-RM",
            "vertex-LFI-FM",
            "vertex-LFI-RM",
            "vertex-LFI-LM-FM",
            "vertex-LFI-LM-RM",
            "vertex-LM-LFI-FM",
            "vertex-LM-LFI-RM",
            "vertex-LM-LMMD-FM",
            "vertex-LM-LMMD-RM",
            "vertex-LMMD-FM",
            "vertex-LMMD-RM",
            "vertex-MOMR-FM",
            "vertex-MOMR-RM",
            "vertex-MOMR-LM-FM",
            "vertex-MOMR-LM-RM",
            "vertex-HS-LM-RM",
            "edge-FM",
            "edge-RM",
            "edge-LM-FM",
            "edge-LM-RM",
            "edge-LR-FM",
            "edge-LR-RM",
            "edge-LFI-FM",
            "edge-LFI-RM",
            "edge-LMMD-FM",
            "edge-LMMD-RM",
            "edge-MOMR-LM-RM",
            "edge-emLM-RM",
            "edge-emLMMD-RM",
            "edge-emMOMR-LM-RM",
            "edge-HS-LM-RM",
            "face-FM",
            "face-RM",
            "face-LM-RM",
            "face-HS-LM-RM",
        ];
        KEYS.iter()
            .filter_map(|key| Self::from_key(key).ok())
            .collect()
    }

    /// The technique: vertex, edge or face elimination.
    pub fn technique(&self) -> Technique {
        self.technique
    }

    /// The rules, in the order of the chain.
    pub fn rules(&self) -> &[Rule] {
        &self.chain[..self.length]
    }

    /// Reads a key such as `vertex-LM-RM`; `paper` is [`Heuristic::paper`].
    ///
    /// # Errors
    /// The key is not of that form, or the chain is not valid.
    pub fn from_key(key: &str) -> Result<Self, HeuristicError> {
        let unknown = || HeuristicError::Key(key.chars().take(60).collect());
        if key == "paper" {
            return Ok(Self::paper());
        }
        let mut parts = key.split('-');
        let technique = match parts.next() {
            Some("vertex") => Technique::Vertex,
            Some("edge") => Technique::Edge,
            Some("face") => Technique::Face,
            _ => return Err(unknown()),
        };
        let mut rules = Vec::new();
        let mut by_vertex = false;
        for (at, part) in parts.enumerate() {
            let name = match part.strip_prefix("em") {
                Some(rest) if at == 0 && technique == Technique::Edge => {
                    by_vertex = true;
                    rest
                }
                _ => part,
            };
            let rule = Rule::ALL.into_iter().find(|rule| rule.name() == name);
            rules.push(rule.ok_or_else(unknown)?);
        }
        Ok(Self {
            by_vertex,
            ..Self::new(technique, &rules)?
        })
    }

    /// Eliminates all vertices, edges or faces, or as many as the limits allow.
    pub fn run(&self, lcg: &Lcg, limits: &Limits<'_>) -> Run {
        if self.technique == Technique::Face {
            dual::run(self, lcg, limits)
        } else {
            queue::run(self, lcg, limits)
        }
    }
}

impl fmt::Display for Heuristic {
    /// Writes the key of the heuristic.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.technique.name())?;
        for (at, rule) in self.rules().iter().enumerate() {
            let em = if at == 0 && self.by_vertex { "em" } else { "" };
            write!(f, "-{em}{}", rule.name())?;
        }
        Ok(())
    }
}

/// The reason for which a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// The elimination is complete: only the Jacobian is left.
    Complete,
    /// Fill-in passed its limit: a remainder graph is left.
    FillIn,
    /// The work passed its limit, or the caller said stop.
    Stopped,
    /// The run reached the known cost ([`Bar`]).
    Beaten,
}

/// The run of a heuristic: its steps and their cost.
#[derive(Clone, Debug)]
pub struct Run {
    /// The eliminations, in order.
    pub steps: Vec<Step>,
    /// The cost of the eliminations.
    pub counts: Counts,
    /// The reason for which the run ended.
    pub ended: Ended,
    /// Edges left (labels left, for faces).
    pub edges_left: usize,
    /// Elementary operations done, for budgets.
    pub work: u64,
}
