// A runtime of five operators, and its harness, in one file of C++17: to be copied by whoever starts
// one. It reads ONNX's protobuf itself, runs models of one node on float32, and says in its handshake
// that it supports nothing else.
//
//   cmake -S examples/small -B build/small && cmake --build build/small
//   onnx-validate run --backend command:build/small/small_harness

#include <cmath>
#include <cstring>
#include <functional>
#include <map>

#include "protocol1.hpp"

using protocol1::Rejected;
using protocol1::Tensor;
using protocol1::Unsupported;

// ---- the runtime -----------------------------------------------------------------------------

const std::map<std::string, std::function<float(float)>> kOperators = {
    {"Abs", [](float x) { return std::fabs(x); }},
    {"Ceil", [](float x) { return std::ceil(x); }},
    {"Floor", [](float x) { return std::floor(x); }},
    {"Neg", [](float x) { return -x; }},
    {"Relu", [](float x) { return x < 0 ? 0.0f : x; }},
};
// Since these versions they have no attribute.
const char* const kProfile = R"({
  "types": ["float32"], "features": ["dynamic-shapes"],
  "forms": ["static", "declared", "symbolic", "anonymous", "data_sets"],
  "operators": {"Abs": [6, 13], "Ceil": [6, 13], "Floor": [6, 13], "Neg": [6, 13], "Relu": [6, 13, 14]}
})";

// A message of protobuf: calls `field(number, value, bytes)` for each of its fields.
void read_message(const std::string& text,
                  const std::function<void(uint64_t, uint64_t, const std::string&)>& field) {
  size_t at = 0;
  auto varint = [&] {
    uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      if (at >= text.size()) break;
      const auto byte = static_cast<unsigned char>(text[at++]);
      value |= static_cast<uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    throw Rejected("decode", "the model ends within a number");
  };
  while (at < text.size()) {
    const uint64_t key = varint(), kind = key & 7;
    uint64_t value = 0, size = 0;
    if (kind == 0) value = varint();
    else if (kind == 1) size = 8;
    else if (kind == 2) size = varint();
    else if (kind == 5) size = 4;
    else throw Rejected("decode", "the model has a field of an unknown kind");
    if (size > text.size() - at) throw Rejected("decode", "the model ends within a field");
    field(key >> 3, value, text.substr(at, size));
    at += size;
  }
}

struct Value {
  std::string name;
  uint64_t type = 0;  // 1: float32
};

Value read_value_info(const std::string& text) {
  Value value;
  read_message(text, [&](uint64_t number, uint64_t, const std::string& bytes) {
    if (number == 1) value.name = bytes;
    if (number == 2)
      read_message(bytes, [&](uint64_t kind, uint64_t, const std::string& tensor) {
        if (kind == 1)
          read_message(tensor, [&](uint64_t part, uint64_t type, const std::string&) {
            if (part == 1) value.type = type;
          });
      });
  });
  return value;
}

struct Node {
  std::string op_type;
  std::vector<std::string> inputs, outputs;
  bool has_attribute = false;
};

Node read_node(const std::string& text) {
  Node node;
  read_message(text, [&](uint64_t number, uint64_t, const std::string& bytes) {
    if (number == 1) node.inputs.push_back(bytes);
    if (number == 2) node.outputs.push_back(bytes);
    if (number == 4) node.op_type = bytes;
    if (number == 5) node.has_attribute = true;
  });
  return node;
}

std::function<float(float)> load_model(const std::string& text) {
  std::vector<Node> nodes;
  std::vector<Value> inputs, outputs;
  bool initializers = false, functions = false;
  read_message(text, [&](uint64_t number, uint64_t, const std::string& graph) {
    if (number == 25) functions = true;
    if (number == 7)
      read_message(graph, [&](uint64_t part, uint64_t, const std::string& bytes) {
        if (part == 1) nodes.push_back(read_node(bytes));
        if (part == 5 || part == 15) initializers = true;
        if (part == 11) inputs.push_back(read_value_info(bytes));
        if (part == 12) outputs.push_back(read_value_info(bytes));
      });
  });
  if (nodes.empty()) throw Rejected("decode", "the model has no node");
  if (nodes.size() > 1 || functions || initializers) throw Unsupported("more than one node");
  const Node& node = nodes[0];
  const auto found = kOperators.find(node.op_type);
  if (found == kOperators.end()) throw Unsupported("no operator " + node.op_type);
  if (node.inputs.size() != 1 || node.outputs.size() != 1)
    throw Rejected("load", node.op_type + " has one input and one output");
  if (node.has_attribute) throw Rejected("load", node.op_type + " has no attribute");
  if (inputs.size() != 1 || outputs.size() != 1 || inputs[0].name != node.inputs[0] ||
      outputs[0].name != node.outputs[0])
    throw Rejected("load", "the graph must have the node's input and output");
  if (inputs[0].type != 1) throw Unsupported("float32 alone is supported");
  if (outputs[0].type != 1) throw Rejected("load", "the output has the type of the input");
  return found->second;
}

// ---- the harness -----------------------------------------------------------------------------

struct SmallSession : protocol1::Session {
  explicit SmallSession(std::function<float(float)> function) : function(std::move(function)) {}

  std::vector<Tensor> run(const std::vector<Tensor>& inputs, const std::vector<std::string>&) override {
    Tensor result = inputs.at(0);
    if (result.type != "float32") throw Unsupported("float32 alone is supported");
    for (size_t at = 0; at + 4 <= result.data.size(); at += 4) {
      float element;
      std::memcpy(&element, &result.data[at], 4);  // both are little-endian
      element = function(element);
      std::memcpy(&result.data[at], &element, 4);
    }
    return {result};
  }

  std::function<float(float)> function;
};

struct SmallHarness : protocol1::Harness {
  protocol1::Description describe() override {
    protocol1::Description description;
    description.name = "small";
    description.version = "1.0";
    description.profile = kProfile;
    return description;
  }

  std::unique_ptr<protocol1::Session> load(const protocol1::Model& model) override {
    return std::make_unique<SmallSession>(load_model(model.read()));
  }
};

int main() {
  SmallHarness harness;
  return protocol1::serve(harness);
}
