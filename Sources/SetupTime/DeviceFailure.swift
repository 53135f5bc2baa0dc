import CallModel

/// Why a camera or a microphone could not be had, in plain words with the name that the browser gave it.
func deviceFailure(_ event: EventRecord) -> String {
  // Names of W3C Media Capture and Streams, section 10.2, and what older browsers said.
  let names = [
    ("NotAllowedError", "refused"), ("PermissionDeniedError", "refused"), ("SecurityError", "refused"),
    ("NotFoundError", "not there"), ("DevicesNotFoundError", "not there"),
    ("NotReadableError", "there, but could not be opened"),
    ("TrackStartError", "there, but could not be opened"),
    ("OverconstrainedError", "unable to do what was asked of it"),
  ]
  let device =
    switch event.argument("kind") {
    case "audio": "microphone"
    case "video": "camera"
    default: "camera or microphone"
    }
  guard let (name, words) = names.first(where: { event.args.contains($0.0) }) else {
    return "\(device) could not be had"
  }
  return "\(device) \(words) (\(name))"
}
