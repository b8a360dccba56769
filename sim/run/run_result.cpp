#include "sim/run/run_result.h"

#include "base/error.h"

namespace trn {

const EngineResult& RunResult::engine(std::uint32_t core, Engine engine) const {
  for (const EngineResult& row : engines)
    if (row.core == core && row.engine == engine) return row;
  TRN_CHECK(false, "no such engine in the result");
}

double RunResult::active(std::uint32_t core, Engine which) const {
  return ratio(static_cast<double>(engine(core, which).stats.busy.count()),
               static_cast<double>(time.count()));
}

namespace {

// The engine's figures, declared once with unit and meaning.
struct EngineStatGroup : StatGroup {
  EngineStatGroup(const std::string& name, const EngineStats& s, Picoseconds time)
      : StatGroup(name), total(time.count()) {
    instructions += s.instructions;
    matmuls += s.matmuls;
    flops += s.flops;
    transfers += s.transfers;
    table_loads += s.table_loads;
    busy += s.busy.count();
    limiter_stall += s.limiter_stall.count();
    semaphore_wait += s.semaphore_wait.count();
    conflict_wait += s.conflict_wait.count();
  }
  std::uint64_t total;
  Counter instructions{this, "instructions", Unit::kCount, "instructions issued, control included"};
  Counter matmuls{this, "matmuls", Unit::kCount, "MultiplyMoving instructions"};
  Counter flops{this, "flops", Unit::kFlops, "executed by the array, a multiply-add is 2"};
  Counter transfers{this, "transfers", Unit::kCount, "DMA instructions triggered"};
  Counter table_loads{this, "table_loads", Unit::kCount, "activation table loads"};
  Counter busy{this, "busy", Unit::kPicoseconds, "issue slot or data path occupied"};
  Counter limiter_stall{this, "limiter_stall", Unit::kPicoseconds,
                        "part of busy added by the current limiter"};
  Counter semaphore_wait{this, "semaphore_wait", Unit::kPicoseconds,
                         "data path idle in front of a semaphore or full queue"};
  Counter conflict_wait{this, "conflict_wait", Unit::kPicoseconds,
                        "PSUM bank, port or bus held by another engine"};
  Formula active{this, "active", Unit::kRatio, "busy / run time",
                 [this] { return ratio(static_cast<double>(busy.value()), static_cast<double>(total)); }};
};

struct RunStatGroup : StatGroup {
  explicit RunStatGroup(const RunResult& r) : StatGroup("run"), result(r) {
    time += r.time.count();
    transfers += r.transfers;
    dma_bytes += r.dma_bytes.count();
    hbm_read += r.hbm_read.count();
    hbm_write += r.hbm_write.count();
    fetched += r.fetched.count();
    dma_active += r.dma_active.count();
    quiet += (r.time - r.moving).count();
    descriptors_only += r.descriptors_only.count();
    model_flops += r.model_flops;
    array_flops += r.array_flops;
    limiter += r.limiter_activations;
  }
  const RunResult& result;
  Counter time{this, "time", Unit::kPicoseconds, "until the last instruction and transfer are complete"};
  Counter transfers{this, "transfers", Unit::kCount, "DMA transfers completed"};
  Counter dma_bytes{this, "dma_bytes", Unit::kBytes, "moved by the DMA engines"};
  Counter hbm_read{this, "hbm_read_bytes", Unit::kBytes, "read from HBM"};
  Counter hbm_write{this, "hbm_write_bytes", Unit::kBytes, "written to HBM"};
  Counter fetched{this, "fetch_bytes", Unit::kBytes,
                  "instructions read from HBM, where that is modelled; in no other figure"};
  Counter dma_active{this, "dma_active", Unit::kPicoseconds, "at least one transfer was moving"};
  Counter quiet{this, "quiet", Unit::kPicoseconds, "no transfer or collective was moving"};
  Counter descriptors_only{this, "descriptors_only", Unit::kPicoseconds,
                           "no transfer was moving, and the next one had been triggered"};
  Counter model_flops{this, "model_flops", Unit::kFlops, "useful work as the program's author counts it"};
  Counter array_flops{this, "array_flops", Unit::kFlops, "counted from the Tensor instructions"};
  Counter limiter{this, "limiter_activations", Unit::kCount, "times the Tensor current limiter was armed"};
};

}  // namespace

std::vector<StatValue> statistics(const RunResult& result) {
  std::vector<StatValue> values;
  RunStatGroup(result).snapshot(values);
  for (const EngineResult& row : result.engines) {
    std::string name =
        "core" + std::to_string(row.core) + '.' + std::string(kEngines[index_of(row.engine)].name);
    EngineStatGroup(name, row.stats, result.time).snapshot(values);
  }
  return values;
}

}  // namespace trn
