// A judge of onnx-conformance in C++17: reads vectors, has them run, and gives the verdicts that
// `onnx-validate run` gives, where a machine has no Python.
//
//   judge::main(harness, argc, argv)   a whole program around the harness of this folder
//   judge::read_vector, judge::judge   its parts, for a test program of your own
//
// The format of vectors is vectors/README.md of onnx-conformance; its messages are read here, so
// that no protobuf library is needed. Not done here: comparing vectors with the digests of their
// manifest, and running a failure again alone before it is believed.

#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>
#include <map>
#include <optional>
#include <set>

#include "protocol1.hpp"

#ifndef _WIN32
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#endif

namespace judge {

namespace fs = std::filesystem;
using protocol1::Json;

// A vector's files are missing or contradict each other: nobody is judged by it.
struct BadVector : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// ---- element types ---------------------------------------------------------------------------

enum class Class { Float, Int, Uint, Bool, Complex, String };
// Which codes of a float type are no finite numbers.
enum class Special { Ieee, AllOnes, NegativeZero, Finite };

struct Format {
  int exponent, mantissa, bias;
  Special special;
  bool has_sign;
};

struct ElementType {
  const char* name;
  int code;  // of TensorProto.DataType
  int bits;  // 0: strings
  Class kind;
  Format format;  // of a float, and of each part of a complex number
};

inline const std::vector<ElementType>& element_types() {
  constexpr Format none{0, 0, 0, Special::Finite, false};
  constexpr Format f32{8, 23, 127, Special::Ieee, true}, f64{11, 52, 1023, Special::Ieee, true};
  static const std::vector<ElementType> types = {
      {"float32", 1, 32, Class::Float, f32},
      {"uint8", 2, 8, Class::Uint, none},
      {"int8", 3, 8, Class::Int, none},
      {"uint16", 4, 16, Class::Uint, none},
      {"int16", 5, 16, Class::Int, none},
      {"int32", 6, 32, Class::Int, none},
      {"int64", 7, 64, Class::Int, none},
      {"string", 8, 0, Class::String, none},
      {"bool", 9, 8, Class::Bool, none},
      {"float16", 10, 16, Class::Float, {5, 10, 15, Special::Ieee, true}},
      {"float64", 11, 64, Class::Float, f64},
      {"uint32", 12, 32, Class::Uint, none},
      {"uint64", 13, 64, Class::Uint, none},
      {"complex64", 14, 64, Class::Complex, f32},
      {"complex128", 15, 128, Class::Complex, f64},
      {"bfloat16", 16, 16, Class::Float, {8, 7, 127, Special::Ieee, true}},
      {"float8e4m3fn", 17, 8, Class::Float, {4, 3, 7, Special::AllOnes, true}},
      {"float8e4m3fnuz", 18, 8, Class::Float, {4, 3, 8, Special::NegativeZero, true}},
      {"float8e5m2", 19, 8, Class::Float, {5, 2, 15, Special::Ieee, true}},
      {"float8e5m2fnuz", 20, 8, Class::Float, {5, 2, 16, Special::NegativeZero, true}},
      {"uint4", 21, 4, Class::Uint, none},
      {"int4", 22, 4, Class::Int, none},
      {"float4e2m1", 23, 4, Class::Float, {2, 1, 1, Special::Finite, true}},
      {"float8e8m0", 24, 8, Class::Float, {8, 0, 127, Special::AllOnes, false}},
      {"uint2", 25, 2, Class::Uint, none},
      {"int2", 26, 2, Class::Int, none},
      {"float6e2m3", 27, 6, Class::Float, {2, 3, 1, Special::Finite, true}},
      {"float6e3m2", 28, 6, Class::Float, {3, 2, 3, Special::Finite, true}},
  };
  return types;
}

inline const ElementType* type_named(const std::string& name) {
  for (const ElementType& type : element_types())
    if (name == type.name) return &type;
  return nullptr;
}

inline const ElementType* type_of_code(int64_t code) {
  for (const ElementType& type : element_types())
    if (code == type.code) return &type;
  return nullptr;
}

// ---- values ----------------------------------------------------------------------------------

// A tensor, or what may stand in its place. `items` are those of a sequence, the values of a map,
// and of an optional the value inside, if there is one. `keys`, of a map, is one tensor.
struct Value {
  enum Kind { Tensor, Sequence, Optional, Map, Foreign } kind = Tensor;
  std::string type;
  std::vector<int64_t> shape;
  std::string data;  // as raw_data
  std::vector<std::string> strings;
  std::vector<Value> items;
  std::vector<Value> keys;
};

// What cannot be: `shape_` where a shape cannot be that of any tensor, or not of these elements.
struct BadValue : std::runtime_error {
  BadValue(const std::string& message, bool shape_) : std::runtime_error(message), shape(shape_) {}
  bool shape;
};

// The number of elements; throws where the shape is one that no tensor can have.
inline uint64_t element_count(const std::vector<int64_t>& shape) {
  constexpr uint64_t most = static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
  if (shape.size() > 256) throw BadValue("a shape of more than 256 dimensions", true);
  for (int64_t dimension : shape)
    if (dimension < 0) throw BadValue("a negative dimension", true);
  uint64_t count = 1;
  for (int64_t dimension : shape) {
    if (dimension == 0) count = 0;
    if (count != 0 && static_cast<uint64_t>(dimension) > most / count) {
      // A later dimension of 0 leaves no element at all.
      bool empty = std::find(shape.begin(), shape.end(), 0) != shape.end();
      if (!empty) throw BadValue("more elements than an int64 counts", true);
      return 0;
    }
    count *= static_cast<uint64_t>(dimension);
  }
  return count;
}

// Throws BadValue unless type, shape and data of a tensor agree.
inline void check_tensor(const Value& tensor) {
  const ElementType* type = type_named(tensor.type);
  if (!type) throw BadValue("unknown element type '" + tensor.type + "'", false);
  uint64_t count = element_count(tensor.shape);
  uint64_t bits = static_cast<uint64_t>(type->bits);
  bool right = type->kind == Class::String
                   ? tensor.strings.size() == count
                   : count <= std::numeric_limits<uint64_t>::max() / 128 - 7 &&
                         tensor.data.size() == (count * bits + 7) / 8;
  if (!right) throw BadValue("the elements are not those of the shape", true);
}

// ---- protobuf --------------------------------------------------------------------------------

// A protobuf message, field by field.
class Message {
 public:
  explicit Message(const std::string& bytes) : bytes_(bytes) {}

  // The next field; false at the end. `number` is the value of a varint, `text` the bytes of a
  // field with a length, and of one of 4 or 8 bytes.
  bool next() {
    if (position_ == bytes_.size()) return false;
    uint64_t tag = varint();
    field = static_cast<int>(tag >> 3);
    wire = static_cast<int>(tag & 7);
    text.clear();
    number = 0;
    if (wire == 0) {
      number = varint();
    } else if (wire == 1 || wire == 5) {
      text = take(wire == 1 ? 8 : 4);
    } else if (wire == 2) {
      text = take(varint());
    } else {
      throw BadVector("not a protobuf message");
    }
    return true;
  }

  // The numbers of a repeated field of varints, packed or not.
  template <class Add>
  void each_number(Add add) const {
    if (wire == 0) return add(number);
    for (Message packed(text); packed.position_ < text.size();) add(packed.varint());
  }

  int field = 0, wire = 0;
  uint64_t number = 0;
  std::string text;

 private:
  const std::string& bytes_;
  size_t position_ = 0;

