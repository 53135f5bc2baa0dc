import Bytes
import CallModel
import IO
import Testing

@testable import EventLogs

@Suite("Rows of many calls in turn")
struct RowsByCallTests {
  /// Two calls of one table over the hour that comes twice.
  private static let table = """
    CallRef;Teilnehmer;Zeit;Verlust (%);Jitter (ms);MOS
    K-2;bob;25.10.2026 02:59:50;0,2;5,5;
    K-1;alice;25.10.2026 02:59:55;0,2;6,5;
    K-2;bob;25.10.2026 02:00:05;0,2;7,5;
    K-1;alice;25.10.2026 02:00:10;0,2;8,5;
    K-1;alice;nie;0,2;9,5;

    """

  @Test("a call is given whole, and is over before the next one", arguments: [1, Int.max])
  func order(piece: Int) throws {
    let sink = try FigureReaderTests.read(Self.table, FigureReaderTests.german, piece: piece)
    #expect(sink.samples.map { $0.sample[.jitterMs] } == [6.5, 8.5, 5.5, 7.5])
    #expect(
      sink.settled.filter { $0 > 0 } == [2, 4], "samples given before each end of a call"
    )
    #expect(sink.totals.count == 2)
    #expect(sink.postponed == 5, "so that a table is not taken for a log without records while it is sorted")
    #expect(sink.rejects.map(\.line) == [6])
  }

  @Test("an hour that comes twice is told by the rows before it in the table, of whatever call")
  func twice() throws {
    let sink = try FigureReaderTests.read(Self.table, FigureReaderTests.german)
    let times = sink.samples.map(\.sample.timeMs).sorted()
    #expect(times.map { $0 - times[0] } == [0, 5000, 15_000, 20_000])
  }

  @Test("documents of many calls keep their lines")
  func documents() throws {
    func row(_ call: String, _ second: Int, _ more: String = "") -> String {
      #"{"callId":"\#(call)","peer":"p","ts":\#(FigureReaderTests.start + 1000 * Double(second)),"kind":"audio","dir":"in","received":\#(50 * second),"lost":0\#(more)}"#
    }
    let lines = [row("b", 1), row("a", 1), "[", row("b", 2), row("a", 2)]
    let sink = try FigureReaderTests.read(lines.joined(separator: "\n"), FigureReaderTests.counted)
    #expect(sink.samples.map { $0.sample[.packets] } == [50, 100, 50, 100])
    #expect(sink.samples.map(\.stream) == [0, 0, 1, 1])
    #expect(sink.facts[0]?.call == "a" && sink.rejects.map(\.line) == [3])
  }

  /// A source that cannot be read beyond its text.
  private final class CutOff: ByteSource {
    private let text: MemoryBytes

    init(_ text: String) { self.text = MemoryBytes(text) }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
      let count = text.read(into: buffer)
      if count == 0 { throw SourceError(.tooLarge, "enough") }
      return count
    }

    func lend() throws -> UnsafeRawBufferPointer? { nil }
  }

  @Test("of a source that ends with an error the rows before it are taken", arguments: [true, false])
  func cutOff(isTable: Bool) throws {
    let sink = FigureSink()
    let form = try FigureReaderTests.form(isTable ? FigureReaderTests.german : FigureReaderTests.counted)
    let row =
      #"{"callId":"b","peer":"p","ts":\#(FigureReaderTests.start),"kind":"audio","dir":"in","received":50,"lost":0}"#
    var reader = FigureReader(
      sink: sink, forms: SummaryForms([form]), codes: CodeTable(), options: ReaderOptions(fileName: "a.csv"))
    #expect(throws: SourceError(.tooLarge, "enough")) {
      try reader.read(CutOff(isTable ? Self.table : row + "\n" + row + "\n"))
    }
    #expect(sink.samples.count == (isTable ? 4 : 2) && !sink.totals.isEmpty)
  }
}
