/// An event read from the store, with the end it belongs to.
public struct StoredEvent: Sendable {
  public var record: EventRecord
  /// Key of the endpoint; nil for an event of the whole call.
  public var endpoint: Int64?
  /// Key of the source it came from.
  public var source: Int64

  /// An event with its endpoint and source.
  public init(record: EventRecord, endpoint: Int64?, source: Int64) {
    self.record = record
    self.endpoint = endpoint
    self.source = source
  }
}
