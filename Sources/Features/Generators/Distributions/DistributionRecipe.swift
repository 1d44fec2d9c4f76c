import Basics
import DataModel

/// A distribution as a recipe describes it.
package struct DistributionRecipe: Hashable, Sendable {
  /// The family of the distribution and its parameters.
  package enum Shape: Hashable, Sendable {
    case constant(Double)
    /// Numbers from `low` to `high`; whole numbers include both ends.
    case uniform(low: Double, high: Double, isWhole: Bool)
    case normal(mean: Double, deviation: Double)
    case logNormal(median: Double, sigma: Double)
    case exponential(mean: Double)
    case poisson(mean: Double)
    case zipfian(exponent: Double, count: Int)
    case weighted(values: [Double], weights: [Double])
    case sequence(start: Double, step: Double)
  }

  package var shape: Shape
  /// The minimum, to which smaller numbers are raised.
  package var minimum: Double?
  /// The maximum, to which larger numbers are lowered.
  package var maximum: Double?

  package init(_ shape: Shape, minimum: Double? = nil, maximum: Double? = nil) {
    self.shape = shape
    self.minimum = minimum
    self.maximum = maximum
  }

  /// A typical number of the distribution, such as the mean or the median.
  var typical: Double {
    let middle: Double =
      switch shape {
      case .constant(let value): value
      case .uniform(let low, let high, _): (low + high) / 2
      case .normal(let mean, _), .exponential(let mean), .poisson(let mean): mean
      case .logNormal(let median, _): median
      case .weighted(let values, let weights):
        zip(values, weights).reduce(0) { $0 + $1.0 * $1.1 } / max(weights.reduce(0, +), 1e-300)
      case .zipfian, .sequence: 1
      }
    return min(max(middle, minimum ?? middle), maximum ?? max(middle, minimum ?? middle))
  }

  var written: [Double] {
    let values: [Double] =
      switch shape {
      case .constant(let value): [value]
      case .uniform(let low, let high, _): [low, high]
      case .weighted(let values, _): values
      case .normal, .logNormal, .exponential, .poisson, .zipfian, .sequence: []
      }
    return values + [minimum, maximum].compactMap(\.self)
  }

  /// Draws one number from the distribution.
  package func value(_ draws: inout Draws) -> Double {
    distribution().value(row: 0, draws: &draws)
  }

  func distribution() -> any Distribution {
    guard minimum != nil || maximum != nil else { return unbounded() }
    return Bounded(base: unbounded(), minimum: minimum, maximum: maximum)
  }

  private func unbounded() -> any Distribution {
    switch shape {
    case .constant(let value): ConstantDistribution(constant: value)
    case .uniform(let low, let high, let isWhole):
      UniformDistribution(low: low, high: high, isWhole: isWhole)
    case .normal(let mean, let deviation): NormalDistribution(mean: mean, deviation: deviation)
    case .logNormal(let median, let sigma): LogNormalDistribution(median: median, sigma: sigma)
    case .exponential(let mean): ExponentialDistribution(mean: mean)
    case .poisson(let mean): PoissonDistribution(mean: mean)
    case .zipfian(let exponent, let count): ZipfianDistribution(exponent: exponent, count: count)
    case .weighted(let values, let weights):
      Weighted(values: values, choice: WeightedChoice(weights: weights))
    case .sequence(let start, let step): SequenceDistribution(start: start, step: step)
    }
  }

  struct Bounded: Distribution {
    let base: any Distribution
    let minimum: Double?
    let maximum: Double?

    func value(row: Int, draws: inout Draws) -> Double {
      var value = base.value(row: row, draws: &draws)
      if let minimum, value < minimum { value = minimum }
      if let maximum, value > maximum { value = maximum }
      return value
    }
  }

  struct Weighted: Distribution {
    let values: [Double]
    let choice: WeightedChoice

    func value(row: Int, draws: inout Draws) -> Double { values[choice.choice(&draws)] }
  }
}

// MARK: Distribution families

extension DistributionRecipe {
  struct Family: Sendable {
    let name: String
    let summary: String
    var keys: [ValueGenerator.Key] = []
    var examples: [(rule: String, range: ClosedRange<Double>)] = []
    var isUnique = false
    var bare: Shape?
    fileprivate let parse:
      @Sendable (DistributionReader, YAMLValue, [String]) -> DistributionRecipe?

