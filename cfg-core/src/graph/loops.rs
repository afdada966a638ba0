//! The loop forest of any rooted graph, irreducible regions included.
//!
//! A depth-first search gives every strongly connected part of the graph a *header*, its vertex that the search meets
//! first. The part is a loop; without the edges back to the header it falls into smaller parts, the loops inside it,
//! and so on (P. Havlak, *Nesting of Reducible and Irreducible Loops*, TOPLAS 19(4), 1997). A loop is *reducible*, or
//! natural, if every edge into it leads to its header, which then dominates it. An irreducible loop has a header too,
//! the entry that the search met first, and names an edge that enters it elsewhere.
//!
//! Havlak's algorithm is Tarjan's test of reducibility (JCSS 9, 1974), made to go on at irreducible loops; it takes
//! quadratic time where many edges enter nested ones. The code here has the correction of G. Ramalingam, *Identifying
//! Loops in Almost Linear Time*, TOPLAS 21(2), 1999, section 5: an edge that is not in the depth-first tree and does
//! not close a cycle is looked at once, at the nearest common ancestor of its ends, which is found during the search
//! (offline, with the same union-find). Irreducible loops are marked afterwards, from the target of each edge outward,
//! past the loops that are marked already.
//!
//! Complexity: O((vertices + edges) log) in the worst case, linear in practice. No recursion.
//!
//! ```
//! use cfg_core::graph::{Adjacency, loops::LoopForest};
//!
//! // 1 and 2 jump to each other and both are entered from 0; 2 has an edge to itself.
//! let g = Adjacency::new(4, [(0, 1), (0, 2), (1, 2), (2, 1), (2, 2), (2, 3)]);
//! let forest = LoopForest::new(&g, 0);
//! let inner = forest.innermost(2).unwrap();
//! let outer = forest.get(inner).parent.unwrap();
//! assert_eq!(forest.get(outer).header, 1);
//! assert_eq!(forest.get(outer).side_entry, Some((0, 2)));
//! assert_eq!(forest.members(outer), [1, 2]);
//! assert_eq!(forest.get(inner).side_entry, None);
//! assert_eq!(forest.outermost_left(2, 3), Some(outer));
//! ```

use crate::graph::DiGraph;
use std::ops::Range;

const NONE: u32 = u32::MAX;

/// A loop of a [`LoopForest`]; numbered so that a loop comes after the one around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LoopId(u32);

impl LoopId {
    /// Position among the loops.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// One loop of the forest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loop {
    /// The vertex that the depth-first search met first; the only entry if the loop is reducible.
    pub header: usize,
    /// The loop around this one.
    pub parent: Option<LoopId>,
    /// Number of loops around it, itself included.
    pub depth: u32,
    /// An edge from outside to another vertex than the header; the loop is irreducible if there is one.
    pub side_entry: Option<(usize, usize)>,
    /// The places of its members in [`LoopForest::members`].
    range: Range<u32>,
    /// An outer loop some levels up, or itself if it is outermost (E. Myers, IPL 17, 1983).
    jump: LoopId,
}

impl Loop {
    /// True if it is entered at its header only.
    pub fn is_reducible(&self) -> bool {
        self.side_entry.is_none()
    }

    /// Number of vertices, those of inner loops included.
    pub fn size(&self) -> usize {
        self.range.len()
    }
}

/// The loops among the vertices that are reachable from a root.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LoopForest {
    loops: Vec<Loop>,
    /// The innermost loop of each vertex.
    innermost: Vec<Option<LoopId>>,
    /// Vertices in loops, so that the members of each loop stand together, its header first.
    order: Vec<usize>,
    /// Place of each vertex in `order`.
    position: Vec<u32>,
}

impl LoopForest {
    /// The loops among the vertices that are reachable from `root`.
    pub fn new(graph: &impl DiGraph, root: usize) -> Self {
        let n = graph.len();
        let mut forest = Self {
            innermost: vec![None; n],
            position: vec![NONE; n],
            ..Self::default()
        };
        if root >= n {
            return forest;
        }
        let search = Search::new(graph, root);
        let header = headers(&search);
        forest.number(&search, &header);
        forest.mark(graph, &search.preorder);
        forest
    }

