/// The ways of explaining peak memory and peak disk.
enum SpaceFamilies {
  /// Caches fill, arrays and hash tables double, and what is kept of each object adds up.
  static func memory(_ value: @escaping @Sendable (Rung) -> Double?) -> [Family] {
    [
      family("linear", value, tolerance: 0.01) { _ in [[.constant, .objects]] },
      family("doubling tables", value, tolerance: 0.01) { rungs in
        let tables = Term.doubling(EntityShape(rungs))
        return [[.constant, .objects, tables]]
          + BendGrid.sizes(of: rungs.map(\.size), step: 1.25).map {
            [.constant, .objects, tables, .filling(bend: $0)]
          }
      },
      family("filling caches", value, tolerance: 0.01) { rungs in
        BendGrid.sizes(of: rungs.map(\.size), step: 1.25).map {
          [.constant, .objects, .filling(bend: $0)]
        }
      },
    ]
  }

  /// Files grow with the store's bytes; logs are checkpointed, and so stop growing.
  static func disk(_ value: @escaping @Sendable (Rung) -> Double?) -> [Family] {
    [
      family("linear", value, \.storeBytes, tolerance: 0.003) { _ in [[.constant, .objects]] },
      family("filling logs", value, \.storeBytes, tolerance: 0.003) { rungs in
        BendGrid.sizes(of: rungs.map(\.storeBytes), step: 1.25).map {
          [.constant, .objects, .filling(bend: $0)]
        }
      },
    ]
  }

  /// The store's own bytes.
  static let store = [
    family("linear", storeSize, tolerance: 0.01) { _ in [[.constant, .objects]] }
  ]

  private static func storeSize(_ rung: Rung) -> Double? {
    rung.storeBytes > 0 ? rung.storeBytes : nil
  }

  private static func family(
    _ name: String,
    _ value: @escaping @Sendable (Rung) -> Double?,
    _ axis: @escaping @Sendable (Rung) -> Double = { $0.size },
    tolerance: Double,
    _ terms: @escaping @Sendable ([Rung]) -> [[Term]]
  ) -> Family {
    Family(name: name) { rungs, _ in
      let points = rungs.compactMap { rung in
        value(rung).map { CurveFit.Point(size: axis(rung), value: $0) }
      }
      let result = CurveFit(tolerance: tolerance).fit(points, anyOf: terms(rungs))
      return result.map { SummedCurves(phases: [.init(name: name, curve: $0.curve)]) }
    }
  }
}
