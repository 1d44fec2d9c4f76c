import DataModel
import PersistentStore
import Testing

@Suite struct AuditTests {
  /// SQL that breaks an audit rule, and the place that the finding must name.
  struct Breach: CustomTestStringConvertible, Sendable {
    let rule: AuditRule
    let place: String
    let sql: [String]

    init(_ rule: AuditRule, _ place: String, _ sql: String...) {
      self.rule = rule
      self.place = place
      self.sql = sql
    }

    var testDescription: String { "\(rule.rawValue): \(sql.joined(separator: "; "))" }
  }

  static let breaches = [
    Breach(.missingTable, "ZTAG", "DROP TABLE ZTAG"),
    Breach(.missingTable, "Z_PRIMARYKEY", "DROP TABLE Z_PRIMARYKEY"),
    Breach(.missingTable, "ACHANGE", "DROP TABLE ACHANGE"),
    Breach(.unexpectedTable, "Sample.sqlite", "CREATE TABLE ZOLD ( Z_PK INTEGER PRIMARY KEY )"),
    Breach(.missingColumn, "ZTAG", "ALTER TABLE ZTAG RENAME COLUMN ZNAME TO ZTITLE"),
    Breach(.unexpectedColumn, "ZTAG", "ALTER TABLE ZTAG ADD COLUMN ZTITLE VARCHAR"),
    Breach(.missingIndex, "ZTASK", "DROP INDEX ZTASK_ZPROJECT_INDEX"),
    Breach(.missingIndex, "ZTASK", "DROP INDEX Z_Task_byDueDate"),
    Breach(
      .missingIndex,
      "ZTAG",
      "DROP INDEX Z_Tag_UNIQUE_name",
      "CREATE INDEX Z_Tag_UNIQUE_name ON ZTAG (ZNAME COLLATE BINARY ASC)"
    ),
    Breach(.missingIndex, "Z_8TASKS", "DROP INDEX Z_8TASKS_Z_9TASKS_INDEX"),
    Breach(.wrongMetadata, "Z_METADATA", "DELETE FROM Z_METADATA"),
    Breach(.wrongMetadata, "Z_METADATA", "UPDATE Z_METADATA SET Z_UUID = 'none'"),
    Breach(.wrongMetadata, "Z_METADATA", "UPDATE Z_METADATA SET Z_PLIST = x'62706c697374'"),
    Breach(.wrongModelCache, "Z_MODELCACHE", "DELETE FROM Z_MODELCACHE"),
    Breach(.wrongModelCache, "Z_MODELCACHE", "UPDATE Z_MODELCACHE SET Z_CONTENT = x'0102'"),
    Breach(.wrongEntityRow, "Z_PRIMARYKEY", "DELETE FROM Z_PRIMARYKEY WHERE Z_ENT = 3"),
    Breach(.wrongEntityRow, "Z_PRIMARYKEY", "INSERT INTO Z_PRIMARYKEY VALUES (77, 'Old', 0, 0)"),
    Breach(.wrongEntityRow, "Z_PRIMARYKEY", "UPDATE Z_PRIMARYKEY SET Z_MAX = 9 WHERE Z_SUPER > 0"),
    Breach(.wrongEntityRow, "Z_PRIMARYKEY", "UPDATE Z_PRIMARYKEY SET Z_SUPER = 2 WHERE Z_ENT = 5"),
    Breach(.keyAboveMaximum, "ZTAG", "UPDATE Z_PRIMARYKEY SET Z_MAX = 4 WHERE Z_NAME = 'Tag'"),
    Breach(
      .keyAboveMaximum,
      "ATRANSACTIONSTRING",
      "UPDATE Z_PRIMARYKEY SET Z_MAX = 2 WHERE Z_ENT = 16003"
    ),
    Breach(.wrongEntityNumber, "ZTASK.Z_ENT", "UPDATE ZTASK SET Z_ENT = 1 WHERE Z_PK = 4"),
    Breach(.wrongEntityNumber, "ACHANGE.Z_ENT", "UPDATE ACHANGE SET Z_ENT = 8"),
    Breach(.wrongVersion, "ZTASK.Z_OPT", "UPDATE ZTASK SET Z_OPT = 0 WHERE Z_PK = 4"),
    Breach(.wrongStorageClass, "ZTASK.ZTITLE", "UPDATE ZTASK SET ZTITLE = x'41' WHERE Z_PK = 4"),
    Breach(
      .wrongStorageClass,
      "ZTASK.ZPROJECT",
      "UPDATE ZTASK SET ZPROJECT = 'one' WHERE Z_PK = 4"
    ),
    Breach(.valueOutOfRange, "ZTASK.ZISFLAGGED", "UPDATE ZTASK SET ZISFLAGGED = 2 WHERE Z_PK = 4"),
    Breach(
      .valueOutOfRange,
      "ZTASK.ZESTIMATEDMINUTES",
      "UPDATE ZTASK SET ZESTIMATEDMINUTES = 32768 WHERE Z_PK = 4"
    ),
    Breach(
      .valueOutOfRange,
      "ZTASK.ZSORTORDER",
      "UPDATE ZTASK SET ZSORTORDER = -2147483649 WHERE Z_PK = 4"
    ),
    Breach(.valueOutOfRange, "ZTASK.ZID", "UPDATE ZTASK SET ZID = x'0102' WHERE Z_PK = 4"),
    Breach(
      .valueOfOtherEntity,
      "ZATTACHMENT.ZWIDTH",
      "UPDATE ZATTACHMENT SET ZWIDTH = 1 WHERE Z_PK = 1"
    ),
    Breach(.missingValue, "ZTASK.ZTITLE", "UPDATE ZTASK SET ZTITLE = NULL WHERE Z_PK = 4"),
    Breach(
      .missingValue,
      "ZATTACHMENT.ZWIDTH",
      "UPDATE ZATTACHMENT SET ZWIDTH = NULL WHERE Z_PK = 2"
    ),
    Breach(
      .duplicate,
      "ZTAG.ZNAME",
      "DROP INDEX Z_Tag_UNIQUE_name",
      "UPDATE ZTAG SET ZNAME = 'tag 1' WHERE Z_PK = 2"
    ),
    Breach(.danglingReference, "ZTASK.ZPROJECT", "UPDATE ZTASK SET ZPROJECT = 900 WHERE Z_PK = 4"),
    Breach(
      .danglingReference,
      "ZPERSON.Z5WATCHERS",
      "UPDATE ZPERSON SET Z5WATCHERS = 9 WHERE Z_PK = 1"
    ),
    Breach(.danglingReference, "ZSUBTASK.ZTASK", "DELETE FROM ZTASK WHERE Z_PK = 1"),
    Breach(.wrongTargetEntity, "ZTASK.Z1_COVER", "UPDATE ZTASK SET Z1_COVER = 2 WHERE Z_PK = 1"),
    Breach(.wrongTargetEntity, "ZTASK.Z1_COVER", "UPDATE ZTASK SET ZCOVER = NULL WHERE Z_PK = 1"),
    Breach(.missingReference, "ZSUBTASK.ZTASK", "UPDATE ZSUBTASK SET ZTASK = NULL WHERE Z_PK = 1"),
    Breach(.disagreeingInverse, "ZTASK.ZREMINDER", "UPDATE ZTASK SET ZREMINDER = 2 WHERE Z_PK = 1"),
    Breach(
      .disagreeingInverse,
      "ZREMINDER.ZTASK",
      "UPDATE ZTASK SET ZREMINDER = NULL WHERE Z_PK = 1"
    ),
    Breach(.danglingPair, "Z_8TASKS.Z_8TAGS", "UPDATE Z_8TASKS SET Z_8TAGS = 90 WHERE rowid = 1"),
    Breach(
      .danglingPair,
      "Z_8TASKS.Z_9TASKS",
      "UPDATE Z_8TASKS SET Z_9TASKS = NULL WHERE rowid = 1"
    ),
    Breach(
      .doubledPair,
      "Z_8TASKS",
      "CREATE TABLE copy AS SELECT * FROM Z_8TASKS",
      "DROP TABLE Z_8TASKS",
      "ALTER TABLE copy RENAME TO Z_8TASKS",
      "INSERT INTO Z_8TASKS SELECT * FROM Z_8TASKS WHERE rowid = 1"
    ),
    Breach(
      .wrongOrder,
      "ZSUBTASK.Z_FOK_TASK",
      "UPDATE ZSUBTASK SET Z_FOK_TASK = NULL WHERE Z_PK = 1"
    ),
    Breach(
      .equalOrder,
      "ZSUBTASK.Z_FOK_TASK",
      "UPDATE ZSUBTASK SET Z_FOK_TASK = 2048 WHERE ZTASK = 3"
    ),
    Breach(.wrongOrder, "Z_8TASKS.Z_FOK_9TASKS", "UPDATE Z_8TASKS SET Z_FOK_9TASKS = NULL"),
    Breach(.equalOrder, "Z_8TASKS.Z_FOK_9TASKS", "UPDATE Z_8TASKS SET Z_FOK_9TASKS = 1"),
    Breach(
      .malformedExternalData,
      "ZATTACHMENT.ZDATA",
      "UPDATE ZATTACHMENT SET ZDATA = x'070809' WHERE Z_PK = 1"
    ),
    Breach(
      .malformedExternalData,
      "ZATTACHMENT.ZDATA",
      "UPDATE ZATTACHMENT SET ZDATA = CAST(x'02' || '../../../../../../../../../../../../etc/host' "
        + "|| x'00' AS BLOB) WHERE Z_PK = 1"
    ),
    Breach(
      .missingExternalFile,
      "ZATTACHMENT.ZDATA",
      "UPDATE ZATTACHMENT SET ZDATA = CAST(x'02' || '00000000-0000-4000-8000-000000000000' "
        + "|| x'00' AS BLOB) WHERE Z_PK = 1"
    ),
    Breach(
      .sharedExternalFile,
      "ZATTACHMENT.ZDATA",
      "UPDATE ZATTACHMENT SET ZDATA = (SELECT ZDATA FROM ZATTACHMENT WHERE Z_PK = 5) "
        + "WHERE Z_PK = 1"
    ),
    Breach(
      .orphanedExternalFile,
      "_EXTERNAL_DATA",
      "UPDATE ZATTACHMENT SET ZDATA = NULL WHERE Z_PK = 5"
    ),
    Breach(.changeWithoutTransaction, "ACHANGE", "DELETE FROM ATRANSACTION WHERE Z_PK = 1"),
    Breach(
      .transactionWithoutChange,
      "ATRANSACTION",
      "DELETE FROM ACHANGE WHERE ZTRANSACTIONID = 2"
    ),
    Breach(.unknownChange, "ACHANGE", "UPDATE ACHANGE SET ZENTITY = 99 WHERE Z_PK = 3"),
    Breach(.unknownChange, "ACHANGE", "UPDATE ACHANGE SET ZCHANGETYPE = 3 WHERE Z_PK = 3"),
    Breach(
      .wrongChangedColumns,
      "ACHANGE.ZCOLUMNS",
      "UPDATE ACHANGE SET ZCOLUMNS = NULL WHERE ZCHANGETYPE = 1"
    ),
    Breach(.changeOfMissingObject, "ZTAG", "DELETE FROM ZTAG WHERE Z_PK = 5"),
    Breach(.deletedObjectExists, "ZTASK", "UPDATE ACHANGE SET ZENTITYPK = 1 WHERE ZCHANGETYPE = 2"),
    Breach(
      .changeOutOfOrder,
      "ACHANGE",
      "UPDATE ACHANGE SET ZCHANGETYPE = 0, ZCOLUMNS = NULL WHERE ZCHANGETYPE = 1"
    ),
    Breach(.historyGap, "ACHANGE", "DELETE FROM ACHANGE WHERE Z_PK = 20"),
    Breach(.historyGap, "ATRANSACTION", "UPDATE Z_PRIMARYKEY SET Z_MAX = 4 WHERE Z_ENT = 16002"),
    Breach(
      .danglingString,
      "ATRANSACTION.ZAUTHORTS",
      "DELETE FROM ATRANSACTIONSTRING WHERE Z_PK = 3"
    ),
  ]

