import DataModel
import Foundation
import PersistentStore
import SQLite
import TestSupport
import Testing

@testable import Runner
@testable import WorkloadKinds

/// A bench of two notes with six photos each, whose thumbnail and original are in the row; scans
/// also have an original, and photos a sub-entity.
private func makeBench(keepsHistory: Bool = true) throws -> KindBench<ScenarioWorkload> {
  func media(_ name: String, of noteName: String, isExternal: Bool) -> Entity {
    Entity(
      name: name,
      attributes: [
        Attribute(name: "name", type: .string), Attribute(name: "thumbnail\(name)", type: .binary),
        Attribute(name: "original", type: .binary, allowsExternalStorage: isExternal),
      ],
      relationships: [Relationship(name: "note", destination: "Note", inverse: noteName)]
    )
  }
  func toMany(_ name: String, _ destination: String) -> Relationship {
    Relationship(
      name: name,
      destination: destination,
      inverse: "note",
      isToMany: true,
      deleteRule: .cascade
    )
  }
  let model = Model(entities: [
    Entity(
      name: "Note",
      attributes: [Attribute(name: "title", type: .string)],
      relationships: [toMany("photos", "Photo"), toMany("scans", "Scan")]
    ),
    media("Photo", of: "photos", isExternal: false),
    media("Scan", of: "scans", isExternal: true),
    Entity(
      name: "Panorama",
      superentity: "Photo",
      attributes: [Attribute(name: "angle", type: .integer32)]
    ),
  ])
  return try KindBench(model: model, keepsHistory: keepsHistory) { context in
    for number in 0..<2 {
      let note = try context.insert("Note")
      try note.setValue(.text("note \(number)"), of: "title")
      for index in 0..<6 {
        let photo = try context.insert(index == 5 ? "Panorama" : "Photo")
        try photo.setValue(.text("photo \(number) \(index)"), of: "name")
        try photo.setValue(.blob(bytes(300 + index)), of: "thumbnailPhoto")
        // One photo of each note has no original.
        if index != 2 { try photo.setValue(.blob(bytes(2_000 + index)), of: "original") }
        try photo.setTarget(note, of: "note")
      }
      let scan = try context.insert("Scan")
      try scan.setValue(.blob(bytes(number == 0 ? 900 : 150_000)), of: "original")
      try scan.setTarget(note, of: "note")
    }
  }
}

private func bytes(_ count: Int) -> [UInt8] {
  (0..<count).map { UInt8(truncatingIfNeeded: $0 * 7) }
}

private func read(_ name: String, _ text: String) throws -> [Axis.PlacedValue] {
  let diagnostics = Diagnostics(file: "steps.yaml")
  let value = try #require(YAMLDocument.parse(text, into: diagnostics))
  let axis = try #require(ScenarioWorkload.axes.first { $0.name == name })
  let read = axis.readValues(value)
  #expect(diagnostics.all.isEmpty, "\(diagnostics.all)")
  return try #require(read)
}

private func values(
  _ strategies: String,
  _ steps: String,
  _ more: [String: ParameterValue] = [:]
) throws -> [String: ParameterValue] {
  [
    "strategies": try #require(read("strategies", strategies).first?.value),
    "steps": try #require(read("steps", steps).first?.value),
  ].merging(more) { $1 }
}

@Suite struct `Blobs of a scenario` {
  private static let steps = """
    - insert: Photo
      objects: 3
      to: { note: uniform }
      blobs: { thumbnailPhoto: 400, original: 1 KB to 200 KB }
    - save
    - reset
    - { fetch: Photo, choose: latest, objects: 5, as: show }
    - { fetch: Photo, sort: [name], as: list }
    - { fetch: Photo, sort: [name], readsBlobs: false, as: names }
    - { delete: Photo, objects: 2 }
    - save
    - { delete: Note, as: remove }
    - save
    """

  private func files(in folder: String) -> [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
  }

