// A harness for OpenVINO through its C++ interface. See README.md for how to build and run it.
//
// Everything that is not OpenVINO (JSON, base64, the loop of protocol 1) is in protocol1.hpp, which
// `onnx-validate harness new cpp` writes. No protobuf library is needed: OpenVINO reads the model.

#include <openvino/openvino.hpp>

#include <cstring>
#include <map>
#include <set>

#include "protocol1.hpp"

using protocol1::Description;
using protocol1::Model;
using protocol1::Rejected;
using protocol1::Session;
using protocol1::Tensor;
using protocol1::Unsupported;

namespace {

const std::map<std::string, ov::element::Type>& types() {
  static const std::map<std::string, ov::element::Type> table = {
      {"float32", ov::element::f32},       {"float64", ov::element::f64},
      {"float16", ov::element::f16},       {"bfloat16", ov::element::bf16},
      {"int8", ov::element::i8},           {"int16", ov::element::i16},
      {"int32", ov::element::i32},         {"int64", ov::element::i64},
      {"uint8", ov::element::u8},          {"uint16", ov::element::u16},
      {"uint32", ov::element::u32},        {"uint64", ov::element::u64},
      {"bool", ov::element::boolean},      {"float8e4m3fn", ov::element::f8e4m3},
      {"float8e5m2", ov::element::f8e5m2}, {"float8e8m0", ov::element::f8e8m0},
      {"string", ov::element::string},
  };
  return table;
}

// OpenVINO tells what it has not got from what is wrong in its messages only.
[[noreturn]] void refuse(const char* phase, const std::exception& error) {
  const std::string message = error.what();
  for (const char* missing : {"Unsupported data type", "No conversion rule found for operations",
                              "operation with dynamic rank"})
    if (message.find(missing) != std::string::npos) throw Unsupported(message);
  throw Rejected(phase, message);
}

ov::Tensor to_openvino(const Tensor& tensor) {
  const auto found = types().find(tensor.type);
  if (found == types().end()) throw Unsupported("OpenVINO has no " + tensor.type);
  ov::Shape shape(tensor.shape.begin(), tensor.shape.end());
  ov::Tensor result(found->second, shape);
  if (found->second == ov::element::string)
    std::copy(tensor.strings.begin(), tensor.strings.end(), result.data<std::string>());
  else if (!tensor.data.empty())
    std::memcpy(result.data(), tensor.data.data(), tensor.data.size());
  return result;
}

Tensor from_openvino(const ov::Tensor& result) {
  Tensor tensor;
  for (const auto& type : types())
    if (type.second == result.get_element_type()) tensor.type = type.first;
  if (tensor.type.empty())
    throw std::runtime_error("no ONNX type for " + result.get_element_type().to_string());
  const ov::Shape shape = result.get_shape();
  tensor.shape.assign(shape.begin(), shape.end());
  if (tensor.type == "string") {
    const auto* strings = result.data<const std::string>();
    tensor.strings.assign(strings, strings + result.get_size());
  } else if (result.get_byte_size() > 0) {
    tensor.data.assign(static_cast<const char*>(result.data()), result.get_byte_size());
  }
  return tensor;
}

struct OpenVinoSession : Session {
  explicit OpenVinoSession(ov::CompiledModel compiled) : request(compiled.create_infer_request()) {
    for (const auto& input : compiled.inputs())
      names.insert(input.get_names().begin(), input.get_names().end());
  }

  std::vector<Tensor> run(const std::vector<Tensor>& inputs,
                          const std::vector<std::string>& outputs) override {
    std::vector<std::pair<std::string, ov::Tensor>> feeds;
    for (const Tensor& input : inputs) {
      // By ONNX, a graph input with an initializer may be overridden; OpenVINO makes a constant of it.
      if (names.count(input.name) == 0)
        throw Unsupported("OpenVINO takes no value for initialized input '" + input.name + "'");
      feeds.emplace_back(input.name, to_openvino(input));
    }
    std::vector<ov::Tensor> results;
    try {
      for (const auto& feed : feeds) request.set_tensor(feed.first, feed.second);
      // With one thread the synchronous call has corrupted memory: start it and wait for it.
      request.start_async();
      request.wait();
      for (const std::string& name : outputs) results.push_back(request.get_tensor(name));
    } catch (const std::exception& error) {
      refuse("run", error);
    }
    std::vector<Tensor> converted;
    for (const ov::Tensor& result : results) converted.push_back(from_openvino(result));
    return converted;
  }

  ov::InferRequest request;
  std::set<std::string> names;
};

struct OpenVino : protocol1::Harness {
  Description describe() override {
    Description description;
    description.name = "openvino-cpp";
    description.version = ov::get_openvino_version().buildNumber;
    description.details = {{"device", "CPU"}, {"interface", "C++"}};
    return description;
  }

  std::unique_ptr<Session> load(const Model& model) override {
    try {
      auto read = core.read_model(model.read(), ov::Tensor());
      auto compiled = core.compile_model(
          read, "CPU", ov::inference_num_threads(1),
          ov::hint::execution_mode(ov::hint::ExecutionMode::ACCURACY));
      return std::make_unique<OpenVinoSession>(compiled);
    } catch (const std::exception& error) {
      refuse("load", error);
    }
  }

  ov::Core core;
};

}  // namespace

int main() {
  OpenVino harness;
  return protocol1::serve(harness);
}
