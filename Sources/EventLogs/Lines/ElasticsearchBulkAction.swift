import Bytes

/// An action line of Elasticsearch's `_bulk` format, which only names the target of the next line:
/// `{"index":{"_index":"webrtc","_id":"7"}}`.
public enum ElasticsearchBulkAction {
  private static let actions: Set = ["index", "create", "update", "delete"]
  /// Members that an action may hold besides those that begin with an underscore.
  private static let options: Set = [
    "routing", "version", "version_type", "retry_on_conflict", "pipeline", "require_alias",
    "dynamic_templates",
    "require_data_stream", "list_executed_pipelines", "if_seq_no", "if_primary_term",
  ]
  private static let longest = 4096

  /// Whether the line is an action line.
  public static func isAction(in line: UnsafeBufferPointer<UInt8>) -> Bool {
    guard line.count <= longest else { return false }
    var scanner = JSONScanner(line)
    do throws(JSONError) {
      try scanner.beginObject()
      guard let action = try scanner.nextKey(), actions.contains(action.string), try scanner.peek() == .object
      else { return false }
      try scanner.beginObject()
      while let option = try scanner.nextKey() {
        guard option.bytes.first == UInt8(ascii: "_") || options.contains(option.string) else { return false }
        try scanner.skip()
      }
      guard try scanner.nextKey() == nil else { return false }
      try scanner.finish()
      return true
    } catch {
      return false
    }
  }
}
