import Basics

/// The distinct statements of a log, each with its fingerprint and its shape.
///
/// Bounded: beyond ``most`` fingerprints all further ones are one entry, whose calls are counted.
package final class StatementTable {
  package struct Entry: Sendable {
    package let fingerprint: String
    package let shape: StatementShape
  }

  /// A statement's place in the table and what its text adds.
  struct Reference {
    var entry: Int
    var limit: Int
    var literals: Int
    var literalHash: UInt64
    var isOpen: Bool
  }

  static let most = 20_000
  private static let mostTexts = 1 << 16

  package private(set) var entries: [Entry] = []
  /// Statements beyond the limit of distinct fingerprints.
  package private(set) var overflow = 0
  private var byFingerprint: [UInt64: Int] = [:]
  private var byText: [UInt64: Reference] = [:]
  private var reader = Fingerprint()

  package init() {}

  package subscript(_ entry: Int) -> Entry { entries[entry] }

  /// The entry of a statement's text.
  func reference(to sql: UnsafeRawBufferPointer) -> Reference {
    let key = sql.hash64
    if let known = byText[key] { return known }
    reader.read(sql)
    let hash = reader.bytes.withUnsafeBytes { $0.hash64 }
    let entry = byFingerprint[hash] ?? add(hash)
    let reference = Reference(
      entry: entry,
      limit: reader.limit,
      literals: reader.literals,
      literalHash: reader.literalHash,
      isOpen: reader.isOpen
    )
    if byText.count >= Self.mostTexts { byText.removeAll(keepingCapacity: true) }
    byText[key] = reference
    return reference
  }

  private func add(_ hash: UInt64) -> Int {
    guard entries.count < Self.most else {
      overflow += 1
      if byFingerprint[0] == nil {
        byFingerprint[0] = entries.count
        let text = "(further statements)"
        entries.append(Entry(fingerprint: text, shape: StatementShape(fingerprint: text)))
      }
      return byFingerprint[0] ?? 0
    }
    let text = String(decoding: reader.bytes, as: UTF8.self)
    byFingerprint[hash] = entries.count
    entries.append(Entry(fingerprint: text, shape: StatementShape(fingerprint: text)))
    return entries.count - 1
  }
}
