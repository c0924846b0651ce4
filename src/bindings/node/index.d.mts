// SPDX-License-Identifier: MIT
export * from './index.js';
import * as tvgp from './index.js';
export default tvgp;
