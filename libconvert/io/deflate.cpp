// SPDX-License-Identifier: MIT
#include "io/deflate.h"

#include <zlib.h>

#include <new>

namespace convert {

std::string deflate(std::string_view bytes) {
  uLongf size = compressBound(static_cast<uLong>(bytes.size()));
  std::string out(size, '\0');
  const int result = compress2(reinterpret_cast<Bytef*>(out.data()), &size,
                               reinterpret_cast<const Bytef*>(bytes.data()), static_cast<uLong>(bytes.size()), 9);
  if (result != Z_OK) throw std::bad_alloc();  // there is no other reason: the room is enough
  out.resize(size);
  return out;
}

}  // namespace convert
