import CallModel
import Testing

@testable import EventLogs

@Suite("A form is proposed for a table")
struct FormGuessTests {
  private func guess(_ text: String) -> FormGuess? {
    Array(text.utf8).withUnsafeBufferPointer { FormGuess($0, name: "acme") }
  }

  /// What a table becomes by its own proposal.
  private func read(_ text: String) throws -> FigureSink {
    let form = try #require(guess(text)).form
    return try FigureReaderTests.read(text, form)
  }

  @Test("of German counts, and what is unsure is said")
  func german() throws {
    let found = try #require(guess(FigureReaderTests.german2))
    #expect(found.form.contains(#""decimal": ",""#) && found.form.contains(#""every": {"s": 5}"#))
    #expect(
      found.unsure.contains { $0.of == "Zeit" } && !found.form.contains("alice")
        && !found.form.contains("K-1"))
    #expect(try read(FigureReaderTests.german2).samples.count == 2)
  }

  @Test("of tables in several languages, by tabs, bars and lines")
  func languages() throws {
    let tables = [
      "Identifiant appel\tParticipant\tHorodatage\tPerte de paquets (%)\tGigue (ms)\tAller-retour (ms)\n"
        + "A\tpaul\t2026-11-20T10:00:00Z\t0.5\t6\t80\nA\tpaul\t2026-11-20T10:00:10Z\t0.5\t6\t80\n",
      "通话ID|用户|时间|丢包率(%)|抖动(ms)|往返时延(ms)\nA|李|2026-11-20 10:00:00|0.5|6|80\nA|李|2026-11-20 10:00:10|0.5|6|80\n",
      #"{"call":{"id":"A"},"peer":{"name":"z"},"@timestamp":1795168800,"in":{"packetLoss":0.005,"jitter":0.006,"rtt":0.08}}"#
        + "\n"
        + #"{"call":{"id":"A"},"peer":{"name":"z"},"@timestamp":1795168810,"in":{"packetLoss":0.005,"jitter":0.006,"rtt":0.08}}"#
        + "\n",
      "call,peer,ts,metric,value\nA,z,1795168800,loss_pct,0.5\nA,z,1795168800,jitter_ms,6\nA,z,1795168810,rtt_ms,80\n",
    ]
    for table in tables {
      let found = try read(table)
      let totals = try #require(found.totals[0], "\(table)")
      #expect(
        abs((totals.lossShare ?? 0) - 0.005) < 1e-9 && abs((totals.jitterMeanMs ?? 0) - 6) < 1e-9, "\(table)")
      #expect(totals.rttMs.map { abs($0 - 80) < 1e-9 } == true && found.facts[0]?.call == "A", "\(table)")
    }
  }

  // Without bounds these take an hour: the limit tells a hang, and measures nothing.
  @Test(
    "a table of many columns, deep or with long names has no form", .timeLimit(.minutes(1)),
    arguments: [
      (1...400).map { "metric\($0) value" }.joined(separator: ",") + "\n"
        + String(repeating: String(repeating: "7,", count: 399) + "7\n", count: 150),
      String(repeating: "{" + (1...300).map { "\"c\($0)\":\($0)" }.joined(separator: ",") + "}\n", count: 80),
      "{" + (1...8000).map { "\"k\($0)\":\($0)," }.joined() + "\"rows\":["
        + String(repeating: "{\"calls\":[{}]},", count: 8000) + "{}]}",
      "name,value\n"
        + (1...60).map { String(repeating: "e\u{301}\u{300}", count: 1500) + "\($0),1\n" }.joined(),
      String(repeating: "{\"a\":", count: 20_000) + "1" + String(repeating: "}", count: 20_000),
    ])
  func hostile(table: String) { #expect(guess(table) == nil) }

  @Test("doubts and marks of a form stand in the order of the columns")
  func order() throws {
    let names = ["audio", "video", "screen"].flatMap { ["\($0) in jitter", "\($0) out jitter"] }
    let rows = (0..<3).map { "A,2026-11-20T10:00:\(10 * $0 + 10)Z,1,2,3,4,5,6\n" }.joined()
    let found = try #require(guess("call,time,\(names.joined(separator: ","))\n" + rows))
    let told = found.unsure.map(\.of).filter(names.contains)
    #expect(told == names.filter(told.contains) && told.count > 2)
  }

  @Test("a column that only grows counts since the call began; a row without a step in time is a call")
  func grains() throws {
    let counters = "room,member,ts,packetsReceived,packetsLost,jitter\n"
    let rows = (1...5).map { "r,m,\(1_795_168_800 + 2 * $0),\(100 * $0),\($0),0.004\n" }.joined()
    let form = try #require(guess(counters + rows)).form
    #expect(
      form.contains(#""packets": {"of": "packetsReceived", "counts": "call"}"#)
        && form.contains(#""unit": "s""#))
    let calls =
      "id_llamada,agente,inicio,duracion_s,paquetes_recibidos,paquetes_perdidos\nL1,ana,2026-11-20 10:00:00,60,2970,30\nL2,eva,2026-11-20 11:00:00,60,3000,0\n"
    let found = try read(calls)
    #expect(found.samples.isEmpty && found.events.map { $0[.lossPercent] }.compactMap(\.self) == [1, 0])
  }

  @Test(
    "what has no figure is none",
    arguments: ["", "a,b\n1,2\n", "{}", "[1,2]", "name;age\nx;3\n", "\u{0}\u{1}", "loss"])
  func nothing(text: String) { #expect(guess(text) == nil) }

  @Test("a delay that may be one way is left out, and said")
  func delays() throws {
    let found = try #require(guess("call_id,ts,jitter_ms,latency_ms\na,1795168800,3,40\na,1795168805,3,40\n"))
    #expect(!found.form.contains("latency") && found.unsure.contains { $0.of == "latency_ms" })
  }

  private static let start = 1_795_168_800

  /// A table of two rows, five seconds apart.
  private func table(_ heading: String, _ row: String) -> String {
    "\(heading)\n\(row.replacing("TIME", with: "2026-11-20 10:00:00"))\n\(row.replacing("TIME", with: "2026-11-20 10:00:05"))\n"
  }

  @Test(
    "of the words of many languages",
    arguments: [
      "ID de llamada;Agente;Fecha y hora;Pérdida de paquetes [%];Fluctuación [ms];Ida y vuelta [ms]",
      "Chamada;Participante;Data/Hora;Perda de pacotes (%);Jitter (ms);Tempo de ida e volta (ms)",
      "Звонок;Участник;Время;Потери пакетов (%);Джиттер (мс);Круговая задержка (мс)",
      "Rozmowa;Uczestnik;Czas;Utrata pakietów (%);Jitter (ms);Czas RTT (ms)",
      "Gesprek;Deelnemer;Tijdstip;Pakketverlies (%);Jitter (ms);Retourtijd (ms)",
      "Samtal;Deltagare;Tidpunkt;Paketförlust (%);Jitter (ms);Rundresetid (ms)",
      "Hovor;Účastník;Čas;Ztráta paketů (%);Jitter (ms);RTT (ms)",
      "Çağrı;Katılımcı;Zaman;Paket kaybı (%);Jitter (ms);Gidiş-dönüş süresi (ms)",
      "通話ID;参加者;日時;パケットロス率（％）;ジッター（ミリ秒）;往復遅延（ミリ秒）",
      "통화ID;참가자;시간;패킷손실률(%);지터(ms);왕복시간(ms)",
    ])
  func words(heading: String) throws {
    let found = try read(table(heading, "A;z;TIME;0,5;6,5;80,5"))
    let totals = try #require(found.totals[0])
    #expect(totals.lossShare == 0.005 && totals.jitterMeanMs == 6.5 && totals.rttMs == 80.5)
    #expect(found.facts[0]?.call == "A" && found.facts[0]?.endpoint == "z")
  }

  @Test("figures that lie side by side are of their medium, way and end")
  func places() throws {
    let wide = try read(
      table(
        "call,user,ts,audio_loss_pct,video_loss_pct,video_fps,rx_packets,tx_packets",
        "A,z,TIME,0.5,1.5,24,250,245"))
    let streams = wide.streams.values.map { "\($0.facts.direction) \($0.facts.kind?.rawValue ?? "")" }
    #expect(streams.sorted() == ["inbound audio", "inbound video", "outbound audio"])
    let calls = try read(
      "uuid\tstarted_at\tended_at\tcaller\tcaller_loss_pct\tcallee_loss_pct\nw\t\(Self.start)\t\(Self.start + 60)\t1001\t0.5\t7.5\n"
    )
    let reports = calls.events.filter { $0.event == .mediaQualityReported }.map { $0[.lossPercent] }
    #expect(reports == [0.5, 7.5] && Set(calls.facts.values.map(\.endpoint)) == ["caller", "callee"])
    #expect(calls.facts[0]?.call == "w")
  }

  @Test("whole numbers of what was lost are counts beside packets, and per cent without")
  func lost() throws {
    let counts = try read(table("call,ts,rx_packets,rx_lost", "A,TIME,240,10"))
    #expect(counts.totals[0]?.lossShare == 0.04 && counts.totals[0]?.lost == 20)
    let shares = try read(table("call,ts,loss,jitter", "A,TIME,4,10"))
    #expect(shares.totals[0]?.lossShare == 0.04 && shares.totals[0]?.lost == nil)
    let none = (0..<5).map { "A,\(Self.start + 2 * $0),\(100 * $0),0\n" }.joined()
    let form = try #require(guess("call,ts,packets,packets_lost\n" + none)).form
    #expect(form.contains(#""lost": {"of": "packets_lost", "counts": "call"}"#), "nothing lost so far")
  }

  @Test("a title, comments and a row of units are no rows, and a day may stand beside its time")
  func surroundings() throws {
    let table = """
      # a report, of a night
      sep=,
      Date,Time,Call,User,Loss,Jitter
      -,-,-,-,%,ms
      11/20/2026,10:00:00 AM,A,z,0.5,6
      11/20/2026,10:00:05 AM,A,z,0.5,6

      """
    let found = try read(table)
    #expect(found.samples.map { $0.sample.timeMs } == [5, 10].map { Double(Self.start + $0) * 1000 })
    #expect(found.totals[0]?.lossShare == 0.005 && found.rejects.isEmpty)
  }

  @Test(
    "dates of which day and month may be taken for each other get a form, and are in doubt where no date shows it",
    arguments: [
      ("05/11/2026 10:00:00", ",", "dd/MM/yyyy HH:mm:ss", true),
      ("05/11/2026 10:00:00", ".", "MM/dd/yyyy HH:mm:ss", true),
      ("25/11/2026 10:00", ".", "dd/MM/yyyy HH:mm", false),
      ("11-25-2026, 10:00:00.250", ",", "MM-dd-yyyy, HH:mm:ss", false),
      ("11/05/2026 10:00:00 PM", ",", "MM/dd/yyyy hh:mm:ss a", true),
    ])
  func orders(date: String, decimal: String, form: String, isOpen: Bool) throws {
    let rows = ["A", "B"].map { "\($0);x;\(date);0\(decimal)5;6" }.joined(separator: "\n")
    let table = "call;user;fecha_hora;loss %;jitter ms\n\(rows)\n"
    let found = try #require(guess(table))
    #expect(found.form.contains("\"form\": \"\(form)\""), "\(found.form)")
    #expect(found.unsure.contains { $0.why.contains("the day or the month") } == isOpen)
    let read = try read(table)
    #expect(read.rejects.isEmpty && DatePattern(form)?.localMs(date) != nil)
  }

  @Test("scores that are on no scale of MOS are left out, and said")
  func oddScores() throws {
    let found = try #require(guess(table("MOS,loss %", "440,0.5")))
    #expect(!found.form.contains("MOS") && found.unsure.contains { $0.of == "MOS" })
  }

  @Test("values above the rows, lists in lines, and lists side by side")
  func nested() throws {
    func samples(_ name: String) -> String {
      #"{"name":"\#(name)","samples":[{"t":\#(Self.start),"lossPct":0.5},{"t":\#(Self.start + 5),"lossPct":0.5}]}"#
    }
    let above = try read(
      #"{"callId":"x","begun":\#(Self.start),"people":[\#(samples("a")),\#(samples("b"))]}"#)
    #expect(Set(above.facts.values.map(\.endpoint)) == ["a", "b"] && above.facts[0]?.call == "x")
    #expect(above.samples.count == 4)
    let series = try read(
      #"[{"callId":"y","user":"a","startTime":\#(Self.start),"interval_ms":5000,"lossPercent":[0.5,1.5],"jitterMs":[3,null]}]"#
    )
    #expect(series.samples.map { $0.sample.timeMs } == [5, 10].map { Double(Self.start + $0) * 1000 })
    #expect(series.totals[0]?.lossShare == 0.01 && series.totals[0]?.jitterMeanMs == 3)
  }

  @Test("durations of ISO 8601, and rows that are calls by their length and id")
  func isoCalls() throws {
    let found = try read(
      #"{"calls":[{"id":"q","startedAt":"2026-11-20T10:00:00Z","duration":"PT2M","quality":{"lossRatio":0.02,"jitter":"PT0.012S"}},{"id":"r","startedAt":"2026-11-20T10:05:00Z","duration":"PT0S","quality":null}]}"#
    )
    #expect(
      found.samples.isEmpty && found.facts.values.map(\.call).compactMap(\.self).sorted() == ["q", "r"])
    let report = try #require(found.events.first { $0.event == .mediaQualityReported })
    #expect(report[.jitterMs] == 12 && report[.lossPercent] == 2 && report[.durationS] == 120)
    #expect(found.events.contains { $0.event == .callCreated }, "nobody answered")
  }
}
