import CallViews
import Captures
import Glibc
import Importing

/// Reads the packets that the page of a call shows out of the captures that it was imported from.
enum PacketExcerpts {
  /// The size of a capture up to which it is read again, bytes; of a larger one the page names the command alone.
  private static let maxBytes = 100_000_000

  /// The excerpts of all streams whose captures are still where they were found.
  ///
  /// A page is made without its packets rather than not at all: a capture may be gone, or have come within an archive.
  static func read(for account: CallAccount) -> [PacketExcerpt] {
    var captures: [String: (capture: CapturePackets, streams: [PacketTable.Stream])] = [:]
    var refused: Set<String> = []
    return PacketRequest.all(of: account).compactMap { request in
      guard !refused.contains(request.path) else { return nil }
      do {
        if captures[request.path] == nil {
          guard isSmallFile(request.path) else {
            refused.insert(request.path)
            return nil
          }
          let capture = try CapturePackets(request.path, limits: ImportRequest(paths: [request.path]))
          captures[request.path] = (capture, try capture.streams())
        }
        guard let (capture, streams) = captures[request.path], let stream = stream(request, in: streams)
        else {
          return nil
        }
        var excerpt = PacketExcerpt(request, packets: stream.packets, firstMs: stream.firstMs)
        try capture.rows(of: stream) { excerpt.take($0) }
        return excerpt
      } catch {
        refused.insert(request.path)
        return nil
      }
    }
  }

  private static func stream(_ request: PacketRequest, in streams: [PacketTable.Stream]) -> PacketTable
    .Stream?
  {
    let named = streams.filter { $0.ssrc == request.ssrc }
    return named.first { $0.source == request.source && $0.destination == request.destination } ?? named.first
  }

  private static func isSmallFile(_ path: String) -> Bool {
    var facts = stat()
    return stat(path, &facts) == 0 && facts.st_mode & S_IFMT == S_IFREG && facts.st_size <= maxBytes
  }
}
