import Basics
import DataModel
import Foundation

/// The costs of elementary store operations on one machine, in seconds.
package struct UnitCosts: Codable, Hashable, Sendable {
  /// The time to bind a row and insert it at the end of a table.
  package var row: Double
  /// The time to read an uncached page from the file.
  package var pageRead: Double
  /// The time to write a page to the log, and from there to the file.
  package var pageWrite: Double
  /// The time to sync a file that was written to.
  package var sync: Double
  /// The dispersion of the row cost between rounds, as a share of the row cost; `nil` if not
  /// measured.
  package var scatter: Double?

  package init(
    row: Double,
    pageRead: Double,
    pageWrite: Double,
    sync: Double,
    scatter: Double? = nil
  ) {
    (self.row, self.pageRead, self.pageWrite) = (row, pageRead, pageWrite)
    (self.sync, self.scatter) = (sync, scatter)
  }

  /// Whether every cost is a plausible time.
  fileprivate var isSound: Bool {
    [row, pageRead, pageWrite, sync, scatter ?? 0].allSatisfy {
      $0.isFinite && $0 >= 0 && $0 < 60
    } && row > 0
  }
}

/// A machine's unit costs, measured by `storebench calibrate` or by the same code in an app.
package struct MachineProfile: Codable, Hashable, Sendable {
  /// The version of the file format.
  private static let currentFormat = 1

  package var format: Int
  package var machine: String
  package var sqlite: String
  package var costs: UnitCosts

  package init(machine: String, sqlite: String, costs: UnitCosts) {
    format = Self.currentFormat
    self.machine = machine
    self.sqlite = sqlite
    self.costs = costs
  }

  /// Parses a profile's JSON.
  ///
  /// - Throws: ``Refusal`` if the data is not a valid profile.
  package init(json: Data, path: String) throws {
    guard let profile = try? JSONDecoder().decode(MachineProfile.self, from: json) else {
      throw Refusal.badInput(
        "'\(path)' is not a machine profile: 'storebench calibrate' writes one"
      )
    }
    guard profile.format == Self.currentFormat, profile.costs.isSound else {
      throw Refusal.badInput(
        "'\(path)' has a different format, or its costs are not times: write it "
          + "again with 'storebench calibrate'"
      )
    }
    self = profile
  }
}

/// A migration that an app reported from a device.
package struct ObservedMigration: Hashable, Sendable {
  private static let mostSeconds = 1e7

  package let size: StoreSize
  package let seconds: Double
  /// The name of the device; empty if the report does not give it.
  package var device = ""
  /// The app's strategy, either by its name in the forecast or by one word of that name; empty if
  /// not given.
  package var strategy = ""

  /// Parses a table of migrations with the columns `duration_seconds` or `seconds`, the store's
  /// size or counts of its entities, and optionally `device` and `strategy`.
  ///
  /// - Throws: ``Refusal`` with the line number and the problem.
  package static func read(csv text: String, path: String, shape: EntityShape) throws
    -> [ObservedMigration]
  {
    let table = try SizeTable(text, path: path)
    guard let seconds = table.column("duration_seconds", "seconds", "duration") else {
      throw Refusal.unknownColumns(
        path: path,
        found: table.columns,
        expected: "'duration_seconds', and \(SizeTable.Sizes.expected)"
      )
    }
    let sizes = try SizeTable.Sizes(table, of: shape)
    let (device, strategy) = (table.column("device"), table.column("strategy"))
    // Rows about other work, such as fetches, do not show the time of migrations.
    let work = table.column("work")
    let rows = table.rows.filter { row in work.map { row.fields[$0] == "migration" } ?? true }
    guard !rows.isEmpty else { throw Refusal.empty(path: path) }
    return try rows.map { row in
      let expected = "a time above 0 in seconds"
      let time = try table.number(row, seconds, upTo: mostSeconds, expected)
      let size = try sizes.size(row)
      let isSized = SizeScale.assumed(shape).knownObjects(of: size) >= 1
      guard time > 0, isSized else {
        let columns = isSized ? [seconds] : sizes.columns
        throw Refusal.badNumber(
          path: path,
          line: row.line,
          column: columns.map { table.columns[$0] }.joined(separator: "' with '"),
          text: columns.map { row.fields[$0] }.joined(separator: "' and '"),
          expected: isSized ? expected : "the size of a store with at least 1 object"
        )
      }
      return ObservedMigration(
        size: size,
        seconds: time,
        device: device.map { row.fields[$0] } ?? "",
        strategy: strategy.map { row.fields[$0] } ?? ""
      )
    }
  }

  /// Returns the names of the strategies that the app may have used.
  ///
  /// If the app did not report a strategy, the result contains all names. Otherwise, it contains
  /// the names that equal the reported name, with or without the parts that describe Core Data's
  /// own migration, and those with a part that equals it or has it as value, such as `lightweight`.
  func mayBe(_ names: [String]) -> [String] {
    guard !strategy.isEmpty else { return names }
    return names.filter { name in
      let parts = name.split(separator: ",").map(String.init)
      let choice = ForecastReport.choice(name)
      return strategy == name || strategy == choice
        || parts.contains { $0 == strategy || $0.hasSuffix("=" + strategy) }
    }
  }
}

