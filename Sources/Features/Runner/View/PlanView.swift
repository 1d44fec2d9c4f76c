import Basics
import Reporting

extension Plan {
  /// Returns the report of the plan: its cases, the omitted cases with reasons, and the required
  /// time and disk space.
  ///
  /// `freeBytes` is the free disk space, or `nil` if unknown.
  package func report(_ estimate: PlanEstimate, freeBytes: Int64?) -> Report {
    let free = freeBytes.map { " of \(Figures.bytes($0, .rough)) free" } ?? ""
    var report = Report(
      kind: "plan",
      title: Report.Text(
        "\(Figures.counted(caseCount, "case")), "
          + Figures.counted(estimate.trialCount, "process", "processes")
      ),
      facts: [
        .init(
          "Time",
          "about \(Figures.seconds(estimate.seconds, .rough)), estimated from the store sizes"
        ),
        .init(
          "Disk",
          """
          about \(Figures.bytes(estimate.bytes, .rough))\(free), of which \
          \(Figures.bytes(estimate.newStoreBytes, .rough)) for stores that are kept
          """
        ),
      ],
      source: "the workload files"
    )
    report.sections = workloads.map(\.section)
    if !remarks.isEmpty {
      let blocks = remarks.map { remark -> Report.Block in
        remark.hasPrefix(" ")
          ? .command(String(remark.drop { $0 == " " })) : .sentence(Report.Text(remark))
      }
      report.sections.append(.init("Notes", blocks))
    }
    return report
  }

  /// Returns the remarks, wrapped to a width; commands stay on one line.
  package func remarkLines(width: Int) -> [String] {
    remarks.flatMap { $0.hasPrefix(" ") ? [$0] : TerminalText.wrapped($0, to: width) }
  }
}

extension PlannedWorkload {
  fileprivate var section: Report.Section {
    let store =
      switch file.store {
      case .recipe(let name, _): name
      case .file(let path, _): path
      }
    let repeats = file.trials.iterations > 1 ? " of \(file.trials.iterations) iterations" : ""
    var notes: [String] = []
    for note in cases.flatMap(\.notes) where !notes.contains(note) { notes.append(note) }
    return .init(
      file.name,
      [
        .sentence(
          """
          \(file.kind.name) · \(file.trials.cache.rawValue) · \
          \(Figures.counted(file.trials.trials, "trial"))\(repeats) · \
          \(Figures.counted(cases.count, "case")) · \(store)
          """
        ),
        .list(notes.map { Report.Text($0) }),
        .command(cases.map(\.id).joined(separator: "\n")),
      ]
        + reasons(.values).map {
          .sentence("\(Figures.counted($0.cells, "case")) not possible and left out: \($0.reason)")
        }
    )
  }
}

extension ResultDocument {
  /// The report of a merged result, with the states of the plan's cases, the discarded attempts and
  /// the unfinished cases.
  package var mergeReport: Report {
    var report = report
    guard let plan else { return report }
    // Omit the section of cases that were not run, because the plan's section lists these cases
    // with their states.
    report.sections.removeAll { $0.title == MissingCases.title }
    let states = PlannedCase.State.allCases.compactMap { state -> String? in
      let count = plan.cases.count { $0.state == state }
      return count == 0 ? nil : "\(count) \(state.rawValue)"
    }
    let head: Report.Text = """
      plan \(plan.document.hash.prefix(12)): \(Figures.counted(plan.cases.count, "case")), \
      \(states.joined(separator: ", ")); \(Figures.counted(plan.runs.count, "run"))
      """
    var blocks: [Report.Block] = [.sentence(head), .list(plan.attempts)]
    if hasSeveralEnvironments {
      let names = Set(plan.runs.map(\.environment.machine)).sorted().joined(separator: "; ")
      blocks.append(
        .warning(
          """
          measured in several environments (\(names)): all times of a case come from one \
          environment, and findings never compare times of different environments
          """
        )
      )
    }
    blocks += MissingCases(of: plan).blocks(plan.missing.map { "\($0.id): \($0.state.rawValue)" })
    report.sections.append(.init("Plan", blocks))
    return report
  }
}

extension PlanRecord {
  /// The cases with several attempts, one line each.
  fileprivate var attempts: [Report.Text] {
    cases.filter { $0.attempts.count > 1 }.map { planned in
      let counted = counted(planned)
      let list = planned.attempts.map { attempt in
        // A run that started a case without recording its result was killed or is still running.
        let state = attempt.state == .running ? "not finished" : attempt.state.rawValue
        return "\(run(attempt.run)?.attempt ?? 0) \(state)"
          + (attempt == counted ? " (counts)" : "")
      }
      return "\(planned.id): attempts \(list.joined(separator: ", "))"
    }
  }

  /// The ID of one case per missing task, each on its own line, as `run --case` accepts them.
  package var missingList: String { missingTasks.map { $0.caseID + "\n" }.joined() }

  /// The numbers of the missing tasks in the format of Slurm's `--array`, such as `3,7-9`.
  package var missingArray: String {
    var ranges: [ClosedRange<Int>] = []
    for number in missingTasks.map(\.number) {
      if let last = ranges.last, last.upperBound + 1 == number {
        ranges[ranges.count - 1] = last.lowerBound...number
      } else {
        ranges.append(number...number)
      }
    }
    return ranges.map { $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound)-\($0.upperBound)" }
      .joined(separator: ",")
  }
}
