import Basics
import SQLLog

/// What replays of a log show, for a person: for each store how far the replay follows the log, then
/// the repairs, those that save most first.
package enum ReplayText {
  package static func text(of report: ReplayReport, width: Int = 80) -> String {
    let width = max(width, 80)
    var lines: [String] = []
    func add(_ text: String, mark: String = "") {
      lines += TerminalText.paragraph(text, to: width, mark: mark)
    }
    for size in report.sizes {
      lines += ["", "REPLAY", ""]
      let counters = size.counters
      add(
        "On \(TerminalText.plain(size.store)), \(size.objects.grouped) objects: \(Figures.counted(counters.statements, "statement")) in "
          + "\(Figures.seconds(size.time)), \(figures(counters))."
      )
      add(divergence(size.divergence))
      if size.isMapped {
        add(
          "Values of the log are replaced by values of the store with the same rank and number of "
            + "rows."
        )
      }
      if report.hasGuessedValues {
        add(
          "VALUES GUESSED: the log shows no values (level 1). Keys are taken from earlier results. "
            + "Figures of predicates and searches are not used as evidence."
        )
      }
      for note in size.notes { add(note, mark: "- ") }
      for (number, repair) in size.repairs.enumerated() {
        lines.append("")
        lines += text(of: repair, number + 1, size, width)
      }
      if size.repairs.isEmpty {
        lines.append("")
        add("No finding to repair: the figures above are for the unchanged log.")
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func figures(_ counters: ReplayReport.Counters) -> String {
    "\(counters.pagesRead.grouped) pages read, \(counters.pageLookUps.grouped) page look-ups, "
      + "\(counters.vmSteps.grouped) steps of SQLite"
  }

  private static func divergence(_ divergence: ReplayDivergence) -> String {
    var text = "Difference from the log: \(divergence.share.percent)"
    var parts: [String] = []
    if divergence.differingRows > 0 {
      parts.append(
        "\(divergence.differingRows.grouped) of \(divergence.loggedRows.grouped) rows differ"
      )
    }
    if divergence.missedWrites > 0 {
      parts.append(
        "\(divergence.missedWrites.grouped) of \(divergence.writes.grouped) writes found no object"
      )
    }
    if divergence.errors > 0 { parts.append("\(divergence.errors.grouped) statements refused") }
    if divergence.guessed > 0 {
      parts.append("\(divergence.guessed.grouped) statements with guessed values")
    }
    if divergence.omitted > 0 { parts.append("\(divergence.omitted.grouped) not replayed") }
    if !parts.isEmpty { text += " (\(parts.joined(separator: ", ")))" }
    let limit = ReplayDivergence.threshold.percent
    return text
      + (divergence.isEvidence ? "." : ": more than \(limit), so this replay is NOT EVIDENCE.")
  }

  private static func text(
    of repair: ReplayReport.Repair,
    _ number: Int,
    _ size: ReplayReport.Size,
    _ width: Int
  ) -> [String] {
    let name = repair.fix.isEmpty ? repair.rule : repair.fix
    let indent = String(number).count + 2
    func part(_ text: String) -> [String] {
      TerminalText.paragraph(text, to: width, mark: .blanks(indent), indent: indent)
    }
    guard let counters = repair.counters, let time = repair.time else {
      return TerminalText.paragraph(
        "\(name): not replayed, \(repair.obstacle)",
        to: width,
        mark: "\(number). "
      ) + part(repair.summary)
    }
    var lines = TerminalText.paragraph(
      "\(name): \(saving(repair.saved)); \(Figures.seconds(size.time)) → \(Figures.seconds(time))",
      to: width,
      mark: "\(number). "
    )
    lines += part(repair.summary)
    lines += part("Replayed \(repair.comparison): " + changes(size.counters, counters))
    for statement in repair.storeChanges { lines += part(statement) }
    let bytes = counters.storeBytes - size.counters.storeBytes
    if !repair.storeChanges.isEmpty {
      let written = counters.pagesWritten - size.counters.pagesWritten
      let each =
        size.saves > 0
        ? ", \(signed(Figures.significant(Double(written) / Double(size.saves)), written)) pages "
          + "written per save" : ""
      lines += part("Cost: \(signed(abs(bytes).grouped, bytes)) bytes of the store" + each)
    }
    if !repair.caveat.isEmpty { lines += part("NOT EVIDENCE: \(repair.caveat)") }
    return lines
  }

  private static func signed(_ text: String, _ number: Int) -> String {
    number < 0 ? text.hasPrefix("-") ? text : "-" + text : "+" + text
  }

  private static func saving(_ saved: ReplayReport.Saving?) -> String {
    guard let saved else { return "no interval" }
    let interval = "\(time(saved.low)) to \(time(saved.high))"
    if saved.low > 0 { return "saves \(time(saved.median)) (\(interval))" }
    if saved.high < 0 {
      return "costs \(time(-saved.median)) (\(time(-saved.high)) to \(time(-saved.low)))"
    }
    return "no difference of the time shown (\(interval))"
  }

  private static func time(_ seconds: Double) -> String {
    seconds < 0 ? "-" + Figures.seconds(-seconds) : Figures.seconds(seconds)
  }

  private static func changes(
    _ before: ReplayReport.Counters,
    _ after: ReplayReport.Counters
  ) -> String {
    let figures: [(String, KeyPath<ReplayReport.Counters, Int>)] = [
      ("statements", \.statements), ("pages read", \.pagesRead), ("looked up", \.pageLookUps),
      ("steps", \.vmSteps), ("pages written", \.pagesWritten),
    ]
    return figures.compactMap { name, path in
      let (old, new) = (before[keyPath: path], after[keyPath: path])
      return old == new ? nil : "\(name) \(old.grouped) → \(new.grouped)"
    }.joined(separator: ", ")
  }
}