    /// Numbers the loops, and arranges their members.
    fn number(&mut self, search: &Search, header: &Headers) {
        let mut of_header = vec![NONE; self.innermost.len()];
        for (number, &v) in search.preorder.iter().enumerate() {
            let outer = match header.of[number] {
                NONE => None,
                h => Some(LoopId(of_header[search.preorder[h as usize] as usize])),
            };
            let v = v as usize;
            if !header.is_header[number] {
                self.innermost[v] = outer;
                continue;
            }
            let id = LoopId(self.loops.len() as u32);
            of_header[v] = id.0;
            self.innermost[v] = Some(id);
            self.loops.push(Loop {
                header: v,
                parent: outer,
                depth: outer.map_or(1, |o| self.get(o).depth + 1),
                side_entry: None,
                range: 0..0,
                jump: outer.map_or(id, |o| self.jump_over(o)),
            });
        }
        let mut size = vec![0u32; self.loops.len()];
        for id in self.innermost.iter().flatten() {
            size[id.index()] += 1;
        }
        // Headers are numbered in preorder, so outer loops come before inner ones.
        for l in (0..self.loops.len()).rev() {
            if let Some(parent) = self.loops[l].parent {
                size[parent.index()] += size[l];
            }
        }
        // Each loop has a range inside that of its parent, which its members fill in preorder, the header first.
        let mut free = vec![0u32; self.loops.len()];
        let mut end = 0;
        self.order = vec![0; self.innermost.iter().flatten().count()];
        for &v in &search.preorder {
            let v = v as usize;
            let Some(id) = self.innermost[v] else {
                continue;
            };
            let l = id.index();
            if self.loops[l].header == v {
                let start = match self.loops[l].parent {
                    Some(parent) => &mut free[parent.index()],
                    None => &mut end,
                };
                let first = *start;
                *start += size[l];
                free[l] = first;
                self.loops[l].range = first..first + size[l];
            }
            self.position[v] = free[l];
            self.order[free[l] as usize] = v;
            free[l] += 1;
        }
    }

    /// The target of the jump of a loop inside `outer`: behind two jumps of equal length, a jump goes over both
    /// (skew-binary numbers), so that a way outward takes O(log depth) steps.
    fn jump_over(&self, outer: LoopId) -> LoopId {
        let first = self.get(outer).jump;
        let second = self.get(first).jump;
        let depth = |l: LoopId| self.get(l).depth;
        if depth(outer) - depth(first) == depth(first) - depth(second) {
            second
        } else {
            outer
        }
    }

    /// Marks the loops that are entered elsewhere than at their headers.
    fn mark(&mut self, graph: &impl DiGraph, preorder: &[u32]) {
        // The next loop outward, itself included, that is not marked.
        let mut unmarked = Sets::new(self.loops.len() + 1);
        let outside = self.loops.len() as u32;
        for &v in preorder {
            let v = v as usize;
            for w in graph.successors(v) {
                let around = match self.headed_by(w) {
                    Some(own) => self.get(own).parent,
                    None => self.innermost[w],
                };
                let mut at = unmarked.find(around.map_or(outside, |l| l.0));
                while at != outside && !self.contains(LoopId(at), v) {
                    let l = &mut self.loops[at as usize];
                    l.side_entry = Some((v, w));
                    let up = l.parent.map_or(outside, |l| l.0);
                    unmarked.unite(at, up);
                    at = unmarked.find(up);
                }
            }
        }
    }

    /// All loops, outer ones before inner ones.
    pub fn loops(&self) -> impl ExactSizeIterator<Item = LoopId> + DoubleEndedIterator + use<> {
        (0..self.loops.len() as u32).map(LoopId)
    }

    /// Number of loops.
    pub fn len(&self) -> usize {
        self.loops.len()
    }

    /// Number of vertices of the graph.
    pub fn vertex_count(&self) -> usize {
        self.innermost.len()
    }

