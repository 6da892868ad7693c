/* Protocol 1 of onnx-conformance for a harness in C11: JSON, base64 and the loop.
 *
 * Nothing here knows a runtime. Include it in one file, fill a p1_harness, and call p1_serve in main.
 * Needs no library beyond the standard one and dup, dup2, fdopen of POSIX (or of Windows).
 */

#ifndef PROTOCOL1_H
#define PROTOCOL1_H

#if !defined(_WIN32) && !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200809L
#endif

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef _WIN32
#include <fcntl.h>
#include <io.h>
#define dup _dup
#define dup2 _dup2
#define fdopen _fdopen
#else
#include <unistd.h>
#endif

/* ---- what a harness is made of ----------------------------------------------------------- */

typedef struct p1_call p1_call; /* one request: its memory and its reply */

/* P1_FAILED: p1_rejected, p1_unsupported or p1_error has said why. */
typedef enum { P1_OK, P1_FAILED } p1_status;

typedef struct {
  const unsigned char *data;
  size_t size;
} p1_bytes;

/* A value. `data` is what ONNX's raw_data would hold: little-endian, row-major, 4- and 2-bit
 * elements packed with the first in the lowest bits. A tensor of strings has `strings` instead. */
typedef struct {
  const char *name; /* of the graph input; not needed in results */
  const char *type; /* "float32", "int64", "string" ... */
  const int64_t *shape;
  size_t rank;
  p1_bytes data;
  const p1_bytes *strings;
  size_t string_count;
} p1_tensor;

/* The model of a request: a path where the handshake says "path", bytes where it says "inline". */
typedef struct {
  const char *path; /* NULL where the model is inline */
  p1_bytes bytes;
} p1_model;

typedef struct {
  const char *name;    /* of the runtime */
  const char *version; /* of the runtime */
  const char *model;   /* "path" or "inline" */
  int max_opset;       /* 0: no limit known */
  const char *profile; /* what the runtime supports, as JSON (docs/profiles.md); NULL: unsaid */
} p1_description;

typedef struct {
  void (*describe)(p1_description *description);
  p1_status (*load)(p1_call *call, const p1_model *model, void **session);
  p1_status (*run)(p1_call *call, void *session, const p1_tensor *inputs, size_t input_count,
                   const char *const *outputs, size_t output_count, p1_tensor *results);
  void (*close)(void *session);
} p1_harness;

/* ---- memory: all of a request's is given back after its reply ----------------------------- */

typedef struct p1_block {
  struct p1_block *next;
  max_align_t content[];
} p1_block;

typedef struct {
  char *data;
  size_t size, room;
} p1_text;

struct p1_call {
  p1_block *blocks;
  p1_text failure; /* the part of the reply that says why there are no outputs */
};

static inline void p1_die(const char *reason) {
  fprintf(stderr, "protocol 1: %s\n", reason);
  exit(1);
}

/* Memory, all zero, that lives until the reply is written. */
static inline void *p1_alloc(p1_call *call, size_t size) {
  p1_block *block =
      size > SIZE_MAX - sizeof(p1_block) ? NULL : (p1_block *)calloc(1, sizeof(p1_block) + size);
  if (block == NULL) p1_die("no memory left");
  block->next = call->blocks;
  call->blocks = block;
  return block->content;
}

static inline void p1_free_all(p1_call *call) {
  while (call->blocks != NULL) {
    p1_block *next = call->blocks->next;
    free(call->blocks);
    call->blocks = next;
  }
}

/* ---- text -------------------------------------------------------------------------------- */

static inline void p1_add(p1_text *text, const char *data, size_t size) {
  if (text->size + size + 1 > text->room) {
    text->room = 2 * (text->size + size + 1);
    text->data = (char *)realloc(text->data, text->room);
    if (text->data == NULL) p1_die("no memory left");
  }
  if (size > 0) memcpy(text->data + text->size, data, size);
  text->size += size;
  text->data[text->size] = 0;
}

static inline void p1_put(p1_text *text, const char *words) { p1_add(text, words, strlen(words)); }

