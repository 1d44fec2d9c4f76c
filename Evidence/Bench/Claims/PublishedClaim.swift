import Basics
import DataModel
import Runner

/// A published statement that a workload file tests.
struct PublishedClaim {
  var text: String
  var source: String
  /// The reason why the statement cannot be tested; `nil` if the expectations test it.
  var notTestable: String?
  var scope = ClaimResult.Scope.everyCell
  var expectations: [Expectation] = []
}

extension PublishedClaim {
  private static let keys = ["text", "source", "holds", "notTestable", "expect"]

  /// Reads the claims of a file, keyed by the names of the workload files that test them.
  ///
  /// Claims of workload files outside the plan are left out.
  ///
  /// - Throws: ``Refusal`` for an unreadable file, or ``InvalidInput`` with every problem of the
  ///   file.
  static func read(path: String, for plan: Plan) throws -> [String: PublishedClaim] {
    let diagnostics = Diagnostics(file: path)
    var claims: [String: PublishedClaim] = [:]
    for entry in try YAMLDocument.read(path: path, into: diagnostics)?.mapping()?.entries ?? [] {
      guard let workload = plan.workloads.first(where: { $0.file.name.hasSuffix("/" + entry.key) })
      else { continue }
      claims[workload.file.name] = PublishedClaim(entry.value, workload)
    }
    for workload in plan.workloads where claims[workload.file.name] == nil {
      diagnostics.report("no claim for '\(workload.file.name)'")
    }
    guard !diagnostics.hasErrors else { throw InvalidInput(diagnostics.all) }
    return claims
  }

  private init?(_ value: YAMLValue, _ workload: PlannedWorkload) {
    guard let mapping = value.mapping(knowing: Self.keys),
      let text = mapping.required("text")?.string(),
      let source = mapping.required("source")?.string()
    else { return nil }
    self.init(text: text, source: source)
    notTestable = mapping["notTestable"]?.string()
    if notTestable == nil, mapping["expect"] == nil {
      value.report("a claim needs 'expect', or 'notTestable' with the reason")
    }
    let scopes = ClaimResult.Scope.allCases.map { (word: $0.rawValue, value: $0) }
    scope = mapping["holds"]?.choice(of: scopes) ?? .everyCell
    let axes = workload.file.kind.axes
    for item in mapping["expect"]?.itemsOrSelf() ?? [] {
      guard let expectation = Expectation(item, axes: axes) else { continue }
      expectations.append(expectation)
      if !expectation.looksAtAny(of: workload.cases) {
        item.report("no case of the plan matches 'expect'")
      }
    }
  }
}
