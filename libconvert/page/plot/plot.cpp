// SPDX-License-Identifier: MIT
#include "page/plot/plot.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>

#include "page/plot/plot_axis.h"
#include "util/utf8.h"

namespace convert {
namespace {

constexpr double left = 84;
constexpr double width = 620;
constexpr double height = 400;
constexpr double right = left + width;
constexpr double row = 16;         // of labels
constexpr double character = 6.7;  // of the font, about
constexpr double log_span = 20;

// The colours of categories in the pages, light and dark: page/web/src/lib/colors.ts.
constexpr std::array<const char*, 8> colors = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                               "#56b4e9", "#e69f00", "#7f3c8d", "#6b8e23"};
constexpr std::array<const char*, 8> dark_colors = {"#4aa3e0", "#f08a3c", "#2fc79b", "#e39bc4",
                                                    "#8fd0f5", "#f2bf4a", "#b884d6", "#a9c95a"};
// Lines beyond eight are dashed.
constexpr std::array<const char*, 4> dashes = {"", " stroke-dasharray=\"8 3\"", " stroke-dasharray=\"2 3\"",
                                               " stroke-dasharray=\"9 3 2 3\""};
// Names of colours with their light and dark values, as in page/web/style.css.
struct Tone {
  const char* name;
  const char* light;
  const char* dark;
};
namespace tones {
constexpr Tone panel = {"panel", "#ffffff", "#171d27"};
constexpr Tone ink = {"ink", "#1b2330", "#e6eaf1"};
constexpr Tone soft = {"soft", "#566173", "#a3aec0"};
constexpr Tone line = {"line", "#c9d0da", "#3a4557"};
constexpr Tone grid = {"grid", "#eceff3", "#222a37"};
}  // namespace tones

// Returns a number with at most two decimals, without trailing zeros.
std::string coordinate(double value) {
  std::array<char, 400> buffer{};
  char* end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::fixed, 2).ptr;
  std::string text(buffer.data(), end);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text == "-0" ? "0" : text;
}

// Returns a text escaped for XML; bytes that XML cannot contain become a space or U+FFFD.
std::string escaped(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const std::size_t length = static_cast<unsigned char>(c) < 0x80 ? 1 : sequence_length(text, i);
    switch (c) {
      case '&': out += "&amp;"; continue;
      case '<': out += "&lt;"; continue;
      case '>': out += "&gt;"; continue;
      case '"': out += "&quot;"; continue;
      default: break;
    }
    if (length == 0) {
      out += "\uFFFD";
    } else if (length == 1) {
      out += static_cast<unsigned char>(c) < 0x20 || c == 0x7F ? ' ' : c;
    } else {
      out += is_c1_control(text.substr(i, length)) ? " " : text.substr(i, length);
      i += length - 1;
    }
  }
  return out;
}

std::size_t characters(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}
double text_width(std::string_view text) { return character * static_cast<double>(characters(text)); }

// Returns a text in lines of about `most` characters at most, broken after spaces and commas.
std::vector<std::string> wrapped(std::string_view text, std::size_t most) {
  std::vector<std::string> lines;
  while (text.size() > most) {
    std::size_t cut = text.substr(0, most).find_last_of(" ,");
    if (cut == std::string_view::npos || cut == 0) cut = text.find_first_of(" ,", most);
    if (cut == std::string_view::npos || cut + 1 >= text.size()) break;
    lines.emplace_back(text.substr(0, cut + 1));
    text.remove_prefix(cut + 1);
  }
  lines.emplace_back(text);
  return lines;
}

std::pair<double, double> range_of(const Plot& plot, bool of_x) {
  std::optional<double> low;
  std::optional<double> high;
  for (const PlotLine& l : plot.lines) {
    for (const PlotPoints* points : {&l.points, &l.measured}) {
      for (const auto& [x, y] : *points) {
        const double value = of_x ? x : y;
        low = std::min(low.value_or(value), value);
        high = std::max(high.value_or(value), value);
      }
    }
  }
  return {low.value_or(0), high.value_or(1)};
}

bool is_log(const PlotAxis& axis, const PlotScale& s) {
  return s.low > 0 && (s.high > s.low * log_span || (axis.logarithmic && s.high > s.low));
}

