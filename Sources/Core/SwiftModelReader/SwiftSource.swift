#if SwiftSource
  import Basics
  import Foundation
  import SwiftModels
  import Synchronization

  /// Reads models from Swift source without compiling or running it.
  package enum SwiftSource {
    /// The stack size in bytes for reading syntax trees, which is recursive.
    private static let stack = 512 << 20

    /// Reads the models of a `.swift` file, or of all files below a folder.
    ///
    /// The notes of the returned family describe the parts that could not be read. Throws a
    /// ``Refusal`` if the path does not exist or contains no Swift file.
    package static func read(path: String) throws -> SwiftModelFamily {
      let folder = try SourceFolder(path: path)
      guard !folder.files.isEmpty else {
        let rest = folder.notes.isEmpty ? "" : " that is searched: \(folder.notes[0].message)"
        throw Refusal.cannotRead(path, reason: "there is no Swift file in it\(rest)")
      }
      return onLargeStack {
        var sources = SourceSet(folder)
        let files = sources.read()
        var family = FamilyReader.read(files)
        family.root = sources.root
        family.notes = (sources.notes + family.notes).sorted {
          ($0.place ?? SourcePlace(file: "", line: 0))
            < ($1.place ?? SourcePlace(file: "", line: 0))
        }
        return family
      }
    }

    /// Reads the models of one file's text; `file` is the file name for locations and notes.
    package static func read(text: String, file: String = "Models.swift") -> SwiftModelFamily {
      read(texts: [file: text])
    }

    /// Reads the models of several files, given as their text by file name.
    package static func read(texts: [String: String]) -> SwiftModelFamily {
      onLargeStack {
        FamilyReader.read(
          texts.sorted { $0.key < $1.key }.map {
            DeclarationReader.read(Array($0.value.utf8), file: $0.key)
          }
        )
      }
    }

    private final class Result: Sendable {
      let family = Mutex<SwiftModelFamily?>(nil)
    }

    private static func onLargeStack(
      _ work: @escaping @Sendable () -> SwiftModelFamily
    ) -> SwiftModelFamily {
      let result = Result()
      let isDone = DispatchSemaphore(value: 0)
      let thread = Thread {
        let family = work()
        result.family.withLock { $0 = family }
        isDone.signal()
      }
      thread.stackSize = stack
      thread.start()
      isDone.wait()
      return result.family.withLock { $0 } ?? read(texts: [:])
    }
  }
#endif
