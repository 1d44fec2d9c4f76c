import Basics
import DataModel
import PersistentStore
import SQLite

/// The strings that a profile may contain verbatim.
package struct TextChoice: Hashable, Sendable {
  /// Whether the profile contains the words of enumerations.
  package var keepsWords: Bool
  /// The attributes whose strings are kept although they are not enumerations, such as
  /// `Task.title`.
  ///
  /// A string is kept if at least `k` objects (the anonymity threshold) have it.
  package var kept: Set<String>

  package init(keepsWords: Bool = true, kept: Set<String> = []) {
    self.keepsWords = keepsWords
    self.kept = kept
  }
}

struct TextSamples {
  /// The maximum number of distinct strings in an enumeration.
  private static let mostWords = 64
  private static let mostKept = 10_000
  private static let longestWord = 100
  private static let sampled = 400
  /// The minimum number of objects per word; a rarer string may belong to one person.
  private static let leastObjects = 3
  /// The minimum share of objects that have one of an enumeration's words.
  private static let share = 0.8

  let columns: EntityColumns
  let k: Int
  let choice: TextChoice

  func kept(of attribute: Attribute) throws -> [KeptText] {
    guard attribute.type == .string || attribute.type == .uri else { return [] }
    let isChosen = choice.kept.contains("\(columns.entity.name).\(attribute.name)")
    guard isChosen || choice.keepsWords else { return [] }
    let most = isChosen ? Self.mostKept : Self.mostWords
    let texts = try columns.texts(attribute, most: most + 1)
    if isChosen { return texts.prefix(most).filter { $0.count >= k } }
    guard texts.count <= most else { return [] }
    let least = max(k, Self.leastObjects)
    let words = texts.filter { word in
      word.count >= least && word.text.utf8.count <= Self.longestWord
        // Strings such as URLs and e-mail addresses are user data, however often they occur.
        && TextForm.own(word.text) == nil
    }
    // If many objects have other strings, the column is not an enumeration.
    let (known, all) = (words.objects, texts.objects)
    return Double(known) >= Double(all) * Self.share ? words : []
  }

  func form(of attribute: Attribute) throws -> TextForm? {
    switch attribute.type.measure {
    case .lengths:
      let samples = try columns.samples(attribute, most: Self.sampled)
      let texts = samples.map { String(decoding: $0, as: UTF8.self) }
      return TextForm.form(of: texts, k: k, keepsWords: choice.keepsWords)
    case .sizes:
      let samples = try columns.samples(attribute, most: Self.sampled / 4)
      return TextForm.form(ofBlobs: samples, k: k, keepsWords: choice.keepsWords)
    case .numbers, .dates, .none: return nil
    }
  }
}

extension [KeptText] {
  fileprivate var objects: Int { reduce(0) { $0 + $1.count } }
}

extension TextForm {
  static func form(ofBlobs blobs: [[UInt8]], k: Int, keepsWords: Bool) -> TextForm? {
    let files = blobs.compactMap(file)
    if let first = files.first, files.count >= max(k, (blobs.count * 9 + 9) / 10, 1),
      files.allSatisfy({ $0 == first })
    {
      return .file(first)
    }
    let texts = blobs.map { String(decoding: $0, as: UTF8.self) }
    switch form(of: texts, k: k, keepsWords: keepsWords) {
    case .json(let shapes)?: return .json(shapes)
    case .plist?: return .plist
    default: return nil
    }
  }

  private static func file(_ bytes: [UInt8]) -> FileKind? {
    if bytes.starts(with: "bplist00".utf8) {
      let list = try? PropertyList(binary: bytes)
      return list?.dictionary?["$archiver"] == nil ? .propertyList : .archive
    }
    return FileKind.allCases.first { kind in
      kind.format.map {
        bytes.starts(with: $0.head.prefix(kind == .jpeg ? 3 : 4)) && !$0.head.isEmpty
      } ?? false
    }
  }
}

extension EntityColumns {
  func texts(_ attribute: Attribute, most: Int) throws -> [KeptText] {
    guard let column = column(attribute) else { return [] }
    if let groups = try groups(attribute) { return groups.texts(most: most) }
    let row = try connection.prepare(
      "SELECT \(column), count(*) \(rows) AND typeof(\(column)) = 'text' GROUP BY 1 "
        + "ORDER BY 2 DESC, 1 LIMIT \(most)"
    )
    var texts: [KeptText] = []
    while try row.step() {
      texts.append(KeptText(text: row.text(at: 0), count: Int(row.integer(at: 1))))
    }
    return texts
  }

  /// Reads up to `most` values of an attribute as bytes, except for values in external files.
  func samples(_ attribute: Attribute, most: Int) throws -> [[UInt8]] {
    guard let column = column(attribute) else { return [] }
    let longest = 65_536
    let row = try connection.prepare(
      "SELECT CAST(\(column) AS BLOB) \(rows) AND \(column) NOT NULL "
        + "AND length(\(column)) BETWEEN 1 AND \(longest) LIMIT \(most)"
    )
    var samples: [[UInt8]] = []
    while try row.step() {
      var bytes = row.blob(at: 0)
      if attribute.allowsExternalStorage {
        guard bytes.first == 1 else { continue }
        bytes.removeFirst()
      }
      samples.append(bytes)
    }
    return samples
  }
}
