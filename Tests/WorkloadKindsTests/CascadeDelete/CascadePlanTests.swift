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

  /// A bench whose to-one has no inverse, so that targets do not know their sources.
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

  @Test(
    arguments: [
      ("shape: own\n  rule: nullify", "'rule'", "the delete rules of the store's model count"),
      ("shape: own\n  depth: 2", "'depth'", "the store's own objects are deleted"),
      ("shape: own\n  fanOut: 2", "'fanOut'", "write their numbers under 'store: objects'"),
      ("shape: own\n  roots: 2", "'roots'", "set 'shape: chain'"),
      ("entity: Project", "'entity'", "set 'shape: own'"),
    ]
  )
  func `what has no effect is refused, with what to write instead`(
    parameters: String,
    name: String,
    remedy: String
  ) throws {
    let problems = try planProblems("cascadeDelete", parameters)
    #expect(problems.count == 1, "\(problems)")
    #expect(problems.first?.place != nil)
    let message = problems.first?.message ?? ""
    #expect(message.contains(name) && message.contains(remedy), "\(message)")
  }

  @Test func `missing indexes of children cost steps in an own store`() throws {
    let bench = try CascadeFixture.bench()
    func steps(_ hasIndex: Bool) throws -> Double {
      let opened = try bench.open([
        "shape": .text("own"), "strategy": .text("batchDelete"),
        "childIndex": .boolean(hasIndex),
      ])
      _ = try opened.finish()
      return opened.figures["sqlite.vmSteps"] ?? 0
    }
    #expect(try steps(false) > steps(true))
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
