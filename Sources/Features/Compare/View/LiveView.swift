import Basics
import Foundation
import Reporting
import Runner

extension LiveResult {
  package static let fileName = "live.json.gz"

  /// Writes the result as JSON and as an HTML page, each atomically; the folder must exist.
  package func write(to folder: RunFolder) throws {
    let bytes = try Gzip.compress(Array(jsonText(isPretty: false).utf8))
    try AtomicFile.write(to: "\(folder.path)/\(Self.fileName)") { try $0(bytes[...]) }
    try folder.writeReport(report.html)
  }

  /// A report of the changes by workload, with the intervals that decided them.
  package var report: Report {
    var verdict: Report.Text = "\(summary)\(isInterrupted ? "; interrupted" : "")."
    if let warning = environment?.debugWarning { verdict = verdict + " Caution: " + warning + "." }
    var report = Report(
      kind: "live comparison · \(title)",
      title: Report.Text(headline),
      verdict: verdict,
      tone: exitStatus() == 0 ? .good : .bad,
      facts: [
        .init("Compared", Report.Text("\(title); a change is that of \(head)")),
        .init("Time", "\(Figures.minutes(seconds)) of a budget of \(Figures.minutes(budget))"),
        .init("Seed", "\(seed)"),
      ] + (environment?.reportFacts() ?? []),
      source: "the live comparison"
    )
    (report.certainty, report.next, report.notMeasured) = (certainty, next, .notOnDevices)
    report.findings = causes.map { .init(Report.Text("Cause: \($0.text)")) }
    let groups = Dictionary(grouping: zip(cases, decidingIntervals), by: { $0.0.workload })
    report.sections = workloads.map { section(of: $0, groups[$0] ?? []) }
    let lists = missing.map { Report.Text("\($0.id): only in \($0.side)") }
    if !lists.isEmpty { report.sections.append(.init("Cases of one side", [.list(lists)])) }
    report.sections.append(.init("How to read this", notes.map { .note(Report.Text($0)) }))
    return report
  }

  var title: String { "\(head) against \(base)" }

  var workloads: [String] {
    cases.reduce(into: []) { if !$0.contains($1.workload) { $0.append($1.workload) } }
  }

  var missing: [(id: String, side: String)] {
    [(base, onlyInBase), (head, onlyInHead)].flatMap { side, ids in ids.map { ($0, side) } }
  }

  private var headline: String {
    let verdicts = cases.compactMap(\.verdict)
    let all = Figures.counted(cases.count, "case")
    let failed = cases.count - verdicts.count
    let slower = verdicts.count(where: \.isRegression)
    let open = verdicts.count { !$0.isDecided }
    if failed > 0 { return "\(failed) of \(all) failed" }
    if slower > 0 { return "\(slower) of \(all) got slower" }
    if open > 0, open == cases.count { return "Not known whether any case got slower" }
    let hasSmallRise = verdicts.contains { verdict in
      if case .changed(let estimate, _, true) = verdict { estimate > 0 } else { false }
    }
    return "No case got slower"
      + (hasSmallRise ? " by \(Figures.percent(policy.floor)) or more" : "")
      + (open > 0 ? ", but for \(open) of \(cases.count) the verdict is 'cannot tell'" : "")
  }

  private var certainty: Report.Text? {
    let blocks = cases.map(\.blocks.count)
    guard let least = blocks.min(), let most = blocks.max(), most > 0 else { return nil }
    return
      "\(least == most ? "" : "\(least) to ")\(Figures.counted(most, "block")) of each case; any false alarm among all of them has a probability of at most \(Figures.percent(policy.suiteLevel))."
  }

  private var next: Report.Text {
    let verdicts = cases.compactMap(\.verdict)
    if verdicts.count < cases.count { return "Repair the failed cases: what failed has no time." }
    if verdicts.contains(where: \.isRegression) {
      return
        "Decide whether what got slower is worth it; the causes, where some were found, are below."
    }
    return verdicts.contains { !$0.isDecided }
      ? "Where it cannot tell, compare for a longer time." : "Nothing has to be done."
  }

