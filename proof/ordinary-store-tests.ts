const WAYMARK = 'packages/waymark/test'

/** What ordinary tests try of the store, its migrations, its repair and the log that clones exchange. */
export const STORE_TESTS = [
  {
    what: 'A full disk is survived',
    file: `${WAYMARK}/store/disk.test.ts`,
    id: 'disk-refuses-write',
  },
  {
    what: 'A migration happens whole or not at all',
    file: `${WAYMARK}/store/migrations.test.ts`,
    id: 'migrations-interrupted-after',
  },
  {
    what: 'A log that is cut anywhere keeps its whole records',
    file: `${WAYMARK}/replica/damage.test.ts`,
    id: 'damage-cut-any',
  },
  {
    what: 'A lost line end costs no record',
    file: `${WAYMARK}/replica/damage.test.ts`,
    id: 'damage-line-ends',
  },
  {
    what: 'Documents that have heard the same say the same',
    file: `${WAYMARK}/replica/document-convergence.test.ts`,
    id: 'document-convergence-documents-heard',
    count: "WAYMARK_DOCUMENT_RUNS'] ?? (isSample ? 20 : 60)",
  },
  {
    what: 'Clones come to the same knowledge',
    file: `${WAYMARK}/replica/convergence.test.ts`,
    id: 'convergence-clones-heard',
    count: "WAYMARK_RUNS'] ?? (isSample ? 3 : 8)",
  },
  {
    what: 'Clones that exchange through a remote come to the same bytes',
    file: `${WAYMARK}/replica/git-convergence.test.ts`,
    id: 'git-convergence-clones-exchange',
    count: "WAYMARK_RUNS'] ?? (isSample ? 1 : 2)",
  },
  {
    what: 'Writers in several processes lose nothing and leave one order',
    file: `${WAYMARK}/store/processes.test.ts`,
    id: 'processes-four-create',
    count: 'WRITES_AT_ONCE = isFullLevel ? 150 : 50',
  },
  {
    what: 'Killed writers lose nothing that was acknowledged',
    file: `${WAYMARK}/store/processes.test.ts`,
    id: 'processes-killed-writers',
    count: 'KILLED_AFTER = isFullLevel ? [1, 7, 20, 45, 80] : [1, 20]',
  },
  {
    what: 'Servers on one store keep everything, in one order',
    file: `${WAYMARK}/e2e/many-processes.test.ts`,
    id: 'many-processes-four-servers',
  },
  {
    what: 'An unsafe SQLite is refused',
    file: 'packages/sqlite/test/driver.test.ts',
    id: 'driver-unsafe-sqlite',
  },
  {
    what: 'Damage is found, and repaired where something else has what was lost',
    file: `${WAYMARK}/install/doctor-damage.test.ts`,
    id: 'doctor-damage-knows-more',
  },
  {
    what: 'Nothing is found wrong with sound stores',
    file: `${WAYMARK}/install/doctor-damage.test.ts`,
    id: 'doctor-damage-checks-find',
    count: "WAYMARK_HEALTHY_STORES'] ?? (isSample ? 2 : 6)",
  },
  {
    what: 'Settings of a repository run nothing when it is synchronised',
    file: `${WAYMARK}/replica/untrusted-remote.test.ts`,
    id: 'untrusted-remote-runs-none',
  },
  {
    what: 'Shallow, bare, partial, SHA-256 and reftable repositories and submodules work',
    file: `${WAYMARK}/replica/kinds-of-repositories.test.ts`,
    id: 'kinds-of-repositories-annotated-synchronised',
  },
  {
    what: 'Emptying the log beside writers harms nothing',
    file: `${WAYMARK}/store/processes.test.ts`,
    id: 'processes-eight-create',
    count: "WAYMARK_CHECKPOINT_WRITES'] ?? 40",
  },
  {
    what: 'A server that is told to end ends its streams',
    file: `${WAYMARK}/e2e/shutdown.test.ts`,
    id: 'shutdown-sigterm-ends',
  },
  {
    what: 'A question about a large graph gives others their turn',
    file: `${WAYMARK}/operations/large-graphs.test.ts`,
    id: 'large-graphs-question-reads',
    count: "WAYMARK_EDGES'] ?? 2_500",
  },
  {
    what: 'Whoever gives up a question about a large graph is heard',
    file: `${WAYMARK}/operations/large-graphs.test.ts`,
    id: 'large-graphs-whoever-gives',
    count: "WAYMARK_EDGES'] ?? 2_500",
  },
  {
    what: 'No answer needs the memory for a thousand of the largest entities',
    file: `${WAYMARK}/operations/large-answers.test.ts`,
    id: 'large-answers-ends-page',
  },
  {
    what: 'A change that takes too long leaves nothing half done',
    file: `${WAYMARK}/operations/timeouts.test.ts`,
    id: 'timeouts-change-stopped',
    count: "WAYMARK_TIMEOUTS'] ?? 36",
  },
]
