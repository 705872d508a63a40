import { FILE_TESTS } from './ordinary-file-tests.ts'
import { STORE_TESTS } from './ordinary-store-tests.ts'
import { WIRE_TESTS } from './ordinary-wire-tests.ts'

/** A promise that is tried by an ordinary test of every check, because it needs neither many processes nor chance. */
export interface OrdinaryTest {
  readonly what: string
  readonly file: string
  /** Part of the test's title. */
  readonly title: string
  /** Where the test says how much it tries, if its title does not. */
  readonly count?: string
}

const WAYMARK = 'packages/waymark/test'

/** For the report; a test of the documents checks that each of them is there, in these words. */
export const ORDINARY_TESTS: readonly OrdinaryTest[] = [
  ...STORE_TESTS,
  ...WIRE_TESTS,
  ...FILE_TESTS,
  {
    what: 'No address but the sign of life is open without a credential',
    file: `${WAYMARK}/surface/http-strangers.test.ts`,
    title: 'with a secret, no address answers a stranger but the sign of life',
    count: 'toBeGreaterThan(750)',
  },
  {
    what: 'With OAuth neither, but for where to get a token',
    file: `${WAYMARK}/surface/http-strangers.test.ts`,
    title:
      'with OAuth, no address answers a stranger but the sign of life and where to get a token',
    count: 'toBeGreaterThan(750)',
  },
  {
    what: 'Every tool asks for its scopes, all at once',
    file: `${WAYMARK}/surface/http-scopes.test.ts`,
    title:
      'every tool of every dialect asks for exactly what is declared, whatever else was granted',
  },
  {
    what: 'So do resources, subscriptions and prompts, before they begin',
    file: `${WAYMARK}/surface/http-scopes.test.ts`,
    title: 'what is read, watched and prompted by address or name asks before it begins, once',
  },
  {
    what: 'Foreign hosts and origins are refused',
    file: `${WAYMARK}/e2e/http.test.ts`,
    title: 'foreign hosts and origins are refused everywhere, whatever they know',
  },
  {
    what: 'A name that leads to this machine by a trick is a foreign one',
    file: `${WAYMARK}/surface/http-strangers.test.ts`,
    title: 'foreign hosts get nothing at any address, and a name that leads here by a trick is one',
  },
  {
    what: 'What a foreign page could send is refused',
    file: `${WAYMARK}/surface/http-answers.test.ts`,
    title: 'a body that a foreign page could send without asking is refused, and asking is in vain',
  },
  {
    what: 'A server listens on this machine alone',
    file: `${WAYMARK}/e2e/http-privacy.test.ts`,
    title: 'a server listens on this machine alone, unless it is told otherwise',
  },
  {
    what: 'What a server writes is for its owner alone, and holds no secret',
    file: `${WAYMARK}/e2e/http-privacy.test.ts`,
    title: 'is for its owner alone, however careless the system is, and holds no secret',
  },
  {
    what: 'Nor does it hold a token',
    file: `${WAYMARK}/e2e/http-privacy.test.ts`,
    title: 'holds no token',
  },
  {
    what: 'An id of another project is like one that nobody has',
    file: `${WAYMARK}/surface/http-projects.test.ts`,
    title:
      'an id of another project is like one that nobody has, in every operation and every form',
  },
  {
    what: 'A token for one project learns nothing of the others',
    file: `${WAYMARK}/surface/http-projects.test.ts`,
    title: 'a token for one project learns nothing of the others, not even which there are',
  },
  {
    what: 'Nobody writes under the name of somebody else',
    file: `${WAYMARK}/surface/http-identity.test.ts`,
    title: 'is not taken for somebody else, whatever claims of a name there are',
  },
  {
    what: 'One who floods does not silence the others',
    file: `${WAYMARK}/surface/http-limits.test.ts`,
    title: 'an agent that floods is told to wait, and the other agents with its secret are served',
  },
  {
    what: 'No shared cache keeps what is answered',
    file: `${WAYMARK}/surface/http-answers.test.ts`,
    title: 'whatever is listed, described or read, no cache that several share may keep it',
  },
  {
    what: 'No browser runs an artifact',
    file: `${WAYMARK}/surface/http-answers.test.ts`,
    title: 'no browser runs an artifact, whatever it is, is called or was sent as',
  },
  {
    what: 'The queue is what a simple model says',
    file: `${WAYMARK}/operations/queue-model.test.ts`,
    title: 'whatever is done in whatever order, the queue shows what a simple model shows',
    count: "WAYMARK_MODEL_RUNS'] ?? 100",
  },
  {
    what: 'A task that kills its workers is set aside',
    file: `${WAYMARK}/operations/poison-tasks.test.ts`,
    title:
      'a worker that is killed by its task each time, after it has renewed, gets it three times',
  },
  {
    what: 'What is ready is what the relations say, whatever happens at the same time',
    file: `${WAYMARK}/operations/ready-model.test.ts`,
    title:
      'whatever is related, completed and verified at the same time, ready is what the relations say',
    count: "WAYMARK_READY_RUNS'] ?? 40",
  },
  {
    what: 'Messages arrive once and in order, however often they are sent and acknowledged',
    file: `${WAYMARK}/operations/message-model.test.ts`,
    title:
      'whatever is sent, sent again, read and acknowledged, everybody has it once and in order',
    count: "WAYMARK_MESSAGE_RUNS'] ?? 40",
  },
  {
    what: 'A late holder is refused everywhere',
    file: `${WAYMARK}/operations/lease-guards.test.ts`,
    title: 'whose writes with the old fence are all refused',
  },
  {
    what: 'Settings of a repository run nothing',
    file: `${WAYMARK}/operations/code/untrusted-repository.test.ts`,
    title: 'runs nothing, whatever its settings say',
  },
  {
    what: 'Reading a partial clone runs nothing',
    file: `${WAYMARK}/git/partial-clone.test.ts`,
    title: 'runs nothing when it is read',
  },
  {
    what: 'Notes survive locks, packed refs, garbage collection, rebases and worktrees',
    file: `${WAYMARK}/git/notes-locks.test.ts`,
    title: 'branches are rebased and worktrees come and go, every note is kept',
  },
  {
    what: 'What reaches git as an argument starts no program but git',
    file: `${WAYMARK}/e2e/started-programs.test.ts`,
    title: 'whatever reaches git as an argument starts no program but git, and makes no file',
  },
  {
    what: 'Options and pathspecs are names',
    file: `${WAYMARK}/operations/code/untrusted-repository.test.ts`,
    title: 'what looks like an option or a pathspec is a name like any other',
  },
  {
    what: 'An installation that is killed can be undone',
    file: `${WAYMARK}/install/safety.test.ts`,
    title: 'killed at any moment, leaves the old file or the new one, and can be undone',
  },
  {
    what: 'Stored text does not change what is offered, in any dialect',
    file: `${WAYMARK}/stored-text/static-lists.test.ts`,
    title: 'the same over an empty and a poisoned store, also after a restart',
  },
  {
    what: 'Stored text cannot pass for a line of ours, in any dialect, resource, prompt or command',
    file: `${WAYMARK}/stored-text/forged-lines.test.ts`,
    title: 'injections none becomes a line of ours',
    count: "WAYMARK_INJECTIONS'] ?? 200",
  },
  {
    what: 'Errors and logs show what they name, on one line and briefly',
    file: `${WAYMARK}/stored-text/errors.test.ts`,
    title: 'is visible, on one line and short',
  },
  {
    what: 'What nobody sees is shown, and kept as it is',
    file: `${WAYMARK}/stored-text/hidden-characters.test.ts`,
    title: 'is shown as its code, each of more than 300 characters, and JSON means the same',
  },
  {
    what: 'SQL and operators of a search are literal in every field that is read',
    file: `${WAYMARK}/stored-text/sql-payloads.test.ts`,
    title: 'are literal in every text field of every operation that reads',
    count: "WAYMARK_PAYLOADS'] ?? 500",
  },
  {
    what: 'Schemas and addresses are never fetched',
    file: `${WAYMARK}/stored-text/inert-data.test.ts`,
    title: 'is never fetched and never compiled: schemas of prompts',
  },
  {
    what: 'What could name two entities picks neither',
    file: `${WAYMARK}/stored-text/names.test.ts`,
    title: 'pick neither: reading, deleting and purging name both',
  },
  {
    what: 'Nothing is purged that was not confirmed',
    file: `${WAYMARK}/stored-text/deleting.test.ts`,
    title: 'purges nothing that was not confirmed, whatever else is said',
  },
  {
    what: 'What one author did can be taken back, and nothing else',
    file: `${WAYMARK}/operations/history.test.ts`,
    title: 'takes back one author’s changes since a time, and nobody else’s',
  },
  {
    what: 'Hashes and ids are not taken for secrets',
    file: `${WAYMARK}/domain/secrets/find-secret.test.ts`,
    title: 'ten thousand texts with hashes, ids and talk of secrets raise at most ten false alarms',
  },
]
