import Basics
import Forecasting

/// What a forecast rests on: what dominates, how well it fits, where it bends, what makes it wide.
struct ForecastGrounds {
  let forecast: Forecast

  var sentences: [String] {
    guard let time = forecast.time else { return [] }
    return [ladder, counted, dominating(time), fit(time), residuals(time)].compactMap { $0 }
      + bends(time) + [widening(time)].compactMap { $0 }
  }

  /// What makes the interval wide, a clause each; none where nothing does.
  var reasons: [String] {
    guard let time = forecast.time else { return [] }
    let (drift, noise) = (forecast.data.drift, forecast.data.scatter.share)
    let growth = time.growth.deviation(doublings: 4)
    let found: [(applies: Bool, reason: String)] = [
      (noise > 0.1, "runs of the same size vary by \(noise.percent)"),
      (
        !drift.isTolerable,
        "the machine's speed drifted by \(drift.share.percent) during the "
          + "measurements"
      ),
      (time.misfit > 0.1, "the cost models are \(time.misfit.percent) off at the upper sizes"),
      (
        growth > 0.15,
        "extrapolation to 16 times the size errs by \(growth.percent) within the "
          + "measured sizes"
      ),
      (
        time.probeError > 0.15,
        "runs with smaller caches and batches are \(time.probeError.percent) off"
      ),
      (forecast.machine != nil, "the speed of the other machine is not known exactly"),
    ]
    return found.filter(\.applies).map(\.reason)
  }

  private var ladder: String {
    let rungs = forecast.data.rungs
    let first = Int(rungs.first?.size ?? 0).grouped
    let last = Int(rungs.last?.size ?? 0).grouped
    let imitated = forecast.data.largestImitation.map {
      "; runs with smaller caches and batches imitate stores of up to \(Int($0).grouped) objects"
    }
    return "ladder: \(rungs.count) sizes from \(first) to \(last) objects\(imitated ?? ""); runs "
      + "vary by \(forecast.data.scatter.share.percent), drift of the machine's speed "
      + "\(forecast.data.drift.share.percent)\(pace)"
  }

  private var pace: String {
    let scatter = forecast.data.pace.scatter
    guard scatter >= 0.005 else { return "" }
    return "; times are for the machine's usual speed, from which it was \(scatter.percent) off"
  }

  private var counted: String? {
    let counters = CountedCost.all(of: forecast).map { cost in
      let error = cost.law.extrapolationError.map { " ±\($0.percent)" } ?? ""
      return "\(cost.name)\(error) (\(cost.law.name))"
    }
    guard !counters.isEmpty else { return nil }
    return "counters, with their extrapolation error: "
      + counters.joined(separator: ", ")
  }

  /// The largest parts of the time at 16 times the ladder's top, by what is trusted most.
  private func dominating(_ time: Ensemble) -> String {
    let size = time.top * 16
    let shares = time.contributions(at: size).prefix(4).map { part in
      "\(Self.plain(part.name)) \(part.share.percent)"
    }
    return "time at \(Int(size).grouped) objects: " + shares.joined(separator: ", ")
  }

  private func fit(_ time: Ensemble) -> String {
    let members = time.members.filter { $0.weight >= 0.005 }.map {
      "\(Self.plain($0.name)) \($0.weight.percent)"
    }
    return "explained by: \(members.joined(separator: ", ")); off by \(time.misfit.percent) at the "
      + "upper sizes; extrapolation errs by \(time.growth.deviation(doublings: 1).percent) for a "
      + "doubling, \(time.growth.deviation(doublings: 4).percent) for 16 times the size"
  }

  private func residuals(_ time: Ensemble) -> String {
    let largest = max(time.residuals.map(abs).max() ?? 0, 1e-9)
    let marks = Array("▁▂▃▄▅▆▇█")
    let line = time.residuals.map { residual -> Character in
      marks[min(max(Int(((residual / largest + 1) / 2 * 7).rounded()), 0), 7)]
    }
    return "residuals by size: \(String(line)), ▁ is -\(largest.percent) and █ +\(largest.percent)"
  }

  private func bends(_ time: Ensemble) -> [String] {
    let known = time.members.first.flatMap(\.firstBend).map {
      "grows faster from about \($0.threeDigits.grouped) objects on: the page cache is full, so "
        + "pages are read again"
    }
    // What lies beyond all that is said anything of bends no answer.
    let reach = forecast.data.top * Forecast.reach
    let unseen = forecast.bends.filter { $0.size > forecast.data.top && $0.size <= reach }.map {
      "not measured: \($0.name) at about \($0.size.threeDigits.grouped) objects"
    }
    return [known].compactMap { $0 } + unseen
  }

  private func widening(_ time: Ensemble) -> String? {
    guard !reasons.isEmpty else { return nil }
    let advice = forecast.data.scatter.share > 0.1 || !forecast.data.drift.isTolerable
    return "the interval is wide because " + reasons.joined(separator: "; ")
      + (advice ? "; measure with '--again' on a quieter machine" : "")
  }

  /// The names of cost models and terms in words that need no manual.
  private static func plain(_ name: String) -> String {
    switch name {
    case "linear": "a straight line"
    case "structural": "pages counted and a straight line"
    case "structural n log n": "pages counted and n log n"
    default: name.hasSuffix(" sorting") ? name.dropLast("sorting".count) + "n log n" : name
    }
  }

  /// A counter that is shown with its law: what a migration costs on any machine.
  struct CountedCost {
    /// In words: `pages written`.
    let name: String
    let law: CounterLaw

    private static let names = [
      ("sqlite.vmSteps", "SQLite's steps"), ("sqlite.cacheMisses", "pages read"),
      ("sqlite.cacheWrites", "pages written"), ("vfs.writeBytes", "bytes written"),
      ("vfs.syncs", "syncs"),
    ]

    /// The counters of a ladder that a law is known of.
    static func all(of forecast: Forecast) -> [CountedCost] {
      let rungs = forecast.data.rungs
      // Only pages are told by what a smaller cache imitates: the rest depends on the size alone.
      let imitated = Rung.imitating(rungs, forecast.data.probes)
      return names.compactMap { counter, name in
        CounterLaw(counter, on: counter.hasPrefix("sqlite.cache") ? imitated : rungs).map {
          CountedCost(name: name, law: $0)
        }
      }
    }
  }
}
