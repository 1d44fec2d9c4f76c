import DataModel

struct ShapedColumn: ValueRule {
  let profile: ColumnProfile
  let unique: Series?
  let range: ClosedRange<Double>
  let isOptional: Bool
  let exactness: Double

  /// One of several interleaved series of unique numbers.
  ///
  /// Each entity has its own series, so that the values of different entities differ.
  struct Series: Hashable, Sendable {
    var number: Int
    var count: Int

    func id(of cluster: Int) -> Int { cluster * count + number }
  }

  init(_ profile: ColumnProfile, of attribute: Attribute, unique: Series?) {
    range = attribute.measuredRange
    isOptional = attribute.isOptional || attribute.derivation != nil
    exactness = attribute.type == .float ? 0x1p24 : 0x1p52
    self.unique = unique
    var fitted = profile.fitted(to: attribute, within: range)
    // Unique Float values must be whole, because fractions have too few distinct values.
    if unique != nil, attribute.type == .float { fitted.grain = .whole }
    self.profile = fitted
  }

  var mostValues: Int {
    guard let unique else { return .max }
    switch profile.measure {
    case .numbers where profile.grain != .fractional, .dates where profile.grain != .fractional:
      return mostWholes(unique)
    case .lengths, .sizes:
      // Count only the values of the maximum length, because there are few shorter ones.
      let base = profile.measure == .lengths ? 36 : 256
      var (values, length) = (1, 0.0)
      while length < range.upperBound, values < 1 << 48 {
        (values, length) = (values * base, length + 1)
      }
      return values / unique.count
    case .numbers, .dates:
      guard range.lowerBound < range.upperBound else { return unique.number == 0 ? 1 : 0 }
      let width = range.upperBound / 2 - range.lowerBound / 2
      let fractions = width / (2 * DistinctNumbers.resolution(range)) / Double(unique.count)
      return max(Int(min(fractions.rounded(.down), 1e18)), mostWholes(unique))
    case .none: return .max
    }
  }

  private func mostWholes(_ series: Series) -> Int {
    let first = DistinctNumbers.aligned(max(range.lowerBound, -exactness), series.count)
    let last = min(range.upperBound, exactness).rounded(.down)
    let numbers = (last - first - Double(series.number)) / Double(series.count) + 1
    return Int(min(max(numbers.rounded(.down), 0), 1e18))
  }

  /// The width of the range from which values of a bin (a range of numbers) are drawn.
  ///
  /// Unique values of a bin with a single number are close to that number, as far as the attribute
  /// permits; if the width is negative, they are below it.
  fileprivate func width(of bin: Bin) -> Double {
    guard bin.isPoint, unique != nil, [.numbers, .dates].contains(profile.measure) else {
      return bin.to - bin.from
    }
    let (below, above) = (bin.from - range.lowerBound, range.upperBound - bin.from)
    let most = max(abs(bin.from), 1)
    return above >= below ? min(most, above) : -min(most, below)
  }

  func generator(at site: AttributeSite) -> any CellGenerator {
    if unique == nil, !profile.texts.isEmpty {
      return KeptTextGenerator(self, rows: site.rows, key: site.key)
    }
    return Generator(self, of: site.attribute, rows: site.rows, key: site.key)
  }

  /// Generates the strings that a profile kept, each as often as in the original.
  private struct KeptTextGenerator: CellGenerator {
    private let texts: [[UInt8]]
    /// The end of each string's range of positions, which follow the positions of nulls.
    private let ends: [Int]
    private let nulls: Int
    private let shuffle: Permutation

    init(_ column: ShapedColumn, rows: Int, key: StreamKey) {
      let texts = column.profile.texts
      // Give objects whose string was not kept one of the kept strings.
      let values = max(texts.reduce(0) { $0 + $1.count }, column.profile.objects)
      nulls = ColumnSegments.scaled(
        column.profile.nulls,
        of: max(values + column.profile.nulls, 1),
        to: rows
      )
      let shares = ColumnSegments.shares(of: texts.map(\.count), in: rows - nulls)
      var end = nulls
      ends = shares.map { share in
        end += share
        return end
      }
      self.texts = texts.map { Array($0.text.utf8) }
      shuffle = Permutation(count: rows, key: key.derived("places"))
    }

