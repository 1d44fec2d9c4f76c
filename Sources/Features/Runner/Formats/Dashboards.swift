import Basics

extension ResultDocument {
  /// The result for Bencher, by case and measure (Bencher Metric Format,
  /// https://bencher.dev/bmf.json).
  ///
  /// The wall clock becomes Bencher's own measure `latency`, in nanoseconds; other metrics keep
  /// their names and units. The value is the sample's median; the bounds are its minimum and
  /// maximum.
  func bencherText() throws -> String {
    // The maximum lengths that Bencher accepts for the names of benchmarks and measures.
    let (longestCase, longestMeasure) = (1024, 64)
    var cases: [String: [String: [String: Double]]] = [:]
    for sample in measuredSamples {
      guard let summary = sample.sample.summary else { continue }
      let metric = sample.sample.metric
      let isTime = metric == .wallClock
      let measure = isTime ? "latency" : String(metric.name.prefix(longestMeasure))
      let factor = isTime ? 1e9 : 1
      cases[String(sample.result.id.prefix(longestCase)), default: [:]][measure] = [
        "value": summary.p50 * factor, "lower_value": summary.min * factor,
        "upper_value": summary.max * factor,
      ]
    }
    return try cases.jsonText()
  }

  /// The result for github-action-benchmark, in the format of its tool `customSmallerIsBetter`.
  ///
  /// Only costs are included, because a smaller neutral metric is not better. The value is the
  /// sample's median; the range is the standard deviation.
  func smallerIsBetterText() throws -> String {
    let entries: [JSONObject] = measuredSamples.compactMap { sample -> JSONObject? in
      let metric = sample.sample.metric
      guard metric.direction == .cost, let summary = sample.sample.summary else { return nil }
      return [
        "name": "\(sample.result.id) · \(metric.name)", "unit": metric.unit.rawValue,
        "value": summary.p50, "range": summary.standardDeviation.map { "± \($0.shortest)" },
        "extra": "\(summary.count) values, SQLite \(environment.sqliteVersion)",
      ]
    }
    return try entries.jsonText()
  }
}

extension ResultDocument {
  /// Writes the text format of OpenMetrics 1.0, with a gauge per metric that has the sample's
  /// median.
  ///
  /// A metric's name is converted to a valid OpenMetrics name with the unit as suffix; the label
  /// `metric` has the original name.
  func writeOpenMetrics(to sink: (String) throws -> Void) throws {
    try OpenMetrics(document: self).write(to: sink)
  }
}

private struct OpenMetrics {
  let document: ResultDocument

  private struct Family {
    var metric: Metric
    var lines: [String] = []
  }

  func write(to sink: (String) throws -> Void) throws {
    try sink(environment)
    try sink(outcomes)
    // All samples of a family must be adjacent; otherwise, readers reject the text.
    var families: [String: Family] = [:]
    for sample in document.measuredSamples {
      let metric = sample.sample.metric
      guard let value = sample.sample.median else { continue }
      let name = Self.name(of: metric)
      let labels = Self.labels([
        ("workload", sample.workload.workload), ("kind", sample.workload.kind),
        ("case", sample.result.id), ("metric", metric.name),
      ])
      families[name, default: Family(metric: metric)].lines.append("\(name)\(labels) \(value)\n")
    }
    for (name, family) in families.sorted(by: { $0.key < $1.key }) {
      let unit = Self.suffix(of: family.metric.unit).map { "# UNIT \(name) \($0)\n" } ?? ""
      try sink("# TYPE \(name) gauge\n\(unit)" + family.lines.joined())
    }
    try sink("# EOF\n")
  }

  private var environment: String {
    let environment = document.environment
    let labels = Self.labels([
      ("machine", environment.machine), ("architecture", environment.architecture),
      ("operatingSystem", environment.operatingSystem), ("kernel", environment.kernel),
      ("sqlite", environment.sqliteVersion), ("sqliteSourceID", environment.sqliteSourceID),
      ("swift", environment.swiftVersion), ("build", environment.build),
      ("commit", environment.commit), ("startedAt", environment.startedAt),
    ])
    return "# TYPE storebench_environment info\nstorebench_environment_info\(labels) 1\n"
  }

  private var outcomes: String {
    let name = "storebench_case_passed"
    let lines = document.workloads.flatMap { workload in
      workload.cases.map { result in
        let labels = Self.labels([("workload", workload.workload), ("case", result.id)])
        return "\(name)\(labels) \(result.hasMeasured ? 1 : 0)\n"
      }
    }
    return lines.isEmpty ? "" : "# TYPE \(name) gauge\n" + lines.joined()
  }

  /// Returns the OpenMetrics name: `storebench_sqlite_vm_steps` for `sqlite.vmSteps`; the name for
  /// `wallClock` ends with `_seconds`.
  private static func name(of metric: Metric) -> String {
    var name = "storebench_"
    var isAfterSmall = false
    for scalar in metric.name.unicodeScalars {
      let isCapital = ("A"..."Z").contains(scalar)
      let isSmall = ("a"..."z").contains(scalar) || ("0"..."9").contains(scalar)
      if isCapital, isAfterSmall { name += "_" }
      name += isCapital || isSmall ? scalar.properties.lowercaseMapping : "_"
      isAfterSmall = isSmall
    }
    guard let suffix = suffix(of: metric.unit), !name.hasSuffix("_" + suffix) else { return name }
    return "\(name)_\(suffix)"
  }

  private static func suffix(of unit: Metric.Unit) -> String? {
    switch unit {
    case .seconds: "seconds"
    case .bytes: "bytes"
    case .ratio: "ratio"
    case .count: nil
    }
  }

  private static func labels(_ pairs: [(name: String, value: String)]) -> String {
    "{" + pairs.map { "\($0.name)=\"\(escaped($0.value))\"" }.joined(separator: ",") + "}"
  }

  private static func escaped(_ value: String) -> String {
    var text = ""
    for scalar in value.unicodeScalars {
      switch scalar {
      case "\\": text += "\\\\"
      case "\"": text += "\\\""
      case "\n": text += "\\n"
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text
  }
}
