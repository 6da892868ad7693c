// A harness of onnx-conformance in C++17. It works as it is, and supports nothing.
//
//   c++ -std=c++17 -O2 harness.cpp -o harness
//   onnx-validate harness check -- ./harness
//   onnx-validate run --backend 'command:./harness'
//
// Where there is no Python: the same harness with the judge of judge.hpp around it, see CMakeLists.txt.
//
//   c++ -std=c++17 -O2 -DJUDGE harness.cpp -o judge
//   ./judge vectors/valid/relu-14
//
// The road from here:
//   1. describe: your runtime's name and version.
//   2. load: give your runtime the model. What it refuses is Rejected("load", its message); what it
//      has not implemented is Unsupported, which is no failure. Then `run` is called.
//   3. run: one data set: tensors in, tensors out. Start with float32 and int64; every type that
//      you do not convert is Unsupported, never an error and never a guess.
//   4. run `harness check` again, then `onnx-validate run`. A crash, a hang or an endless output
//      is the verdict of one vector only, so run everything from the first day.
// docs/protocol.md has the whole protocol, examples/cpp a harness of a real runtime.

#include "protocol1.hpp"

using protocol1::Description;
using protocol1::Model;
using protocol1::Rejected;
using protocol1::Session;
using protocol1::Tensor;
using protocol1::Unsupported;

// A loaded model.
struct MySession : Session {
  explicit MySession(const std::string& model) : model(model) {}

  std::vector<Tensor> run(const std::vector<Tensor>& inputs,
                          const std::vector<std::string>& outputs) override {
    // For each input: inputs[i].name, .type, .shape, .data (see Tensor in protocol1.hpp).
    // Return one Tensor for each name in `outputs`; the name need not be set.
    (void)inputs;
    (void)outputs;
    throw Unsupported("run is not written yet");
  }

  std::string model;
};

struct MyHarness : protocol1::Harness {
  Description describe() override {
    Description description;
    description.name = "my-runtime";
    description.version = "0";
    // "inline" instead gives models as bytes, for a harness that does not see the host's files.
    description.model = "path";
    // What the runtime supports, once it does: other vectors are not run (docs/profiles.md).
    // description.profile = R"({"operators": {"Relu": "all", "Add": [13, 14]}})";
    return description;
  }

  std::unique_ptr<Session> load(const Model& model) override {
    std::string bytes = model.read();
    // try { ... } catch (const your::error& error) { throw Rejected("load", error.what()); }
    if (bytes.empty()) throw Rejected("decode", "the model is empty");
    return std::make_unique<MySession>(bytes);
  }
};

#ifdef JUDGE
#include "judge.hpp"

int main(int argc, char** argv) {
  MyHarness harness;
  return judge::main(harness, argc, argv);
}
#else
int main() {
  MyHarness harness;
  return protocol1::serve(harness);
}
#endif
