//! Protocol 1 of onnx-conformance for a harness in Rust: JSON, base64 and the loop.
//!
//! Nothing here knows a runtime, and nothing but the standard library is needed.

// A harness need not use everything that is here.
#![allow(dead_code)]

use std::fmt::Display;
use std::io::{BufRead, Write};

// ---- what a harness is made of ---------------------------------------------------------------

/// How a run can end without outputs.
pub enum Failure {
    /// The runtime refused, at a phase: "decode", "load" or "run".
    Rejected { phase: &'static str, message: String },
    /// The runtime does not implement this, or its interface cannot carry it.
    Unsupported(String),
    /// The harness itself failed: nothing is said of the runtime.
    Error(String),
}

impl Failure {
    pub fn rejected(phase: &'static str, message: impl Display) -> Failure {
        Failure::Rejected { phase, message: message.to_string() }
    }
}

/// A value. `data` is what ONNX's raw_data would hold: little-endian, row-major, 4- and 2-bit
/// elements packed with the first in the lowest bits. A tensor of strings has `strings` instead.
#[derive(Clone, Debug, Default)]
pub struct Tensor {
    /// Of the graph input; empty in results.
    pub name: String,
    /// "float32", "int64", "string" ...
    pub r#type: String,
    pub shape: Vec<i64>,
    pub data: Vec<u8>,
    pub strings: Vec<Vec<u8>>,
}

/// The model of a request: a path where the handshake says "path", bytes where it says "inline".
pub enum Model {
    Path(String),
    Bytes(Vec<u8>),
}

impl Model {
    pub fn read(&self) -> Result<Vec<u8>, Failure> {
        match self {
            Model::Bytes(bytes) => Ok(bytes.clone()),
            Model::Path(path) => std::fs::read(path)
                .map_err(|error| Failure::Error(format!("cannot read {path}: {error}"))),
        }
    }
}

pub struct Description {
    pub name: String,
    pub version: String,
    /// "path" or "inline".
    pub model: &'static str,
    /// What the runtime supports, as JSON (docs/profiles.md).
    pub profile: Option<&'static str>,
}

pub trait Session {
    fn run(&mut self, inputs: &[Tensor], outputs: &[String]) -> Result<Vec<Tensor>, Failure>;
}

pub trait Harness {
    fn describe(&self) -> Description;
    fn load(&self, model: &Model) -> Result<Box<dyn Session>, Failure>;
}

// ---- the loop --------------------------------------------------------------------------------

/// Serves requests until `stop` or the end of input. Write to standard error only: standard output
/// belongs to the replies.
pub fn serve(harness: &dyn Harness) {
    let mut replies = std::io::stdout();
    for line in std::io::stdin().lock().lines() {
        let request = Json::parse(&line.expect("a line")).expect("a request");
        let command = request.get("command").text();
        if command == "stop" {
            return;
        }
        let reply = if command == "describe" {
            describe(&harness.describe())
        } else {
            let result = outputs(harness, &request).unwrap_or_else(failure);
            format!("{{\"id\":{},{}}}", quote(request.get("id").text()), result)
        };
        writeln!(replies, "{reply}").expect("the host reads");
        replies.flush().expect("the host reads");
    }
}

fn describe(description: &Description) -> String {
    format!(
        "{{\"protocol\":1,\"name\":{},\"version\":{},\"model\":{}{}}}",
        quote(&description.name),
        quote(&description.version),
        quote(description.model),
        // A message is one line.
        description
            .profile
            .map_or(String::new(), |profile| format!(",\"profile\":{}", profile.replace(['\n', '\r'], " ")))
    )
}

fn failure(failure: Failure) -> String {
    match failure {
        Failure::Rejected { phase, message } => {
            format!("\"rejected\":{{\"phase\":{},\"message\":{}}}", quote(phase), quote(&message))
        }
        Failure::Unsupported(reason) => format!("\"unsupported\":{}", quote(&reason)),
        Failure::Error(message) => format!("\"error\":{}", quote(&message)),
    }
}

fn outputs(harness: &dyn Harness, request: &Json) -> Result<String, Failure> {
    let model = match request.get("model").find("path") {
        Some(path) => Model::Path(path.text().to_string()),
        None => Model::Bytes(base64_decode(request.get("model").get("data").text())),
    };
    let names: Vec<String> =
        request.get("outputs").items().iter().map(|name| name.text().to_string()).collect();
    let mut session = harness.load(&model)?;
    let mut results = Vec::new();
    for data_set in request.get("data_sets").items() {
        let inputs = data_set.items().iter().map(decode).collect::<Result<Vec<_>, _>>()?;
        let tensors: Vec<String> = session.run(&inputs, &names)?.iter().map(encode).collect();
        results.push(format!("[{}]", tensors.join(",")));
    }
    Ok(format!("\"outputs\":[{}]", results.join(",")))
}

// ---- values ----------------------------------------------------------------------------------

fn decode(wire: &Json) -> Result<Tensor, Failure> {
    if wire.find("type").is_none() {
        return Err(Failure::Unsupported("sequences, optionals and maps are not taken".into()));
    }
    let mut tensor = Tensor {
        name: wire.find("name").map(|name| name.text().to_string()).unwrap_or_default(),
        r#type: wire.get("type").text().to_string(),
        shape: wire.get("shape").items().iter().map(Json::integer).collect(),
        ..Tensor::default()
    };
    match wire.get("data") {
        Json::Text(data) => tensor.data = base64_decode(data),
        data => tensor.strings = data.items().iter().map(|item| base64_decode(item.text())).collect(),
    }
    Ok(tensor)
}

fn encode(tensor: &Tensor) -> String {
    let shape: Vec<String> = tensor.shape.iter().map(i64::to_string).collect();
    let data = if tensor.r#type == "string" {
        let items: Vec<String> =
            tensor.strings.iter().map(|item| quote(&base64_encode(item))).collect();
        format!("[{}]", items.join(","))
    } else {
        quote(&base64_encode(&tensor.data))
    };
    let shape = shape.join(",");
    format!("{{\"type\":{},\"shape\":[{shape}],\"data\":{data}}}", quote(&tensor.r#type))
}

// ---- JSON ------------------------------------------------------------------------------------

/// A JSON value. A number keeps its text, so that int64 stays exact.
enum Json {
    Other(String),
    Text(String),
    List(Vec<Json>),
    Object(Vec<(String, Json)>),
}

impl Json {
    fn parse(text: &str) -> Result<Json, String> {
        let mut reader = Reader { text: text.chars().collect(), position: 0 };
        let value = reader.value()?;
        if reader.peek() == '\0' { Ok(value) } else { Err(reader.error()) }
    }

    fn find(&self, key: &str) -> Option<&Json> {
        match self {
            Json::Object(members) => {
                members.iter().find(|member| member.0 == key).map(|member| &member.1)
            }
            _ => None,
        }
    }

    fn get(&self, key: &str) -> &Json {
        self.find(key).unwrap_or_else(|| panic!("the request has no '{key}'"))
    }

    fn text(&self) -> &str {
        match self {
            Json::Text(text) => text,
            _ => panic!("the request has no text where one is due"),
        }
    }

    fn items(&self) -> &[Json] {
        match self {
            Json::List(items) => items,
            _ => panic!("the request has no list where one is due"),
        }
    }

    fn integer(&self) -> i64 {
        match self {
            Json::Other(text) => text.parse().expect("an integer"),
            _ => panic!("the request has no integer where one is due"),
        }
    }
}

struct Reader {
    text: Vec<char>,
    position: usize,
}

impl Reader {
    fn error(&self) -> String {
        format!("not JSON at character {}", self.position)
    }

    /// The next character that is no space; '\0' at the end.
    fn peek(&mut self) -> char {
        while self.text.get(self.position).is_some_and(|character| character.is_whitespace()) {
            self.position += 1;
        }
        self.text.get(self.position).copied().unwrap_or('\0')
    }

    fn take(&mut self, expected: char) -> bool {
        let found = self.peek() == expected;
        self.position += usize::from(found);
        found
    }

    fn need(&mut self, expected: char) -> Result<(), String> {
        if self.take(expected) { Ok(()) } else { Err(self.error()) }
    }

    fn value(&mut self) -> Result<Json, String> {
        match self.peek() {
            '{' => {
                let mut members = Vec::new();
                self.need('{')?;
                while !self.take('}') {
                    if !members.is_empty() {
                        self.need(',')?;
                    }
                    self.peek();
                    let key = self.string()?;
                    self.need(':')?;
                    members.push((key, self.value()?));
                }
                Ok(Json::Object(members))
            }
            '[' => {
                let mut items = Vec::new();
                self.need('[')?;
                while !self.take(']') {
                    if !items.is_empty() {
                        self.need(',')?;
                    }
                    items.push(self.value()?);
                }
                Ok(Json::List(items))
            }
            '"' => Ok(Json::Text(self.string()?)),
            '\0' => Err(self.error()),
            _ => {
                let start = self.position;
                let ends = |character: &char| ",]} \t\r\n".contains(*character);
                while self.text.get(self.position).is_some_and(|character| !ends(character)) {
                    self.position += 1;
                }
                Ok(Json::Other(self.text[start..self.position].iter().collect()))
            }
        }
    }

    fn next(&mut self) -> Result<char, String> {
        let character = self.text.get(self.position).copied().ok_or_else(|| self.error())?;
        self.position += 1;
        Ok(character)
    }

    fn string(&mut self) -> Result<String, String> {
        let mut units: Vec<u16> = Vec::new();
        let mut buffer = [0; 2];
        if self.next()? != '"' {
            return Err(self.error());
        }
        loop {
            let character = match self.next()? {
                '"' => return String::from_utf16(&units).map_err(|_| self.error()),
                '\\' => match self.next()? {
                    'n' => '\n',
                    'r' => '\r',
                    't' => '\t',
                    'b' => '\u{8}',
                    'f' => '\u{c}',
                    'u' => {
                        let mut digits = String::new();
                        for _ in 0..4 {
                            digits.push(self.next()?);
                        }
                        units.push(u16::from_str_radix(&digits, 16).map_err(|_| self.error())?);
                        continue;
                    }
                    other => other,
                },
                other => other,
            };
            units.extend_from_slice(character.encode_utf16(&mut buffer));
        }
    }
}

fn quote(text: &str) -> String {
    let mut result = String::from("\"");
    for character in text.chars() {
        match character {
            '"' | '\\' => {
                result.push('\\');
                result.push(character);
            }
            '\0'..='\u{1f}' => result.push_str(&format!("\\u{:04x}", character as u32)),
            _ => result.push(character),
        }
    }
    result.push('"');
    result
}

// ---- base64 ----------------------------------------------------------------------------------

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

fn base64_decode(text: &str) -> Vec<u8> {
    let mut result = Vec::with_capacity(text.len() / 4 * 3);
    let (mut bits, mut count) = (0u32, 0);
    for digit in text.bytes().take_while(|digit| *digit != b'=') {
        let value = DIGITS.iter().position(|known| *known == digit).expect("base64");
        bits = bits << 6 | value as u32;
        count += 6;
        if count >= 8 {
            count -= 8;
            result.push((bits >> count) as u8);
        }
    }
    result
}

fn base64_encode(data: &[u8]) -> String {
    let mut result = String::with_capacity(data.len().div_ceil(3) * 4);
    for chunk in data.chunks(3) {
        let byte = |index: usize| u32::from(*chunk.get(index).unwrap_or(&0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for index in 0..4 {
            let digit = DIGITS[(bits >> (18 - 6 * index) & 0x3f) as usize];
            result.push(if index <= chunk.len() { digit as char } else { '=' });
        }
    }
    result
}
