const WAYMARK = 'packages/waymark/test'

/** What ordinary tests try of the store, its migrations, its repair and the log that clones exchange. */
export const STORE_TESTS = [
  {
    what: 'A full disk is survived',
    file: `${WAYMARK}/store/disk.test.ts`,
    title: 'refuses the write, keeps the rest, and recovers',
  },
  {
    what: 'A migration happens whole or not at all',
    file: `${WAYMARK}/store/migrations.test.ts`,
    title:
      'interrupted after every statement leave one version or the next, with everything that was in it',
  },
  {
    what: 'A log that is cut anywhere keeps its whole records',
    file: `${WAYMARK}/replica/damage.test.ts`,
    title: 'cut at any byte keeps every line that is whole and says that something is missing',
  },
  {
    what: 'A lost line end costs no record',
    file: `${WAYMARK}/replica/damage.test.ts`,
    title:
      'whose line ends are lost keeps every record, and one that was cut off takes no other with it',
  },
  {
    what: 'Documents that have heard the same say the same',
    file: `${WAYMARK}/replica/document-convergence.test.ts`,
    title: 'documents that have heard the same say the same, in whatever order they heard it',
    count: "WAYMARK_DOCUMENT_RUNS'] ?? 60",
  },
  {
    what: 'Clones come to the same knowledge',
    file: `${WAYMARK}/replica/convergence.test.ts`,
    title: 'clones that have heard everything know the same, in whatever order',
    count: "WAYMARK_RUNS'] ?? 8",
  },
  {
    what: 'Clones that exchange through a remote come to the same bytes',
    file: `${WAYMARK}/replica/git-convergence.test.ts`,
    title: 'clones that exchange through a bare repository converge to the same bytes',
    count: "WAYMARK_RUNS'] ?? 2",
  },
  {
    what: 'Writers in several processes lose nothing and leave one order',
    file: `${WAYMARK}/store/processes.test.ts`,
    title: 'four that create at once lose nothing and leave one order without gaps',
    count: 'WRITES_AT_ONCE = isFullLevel ? 150 : 50',
  },
  {
    what: 'Killed writers lose nothing that was acknowledged',
    file: `${WAYMARK}/store/processes.test.ts`,
    title: 'killed writers lose nothing that was acknowledged',
    count: 'KILLED_AFTER = isFullLevel ? [1, 7, 20, 45, 80] : [1, 20]',
  },
  {
    what: 'Servers on one store keep everything, in one order',
    file: `${WAYMARK}/e2e/many-processes.test.ts`,
    title: 'every acknowledged entity is there, in one gap-free order of events',
  },
  {
    what: 'An unsafe SQLite is refused',
    file: 'packages/sqlite/test/driver.test.ts',
    title: 'an unsafe SQLite is closed again and refused, with the version that is needed',
  },
  {
    what: 'Damage is found, and repaired where something else has what was lost',
    file: `${WAYMARK}/install/doctor-damage.test.ts`,
    title:
      'knows more than thirty kinds of damage, and finds none in the store that they are tried on',
  },
  {
    what: 'Nothing is found wrong with sound stores',
    file: `${WAYMARK}/install/doctor-damage.test.ts`,
    title: 'the checks find nothing in stores that were used in whatever way',
    count: "WAYMARK_HEALTHY_STORES'] ?? 6",
  },
  {
    what: 'Settings of a repository run nothing when it is synchronised',
    file: `${WAYMARK}/replica/untrusted-remote.test.ts`,
    title:
      'runs none of its programs, and the settings that were ignored are named with both remedies',
  },
  {
    what: 'Shallow, bare, partial, SHA-256 and reftable repositories and submodules work',
    file: `${WAYMARK}/replica/kinds-of-repositories.test.ts`,
    title: 'can be annotated and synchronised',
  },
  {
    what: 'Emptying the log beside writers harms nothing',
    file: `${WAYMARK}/store/processes.test.ts`,
    title: 'eight that create while others empty the log lose nothing and leave the database whole',
    count: "WAYMARK_CHECKPOINT_WRITES'] ?? 40",
  },
  {
    what: 'A server that is told to end ends its streams',
    file: `${WAYMARK}/e2e/shutdown.test.ts`,
    title: 'SIGTERM ends an open event stream as streams end, with whole events',
  },
  {
    what: 'A question about a large graph gives others their turn',
    file: `${WAYMARK}/operations/large-graphs.test.ts`,
    title: 'no question reads more than a page at once',
    count: "WAYMARK_EDGES'] ?? 2_500",
  },
  {
    what: 'Whoever gives up a question about a large graph is heard',
    file: `${WAYMARK}/operations/large-graphs.test.ts`,
    title: 'whoever gives up is heard between two pages',
    count: "WAYMARK_EDGES'] ?? 2_500",
  },
  {
    what: 'No answer needs the memory for a thousand of the largest entities',
    file: `${WAYMARK}/operations/large-answers.test.ts`,
    title: 'ends a page where it would get too large, and goes on there',
  },
  {
    what: 'A change that takes too long leaves nothing half done',
    file: `${WAYMARK}/operations/timeouts.test.ts`,
    title:
      'a change that is stopped at any moment leaves nothing half done, and the store at once usable',
    count: "WAYMARK_TIMEOUTS'] ?? 36",
  },
]