    func recipe(_ value: YAMLValue, _ reader: DistributionReader) -> DistributionRecipe? {
      parse(reader, value, keys.map(\.name))
    }
  }

  static var form: FileForm {
    .either([.number, .mapping(families.map { FileKey($0.name, .any, $0.summary) })])
  }

  /// The file format of a count: a distribution of whole numbers.
  static var counts: FileValue<DistributionRecipe> {
    FileValue(form) {
      DistributionReader(isWhole: true, range: 0...Double(Limits.mostObjects)).distribution($0)
    }
  }

  private static let bounds = [
    ValueGenerator.Key("min", "a number"), ValueGenerator.Key("max", "a number"),
  ]

  static let families: [Family] = [
    Family(name: "constant", summary: "one number") { _, value, _ in
      value.number().map { DistributionRecipe(.constant($0)) }
    },
    Family(
      name: "uniform",
      summary: "numbers of a range, all equally likely: [LOW, HIGH]",
      examples: [("{ uniform: [-5, 20] }", -5...20)],
      parse: { reader, value, _ in reader.uniform(value) }
    ),
    Family(
      name: "normal",
      summary: "numbers scattered around a mean in a bell curve",
      keys: [.init("mean", "a number"), .init("deviation", "at least 0")] + bounds,
      examples: [("{ normal: { mean: 50, deviation: 10, min: 0, max: 100 } }", 0...100)]
    ) { reader, value, keys in
      reader.parameters(value, keys) { mapping in
        guard let mean = mapping.required("mean")?.number(),
          let deviation = mapping.required("deviation").flatMap({ reader.number($0, 0...1e300) })
        else { return nil }
        return .normal(mean: mean, deviation: deviation)
      }
    },
    Family(
      name: "logNormal",
      summary: "positive numbers: many small ones, few very large ones",
      keys: [.init("median", "above 0"), .init("sigma", "0 to 20")] + bounds,
      examples: [("{ logNormal: { median: 20, sigma: 0.9, max: 5_000 } }", 0...5_000)]
    ) { reader, value, keys in
      reader.parameters(value, keys) { mapping in
        let positive = 1e-300...1e300
        guard let median = mapping.required("median").flatMap({ reader.number($0, positive) }),
          let sigma = mapping.required("sigma").flatMap({ reader.number($0, 0...20) })
        else { return nil }
        return .logNormal(median: median, sigma: sigma)
      }
    },
    Family(
      name: "exponential",
      summary: "waiting times between events that happen at a constant rate",
      keys: [.init("mean", "above 0, also without the key")] + bounds,
      examples: [("{ exponential: 12 }", 0...1_000)]
    ) { reader, value, keys in
      reader.withMean(value, keys, at: 1e-300...1e15) { .exponential(mean: $0) }
    },
    Family(
      name: "poisson",
      summary: "counts of independent events",
      keys: [.init("mean", "at least 0, also without the key")] + bounds,
      examples: [("{ poisson: 3 }", 0...40), ("{ poisson: { mean: 3, max: 5 } }", 0...5)]
    ) { reader, value, keys in
      reader.withMean(value, keys, at: 0...1e9) { .poisson(mean: $0) }
    },
    Family(
      name: "zipfian",
      summary: "ranks, of which the first are the most frequent, with a long tail",
      keys: [.init("exponent", "above 0, at most 20"), .init("count", "the ranks")] + bounds,
      examples: [("{ zipfian: { exponent: 1.1, count: 50 } }", 1...50)]
    ) { reader, value, keys in
      reader.parameters(value, keys) { mapping in
        guard let exponent = mapping.required("exponent").flatMap(DistributionReader.exponent),
          let count = mapping.required("count")?.integer(in: 1...Limits.mostObjects)
        else { return nil }
        return .zipfian(exponent: exponent, count: count)
      }
    },
    Family(name: "weighted", summary: "one of a few numbers, each with a weight") {
      reader,
      value,
      _ in
      reader.weighted(value)
    },
    Family(
      name: "sequence",
      summary: "numbers that rise by a fixed step from row to row",
      keys: [.init("start", "a number, 0"), .init("step", "a number, 1")] + bounds,
      examples: [("sequence", 0...9_999), ("{ sequence: { start: 5, step: 2 } }", 5...20_003)],
      isUnique: true,
      bare: .sequence(start: 0, step: 1)
    ) { reader, value, keys in
      if value.scalar == .null { return DistributionRecipe(.sequence(start: 0, step: 1)) }
      return reader.parameters(value, keys) { mapping in
        let start = mapping["start"].map { $0.number() } ?? 0
        let step = mapping["step"].map { $0.number() } ?? 1
        guard let start, let step else { return nil }
        return .sequence(start: start, step: step)
      }
    },
  ]
}

