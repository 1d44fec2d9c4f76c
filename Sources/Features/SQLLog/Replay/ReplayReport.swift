import Basics

/// The results of log replays: the differences from the log, and the savings of each fix.
package struct ReplayReport: Encodable, Sendable {
  /// The exact counters of one replay.
  package struct Counters: Encodable, Hashable, Sendable {
    package var statements = 0
    package var vmSteps = 0
    /// The number of pages that SQLite looked up in its cache or in the file.
    package var pageLookUps = 0
    /// The number of looked-up pages that were read from the file.
    package var pagesRead = 0
    package var pagesWritten = 0
    /// The size of the main file after the replay, in bytes.
    package var storeBytes = 0

    package init() {}
  }

  /// The difference between two times with its confidence interval, in seconds.
  package struct Saving: Encodable, Hashable, Sendable {
    package var median: Double
    package var low: Double
    package var high: Double

    /// The additional time of a save, in words: `a save takes 12 µs longer (5 µs to 20 µs)`.
    var costOfSave: String {
      func time(_ seconds: Double) -> String {
        (seconds < 0 ? "-" : "") + Figures.seconds(abs(seconds))
      }
      let range = "(\(time(low)) to \(time(high)))"
      if low > 0 { return "a save takes \(time(median)) longer \(range)" }
      if high < 0 { return "a save takes \(time(-median)) less (\(time(-high)) to \(time(-low)))" }
      return "no difference of a save's time \(range)"
    }

    /// Computes the median of differences and its confidence interval of at least 95 % from order
    /// statistics; `nil` for fewer than six differences.
    package init?(_ differences: [Double]) {
      let sorted = differences.sorted()
      // Binomial(n, ½): find the maximum number of values to exclude on each side.
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

  /// The findings that one fix resolves, and the savings of the fix.
  package struct Repair: Encodable, Sendable {
    /// The rule of the first finding.
    package var rule: String
    /// The name of the fix in a workload file; empty if no replay can measure it.
    package var fix: String
    package var summary: String
    /// The summaries of all findings.
    package var summaries: [String]
    /// A description of the replay with the fix, which is compared with the replay of the unchanged
    /// log.
    package var comparison: String
    /// The reason why the fix was not measured; empty if it was measured.
    package var obstacle = ""
    /// The reason why the measurement is not used as evidence; empty if it is used.
    package var caveat = ""
    package var counters: Counters?
    package var divergence: ReplayDivergence?
    package var saved: Saving?
    /// The time that a change to the store adds to a save, in seconds; `nil` if the log has no
    /// save.
    package var saveCost: Saving?
    /// The median time of a replay with the fix, in seconds.
    package var time: Double?
    /// The SQL statements that change the store, such as `CREATE INDEX …`.
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

    /// Returns the rank of the fix by its savings; `unknown` if its replay is not used as evidence.
    package func rank(from before: Counters) -> Rank {
      guard let saved, let counters, caveat.isEmpty else { return .unknown }
      let isSure = saved.low > 0 || saved.high < 0
      return Rank(seconds: isSure ? saved.median : 0, steps: before.vmSteps - counters.vmSteps)
    }
  }

  /// The sort key of fixes: first the time saved or added, if its interval excludes zero, then the
  /// exact count of SQLite's steps.
  package struct Rank: Comparable, Sendable {
    var seconds: Double
    var steps: Int

    package static let unknown = Rank(seconds: -.infinity, steps: 0)
    package static let useless = Rank(seconds: 0, steps: 0)

    package static func < (first: Rank, second: Rank) -> Bool {
      (first.seconds, first.steps) < (second.seconds, second.steps)
    }
  }

  /// The results of the replays on one store.
  package struct Size: Encodable, Sendable {
    /// The size of the store, as a multiple of the size of the store that the user named.
    package var scale: Double
    package var store: String
    package var objects: Int
    /// Whether the log's values are replaced by values of the store.
    package var isMapped: Bool
    package var divergence: ReplayDivergence
    package var counters: Counters
    /// The median time of a replay of the unchanged log, in seconds.
    package var time: Double
    package var saves: Int
    /// The statements that are not replayed, with the reasons and the number of statements.
    package var notes: [String]
    /// The fixes, sorted by savings, the largest first.
    package var repairs: [Repair]
    /// All fixes that save something, applied together; `nil` for fewer than two.
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

  /// Whether the log shows no values, so that the replay generates them.
  package var hasGuessedValues: Bool
  package var sizes: [Size]

  package init(hasGuessedValues: Bool, sizes: [Size]) {
    (self.hasGuessedValues, self.sizes) = (hasGuessedValues, sizes)
  }
}

/// The difference between a replay and the log.
package struct ReplayDivergence: Codable, Hashable, Sendable {
  /// The number of replayed statements.
  package var statements = 0
  /// The number of replayed statements whose row counts the log shows.
  package var compared = 0
  /// The expected number of rows of the compared statements, from the row counts in the log.
  ///
  /// On a store of another size, a statement may return any number of rows between the logged count
  /// and that count times the store's scale.
  package var loggedRows = 0
  /// The number of missing or additional rows, summed over the statements.
  package var differingRows = 0
  /// The number of writes that address one object by its key; ``missedWrites`` is the number of
  /// these writes that found no object.
  package var writes = 0
  package var missedWrites = 0
  /// The number of statements that SQLite rejected.
  package var errors = 0
  /// The number of statements with a value or a key that the log does not show.
  package var guessed = 0
  /// The number of the log's statements that are not replayed.
  package var omitted = 0

  /// The maximum ``share`` at which a replay is used as evidence.
  package static let threshold = 0.1

  package init() {}

  /// The maximum of three shares: rows that differ, writes that found no object, and statements
  /// that failed.
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

  /// The reason why the replay is not used as evidence; empty if it is used.
  package var doubt: String {
    isEvidence
      ? ""
      : "the replay differs from the log by \(Figures.percent(share)), more than "
        + Figures.percent(Self.threshold)
  }

  /// Compares a statement's row count with the row count in the log, on a store with `scale` times
  /// as many objects.
  ///
  /// Any count between the logged count and `scale` times that count is accepted.
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
