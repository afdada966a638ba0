//! Results for programs and people: JSON, tables, proofs.

use std::fmt::Write as _;

use serde::ser::{Serialize, SerializeMap, SerializeTuple, Serializer};

use crate::bound;
use crate::cost::Counts;
use crate::eliminate::{Label, Origin, Step, Term};
use crate::heuristic::Technique;
use crate::lcg::Lcg;
use crate::listing;
use crate::scarcity::{Remainder, remainder_until};
use crate::search::{Cause, Outcome, Proof, recount, replay};

struct StepOf<'a>(&'a Lcg, Step);

impl Serialize for StepOf<'_> {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        let id = |v: u32| self.0.id(v);
        match self.1 {
            Step::Vertex(j) => ("v", id(j)).serialize(out),
            Step::Front(i, j) => ("f", id(i), id(j)).serialize(out),
            Step::Back(j, k) => ("b", id(j), id(k)).serialize(out),
            Step::Face(i, j) => ("face", i, j).serialize(out),
        }
    }
}

struct Costs<'a>(&'a [(String, u64)]);

impl Costs<'_> {
    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Serialize for Costs<'_> {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        let mut map = out.serialize_map(Some(self.0.len()))?;
        for (key, cost) in self.0 {
            map.serialize_entry(key, cost)?;
        }
        map.end()
    }
}

/// A label: `["edge", i]`, the input edge at position i, or `["jae", i]`.
struct LabelOf(Origin);

impl Serialize for LabelOf {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        let mut pair = out.serialize_tuple(2)?;
        let (what, at) = match self.0 {
            Origin::Edge(at) => ("edge", at),
            Origin::Jae(at) => ("jae", at),
        };
        pair.serialize_element(what)?;
        pair.serialize_element(&at)?;
        pair.end()
    }
}

#[derive(serde::Serialize)]
struct JaeOut {
    source: i64,
    target: i64,
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    product: Option<(LabelOf, LabelOf)>,
    /// The label that is added to the product, or the two labels that are merged.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    plus: Vec<LabelOf>,
}

#[derive(serde::Serialize)]
struct EntryOut {
    source: i64,
    target: i64,
    kind: &'static str,
    label: LabelOf,
}

#[derive(serde::Serialize)]
struct ClassOut {
    cost: u64,
    bound: u64,
}

/// The scarce representation for one product with a vector.
#[derive(serde::Serialize)]
struct ScarceOut<'a> {
    /// Multiplications of the eliminations up to the remainder graph.
    cost: u64,
    /// Edges of the remainder graph, and those among them that are no units: the multiplications of a product.
    edges: usize,
    nontrivial: u64,
    /// Multiplications of one product, eliminations included: by the remainder graph and by the full Jacobian.
    total: u64,
    full: u64,
    sequence: Vec<StepOf<'a>>,
}

/// The cost of one product of a vector with the transposed Jacobian.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scarce {
    /// The remainder graph with the cheapest product.
    pub remainder: Remainder,
    /// Multiplications by the full Jacobian, eliminations included.
    pub full: u64,
}

/// Most edges of a graph whose scarce representation is shown, since finding it takes one more elimination of the
/// whole graph.
const SCARCE: usize = 10_000;

/// Looks for the remainder graph that is cheapest for one product with a vector, until `stop` returns true. `None` if
/// the sequence is not complete, if it has faces, which leave no graph before the end, or if the graph has more than
/// 10 000 edges.
pub fn scarce(lcg: &Lcg, outcome: &Outcome, stop: &mut dyn FnMut() -> bool) -> Option<Scarce> {
    let faces = outcome
        .steps
        .iter()
        .any(|step| matches!(step, Step::Face(..)));
    if !outcome.complete || faces || lcg.edges().len() > SCARCE {
        return None;
    }
    let remainder = remainder_until(lcg, outcome.model, &outcome.steps, 1, stop);
    let full = outcome.cost + remainder.jacobian;
    Some(Scarce { remainder, full })
}

