// Shapes as SVG text, in colours that suit a light and a dark page.
#pragma once

#include <string>

namespace trn {

struct Point {
  double x, y;
};

// What kinds (chip, switch, plane, frame; cable, thin, slow; label, note, stub-label) look like is in
// svg_canvas.cpp.
class SvgCanvas {
 public:
  void line(Point a, Point b, const char* kind);
  void box(Point corner, double width, double height, const char* kind);
  void circle(Point centre, double radius, const char* kind);
  void text(Point at, const char* anchor, const std::string& text, const char* kind = "label");

  // All of it, with a frame and a title around what was drawn.
  std::string finish(const std::string& title) const;

 private:
  void reach(Point p);

  std::string body_;
  Point low_{0, 0}, high_{0, 0};
};

std::string svg_escaped(const std::string& text);

}  // namespace trn
