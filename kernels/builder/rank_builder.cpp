#include "kernels/builder/rank_builder.h"

#include <algorithm>

#include "base/error.h"
#include "isa/compress.h"

namespace trn {

RankBuilder::RankBuilder(const MachineConfig& machine, const std::string& name, std::size_t cores,
                         SbufBudget budget)
    : machine_(machine), program_(builder_program(machine, name, cores)), published_(cores), budget_(budget) {
  for (std::size_t c = 0; c < cores; ++c)
    cores_.push_back(std::make_unique<CoreBuilder>(program_, machine, c));
}

void RankBuilder::kernel(const std::string& region, std::uint64_t items, std::uint64_t granule,
                         const std::function<void(CoreBuilder&, std::uint64_t, std::uint64_t)>& body) {
  const std::uint64_t granules = (items + granule - 1) / granule;
  const std::uint64_t share = (granules + cores_.size() - 1) / cores_.size() * granule;
  for (std::size_t c = 0; c < cores_.size(); ++c) {
    CoreBuilder& core = *cores_[c];
    if (budget_ == SbufBudget::kHalves) core.use_half(upper_half_);
    core.region(region);
    const std::size_t pools = core.mark();
    const std::uint64_t begin = std::min(items, c * share);
    const std::uint64_t end = std::min(items, begin + share);
    if (begin < end) body(core, begin, end);
    core.release(pools);
  }
  upper_half_ = !upper_half_;
  exchange();
}

// Each core's GpSimd waits for the core's own transfers and posts to the other core.
void RankBuilder::exchange() {
  if (cores_.size() < 2) return;
  for (std::size_t c = 0; c < 2; ++c) {
    CoreBuilder& core = *cores_[c];
    if (published_[c] == core.accesses_.size()) continue;
    CoreBuilder::Dependencies needs;
    std::vector<std::int64_t> latest(core.posted_.size());
    for (std::size_t a = published_[c]; a < core.accesses_.size(); ++a) {
      const Event& event = core.accesses_[a].event;
      latest[event.semaphore] = std::max(latest[event.semaphore], event.value);
    }
    for (std::size_t s = 0; s < latest.size(); ++s)
      if (latest[s] > 0) needs.events.push_back({static_cast<std::uint16_t>(s), latest[s]});
    Instruction post;
    post.opcode = Opcode::kPost;
    post.post = {kSibling, 1, PostTime::kComplete, true};
    core.emit(Engine::kGpSimd, std::move(post), needs.events);
    CoreBuilder& other = *cores_[1 - c];
    const Event seen{kSibling, ++other.posted_[kSibling]};
    for (std::size_t a = published_[c]; a < core.accesses_.size(); ++a) {
      const CoreBuilder::HbmAccess& access = core.accesses_[a];
      other.touch_hbm(access.tensor, access.block, seen, access.write);
    }
  }
  // What the exchange itself recorded on the other core is not news to this one.
  for (std::size_t c = 0; c < 2; ++c) published_[c] = cores_[c]->accesses_.size();
}

void RankBuilder::collective(const std::string& region, const CollectiveDecl& decl,
                             const std::vector<HbmBlock>& reads, const std::vector<HbmBlock>& writes) {
  const auto found = std::find(program_.collectives.begin(), program_.collectives.end(), decl);
  Instruction i;
  i.opcode = Opcode::kCollective;
  i.collective = static_cast<std::uint32_t>(found - program_.collectives.begin());
  if (found == program_.collectives.end()) program_.collectives.push_back(decl);
  // Collectives of one stream end in order: a stream's semaphores are its own.
  const auto semaphore = static_cast<std::uint16_t>(kFirstCollective + decl.stream);
  i.post = {semaphore, 1, PostTime::kComplete, false};
  CoreBuilder& first = *cores_[0];
  first.region(region);
  CoreBuilder::Dependencies needs;
  for (const HbmBlock& block : reads) first.add_hbm_needs(block, false, needs.events);
  for (const HbmBlock& block : writes) first.add_hbm_needs(block, true, needs.events);
  first.emit(Engine::kGpSimd, std::move(i), needs.events);
  for (std::unique_ptr<CoreBuilder>& core : cores_) {
    const Event done{semaphore, ++core->posted_[semaphore]};
    const auto touch = [&](const std::vector<HbmBlock>& blocks, bool write) {
      for (const HbmBlock& block : blocks)
        for (std::uint64_t b = block.row / kHbmRowBlock; b <= (block.row + block.rows - 1) / kHbmRowBlock;
             ++b)
          core->touch_hbm(block.tensor.tensor, b, done, write);
    };
    touch(reads, false);
    touch(writes, true);
  }
}

RankBuilder::Mark RankBuilder::mark() const {
  Mark mark;
  for (std::size_t c = 0; c < cores_.size(); ++c) {
    std::array<std::size_t, kEngineCount> sizes{};
    for (std::size_t e = 0; e < kEngineCount; ++e) sizes[e] = program_.cores[c].streams[e].size();
    mark.sizes.push_back(sizes);
    mark.posted.push_back(cores_[c]->posted_);
    mark.accesses.push_back(cores_[c]->accesses_.size());
  }
  return mark;
}

// Takes what was appended since the mark off the streams, compressed.
std::vector<std::array<NodeList, kEngineCount>> RankBuilder::cut(const Mark& from) {
  std::vector<std::array<NodeList, kEngineCount>> parts(cores_.size());
  for (std::size_t c = 0; c < cores_.size(); ++c) {
    for (std::size_t e = 0; e < kEngineCount; ++e) {
      NodeList& stream = program_.cores[c].streams[e];
      const auto begin = stream.begin() + static_cast<std::ptrdiff_t>(from.sizes[c][e]);
      parts[c][e].assign(std::make_move_iterator(begin), std::make_move_iterator(stream.end()));
      stream.erase(begin, stream.end());
      compress(parts[c][e]);
    }
  }
  return parts;
}

void RankBuilder::repeat(std::uint64_t n, const std::function<void(std::uint64_t)>& body) {
  constexpr std::uint64_t kWritten = 4;
  Parts parts;
  std::vector<Mark> marks{mark()};
  for (std::uint64_t i = 0; i < n; ++i) {
    upper_half_ = false;
    body(i);
    if (n <= kWritten || i >= kWritten) continue;
    parts.push_back(cut(marks.back()));
    marks.push_back(mark());
    if (i + 1 < kWritten) continue;
    if (repeats(parts)) return fold(n - kWritten, marks, std::move(parts));
    for (auto& part : parts) append(std::move(part));  // every iteration is written
  }
}

bool RankBuilder::repeats(const Parts& parts) const {
  for (std::size_t c = 0; c < cores_.size(); ++c) {
    for (std::size_t e = 0; e < kEngineCount; ++e) {
      const NodeList& a = parts[1][c][e];
      const NodeList& b = parts[2][c][e];
      const NodeList& d = parts[3][c][e];
      if (a.size() != b.size() || b.size() != d.size()) return false;
      for (std::size_t i = 0; i < a.size(); ++i)
        if (!same_shape(a[i], b[i]) || !same_shape(b[i], d[i]) || !same_advance(a[i], b[i], d[i]))
          return false;
    }
  }
  return true;
}

void RankBuilder::append(std::vector<std::array<NodeList, kEngineCount>> part) {
  for (std::size_t c = 0; c < cores_.size(); ++c)
    for (std::size_t e = 0; e < kEngineCount; ++e)
      for (Node& node : part[c][e]) program_.cores[c].streams[e].push_back(std::move(node));
}

void RankBuilder::fold(std::uint64_t more, const std::vector<Mark>& marks, Parts parts) {
  for (std::size_t c = 0; c < cores_.size(); ++c) {
    for (std::size_t e = 0; e < kEngineCount; ++e) {
      NodeList& stream = program_.cores[c].streams[e];
      for (Node& node : parts[0][c][e]) stream.push_back(std::move(node));
      Node loop;
      loop.repeat = more + 3;
      loop.body = std::move(parts[1][c][e]);
      for (std::size_t i = 0; i < loop.body.size(); ++i) add_loop(loop.body[i], parts[2][c][e][i], 0);
      if (!loop.body.empty()) stream.push_back(std::move(loop));
    }
  }
  shift(more, marks[2], marks[3], marks[4]);
}

// Everything the last iteration posted moves on by `more` iterations; older events stay.
void RankBuilder::shift(std::uint64_t more, const Mark& before, const Mark& middle, const Mark& after) {
  for (std::size_t c = 0; c < cores_.size(); ++c) {
    CoreBuilder& core = *cores_[c];
    const std::vector<std::int64_t>& above = middle.posted[c];
    std::vector<std::int64_t> step(above.size());
    std::vector<std::int64_t> by(above.size());
    for (std::size_t s = 0; s < above.size(); ++s) {
      step[s] = after.posted[c][s] - middle.posted[c][s];
      by[s] = step[s] * static_cast<std::int64_t>(more);
    }
    const auto move = [&](std::vector<Event>& events) {
      for (Event& event : events)
        if (event.value > above[event.semaphore]) event.value += by[event.semaphore];
    };
    for (const std::unique_ptr<TilePool>& pool : core.pools_)
      for (const std::unique_ptr<Tile>& tile : pool->tiles_) {
        move(tile->writers);
        move(tile->readers);
      }
    for (CoreBuilder::Ghost& ghost : core.ghosts_) move(ghost.events);
    for (auto& rows : core.hbm_) {
      move(rows.second.writers);
      move(rows.second.readers);
    }
    // Rows that advance with the iterations: the skipped ones touched rows of their own.
    const std::size_t count = middle.accesses[c] - before.accesses[c];
    TRN_CHECK(count == after.accesses[c] - middle.accesses[c], "iterations touch different rows");
    std::vector<CoreBuilder::HbmAccess> skipped;
    for (std::uint64_t j = 1; j <= more; ++j) {
      for (std::size_t a = 0; a < count; ++a) {
        const CoreBuilder::HbmAccess& last = core.accesses_[middle.accesses[c] + a];
        const std::uint64_t distance =
            last.block - core.accesses_[before.accesses[c] + a].block;  // wraps: may go down
        if (distance == 0) continue;
        CoreBuilder::HbmAccess access = last;
        access.block += distance * j;
        access.event.value += step[access.event.semaphore] * static_cast<std::int64_t>(j);
        skipped.push_back(access);
      }
    }
    for (const CoreBuilder::HbmAccess& access : skipped)
      core.touch_hbm(access.tensor, access.block, access.event, access.write);
    core.knowledge_.shift(above, by);
    for (std::size_t s = 0; s < by.size(); ++s) core.posted_[s] += by[s];
  }
}

Program RankBuilder::take() {
  for (CoreProgram& core : program_.cores)
    for (NodeList& stream : core.streams) compress(stream);
  return std::move(program_);
}

}  // namespace trn
