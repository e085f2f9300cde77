// SPDX-License-Identifier: MIT
#include <algorithm>

#include "collectives/families.h"
#include "core/diagnostic.h"
#include "core/units.h"

namespace convert::collectives {
namespace {

// Ranks as coordinates, the first dimension varying fastest.
class Grid {
 public:
  explicit Grid(const CollectiveRequest& r) : sizes_(r.dims) {
    if (sizes_.empty())
      throw usage_error("algorithm hierarchical requires the sizes of its dimensions, such as 2x4");
    std::int64_t product = 1;
    std::string text;
    for (const std::int32_t size : sizes_) {
      text += (text.empty() ? "" : "x") + std::to_string(size);
      if (size < 1) throw usage_error("dimensions " + text + ": sizes must be at least 1");
      strides_.push_back(static_cast<std::int32_t>(std::min<std::int64_t>(product, r.ranks)));
      product = std::min<std::int64_t>(product * size, std::int64_t{1} << 31);
    }
    if (product != r.ranks)
      throw usage_error("dimensions " + text + " make " + counted(product, "rank") + ", not " +
                        std::to_string(r.ranks));
  }

  [[nodiscard]] std::size_t dims() const { return sizes_.size(); }
  [[nodiscard]] std::int32_t size(std::size_t d) const { return sizes_[d]; }
  [[nodiscard]] std::int32_t stride(std::size_t d) const { return strides_[d]; }
  [[nodiscard]] std::int32_t coordinate(std::int32_t rank, std::size_t d) const {
    return rank / strides_[d] % sizes_[d];
  }
  // Returns the rank with another coordinate in one dimension.
  [[nodiscard]] std::int32_t moved(std::int32_t rank, std::size_t d, std::int32_t to) const {
    return rank + (to - coordinate(rank, d)) * strides_[d];
  }
  // Returns the index with the last dimension varying fastest: shards that stay together are adjacent in this
  // order.
  [[nodiscard]] std::int32_t last_fastest(std::int32_t rank) const {
    std::int32_t place = 0;
    for (std::size_t d = 0; d < dims(); ++d) place = place * sizes_[d] + coordinate(rank, d);
    return place;
  }