/// A sentence with the cost of one product of a vector with the transposed Jacobian, by the full Jacobian and by the
/// scarce representation.
pub fn scarcity(outcome: &Outcome, scarce: &Scarce) -> String {
    let Scarce { remainder, full } = scarce;
    format!(
        "one product with a vector: {full} multiplications by the full Jacobian ({} + {} entries), {} by the scarce \
         representation ({} for {} eliminations + {} edges left)\n",
        outcome.cost,
        remainder.jacobian,
        remainder.total(1),
        remainder.cost,
        remainder.steps.len(),
        remainder.nontrivial
    )
}

#[derive(serde::Serialize)]
struct Report<'a> {
    name: &'a str,
    model: &'static str,
    cost: u64,
    bound: u64,
    optimal: Option<&'static str>,
    technique: &'static str,
    complete: bool,
    /// The reason for an incomplete sequence; `cost` is then the cost of its steps, and `bound` that of complete
    /// sequences.
    #[serde(skip_serializing_if = "Option::is_none")]
    stopped: Option<&'static str>,
    additions: u64,
    fused: u64,
    vertex: Option<ClassOut>,
    edge: Option<ClassOut>,
    face: Option<ClassOut>,
    heuristics: Costs<'a>,
    /// Lower bounds on the costs of heuristics that were ended early.
    #[serde(skip_serializing_if = "Costs::is_empty")]
    beaten: Costs<'a>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    left_out: &'a [String],
    interrupted: bool,
    milliseconds: u64,
    sequence: Vec<StepOf<'a>>,
    /// The scarce representation, if the sequence is complete and has no faces.
    #[serde(skip_serializing_if = "Option::is_none")]
    scarce: Option<ScarceOut<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    jaes: Option<Vec<JaeOut>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    entries: Option<Vec<EntryOut>>,
}

/// The outcome as one JSON object, with the scarce representation if it is given. With `details`, also the JAEs and
/// the resulting entries.
pub fn to_json(
    lcg: &Lcg,
    outcome: &Outcome,
    scarce: Option<&Scarce>,
    milliseconds: u64,
    details: bool,
) -> String {
    let done = details.then(|| replay(lcg, &outcome.steps).ok()).flatten();
    let counts = match &done {
        Some(done) => done.counts,
        None => recount(lcg, &outcome.steps).map_or_else(|_| Counts::default(), |done| done.counts),
    };
    let class = |wanted: Technique| {
        let class = outcome
            .classes
            .iter()
            .find(|class| class.technique == wanted);
        class.map(|class| ClassOut {
            cost: class.cost,
            bound: class.bound,
        })
    };
    let jaes = done.as_ref().map(|done| {
        let label = |label: Label| LabelOf(done.jaes.origin(label));
        let list = done.jaes.as_slice().iter();
        list.map(|jae| {
            let (product, first) = match jae.term {
                Term::Product(a, b) => (Some((label(a), label(b))), None),
                Term::Plain(a) => (None, Some(a)),
            };
            JaeOut {
                source: lcg.id(jae.source),
                target: lcg.id(jae.target),
                kind: jae.kind.name(),
                product,
                plus: first.into_iter().chain(jae.absorbed).map(label).collect(),
            }
        })
        .collect()
    });
    let entries = done.as_ref().map(|done| {
        let list = done.entries.iter();
        list.map(|entry| EntryOut {
            source: lcg.id(entry.source),
            target: lcg.id(entry.target),
            kind: entry.kind.name(),
            label: LabelOf(done.jaes.origin(entry.label)),
        })
        .collect()
    });
    let scarce = scarce.map(|Scarce { remainder, full }| ScarceOut {
        cost: remainder.cost,
        edges: remainder.edges,
        nontrivial: remainder.nontrivial,
        total: remainder.total(1),
        full: *full,
        sequence: remainder
            .steps
            .iter()
            .map(|&step| StepOf(lcg, step))
            .collect(),
    });
    let report = Report {
        name: lcg.name(),
        model: outcome.model.name(),
        cost: outcome.cost,
        bound: outcome.bound,
        optimal: outcome.optimal.map(Technique::name),
        technique: outcome.technique.name(),
        complete: outcome.complete,
        stopped: outcome.stopped.map(Cause::name),
        additions: counts.additions,
        fused: counts.fused(outcome.model),
        vertex: class(Technique::Vertex),
        edge: class(Technique::Edge),
        face: class(Technique::Face),
        heuristics: Costs(&outcome.heuristics),
        beaten: Costs(&outcome.beaten),
        left_out: &outcome.left_out,
        interrupted: outcome.interrupted,
        milliseconds,
        sequence: outcome
            .steps
            .iter()
            .map(|&step| StepOf(lcg, step))
            .collect(),
        scarce,
        jaes,
        entries,
    };
    // Serialising strings, numbers and lists cannot fail.
    serde_json::to_string(&report).unwrap_or_default()
}

