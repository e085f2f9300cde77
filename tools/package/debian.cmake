# Changes the files to be packed to the layout of Debian's packages. Runs in cpack, with all components below
# CPACK_TEMPORARY_DIRECTORY.
foreach(component ${CPACK_COMPONENTS_ALL})
  set(root ${CPACK_TEMPORARY_DIRECTORY}/${component}/usr)
  string(TOUPPER ${component} name)
  set(package ${CPACK_DEBIAN_${name}_PACKAGE_NAME})
  set(doc ${root}/share/doc/${package})
  file(COPY ${CPACK_ETKIT_SOURCE_DIR}/LICENSE ${CPACK_ETKIT_SOURCE_DIR}/CHANGELOG.md DESTINATION ${doc})
  file(RENAME ${doc}/LICENSE ${doc}/copyright)
  # Debian's zsh reads completions of packages from another folder than upstream zsh.
  if(EXISTS ${root}/share/zsh/site-functions)
    file(RENAME ${root}/share/zsh/site-functions ${root}/share/zsh/vendor-completions)
  endif()
  file(GLOB compressed ${root}/share/man/man*/*.[0-9] ${doc}/CHANGELOG.md)
  if(compressed)
    execute_process(COMMAND gzip -9n ${compressed} COMMAND_ERROR_IS_FATAL ANY)
  endif()
endforeach()
