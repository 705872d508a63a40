const BATON = 'packages/baton/test'

/** What the tests of the protocol, of its transports and of whom they let in try. */
export const WIRE_TESTS = [
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
    file: `${BATON}/http/sessions/expiry.test.ts`,
    title: 'every kind of stream that it opened ends in that moment',
  },
  {
    what: 'Tasks and subscriptions belong to whoever began them',
    file: `${BATON}/http/sessions/foreign-handles.test.ts`,
    title: 'a task is none of anybody else, whatever is asked of it',
  },
  {
    what: 'Clients with the same request ids see no byte of each other, over HTTP',
    file: `${BATON}/http/sessions/isolation.test.ts`,
    title: 'in sessions see no foreign byte',
    count: 'CLIENTS = 64',
  },
  {
    what: 'Clients with the same request ids see no byte of each other, over pipes',
    file: `${BATON}/stdio/load.test.ts`,
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
    file: `${BATON}/http/sessions/restart.test.ts`,
    title: 'reconnects lose and double none of',
    count: 'EVENTS = 100_000',
  },
  {
    what: 'A session belongs to whoever opened it',
    file: `${BATON}/http/app/access.test.ts`,
    title: 'a session of somebody else is not found, whatever is asked of it',
  },
  {
    what: 'Malformed frames are answered',
    file: `${BATON}/wire/malformed-frames.test.ts`,
    title: 'there are more malformed frames than the twenty-nine that are asked for',
  },
  {
    what: 'A message that is cut anywhere is refused',
    file: `${BATON}/wire/malformed-frames.test.ts`,
    title: 'a message cut at any byte is refused, and only the whole one is served',
  },
  {
    what: 'Random frames neither end nor silence a server',
    file: `${BATON}/wire/fuzz.test.ts`,
    title: '200,000 fuzzed frames: none unanswered, none answered twice, none fatal',
  },
  {
    what: 'Random bodies neither end nor silence a server, over HTTP',
    file: `${BATON}/wire/fuzz.test.ts`,
    title: '20,000 fuzzed bodies over HTTP: each is answered under its own id, and none is fatal',
  },
  {
    what: 'Frames without an end are cut off',
    file: `${BATON}/wire/sizes.test.ts`,
    title: '1 GB without a newline is answered once and not kept',
  },
  {
    what: 'Messages are bounded by size and by members',
    file: `${BATON}/wire/sizes.test.ts`,
    title: '100,000 members and 100,000 items are served, a million members are not',
  },
  {
    what: 'Names that reach a prototype are refused',
    file: `${BATON}/wire/sizes.test.ts`,
    title: 'is refused at every level',
  },
  {
    what: 'Text comes back as it was',
    file: `${BATON}/wire/strings.test.ts`,
    title: '100,000 strings come back unaltered, wherever their bytes are split',
  },
  {
    what: 'What is not UTF-8 is refused',
    file: `${BATON}/wire/strings.test.ts`,
    title: 'two bytes in a string are refused or come back, as the standard decoder says',
    count: 'SECOND_BYTES = isFullLevel ? 256 : 40',
  },
  {
    what: 'The eras of the protocol are kept apart',
    file: `${BATON}/http/requests/era-mix-ups.test.ts`,
    title: 'there are at least the 24 mix-ups that are asked for',
  },
  {
    what: 'A changed request state is refused',
    file: `${BATON}/server/request-state.test.ts`,
    title: 'is accepted in which one bit was turned',
  },
  {
    what: 'Progress has a limit',
    file: `${BATON}/wire/messages.test.ts`,
    title: 'a flood of last reports is a flood all the same',
  },
  {
    what: 'Half requests keep nobody out',
    file: `${BATON}/http/abuse/slow-clients.test.ts`,
    title: '500 connections that send half of a request do not keep others from being served',
  },
  {
    what: 'Pipelined requests are answered once each, over HTTP',
    file: `${BATON}/http/requests/pipelining.test.ts`,
    title:
      '10,000 requests that do not wait for answers, over 1 to 16 connections, are answered once each',
  },
  {
    what: 'Cancelling leaves nothing behind, over HTTP',
    file: `${BATON}/http/requests/cancellation.test.ts`,
    title: 'races in each era ends in at most one answer, and leaves nothing behind',
    count: 'RACES = 500',
  },
  {
    what: 'Pipelined requests are answered once each',
    file: `${BATON}/stdio/load.test.ts`,
    title: '10,000 pipelined requests are answered once each',
  },
  {
    what: 'Cancelling leaves nothing behind',
    file: `${BATON}/stdio/load.test.ts`,
    title: '1,000 races between answer and cancellation end in at most one answer and no work left',
  },
  {
    what: 'Line breaks in a text do not break a frame, on a pipe',
    file: `${BATON}/wire/framing.test.ts`,
    title: '50,000 messages full of line breaks are one line each on a pipe',
  },
  {
    what: 'Line breaks in a text do not break a frame, in a stream',
    file: `${BATON}/wire/framing.test.ts`,
    title: '50,000 messages full of line breaks are one event each in a stream',
  },
  {
    what: 'A bad network makes no wrong result',
    file: `${BATON}/http/abuse/chaos.test.ts`,
    title:
      'calls through a network that splits, delays and breaks connections none gets a wrong result',
    count: 'CALLS = isFullLevel ? 10_000 : 400',
  },
  {
    what: 'Many subscriptions are bounded',
    file: `${BATON}/http/abuse/abuse.test.ts`,
    title: 'is asked for 1,000 subscriptions at once, each of which hears of a change',
  },
  {
    what: 'Packed bodies are not unpacked',
    file: `${BATON}/http/abuse/abuse.test.ts`,
    title: 'gets a small body that would be 256 MiB when unpacked',
  },
  {
    what: 'Standard output stays pure when the process crashes',
    file: `${BATON}/stdio/stdio-process.test.ts`,
    title: 'leaves nothing else on standard output',
  },
  {
    what: 'Standard output is protocol only',
    file: `${BATON}/stdio/stdio-process.test.ts`,
    title: 'standard output carries nothing but the protocol',
  },
  {
    what: 'Readers that do not read cost little',
    file: `${BATON}/http/abuse/unread-streams.test.ts`,
    title: 'readers that never read are cut off, cost little, and others are served',
    count: 'READERS = isFullLevel ? 64 : 16',
  },
  {
    what: 'Sessions that are opened and left cost little',
    file: `${BATON}/http/abuse/abandoned-sessions.test.ts`,
    title:
      'sessions that are opened and left cost little, are turned away at the limit, and harm no other',
    count: 'ABANDONED = isFullLevel ? 100_000 : 2_000',
  },
]
