// MSCCL files as tests write them.
#pragma once

#include <string>

namespace trn::msccl_text {

// Places are a buffer's letter and a chunk: "i0".
std::string step(int s, const std::string& type, const std::string& source, const std::string& destination,
                 const std::string& rest = R"(depid="-1" deps="-1" hasdep="0")", int count = 1);
std::string block(int id, int send, int receive, const std::string& inside);
std::string gpu(int id, const std::string& inside,
                const std::string& chunks = "i_chunks='1' o_chunks='2' s_chunks='1'");
std::string algo(const std::string& coll, int gpus, bool in_place, const std::string& inside,
                 int chunks_per_loop = 2);

}  // namespace trn::msccl_text