extension ForecastQuestions {
  /// Checks that each observed migration identifies a single strategy.
  ///
  /// Otherwise, the time of another strategy would scale the forecast to a machine that does not
  /// exist.
  ///
  /// - Throws: ``Refusal`` with the available names.
  package func check(strategies names: [String]) throws {
    guard let (path, migrations) = observed else { return }
    let own = ForecastReport.strategies(names).own
    let choices = Set(own.map(ForecastReport.choice))
    let known = choices.sorted().map { "'\($0)'" }.joined(separator: ", ")
    for migration in migrations {
      let found = Set(migration.mayBe(own).map(ForecastReport.choice))
      guard found.count != 1 else { continue }
      if migration.strategy.isEmpty {
        throw Refusal.badInput(
          "'\(path)' does not say how the app migrates, and \(choices.count) strategies are "
            + "compared: add a column 'strategy' with one of \(known), or compare one strategy "
            + "with --filter"
        )
      }
      throw Refusal.badInput(
        "'\(path)': the strategy '\(migration.strategy)' is "
          + (found.isEmpty ? "none of \(known)" : "more than one of \(known)")
          + didYouMean(migration.strategy, among: choices.sorted())
      )
    }
  }
}

/// The difference between another machine and the machine on which the migration was measured.
package struct MachineScale: Hashable, Sendable {
  /// The factor by which times are multiplied.
  package let factor: Double
  /// Additional seconds per sync, after applying the factor.
  package var secondsPerSync = 0.0
  /// The variance of the factor's logarithm and of the remaining differences between the machines.
  package let variance: Double
  /// The degrees of freedom of the variance.
  package let freedom: Double
  /// The number of observed migrations on which the scale is based; 0 for a machine profile.
  package let reports: Int

  func time(_ seconds: Double, syncs: Double) -> Double {
    max(seconds * factor + syncs * secondsPerSync, seconds * factor * 0.1)
  }

  /// The assumed standard deviation of the factor's logarithm, due to differences that unit costs
  /// do not show.
  package static let unlikeness = 0.1

  /// Computes the scale from this machine's costs to those in a profile, both measured in the same
  /// way.
  package init(to profile: MachineProfile, from here: UnitCosts) {
    factor = profile.costs.row / here.row
    // Subtract the scaled sync of this machine, which the scaled times already include.
    secondsPerSync = profile.costs.sync - here.sync * factor
    // The dispersion of the measured costs on each machine adds to the factor's uncertainty.
    let scatters = [Self.unlikeness, profile.costs.scatter ?? 0, here.scatter ?? 0]
    variance = scatters.reduce(0) { $0 + $1 * $1 }
    freedom = 8
    reports = 0
  }

  /// The assumed standard deviation of a device's migrations from a scaled forecast.
  ///
  /// It is used before any migration is observed, and a few observations outweigh it.
  package static let priorDeviation = 0.25
  private static let priorFreedom = 3.0

  /// Computes the scale from one or more observed migrations on a device.
  ///
  /// A migration may have several forecasts, one for each way in which Core Data may work; half of
  /// the difference between them is added to the scale's uncertainty. Returns `nil` if none of the
  /// observed sizes can be predicted.
  package init?(of observed: [(migration: ObservedMigration, forecasts: [Forecast])]) {
    var spread = 0.0
    let ratios = observed.compactMap { migration, forecasts -> Double? in
      let logs = forecasts.compactMap { forecast -> Double? in
        let objects = forecast.sizeScale.knownObjects(of: migration.size)
        guard objects >= 1, case .success(let here) = forecast.predict(.time, objects: objects)
        else { return nil }
        return log(migration.seconds / here.value)
      }
      guard let least = logs.min(), let most = logs.max() else { return nil }
      spread = max(spread, (most - least) / 2)
      return (least + most) / 2
    }
    guard !ratios.isEmpty else { return nil }
    reports = ratios.count
    let count = Double(ratios.count)
    let mean = ratios.reduce(0, +) / count
    let squares = ratios.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
    freedom = Self.priorFreedom + count - 1
    let prior = Self.priorFreedom * Self.priorDeviation * Self.priorDeviation
    factor = exp(mean)
    // Allow for the variation of the next migration, assumed to be as large as that of the previous
    // migrations, and for the uncertainty of the mean.
    variance = (prior + squares) / freedom * (1 + 1 / count) + spread * spread
  }
}