  var summary: String {
    let words = [
      "slower", "faster", "changed below the floor", "unchanged", "cannot tell", "failed",
    ]
    let counts = Dictionary(cases.map { ($0.word, 1) }, uniquingKeysWith: +)
    return Figures.counted(cases.count, "case") + ": "
      + words.compactMap { word in counts[word].map { "\($0) \(word)" } }.joined(separator: ", ")
  }

  private func section(
    of workload: String,
    _ cases: [(LiveCaseResult, ChangeInterval?)]
  ) -> Report.Section {
    let parameters = cases.map { $0.0.parameters }
    let common =
      cases.count > 1
      ? parameters[0].filter { name in
        parameters.allSatisfy { $0.contains(name) }
      } : []
    func name(of found: LiveCaseResult) -> String {
      let own = found.parameters.filter { !common.contains($0) }
      return own.isEmpty ? found.id : own.joined(separator: ",")
    }
    let rows = cases.compactMap { found, interval -> ForestChart.Row? in
      guard found.verdict != nil, let interval else { return nil }
      return ForestChart.Row(
        label: name(of: found),
        change: found.change,
        interval: interval.lower...max(interval.upper, interval.lower),
        verdict: found.word,
        tone: verdict(of: found).tone
      )
    }
    var section = Report.Section(
      workload,
      question: Report.Text("Does \(head) take longer than \(base)?")
    )
    if !common.isEmpty {
      section.blocks.append(.note("Every case: \(common.joined(separator: ", "))"))
    }
    if !rows.isEmpty {
      let chart = ForestChart(
        title: "Change of time: \(workload)",
        rows: rows,
        margin: -policy.margin...policy.margin
      )
      section.blocks.append(.chart(.init("Change of time", isWide: true, chart)))
    }
    section.blocks.append(
      .table(
        [
          .init("Case"), .init("Verdict"), .init("Change", .number),
          .init("Interval", .number), .init("Blocks", .number), .init("Variation", .share),
        ],
        rows: cases.map { found, interval in
          [
            .text(name(of: found)), verdict(of: found),
            .text(found.blocks.isEmpty ? "–" : Self.signed(found.change)),
            .text(interval.map(Self.text) ?? "–"), .number(found.blocks.count),
            .number(found.scatter, or: "–"),
          ]
        }
      )
    )
    return section
  }

  private func verdict(of found: LiveCaseResult) -> Report.Cell {
    let words: String
    let tone: Report.Tone
    switch found.finding {
    case .failed(let cause): return .text("FAILED: \(cause)", .bad)
    case .verdict(.changed(let estimate, _, let isBelowFloor)):
      words = found.word
      tone = isBelowFloor ? .plain : estimate > 0 ? .bad : .good
    case .verdict(.unchanged): (words, tone) = (found.word, .plain)
    case .verdict(.cannotTell(let shortfall)):
      (words, tone) = ("cannot tell\(text(of: shortfall))", .caution)
    }
    let limits =
      (found.slicing == .coarse ? ", coarse" : "")
      + (found.notColdBlocks > 0 ? ", NOT COLD in \(found.notColdBlocks)" : "")
    return .text(words + limits, tone)
  }

  private func text(of shortfall: Shortfall) -> String {
    guard let seconds = shortfall.seconds else { return ": too few blocks" }
    if shortfall.isOutOfReach(budget: budget, policy: policy) { return ", not on this machine" }
    return ", needs about "
      + Figures.upward(seconds, ["more seconds", "more minutes", "more hours"])
  }

  private var notes: [String] {
    func level(_ share: Double) -> String { "\(((share * 10_000).rounded() / 100).shortest) %" }
    var notes = [
      "Wall time, head relative to base: 'slower' or 'faster' if the interval lies on one side of "
        + "zero, 'unchanged' if it lies within the margin of \(level(policy.margin)). It is the interval "
        + "that decides, and valid at any stopping time.",
      "Changes below \(level(policy.floor)) do not fail the comparison; probability of any false "
        + "alarm among \(Figures.counted(cases.count, "case")): at most \(level(policy.suiteLevel)); "
        + "'unchanged' is wrong for at most \(level(policy.equivalenceLevel)) of larger changes.",
    ]
    if let inPairs = Summary(of: cases.compactMap(\.orderEffect))?.p50 {
      notes.append(
        "Time slices took \(Self.signed(inPairs)) after a slice of the other side; this affects both "
          + "sides equally."
      )
    }
    if cases.contains(where: { $0.slicing == .coarse && !$0.hasFailed }) {
      notes.append(
        "coarse: the work cannot be cut into time slices, so its times contain all noise of the "
          + "machine"
      )
    }
    return notes
  }

