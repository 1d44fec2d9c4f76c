import DataModel

/// Reads a distribution: a number, or a mapping from the family's name to its parameters.
struct DistributionReader {
  /// The families by their names in recipes.
  static let names = [
    "constant", "uniform", "normal", "logNormal", "exponential", "poisson", "zipfian", "weighted",
    "sequence",
  ]

  /// Whether whole numbers are wanted: counts, sizes, integers.
  let isWhole: Bool

  /// A distribution such as `5` or `{ poisson: 2 }`.
  func distribution(_ value: YAMLValue) -> DistributionRecipe? {
    guard value.isMapping else {
      return value.number().map { DistributionRecipe(.constant($0)) }
    }
    guard let mapping = value.mapping(knowing: Self.names) else { return nil }
    guard mapping.entries.count == 1 else {
      value.report("\(value.name) must name one distribution, not \(mapping.entries.count)")
      return nil
    }
    return distribution(mapping.entries[0].key, mapping.entries[0].value)
  }

  /// The distribution of a family with its parameters.
  func distribution(_ name: String, _ value: YAMLValue) -> DistributionRecipe? {
    switch name {
    case "constant": value.number().map { DistributionRecipe(.constant($0)) }
    case "uniform": uniform(value)
    case "weighted": weighted(value)
    case "normal": normal(value)
    case "logNormal": logNormal(value)
    case "exponential":
      withMean(value, at: 1e-300...1e15) { .exponential(mean: $0) }
    case "poisson":
      withMean(value, at: 0...1e9) { .poisson(mean: $0) }
    case "zipfian": zipfian(value)
    case "sequence": sequence(value)
    default: nil
    }
  }

  private func uniform(_ value: YAMLValue) -> DistributionRecipe? {
    guard let items = value.items() else { return nil }
    let ends = items.compactMap { $0.number() }
    guard ends.count == items.count else { return nil }
    guard ends.count == 2, ends[0] <= ends[1], ends[1] - ends[0] < 0x1p53 else {
      value.report("\(value.name) must be a list of the smallest and the largest number")
      return nil
    }
    guard isWhole else {
      return DistributionRecipe(.uniform(low: ends[0], high: ends[1], isWhole: false))
    }
    let (low, high) = (ends[0].rounded(.up), ends[1].rounded(.down))
    guard low <= high, abs(low) < 0x1p53, abs(high) < 0x1p53 else {
      value.report("\(value.name) has no whole number between \(ends[0]) and \(ends[1])")
      return nil
    }
    return DistributionRecipe(.uniform(low: low, high: high, isWhole: true))
  }

  private func weighted(_ value: YAMLValue) -> DistributionRecipe? {
    guard let mapping = value.mapping() else { return nil }
    var (values, weights): ([Double], [Double]) = ([], [])
    for entry in mapping.entries {
      guard let weight = Self.weight(entry.value) else { continue }
      switch YAMLScalar(plain: entry.key) {
      case .integer(let number): values.append(Double(number))
      case .real(let number) where number.isFinite: values.append(number)
      default:
        entry.value.report("\(value.name) weighs numbers, and '\(entry.key)' is none")
        continue
      }
      weights.append(weight)
    }
    guard weights.contains(where: { $0 > 0 }) else {
      value.report("\(value.name) must give at least one number a weight above 0")
      return nil
    }
    return DistributionRecipe(.weighted(values: values, weights: weights))
  }

  /// A weight: a number of at least 0.
  static func weight(_ value: YAMLValue) -> Double? {
    guard let weight = value.number() else { return nil }
    guard weight >= 0, weight < 1e300 else {
      value.report("the weight of \(value.name) must be at least 0, not \(weight)")
      return nil
    }
    return weight
  }

  private func normal(_ value: YAMLValue) -> DistributionRecipe? {
    parameters(value, ["mean", "deviation"]) { mapping in
      guard let mean = mapping.required("mean")?.number(),
        let deviation = mapping.required("deviation").flatMap({ number($0, 0...1e300) })
      else { return nil }
      return .normal(mean: mean, deviation: deviation)
    }
  }

  private func logNormal(_ value: YAMLValue) -> DistributionRecipe? {
    parameters(value, ["median", "sigma"]) { mapping in
      guard let median = mapping.required("median").flatMap({ number($0, 1e-300...1e300) }),
        let sigma = mapping.required("sigma").flatMap({ number($0, 0...20) })
      else { return nil }
      return .logNormal(median: median, sigma: sigma)
    }
  }

  private func withMean(
    _ value: YAMLValue,
    at range: ClosedRange<Double>,
    _ shape: (Double) -> DistributionRecipe.Shape
  ) -> DistributionRecipe? {
    guard value.isMapping else {
      return number(value, range).map { DistributionRecipe(shape($0)) }
    }
    return parameters(value, ["mean"]) { mapping in
      mapping.required("mean").flatMap { number($0, range) }.map(shape)
    }
  }

  private func zipfian(_ value: YAMLValue) -> DistributionRecipe? {
    parameters(value, ["exponent", "count"]) { mapping in
      guard let exponent = mapping.required("exponent").flatMap(Self.exponent),
        let count = mapping.required("count")?.integer(in: 1...Limits.mostObjects)
      else { return nil }
      return .zipfian(exponent: exponent, count: count)
    }
  }

  /// The exponent of a zipfian distribution.
  static func exponent(_ value: YAMLValue) -> Double? {
    guard let exponent = value.number() else { return nil }
    guard exponent > 0, exponent <= 20 else {
      value.report("a zipfian exponent must be above 0 and at most 20, not \(exponent)")
      return nil
    }
    return exponent
  }

  private func sequence(_ value: YAMLValue) -> DistributionRecipe? {
    if value.scalar == .null { return DistributionRecipe(.sequence(start: 0, step: 1)) }
    return parameters(value, ["start", "step"]) { mapping in
      let start = mapping["start"].map { $0.number() } ?? 0
      let step = mapping["step"].map { $0.number() } ?? 1
      guard let start, let step else { return nil }
      return .sequence(start: start, step: step)
    }
  }

  private func parameters(
    _ value: YAMLValue,
    _ names: [String],
    _ shape: (YAMLMapping) -> DistributionRecipe.Shape?
  ) -> DistributionRecipe? {
    guard let mapping = value.mapping(knowing: names + ["min", "max"]) else { return nil }
    let minimum = mapping["min"].flatMap { $0.number() }
    let maximum = mapping["max"].flatMap { $0.number() }
    if let minimum, let maximum, minimum > maximum {
      mapping.report("\(mapping.name) has a 'min' above its 'max'")
    }
    return shape(mapping).map { DistributionRecipe($0, minimum: minimum, maximum: maximum) }
  }

  private func number(_ value: YAMLValue, _ range: ClosedRange<Double>) -> Double? {
    guard let number = value.number() else { return nil }
    guard range.contains(number) else {
      value.report("\(value.name) cannot be \(number) here: it is out of range")
      return nil
    }
    return number
  }
}
