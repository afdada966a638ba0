/* Between `static` and the rest of a function that is compiled into its callers. */
#if defined(__GNUC__) && defined(__OPTIMIZE__)
#define CFGREV_HERE inline __attribute__((always_inline))
#else
#define CFGREV_HERE
#endif
