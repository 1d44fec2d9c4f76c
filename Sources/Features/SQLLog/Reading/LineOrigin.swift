/// The origin of a line according to its prefix: the process, the thread, and the category.
///
/// Lines show `App[65858:2586192]` (NSLog, Xcode, `log --style compact`), `App[93]` (syslog), or
/// columns (`log show`, Console). A line without a timestamp has no origin.
struct LineOrigin {
  private(set) var process = 0
  /// The thread's number, as in ``LineHead/thread``.
  private(set) var thread = 0
  /// The time, as returned by ``LineHead/time(of:)``; -1 if the line has no origin.
  private(set) var clock = -1
  /// The index after the timestamp and the process; 0 if the line has no origin.
  private(set) var end = 0
  /// The index of the text after the origin and the category; 0 if the line has no origin.
  private(set) var text = 0
  private var category: Range<Int>?

  /// Reads the origin in the bytes before an index.
  init(of line: UnsafeRawBufferPointer, before limit: Int) {
    guard let time = LineHead.timestamp(of: line), time.range.upperBound < limit else { return }
    (end, clock) = (time.range.upperBound, time.clock)
    readProcess(of: line, from: Self.afterSpaces(in: line, from: end), before: limit)
    readCategory(of: line, before: limit)
  }

  private mutating func readProcess(
    of line: UnsafeRawBufferPointer,
    from start: Int,
    before limit: Int
  ) {
    if line.has("0x", at: start) {
      thread = Self.hexadecimal(in: line, from: start + 2)
      // The columns of `log show`: thread, type, activity, process, time to live, name.
      var column = start
      for _ in 0..<3 {
        while column < limit, line[column] != 32 { column += 1 }
        column = Self.afterSpaces(in: line, from: column)
      }
      process = line.number(at: column)?.value ?? 0
      end = line.place(of: ": ", from: column, before: limit).map { $0 + 2 } ?? end
      return
    }
    if line.has("\t", at: start) {
      if let tab = line.place(of: 9, from: start + 1), tab < limit { end = tab + 1 }
      return
    }
    var next = start
    while let bracket = line.place(of: 91, from: next), bracket < limit {
      next = bracket + 1
      // A number without a thread is a process ID only directly after a name.
      guard let (number, after) = line.number(at: next), after < limit,
        line[after] == 58 || (line[after] == 93 && line[bracket - 1] > 32),
        let close = line.place(of: 93, from: after), close < limit
      else { continue }
      process = number
      if line[after] == 58 { thread = Self.hexadecimal(in: line, from: after + 1) }
      end = close + 1
      return
    }
  }

  /// Reads the optional fields after the process: `: (Library) <Level>: [category] `.
  private mutating func readCategory(of line: UnsafeRawBufferPointer, before limit: Int) {
    text = end
    while text < limit, line[text] == 32 || line[text] == 58 { text += 1 }
    if line.has("(", at: text), let close = line.place(of: ") ", from: text, before: limit) {
      text = close + 2
    }
    if line.has("<", at: text), let close = line.place(of: ">: ", from: text, before: limit) {
      text = close + 3
    }
    if line.has("[", at: text), let close = line.place(of: "] ", from: text, before: limit) {
      category = text + 1..<close
      text = Self.afterSpaces(in: line, from: close + 2)
    }
  }

  /// Whether Core Data wrote a line whose level starts at an index, according to the category.
  ///
  /// `nil` if the line shows no process or no category.
  func isFrameworks(_ line: UnsafeRawBufferPointer, level: Int) -> Bool? {
    guard process > 0, let category else { return nil }
    if line.has("com.apple.coredata", at: category.lowerBound) { return true }
    if line.has("CoreData: ", at: text) || line.has("Core Data: ", at: text) { return true }
    // Xcode shows Core Data's categories, which are names of levels, without the subsystem.
    return text == level && LineHead.Level(rawValue: line.part(category).text) != nil
  }

  private static func afterSpaces(in line: UnsafeRawBufferPointer, from start: Int) -> Int {
    var place = start
    while place < line.count, line[place] == 32 { place += 1 }
    return place
  }

