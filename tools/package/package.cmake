# Debian packages, by `./bootstrap deb` or cpack: etkit (tools, manual, completions, test data) and libetkit-dev.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_VENDOR etkit)
set(CPACK_PACKAGE_CONTACT "etkit contributors <etkit@localhost>")
set(CPACK_PACKAGE_CHECKSUM SHA256)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_THREADS 0)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL tools development)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_ENABLE_COMPONENT_DEPENDS OFF)

set(CPACK_DEBIAN_TOOLS_PACKAGE_NAME etkit)
set(CPACK_DEBIAN_TOOLS_PACKAGE_SECTION science)
set(CPACK_DEBIAN_TOOLS_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_TOOLS_PACKAGE_RECOMMENDS "graphviz, man-db")
set(CPACK_DEBIAN_TOOLS_PACKAGE_SUGGESTS "chromium, jq")
set(CPACK_DEBIAN_TOOLS_DESCRIPTION "tools for Chakra execution traces of distributed machine learning
 Makes, checks, draws and simulates execution traces: graphs of the computations,
 memory accesses and messages of each GPU of a machine-learning system. Converts
 recordings of PyTorch, collective algorithms (MSCCL-IR, TACOS) and workloads of
 other simulators; proves collectives correct; replays traces on any network;
 shows runs as pages and timelines.")

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libetkit-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "libprotobuf-dev, libpugixml-dev, libsimdjson-dev, libssl-dev,\
 libyaml-cpp-dev, libzstd-dev, zlib1g-dev")
set(CPACK_DEBIAN_DEVELOPMENT_DESCRIPTION "library and headers for Chakra execution traces
 Reads, makes, checks, links and writes Chakra execution traces from C++ programs:
 find_package(etkit), target_link_libraries(program etkit::convert).")

set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_LIST_DIR}/debian.cmake)
set(CPACK_ETKIT_SOURCE_DIR ${PROJECT_SOURCE_DIR})
include(CPack)
