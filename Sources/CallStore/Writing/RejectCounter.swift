import CallModel

/// The rejects and notes of a source, counted, with a limit on rows.
struct RejectCounter {
  /// Rows kept individually; later rejects are added to the first row with their reason.
  static let rows = Limit.rejects.value
  private static let others = "other reasons"

  struct Row {
    var reject: Reject
    var count: Int
  }

  private(set) var rejects: [Row] = []
  private(set) var rejected = 0
  private(set) var notes: [String: Int] = [:]
  private var firstOfReason: [String: Int] = [:]

  mutating func add(_ reject: Reject) {
    rejected &+= reject.count
    if rejects.count < Self.rows {
      if firstOfReason[reject.reason] == nil { firstOfReason[reject.reason] = rejects.count }
      rejects.append(Row(reject: reject, count: reject.count))
    } else if let index = firstOfReason[reject.reason] {
      rejects[index].count &+= reject.count
    } else if let index = firstOfReason[Self.others] {
      rejects[index].count &+= reject.count
    } else {
      firstOfReason[Self.others] = rejects.count
      let place = Reject(Self.others, line: reject.line, frame: reject.frame, byte: reject.byte)
      rejects.append(Row(reject: place, count: reject.count))
    }
  }

  mutating func add(note: String) {
    let key = notes[note] != nil || notes.count < Self.rows ? note : "more notes than are kept"
    notes[key, default: 0] &+= 1
  }
}
