import Bytes
import CallModel
import CallStore

/// The walk through what was named for an import: finds files, reads manifests, and announces the calls that they name.
///
/// Run by one thread while others import what it finds. What it learned may be asked for when it is through.
final class ImportWalk: @unchecked Sendable {
  /// What was found, for those who import it.
  let files = FileQueue()
  let manifests = Manifests()
  /// What cannot be read of what was named, and manifests that are none.
  private(set) var lost: [ImportedFile] = []
  /// Folders that were named.
  private(set) var folders: [String] = []
  /// Places that were left before and are open now.
  private(set) var opened: [String] = []
  /// Paths of the manifests that were read, and what of each means nothing, where something does not.
  private(set) var manifestsMet: [String] = []
  private(set) var notes: [(path: String, notes: [String])] = []
  /// Which manifest of a run named a call first.
  private var named: [String: [String: String]] = [:]
  private var hasInput = false
  /// Archives that are unpacked until all is imported.
  private var archives: [UnpackedArchive] = []
  /// Whether it ended early, so that nobody knows what else there is.
  private(set) var isCut = false

  private let store: Store
  private let request: ImportRequest
  private let isStopped: @Sendable () -> Bool

  /// A walk that ends early once `isStopped` says so.
  init(store: Store, request: ImportRequest, isStopped: @escaping @Sendable () -> Bool) {
    self.store = store
    self.request = request
    self.isStopped = isStopped
  }

  private struct Stopped: Error {}

  /// Walks. Throws what the store throws.
  func run() throws {
    defer { files.complete() }
    var walker = FileWalker(
      passingOver: store.access == .memory ? nil : store.path, left: try store.leftPlaces())
    // Of several paths a later one may lead to the manifest of what an earlier one named.
    if request.paths.count == 1 { files.open() }
    do {
      for path in request.paths { try walk(path, with: &walker) }
    } catch is Stopped {
      isCut = true
    }
    opened = walker.opened
  }

  private func walk(_ path: String, with walker: inout FileWalker) throws {
    if path == "-" {
      // Standard input can be read once, however often it is named.
      guard !hasInput else { return }
      hasInput = true
      return files.append(FoundFile(location: RawPath("-"), named: true, bytes: 0))
    }
    let folder = FileWalker.folder(path)
    if let folder { folders.append(folder) }
    try walker.walk(
      path,
      found: { file in
        try mayGoOn()
        var file = file
        file.folder = folder
        guard !UnpackedArchive.isOne(file.location) else { return try unpack(file, in: folder) }
        guard file.path.hasSuffix("/" + Manifest.name) else { return files.append(file) }
        do {
          try take(Manifest.read(file.location), at: file.path)
        } catch let error as StoreError {
          throw error
        } catch {
          lost.append(ImportedFile(path: file.path, status: .refused, error: SourceError.of(error)))
        }
      },
      lost: { trouble in
        try mayGoOn()
        guard trouble.met != nil else {
          return lost.append(ImportedFile(path: trouble.path, status: .refused, error: trouble.error))
        }
        files.append(
          FoundFile(location: trouble.location, named: false, bytes: 0, folder: folder, trouble: trouble))
      })
  }

  /// Takes the files of an archive as those of a folder of its name.
  private func unpack(_ archive: FoundFile, in folder: String?) throws {
    let unpacked = UnpackedArchive(archive.location)
    archives.append(unpacked)
    let manifest = Array(Manifest.name.utf8)
    // What a manifest says is of all that lies below it.
    for file in unpacked.files where file.path.parted?.name == manifest {
      do {
        try take(Manifest.read(file.lies), at: file.path.text)
      } catch let error as StoreError {
        throw error
      } catch {
        lost.append(ImportedFile(path: file.path.text, status: .refused, error: SourceError.of(error)))
      }
    }
    for file in unpacked.files.sorted(by: { $0.path.bytes.lexicographicallyPrecedes($1.path.bytes) })
    where file.path.parted?.name != manifest {
      try mayGoOn()
      files.append(
        FoundFile(location: file.path, named: false, bytes: file.bytes, folder: folder, unpacked: file.lies))
    }
    for trouble in unpacked.troubles {
      lost.append(ImportedFile(path: trouble.path.text, status: .refused, error: trouble.error))
    }
    if unpacked.leftOut > 0 {
      notes.append(
        (
          path: archive.path,
          notes: [
            "\(unpacked.leftOut) links, hidden files and others of it are no files of a call, and were left aside"
          ]
        ))
    }
  }

  /// Takes away what was unpacked; nothing of it is read any more.
  func removeUnpacked() {
    for archive in archives { archive.remove() }
    archives = []
  }

  private func mayGoOn() throws {
    if isStopped() { throw Stopped() }
  }

  /// Announces the calls of a manifest.
  private func take(_ manifest: Manifest, at path: String) throws {
    let folder = String(path.dropLast(Manifest.name.count + 1))
    manifestsMet.append(path)
    var said = manifest.notes + ManifestNotes.lost(manifest, in: folder)
    manifests.add(manifest, folder: folder)
    if let run = request.run ?? manifest.run {
      said += shared(manifest, at: path, of: run)
      let labels = manifest.labels(under: request.labels)
      try store.announce(
        run: run, labels: jsonObject(labels),
        calls: (manifest.calls ?? []).map { AnnouncedCall($0, labels: labels) })
    }
    if !said.isEmpty { notes.append((path: path, notes: said)) }
  }

  /// What is to be said of names that another manifest of the run has too.
  private func shared(_ manifest: Manifest, at path: String, of run: String) -> [String] {
    var notes: [String] = []
    for id in Set((manifest.calls ?? []).map(\.call_id)).sorted() {
      if let other = named[run]?[id] {
        if notes.count < ManifestNotes.most { notes.append(ManifestNotes.shared(id, with: other)) }
      } else {
        named[run, default: [:]][id] = path
      }
    }
    return notes
  }
}
