import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Protocol 1 of onnx-conformance for a harness in Java 11: JSON and the loop.
 *
 * <p>Nothing here knows a runtime, and the standard library is all that it needs. Implement Harness
 * and Session, and call Protocol1.serve in main.
 */
final class Protocol1 {
  private Protocol1() {}

  // ---- what a harness is made of -----------------------------------------------------------

  /** The runtime refused, at phase "decode", "load" or "run". */
  static final class Rejected extends RuntimeException {
    final String phase;

    Rejected(String phase, String message) {
      super(message);
      this.phase = phase;
    }
  }

  /** The runtime does not implement this, or its interface cannot carry it. */
  static final class Unsupported extends RuntimeException {
    Unsupported(String reason) {
      super(reason);
    }
  }

  /** Who is behind the harness. */
  static final class Description {
    final String name;
    final String version;
    final String model;
    /** What the runtime supports, as JSON (docs/profiles.md); null: unsaid. */
    String profile;

    /** Of the runtime: its name and version, and whether models come by "path" or "inline". */
    Description(String name, String version, String model) {
      this.name = name;
      this.version = version;
      this.model = model;
    }
  }

  /** The model: a path where the handshake says "path", bytes where it says "inline". */
  static final class Model {
    final String path;
    private final byte[] bytes;

    Model(String path, byte[] bytes) {
      this.path = path;
      this.bytes = bytes;
    }

    byte[] read() throws IOException {
      return path == null ? bytes : Files.readAllBytes(Paths.get(path));
    }
  }

  /**
   * A value. data is what ONNX's raw_data would hold: little-endian, row-major, 4- and 2-bit
   * elements packed with the first in the lowest bits. A tensor of strings has strings instead.
   */
  static final class Tensor {
    final String name; // of the graph input; empty in results
    final String type; // "float32", "int64", "string" ...
    final long[] shape;
    final byte[] data;
    final List<byte[]> strings;

    private Tensor(String name, String type, long[] shape, byte[] data, List<byte[]> strings) {
      this.name = name;
      this.type = type;
      this.shape = shape;
      this.data = data;
      this.strings = strings;
    }

    static Tensor of(String type, long[] shape, byte[] data) {
      return new Tensor("", type, shape, data, null);
    }

    static Tensor ofStrings(long[] shape, List<byte[]> strings) {
      return new Tensor("", "string", shape, null, strings);
    }
  }

  interface Harness {
    Description describe();

    Session load(Model model) throws Exception;
  }

  interface Session extends AutoCloseable {
    List<Tensor> run(List<Tensor> inputs, List<String> outputs) throws Exception;

    @Override
    default void close() throws Exception {}
  }

  // ---- the loop ----------------------------------------------------------------------------

  /** Serves requests until `stop` or the end of input. */
  static void serve(Harness harness) throws IOException {
    String way = System.getProperty("protocol1.replies");
    OutputStream replies = way == null ? System.out : new FileOutputStream(way);
    System.setOut(System.err); // standard output belongs to the protocol alone
    InputStream requests = new BufferedInputStream(System.in, 1 << 16);
    for (String line = readLine(requests); line != null; line = readLine(requests)) {
      Map<String, Object> request = object(new Reader(line).read());
      Object command = request.get("command");
      if ("stop".equals(command)) {
        break;
      }
      StringBuilder reply = new StringBuilder();
      if ("describe".equals(command)) {
        Description is = harness.describe();
        Map<String, Object> message = new LinkedHashMap<>();
        message.put("protocol", 1L);
        message.put("name", is.name);
        message.put("version", is.version);
        message.put("model", is.model);
        if (is.profile != null) {
          message.put("profile", new Reader(is.profile).read());
        }
        write(reply, message);
      } else {
        write(reply, answer(harness, request));
      }
      replies.write(reply.append('\n').toString().getBytes(StandardCharsets.US_ASCII));
      replies.flush();
    }
  }

