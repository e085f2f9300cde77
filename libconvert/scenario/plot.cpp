// SPDX-License-Identifier: MIT
#include "scenario/plot.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>
#include <tuple>

namespace convert {
namespace {

constexpr double left = 84;
constexpr double top = 44;
constexpr double width = 620;
constexpr double height = 400;
constexpr double bottom = top + height;
constexpr double right = left + width;
constexpr double legend_row = 18;
constexpr double log_span = 20;
// Readable on white and by those who confuse red and green; lines beyond ten are dashed.
constexpr std::array<const char*, 10> colors = {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9",
                                                "#e69f00", "#000000", "#7f3c8d", "#8c6d31", "#7f7f7f"};
constexpr std::array<const char*, 3> dashes = {"", " stroke-dasharray=\"7 3\"", " stroke-dasharray=\"2 3\""};

// Returns a number with two decimals at most, without trailing zeros.
std::string coordinate(double value) {
  std::array<char, 32> buffer{};
  char* end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::fixed, 2).ptr;
  std::string text(buffer.data(), end);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text == "-0" ? "0" : text;
}

std::string tick_text(double value) {
  constexpr int digits = 6;
  constexpr double small = 1e-6;
  constexpr double large = 1e7;
  const double size = std::abs(value);
  const bool plain = size == 0 || (size >= small && size < large);
  std::array<char, 64> buffer{};
  const auto form = plain ? std::chars_format::fixed : std::chars_format::scientific;
  const int decimals = plain ? digits : 1;
  std::string text(buffer.data(),
                   std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, form, decimals).ptr);
  if (!plain) return text;
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text;
}

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      default: out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
  }
  return out;
}

// Maps a range of values to a range of coordinates.
struct Scale {
  double low = 0;
  double high = 1;
  bool log = false;
  double begin = 0;
  double end = 1;

  [[nodiscard]] double at(double value) const {
    const double part = log ? std::log(value / low) / std::log(high / low) : (value - low) / (high - low);
    return begin + part * (end - begin);
  }
};

// Returns 1, 2 or 5 times a power of ten, which divides the range into about `count` steps.
double round_step(double range, int count) {
  const double raw = range / count;
  const double power = std::pow(10, std::floor(std::log10(raw)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= raw * 0.999) return factor * power;
  }
  return 10 * power;
}

std::vector<double> ticks(const Scale& scale) {
  std::vector<double> values;
  if (!scale.log) {
    constexpr int steps = 6;
    const double step = round_step(scale.high - scale.low, steps);
    const double first = std::ceil(scale.low / step - 1e-9);
    for (int k = 0; (first + k) * step <= scale.high + step * 1e-9; ++k) values.push_back((first + k) * step);
    return values;
  }
  const double decades = std::log10(scale.high / scale.low);
  constexpr double few = 3.5;
  const auto last = static_cast<int>(std::floor(std::log10(scale.high) + 1e-9));
  for (auto power = static_cast<int>(std::floor(std::log10(scale.low))); power <= last; ++power) {
    for (const double factor : {1.0, 2.0, 5.0}) {
      const double value = factor * std::pow(10, power);
      if (factor != 1 && decades > few) continue;
      if (value >= scale.low * (1 - 1e-9) && value <= scale.high * (1 + 1e-9)) values.push_back(value);
    }
  }
  return values;
}

std::pair<double, double> range_of(const Plot& plot, bool of_x) {
  std::optional<double> low;
  std::optional<double> high;
  for (const PlotLine& line : plot.lines) {
    for (const auto& [x, y] : line.points) {
      const double value = of_x ? x : y;
      low = std::min(low.value_or(value), value);
      high = std::max(high.value_or(value), value);
    }
  }
  return {low.value_or(0), high.value_or(1)};
}

