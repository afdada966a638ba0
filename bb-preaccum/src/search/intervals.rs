//! Vertex orders from cuts: the vertices stand in a line, in topological order, and each stretch of the line is
//! eliminated as two shorter ones and the vertex between them last, as in the best bracketing of a product
//! of matrices.
//!
//! The cost of a vertex after exactly the rest of its stretch is eliminated is a product of two numbers: its
//! predecessors depend only on the part of the stretch in front, its successors only on the part behind. So all costs
//! come from two tables, and the best tree of stretches from a recurrence. (The recurrence ignores edges that pass
//! over the vertex between two stretches; the cost of the resulting order does not.) The method is meant for products
//! of small Jacobians, for which greedy choices go wrong.

use super::rng::Rng;
use crate::bits::{BitGraph, Near, Row, has, items, minus, set, size, step, unset};
use crate::cost::CostModel;

/// The longest line: the recurrence takes time in the third power of its length.
pub(crate) const MOST: usize = 256;

/// The number of neighbours that count, and of the variable ones among them (two constant sides make free products).
type Width = (u32, u32);

/// The vertices to be eliminated in a random topological order that goes deep before it goes wide, from
/// the outputs or from the inputs.
pub(crate) fn line<const W: usize>(graph: &BitGraph<W>, back: bool, rng: &mut Rng) -> Vec<usize> {
    let (near, far) = if back {
        (&graph.pred.all, &graph.succ.all)
    } else {
        (&graph.succ.all, &graph.pred.all)
    };
    let n = graph.vertices.len();
    let mut seen: Row<W> = [0; W];
    let mut line = Vec::new();
    let mut ends: Vec<usize> = (0..n).filter(|&v| far[v] == [0; W]).collect();
    shuffle(&mut ends, rng);
    // Each vertex twice: to go on from it, and to be left.
    let mut stack: Vec<(usize, bool)> = ends.into_iter().map(|v| (v, false)).collect();
    while let Some((v, leave)) = stack.pop() {
        if leave {
            if has(&graph.eliminable, v) {
                line.push(v);
            }
            continue;
        }
        if has(&seen, v) {
            continue;
        }
        set(&mut seen, v);
        stack.push((v, true));
        let mut next: Vec<usize> = items(&minus(&near[v], &seen)).collect();
        shuffle(&mut next, rng);
        stack.extend(next.into_iter().map(|w| (w, false)));
    }
    if !back {
        line.reverse();
    }
    line
}

fn shuffle(list: &mut [usize], rng: &mut Rng) {
    for at in 1..list.len() {
        let other = rng.below(at + 1);
        list.swap(at, other);
    }
}

/// The order of the best tree for a line, its stretches from the front or from the back; and the work done.
pub(crate) fn order<const W: usize>(
    graph: &BitGraph<W>,
    line: &[usize],
    from_front: bool,
) -> (Vec<usize>, u64) {
    let n = line.len();
    let before = widths(graph, line, true);
    let behind = widths(graph, line, false);
    // Least cost of the stretch from `low` to before `high`, and its last vertex.
    let width = n + 1;
    let mut least = vec![0u32; width * width];
    // The same by `high` first, so that both are read in order.
    let mut mirror = vec![0u32; width * width];
    let mut last = vec![0u16; width * width];
    for low in (0..n).rev() {
        for high in low + 1..=n {
            let (mut cost, mut who) = (u32::MAX, low);
            for at in low..high {
                let (i, o) = (before[at * n + low], behind[at * width + high]);
                let own = i.0 * o.0 - i.1 * o.1;
                let sum = least[low * width + at] + mirror[high * width + at + 1] + own;
                if sum < cost {
                    (cost, who) = (sum, at);
                }
            }
            least[low * width + high] = cost;
            mirror[high * width + low] = cost;
            last[low * width + high] = who as u16;
        }
    }
    let mut order = Vec::with_capacity(n);
    let mut stack = vec![(0, n)];
    while let Some((low, high)) = stack.pop() {
        if low >= high {
            continue;
        }
        let at = usize::from(last[low * width + high]);
        order.push(line[at]);
        // From the last to the first.
        if from_front {
            stack.extend([(low, at), (at + 1, high)]);
        } else {
            stack.extend([(at + 1, high), (low, at)]);
        }
    }
    order.reverse();
    let n = n as u64;
    (order, n * n * n / 12 + 8 * n * n)
}