  uint64_t varint() {
    uint64_t result = 0;
    for (int shift = 0; shift < 70; shift += 7) {
      if (position_ == bytes_.size()) break;
      unsigned char byte = static_cast<unsigned char>(bytes_[position_++]);
      if (shift < 64) result |= static_cast<uint64_t>(byte & 0x7F) << shift;
      if (byte < 0x80) return result;
    }
    throw BadVector("not a protobuf message");
  }
  std::string take(uint64_t count) {
    if (count > bytes_.size() - position_) throw BadVector("a protobuf message ends too early");
    position_ += static_cast<size_t>(count);
    return bytes_.substr(position_ - static_cast<size_t>(count), static_cast<size_t>(count));
  }
};

inline void append_little_endian(std::string& data, uint64_t number, int bytes) {
  for (int i = 0; i < bytes; ++i) data += static_cast<char>(number >> (8 * i) & 0xFF);
}

// Fields as onnx.proto numbers them.
inline Value read_tensor(const std::string& bytes) {
  Value value;
  const ElementType* type = nullptr;
  std::string raw, typed;
  bool has_raw = false;
  std::vector<uint64_t> numbers;
  for (Message message(bytes); message.next();) {
    auto add = [&](uint64_t number) { numbers.push_back(number); };
    switch (message.field) {
      case 1:
        message.each_number([&](uint64_t n) { value.shape.push_back(static_cast<int64_t>(n)); });
        break;
      case 2: type = type_of_code(static_cast<int64_t>(message.number)); break;
      case 4:   // float_data
      case 10:  // double_data
        typed += message.text;
        break;
      case 5:   // int32_data
      case 7:   // int64_data
      case 11:  // uint64_data
        message.each_number(add);
        break;
      case 6: value.strings.push_back(message.text); break;
      case 9: raw = message.text, has_raw = true; break;
      case 14:
        if (message.number == 1) throw BadVector("a tensor keeps its data in another file");
        break;
      default: break;
    }
  }
  if (!type) throw BadVector("a tensor has no element type that is known");
  value.type = type->name;
  if (has_raw) {
    value.data = raw;
  } else if (type->kind != Class::String) {
    value.data = typed;
    // One element a number; 4- and 2-bit elements are packed already, and come byte by byte.
    for (uint64_t number : numbers)
      append_little_endian(value.data, number, std::max(type->bits, 8) / 8);
  }
  try {
    check_tensor(value);
  } catch (const BadValue& error) {
    throw BadVector(error.what());
  }
  return value;
}

inline Value read_value(const std::string& kind, const std::string& bytes, int depth = 0);

inline Value read_map(const std::string& bytes, int depth) {
  Value value, keys;
  value.kind = Value::Map;
  std::vector<uint64_t> numbers;
  const ElementType* type = nullptr;
  for (Message message(bytes); message.next();) {
    if (message.field == 2) type = type_of_code(static_cast<int64_t>(message.number));
    if (message.field == 3) message.each_number([&](uint64_t n) { numbers.push_back(n); });
    if (message.field == 4) keys.strings.push_back(message.text);
    if (message.field == 5) value.items = read_value("sequence", message.text, depth).items;
  }
  if (!type || (type->kind != Class::String && type->kind != Class::Int && type->kind != Class::Uint))
    throw BadVector("a map has no type of keys that is known");
  keys.type = type->name;
  if (type->kind != Class::String)
    for (uint64_t number : numbers) append_little_endian(keys.data, number, type->bits / 8);
  size_t count = type->kind == Class::String ? keys.strings.size() : numbers.size();
  if (count != value.items.size()) throw BadVector("a map has not as many keys as values");
  keys.shape = {static_cast<int64_t>(count)};
  value.keys = {keys};
  return value;
}

// The value in a file. `kind` is tensor, sequence, optional or map, as `value_kinds` of data.json
// says: the file itself does not.
inline Value read_value(const std::string& kind, const std::string& bytes, int depth) {
  if (depth > 32) throw BadVector("values are nested more than 32 deep");
  if (kind == "tensor") return read_tensor(bytes);
  if (kind == "map") return read_map(bytes, depth + 1);
  if (kind != "sequence" && kind != "optional") throw BadVector("unknown kind of value " + kind);
  Value value;
  value.kind = kind == "sequence" ? Value::Sequence : Value::Optional;
  // SequenceProto and OptionalProto number their fields alike.
  static const std::map<int, const char*> kinds = {
      {3, "tensor"}, {5, "sequence"}, {6, "map"}, {7, "optional"}};
  for (Message message(bytes); message.next();) {
    auto found = kinds.find(message.field);
    if (found == kinds.end()) continue;
    Value item = read_value(found->second, message.text, depth + 1);
    if (value.kind == Value::Optional) value.items.clear();
    value.items.push_back(std::move(item));
  }
  return value;
}

// ---- values in JSON, as protocol 1 has them --------------------------------------------------

inline std::string strict_base64(const Json& text) {
  if (text.kind != Json::String) throw BadValue("'data' must be base64 text", false);
  std::string decoded = protocol1::base64_decode(text.text);
  if (protocol1::base64_encode(decoded).size() != text.text.size())
    throw BadValue("'data' is not base64", false);
  return decoded;
}

// A value of a reply; throws BadValue.
inline Value from_wire(const Json& wire, int depth = 0) {
  if (wire.kind != Json::Object) throw BadValue("a value must be an object", false);
  if (depth > 32) throw BadValue("values are nested more than 32 deep", false);
  Value value;
  if (const Json* items = wire.find("sequence")) {
    value.kind = Value::Sequence;
    if (items->kind != Json::Array) throw BadValue("'sequence' must be a list", false);
    for (const Json& item : items->items) value.items.push_back(from_wire(item, depth + 1));
  } else if (const Json* inner = wire.find("optional")) {
    value.kind = Value::Optional;
    if (inner->kind != Json::Null) value.items.push_back(from_wire(*inner, depth + 1));
  } else if (const Json* map = wire.find("map")) {
    value.kind = Value::Map;
    const Json *keys = map->find("keys"), *values = map->find("values");
    if (!keys || !values || values->kind != Json::Array)
      throw BadValue("'map' needs 'keys' and a list 'values'", false);
    value.keys = {from_wire(*keys, depth + 1)};
    if (value.keys[0].kind != Value::Tensor)
      throw BadValue("'keys' of a map must be a tensor", false);
    for (const Json& item : values->items) value.items.push_back(from_wire(item, depth + 1));
  } else if (wire.find("foreign")) {
    value.kind = Value::Foreign;
  } else {
    const Json *type = wire.find("type"), *shape = wire.find("shape"), *data = wire.find("data");
    if (!type || !shape || !data) throw BadValue("a tensor needs 'type', 'shape' and 'data'", false);
    if (type->kind != Json::String || shape->kind != Json::Array)
      throw BadValue("'type' must be a string, 'shape' a list", false);
    value.type = type->text;
    for (const Json& item : shape->items) {
      size_t used = 0;
      try {
        value.shape.push_back(std::stoll(item.text, &used));
      } catch (const std::out_of_range&) {
        throw BadValue("a dimension beyond int64", true);
      } catch (const std::invalid_argument&) {
      }
      if (item.kind != Json::Number || used != item.text.size())
        throw BadValue("'shape' must be a list of integers", false);
    }
    element_count(value.shape);
    bool listed = data->kind == Json::Array;
    if (listed)
      for (const Json& item : data->items) value.strings.push_back(strict_base64(item));
    else
      value.data = strict_base64(*data);
    if (listed != (value.type == "string"))
      throw BadValue("strings are a list of base64, all else is one text", false);
    check_tensor(value);
  }
  return value;
}

inline std::string to_wire(const Value& value, const std::string& name = "") {
  std::string start = name.empty() ? "{" : "{\"name\":" + protocol1::json_string(name) + ",";
  if (value.kind == Value::Tensor) {
    protocol1::Tensor tensor{"", value.type, value.shape, value.data, value.strings};
    return start + protocol1::wire_of(tensor).substr(1);
  }
  std::string items;
  for (const Value& item : value.items) items += (items.empty() ? "" : ",") + to_wire(item);
  if (value.kind == Value::Sequence) return start + "\"sequence\":[" + items + "]}";
  if (value.kind == Value::Optional)
    return start + "\"optional\":" + (items.empty() ? "null" : items) + "}";
  return start + "\"map\":{\"keys\":" + to_wire(value.keys.at(0)) + ",\"values\":[" + items + "]}}";
}

// ---- vectors ---------------------------------------------------------------------------------

struct Named {
  std::string name;
  Value value;
};

// Low and high of one profile.
struct Limits {
  Value low, high;
};

// An expected output with all that says what else may be accepted: see vectors/README.md.
struct Expected {
  std::string name;
  Value value;
  std::optional<Limits> ieee, gpu;
  Json laws;  // Null where there are none
  std::vector<uint64_t> compared;  // positions of the elements that are; empty: all of them
};

struct DataSet {
  std::vector<Named> inputs;
  std::vector<Expected> outputs;
};

struct Permitted {
  std::string taken;
  bool rejection = false;  // else the outputs
  bool any = false;        // any other values of their type and shape as well
  std::vector<Expected> outputs;
};

struct Vector {
  fs::path folder;
  std::string id, expect, control, domain;
  std::string reject;  // the phase at which the fault of an invalid vector can first be known
  int64_t opset = 0;
  std::vector<std::string> inputs, outputs;
  double rtol = 0, atol = 0;
  bool has_accuracy = false;
  bool has_laws = false;
  bool has_compared = false;  // of some output some elements alone are compared
  bool by_element = false;
  bool has_files_beside = false;  // beside the model, such as its external data
  std::vector<Permitted> permitted;
  std::vector<DataSet> data_sets;

  fs::path model() const { return folder / "model.onnx"; }
};

inline std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw BadVector(path.string() + ": is missing");
  return {std::istreambuf_iterator<char>(file), {}};
}

class VectorReader {
 public:
  explicit VectorReader(const fs::path& folder) : folder_(folder) {}

