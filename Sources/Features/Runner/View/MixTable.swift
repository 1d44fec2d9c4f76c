import Basics
import DataModel
import Reporting

/// A table of the cost of a mix of operations for each alternative and size: the weighted sum, and
/// the share of each operation.
struct MixTable {
  private let mix: OperationMix
  private let cases: [CaseResult]
  private let contests: [MeasuredContests.MixedContest]

  /// Creates the table; `nil` unless alternatives were measured in several operations of the mix.
  init?(of workload: WorkloadResult) {
    guard let mix = workload.mix else { return nil }
    let cases = workload.keeping(variations: false).cases.filter(\.isComparable)
    let plan = ContestPlan(cases, parameters: [])
    guard let main = plan.alternatives.first else { return nil }
    // Exclude operations that were not measured from the mix.
    let measured = Set(cases.compactMap { $0.parameters[OperationMix.parameter] })
    self.mix = OperationMix(weights: mix.weights.filter { measured.contains($0.key) })
    self.cases = cases
    contests = MeasuredContests.mixed(plan, mix, main: main)
    if contests.isEmpty { return nil }
  }

  /// Returns the reason why a workload with cases of several operations has no table; `nil` if it
  /// has one.
  static func obstacle(of workload: WorkloadResult) -> String? {
    let operations = Set(workload.cases.compactMap { $0.parameters[OperationMix.parameter] })
    guard let mix = workload.mix, operations.count > 1, MixTable(of: workload) == nil else {
      return nil
    }
    if operations.count(where: { mix.weights[$0] ?? 0 > 0 }) < 2 {
      return "the mix has fewer than two of its operations"
    }
    if workload.mostTrials < 2 {
      return "its cases have a single trial, which decides nothing: run it with '--trials 5'"
    }
    return "no two alternatives have comparable times in each operation of the mix"
  }

  var blocks: [Report.Block] { [.heading("The mix"), .table(table)] }

  var table: Report.Table {
    let labels = contests.flatMap { $0.contest.contenders.map(\.label) }.unique
    let sums = sums
    return Report.Table(
      "",
      [.init("Case"), .init("Operation")]
        + labels.map { .init(CaseDimensions.words($0), .number) },
      rows: contests.flatMap { rows(of: $0, labels, sums) },
      note: Report.Text(
        "Sum: the median over the trials of the times in the proportions \(mix.text), with the 95 % "
          + "interval from the variation of all sums; below it each operation's share. Other proportions: "
          + "'storebench report RESULT --mix'"
      )
    )
  }

  private func rows(
    of mixed: MeasuredContests.MixedContest,
    _ labels: [String],
    _ sums: PooledIntervals
  ) -> [[Report.Cell]] {
    let conditions = mixed.contest.conditions.sorted { $0.key < $1.key }
    let name = conditions.compactMap { name, value in
      // Omit conditions that all rows share.
      Set(contests.map { $0.contest.conditions[name] }).count > 1
        ? "\(name) \(CaseDimensions.text(value, of: name))" : nil
    }.joined(separator: ", ")
    let parts = labels.map { label in
      mixed.contest.contenders.first { $0.label == label }.flatMap { mixed.parts[$0.index] }
    }
    let operations = (parts.lazy.compactMap(\.self).first ?? []).compactMap {
      cases[$0].parameters[OperationMix.parameter]
    }
    // Repeat the title in every row, because a screen reader cannot name a row with an empty
    // header.
    let title = Report.Cell.text(name.isEmpty ? "all" : name)
    let head: [Report.Cell] =
      [title, "sum"]
      + parts.map { parts in parts.map { .text(text(ofSumOf: $0, sums)) } ?? "–" }
    return [head]
      + operations.map { operation in
        [title, .text(CaseDimensions.words(operation))]
          + parts.map { parts in
            parts.flatMap { share(of: operation, in: $0) }.map {
              .text(Figures.fixed($0 * 100, decimals: 1) + " %")
            } ?? "–"
          }
      }
  }

  /// The confidence intervals of the sums, from the pooled variation of all sums.
  private var sums: PooledIntervals {
    PooledIntervals(
      contests.flatMap { $0.parts.sorted { $0.key < $1.key } }
        .map { MeasuredContests.sum(of: $0.value, cases, mix) }
    )
  }

  private func text(ofSumOf parts: [Int], _ sums: PooledIntervals) -> String {
    let values = MeasuredContests.sum(of: parts, cases, mix)
    guard let median = Summary(of: values)?.p50 else { return "–" }
    let text = Figures.seconds(median)
    return sums.interval(of: values).map { interval in
      "\(text) (\(Figures.seconds(interval.lowerBound)) to "
        + "\(Figures.seconds(interval.upperBound)))"
    } ?? text
  }

