/// A message of Core Data other than a statement, parsed from the bytes after the line's prefix.
///
/// Times are in microseconds. A message is `unknown` if neither the SDK documentation nor public
/// logs contain its form.
enum Message: Equatable {
  /// A message such as `SQLite bind[0] = "s"`, with the range of the value.
  case bind(index: Int, value: Range<Int>)
  /// A message such as `sql connection fetch time: 0.4789s`.
  case connectionTime(Int)
  /// A message such as `total fetch execution time: 0.0002s for 0 rows.`
  case fetchTime(Int, rows: Int)
  /// A message such as `total count request execution time: 0.0254s for count of 18988.`
  case countTime(Int, count: Int)
  /// A message such as `sql execution time: 0.0001s`.
  case executionTime(Int)
  /// A message such as `fetch using NSSQLiteStatement … on entity 'Person' with sql text '…'
  /// returned 6 rows`.
  case returned(entity: Range<Int>, rows: Int, listsValues: Bool)
  /// A message such as `count request … (entity: Word; …) returned 18988`.
  case counted(entity: Range<Int>, count: Int)
  /// A message such as `fault fulfilled from database for : … <x-coredata://…/Country/p4>`.
  case fault(entity: Range<Int>, key: Int)
  /// A message such as `to-many relationship fault "tags" for objectID … fulfilled from database.
  /// Got 0 rows`.
  case toManyFault(relationship: Range<Int>, entity: Range<Int>, key: Int, rows: Int)
  /// A message such as `Prefetching with key 'attachments'.  Got 1581 rows.`
  case prefetch(relationship: Range<Int>, rows: Int)
  /// A message such as `SQLite: EXPLAIN QUERY PLAN SELECT …`.
  case plan(sql: Range<Int>)
  /// A message such as `Connecting to sqlite database file at "…"`.
  case connecting
  /// A WAL checkpoint or a vacuum after a save.
  case maintenance
  /// The start of a WAL checkpoint after a save; ``checkpointEnd`` follows, if debug messages are
  /// logged.
  case checkpointStart
  /// The end of a WAL checkpoint, even if no message reported the start.
  case checkpointEnd
  /// A known message that has no times or counts.
  case note
  case unknown

  init(_ body: UnsafeRawBufferPointer, level: LineHead.Level) {
    switch level {
    case .sql: self = .unknown
    case .details: self = Self.detail(body)
    case .annotation: self = Self.annotation(body)
    case .debug:
      self =
        body.has("PostSaveMaintenance: incremental_vacuum")
        ? .maintenance
        : body.has("WAL checkpoint: Database did checkpoint") ? .checkpointEnd : .note
    case .error, .warning, .fault: self = .note
    }
  }

  private static func detail(_ body: UnsafeRawBufferPointer) -> Message {
    if body.has("SQLite bind["), let (index, end) = body.number(at: 12),
      body.has("] = ", at: end)
    {
      return .bind(index: index, value: end + 4..<body.count)
    }
    if body.has("SQLite: EXPLAIN QUERY PLAN ") { return .plan(sql: 27..<body.count) }
    return .unknown
  }

  private static func annotation(_ body: UnsafeRawBufferPointer) -> Message {
    if body.has("sql connection fetch time: ") {
      return body.microseconds(at: 27).map { .connectionTime($0) } ?? .unknown
    }
    if body.has("total fetch execution time: ") {
      guard let time = body.microseconds(at: 28), let mark = body.place(of: "s for ", from: 28),
        let (rows, _) = body.number(at: mark + 6)
      else { return .unknown }
      return .fetchTime(time, rows: rows)
    }
    if body.has("total count request execution time: ") {
      guard let time = body.microseconds(at: 36),
        let mark = body.place(of: "s for count of ", from: 36),
        let (count, _) = body.number(at: mark + 15)
      else { return .unknown }
      return .countTime(time, count: count)
    }
    if body.has("sql execution time: ") {
      return body.microseconds(at: 20).map { .executionTime($0) } ?? .unknown
    }
    if body.has("fault fulfilled from database for : ") {
      // The unified log may show the object ID as `<private>`.
      guard let (entity, key) = objectID(in: body, from: 36) else { return .note }
      return .fault(entity: entity, key: key)
    }
    return longAnnotation(body)
  }

  private static func longAnnotation(_ body: UnsafeRawBufferPointer) -> Message {
    if body.has("fetch using NSSQLiteStatement "), let start = body.place(of: "on entity '") {
      guard let quote = body.place(of: 39, from: start + 11),
        let mark = body.lastPlace(of: "' returned "),
        let (rows, end) = body.number(at: mark + 11)
      else { return .unknown }
      return .returned(
        entity: start + 11..<quote,
        rows: rows,
        listsValues: body.place(of: "with values: (", from: end) != nil
      )
    }
    if body.has("count request <"), let start = body.place(of: "(entity: ") {
      guard let semicolon = body.place(of: 59, from: start + 9),
        let mark = body.lastPlace(of: " returned "), let (count, _) = body.number(at: mark + 10)
      else { return .unknown }
      return .counted(entity: start + 9..<semicolon, count: count)
    }
    if body.has("to-many relationship fault \"") {
      guard let quote = body.place(of: 34, from: 28),
        let (entity, key) = objectID(in: body, from: quote), let mark = body.lastPlace(of: "Got "),
        let (rows, _) = body.number(at: mark + 4)
      else { return .unknown }
      return .toManyFault(relationship: 28..<quote, entity: entity, key: key, rows: rows)
    }
    if body.has("Prefetching with key '") {
      guard let quote = body.place(of: 39, from: 22), let mark = body.lastPlace(of: "Got "),
        let (rows, _) = body.number(at: mark + 4)
      else { return .unknown }
      return .prefetch(relationship: 22..<quote, rows: rows)
    }
    if body.has("Connecting to sqlite database file at") { return .connecting }
    if body.has("PostSaveMaintenance: wal_checkpoint") { return .checkpointStart }
    if body.has("PostSaveMaintenance: ") { return .maintenance }
    return knownNotes.contains { body.has($0) } ? .note : .unknown
  }

  private static let knownNotes: [StaticString] = [
    "Bound intarray", "creating schema", "Creating primary key table",
    "Execute create index statement", "Core Data multi-threading assertions enabled", "(migration)",
    "Migration:", " Failed to load optimized model", "Failed to load optimized model",
  ]

  /// Returns the entity and the key of `<x-coredata://STORE/Country/p4>`; the brackets may be
  /// missing, because web pages drop them.
  static func objectID(
    in body: UnsafeRawBufferPointer,
    from start: Int
  ) -> (entity: Range<Int>, key: Int)? {
    guard let scheme = body.place(of: "x-coredata://", from: start),
      let store = body.place(of: 47, from: scheme + 13),
      let entity = body.place(of: 47, from: store + 1), body.has("p", at: entity + 1),
      let (key, _) = body.number(at: entity + 2)
    else { return nil }
    return (store + 1..<entity, key)
  }
}
