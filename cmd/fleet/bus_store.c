/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A stream of JetStream: messages that the bus keeps, up to an age and a size, and gives to who reads them
 * later. A message that is published twice under one id within two minutes is stored once. A publish has
 * happened when the server has confirmed it.
 */
#include "bus_impl.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SUBJECTS "dt.history.>"
#define NO_JETSTREAM "the bus has no JetStream, or not for this account: start nats-server with jetstream " \
	"{ store_dir: ... } and \"jetstream: enabled\" in the account"

enum { READ_MS = 20000 };

/* A server without it does not answer, and neither does one that does not permit the request. */
static const char *reason(natsStatus st, jsErrCode code)
{
	if (code == JSNotEnabledErr || code == JSNotEnabledForAccountErr || st == NATS_NO_RESPONDERS)
		return NO_JETSTREAM;
	if (code == JSStreamNotFoundErr)
		return "the bus has no such stream: an agent with \"history\" in its settings makes it";
	if (st == NATS_TIMEOUT)
		return "the bus did not answer: it has no JetStream, or the permissions of this user are not "
		    "those that doc/FLEET.md lists for the history";
	return nats_GetLastError(NULL) != NULL ? nats_GetLastError(NULL) : natsStatus_GetText(st);
}

static bool fail(char *why, const char *stream, natsStatus st, jsErrCode code)
{
	snprintf(why, STORE_WHY, "stream %s: %s", stream, reason(st, code));
	text_clean(why);
	return false;
}

/* ---- storing ---- */

/* Limits of our own are those that its maker has given. */
static bool make_stream(struct bus_store *s, jsCtx *js, char *why)
{
	static const char *subjects[] = { SUBJECTS };
	jsStreamInfo *info = NULL;
	jsStreamConfig c;
	jsErrCode code = 0;
	natsStatus st;

	jsStreamConfig_Init(&c);
	c.Name = s->stream;
	c.Subjects = subjects;
	c.SubjectsLen = 1;
	c.MaxAge = s->hours * 3600 * 1000000000ll;
	c.MaxBytes = (int64_t)s->mib << 20;
	c.Discard = js_DiscardOld;
	c.Duplicates = 120 * 1000000000ll < c.MaxAge ? 120 * 1000000000ll : c.MaxAge;
	st = js_GetStreamInfo(&info, js, s->stream, NULL, &code);
	jsStreamInfo_Destroy(info);
	if (st == NATS_OK)
		st = js_UpdateStream(NULL, js, &c, NULL, &code);
	else if (code == JSStreamNotFoundErr || st == NATS_NOT_FOUND)
		st = js_AddStream(NULL, js, &c, NULL, &code);
	s->made = st == NATS_OK || code == JSStreamNameExistErr;
	return s->made || fail(why, s->stream, st, code);
}

bool bus_store(struct bus_store *s, const char *subject, const char *id, const void *p, size_t len, char *why)
{
	natsMsg *msg = NULL;
	jsPubOptions o;
	jsErrCode code = 0;
	jsCtx *js = NULL;
	natsStatus st = natsConnection_JetStream(&js, s->bus->nc, NULL);
	bool good = st == NATS_OK || fail(why, s->stream, st, 0);

	if (good && !s->made)
		good = make_stream(s, js, why);
	jsPubOptions_Init(&o);
	o.MsgId = id;
	o.ExpectStream = s->stream;
	if (good) {
		st = natsMsg_Create(&msg, subject, NULL, p, (int)len);
		if (st == NATS_OK)
			st = js_PublishMsg(NULL, js, msg, &o, &code);
		good = st == NATS_OK || fail(why, s->stream, st, code);
		s->made = good;			/* else it may have been removed */
	}
	natsMsg_Destroy(msg);
	jsCtx_Destroy(js);
	return good;
}

/* ---- reading ---- */

struct bus_past {
	const char *stream;
	jsCtx *js;
	jsStreamInfo *info;
	natsSubscription *sub;
	bool empty, ended;
};

