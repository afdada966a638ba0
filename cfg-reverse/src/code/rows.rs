//! Lists of different lengths, one per vertex, in one allocation.

use cfg_core::entity::VertexId;

/// A list for each vertex, in the order of the vertices.
#[derive(Clone, Debug)]
pub(crate) struct Rows<T> {
    all: Vec<T>,
    /// The beginning of the list of each vertex, and the end of the last one.
    start: Vec<u32>,
}

impl<T> Rows<T> {
    pub(crate) fn with_capacity(vertices: usize) -> Self {
        let mut start = Vec::with_capacity(vertices + 1);
        start.push(0);
        Self {
            // About one item per vertex is to be expected; pages of the reserve that are not used are never touched.
            all: Vec::with_capacity(vertices),
            start,
        }
    }

    /// Appends to the list of the next vertex.
    pub(crate) fn push(&mut self, item: T) {
        self.all.push(item);
    }

    /// The present length of the list of the next vertex.
    pub(crate) fn open(&self) -> usize {
        self.all.len() - self.start.last().map_or(0, |&s| s as usize)
    }

    /// Completes the list of the next vertex.
    pub(crate) fn close(&mut self) {
        self.start.push(self.all.len() as u32);
    }

    fn range(&self, v: VertexId) -> std::ops::Range<usize> {
        self.start[v.index()] as usize..self.start[v.index() + 1] as usize
    }

    /// The number of items in the lists before that of a vertex.
    pub(crate) fn start(&self, v: VertexId) -> usize {
        self.range(v).start
    }

    /// The list of a vertex.
    pub(crate) fn row(&self, v: VertexId) -> &[T] {
        &self.all[self.range(v)]
    }

    /// The list of a vertex, to change its items.
    pub(crate) fn row_mut(&mut self, v: VertexId) -> &mut [T] {
        let range = self.range(v);
        &mut self.all[range]
    }
}
