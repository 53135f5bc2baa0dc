import CSQLite
import CallModel

extension Connection {
  /// A function of one text that SQL may call by its name; nil is NULL, and so is the function of anything but a text.
  func define(_ name: String, _ body: @escaping (UnsafeBufferPointer<UInt8>) -> Cell?) throws {
    let code = sqlite3_create_function_v2(
      handle, name, 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC,
      Unmanaged.passRetained(TextFunction(body)).toOpaque(),
      { context, _, values in
        guard let function = TextFunction.from(sqlite3_user_data(context)), let value = values?[0],
          sqlite3_value_type(value) == SQLITE_TEXT, let text = sqlite3_value_text(value)
        else { return sqlite3_result_null(context) }
        let count = Int(sqlite3_value_bytes(value))
        switch function.body(UnsafeBufferPointer(start: text, count: count)) {
        case .integer(let value): sqlite3_result_int64(context, value)
        case .real(let value): sqlite3_result_double(context, value)
        case .text(let result):
          // SQLite keeps a copy.
          let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
          sqlite3_result_text(context, result, Int32(clamping: result.utf8.count), transient)
        case .blob, .null, nil: sqlite3_result_null(context)
        }
      }, nil, nil, { TextFunction.release($0) })
    guard code == SQLITE_OK else { throw error(code) }
  }

  private final class TextFunction {
    let body: (UnsafeBufferPointer<UInt8>) -> Cell?

    init(_ body: @escaping (UnsafeBufferPointer<UInt8>) -> Cell?) { self.body = body }

    static func from(_ context: UnsafeMutableRawPointer?) -> TextFunction? {
      context.map { Unmanaged<TextFunction>.fromOpaque($0).takeUnretainedValue() }
    }

    static func release(_ context: UnsafeMutableRawPointer?) {
      context.map { Unmanaged<TextFunction>.fromOpaque($0).release() }
    }
  }
}
