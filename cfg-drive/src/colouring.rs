//! Colouring of a sparsity pattern: columns without a common row can share one run.
//!
//! A partition into groups of structurally orthogonal columns, found greedily, columns with most rows
//! first (Curtis, Powell & Reid, "On the estimation of sparse Jacobian matrices", 1974; Coleman & Moré,
//! "Estimation of sparse Jacobian matrices and graph coloring problems", 1983).

use fixedbitset::FixedBitSet;

/// The columns of each row where it may not be zero, ascending.
pub(crate) type Pattern = Vec<Vec<u32>>;

/// The colour of each column, from 0, and the number of colours; `None` if there are more than `most`.
/// Colours of columns that are not `wanted` are meaningless.
pub(crate) fn columns(
    rows: &Pattern,
    width: usize,
    wanted: impl Fn(usize) -> bool,
    most: usize,
) -> Option<(Vec<usize>, usize)> {
    let mut of_column: Vec<Vec<u32>> = vec![Vec::new(); width];
    for (i, row) in rows.iter().enumerate() {
        let mut count = 0;
        for &j in row.iter().filter(|&&j| wanted(j as usize)) {
            of_column[j as usize].push(i as u32);
            count += 1;
        }
        // The columns of one row all differ.
        if count > most {
            return None;
        }
    }
    let mut order: Vec<usize> = (0..width).filter(|&j| wanted(j)).collect();
    order.sort_by_key(|&j| (std::cmp::Reverse(of_column[j].len()), j));
    let mut colour = vec![0; width];
    let mut used: Vec<FixedBitSet> = vec![FixedBitSet::new(); rows.len()];
    let mut taken = FixedBitSet::new();
    let mut count = 0;
    for j in order {
        taken.clear();
        for &i in &of_column[j] {
            taken.union_with(&used[i as usize]);
        }
        let free = taken.zeroes().next().unwrap_or(taken.len());
        if free >= most {
            return None;
        }
        colour[j] = free;
        count = count.max(free + 1);
        for &i in &of_column[j] {
            used[i as usize].grow_and_insert(free);
        }
    }
    Some((colour, count))
}

/// The transposed pattern.
pub(crate) fn transposed(rows: &Pattern, width: usize) -> Pattern {
    let mut columns = vec![Vec::new(); width];
    for (i, row) in rows.iter().enumerate() {
        for &j in row {
            columns[j as usize].push(i as u32);
        }
    }
    columns
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_band_needs_its_width() {
        let n = 50;
        let rows: Pattern = (0..n)
            .map(|i: u32| (i.saturating_sub(1)..(i + 2).min(n)).collect())
            .collect();
        let (colour, count) = columns(&rows, 50, |_| true, 50).unwrap();
        assert_eq!(count, 3);
        for row in &rows {
            for (k, &a) in row.iter().enumerate() {
                for &b in &row[..k] {
                    assert_ne!(colour[a as usize], colour[b as usize]);
                }
            }
        }
        assert_eq!(columns(&rows, 50, |_| true, 2), None);
    }

    #[test]
    fn a_dense_row_needs_all_colours() {
        let rows: Pattern = vec![(0..7).collect(), vec![], vec![3]];
        assert_eq!(columns(&rows, 7, |_| true, 7).unwrap().1, 7);
        assert_eq!(columns(&rows, 7, |j| j < 2, 7).unwrap().1, 2);
        let across = transposed(&rows, 7);
        assert_eq!(across[3], [0, 2]);
        assert_eq!(columns(&across, 3, |_| true, 9).unwrap().1, 2);
    }

    #[test]
    fn nothing_needs_nothing() {
        assert_eq!(columns(&vec![], 0, |_| true, 0).unwrap().1, 0);
    }
}