  Vector read() {
    facts_ = protocol1::JsonReader(read_file(folder_ / "data.json")).read();
    Vector vector;
    vector.folder = folder_;
    vector.id = facts_.at("id").text;
    vector.expect = facts_.at("expect").text;
    vector.domain = text("domain");
    vector.control = text("control");
    vector.reject = text("reject");
    vector.opset = std::stoll(facts_.at("opset").text);
    vector.inputs = texts("inputs");
    vector.outputs = texts("outputs");
    vector.rtol = std::stod(facts_.at("rtol").text);
    vector.atol = std::stod(facts_.at("atol").text);
    const Json* accuracy = facts_.find("accuracy");
    vector.has_accuracy = accuracy && accuracy->kind != Json::Null;
    const Json* laws = facts_.find("laws");
    vector.has_laws = laws && !laws->members.empty();
    const Json* compared = facts_.find("compared");
    vector.has_compared = compared && !compared->members.empty();
    vector.by_element = text("permitted_by") == "element";
    if (vector.expect != "outputs" && vector.expect != "rejection" && vector.expect != "any")
      throw BadVector("data.json expects '" + vector.expect + "'");
    size_t count = 0;
    for (const auto& entry : fs::directory_iterator(folder_)) {
      std::string name = entry.path().filename().string();
      if (entry.is_directory() && name.rfind("test_data_set_", 0) == 0) ++count;
      if (entry.is_regular_file() && name != "model.onnx" && name != "data.json")
        vector.has_files_beside = true;
    }
    if (!fs::is_regular_file(vector.model())) throw BadVector("has no model.onnx");
    // A model without inputs that must be refused has no data set.
    for (size_t i = 0; i < std::max<size_t>(count, 1); ++i) {
      fs::path place = folder_ / ("test_data_set_" + std::to_string(i));
      DataSet data_set;
      data_set.inputs = inputs(vector.inputs, place);
      if (vector.expect == "outputs") data_set.outputs = outputs(vector.outputs, place);
      vector.data_sets.push_back(std::move(data_set));
    }
    if (const Json* permitted = facts_.find("permitted"))
      for (const Json& item : permitted->items) vector.permitted.push_back(read_permitted(item, vector));
    return vector;
  }

 private:
  fs::path folder_;
  Json facts_;

  std::string text(const char* key) const {
    const Json* found = facts_.find(key);
    return found && found->kind == Json::String ? found->text : "";
  }
  std::vector<std::string> texts(const char* key) const {
    std::vector<std::string> found;
    if (const Json* list = facts_.find(key))
      for (const Json& item : list->items) found.push_back(item.text);
    return found;
  }
  Value value(const std::string& name, const fs::path& path) const {
    const Json* kinds = facts_.find("value_kinds");
    const Json* kind = kinds ? kinds->find(name) : nullptr;
    try {
      return read_value(kind ? kind->text : "tensor", read_file(path));
    } catch (const BadVector& error) {
      throw BadVector(path.string() + ": " + error.what());
    }
  }
  std::vector<Named> inputs(const std::vector<std::string>& names, const fs::path& place) const {
    std::vector<std::string> absent = texts("absent_inputs");
    std::vector<Named> found;
    for (size_t i = 0; i < names.size(); ++i) {
      fs::path path = place / ("input_" + std::to_string(i) + ".pb");
      bool may_be_absent = std::find(absent.begin(), absent.end(), names[i]) != absent.end();
      if (fs::exists(path) || !may_be_absent) found.push_back({names[i], value(names[i], path)});
    }
    return found;
  }
  std::vector<Expected> outputs(const std::vector<std::string>& names, const fs::path& place,
                                bool has_laws = true) const {
    std::vector<Expected> found;
    for (size_t i = 0; i < names.size(); ++i) {
      std::string file = "_" + std::to_string(i) + ".pb";
      Expected one;
      one.name = names[i];
      one.value = value(one.name, place / ("output" + file));
      one.ieee = limits(one, place / ("low" + file), place / ("high" + file));
      one.gpu = limits(one, place / ("gpu_low" + file), place / ("gpu_high" + file));
      const Json* laws = facts_.find("laws");
      const Json* own = laws ? laws->find(one.name) : nullptr;
      if (has_laws && own && !own->items.empty() && one.value.kind == Value::Tensor) one.laws = *own;
      one.compared = compared(one);
      found.push_back(std::move(one));
    }
    return found;
  }
  std::vector<uint64_t> compared(const Expected& one) const {
    const Json* listed = facts_.find("compared");
    const Json* own = listed ? listed->find(one.name) : nullptr;
    std::vector<uint64_t> found;
    if (!own) return found;
    uint64_t count = one.value.kind == Value::Tensor ? element_count(one.value.shape) : 0;
    for (const Json& item : own->items) {
      found.push_back(std::stoull(item.text));
      if (found.back() >= count) throw BadVector("data.json compares an element that is not there");
    }
    if (found.empty()) throw BadVector("data.json compares no element of " + one.name);
    return found;
  }
  std::optional<Limits> limits(const Expected& one, const fs::path& low, const fs::path& high) const {
    if (!fs::exists(low) && !fs::exists(high)) return std::nullopt;  // one alone is an error
    Limits found{value(one.name, low), value(one.name, high)};
    require_alike(one.value, found.low);
    require_alike(one.value, found.high);
    return found;
  }
  static void require_alike(const Value& one, const Value& other) {
    bool alike = one.kind == other.kind && one.type == other.type && one.shape == other.shape &&
                 one.items.size() == other.items.size() && one.type != "string";
    if (!alike) throw BadVector("a limit is not of the type and shape of its output");
    for (size_t i = 0; i < one.items.size(); ++i) require_alike(one.items[i], other.items[i]);
  }
  Permitted read_permitted(const Json& item, const Vector& vector) const {
    Permitted found;
    found.taken = item.at("taken").text;
    const Json* any = item.find("any");
    found.any = any && any->text == "true";
    const Json& place = item.at("folder");
    found.rejection = place.kind == Json::Null;
    const Json* laws = item.find("laws");  // false: those of another permitted result
    bool has_laws = !laws || laws->text != "false";
    if (!found.rejection) found.outputs = outputs(vector.outputs, folder_ / place.text, has_laws);
    return found;
  }
};

// The vector in a folder; throws BadVector.
inline Vector read_vector(const fs::path& folder) {
  try {
    return VectorReader(folder).read();
  } catch (const BadVector& error) {
    throw BadVector(folder.string() + ": " + error.what());
  } catch (const std::exception& error) {
    throw BadVector(folder.string() + "/data.json: " + error.what());
  }
}

// The folders of all vectors in or below a folder, in order.
inline std::vector<fs::path> vector_folders(const fs::path& root) {
  std::vector<fs::path> found;
  if (fs::exists(root / "data.json")) return {root};
  if (!fs::is_directory(root)) return found;
  for (auto entry = fs::recursive_directory_iterator(root); entry != fs::recursive_directory_iterator();
       ++entry) {
    if (!entry->is_directory() || !fs::exists(entry->path() / "data.json")) continue;
    found.push_back(entry->path());
    entry.disable_recursion_pending();
  }
  std::sort(found.begin(), found.end());
  return found;
}

// The folder of another vector of the same corpus, by its id; `kind` is valid, invalid or latitude.
inline fs::path folder_of(const Vector& beside, const std::string& kind, const std::string& id) {
  std::string name = "test_";
  bool other = false;
  for (char letter : id) {
    unsigned char byte = static_cast<unsigned char>(letter);
    if (byte < 0x80 && std::isalnum(byte)) {
      if (other) name += '_';
      name += static_cast<char>(std::tolower(byte));
      other = false;
    } else {
      other = true;
    }
  }
  if (other) name += '_';
  fs::path root = fs::absolute(beside.folder).parent_path().parent_path().parent_path();
  return root / kind / id.substr(0, id.find('/')) / name;
}

// ---- comparing -------------------------------------------------------------------------------

enum class Profile { Ieee, Gpu };

// How near is near enough where an output has no limits: both 0 is exact.
struct Tolerance {
  double rtol = 0, atol = 0;
  Profile profile = Profile::Ieee;
  bool type_and_shape = false;

  bool is_exact() const { return rtol == 0 && atol == 0; }
};

inline Tolerance tolerance_of(const Vector& vector, Profile profile) {
  Tolerance tolerance;
  if (vector.has_accuracy) {
    tolerance.profile = profile;  // outputs without limits are exact
  } else if (!vector.has_laws && !vector.has_compared) {  // there the pair is for plain runners
    tolerance.rtol = vector.rtol;
    tolerance.atol = vector.atol;
  }
  return tolerance;
}

enum class Aspect { Same, Type, Shape, Value };

struct Difference {
  Aspect aspect = Aspect::Same;
  std::string words;

  explicit operator bool() const { return aspect != Aspect::Same; }
};

// One number: its bits, and the type that they are of. A complex element has two.
struct Number {
  uint64_t bits;
  const ElementType* type;

  const Format& format() const { return type->format; }
  bool is_float() const { return type->kind == Class::Float || type->kind == Class::Complex; }
  uint64_t magnitude() const {
    return bits & ((uint64_t{1} << (format().exponent + format().mantissa)) - 1);
  }
  bool is_negative() const { return bits != magnitude(); }
  uint64_t infinity() const { return ((uint64_t{1} << format().exponent) - 1) << format().mantissa; }
  bool is_nan() const {
    if (!is_float()) return false;
    switch (format().special) {
      case Special::Finite: return false;
      case Special::NegativeZero: return is_negative() && magnitude() == 0;
      case Special::AllOnes:
        return magnitude() == (uint64_t{1} << (format().exponent + format().mantissa)) - 1;
      case Special::Ieee: break;
    }
    return magnitude() > infinity();
  }
  bool is_infinite() const {
    return is_float() && format().special == Special::Ieee && magnitude() == infinity();
  }
  bool is_zero() const { return format().has_sign && magnitude() == 0 && !is_nan(); }

