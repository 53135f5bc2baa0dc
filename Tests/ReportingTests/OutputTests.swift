import Glibc
import Testing

@testable import Reporting

@Suite("Output that does not arrive is an error")
struct OutputTests {
  @Test("a full device is a failure", .enabled(if: access("/dev/full", W_OK) == 0, "no /dev/full here"))
  func full() throws {
    let output = try Output.file("/dev/full")
    try output.write("text")
    #expect(throws: OutputError.failed(path: "/dev/full", reason: "No space left on device")) {
      try output.flush()
    }
  }

  @Test("a file that cannot be made is named")
  func unwritable() {
    #expect(throws: OutputError.failed(path: "/nowhere/at/all", reason: "No such file or directory")) {
      try Output.file("/nowhere/at/all")
    }
  }
}