  /// Returns the share of an operation in the total of the weighted medians.
  private func share(of operation: String, in parts: [Int]) -> Double? {
    let times = parts.map { index in
      TrialIntervals.median(cases[index].trialValues(of: .wallClock)) * mix.weight(of: cases[index])
    }
    let total = times.reduce(0, +)
    guard total > 0,
      let place = parts.firstIndex(where: {
        cases[$0].parameters[OperationMix.parameter] == operation
      })
    else { return nil }
    return times[place] / total
  }
}

extension ResultDocument {
  /// The reasons why workloads with cases of several operations have no table of the mix.
  package var missingMixTables: [String] {
    workloads.compactMap { workload in
      MixTable.obstacle(of: workload).map {
        "'\(workload.workload)' has no table of the mix: \($0)"
      }
    }
  }

  /// Returns the document with findings recomputed by the current rules, so that they agree with
  /// the tables.
  ///
  /// If `weights` are given, they replace the mix of operations; the measured times stay the same.
  ///
  /// - Throws: ``Refusal`` if no workload has several operations, or if the weights name an unknown
  ///   operation.
  package func judged(
    by weights: [String: Double]?,
    kinds: [any WorkloadKind.Type]
  ) throws -> ResultDocument {
    var document = self
    var known: Set<String> = []
    for index in workloads.indices {
      let operations = Set(
        workloads[index].cases.compactMap { $0.parameters[OperationMix.parameter] }
      )
      if weights != nil, operations.count < 2 { continue }
      known.formUnion(operations)
      let mix =
        weights.map { OperationMix(weights: $0.filter { operations.contains($0.key) }) }
        ?? workloads[index].mix
      let kind = kinds.first { $0.name == workloads[index].kind }
      // Keep the stored findings if they cannot be recomputed faithfully. The program may lack the
      // kind, or an earlier build may have stored no jobs (which cases are alternatives) or no mix.
      // Partial and merged results may lack findings on purpose, because cases are missing or times
      // come from several machines.
      let hasMix = workloads[index].leads.contains { $0.rows.contains(where: \.isMix) }
      let isKnown =
        kind != nil && workloads[index].cases.contains(where: \.isComparable)
        && (mix != nil || !hasMix)
        && !(workloads[index].findings.isEmpty && (plan != nil || !missing.isEmpty))
      if weights == nil, !isKnown { continue }
      document.workloads[index].mix = mix
      let analysis = FindingAnalysis(
        document.workloads[index],
        kind.map { Inquiry(of: $0, mix: mix) } ?? Inquiry(mix: mix)
      )
      document.workloads[index].findings = analysis.findings
      document.workloads[index].leads = analysis.leads
    }
    guard let weights else { return document }
    guard !known.isEmpty else {
      throw Refusal.badInput(
        "no workload of this result has cases of several operations, which a mix would add up; the "
          + "mix of a scenario is one case: run it with other weights"
      )
    }
    if let other = weights.keys.sorted().first(where: { !known.contains($0) }) {
      let hint = didYouMean(other, among: known.sorted())
      throw Refusal.badInput(
        "no case of this result does the operation '\(other)'\(hint)"
          + (hint.isEmpty ? "; it has " : " It has ") + known.sorted().joined(separator: ", ")
      )
    }
    guard weights.values.count(where: { $0 > 0 }) > 1 else {
      throw Refusal.badInput("a mix adds up several operations: give two or more a weight above 0")
    }
    return document
  }
}

extension OperationMix {
  /// Parses weights such as `list=30, insert=1`.
  ///
  /// - Throws: a ``Refusal`` that describes the mistake.
  package static func weights(in text: String) throws -> [String: Double] {
    var weights: [String: Double] = [:]
    for part in text.split(separator: ",") {
      let pair = part.split(separator: "=", omittingEmptySubsequences: false).map { word in
        String(word.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
      }
      guard pair.count == 2, !pair[0].isEmpty, let quantity = Quantity(pair[1]),
        quantity.dimension == .plain, (0...1e9).contains(quantity.value)
      else {
        throw Refusal.misuse(
          "a mix is OPERATION=NUMBER, with numbers from 0 to 1000000000, such as 'list=30, insert=1'; "
            + "'\(part)' is none"
        )
      }
      guard weights.updateValue(quantity.value, forKey: pair[0]) == nil else {
        throw Refusal.misuse("the mix names '\(pair[0])' twice")
      }
    }
    guard weights.values.contains(where: { $0 > 0 }) else {
      throw Refusal.misuse("the mix has no operation that is ever done: give one a number above 0")
    }
    return weights
  }
}
