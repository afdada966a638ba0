#undef assert
#undef static_assert
#define static_assert _Static_assert
void __assert_fail(const char *, const char *, unsigned, const char *);
#ifdef NDEBUG
#define assert(e) ((void)0)
#else
void __cfgrev_assert(int, const char *);
#define assert(e) (__cfgrev_assert(!!(e), #e))
#endif
