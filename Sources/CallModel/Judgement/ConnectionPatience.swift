/// How long a connection is given to come up before its absence is a failure, ms: whoever hangs up sooner gave up, and nobody knows
/// whether it would have come.
public let connectionPatienceMs = 5000.0
