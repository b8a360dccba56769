#include "base/build_info.h"

#include <elf.h>
#include <link.h>

#include <cstring>

namespace trn {
namespace {

// The note "GNU", NT_GNU_BUILD_ID of one segment of notes, as hexadecimal digits.
std::string id_in(const char* notes, std::size_t bytes) {
  constexpr const char* kDigits = "0123456789abcdef";
  const auto padded = [](std::size_t n) { return (n + 3) / 4 * 4; };
  for (std::size_t at = 0; at + sizeof(ElfW(Nhdr)) <= bytes;) {
    ElfW(Nhdr) note;
    std::memcpy(&note, notes + at, sizeof note);
    const char* name = notes + at + sizeof note;
    const char* content = name + padded(note.n_namesz);
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && std::memcmp(name, "GNU", 4) == 0) {
      std::string id;
      for (std::size_t i = 0; i < note.n_descsz; ++i) {
        const auto byte = static_cast<unsigned char>(content[i]);
        id += {kDigits[byte >> 4], kDigits[byte & 15]};
      }
      return id;
    }
    at += sizeof note + padded(note.n_namesz) + padded(note.n_descsz);
  }
  return "";
}

// The first object is the program itself.
int read_first(dl_phdr_info* info, std::size_t, void* id) {
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = info->dlpi_phdr[i];
    if (segment.p_type != PT_NOTE) continue;
    const std::string found =
        id_in(reinterpret_cast<const char*>(info->dlpi_addr + segment.p_vaddr), segment.p_memsz);
    if (!found.empty()) *static_cast<std::string*>(id) = found;
  }
  return 1;
}

}  // namespace

std::string version() { return TRNSIM_VERSION; }

std::string build_id() {
  std::string id;
  dl_iterate_phdr(read_first, &id);
  return id.substr(0, 16);
}

}  // namespace trn