    func fill(_ cell: inout Cell, row: Int, draws: inout Draws) {
      let place = shuffle.image(of: row)
      guard place >= nulls, let index = ends.firstIndex(where: { place < $0 }) else {
        return cell.setNull()
      }
      cell.setText { $0.append(contentsOf: texts[index]) }
    }
  }

  struct Generator: CellGenerator {
    private enum Form {
      case number(NumberRule.Form)
      case decimal
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
    private let series: Series
    private let text: NumberedWords
    private let formed: FormedTexts?
    private let distinct: DistinctNumbers?

    init(_ column: ShapedColumn, of attribute: Attribute, rows: Int, key: StreamKey) {
      self.column = column
      segments = ColumnSegments(column, rows: rows)
      shuffle = Permutation(count: rows, key: key.derived("places"))
      self.key = key.derived("values")
      series = column.unique ?? Series(number: 0, count: 1)
      let words = NumberedWords(count: segments.clusterCount * series.count)
      text = words
      formed = column.profile.form.map {
        FormedTexts($0, words: words, isUnique: column.unique != nil)
      }
      distinct = DistinctNumbers.make(column, segments)
      self.form =
        switch attribute.type.measure {
        case .numbers where attribute.type == .decimal: .decimal
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
      // All rows of a cluster (rows that share a value) use the same random draws.
      var draws = key.draws(row: cluster)
      let number =
        distinct?.number(in: bin, local: local, of: segment)
        ?? number(in: bin, local: local, of: segment, &draws)
      let id = series.id(of: cluster)
      switch form {
      case .number(let form): form.set(number, in: &cell)
      case .decimal: cell.setNumeric(decimal(number, in: bin))
      case .date: cell.setNumeric(number)
      case .text(let isURI):
        let length = self.length(number, least: text.width)
        cell.setText { bytes in
          if let formed, length > 0 {
            formed.append(to: &bytes, id: id, length: length, &draws)
          } else {
            text.append(to: &bytes, id: id, length: length, isURI: isURI, &draws)
          }
        }
      case .uuid: cell.set(.blob((0..<16).map { _ in UInt8(truncatingIfNeeded: draws.next()) }))
      case .blob:
        let length = self.length(number, least: 8)
        cell.setBlob { bytes in
          if let formed, length > 0 {
            return formed.append(to: &bytes, id: id, length: length, &draws)
          }
          for _ in 0..<length { bytes.append(UInt8(truncatingIfNeeded: draws.next() >> 56)) }
          guard column.unique != nil else { return }
          for place in 0..<min(length, 8) {
            bytes[length - 1 - place] = UInt8(truncatingIfNeeded: id >> (8 * place))
          }
        }
      }
    }

    /// Draws the length of a string or blob in bytes.
    ///
    /// A unique value has at least `least` bytes, which is enough for the number that makes it
    /// unique.
    private func length(_ number: Double, least: Int) -> Int {
      let wanted = column.unique == nil ? number : max(number, Double(least))
      return Int(min(max(wanted, column.range.lowerBound, 0), column.range.upperBound, 1e9))
    }

    private func number(
      in bin: Bin,
      local: Int,
      of segment: ColumnSegments.Segment,
      _ draws: inout Draws
    ) -> Double {
      let width = column.width(of: bin)
      var place = draws.unit()
      if [.numbers, .dates].contains(column.profile.measure) {
        place = (Double(series.number) + place) / Double(series.count)
      }
      guard width != 0 else { return bin.from }
      let number = bin.from + (Double(local) + place) / Double(segment.clusterCount) * width
      guard column.profile.grain != .fractional else { return number }
      let unit = column.profile.grain == .day ? 86_400.0 : 1
      return max((number / unit).rounded(.down) * unit, bin.from)
    }

    /// Rounds to two decimal places if the result remains in the bin and values need not be unique.
    private func decimal(_ number: Double, in bin: Bin) -> Double {
      let cut = (number * 100).rounded() / 100
      let isWithin = cut >= bin.from && (cut < bin.to || cut == bin.from)
      return isWithin && column.unique == nil ? cut : number
    }
  }

