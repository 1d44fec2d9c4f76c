/// The mean and the variance (n − 1) of values.
struct Moments {
  let count: Double
  let mean: Double
  let variance: Double

  init(_ values: some Collection<Double>) {
    let count = Double(values.count)
    let mean = values.reduce(0, +) / max(count, 1)
    self.count = count
    self.mean = mean
    variance = values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / max(count - 1, 1)
  }
}
