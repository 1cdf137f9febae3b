# SPDX-License-Identifier: Apache-2.0
# spmm_embed_profiles(output file...): writes a C file with the bytes of each profile, named by its base name.
function(spmm_embed_profiles output)
  set(arrays "")
  set(entries "")
  foreach(file ${ARGN})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
    get_filename_component(name ${file} NAME_WE)
    file(READ ${file} hex HEX)
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
    string(APPEND arrays "static const unsigned char profile_${name}[] = {${bytes}};\n")
    string(APPEND entries "    {\"${name}\", profile_${name}, sizeof profile_${name}},\n")
  endforeach()
  file(CONFIGURE OUTPUT ${output} @ONLY CONTENT
"/* SPDX-License-Identifier: Apache-2.0 */
/* Written by cmake/profiles.cmake. */
#include \"inspector/cost/device_profile_texts.h\"

@arrays@
const struct spmmi_profile_text spmmi_profile_texts[] = {
@entries@    {NULL, NULL, 0},
};
")
endfunction()
