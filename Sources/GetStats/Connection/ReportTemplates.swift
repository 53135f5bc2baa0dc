/// The templates of a source's reports, each at a place that follows from the report; of two reports that share one, it is
/// whose was read last.
final class ReportTemplates {
  private static let places = 512
  private let templates = UnsafeMutablePointer<UnsafeMutablePointer<ReportTemplate>?>.allocate(
    capacity: places)
  private var owners = 0

  init() { templates.initialize(repeating: nil, count: Self.places) }

  deinit {
    for place in 0..<Self.places {
      templates[place]?.deinitialize(count: 1)
      templates[place]?.deallocate()
    }
    templates.deallocate()
  }

  /// The template of a report; good for as long as these are.
  func template(of report: Report) -> UnsafeMutablePointer<ReportTemplate> {
    let place = report.templatePlace & (Self.places - 1)
    return templates[place] ?? make(at: place)
  }

  /// A number that no owner had.
  func newOwner() -> Int {
    owners += 1
    return owners
  }

  private func make(at place: Int) -> UnsafeMutablePointer<ReportTemplate> {
    let template = UnsafeMutablePointer<ReportTemplate>.allocate(capacity: 1)
    template.initialize(to: ReportTemplate())
    templates[place] = template
    return template
  }
}
