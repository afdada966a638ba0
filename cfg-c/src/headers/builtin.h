/* What macros of the headers become in files that are preprocessed, and what compilers have besides the names of the library's functions. */
int __builtin_isnan(double); int __builtin_isinf(double); int __builtin_isinf_sign(double); int __builtin_isfinite(double);
int __builtin_signbit(double); int __builtin_signbitf(float); int __builtin_signbitl(long double); int __builtin_isnormal(double);
int __builtin_isunordered(double, double); int __builtin_islessgreater(double, double);
int __builtin_isgreater(double, double); int __builtin_isgreaterequal(double, double); int __builtin_isless(double, double);
int __builtin_islessequal(double, double); int __builtin_fpclassify(int, int, int, int, int, double);
double __builtin_inf(void); float __builtin_inff(void); long double __builtin_infl(void);
double __builtin_huge_val(void); float __builtin_huge_valf(void); long double __builtin_huge_vall(void);
void __builtin_trap(void); void __builtin_unreachable(void); void __builtin_prefetch(const void *, ...);
double __builtin_powi(double, int); float __builtin_powif(float, int); long double __builtin_powil(long double, int);
double __builtin_va_arg(int);
int __builtin_ctz(unsigned); int __builtin_ctzl(unsigned long); int __builtin_ctzll(unsigned long long);
int __builtin_clz(unsigned); int __builtin_clzl(unsigned long); int __builtin_clzll(unsigned long long);
int __builtin_ffs(int); int __builtin_ffsl(long); int __builtin_ffsll(long long);
int __builtin_popcount(unsigned); int __builtin_popcountl(unsigned long); int __builtin_popcountll(unsigned long long);
int __builtin_parity(unsigned); int __builtin_parityl(unsigned long); int __builtin_parityll(unsigned long long);
/* The bits of numbers. */
unsigned long __cfgrev_bits(double); unsigned int __cfgrev_bitsf(float); double __cfgrev_real(unsigned long); float __cfgrev_realf(unsigned int);
