extension ScoreModel {
  /// Published scores and labels of others, under names of their own.
  public static let peers: [ScoreModel] = [
    ScoreModel(
      name: "g107",
      summary: "E-model, narrowband, G.711 with concealment, from packet loss and delay (ITU-T G.107)",
      formula: .peer(.eModelNarrowband)),
    ScoreModel(
      name: "g107-band",
      summary: "E-model of the codec's own band, with the codec's Ie and Bpl (G.107, .1, .2)",
      formula: .peer(.eModelOwnBand)),
    ScoreModel(name: "livekit", summary: "LiveKit's connection quality, 0-100", formula: .peer(.liveKit)),
    ScoreModel(
      name: "rtcscore", summary: "rtcscore as published: a missing bracket makes long delay score well",
      formula: .peer(.rtcscore)),
    ScoreModel(
      name: "rtcscore-mended", summary: "rtcscore with its bracket", formula: .peer(.rtcscoreMended)),
    ScoreModel(
      name: "pingplotter", summary: "the short E-model in round trip, jitter and loss that is copied most",
      formula: .peer(.pingPlotter)),
    ScoreModel(
      name: "twilio", summary: "Twilio Voice's MOS and warnings", formula: .peer(.twilio)),
    ScoreModel(name: "rtpengine", summary: "rtpengine's default MOS", formula: .peer(.rtpengine)),
    ScoreModel(name: "jitsi", summary: "Jitsi's steps of loss, audio only", formula: .peer(.jitsi)),
    ScoreModel(name: "pexip", summary: "Pexip's level: Good, OK, Bad, Terrible", formula: .peer(.pexip)),
    ScoreModel(
      name: "teams-cqd", summary: "Teams call quality dashboard: Good or Poor", formula: .peer(.cqd)),
    ScoreModel(name: "packet-loss", summary: "packets that arrived, in per cent", formula: .peer(.loss)),
  ]
}
