import Basics
import DataModel
import Measurement

extension WorkloadFileReader {
  /// How much exact costs may grow, `vfs.syncs: 0` or `sqlite.vmSteps: 2 %`; every name and number
  /// that cannot be is reported.
  func budget(_ value: YAMLValue?, of kind: any Workload.Type) -> [String: Budget] {
    var budget: [String: Budget] = [:]
    for entry in value?.mapping()?.entries ?? [] {
      guard let metric = cost(entry, of: kind) else { continue }
      budget[metric.name] = growth(entry.value, of: metric)
    }
    return budget
  }

  private func cost(_ entry: YAMLMapping.Entry, of kind: any Workload.Type) -> Metric? {
    let metrics = Metric.catalogue + kind.metrics
    guard let metric = Metric.named(entry.key, among: metrics) else {
      let costs = metrics.filter(\.isExactCost).map(\.name)
      let hint = didYouMean(entry.key, among: costs)
      let families = "; exact costs are sizes such as storeBytes, and counters of sqlite., vfs., "
      diagnostics.report(
        "there is no metric '\(entry.key)'"
          + (hint.isEmpty ? families + "files. and objects." : hint),
        at: entry.keyPlace
      )
      return nil
    }
    guard metric.isExactCost else {
      let reason =
        metric.isExact
        ? "more of it is no cost, so that it never fails a comparison"
        : "it is not exact: 'compare --earlier' judges it by the spread of earlier runs"
      diagnostics.report("'\(entry.key)' can have no budget: \(reason)", at: entry.keyPlace)
      return nil
    }
    return metric
  }

  private func growth(_ value: YAMLValue, of metric: Metric) -> Budget? {
    guard let budget = value.string().flatMap({ Self.growth($0, of: metric) }), budget.isUsable
    else {
      let size = metric.unit == .bytes ? ", a size such as 64 KB" : ""
      value.report("\(value.name) must be a growth such as 0 or 20\(size), or a share such as 2 %")
      return nil
    }
    return budget
  }

  private static func growth(_ text: String, of metric: Metric) -> Budget? {
    if text.hasSuffix("%") {
      let number = String(text.dropLast())
      guard !number.hasSuffix("%"), let share = Quantity(number), share.dimension == .plain else {
        return nil
      }
      return .percent(share.value)
    }
    guard let quantity = Quantity(text),
      quantity.dimension == .plain || (quantity.dimension == .bytes && metric.unit == .bytes),
      quantity.value.rounded() == quantity.value
    else { return nil }
    return .absolute(quantity.value)
  }
}