  int width() const { return type->kind == Class::Complex ? type->bits / 2 : type->bits; }
  // An integer with the order of the numbers; -0 is just below +0, where a type has it.
  int64_t key() const {
    if (is_float()) {
      int64_t size = static_cast<int64_t>(magnitude());
      if (!format().has_sign || !is_negative()) return size;
      return format().special == Special::NegativeZero ? -size : ~size;
    }
    if (type->kind == Class::Bool) return bits != 0;
    if (type->kind == Class::Int) {
      int shift = 64 - width();
      return static_cast<int64_t>(bits << shift) >> shift;
    }
    return static_cast<int64_t>(bits ^ (uint64_t{1} << 63));  // unsigned, in order
  }
  double real() const {
    if (!is_float()) {
      if (type->kind == Class::Int) return static_cast<double>(key());
      return type->kind == Class::Bool ? double(bits != 0) : static_cast<double>(bits);
    }
    if (is_nan()) return std::numeric_limits<double>::quiet_NaN();
    double sign = format().has_sign && is_negative() ? -1.0 : 1.0;
    if (is_infinite()) return sign * std::numeric_limits<double>::infinity();
    int exponent = static_cast<int>(magnitude() >> format().mantissa);
    double fraction = static_cast<double>(magnitude() & ((uint64_t{1} << format().mantissa) - 1));
    if (exponent == 0 && format().has_sign) exponent = 1;  // subnormal
    else fraction += std::ldexp(1.0, format().mantissa);
    return sign * std::ldexp(fraction, exponent - format().bias - format().mantissa);
  }
};

// The numbers of a tensor, by position; a complex tensor has two for each element.
struct Numbers {
  const Value& tensor;
  const ElementType* type;

  explicit Numbers(const Value& value) : tensor(value), type(type_named(value.type)) {}
  Number operator[](uint64_t index) const {
    int width = type->kind == Class::Complex ? type->bits / 2 : type->bits;
    uint64_t bits = 0;
    if (width >= 8) {
      size_t start = static_cast<size_t>(index) * static_cast<size_t>(width / 8);
      for (int i = width / 8; i-- > 0;)
        bits = bits << 8 | static_cast<unsigned char>(tensor.data[start + static_cast<size_t>(i)]);
      return {bits, type};
    }
    uint64_t at = index * static_cast<uint64_t>(width);
    size_t byte = static_cast<size_t>(at / 8);
    bits = static_cast<unsigned char>(tensor.data[byte]);
    if (byte + 1 < tensor.data.size())
      bits |= static_cast<uint64_t>(static_cast<unsigned char>(tensor.data[byte + 1])) << 8;
    return {bits >> (at % 8) & ((uint64_t{1} << width) - 1), type};
  }
};

inline bool is_close(double expected, double got, double rtol, double atol) {
  return std::abs(got - expected) <= atol + rtol * std::abs(expected);
}

// Whether a number is near enough to one without limits.
inline bool is_near(const Number& expected, const Number& got, const Tolerance& tolerance) {
  if (expected.type->kind == Class::Bool) return (expected.bits != 0) == (got.bits != 0);
  if (expected.bits == got.bits || (expected.is_nan() && got.is_nan())) return true;
  if (tolerance.is_exact()) return false;
  // As ONNX's runner: numpy.allclose, which does not tell -0 from 0.
  double rtol = tolerance.rtol;
  if (std::string(expected.type->name) == "bfloat16") rtol = std::max(rtol, 1.0 / 64);
  if (expected.is_float()) {
    if (expected.is_zero() && got.is_zero()) return true;
    if (expected.is_nan() || got.is_nan() || expected.is_infinite() || got.is_infinite()) return false;
  }
  return is_close(expected.real(), got.real(), rtol, tolerance.atol);
}

inline bool is_between(const Number& expected, const Number& got, const Number& low, const Number& high) {
  if (expected.is_nan() && got.is_nan()) return true;
  if (expected.is_nan() || low.is_nan() || high.is_nan()) return false;
  // Limits of both infinities accept NaN too.
  if (got.is_nan()) return low.is_infinite() && high.is_infinite() && low.key() < high.key();
  return low.key() <= got.key() && got.key() <= high.key();
}

// A part of an expected output beside the same part of its limits.
struct Due {
  const Value* value = nullptr;
  const Value *ieee_low = nullptr, *ieee_high = nullptr, *gpu_low = nullptr, *gpu_high = nullptr;
  const Json* laws = nullptr;
  const std::vector<uint64_t>* compared = nullptr;  // the elements that are; all, where it is null

  static Due of(const Expected& one) {
    Due due;
    due.value = &one.value;
    if (one.ieee) due.ieee_low = &one.ieee->low, due.ieee_high = &one.ieee->high;
    if (one.gpu) due.gpu_low = &one.gpu->low, due.gpu_high = &one.gpu->high;
    // Limits say more than laws, where an output has both.
    if (one.laws.kind != Json::Null && !one.ieee && !one.gpu) due.laws = &one.laws;
    if (!one.compared.empty()) due.compared = &one.compared;
    return due;
  }
  // How many elements of a tensor are compared, and where one of them is.
  uint64_t count() const { return compared ? compared->size() : element_count(value->shape); }
  uint64_t at(uint64_t i) const { return compared ? (*compared)[static_cast<size_t>(i)] : i; }
  bool is_bounded() const { return ieee_low || gpu_low; }
  Due item(size_t i) const {
    auto part = [i](const Value* whole) { return whole ? &whole->items[i] : nullptr; };
    return {part(value), part(ieee_low), part(ieee_high), part(gpu_low), part(gpu_high), nullptr, nullptr};
  }
  // The value in an optional that is not empty, at any depth.
  Due contained() const {
    bool inside = value->kind == Value::Optional && !value->items.empty();
    return inside ? item(0).contained() : *this;
  }
};

inline const Value& contained(const Value& value) {
  bool inside = value.kind == Value::Optional && !value.items.empty();
  return inside ? contained(value.items[0]) : value;
}

inline std::string shape_words(const Value& value) {
  static const char* kinds[] = {"", "a sequence", "an optional", "a map", "no value of ONNX"};
  if (value.kind != Value::Tensor) return kinds[value.kind];
  std::string words;
  for (int64_t dimension : value.shape) words += (words.empty() ? "" : ", ") + std::to_string(dimension);
  return value.type + " [" + words + "]";
}

inline std::string number_words(const Number& number) {
  char buffer[64];
  if (number.is_float()) std::snprintf(buffer, sizeof buffer, "%.17g", number.real());
  else if (number.type->kind == Class::Int) std::snprintf(buffer, sizeof buffer, "%lld", static_cast<long long>(number.key()));
  else std::snprintf(buffer, sizeof buffer, "%llu", static_cast<unsigned long long>(number.bits));
  return buffer;
}

inline Difference differ(Aspect aspect, const Value& expected, const Value& got) {
  return {aspect, "expected " + shape_words(expected) + ", got " + shape_words(got)};
}

// Whether one number of a tensor with limits is accepted.
inline bool is_accepted(const Due& due, uint64_t i, const Number& got, Profile profile) {
  Number expected = Numbers(*due.value)[i];
  if (is_near(expected, got, Tolerance())) return true;
  if (due.ieee_low && is_between(expected, got, Numbers(*due.ieee_low)[i], Numbers(*due.ieee_high)[i]))
    return true;
  return profile == Profile::Gpu && due.gpu_low &&
         is_between(expected, got, Numbers(*due.gpu_low)[i], Numbers(*due.gpu_high)[i]);
}

// Whether one element, real or complex, is near enough; strings and tensors of equal type and shape.
inline bool element_is_near(const Due& due, const Value& got, uint64_t index, const Tolerance& tolerance) {
  if (got.type == "string") return due.value->strings[index] == got.strings[index];
  Numbers expected(*due.value), actual(got);
  uint64_t parts = actual.type->kind == Class::Complex ? 2 : 1;
  for (uint64_t i = index * parts; i < (index + 1) * parts; ++i) {
    Number here = actual[i];
    bool near = due.is_bounded() ? is_accepted(due, i, here, tolerance.profile)
                                 : is_near(expected[i], here, tolerance);
    if (!near) return false;
  }
  return true;
}

// ---- laws ------------------------------------------------------------------------------------

inline std::vector<double> reals_of(const Value& tensor) {
  const ElementType* type = type_named(tensor.type);
  if (type->kind == Class::String || type->kind == Class::Complex)
    throw BadVector("laws are about real numbers");
  std::vector<double> reals(static_cast<size_t>(element_count(tensor.shape)));
  Numbers numbers(tensor);
  for (size_t i = 0; i < reals.size(); ++i) reals[i] = numbers[i].real();
  return reals;
}

