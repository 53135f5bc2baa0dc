/// Mean payload under which packets of a picture of which no frame ever came hold none, bytes: a bridge probes the path with padding,
/// while a packet of a picture is filled as far as the path takes it.
public let minVideoPayload = 100.0