  private static func hexadecimal(in line: UnsafeRawBufferPointer, from start: Int) -> Int {
    var (value, place) = (0, start)
    while place < line.count, place < start + 15 {
      switch line[place] {
      case 48...57: value = value << 4 | Int(line[place] - 48)
      case 97...102: value = value << 4 | Int(line[place] - 87)
      case 65...70: value = value << 4 | Int(line[place] - 55)
      default: return value
      }
      place += 1
    }
    return value
  }
}

extension LineHead {
  /// The timestamp at the start of a line.
  struct Timestamp: Equatable {
    /// The time in microseconds since an arbitrary day.
    var clock: Int
    /// The range of the date and the time, or of the time alone if the date has no year.
    var range: Range<Int>
  }

  /// Returns a line's timestamp in microseconds since an arbitrary day; `nil` if the line has no
  /// timestamp.
  static func time(of line: UnsafeRawBufferPointer) -> Int? { timestamp(of: line)?.clock }

  static func timestamp(of line: UnsafeRawBufferPointer) -> Timestamp? {
    guard let (day, start, hour) = date(of: line) ?? shortDate(of: line),
      let (time, end) = timeOfDay(in: line, at: hour)
    else { return nil }
    return Timestamp(clock: day * dayLength + time, range: start..<end)
  }

  /// The microseconds of a day.
  static let dayLength = 86_400_000_000

  /// Returns the day of a date such as `2014-07-30`, and the indexes of the date and of the hour
  /// after it.
  private static func date(
    of line: UnsafeRawBufferPointer
  ) -> (day: Int, start: Int, hour: Int)? {
    guard line.count > 18, isDigit(line[0]), line[4] == 45, line[7] == 45,
      let year = line.number(at: 0)?.value, let month = line.number(at: 5)?.value,
      let day = line.number(at: 8)?.value, year < 10_000, month < 13, day < 32
    else { return nil }
    // Start the year in March, so that the leap day is its last day.
    let (y, m) = month > 2 ? (year, month - 3) : (year - 1, month + 9)
    let days = 365 * y + y / 4 - y / 100 + y / 400 + (153 * m + 2) / 5 + day
    return (days, 0, 11)
  }

  /// Returns the day and the indexes of the timestamp and of the hour for a line without a year.
  ///
  /// The time is at the start, follows a word and a tab (Console), or follows a month and a day
  /// (`Aug 16`, syslog).
  private static func shortDate(
    of line: UnsafeRawBufferPointer
  ) -> (day: Int, start: Int, hour: Int)? {
    guard let first = line.first else { return nil }
    if isDigit(first) { return (0, 0, 0) }
    var place = 0
    while place < line.count, place < 24, line[place] != 32, line[place] != 9 { place += 1 }
    if line.has("\t", at: place) { return (0, place + 1, place + 1) }
    while place < line.count, line[place] == 32 { place += 1 }
    guard let (day, end) = line.number(at: place), day < 32, line.has(" ", at: end) else {
      return nil
    }
    return (day, end + 1, end + 1)
  }

  /// Returns the microseconds of a time such as `11:45:15.647+0200`, and the index after it.
  private static func timeOfDay(
    in line: UnsafeRawBufferPointer,
    at start: Int
  ) -> (time: Int, end: Int)? {
    guard start + 8 <= line.count, line[start + 2] == 58, line[start + 5] == 58,
      let hour = line.number(at: start)?.value, let minute = line.number(at: start + 3)?.value,
      let second = line.number(at: start + 6), hour < 25, minute < 61, second.value < 62
    else { return nil }
    var (fraction, unit, end) = (0, 100_000, second.end)
    if line.has(".", at: end) || line.has(",", at: end) {
      end += 1
      while end < line.count, isDigit(line[end]) {
        fraction += Int(line[end] - 48) * unit
        (unit, end) = (unit / 10, end + 1)
      }
    }
    if line.has("+", at: end) || line.has("-", at: end), let zone = line.number(at: end + 1) {
      end = zone.end
    }
    let seconds = (hour * 60 + minute) * 60 + second.value
    return (seconds * 1_000_000 + fraction, end)
  }
}
