#!/bin/sh
# SPDX-License-Identifier: MIT
# The comments of a header as Doxygen wants them: before a declaration, behind a member, and those that head a part as they are.
# A leading * that is text (*out) and angle brackets are kept from being markup.
sed -e 's#^\( *\)/\* SPDX.*##' -e 's#^/\* ---- \(.*\) -* \*/#/* \1 */#' -e 's#^/\* \([^-]\)#/** \1#' \
    -e 's#\([;,}]\) */\* \(.*\) \*/$#\1 /**< \2 */#' -e 's#^ \* *\*\([a-z]\)# * \\*\1#' -e 's#<\([a-z][a-z_]*\)>#\&lt;\1\&gt;#g' "$1"
