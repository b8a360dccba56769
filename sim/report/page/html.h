// Sections as HTML. Everything that comes from files is escaped here.
#pragma once

#include <string>
#include <vector>

#include "sim/report/page/section.h"

namespace trn {

// For text and for quoted attributes.
std::string html_escaped(const std::string& text);
// JSON that can stand in a <script> element: no < > & or line separators of JavaScript.
std::string script_json(const nlohmann::ordered_json& json);

std::string section_html(const Section& section);
// Links to the sections.
std::string navigation_html(const std::vector<Section>& sections);

}  // namespace trn
