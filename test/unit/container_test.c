/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * P10: which control groups are containers, and what their runtimes call them. The files are those that
 * runtimes write, in a folder of their own; and what an enemy could put there.
 */
#include "check.h"

#include "wire/json_walk.h"
#include "process/container.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ID_A "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define ID_B "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
#define ID_C "cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc"
#define ID_D "dddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd"
#define ID_E "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

/* ---- directories ---- */

static void directories(void)
{
	static const struct { const char *dir, *text; bool id; } rows[] = {
		{ "docker-" ID_E ".scope", ID_E, true }, { ID_E, ID_E, true },
		{ "cri-containerd-" ID_E ".scope", ID_E, true }, { "crio-" ID_E ".scope", ID_E, true },
		{ "crio-" ID_E, ID_E, true }, { "libpod-" ID_E ".scope", ID_E, true },
		{ "nerdctl-" ID_E ".scope", ID_E, true }, { "lxc.payload.web", "web", false },
		{ "machine-fedora.scope", "fedora", false }, { "libpod-conmon-" ID_E ".scope", NULL, false },
		{ "crio-conmon-" ID_E ".scope", NULL, false }, { "cron.service", NULL, false },
		{ "system.slice", NULL, false }, { "session-1.scope", NULL, false }, { "", NULL, false },
		{ ".scope", NULL, false }, { "lxc.payload.", NULL, false }, { "machine-.scope", NULL, false },
		{ "x" ID_E, NULL, false }, { ID_E "0", NULL, false }, { "lxc.monitor.web", NULL, false },
		{ "0123456789ABCDEF0123456789abcdef0123456789abcdef0123456789abcdef", NULL, false },
		{ "kubepods-besteffort-pod8a4e4a3b_53b3_4a52_b9c8_0a7d6f0b4f5e.slice", NULL, false },
	};
	char text[DT_CONTAINER_TEXT];
	bool id;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		bool found = dt_container_of(rows[i].dir, text, &id);

		if (!CHECK(found == (rows[i].text != NULL)) ||
		    (found && !(CHECK(strcmp(text, rows[i].text) == 0) && CHECK(id == rows[i].id))))
			fprintf(stderr, "  %s\n", rows[i].dir);
	}
}

/* Any length, any byte: nothing is read outside. */
static void strange_directories(void)
{
	char dir[400], text[DT_CONTAINER_TEXT];
	bool id;

	for (size_t n = 0; n < sizeof(dir); n++) {
		memset(dir, 'a', sizeof(dir));
		dir[n] = '\0';
		if (n < sizeof(dir))
			CHECK(dt_container_of(dir, text, &id) == (n == 64));
	}
	CHECK(dt_container_of("lxc.payload.a\033[2J", text, &id) && strcmp(text, "a?[2J") == 0);
}

/* ---- JSON ---- */

static bool note(void *ctx, const char *where, const char *value)
{
	char *all = ctx;

	snprintf(all + strlen(all), 4096 - strlen(all), "%s=%s;", where, value);
	return strcmp(value, "stop") != 0;
}

static void json(void)
{
	static const struct { const char *text, *want; bool good; } rows[] = {
		{ "{\"a\":\"x\",\"b\":[1,\"y\",{\"c\":\"z\"}],\"d\":null}", "/a=x;/b/1=y;/b/2/c=z;", true },
		{ " [ \"x\" , \"stop\" , ", "/0=x;/1=stop;", true }, { "\"x\"", "=x;", true },
		{ "{\"a\":\"\\u0041\\u00e9\\n\\u0000\\ud800\"}", "/a=A\xc3\xa9\n??;", true },
		{ "{}", "", true }, { "[]", "", true }, { "-1.5e+3", "", true }, { "", "", false },
		{ "{", "", false }, { "{\"a\"}", "", false }, { "{\"a\":\"x\"", "/a=x;", false },
		{ "[\"x\"]]", "/0=x;", false }, { "{\"a\":\"x", "", false }, { "\"\\q\"", "", false },
		{ "\"\\u12", "", false }, { "[,]", "", false }, { "{\"a\":}", "", false },
		{ "nul\"", "", false },
	};
	char all[4096], deep[200];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		all[0] = '\0';
		if (!CHECK(dt_jsonwalk(rows[i].text, strlen(rows[i].text), note, all) == rows[i].good) ||
		    !CHECK(strcmp(all, rows[i].want) == 0))
			fprintf(stderr, "  %s: %s\n", rows[i].text, all);
	}
	memset(deep, '[', sizeof(deep));
	CHECK(!dt_jsonwalk(deep, sizeof(deep), note, all));
	all[0] = '\0';
	CHECK(!dt_jsonwalk("[\"a\0b\"]", 7, note, all) && all[0] == '\0');
}

