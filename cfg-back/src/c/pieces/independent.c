/* Before a loop whose passes share no cell that one of them writes: compilers need not test that. */
#if defined(__clang__)
#define CFGREV_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__)
#define CFGREV_INDEPENDENT _Pragma("GCC ivdep") _Pragma("GCC unroll 8")
#else
#define CFGREV_INDEPENDENT
#endif
