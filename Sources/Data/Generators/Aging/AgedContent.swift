import Basics
import PersistentStore

/// The content of an aged store, as its published digest counts it.
///
/// Every object, pair and order counts, with the objects' versions; where SQLite put them does not.
package enum AgedContent {
  /// The SHA-256 of the digests of all parts, in lower-case hexadecimal digits.
  ///
  /// - Throws: what reading the store throws.
  package static func digest(of store: StoreFile, layout: StoreLayout) throws -> String {
    let parts = try StoreContent(store: store, layout: layout)
      .digest(DigestOptions(countsVersions: true)).parts
    let text = parts.map { "\($0.name) \($0.count) \($0.digest)\n" }.joined()
    return SHA256.hash(data: Array(text.utf8)).hexadecimal
  }
}