struct DistributionReader {
  let isWhole: Bool
  /// The permitted range of the parameters in the file.
  ///
  /// Numbers drawn from the distribution may be outside the range and are clamped when they are
  /// used.
  var range = -Double.infinity...Double.infinity

  func distribution(_ value: YAMLValue) -> DistributionRecipe? {
    guard let recipe = anyDistribution(value) else { return nil }
    guard let wrong = recipe.written.first(where: { !range.contains($0) }) else { return recipe }
    value.report(
      "\(value.name) must be from \(range.lowerBound.shortest) to \(range.upperBound.shortest), "
        + "and \(wrong.shortest) is not"
    )
    return nil
  }

  private func anyDistribution(_ value: YAMLValue) -> DistributionRecipe? {
    guard value.isMapping else {
      return value.number().map { DistributionRecipe(.constant($0)) }
    }
    let families = DistributionRecipe.families
    guard let mapping = value.mapping(knowing: families.map(\.name)) else { return nil }
    guard mapping.entries.count == 1 else {
      value.report("\(value.name) must name one distribution, not \(mapping.entries.count)")
      return nil
    }
    let entry = mapping.entries[0]
    return families.first { $0.name == entry.key }?.recipe(entry.value, self)
  }

  fileprivate func uniform(_ value: YAMLValue) -> DistributionRecipe? {
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

  fileprivate func weighted(_ value: YAMLValue) -> DistributionRecipe? {
    guard let mapping = value.mapping() else { return nil }
    var (values, weights): ([Double], [Double]) = ([], [])
    for entry in mapping.entries {
      guard let weight = Self.weight(entry.value) else { continue }
      switch YAMLScalar(plain: entry.key) {
      case .integer(let number): values.append(Double(number))
      case .real(let number) where number.isFinite: values.append(number)
      default:
        entry.value.report(
          "\(value.name) gives weights to numbers, and '\(entry.key)' is not a number"
        )
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

  static func weight(_ value: YAMLValue) -> Double? {
    value.number(being: "a weight of at least 0") { $0 >= 0 && $0 < 1e300 }
  }

  fileprivate func withMean(
    _ value: YAMLValue,
    _ keys: [String],
    at range: ClosedRange<Double>,
    _ shape: (Double) -> DistributionRecipe.Shape
  ) -> DistributionRecipe? {
    guard value.isMapping else {
      return number(value, range).map { DistributionRecipe(shape($0)) }
    }
    return parameters(value, keys) { mapping in
      mapping.required("mean").flatMap { number($0, range) }.map(shape)
    }
  }

  static func exponent(_ value: YAMLValue) -> Double? {
    value.number(being: "above 0 and at most 20") { $0 > 0 && $0 <= 20 }
  }

  fileprivate func parameters(
    _ value: YAMLValue,
    _ keys: [String],
    _ shape: (YAMLMapping) -> DistributionRecipe.Shape?
  ) -> DistributionRecipe? {
    guard let mapping = value.mapping(knowing: keys) else { return nil }
    let minimum = mapping["min"].flatMap { $0.number() }
    let maximum = mapping["max"].flatMap { $0.number() }
    if let minimum, let maximum, minimum > maximum {
      mapping.report("\(mapping.name) has a 'min' above its 'max'")
    }
    return shape(mapping).map { DistributionRecipe($0, minimum: minimum, maximum: maximum) }
  }

  fileprivate func number(_ value: YAMLValue, _ range: ClosedRange<Double>) -> Double? {
    guard let number = value.number() else { return nil }
    guard range.contains(number) else {
      value.report("\(value.name) cannot be \(number) here: it is out of range")
      return nil
    }
    return number
  }
}