PlotScale scale_x(const Plot& plot) {
  PlotScale s{.begin = left, .end = right};
  if (!plot.x.categories.empty()) {
    constexpr double margin = 0.5;
    s.low = -margin;
    s.high = static_cast<double>(plot.x.categories.size()) - margin;
    return s;
  }
  std::tie(s.low, s.high) = range_of(plot, true);
  s.log = is_log(plot.x, s);
  constexpr double air = 0.03;
  if (s.log) {
    const double more = std::pow(s.high / s.low, air);
    s.low /= more;
    s.high *= more;
  } else {
    const double more = s.high > s.low ? (s.high - s.low) * air : std::max(std::abs(s.high), 1.0) / 2;
    s.low -= more;
    s.high += more;
  }
  return s;
}

PlotScale scale_y(const Plot& plot, double top) {
  PlotScale s{.begin = top + height, .end = top};
  std::tie(s.low, s.high) = range_of(plot, false);
  s.log = is_log(plot.y, s);
  constexpr double air = 1.06;
  if (s.log) {
    s.low /= air;
  } else {
    s.low = std::min(0.0, s.low);
  }
  s.high = s.high > 0 ? s.high * air : 1;
  return s;
}

// Lines that are drawn as one, and the position of their labels.
struct Curve {
  PlotPoints places;  // of the line
  PlotPoints marks;
  std::vector<const PlotLine*> lines;
  double label_y = 0;  // of the first label

  [[nodiscard]] double room() const { return row * static_cast<double>(lines.size()); }
  [[nodiscard]] const std::pair<double, double>& end() const {
    return places.empty() ? marks.back() : places.back();
  }
  [[nodiscard]] const PlotPoints& marked() const {
    return lines.front()->measured.empty() ? lines.front()->points : lines.front()->measured;
  }
};

// Places the labels at the ends of their lines, from `top`, moved as little as possible to avoid overlaps.
void place_labels(std::vector<Curve*> curves, double top, double bottom) {
  struct Block {
    double middle, room;
    std::size_t end;  // of its curves
  };
  std::stable_sort(curves.begin(), curves.end(),
                   [](const Curve* a, const Curve* b) { return a->end().second < b->end().second; });
  std::vector<Block> blocks;
  const auto keep_inside = [&](Block& b) {
    b.middle = std::max(std::min(b.middle, bottom - b.room / 2), top + b.room / 2);
  };
  for (std::size_t i = 0; i < curves.size(); ++i) {
    blocks.push_back({curves[i]->end().second, curves[i]->room(), i + 1});
    keep_inside(blocks.back());
    while (blocks.size() > 1) {
      const Block last = blocks.back();
      Block& before = blocks[blocks.size() - 2];
      if (before.middle + before.room / 2 <= last.middle - last.room / 2) break;
      const double room = before.room + last.room;
      before = {(before.middle * before.room + last.middle * last.room) / room, room, last.end};
      keep_inside(before);
      blocks.pop_back();
    }
  }
  std::size_t i = 0;
  for (const Block& b : blocks) {
    for (double y = b.middle - b.room / 2; i < b.end; y += curves[i]->room(), ++i) curves[i]->label_y = y + row / 2;
  }
}

class Drawing {
 public:
  explicit Drawing(const Plot& plot)
      : plot_(plot),
        title_(wrapped(plot.title, 96)),
        top_(54 + 19 * static_cast<double>(title_.size() - 1)),
        bottom_(top_ + height),
        x_(scale_x(plot)),
        y_(scale_y(plot, top_)) {
    for (const PlotLine& l : plot.lines) add(l);
    std::vector<Curve*> all;
    for (Curve& c : curves_) all.push_back(&c);
    place_labels(all, top_ + 4, bottom_);
  }

  std::string draw() {
    const bool labels = plot_.lines.size() > 1;
    std::size_t longest = characters(plot_.legend) * 6 / 5;  // it is bold
    double last = bottom_;
    for (const PlotLine& l : plot_.lines) longest = std::max(longest, characters(l.label) + (is_empty(l) ? 14 : 0));
    for (const Curve& c : curves_) last = std::max(last, c.label_y - row / 2 + c.room());
    const double total_width = right + (labels ? 56 + character * static_cast<double>(longest) : 24);
    const double without = row * static_cast<double>(labels ? empty_.size() : 0);
    const double total_height = std::max(bottom_ + below(), last + without + row);
    begin(std::ceil(total_width), std::ceil(total_height));
    draw_y();
    draw_x();
    // No lines between categories: each value is a dot with its number.
    const bool dots = !plot_.x.categories.empty();
    for (std::size_t i = 0; i < curves_.size() && !dots; ++i) draw_line(i);
    for (std::size_t i = 0; i < curves_.size(); ++i) draw_points(i);
    if (dots) draw_values();
    if (!labels) return out_ + "</svg>\n";
    text(right + 44, top_ - 14, plot_.legend, tones::soft, "font-weight=\"600\"");
    for (std::size_t i = 0; i < curves_.size(); ++i) draw_labels(i);
    for (const PlotLine* l : empty_) text(right + 44, (last += row) - 4, l->label + " (no time)", tones::soft, "");
    return out_ + "</svg>\n";
  }

