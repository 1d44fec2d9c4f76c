// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "OwnKind",
  platforms: [.macOS(.v15)],
  dependencies: [
    // In a package of your own: .package(url: "…/StoreBench", from: "…", traits: [])
    .package(name: "StoreBench", path: "../..", traits: [])
  ],
  targets: [
    .executableTarget(
      name: "OwnKind",
      dependencies: [
        .product(name: "StoreBench", package: "StoreBench"),
        .product(name: "StoreBenchCommand", package: "StoreBench"),
      ]
    )
  ]
)
