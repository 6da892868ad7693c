// A harness of onnx-conformance in JavaScript, for Node. It works as it is, and supports nothing.
//
//   onnx-validate harness check -- node harness.mjs
//   onnx-validate run --backend 'command:node harness.mjs'
//
// The road from here:
//   1. NAME, VERSION: your runtime's.
//   2. load: give your runtime the model. What it refuses is Rejected("load", its error); what it
//      has not implemented is Unsupported, which is no failure. Then `run` is called.
//   3. run: one data set: tensors in, tensors out. Start with float32 and int64; every type that
//      you do not convert is Unsupported, never an error and never a guess.
//   4. Run `harness check` again, then `onnx-validate run`. A crash, a hang or an endless output is
//      the verdict of one vector only, so run everything from the first day.
// docs/protocol.md has the whole protocol, examples/javascript the harness of a real runtime.

import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";

const NAME = "my-runtime";
const VERSION = "0";
// "inline" instead gives models as bytes, for a harness that does not see the host's files.
const MODEL = "path";
// What the runtime supports, once it does: other vectors are not run (docs/profiles.md), as with
// { operators: { Relu: "all", Add: [13, 14] }, types: ["float32", "int64"] }
const PROFILE = undefined;

// Only replies may go to standard output: whatever else is printed goes to standard error.
const reply = process.stdout.write.bind(process.stdout);
process.stdout.write = process.stderr.write.bind(process.stderr);

// The runtime refused, at `phase`: "decode", "load" or "run".
class Rejected extends Error {
  constructor(phase, error) {
    super(error?.message ?? String(error));
    this.phase = phase;
  }
}
// The runtime does not implement this, or its interface cannot carry it.
class Unsupported extends Error {}

// ---- the runtime: this is yours --------------------------------------------------------------

async function load(model) {
  // `model` is a Buffer. What is returned is given to `run`.
  if (model.length === 0) throw new Rejected("decode", "the model is empty");
  return model;
}

async function run(session, inputs, outputs) {
  // `inputs` has {name, type, shape, data}: data is a Uint8Array of what ONNX's raw_data would hold,
  // for strings an array of such. Return {type, shape, data} for each name in `outputs`.
  // A view such as `new Float32Array(data.buffer)` is safe: each has a buffer of its own.
  throw new Unsupported("run is not written yet");
}

// ---- values ----------------------------------------------------------------------------------

const bytesOf = (text) => Uint8Array.from(Buffer.from(text, "base64"));
const textOf = (bytes) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");

function decode(value) {
  if (!("type" in value)) throw new Unsupported("sequences, optionals and maps are not taken");
  // JSON numbers beyond 2^53 are not exact in JavaScript.
  if (!value.shape.every(Number.isSafeInteger))
    throw new Unsupported(`a JavaScript number cannot hold the dimensions [${value.shape}]`);
  const data = Array.isArray(value.data) ? value.data.map(bytesOf) : bytesOf(value.data);
  return { ...value, data };
}

function encode({ type, shape, data }) {
  return { type, shape, data: Array.isArray(data) ? data.map(textOf) : textOf(data) };
}

// ---- the protocol: this stays ----------------------------------------------------------------

async function answer(request) {
  try {
    const { path, data } = request.model;
    const session = await load(data === undefined ? readFileSync(path) : Buffer.from(data, "base64"));
    const outputs = [];
    for (const inputs of request.data_sets)
      outputs.push((await run(session, inputs.map(decode), request.outputs)).map(encode));
    return { outputs };
  } catch (error) {
    if (error instanceof Rejected) return { rejected: { phase: error.phase, message: error.message } };
    if (error instanceof Unsupported) return { unsupported: error.message };
    return { error: `${error.stack}` }; // ours, not the runtime's
  }
}

for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
  const request = JSON.parse(line);
  if (request.command === "stop") break;
  const result =
    request.command === "describe"
      ? { protocol: 1, name: NAME, version: VERSION, model: MODEL, profile: PROFILE }
      : { id: request.id, ...(await answer(request)) };
  reply(JSON.stringify(result) + "\n");
}
process.exit(0); // a runtime's threads would keep the process alive