 private:
  [[nodiscard]] static bool is_empty(const PlotLine& line) { return line.points.empty() && line.measured.empty(); }
  [[nodiscard]] static bool coincide(const Curve& a, const Curve& b) {
    constexpr double half_a_pixel = 0.5;
    const auto equal = [&](const PlotPoints& one, const PlotPoints& two) {
      return std::equal(one.begin(), one.end(), two.begin(), two.end(), [&](auto p, auto q) {
        return std::abs(p.first - q.first) < half_a_pixel && std::abs(p.second - q.second) < half_a_pixel;
      });
    };
    return equal(a.places, b.places) && equal(a.marks, b.marks);
  }

  void add(const PlotLine& of) {
    if (is_empty(of)) return empty_.push_back(&of);
    Curve curve;
    for (const auto& [x, y] : of.points) curve.places.emplace_back(x_.at(x), y_.at(y));
    curve.marks = curve.places;
    if (!of.measured.empty()) curve.marks.clear();
    for (const auto& [x, y] : of.measured) curve.marks.emplace_back(x_.at(x), y_.at(y));
    const auto same =
        std::find_if(curves_.begin(), curves_.end(), [&](const Curve& c) { return coincide(c, curve); });
    if (same != curves_.end()) return same->lines.push_back(&of);
    curve.lines = {&of};
    curves_.push_back(std::move(curve));
  }

  // Long categories are slanted.
  [[nodiscard]] bool slanted() const {
    double longest = 0;
    for (const std::string& c : plot_.x.categories) longest = std::max(longest, text_width(c) + 2 * character);
    return longest * static_cast<double>(plot_.x.categories.size()) > width;
  }
  [[nodiscard]] double below() const {
    if (!slanted()) return 54;
    double longest = 0;
    for (const std::string& c : plot_.x.categories) longest = std::max(longest, text_width(c));
    constexpr double sine = 0.58;
    return 58 + sine * longest;
  }

  // Colours are attributes for light screens and paper, and classes that dark mode overrides.
  void begin(double total_width, double total_height) {
    const std::string size = coordinate(total_width), tall = coordinate(total_height);
    out_ = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + size + "\" height=\"" + tall +
           "\" viewBox=\"0 0 " + size + " " + tall + "\" role=\"img\" aria-label=\"" +
           escaped(plot_.y.label + " by " + plot_.x.label) +
           (plot_.title.empty() ? "" : ": " + escaped(plot_.title)) +
           "\" font-family=\"system-ui, 'DejaVu Sans', sans-serif\" font-size=\"12\">\n<style>@media screen and "
           "(prefers-color-scheme: dark){";
    for (const Tone& t : {tones::panel, tones::ink, tones::soft})
      out_ += std::string(".") + t.name + "{fill:" + t.dark + "}";
    for (const Tone& t : {tones::line, tones::grid}) out_ += std::string(".") + t.name + "{stroke:" + t.dark + "}";
    for (std::size_t i = 0; i < colors.size(); ++i) {
      const std::string n = std::to_string(i);
      out_ += ".s" + n + "{stroke:" + dark_colors.at(i) + "}.f" + n + "{fill:" + dark_colors.at(i) + "}";
    }
    out_ += "}</style>\n<rect width=\"100%\" height=\"100%\" class=\"panel\" fill=\"" +
            std::string(tones::panel.light) + "\"/>\n";
    double y = 22;
    for (const std::string& l : title_)
      text(16, (y += 19) - 19, l, tones::ink, "font-size=\"14\" font-weight=\"600\"");
  }