  /** Exactly one of outputs, rejected, unsupported, or error where it is our fault. */
  private static Map<String, Object> answer(Harness harness, Map<String, Object> request) {
    Map<String, Object> reply = new LinkedHashMap<>();
    reply.put("id", request.get("id"));
    try {
      reply.put("outputs", outputs(harness, request));
    } catch (Rejected refused) {
      Map<String, Object> rejected = new LinkedHashMap<>();
      rejected.put("phase", refused.phase);
      rejected.put("message", String.valueOf(refused.getMessage()));
      reply.put("rejected", rejected);
    } catch (Unsupported missing) {
      reply.put("unsupported", String.valueOf(missing.getMessage()));
    } catch (Exception fault) {
      reply.put("error", fault.toString());
    }
    return reply;
  }

  private static List<Object> outputs(Harness harness, Map<String, Object> request)
      throws Exception {
    Map<String, Object> model = object(request.get("model"));
    String data = (String) model.get("data");
    List<String> names = new ArrayList<>();
    for (Object name : list(request.get("outputs"))) {
      names.add((String) name);
    }
    byte[] bytes = data == null ? null : Base64.getDecoder().decode(data);
    List<Object> results = new ArrayList<>();
    try (Session session = harness.load(new Model((String) model.get("path"), bytes))) {
      for (Object dataSet : list(request.get("data_sets"))) {
        List<Tensor> inputs = new ArrayList<>();
        for (Object wire : list(dataSet)) {
          inputs.add(tensorOf(object(wire)));
        }
        List<Object> values = new ArrayList<>();
        for (Tensor tensor : session.run(inputs, names)) {
          values.add(wireOf(tensor));
        }
        results.add(values);
      }
    }
    return results;
  }

  private static Tensor tensorOf(Map<String, Object> wire) {
    String type = (String) wire.get("type");
    if (type == null) {
      throw new Unsupported("sequences, optionals and maps are not taken");
    }
    List<Object> dimensions = list(wire.get("shape"));
    long[] shape = new long[dimensions.size()];
    for (int index = 0; index < shape.length; ++index) {
      shape[index] = (Long) dimensions.get(index);
    }
    String name = wire.containsKey("name") ? (String) wire.get("name") : "";
    if (wire.get("data") instanceof String) {
      byte[] data = Base64.getDecoder().decode((String) wire.get("data"));
      return new Tensor(name, type, shape, data, null);
    }
    List<byte[]> strings = new ArrayList<>();
    for (Object item : list(wire.get("data"))) {
      strings.add(Base64.getDecoder().decode((String) item));
    }
    return new Tensor(name, type, shape, null, strings);
  }

  private static Map<String, Object> wireOf(Tensor tensor) {
    List<Object> shape = new ArrayList<>();
    for (long dimension : tensor.shape) {
      shape.add(dimension);
    }
    Map<String, Object> wire = new LinkedHashMap<>();
    wire.put("type", tensor.type);
    wire.put("shape", shape);
    if (tensor.strings == null) {
      wire.put("data", Base64.getEncoder().encodeToString(tensor.data));
      return wire;
    }
    List<Object> items = new ArrayList<>();
    for (byte[] item : tensor.strings) {
      items.add(Base64.getEncoder().encodeToString(item));
    }
    wire.put("data", items);
    return wire;
  }

