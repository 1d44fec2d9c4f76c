/// What makes the rows of a table, chunk by chunk, on any thread and in any order.
package protocol RowSource: Sendable {
  /// Fixed by what is written, never by threads or memory: each chunk begins a page.
  var chunkCount: Int { get }

  /// Appends the rows of one chunk, ascending by rowid within it and over all chunks.
  func encode(chunk: Int, into rows: inout RowEncoder) throws
}