/* A JSON string. Bytes beyond ASCII could spoil the whole reply: they become "?". */
static inline void p1_put_string(p1_text *text, const char *words) {
  p1_put(text, "\"");
  for (const char *at = words; *at != 0; ++at) {
    unsigned char byte = (unsigned char)*at;
    char escaped[8];
    if (byte == '"' || byte == '\\')
      snprintf(escaped, sizeof escaped, "\\%c", byte);
    else if (byte < 0x20)
      snprintf(escaped, sizeof escaped, "\\u%04x", (unsigned)byte);
    else
      snprintf(escaped, sizeof escaped, "%c", byte < 0x7F ? byte : '?');
    p1_put(text, escaped);
  }
  p1_put(text, "\"");
}

static const char p1_digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static inline void p1_put_base64(p1_text *text, p1_bytes bytes) {
  p1_put(text, "\"");
  for (size_t i = 0; i < bytes.size; i += 3) {
    uint32_t bits = 0;
    char four[4];
    for (size_t k = 0; k < 3; ++k) bits = bits << 8 | (i + k < bytes.size ? bytes.data[i + k] : 0u);
    for (size_t k = 0; k < 4; ++k)
      four[k] = i + k <= bytes.size ? p1_digits[bits >> (18 - 6 * k) & 0x3F] : '=';
    p1_add(text, four, 4);
  }
  p1_put(text, "\"");
}

static inline p1_bytes p1_from_base64(p1_call *call, const char *text) {
  size_t length = strlen(text), size = 0;
  unsigned char *data = (unsigned char *)p1_alloc(call, length / 4 * 3 + 3);
  uint32_t bits = 0;
  int count = 0;
  for (size_t i = 0; i < length && text[i] != '='; ++i) {
    const char *digit = strchr(p1_digits, text[i]);
    if (digit == NULL) break;
    bits = bits << 6 | (uint32_t)(digit - p1_digits);
    if ((count += 6) >= 8) data[size++] = (unsigned char)(bits >> (count -= 8) & 0xFF);
  }
  p1_bytes result = {data, size};
  return result;
}

/* ---- why there are no outputs ------------------------------------------------------------- */

/* The runtime refused, at `phase`: "decode", "load" or "run". */
static inline p1_status p1_rejected(p1_call *call, const char *phase, const char *message) {
  call->failure.size = 0;
  p1_put(&call->failure, "\"rejected\":{\"phase\":");
  p1_put_string(&call->failure, phase);
  p1_put(&call->failure, ",\"message\":");
  p1_put_string(&call->failure, message);
  p1_put(&call->failure, "}");
  return P1_FAILED;
}

static inline p1_status p1_failed(p1_call *call, const char *key, const char *reason) {
  call->failure.size = 0;
  p1_put(&call->failure, key);
  p1_put_string(&call->failure, reason);
  return P1_FAILED;
}

/* The runtime does not implement this, or its interface cannot carry it. */
static inline p1_status p1_unsupported(p1_call *call, const char *reason) {
  return p1_failed(call, "\"unsupported\":", reason);
}

/* The harness itself failed: nothing is said of the runtime. */
static inline p1_status p1_error(p1_call *call, const char *reason) {
  return p1_failed(call, "\"error\":", reason);
}

/* The bytes of the model, from its file where it is given by a path. */
static inline p1_status p1_read_model(p1_call *call, const p1_model *model, p1_bytes *bytes) {
  *bytes = model->bytes;
  if (model->path == NULL) return P1_OK;
  FILE *file = fopen(model->path, "rb");
  if (file == NULL) return p1_error(call, "the model's file cannot be opened");
  size_t size = 0, room = 1 << 16;
  unsigned char *data = (unsigned char *)p1_alloc(call, room);
  for (size_t got; (got = fread(data + size, 1, room - size, file)) > 0;) {
    size += got;
    if (size == room) {
      unsigned char *larger = (unsigned char *)p1_alloc(call, 2 * room);
      memcpy(larger, data, size);
      data = larger;
      room *= 2;
    }
  }
  int failed = ferror(file);
  fclose(file);
  if (failed) return p1_error(call, "the model's file cannot be read");
  bytes->data = data;
  bytes->size = size;
  return P1_OK;
}

