// Contractions of two tensors with general strides (GETT): tiles of both are gathered into shared memory, where a block of
// threads multiplies them as matrices; the epilogue then writes the sums to the result. The generated type K says where the rows
// m, the columns n, the terms k and the items of the batch lie in each tensor.
namespace tw {

// One thread's share of the tiles of one factor S, which are copied into shared memory while others are multiplied.
// WHOLE: no tile reaches beyond the terms.
template <class S, int LENGTH, int DEPTH, int THREADS, int LD, bool WHOLE> struct Gather {
  using T = typename S::T;
  using I = typename S::I;
  using P = typename S::P;
  static constexpr int SLOTS = LENGTH * DEPTH / THREADS, PLACES = S::ALONG_TERMS ? SLOTS : 1;
  static_assert(LENGTH * DEPTH % THREADS == 0 && THREADS % (S::ALONG_TERMS ? DEPTH : LENGTH) == 0, "all threads have as many slots");
  P places[PLACES];

  static __device__ __forceinline__ int line(int s) {
    return S::ALONG_TERMS ? (int(threadIdx.x) + s * THREADS) / DEPTH : int(threadIdx.x) % LENGTH;
  }
  static __device__ __forceinline__ int depth(int s) {
    return S::ALONG_TERMS ? int(threadIdx.x) % DEPTH : (int(threadIdx.x) + s * THREADS) / LENGTH;
  }
  // The positions of this thread's lines, which do not change from step to step. Beyond the edge the first line is read instead: no
  // element that is stored depends on it.
  __device__ __forceinline__ Gather(I first, I batch) {
    const P start = S::item(batch);
#pragma unroll
    for (int s = 0; s < PLACES; ++s) {
      const I x = first + I(line(s));
      places[s] = P(start + (S::LINES % LENGTH == 0 || x < S::LINES ? S::line(x) : P(0)));
    }
  }
  // Terms beyond the end become zero.
  __device__ __forceinline__ void fetch(const S& side, I from, I end, T* shared) const {
    // The same for all slots but for a number that is known here.
    T* const first = shared + depth(0) * LD + line(0);
#pragma unroll
    for (int s = 0; s < SLOTS; ++s) {
      const int place = S::ALONG_TERMS ? s : 0, behind = s * (S::ALONG_TERMS ? THREADS / DEPTH : THREADS / LENGTH * LD);
      const I term = from + I(depth(s));
      const bool is_there = WHOLE || term < end;
      tw_copy_async(first, behind, side.data + P(places[place] + (is_there ? S::term(term) : P(0))), is_there);
    }
  }
};

// One thread's part of a tile of the result, by multiplications and additions.
template <class K, bool TENSOR_CORES> struct Accumulator {
  using T = typename K::T;
  // The number of neighbours that are read from shared memory at once: 16 bytes.
  static constexpr int V = 16 / sizeof(T), SIDE = K::SIDE, TM = K::BM / SIDE, TN = K::BN / SIDE;
  static_assert(SIDE * SIDE == K::THREADS && TN % V == 0, "threads form a square");
  // How many rows and columns of the tile a thread has.
  static constexpr int HEIGHT = TM, WIDTH = TN;
  T sums[TM][TN];
  // Rows of neighbouring threads are neighbours, because they are written together.
  static __device__ __forceinline__ int row(int i) { return i * SIDE + int(threadIdx.x) % SIDE; }
  static __device__ __forceinline__ int column(int j) { return j / V * (SIDE * V) + int(threadIdx.x) / SIDE * V + j % V; }
  __device__ __forceinline__ Accumulator() {
#pragma unroll
    for (int i = 0; i < TM; ++i)
#pragma unroll
      for (int j = 0; j < TN; ++j) sums[i][j] = T(0);
  }
  __device__ __forceinline__ void multiply(const T* left, const T* right) {
#pragma unroll
    for (int d = 0; d < K::BK; ++d) {
      T a[TM], b[TN];
#pragma unroll
      for (int i = 0; i < TM; ++i) a[i] = K::Left::value(left[d * K::LEFT_LD + row(i)]);
#pragma unroll
      for (int j = 0; j < TN; ++j) b[j] = K::Right::value(right[d * K::RIGHT_LD + column(j)]);
#pragma unroll
      for (int i = 0; i < TM; ++i)
#pragma unroll
        for (int j = 0; j < TN; ++j) sums[i][j] = add_product(sums[i][j], a[i], b[j]);
    }
  }
  __device__ __forceinline__ T sum(int i, int j) const { return sums[i][j]; }
};

// The same in double precision by tensor cores: a warp multiplies 16 x 8 by 8 x 8. The layout of the fragments is that of PTX ISA,
// mma.m16n8k8 with .f64.
template <class K> struct Accumulator<K, true> {
  static constexpr int ROWS = K::BM / K::WARPS_M / 8, COLUMNS = K::BN / K::WARPS_N / 8;
  static constexpr int HEIGHT = ROWS, WIDTH = 2 * COLUMNS;
  static_assert(K::WARPS_M * K::WARPS_N * 32 == K::THREADS && ROWS % 2 == 0 && K::BK % 8 == 0, "warps tile the block");
  double sums[ROWS][COLUMNS][2];
  __device__ __forceinline__ Accumulator() {
#pragma unroll
    for (int i = 0; i < ROWS; ++i)
#pragma unroll
      for (int j = 0; j < COLUMNS; ++j) sums[i][j][0] = sums[i][j][1] = 0.0;
  }
  static __device__ __forceinline__ int row() { return int(threadIdx.x) / 32 % K::WARPS_M * (ROWS * 8); }
  static __device__ __forceinline__ int column() { return int(threadIdx.x) / 32 / K::WARPS_M * (COLUMNS * 8); }
  static __device__ __forceinline__ int row(int i) { return row() + i * 8 + int(threadIdx.x) % 32 / 4; }
  static __device__ __forceinline__ int column(int j) { return column() + j / 2 * 8 + int(threadIdx.x) % 4 * 2 + j % 2; }
  __device__ __forceinline__ void multiply(const double* left, const double* right) {
    const int lane = int(threadIdx.x) % 32;
#pragma unroll
    for (int d = 0; d < K::BK; d += 8) {
      const double* const from_left = left + (d + lane % 4) * K::LEFT_LD + row() + lane / 4;
      const double* const from_right = right + (d + lane % 4) * K::RIGHT_LD + column() + lane / 4;
      double a[ROWS][2];
#pragma unroll
      for (int i = 0; i < ROWS; ++i)
#pragma unroll
        for (int q = 0; q < 2; ++q) a[i][q] = from_left[q * 4 * K::LEFT_LD + i * 8];
#pragma unroll
      for (int j = 0; j < COLUMNS; ++j) {
        const double b[2] = {from_right[j * 8], from_right[4 * K::RIGHT_LD + j * 8]};
#pragma unroll
        for (int i = 0; i < ROWS; i += 2) tw_mma_m16n8k8(sums[i][j], sums[i + 1][j], a[i], a[i + 1], b);
      }
    }
  }
  __device__ __forceinline__ double sum(int i, int j) const { return sums[i][j / 2][j % 2]; }
};

// K::STAGES tiles of each factor have room in shared memory: one is multiplied while the next ones are copied there.
template <class K> __device__ __forceinline__ void contract(const K& k) {
  using I = typename K::I;
  using T = typename K::T;
  constexpr int AHEAD = K::STAGES - 1, LEFT = K::BK * K::LEFT_LD, RIGHT = K::BK * K::RIGHT_LD;
  TW_SHARED
  T* const left = reinterpret_cast<T*>(tw_shared);
  T* const right = left + K::STAGES * LEFT;
  I block = blockIdx.x;
  const I m0 = block % K::TILES_M * K::BM;
  block /= K::TILES_M;
  const I n0 = block % K::TILES_N * K::BN;
  block /= K::TILES_N;
  const I split = block % K::SPLITS, batch = block / K::SPLITS;
  const I first = split * K::CHUNK, last = first + K::CHUNK < K::TERMS ? first + K::CHUNK : K::TERMS;
  constexpr bool WHOLE = K::TERMS % K::BK == 0 && (K::SPLITS == 1 || K::CHUNK % K::BK == 0);
  Gather<typename K::Left, K::BM, K::BK, K::THREADS, K::LEFT_LD, WHOLE> from_left(m0, batch);
  Gather<typename K::Right, K::BN, K::BK, K::THREADS, K::RIGHT_LD, WHOLE> from_right(n0, batch);
  Accumulator<K, K::TENSOR_CORES> part;
  const auto fetch = [&](I from, int stage) {
    if (from < last) {
      from_left.fetch(k.left, from, last, left + stage * LEFT);
      from_right.fetch(k.right, from, last, right + stage * RIGHT);
    }
    // Groups are counted, so that there is one for each step, also where it is empty.
    tw_end_group();
  };
#pragma unroll
  for (int stage = 0; stage < AHEAD; ++stage) fetch(first + I(stage * K::BK), stage);
  int now = 0;
  for (I from = first; from < last; from += K::BK) {
    tw_wait_for_groups<AHEAD - 1>();
    // Behind this the tile is there for all threads, and all have multiplied the last one, whose room is free.
    __syncthreads();
    fetch(from + I(AHEAD * K::BK), now == 0 ? AHEAD : now - 1);
    part.multiply(left + now * LEFT, right + now * RIGHT);
    now = now == AHEAD ? 0 : now + 1;
  }
  // Where this thread's rows and columns lie is found once for each of them, not for each of its elements.
  using Place = typename K::Place;
  constexpr int HEIGHT = Accumulator<K, K::TENSOR_CORES>::HEIGHT, WIDTH = Accumulator<K, K::TENSOR_CORES>::WIDTH;
  const Place place = K::target(K::item(batch), split);
  Place rows[HEIGHT];
  bool is_row[HEIGHT];
#pragma unroll
  for (int i = 0; i < HEIGHT; ++i) {
    const I m = m0 + I(part.row(i));
    is_row[i] = K::ROWS % K::BM == 0 || m < K::ROWS;
    rows[i] = is_row[i] ? place + K::row(m) : place;
  }
#pragma unroll
  for (int j = 0; j < WIDTH; ++j) {
    const I n = n0 + I(part.column(j));
    const bool is_column = K::COLUMNS % K::BN == 0 || n < K::COLUMNS;
    const Place column = is_column ? K::column(n) : Place{};
#pragma unroll
    for (int i = 0; i < HEIGHT; ++i)
      if (is_column && is_row[i]) k.store(part.sum(i, j), rows[i] + column);
  }
}

}  // namespace tw
