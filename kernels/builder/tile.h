// What kernel authors hold: tiles of SBUF and PSUM, tensors in HBM, and views of both.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "isa/program.h"

namespace trn {

// "The semaphore has reached this value" stands for something having happened.
struct Event {
  std::uint16_t semaphore;
  std::int64_t value;
};

// A buffer whose readers and writers the builder tracks.
struct Tile {
  std::uint32_t tensor = 0;                    // declaration
  std::uint32_t rows = 128;                    // partitions
  std::int64_t offset = 0;                     // first element in a partition
  std::uint64_t columns = 0;                   // elements a partition
  std::uint16_t dma_semaphore = kNoSemaphore;  // counter of the transfers that fill or drain it
  std::vector<Event> writers;
  std::vector<Event> readers;  // since the last overwrite
};

// Part of a tile as an operand.
struct View {
  Tile* tile = nullptr;
  AccessPattern pattern;

  // Columns [first, first + count) of rows [0, rows).
  static View columns(Tile& tile, std::uint64_t first, std::uint64_t count, std::uint32_t rows = 128);
  // Free dimensions of your own, outermost first, from column `first` on; a step of 0 repeats.
  static View shaped(Tile& tile, std::uint64_t first, std::initializer_list<Dim> dims,
                     std::uint32_t rows = 128);
  static View whole(Tile& tile) { return columns(tile, 0, tile.columns, tile.rows); }
};

// A matrix in HBM, row-major; dependencies are tracked by blocks of rows.
struct HbmTensor {
  std::uint32_t tensor = 0;
  std::uint64_t rows = 0;
  std::uint64_t columns = 0;
};

// Rows [row, row + rows), columns [column, column + columns).
struct HbmBlock {
  HbmTensor tensor;
  std::uint64_t row = 0;
  std::uint64_t rows = 0;
  std::uint64_t column = 0;
  std::uint64_t columns = 0;
};

}  // namespace trn
