// Every key of the fabric and of the collectives has a case in which it changes an answer.
#include <gtest/gtest.h>

#include <fstream>

#include "sim/run/collective_simulation.h"
#include "tests/support/collective_scene.h"
#include "tests/support/shapes.h"

namespace trn {
namespace {

constexpr std::uint64_t kMiB = 1 << 20;

struct Case {
  const char* key;
  std::string from, to;  // --set of a machine, or whole shapes
  const char* machine = "trn2:instance";
  CollectiveOp op = CollectiveOp::kAllReduce;
  const char* algorithm = "auto";
  std::uint64_t bytes = 16 * kMiB;
  std::uint32_t lanes = 1, domains = 1;
  double background = 0;  // bytes a second
};

CollectiveResult result_of(const Case& c, const MachineConfig& machine) {
  CollectiveJob job;
  job.group = Group::whole(static_cast<std::uint32_t>(machine.fabric.chips()), c.lanes, c.domains);
  job.task.op = c.op;
  job.task.bytes = c.bytes;
  job.task.shift = 5;
  job.algorithm = c.algorithm;
  CollectiveOptions options;
  options.background_rate = c.background;
  return run_collective(job, machine, options);
}

// A machine's file with its first key of this name, up to the end of the line, as given: lists of names have
// no figures that --set could reach.
MachineConfig edited(const std::string& name, const std::string& line) {
  const MachineName parsed = parse_machine_name(name);
  std::ifstream file("configs/" + parsed.config + ".json");
  std::string text((std::istreambuf_iterator<char>(file)), {});
  const std::size_t at = text.find(line.substr(0, line.find(':') + 1));
  text.replace(at, text.find('\n', at) - at, line);
  return parse_machine(parse_machine_document(text, "$"), parsed.shape);
}

CollectiveResult with(const Case& c, const std::string& value) {
  if (value.empty()) return result_of(c, machine_named(c.machine));
  if (value.substr(0, 5) == "file ") return result_of(c, edited(c.machine, value.substr(5)));
  if (value.front() != '{') return result_of(c, machine_named(c.machine, {value}));
  MachineConfig machine = machine_named(c.machine);
  machine.fabric = shape_of(value);
  return result_of(c, machine);
}

using Op = CollectiveOp;
const std::string kTorus = R"("kind": "torus", "link_mb_per_s": [128000, 64000], )";
const std::string kSwitched =
    R"({"kind": "switched", "racks": 2, "tray_mb_per_s": 200000, "rack_mb_per_s": 300000,
  "cross_rack_mb_per_s": 100000, "hop_latency_ns": 100, )";
const std::string kTree = R"({"kind": "fat_tree", "leaves": 2, "chips_per_leaf": 2, )";

const std::vector<Case>& cases() {
  static const std::vector<Case> kCases{
      {"dims", "", "shapes.instance.dims=[4,6]"},
      {"link_mb_per_s", "", "shapes.instance.link_mb_per_s=[128000,64000]"},
      {"hop_latency_ns", "", "shapes.instance.hop_latency_ns=400"},
      {"closed", "{" + kTorus + R"("dims": [4, 4], "hop_latency_ns": 200})",
       "{" + kTorus + R"("dims": [4, 4], "hop_latency_ns": 200, "closed": [true, false]})"},
      {"twist", "{" + kTorus + R"("dims": [4, 4], "hop_latency_ns": 200})",
       "{" + kTorus +
           R"("dims": [4, 4], "hop_latency_ns": 200, "twist": {"along": "x", "shifts": "y", "by": 2}})",
       "trn2", Op::kAllToAll},
      {"routing", "{" + kTorus + R"("dims": [4, 4], "hop_latency_ns": 200, "routing": "dimension_order"})",
       "{" + kTorus + R"("dims": [4, 4], "hop_latency_ns": 200, "routing": "balanced"})", "trn2",
       Op::kSendReceive},
      {"routing of two racks", "", "shapes.gen1.routing=twin_first", "trn3:gen1", Op::kPermute},
      {"faults, broken", "", R"(shapes.instance.faults=[{"link": "0-1", "percent": 0}])"},
      {"faults, slow", "", R"(shapes.instance.faults=[{"link": "0-1", "percent": 30}])"},
      {"protocol_efficiency_percent", "", "link.protocol_efficiency_percent=85", "trn2:instance",
       Op::kAllToAll},
      {"links", "", "shapes.server.links=official_links", "trn3:server"},
      {"racks", kSwitched + R"("trays_per_rack": 2, "chips_per_tray": 2, "planes": 1})",
       R"({"kind": "switched", "racks": 1, "tray_mb_per_s": 200000, "rack_mb_per_s": 300000,
        "cross_rack_mb_per_s": 100000, "hop_latency_ns": 100, "trays_per_rack": 4, "chips_per_tray": 2, "planes": 1})"},
      {"trays_per_rack", "", "shapes.server.trays_per_rack=4", "trn3:server"},
      {"chips_per_tray", "", "shapes.server.chips_per_tray=4", "trn3:server"},
      {"planes", "", "shapes.server.planes=2", "trn3:server", Op::kAllToAll},
      {"tray_mb_per_s", kSwitched + R"("trays_per_rack": 2, "chips_per_tray": 2, "planes": 1})",
       R"({"kind": "switched", "racks": 2, "tray_mb_per_s": 100000, "rack_mb_per_s": 300000,
        "cross_rack_mb_per_s": 100000, "hop_latency_ns": 100, "trays_per_rack": 2, "chips_per_tray": 2, "planes": 1})"},
      {"rack_mb_per_s", kSwitched + R"("trays_per_rack": 2, "chips_per_tray": 2, "planes": 1})",
       R"({"kind": "switched", "racks": 2, "tray_mb_per_s": 200000, "rack_mb_per_s": 100000,
        "cross_rack_mb_per_s": 100000, "hop_latency_ns": 100, "trays_per_rack": 2, "chips_per_tray": 2, "planes": 1})"},
      {"cross_rack_mb_per_s", kSwitched + R"("trays_per_rack": 2, "chips_per_tray": 2, "planes": 1})",
       R"({"kind": "switched", "racks": 2, "tray_mb_per_s": 200000, "rack_mb_per_s": 300000,
        "cross_rack_mb_per_s": 50000, "hop_latency_ns": 100, "trays_per_rack": 2, "chips_per_tray": 2, "planes": 1})"},
      {"ports", R"({"kind": "switch", "ports": 4, "port_mb_per_s": 100000, "hop_latency_ns": 100})",
       R"({"kind": "switch", "ports": 5, "port_mb_per_s": 100000, "hop_latency_ns": 100})"},
      {"port_mb_per_s", R"({"kind": "switch", "ports": 4, "port_mb_per_s": 100000, "hop_latency_ns": 100})",
       R"({"kind": "switch", "ports": 4, "port_mb_per_s": 90000, "hop_latency_ns": 100})"},
      {"chips", R"({"kind": "fully_connected", "chips": 4, "link_mb_per_s": 100000, "hop_latency_ns": 100})",
       R"({"kind": "fully_connected", "chips": 5, "link_mb_per_s": 100000, "hop_latency_ns": 100})"},
      {"spines",
       kTree + R"("spines": 1, "port_mb_per_s": 100000, "uplink_mb_per_s": 20000, "hop_latency_ns": 9})",
       kTree + R"("spines": 2, "port_mb_per_s": 100000, "uplink_mb_per_s": 20000, "hop_latency_ns": 9})",
       "trn2", Op::kAllToAll},
      {"uplink_mb_per_s",
       kTree + R"("spines": 1, "port_mb_per_s": 100000, "uplink_mb_per_s": 20000, "hop_latency_ns": 9})",
       kTree + R"("spines": 1, "port_mb_per_s": 100000, "uplink_mb_per_s": 30000, "hop_latency_ns": 9})",
       "trn2", Op::kAllToAll},
      {"links[].count",
       R"({"kind": "graph", "chips": 2, "links": [{"from": 0, "to": 1, "mb_per_s": 1000, "latency_ns": 5}]})",
       R"({"kind": "graph", "chips": 2, "links": [{"from": 0, "to": 1, "mb_per_s": 1000, "latency_ns": 5, "count": 2}]})"},
      {"links[].latency_ns",
       R"({"kind": "graph", "chips": 2, "links": [{"from": 0, "to": 1, "mb_per_s": 1000, "latency_ns": 5}]})",
       R"({"kind": "graph", "chips": 2, "links": [{"from": 0, "to": 1, "mb_per_s": 1000, "latency_ns": 6}]})"},
      {"links[].both_ways", R"({"kind": "graph", "chips": 3, "links": [
          {"from": 0, "to": 1, "mb_per_s": 1000, "latency_ns": 5}, {"from": 1, "to": 2, "mb_per_s": 1000, "latency_ns": 5},
          {"from": 2, "to": 0, "mb_per_s": 1000, "latency_ns": 5}]})",
       R"({"kind": "graph", "chips": 3, "links": [
          {"from": 0, "to": 1, "mb_per_s": 1000, "latency_ns": 5}, {"from": 1, "to": 2, "mb_per_s": 1000, "latency_ns": 5},
          {"from": 2, "to": 0, "mb_per_s": 1000, "latency_ns": 5, "both_ways": false}]})"},
      {"efa.mb_per_s", "", "efa.mb_per_s=12500", "trn2:instance", Op::kAllReduce, "auto", 16 * kMiB, 1, 2},
      {"efa.latency_ns", "", "efa.latency_ns=7000", "trn2:instance", Op::kAllReduce, "auto", 16 * kMiB, 1, 2},
      {"efa.efficiency_percent", "", "efa.efficiency_percent=80", "trn2:instance", Op::kAllReduce, "auto",
       16 * kMiB, 1, 2},
      {"step_latency_ns", "", "collectives.step_latency_ns=2000"},
      {"start_latency_ns", "", "collectives.start_latency_ns=3000"},
      {"trigger_ns", "", "collectives.trigger_ns=400"},
      {"packet_bytes", "", "collectives.packet_bytes=4096", "trn2:instance", Op::kAllReduce, "ring",
       16 * kMiB, 4, 1, 3e12},
      {"streams", "", "collectives.streams=1", "trn2:instance", Op::kAllReduce, "mesh", 4096, 4},
      {"ring_slices", "", "collectives.ring_slices=4", "trn2:instance", Op::kAllReduce, "ring"},
      {"slices", "", "collectives.slices=2", "trn2:instance", Op::kAllReduce, "bucket", 64 * kMiB},
      {"min_slice_bytes", "", "collectives.min_slice_bytes=4194304", "trn2:instance", Op::kAllReduce,
       "bucket"},
      {"auto.limits_bytes", "", "collectives.auto.instance.limits_bytes=[1000,2000]"},
      {"auto.inside", "", R"(file "inside": ["mesh", "ring", "ring"],)"},
      {"auto.rooted", "", R"(file "rooted": ["mesh", "pipeline", "pipeline"],)", "trn2:instance",
       Op::kBroadcast},
      {"auto.between_domains", "", R"(file "between_domains": ["ring", "ring", "ring"])", "trn2:instance",
       Op::kAllReduce, "auto", 16 * kMiB, 1, 4},
      {"auto.default", "", R"(file "inside": ["ring", "bucket"],)", "trn3:server", Op::kAllReduce, "auto",
       100'000},
  };
  return kCases;
}

class Key : public testing::TestWithParam<std::size_t> {};

TEST_P(Key, ChangesAnAnswer) {
  const Case& c = cases()[GetParam()];
  EXPECT_NE(with(c, c.from).time, with(c, c.to).time) << c.key;
}
INSTANTIATE_TEST_SUITE_P(Keys, Key, testing::Range(std::size_t{0}, cases().size()));

}  // namespace
}  // namespace trn
