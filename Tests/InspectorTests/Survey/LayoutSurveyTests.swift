import Basics
import DataModel
import Foundation
import PersistentStore
import Reporting
import SQLite
import TestSupport
import Testing

@testable import Inspector

struct LayoutSurveyTests {
  /// The report's section on the layout.
  private static func text(of survey: StoreSurvey) -> String {
    var report = Report(kind: "", title: "", source: "")
    report.sections = survey.report.sections.filter { $0.title == "Layout" }
    return report.text()
  }

  private func section(after statements: [String] = []) throws -> (
    survey: LayoutSurvey, text: String
  ) {
    let library = try LibraryStore()
    let connection = try Connection(path: library.file.path, mode: .readWrite, settings: nil)
    try connection.executeScript(statements)
    try connection.checkpoint()
    let survey = try library.survey()
    let text = Self.text(of: survey)
    return (try #require(survey.layout), text)
  }

  @Test func `a new store's tables are those of a fresh store`() throws {
    let (survey, text) = try section()
    #expect(survey.isFresh)
    #expect(survey.differences.isEmpty)
    #expect(survey.tables.same == survey.tables.all)
    #expect(
      text == """
        Layout
          Same as in a fresh store of its model (11 tables, 12 indexes).

        """
    )
  }

  /// A migration in place leaves traces: columns at the end, quoted names, and duplicate indexes
  /// with old names (coredata-format.md, section 12).
  @Test func `what later migrations appended and renamed is told`() throws {
    let library = try LibraryStore()
    let model = Model(
      entities: LibraryStore.model.entities.map { entity in
        var entity = entity
        if entity.name == "Wish" { entity.attributes.append(Attribute(name: "at", type: .date)) }
        return entity
      },
      versionIdentifiers: LibraryStore.model.versionIdentifiers,
      configurations: LibraryStore.model.configurations
    )
    let connection = try Connection(path: library.file.path, mode: .readWrite, settings: nil)
    let cache = try connection.prepare("UPDATE Z_MODELCACHE SET Z_CONTENT = ?")
    cache.bind(.blob(ModelCache.content(of: model)), at: 1)
    try cache.run()
    try connection.executeScript([
      "ALTER TABLE ZWISH ADD COLUMN ZAT TIMESTAMP", "ALTER TABLE ZSHELF RENAME TO ZX",
      "ALTER TABLE ZX RENAME TO ZSHELF", "CREATE INDEX ZWORK_ZOLD_INDEX ON ZWORK (ZSHELF)",
      "CREATE INDEX ZWORK_ZOLDER_INDEX ON ZWORK (ZSHELF)",
    ])
    try connection.checkpoint()
    let survey = try library.survey()
    let text = Self.text(of: survey)
    #expect(survey.layout?.isFresh == false)
    #expect(
      text == """
        Layout
          9 of 11 tables and 12 of 14 indexes are the same as in a fresh store of its
          model.
          Altered:
          - ZSHELF: altered in place by an earlier migration; the table was renamed
          - ZWISH: altered in place by an earlier migration; columns appended later: ZAT
          - index ZWORK_ZOLD_INDEX and 1 more: an older name of ZWORK_ZSHELF_INDEX

        """
    )
  }

  @Test func `what nobody can explain is told apart`() throws {
    let (survey, text) = try section(
      after: [
        "CREATE VIEW ZV AS SELECT 1", "CREATE TABLE ZMINE (a)", "DROP INDEX ZWORK_ZSHELF_INDEX",
      ]
    )
    #expect(survey.differences(in: .unexplained).map(\.name) == ["ZV", "ZMINE"])
    #expect(
      text == """
        Layout
          11 of 12 tables and 11 of 12 indexes are the same as in a fresh store of its
          model.
          Missing:
          - index ZWORK_ZSHELF_INDEX
          Unexplained:
          - ZMINE: a table that the model does not need
          - view ZV: a view, which no framework makes

        """
    )
  }

  /// In iOS 11, the unique constraint of one attribute is part of its column (coredata-format.md,
  /// section 6).
  @Test func `an older layout is named`() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("old.sqlite")
    var model = LibraryStore.model
    model.configurations = [:]
    _ = try PersistentStore.create(
      at: path,
      model: model,
      metadata: StoreMetadata(
        uuid: "00000000-0000-0000-0000-000000000000",
        versionIdentifiers: [""],
        frameworkVersion: 851
      ),
      options: PersistentStore.Options(keepsHistory: false)
    )
    let survey = try StoreSurveyor(StoreFile(path: path)).survey()
    let layout = try #require(survey.layout)
    #expect(layout.isFresh)
    #expect(layout.differences(in: .olderLayout).map(\.name) == ["ZTAG"])
    let text = Self.text(of: survey)
    #expect(
      text == """
        Layout
          7 of 8 tables and 3 of 3 indexes are the same as in a fresh store of its
          model; the others match its framework, 847 to 865 (iOS 11).
          Older form:
          - ZTAG: the form of framework 851

        """
    )
  }

  @Test func `JSON carries the statements that differ`() throws {
    let library = try LibraryStore()
    try library.change("ALTER TABLE ZWISH ADD COLUMN ZNEW INTEGER")
    let text = try library.survey().jsonText()
    let object = try #require(
      try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
    )
    let layout = try #require(object["layout"] as? [String: Any])
    let differences = try #require(layout["differences"] as? [[String: Any]])
    #expect(differences.count == 1)
    #expect(differences.first?["state"] as? String == "alteredInPlace")
    #expect((differences.first?["found"] as? String)?.hasSuffix(", ZNEW INTEGER)") == true)
  }
}

@Suite(.enabled(if: RealStores.isAvailable, "STOREBENCH_REAL_STORES is not set"))
struct RealLayoutSurveyTests {
  /// Except for NotesV7, frameworks from 1030 on wrote the stores and never migrated them in place.
  @Test(arguments: RealStores.all.filter { $0.name != "NotesV7.storedata" })
  func `a real store's tables are those of a fresh store`(store: StoreFile) throws {
    let survey = try StoreSurveyor(store).survey()
    #expect(survey.metadata.frameworkVersion >= 1030)
    #expect(survey.layout?.differences == [])
    #expect(survey.layout?.isFresh == true)
  }
}
