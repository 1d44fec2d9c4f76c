import Basics
import DataModel
import Forecasting
import Foundation
import Generators
import PersistentStore
import Reporter
import Runner

/// Measures ladders, learns from them, and answers.
struct ForecastJob {
  let plan: Plan
  /// A store or a profile whose like the ladder's stores are.
  let like: String?
  /// The model of that store, where one was named.
  let model: ModelFamily?
  let design: LadderDesign
  let questions: QuestionOptions
  let format: PageFormat
  /// Whether the text shows what the forecast rests on.
  let explains: Bool
  let folder: WorkFolderOption
  /// Whether cached measurements are ignored.
  let measuresAgain: Bool

  func perform(on console: Console) throws -> CommandStatus {
    Signals.listen()
    for warning in plan.warnings { console.note(warning.description) }
    return try Workspace.use(folder, on: console) { space in
      do {
        return try answer(space)
      } catch RunnerError.interrupted {
        space.line.clear()
        console.note("interrupted; the measurements are kept, and the same command continues")
        return .interrupted
      }
    }
  }

  private func answer(_ space: Workspace) throws -> CommandStatus {
    let cases = try LadderCase.all(
      of: plan,
      like: try like.map { try recipe(like: $0, in: space.scratch) }
    )
    var questions = try questions.read(shape: try shape(of: cases))
    let environment = space.environment(at: Date.now)
    let outcomes = try measure(cases, environment, space, by: design)
    space.line.clear()
    if questions.profile != nil {
      let pace = outcomes.first.map { LadderData($0.observations).pace }
      space.line.take("measuring what basic operations cost on this machine")
      questions.here = try PacedCosts.measured(in: space.scratch.path).costs(at: pace)
      space.line.clear()
    }
    let report = ForecastReport(
      workload: plan.workloads.map(\.file.name).joined(separator: ", "),
      environment: environment,
      outcomes: outcomes,
      questions: questions,
      notes: plan.forecastNotes,
      memory: MemoryProbe.measure
    )
    let console = space.console
    switch format {
    case .text:
      console.print(ForecastText(report: report, width: console.width, explains: explains).text)
    case .html: console.write(ForecastPage(report: report).html)
    case .json: console.print(try ForecastJSON(report: report).text)
    }
    return noteFailures(outcomes, on: console)
  }

  private func noteFailures(_ outcomes: [LadderRun.Outcome], on console: Console) -> CommandStatus {
    for outcome in outcomes {
      if let failure = outcome.failure { console.note("\(outcome.name) failed \(failure)") }
    }
    return outcomes.contains { $0.failure != nil } ? .caseFailed : .done
  }

  private func ladder(
    _ cases: [LadderCase],
    _ environment: Environment,
    _ space: Workspace,
    by design: LadderDesign
  ) throws -> LadderRun {
    let started = MonotonicClock.seconds()
    return LadderRun(
      cases: cases,
      design: design,
      environment: environment,
      stores: StoreLibrary(cacheFolder: folder.cacheFolder),
      // Processors of one machine differ in speed by more than a forecast may err.
      executor: try Executable.worker(on: plan.hasConcurrentCases ? nil : .current),
      scratch: space.scratch,
      cacheFolder: folder.cacheFolder,
      keepFolder: folder.workFolder + "/forecast",
      isStopped: { Signals.isStopped() },
      events: { progress in
        if progress.done == 0 {
          space.console.note(announcement(of: progress, by: design, cases.count))
        }
        space.line.take(progress.text(after: MonotonicClock.seconds() - started))
      }
    )
  }

  private func measure(
    _ cases: [LadderCase],
    _ environment: Environment,
    _ space: Workspace,
    by design: LadderDesign
  ) throws -> [LadderRun.Outcome] {
    let run = try ladder(cases, environment, space, by: design)
    if measuresAgain { try run.forget() }
    let outcomes = try run.perform()
    space.line.clear()
    if run.times.work > 0 { space.console.note("time \(run.times.text)") }
    return outcomes
  }

  /// What is about to be measured, before the first run.
  private func announcement(
    of progress: LadderProgress,
    by design: LadderDesign,
    _ cases: Int
  ) -> String {
    let most = (design.rungs.last ?? 0).grouped
    let of = cases == 1 ? "one strategy" : "\(cases) strategies"
    let advice =
      progress.total > 200 ? "; '--filter', '--set' and '--ladder quick' reduce the number" : ""
    return
      "\(progress.total.grouped) runs of \(of), on stores of up to \(most) objects; Ctrl-C keeps "
      + "the finished runs\(advice)"
  }

  /// The shape of the recipes' stores; that of the first stands for all.
  private func shape(of cases: [LadderCase]) throws -> EntityShape {
    guard let store = cases.first?.store else { return EntityShape(smaller: [:], larger: [:]) }
    return EntityShape(
      smaller: try store.counts(objects: 10_000),
      larger: try store.counts(objects: 100_000)
    )
  }

  /// A recipe that makes stores like another one, as a profile beside what is worked on.
  private func recipe(like path: String, in scratch: ScratchFolder) throws -> RecipeReference {
    // A profile is a recipe already.
    if let recipe = try? RecipeReference(path: path).read(), !recipe.entities.isEmpty {
      return RecipeReference(path: path)
    }
    let source = try StoreContent.copied(from: path, model: model, in: scratch)
    let profile = try StoreProfiler(source, k: 1).profile()
    let name = URL(fileURLWithPath: path).deletingPathExtension().lastPathComponent
    let kept = scratch.path + "/\(name).profile.yaml"
    try AtomicFile.write(ProfileWriter(profile).text, to: kept)
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
