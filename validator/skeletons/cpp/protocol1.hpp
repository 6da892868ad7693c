// Protocol 1 of onnx-conformance for a harness in C++17: JSON, base64 and the loop.
//
// Nothing here knows a runtime. Include it, derive from Harness and Session, and call
// protocol1::serve(harness) in main. Needs no library beyond the standard one.

#pragma once

#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#ifdef _WIN32
#include <io.h>
#define dup _dup
#define dup2 _dup2
#define fdopen _fdopen
#else
#include <unistd.h>
#endif

namespace protocol1 {

// ---- what a harness is made of -------------------------------------------------------------

// The runtime refused, at `phase`: "decode", "load" or "run".
struct Rejected : std::runtime_error {
  Rejected(std::string phase, const std::string& message)
      : std::runtime_error(message), phase(std::move(phase)) {}
  std::string phase;
};

// The runtime does not implement this, or its interface cannot carry it.
struct Unsupported : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// A value. `data` is what ONNX's raw_data would hold: little-endian, row-major, 4- and 2-bit
// elements packed with the first in the lowest bits. A tensor of strings has `strings` instead.
struct Tensor {
  std::string name;  // of the graph input; empty in results
  std::string type;  // "float32", "int64", "string" ...
  std::vector<int64_t> shape;
  std::string data;
  std::vector<std::string> strings;
};

// The model of a request: a path where the handshake says "path", bytes where it says "inline".
struct Model {
  std::string path;
  std::string bytes;

  std::string read() const {
    if (path.empty()) return bytes;
    std::ifstream file(path, std::ios::binary);
    if (!file) throw std::runtime_error("cannot read " + path);
    return {std::istreambuf_iterator<char>(file), {}};
  }
};

struct Description {
  std::string name;               // of the runtime
  std::string version;            // of the runtime
  std::string model = "path";     // or "inline"
  int max_opset = 0;              // 0: no limit known
  std::string profile;            // what the runtime supports, as JSON (docs/profiles.md)
  std::vector<std::pair<std::string, std::string>> details;
};

struct Session {
  virtual ~Session() = default;
  // Runs one data set; returns one tensor for each name in `outputs`, in that order.
  virtual std::vector<Tensor> run(const std::vector<Tensor>& inputs,
                                  const std::vector<std::string>& outputs) = 0;
};

struct Harness {
  virtual ~Harness() = default;
  virtual Description describe() = 0;
  virtual std::unique_ptr<Session> load(const Model& model) = 0;
};

// ---- JSON ----------------------------------------------------------------------------------

struct Json {
  enum Kind { Null, Bool, Number, String, Array, Object } kind = Null;
  std::string text;  // of a string; of a number, exactly as it was written
  std::vector<Json> items;
  std::vector<std::pair<std::string, Json>> members;

  const Json* find(const std::string& key) const {
    for (const auto& member : members)
      if (member.first == key) return &member.second;
    return nullptr;
  }
  const Json& at(const std::string& key) const {
    if (const Json* found = find(key)) return *found;
    throw std::runtime_error("the request has no '" + key + "'");
  }
};

class JsonReader {
 public:
  explicit JsonReader(const std::string& text) : text_(text) {}

  Json read() {
    Json value = read_value();
    skip_space();
    if (position_ != text_.size()) fail();
    return value;
  }

 private:
  const std::string& text_;
  size_t position_ = 0;

  [[noreturn]] void fail() const {
    throw std::runtime_error("not JSON at byte " + std::to_string(position_));
  }
  char peek() const {
    if (position_ >= text_.size()) fail();
    return text_[position_];
  }
  void skip_space() {
    while (position_ < text_.size() && std::string(" \t\r\n").find(text_[position_]) != std::string::npos)
      ++position_;
  }
  bool take(char expected) {
    skip_space();
    if (peek() != expected) return false;
    ++position_;
    return true;
  }
  void need(char expected) {
    if (!take(expected)) fail();
  }

