import Basics
import DataModel
import Foundation
import PersistentStore
import Reporting
import SQLite
import TestSupport
import Testing

@testable import Inspector

struct StoreSurveyTests {
  @Test func `objects are counted by their concrete entity and through inheritance`() throws {
    let survey = try LibraryStore().survey()
    #expect(survey.entity("Book")?.count == 12)
    #expect(survey.entity("Film")?.count == 11)
    #expect(survey.entity("Work")?.count == 0)
    #expect(survey.entity("Work")?.countWithSubentities == 23)
    #expect(survey.entity("Wish")?.count == 0)
  }

  @Test func `attributes have their nulls, values, ranges and sizes`() throws {
    let survey = try LibraryStore().survey()
    let pages = try #require(survey.attribute("pages", of: "Book"))
    #expect(pages.count == 12)
    #expect(pages.distinct == 12)
    #expect(pages.numbers?.minimum == 100)
    #expect(pages.numbers?.maximum == 320)
    #expect(survey.attribute("price", of: "Book")?.nulls == 12)
    let titles = try #require(survey.attribute("title", of: "Work"))
    #expect(titles.lengths?.minimum == 11)
    #expect(titles.lengths?.maximum == 14)
    #expect(titles.count == 23)
  }

  @Test func `values in files are counted with their files`() throws {
    let survey = try LibraryStore().survey()
    let posters = try #require(survey.attribute("poster", of: "Film"))
    #expect(posters.external?.references == 5)
    #expect(posters.external?.bytes == Int64(4500))
    #expect(posters.external?.missing == 0)
    #expect(survey.externalData?.orphaned == 0)
  }

  @Test func `relationships have what they lead to`() throws {
    let survey = try LibraryStore().survey()
    let works = try #require(survey.relationship("works", of: "Shelf"))
    #expect(works.empty == 1)
    #expect(works.references == 23)
    #expect(works.fanOut?.minimum == 11)
    #expect(works.fanOut?.maximum == 12)
    #expect(survey.relationship("shelf", of: "Work")?.empty == 0)
    #expect(survey.relationship("tags", of: "Work")?.empty == 7)
    #expect(survey.relationship("works", of: "Tag")?.empty == 1)
  }

  @Test func `history has its transactions, changes, entities and tombstones`() throws {
    let history = try #require(LibraryStore().survey().history)
    #expect(history.transactions == 3)
    #expect(history.insertions == 30)
    #expect(history.deletions == 1)
    #expect(history.tombstones == 1)
    #expect(history.changes == history.insertions + history.updates + history.deletions)
    #expect(history.authors.map(\.name) == ["process storebench", "bundle org.storebench.app"])
    #expect((history.bytes ?? 0) > 0)
  }

