import DataModel

struct BlobRule: ValueRule {
  static let entry = ValueGenerator(
    "blob",
    "blobs of chosen sizes, file formats and compressibility",
    types: [.binary, .transformable],
    keys: keys,
    examples: [
      .init("{ blob: { size: { uniform: [0, 9_000] }, signature: png } }", 0...9_000),
      .init("{ blob: { size: 2_000, compressibility: 0.5, signature: json } }", 2_000...2_000),
      .init("{ blob: { size: 300, signature: { of: path } } }", 300...300),
    ],
    bare: { _ in usual },
    parse: { parse($0.value, $0.reader) }
  )

  fileprivate static let keys = [
    ValueGenerator.Key("size", "a distribution, in bytes"),
    ValueGenerator.Key("compressibility", "0 (not at all) to 1"),
    ValueGenerator.Key("signature", "none, jpeg, png, pdf, json, or { of: a text attribute }"),
  ]

  static let usual = BlobRule(
    size: DistributionRecipe(
      .logNormal(median: 20_000, sigma: 1),
      minimum: 200,
      maximum: 5_000_000
    ),
    compressibility: 0.1
  )

  var size: DistributionRecipe
  /// The share of the bytes that repeat other bytes, from 0 to 1.
  var compressibility: Double
  var format = Format.none
  /// The attribute whose media type or file name determines the file format; `nil` if ``format``
  /// determines it.
  var formatAttribute: AttributePath?

  /// Parses the rule of a blob.
  ///
  /// Without a reader of the object's other attributes, the format cannot depend on an attribute.
  fileprivate static func parse(_ value: YAMLValue, _ reader: AttributeReader?) -> BlobRule? {
    guard value.scalar != .null else { return usual }
    guard let mapping = value.mapping(knowing: keys.map(\.name)) else { return nil }
    let size = mapping.required("size").flatMap {
      DistributionReader(isWhole: true, range: 0...Generator.largest).distribution($0)
    }
    let signature = mapping["signature"]
    let followed = signature.flatMap { $0.isMapping ? $0 : nil }
    let format: Format? =
      signature == nil || followed != nil ? Format.none : signature?.choice()
    let attribute = followed.flatMap { formatAttribute($0, reader) }
    let compressibility = mapping["compressibility"].map(share) ?? 0
    guard let size, let format, let compressibility else { return nil }
    return BlobRule(
      size: size,
      compressibility: compressibility,
      format: format,
      formatAttribute: attribute
    )
  }

  private static func formatAttribute(_ value: YAMLValue, _ reader: AttributeReader?)
    -> AttributePath?
  {
    guard let reader else {
      value.report("files have one fixed signature: write its name")
      return nil
    }
    return value.mapping(knowing: ["of"])?.required("of").flatMap {
      reader.path($0, of: [.string])
    }
  }

  private static func share(_ value: YAMLValue) -> Double? {
    value.number(being: "from 0 (not at all) to 1 (to almost nothing)") { (0...1).contains($0) }
  }

  var paths: [AttributePath] { formatAttribute.map { [$0] } ?? [] }
  var isEditable: Bool { false }

  func generator(at site: AttributeSite) -> any CellGenerator {
    formatAttribute.flatMap { site.source($0) }
      .map { FollowingGenerator(self, name: $0) } ?? Generator(self)
  }

  /// Generates blobs whose file format depends on another attribute of the object, for example on
  /// the media type `image/jpeg`.
  private struct FollowingGenerator: CellGenerator {
    private let name: PathSource
    private let plain: Generator
    private let generators: [(format: Format, generator: Generator)]

    init(_ recipe: BlobRule, name: PathSource) {
      self.name = name
      plain = Generator(recipe)
      generators = Format.allCases.filter { $0 != .none }.map { format in
        var recipe = recipe
        recipe.format = format
        return (format, Generator(recipe))
      }
    }

    func fill(_ cell: inout Cell, row: Int, draws: inout Draws) {
      name.fill(&cell, row: row)
      let format = cell.kind == .text ? Format.named(by: cell.bytes) : nil
      let named = generators.first { $0.format == format }
      (named?.generator ?? plain).fill(&cell, row: row, draws: &draws)
    }
  }

