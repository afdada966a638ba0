//! Checks of a raw graph and its arrangement in flat arrays. Linear in the number of edges, apart from
//! sorting the ids.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::codes;

use super::{Edge, Lcg, LcgError, NewEdge, Role};

/// Largest number of edges, so that labels made by elimination still fit 32 bits.
pub const MAX_EDGES: usize = 1 << 28;

/// A graph as written, before any check.
#[derive(Default)]
pub(super) struct Raw {
    pub(super) name: String,
    pub(super) inputs: Vec<i64>,
    pub(super) outputs: Vec<i64>,
    pub(super) edges: Vec<NewEdge>,
}

const NONE: u32 = u32::MAX;

/// Sorted ids, with fast look-up of the rank of an id.
struct Ids {
    sorted: Vec<i64>,
    /// Rank by `id - sorted[0]`, when the ids are dense enough.
    dense: Vec<u32>,
}

impl Ids {
    fn new(raw: &Raw) -> Self {
        let mut sorted = Vec::with_capacity(raw.edges.len() + raw.inputs.len() + raw.outputs.len());
        sorted.extend_from_slice(&raw.inputs);
        sorted.extend_from_slice(&raw.outputs);
        // Edges usually come in runs with the same source.
        let mut last = None;
        for edge in &raw.edges {
            if last != Some(edge.source) {
                sorted.push(edge.source);
                last = Some(edge.source);
            }
            sorted.push(edge.target);
        }
        sorted.sort_unstable();
        sorted.dedup();
        let mut dense = Vec::new();
        if let (Some(&first), Some(&last)) = (sorted.first(), sorted.last()) {
            let span = last.abs_diff(first);
            if span < 4 * sorted.len() as u64 + 1024 {
                dense = vec![NONE; span as usize + 1];
                for (rank, &id) in sorted.iter().enumerate() {
                    dense[id.abs_diff(first) as usize] = rank as u32;
                }
            }
        }
        Self { sorted, dense }
    }

    /// The rank of an id that exists.
    fn rank(&self, id: i64) -> u32 {
        if self.dense.is_empty() {
            self.sorted
                .binary_search(&id)
                .map_or(NONE, |rank| rank as u32)
        } else {
            self.dense[id.abs_diff(self.sorted[0]) as usize]
        }
    }
}

pub(super) fn build(raw: Raw) -> Result<Lcg, LcgError> {
    within(raw, MAX_EDGES)
}

/// Builds a graph of at most `most` edges, and at most as many inputs and outputs together.
fn within(raw: Raw, most: usize) -> Result<Lcg, LcgError> {
    let mut errors = LcgError::default();
    if raw.edges.len() > most || raw.inputs.len() + raw.outputs.len() > most {
        errors.push(
            &codes::TOO_LARGE,
            || "/edges".into(),
            || format!("{} edges", raw.edges.len()),
            "split the basic block",
        );
        return Err(errors);
    }
    let ids = Ids::new(&raw);
    let n = ids.sorted.len();

    let Ends {
        roles,
        inputs,
        outputs,
    } = ends(&raw, &ids, &mut errors);
    let mut edges = edges(&raw, &ids, &roles, &mut errors);
    // The raw edges are not needed below; freeing them here lowers the peak of memory.
    drop(raw.edges);
    check_duplicates(n, &edges, &ids, &mut errors);
    if !errors.is_empty() {
        return Err(errors);
    }

    // Vertices are numbered topologically, so that every edge leads from a smaller number to a larger one.
    let order = topological(n, &edges, &ids, &mut errors);
    if !errors.is_empty() {
        return Err(errors);
    }
    let mut rank = vec![0; n];
    for (at, &v) in order.iter().enumerate() {
        rank[v as usize] = at as u32;
    }
    for edge in &mut edges {
        edge.source = rank[edge.source as usize];
        edge.target = rank[edge.target as usize];
    }
    let renumber = |list: Vec<u32>| {
        list.into_iter()
            .map(|v| rank[v as usize])
            .collect::<Vec<_>>()
    };
    let (inputs, outputs) = (renumber(inputs), renumber(outputs));
    let (out_start, out_edges) = incidence(n, &edges, |edge| edge.source, |edge| edge.target);
    let (in_start, in_edges) = incidence(n, &edges, |edge| edge.target, |edge| edge.source);
    let lcg = Lcg {
        name: raw.name,
        ids: order.iter().map(|&v| ids.sorted[v as usize]).collect(),
        roles: order.iter().map(|&v| roles[v as usize]).collect(),
        inputs,
        outputs,
        edges,
        out_start,
        out_edges,
        in_start,
        in_edges,
    };
    check_paths(&lcg, &mut errors);
    if errors.is_empty() {
        Ok(lcg)
    } else {
        Err(errors)
    }
}

/// The independents and dependents by rank, and the role of each vertex.
struct Ends {
    roles: Vec<Role>,
    inputs: Vec<u32>,
    outputs: Vec<u32>,
}