/* ---- JSON -------------------------------------------------------------------------------- */

typedef struct p1_json {
  enum { P1_PLAIN, P1_STRING, P1_ARRAY, P1_OBJECT } kind; /* P1_PLAIN: a number, true, null ... */
  const char *key;        /* of a member of an object */
  const char *text;       /* of a string; of a number, exactly as it was written */
  struct p1_json *first;  /* of an array or an object */
  struct p1_json *next;   /* in the array or object that it is in */
  size_t count;
} p1_json;

static inline void p1_skip(const char **at) {
  while (**at != 0 && strchr(" \t\r\n", **at) != NULL) ++*at;
}

static inline unsigned long p1_hex(const char **at) {
  char digits[5] = {0};
  for (int i = 0; i < 4; ++i)
    if ((digits[i] = *(*at)++) == 0) p1_die("a request is not JSON");
  return strtoul(digits, NULL, 16);
}

static inline char *p1_put_utf8(char *out, unsigned long code) {
  static const int lead[] = {0, 0xC0, 0xE0, 0xF0};
  int more = code < 0x80 ? 0 : code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
  *out++ = (char)(lead[more] | (int)(code >> (6 * more)));
  while (more-- > 0) *out++ = (char)(0x80 | ((code >> (6 * more)) & 0x3F));
  return out;
}

/* A string, with `*at` behind its first quote. It never gets longer than it was written. */
static inline const char *p1_read_string(p1_call *call, const char **at) {
  const char *end = *at;
  while (*end != '"' && *end != 0) end += *end == '\\' && end[1] != 0 ? 2 : 1;
  if (*end == 0) p1_die("a request is not JSON");
  char *result = (char *)p1_alloc(call, (size_t)(end - *at) + 1), *out = result;
  while (**at != '"') {
    if (**at != '\\') {
      *out++ = *(*at)++;
      continue;
    }
    ++*at;
    static const char escapes[] = "nrtbf", meanings[] = "\n\r\t\b\f";
    char letter = *(*at)++;
    const char *found = strchr(escapes, letter);
    if (letter == 'u') {
      unsigned long code = p1_hex(at);
      if (code >= 0xD800 && code < 0xDC00 && (*at)[0] == '\\' && (*at)[1] == 'u') {
        *at += 2;
        code = 0x10000 + ((code - 0xD800) << 10) + (p1_hex(at) - 0xDC00);
      }
      out = p1_put_utf8(out, code);
    } else {
      *out++ = found != NULL ? meanings[found - escapes] : letter;
    }
  }
  ++*at;
  return result;
}

static inline p1_json *p1_read_json(p1_call *call, const char **at) {
  p1_json *value = (p1_json *)p1_alloc(call, sizeof *value);
  p1_skip(at);
  if (**at == '"') {
    ++*at;
    value->kind = P1_STRING;
    value->text = p1_read_string(call, at);
    return value;
  }
  if (**at == '{' || **at == '[') {
    char close = **at == '{' ? '}' : ']';
    p1_json **place = &value->first;
    value->kind = **at == '{' ? P1_OBJECT : P1_ARRAY;
    ++*at;
    for (p1_skip(at); **at != close; p1_skip(at)) {
      const char *key = NULL;
      if (value->count > 0 && *(*at)++ != ',') p1_die("a request is not JSON");
      p1_skip(at);
      if (value->kind == P1_OBJECT) {
        if (*(*at)++ != '"') p1_die("a request is not JSON");
        key = p1_read_string(call, at);
        p1_skip(at);
        if (*(*at)++ != ':') p1_die("a request is not JSON");
      }
      *place = p1_read_json(call, at);
      (*place)->key = key;
      place = &(*place)->next;
      ++value->count;
    }
    ++*at;
    return value;
  }
  size_t length = strcspn(*at, ",]} \t\r\n");
  if (length == 0) p1_die("a request is not JSON");
  char *text = (char *)p1_alloc(call, length + 1);
  memcpy(text, *at, length);
  *at += length;
  value->text = text;
  return value;
}

