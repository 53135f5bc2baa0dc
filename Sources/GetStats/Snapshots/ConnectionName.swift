/// What a source of snapshots calls a connection, and by what it is known to be one's name.
struct ConnectionName {
  enum Basis {
    /// A member that names connections.
    case name
    /// The name of the member that the reports stand under, their number there, or their place in a list.
    case key, number, place
    /// An id beside the reports, which may be that of a message.
    case id
    /// The path of what stands beside others and says nothing of whose it is.
    case path
  }

  /// Empty where none is said.
  var bytes: [UInt8] = []
  var basis = Basis.name
  /// The name of what it stands in.
  var around: [UInt8] = []

  /// The name of what stands under a member of what has this name.
  func member(_ key: [UInt8], _ basis: Basis) -> ConnectionName {
    ConnectionName(
      bytes: bytes.isEmpty ? key : bytes + [UInt8(ascii: "/")] + key, basis: basis, around: bytes)
  }
}
