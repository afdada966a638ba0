/* Before a loop whose passes share no cell that one of them writes: gcc need not test that. */
#if defined(__GNUC__) && !defined(__clang__)
#define CFGREV_INDEPENDENT _Pragma("GCC ivdep") _Pragma("GCC unroll 4")
#else
#define CFGREV_INDEPENDENT
#endif
