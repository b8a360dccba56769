// The page as a whole: nothing from a file becomes markup, nothing is fetched, and it is always the same.
#include "sim/report/page/page.h"

#include <gtest/gtest.h>

#include "sim/report/page/html.h"
#include "sim/report/page/template.h"

namespace trn {
namespace {

std::size_t count(const std::string& text, const std::string& word) {
  std::size_t n = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++n;
  return n;
}

const std::string kNasty = R"(</script><img src=x onerror=alert(1)>&\"'<!--report:sections-->)";

// Every text of a file that ends up in the page.
std::string nasty_page() {
  const std::string n = kNasty;
  const std::string study = R"({"kind": "study", "schema": 1, "name": ")" + n + R"(", "command": ")" + n +
                            R"(", "axes": [{"name": ")" + n + R"(", "values": [")" + n + R"("]}],
      "points": [{"index": 0, "coordinates": {")" +
                            n + R"(": ")" + n + R"("}, "state": "done", "limiter": ")" + n +
                            R"(", "metrics": {"mfu": 1, ")" + n + R"(": 2}}],
      "impossible": [{"coordinates": {")" +
                            n + R"(": ")" + n + R"("}, "reason": ")" + n + R"("}]})";
  return report_page({parse_report_input(study, n)});
}

TEST(Page, NothingFromAFileBecomesMarkup) {
  const std::string page = nasty_page();
  EXPECT_EQ(count(page, "<img"), count(std::string(page_template()), "<img"));
  EXPECT_EQ(count(page, "</script"), count(page, "<script"));
  EXPECT_GT(
      count(page,
            "&lt;/script&gt;&lt;img src=x onerror=alert(1)&gt;&amp;&quot;&#39;&lt;!--report:sections--&gt;"),
      5u);
}

TEST(Page, TheSameFilesGiveTheSameBytes) { EXPECT_EQ(nasty_page(), nasty_page()); }

TEST(Page, TheTemplateForbidsTheNetworkAndKeepsLicences) {
  const std::string page(page_template());
  EXPECT_EQ(
      count(page, "http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src 'sha256-"),
      1u);
  for (const char* mark : {"title", "heading", "navigation", "sections"})
    EXPECT_EQ(count(page, std::string("<!--report:") + mark + "-->"), 1u) << mark;
  EXPECT_EQ(count(page, "unsafe-"), 0u);
  EXPECT_EQ(count(page, "{{script}}") + count(page, "{{style}}") + count(page, "{{licences}}"), 0u);
  EXPECT_NE(page.find("vega-lite 6."), std::string::npos);
  EXPECT_NE(page.find("University of Washington Interactive Data Lab"), std::string::npos);
  EXPECT_LT(page.size(), 1'500'000u);
}

TEST(Html, EscapesAttributesToo) {
  EXPECT_EQ(html_escaped("<a b=\"c\" d='e'>&\x01"), "&lt;a b=&quot;c&quot; d=&#39;e&#39;&gt;&amp;\ufffd");
}

TEST(Html, JsonInScriptsCannotEndThem) {
  EXPECT_EQ(script_json({{"k", "</script>&\u2028"}}), R"({"k":"\u003c/script\u003e\u0026\u2028"})");
}

}  // namespace
}  // namespace trn
