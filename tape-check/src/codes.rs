//! Diagnostics of the stack checker, T7xx.

cfg_core::diagnostic_codes! {
    /// Every code of the stack checker, in order.
    pub CODES of pub codes;
    GRAPH "T701" "graph that the stack checker cannot follow"
        "a routine that uses a tape has a body; if its control flow is general, it is a forward sweep that only pushes or a reverse sweep that only pops"
        "The checker follows loops and branches by their nesting. Where a graph is general, it walks the forward sweep backwards along every path and the reverse sweep along with it: each piece of the one must meet few pieces of the other. A routine without a body, or with jumps between pushes and pops of its own, may do anything; it is refused because nothing can be proven about it.";
    PAIR "T702" "tape without a counterpart"
        "a routine with a tape parameter is the forward or the reverse sweep of exactly one pair, and both sweeps name the same tapes"
        "What one sweep leaves on a tape the other has to take. Pairs are found by the origin of the routines (forward and reverse of the same original; tangents of a pair are a pair), or named by the caller of the checker. A routine that pushes and pops for itself declares its tape as a local.";
    ORDER "T703" "pop does not meet the push that it mirrors"
        "the reverse sweep pops in the opposite order of the pushes, loop by loop and branch by branch"
        "Each of the stacks of a tape (control, integer, real, real32, disk) is last in, first out. The reverse sweep runs through mirrored loops, branches and calls, and what it pops there is what the forward sweep pushed at the mirrored place.";
    CLASS "T704" "pop of another class than the push"
        "push and pop that mirror each other have the same class and width"
        "A control value is read with the number of bits with which it was written; a count is read as a count. Anything else takes bits of the value below.";
    PLACE "T705" "value popped to another place"
        "what was pushed from a place is popped into the same place: the same variable, subscripts and shape"
        "A pop restores the value that the forward sweep saved. Popped elsewhere, one variable keeps a wrong value and another gets one; with another shape the number of cells differs too. Variables of the two sweeps correspond by name, type and role (local, parameter, or the same global). Subscripts and extents are compared as they are written: that what they read has its value again is not proven.";
    LEFT "T706" "values left on the tape"
        "everything that is pushed is popped"
        "After the reverse sweep every stack has the height that it had before the forward sweep; a local tape is empty when its routine returns.";
    EMPTY "T707" "pop without a push"
        "nothing is popped that was not pushed"
        "At this place of the reverse sweep the stack holds only what an outer loop, another arm or the caller has pushed, or nothing at all.";
    COUNT "T708" "trip counts not proven equal"
        "a reverse loop runs as often as the loop it mirrors: its bound is popped from the push of a counter that is 0 before the loop and is incremented once in each iteration, or it runs over the range of a counted loop backwards"
        "If the reverse loop ran once more or once less, it would pop what belongs to something else. The counter is a local scalar that nothing else writes; the bound is popped in the same region as the reverse loop. A counted loop is recomputed from its own first, last and step, which the loop does not change; that they have their values again where the reverse loop begins is not proven. An index that counts passes is a variable of the reverse sweep alone. In a general graph the reverse loop also runs for the pass in which the loop was left, once more than the count.";
    MARKER "T709" "arm of a branch not told from the others"
        "each arm of a branch ends by pushing a constant, and the mirrored branch, deciding on that popped value, takes the arm with the same label"
        "The reverse sweep learns from the tape which arm was executed. The marker is the last control value that the arm pushes, and the first that the reverse sweep pops there, into a local that the forward sweep has not; in a routine that pops what it pushed itself, into one that is only popped into. Without a marker the mirrored branch has the selector of the branch, of which no arm may change anything; that what it reads has its value again there is not proven, as it is not for the bounds of loops. In a general graph every branch of the reverse sweep decides on one local variable that holds a constant there: popped from the push of one, or assigned.";
    CALL "T710" "calls that do not mirror each other"
        "the forward sweep of a routine is undone by a call of its reverse sweep, with the same arguments and tapes"
        "What a callee's forward sweep pushes only its reverse sweep can pop. Both get the same actual arguments, so that loops and sections inside have the same sizes.";
    PATH "T711" "vertices visited in another order"
        "the reverse sweep visits the adjoints of the forward sweep's blocks in the exact reverse order"
        "Blocks of the two sweeps correspond by the vertex of the original that they come from. The reverse sweep executes the adjoint of every block, each time it was executed, last first.";
    MIXED "T712" "pushes and pops cannot be told apart"
        "a loop body or an arm leaves values on the tape, or takes values from it, or neither, but not both"
        "A region that takes values which were pushed outside and leaves values of its own cannot be mirrored as a whole. Split it.";
}
