import Bytes
import CallModel

/// Writes the arguments of an event as a JSON object.
public struct ArgumentWriter {
  private var writer = ByteWriter()

  public init() {}

  /// The object so far, closed.
  public var text: String { writer.bytes.isEmpty ? "{}" : writer.string + "}" }

  private mutating func name(_ name: String) {
    writer.append(byte: writer.bytes.isEmpty ? 0x7B : 0x2C)
    writer.append(json: name)
    writer.append(byte: 0x3A)
  }

  public mutating func add(_ key: String, _ value: String) {
    name(key)
    writer.append(json: value)
  }

  public mutating func add(_ key: String, _ value: Int) {
    name(key)
    writer.append(value)
  }

  /// A figure with a useful number of decimals.
  public mutating func add(_ key: String, _ value: Double, decimals: Int = 3) {
    name(key)
    writer.append(value, decimals: decimals)
  }

  public mutating func add<Value>(_ argument: EventArgument<Value>, _ value: String) {
    add(argument.name, value)
  }

  public mutating func add<Value>(_ argument: EventArgument<Value>, _ value: Int) {
    add(argument.name, value)
  }

  public mutating func add<Value>(_ argument: EventArgument<Value>, _ value: Double, decimals: Int = 3) {
    add(argument.name, value, decimals: decimals)
  }

  public mutating func add(_ argument: EventArgument<Bool>, _ value: Bool) {
    add(raw: argument.name, value ? "true" : "false")
  }

  /// Unchanged JSON text.
  public mutating func add(raw key: String, _ json: String) {
    name(key)
    writer.append(json)
  }
}
