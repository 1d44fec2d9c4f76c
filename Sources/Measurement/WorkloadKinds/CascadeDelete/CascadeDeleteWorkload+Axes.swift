import PersistentStore
import Runner

extension CascadeDeleteWorkload {
  package static let axes =
    [
      Axis.choice("strategy", CascadeStrategy.self, "who follows the relationships"),
      Axis.choice("shape", CascadeShape.self, "a chain of the kind's own, or the workload's store"),
      Axis(
        "childIndex",
        .boolean,
        default: .boolean(true),
        "whether children are found by an index, as in every store of the frameworks"
      ),
      Axis("share", .real(0.0001...1), default: .real(0.2), "of the roots that is deleted"),
    ] + chainAxes + ownAxes + behaviourAxes

  private static let chainAxes = [
    Axis.choice("rule", CascadeRule.self, "the delete rule from the chain's roots"),
    Axis("depth", .integer(1...10), default: .integer(3), "levels below the chain's roots"),
    Axis("fanOut", .integer(1...10_000), default: .integer(5), "children an object of the chain"),
    Axis("roots", .integer(1...1_000_000), default: .integer(50), "roots of the chain"),
    Axis(
      "blob",
      .bytes(0...16_777_216),
      default: .integer(0),
      "of the last level's external storage; 0 for none"
    ),
    Axis("history", .boolean, default: .boolean(false), "whether the chain's store keeps history"),
  ]

  private static let ownAxes = [
    Axis("entity", .name, default: .text(""), "whose objects of the workload's store are deleted")
  ]

  private static let behaviourAxes = [
    Axis(
      "rootsPerSave",
      .integer(0...1_000_000),
      default: .integer(0),
      "roots deleted by one save; 0 for all"
    ),
    Axis.choice(
      "toManyFault",
      StoreBehaviours.ToManyFault.self,
      "what firing a to-many fault reads (keys by a log, rows assumed)"
    ),
    Axis.choice("batchShape", BatchDeleteShape.self, "the statements of a batch delete (assumed)"),
    Axis.choice(
      "batchExternalFiles",
      BatchExternalFiles.self,
      "what a batch delete does with external files (assumed)"
    ),
    Axis.choice(
      "batchVersions",
      BatchVersions.self,
      "what a batch delete does with counters of objects that lose a reference (assumed)"
    ),
  ]

  package static func irrelevantParameters(of values: ParameterValues) -> Set<String> {
    let planned = CascadeParameters(values)
    let isChain = planned.shape == .chain
    let (isBatch, isContext) = (
      planned.strategy == .batchDelete, planned.strategy == .objectByObject
    )
    var relevance = [
      "entity": !isChain, "rootsPerSave": isContext, "toManyFault": isContext,
      "batchShape": isBatch,
      "batchExternalFiles": isBatch && planned.mayHaveFiles,
      "batchVersions": isBatch && planned.changesSurvivors,
    ]
    for axis in chainAxes { relevance[axis.name] = isChain }
    return Set(relevance.filter { !$0.value }.keys)
  }

  package static func impossibility(of values: ParameterValues) -> String? {
    let planned = CascadeParameters(values)
    guard planned.shape == .chain, planned.chainCount == nil else { return nil }
    return "the chain has more than 10,000,000 objects: take fewer 'roots', 'fanOut' or 'depth'"
  }
}