    /// True of a graph without cycles.
    pub fn is_empty(&self) -> bool {
        self.loops.is_empty()
    }

    /// The loop of a given id.
    pub fn get(&self, l: LoopId) -> &Loop {
        &self.loops[l.index()]
    }

    /// The innermost loop around a vertex; for a header its own loop.
    pub fn innermost(&self, v: usize) -> Option<LoopId> {
        self.innermost[v]
    }

    /// The loops around a vertex, innermost first.
    pub fn around(&self, v: usize) -> impl Iterator<Item = LoopId> {
        std::iter::successors(self.innermost(v), |&l| self.get(l).parent)
    }

    /// The loop with this header.
    pub fn headed_by(&self, v: usize) -> Option<LoopId> {
        self.innermost(v).filter(|&l| self.get(l).header == v)
    }

    /// Number of loops around a vertex.
    pub fn depth(&self, v: usize) -> u32 {
        self.innermost(v).map_or(0, |l| self.get(l).depth)
    }

    /// The vertices of a loop, those of inner loops included; its header is the first.
    pub fn members(&self, l: LoopId) -> &[usize] {
        let range = &self.get(l).range;
        &self.order[range.start as usize..range.end as usize]
    }

    /// The places of the members of a loop among all vertices in loops: a contiguous range.
    pub(crate) fn places(&self, l: LoopId) -> Range<usize> {
        let range = &self.get(l).range;
        range.start as usize..range.end as usize
    }

    /// The places in `places` whose vertices are members of a loop. `places` are as [`Self::position`] gives them, in
    /// ascending order. O(log n).
    pub fn among<'a>(&self, l: LoopId, places: &'a [usize]) -> &'a [usize] {
        let Range { start, end } = self.places(l);
        let before = |limit: usize| places.partition_point(|&p| p < limit);
        &places[before(start)..before(end)]
    }

    /// The place of a vertex among all vertices in loops; `None` for a vertex outside of loops.
    pub fn position(&self, v: usize) -> Option<usize> {
        let place = self.position[v];
        (place != NONE).then_some(place as usize)
    }

    /// True if the vertex is in the loop.
    pub fn contains(&self, l: LoopId, v: usize) -> bool {
        self.get(l).range.contains(&self.position[v])
    }

    /// The outermost loop that an edge leaves; the edge also leaves all loops around `from` inside it. O(log depth).
    pub fn outermost_left(&self, from: usize, to: usize) -> Option<LoopId> {
        let mut at = self.innermost(from).filter(|&l| !self.contains(l, to))?;
        while let Some(parent) = self.get(at).parent.filter(|&p| !self.contains(p, to)) {
            let jump = self.get(at).jump;
            at = if self.contains(jump, to) {
                parent
            } else {
                jump
            };
        }
        Some(at)
    }

    /// The loop whose header the edge leads back to from inside.
    pub fn back_to(&self, from: usize, to: usize) -> Option<LoopId> {
        self.headed_by(to).filter(|&l| self.contains(l, from))
    }

    /// The edges from inside to the header; linear in the number of the header's predecessors.
    pub fn back_edges<G: DiGraph>(
        &self,
        graph: &G,
        l: LoopId,
    ) -> impl Iterator<Item = (usize, usize)> {
        let header = self.get(l).header;
        let inside = graph
            .predecessors(header)
            .filter(move |&u| self.contains(l, u));
        inside.map(move |u| (u, header))
    }
}

/// Disjoint sets; the name of a set is the last one it was united into.
pub(crate) struct Sets(Vec<u32>);

impl Sets {
    pub(crate) fn new(n: usize) -> Self {
        Self((0..n as u32).collect())
    }

    pub(crate) fn find(&mut self, mut x: u32) -> u32 {
        // Path halving.
        while self.0[x as usize] != x {
            let above = self.0[self.0[x as usize] as usize];
            self.0[x as usize] = above;
            x = above;
        }
        x
    }

    pub(crate) fn unite(&mut self, x: u32, into: u32) {
        self.0[x as usize] = into;
    }
}

