// Contractions of two tensors with general strides (GETT): tiles of both are gathered into shared memory, where a block of
// threads multiplies them as matrices; the epilogue then writes the sums to the result. The generated type K says where the rows
// m, the columns n, the terms k and the items of the batch lie in each tensor.
namespace tw {

// One thread's share of a tile of one factor S, on its way into shared memory.
template <class S, int LENGTH, int DEPTH, int THREADS, int LD> struct Gather {
  using T = typename S::T;
  using I = typename S::I;
  using P = typename S::P;
  static constexpr int SLOTS = LENGTH * DEPTH / THREADS, PLACES = S::ALONG_TERMS ? SLOTS : 1;
  static_assert(LENGTH * DEPTH % THREADS == 0 && THREADS % (S::ALONG_TERMS ? DEPTH : LENGTH) == 0, "all threads have as many slots");
  T held[SLOTS];
  P places[PLACES];
  bool inside[PLACES];

  static __device__ __forceinline__ int line(int s) {
    return S::ALONG_TERMS ? (int(threadIdx.x) + s * THREADS) / DEPTH : int(threadIdx.x) % LENGTH;
  }
  static __device__ __forceinline__ int depth(int s) {
    return S::ALONG_TERMS ? int(threadIdx.x) % DEPTH : (int(threadIdx.x) + s * THREADS) / LENGTH;
  }
  // The positions of this thread's lines, which do not change from step to step.
  __device__ __forceinline__ Gather(I first, I batch) {
    const P start = S::item(batch);
#pragma unroll
    for (int s = 0; s < PLACES; ++s) {
      const I x = first + I(line(s));
      inside[s] = x < S::LINES;
      places[s] = inside[s] ? P(start + S::line(x)) : P(0);
    }
  }
  __device__ __forceinline__ void fetch(const S& side, I from, I end) {
#pragma unroll
    for (int s = 0; s < SLOTS; ++s) {
      const int place = S::ALONG_TERMS ? s : 0;
      const I term = from + I(depth(s));
      held[s] = inside[place] && term < end ? side.read(places[place] + S::term(term)) : T(0);
    }
  }
  __device__ __forceinline__ void put(T* shared) const {
#pragma unroll
    for (int s = 0; s < SLOTS; ++s) shared[depth(s) * LD + line(s)] = held[s];
  }
};

// One thread's part of a tile of the result, by multiplications and additions.
template <class K, bool TENSOR_CORES> struct Accumulator {
  using T = typename K::T;
  // The number of neighbours that are read from shared memory at once: 16 bytes.
  static constexpr int V = 16 / sizeof(T), SIDE = K::SIDE, TM = K::BM / SIDE, TN = K::BN / SIDE;
  static_assert(SIDE * SIDE == K::THREADS && TM % V == 0 && TN % V == 0, "threads form a square");
  T sums[TM][TN];
  static __device__ __forceinline__ int place(int i, int t) { return i / V * (SIDE * V) + t * V + i % V; }
  __device__ __forceinline__ Accumulator() {
#pragma unroll
    for (int i = 0; i < TM; ++i)
#pragma unroll
      for (int j = 0; j < TN; ++j) sums[i][j] = T(0);
  }
  __device__ __forceinline__ void multiply(const T* left, const T* right) {
    const int x = int(threadIdx.x) % SIDE, y = int(threadIdx.x) / SIDE;
#pragma unroll
    for (int d = 0; d < K::BK; ++d) {
      T a[TM], b[TN];
#pragma unroll
      for (int i = 0; i < TM; ++i) a[i] = left[d * K::LEFT_LD + place(i, x)];
#pragma unroll
      for (int j = 0; j < TN; ++j) b[j] = right[d * K::RIGHT_LD + place(j, y)];
#pragma unroll
      for (int i = 0; i < TM; ++i)
#pragma unroll
        for (int j = 0; j < TN; ++j) sums[i][j] = add_product(sums[i][j], a[i], b[j]);
    }
  }
  template <class F> __device__ __forceinline__ void each(F f) const {
    const int x = int(threadIdx.x) % SIDE, y = int(threadIdx.x) / SIDE;
#pragma unroll
    for (int j = 0; j < TN; ++j)
#pragma unroll
      for (int i = 0; i < TM; ++i) f(place(i, x), place(j, y), sums[i][j]);
  }
};

// The same in double precision by tensor cores: a warp multiplies 8 x 4 by 4 x 8. The layout of the fragments is that of PTX ISA,
// mma.m8n8k4 with .f64.
template <class K> struct Accumulator<K, true> {
  static constexpr int ROWS = K::BM / K::WARPS_M / 8, COLUMNS = K::BN / K::WARPS_N / 8;
  static_assert(K::WARPS_M * K::WARPS_N * 32 == K::THREADS && K::BK % 4 == 0, "warps tile the block");
  double sums[ROWS][COLUMNS][2];
  __device__ __forceinline__ Accumulator() {
#pragma unroll
    for (int i = 0; i < ROWS; ++i)
#pragma unroll
      for (int j = 0; j < COLUMNS; ++j) sums[i][j][0] = sums[i][j][1] = 0.0;
  }
  static __device__ __forceinline__ int row() { return int(threadIdx.x) / 32 % K::WARPS_M * (ROWS * 8); }
  static __device__ __forceinline__ int column() { return int(threadIdx.x) / 32 / K::WARPS_M * (COLUMNS * 8); }
  __device__ __forceinline__ void multiply(const double* left, const double* right) {
    const int lane = int(threadIdx.x) % 32;
#pragma unroll
    for (int d = 0; d < K::BK; d += 4) {
      double a[ROWS], b[COLUMNS];
#pragma unroll
      for (int i = 0; i < ROWS; ++i) a[i] = left[(d + lane % 4) * K::LEFT_LD + row() + i * 8 + lane / 4];
#pragma unroll
      for (int j = 0; j < COLUMNS; ++j) b[j] = right[(d + lane % 4) * K::RIGHT_LD + column() + j * 8 + lane / 4];
#pragma unroll
      for (int i = 0; i < ROWS; ++i)
#pragma unroll
        for (int j = 0; j < COLUMNS; ++j) tw_mma_m8n8k4(sums[i][j], a[i], b[j]);
    }
  }
  template <class F> __device__ __forceinline__ void each(F f) const {
    const int lane = int(threadIdx.x) % 32;
#pragma unroll
    for (int j = 0; j < COLUMNS; ++j)
#pragma unroll
      for (int i = 0; i < ROWS; ++i)
#pragma unroll
        for (int q = 0; q < 2; ++q) f(row() + i * 8 + lane / 4, column() + j * 8 + lane % 4 * 2 + q, sums[i][j][q]);
  }
};

// Two tiles of each factor are in shared memory: one is multiplied while the next one is gathered.
template <class K> __device__ __forceinline__ void contract(const K& k) {
  using I = typename K::I;
  using T = typename K::T;
  TW_SHARED
  T* const left = reinterpret_cast<T*>(tw_shared);
  T* const right = left + 2 * K::BK * K::LEFT_LD;
  I block = blockIdx.x;
  const I m0 = block % K::TILES_M * K::BM;
  block /= K::TILES_M;
  const I n0 = block % K::TILES_N * K::BN;
  block /= K::TILES_N;
  const I split = block % K::SPLITS, batch = block / K::SPLITS;
  const I first = split * K::CHUNK, last = first + K::CHUNK < K::TERMS ? first + K::CHUNK : K::TERMS;
  Gather<typename K::Left, K::BM, K::BK, K::THREADS, K::LEFT_LD> from_left(m0, batch);
  Gather<typename K::Right, K::BN, K::BK, K::THREADS, K::RIGHT_LD> from_right(n0, batch);
  Accumulator<K, K::TENSOR_CORES> part;
  from_left.fetch(k.left, first, last);
  from_right.fetch(k.right, first, last);
  from_left.put(left);
  from_right.put(right);
  __syncthreads();
  int now = 0;
  for (I from = first; from < last; from += K::BK) {
    const bool more = from + K::BK < last;
    if (more) {
      from_left.fetch(k.left, from + K::BK, last);
      from_right.fetch(k.right, from + K::BK, last);
    }
    part.multiply(left + now * (K::BK * K::LEFT_LD), right + now * (K::BK * K::RIGHT_LD));
    now ^= 1;
    if (more) {
      from_left.put(left + now * (K::BK * K::LEFT_LD));
      from_right.put(right + now * (K::BK * K::RIGHT_LD));
    }
    __syncthreads();
  }
  const auto place = K::target(K::item(batch), split);
  part.each([&](int i, int j, T sum) {
    const I m = m0 + I(i), n = n0 + I(j);
    if (m < K::ROWS && n < K::COLUMNS) k.store(sum, place + K::row(m) + K::column(n));
  });
}

}  // namespace tw
