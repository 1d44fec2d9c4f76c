import Basics
import Foundation
import Reporting
import Testing

@testable import Inspector

struct TextReportTests {
  private func report(_ library: LibraryStore) throws -> String {
    var survey = try library.survey()
    // The expected text must not depend on the system's version of SQLite.
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
    1 problem, 1 risk in library.sqlite
    29 objects of 4 of 6 entities in 108 KB. Apple's frameworks will not open it: it
    lacks the version hashes of its entities.

    Kind            SwiftData: its version identifier is a schema version; its model
                    has the configuration 'default'
    Framework       1523 (about iOS 26, macOS 26), SQLite 3.0.0
    Model           version 1.0.0, 0 entity hashes
    UUID            50F5647D-2380-409D-832A-5CD27A6B13A1
    Pages           27 of 4.00 KB, none free, auto-vacuum incremental
    WAL             no -wal next to the store, which is in WAL mode
    External files  5 references to 4.39 KB

    1. ✗ ZWORK.ZSHELF: references to objects that do not exist (Z_PK 5)
       → set it to NULL: firing the fault throws (could not fulfil a fault)
       wrong, rule danglingReference

    2. ! Z_METADATA: Apple's frameworks will not open it as it is: it lacks the
       version hashes of its entities
       → if 'generate' made it, do so again with --version-info, the app's
       VersionInfo.plist or a store
       risk, rule incompleteMetadata

    Objects
                                                     With
      Entity        Parent  Table   Objects  sub-entities  Attributes  Relationships
      Shelf                 ZSHELF        3             3           1              1
      Tag                   ZTAG          3             3           1              1
      Work                  ZWORK         0            23           3              2
      (abstract)
      Book          Work    ZWORK        12            12           3              0
      Film          Work    ZWORK        11            11           2              0
      Without objects: Wish

    Space
      Largest tables and indexes      Size (KB)  Share  Unused  Not in order
      Z_MODELCACHE                         8.00  7.4 %    46 %         100 %
      ACHANGE                              4.00  3.7 %    85 %             –
      · ACHANGE_ZTRANSACTIONID_INDEX       4.00  3.7 %    94 %             –
      ATRANSACTION                         4.00  3.7 %    98 %             –
      ATRANSACTIONSTRING                   4.00  3.7 %    99 %             –
      · ATRANSACTION_ZAUTHORTS_INDEX       4.00  3.7 %    99 %             –
      and 19 more: --format json has them all

    Layout
      Same as in a fresh store of its model (11 tables, 12 indexes).

    History
      Changes  32 in 3 transactions, 44.0 KB
      Kinds    30 insertions, 1 update, 1 deletion (1 with values kept)
      Time     2026-04-01 to 2026-04-01
      By       process storebench 3, bundle org.storebench.app 3
      Of       Book 13, Film 13, Shelf 3, Tag 3

    Values
      Attribute    Type       Empty  Distinct  Shape       Least…median…most
      Shelf.name   string       0 %         3              always 7 chars
      Tag.name     string       0 %         3  ▃        ▆  5…7…7 chars
      Work.added   date         0 %        23  ▇▃▅▇▅▅▇▅▅▇  2023-03-08…2023-03-31
      Work.id      uuid         0 %        23
      Work.title   string       0 %        23  ▁     ▅  █  11…14…14 chars
      Book.isRead  boolean      0 %         2  ▇        ▇  50 % true
      Book.pages   integer32    0 %        12  ▆▃▃▃▃▃▃▃▃▆  100…200…320
      Film.poster  binary       0 %         –              always 900 B files
      Film.rating  double       0 %        11  ▃▃▃▃▃▃▃▃▃▆  0.1429…1.86…3.29
      Never set: Book.price

    Relationships
                                                                            Delete
      Relationship  To       None  Shape       Least…median…most  Dangling  rule
      Shelf.works   ⇶ Work    0 %  ▃        ▆  1…11…11                      cascade
      Tag.works     ⇉ Work   33 %              always 8
      Work.shelf    → Shelf   0 %                                        1
      Work.tags     ⇉ Tag    30 %              always 1

    """
}
