import Foundation

extension MachineScale {
  /// How far single migrations of a device scatter about a scaled forecast, before any was seen:
  /// an assumption, which a handful of observations replaces.
  package static let priorDeviation = 0.25
  private static let priorFreedom = 3.0

  /// The scale that observed migrations of one device show, from one of them on.
  ///
  /// `nil` where none of them is of a size that the forecast says anything of.
  package init?(of observed: [ObservedMigration], device: String, against forecast: Forecast) {
    let ratios = observed.compactMap { migration -> Double? in
      guard case .success(let here) = forecast.predict(.time, objects: migration.objects) else {
        return nil
      }
      return log(migration.seconds / here.value)
    }
    guard !ratios.isEmpty else { return nil }
    let count = Double(ratios.count)
    let mean = ratios.reduce(0, +) / count
    let squares = ratios.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
    let freedom = Self.priorFreedom + count - 1
    let prior = Self.priorFreedom * Self.priorDeviation * Self.priorDeviation
    let variance = (prior + squares) / freedom
    self.init(
      name: device,
      factor: exp(mean),
      // The next migration scatters as those before, and their mean is known only so well.
      variance: variance * (1 + 1 / count),
      freedom: freedom
    )
  }
}