/* A text that is cut anywhere is never read behind its end; the sanitizer looks. */
static void cut_json(void)
{
	static const char text[] = "{\"a\\u00e9\":[\"x\",{\"b\":\"\\n\"}],\"c\":true}";
	char all[4096], *copy;

	for (size_t n = 0; n < sizeof(text); n++) {
		copy = malloc(n + 1);
		if (!CHECK(copy != NULL))
			return;
		memcpy(copy, text, n);
		all[0] = '\0';
		CHECK(dt_jsonwalk(copy, n, note, all) == (n == sizeof(text) - 1));
		free(copy);
	}
}

/* ---- files ---- */

static void put(const char *root, const char *path, const char *text)
{
	char name[512];
	FILE *f;

	snprintf(name, sizeof(name), "%s%s", root, path);
	for (char *p = name + strlen(root) + 1; (p = strchr(p, '/')) != NULL; p++) {
		*p = '\0';
		(void)mkdir(name, 0755);
		*p = '/';
	}
	f = fopen(name, "w");
	if (CHECK(f != NULL)) {
		fputs(text, f);
		fclose(f);
	}
}

static const char *name_of(const struct dt_containers *c, const char *id)
{
	uint32_t n;
	const struct dt_container *v = dt_containers_list(c, &n);

	for (uint32_t i = 0; i < n; i++)
		if (strcmp(v[i].id, id) == 0)
			return v[i].name;
	return "";
}

static void files(const char *root)
{
	struct dt_containers *c = dt_containers_new(root);
	uint32_t n;

	if (!CHECK(c != NULL))
		return;
	CHECK(dt_containers_read(c) && !dt_containers_read(c));
	put(root, "/var/lib/docker/containers/" ID_A "/config.v2.json", "");
	CHECK(dt_containers_read(c));
	CHECK(strcmp(name_of(c, ID_A), "") == 0);	/* it is made, and not written yet */
	put(root, "/var/lib/docker/containers/" ID_A "/config.v2.json",
	    "{\"State\":{\"Name\":\"wrong\"},\"Config\":{\"Image\":\"nginx\"},\"Name\":\"/web\"}");
	CHECK(dt_containers_read(c) && strcmp(name_of(c, ID_A), "web") == 0);
	CHECK(!dt_containers_read(c));
	put(root, "/var/lib/docker/containers/not-an-id/config.v2.json", "{\"Name\":\"/no\"}");
	put(root, "/var/lib/containers/storage/overlay-containers/containers.json",
	    "[{\"names\":[\"pod\\u001b[31m\",\"second\"],\"id\":\"" ID_B "\"},"
	    "{\"id\":\"short\",\"names\":[\"no\"]}]");
	put(root, "/var/log/containers/nginx-5d59_default_front-" ID_C ".log", "");
	put(root, "/var/log/containers/nginx_bad-" ID_D ".log", "");
	put(root, "/var/log/containers/" ID_D ".log", "");
	put(root, "/run/containerd/io.containerd.runtime.v2.task/default/" ID_E "/config.json",
	    "{\"annotations\":{\"nerdctl/name\":\"job\"}}");
	CHECK(dt_containers_read(c));
	(void)dt_containers_list(c, &n);
	CHECK(n == 4);
	CHECK(strcmp(name_of(c, ID_B), "pod?[31m") == 0);
	CHECK(strcmp(name_of(c, ID_C), "default/nginx-5d59/front") == 0);
	CHECK(strcmp(name_of(c, ID_E), "job") == 0);
	dt_containers_free(c);
	dt_containers_free(NULL);
}

static void words(void)
{
	static const struct dt_container web = { ID_E, "web" }, pod = { ID_A, "default/nginx-5d59/front" };

	CHECK(dt_container_is(&web, "web") && dt_container_is(&web, "012345") && dt_container_is(&web, ID_E));
	CHECK(!dt_container_is(&web, "we") && !dt_container_is(&web, "01234") && !dt_container_is(&web, ""));
	CHECK(dt_container_is(&pod, "front") && dt_container_is(&pod, "nginx-5d59"));
	CHECK(dt_container_is(&pod, "nginx-5d59/front") && dt_container_is(&pod, "default/nginx-5d59/front"));
	CHECK(!dt_container_is(&pod, "default") && !dt_container_is(&pod, "nginx"));
}

int main(void)
{
	char root[] = "/tmp/container_test.XXXXXX", command[64];

	directories();
	strange_directories();
	json();
	cut_json();
	words();
	if (CHECK(mkdtemp(root) != NULL)) {
		files(root);
		snprintf(command, sizeof(command), "rm -rf %s", root);
		CHECK(system(command) == 0);
	}
	return check_report("container");
}
