const BATON = 'packages/baton/test'

/** What the tests of the protocol, of its transports and of whom they let in try. */
export const WIRE_TESTS = [
  {
    what: 'A refusal says where to get a token, and no more',
    file: `${BATON}/auth/challenges.test.ts`,
    title:
      'a request without credentials gets a challenge with the metadata URL and without an error',
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
    title: 'no token passes whose header has another key, algorithm or type than the issuer uses',
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
    count: 'MUTATIONS = isFullLevel ? 20_000 : 2_000',
  },
  {
    what: 'Unknown key ids do not make a flood of requests',
    file: `${BATON}/auth/key-rotation.test.ts`,
    title: 'unknown key ids make one fetch in each cooldown',
    count: 'UNKNOWN_IDS = isFullLevel ? 10_000 : 2_000',
  },
  {
    what: 'A dead issuer is never taken for a bad token',
    file: `${BATON}/auth/issuer-faults.test.ts`,
    title: 'an unreachable issuer has no effect while the keys are fresh, and is never a 401',
  },
  {
    what: 'No redirect of an issuer is followed',
    file: `${BATON}/auth/issuer-faults.test.ts`,
    title: 'a redirect is not followed, even to a valid key set',
  },
  {
    what: 'A stream ends with the token that opened it',
    file: `${BATON}/http/sessions/expiry.test.ts`,
    title: 'every kind of stream that it opened ends at once',
  },
  {
    what: 'Tasks and subscriptions belong to whoever began them',
    file: `${BATON}/http/sessions/foreign-handles.test.ts`,
    title: 'a task is unknown to other principals, in every method',
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
    title: 'clients of both eras with equal ids see no byte of each other in',
    count: 'ANSWERS = isFullLevel ? 200_000 : 6_400',
  },
  {
    what: 'Ids of sessions and tasks cannot be guessed',
    file: `${BATON}/session/random-id.test.ts`,
    title: 'ids of sessions and tasks none repeats and every byte value is equally common',
    count: 'IDS = isFullLevel ? 1_000_000 : 50_000',
  },
  {
    what: 'Streams survive kills and lost connections',
    file: `${BATON}/http/sessions/restart.test.ts`,
    title: 'reconnects lose or duplicate none of',
    count: 'EVENTS = isFullLevel ? 100_000 : 3_500',
  },
  {
    what: 'A session belongs to whoever opened it',
    file: `${BATON}/http/app/access.test.ts`,
    title: 'a session of another principal is not found, by any request',
  },
  {
    what: 'Malformed frames are answered',
    file: `${BATON}/wire/malformed-frames.test.ts`,
    title: 'there are more than twenty-nine malformed frames',
  },
  {
    what: 'A message that is cut anywhere is refused',
    file: `${BATON}/wire/malformed-frames.test.ts`,
    title: 'a message cut at any byte is refused, and only the whole one is served',
  },
  {
    what: 'Random frames neither end nor silence a server',
    file: `${BATON}/wire/fuzz.test.ts`,
    title: 'fuzzed frames: none unanswered, none answered twice, none fatal',
    count: 'FRAMES = isFullLevel ? 200_000 : 20_000',
  },
  {
    what: 'Random bodies neither end nor silence a server, over HTTP',
    file: `${BATON}/wire/fuzz.test.ts`,
    title: 'fuzzed bodies over HTTP: each is answered with its own id, and none is fatal',
    count: 'BODIES = isFullLevel ? 20_000 : 1_500',
  },
  {
    what: 'Frames without an end are cut off',
    file: `${BATON}/wire/sizes.test.ts`,
    title: 'MiB without a newline are answered once and not buffered',
    count: 'ENDLESS_MEBIBYTES = isFullLevel ? 1024 : 256',
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
    title: 'strings are echoed unchanged, at any chunk boundary',
    count: 'STRINGS = isFullLevel ? 100_000 : 20_000',
  },
  {
    what: 'What is not UTF-8 is refused',
    file: `${BATON}/wire/strings.test.ts`,
    title: 'any two bytes in a string are refused or echoed, as TextDecoder decides',
    count: 'SECOND_BYTES = isFullLevel ? 256 : 40',
  },
  {
    what: 'The eras of the protocol are kept apart',
    file: `${BATON}/http/requests/era-mix-ups.test.ts`,
    title: 'there are at least 24 mix-ups',
  },
  {
    what: 'A changed request state is refused',
    file: `${BATON}/server/request-state.test.ts`,
    title: 'is accepted with one bit flipped',
  },
  {
    what: 'Progress has a limit',
    file: `${BATON}/wire/messages.test.ts`,
    title: 'a flood of final progress reports is throttled too',
  },
  {
    what: 'Half requests keep nobody out',
    file: `${BATON}/http/abuse/slow-clients.test.ts`,
    title: '500 connections with partial requests do not block other clients',
  },
  {
    what: 'Pipelined requests are answered once each, over HTTP',
    file: `${BATON}/http/requests/pipelining.test.ts`,
    title: 'pipelined requests over 1 to 16 connections are answered once each',
    count: 'REQUESTS_PER_ROUND = isFullLevel ? 2_000 : 300',
  },
  {
    what: 'Cancelling leaves nothing behind, over HTTP',
    file: `${BATON}/http/requests/cancellation.test.ts`,
    title: 'races in each era ends in at most one response, and leaves no call behind',
    count: 'RACES = isFullLevel ? 500 : 100',
  },
  {
    what: 'Pipelined requests are answered once each',
    file: `${BATON}/stdio/load.test.ts`,
    title: '10,000 pipelined requests are answered once each',
  },
  {
    what: 'Cancelling leaves nothing behind',
    file: `${BATON}/stdio/load.test.ts`,
    title:
      '1,000 races between response and cancellation end in at most one response and no work left',
  },
  {
    what: 'Line breaks in a text do not break a frame, on a pipe',
    file: `${BATON}/wire/framing.test.ts`,
    title: 'messages full of line breaks are one line each on a pipe',
    count: 'FRAMES = isFullLevel ? 50_000 : 5_000',
  },
  {
    what: 'Line breaks in a text do not break a frame, in a stream',
    file: `${BATON}/wire/framing.test.ts`,
    title: 'messages full of line breaks are one event each in a stream',
    count: 'FRAMES = isFullLevel ? 50_000 : 5_000',
  },
  {
    what: 'A bad network makes no wrong result',
    file: `${BATON}/http/abuse/chaos.test.ts`,
    title:
      'calls through a network that splits, delays and breaks connections none gets a wrong result',
    count: 'CALLS = isFullLevel ? 10_000 : 200',
  },
  {
    what: 'Many subscriptions are bounded',
    file: `${BATON}/http/abuse/abuse.test.ts`,
    title: 'gets 1,000 subscriptions at once, each of which is notified of a change',
  },
  {
    what: 'Packed bodies are not unpacked',
    file: `${BATON}/http/abuse/abuse.test.ts`,
    title: 'gets a small compressed body of 256 MiB',
  },
  {
    what: 'Standard output stays pure when the process crashes',
    file: `${BATON}/stdio/stdio-process.test.ts`,
    title: 'writes nothing else to standard output',
  },
  {
    what: 'Standard output is protocol only',
    file: `${BATON}/stdio/stdio-process.test.ts`,
    title: 'standard output carries nothing but the protocol',
  },
  {
    what: 'Readers that do not read cost little',
    file: `${BATON}/http/abuse/unread-streams.test.ts`,
    title: 'clients that never read are disconnected, cost little, and others are served',
    count: 'READERS = isFullLevel ? 64 : 4',
  },
  {
    what: 'Sessions that are opened and left cost little',
    file: `${BATON}/http/abuse/abandoned-sessions.test.ts`,
    title:
      'abandoned sessions cost little, new ones are refused at the limit, and other clients are served',
    count: 'ABANDONED = isFullLevel ? 100_000 : 400',
  },
]
