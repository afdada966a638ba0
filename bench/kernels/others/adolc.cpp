// The kernels with ADOL-C. Compiled with -DKERNEL=Branchy and so on. Each gradient records the tape anew, as the
// branches of the data demand; with -DREPLAY the tape is recorded once and valid only where no branch changes.
#include <adolc/adolc.h>

#include "kernels.hpp"

static KERNEL chosen;
static std::vector<double> result;

static double record()
{
    const std::size_t n = chosen.start.size();
    double value;
    // buffers so large that nothing is written to files
    trace_on(1, 1, 1u << 28, 1u << 28, 1u << 26, 1u << 28);
    {
        std::vector<adouble> x(n);
        for (std::size_t i = 0; i < n; i++)
            x[i] <<= chosen.start[i];
        adouble y = chosen.value(x.data());
        y >>= value;
    }
    trace_off();
    return value;
}

static void bind(const point *p)
{
    chosen.bind(p);
    result.resize(chosen.start.size());
#ifdef REPLAY
    record();
#endif
}

static double primal()
{
    return chosen.primal();
}

static double gradient()
{
    const int n = int(chosen.start.size());
    double value, one = 1.0;
#ifdef REPLAY
    zos_forward(1, 1, n, 1, chosen.start.data(), &value);
#else
    value = record();
#endif
    fos_reverse(1, 1, n, &one, result.data());
    chosen.give(result.data());
    return value;
}

struct kernel kernel = {"adolc", bind, primal, gradient, {}};
