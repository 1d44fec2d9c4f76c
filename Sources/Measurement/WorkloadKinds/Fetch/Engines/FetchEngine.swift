import Runner
import SQLite

/// One way of reading the objects of a case.
protocol FetchEngine: AnyObject {
  /// The connection whose counters count; `nil` where the engine has one of its own.
  var connection: Connection? { get }

  /// Finds the objects, loading what the strategy loads at once.
  func fetch() throws -> any FetchResults
  /// The number of objects that the request describes.
  func count() throws -> Int
  /// Reports what was counted since the last call.
  func report(to recorder: Recorder)
}

/// The objects of a fetch in order.
protocol FetchResults: AnyObject {
  var count: Int { get }

  /// Reads what a case reads of the object at a place, and follows its relationship where touched.
  func read(_ place: Int, isTouched: Bool, into log: inout ReadLog) throws
}
