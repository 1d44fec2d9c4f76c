import Basics
import DataModel
import SQLite

/// The work of a run: the cases of each workload file, in order.
package struct Plan: Sendable {
  /// The maximum number of cases in a plan.
  package static let mostCases = 10_000

  /// The workloads that have cases to run.
  package let workloads: [PlannedWorkload]
  /// Problems that do not prevent the run but are probably unintended.
  package let warnings: [Diagnostic]
  /// The cases that this build or their stores cannot support, and advice for stores that are too
  /// small.
  ///
  /// Lines that start with spaces are commands to type.
  package let remarks: [String]

  /// Creates a plan from planned workloads; workloads without cases are left out.
  package init(workloads: [PlannedWorkload], warnings: [Diagnostic] = []) {
    self.workloads = workloads.filter { !$0.cases.isEmpty }
    self.warnings = warnings
    // The case with the fewest objects needs the largest scale factor, which makes the store large
    // enough for the other cases, too.
    let hint = workloads.compactMap(\.hint).max { $0.scale < $1.scale }
    let ofStores = workloads.flatMap(\.leftOut).map { "\($0.file): \($0.message)" }
    remarks =
      Self.absences(workloads).map { "\($0.cells) left out: \($0.reason)" } + ofStores
      + (hint?.advice ?? [])
  }

  package var caseCount: Int { workloads.reduce(0) { $0 + $1.cases.count } }

  /// Whether any case uses several threads or processes at the same time.
  package var hasConcurrentCases: Bool {
    workloads.contains { $0.cases.contains(where: \.traits.isConcurrent) }
  }

  /// Plans workload files and reports all problems in them together.
  ///
  /// - Throws: ``InvalidInput`` with the problems, or ``Refusal``.
  package init(
    paths: [String],
    kinds: [any WorkloadKind.Type],
    overrides: Overrides = Overrides(),
    filter: String? = nil
  ) throws {
    var problems: [Diagnostic] = []
    var workloads: [PlannedWorkload] = []
    let offers = StoreOffer.Reader()
    let recipes = WorkloadFileReader.Recipes()
    for path in try WorkloadsFolder.files(at: paths) {
      let reader = WorkloadFileReader(path, kinds, overrides, recipes)
      do {
        for file in try reader.read() {
          if let other = workloads.first(where: { $0.file.name == file.name })?.file.path {
            reader.diagnostics.report("has the same name as '\(other)': '\(file.name)'")
          }
          var fitter = try CaseFitter(file, offers, diagnostics: reader.diagnostics)
          workloads.append(
            try PlannedWorkload(file, fitter: &fitter, diagnostics: reader.diagnostics)
          )
          if file.kind.description.fit != nil,
            let warning = try offers.offer(of: file).missingFiles(of: file),
            !problems.contains(warning)
          {
            problems.append(warning)
          }
          // A problem on the command line is reported once, even if it affects several files.
          for problem in fitter.problems where !problems.contains(problem) {
            problems.append(problem)
          }
        }
      } catch let error
        where error is InvalidInput || (error as? Refusal)?.status == .badInput
      {
        problems.append(Diagnostic(file: path, message: "\(error)"))
      }
      problems += reader.diagnostics.all
    }
    guard !problems.contains(where: { $0.severity == .error }) else { throw InvalidInput(problems) }
    self.init(workloads: try Self.chosen(workloads, by: filter), warnings: problems)
  }

  private static func absences(
    _ workloads: [PlannedWorkload]
  ) -> [(reason: String, cells: String, files: String)] {
    let absent = workloads.flatMap { workload in
      workload.reasons(.program).map { (reason: $0.reason, cells: $0.cells, workload.file.path) }
    }
    return Set(absent.map(\.reason)).sorted().map { reason in
      let parts = absent.filter { $0.reason == reason }
      let count = parts.reduce(0) { $0 + $1.cells }
      return (reason, Figures.counted(count, "case"), parts.map(\.2).joined(separator: ", "))
    }
  }

  private static func chosen(
    _ workloads: [PlannedWorkload],
    by filter: String?
  ) throws -> [PlannedWorkload] {
    let count = workloads.reduce(0) { $0 + $1.cases.count }
    guard count <= mostCases else { throw Refusal.tooManyCases(count: count, limit: mostCases) }
    var chosen = workloads
    if let filter {
      chosen = workloads.map { $0.filtered(by: Glob(filter)) }
        .filter { !$0.cases.isEmpty || $0.impossible.contains { $0.cause != .values } }
      guard !chosen.isEmpty else {
        throw Refusal.misuse(
          "no case matches '\(filter)'; case IDs look like "
            + "'\(workloads.lazy.flatMap(\.cases).first?.id ?? "")', and '*' stands for any text"
        )
      }
    }
    let leftOut =
      chosen.flatMap(\.leftOut)
      + absences(chosen).map { Diagnostic(file: $0.files, message: $0.reason) }
    guard leftOut.isEmpty || chosen.contains(where: { !$0.cases.isEmpty }) else {
      throw InvalidInput(leftOut)
    }
    return chosen
  }
}

