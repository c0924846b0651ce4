// SPDX-License-Identifier: MIT
// The same package over the shared library, by koffi: require('tvgp/native').
'use strict';
module.exports = require('./api.js')(require('./koffi.js'));
