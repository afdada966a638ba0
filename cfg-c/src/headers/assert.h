#undef assert
#ifdef NDEBUG
#define assert(e) ((void)0)
#else
void __cfgrev_assert(int);
#define assert(e) (__cfgrev_assert(!!(e)))
#endif
