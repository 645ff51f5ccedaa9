// Passes between a library's routines of linear algebra: they check that numbers are finite, find the largest, copy triangles,
// and set signs and phases. Matrices are dense and stored by columns, one behind the other, with `points` elements and `rows`
// rows each. All sizes are arguments of a launch; their type I is wide enough for the largest.
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
// The phase: the number of modulus one whose product with x is real and positive.
TW_INLINE R rotation(R x) { return x < R(0) ? R(-1) : R(1); }
TW_INLINE complex<R> rotation(complex<R> z) {
  const double re = z.re, im = z.im, size = hypot(re, im);
  return {R(re / size), R(-im / size)};
}
TW_INLINE bool is_zero(R x) { return x == R(0); }
TW_INLINE bool is_zero(complex<R> z) { return z.re == R(0) && z.im == R(0); }

// Folds the numbers of all threads of a block into the first one, which all threads may read afterwards.
template <class V, class F> __device__ __forceinline__ void fold_block(V* shared, F f) {
  const unsigned t = threadIdx.x;
  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    __syncthreads();
    if (t < half) shared[t] = f(shared[t], shared[t + half]);
  }
  __syncthreads();
}

// Flags: which elements of a matrix count, and whether only the real part counts on the diagonal.
enum counted : unsigned { ABOVE = 1, ON_DIAGONAL = 2, BELOW = 4, ALL = ABOVE | ON_DIAGONAL | BELOW, REAL_DIAGONAL = 8 };

// The largest part of the elements that count, and whether one of them is not finite: two numbers for each block.
template <class I, class T>
__device__ __forceinline__ void survey(const T* a, double* found, I rows, I points, I parts, I counted) {
  TW_SHARED
  double* const sizes = reinterpret_cast<double*>(tw_shared);
  double* const wrong = sizes + blockDim.x;
  const I item = blockIdx.x / parts, part = blockIdx.x % parts;
  double most = 0.0, bad = 0.0;
  for (I n = part * blockDim.x + threadIdx.x; n < points; n += parts * blockDim.x) {
    bool is_real = false;
    if (counted != ALL) {
      const I i = n % rows, j = n / rows;
      if (!(counted & (i < j ? ABOVE : i == j ? ON_DIAGONAL : BELOW))) continue;
      is_real = i == j && (counted & REAL_DIAGONAL);
    }
    const T x = a[item * points + n];
    if (!all_finite(x)) bad = 1.0;
    const double size = part_size(is_real ? without_imaginary(x) : x);
    if (size > most) most = size;
  }
  sizes[threadIdx.x] = most;
  wrong[threadIdx.x] = bad;
  fold_block(sizes, [](double x, double y) { return x > y ? x : y; });
  fold_block(wrong, [](double x, double y) { return x > y ? x : y; });
  if (threadIdx.x == 0) {
    found[2 * I(blockIdx.x)] = sizes[0];
    found[2 * I(blockIdx.x) + 1] = wrong[0];
  }
}

// The position of the first zero on each diagonal, counted from 1; 0 if there is none.
template <class I, class T> __device__ __forceinline__ void zero_pivot(const T* a, int* found, I rows) {
  TW_SHARED
  int* const places = reinterpret_cast<int*>(tw_shared);
  const int none = 0x7fffffff;
  int place = none;
  for (I n = threadIdx.x; n < rows && place == none; n += blockDim.x)
    if (is_zero(a[I(blockIdx.x) * rows * rows + n * (rows + 1)])) place = int(n) + 1;
  places[threadIdx.x] = place;
  fold_block(places, [](int x, int y) { return x < y ? x : y; });
  if (threadIdx.x == 0) found[blockIdx.x] = places[0] == none ? 0 : places[0];
}

// Calls f(n) for each element n.
template <class I, class F> __device__ __forceinline__ void each_place(I count, F f) {
  for (I n = I(blockIdx.x) * blockDim.x + threadIdx.x; n < count; n += I(gridDim.x) * blockDim.x) f(n);
}