  Json read_value() {
    skip_space();
    Json value;
    switch (peek()) {
      case '{':
        value.kind = Json::Object;
        for (need('{'); !take('}');) {
          if (!value.members.empty()) need(',');
          skip_space();
          std::string key = read_string();
          need(':');
          value.members.emplace_back(std::move(key), read_value());
        }
        return value;
      case '[':
        value.kind = Json::Array;
        for (need('['); !take(']');) {
          if (!value.items.empty()) need(',');
          value.items.push_back(read_value());
        }
        return value;
      case '"':
        value.kind = Json::String;
        value.text = read_string();
        return value;
      default: {
        size_t start = position_;
        while (position_ < text_.size() &&
               std::string(",]} \t\r\n").find(text_[position_]) == std::string::npos)
          ++position_;
        value.text = text_.substr(start, position_ - start);
        if (value.text == "null") return value;
        value.kind = value.text == "true" || value.text == "false" ? Json::Bool : Json::Number;
        return value;
      }
    }
  }

  std::string read_string() {
    if (peek() != '"') fail();
    std::string result;
    for (++position_; peek() != '"'; ++position_) {
      if (peek() != '\\') {
        result += peek();
        continue;
      }
      ++position_;
      static const std::string escapes = "nrtbf", meanings = "\n\r\t\b\f";
      size_t found = escapes.find(peek());
      if (found != std::string::npos)
        result += meanings[found];
      else if (peek() == 'u')
        append_utf8(result, read_code_point());
      else
        result += peek();
    }
    ++position_;
    return result;
  }
  uint32_t read_code_point() {
    uint32_t code = read_hex();
    if (code >= 0xD800 && code < 0xDC00 && text_.compare(position_ + 1, 2, "\\u") == 0) {
      position_ += 2;
      code = 0x10000 + ((code - 0xD800) << 10) + (read_hex() - 0xDC00);
    }
    return code;
  }
  uint32_t read_hex() {
    if (position_ + 4 >= text_.size()) fail();
    uint32_t code = static_cast<uint32_t>(std::stoul(text_.substr(position_ + 1, 4), nullptr, 16));
    position_ += 4;
    return code;
  }
  static void append_utf8(std::string& result, uint32_t code) {
    if (code < 0x80) {
      result += static_cast<char>(code);
      return;
    }
    int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    static const int lead[] = {0, 0xC0, 0xE0, 0xF0};
    result += static_cast<char>(lead[more] | (code >> (6 * more)));
    while (more-- > 0) result += static_cast<char>(0x80 | ((code >> (6 * more)) & 0x3F));
  }
};

// A JSON string. Bytes that are no UTF-8 would make the whole reply unreadable: they become "?".
inline std::string json_string(const std::string& text) {
  std::string result = "\"";
  for (size_t i = 0; i < text.size(); ++i) {
    unsigned char byte = static_cast<unsigned char>(text[i]);
    char buffer[8];
    if (byte == '"' || byte == '\\') {
      result += '\\';
      result += text[i];
    } else if (byte < 0x20) {
      std::snprintf(buffer, sizeof buffer, "\\u%04x", byte);
      result += buffer;
    } else {
      result += byte < 0x80 ? text[i] : '?';
    }
  }
  return result + '"';
}

// ---- base64 --------------------------------------------------------------------------------

inline const std::string& base64_digits() {
  static const std::string digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  return digits;
}

inline std::string base64_decode(const std::string& text) {
  static const std::vector<int> values = [] {
    std::vector<int> table(256, -1);
    for (int i = 0; i < 64; ++i) table[static_cast<unsigned char>(base64_digits()[i])] = i;
    return table;
  }();
  std::string result;
  uint32_t bits = 0;
  int count = 0;
  for (char digit : text) {
    int value = values[static_cast<unsigned char>(digit)];
    if (value < 0) break;  // padding
    bits = bits << 6 | static_cast<uint32_t>(value);
    if ((count += 6) >= 8) result += static_cast<char>(bits >> (count -= 8) & 0xFF);
  }
  return result;
}

inline std::string base64_encode(const std::string& data) {
  std::string result;
  for (size_t i = 0; i < data.size(); i += 3) {
    uint32_t bits = 0;
    for (size_t k = 0; k < 3; ++k)
      bits = bits << 8 | (i + k < data.size() ? static_cast<unsigned char>(data[i + k]) : 0u);
    for (size_t k = 0; k < 4; ++k)
      result += i + k <= data.size() ? base64_digits()[bits >> (18 - 6 * k) & 0x3F] : '=';
  }
  return result;
}

// ---- values --------------------------------------------------------------------------------

inline Tensor tensor_of(const Json& wire) {
  if (!wire.find("type")) throw Unsupported("sequences, optionals and maps are not taken");
  Tensor tensor;
  if (const Json* name = wire.find("name")) tensor.name = name->text;
  tensor.type = wire.at("type").text;
  for (const Json& item : wire.at("shape").items) tensor.shape.push_back(std::stoll(item.text));
  const Json& data = wire.at("data");
  if (data.kind == Json::String) tensor.data = base64_decode(data.text);
  for (const Json& item : data.items) tensor.strings.push_back(base64_decode(item.text));
  return tensor;
}

inline std::string wire_of(const Tensor& tensor) {
  std::string shape, strings;
  for (int64_t dimension : tensor.shape)
    shape += (shape.empty() ? "" : ",") + std::to_string(dimension);
  for (const std::string& item : tensor.strings)
    strings += (strings.empty() ? "" : ",") + json_string(base64_encode(item));
  std::string data =
      tensor.type == "string" ? "[" + strings + "]" : json_string(base64_encode(tensor.data));
  return "{\"type\":" + json_string(tensor.type) + ",\"shape\":[" + shape + "],\"data\":" + data + "}";
}

// ---- the loop ------------------------------------------------------------------------------

inline std::string description_of(Harness& harness) {
  Description is = harness.describe();
  for (char& character : is.profile)
    if (character == '\n' || character == '\r') character = ' ';  // a message is one line
  std::string details;
  for (const auto& item : is.details)
    details += (details.empty() ? "" : ",") + json_string(item.first) + ":" + json_string(item.second);
  return "{\"protocol\":1,\"name\":" + json_string(is.name) + ",\"version\":" + json_string(is.version) +
         ",\"model\":" + json_string(is.model) +
         (is.max_opset ? ",\"max_opset\":" + std::to_string(is.max_opset) : "") +
         (is.profile.empty() ? "" : ",\"profile\":" + is.profile) + ",\"details\":{" + details + "}}";
}

inline std::string outputs_of(Harness& harness, const Json& request) {
  Model model;
  if (const Json* path = request.at("model").find("path")) model.path = path->text;
  if (const Json* data = request.at("model").find("data")) model.bytes = base64_decode(data->text);
  std::vector<std::string> names;
  for (const Json& name : request.at("outputs").items) names.push_back(name.text);
  std::unique_ptr<Session> session = harness.load(model);
  std::string results;
  for (const Json& data_set : request.at("data_sets").items) {
    std::vector<Tensor> inputs;
    for (const Json& item : data_set.items) inputs.push_back(tensor_of(item));
    std::string tensors;
    for (const Tensor& tensor : session->run(inputs, names))
      tensors += (tensors.empty() ? "" : ",") + wire_of(tensor);
    results += (results.empty() ? "[" : ",[") + tensors + "]";
  }
  return "\"outputs\":[" + results + "]";
}

// Exactly one reply to each request: outputs, rejected, unsupported, or error where it is our fault.
inline std::string answer(Harness& harness, const Json& request) {
  std::string result;
  try {
    result = outputs_of(harness, request);
  } catch (const Rejected& error) {
    result = "\"rejected\":{\"phase\":" + json_string(error.phase) +
             ",\"message\":" + json_string(error.what()) + "}";
  } catch (const Unsupported& error) {
    result = "\"unsupported\":" + json_string(error.what());
  } catch (const std::exception& error) {
    result = "\"error\":" + json_string(error.what());
  }
  return "{\"id\":" + json_string(request.at("id").text) + "," + result + "}";
}

// Serves requests until `stop` or the end of input. Keeps standard output to itself: whatever the
// runtime prints goes to standard error instead.
inline int serve(Harness& harness) {
  std::FILE* replies = fdopen(dup(1), "wb");
  dup2(2, 1);
  std::string line;
  while (std::getline(std::cin, line)) {
    Json request = JsonReader(line).read();
    const std::string& command = request.at("command").text;
    if (command == "stop") break;
    std::string reply =
        command == "describe" ? description_of(harness) : answer(harness, request);
    std::fputs((reply + "\n").c_str(), replies);
    std::fflush(replies);
  }
  return 0;
}

}  // namespace protocol1