  @Test(arguments: BlobParameters.Strategy.allCases)
  func `are replaced where they are kept, and added where there was none`(
    _ strategy: BlobParameters.Strategy
  ) throws {
    let steps = """
      - { update: Photo, where: "name BEGINSWITH 'photo 0'", blobs: { original: 150 KB } }
      - save
      - { update: Photo, objects: 1, blobs: { original: 2 KB }, set: [name] }
      - save
      """
    let bench = try makeBench()
    let opened = try bench.open(values("{ Photo.original: \(strategy.rawValue) }", steps))
    _ = try opened.finish()
    let connection = try opened.trial.store.plainConnection()
    // In one note, the photo without an original gets one; in the other note, it has none.
    let originals = "SELECT count(*) FROM ZPHOTO WHERE ZORIGINAL IS NOT NULL"
    #expect(try connection.integer(originals) == 11)
    let store = opened.trial.store
    #expect(files(in: store.filesFolder).count == (strategy == .file ? 11 : 0))
    switch strategy {
    case .inline:
      let sizes = "SELECT count(*) FROM ZPHOTO WHERE length(ZORIGINAL) = 153600"
      #expect(try connection.integer(sizes) == 5)
    case .separateEntity:
      // The rows that hold the blobs are kept, and one is added.
      #expect(try connection.integer("SELECT count(*) FROM ZPHOTOORIGINAL") == 11)
      #expect(try connection.integer("SELECT max(Z_OPT) FROM ZPHOTOORIGINAL") == 3)
    case .externalStorage, .file: break
    }
  }