// Why a law about one output alone does not hold; empty where it does.
inline std::string broken_law(const Json& law, const std::vector<double>& reals) {
  auto number = [&law](const char* key) { return std::stod(law.at(key).text); };
  const std::string& kind = law.at("law").text;
  if (kind == "values" || kind == "range") {
    std::vector<double> of;
    if (kind == "values")
      for (const Json& item : law.at("of").items) of.push_back(std::stod(item.text));
    for (size_t i = 0; i < reals.size(); ++i) {
      bool right = kind == "values" ? std::find(of.begin(), of.end(), reals[i]) != of.end()
                                    : number("low") <= reals[i] && reals[i] <= number("high");
      if (!right) return "element " + std::to_string(i) + " is none of those permitted (" + kind + ")";
    }
    return "";
  }
  size_t from = static_cast<size_t>(number("from")), to = static_cast<size_t>(number("to"));
  to = std::min(to, reals.size());
  double found = 0;
  if (kind == "sum") {
    double about = number("about"), power = number("power");
    for (size_t i = from; i < to; ++i) found += std::pow(reals[i] - about, power);
  } else if (kind == "count") {
    double above = number("above"), below = number("below");
    for (size_t i = from; i < to; ++i) found += above <= reals[i] && reals[i] < below;
  } else {
    throw BadVector("unknown law '" + kind + "'");
  }
  double low = number(kind == "sum" ? "low" : "least"), high = number(kind == "sum" ? "high" : "most");
  if (low <= found && found <= high) return "";
  return "a " + kind + " is " + std::to_string(found) + ", permitted are " + std::to_string(low) +
         " to " + std::to_string(high);
}

// The first law of an output that does not hold. `others` are the tensors of the same run, by name;
// a law about one that is not there is not looked at.
inline std::string broken(const Json& laws, const Value& got,
                          const std::map<std::string, const Value*>& others) {
  std::vector<double> reals = reals_of(got);
  for (const Json& law : laws.items) {
    std::string words;
    if (const Json* as = law.find("as")) {
      auto other = others.find(as->text);
      if (other == others.end()) continue;
      bool same = reals == reals_of(*other->second);
      if (same != (law.at("law").text == "same"))
        words = "must " + std::string(same ? "differ from" : "be the same as") + " '" + as->text + "'";
    } else {
      words = broken_law(law, reals);
    }
    if (!words.empty()) return words;
  }
  return "";
}

// ---- whole values ----------------------------------------------------------------------------

inline Difference compare(const Due& expected, const Value& actual, const Tolerance& tolerance);

inline Difference compare_tensors(const Due& due, const Value& got, const Tolerance& tolerance) {
  const Value& expected = *due.value;
  if (expected.type != got.type) return differ(Aspect::Type, expected, got);
  if (expected.shape != got.shape) return differ(Aspect::Shape, expected, got);
  if (tolerance.type_and_shape) return {};
  if (due.laws) {
    std::string words = broken(*due.laws, got, {});
    return words.empty() ? Difference{} : Difference{Aspect::Value, words};
  }
  if (expected.data == got.data && expected.strings == got.strings) return {};  // nearly always
  uint64_t count = due.count(), differing = 0, first = 0;
  for (uint64_t i = 0; i < count; ++i)
    if (!element_is_near(due, got, due.at(i), tolerance) && differing++ == 0) first = due.at(i);
  if (!differing) return {};
  std::string words = std::to_string(differing) + " of " + std::to_string(count) +
                      (due.compared ? " compared elements of " : " elements of ") + shape_words(got) + " differ, the first at " + std::to_string(first);
  if (got.type != "string" && Numbers(got).type->kind != Class::Complex)
    words += ": expected " + number_words(Numbers(expected)[first]) + ", got " +
             number_words(Numbers(got)[first]);
  return {Aspect::Value, words};
}

inline std::vector<std::string> key_texts(const Value& map) {
  const Value& keys = map.keys.at(0);
  size_t count = std::min<size_t>(static_cast<size_t>(element_count(keys.shape)), map.items.size());
  std::vector<std::string> texts;
  for (size_t i = 0; i < count; ++i)
    texts.push_back(keys.type == "string" ? keys.strings[i] : std::to_string(Numbers(keys)[i].bits));
  return texts;
}

inline Difference compare_maps(const Due& due, const Value& got, const Tolerance& tolerance) {
  const Value& expected = *due.value;
  if (expected.keys.at(0).type != got.keys.at(0).type) return {Aspect::Type, "the keys are of another type"};
  std::vector<std::string> first = key_texts(expected), second = key_texts(got);
  std::set<std::string> wanted(first.begin(), first.end()), found(second.begin(), second.end());
  if (found.size() != got.items.size() || wanted != found) return {Aspect::Value, "the keys differ"};
  for (size_t i = 0; i < first.size(); ++i) {
    size_t at = static_cast<size_t>(std::find(second.begin(), second.end(), first[i]) - second.begin());
    if (Difference difference = compare(due.item(i), got.items[at], tolerance)) return difference;
  }
  return {};
}

// Kind, element type, shape, then elements. An optional that holds a value equals that value, since
// the interfaces of many runtimes do not tell the two apart.
inline Difference compare(const Due& expected, const Value& actual, const Tolerance& tolerance) {
  Aspect aspect = expected.value->kind == Value::Optional ? Aspect::Value : Aspect::Type;
  Due due = expected.contained();
  const Value& got = contained(actual);
  Value::Kind one = due.value->kind, other = got.kind;
  if (one == Value::Tensor && other == Value::Tensor) return compare_tensors(due, got, tolerance);
  if (one == Value::Optional || other == Value::Optional)
    return one == other ? Difference{} : differ(aspect, *due.value, got);
  if (one == Value::Sequence && other == Value::Sequence) {
    if (due.value->items.size() != got.items.size())
      return {Aspect::Shape, "expected " + std::to_string(due.value->items.size()) + " items, got " +
                                 std::to_string(got.items.size())};
    for (size_t i = 0; i < got.items.size(); ++i)
      if (Difference difference = compare(due.item(i), got.items[i], tolerance)) {
        difference.words = "item " + std::to_string(i) + ": " + difference.words;
        return difference;
      }
    return {};
  }
  if (one == Value::Map && other == Value::Map) return compare_maps(due, got, tolerance);
  return differ(Aspect::Type, *due.value, got);
}

// One of several permitted values; with `any`, all of its type and shape are permitted.
struct Choice {
  Due due;
  bool any;
};

// Each element may be that of another choice of the same type and shape.
inline Difference compare_choices(const std::vector<Choice>& given, const Value& actual,
                                  const Tolerance& tolerance) {
  const Value& got = contained(actual);
  std::vector<Choice> choices, fitting;
  for (const Choice& item : given) choices.push_back({item.due.contained(), item.any});
  auto wrong = [&](Aspect aspect) { return differ(aspect, *choices.front().due.value, got); };
  if (got.kind != Value::Tensor && got.kind != Value::Sequence) {
    for (const Choice& item : choices)
      if (!compare(item.due, got, tolerance)) return {};
    return compare(choices.front().due, got, tolerance);
  }
  for (const Choice& item : choices)
    if (item.due.value->kind == got.kind && item.due.value->type == got.type) fitting.push_back(item);
  if (fitting.empty()) return wrong(Aspect::Type);
  std::vector<Choice> typed = std::move(fitting);
  fitting.clear();
  for (const Choice& item : typed)
    if (item.due.value->shape == got.shape && item.due.value->items.size() == got.items.size())
      fitting.push_back(item);
  if (fitting.empty()) return wrong(Aspect::Shape);
  if (got.kind == Value::Sequence) {
    for (size_t i = 0; i < got.items.size(); ++i) {
      std::vector<Choice> here;
      for (const Choice& item : fitting) here.push_back({item.due.item(i), item.any});
      if (Difference difference = compare_choices(here, got.items[i], tolerance)) return difference;
    }
    return {};
  }
  for (const Choice& item : fitting)
    if (item.any) return {};
  for (uint64_t place = 0; place < fitting.front().due.count(); ++place) {
    uint64_t i = fitting.front().due.at(place);
    bool near = false;
    for (const Choice& item : fitting) near = near || element_is_near(item.due, got, i, tolerance);
    if (!near) return {Aspect::Value, "element " + std::to_string(i) + " is none of those permitted"};
  }
  return {};
}

// ---- verdicts --------------------------------------------------------------------------------

// What became of running a vector once.
struct Observation {
  enum Kind { Outputs, Accepted, Rejected, Unsupported, Error, Crashed, TimedOut, ProtocolBroken };
  Kind kind = Outputs;
  std::vector<std::vector<Value>> outputs;  // for each data set, in the order of the vector's names
  std::string message;
  std::string phase;               // Rejected: decode, load or run
  bool impossible_output = false;  // ProtocolBroken: by an output whose shape cannot be
};

struct Verdict {
  std::string verdict;  // the word of the columns in docs/reports.md, such as "wrong-value"
  std::string message;
  std::string taken;  // latitude: which permitted result came

