//! Numbers that name entries of the parser's arenas: expressions, statements, declarations, structures.

/// Declares a number that names an entry of an arena.
macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub(crate) struct $name(pub(crate) u32);

        impl $name {
            pub(crate) fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}

id! {
    /// An expression.
    ExprId
}
id! {
    /// A statement.
    StmtId
}
id! {
    /// A declaration.
    DeclId
}
id! {
    /// A structure.
    StructId
}
