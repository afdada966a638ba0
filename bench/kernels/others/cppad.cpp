// The kernels with CppAD. Compiled with -DKERNEL=Branchy and so on. Each gradient records the tape anew, as the branches
// of the data demand; with -DREPLAY it is recorded and optimized once and valid only where no branch changes.
#include <cppad/cppad.hpp>

#include "kernels.hpp"

using Real = CppAD::AD<double>;

static KERNEL chosen;

static void record(CppAD::ADFun<double> &f)
{
    std::vector<Real> x(chosen.start.begin(), chosen.start.end()), y(1);
    // no records of comparisons: the tape is not asked whether a branch would change
    CppAD::Independent(x, 0, false);
    y[0] = chosen.value(x.data());
    f.Dependent(x, y);
}

#ifdef REPLAY
static CppAD::ADFun<double> recorded;
#endif

static void bind(const point *p)
{
    chosen.bind(p);
#ifdef REPLAY
    record(recorded);
    recorded.optimize();
#endif
}

static double primal()
{
    return chosen.primal();
}

static double gradient()
{
#ifdef REPLAY
    CppAD::ADFun<double> &f = recorded;
#else
    CppAD::ADFun<double> f;
    record(f);
#endif
    const double value = f.Forward(0, chosen.start)[0];
    chosen.give(f.Reverse(1, std::vector<double>{1.0}).data());
    return value;
}

struct kernel kernel = {"cppad", bind, primal, gradient, {}};
