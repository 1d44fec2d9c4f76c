import Basics

struct SectionFinder {
  private let actions: [LogAction]
  /// The first line of each action's open section; 0 if no section is open.
  private var starts: [Int]
  /// The first timestamp in each open section, in microseconds; -1 until a timestamp is read.
  private var clocks: [Int]
  private var found: [[ClosedRange<Int>]]
  private var line = 0
  /// The start of the log's first day, in microseconds.
  private var day: Int?
  private let needsClock: Bool

  init(_ actions: [LogAction]) {
    self.actions = actions
    starts = actions.map { $0.from == nil ? 1 : 0 }
    clocks = actions.map { _ in -1 }
    found = actions.map { _ in [] }
    needsClock = actions.contains { action in
      if action.lasts != nil { return true }
      return [action.from, action.to].contains {
        if case .time = $0 { true } else { false }
      }
    }
  }

  mutating func read(_ bytes: UnsafeRawBufferPointer) {
    line += 1
    let clock = needsClock ? LineHead.time(of: bytes) : nil
    if let clock, day == nil { day = clock - clock % LineHead.dayLength }
    for place in actions.indices {
      let action = actions[place]
      let isEnd = isOpen(place) && ends(place, bytes, clock)
      // A line that ends a section does not start another section, even if it contains the start
      // text.
      let isStart =
        !isEnd
        && action.from.map {
          meets($0, bytes, clock, isFirst: starts[place] == 0 && found[place].isEmpty)
        } ?? false
      if isEnd || (isStart && isOpen(place)) { end(place, at: line - 1) }
      if isStart {
        starts[place] = line
        clocks[place] = clock ?? -1
      }
    }
  }

  private func isOpen(_ place: Int) -> Bool { starts[place] > 0 && starts[place] < line }

  /// Whether an open section ends before a line.
  private mutating func ends(
    _ place: Int,
    _ bytes: UnsafeRawBufferPointer,
    _ clock: Int?
  ) -> Bool {
    if clocks[place] < 0, let clock { clocks[place] = clock }
    if let lasts = actions[place].lasts, let clock,
      Double(clock - clocks[place]) > lasts * 1e6
    {
      return true
    }
    return actions[place].to.map { meets($0, bytes, clock, isFirst: true) } ?? false
  }

  private mutating func end(_ place: Int, at last: Int) {
    found[place].append(starts[place]...max(last, starts[place]))
    starts[place] = 0
  }

  /// Whether a line matches the start or the end of an action.
  ///
  /// A time matches only the first line at or after it, for which the caller sets `isFirst`.
  private func meets(
    _ mark: LogAction.Mark,
    _ bytes: UnsafeRawBufferPointer,
    _ clock: Int?,
    isFirst: Bool
  ) -> Bool {
    switch mark {
    case .line(let text):
      var text = text
      return text.withUTF8 { bytes.contains($0) }
    case .time(let written):
      guard isFirst, let clock, let day, let time = LogAction.Mark.clock(written, day: day) else {
        return false
      }
      return clock >= time
    }
  }

  mutating func finish() -> [[ClosedRange<Int>]] {
    for place in actions.indices where starts[place] > 0 { end(place, at: max(line, 1)) }
    return found
  }
}

extension UnsafeRawBufferPointer {
  fileprivate func contains(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let first = text.first, let base = text.baseAddress, let own = baseAddress else {
      return false
    }
    var start = 0
    while let place = place(of: first, from: start), place + text.count <= count {
      if memcmp(own + place, base, text.count) == 0 { return true }
      start = place + 1
    }
    return false
  }
}
