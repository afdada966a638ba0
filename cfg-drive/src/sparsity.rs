//! The sparsity pattern of a Jacobian at a point.
//!
//! The search starts from the dependency analysis of whole variables (by bit sets): a dependent that does not depend
//! on an independent has zeros there. In the rest, elements are told apart by halving: blocks of columns are split in
//! two, and runs of the tangent program with the absolute values of all partials ([`crate::absolute`]) show which
//! rows depend on which half. In such a run nothing cancels, so a row is zero only if all its entries in the block
//! are. Blocks without a common row share a run, so a matrix with few entries per row needs a number of runs that
//! grows with the logarithm of its width (cf. Griewank & Walther, *Evaluating Derivatives*, 2nd ed., sections 7.1 and
//! 8.3).

use crate::colouring::{self, Pattern};
use cfg_core::diagnostic::Diagnostics;

/// A sparsity pattern as far as it is known: blocks of columns, and for each row the blocks where it may not be zero.
pub(crate) struct Blocks {
    /// First column and number of columns, ascending and without gaps.
    columns: Vec<(usize, usize)>,
    rows: Pattern,
}

impl Blocks {
    /// Blocks from the sizes of variables, and for each dependent the independents it may depend on.
    pub(crate) fn of_variables(
        rows: &[usize],
        columns: &[usize],
        depends: impl Fn(usize, usize) -> bool,
    ) -> Self {
        let mut start = 0;
        let blocks = columns
            .iter()
            .map(|&n| {
                start += n;
                (start - n, n)
            })
            .collect();
        let mut list = Vec::new();
        for (y, &height) in rows.iter().enumerate() {
            let row: Vec<u32> = (0..columns.len())
                .filter(|&x| columns[x] > 0 && depends(y, x))
                .map(|x| x as u32)
                .collect();
            list.extend(std::iter::repeat_n(row, height));
        }
        Self {
            columns: blocks,
            rows: list,
        }
    }

    /// Splits blocks until they are single columns, or until more than `most` runs would be needed. A run
    /// gets the columns that are to be 1, and answers for each row whether it is zero. Returns the number
    /// of runs.
    pub(crate) fn refine(
        &mut self,
        most: usize,
        mut probe: impl FnMut(&[(usize, usize)]) -> Result<Vec<bool>, Diagnostics>,
    ) -> Result<usize, Diagnostics> {
        let mut runs = 0;
        loop {
            // Blocks of zeros need no splitting.
            let mut split = vec![false; self.columns.len()];
            for &b in self.rows.iter().flatten() {
                split[b as usize] = self.columns[b as usize].1 > 1;
            }
            if !split.contains(&true) {
                return Ok(runs);
            }
            let mut columns = Vec::with_capacity(2 * self.columns.len());
            let mut halves = Vec::with_capacity(self.columns.len());
            let mut fresh = Vec::with_capacity(2 * self.columns.len());
            for (&(start, n), &split) in self.columns.iter().zip(&split) {
                halves.push(columns.len() as u32);
                if split {
                    let half = n / 2;
                    columns.push((start, half));
                    columns.push((start + half, n - half));
                    fresh.extend([true, true]);
                } else {
                    columns.push((start, n));
                    fresh.push(false);
                }
            }
            let candidates: Pattern = self
                .rows
                .iter()
                .map(|row| {
                    let mut list = Vec::with_capacity(2 * row.len());
                    for &b in row {
                        let first = halves[b as usize];
                        list.push(first);
                        if fresh[first as usize] {
                            list.push(first + 1);
                        }
                    }
                    list
                })
                .collect();
            let left = most.saturating_sub(runs);
            let coloured = colouring::columns(&candidates, columns.len(), |b| fresh[b], left);
            let Some((colour, count)) = coloured else {
                return Ok(runs);
            };
            let mut groups: Vec<Vec<(usize, usize)>> = vec![Vec::new(); count];
            for (b, &block) in columns.iter().enumerate() {
                if fresh[b] {
                    groups[colour[b]].push(block);
                }
            }
            let mut zero = Vec::with_capacity(count);
            for group in &groups {
                zero.push(probe(group)?);
            }
            runs += count;
            self.rows = candidates
                .into_iter()
                .enumerate()
                .map(|(i, mut row)| {
                    row.retain(|&b| {
                        let b = b as usize;
                        !fresh[b] || !zero[colour[b]].get(i).copied().unwrap_or(false)
                    });
                    row
                })
                .collect();
            self.columns = columns;
        }
    }

    /// The pattern by columns.
    pub(crate) fn pattern(&self) -> Pattern {
        self.rows
            .iter()
            .map(|row| {
                row.iter()
                    .flat_map(|&b| {
                        let (start, n) = self.columns[b as usize];
                        start as u32..(start + n) as u32
                    })
                    .collect()
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Probes of a matrix that is known.
    fn refine(dense: &[Vec<u8>], blocks: &mut Blocks, most: usize) -> usize {
        blocks
            .refine(most, |ranges| {
                Ok(dense
                    .iter()
                    .map(|row| {
                        ranges
                            .iter()
                            .all(|&(start, n)| row[start..start + n].iter().all(|&x| x == 0))
                    })
                    .collect())
            })
            .unwrap()
    }

    #[test]
    fn a_band_is_found_in_few_runs() {
        let n = 256;
        let dense: Vec<Vec<u8>> = (0..n)
            .map(|i: usize| (0..n).map(|j| u8::from(i.abs_diff(j) <= 1)).collect())
            .collect();
        let mut blocks = Blocks::of_variables(&[100, 156], &[n], |_, _| true);
        let runs = refine(&dense, &mut blocks, n);
        assert!(runs <= 8 * 6, "{runs}");
        for (i, row) in blocks.pattern().iter().enumerate() {
            let expected: Vec<u32> = (i.saturating_sub(1)..(i + 2).min(n))
                .map(|j| j as u32)
                .collect();
            assert_eq!(*row, expected);
        }
    }

    #[test]
    fn a_full_matrix_is_given_up_in_time() {
        let dense = vec![vec![1; 64]; 3];
        let mut blocks = Blocks::of_variables(&[3], &[64], |_, _| true);
        let runs = refine(&dense, &mut blocks, 20);
        assert!(runs <= 20);
        assert_eq!(blocks.pattern()[2].len(), 64);
    }

    #[test]
    fn variables_that_do_not_depend_are_not_probed() {
        let mut blocks = Blocks::of_variables(&[1, 1], &[3, 0, 2], |y, x| y == 0 && x == 2);
        let runs = refine(&[vec![0, 0, 0, 0, 1], vec![0; 5]], &mut blocks, 9);
        assert_eq!(runs, 2);
        assert_eq!(blocks.pattern(), [vec![4], vec![]]);
    }
}
