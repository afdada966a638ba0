//! Any bytes: the reader of bare graphs answers with a graph or with diagnostics; what it reads it writes
//! back, and what the search finds on it is legal, costs what it says, and gives the Jacobian.
#![no_main]

use bb_preaccum::certificate::{self, jacobian, labels};
use bb_preaccum::cost::CostModel;
use bb_preaccum::lcg::Lcg;
use bb_preaccum::search::{Options, search};
use cfg_core::diagnostic::Diagnostics;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
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
    let labels = labels(&lcg, 1);
    let expected = jacobian(&lcg, &labels);
    for model in CostModel::ALL {
        let options = Options { model, work: 100_000, ..Options::default() };
        let found = search(&lcg, &options);
        let check = certificate::replay(&lcg, &found.steps, &labels).expect("legal");
        assert!(check.complete && check.values == expected);
        assert_eq!(check.multiplications(model), found.cost);
        assert!(found.bound <= found.cost);
    }
});
