import ArgumentParser
import Basics
import Forecasting
import Foundation
import Runner
import SQLite

/// Compares forecasts for other machines with measurements on them: `make -C Evidence elsewhere`.
///
/// The other machines are imitated on this one: by a competing program on its processor, and by
/// slower syncs. Both can be reproduced anywhere and are calibrated like an unknown machine.
struct ElsewhereBench: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "elsewhere",
    abstract: "Measure the errors of forecasts for other machines, made from machine profiles.",
    discussion: """
      Uses the stored measurements of 'bench forecast' for the same sizes, or measures them now. \
      Two other machines are imitated: one with a competing program on the same processor, one \
      with slower syncs.

      EXAMPLE: bench elsewhere --top 16000 --truth 64000 --size 64000
      """
  )

  @OptionGroup var ladder: BenchLadderOptions

  @Option(help: "Size that is measured on the other machine, in objects.")
  var size = 64_000

  @Option(help: "Additional milliseconds that a sync takes on the slow disk.")
  var delay = 20

  @Flag(help: "Use stored measurements only.")
  var kept = false

  func run() throws {
    guard let processor = SharedProcessor.current else {
      throw ValidationError("this system does not report on which processor a thread runs")
    }
    processor.keepThisThread()
    let calibrations = try BenchFolder()
    let here = try PacedCosts.measured(in: calibrations.path)
    let forecasts = try forecasts()

    let competitor = try OtherLoad(folder: calibrations.path, processes: 1)
    let busy = try profile(in: calibrations.path)
    let workers = WorkerProcess(executable: ladder.program)
    try judge(forecasts, named: "competitor", costs: busy, here, workers)
    competitor.end()

    // The slow disk comes last, because its delay also slows all later syncs of this process.
    let plan = FaultPlan(syncDelay: UInt64(delay) * 1_000_000)
    try CountingVFS.install(faults: FaultInjector(plan))
    let slow = try profile(in: calibrations.path)
    try judge(
      forecasts,
      named: "slow-disk",
      costs: slow,
      here,
      FaultyExecutor(workers: workers, faults: plan)
    )
  }

  /// Measures the machine's current unit costs five times, because its speed varies.
  private func profile(in folder: String) throws -> [PacedCosts] {
    try (0..<5).map { _ in try PacedCosts.measured(in: folder) }
  }

  private func middle(of profile: [PacedCosts], at pace: Pace?) -> UnitCosts {
    let costs = profile.map { $0.costs(at: pace) }
    return UnitCosts(
      row: costs.map(\.row).median,
      pageRead: costs.map(\.pageRead).median,
      pageWrite: costs.map(\.pageWrite).median,
      sync: costs.map(\.sync).median,
      scatter: costs.compactMap(\.scatter).median
    )
  }

  private typealias Known = (benchCase: ForecastBenchCase, forecast: Forecast)

  private func forecasts() throws -> [Known] {
    let measurement = ForecastMeasurement(
      folder: ladder.folder,
      executor: WorkerProcess(executable: ladder.program)
    )
    return try ForecastBenchCase.all.map { benchCase in
      let outcome = try measurement.outcome(of: benchCase, ladder.design, keptOnly: kept)
      return (
        benchCase,
        Forecast(
          LadderData(outcome.observations.filter { $0.size <= Double(ladder.top) * 1.05 }),
          batchSize: outcome.batchSize
        )
      )
    }
  }

  private func judge(
    _ forecasts: [Known],
    named name: String,
    costs: [PacedCosts],
    _ here: PacedCosts,
    _ executor: any TrialExecutor
  ) throws {
    let measurement = ForecastMeasurement(folder: "\(ladder.folder)/\(name)", executor: executor)
    let syncs = [middle(of: costs, at: nil), here.costs].map { ($0.sync * 1000).twoDigits }
    print("\(name): a sync takes \(syncs[0]) ms there and \(syncs[1]) ms here")
    var errors: [Double] = []
    var held = 0
    for known in forecasts {
      let outcome = try measurement.outcome(
        of: known.benchCase,
        LadderDesign(rungs: [size], repeats: ladder.truthRepeats)
      )
      let truths = LadderData(outcome.observations)
      var forecast = known.forecast
      let profile = MachineProfile(
        machine: name,
        sqlite: Library.version,
        costs: middle(of: costs, at: truths.pace)
      )
      let scale = MachineScale(to: profile, from: here.costs(at: forecast.data.pace))
      forecast.machine = scale
      guard let measured = truths.rungs.last,
        case .success(let interval) = forecast.predict(.time, objects: measured.size)
      else {
        print("  \(known.benchCase.name): \(outcome.failure ?? "refused")")
        continue
      }
      let error = interval.value / measured.seconds - 1
      errors.append(error)
      if interval.contains(measured.seconds) { held += 1 }
      let times = "\(interval.value.twoDigits) s, measured \(measured.seconds.twoDigits) s"
      let factor = "factor \(scale.factor.twoDigits)"
      print("  \(known.benchCase.name): \(times), \(factor), \(error.percent)")
    }
    guard !errors.isEmpty else { return }
    let sizes = errors.map { abs($0) }
    print(
      "  \(errors.count) cases: median error \(sizes.median.percent), worst "
        + "\((sizes.max() ?? 0).percent), aim 15 %; 90 % intervals held \(held)\n"
    )
  }

  private struct FaultyExecutor: TrialExecutor {
    let workers: WorkerProcess
    let faults: FaultPlan

    func execute(_ request: TrialRequest, within limits: TrialLimits) throws -> TrialResponse {
      var request = request
      request.faults = faults
      return try workers.execute(request, within: limits)
    }
  }
}

extension Double {
  fileprivate var twoDigits: String { Figures.plain(self, decimals: 2) }
}
