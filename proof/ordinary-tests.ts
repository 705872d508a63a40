import { FILE_TESTS } from './ordinary-file-tests.ts'
import { STORE_TESTS } from './ordinary-store-tests.ts'

/** A promise that is tried by an ordinary test of every check, because it needs neither many processes nor chance. */
export interface OrdinaryTest {
  readonly what: string
  readonly file: string
  /** Part of the test's title. */
  readonly title: string
  /** Where the test says how much it tries, if its title does not. */
  readonly count?: string
}

const BATON = 'packages/baton/test'
const WAYMARK = 'packages/waymark/test'

/** For the report; a test of the documents checks that each of them is there, in these words. */
export const ORDINARY_TESTS: readonly OrdinaryTest[] = [
  ...STORE_TESTS,
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
    what: 'A refusal says where to get a token, and no more',
    file: `${BATON}/auth/challenges.test.ts`,
    title: 'a request without credentials is told where to get them, and of no error',
  },
  {
    what: 'Only the exact audience passes',
    file: `${BATON}/auth/access-token.test.ts`,
    title: 'only the exact audience passes',
  },
  {
    what: 'Forged and foreign keys are refused',
    file: `${BATON}/auth/access-token.test.ts`,
    title: 'tokens under a forged or foreign key are refused',
  },
  {
    what: 'No header makes a token good that the issuer would not have signed so',
    file: `${BATON}/auth/forged-tokens.test.ts`,
    title: 'no token passes whose header names another key, algorithm or form than the issuer uses',
  },
  {
    what: 'Times of tokens are exact',
    file: `${BATON}/auth/access-token.test.ts`,
    title: 'times are exact to the second, with a leeway of thirty',
  },
  {
    what: 'Other tokens of the same issuer are refused',
    file: `${BATON}/auth/access-token.test.ts`,
    title: 'other kinds of tokens from the same issuer are refused',
  },
  {
    what: 'No changed token is accepted',
    file: `${BATON}/auth/token-mutation.test.ts`,
    title: 'changed tokens none is accepted',
    count: 'MUTATIONS = 20_000',
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
    what: 'Unknown key ids do not make a flood of requests',
    file: `${BATON}/auth/key-rotation.test.ts`,
    title: '10,000 unknown key ids make one fetch in each cooldown',
  },
  {
    what: 'A dead issuer is never taken for a bad token',
    file: `${BATON}/auth/issuer-faults.test.ts`,
    title: 'a dead issuer is not noticed while the keys are fresh, and is never a 401',
  },
  {
    what: 'No redirect of an issuer is followed',
    file: `${BATON}/auth/issuer-faults.test.ts`,
    title: 'a redirect is not followed, though what it leads to would do',
  },
  {
    what: 'A stream ends with the token that opened it',
    file: `${BATON}/http/expiry.test.ts`,
    title: 'every kind of stream that it opened ends in that moment',
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
    what: 'Tasks and subscriptions belong to whoever began them',
    file: `${BATON}/http/foreign-handles.test.ts`,
    title: 'a task is none of anybody else, whatever is asked of it',
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
    what: 'Clients with the same request ids see no byte of each other, over HTTP',
    file: `${BATON}/http/isolation.test.ts`,
    title: 'in sessions see no foreign byte',
    count: 'CLIENTS = 64',
  },
  {
    what: 'Clients with the same request ids see no byte of each other, over pipes',
    file: `${BATON}/load.test.ts`,
    title: '64 clients of both eras with equal ids see no byte of each other in 200,000 answers',
  },
  {
    what: 'Ids of sessions and tasks cannot be guessed',
    file: `${BATON}/session/random-id.test.ts`,
    title:
      'of 1,000,000 ids of sessions and tasks none repeats and every byte value is equally common',
  },
  {
    what: 'Streams survive kills and lost connections',
    file: `${BATON}/http/restart.test.ts`,
    title: 'reconnects lose and double none of',
    count: 'EVENTS = 100_000',
  },
  {
    what: 'A session belongs to whoever opened it',
    file: `${BATON}/http/access.test.ts`,
    title: 'a session of somebody else is not found, whatever is asked of it',
  },
  {
    what: 'Malformed frames are answered',
    file: `${BATON}/malformed-frames.test.ts`,
    title: 'there are more malformed frames than the twenty-nine that are asked for',
  },
  {
    what: 'A message that is cut anywhere is refused',
    file: `${BATON}/malformed-frames.test.ts`,
    title: 'a message cut at any byte is refused, and only the whole one is served',
  },
  {
    what: 'Random frames neither end nor silence a server',
    file: `${BATON}/fuzz.test.ts`,
    title: '200,000 fuzzed frames: none unanswered, none answered twice, none fatal',
  },
  {
    what: 'Random bodies neither end nor silence a server, over HTTP',
    file: `${BATON}/fuzz.test.ts`,
    title: '20,000 fuzzed bodies over HTTP: each is answered under its own id, and none is fatal',
  },
  {
    what: 'Frames without an end are cut off',
    file: `${BATON}/sizes.test.ts`,
    title: '1 GB without a newline is answered once and not kept',
  },
  {
    what: 'Messages are bounded by size and by members',
    file: `${BATON}/sizes.test.ts`,
    title: '100,000 members and 100,000 items are served, a million members are not',
  },
  {
    what: 'Names that reach a prototype are refused',
    file: `${BATON}/sizes.test.ts`,
    title: 'is refused at every level',
  },
  {
    what: 'Text comes back as it was',
    file: `${BATON}/strings.test.ts`,
    title: '100,000 strings come back unaltered, wherever their bytes are split',
  },
  {
    what: 'What is not UTF-8 is refused',
    file: `${BATON}/strings.test.ts`,
    title: 'two bytes in a string are refused or come back, as the standard decoder says',
    count: 'SECOND_BYTES = isFullLevel ? 256 : 40',
  },
  {
    what: 'The eras of the protocol are kept apart',
    file: `${BATON}/http/era-mix-ups.test.ts`,
    title: 'there are at least the 24 mix-ups that are asked for',
  },
  {
    what: 'A changed request state is refused',
    file: `${BATON}/request-state.test.ts`,
    title: 'is accepted in which one bit was turned',
  },
  {
    what: 'Progress has a limit',
    file: `${BATON}/messages.test.ts`,
    title: 'a flood of last reports is a flood all the same',
  },
  {
    what: 'Half requests keep nobody out',
    file: `${BATON}/http/slow-clients.test.ts`,
    title: '500 connections that send half of a request do not keep others from being served',
  },
  {
    what: 'Pipelined requests are answered once each, over HTTP',
    file: `${BATON}/http/pipelining.test.ts`,
    title:
      '10,000 requests that do not wait for answers, over 1 to 16 connections, are answered once each',
  },
  {
    what: 'Cancelling leaves nothing behind, over HTTP',
    file: `${BATON}/http/cancellation.test.ts`,
    title: 'races in each era ends in at most one answer, and leaves nothing behind',
    count: 'RACES = 500',
  },
  {
    what: 'Pipelined requests are answered once each',
    file: `${BATON}/load.test.ts`,
    title: '10,000 pipelined requests are answered once each',
  },
  {
    what: 'Cancelling leaves nothing behind',
    file: `${BATON}/load.test.ts`,
    title: '1,000 races between answer and cancellation end in at most one answer and no work left',
  },
  {
    what: 'Line breaks in a text do not break a frame, on a pipe',
    file: `${BATON}/framing.test.ts`,
    title: '50,000 messages full of line breaks are one line each on a pipe',
  },
  {
    what: 'Line breaks in a text do not break a frame, in a stream',
    file: `${BATON}/framing.test.ts`,
    title: '50,000 messages full of line breaks are one event each in a stream',
  },
  {
    what: 'A bad network makes no wrong result',
    file: `${BATON}/http/chaos.test.ts`,
    title:
      'calls through a network that splits, delays and breaks connections none gets a wrong result',
    count: 'CALLS = isFullLevel ? 10_000 : 400',
  },
  {
    what: 'Many subscriptions are bounded',
    file: `${BATON}/http/abuse.test.ts`,
    title: 'is asked for 1,000 subscriptions at once, each of which hears of a change',
  },
  {
    what: 'Packed bodies are not unpacked',
    file: `${BATON}/http/abuse.test.ts`,
    title: 'gets a small body that would be 256 MiB when unpacked',
  },
  {
    what: 'Standard output stays pure when the process crashes',
    file: `${BATON}/stdio-process.test.ts`,
    title: 'leaves nothing else on standard output',
  },
  {
    what: 'Standard output is protocol only',
    file: `${BATON}/stdio-process.test.ts`,
    title: 'standard output carries nothing but the protocol',
  },
  {
    what: 'Readers that do not read cost little',
    file: `${BATON}/http/unread-streams.test.ts`,
    title: 'readers that never read are cut off, cost little, and others are served',
    count: 'READERS = isFullLevel ? 64 : 16',
  },
  {
    what: 'Sessions that are opened and left cost little',
    file: `${BATON}/http/abandoned-sessions.test.ts`,
    title:
      'sessions that are opened and left cost little, are turned away at the limit, and harm no other',
    count: 'ABANDONED = isFullLevel ? 100_000 : 2_000',
  },
  {
    what: 'The queue is what a simple model says',
    file: `${WAYMARK}/operations/queue-model.test.ts`,
    title: 'whatever is done in whatever order, the queue shows what a simple model shows',
    count: "WAYMARK_MODEL_RUNS'] ?? 2000",
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
    count: "WAYMARK_INJECTIONS'] ?? 240",
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
