import Glibc
import IO
import Reporting

/// Finds reports: folders with a `report.txt`. The user's own take precedence over shipped ones.
struct ReportFinder {
  /// `reports` in the current folder, `reports` in the user's configuration, and those shipped with callqa; only
  /// folders that exist.
  let folders: [String]

  init() {
    let home = Self.variable("HOME").map { "\($0)/.config" }
    let personal = (Self.variable("XDG_CONFIG_HOME") ?? home).map { "\($0)/callqa/reports" }
    let shipped = ResourceFolder("reports")?.path
    var met: Set<String> = []
    folders = ["reports", personal, shipped].compactMap { $0 }.filter { folder in
      guard let real = realpath(folder, nil) else { return false }
      defer { free(real) }
      return met.insert(String(cString: real)).inserted
    }
  }

  /// The folder of a report, by path or name. If there is none, the error lists the reports that exist.
  func find(_ word: String) throws -> String {
    var word = word
    for ending in ["/report.txt", "/"] where word.hasSuffix(ending) && word.count > ending.count {
      word.removeLast(ending.count)
    }
    let candidates = word.contains("/") ? [word] : folders.map { "\($0)/\(word)" }
    if let found = candidates.first(where: Self.isReport) { return found }
    if let folder = candidates.first(where: { access("\($0)/.", F_OK) == 0 }) {
      throw Failure(.wrongCommandLine, "\(folder) is no report: it has no report.txt")
    }
    let near = Self.isReport("./\(word)") ? "; for the folder here write ./\(word)" : ""
    let names = all().map(\.name)
    let list =
      names.isEmpty ? "none was found (set CALLQA_HOME)" : "there are: \(names.joined(separator: ", "))"
    throw Failure(.wrongCommandLine, "there is no report '\(word)'\(near): \(list)")
  }

  /// All reports with their titles. If several have the same name, the first is used. If a definition has an error, the
  /// error replaces the title.
  func all() -> [(name: String, title: String, folder: String)] {
    var met: Set<String> = []
    return folders.flatMap { parent in
      OutputFolder.folders(in: parent).map { (name: $0, folder: "\(parent)/\($0)") }
    }
    .filter { Self.isReport($0.folder) && met.insert($0.name).inserted }
    .map { name, folder in
      do {
        return (name, try ReportDefinition.read(folder: folder).title, folder)
      } catch {
        return (name, "\(error)", folder)
      }
    }
  }

  private static func isReport(_ folder: String) -> Bool { access("\(folder)/report.txt", R_OK) == 0 }

  private static func variable(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
  }
}
