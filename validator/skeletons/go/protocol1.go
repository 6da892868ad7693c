package main

// Protocol 1 of onnx-conformance for a harness in Go: the messages and the loop.
// Nothing here knows a runtime, and the standard library is all that it needs.

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
)

// Rejected says that the runtime refused, at Phase "decode", "load" or "run".
type Rejected struct {
	Phase   string `json:"phase"`
	Message string `json:"message"`
}

func (rejected *Rejected) Error() string { return rejected.Phase + ": " + rejected.Message }

// Unsupported says that the runtime does not implement this, or that its API cannot carry it.
type Unsupported struct{ Reason string }

func (unsupported *Unsupported) Error() string { return unsupported.Reason }

// Description is who is behind the harness.
type Description struct {
	Protocol int               `json:"protocol"` // set by Serve
	Name     string            `json:"name"`
	Version  string            `json:"version"`
	Model    string            `json:"model"` // "path" or "inline"
	MaxOpset int               `json:"max_opset,omitempty"`
	Details  map[string]string `json:"details,omitempty"`
	// What the runtime supports (docs/profiles.md); nothing: unsaid.
	Profile json.RawMessage `json:"profile,omitempty"`
}

// Model is a path where the handshake says "path", bytes where it says "inline".
type Model struct {
	Path string `json:"path"`
	Data []byte `json:"data"`
}

// Read returns the bytes of the model.
func (model Model) Read() ([]byte, error) {
	if model.Path == "" {
		return model.Data, nil
	}
	return os.ReadFile(model.Path)
}

// Tensor is a value. Data is what ONNX's raw_data would hold: little-endian, row-major, 4- and
// 2-bit elements packed with the first in the lowest bits. A tensor of strings has Strings instead.
type Tensor struct {
	Name    string // of the graph input; not needed in results
	Type    string // "float32", "int64", "string" ...
	Shape   []int64
	Data    []byte
	Strings [][]byte
}

// Harness is what you write; see harness.go.
type Harness interface {
	Describe() Description
	Load(model Model) (Session, error)
}

// Session is a loaded model.
type Session interface {
	Run(inputs []Tensor, outputs []string) ([]Tensor, error)
}

type wireTensor struct {
	Name  string          `json:"name,omitempty"`
	Type  string          `json:"type"`
	Shape []int64         `json:"shape"`
	Data  json.RawMessage `json:"data"`
}

type request struct {
	Command  string         `json:"command"`
	ID       string         `json:"id"`
	Model    Model          `json:"model"`
	Outputs  []string       `json:"outputs"`
	DataSets [][]wireTensor `json:"data_sets"`
}

type reply struct {
	ID          string          `json:"id"`
	Outputs     *[][]wireTensor `json:"outputs,omitempty"`
	Rejected    *Rejected       `json:"rejected,omitempty"`
	Unsupported *string         `json:"unsupported,omitempty"`
	Error       *string         `json:"error,omitempty"`
}

func tensorOf(wire wireTensor) (Tensor, error) {
	tensor := Tensor{Name: wire.Name, Type: wire.Type, Shape: wire.Shape}
	if wire.Type == "" {
		return tensor, &Unsupported{"sequences, optionals and maps are not taken"}
	}
	if wire.Type == "string" {
		return tensor, json.Unmarshal(wire.Data, &tensor.Strings) // []byte is base64 in JSON
	}
	return tensor, json.Unmarshal(wire.Data, &tensor.Data)
}

func wireOf(tensor Tensor) wireTensor {
	wire := wireTensor{Type: tensor.Type, Shape: tensor.Shape}
	if wire.Shape == nil {
		wire.Shape = []int64{} // a nil slice would be null, and a scalar's shape is []
	}
	if tensor.Type != "string" {
		wire.Data, _ = json.Marshal(base64.StdEncoding.EncodeToString(tensor.Data))
		return wire
	}
	items := make([]string, 0, len(tensor.Strings))
	for _, item := range tensor.Strings {
		items = append(items, base64.StdEncoding.EncodeToString(item))
	}
	wire.Data, _ = json.Marshal(items)
	return wire
}

func outputsOf(harness Harness, asked request) ([][]wireTensor, error) {
	session, err := harness.Load(asked.Model)
	if err != nil {
		return nil, err
	}
	results := make([][]wireTensor, 0, len(asked.DataSets))
	for _, dataSet := range asked.DataSets {
		inputs := make([]Tensor, 0, len(dataSet))
		for _, wire := range dataSet {
			input, err := tensorOf(wire)
			if err != nil {
				return nil, err
			}
			inputs = append(inputs, input)
		}
		outputs, err := session.Run(inputs, asked.Outputs)
		if err != nil {
			return nil, err
		}
		wires := make([]wireTensor, 0, len(outputs))
		for _, output := range outputs {
			wires = append(wires, wireOf(output))
		}
		results = append(results, wires)
	}
	return results, nil
}

// answer is exactly one of outputs, rejected, unsupported, or error where it is our fault.
func answer(harness Harness, asked request) reply {
	outputs, err := outputsOf(harness, asked)
	var rejected *Rejected
	var unsupported *Unsupported
	switch {
	case err == nil:
		return reply{ID: asked.ID, Outputs: &outputs}
	case errors.As(err, &rejected):
		return reply{ID: asked.ID, Rejected: rejected}
	case errors.As(err, &unsupported):
		return reply{ID: asked.ID, Unsupported: &unsupported.Reason}
	default:
		message := err.Error()
		return reply{ID: asked.ID, Error: &message}
	}
}

// Serve answers requests until `stop` or the end of input. Standard output belongs to it alone:
// what the runtime prints goes to standard error.
func Serve(harness Harness) {
	replies := takeStandardOutput()
	lines := bufio.NewReader(os.Stdin) // not a Scanner, which has a longest line
	for {
		line, err := lines.ReadBytes('\n')
		if len(bytes.TrimSpace(line)) > 0 {
			var asked request
			if err := json.Unmarshal(line, &asked); err != nil {
				fail("a request cannot be read: %v", err)
			}
			if asked.Command == "stop" {
				return
			}
			var message any
			if asked.Command == "describe" {
				description := harness.Describe()
				description.Protocol = 1
				message = description
			} else {
				message = answer(harness, asked)
			}
			written, err := json.Marshal(message)
			if err != nil {
				fail("a reply cannot be written: %v", err)
			}
			if _, err := replies.Write(append(written, '\n')); err != nil {
				fail("nobody reads the replies: %v", err)
			}
		}
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			fail("the requests cannot be read: %v", err)
		}
	}
}

func fail(format string, values ...any) {
	fmt.Fprintf(os.Stderr, format+"\n", values...)
	os.Exit(1)
}