  @Test(arguments: BlobParameters.Strategy.allCases)
  func `are kept where their attribute's strategy says, and verified there`(
    _ strategy: BlobParameters.Strategy
  ) throws {
    let bench = try makeBench()
    let kept = "{ thumbnailPhoto: separateEntity, Photo.original: \(strategy.rawValue) }"
    let opened = try bench.open(values(kept, Self.steps))
    _ = try opened.finish()
    let connection = try opened.trial.store.plainConnection()
    let photos = try connection.integer("SELECT count(*) FROM ZPHOTO") ?? 0
    // The seed chooses the notes of new photos, so the number of photos deleted with a note varies.
    #expect((4...9).contains(photos))
    // Each photo has its thumbnail in a row of its own, even a photo made before the work.
    #expect(try connection.integer("SELECT count(*) FROM ZPHOTOTHUMBNAILPHOTO") == photos)
    #expect(
      try connection.integer(
        "SELECT count(*) FROM ZPHOTO p JOIN ZPHOTOTHUMBNAILPHOTO t ON t.Z_PK = p.ZTHUMBNAILPHOTO "
          + "WHERE t.ZOWNER = p.Z_PK AND length(t.ZDATA) >= 300"
      ) == photos
    )
    let originals = try connection.integer(
      "SELECT count(*) FROM ZPHOTO WHERE ZORIGINAL IS NOT NULL"
    )
    let count = Int64(files(in: opened.trial.store.filesFolder).count)
    #expect(count == (strategy == .file ? originals : 0))
    switch strategy {
    case .inline, .externalStorage: break
    case .file:
      let names = try opened.trial.store.plainConnection().prepare("SELECT ZORIGINAL FROM ZPHOTO")
      while try names.step() {
        guard case .text(let name) = names.value(at: 0) else { continue }
        let path = opened.trial.store.filesFolder + "/" + name
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)).count >= 1_024)
      }
    case .separateEntity:
      #expect(try connection.integer("SELECT count(*) FROM ZPHOTOORIGINAL") == originals)
    }
  }

  @Test func `hold what they held before, wherever they are moved`() throws {
    let bench = try makeBench(keepsHistory: false)
    let list = "[{ fetch: Photo, sort: [name], as: list }]"
    let digests = try BlobParameters.Strategy.allCases.map { strategy in
      let opened = try bench.open(values("{ Photo.original: \(strategy.rawValue) }", list))
      _ = try opened.finish()
      return try #require(opened.session.seen.first?.first?.log.objects.unordered)
    }
    let plain = try bench.open(["steps": try #require(read("steps", list).first).value])
    _ = try plain.finish()
    #expect(Set(digests) == [try #require(plain.session.seen.first?.first?.log.objects.unordered)])
    // If an attribute is moved from external storage to the row, its files are removed.
    let moved = try bench.open(values("{ Scan.original: inline }", "[{ fetch: Scan }]"))
    _ = try moved.finish()
    #expect(files(in: moved.trial.store.externalDataFolder).isEmpty)
  }

  @Test func `are read from files once an object, and not at all where they are left out`() throws {
    let bench = try makeBench()
    func reads(_ more: String) throws -> Double {
      let opened = try bench.open(
        values("{ Photo.original: file }", "[{ fetch: Photo\(more), as: list }]")
      )
      _ = try opened.finish()
      return opened.figures["files.reads"] ?? 0
    }
    // Ten of the twelve photos have an original, each in a file.
    #expect(try reads("") >= 10)
    #expect(try reads(", readsBlobs: false") == 0)
  }

  @Test(arguments: [("file", 0), ("separateEntity", 1)])
  func `fuzz: leave no wrong outcome unfound`(_ strategy: String, _ place: Int) throws {
    let bench = try makeBench()
    let steps = Self.steps.replacing("200 KB", with: "4 KB")
    let tally = try bench.mutations(
      after: values("{ Photo.original: \(strategy) }", steps),
      of: FuzzSeeds.part(of: StoreMutation.beyondVersions, every: 2, from: place)
    )
    #expect(tally.occurred > 3)
    #expect(tally.missed.isEmpty, "\(tally.missed)")
  }

  @Test(arguments: ["missing", "changed", "left over"])
  func `are looked at in their files`(_ fault: String) throws {
    let bench = try makeBench()
    let opened = try bench.open(values("{ Photo.original: file }", Self.steps))
    try opened.workload.run(opened.session, opened.recorder)
    let folder = opened.trial.store.filesFolder
    let path = folder + "/" + (try #require(files(in: folder).min()))
    switch fault {
    case "missing": try FileManager.default.removeItem(atPath: path)
    case "changed": try Data(bytes(50)).write(to: URL(fileURLWithPath: path))
    default: try FileManager.default.copyItem(atPath: path, toPath: path + "-copy")
    }
    #expect(throws: VerificationFailure.self) {
      _ = try opened.workload.verify(opened.session, opened.trial)
    }
  }

  // MARK: As they are written

  @Test func `have one mapping, or several by name that are an axis`() throws {
    let one = try read("strategies", "{ Photo.original: file, thumbnailPhoto: separateEntity }")
    #expect(one.count == 1)
    let several = try read(
      "strategies",
      "{ inRow: { Photo.original: inline }, inFiles: { Photo.original: file } }"
    )
    #expect(several.map(\.value.description) == ["inRow", "inFiles"])
  }

  @Test(
    arguments: [
      ("{ original: fille }", "file"), ("{}", "names no attribute"), ("[file]", "a mapping"),
      ("{ a: { original: file }, b: inline }", "a mapping"),
      ("{ original: file, original: inline }", "the same key twice"),
    ]
  )
  func `are refused while reading where they mean nothing`(text: String, reason: String) throws {
    let diagnostics = Diagnostics(file: "steps.yaml")
    let axis = try #require(ScenarioWorkload.axes.first { $0.name == "strategies" })
    let value = YAMLDocument.parse(text, into: diagnostics)
    #expect(value.flatMap(axis.readValues) == nil)
    #expect(diagnostics.all.contains { $0.message.contains(reason) }, "\(diagnostics.all)")
    #expect(diagnostics.all.allSatisfy { $0.place != nil })
  }

  @Test(
    arguments: [
      (
        "{ Photo.original: file, Panorama.original: inline }", "[{ fetch: Photo }]",
        "'Photo.original' has two strategies, 'file' and 'inline': leave one of them out"
      ),
      (
        "{ thumbnailPhoto: file, Photo.thumbnailPhoto: inline }", "[{ fetch: Photo }]",
        "has two strategies"
      ),
      ("{ original: file }", "[{ fetch: Photo }]", "write 'Photo.original' or 'Scan.original'"),
      ("{ Photo.orignal: file }", "[{ fetch: Photo }]", "orignal"),
      ("{ Foto.original: file }", "[{ fetch: Photo }]", "the store has no entity 'Foto'"),
      ("{ Photo.name: file }", "[{ fetch: Photo }]", "is no blob"),
      ("{ Photo.original: file }", "[{ fetch: Note, follow: photos }]", "fetch 'Photo' instead"),
      (
        "{ Photo.original: file }",
        "[{ background: [{ delete: Photo }, save], beside: { fetch: Photo }, as: a }]",
        "add 'readsBlobs: false'"
      ),
    ]
  )
  func `are refused in the plan where they cannot be kept so`(
    strategies: String,
    steps: String,
    reason: String
  ) throws {
    let found = try makeBench().fit(values(strategies, steps)).misfits
    #expect(found.contains { $0.reason.contains(reason) }, "\(found.map(\.reason))")
    #expect(found.allSatisfy { $0.position != nil })
  }

  @Test func `stay in the row for plain statements`() throws {
    let found = try makeBench().fit(
      values(
        "{ Photo.original: file }",
        "[{ fetch: Photo }]",
        ["engine": .text("bareSQL")]
      )
    )
    #expect(found.misfits.contains { $0.reason.contains("use 'engine: objectGraph'") })
  }
}