 private:
  std::vector<std::int32_t> sizes_;
  std::vector<std::int32_t> strides_;
};

std::vector<const GroupScheme*> schemes_of(const CollectiveRequest& r) {
  const auto& given = r.dim_algorithms;
  if (given.size() > 1 && given.size() != r.dims.size())
    throw usage_error("there are " + counted(r.dims.size(), "dimension") + ", but the number of algorithms is " +
                      std::to_string(given.size()));
  std::vector<const GroupScheme*> schemes;
  for (std::size_t d = 0; d < r.dims.size(); ++d)
    schemes.push_back(&find_scheme(given.empty() ? "ring" : given.size() == 1 ? given[0] : given[d]));
  return schemes;
}

// Returns the group of ranks that differ from `first`, whose coordinate is 0, in dimension d only. Part j: the
// shards whose final ranks have the coordinates of `first` below d, and coordinate j in d.
Group group_along(const CollectiveRequest& r, const Grid& grid, std::size_t d, std::int32_t first,
                  std::int32_t slice) {
  Group g;
  for (std::int32_t j = 0; j < grid.size(d); ++j) {
    const std::int32_t rank = grid.moved(first, d, j);
    g.ranks.push_back(rank);
    std::vector<Chunks> chunks;
    const std::int32_t step = grid.stride(d) * grid.size(d);  // distance of ranks that agree in dimensions 0…d
    for (std::int32_t p = rank % step; p < r.ranks; p += step) {
      const std::int32_t part = r.collective == Collective::all_reduce ? grid.last_fastest(p) : p;
      chunks.push_back(chunk_of(r, part, r.ranks, slice, r.chunks));
    }
    std::ranges::sort(chunks, {}, &Chunks::first);
    g.parts.emplace_back();
    for (const Chunks& c : chunks) append_chunks(c, g.parts.back());
  }
  return g;
}

Algorithm build_by_groups(const CollectiveRequest& r, const Grid& grid) {
  const std::vector<const GroupScheme*> schemes = schemes_of(r);
  std::vector<std::int32_t> first_channel;
  std::int32_t channels = 0;
  for (std::size_t d = 0; d < grid.dims(); ++d) {
    first_channel.push_back(channels);
    if (grid.size(d) > 1) channels += schemes[d]->channels(grid.size(d));
  }
  require_channels(r, channels, r.chunks);
  AlgorithmBuilder b = in_place_builder(r, r.ranks, r.chunks);
  const auto run_dimension = [&](std::size_t d, std::int32_t slice, auto GroupScheme::*scheme) {
    if (grid.size(d) == 1) return;
    for (std::int32_t rank = 0; rank < r.ranks; ++rank) {
      if (grid.coordinate(rank, d) != 0) continue;
      Group g = group_along(r, grid, d, rank, slice);
      g.channel = slice * channels + first_channel[d];
      (schemes[d]->*scheme)(b, g);
    }
  };
  for (std::int32_t k = 0; k < r.chunks; ++k) {
    if (r.collective != Collective::all_gather) {
      for (std::size_t d = 0; d < grid.dims(); ++d) run_dimension(d, k, &GroupScheme::reduce_scatter);
    }
    if (r.collective != Collective::reduce_scatter) {
      for (std::size_t d = grid.dims(); d-- > 0;) run_dimension(d, k, &GroupScheme::all_gather);
    }
  }
  return b.finish(algorithm_name(r));
}

// After dimension d, rank x holds the data from each rank s to each rank t such that t agrees with x up to d, and s
// agrees with x beyond d. Its position has the coordinates of s up to d and of t beyond d. The positions after the
// last dimension are the positions of the output.
Algorithm build_all_to_all(const CollectiveRequest& r, const Grid& grid) {
  std::vector<std::size_t> dims;
  std::vector<std::int32_t> first_channel;
  std::int32_t channels = 0;
  for (std::size_t d = 0; d < grid.dims(); ++d) {
    if (grid.size(d) == 1) continue;
    dims.push_back(d);
    first_channel.push_back(channels);
    channels += direct_channels(grid.size(d));
  }
  if (!r.dim_algorithms.empty()) throw usage_error("an all-to-all takes no algorithms of dimensions; omit them");
  require_channels(r, channels, r.chunks);
  AlgorithmBuilder b(r.collective, r.ranks, std::int64_t{r.ranks} * r.chunks, r.protocol, false, r.largest_call);
  Buffer from = Buffer::input;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    const std::size_t d = dims[i];
    // Alternates between scratch and output so that the last dimension writes to the output.
    const Buffer to = (dims.size() - i) % 2 == 1 ? Buffer::output : Buffer::scratch;
    const std::int32_t run = grid.stride(d);  // adjacent positions with one coordinate in d
    const std::int32_t period = run * grid.size(d);
    const auto pieces = [&](std::int32_t at_sender, std::int32_t at_receiver, std::int32_t slice) {
      std::vector<Piece> list;
      for (std::int32_t block = 0; block < r.ranks; block += period) {
        for (std::int32_t p = block; p < block + run; p += r.chunks == 1 ? run : 1) {
          const auto chunks = [&](Buffer buffer, std::int32_t coordinate) {
            return Chunks{buffer, (p + coordinate * run) * r.chunks + slice, r.chunks == 1 ? run : 1};
          };
          list.push_back({chunks(from, at_sender), chunks(to, at_receiver)});
        }
      }
      return list;
    };
    for (std::int32_t k = 0; k < r.chunks; ++k) {
      Round round;
      for (std::int32_t rank = 0; rank < r.ranks; ++rank) {
        const std::int32_t own = grid.coordinate(rank, d);
        for (const Piece& p : pieces(own, own, k)) b.copy(rank, p.src, p.dst);
        if (own != 0) continue;
        Group g = group_along(r, grid, d, rank, k);
        g.channel = k * channels + first_channel[i];
        for (std::int32_t t = 1; t < g.size(); ++t) {
          for (std::int32_t j = 0; j < g.size(); ++j)
            round.add(distance_hop(g, j, t), Arrival::store, pieces((j + t) % g.size(), j, k));
        }
      }
      b.run(round);
    }
    from = to;
  }
  return b.finish(algorithm_name(r));
}

}  // namespace

Algorithm build_hierarchical(const CollectiveRequest& r) {
  const Grid grid(r);
  return r.collective == Collective::all_to_all ? build_all_to_all(r, grid) : build_by_groups(r, grid);
}

}  // namespace convert::collectives
