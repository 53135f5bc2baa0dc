import FoundationEssentials
import Glibc

/// The process of a browser, and its profile: a new folder, deleted with it.
final class BrowserProcess {
  let profile: String
  private var id: pid_t = 0

  /// Starts a program; `arguments` are told the profile. `pipes` are the descriptors that the process has as 3, 4, ….
  /// Throws a `ProbeError` if it does not start.
  init(_ place: BrowserPlace, pipes: [Int32] = [], arguments: (_ profile: String) throws -> [String]) throws {
    // mkdtemp replaces the X with an unused name. Not in TMPDIR, which may be long: browsers make sockets below it, and
    // the path of one has room for 107 bytes.
    var template = Array("/tmp/callqa-probe-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else {
      throw ProbeError("no folder for the browser's profile: \(String(cString: strerror(errno)))")
    }
    profile = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    id = try spawn([place.program] + arguments(profile), pipes, log: place.log)
  }

  deinit { close() }

  /// Whether it ended by itself.
  var hasEnded: Bool {
    if id > 0, waitpid(id, nil, WNOHANG) == id { id = 0 }
    return id == 0
  }

  /// Ends the process and all that it started, and deletes the profile.
  func close() {
    if !hasEnded {
      kill(-id, SIGKILL)
      waitpid(id, nil, 0)
      id = 0
    }
    // Processes that are still ending may hold files for a moment.
    for _ in 0..<20 where FileManager.default.fileExists(atPath: profile) {
      if (try? FileManager.default.removeItem(atPath: profile)) == nil { usleep(50_000) }
    }
  }

  private func spawn(_ command: [String], _ pipes: [Int32], log: String) throws -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 1, log, O_WRONLY | O_CREAT | O_APPEND, 0o600)
    posix_spawn_file_actions_adddup2(&actions, 1, 2)
    for (index, pipe) in pipes.enumerated() {
      posix_spawn_file_actions_adddup2(&actions, pipe, Int32(3 + index))
    }
    // A process group, so that all of the browser's processes can be ended.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP))
    posix_spawnattr_setpgroup(&attributes, 0)
    var words = command.map { strdup($0) } + [nil]
    var settings: [UnsafeMutablePointer<CChar>?] = []
    var entry = environ
    while let setting = entry.pointee {
      if strncmp(setting, "HOME=", 5) != 0, strncmp(setting, "TMPDIR=", 7) != 0 {
        settings.append(strdup(setting))
      }
      entry += 1
    }
    // What it leaves lying about goes with the profile.
    settings += [strdup("HOME=\(profile)"), strdup("TMPDIR=\(profile)"), nil]
    defer { (words + settings).forEach { free($0) } }
    var process: pid_t = 0
    let code = posix_spawn(&process, command[0], &actions, &attributes, &words, &settings)
    guard code == 0 else {
      throw ProbeError("\(command[0]) does not start: \(String(cString: strerror(code)))")
    }
    return process
  }
}
