import Basics
import DataModel
import PersistentStore
import SQLLog
import SQLite

/// The fix of one finding, as a change to the log's statements or to the store's indexes.
package struct ReplayFix: Hashable, Sendable {
  package let rule: FindingRule
  /// The first log line of the finding's evidence, or the name of the index that the finding is
  /// about.
  package let place: String

  /// Creates the fix of a finding; `nil` if a replay cannot show its effect.
  package init?(_ finding: Finding) {
    let place = finding.index.isEmpty ? finding.lines.first.map(String.init) : finding.index
    guard Self.obstacle(of: finding.rule) == nil, let place else { return nil }
    (rule, self.place) = (finding.rule, place)
  }

  /// Parses a fix from a string of the form `RULE@LINE`.
  init?(_ text: String) {
    let parts = text.split(separator: "@", maxSplits: 1).map(String.init)
    guard parts.count == 2, let rule = FindingRule(rawValue: parts[0]),
      Self.obstacle(of: rule) == nil, rule == .unusedIndex || Int(parts[1]) != nil
    else { return nil }
    (self.rule, place) = (rule, parts[1])
  }

  package var name: String { "\(rule.rawValue)@\(place)" }

  var changesStore: Bool {
    [.unindexedPredicate, .unindexedSort, .wrongIndex, .unusedIndex].contains(rule)
  }

  /// The reason why a replay cannot show the savings of a fix; `nil` if it can.
  package static func obstacle(of rule: FindingRule) -> String? {
    switch rule {
    case .textSearch: "a different kind of search finds different objects"
    case .maintenanceAfterSaves: "the log shows no statements for it"
    case .mainThread: "the same statements would run, on another thread"
    default: nil
    }
  }

  /// The description of the replay with the fix, such as `with the index`.
  package var comparison: String {
    switch rule {
    case .faultsOneByOne, .toManyFaultsOneByOne: "with the relationship prefetched"
    case .batchSizeWithoutEffect: "with all rows in one fetch"
    case .unreadPrefetch: "without the prefetch"
    case .wholeTableFetch, .fetchWithoutLimit:
      "with a batch size of \(FixedScript.screen) and one batch read"
    case .fetchesOneByOne: "with one fetch for all values"
    case .repeatedFetch, .fetchAfterEverySave: "with the fetch run once"
    case .unindexedSort: "with a binary order and an index"
    case .unindexedPredicate, .wrongIndex: "with the index"
    case .unusedIndex: "without the index"
    case .oneSavePerObject: "with one save for all of them"
    case .blobsWithRows: "without the binary data in the fetch"
    case .textSearch, .maintenanceAfterSaves, .mainThread: ""
    }
  }

  /// The script after the fix, with its changes to the store's indexes.
  func applied(to script: ReplayScript, _ schema: ReplaySchema) throws -> FixedScript {
    var fixed = FixedScript(script, schema)
    try apply(to: &fixed)
    return fixed
  }

  /// The script after several fixes, applied in the order of the log's lines.
  ///
  /// Fixes that an earlier fix made unnecessary are left out. Findings are sorted by measured
  /// times; in that order, the combined savings would vary between runs.
  static func applied(
    _ fixes: [ReplayFix],
    to script: ReplayScript,
    _ schema: ReplaySchema
  ) throws -> FixedScript {
    let rules = Set(fixes.map(\.rule))
    var fixed = FixedScript(script, schema)
    var (count, failure): (Int, (any Error)?) = (0, nil)
    for fix in fixes.sorted(by: {
      (Int($0.place) ?? .max, $0.name) < (Int($1.place) ?? .max, $1.name)
    }) {
      // A whole-table fetch and a fetch without a limit have the same fix, which is to fetch in
      // batches, so apply it only once.
      if fix.rule == .wholeTableFetch, rules.contains(.fetchWithoutLimit) { continue }
      do {
        try fix.apply(to: &fixed)
        count += 1
      } catch {
        failure = failure ?? error
      }
    }
    if count == 0, let failure { throw failure }
    return fixed
  }

  private func apply(to fixed: inout FixedScript) throws {
    let script = fixed.script
    let changes = fixed.changes
    if rule == .unusedIndex {
      fixed.drop(place)
      return
    }
    let step = script.place(ofLine: Int(place) ?? -1)
    guard step >= 0 else {
      throw Refusal(.badInput, "no replayed statement starts at the line in '\(name)'")
    }
    let statement = script.steps[step].statement
    switch rule {
    case .faultsOneByOne: fixed.prefetchObjects(instead: statement)
    case .toManyFaultsOneByOne: fixed.prefetchRelationship(instead: statement)
    case .batchSizeWithoutEffect: fixed.fetchWhole(instead: statement)
    case .unreadPrefetch: fixed.remove { $0.statement == statement }
    case .wholeTableFetch, .fetchWithoutLimit: fixed.fetchScreen(instead: statement)
    case .fetchesOneByOne: fixed.mergeLookUps(of: statement)
    case .repeatedFetch: fixed.removeRepeats(of: statement)
    case .fetchAfterEverySave: fixed.removeFetchesAfterSaves(statement)
    case .unindexedSort: fixed.sortByIndex(statement)
    case .unindexedPredicate, .wrongIndex: fixed.index(statement)
    case .oneSavePerObject: fixed.mergeSaves(from: step)
    case .blobsWithRows: fixed.leaveOutBlobs(of: statement)
    case .unusedIndex, .textSearch, .maintenanceAfterSaves, .mainThread: break
    }
    guard fixed.changes > changes else {
      throw Refusal(
        .badInput,
        "'\(name)' changes no statement of the log: after '@', give a line of the finding"
      )
    }
  }
}
