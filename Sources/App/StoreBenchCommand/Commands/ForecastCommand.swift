import ArgumentParser
import Basics
import DataModel
import Forecasting
import Foundation
import Generators
import PersistentStore
import Runner

struct ForecastCommand: ConsoleCommand {
  static let configuration = CommandConfiguration(
    commandName: "forecast",
    abstract: "Predict the time, memory and disk of a migration on larger stores.",
    usage: "storebench forecast <file>... [--to <size>...] [<option>]...",
    discussion: """
      Measures a migration on stores of growing size (the 'ladder': 1,000 to 128,000 objects), and \
      fits how its cost grows. Every prediction has a 90 % interval. If no reliable prediction is \
      possible, the reason is printed instead. Measurements are kept: after Ctrl-C, the same \
      command continues. All strategies of the files are compared, if their stores come from the \
      same recipe.

      A population is a CSV file with the columns of one of three forms. (1) One line per store: 'objects', 'bytes' \
      or counts such as 'task_count', and optionally 'users', the number of users with such a \
      store. (2) Quantiles: 'quantile' and 'objects'. (3) A histogram: 'users', with 'from' and \
      'to', or 'from_bytes' and 'to_bytes'. The CSV for --observed has the store size, \
      'duration_seconds', 'strategy' (where several are compared) and optionally 'device'.

      EXAMPLE: storebench forecast Workloads/migration/lightweight.yaml --ladder quick
      EXAMPLE: storebench forecast migration.yaml --like App.sqlite --population users.csv
      """
  )

  /// The size of a ladder (runs of a migration on stores of several sizes): quick or full.
  enum LadderSize: String, CaseIterable, ExpressibleByArgument {
    case full
    case quick

    var design: LadderDesign {
      switch self {
      case .full: .full()
      case .quick: .quick()
      }
    }
  }

  @Argument(
    help: ArgumentHelp("Workload files of the kind migration.", valueName: "file"),
    transform: InstalledFiles.resolved
  )
  var files: [String]

  @Option(
    help: ArgumentHelp(
      "Generate stores with the shape of this store or store profile.",
      valueName: "store"
    )
  )
  var like: String?

  @OptionGroup var questions: QuestionOptions

  @Option(
    help: """
      full: 15 sizes up to 128,000 objects, 5 runs each, 3 of the largest; quick: 9 sizes up to \
      16,000 objects, 2 runs each.
      """
  )
  var ladder = LadderSize.full

  @OptionGroup var cases: ParameterOptions

  @Flag(
    help: """
      Ignore cached measurements and measure again, for example after a run on a busy machine.
      """
  )
  var again = false

  @Flag(help: "Show the sizes and budgets of every strategy, and how the forecast was made.")
  var explain = false

  @Option(help: "text, html (a page with charts) or json.")
  var format: PageFormat = .text

  @OptionGroup var model: StoreModelOption
  @OptionGroup var folder: WorkFolderOption
  @OptionGroup var debug: DebugOption

  func run(on console: Console) throws -> CommandStatus {
    try debug.check()
    let profile = try like.flatMap {
      try StoreProfile.read(like: $0, without: [("--model", model.model != nil)])
    }
    let plan = try cases.plan(
      of: files,
      for: console.program,
      store: profile == nil ? like : nil,
      profile: profile == nil ? nil : like,
      model: model,
      variesAssumptions: true
    )
    Signals.listen()
    for warning in plan.warnings { console.note(warning.description) }
    return try Workspace.use(folder, on: console) { space in
      do {
        return try answer(plan, isLikeProfile: profile != nil, space)
      } catch let error where error.isInterruption {
        space.line.clear()
        console.note("interrupted; the measurements are kept, and the same command continues")
        return .interrupted
      }
    }
  }

