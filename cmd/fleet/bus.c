/* SPDX-License-Identifier: BSD-2-Clause */
/* See bus.h. Threads of the library put messages into a list under a lock; our one thread takes them out. */
#include "bus_impl.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

/* ---- threads of the library ---- */

static void wake(struct bus *b)
{
	uint64_t one = 1;

	if (write(b->fd, &one, sizeof(one)) < 0)
		return;			/* it is readable already */
}

static void on_message(natsConnection *nc, natsSubscription *sub, natsMsg *msg, void *arg)
{
	struct bus *b = arg;
	size_t len = (size_t)natsMsg_GetDataLength(msg);
	struct bus_message *m = calloc(1, sizeof(*m));

	(void)nc, (void)sub;
	if (m != NULL) {
		m->subject = strdup(natsMsg_GetSubject(msg));
		m->bytes = malloc(len + 1);
		m->len = len;
	}
	pthread_mutex_lock(&b->lock);
	if (m == NULL || m->subject == NULL || m->bytes == NULL || b->waiting + len > WAITING_MAX) {
		b->dropped++;
		pthread_mutex_unlock(&b->lock);
		bus_free(m);
	} else {
		memcpy(m->bytes, natsMsg_GetData(msg), len);
		*b->last = m;
		b->last = &m->next;
		b->waiting += len;
		pthread_mutex_unlock(&b->lock);
	}
	natsMsg_Destroy(msg);
	wake(b);
}

static void on_error(natsConnection *nc, natsSubscription *sub, natsStatus status, void *arg)
{
	struct bus *b = arg;
	const char *text = NULL;

	(void)sub;
	(void)natsConnection_GetLastError(nc, &text);
	pthread_mutex_lock(&b->lock);
	if (b->trouble[0] == '\0')
		snprintf(b->trouble, sizeof(b->trouble), "%s%s%s", natsStatus_GetText(status),
		    text != NULL && text[0] != '\0' ? ": " : "", text != NULL ? text : "");
	text_clean(b->trouble);
	pthread_mutex_unlock(&b->lock);
	wake(b);
}

static void on_loss(natsConnection *nc, void *arg)
{
	struct bus *b = arg;

	(void)nc;
	pthread_mutex_lock(&b->lock);
	b->losses++;
	pthread_mutex_unlock(&b->lock);
	wake(b);
}

/* It is there again, or closed for good. */
static void on_change(natsConnection *nc, void *arg)
{
	(void)nc;
	wake(arg);
}

/* ---- a connection ---- */

static bool is_local(const char *url)
{
	static const char *const local[] = { "127.", "localhost", "[::1]" };
	const char *host = strstr(url, "://");

	host = host != NULL ? host + 3 : url;
	if (strchr(host, '@') != NULL)
		host = strchr(host, '@') + 1;
	for (size_t i = 0; i < sizeof(local) / sizeof(local[0]); i++)
		if (strncmp(host, local[i], strlen(local[i])) == 0)
			return true;
	return false;
}

static bool has_tls(const struct settings *s)
{
	return strncmp(s->bus, "tls://", 6) == 0;
}

static int refuse(const char *who, const char *why, const char *what)
{
	fprintf(stderr, "%s: %s%s%s\n", who, why, what[0] != '\0' ? ": " : "", what);
	return -1;
}

/* The URL may hold nothing that could be taken for more than one. */
static int check_url(const struct settings *s, const char *who)
{
	if (s->bus[0] == '\0')
		return refuse(who, "no bus is named: --bus URL, or the line \"bus URL\" of the settings", "");
	for (const char *p = s->bus; *p != '\0'; p++)
		if (*p <= ' ' || (unsigned char)*p >= 0x7f)
			return refuse(who, "the URL of the bus has a character that cannot be in it", "");
	if (!has_tls(s) && strncmp(s->bus, "nats://", 7) != 0)
		return refuse(who, "the URL of the bus begins with tls:// or nats://", s->bus);
	if (!has_tls(s) && !is_local(s->bus))
		return refuse(who,
		    "a bus without TLS is used on this machine alone: give tls://HOST:PORT, not", s->bus);
	return 0;
}

