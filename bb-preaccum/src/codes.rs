//! Diagnostics of bare linearized computational graphs, L1xx.

cfg_core::diagnostic_codes! {
    /// Every code of this crate.
    pub CODES of pub codes;
    JSON "L101" "not a JSON value"
        "the file is one JSON value; numbers are finite"
        "The text breaks off, or has a character that JSON does not allow at this place. NaN, Infinity and numbers beyond the range of 64-bit floating point are not JSON numbers.";
    SHAPE "L102" "not a graph"
        "a graph is {\"name\", \"inputs\": [ids], \"outputs\": [ids], \"edges\": [[source, target, kind]]}"
        "A bare linearized computational graph is an object with the lists `inputs`, `outputs` and `edges`. `name`, `note` and `isolated` are optional.";
    UNKNOWN "L103" "unknown field"
        "a graph is {\"name\", \"inputs\": [ids], \"outputs\": [ids], \"edges\": [[source, target, kind]]}"
        "A field that is not known is most often a misspelt one; the help names the nearest known field.";
    TWICE "L104" "field given twice"
        "every field is given once"
        "JSON leaves open which of two equal keys counts, so none is chosen.";
    MISSING "L105" "field missing"
        "a graph is {\"name\", \"inputs\": [ids], \"outputs\": [ids], \"edges\": [[source, target, kind]]}"
        "`inputs`, `outputs` and `edges` must be there; the lists of inputs and edges may be empty.";
    BAD_ID "L106" "not an id"
        "ids are integers of 64 bits"
        "Vertices are named by integers, in any order and with any gaps.";
    BAD_EDGE "L107" "not an edge"
        "an edge is [source, target, kind], or [source, target, \"unit\", 1 or -1]"
        "An edge is a short list. Labels other than ±1 are not given: only what is known about them matters for the order of elimination.";
    BAD_KIND "L108" "not a kind"
        "the kind is \"unit\", \"constant\" or \"variable\""
        "`unit` is a partial of ±1, `constant` any other number that is known before the program runs, `variable` everything else.";
    BAD_SIGN "L109" "not a sign"
        "a unit edge may give its sign, 1 or -1; other labels are not given"
        "The fourth element of an edge is the sign of a unit label. Real numbers, finite or not, are not accepted there.";
    TOO_LARGE "L110" "too many edges"
        "a graph has at most 2^28 edges"
        "Labels are numbered with 32 bits, those that elimination makes included. Split the block.";
    INPUT_TWICE "L111" "input listed twice"
        "inputs are distinct"
        "Each independent has one column of the Jacobian.";
    OUTPUT_TWICE "L112" "output listed twice"
        "outputs are distinct"
        "Each dependent has one row of the Jacobian.";
    INPUT_OUTPUT "L113" "input and output at once"
        "no id is in both inputs and outputs"
        "A variable that is passed through has two values in a linearized graph, at entry and at exit: give the second one an id of its own, behind an edge of kind unit.";
    NO_OUTPUTS "L114" "no outputs"
        "a graph has at least one output"
        "Without dependents there is no Jacobian.";
    SELF_LOOP "L115" "edge from a vertex to itself"
        "an edge joins two different vertices"
        "A vertex is one value, and no value depends on itself. A variable that is overwritten needs a new vertex for its new value.";
    INTO_INPUT "L116" "edge into an input"
        "inputs have no in-edges"
        "Inputs are the values that the block starts with; what is computed in it is an intermediate or an output.";
    DUPLICATE_EDGE "L117" "edge given twice"
        "two vertices are joined by at most one edge"
        "If an argument occurs twice in an operation (x*x), the partials belong to one edge whose label is their sum.";
    CYCLE "L118" "cycle"
        "a linearized computational graph is acyclic"
        "Values are computed one after the other, so none can depend on itself by way of others. A variable that is overwritten needs a new vertex for its new value; loops are not part of a basic block.";
    NO_PATH "L119" "output without a path from an input"
        "every output depends on an input"
        "The row of such an output is zero; delete the output.";
    MORE "L120" "more problems"
        "at most 100 problems of a graph are described"
        "Many problems usually have one cause; mending the first often removes the others.";
}
