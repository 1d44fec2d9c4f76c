import Basics
import Forecasting
import Foundation

/// A text file in `Evidence/Results` that the documentation shows and that is computed from data.
struct DerivedText {
  /// The file's path relative to `Evidence/Results`.
  let path: String
  let lines: @Sendable (_ data: String) throws -> [String]

  func text(from data: String) throws -> String {
    try lines(data).joined(separator: "\n").trimmingCharacters(in: .newlines) + "\n"
  }

  func fault(than text: String, in data: String) throws -> FigurePage.Fault? {
    let wanted = text.components(separatedBy: "\n")
    let file = "\(data)/\(path)"
    guard let found = try? String(contentsOfFile: file, encoding: .utf8) else {
      throw FigureError.noFile(file)
    }
    let own = found.components(separatedBy: "\n")
    guard own != wanted else { return nil }
    let index = zip(own, wanted).enumerated().first { $1.0 != $1.1 }?.offset
    let line = index ?? min(own.count, wanted.count)
    let should = line < wanted.count ? wanted[line] : "nothing"
    return FigurePage.Fault(
      page: "Evidence/Results/\(path)",
      line: line + 1,
      message: "differs from the data: they give \(should)"
    )
  }

  static let all = evidence + forecasts + claims + kills

  private static let evidence = [
    DerivedText(path: "truth/evidence.txt") {
      try EvidenceReport(TruthLedgers(folder: $0 + "/truth")).lines
    },
    DerivedText(path: "truth/earlier/evidence.txt") {
      try EvidenceReport(TruthLedgers(folder: $0 + "/truth/earlier")).lines
    },
    DerivedText(path: "truth/rules.txt") {
      TruthReport.rules(try TruthLedgers(folder: $0 + "/truth").traces.records())
    },
    DerivedText(path: "findings/verdicts.txt") {
      try FindingsBench.report(on: $0 + "/findings/trials.csv.gz").lines
    },
  ]

  private static let forecasts =
    ["forecast", "forecast/sixth"].map { path in
      DerivedText(path: path + "/registered.txt") {
        let folder = RegisteredFolder(path: "\($0)/\(path)")
        return try folder.lines(of: folder.judged())
      }
    } + ["first", "fourth"].flatMap(earlierDraw)

  /// The texts about a draw of migrations whose forecasting method has changed since it was frozen.
  ///
  /// The stored verdicts are kept, and the current method's verdicts are shown next to them.
  private static func earlierDraw(_ name: String) -> [DerivedText] {
    let path = "forecast/" + name
    return [
      DerivedText(path: path + "/registered.txt") {
        let folder = RegisteredFolder(path: "\($0)/\(path)")
        let stored = try folder.verdicts(of: .time).records()
        return RegisteredReport(cases: try folder.cases(), verdicts: stored).lines
      },
      DerivedText(path: path + "/changed.txt") {
        let folder = RegisteredFolder(path: "\($0)/\(path)")
        let judged = try folder.judged()
        let report = RegisteredReport(cases: try folder.cases(), verdicts: judged[.time] ?? [])
        return Array(report.summary.prefix(4))
      },
    ]
  }

  private static let claims = ["120s", "12s"].map { budget in
    DerivedText(path: "claims/\(budget)/verdicts.txt") {
      let ledger = Ledger<ClaimRecord>(path: "\($0)/claims/\(budget)/verdicts.csv")
      return [ClaimsReport(records: try ledger.records()).summary]
    }
  }

  /// The first lines and the totals of the logs of `make -C Evidence kills`.
  private static let kills = ["kills", "full-disk"].map { name in
    DerivedText(path: "kills/\(name).txt") {
      let log = try String(contentsOfFile: "\($0)/kills/\(name).log", encoding: .utf8)
        .components(separatedBy: "\n")
      return Array(log.prefix(2) + log.drop { !$0.hasPrefix("killed before") })
    }
  }
}
