//! Any bytes: the reader of bare graphs answers with a graph or with diagnostics; what it reads it writes
//! back, and what the search finds on it is legal, costs what it says, and gives the Jacobian. Bytes that
//! begin with zero are no JSON but say which edges a small graph has, so that more of them get as far as the
//! search.

use bb_preaccum::certificate::{self, jacobian, random_labels};
use bb_preaccum::cost::CostModel;
use bb_preaccum::lcg::Lcg;
use bb_preaccum::search::{Options, search};
use cfg_core::diagnostic::Diagnostics;

/// One input.
pub(crate) fn run(data: &[u8]) {
    match data {
        [0, inputs, outputs, edges @ ..] => from_text(graph(*inputs, *outputs, edges).as_bytes()),
        _ => from_text(data),
    }
}

/// A graph of up to 16 vertices: how many are inputs, how many outputs, then two bytes per edge, of which
/// the upper half of the second is its kind. Edges lead from lower to higher vertices, unless the kind's highest
/// bit is set, too.
fn graph(inputs: u8, outputs: u8, edges: &[u8]) -> String {
    let list = |ids: &mut dyn Iterator<Item = u8>| {
        let ids: Vec<String> = ids.map(|id| id.to_string()).collect();
        ids.join(",")
    };
    let edge = |bytes: &[u8]| {
        let (a, b, kind) = (bytes[0] % 16, bytes[1] % 16, bytes[1] / 16);
        let backward = kind & 8 != 0 && bytes[0] >= 0xf0;
        let (source, target) = if backward {
            (a.max(b), a.min(b))
        } else {
            (a.min(b), a.max(b))
        };
        let kind = ["variable", "unit", "constant"][usize::from(kind % 8) % 3];
        format!("[{source},{target},\"{kind}\"]")
    };
    let edges: Vec<String> = edges.chunks_exact(2).map(edge).collect();
    format!(
        r#"{{"inputs":[{}],"outputs":[{}],"edges":[{}]}}"#,
        list(&mut (0..inputs % 8)),
        list(&mut (0..outputs % 8).map(|k| 15 - k)),
        edges.join(",")
    )
}

fn from_text(data: &[u8]) {
    let lcg = match Lcg::from_json(data) {
        Ok(lcg) => lcg,
        Err(error) => {
            assert!(Diagnostics::from(error).has_errors());
            return;
        }
    };
    let text = lcg.to_json();
    let again = Lcg::from_json(text.as_bytes()).expect("what was written can be read");
    assert!(text == again.to_json(), "writing is not stable");
    if lcg.edges().len() > 100 {
        return;
    }
    let labels = random_labels(&lcg, 1);
    let expected = jacobian(&lcg, &labels);
    for model in CostModel::ALL {
        let options = Options {
            model,
            work: 100_000,
            ..Options::default()
        };
        let found = search(&lcg, &options);
        let check = certificate::replay(&lcg, &found.steps, &labels).expect("legal");
        assert!(check.complete && check.values == expected);
        assert_eq!(check.multiplications(model), found.cost);
        assert!(found.bound <= found.cost);
        let least = found.heuristics.iter().map(|(_, cost)| *cost).min();
        assert!(least.is_none_or(|least| found.cost <= least));
    }
}
