//! Cost models and counters.

use crate::lcg::Kind;

/// The cost model: the products that count as multiplications.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CostModel {
    /// Every product counts 1.
    #[default]
    Plain,
    /// A product with a ±1 label counts 0.
    UnitFree,
    /// A product with a ±1 label or of two constants counts 0.
    ConstantAware,
}

impl CostModel {
    /// All models.
    pub const ALL: [Self; 3] = [Self::Plain, Self::UnitFree, Self::ConstantAware];

    /// The name on the command line and in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::UnitFree => "unit-free",
            Self::ConstantAware => "constant-aware",
        }
    }

    /// The model of a given name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|model| model.name() == name)
    }

    /// The cost of one product of labels of the given kinds.
    pub fn product(self, a: Kind, b: Kind) -> u64 {
        let free = match self {
            Self::Plain => false,
            Self::UnitFree => a == Kind::Unit || b == Kind::Unit,
            Self::ConstantAware => {
                a == Kind::Unit || b == Kind::Unit || (a == Kind::Constant && b == Kind::Constant)
            }
        };
        u64::from(!free)
    }
}

/// The cost of a sequence of eliminations, in every model at once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    multiplications: [u64; 3],
    fused: [u64; 3],
    /// Additions: absorptions, and merges of dual vertices.
    pub additions: u64,
}

impl Counts {
    /// Products that cost something in a model.
    pub fn multiplications(&self, model: CostModel) -> u64 {
        self.multiplications[model as usize]
    }

    /// Products that are added to an existing label at once (fused multiply-adds).
    pub fn fused(&self, model: CostModel) -> u64 {
        self.fused[model as usize]
    }

    /// Counts one product.
    pub(crate) fn product(&mut self, a: Kind, b: Kind, absorbed: bool) {
        for model in CostModel::ALL {
            let cost = model.product(a, b);
            self.multiplications[model as usize] += cost;
            self.fused[model as usize] += cost * u64::from(absorbed);
        }
        self.additions += u64::from(absorbed);
    }
}
