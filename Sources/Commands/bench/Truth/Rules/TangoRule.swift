/// tango's rule: the mean difference of pairs is 2.6 standard errors or more from 0, and more than
/// half a per cent of the base.
enum TangoRule: Rule {
  static let shortName = "tango 2.6"

  static func claim(base: ArraySlice<Double>, head: ArraySlice<Double>) -> Claim {
    let differences = Moments(zip(base, head).map { $1 - $0 })
    let error = (differences.variance / differences.count).squareRoot()
    let share = differences.mean / Moments(base).mean
    guard error > 0, abs(differences.mean / error) >= 2.6, abs(share) > 0.005 else { return .none }
    return differences.mean > 0 ? .slower : .faster
  }
}