  bool passed() const { return verdict == "pass"; }
  // Neither for nor against the runtime.
  bool proves_nothing() const { return verdict == "unsupported" || verdict == "inconclusive"; }
};

inline Verdict wrong(const Difference& difference, const std::string& where) {
  const char* word = difference.aspect == Aspect::Type    ? "wrong-type"
                     : difference.aspect == Aspect::Shape ? "wrong-shape"
                                                          : "wrong-value";
  return {word, where + difference.words, ""};
}

inline Verdict wrong_count(size_t expected, size_t got, const std::string& where) {
  return {"wrong-count",
          where + "expected " + std::to_string(expected) + " outputs, got " + std::to_string(got), ""};
}

// One data set: the first difference decides; laws about two outputs come after each output's own.
inline Verdict judge_outputs(const std::vector<Expected>& expected, const std::vector<Value>& got,
                             const Tolerance& tolerance, const std::string& where) {
  if (expected.size() != got.size()) return wrong_count(expected.size(), got.size(), where);
  for (size_t i = 0; i < got.size(); ++i)
    if (Difference difference = compare(Due::of(expected[i]), got[i], tolerance))
      return wrong(difference, where + expected[i].name + ": ");
  if (tolerance.type_and_shape) return {"pass", "", ""};
  std::map<std::string, const Value*> tensors;
  for (size_t i = 0; i < got.size(); ++i)
    if (got[i].kind == Value::Tensor) tensors[expected[i].name] = &got[i];
  for (size_t i = 0; i < got.size(); ++i) {
    const Json* laws = Due::of(expected[i]).laws;
    if (!laws || got[i].kind != Value::Tensor) continue;
    std::string words = broken(*laws, got[i], tensors);
    if (!words.empty()) return {"wrong-value", where + expected[i].name + ": " + words, ""};
  }
  return {"pass", "", ""};
}

inline std::string place_of(size_t index, size_t count) {
  return count > 1 ? "data set " + std::to_string(index) + ", " : "";
}

inline Verdict judge_elements(const Vector& vector, const Observation& seen, const Tolerance& tolerance) {
  for (size_t set = 0; set < seen.outputs.size(); ++set) {
    const std::vector<Value>& got = seen.outputs[set];
    std::string where = place_of(set, seen.outputs.size());
    std::vector<const Permitted*> results;
    for (const Permitted& item : vector.permitted)
      if (!item.rejection) results.push_back(&item);
    size_t count = results.front()->outputs.size();
    if (got.size() != count) return wrong_count(count, got.size(), where);
    for (size_t i = 0; i < count; ++i) {
      std::vector<Choice> choices;
      for (const Permitted* item : results) choices.push_back({Due::of(item->outputs.at(i)), item->any});
      if (Difference difference = compare_choices(choices, got[i], tolerance))
        return wrong(difference, where + results.front()->outputs[i].name + ": ");
    }
  }
  return {"pass", "", "mixed"};
}

inline Verdict judge_latitude(const Vector& vector, const Observation& seen, const Tolerance& tolerance) {
  // The difference from the permitted result that is nearest in kind is told.
  static const std::vector<std::string> order = {"wrong-value", "wrong-shape", "wrong-type", "wrong-count"};
  auto rank = [](const Verdict& item) {
    return std::find(order.begin(), order.end(), item.verdict) - order.begin();
  };
  Verdict nearest{"", "", ""};
  bool has_outputs = false;
  for (const Permitted& item : vector.permitted) {
    if (item.rejection) continue;
    has_outputs = true;
    Tolerance rule = tolerance;
    rule.type_and_shape = item.any;
    Verdict found{"pass", "", item.taken};
    for (size_t set = 0; set < seen.outputs.size() && found.passed(); ++set) {
      found = judge_outputs(item.outputs, seen.outputs[set], rule, place_of(set, seen.outputs.size()));
      found.taken = item.taken;
    }
    if (found.passed()) return found;
    if (nearest.verdict.empty() || rank(found) < rank(nearest)) nearest = found;
  }
  if (vector.by_element && has_outputs) return judge_elements(vector, seen, tolerance);
  if (!has_outputs) return {"wrong-value", "only a rejection is permitted", ""};
  return {nearest.verdict, "none of the permitted results: " + nearest.message, ""};
}

inline std::string refusal(const Observation& seen) {
  return "rejected at " + seen.phase + ": " + seen.message;
}

// The verdict on one observation. A rejected invalid vector passes only where its control does:
// see `settle`.
inline Verdict judge(const Vector& vector, const Observation& seen, Profile profile = Profile::Ieee) {
  bool invalid = vector.expect == "rejection", latitude = vector.expect == "any";
  switch (seen.kind) {
    case Observation::Rejected:
      if (invalid) return {"pass", refusal(seen), ""};
      for (const Permitted& item : vector.permitted)
        if (latitude && item.rejection) return {"pass", refusal(seen), item.taken};
      return {"rejected", refusal(seen), ""};
    case Observation::Unsupported:
      return {invalid ? "inconclusive" : "unsupported", seen.message, ""};
    case Observation::Accepted:
      if (invalid && vector.reject == "run")
        return {"inconclusive", "accepted; the fault shows only when the model runs", ""};
      if (invalid) return {"accepted-invalid", "accepted", ""};
      return {"pass", "", latitude ? "accepted" : ""};
    case Observation::Error: return {"error", seen.message, ""};
    case Observation::Crashed: return {"crashed", seen.message, ""};
    case Observation::TimedOut: return {"timed-out", seen.message, ""};
    case Observation::ProtocolBroken:
      if (invalid && seen.impossible_output)
        return {"accepted-invalid", "outputs that cannot be: " + seen.message, ""};
      return {"protocol-error", seen.message, ""};
    case Observation::Outputs: break;
  }
  if (seen.outputs.size() != vector.data_sets.size())
    return {"protocol-error", "outputs of " + std::to_string(seen.outputs.size()) + " data sets", ""};
  if (invalid) return {"accepted-invalid", "expected a rejection, got outputs", ""};
  Tolerance tolerance = tolerance_of(vector, profile);
  if (latitude) return judge_latitude(vector, seen, tolerance);
  for (size_t set = 0; set < seen.outputs.size(); ++set) {
    Verdict found = judge_outputs(vector.data_sets[set].outputs, seen.outputs[set], tolerance,
                                  place_of(set, seen.outputs.size()));
    if (!found.passed()) return found;
  }
  return {"pass", "", ""};
}

// The verdict once that of the control is known; `control` is empty where it has none.
inline Verdict settle(const Vector& vector, const Verdict& found, const std::string& control) {
  if (vector.expect != "rejection" || !found.passed() || vector.control.empty() || control == "pass")
    return found;
  std::string state = control.empty() ? "has no verdict" : "is " + control;
  return {"inconclusive",
          found.message + "; proves nothing: its control '" + vector.control + "' " + state, ""};
}

// ---- running ---------------------------------------------------------------------------------

// The observation in a reply of protocol 1. Recorded replies may also say "crashed", "timed-out" or
// "protocol-error", with a text.
class ReplyReader {
 public:
  explicit ReplyReader(const Json& reply) : reply_(reply) {}

  Observation read() {
    try {
      return observation();
    } catch (const BadValue& error) {
      Observation seen;
      seen.kind = Observation::ProtocolBroken;
      seen.message = error.what();
      seen.impossible_output = error.shape;
      return seen;
    }
  }

 private:
  const Json& reply_;

  static const std::vector<std::pair<std::string, Observation::Kind>>& results() {
    static const std::vector<std::pair<std::string, Observation::Kind>> kinds = {
        {"outputs", Observation::Outputs},     {"rejected", Observation::Rejected},
        {"accepted", Observation::Accepted},   {"unsupported", Observation::Unsupported},
        {"error", Observation::Error},         {"crashed", Observation::Crashed},
        {"timed-out", Observation::TimedOut},  {"protocol-error", Observation::ProtocolBroken}};
    return kinds;
  }

  Observation observation() {
    Observation seen;
    const Json* result = nullptr;
    for (const auto& [key, kind] : results())
      if (const Json* found = reply_.find(key)) {
        if (result) throw BadValue("a reply needs exactly one result", false);
        result = found;
        seen.kind = kind;
      }
    if (!result) throw BadValue("a reply needs exactly one result", false);
    if (seen.kind == Observation::Outputs) {
      seen.outputs = outputs_of(*result);
    } else if (seen.kind == Observation::Rejected) {
      const Json *phase = result->find("phase"), *message = result->find("message");
      static const std::set<std::string> phases = {"decode", "load", "run"};
      if (!phase || !phases.count(phase->text)) throw BadValue("a rejection has no phase", false);
      if (!message || message->kind != Json::String) throw BadValue("a rejection has no message", false);
      seen.phase = phase->text;
      seen.message = message->text;
    } else if (seen.kind != Observation::Accepted) {
      if (result->kind != Json::String) throw BadValue("a reply has no text", false);
      seen.message = result->text;
    } else if (result->text != "true") {
      throw BadValue("'accepted' must be true", false);
    }
    return seen;
  }
  static std::vector<std::vector<Value>> outputs_of(const Json& wire) {
    std::vector<std::vector<Value>> outputs;
    if (wire.kind != Json::Array) throw BadValue("'outputs' must be a list of lists", false);
    for (const Json& data_set : wire.items) {
      if (data_set.kind != Json::Array) throw BadValue("'outputs' must be a list of lists", false);
      std::vector<Value> values;
      for (const Json& item : data_set.items) values.push_back(from_wire(item));
      outputs.push_back(std::move(values));
    }
    return outputs;
  }
};

