import DataModel
import PersistentStore
import Runner
import TestSupport
import Testing

@testable import WorkloadKinds

struct BlobPlanTests {
  private func irrelevant(_ values: [String: ParameterValue]) -> Set<String> {
    let defaults = Dictionary(BlobStorageWorkload.axes.map { ($0.name, $0.defaultValue) }) { $1 }
    let parameters = BlobParameters(ParameterValues(defaults.merging(values) { $1 }))
    return Set(parameters.irrelevant.map(\.description))
  }

  @Test func `parameters of other strategies and operations drop out`() {
    let reading = ["durability", "objectsPerSave", "share"]
    let external = ["externalStorageThreshold", "externalDataLoad"]
    #expect(
      irrelevant([:])
        == Set(
          [
            "engine", "share", "reads", "passes", "prefix", "batchSize", "batchRetention",
            "prefetchBlobs",
          ] + external
        )
    )
    #expect(
      irrelevant(["strategy": .text("separateEntity"), "operation": .text("readMany")])
        == Set(reading + external + ["reads", "prefix", "batchRetention"])
    )
    #expect(
      irrelevant([
        "strategy": .text("externalStorage"), "operation": .text("list"),
        "batchSize": .integer(20), "size": .integer(102_401),
      ]) == Set(reading + ["reads", "prefix", "prefetchBlobs"])
    )
  }

  @Test func `when external files are read does not matter where there are none`() {
    let values: [String: ParameterValue] = [
      "strategy": .text("externalStorage"), "operation": .text("list"),
    ]
    #expect(irrelevant(values).contains("externalDataLoad"))
    #expect(
      !irrelevant(values.merging(["size": .integer(102_401)]) { $1 })
        .contains("externalDataLoad")
    )
  }

  @Test(arguments: [
    ("{ list: 30, delete: 5, insert: 1 }", "no case of this file does 'delete', only insert, list"),
    ("{ list: 30, insert: 0 }", "give two or more a weight above 0"),
    ("{}", "give two or more a weight above 0"),
  ])
  func `a mix is of operations that the file measures`(mix: String, reason: String) throws {
    let found = try planProblems("blobStorage", "operation: [insert, list]\nmix: \(mix)")
    #expect(found.contains { $0.message.contains(reason) && $0.place?.line == 5 }, "\(found)")
    let good = "operation: [insert, list]\nmix: { list: 30, insert: 1 }"
    #expect(try planProblems("blobStorage", good).isEmpty)
  }

  @Test func `too many bytes are impossible, also beyond all numbers`() {
    let values = ParameterValues(["objects": .integer(1_000_000), "size": .integer(.max / 2)])
    #expect(BlobStorageWorkload.impossibility(of: values)?.contains("64 GB") == true)
  }

  @Test(arguments: [(1, 1000), (102_400, 163), (4 << 20, 8)])
  func `the number of objects follows from their size`(_ size: Int, _ objects: Int) {
    let values = ParameterValues(["size": .integer(size), "objects": .integer(0)])
    #expect(BlobParameters(values).objects == objects)
  }

  @Test func `blobs are functions of seed, key and version`() {
    let (blobs, others) = (SeededBlobs(seed: 1, size: 100), SeededBlobs(seed: 2, size: 100))
    #expect(blobs.bytes(of: 7) == SeededBlobs(seed: 1, size: 100).bytes(of: 7))
    let all = [
      blobs.bytes(of: 7), blobs.bytes(of: 8), blobs.bytes(of: 7, version: 1), others.bytes(of: 7),
    ]
    #expect(Set(all).count == 4)
    #expect(SeededBlobs(seed: 1, size: 1).bytes(of: 1).count == 1)
  }

  private func content(
    of model: Model,
    _ strategy: String,
    _ entity: String,
    attribute: String = ""
  ) throws -> BlobScenario {
    let values = [("strategy", strategy), ("entity", entity), ("attribute", attribute)]
    let parameters = BlobParameters(
      ParameterValues(Dictionary(values.map { ($0, ParameterValue.text($1)) }) { $1 })
    )
    return try BlobScenario(model, parameters, seed: 1)
  }

  @Test func `a store without a binary attribute gets one, and a whole number`() throws {
    let model = Model(entities: [
      Entity(name: "Note", attributes: [Attribute(name: "revision", type: .string)])
    ])
    let blob = try content(of: model, "inline", "Note")
    #expect(blob.entity == "Note")
    #expect(blob.blob == "blob")
    #expect(blob.plain.counter == "revisionNumber")
    #expect(blob.model.isValid)
  }

  @Test func `names that the store does not have are named with those it has`() {
    let model = BlobFixture.model
    #expect {
      try content(of: model, "file", "Photo")
    } throws: { "\($0)".contains("the store has no entity 'Photo'") }
    #expect {
      try content(of: model, "file", "Post", attribute: "text")
    } throws: { "\($0)".contains("entity 'Post' has no binary attribute 'text'") }
  }

  @Test func `the workload files can be planned`() throws {
    let paths = ["blobStorage", "cascadeDelete"].map { Repository.path("Workloads/\($0)") }
    let plan = try Plan(paths: paths, kinds: WorkloadCatalog.kinds)
    #expect(plan.warnings.isEmpty)
    for workload in plan.workloads { #expect(workload.cases.count > 1) }
  }
}
