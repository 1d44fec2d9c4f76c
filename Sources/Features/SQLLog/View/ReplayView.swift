import Basics
import Reporting

extension ReplayReport {
  var sections: [Report.Section] {
    sizes.map { size in
      var blocks: [Report.Block] = [
        .sentence(
          "\(size.objects.grouped) objects: \(Figures.counted(size.counters.statements, "statement")) in \(Figures.seconds(size.time)), \(size.counters.pagesRead.grouped) pages read, \(size.counters.pageLookUps.grouped) page look-ups, \(size.counters.vmSteps.grouped) steps of SQLite."
        ),
        size.divergence.block,
      ]
      if size.isMapped {
        blocks.append(
          .sentence(
            "Values of the log are replaced by values of the store with the same rank and number of rows."
          )
        )
      }
      if hasGuessedValues {
        blocks.append(
          .warning(
            "Values guessed: the log shows no values (level 1). Keys are taken from earlier results. Figures of predicates and searches are not used as evidence."
          )
        )
      }
      if !size.notes.isEmpty { blocks.append(.list(size.notes.map { Report.Text($0) })) }
      if size.repairs.isEmpty {
        blocks.append(
          .sentence("No finding to repair: the figures above are for the unchanged log.")
        )
      }
      if let together = size.together {
        blocks.append(
          .sentence(
            "\(together.summaries.count.grouped) findings repaired at once: \(together.effect)."
          )
        )
      }
      return .init(
        "Replay on \(size.store)",
        question: "What does the log cost, unchanged and with each finding repaired?",
        blocks + size.repairs.flatMap { $0.blocks(on: size) }
      )
    }
  }
}

extension ReplayDivergence {
  fileprivate var block: Report.Block {
    let counts = [
      (differingRows, "of \(loggedRows.grouped) rows differ"),
      (missedWrites, "of \(writes.grouped) writes found no object"),
      (errors, "statements refused"), (guessed, "statements with guessed values"),
      (omitted, "not replayed"),
    ]
    let parts = counts.filter { $0.0 > 0 }.map { "\($0.0.grouped) \($0.1)" }
    let text =
      "Difference from the log: \(share.percent)"
      + (parts.isEmpty ? "" : " (\(parts.joined(separator: ", ")))")
    return isEvidence
      ? .sentence("\(text).")
      : .warning(
        "\(text): more than \(Self.threshold.percent), so this replay is not used as evidence."
      )
  }
}

extension ReplayReport {
  /// Returns the savings of a fix on each store: the time saved with its interval, and the exact
  /// counters.
  func savings(_ repair: Repair) -> [Report.Text] {
    sizes.compactMap { size in
      let found = size.repairs.first { $0.rule == repair.rule && $0.summary == repair.summary }
      guard let found, found.counters != nil else { return nil }
      let place = sizes.count > 1 ? "On \(size.objects.grouped) objects the fix" : "The fix"
      let exact = found.exactSaving(of: size.counters)
      return "\(place) \(found.effect)\(exact.isEmpty ? "" : "; it removes \(exact)")"
    }
  }
}

extension ReplayReport.Repair {
  /// Returns the exact savings of the fix: `535 of 538 statements, 72 % of SQLite's steps`; an
  /// empty string if there are no exact savings.
  func exactSaving(of before: ReplayReport.Counters) -> String {
    guard let counters, caveat.isEmpty else { return "" }
    var parts: [String] = []
    func add(_ path: KeyPath<ReplayReport.Counters, Int>, _ noun: String) {
      let (old, new) = (before[keyPath: path], counters[keyPath: path])
      if new < old { parts.append("\((old - new).grouped) of \(old.grouped) \(noun)") }
    }
    add(\.statements, "statements")
    let steps = Double(before.vmSteps - counters.vmSteps) / Double(max(before.vmSteps, 1))
    if steps >= 0.01 { parts.append("\(Figures.percent(steps)) of SQLite's steps") }
    add(\.pagesWritten, "pages written")
    if parts.isEmpty { add(\.pagesRead, "pages read") }
    return parts.joined(separator: ", ")
  }

  var effect: String {
    let doubt = caveat.isEmpty ? "" : "; not used as evidence: \(caveat)"
    guard let saved else { return "measured without an interval" + doubt }
    func range(_ low: Double, _ high: Double) -> String {
      " (\(Self.time(low)) to \(Self.time(high)))\(doubt)"
    }
    if saved.low > 0 { return "saves \(Self.time(saved.median))" + range(saved.low, saved.high) }
    if saved.high < 0 {
      return "costs \(Self.time(-saved.median))" + range(-saved.high, -saved.low)
    }
    return "shows no difference of the time" + range(saved.low, saved.high)
  }

  private static func time(_ seconds: Double) -> String {
    seconds < 0 ? "-" + Figures.seconds(-seconds) : Figures.seconds(seconds)
  }

  fileprivate func blocks(on size: ReplayReport.Size) -> [Report.Block] {
    let name = fix.isEmpty ? rule : fix
    guard let counters, let time else {
      return [.heading("\(code: name): not replayed, \(obstacle)"), .sentence("\(summary)")]
    }
    let before = size.counters
    let figures: [(String, KeyPath<ReplayReport.Counters, Int>)] = [
      ("statements", \.statements), ("pages read", \.pagesRead), ("looked up", \.pageLookUps),
      ("steps", \.vmSteps), ("pages written", \.pagesWritten),
    ]
    let changes = figures.filter { before[keyPath: $1] != counters[keyPath: $1] }.map {
      "\($0) \(before[keyPath: $1].grouped) → \(counters[keyPath: $1].grouped)"
    }
    var points: [Report.Text] =
      summaries.map { Report.Text($0) } + [
        "Replayed \(comparison): \(changes.joined(separator: ", "))"
      ]
    if !storeChanges.isEmpty {
      let bytes = counters.storeBytes - before.storeBytes
      let written = Double(counters.pagesWritten - before.pagesWritten)
      let each =
        size.saves > 0
        ? ", \(Self.signed(written / Double(size.saves))) pages written per save" : ""
      let time = saveCost.map { ", \($0.costOfSave)" } ?? ", the log has no save to measure"
      points.append("Cost: \(Self.signed(Double(bytes))) bytes of the store\(each)\(time)")
    }
    // Use list items, because a phone wraps a long statement in a list item but truncates a code
    // line.
    points += storeChanges.map { .code($0) }
    return [
      .heading(
        "\(effect.capitalizedFirst); \(Figures.seconds(size.time)) → \(Figures.seconds(time)): "
          + "\(code: name)"
      ), .list(points),
    ]
  }

  private static func signed(_ value: Double) -> String {
    let size = abs(value)
    let text = size.rounded() == size ? Figures.grouped(size) : Figures.significant(size)
    return (value < 0 ? "-" : "+") + text
  }
}
