# Debian packages, by `./bootstrap deb` or cpack: etkit (tools, manual, completions, test data), libetkit0.1 (the shared
# library, if BUILD_SHARED_LIBS is ON) and libetkit-dev (headers, what find_package reads, et_proto).
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
if(BUILD_SHARED_LIBS)
  list(APPEND CPACK_COMPONENTS_ALL library)
endif()
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
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "libprotobuf-dev")
if(NOT BUILD_SHARED_LIBS)  # programs link what the static library uses
  string(APPEND CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
    ", libpugixml-dev, libsimdjson-dev, libssl-dev, libyaml-cpp-dev, libzstd-dev, zlib1g-dev")
endif()
set(CPACK_DEBIAN_DEVELOPMENT_DESCRIPTION "library and headers for Chakra execution traces
 Reads, makes, checks, links and writes Chakra execution traces from C++ programs:
 find_package(etkit), target_link_libraries(program etkit::convert).")

set(library_package libetkit${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
if(BUILD_SHARED_LIBS)
  set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME ${library_package})
  set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
  set(CPACK_DEBIAN_LIBRARY_PACKAGE_SHLIBDEPS ON)
  set(CPACK_DEBIAN_LIBRARY_DESCRIPTION "shared library for Chakra execution traces
 Reads, makes, checks, links, simulates and writes Chakra execution traces: the tools
 of etkit and programs that are built with libetkit-dev use it.")
  # Programs and library of one build belong together: version 0.1 promises no stable binary interface.
  set(same_build "${library_package} (= ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})")
  set(CPACK_DEBIAN_TOOLS_PACKAGE_DEPENDS "${same_build}")
  string(PREPEND CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "${same_build}, ")
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR}/lib)
endif()

set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_LIST_DIR}/debian.cmake)
set(CPACK_ETKIT_SOURCE_DIR ${PROJECT_SOURCE_DIR})
include(CPack)
