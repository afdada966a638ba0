//! The codes of validation: title, rule and explanation of each.

use crate::diagnostic::CodeInfo;

/// Defines one constant per code and the table of all of them.
macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident $code:literal, $title:literal, $rule:literal, $explanation:literal;)*) => {
        $(
            #[doc = $title]
            pub const $name: CodeInfo = CodeInfo {
                code: $code,
                title: $title,
                rule: $rule,
                explanation: $explanation,
            };
        )*

        /// Every code of validation, in order.
        pub const CODES: &[CodeInfo] = &[$($name),*];
    };
}

codes! {
    ENTRY_COUNT "V101", "not exactly one ENTRY",
        "a graph has exactly one ENTRY vertex",
        "Control enters a routine at its ENTRY vertex, and the reverse sweep ends at its adjoint. Merge several entries into one, or split the routine.";
    EXIT_COUNT "V102", "not exactly one EXIT",
        "a graph has exactly one EXIT vertex",
        "Control leaves a routine at its EXIT vertex, and the reverse sweep starts at its adjoint. A routine with several returns lets all of them jump to the one EXIT (which structured control flow expresses with branches).";
    DEGREE "V103", "wrong number of predecessors or successors",
        "ENTRY 0 in, 1 out; EXIT 1 in, 0 out; BASICBLOCK 1 in, 1 out; LOOP and FORLOOP 2 in, 2 out; ENDLOOP 1 in, 1 out; BRANCH 1 in, 2 or more out; ENDBRANCH 2 or more in, 1 out (Definition 1)",
        "Each vertex type has a fixed number of edges, so that the type alone says how to reverse it. Control flow meets only at ENDBRANCH and LOOP and divides only at BRANCH and LOOP. An edge that is missing or superfluous shows up at both of its ends. In a routine with \"control\": \"general\", BASICBLOCK, BRANCH, ENDLOOP, ENDBRANCH and EXIT may have any positive number of predecessors.";
    UNREACHABLE "V104", "not reachable from ENTRY",
        "every vertex lies on a path from ENTRY",
        "A vertex that control never arrives at has no place in the reversal. Delete it, or add the missing edge to it.";
    NO_WAY_OUT "V105", "EXIT not reachable",
        "every vertex lies on a path to EXIT",
        "From such a vertex the routine can never return, so there is nothing to start a reverse sweep with. Add the missing edge (often a loop's exit edge).";
    LABEL_MISSING "V106", "label missing",
        "the edge from a LOOP into its body has label 1, and every out-edge of a BRANCH has a label",
        "Labels say which edge is taken: 1 starts the body of a loop; the exit edge of the loop has none. A two-way branch takes 1 if its condition is true and 0 if not, and both are written.";
    LABEL_DUPLICATE "V107", "label used twice",
        "the labels of a vertex's out-edges are mutually distinct",
        "With one label on two edges it is not decided which of them is taken.";
    LABEL_WRONG "V108", "label that does not belong there",
        "only out-edges of BRANCH and the body edge of a LOOP have labels; those of a two-way branch are 0 and 1",
        "The exit edge of a loop, and the only out-edge of any other vertex, have no label: nothing is decided there. A two-way branch has exactly the edges 1 (true) and 0 (false).";
    ARMS "V109", "arms and out-edges differ",
        "a multi-way BRANCH has one arm for each out-edge, with the same label",
        "The arms of the vertex list the values that choose each label; the out-edges carry the labels. Both must name the same set.";
    CASES_OVERLAP "V110", "cases overlap or are empty",
        "each value chooses at most one arm of a multi-way BRANCH, and no range of cases is empty",
        "If a value were listed in two arms, the arm taken would depend on the order of the search. A range whose lower bound exceeds its upper bound, and an arm that has no case and is not the default, can never be taken.";
    DEFAULTS "V111", "more than one default",
        "at most one arm of a multi-way BRANCH is the default",
        "The default is taken if no case of any arm matches; there can be only one.";
    NESTING "V112", "loops and branches do not nest",
        "each LOOP has one ENDLOOP and each BRANCH one ENDBRANCH; loops, branches and their arms are nested, never interleaved",
        "The reversal pairs each end with its header: the ENDLOOP becomes the head of the adjoint loop, the ENDBRANCH becomes the adjoint branch. All arms of a branch meet in one ENDBRANCH that nothing else enters, and inside a loop or an arm every loop and branch that begins there also ends there. Jumps out of loops (break, return, goto) must be rewritten with a logical variable, or the routine declared \"control\": \"general\".";
    IRREDUCIBLE "V113", "loop with several entries",
        "every cycle is entered at its LOOP vertex only",
        "The graph is irreducible: a cycle can be entered at more than one vertex, so it has no header. Split vertices until one entry remains, or declare \"control\": \"general\".";
    IDS "V114", "identifier of a vertex or edge",
        "ids of vertices and edges are unique in their graph and within +-2^53; a vertex id is not 0",
        "Diagnostics, pictures and the reversal name vertices by their ids; the adjoint of vertex 5 is -5, therefore 0 has no place. Ids beyond 2^53 are not read exactly by every JSON reader. An edge without an id has the id of its position among the edges.";
    BACK_EDGE "V115", "ENDLOOP does not lead to a LOOP",
        "the successor of an ENDLOOP is its LOOP or FORLOOP, and one predecessor of a LOOP is its ENDLOOP",
        "The edge from ENDLOOP to LOOP is the back edge of the loop; only ENDLOOP has one.";
    BUILDER "V116", "builder used wrongly",
        "a builder's loops and branches end with their own calls, innermost first; what is declared is defined once",
        "The program builder reports calls that do not fit what is open instead of making a graph that breaks Definition 1. The message names the call and what is open there.";
}