Scale scale_x(const Plot& plot) {
  Scale s{.begin = left, .end = right};
  if (!plot.x.categories.empty()) {
    constexpr double margin = 0.5;
    s.low = -margin;
    s.high = static_cast<double>(plot.x.categories.size()) - margin;
    return s;
  }
  std::tie(s.low, s.high) = range_of(plot, true);
  s.log = s.low > 0 && s.high > s.low * log_span;
  constexpr double air = 0.04;
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

Scale scale_y(const Plot& plot) {
  Scale s{.begin = bottom, .end = top};
  std::tie(s.low, s.high) = range_of(plot, false);
  s.log = s.low > 0 && s.high > s.low * log_span;
  constexpr double air = 1.06;
  if (s.log) {
    s.low /= air;
  } else {
    s.low = std::min(0.0, s.low);
  }
  s.high = s.high > 0 ? s.high * air : 1;
  return s;
}

class Drawing {
 public:
  explicit Drawing(const Plot& plot) : plot_(plot), x_(scale_x(plot)), y_(scale_y(plot)) {
    for (const PlotLine& line : plot.lines) add(line);
  }

  std::string draw() {
    const bool legend = plot_.lines.size() > 1;
    std::size_t longest = plot_.legend.size();
    for (const PlotLine& line : plot_.lines) longest = std::max(longest, line.label.size());
    constexpr double character = 6.6;
    const double total_width = right + (legend ? 64 + character * static_cast<double>(longest) : 24);
    const double rows = legend ? static_cast<double>(plot_.lines.size() + 1) : 0;
    const double total_height = std::max(bottom + below(), top + rows * legend_row + 16);
    out_ = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + coordinate(std::ceil(total_width)) +
           "\" height=\"" + coordinate(std::ceil(total_height)) + "\" viewBox=\"0 0 " +
           coordinate(std::ceil(total_width)) + " " + coordinate(std::ceil(total_height)) +
           "\" font-family=\"sans-serif\" font-size=\"12\" fill=\"#222\">\n"
           "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n";
    text((left + right) / 2, top - 18, plot_.title, "text-anchor=\"middle\" font-size=\"14\"");
    draw_x();
    draw_y();
    if (legend && !plot_.legend.empty()) text(right + 16, legend_y() + 4, plot_.legend, "font-weight=\"bold\"");
    if (!plot_.legend.empty()) ++row_;
    for (std::size_t i = 0; i < curves_.size(); ++i) draw_curve(i, legend);
    return out_ + "</svg>\n";
  }

 private:
  // Holds lines that are drawn as one.
  struct Curve {
    std::string points{};
    std::vector<const PlotLine*> lines{};
  };

  // Returns whether two lines look the same.
  [[nodiscard]] bool coincide(const PlotLine& a, const PlotLine& b) const {
    constexpr double half_a_pixel = 0.5;
    return !a.points.empty() &&
           std::equal(a.points.begin(), a.points.end(), b.points.begin(), b.points.end(), [&](auto p, auto q) {
             return std::abs(x_.at(p.first) - x_.at(q.first)) < half_a_pixel &&
                    std::abs(y_.at(p.second) - y_.at(q.second)) < half_a_pixel;
           });
  }

  void add(const PlotLine& line) {
    std::string points;
    for (const auto& [x, y] : line.points)
      points += (points.empty() ? "" : " ") + coordinate(x_.at(x)) + "," + coordinate(y_.at(y));
    const auto same = std::find_if(curves_.begin(), curves_.end(),
                                   [&](const Curve& c) { return coincide(*c.lines.front(), line); });
    if (same == curves_.end()) {
      curves_.push_back({std::move(points), {&line}});
    } else {
      same->lines.push_back(&line);
    }
  }
  [[nodiscard]] double legend_y() const { return top + 6 + legend_row * static_cast<double>(row_); }
  static constexpr std::size_t short_label = 10;

  // Long categories are slanted.
  [[nodiscard]] bool slanted() const {
    std::size_t length = 0;
    for (const std::string& c : plot_.x.categories) length = std::max(length, c.size());
    return length * plot_.x.categories.size() > 90 || (length > short_label && plot_.x.categories.size() > 6);
  }
  [[nodiscard]] static std::string with_unit(const PlotAxis& axis) {
    return axis.unit.empty() ? axis.label : axis.label + " (" + axis.unit + ")";
  }
  [[nodiscard]] double below() const {
    if (!slanted()) return 56;
    std::size_t length = 0;
    for (const std::string& c : plot_.x.categories) length = std::max(length, c.size());
    return 60 + 4.2 * static_cast<double>(length);
  }

  void text(double x, double y, std::string_view what, const std::string& how) {
    out_ +=
        "<text x=\"" + coordinate(x) + "\" y=\"" + coordinate(y) + "\" " + how + ">" + escaped(what) + "</text>\n";
  }
  void stroke(double x1, double y1, double x2, double y2, const std::string& how) {
    out_ += "<line x1=\"" + coordinate(x1) + "\" y1=\"" + coordinate(y1) + "\" x2=\"" + coordinate(x2) +
            "\" y2=\"" + coordinate(y2) + "\" " + how + "/>\n";
  }

  [[nodiscard]] bool marks_fit() const {
    constexpr double character = 7.5;
    const auto& marks = plot_.x.marks;
    for (std::size_t i = 1; i < marks.size(); ++i) {
      const auto characters = static_cast<double>(marks[i - 1].second.size() + marks[i].second.size()) / 2 + 1;
      if (x_.at(marks[i].first) - x_.at(marks[i - 1].first) < characters * character) return false;
    }
    return !marks.empty();
  }

  void draw_x() {
    std::string label = plot_.x.label;
    std::vector<std::pair<double, std::string>> marks;
    if (marks_fit()) {
      marks = plot_.x.marks;
    } else if (plot_.x.categories.empty()) {
      for (const double t : ticks(x_)) marks.emplace_back(t, tick_text(t));
      label = with_unit(plot_.x);
    }
    for (const auto& [value, what] : marks) {
      stroke(x_.at(value), top, x_.at(value), bottom, "stroke=\"#e4e4e4\"");
      text(x_.at(value), bottom + 18, what, "text-anchor=\"middle\"");
    }
    for (std::size_t i = 0; i < plot_.x.categories.size(); ++i) {
      const double x = x_.at(static_cast<double>(i));
      stroke(x, bottom, x, bottom + 5, "stroke=\"#222\"");
      if (slanted()) {
        text(x + 4, bottom + 16, plot_.x.categories[i],
             "text-anchor=\"end\" transform=\"rotate(-35 " + coordinate(x + 4) + " " + coordinate(bottom + 16) +
                 ")\"");
      } else {
        text(x, bottom + 18, plot_.x.categories[i], "text-anchor=\"middle\"");
      }
    }
    stroke(left, bottom, right, bottom, "stroke=\"#222\"");
    text((left + right) / 2, bottom + below() - 14, label + (x_.log ? ", logarithmic" : ""),
         "text-anchor=\"middle\"");
  }

  void draw_y() {
    for (const double t : ticks(y_)) {
      stroke(left, y_.at(t), right, y_.at(t), "stroke=\"#e4e4e4\"");
      text(left - 8, y_.at(t) + 4, tick_text(t), "text-anchor=\"end\"");
    }
    stroke(left, top, left, bottom, "stroke=\"#222\"");
    const std::string middle = coordinate((top + bottom) / 2);
    text(20, (top + bottom) / 2, with_unit(plot_.y) + (y_.log ? ", logarithmic" : ""),
         "text-anchor=\"middle\" transform=\"rotate(-90 20 " + middle + ")\"");
  }

  void draw_curve(std::size_t i, bool legend) {
    const Curve& curve = curves_[i];
    const std::string color = colors.at(i % colors.size());
    const std::string dash = dashes.at(i / colors.size() % dashes.size());
    // Those drawn first are a bit wider, so that they show below others of the same course.
    const auto count = static_cast<double>(curves_.size());
    const std::string thickness = coordinate(2 + 2.5 * (count - 1 - static_cast<double>(i)) / count);
    out_ += "<polyline points=\"" + curve.points + "\" fill=\"none\" stroke=\"" + color + "\" stroke-width=\"" +
            thickness + "\"" + dash + "/>\n";
    for (const auto& [x, y] : curve.lines.front()->points)
      out_ += "<circle cx=\"" + coordinate(x_.at(x)) + "\" cy=\"" + coordinate(y_.at(y)) + "\" r=\"3\" fill=\"" +
              color + "\"/>\n";
    if (!legend) return;
    stroke(right + 16, legend_y(), right + 44, legend_y(), "stroke=\"" + color + "\" stroke-width=\"2\"" + dash);
    // A stroke down joins the names of lines that are drawn as one.
    const double more = legend_row * static_cast<double>(curve.lines.size() - 1);
    if (more > 0)
      stroke(right + 44, legend_y(), right + 44, legend_y() + more, "stroke=\"" + color + "\" stroke-width=\"2\"");
    for (const PlotLine* line : curve.lines) {
      text(right + 50, legend_y() + 4, line->label, "text-anchor=\"start\"");
      ++row_;
    }
  }

  const Plot& plot_;
  Scale x_;
  Scale y_;
  std::vector<Curve> curves_;
  std::size_t row_ = 0;  // of the legend, the next
  std::string out_;
};

}  // namespace

std::string draw_svg(const Plot& plot) { return Drawing(plot).draw(); }

}  // namespace convert
