import Basics
import Runner

extension KindCheck {
  /// Parameters that count as a part of a case, and that change neither its content nor an exact
  /// counter with any value that was tried.
  ///
  /// Such a parameter belongs into ``ParameterSet/irrelevant``: a change to it would pass unseen. Each is
  /// tried in the file's case and, where it does not matter there, in that case with another choice.
  ///
  /// - Throws: What keeps a store from being made or a copy from being written.
  package func idleParameters() throws -> [String] {
    guard let kind = kinds.first else { return [] }
    let axes = kind.axes.filter { !$0.examples.isEmpty }
    let choices = axes.filter(\.isChoice).flatMap { axis in
      axis.examples.map { [Overrides.Parameter(name: axis.name, yaml: $0)] }
    }
    var (tried, effective): (Set<String>, Set<String>) = ([], [])
    for context in [[]] + choices where effective.count < axes.count {
      guard let plan = try? variant(context), let planned = plan.workloads.first?.cases.first,
        !planned.traits.isConcurrent
      else { continue }
      let open = axes.filter {
        planned.parameters[$0.name] != nil && !effective.contains($0.name)
      }
      guard !open.isEmpty else { continue }
      let expected = try ending(of: plan)
      for axis in open {
        let current = planned.allParameters[axis.name]?.description
        for value in axis.examples.filter({ $0 != current }).prefix(4) {
          let others = context.filter { $0.name != axis.name }
          let change = others + [Overrides.Parameter(name: axis.name, yaml: value)]
          guard let changed = try? variant(change), changed.caseCount > 0 else { continue }
          tried.insert(axis.name)
          guard try ending(of: changed) != expected else { continue }
          effective.insert(axis.name)
          break
        }
      }
    }
    return tried.subtracting(effective).sorted()
  }

  private func variant(_ parameters: [Overrides.Parameter]) throws -> Plan {
    try Plan(paths: [path], kinds: kinds, overrides: Overrides(trials: 1, parameters: parameters))
  }

  /// The content and the exact counters of the first case.
  private func ending(of plan: Plan) throws -> [String] {
    guard let result = try run(plan).workloads.first?.cases.first else { return [] }
    return ["\(result.outcome)", result.digest ?? ""]
      + result.exactSamples.map { "\($0.metric.name) \($0.trials)" }
  }
}

extension Axis {
  fileprivate var isChoice: Bool {
    switch domain {
    case .choice, .boolean: true
    default: false
    }
  }

  /// Values to try, as a workload file writes them; none of what a model or a file decides.
  fileprivate var examples: [String] {
    switch domain {
    case .choice(let words): words
    case .boolean: ["true", "false"]
    case .integer(let range): Self.numbers(in: range, beside: [1, 2, 3, 7, 30])
    case .bytes(let range): Self.numbers(in: range, beside: [1, 600, 5_000, 200_000])
    case .real(let range):
      [range.lowerBound, (range.lowerBound + range.upperBound) / 2, range.upperBound].map {
        "\($0)"
      }
    case .name, .names, .path, .paths, .actions, .script: []
    }
  }

  private static func numbers(in range: ClosedRange<Int>, beside others: [Int]) -> [String] {
    ([range.lowerBound] + others).filter(range.contains).map(String.init)
  }
}
