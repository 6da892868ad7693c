// A harness of onnx-conformance in Go. It works as it is, and supports nothing.
//
//	go build -o harness .
//	onnx-validate harness check -- ./harness
//	onnx-validate run --backend 'command:./harness'
//
// The road from here:
//  1. Describe: your runtime's name and version.
//  2. Load: give your runtime the model. What it refuses is &Rejected{"load", its message}; what it
//     has not implemented is &Unsupported{...}, which is no failure. Then Run is called.
//  3. Run: one data set: tensors in, tensors out. Start with float32 and int64; every type that you
//     do not convert is Unsupported, never an error and never a guess.
//  4. Run `harness check` again, then `onnx-validate run`. A panic, a hang or an endless output is
//     the verdict of one vector only, so run everything from the first day. Do not recover from
//     panics: that a runtime panics is worth knowing.
//
// docs/protocol.md has the whole protocol.
package main

// MyHarness stands between protocol 1 and your runtime.
type MyHarness struct{}

// MySession is a loaded model.
type MySession struct {
	model []byte
}

// Describe says who is judged.
func (MyHarness) Describe() Description {
	return Description{
		Name:    "my-runtime",
		Version: "0",
		// "inline" instead gives models as bytes, for a harness that does not see the host's files.
		Model: "path",
		// What the runtime supports, once it does: other vectors are not run (docs/profiles.md).
		// Profile: []byte(`{"operators": {"Relu": "all", "Add": [13, 14]}}`),
	}
}

// Load gives the model to the runtime.
func (MyHarness) Load(model Model) (Session, error) {
	bytes, err := model.Read()
	if err != nil {
		return nil, err
	}
	if len(bytes) == 0 {
		return nil, &Rejected{"decode", "the model is empty"}
	}
	// loaded, err := yourruntime.Load(bytes)
	// if err != nil { return nil, &Rejected{"load", err.Error()} }
	return &MySession{bytes}, nil
}

// Run runs one data set and returns one tensor for each name in outputs, in that order.
func (session *MySession) Run(inputs []Tensor, outputs []string) ([]Tensor, error) {
	// For each input: Name, Type, Shape, Data (see Tensor in protocol1.go).
	return nil, &Unsupported{"run is not written yet"}
}

func main() {
	Serve(MyHarness{})
}
