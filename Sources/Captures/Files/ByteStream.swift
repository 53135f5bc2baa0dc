import Bytes
import CPcap
import Glibc

/// A C stream over a `ByteSource`, so that libpcap reads gzip, memory and pipes as it reads files.
enum ByteStream {
  /// What the stream's callbacks hold: the source, and what it threw (C cannot carry it).
  final class Cookie {
    let source: any ByteSource
    var failure: (any Error)?

    init(_ source: any ByteSource) { self.source = source }
  }

  /// Opens a stream that reads from the cookie's source; `fclose` lets go of the cookie.
  ///
  /// `buffer` is the size of the stream's buffer in bytes; 0 makes every read exact.
  static func open(_ cookie: Cookie, buffer: Int) -> UnsafeMutablePointer<FILE>? {
    let functions = callqa_cookie_functions(
      read: { cookie, into, size in
        guard let cookie, let into else { return -1 }
        let held = Unmanaged<Cookie>.fromOpaque(cookie).takeUnretainedValue()
        do {
          return try held.source.read(into: UnsafeMutableRawBufferPointer(start: into, count: size))
        } catch {
          // What came before is good: the stream ends here, and the reader asks for the reason.
          held.failure = error
          return 0
        }
      },
      write: nil, seek: nil,
      close: { cookie in
        if let cookie { Unmanaged<Cookie>.fromOpaque(cookie).release() }
        return 0
      })
    let held = Unmanaged.passRetained(cookie)
    guard let file = callqa_fopencookie(held.toOpaque(), "r", functions) else {
      held.release()
      return nil
    }
    setvbuf(file, nil, buffer == 0 ? _IONBF : _IOFBF, buffer)
    return file
  }
}