/// The cases of one workload file, in the order of its parameters; the last parameter varies
/// fastest.
package struct PlannedWorkload: Sendable {
  /// A cell (a combination of parameter values) that cannot be run.
  package struct Impossible: Hashable, Sendable {
    /// The ID that the case would have.
    package let id: String
    package let parameters: ParameterValues
    package let reason: String
    let cause: Cause
  }

  /// The reason for leaving out a cell.
  package enum Cause: Sendable {
    /// The values are mutually exclusive.
    case values
    /// The store does not meet the case's requirements.
    case store
    /// The build lacks code that the case needs.
    case program
  }

  package var file: WorkloadFile
  package var cases: [Case]
  /// The cells that are left out (combinations of parameter values that cannot be run).
  package var impossible: [Impossible]
  var hint: CaseFitter.ScaleHint?
}

extension PlannedWorkload {
  /// Combines the values of a file's parameters into cells, fits the cells to the store, and
  /// reports values that are left without a case.
  ///
  /// - Throws: ``Refusal/tooManyCases(count:limit:)``
  init(_ file: WorkloadFile, fitter: inout CaseFitter, diagnostics: Diagnostics) throws {
    var (cases, impossible): ([Case], [Impossible]) = ([], [])
    var (written, known): (Set<String>, Set<ParameterValues>) = ([], [])
    var planned: [Case] = []
    var possible: [String: Set<ParameterValue>] = [:]
    var hint: CaseFitter.ScaleHint?
    var varied: [(cell: [String: ParameterValue], name: String)] = []
    func add(_ cell: [String: ParameterValue], variation: String? = nil) {
      let (asWritten, impossibility) = file.makeCase(of: cell)
      func leaveOut(_ planned: Case, _ reason: String, _ cause: Cause) {
        // Do not report a variation, a cell that differs only in an assumption: it was added
        // automatically and is not in the file.
        guard variation == nil else { return }
        impossible.append(
          Impossible(
            id: planned.id,
            parameters: ParameterValues(cell),
            reason: reason,
            cause: cause
          )
        )
      }
      if let reason = impossibility { return leaveOut(asWritten, reason, .values) }
      for (name, value) in cell { possible[name, default: []].insert(value) }
      // Cells with equal IDs stay equal after they are fitted to the store.
      guard written.insert(asWritten.id).inserted else { return }
      planned.append(asWritten)
      if let absence = file.kind.absence(of: asWritten.allParameters) {
        return leaveOut(asWritten, absence, .program)
      }
      guard var fitted = fitter.fit(cell, asWritten),
        known.insert(fitted.planned.allParameters).inserted
      else { return }
      if let obstacle = fitted.obstacle { return leaveOut(fitted.planned, obstacle, .store) }
      fitted.planned.variation = variation
      cases.append(fitted.planned)
      if let found = fitted.hint, found.scale > hint?.scale ?? 0 { hint = found }
      if variation == nil { varied += file.variations(of: cell, fitted.planned.traits) }
    }
    for cell in try file.cells() { add(cell) }
    for other in varied { add(other.cell, variation: other.name) }
    self.init(file: file, cases: cases, impossible: impossible, hint: hint)
    if planned.isEmpty, let first = impossible.first {
      diagnostics.report("no case is possible: \(first.reason)")
    } else {
      reportImpossible(but: possible, to: diagnostics)
      reportIdle(in: planned, to: diagnostics)
      reportIdleSettings(to: diagnostics)
    }
  }

