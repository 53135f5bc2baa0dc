/// The release, as `--version` prints it and CHANGELOG names it.
enum Version {
  static let current = "0.1.0"
}