/// Vertices of a path that are shown, half of them at each end.
const SHOWN: usize = 200;

/// Elementary operations for the paths that are shown: in a long chain, the paths of each vertex are as long as the
/// chain.
const PATHS_WORK: u64 = 10_000_000;

/// The proof of the outcome's optimality, to read and to check: the disjoint paths (of at most `lines` vertices, fewer
/// if they are long), or the search that was exhausted.
pub fn proof(lcg: &Lcg, outcome: &Outcome, lines: usize) -> String {
    let mut text = String::new();
    for class in &outcome.classes {
        let relation = if class.bound == class.cost {
            "optimal"
        } else {
            "not proven optimal"
        };
        // Writing to a String does not fail.
        let _ = writeln!(
            text,
            "{}: {} multiplications, no such sequence needs less than {} ({relation})",
            class.technique.name(),
            class.cost,
            class.bound
        );
    }
    // A wider class beats a narrower one if its cost is below the proven bound of the narrower class.
    for pair in outcome.classes.windows(2) {
        if let [narrow, wide] = pair
            && wide.cost < narrow.bound
        {
            let _ = writeln!(
                text,
                "proven: {} elimination beats {} elimination here, {} multiplications against {} or more",
                wide.technique.name(),
                narrow.technique.name(),
                wide.cost,
                narrow.bound
            );
        }
    }
    match outcome.proof {
        Proof::None if !outcome.complete => text.push_str("no complete sequence was found\n"),
        Proof::None => text.push_str("no proof of optimality for the best sequence\n"),
        Proof::Exhausted(class) => {
            let _ = writeln!(
                text,
                "search exhausted: no {} sequence needs less than {}",
                class.name(),
                outcome.cost
            );
        }
        Proof::Paths if outcome.cost == 0 => text.push_str("nothing is cheaper than nothing\n"),
        Proof::Paths => {
            let ids = |path: &[u32]| {
                let ids: Vec<String> = path.iter().map(|&v| lcg.id(v).to_string()).collect();
                ids.join("-")
            };
            let short = |path: &Vec<u32>| match path.len().checked_sub(SHOWN) {
                None | Some(0) => ids(path),
                Some(_) => {
                    let (from, to) = (&path[..SHOWN / 2], &path[path.len() - SHOWN / 2..]);
                    format!("{}-...-{}", ids(from), ids(to))
                }
            };
            let family =
                |paths: &[Vec<u32>]| paths.iter().map(short).collect::<Vec<_>>().join(", ");
            let paths = bound::first_paths(lcg, outcome.model, lines, PATHS_WORK);
            let shown: u64 = paths.iter().map(|proof| proof.products).sum();
            let rest = outcome.cost.saturating_sub(shown);
            let terms: Vec<String> = paths
                .iter()
                .map(|proof| proof.products)
                .chain((rest > 0).then_some(rest))
                .map(|products| products.to_string())
                .collect();
            let _ = writeln!(
                text,
                "disjoint paths need {} products: {}",
                outcome.cost,
                terms.join(" + ")
            );
            for proof in &paths {
                let _ = writeln!(
                    text,
                    "  {} at vertex {}: {} | {}",
                    proof.products,
                    lcg.id(proof.vertex),
                    family(&proof.prefixes),
                    family(&proof.suffixes)
                );
            }
            if rest > 0 {
                let _ = writeln!(text, "  ... {rest} at other vertices");
            }
        }
    }
    text
}

