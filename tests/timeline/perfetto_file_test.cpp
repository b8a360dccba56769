// The file itself, read back through the same .proto.
#include "sim/timeline/perfetto_file.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <filesystem>

#include "base/error.h"
#include "base/text.h"
#include "sim/timeline/lanes.h"
#include "sim/timeline/perfetto.pb.h"

namespace trn {
namespace {

std::string temporary(const std::string& name) { return testing::TempDir() + name; }

perfetto::Trace read_trace_file(const std::string& path) {
  perfetto::Trace trace;
  EXPECT_TRUE(trace.ParseFromString(read_text_file(path)));
  return trace;
}

// Begins and ends of a track in the order in which a viewer takes them: by time, then as they stand in the
// file. A slice ends with the next end after its begin that no inner slice takes.
std::vector<std::pair<std::uint64_t, std::uint64_t>> slices_of(const perfetto::Trace& trace,
                                                               std::uint64_t track) {
  std::vector<std::pair<std::uint64_t, bool>> events;
  for (const perfetto::TracePacket& packet : trace.packet())
    if (packet.has_track_event() && packet.track_event().track_uuid() == track)
      events.emplace_back(packet.timestamp(),
                          packet.track_event().type() == perfetto::TrackEvent::TYPE_SLICE_BEGIN);
  std::stable_sort(events.begin(), events.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::pair<std::uint64_t, std::uint64_t>> slices;
  std::vector<std::size_t> open;
  for (const auto& [time, begins] : events) {
    if (begins) {
      open.push_back(slices.size());
      slices.emplace_back(time, 0);
    } else {
      slices[open.back()].second = time;
      open.pop_back();
    }
  }
  return slices;
}

// Five slices of which a viewer swaps the ends of the third and fourth if they are on one track.
TEST(PerfettoFile, OverlappingSlicesKeepTheirEnds) {
  const std::string path = temporary("five.pftrace");
  PerfettoFile file(path, 1'000'000);
  const std::uint64_t process = file.add_process("p");
  std::vector<std::uint64_t> tracks{file.add_track(process, "t", 0)};
  tracks.push_back(file.add_track(tracks[0], "t lane 2", 1));
  Lanes lanes;
  const std::vector<std::pair<std::uint64_t, std::uint64_t>> five{
      {0, 100}, {100, 200}, {200, 300}, {280, 350}, {360, 400}};
  for (const auto& [begin, end] : five)
    file.add({tracks[lanes.take(nanoseconds(begin), nanoseconds(end))], nanoseconds(begin), nanoseconds(end),
              "s"});
  file.commit();
  const perfetto::Trace trace = read_trace_file(path);
  EXPECT_EQ(slices_of(trace, tracks[0]), (std::vector<std::pair<std::uint64_t, std::uint64_t>>{
                                             {0, 100}, {100, 200}, {200, 300}, {360, 400}}));
  EXPECT_EQ(slices_of(trace, tracks[1]), (std::vector<std::pair<std::uint64_t, std::uint64_t>>{{280, 350}}));
}

// Nanoseconds are rounded down: 1999 ps is 1 ns. A slice shorter than that ends where it begins, before the
// next one begins there.
TEST(PerfettoFile, ShortSlicesStayInOrder) {
  const std::string path = temporary("short.pftrace");
  PerfettoFile file(path, 1'000'000);
  const std::uint64_t track = file.add_track(file.add_process("p"), "t", 0);
  for (const std::uint64_t t : {1000u, 1400u, 1800u})
    file.add({track, Picoseconds(t), Picoseconds(t + 400), "s", nullptr, {{"start_ps", t}}});
  file.commit();
  EXPECT_EQ(slices_of(read_trace_file(path), track),
            (std::vector<std::pair<std::uint64_t, std::uint64_t>>{{1, 1}, {1, 1}, {1, 2}}));
}

TEST(PerfettoFile, StringsAreToldOnce) {
  const std::string path = temporary("strings.pftrace");
  const std::string region = "region";
  {
    PerfettoFile file(path, 1'000'000);
    const std::uint64_t track = file.add_track(file.add_process("p"), "t", 0);
    for (std::uint64_t t = 0; t < 3; ++t)
      file.add({track, nanoseconds(t), nanoseconds(t + 1), "MM", &region, {{"posts", 0, &region}}});
    file.commit();
  }
  const std::string bytes = read_text_file(path);
  std::size_t times = 0;
  for (std::size_t at = bytes.find("MM"); at != std::string::npos; at = bytes.find("MM", at + 1)) ++times;
  EXPECT_EQ(times, 1u);
  const perfetto::Trace trace = read_trace_file(path);
  EXPECT_EQ(trace.packet(0).sequence_flags(), 1u);  // begins anew
}

TEST(PerfettoFile, WithoutCommitThereIsNone) {
  const std::string path = temporary("none.pftrace");
  { PerfettoFile file(path, 1'000'000); }
  EXPECT_FALSE(std::filesystem::exists(path));
  EXPECT_FALSE(std::filesystem::exists(path + ".partial"));
}

TEST(PerfettoFile, StopsAtItsLimit) {
  const std::string path = temporary("large.pftrace");
  PerfettoFile file(path, 10'000);
  const std::uint64_t track = file.add_track(file.add_process("p"), "t", 0);
  for (std::uint64_t t = 0; t < 100'000; ++t) file.add({track, nanoseconds(t), nanoseconds(t + 1), "s"});
  EXPECT_TRUE(file.full());
  EXPECT_LT(file.bytes(), 10'200u);
  EXPECT_LT(file.reached(), nanoseconds(1'000));
}

// Writing past a limit of the file system fails as on a full disk.
TEST(PerfettoFile, AFullDiskIsToldAndLeavesNothing) {
  const std::string path = temporary("full.pftrace");
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit old{};
  getrlimit(RLIMIT_FSIZE, &old);
  const rlimit small{20'000, old.rlim_max};
  setrlimit(RLIMIT_FSIZE, &small);
  std::string told = "written";
  {
    PerfettoFile file(path, 100'000'000);
    const std::uint64_t track = file.add_track(file.add_process("p"), "t", 0);
    for (std::uint64_t t = 0; t < 10'000; ++t) file.add({track, nanoseconds(t), nanoseconds(t + 1), "s"});
    try {
      file.commit();
    } catch (const UsageError& error) {
      told = error.what();
    }
  }
  setrlimit(RLIMIT_FSIZE, &old);
  EXPECT_EQ(told.rfind(path + ": cannot write this file", 0), 0u) << told;
  EXPECT_EQ(told.find('\n'), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(path));
  EXPECT_FALSE(std::filesystem::exists(path + ".partial"));
}

}  // namespace
}  // namespace trn
