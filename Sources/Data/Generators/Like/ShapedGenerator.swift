import DataModel
import Profiling

/// The values of an attribute as a profile describes them, its nulls among them.
struct ShapedColumn: ValueRule {
  let profile: ColumnProfile
  /// Whether no two objects may have the same value, whatever the profile says.
  let isUnique: Bool
  /// Which of how many series the values are one of, so that those of two entities differ.
  let series: Int
  let seriesCount: Int

  func generator(at site: AttributeSite) -> any CellGenerator {
    Generator(self, of: site.attribute, rows: site.rows, key: site.key)
  }

  /// Values with the shape of a profile's column.
  struct Generator: CellGenerator {
    /// What a number of a bin becomes.
    private enum Form {
      case number(NumberRule.Form)
      case date
      case text(isURI: Bool)
      case uuid
      case blob
    }

    private let segments: ColumnSegments
    private let shuffle: Permutation
    private let key: StreamKey
    private let column: ShapedColumn
    private let form: Form
    private let text: NumberedWords

    init(_ column: ShapedColumn, of attribute: Attribute, rows: Int, key: StreamKey) {
      self.column = column
      segments = ColumnSegments(column, rows: rows)
      shuffle = Permutation(count: rows, key: key.derived("places"))
      self.key = key.derived("values")
      text = NumberedWords(count: segments.clusterCount * column.seriesCount)
      self.form =
        switch attribute.type.measure {
        case .numbers: .number(NumberRule.Form(of: attribute))
        case .dates: .date
        case .lengths: .text(isURI: attribute.type == .uri)
        case .none: .uuid
        case .sizes: .blob
        }
    }

    func fill(_ cell: inout Cell, row: Int, draws: inout Draws) {
      let place = shuffle.image(of: row)
      let segment = segments.segment(at: place)
      guard let bin = segment.bin else { return cell.setNull() }
      let local = (place - segment.start) / segment.clusterSize
      let cluster = segment.firstCluster + local
      // All rows of a cluster draw the same.
      var draws = key.draws(row: cluster)
      let number = number(in: bin, local: local, of: segment, cluster: cluster, &draws)
      switch form {
      case .number(let form): form.set(number, in: &cell)
      case .date: cell.setNumeric(number)
      case .text(let isURI):
        let id = cluster * column.seriesCount + column.series
        cell.setText { text.append(to: &$0, id: id, length: Int(number), isURI: isURI, &draws) }
      case .uuid: cell.set(.blob((0..<16).map { _ in UInt8(truncatingIfNeeded: draws.next()) }))
      case .blob:
        cell.setBlob { bytes in
          for _ in 0..<Int(number) { bytes.append(UInt8(truncatingIfNeeded: draws.next() >> 56)) }
        }
      }
    }

    /// A number of the bin: clusters are spread evenly over it.
    private func number(
      in bin: Bin,
      local: Int,
      of segment: ColumnSegments.Segment,
      cluster: Int,
      _ draws: inout Draws
    ) -> Double {
      let width = bin.to - bin.from
      let isWhole = column.profile.grain != .fractional
      let measure = column.profile.measure
      if column.isUnique, isWhole, measure == .numbers || measure == .dates {
        // Whole numbers that must differ take every n-th of the bin, or none of it where it is
        // small.
        let step = (width / Double(segment.clusterCount)).rounded(.down)
        guard step >= 1 else { return beyondAll + Double(cluster) }
        return bin.from + Double(local) * step
      }
      guard !bin.isPoint else { return bin.from }
      let number = bin.from + (Double(local) + draws.unit()) / Double(segment.clusterCount) * width
      let unit = column.profile.grain == .day ? 86_400.0 : 1
      return isWhole ? max((number / unit).rounded(.down) * unit, bin.from) : number
    }

    private var beyondAll: Double { column.profile.bins.map(\.to).max() ?? 0 }
  }

  /// Texts of a given length in bytes, made of words that mean nothing, with a number at their end.
  struct NumberedWords: Sendable {
    private static let digits = Array("0123456789abcdefghijklmnopqrstuvwxyz".utf8)
    private static let consonants = Array("bdfgklmnprstvz".utf8)
    private static let vowels = Array("aeiou".utf8)
    private static let scheme = Array("https://example.org/".utf8)

    /// The digits that the largest number needs.
    private let width: Int

    init(count: Int) {
      var (width, reach) = (1, 36)
      while reach < count, reach < Int.max / 36 {
        width += 1
        reach *= 36
      }
      self.width = width
    }

    /// Appends the text of a number; those of two numbers differ where they have room for all
    /// digits.
    func append(to text: inout [UInt8], id: Int, length: Int, isURI: Bool, _ draws: inout Draws) {
      let start = text.count
      if isURI, length >= Self.scheme.count + width { text.append(contentsOf: Self.scheme) }
      while text.count - start < length {
        for _ in 0..<(1 + draws.below(4)) {
          text.append(Self.consonants[draws.below(Self.consonants.count)])
          text.append(Self.vowels[draws.below(Self.vowels.count)])
        }
        text.append(isURI ? 0x2d : 0x20)
      }
      text.removeLast(text.count - start - length)
      var rest = id
      for place in 1...width where place <= length {
        text[text.count - place] = Self.digits[rest % 36]
        rest /= 36
      }
    }
  }
}

extension ColumnProfile {
  /// A profile for an attribute of which nothing is known.
  static func unknown(_ attribute: Attribute) -> ColumnProfile {
    var profile = ColumnProfile(name: attribute.name, measure: attribute.type.measure)
    switch (profile.measure, attribute.type) {
    case (_, .boolean): profile.bins = [Bin(from: 0, to: 2, count: 1)]
    case (.numbers, _): profile.bins = [Bin(from: 0, to: 100, count: 1)]
    case (.dates, _):
      let (first, last) = (CalendarMonth(index: 24 * 12), CalendarMonth(index: 25 * 12))
      profile.bins = [Bin(from: first.seconds, to: last.seconds, count: 1)]
    case (.lengths, _): profile.bins = [Bin(from: 8, to: 17, count: 1)]
    case (.sizes, _): profile.bins = [Bin(from: 16, to: 65, count: 1)]
    case (.none, _): break
    }
    return profile
  }
}
