import Basics
import SQLite

/// All checks of a store that a verification needs: the rules of the layout, the content and the
/// history.
///
/// ```swift
/// let inspection = StoreInspection(store: trial.store, layout: layout)
/// let sentences = try inspection.problems(expecting: expected, history: .recording)
/// guard sentences.isEmpty else { throw VerificationFailure(sentences) }
/// return Verification(digest: try inspection.digest())
/// ```
package struct StoreInspection: Sendable {
  package var store: StoreFile
  package let layout: StoreLayout
  /// Rules that the store may break, such as `missingIndex` if a strategy omits indexes.
  package var exceptions: Set<AuditRule> = []
  /// The attributes that contain paths of the app's own files, whose content counts as the value.
  package var pathAttributes: Set<PathAttribute> = []
  /// Whether the store may break a rule as often as the original does, as some real stores do.
  package var toleratesOldFaults = true
  /// Other violations that are allowed; each count is the maximum for its rule and location.
  package var knownFaults: [AuditFinding] = []
  /// The maximum number of findings listed per check.
  package var limit = 5

  package init(store: StoreFile, layout: StoreLayout) {
    self.store = store
    self.layout = layout
  }

  /// Returns one sentence per problem; empty if the store is as expected.
  ///
  /// If `history` is `nil`, the history is not checked.
  ///
  /// - Throws: ``Refusal`` if the store cannot be read.
  package func problems(
    expecting expected: ExpectedContent,
    history: ExpectedHistory? = .unchanged,
    comparing adjust: (inout ContentComparison) -> Void = { _ in }
  ) throws -> [String] {
    let (old, oldLayout) = (expected.original.store, expected.original.layout)
    let (found, compared) = try atOnce(
      { try brokenRules(since: old, oldLayout) },
      { Result { try differences(from: expected, history: history, comparing: adjust) } }
    )
    var broken = Findings<AuditFinding>(limit: limit)
    for finding in found { broken.add(finding) }
    // A store without the layout's tables cannot be compared; the audit has already reported it.
    let unreadable: Set<AuditRule> = [.damaged, .missingTable, .missingColumn]
    guard !found.contains(where: { unreadable.contains($0.rule) }) else { return broken.sentences }
    return broken.sentences + (try compared.get())
  }

  private func differences(
    from expected: ExpectedContent,
    history: ExpectedHistory?,
    comparing adjust: (inout ContentComparison) -> Void
  ) throws -> [String] {
    let actual = try StoreContent(store: store, layout: layout, pathAttributes: pathAttributes)
    var comparison = ContentComparison(expected: expected, actual: actual)
    adjust(&comparison)
    var sentences = try comparison.findings(limit: limit).sentences
    if let history {
      sentences += try HistoryComparison(expected: expected, actual: actual, history: history)
        .findings(limit: limit).sentences
    }
    return sentences
  }

  private func brokenRules(
    since original: StoreFile,
    _ originalLayout: StoreLayout
  ) throws -> [AuditFinding] {
    var audit = StoreAudit(store: store, layout: layout)
    audit.exceptions = exceptions
    audit.pathAttributes = pathAttributes
    let found = try audit.findings()
    guard !found.isEmpty else { return found }
    guard toleratesOldFaults else { return found.new(since: knownFaults) }
    var earlier = StoreAudit(store: original, layout: originalLayout)
    earlier.pathAttributes = pathAttributes
    return found.new(since: try earlier.findings() + knownFaults)
  }

  /// Returns the digest of the content; the options determine how objects are identified.
  package func digest(_ options: DigestOptions = .keys()) throws -> String {
    try StoreContent(store: store, layout: layout, pathAttributes: pathAttributes).digest(options)
      .total
  }
}

/// The first findings of an inspection and the number of all findings.
package struct Findings<Finding: CustomStringConvertible & Sendable>: Sendable {
  /// The first findings, up to the limit.
  package private(set) var list: [Finding] = []
  /// The number of all findings, including those not listed.
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

  /// One sentence per listed finding, followed by the number of unlisted findings.
  package var sentences: [String] {
    list.map(\.description) + (count > list.count ? ["and \(count - list.count) more"] : [])
  }
}

extension Refusal {
  package static func notUTF8(path: String, encoding: String) -> Refusal {
    Refusal.badInput(
      "cannot read '\(path)': its text is in \(encoding), and only UTF-8 is "
        + "supported"
    )
  }

  package static func unknownEntity(_ name: String) -> Refusal {
    Refusal.badInput("the model has no entity '\(name)' with objects of its own")
  }

  package static func unknownProperty(_ name: String, entity: String) -> Refusal {
    Refusal.badInput("the entity '\(entity)' keeps no property '\(name)' in the store")
  }

  /// The error for an entity whose properties differ from those of the expected model.
  package static func unlikeShapes(entity: String) -> Refusal {
    Refusal.badInput(
      "cannot compare the objects of '\(entity)': its properties in the store's "
        + "model differ from the expected model"
    )
  }
}
