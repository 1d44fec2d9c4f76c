import DataModel
import PersistentStore
import SQLite

/// The objects that a request describes, in its order, found by plain SQL.
///
/// Objects that sort alike have one rank: an answer may have them in any order.
struct ExpectedObjects {
  /// The rank at each place, of all that meet the predicate.
  private var ranks: [Int] = []
  private var rankOfKey: [Int64: Int] = [:]
  private let offset: Int
  /// The number of objects after offset and limit.
  let count: Int
  /// The number of objects that meet the predicate.
  var unlimitedCount: Int { ranks.count }

  init(_ parameters: FetchParameters, _ subject: FetchSubject, in content: StoreContent) throws {
    let layout = content.layout
    let table = try content.table(of: subject.entity.name)
    let keys = parameters.sortKeys
    var check = ConditionCheck(
      entity: subject.entity.name,
      layout: layout,
      firstColumn: 1 + keys.count
    )
    let sorted = try keys.map { try check.column(of: $0.property) }
    let truth = try subject.predicate.map { try check.truth(of: $0) }
    let family = layout.model.family(of: subject.entity).compactMap { layout.numbers[$0.name] }
    let order = zip(sorted, keys).map { $0 + ($1.isDescending ? " DESC" : "") }
    let row = try content.connection.prepare(
      "SELECT \((["t.Z_PK"] + sorted + check.columns).joined(separator: ", ")) "
        + "FROM \(table.name) AS t NOT INDEXED "
        + "WHERE t.Z_ENT IN (\(family.map(String.init).joined(separator: ", ")))"
        + (order.isEmpty ? "" : " ORDER BY " + order.joined(separator: ", "))
    )
    var (rank, last): (Int, UInt64?) = (0, nil)
    let shape = ObjectDigest.Shape(entity: "sort", properties: [])
    while try row.step() {
      guard truth.map({ $0(row) == true }) ?? true else { continue }
      var digest = ObjectDigest(shape)
      for column in 1..<1 + keys.count { digest.add(row.value(at: column)) }
      if let last, last != digest.value { rank += 1 }
      last = digest.value
      ranks.append(rank)
      rankOfKey[row.integer(at: 0)] = rank
    }
    offset = min(parameters.offset, ranks.count)
    let rest = ranks.count - offset
    count = parameters.limit > 0 ? min(rest, parameters.limit) : rest
  }

  /// What is wrong with objects read at some places of the result; `nil` where nothing is.
  func problem(with keys: [Int64], at places: [Int]) -> String? {
    guard keys.count == places.count else {
      return "\(keys.count) objects were read, and \(places.count) had to be"
    }
    var keyAtPlace: [Int: Int64] = [:]
    var placeOfKey: [Int64: Int] = [:]
    for (key, place) in zip(keys, places) {
      guard let rank = rankOfKey[key] else {
        return "object \(key) at place \(place) is none that the request describes"
      }
      if rank != ranks[offset + place] {
        return "object \(key) at place \(place) is out of order"
      }
      if keyAtPlace.updateValue(key, forKey: place) ?? key != key {
        return "place \(place) held two objects, \(key) the second time"
      }
      if placeOfKey.updateValue(place, forKey: key) ?? place != place {
        return "object \(key) was read at two places, the second is \(place)"
      }
    }
    return nil
  }
}
