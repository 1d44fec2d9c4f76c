/// A sum of terms with what each costs; no cost is negative.
package struct Curve: Hashable, Sendable {
  /// One term with its cost.
  package struct Part: Hashable, Sendable {
    package let term: Term
    package let cost: Double

    package init(_ term: Term, _ cost: Double) {
      self.term = term
      self.cost = cost
    }
  }

  package let parts: [Part]

  package init(_ parts: [Part]) {
    self.parts = parts
  }

  /// The value for so many objects.
  package func callAsFunction(_ size: Double) -> Double {
    parts.reduce(0) { $0 + $1.cost * $1.term(size) }
  }

  /// The value where something was measured.
  func value(at point: CurveFit.Point) -> Double {
    parts.reduce(0) { $0 + $1.cost * $1.term.value(at: point) }
  }

  /// Where it bends first, of the terms that cost anything.
  package var bend: Double? {
    parts.filter { $0.cost > 0 }.compactMap(\.term.bend).min()
  }
}