// Calls f(item, row, column, position) for each element of all matrices.
template <class I, class F> __device__ __forceinline__ void each_element(I items, I rows, I points, F f) {
  each_place(items * points, [&](I n) {
    const I inside = n % points;
    f(n / points, inside % rows, inside / rows, n);
  });
}

// Multiplies each matrix by three factors of its own.
template <class I, class T> __device__ __forceinline__ void scale(const double* factors, T* a, I items, I points) {
  each_place(items * points, [&](I n) { a[n] = scaled(a[n], factors + 3 * (n / points)); });
}

// Completes lower triangles to Hermitian matrices.
template <class I, class T> __device__ __forceinline__ void mirror(T* a, I items, I rows, I points) {
  each_element(items, rows, points, [&](I item, I i, I j, I n) {
    if (i < j) a[n] = conj(a[item * points + i * rows + j]);
    if (i == j) a[n] = without_imaginary(a[n]);
  });
}

template <class I, class T> __device__ __forceinline__ void unit(T* a, I items, I rows, I points) {
  each_element(items, rows, points, [&](I, I i, I j, I n) { a[n] = T(i == j ? 1 : 0); });
}

// Permutation matrices: the one of column j is in row ones[j].
template <class I, class T>
__device__ __forceinline__ void permutation(const int* ones, T* a, I items, I rows, I points) {
  each_element(items, rows, points, [&](I item, I i, I j, I n) {
    a[n] = T(ones[item * rows + j] == int(i) ? 1 : 0);
  });
}

// Triangles of matrices with `line` rows and `step` elements; the other elements are zero. The diagonal is set to ones, or its
// imaginary parts to zero, if that is asked for.
template <class I, class T>
__device__ __forceinline__ void triangle(const T* from, T* a, I items, I rows, I points, I line,
                                         I step, bool upper, bool ones, bool real) {
  each_element(items, rows, points, [&](I item, I i, I j, I n) {
    T x = T(0);
    if (upper ? i <= j : i >= j) x = from[item * step + j * line + i];
    if (i == j) x = ones ? T(1) : real ? without_imaginary(x) : x;
    a[n] = x;
  });
}

// The phases that make the first `count` elements of each diagonal real and positive.
template <class I, class T>
__device__ __forceinline__ void diagonal_phases(const T* a, T* phases, I items, I rows, I points,
                                                I count) {
  each_place(items * count, [&](I n) {
    const T x = a[n / count * points + n % count * (rows + 1)];
    phases[n] = is_zero(x) ? T(1) : rotation(x);
  });
}

// Multiplies each of the first `count` rows or columns by its phase.
template <class I, class T>
__device__ __forceinline__ void apply_phases(const T* phases, T* a, I items, I rows, I points, I count,
                                     bool by_rows, bool conjugate, bool real) {
  each_element(items, rows, points, [&](I item, I i, I j, I n) {
    const I vector = by_rows ? i : j;
    T x = a[n];
    if (vector < count) {
      const T phase = phases[item * count + vector];
      x = x * (conjugate ? conj(phase) : phase);
    }
    a[n] = real && i == j ? without_imaginary(x) : x;
  });
}