  /// A file format, which determines the first and last bytes of a generated blob.
  enum Format: String, CaseIterable, Hashable, Sendable {
    /// No format: plain bytes.
    case none
    case jpeg
    case png
    case pdf
    case json

    private static let endings: [(String, Format)] = [
      ("jpeg", .jpeg), ("jpg", .jpeg), ("JPG", .jpeg), ("png", .png), ("pdf", .pdf),
      ("json", .json),
    ]

    /// The format whose name is the suffix of a media type or file name; `nil` if there is no such
    /// format.
    static func named(by name: [UInt8]) -> Format? {
      endings.first { name.ends(with: Array($0.0.utf8)) }?.1
    }

    var head: [UInt8] {
      switch self {
      case .none, .json: []
      case .jpeg:
        // The start-of-image marker and a JFIF segment.
        [0xFF, 0xD8, 0xFF, 0xE0, 0, 16] + Array("JFIF\0".utf8) + [1, 1, 0, 0, 72, 0, 72, 0, 0]
      case .png:
        // The signature and the header chunk of an image of 1024 × 768 pixels.
        [
          0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0x00, 0x00, 0x00, 0x0D, 0x49, 0x48, 0x44,
          0x52, 0x00, 0x00, 0x04, 0x00, 0x00, 0x00, 0x03, 0x00, 0x08, 0x02, 0x00, 0x00, 0x00, 0x35,
          0xD8, 0x82, 0x5A,
        ]
      case .pdf: Array("%PDF-1.7\n%".utf8) + [0xE2, 0xE3, 0xCF, 0xD3, 0x0A]
      }
    }

    var tail: [UInt8] {
      switch self {
      case .none, .json: []
      case .jpeg: [0xFF, 0xD9]
      case .png: [0, 0, 0, 0] + Array("IEND".utf8) + [0xAE, 0x42, 0x60, 0x82]
      case .pdf: Array("\n%%EOF\n".utf8)
      }
    }
  }

  struct Generator: CellGenerator {
    private let size: any Distribution
    private let compressibility: Double
    private let format: Format
    private let head: [UInt8]
    private let tail: [UInt8]

    /// The maximum size of a blob in bytes: SQLite's default limit.
    static let largest = 1_000_000_000.0

    init(_ recipe: BlobRule) {
      size = recipe.size.distribution()
      compressibility = recipe.compressibility
      format = recipe.format
      head = format.head
      tail = format.tail
    }

    func count(row: Int, draws: inout Draws) -> Int {
      Int(min(max(size.value(row: row, draws: &draws).rounded(), 0), Self.largest))
    }

    func fill(_ cell: inout Cell, row: Int, draws: inout Draws) {
      let count = count(row: row, draws: &draws)
      cell.setBlob { bytes in
        if format == .json {
          JSONBlob.append(count: count, compressibility: compressibility, to: &bytes, draws: &draws)
        } else {
          append(count: count, to: &bytes, draws: &draws)
        }
      }
    }

    private func append(count: Int, to bytes: inout [UInt8], draws: inout Draws) {
      bytes.reserveCapacity(count)
      while bytes.count < count {
        appendBlock(min(Self.block, count - bytes.count), to: &bytes, &draws)
      }
      guard head.count + tail.count <= count else { return }
      bytes.withUnsafeMutableBytes { buffer in
        buffer.copyBytes(from: head)
        UnsafeMutableRawBufferPointer(rebasing: buffer[(count - tail.count)...]).copyBytes(
          from: tail
        )
      }
    }

    private static let block = 4_096
    private static let motif = 256

    private func appendBlock(_ count: Int, to bytes: inout [UInt8], _ draws: inout Draws) {
      let share = (1 - compressibility) * Double(count)
      let random = min(max(Int(share.rounded()), 8), count)
      let noise = Self.noise.bytes
      let start = draws.below(noise.count - Self.block)
      let end = start + random
      bytes.append(contentsOf: UnsafeBufferPointer(rebasing: noise[start..<end]))
      var left = count - random
      while left > 0 {
        let repeated = min(Self.motif, random, left)
        let first = end - min(Self.motif, random)
        bytes.append(contentsOf: UnsafeBufferPointer(rebasing: noise[first..<first + repeated]))
        left -= repeated
      }
    }

