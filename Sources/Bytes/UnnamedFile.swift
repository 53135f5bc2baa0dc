import Glibc

/// A file in the folder for temporary files (TMPDIR, else /tmp) that has no name, so that nothing is left of it however this ends.
public enum UnnamedFile {
  /// The folder that such files are made in.
  public static var folder: String { getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp" }

  /// Opens a new one for reading and writing; nil, with the reason in `errno`, where none can be made. To be closed by who asked.
  public static func open() -> Int32? {
    // mkstemp puts a name that is not taken in place of the X.
    var template = Array((folder + "/callqa-XXXXXX").utf8CString)
    let file = mkstemp(&template)
    guard file >= 0 else { return nil }
    unlink(template)
    _ = fcntl(file, F_SETFD, FD_CLOEXEC)
    return file
  }
}