  @Test(arguments: breaches) func `finds the broken rule`(_ breach: Breach) throws {
    let sample = try SampleStore.filled()
    for sql in breach.sql { try sample.execute(sql) }
    let findings = try StoreAudit(store: sample.file, layout: sample.layout).findings()
    #expect(findings.contains { $0.rule == breach.rule && $0.place == breach.place }, "\(findings)")
  }

  @Test func `columns of a property that was not understood are not called unneeded`() throws {
    let sample = try SampleStore.filled()
    try sample.execute("ALTER TABLE ZTAG ADD COLUMN ZTITLE VARCHAR")
    try sample.execute("ALTER TABLE ZREMINDER ADD COLUMN ZTITLE VARCHAR")
    let model = sample.layout.model
    let entities = model.entities.map { entity in
      var entity = entity
      if entity.name == "Tag" { entity.unreadProperties = ["title"] }
      return entity
    }
    let layout = StoreLayout(
      model: Model(entities: entities, configurations: model.configurations),
      keepsHistory: sample.layout.keepsHistory
    )
    let findings = try StoreAudit(store: sample.file, layout: layout).findings()
    #expect(findings.filter { $0.rule == .unexpectedColumn }.map(\.place) == ["ZREMINDER"])
  }

  @Test func `knows a breach of every rule`() {
    // Two rules are broken by changing files, and have their own tests.
    let others: Set<AuditRule> = [.damaged, .emptyExternalFile]
    let known = Set(Self.breaches.map(\.rule)).union(others)
    #expect(AuditRule.allCases.filter { !known.contains($0) } == [])
  }

