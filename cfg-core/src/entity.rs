//! Index newtypes: every entity of the IR is named by a `u32` of its own type.
//!
//! The printed form (`v3`, `e7`, ...) is the name that text output and DOT use.

/// Defines an index newtype with a printed prefix.
macro_rules! entity {
    ($(#[$doc:meta])* $name:ident, $prefix:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(u32);

        impl $name {
            /// The entity with this index. Readers and builders refuse programs with more than
            /// [`MAX_ENTITIES`] entities of a kind, so the conversion never truncates.
            #[inline]
            pub fn new(index: usize) -> Self {
                debug_assert!(index <= MAX_ENTITIES, concat!($prefix, " index overflow"));
                Self(index as u32)
            }

            /// Position in the arena that owns the entity.
            #[inline]
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                std::fmt::Display::fmt(self, f)
            }
        }
    };
}

/// Largest number of entities of one kind in a program.
pub const MAX_ENTITIES: usize = (u32::MAX - 1) as usize;

entity! {
    /// A routine of a program.
    RoutineId, "r"
}
entity! {
    /// A global (module) variable of a program.
    GlobalId, "g"
}
entity! {
    /// A record type of a program.
    RecordId, "t"
}
entity! {
    /// A variable as one routine sees it: parameter, local, or a global that it uses.
    VarId, "x"
}
entity! {
    /// A vertex of a control-flow graph. Not the number that files show: that is [`crate::ir::Vertex::id`].
    VertexId, "v"
}
entity! {
    /// A location of a routine: cells that analyses do not tell apart ([`crate::memory::locations`]).
    LocationId, "l"
}
entity! {
    /// An edge of a control-flow graph; parallel edges are different entities.
    EdgeId, "e"
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The last entity of a kind has its own index.
    #[test]
    fn the_last_entity_has_its_index() {
        assert_eq!(VarId::new(MAX_ENTITIES).index(), MAX_ENTITIES);
    }

    /// An index behind the last one is a mistake.
    #[test]
    #[cfg(debug_assertions)]
    #[should_panic(expected = "x index overflow")]
    fn there_is_no_entity_behind_the_last_one() {
        let _ = VarId::new(MAX_ENTITIES + 1);
    }
}