  static func signed(_ share: Double) -> String {
    guard share.isFinite else { return share < 0 ? "-∞" : "+∞" }
    return (share < 0 ? "-" : "+") + Figures.percent(abs(share))
  }

  static func text(_ interval: ChangeInterval) -> String {
    "\(signed(interval.lower)) to \(signed(interval.upper))"
  }
}

extension LiveCaseResult {
  fileprivate var word: String {
    switch verdict {
    case .changed(let estimate, _, let isBelowFloor)?:
      isBelowFloor ? "changed below the floor" : estimate > 0 ? "slower" : "faster"
    case .unchanged?: "unchanged"
    case .cannotTell?: "cannot tell"
    case nil: "failed"
    }
  }

  fileprivate var parameters: [String] {
    let prefix = workload + "/"
    guard id.hasPrefix(prefix) else { return [] }
    return id.dropFirst(prefix.count).split(separator: ",").map(String.init)
  }

  private var comparison: SequentialComparison {
    var comparison = SequentialComparison(policy: LivePolicy())
    for block in blocks { comparison.add(block.logRatio) }
    return comparison
  }

  /// The median change: the head's time divided by the base's, minus 1.
  var change: Double { exp(comparison.median) - 1 }
}

extension LiveResult: Encodable {
  /// Encodes every block of measurements with its random side assignment, so that readers of the
  /// file can recompute the verdicts.
  package func encode(to encoder: any Encoder) throws {
    let object: JSONObject = [
      "version": Self.currentVersion, "base": base, "head": head, "seed": seed, "budget": budget,
      "seconds": seconds, "isInterrupted": isInterrupted, "margin": policy.margin,
      "floor": policy.floor, "suiteLevel": policy.suiteLevel,
      "equivalenceLevel": policy.equivalenceLevel, "environment": environment,
      "cases": zip(cases, decidingIntervals).map { $0.json(decidedBy: $1) },
      "causes": causes.map(\.text), "onlyInBase": onlyInBase, "onlyInHead": onlyInHead,
    ]
    try object.encode(to: encoder)
  }
}

extension LiveCaseResult {
  fileprivate func json(decidedBy deciding: ChangeInterval?) -> JSONObject {
    let object: JSONObject = [
      "id": id, "baseID": baseID, "slicing": slicing, "iterationsPerSlice": iterationsPerSlice,
      "blocks": blocks, "decidingLower": deciding?.lower.ifFinite,
      "decidingUpper": deciding?.upper.ifFinite,
    ]
    func verdict(_ name: String, _ interval: ChangeInterval) -> JSONObject {
      ["verdict": name, "lower": interval.lower.ifFinite, "upper": interval.upper.ifFinite]
    }
    switch finding {
    case .failed(let cause): return object.merging(["verdict": "failed", "failure": cause])
    case .verdict(.changed(let estimate, let interval, let isBelowFloor)):
      let name = isBelowFloor ? "changedBelowFloor" : "changed"
      return object.merging(verdict(name, interval)).merging(["change": estimate])
    case .verdict(.unchanged(let bound, let interval)):
      return object.merging(verdict("unchanged", interval)).merging(["wouldHaveSeen": bound])
    case .verdict(.cannotTell(let shortfall)):
      return object.merging([
        "verdict": "cannotTell", "missingBlocks": shortfall.blocks,
        "missingSeconds": shortfall.seconds,
      ])
    }
  }
}

extension Double {
  /// The value; `nil` if it is infinite, which JSON cannot represent.
  var ifFinite: Double? { isFinite ? self : nil }
}