  @Test func `finds a damaged page`() throws {
    let sample = try SampleStore.filled()
    try sample.overwrite(page: 5, with: [UInt8](repeating: 0x5a, count: 64))
    let rules = try StoreAudit(store: sample.file, layout: sample.layout).findings().map(\.rule)
    #expect(rules.contains(.damaged))
  }

  @Test func `finds an emptied file`() throws {
    let sample = try SampleStore.filled()
    _ = try sample.externalFile([], name: "00000005-1111-4222-8333-444455556666")
    let findings = try StoreAudit(store: sample.file, layout: sample.layout).findings()
    #expect(
      findings == [
        AuditFinding(rule: .emptyExternalFile, place: "ZATTACHMENT.ZDATA", example: "Z_PK 5")
      ]
    )
  }

  @Test func `says where, what, how often and which first`() throws {
    let sample = try SampleStore.filled()
    try sample.execute("UPDATE ZTASK SET ZPROJECT = 900 WHERE Z_PK IN (4, 5)")
    let findings = try StoreAudit(store: sample.file, layout: sample.layout).findings()
    #expect(
      findings.map(\.description) == [
        "ZTASK.ZPROJECT: references to objects that do not exist: 2, the first: Z_PK 4"
      ]
    )
  }

  @Test func `says of a key in use that its object is of another entity`() throws {
    let model = Model(entities: [
      Entity(name: "Item", isAbstract: true), Entity(name: "Event", superentity: "Item"),
      Entity(
        name: "Post",
        superentity: "Item",
        relationships: [
          Relationship(name: "tags", destination: "Tag", inverse: "posts", isToMany: true)
        ]
      ),
      Entity(
        name: "Tag",
        relationships: [
          Relationship(name: "posts", destination: "Post", inverse: "tags", isToMany: true)
        ]
      ),
    ])
    let sample = try SampleStore(model: model, keepsHistory: false)
    try sample.finish()
    for (table, entity) in [("ZITEM", "Event"), ("ZTAG", "Tag")] {
      let number = try #require(sample.layout.numbers[entity])
      try sample.execute("INSERT INTO \(table) (Z_PK, Z_ENT, Z_OPT) VALUES (1, \(number), 1)")
    }
    let pairs = try #require(sample.layout.joinTables.first?.name)
    try sample.execute("INSERT INTO \(pairs) VALUES (1, 1)")
    let findings = try StoreAudit(store: sample.file, layout: sample.layout).findings()
    #expect(
      findings.filter { $0.rule == .danglingPair }.map(\.words)
        == ["pairs with objects that do not exist or are of another entity, such as Event"]
    )
  }

  /// A store mirrored to CloudKit has additional rows; a store of Core Data before version 973
  /// lacks some rows.
  @Test(arguments: [
    ["INSERT INTO Z_PRIMARYKEY VALUES (16102, 'NSCKRecordMetadata', 0, 90)"],
    [
      "DELETE FROM Z_PRIMARYKEY WHERE Z_ENT = 16003", "DROP TABLE ATRANSACTIONSTRING",
    ],
  ])
  func `asks for no other rows of entities than the store can have`(sql: [String]) throws {
    let sample = try SampleStore.filled()
    for statement in sql { try sample.execute(statement) }
    let findings = try StoreAudit(store: sample.file, layout: sample.layout).findings()
    #expect(!findings.contains { $0.rule == .wrongEntityRow }, "\(findings)")
  }

  @Test func `passes over rules that a strategy breaks on purpose`() throws {
    let sample = try SampleStore.filled()
    try sample.execute("DROP INDEX ZTASK_ZPROJECT_INDEX")
    var audit = StoreAudit(store: sample.file, layout: sample.layout)
    audit.exceptions = [.missingIndex]
    #expect(try audit.findings() == [])
  }

  @Test func `counts only what is worse than before`() {
    let old = [
      AuditFinding(rule: .duplicate, place: "ZTAG.ZNAME", count: 3, example: "Z_PK 1"),
      AuditFinding(rule: .missingValue, place: "ZTAG.ZNAME", count: 3, example: "Z_PK 1"),
    ]
    let new = [
      AuditFinding(rule: .duplicate, place: "ZTAG.ZNAME", count: 3, example: "Z_PK 1"),
      AuditFinding(rule: .missingValue, place: "ZTAG.ZNAME", count: 4, example: "Z_PK 1"),
      AuditFinding(rule: .missingValue, place: "ZTAG.ZCOLOR", count: 1, example: "Z_PK 1"),
    ]
    #expect(new.new(since: old) == Array(new.dropFirst()))
  }
}
