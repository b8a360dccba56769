#include "kernels/builder/core_builder.h"

#include <algorithm>

#include "base/error.h"

namespace trn {
namespace {

// Keeps one event a semaphore: the later one implies the earlier.
void add_event(std::vector<Event>& list, Event event) {
  for (Event& known : list) {
    if (known.semaphore != event.semaphore) continue;
    known.value = std::max(known.value, event.value);
    return;
  }
  list.push_back(event);
}

std::uint16_t done_semaphore(Engine engine) {
  switch (engine) {
    case Engine::kTensor:
      return kPeDone;
    case Engine::kVector:
      return kVectorDone;
    case Engine::kScalar:
      return kScalarDone;
    case Engine::kGpSimd:
      return kGpSimdDone;
    case Engine::kSync:
      break;
  }
  TRN_CHECK(false, "Sync posts through its transfers");
}

AccessPattern hbm_pattern(const HbmBlock& block, std::uint32_t partitions) {
  AccessPattern p;
  p.tensor = block.tensor.tensor;
  p.row = static_cast<std::int64_t>(block.row);
  p.rows = partitions;
  p.offset = static_cast<std::int64_t>(block.column);
  // More rows than partitions: row r + 128*i of HBM lands in partition r, i-th run of the free dimension.
  if (block.rows > partitions)
    p.dims[p.dim_count++] = {static_cast<std::int64_t>(partitions * block.tensor.columns),
                             block.rows / partitions};
  p.dims[p.dim_count++] = {1, block.columns};
  return p;
}

// The library's kernels are cut for the array, SBUF and PSUM that all generations have. On another one they
// would leave part of it idle without a word, or not fit.
void check_tiling(const MachineConfig& m) {
  const auto refuse = [&](const std::string& key, std::uint64_t found, const std::string& expected) {
    throw ConfigError(
        "neuron_core." + key + ": " + std::to_string(found) + "; the kernels are tiled for " + expected +
        "; more multiply-adds a core are *_columns_per_cycle, tensor.clock_mhz or chip.neuron_cores");
  };
  const CoreConfig& c = m.core;
  if (c.tensor.rows != 128) refuse("tensor.rows", c.tensor.rows, "an array of 128 x 128");
  if (c.tensor.columns != 128) refuse("tensor.columns", c.tensor.columns, "an array of 128 x 128");
  if (c.sbuf.partitions != 128) refuse("sbuf.partitions", c.sbuf.partitions, "128 partitions");
  if (c.psum.banks < 8) refuse("psum.banks", c.psum.banks, "8 banks or more");
  if (c.psum.bank_bytes < Bytes(2048)) refuse("psum.bank_bytes", c.psum.bank_bytes.count(), "2048 or more");
  if (c.tensor.moving_max_elements < 512)
    refuse("tensor.moving_max_elements", c.tensor.moving_max_elements, "512 or more");
}

}  // namespace

View View::columns(Tile& tile, std::uint64_t first, std::uint64_t count, std::uint32_t rows) {
  TRN_CHECK(first + count <= tile.columns && rows <= tile.rows, "a view leaves its tile");
  View view;
  view.tile = &tile;
  view.pattern.tensor = tile.tensor;
  view.pattern.rows = rows;
  view.pattern.offset = tile.offset + static_cast<std::int64_t>(first);
  view.pattern.dim_count = 1;
  view.pattern.dims[0] = {1, count};
  return view;
}

View View::shaped(Tile& tile, std::uint64_t first, std::initializer_list<Dim> dims, std::uint32_t rows) {
  View view = columns(tile, 0, tile.columns, rows);
  view.pattern.offset += static_cast<std::int64_t>(first);
  view.pattern.dim_count = 0;
  for (const Dim& dim : dims) view.pattern.dims[view.pattern.dim_count++] = dim;
  return view;
}

Program builder_program(const MachineConfig& machine, const std::string& name, std::size_t cores) {
  check_tiling(machine);
  Program program;
  program.name = name;
  program.target = machine.target;
  program.cores.resize(cores);
  const bool hardware = machine.core.dma.hardware_units > 0;
  const DescriptorMode mode = hardware ? DescriptorMode::kHardware : DescriptorMode::kStatic;
  program.queues = {{"load", Engine::kSync, mode, 0},
                    {"store", Engine::kScalar, mode, 0},
                    {"gather", Engine::kGpSimd, DescriptorMode::kSoftware, 0}};
  program.semaphores = {"pe_read", "pe_done", "vector", "scalar", "gpsimd", "sibling"};
  for (std::uint16_t i = 0; i < kCollectiveSemaphores; ++i)
    program.semaphores.push_back("collective[" + std::to_string(i) + ']');
  for (std::uint64_t i = kFirstDmaSemaphore; i < machine.core.semaphores.count; ++i) {
    const std::string number = std::to_string(i - kFirstDmaSemaphore);
    program.semaphores.push_back("dma[" + number + ']');
  }
  return program;
}

HbmTensor add_hbm(Program& program, const std::string& name, DType dtype, std::uint64_t rows,
                  std::uint64_t columns) {
  program.tensors.push_back({name, Space::kHbm, dtype, {rows, columns}, 0});
  return {static_cast<std::uint32_t>(program.tensors.size() - 1), rows, columns};
}

CoreBuilder::CoreBuilder(Program& program, const MachineConfig& machine, std::size_t core)
    : program_(program),
      machine_(machine),
      core_(core),
      knowledge_(machine.core.semaphores.count),
      posted_(machine.core.semaphores.count) {
  for (std::uint64_t i = machine.core.semaphores.count; i-- > kFirstDmaSemaphore;)
    free_semaphores_.push_back(static_cast<std::uint16_t>(i));
}

std::uint64_t CoreBuilder::sbuf_end() const {
  const std::uint64_t usable = machine_.core.sbuf.usable_bytes_per_partition.count();
  return halves_ && !upper_ ? usable / 2 / 64 * 64 : usable;
}

std::uint64_t CoreBuilder::sbuf_free() const { return sbuf_end() - sbuf_next_; }

void CoreBuilder::use_half(bool upper) {
  TRN_CHECK(pools_.empty(), "halves change between kernels only");
  halves_ = true;
  upper_ = upper;
  sbuf_next_ = upper ? machine_.core.sbuf.usable_bytes_per_partition.count() / 2 / 64 * 64 : 0;
}

TilePool& CoreBuilder::sbuf_pool(const std::string& name, DType dtype, std::uint64_t columns,
                                 std::size_t slots, std::uint32_t rows) {
  return make_pool(name, Space::kSbuf, dtype, columns, slots, rows);
}

TilePool& CoreBuilder::psum_pool(const std::string& name, DType dtype, std::uint64_t columns,
                                 std::size_t slots) {
  return make_pool(name, Space::kPsum, dtype, columns, slots, 128);
}

TilePool& CoreBuilder::make_pool(const std::string& name, Space space, DType dtype, std::uint64_t columns,
                                 std::size_t slots, std::uint32_t rows) {
  const bool sbuf = space == Space::kSbuf;
  const std::uint64_t bank = machine_.core.psum.bank_bytes.count();
  // A PSUM tile starts on a bank of its own, so that two engines on two tiles never meet.
  std::uint64_t slot_bytes = columns * size_of(dtype);
  slot_bytes = sbuf ? (slot_bytes + 63) / 64 * 64 : (slot_bytes + bank - 1) / bank * bank;
  const std::uint64_t capacity = sbuf ? sbuf_end() : bank * machine_.core.psum.banks;
  std::uint64_t& next = sbuf ? sbuf_next_ : psum_next_;
  if (next + slot_bytes * slots > capacity)
    throw CapacityError(program_.name + ": pool " + name + ": " + std::to_string(slots) + " tiles of " +
                        std::to_string(slot_bytes) + " bytes a partition do not fit, " +
                        std::to_string(capacity - next) + " of " + std::to_string(capacity) +
                        " are free in " + (sbuf ? "SBUF" : "PSUM") + "; use smaller blocks");
  const std::uint64_t slot_elements = slot_bytes / size_of(dtype);
  TensorDecl decl{
      "c" + std::to_string(core_) + '_' + name, space, dtype, {rows, slot_elements * slots}, next};
  // The same pool at the same place is declared once: kernels repeat.
  auto found = std::find_if(program_.tensors.begin(), program_.tensors.end(), [&](const TensorDecl& t) {
    return t.space == decl.space && t.dtype == decl.dtype && t.dims == decl.dims &&
           t.address == decl.address && t.name.rfind(decl.name, 0) == 0;
  });
  const auto index = static_cast<std::uint32_t>(found - program_.tensors.begin());
  if (found == program_.tensors.end()) {
    decl.name += '_' + std::to_string(program_.tensors.size());
    program_.tensors.push_back(decl);
  }
  auto pool = std::make_unique<TilePool>();
  Allocation allocation{space, next, next + slot_bytes * slots, {}};
  for (std::size_t s = 0; s < slots; ++s) {
    auto tile = std::make_unique<Tile>();
    tile->tensor = index;
    tile->rows = rows;
    tile->offset = static_cast<std::int64_t>(slot_elements * s);
    tile->columns = columns;
    if (sbuf) {
      if (free_semaphores_.empty())
        throw CapacityError(program_.name + ": pool " + name +
                            ": out of semaphores; use fewer or larger tiles");
      tile->dma_semaphore = free_semaphores_.back();
      free_semaphores_.pop_back();
      allocation.semaphores.push_back(tile->dma_semaphore);
    }
    inherit(*tile, space, next + slot_bytes * s, next + slot_bytes * (s + 1));
    pool->tiles_.push_back(std::move(tile));
  }
  next += slot_bytes * slots;
  allocations_.push_back(std::move(allocation));
  pools_.push_back(std::move(pool));
  return *pools_.back();
}

std::uint32_t CoreBuilder::table(const std::string& name, const std::vector<std::int64_t>& values) {
  for (std::uint32_t t = 0; t < program_.tables.size(); ++t)
    if (program_.tables[t].values == values) return t;
  program_.tables.push_back({name + '_' + std::to_string(program_.tables.size()), values});
  return static_cast<std::uint32_t>(program_.tables.size() - 1);
}

void CoreBuilder::region(const std::string& name) {
  const auto it = std::find(program_.regions.begin(), program_.regions.end(), name);
  region_ = static_cast<std::uint32_t>(it - program_.regions.begin());
  if (it == program_.regions.end()) program_.regions.push_back(name);
}

void CoreBuilder::append(Engine engine, Instruction instruction) {
  instruction.region = region_;
  Node node;
  node.instruction = std::move(instruction);
  program_.cores[core_].streams[index_of(engine)].push_back(std::move(node));
}

// One wait rides on the instruction; the others become WAITs before it. What is already known is dropped.
void CoreBuilder::emit(Engine engine, Instruction instruction, const std::vector<Event>& events) {
  std::vector<Event> waits;
  for (const Event& event : events) {
    if (knowledge_.knows(engine, event)) continue;
    if (!waits.empty()) {
      Instruction wait;
      wait.opcode = Opcode::kWait;
      wait.wait = {waits.back().semaphore, kNoRegister, waits.back().value};
      append(engine, std::move(wait));
    }
    knowledge_.learn(engine, event);
    waits.push_back(event);
  }
  if (!waits.empty()) instruction.wait = {waits.back().semaphore, kNoRegister, waits.back().value};
  append(engine, std::move(instruction));
}

Event CoreBuilder::post_complete(Engine engine, Instruction& instruction) {
  const std::uint16_t semaphore = done_semaphore(engine);
  instruction.post = {semaphore, 1, PostTime::kComplete, false};
  return {semaphore, ++posted_[semaphore]};
}

Event CoreBuilder::next_transfer(Tile& tile) {
  posted_[tile.dma_semaphore] += 16;
  return {tile.dma_semaphore, posted_[tile.dma_semaphore]};
}

void CoreBuilder::add_hbm_needs(const HbmBlock& block, bool write, std::vector<Event>& needs) const {
  for (std::uint64_t b = block.row / kHbmRowBlock; b <= (block.row + block.rows - 1) / kHbmRowBlock; ++b) {
    const auto it = hbm_.find({block.tensor.tensor, b});
    if (it == hbm_.end()) continue;
    for (const Event& event : it->second.writers) add_event(needs, event);
    if (!write) continue;
    for (const Event& event : it->second.readers) add_event(needs, event);
  }
}

void CoreBuilder::touch_hbm(std::uint32_t tensor, std::uint64_t block, Event event, bool write) {
  HbmRows& rows = hbm_[{tensor, block}];
  if (write) rows.readers.clear();
  add_event(write ? rows.writers : rows.readers, event);
}

void CoreBuilder::transfer(Via via, Tile& tile, Instruction instruction, Dependencies needs,
                           const HbmBlock& block, bool writes_hbm) {
  constexpr std::pair<Engine, BuilderQueue> kVia[] = {
      {Engine::kSync, kQueueLoad}, {Engine::kScalar, kQueueStore}, {Engine::kGpSimd, kQueueGather}};
  const auto [engine, queue] = kVia[static_cast<std::size_t>(via)];
  instruction.opcode = Opcode::kDma;
  instruction.source_count = std::max<std::uint8_t>(1, instruction.source_count);
  instruction.queue = queue;
  add_hbm_needs(block, writes_hbm, needs.events);
  const Event done = next_transfer(tile);
  instruction.post = {done.semaphore, 16, PostTime::kComplete, false};
  emit(engine, std::move(instruction), needs.events);
  knowledge_.posted(engine, done);
  for (std::uint64_t b = block.row / kHbmRowBlock; b <= (block.row + block.rows - 1) / kHbmRowBlock; ++b) {
    touch_hbm(block.tensor.tensor, b, done, writes_hbm);
    accesses_.push_back({block.tensor.tensor, b, done, writes_hbm});
  }
  if (writes_hbm) {
    add_event(tile.readers, done);
  } else {
    tile.readers.clear();
    add_event(tile.writers, done);
  }
}

void CoreBuilder::load(View dst, const HbmBlock& src, Via via) {
  Instruction i;
  i.dst = dst.pattern;
  i.src[0] = hbm_pattern(src, dst.pattern.rows);
  fill(dst, i, src, via);
}

void CoreBuilder::load_transposed(View dst, const HbmBlock& src) {
  TRN_CHECK(src.columns == dst.pattern.rows, "a transpose turns columns into partitions");
  Instruction i;
  i.kind = static_cast<std::uint8_t>(DmaKind::kTranspose);
  i.dst = dst.pattern;
  i.src[0] = hbm_pattern(src, static_cast<std::uint32_t>(src.rows));
  fill(dst, i, src);
}

// Parts of a tile may be filled one after another; the first waits for who used the tile before.
void CoreBuilder::fill(View dst, const Instruction& instruction, const HbmBlock& src, Via via) {
  Dependencies needs;
  if (!dst.tile->readers.empty()) {
    needs.add(dst.tile->readers);
    needs.add(dst.tile->writers);
    dst.tile->writers.clear();
  }
  transfer(via, *dst.tile, instruction, needs, src, false);
}

void CoreBuilder::store(const HbmBlock& dst, View src) {
  Instruction i;
  i.dst = hbm_pattern(dst, src.pattern.rows);
  i.src[0] = src.pattern;
  Dependencies needs;
  needs.add(src.tile->writers);
  transfer(Via::kStore, *src.tile, i, needs, dst, true);
}

void CoreBuilder::gather(View dst, HbmTensor table, std::uint64_t column, View indices) {
  Instruction i;
  i.kind = static_cast<std::uint8_t>(DmaKind::kGather);
  i.source_count = 2;
  i.dst = dst.pattern;
  i.src[0] =
      hbm_pattern({table, 0, dst.pattern.rows, column, dst.pattern.elements_per_row()}, dst.pattern.rows);
  i.src[1] = indices.pattern;
  Dependencies needs;
  needs.add(indices.tile->writers);
  if (!dst.tile->readers.empty()) {
    needs.add(dst.tile->readers);
    needs.add(dst.tile->writers);
    dst.tile->writers.clear();
  }
  transfer(Via::kGather, *dst.tile, i, needs, {table, 0, table.rows, 0, table.columns}, false);
  add_event(indices.tile->readers, {dst.tile->dma_semaphore, posted_[dst.tile->dma_semaphore]});
}

void CoreBuilder::load_weights(View weights, bool double_row) {
  Instruction i;
  i.opcode = Opcode::kLoadWeights;
  i.source_count = 1;
  i.src[0] = weights.pattern;
  i.double_row = double_row;
  emit(Engine::kTensor, i, weights.tile->writers);
  weights_read_.push_back(weights.tile);
}

void CoreBuilder::load_weights_mx(View weights, View scales) {
  Instruction i;
  i.opcode = Opcode::kLoadWeightsMx;
  i.source_count = 2;
  i.src[0] = weights.pattern;
  i.src[1] = scales.pattern;
  Dependencies needs;
  needs.add(weights.tile->writers);
  needs.add(scales.tile->writers);
  emit(Engine::kTensor, i, needs.events);
  weights_read_.push_back(weights.tile);
  weights_read_.push_back(scales.tile);
}

void CoreBuilder::matmul(View dst, View moving, bool accumulate, bool last, bool double_row) {
  Instruction i;
  i.opcode = Opcode::kMatmul;
  i.accumulate = accumulate;
  i.double_row = double_row;
  multiply(i, dst, {moving}, last);
}

void CoreBuilder::matmul_mx(View dst, View moving, View scales, bool accumulate, bool last) {
  Instruction i;
  i.opcode = Opcode::kMatmulMx;
  i.accumulate = accumulate;
  multiply(i, dst, {moving, scales}, last);
}

void CoreBuilder::multiply(Instruction i, View dst, const std::vector<View>& moving, bool last) {
  i.dst = dst.pattern;
  Dependencies needs;
  for (const View& view : moving) {
    i.src[i.source_count++] = view.pattern;
    needs.add(view.tile->writers);
  }
  const bool accumulate = i.accumulate;
  if (!accumulate) needs.add(dst.tile->readers);  // the array adds in order: no wait between its own matmuls
  const std::uint16_t semaphore = last ? kPeDone : kPeRead;
  const Event event{semaphore, ++posted_[semaphore]};
  i.post = {semaphore, 1, last ? PostTime::kComplete : PostTime::kRead, false};
  emit(Engine::kTensor, std::move(i), needs.events);
  knowledge_.posted(Engine::kTensor, event);
  if (last) knowledge_.implies(event, {kPeRead, posted_[kPeRead]});
  if (!accumulate) {
    dst.tile->readers.clear();
    dst.tile->writers.clear();
  }
  if (last) add_event(dst.tile->writers, event);
  for (const View& view : moving) add_event(view.tile->readers, event);
  for (Tile* tile : weights_read_) add_event(tile->readers, event);
  weights_read_.clear();
}

void CoreBuilder::quantize_mx(View dst, View scales, View src) {
  Instruction i;
  i.opcode = Opcode::kQuantizeMx;
  i.source_count = 2;
  i.dst = dst.pattern;
  i.src[0] = src.pattern;
  i.src[1] = scales.pattern;
  Dependencies needs;
  needs.add(src.tile->writers);
  for (Tile* tile : {dst.tile, scales.tile}) {
    needs.add(tile->readers);
    needs.add(tile->writers);
  }
  const Event event = post_complete(Engine::kVector, i);
  emit(Engine::kVector, std::move(i), needs.events);
  knowledge_.posted(Engine::kVector, event);
  add_event(src.tile->readers, event);
  for (Tile* tile : {dst.tile, scales.tile}) {
    tile->readers.clear();
    add_event(tile->writers, event);
  }
}

void CoreBuilder::transpose(View dst, View src) {
  Instruction i;
  i.opcode = Opcode::kTranspose;
  i.source_count = 1;
  i.dst = dst.pattern;
  i.src[0] = src.pattern;
  Dependencies needs;
  needs.add(src.tile->writers);
  needs.add(dst.tile->readers);
  const Event event = post_complete(Engine::kTensor, i);
  emit(Engine::kTensor, std::move(i), needs.events);
  knowledge_.posted(Engine::kTensor, event);
  knowledge_.implies(event, {kPeRead, posted_[kPeRead]});
  dst.tile->readers.clear();
  add_event(dst.tile->writers, event);
  add_event(src.tile->readers, event);
}

void CoreBuilder::compute(Engine engine, Opcode opcode, View dst, const std::vector<View>& sources,
                          const Instruction& attributes) {
  Instruction i = attributes;
  i.opcode = opcode;
  i.source_count = static_cast<std::uint8_t>(sources.size());
  i.dst = dst.pattern;
  Dependencies needs;
  for (std::size_t s = 0; s < sources.size(); ++s) {
    i.src[s] = sources[s].pattern;
    needs.add(sources[s].tile->writers);
  }
  // Overwriting: other engines' readers must be through; an engine's own reads are older in the same order.
  for (const Event& event : dst.tile->readers)
    if (event.semaphore != done_semaphore(engine)) needs.events.push_back(event);
  for (const Event& event : dst.tile->writers)
    if (event.semaphore != done_semaphore(engine)) needs.events.push_back(event);
  const Event event = post_complete(engine, i);
  emit(engine, std::move(i), needs.events);
  knowledge_.posted(engine, event);
  bool in_place = false;
  for (const View& source : sources) in_place = in_place || source.tile == dst.tile;
  if (!in_place) dst.tile->readers.clear();
  add_event(dst.tile->writers, event);
  for (const View& source : sources) add_event(source.tile->readers, event);
}

void CoreBuilder::inherit(Tile& tile, Space space, std::uint64_t begin, std::uint64_t end) const {
  for (const Ghost& ghost : ghosts_) {
    if (ghost.space != space || ghost.end <= begin || end <= ghost.begin) continue;
    for (const Event& event : ghost.events) add_event(tile.readers, event);
  }
  // The counter's last transfer must be over before the counter counts for another tile.
  if (tile.dma_semaphore != kNoSemaphore && posted_[tile.dma_semaphore] > 0)
    add_event(tile.readers, {tile.dma_semaphore, posted_[tile.dma_semaphore]});
}

void CoreBuilder::release(std::size_t mark) {
  while (pools_.size() > mark) {
    const Allocation& allocation = allocations_.back();
    Ghost ghost{allocation.space, allocation.begin, allocation.end, {}};
    for (const std::unique_ptr<Tile>& tile : pools_.back()->tiles_) {
      for (const Event& event : tile->readers) add_event(ghost.events, event);
      for (const Event& event : tile->writers) add_event(ghost.events, event);
    }
    // Whoever overwrites this range now waits for its last owner, which had waited for the earlier ones.
    ghosts_.erase(std::remove_if(ghosts_.begin(), ghosts_.end(),
                                 [&](const Ghost& g) {
                                   return g.space == ghost.space && ghost.begin <= g.begin &&
                                          g.end <= ghost.end;
                                 }),
                  ghosts_.end());
    if (!ghost.events.empty()) ghosts_.push_back(std::move(ghost));
    (allocation.space == Space::kSbuf ? sbuf_next_ : psum_next_) = allocation.begin;
    // In reverse, so that the same kernel finds the same semaphores again.
    free_semaphores_.insert(free_semaphores_.end(), allocation.semaphores.rbegin(),
                            allocation.semaphores.rend());
    allocations_.pop_back();
    pools_.pop_back();
  }
}

}  // namespace trn
