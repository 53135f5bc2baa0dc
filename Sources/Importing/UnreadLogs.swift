import Bytes
import CallModel

/// Logs and pages that are about calls and that callqa does not read, by words of theirs, each with what to record
/// instead.
enum UnreadLogs {
  /// One kind: what it is, words of it, and what to record instead.
  private struct Kind {
    let name: String
    /// It is of this kind if all words of one of these lists occur.
    let signs: [[String]]
    let remedy: String
  }

  private static let page =
    "log what getStats gives, once a second (`collect/callqa-collect.js` does), or save chrome://webrtc-internals as a dump"
  private static let client =
    "\(page); a HAR of the page, or a log of its SIP messages with their times, has how it was set up"
  private static let app =
    "log what getStats of its PeerConnections gives, once a second, with id, type and timestamp"
  private static let wire = "capture its packets (`tcpdump -w call.pcap udp`)"

  private static let kinds = [
    Kind(
      name: "a saved page of about:webrtc",
      signs: [
        ["about:webrtc"], ["aboutWebrtc"], ["RTP Stats", "ICE Stats"],
        ["<html", "RTCPeerConnection Statistics"],
      ], remedy: page),
    Kind(
      name: "a page of chrome://webrtc-internals, not its dump", signs: [["webrtc-internals", "<html"]],
      remedy: "choose `Create a WebRTC-Internals dump` there, and save that"),
    Kind(
      name: "SIP messages as text, of which no time, or not who sent them, is on record",
      signs: [["SIP/2.0", "Via:", "CSeq:"]],
      remedy: "have the program print a time with each, or \(wire)"),
    Kind(
      name: "a Map of reports as a console prints it",
      signs: [["Map {", "=>", "-rtp"], ["Map(", "=>", "-rtp"]],
      remedy: "log JSON.stringify([...report.values()]) of what getStats gives, once a second"),
    Kind(name: "a log of JsSIP", signs: [["JsSIP:"]], remedy: client),
    Kind(
      name: "a log of SIP.js",
      signs: [["sip.Transport"], ["sip.UserAgent"], ["sip.Inviter"], ["sip.invitecontext"]],
      remedy: client),
    Kind(name: "a log of SIPml5", signs: [["SIPml"], ["tsip_", "State machine"]], remedy: client),
    Kind(
      name: "a log of Sinch",
      signs: [["com.sinch"], ["SinchClient"], ["onSessionTerminated", "terminationCause"]],
      remedy: app),
    Kind(
      name: "a log of Twilio's SDK", signs: [["TwilioVoice"], ["com.twilio"], ["TwilioVideo"]], remedy: app),
    Kind(name: "a log of OpenTok", signs: [["OpenTok"], ["com.opentok"]], remedy: app),
    Kind(
      name: "a log of rtpengine", signs: [["Final packet stats"], ["rtpengine["]],
      remedy: "import the JSON of its command `query` or `delete`, or \(wire)"),
    Kind(
      name: "events of Asterisk's manager (AMI)",
      signs: [["Event: RTCPReceived"], ["Event: RTCPSent"], ["Event: Newchannel"]],
      remedy: "\(wire), or record `pjsip show channelstats` once a second"),
    Kind(name: "statistics of baresip", signs: [["pkt.report", "Transmit:"]], remedy: wire),
    Kind(name: "statistics of GStreamer", signs: [["application/x-webrtc-stats"]], remedy: app),
    Kind(name: "a log of Agora", signs: [["io.agora"], ["AgoraRtc"]], remedy: app),
    Kind(name: "a log of Janus", signs: [["Janus", "janus.plugin"], ["janus.plugin."]], remedy: app),
    Kind(
      name: "a log of PJSIP", signs: [["pjsua_"], ["pjsip"], ["sip_endpoint.c"], ["[CONFIRMED] To:"]],
      remedy: wire),
    Kind(
      name: "a log of Linphone", signs: [["belle-sip"], ["belle_sip"], ["mediastreamer"], ["linphone"]],
      remedy: wire),
    Kind(
      name: "a log of FreeSWITCH", signs: [["mod_sofia"], ["sofia/internal"], ["sofia/external"]],
      remedy: wire),
    Kind(
      name: "a log of Asterisk",
      signs: [["chan_sip.c"], ["res_pjsip"], ["app_dial.c"], ["PJSIP/", "Dial("]], remedy: wire),
  ]

  /// Words of calls that occur in logs of any client.
  private static let words = [
    "SIP/2.0", "PeerConnection", "iceConnectionState", "connectionState\"", "signalingState",
    "ICE connection", "onCall", "CallEnded", "call ended",
    "hangup",
    "hang up", "INVITE ", "setRemoteDescription", "setLocalDescription", "placing call", "incoming call",
    "ringing",
  ]

  /// The most bytes that are searched for words.
  private static let longest = 256 << 10

  /// The error of a text of unknown format that is about calls; nil if nothing in it shows that.
  static func error(_ head: [UInt8]) -> SourceError? {
    let head = head.prefix(longest)
    func has(_ word: String) -> Bool { ByteSearch.contains(word, in: head) }
    if let kind = kinds.first(where: { $0.signs.contains { $0.allSatisfy(has) } }) {
      return SourceError(.unsupported, "\(kind.name), which is not read: \(kind.remedy)")
    }
    guard words.lazy.filter(has).prefix(2).count == 2 else { return nil }
    return SourceError(
      .notAFormat,
      "a text about calls in which no event or statistics are known: \(page); of a telephone or a server, \(wire); `callqa formats` lists what is read"
    )
  }
}
