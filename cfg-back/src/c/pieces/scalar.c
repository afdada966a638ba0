/* Before a function whose loops push or pop scalars alone. They lie side by side on the tape, so that gcc keeps them in
 * vectors, and takes these apart again for each operation. Older compilers forget other options with this one. */
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 12
#define CFGREV_SCALAR __attribute__((optimize("no-tree-slp-vectorize")))
#else
#define CFGREV_SCALAR
#endif
