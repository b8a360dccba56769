// Transfers in whole programs: rules, other stacks, priorities, rings, instruction fetch.
#include <gtest/gtest.h>

#include "base/error.h"
#include "isa/assembler/assembler.h"
#include "sim/functional/functional_run.h"
#include "sim/functional/hazard_checker.h"
#include "sim/functional/hbm_data.h"
#include "sim/functional/observers.h"
#include "sim/run/simulation.h"
#include "traces/trace_file.h"

namespace trn {
namespace {

MachineConfig machine(const std::string& name, const std::vector<std::string>& sets = {},
                      const std::string& shape = "chip") {
  ConfigDocument document = load_machine_document(name);
  for (const std::string& set : sets) document.set(set);
  return parse_machine(document, shape);
}

// Declarations, and one engine's stream.
std::string text(const std::string& target, const std::string& declarations, const std::string& engine,
                 const std::string& body) {
  return ".target " + target + "\n.kernel k\n" + declarations + ".sem s\n.engine " + engine + '\n' + body +
         ".end\n";
}

RunResult run(const std::string& program, const MachineConfig& m) {
  return run_program(assemble(program, "f"), m);
}

std::string error(const std::string& program, const std::string& name = "trn2") {
  try {
    run(program, machine(name));
  } catch (const UserError& e) {
    return e.what();
  }
  return "accepted";
}

constexpr const char* kGatherTensors =
    ".tensor h space=hbm dtype=bf16 shape=[64,32]\n.tensor n space=hbm dtype=int32 shape=[1,16]\n"
    ".tensor a space=sbuf dtype=bf16 shape=[16,32]\n.tensor i space=sbuf dtype=int32 shape=[16,1]\n"
    ".tensor p space=psum dtype=fp32 shape=[16,32]\n";
std::string gather(const std::string& queue, const std::string& engine, const std::string& dma) {
  return text("trn2", kGatherTensors + queue, engine, dma);
}
const std::string kSoftware = ".queue q engine=POOL dge=sw\n";

TEST(DmaRules, RowsByNumberNeedSoftwareDescriptors) {
  const std::string dma = "DMA gather a, h[0:16 | 0 | (1,32)], i, q=q\n";
  EXPECT_EQ(error(gather(kSoftware, "POOL", dma)), "accepted");
  EXPECT_EQ(error(gather(".queue q engine=SP dge=hw\n", "SP", dma)),
            "f:11:1: DMA gather: queue q has dge=hw; rows by number need software descriptors: a .queue with "
            "engine=POOL dge=sw");
  EXPECT_EQ(error(gather(kSoftware, "POOL", "DMA scatter h[0:16 | 0 | (1,32)], a, q=q\n")),
            "f:11:1: DMA scatter: takes the row numbers as second source");
  EXPECT_EQ(error(gather(kSoftware, "POOL", "DMA gather a, h[0:16 | 0 | (1,32)], n[0:1 | 0 | (1,8)], q=q\n")),
            "f:11:1: DMA gather: 8 row numbers for 16 rows into 16; one number a row");
}

// The same from a trace, which has no lines.
TEST(DmaRules, HoldForTracesToo) {
  Program p = assemble(gather(kSoftware, "POOL", "DMA gather a, h[0:16 | 0 | (1,32)], i, q=q\n"), "f");
  p.cores[0].streams[index_of(Engine::kGpSimd)][0].instruction.source_count = 1;
  try {
    run_program(p, machine("trn2"));
    FAIL();
  } catch (const ProgramError& e) {
    EXPECT_STREQ(e.what(), "k: core 0 POOL DMA: gather: takes the row numbers as second source");
  }
}

TEST(DmaRules, FormsAreCheckedWithTheirLine) {
  const auto told = [](const std::string& dma) { return error(gather(kSoftware, "POOL", dma)); };
  EXPECT_EQ(told("DMA copy a, h[0:16 | 0 | (1,32)], i, q=q\n"), "f:11:1: DMA copy: takes one source");
  EXPECT_EQ(told("DMA duplicate a, h[0:16 | 0 | (1,32)], q=q\n"),
            "f:11:1: DMA duplicate: takes the second destination as its last operand");
  EXPECT_EQ(told("DMA duplicate a, h[0:16 | 0 | (1,32)], n, q=q\n"),
            "f:11:1: DMA duplicate: writes the same bytes twice: destinations of bf16 and int32");
  EXPECT_EQ(told("DMA duplicate a, h[0:16 | 0 | (1,32)], h[20:16 | 0 | (1,16)], q=q\n"),
            "f:11:1: DMA duplicate: destinations of 512 and 256 elements");
  EXPECT_EQ(told("DMA transpose a, h[0:16 | 0 | (1,32)], q=q\n"),
            "f:11:1: DMA transpose: transposes 32 columns into 16 rows; they must be as many");
  EXPECT_EQ(told("DMA copy p, h[0:16 | 0 | (1,32)], q=q\n"), "k: core 0 POOL DMA: DMA does not reach PSUM");
}

TEST(DmaRules, PrioritiesAreRefusedWhereThereAreNone) {
  const std::string tensors =
      ".tensor h space=hbm dtype=bf16 shape=[16,32]\n.tensor a space=sbuf dtype=bf16 shape=[16,32]\n"
      ".queue q engine=SP dge=static priority=1\n";
  EXPECT_EQ(error(text("trn2", tensors, "SP", "DMA copy a, h, q=q\n")),
            "k: q: priority=1; trn2 serves its queues in turn, without classes: leave priority= out");
  EXPECT_EQ(error(text("trn3", tensors, "SP", "DMA copy a, h, q=q\n"), "trn3"), "accepted");
}

TEST(DmaRules, AStackMustExist) {
  const auto told = [](const std::string& machine_name, const std::string& stack) {
    return error(text(machine_name,
                      ".tensor h space=hbm dtype=bf16 shape=[16,32] stack=" + stack +
                          "\n.tensor a space=sbuf dtype=bf16 shape=[16,32]\n.queue q engine=SP dge=static\n",
                      "SP", "DMA copy a, h, q=q\n"),
                 machine_name);
  };
  EXPECT_EQ(told("trn2", "3"), "accepted");
  EXPECT_EQ(told("trn2", "4"), "k: h: stack=4; a chip of trn2 has 4, counted from the rank's own: 0 to 3");
  EXPECT_EQ(told("trn1", "1"), "accepted");
  EXPECT_NE(error(".target trn2\n.tensor a space=sbuf dtype=bf16 shape=[16,32] stack=1\n")
                .find("stack= is for tensors in HBM"),
            std::string::npos);
}

// The disassembler and traces keep stacks and the second destination.
TEST(DmaForms, RoundTrip) {
  const Program p = assemble(
      text("trn2",
           ".tensor h space=hbm dtype=bf16 shape=[16,32] stack=2\n.tensor g space=hbm dtype=bf16 "
           "shape=[64,32]\n.tensor a space=sbuf dtype=bf16 shape=[16,32]\n.queue q engine=SP dge=static\n",
           "SP", ".for i in 0..3\nDMA duplicate h, a, g[16*i:16 | 0 | (1,32)], q=q\n.endfor\n"),
      "f");
  EXPECT_EQ(p.tensors[0].stack, 2u);
  EXPECT_EQ(assemble(disassemble(p), "f"), p);
  EXPECT_EQ(read_trace(write_trace(p), "t"), p);
}

// Runs on data: HBM tensors 0 (h), 1 (rows) as given, 2 (out) full of ones.
struct Outcome {
  Matrix out, two;
  std::vector<std::string> hazards;
};
Outcome run_data(const std::string& body, std::vector<double> rows) {
  const std::string tensors =
      ".tensor h space=hbm dtype=fp32 shape=[4,2]\n.tensor rows space=hbm dtype=int32 shape=[1,2]\n"
      ".tensor out space=hbm dtype=fp32 shape=[4,2]\n.tensor two space=hbm dtype=fp32 shape=[2,2]\n"
      ".tensor a space=sbuf dtype=fp32 shape=[2,2]\n.tensor b space=sbuf dtype=fp32 shape=[2,2]\n" +
      kSoftware;
  const Program p = assemble(text("trn2", tensors, "POOL", body), "f");
  DataExecution execution(p, machine("trn2"));
  HazardChecker hazards(p);
  Observers both({&execution, &hazards});
  Matrix h(4, 2), n(1, 2), ones(4, 2);
  h.at = {0, 10, 1, 11, 2, 12, 3, 13};
  n.at = std::move(rows);
  ones.at.assign(8, 1);
  write_matrix(execution.memory(), 0, h);
  write_matrix(execution.memory(), 1, n);
  write_matrix(execution.memory(), 2, ones);
  run_program(p, machine("trn2"), &both);
  execution.finish();
  return {read_matrix(execution.memory(), 2), read_matrix(execution.memory(), 3), hazards.hazards()};
}

// Rows 3 and 0 of h, [3 13] and [0 10], into a, copied to b and two at once, and put into rows 2 and 1 of
// out.
TEST(DmaForms, MoveRowsByNumberAndTwoCopies) {
  const Outcome o = run_data(
      "DMA gather a, h[0:2 | 0 | (1,2)], rows, q=q ! s+=16\n"
      "DMA duplicate b, a, two, q=q ? s>=16 ! s+=16\n"
      "DMA accumulate out[0:2 | 0 | (1,2)], b, q=q ? s>=32 ! s+=16\nWAIT s>=48\n",
      {3, 0});
  EXPECT_EQ(o.two.at, (std::vector<double>{3, 13, 0, 10}));
  EXPECT_EQ(o.out.at, (std::vector<double>{4, 14, 1, 11, 1, 1, 1, 1}));
  EXPECT_TRUE(o.hazards.empty()) << o.hazards[0];
  const Outcome scattered = run_data(
      "DMA copy a, h[0:2 | 0 | (1,2)], q=q ! s+=16\n"
      "DMA scatter out[0:2 | 0 | (1,2)], a, rows, q=q ? s>=16\n",
      {2, 1});
  EXPECT_EQ(scattered.out.at, (std::vector<double>{1, 1, 1, 11, 0, 10, 1, 1}));
}

TEST(DmaForms, TheSecondCopyMustBeWaitedForToo) {
  const Outcome o = run_data(
      "DMA duplicate a, h[0:2 | 0 | (1,2)], b, q=q ! s+=16\nDMA copy two, b, q=q\nWAIT s>=16\n", {0, 0});
  ASSERT_FALSE(o.hazards.empty());
  EXPECT_NE(o.hazards[0].find("reads b without waiting"), std::string::npos) << o.hazards[0];
}

TEST(DmaForms, ARowNumberOutsideTheTensorIsTheProgramsError) {
  try {
    run_data("DMA gather a, h[0:2 | 0 | (1,2)], rows, q=q\n", {3, 4});
    FAIL();
  } catch (const ProgramError& e) {
    EXPECT_STREQ(e.what(), "DMA in region main: row number 4 of h, which has 4 rows");
  }
}

constexpr const char* kLoad128 = "[0:128 | 0 | (1,8192)]";

// A static load of 128 rows of 16 KiB of the stack given: trigger to first byte 1000 ns, 8 rows an engine
// 44 + 131072 / 23 = 5742.783 ns.
RunResult load_from(std::uint32_t stack, const std::vector<std::string>& sets, bool store = false) {
  const std::string tensors =
      ".tensor h space=hbm dtype=bf16 shape=[128,8192] stack=" + std::to_string(stack) +
      "\n.tensor a space=sbuf dtype=bf16 shape=[128,8192]\n"
      ".queue q engine=SP dge=static\n";
  const std::string h = std::string("h") + kLoad128, a = std::string("a") + kLoad128;
  return run(text("trn2", tensors, "SP", "DMA copy " + (store ? h + ", " + a : a + ", " + h) + ", q=q\n"),
             machine("trn2", sets));
}

// Flows end on the next picosecond.
void expect_time(const RunResult& r, double ps) { EXPECT_NEAR(static_cast<double>(r.time.count()), ps, 1.0); }

TEST(RemoteStack, IsAsFastAsTheOwnOneWhereNothingBinds) {
  for (const std::uint32_t stack : {0u, 1u, 2u}) {
    const RunResult r = load_from(stack, {});
    expect_time(r, 1e6 + 5'742'783);
    EXPECT_EQ(r.hbm_read, Bytes(2'097'152));
  }
}

// A path between the dies of 100 GB/s takes 2 MiB / 100 B/ns = 20,971.52 ns. Stacks 0 and 1 are on one die, 2
// and 3 on the other. What is written goes the same way in the other direction.
TEST(RemoteStack, OfTheOtherDieIsBehindThePathBetweenThem) {
  const std::vector<std::string> narrow = {"die_to_die.mb_per_s=100000"};
  expect_time(load_from(1, narrow), 1e6 + 5'742'783);
  expect_time(load_from(2, narrow), 1e6 + 20'971'520);
  expect_time(load_from(3, narrow), 1e6 + 20'971'520);
  expect_time(load_from(2, narrow, true), 1e6 + 20'971'520);
}

// A stack of 100 GB/s that loses nothing to rows and turning.
MachineConfig lossless_stack() {
  MachineConfig m = machine("trn2", {"hbm.stack_mb_per_s=100000"});
  m.hbm.efficiency.rows = {{64, 1, 1, 1}};
  return m;
}

// Both stacks give 100 GB/s. A load from each, on two queues: on one stack they share it, 4 MiB in 41.94 us;
// on two, each has its own. (Engines: 2 x 5.74 us.)
TEST(RemoteStack, HasBandwidthOfItsOwn) {
  const auto two_loads = [](const std::string& stack) {
    const std::string tensors =
        ".tensor h space=hbm dtype=bf16 shape=[128,8192]\n.tensor r space=hbm "
        "dtype=bf16 shape=[128,8192] stack=" +
        stack +
        "\n.tensor a space=sbuf dtype=bf16 shape=[128,8192]\n.tensor b space=sbuf "
        "dtype=bf16 shape=[128,8192]\n.queue q engine=SP dge=static\n.queue t "
        "engine=ACT dge=static\n";
    return run(text("trn2", tensors, "SP", "DMA copy a, h, q=q\n.end\n.engine ACT\nDMA copy b, r, q=t\n"),
               lossless_stack());
  };
  expect_time(two_loads("0"), 1e6 + 2 * 20'971'520.0);
  expect_time(two_loads("1"), 1e6 + 20'971'520);
}

// Every rank of a chip reads the stack after its own while the others do: one rank that stands for all
// against all of them. 100 GB/s a stack; each stack serves its rank's own load and a neighbour's.
TEST(RemoteStack, OneRankForAllEqualsEveryRank) {
  for (const char* stack : {"1", "2", "3"}) {
    const std::string tensors =
        ".tensor h space=hbm dtype=bf16 shape=[128,8192]\n.tensor r space=hbm dtype=bf16 shape=[128,8192] "
        "stack=" +
        std::string(stack) +
        "\n.tensor a space=sbuf dtype=bf16 shape=[128,8192]\n.tensor b space=sbuf dtype=bf16 "
        "shape=[128,8192]\n.queue q engine=SP dge=static\n.queue t engine=ACT dge=static\n";
    const std::string loads = ".engine SP\nDMA copy a, h, q=q\n.end\n.engine ACT\nDMA copy b, r, q=t\n.end\n";
    const Job job =
        uniform_job(assemble(".target trn2\n.kernel k\n" + tensors + loads + ".core\n", "f"), {{"tp", 4}});
    const MachineConfig m = lossless_stack();
    const RunResult folded = run_folded(job, m);
    expect_time(folded, 1e6 + 2 * 20'971'520.0);
    EXPECT_NEAR(static_cast<double>(run_every_rank(job, m).time.count()),
                static_cast<double>(folded.time.count()), 2.0);
  }
}

// LNC=1: eight ranks on four stacks of 100 GB/s. Two loads of 2 MiB share each: 4 MiB in 41.94 us. A rank
// alone has the stack to itself.
TEST(SharedStack, TwoRanksOfAStackShareIt) {
  const std::string tensors =
      ".tensor h space=hbm dtype=bf16 shape=[128,8192]\n.tensor a space=sbuf dtype=bf16 shape=[128,8192]\n"
      ".queue q engine=SP dge=static\n";
  const Program program = assemble(text("trn2", tensors, "SP", "DMA copy a, h, q=q\n"), "f");
  const MachineConfig m = lossless_stack();
  const Job job = uniform_job(program, {{"tp", 8}});
  expect_time(run_folded(job, m), 1e6 + 2 * 20'971'520.0);
  EXPECT_NEAR(static_cast<double>(run_every_rank(job, m).time.count()), 1e6 + 2 * 20'971'520.0, 2.0);
  expect_time(run_program(program, m), 1e6 + 20'971'520);
}

// All four ranks of a chip read two stacks further, on the other die: two share a path of 100 GB/s into
// their die, 4 MiB in 41.94 us.
TEST(RemoteStack, RanksShareThePathIntoTheirDie) {
  const std::string tensors =
      ".tensor r space=hbm dtype=bf16 shape=[128,8192] stack=2\n.tensor b space=sbuf dtype=bf16 "
      "shape=[128,8192]\n.queue q engine=SP dge=static\n";
  const Job job = uniform_job(
      assemble(".target trn2\n.kernel k\n" + tensors + ".engine SP\nDMA copy b, r, q=q\n.end\n.core\n", "f"),
      {{"tp", 4}});
  const MachineConfig m = machine("trn2", {"die_to_die.mb_per_s=100000"});
  expect_time(run_folded(job, m), 1e6 + 2 * 20'971'520.0);
  EXPECT_NEAR(static_cast<double>(run_every_rank(job, m).time.count()), 1e6 + 2 * 20'971'520.0, 2.0);
}

// Two loads of 2 MiB each alone take 44 + 131072 / 33 = 4015.879 ns of every engine (trn3: 33 B/ns). Class 0
// has all of them first, class 1 comes after; in one class both end at the end.
TEST(DmaPriority, TheFirstClassGoesFirst) {
  const auto ends = [](const std::string& priority) {
    const std::string tensors =
        ".tensor h space=hbm dtype=bf16 shape=[128,8192]\n.tensor a space=sbuf "
        "dtype=bf16 shape=[128,8192]\n.tensor b space=sbuf dtype=bf16 "
        "shape=[128,4096] addr=16384\n.queue q engine=SP dge=static priority=0\n"
        ".queue t engine=ACT dge=static priority=" +
        priority + "\n";
    return to_us(run(text("trn3", tensors, "SP",
                          "DMA copy a, h, q=q ! s+=16\nWAIT s>=16\nDMA copy a, h, q=q\n.end\n"
                          ".engine ACT\nDMA copy a, h, q=t\n"),
                     machine("trn3"))
                     .time);
  };
  // One class: the two share the engines to 1000 + 2 x 4015.879 ns, then trigger (next edge), 1000, and the
  // third alone. First class: the first ends at 5015.879, is seen 300 later, the third starts 1000 + the
  // trigger after that and takes the rest of its time after the second has moved 1.3 us of its own.
  const double shared = 1.0 + 2 * 4.015879 + 0.3 + 1.0 + 4.015879;
  const double first = 1.0 + 4.015879 + 0.3 + 1.0 + 2 * 4.015879 - 1.3;
  EXPECT_NEAR(ends("0"), shared, 0.03);
  EXPECT_NEAR(ends("3"), first, 0.03);
}

// A ring of two: the third transfer is triggered when the first has ended (1000 + 5742.783 ns) and that is
// seen 300 ns later, at the 1200 MHz edge 8452 = 7043.333 ns. Then two triggers: 75 ns each, on edges.
TEST(DmaRing, AFullRingBlocksTheTrigger) {
  const std::string tensors =
      ".tensor h space=hbm dtype=bf16 shape=[128,8192]\n.tensor a space=sbuf "
      "dtype=bf16 shape=[128,8192]\n.queue q engine=SP dge=static\n";
  const std::string three = "DMA copy a, h, q=q\nDMA copy a, h, q=q\nDMA copy a, h, q=q\n";
  const RunResult r =
      run(text("trn2", tensors, "SP", three), machine("trn2", {"neuron_core.dma.queue_depth=2"}));
  const EngineStats& sync = r.engine(0, Engine::kSync).stats;
  // Ready after two triggers of 75 ns = 90 cycles each: 150 ns.
  EXPECT_EQ(sync.semaphore_wait, Picoseconds(7'043'333 - 150'000));
  EXPECT_EQ(
      run(text("trn2", tensors, "SP", three), machine("trn2")).engine(0, Engine::kSync).stats.semaphore_wait,
      Picoseconds(0));
}

// 40 instructions of 64 B, blocks of 1 KiB: 16 a block, blocks 0, 1 and 2 are entered, each asks for the one
// after it: 3 KiB. In a loop or not.
TEST(InstructionFetch, EntersBlocks) {
  const std::vector<std::string> blocks = {"neuron_core.sequencer.fetch_block_bytes=1024"};
  const std::string loop = text("trn2", "", "SP", ".for i in 0..20\nNOP\nNOP\n.endfor\n");
  const RunResult fetched = run(loop, machine("trn2", blocks));
  EXPECT_EQ(fetched.fetched, Bytes(3072));
  EXPECT_EQ(fetched.transfers, 0u);
  EXPECT_EQ(fetched.dma_bytes + fetched.hbm_read, Bytes(0));
  const RunResult without = run(loop, machine("trn2"));
  EXPECT_EQ(without.fetched, Bytes(0));
  EXPECT_EQ(fetched.time, without.time);
}

// Blocks of 64 KiB (1024 instructions of 16 cycles of 1200 MHz): while a load of 5742.783 ns moves from 1000
// ns on, a block, asked for at 0, does too: 16 descriptors of 4 KiB, one an engine: 5.5 + 4096 / 23 = 183.587
// ns, of which the load loses all.
TEST(InstructionFetch, TakesItsPartOfTheEngines) {
  const std::string tensors =
      ".tensor h space=hbm dtype=bf16 shape=[128,8192]\n.tensor a space=sbuf "
      "dtype=bf16 shape=[128,8192]\n.queue q engine=SP dge=static\n";
  const std::string body = text("trn2", tensors, "SP", "DMA copy a, h, q=q\n");
  expect_time(run(body, machine("trn2", {"neuron_core.sequencer.fetch_block_bytes=65536"})),
              1e6 + 5'742'783 + 183'587);
  expect_time(run(body, machine("trn2")), 1e6 + 5'742'783);
}

// Every rank fetches on its own engines and stack, in one rank that stands for all as in each of four.
TEST(InstructionFetch, OneRankForAllEqualsEveryRank) {
  const MachineConfig m = machine("trn2", {"neuron_core.sequencer.fetch_block_bytes=65536"});
  const std::string tensors =
      ".tensor h space=hbm dtype=bf16 shape=[128,8192]\n.tensor a space=sbuf "
      "dtype=bf16 shape=[128,8192]\n.queue q engine=SP dge=static\n";
  const Job job = uniform_job(assemble(text("trn2", tensors, "SP", "DMA copy a, h, q=q\n") + ".core\n", "f"),
                              {{"tp", 4}});
  const RunResult folded = run_folded(job, m);
  expect_time(folded, 1e6 + 5'742'783 + 183'587);
  EXPECT_EQ(run_every_rank(job, m).time, folded.time);
}

// 96 GiB inside HBM: every byte is read and written in runs of 64 KiB, 2 x 103,079,215,104 B at 50 GB/s take
// 4.123 s of the bus, and more for rows and turning.
TEST(DmaBytes, ALongTransferDoesNotOverflow) {
  const std::string tensors =
      ".tensor a space=hbm dtype=fp32 shape=[25165824,1024]\n.tensor b space=hbm dtype=fp32 "
      "shape=[25165824,1024]\n.queue q engine=SP dge=hw\n";
  const MachineConfig m = machine("trn2", {"hbm.stack_mb_per_s=50000"});
  const RunResult r = run(text("trn2", tensors, "SP", "DMA copy b, a, q=q\n"), m);
  EXPECT_EQ(r.dma_bytes, Bytes(std::uint64_t{96} << 30));
  EXPECT_EQ(r.hbm_read, r.dma_bytes);
  EXPECT_NEAR(to_us(r.time) * 1e-6, 4.123168604 * m.hbm.efficiency.cost(65536).mixed(), 2e-6);
}

}  // namespace
}  // namespace trn
