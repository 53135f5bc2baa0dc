import FoundationEssentials
import IO

/// The security policy of a page: it may run its own script and use its own style, and nothing else.
package enum PageSecurity {
  /// The Content-Security-Policy for a page with exactly this script and style, and with the scripts that this script
  /// loads if `loadsScripts` is set.
  package static func policy(script: [UInt8], style: [UInt8], loadsScripts: Bool = false) -> String {
    "default-src 'none'; script-src 'sha256-\(digest(script))'\(loadsScripts ? " 'strict-dynamic'" : ""); style-src 'sha256-\(digest(style))'; "
      + "base-uri 'none'; form-action 'none'"
  }

  package static func digest(_ bytes: [UInt8]) -> String {
    let hasher = SHA256()
    bytes.withUnsafeBytes { hasher.update($0) }
    return Data(hasher.digest()).base64EncodedString()
  }
}
