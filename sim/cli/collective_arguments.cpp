#include "sim/cli/collective_arguments.h"

#include "base/text.h"
#include "models/interconnect/collectives/algorithms/algorithm.h"

namespace trn {

void CollectiveArguments::add_to(CLI::App& command) {
  CollectiveQuestion& q = question;
  command.add_option("op", q.op, join({kCollectiveOps.begin(), kCollectiveOps.end()}))->required();
  machine.add_to(command, "trn2:instance");
  command.add_option("--ranks-per-chip", q.ranks_per_chip, "ranks a chip")->capture_default_str();
  command.add_option("--domains", q.domains, "copies of the shape, joined by EFA")->capture_default_str();
  command
      .add_option("--group", q.groups,
                  "ranks of the group, e.g. 0-7,16-31:4 (rank = chip x ranks a chip + place); repeatable: "
                  "other groups do the same at the same time")
      ->allow_extra_args(false);
  command.add_option("--sizes", q.sizes, "SIZE or FROM:TO:xFACTOR")->capture_default_str();
  command.add_option(
      "--block-sizes", q.block_sizes,
      "bytes of every rank's block, separated by commas; all_to_all: of every pair, by sender");
  command.add_option("--dtype", q.dtype, "element type: of the count column, and where blocks are cut")
      ->capture_default_str();
  command
      .add_option("--algorithm", q.algorithm,
                  "auto, all, " + join(staged_algorithm_names()) +
                      ", A+B between domains, or msccl:FILE.xml, steps as MSCCL writes them (gpu = rank of "
                      "the group)")
      ->capture_default_str();
  command.add_option("--root", q.root, "of broadcast, reduce, gather, scatter; the sender of send_receive")
      ->capture_default_str();
  command.add_option("--shift", q.shift, "permute: rank r sends to r + shift")->capture_default_str();
  command.add_option("--pairs", q.pairs, "permute: FROM-TO,FROM-TO,... instead of a shift");
  command.add_option("--delay", q.delays, "RANK=MICROSECONDS: that rank starts late; repeatable")
      ->allow_extra_args(false);
  command.add_option("--beside", q.beside, "OPERATION:SIZE on all ranks at the same time; repeatable")
      ->allow_extra_args(false);
  command.add_option("--priority", q.priority, "class of the collective's DMA, 0 first (Trn3)")
      ->capture_default_str();
  command
      .add_option("--background-dma", q.background_gb_per_s,
                  "GB/s a chip that compute DMA would read meanwhile")
      ->check(CLI::Range(0.0, 1e6))
      ->capture_default_str();
  command.add_option("--background-priority", q.background_priority, "its class")->capture_default_str();
  command
      .add_option(
          "--straggler", q.straggler_us,
          "microseconds by which ranks are late on average, drawn exponentially: adds what the last of n "
          "is expected to be late")
      ->check(CLI::Range(0.0, 1e6))
      ->capture_default_str();
  command
      .add_option("--detail", q.detail,
                  "auto: one chip stands for all where that is exact; full: every chip's flows")
      ->check(CLI::IsMember({"auto", "full"}))
      ->capture_default_str();
  recording.add_to(command);
  command.add_flag("--json", json, "print JSON, with the columns and units of nccom-test (its GB are GiB)");
  command.add_option("-o,--output", output, "folder for result.json and --tables");
}

}  // namespace trn