fn ends(raw: &Raw, ids: &Ids, errors: &mut LcgError) -> Ends {
    let mut roles = vec![Role::Intermediate; ids.sorted.len()];
    let inputs: Vec<u32> = raw.inputs.iter().map(|&id| ids.rank(id)).collect();
    let outputs: Vec<u32> = raw.outputs.iter().map(|&id| ids.rank(id)).collect();
    for (at, &v) in inputs.iter().enumerate() {
        if roles[v as usize] == Role::Independent {
            let id = ids.sorted[v as usize];
            errors.push(
                &codes::INPUT_TWICE,
                || format!("/inputs/{at}"),
                || format!("id {id} is listed twice in inputs"),
                "delete the second one",
            );
        }
        roles[v as usize] = Role::Independent;
    }
    for (at, &v) in outputs.iter().enumerate() {
        let id = ids.sorted[v as usize];
        match roles[v as usize] {
            Role::Intermediate => roles[v as usize] = Role::Dependent,
            Role::Dependent => errors.push(
                &codes::OUTPUT_TWICE,
                || format!("/outputs/{at}"),
                || format!("id {id} is listed twice in outputs"),
                "delete the second one",
            ),
            Role::Independent => errors.push(
                &codes::INPUT_OUTPUT,
                || format!("/outputs/{at}"),
                || format!("id {id} is an input and an output"),
                "add an output of its own behind an edge of kind unit",
            ),
        }
    }
    if outputs.is_empty() {
        errors.push(
            &codes::NO_OUTPUTS,
            || "/outputs".into(),
            || "the graph has no outputs".into(),
            "name the vertices whose derivatives are wanted",
        );
    }
    Ends {
        roles,
        inputs,
        outputs,
    }
}

/// The edges by ranks of their ends.
fn edges(raw: &Raw, ids: &Ids, roles: &[Role], errors: &mut LcgError) -> Vec<Edge> {
    let mut edges = Vec::with_capacity(raw.edges.len());
    for (at, new) in raw.edges.iter().enumerate() {
        let (source, target) = (ids.rank(new.source), ids.rank(new.target));
        if source == target {
            errors.push(
                &codes::SELF_LOOP,
                || format!("/edges/{at}"),
                || format!("edge from {} to itself", new.source),
                "a variable that is overwritten needs a new vertex for its new value",
            );
        } else if roles[target as usize] == Role::Independent {
            errors.push(
                &codes::INTO_INPUT,
                || format!("/edges/{at}"),
                || format!("edge into input {}", new.target),
                "give the value computed here an id of its own",
            );
        }
        edges.push(Edge {
            source,
            target,
            kind: new.kind,
            negative: new.negative,
            tag: new.tag,
        });
    }
    edges
}

/// Compressed rows of the edges by `row`, each ordered by `column` (two counting sorts).
fn incidence(
    n: usize,
    edges: &[Edge],
    row: impl Fn(&Edge) -> u32,
    column: impl Fn(&Edge) -> u32,
) -> (Vec<u32>, Vec<u32>) {
    let (_, by_column) = counting_sort(n, edges, 0..edges.len() as u32, &column);
    counting_sort(n, edges, by_column.into_iter(), &row)
}

fn counting_sort(
    n: usize,
    edges: &[Edge],
    items: impl Iterator<Item = u32>,
    key: &impl Fn(&Edge) -> u32,
) -> (Vec<u32>, Vec<u32>) {
    let mut start = vec![0u32; n + 1];
    for edge in edges {
        start[key(edge) as usize + 1] += 1;
    }
    for v in 0..n {
        start[v + 1] += start[v];
    }
    let mut next = start.clone();
    let mut sorted = vec![0; edges.len()];
    for item in items {
        let slot = &mut next[key(&edges[item as usize]) as usize];
        sorted[*slot as usize] = item;
        *slot += 1;
    }
    (start, sorted)
}

fn check_duplicates(n: usize, edges: &[Edge], ids: &Ids, errors: &mut LcgError) {
    let (start, sorted) =
        counting_sort(n, edges, 0..edges.len() as u32, &|edge: &Edge| edge.source);
    // first[t] is the first edge to t from the source at hand.
    let mut first = vec![NONE; n];
    let mut doubles = Vec::new();
    for source in 0..n {
        let row = &sorted[start[source] as usize..start[source + 1] as usize];
        for &edge in row {
            let slot = &mut first[edges[edge as usize].target as usize];
            if *slot == NONE {
                *slot = edge;
            } else {
                doubles.push((edge, *slot));
            }
        }
        for &edge in row {
            first[edges[edge as usize].target as usize] = NONE;
        }
    }
    doubles.sort_unstable();
    for (edge, earlier) in doubles {
        let Edge { source, target, .. } = edges[edge as usize];
        errors.push(
            &codes::DUPLICATE_EDGE,
            || format!("/edges/{edge}"),
            || {
                let (source, target) = (ids.sorted[source as usize], ids.sorted[target as usize]);
                format!("edge from {source} to {target} is already edge {earlier}")
            },
            "add the two partials into one label",
        );
    }
}

