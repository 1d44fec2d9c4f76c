import Foundation
import PackagePlugin

/// Runs `swift package storebench …`: builds the package's program that links StoreBenchCommand,
/// for release, and starts it with the arguments.
@main struct RunStoreBench: CommandPlugin {
  func performCommand(context: PluginContext, arguments: [String]) throws {
    var (arguments, options) = (arguments, [String: String]())
    // The plugin's own options come first; all other arguments are passed to the program.
    while arguments.count > 1, ["--product", "--configuration"].contains(arguments[0]) {
      options[arguments[0]] = arguments[1]
      arguments.removeFirst(2)
    }
    let product = try product(named: options["--product"], of: context.package)
    let result = try packageManager.build(
      .product(product),
      parameters: .init(
        configuration: options["--configuration"] == "debug" ? .debug : .release,
        logging: .concise
      )
    )
    guard result.succeeded,
      let program = result.builtArtifacts.first(where: { $0.kind == .executable })
    else { throw Failure(description: "'\(product)' does not build:\n\(result.logText)") }
    let process = Process()
    process.executableURL = program.url
    process.arguments = arguments
    try process.run()
    process.waitUntilExit()
    exit(process.terminationStatus)
  }

  private func product(named name: String?, of package: Package) throws -> String {
    let programs = package.products(ofType: ExecutableProduct.self).filter { product in
      product.targets.contains { target in
        target.recursiveTargetDependencies.contains { $0.name == "StoreBenchCommand" }
      }
    }.map(\.name)
    if let name, programs.contains(name) { return name }
    switch programs.count {
    case 0:
      throw Failure(
        description: "no executable of '\(package.displayName)' links StoreBenchCommand; its "
          + "tutorial shows one: make docs"
      )
    case 1 where name == nil: return programs[0]
    default:
      throw Failure(
        description: "name the program: swift package storebench --product "
          + "\(programs.joined(separator: "|")) …"
      )
    }
  }

  private struct Failure: Error, CustomStringConvertible {
    let description: String
  }
}
