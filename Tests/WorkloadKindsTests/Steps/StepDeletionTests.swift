import Basics
import DataModel
import PersistentStore
import SQLite
import TestSupport
import Testing

@testable import Runner
@testable import WorkloadKinds

/// Tests deletions whose rules reach objects that the app still holds or will delete next.
@Suite struct `A step that deletes` {
  private static let name = Attribute(name: "name", type: .string)

  @Test(arguments: [
    """
    - { update: Song, objects: 6, to: { tags: 2 uniform } }
    - save
    - { fetch: Song, sort: [name], keep: shown, follow: tags, as: list }
    - { delete: Tag, objects: 1 }
    - save
    - { fetch: Song, sort: [name], follow: tags, as: again }
    - { update: Song, from: shown, to: { tags: 2 } }
    - save
    """,
    """
    - { update: Song, objects: 6, to: { playlists: 2 uniform } }
    - save
    - { fetch: Song, sort: [name], keep: shown, follow: playlists, as: list }
    - { delete: Playlist, objects: 1 }
    - save
    - { fetch: Song, sort: [name], follow: playlists, as: again }
    """,
    """
    - { fetch: Playlist, keep: shown, follow: songs, as: list }
    - { delete: Song, objects: 2 }
    - save
    - { fetch: Playlist, follow: songs, as: again }
    - { update: Song, objects: 2, choose: latest, to: { playlists: 1 } }
    - save
    - { fetch: Playlist, follow: songs, as: last }
    """,
  ])
  func `takes its objects out of the many-to-manys that the app has read`(steps: String) throws {
    #expect(throws: Never.self) { try songs(after: steps) }
  }

  // MARK: Trees

  /// A bench of thirty folders in ten chains of three, and five single folders.
  private static func tree() throws -> KindBench<ScenarioWorkload> {
    let model = Model(entities: [
      Entity(
        name: "Folder",
        attributes: [name, Attribute(name: "place", type: .integer32)],
        relationships: [
          Relationship(name: "parent", destination: "Folder", inverse: "children"),
          .many("children", "Folder", "parent", .cascade),
        ]
      )
    ])
    return try KindBench(model: model) { context in
      var folders: [ManagedObject] = []
      for number in 0..<35 {
        let folder = try context.insert("Folder")
        try folder.setValue(.text("folder"), of: "name")
        try folder.setValue(.integer(Int64(number)), of: "place")
        if (10..<30).contains(number) {
          try folder.setTarget(folders[number - 10], of: "parent")
        }
        folders.append(folder)
      }
    }
  }

  @Test(
    arguments: [
      "[{ delete: Folder, where: \"name == 'folder'\", chunk: 10, as: remove }]",
      "[{ delete: Folder, objects: 35, chunk: 10, as: remove }]",
      "[{ fetch: Folder, sort: [place], keep: shown }, "
        + "{ delete: Folder, from: shown, chunk: 10, as: remove }]",
      "[{ delete: Folder, objects: 35, chunk: 10, reset: false, fetchesFirst: false, as: remove }]",
      "[{ background: [{ delete: Folder, where: 'place >= 0', chunk: 10 }], "
        + "beside: { fetch: Folder, sort: [place] }, as: remove }]",
    ],
    [ChangeEngine.objectGraph, .bareSQL]
  )
  func `leaves out of a chunk what an earlier one took along`(
    steps: String,
    engine: ChangeEngine
  ) throws {
    let store = try Self.tree().outcome(of: steps, engine)
    #expect(try store.integer("SELECT count(*) FROM ZFOLDER") == 0)
    #expect(store.figures["step.remove.removed"] == 35)
    // The cascade from the first chunk's ten folders deletes twenty more, so two saves suffice.
    if engine == .objectGraph { #expect(store.figures["objects.saves"] == 2) }
  }

  // MARK: Deny rules

  /// A bench of three patients, each with a title that cannot be deleted while it has a patient.
  private static func patients() throws -> KindBench<ScenarioWorkload> {
    let model = Model(entities: [
      Entity(
        name: "Patient",
        attributes: [name],
        relationships: [
          Relationship(
            name: "title",
            destination: "Title",
            inverse: "patient",
            deleteRule: .cascade
          )
        ]
      ),
      Entity(
        name: "Title",
        attributes: [name],
        relationships: [
          Relationship(
            name: "patient",
            destination: "Patient",
            inverse: "title",
            deleteRule: .deny
          )
        ]
      ),
    ])
    return try KindBench(model: model) { context in
      for _ in 0..<3 {
        try context.insert("Patient").setTarget(context.insert("Title"), of: "title")
      }
    }
  }

  @Test(
    arguments: [
      "[{ delete: Patient, objects: 2 }, save]",
      "[{ delete: Title, objects: 2 }, { delete: Patient, objects: 2 }, save]",
      "[{ delete: Patient, objects: 2, batchRequest: true }]",
    ],
    [ChangeEngine.objectGraph, .bareSQL]
  )
  func `is not denied by objects that go in the same save`(
    steps: String,
    engine: ChangeEngine
  ) throws {
    let bench = try Self.patients()
    #expect(try bench.misfits(steps, engine) == [])
    let store = try bench.outcome(of: steps, engine)
    #expect(try store.integer("SELECT count(*) FROM ZPATIENT") == 1)
    #expect(try store.integer("SELECT count(*) FROM ZTITLE") == 1)
  }

  @Test(arguments: [
    "[{ delete: Title }, save, { delete: Patient }, save]",
    "[{ delete: Title, batchRequest: true, objects: 1 }]",
  ])
  func `is denied by objects that stay until the save`(steps: String) throws {
    let bench = try Self.patients()
    for engine in [ChangeEngine.objectGraph, .bareSQL] {
      let error = #expect(throws: Refusal.self) { try bench.verify(songValues(steps, engine)) }
      #expect(
        error?.message
          == "line 1, 'delete Title': the delete rule of Title.patient is deny, and objects are "
          + "there: delete them before the save, or choose objects without any"
      )
    }
  }