  /// Unique numbers for columns whose bins are too narrow for random draws to be distinct.
  struct DistinctNumbers: Sendable {
    private enum Rule {
      /// Evenly spaced whole numbers in each bin.
      case steps
      /// Consecutive whole numbers, if the bins are too small or too coarse.
      case from(Double)
      /// Numbers spread over the attribute's entire range, if it has too few whole numbers.
      case over(ClosedRange<Double>, values: Double)
    }

    private let series: Series
    private let rule: Rule

    private init(_ series: Series, _ rule: Rule) {
      self.series = series
      self.rule = rule
    }

    /// Chooses a rule; returns `nil` if values may repeat or if the bins have room for enough
    /// fractions.
    ///
    /// This is a static method because Swift 6.3's optimizer fails on an initializer with the same
    /// body.
    static func make(_ column: ShapedColumn, _ segments: ColumnSegments) -> DistinctNumbers? {
      guard let series = column.unique, [.numbers, .dates].contains(column.profile.measure) else {
        return nil
      }
      let count = Double(segments.clusterCount) * Double(series.count)
      if column.profile.grain == .fractional {
        if isFine(column, segments, series) { return nil }
        if Double(column.mostWholes(series)) < Double(segments.clusterCount) {
          return DistinctNumbers(series, .over(column.range, values: count))
        }
      } else if fits(column, segments, series) {
        return DistinctNumbers(series, .steps)
      }
      let least = aligned(column.range.lowerBound, series.count)
      let wanted = column.profile.bins.first?.from ?? 0
      let last = min(column.range.upperBound, column.exactness) - count + 1
      let first = max(
        aligned(min(wanted, last) - Double(series.count) + 1, series.count),
        max(least, aligned(-column.exactness, series.count))
      )
      return DistinctNumbers(series, .from(first))
    }

    static func resolution(_ range: ClosedRange<Double>) -> Double {
      2 * max(range.lowerBound.ulp, range.upperBound.ulp)
    }

    private static func isFine(
      _ column: ShapedColumn,
      _ segments: ColumnSegments,
      _ series: Series
    ) -> Bool {
      segments.segments.allSatisfy { segment in
        guard let bin = segment.bin else { return true }
        let width = column.width(of: bin)
        let parts = Double(segment.clusterCount) * Double(series.count)
        let ends = (min(bin.from, bin.from + width), max(bin.from, bin.from + width))
        return abs(width) / parts > 2 * resolution(ends.0...ends.1)
      }
    }

    private static func fits(
      _ column: ShapedColumn,
      _ segments: ColumnSegments,
      _ series: Series
    ) -> Bool {
      let bins = column.profile.bins
      for (bin, next) in zip(bins, bins.dropFirst())
      where bin.to > next.from || bin.from >= next.from { return false }
      for segment in segments.segments {
        guard let bin = segment.bin else { continue }
        let isAlone = isLone(segment, series) && abs(bin.from) < column.exactness
        if !isAlone, step(in: bin, segment, series, column.exactness) < 1 { return false }
      }
      return true
    }

    func number(in bin: Bin, local: Int, of segment: ColumnSegments.Segment) -> Double {
      switch rule {
      case .steps: break
      case .from(let first): return first + Double(series.id(of: segment.firstCluster + local))
      case .over(let range, let values):
        let place = (Double(series.id(of: segment.firstCluster + local)) + 0.5) / values
        return range.lowerBound * (1 - place) + range.upperBound * place
      }
      guard !Self.isLone(segment, series) else { return bin.from }
      return Self.aligned(bin.from, series.count)
        + Double(local) * Self.step(in: bin, segment, series, .infinity) + Double(series.number)
    }

