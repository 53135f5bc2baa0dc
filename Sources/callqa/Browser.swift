import Glibc

/// The user's browser.
enum Browser {
  /// A place for a page that nobody named.
  static func temporaryPage() -> String {
    let folder = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    return "\(folder)/callqa-\(getpid()).html"
  }

  /// Shows a page: `$BROWSER`, else the desktop's choice. Throws where there is neither.
  static func show(_ path: String) throws {
    let named = getenv("BROWSER").map { String(cString: $0) }
    let candidates = [named, "xdg-open", "sensible-browser", "open"].compactMap { $0 }.filter { !$0.isEmpty }
    for command in candidates where launch(command, path) { return }
    throw Failure(.storeFailed, "no browser was found: set BROWSER, or open \(path) yourself")
  }

  private static func launch(_ command: String, _ path: String) -> Bool {
    var arguments: [UnsafeMutablePointer<CChar>?] = [strdup(command), strdup(path), nil]
    defer { for argument in arguments { free(argument) } }
    var process = pid_t()
    return posix_spawnp(&process, command, nil, nil, &arguments, environ) == 0
  }
}
