import Bytes
import CallStore

/// Finds what was imported of a file before it grew: a log that is still being written, a download that was cut short.
struct GrownFile {
  /// The earlier states whose place the file takes, the longest first.
  private(set) var replaces: [EarlierState] = []
  private var keeps: [EarlierState] = []
  /// Why earlier states stay beside the file, for people.
  private(set) var notes: [String] = []

  /// Looks for sources of that path that are the beginning of what lies there now. One that belongs to another run
  /// stays there, as an unchanged file would.
  init(_ path: RawPath, _ file: FoundFile, run: String?, in known: Store) throws {
    let shorter = try known.earlierStates(ofPath: file.path, shorterThan: Int(file.bytes))
    guard !shorter.isEmpty else { return }
    let digests = try sha256(ofFile: path, beginnings: Set(shorter.map(\.bytes)))
    for state in shorter where digests[state.bytes] == state.sha256 {
      if state.isPruned {
        keeps.append(state)
        notes.append("begins with what was imported before and pruned since: that part counts twice")
      } else if let run, run != state.run {
        keeps.append(state)
        let before = state.run.map { "run \($0)" } ?? "no run"
        notes.append("begins with what was imported before, in \(before): that part counts in both")
      } else {
        replaces.append(state)
      }
    }
    if !replaces.isEmpty { notes.append("has grown since it was imported: what it was before is replaced") }
  }

  /// What the new source takes over from them.
  func hand(to header: inout SourceHeader) {
    header.supersedes = replaces.map(\.sha256)
    header.continues = keeps.map(\.sha256)
    header.run = header.run ?? replaces.first?.run
    header.call = header.call ?? replaces.first?.call
  }
}
