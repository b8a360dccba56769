// The empty page, built by web/build.mjs and embedded in the binary: style, charts and licences.
#pragma once

#include <string_view>

namespace trn {

// Has one of each mark <!--report:title-->, heading, navigation and sections.
std::string_view page_template();

}  // namespace trn