static natsStatus set_password(natsOptions *o, const struct settings *s)
{
	char word[256] = "";
	FILE *f = s->password_file[0] != '\0' ? fopen(s->password_file, "re") : NULL;

	if (s->password_file[0] == '\0')
		return NATS_OK;
	if (f == NULL || fgets(word, sizeof(word), f) == NULL)
		word[0] = '\0';
	if (f != NULL)
		fclose(f);
	word[strcspn(word, "\r\n")] = '\0';
	return natsOptions_SetUserInfo(o, s->user, word);
}

static natsStatus set_options(
    struct bus *b, natsOptions *o, const struct settings *s, const char *who, bool waits)
{
	natsStatus st = natsOptions_SetURL(o, s->bus);
	char token[NAME_LENGTH], inbox[2 * NAME_LENGTH];

	if (st == NATS_OK && has_tls(s))
		st = natsOptions_SetSecure(o, true);
	if (st == NATS_OK && s->ca[0] != '\0')
		st = natsOptions_LoadCATrustedCertificates(o, s->ca);
	if (st == NATS_OK && s->cert[0] != '\0')
		st = natsOptions_LoadCertificatesChain(o, s->cert, s->key);
	if (st == NATS_OK)
		st = set_password(o, s);
	if (st == NATS_OK && s->nkey[0] != '\0')
		st = natsOptions_SetNKeyFromSeed(o, s->nkey, s->seed);
	if (st == NATS_OK && name_token(s->name[0] != '\0' ? s->name : s->user, token)) {
		snprintf(inbox, sizeof(inbox), "dt.inbox.%s", token);	/* answers of JetStream */
		st = natsOptions_SetCustomInboxPrefix(o, inbox);
	}
	if (st != NATS_OK)
		return st;
	(void)natsOptions_SetName(o, who);
	(void)natsOptions_SetMaxReconnect(o, -1);
	(void)natsOptions_SetReconnectWait(o, 500);
	(void)natsOptions_SetReconnectJitter(o, 500, 500);
	(void)natsOptions_SetPingInterval(o, 10000);
	(void)natsOptions_SetTimeout(o, 10000);
	(void)natsOptions_SetSendAsap(o, true);
	(void)natsOptions_SetWriteDeadline(o, 5000);
	(void)natsOptions_SetReconnectBufSize(o, 1 << 20);
	(void)natsOptions_SetErrorHandler(o, on_error, b);
	(void)natsOptions_SetDisconnectedCB(o, on_loss, b);
	(void)natsOptions_SetReconnectedCB(o, on_change, b);
	(void)natsOptions_SetClosedCB(o, on_change, b);
	return natsOptions_SetRetryOnFailedConnect(o, waits, waits ? on_change : NULL, waits ? b : NULL);
}

static natsStatus connect_bus(struct bus *b, const struct settings *s, const char *who, bool waits)
{
	natsOptions *o = NULL;
	natsStatus st = natsOptions_Create(&o);

	if (st == NATS_OK)
		st = set_options(b, o, s, who, waits);
	if (st == NATS_OK)
		st = natsConnection_Connect(&b->nc, o);
	natsOptions_Destroy(o);
	return st;
}

struct bus *bus_open(const struct settings *s, const char *who, bool waits)
{
	struct bus *b;
	natsStatus st = NATS_OK;

