// Element-wise programs and reductions. A kernel is described by a generated type K: `kept` and `term` give the position of an
// element and of its terms, `value` the value of a term, `combine` folds two values, and `store` writes the result. Sizes are
// constants of the type; in kernels without terms they may be members, so that one kernel serves all sizes.
namespace tw {

// One term for each element: a thread computes an element.
template <class K> __device__ __forceinline__ void each(const K& k) {
  using I = typename K::I;
  const I step = I(gridDim.x) * K::THREADS;
  for (I n = I(blockIdx.x) * K::THREADS + threadIdx.x; n < k.POINTS; n += step) {
    const auto place = k.kept(n);
    k.store(k.value(place), place);
  }
}

// A thread folds all terms of an element.
template <class K> __device__ __forceinline__ void fold_in_threads(const K& k) {
  using I = typename K::I;
  const I step = I(gridDim.x) * K::THREADS;
  for (I n = I(blockIdx.x) * K::THREADS + threadIdx.x; n < K::POINTS; n += step) {
    const auto place = K::kept(n);
    typename K::T sum = k.value(place + K::term(0));
#pragma unroll 4
    for (I r = 1; r < K::TERMS; ++r) sum = K::combine(sum, k.value(place + K::term(r)));
    k.store(sum, place);
  }
}

// A block folds all terms of an element, or one of K::SPLITS parts of them.
template <class K> __device__ __forceinline__ void fold_in_blocks(const K& k) {
  using I = typename K::I;
  using T = typename K::T;
  TW_SHARED
  T* const part = reinterpret_cast<T*>(tw_shared);
  const I n = I(blockIdx.x) / K::SPLITS, split = I(blockIdx.x) % K::SPLITS;
  const auto place = K::kept(n);
  const I first = split * K::CHUNK, last = first + K::CHUNK < K::TERMS ? first + K::CHUNK : K::TERMS;
  const int t = threadIdx.x, active = last - first < I(K::THREADS) ? int(last - first) : K::THREADS;
  if (t < active) {
    T sum = k.value(place + K::term(first + I(t)));
    for (I r = first + I(t) + K::THREADS; r < last; r += K::THREADS) sum = K::combine(sum, k.value(place + K::term(r)));
    part[t] = sum;
  }
  for (int half = K::THREADS / 2; half > 0; half /= 2) {
    __syncthreads();
    if (t < half && t + half < active) part[t] = K::combine(part[t], part[t + half]);
  }
  if (t == 0) k.store(part[0], K::target(place, I(blockIdx.x)));
}

// Threads side by side fold elements that are neighbours; those one behind the other share the terms of an element, or of one of
// K::SPLITS parts of them.
template <class K> __device__ __forceinline__ void fold_in_columns(const K& k) {
  using I = typename K::I;
  using T = typename K::T;
  constexpr int SIDE = K::SIDE, ROWS = K::THREADS / SIDE;
  TW_SHARED
  T* const part = reinterpret_cast<T*>(tw_shared);
  const int x = int(threadIdx.x) % SIDE, y = int(threadIdx.x) / SIDE;
  const I n = I(blockIdx.x) % K::TILES * SIDE + I(x), split = I(blockIdx.x) / K::TILES;
  const I first = split * K::CHUNK, last = first + K::CHUNK < K::TERMS ? first + K::CHUNK : K::TERMS;
  const int active = n >= K::POINTS ? 0 : last - first < I(ROWS) ? int(last - first) : ROWS;
  const auto place = K::kept(active > 0 ? n : I(0));
  if (y < active) {
    T sum = k.value(place + K::term(first + I(y)));
#pragma unroll 4
    for (I r = first + I(y) + ROWS; r < last; r += ROWS) sum = K::combine(sum, k.value(place + K::term(r)));
    part[y * SIDE + x] = sum;
  }
  for (int half = ROWS / 2; half > 0; half /= 2) {
    __syncthreads();
    if (y < half && y + half < active) part[y * SIDE + x] = K::combine(part[y * SIDE + x], part[(y + half) * SIDE + x]);
  }
  if (y < active && y == 0) k.store(part[x], K::target(place, split * K::POINTS + n));
}

// The neighbours of some inputs are along another axis (v) than those of the result (u): square tiles are transposed in shared
// memory.
template <class K> __device__ __forceinline__ void transpose_tiles(const K& k) {
  using I = typename K::I;
  using T = typename K::T;
  constexpr int SIDE = K::SIDE, LD = SIDE + 1, ROWS = K::THREADS / SIDE;
  TW_SHARED
  T* const tile = reinterpret_cast<T*>(tw_shared);
  const int x = int(threadIdx.x) % SIDE, y = int(threadIdx.x) / SIDE;
  I block = blockIdx.x;
  const I u0 = block % k.TILES_U * SIDE;
  block /= k.TILES_U;
  const I v0 = block % k.TILES_V * SIDE;
  const auto place = k.kept(block / k.TILES_V);
#pragma unroll
  for (int row = y; row < SIDE; row += ROWS) {
    if (u0 + row < k.U && v0 + x < k.V) k.stage(tile + row * LD + x, place + k.along_u(u0 + row) + k.along_v(v0 + x));
  }
  __syncthreads();
#pragma unroll
  for (int row = y; row < SIDE; row += ROWS) {
    if (u0 + x < k.U && v0 + row < k.V) {
      const auto at = place + k.along_u(u0 + x) + k.along_v(v0 + row);
      k.store(k.staged_value(tile + x * LD + row, at), at);
    }
  }
}

}  // namespace tw
