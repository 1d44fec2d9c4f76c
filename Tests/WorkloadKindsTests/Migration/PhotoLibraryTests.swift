import DataModel
import PersistentStore
import Runner
import SQLite
import Testing

@testable import WorkloadKinds

/// Tests features of photo libraries that few other stores have: relationships ordered on both
/// sides, R-tree indexes, and the frameworks' triggers.
struct PhotoLibraryTests {
  private static let ways =
    MigrationWorkloadTests.strategies + [["strategy": .text("mappingModel")]]

  private static func model(version: String) -> Model {
    let isOld = version == "1"
    return Model(
      entities: [
        Entity(
          name: "Album",
          attributes: [Attribute(name: "title", type: .string)],
          relationships: [
            Relationship(
              name: "assets",
              destination: "Asset",
              inverse: "albums",
              isToMany: true,
              isOrdered: true
            )
          ]
        ),
        Entity(
          name: "Asset",
          attributes: [
            Attribute(name: "camera", type: .string), Attribute(name: "latitude", type: .double),
            isOld ? Attribute(name: "old", type: .string) : Attribute(name: "new", type: .string),
          ],
          relationships: [
            Relationship(
              name: "albums",
              destination: "Album",
              inverse: "assets",
              isToMany: true,
              isOrdered: true
            ), Relationship(name: "details", destination: "Details", inverse: "asset"),
          ]
        ),
        Entity(
          name: "Details",
          attributes: [Attribute(name: "camera", type: .string)]
            + (isOld ? [Attribute(name: "note", type: .string)] : []),
          relationships: [Relationship(name: "asset", destination: "Asset", inverse: "details")]
        ),
      ],
      versionIdentifiers: [version]
    )
  }

  /// A bench of four albums of six assets; the order of an asset's albums is not that of creation.
  private static func bench() throws -> KindBench<MigrationWorkload> {
    try KindBench(model: model(version: "1")) { context in
      let albums = try (0..<4).map { _ in try context.insert("Album") }
      let assets = try (0..<9).map { index in
        let asset = try context.insert("Asset")
        try asset.setValue(.real(Double(index)), of: "latitude")
        let details = try context.insert("Details")
        try details.setValue(.text("Camera \(index)"), of: "camera")
        try asset.setTarget(details, of: "details")
        return asset
      }
      for (index, album) in albums.enumerated() {
        for place in 0..<6 { try album.add(assets[(index * 5 + place * 4) % 9], to: "assets") }
      }
      for asset in assets {
        try asset.arrange(asset.targets(of: "albums").reversed(), in: "albums")
      }
    }
  }

  private static func target(
    _ bench: KindBench<MigrationWorkload>
  ) throws -> [String: ParameterValue] {
    [
      "to": try LibraryFixture.write(model(version: "2"), in: bench), "dropped": .text("allowed"),
    ]
  }

  @Test func `objects have an order of their own on either side`() throws {
    let bench = try Self.bench()
    let rows = try bench.original.plainConnection().prepare(
      "SELECT count(*), count(DISTINCT Z_FOK_1ALBUMS - Z_FOK_2ASSETS) FROM Z_1ASSETS"
    ).map { [$0.integer(at: 0), $0.integer(at: 1)] }
    #expect(rows.first?.first == 24)
    #expect((rows.first?.last ?? 0) > 1)
  }

  @Test(arguments: ways)
  func `every strategy keeps the order of both sides`(way: [String: ParameterValue]) throws {
    let bench = try Self.bench()
    _ = try bench.verify(way.merging(Self.target(bench)) { $1 })
  }

