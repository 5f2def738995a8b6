# embed(OUT FILE...): the files one after the other, as bytes that a source includes.
function(embed out)
  set(all "")
  foreach(file ${ARGN})
    file(READ ${file} bytes HEX)
    string(APPEND all "${bytes}")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  endforeach()
  string(REGEX REPLACE "(..)" "0x\\1," all "${all}")
  file(CONFIGURE OUTPUT ${out} CONTENT "${all}\n" @ONLY)
endfunction()

# embed_texts(FOLDER): in FOLDER the reports' style and their scripts in the order of their names
# (report/path_html.c, and report/validation_html.c, which shares the tools of a path's), and the kernels of a GPU (la/kind/cuda/cuda_device.c). Called from where src/ is
# ${PARE_ROOT}/src.
function(embed_texts folder)
  foreach(part css js)
    file(GLOB files CONFIGURE_DEPENDS ${PARE_ROOT}/src/report/page/*.${part})
    embed(${folder}/report/path_${part}.inc ${files})
  endforeach()
  set(page ${PARE_ROOT}/src/report/page)
  file(GLOB validation CONFIGURE_DEPENDS ${page}_validation/*.js)
  list(POP_FRONT validation first)
  embed(${folder}/report/validation_js.inc ${first} ${page}/1_base.js ${page}/1_decision.js
        ${page}/1_reader.js ${validation})
  embed(${folder}/la/kind/cuda/cuda_kernels.inc ${PARE_ROOT}/src/la/kind/cuda/cuda_kernels.ptx)
endfunction()
