import DataModel
import PersistentStore
import SQLite
import TestSupport
import Testing

@testable import Runner
@testable import WorkloadKinds

/// A bench of twelve songs of three artists, who each have four songs in an order.
///
/// Three playlists are also ordered; two tags are not; three lyrics have no song yet.
func makeSongs() throws -> KindBench<ScenarioWorkload> {
  func toMany(_ name: String, _ destination: String, _ inverse: String, isOrdered: Bool = false)
    -> Relationship
  {
    Relationship(
      name: name,
      destination: destination,
      inverse: inverse,
      isToMany: true,
      isOrdered: isOrdered
    )
  }
  let name = Attribute(name: "name", type: .string)
  let model = Model(entities: [
    Entity(
      name: "Artist",
      attributes: [name],
      relationships: [toMany("songs", "Song", "artist", isOrdered: true)]
    ),
    Entity(
      name: "Song",
      attributes: [
        name, Attribute(name: "isLoved", type: .boolean),
        Attribute(name: "plays", type: .integer16),
        Attribute(name: "lastPlayed", type: .date),
        Attribute(name: "rating", type: .double, minimum: .real(0), maximum: .real(5)),
        Attribute(name: "code", type: .string, minimum: .integer(2), maximum: .integer(6)),
        Attribute(name: "stars", type: .integer16, minimum: .integer(1), maximum: .integer(5)),
        Attribute(name: "cover", type: .binary),
        Attribute(name: "genre", type: .string, isOptional: false, defaultValue: .text("")),
      ],
      relationships: [
        Relationship(name: "artist", destination: "Artist", inverse: "songs"),
        Relationship(name: "genreTag", destination: "Tag", inverse: "genreSongs"),
        Relationship(name: "lyrics", destination: "Lyrics", inverse: "song"),
        toMany("playlists", "Playlist", "songs"), toMany("tags", "Tag", "tagged"),
      ]
    ),
    Entity(
      name: "Lyrics",
      attributes: [name],
      relationships: [Relationship(name: "song", destination: "Song", inverse: "lyrics")]
    ),
    Entity(
      name: "Playlist",
      attributes: [name],
      relationships: [toMany("songs", "Song", "playlists", isOrdered: true)]
    ),
    Entity(
      name: "Tag",
      attributes: [name],
      relationships: [
        toMany("tagged", "Song", "tags"), toMany("genreSongs", "Song", "genreTag"),
      ]
    ),
  ])
  return try KindBench(model: model, keepsHistory: true) { context in
    let playlists = try (0..<3).map { _ in try context.insert("Playlist") }
    let tags = try (0..<2).map { _ in try context.insert("Tag") }
    for _ in 0..<3 { _ = try context.insert("Lyrics") }
    for artist in 0..<3 {
      let object = try context.insert("Artist")
      for number in 0..<4 {
        let song = try context.insert("Song")
        try song.setValue(.text("song \(artist) \(number)"), of: "name")
        try song.setValue(.text("pop"), of: "genre")
        try song.setValue(.integer(Int64(number % 2)), of: "isLoved")
        try song.setValue(.integer(number == 3 ? 32_767 : Int64(number)), of: "plays")
        try object.add(song, to: "songs")
        try song.setTarget(tags[number % 2], of: "genreTag")
        if number == 0 { try playlists[artist].add(song, to: "songs") }
      }
    }
  }
}

func songValues(_ steps: String, _ engine: ChangeEngine = .objectGraph) throws
  -> [String: ParameterValue]
{
  let diagnostics = Diagnostics(file: "steps.yaml")
  let value = try #require(YAMLDocument.parse(steps, into: diagnostics))
  let axis = try #require(ScenarioWorkload.axes.first { $0.name == "steps" })
  let read = axis.readValues(value)
  #expect(diagnostics.all.isEmpty, "\(diagnostics.all)")
  return ["steps": try #require(read?.first?.value), "engine": .text(engine.rawValue)]
}

/// The store after steps and their verification; releasing the bench removes the store.
struct StepOutcome {
  let bench: KindBench<ScenarioWorkload>
  let connection: Connection
  let figures: [String: Double]

  func integer(_ sql: String) throws -> Int64? { try connection.integer(sql) }
  func text(_ sql: String) throws -> String? { try connection.text(sql) }

  /// The name of the join table whose SQL matches a pattern.
  func joinTable(_ pattern: String) throws -> String {
    let isTable = "type = 'table' AND name GLOB 'Z_[0-9]*'"
    return try #require(
      try text("SELECT name FROM sqlite_master WHERE \(isTable) AND sql GLOB '\(pattern)'")
    )
  }

  /// The name of a table's column that matches a pattern.
  func column(_ pattern: String, of table: String) throws -> String {
    let columns = "SELECT name FROM pragma_table_info('\(table)') WHERE name GLOB '\(pattern)'"
    return try #require(try text(columns))
  }

  /// The positions of the songs in the first playlist.
  func placesInPlaylist() throws -> String? {
    let table = try joinTable("*FOK*")
    let (order, holder) = (
      try column("*FOK*", of: table), try column("Z_[0-9]*PLAYLISTS*", of: table)
    )
    return try text(
      "SELECT group_concat(place) FROM (SELECT \(order) AS place FROM \(table) "
        + "WHERE \(holder) = 1 ORDER BY 1)"
    )
  }
}

extension KindBench where Kind == ScenarioWorkload {
  /// The reasons why steps do not fit the store.
  func misfits(_ steps: String, _ engine: ChangeEngine = .objectGraph) throws -> [String] {
    try fit(songValues(steps, engine)).misfits.map(\.reason)
  }

  func outcome(of steps: String, _ engine: ChangeEngine = .objectGraph) throws -> StepOutcome {
    let opened = try open(songValues(steps, engine))
    _ = try opened.finish()
    let connection = try opened.trial.store.plainConnection()
    return StepOutcome(bench: self, connection: connection, figures: opened.figures)
  }
}

func songs(after steps: String, _ engine: ChangeEngine = .objectGraph) throws -> StepOutcome {
  try makeSongs().outcome(of: steps, engine)
}
