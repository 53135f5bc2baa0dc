extension DecodingError {
  /// What is wrong with a JSON file that a person wrote, and where.
  public var words: String {
    func place(_ context: Context) -> String {
      let path = context.codingPath.map { $0.intValue.map { "[\($0)]" } ?? "." + $0.stringValue }.joined()
      return path.isEmpty ? "at the top" : "at \(path)"
    }
    switch self {
    case .keyNotFound(let key, let context): return "`\(key.stringValue)` is missing \(place(context))"
    case .typeMismatch(_, let context), .valueNotFound(_, let context):
      return "\(context.debugDescription) \(place(context))"
    case .dataCorrupted(let context):
      return context.codingPath.isEmpty ? "it is not JSON" : context.debugDescription
    @unknown default: return "\(self)"
    }
  }
}