uint64_t bus_past_begin(const struct bus_past *p)
{
	return p->info->State.Msgs > 0 ? (uint64_t)p->info->State.FirstTime : 0;
}

const char *bus_past_subject(const struct bus_past *p, int i)
{
	const jsStreamStateSubjects *s = p->info->State.Subjects;

	return s != NULL && i >= 0 && i < s->Count ? s->List[i].Subject : NULL;
}

static bool look(struct bus_past *p, char *why)
{
	jsOptions o;
	jsErrCode code = 0;
	natsStatus st;

	jsOptions_Init(&o);
	o.Stream.Info.SubjectsFilter = SUBJECTS;
	st = js_GetStreamInfo(&p->info, p->js, p->stream, &o, &code);
	if (st == NATS_NOT_FOUND && code == 0)
		code = JSStreamNotFoundErr;
	return (st == NATS_OK && p->info != NULL) || fail(why, p->stream, st, code);
}

/* In order, without acknowledgements; what the server has not sent yet it asks for again by itself. */
bool bus_past_read(struct bus_past *p, const char *subject, uint64_t since, char *why)
{
	jsConsumerInfo *info = NULL;
	jsSubOptions o;
	jsErrCode code = 0;
	natsStatus st;

	jsSubOptions_Init(&o);
	o.Stream = p->stream;
	o.Ordered = true;
	o.Config.DeliverPolicy = js_DeliverByStartTime;
	o.Config.OptStartTime = (int64_t)since;
	st = js_SubscribeSync(&p->sub, p->js, subject, NULL, &o, &code);
	if (st == NATS_OK)
		st = natsSubscription_GetConsumerInfo(&info, p->sub, NULL, &code);
	p->empty = st == NATS_OK && info->NumPending == 0 && info->Delivered.Consumer == 0;
	jsConsumerInfo_Destroy(info);
	return st == NATS_OK || fail(why, p->stream, st, code);
}

struct bus_past *bus_past_open(struct bus *b, const char *stream, char *why)
{
	struct bus_past *p = calloc(1, sizeof(*p));

	if (p == NULL || natsConnection_JetStream(&p->js, b->nc, NULL) != NATS_OK) {
		snprintf(why, STORE_WHY, "out of memory");
		free(p);
		return NULL;
	}
	p->stream = stream;
	if (look(p, why))
		return p;
	bus_past_close(p);
	return NULL;
}

static struct bus_message *copy(natsMsg *msg)
{
	struct bus_message *m = calloc(1, sizeof(*m));

	if (m == NULL)
		return NULL;
	m->len = (size_t)natsMsg_GetDataLength(msg);
	m->subject = strdup(natsMsg_GetSubject(msg));
	m->bytes = malloc(m->len + 1);
	if (m->subject != NULL && m->bytes != NULL) {
		memcpy(m->bytes, natsMsg_GetData(msg), m->len);
		return m;
	}
	bus_free(m);
	return NULL;
}

int bus_past_next(struct bus_past *p, struct bus_stored *s, char *why)
{
	natsMsg *msg = NULL;
	jsMsgMetaData *data = NULL;
	natsStatus st;

	if (p->empty || p->ended)
		return 0;
	st = natsSubscription_NextMsg(&msg, p->sub, READ_MS);
	if (st == NATS_OK)
		st = natsMsg_GetMetaData(&data, msg);
	if (st == NATS_OK) {
		*s = (struct bus_stored){ copy(msg), (uint64_t)data->Timestamp, data->NumPending == 0 };
		p->ended = s->last;
		st = s->message != NULL ? NATS_OK : NATS_NO_MEMORY;
	}
	jsMsgMetaData_Destroy(data);
	natsMsg_Destroy(msg);
	return st == NATS_OK ? 1 : fail(why, p->stream, st, 0) - 1;
}

void bus_past_close(struct bus_past *p)
{
	natsSubscription_Destroy(p->sub);
	jsStreamInfo_Destroy(p->info);
	jsCtx_Destroy(p->js);
	free(p);
}
