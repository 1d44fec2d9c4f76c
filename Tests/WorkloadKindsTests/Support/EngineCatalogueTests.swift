import Runner
import Testing

@testable import WorkloadKinds

struct EngineCatalogueTests {
  @Test func `names the command that builds an engine which a program lacks`() {
    #expect(
      EngineCatalogue(hasGRDB: false).absence(of: "grdb")
        == "this program was built without the engine 'grdb'; 'make run GRDB=1' builds and runs one "
        + "with it, 'make install' installs one"
    )
    #expect(EngineCatalogue(hasGRDB: true).absence(of: "grdb") == nil)
    #expect(EngineCatalogue(hasGRDB: false).absence(of: "bareSQL") == nil)
  }

  @Test func `every kind with the engine knows whether it is built`() {
    for kind in WorkloadCatalog.kinds {
      guard let engine = kind.axes.first(where: { $0.name == "engine" }),
        case .choice(let names) = engine.domain, names.contains("grdb")
      else { continue }
      let values = ParameterValues(["engine": .text("grdb")])
      #expect((kind.absence(of: values) == nil) == EngineCatalogue.built.hasGRDB, "\(kind)")
    }
  }
}
