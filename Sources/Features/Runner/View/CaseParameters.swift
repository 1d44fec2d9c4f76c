import Basics
import Reporting

/// The parameters of a workload's cases, divided into parameters that all cases share and
/// parameters that vary, which become table columns.
struct CaseParameters {
  /// The parameters that all cases share, as `name=value`; empty values are omitted.
  let shared: [String]
  let columns: [Report.Column]
  private let names: [String]
  private let isOneColumn: Bool

  /// The maximum total width of the parameter columns in characters; if they are wider, all
  /// parameters share one column.
  private static let most = 30

  init(of cases: [CaseResult]) {
    let all = Set(cases.flatMap(\.parameters.keys)).sorted()
    let names = all.filter { name in Set(cases.map { $0.parameters[name] }).count > 1 }
    self.names = names
    shared = all.filter { !names.contains($0) }.compactMap { name in
      cases.first?.parameters[name].flatMap { $0.isEmpty ? nil : "\(name)=\($0)" }
    }
    let width = names.reduce(0) { width, name in
      width + 2
        + ([name]
        + cases.compactMap { $0.parameters[name].map { CaseDimensions.words($0, of: name) } })
        .reduce(0) { max($0, $1.count) }
    }
    isOneColumn = names.isEmpty || width > Self.most
    columns =
      isOneColumn
      ? [.init("Case")]
      : names.map { name in
        let isNumeric = cases.allSatisfy { Double($0.parameters[name] ?? "0") != nil }
        return .init(name, isNumeric ? .number : .text)
      }
  }

  func cells(of result: CaseResult) -> [Report.Cell] {
    guard !isOneColumn else { return [.text(label(of: result))] }
    return names.map { .text(CaseDimensions.words(result.parameters[$0] ?? "", of: $0)) }
  }

  /// Returns a label that distinguishes a case from the other cases of its workload.
  func label(of result: CaseResult) -> String {
    let parts = names.compactMap { name in result.parameters[name].map { (name, $0) } }
    return parts.isEmpty ? result.id : CaseDimensions.words(of: parts)
  }
}

/// The notes that are needed to interpret the figures of the cases.
struct CaseNotes {
  /// The notes that apply to all cases.
  let shared: [String]
  /// The notes that apply to some cases, numbered from 1.
  let numbered: [String]
  /// For each case, the numbers of its notes, such as `1, 3`.
  let references: [String]

  init(of cases: [CaseResult]) {
    let facts = cases.map { result in
      result.behaviours.map(Self.text) + result.notes
        + result.losses.map { "lossy as expected: \($0)" }
    }
    let shared = (facts.first ?? []).unique.filter { fact in
      facts.allSatisfy { $0.contains(fact) }
    }
    let numbered = facts.flatMap(\.self).unique.filter { !shared.contains($0) }
    (self.shared, self.numbered) = (shared, numbered)
    references = facts.map { facts in
      numbered.indices.filter { facts.contains(numbered[$0]) }.map { "\($0 + 1)" }
        .joined(separator: ", ")
    }
  }

  private static func text(of behaviour: Behaviour) -> String {
    let evidence =
      switch behaviour.evidence {
      case .log: "seen in a log of Apple's"
      case .file: "seen in files of Apple's"
      case .documented: "documented by Apple"
      case .assumed: "assumed"
      }
    return "\(behaviour.name)=\(behaviour.value) (\(evidence))"
  }
}
