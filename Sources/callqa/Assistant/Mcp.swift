import ArgumentParser
import Bytes
import CallStore
import Glibc
import IO
import Rendering

/// `callqa mcp`: access to the database for assistants, by the Model Context Protocol over standard input and output.
struct Mcp: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "mcp",
    abstract: "Serve the database to an assistant (Model Context Protocol, stdio), read-only.",
    discussion: """
      The assistant starts this command and asks by JSON-RPC, one message per line. It can list and find calls, read one call's facts, have a \
      finding explained, and ask in SQL with limits. Answers are small, and what recordings say in them is marked as data, not \
      instructions. Nothing is written.

      Example:
        callqa mcp --db /srv/callqa/calls.sqlite
        callqa mcp --db calls.sqlite --hide-people
      """)

  @OptionGroup var database: DatabaseOptions

  @Flag(
    name: .customLong("hide-people"),
    help: "Other names in place of people and addresses, the same for the same; no SQL.")
  var hidesPeople = false

  func run() throws {
    let store = try database.open(.read)
    var session = McpSession(tools: try AssistantTools(store: store, hidesPeople: hidesPeople))
    let output = Output.standard()
    var lines = LineReader(StandardInput(), longestLine: McpSession.longestMessage)
    while try lines.next({ bytes, _, _ in
      guard !bytes.isEmpty, let answer = session.answer(bytes) else { return }
      try output.write(answer + [UInt8(ascii: "\n")])
      try output.flush()
    }) {
      if lines.tooLong != nil {
        try output.write(
          McpSession.failure(id: "null", -32600, "the message is too long") + [UInt8(ascii: "\n")])
        try output.flush()
      }
    }
  }
}

/// Standard input, read without waiting for a full buffer.
private final class StandardInput: ByteSource {
  func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    while true {
      let count = Glibc.read(STDIN_FILENO, buffer.baseAddress, buffer.count)
      if count >= 0 { return count }
      guard errno == EINTR else { return 0 }
    }
  }
}

/// JSON-RPC 2.0 as used by the protocol: requests, notifications, and responses.
struct McpSession {
  /// Maximum length of a message, bytes.
  static let longestMessage = 1 << 20
  /// Supported protocol versions, latest first.
  private static let versions = ["2025-06-18", "2025-03-26", "2024-11-05"]

  let tools: AssistantTools

  /// The response to a message; nil if it needs none.
  mutating func answer(_ line: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
    guard let message = JSONFields(line) else {
      return Self.failure(id: "null", -32700, "this is no JSON object")
    }
    guard let method = message.text("method") else {
      // A response from the client, although no request was sent.
      return message.has("result") || message.has("error")
        ? nil : Self.failure(id: message.raw("id") ?? "null", -32600, "a message needs a method")
    }
    guard let id = message.raw("id") else { return nil }
    let parameters = message.fields("params") ?? JSONFields.none
    switch method {
    case "initialize":
      let asked = parameters.text("protocolVersion") ?? ""
      let version = Self.versions.contains(asked) ? asked : Self.versions[0]
      return Self.result(
        id: id,
        """
        {"protocolVersion":"\(version)","capabilities":{"tools":{"listChanged":false}},\
        "serverInfo":{"name":"callqa","version":\(JSONText.quoted(Version.current))},\
        "instructions":\(JSONText.quoted(AssistantTools.instructions))}
        """)
    case "ping": return Self.result(id: id, "{}")
    case "tools/list": return Self.result(id: id, "{\"tools\":[\(tools.list)]}")
    case "tools/call":
      guard let name = parameters.text("name") else { return Self.failure(id: id, -32602, "which tool?") }
      let arguments = parameters.fields("arguments") ?? JSONFields.none
      guard let outcome = tools.call(name, arguments) else {
        return Self.failure(
          id: id, -32602, "there is no tool '\(VisibleText.cut(VisibleText.visible(name), to: 40))'")
      }
      let text = JSONText.quoted(outcome.text)
      return Self.result(
        id: id, "{\"content\":[{\"type\":\"text\",\"text\":\(text)}],\"isError\":\(outcome.isError)}")
    case "resources/list": return Self.result(id: id, "{\"resources\":[]}")
    case "prompts/list": return Self.result(id: id, "{\"prompts\":[]}")
    default:
      return Self.failure(
        id: id, -32601, "there is no method '\(VisibleText.cut(VisibleText.visible(method), to: 40))'")
    }
  }

  private static func result(id: String, _ json: String) -> [UInt8] {
    Array("{\"jsonrpc\":\"2.0\",\"id\":\(id),\"result\":\(json)}".utf8)
  }

  static func failure(id: String, _ code: Int, _ words: String) -> [UInt8] {
    Array(
      "{\"jsonrpc\":\"2.0\",\"id\":\(id),\"error\":{\"code\":\(code),\"message\":\(JSONText.quoted(words))}}"
        .utf8)
  }
}

/// Encodes text as JSON.
enum JSONText {
  static func quoted(_ text: String) -> String {
    var bytes: [UInt8] = []
    JSONBytes.append(text, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }
}

/// The members of a JSON object: strings are decoded, other values stay JSON.
struct JSONFields {
  static let none = JSONFields()

  private var texts: [String: String] = [:]
  private var raws: [String: String] = [:]

  private init() {}

  /// Nil if the bytes are not an object.
  init?(_ bytes: UnsafeBufferPointer<UInt8>) {
    var scanner = JSONScanner(bytes)
    do {
      try scanner.beginObject()
      while let key = try scanner.nextKey() {
        let name = key.string
        if try scanner.peek() == .string {
          texts[name] = try scanner.string().string
        } else {
          raws[name] = String(decoding: try scanner.skip(), as: UTF8.self)
        }
      }
      try scanner.finish()
    } catch {
      return nil
    }
  }

  func text(_ name: String) -> String? { texts[name] }
  /// Names of all members, sorted.
  var names: [String] { (Array(texts.keys) + Array(raws.keys)).sorted() }
  func has(_ name: String) -> Bool { texts[name] != nil || raws[name] != nil }

  /// The member as JSON.
  func raw(_ name: String) -> String? { texts[name].map(JSONText.quoted) ?? raws[name] }

  func number(_ name: String) -> Int? {
    (raws[name] ?? texts[name]).flatMap { Double($0) }.flatMap { Int(exactly: $0) }
  }

  func fields(_ name: String) -> JSONFields? {
    guard var json = raws[name] else { return nil }
    return json.withUTF8 { JSONFields($0) }
  }
}
