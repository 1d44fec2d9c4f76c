/// The largest stores that fit a budget.
package struct LargestStore: Hashable, Sendable {
  /// Objects up to which even the upper end of the interval fits.
  package let surely: Double
  /// Objects up to which the prediction fits.
  package let probably: Double
  /// Objects up to which the lower end of the interval fits.
  package let atMost: Double
  /// The largest size that anything is known of; a store of that size fits where all are equal to it.
  package let known: Double
  /// Why nothing is known beyond.
  package let refusal: Refusal?
}

extension Forecast {
  /// The objects of the largest store that fits a budget; 0 where not even the smallest rung does.
  package func largestStore(within budget: ResourceBudget) -> Result<LargestStore, Refusal> {
    let (known, refusal) = knownReach(of: budget.resource)
    guard let known else { return .failure(refusal ?? .notMeasured) }
    func largest(_ bound: (Interval) -> Double) -> Double {
      func fits(_ size: Double) -> Bool {
        guard case .success(let interval) = predict(budget.resource, objects: size) else {
          return false
        }
        return bound(interval) <= budget.limit
      }
      return Self.bisect(from: 1, to: known, fits)
    }
    return .success(
      LargestStore(
        surely: largest(\.high),
        probably: largest(\.value),
        atMost: largest(\.low),
        known: known,
        refusal: refusal
      )
    )
  }

  /// The largest size that a resource is known at, and why no more.
  private func knownReach(of resource: Resource) -> (size: Double?, refusal: Refusal?) {
    let farthest = data.top * Self.reach
    if case .failure(let refusal) = predict(resource, objects: data.top) { return (nil, refusal) }
    let unknown = refusal(of: resource, objects: farthest)
    guard unknown != nil else { return (farthest, .beyondLadder(top: Int(data.top))) }
    let size = Self.bisect(from: data.top, to: farthest) {
      refusal(of: resource, objects: $0) == nil
    }
    return (size, unknown)
  }

  /// The largest size that fits, to a tenth of a percent; 0 where the smallest one does not.
  private static func bisect(
    from smallest: Double,
    to largest: Double,
    _ fits: (Double) -> Bool
  ) -> Double {
    guard fits(smallest) else { return 0 }
    guard !fits(largest) else { return largest }
    var (low, high) = (smallest, largest)
    while high / low > 1.001 {
      let middle = (low * high).squareRoot()
      if fits(middle) { low = middle } else { high = middle }
    }
    return low
  }
}
