#include "sim/timeline/perfetto_file.h"

#include <unordered_map>

#include "sim/timeline/perfetto.pb.h"

namespace trn {
namespace {

constexpr std::uint32_t kSequence = 1;
constexpr std::uint32_t kBeginsAnew = 1, kUsesInterned = 2;

std::uint64_t nanoseconds_down(Picoseconds time) { return time.count() / 1000; }

}  // namespace

struct PerfettoFile::Messages {
  perfetto::TracePacket packet;
  std::string bytes;
};

// Strings by number; each is told with the first packet that uses it.
class PerfettoFile::Interned {
 public:
  enum Kind { kCategory, kName, kNoteName, kNoteText, kKinds };

  std::uint64_t number(Kind kind, std::string_view text, perfetto::TracePacket& packet) {
    auto& known = known_[kind];
    const auto [at, added] = known.emplace(text, known.size() + 1);
    if (added) tell(kind, text, at->second, *packet.mutable_interned_data());
    return at->second;
  }

 private:
  static void tell(Kind kind, std::string_view text, std::uint64_t number, perfetto::InternedData& data) {
    if (kind == kNoteText) {
      perfetto::InternedString* string = data.add_debug_annotation_string_values();
      string->set_iid(number);
      string->set_str(std::string(text));
      return;
    }
    perfetto::InternedName* name = kind == kCategory ? data.add_event_categories()
                                   : kind == kName   ? data.add_event_names()
                                                     : data.add_debug_annotation_names();
    name->set_iid(number);
    name->set_name(std::string(text));
  }

  std::array<std::unordered_map<std::string, std::uint64_t>, kKinds> known_;
};

PerfettoFile::PerfettoFile(const std::string& path, std::uint64_t limit)
    : file_(path),
      limit_(limit),
      messages_(std::make_unique<Messages>()),
      interned_(std::make_unique<Interned>()) {
  messages_->packet.set_sequence_flags(kBeginsAnew);
  put();
}

PerfettoFile::~PerfettoFile() = default;

// Writes the packet as the next one of the Trace, and empties it.
void PerfettoFile::put() {
  perfetto::TracePacket& packet = messages_->packet;
  packet.set_trusted_packet_sequence_id(kSequence);
  std::string& bytes = messages_->bytes;
  packet.SerializeToString(&bytes);
  packet.Clear();
  full_ = full_ || file_.bytes() > limit_;
  if (full_) return;
  constexpr char kPacketTag = (perfetto::Trace::kPacketFieldNumber << 3) | 2;
  char head[11] = {kPacketTag};
  std::size_t used = 1;
  std::size_t length = bytes.size();
  for (; length >= 0x80; length >>= 7) head[used++] = static_cast<char>(length | 0x80);
  head[used++] = static_cast<char>(length);
  file_.write(head, used);
  file_.write(bytes.data(), bytes.size());
}

std::uint64_t PerfettoFile::add_process(const std::string& name) {
  perfetto::TrackDescriptor& track = *messages_->packet.mutable_track_descriptor();
  track.set_uuid(++tracks_);
  track.mutable_process()->set_pid(++processes_);
  track.mutable_process()->set_process_name(name);
  track.set_child_ordering(perfetto::TrackDescriptor::EXPLICIT);
  put();
  return tracks_;
}

std::uint64_t PerfettoFile::add_track(std::uint64_t parent, const std::string& name, int order) {
  perfetto::TrackDescriptor& track = *messages_->packet.mutable_track_descriptor();
  track.set_uuid(++tracks_);
  track.set_parent_uuid(parent);
  track.set_name(name);
  track.set_child_ordering(perfetto::TrackDescriptor::EXPLICIT);
  track.set_sibling_order_rank(order);
  put();
  return tracks_;
}

std::uint64_t PerfettoFile::add_counter(std::uint64_t parent, const std::string& name,
                                        const std::string& unit, int order) {
  perfetto::TrackDescriptor& track = *messages_->packet.mutable_track_descriptor();
  track.set_uuid(++tracks_);
  track.set_parent_uuid(parent);
  track.set_name(name);
  track.mutable_counter()->set_unit_name(unit);
  track.set_sibling_order_rank(order);
  put();
  return tracks_;
}

void PerfettoFile::add(const Slice& slice) {
  if (full_) return;
  perfetto::TracePacket& packet = messages_->packet;
  perfetto::TrackEvent& begin = *packet.mutable_track_event();
  packet.set_timestamp(nanoseconds_down(slice.begin));
  packet.set_sequence_flags(kUsesInterned);
  begin.set_type(perfetto::TrackEvent::TYPE_SLICE_BEGIN);
  begin.set_track_uuid(slice.track);
  begin.set_name_iid(interned_->number(Interned::kName, slice.name, packet));
  if (slice.category != nullptr)
    begin.add_category_iids(interned_->number(Interned::kCategory, *slice.category, packet));
  for (const SliceNote& note : slice.notes) {
    perfetto::DebugAnnotation& annotation = *begin.add_debug_annotations();
    annotation.set_name_iid(interned_->number(Interned::kNoteName, note.name, packet));
    if (note.text != nullptr)
      annotation.set_string_value_iid(interned_->number(Interned::kNoteText, *note.text, packet));
    else
      annotation.set_uint_value(note.number);
  }
  if (slice.leaves != 0) begin.add_flow_ids(slice.leaves);
  if (slice.passes != 0) begin.add_flow_ids(slice.passes);
  if (slice.arrives != 0) begin.add_terminating_flow_ids(slice.arrives);
  put();
  packet.set_timestamp(nanoseconds_down(slice.end));
  packet.mutable_track_event()->set_type(perfetto::TrackEvent::TYPE_SLICE_END);
  packet.mutable_track_event()->set_track_uuid(slice.track);
  put();
  ++slices_;
  reached_ = std::max(reached_, slice.begin);
}

void PerfettoFile::set_counter(std::uint64_t track, Picoseconds time, double value) {
  perfetto::TracePacket& packet = messages_->packet;
  packet.set_timestamp(nanoseconds_down(time));
  packet.mutable_track_event()->set_type(perfetto::TrackEvent::TYPE_COUNTER);
  packet.mutable_track_event()->set_track_uuid(track);
  packet.mutable_track_event()->set_double_counter_value(value);
  put();
}

}  // namespace trn
