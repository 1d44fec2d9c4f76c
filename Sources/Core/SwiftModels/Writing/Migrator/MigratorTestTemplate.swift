extension MigratorTemplate {
  static let tests = #"""
    import CoreData
    import Foundation
    import SwiftData
    import XCTest

    // If this file is in a test target, add an `@testable import` of the app here.

    /// Tests the migrator with a store from the test bundle, and with a copy that is interrupted.
    ///
    /// Add the store (with its -wal file) to the bundle as `Old.sqlite`, and its compiled model as
    /// `Old.momd`. ``testCopies()`` prints a header and a line in CSV format. If they come from a
    /// release build on a device, `storebench forecast --observed` can read them.
    final class StoreMigratorTests: XCTestCase {
      private func migrator(in folder: URL) throws -> StoreMigrator {
        let bundle = Bundle(for: Self.self)
        let store = try XCTUnwrap(bundle.url(forResource: "Old", withExtension: "sqlite"))
        let compiled = try XCTUnwrap(bundle.url(forResource: "Old", withExtension: "momd"))
        let old = folder.appendingPathComponent("Old.sqlite")
        for suffix in ["", "-wal"] {
          let source = URL(fileURLWithPath: store.path + suffix)
          let copy = URL(fileURLWithPath: old.path + suffix)
          let files = FileManager.default
          guard files.fileExists(atPath: source.path), !files.fileExists(atPath: copy.path) else {
            continue
          }
          try files.copyItem(at: source, to: copy)
        }
        return try StoreMigrator(
          oldStore: old,
          model: try XCTUnwrap(NSManagedObjectModel(contentsOf: compiled)),
          newStore: folder.appendingPathComponent("New.store")
        )
      }

      private func folder() throws -> URL {
        let folder = FileManager.default.temporaryDirectory
          .appendingPathComponent("migrator-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        addTeardownBlock { try? FileManager.default.removeItem(at: folder) }
        return folder
      }

      /// Tests a complete copy, and prints its duration and peak memory as a line of CSV.
      func testCopies() throws {
        let folder = try folder()
        let migrator = try migrator(in: folder)
        let start = DispatchTime.now().uptimeNanoseconds
        let report = try migrator.run()
        let seconds = Double(DispatchTime.now().uptimeNanoseconds - start) / 1e9
        XCTAssertFalse(report.newObjects.isEmpty)
        let path = folder.appendingPathComponent("Old.sqlite").path
        let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? NSNumber
        print("duration_seconds,objects,device,work,case,strategy,bytes,peak_memory_bytes")
        print(
          "\(seconds),\(report.oldObjects),\"\(Self.device)\",migration,copy,sideBySide,"
            + "\(size?.int64Value ?? 0),\(Self.peakMemory)"
        )
      }

      /// Tests that a copy interrupted after a batch resumes at the next launch, with the same
      /// result.
      func testGoesOnAfterAKill() throws {
        struct Kill: Error {}
        let whole = try migrator(in: try folder()).run()
        let place = try folder()
        let killed = try migrator(in: place)
        killed.batchSize = 10
        killed.afterBatch = { count in if count >= 20 { throw Kill() } }
        do { _ = try killed.run() } catch is Kill {}
        let again = try migrator(in: place).run()
        XCTAssertEqual(again.newObjects, whole.newObjects)
      }

      private static var device: String {
        var info = utsname()
        uname(&info)
        return withUnsafeBytes(of: &info.machine) { bytes in
          String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
      }

      /// The peak memory of the process until now, in bytes.
      private static var peakMemory: Int {
        var usage = rusage()
        #if canImport(Darwin)
          getrusage(RUSAGE_SELF, &usage)
          return usage.ru_maxrss
        #else
          return Int(usage.ru_maxrss) * 1024
        #endif
      }
    }

    """#
}
