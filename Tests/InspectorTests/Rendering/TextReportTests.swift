import Basics
import Foundation
import Reporting
import Testing

@testable import Inspector

struct TextReportTests {
  private func report(_ library: LibraryStore) throws -> String {
    var survey = try library.survey()
    // Of the SQLite that runs the test.
    survey.file.sqliteVersion = "3.0.0"
    return survey.report.text()
  }

  @Test func `a small store is told in one screen or two`() throws {
    let library = try LibraryStore()
    try library.change("UPDATE ZWORK SET ZSHELF = 99 WHERE Z_PK = 5")
    let text = try report(library)
    #expect(text == Self.expected, "\(text)")
  }

  @Test func `no line is wider than the terminal`() throws {
    let text = try report(try LibraryStore(works: 300, name: "default.store"))
    #expect(text.split(separator: "\n").allSatisfy { $0.count <= 80 })
  }

  @Test func `colour is only on request`() throws {
    let survey = try LibraryStore().survey()
    #expect(!survey.report.text().contains("\u{1B}"))
    #expect(survey.report.text(palette: Palette(isColoured: true)).contains("\u{1B}[1m"))
  }

  @Test func `nothing in a store moves the cursor`() throws {
    let library = try LibraryStore()
    try library.change(
      "UPDATE ATRANSACTIONSTRING SET ZNAME = char(27) || '[2J' || Z_PK",
      "CREATE TABLE \"Z\u{1B}[31m\" (a)"
    )
    #expect(!(try report(library)).contains("\u{1B}"))
  }

  @Test func `JSON says the same with sorted keys, twice the same`() throws {
    let library = try LibraryStore()
    let first = try library.survey().jsonText()
    #expect(try library.survey().jsonText() == first)
    let object = try JSONSerialization.jsonObject(with: Data(first.utf8)) as? [String: Any]
    #expect((object?["entities"] as? [Any])?.count == 6)
    #expect(first.contains("\"rule\" : \"incompleteMetadata\""))
  }

  private static let expected = """
    library.sqlite
    SwiftData · framework 1523 (about iOS 26, macOS 26) · SQLite 3.0.0 · 108 KB
    29 objects of 4 of 6 entities · history of 3 transactions · 5 external files
    ✗ Apple's frameworks will not open it: it lacks the version hashes of its
      entities
    ! 1 wrong, 1 note: see the end

    FILE
      pages       27 of 4.00 KB, none free, auto-vacuum incremental
      WAL         no -wal next to the store, which is in WAL mode
      UUID        50F5647D-2380-409D-832A-5CD27A6B13A1
      model       version 1.0.0, 0 entity hashes
      flavour     its version identifier is a schema version; its model has the
                  configuration 'default'
      external    5 references to 4.39 KB in files
      largest tables and indexes                 size  share  unused  scattered
      Z_MODELCACHE                            8.00 KB     7%     46%       100%

    LAYOUT
      tables      same as in a fresh store of its model (11 tables, 12 indexes)

    HISTORY
      changes     43 in 3 transactions, 44.0 KB
      kinds       30 insertions, 12 updates, 1 deletion (1 with values kept)
      time        2026-04-01 … 2026-04-01
      by          process storebench 3, bundle org.storebench.app 3
      of          Film 23, Book 13, Shelf 4, Tag 3

    ENTITIES
      attribute            type      null distinct shape      least…median…most
      relationship         leads to           none shape      least…median…most

    Shelf  3 objects  ZSHELF 1
      name                 string      0%        3            always 7 chars
      works                ⇶ Work               0% ▃        ▆ 1…11…11 cascade

    Tag  3 objects  ZTAG 2
      name                 string      0%        3 ▃        ▆ 5…7…7 chars
      works                ⇉ Work              33%            always 8

    Work  abstract, 0 objects, 23 with its sub-entities  ZWORK 4
      added                date        0%       23 ▇▃▅▇▅▅▇▅▅▇ 2023-03-08…2023-03-31
      id                   uuid        0%       23
      title                string      0%       23 ▁     ▅  █ 11…14…14 chars
      shelf                → Shelf              0%            1 dangling
      tags                 ⇉ Tag               30%            always 1

    Book : Work  12 objects  ZWORK 5
      isRead               bool        0%        2 ▇        ▇ 50% true
      pages                int32       0%       12 ▆▃▃▃▃▃▃▃▃▆ 100…200…320
      never set   price

    Film : Work  11 objects  ZWORK 6
      poster               binary      0%        –            always 900 B files
      rating               double      0%       11 ▃▃▃▃▃▃▃▃▃▆ 0.1429…1.86…3.29

    WITHOUT OBJECTS
      Wish

    FINDINGS
      ✗ wrong  ZWORK.ZSHELF  danglingReference
        references to objects that do not exist (Z_PK 5)
        → set it to NULL: firing the fault throws (could not fulfil a fault)

      i note  Z_METADATA  incompleteMetadata
        Apple's frameworks will not open it as it is: it lacks the version hashes of
        its entities
        → generate it with --version-info, from the app's VersionInfo.plist or a
        store

    """
}