	if (check_url(s, who) != 0)
		return NULL;
	b = calloc(1, sizeof(*b));
	if (b == NULL || (b->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) < 0) {
		free(b);
		refuse(who, "the bus", strerror(errno));
		return NULL;
	}
	b->last = &b->first;
	pthread_mutex_init(&b->lock, NULL);
	/*
	 * One of some hundred connections with an nkey is refused ("Authorization Violation", libnats 3.4.1,
	 * nats-server 2.9.10), and the next one with the same key is not. A connection that waits for its
	 * server would be closed by that, so the library waits only where none answers.
	 */
	for (int i = 0; i < 4 && (i == 0 || st == NATS_CONNECTION_AUTH_FAILED); i++) {
		if (i > 0)
			nats_Sleep(200);
		st = connect_bus(b, s, who, false);
	}
	if (waits && st != NATS_OK && st != NATS_CONNECTION_AUTH_FAILED)
		st = connect_bus(b, s, who, true);
	if (st == NATS_OK || (waits && st == NATS_NOT_YET_CONNECTED))
		return b;
	fprintf(stderr, "%s: the bus %s: %s\n", who, s->bus,
	    nats_GetLastError(NULL) != NULL ? nats_GetLastError(NULL) : natsStatus_GetText(st));
	bus_close(b);
	return NULL;
}

/* ---- messages ---- */

/* Tokens of ours with points between them; * and > only where one subscribes. */
static bool subject_good(const char *s, bool wild)
{
	char token[NAME_LENGTH];

	for (;;) {
		size_t n = strcspn(s, ".");

		if (n >= sizeof(token))
			return false;
		memcpy(token, s, n);
		token[n] = '\0';
		if (!name_good(token) &&
		    !(wild && (strcmp(token, "*") == 0 || (strcmp(token, ">") == 0 && s[n] == '\0'))))
			return false;
		if (s[n] == '\0')
			return true;
		s += n + 1;
	}
}

int bus_subscribe(struct bus *b, const char *subject)
{
	if (!subject_good(subject, true) || b->nsubs == SUBSCRIPTIONS_MAX ||
	    natsConnection_Subscribe(&b->sub[b->nsubs], b->nc, subject, on_message, b) != NATS_OK)
		return -1;
	b->nsubs++;
	return 0;
}

int bus_send(struct bus *b, const char *subject, const void *p, size_t len)
{
	if (!subject_good(subject, false) || len > MESSAGE_MAX)
		return -1;
	return natsConnection_Publish(b->nc, subject, p, (int)len) == NATS_OK ? 0 : -1;
}

bool bus_flush(struct bus *b) { return natsConnection_FlushTimeout(b->nc, 5000) == NATS_OK; }

struct bus_message *bus_take(struct bus *b)
{
	struct bus_message *m;
	uint64_t n;

	pthread_mutex_lock(&b->lock);
	m = b->first;
	if (m != NULL) {
		b->first = m->next;
		b->waiting -= m->len;
		if (b->first == NULL)
			b->last = &b->first;
	} else if (read(b->fd, &n, sizeof(n)) < 0) {
		errno = 0;			/* nobody has woken us */
	}
	pthread_mutex_unlock(&b->lock);
	return m;
}

void bus_free(struct bus_message *m)
{
	if (m != NULL) {
		free(m->subject);
		free(m->bytes);
	}
	free(m);
}

int bus_fd(const struct bus *b) { return b->fd; }
bool bus_closed(const struct bus *b) { return natsConnection_IsClosed(b->nc); }
unsigned bus_losses(const struct bus *b) { return __atomic_load_n(&b->losses, __ATOMIC_RELAXED); }
unsigned long bus_dropped(const struct bus *b) { return __atomic_load_n(&b->dropped, __ATOMIC_RELAXED); }

void bus_trouble(struct bus *b, char *text, size_t len)
{
	pthread_mutex_lock(&b->lock);
	snprintf(text, len, "%s", b->trouble);
	b->trouble[0] = '\0';
	pthread_mutex_unlock(&b->lock);
}

void bus_close(struct bus *b)
{
	for (int i = 0; i < b->nsubs; i++)
		natsSubscription_Destroy(b->sub[i]);
	if (b->nc != NULL)
		natsConnection_Close(b->nc);
	natsConnection_Destroy(b->nc);
	nats_CloseAndWait(2000);
	while (b->first != NULL)
		bus_free(bus_take(b));
	close(b->fd);
	free(b);
}
