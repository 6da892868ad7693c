// A harness of onnx-conformance in Java 11. It works as it is, and supports nothing.
//
//   javac -d classes Harness.java Protocol1.java
//   onnx-validate harness check -- java -cp classes Harness
//   onnx-validate run --backend 'command:java -cp classes Harness'
//
// The road from here:
//   1. describe: your runtime's name and version.
//   2. load: give your runtime the model. What it refuses is Rejected("load", its message); what it
//      has not implemented is Unsupported, which is no failure. Then run is called.
//   3. run: one data set: tensors in, tensors out. Start with float32 and int64; every type that you
//      do not convert is Unsupported, never an error and never a guess.
//   4. Run `harness check` again, then `onnx-validate run`. A crash, a hang or an endless output is
//      the verdict of one vector only, so run everything from the first day.
// What native code prints goes to standard output all the same, between the replies. Where yours
// prints, let the replies take another way, and standard output go to standard error:
//   sh -c 'exec java -Dprotocol1.replies=/dev/fd/3 -cp classes Harness 3>&1 1>&2'
// docs/protocol.md has the whole protocol.

import java.io.IOException;
import java.util.List;

public final class Harness implements Protocol1.Harness {
  @Override
  public Protocol1.Description describe() {
    // "inline" instead gives models as bytes, for a harness that does not see the host's files.
    Protocol1.Description description = new Protocol1.Description("my-runtime", "0", "path");
    // What the runtime supports, once it does: other vectors are not run (docs/profiles.md).
    // description.profile = "{\"operators\": {\"Relu\": \"all\", \"Add\": [13, 14]}}";
    return description;
  }

  @Override
  public Protocol1.Session load(Protocol1.Model model) throws IOException {
    byte[] bytes = model.read();
    if (bytes.length == 0) {
      throw new Protocol1.Rejected("decode", "the model is empty");
    }
    // try { ... } catch (YourException error) { throw new Rejected("load", error.getMessage()); }
    return new MySession(bytes);
  }

  /** A loaded model. */
  static final class MySession implements Protocol1.Session {
    private final byte[] model;

    MySession(byte[] model) {
      this.model = model;
    }

    /** Runs one data set: one tensor for each name in outputs, in that order. */
    @Override
    public List<Protocol1.Tensor> run(List<Protocol1.Tensor> inputs, List<String> outputs) {
      // For each input: name, type, shape, data (see Tensor in Protocol1.java).
      throw new Protocol1.Unsupported("run is not written yet");
    }

    /** Gives back what the runtime holds for the model. */
    @Override
    public void close() {}
  }

  public static void main(String[] arguments) throws IOException {
    Protocol1.serve(new Harness());
  }
}
