/// Cases of one job that differ in one parameter: the alternatives that compete.
struct Contest: Hashable {
  struct Contender: Hashable {
    /// The parameter's value.
    let label: String
    /// The case's place in the analysis.
    let index: Int
  }

  /// The parameter whose values compete.
  let parameter: String
  /// What else the cases share, by parameter.
  let conditions: [String: String]
  /// At least two, none of which does the same work as another one.
  let contenders: [Contender]
  /// Alternatives left out, as they do the same work as a contender.
  let sameWork: [String]
}

/// The contests of a workload's cases.
struct ContestPlan {
  let cases: [CaseResult]
  /// The parameters that compete, the most important first.
  let alternatives: [String]
  let contests: [Contest]

  /// The contests of cases that were measured in at least two trials.
  init(_ cases: [CaseResult], parameters: [String]) {
    self.cases = cases
    let jobs = Dictionary(grouping: cases.indices) { cases[$0].job ?? "" }
    let assumed = Set(
      cases.flatMap { result in result.behaviours.filter { $0.evidence == .assumed }.map(\.name) }
    )
    let names = Set(jobs.values.flatMap { Self.varying($0.map { cases[$0].parameters }) })
    let order = parameters + names.subtracting(parameters).sorted()
    // A strategy is what a developer chooses first.
    alternatives = order.filter { names.contains($0) && !assumed.contains($0) }
      .enumerated().sorted {
        ($0.element == "strategy" ? 0 : 1, $0.offset) < (
          $1.element == "strategy" ? 0 : 1, $1.offset
        )
      }.map(\.element)
    let ordered = jobs.values.map { $0.sorted() }.sorted { $0[0] < $1[0] }
    contests = alternatives.flatMap { parameter in
      ordered.flatMap { Self.contests(of: parameter, among: $0, cases) }
    }
  }

  private static func varying(_ values: [[String: String]]) -> Set<String> {
    Set(values.flatMap(\.keys)).filter { name in Set(values.map { $0[name] }).count > 1 }
  }

  /// The contests of one job: for each setting of everything else, the values of the parameter.
  ///
  /// A case without a parameter that others have, since it does not matter to it, is compared in
  /// every setting of that parameter.
  private static func contests(
    of parameter: String,
    among indices: [Int],
    _ cases: [CaseResult]
  ) -> [Contest] {
    let holders = indices.filter { cases[$0].parameters[parameter] != nil }
    let settings = holders.map { index in
      cases[index].parameters.filter { $0.key != parameter }
    }
    var maximal: [[String: String]] = []
    for setting in settings where !maximal.contains(setting) {
      let isPart = settings.contains { $0.count > setting.count && setting.isPart(of: $0) }
      if !isPart { maximal.append(setting) }
    }
    return maximal.compactMap { setting in
      var contenders: [Contest.Contender] = []
      var (sameWork, methods): ([String], Set<String>) = ([], [])
      for (index, own) in zip(holders, settings) where own.isPart(of: setting) {
        guard let label = cases[index].parameters[parameter],
          !contenders.contains(where: { $0.label == label })
        else { continue }
        if let method = cases[index].method, !methods.insert(method).inserted {
          sameWork.append(label)
        } else {
          contenders.append(Contest.Contender(label: label, index: index))
        }
      }
      guard contenders.count > 1 else { return nil }
      return Contest(
        parameter: parameter,
        conditions: setting,
        contenders: contenders,
        sameWork: sameWork
      )
    }
  }
}

extension [String: String] {
  /// Whether the other dictionary has all of these values.
  fileprivate func isPart(of other: [String: String]) -> Bool {
    allSatisfy { other[$0.key] == $0.value }
  }
}
