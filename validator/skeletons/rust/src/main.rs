//! A harness of onnx-conformance in Rust. It works as it is, and supports nothing.
//!
//!     cargo build --release
//!     onnx-validate harness check -- target/release/harness
//!     onnx-validate run --backend 'command:target/release/harness'
//!
//! The road from here:
//!   1. describe: your runtime's name and version.
//!   2. load: give your runtime the model. What it refuses is Failure::rejected("load", message);
//!      what it has not implemented is Failure::Unsupported, which is no failure. Then `run` is
//!      called.
//!   3. run: one data set: tensors in, tensors out. Start with float32 and int64; every type that
//!      you do not convert is Unsupported, never an error and never a guess.
//!   4. Run `harness check` again, then `onnx-validate run`. A panic, a hang or an endless output is
//!      the verdict of one vector only, so run everything from the first day. Do not catch panics:
//!      that a runtime panics is worth knowing.
//! docs/protocol.md has the whole protocol.

mod protocol1;

use protocol1::{Description, Failure, Harness, Model, Session, Tensor};

struct MyHarness;

/// A loaded model.
struct MySession {
    #[allow(dead_code)]
    model: Vec<u8>,
}

impl Harness for MyHarness {
    fn describe(&self) -> Description {
        Description {
            name: "my-runtime".into(),
            version: "0".into(),
            // "inline" instead gives models as bytes, for a harness that does not see the host's files.
            model: "path",
            // What the runtime supports, once it does: other vectors are not run (docs/profiles.md),
            // as with Some(r#"{"operators": {"Relu": "all", "Add": [13, 14]}}"#)
            profile: None,
        }
    }

    fn load(&self, model: &Model) -> Result<Box<dyn Session>, Failure> {
        let model = model.read()?;
        if model.is_empty() {
            return Err(Failure::rejected("decode", "the model is empty"));
        }
        // your_runtime::load(&model).map_err(|error| Failure::rejected("load", error))?;
        Ok(Box::new(MySession { model }))
    }
}

impl Session for MySession {
    /// Runs one data set: one tensor for each name in `outputs`, in that order.
    fn run(&mut self, _inputs: &[Tensor], _outputs: &[String]) -> Result<Vec<Tensor>, Failure> {
        Err(Failure::Unsupported("run is not written yet".into()))
    }
}

fn main() {
    protocol1::serve(&MyHarness);
}
