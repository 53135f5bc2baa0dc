import Bytes

/// Statistics as text, as the native SDKs of WebRTC print them: Android's `RTCStatsReport.toString()`, iOS's description of
/// `RTCStatistics`; Python's `repr` and Node's `console.log` of objects. None of that is a format, so they are not read; but whoever logged them should know that.
enum NativeStatistics {
  static let advice =
    "statistics as a native SDK prints them (RTCStatsReport as text), or Python and Node their objects, which callqa does not read: log them as JSON"

  /// Whether some stand in a text: an object without quotes that says of which type of report it is.
  static func stand(in text: UnsafeBufferPointer<UInt8>) -> Bool {
    ByteSearch.find("type: inbound-rtp,", in: text) != nil
      || ByteSearch.find("type: outbound-rtp,", in: text) != nil
      || ByteSearch.find("type='inbound-rtp'", in: text) != nil
      || ByteSearch.find("type: 'inbound-rtp'", in: text) != nil
      || ByteSearch.find("'type': 'inbound-rtp'", in: text) != nil
  }
}
