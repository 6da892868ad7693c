/* A harness of onnx-conformance in C11. It works as it is, and supports nothing.
 *
 *   cc -std=c11 -O2 harness.c -o harness
 *   onnx-validate harness check -- ./harness
 *   onnx-validate run --backend 'command:./harness'
 *
 * The road from here:
 *   1. my_describe: your runtime's name and version.
 *   2. my_load: give your runtime the model. What it refuses is p1_rejected(call, "load", its
 *      message); what it has not implemented is p1_unsupported, which is no failure. Then my_run is
 *      called.
 *   3. my_run: one data set: tensors in, tensors out. Start with float32 and int64; every type that
 *      you do not convert is unsupported, never an error and never a guess.
 *   4. Run `harness check` again, then `onnx-validate run`. A crash, a hang or an endless output is
 *      the verdict of one vector only, so run everything from the first day.
 * docs/protocol.md has the whole protocol.
 */

#include "protocol1.h"

static void my_describe(p1_description *description) {
  description->name = "my-runtime";
  description->version = "0";
  /* "inline" instead gives models as bytes, for a harness that does not see the host's files. */
  description->model = "path";
  /* What the runtime supports, once it does: other vectors are not run (docs/profiles.md).
  description->profile = "{\"operators\": {\"Relu\": \"all\", \"Add\": [13, 14]}}"; */
}

/* Loads a model: *session is yours, and is given to my_run and my_close. */
static p1_status my_load(p1_call *call, const p1_model *model, void **session) {
  p1_bytes bytes;
  if (p1_read_model(call, model, &bytes) != P1_OK) return P1_FAILED;
  if (bytes.size == 0) return p1_rejected(call, "decode", "the model is empty");
  /* if (your_load(bytes.data, bytes.size, &loaded)) return p1_rejected(call, "load", your_error()); */
  *session = NULL;
  return P1_OK;
}

/* Runs one data set: fills results[i] for outputs[i]. Memory from p1_alloc lives until the reply. */
static p1_status my_run(p1_call *call, void *session, const p1_tensor *inputs, size_t input_count,
                        const char *const *outputs, size_t output_count, p1_tensor *results) {
  /* For each input: inputs[i].name, .type, .rank, .shape, .data (see p1_tensor in protocol1.h). */
  (void)session, (void)inputs, (void)input_count, (void)outputs, (void)output_count, (void)results;
  return p1_unsupported(call, "run is not written yet");
}

static void my_close(void *session) { (void)session; }

int main(void) {
  p1_harness harness = {my_describe, my_load, my_run, my_close};
  return p1_serve(&harness);
}