// Makes the largest component of each vector real and positive, and stores the phase. Vectors are `count` rows or columns from
// `first` on; a block of threads does one. Components whose ratio to the largest is at least the number with the bits `within`
// count as equally large; the first of them is chosen.
template <class I, class T>
__device__ __forceinline__ void set_phases(T* a, T* phases, I rows, I points, I first, I count,
                                           bool by_rows, unsigned long long within) {
  TW_SHARED
  double* const sizes = reinterpret_cast<double*>(tw_shared);
  double* const places = sizes + blockDim.x;
  const I item = blockIdx.x / count, vector = first + blockIdx.x % count;
  T* const x = a + item * points + vector * (by_rows ? 1 : rows);
  const I stride = by_rows ? rows : 1, length = by_rows ? points / rows : rows;
  double most = 0.0;
  for (I n = threadIdx.x; n < length; n += blockDim.x) {
    const double size = square_of(x[n * stride]);
    if (size > most) most = size;
  }
  sizes[threadIdx.x] = most;
  fold_block(sizes, [](double x, double y) { return x > y ? x : y; });
  const double part = __longlong_as_double((long long)within), limit = sizes[0] * part * part;
  double place = double(length);
  for (I n = threadIdx.x; n < length && place == double(length); n += blockDim.x)
    if (square_of(x[n * stride]) >= limit) place = double(n);
  places[threadIdx.x] = place;
  fold_block(places, [](double x, double y) { return x < y ? x : y; });
  const I pivot = I(places[0]);
  const T phase = sizes[0] > 0.0 ? rotation(x[pivot * stride]) : T(1);
  __syncthreads();
  for (I n = threadIdx.x; n < length && sizes[0] > 0.0; n += blockDim.x) {
    const T rotated = x[n * stride] * phase;
    x[n * stride] = n == pivot ? without_imaginary(rotated) : rotated;
  }
  if (threadIdx.x == 0) phases[blockIdx.x] = phase;
}

// A copy from one layout to another along three axes, by the kernels of `fold.cuh`: element by element in the order of the axes,
// or TRANSPOSED, in square tiles, if the target's neighbours are along the second axis and the source's along the third.
template <class I_, class S, bool TRANSPOSED> struct layouts {
  using T = S;
  using I = I_;
  static constexpr int THREADS = 256, SIDE = 32;
  struct Place {
    long long from, to;
    __device__ __forceinline__ Place operator+(const Place& o) const { return {from + o.from, to + o.to}; }
  };
  const T* from;
  T* to;
  I POINTS, U, V, TILES_U, TILES_V;
  long long from_strides[3], to_strides[3];
  bool conjugate;
  __device__ __forceinline__ Place along(int axis, I n) const { return {(long long)n * from_strides[axis], (long long)n * to_strides[axis]}; }
  __device__ __forceinline__ Place along_u(I n) const { return along(1, n); }
  __device__ __forceinline__ Place along_v(I n) const { return along(2, n); }
  __device__ __forceinline__ Place kept(I n) const {
    return TRANSPOSED ? along(0, n) : along(0, n / V / U) + along_u(n / V % U) + along_v(n % V);
  }
  __device__ __forceinline__ T value(const Place& p) const { return conjugate ? conj(from[p.from]) : from[p.from]; }
  __device__ __forceinline__ void store(T x, const Place& p) const { to[p.to] = x; }
  __device__ __forceinline__ void stage(T* tile, const Place& p) const { *tile = value(p); }
  __device__ __forceinline__ T staged_value(const T* tile, const Place&) const { return *tile; }
};
template <class I, bool TRANSPOSED, class T>
__device__ __forceinline__ layouts<I, T, TRANSPOSED> between(const T* from, T* to, I n, I u, I v, long long from_n, long long from_u,
                                                         long long from_v, long long to_n, long long to_u, long long to_v,
                                                         bool conjugate) {
  constexpr int SIDE = layouts<I, T, TRANSPOSED>::SIDE;
  const I tiles_u = (u + SIDE - 1) / SIDE, tiles_v = (v + SIDE - 1) / SIDE;
  return {from, to, n * u * v, u, v, tiles_u, tiles_v, {from_n, from_u, from_v}, {to_n, to_u, to_v}, conjugate};
}
template <class I, class T, class... N> __device__ __forceinline__ void copy(const T* from, T* to, N... numbers) {
  each(between<I, false>(from, to, numbers...));
}
template <class I, class T, class... N> __device__ __forceinline__ void copy_transposed(const T* from, T* to, N... numbers) {
  transpose_tiles(between<I, true>(from, to, numbers...));
}

}  // namespace tw
