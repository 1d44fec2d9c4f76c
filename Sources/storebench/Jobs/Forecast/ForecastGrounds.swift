import Forecasting
import Reporter

/// What a forecast rests on: what dominates, how well it fits, where it bends, what makes it wide.
struct ForecastGrounds {
  let forecast: Forecast

  var sentences: [String] {
    guard let time = forecast.time else { return [] }
    return [ladder, dominating(time), fit(time), residuals(time)] + bends(time) + cautions(time)
  }

  private var ladder: String {
    let rungs = forecast.data.rungs
    let first = Int(rungs.first?.size ?? 0).grouped
    let last = Int(rungs.last?.size ?? 0).grouped
    let imitated = forecast.data.probes.map(\.imitation.size).max().map {
      "; smaller caches imitate stores up to \(Int($0).grouped)"
    }
    return "ladder: \(rungs.count) sizes from \(first) to \(last) objects\(imitated ?? ""); "
      + "runs scatter by \(forecast.data.scatter.share.percent), drift \(forecast.data.drift.share.percent)"
  }

  /// The largest parts of the time at 16 times the ladder's top, by what is trusted most.
  private func dominating(_ time: Ensemble) -> String {
    let size = time.top * 16
    let shares = time.contributions(at: size).prefix(4).map { part in
      "\(part.name) \(part.share.percent)"
    }
    return "time at \(Int(size).grouped) objects: " + shares.joined(separator: ", ")
  }

  private func fit(_ time: Ensemble) -> String {
    let members = time.members.filter { $0.weight >= 0.005 }.map {
      "\($0.name) \($0.weight.percent)"
    }
    return "explained by: \(members.joined(separator: ", ")); off by \(time.misfit.percent) on the "
      + "upper rungs; extrapolating errs by \(time.growth.deviation(doublings: 1).percent) a "
      + "doubling, \(time.growth.deviation(doublings: 4).percent) at 16 times"
  }

  private func residuals(_ time: Ensemble) -> String {
    let largest = max(time.residuals.map(abs).max() ?? 0, 1e-9)
    let marks = Array("▁▂▃▄▅▆▇█")
    let line = time.residuals.map { residual -> Character in
      marks[min(max(Int(((residual / largest + 1) / 2 * 7).rounded()), 0), 7)]
    }
    return "residuals: \(String(line)), ▁ is -\(largest.percent) and █ +\(largest.percent)"
  }

  private func bends(_ time: Ensemble) -> [String] {
    let known = time.members.first.flatMap(\.firstBend).map {
      "bends at about \(Int($0).grouped) objects: pages are read again that the cache has lost"
    }
    let unseen = forecast.bends.filter { $0.size > forecast.data.top }.map {
      "not seen: \($0.name) at about \(Int(min($0.size, 1e15)).grouped) objects"
    }
    return [known].compactMap { $0 } + unseen
  }

  private func cautions(_ time: Ensemble) -> [String] {
    var cautions: [String] = []
    if !forecast.data.drift.isTolerable {
      cautions.append("the machine drifted during the ladder, which widens the interval")
    }
    if forecast.data.scatter.share > 0.1 {
      cautions.append("runs scatter widely: a quieter machine would narrow the interval")
    }
    if time.probeError > 0.15 {
      cautions.append(
        "runs with a smaller cache are \(time.probeError.percent) off, which widens the interval"
      )
    }
    return cautions
  }
}