inline Observation observed(const Json& reply) { return ReplyReader(reply).read(); }

// Runs vectors: in this process, in a program that speaks protocol 1, from recorded replies.
struct Runner {
  virtual ~Runner() = default;
  virtual Observation run(const Vector& vector) = 0;
};

// The harness of this folder, called in this process.
struct HarnessRunner : Runner {
  explicit HarnessRunner(protocol1::Harness& harness_) : harness(harness_) {}

  Observation run(const Vector& vector) override {
    Observation seen;
    try {
      protocol1::Description description = harness.describe();
      if (description.max_opset && vector.domain.empty() && vector.opset > description.max_opset)
        throw protocol1::Unsupported("the model imports a later opset");
      protocol1::Model model;
      if (description.model == "inline") {
        if (vector.has_files_beside) throw protocol1::Unsupported("the model keeps data beside it");
        model.bytes = read_file(vector.model());
      } else {
        model.path = fs::absolute(vector.model()).string();
      }
      std::unique_ptr<protocol1::Session> session = harness.load(model);
      for (const DataSet& data_set : vector.data_sets) {
        std::vector<protocol1::Tensor> inputs;
        for (const Named& item : data_set.inputs) {
          const Value& value = item.value;
          if (value.kind != Value::Tensor)
            throw protocol1::Unsupported("sequences, optionals and maps are not taken");
          inputs.push_back({item.name, value.type, value.shape, value.data, value.strings});
        }
        std::vector<Value> values;
        for (const protocol1::Tensor& tensor : session->run(inputs, vector.outputs)) {
          Value value;
          value.type = tensor.type;
          value.shape = tensor.shape;
          value.data = tensor.data;
          value.strings = tensor.strings;
          check_tensor(value);
          values.push_back(std::move(value));
        }
        seen.outputs.push_back(std::move(values));
      }
    } catch (const protocol1::Rejected& error) {
      seen.kind = Observation::Rejected;
      seen.phase = error.phase;
      seen.message = error.what();
    } catch (const protocol1::Unsupported& error) {
      seen.kind = Observation::Unsupported;
      seen.message = error.what();
    } catch (const BadValue& error) {
      seen.kind = Observation::ProtocolBroken;
      seen.message = error.what();
      seen.impossible_output = error.shape;
    } catch (const std::exception& error) {
      seen.kind = Observation::Error;
      seen.message = error.what();
    }
    return seen;
  }

  protocol1::Harness& harness;
};

// Replies that were recorded, one a line, each with its id.
struct ReplayRunner : Runner {
  explicit ReplayRunner(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) throw BadVector(path.string() + ": cannot be read");
    for (std::string line; std::getline(file, line);) {
      Json reply = protocol1::JsonReader(line).read();
      replies[reply.at("id").text] = std::move(line);
    }
  }
  Observation run(const Vector& vector) override {
    auto found = replies.find(vector.id);
    if (found != replies.end()) return observed(protocol1::JsonReader(found->second).read());
    Observation seen;
    seen.kind = Observation::Error;
    seen.message = "no reply was recorded";
    return seen;
  }

  std::map<std::string, std::string> replies;
};

#ifndef _WIN32

// How a process ended, as `onnx-validate` says it.
inline std::string end_of(int status) {
  if (WIFSIGNALED(status)) return "signal " + std::to_string(WTERMSIG(status));
  return "exit " + std::to_string(WEXITSTATUS(status));
}

// Runs each vector in a process of its own, so that a crash or a hang costs its verdict alone.
class Child {
 public:
  // `work` runs in the child, with the ends that it reads from and writes to.
  template <class Work>
  explicit Child(Work work) {
    int input[2], output[2];
    if (pipe(input) != 0 || pipe(output) != 0) throw std::runtime_error("no pipe");
    pid_ = fork();
    if (pid_ < 0) throw std::runtime_error("no process");
    if (pid_ == 0) {
      setpgid(0, 0);
      close(input[1]);
      close(output[0]);
      work(input[0], output[1]);
      _exit(0);
    }
    close(input[0]);
    close(output[1]);
    to_ = input[1];
    from_ = output[0];
    fcntl(to_, F_SETFL, O_NONBLOCK);
    fcntl(from_, F_SETFL, O_NONBLOCK);
  }
  Child(const Child&) = delete;
  ~Child() {
    if (to_ >= 0) close(to_);
    close(from_);
    end();
  }

  // Writes all of `text` and reads to the end, or until `is_enough` of what came; false where the
  // time is over before.
  template <class Enough>
  bool talk(const std::string& text, std::string& came, double seconds, Enough is_enough) {
    auto until = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    size_t written = 0;
    char buffer[65536];
    for (;;) {
      if (written == text.size() && to_ >= 0) {
        close(to_);
        to_ = -1;
      }
      auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
          until - std::chrono::steady_clock::now()).count();
      if (left <= 0) return false;
      pollfd ends[2] = {{from_, POLLIN, 0}, {to_, POLLOUT, 0}};
      poll(ends, to_ >= 0 ? 2 : 1, static_cast<int>(std::min<long long>(left, 1000)));
      if (to_ >= 0 && ends[1].revents) {
        ssize_t count = write(to_, text.data() + written, text.size() - written);
        if (count > 0) written += static_cast<size_t>(count);
        else if (errno != EAGAIN) written = text.size();  // nobody reads any more
      }
      if (!ends[0].revents) continue;
      ssize_t count = read(from_, buffer, sizeof buffer);
      if (count == 0) return true;
      if (count > 0) came.append(buffer, static_cast<size_t>(count));
      if (count > 0 && is_enough(came)) return true;
    }
  }

  // Ends the process and all that it has started; how it ended.
  std::string end(bool kill_first = true) {
    if (pid_ <= 0) return ended_;
    if (kill_first) kill(-pid_, SIGKILL);
    int status = 0;
    waitpid(pid_, &status, 0);
    if (!kill_first) kill(-pid_, SIGKILL);
    pid_ = 0;
    return ended_ = end_of(status);
  }

 private:
  pid_t pid_ = 0;
  int to_ = -1, from_ = -1;
  std::string ended_;
};

inline Observation lost(Observation::Kind kind, const std::string& message) {
  Observation seen;
  seen.kind = kind;
  seen.message = message;
  return seen;
}

// The harness of this folder, in a process for each vector.
struct ForkedRunner : Runner {
  ForkedRunner(protocol1::Harness& harness_, double seconds_) : inner(harness_), seconds(seconds_) {}

  Observation run(const Vector& vector) override {
    std::fflush(nullptr);
    Child child([&](int, int output) {
      dup2(2, 1);  // what the runtime prints is not the reply
      std::string reply = reply_of(inner.run(vector));
      for (size_t at = 0; at < reply.size();) {
        ssize_t count = write(output, reply.data() + at, reply.size() - at);
        if (count <= 0) _exit(1);
        at += static_cast<size_t>(count);
      }
    });
    std::string came;
    if (!child.talk("", came, seconds, [](const std::string&) { return false; }))
      return lost(Observation::TimedOut, "no answer in time");
    std::string how = child.end(false);
    if (came.empty() || came.back() != '\n') return lost(Observation::Crashed, how);
    Json reply = protocol1::JsonReader(came).read();
    Observation seen = observed(reply);
    seen.impossible_output = seen.impossible_output || reply.find("impossible");
    return seen;
  }

  static std::string reply_of(const Observation& seen) {
    static const char* keys[] = {"outputs", "accepted", "rejected", "unsupported",
                                 "error", "crashed", "timed-out", "protocol-error"};
    std::string key = protocol1::json_string(keys[seen.kind]);
    std::string text = protocol1::json_string(seen.message);
    if (seen.kind == Observation::Rejected) text = "{\"phase\":" + protocol1::json_string(seen.phase) + ",\"message\":" + text + "}";
    if (seen.kind != Observation::Outputs)
      return "{" + key + ":" + text + (seen.impossible_output ? ",\"impossible\":true" : "") + "}\n";
    std::string sets;
    for (const auto& values : seen.outputs) {
      std::string items;
      for (const Value& value : values) items += (items.empty() ? "" : ",") + to_wire(value);
      sets += (sets.empty() ? "[" : ",[") + items + "]";
    }
    return "{" + key + ":[" + sets + "]}\n";
  }

  HarnessRunner inner;
  double seconds;
};