/// The Jacobian accumulation as code, with names of vertices (one for each): one line per JAE, then one per entry of
/// the Jacobian. `c(k,i)` is the partial of vertex k by vertex i that the graph came with, `J7` the result of line 7,
/// `d(y,x)` the Jacobian's entry (or, if the sequence is not complete, the remainder graph's label). At most `lines`
/// lines of each kind are shown.
pub fn code(lcg: &Lcg, outcome: &Outcome, names: &[String], lines: usize) -> String {
    let mut text = String::new();
    let Ok(done) = replay(lcg, &outcome.steps) else {
        return text;
    };
    let vertex = |v: u32| names[v as usize].as_str();
    let name = |label: Label| match done.jaes.origin(label) {
        Origin::Edge(at) => {
            let edge = &lcg.edges()[at as usize];
            listing::partial(names, edge.target, edge.source)
        }
        Origin::Jae(at) => format!("J{at}"),
    };
    let more = |text: &mut String, all: usize| {
        if all > lines {
            let _ = writeln!(text, "... {} more", all - lines);
        }
    };
    let jaes = done.jaes.as_slice();
    for (at, jae) in jaes.iter().enumerate().take(lines) {
        // Writing to a String does not fail.
        let _ = write!(text, "J{at} = ");
        let _ = match jae.term {
            Term::Product(a, b) => write!(text, "{}*{}", name(a), name(b)),
            Term::Plain(a) => write!(text, "{}", name(a)),
        };
        if let Some(absorbed) = jae.absorbed {
            let _ = write!(text, " + {}", name(absorbed));
        }
        text.push('\n');
    }
    more(&mut text, jaes.len());
    for entry in done.entries.iter().take(lines) {
        let (source, target) = (vertex(entry.source), vertex(entry.target));
        let _ = writeln!(text, "d({target},{source}) = {}", name(entry.label));
    }
    more(&mut text, done.entries.len());
    text
}

/// The costs of the heuristics as an aligned table, followed by those that were ended at the cost of another, and the
/// number of missing ones.
pub fn table(outcome: &Outcome) -> String {
    let mut rows: Vec<&(String, u64)> = outcome.heuristics.iter().collect();
    rows.sort_by_key(|(key, cost)| (*cost, key.clone()));
    let names = rows.iter().copied().chain(&outcome.beaten);
    let width = names.map(|(key, _)| key.len()).max().unwrap_or(0).max(9);
    let mut text = String::new();
    for (key, cost) in rows {
        let _ = writeln!(text, "{key:width$} {cost:>10}");
    }
    for (key, cost) in &outcome.beaten {
        let _ = writeln!(text, "{key:width$} {cost:>10} or more");
    }
    let left_out = outcome.left_out.len();
    if left_out > 0 {
        let _ = writeln!(text, "{left_out} more were not run to their end");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::heuristic::Heuristic;
    use crate::search::testing::chain;
    use crate::search::{Options, search};

    /// The elimination of a chain from its front: disjoint paths prove that it is optimal.
    fn outcome(lcg: &Lcg) -> Outcome {
        let options = Options {
            heuristic: Heuristic::from_key("vertex-FM").ok(),
            ..Options::default()
        };
        search(lcg, &options)
    }

    #[test]
    fn scarce_representations_on_both_sides_of_the_limit() {
        for (edges, is_shown) in [(SCARCE, true), (SCARCE + 1, false)] {
            let lcg = chain(edges);
            let outcome = outcome(&lcg);
            assert!(outcome.complete);
            let found = scarce(&lcg, &outcome, &mut || false);
            assert_eq!(found.is_some(), is_shown, "{edges}");
        }
    }

    /// The path from the first vertex of a chain to the end has as many vertices as the chain has edges.
    #[test]
    fn paths_on_both_sides_of_the_length_that_is_shown() {
        for (vertices, middle) in [
            (SHOWN, "-99-100-101-102-"),
            (SHOWN + 1, "-99-100-...-102-103-"),
        ] {
            let lcg = chain(vertices);
            let text = proof(&lcg, &outcome(&lcg), 1);
            assert!(text.contains(middle), "{text}");
        }
    }

    /// The paths of each vertex of a chain take four steps more than twice the edges of the chain.
    #[test]
    fn steps_for_paths_on_both_sides_of_the_limit() {
        assert_eq!(PATHS_WORK, 1_000 * 10_000);
        for (edges, vertices) in [(4_998, 1_001), (4_999, 1_000)] {
            let lcg = chain(edges);
            let text = proof(&lcg, &outcome(&lcg), usize::MAX);
            assert_eq!(text.matches(" at vertex ").count(), vertices, "{edges}");
        }
    }
}