static inline const p1_json *p1_find(const p1_json *object, const char *key) {
  for (const p1_json *member = object->first; member != NULL; member = member->next)
    if (member->key != NULL && strcmp(member->key, key) == 0) return member;
  return NULL;
}

static inline const p1_json *p1_at(const p1_json *object, const char *key) {
  const p1_json *found = p1_find(object, key);
  if (found == NULL) p1_die("a request lacks a key");
  return found;
}

/* ---- values ------------------------------------------------------------------------------ */

static inline p1_status p1_read_tensor(p1_call *call, const p1_json *wire, p1_tensor *tensor) {
  if (p1_find(wire, "type") == NULL)
    return p1_unsupported(call, "sequences, optionals and maps are not taken");
  const p1_json *name = p1_find(wire, "name");
  const p1_json *shape = p1_at(wire, "shape"), *data = p1_at(wire, "data");
  int64_t *dimensions = (int64_t *)p1_alloc(call, shape->count * sizeof *dimensions);
  size_t index = 0;
  for (const p1_json *item = shape->first; item != NULL; item = item->next)
    dimensions[index++] = (int64_t)strtoll(item->text, NULL, 10);
  tensor->name = name == NULL ? "" : name->text;
  tensor->type = p1_at(wire, "type")->text;
  tensor->shape = dimensions;
  tensor->rank = shape->count;
  if (data->kind == P1_STRING) {
    tensor->data = p1_from_base64(call, data->text);
    return P1_OK;
  }
  p1_bytes *strings = (p1_bytes *)p1_alloc(call, data->count * sizeof *strings);
  index = 0;
  for (const p1_json *item = data->first; item != NULL; item = item->next)
    strings[index++] = p1_from_base64(call, item->text);
  tensor->strings = strings;
  tensor->string_count = data->count;
  return P1_OK;
}

static inline void p1_put_tensor(p1_text *text, const p1_tensor *tensor) {
  char number[32];
  p1_put(text, "{\"type\":");
  p1_put_string(text, tensor->type);
  p1_put(text, ",\"shape\":[");
  for (size_t i = 0; i < tensor->rank; ++i) {
    snprintf(number, sizeof number, "%s%" PRId64, i > 0 ? "," : "", tensor->shape[i]);
    p1_put(text, number);
  }
  p1_put(text, "],\"data\":");
  if (strcmp(tensor->type, "string") != 0) {
    p1_put_base64(text, tensor->data);
  } else {
    p1_put(text, "[");
    for (size_t i = 0; i < tensor->string_count; ++i) {
      if (i > 0) p1_put(text, ",");
      p1_put_base64(text, tensor->strings[i]);
    }
    p1_put(text, "]");
  }
  p1_put(text, "}");
}

/* ---- the loop ---------------------------------------------------------------------------- */

static inline p1_status p1_run_data_sets(p1_call *call, const p1_harness *harness, void *session,
                                         const p1_json *request, p1_text *reply) {
  const p1_json *wanted = p1_at(request, "outputs"), *sets = p1_at(request, "data_sets");
  const char **names = (const char **)p1_alloc(call, wanted->count * sizeof *names);
  size_t index = 0;
  for (const p1_json *name = wanted->first; name != NULL; name = name->next)
    names[index++] = name->text;
  p1_put(reply, "\"outputs\":[");
  for (const p1_json *set = sets->first; set != NULL; set = set->next) {
    p1_tensor *inputs = (p1_tensor *)p1_alloc(call, set->count * sizeof *inputs);
    p1_tensor *results = (p1_tensor *)p1_alloc(call, wanted->count * sizeof *results);
    index = 0;
    for (const p1_json *item = set->first; item != NULL; item = item->next)
      if (p1_read_tensor(call, item, &inputs[index++]) != P1_OK) return P1_FAILED;
    if (harness->run(call, session, inputs, set->count, names, wanted->count, results) != P1_OK)
      return P1_FAILED;
    p1_put(reply, set == sets->first ? "[" : ",[");
    for (size_t i = 0; i < wanted->count; ++i) {
      if (i > 0) p1_put(reply, ",");
      if (results[i].type == NULL) return p1_error(call, "an output was not filled");
      p1_put_tensor(reply, &results[i]);
    }
    p1_put(reply, "]");
  }
  p1_put(reply, "]");
  return P1_OK;
}