  // MARK: Errors

  @Test func `names its line and the way to an object that loses what it must have`() throws {
    let model = Model(entities: [
      Entity(
        name: "User",
        attributes: [Self.name],
        relationships: [
          Relationship(
            name: "settings",
            destination: "Settings",
            inverse: "user",
            deleteRule: .cascade
          )
        ]
      ),
      Entity(
        name: "Settings",
        attributes: [Self.name],
        relationships: [
          Relationship(name: "user", destination: "User", inverse: "settings"),
          Relationship(name: "company", destination: "Company", inverse: "settings"),
        ]
      ),
      Entity(
        name: "Company",
        attributes: [Self.name],
        relationships: [
          Relationship(
            name: "settings",
            destination: "Settings",
            inverse: "company",
            isOptional: false
          )
        ]
      ),
    ])
    let bench = try KindBench<ScenarioWorkload>(model: model) { context in
      let settings = try context.insert("Settings")
      try context.insert("User").setTarget(settings, of: "settings")
      try context.insert("Company").setTarget(settings, of: "settings")
    }
    let error = #expect(throws: Refusal.self) {
      try bench.verify(songValues("[{ delete: User }, save]"))
    }
    #expect(
      error?.message
        == "line 1, 'delete User': Company 1 loses its 'settings', which it must have, because "
        + "Settings 1 is deleted: delete it before the save as well, or choose other objects"
    )
    let both = "[{ delete: User }, { delete: Company }, save]"
    #expect(throws: Never.self) { try bench.verify(songValues(both)) }
  }

  @Test func `names its line if its work fails in the trial`() throws {
    let bench = try makeSongs()
    let opened = try bench.open(songValues("[{ delete: Lyrics, fetchesFirst: false }, save]"))
    try Connection(path: opened.trial.store.path).execute("DELETE FROM ZLYRICS WHERE Z_PK = 1")
    let error = #expect(throws: Refusal.self) {
      try opened.workload.run(opened.session, opened.recorder)
    }
    #expect(error?.message == "line 1, 'delete Lyrics': Lyrics 1 is no longer in the store")
  }

  // MARK: Derived attributes

  @Test func `says in the plan which derived attributes no trigger updates`() throws {
    let model = Model(entities: [
      Entity(
        name: "List",
        attributes: [
          Self.name,
          Attribute(name: "itemsCount", type: .integer64, derivation: "items.@count"),
        ],
        relationships: [.many("items", "Item", "list", .nullify)]
      ),
      Entity(
        name: "Item",
        attributes: [Self.name],
        relationships: [Relationship(name: "list", destination: "List", inverse: "items")]
      ),
    ])
    let bench = try KindBench<ScenarioWorkload>(model: model) { context in
      try context.insert("Item").setTarget(context.insert("List"), of: "list")
    }
    let note =
      "no trigger of the store updates the derived attributes List.itemsCount: they keep their "
      + "values, new objects have none, and the triggers' cost is missing"
    #expect(try bench.fit(songValues("[{ delete: Item }, save]")).notes.contains(note))
    #expect(try !bench.fit(songValues("[{ fetch: Item }]")).notes.contains(note))
    var offer = StoreOffer(model: model, counts: [:], isMade: true)
    offer.ownTriggers = ["Z_DA_ZITEM_List_itemsCount_UPDATE"]
    #expect(offer.staleDerivedAttributes.isEmpty)
  }
}