  void text(double x, double y, std::string_view what, const Tone& tone, const std::string& how) {
    if (what.empty()) return;
    out_ += "<text x=\"" + coordinate(x) + "\" y=\"" + coordinate(y) + "\" class=\"" + tone.name + "\" fill=\"" +
            tone.light + "\"" + (how.empty() ? "" : " " + how) + ">" + escaped(what) + "</text>\n";
  }
  void stroke(double x1, double y1, double x2, double y2, const Tone& tone) {
    out_ += "<line x1=\"" + coordinate(x1) + "\" y1=\"" + coordinate(y1) + "\" x2=\"" + coordinate(x2) +
            "\" y2=\"" + coordinate(y2) + "\" class=\"" + tone.name + "\" stroke=\"" + tone.light + "\"/>\n";
  }

  [[nodiscard]] std::vector<PlotTick> ticks_of_x() const {
    std::vector<PlotTick> marks;
    bool fit = !plot_.x.marks.empty();
    for (const double m : plot_.x.marks) {
      if (!marks.empty() && m <= marks.back().value) continue;
      marks.push_back({m, plot_value(plot_.x.unit, m)});
      if (marks.size() < 2) continue;
      const PlotTick& before = marks[marks.size() - 2];
      const double room = (text_width(before.label) + text_width(marks.back().label)) / 2 + character;
      if (x_.at(m) - x_.at(before.value) < room) fit = false;
    }
    if (fit) return marks;
    constexpr std::size_t most = 9;
    return plot_ticks(x_, plot_.x.unit, most);
  }

  void draw_x() {
    if (plot_.x.categories.empty()) {
      for (const PlotTick& t : ticks_of_x()) {
        stroke(x_.at(t.value), top_, x_.at(t.value), bottom_, tones::grid);
        text(x_.at(t.value), bottom_ + 18, t.label, tones::soft, "text-anchor=\"middle\"");
      }
    }
    for (std::size_t i = 0; i < plot_.x.categories.size(); ++i) {
      const double x = x_.at(static_cast<double>(i));
      stroke(x, bottom_, x, bottom_ + 5, tones::line);
      const std::string turn = coordinate(x + 4) + " " + coordinate(bottom_ + 18);
      if (slanted()) {
        text(x + 4, bottom_ + 18, plot_.x.categories[i], tones::soft,
             "text-anchor=\"end\" transform=\"rotate(-35 " + turn + ")\"");
      } else {
        text(x, bottom_ + 18, plot_.x.categories[i], tones::soft, "text-anchor=\"middle\"");
      }
    }
    stroke(left, bottom_, right, bottom_, tones::line);
    text((left + right) / 2, bottom_ + below() - 14, plot_.x.label + (x_.log ? ", logarithmic" : ""), tones::ink,
         "text-anchor=\"middle\"");
  }

  void draw_y() {
    constexpr std::size_t most = 7;
    constexpr std::size_t most_log = 12;
    for (const PlotTick& t : plot_ticks(y_, plot_.y.unit, y_.log ? most_log : most)) {
      stroke(left, y_.at(t.value), right, y_.at(t.value), tones::grid);
      text(left - 8, y_.at(t.value) + 4, t.label, tones::soft, "text-anchor=\"end\"");
    }
    text(16, top_ - 14, plot_.y.label + (y_.log ? ", logarithmic" : ""), tones::ink, "");
  }

  [[nodiscard]] static std::string color_of(const char* property, std::size_t i) {
    const std::size_t n = i % colors.size();
    return std::string("class=\"") + property[0] + std::to_string(n) + "\" " + property + "=\"" + colors.at(n) +
           "\"";
  }
  [[nodiscard]] static const char* dash_of(std::size_t i) { return dashes.at(i / colors.size() % dashes.size()); }

  void draw_line(std::size_t i) {
    if (curves_[i].places.empty()) return;
    std::string points;
    for (const auto& [x, y] : curves_[i].places)
      points += (points.empty() ? "" : " ") + coordinate(x) + "," + coordinate(y);
    out_ += "<polyline points=\"" + points + "\" fill=\"none\" " + color_of("stroke", i) + " stroke-width=\"2\"" +
            dash_of(i) + "/>\n";
  }

  // Writes each value above or below its dot, unless another value is already there.
  void draw_values() {
    constexpr double line = 13, above = 8, below = 17;
    constexpr int digits = 4;
    std::map<double, std::vector<double>> taken;  // by place in x: baselines
    for (std::size_t i = 0; i < curves_.size(); ++i) {
      const Curve& curve = curves_[i];
      for (std::size_t k = 0; k < curve.places.size(); ++k) {
        const auto [x, y] = curve.places[k];
        std::vector<double>& there = taken[x];
        for (const double at : {y - above, y + below}) {
          const bool free =
              std::none_of(there.begin(), there.end(), [&](double other) { return std::abs(other - at) < line; });
          if (!free || at < top_ - 4 || at > bottom_ - 2) continue;
          there.push_back(at);
          text(x, at, plot_value(plot_.y.unit, curve.lines.front()->points[k].second, digits), tones::ink,
               "text-anchor=\"middle\" font-size=\"11\"");
          break;
        }
      }
    }
  }

