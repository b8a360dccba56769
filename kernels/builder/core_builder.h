// Kernel authors write tile code in program order; the builder spreads it over the engines and inserts the
// waits and posts. One core; a RankBuilder joins two.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "isa/program.h"
#include "kernels/builder/knowledge.h"
#include "kernels/builder/tile.h"
#include "models/machine_config.h"

namespace trn {

// Tiles that take turns: next() hands out the slot whose turn it is; whoever overwrites it waits for its
// readers. Freed with the pool.
class TilePool {
 public:
  Tile& next() { return *tiles_[turn_++ % tiles_.size()]; }
  std::size_t slots() const { return tiles_.size(); }

 private:
  friend class CoreBuilder;
  friend class RankBuilder;
  std::vector<std::unique_ptr<Tile>> tiles_;
  std::size_t turn_ = 0;
};

// Who moves: Sync loads, Scalar stores, GpSimd makes descriptors in software.
enum class Via : std::uint8_t { kLoad, kStore, kGather };

class CoreBuilder {
 public:
  // Shares `program` (declarations) with the other core; appends to core `core`.
  CoreBuilder(Program& program, const MachineConfig& machine, std::size_t core);

  const MachineConfig& machine() const { return machine_; }

  // --- memory -------------------------------------------------------------------------------------
  // `slots` tiles of [rows, columns]. CapacityError naming the pool when SBUF or PSUM is full.
  TilePool& sbuf_pool(const std::string& name, DType dtype, std::uint64_t columns, std::size_t slots,
                      std::uint32_t rows = 128);
  TilePool& psum_pool(const std::string& name, DType dtype, std::uint64_t columns, std::size_t slots);
  // Bytes a partition still free in SBUF.
  std::uint64_t sbuf_free() const;
  // Tiles of SBUF that can still be made: each has a counter.
  std::size_t semaphores_free() const { return free_semaphores_.size(); }
  // Kernels take turns in two halves of SBUF, so that the next one's loads pass the previous one's tail.
  void use_half(bool upper);
  // Frees every pool made since the mark: a kernel frees what it took.
  std::size_t mark() const { return pools_.size(); }
  void release(std::size_t mark);

  // --- instructions, in program order ---------------------------------------------------------------
  // `partition_step`: HBM rows between two blocks that land side by side in the free dimension (a [k*128, n]
  // block into [128, k, n] of SBUF); 0: the block has as many rows as the tile.
  void load(View dst, const HbmBlock& src, Via via = Via::kLoad);
  // Rows of `src` become columns: [rows, columns] of HBM into [columns, rows] of the tile.
  void load_transposed(View dst, const HbmBlock& src);
  void store(const HbmBlock& dst, View src);
  // Nobody reads the tile: the next load into it waits for the one before.
  void retire(Tile& tile) {
    tile.readers.insert(tile.readers.end(), tile.writers.begin(), tile.writers.end());
  }
  // Row `indices[r]` of `table`, columns [column, column + as many as dst has), into partition r.
  void gather(View dst, HbmTensor table, std::uint64_t column, View indices);
  void load_weights(View weights, bool double_row = false);
  // `last` closes the accumulation group: the result may be read.
  void matmul(View dst, View moving, bool accumulate, bool last, bool double_row = false);
  // Of an x4 type, with e8m0 scales beside the operands.
  void load_weights_mx(View weights, View scales);
  void matmul_mx(View dst, View moving, View scales, bool accumulate, bool last);
  void transpose(View dst, View src);  // through the array
  void compute(Engine engine, Opcode opcode, View dst, const std::vector<View>& sources,
               const Instruction& attributes = {});

  // The number of a table with these values, declared once.
  std::uint32_t table(const std::string& name, const std::vector<std::int64_t>& values);

  // Vector: src into an x4 type and its scales.
  void quantize_mx(View dst, View scales, View src);

  void region(const std::string& name);

 private:
  friend class RankBuilder;
  struct Dependencies {
    std::vector<Event> events;
    void add(const std::vector<Event>& more) { events.insert(events.end(), more.begin(), more.end()); }
  };
  struct HbmRows {
    std::vector<Event> writers;
    std::vector<Event> readers;
  };

  void inherit(Tile& tile, Space space, std::uint64_t begin, std::uint64_t end) const;
  TilePool& make_pool(const std::string& name, Space space, DType dtype, std::uint64_t columns,
                      std::size_t slots, std::uint32_t rows);
  void emit(Engine engine, Instruction instruction, const std::vector<Event>& events);
  void append(Engine engine, Instruction instruction);
  void multiply(Instruction instruction, View dst, const std::vector<View>& moving, bool last);
  Event post_complete(Engine engine, Instruction& instruction);
  Event next_transfer(Tile& tile);
  void fill(View dst, const Instruction& instruction, const HbmBlock& src, Via via = Via::kLoad);
  std::uint64_t sbuf_end() const;
  void touch_hbm(std::uint32_t tensor, std::uint64_t block, Event event, bool write);
  void add_hbm_needs(const HbmBlock& block, bool write, std::vector<Event>& needs) const;
  void transfer(Via via, Tile& tile, Instruction instruction, Dependencies needs, const HbmBlock& block,
                bool writes_hbm);

  Program& program_;
  const MachineConfig& machine_;
  std::size_t core_;
  Knowledge knowledge_;
  std::vector<std::int64_t> posted_;  // by semaphore
  std::uint32_t region_ = 0;

  std::vector<std::unique_ptr<TilePool>> pools_;
  struct Allocation {
    Space space;
    std::uint64_t begin, end;
    std::vector<std::uint16_t> semaphores;
  };
  // Memory that was freed while something may still use it: the next owner waits.
  struct Ghost {
    Space space;
    std::uint64_t begin, end;
    std::vector<Event> events;
  };
  std::vector<Allocation> allocations_;  // one a pool
  std::vector<Ghost> ghosts_;
  std::uint64_t sbuf_next_ = 0;
  std::uint64_t psum_next_ = 0;
  std::vector<std::uint16_t> free_semaphores_;

  std::map<std::pair<std::uint32_t, std::uint64_t>, HbmRows> hbm_;  // (tensor, row block)
  struct HbmAccess {
    std::uint32_t tensor;
    std::uint64_t block;
    Event event;
    bool write;
  };
  std::vector<HbmAccess> accesses_;  // by this core's transfers, in order
  bool halves_ = false;
  bool upper_ = false;
  std::vector<Tile*> weights_read_;  // by LDW since the last matmul
};

// Semaphores every core has: two of the Tensor engine, one each of the others, one for the sibling core.
enum CoreSemaphore : std::uint16_t {
  kPeRead,
  kPeDone,
  kVectorDone,
  kScalarDone,
  kGpSimdDone,
  kSibling,
  kFirstCollective  // one a stream, then the transfers'
};
inline constexpr std::uint16_t kCollectiveSemaphores = 4;
inline constexpr std::uint16_t kFirstDmaSemaphore = kFirstCollective + kCollectiveSemaphores;
inline constexpr std::uint64_t kHbmRowBlock = 128;

// Queues every builder program has.
enum BuilderQueue : std::uint16_t { kQueueLoad, kQueueStore, kQueueGather, kBuilderQueueCount };

// A program with the declarations that builders expect, for `cores` cores. ConfigError on a machine whose
// array, SBUF or PSUM the library's kernels are not tiled for.
Program builder_program(const MachineConfig& machine, const std::string& name, std::size_t cores);
HbmTensor add_hbm(Program& program, const std::string& name, DType dtype, std::uint64_t rows,
                  std::uint64_t columns);

}  // namespace trn
