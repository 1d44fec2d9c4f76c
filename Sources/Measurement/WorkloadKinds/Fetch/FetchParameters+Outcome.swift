import Measurement
import PersistentStore
import Runner

extension FetchParameters {
  /// The name of what must be read: cases of one name read the same objects.
  ///
  /// Where the request's order leaves a choice, a part of the result is whatever an engine's
  /// statement finds first; only a whole result is the same for all.
  func endState(_ values: ParameterValues) -> String {
    if strategy == .count { return "counted " + kept(["entity", "predicate"], of: values) }
    if accessPattern == .none {
      return "found " + kept(["entity", "predicate", "limit", "offset"], of: values)
    }
    guard accessPattern == .scrollAll, limit == 0, offset == 0 else {
      return "read " + values.without(irrelevant).canonical
    }
    return "read all " + kept(["entity", "predicate", "attributes", "readsBlobs"], of: values)
  }

  private func kept(_ names: Set<String>, of values: ParameterValues) -> String {
    values.without(Set(Self.axes.map(\.name)).subtracting(names).union(irrelevant)).canonical
  }

  /// What stands for Apple's behaviour in the case.
  var assumptions: [Behaviour] {
    guard engine == .objectGraph else { return [] }
    let names = Set(Self.axes.map(\.name)).subtracting(irrelevant)
    var result: [Behaviour] = []
    if names.contains("batchRetention") {
      result.append(
        Behaviour(
          name: "batchRetention",
          value: behaviours.batchRetention.rawValue,
          evidence: .assumed
        )
      )
    }
    if names.contains("externalDataLoad"), externalDataLoad != .unspecified {
      result.append(
        Behaviour(
          name: "externalDataLoad",
          value: externalDataLoad.rawValue,
          evidence: .assumed
        )
      )
    }
    if names.contains("toManyFault") {
      result.append(
        Behaviour(
          name: "toManyFault",
          value: behaviours.toManyFault.rawValue,
          evidence: behaviours.toManyFault == .keys ? .log : .assumed
        )
      )
    }
    return result
  }
}