    /// One MiB of random bytes that stays in memory as long as the process runs.
    ///
    /// Blocks are copied from random positions, at memory speed. Repetitions are usually farther
    /// apart than deflate's window of 32 KiB.
    private struct Noise: @unchecked Sendable {
      let bytes: UnsafeBufferPointer<UInt8>

      init() {
        let words = UnsafeMutableBufferPointer<UInt64>.allocate(capacity: 1 << 17)
        var draws = StreamKey(seed: 0).derived("noise").draws(row: 0)
        for index in words.indices { words[index] = draws.next().littleEndian }
        bytes = UnsafeRawBufferPointer(words).bindMemory(to: UInt8.self)
      }
    }

    private static let noise = Noise()
  }
}

// MARK: The app's files

/// The names of files that the app keeps next to the store, in the folder `NAME_FILES`.
///
/// NAME is the store's file name without its extension.
struct FileRule: ValueRule {
  static let entry = ValueGenerator(
    "file",
    "names of files next to the store; the files are written too",
    types: [.string, .uri],
    keys: BlobRule.keys,
    examples: [.init("{ file: { size: 100, signature: jpeg } }", 40...40)],
    isUnique: true,
    parse: { BlobRule.parse($0.value, nil).map { FileRule(contents: $0) } }
  )

  let contents: BlobRule

  var isDistinct: Bool { true }
  var isEditable: Bool { false }
  var makesFiles: Bool { true }

  func generator(at site: AttributeSite) -> any CellGenerator {
    Generator(contents, key: site.key)
  }

  struct Generator: TextGenerator {
    private let contents: BlobRule.Generator
    private let fileExtension: String
    private let key: StreamKey
    private let nameKey: StreamKey

    init(_ recipe: BlobRule, key: StreamKey) {
      contents = BlobRule.Generator(recipe)
      fileExtension =
        switch recipe.format {
        case .none: "bin"
        case .jpeg: "jpg"
        default: recipe.format.rawValue
        }
      self.key = key
      // Only the names have a random stream of their own. The contents use the attribute's stream,
      // so that they equal the blobs of an attribute with the same stream.
      nameKey = key.derived("file")
    }

    func append(to text: inout [UInt8], row: Int, draws: inout Draws) {
      var draws = nameKey.draws(row: row)
      text.append(contentsOf: UUIDGenerator.text(&draws).utf8)
      text.append(".")
      text.append(contentsOf: fileExtension.utf8)
    }

    func fillContents(_ cell: inout Cell, row: Int) {
      var draws = key.draws(row: row)
      contents.fill(&cell, row: row, draws: &draws)
    }

    func size(row: Int) -> Int {
      var draws = key.draws(row: row)
      return contents.count(row: row, draws: &draws)
    }
  }
}

/// The size in bytes of the file whose name is in another attribute; 0 if there is no file.
struct FileSizeRule: ValueRule {
  static let entry = ValueGenerator(
    "fileSize",
    "the bytes of the file whose name is in another attribute",
    types: ValueGenerator.integerTypes,
    examples: [.init("{ fileSize: path }", 100...100)],
    parse: { input in
      input.reader.sibling(input.value, of: [.string, .uri]).map { FileSizeRule(attribute: $0) }
    }
  )

  let attribute: String

  var bases: [String] { [attribute] }
  var isEditable: Bool { false }

  func generator(at site: AttributeSite) -> any CellGenerator {
    guard let file = site.sources[attribute] else { return ConstantGenerator(value: .null) }
    return Generator(file: file)
  }

  private struct Generator: CellGenerator {
    let file: AttributeSource

    func fill(_ cell: inout Cell, row: Int, draws: inout Draws) {
      cell.set(Int64(file.fileSize(row: row)))
    }
  }
}

extension [UInt8] {
  fileprivate func ends(with ending: [UInt8]) -> Bool {
    count >= ending.count && self[(count - ending.count)...].elementsEqual(ending)
  }
}