/// A depth-first search. Vertices are named by their preorder numbers.
struct Search {
    /// The vertex of each number.
    preorder: Vec<u32>,
    /// Parent in the tree; of the root itself.
    parent: Vec<u32>,
    /// Sources of the edges to an ancestor (or to itself), by target.
    back: Lists,
    /// Edges that are neither in the tree nor lead to an ancestor, by nearest common ancestor.
    cross: Lists,
    /// The edges of `cross`.
    edges: Vec<(u32, u32)>,
}

impl Search {
    fn new(graph: &impl DiGraph, root: usize) -> Self {
        let mut number = vec![NONE; graph.len()];
        let mut s = Self {
            preorder: vec![root as u32],
            parent: vec![0],
            back: Lists::default(),
            cross: Lists::default(),
            edges: Vec::new(),
        };
        number[root] = 0;
        // The nearest ancestor, itself included, that the search has not finished with.
        let mut open = Sets::new(graph.len());
        let mut stack = vec![(0u32, graph.successors(root))];
        while let Some((v, rest)) = stack.last_mut() {
            let v = *v;
            let Some(w) = rest.next() else {
                open.unite(v, s.parent[v as usize]);
                stack.pop();
                continue;
            };
            if number[w] == NONE {
                let next = s.preorder.len() as u32;
                number[w] = next;
                s.preorder.push(w as u32);
                s.parent.push(v);
                stack.push((next, graph.successors(w)));
                continue;
            }
            let w = number[w];
            let ancestor = open.find(w);
            if ancestor == w {
                s.back.push(w, v);
            } else {
                s.cross.push(ancestor, s.edges.len() as u32);
                s.edges.push((v, w));
            }
        }
        s
    }
}

/// Lists of numbers by number, in one arena; each in reverse order of insertion.
#[derive(Default)]
struct Lists {
    head: Vec<u32>,
    items: Vec<(u32, u32)>,
}

impl Lists {
    fn push(&mut self, list: u32, item: u32) {
        if self.head.len() <= list as usize {
            self.head.resize(list as usize + 1, NONE);
        }
        let head = &mut self.head[list as usize];
        self.items.push((item, *head));
        *head = self.items.len() as u32 - 1;
    }

    fn iter(&self, list: u32) -> impl Iterator<Item = u32> {
        let first = self.head.get(list as usize).copied().unwrap_or(NONE);
        let at = |i: u32| self.items.get(i as usize);
        std::iter::successors(at(first), move |item| at(item.1)).map(|item| item.0)
    }
}

/// The header of the innermost loop of each vertex, by preorder number; for a header, of the loop around its own.
struct Headers {
    of: Vec<u32>,
    is_header: Vec<bool>,
}

fn headers(s: &Search) -> Headers {
    let n = s.preorder.len();
    let mut result = Headers {
        of: vec![NONE; n],
        is_header: vec![false; n],
    };
    // A loop that is found becomes one vertex, named by its header.
    let mut collapsed = Sets::new(n);
    // Sources of edges to a vertex or loop beside its edge in the tree.
    let mut sources = Lists::default();
    let mut work = Vec::new();
    // The header for which each vertex was met last.
    let mut met = vec![NONE; n];
    for header in (0..n as u32).rev() {
        for e in s.cross.iter(header) {
            let (v, w) = s.edges[e as usize];
            let (v, w) = (collapsed.find(v), collapsed.find(w));
            sources.push(w, v);
        }
        met[header as usize] = header;
        for v in s.back.iter(header) {
            result.is_header[header as usize] = true;
            let v = collapsed.find(v);
            if met[v as usize] != header {
                met[v as usize] = header;
                work.push(v);
            }
        }
        while let Some(v) = work.pop() {
            result.of[v as usize] = header;
            collapsed.unite(v, header);
            let tree = s.parent[v as usize];
            for u in sources.iter(v).chain([tree]) {
                let u = collapsed.find(u);
                if met[u as usize] != header {
                    met[u as usize] = header;
                    work.push(u);
                }
            }
        }
    }
    result
}

#[cfg(test)]
mod tests;