/* Exactly one reply to each request: outputs, rejected, unsupported, or error if it is our fault. */
static inline void p1_answer(p1_call *call, const p1_harness *harness, const p1_json *request,
                             p1_text *reply) {
  const p1_json *wire = p1_at(request, "model");
  const p1_json *path = p1_find(wire, "path"), *data = p1_find(wire, "data");
  p1_model model = {path == NULL ? NULL : path->text, {NULL, 0}};
  if (data != NULL) model.bytes = p1_from_base64(call, data->text);
  p1_put(reply, "{\"id\":");
  p1_put_string(reply, p1_at(request, "id")->text);
  p1_put(reply, ",");
  size_t before = reply->size;
  void *session = NULL;
  p1_status status = harness->load(call, &model, &session);
  if (status == P1_OK) {
    status = p1_run_data_sets(call, harness, session, request, reply);
    harness->close(session);
  }
  if (status != P1_OK) {
    reply->size = before;
    if (call->failure.size == 0) p1_error(call, "failed without a reason");
    p1_add(reply, call->failure.data, call->failure.size);
  }
  p1_put(reply, "}\n");
}

static inline void p1_put_description(const p1_harness *harness, p1_text *reply) {
  p1_description is = {"", "", "path", 0, NULL};
  char number[32];
  harness->describe(&is);
  p1_put(reply, "{\"protocol\":1,\"name\":");
  p1_put_string(reply, is.name);
  p1_put(reply, ",\"version\":");
  p1_put_string(reply, is.version);
  p1_put(reply, ",\"model\":");
  p1_put_string(reply, is.model);
  if (is.max_opset > 0) {
    snprintf(number, sizeof number, ",\"max_opset\":%d", is.max_opset);
    p1_put(reply, number);
  }
  if (is.profile != NULL) {
    p1_put(reply, ",\"profile\":");
    for (const char *at = is.profile; *at != 0; ++at) /* a message is one line */
      p1_add(reply, *at == '\n' || *at == '\r' ? " " : at, 1);
  }
  p1_put(reply, "}\n");
}

/* Reads one line, however long it is; 0 at the end of the input. */
static inline int p1_read_line(p1_text *line) {
  char part[1 << 16];
  line->size = 0;
  while (fgets(part, sizeof part, stdin) != NULL) {
    p1_put(line, part);
    if (line->data[line->size - 1] == '\n') return 1;
  }
  return line->size > 0;
}

/* Serves requests until `stop` or the end of input. Keeps standard output to itself: whatever the
 * runtime prints goes to standard error instead. */
static inline int p1_serve(const p1_harness *harness) {
  FILE *replies = fdopen(dup(1), "wb");
  if (replies == NULL || dup2(2, 1) < 0) p1_die("standard output cannot be kept");
#ifdef _WIN32
  _setmode(_fileno(replies), _O_BINARY);
#endif
  p1_text line = {NULL, 0, 0}, reply = {NULL, 0, 0};
  p1_call call = {NULL, {NULL, 0, 0}};
  while (p1_read_line(&line)) {
    const char *at = line.data;
    const p1_json *request = p1_read_json(&call, &at);
    const char *command = p1_at(request, "command")->text;
    if (strcmp(command, "stop") == 0) break;
    reply.size = call.failure.size = 0;
    if (strcmp(command, "describe") == 0)
      p1_put_description(harness, &reply);
    else
      p1_answer(&call, harness, request, &reply);
    if (fwrite(reply.data, 1, reply.size, replies) != reply.size || fflush(replies) != 0)
      p1_die("nobody reads the replies");
    p1_free_all(&call);
  }
  p1_free_all(&call);
  free(line.data);
  free(reply.data);
  free(call.failure.data);
  return 0;
}

#endif
