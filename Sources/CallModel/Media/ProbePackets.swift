/// Lowest mean payload of packets that can carry video although no frame was ever complete, bytes: bridges
/// probe the path with padding, while packets of video are filled up to the path's MTU.
public let minVideoPayload = 100.0
