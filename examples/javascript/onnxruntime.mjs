// A harness for onnxruntime-node and onnxruntime-web (WebAssembly), in Node.
//
//   npm install --ignore-scripts        # here: onnxruntime-node would download CUDA otherwise
//   onnx-validate run --backend 'command:node examples/javascript/onnxruntime.mjs onnxruntime-web'
//
// It speaks protocol 1 (docs/protocol.md): one JSON object a line, a request on standard input, its
// reply on standard output. No protobuf library is needed: the runtime gets the model as it is, and
// tensors come as {type, shape, data} with base64 of ONNX's raw_data. To judge another JavaScript
// runtime, change `load`, `run` and the tables; the rest stays.

import { isUtf8 } from "node:buffer";
import { createInterface } from "node:readline";

const packageName = process.argv[2] ?? "onnxruntime-web";

// Only replies may go to standard output: whatever else is printed goes to standard error.
const reply = process.stdout.write.bind(process.stdout);
process.stdout.write = process.stderr.write.bind(process.stderr);

// One of these ends a run request: the runtime refused, or it cannot take the model or a value.
class Rejected extends Error {
  constructor(phase, error) {
    super(error?.message ?? String(error));
    this.phase = phase;
  }
}
class Unsupported extends Error {}

// ---- the runtime -----------------------------------------------------------------------------

const loaded = await import(packageName);
const ort = loaded.InferenceSession ? loaded : loaded.default;
const isWeb = packageName === "onnxruntime-web";
if (isWeb) ort.env.wasm.numThreads = 1; // threads need more than one small vector to pay off

// What onnxruntime says of what it has not got, as against what is wrong with a model.
const MISSING = new RegExp(
  "NOT_IMPLEMENTED|Could not find an implementation|Current official support for domain" +
    "|Unsupported model IR version|is not currently registered or supported" +
    "|Invalid tensor data type 2[1-8]\\b|[Uu]nsupported data type: \\d+",
);

function refusal(phase, error) {
  // A WebAssembly module that trapped cannot be used again. Let the process end: that is a crash.
  if (error instanceof WebAssembly.RuntimeError) throw error;
  return MISSING.test(error.message) ? new Unsupported(error.message) : new Rejected(phase, error);
}

async function load(model) {
  // The handshake says `inline` for the web package, which has no files, and `path` for the other.
  const source = "data" in model ? new Uint8Array(Buffer.from(model.data, "base64")) : model.path;
  try {
    return await ort.InferenceSession.create(source, { executionProviders: [isWeb ? "wasm" : "cpu"] });
  } catch (error) {
    throw refusal("load", error);
  }
}

async function run(session, inputs, outputs) {
  // A graph input with an initializer may be overridden, by ONNX; this interface has no way to do so.
  for (const { name } of inputs)
    if (!session.inputNames.includes(name))
      throw new Unsupported(`${packageName} takes no value for initialized input '${name}'`);
  const feeds = Object.fromEntries(inputs.map((value) => [value.name, toRuntime(value)]));
  let results;
  try {
    results = await session.run(feeds, outputs);
  } catch (error) {
    throw refusal("run", error);
  }
  return outputs.map((name) => fromRuntime(results[name]));
}

// ---- values ----------------------------------------------------------------------------------

// ONNX type -> the name that ort.Tensor has for it, and the array that holds its elements.
const Half = globalThis.Float16Array ?? Uint16Array;
const TYPES = {
  float32: ["float32", Float32Array],
  float64: ["float64", Float64Array],
  float16: ["float16", Half],
  int8: ["int8", Int8Array],
  int16: ["int16", Int16Array],
  int32: ["int32", Int32Array],
  int64: ["int64", BigInt64Array],
  uint8: ["uint8", Uint8Array],
  uint16: ["uint16", Uint16Array],
  uint32: ["uint32", Uint32Array],
  uint64: ["uint64", BigUint64Array],
  bool: ["bool", Uint8Array],
};

function toRuntime(value) {
  if (!("type" in value)) throw new Unsupported("ort.Tensor holds tensors only");
  // JSON numbers beyond 2^53 are not exact in JavaScript, and neither is the shape of a tensor.
  if (!value.shape.every(Number.isSafeInteger))
    throw new Unsupported(`a JavaScript number cannot hold the dimensions [${value.shape}]`);
  if (value.type === "string") {
    return construct("string", value.data.map(toText), value.shape);
  }
  if (!(value.type in TYPES)) throw new Unsupported(`ort.Tensor has no ${value.type}`);
  const [name, ArrayType] = TYPES[value.type];
  const bytes = Uint8Array.from(Buffer.from(value.data, "base64")); // a copy, so that it is aligned
  return construct(name, new ArrayType(bytes.buffer), value.shape);
}

function toText(base64) {
  const bytes = Buffer.from(base64, "base64");
  if (!isUtf8(bytes)) throw new Unsupported("a JavaScript string cannot hold bytes that are not UTF-8");
  return bytes.toString("utf-8");
}

function construct(type, data, shape) {
  try {
    return new ort.Tensor(type, data, shape);
  } catch (error) {
    throw new Unsupported(`ort.Tensor cannot hold ${type} [${shape}]: ${error.message}`);
  }
}

function fromRuntime(tensor) {
  const shape = tensor.dims.map(Number);
  const encode = (bytes) => Buffer.from(bytes).toString("base64");
  if (tensor.type === "string") return { type: "string", shape, data: tensor.data.map(encode) };
  const type = Object.keys(TYPES).find((name) => TYPES[name][0] === tensor.type);
  if (type === undefined) throw new Error(`the runtime returned a tensor of ${tensor.type}`);
  const { buffer, byteOffset, byteLength } = tensor.data;
  return { type, shape, data: encode(new Uint8Array(buffer, byteOffset, byteLength)) };
}

// ---- the protocol ----------------------------------------------------------------------------

async function answer(request) {
  let session;
  try {
    session = await load(request.model);
    const outputs = [];
    for (const inputs of request.data_sets) outputs.push(await run(session, inputs, request.outputs));
    return { outputs };
  } catch (error) {
    if (error instanceof WebAssembly.RuntimeError) throw error;
    if (error instanceof Rejected) return { rejected: { phase: error.phase, message: error.message } };
    if (error instanceof Unsupported) return { unsupported: error.message };
    return { error: `${error.stack}` }; // ours, not the runtime's
  } finally {
    await session?.release();
  }
}

const description = {
  protocol: 1,
  name: packageName,
  version: ort.env.versions[isWeb ? "web" : "node"] ?? ort.env.versions.common,
  model: isWeb ? "inline" : "path",
  details: { node: process.version, "execution provider": isWeb ? "wasm" : "cpu" },
};

for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
  const request = JSON.parse(line);
  if (request.command === "stop") break;
  const result =
    request.command === "describe" ? description : { id: request.id, ...(await answer(request)) };
  reply(JSON.stringify(result) + "\n");
}
process.exit(0); // the runtime's threads would keep the process alive