  // Each line has its own mark besides its colour; hovering shows the numbers.
  void draw_points(std::size_t i) {
    const Curve& curve = curves_[i];
    constexpr int digits = 6;
    for (std::size_t k = 0; k < curve.marks.size(); ++k) {
      const auto& [x, y] = curve.marked()[k];
      std::string names;
      for (const PlotLine* l : curve.lines) names += (names.empty() ? "" : "; ") + l->label;
      const auto category = static_cast<std::size_t>(std::max(0.0, x));
      const std::string at =
          category < plot_.x.categories.size() ? plot_.x.categories[category] : plot_value(plot_.x.unit, x, digits);
      out_ += mark(i, curve.marks[k].first, curve.marks[k].second) + color_of("fill", i) + "><title>" +
              escaped(names + (names.empty() ? "" : ", ") + at + ": " + plot_value(plot_.y.unit, y, digits)) +
              "</title></" + (i % 5 == 0 ? "circle" : "path") + ">\n";
    }
  }
  // Returns the start of the mark of a curve, centred at a point.
  [[nodiscard]] static std::string mark(std::size_t i, double x, double y) {
    constexpr std::array<const char*, 5> shapes = {"", "m-3.2 -3.2h6.4v6.4h-6.4z", "m0 -4.6l4.2 7.4h-8.4z",
                                                   "m0 -4.8l4.8 4.8l-4.8 4.8l-4.8 -4.8z", "m0 4.6l4.2 -7.4h-8.4z"};
    const char* const shape = shapes.at(i % shapes.size());
    if (*shape == '\0') return "<circle cx=\"" + coordinate(x) + "\" cy=\"" + coordinate(y) + "\" r=\"3.6\" ";
    return "<path d=\"M" + coordinate(x) + " " + coordinate(y) + shape + "\" ";
  }

  // A thin line leads from the end of the curve to its labels; the mark is before the first label.
  void draw_labels(std::size_t i) {
    const Curve& curve = curves_[i];
    const auto [x, y] = curve.end();
    const double middle = curve.label_y + (curve.room() - row) / 2;
    out_ += "<polyline points=\"" + coordinate(x + 6) + "," + coordinate(y) + " " +
            coordinate(std::max(x + 6, right + 4)) + "," + coordinate(y) + " " + coordinate(right + 22) + "," +
            coordinate(middle) + "\" fill=\"none\" " + color_of("stroke", i) +
            " stroke-width=\"0.8\" stroke-opacity=\"0.7\"/>\n";
    if (curve.lines.size() > 1) {
      out_ += "<line x1=\"" + coordinate(right + 22) + "\" y1=\"" + coordinate(curve.label_y - 6) + "\" x2=\"" +
              coordinate(right + 22) + "\" y2=\"" + coordinate(curve.label_y + curve.room() - row + 6) + "\" " +
              color_of("stroke", i) + " stroke-width=\"0.8\"/>\n";
    }
    if (plot_.x.categories.empty()) {
      out_ += "<line x1=\"" + coordinate(right + 22) + "\" y1=\"" + coordinate(middle) + "\" x2=\"" +
              coordinate(right + 40) + "\" y2=\"" + coordinate(middle) + "\" " + color_of("stroke", i) +
              " stroke-width=\"2\"" + dash_of(i) + "/>\n";
    }
    out_ += mark(i, right + 31, middle) + color_of("fill", i) + "/>\n";
    double at = curve.label_y;
    for (const PlotLine* l : curve.lines) text(right + 46, (at += row) - row + 4, l->label, tones::ink, "");
  }

  const Plot& plot_;
  std::vector<std::string> title_;
  double top_;
  double bottom_;
  PlotScale x_;
  PlotScale y_;
  std::vector<Curve> curves_;
  std::vector<const PlotLine*> empty_;
  std::string out_;
};

}  // namespace

std::string draw_svg(const Plot& plot) { return Drawing(plot).draw(); }

}  // namespace convert
