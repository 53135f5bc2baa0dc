import Bytes
import Glibc

/// What a walk goes through, so that it meets each file once and follows links without going round in circles.
///
/// A folder that is gone through covers all below it but hidden names. So only what is named or met through a link needs to
/// be kept, and files with more than one name: hardly any of the hundred thousands of a night.
struct WalkedPlaces {
  private var folders: Set<RawPath> = []
  private var files: Set<RawPath> = []
  private var manyNamed: Set<FileIdentity> = []
  /// Folders whose names could not be read: they cover nothing.
  private var closed: Set<RawPath> = []

  /// Whether a folder met at its own place is to be gone through.
  func mayEnter(_ folder: RawPath) -> Bool { !folders.contains(folder) }

  /// Whether a folder that is named, or that a link leads to, is to be gone through; from then on it is.
  mutating func mayEnterFromAfar(_ folder: RawPath) -> Bool {
    guard !covers(folder) else { return false }
    return folders.insert(folder).inserted
  }

  /// Whether a file met at its own place is met for the first time.
  mutating func mayTake(_ file: RawPath, _ status: stat) -> Bool {
    !files.contains(file) && isNewName(status)
  }

  /// Whether a file that is named, or that a link leads to, was not met and will not be.
  mutating func mayTakeFromAfar(_ file: RawPath, _ status: stat) -> Bool {
    guard !covers(file) else { return false }
    return files.insert(file).inserted && isNewName(status)
  }

  mutating func close(_ folder: RawPath) { closed.insert(folder) }

  private mutating func isNewName(_ status: stat) -> Bool {
    status.st_nlink < 2 || manyNamed.insert(FileIdentity(status)).inserted
  }

  private func covers(_ place: RawPath) -> Bool {
    var place = place
    while !folders.contains(place) {
      guard let (folder, name) = place.parted, name.first != UInt8(ascii: "."), !closed.contains(folder)
      else {
        return false
      }
      place = folder
    }
    return true
  }
}

/// What makes two names one file.
struct FileIdentity: Hashable {
  private var device: UInt64
  private var inode: UInt64

  init(_ status: stat) {
    (device, inode) = (UInt64(status.st_dev), UInt64(status.st_ino))
  }
}
