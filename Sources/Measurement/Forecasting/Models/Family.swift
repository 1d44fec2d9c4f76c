/// A way of explaining a cost: fitted to the rungs of a ladder, or to the lower ones of them, and to
/// the probes that were measured no higher.
struct Family: Sendable {
  let name: String
  let fit: @Sendable (_ rungs: [Rung], _ probes: [Probe]) -> SummedCurves?
}

/// A cost as the sum of what its phases cost.
package struct SummedCurves: Hashable, Sendable {
  /// One phase with its curve.
  package struct Phase: Hashable, Sendable {
    package let name: String
    package let curve: Curve
  }

  package let phases: [Phase]

  /// The cost at a size.
  package func callAsFunction(_ size: Double) -> Double {
    phases.reduce(0) { $0 + $1.curve(size) }
  }

  /// The cost where it was measured, the counters read there in place of their laws.
  func value(at point: CurveFit.Point) -> Double {
    phases.reduce(0) { $0 + $1.curve.value(at: point) }
  }
}
