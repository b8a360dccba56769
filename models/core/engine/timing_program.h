// A Program lowered to what timing needs: costs resolved, operands reduced to the resources they take.
#pragma once

#include <cstdint>
#include <vector>

#include "isa/program.h"
#include "models/core/engine/edge_clock.h"
#include "models/core/engine/op_cost.h"
#include "models/memory/dma/dma_cost.h"

namespace trn {

inline constexpr std::size_t kMaxLoopDepth = 12;

// A field that advances with the loops around it.
struct LoopTerm {
  std::uint8_t loop;
  std::int64_t coefficient;
};

// Banks of a PSUM operand that moves with the loops.
struct MovingBanks {
  std::int64_t first_byte;
  std::uint64_t span;
  std::vector<LoopTerm> terms;     // coefficients in bytes
  std::uint8_t reg = kNoRegister;  // adds `reg_bytes` times its value; not known: all of [low, high)
  std::int64_t reg_bytes = 0;
  std::uint64_t low = 0, high = 0;  // of the tensor
};

struct TimingOp {
  enum class Kind : std::uint8_t {
    kLoop,
    kEndLoop,
    kEnd,
    kControl,
    kSequencer,
    kClear,
    kWeights,
    kArray,
    kData,
    kDma,
    kCollective
  };
  Kind kind = Kind::kEnd;
  std::uint8_t table = 0;
  bool takes_bus = false;
  bool takes_psum_port = false;
  bool post_at_read = false;
  bool post_sibling = false;
  bool background = false;   // a transpose that may run beside another instruction of the array
  bool dynamic = false;      // an operand's place comes from a register
  bool fetch_bound = false;  // shorter than the fetch of the next instruction
  std::uint8_t wait_reg = kNoRegister;
  std::uint16_t wait_semaphore = kNoSemaphore;
  std::uint16_t post_semaphore = kNoSemaphore;
  std::uint16_t post_increment = 1;
  std::uint16_t queue = 0;
  std::uint16_t cells = 1;  // of the array, a bit each; one for all of it where no instruction takes a part
  std::uint32_t region = 0;
  std::uint32_t detail = 0;      // DMA: index into transfers; COLL: into Program::collectives; SEMCLR: which
  std::uint32_t first_term = 0;  // wait value terms
  std::uint32_t term_count = 0;
  std::int32_t moving_banks = -1;  // index into moving_banks of the first, with moving_count
  std::uint32_t moving_count = 0;
  std::uint64_t banks = 0;  // PSUM banks that are always touched, a bit each
  std::int64_t wait_value = 0;
  EdgeStep busy;
  EdgeStep latency;
  std::uint64_t busy_ps = 0;  // rounded down, for descriptor units that are not on a clock
  std::uint64_t flops = 0;
  std::uint64_t repeat = 0;  // kLoop
  std::uint32_t body_end =
      0;  // kLoop: index of its kEndLoop; kEndLoop: index of its kLoop; a jump: its target
  const Instruction* source = nullptr;
};

struct TimingStream {
  std::vector<TimingOp> ops;  // ends with kEnd
  std::vector<LoopTerm> terms;
  std::vector<MovingBanks> moving_banks;
  std::vector<TransferShape> transfers;
  Clock clock;
  Cycles fetch;  // between two instructions at least
};

TimingStream lower(const NodeList& nodes, Engine engine, const Program& program, const CoreConfig& core);

}  // namespace trn
