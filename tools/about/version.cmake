# Runs in every build: writes OUTPUT from INPUT if the commit or a library has changed.
set(ETKIT_COMMIT "")
if(GIT AND EXISTS "${SOURCE_DIR}/.git")
  execute_process(COMMAND ${GIT} -C ${SOURCE_DIR} describe --always --dirty --abbrev=7 --exclude=*
    OUTPUT_VARIABLE ETKIT_COMMIT OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
configure_file(${INPUT} ${OUTPUT} @ONLY)
