// What stands between a library's routines of linear algebra: whether numbers are finite and how large they are, triangles, signs and
// phases. Matrices are dense, stored by columns, one behind the other; the type K that the generator writes says how large they are.
namespace tw {

TW_INLINE bool all_finite(R x) { return is_finite(x); }
TW_INLINE bool all_finite(complex<R> z) { return is_finite(z.re) && is_finite(z.im); }
TW_INLINE double part_size(R x) { return fabs(double(x)); }
TW_INLINE double part_size(complex<R> z) {
  const double re = fabs(double(z.re)), im = fabs(double(z.im));
  return re > im ? re : im;
}
TW_INLINE double square_of(R x) { return double(x) * double(x); }
TW_INLINE double square_of(complex<R> z) { return double(z.re) * double(z.re) + double(z.im) * double(z.im); }
TW_INLINE R without_imaginary(R x) { return x; }
TW_INLINE complex<R> without_imaginary(complex<R> z) { return {z.re, R(0)}; }
TW_INLINE R scaled(R x, const double* f) { return R(double(x) * f[0] * f[1] * f[2]); }
TW_INLINE complex<R> scaled(complex<R> z, const double* f) { return {scaled(z.re, f), scaled(z.im, f)}; }
// The number of modulus one that turns another to the positive axis.
TW_INLINE R rotation(R x) { return x < R(0) ? R(-1) : R(1); }
TW_INLINE complex<R> rotation(complex<R> z) {
  const double re = z.re, im = z.im, size = hypot(re, im);
  return {R(re / size), R(-im / size)};
}
TW_INLINE bool is_zero(R x) { return x == R(0); }
TW_INLINE bool is_zero(complex<R> z) { return z.re == R(0) && z.im == R(0); }

// Folds one number of each thread into the first, which every thread may read then.
template <int THREADS, class V, class F> __device__ __forceinline__ void fold_block(V* shared, F f) {
  const int t = threadIdx.x;
  for (int half = THREADS / 2; half > 0; half /= 2) {
    __syncthreads();
    if (t < half) shared[t] = f(shared[t], shared[t + half]);
  }
  __syncthreads();
}

// The largest part of the elements that count, and whether one of them is not finite: two numbers for each block.
template <class K> __device__ __forceinline__ void survey(const typename K::T* a, double* found) {
  using I = typename K::I;
  TW_SHARED
  double* const sizes = reinterpret_cast<double*>(tw_shared);
  double* const wrong = sizes + K::THREADS;
  const I item = I(blockIdx.x) / K::PARTS, part = I(blockIdx.x) % K::PARTS;
  double most = 0.0, bad = 0.0;
  for (I n = part * K::THREADS + threadIdx.x; n < K::POINTS; n += K::PARTS * K::THREADS) {
    const I i = n % K::ROWS, j = n / K::ROWS;
    if (!K::counts(i, j)) continue;
    const auto x = a[item * K::POINTS + n];
    if (!all_finite(x)) bad = 1.0;
    const double size = K::REAL && i == j ? part_size(without_imaginary(x)) : part_size(x);
    if (size > most) most = size;
  }
  sizes[threadIdx.x] = most;
  wrong[threadIdx.x] = bad;
  fold_block<K::THREADS>(sizes, [](double x, double y) { return x > y ? x : y; });
  fold_block<K::THREADS>(wrong, [](double x, double y) { return x > y ? x : y; });
  if (threadIdx.x == 0) {
    found[2 * blockIdx.x] = sizes[0];
    found[2 * blockIdx.x + 1] = wrong[0];
  }
}

// The number of the first zero on each diagonal, counted from 1; 0 where there is none.
template <class K> __device__ __forceinline__ void zero_pivot(const typename K::T* a, int* found) {
  using I = typename K::I;
  TW_SHARED
  int* const places = reinterpret_cast<int*>(tw_shared);
  const int none = 0x7fffffff;
  int place = none;
  for (I n = threadIdx.x; n < K::ROWS && place == none; n += K::THREADS)
    if (is_zero(a[I(blockIdx.x) * K::POINTS + n * (K::ROWS + 1)])) place = int(n) + 1;
  places[threadIdx.x] = place;
  fold_block<K::THREADS>(places, [](int x, int y) { return x < y ? x : y; });
  if (threadIdx.x == 0) found[blockIdx.x] = places[0] == none ? 0 : places[0];
}

// Each element of all matrices by f(item, row, column, its place).
template <class K, class F> __device__ __forceinline__ void each_element(F f) {
  using I = typename K::I;
  const I step = I(gridDim.x) * K::THREADS;
  for (I n = I(blockIdx.x) * K::THREADS + threadIdx.x; n < K::ITEMS * K::POINTS; n += step) {
    const I inside = n % K::POINTS;
    f(n / K::POINTS, inside % K::ROWS, inside / K::ROWS, n);
  }
}

// Multiplies each matrix by three factors of its own.
template <class K> __device__ __forceinline__ void scale(const double* factors, typename K::T* a) {
  using I = typename K::I;
  each_element<K>([&](I item, I, I, I n) { a[n] = scaled(a[n], factors + 3 * item); });
}

// Makes Hermitian matrices of their lower triangles.
template <class K> __device__ __forceinline__ void mirror(typename K::T* a) {
  using I = typename K::I;
  each_element<K>([&](I item, I i, I j, I n) {
    if (i < j) a[n] = conj(a[item * K::POINTS + i * K::ROWS + j]);
    if (i == j) a[n] = without_imaginary(a[n]);
  });
}

template <class K> __device__ __forceinline__ void unit(typename K::T* a) {
  using I = typename K::I;
  using T = typename K::T;
  each_element<K>([&](I, I i, I j, I n) { a[n] = T(i == j ? 1 : 0); });
}

// Permutations: column j has its one in the row of that number.
template <class K> __device__ __forceinline__ void permutation(const int* rows, typename K::T* a) {
  using I = typename K::I;
  using T = typename K::T;
  each_element<K>([&](I item, I i, I j, I n) { a[n] = T(rows[item * K::ROWS + j] == int(i) ? 1 : 0); });
}

// A triangle of other matrices with LINE rows, zeros beside it.
template <class K> __device__ __forceinline__ void triangle(const typename K::T* from, typename K::T* a) {
  using I = typename K::I;
  using T = typename K::T;
  each_element<K>([&](I item, I i, I j, I n) {
    T x = T(0);
    if (K::UPPER ? i <= j : i >= j) x = from[item * K::STEP + j * K::LINE + i];
    if (i == j) x = K::UNIT ? T(1) : K::REAL ? without_imaginary(x) : x;
    a[n] = x;
  });
}

// What makes each element of a diagonal real and positive.
template <class K> __device__ __forceinline__ void diagonal_phases(const typename K::T* a, typename K::T* phases) {
  using I = typename K::I;
  using T = typename K::T;
  const I step = I(gridDim.x) * K::THREADS;
  for (I n = I(blockIdx.x) * K::THREADS + threadIdx.x; n < K::ITEMS * K::COUNT; n += step) {
    const T x = a[n / K::COUNT * K::POINTS + n % K::COUNT * (K::ROWS + 1)];
    phases[n] = is_zero(x) ? T(1) : rotation(x);
  }
}

// Multiplies the first rows, or columns, each by its phase.
template <class K> __device__ __forceinline__ void turn(const typename K::T* phases, typename K::T* a) {
  using I = typename K::I;
  using T = typename K::T;
  each_element<K>([&](I item, I i, I j, I n) {
    const I vector = K::BY_ROWS ? i : j;
    T x = a[n];
    if (vector < K::COUNT) {
      const T phase = phases[item * K::COUNT + vector];
      x = x * (K::CONJUGATE ? conj(phase) : phase);
    }
    a[n] = K::REAL && i == j ? without_imaginary(x) : x;
  });
}

// Makes the largest component of each vector real and positive, the first one where several are equally large, and keeps by what.
// Vectors are the rows or the columns from FIRST on; a block of threads does one.
template <class K> __device__ __forceinline__ void set_phases(typename K::T* a, typename K::T* phases) {
  using I = typename K::I;
  using T = typename K::T;
  TW_SHARED
  double* const sizes = reinterpret_cast<double*>(tw_shared);
  double* const places = sizes + K::THREADS;
  const I item = I(blockIdx.x) / K::COUNT, vector = I(blockIdx.x) % K::COUNT;
  T* const x = a + item * K::POINTS + (K::FIRST + vector) * (K::BY_ROWS ? I(1) : I(K::ROWS));
  const I stride = K::BY_ROWS ? I(K::ROWS) : I(1);
  double most = 0.0;
  for (I n = threadIdx.x; n < K::LENGTH; n += K::THREADS) {
    const double size = square_of(x[n * stride]);
    if (size > most) most = size;
  }
  sizes[threadIdx.x] = most;
  fold_block<K::THREADS>(sizes, [](double x, double y) { return x > y ? x : y; });
  const double limit = sizes[0] * K::within() * K::within();
  double place = double(K::LENGTH);
  for (I n = threadIdx.x; n < K::LENGTH && place == double(K::LENGTH); n += K::THREADS)
    if (square_of(x[n * stride]) >= limit) place = double(n);
  places[threadIdx.x] = place;
  fold_block<K::THREADS>(places, [](double x, double y) { return x < y ? x : y; });
  const I pivot = I(places[0]);
  const T phase = sizes[0] > 0.0 ? rotation(x[pivot * stride]) : T(1);
  __syncthreads();
  for (I n = threadIdx.x; n < K::LENGTH && sizes[0] > 0.0; n += K::THREADS) {
    const T turned = x[n * stride] * phase;
    x[n * stride] = n == pivot ? without_imaginary(turned) : turned;
  }
  if (threadIdx.x == 0) phases[blockIdx.x] = phase;
}

}  // namespace tw
