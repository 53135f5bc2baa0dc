import ArgumentParser
import Glibc
import Rendering

/// `--mode`: permissions of files that are written. Calls are private, so by default only the owner can read them.
struct ModeOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Permissions of files that are written, e.g. 0644.", valueName: "octal"))
  var mode: String = "0600"

  func validate() throws { try Self.check(mode) }

  /// Applies to every file and folder written from here on. Folders also get the execute bit for those who may read.
  func apply() { Self.apply(UInt16(mode, radix: 8) ?? 0o600) }

  /// The same for given permissions.
  static func apply(_ mode: UInt16) {
    guard Surroundings.areOfProcess else { return }
    let entering = (mode & 0o444) >> 2
    umask(mode_t(~(mode | entering) & 0o777))
  }

  static func check(_ mode: String) throws {
    guard UInt16(mode, radix: 8).map({ $0 <= 0o777 }) ?? false else {
      throw ValidationError("--mode takes octal permissions such as 0640, not '\(mode)'.")
    }
  }
}
