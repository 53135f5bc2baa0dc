/// The release, as in `--version` and CHANGELOG.
enum Version {
  static let current = "0.2.0"

  /// Version of the JSON output; increased when a member is removed or changes its meaning (docs/json.md).
  static let json = 1
}