  /** A line without its end; null at the end of the input. */
  private static String readLine(InputStream input) throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream(1 << 12);
    for (int next = input.read(); next >= 0; next = input.read()) {
      if (next == '\n') {
        return line.toString(StandardCharsets.UTF_8);
      }
      line.write(next);
    }
    return line.size() == 0 ? null : line.toString(StandardCharsets.UTF_8);
  }

  // ---- JSON --------------------------------------------------------------------------------

  @SuppressWarnings("unchecked")
  private static Map<String, Object> object(Object value) {
    return (Map<String, Object>) value;
  }

  @SuppressWarnings("unchecked")
  private static List<Object> list(Object value) {
    return (List<Object>) value;
  }

  /** Writes what the reader reads, in ASCII. */
  private static void write(StringBuilder out, Object value) {
    if (value instanceof Map) {
      String before = "{";
      for (Map.Entry<String, Object> member : object(value).entrySet()) {
        out.append(before);
        writeString(out, member.getKey());
        out.append(':');
        write(out, member.getValue());
        before = ",";
      }
      out.append(object(value).isEmpty() ? "{}" : "}");
    } else if (value instanceof List) {
      String before = "[";
      for (Object item : list(value)) {
        out.append(before);
        write(out, item);
        before = ",";
      }
      out.append(list(value).isEmpty() ? "[]" : "]");
    } else if (value instanceof String) {
      writeString(out, (String) value);
    } else {
      out.append(value);
    }
  }

  private static void writeString(StringBuilder out, String text) {
    out.append('"');
    for (int index = 0; index < text.length(); ++index) {
      char unit = text.charAt(index);
      if (unit == '"' || unit == '\\') {
        out.append('\\').append(unit);
      } else if (unit < 0x20 || unit > 0x7E) {
        // Half a character, which no other reader takes, is not passed on.
        boolean pair =
            Character.isHighSurrogate(unit)
                ? index + 1 < text.length() && Character.isLowSurrogate(text.charAt(index + 1))
                : index > 0 && Character.isHighSurrogate(text.charAt(index - 1));
        char safe = Character.isSurrogate(unit) && !pair ? '?' : unit;
        out.append(String.format("\\u%04x", (int) safe));
      } else {
        out.append(unit);
      }
    }
    out.append('"');
  }

  /** Objects become maps, arrays lists, integers Long: a dimension may be any int64. */
  private static final class Reader {
    private final String text;
    private int position;

    Reader(String text) {
      this.text = text;
    }

    Object read() {
      Object value = readValue();
      skipSpace();
      if (position != text.length()) {
        throw fault();
      }
      return value;
    }

    private IllegalStateException fault() {
      return new IllegalStateException("a request is not JSON at character " + position);
    }

    private void skipSpace() {
      while (position < text.length() && " \t\r\n".indexOf(text.charAt(position)) >= 0) {
        ++position;
      }
    }

    private char next() {
      if (position >= text.length()) {
        throw fault();
      }
      return text.charAt(position++);
    }

    private boolean take(char wanted) {
      skipSpace();
      if (position >= text.length() || text.charAt(position) != wanted) {
        return false;
      }
      ++position;
      return true;
    }

    private void need(char wanted) {
      if (!take(wanted)) {
        throw fault();
      }
    }

    private Object readValue() {
      if (take('{')) {
        Map<String, Object> members = new LinkedHashMap<>();
        while (!take('}')) {
          if (!members.isEmpty()) {
            need(',');
          }
          need('"');
          String key = readString();
          need(':');
          members.put(key, readValue());
        }
        return members;
      }
      if (take('[')) {
        List<Object> items = new ArrayList<>();
        while (!take(']')) {
          if (!items.isEmpty()) {
            need(',');
          }
          items.add(readValue());
        }
        return items;
      }
      return take('"') ? readString() : readPlain();
    }

    private Object readPlain() {
      int start = position;
      while (position < text.length() && ",]} \t\r\n".indexOf(text.charAt(position)) < 0) {
        ++position;
      }
      String word = text.substring(start, position);
      switch (word) {
        case "null":
          return null;
        case "true":
          return true;
        case "false":
          return false;
        default:
          if (word.matches("-?[0-9]+")) {
            return Long.valueOf(word);
          }
          return Double.valueOf(word);
      }
    }

    private String readString() {
      StringBuilder result = new StringBuilder();
      int start = position;
      for (char unit = next(); unit != '"'; unit = next()) {
        if (unit != '\\') {
          continue;
        }
        result.append(text, start, position - 1);
        char letter = next();
        int found = "nrtbf".indexOf(letter);
        if (letter == 'u') {
          if (position + 4 > text.length()) {
            throw fault();
          }
          result.append((char) Integer.parseInt(text.substring(position, position + 4), 16));
          position += 4;
        } else {
          result.append(found < 0 ? letter : "\n\r\t\b\f".charAt(found));
        }
        start = position;
      }
      return result.append(text, start, position - 1).toString();
    }
  }
}
