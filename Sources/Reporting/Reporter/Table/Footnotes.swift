import Measurement

/// What must be known to read a workload's rows: for all of them, or by number for some.
struct Footnotes {
  /// Facts that hold for every case.
  private(set) var shared: [String] = []
  /// Facts of some cases, numbered from 1.
  private(set) var numbered: [String] = []
  /// The numbers that each case refers to, such as `1,3`.
  private(set) var references: [String] = []

  init(of cases: [CaseResult]) {
    let facts = cases.map { result in
      result.behaviours.map(Footnotes.text) + result.notes
        + result.losses.map { "lossy as expected: \($0)" }
    }
    shared = Footnotes.unique(facts.first ?? []).filter { fact in
      facts.allSatisfy { $0.contains(fact) }
    }
    numbered = Footnotes.unique(facts.flatMap { $0 }).filter { !shared.contains($0) }
    let numbers = Dictionary(uniqueKeysWithValues: zip(numbered, 1...))
    references = facts.map { facts in
      Footnotes.unique(facts).compactMap { numbers[$0] }.sorted().map(String.init)
        .joined(separator: ",")
    }
  }

  private static func text(of behaviour: Behaviour) -> String {
    let choice = "\(behaviour.name)=\(behaviour.value)"
    return switch behaviour.evidence {
    case .log: "\(choice) (seen in a log of Apple's)"
    case .file: "\(choice) (seen in files of Apple's)"
    case .documented: "\(choice) (documented by Apple)"
    case .assumed: "\(choice) (assumed: proves no claim)"
    }
  }

  private static func unique(_ facts: [String]) -> [String] {
    var seen: Set<String> = []
    return facts.filter { seen.insert($0).inserted }
  }
}
