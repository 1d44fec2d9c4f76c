/// Everything that a verification asks of a store: its layout's rules, its content, its history.
///
///     let inspection = StoreInspection(store: trial.store, layout: layout)
///     let sentences = try inspection.problems(expecting: expected, history: .recording)
///     guard sentences.isEmpty else { throw VerificationFailure(sentences) }
///     return Verification(digest: try inspection.digest())
package struct StoreInspection {
  package let store: StoreFile
  package let layout: StoreLayout
  /// Rules that the store may break, such as `missingIndex` where a strategy leaves indexes out.
  package var exceptions: Set<AuditRule> = []
  /// The attributes whose files are the content.
  package var pathAttributes: Set<PathAttribute> = []
  /// Whether rules that the original breaks may stay broken as often: real stores break some.
  package var toleratesOldFaults = true
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
    let found = try brokenRules(since: expected.original)
    var broken = Findings<AuditFinding>(limit: limit)
    for finding in found { broken.add(finding) }
    // What has not the layout's tables cannot be compared, and the audit has said so.
    let unreadable: Set<AuditRule> = [.damaged, .missingTable, .missingColumn]
    guard !found.contains(where: { unreadable.contains($0.rule) }) else { return broken.sentences }
    let actual = try StoreContent(store: store, layout: layout, pathAttributes: pathAttributes)
    var comparison = ContentComparison(expected: expected, actual: actual)
    adjust(&comparison)
    var sentences = broken.sentences + (try comparison.findings(limit: limit).sentences)
    if let history {
      sentences += try HistoryComparison(expected: expected, actual: actual, history: history)
        .findings(limit: limit).sentences
    }
    return sentences
  }

  private func brokenRules(since original: StoreContent) throws -> [AuditFinding] {
    var audit = StoreAudit(store: store, layout: layout)
    audit.exceptions = exceptions
    audit.pathAttributes = pathAttributes
    let found = try audit.findings()
    guard toleratesOldFaults, !found.isEmpty else { return found }
    return found.new(
      since: try StoreAudit(store: original.store, layout: original.layout).findings()
    )
  }

  /// The digest of the content, for ``DigestOptions``' standard of what counts.
  package func digest(_ options: DigestOptions = DigestOptions()) throws -> String {
    try StoreContent(store: store, layout: layout, pathAttributes: pathAttributes).digest(options)
      .total
  }
}