  private static let parts = [
    "CREATE VIRTUAL TABLE Z_RT_Asset_place USING RTREE (Z_PK INTEGER PRIMARY KEY, ZLATITUDE_MIN "
      + "FLOAT, ZLATITUDE_MAX FLOAT)",
    "INSERT INTO Z_RT_Asset_place SELECT Z_PK, ZLATITUDE, ZLATITUDE FROM ZASSET",
    "UPDATE ZASSET SET ZCAMERA = (SELECT ZCAMERA FROM ZDETAILS AS d WHERE d.Z_PK = ZDETAILS)",
    "CREATE TRIGGER Z_RT_Asset_place_DELETE AFTER DELETE ON ZASSET BEGIN DELETE FROM "
      + "Z_RT_Asset_place WHERE Z_PK = OLD.Z_PK; END",
    "CREATE TRIGGER Z_DA_ZDETAILS_Asset_camera_PARAMETER_UPDATE AFTER UPDATE OF ZCAMERA ON ZDETAILS "
      + "FOR EACH ROW BEGIN UPDATE ZASSET SET ZCAMERA = NEW.ZCAMERA WHERE ZDETAILS = NEW.Z_PK; "
      + "SELECT NSCoreDataDATriggerUpdatedAffectedObjectValue('ZASSET', 2, 1, 'camera', "
      + "NEW.ZCAMERA); END",
    "CREATE TRIGGER ZT_ZDETAILS_ZNOTE AFTER UPDATE OF ZNOTE ON ZDETAILS BEGIN UPDATE ZDETAILS SET "
      + "ZNOTE = NULL WHERE Z_PK = NEW.Z_PK; END",
    "CREATE TABLE ANSCKRECORDMETADATA ( Z_PK INTEGER PRIMARY KEY, ZCKRECORDNAME VARCHAR )",
  ]

  /// Two tables that the triggers name lose a column and are rebuilt.
  @Test(arguments: ["inPlace", "deferred", "rebuild"])
  func `triggers and an R-tree index outlive a lightweight migration, and work`(
    shape: String
  ) throws {
    let bench = try Self.bench()
    try Connection(path: bench.original.path, trust: .full).executeScript(Self.parts)
    let opened = try bench.open(
      Self.target(bench).merging(["shape": .text(shape)]) { $1 }
    )
    _ = try opened.finish()
    let names = try opened.trial.store.plainConnection().prepare(
      "SELECT name FROM sqlite_master WHERE type = 'trigger' ORDER BY name"
    ).map { $0.text(at: 0) }
    // A trigger for a removed column has been removed.
    #expect(
      names == ["Z_DA_ZDETAILS_Asset_camera_PARAMETER_UPDATE", "Z_RT_Asset_place_DELETE"]
    )
    let store = try PersistentStore.open(opened.trial.store)
    try store.connection.execute("UPDATE ZDETAILS SET ZCAMERA = 'Reflex' WHERE Z_PK = 3")
    try store.connection.execute("DELETE FROM ZASSET WHERE Z_PK = 5")
    let found = try store.connection.integer(
      "SELECT 10 * (SELECT count(*) FROM ZASSET WHERE ZCAMERA = 'Reflex') + "
        + "(SELECT count(*) FROM Z_RT_Asset_place)"
    )
    #expect(found == 18)
  }

  @Test(arguments: ways)
  func `an ordered to-many keeps its order as it becomes many-to-many`(
    way: [String: ParameterValue]
  ) throws {
    func model(_ isMany: Bool) -> Model {
      Model(
        entities: [
          Entity(
            name: "Album",
            attributes: [Attribute(name: "title", type: .string)],
            relationships: [
              Relationship(
                name: "folder",
                destination: "Folder",
                inverse: "albums",
                isToMany: isMany
              )
            ]
          ),
          Entity(
            name: "Folder",
            relationships: [
              Relationship(
                name: "albums",
                destination: "Album",
                inverse: "folder",
                isToMany: true,
                isOrdered: true
              )
            ]
          ),
        ],
        versionIdentifiers: [isMany ? "2" : "1"]
      )
    }
    let bench = try KindBench<MigrationWorkload>(model: model(false)) { context in
      let albums = try (0..<6).map { _ in try context.insert("Album") }
      for index in 0..<2 {
        let folder = try context.insert("Folder")
        for place in (0..<3).reversed() { try folder.add(albums[index * 3 + place], to: "albums") }
      }
    }
    _ = try bench.verify(
      way.merging(["to": try LibraryFixture.write(model(true), in: bench)]) { $1 }
    )
  }
}
