import Basics

extension Forecast {
  /// The basis of the forecast, in clauses for the report: the measured sizes, the largest costs,
  /// the fit of the models, the bends, and the reasons for a wide interval.
  var grounds: [String] {
    guard let time else { return [] }
    let known = time.members.first.flatMap(\.firstBend).map {
      "grows faster from about \($0.threeDigits.grouped) objects on: the page cache is full, so "
        + "pages are read again"
    }
    // A bend beyond all predicted sizes does not affect any answer.
    let unseen = bends.filter { $0.size > data.top && $0.size <= data.top * reach }.map {
      "not measured: \($0.name) at about \($0.size.threeDigits.grouped) objects"
    }
    return [ladder, counters, costs(of: time), fit(of: time), residuals(of: time), known]
      .compactMap(\.self) + unseen + [width].compactMap(\.self)
  }

  var wideningReasons: [String] {
    guard let time else { return [] }
    let (drift, noise) = (data.drift, data.scatter.share)
    let growth = time.growth.deviation(doublings: 4)
    let found = [
      noise > 0.1 ? "runs of the same size vary by \(noise.percent)" : nil,
      drift.isTolerable
        ? nil
        : "the machine's speed drifted by \(drift.share.percent) during the measurements",
      time.misfit > 0.1
        ? "the cost models are \(time.misfit.percent) off at the upper sizes" : nil,
      growth > 0.15
        ? "extrapolation to 16 times the size errs by \(growth.percent) within the measured sizes"
        : nil,
      time.probeError > 0.15
        ? "runs with smaller caches and batches are \(time.probeError.percent) off" : nil,
      machine == nil ? nil : "the speed of the other machine is not known exactly",
    ]
    return found.compactMap(\.self)
  }

  private var ladder: String {
    let sizes = [data.rungs.first, data.rungs.last].map { Int($0?.size ?? 0).grouped }
    let imitated = data.largestImitation.map {
      "; runs with smaller caches and batches imitate stores of up to \(Int($0).grouped) objects"
    }
    let pace = data.pace.scatter
    return "ladder: \(data.rungs.count) sizes from \(sizes[0]) to \(sizes[1]) objects"
      + "\(imitated ?? ""); runs vary by \(data.scatter.share.percent), drift of the machine's "
      + "speed \(data.drift.share.percent)"
      + (pace < 0.005
        ? ""
        : "; times are for the machine's usual speed, from which it was \(pace.percent) off")
  }

  private var counters: String? {
    let counters = countedCosts.map { name, law in
      // If the error is larger than the count itself, its exact size carries no information.
      let error = law.extrapolationError.map { $0 > 1 ? " off by over 100 %" : " ±\($0.percent)" }
      return "\(name)\(error ?? "") (\(law.name))"
    }
    return counters.isEmpty
      ? nil : "counters, with their extrapolation error: " + counters.joined(separator: ", ")
  }

  /// The counters with a known cost model, with their wording in reports.
  ///
  /// Counters do not depend on the machine.
  var countedCosts: [(name: String, law: CounterLaw)] {
    // Use imitated sizes (runs with a smaller page cache) only for page counters, because others do
    // not depend on the cache.
    let imitated = Rung.imitating(data.rungs, data.probes)
    return [
      ("sqlite.vmSteps", "SQLite's steps"), ("sqlite.cacheMisses", "pages read"),
      ("sqlite.cacheWrites", "pages written"), ("vfs.writeBytes", "bytes written"),
      (CounterLaw.syncs, "syncs"),
    ].compactMap { counter, name in
      CounterLaw(counter, on: counter.hasPrefix("sqlite.cache") ? imitated : data.rungs)
        .map { (name, $0) }
    }
  }

  private func costs(of time: Ensemble) -> String {
    let size = time.top * 16
    let shares = time.contributions(at: size).prefix(4).map {
      "\(Self.plain($0.name)) \($0.share.percent)"
    }
    return "time at \(Int(size).grouped) objects: " + shares.joined(separator: ", ")
  }

  private func fit(of time: Ensemble) -> String {
    let members = time.members.filter { $0.weight >= 0.005 }.map {
      "\(Self.plain($0.name)) \($0.weight.percent)"
    }
    let errors = [1, 4].map { time.growth.deviation(doublings: $0).percent }
    return "explained by: \(members.joined(separator: ", ")); off by \(time.misfit.percent) at the "
      + "upper sizes; extrapolation errs by \(errors[0]) for a doubling, \(errors[1]) for 16 times "
      + "the size"
  }

  private func residuals(of time: Ensemble) -> String {
    let largest = max(time.residuals.map(abs).max() ?? 0, 1e-9)
    let marks = Array("▁▂▃▄▅▆▇█")
    let line = time.residuals.map { residual in
      marks[min(max(Int(((residual / largest + 1) / 2 * 7).rounded()), 0), 7)]
    }
    return "residuals by size: \(String(line)), ▁ is -\(largest.percent) and █ +\(largest.percent)"
  }

  private var width: String? {
    guard !wideningReasons.isEmpty else { return nil }
    let isUnsteady = data.scatter.share > 0.1 || !data.drift.isTolerable
    return "the interval is wide because " + wideningReasons.joined(separator: "; ")
      + (isUnsteady ? "; measure with '--again' on a quieter machine" : "")
  }

  /// The wording of cost models and terms for readers who do not know the manual.
  private static func plain(_ name: String) -> String {
    switch name {
    case "linear": "a straight line"
    case "structural": "pages counted and a straight line"
    case "structural n log n": "pages counted and n log n"
    default: name.hasSuffix(" sorting") ? name.dropLast("sorting".count) + "n log n" : name
    }
  }
}
