// Run-time control flow: registers, loops, branches, dynamic operands, cleared semaphores, and the two cores
// of a pair that meet and send to each other. (Random programs of them: core_oracle_test.cpp.)
#include <gtest/gtest.h>

#include "base/error.h"
#include "isa/assembler/assembler.h"
#include "models/core/engine/sequencer.h"
#include "sim/functional/data_run.h"
#include "sim/functional/functional_run.h"
#include "sim/functional/hazard_checker.h"
#include "sim/functional/hbm_data.h"
#include "sim/functional/observers.h"
#include "sim/run/simulation.h"

namespace trn {
namespace {

MachineConfig trn2() { return parse_machine(load_machine_document("trn2"), "chip"); }

constexpr const char* kDeclarations =
    ".target trn2\n.kernel k\n"
    ".tensor h space=hbm dtype=fp32 shape=[128,64]\n.tensor hn space=hbm dtype=int32 shape=[1,4]\n"
    ".tensor a space=sbuf dtype=fp32 shape=[128,64]\n.tensor b space=sbuf dtype=fp32 shape=[128,64]\n"
    ".tensor n space=sbuf dtype=int32 shape=[1,4]\n"
    ".queue q engine=SP dge=hw\n.queue qa engine=ACT dge=hw\n.sem s, t, u, v\n";

Program program(const std::string& body) { return assemble(kDeclarations + body, "k"); }

// What stands in h after the run; hn starts as (3, 100, 0, 0).
struct Outcome {
  Matrix h;
  std::vector<std::string> hazards;
};
Outcome run_data(const Program& p) {
  const MachineConfig machine = trn2();
  DataExecution execution(p, machine);
  HazardChecker hazards(p);
  Observers both({&execution, &hazards});
  Matrix n = read_matrix(execution.memory(), 1);
  n.at = {3, 100, 0, 0};
  write_matrix(execution.memory(), 1, n);
  run_program(p, machine, &both);
  execution.finish();
  return {read_matrix(execution.memory(), 0), hazards.hazards()};
}

std::string error_of(const std::function<void()>& run) {
  try {
    run();
  } catch (const ProgramError& error) {
    return error.what();
  }
  return "";
}

bool mentions(const std::vector<std::string>& lines, const std::string& what) {
  for (const std::string& line : lines)
    if (line.find(what) != std::string::npos) return true;
  return false;
}

// LOOP, then four times NOP and ENDL: 9 slots of 16 cycles at 1200 MHz.
TEST(ControlFlow, AHardwareLoopCostsItsSlots) {
  const RunResult r = run_program(program(".engine SP\nLOOP r0, 0, 4\nNOP\nENDL\n.end\n"), trn2());
  EXPECT_EQ(r.instructions, 9u);
  EXPECT_EQ(r.time, Picoseconds(120'000));
}

TEST(ControlFlow, ALoopMayRunNoTimes) {
  EXPECT_EQ(run_program(program(".engine SP\nLOOP r0, 4, 4\nNOP\nENDL\n.end\n"), trn2()).instructions, 1u);
}

// A taken branch: 16 cycles and the prefetch's 140; the NOP it jumps to 16 more. 172 / 1200 MHz.
TEST(ControlFlow, ATakenBranchRestartsThePrefetch) {
  const RunResult r = run_program(program(".engine SP\nBR over\nNOP\nover:\nNOP\n.end\n"), trn2());
  EXPECT_EQ(r.instructions, 2u);
  EXPECT_EQ(r.time, Picoseconds(143'333));
}

// Three iterations of a static loop, each with a run-time loop over two: 3 * (1 + 2 * 2) instructions.
TEST(ControlFlow, StaticLoopsHoldRunTimeLoops) {
  const Program p = program(".engine SP\n.for i in 0..3\nLOOP r0, 0, 2\nNOP\nENDL\n.endfor\n.end\n");
  EXPECT_EQ(p.cores[0].streams[index_of(Engine::kSync)].size(), 1u);
  EXPECT_EQ(run_program(p, trn2()).instructions, 15u);
}

// A slow fetch binds: 64 B at 640 MB/s are 100 ns an instruction.
TEST(ControlFlow, TheFetchOfInstructionsBinds) {
  ConfigDocument document = load_machine_document("trn2");
  document.set("neuron_core.sequencer.fetch_mb_per_s=640");
  const Program p = program(".engine SP\nNOP\nNOP\nNOP\n.end\n");
  // The third issues after two fetches and takes 16 cycles.
  EXPECT_EQ(run_program(p, parse_machine(document, "chip")).time, Picoseconds(213'333));
}

constexpr const char* kAddAsOftenAsHnSays =
    ".engine SP\n  DMA copy n, hn, q=q ! s+=16\n  DMA copy h, a, q=q ? t>=1 ! u+=16\n.end\n"
    ".engine DVE\n  FILL a, imm0=0 ! v+=1\n  LDR r1, n[0:1|0] ? s>=16\n"
    "  LOOP r2, 0, r1\n    TS a, a, op0=add, imm0=1 ? v>=1@r2 ! v+=1\n  ENDL\n"
    "  WAIT v>=1@r2 ! t+=1\n.end\n";

TEST(ControlFlow, DataDecidesHowOftenALoopRuns) {
  const Outcome outcome = run_data(program(kAddAsOftenAsHnSays));
  EXPECT_EQ(outcome.h(0, 0), 3);
  EXPECT_EQ(outcome.h(127, 63), 3);
  EXPECT_TRUE(outcome.hazards.empty()) << outcome.hazards[0];
}

TEST(ControlFlow, WithoutDataSuchALoopIsRefused) {
  const std::string error = error_of([] { run_program(program(kAddAsOftenAsHnSays), trn2()); });
  EXPECT_EQ(error.find("k: core 0 DVE LOOP in region main: depends on a register whose value is not known"),
            0u)
      << error;
}

// Columns 3 and 4 of a row are written through a register that holds 3.
TEST(ControlFlow, ARegisterMovesAnOperand) {
  const Outcome outcome =
      run_data(program(".engine DVE\n  FILL a, imm0=0 ! v+=1\n  MOVR r1, 1\n  ALUR r1, r1, 2, op0=add\n"
                       "  FILL a[0:128 | 0 @r1 | (1,2)], imm0=5 ? v>=1 ! t+=1\n.end\n"
                       ".engine SP\n  DMA copy h, a, q=q ? t>=1 ! u+=16\n.end\n"));
  EXPECT_EQ(outcome.h(9, 2), 0);
  EXPECT_EQ(outcome.h(9, 3), 5);
  EXPECT_EQ(outcome.h(9, 4), 5);
  EXPECT_EQ(outcome.h(9, 5), 0);
}

TEST(ControlFlow, AnAddressOutsideItsTensorIsToldWithItsPlace) {
  const std::string error = error_of([] {
    run_program(program(".engine DVE\nMOVR r1, 63\nFILL a[0:128 | 0@r1 | (1,2)], imm0=5\n.end\n"), trn2());
  });
  EXPECT_EQ(error,
            "k: core 0 DVE FILL in region main: the pattern on a reaches element 64; it has 64 a partition");
}

TEST(ControlFlow, AnEndlessLoopEnds) {
  const std::string error =
      error_of([] { run_program(program(".engine SP\nagain:\nNOP\nBR again\n.end\n"), trn2()); });
  EXPECT_NE(error.find("does its loop end?"), std::string::npos) << error;
}

TEST(ControlFlow, MistakesInTheTextAreTold) {
  const auto error = [](const std::string& body) { return error_of([&] { program(body); }); };
  EXPECT_NE(error(".engine SP\nBR nowhere\n.end\n").find("no label nowhere in this block"),
            std::string::npos);
  EXPECT_NE(error(".engine SP\nENDL\n.end\n").find("no LOOP in this block"), std::string::npos);
  EXPECT_NE(error(".engine SP\nLOOP r0, 0, 4\n.end\n").find("has no ENDL"), std::string::npos);
  EXPECT_NE(error(".engine SP\nMOVR r64, 1\n.end\n").find("r0 to r63"), std::string::npos);
  EXPECT_NE(error(".const r1=2\n").find("is a register"), std::string::npos);
  EXPECT_NE(error_of([] {
              run_program(program(".engine SP\nALUR r0, 1, 2, op0=power\n.end\n"), trn2());
            }).find("does not work on registers"),
            std::string::npos);
}

// 7 % 0, and 7 - (-1) = 8 at the wrap of 32 bits.
TEST(Sequencer, ArithmeticIsThatOf32BitIntegers) {
  EXPECT_EQ(register_alu(AluOp::kMod, 7, 0), std::nullopt);
  EXPECT_EQ(register_alu(AluOp::kAdd, 0x7fffffff, 1), std::numeric_limits<std::int32_t>::min());
  EXPECT_EQ(register_alu(AluOp::kDivide, std::numeric_limits<std::int32_t>::min(), -1),
            std::numeric_limits<std::int32_t>::min());
  EXPECT_EQ(register_alu(AluOp::kShiftRight, -1, 28), 15);
  EXPECT_EQ(register_alu(AluOp::kIsLessEqual, 3, 3), 1);
}

// The vector engine counts to 16 twice with one semaphore.
constexpr const char* kCountTwice =
    ".engine DVE\n  WAIT s>=16\n  SEMCLR s\n  POST t+=1\n  WAIT s>=16\n.end\n"
    ".engine SP\n  DMA copy a, h, q=q ! s+=16\n  DMA copy b, h, q=q ? t>=1 ! s+=16\n.end\n";

TEST(ControlFlow, AClearedSemaphoreCountsAgain) {
  const Outcome outcome = run_data(program(kCountTwice));
  EXPECT_TRUE(outcome.hazards.empty()) << outcome.hazards[0];
}

TEST(ControlFlow, AClearThatAPostMayOvertakeIsAHazard) {
  std::string text = kCountTwice;
  text.replace(text.find("WAIT s>=16"), 10, "NOP");
  text.replace(text.rfind("WAIT s>=16"), 10, "NOP");
  const Outcome outcome = run_data(program(text));
  EXPECT_TRUE(mentions(outcome.hazards, "clears s, which may still be posted by core 0 SP DMA"));
}

constexpr const char* kSendToTheSibling =
    ".engine DVE\n  FILL a, imm0=7 ! s+=1\n.end\n"
    ".engine SP\n  DMA send b, a, q=q ? s>=1 ! u+=16@sibling\n  BARRIER t>=1\n.end\n"
    ".core\n.engine SP\n  DMA copy h, b, q=q ? u>=16 ! s+=16\n  BARRIER t>=1\n.end\n";

TEST(ControlFlow, ACoreSendsToItsSibling) {
  const Outcome outcome = run_data(program(kSendToTheSibling));
  EXPECT_EQ(outcome.h(127, 63), 7);
  EXPECT_TRUE(outcome.hazards.empty()) << outcome.hazards[0];
}

TEST(ControlFlow, WhatWasSentMustBeWaitedFor) {
  std::string text = kSendToTheSibling;
  text.replace(text.find("? u>=16"), 7, "");
  EXPECT_TRUE(mentions(run_data(program(text)).hazards, "overwrites b without waiting"));
}

// Two slots of 16 cycles a core, the remote write and the local wait; the write is seen a sibling hop of 100
// ns (120 cycles) after its slot: edge 16 + 120, and 16 more. 152 / 1200 MHz.
TEST(ControlFlow, ABarrierCostsASiblingHop) {
  const RunResult r =
      run_program(program(".engine SP\nBARRIER t>=1\n.end\n.core\n.engine SP\nBARRIER t>=1\n.end\n"), trn2());
  EXPECT_EQ(r.instructions, 4u);
  EXPECT_EQ(r.time, Picoseconds(126'666));
}

}  // namespace
}  // namespace trn
