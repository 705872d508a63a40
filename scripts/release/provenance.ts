/** A file of the release, and its digest. */
export interface Subject {
  readonly name: string
  readonly sha256: string
}

export interface Build {
  /** The commit that was built. */
  readonly commit: string
  /** Where that commit can be fetched from; empty when the clone has no remote. */
  readonly repository: string
  readonly node: string
  readonly npm: string
  /** The machine or service that built it, as a URI. */
  readonly builder: string
  /** The working tree was not the commit. */
  readonly hasChanges: boolean
}

/**
 * Says what was built from which commit, as an in-toto statement with a SLSA provenance predicate. Unsigned: the
 * registry's own attestation (`npm publish --provenance`) is signed by the machine that builds.
 */
export function toProvenance(subjects: readonly Subject[], build: Build): string {
  const source = build.repository === '' ? 'git' : `git+${build.repository}`
  const statement = {
    _type: 'https://in-toto.io/Statement/v1',
    subject: subjects.map(({ name, sha256 }) => ({ name, digest: { sha256 } })),
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: {
      buildDefinition: {
        buildType: 'urn:waymark:build:npm-pack:1',
        externalParameters: { command: 'npm ci && npm run release', hasChanges: build.hasChanges },
        internalParameters: { node: build.node, npm: build.npm },
        resolvedDependencies: [{ uri: source, digest: { gitCommit: build.commit } }],
      },
      runDetails: { builder: { id: build.builder } },
    },
  }
  return `${JSON.stringify(statement, undefined, 2)}\n`
}