/// The neighbours of each vertex of the line on one side, for each beginning (or end) of a stretch, after the vertices
/// in between are eliminated.
fn widths<const W: usize>(graph: &BitGraph<W>, line: &[usize], front: bool) -> Vec<Width> {
    let n = line.len();
    let side = if front { &graph.pred } else { &graph.succ };
    let columns = if front { n } else { n + 1 };
    let mut table = vec![(0, 0); n * columns];
    for (at, &v) in line.iter().enumerate() {
        let mut near = Near {
            all: side.all[v],
            strong: side.strong[v],
            variable: side.variable[v],
            through: [0; W],
        };
        let mut between = 0;
        loop {
            let column = if front {
                at - between
            } else {
                at + 1 + between
            };
            table[at * columns + column] = width(graph.model, &near);
            between += 1;
            let next = if front {
                at.checked_sub(between)
            } else {
                Some(at + between).filter(|&next| next < n)
            };
            let Some(next) = next else { break };
            let w = line[next];
            if has(&near.all, w) {
                step(side, w, &mut near);
                if front || !has(&graph.stays, w) {
                    unset(&mut near.all, w);
                }
            }
        }
    }
    table
}

fn width<const W: usize>(model: CostModel, near: &Near<W>) -> Width {
    if model == CostModel::Plain {
        return (size(&near.all), 0);
    }
    let strong = crate::bits::meet(&near.all, &near.strong);
    let variable = crate::bits::meet(&strong, &near.variable);
    match model {
        CostModel::ConstantAware => (size(&strong), size(&strong) - size(&variable)),
        CostModel::Plain | CostModel::UnitFree => (size(&strong), 0),
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::graph;
    use super::*;
    use crate::eliminate::{Primal, Step};
    use crate::lcg::{Kind, Lcg};

    fn small(rng: &mut Rng) -> Lcg {
        let count = 6 + rng.below(6);
        graph(rng, count)
    }

    fn bits(lcg: &Lcg, model: CostModel) -> BitGraph<1> {
        BitGraph::new(&Primal::new(lcg), model).expect("a small graph")
    }

    /// The neighbours of `v` on one side that count after `gone` is eliminated from the graph itself.
    fn recounted(lcg: &Lcg, bits: &BitGraph<1>, v: usize, gone: &[usize], front: bool) -> Width {
        let mut left = Primal::new(lcg);
        for &w in gone {
            left.apply(Step::Vertex(bits.vertices[w]))
                .expect("it is there");
        }
        let v = bits.vertices[v];
        let edges: Vec<(u32, u32)> = if front {
            left.preds(v).map(|p| (p, v)).collect()
        } else {
            left.succs(v).map(|s| (v, s)).collect()
        };
        let kinds = edges.into_iter().map(|(i, k)| {
            let label = left.label(i, k).expect("an edge");
            left.kind(label)
        });
        let kinds: Vec<Kind> = kinds.collect();
        let constants = kinds.iter().filter(|&&k| k == Kind::Constant).count() as u32;
        let units = kinds.iter().filter(|&&k| k == Kind::Unit).count() as u32;
        let all = kinds.len() as u32;
        match bits.model {
            CostModel::Plain => (all, 0),
            CostModel::UnitFree => (all - units, 0),
            CostModel::ConstantAware => (all - units, constants),
        }
    }

    #[test]
    fn lines_are_topological_orders_of_what_is_eliminated() {
        let mut rng = Rng::new(11);
        let mut lines = std::collections::BTreeSet::new();
        for case in 0..200 {
            let lcg = small(&mut rng);
            let bits = bits(&lcg, CostModel::Plain);
            let line = line(&bits, case % 2 == 0, &mut rng);
            let mut sorted = line.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, items(&bits.eliminable).collect::<Vec<_>>());
            for (at, &v) in line.iter().enumerate() {
                for &before in &line[..at] {
                    let edge = has(&bits.succ.all[v], before);
                    assert!(!edge, "case {case}: {v} is read by {before} in front of it");
                }
            }
            lines.insert(line == sorted);
        }
        assert_eq!(
            lines.len(),
            2,
            "not all of them are in the order of numbers"
        );
    }

    #[test]
    fn widths_are_those_of_the_graph_after_a_stretch_is_gone() {
        let mut rng = Rng::new(12);
        let mut widest = 0;
        for case in 0..150 {
            let lcg = small(&mut rng);
            let bits = bits(&lcg, CostModel::ALL[case % 3]);
            let line = line(&bits, case % 2 == 0, &mut rng);
            let n = line.len();
            let (before, behind) = (widths(&bits, &line, true), widths(&bits, &line, false));
            for (at, &v) in line.iter().enumerate() {
                for low in 0..=at {
                    let counted = recounted(&lcg, &bits, v, &line[low..at], true);
                    assert_eq!(before[at * n + low], counted, "case {case}: {low}, {at}");
                }
                for high in at + 1..=n {
                    let counted = recounted(&lcg, &bits, v, &line[at + 1..high], false);
                    assert_eq!(
                        behind[at * (n + 1) + high],
                        counted,
                        "case {case}: {at}, {high}"
                    );
                    widest = widest.max(counted.0);
                }
            }
        }
        assert!(widest > 2);
    }

    /// The price of a vertex that goes last in its stretch.
    fn own(lcg: &Lcg, bits: &BitGraph<1>, line: &[usize], [low, at, high]: [usize; 3]) -> u32 {
        let i = recounted(lcg, bits, line[at], &line[low..at], true);
        let o = recounted(lcg, bits, line[at], &line[at + 1..high], false);
        i.0 * o.0 - i.1 * o.1
    }

    /// The least price of all trees of a stretch, one after the other.
    fn best(price: &impl Fn([usize; 3]) -> u32, low: usize, high: usize) -> u32 {
        let trees = (low..high)
            .map(|at| price([low, at, high]) + best(price, low, at) + best(price, at + 1, high));
        trees.min().unwrap_or(0)
    }

    /// The price of the tree of an order: the last vertex divides its stretch, and one part is eliminated before the
    /// other.
    fn of_order(
        price: &impl Fn([usize; 3]) -> u32,
        line: &[usize],
        order: &[usize],
        from_front: bool,
        low: usize,
    ) -> u32 {
        let Some((last, rest)) = order.split_last() else {
            return 0;
        };
        let high = low + order.len();
        let at = (low..high)
            .find(|&at| line[at] == *last)
            .expect("of this stretch");
        let (first, second) = rest.split_at(if from_front { at - low } else { high - at - 1 });
        let (front, back) = if from_front {
            (first, second)
        } else {
            (second, first)
        };
        price([low, at, high])
            + of_order(price, line, front, from_front, low)
            + of_order(price, line, back, from_front, at + 1)
    }

    #[test]
    fn orders_are_those_of_a_cheapest_tree() {
        let mut rng = Rng::new(13);
        let (mut dearer, mut longest) = (0, 0);
        for case in 0..150 {
            let lcg = small(&mut rng);
            let bits = bits(&lcg, CostModel::ALL[case % 3]);
            let line = line(&bits, case % 2 == 0, &mut rng);
            let n = line.len();
            // One price per stretch and vertex is enough: trees share them.
            let mut prices = std::collections::BTreeMap::new();
            for low in 0..n {
                for at in low..n {
                    for high in at + 1..=n {
                        let place = [low, at, high];
                        prices.insert(place, own(&lcg, &bits, &line, place));
                    }
                }
            }
            let price = |place: [usize; 3]| prices[&place];
            let least = best(&price, 0, n);
            for from_front in [true, false] {
                let (order, _) = order(&bits, &line, from_front);
                let found = of_order(&price, &line, &order, from_front, 0);
                assert_eq!(found, least, "case {case}: {line:?} {order:?}");
            }
            let ascending = of_order(&price, &line, &line, true, 0);
            dearer += usize::from(ascending > least);
            longest = longest.max(n);
        }
        assert!(dearer > 20 && longest > 5, "{dearer} {longest}");
    }
}
