/// An event as the store gives it back, with the end it belongs to.
public struct StoredEvent: Sendable {
  public var record: EventRecord
  /// Key of the endpoint, nil for an event of the call as a whole.
  public var endpoint: Int64?
  /// Key of the source it came from.
  public var source: Int64

  /// An event of an endpoint.
  public init(record: EventRecord, endpoint: Int64?, source: Int64) {
    self.record = record
    self.endpoint = endpoint
    self.source = source
  }
}