  private func answer(
    _ plan: Plan,
    isLikeProfile: Bool,
    _ space: Workspace
  ) throws -> CommandStatus {
    let made = try like.map { try recipe(like: $0, isProfile: isLikeProfile, in: space.scratch) }
    let cases = try LadderCase.all(of: plan, like: made?.reference)
    var questions = try questions.read(shape: try shape(of: cases))
    questions.like = like
    // Check the user's questions before measuring the ladder, because measuring can take an hour.
    try questions.check(strategies: cases.map(\.name))
    let environment = space.environment(at: Date.now)
    let outcomes = try measure(cases, of: plan, environment, space)
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
      notes: plan.forecastNotes + [made?.note].compactMap(\.self),
      memory: MemoryProbe.measure
    )
    let console = space.console
    switch format {
    case .text: console.show(report.report(explains: explain))
    case .html: console.show(report.report(), asPage: true)
    case .json: console.write(try report.jsonText())
    }
    return noteFailures(outcomes, on: console)
  }

  private func noteFailures(_ outcomes: [LadderRun.Outcome], on console: Console) -> CommandStatus {
    for outcome in outcomes {
      if let failure = outcome.failure { console.note("\(outcome.name) failed \(failure)") }
    }
    return outcomes.contains { $0.failure != nil } ? .caseFailed : .done
  }

  private func measure(
    _ cases: [LadderCase],
    of plan: Plan,
    _ environment: Environment,
    _ space: Workspace
  ) throws -> [LadderRun.Outcome] {
    let started = MonotonicClock.seconds()
    let run = LadderRun(
      cases: cases,
      design: ladder.design,
      environment: environment,
      stores: StoreLibrary(cacheFolder: folder.cacheFolder),
      // Pin workers to one processor, because the processors of a machine can differ in speed by
      // more than a forecast's allowed error.
      executor: try Executable.worker(on: plan.hasConcurrentCases ? nil : .current),
      scratch: space.scratch,
      cacheFolder: folder.cacheFolder,
      keepFolder: folder.workFolder + "/forecast",
      isStopped: { Signals.isStopped() },
      events: { progress in
        if progress.done == 0 {
          space.console.note(announcement(of: progress, cases.count))
        }
        space.line.take(progress.text(after: MonotonicClock.seconds() - started))
      }
    )
    if again { try run.forget() }
    let outcomes = try run.perform()
    space.line.clear()
    if run.times.work > 0 { space.console.note("time \(run.times.text)") }
    return outcomes
  }

  private func announcement(
    of progress: LadderProgress,
    _ cases: Int
  ) -> String {
    let most = (ladder.design.rungs.last ?? 0).grouped
    let of = cases == 1 ? "one strategy" : "\(cases) strategies"
    let advice =
      progress.total > 200 ? "; '--filter', '--set' and '--ladder quick' reduce the number" : ""
    return
      "\(progress.total.grouped) runs of \(of), on stores of up to \(most) objects; Ctrl-C keeps "
      + "the finished runs\(advice)"
  }

  /// The growth of each entity's object count with the size of the store, from the first case's
  /// recipe.
  ///
  /// The stores of the other recipes are assumed to grow in the same way.
  private func shape(of cases: [LadderCase]) throws -> EntityShape {
    guard let store = cases.first?.store else { return EntityShape(smaller: [:], larger: [:]) }
    return EntityShape(
      smaller: try store.counts(objects: 10_000),
      larger: try store.counts(objects: 100_000)
    )
  }

  private func recipe(
    like path: String,
    isProfile: Bool,
    in scratch: ScratchFolder
  ) throws -> (reference: RecipeReference, note: String?) {
    // A profile is also a recipe, so use its file directly.
    if isProfile { return (RecipeReference(path: path), nil) }
    let source = try StoreContent.copied(from: path, model: model.family(), in: scratch)
    let profile = try StoreProfiler(source, k: 1).profile()
    let name = URL(fileURLWithPath: path).deletingPathExtension().lastPathComponent
    let kept = scratch.path + "/\(name).profile.yaml"
    try AtomicFile.write(ProfileWriter(profile).text, to: kept)
    let objects = profile.entities.reduce(0) { $0 + ($1.objects ?? 0) }
    return (RecipeReference(path: kept), Self.note(onStore: path, objects: objects))
  }

  /// The minimum number of objects from which the proportions of entities can be derived.
  ///
  /// In a smaller store, one object shifts a proportion by more than 1 %.
  private static let fewestObjects = 100

  /// The note that a store has too few objects to derive larger stores from it; `nil` if it has
  /// enough.
  static func note(onStore path: String, objects: Int) -> String? {
    guard objects < fewestObjects else { return nil }
    return "the stores have the proportions of the \(Figures.counted(objects, "object")) in "
      + "'\(path)': too few to show those of users' stores"
  }
}

extension Plan {
  /// The choices that StoreBench made for the workload files, and the cases that it left out.
  ///
  /// Notes about stores that are too small are excluded, because the ladder uses its own stores.
  var forecastNotes: [String] {
    var notes: [String] = []
    for note in workloads.flatMap(\.cases).flatMap(\.notes) where !notes.contains(note) {
      notes.append(note)
    }
    let small = notes.filter { note in remarks.contains { $0.hasPrefix(note) } }
    let leftOut = remarks.filter { remark in
      !remark.hasPrefix(" ") && !small.contains(where: remark.hasPrefix)
    }
    let failing = workloads.flatMap(\.cases).filter { $0.traits.expectedFailure != nil }
    var found = notes.filter { !small.contains($0) } + leftOut
    if !failing.isEmpty {
      let count = Figures.counted(failing.count, "case")
      found.append("\(count) left out, expected to fail: \(Figures.few(failing.map(\.id)))")
    }
    return found
  }
}

struct CalibrateCommand: ConsoleCommand {
  static let configuration = CommandConfiguration(
    commandName: "calibrate",
    abstract: "Measure what basic operations cost on this machine, and write a machine profile.",
    discussion: """
      Prints a machine profile for 'forecast --on'; this takes about 5 s. With '--print-source' it \
      prints one Swift file that makes the same measurements on a device: paste it into an app's \
      test target, run the test named in the file's comment on the device, and save the printed \
      text.

      EXAMPLE: storebench calibrate --name "build server" > server.json
      EXAMPLE: storebench calibrate --print-source > StoreCalibration.swift
      """
  )

  @Option(help: ArgumentHelp("Name of the machine in the machine profile.", valueName: "name"))
  var name: String?

  @Flag(help: "Print the measuring Swift file, and measure nothing.")
  var printSource = false

  @OptionGroup var debug: DebugOption
  @OptionGroup var folder: WorkFolderOption

  func validate() throws {
    if let name, name.isEmpty || name.count > 100 {
      throw ValidationError("'--name' must have from 1 to 100 characters")
    }
    if printSource, name != nil {
      throw ValidationError("'--print-source' measures nothing: leave out '--name'")
    }
  }

  func run(on console: Console) throws -> CommandStatus {
    if printSource {
      console.printDocument(StoreCalibration.source)
      return .done
    }
    try debug.check()
    let costs = try measure()
    console.note(costs.summary)
    console.printDocument(
      try StoreCalibration.profile(of: costs, machine: name ?? ProcessInfo.processInfo.hostName)
    )
    return .done
  }

  private func measure() throws -> StoreCalibration.Costs {
    let scratch = try ScratchFolder(in: folder.scratchFolder)
    defer { scratch.remove() }
    do {
      return try StoreCalibration.measure(in: scratch.path)
    } catch let failure as StoreCalibration.Failure {
      throw Refusal.cannotWrite(scratch.path, reason: failure.description)
    }
  }
}
