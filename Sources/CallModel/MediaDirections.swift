/// Which media a word of an SDK asks for or tells of, by its arguments.
struct MediaDirections {
  private(set) var audio: Bool?
  private(set) var video: Bool?

  private static let telling: Set = [
    "call.created", "call.dialing", "call.answered", "call.incoming", "call.updated", "call.established",
    "call.unmuted", "media.remote-stream", "media.local-acquired", "media.first-frame", "media.first-audio",
  ]
  private static let audioNames = [
    "withAudio", "answerWithAudio", "audio", "audioDirection", "localAudio", "enableAudio", "hasAudio",
  ]
  private static let videoNames = [
    "withVideo", "andVideo", "video", "videoDirection", "localVideo", "enableVideo", "hasVideo",
    "videoEnabled",
    "remoteVideo",
  ]
  private static let yes: Set = ["true", "yes", "1", "enabled", "sendrecv", "sendonly", "recvonly"]
  private static let no: Set = ["false", "no", "0", "disabled", "none", "inactive"]

  init(_ event: EventRecord) {
    switch event.event {
    case "media.first-frame":
      video = true
      return
    case "media.first-audio":
      audio = true
      return
    case "call.unmuted":
      if event.argument("kind") == "video" { video = true }
      if event.argument("kind") == "audio" { audio = true }
      return
    default: break
    }
    guard Self.telling.contains(event.event) else { return }
    audio = Self.first(Self.audioNames, event)
    video = Self.first(Self.videoNames, event)
  }

  // What the first of the arguments says that says yes or no, or in which direction.
  private static func first(_ names: [String], _ event: EventRecord) -> Bool? {
    for name in names {
      guard let text = event.argument(name), text.utf8.count <= 64 else { continue }
      let word = text.lowercased().filter { $0.isLetter || $0.isNumber }
      if yes.contains(word) || word.hasSuffix("sendandreceive") || word.hasSuffix("sendonly")
        || word.hasSuffix("receiveonly")
      {
        return true
      }
      if no.contains(word) || word.hasSuffix("directionnone") { return false }
    }
    return nil
  }
}
