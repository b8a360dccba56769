#include "tests/support/msccl_text.h"

namespace trn::msccl_text {

std::string step(int s, const std::string& type, const std::string& source, const std::string& destination,
                 const std::string& rest, int count) {
  const auto place = [](const std::string& name, const std::string& text) {
    return name + "buf=\"" + text[0] + "\" " + name + "off=\"" + text.substr(1) + "\" ";
  };
  return "<step s=\"" + std::to_string(s) + "\" type=\"" + type + "\" " + place("src", source) +
         place("dst", destination) + "cnt=\"" + std::to_string(count) + "\" " + rest + "/>\n";
}

std::string algo(const std::string& coll, int gpus, bool in_place, const std::string& inside,
                 int chunks_per_loop) {
  return "<algo name=\"test\" nchunksperloop=\"" + std::to_string(chunks_per_loop) + "\" ngpus=\"" +
         std::to_string(gpus) + "\" coll=\"" + coll + "\" inplace=\"" + (in_place ? "1" : "0") + "\">\n" +
         inside + "</algo>\n";
}

std::string gpu(int id, const std::string& inside, const std::string& chunks) {
  return "<gpu id=\"" + std::to_string(id) + "\" " + chunks + ">\n" + inside + "</gpu>\n";
}

std::string block(int id, int send, int receive, const std::string& inside) {
  return "<tb id=\"" + std::to_string(id) + "\" send=\"" + std::to_string(send) + "\" recv=\"" +
         std::to_string(receive) + "\" chan=\"0\">\n" + inside + "</tb>\n";
}

}  // namespace trn::msccl_text
