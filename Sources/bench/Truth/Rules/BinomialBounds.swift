/// The rates that a count out of tries is compatible with: exact 95 % bounds (Clopper and Pearson
/// 1934), each side 2.5 %; one-sided 95 % where nothing or everything was found.
struct BinomialBounds: Equatable {
  let lower: Double
  let upper: Double

  /// - `count`: from 0 to `tries`; without tries every rate is possible.
  init(_ count: Int, of tries: Int) {
    let (found, missed) = (Double(count), Double(tries - count))
    guard tries > 0 else {
      (lower, upper) = (0, 1)
      return
    }
    let tail = count == 0 || count == tries ? 0.05 : 0.025
    lower = count == 0 ? 0 : IncompleteBeta.quantile(tail, found, missed + 1)
    upper = count == tries ? 1 : IncompleteBeta.quantile(1 - tail, found + 1, missed)
  }
}
