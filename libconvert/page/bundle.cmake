# The programs of the pages: each file of web/src is the program of the PageKind with its name, bundled with its imports
# from folders of web/src and from Debian's d3 modules. embed.py writes the programs to ${page_assets}.
set(page_assets ${CMAKE_CURRENT_BINARY_DIR}/page_assets.cpp)
set(page_web ${CMAKE_CURRENT_SOURCE_DIR}/page/web)
set(page_embed ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/page/embed.py ${page_assets})
if(ETKIT_PAGES)
  find_program(ESBUILD esbuild)
  set(ETKIT_NODE_PATH /usr/share/nodejs CACHE PATH "Folder of the d3 modules")
  foreach(module axis array scale selection shape)
    if(NOT EXISTS ${ETKIT_NODE_PATH}/d3-${module})
      list(APPEND page_missing node-d3-${module})
    endif()
  endforeach()
  if(NOT ESBUILD)
    list(APPEND page_missing esbuild)
  endif()
  if(page_missing)
    list(JOIN page_missing " " page_missing)
    message(FATAL_ERROR "pages require ${page_missing} (apt-get install ${page_missing}); -DETKIT_PAGES=OFF builds without pages")
  endif()
  file(GLOB page_entries CONFIGURE_DEPENDS ${page_web}/src/*.ts)
  file(GLOB_RECURSE page_sources CONFIGURE_DEPENDS ${page_web}/src/*.ts)
  set(page_style ${CMAKE_CURRENT_BINARY_DIR}/page/style.css)
  set(page_bundles)
  set(page_scripts)
  foreach(entry ${page_entries})
    get_filename_component(kind ${entry} NAME_WE)
    list(APPEND page_bundles ${CMAKE_CURRENT_BINARY_DIR}/page/${kind}.js)
    list(APPEND page_scripts ${kind}=${CMAKE_CURRENT_BINARY_DIR}/page/${kind}.js)
  endforeach()
  add_custom_command(OUTPUT ${page_assets} BYPRODUCTS ${page_bundles} ${page_style}
    COMMAND ${CMAKE_COMMAND} -E env NODE_PATH=${ETKIT_NODE_PATH} ${ESBUILD} ${page_entries} --bundle --minify
      --target=es2022 --charset=utf8 --legal-comments=none --format=esm --log-level=warning
      --outdir=${CMAKE_CURRENT_BINARY_DIR}/page
    COMMAND ${ESBUILD} ${page_web}/style.css --minify --charset=utf8 --log-level=warning --outfile=${page_style}
    COMMAND ${page_embed} ${page_style} ${page_scripts}
    DEPENDS ${page_sources} ${page_web}/style.css ${CMAKE_CURRENT_SOURCE_DIR}/page/embed.py
    COMMENT "Bundling the pages" VERBATIM)
else()
  add_custom_command(OUTPUT ${page_assets} COMMAND ${page_embed} DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/page/embed.py
    VERBATIM)
endif()
# The programs of pages are long literals; every compiler here takes them.
set_source_files_properties(${page_assets} PROPERTIES COMPILE_OPTIONS -Wno-overlength-strings)
