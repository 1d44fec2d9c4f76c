import Basics
import Forecasting
import Runner
import SQLLog

/// A forecast of replays as a person reads it: the answer, then each counter by size.
package struct CounterReportText {
  private let report: CounterReport
  private let width: Int
  /// Whether the table shows how each counter grows.
  private let explains: Bool

  package init(report: CounterReport, width: Int, explains: Bool = false) {
    (self.report, self.width, self.explains) = (report, width, explains)
  }

  package var text: String {
    var lines = TerminalText.hanging("Forecast of \(report.workload)", to: width)
    lines += report.answers.flatMap(answer)
    let noTimes = CounterReport.noTimes
    lines += TerminalText.hanging(
      noTimes.prefix(1).uppercased() + noTimes.dropFirst() + ".",
      to: width
    )
    lines += report.notes.flatMap { TerminalText.hanging("· " + $0, to: width) }
    lines += report.answers.flatMap(table)
    if explains {
      lines += [""] + report.answers.flatMap(grounds)
    } else {
      lines += ["", "How each counter grows: --explain"]
    }
    return lines.joined(separator: "\n")
  }

  /// The largest size that is known, by the counters that say most.
  private func answer(of answer: CounterReport.Answer) -> [String] {
    let forecast = answer.forecast
    let known = report.sizes.compactMap { forecast.objects(of: $0) }.sorted()
    let shown = ["replay.statements", CounterForecast.pagesRead]
    guard
      let objects = known.last(where: { size in
        forecast.counted.contains { (try? forecast.predict($0, objects: size).get()) != nil }
      })
    else { return TerminalText.hanging("\(answer.name): no counter can be predicted.", to: width) }
    let parts = forecast.counted.filter { shown.contains($0.metric) }.compactMap { counter in
      (try? forecast.predict(counter, objects: objects).get()).map { found in
        "\(Self.number(found.value)) \(counter.name) (90 % interval: \(Self.range(found)))"
      }
    }
    let name = report.answers.count > 1 ? "\(answer.name): " : ""
    let size = Int(objects.rounded()).grouped
    return TerminalText.hanging(
      "\(name)A store of \(size) objects: \(parts.joined(separator: ", ")).",
      to: width
    ) + divergence(of: answer)
  }

  /// Where the replays differ too far from the log.
  private func divergence(of answer: CounterReport.Answer) -> [String] {
    let threshold = ReplayDivergence.threshold
    let far = answer.forecast.data.rungs.filter {
      $0.counters["replay.divergence"] ?? 0 > threshold
    }
    guard let worst = far.max(by: { $0.size < $1.size }) else { return [] }
    let share = (worst.counters["replay.divergence"] ?? 0).percent
    return TerminalText.hanging(
      "NOT EVIDENCE: at \(Int(worst.size).grouped) objects the replay differs from the log by "
        + "\(share); the limit is \(threshold.percent).",
      to: width
    )
  }

  private static let columns = TextTable(
    [
      .right("objects", 13), .left("counter", 16, gap: 2), .right("predicted", 16),
      .right("90 % interval", 31),
    ],
    overflow: .widen
  )

  private func table(of answer: CounterReport.Answer) -> [String] {
    let forecast = answer.forecast
    var lines = [""]
    if report.answers.count > 1 { lines += TerminalText.wrapped(answer.name, to: width) }
    lines.append(Self.columns.header)
    var refusals: [Refusal] = []
    for size in report.sizes {
      guard let objects = forecast.objects(of: size) else { continue }
      for (number, counter) in forecast.counted.enumerated() {
        let start = number == 0 ? Int(objects.rounded()).grouped : ""
        switch forecast.predict(counter, objects: objects) {
        case .success(let found):
          lines.append(
            Self.columns.line([start, counter.name, Self.number(found.value), Self.range(found)])
          )
        case .failure(let refusal):
          lines.append(Self.columns.line([start, counter.name, "unknown", "–"]))
          if !refusals.contains(refusal) { refusals.append(refusal) }
        }
      }
    }
    return lines
      + refusals.flatMap { TerminalText.hanging("unknown: \($0)", to: width, indent: 2) }
  }

  private func grounds(of answer: CounterReport.Answer) -> [String] {
    let forecast = answer.forecast
    let rungs = forecast.data.rungs
    let sizes = [rungs.first?.size ?? 0, forecast.data.top].map { Int($0).grouped }
    let growth = forecast.counted.map { counter in
      "\(counter.name): \(forecast.growth(of: counter) ?? "unknown")"
    }
    return TerminalText.hanging(
      (report.answers.count > 1 ? "\(answer.name): " : "")
        + "\(rungs.count) sizes from \(sizes[0]) to \(sizes[1]) objects; "
        + growth.joined(separator: ", "),
      to: width
    )
  }

  private static func number(_ value: Double) -> String {
    value < 1e15 ? Int(value.rounded()).grouped : value.shortest
  }

  private static func range(_ found: Interval) -> String {
    "\(number(found.low)) to \(number(found.high))"
  }
}

/// A forecast of replays for programs.
package struct CounterReportJSON {
  private let report: CounterReport

  package init(report: CounterReport) { self.report = report }

  /// The document, its keys sorted.
  package var text: String {
    get throws {
      let document = Document(
        workload: report.workload,
        machine: report.environment.machine,
        sqlite: report.environment.sqliteVersion,
        common: report.common,
        notes: report.notes,
        timeRefused: CounterReport.noTimes,
        cases: report.answers.map(ladderCase)
      )
      return String(try document.jsonText().dropLast())
    }
  }

  private struct Document: Encodable {
    var format = 1
    let workload: String
    let machine: String
    let sqlite: String
    let common: [String]
    let notes: [String]
    let timeRefused: String
    let cases: [Case]
  }

  private struct Case: Encodable {
    let name: String
    let rungs: [Int]
    /// The largest of all rungs.
    let divergence: Double
    let predictions: [Prediction]
  }

  private struct Prediction: Encodable {
    let objects: Double
    let storeBytes: Double?
    let counter: String
    let growth: String?
    var value: Double?
    var low: Double?
    var high: Double?
    var refused: String?
  }

  private func ladderCase(_ answer: CounterReport.Answer) -> Case {
    let forecast = answer.forecast
    return Case(
      name: answer.name,
      rungs: forecast.data.rungs.map { Int($0.size) },
      divergence: forecast.data.rungs.compactMap { $0.counters["replay.divergence"] }.max() ?? 0,
      predictions: report.sizes.compactMap { forecast.objects(of: $0) }.flatMap { objects in
        forecast.counted.map { prediction($0, objects, forecast) }
      }
    )
  }

  private func prediction(
    _ counter: CounterForecast.Counter,
    _ objects: Double,
    _ forecast: CounterForecast
  ) -> Prediction {
    var found = Prediction(
      objects: objects.rounded(),
      storeBytes: forecast.storeBytes(objects: objects)?.rounded(),
      counter: counter.metric,
      growth: forecast.growth(of: counter)
    )
    switch forecast.predict(counter, objects: objects) {
    case .success(let interval):
      (found.value, found.low, found.high) = (interval.value, interval.low, interval.high)
    case .failure(let refusal): found.refused = refusal.description
    }
    return found
  }
}