// Any program that speaks protocol 1, started for each vector by the shell.
struct CommandRunner : Runner {
  CommandRunner(const std::string& command_, double seconds_) : command(command_), seconds(seconds_) {
    Json reply = ask("", "\"protocol\"");
    if (const Json* model = reply.find("model")) is_inline = model->text == "inline";
    if (const Json* most = reply.find("max_opset")) max_opset = std::stoll(most->text);
  }

  Observation run(const Vector& vector) override {
    if (max_opset && vector.domain.empty() && vector.opset > max_opset)
      return lost(Observation::Unsupported, "the model imports a later opset");
    if (is_inline && vector.has_files_beside)
      return lost(Observation::Unsupported, "the model keeps data beside it, which is not sent inline");
    std::string model = is_inline ? "\"data\":" + protocol1::json_string(protocol1::base64_encode(read_file(vector.model())))
                                  : "\"path\":" + protocol1::json_string(fs::absolute(vector.model()).string());
    std::string names, sets;
    for (const std::string& name : vector.outputs)
      names += (names.empty() ? "" : ",") + protocol1::json_string(name);
    for (const DataSet& data_set : vector.data_sets) {
      std::string items;
      for (const Named& item : data_set.inputs)
        items += (items.empty() ? "" : ",") + to_wire(item.value, item.name);
      sets += (sets.empty() ? "[" : ",[") + items + "]";
    }
    std::string id = protocol1::json_string(vector.id);
    try {
      return observed(ask("{\"command\":\"run\",\"id\":" + id + ",\"model\":{" + model + "},\"outputs\":[" +
                              names + "],\"data_sets\":[" + sets + "]}\n",
                          id));
    } catch (const Lost& error) {
      return error.seen;
    }
  }

 private:
  struct Lost : std::runtime_error {
    explicit Lost(const Observation& seen_) : std::runtime_error(seen_.message), seen(seen_) {}
    Observation seen;
  };

  // The reply to `request`, after that to describe: the first line of JSON that holds `mark`.
  Json ask(const std::string& request, const std::string& mark) {
    Child child([&](int input, int output) {
      dup2(input, 0);
      dup2(output, 1);
      execl("/bin/sh", "sh", "-c", command.c_str(), static_cast<char*>(nullptr));
      _exit(127);
    });
    std::string came, text = "{\"command\":\"describe\",\"protocol\":1}\n" + request;
    Json found;
    auto is_there = [&](const std::string& lines) {
      for (size_t start = 0, end; (end = lines.find('\n', start)) != std::string::npos; start = end + 1) {
        std::string line = lines.substr(start, end - start);
        if (line.empty() || line[0] != '{' || line.find(mark) == std::string::npos) continue;
        try {
          found = protocol1::JsonReader(line).read();
        } catch (const std::exception&) {
          continue;  // noise
        }
        return true;
      }
      return false;
    };
    bool in_time = child.talk(text, came, seconds, is_there);
    if (found.kind == Json::Object) return found;
    if (!in_time) throw Lost(lost(Observation::TimedOut, "no reply in time"));
    throw Lost(lost(Observation::Crashed, child.end(false)));
  }

  std::string command;
  double seconds;
  bool is_inline = false;
  int64_t max_opset = 0;
};

#endif

// ---- the program -----------------------------------------------------------------------------

inline constexpr int kUnsupported = 77;  // what test drivers take for "skipped"

inline const char* usage() {
  return "judge [options] FOLDER…\n"
         "  Runs the vectors in or below the folders; a line for each: verdict, id, what is wrong.\n"
         "  --profile ieee|gpu   which limits decide (default: ieee)\n"
         "  --timeout SECONDS    for each vector (default: 60)\n"
         "  --command COMMAND    a program that speaks protocol 1, instead of the one linked here\n"
         "  --replay FILE        recorded replies of protocol 1, one a line\n"
         "  --list               prints the folders of the vectors and runs nothing\n"
         "exit codes: 0 what was run passed, 1 something failed, 2 usage, 3 a vector cannot be read,\n"
         "5 no vector found, 77 nothing failed, and nothing passed: unsupported or inconclusive\n";
}

struct Options {
  std::vector<fs::path> folders;
  Profile profile = Profile::Ieee;
  double seconds = 60;
  std::string command, replay;
  bool list = false;
};

inline Options options_of(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    std::string word = argv[i];
    auto value = [&]() -> std::string {
      if (++i >= argc) throw std::invalid_argument(word + " needs a value");
      return argv[i];
    };
    if (word == "--profile") {
      std::string name = value();
      if (name != "ieee" && name != "gpu") throw std::invalid_argument("--profile is ieee or gpu");
      options.profile = name == "gpu" ? Profile::Gpu : Profile::Ieee;
    } else if (word == "--timeout") {
      options.seconds = std::stod(value());
    } else if (word == "--command") {
      options.command = value();
    } else if (word == "--replay") {
      options.replay = value();
    } else if (word == "--list") {
      options.list = true;
    } else if (word.rfind("--", 0) == 0) {
      throw std::invalid_argument("unknown option " + word);
    } else {
      options.folders.push_back(word);
    }
  }
  if (options.folders.empty()) throw std::invalid_argument("name a folder of vectors");
  return options;
}

inline std::unique_ptr<Runner> runner_for(protocol1::Harness& harness, const Options& options) {
  if (!options.replay.empty()) return std::make_unique<ReplayRunner>(options.replay);
#ifdef _WIN32
  if (!options.command.empty()) throw std::invalid_argument("--command is not there on Windows");
  return std::make_unique<HarnessRunner>(harness);
#else
  signal(SIGPIPE, SIG_IGN);
  if (!options.command.empty()) return std::make_unique<CommandRunner>(options.command, options.seconds);
  return std::make_unique<ForkedRunner>(harness, options.seconds);
#endif
}

// Judges vectors one by one. A control is run where an invalid vector asks for it, once.
class Judge {
 public:
  Judge(Runner& runner, Profile profile) : runner_(runner), profile_(profile) {}

  Verdict operator()(const Vector& vector) {
    Verdict found = judge(vector, runner_.run(vector), profile_);
    if (vector.expect == "outputs") controls_[vector.id] = found.verdict;
    if (vector.expect != "rejection" || !found.passed() || vector.control.empty()) return found;
    return settle(vector, found, control_of(vector));
  }

 private:
  Runner& runner_;
  Profile profile_;
  std::map<std::string, std::string> controls_;

  std::string control_of(const Vector& vector) {
    auto known = controls_.find(vector.control);
    if (known != controls_.end()) return known->second;
    std::string verdict;
    fs::path folder = folder_of(vector, "valid", vector.control);
    if (fs::exists(folder / "data.json")) {
      Vector control = read_vector(folder);
      verdict = judge(control, runner_.run(control), profile_).verdict;
    }
    return controls_[vector.control] = verdict;
  }
};

inline std::string on_one_line(std::string text) {
  for (char& letter : text)
    if (static_cast<unsigned char>(letter) < 0x20) letter = ' ';
  return text;
}

// Judges all vectors that the options name; the program's exit code.
inline int run_all(protocol1::Harness& harness, const Options& options) {
  std::vector<fs::path> folders;
  for (const fs::path& root : options.folders) {
    std::vector<fs::path> found = vector_folders(root);
    if (found.empty()) {
      std::cerr << "judge: " << root.string() << ": holds no vector\n";
      return 5;
    }
    folders.insert(folders.end(), found.begin(), found.end());
  }
  if (options.list) {
    for (const fs::path& folder : folders) std::cout << folder.string() << "\n";
    return 0;
  }
  std::unique_ptr<Runner> runner = runner_for(harness, options);
  Judge judge_one(*runner, options.profile);
  std::map<std::string, size_t> counts;
  bool failed = false, bad = false;
  for (const fs::path& folder : folders) {
    Verdict found;
    std::string id = folder.string();
    try {
      Vector vector = read_vector(folder);
      id = vector.id;
      found = judge_one(vector);
    } catch (const BadVector& error) {
      found = {"bad-vector", error.what(), ""};
      bad = true;
    }
    ++counts[found.verdict];
    failed = failed || (!found.passed() && !found.proves_nothing());
    std::string words = found.taken.empty() ? found.message : "(" + found.taken + ")";
    std::cout << found.verdict << "\t" << id << "\t" << on_one_line(words) << std::endl;
  }
  std::cerr << folders.size() << (folders.size() == 1 ? " vector:" : " vectors:");
  for (const auto& [verdict, count] : counts) std::cerr << " " << count << " " << verdict;
  std::cerr << "\n";
  if (bad) return 3;
  if (failed) return 1;
  return counts["pass"] ? 0 : kUnsupported;
}

// A whole program around a harness.
inline int main(protocol1::Harness& harness, int argc, char** argv) {
  try {
    return run_all(harness, options_of(argc, argv));
  } catch (const std::invalid_argument& error) {
    std::cerr << "judge: " << error.what() << "\n" << usage();
    return 2;
  } catch (const std::exception& error) {
    std::cerr << "judge: " << error.what() << "\n";
    return 4;
  }
}

}  // namespace judge
