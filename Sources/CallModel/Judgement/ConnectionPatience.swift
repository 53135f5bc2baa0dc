/// How long a connection may take to come up before its absence counts as a failure, ms. If the user hangs up
/// sooner, it is unknown whether it would have come up.
public let connectionPatienceMs = 5000.0
