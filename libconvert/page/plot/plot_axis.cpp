// SPDX-License-Identifier: MIT
#include "page/plot/plot_axis.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <span>
#include <string_view>

namespace convert {
namespace {

struct Unit {
  const char* name;
  double size;
};
constexpr std::array<Unit, 4> times = {{{"ns", 1}, {"µs", 1e3}, {"ms", 1e6}, {"s", 1e9}}};
constexpr std::array<Unit, 7> sizes = {{{"B", 1},
                                        {"KiB", 0x1p10},
                                        {"MiB", 0x1p20},
                                        {"GiB", 0x1p30},
                                        {"TiB", 0x1p40},
                                        {"PiB", 0x1p50},
                                        {"EiB", 0x1p60}}};
constexpr double tiny = 1e-9;  // tolerance for rounding, as a share of a step

// Returns the number with `decimals` decimals, and with U+2212 as the minus.
std::string decimal(double value, int decimals) {
  std::array<char, 400> buffer{};
  char* const end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), std::abs(value),
                                  std::chars_format::fixed, decimals)
                        .ptr;
  const std::string text(buffer.data(), end);
  return value < 0 && text.find_first_not_of("0.") != std::string::npos ? "\u2212" + text : text;
}

// Returns the number with at most `digits` significant digits and separated thousands: "124,030", "0.25".
std::string plain(double value, int digits) {
  if (value == 0) return "0";
  const auto exponent = static_cast<int>(std::floor(std::log10(std::abs(value))));
  constexpr int longest = 15;
  if (std::abs(exponent) > longest) {
    std::array<char, 64> buffer{};
    const auto done = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                    std::chars_format::scientific, digits - 1);
    return {buffer.data(), done.ptr};
  }
  std::string text = decimal(value, std::clamp(digits - 1 - exponent, 0, 2 * longest));
  if (text.find('.') != std::string::npos) {
    text.erase(text.find_last_not_of('0') + 1);
    if (text.ends_with('.')) text.pop_back();
  }
  const std::size_t begin = text.find_first_of("0123456789");
  for (std::size_t at = std::min(text.find('.'), text.size()); at > begin + 3; at -= 3) text.insert(at - 3, ",");
  return text;
}

// Returns the value in the largest unit that is not above the rounded value.
std::string in_units(std::span<const Unit> units, double value, int digits) {
  if (value == 0) return "0";
  const Unit* unit = &units.front();
  for (const Unit& u : units) {
    const double rounded = std::abs(value) / u.size * (1 + std::pow(10.0, -digits) / 2);
    if (rounded >= 1) unit = &u;
  }
  return plain(value / unit->size, digits) + " " + unit->name;
}

// Returns 1, 2 or 5 times a power of ten, or a power of two, that divides the range into about `most` steps at
// most.
double round_step(double range, std::size_t most, bool of_two) {
  const double raw = range / static_cast<double>(std::max<std::size_t>(most, 2));
  if (of_two) return std::max(1.0, std::exp2(std::ceil(std::log2(raw) - tiny)));
  const double power = std::pow(10, std::floor(std::log10(raw)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= raw * (1 - 1e-3)) return factor * power;
  }
  return 10 * power;
}

// Labels times at equal distances: in the unit of the largest time, with enough decimals to distinguish them.
void label_times(std::vector<PlotTick>& ticks, double step) {
  double largest = 0;
  for (const PlotTick& t : ticks) largest = std::max(largest, std::abs(t.value));
  const Unit* unit = &times.front();
  for (const Unit& u : times) {
    if (largest >= u.size) unit = &u;
  }
  const int decimals = std::clamp(static_cast<int>(std::ceil(-std::log10(step / unit->size) - tiny)), 0, 9);
  for (PlotTick& t : ticks)
    t.label = t.value == 0 ? "0" : decimal(t.value / unit->size, decimals) + " " + unit->name;
}

std::vector<PlotTick> linear_ticks(const PlotScale& scale, ValueUnit unit, std::size_t most) {
  const double step = round_step(scale.high - scale.low, most, unit == ValueUnit::bytes);
  std::vector<PlotTick> ticks;
  const double first = std::ceil(scale.low / step - tiny);
  for (int k = 0; (first + k) * step <= scale.high + step * tiny; ++k) {
    constexpr int digits = 6;
    const double value = (first + k) * step;
    ticks.push_back({value, plot_value(unit, value, digits)});
  }
  if (unit == ValueUnit::ns) label_times(ticks, step);
  return ticks;
}

// Returns the powers of a base within a scale whose exponents are multiples of `every`, times each factor.
std::vector<double> powers(const PlotScale& scale, double base, int every, std::span<const double> factors) {
  std::vector<double> values;
  const auto exponent = [&](double value) { return std::log(value) / std::log(base); };
  const auto last = static_cast<int>(std::floor(exponent(scale.high) + tiny));
  auto power = static_cast<int>(std::floor(exponent(scale.low) / every)) * every;
  for (; power <= last; power += every) {
    for (const double factor : factors) {
      const double value = factor * std::pow(base, power);
      if (value >= scale.low * (1 - tiny) && value <= scale.high * (1 + tiny)) values.push_back(value);
    }
  }
  return values;
}

std::vector<PlotTick> log_ticks(const PlotScale& scale, ValueUnit unit, std::size_t most) {
  constexpr std::array<double, 1> one = {1};
  constexpr std::array<double, 3> three = {1, 2, 5};
  const double base = unit == ValueUnit::bytes ? 2 : 10;
  std::vector<double> values;
  if (base == 10) values = powers(scale, base, 1, three);
  if (values.empty() || values.size() > most) {
    for (const int every : {1, 2, 5, 10, 20, 50, 100, 200}) {
      values = powers(scale, base, every, one);
      if (values.size() <= most) break;
    }
  }
  constexpr std::size_t few = 3;  // a range of less than a decade or two
  if (values.size() < few && scale.high < scale.low * 20) return linear_ticks(scale, unit, most);
  std::vector<PlotTick> ticks;
  ticks.reserve(values.size());
  for (const double value : values) ticks.push_back({value, plot_value(unit, value)});
  return ticks;
}

}  // namespace

double PlotScale::at(double value) const {
  const double part = log ? std::log(value / low) / std::log(high / low) : (value - low) / (high - low);
  return begin + part * (end - begin);
}

std::string plot_value(ValueUnit unit, double value, int digits) {
  constexpr double giga = 1e9;
  if (value == 0) return "0";
  switch (unit) {
    case ValueUnit::ns: return in_units(times, value, digits);
    case ValueUnit::bytes: return in_units(sizes, value, digits);
    case ValueUnit::bytes_per_s: return plain(value / giga, digits) + " GB/s";
    case ValueUnit::factor: return plain(value, digits) + "×";
    case ValueUnit::number: break;
  }
  return plain(value, digits);
}

std::vector<PlotTick> plot_ticks(const PlotScale& scale, ValueUnit unit, std::size_t most) {
  return scale.log ? log_ticks(scale, unit, most) : linear_ticks(scale, unit, most);
}

}  // namespace convert
