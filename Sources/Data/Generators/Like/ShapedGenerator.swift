import DataModel
import Profiling

/// Values with the shape of a profile's column.
struct ShapedGenerator: CellGenerator {
  /// What a number of a bin becomes.
  private enum Form {
    case number(NumberGenerator.Form)
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

  init(
    _ column: ShapedColumn,
    of attribute: Attribute,
    form: NumberGenerator.Form,
    rows: Int,
    key: StreamKey
  ) {
    self.column = column
    segments = ColumnSegments(column, rows: rows)
    shuffle = Permutation(count: rows, key: key.derived("places"))
    self.key = key.derived("values")
    text = NumberedWords(count: segments.clusterCount * column.seriesCount)
    self.form =
      switch attribute.type.measure {
      case .numbers: .number(form)
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
      // Whole numbers that must differ take every n-th of the bin, or none of it where it is small.
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
