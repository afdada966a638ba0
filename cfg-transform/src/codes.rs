//! The codes of programs that cannot be transformed.

cfg_core::diagnostic_codes! {
    /// Every code of this crate, in order.
    pub CODES of pub codes;
    NOT_A_REGION "M501" "not a region that can be outlined"
        "A region has one edge that enters it and one that leaves it, contains neither ENTRY nor EXIT, and no LOOP \
         without its ENDLOOP."
        "What becomes a routine of its own is entered at one place and left at one place: a loop, a branch with its \
         end, or some of these and blocks in a row. Jumps into or out of its middle, a return among them, would have \
         no counterpart in a call. Take the whole construct around the jump instead.";
    NOT_A_PARAMETER "M502" "a variable that cannot be passed"
        "What a region shares with its surroundings can be a parameter."
        "A local array with deferred extents gets its shape by assignment, which a parameter does not. If such an \
         array is assigned in the region and named outside, or keeps its shape from one pass of a loop around the region to \
         the next, include more in the region, or declare the array with extents. The lower bounds of an optional \
         array that are not constant cannot be asked for where it is absent.";
    NOT_GROUPED "M503" "fields that do not become a record again"
        "Derivative programs pass records as records."
        "Derivatives are made of a program with a variable for each field, and these become records again afterwards. \
         An array of records is not put together from its fields where it is passed: declare a local array of records with extents \
         if it is passed to a routine. With `cfgrev convert --records split` derivatives have a parameter for each field.";
    NOT_POOLED "M504" "pointers that cannot be lowered"
        "What pointers lead to becomes cells of pools before a program is run or differentiated."
        "Programs with pointers are lowered: what pointers may lead to are cells of global arrays, and a pointer is an object and a \
         cell there. Some uses have no counterpart: whole arrays of more than one dimension, sections with gaps that are passed on, \
         the address of an optional parameter, of a function's result or of the index of a counted loop, parameters of which the \
         extents are found through pointers, and opaque statements that write such memory. The message says what to write instead.";
    NOT_CHECKPOINTED "M505" "a part that cannot run again"
        "A block or loop with a checkpoint has one way in and one way out, and so has the body of the loop; no opaque statement in it \
         assigns a variable."
        "The part becomes a routine of its own, which the reverse sweep calls again from the states that are kept. A loop \
         is left at its LOOP alone: `break` and `return` out of it, or a jump into it, prevent that. Set a variable in \
         place of the jump, and test it in the condition of the loop, or take the checkpoint away: the loop is recorded then. \
         A value that an opaque statement gets from outside may be another one the next time.";
}
