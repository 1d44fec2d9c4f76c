import Foundation
import TestSupport
import Testing

@testable import SQLLog

/// Tests that the rules in docs/analyze.md have the thresholds of the code.
@Suite struct RuleDocumentationTests {
  private let rows: [String: String]

  init() throws {
    let page = try String(contentsOfFile: Repository.path("docs/analyze.md"), encoding: .utf8)
    let table = page.components(separatedBy: "| Rule | Fires when").dropFirst().first ?? ""
    var rows: [String: String] = [:]
    for line in table.split(separator: "\n", omittingEmptySubsequences: false).dropFirst(2) {
      let cells = line.components(separatedBy: " | ")
      guard line.hasPrefix("| `"), cells.count == 4, cells[3].count > 10 else { break }
      rows[cells[0].filter { !"| `".contains($0) }] = cells[1]
    }
    self.rows = rows
  }

  @Test func `every rule has a row that states what it cannot see, and every row a rule`() {
    #expect(rows.keys.sorted() == FindingRule.allCases.map(\.rawValue).sorted())
  }

  private static func milliseconds(_ microseconds: Int) -> String {
    microseconds % 1000 == 0
      ? "\(microseconds / 1000) ms" : "\(Double(microseconds) / 1000) ms"
  }

  private static let slow =
    "1 ms per call or \(milliseconds(IndexRules.slowTotal)) in all"

  /// The phrases that each rule's row must contain, made from the declared thresholds.
  private static let phrases: [FindingRule: [String]] = [
    .faultsOneByOne: [
      "at least \(FaultRules.fewestFaults) objects",
      "\(FaultRules.fewestScattered) if other statements lie between them, "
        + "\(FaultRules.manyFaults) if one of those writes or fetches a single object",
      "one in \(FaultRules.fewestShare) rows of the fetch or \(FaultRules.screenFaults) "
        + "(\(FaultRules.manyFaults) and \(FaultRules.manyFaults * 2) in those two cases",
      "\(milliseconds(FaultRules.shortestTime)) or at least \(FaultRules.manyFaults)",
      "at most \(FaultRules.faultDistance) other statements and \(FaultRules.faultPause / 1_000_000) s",
    ],
    .toManyFaultsOneByOne: ["the same for to-many relationships"],
    .batchSizeWithoutEffect: [
      "at least \(FaultRules.fewestBatches) batches",
      "less than \(milliseconds(FaultRules.scrollingPause)) between batches",
    ],
    .unreadPrefetch: [
      "\(PrefetchRules.fewestEmptyPrefetches) prefetches for one fetch found nothing",
      "at least \(PrefetchRules.fewestPrefetched) objects",
    ],
    .wholeTableFetch: ["at least \(FetchRules.wholeTableRows) rows"],
    .fetchWithoutLimit: [
      "at least \(ListRules.longList) rows", "one in \(ListRules.workedShare) of its objects",
    ],
    .fetchesOneByOne: [
      "at least \(ListRules.fewestInALoop) values",
      "at most \(ListRules.loopDistance) other statements and "
        + "\(Double(ListRules.loopPause) / 1e6) s",
    ],
    .repeatedFetch: [
      "at least \(FetchRules.fewestRepeats) times",
      "at most \(FetchRules.repeatDistance) statements and \(FetchRules.repeatPause / 1_000_000) s",
    ],
    .fetchAfterEverySave: [
      "at least \(Int(FetchRules.followingShare * 100)) % of at least \(FetchRules.fewestSaves) saves",
      "at least \(FetchRules.fewestInARow) saves in a row",
    ],
    .unindexedSort: [
      "at least \(IndexRules.sortedRows) rows or takes \(milliseconds(IndexRules.slowTotal)) in all"
    ],
    .unindexedPredicate: ["level 4", "at least 1,000 objects", slow],
    .wrongIndex: ["level 4"],
    .unusedIndex: [
      "at least \(IndexRules.fewestWrites) writes",
      "at least \(IndexRules.fewestFetches) fetches",
    ],
    .textSearch: [
      "at least 1,000 objects", slow,
      "\(IndexRules.fewestSearches) whose results fill a limit of at least \(IndexRules.longResult) rows",
    ],
    .oneSavePerObject: [
      "at least \(SaveRules.fewestSaves) saves in a row write one object",
      "at most \(SaveRules.pause / 1_000_000) s apart",
    ],
    .blobsWithRows: [
      "at least \(IndexRules.fewestBlobs) rows", "\(IndexRules.largeBlob / 1024) KiB or more",
    ],
    .maintenanceAfterSaves: [
      "at least \(SaveRules.fewestMaintenance) checkpoints and vacuums",
      "at least \(SaveRules.maintenanceShare) per save",
    ],
    .mainThread: [
      "one statement of \(milliseconds(SaveRules.slowStatement))",
      "\(milliseconds(SaveRules.longSecond)) within one second",
      "\(SaveRules.fewestPauses) pauses of \(SaveRules.pause / 1_000_000) s",
    ],
  ]

  @Test(arguments: FindingRule.allCases)
  func `a row states the declared thresholds and no other number`(rule: FindingRule) throws {
    #expect((IndexRules.fewestRows, IndexRules.slowCall) == (1_000, 1_000))
    let row = try #require(rows[rule.rawValue])
    let phrases = try #require(Self.phrases[rule])
    var rest = row
    for phrase in phrases {
      #expect(row.contains(phrase), "'\(phrase)' is not in: \(row)")
      rest = rest.replacing(phrase, with: "")
    }
    #expect(!rest.contains { $0.isNumber }, "\(rest)")
  }
}
