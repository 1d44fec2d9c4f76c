import Basics
import DataModel
import Forecasting
import Foundation
import Generators
import Ladder
import Measurement
import Profiling
import Reporter
import Runner

/// What `forecast` does: measures ladders, learns from them, and answers.
struct ForecastJob {
  let plan: Plan
  /// A store or a profile whose like the ladder's stores are.
  let like: String?
  let design: LadderDesign
  let questions: QuestionOptions
  let format: ForecastFormat
  let cacheFolder: String
  let scratchFolder: String
  let keepFolder: String
  /// Whether what was kept is measured anew.
  var measuresAgain = false
  let executor: any TrialExecutor
  var isStopped: @Sendable () -> Bool = { false }

  func perform(on console: Console) throws -> CommandStatus {
    for warning in plan.warnings { console.complain(warning.description) }
    let scratch = try ScratchFolder(in: scratchFolder)
    defer { scratch.remove() }
    let cases = try LadderCase.all(
      of: plan,
      like: try like.map { try profile(of: $0, in: scratch) }
    )
    var questions = try questions.read(shape: try shape(of: cases))
    let line = ProgressLine(console, now: { ProcessInfo.processInfo.systemUptime })
    defer { line.clear() }
    let environment = EnvironmentProbe.read(
      workFolder: scratch.path,
      codeFolder: Bundle.main.executableURL?.deletingLastPathComponent().path ?? ".",
      startedAt: RunTime.iso8601(Date.now)
    )
    let outcomes: [LadderRun.Outcome]
    do {
      outcomes = try measure(cases, environment, scratch, console, line)
    } catch RunnerError.interrupted {
      line.clear()
      console.complain("interrupted; what was measured is kept, and the same command goes on")
      return .interrupted
    }
    line.clear()
    if questions.profile != nil {
      let pace = outcomes.first.map { LadderData($0.observations).pace }
      line.take("measuring what this machine's elementary work costs")
      questions.here = try PacedCosts.measured(in: scratch.path).costs(at: pace)
      line.clear()
    }
    let report = ForecastReport(
      workload: plan.workloads.map(\.file.name).joined(separator: ", "),
      environment: environment,
      outcomes: outcomes,
      questions: questions,
      notes: plan.forecastNotes
    )
    switch format {
    case .text: console.print(ForecastText(report: report, width: console.width).text)
    case .json: console.print(try ForecastJSON(report: report).text)
    }
    for outcome in outcomes {
      if let failure = outcome.failure { console.complain("\(outcome.name) failed \(failure)") }
    }
    return outcomes.contains { $0.failure != nil } ? .caseFailed : .done
  }

  private func measure(
    _ cases: [LadderCase],
    _ environment: Environment,
    _ scratch: ScratchFolder,
    _ console: Console,
    _ line: ProgressLine
  ) throws -> [LadderRun.Outcome] {
    let started = ProcessInfo.processInfo.systemUptime
    let run = LadderRun(
      cases: cases,
      design: design,
      environment: environment,
      stores: StoreLibrary(cacheFolder: cacheFolder),
      executor: executor,
      scratch: scratch,
      cacheFolder: cacheFolder,
      keepFolder: keepFolder,
      isStopped: isStopped,
      events: { progress in
        if progress.done == 0 { console.complain(announcement(of: progress, cases.count)) }
        line.take(progress.text(after: ProcessInfo.processInfo.systemUptime - started))
      }
    )
    if measuresAgain { try run.forget() }
    return try run.perform()
  }

  /// What is about to be measured, before the first run.
  private func announcement(of progress: LadderProgress, _ cases: Int) -> String {
    let most = (design.rungs.last ?? 0).grouped
    let of = cases == 1 ? "one strategy" : "\(cases) strategies"
    let advice =
      progress.total > 200 ? "; '--filter', '--set' and '--ladder quick' make it fewer" : ""
    return
      "\(progress.total.grouped) runs of \(of), on stores of up to \(most) objects; Ctrl-C keeps "
      + "those that are done\(advice)"
  }

  /// The shape of the recipes' stores; that of the first stands for all.
  private func shape(of cases: [LadderCase]) throws -> EntityShape {
    guard let store = cases.first?.store else { return EntityShape(smaller: [:], larger: [:]) }
    return EntityShape(
      smaller: try store.counts(objects: 10_000),
      larger: try store.counts(objects: 100_000)
    )
  }

  /// A recipe that makes stores like another one, as a profile beside what is kept.
  private func profile(of path: String, in scratch: ScratchFolder) throws -> RecipeReference {
    // A profile is a recipe already.
    if let recipe = try? RecipeReference(path: path).read(), !recipe.entities.isEmpty {
      return RecipeReference(path: path)
    }
    let source = try StoreReading.copy(of: path, in: scratch)
    let profile = try StoreProfiler(source, k: StoreProfile.smallestK).profile()
    let name = URL(fileURLWithPath: path).deletingPathExtension().lastPathComponent
    let kept = scratch.path + "/\(name).profile.yaml"
    do {
      try Data(ProfileWriter(profile).text.utf8).write(to: URL(fileURLWithPath: kept))
    } catch {
      throw GeneratorsError.cannotWrite(path: kept, reason: "it cannot be made there")
    }
    return RecipeReference(path: kept)
  }
}

extension Plan {
  /// What was chosen in place of what the files say, and what was left out.
  ///
  /// That a store is small is none of it: the ladder's stores are not.
  var forecastNotes: [String] {
    var notes: [String] = []
    for note in workloads.flatMap(\.cases).flatMap(\.notes) where !notes.contains(note) {
      notes.append(note)
    }
    let small = notes.filter { note in remarks.contains { $0.hasPrefix(note) } }
    let leftOut = remarks.filter { remark in
      !remark.hasPrefix(" ") && !small.contains(where: remark.hasPrefix)
    }
    return notes.filter { !small.contains($0) } + leftOut
  }
}
