import Basics
import Foundation
import TestSupport
import Testing

@testable import DataModel

/// A property list with values of every type.
private let everything = PropertyList.dictionary([
  "bool": .boolean(true), "no": .boolean(false), "real": .real(-0.1), "zero": .real(-0.0),
  "date": .date(796_739_400.5), "data": .data((0...255).map { UInt8($0) }),
  "ascii": .string("plain"), "wide": .string("caf\u{e9} \u{1F600}"), "empty": .string(""),
  "long": .string(String(repeating: "a", count: 70_000)),
  "integers": .array(
    [0, 1, 127, 128, 255, 256, 65_535, 65_536, 4_294_967_295, 4_294_967_296, .max, -1, .min]
      .map { .integer($0) }
  ),
  "nested": .array([.array([]), .dictionary([:]), .dictionary(["a": .array([.integer(1)])])]),
  "many": .array((0..<400).map { .integer($0 * 7) }),
])

@Suite struct PropertyListTests {
  @Test func `reads back what it wrote`() throws {
    let bytes = everything.binary()
    #expect(try PropertyList(binary: bytes) == everything)
    #expect(try PropertyList(binary: bytes).binary() == bytes)
    let uids = PropertyList.array([.uid(0), .uid(255), .uid(256), .uid(70_000)])
    #expect(try PropertyList(binary: uids.binary()) == uids)
  }

  @Test func `keeps texts apart that only look the same`() throws {
    let texts = PropertyList.array([.string("\u{e9}"), .string("e\u{301}")])
    let read = try #require(PropertyList(binary: texts.binary()).array)
    #expect(read.map { $0.string?.unicodeScalars.count } == [1, 2])
  }

  @Test func `writes an empty dictionary in the known 42 bytes`() {
    let expected = Array("bplist00".utf8) + [0xd0, 8] + [0, 0, 0, 0, 0, 0, 1, 1]
    #expect(
      PropertyList.dictionary([:]).binary()
        == expected + [0, 0, 0, 0, 0, 0, 0, 1] + [0, 0, 0, 0, 0, 0, 0, 0]
        + [0, 0, 0, 0, 0, 0, 0, 9]
    )
  }

  @Test(.enabled(if: Python.isInstalled, "python3 is not installed"))
  func `writes what Python's plistlib writes`() throws {
    let script = """
      import plistlib, sys
      p = plistlib.loads(sys.stdin.buffer.read())
      sys.stdout.buffer.write(plistlib.dumps(p, fmt=plistlib.FMT_BINARY, sort_keys=True))
      """
    let bytes = everything.binary()
    #expect(try Python.run(script, input: bytes).bytes.elementsEqual(bytes))
  }

  @Test func `refuses every cut and survives every changed byte`() {
    let small = PropertyList.dictionary([
      "a": .array([.integer(1), .string("\u{e9}")]), "b": .data([1]), "c": .real(1), "d": .uid(1),
    ])
    let bytes = small.binary()
    for count in bytes.indices {
      #expect(throws: Refusal.self) {
        try PropertyList(binary: Array(bytes.prefix(count)))
      }
    }
    for index in bytes.indices {
      for value in stride(from: 0, to: UInt8.max, by: 5) {
        var damaged = bytes
        damaged[index] = value
        _ = try? PropertyList(binary: damaged)
      }
    }
  }

  @Test func `refuses what would unfold without end`() {
    // The array contains itself.
    expectFault(.cycle(object: 0), in: archive([[0xa1, 0]]))
    // Each of thirty arrays contains the next array twice.
    let doubling = (0..<30).map { [0xa2, UInt8($0 + 1), UInt8($0 + 1)] } + [[0x08]]
    expectFault(.tooLarge(limit: 1_000_000), in: archive(doubling))
    let chain = (0..<200).map { [0xa1, UInt8($0 + 1)] } + [[0x08]]
    expectFault(.tooDeep(limit: 100), in: archive(chain))
  }

  @Test func `names what is wrong`() {
    expectFault(.notBinary, in: Array("<?xml version=".utf8))
    expectFault(.truncated, in: Array("bplist00".utf8))
    expectFault(.badReference(object: 0), in: archive([[0xa1, 9]]))
    expectFault(.unsupportedObject(marker: 0), in: archive([[0]]))
    expectFault(.badText(object: 0), in: archive([[0x51, 0xff]]))
    expectFault(.badText(object: 0), in: archive([[0x61, 0xd8, 0]]))
    expectFault(.badKey(object: 0), in: archive([[0xd1, 1, 1], [0x08]]))
    expectFault(.badKey(object: 0), in: archive([[0xd2, 1, 1, 1, 1], [0x50]]))
    expectFault(
      .badOffset(object: 0),
      in: archive([[0x4f, 0x13, 0x7f, 255, 255, 255, 255, 255, 255, 255]])
    )
    var bytes = archive([[0x08]])
    bytes[bytes.count - 24 + 0] = 0xff
    expectFault(.trailer, in: bytes)
  }

  private func expectFault(_ fault: PropertyList.Fault, in bytes: [UInt8]) {
    #expect(throws: Refusal.damagedPropertyList(fault)) { try PropertyList(binary: bytes) }
  }

  /// Returns a binary property list of the given objects, of which the first is the top object.
  private func archive(_ objects: [[UInt8]]) -> [UInt8] {
    var bytes = Array("bplist00".utf8)
    var table: [UInt8] = []
    for object in objects {
      table += [UInt8(bytes.count >> 8), UInt8(bytes.count & 255)]
      bytes += object
    }
    let start = bytes.count
    let counts: [UInt8] = [objects.count, 0, start].flatMap { count -> [UInt8] in
      [0, 0, 0, 0, 0, 0, UInt8(count >> 8), UInt8(count & 255)]
    }
    return bytes + table + [0, 0, 0, 0, 0, 0, 2, 1] + counts
  }
}
