# SPDX-License-Identifier: MIT
# Policies inside other programs (docs/guide/sharing-a-policy.md). Each module is one file, is built where the headers of its program
# are installed, and needs libc and libm only.
option(TVGP_BUILD_INTEGRATIONS "Build the modules for other programs where their headers are installed" ${PROJECT_IS_TOP_LEVEL})
if(NOT TVGP_BUILD_INTEGRATIONS OR NOT tvgp_shared)
    return()
endif()

function(tvgp_add_integration name source)
    add_library(tvgp_${name} MODULE ${source})
    target_link_libraries(tvgp_${name} PRIVATE tvgp::plain m)
    target_compile_options(tvgp_${name} PRIVATE -Wall -Wextra -Wshadow $<$<BOOL:${TVGP_WERROR}>:-Werror>)
    target_link_options(tvgp_${name} PRIVATE -Wl,--exclude-libs,ALL)
    set_target_properties(tvgp_${name} PROPERTIES PREFIX "" OUTPUT_NAME tvgp SUFFIX .so
        LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/integration/${name})
endfunction()

find_path(TVGP_SQLITE_INCLUDE sqlite3ext.h)
if(TVGP_SQLITE_INCLUDE)
    tvgp_add_integration(sqlite src/integration/sqlite/tvgp_sqlite.c)
    target_compile_definitions(tvgp_sqlite PRIVATE _POSIX_C_SOURCE=200809L)
    target_compile_options(tvgp_sqlite PRIVATE -Wpedantic -Wconversion)
    target_include_directories(tvgp_sqlite SYSTEM PRIVATE ${TVGP_SQLITE_INCLUDE})
    set_target_properties(tvgp_sqlite PROPERTIES OUTPUT_NAME tvgp0) # tvgp.so would be taken for the package of Python
    if(TVGP_INSTALL)
        install(TARGETS tvgp_sqlite LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/sqlite3 COMPONENT sqlite)
    endif()
endif()

find_program(TVGP_PG_CONFIG pg_config)
if(TVGP_PG_CONFIG)
    foreach(part includedir-server pkglibdir sharedir)
        execute_process(COMMAND ${TVGP_PG_CONFIG} --${part} OUTPUT_VARIABLE tvgp_pg_${part} OUTPUT_STRIP_TRAILING_WHITESPACE)
    endforeach()
    find_path(TVGP_POSTGRES_INCLUDE postgres.h PATHS ${tvgp_pg_includedir-server} NO_DEFAULT_PATH)
endif()
if(TVGP_PG_CONFIG AND TVGP_POSTGRES_INCLUDE)
    tvgp_add_integration(postgres src/integration/postgres/tvgp_postgres.c)
    target_compile_definitions(tvgp_postgres PRIVATE _GNU_SOURCE)
    target_include_directories(tvgp_postgres SYSTEM PRIVATE ${TVGP_POSTGRES_INCLUDE})
    if(TVGP_INSTALL)
        install(TARGETS tvgp_postgres LIBRARY DESTINATION ${tvgp_pg_pkglibdir} COMPONENT postgres EXCLUDE_FROM_ALL)
        install(FILES src/integration/postgres/tvgp.control src/integration/postgres/tvgp--1.0.sql
            DESTINATION ${tvgp_pg_sharedir}/extension COMPONENT postgres EXCLUDE_FROM_ALL)
    endif()
endif()

# Redis passes its functions at run time: no header is needed.
tvgp_add_integration(redis src/integration/redis/tvgp_redis.c)
target_compile_definitions(tvgp_redis PRIVATE _POSIX_C_SOURCE=200809L)
target_compile_options(tvgp_redis PRIVATE -Wconversion)
if(TVGP_INSTALL)
    # Redis refuses a module that may not be executed.
    install(TARGETS tvgp_redis LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/redis COMPONENT redis PERMISSIONS
        OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
endif()

# The module for Lua, once for each version: the versions differ in their binary interface. That for 5.1 is also LuaJIT's. LuaRocks names
# the headers of the one version it wants.
set(TVGP_LUA_INCLUDE "" CACHE PATH "Headers of the Lua for which the target tvgp_lua builds the module")
if(TVGP_LUA_INCLUDE)
    tvgp_add_integration(lua src/integration/lua/tvgp_lua.c)
    target_include_directories(tvgp_lua SYSTEM PRIVATE ${TVGP_LUA_INCLUDE})
endif()
foreach(version 5.1 5.2 5.3 5.4)
    find_path(TVGP_LUA${version}_INCLUDE lua.h PATH_SUFFIXES lua${version} NO_CMAKE_FIND_ROOT_PATH)
    if(TVGP_LUA${version}_INCLUDE MATCHES "lua${version}$")
        tvgp_add_integration(lua${version} src/integration/lua/tvgp_lua.c)
        target_compile_options(tvgp_lua${version} PRIVATE -Wpedantic -Wconversion)
        target_include_directories(tvgp_lua${version} SYSTEM PRIVATE ${TVGP_LUA${version}_INCLUDE})
        if(TVGP_INSTALL)
            install(TARGETS tvgp_lua${version} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/lua/${version} COMPONENT lua OPTIONAL)
        endif()
    endif()
endforeach()
if(TVGP_INSTALL)
    install(FILES src/integration/nginx/tvgp_upstream.lua DESTINATION ${CMAKE_INSTALL_DATADIR}/tvgp COMPONENT lua)
endif()
