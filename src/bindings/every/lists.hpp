/* SPDX-License-Identifier: MIT */
/* Lists, behind what shows their records: numbers in a line, records one after the other. */
template <typename T> void show(const std::string &name, const std::vector<T> &list) {
    std::string line = name;
    for (const T &x : list)
        line += " " + one(x);
    std::puts(line.c_str());
}
static void show(const std::string &name, const std::vector<tvgp_query> &list) {
    for (const tvgp_query &q : list)
        show(name, q);
}
