//! Scans the places for a token of a list, in front of its own place or behind.

use super::{Trail, packed, unpack_difference};
use crate::bits::board::Token;
use crate::bits::cells::{self, Cell};
use crate::bits::{Row, has};

/// A scanned place for a token: in front of this place of the current list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stop {
    /// The place; `None` if the token is removed.
    pub(crate) place: Option<usize>,
    /// The change of the cost (see [`unpacked`]), provided that later tokens with the same cells cost the same.
    pub(crate) change: u64,
}

impl<const W: usize, const L: usize> Trail<'_, W, L> {
    /// Scans the places for a token from `from` to the front as far as `low`, until one costs `most` more than the
    /// best. The token stands at `from`, or (`is_new`) is a further one in front of the token there.
    pub(crate) fn scan_left(
        &mut self,
        token: Token,
        from: usize,
        is_new: bool,
        low: usize,
        most: i64,
    ) {
        self.stops.clear();
        let v = cells::middle_vertex(token);
        let now = if is_new { 0 } else { self.entries[from].price };
        let mut others = 0u64;
        let mut least = 0;
        let mut own: Option<(Cell<W, L>, Row<W>, u64)> = None;
        let mut at = from + usize::from(is_new);
        self.work += 4 + (at - low) as u64 / 2;
        while at > low {
            at -= 1;
            let entry = self.entries[at];
            let w = cells::middle_vertex(entry.token);
            let known = own.filter(|_| !has(&entry.touched, v));
            let is_known = known.is_some();
            let (cell, reach, price) = match known {
                Some(own) => own,
                None => {
                    let cell = *self.around(v, entry.stamp).0;
                    let Some(price) = cells::token_cost(self.graph, token, &cell) else {
                        return;
                    };
                    self.work += 5;
                    (
                        cell,
                        cells::touched(self.graph, token, &cell),
                        packed(price),
                    )
                }
            };
            own = Some((cell, reach, price));
            if has(&reach, w) {
                let mut other = *self.around(w, entry.stamp).0;
                cells::apply_token(self.graph, token, &cell, w, &mut other);
                let price = cells::token_cost(self.graph, entry.token, &other).map_or(0, packed);
                self.work += 8;
                others = others.wrapping_add(price).wrapping_sub(entry.price);
            } else if is_known {
                continue;
            }
            let change = others.wrapping_add(price).wrapping_sub(now);
            self.stops.push(Stop {
                place: Some(at),
                change,
            });
            let counted = unpack_difference(change).0;
            least = least.min(counted);
            if counted > least + most {
                return;
            }
        }
    }

    /// Scans the places behind the token at `from` and in front of `high`, as [`Self::scan_left`]; the tokens `left`
    /// take its place. An edge elimination behind the elimination of its vertex has no effect.
    pub(crate) fn scan_right(&mut self, from: usize, left: &[Token], high: usize, most: i64) {
        self.stops.clear();
        self.begin(false);
        let token = self.entries[from].token;
        let v = cells::middle_vertex(token);
        for &token in left {
            self.insert(from, 0, token);
        }
        self.remove(from);
        let mut least = 0;
        for at in from + 1..high {
            let before = self.tested;
            self.keep(at);
            let entry = self.entries[at];
            if self.tested == before && !has(&entry.touched, v) {
                continue;
            }
            let removed = self.tested.wrapping_sub(self.total);
            if cells::middle_vertex(entry.token) == v && matches!(entry.token, Token::Vertex(_)) {
                self.stops.push(Stop {
                    place: None,
                    change: removed,
                });
                return;
            }
            let cell = self.current(v, self.stamp(at + 1));
            self.work += 3;
            let Some(price) = cells::token_cost(self.graph, token, &cell) else {
                continue;
            };
            let change = removed.wrapping_add(packed(price));
            self.stops.push(Stop {
                place: Some(at + 1),
                change,
            });
            let counted = unpack_difference(change).0;
            least = least.min(counted);
            if counted > least + most {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::rng::Rng;
    use super::super::super::testing::looked_at;
    use super::super::Edit;
    use super::super::tests::{assert_fresh, edited, on_board, some_graph};
    use super::*;
    use crate::bits::cells::{CONSTANT_AWARE, PLAIN, UNIT_FREE};
    use crate::bits::items;
    use crate::cost::CostModel;

    /// A scan gives each place of a vertex the cost of the order with the vertex there.
    #[test]
    fn places_of_vertices_cost_what_their_orders_cost() {
        let mut rng = Rng::new(8);
        let mut better = 0;
        for _ in 0..60 {
            orders::<PLAIN>(&mut rng, CostModel::Plain, &mut better);
            orders::<UNIT_FREE>(&mut rng, CostModel::UnitFree, &mut better);
            orders::<CONSTANT_AWARE>(&mut rng, CostModel::ConstantAware, &mut better);
        }
        assert!(better > 1000, "{better}");
    }

    fn orders<const L: usize>(rng: &mut Rng, model: CostModel, better: &mut u32) {
        let (bits, list) = some_graph(rng, model);
        let mut trail = Trail::<1, L>::new(&bits, &list);
        let n = list.len();
        for _ in 0..if n > 0 { 50 } else { 0 } {
            let from = rng.below(n);
            let token = trail.entries[from].token;
            let to_left = rng.below(2) == 0;
            if to_left {
                trail.scan_left(token, from, false, 0, 1000);
            } else {
                trail.scan_right(from, &[], n, 1000);
            }
            for stop in &trail.stops {
                let to = stop.place.expect("vertices stay");
                let edits = [Edit::Remove(from), Edit::Insert(to, token)];
                let total = on_board(&bits, &edited(&trail.tokens(), &edits));
                assert_eq!(total, trail.total.wrapping_add(stop.change), "{from} {to}");
                let (counted, all) = unpack_difference(stop.change);
                assert_eq!(
                    (counted, all),
                    (
                        (total >> 32) as i64 - (trail.total >> 32) as i64,
                        (total & 0xffff_ffff) as i64 - (trail.total & 0xffff_ffff) as i64
                    )
                );
                *better += u32::from(counted < 0);
            }
            if let Some(&stop) = trail.stops.last() {
                let to = stop.place.expect("vertices stay");
                let mut edits = [Edit::Remove(from), Edit::Insert(to, token)];
                edits.sort_by_key(|edit| edit.position());
                assert_eq!(trail.test(&edits).0, trail.total.wrapping_add(stop.change));
                trail.commit();
                assert_fresh(&trail);
            }
        }
    }

    /// A scan gives the right cost of a further edge elimination in front of vertices, and of one that takes the place
    /// of its vertex, which goes to the back.
    #[test]
    fn places_of_edges_cost_what_their_lists_cost() {
        let mut rng = Rng::new(9);
        let (mut looked, mut better) = (0, 0);
        for _ in 0..300 {
            let (bits, list) = some_graph(&mut rng, CostModel::Plain);
            let mut trail = Trail::<1, PLAIN>::new(&bits, &list);
            for from in 0..list.len() {
                let Token::Vertex(j) = list[from] else {
                    continue;
                };
                let cell = trail.cell(j.into(), from);
                let edge = items(cell.succ.all())
                    .next()
                    .map(|k| Token::Back(j, k as u16));
                let Some(edge) = edge else { continue };
                trail.scan_left(edge, from, true, 0, 1000);
                let cost = |edits: &[Edit]| on_board(&bits, &edited(&list, edits));
                // The first place is the one in front of the vertex, where nothing comes in between.
                let first = trail.stops[0];
                assert_eq!(first.place, Some(from));
                let total = cost(&[Edit::Insert(from, edge)]);
                assert_eq!(total, trail.total.wrapping_add(first.change));
                trail.scan_right(from, &[edge], list.len(), 1000);
                for stop in &trail.stops {
                    let to = stop.place.expect("vertices stay");
                    let vertex = Edit::Insert(to, list[from]);
                    let total = cost(&[Edit::Insert(from, edge), Edit::Remove(from), vertex]);
                    assert_eq!(total, trail.total.wrapping_add(stop.change));
                    looked += 1;
                    better += u32::from(unpack_difference(stop.change).0 < 0);
                }
            }
        }
        assert!(looked > 500 && better > 100, "{looked} {better}");
    }

    #[test]
    fn scans_end_on_both_sides_of_a_rise() {
        let mut rng = Rng::new(12);
        let mut ended = [0; 2];
        for _ in 0..50 {
            let (bits, list) = some_graph(&mut rng, CostModel::Plain);
            let mut trail = Trail::<1, PLAIN>::new(&bits, &list);
            let mut scan = |from: usize, to_left: bool, most: i64| -> Vec<i64> {
                if to_left {
                    trail.scan_left(list[from], from, false, 0, most);
                } else {
                    trail.scan_right(from, &[], list.len(), most);
                }
                let changes = trail
                    .stops
                    .iter()
                    .map(|stop| unpack_difference(stop.change).0);
                changes.collect()
            };
            for from in 0..list.len() {
                for to_left in [false, true] {
                    let all = scan(from, to_left, i64::MAX);
                    for most in 0..=30 {
                        let looks = scan(from, to_left, most).len();
                        assert_eq!(looks, looked_at(&all, most), "{from} {to_left} {most}");
                        ended[usize::from(to_left)] += usize::from(looks < all.len());
                    }
                }
            }
        }
        assert!(ended.iter().all(|&ended| ended > 20), "{ended:?}");
    }
}
