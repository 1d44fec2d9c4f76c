import DataModel
import PersistentStore
import Runner
import TestSupport
import Testing

@testable import WorkloadKinds

struct CascadePlanTests {
  private func irrelevant(_ values: [String: ParameterValue]) -> Set<String> {
    let defaults = Dictionary(CascadeDeleteWorkload.axes.map { ($0.name, $0.defaultValue) }) { $1 }
    let parameters = CascadeParameters(ParameterValues(defaults.merging(values) { $1 }))
    return Set(parameters.irrelevant.map(\.description))
  }

  @Test func `parameters of other strategies and shapes drop out`() {
    let batch = [
      "batchShape", "batchExternalFiles", "batchVersions", "batchRules", "batchMandatory",
    ]
    #expect(irrelevant([:]) == Set(["entity", "mandatory"] + batch))
    #expect(
      irrelevant(["strategy": .text("batchDelete"), "shape": .text("own")])
        == [
          "rootsPerSave", "toManyFault", "rule", "depth", "fanOut", "roots", "blob", "history",
          "mandatory", "batchRules", "batchMandatory",
        ]
    )
  }

  @Test func `a chain of too many objects is impossible, also beyond all numbers`() {
    let values = ParameterValues([
      "shape": .text("chain"), "depth": .integer(10), "fanOut": .integer(10_000),
      "roots": .integer(1_000_000),
    ])
    #expect(CascadeDeleteWorkload.impossibility(of: values)?.contains("10,000,000") == true)
  }

  @Test func `the longest cascade is found, also one that leads back`() throws {
    let layout = StoreLayout(model: CascadeFixture.model, keepsHistory: false)
    let graph = CascadeGraph(layout)
    let root = try CascadeRoot(named: "Folder", in: layout)
    let reached = graph.reached(from: root.table)
    #expect(Set(reached) == ["ZFOLDER", "ZTASK", "ZATTACHMENT", "ZSTEP", "ZPLAN"])
    #expect(reached.prefix(2) == ["ZFOLDER", "ZTASK"])
    #expect(graph.isCyclic(reached))
  }

  @Test func `an unknown entity is named with those that there are`() throws {
    let bench = try KindBench<CascadeDeleteWorkload>(
      model: Model(entities: [Entity(name: "Post"), Entity(name: "User")])
    )
    let named = try bench.fit(["shape": .text("own"), "entity": .text("Posts")])
    #expect(named.misfits.map(\.parameter) == ["entity"])
    #expect(
      named.misfits.map(\.reason) == ["the store has no entity 'Posts'; did you mean 'Post'?"]
    )
    let empty = try bench.fit(["shape": .text("own"), "entity": .text("User")])
    #expect(empty.misfits.map(\.reason) == ["the store has no objects of 'User' to delete"])
    let open = try bench.fit(["shape": .text("own")])
    #expect(open.misfits.isEmpty)
    #expect(open.obstacle == "the store has no objects with a cascading relationship")
  }

  /// A to-one without inverse: nothing in the target says who leads to it.
  private func benchWithoutInverse() throws -> KindBench<CascadeDeleteWorkload> {
    let model = Model(entities: [
      Entity(
        name: "Post",
        relationships: [Relationship(name: "photo", destination: "Photo", deleteRule: .cascade)]
      ),
      Entity(name: "Photo"),
    ])
    return try KindBench(model: model) { context in
      for _ in 0..<4 {
        try context.insert("Post").setTarget(try context.insert("Photo"), of: "photo")
      }
    }
  }

  @Test func `a cascade without inverse is followed where it can be and refused otherwise`() throws
  {
    let bench = try benchWithoutInverse()
    let own: [String: ParameterValue] = ["shape": .text("own"), "share": .real(0.5)]
    func verify(_ values: [String: ParameterValue]) throws -> Verification {
      try bench.verify(own.merging(values) { $1 })
    }
    let context = try verify([:])
    let batch = try verify(["strategy": .text("batchDelete")])
    #expect(context == batch)
    #expect(context.notes == ["2 objects of 'Post' deleted, and 2 related objects"])
    #expect {
      try verify(["strategy": .text("sqlForeignKey")])
    } throws: { "\($0)".contains("the cascade along 'Post.photo' cannot be a FOREIGN KEY clause") }
    #expect {
      try verify(["strategy": .text("batchDelete"), "batchShape": .text("orphanCleanup")])
    } throws: { "\($0)".contains("orphans of 'Post.photo' cannot be found") }
  }

  @Test func `each assumption is varied alone where the file asks for it`() throws {
    let path = Repository.path("Workloads/main/cascadeDelete.yaml")
    var overrides = Overrides()
    overrides.variesAssumptions = true
    let cases = try #require(
      try Plan(paths: [path], kinds: WorkloadCatalog.kinds, overrides: overrides).workloads.first
    ).cases
    let own = cases.prefix { $0.variation == nil }
    #expect(own.map { $0.allParameters.text("strategy") } == ["objectByObject", "batchDelete"])
    let others = cases.dropFirst(own.count)
    #expect(others.allSatisfy { $0.allParameters.text("strategy") == "batchDelete" })
    let variations = others.compactMap(\.variation)
    #expect(Set(variations).count == others.count)
    #expect(variations.contains("batchShape=orphanCleanup"))
    let kept = try Plan(paths: [path], kinds: WorkloadCatalog.kinds)
    #expect(kept.caseCount == own.count)
  }
}
