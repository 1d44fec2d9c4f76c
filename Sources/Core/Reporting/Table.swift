import Basics

extension Report {
  /// Rows of typed cells; every renderer shows all columns.
  package struct Table: Sendable {
    /// The table's caption; empty if the heading above the table describes it.
    package var title: String
    package var columns: [Column]
    package var rows: [[Cell]]
    /// The maximum number of rows that a terminal shows; a last line states how many are omitted.
    ///
    /// If it is 0, only HTML pages show the table.
    package var most: Int?
    /// A hint for reading the table.
    package var note: Text?

    package init(
      _ title: String = "",
      _ columns: [Column],
      rows: [[Cell]],
      most: Int? = nil,
      note: Text? = nil
    ) {
      (self.title, self.columns, self.rows) = (title, columns, rows)
      (self.most, self.note) = (most, note)
    }
  }

  package struct Column: Sendable {
    package enum Kind: Sendable {
      /// Words, aligned left.
      case text
      /// SQL, a path or an identifier, aligned left; a terminal may show it below its row.
      case code
      /// Numbers, aligned right: integers with commas, other numbers with three significant digits.
      case number
      /// Seconds or bytes; if one unit suits all cells, the heading contains it.
      case seconds, bytes
      /// Fractions, shown as percentages.
      case share
    }

    package var title: String
    package var kind: Kind

    package init(_ title: String, _ kind: Kind = .text) {
      (self.title, self.kind) = (title, kind)
    }

    package var isNumeric: Bool {
      switch kind {
      case .text, .code: false
      case .number, .seconds, .bytes, .share: true
      }
    }
  }

  /// A cell with a number, formatted by its column, or with words.
  package struct Cell: Sendable {
    package enum Value: Sendable {
      case text(Text)
      case number(Double)
    }

    package var value: Value
    package var tone: Tone

    package init(_ value: Value, _ tone: Tone = .plain) {
      (self.value, self.tone) = (value, tone)
    }

    package static func text(_ text: Text, _ tone: Tone = .plain) -> Cell {
      Cell(.text(text), tone)
    }
    package static func text(_ text: String, _ tone: Tone = .plain) -> Cell {
      Cell(.text(Text(text)), tone)
    }

    package static func number(_ value: Double, _ tone: Tone = .plain) -> Cell {
      Cell(.number(value), tone)
    }
    package static func number(_ value: some BinaryInteger) -> Cell { .number(Double(value)) }

    /// A cell with the number, or with words if the number is unknown.
    package static func number(_ value: Double?, or words: Text) -> Cell {
      value.map { .number($0) } ?? .text(words)
    }
    package static func number(_ value: Int?, or words: Text) -> Cell {
      value.map { .number($0) } ?? .text(words)
    }

    package static let empty = Cell.text("")
  }
}

extension Report.Cell: ExpressibleByStringInterpolation {
  package init(stringLiteral text: String) { self.init(.text(Report.Text(text))) }
}

extension Report.Table {
  struct Written {
    var heads: [String]
    var rows: [[(text: Report.Text, tone: Report.Tone)]]
  }

  var written: Written {
    let formats = columns.indices.map { index in
      Format(
        columns[index],
        rows.compactMap { row in
          guard index < row.count, case .number(let value) = row[index].value else { return nil }
          return value
        }
      )
    }
    return Written(
      heads: formats.map(\.head),
      rows: rows.map { row in
        formats.enumerated().map { index, format in
          guard index < row.count else { return ("", .plain) }
          switch row[index].value {
          case .text(let text): return (text, row[index].tone)
          case .number(let value): return (Report.Text(format.text(value)), row[index].tone)
          }
        }
      }
    )
  }

  private struct Format {
    let column: Report.Column
    let scale: Figures.Scale?
    let decimals: Int

    init(_ column: Report.Column, _ values: [Double]) {
      self.column = column
      let finite = values.filter(\.isFinite).map(abs)
      guard !finite.isEmpty else {
        (scale, decimals) = (nil, 0)
        return
      }
      switch column.kind {
      case .seconds: scale = Figures.Scale.common(to: finite, among: Figures.Scale.seconds)
      case .bytes: scale = Figures.Scale.common(to: finite, among: Figures.Scale.bytes)
      case .text, .code, .number, .share: scale = nil
      }
      decimals = scale?.decimals(for: finite) ?? 0
    }

    var head: String { scale.map { "\(column.title) (\($0.name))" } ?? column.title }

    func text(_ value: Double) -> String {
      guard value.isFinite else { return value.isNaN ? "–" : value < 0 ? "−∞" : "∞" }
      if let scale { return scale.text(value, decimals: decimals) }
      switch column.kind {
      case .seconds: return Self.signed(value) { Figures.seconds($0) }
      case .bytes: return Self.signed(value) { Figures.bytes($0) }
      case .share: return Figures.part(value)
      case .text, .code, .number:
        return value.rounded() == value && abs(value) < 1e15
          ? Int(value).grouped : Figures.significant(value)
      }
    }

    private static func signed(_ value: Double, _ text: (Double) -> String) -> String {
      value == 0 ? "0" : (value < 0 ? "-" : "") + text(abs(value))
    }
  }
}
