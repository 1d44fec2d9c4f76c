/// What an inspection found wrong: the first few findings and the number of all.
package struct Findings<Finding: CustomStringConvertible & Sendable>: Sendable {
  /// The first findings, no more than the limit.
  package private(set) var list: [Finding] = []
  /// The number of findings, those that are not listed among them.
  package private(set) var count = 0
  private let limit: Int

  package init(limit: Int = 10) {
    self.limit = limit
  }

  package var isEmpty: Bool { count == 0 }

  package mutating func add(_ finding: Finding) {
    count += 1
    if list.count < limit { list.append(finding) }
  }

  /// One sentence a finding, and one that counts those not listed.
  package var sentences: [String] {
    list.map(\.description) + (count > list.count ? ["and \(count - list.count) more"] : [])
  }
}
