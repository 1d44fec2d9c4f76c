import Basics
import Reporting

extension Comparison {
  private var suspects: [Cause] {
    let rising = Set(workloads.filter(\.hasRise).map(\.workload))
    return causes.filter { $0.workloads.isEmpty || !rising.isDisjoint(with: $0.workloads) }
  }

  /// The recommended next step, with its reason.
  var next: Report.Text {
    let tally = tally
    if obstacle != nil, !lacksBaseline {
      return causes.contains { $0.kind == .build }
        ? "Measure both sides with the same build of StoreBench and SQLite."
        : "Compare results of the same workload files, with the same settings."
    }
    if tally.failedCases > 0 { return "Repair the failed cases: what failed has no cost." }
    if lacksBaseline { return "Make this result the baseline with '\(update)'." }
    if tally.regressed > 0 {
      let suspects = suspects
      guard let cause = suspects.first else {
        return "Decide whether the rise is wanted; if it is, make this result the baseline."
      }
      let more = suspects.count > 1 ? " and \(suspects.count - 1) more" : ""
      let name = suspects.count > 1 ? "Possible causes" : "Cause"
      return """
        Decide whether the cause is worth its cost: if it is, make this result the baseline; if not, \
        undo it. \(name): \(cause.text)\(more).
        """
    }
    let known = hasBaselineFile ? newCount + gone.count : 0
    let isOpen = tally.undecided > 0 || tally.undecidedCases > known
    let steps =
      updateSteps
      + (isOpen ? ["Measure what could not be compared again, with the same cases."] : [])
    return steps.isEmpty ? "Nothing has to be done." : Report.Text(steps.joined(separator: " "))
  }

  /// The number of cases without a baseline.
  private var newCount: Int { workloads.flatMap(\.onlyInCandidate).count }

  private var update: String { updateCommand ?? "storebench baseline update RESULT" }

  /// The steps that update a baseline file to match the result, with the reasons; empty if there is
  /// no baseline file.
  private var updateSteps: [String] {
    guard hasBaselineFile else { return [] }
    let (unjudged, new) = (workloads.flatMap(\.cases).count(where: \.hasUnjudgedCosts), newCount)
    let reasons: [String?] = [
      unjudged > 0
        ? "later rises in \(Figures.counted(unjudged, "case")) with changed content are not judged"
        : nil,
      tally.improved > 0 ? "a rise of what fell, up to its old value, is not seen" : nil,
      new > 0
        ? "\(Figures.counted(new, "case")) without a baseline \(new == 1 ? "is" : "are") not judged"
        : nil,
    ]
    let until = reasons.compactMap(\.self).joined(separator: ", and ")
    var steps: [String] = []
    if !until.isEmpty {
      steps.append("Update the baseline with '\(update)': until then, \(until).")
    }
    if !gone.isEmpty {
      let (verb, all) = gone.count == 1 ? ("is", "it is") : ("are", "they are")
      steps.append(
        "\(Figures.counted(gone.count, "case")) \(verb) only in the baseline: measure every case, "
          + "or, if \(all) gone for good, remove all that this result lacks with "
          + "'\(update) --prune'."
      )
    }
    return steps
  }
}
