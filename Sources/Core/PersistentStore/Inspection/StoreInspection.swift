import Basics
import SQLite

/// Everything that a verification asks of a store: its layout's rules, its content, its history.
///
///     let inspection = StoreInspection(store: trial.store, layout: layout)
///     let sentences = try inspection.problems(expecting: expected, history: .recording)
///     guard sentences.isEmpty else { throw VerificationFailure(sentences) }
///     return Verification(digest: try inspection.digest())
package struct StoreInspection: Sendable {
  package var store: StoreFile
  package let layout: StoreLayout
  /// Rules that the store may break, such as `missingIndex` where a strategy leaves indexes out.
  package var exceptions: Set<AuditRule> = []
  /// The attributes whose files are the content.
  package var pathAttributes: Set<PathAttribute> = []
  /// Whether rules that the original breaks may stay broken as often: real stores break some.
  package var toleratesOldFaults = true
  /// What the store may break beside that, in each place as often as stated here.
  package var knownFaults: [AuditFinding] = []
  /// Findings listed of each sort.
  package var limit = 5

  package init(store: StoreFile, layout: StoreLayout) {
    self.store = store
    self.layout = layout
  }

  /// One sentence for each thing wrong, none where all is as expected.
  ///
  /// Without an expected history the history does not matter. A store that cannot be read at all is
  /// an ``Refusal``.
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
    // What has not the layout's tables cannot be compared, and the audit has said so.
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

  /// The digest of the content, for ``DigestOptions``' standard of what counts.
  package func digest(_ options: DigestOptions = .keys()) throws -> String {
    try StoreContent(store: store, layout: layout, pathAttributes: pathAttributes).digest(options)
      .total
  }
}

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

  /// An entity whose properties are not those of the content expected.
  package static func unlikeShapes(entity: String) -> Refusal {
    Refusal.badInput(
      "cannot compare the objects of '\(entity)': its properties in the store's "
        + "model differ from the expected model"
    )
  }
}
