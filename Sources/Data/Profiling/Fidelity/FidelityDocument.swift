/// A fidelity report as a document for programs, with what was compared.
package struct FidelityDocument: Encodable {
  private struct Entry: Encodable {
    let entity: String
    let property: String
    let aspect: FidelityReport.Aspect
    let distance: Double
    let limit: Double
    let differs: Bool
  }

  private let original: String
  private let other: String
  private let k: Int
  private let isClean: Bool
  private let comparisons: [Entry]
  private let missing: [String]
  private let unknown: [String]

  /// Names the stores by their paths, and the fewest objects that a number rests on.
  package init(_ report: FidelityReport, original: String, other: String, k: Int) {
    self.original = original
    self.other = other
    self.k = k
    isClean = report.isClean
    comparisons = report.comparisons.map {
      Entry(
        entity: $0.entity,
        property: $0.property,
        aspect: $0.aspect,
        distance: $0.distance,
        limit: $0.limit,
        differs: $0.differs
      )
    }
    missing = report.missing
    unknown = report.unknown
  }
}
