import Glibc
import Testing

@testable import Reporting
@testable import Rendering

@Suite("Output that does not arrive is an error")
struct OutputTests {
  @Test("a full device is a failure", .enabled(if: access("/dev/full", W_OK) == 0, "no /dev/full here"))
  func full() throws {
    let descriptor = open("/dev/full", O_WRONLY)
    defer { close(descriptor) }
    let output = Output(descriptor: descriptor, path: "/dev/full")
    try output.write("text")
    #expect(throws: OutputError.failed(path: "/dev/full", reason: "No space left on device")) {
      try output.flush()
    }
  }

  @Test("a folder takes the place of an earlier one at once; what killed processes began beside it goes")
  func folder() throws {
    let place = "/tmp/callqa-output-\(getpid())"
    let out = "\(place)/out"
    for text in ["one", "two"] {
      try OutputFolder.makeFolders("\(out).making-99999999/csv")
      let folder = try OutputFolder(out)
      try folder.write(Array(text.utf8), to: "csv/a.csv")
      try folder.write([], to: OutputFolder.mark)
      try folder.finish()
      #expect(try FileBytes.read("\(out)/csv/a.csv") == Array(text.utf8))
      #expect(OutputFolder.folders(in: place) == ["out"])
    }
    for name in ["out/csv/a.csv", "out/\(OutputFolder.mark)"] { unlink("\(place)/\(name)") }
    for name in ["/out/csv", "/out", ""] { rmdir(place + name) }
  }
}
