import Basics
import SQLite

/// Everything that a verification asks of a store: its layout's rules, its content, its history.
///
///     let inspection = StoreInspection(store: trial.store, layout: layout)
///     let sentences = try inspection.problems(expecting: expected, history: .recording)
///     guard sentences.isEmpty else { throw VerificationFailure(sentences) }
///     return Verification(digest: try inspection.digest())
package struct StoreInspection: Sendable {
  package let store: StoreFile
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
  /// an ``InspectionError``.
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
    let old =
      toleratesOldFaults
      ? try StoreAudit(store: original, layout: originalLayout).findings() : []
    return found.new(since: old + knownFaults)
  }

  /// The digest of the content, for ``DigestOptions``' standard of what counts.
  package func digest(_ options: DigestOptions = DigestOptions()) throws -> String {
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

/// Why a store's content cannot be read or compared.
package enum InspectionError: Error, Hashable, Sendable, CustomStringConvertible {
  case cannotOpen(path: String, reason: SQLiteError)
  case noSuchFile(path: String)
  case notUTF8(path: String, encoding: String)
  case noTable(String, path: String)
  case noColumn(String, table: String, path: String)
  case unknownEntity(String)
  case unknownProperty(String, entity: String)
  /// Entities that share a table where their objects come from several.
  case splitOrigin(table: String)
  /// An entity whose properties are not those of the content expected.
  case unlikeShapes(entity: String)
  /// The layout that the store was written by is not the one that verification derives.
  case otherLayout([String])

  package var description: String {
    switch self {
    case .cannotOpen(let path, let reason): "cannot read '\(path)': \(reason)"
    case .noSuchFile(let path): "no such file: '\(path)'"
    case .notUTF8(let path, let encoding):
      "cannot read '\(path)': its text is in \(encoding), and only UTF-8 is supported"
    case .noTable(let table, let path):
      "cannot read '\(path)': it has no table '\(table)', so it does not match the model"
    case .noColumn(let column, let table, let path):
      "cannot read '\(path)': its table '\(table)' has no column '\(column)', so it does not match "
        + "the model"
    case .unknownEntity(let name): "the model has no entity '\(name)' with objects of its own"
    case .unknownProperty(let name, let entity):
      "the entity '\(entity)' keeps no property '\(name)' in the store"
    case .unlikeShapes(let entity):
      "cannot compare the objects of '\(entity)': its properties in the store's model differ from "
        + "the expected model"
    case .otherLayout(let differences):
      "internal error: the layout was derived in two ways that differ: "
        + differences.prefix(3).joined(separator: "; ")
        + (differences.count > 3 ? "; and \(differences.count - 3) more" : "")
    case .splitOrigin(let table):
      "cannot expect objects in '\(table)': they come from more than one table of the original"
    }
  }
}
