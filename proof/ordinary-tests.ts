import { FILE_TESTS } from './ordinary-file-tests.ts'
import { STORE_TESTS } from './ordinary-store-tests.ts'
import { WIRE_TESTS } from './ordinary-wire-tests.ts'

/** A promise that is tried by an ordinary test, because it needs neither many processes nor chance. */
export interface OrdinaryTest {
  readonly what: string
  readonly file: string
  /** In brackets at the end of the test's title. */
  readonly id: string
  /** Where the test says how much it tries, if its title does not. */
  readonly count?: string
}

const WAYMARK = 'packages/waymark/test'

/** For the report; a test of the documents checks that each of them is there. */
export const ORDINARY_TESTS: readonly OrdinaryTest[] = [
  ...STORE_TESTS,
  ...WIRE_TESTS,
  ...FILE_TESTS,
  {
    what: 'No address but the sign of life is open without a credential',
    file: `${WAYMARK}/surface/http-strangers.test.ts`,
    id: 'http-strangers-secret-address',
    count: 'toBeGreaterThan(750)',
  },
  {
    what: 'With OAuth neither, but for where to get a token',
    file: `${WAYMARK}/surface/http-strangers.test.ts`,
    id: 'http-strangers-oauth-address',
    count: 'toBeGreaterThan(750)',
  },
  {
    what: 'Every tool asks for its scopes, all at once',
    file: `${WAYMARK}/surface/http-scopes.test.ts`,
    id: 'http-scopes-every-tool',
  },
  {
    what: 'So do resources, subscriptions and prompts, before they begin',
    file: `${WAYMARK}/surface/http-scopes.test.ts`,
    id: 'http-scopes-read-watched',
  },
  {
    what: 'Foreign hosts and origins are refused',
    file: `${WAYMARK}/e2e/http.test.ts`,
    id: 'http-foreign-hosts',
  },
  {
    what: 'A name that leads to this machine by a trick is a foreign one',
    file: `${WAYMARK}/surface/http-strangers.test.ts`,
    id: 'http-strangers-foreign-hosts',
  },
  {
    what: 'What a foreign page could send is refused',
    file: `${WAYMARK}/surface/http-answers.test.ts`,
    id: 'http-answers-body-foreign',
  },
  {
    what: 'A server listens on this machine alone',
    file: `${WAYMARK}/e2e/http-privacy.test.ts`,
    id: 'http-privacy-server-listens',
  },
  {
    what: 'What a server writes is for its owner alone, and holds no secret',
    file: `${WAYMARK}/e2e/http-privacy.test.ts`,
    id: 'http-privacy-owner-alone',
  },
  {
    what: 'Nor does it hold a token',
    file: `${WAYMARK}/e2e/http-privacy.test.ts`,
    id: 'http-privacy-holds-token',
  },
  {
    what: 'An id of another project is like one that nobody has',
    file: `${WAYMARK}/surface/http-projects.test.ts`,
    id: 'http-projects-id-another',
  },
  {
    what: 'A token for one project learns nothing of the others',
    file: `${WAYMARK}/surface/http-projects.test.ts`,
    id: 'http-projects-token-project',
  },
  {
    what: 'Nobody writes under the name of somebody else',
    file: `${WAYMARK}/surface/http-identity.test.ts`,
    id: 'http-identity-taken-somebody',
  },
  {
    what: 'One who floods does not silence the others',
    file: `${WAYMARK}/surface/http-limits.test.ts`,
    id: 'http-limits-agent-floods',
  },
  {
    what: 'No shared cache keeps what is answered',
    file: `${WAYMARK}/surface/http-answers.test.ts`,
    id: 'http-answers-whatever-listed',
  },
  {
    what: 'No browser runs an artifact',
    file: `${WAYMARK}/surface/http-answers.test.ts`,
    id: 'http-answers-browser-runs',
  },
  {
    what: 'The queue is what a simple model says',
    file: `${WAYMARK}/operations/queue-model.test.ts`,
    id: 'queue-model-whatever-done',
    count: "WAYMARK_MODEL_RUNS'] ?? 100",
  },
  {
    what: 'A task that kills its workers is set aside',
    file: `${WAYMARK}/operations/poison-tasks.test.ts`,
    id: 'poison-tasks-worker-killed',
  },
  {
    what: 'What is ready is what the relations say, whatever happens at the same time',
    file: `${WAYMARK}/operations/ready-model.test.ts`,
    id: 'ready-model-whatever-related',
    count: "WAYMARK_READY_RUNS'] ?? 40",
  },
  {
    what: 'Messages arrive once and in order, however often they are sent and acknowledged',
    file: `${WAYMARK}/operations/message-model.test.ts`,
    id: 'message-model-whatever-sent',
    count: "WAYMARK_MESSAGE_RUNS'] ?? 40",
  },
  {
    what: 'A late holder is refused everywhere',
    file: `${WAYMARK}/operations/lease-guards.test.ts`,
    id: 'lease-guards-lost-noticed',
  },
  {
    what: 'Settings of a repository run nothing',
    file: `${WAYMARK}/operations/code/untrusted-repository.test.ts`,
    id: 'untrusted-repository-runs-nothing',
  },
  {
    what: 'Reading a partial clone runs nothing',
    file: `${WAYMARK}/git/partial-clone.test.ts`,
    id: 'partial-clone-settings-name',
  },
  {
    what: 'Notes survive locks, packed refs, garbage collection, rebases and worktrees',
    file: `${WAYMARK}/git/notes-locks.test.ts`,
    id: 'notes-locks-refs-packed',
  },
  {
    what: 'What reaches git as an argument starts no program but git',
    file: `${WAYMARK}/e2e/started-programs.test.ts`,
    id: 'started-programs-whatever-reaches',
  },
  {
    what: 'Options and pathspecs are names',
    file: `${WAYMARK}/operations/code/untrusted-repository.test.ts`,
    id: 'untrusted-repository-looks-like',
  },
  {
    what: 'An installation that is killed can be undone',
    file: `${WAYMARK}/install/safety.test.ts`,
    id: 'safety-killed-any',
  },
  {
    what: 'Stored text does not change what is offered, in any dialect',
    file: `${WAYMARK}/stored-text/static-lists.test.ts`,
    id: 'static-lists-tools-resources',
  },
  {
    what: 'Stored text cannot pass for a line of ours, in any dialect, resource, prompt or command',
    file: `${WAYMARK}/stored-text/forged-lines.test.ts`,
    id: 'forged-lines-injections-none',
    count: "WAYMARK_INJECTIONS'] ?? (isSample ? 60 : 200)",
  },
  {
    what: 'Errors and logs show what they name, on one line and briefly',
    file: `${WAYMARK}/stored-text/errors.test.ts`,
    id: 'errors-visible-line',
  },
  {
    what: 'What nobody sees is shown, and kept as it is',
    file: `${WAYMARK}/stored-text/hidden-characters.test.ts`,
    id: 'hidden-characters-shown-code',
  },
  {
    what: 'SQL and operators of a search are literal in every field that is read',
    file: `${WAYMARK}/stored-text/sql-payloads.test.ts`,
    id: 'sql-payloads-literal-every',
    count: "WAYMARK_PAYLOADS'] ?? 500",
  },
  {
    what: 'Schemas and addresses are never fetched',
    file: `${WAYMARK}/stored-text/inert-data.test.ts`,
    id: 'inert-data-never-fetched',
  },
  {
    what: 'What could name two entities picks neither',
    file: `${WAYMARK}/stored-text/names.test.ts`,
    id: 'names-pick-neither',
  },
  {
    what: 'Nothing is purged that was not confirmed',
    file: `${WAYMARK}/stored-text/deleting.test.ts`,
    id: 'deleting-purges-nothing',
  },
  {
    what: 'What one author did can be taken back, and nothing else',
    file: `${WAYMARK}/operations/history.test.ts`,
    id: 'history-takes-back',
  },
  {
    what: 'Hashes and ids are not taken for secrets',
    file: `${WAYMARK}/domain/secrets/find-secret.test.ts`,
    id: 'find-secret-ten-thousand',
  },
]