  /// Rejects parameters in the file that affect no case, because a change to them would go
  /// unnoticed.
  ///
  /// If the command line sets parameters, the problem is only a warning. Those parameters may be
  /// meant for other files, and they may make the file's own parameters irrelevant.
  private func reportIdle(in planned: [Case], to diagnostics: Diagnostics) {
    let isAsWritten = file.parameters.allSatisfy { $0.values.first?.place != nil }
    for parameter in file.parameters {
      let name = parameter.axis.name
      guard planned.allSatisfy({ $0.shownParameters[name] == nil }) else { continue }
      let place = parameter.values.first?.place
      let remedy = planned.first.flatMap { file.kind.remedy(for: name, in: $0.allParameters) }
      diagnostics.report(
        "'\(name)' has no effect on any case of this file: "
          + (remedy
            ?? "leave it out; 'storebench reference kinds \(file.kind.name)' says what it is for"),
        at: place,
        severity: isAsWritten ? .error : .warning
      )
    }
  }

  private func reportImpossible(
    but possible: [String: Set<ParameterValue>],
    to diagnostics: Diagnostics
  ) {
    let impossible = impossible.filter { $0.cause == .values }
    guard let first = impossible.first else { return }
    for parameter in file.parameters {
      let name = parameter.axis.name
      for value in parameter.values where possible[name]?.contains(value.value) != true {
        let cell = impossible.first { $0.parameters[name] == value.value } ?? first
        diagnostics.report("'\(name)' cannot be '\(value.value)': \(cell.reason)", at: value.place)
      }
    }
  }

  /// Returns the same cases for a file with a different store, settings or trial policy.
  package func with(_ file: WorkloadFile) -> PlannedWorkload {
    var changed = self
    changed.file = file
    return changed
  }

  func keeping(_ ids: Set<String>) -> PlannedWorkload {
    var kept = self
    (kept.cases, kept.impossible) = (cases.filter { ids.contains($0.id) }, [])
    return kept
  }

  /// Returns the workload with the cases whose IDs match the pattern.
  package func filtered(by glob: Glob) -> PlannedWorkload {
    var kept = self
    kept.cases.removeAll { !glob.matches($0.id) }
    kept.impossible.removeAll { $0.cause != .values && !glob.matches($0.id) }
    return kept
  }

  /// Returns the reasons for leaving out cells, with the number of cells per reason.
  package func reasons(_ cause: Cause) -> [(reason: String, cells: Int)] {
    var reasons: [(reason: String, cells: Int)] = []
    for cell in impossible where cell.cause == cause {
      if let index = reasons.firstIndex(where: { $0.reason == cell.reason }) {
        reasons[index].cells += 1
      } else {
        reasons.append((cell.reason, 1))
      }
    }
    return reasons
  }

  var leftOut: [Diagnostic] {
    reasons(.store).map { reason, cells in
      Diagnostic(
        file: file.path,
        message: "\(Figures.counted(cells, "case")) not possible on this store and left "
          + "out: \(reason)"
      )
    }
  }

  /// Returns one case of the workload on a store of another size, measured once.
  ///
  /// The divisor reduces the page cache and the WAL size that triggers a checkpoint; `parameters`
  /// replace the case's own parameters.
  package func resized(
    _ planned: Case,
    store: StoreSource,
    cacheDivisor: Int,
    parameters: [String: ParameterValue]
  ) -> PlannedWorkload {
    var resized = file
    (resized.store, resized.recipe) = (store, nil)
    (resized.trials.trials, resized.trials.iterations, resized.trials.warmUps) = (1, 1, 0)
    // Budgets apply only to the store that the file names.
    resized.budget = [:]
    func smaller(_ pages: Int) -> Int { min(pages, max(pages / max(cacheDivisor, 1), 10)) }
    resized.settings.cachePages = smaller(file.settings.cachePages)
    resized.settings.walAutocheckpoint = smaller(file.settings.walAutocheckpoint)
    return PlannedWorkload(file: resized, cases: [planned.setting(parameters)], impossible: [])
  }
}
