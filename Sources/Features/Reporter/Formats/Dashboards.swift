import Basics
import Runner

/// A result for Bencher: cases, measures, values (Bencher Metric Format, https://bencher.dev/bmf.json).
///
/// The wall clock is Bencher's own measure `latency`, in nanoseconds; other metrics keep their names
/// and units. A value is the sample's median, its bounds are the smallest and the largest value.
package struct BencherMetrics: ReportFormat {
  package static let name = "bmf"

  private struct Value: Encodable {
    var value: Double
    var lower: Double
    var upper: Double

    private enum CodingKeys: String, CodingKey {
      case value
      case lower = "lower_value"
      case upper = "upper_value"
    }
  }

  /// Bencher refuses longer names.
  private static let longestCase = 1024
  private static let longestMeasure = 64

  package init() {}

  package func write(_ document: ResultDocument, to sink: (String) throws -> Void) throws {
    var cases: [String: [String: Value]] = [:]
    for sample in CaseSample.all(of: document) {
      guard let summary = sample.sample.summary else { continue }
      let name = String(sample.result.id.prefix(Self.longestCase))
      let (measure, factor) = Self.measure(of: sample.sample.metric)
      cases[name, default: [:]][measure] = Value(
        value: summary.p50 * factor,
        lower: summary.min * factor,
        upper: summary.max * factor
      )
    }
    try sink(try cases.jsonText())
  }

  private static func measure(of metric: Metric) -> (name: String, factor: Double) {
    metric == .wallClock ? ("latency", 1e9) : (String(metric.name.prefix(longestMeasure)), 1)
  }
}

/// A result for github-action-benchmark, as its tool `customSmallerIsBetter` reads it.
///
/// Costs only: of a neutral metric, less is not better. A value is the sample's median, its range
/// the standard deviation.
package struct SmallerIsBetter: ReportFormat {
  package static let name = "customSmallerIsBetter"

  private struct Entry: Encodable {
    var name: String
    var unit: String
    var value: Double
    var range: String?
    var extra: String
  }

  package init() {}

  package func write(_ document: ResultDocument, to sink: (String) throws -> Void) throws {
    let entries: [Entry] = CaseSample.all(of: document).compactMap { sample in
      let metric = sample.sample.metric
      guard metric.direction == .cost, let summary = sample.sample.summary else { return nil }
      return Entry(
        name: "\(sample.result.id) · \(metric.name)",
        unit: metric.unit.rawValue,
        value: summary.p50,
        range: summary.standardDeviation.map { "± \($0.shortest)" },
        extra: "\(summary.count) values, SQLite \(document.environment.sqliteVersion)"
      )
    }
    try sink(try entries.jsonText())
  }
}

/// A result in the text format of OpenMetrics 1.0, a gauge for each metric: the sample's median.
///
/// A metric's name becomes one that OpenMetrics allows, with the unit at its end; the label
/// `metric` has it as it is.
package struct OpenMetricsText: ReportFormat {
  package static let name = "openmetrics"

  /// One metric with the lines of its samples.
  private struct Family {
    var metric: Metric
    var lines: [String] = []
  }

  package init() {}

  package func write(_ document: ResultDocument, to sink: (String) throws -> Void) throws {
    try sink(environment(document.environment))
    try sink(outcomes(document))
    // All samples of a family stand together, or a reader refuses the text.
    var families: [String: Family] = [:]
    for sample in CaseSample.all(of: document) {
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

  private func environment(_ environment: Environment) -> String {
    let labels = Self.labels([
      ("machine", environment.machine), ("architecture", environment.architecture),
      ("operatingSystem", environment.operatingSystem), ("kernel", environment.kernel),
      ("sqlite", environment.sqliteVersion), ("sqliteSourceID", environment.sqliteSourceID),
      ("swift", environment.swiftVersion), ("build", environment.build),
      ("commit", environment.commit), ("startedAt", environment.startedAt),
    ])
    return "# TYPE storebench_environment info\nstorebench_environment_info\(labels) 1\n"
  }

  private func outcomes(_ document: ResultDocument) -> String {
    let name = "storebench_case_passed"
    let lines = document.workloads.flatMap { workload in
      workload.cases.map { result in
        let labels = Self.labels([("workload", workload.workload), ("case", result.id)])
        return "\(name)\(labels) \(result.hasMeasured ? 1 : 0)\n"
      }
    }
    return lines.isEmpty ? "" : "# TYPE \(name) gauge\n" + lines.joined()
  }

  /// `sqlite.vmSteps` becomes `storebench_sqlite_vm_steps`, `wallClock` ends with `_seconds`.
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
