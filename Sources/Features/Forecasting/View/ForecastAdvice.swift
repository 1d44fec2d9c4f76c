import Basics
import Reporting

extension ForecastReport {
  /// The measurements behind the intervals, and how far the forecast extrapolates them.
  var certainty: Report.Text? {
    // If the time of the largest measured size cannot be predicted, there are no intervals at all.
    guard let forecast = sections.first?.answers.first?.forecast,
      forecast.refusal(of: .time, objects: forecast.data.top) == nil
    else { return nil }
    // Ignore stores that are too large for a prediction.
    let known = largestSizes(of: forecast).filter { size in
      (try? forecast.answer(to: size)?.time.get()) != nil
    }
    let reach = (known.compactMap { forecast.objects(of: $0) }.max() ?? 0) / forecast.data.top
    let beyond =
      reach > 1
      ? "; the largest predicted store has \(Figures.significant(reach)) times as many, extrapolated"
      : ""
    return "90 % intervals from \(measured)\(beyond)."
  }

  var next: Report.Text { measurement ?? nextObservation }

  /// The measurement to make before a decision; `nil` if the largest store is not much larger than
  /// the measured stores.
  private var measurement: Report.Text? {
    let forecasts = (sections.first?.answers ?? []).map(\.forecast)
    let far = forecasts.compactMap { forecast -> Bool? in
      let objects = largestSizes(of: forecast).compactMap { forecast.objects(of: $0) }.max() ?? 0
      guard objects > 8 * forecast.data.top else { return nil }
      return forecast.data.isQuick && NoForecast.isInFullReach(objects)
    }.first
    return switch far {
    case nil: nil
    case true?:
      "Leave out \(code: "--ladder quick") before you decide: the largest store is over 8 times the largest measured one."
    case false?:
      "Measure a store of that size before you decide: the largest is over 8 times the largest measured one."
    }
  }

  /// The last lines of the report in a terminal: the certainty of the forecast and the next step.
  func closing(explains: Bool) -> [Report.Block] {
    var blocks: [Report.Block] = []
    if let certainty { blocks.append(.sentence(certainty)) }
    if let measurement { blocks.append(.warning(measurement)) }
    if !explains {
      blocks.append(.note("For every size and budget, and how this was predicted, add --explain"))
    }
    return blocks
  }

  /// Advice on observing migrations on a device to improve the forecast.
  private var nextObservation: Report.Text {
    guard let path = observedPath else {
      return "Measure the same on a device, and scale this by it: \(code: "--observed FILE")."
    }
    return sections.contains { $0.basis.isEmpty }
      ? "Add a migration to '\(path)' that can be compared with this forecast: none of it could."
      : "Add further migrations to '\(path)': they replace the dispersion that is assumed for few."
  }

  var notMeasured: Report.Text {
    "Apple's own code and phones. This is the migration's work on the store alone, on one Linux machine."
  }
}
