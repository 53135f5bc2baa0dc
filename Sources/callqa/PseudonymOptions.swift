import ArgumentParser
import Bytes
import CallModel
import Glibc
import Importing
import IO

/// `--pseudonymize` and its key, which comes from a file or the environment. It cannot be given on the command line,
/// which other users can see.
struct PseudonymOptions: ParsableArguments {
  @Flag(help: "Replace people, numbers and addresses by stable pseudonyms.")
  var pseudonymize = false

  @Option(
    help: ArgumentHelp(
      "The key of the pseudonyms, 16 bytes or more (default: what CALLQA_KEY holds).", valueName: "file"))
  var keyFile: String?

  /// The pseudonymizer; nil if none was requested.
  func pseudonymizer() throws -> Pseudonymizer? {
    guard pseudonymize else {
      guard keyFile == nil else { throw Failure(.wrongCommandLine, "--key-file goes with --pseudonymize") }
      return nil
    }
    guard let bytes = try key() else {
      throw Failure(
        .wrongCommandLine,
        "--pseudonymize needs a key: --key-file FILE, or CALLQA_KEY in the environment (\(Self.remedy))")
    }
    guard let key = HMACKey(bytes) else {
      let place = keyFile ?? "CALLQA_KEY"
      let held = bytes.isEmpty ? "is empty" : "holds \(Plural.of(bytes.count, "byte"))"
      throw Failure(
        .wrongCommandLine,
        "\(place): \(held), and a key has \(HMACKey.smallest) or more; \(Self.remedy)")
    }
    return Pseudonymizer(key: key)
  }

  private static let remedy = "make one with `openssl rand -hex 32 > callqa.key`"

  private func key() throws -> [UInt8]? {
    guard let keyFile else { return getenv("CALLQA_KEY").map { Array(String(cString: $0).utf8) } }
    do {
      var buffer = [UInt8](repeating: 0, count: 4096)
      let input = try InputFile(path: keyFile)
      let got = try buffer.withUnsafeMutableBytes { try input.read(into: $0) }
      return Array(buffer[..<got])
    } catch let error as BytesError where error.kind == .empty {
      return []
    } catch let error as BytesError {
      throw Failure(.wrongCommandLine, "--key-file \(keyFile): \(error.reason)")
    }
  }
}
