// SPDX-License-Identifier: MIT
// Order of search results: for a key with a dot or an underscore the list of options comes first; of pages with the same words the guides
// do, and measurements and work on the library come last.
var Scorer = {
  score: function (result) {
    var page = result[0];
    var isKey = /\w[._]\w/.test(new URLSearchParams(window.location.search).get("q") || "");
    if (page === "reference/options") return result[4] + (isKey ? 20 : 4);
    return result[4] + (/^(guide|start)\//.test(page) ? 3 : /^(benchmarks|project|theory)\//.test(page) ? -3 : 0);
  },
  objNameMatch: 11, objPartialMatch: 6, objPrio: {0: 15, 1: 5, 2: -5}, objPrioDefault: 0,
  title: 15, partialTitle: 7, term: 5, partialTerm: 2
};
