import Foundation
import Testing

@Suite("What an end's code says of the cause of a failure")
struct CodeCauseTests {
  @Test(
    "a code that names the device, the permission, the path or the server is the cause of the verdict",
    arguments: [
      (
        [
          "makeCall",
          "onError(\"Error: Could not get access to camera/microphone. Have you allowed access?\")",
        ],
        "device", "Could not get access to camera/microphone. Have you allowed access?"
      ),
      (
        [
          "makeCall", "getUserMedia error: NotAllowedError: Permission denied",
          "onError(\"Error: Could not get access to camera/microphone. Have you allowed access?\")",
        ],
        "permission", "Could not get access to camera/microphone. Have you allowed access?"
      ),
      (
        [
          "makeCall", "getUserMedia error: NotReadableError: Could not start video source",
          "onError(\"Error: Could not get access to camera/microphone. Have you allowed access?\")",
        ],
        "device", "Could not get access to camera/microphone. Have you allowed access?"
      ),
      (
        [
          "makeCall",
          "onError(\"Error: Could not get access to camera/microphone. NotAllowedError: Permission denied by user\")",
        ],
        "permission", "Could not get access to camera/microphone. NotAllowedError: Permission denied by user"
      ),
      (
        [
          "makeCall",
          "onError(\"Error: Could not get access to camera/microphone. Have you allowed access?\")",
          "onDisconnect(\"Call failed\")",
        ],
        "device", "Could not get access to camera/microphone. Have you allowed access?"
      ),
      (
        ["makeCall", "onError(\"Error: Your camera and microphone are not available: NotAllowedError\")"],
        "permission",
        "Your camera and microphone are not available: NotAllowedError"
      ),
      (["createCall sip:bob@example.org", "onDialFailed: NOT_FOUND"], "signalling", "NOT_FOUND"),
      (["makeCall", "onError Failed to gather IP addresses"], "ice", "Failed to gather IP addresses"),
      (["createCall sip:bob@example.org", "onDialFailed: NO_MB_CAPACITY"], "server", "NO_MB_CAPACITY"),
    ])
  func cause(lines: [String], cause: String, code: String) throws {
    let log = lines.enumerated().map { "2026-11-26T10:00:0\($0).000Z \($1)\n" }.joined()
    let folder = try TemporaryFolder()
    let row = try #require(
      try Tool.run("extract", "--only", "calls", folder.file("client.log", log)).objects().first)
    #expect(row["verdict_cause"] as? String == cause && row["end_code"] as? String == code, "\(row)")
  }
}
