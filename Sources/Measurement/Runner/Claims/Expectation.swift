import Basics
import DataModel

/// One thing that must be so for a claim to hold.
package struct Expectation: Hashable, Sendable {
  /// What is looked at.
  package enum Subject: Hashable, Sendable {
    /// The median of a metric in every selected case.
    case value(metric: String, cases: CaseSelector)
    /// The medians of pairs of cases that agree in every parameter neither selector names.
    case ratio(metric: String, of: CaseSelector, to: CaseSelector)
    /// Whether the selected cases fail as their kind expects them to.
    case failure(cases: CaseSelector)
  }

  package var subject: Subject
  /// The cases looked at, of those that have the parameters it names.
  package var restriction: CaseSelector
  /// Must be below it; `nil` where there is no upper bound.
  package var below: Quantity?
  /// Must be above it; `nil` where there is no lower bound.
  package var above: Quantity?
  package var place: Place?

  package init(
    _ subject: Subject,
    where restriction: CaseSelector = CaseSelector(),
    below: Quantity? = nil,
    above: Quantity? = nil,
    place: Place? = nil
  ) {
    self.subject = subject
    self.restriction = restriction
    self.below = below
    self.above = above
    self.place = place
  }
}

/// Chooses cases by the values of some parameters.
package struct CaseSelector: Hashable, Sendable {
  /// The allowed values of each parameter named.
  package var allowed: [String: [ParameterValue]]

  package init(_ allowed: [String: [ParameterValue]] = [:]) {
    self.allowed = allowed
  }

  /// The parameters it names.
  package var names: Set<String> { Set(allowed.keys) }

  /// Whether a case has an allowed value for every parameter named.
  package func selects(_ parameters: ParameterValues) -> Bool {
    allowed.allSatisfy { name, values in
      parameters[name].map { values.contains($0) } ?? false
    }
  }

  /// Whether no parameter that matters in a case has a value that is not allowed.
  package func admits(_ parameters: ParameterValues) -> Bool {
    allowed.allSatisfy { name, values in
      parameters[name].map { values.contains($0) } ?? true
    }
  }
}
