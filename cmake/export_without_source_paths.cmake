# With the virtual environment inside the source folder, numpy's headers are "prefixed in the source directory"
# and CMake refuses to export the generated Python target. Nobody links against that target from outside, so its
# include directories serve the build only.
function(export_without_source_paths _target)
  get_target_property(_directories ${_target} INTERFACE_INCLUDE_DIRECTORIES)
  set(_kept "")
  foreach(_directory IN LISTS _directories)
    if(_directory MATCHES "^${CMAKE_CURRENT_SOURCE_DIR}/")
      set(_directory "$<BUILD_INTERFACE:${_directory}>")
    endif()
    list(APPEND _kept "${_directory}")
  endforeach()
  set_target_properties(${_target} PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${_kept}")
endfunction()
