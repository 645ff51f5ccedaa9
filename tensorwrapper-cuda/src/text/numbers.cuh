// The numbers of the four element types and their functions, the same for a GPU and for the simulator. Complex functions follow
// the conventions of the CPU backend: quotients as by R. L. Smith, Commun. ACM 5, 435 (1962), and principal values everywhere.
namespace tw {

template <class R> struct alignas(2 * sizeof(R)) complex {
  R re, im;
  complex() = default;
  __device__ __forceinline__ complex(R re, R im = R(0)) : re(re), im(im) {}
};

template <class T> struct parts { using R = T; };
template <class R_> struct parts<complex<R_>> { using R = R_; };

#define TW_INLINE template <class R> __device__ __forceinline__
TW_INLINE complex<R> operator+(complex<R> a, complex<R> b) { return {a.re + b.re, a.im + b.im}; }
TW_INLINE complex<R> operator-(complex<R> a, complex<R> b) { return {a.re - b.re, a.im - b.im}; }
TW_INLINE complex<R> operator-(complex<R> a) { return {-a.re, -a.im}; }
TW_INLINE complex<R> operator*(complex<R> a, complex<R> b) { return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }
TW_INLINE complex<R> operator/(complex<R> a, complex<R> b) {
  if (b.im == R(0)) return {a.re / b.re, a.im / b.re};
  if (fabs(b.re) >= fabs(b.im)) {
    const R ratio = b.im / b.re, scale = b.re + b.im * ratio;
    return {(a.re + a.im * ratio) / scale, (a.im - a.re * ratio) / scale};
  }
  const R ratio = b.re / b.im, scale = b.re * ratio + b.im;
  return {(a.re * ratio + a.im) / scale, (a.im * ratio - a.re) / scale};
}

// A constant of a program, given by its bits in double precision, so that none is lost in the text.
template <class T> struct number_of {
  static __device__ __forceinline__ T from(long long re, long long) { return T(__longlong_as_double(re)); }
};
template <class R> struct number_of<complex<R>> {
  static __device__ __forceinline__ complex<R> from(long long re, long long im) {
    return {R(__longlong_as_double(re)), R(__longlong_as_double(im))};
  }
};

// Conversions between element types: a complex number that becomes real keeps its real part.
template <class T, class U> struct cast_of {
  static __device__ __forceinline__ T from(U x) { return T(x); }
};
template <class T, class R> struct cast_of<T, complex<R>> {
  static __device__ __forceinline__ T from(complex<R> x) { return T(x.re); }
};
template <class S, class R> struct cast_of<complex<S>, complex<R>> {
  static __device__ __forceinline__ complex<S> from(complex<R> x) { return {S(x.re), S(x.im)}; }
};
template <class S, class U> struct cast_of<complex<S>, U> {
  static __device__ __forceinline__ complex<S> from(U x) { return {S(x), S(0)}; }
};

TW_INLINE R real(complex<R> z) { return z.re; }
TW_INLINE R imag(complex<R> z) { return z.im; }
TW_INLINE R abs(complex<R> z) { return hypot(z.re, z.im); }
TW_INLINE complex<R> conj(complex<R> z) { return {z.re, -z.im}; }
__device__ __forceinline__ float conj(float x) { return x; }
__device__ __forceinline__ double conj(double x) { return x; }

TW_INLINE bool is_nan(R x) { return x != x; }
TW_INLINE bool is_nan(complex<R> z) { return z.re != z.re || z.im != z.im; }
TW_INLINE bool is_finite(R x) { return x - x == R(0); }
__device__ __forceinline__ bool is_negative(float x) { return copysignf(1.0f, x) < 0.0f; }
__device__ __forceinline__ bool is_negative(double x) { return copysign(1.0, x) < 0.0; }

TW_INLINE complex<R> polar(R size, R angle) { return {size * ::cos(angle), size * ::sin(angle)}; }
TW_INLINE complex<R> exp(complex<R> z) {
  if (!is_finite(z.re) && !is_nan(z.re)) {
    if (z.re < R(0) && !is_finite(z.im)) return {R(0), R(0)};
    if (z.re > R(0) && (z.im == R(0) || !is_finite(z.im))) return {z.re, z.im - z.im};
  } else if (is_nan(z.re) && z.im == R(0)) {
    return z;
  }
  return polar(::exp(z.re), z.im);
}
TW_INLINE complex<R> log(complex<R> z) { return {::log(abs(z)), atan2(z.im, z.re)}; }
TW_INLINE complex<R> sqrt(complex<R> z) {
  if (z.im == R(0)) {
    if (!is_negative(z.re)) return {::sqrt(z.re), z.im};
    const R root = ::sqrt(-z.re);
    return {R(0), is_negative(z.im) ? -root : root};
  }
  if (z.re == R(0)) {
    const R root = ::sqrt(fabs(z.im) / R(2));
    return {root, is_negative(z.im) ? -root : root};
  }
  return polar(::sqrt(abs(z)), atan2(z.im, z.re) / R(2));
}
TW_INLINE complex<R> sin(complex<R> z) { return {::sin(z.re) * cosh(z.im), ::cos(z.re) * sinh(z.im)}; }
TW_INLINE complex<R> cos(complex<R> z) { return {::cos(z.re) * cosh(z.im), -::sin(z.re) * sinh(z.im)}; }
// For large arguments the textbook formula would divide two numbers that have overflowed, although the result has reached its
// limits long before.
TW_INLINE complex<R> tanh(complex<R> z) {
  if (fabs(z.re) > R(20)) {
    const R sign = is_negative(z.re) ? R(-1) : R(1);
    return {sign, R(2) * ::sin(R(2) * z.im) * ::exp(R(-2) * fabs(z.re))};
  }
  const R scale = cosh(R(2) * z.re) + ::cos(R(2) * z.im);
  return {sinh(R(2) * z.re) / scale, ::sin(R(2) * z.im) / scale};
}
TW_INLINE complex<R> tan(complex<R> z) {
  const complex<R> w = tanh(complex<R>(-z.im, z.re));
  return {w.im, -w.re};
}

template <class T> __device__ __forceinline__ T power_integer(T x, int exponent) {
  unsigned n = exponent < 0 ? 0u - unsigned(exponent) : unsigned(exponent);
  T result = T(1);
  for (; n != 0; n >>= 1) {
    if (n & 1) result = result * x;
    x = x * x;
  }
  return exponent < 0 ? T(1) / result : result;
}
__device__ __forceinline__ float power_real(float x, double exponent) { return pow(x, float(exponent)); }
__device__ __forceinline__ double power_real(double x, double exponent) { return pow(x, exponent); }
TW_INLINE complex<R> power_real(complex<R> z, double exponent) {
  if (exponent == 0.0) return {R(1), R(0)};
  return polar(R(pow(abs(z), R(exponent))), atan2(z.im, z.re) * R(exponent));
}

// NaN wins, as on the CPU. Kernels do not compare complex numbers.
template <class T> __device__ __forceinline__ T maximum(T a, T b) { return a >= b || is_nan(a) ? a : b; }
template <class T> __device__ __forceinline__ T minimum(T a, T b) { return a <= b || is_nan(a) ? a : b; }

// sum + a * b, rounded once for each product of real numbers.
__device__ __forceinline__ float add_product(float sum, float a, float b) { return fmaf(a, b, sum); }
__device__ __forceinline__ double add_product(double sum, double a, double b) { return fma(a, b, sum); }
TW_INLINE complex<R> add_product(complex<R> sum, complex<R> a, complex<R> b) {
  return {add_product(add_product(sum.re, a.re, b.re), -a.im, b.im), add_product(add_product(sum.im, a.re, b.im), a.im, b.re)};
}

}  // namespace tw