    private static func isLone(_ segment: ColumnSegments.Segment, _ series: Series) -> Bool {
      segment.clusterCount == 1 && series.count == 1
    }

    private static func step(
      in bin: Bin,
      _ segment: ColumnSegments.Segment,
      _ series: Series,
      _ exactness: Double
    ) -> Double {
      guard max(abs(bin.from), abs(bin.to)) < exactness else { return 0 }
      let count = Double(series.count)
      let width = bin.to - aligned(bin.from, series.count)
      return (width / Double(segment.clusterCount) / count).rounded(.down) * count
    }

    /// Rounds a number up to a multiple of the number of series.
    static func aligned(_ number: Double, _ count: Int) -> Double {
      (number / Double(count)).rounded(.up) * Double(count)
    }
  }

  /// Strings of a given length in bytes, made of meaningless words with a number at the end.
  struct NumberedWords: Sendable {
    private static let digits = Array("0123456789abcdefghijklmnopqrstuvwxyz".utf8)
    private static let consonants = Array("bdfgklmnprstvz".utf8)
    private static let vowels = Array("aeiou".utf8)
    private static let scheme = Array("https://example.org/".utf8)

    let width: Int

    init(count: Int) {
      var (width, reach) = (1, 36)
      while reach < count, reach < Int.max / 36 {
        width += 1
        reach *= 36
      }
      self.width = width
    }

    func append(
      to text: inout [UInt8],
      id: Int,
      length: Int,
      isURI: Bool,
      _ draws: inout Draws,
      hasScheme: Bool = true
    ) {
      let start = text.count
      if isURI, hasScheme, length >= Self.scheme.count + width {
        text.append(contentsOf: Self.scheme)
      }
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

extension Attribute {
  var measuredRange: ClosedRange<Double> {
    let (low, high): (Double, Double) =
      switch type.measure {
      case .numbers where type == .boolean: (0, 1)
      case .numbers:
        type.integerRange.map { (Double($0.lowerBound), Double($0.upperBound)) } ?? (-1e300, 1e300)
      case .dates: (-1e300, 1e300)
      case .lengths, .sizes, .none: (0, 1e9)
      }
    // Ignore the model's minimum and maximum for blobs and UUIDs, where they have no meaning.
    guard type.measure != .sizes, type.measure != .none else { return low...high }
    var (least, most) = (max(low, minimum.number ?? low), min(high, maximum.number ?? high))
    if type.isWhole || type.measure == .lengths {
      (least, most) = (least.rounded(.up), most.rounded(.down))
    }
    return least <= most ? least...most : low...high
  }
}

extension ColumnProfile {
  fileprivate func fitted(to attribute: Attribute, within range: ClosedRange<Double>)
    -> ColumnProfile
  {
    var fitted = self
    if !attribute.isOptional, attribute.derivation == nil { fitted.nulls = 0 }
    guard measure != .none else { return fitted }
    if bins.isEmpty, fitted.nulls == 0 {
      fitted.bins = ColumnProfile.unknown(attribute).bins.map { $0.moved(into: range) }
    }
    let isWhole = attribute.type.isWhole || measure == .lengths || measure == .sizes
    fitted.bins = fitted.bins.map { $0.cut(to: range, isWhole: isWhole) }
    return fitted
  }
}

extension Bin {
  fileprivate func cut(to range: ClosedRange<Double>, isWhole: Bool) -> Bin {
    let end = range.upperBound + (isWhole ? 1 : 0)
    let first = min(max(from, range.lowerBound), range.upperBound)
    return Bin(from: first, to: isPoint ? first : max(min(to, end), first), count: count)
  }

  fileprivate func moved(into range: ClosedRange<Double>) -> Bin {
    guard !isPoint, from < range.lowerBound || to > range.upperBound else { return self }
    let first = min(
      max(from, range.lowerBound),
      max(range.upperBound - (to - from), range.lowerBound)
    )
    return Bin(from: first, to: max(min(first + to - from, range.upperBound), first), count: count)
  }
}