/// The vertices in topological order: by id if the ids are in topological order, else smallest id first among the
/// ready ones.
fn topological(n: usize, edges: &[Edge], ids: &Ids, errors: &mut LcgError) -> Vec<u32> {
    if edges.iter().all(|edge| edge.source < edge.target) {
        return (0..n as u32).collect();
    }
    let (start, out) = counting_sort(n, edges, 0..edges.len() as u32, &|edge: &Edge| edge.source);
    let mut missing = vec![0u32; n];
    for edge in edges {
        missing[edge.target as usize] += 1;
    }
    let mut ready: BinaryHeap<Reverse<u32>> = (0..n as u32)
        .filter(|&v| missing[v as usize] == 0)
        .map(Reverse)
        .collect();
    let mut order = Vec::with_capacity(n);
    while let Some(Reverse(v)) = ready.pop() {
        order.push(v);
        for &edge in &out[start[v as usize] as usize..start[v as usize + 1] as usize] {
            let target = edges[edge as usize].target;
            missing[target as usize] -= 1;
            if missing[target as usize] == 0 {
                ready.push(Reverse(target));
            }
        }
    }
    if order.len() < n {
        let (edge, cycle) = find_cycle(n, edges, &missing);
        errors.push(
            &codes::CYCLE,
            || format!("/edges/{edge}"),
            || {
                let shown: Vec<String> = cycle
                    .iter()
                    .take(8)
                    .map(|&v| ids.sorted[v as usize].to_string())
                    .collect();
                let dots = if cycle.len() > 8 { " -> ..." } else { "" };
                format!(
                    "a cycle of length {}: {}{dots}",
                    cycle.len(),
                    shown.join(" -> ")
                )
            },
            "a variable that is overwritten needs a new vertex for its new value",
        );
    }
    order
}

/// A cycle among the vertices that the topological sort left over, and one of its edges.
fn find_cycle(n: usize, edges: &[Edge], missing: &[u32]) -> (u32, Vec<u32>) {
    // Every left-over vertex has a left-over predecessor: walk backward until a vertex repeats.
    let mut back = vec![NONE; n];
    for (at, edge) in (0u32..).zip(edges) {
        let (source, target) = (edge.source as usize, edge.target as usize);
        if missing[source] > 0 && missing[target] > 0 && back[target] == NONE {
            back[target] = at;
        }
    }
    let mut seen = vec![false; n];
    let Some(mut v) = (0..n).find(|&v| missing[v] > 0 && back[v] != NONE) else {
        return (0, Vec::new());
    };
    while !seen[v] {
        seen[v] = true;
        v = edges[back[v] as usize].source as usize;
    }
    let (first, closing) = (v, back[v]);
    let mut cycle = vec![v as u32];
    loop {
        v = edges[back[v] as usize].source as usize;
        if v == first {
            break;
        }
        cycle.push(v as u32);
    }
    cycle[1..].reverse();
    (closing, cycle)
}

fn check_paths(lcg: &Lcg, errors: &mut LcgError) {
    let mut reached = vec![false; lcg.vertex_count()];
    for &v in &lcg.inputs {
        reached[v as usize] = true;
    }
    for v in 0..lcg.vertex_count() as u32 {
        if reached[v as usize] {
            for &edge in lcg.out_edges(v) {
                reached[lcg.edges[edge as usize].target as usize] = true;
            }
        }
    }
    for (at, &v) in lcg.outputs.iter().enumerate() {
        if !reached[v as usize] {
            errors.push(
                &codes::NO_PATH,
                || format!("/outputs/{at}"),
                || format!("no input reaches output {}", lcg.id(v)),
                "delete the output: its derivatives are all zero",
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lcg::Kind;

    /// Graphs at the limits of edges, and of inputs and outputs together, are built; larger ones are refused.
    #[test]
    fn sizes_on_both_sides_of_the_limit() {
        let edge = |(i, k): (i64, i64)| NewEdge::new(i, k, Kind::Variable);
        let raw = |inputs: &[i64], edges: &[(i64, i64)]| Raw {
            name: String::new(),
            inputs: inputs.to_vec(),
            outputs: vec![9],
            edges: edges.iter().copied().map(edge).collect(),
        };
        for (most, problem) in [(3, None), (2, Some("L110"))] {
            let chain = raw(&[0], &[(0, 1), (1, 2), (2, 9)]);
            let sum = raw(&[0, 1], &[(0, 9), (1, 9)]);
            for raw in [chain, sum] {
                let found = within(raw, most).err();
                let found = found.map(|error| error.problems[0].code);
                assert_eq!(found, problem, "{most}");
            }
        }
    }
}
