import Basics

/// What replays of a log show: how far they follow it, and what each repair saves.
package struct ReplayReport: Encodable, Sendable {
  /// Exact figures of one replay.
  package struct Counters: Encodable, Hashable, Sendable {
    package var statements = 0
    package var vmSteps = 0
    /// Pages that SQLite looked up, in its cache or in the file.
    package var pageLookUps = 0
    /// Of them, those that it read from the file.
    package var pagesRead = 0
    package var pagesWritten = 0
    /// Bytes of the main file afterwards.
    package var storeBytes = 0

    package init() {}
  }

  /// A difference of two times with its interval, in seconds.
  package struct Saving: Encodable, Hashable, Sendable {
    package var median: Double
    package var low: Double
    package var high: Double

    /// What a save costs more, in words: `a save takes 12 µs longer (5 µs to 20 µs)`.
    var costOfSave: String {
      func time(_ seconds: Double) -> String {
        (seconds < 0 ? "-" : "") + Figures.seconds(abs(seconds))
      }
      let range = "(\(time(low)) to \(time(high)))"
      if low > 0 { return "a save takes \(time(median)) longer \(range)" }
      if high < 0 { return "a save takes \(time(-median)) less (\(time(-high)) to \(time(-low)))" }
      return "no difference of a save's time \(range)"
    }

    /// The median of differences, and the interval of order statistics that contains the true
    /// median with at least 95 % probability; `nil` for fewer than six differences.
    package init?(_ differences: [Double]) {
      let sorted = differences.sorted()
      // Binomial(n, ½): the largest number of values to leave out on each side.
      var (tail, term, left) = (0.0, 1.0, -1)
      for _ in sorted { term /= 2 }
      for index in 0..<sorted.count {
        tail += term
        guard tail <= 0.025 else { break }
        left = index
        term *= Double(sorted.count - index) / Double(index + 1)
      }
      guard left >= 0 else { return nil }
      (low, high) = (sorted[left], sorted[sorted.count - 1 - left])
      let middle = sorted.count / 2
      median = sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
    }
  }

  /// The findings that one fix removes, and what it saves.
  package struct Repair: Encodable, Sendable {
    /// Of the first finding.
    package var rule: String
    /// How a workload file names it; empty where no replay shows it.
    package var fix: String
    package var summary: String
    /// Of all findings.
    package var summaries: [String]
    /// What is compared with the log as it is.
    package var comparison: String
    /// Why there are no figures; empty where there are.
    package var obstacle = ""
    /// Why the figures are not evidence; empty where they are.
    package var caveat = ""
    package var counters: Counters?
    package var divergence: ReplayDivergence?
    package var saved: Saving?
    /// How much longer a save takes with a change of the store, in seconds; `nil` where the log has no
    /// save.
    package var saveCost: Saving?
    /// The median time of a replay with the repair, in seconds.
    package var time: Double?
    /// What changes the store, such as `CREATE INDEX …`.
    package var storeChanges: [String] = []

    package init(
      rule: String,
      fix: String,
      summary: String,
      comparison: String,
      summaries: [String]
    ) {
      (self.rule, self.fix, self.summary, self.comparison) = (rule, fix, summary, comparison)
      self.summaries = summaries
    }

    /// What it is worth, compared with the log as it is; unknown where its replay is no evidence.
    package func rank(from before: Counters) -> Rank {
      guard let saved, let counters, caveat.isEmpty else { return .unknown }
      let isSure = saved.low > 0 || saved.high < 0
      return Rank(seconds: isSure ? saved.median : 0, steps: before.vmSteps - counters.vmSteps)
    }
  }

  /// The order of repairs: by the time that they are sure to save or to cost, then by SQLite's steps,
  /// which repeat exactly.
  package struct Rank: Comparable, Sendable {
    var seconds: Double
    var steps: Int

    package static let unknown = Rank(seconds: -.infinity, steps: 0)
    package static let useless = Rank(seconds: 0, steps: 0)

    package static func < (first: Rank, second: Rank) -> Bool {
      (first.seconds, first.steps) < (second.seconds, second.steps)
    }
  }

  /// Replays on one store.
  package struct Size: Encodable, Sendable {
    /// How many times the store that is named it has.
    package var scale: Double
    package var store: String
    package var objects: Int
    /// Whether values of the store stand for those of the log.
    package var isMapped: Bool
    package var divergence: ReplayDivergence
    package var counters: Counters
    /// The median time of a replay of the log as it is, in seconds.
    package var time: Double
    package var saves: Int
    /// What is not replayed, and why, with the number of statements.
    package var notes: [String]
    /// Those that save most come first.
    package var repairs: [Repair]
    /// All fixes that save something, at once; `nil` for fewer than two.
    package var together: Repair?

    package init(
      scale: Double,
      store: String,
      objects: Int,
      isMapped: Bool,
      divergence: ReplayDivergence,
      counters: Counters,
      time: Double,
      saves: Int,
      notes: [String],
      repairs: [Repair],
      together: Repair? = nil
    ) {
      (self.scale, self.store, self.objects) = (scale, store, objects)
      (self.isMapped, self.divergence, self.counters) = (isMapped, divergence, counters)
      (self.time, self.saves, self.notes, self.repairs) = (time, saves, notes, repairs)
      self.together = together
    }
  }

  /// Whether the log shows no values, so that they are drawn.
  package var hasGuessedValues: Bool
  package var sizes: [Size]

  package init(hasGuessedValues: Bool, sizes: [Size]) {
    (self.hasGuessedValues, self.sizes) = (hasGuessedValues, sizes)
  }
}

/// How far a replay differs from what the log reports.
package struct ReplayDivergence: Codable, Hashable, Sendable {
  /// Statements that were run.
  package var statements = 0
  /// Of them, those whose rows the log reports.
  package var compared = 0
  /// Rows that are expected of them: those that the log reports, on a store of another size up to
  /// their multiple.
  package var loggedRows = 0
  /// Rows that are missing or too many, summed over the statements.
  package var differingRows = 0
  /// Writes of one object by its key, and those that met no object.
  package var writes = 0
  package var missedWrites = 0
  /// Statements that SQLite refused.
  package var errors = 0
  /// Statements with a value or a key that the log does not show.
  package var guessed = 0
  /// Statements of the log that are not replayed.
  package var omitted = 0

  /// Above it a replay is not evidence.
  package static let threshold = 0.1

  package init() {}

  /// The largest of three shares: rows that differ, writes that met no object, and statements that
  /// failed.
  package var share: Double {
    func share(_ part: Int, of whole: Int) -> Double {
      whole > 0 ? min(1, Double(part) / Double(whole)) : part > 0 ? 1 : 0
    }
    return max(
      share(differingRows, of: max(loggedRows, compared)),
      share(missedWrites, of: writes),
      share(errors, of: statements)
    )
  }

  package var isEvidence: Bool { share <= Self.threshold && statements > 0 }

  /// Why the replay is not evidence; empty where it is.
  package var doubt: String {
    isEvidence
      ? ""
      : "the replay differs from the log by \(Figures.percent(share)), more than "
        + Figures.percent(Self.threshold)
  }

  /// Compares a statement's rows with the log's, where a store has `scale` times its objects: any
  /// number between the logged one and its multiple is as expected.
  package mutating func compare(rows: Int, logged: Int, scale: Double = 1) {
    guard logged >= 0 else { return }
    compared += 1
    let other = Int((Double(logged) * scale).rounded())
    let (low, high) = (min(logged, other), max(logged, other))
    let expected = min(max(rows, low), high)
    loggedRows += expected
    differingRows += abs(rows - expected)
  }
}
