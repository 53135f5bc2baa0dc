/// The release, as `--version` prints it and CHANGELOG names it.
enum Version {
  static let current = "0.1.0"

  /// The version of what is printed as JSON: a larger one where a member went or means something else (docs/json.md).
  static let json = 1
}