  /// Core Data's own partial indexes, as in Photos libraries, have names that begin with `Z_`.
  @Test func `an index over a part of the rows is no risk if the model asks for it`() throws {
    let folder = try TemporaryFolder()
    let file = StoreFile(path: folder.file("photos.sqlite"))
    let favorites = FetchIndex(
      name: "byFavorite",
      elements: [.init(property: "favorite")],
      partialPredicate: "favorite == 1"
    )
    let model = Model(entities: [
      Entity(
        name: "Asset",
        attributes: [Attribute(name: "favorite", type: .boolean)],
        fetchIndexes: [favorites]
      )
    ])
    let store = try PersistentStore.create(at: file.path, model: model)
    let sql = try #require(
      try store.connection.text("SELECT sql FROM sqlite_master WHERE sql LIKE '% WHERE %'")
    )
    #expect(sql.contains("Z_Asset_byFavorite"))
    #expect(try StoreSurveyor(file).survey().rules == ["incompleteMetadata"])
    try store.connection.execute("CREATE INDEX own ON ZASSET (Z_OPT) WHERE Z_OPT > 1")
    #expect(try StoreSurveyor(file).survey().rules == ["incompleteMetadata", "partialIndex"])
  }

  @Test func `a sound store breaks no rule`() throws {
    #expect(try LibraryStore().survey().rules == ["incompleteMetadata"])
  }

  @Test func `a store that Apple's frameworks will not open says so in what to do first`() throws {
    let report = try LibraryStore().survey().report
    #expect(report.tone == .caution && report.title.plain.hasPrefix("1 risk in "))
    #expect(try #require(report.next?.plain).contains("--version-info"))
    #expect(
      try #require(report.certainty?.plain).hasPrefix("Every object was read, and none sampled.")
    )
  }

  @Test func `a store that was not read whole does not claim to be`() throws {
    var survey = try LibraryStore().survey()
    survey.findings.append(.gaveUp("library.sqlite"))
    #expect(try #require(survey.report.certainty?.plain).hasPrefix("Not all was read; see gaveUp"))
  }

  @Test(arguments: [
    ("UPDATE ZWORK SET ZSHELF = 99 WHERE Z_PK = 5", "danglingReference"),
    ("UPDATE Z_PRIMARYKEY SET Z_MAX = 3 WHERE Z_NAME = 'Work'", "keyAboveMaximum"),
    ("UPDATE ZWORK SET Z_ENT = 77 WHERE Z_PK = 5", "wrongEntityNumber"),
    ("DELETE FROM ZTAG WHERE ZNAME = 'history'", "danglingPair"),
    (
      "UPDATE ZWORK SET ZID = (SELECT ZID FROM ZWORK WHERE Z_PK = 1) WHERE Z_PK = 2", "duplicateKey"
    ),
    (
      "UPDATE ZWORK SET ZPOSTER = CAST(x'02' || '../../../etc/passwd-of-this-machine!' || x'00' AS BLOB)",
      "malformedExternalData"
    ),
    ("UPDATE ZWORK SET ZPOSTER = zeroblob(2000000) WHERE ZPOSTER IS NOT NULL", "largeBlob"),
    ("DELETE FROM Z_MODELCACHE", "noModel"),
    ("CREATE TABLE ZEXTRA (a)", "unexpectedTable"),
  ])
  func `what is wrong or risky is found by its rule`(sql: String, rule: String) throws {
    let library = try LibraryStore()
    try library.change(sql)
    let finding = try library.survey().findings.first { $0.rule == rule }
    #expect(finding?.remedy.isEmpty == false)
    #expect(finding?.message.isEmpty == false)
  }

  @Test func `a store of old frameworks, which has no place for its model, is not wrong`() throws {
    let library = try LibraryStore()
    try library.change("DROP TABLE Z_MODELCACHE")
    let finding = try library.survey().findings.first { $0.rule == "noModel" }
    #expect(finding?.severity == .note)
  }

  @Test(.enabled(if: geteuid() != 0, "root may read everything"))
  func `a -wal without permission to read it is said to be one`() throws {
    let library = try LibraryStore(keepsWAL: true)
    try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: library.file.wal)
    #expect {
      try library.survey()
    } throws: { error in
      "\(error)".hasPrefix("cannot read '\(library.file.wal)': ")
    }
  }

  @Test(.enabled(if: geteuid() != 0, "root may read everything"))
  func `a store that may not be read is not called another file`() throws {
    let library = try LibraryStore()
    #expect(chmod(library.file.path, 0) == 0)
    let error = try #require(throws: Refusal.self) { try library.survey() }
    #expect("\(error)".contains("permission denied"))
  }

  @Test(arguments: ["link", "folder", "pipe"])
  func `a -wal that is no file is named, and not read`(form: String) throws {
    let library = try LibraryStore()
    let wal = library.file.wal
    try? FileManager.default.removeItem(atPath: wal)
    switch form {
    case "link": #expect(symlink("/etc/hostname", wal) == 0)
    case "folder": #expect(mkdir(wal, 0o755) == 0)
    default: #expect(mkfifo(wal, 0o644) == 0)
    }
    let survey = try library.survey()
    #expect(survey.rules.contains("walIsNoFile"))
    #expect(survey.entity("Book")?.count == 12)
    #expect(!survey.report.text().contains("no -wal next to the store"))
  }

  @Test func `a store that was cut short is told with the bytes expected and found`() throws {
    let library = try LibraryStore()
    let path = library.file.path
    let whole = library.file.storeBytes
    #expect(truncate(path, off_t(whole / 2)) == 0)
    let error = try #require(throws: PersistentStoreError.self) { try library.survey() }
    #expect(
      error.description.contains(
        "its header counts \(whole.grouped) bytes, and the file has \((whole / 2).grouped)"
      )
    )
  }

  @Test func `a store without its property list is incomplete, not damaged`() throws {
    let library = try LibraryStore()
    try library.change("UPDATE Z_METADATA SET Z_PLIST = NULL")
    let error = try #require(throws: PersistentStoreError.self) { try library.survey() }
    #expect(error.description.contains("is incomplete: Z_METADATA has no property list"))
  }

  @Test func `duplicates that break a unique constraint are found without its index`() throws {
    let library = try LibraryStore()
    try library.change("DROP INDEX Z_Tag_UNIQUE_name", "UPDATE ZTAG SET ZNAME = 'music'")
    let survey = try library.survey()
    #expect(survey.rules.contains("duplicate"))
    #expect(survey.entity("Tag")?.keys.first?.surplus == 2)
    #expect(survey.entity("Tag")?.keys.first?.largestGroup == 3)
  }

  @Test func `missing and orphaned external files are counted`() throws {
    let library = try LibraryStore()
    let folder = library.file.externalDataFolder
    let first = try #require(FileManager.default.contentsOfDirectory(atPath: folder).sorted().first)
    try FileManager.default.moveItem(atPath: folder + "/" + first, toPath: folder + "/stray")
    let survey = try library.survey()
    #expect(survey.externalData?.missing == 1)
    #expect(survey.externalData?.orphaned == 1)
    #expect(survey.externalData?.orphanedBytes == 900)
    #expect(survey.rules.contains("missingExternalFile"))
  }

  @Test func `the metadata's gaps are named`() throws {
    let survey = try LibraryStore().survey()
    #expect(survey.metadata.missingForOpening.count == 1)
    #expect(survey.metadata.missingForOpening.first?.contains("version hashes") == true)
  }

  @Test func `several gaps of the metadata are one finding, not a number of them`() throws {
    var survey = try LibraryStore().survey()
    survey.metadata.missingForOpening.append("NSStoreType")
    survey.findings = SurveyFindings(survey: survey).all
    let claims = survey.report.findings.map(\.claim.plain)
    let start = "! Z_METADATA: Apple's frameworks will not open it as it is: it lacks "
    #expect(claims == [start + "the version hashes of its entities and 1 more"])
  }

  @Test func `shares are of all pages, also of those that only the -wal has`() throws {
    var survey = try LibraryStore().survey()
    let bytes: Int64 = 300 << 10
    survey.bytes = 4096
    survey.space.freeBytes = 0
    survey.space.parts = [
      StoreSurvey.Space.Part(name: "ACHANGE", bytes: bytes),
      StoreSurvey.Space.Part(name: "ZWORK", bytes: bytes / 3),
    ]
    survey.history?.bytes = bytes
    let finding = SurveyFindings(survey: survey).all.first { $0.rule == "largeHistory" }
    #expect(finding?.message.hasSuffix("which takes 75 % of the file") == true)
    survey.space.limitation = nil
    let text = survey.report.text()
    #expect(text.contains("75 %") && text.contains("25 %"), "\(text)")
  }

  @Test func `one value of two objects is counted as one value`() throws {
    let library = try LibraryStore()
    try library.change(
      "UPDATE ZWORK SET ZID = (SELECT ZID FROM ZWORK WHERE Z_PK = 1) WHERE Z_PK = 2"
    )
    let survey = try library.survey()
    let finding = survey.findings.first { $0.rule == "duplicateKey" }
    #expect(
      finding?.message
        == "objects have a value that another object has too: one value occurs 2 times"
    )
    let text = survey.report.text().split(whereSeparator: \.isWhitespace).joined(separator: " ")
    #expect(text.contains("id: one of its values occurs 2 times; 1 duplicate object"), "\(text)")
  }

  @Test func `a store of SwiftData is told by what it leaves`() throws {
    let survey = try LibraryStore(name: "default.store").survey()
    #expect(survey.metadata.flavour == .swiftData)
    #expect(survey.metadata.flavourEvidence.count == 3)
  }
}

extension StoreSurveyTests {
  @Test func `a folder of external data that has a different target is not read`() throws {
    let library = try LibraryStore()
    let folder = library.file.externalDataFolder
    let elsewhere = library.folder.file("elsewhere")
    try FileManager.default.moveItem(atPath: folder, toPath: elsewhere)
    try FileManager.default.createSymbolicLink(atPath: folder, withDestinationPath: elsewhere)
    let survey = try library.survey()
    #expect(survey.externalData?.missing == 5)
    #expect(survey.externalData?.orphaned == 0)
    #expect(survey.findings.contains { $0.rule == "missingExternalFile" && $0.count == 5 })
  }
}
