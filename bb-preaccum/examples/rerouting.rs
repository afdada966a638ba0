//! An experiment: does rerouting edges make elimination cheaper? Before each step of the vertex sequence that the
//! search finds, each way to reroute one edge is tried, followed by the rest of the sequence.
//!
//! Edge (i, k) goes by way of j: its label, divided by that of the pivot (j, k), is added to (i, j), and (i, l) is
//! corrected by a product for each other successor l of j; or the same against the edges, with the pivot (i, j). A
//! division counts as one multiplication. Pivots are assumed not to be 0.
//!
//! `cargo run --release -p bb-preaccum --example rerouting FIRST COUNT`: graphs of each kind, plain model. Prints name,
//! cost of the sequence, the least cost with one edge rerouted, and how many ways were tried, between tabs.

#![allow(clippy::print_stdout, reason = "the table is the result")]

#[path = "shared/kinds.rs"]
mod kinds;
#[path = "shared/numbers.rs"]
mod numbers;

use bb_preaccum::eliminate::Step;
use bb_preaccum::heuristic::Technique;
use bb_preaccum::lcg::{Lcg, Role};
use bb_preaccum::search::{Options, search};
use kinds::{KINDS, graph};
use std::collections::BTreeSet;

/// A graph by its edges, forwards and backwards.
#[derive(Clone)]
struct Graph {
    succ: Vec<BTreeSet<usize>>,
    pred: Vec<BTreeSet<usize>>,
    cost: u64,
}

impl Graph {
    fn new(lcg: &Lcg) -> Self {
        let none = vec![BTreeSet::new(); lcg.vertex_count()];
        let mut graph = Self {
            succ: none.clone(),
            pred: none,
            cost: 0,
        };
        for edge in lcg.edges() {
            graph.join(edge.source as usize, edge.target as usize);
        }
        graph
    }

    fn join(&mut self, i: usize, k: usize) {
        self.succ[i].insert(k);
        self.pred[k].insert(i);
    }

    fn part(&mut self, i: usize, k: usize) {
        self.succ[i].remove(&k);
        self.pred[k].remove(&i);
    }

    /// Eliminates a vertex, which stays if it is a dependent.
    fn eliminate(&mut self, j: usize, stays: bool) {
        let (preds, succs) = (self.pred[j].clone(), self.succ[j].clone());
        self.cost += (preds.len() * succs.len()) as u64;
        for &k in &succs {
            self.part(j, k);
            for &i in &preds {
                self.join(i, k);
            }
        }
        for &i in preds.iter().filter(|_| !stays) {
            self.part(i, j);
        }
    }

    /// Reroutes (i, k) by way of j, with the pivot behind j or in front of it.
    fn reroute(&mut self, (i, k): (usize, usize), j: usize, behind: bool) {
        self.part(i, k);
        if behind {
            let succs = self.succ[j].clone();
            self.cost += succs.len() as u64;
            self.join(i, j);
            for &l in succs.iter().filter(|&&l| l != k) {
                self.join(i, l);
            }
        } else {
            let preds = self.pred[j].clone();
            self.cost += preds.len() as u64;
            self.join(j, k);
            for &l in preds.iter().filter(|&&l| l != i) {
                self.join(l, k);
            }
        }
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Result<Vec<u64>, _> =
        std::env::args().skip(1).map(|text| text.parse()).collect();
    let [first, count] = arguments?[..] else {
        return Err("two numbers are wanted: FIRST COUNT".into());
    };
    for kind in 0..KINDS.len() {
        for number in first..first + count {
            let lcg = graph(kind, number)?;
            let options = Options {
                technique: Some(Technique::Vertex),
                ..Options::default()
            };
            let found = search(&lcg, &options);
            let order: Vec<usize> = found
                .steps
                .iter()
                .filter_map(|step| match step {
                    Step::Vertex(v) => Some(*v as usize),
                    Step::Front(..) | Step::Back(..) | Step::Face(..) => None,
                })
                .collect();
            let stays = |j: usize| lcg.role(j as u32) == Role::Dependent;
            let (mut left, mut least, mut tried) = (Graph::new(&lcg), u64::MAX, 0u64);
            for (at, &next) in order.iter().enumerate() {
                for &j in &order[at..] {
                    let ways = left.succ[j].iter().flat_map(|&k| {
                        let sources = left.pred[k].iter().filter(|&&i| i < j);
                        sources.map(move |&i| ((i, k), true))
                    });
                    let against = left.pred[j].iter().flat_map(|&i| {
                        let targets = left.succ[i].iter().filter(|&&k| k > j);
                        targets.map(move |&k| ((i, k), false))
                    });
                    // An edge into or out of j itself goes no other way.
                    let all: Vec<_> = ways.chain(against).filter(|_| !stays(j)).collect();
                    for (edge, behind) in all {
                        tried += 1;
                        let mut other = left.clone();
                        other.reroute(edge, j, behind);
                        for &v in &order[at..] {
                            if other.cost >= least {
                                break;
                            }
                            other.eliminate(v, stays(v));
                        }
                        least = least.min(other.cost);
                    }
                }
                left.eliminate(next, stays(next));
            }
            println!("{}\t{}\t{least}\t{tried}", lcg.name(), left.cost);
        }
    }
    Ok(())
}
