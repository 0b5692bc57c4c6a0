// SPDX-License-Identifier: BSD-2-Clause
// Templates that are inlined into each other, in a namespace and in the library.
#include <algorithm>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

namespace shop {
template <typename T> struct cheaper {
	bool operator()(const T &a, const T &b) const { return a.first < b.first; }
};

template <typename T> T sum(const std::vector<T> &v)
{
	T s{};

	for (auto &x : v)
		s += x;
	return s;
}

static std::map<std::string, int> counts;
}

int main(int argc, char **)
{
	std::vector<std::pair<int, std::string>> v;
	std::vector<long> n{1, 2, argc};

	for (int i = 0; i < argc + 5; i++)
		v.emplace_back(i * 7 % 5, std::to_string(i));
	std::sort(v.begin(), v.end(), shop::cheaper<std::pair<int, std::string>>());
	for (auto &p : v)
		shop::counts[p.second] += p.first;
	std::printf("%ld %zu %s\n", shop::sum(n), shop::counts.size(), v[0].second.c_str());
}
