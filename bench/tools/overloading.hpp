// One gradient by each tool that overloads operators. f is the function, of Real; returns its value. Each call records
// anew, with REPLAY only the first.
#include <cmath>
#include <vector>

#if defined CODIPACK
#include <codi.hpp>

using Real = codi::RealReverse;

template <int, class F>
double gradient(int n, const double *x, double *g, F f)
{
    Real::Tape &tape = Real::getTape();
    std::vector<Real> in(x, x + n);
    tape.setActive();
    for (Real &v : in)
        tape.registerInput(v);
    Real out = f(in.data());
    tape.registerOutput(out);
    tape.setPassive();
    out.setGradient(1.0);
    tape.evaluate();
    for (int i = 0; i < n; i++)
        g[i] = in[i].getGradient();
    const double value = out.getValue();
    tape.reset();
    return value;
}

#elif defined ADEPT
#include <adept_source.h>

using Real = adept::adouble;

static adept::Stack stack;

template <int, class F>
double gradient(int n, const double *x, double *g, F f)
{
    std::vector<Real> in(n);
    for (int i = 0; i < n; i++)
        in[i].set_value(x[i]);
    stack.new_recording();
    Real out = f(in.data());
    out.set_gradient(1.0);
    stack.compute_adjoint();
    adept::get_gradients(in.data(), n, g);
    return out.value();
}

#elif defined ADOLC
#include <adolc/adolc.h>

using Real = adouble;

template <int tag, class F>
double gradient(int n, const double *x, double *g, F f)
{
    double value, one = 1.0;
    static bool recorded = false;
    if (!recorded) {
        // buffers so large that nothing is written to files
        trace_on(tag, 1, 1u << 24, 1u << 25, 1u << 24, 1u << 24);
        std::vector<Real> in(n);
        for (int i = 0; i < n; i++)
            in[i] <<= x[i];
        Real out = f(in.data());
        out >>= value;
        trace_off();
    }
#ifdef REPLAY
    recorded = true;
    zos_forward(tag, 1, n, 1, x, &value);
#endif
    fos_reverse(tag, 1, n, &one, g);
    return value;
}

#elif defined CPPAD
#include <algorithm>
#include <cppad/cppad.hpp>

using Real = CppAD::AD<double>;

template <class F>
void record(CppAD::ADFun<double> &tape, const std::vector<double> &x, F f)
{
    std::vector<Real> in(x.begin(), x.end()), out(1);
    // no records of comparisons: the tape is not asked whether a branch would change
    CppAD::Independent(in, 0, false);
    out[0] = f(in.data());
    tape.Dependent(in, out);
}

template <int, class F>
double gradient(int n, const double *x, double *g, F f)
{
    const std::vector<double> at(x, x + n);
#ifdef REPLAY
    static CppAD::ADFun<double> tape;
    if (tape.Domain() == 0) {
        record(tape, at, f);
        tape.optimize();
    }
#else
    CppAD::ADFun<double> tape;
    record(tape, at, f);
#endif
    const double value = tape.Forward(0, at)[0];
    const std::vector<double> found = tape.Reverse(1, std::vector<double>{1.0});
    std::copy(found.begin(), found.end(), g);
    return value;
}
#endif
